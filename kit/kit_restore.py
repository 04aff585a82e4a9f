#!/usr/bin/env python3
"""Times of kernels that restore 8-bit weights to 16 bits (docs/equations.md, Eq. 328), as CSV on standard output.

usage: kit_restore.py > h200_restore.csv

A thread of the kernel `vector` reads four 8-bit weights at once, multiplies them by the scale of their row and writes four
16-bit numbers; `scalar` does one weight at a time; `torch` is the cast of PyTorch and the product with the scales.
Matrices take turns, so that none is still in the L2 cache when its turn comes again. The time is the median of seven
runs of a CUDA graph.
"""
import statistics
import sys

import torch

SOURCE = r"""
__device__ static unsigned short half_of(float x)
{
    unsigned short bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    return bits;
}

extern "C" __global__ void vector(ushort4 *out, const char4 *in, const float *scales, int columns)
{
    const float scale = scales[blockIdx.x];
    const long long first = (long long)blockIdx.x * (columns / 4);
    for (int i = threadIdx.x; i < columns / 4; i += blockDim.x) {
        const char4 q = in[first + i];
        out[first + i] = make_ushort4(half_of(scale * q.x), half_of(scale * q.y), half_of(scale * q.z), half_of(scale * q.w));
    }
}

extern "C" __global__ void scalar(unsigned short *out, const signed char *in, const float *scales, int columns)
{
    const float scale = scales[blockIdx.x];
    const long long first = (long long)blockIdx.x * columns;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) out[first + i] = half_of(scale * in[first + i]);
}
"""
SHAPES = [(2048, 2048), (4096, 4096), (14336, 4096), (5376, 14336), (14336, 1792), (7168, 14336), (14336, 7168),
          (28672, 8192)]
AROUND = 512 << 20  # bytes of matrices that take turns, ten times an L2 cache


def seconds(run, turns):
    """Seconds of one of `turns` calls, captured together."""
    for i in range(turns):
        run(i)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(turns):
            run(i)
    times = []
    for _ in range(7):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) * 1e-3 / turns)
    return statistics.median(times)


def kernels():
    compiled = {name: torch.cuda._compile_kernel(SOURCE, name) for name in ("vector", "scalar")}

    def own(name):
        def run(out, weights, scales, rows, columns):
            compiled[name](grid=(rows, 1, 1), block=(256, 1, 1), args=[out, weights, scales, columns])
        return run

    def framework(out, weights, scales, rows, columns):
        torch.mul(weights.to(torch.float16), scales.half().unsqueeze(1), out=out)
    return {"vector": own("vector"), "scalar": own("scalar"), "torch": framework}


def main():
    source = f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, CUDA graph"
    print("kernel,rows,columns,seconds,source")
    for name, kernel in kernels().items():
        for rows, columns in SHAPES:
            turns = max(4, AROUND // (rows * columns * 3))
            weights = [torch.randint(-127, 127, (rows, columns), dtype=torch.int8, device="cuda") for _ in range(turns)]
            out = [torch.empty(rows, columns, dtype=torch.float16, device="cuda") for _ in range(turns)]
            scales = torch.rand(rows, device="cuda")
            time_s = seconds(lambda i: kernel(out[i], weights[i], scales, rows, columns), turns)
            want = (weights[0].float() * scales.unsqueeze(1)).half()
            if name != "torch" and not torch.equal(out[0], want):
                sys.exit(f"{name} is wrong at {rows} x {columns}")
            print(f'{name},{rows},{columns},{time_s:.5g},"{source}"', flush=True)


main()
