#!/usr/bin/env python3
"""Time element-wise kernels whose operands are slices or permuted views beside the same kernels on whole tensors: what
a stack pays that splits one matrix into gate and up, joins their gradients, or swaps the order of samples and tokens.
Operands together are larger than the last-level cache. Every row is the median of 20 calls, by events.

    kit_strided.py --out DIR
"""
import argparse
import csv
import os

import torch
import torch.nn.functional as F

from kit_time import seconds


def gated(tokens, ffn):
    """Operators of a gated block: on halves of one matrix, and on matrices of their own. Bytes are read and written."""
    merged = torch.randn(tokens, 2 * ffn, device="cuda").bfloat16()
    gate, up = torch.split(merged, ffn, dim=-1)
    whole_gate, whole_up = gate.contiguous(), up.contiguous()
    grad, acted = torch.randn_like(whole_gate), F.silu(whole_gate)
    n = tokens * ffn
    back = torch.ops.aten.silu_backward
    yield "silu", "whole", 4 * n, lambda: F.silu(whole_gate)
    yield "silu", "slice", 4 * n, lambda: F.silu(gate)
    yield "multiply", "whole", 6 * n, lambda: acted * whole_up
    yield "multiply", "slice", 6 * n, lambda: acted * up
    yield "silu.backward", "whole", 6 * n, lambda: back(grad, whole_gate)
    yield "silu.backward", "slice", 6 * n, lambda: back(grad, gate)
    yield "join", "two halves", 8 * n, lambda: torch.cat((grad, acted), dim=-1)


def swapped(tokens, samples, width):
    """A copy that puts tokens before samples, rows staying whole, and a plain copy of as many bytes."""
    view = torch.randn(samples, tokens // samples, width, device="cuda").bfloat16().transpose(0, 1)
    whole = view.contiguous()
    n = tokens * width
    yield "copy", f"{samples} samples swapped", 4 * n, lambda: view.contiguous()
    yield "copy", "whole", 4 * n, lambda: whole.clone()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default=".")
    options = parser.parse_args()
    source = f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, CUDA {torch.version.cuda}"
    with open(os.path.join(options.out, "strided.csv"), "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["kernel", "layout", "rows", "columns", "bytes", "time_s", "source"])
        for tokens in (8192, 16384, 32768):
            for columns in (1024, 4096, 8192, 14336):
                for kernel, layout, n_bytes, call in gated(tokens, columns):
                    table.writerow([kernel, layout, tokens, columns, n_bytes, f"{seconds(call):.6g}", source])
            for samples in (2, 4, 8):
                for columns in (768, 3072, 8192):
                    for kernel, layout, n_bytes, call in swapped(tokens, samples, columns):
                        table.writerow([kernel, layout, tokens, columns, n_bytes, f"{seconds(call):.6g}", source])
            file.flush()


if __name__ == "__main__":
    main()
