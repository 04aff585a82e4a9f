#!/usr/bin/env python3
"""Tables of docs/accuracy.md that no single command prints: figures.py fits|bars|sources

fits     rows and errors each group of constants was fitted with, as data/calibration records them
bars     errors of the rows a bar was set for; reads `orrery validate --csv`
sources  errors of the rows docs/accuracy.md discusses; reads the same
orrery is taken from the PATH, measurements and data from the folder above this one.
"""
import csv
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CHIPS = ["a100_sxm", "h100_sxm", "h200_sxm", "b200_sxm"]


def quantile(values, q):
    """The quantile as orrery computes it: linear between neighbours."""
    values = sorted(values)
    at = q * (len(values) - 1)
    low = int(at)
    return values[low] + (at - low) * (values[min(low + 1, len(values) - 1)] - values[low])


def scores():
    """The scored rows of validate --csv, with the columns of the measurements added."""
    given = {}
    for path in sorted((ROOT / "validation").glob("*.csv")):
        if path.name != "recorded.csv":
            with open(path, encoding="utf-8", newline="") as file:
                given.update({row["id"]: row for row in csv.DictReader(file) if row.get("id")})
    files = [str(path) for path in sorted((ROOT / "validation").glob("*.csv")) if path.name != "recorded.csv"]
    text = subprocess.run(["orrery", "validate", "--csv", *files], check=True, capture_output=True, text=True).stdout
    rows = [{**given.get(row["id"], {}), **row} for row in csv.DictReader(text.splitlines())]
    return [{**row, "error": 100 * float(row["error"])} for row in rows if not row["skipped"]]


def groups(node, path=()):
    """Every group of a calibration that states the number of rows it was fitted to."""
    if isinstance(node, list):
        for item in (item for item in node if isinstance(item, dict)):
            protocol = " low-latency" if item.get("low_latency") else ""
            yield from groups(item, (item["collective"] + " " + item["algorithm"] + protocol,))
    elif isinstance(node, dict):
        if "rows" in node and "median_error_frac" in node:
            yield ".".join(path), node
        for key, value in node.items():
            yield from groups(value, (*path, key))


def fits():
    table = {}
    for chip in CHIPS:
        calibration = json.loads((ROOT / "data/calibration" / f"{chip}.json").read_text(encoding="utf-8"))
        for name, group in groups(calibration):
            cell = table.setdefault(name, {}).setdefault(chip, [])
            cell.append(f"{group['rows']:5} {100 * group['median_error_frac']:5.1f} {100 * group['p90_error_frac']:5.1f}")
    width = max(map(len, table))
    print(" " * width + "".join(f"{chip:>20}" for chip in CHIPS))
    print(" " * width + f"{' rows   med   p90':>20}" * len(CHIPS))
    for name in sorted(table):
        for line in range(max(map(len, table[name].values()))):
            cells = [table[name].get(chip, []) for chip in CHIPS]
            print(name.ljust(width) + "".join(f"{cell[line] if line < len(cell) else '':>20}" for cell in cells))


def is_in(**words):
    """A filter: every named column contains one of its words."""
    split = {key: value.split("|") for key, value in words.items()}
    return lambda row: all(any(word in row.get(key, "") for word in value) for key, value in split.items())


def both(first, second):
    return lambda row: first(row) and second(row)


def without(first, second):
    return lambda row: first(row) and not second(row)


HOPPER, BLACKWELL = "h100-sxm|h200-sxm", "b200|gb200"
IN_FLIGHT = "Dec-2025"
INFERENCE = is_in(**{"class": "inference"})
TRAINING = is_in(**{"class": "training"})

STACKS = is_in(source="nanotron|InternEvo|torchtitan|LLM-Inference-Bench")  # stacks that nobody had tuned for
NANOTRON, TIME = is_in(source="nanotron"), is_in(metric="tokens_per_s_per_gpu")
DENSE = without(is_in(**{"class": "training, dense"}), STACKS)

# rows, filter, statistic, bound in %
BARS = [
    ("training, dense", DENSE, 0.5, 5.5),
    ("training, dense", DENSE, 0.9, 18),
    ("training, experts", is_in(**{"class": "training, MoE"}), 0.5, 15),
    ("Korthikanti Table 4", is_in(source="Korthikanti et al. 2022 Table 4"), None, 3),
    ("Korthikanti Table 5", is_in(source="Korthikanti et al. 2022 Table 5"), None, 3),
    ("SC21 Table 1", is_in(source="SC21 Table 1"), None, 6),
    ("inference", INFERENCE, 0.5, 6),
    ("inference", INFERENCE, 0.9, 20),
    ("in flight, experts on Hopper", is_in(**{"class": "in flight, MoE", "system": HOPPER}), 0.5, 20),
    ("peak memory", without(is_in(metric="peak_memory_gib"), STACKS), 0.5, 1),
    ("nanotron, time", both(NANOTRON, TIME), 0.5, 12),
    ("nanotron, time", both(NANOTRON, TIME), 0.75, 30),
    ("nanotron, memory", both(NANOTRON, is_in(metric="peak_memory_gib")), 0.5, 8),
    ("InternEvo", is_in(source="InternEvo"), 0.5, 10),
    ("torchtitan, time", both(is_in(source="torchtitan"), TIME), 0.5, 10),
    ("LLM-Inference-Bench", is_in(source="LLM-Inference-Bench"), 0.5, 10),
]

