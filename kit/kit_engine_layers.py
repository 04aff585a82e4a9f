#!/usr/bin/env python3
"""What the host spends on a layer of a prompt in serving engines, where no graph is replayed.

    python3 kit/kit_engine_layers.py --out results

engine_layers.csv: launches and host seconds per layer of imitations of three engines, each with a dense layer and one
with experts, plain and with the reductions of tensor parallelism. The layers are so narrow that the device is always
done before the host. The time at which each layer begins is noted; of each of them the least of many passes counts, and
the mean over the layers is written, because other work on the machine only ever adds. Kernels of the
engines are replaced by empty kernels behind operators with the same kinds of arguments, so that what is measured is
Python, dispatcher, allocator and driver. docs/host.md says what the imitations have and lack. The script needs PyTorch
with Triton and a compiler for CUDA (nvcc); kit_engine_ops.py and kit_engine_eager.py belong to it.
"""
import argparse
import csv
import os
import time
import traceback

import torch
import torch.nn.functional as F
from torch import nn

import kit_host
from kit_engine_eager import register_trt, sglang, trtllm
from kit_engine_ops import (BF16, C, EPS, EXPERTS, FFN, HEAD, HEADS, HIDDEN, KV, KV_HEADS, Q, STAMPS, STATE, TOKENS,
                            Context, Metadata, TritonExperts, context, flash, fused_experts, operators, reduced, register,
                            stamp)
from kit_host import cpu_name

# ---------------------------------------------------------------- vLLM v1: compiled pieces between attention

class VllmAttention:
    """The layer that the operator of attention finds by its name."""

    def __init__(self, name):
        self.name, self.scale, self.cache_dtype, self.window = name, 0.125, "auto", (-1, -1)
        self.k_scale = self.v_scale = self.q_scale = torch.ones((), device="cuda")
        self.cache = [torch.zeros(2, 64, 16, KV_HEADS, HEAD, device="cuda", dtype=BF16)]
        self.impl = self

    def forward(self, layer, q, k, v, cache, metadata, output):
        assert output is not None
        if metadata is None:
            return output
        tokens = metadata.tokens
        k_cache, v_cache = cache.unbind(0)
        C.write_cache(k, v, k_cache, v_cache, metadata.slots, self.cache_dtype, layer.k_scale, layer.v_scale)
        if not metadata.cascade:
            shape = (metadata.starts.shape[0] - 1, KV_HEADS)
            flash(q=q[:tokens], k=k_cache, v=v_cache, out=output[:tokens], starts=metadata.starts,
                  lengths=metadata.lengths, longest_q=metadata.longest, longest_k=metadata.longest, scale=self.scale,
                  causal=metadata.causal, window=self.window, table=metadata.table,
                  q_descale=layer.q_scale.expand(shape), k_descale=layer.k_scale.expand(shape),
                  v_descale=layer.v_scale.expand(shape))
        return output


def vllm_attention(q, k, v, out, name):
    stamp()
    here = context()
    metadata = here.metadata
    if isinstance(metadata, dict):
        metadata = metadata[name]
    layer = here.layers[name]
    layer.impl.forward(layer, q, k, v, layer.cache[here.engine], metadata, output=out)


def vllm_moe(x, logits, name):
    return context().layers[name].forward(x, logits)


def vllm_norm(x, residual, weight):
    y = x.float() + residual.float()
    return (y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + EPS)).to(BF16) * weight, y.to(BF16)


def vllm_rotate(x, cos, sin):
    a, b = x.chunk(2, -1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)


