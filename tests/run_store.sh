#!/usr/bin/env bash
# A stored sweep continues where it ended, and only if all of it is intact: run_store.sh BIN_DIR
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/tap.sh"
export PATH="$1:$PATH" LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

sweep=(sweep train --model llama3.1-8b --system h100-sxm --gpus 8 --vary tp=1,2,4,8 --vary micro-batch=1,2
    --vary global-batch=64)

other=("${sweep[@]}" --seq 1024)

check() { # name; the report, if not empty, says what is wrong
    if [ -s report ]; then tap_not_ok "$1" report; else tap_ok "$1"; fi
}
refused() { # name, file, words of the message
    cp "$2" before
    orrery "${sweep[@]}" --out "$2" >said 2>errors
    local code=$?
    : >report
    [ "$code" = 2 ] || echo "the exit status is $code" >>report
    grep -qF -- "$3" errors || { echo "no \"$3\" in:" && cat errors; } >>report
    cmp -s before "$2" || echo "the file was changed" >>report
    check "$1"
}
# Print the rows of a store without the time at which it was made.
rows() {
    case $1 in
    *.csv) grep -v '^# created' "$1" ;;
    *) python3 - "$1" <<'END' ;;
import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute("SELECT * FROM sweep ORDER BY point"):
    print(row)
END
    esac
}
# Run a statement on a copy of the whole sweep.
edited() { # file, statement
    rm -f "$1" "$1"-*
    cp whole.db "$1"
    python3 - "$1" "$2" <<'END'
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("PRAGMA journal_mode = DELETE")
connection.executescript(sys.argv[2])
END
}
same() { # name, file
    orrery "${sweep[@]}" --out "$2" >said 2>&1 || cat said >report
    { rows "$2" | cmp - "whole-${2##*.}"; } >>report 2>&1
    check "$1"
}

orrery "${sweep[@]}" --out whole.csv >/dev/null
rows whole.csv >whole-csv
n=$(wc -l <whole.csv)
head -n $((n - 3)) whole.csv >shorter.csv
: >report
same "csv: the last points are added" shorter.csv
grep -v '^5,' whole.csv >hole.csv
refused "csv: a file without one point is refused" hole.csv "a line of point 5 is expected"
grep -v '^0,' whole.csv >headless.csv
refused "csv: a file without the first point is refused" headless.csv "a line of point 0 is expected"

if orrery "${sweep[@]}" --out whole.db >/dev/null 2>errors; then
    rows whole.db >whole-db
    edited shorter.db "DELETE FROM points WHERE point > 4; DELETE FROM results WHERE point > 4;
        DELETE FROM sums WHERE point > 4"
    : >report
    same "db: the last points are added" shorter.db
    edited hole.db "DELETE FROM points WHERE point = 5"
    refused "db: a file without one point is refused" hole.db "points are missing before point 6"
    edited headless.db "DELETE FROM points WHERE point = 0"
    refused "db: a file without the first point is refused" headless.db "points are missing before point 1"
    edited results.db "DELETE FROM results WHERE point = 3"
    refused "db: a file without one result is refused" results.db "point 3 does not have its sum"
    edited number.db "UPDATE results SET step_time_s = step_time_s * 2 WHERE point = 2"
    refused "db: an edited number is found" number.db "point 2 does not have its sum"
    edited status.db "UPDATE points SET status = 'invalid' WHERE point = 1"
    refused "db: an edited status is found" status.db "point 1 does not have its sum"
    edited field.db "UPDATE points SET tp = 4 WHERE point = 0"
    refused "db: an edited field is found" field.db "point 0 does not have its sum"
    edited negative.db "UPDATE points SET point = -1 WHERE point = 0; UPDATE results SET point = -1 WHERE point = 0;
        UPDATE sums SET point = -1 WHERE point = 0"
    refused "db: a negative point is found" negative.db "points are missing before point -1"
    edited stray.db "DELETE FROM points WHERE point = 7"
    refused "db: results without a point are found" stray.db "points of 2 results are missing"
    edited column.db "ALTER TABLE results ADD COLUMN more REAL"
    refused "db: another table is refused" column.db "its tables differ"
    orrery "${other[@]}" --out other.db >/dev/null
    edited foreign.db "ATTACH 'other.db' AS o; DELETE FROM points; DELETE FROM results; DELETE FROM sums;
        INSERT INTO points SELECT * FROM o.points; INSERT INTO results SELECT * FROM o.results;
        INSERT INTO sums SELECT * FROM o.sums"
    refused "db: rows of another sweep with their sums are found" foreign.db "point 0 does not have its sum"
    # A write-ahead log that another file of this name left behind: SQLite takes its pages for those of this one.
    rm -f log.db* && cp whole.db log.db
    python3 - <<'END'
import shutil, sqlite3
shutil.copy("other.db", "left.db")
left = sqlite3.connect("left.db")
left.execute("PRAGMA journal_mode = WAL")
left.execute("PRAGMA wal_autocheckpoint = 0")
# SQLite writes no page where nothing changes.
for table, column, there, back in (("points", "tp", "+ 1", "- 1"), ("results", "step_time_s", "* 2", "/ 2"),
                                   ("sums", "sum", "+ 1", "- 1")):
    for change in (there, back):
        left.execute(f"UPDATE {table} SET {column} = {column} {change}")
