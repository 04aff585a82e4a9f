#!/usr/bin/env python3
"""Rates of kernels on a part of a chip's SMs.

A green context gives a stream N of the SMs, so that the same kernels see a chip with less arithmetic and fewer readers
for the same memory. cuBLAS is told the number, as it would ask a chip of that size. Operands of a kernel are together
larger than the last-level cache. Every row is the median of 5 groups of calls, by events; `kernel_name` is what the
profiler saw on the whole chip.

    kit_few_sms.py --out DIR
"""
import argparse
import csv
import ctypes
import os
import statistics

import torch
import torch.nn.functional as F
import triton
import triton.language as tl

CUDA = ctypes.CDLL("libcuda.so.1")


def check(code, name):
    if code != 0:
        raise RuntimeError(f"{name}: error {code}")


class Resource(ctypes.Structure):
    """CUdevResource: a type, 92 bytes that are not ours, and the number of SMs; 144 bytes in all, and some to spare."""
    _fields_ = [("type", ctypes.c_int), ("inner", ctypes.c_ubyte * 92), ("n_sm", ctypes.c_uint),
                ("rest", ctypes.c_ubyte * 156)]


def green_stream(n_sm):
    """A stream on at least n_sm SMs, and how many they are."""
    device, whole, part, rest = ctypes.c_int(), Resource(), Resource(), Resource()
    check(CUDA.cuDeviceGet(ctypes.byref(device), 0), "cuDeviceGet")
    check(CUDA.cuDeviceGetDevResource(device, ctypes.byref(whole), 1), "cuDeviceGetDevResource")
    groups = ctypes.c_uint(1)
    check(CUDA.cuDevSmResourceSplitByCount(ctypes.byref(part), ctypes.byref(groups), ctypes.byref(whole),
                                           ctypes.byref(rest), 0, n_sm), "cuDevSmResourceSplitByCount")
    described, green, stream = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    check(CUDA.cuDevResourceGenerateDesc(ctypes.byref(described), ctypes.byref(part), 1), "cuDevResourceGenerateDesc")
    check(CUDA.cuGreenCtxCreate(ctypes.byref(green), described, device, 1), "cuGreenCtxCreate")
    check(CUDA.cuGreenCtxStreamCreate(ctypes.byref(stream), green, 1, 0), "cuGreenCtxStreamCreate")
    return torch.cuda.ExternalStream(stream.value), part.n_sm


@triton.jit
def seen_sms(out, n: tl.constexpr):
    i = tl.program_id(0) * n + tl.arange(0, n)
    sm = tl.inline_asm_elementwise("mov.u32 $0, %smid;", "=r,r", [i], dtype=tl.int32, is_pure=False, pack=1)
    tl.store(out + i, sm)


@triton.jit
def read_rows(x, out, n, block: tl.constexpr, steps: tl.constexpr):
    """Every program adds up `steps` blocks that lie behind each other."""
    start = tl.program_id(0).to(tl.int64) * block * steps
    total = tl.zeros((block,), tl.float32)
    for i in range(steps):
        total += tl.load(x + start + i * block + tl.arange(0, block)).to(tl.float32)
    tl.store(out + tl.program_id(0), tl.sum(total, 0))


@triton.jit
def vector_product(w, x, y, columns, rows_each: tl.constexpr, block: tl.constexpr):
    """rows_each rows of w times x."""
    row = tl.program_id(0) * rows_each + tl.arange(0, rows_each)
    total = tl.zeros((rows_each, block), tl.float32)
    for k in range(0, columns, block):
        at = k + tl.arange(0, block)
        part = tl.load(w + row[:, None].to(tl.int64) * columns + at[None, :]).to(tl.float32)
        total += part * tl.load(x + at).to(tl.float32)[None, :]
    tl.store(y + row, tl.sum(total, 1).to(tl.bfloat16))


def cublas():
    for line in open("/proc/self/maps"):
        if "libcublas.so" in line:
            return ctypes.CDLL(line.split()[-1])
    raise RuntimeError("cuBLAS is not loaded")


