"""Files of --launch: every option is one that its program documents (options.csv), scripts parse, JSON and YAML load,
and scripts of servers and routers, run with programs that only print their arguments, start what the plan says.

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
PLANS = (["--tp", "2", "--sp"], ["--tp", "2", "--pp", "2", "--vpp", "2"], ["--tp", "2", "--pp", "2", "--vpp", "5"],
         ["--cp", "2", "--zero", "3"], ["--recompute", "full"], ["--recompute", "selective"], ["--zero", "2"])
SERVERS = ("vllm", "sglang", "tensorrt-llm")
JOBS = [
    *[["train", *TRAIN, "--engine", engine, *plan]
      for engine in ("megatron-core-2025", "torchtitan-2025-compiled", "nemo-2025", "generic") for plan in PLANS],
    *[["train", *MOE, "--engine", engine, "--tp", "1", "--pp", "2", "--ep", "8"]
      for engine in ("megatron-core-2025", "torchtitan-2025-eager", "nemo-2025")],
    ["train", *TRAIN, "--engine", "deepspeed-zero3-2024", "--zero", "3"],
    ["train", *TRAIN, "--engine", "deepspeed-zero3-2024", "--zero", "3", "--offload", "optimizer=cpu"],
    ["train", *TRAIN, "--engine", "hf", "--zero", "3"],
    ["train", *TRAIN, "--engine", "hf", "--adapter", "lora:rank=16"],
    *[["infer", *SERVE, "--engine", engine, *plan] for engine in SERVERS
      for plan in (["--tp", "4"], ["--tp", "2", "--batch", "64", "--kv-precision", "fp8"], ["--chunk-tokens", "512"])],
    *[["infer", *EXPERTS, "--engine", engine, "--tp", "8", "--ep", "16"] for engine in SERVERS],
    *[["infer", *EXPERTS, "--engine", engine, "--tp", "16"] for engine in SERVERS],
    *[["search", "infer", *SERVE, "--engine", engine, "--disaggregated"] for engine in SERVERS],
    ["search", "train", *TRAIN, "--engine", "megatron-core-2025"],
    ["size", "--model", "llama3-8b", "--system", "h100-sxm", "--engine", "vllm", "--input", "1000", "--output", "100",
     "--rate", "2/s", "--slo", "ttft.p99<1 s", "--budget", "2 GPUs"],
]
PROGRAMS = {"megatron.sh": "megatron", "torchtitan.sh": "torchtitan", "bridge.sh": "bridge", "vllm.sh": "vllm",
            "sglang.sh": "sglang", "tensorrt_llm.sh": "tensorrt-llm", "accelerate.sh": "accelerate",
            "deepspeed.sh": "deepspeed", "deepspeed.json": "deepspeed", "accelerate.yaml": "accelerate",
            "slurm.sbatch": "slurm", "tensorrt_llm.yaml": "tensorrt-llm", "router-vllm.sh": "vllm-router",
            "router-sglang.sh": "sglang-router", "router-tensorrt_llm.sh": "tensorrt-llm-router"}


def options_of(name, text):
    """The options of a file: flags, overrides A.B=, keys of JSON and YAML, also of YAML inside a script."""
    text = "\n".join(line for line in text.splitlines() if not line.startswith("# "))
    if name.endswith(".json"):
        return set(re.findall(r'"(\w+)":', text))
    if name.endswith(".yaml"):
        return set(re.findall(r"^ *(\w+):", text, re.M))
    inside = re.search(r"<<END\n(.*)\nEND\n", text, re.S)
    text = re.sub(r"'\{.*?\}'", "", text)
    found = set(re.findall(r"(?<![\w$:-])(--[\w.-]+)", text)) | set(re.findall(r"^ +(\w+\.\w+)=", text, re.M))
    return found | (options_of(".yaml", inside[1]) if inside else set())


def documented():
    allowed = {}
    with open(os.path.join(HERE, "options.csv"), encoding="utf-8") as file:
        for row in csv.DictReader(file):
            allowed.setdefault(row["program"], set()).add(row["option"])
    return allowed


def loads(text):
    """Whether a YAML file loads; without the module nothing can be said."""
    try:
        import yaml
    except ImportError:
        return True
    try:
        return all(isinstance(part, dict) for part in yaml.safe_load_all(text))
    except yaml.YAMLError:
        return False


def check_files(program, allowed):
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
                with open(path, encoding="utf-8") as opened:
                    text = opened.read()
                if name.endswith((".sh", ".sbatch")) and subprocess.run(["bash", "-n", path], check=False).returncode:
                    failures.append((job, file, "does not parse"))
                if name.endswith(".json"):
                    json.loads(text)
                if name.endswith(".yaml") and not loads(text):
                    failures.append((job, file, "does not load"))
                owner = PROGRAMS.get(name)
                for option in options_of(name, text) if owner else ():
                    if option not in allowed.get(owner, set()) | allowed["torchrun"]:
                        failures.append((owner, option, "is not documented", job))
    return failures, n_files, kinds


# ---------------------------------------------------------------- scripts that run

STUBS = ("vllm", "python3", "trtllm-serve", "trtllm-llmapi-launch")


def run_script(program, job, script, **environment):
    """What a script starts, one line for each program: its CUDA devices and its arguments. Also the files it left."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, *job, "--launch", folder], capture_output=True, check=False)
        for stub in STUBS:
            path = os.path.join(folder, stub)
            with open(path, "w", encoding="utf-8") as file:
                file.write(f'#!/bin/sh\necho "${{CUDA_VISIBLE_DEVICES:-all}} {stub} $*"\n')
            os.chmod(path, 0o755)
        path = f"{folder}:{os.environ['PATH']}"
        done = subprocess.run(["bash", script], cwd=folder, env={"PATH": path, **environment}, capture_output=True,
                              text=True, check=False)
        left = {name: open(os.path.join(folder, name), encoding="utf-8").read()
                for name in os.listdir(folder) if name.startswith("router-tensorrt_llm.y")}
        return sorted(done.stdout.splitlines()), left, done


