#!/usr/bin/env bash
# MPI ranks that are killed: ranks.sh BIN_DIR [KILLS]. A sweep over several processes loses one of them, each rank in
# turn; the job must end soon, and the same command must complete it to the store of one process. With root and `ip`, each
# process then has a network namespace of its own and they talk over a bridge, as hosts do; a "host" is lost by taking its
# link down.
set -u
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/tap.sh"
export PATH="$1:$PATH" LC_ALL=C
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
kills=${2:-30}
work=$(mktemp -d)
tag=orr$(($$ % 100000))x # of this run: others may go on at the same time
hosts=("${tag}1" "${tag}2" "${tag}3")
bridge=${tag}0
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
    timeout 300 mpirun -n 3 orrery "${sweep[@]}" --out "$store" >/dev/null 2>&1 &
    job=$!
    sleep "0.$((3 + RANDOM % 6))"
    pid=$(rank_pid $((i % 3)))
    [ -z "$pid" ] || kill -9 "$pid" 2>/dev/null
    wait "$job"
    [ $? != 124 ] || echo "kill $i of rank $((i % 3)): the job does not end" >>report
    timeout 600 mpirun -n 2 orrery "${sweep[@]}" --out "$store" >/dev/null 2>&1 || echo "kill $i: not continued" >>report
    content "$store" | cmp - <(content whole.csv) >>report 2>&1
    rm -f "$store"
done
check "$kills ranks killed: the job ends, and the same command completes it"

echo "# $kills ranks killed"

# ---------------------------------------------------------------- hosts in network namespaces
# Each host has a network, a name and a folder for temporary files of its own; they talk over a bridge. The remote shell
# of mpirun enters them. Open MPI notices a host that vanished by the keepalive of its connections, which it leaves at
# minutes; here it is seconds.
network() {
    ip link add "$bridge" type bridge && ip link set "$bridge" up || return 1
    local i=0 host
    for host in "${hosts[@]}"; do
        i=$((i + 1))
        mkdir -p "tmp$i"
        ip netns add "$host" && ip link add "v$host" type veth peer name eth0 netns "$host" &&
            ip link set "v$host" master "$bridge" up && ip -n "$host" addr add "10.99.7.$i/24" dev eth0 &&
            ip -n "$host" link set eth0 up && ip -n "$host" link set lo up || return 1
    done
    cat >rsh <<SH
#!/bin/sh
# rsh ADDRESS COMMAND...: run the command on the host with this address
i=\${1##*.}
shift
exec ip netns exec $tag\$i unshare --uts sh -c "hostname host\$i; export TMPDIR=$work/tmp\$i; cd $work; \$*"
SH
    chmod +x rsh
}
on_hosts() { # seconds, arguments of orrery: over three hosts, from the first of them
    local limit=$1 shell=$work/rsh
    shift
    env -u OMPI_MCA_plm_rsh_agent timeout "$limit" "$shell" 10.99.7.1 mpirun --host 10.99.7.1,10.99.7.2,10.99.7.3 -n 3 \
        --mca plm_rsh_agent "$shell" --mca plm_rsh_no_tree_spawn 1 --mca oob_tcp_keepalive_time 2 \
        --mca oob_tcp_keepalive_intvl 1 --mca oob_tcp_keepalive_probes 3 --mca btl tcp,self \
        --mca btl_tcp_if_include eth0 --mca oob_tcp_if_include eth0 orrery "$*"
}
rank_of() { # host: the process of the sweep in its namespace
    local pid
    for pid in $(ip netns pids "$1" 2>/dev/null); do
        case $(readlink "/proc/$pid/exe" 2>/dev/null) in */orrery-mpi) echo "$pid" && return ;; esac
    done
}
lost="hosts in network namespaces are lost: the job ends, and the same command completes it"
if [ "$(id -u)" != 0 ] || ! command -v ip >/dev/null || ! network 2>why; then
    tap_skip "$lost" "no network namespaces here: $(head -c 80 why 2>/dev/null | tr '\n' ' ')"
    tap_done
    exit
fi
: >report
on_hosts 600 "${sweep[@]}" --out hosts.csv >log 2>&1 || { echo "three hosts: status $?" && tail -5 log; } >>report
content hosts.csv 2>>report | cmp - <(content whole.csv) >>report 2>&1
check "three hosts give the store of one process"
: >report
n_lost=0 n_amid=0
for host in "${hosts[@]:1}" "${hosts[@]:1}"; do
    rm -f host.csv
    on_hosts 600 "${sweep[@]}" --out host.csv >log 2>&1 &
    job=$!
    for _ in $(seq 400); do # until its process works and something is stored
        [ -n "$(rank_of "$host")" ] && [ "$(stat -c %s host.csv 2>/dev/null || echo 0)" -gt 20000 ] && break
        kill -0 "$job" 2>/dev/null || break
        sleep 0.05
    done
    kill -0 "$job" 2>/dev/null && n_amid=$((n_amid + 1))
    begun=$(date +%s)
    ip -n "$host" link set eth0 down
    wait "$job"
    status=$?
    n_lost=$((n_lost + 1))
    took=$(($(date +%s) - begun))
    [ "$status" != 124 ] || echo "$host is lost, and the job does not end: $(tail -2 log)" >>report
    echo "# host ${host#"$tag"} is lost: the job ends with status $status after $took s"
    ip -n "$host" link set eth0 up
    for pid in $(ip netns pids "$host" 2>/dev/null); do kill -9 "$pid" 2>/dev/null; done # what is left on the lost host
    on_hosts 600 "${sweep[@]}" --out host.csv >log 2>&1 || { echo "not continued:" && tail -3 log; } >>report
    content host.csv | cmp - <(content whole.csv) >>report 2>&1
done
[ "$n_amid" -gt 0 ] || echo "every sweep was over before its host was lost" >>report
echo "# $n_lost hosts lost, $n_amid of them amid a sweep"
check "$lost"
tap_done
