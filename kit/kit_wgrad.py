#!/usr/bin/env python3
"""Time weight gradients by what they do with their result: a new matrix or a sum in place, of 16 or of 32 bits. The
product is that of a backward pass over k tokens. In bf16 it is (k, m) transposed times (k, n) by cuBLAS; in fp8, whose
kernels want the inner size last, it is (m, k) times (n, k) transposed by cuBLASLt, without the fast accumulation that
weight gradients are not computed with. Both are called directly, because PyTorch has no product into a sum of another
format. Every mode is timed in loops of 0.3 s, which run under the power limit, and in bursts of a few calls after a
pause, which do not; modes follow one another three times, and the median of the three counts.

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
CUDA_R_32F, CUDA_R_16BF, CUDA_R_8F_E4M3, CUDA_R_8F_E5M2, COMPUTE_32F, OP_N, OP_T = 0, 14, 28, 29, 68, 0, 1
LT_TRANSA, LT_TRANSB, LT_SCALE_A, LT_SCALE_B, LT_WORKSPACE = 3, 4, 17, 18, 1 # attributes of cuBLASLt
HEURISTIC_BYTES, WORKSPACE_BYTES = 96, 64 << 20


def loaded(name):
    """A library as PyTorch has loaded it."""
    with open("/proc/self/maps") as maps:
        paths = {line.split()[-1] for line in maps if f"{name}.so" in line}
    return ctypes.CDLL(sorted(paths)[0] if paths else sorted(glob.glob(f"/usr/local/cuda/lib64/{name}.so*"))[0])


def checked(status):
    assert status == 0, status


def pointer(tensor):
    return ctypes.c_void_p(tensor.data_ptr())


class Bf16:
    """Products of bf16 matrices by cuBLAS, on the current stream."""

    def __init__(self):
        torch.mm(torch.ones(8, 8, device="cuda"), torch.ones(8, 8, device="cuda"))
        self.cublas, self.handle = loaded("libcublas"), ctypes.c_void_p()
        self.workspace = torch.empty(WORKSPACE_BYTES, dtype=torch.uint8, device="cuda")
        checked(self.cublas.cublasCreate_v2(ctypes.byref(self.handle)))
        checked(self.cublas.cublasSetStream_v2(self.handle, ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)))
        checked(self.cublas.cublasSetWorkspace_v2(self.handle, pointer(self.workspace),
                                                  ctypes.c_size_t(WORKSPACE_BYTES)))

    def operands(self, m, n, k):
        return tuple(torch.randn(k, size, device="cuda").bfloat16() for size in (m, n))

    def prepare(self, dy, x, out, add):
        """A call of out (m, n) = dy (k, m)^T x (k, n), row by row; to cuBLAS, which counts by columns, n by m."""
        (k, m), n = dy.shape, x.shape[1]
        alpha, beta = ctypes.c_float(1), ctypes.c_float(1 if add else 0)
        kind = CUDA_R_32F if out.dtype == torch.float32 else CUDA_R_16BF

        def call():
            checked(self.cublas.cublasGemmEx(self.handle, OP_N, OP_T, n, m, k, ctypes.byref(alpha), pointer(x),
                                             CUDA_R_16BF, n, pointer(dy), CUDA_R_16BF, m, ctypes.byref(beta),
                                             pointer(out), kind, n, COMPUTE_32F, -1))
        return call


class Fp8:
    """Products of fp8 matrices by cuBLASLt, on the current stream; gradients are E5M2."""

    def __init__(self):
        self.lt, self.handle = loaded("libcublasLt"), ctypes.c_void_p()
        self.workspace = torch.empty(WORKSPACE_BYTES, dtype=torch.uint8, device="cuda")
        self.one = torch.ones(1, device="cuda")
        checked(self.lt.cublasLtCreate(ctypes.byref(self.handle)))

    def operands(self, m, n, k):
        return (torch.randn(m, k, device="cuda").to(torch.float8_e5m2),
                torch.randn(n, k, device="cuda").to(torch.float8_e4m3fn))

    def layout(self, kind, rows, columns, leading):
        made = ctypes.c_void_p()
        checked(self.lt.cublasLtMatrixLayoutCreate(ctypes.byref(made), kind, ctypes.c_uint64(rows),
                                                   ctypes.c_uint64(columns), ctypes.c_int64(leading)))
        return made

    def described(self):
        made = ctypes.c_void_p()
        checked(self.lt.cublasLtMatmulDescCreate(ctypes.byref(made), COMPUTE_32F, CUDA_R_32F))
        scale = pointer(self.one)
        for key, value in ((LT_TRANSA, ctypes.c_int32(OP_T)), (LT_TRANSB, ctypes.c_int32(OP_N)), (LT_SCALE_A, scale),
                           (LT_SCALE_B, scale)):
            checked(self.lt.cublasLtMatmulDescSetAttribute(made, key, ctypes.byref(value),
                                                           ctypes.c_size_t(ctypes.sizeof(value))))
        return made

    def algorithm(self, description, layouts):
        """What cuBLASLt finds best; its first 64 bytes are the algorithm."""
        preference, found, size = ctypes.c_void_p(), ctypes.c_int(), ctypes.c_size_t(WORKSPACE_BYTES)
        best = ctypes.create_string_buffer(HEURISTIC_BYTES)
        checked(self.lt.cublasLtMatmulPreferenceCreate(ctypes.byref(preference)))
        checked(self.lt.cublasLtMatmulPreferenceSetAttribute(preference, LT_WORKSPACE, ctypes.byref(size),
                                                             ctypes.c_size_t(8)))
        checked(self.lt.cublasLtMatmulAlgoGetHeuristic(self.handle, description, *layouts, preference, 1, best,
                                                       ctypes.byref(found)))
        assert found.value == 1
        return best

    def prepare(self, dy, x, out, add):
        """A call of out (m, n) = dy (m, k) x (n, k)^T, row by row; to cuBLASLt, which counts by columns, n by m."""
        (m, k), n = dy.shape, x.shape[0]
        alpha, beta = ctypes.c_float(1), ctypes.c_float(1 if add else 0)
        kind = CUDA_R_32F if out.dtype == torch.float32 else CUDA_R_16BF
        result = self.layout(kind, n, m, n)
        layouts = (self.layout(CUDA_R_8F_E4M3, k, n, k), self.layout(CUDA_R_8F_E5M2, k, m, k), result, result)
        description = self.described()
        best = self.algorithm(description, layouts)
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)

        def call():
            checked(self.lt.cublasLtMatmul(self.handle, description, ctypes.byref(alpha), pointer(x), layouts[0],
                                           pointer(dy), layouts[1], ctypes.byref(beta), pointer(out), result,
                                           pointer(out), result, best, pointer(self.workspace),
                                           ctypes.c_size_t(WORKSPACE_BYTES), stream))
        return call


def seconds(call, n_calls):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(n_calls):
        call()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) / 1e3 / n_calls


def timed(library, m, n, k):
    """Seconds of every mode: what comes out, whether it is added, burst or loop."""
    dy, x = library.operands(m, n, k)
    outs = {"bf16": torch.zeros(m, n, device="cuda").bfloat16(), "fp32": torch.zeros(m, n, device="cuda")}
    calls = {(out, add): library.prepare(dy, x, outs[out], add) for out in outs for add in (0, 1)}
    times = {(*key, mode): [] for key in calls for mode in ("burst", "loop")}
    for _ in range(3):
        for (out, add), call in calls.items():
            seconds(call, 2)
            time.sleep(0.05)
            burst_s = seconds(call, 4)
            seconds(call, int(0.15 / burst_s) + 1)
            times[out, add, "burst"].append(burst_s)
            times[out, add, "loop"].append(seconds(call, int(0.15 / burst_s) + 1))
            outs[out].zero_()
    return {key: statistics.median(measured) for key, measured in times.items()}


def checks(library):
    """The sum that was there and the product are what comes out."""
    dy, x = library.operands(64, 128, 256)
    before = torch.randn(64, 128, device="cuda")
    out = before.clone()
    library.prepare(dy, x, out, True)()
    product = dy.float().T @ x.float() if dy.shape[0] == 256 else dy.float() @ x.float().T
    assert (out - before - product).abs().max() < 0.01 * product.abs().max()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default=".")
    options = parser.parse_args()
    libraries = {"bf16": Bf16()}
    if torch.cuda.get_device_capability() >= (8, 9):
        libraries["fp8"] = Fp8()
    source = f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, CUDA {torch.version.cuda}"
    with open(os.path.join(options.out, "wgrad.csv"), "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["m", "n", "k", "in_dtype", "out_dtype", "accumulate", "mode", "time_s", "source"])
        for in_dtype, library in libraries.items():
            checks(library)
            for m, n, k in SIZES:
                for (out, add, mode), time_s in timed(library, m, n, k).items():
                    table.writerow([m, n, k, in_dtype, out, add, mode, f"{time_s:.6g}", source])
                file.flush()


if __name__ == "__main__":
    main()
