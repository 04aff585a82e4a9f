#!/usr/bin/env bash
# The table and the figure of docs/fit.md about what few runs are worth, from one run of the program. It takes about five
# minutes of processor time, so that no test does it. ORRERY is the program (build/orrery).
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
program=${ORRERY:-$root/build/orrery}
[ -x "$program" ] || { echo "few_shot.sh: $program is not a program: build it, or set ORRERY" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export ORRERY_DATADIR="$root" LC_ALL=C.UTF-8
cd "$root/validation"
"$program" fit --few-shot training.csv training_frameworks.csv training_hf_h200.csv training_lab_h200.csv \
    training_nanotron.csv inference.csv inference_engines.csv serving.csv --width 118 --out "$work/few-shot.csv" >"$work/table"
cp "$work/few-shot.csv" "$root/docs/images/few-shot.csv"
"$root/tools/few_shot_figure.py" "$work/few-shot.csv" >"$root/docs/images/few-shot.svg"
python3 - "$root/docs/fit.md" "$work/table" <<'PYTHON'
import sys
page, table = sys.argv[1], open(sys.argv[2], encoding="utf-8").read()
text = open(page, encoding="utf-8").read()
first = text.index("Median error in % (share inside")
last = text.index("```", first)
open(page, "w", encoding="utf-8").write(text[:first] + table + text[last:])
PYTHON
