#!/usr/bin/env bash
# What --json prints is one JSON value and ends its last line, for every command that has the option: run_json.sh BIN_DIR
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/tap.sh"
export PATH="$1:$PATH" LC_ALL=C ORRERY_DATADIR="${here%/tests}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
train='--model llama2-7b --system h100-sxm --gpus 8'
load='--model llama3-8b --system h100-sxm --rate 2 --input 256 --output 32'
run='model=llama2-7b,system=h100-sxm,gpus=8,zero=1,seq=4096,micro_batch=1,global_batch=128:step_time_s=5.6'
validated=$ORRERY_DATADIR/validation/layer_times.csv
commands=(
    "train $train"
    "infer --model llama3-8b --system h100-sxm --input 256 --output 32"
    "size $load --budget 2 --slo ttft_s.p99<=2s"
    "serving $load --requests 50"
    "search train $train --global-batch 8"
    "compare train h100-sxm a100-80g-sxm --model llama2-7b --gpus 8"
    "validate $validated"
    "validate $validated --ablation"
    "validate $validated --unseen"
    "fit --engine megatron-core-2025 --run $run"
    "calibrate $ORRERY_DATADIR/validation/kernels/unaligned --chip h200-sxm-141gb"
    "technology chip generated:node=5,memory=hbm3"
    "technology nodes generated:node=5,memory=hbm3"
    "technology cost generated:node=5,memory=hbm3"
    "sensitivity train $train"
    "list"
    "list models"
    "list engines"
    "show systems/h100-sxm"
    "show models/llama3-8b"
)
for command in "${commands[@]}"; do
    # shellcheck disable=SC2086
    orrery $command --json >out 2>errors
    status=$?
    {
        [ "$status" -lt 2 ] || { echo "exit status $status" && cat errors; }
        python3 -c 'import json, sys
text = open("out").read()
json.loads(text)
if not text.endswith("\n"): print("the last line does not end")
if text.endswith("\n\n"): print("an empty line at the end")' 2>&1 | tail -1
    } >report
    if [ -s report ]; then tap_not_ok "orrery $command --json" report; else tap_ok "orrery $command --json"; fi
done
# A command that gets the option later must come into the list.
for name in $(orrery help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    orrery help "$name" 2>/dev/null | grep -q -e '--json' || continue
    printf '%s\n' "${commands[@]}" | grep -q "^$name\b" || echo "$name"
done >report
if [ -s report ]; then tap_not_ok "every command with --json is tried" report; else tap_ok "every command with --json is tried"; fi
tap_done
