#!/usr/bin/env python3
"""Time weight gradients by what they do with their result: a new matrix or a sum in place, of 16 or of 32 bits. The
product is that of a backward pass, (k, m) transposed times (k, n), both bf16, k tokens; cuBLAS is called directly,
because PyTorch has no product of bf16 matrices into an fp32 one. Every mode is timed in loops of 0.3 s, which run under
the power limit, and in bursts of a few calls after a pause, which do not; modes follow one another three times, and the
median of the three counts.

    kit_wgrad.py --out DIR
"""
import argparse
import csv
import ctypes
import glob
import os
import statistics
import time

import torch

SIZES = [(m, n, k) for k in (2048, 4096, 8192, 16384)
         for m, n in ((4096, 4096), (6144, 4096), (4096, 14336), (28672, 4096), (8192, 8192), (10240, 8192))]
CUDA_R_32F, CUDA_R_16BF, COMPUTE_32F, OP_N, OP_T = 0, 14, 68, 0, 1


def library():
    """cuBLAS as PyTorch has loaded it, and a handle on the current stream."""
    torch.mm(torch.ones(8, 8, device="cuda"), torch.ones(8, 8, device="cuda"))
    with open("/proc/self/maps") as maps:
        paths = {line.split()[-1] for line in maps if "libcublas.so" in line}
    cublas = ctypes.CDLL(sorted(paths)[0] if paths else sorted(glob.glob("/usr/local/cuda/lib64/libcublas.so*"))[0])
    handle = ctypes.c_void_p()
    assert cublas.cublasCreate_v2(ctypes.byref(handle)) == 0
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
    assert cublas.cublasSetStream_v2(handle, stream) == 0
    workspace = torch.empty(64 << 20, dtype=torch.uint8, device="cuda")
    assert cublas.cublasSetWorkspace_v2(handle, ctypes.c_void_p(workspace.data_ptr()),
                                        ctypes.c_size_t(workspace.numel())) == 0
    return cublas, handle, workspace


def product(cublas, handle, dy, x, out, add):
    """out (m, n) = dy (k, m)^T x (k, n), row by row; to cuBLAS, which counts by columns, n by m."""
    k, m = dy.shape
    n = x.shape[1]
    alpha, beta = ctypes.c_float(1), ctypes.c_float(1 if add else 0)
    kind = CUDA_R_32F if out.dtype == torch.float32 else CUDA_R_16BF
    status = cublas.cublasGemmEx(handle, OP_N, OP_T, n, m, k, ctypes.byref(alpha), ctypes.c_void_p(x.data_ptr()),
                                 CUDA_R_16BF, n, ctypes.c_void_p(dy.data_ptr()), CUDA_R_16BF, m, ctypes.byref(beta),
                                 ctypes.c_void_p(out.data_ptr()), kind, n, COMPUTE_32F, -1)
    assert status == 0, status


def seconds(call, n_calls):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(n_calls):
        call()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) / 1e3 / n_calls


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default=".")
    options = parser.parse_args()
    cublas, handle, workspace = library()
    source = f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, CUDA {torch.version.cuda}"
    with open(os.path.join(options.out, "wgrad.csv"), "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["m", "n", "k", "out_dtype", "accumulate", "mode", "time_s", "source"])
        for m, n, k in SIZES:
            dy, x = (torch.randn(k, size, device="cuda").bfloat16() for size in (m, n))
            outs = {"bf16": torch.zeros(m, n, device="cuda").bfloat16(), "fp32": torch.zeros(m, n, device="cuda")}
            modes = [(out, add) for out in outs for add in (0, 1)]
            times = {(out, add, mode): [] for out, add in modes for mode in ("burst", "loop")}
            for _ in range(3):
                for out, add in modes:
                    def call():
                        product(cublas, handle, dy, x, outs[out], add)
                    seconds(call, 2)
                    time.sleep(0.05)
                    burst_s = seconds(call, 4)
                    seconds(call, int(0.15 / burst_s) + 1)
                    times[out, add, "burst"].append(burst_s)
                    times[out, add, "loop"].append(seconds(call, int(0.15 / burst_s) + 1))
                    outs[out].zero_()
            for (out, add, mode), measured in times.items():
                table.writerow([m, n, k, out, add, mode, f"{statistics.median(measured):.6g}", source])
            file.flush()


if __name__ == "__main__":
    main()
