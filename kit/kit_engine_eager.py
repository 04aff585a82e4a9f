"""Imitations of engines that run prompts as eager modules, for kit_engine_layers.py: SGLang and TensorRT-LLM."""
import contextlib
import dataclasses

import torch
import torch.nn.functional as F
from torch import nn

from kit_engine_ops import (BF16, C, EPS, EXPERTS, FFN, HEAD, HEADS, HIDDEN, KV, KV_HEADS, Q, TOKENS, Metadata,
                            TritonExperts, chosen_experts, flash, stamp)

# ---------------------------------------------------------------- SGLang: eager modules

class Method:
    """How a linear module multiplies: in 16 bits, or in 8 with a scale for the tensor."""

    def apply(self, layer, x, bias=None):
        return F.linear(x, layer.weight, bias)


class Method8:
    def apply(self, layer, x, bias=None):
        rows = x.view(-1, x.shape[-1])
        shape = [*x.shape[:-1], layer.weight8.shape[1]]
        small = torch.empty(rows.shape, device=x.device, dtype=torch.float8_e4m3fn)
        scale = torch.zeros(1, device=x.device, dtype=torch.float32)
        C.quantise(small, rows, scale)
        out = torch.empty(rows.shape[0], layer.weight8.shape[1], device=x.device, dtype=BF16)
        C.scaled_mm(out, small, layer.weight8, scale, layer.scale, bias)
        return out.view(*shape)


@contextlib.contextmanager
def symmetric(disabled=True):
    yield


class Linear(nn.Module):
    def __init__(self, columns, rows, fp8=False, reduces=False):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(rows, columns, device="cuda", dtype=BF16), requires_grad=False)
        self.method, self.reduces, self.bias, self.skip_bias_add = Method8() if fp8 else Method(), reduces, None, False
        if fp8:
            self.weight8, self.scale = self.weight.data.to(torch.float8_e4m3fn).t(), torch.ones((), device="cuda")

    def forward(self, x, skip=False):
        assert self.method is not None
        bias = None if self.skip_bias_add else self.bias
        if not self.reduces:
            return self.method.apply(self, x, bias), None
        with symmetric():
            out = self.method.apply(self, x, bias=bias)
        if self.reduces == "tp" and not skip:
            out = torch.ops.kitpy.all_reduce(out, "tp")
        return out, None


class CustomOp(nn.Module):
    def __init__(self):
        super().__init__()
        self._method = self.forward_cuda

    def forward(self, *args, **kwargs):
        return self._method(*args, **kwargs)


class Norm(CustomOp):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(HIDDEN, device="cuda", dtype=BF16), requires_grad=False)

    def forward_cuda(self, x, residual=None):
        if residual is not None:
            C.add_rms_norm(x, residual, self.weight.data, EPS)
            return x, residual
        out = torch.empty_like(x)
        C.rms_norm(out, x, self.weight.data, EPS)
        return out


class Rotary(CustomOp):
    def __init__(self):
        super().__init__()
        self.table = torch.zeros(4096, HEAD, device="cuda")

    def forward_cuda(self, positions, q, k):
        C.rotary(positions, q.view(q.shape[0], -1, HEAD), k.view(k.shape[0], -1, HEAD), HEAD, self.table, True)
        return q, k


class Silu(CustomOp):
    def forward_cuda(self, x):
        half = x.shape[-1] // 2
        out = torch.empty(x.shape[:-1] + (half,), dtype=x.dtype, device=x.device)
        C.silu_and_mul(out, x)
        return out


class Pool:
    def __init__(self, layers):
        self.k, self.v = ([torch.zeros(1024, KV_HEADS, HEAD, device="cuda", dtype=BF16) for _ in range(layers)]
                          for _ in range(2))
        self.dtype = self.store = BF16

    def set_buffer(self, layer, places, k, v, k_scale=None, v_scale=None):
        if k.dtype != self.dtype:
            k, v = k.to(self.dtype), v.to(self.dtype)
        if self.store != self.dtype:
            k, v = k.view(self.store), v.view(self.store)
        self.k[layer.i][places] = k
        self.v[layer.i][places] = v

    def buffers(self, i):
        return self.k[i], self.v[i]


