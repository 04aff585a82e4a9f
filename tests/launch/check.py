"""Files of --launch: every option is one that its program documents (options.csv), scripts parse, JSON and YAML load.

usage: check.py ORRERY
"""
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TRAIN = ["--model", "llama3-8b", "--system", "h100-sxm", "--gpus", "16", "--global-batch", "64"]
MOE = ["--model", "mixtral-8x7b", "--system", "h100-sxm", "--gpus", "16", "--global-batch", "64"]
SERVE = ["--model", "llama3-8b", "--system", "h100-sxm", "--gpus", "8", "--input", "1000", "--output", "100"]
EXPERTS = ["--model", "deepseek-v3", "--system", "h200-sxm", "--gpus", "16", "--input", "1000", "--output", "100"]
JOBS = [
    *[["train", *TRAIN, "--engine", engine, *plan]
      for engine in ("megatron-core-2025", "torchtitan-2025-compiled", "nemo-2025", "generic")
      for plan in (["--tp", "2", "--sp"], ["--tp", "2", "--pp", "2", "--vpp", "2"], ["--tp", "2", "--pp", "2", "--vpp", "5"], ["--cp", "2", "--zero", "3"],
                   ["--recompute", "full"], ["--recompute", "selective"], ["--zero", "2"])],
    *[["train", *MOE, "--engine", engine, "--tp", "1", "--pp", "2", "--ep", "8"]
      for engine in ("megatron-core-2025", "torchtitan-2025-eager", "nemo-2025")],
    ["train", *TRAIN, "--engine", "deepspeed-zero3-2024", "--zero", "3"],
    ["train", *TRAIN, "--engine", "deepspeed-zero3-2024", "--zero", "3", "--offload", "optimizer=cpu"],
    ["train", *TRAIN, "--engine", "hf", "--zero", "3"],
    ["train", *TRAIN, "--engine", "hf", "--adapter", "lora:rank=16"],
    *[["infer", *SERVE, "--engine", engine, *plan]
      for engine in ("vllm", "sglang", "tensorrt-llm")
      for plan in (["--tp", "4"], ["--tp", "2", "--batch", "64", "--kv-precision", "fp8"], ["--chunk-tokens", "512"])],
    *[["infer", *EXPERTS, "--engine", engine, "--tp", "8", "--ep", "16"] for engine in ("vllm", "sglang", "tensorrt-llm")],
    ["search", "infer", *SERVE, "--engine", "vllm", "--disaggregated"],
    ["search", "infer", *SERVE, "--engine", "sglang", "--disaggregated"],
    ["search", "train", *TRAIN, "--engine", "megatron-core-2025"],
]
PROGRAMS = {"megatron.sh": "megatron", "torchtitan.sh": "torchtitan", "bridge.sh": "bridge", "vllm.sh": "vllm",
            "sglang.sh": "sglang", "tensorrt_llm.sh": "tensorrt-llm", "accelerate.sh": "accelerate",
            "deepspeed.sh": "deepspeed", "deepspeed.json": "deepspeed", "accelerate.yaml": "accelerate",
            "slurm.sbatch": "slurm"}


def options_of(name, text):
    """The options of a file: flags, overrides A.B=, keys of JSON and YAML."""
    text = "\n".join(line for line in text.splitlines() if not line.startswith("# "))
    if name.endswith(".json"):
        return set(re.findall(r'"(\w+)":', text))
    if name.endswith(".yaml"):
        return set(re.findall(r"^ *(\w+):", text, re.M))
    text = re.sub(r"'\{.*?\}'", "", text)
    return set(re.findall(r"(?<![\w$:-])(--[\w.-]+)", text)) | set(re.findall(r"^ +(\w+\.\w+)=", text, re.M))


def documented():
    allowed = {}
    with open(os.path.join(HERE, "options.csv"), encoding="utf-8") as file:
        for row in csv.DictReader(file):
            allowed.setdefault(row["program"], set()).add(row["option"])
    return allowed


def main():
    program, allowed, used = sys.argv[1], documented(), {}
    failures, n_files, kinds = [], 0, set()
    for job in JOBS:
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([program, *job, "--launch", folder], capture_output=True, text=True, check=False)
            if done.returncode == 2 or not os.listdir(folder):
                failures.append((job, done.stderr))
            for file in sorted(os.listdir(folder)):
                n_files += 1
                name = re.sub(r"^(prefill|decode)-", "", file)
                kinds.add(name)
                path = os.path.join(folder, file)
                text = open(path, encoding="utf-8").read()
                if name.endswith((".sh", ".sbatch")) and subprocess.run(["bash", "-n", path], check=False).returncode:
                    failures.append((job, file, "does not parse"))
                if name.endswith(".json"):
                    json.loads(text)
                owner = PROGRAMS.get(name)
                for option in options_of(name, text) if owner else ():
                    used.setdefault(owner, set()).add(option)
                    if option not in allowed.get(owner, set()) | allowed["torchrun"]:
                        failures.append((owner, option, "is not documented", job))
    print(f"{'not ok' if failures else 'ok'} 1 - {n_files} files of {len(JOBS)} plans have documented options and parse")
    for failure in failures[:20]:
        print("#", failure)
    missing = sorted(set(PROGRAMS) - kinds)
    print(f"{'not ok' if missing else 'ok'} 2 - every kind of file is made")
    for name in missing:
        print("#", name)
    print("1..2")
    if "--print" in sys.argv:
        for owner, options in sorted(used.items()):
            for option in sorted(options):
                print(f"{owner},{option},", file=sys.stderr)


main()
