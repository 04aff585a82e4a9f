#!/usr/bin/env python3
"""Median errors of services under load, for docs/serving.md: serving_errors.py

Reads `orrery validate --csv` of validation/serving.csv and validation/serving_requests.csv. A group of runs has the
median of the absolute errors in % of what was measured and, in brackets, the median of the errors themselves. The mean
latency and first token of the request log are compared as means, as a user of the service would.
orrery is taken from the PATH, measurements from the folder above this one.
"""
import collections
import csv
import pathlib
import statistics
import subprocess

VALIDATION = pathlib.Path(__file__).resolve().parent.parent / "validation"
FIRST, NEXT, WHOLE = "ttft_s", "tpot_s", "latency_s"


def scored(name):
    """The scored rows of a file, with the columns of the measurement that each belongs to."""
    given = collections.defaultdict(list)
    with open(VALIDATION / name, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            given[row["id"], row.get("metric")].append(row)
    of_run = {run: rows[0] for (run, _), rows in given.items()}
    command = ["orrery", "validate", str(VALIDATION / name), "--csv"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    seen = collections.Counter()
    for row in csv.DictReader(text.splitlines()):
        key = row["id"], row["metric"]
        rows = given.get(key) or [of_run.get(row["id"], {})]
        measured = rows[min(seen[key], len(rows) - 1)]
        seen[key] += 1
        if not row["skipped"] and row["error"]:
            yield {**measured, **row, "error": 100 * float(row["error"])}


def cell(rows, metric):
    errors = [row["error"] for row in rows if row["metric"] == metric]
    if not errors:
        return "-"
    return f"{statistics.median(map(abs, errors)):.1f} ({statistics.median(errors):+.1f})"


def line(name, rows, metrics):
    runs = max(sum(row["metric"] == metric for row in rows) for metric in metrics if metric)
    print(f"{name:46}{runs:5}" + "".join(f"{cell(rows, metric) if metric else '-':>15}" for metric in metrics).rstrip())


def loops(rows):
    closed = [row for row in rows if row.get("arrival") == "closed"]
    experts = {row["id"] for row in closed if "MoE" in row["class"]}
    models = {row["model"] for row in closed if row["id"] in experts}
    groups = {
        "InferenceX, TensorRT-LLM": lambda r: "InferenceX" in r["source"] and r["engine"].startswith("tensorrt"),
        "InferenceX, vLLM": lambda r: "InferenceX" in r["source"] and r["engine"].startswith("vllm"),
        "gap analysis, vLLM": lambda r: "gap analysis" in r["source"] and r["engine"].startswith("vllm"),
        "gap analysis, TensorRT-LLM": lambda r: "gap analysis" in r["source"] and r["engine"].startswith("tensorrt"),
        "SGLang, both": lambda r: r["engine"].startswith("sglang"),
        "all closed loops": lambda r: True,
        "of these dense models": lambda r: r["model"] not in models,
        "of these models with experts": lambda r: r["model"] in models,
    }
    for name, belongs in groups.items():
        line(name, [row for row in closed if belongs(row)], [FIRST, NEXT, WHOLE])


def others(rows):
    by = lambda arrival, *stats: [r for r in rows if r.get("arrival") == arrival and (not stats or r["stat"] in stats)]
    line("prefill and decode pools", by("disaggregated"), [FIRST, NEXT, None])
    line("ML.ENERGY, median gap of tokens", by("saturated", "p50"), [None, "itl_s", None])
    saturated = by("saturated")
    for name, metric in (("power", "power_w_per_gpu"), ("energy per token", "energy_j_per_output_token")):
        line("ML.ENERGY, " + name, saturated, [metric])
    line("MLPerf Server, rate at the measured token time", by("poisson"), ["completed_requests_per_s"])
    for stat in ("mean", "p99"):
        line("MLPerf Server, " + stat + " at that rate", by("poisson", stat), [FIRST, None, None])


def main():
    print(f"{'median error, % (bias)':46}{'runs':>5}{'first token':>15}{'next token':>15}{'latency':>15}")
    rows = list(scored("serving.csv"))
    loops(rows)
    others(rows)
    log = list(scored("serving_requests.csv"))
    line("vLLM request log, requests", log, [FIRST, None, WHOLE])
    means = {}
    for metric in (FIRST, WHOLE):
        of = [row for row in log if row["metric"] == metric]
        means[metric] = 100 * (sum(float(r["predicted"]) for r in of) / sum(float(r["measured"]) for r in of) - 1)
    print(f"{'vLLM request log, means':46}{1:5}{means[FIRST]:+15.1f}{'-':>15}{means[WHOLE]:+15.1f}")


main()
