"""Every number against the program."""
import json
import subprocess

from .decode import Decode
from .step import Step
from .step_page import unique

TOLERANCE = 1e-9
TRAIN = ["train", "--model", "llama2-7b", "--system", "a100-80g-sxm", "--gpus", "8", "--tp", "2", "--pp", "2",
         "--micro-batch", "1", "--global-batch", "64", "--engine", "megatron-core-2024"]
DECODE = ["infer", "--model", "llama3-8b", "--system", "h100-sxm", "--tp", "1", "--batch", "16", "--input", "1024",
          "--output", "2", "--engine", "vllm"]


def ask(arguments):
    text = subprocess.run(["orrery", *arguments], check=True, capture_output=True, text=True).stdout
    return json.loads(text)


class Tap:
    def __init__(self):
        self.n = self.failed = 0

    def near(self, name, ours, theirs):
        self.n += 1
        good = abs(ours - theirs) <= TOLERANCE * max(abs(ours), abs(theirs))
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.n} - {name}")
        if not good:
            print(f"# by hand {ours!r}, orrery {theirs!r}")


def compare_ops(tap, job, ops, costs, listed):
    """Check that the program has every operator of this script, with the same time, levels and work."""
    for op in unique(ops):
        cost = next(c for c in costs if c["name"] == op.name and c["phase"] == op.phase)
        given = next(o for o in listed if o["name"] == op.name and o["phase"] == op.phase)
        total = op.network if op.network else op.seconds()
        tap.near(f"{job}: {op.name} {op.phase}, seconds", total, cost["total_s"])
        if op.network:
            tap.near(f"{job}: {op.name} {op.phase}, hidden", op.hidden, cost["hidden_s"])
            continue
        tap.near(f"{job}: {op.name} {op.phase}, DRAM bytes", op.dram_bytes, cost["dram_bytes"])
        tap.near(f"{job}: {op.name} {op.phase}, DRAM", op.dram, cost["dram_s"])
        tap.near(f"{job}: {op.name} {op.phase}, FLOP", op.flops, given.get("flops", 0))
        if hasattr(op, "tile"):
            tap.near(f"{job}: {op.name} {op.phase}, compute", op.compute, cost["compute_s"])
            tap.near(f"{job}: {op.name} {op.phase}, L2", op.l2, cost["l2_s"])
            tap.near(f"{job}: {op.name} {op.phase}, tile", int(op.tile.split("x")[0]), cost["tile_m"])
            tap.near(f"{job}: {op.name} {op.phase}, split", op.split, cost["split_k"])


def check():
    tap = Tap()
    x, result = Step(), ask([*TRAIN, "--json"])
    step = [*x.optimizer, x.scatter, x.gather]
    compare_ops(tap, "step", x.layer + x.embedding + x.ends + step, ask([*TRAIN, "--dump", "costs"]),
                ask([*TRAIN, "--dump", "ops"]))
    for name, value in result["time_s"].items():
        tap.near(f"step: {name}", x.time.get(name, 0), value)
    for name, value in (("step_time_s", x.total), ("model_flops", x.model_flops), ("mfu_frac", x.mfu),
                        ("executed_flops", x.flops * x.gpus), ("matrix_frac", x.share), ("matrix_share_frac", x.load),
                        ("power_w_per_gpu", x.power), ("energy_j", x.energy), ("cost_usd", x.cost),
                        ("tokens_per_s", x.batch * x.s / x.total), ("n_micro_batches", x.m)):
        tap.near(f"step: {name}", value, result[name])
    y, result = Decode(), ask([*DECODE, "--json"])
    mine = [*y.products, y.logits, y.attention, y.pointwise, y.embedding]
    costs, listed = ([op for op in ask([*DECODE, "--dump", what]) if op["phase"] == "decode"] for what in ("costs", "ops"))
    compare_ops(tap, "decode", mine, costs, listed)
    for name, value in y.time.items():
        tap.near(f"decode: {name}", value, result["time_s"][name])
    tap.near("decode: tpot_s", y.total, result["tpot_s"])
    least = sum(o.get("bytes", 0) * c["runs"] for o, c in zip(listed, costs) if o["name"] not in ("pointwise", "embedding"))
    tap.near("decode: bytes of the bound", y.bytes, least)
    print(f"1..{tap.n}")
    return 1 if tap.failed else 0
