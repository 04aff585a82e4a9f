#!/usr/bin/env bash
# Run every orrery command of the sh blocks of README.md and docs/*.md: run_docs.sh BIN_DIR
# A command must exit with 0, or with N where it ends in "# exit N".
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tests/tap.sh"
export PATH="$1:$PATH" LC_ALL=C.UTF-8 ORRERY_DATADIR="$root"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for entry in "$root"/*; do # Commands may read the tree, and write files beside it.
    case ${entry##*/} in build*) ;; *) ln -s "$entry" "$work/" ;; esac
done

# Print the commands of a page, one per line: continued lines are joined, and the prompt and "./dev run" are removed.
commands_of() {
    awk '/^```/ { inside = !inside && /^```sh *$/; next } inside' "$1" | sed -e ':a' -e '/\\$/{N;s/\\\n//;ba' -e '}' |
        sed -n -e 's/^\$ //' -e 's/^\.\/dev run/orrery/' -e '/^orrery\( \|$\)/p'
}

for page in "$root"/README.md "$root"/docs/*.md; do
    [ -f "$page" ] || continue
    while IFS= read -r command; do
        expected=0
        case $command in *'# exit '[0-9]) expected=${command##*# exit } ;; esac
        (cd "$work" && sh -c "$command") >"$work/.output" 2>&1 </dev/null
        status=$?
        name="${page##*/}: $(printf '%s' "$command" | cut -c1-100 | tr '#' ' ')"
        if [ "$status" = "$expected" ]; then tap_ok "$name"; else
            echo "exit status $status, expected $expected" >>"$work/.output"
            tail -5 "$work/.output" >"$work/.tail"
            tap_not_ok "$name" "$work/.tail"
        fi
    done < <(commands_of "$page")
done
tap_done
