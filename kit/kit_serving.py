#!/usr/bin/env python3
"""What a serving step does besides its layers, and what the host spends on launches that serving engines make.

    python3 kit/kit_serving.py sampling products calls --out results

sampling.csv: seconds of choosing tokens from logits, as graphs of PyTorch's own kernels.
fp8_products.csv: 8-bit products of few rows by the library (one scale per tensor) and by CUTLASS (one per row).
serving_calls.csv: host seconds of single calls. The script needs PyTorch with Triton.
"""
import argparse
import csv
import os
import statistics
import time

import torch
import triton
import triton.language as tl


def graph_s(call, loops=10):
    """Seconds of a call that is replayed as a graph."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for _ in range(loops):
            call()
    times = []
    for _ in range(7):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) / 1e3 / loops)
    return statistics.median(times[1:])


def stream_s(call, loops=20):
    """Seconds of a call on the device that cannot be captured."""
    for _ in range(3):
        call()
    torch.cuda.synchronize()
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(loops):
        call()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / 1e3 / loops


def host_s(call, loops=200):
    """Host seconds of a call whose kernel is so short that the queue stays empty enough."""
    for _ in range(20):
        call()
    torch.cuda.synchronize()
    least = []
    for _ in range(5):
        begin = time.perf_counter()
        for _ in range(loops):
            call()
        least.append((time.perf_counter() - begin) / loops)
        torch.cuda.synchronize()
    return min(least)


def sampling(write):
    for vocabulary in (32000, 128256, 151936, 201088, 248320):
        for rows in (1, 8, 32, 64, 128, 256, 512):
            logits = torch.randn(rows, vocabulary, device="cuda", dtype=torch.bfloat16)
            wide = torch.empty(rows, vocabulary, device="cuda", dtype=torch.float32)
            noise = torch.empty_like(wide)

            def greedy():
                return logits.to(torch.float32).argmax(dim=-1)

            def narrow():
                return logits.argmax(dim=-1)

            def random():
                probs = logits.to(torch.float32).div_(0.7).softmax(dim=-1, dtype=torch.float32)
                noise.exponential_()
                return probs.div_(noise).argmax(dim=-1)

            def nucleus():
                values, order = logits.to(torch.float32).div_(0.7).sort(dim=-1)
                sums = values.softmax(dim=-1).cumsum(dim=-1)
                values.masked_fill_(sums <= 0.1, float("-inf"))
                wide.scatter_(-1, order, values)
                probs = wide.softmax(dim=-1, dtype=torch.float32)
                noise.exponential_()
                return probs.div_(noise).argmax(dim=-1)

            for name, call in (("greedy", greedy), ("greedy 16 bits", narrow), ("random", random), ("top-p", nucleus)):
                timer = stream_s if name == "top-p" else graph_s
                try:
                    write(kind=name, rows=rows, vocabulary=vocabulary, time_s="%.4g" % timer(call))
                except RuntimeError as error:
                    print(name, rows, vocabulary, str(error)[:80])
            del logits, wide, noise


SHAPES = [(10240, 8192), (8192, 8192), (57344, 8192), (8192, 28672), (5120, 8192), (8192, 4096), (28672, 8192),
          (8192, 14336), (2560, 8192), (8192, 2048), (14336, 8192), (8192, 7168), (1280, 8192), (8192, 1024),
          (7168, 8192), (8192, 3584), (6144, 4096), (4096, 4096), (28672, 4096), (4096, 14336)]
ROWS = [1, 4, 8, 16, 17, 24, 32, 48, 64, 65, 96, 128, 129, 192, 256, 512]


def products(write):
    for n, k in SHAPES:
        copies = max(1, min(16, (1 << 30) // (n * k)))
        weights = [torch.randn(n, k, device="cuda", dtype=torch.bfloat16).to(torch.float8_e4m3fn).t()
                   for _ in range(copies)]
        for m in ROWS:
            padded = m
            x = torch.randn(padded, k, device="cuda", dtype=torch.bfloat16).to(torch.float8_e4m3fn)
            one = torch.ones((), device="cuda")
            rows, columns = torch.ones(padded, 1, device="cuda"), torch.ones(1, n, device="cuda")

            def by_tensor():
                for w in weights:
                    torch._scaled_mm(x, w, scale_a=one, scale_b=one, out_dtype=torch.bfloat16, use_fast_accum=True)

            def by_row():
                for w in weights:
                    torch._scaled_mm(x, w, scale_a=rows, scale_b=columns, out_dtype=torch.bfloat16, use_fast_accum=True)

            for name, call in (("tensor", by_tensor), ("row", by_row)):
                try:
                    write(kernel=name, m=m, n=n, k=k, time_s="%.4g" % (graph_s(call, 2) / copies))
                except RuntimeError as error:
                    print(name, m, n, k, str(error)[:80])
        del weights
        torch.cuda.empty_cache()


@triton.jit
def few(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)


@triton.jit
def many(a, b, c, d, e, f, g, h, i0, i1, i2, i3, i4, i5, i6, i7, i8, i9, j0, j1, n, C0: tl.constexpr, C1: tl.constexpr,
         C2: tl.constexpr, C3: tl.constexpr, C4: tl.constexpr, C5: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(a + i, tl.load(b + i, mask=i < n) + i0 + C0, mask=i < n)


def calls(write):
    x = torch.ones(256, device="cuda")
    y = torch.empty(256, device="cuda")
    small = torch.randn(8, 128, device="cuda", dtype=torch.bfloat16)
    square = torch.randn(128, 128, device="cuda", dtype=torch.bfloat16)

    @torch.library.custom_op("kit::wrapped", mutates_args=("out",))
    def wrapped(value: torch.Tensor, out: torch.Tensor) -> None:
        few[(1,)](out, 256, BLOCK=256)

    library = torch.library.Library("kitlib", "FRAGMENT")
    library.define("direct(Tensor value, Tensor! out) -> ()")

    def direct(value, out):
        few[(1,)](out, 256, BLOCK=256)

    library.impl("direct", direct, dispatch_key="CUDA")
    eight = [x] * 8
    stack = torch.nn.Sequential(*[torch.nn.Linear(128, 128, bias=False, device="cuda", dtype=torch.bfloat16)
                                  for _ in range(4)])

    def piece(v):
        for layer in stack:
            v = torch.nn.functional.rms_norm(layer(v), (128,))
        return v

    compiled = torch.compile(piece, fullgraph=True)
    cases = {
        "addition": lambda: torch.add(x, 1, out=y),
        "allocation": lambda: torch.empty(256, device="cuda"),
        "view": lambda: x.view(16, 16),
        "product": lambda: torch.nn.functional.linear(small, square),
        "Triton kernel, 3 arguments": lambda: few[(1,)](x, 256, BLOCK=256),
        "Triton kernel, 28 arguments": lambda: many[(1,)](*eight, *range(1, 13), 256, 1, 2, 3, 4,
                                                          5, 6, 256),
        "Triton kernel behind a Python operator of torch.library": lambda: torch.ops.kit.wrapped(x, y),
        "Triton kernel behind a registered Python function": lambda: torch.ops.kitlib.direct(x, y),
        "compiled piece of 4 products and 4 norms": lambda: compiled(small),
    }
    with torch.inference_mode():
        for name, call in cases.items():
            write(call=name, host_s="%.4g" % host_s(call))


PARTS = {"sampling": (sampling, "sampling.csv", ["kind", "rows", "vocabulary", "time_s"]),
         "products": (products, "fp8_products.csv", ["kernel", "m", "n", "k", "time_s"]),
         "calls": (calls, "serving_calls.csv", ["call", "host_s"])}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="+", choices=sorted(PARTS))
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    for part in arguments.parts:
        measure, name, fields = PARTS[part]
        with open(os.path.join(arguments.out, name), "w", newline="") as file:
            writer = csv.DictWriter(file, fields)
            writer.writeheader()

            def write(**row):
                writer.writerow(row)
                file.flush()

            measure(write)


if __name__ == "__main__":
    main()