class Backend:
    def forward(self, q, k, v, layer, batch, save=True, **kwargs):
        if batch.mode == "idle":
            return q.new_empty(q.shape[0], Q)
        if batch.mode == "decode":
            raise RuntimeError("no decoding here")
        return self.forward_extend(q, k, v, layer, batch, save, **kwargs)

    def forward_extend(self, q, k, v, layer, batch, save):
        if k is not None and save:
            batch.pool.set_buffer(layer, batch.places, k, v, layer.k_scale, layer.v_scale)
        metadata = batch.metadata
        window = (layer.window, 0) if layer.window > -1 else (-1, -1)
        k_cache, v_cache = batch.pool.buffers(layer.i)
        k_cache, v_cache = k_cache.view(-1, 1, KV_HEADS, HEAD), v_cache.view(-1, 1, KV_HEADS, HEAD)
        out = flash(q=q.contiguous().view(-1, HEADS, HEAD), k=k_cache, v=v_cache, starts=metadata.starts,
                    lengths=metadata.lengths, longest_q=metadata.longest, scale=0.125, causal=True, window=window,
                    table=metadata.table, prepared=False)
        return out.view(-1, Q)


class RadixAttention(nn.Module):
    def __init__(self, i):
        super().__init__()
        self.i, self.k_scale, self.v_scale, self.window = i, None, None, -1

    def forward(self, q, k, v, batch, save=True, **kwargs):
        k, v = k.view(-1, KV_HEADS, HEAD), v.view(-1, KV_HEADS, HEAD)
        return batch.backend.forward(q, k, v, self, batch, save, **kwargs)


@dataclasses.dataclass
class Dispatched:
    x: torch.Tensor
    weights: torch.Tensor
    ids: torch.Tensor
    logits: torch.Tensor


class SglangExperts(nn.Module):
    def __init__(self, fp8, tensor_parallel):
        super().__init__()
        self.router, self.tp = Linear(HIDDEN, EXPERTS), tensor_parallel
        self.inner = TritonExperts(fp8)

    def forward(self, x):
        logits, _ = self.router(x)
        weights, ids = chosen_experts(x, logits)
        sent = Dispatched(x, weights, ids, logits)
        out = torch.ops.kitpy.fused_experts(sent.x, self.inner.w1, self.inner.w2, sent.weights, sent.ids,
                                            self.inner.fp8)
        with symmetric():
            out = out[..., :x.shape[-1]].contiguous()
        return torch.ops.kitpy.all_reduce(out, "tp") if self.tp else out


class SglangMlp(nn.Module):
    def __init__(self, fp8, tensor_parallel):
        super().__init__()
        self.up, self.down = Linear(HIDDEN, 2 * FFN, fp8), Linear(FFN, HIDDEN, fp8, "tp" if tensor_parallel else "no")
        self.act = Silu()

    def forward(self, x):
        both, _ = self.up(x)
        x, _ = self.down(self.act(both))
        return x


class SglangAttention(nn.Module):
    def __init__(self, i, fp8, tensor_parallel):
        super().__init__()
        self.qkv, self.rotary, self.attn = Linear(HIDDEN, Q + 2 * KV, fp8), Rotary(), RadixAttention(i)
        self.o = Linear(Q, HIDDEN, fp8, "tp" if tensor_parallel else "no")

    def forward(self, positions, x, batch):
        qkv, _ = self.qkv(x)
        q, k, v = qkv.split([Q, KV, KV], dim=-1)
        q, k = self.rotary(positions, q, k)
        out, _ = self.o(self.attn(q, k, v, batch))
        return out