SOURCES = [
    ("MT-NLG 530B", is_in(source="MT-NLG")),
    ("vTrain, t = 2, p >= 8", lambda r: "vTrain" in r["source"] and r["tp"] == "2" and int(r["pp"]) >= 8),
    ("dgxc, DeepSeek-V3 on GB200", is_in(source="dgxc", model="deepseek-v3", system="gb200")),
    ("dgxc, dense models on GB200", is_in(source="dgxc", model="llama3|nemotron", system="gb200")),
    ("Megatron-Bridge, gpt-oss", is_in(source="Megatron-Bridge", model="gpt-oss")),
    ("JAX-Toolbox, gpt3-126m", is_in(source="JAX-Toolbox", model="gpt3-126m")),
    ("FlagPerf", is_in(source="FlagPerf")),
    ("MosaicML on H100", is_in(source="MosaicML", system="h100")),
    ("MosaicML on A100", is_in(source="MosaicML", system="a100")),
    ("TensorRT-LLM Dec-2025, Llama-3-70B", is_in(source=IN_FLIGHT, model="llama3-70b")),
    ("- DeepSeek, Qwen3, Llama-4 on Hopper", is_in(source=IN_FLIGHT, model="deepseek|qwen3|llama4", system=HOPPER)),
    ("- gpt-oss on Hopper", is_in(source=IN_FLIGHT, model="gpt-oss", system=HOPPER)),
    ("- gpt-oss on Blackwell", is_in(source=IN_FLIGHT, model="gpt-oss", system=BLACKWELL)),
    ("- other experts on Blackwell", is_in(source=IN_FLIGHT, model="deepseek|qwen3|llama4", system=BLACKWELL)),
    ("TensorRT-LLM blogs, DeepSeek-V3", is_in(source="TensorRT-LLM blogs", model="deepseek-v3")),
    ("- Llama-2-70B", is_in(source="TensorRT-LLM blogs", model="llama2-70b")),
    ("- GPT-J, first token", is_in(source="TensorRT-LLM blogs", model="gptj", metric="ttft_s")),
    ("FasterTransformer 350M, 1.3B, 6.7B", is_in(source="FasterTransformer", model="gpt-350m|gpt-1.3b|gpt-6.7b")),
    ("- 89B, 175B", is_in(source="FasterTransformer", model="gpt-89b|gpt3-175b")),
    ("LMDeploy, first token of many",
     without(is_in(source="LMDeploy", metric="ttft_s"), lambda r: r["concurrency"] == "1")),
    ("MLPerf offline", is_in(source="MLPerf")),
    ("TensorRT-LLM 0.9, Mixtral", is_in(source="0.9.0", model="mixtral")),
    ("- L40S", is_in(source="0.9.0", system="l40s")),
    ("nanotron, no state marked", both(both(NANOTRON, TIME), lambda r: r["state"] == "")),
    ("- slow host", both(both(NANOTRON, TIME), is_in(state="slow-host"))),
    ("- stalled", both(both(NANOTRON, TIME), is_in(state="stalled"))),
    ("InternEvo", is_in(source="InternEvo")),
    ("torchtitan, float8 by rows", both(is_in(source="torchtitan", fp8_recipe="rowwise"), TIME)),
    ("torchtitan, memory", is_in(source="torchtitan", metric="peak_memory_gib")),
    ("H200 lab, prefill", is_in(source="orrery-lab H200", metric="prefill_s")),
]


def bars():
    rows = scores()
    print(f"{'':30}{'rows':>5}{'':>9}{'bar':>7}{'today':>8}")
    for name, member, q, bar in BARS:
        errors = [abs(row["error"]) for row in rows if member(row)]
        today = sum(errors) / len(errors) if q is None else quantile(errors, q)
        statistic = {None: "mean", 0.5: "median", 0.75: "p75", 0.9: "p90"}[q]
        verdict = "met" if round(today, 1) <= bar else "missed"
        print(f"{name:30}{len(errors):5}{statistic:>9}{bar:7}{today:8.1f}  {verdict}")


def sources():
    rows = scores()
    print(f"{'error in %':38}{'rows':>5}{'lowest':>8}{'median':>8}{'highest':>8}")
    for name, member in SOURCES:
        errors = [row["error"] for row in rows if member(row)]
        print(f"{name:38}{len(errors):5}{min(errors):+8.0f}{quantile(errors, 0.5):+8.0f}{max(errors):+8.0f}")


if __name__ == "__main__":
    commands = {"fits": fits, "bars": bars, "sources": sources}
    if len(sys.argv) != 2 or sys.argv[1] not in commands:
        sys.exit("figures.py: expected one of " + ", ".join(commands))
    commands[sys.argv[1]]()
