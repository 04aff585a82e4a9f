#!/usr/bin/env bash
# The same answers in every locale, through program, library, Python and server: run_locale.sh BIN_DIR PRELOAD LIBRARY
#
# The locales are made in a temporary folder. de_DE and tr_TR have a decimal comma, tr_TR other letters for i and I,
# ar_SA another script, and ps_AF a decimal sign of two bytes. PRELOAD calls setlocale() in programs that do not.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/tap.sh"
. "$here/serve.sh"
bin=$1 preload=$(realpath "$2") library=$(realpath "$3")
export PATH="$bin:$PATH" LC_ALL=C ORRERY_DATADIR="${here%/tests}" OMP_NUM_THREADS=2
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
skip_all() { tap_skip locale "$1"; tap_done; exit 0; }
command -v localedef >/dev/null || skip_all "no localedef"
case $(nm "$bin/orrery" 2>/dev/null) in *__asan_*) skip_all "a program with sanitizers takes no preloaded library" ;; esac
locales=
for name in de_DE tr_TR ar_SA ps_AF; do
    localedef -i "$name" -f UTF-8 "$work/$name.UTF-8" >/dev/null 2>&1
    [ -d "$work/$name.UTF-8" ] && locales="$locales $name.UTF-8"
done
[ -n "$locales" ] || skip_all "localedef has no sources of locales (Debian: the package locales)"
export LOCPATH=$work

# One command per line, every one with numbers in it, read or written.
cat >commands <<'END'
train --model llama2-7b --system h100-sxm --gpus 8 --global-batch 64 --set system.pue_frac=1.25 --json
train --model llama2-7b --system h100-sxm --gpus 8 --explain --what-if --set chip.hbm_bytes_per_s=3.35TB/s
train --model llama2-7b --system h100-sxm --gpus 8 --html -
train --model llama2-7b --system h100-sxm --gpus 8 --trace /dev/stdout
infer --model llama3-8b --system h100-sxm --input 512 --output 64 --prefix-hit 0.5 --json
infer --model llama3-8b --system h100-sxm --input 512 --output 64 --explain
search train --model llama2-7b --system h100-sxm --gpus 8 --global-batch 64 --threads 2 --json --where mfu_frac>=0.2
search infer --model llama3-8b --system h100-sxm --gpus 2 --input 512 --output 64 --threads 2
sweep train --model llama2-7b --system h100-sxm --gpus 8 --global-batch 64 --vary tp=1,2 --vary chip.hbm_bytes_per_s=1.5e12:3.5e12:3
serving --model llama3-8b --system h100-sxm --rate 1.5 --input 256 --output 32 --requests 50 --json
size --model llama3-8b --system h100-sxm --rate 2.5 --input 256 --output 32 --budget 4 --slo ttft_s.p99<=1.5s
sensitivity train --model llama2-7b --system h100-sxm --gpus 8
technology cost generated:node=5,memory=hbm3 --json
technology chip generated:node=5,memory=hbm3
validate SOURCE/validation/layer_times.csv
validate SOURCE/validation/layer_times.csv --json --max-mape 1000.5%
show h100-sxm-80gb
list engines
END
sed -i "s|SOURCE|$ORRERY_DATADIR|" commands

untimed() { # file: how long the program itself took differs from run to run
    sed -i -E 's/in [0-9.,e-]+ m?s( |$)/in T /; s/[0-9.]+ M plans\/s//; s/"(seconds|(evaluations|simulated_requests)_per_s)": ?[^,}]*/T/g' "$1"
}
answers() { # folder, words in front of the program: one file per command
    local i=0 command
    mkdir -p "$1"
    while read -r command; do
        i=$((i + 1))
        # shellcheck disable=SC2086
        (set -f; exec env "${@:2}" orrery $command) >"$1/$i" 2>&1
        printf '\nexit %d\n' $? >>"$1/$i"
        untimed "$1/$i"
    done <commands
}
compare() { # title, two folders
    diff -rq "$2" "$3" >report 2>&1
    if [ -s report ]; then
        diff -r "$2" "$3" | cut -c1-300 | head -20 >>report
        tap_not_ok "$1" report
    else tap_ok "$1"; fi
}

