#!/usr/bin/env bash
# The binary interface of the stable core against that of the last release (include/orrery.abi), with libabigail:
# check_abi.sh LIBRARY, built with debug information; --record writes the file, for a release with a new soname, or to
# take in functions that were added.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tests/tap.sh"
export LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
record=
[ "${1-}" = --record ] && record=1 && shift
name="programs of the last release run with this library"
command -v abidw >/dev/null || { tap_skip "$name" "no abigail-tools" && tap_done && exit 0; }
{
    echo "[abi_whitelist]"
    nm -D --defined-only "$1" | sed -n 's/.* \(orr_[a-z0-9_]*\)@@ORRERY_[0-9]*$/  \1/p'
} >"$work/core"
abidw --no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed --drop-undefined-syms --drop-private-types \
    --headers-dir "$root/include" --type-id-style hash --kmi-whitelist "$work/core" "$1" \
    --out-file "$work/new.abi" || { tap_not_ok "the interface can be read" && tap_done && exit 1; }
if [ -n "$record" ]; then
    cp "$work/new.abi" "$root/include/orrery.abi"
    echo "$(grep -c '<elf-symbol' "$root/include/orrery.abi") functions recorded in include/orrery.abi" >&2
    exit
fi
# Functions may be added; everything else is a difference.
if abidiff --no-added-syms --suppressions "$root/tests/abi.suppr" "$root/include/orrery.abi" "$work/new.abi" \
    >"$work/report"; then
    tap_ok "$name"
else
    tap_not_ok "$name" "$work/report"
fi
tap_done
