#!/usr/bin/env bash
# A wheel in a clean environment: run_wheel.sh BIN_DIR LIBRARY. The package, the program and the measurements must work
# from it, outside the source tree; data frames are tried with Debian's pandas where it is installed.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tests/tap.sh"
command -v python3 >/dev/null || { echo "1..0 # SKIP no python3"; exit 0; }
case $(nm -D "$2" 2>/dev/null) in
*__asan_*) echo "1..0 # SKIP a library with sanitizers does not load into python3"; exit 0 ;;
esac
library=$(realpath "$2") program=$(realpath "$1")/orrery
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
export ORRERY_LIBRARY=$library ORRERY_PROGRAM=$program PYTHONDONTWRITEBYTECODE=1
check() { # name, command...
    local name=$1
    shift
    if "$@" >"$work/log" 2>&1; then tap_ok "$name"; else tap_not_ok "$name" "$work/log"; fi
}

check "a wheel is made" python3 "$root/python/wheel_backend.py" .
unset ORRERY_LIBRARY ORRERY_PROGRAM ORRERY_DATADIR PYTHONPATH
if ! python3 -m venv clean >"$work/log" 2>&1; then
    tap_skip "pip installs it into a clean environment" "no python3-venv"
    tap_done
    exit
fi
check "pip installs it into a clean environment" clean/bin/pip install --no-index --no-deps orrery-*.whl
answers() { clean/bin/orrery train --model llama2-7b --system h100-sxm --gpus 8 --zero 1 | grep -q 'step time'; }
check "the command orrery answers" answers
finds_data() { clean/bin/orrery validate "$(find clean -name training.csv)" && clean/bin/orrery validate --help; }
check "validate finds the measurements of the wheel" finds_data
check "python -m orrery is the same" clean/bin/python -m orrery version
check "the tutorial runs" clean/bin/python "$root/examples/tutorial.py"
if /usr/bin/python3 -c 'import pandas' 2>/dev/null; then
    frames() {
        PYTHONPATH=$(echo clean/lib/python*/site-packages) /usr/bin/python3 - <<'PYTHON'
import orrery
step = orrery.train("llama2-7b", "h100-sxm", gpus=8, zero=1)
series = step.to_pandas()
assert series["step_time_s"] == step.step_time_s and series.name == "train"
table = orrery.sweep("train", "llama2-7b", "h100-sxm", gpus=8, global_batch=64, vary={"tp": [1, 2, 4]})
frame = table.to_pandas()
assert list(frame["tp"].astype(int)) == [1, 2, 4] and (frame["step_time_s"] > 0).all() and frame.shape[0] == 3
PYTHON
    }
    check "results become data frames of pandas" frames
else
    tap_skip "results become data frames of pandas" "no python3-pandas"
fi
tap_done
