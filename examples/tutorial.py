"""Twenty minutes with Orrery in Python: a training plan, a service, a chip. CI runs this script.

    PYTHONPATH=python python3 examples/tutorial.py
"""

import orrery

# %% One training step. Keys of the plan and the workload are keyword arguments.
step = orrery.train("llama3.1-8b", "h100-sxm", gpus=8, engine="megatron-core-2025", tp=2, global_batch=64, seq=8192)
low, high = step.interval_s
print(f"step {step.step_time_s:.2f} s, 80 % between {low:.2f} and {high:.2f} s, MFU {step.mfu_frac:.1%}")
print(f"memory {step['memory_bytes.total'] / 2**30:.1f} GiB of a GPU, held back by {step['bottleneck']}")
assert low < step.step_time_s < high

# %% Where the time goes. The parts add up to the step.
parts = {name: seconds for name, seconds in step.time_s.items() if seconds > 0}
for name, seconds in sorted(parts.items(), key=lambda item: -item[1]):
    print(f"  {name:12} {seconds:8.3f} s")
assert abs(sum(parts.values()) - step.step_time_s) < 1e-9 * step.step_time_s

# %% Which plan is best? Every valid plan is looked at.
plans = orrery.search("train", "llama3.1-8b", "h100-sxm", gpus=8, engine="megatron-core-2025", global_batch=64, seq=8192)
best = plans.best[0]
print("best plan:", {key: best[f"plan.{key}"] for key in ("tp", "pp", "dp", "zero")}, f"{best['step_time_s']:.2f} s")
assert best["step_time_s"] <= step.step_time_s * 1.0001

# %% What changes with another chip, part by part?
job = {"kind": "train", "model": "llama3.1-8b", "system": "h100-sxm", "gpus": 8}
both = orrery.compare(job, {**job, "system": "b200-sxm"}, names=["H100", "B200"])
print(both["why"][1])

# %% A service under load: what do users see, and how many GPUs does it take?
traffic = {"rate_per_s": 10, "requests": 2000, "input_len": 1000, "output_len": "200~0.5"}
service = orrery.serving("llama3.1-8b", "h100-sxm", engine="vllm", traffic=traffic)
print(f"first token p99 {service['ttft_s']['p99'] * 1e3:.0f} ms, next tokens p95 {service['tpot_s']['p95'] * 1e3:.1f} ms")
size = orrery.size("llama3.1-8b", ["h100-sxm", "a100-80g-sxm"], engine="vllm", budget="8 GPUs",
                   slo=["ttft_s.p99<=1 s", "tpot_s.p95<=40 ms"],
                   traffic={"rate_per_s": 10, "input_len": 1000, "output_len": "200~0.5"})
best = size["best"]
print(f"size: {best['gpus']} x {best['system']}, ${best['usd_per_hour']:.2f} an hour")
assert all(limit["met"] for limit in best["slo"])

# %% A sweep is a table; pandas is optional.
table = orrery.sweep("train", "llama3.1-8b", "h100-sxm", gpus=8, global_batch=64, vary={"tp": [1, 2, 4, 8]})
for row in table:
    print(f"  tp {row['tp']}: {row['step_time_s']:.2f} s")
assert len(table) == 4
