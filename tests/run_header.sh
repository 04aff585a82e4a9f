#!/usr/bin/env bash
# The program in the first comment of orrery.h compiles as it stands and answers: run_header.sh LIBRARY
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tests/tap.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
library=$(dirname "$1")
sed -n '1,/\*\//s/^ \*     //p' "$root/include/orrery.h" >"$work/program.c"
if ${CC:-cc} -std=c11 -Wall -I"$root/include" "$work/program.c" -L"$library" -lorrery -o "$work/program" 2>"$work/log"
then tap_ok "compiles"; else tap_not_ok "compiles" "$work/log"; fi
if LD_LIBRARY_PATH="$library" "$work/program" >"$work/log" 2>&1 && grep -qE '^[0-9.]+ s per step$' "$work/log"
then tap_ok "answers"; else tap_not_ok "answers" "$work/log"; fi
tap_done
