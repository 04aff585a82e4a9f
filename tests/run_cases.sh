#!/usr/bin/env bash
# Run the command-line cases: run_cases.sh golden|bad BIN_DIR [bless]
#
# golden/<case>/{cmd,stdout,exit}: output with every number replaced by N, so a case pins layout, not values.
# bad/<case>/{cmd,error}: exit status 2, nothing on standard output, and exactly this one line on standard error.
# cmd is run by sh in a fresh folder holding a copy of the case's other files, with orrery on the PATH. A cmd that
# exits with 77 is skipped, its output the reason. "bless" rewrites what is expected.
set -u
kind=$1 bin=$2 bless=${3:-}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/tap.sh"
export PATH="$bin:$PATH" LC_ALL=C.UTF-8 ORRERY_DATADIR="${here%/tests}"
unset NO_COLOR COLUMNS
work=$(mktemp -d)
trap 'chmod -R u+rwx "$work"; rm -rf "$work"' EXIT

# Replace numbers and what depends on them: prefixes of units, bars, padding, and the order of a list sorted by value.
layout() {
    sed -E -e 's/([0-9]{1,3}(,[0-9]{3})+|[0-9]+)(\.[0-9]+)?([eE][+-]?[0-9]+)?/N/g' -e 's/(^|[ (\[,:])[-+]N/\1N/g' \
        -e 's/N (ps|ns|us|µs|ms|s)\b/N s/g' -e 's/N [KMGTP]i?B\b/N B/g' -e 's/N [mkMGTPE](FLOP|J|W)/N \1/g' \
        -e 's/[█▏▎▍▌▋▊▉░▒▓]+/#/g' -e 's/[ ]+/ /g' -e 's/ +$//' -e 's/^( bottleneck) .*/\1 .../' "$1"
}

# Run one case in $work/run; it leaves stdout, stderr and the status there.
run_case() {
    rm -rf "$work/run" && cp -r "$1" "$work/run" && rm -f "$work/run/"{cmd,error,stdout,exit}
    (cd "$work/run" && sh "$1/cmd") >"$work/stdout" 2>"$work/stderr" </dev/null
    status=$?
}

check_bad() {
    if [ -n "$bless" ]; then cp "$work/stderr" "$1/error"; fi
    {
        [ "$status" = 2 ] || echo "exit status $status, expected 2"
        [ -s "$work/stdout" ] && { echo "standard output is not empty:"; head -5 "$work/stdout"; }
        [ "$(wc -l <"$work/stderr")" = 1 ] || echo "expected one line on standard error"
        grep -q '^orrery: ' "$work/stderr" || echo "the line does not start with 'orrery: '"
        diff -u "$1/error" "$work/stderr" 2>&1
    } >"$work/report"
}

check_golden() {
    layout "$work/stdout" >"$work/layout"
    if [ -n "$bless" ]; then cp "$work/layout" "$1/stdout"; echo "$status" >"$1/exit"; fi
    {
        [ "$status" = "$(cat "$1/exit")" ] || echo "exit status $status, expected $(cat "$1/exit")"
        [ -s "$work/stderr" ] && { echo "standard error is not empty:"; head -5 "$work/stderr"; }
        [ -z "$(tail -c 1 "$work/stdout")" ] || echo "the last line of standard output does not end"
        diff -u "$1/stdout" "$work/layout" 2>&1
    } >"$work/report"
}

for case in "$here/$kind"/*/; do
    case=${case%/}
    run_case "$case"
    if [ "$status" = 77 ]; then tap_skip "$(basename "$case")" "$(cat "$work/stdout")"; continue; fi
    "check_$kind" "$case"
    if [ -s "$work/report" ]; then tap_not_ok "$(basename "$case")" "$work/report"; else tap_ok "$(basename "$case")"; fi
done
tap_done
