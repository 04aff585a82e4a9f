#!/usr/bin/env bash
# Static analysis of every C file of the library, the program and the server, with nothing untriaged: check_analysis.sh
# analyzer|tidy|cppcheck BUILD_FOLDER [file...]. Findings that tests/analysis.csv explains (tool, file, kind, reason) are
# counted; any other fails. A file that gcc's analyzer does not finish in a minute is listed there, too (kind timeout).
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tests/tap.sh"
tool=$1 build=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$build" || exit 2
python3 - "$root" "$@" >"$work/commands" <<'PYTHON'
import json, os, re, shlex, sys
root, wanted, seen = sys.argv[1], sys.argv[2:], set()
for entry in json.load(open("compile_commands.json")):
    path = os.path.relpath(os.path.join(entry["directory"], entry["file"]), root)
    if path in seen or not re.match(r"(src|cli|server)/", path) or (wanted and path not in wanted): continue
    seen.add(path)
    words = [w for w in shlex.split(entry["command"]) if w != "ccache"]
    keep = [w for w in words[1:] if w.startswith(("-I", "-D", "-U", "-std", "-f")) and "prefix-map" not in w and "color" not in w]
    print(path, shlex.join(keep), sep="\t")
PYTHON
one() { # path, arguments of the compiler: findings as "file kind line"
    local arguments word
    eval "arguments=($2)"
    case $tool in
    analyzer)
        (ulimit -t 60 && gcc -O1 -fanalyzer -Wno-analyzer-too-complex "${arguments[@]}" -c "$root/$1" -o /dev/null) >"$work/out" 2>&1
        local status=$?
        [ "$status" -le 1 ] && ! grep -q 'Killed\|CPU time\|terminated signal' "$work/out" || echo "$1 timeout 0"
        ;;
    tidy) clang-tidy --quiet "$root/$1" -- "${arguments[@]}" >"$work/out" 2>/dev/null ;;
    cppcheck)
        # The macros of the build choose one configuration; all combinations of them would take hours.
        local macros=(-D__GNUC__=12)
        for word in "${arguments[@]}"; do case $word in -[DU]*) macros+=("$word") ;; esac; done
        cppcheck --quiet --std=c11 --inline-suppr --enable=warning,portability,performance \
            --template='{file}:{line}:1: warning: x [{id}]' "${macros[@]}" -I "$root" -I "$root/include" -I "$root/src" \
            "$root/$1" >"$work/out" 2>&1
        ;;
    esac
    sed -nE 's/^([^ :]+):([0-9]+):[0-9]+: (warning|error): .*\[(CWE-[0-9]+\] \[)?-?W?([a-zA-Z0-9.=,-]+)\]$/\1 \5 \2/p' "$work/out" |
        sed "s|^$root/||; s|^\.\./||" | sort -u
}
while IFS=$'\t' read -r path arguments; do one "$path" "$arguments"; done <"$work/commands" | sort -u >"$work/found"
[ $# -gt 0 ] && all= || all=all
python3 - "$root/tests/analysis.csv" "$tool" "$work/found" $all >"$work/report" <<'PYTHON'
import csv, fnmatch, sys
rows = [r for r in csv.DictReader(open(sys.argv[1])) if r["tool"] == sys.argv[2]]
used = set()
for line in open(sys.argv[3]):
    path, kind, at = line.split()
    known = [i for i, r in enumerate(rows) if fnmatch.fnmatch(path, r["file"]) and r["kind"] == kind]
    used.update(known)
    if not known: print(f"{path}:{at}: {kind}")
if len(sys.argv) > 4:  # all files were looked at
    for i, r in enumerate(rows):
        if i not in used and r["kind"] != "timeout": print(f"tests/analysis.csv explains {r['file']}: {r['kind']}, which {sys.argv[2]} does not find")
PYTHON
name="$tool: $(wc -l <"$work/commands") files, $(wc -l <"$work/found") findings, none that tests/analysis.csv does not explain"
if [ -s "$work/report" ]; then tap_not_ok "$name" "$work/report"; else tap_ok "$name"; fi
tap_done
