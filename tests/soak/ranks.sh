#!/usr/bin/env bash
# MPI ranks that are killed: ranks.sh BIN_DIR [KILLS]. A sweep over several processes loses one of them, each rank in
# turn; the job must end soon, and the same command must complete it to the store of one process. With NAMESPACES=1, root
# and `ip`, each process has a network namespace of its own and they talk over a bridge, as hosts do; a "host" is lost by
# taking its link down.
set -u
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/tap.sh"
export PATH="$1:$PATH" LC_ALL=C
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
kills=${2:-30}
work=$(mktemp -d)
hosts=(orrsoak1 orrsoak2 orrsoak3)
bridge=orrsoak0
clean() {
    for host in "${hosts[@]}"; do ip netns del "$host" 2>/dev/null; done
    ip link del "$bridge" 2>/dev/null
    rm -rf "$work"
}
trap clean EXIT
cd "$work" || exit 1
[ -x "$1/orrery-mpi" ] && command -v mpirun >/dev/null || { tap_skip "ranks" "no MPI here" && tap_done && exit 0; }
sweep=(sweep train --model llama3.1-8b --system h100-sxm --gpus 64 --global-batch 256 --vary tp=1:8:x2
    --vary micro-batch=1,2,3,4 --vary zero=0,1,3 --vary seq=1024:8192:+8 --threads 1)
content() { grep -v '^# created' "$1"; }
orrery "${sweep[@]}" --out whole.csv >/dev/null 2>&1

check() { if [ -s report ]; then tap_not_ok "$1" report; else tap_ok "$1"; fi; }
rank_pid() { # rank: the process of this job with that rank
    local pid
    for pid in $(pgrep -f "orrery-mpi sweep|orrery sweep"); do
        tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | grep -qx "OMPI_COMM_WORLD_RANK=$1" &&
            tr '\0' '\n' <"/proc/$pid/environ" | grep -qx "PWD=$work" && echo "$pid" && return
    done
}
: >report
export OMPI_MCA_plm_rsh_agent=true
for i in $(seq "$kills"); do
    store=part$i.csv
    timeout 60 mpirun -n 3 orrery "${sweep[@]}" --out "$store" >/dev/null 2>&1 &
    job=$!
    sleep "0.$((3 + RANDOM % 6))"
    pid=$(rank_pid $((i % 3)))
    [ -z "$pid" ] || kill -9 "$pid" 2>/dev/null
    wait "$job"
    [ $? != 124 ] || echo "kill $i of rank $((i % 3)): the job does not end" >>report
    timeout 120 mpirun -n 2 orrery "${sweep[@]}" --out "$store" >/dev/null 2>&1 || echo "kill $i: not continued" >>report
    content "$store" | cmp - <(content whole.csv) >>report 2>&1
    rm -f "$store"
done
check "$kills ranks killed: the job ends, and the same command completes it"

network() {
    ip link add "$bridge" type bridge && ip link set "$bridge" up && ip addr add 10.99.7.254/24 dev "$bridge" || return 1
    local i=0 host
    for host in "${hosts[@]}"; do
        i=$((i + 1))
        ip netns add "$host" && ip link add "v$host" type veth peer name eth0 netns "$host" &&
            ip link set "v$host" master "$bridge" up && ip -n "$host" addr add "10.99.7.$i/24" dev eth0 &&
            ip -n "$host" link set eth0 up && ip -n "$host" link set lo up || return 1
    done
}
lost="a host in a network namespace is lost: the job ends, and the same command completes it"
if [ -z "${NAMESPACES-}" ]; then
    tap_skip "$lost" "NAMESPACES=1 asks for it"
elif [ "$(id -u)" != 0 ] || ! command -v ip >/dev/null || ! network 2>why; then
    tap_skip "$lost" "no network namespaces here: $(head -c 80 why 2>/dev/null | tr '\n' ' ')"
else
    # The remote shell of mpirun enters the namespace of the host.
    printf '#!/bin/sh\nhost=$1\nshift\nexec ip netns exec "$host" sh -c "$*"\n' >rsh && chmod +x rsh
    : >report
    for host in "${hosts[@]:1}"; do
        OMPI_MCA_plm_rsh_agent=$work/rsh timeout 40 ip netns exec orrsoak1 mpirun --host orrsoak1,orrsoak2,orrsoak3 -n 3 \
            --mca plm_rsh_no_tree_spawn 1 orrery "${sweep[@]}" --out host.csv >/dev/null 2>&1 &
        job=$!
        sleep 2
        ip -n "$host" link set eth0 down
        wait "$job"
        [ $? != 124 ] || echo "$host is lost, and the job does not end" >>report
        ip -n "$host" link set eth0 up
        OMPI_MCA_plm_rsh_agent=true timeout 120 mpirun -n 2 orrery "${sweep[@]}" --out host.csv >/dev/null 2>&1
        content host.csv | cmp - <(content whole.csv) >>report 2>&1
        rm -f host.csv
    done
    check "$lost"
fi
tap_done
