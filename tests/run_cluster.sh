#!/usr/bin/env bash
# One, two and four processes under mpirun give the same answers, byte for byte: run_cluster.sh BIN_DIR
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/tap.sh"
export PATH="$1:$PATH" LC_ALL=C
# The test may run as root in a container, without a remote shell, and with more processes than cores.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_plm_rsh_agent=true
export ASAN_OPTIONS=detect_leaks=0 # Memory that MPI keeps is not a leak of orrery.
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

if [ ! -x "$1/orrery-mpi" ] || ! command -v mpirun >/dev/null; then
    tap_skip "several processes" "no MPI here"
    tap_done
    exit
fi

check() { # name; the report, if not empty, says what is wrong
    if [ -s "$work/report" ]; then tap_not_ok "$1" "$work/report"; else tap_ok "$1"; fi
}
same() { # name, file, file
    cmp "$2" "$3" >"$work/report" 2>&1
    check "$1"
}
ranks() { # processes, arguments of orrery
    local n=$1
    shift
    mpirun -n "$n" orrery "$@" --threads 1
}

search=(search train --model llama2-7b --system a100-80g-sxm --gpus 8..32 --global-batch 64 --engine megatron-core-2025)
for format in csv json terminal; do
    flag=(--$format)
    [ $format = terminal ] && flag=(--width 100)
    orrery "${search[@]}" "${flag[@]}" | grep -v -e '"seconds"' -e '"evaluations_per_s"' >one
    for n in 1 2 4; do
        ranks $n "${search[@]}" "${flag[@]}" | grep -v -e '"seconds"' -e '"evaluations_per_s"' >many
        same "search, $format, $n processes" many one
    done
done
orrery search infer --model llama3-8b --system h100-sxm --gpus 8 --input 512 --output 64 --disaggregated --csv >one
ranks 2 search infer --model llama3-8b --system h100-sxm --gpus 8 --input 512 --output 64 --disaggregated --csv >many
same "search of inference plans, 2 processes" many one

sweep=(sweep train --model llama3.1-8b --system h100-sxm --gpus 64 --global-batch 256 --vary tp=1:8:x2
    --vary micro-batch=1,2,3,4 --vary zero=0,1,3)
short=("${sweep[@]}" --vary seq=1024:8192:+256)
long=("${sweep[@]}" --vary seq=1024:8192:+4)
content() { grep -v '^# created' "$1"; }
orrery "${short[@]}" --out one.csv >/dev/null
for n in 1 2 4; do
    ranks $n "${short[@]}" --out "many$n.csv" >/dev/null 2>&1
    content "many$n.csv" | cmp - <(content one.csv) >"$work/report" 2>&1
    check "sweep, $n processes"
done

# The pid of the process with this rank in the job that mpirun started.
pid_of() { # rank
    local file
    for file in /proc/[0-9]*/environ; do
        { tr '\0' '\n' <"$file" | grep -x -e "OMPI_COMM_WORLD_RANK=$1" -e "PWD=$work" | wc -l; } 2>/dev/null |
            grep -qx 2 && basename "$(dirname "$file")" && return
    done
}

# A process that dies ends the job, and a later run continues from what is stored.
mpirun -n 2 orrery "${long[@]}" --threads 1 --out killed.csv >/dev/null 2>errors &
job=$!
size() { stat -c %s "$1" 2>/dev/null || echo 0; }
victim=
while kill -0 $job 2>/dev/null && [ -z "$victim" ]; do victim=$(pid_of 1); done
while kill -0 $job 2>/dev/null && [ "$(size killed.csv)" -lt 20000 ]; do sleep 0.02; done
[ -n "$victim" ] && kill -KILL "$victim" 2>/dev/null
wait $job
status=$?
stored=$(grep -c '^[0-9]' killed.csv)
{
    [ -n "$victim" ] || echo "the second process was not found"
    [ $status != 0 ] || echo "the job ended as if nothing had happened"
    grep -q -i -e signal -e killed errors || { echo "no clear error:"; head -5 errors; }
} >"$work/report"
check "a killed process ends the job with an error"
ranks 2 "${long[@]}" --out killed.csv >/dev/null 2>&1
orrery "${long[@]}" --out whole.csv >/dev/null
content killed.csv | cmp - <(content whole.csv) >"$work/report" 2>&1
[ "$stored" -gt 0 ] || echo "nothing had been stored" >>"$work/report"
check "what it had stored is carried on"

mpirun -n 2 orrery sweep train --vary tpx=1 >/dev/null 2>errors
status=$?
{
    [ $status = 2 ] || echo "exit status $status"
    [ "$(grep -c '^orrery: ' errors)" = 1 ] || cat errors
} >"$work/report"
check "bad input is said once"

# A request that one process cannot read ends all of them.
echo '{"kind":"train","model":"llama2-7b","system":"a100-80g-sxm","gpus":8,"workload":{"global_batch":8}}' >request.json
for command in "search train" "sweep train --vary tp=1,2"; do
    timeout 60 mpirun -n 2 orrery $command --request - <request.json >/dev/null 2>errors
    status=$?
    {
        [ $status = 2 ] || echo "exit status $status"
        grep -q '^orrery: rank 1 could not do its part' errors || cat errors
    } >"$work/report"
    check "${command%% *}: a request of the first process alone is refused"
done

# A search that is told to end reports what it has found. A signal before the search has begun ends the process, so the
# test waits longer and tries again.
for pause in 1 2 4 8; do
    mpirun -n 2 orrery search train --model deepseek-v3 --system h800-sxm --gpus 2048 --global-batch 15360 --threads 1 \
        --engine megatron-core-2026 >stopped 2>errors &
    job=$!
    victim=
    while kill -0 $job 2>/dev/null && [ -z "$victim" ]; do
        sleep 0.2
        victim=$(pid_of 1)
    done
    sleep $pause
    [ -n "$victim" ] && kill -INT "$victim" 2>/dev/null
    wait $job
    status=$?
    [ $status = 130 ] || break
done
{
    [ $status = 1 ] || echo "exit status $status"
    grep -q 'stopped early: the best so far' stopped || echo "not said to be incomplete"
    grep -q '^winner' stopped || echo "no winner"
} >"$work/report"
check "one interrupted process stops the search, which shows the best so far"
tap_done