left.commit()
shutil.copy("left.db-wal", "log.db-wal")
END
    orrery "${sweep[@]}" --out log.db >said 2>errors
    echo "$?" >code
    : >report
    { [ "$(cat code)" = 2 ] && grep -q "does not have its sum" errors; } || cat code errors >report
    check "db: rows that the log of another file brings along are found"
    edited old.db "DROP TABLE sums"
    refused "db: a store without sums is refused" old.db "rows have no sums"
    edited fact.db "UPDATE meta SET value = '9' WHERE key = 'points'"
    refused "db: an edited fact is found" fact.db "its points has"
else
    tap_skip "db" "no SQLite"
fi

sed 's/^\(3,[a-z]*,.*,\)[0-9.e+-]*\(,[0-9a-f]*\)$/\11.5\2/' whole.csv >number.csv
refused "csv: an edited number is found" number.csv "the line of point 3 does not have its sum"
sed 's/^2,ok/2,no_fit/' whole.csv >status.csv
refused "csv: an edited status is found" status.csv "the line of point 2 does not have its sum"
sed '/^# request_hash/d' whole.csv >facts.csv
refused "csv: a missing fact is found" facts.csv "3 facts of 7"
sed '/^# request: /d; /^# created/p' whole.csv >twice.csv
refused "csv: a fact does not stand for another" twice.csv "2 facts of 7"
orrery "${other[@]}" --out other.csv >/dev/null
{ grep '^#' whole.csv; grep -v '^#' other.csv; } >foreign.csv
refused "csv: rows of another sweep with their sums are found" foreign.csv "the line of point 0 does not have its sum"
{ printf '# orrery sweep\n# schema: \302\2331m\033[1m\377\n'; } >wild.csv
refused "csv: a damaged fact is named" wild.csv "its schema has"
LC_ALL=C grep -q $'[\033\377\233]' errors && cat -v errors >report
check "csv: bytes of a damaged file do not reach the terminal"

# A file that cannot be read to its end is not cut off there, and one endless line is not read at all.
endless() { # name, words of the message, file of 3 GB
    (ulimit -v 1000000; exec timeout 20 orrery "${sweep[@]}" --out "$3") >said 2>errors
    echo "$?" >code
    : >report
    { [ "$(cat code)" = 2 ] && grep -q "$2" errors && [ "$(stat -Lc %s "$3")" != 0 ]; } || cat code errors >report
    [ "$(stat -Lc %s "$3")" -gt 3000000000 ] || [ -c "$3" ] || echo "the file was cut off" >>report
    check "$1"
}
case $(nm "$(command -v orrery)" 2>/dev/null) in
*__asan_*) tap_skip "endless files" "sanitizers need more memory than the case allows" ;;
*)
    printf 'not of orrery' >endless.csv
    truncate -s 3G endless.csv
    endless "csv: a file that is no store stays as it is, however large" "is no sweep" endless.csv
    { head -n $((n - 3)) whole.csv; printf '5,'; } >endless.csv
    truncate -s 3G endless.csv
    endless "csv: a line that no memory holds is an error" "memory" endless.csv
    rm -f endless.csv
    ;;
esac
ln -s /dev/zero zero.csv
timeout 20 orrery "${sweep[@]}" --out zero.csv >said 2>errors
echo "$?" >code
: >report
{ [ "$(cat code)" = 2 ] && grep -q "is no regular file" errors; } || cat code errors >report
check "csv: a device is refused"

# Damage single bytes: every damaged store is refused or, where nothing that counts was hit, still has the same rows.
stores=${STORES:-40}
damaged() { # ending
    : >report
    python3 - "$1" "$stores" <<'END'
import random, sys
ending, n = sys.argv[1], int(sys.argv[2])
whole = open(f"whole.{ending}", "rb").read()
for i in range(1, n + 1):
    random.seed(i)
    data = bytearray(whole)
    for _ in range(random.choice([1, 1, 4, 64])):
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    open(f"damaged{i}.{ending}", "wb").write(data)
END
    for i in $(seq "$stores"); do
        timeout 60 orrery "${sweep[@]}" --out "damaged$i.$1" >said 2>errors
        code=$?
        case $code in
        2) [ "$(wc -l <errors)" = 1 ] || { echo "store $i:" && cat errors; } >>report ;;
        0) rows "damaged$i.$1" 2>&1 | cmp -s - "whole-$1" || echo "store $i: accepted with other rows" >>report ;;
        *) echo "store $i: exit status $code" >>report ;;
        esac
    done
    check "$1: $stores damaged stores are refused or equal"
}
damaged csv
[ -f whole-db ] && damaged db

# ---- a sweep that cannot write still ends
mkfifo pipe.csv
orrery "${sweep[@]}" --out pipe.csv >said 2>errors
echo "$?" >code
{ [ "$(cat code)" = 2 ] && grep -q 'is a pipe' errors; } || cat code errors >report
check "a pipe is refused as a store"
long=(sweep train --model llama2-7b --system h100-sxm --gpus 8 --vary seq=1:1000000:+1)
{ env -u LC_ALL orrery "${long[@]}" & echo $! >pid; wait $!; echo $? >code; } 2>errors | sleep 20 &
reader=$!
sleep 3
kill -INT "$(cat pid)" 2>/dev/null || kill -TERM "$(cat pid)"
kill -TERM "$(cat pid)"
for _ in $(seq 80); do [ -s code ] && break; sleep 0.1; done
: >report
[ -s code ] && [ "$(cat code)" = 2 ] || { echo "still running, or status $(cat code 2>&1)"; cat errors; kill -9 "$(cat pid)"; } >>report 2>&1
check "a sweep into a pipe that nobody reads ends on a signal"
kill "$reader" 2>/dev/null
tap_done
