#!/usr/bin/env python3
"""Measure attention, framework operators and whole steps with PyTorch alone, and write CSV files for Orrery.

    kit_torch.py attention pointwise --seconds 80 --out DIR
    kit_torch.py steps --out DIR        training steps, prefill and decode
    kit_torch.py ops --out DIR          the fixed list behind validation/kernels/h200_training_ops.csv

Data are normally distributed. Unless said otherwise a time is that of a CUDA-graph replay. See README.md.
"""
import argparse
import csv
import itertools
import math
import os
import random
import sys
import time
import warnings

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

BACKENDS = {"flash": SDPBackend.FLASH_ATTENTION, "cudnn": SDPBackend.CUDNN_ATTENTION}
BF16 = torch.bfloat16


# ---------------------------------------------------------------- output

class Table:
    """A CSV file whose rows are appended and flushed one by one."""

    def __init__(self, folder, name, columns):
        path = os.path.join(folder, name)
        old = os.path.getsize(path) if os.path.exists(path) else 0
        if old:
            with open(path, newline="") as file:
                if next(csv.reader(file)) != columns:
                    sys.exit(f"kit_torch: {path} has other columns than this kit writes; choose another --out")
        self.file = open(path, "a", newline="")
        self.writer = csv.writer(self.file, lineterminator="\n")
        if not old:
            self.row(*columns)

    def row(self, *values):
        self.writer.writerow([f"{v:.6g}" if isinstance(v, float) else v for v in values])
        self.file.flush()


class Budget:
    """A budget of seconds; each part gets a share of what is left."""

    def __init__(self, seconds):
        self.end = time.monotonic() + seconds

    def part(self, share):
        return Budget((self.end - time.monotonic()) * share)

    def left(self):
        return time.monotonic() < self.end


def shuffled(cases):
    """Shuffle in the same order in every run, so that a run cut short is a sample of the whole list."""
    cases = list(cases)
    random.Random(1).shuffle(cases)
    return cases


def skipped(what, error):
    print(f"kit_torch: skipped {what}: {str(error).splitlines()[0][:120]}", file=sys.stderr, flush=True)


# ---------------------------------------------------------------- timing

def normal(*shape, dtype=BF16):
    return torch.randn(*shape, device="cuda", dtype=torch.float32).to(dtype)


def events_s(work):
    """The seconds that the GPU needs for what work() enqueues."""
    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    work()
    stop.record()
    stop.synchronize()
    return start.elapsed_time(stop) * 1e-3


def repeat(function, n):
    for _ in range(n):
        function()


def time_stream(function, warm=2, target=0.03, idle=0.25, most=400):
    """Seconds per call, eager calls back to back after a pause."""
    repeat(function, warm)
    torch.cuda.synchronize()
    once = events_s(function)
    n = max(1, min(most, int(target / max(once, 1e-6))))
    time.sleep(idle)
    return events_s(lambda: repeat(function, n)) / n


def capture(functions, n_nodes):
    graph = torch.cuda.CUDAGraph()
    torch.cuda.synchronize()
    graph.capture_begin()
    try:
        for i in range(n_nodes):
            functions[i % len(functions)]()
    finally:
        graph.capture_end()
    return graph


