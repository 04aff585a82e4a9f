#!/usr/bin/env python3
"""Time 16-bit products whose sizes are not multiples of 8 elements beside the same products with the size rounded up.
Rows have the columns of gemm.csv that matter here: dtype, layout, m, n, k, seconds.

    kit_unaligned.py --out DIR
"""
import argparse
import csv
import os

import torch

from kit_torch import normal, slots, time_graph

SIZES = [(4096, 4096, 4096), (4096, 11008, 4096), (4096, 4096, 11008), (8192, 8192, 8192), (512, 4096, 4096),
         (64, 4096, 4096), (4096, 50264, 2048), (16384, 50264, 1600), (8192, 32008, 4096)]
LESS = [0, 8, 4, 2, 1, 7]  # elements taken from the size that is varied


def operands(layout, m, n, k):
    """x (m, k) and w, stored as a linear layer stores it (n, k), or transposed (k, n) as in a gradient."""
    x = normal(m, k)
    if layout == "nt":
        weights = [normal(n, k) for _ in range(min(4, slots(2 * n * k)))]
        return [lambda w=w: torch.mm(x, w.t()) for w in weights]
    if layout == "nn":
        weights = [normal(k, n) for _ in range(min(4, slots(2 * n * k)))]
        return [lambda w=w: torch.mm(x, w) for w in weights]
    x = normal(k, m)
    weights = [normal(k, n) for _ in range(min(4, slots(2 * n * k)))]
    return [lambda w=w: torch.mm(x.t(), w) for w in weights]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default=".")
    options = parser.parse_args()
    torch.cuda.set_stream(torch.cuda.Stream())  # Graphs cannot be captured on the default stream.
    with open(os.path.join(options.out, "unaligned.csv"), "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["dtype", "layout", "m", "n", "k", "time_s"])
        for m, n, k in SIZES:
            for less in LESS:
                for layout, varied in (("nt", "n"), ("nt", "k"), ("nn", "n"), ("tn", "n"), ("tn", "m")):
                    sizes = {"m": m, "n": n, "k": k}
                    sizes[varied] -= less
                    time_s = time_graph(operands(layout, **sizes))
                    table.writerow(["bf16", layout, sizes["m"], sizes["n"], sizes["k"], f"{time_s:.6g}"])
                    file.flush()


if __name__ == "__main__":
    main()
