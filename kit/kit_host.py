#!/usr/bin/env python3
"""Measure what the host spends on a training or serving layer: kernel launches and seconds per layer of eager, compiled
and graph-captured PyTorch, forward, backward, recomputation and optimizer, plain and under the wrappers of data and
tensor parallelism; and the seconds of single calls (operators, Triton kernels, autograd functions, hooks, collectives).

    kit_host.py layers calls --out DIR

The layers are so narrow that the GPU is always done before the host: what is measured is the host. Every figure per
layer is the difference between a model of 2 L and one of L layers, divided by L. Wrappers run with one rank, so their
collectives move nothing, but the host calls them as in a large job. See README.md.
"""
import argparse
import csv
import functools
import os
import platform
import time
import warnings

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

HIDDEN, HEADS, KV_HEADS, FFN, VOCAB = 128, 2, 1, 256, 256
TOKENS, LAYERS, ROUNDS, REPEATS = 64, 8, 8, 8
BF16 = torch.bfloat16


# ---------------------------------------------------------------- output

class Table:
    """A CSV file whose rows are flushed one by one."""

    def __init__(self, folder, name, columns):
        path = os.path.join(folder, name)
        new = not os.path.exists(path)
        self.file = open(path, "a", newline="")
        self.writer = csv.writer(self.file, lineterminator="\n")
        if new:
            self.row(*columns)

    def row(self, *values):
        self.writer.writerow([f"{v:.5g}" if isinstance(v, float) else v for v in values])
        self.file.flush()


def cpu_name():
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def source():
    return f"{torch.cuda.get_device_name(0)}, {cpu_name()}, PyTorch {torch.__version__}, kit 1"


# ---------------------------------------------------------------- measuring

def least_s(works, rounds=ROUNDS, repeats=REPEATS):
    """The least wall time of each call, with an idle GPU before and after it. The calls take turns, and other work on
    the machine only ever adds, so the least of many is the host's own time."""
    best = [float("inf")] * len(works)
    for _ in range(rounds):
        for i, work in enumerate(works):
            work()
            for _ in range(repeats):
                torch.cuda.synchronize()
                start = time.perf_counter()
                work()
                torch.cuda.synchronize()
                best[i] = min(best[i], time.perf_counter() - start)
    return best


def kernels_of(work):
    """Kernels, copies and fills that work() puts on the GPU, and the seconds the GPU is busy with them."""
    work()
    torch.cuda.synchronize()
    activities = [torch.profiler.ProfilerActivity.CUDA, torch.profiler.ProfilerActivity.CPU]
    with torch.profiler.profile(activities=activities) as profile:
        work()
        torch.cuda.synchronize()
    on_device = [e for e in profile.events() if e.device_type == torch.autograd.DeviceType.CUDA]
    return len(on_device), sum(e.device_time for e in on_device) * 1e-6


# ---------------------------------------------------------------- layers

class Norm(nn.Module):
    """RMS norm as eager frameworks write it: in fp32, one operator at a time."""

    def __init__(self, fused):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(HIDDEN))
        self.fused = fused

    def forward(self, x):
        if self.fused:
            return F.rms_norm(x, (HIDDEN,), self.weight, 1e-5)
        y = x.float()
        return self.weight * (y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + 1e-5)).to(x.dtype)


def rotate(x, cos, sin):
    a, b = x.chunk(2, -1)
    return x * cos + torch.cat((-b, a), -1) * sin


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.d = HIDDEN // HEADS
        self.q = nn.Linear(HIDDEN, HIDDEN, bias=False)
        self.k = nn.Linear(HIDDEN, KV_HEADS * self.d, bias=False)
        self.v = nn.Linear(HIDDEN, KV_HEADS * self.d, bias=False)
        self.o = nn.Linear(HIDDEN, HIDDEN, bias=False)

    def fuse(self):
        """Query, key and value become one product."""
        linear = nn.Linear(HIDDEN, (HEADS + 2 * KV_HEADS) * self.d, bias=False, device="cuda", dtype=BF16)
        self.qkv = Sharded(Column, linear)
        del self.q, self.k, self.v

    def project(self, x):
        if hasattr(self, "qkv"):
            return self.qkv(x).split([HIDDEN, KV_HEADS * self.d, KV_HEADS * self.d], -1)
        return self.q(x), self.k(x), self.v(x)

    def forward(self, x, cos, sin):
        q, k, v = (y.unflatten(-1, (-1, self.d)).transpose(1, 2) for y in self.project(x))
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        return self.o(y.transpose(1, 2).flatten(-2))