def time_graph(functions, target=0.009):
    """Seconds per call, calling the functions in turn from a graph: median of three batches. The GPU then rests twice
    as long as it worked, which keeps it off its power limit."""
    repeat(functions[0], 2)
    once = events_s(functions[-1])
    n_nodes = min(256, max(1, int(1e-3 / once), min(len(functions), int(3e-3 / once))))
    graph = capture(functions, n_nodes)
    if once > 0.005:
        time.sleep(2 * once)
        batches, n = [events_s(graph.replay)], 1
    else:
        n = max(1, int(target / 3 / events_s(graph.replay)))
        batches = [events_s(lambda: repeat(graph.replay, n)) for _ in range(3)]
    graph.reset()
    time.sleep(min(0.3, 2 * sum(batches)))
    return sorted(batches)[len(batches) // 2] / n / n_nodes


def slots(nbytes, most=128):
    """Enough copies of a buffer that each has left L2 when it is used again."""
    l2_bytes = torch.cuda.get_device_properties(0).L2_cache_size
    return min(most, 1 + math.ceil(8 * l2_bytes / nbytes))


# ---------------------------------------------------------------- attention

HEADS = [(32, 32), (32, 8), (64, 8), (16, 16), (12, 12), (8, 8), (8, 1), (96, 96)]  # query heads, key/value heads
ATTENTION = ["batch", "q_len", "kv_len", "heads", "kv_heads", "head_dim", "causal", "dtype", "kv_dtype", "time_s",
             "backend", "source"]
DECODE = ["batch", "kv_len", "heads", "kv_heads", "head_dim", "dtype", "kv_dtype", "time_s", "backend", "source"]


def attention_cases(most_flops):
    for batch, s, (h, g), d, backend in itertools.product(
            [1, 2, 4, 8, 16, 32], [128, 256, 512, 1024, 2048, 4096, 8192, 16384], HEADS, [64, 80, 96, 128], BACKENDS):
        if d in (80, 96) and (h, g) not in ((32, 32), (16, 16)):
            continue
        if batch * s <= 65536 and 2 * batch * h * s * s * d <= most_flops:
            yield batch, s, h, g, d, backend


def sdpa(q, k, v, causal):
    return F.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=q.shape[1] != k.shape[1])


def measure_prefill(batch, s, h, g, d, backend):
    q, k, v = normal(batch, h, s, d), normal(batch, g, s, d), normal(batch, g, s, d)
    with sdpa_kernel(BACKENDS[backend]), torch.no_grad():
        return time_graph([lambda: sdpa(q, k, v, True)])


def measure_backward(batch, s, h, g, d, backend):
    q, k, v = (normal(batch, n, s, d).requires_grad_() for n in (h, g, g))
    with sdpa_kernel(BACKENDS[backend]):
        out = sdpa(q, k, v, True)
        gradient = normal(*out.shape)
        return time_graph([lambda: torch.autograd.grad(out, (q, k, v), gradient, retain_graph=True)])


def measure_decode(batch, length, h, g, d, backend):
    """One new token per sequence; the cache rotates, so it comes from DRAM."""
    n = slots(4 * batch * g * length * d, most=64)
    q = normal(batch, h, 1, d)
    caches = [(normal(batch, g, length, d), normal(batch, g, length, d)) for _ in range(n)]
    with sdpa_kernel(BACKENDS[backend]), torch.no_grad():
        return time_graph([lambda k=k, v=v: sdpa(q, k, v, False) for k, v in caches])


def run_square(out, source, budget, name, measure, most_flops):
    table = Table(out, name, ATTENTION)
    done = 0
    for batch, s, h, g, d, backend in shuffled(attention_cases(most_flops)):
        if not budget.left():
            break
        try:
            seconds = measure(batch, s, h, g, d, backend)
        except RuntimeError as error:
            skipped(f"{name} {batch}x{h}/{g}x{s}x{d} {backend}", error)
            continue
        table.row(batch, s, s, h, g, d, 1, "bf16", "bf16", seconds, backend, source)
        done += 1
    print(f"kit_torch: {name}: {done} rows", file=sys.stderr, flush=True)


def decode_cases():
    for batch, length, (h, g), d, backend in itertools.product(
            [1, 2, 4, 8, 16, 32, 64, 128, 256], [128, 512, 1024, 2048, 4096, 8192, 16384, 32768], HEADS, [64, 128],
            BACKENDS):
        if 4 * batch * g * length * d <= 4 << 30:
            yield batch, length, h, g, d, backend


def run_decode(out, source, budget):
    table = Table(out, "attention_decode.csv", DECODE)
    done = 0
    for batch, length, h, g, d, backend in shuffled(decode_cases()):
        if not budget.left():
            break
        try:
            seconds = measure_decode(batch, length, h, g, d, backend)
        except RuntimeError as error:
            skipped(f"decode {batch}x{h}/{g}x{length}x{d} {backend}", error)
            continue
        table.row(batch, length, h, g, d, "bf16", "bf16", seconds, backend, source)
        done += 1
    print(f"kit_torch: attention_decode.csv: {done} rows", file=sys.stderr, flush=True)


