#!/usr/bin/env bash
# Compare the numbers of docs/worked-example.md, which tools/worked_example.py works out, with the program:
# run_worked.sh BIN_DIR
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tests/tap.sh"
export PATH="$1:$PATH" ORRERY_DATADIR="$root"
if ! command -v python3 >/dev/null; then
    tap_skip "worked example" "no python3"
    tap_done
    exit 0
fi
for section in $(python3 "$root/tools/worked_example.py" --list); do
    grep -q "worked_example.py\" $section -->" "$root/docs/worked-example.md" || missing="${missing:-} $section"
done
[ -z "${missing:-}" ] || { echo "Bail out! docs/worked-example.md lacks:$missing"; exit 1; }
exec python3 "$root/tools/worked_example.py" --check
