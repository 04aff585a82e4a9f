#!/usr/bin/env bash
# The threads of the server, of searches and of sweeps under the thread sanitizer: run_thread.sh BIN_DIR, a build of
# clang with -Db_sanitize=thread. A race is printed and fails its case.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/tap.sh"
. "$here/serve.sh"
export PATH="$1:$PATH" LC_ALL=C OMP_NUM_THREADS=2
archer=$(ls /usr/lib/llvm-*/lib/libarcher.so 2>/dev/null | tail -1)
export OMP_TOOL_LIBRARIES=$archer TSAN_OPTIONS="ignore_noninstrumented_modules=1 halt_on_error=0 exitcode=66 log_path=stderr"
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
check() { # name, exit status
    grep -A12 'WARNING: ThreadSanitizer' errors >report
    [ "$2" -lt 3 ] || echo "exit status $2" >>report
    if [ -s report ]; then tap_not_ok "$1" report; else tap_ok "$1"; fi
}
orrery search train --model llama2-7b --system h100-sxm --gpus 8..16 --global-batch 64 --threads 4 >/dev/null 2>errors
check "a search by four threads" $?
orrery search infer --model llama3-8b --system h100-sxm --gpus 8 --input 512 --output 64 --threads 4 >/dev/null 2>errors
check "a search of inference plans by four threads" $?
orrery sweep train --model llama2-7b --system h100-sxm --gpus 8 --vary tp=1,2,4,8 --vary seq=1024:4096:+64 --threads 4 --out a.csv \
    >/dev/null 2>errors
check "a sweep by four threads" $?
orrery size --model llama3-8b --system h100-sxm --engine vllm --input 500 --output 50 --rate 4/s --slo 'ttft_s.p99<=1 s' \
    --budget 2 --threads 4 >/dev/null 2>errors
check "a size by four threads" $?
OMP_NUM_THREADS=4 orrery validate "$here/fuzz/seeds/csv/training.csv" "$here/fuzz/seeds/csv/inference.csv" >/dev/null 2>errors
check "measured rows by four threads" $?
OMP_NUM_THREADS=4 orrery fit --engine megatron-core-2025 --with \
    model=llama2-7b,system=h100-sxm,gpus=8,zero=1,seq=4096,global_batch=128 --run micro_batch=1:step_time_s=5.6 \
    --run micro_batch=1,recompute=full:step_time_s=7.2 >/dev/null 2>errors
check "a fit by four threads" $?
OMP_NUM_THREADS=4 orrery fit --few-shot "$here/../validation/training_hf_h200.csv" --draws 2 >/dev/null 2>errors
check "draws of few runs by four threads" $?

start_server orrery serve --port 0 --threads 2 --access-log access.log
infer='{"model":"llama2-70b","system":"h100-sxm","gpus":8,"plan":{"tp":8},"workload":{"batch":4,"input_len":200,"output_len":200}}'
search='{"kind":"train","model":"llama2-7b","system":"a100-80g-sxm","gpus":8,"workload":{"global_batch":64}}'
sweep="{\"request\":$search,\"vary\":[{\"field\":\"workload.seq\",\"values\":\"1024:4096:+64\"}]}"
serving='{"model":"llama3-8b","system":"h100-sxm","traffic":{"rate_per_s":5,"requests":200,"input_len":500,"output_len":50}}'
clients=()
for _ in 1 2 3 4; do
    (for _ in 1 2 3 4 5; do
        curl -sS -d "$infer" "$url/api/v1/infer" "$url/api/v1/infer"
        curl -sSN -d "$search" "$url/api/v1/search"
        curl -sSN -d "$sweep" "$url/api/v1/sweep"
        curl -sSN -m 0.1 -d "$search" "$url/api/v1/search"
        curl -sS -d "$serving" "$url/api/v1/serving"
        curl -sS "$url/metrics" "$url/api/v1/ready" "$url/api/v1/health"
    done) >/dev/null 2>&1 &
    clients+=($!)
done
wait "${clients[@]}"
kill -TERM "$server"
wait "$server"
status=$?
server=
check "the server with searches, sweeps and simulations at once" "$status"
tap_done