def run_attention(out, source, budget):
    run_square(out, source, budget.part(0.40), "attention_prefill.csv", measure_prefill, 1e13)
    run_square(out, source, budget.part(0.45), "attention_backward.csv", measure_backward, 4e12)
    run_decode(out, source, budget)


# ---------------------------------------------------------------- framework operators

# name: bytes per element, function of (x, y, weight, bias)
FORWARD = {
    "add": (6, lambda x, y, w, b: x + y),
    "mul": (6, lambda x, y, w, b: x * y),
    "copy": (4, lambda x, y, w, b: x.clone()),
    "gelu": (4, lambda x, y, w, b: F.gelu(x)),
    "silu": (4, lambda x, y, w, b: F.silu(x)),
    "dropout": (5, lambda x, y, w, b: F.dropout(x, 0.1, True)),
    "layernorm": (4, lambda x, y, w, b: F.layer_norm(x, x.shape[-1:], w, b)),
    "rmsnorm": (4, lambda x, y, w, b: F.rms_norm(x, x.shape[-1:], w)),
    "softmax": (4, lambda x, y, w, b: F.softmax(x, -1)),
    "upcast": (6, lambda x, y, w, b: x.float()),
}
BACKWARD = {"gelu": 6, "silu": 6, "dropout": 5, "layernorm": 6, "rmsnorm": 6, "softmax": 6}


def measure_forward(function, rows, cols):
    n = slots(2 * rows * cols)
    x, y, w, b = normal(n, rows, cols), normal(n, rows, cols), normal(cols), normal(cols)
    with torch.no_grad():
        return time_graph([lambda i=i: function(x[i], y[i], w, b) for i in range(n)])


def measure_op_backward(function, rows, cols):
    x, y, w, b = normal(rows, cols), normal(rows, cols), normal(cols), normal(cols)
    leaves = [t.requires_grad_() for t in (x, w, b)]
    out = function(x, y, w, b)
    gradient = normal(rows, cols)
    return time_graph([lambda: torch.autograd.grad(out, leaves, gradient, retain_graph=True, allow_unused=True)])


def pointwise_cases():
    for op, rows, cols in itertools.product(FORWARD, [1, 16, 128, 1024, 4096, 16384], [4096, 8192, 12288]):
        yield op, False, rows, cols
    for op, rows, cols in itertools.product(BACKWARD, [4096, 8192, 16384], [4096, 8192, 12288]):
        yield op, True, rows, cols


def run_pointwise(out, source, budget):
    table = Table(out, "pointwise.csv", ["op", "rows", "cols", "dtype", "bytes", "time_s", "source"])
    done = 0
    for op, backward, rows, cols in shuffled(pointwise_cases()):
        if not budget.left():
            break
        per_element, function = FORWARD[op]
        try:
            seconds = (measure_op_backward if backward else measure_forward)(function, rows, cols)
        except RuntimeError as error:
            skipped(f"{op} {rows}x{cols}", error)
            continue
        name, per_element = (op + "_backward", BACKWARD[op]) if backward else (op, per_element)
        table.row(name, rows, cols, "bf16", per_element * rows * cols, seconds, source)
        done += 1
    print(f"kit_torch: pointwise.csv: {done} rows", file=sys.stderr, flush=True)


# ---------------------------------------------------------------- whole steps

