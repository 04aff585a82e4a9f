#!/usr/bin/env python3
"""Time the kernels that carry rows of tokens to experts and back, one by one and as whole permutations with their
backward passes, and the kernels of a router: what an expert layer of training launches beside its products. Tables of
`orrery calibrate` time copies; most of these kernels go through an index, and some add by atomic operations.

Single kernels are the median of 20 calls, by events. A permutation is timed forward alone and forward with backward;
operands together are larger than the last-level cache. A loop over experts works as eager frameworks write it. The
kernels of a whole router are short, so that their device times are added up by the profiler ("launches" counts them).

    kit_rows.py --out DIR
"""
import argparse
import csv
import os

import torch
import torch.nn.functional as F
from torch.profiler import ProfilerActivity, profile

from kit_time import seconds

# Tokens of a micro-batch on a rank, experts, experts of a token, elements of a row.
SHAPES = [(t, 8, 2, 4096) for t in (4096, 16384, 32768)] + [(t, 128, 8, 2048) for t in (4096, 8192, 32768)] + [
    (t, 256, 8, 7168) for t in (4096, 8192)]


def choices(tokens, experts, active):
    """Scores, chosen experts, and the rows sorted by expert: each row's token."""
    scores = torch.rand(tokens, experts, device="cuda").softmax(dim=-1)
    weights, chosen = torch.topk(scores, active, dim=-1)
    order = torch.argsort(chosen.reshape(-1), stable=True)
    return scores, weights, chosen, order, order // active


def single(tokens, experts, active, hidden):
    """Name, format, bytes that must move, call."""
    _, weights, _, order, token_of = choices(tokens, experts, active)
    rows = tokens * active
    x = torch.randn(tokens, hidden, device="cuda").bfloat16()
    r = torch.randn(rows, hidden, device="cuda").bfloat16()
    r32, out, out32 = r.float(), torch.zeros_like(x), torch.zeros(tokens, hidden, device="cuda")
    full, wide = torch.empty_like(r), token_of.unsqueeze(1).expand(-1, hidden)
    places = order.unsqueeze(1).expand(-1, hidden)
    p16 = weights.reshape(-1, 1).bfloat16()
    p32 = weights.reshape(-1, 1)
    n = rows * hidden
    yield "copy", "bf16", 4 * n, lambda: full.copy_(r)
    yield "add", "bf16", 6 * n, lambda: torch.add(r, full, out=full)
    yield "fill", "bf16", 2 * n, lambda: full.zero_()
    for local in (4, 16):  # eight ranks, each with rows for so many experts
        parts = r.split([rows // (8 * local)] * (8 * local))
        swapped = [parts[rank * local + e] for e in range(local) for rank in range(8)]
        yield f"join {8 * local} chunks", "bf16", 4 * n, lambda swapped=swapped: torch.cat(swapped)
    yield "index_select", "bf16", 4 * n, lambda: x.index_select(0, token_of)
    yield "index", "bf16", 4 * n, lambda: x[token_of]
    yield "gather", "bf16", 4 * n, lambda: torch.gather(x, 0, wide)
    yield "index_copy", "bf16", 4 * n, lambda: full.index_copy_(0, order, r)
    yield "scatter", "bf16", 4 * n, lambda: full.scatter_(0, places, r)
    yield "index_add", "bf16", 6 * n, lambda: out.index_add_(0, token_of, r)
    yield "index_add", "fp32", 12 * n, lambda: out32.index_add_(0, token_of, r32)
    yield "scatter_add", "bf16", 6 * n, lambda: out.scatter_add_(0, wide, r)
    yield "scatter_add", "fp32", 12 * n, lambda: out32.scatter_add_(0, wide, r32)
    yield "index_put accumulate", "bf16", 6 * n, lambda: out.index_put_((token_of,), r, accumulate=True)
    yield "weigh", "bf16", 4 * n, lambda: r * p16
    yield "weigh", "bf16 by fp32", 6 * n, lambda: r * p32
    yield "sum of choices", "bf16", 2 * n + 2 * n / active, lambda: r.view(tokens, active, hidden).sum(dim=1)
    yield "reduce of weights", "bf16", 4 * n, lambda: (r * full).sum(dim=-1)


def router(tokens, experts, active):
    logits = torch.randn(tokens, experts, device="cuda")
    scores, _, chosen, _, _ = choices(tokens, experts, active)
    flat, mask = chosen.reshape(-1), torch.zeros(tokens, experts, device="cuda", dtype=torch.bool)
    mask.scatter_(1, chosen, True)
    n = tokens * experts
    yield "softmax", "fp32", 8 * n, lambda: torch.softmax(logits, dim=-1)
    yield "topk", "fp32", 4 * n, lambda: torch.topk(scores, active, dim=-1)
    yield "mask by scatter", "bool", n, lambda: torch.zeros_like(mask).scatter_(1, chosen, True)
    yield "one_hot", "int64", 8 * n * active, lambda: F.one_hot(chosen, experts)
    yield "counts by sum", "bool", n, lambda: mask.sum(dim=0)
    yield "counts by histc", "int64", 8 * tokens * active, lambda: torch.histc(flat.float(), experts, 0, experts)
    yield "sort", "int64", 16 * tokens * active, lambda: torch.argsort(flat, stable=True)
    yield "masked_select", "bool", 9 * n, lambda: torch.arange(tokens, device="cuda").expand(experts, -1).masked_select(
        mask.T.contiguous())


def device_seconds(call, repeats=5):
    """Seconds and number of the kernels of a call, whatever the host takes between them."""
    for _ in range(3):
        call()
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA]) as profiler:
        for _ in range(repeats):
            call()
        torch.cuda.synchronize()
    kernels = [event for event in profiler.events() if event.device_type == torch.autograd.DeviceType.CUDA]
    return sum(kernel.device_time_total for kernel in kernels) / repeats / 1e6, len(kernels) / repeats


