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
    edited shorter.db "DELETE FROM points WHERE point > 4; DELETE FROM results WHERE point > 4"
    : >report
    same "db: the last points are added" shorter.db
    edited hole.db "DELETE FROM points WHERE point = 5"
    refused "db: a file without one point is refused" hole.db "points are missing before point 7"
    edited headless.db "DELETE FROM points WHERE point = 0"
    refused "db: a file without the first point is refused" headless.db "points are missing before point 7"
    edited results.db "DELETE FROM results WHERE point = 3"
    refused "db: a file without one result is refused" results.db "results of 1 points are missing"
else
    tap_skip "db" "no SQLite"
fi
tap_done
