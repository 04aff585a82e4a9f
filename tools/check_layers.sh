#!/usr/bin/env bash
# The rules of the tree that a compiler does not check. ARCHITECTURE.md states the order of the folders: the lines that
# start with src/<folder>/, from first to last.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh
export LC_ALL=C
found=$(mktemp)
trap 'rm -f "$found"' EXIT
rule() { # name; the lines in $found break the rule
    if [ -s "$found" ]; then tap_not_ok "$1" "$found"; else tap_ok "$1"; fi
}
in_folders() { # pattern, folders: prints matching lines of their sources
    for folder in $2; do grep -nHE "$1" "src/$folder"/*.c; done 2>/dev/null
}
folders=$(sed -n 's/^- `src\/\([a-z]*\)\/`.*/\1/p' ARCHITECTURE.md 2>/dev/null | awk '!seen[$0]++')
sources=$(ls src/*/*.c cli/*.c server/*.c tools/*.c bench/*.c tests/*/*.c 2>/dev/null)

for folder in src/*/; do
    printf '%s\n' $folders | grep -qx "$(basename "$folder")" || echo "$folder is not listed"
done >"$found"
rule "ARCHITECTURE.md lists every folder of src"

# A name with a folder is a path of the tree; a file name alone belongs to the folder that its list item describes.
awk '/^$/ {folder = ""}
     match($0, /^- `src\/[a-z]+\/`/) {folder = substr($0, 4, RLENGTH - 4)}
     {
         for (rest = $0; match(rest, /`[a-z][A-Za-z0-9_.*\/-]*`/); rest = substr(rest, RSTART + RLENGTH)) {
             name = substr(rest, RSTART + 1, RLENGTH - 2)
             if (name ~ /^(src|cli|server|include|tools|tests|data|python)\//) print name
             else if (folder && name ~ /^[a-z0-9_*]+\.[ch]$/) print folder name
         }
     }' ARCHITECTURE.md | sort -u | while read -r path; do
    compgen -G "$path" >/dev/null || echo "$path does not exist"
done >"$found"
rule "ARCHITECTURE.md names only paths that exist"

allowed=
for folder in $folders; do
    allowed="$allowed${allowed:+|}$folder"
    grep -nHE '^ *# *include "' "src/$folder"/*.[ch] 2>/dev/null |
        grep -vE "include \"(orrery\.h|($allowed)/[a-z0-9_]+\.h)\"" >"$found"
    rule "src/$folder includes only folders before it"
done

own='cli|cluster|mcp|options|request|rows|store|studies|sweep_cluster|watch|bench|fuzz'
grep -nHE '^ *# *include "' cli/*.[ch] bench/*.[ch] tests/fuzz/*.[ch] |
    grep -vE "include \"(orrery|server/server|$own)\.h\"|^cli/cli\.h.*\"base/(clock|memory|plain|text|units)\.h\"|^tests/fuzz/.*\"(spec/job|server/head|cli/store)\.h\"" >"$found"
rule "cli, bench and fuzzers use the public header only, cli the text and units of base, fuzzers the rules of a job and what they feed"

grep -nHE '^ *# *include "' server/*.[ch] | grep -vE 'include "(orrery|base/(clock|memory|plain|text)|server/[a-z]+)\.h"' >"$found"
rule "the server uses the public header and the text of base only"

grep -nHE '^ *# *include "' kit/*.[ch] kit/*/*.[ch] | grep -vE 'include "(\.\./)?(csv|kernels|kit)\.h"' >"$found"
rule "the kit stands alone"

only_in() { # library, header, pattern of the files that may include it
    grep -nHE "include <$2" src/*/*.[ch] cli/*.[ch] server/*.[ch] bench/*.[ch] | grep -vE "^$3" >"$found"
    rule "$1 only in $3"
}
only_in jansson 'jansson' '(src/(spec|report)/|cli/mcp|server/openapi\.c)'
only_in NLopt 'nlopt' 'src/(calibrate/fit|calibrate/stack_solve|study/optimise_search)\.c'
only_in OpenMP 'omp\.h' 'src/(search|study)/'
only_in SQLite 'sqlite3' 'cli/store_sqlite\.c'
only_in MPI 'mpi\.h' 'cli/cluster_mpi\.c'
only_in epoll 'sys/epoll' 'server/'
only_in threads 'pthread' '(server/|cli/(cluster_mpi|sweep)\.c)'

grep -nHE 'ctypes' python/orrery/*.py | grep -v '^python/orrery/_library\.py:' >"$found"
rule "python meets the library in _library.py only"

{
    grep -nHE '\b(fetch|EventSource|XMLHttpRequest)\(' web/src/*.ts web/src/*/*.ts | grep -v '^web/src/api\.ts:'
    grep -nHE "from 'echarts" web/src/*.ts web/src/*/*.ts | grep -v '^web/src/charts\.ts:'
} >"$found"
rule "the explorer asks in api.ts and draws in charts.ts only"

model='technology ops cost memory schedule'
in_folders '\b(printf|fprintf|fopen|puts|getenv|exit|abort|time|rand)\(' "base $model predict" >"$found"
rule "the model does no input or output"

in_folders '\b(malloc|calloc|realloc|free|strdup)\(' "$model" | grep -v '^src/schedule/timeline.c:' >"$found"
rule "the stages do not allocate, but for the timeline a dump asks for"

grep -nHE '^(static )?[a-z][a-z_ ]* \**[a-z_]+( = .*|\[.*\].*)?;$' src/*/*.c cli/*.c server/*.c |
    grep -vE '^src/(base|spec/json)_?/?memory\.c:|:(static )?const |typedef|extern|return|:struct [a-z_]+;' >"$found"
rule "no global variables, but for the note that an allocation failed"

grep -nHE '^ +static ' src/*/*.[ch] cli/*.[ch] server/*.[ch] | grep -vE '\bconst\b|\\$' >"$found"
rule "no variable keeps its value between calls"

# The exceptions switch over characters, system errors and codes of a library. A switch over an enum has every case.
grep -nHE '\bdefault:' src/*/*.c cli/*.c server/*.c | grep -vE '^src/(report/html|spec/file|spec/json)\.c:|"' >"$found"
rule "no default in a switch over an enum"

for file in src/*/*.c; do
    grep -qF "'${file#src/}'" src/meson.build || echo "$file is not in src/meson.build"
done >"$found"
rule "every source is built"

for file in tests/unit/test_*.c; do
    name=${file##*/test_}
    grep -qF "'${name%.c}'" tests/meson.build || echo "$file is not in tests/meson.build"
done >"$found"
rule "every unit test is run"

# These members have no unit in their name: ratios of counts, shapes, and constants whose comment states the unit.
unitless='l2_multicast|scaleout_oversubscription|oversubscription|domains|power_slope|tile_cost|moe_imbalance|moe_capacity|count'
unitless="$unitless|batch|m|n|k|launches|n_idle_experts"
unitless="$unitless|head_size|numbers|in_flight|logit_bytes_live|tail|backward_tail|kv_heads|tokens_per_step|walk_ratio|value"
unitless="$unitless|objective|front|front_within|runs|passes|grouped_passes|grouped_triton_passes|grouped_fixed_passes|grouped_gen_passes|grouped_marlin_passes|grouped_mx_passes|send_pairs"
unitless="$unitless|host_speed|sustained_units|layout_launches|layout_backward_launches|stream_tensors"
unitless="$unitless|pull|tile_rows|moe_unfused_passes|moe_biased_passes|moe_biased_backward_passes|moe_unfused_backward_passes|norm_launches|norm_backward_launches|rope_launches|rope_backward_launches"
# Lengths of requests are counted in tokens; the numbers of a spread are in the unit of their key.
unitless="$unitless|mean|cv|context_cv|kv_handoff_pieces|low|high|points|burstiness|prefix_share|session_share|session_gap|urgent_share|requests|replicas|mean_gpus|p50|p90|p95|p99|quantile|mean_running_batch|mean_waiting"
suffixes='s|w|j|hz|params|frac|factor|doubling|seq|element|gpu|hour|byte|sm|sequence|tokens|logit|token|request'
cat include/orrery.h include/orrery/*.h | sed -e 's/\/\*.*//' | grep -nE '^ +double .*;' | sed -E 's/\[[^]]*\]//g' |
    awk -F: '{sub(/^ *double /, "", $2); n = split($2, names, /[,;] */)
              for (i = 1; i < n; i++) print $1 ": " names[i]}' |
    grep -vE "(_($suffixes)|(^|[ _])(bytes|bits|flops|usd)| ($unitless)|: ranks)$" >"$found"
rule "every physical quantity of orrery.h carries its unit"

awk '/^\{/ {start = FNR}
     /^\}/ {if (start && FNR - start > 60) print FILENAME ":" start ": " FNR - start " lines"; start = 0}' \
    $sources >"$found"
rule "no function is longer than 60 lines"

# The table of measured runs is written by a program, one run per line.
headers=$(ls src/*/*.h | grep -vE 'nearest_table|interval_table') # without the generated tables
wc -l $sources $headers | awk '$1 > 700 && $2 != "total"' >"$found"
rule "no file is longer than 700 lines"

LC_ALL=C.UTF-8 grep -nHE '^.{121,}' $sources $headers cli/*.h server/*.h include/*.h include/orrery/*.h tests/*/*.h >"$found"
rule "no line is longer than 120 columns"

find data validation tests src cli docs -type d -name '*[0-9]*' >"$found" 2>/dev/null
rule "no digits in folder names"
tap_done