def gates_of(logits, top, chosen, scores):
    """Weights and a mask for every score, and a loss that balances the experts."""
    share = (top / (top.sum(dim=-1, keepdim=True) + 1e-20)).type_as(logits)
    gates = torch.zeros_like(logits).scatter(1, chosen, share)
    mask = torch.zeros_like(logits).int().scatter(1, chosen, 1).bool()
    return gates, mask, (scores.sum(dim=0) * mask.sum(dim=0)).sum() * 1e-4


def routed_by_softmax(logits, active):
    scores = torch.softmax(logits.float(), dim=-1)
    top, chosen = torch.topk(scores, active, dim=-1)
    return gates_of(logits, top, chosen, torch.softmax(logits.float(), dim=-1))


def routed_by_groups(logits, active, groups=8, groups_active=4):
    """Sigmoid scores with a bias; a token chooses among the experts of its best groups."""
    scores = torch.sigmoid(logits.float())
    biased = scores + torch.zeros(logits.shape[1], device="cuda")
    grouped = biased.view(len(logits), groups, -1)
    best = torch.topk(grouped.topk(2, dim=-1)[0].sum(dim=-1), groups_active, dim=-1, sorted=False)[1]
    allowed = torch.zeros(len(logits), groups, device="cuda").scatter(1, best, 1).unsqueeze(-1).expand_as(grouped)
    masked = biased.masked_fill(~allowed.reshape_as(biased).bool(), float("-inf"))
    chosen = torch.topk(masked, active, dim=-1)[1]
    return gates_of(logits, scores.gather(1, chosen), chosen, scores / (scores.sum(dim=-1, keepdim=True) + 1e-20))


def mapped(mask, gates):
    """The rows of every expert from a mask: which tokens they are, their weights, and how many."""
    by_expert = mask.T.contiguous()
    tokens = torch.arange(len(mask), device="cuda").unsqueeze(0).expand(mask.shape[1], -1)
    return tokens.masked_select(by_expert), gates.T.contiguous().masked_select(by_expert), mask.sum(dim=0).long()


def routers(tokens, experts, active):
    logits = torch.randn(tokens, experts, device="cuda").requires_grad_()
    for route in (routed_by_softmax, routed_by_groups) if experts > 8 else (routed_by_softmax,):
        def both(route=route):
            logits.grad = None
            gates, _, loss = route(logits, active)
            (gates.sum() + loss).backward()

        yield route.__name__, "forward", lambda route=route: route(logits, active)
        yield route.__name__, "forward and backward", both
    with torch.no_grad():
        gates, mask, _ = routed_by_softmax(logits, active)
    yield "mapped", "forward", lambda: mapped(mask, gates)


def permuted_by_order(x, weights, order, token_of, active):
    """Rows are selected by their order, put back by an indexed copy, weighed and summed."""
    rows = x.index_select(0, token_of)
    back = torch.zeros_like(rows).index_copy(0, order, rows)
    return (back.view(-1, active, x.shape[1]) * weights.to(x.dtype).unsqueeze(-1)).sum(dim=1)


def permuted_by_gather(x, weights, order, token_of, active):
    """Rows are gathered with an index of every element, weighed, and added by scatters."""
    index = token_of.unsqueeze(1).expand(-1, x.shape[1])
    rows = torch.gather(x, 0, index)
    rows = rows * weights.reshape(-1).index_select(0, order).to(x.dtype).unsqueeze(-1)
    return torch.zeros_like(x).scatter_add(0, index, rows)


def permuted_by_scatter(x, weights, order, token_of, active):
    """Rows are selected, weighed in fp32 and added by a scatter, as where scores are fp32."""
    rows = x.index_select(0, token_of)
    rows = rows * weights.reshape(-1).index_select(0, order).unsqueeze(-1)
    index = token_of.unsqueeze(1).expand(-1, x.shape[1])
    return torch.zeros(x.shape, device=x.device, dtype=rows.dtype).scatter_add(0, index, rows).to(x.dtype)


