#!/usr/bin/env python3
"""Measure what fine-tuning with adapters keeps in memory on one GPU: layer by layer, in all, and in the allocator.

    kit_adapter_memory.py --seconds 300 --out DIR

The layers are those of scripts that join queries, keys and values in one matrix and put LoRA beside parts of it: the
adapters' output is scattered into the columns of the joined product, dropout comes before them, and the head runs in
chunks whose logits a wrapper casts to fp32. A quantised base is imitated: its matrices have the bytes of NF4 and are
restored to fp16 and cast to bf16 before every product, whose input is kept as bitsandbytes 0.41 does. Each case adds a
row to adapter_memory.csv: bytes of weights, of what forward leaves, the most allocated and the most reserved, with
batches of one length and with lengths that differ from step to step. saved_tensors.csv has what a middle layer keeps,
in bytes and per token and hidden element. See README.md.
"""
import argparse
import csv
import gc
import os
import random
import time

import torch
from torch import nn
from torch.nn import functional as F

COLUMNS = ("model,base,dropout,micro_batch,seq,lengths,steps,weight_bytes,forward_bytes,peak_bytes,"
           "reserved_bytes").split(",")
# hidden, layers, heads, FFN width, vocabulary, gated, parallel block, its norms, rotated share of a head, tokens
MODELS = {"phi-1.5": (2048, 24, 32, 8192, 51200, False, True, 1, 0.5, 1044),
          "stablelm-3b": (4096, 16, 32, 16384, 50688, False, True, 2, 0.25, 1034),
          "llama2-7b": (4096, 32, 32, 11008, 32000, True, False, 2, 1.0, 1304),
          "llama2-13b": (5120, 40, 40, 13824, 32000, True, False, 2, 1.0, 1304)}
RANK, CHUNK, BLOCK = 8, 128, 64


class Quantised(torch.autograd.Function):
    """A product with a matrix that is restored to fp16 and cast before use; the input is kept if `keep` says so."""
    @staticmethod
    def forward(ctx, x, codes, shape, keep, bias):
        ctx.kept, ctx.codes, ctx.shape = (x if keep else None), codes, shape
        return F.linear(x, torch.full(shape, 0.01, dtype=torch.float16, device=x.device).to(x.dtype), bias)

    @staticmethod
    def backward(ctx, gradient):
        weight = torch.full(ctx.shape, 0.01, dtype=torch.float16, device=gradient.device).to(gradient.dtype)
        return gradient @ weight, None, None, None, None


