#!/usr/bin/env bash
# Sweeps that are killed again and again: sweeps.sh BIN_DIR [KILLS]. Every other store is a database, the others are CSV
# files; a killed run is continued by the same command until it ends, and its store must equal that of a run in one piece.
# A run is killed after a random part of the time that a whole one takes, so that kills fall everywhere, also on a busy
# machine.
set -u
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/tap.sh"
export PATH="$1:$PATH" LC_ALL=C
kills=${2:-300}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
sweep=(sweep train --model llama3.1-8b --system h100-sxm --gpus 64 --global-batch 256 --vary tp=1:8:x2
    --vary micro-batch=1,2,3,4 --vary zero=0,1,3 --vary seq=1024:8192:+64 --threads 1)
rows() { # store
    case $1 in
    *.db) sqlite3 "$1" 'PRAGMA integrity_check; SELECT * FROM points ORDER BY point; SELECT * FROM results ORDER BY point' ;;
    *) grep -v '^# created' "$1" ;;
    esac
}
stored() { # store: rows that it has, as far as they can be counted
    case $1 in
    *.db) sqlite3 "$1" 'SELECT count(*) FROM points' 2>/dev/null || echo 0 ;;
    *) grep -c '^[0-9]' "$1" 2>/dev/null || true ;;
    esac
}
for ending in db csv; do
    begun=$(date +%s%N)
    orrery "${sweep[@]}" --out "whole.$ending" >/dev/null 2>&1 || echo "the undisturbed sweep fails" >>report
    declare "whole_us_$ending=$((($(date +%s%N) - begun) / 1000))"
    rows "whole.$ending" >"expected.$ending"
    whole_rows=$(stored "whole.$ending")
done
n=0 runs=0 amid=0
while [ "$n" -lt "$kills" ]; do
    ending=$([ $((runs % 2)) = 0 ] && echo db || echo csv)
    store=part$runs.$ending attempts=0 whole_us=whole_us_$ending
    while :; do
        orrery "${sweep[@]}" --out "$store" >/dev/null 2>"errors" &
        job=$!
        wait_us=$((RANDOM * 32768 + RANDOM))
        wait_us=$((wait_us % ${!whole_us}))
        sleep "$((wait_us / 1000000)).$(printf %06d $((wait_us % 1000000)))"
        attempts=$((attempts + 1))
        # The fifth attempt may finish, so that many stores are compared.
        if [ "$attempts" -lt 5 ] && kill -9 "$job" 2>/dev/null; then
            wait "$job" 2>/dev/null
            n=$((n + 1)) has=$(stored "$store")
            [ "${has:-0}" -gt 0 ] && [ "$has" -lt "$whole_rows" ] && amid=$((amid + 1))
        elif wait "$job"; then
            break
        fi
        [ "$attempts" -lt 50 ] || { echo "does not end: $(cat errors)" >>report && break; }
    done
    runs=$((runs + 1))
    rows "$store" | cmp - "expected.$ending" >>report 2>&1
    rm -f "$store"*
done
name="$n kills of $runs sweeps ($amid with some of the rows stored): every store equals that of a run in one piece"
echo "# $n kills of $runs sweeps, $amid of them with some of the rows stored"
[ "$amid" -gt 0 ] || echo "no kill fell into a sweep" >>report
if [ -s report ]; then tap_not_ok "$name" report; else tap_ok "$name"; fi
tap_done