def permuted_by_select(x, weights, order, token_of, active):
    """Rows are selected, weighed and added by a scatter, all in the format of the rows."""
    rows = x.index_select(0, token_of)
    rows = rows * weights.reshape(-1).index_select(0, order).to(x.dtype).unsqueeze(-1)
    index = token_of.unsqueeze(1).expand(-1, x.shape[1])
    return torch.zeros_like(x).scatter_add(0, index, rows)


def permuted_of_all(x, weights, order, token_of, active):
    """Every rank has gathered all tokens: it picks its rows, sorts them, puts them back, weighs and adds them."""
    picked = (torch.arange(len(order), device=x.device) // active).unsqueeze(1).expand(-1, x.shape[1])
    places = order.unsqueeze(1).expand(-1, x.shape[1])
    rows = torch.gather(x, 0, picked)
    back = torch.zeros_like(rows).scatter(0, places, torch.gather(rows, 0, places))
    return torch.zeros_like(x).scatter_add(0, picked, back * weights.reshape(-1, 1).to(x.dtype))


def permuted_unweighed(x, weights, order, token_of, active):
    """The same where the experts' activation weighs the rows."""
    rows = x.index_select(0, token_of)
    index = token_of.unsqueeze(1).expand(-1, x.shape[1])
    return torch.zeros_like(x).scatter_add(0, index, rows)


def permuted_by_index(x, weights, order, token_of, active):
    """Rows are indexed, masked, weighed, masked again, put back by the inverse order and summed: transformers 5."""
    rows = x[token_of]
    gates = weights.reshape(-1)[order].to(x.dtype)
    nobody = (order < 0).unsqueeze(-1)
    rows.masked_fill_(nobody, 0.0)
    rows = rows * gates.unsqueeze(-1)
    rows.masked_fill_(nobody, 0.0)
    back = torch.empty_like(order)
    back[order] = torch.arange(len(order), device=x.device)
    return rows[back].view(-1, active, x.shape[1]).sum(dim=1)


def whole(tokens, experts, active, hidden):
    _, weights, _, order, token_of = choices(tokens, experts, active)
    x = torch.randn(tokens, hidden, device="cuda").bfloat16().requires_grad_()
    weights = weights.detach().requires_grad_()
    grad = torch.randn(tokens, hidden, device="cuda").bfloat16()
    n = 4.0 * tokens * active * hidden
    for kind in (permuted_by_order, permuted_by_gather, permuted_by_select, permuted_by_scatter, permuted_of_all,
                 permuted_unweighed, permuted_by_index):
        def forward(kind=kind):
            return kind(x, weights, order, token_of, active)

        def both(kind=kind):
            x.grad = weights.grad = None
            kind(x, weights, order, token_of, active).backward(grad)

        yield kind.__name__, "forward", n, forward
        yield kind.__name__, "forward and backward", n, both


def loop(tokens, experts, active, hidden, width=16):
    """Experts in turn, with products so narrow that the rest is what is timed."""
    _, weights, chosen, _, _ = choices(tokens, experts, active)
    x = torch.randn(tokens, hidden, device="cuda").bfloat16().requires_grad_()
    grad = torch.randn(tokens, hidden, device="cuda").bfloat16()
    down = [torch.randn(hidden, width, device="cuda").bfloat16().requires_grad_() for _ in range(experts)]
    mask = F.one_hot(chosen, experts).permute(2, 1, 0)

    def forward():
        out = torch.zeros_like(x)
        for e in range(experts):
            which, top = torch.where(mask[e])
            rows = (x[None, top].reshape(-1, hidden) @ down[e]) @ down[e].T
            out.index_add_(0, top, rows * weights[top, which, None].to(x.dtype))
        return out

    def both():
        x.grad = None
        forward().backward(grad)

    yield "loop over experts", "forward", 4.0 * tokens * active * hidden, forward
    yield "loop over experts", "forward and backward", 4.0 * tokens * active * hidden, both


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default=".")
    options = parser.parse_args()
    source = f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, CUDA {torch.version.cuda}"
    with open(os.path.join(options.out, "rows.csv"), "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["kernel", "what", "tokens", "experts", "active", "columns", "bytes", "launches", "time_s",
                        "source"])
        for tokens, experts, active, hidden in SHAPES:
            calls = [*single(tokens, experts, active, hidden), *router(tokens, experts, active),
                     *whole(tokens, experts, active, hidden)]
            for repeats, group in ((20, calls), (5, loop(tokens, experts, active, hidden))):
                for kernel, what, n_bytes, call in group:
                    table.writerow([kernel, what, tokens, experts, active, hidden, f"{n_bytes:.0f}", "",
                                    f"{seconds(call, repeats):.6g}", source])
            for kernel, what, call in routers(tokens, experts, active):
                time_s, launches = device_seconds(call)
                table.writerow([kernel, what, tokens, experts, active, "", "", f"{launches:.0f}", f"{time_s:.6g}",
                                source])
            file.flush()
            del calls
            torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