answers plain LC_ALL=C
grep -L '^exit 0$' plain/* >report
if [ -s report ]; then head -3 $(cat report) >>report; tap_not_ok "every command answers" report; else tap_ok "every command answers"; fi
for locale in $locales; do
    answers "set-$locale" LC_ALL="$locale" LD_PRELOAD="$preload"
    compare "program and library in $locale" plain "set-$locale"
done

# ---- Python
cat >ask.py <<'END'
import json, locale, sys
if len(sys.argv) > 1:
    locale.setlocale(locale.LC_ALL, sys.argv[1])
    assert locale.localeconv()["decimal_point"] in (".", ",", "\u066b")
import orrery
for result in (orrery.train("mixtral-8x7b", "h100-sxm", gpus=64, tp=2, ep=8, moe_imbalance=1.25),
               orrery.infer("llama3-8b", "h100-sxm", input_len=512, output_len=64, set={"chip.hbm_bytes_per_s": "3.1 TB/s"})):
    print([(key, result[key]) for key in result.keys()])
    print(result.report())
found = orrery.search("train", "llama2-7b", "h100-sxm", gpus=8, global_batch=64, threads=2)
print([list(plan.items()) for plan in found.best])
for row in orrery.sweep("train", "llama2-7b", "h100-sxm", gpus=8, vary={"chip.hbm_bytes_per_s": "1.5e12:3.5e12:3"}):
    print(row)
END
python=$(command -v python3)
case $(nm -D "$library" 2>/dev/null) in *__asan_*) python= ;; esac
if [ -n "$python" ]; then
    export ORRERY_LIBRARY=$library PYTHONPATH=$here/../python PYTHONDONTWRITEBYTECODE=1 PYTHONIOENCODING=utf-8
    "$python" ask.py >python.plain 2>&1 || : >python.plain # a failure would be the same in every locale
    for locale in $locales; do
        "$python" ask.py "$locale" >python.set 2>&1
        diff python.plain python.set | cut -c1-300 >report
        [ "$(wc -l <python.plain)" -gt 4 ] || tail -1 python.plain >>report
        if [ -s report ]; then tap_not_ok "python in $locale" report; else tap_ok "python in $locale"; fi
    done
else tap_skip python "no python3 that can load the library"; fi

# ---- server
cat >bodies <<'END'
train {"model":"llama2-7b","system":"h100-sxm","gpus":8,"set":{"chip.hbm_bytes_per_s":"3.1 TB/s"}}
infer {"model":"llama3-8b","system":"h100-sxm","workload":{"input_len":512,"output_len":64,"prefix_hit_frac":0.5}}
sweep {"request":{"kind":"train","model":"llama2-7b","system":"h100-sxm","gpus":8},"vary":[{"field":"chip.hbm_bytes_per_s","values":"1.5e12:3.5e12:3"}]}
search {"kind":"train","model":"llama2-7b","system":"h100-sxm","gpus":8,"workload":{"global_batch":64}}
END
serve() { # folder, words in front of the program
    local i=0 route body url=
    mkdir -p "$1"
    start_server env "${@:2}" orrery serve --port 0 --access-log "$1/log" --log-format json
    # In Turkish a capital I is not the other case of i: the names of fields are of HTTP, not of a language.
    curl -sS -H "ORIGIN: http://evil.example" "$url/api/v1/health" >"$1/origin" 2>&1
    curl -sS -H "CONTENT-ENCODING: gzip" --data-binary "{}" "$url/api/v1/infer" >"$1/encoding" 2>&1
    while read -r route body; do
        i=$((i + 1))
        curl -sS --data-binary "$body" "$url/api/v1/$route" 2>&1 | sed '/^event: progress/,/^$/d' >"$1/$i"
        untimed "$1/$i"
    done <bodies
    # Numbers of metrics and log: what they are differs from run to run, how they look does not.
    curl -sS "$url/metrics" 2>&1 | sed 's/ [0-9][0-9]*\(\.[0-9]*\)\?$/ N/; s/ [0-9.]*e[-+][0-9]*$/ N/' >"$1/metrics"
    # A line of the log follows its answer: the last one may not be there yet.
    for ((i = 0; i < 100; i++)); do
        grep -q '"/metrics"' "$1/log" && break
        sleep 0.1
    done
    kill "$server" && wait "$server" 2>/dev/null
    server=
    sed -i -E 's/[0-9]+(\.[0-9]+)?/N/g' "$1/log"
}
if ! command -v curl >/dev/null || orrery serve --port x 2>&1 | grep -q "built without"; then
    tap_skip server "no curl, or built without the server"
else
    serve server-plain LC_ALL=C
    grep -l '"error"' server-plain/[0-9]* >report
    grep -L '"error"' server-plain/origin server-plain/encoding >>report
    if [ -s report ]; then cat $(cat report) >>report; tap_not_ok "every route answers" report; else tap_ok "every route answers"; fi
    for locale in $locales; do
        serve "server-$locale" LC_ALL="$locale" LD_PRELOAD="$preload"
        compare "server in $locale" server-plain "server-$locale"
    done
fi
tap_done