class Ffn(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate, self.up = (nn.Linear(HIDDEN, FFN, bias=False) for _ in range(2))
        self.down = nn.Linear(FFN, HIDDEN, bias=False)

    def fuse(self):
        """Gate and up become one product."""
        self.both = Sharded(Column, nn.Linear(HIDDEN, 2 * FFN, bias=False, device="cuda", dtype=BF16))
        del self.gate, self.up

    def forward(self, x):
        gate, up = self.both(x).chunk(2, -1) if hasattr(self, "both") else (self.gate(x), self.up(x))
        return self.down(F.silu(gate) * up)


class ExpertLoop(nn.Module):
    """Experts as scripts write them: a loop that gathers the rows of every expert."""

    def __init__(self, experts=8, active=2):
        super().__init__()
        self.active = active
        self.router = nn.Linear(HIDDEN, experts, bias=False)
        self.experts = nn.ModuleList(Ffn() for _ in range(experts))

    def forward(self, x):
        rows = x.flatten(0, 1)
        weight, chosen = self.router(rows).softmax(-1).topk(self.active, -1)
        out = torch.zeros_like(rows)
        for i, expert in enumerate(self.experts):
            row, slot = torch.where(chosen == i)
            out.index_add_(0, row, expert(rows[row]) * weight[row, slot, None])
        return out.view_as(x)


class Layer(nn.Module):
    def __init__(self, kind):
        super().__init__()
        fused = kind == "fused-norm"
        self.norm1, self.norm2 = Norm(fused), Norm(fused)
        self.attention = Attention()
        self.ffn = ExpertLoop() if kind == "experts-loop" else Ffn()

    def forward(self, x, cos, sin):
        x = x + self.attention(self.norm1(x), cos, sin)
        return x + self.ffn(self.norm2(x))


class Model(nn.Module):
    def __init__(self, kind, n_layers, recompute=False):
        super().__init__()
        self.embedding = nn.Embedding(VOCAB, HIDDEN)
        self.layers = nn.ModuleList(Layer(kind) for _ in range(n_layers))
        self.head = nn.Linear(HIDDEN, VOCAB, bias=False)
        self.recompute = recompute
        angle = torch.arange(TOKENS)[:, None] / 10000 ** (torch.arange(0, HIDDEN // HEADS, 2) / (HIDDEN // HEADS))
        angle = torch.cat((angle, angle), -1)
        self.register_buffer("cos", angle.cos().to(BF16), persistent=False)
        self.register_buffer("sin", angle.sin().to(BF16), persistent=False)

    def forward(self, tokens):
        x = self.embedding(tokens)
        for layer in self.layers:
            if self.recompute:
                x = checkpoint(layer, x, self.cos, self.sin, use_reentrant=False)
            else:
                x = layer(x, self.cos, self.sin)
        return self.head(x)


# ---------------------------------------------------------------- wrappers

def wrap_none(model):
    return model


def wrap_ddp(model):
    return nn.parallel.DistributedDataParallel(model, device_ids=[0])


def wrap_fsdp1(model):
    from torch.distributed.fsdp import FullyShardedDataParallel, MixedPrecision, ShardingStrategy
    from torch.distributed.fsdp.wrap import transformer_auto_wrap_policy
    policy = functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={Layer})
    mixed = MixedPrecision(param_dtype=BF16, reduce_dtype=torch.float32, buffer_dtype=BF16)
    return FullyShardedDataParallel(model.float(), auto_wrap_policy=policy, mixed_precision=mixed, device_id=0,
                                    sharding_strategy=ShardingStrategy.FULL_SHARD, use_orig_params=True)


def wrap_fsdp2(model):
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
    policy = MixedPrecisionPolicy(param_dtype=BF16, reduce_dtype=torch.float32)
    for layer in model.layers:
        fully_shard(layer, mp_policy=policy)
    fully_shard(model, mp_policy=policy)
    return model


def wrap_tensor(model):
    """Tensor and sequence parallelism as torchtitan lays it out."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import Replicate, Shard
    from torch.distributed.tensor.parallel import (ColwiseParallel, PrepareModuleInput, RowwiseParallel,
                                                   SequenceParallel, parallelize_module)
    mesh = init_device_mesh("cuda", (1,))
    plan = {"embedding": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1)),
            "head": ColwiseParallel(input_layouts=Shard(1), output_layouts=Replicate())}
    parallelize_module(model, mesh, plan)
    for layer in model.layers:
        parallelize_module(layer, mesh, {
            "norm1": SequenceParallel(), "norm2": SequenceParallel(),
            "attention": PrepareModuleInput(input_layouts=(Shard(1), None, None),
                                            desired_input_layouts=(Replicate(), None, None)),
            "attention.q": ColwiseParallel(), "attention.k": ColwiseParallel(), "attention.v": ColwiseParallel(),
            "attention.o": RowwiseParallel(output_layouts=Shard(1)),
            "ffn": PrepareModuleInput(input_layouts=(Shard(1),), desired_input_layouts=(Replicate(),)),
            "ffn.gate": ColwiseParallel(), "ffn.up": ColwiseParallel(),
            "ffn.down": RowwiseParallel(output_layouts=Shard(1))})
    return model


class Column(torch.autograd.Function):
    """A column-parallel product with sequence parallelism, as Megatron-LM and nanotron write it: the input is gathered,
    and gathered again in backward, beside the product of the input gradient; its gradient is scattered beside the
    product of the weight gradient, which is added to an fp32 buffer."""

    @staticmethod
    def forward(ctx, x, weight, main):
        ctx.save_for_backward(x, weight)
        ctx.main = main
        whole = torch.empty_like(x)
        dist.all_gather_into_tensor(whole, x.contiguous())
        return torch.matmul(whole, weight.t())

    @staticmethod
    def backward(ctx, gradient):
        x, weight = ctx.saved_tensors
        whole = torch.empty_like(x)
        gathered = dist.all_gather_into_tensor(whole, x.contiguous(), async_op=True)
        to_input = torch.matmul(gradient, weight)
        gathered.wait()
        part = torch.empty_like(to_input)
        scattered = dist.reduce_scatter_tensor(part, to_input.contiguous(), async_op=True)
        of_weight = torch.matmul(gradient.flatten(0, 1).t(), whole.flatten(0, 1))
        ctx.main.add_(of_weight)
        scattered.wait()
        return part, None, None


class Row(torch.autograd.Function):
    """A row-parallel product: its output is scattered, the gradient of its output gathered."""

    @staticmethod
    def forward(ctx, x, weight, main):
        ctx.save_for_backward(x, weight)
        ctx.main = main
        y = torch.matmul(x, weight.t())
        part = torch.empty_like(y)
        dist.reduce_scatter_tensor(part, y)
        return part

    @staticmethod
    def backward(ctx, gradient):
        x, weight = ctx.saved_tensors
        whole = torch.empty_like(gradient)
        dist.all_gather_into_tensor(whole, gradient.contiguous())
        to_input = torch.matmul(whole, weight)
        ctx.main.add_(torch.matmul(whole.flatten(0, 1).t(), x.flatten(0, 1)))
        return to_input, None, None


class Sharded(nn.Module):
    def __init__(self, function, linear):
        super().__init__()
        self.function, self.weight = function, linear.weight
        self.main = torch.zeros_like(linear.weight, dtype=torch.float32)

    def forward(self, x):
        return self.function.apply(x, self.weight, self.main)


def wrap_functions(model):
    """Tensor and sequence parallelism as autograd functions in Python; query, key and value are one product."""
    for layer in model.layers:
        layer.attention.o, layer.ffn.down = Sharded(Row, layer.attention.o), Sharded(Row, layer.ffn.down)
        layer.attention.fuse()
        layer.ffn.fuse()
    return model


WRAPPERS = {"none": wrap_none, "ddp": wrap_ddp, "fsdp1": wrap_fsdp1, "fsdp2": wrap_fsdp2, "dtensor": wrap_tensor,
            "functions": wrap_functions}


# ---------------------------------------------------------------- phases of a step

def make(kind, wrapper, mode, n_layers, recompute=False):
    torch._dynamo.reset()
    model = Model(kind, n_layers, recompute).cuda().to(BF16)
    if mode in ("compiled", "compiled-layers"):
        for i, layer in enumerate(model.layers):
            model.layers[i] = torch.compile(layer) if mode == "compiled-layers" else layer
    model = WRAPPERS[wrapper](model)
    return torch.compile(model) if mode == "compiled" else model


def loss_of(model, tokens):
    return F.cross_entropy(model(tokens).flatten(0, 1).float(), tokens.flatten())


def phases(model):
    """The calls that are timed: a forward pass without gradients, one with, and forward with backward."""
    tokens = torch.randint(VOCAB, (1, TOKENS), device="cuda")

    def infer():
        with torch.no_grad():
            model(tokens)

    def forward():
        return loss_of(model, tokens)

    def both():
        loss_of(model, tokens).backward()

    return {"infer": infer, "forward": forward, "forward+backward": both}


def captured(work):
    """The same work as one replay of a graph."""
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(3):
            work()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        work()
    return graph.replay


def optimizers(model):
    parameters = list(model.parameters())
    for p in parameters:
        p.grad = torch.zeros_like(p)
    found = {}
    for name, flags in (("adamw-fused", {"fused": True}), ("adamw-foreach", {"foreach": True}),
                        ("adamw-loop", {"foreach": False})):
        found[name] = torch.optim.AdamW(parameters, lr=1e-9, **flags).step
    found["clip"] = lambda: nn.utils.clip_grad_norm_(parameters, 1.0)
    found["clip-loop"] = lambda: nn.utils.clip_grad_norm_(parameters, 1.0, foreach=False)
    return found


def difference(one, two):
    """What a layer takes, and what is outside the layers, from figures of L and of 2 L layers."""
    layer = [(b - a) / LAYERS for a, b in zip(one, two)]
    return layer, [a - LAYERS * each for a, each in zip(one, layer)]


def compare(works):
    """Seconds, launches and busy seconds per layer and outside, of one call for L and one for 2 L layers."""
    times = least_s(works)
    counts = [kernels_of(work) for work in works]
    return difference(*[(t, *c) for t, c in zip(times, counts)])


def measure(table, kind, wrapper, mode, recompute=False, graph=False):
    """One row per phase: launches and host seconds per layer, and of what is outside the layers."""
    models = [make(kind, wrapper, mode, n_layers, recompute) for n_layers in (LAYERS, 2 * LAYERS)]
    works = [phases(model) for model in models]
    if (kind, wrapper, mode, recompute, graph) == ("dense", "none", "eager", False, False):
        works = [w | optimizers(model) for w, model in zip(works, models)]
    for name in works[0]:
        pair = [captured(w[name]) if graph else w[name] for w in works]
        layer, rest = compare(pair)
        table.row(kind, wrapper, f"{mode}, graph" if graph else mode, int(recompute), name, float(layer[1]), layer[0],
                  layer[2], float(rest[1]), rest[0], source())


def all_layers(folder, wrappers):
    table = Table(folder, "host_layers.csv", ["layer", "wrapper", "mode", "recompute", "phase", "launches_per_layer",
                                              "host_s_per_layer", "device_s_per_layer", "launches_outside",
                                              "host_s_outside", "source"])
    cases = [(kind, "none", "eager", False, False) for kind in ("dense", "fused-norm", "experts-loop")]
    cases += [("dense", w, "eager", False, False) for w in ("ddp", "fsdp1", "fsdp2", "dtensor", "functions")]
    cases += [("dense", w, "eager", True, False) for w in ("none", "fsdp2")]
    cases += [("dense", w, "compiled-layers", False, False) for w in ("none", "fsdp2")]
    cases += [("dense", "none", "compiled", False, False), ("dense", "none", "compiled-layers", True, False)]
    cases += [("dense", "none", "eager", False, True), ("dense", "none", "compiled", False, True)]
    for case in cases:
        if wrappers and case[1] not in wrappers:
            continue
        try:
            measure(table, *case)
        except Exception as error:  # a wrapper that this version of PyTorch lacks must not end the run
            print("kit_host: skipped", case, str(error).splitlines()[0][:140], flush=True)


# ---------------------------------------------------------------- Hugging Face

def hugging_face(folder):
    """Llama of the transformers library: layers in training, and generate() token by token."""
    from transformers import LlamaConfig, LlamaForCausalLM
    table = Table(folder, "host_transformers.csv", ["call", "launches_per_layer", "host_s_per_layer",
                                                    "launches_outside", "host_s_outside", "source"])
    models = []
    for n_layers in (LAYERS, 2 * LAYERS):
        config = LlamaConfig(vocab_size=VOCAB, hidden_size=HIDDEN, intermediate_size=FFN, num_hidden_layers=n_layers,
                             num_attention_heads=HEADS, num_key_value_heads=KV_HEADS, max_position_embeddings=512,
                             attn_implementation="sdpa")
        models.append(LlamaForCausalLM(config).cuda().to(BF16))
    tokens = torch.randint(VOCAB, (1, TOKENS), device="cuda")

    def row(name, figures):
        layer, rest = figures
        table.row(name, float(layer[1]), layer[0], float(rest[1]), rest[0], source())

    def forward(model):
        return model(input_ids=tokens, labels=tokens).loss

    def both(model):
        forward(model).backward()

    def generate(model, n):
        model.generate(tokens, max_new_tokens=n, min_new_tokens=n, do_sample=False, pad_token_id=0)

    row("forward", compare([functools.partial(forward, m) for m in models]))
    row("forward+backward", compare([functools.partial(both, m) for m in models]))
    calls_of = [functools.partial(generate, m, n) for m in models for n in (8, 24)]
    times, counts = least_s(calls_of, 4, 2), [kernels_of(call)[0] for call in calls_of]
    tokens_of = [((times[i + 1] - times[i]) / 16, (counts[i + 1] - counts[i]) / 16) for i in (0, 2)]
    row("generate, one token", difference(*tokens_of))
    for model in models:
        model.gradient_checkpointing_enable()
        model.train()
    row("forward+backward, checkpointing", compare([functools.partial(both, m) for m in models]))


# ---------------------------------------------------------------- single calls

def per_call_s(call, n=200):
    """The host seconds of one of n calls that follow one another without a wait."""
    for _ in range(20):
        call()
    times = []
    for _ in range(25):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(n):
            call()
        times.append((time.perf_counter() - start) / n)
        torch.cuda.synchronize()
    return min(times)


class Passing(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, gradient):
        return gradient


def triton_call(x):
    import triton
    import triton.language as tl

    @triton.jit
    def add_one(p, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(p + i, tl.load(p + i, mask=i < n) + 1, mask=i < n)

    return lambda: add_one[(1,)](x, x.numel(), BLOCK=1024)


def chain_backward_s(step, n=200):
    """The host seconds that one more step() adds to a chain's backward pass."""
    def backward():
        x = torch.ones(64, device="cuda", requires_grad=True)
        y = x
        for _ in range(n):
            y = step(y)
        y = y.sum()
        torch.cuda.synchronize()
        start = time.perf_counter()
        y.backward()
        elapsed = time.perf_counter() - start
        torch.cuda.synchronize()
        return elapsed
    for _ in range(3):
        backward()
    return min(backward() for _ in range(25)) / n


def calls(folder):
    table = Table(folder, "host_calls.csv", ["call", "host_s", "source"])
    x, w = torch.ones(64, device="cuda"), torch.ones(64, 64, device="cuda", dtype=BF16)
    rows = torch.ones(64, 64, device="cuda", dtype=BF16)
    linear = nn.Linear(64, 64, bias=False, device="cuda", dtype=BF16)
    hooked = nn.Linear(64, 64, bias=False, device="cuda", dtype=BF16)
    hooked.register_forward_pre_hook(lambda module, args: None)
    hooked.register_forward_hook(lambda module, args, out: None)
    big, stream = torch.ones(1 << 20, device="cuda"), torch.cuda.current_stream()
    with torch.no_grad():
        found = {"pointwise operator": lambda: x.add_(1), "product": lambda: torch.mm(rows, w),
                 "linear module": lambda: linear(rows), "linear module with two hooks": lambda: hooked(rows),
                 "allocating pointwise operator": lambda: x + 1, "view": lambda: w.view(-1),
                 "triton kernel": triton_call(x),
                 "autograd function": lambda: Passing.apply(x), "cat of two": lambda: torch.cat((x, x)),
                 "all-reduce, waits on its stream": lambda: dist.all_reduce(x),
                 "all-reduce, asynchronous": lambda: dist.all_reduce(x, async_op=True).wait(),
                 "all-gather into tensor": lambda: dist.all_gather_into_tensor(x, x),
                 "reduce-scatter tensor": lambda: dist.reduce_scatter_tensor(x, x),
                 "event record and wait": lambda: stream.wait_event(stream.record_event()),
                 "copy between tensors": lambda: x.copy_(x)}
        for name, call in found.items():
            table.row(name, per_call_s(call), source())
        start = per_call_s(lambda: x.add_(1).sum().item(), 50)
        table.row("item of a sum: two kernels and a wait", start, source())
        table.row("wait for an idle GPU", per_call_s(torch.cuda.synchronize, 200), source())
        table.row("graph replay of one kernel", per_call_s(captured(lambda: big.add_(1))), source())
    table.row("backward of a pointwise operator", chain_backward_s(lambda y: y * 1.5), source())
    table.row("backward of an autograd function in Python", chain_backward_s(Passing.apply), source())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="+", choices=["layers", "calls", "transformers"])
    parser.add_argument("--out", default=".")
    parser.add_argument("--wrappers", nargs="*", default=[], choices=list(WRAPPERS), help="only layers under these")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29555")
    torch.cuda.set_device(0)
    dist.init_process_group("nccl", rank=0, world_size=1)
    parts = {"layers": functools.partial(all_layers, wrappers=options.wrappers), "calls": calls,
             "transformers": hugging_face}
    for part in options.parts:
        parts[part](options.out)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
