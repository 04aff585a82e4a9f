#!/usr/bin/env bash
# The shared library exports the functions of include/orrery.h and nothing else, each with its version: check_symbols.sh
# LIBRARY
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tests/tap.sh"
export LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nm -D --defined-only "$1" | awk '$2 ~ /[B-Z]/ {print $3}' >"$work/versioned"
sed 's/@.*//' "$work/versioned" | grep -v -e '^__' -e '^_init$' -e '^_fini$' | sort \
    >"$work/exported"
grep -oh 'orr_[a-z0-9_]*(' "$root"/include/orrery.h "$root"/include/orrery/*.h | tr -d '(' | sort -u >"$work/declared"
compare() { # name, expected, found
    if diff -u "$2" "$3" >"$work/report"; then tap_ok "$1"; else tap_not_ok "$1" "$work/report"; fi
}
compare "exported symbols are those of orrery.symbols" "$root/include/orrery.symbols" "$work/exported"
compare "orrery.symbols lists every function of orrery.h" "$work/declared" "$root/include/orrery.symbols"
# The stable core keeps the version of the soname, so that programs that use it run with every later library.
sed '/^#ifdef ORR_EXPERIMENTAL/,/^#endif \/\* ORR_EXPERIMENTAL \*\//d' "$root/include/orrery.h" |
    grep -oE '\borr_[a-z0-9_]+\(' | tr -d '(' | sort -u >"$work/core"
sed -n 's/@@ORRERY_[0-9]*$//p' "$work/versioned" | sort >"$work/lasting"
compare "the stable core has the version of the soname" "$work/core" "$work/lasting"
tap_done