class Block(torch.nn.Module):
    """One layer: "gpt" has biases, layer norm and GELU; "llama" RMS norm, rotary positions and a gated MLP."""

    def __init__(self, style, hidden, heads, kv_heads, ffn):
        super().__init__()
        self.gpt, self.heads, self.kv_heads, self.size = style == "gpt", heads, kv_heads, hidden // heads
        linear = lambda i, o: torch.nn.Linear(i, o, bias=self.gpt, device="cuda", dtype=BF16)
        norm = torch.nn.LayerNorm if self.gpt else torch.nn.RMSNorm
        self.norm1, self.norm2 = (norm(hidden, device="cuda", dtype=BF16) for _ in range(2))
        self.qkv, self.o = linear(hidden, (heads + 2 * kv_heads) * self.size), linear(hidden, hidden)
        self.up, self.down = linear(hidden, ffn if self.gpt else 2 * ffn), linear(ffn, hidden)

    def rotate(self, x, turn):
        a, b = x.float().chunk(2, -1)
        cos, sin = turn
        return torch.cat((a * cos - b * sin, a * sin + b * cos), -1).to(x.dtype)

    def attend(self, x, turn, cache):
        b, s, _ = x.shape
        qkv = self.qkv(x).view(b, s, -1, self.size).transpose(1, 2)
        q, k, v = qkv.split([self.heads, self.kv_heads, self.kv_heads], 1)
        if not self.gpt:
            q, k = self.rotate(q, turn), self.rotate(k, turn)
        if cache is not None:  # decode: the last place of the cache is the new token's
            cache[0][:, :, -1:], cache[1][:, :, -1:] = k, v
            k, v = cache
        return self.o(sdpa(q, k, v, s > 1).transpose(1, 2).reshape(b, s, -1))

    def forward(self, x, turn, cache=None):
        x = x + self.attend(self.norm1(x), turn, cache)
        y = self.up(self.norm2(x))
        if self.gpt:
            return x + self.down(F.gelu(y))
        gate, up = y.chunk(2, -1)
        return x + self.down(F.silu(gate) * up)


class Model(torch.nn.Module):
    def __init__(self, style, layers, hidden, heads, kv_heads, ffn, vocab):
        super().__init__()
        self.embed = torch.nn.Embedding(vocab, hidden, device="cuda", dtype=BF16)
        self.blocks = torch.nn.ModuleList(Block(style, hidden, heads, kv_heads, ffn) for _ in range(layers))
        self.norm = (torch.nn.LayerNorm if style == "gpt" else torch.nn.RMSNorm)(hidden, device="cuda", dtype=BF16)
        self.head = torch.nn.Linear(hidden, vocab, bias=False, device="cuda", dtype=BF16)
        for parameter in self.parameters():
            if parameter.dim() == 2:
                torch.nn.init.normal_(parameter, std=0.02)

    def turn(self, start, n):
        """Cosine and sine of the rotary angles of positions start .. start + n - 1."""
        size = self.blocks[0].size
        rate = 10000.0 ** (-torch.arange(0, size, 2, device="cuda") / size)
        angle = torch.arange(start, start + n, device="cuda")[:, None] * rate
        return angle.cos(), angle.sin()

    def forward(self, tokens, turn, caches=None, last=False):
        x = self.embed(tokens)
        for i, block in enumerate(self.blocks):
            x = block(x, turn, caches[i] if caches else None)
        x = self.norm(x[:, -1:] if last else x)
        return self.head(x)


class Optimizer:
    """AdamW on fp32 masters: gradients are copied to fp32, weights back to bf16. 18 bytes per parameter in all."""

    def __init__(self, model):
        self.weights = list(model.parameters())
        self.masters = [w.detach().float().requires_grad_() for w in self.weights]
        for master in self.masters:
            master.grad = torch.zeros_like(master)
        self.adam = torch.optim.AdamW(self.masters, lr=1e-5, fused=True)

    def step(self):
        torch._foreach_copy_([m.grad for m in self.masters], [w.grad for w in self.weights])
        self.adam.step()
        with torch.no_grad():
            torch._foreach_copy_(self.weights, self.masters)
        for weight in self.weights:
            weight.grad = None


# id, style, layers, hidden, heads, ffn, vocab
TRAINED = [("gpt-1.3b", "gpt", 24, 2048, 16, 8192, 51200),
           ("llama2-7b-4layers", "llama", 4, 4096, 32, 11008, 32000),
           ("gpt22b-4layers", "gpt", 4, 6144, 64, 24576, 51200),
           ("llama-3b", "llama", 26, 3200, 32, 8640, 32000)]
STEP = ["id", "model", "style", "layers", "hidden", "heads", "ffn", "vocab", "params", "precision", "attention",
        "dropout", "recompute", "compiled", "seq", "micro_batch", "fwd_s", "bwd_s", "opt_s", "step_s", "peak_bytes",
        "static_bytes", "notes"]