SPLIT = ["search", "infer", "--model", "llama3.1-70b", "--system", "h100-sxm", "--input", "2000", "--output", "200",
         "--disaggregated", "--gpus", "8", "--tp", "2", "--pp", "1", "--engine"]
WIDE = ["infer", *EXPERTS, "--tp", "1", "--ep", "16", "--engine"]
POOLS = {"PREFILL": "a:8100 a:8101", "DECODE": "b:8200"}


def check_runs(program):
    """What scripts start, told from the stacks' documentation."""
    failures = []

    def expect(what, told, words):
        lines, left, done = told
        text = "\n".join(lines + list(left.values()))
        failures.extend((what, word, text, done.stderr) for word in words if word not in text)

    # 4 replicas of one GPU: one server each, with its own port and device.
    alone = ["infer", "--model", "llama3-8b", "--system", "h100-sxm", "--gpus", "4", "--tp", "1", "--dp", "4",
             "--input", "1000", "--output", "100"]
    expect("replicas", run_script(program, [*alone, "--engine", "tensorrt-llm"], "tensorrt_llm.sh"),
           [f"{i} trtllm-serve meta-llama/Meta-Llama-3-8B --host 0.0.0.0 --port {8000 + i} " for i in range(4)])
    expect("both nodes", run_script(program, [*WIDE, "vllm"], "vllm.sh", NODE_RANK="1", MASTER_ADDR="m"),
           ["--data-parallel-size-local 8 --data-parallel-start-rank 8", "--data-parallel-address m", "--headless"])
    expect("head node", run_script(program, [*WIDE, "sglang"], "sglang.sh", NODE_RANK="0", MASTER_ADDR="m"),
           ["--nnodes 2 --node-rank 0 --dist-init-addr m:5000", "--tp-size 16", "--enable-dp-attention --dp-size 16"])
    expect("MPI", run_script(program, [*WIDE, "tensorrt-llm"], "tensorrt_llm.sh"),
           ["trtllm-llmapi-launch trtllm-serve", "--tp_size 16", "--enable_attention_dp"])
    expect("producer", run_script(program, [*SPLIT, "vllm"], "prefill-vllm.sh"), ['"kv_role":"kv_producer"'])
    expect("consumer", run_script(program, [*SPLIT, "vllm"], "decode-vllm.sh"), ['"kv_role":"kv_consumer"'])
    expect("vLLM's proxy", run_script(program, [*SPLIT, "vllm"], "router-vllm.sh", VLLM="/v", **POOLS),
           ["python3 /v/tests/v1/kv_connector/nixl_integration/toy_proxy_server.py --host 0.0.0.0 --port 8000 "
            "--prefiller-hosts a a --prefiller-ports 8100 8101 --decoder-hosts b --decoder-ports 8200"])
    expect("SGLang's router", run_script(program, [*SPLIT, "sglang"], "router-sglang.sh", **POOLS),
           ["python3 -m sglang_router.launch_router --pd-disaggregation --prefill http://a:8100 8998 --prefill "
            "http://a:8101 8999 --decode http://b:8200 --host 0.0.0.0 --port 8000"])
    expect("TensorRT-LLM's router", run_script(program, [*SPLIT, "tensorrt-llm"], "router-tensorrt_llm.sh", **POOLS),
           ["trtllm-serve disaggregated -c router-tensorrt_llm.yaml", "hostname: 0.0.0.0\nport: 8000\n",
            'context_servers:\n  num_instances: 2\n  urls:\n    - "a:8100"\n    - "a:8101"\n',
            'generation_servers:\n  num_instances: 1\n  urls:\n    - "b:8200"\n'])
    done = run_script(program, [*SPLIT, "sglang"], "router-sglang.sh")[2]
    if done.returncode == 0 or "host:port of the prefill servers" not in done.stderr:
        failures.append(("a router without addresses", done.stderr))
    return failures


def main():
    program = os.path.abspath(sys.argv[1])
    failures, n_files, kinds = check_files(program, documented())
    print(f"{'not ok' if failures else 'ok'} 1 - {n_files} files of {len(JOBS)} plans have documented options and parse")
    missing = sorted(set(PROGRAMS) - kinds)
    print(f"{'not ok' if missing else 'ok'} 2 - every kind of file is made")
    wrong = check_runs(program)
    print(f"{'not ok' if wrong else 'ok'} 3 - scripts start the servers and routers of the plan")
    for failure in failures[:20] + missing + wrong[:20]:
        print("#", failure)
    print("1..3")


main()
