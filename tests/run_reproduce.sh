#!/usr/bin/env bash
# orrery reproduce writes every study, with and without gnuplot: run_reproduce.sh BIN_DIR
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/tap.sh"
export PATH="$1:$PATH" LC_ALL=C ORRERY_DATADIR="$here/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
items="gemm memory training inference generations nodes bounds batch shapes dram"

check() { # name; the report, if not empty, says what is wrong
    if [ -s "$work/report" ]; then tap_not_ok "$1" "$work/report"; else tap_ok "$1"; fi
}

# Without gnuplot: the PATH is one folder, which holds only the program.
mkdir only && ln -s "$(command -v orrery)" only/orrery
PATH="$work/only" orrery reproduce >without.txt 2>without.err
echo $? | grep -vx 0 >report
check "reproduce answers without gnuplot"
{ [ "$(wc -l <without.err)" = 1 ] && grep -q 'gnuplot-nox' without.err; } || cat without.err >report
check "one line says that gnuplot is missing"
ls results/*.svg >report 2>/dev/null
check "no figure without gnuplot"
grep -n '<img' results/index.html >report
check "the page shows no figure that is not there"

for item in $items; do
    {
        for ending in csv json gp; do [ -s "results/$item.$ending" ] || echo "no $item.$ending"; done
        grep -q "id=\"$item\"" results/index.html || echo "index.html does not mention $item"
        grep -q "href=\"$item.csv\"" results/index.html || echo "index.html does not link $item.csv"
        grep -q "^$item " without.txt || echo "$item is not in the list"
    } >report
    check "$item is written and on the page"
done

python3 - results >report 2>&1 <<'PYTHON'
import csv, glob, json, sys, xml.dom.minidom
for path in sorted(glob.glob(sys.argv[1] + '/*.csv')):
    rows = list(csv.reader(open(path)))
    if len(rows) < 2 or any(len(row) != len(rows[0]) for row in rows) or len(set(rows[0])) != len(rows[0]):
        print(path, 'is no table')
    if any('nan' in cell.lower().split() or 'inf' in cell.lower().split() for row in rows for cell in row):
        print(path, 'has a number that is none')
for path in glob.glob(sys.argv[1] + '/*.json'):
    study = json.load(open(path))
    for table in study['tables']:
        on_disk = list(csv.reader(open(sys.argv[1] + '/' + table['name'] + '.csv')))
        if on_disk[0] != table['columns'] or len(on_disk) - 1 != len(table['rows']): print(path, table['name'], 'differs')
    if not study['assumptions'] or not study['compared']: print(path, 'has no assumptions')
xml.dom.minidom.parse(sys.argv[1] + '/index.html')
PYTHON
check "tables parse, JSON holds the same, the page is well-formed"

# The measured tables must keep these bounds: an error of at most 10 % for a training step and 13 % for a latency.
awk -F, 'NR > 1 && ($(NF - 2) > 0.10 || $(NF - 2) < -0.10)' results/training.csv >report
[ "$(wc -l <results/training.csv)" = 12 ] || echo "expected 11 rows" >>report
check "training times within 10 % of the published"
awk -F, 'NR > 1 && ($(NF - 2) > 0.13 || $(NF - 2) < -0.13)' results/inference.csv >report
[ "$(wc -l <results/inference.csv)" = 23 ] || echo "expected 22 rows" >>report
check "latencies within 13 % of the published"
awk -F, '/skinny/ && $3 > 0.15 || /large/ && $3 > 0.10' results/gemm.csv >report
check "products within 15 % (skinny) and 10 % (large) of the measured"

if command -v gnuplot >/dev/null; then
    orrery reproduce dram bounds shapes generations --out two >with.txt 2>report
    ls two/{dram,bounds,shapes,generations,generations_changes}.svg >/dev/null 2>>report
    check "gnuplot draws what was asked for"
    grep -c '<img' two/index.html | grep -vx 5 >report
    check "the page shows the figures"
    for table in dram bounds shapes generations_changes; do cmp "two/$table.csv" "results/$table.csv"; done >report 2>&1
    check "the same tables again"
    mkdir all && cp results/*.csv results/*.gp all
    for script in all/*.gp; do (cd all && gnuplot "$(basename "$script")"); done >report 2>&1
    check "every script draws without a warning"
    orrery technology study dram --out three >study.txt 2>report
    ls three/dram.csv three/dram.json three/dram.gp three/dram.svg >/dev/null 2>>report
    cmp three/dram.csv two/dram.csv >>report 2>&1
    check "technology study writes the same"
else
    tap_skip "figures" "no gnuplot"
fi
tap_done