class Matrix(nn.Module):
    def __init__(self, k, n, base, bias=False):
        super().__init__()
        self.base, self.shape = base, (n, k)
        self.bias = nn.Parameter(torch.zeros(n), requires_grad=False) if bias else None
        if base == "bf16":
            self.weight = nn.Parameter(torch.empty(n, k).normal_(std=0.01), requires_grad=False)
        else:
            self.register_buffer("codes", torch.zeros(n * k // 2, dtype=torch.uint8))
            self.register_buffer("scales", torch.zeros(n * k // BLOCK, dtype=torch.float32))

    def forward(self, x):
        if self.base == "bf16":
            return F.linear(x, self.weight, self.bias)
        return Quantised.apply(x, self.codes, self.shape, self.base == "nf4-kept", self.bias)


class RmsNorm(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size), requires_grad=False)

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(torch.mean(x * x, dim=-1, keepdim=True) + 1e-5))


class JoinedAttention(nn.Module):
    """One matrix for queries, keys and values, interleaved by head; LoRA beside queries and values."""
    def __init__(self, hidden, heads, rotated, base, dropout, bias):
        super().__init__()
        self.heads, self.size = heads, hidden // heads
        self.turned = int(rotated * self.size)
        self.qkv, self.out = Matrix(hidden, 3 * hidden, base, bias), Matrix(hidden, hidden, base, bias)
        self.lora_a = nn.Parameter(torch.empty(2 * RANK, hidden).normal_(std=0.01))
        self.lora_b = nn.Parameter(torch.zeros(2 * hidden, RANK))
        self.dropout, self.hidden = dropout, hidden
        self.columns = list(range(hidden)) + list(range(2 * hidden, 3 * hidden))

    def adapted(self, x):
        small = F.linear(F.dropout(x, self.dropout, self.training), self.lora_a)
        wide = F.conv1d(small.transpose(-2, -1), self.lora_b.unsqueeze(-1), groups=2).transpose(-2, -1).transpose(0, 1)
        zeros = wide.new_zeros((*wide.shape[:-1], 3 * self.hidden)).view(-1, 3 * self.hidden)
        index = torch.tensor(self.columns, device=x.device)
        padded = zeros.index_copy(1, index, wide.reshape(-1, 2 * self.hidden))
        return padded.view((*wide.shape[:-1], 3 * self.hidden)).transpose(0, 1) * 2.0

    def turn(self, x, cos, sin):
        part = x[..., :self.turned]
        half = part.size(-1) // 2
        other = torch.cat((-part[..., half:], part[..., :half]), dim=-1)
        return torch.cat((((part * cos) + (other * sin)).type_as(x), x[..., self.turned:]), dim=-1)

    def forward(self, x, cos, sin):
        rows, tokens, width = x.size()
        qkv = self.qkv(x) + self.adapted(x)
        qkv = qkv.view(rows, tokens, self.heads, 3, self.size).permute(0, 2, 3, 1, 4)
        q, k, v = (t.reshape(rows, -1, tokens, self.size) for t in qkv.split((1, 1, 1), dim=2))
        q, k = self.turn(q, cos[:tokens], sin[:tokens]), self.turn(k, cos[:tokens], sin[:tokens])
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(rows, tokens, width))


class Layer(nn.Module):
    def __init__(self, hidden, heads, width, gated, parallel, norms, rotated, base, dropout):
        super().__init__()
        bias = not gated
        norm = RmsNorm if gated else nn.LayerNorm
        self.norm1, self.norm2 = norm(hidden), norm(hidden) if norms > 1 else None
        self.attention = JoinedAttention(hidden, heads, rotated, base, dropout, bias)
        self.up, self.down = Matrix(hidden, width, base, bias), Matrix(width, hidden, base, bias)
        self.gate = Matrix(hidden, width, base) if gated else None
        self.parallel = parallel

    def ffn(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x) if self.gate else F.gelu(self.up(x)))

    def forward(self, x, cos, sin):
        first = self.norm1(x)
        h = self.attention(first, cos, sin)
        if self.parallel:
            return x + h + self.ffn(self.norm2(x) if self.norm2 else first)
        x = x + h
        return x + self.ffn(self.norm2(x))