class VllmModel(nn.Module):
    def __init__(self, layers, experts, fp8, tensor_parallel):
        super().__init__()
        self.n, self.experts, self.fp8, self.tp = layers, experts, fp8, tensor_parallel
        def weight(rows, columns):
            return nn.ParameterList(nn.Parameter(torch.zeros(rows, columns, device="cuda", dtype=BF16),
                                                 requires_grad=False) for _ in range(layers))
        self.qkv, self.o = weight(Q + 2 * KV, HIDDEN), weight(HIDDEN, Q)
        self.norm1, self.norm2 = weight(1, HIDDEN), weight(1, HIDDEN)
        self.up, self.down, self.router = weight(2 * FFN, HIDDEN), weight(HIDDEN, FFN), weight(EXPERTS, HIDDEN)
        self.register_buffer("table", torch.zeros(4096, HEAD, device="cuda", dtype=BF16))
        self.register_buffer("one", torch.ones((), device="cuda"))
        if fp8:
            for name in ("qkv", "o", "up", "down"):
                setattr(self, name + "8", [p.data.to(torch.float8_e4m3fn).t() for p in getattr(self, name)])

    def product(self, x, name, i):
        if not self.fp8:
            return F.linear(x, getattr(self, name)[i])
        w = getattr(self, name + "8")[i]
        small = (x.float() / self.one).clamp(-448, 448).to(torch.float8_e4m3fn)
        out = torch.empty(x.shape[0], w.shape[1], device=x.device, dtype=BF16)
        torch.ops.kitc.scaled_mm(out, small, w, self.one, self.one, None)
        return out

    def forward(self, x, positions):
        residual = torch.zeros_like(x)
        for i in range(self.n):
            x, residual = vllm_norm(x, residual, self.norm1[i])
            q, k, v = self.product(x, "qkv", i).split([Q, KV, KV], -1)
            cos, sin = self.table.index_select(0, positions).unsqueeze(1).chunk(2, -1)
            q = vllm_rotate(q.view(-1, HEADS, HEAD), cos, sin)
            k = vllm_rotate(k.view(-1, KV_HEADS, HEAD), cos, sin)
            out = torch.empty(x.shape[0], HEADS, HEAD, device=x.device, dtype=BF16)
            torch.ops.kitpy.unified_attention(q, k, v.view(-1, KV_HEADS, HEAD), out, f"layer.{i}")
            x = self.product(out.view(-1, Q), "o", i)
            if self.tp:
                x = torch.ops.kitpy.all_reduce(x, "tp")
            x, residual = vllm_norm(x, residual, self.norm2[i])
            if self.experts:
                x = torch.ops.kitpy.moe_forward(x, F.linear(x, self.router[i]), f"experts.{i}")
            else:
                gate, up = self.product(x, "up", i).chunk(2, -1)
                x = self.product(F.silu(gate) * up, "down", i)
            if self.tp:
                x = torch.ops.kitpy.all_reduce(x, "tp")
        return x + residual


class GraphWrapper:
    """Stands where a captured graph would be replayed and, for a step without one, calls the compiled piece."""

    def __init__(self, runnable):
        self.runnable, self.mode, self.sizes = runnable, 1, {}

    def __call__(self, *args):
        here = context()
        if here.mode == 0 or here.mode != self.mode:
            return self.general(*args)
        raise RuntimeError("no graph was captured")

    def general(self, *args):
        if args[0] in self.sizes if isinstance(args[0], int) else False:
            return None
        return self.runnable(*args)


class Pieces(torch.fx.Interpreter):
    """Runs a model that was cut, with the shapes of its tensors alone, and compiles what is not attention."""

    def call_module(self, target, args, kwargs):
        from torch._inductor import standalone_compile
        result = super().call_module(target, args, kwargs)
        if int(target.split("_")[-1]) not in self.attention:
            compiled = standalone_compile(self.fetch_attr(target), list(args), dynamic_shapes="from_tracing_context")
            self.module.__dict__[target] = GraphWrapper(compiled)
        return result


class Capture:
    """A backend that cuts a traced model at attention and compiles each piece with Inductor, as vLLM does. It keeps the
    cut model and its arguments, so that steps run without the guards of Dynamo, which vLLM leaves out as well."""

    def __call__(self, graph, examples):
        from torch._dispatch.python import enable_python_dispatcher
        from torch.fx.passes.split_module import split_module
        piece, place, attention = 0, {}, set()
        for node in graph.graph.nodes:
            if node.op in ("output", "placeholder"):
                continue
            if "unified_attention" in str(node.target):
                attention.add(piece + 1)
                place[node] = piece + 1
                piece += 2
            else:
                place[node] = piece
        self.split = split_module(graph, None, lambda node: place[node], keep_original_order=True)
        run = Pieces(self.split)
        run.attention = attention
        mode = torch._guards.detect_fake_mode(examples)
        with mode, enable_python_dispatcher():
            run.run(*[mode.from_tensor(x) if isinstance(x, torch.Tensor) else x for x in examples])
        return self.first

    def first(self, *args):
        self.args = args
        return self.split(*args)

    def step(self):
        with torch.no_grad():
            self.split.forward(*self.args)


