#!/usr/bin/env python3
"""Board power, SM clock and rate of matrix kernels that take a share of the time, beside pauses and beside copies.

    python3 kit/kit_power.py --out results

The script needs PyTorch and NVML, changes no setting of the board, and writes power_loads.csv. See README.md.
"""
import argparse
import csv
import ctypes
import os
import time

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

N = 8192
PERIOD_S = 0.012


class Meter:
    """Energy and clock of the first GPU."""

    def __init__(self):
        self.nvml = ctypes.CDLL("libnvidia-ml.so.1")
        self.device = ctypes.c_void_p()
        self.nvml.nvmlInit_v2()
        self.nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(self.device))

    def energy_j(self):
        mj = ctypes.c_ulonglong()
        self.nvml.nvmlDeviceGetTotalEnergyConsumption(self.device, ctypes.byref(mj))
        return mj.value * 1e-3

    def clock_mhz(self):
        mhz = ctypes.c_uint()
        self.nvml.nvmlDeviceGetClockInfo(self.device, 1, ctypes.byref(mhz))
        return mhz.value


def seconds(work, n):
    """Seconds of one call after a rest, so at the burst clock."""
    work()
    time.sleep(0.3)
    a, b = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    a.record()
    for _ in range(n):
        work()
    b.record()
    b.synchronize()
    return a.elapsed_time(b) * 1e-3 / n


def measure(meter, work, n_work, other, n_other, hold_s):
    """Repeat n_work calls of work, then n_other of other. Returns watts, MHz, seconds of a call of each kind."""
    marks, clocks, start = [], [], None
    begin = time.monotonic()
    while time.monotonic() - begin < 1.6 * hold_s:
        if start is None and time.monotonic() - begin > 0.6 * hold_s:
            torch.cuda.synchronize()
            marks, clocks, start = [], [], (time.monotonic(), meter.energy_j())
        for _ in range(4):
            event = [torch.cuda.Event(enable_timing=True) for _ in range(3)]
            event[0].record()
            for _ in range(n_work):
                work()
            event[1].record()
            for _ in range(n_other):
                other()
            event[2].record()
            marks.append(event)
        if len(marks) > 8:
            marks[-8][0].synchronize()
        clocks.append(meter.clock_mhz())
    torch.cuda.synchronize()
    watts = (meter.energy_j() - start[1]) / (time.monotonic() - start[0])
    work_s = sum(e[0].elapsed_time(e[1]) for e in marks) * 1e-3 / len(marks)
    other_s = sum(e[1].elapsed_time(e[2]) for e in marks) * 1e-3 / len(marks)
    return watts, sum(clocks) / len(clocks), work_s, other_s


def attend(q, backend):
    with sdpa_kernel(backend):
        F.scaled_dot_product_attention(q, q, q, is_causal=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default=".")
    parser.add_argument("--source", default="")
    parser.add_argument("--hold", type=float, default=2.5, help="seconds of each load")
    args = parser.parse_args()
    torch.manual_seed(1)
    meter = Meter()
    a, b = (torch.randn(N, N, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    c = torch.empty_like(a)
    big = torch.randn(1 << 28, device="cuda")
    copied = torch.empty_like(big)
    q = torch.randn(4, 32, 8192, 128, device="cuda", dtype=torch.bfloat16)
    flop = 2.0 * N ** 3
    attention_flop = 4.0 * 4 * 32 * 8192 ** 2 * 128 / 2  # causal
    products = {"gemm_bf16_8192": (lambda: torch.mm(a, b, out=c), flop),
                "attention_flash": (lambda: attend(q, SDPBackend.FLASH_ATTENTION), attention_flop),
                "attention_cudnn": (lambda: attend(q, SDPBackend.CUDNN_ATTENTION), attention_flop)}
    others = {"pause": lambda: torch.cuda._sleep(1_000_000), "copy": lambda: copied.copy_(big)}
    other_s = {name: seconds(work, 8) for name, work in others.items()}
    table = csv.writer(open(os.path.join(args.out, "power_loads.csv"), "w", newline=""), lineterminator="\n")
    table.writerow("work other share power_w sm_mhz work_flops_per_s mean_flops_per_s other_bytes_per_s "
                   "burst_flops_per_s source".split())
    cases = [("gemm_bf16_8192", "pause", share) for share in (1, 0.85, 0.7, 0.55, 0.4)]
    cases += [("gemm_bf16_8192", "copy", share) for share in (0.85, 0.7, 0.55)]
    cases += [("attention_flash", "pause", 1), ("attention_cudnn", "pause", 1), (None, "pause", 0), (None, "copy", 0)]
    for name, other, share in cases:
        work, flops = products[name] if name else (lambda: None, 0)
        burst_s = seconds(work, 4) if name else 1
        n_work = max(1, round(PERIOD_S * (share or 1) / burst_s)) if name else 0
        n_other = round(n_work * burst_s * (1 - share) / share / other_s[other]) if share else 10
        watts, mhz, work_s, rest_s = measure(meter, work, n_work, others[other], n_other, args.hold)
        total_s = work_s + rest_s
        moved = 8.0 * big.numel() * n_other / total_s if other == "copy" else 0
        row = [name or "none", other, round(work_s / total_s, 4), round(watts, 1), round(mhz)]
        row += [f"{x:.4g}" for x in (n_work * flops / work_s, n_work * flops / total_s, moved, flops / burst_s)]
        table.writerow(row + [args.source])
        print(*row, flush=True)
        time.sleep(0.5)


if __name__ == "__main__":
    main()
