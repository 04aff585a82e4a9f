#!/usr/bin/env bash
# Sweeps that are killed, cut short and resumed end in the same content as one that ran through: run_sweep.sh BIN_DIR
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/tap.sh"
export PATH="$1:$PATH" LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

plan=(sweep train --model llama3.1-8b --system h100-sxm --gpus 64 --global-batch 256 --vary tp=1:8:x2
    --vary micro-batch=1,2,3,4 --vary zero=0,1,3 --vary recompute=none,full)
long=("${plan[@]}" --vary seq=1024:8192:+32) # long enough to be interrupted
short=("${plan[@]}" --vary seq=1024:8192:+1024)

# Print the content of a store without the time at which it was made.
content() {
    case $1 in
    *.csv) grep -v '^# created' "$1" ;;
    *) sqlite3 "$1" .dump | grep -v "'created'" | sort ;;
    esac
}
stored() { # prints the number of points in a file
    case $1 in
    *.csv) grep -c '^[0-9]' "$1" ;;
    *) sqlite3 "$1" 'SELECT count(*) FROM points' 2>/dev/null || echo 0 ;; # It was killed before there was a table.
    esac
}
size() { # prints the bytes of a store, including its log
    cat "$1" "$1-wal" 2>/dev/null | wc -c
}
check() { # name; the report, if not empty, says what is wrong
    if [ -s "$work/report" ]; then tap_not_ok "$1" "$work/report"; else tap_ok "$1"; fi
}
same() { # name, file, file with the expected content
    content "$2" | cmp - "$3" >"$work/report" 2>&1
    check "$1"
}

# Start the long sweep, wait until more is stored, and send the signal. Returns 0 if the sweep was still running.
interrupt() { # file, signal
    local before job
    before=$(size "$1")
    orrery "${long[@]}" --threads 1 --out "$1" >/dev/null 2>"$work/errors" &
    job=$!
    while kill -0 "$job" 2>/dev/null && [ "$(size "$1")" -le "$((before + 10000))" ]; do sleep 0.01; done
    kill "-$2" "$job" 2>/dev/null
    wait "$job" 2>/dev/null
    [ $? -gt 128 ]
}

test_killed() { # kind
    local file=killed.$1 hits=0 last=0 now i
    for i in 1 2 3 4; do
        interrupt "$file" KILL && hits=$((hits + 1))
        now=$(stored "$file")
        [ "$now" -ge "$last" ] || echo "$now points after a kill, $last before"
        last=$now
    done >"$work/report"
    if [ "$hits" = 0 ]; then tap_skip "$1: nothing is lost by kill -9" "no run was hit"; else check "$1: nothing is lost by kill -9"; fi
    orrery "${long[@]}" --out "$file" >/dev/null
    same "$1: a killed sweep ends as one that ran through" "$file" "long-$1"
}

# Background jobs of a script ignore interrupts, so this sends SIGTERM, which is handled in the same way.
test_stopped() { # kind
    local file=stopped.$1 said
    interrupt "$file" TERM || { tap_skip "$1: a signal stops a sweep" "the run was not hit"; return; }
    said=$(sed -n 's/^orrery: stopped after \([0-9]*\) of .*; the same command goes on from there$/\1/p' "$work/errors")
    : >"$work/report"
    [ "$said" = "$(stored "$file")" ] || echo "said \"$(cat "$work/errors")\", stored $(stored "$file")" >"$work/report"
    check "$1: a signal stops a sweep when all that is said is stored"
    orrery "${long[@]}" --threads 2 --out "$file" >/dev/null
    same "$1: a stopped sweep ends as one that ran through" "$file" "long-$1"
}

# A file may end anywhere: in its head or within a line.
test_cut_csv() {
    local all bytes
    all=$(wc -c <short.csv)
    for bytes in 0 7 15 40 700 1500 2500 $((all / 3)) $((all / 2 + 17)) $((all - 1)); do
        head -c "$bytes" short.csv >cut.csv
        orrery "${short[@]}" --out cut.csv >/dev/null && content cut.csv | cmp - short-csv || echo "cut at byte $bytes"
    done >"$work/report" 2>&1
    check "csv: a file cut anywhere is completed"
}

# A log may end anywhere, as after a power failure.
test_cut_log() {
    local bytes all i
    for i in 1 2 3; do # The first signal may arrive before there is a log.
        [ -s log.db-wal ] || interrupt log.db KILL
    done
    [ -s log.db-wal ] || { tap_skip "db: a log cut anywhere is completed" "no run was hit"; return; }
    all=$(wc -c <log.db-wal)
    for bytes in 0 10 33 $((all / 2)) $((all - 5)); do
        rm -f cut.db*
        cp log.db cut.db && head -c "$bytes" log.db-wal >cut.db-wal
        orrery "${long[@]}" --out cut.db >/dev/null && content cut.db | cmp - long-db || echo "log cut at byte $bytes"
    done >"$work/report" 2>&1
    check "db: a log cut anywhere is completed"
}

test_all() { # kind
    local length
    for length in long short; do
        local -n command=$length
        orrery "${command[@]}" --threads 1 --out "$length.$1" >"$length-said"
        content "$length.$1" >"$length-$1"
    done
    orrery "${short[@]}" --threads 3 --out "threads.$1" >/dev/null
    same "$1: the number of threads does not show" "threads.$1" "short-$1"
    cksum "short.$1" >sum
    { orrery "${short[@]}" --out "short.$1" | cmp - short-said && cksum "short.$1" | cmp - sum; } >"$work/report" 2>&1
    check "$1: a complete sweep is left as it is"
    test_killed "$1"
    test_stopped "$1"
}

test_all csv
test_cut_csv
if command -v sqlite3 >/dev/null && orrery "${short[@]}" --out probe.db >/dev/null 2>&1; then
    test_all db
    test_cut_log
else
    tap_skip "db" "no SQLite"
fi

# A point that is a search has the figures of that search, including those of two pools.
pools=(infer --model llama2-7b --system a100-80g-sxm --gpus 4 --input 512 --disaggregated)
orrery sweep "${pools[@]}" --search --vary output=64 >point.csv
orrery search "${pools[@]}" --output 64 --top 1 --csv >plan.csv
python3 - >"$work/report" 2>&1 <<'END'
import csv
point, plan = (next(csv.DictReader(open(name))) for name in ("point.csv", "plan.csv"))
same = [key for key in point if key in plan]
number = lambda text: float(text) if text.replace(".", "").replace("e-", "").isdigit() else text
for key in same:
    if number(point[key]) != number(plan[key]):
        print(key, point[key], plan[key])
for key in ("energy_j_per_token", "decode.gpus", "plan.dp", "workload.batch"):
    if key not in same:
        print("no", key)
END
check "a point of two pools has the figures of the search"
tap_done