def vllm(layers, experts, fp8, tensor_parallel):
    model = VllmModel(layers, experts, fp8, tensor_parallel)
    metadata = Metadata(torch.zeros(TOKENS, dtype=torch.int64, device="cuda"),
                        torch.tensor([0, TOKENS], dtype=torch.int32, device="cuda"),
                        torch.tensor([TOKENS], dtype=torch.int32, device="cuda"),
                        torch.zeros(1, 64, dtype=torch.int32, device="cuda"), TOKENS)
    found = {f"layer.{i}": VllmAttention(f"layer.{i}") for i in range(layers)}
    found |= {f"experts.{i}": TritonExperts(fp8) for i in range(layers)} if experts else {}
    mine = Context({name: metadata for name in found}, found)
    x = torch.zeros(TOKENS, HIDDEN, device="cuda", dtype=BF16)
    positions = torch.arange(TOKENS, device="cuda")
    torch._dynamo.mark_dynamic(x, 0)
    torch._dynamo.mark_dynamic(positions, 0)
    torch._dynamo.reset()
    capture, STATE.context = Capture(), mine
    with torch.no_grad():
        torch.compile(model, backend=capture, fullgraph=True)(x, positions)

    def step():
        STATE.context = mine
        capture.step()
    return step


# ---------------------------------------------------------------- measuring

def register_all():
    register("unified_attention", "(Tensor q, Tensor k, Tensor v, Tensor(a!) out, str name) -> ()", vllm_attention,
             lambda q, k, v, out, name: None)
    register("moe_forward", "(Tensor x, Tensor logits, str name) -> Tensor", vllm_moe,
             lambda x, logits, name: torch.empty_like(x))
    register("all_reduce", "(Tensor x, str name) -> Tensor", reduced, lambda x, name: torch.empty_like(x))
    register("fused_experts", "(Tensor x, Tensor w1, Tensor w2, Tensor weights, Tensor ids, bool fp8) -> Tensor",
             fused_experts, lambda x, w1, w2, weights, ids, fp8: torch.empty_like(x))
    torch.library.register_fake("kitc::scaled_mm", lambda *args: None)
    register_trt()


def least_s(works, seconds):
    """Host seconds of a layer of each pass, which take turns for so many seconds."""
    least = [None] * len(works)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for i, work in enumerate(works):
            for _ in range(4):
                torch.cuda.synchronize()
                STAMPS.clear()
                work()
                gaps = [b - a for a, b in zip(STAMPS, STAMPS[1:])]
                least[i] = [min(pair) for pair in zip(gaps, least[i] or gaps)]
    return [sum(gaps[1:]) / len(gaps[1:]) for gaps in least]


def kernels_of(work):
    torch.cuda.synchronize()
    activities = [torch.profiler.ProfilerActivity.CUDA, torch.profiler.ProfilerActivity.CPU]
    with torch.profiler.profile(activities=activities) as profile:
        work()
        torch.cuda.synchronize()
    return sum(e.device_type == torch.autograd.DeviceType.CUDA for e in profile.events())


def eager(layers, experts, fp8, parallel):
    """The eager layer of kit_host.py, which says how fast this host is beside the one of h200_host_layers.csv."""
    model = kit_host.Model("dense", layers).cuda().to(BF16)
    x = torch.zeros(1, TOKENS, HIDDEN, device="cuda", dtype=BF16)

    def step():
        with torch.no_grad():
            y = x
            for layer in model.layers:
                stamp()
                y = layer(y, model.cos, model.sin)
    return step


# engine, experts, fp8, reductions
CASES = [(eager, False, False, False)]
CASES += [(engine, experts, fp8, parallel) for engine in (sglang, trtllm) for experts in (False, True)
          for fp8 in (False, True) for parallel in (False, True) if not (engine is trtllm and experts)]
CASES += [(vllm, False, False, False), (vllm, False, False, True), (vllm, False, True, False),
          (vllm, True, False, False), (vllm, True, True, False)]
LAYERS = 6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    operators()
    register_all()
    works, rows = [], []
    for engine, experts, fp8, parallel in CASES:
        try:
            work = engine(LAYERS, experts, fp8, parallel)
            work()
        except Exception:  # one imitation that this version of PyTorch lacks must not end the run
            traceback.print_exc()
            continue
        works.append(work)
        rows.append([engine.__name__, "experts" if experts else "dense", "fp8" if fp8 else "bf16", 2 * parallel,
                     kernels_of(work) // LAYERS])
        print(*rows[-1], flush=True)
    source = f"{torch.cuda.get_device_name(0)}, {cpu_name()}, PyTorch {torch.__version__}"
    with open(os.path.join(options.out, "engine_layers.csv"), "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["engine", "layer", "precision", "reductions", "launches_per_layer", "host_s_per_layer",
                         "source"])
        for row, layer_s in zip(rows, least_s(works, options.seconds)):
            writer.writerow([*row, f"{layer_s:.4g}", source])
            print(*row, f"{layer_s:.4g}", flush=True)


if __name__ == "__main__":
    main()