class SglangLayer(nn.Module):
    def __init__(self, i, experts, fp8, tensor_parallel):
        super().__init__()
        self.norm1, self.norm2 = Norm(), Norm()
        self.attn = SglangAttention(i, fp8, tensor_parallel)
        self.mlp = (SglangExperts if experts else SglangMlp)(fp8, tensor_parallel)

    def forward(self, positions, x, batch, residual):
        if residual is None:
            residual = x
            x = self.norm1(x)
        else:
            x, residual = self.norm1(x, residual)
        x = self.attn(positions=positions, x=x, batch=batch)
        x, residual = self.norm2(x, residual)
        return self.mlp(x), residual


class SglangModel(nn.Module):
    def __init__(self, layers, *args):
        super().__init__()
        self.layers = nn.ModuleList(SglangLayer(i, *args) for i in range(layers))

    def forward(self, positions, x, batch):
        residual = None
        for i in range(len(self.layers)):
            stamp()
            with contextlib.nullcontext():
                x, residual = self.layers[i](positions, x, batch, residual)
        return x


@dataclasses.dataclass
class Batch:
    pool: Pool
    backend: Backend
    metadata: Metadata
    places: torch.Tensor
    mode: str = "extend"


def sglang(layers, experts, fp8, tensor_parallel):
    model = SglangModel(layers, experts, fp8, tensor_parallel)
    metadata = Metadata(None, torch.tensor([0, TOKENS], dtype=torch.int32, device="cuda"),
                        torch.tensor([TOKENS], dtype=torch.int32, device="cuda"),
                        torch.zeros(1, 64, dtype=torch.int32, device="cuda"), TOKENS)
    batch = Batch(Pool(layers), Backend(), metadata, torch.arange(TOKENS, device="cuda"))
    x, positions = torch.zeros(TOKENS, HIDDEN, device="cuda", dtype=BF16), torch.arange(TOKENS, device="cuda")

    def step():
        with torch.inference_mode():
            model(positions, x, batch)
    return step


# ---------------------------------------------------------------- TensorRT-LLM, PyTorch: eager modules

class Wrapper:
    """The wrapper of attention, which is given all of its arguments before every call."""

    def plan(self, **kwargs):
        for name, value in kwargs.items():
            setattr(self, name, value)

    def run(self, qkv, out):
        assert qkv.dim() == 2 and qkv.shape[1] == Q + 2 * KV
        tensors = [self.starts, self.lengths, self.table, self.pool, self.host, None, None, self.scale, self.cos] + \
            [None] * 15
        C.attention(out, qkv, *tensors, *[self.longest] * 20, *[1.0] * 4, *[False] * 8)
        return out


class TrtLinear(nn.Module):
    def __init__(self, columns, rows, fp8=False, reduce=None):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(rows, columns, device="cuda", dtype=BF16), requires_grad=False)
        self.method, self.reduce = Method8() if fp8 else Method(), reduce
        if fp8:
            self.weight8, self.scale = self.weight.data.to(torch.float8_e4m3fn).t(), torch.ones((), device="cuda")

    def forward(self, x, params=None, lora=None, layer=None):
        out = self.method.apply(self, x)
        return self.reduce(out, params=params) if self.reduce is not None else out


class TrtReduce(nn.Module):
    def forward(self, x, params=None):
        if params is not None and not params.get("enabled", True):
            return x
        out = torch.empty_like(x)
        C.custom_all_reduce(1, x, out, 0, 1 << 20)
        return out