class Model(nn.Module):
    def __init__(self, name, base, dropout):
        super().__init__()
        hidden, layers, heads, width, vocabulary, gated, parallel, norms, rotated, tokens = MODELS[name]
        self.embedding = nn.Embedding(vocabulary, hidden)
        self.layers = nn.ModuleList(Layer(hidden, heads, width, gated, parallel, norms, rotated, base, dropout)
                                    for _ in range(layers))
        self.norm = (RmsNorm if gated else nn.LayerNorm)(hidden)
        self.head = Matrix(hidden, vocabulary, base, not gated)
        for parameter_name, parameter in self.named_parameters():
            parameter.requires_grad = "lora_" in parameter_name
        turned = int(rotated * (hidden // heads))
        angles = torch.outer(torch.arange(tokens).float(), 1e4 ** -(torch.arange(0, turned, 2) / turned)).repeat(1, 2)
        self.cos, self.sin = angles.cos().float().cuda(), angles.sin().float().cuda()

    def forward(self, tokens):
        x = self.embedding(tokens)
        for layer in self.layers:
            x = layer(x, self.cos, self.sin)
        return [self.head(part) for part in self.norm(x).split(CHUNK, dim=1)]


def step(model, optimizer, tokens, forward_bytes):
    logits = [part.float() for part in model(tokens)]
    logits[-1] = logits[-1][..., :-1, :]
    labels = tokens[..., 1:].split(CHUNK, dim=1)
    loss = torch.cat([F.cross_entropy(x.reshape(-1, x.size(-1)), y.reshape(-1), reduction="none")
                      for x, y in zip(logits, labels)]).mean()
    forward_bytes.append(torch.cuda.memory_allocated())
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()


def saved_of(model, rows, tokens):
    """Distinct storages that the backward of a middle layer holds, weights and tables left out."""
    layer, seen = model.layers[len(model.layers) // 2], {}
    held = {p.untyped_storage().data_ptr() for p in list(model.parameters()) + list(model.buffers())}
    held |= {model.cos.untyped_storage().data_ptr(), model.sin.untyped_storage().data_ptr()}
    x = torch.randn(rows, tokens, model.embedding.embedding_dim, device="cuda", dtype=torch.bfloat16).requires_grad_()

    def pack(t):
        storage = t.untyped_storage()
        if storage.data_ptr() not in held:
            seen.setdefault(storage.data_ptr(), (storage.nbytes(), str(tuple(t.shape)), str(t.dtype)))
        return t

    before = torch.cuda.memory_allocated()
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        y = layer(x, model.cos, model.sin)
    return list(seen.values()), torch.cuda.memory_allocated() - before - y.untyped_storage().nbytes()


def measure(name, base, dropout, rows, steps, varied, saved):
    tokens = MODELS[name][-1]
    random.seed(7)
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    with torch.device("cuda"):
        torch.set_default_dtype(torch.bfloat16)
        model = Model(name, base, dropout)
        torch.set_default_dtype(torch.float32)
    weight_bytes = torch.cuda.memory_allocated()
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-4)
    forward_bytes = []
    for i in range(steps):
        length = tokens if i == 0 or not varied else min(tokens, int(random.lognormvariate(4.6, 0.6)) + 30)
        step(model, optimizer, torch.randint(0, 32000, (rows, length), device="cuda"), forward_bytes)
    row = {"model": name, "base": base, "dropout": dropout, "micro_batch": rows, "seq": tokens,
           "lengths": "varied" if varied else "fixed", "steps": steps, "weight_bytes": weight_bytes,
           "forward_bytes": max(forward_bytes), "peak_bytes": torch.cuda.max_memory_allocated(),
           "reserved_bytes": torch.cuda.max_memory_reserved()}
    if saved is not None:
        tensors, whole = saved_of(model, rows, tokens)
        elements = rows * tokens * MODELS[name][0]
        for size, shape, dtype in tensors:
            saved.writerow([name, base, rows, tokens, shape, dtype, size, round(size / elements, 3)])
        saved.writerow([name, base, rows, tokens, "layer without its input", "", whole, round(whole / elements, 3)])
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--out", default=".")
    arguments = parser.parse_args()
    end = time.time() + arguments.seconds
    cases = [(n, b, 0.05, 1, 2, False) for n in MODELS for b in ("bf16", "nf4-kept")]
    cases += [("phi-1.5", "bf16", 0.05, 2, 2, False), ("phi-1.5", "bf16", 0.05, 4, 2, False),
              ("llama2-7b", "bf16", 0.05, 2, 2, False), ("llama2-7b", "nf4", 0.05, 1, 2, False),
              ("stablelm-3b", "bf16", 0.05, 4, 2, False), ("llama2-7b", "bf16", 0.0, 1, 2, False)]
    cases += [("phi-1.5", "bf16", 0.05, 4, 40, v) for v in (False, True)]
    cases += [("llama2-7b", "bf16", 0.05, 2, 40, v) for v in (False, True)]
    cases += [("llama2-7b", "nf4-kept", 0.05, 4, 40, v) for v in (False, True)]
    with open(os.path.join(arguments.out, "adapter_memory.csv"), "w", newline="") as a, \
         open(os.path.join(arguments.out, "saved_tensors.csv"), "w", newline="") as b:
        rows, saved = csv.DictWriter(a, COLUMNS), csv.writer(b)
        rows.writeheader()
        saved.writerow("model,base,micro_batch,seq,shape,dtype,bytes,bytes_per_hidden".split(","))
        for case in cases:
            if time.time() > end:
                break
            rows.writerow(measure(*case, saved if case[4] == 2 else None))
            a.flush()
            gc.collect()
    print(open(os.path.join(arguments.out, "adapter_memory.csv")).read())
    print(open(os.path.join(arguments.out, "saved_tensors.csv")).read())


if __name__ == "__main__":
    main()
