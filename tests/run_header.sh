#!/usr/bin/env bash
# orrery.h compiles as C and C++, with and without its experimental part, the program of its first comment compiles as
# it stands and answers, and so does the program of docs/library.md: run_header.sh LIBRARY
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tests/tap.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
library=$(dirname "$1")
strict=(-Wall -Wextra -Wpedantic -Werror)
try() { # name, command...
    local name=$1
    shift
    if "$@" >"$work/log" 2>&1; then tap_ok "$name"; else tap_not_ok "$name" "$work/log"; fi
}
build() { # source, program, compiler arguments...
    local source=$1 program=$2
    shift 2
    ${CC:-cc} -std=c11 "$@" -I"$root/include" "$source" -L"$library" -lorrery -o "$program"
}
runs() { # program, pattern of a line of its output
    LD_LIBRARY_PATH="$library" "$1" >"$work/output" 2>&1 || { cat "$work/output"; return 1; }
    grep -qE "$2" "$work/output" || { cat "$work/output"; return 1; }
}

sed -n '1,/\*\//s/^ \*     //p' "$root/include/orrery.h" >"$work/program.c"
echo '#include <orrery.h>' >"$work/header.cc"
for mode in "" -DORR_EXPERIMENTAL; do
    name=${mode:+with the experimental part}
    name=${name:-the stable core}
    # shellcheck disable=SC2086
    try "the first program compiles: $name" build "$work/program.c" "$work/program" "${strict[@]}" $mode
    try "and answers: $name" runs "$work/program" '^[0-9.]+ s per step$'
    if command -v "${CXX:-c++}" >/dev/null; then
        # shellcheck disable=SC2086
        try "C++ reads the header: $name" "${CXX:-c++}" -std=c++11 "${strict[@]}" $mode -I"$root/include" -c \
            "$work/header.cc" -o "$work/header.o"
    else
        tap_skip "C++ reads the header: $name" "no C++ compiler"
    fi
done
echo 'struct orr_job job;' | cat "$work/header.cc" - >"$work/open.c"
fenced() { ! ${CC:-cc} -std=c11 -I"$root/include" -fsyntax-only "$work/open.c" 2>/dev/null; }
try "the core does not show the open structs" fenced

try "examples/library.c compiles with the stable core" build "$root/examples/library.c" "$work/library" "${strict[@]}"
try "it predicts" runs "$work/library" '^our plan: [0-9.]+ s per step, [0-9.]+ % of peak, [0-9.]+ of [0-9.]+ GiB$'
try "and searches" runs "$work/library" '^winner  .* GPUs'
tap_done