def register_trt():
    @torch.library.custom_op("kitpy::flash_norm", mutates_args=())
    def norm(x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
        out = torch.empty_like(x)
        C.rms_norm(out, x, weight, eps)
        return out

    @torch.library.custom_op("kitpy::flash_add_norm", mutates_args=("x", "residual"))
    def add_norm(x: torch.Tensor, residual: torch.Tensor, weight: torch.Tensor, eps: float) -> None:
        C.add_rms_norm(x, residual, weight, eps)

    @torch.library.custom_op("kitpy::flash_silu", mutates_args=())
    def silu(x: torch.Tensor) -> torch.Tensor:
        out = torch.empty(x.shape[0], x.shape[1] // 2, device=x.device, dtype=x.dtype)
        C.silu_and_mul(out, x)
        return out


class TrtNorm(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(HIDDEN, device="cuda", dtype=BF16), requires_grad=False)

    def forward(self, x, residual=None):
        if residual is None:
            return torch.ops.kitpy.flash_norm(x, self.weight, EPS)
        torch.ops.kitpy.flash_add_norm(x, residual, self.weight, EPS)
        return x, residual


class TrtAttention(nn.Module):
    def __init__(self, i, fp8, tensor_parallel):
        super().__init__()
        self.i, self.qkv, self.wrapper = i, TrtLinear(HIDDEN, Q + 2 * KV, fp8), Wrapper()
        self.o = TrtLinear(Q, HIDDEN, fp8, TrtReduce() if tensor_parallel else None)

    def forward(self, positions, x, metadata, params=None, **kwargs):
        qkv = self.qkv(x)
        out = torch.empty(qkv.shape[0], Q, device=qkv.device, dtype=BF16)
        self.wrapper.plan(layer=self.i, starts=metadata.starts, lengths=metadata.lengths, table=metadata.table,
                          longest=metadata.longest, pool=metadata.table, host=None, scale=None, cos=None,
                          tokens=metadata.tokens, causal=metadata.causal, mask=None, window=None, beam=1, sink=None,
                          latent=None, position=None, mrope=None, quant=0, cache=None, workspace=None, speculative=None,
                          spec_offsets=None, spec_mask=None, softmax=None, chunk=None, fp8_context=False, paged=True,
                          counter=None, contexts=1, generations=0, types=None, past=None, host_past=None, mapping=None,
                          output_sf=None, use_spec=False, is_spec=False, block=64, sparse=None)
        return self.o(self.wrapper.run(qkv, out), params=params, layer=self.i)


class TrtMlp(nn.Module):
    def __init__(self, fp8, tensor_parallel):
        super().__init__()
        self.up = TrtLinear(HIDDEN, 2 * FFN, fp8)
        self.down = TrtLinear(FFN, HIDDEN, fp8, TrtReduce() if tensor_parallel else None)

    def forward(self, x, params=None, **kwargs):
        return self.down(torch.ops.kitpy.flash_silu(self.up(x)), params=params)


class TrtLayer(nn.Module):
    def __init__(self, i, fp8, tensor_parallel):
        super().__init__()
        self.norm1, self.norm2 = TrtNorm(), TrtNorm()
        self.attn, self.mlp = TrtAttention(i, fp8, tensor_parallel), TrtMlp(fp8, tensor_parallel)

    def forward(self, positions, x, metadata, residual, **kwargs):
        if residual is None:
            residual = x
            x = self.norm1(x)
        else:
            x, residual = self.norm1(x, residual)
        x = self.attn(positions=positions, x=x, metadata=metadata, params={"enabled": True}, **kwargs)
        x, residual = self.norm2(x, residual)
        return self.mlp(x, params={"enabled": True}), residual


class TrtModel(nn.Module):
    def __init__(self, layers, fp8, tensor_parallel):
        super().__init__()
        self.layers = nn.ModuleList(TrtLayer(i, fp8, tensor_parallel) for i in range(layers))

    def forward(self, positions, x, metadata):
        residual = None
        for layer in self.layers:
            stamp()
            x, residual = layer(positions=positions, x=x, metadata=metadata, residual=residual, lora=None)
        return x


def trtllm(layers, experts, fp8, tensor_parallel):
    assert not experts
    model = TrtModel(layers, fp8, tensor_parallel)
    metadata = Metadata(None, torch.tensor([0, TOKENS], dtype=torch.int32, device="cuda"),
                        torch.tensor([TOKENS], dtype=torch.int32, device="cuda"),
                        torch.zeros(1, 64, dtype=torch.int32, device="cuda"), TOKENS)
    x, positions = torch.zeros(TOKENS, HIDDEN, device="cuda", dtype=BF16), torch.arange(TOKENS, device="cuda")

    def step():
        with torch.inference_mode():
            model(positions, x, metadata)
    return step
