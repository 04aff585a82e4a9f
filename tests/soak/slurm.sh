#!/usr/bin/env bash
# A search and a sweep through Slurm, with controller and node on this machine: slurm.sh BIN_DIR. Needs root, munge and
# the Debian packages slurmctld, slurmd and slurm-client; everything lies in a scratch folder and ends with the script.
set -u
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/tap.sh"
export PATH="$1:$PATH:/usr/sbin" LC_ALL=C
work=$(mktemp -d)
jobs=()
trap 'for job in "${jobs[@]}"; do kill "$job" 2>/dev/null; done; wait 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
chmod 755 "$work"
name="through Slurm: a job array of sweeps, srun of a search, scancel"
for need in slurmctld slurmd srun munged; do
    command -v "$need" >/dev/null || { tap_skip "$name" "no $need" && tap_done && exit 0; }
done
[ "$(id -u)" = 0 ] || { tap_skip "$name" "not root" && tap_done && exit 0; }
skip() { tap_skip "$name" "$1" && tap_done && exit 0; }

host=$(hostname -s)
mkdir -p state spool munge
dd if=/dev/urandom bs=1 count=1024 of=munge/key 2>/dev/null && chmod 700 munge && chmod 400 munge/key
munged --foreground --force --key-file "$work/munge/key" --socket "$work/munge.socket" --pid-file "$work/munge/pid" \
    --log-file "$work/munge/log" --seed-file "$work/munge/seed" >/dev/null 2>&1 &
jobs+=($!)
for _ in $(seq 100); do [ -S munge.socket ] && break || sleep 0.05; done
[ -S munge.socket ] || skip "munge does not start: $(tail -1 munge/log 2>/dev/null)"
cat >slurm.conf <<CONF
ClusterName=soak
SlurmctldHost=$host
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
CryptoType=crypto/munge
SlurmUser=root
SlurmctldPort=$((26000 + $$ % 1000))
SlurmdPort=$((27000 + $$ % 1000))
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/ctld.pid
SlurmdPidFile=$work/d.pid
SlurmctldLogFile=$work/ctld.log
SlurmdLogFile=$work/d.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
JobAcctGatherType=jobacct_gather/none
ReturnToService=2
MpiDefault=none
NodeName=$host CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=10 State=UP OverSubscribe=FORCE:8
CONF
export SLURM_CONF=$work/slurm.conf
slurmctld -D >/dev/null 2>&1 &
jobs+=($!)
slurmd -D -N "$host" >/dev/null 2>&1 &
jobs+=($!)
for _ in $(seq 100); do sinfo -h -o %T 2>/dev/null | grep -q idle && break || sleep 0.2; done
sinfo -h -o %T 2>/dev/null | grep -q idle ||
    skip "no node comes up: $(tail -1 d.log 2>/dev/null | cut -c1-100) $(tail -1 ctld.log 2>/dev/null | cut -c1-100)"

sweep=(sweep train --model llama3.1-8b --system h100-sxm --gpus 64 --global-batch 256 --vary tp=1:8:x2 --vary zero=0,1,3)
content() { grep -v '^# created' "$1"; }
: >report
search=(search train --model llama2-7b --system a100-80g-sxm --gpus 8 --global-batch 64 --csv)
timeout 100 srun -n 1 orrery "${search[@]}" >srun.csv 2>errors || cat errors >>report
cmp srun.csv <(orrery "${search[@]}" 2>/dev/null) >>report 2>&1
printf '#!/bin/sh\norrery %s --threads 1 --out "%s/array-$SLURM_ARRAY_TASK_ID.csv"\n' "${sweep[*]}" "$work" >job.sh
timeout 100 sbatch --wait --array=1-4 -o /dev/null job.sh >/dev/null 2>errors || cat errors >>report
orrery "${sweep[@]}" --out one.csv >/dev/null 2>&1
for i in 1 2 3 4; do content "array-$i.csv" | cmp - <(content one.csv) >>report 2>&1; done
# scancel in the middle, then the same job again.
long=("${sweep[@]}" --vary micro-batch=1,2,3,4 --vary seq=1024:8192:+8)
printf '#!/bin/sh\nexec orrery %s --threads 1 --out "%s/cancelled.csv"\n' "${long[*]}" "$work" >long.sh
id=$(sbatch --parsable -o /dev/null long.sh)
sleep 2
scancel "$id"
sleep 2
timeout 200 sbatch --wait -o /dev/null long.sh >/dev/null 2>errors || cat errors >>report
orrery "${long[@]}" --out whole.csv >/dev/null 2>&1
content cancelled.csv | cmp - <(content whole.csv) >>report 2>&1
if [ -s report ]; then tap_not_ok "$name" report; else tap_ok "$name"; fi
tap_done