def products(n, k, rows):
    """Products of few rows, with as many copies of the weights as keep them out of the cache."""
    copies = max(2, int(400e6 / (2 * n * k)) + 1)
    weights = [torch.randn(n, k, device="cuda").bfloat16() for _ in range(copies)]
    for m in rows:
        x = torch.randn(m, k, device="cuda").bfloat16()
        yield "gemm", m, n, k, 2 * (n * k + m * k + m * n), 2 * m * n * k, [
            lambda w=w, x=x: F.linear(x, w) for w in weights]
    x, y = torch.randn(k, device="cuda").bfloat16(), torch.empty(n, device="cuda").bfloat16()
    for each, block in ((1, 1024), (4, 512)):
        if k % block == 0:
            yield f"triton_gemv_{each}x{block}", 1, n, k, 2 * n * k, 2 * n * k, [
                lambda w=w: vector_product[(n // each,)](w, x, y, k, each, block) for w in weights]


def narrow_products(n, k, rows):
    copies = max(2, int(400e6 / (n * k)) + 1)
    weights = [torch.randn(n, k, device="cuda").to(torch.float8_e4m3fn) for _ in range(copies)]
    one = torch.ones((), device="cuda")
    for m in rows:
        x = torch.randn(m, k, device="cuda").to(torch.float8_e4m3fn)
        yield "gemm_fp8", m, n, k, n * k + m * k + 2 * m * n, 2 * m * n * k, [
            lambda w=w, x=x: torch._scaled_mm(x, w.t(), one, one, out_dtype=torch.bfloat16) for w in weights]


def memory():
    n = 1 << 29
    x, y = torch.randn(n, device="cuda").bfloat16(), torch.empty(n, device="cuda").bfloat16()
    out = torch.empty(1 << 20, device="cuda")
    for block, steps, warps in ((4096, 8, 4), (8192, 16, 8)):
        yield f"triton_read_{block}", 0, n, 0, 2 * n, 0, [
            lambda b=block, s=steps, v=warps: read_rows[(n // (b * s),)](x, out, n, b, s, num_warps=v)]
    yield "copy", 0, n, 0, 4 * n, 0, [lambda: torch.mul(x, 2, out=y)]
    yield "sum", 0, n, 0, 2 * n, 0, [lambda: torch.sum(x)]
    rows = x.view(-1, 8192)
    weight = torch.ones(8192, device="cuda").bfloat16()
    yield "rms_norm", rows.shape[0], 8192, 0, 4 * n, 0, [lambda: F.rms_norm(rows, (8192,), weight)]


def all_kernels():
    yield from memory()
    yield from products(5120, 5120, (1, 8, 16, 32, 64, 128, 256))
    yield from products(57344, 8192, (1, 8, 16, 32, 64, 128, 256, 4096))
    yield from products(8192, 28672, (1, 8, 64))
    yield from narrow_products(57344, 8192, (16, 64, 128, 4096))


def seconds(calls, stream):
    """Seconds of one call: groups of enough calls to last 3 ms, one after another on the stream."""
    with torch.cuda.stream(stream):
        for call in calls:
            call()
        stream.synchronize()
        times, n = [], len(calls)
        for attempt in range(6):
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record(stream)
            for i in range(n):
                calls[i % len(calls)]()
            end.record(stream)
            end.synchronize()
            took = begin.elapsed_time(end) / 1e3 / n
            if attempt == 0:
                n = min(200, max(len(calls), int(3e-3 / took)))
            else:
                times.append(took)
    return statistics.median(times)


def names(call):
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as seen:
        call()
        torch.cuda.synchronize()
    host = ("cuda", "cu", "Activity", "Lazy", "Runtime", "Memset")
    return " + ".join(e.key[:90] for e in seen.key_averages() if not e.key.startswith(host))


def sm_table(path, source):
    with open(path, "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["kernel", "n_sm", "rows", "n", "k", "bytes", "time_s", "kernel_name", "source"])
        torch.mm(torch.ones(16, 16, device="cuda").bfloat16(), torch.ones(16, 16, device="cuda").bfloat16())
        library = cublas()
        kernels = list(all_kernels())
        called = [names(k[6][0]) for k in kernels]
        marks = torch.empty(4096 * 32, device="cuda", dtype=torch.int32)
        for wanted in (16, 24, 40, 56, 64, 80, 96, 112, 132):
            stream, n_sm = green_stream(wanted) if wanted < 132 else (torch.cuda.Stream(), 132)
            with torch.cuda.stream(stream):
                seen_sms[(4096,)](marks, 32)
                stream.synchronize()
                print("SMs wanted", wanted, "given", n_sm, "seen", len(set(marks.tolist())), flush=True)
                handle = torch.cuda.current_blas_handle()
            check(library.cublasSetSmCountTarget(ctypes.c_void_p(handle), n_sm if n_sm < 132 else 0),
                  "cublasSetSmCountTarget")
            for (kind, m, n, k, n_bytes, flops, calls), name in zip(kernels, called):
                took = seconds(calls, stream)
                print(f"  {kind:20s} {m:5d} {n:6d} {k:6d} {took * 1e6:10.1f} us {n_bytes / took / 1e12:6.2f} TB/s "
                      f"{flops / took / 1e12:6.0f} TFLOP/s", flush=True)
                table.writerow([kind, n_sm, m, n, k, n_bytes, f"{took:.6g}", name, source])
            file.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default=".")
    options = parser.parse_args()
    source = f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, CUDA {torch.version.cuda}"
    sm_table(os.path.join(options.out, "few_sms.csv"), source)


if __name__ == "__main__":
    main()
