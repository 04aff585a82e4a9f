#!/usr/bin/env python3
"""Grouped products whose 4-bit weights are widened to 16 bits inside the kernel, beside the same kernel with 16-bit
weights and the library's batched product. The script needs PyTorch with Triton and writes
widening.csv, one row per case.

    python3 kit/kit_widening.py --out results
"""
import argparse
import os

import torch
import triton
import triton.language as tl

SHAPES = [(32, 5760, 2880), (32, 2880, 2880)]  # experts, n, k of gpt-oss-20b
ROWS = [4, 16, 32, 64, 128, 160, 256, 512, 1024]  # rows of each expert
TILES = [(16, 128, 128, 4, 4), (16, 256, 64, 4, 4), (32, 128, 128, 4, 4), (64, 128, 64, 4, 4), (64, 256, 64, 4, 4),
         (64, 256, 64, 8, 4), (128, 128, 64, 4, 4), (128, 128, 64, 8, 4), (128, 256, 64, 8, 3), (128, 256, 64, 8, 4),
         (128, 128, 64, 8, 3), (64, 128, 128, 4, 3), (128, 128, 128, 8, 3), (64, 128, 128, 8, 3)]
CONFIGS = [triton.Config({"BM": m, "BN": n, "BK": k}, num_warps=w, num_stages=s) for m, n, k, w, s in TILES]


@triton.autotune(CONFIGS, key=["M", "N", "K", "NARROW"])
@triton.jit
def grouped(x, w, scales, out, M, N, K, NARROW: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """out[e] = x[e] w[e]^T; a narrow w packs two e2m1 numbers in a byte, with one e8m0 scale per 32."""
    expert = tl.program_id(1).to(tl.int64)
    rows = tl.cdiv(M, BM)
    m = tl.program_id(0) % rows * BM + tl.arange(0, BM)
    n = tl.program_id(0) // rows * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    half = tl.arange(0, BK // 2)
    block = tl.arange(0, BK // 32)
    xs = x + expert * M * K + m[:, None] * K + k[None, :]
    if NARROW:
        ws = w + expert * N * (K // 2) + n[:, None] * (K // 2) + half[None, :]
        ss = scales + expert * N * (K // 32) + n[:, None] * (K // 32) + block[None, :]
    else:
        ws = w + expert * N * K + n[:, None] * K + k[None, :]
    sums = tl.zeros((BM, BN), tl.float32)
    for i in range(0, tl.cdiv(K, BK)):
        a = tl.load(xs, mask=(m[:, None] < M) & (k[None, :] + i * BK < K), other=0.0)
        if NARROW:
            pairs = tl.load(ws, mask=(n[:, None] < N) & (half[None, :] + i * (BK // 2) < K // 2), other=0).to(tl.uint16)
            scale = tl.load(ss, mask=(n[:, None] < N) & (block[None, :] + i * (BK // 32) < K // 32), other=0)
            low = ((pairs & 0x8) << 12) | ((pairs & 0x7) << 6)  # sign, exponent and mantissa as bf16 bits
            high = ((pairs & 0x80) << 8) | ((pairs & 0x70) << 2)
            b = tl.join(low, high).reshape(BN, BK).to(tl.bfloat16, bitcast=True)
            factor = (scale.to(tl.uint16) << 7).to(tl.bfloat16, bitcast=True)
            b = (b.reshape(BN, BK // 32, 32) * factor[:, :, None]).reshape(BN, BK)
            ws += BK // 2
            ss += BK // 32
        else:
            b = tl.load(ws, mask=(n[:, None] < N) & (k[None, :] + i * BK < K), other=0.0)
            ws += BK
        sums = tl.dot(a, tl.trans(b), sums)
        xs += BK
    tl.store(out + expert * M * N + m[:, None] * N + n[None, :], sums.to(tl.bfloat16),
             mask=(m[:, None] < M) & (n[None, :] < N))


def graph_s(work, n=20):
    work()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        work()
    start, end = torch.cuda.Event(True), torch.cuda.Event(True)
    for _ in range(3):
        graph.replay()
    start.record()
    for _ in range(n):
        graph.replay()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) / n * 1e-3


def cases(experts, n, k):
    wide = torch.randn(experts, n, k, device="cuda", dtype=torch.bfloat16)
    pairs = torch.randint(0, 256, (experts, n, k // 2), device="cuda", dtype=torch.uint8)
    scales = torch.randint(250, 254, (experts, n, k // 32), device="cuda", dtype=torch.uint8)
    for m in ROWS:
        x = torch.randn(experts, m, k, device="cuda", dtype=torch.bfloat16)
        out = torch.empty(experts, m, n, device="cuda", dtype=torch.bfloat16)

        def grid(tile):
            return triton.cdiv(m, tile["BM"]) * triton.cdiv(n, tile["BN"]), experts

        yield m, "triton", 16, graph_s(lambda: grouped[grid](x, wide, scales, out, m, n, k, 0))
        yield m, "triton", 4, graph_s(lambda: grouped[grid](x, pairs, scales, out, m, n, k, 1))
        yield m, "cublas", 16, graph_s(lambda: torch.bmm(x, wide.transpose(1, 2), out=out))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default=".", help="folder of widening.csv")
    folder = parser.parse_args().out
    source = f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, Triton {triton.__version__}"
    with open(os.path.join(folder, "widening.csv"), "w", encoding="utf-8") as file:
        file.write("experts,m,n,k,kernel,weight_bits,time_s,source\n")
        for experts, n, k in SHAPES:
            for m, kernel, bits, time_s in cases(experts, n, k):
                file.write(f'{experts},{m},{n},{k},{kernel},{bits},{time_s:.6g},"{source}"\n')
                file.flush()


if __name__ == "__main__":
    main()
