#!/usr/bin/env python3
"""Time the products of experts in training three ways: by PyTorch's grouped product, by plain products one after
another, and by plain products on four streams, as Transformer Engine runs them. Experts have equally many rows, or as
many as random choices give them. Every row is the median of 15 calls, by events behind a pause in which the host gets
ahead, so that only the device is timed.

    kit_grouped.py --out DIR
"""
import argparse
import csv
import os

import torch

from kit_time import seconds

# Experts of a rank, their mean rows, elements of a row, columns of the first matrix (gate and up).
SHAPES = [(e, rows, h, n) for e, h, n in ((8, 4096, 28672), (16, 2048, 1536), (32, 7168, 4096), (4, 7168, 4096))
          for rows in (128, 256, 512, 1024, 2048, 4096)]
# A pause of about a millisecond.
AHEAD_CYCLES = 2_000_000


def side_by_side(streams, calls):
    """The calls in turn on the streams, between an event before and one after all of them."""
    current = torch.cuda.current_stream()
    for stream in streams:
        stream.wait_stream(current)
    for i, call in enumerate(calls):
        with torch.cuda.stream(streams[i % len(streams)]):
            call()
    for stream in streams:
        current.wait_stream(stream)


def counts(experts, rows, law):
    if law == "equal":
        return [rows] * experts
    chosen = torch.randint(experts, (experts * rows,), generator=torch.Generator().manual_seed(rows))
    return torch.bincount(chosen, minlength=experts).tolist()


def products(n_rows, k, n):
    """Forward, gradients of the rows and of the weights: each as one grouped product and as a list of plain ones."""
    total, experts = sum(n_rows), len(n_rows)
    x = torch.randn(total, k, device="cuda").bfloat16()
    dy = torch.randn(total, n, device="cuda").bfloat16()
    w = (torch.randn(experts, n, k, device="cuda") * 0.02).bfloat16()
    y, dx, dw = torch.empty_like(dy), torch.empty_like(x), torch.empty_like(w)
    ends = torch.tensor(n_rows, device="cuda").cumsum(0).to(torch.int32)
    xs, dys, ys, dxs = (t.split(n_rows) for t in (x, dy, y, dx))
    each = range(experts)
    yield "forward", lambda: torch._grouped_mm(x, w.transpose(-2, -1), ends), [
        lambda i=i: torch.mm(xs[i], w[i].t(), out=ys[i]) for i in each]
    yield "dgrad", lambda: torch._grouped_mm(dy, w, ends), [
        lambda i=i: torch.mm(dys[i], w[i], out=dxs[i]) for i in each]
    yield "wgrad", lambda: torch._grouped_mm(dy.t(), x, ends), [
        lambda i=i: torch.mm(dys[i].t(), xs[i], out=dw[i]) for i in each]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default=".")
    options = parser.parse_args()
    source = f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, CUDA {torch.version.cuda}"
    streams = [torch.cuda.Stream() for _ in range(4)]
    with open(os.path.join(options.out, "grouped.csv"), "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["product", "kernel", "law", "experts", "rows", "k", "n", "time_s", "source"])
        for experts, rows, h, n in SHAPES:
            for law in ("equal", "random"):
                for k, columns in ((h, n), (n // 2, h)):
                    for product, grouped, plain in products(counts(experts, rows, law), k, columns):
                        for kernel, call in (("grouped_mm", grouped), ("loop", lambda: [one() for one in plain]),
                                             ("streams", lambda: side_by_side(streams, plain))):
                            time_s = seconds(call, 15, AHEAD_CYCLES)
                            table.writerow([product, kernel, law, experts, rows, k, columns, f"{time_s:.6g}", source])
                file.flush()
                torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
