#!/usr/bin/env bash
# What the programs and the library were built with, read from the files themselves: check_hardening.sh FILE...
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tests/tap.sh"
export LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
has() { # name, pattern, file with what readelf says
    if grep -qE -- "$2" "$3"; then tap_ok "$1"; else head -40 "$3" >"$work/report" && tap_not_ok "$1" "$work/report"; fi
}
lacks() {
    grep -E -- "$2" "$3" >"$work/report" && tap_not_ok "$1" "$work/report" || tap_ok "$1"
}
for file in "$@"; do
    name=$(basename "$file")
    readelf -W -h "$file" >"$work/header"
    readelf -W -l "$file" >"$work/segments"
    # Open MPI's libraries are in a folder of their own, which belongs to the system.
    readelf -W -d "$file" | grep -vE 'R(UN)?PATH.*\[(/usr/lib[^]:]*:?)+\]' >"$work/dynamic"
    readelf -W -n "$file" >"$work/notes"
    readelf -W --dyn-syms "$file" >"$work/symbols"
    has "$name: position independent" 'Type: +DYN' "$work/header"
    has "$name: relocations are read-only" 'GNU_RELRO' "$work/segments"
    has "$name: and bound at the start (full RELRO)" 'BIND_NOW|\bNOW\b' "$work/dynamic"
    has "$name: the stack is not executable" 'GNU_STACK.* RW ' "$work/segments"
    lacks "$name: no segment is writable and executable" 'LOAD.* RWE ' "$work/segments"
    lacks "$name: no relocations in code" 'TEXTREL' "$work/dynamic"
    lacks "$name: no search path for libraries of the build" 'R(UN)?PATH.*/' "$work/dynamic"
    has "$name: stack protector" '__stack_chk_fail' "$work/symbols"
    if [ -n "${FORTIFIED-1}" ]; then has "$name: checked string functions" '__[a-z]+_chk' "$work/symbols"; fi
    if grep -q 'X86-64' "$work/header"; then
        # The note is there only if the C library has it, too, which that of Debian 12 does not: then the functions
        # themselves must begin with the instruction.
        objdump -d --no-show-raw-insn "$file" | grep -c endbr64 | sed 's/^[0-9]\{3,\}$/endbr64 in &/' >>"$work/notes"
        has "$name: control flow protection (CET)" 'x86 feature: .*IBT.*SHSTK|endbr64 in' "$work/notes"
    fi
done
tap_done