def train_times(model, optimizer, seq, batch, n=4):
    """The forward, backward and optimizer seconds: medians of n steps after two warm-up steps."""
    vocab = model.head.weight.shape[0]
    tokens, target = (torch.randint(0, vocab, (batch, seq), device="cuda") for _ in range(2))
    turn = model.turn(0, seq)
    loss = None

    def forward():
        nonlocal loss
        loss = F.cross_entropy(model(tokens, turn).float().view(-1, vocab), target.view(-1))

    times = []
    for _ in range(2 + n):
        times.append([events_s(forward), events_s(lambda: loss.backward()), events_s(optimizer.step)])
    return [sorted(column)[n // 2] for column in zip(*times[2:])]


def run_training(out, source, budget):
    table = Table(out, "steps.csv", STEP)
    for name, style, layers, hidden, heads, ffn, vocab in TRAINED:
        if not budget.left():
            break
        model = Model(style, layers, hidden, heads, heads, ffn, vocab)
        optimizer = Optimizer(model)
        optimizer.adam.step()  # This makes the moments.
        static = torch.cuda.memory_allocated()
        params = sum(p.numel() for p in model.parameters())
        for seq, batch in [(2048, 1), (2048, 4), (1024, 2), (4096, 2), (512, 16)]:
            if not budget.left():
                break
            torch.cuda.reset_peak_memory_stats()
            try:
                fwd, bwd, opt = train_times(model, optimizer, seq, batch)
            except torch.cuda.OutOfMemoryError as error:
                skipped(f"{name} {batch}x{seq}", error)
                continue
            table.row(f"{name}-s{seq}-b{batch}", name, style, layers, hidden, heads, ffn, vocab, params, "bf16",
                      "flash", 0.0, "none", 0, seq, batch, fwd, bwd, opt, fwd + bwd + opt,
                      torch.cuda.max_memory_allocated(), static, source)
        del model, optimizer
        torch.cuda.empty_cache()


SERVED = [("llama2-7b", 32, 4096, 32, 32, 11008, 32000), ("llama3-8b", 32, 4096, 32, 8, 14336, 128256)]
SYSTEMS = {"NVIDIA H200": "h200-sxm", "NVIDIA H100 80GB HBM3": "h100-sxm", "NVIDIA B200": "b200-sxm",
           "NVIDIA A100-SXM4-80GB": "a100-80g-sxm", "NVIDIA L40S": "l40s"}
SERVING = ["id", "source", "url", "model", "system", "gpus", "tp", "pp", "dp", "ep", "precision", "kv_precision",
           "batch", "concurrency", "input_len", "output_len", "metric", "value", "engine", "notes"]


@torch.no_grad()
def prefill_s(model, batch, length):
    tokens = torch.randint(0, model.head.weight.shape[0], (batch, length), device="cuda")
    turn = model.turn(0, length)
    return time_graph([lambda: model(tokens, turn, last=True).argmax(-1)])


@torch.no_grad()
def decode_s(model, batch, length):
    block = model.blocks[0]
    tokens = torch.randint(0, model.head.weight.shape[0], (batch, 1), device="cuda")
    turn = model.turn(length - 1, 1)
    caches = [[normal(batch, block.kv_heads, length, block.size) for _ in range(2)] for _ in model.blocks]
    return time_graph([lambda: model(tokens, turn, caches, last=True).argmax(-1)])


def run_serving(out, source, budget):
    table = Table(out, "steps_inference.csv", SERVING)
    gpu = torch.cuda.get_device_name(0)
    cases = [("prefill_s", b, s) for b, s in [(1, 128), (1, 512), (1, 2048), (4, 2048), (1, 8192)]]
    cases += [("decode_step_s", b, s) for b, s in [(1, 512), (8, 512), (64, 512), (1, 4096), (16, 4096), (256, 512)]]
    for name, *shape in SERVED:
        if not budget.left():
            break
        model = Model("llama", *shape).requires_grad_(False)
        for metric, batch, length in shuffled(cases):
            if not budget.left():
                break
            try:
                seconds = (prefill_s if metric == "prefill_s" else decode_s)(model, batch, length)
            except RuntimeError as error:
                skipped(f"{name} {metric} {batch}x{length}", error)
                continue
            table.row(f"{name}-{metric}-{batch}x{length}", source, "", name, SYSTEMS.get(gpu, gpu), 1, 1, 1, 1, "",
                      "bf16", "bf16", batch, "", length, "", metric, seconds, "pytorch-eager-cudagraph",
                      "random weights; logits of the last position")
        del model
        torch.cuda.empty_cache()


def run_steps(out, source, budget):
    run_training(out, source, budget.part(0.6))
    run_serving(out, source, budget)


# ---------------------------------------------------------------- ops: the list of h200_training_ops.csv

class Ops:
    """Eager calls. `frac` is a share of 989 TFLOP/s and `frac_hbm` of 4.8 TB/s, on any GPU."""

    def __init__(self, out):
        self.table = Table(out, "training_ops.csv", ["group", "op", "shape", "mode", "time_s", "metric", "value"])

    def record(self, group, op, shape, mode, seconds, metric, value):
        self.table.row(group, op, shape, mode, f"{seconds:.6g}", metric, f"{value:.5g}")

    def product(self, op, shape, flops, function, modes):
        for mode, target, idle in modes:
            seconds = time_stream(function, target=target, idle=idle, most=400 if mode == "burst" else 10**6)
            self.record("gemm", op, shape, mode, seconds, "tflops", flops / seconds / 1e12)

    def attention(self, group, label, shape, flops, function):
        for mode, target, idle in [("burst", 0.03, 0.25), ("1.5s", 1.5, 0)][:2 if shape[2] >= 4096 else 1]:
            seconds = time_stream(function, target=target, idle=idle, most=400 if mode == "burst" else 10**6)
            self.record(group, label, "x".join(map(str, shape)), mode, seconds, "frac", flops / seconds / 989e12)

    def pointwise(self, op, shape, nbytes, function):
        seconds = time_stream(function, target=0.05, idle=0)
        self.record("pointwise", op, shape, "burst", seconds, "frac_hbm", nbytes / seconds / 4.8e12)


def ops_products(ops):
    short, long = [("burst", 0.03, 0.25), ("1s", 1.0, 0)], [("burst", 0.03, 0.3), ("1s", 1, 0), ("4s", 4, 0)]
    for t, h, n in [(4096, 2560, 10240), (8192, 2560, 7680), (4096, 4096, 16384), (8192, 4096, 16384),
                    (8192, 8192, 28672), (4096, 12288, 49152), (4096, 12288, 12288), (16384, 4096, 4096),
                    (4096, 2560, 51200)]:
        x, w, dy = normal(t, h), normal(n, h) * 0.02, normal(t, n)
        for op, function in [("fwd", lambda: F.linear(x, w)), ("dgrad", lambda: dy @ w), ("wgrad", lambda: dy.t() @ x)]:
            ops.product(op, f"{t}x{h}x{n}", 2 * t * h * n, function, short)
    a, b = normal(8192, 8192), normal(8192, 8192)
    try:
        a8, b8, one = a.to(torch.float8_e4m3fn), b.to(torch.float8_e4m3fn).t(), torch.tensor(1.0, device="cuda")
        ops.product("fp8", "8192x8192x8192", 2 * 8192**3,
                    lambda: torch._scaled_mm(a8, b8, scale_a=one, scale_b=one, out_dtype=BF16), long)
    except RuntimeError as error:
        skipped("fp8", error)
    try:
        rows = torch.rand(64, 8192, device="cuda").t()  # a scale per row and 128 columns, stored by columns
        blocks = torch.rand(64, 64, device="cuda")
        ops.product("fp8 in blocks of 128", "8192x8192x8192", 2 * 8192**3,
                    lambda: torch._scaled_mm(a8, b8, scale_a=rows, scale_b=blocks, out_dtype=BF16), long)
    except (RuntimeError, ValueError) as error:
        skipped("fp8 in blocks of 128", error)
    ops.product("bf16", "8192x8192x8192", 2 * 8192**3, lambda: a @ b, long)


def ops_attention(ops):
    default = [(2, 32, 2048, 80), (4, 32, 2048, 128), (2, 32, 2048, 100), (1, 12, 2048, 128), (4, 16, 2048, 128),
               (8, 32, 1024, 128), (1, 32, 8192, 128), (4, 64, 2048, 96), (2, 64, 2048, 128)]
    named = [(4, 32, 2048, 128), (1, 32, 8192, 128), (1, 8, 4096, 128)]
    every = [SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
    for label, shape in [("default", s) for s in default] + [(b, s) for s in named for b in BACKENDS]:
        batch, h, s, d = shape
        flops = 2 * batch * h * s * s * d
        q, k, v = (normal(*shape).requires_grad_() for _ in range(3))
        try:
            with sdpa_kernel(BACKENDS.get(label, every)):
                with torch.no_grad():
                    ops.attention("attn_fwd", label, shape, flops, lambda: sdpa(q, k, v, True))
                o = sdpa(q, k, v, True)
                g = normal(*o.shape)
                ops.attention("attn_bwd", label, shape, 2.5 * flops,
                              lambda: torch.autograd.grad(o, (q, k, v), g, retain_graph=True))
        except RuntimeError as error:
            skipped(f"attention {label} {shape}", error)


def ops_layer(ops, t, h):
    """Operators of one layer at t tokens and hidden size h, with their gradients."""
    x, w, b = (normal(*s).requires_grad_() for s in ((t, h), (h,), (h,)))
    f = 4 * h
    z = normal(t, f).requires_grad_()
    g, gz, e, ef, small, wide = normal(t, h), normal(t, f), t * h, t * f, f"{t}x{h}", f"{t}x{f}"
    forward = [("layernorm", small, 4 * e, lambda: F.layer_norm(x, (h,), w, b)),
               ("rmsnorm", small, 4 * e, lambda: F.rms_norm(x, (h,), w)),
               ("gelu", wide, 4 * ef, lambda: F.gelu(z)), ("silu", wide, 4 * ef, lambda: F.silu(z)),
               ("mul", wide, 6 * ef, lambda: z * gz), ("bias_grad sum0", wide, 2 * ef, lambda: gz.sum(0)),
               ("dropout train", small, 5 * e, lambda: F.dropout(x, 0.1, True)), ("add", small, 6 * e, lambda: x + g)]
    with torch.no_grad():
        for op, shape, nbytes, function in forward:
            ops.pointwise(op, shape, nbytes, function)
    for op, shape, nbytes, out, leaves, gradient in [
            ("layernorm.bwd(x,w,b) 3 acc", small, 6 * e, F.layer_norm(x, (h,), w, b), (x, w, b), g),
            ("rmsnorm.bwd 3 acc", small, 6 * e, F.rms_norm(x, (h,), w), (x, w), g),
            ("gelu.bwd", wide, 6 * ef, F.gelu(z), z, gz),
            ("dropout.bwd", small, 5 * e, F.dropout(x, 0.1, True), x, g)]:
        ops.pointwise(op, shape, nbytes, lambda: torch.autograd.grad(out, leaves, gradient, retain_graph=True))


def ops_scores(ops, n, c):
    """Operators on the score matrix of unfused attention."""
    x, g, e, shape = normal(n, c).requires_grad_(), normal(n, c), n * c, f"{n}x{c}"
    y = F.softmax(x, -1)
    with torch.no_grad():
        ops.pointwise("softmax", shape, 4 * e, lambda: F.softmax(x, -1))
        ops.pointwise("softmax fp32->bf16", shape, 4 * e, lambda: F.softmax(x, -1, dtype=torch.float32).to(BF16))
        ops.pointwise("scale mul", shape, 4 * e, lambda: x * 0.1)
        ops.pointwise("dropout scores", shape, 5 * e, lambda: F.dropout(y, 0.1, True))
    dropped = F.dropout(y, 0.1, True)
    ops.pointwise("softmax.bwd", shape, 6 * e, lambda: torch.autograd.grad(y, x, g, retain_graph=True))
    ops.pointwise("dropout scores.bwd", shape, 5 * e, lambda: torch.autograd.grad(dropped, y, g, retain_graph=True))


def ops_ends(ops):
    """Loss, embedding gradient and the casts around the optimizer."""
    for t, vocab in [(4096, 51200), (8192, 32000), (8192, 51200), (4096, 128256)]:
        x, target = normal(t, vocab).requires_grad_(), torch.randint(0, vocab, (t,), device="cuda")
        loss = lambda: F.cross_entropy(x.float(), target)
        with torch.no_grad():
            ops.pointwise("loss float CE fwd per logit@18", f"{t}x{vocab}", 18 * t * vocab, loss)
        ops.pointwise("loss float CE fwd+bwd per logit@18", f"{t}x{vocab}", 18 * t * vocab,
                      lambda: torch.autograd.grad(loss(), x))
    for t, h, vocab in [(8192, 2560, 51200), (8192, 4096, 32000)]:
        w, tokens = normal(vocab, h).requires_grad_(), torch.randint(0, vocab, (t,), device="cuda")
        y, g = F.embedding(tokens, w), normal(t, h)
        ops.pointwise("embedding.bwd", f"{t}x{h}x{vocab}", (3 * t * h + vocab * h) * 2,
                      lambda: torch.autograd.grad(y, w, g, retain_graph=True))
    low, high = [[normal(4096, 4096, dtype=d) for _ in range(24)] for d in (BF16, torch.float32)]
    nbytes, shape = 6 * 24 * 4096 * 4096, "24x4096x4096"
    ops.pointwise("copy bf16->fp32", shape, nbytes, lambda: [f.copy_(p) for p, f in zip(low, high)])
    ops.pointwise("copy fp32->bf16", shape, nbytes, lambda: [p.copy_(f) for p, f in zip(low, high)])
    ops.pointwise("add fp32+=bf16", shape, nbytes / 6 * 10, lambda: [f.add_(p) for p, f in zip(low, high)])
    ops.pointwise("foreach copy bf16->fp32", shape, nbytes, lambda: torch._foreach_copy_(high, low))


def run_ops(out, source, budget):
    ops = Ops(out)
    ops_products(ops)
    ops_attention(ops)
    for t, h in [(8192, 2560), (8192, 4096), (8192, 8192), (4096, 12288)]:
        ops_layer(ops, t, h)
    for n, c in [(64 * 2048, 1024), (64 * 2048, 2048), (32 * 2048, 4096)]:
        ops_scores(ops, n, c)
    ops_ends(ops)


# ---------------------------------------------------------------- command line

PARTS = {"attention": (run_attention, 0.5), "pointwise": (run_pointwise, 0.2), "steps": (run_steps, 0.3),
         "ops": (run_ops, 0.5)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="+", choices=[*PARTS, "all"], help="all: attention, pointwise and steps")
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after about this long (ops runs to its end)")
    parser.add_argument("--out", default=".", help="folder of the CSV files, which are appended to")
    parser.add_argument("--source", help='last column (default: "GPU name, PyTorch version, kit 1")')
    options = parser.parse_args()
    if not os.path.isdir(options.out):
        sys.exit(f"kit_torch: --out: no folder {options.out}")
    if not torch.cuda.is_available():
        sys.exit("kit_torch: PyTorch sees no GPU")
    budget = Budget(options.seconds)
    warnings.filterwarnings("ignore")  # The error says why a backend was refused.
    torch.manual_seed(0)
    torch.cuda.set_stream(torch.cuda.Stream())  # Graphs cannot be captured on the default stream.
    source = options.source or f"{torch.cuda.get_device_name(0)}, PyTorch {torch.__version__.split('+')[0]}, kit 1"
    parts = list(PARTS)[:3] if "all" in options.parts else [p for p in PARTS if p in options.parts]
    for i, part in enumerate(parts):
        run, share = PARTS[part]
        run(options.out, source, budget.part(share / sum(PARTS[p][1] for p in parts[i:])))


if __name__ == "__main__":
    main()
