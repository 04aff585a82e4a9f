#!/usr/bin/env bash
# Are the errors of this version those on record? check_drift.sh --check | --record
# The record is validation/recorded.csv, the error of every source in `orrery validate`, and
# src/predict/interval_table.h, the 80 % intervals that follow from these errors, and src/predict/nearest_table.h, the
# measured runs that answers are compared with. --record rewrites all; the program must then be built again, because it
# contains the tables. --check writes nothing. Each source is one TAP case, which
# fails if its mean or median moved by more than 1 percentage point, its rows changed, or the source is new or missing.
# One more case fails if an interval moved by more than 0.02.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
record=$root/validation/recorded.csv
table=$root/src/predict/interval_table.h
runs=$root/src/predict/nearest_table.h
case ${1:-} in
--check | --record) ;;
*) echo "check_drift.sh: expected --check or --record" >&2; exit 2 ;;
esac
program=${ORRERY:-$root/build/orrery}
[ -x "$program" ] || { echo "check_drift.sh: $program is not a program: build it, or set ORRERY" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export ORRERY_DATADIR="$root" LC_ALL=C.UTF-8
"$program" validate --record "$work"
python3 - "$work/errors.json" >"$work/recorded.csv" <<'PYTHON'
import csv, json, sys
out = csv.writer(sys.stdout, lineterminator="\n")
out.writerow(["source", "rows", "mape", "median", "p90", "bias"])
for s in json.load(open(sys.argv[1]))["by_source"]:
    out.writerow([s["source"], s["rows"]] + ["%.4f" % s[key] for key in ("mape", "median_ape", "p90_ape", "bias")])
PYTHON

if [ "$1" = --record ]; then
    for file in "$record" "$table" "$runs"; do
        fresh=$work/${file##*/}
        cmp -s "$fresh" "$file" || { cp "$fresh" "$file" && echo "${file#"$root/"}: recorded"; }
    done
    exit 0
fi

python3 - "$record" "$work/recorded.csv" "$table" "$work/interval_table.h" "$runs" "$work/nearest_table.h" <<'PYTHON'
import csv, os, re, sys

def sources(path):
    if not os.path.exists(path): return {}
    return {row["source"]: row for row in csv.DictReader(open(path, encoding="utf-8"))}

def intervals(path):
    rows = re.findall(r"X\((\w+), ([0-9., ]+)\)", open(path, encoding="utf-8").read())
    return {name: [float(x) for x in numbers.split(",")] for name, numbers in rows}

def changes(was, now):
    """What differs between two records of a source, in words."""
    if was is None: return ["not recorded"]
    if now is None: return ["recorded, but no row of it was scored"]
    found = [f"{was['rows']} rows, now {now['rows']}"] if was["rows"] != now["rows"] else []
    for key in ("mape", "median"):
        a, b = 100 * float(was[key]), 100 * float(now[key])
        if abs(a - b) > 1: found.append(f"{key} {a:.1f} %, now {b:.1f} %")
    return found

def case(number, name, found):
    print(f"{'not ok' if found else 'ok'} {number} - {name.replace('#', '')}")
    for line in found: print(f"# {line} (./dev bless records it)")
    return bool(found)

was, now = sources(sys.argv[1]), sources(sys.argv[2])
names = list(now) + [name for name in was if name not in now]
bad = [case(i + 1, f"errors of {name}", changes(was.get(name), now.get(name))) for i, name in enumerate(names)]
was, now = intervals(sys.argv[3]), intervals(sys.argv[4])
moved = [f"{name} {was.get(name)}, now {now.get(name)}" for name in {**now, **was}
         if name not in was or name not in now or max(abs(a - b) for a, b in zip(was[name], now[name])) > 0.02]
bad.append(case(len(bad) + 1, "80 % intervals", moved))

def runs(path):
    return set(re.findall(r'X\("[^"]*", "([^"]*)", "([^"]*)"', open(path, encoding="utf-8").read()))

def measured(path):
    return set(re.findall(r'X\("([^"]*)", (0x[0-9a-f]+)\)', open(path, encoding="utf-8").read()))

changed = sorted(runs(sys.argv[5]) ^ runs(sys.argv[6])) + sorted(measured(sys.argv[3]) ^ measured(sys.argv[4]))
bad.append(case(len(bad) + 1, "measured engines and runs", [" ".join(one) for one in changed[:10]]))
print(f"1..{len(bad)}")
sys.exit(any(bad))
PYTHON
