"""The blocks of the page about the training step, each a function of the step."""
import math

from .step import LARGEST_OF_8
from .text import seconds, show, table


def step_shapes(x):
    e = x.at.engine
    yield f"h = {x.h}   f = {x.f}   L = {x.layers}   a = {x.a}   d = h/a = {x.head}   V = {x.vocab}   s = {x.s}"
    yield f"t = {x.t}   p = {x.p}   D = {x.d}   b = {x.b}   B = {x.batch}   gpus = t·p·D = {x.gpus}"
    yield f"micro-batches per replica  m = B/(D·b) = {x.batch}/({x.d}·{x.b}) = {x.m}                      Eq. 4"
    yield f"tokens of a rank           T = b·s = {x.T};  its norms see T_n = T/t = {x.T // x.t} (sequence parallel)"
    yield f"layers of a rank           L/p = {x.per_rank};  heads of a rank a/t = {x.heads}"
    yield f"columns of the vocabulary  V_t = {x.columns()}, a multiple of {e['vocab_multiple']} per rank             Eq. 12b"
    yield f"parameters of a layer      (4h² + 3hf)/t + 2h = {x.layer_params:,}"
    yield f"of the last rank           {x.per_rank}·{x.layer_params:,} + V_t·h + h = {x.params:,}"


def step_product(x):
    u, chip, at = x.at.u, x.at.chip, x.at
    op = next(op for op in x.layer if op.name == "mlp.up")
    m, k, n = op.shape
    tile_m, tile_n = (int(side) for side in op.tile.split("x"))
    side = math.floor(math.sqrt(0.8 * chip["l2_bytes"] / 6))
    yield f"M = T = {m}   K = h = {k}   N = 2f/t = {n}      tile {op.tile}, K cut in {op.split}"
    yield f"FLOP      2·M·K·N = {show(op.flops, 'FLOP')}                                             Eq. 6"
    yield f"blocks    {math.ceil(m / tile_m)} rows · {math.ceil(n / tile_n)} columns · {op.split} parts over {at.n_sm:.0f} SMs = " \
          f"{op.full:.4g} waves, {op.waves} begun    Eq. 35"
    yield f"delivery  δ = {op.delta:.4g} for this tile                                        Eq. 27"
    yield f"compute   2·{tile_m}·{tile_n}·{op.depth} FLOP · {op.waves} waves at {show(at.peak, 'FLOP/s')}/{at.n_sm:.0f}·{u['burst_frac']}" \
          f" + {op.waves}·{seconds(u['wave_s'])} = {seconds(op.compute)}    Eq. 34"
    yield f"partial   8·{op.split}·M·N = {show(op.partial, 'B')}, sums of the {op.split} parts                      Eq. 37"
    yield f"L2        {show(op.cached, 'B')} over {show(chip['l2_bytes_per_s'], 'B/s')}·{at.calibration['l2_frac']} = {seconds(op.l2)}" \
          f"                            Eq. 30"
    yield f"DRAM      operands do not fit in 0.8·{show(chip['l2_bytes'], 'B')}, so blocks of {side} are re-read: " \
          f"{show(op.read, 'B')}    Eq. 31"
    yield f"          ({show(op.read, 'B')} + {show(op.partial, 'B')} + {show(u['dram_ramp_bytes'], 'B')})/({show(at.beta, 'B/s')}·{u['dram_frac']})" \
          f" + {show(op.written, 'B')}/({show(at.beta, 'B/s')}·{at.calibration['write_frac']}) = {seconds(op.dram)}"
    yield f"time      max({seconds(op.compute)}, {seconds(op.l2)}, {seconds(op.dram)}) + {seconds(op.launch)} = {seconds(op.seconds())}" \
          f"    Eq. 25"


def product_rows(ops):
    yield ("product", "M", "K", "N", "tile", "split", "FLOP", "compute", "L2", "DRAM", "launch", "time")
    for op in ops:
        yield (op.name, *(str(side) for side in op.shape), op.tile, str(op.split), show(op.flops, ""),
               *(seconds(value) for value in (op.compute, op.l2, op.dram, op.launch, op.seconds())))


def step_products(x):
    return table(list(product_rows([op for op in x.layer + x.ends if hasattr(op, "tile")])))


def step_attention(x):
    at = x.at
    for op in (op for op in x.layer if op.name.startswith("attention.flash")):
        yield f"{op.phase}"
        yield f"  pairs    b·(a/t)·s²/2 = {show(op.pairs, '')}                                          Eq. 42"
        yield f"  FLOP     2·pairs·d·{5 if op.phase == 'backward' else 2} = {show(op.flops, 'FLOP')}                                   " \
              f"Eq. {44 if op.phase == 'backward' else 43}"
        yield f"  blocks   b·(a/t)·s/128 = {op.blocks}, as long as {op.walks:.4g} of the longest               Eq. 45"
        yield f"  start    half_seq = {op.half} keys of {x.s}"
        yield f"  tail     {at.calibration['attention']['flash2']['tail']}·{at.n_sm:.0f}/{op.walks:.4g} = {op.tail:.4g}"
        yield f"  compute  FLOP·(1 + {op.half}/{x.s})/({show(at.peak, 'FLOP/s')}·{op.frac})·(1 + {op.tail:.4g}) = {seconds(op.compute)}"
        yield f"  DRAM     {show(op.bytes, 'B')}/({show(at.beta, 'B/s')}·{at.u['dram_frac']}) = {seconds(op.dram)}"
        yield f"  time     max + {seconds(op.launch)} = {seconds(op.seconds())}                                    Eq. 46"


def pointwise_rows(ops):
    yield ("kernel", "class", "share", "bytes", "DRAM", "launches", "time")
    for op in ops:
        yield (op.name, op.kind, op.share, show(op.bytes, "B"), seconds(op.dram), str(op.launches), seconds(op.seconds()))


def unique(ops):
    seen = {}
    for op in ops:
        seen.setdefault((op.name, op.phase), op)
    return list(seen.values())


def step_pointwise(x):
    ops = [op for op in unique(x.layer + x.ends + x.embedding) if hasattr(op, "kind") and not op.network]
    for op in ops:
        op.share = str(x.at.calibration["pointwise_frac"][op.kind])
    return table(list(pointwise_rows(ops)))


def step_collectives(x):
    link = x.at.system["scaleup_bytes_per_s"]
    rows = [("collective", "payload", "base", "hop", "link·η", "time", "hidden", "exposed")]
    for op in unique([op for op in x.layer + x.ends if op.network]):
        rows.append((f"{op.name} ({op.kind})", show(op.payload, "B"), seconds(op.line["base_s"]),
                     f"{op.hops}·{seconds(op.line['hop_s'])}", show(link * op.eta, "B/s"), seconds(op.network),
                     seconds(op.hidden), seconds(op.seconds())))
    yield from table(rows)
    overlap, contention = x.at.engine["tp_overlap_frac"], x.at.calibration["overlap_contention_frac"]
    yield f"time = base + hops·hop + payload·(1/2; all-reduce 1)/(link·η);  hidden = {overlap}·(1 − {contention})·time    Eqs. 51, 64, 65"


def phase_sum(ops, phase, network, clock=1):
    return sum(op.seconds(clock) for op in ops if op.phase == phase and bool(op.network) == network)


def step_sums(x):
    rows = [("micro-batch at the burst clock", "forward", "exposed TP", "backward", "exposed TP")]
    for name, ops in (("one layer", x.layer), ("embedding", x.embedding), ("final norm, head, loss", x.ends)):
        rows.append((name, *(seconds(phase_sum(ops, phase, network)) for phase in ("forward", "backward")
                             for network in (False, True))))
    for name, ends in ((f"first rank: {x.per_rank} layers, embedding", x.embedding),
                       (f"last rank: {x.per_rank} layers, head", x.ends)):
        (f, tf), (b, tb) = (x.rank(ends, phase, 1) for phase in ("forward", "backward"))
        rows.append((name, seconds(f), seconds(tf), seconds(b), seconds(tb)))
    return table(rows)


def step_power(x):
    u, (u0, u1, u2) = x.at.u, x.guesses
    yield f"matrix FLOP of the last rank at full rate  {seconds(x.matrix)} per micro-batch, at {show(x.at.peak, 'FLOP/s')}·{u0}"
    yield f"step at the burst clock       {seconds(x.burst)}: x = {x.m}·{seconds(x.matrix)}/{seconds(x.burst)} = {x.load_burst:.4g}"
    yield f"u = {u['sustained_frac']} + {u['power_slope']}·(1 − {x.load_burst:.4g}) = {u1:.5g}, below {u0}: the limit binds        Eq. 105"
    yield f"at {u1:.5g} the step is longer, its load allows u = {u2:.5g}; extrapolated: u = {x.share:.5g}"
    yield f"check: x = {x.load:.4g} in the final step, and {u['sustained_frac']} + {u['power_slope']}·(1 − {x.load:.4g}) = " \
          f"{u['sustained_frac'] + u['power_slope'] * (1 - x.load):.5g}"
    yield f"compute time of matrix kernels is stretched by {u0}/{x.share:.5g} = {1 / x.clock:.5g}"


def step_pipeline(x):
    pair = 2 * x.send
    yield f"last rank   F = {seconds(x.F)}   Bk = {seconds(x.B)}   F + Bk = {seconds(x.F + x.B)}, the slower one"
    yield f"first rank  F + Bk = {seconds(x.first)}"
    yield f"work        m·(F + Bk) = {x.m}·{seconds(x.F + x.B)} = {seconds(x.m * (x.F + x.B))}"
    yield f"slow chips  {seconds(x.kernels)} of kernels·{x.at.calibration['straggle_frac_per_doubling']}·4·{LARGEST_OF_8} = " \
          f"{seconds(x.time['overhead'])}: the slowest of {x.gpus}              Eqs. 39, 299"
    yield f"bubble      F + Bk of the other rank = {seconds(x.time['pp_bubble'])}                               Eqs. 68, 73"
    yield f"send        {show(x.send_bytes, 'B')}/({show(x.at.system['scaleup_bytes_per_s'], 'B/s')}·{x.at.calibration['p2p_scaleup_frac']})" \
          f" + {seconds(x.at.system['scaleup_latency_s'])} = {seconds(x.send)}, a pair {seconds(pair)}                 Eq. 57"
    yield f"sends       (p − 1 + m) pairs = {x.p - 1 + x.m}·{seconds(pair)} = {seconds(x.time['pp_exposed'])}                          Eq. 74"


def step_replicas(x):
    kept = 1 - x.at.calibration["overlap_contention_frac"]
    yield f"buckets  Ψ = {show(x.params, '')} in parts of {show(x.at.engine['reduce_bucket_params'], '')}: {x.buckets}                          Eq. 260"
    rows = [("collective", "payload", "base", "hop", "link·η", "time", f"of {x.buckets}", "window")]
    link = x.at.system["scaleup_bytes_per_s"]
    for op, all_s, window in ((x.scatter, x.scatter_s, x.window_b), (x.gather, x.gather_s, x.window_f)):
        rows.append((f"{op.name} ({op.kind})", show(op.payload, "B"), seconds(op.line["base_s"]),
                     f"{op.hops}·{seconds(op.line['hop_s'])}", show(link * op.eta, "B/s"), seconds(op.network),
                     seconds(all_s), seconds(window)))
    yield from table(rows)
    yield f"hidden   min(time, window) of each = {seconds(x.dp_hidden)}, of which {kept} is saved                 Eqs. 65, 76"
    yield f"exposed  {seconds(x.scatter_s)} + {seconds(x.gather_s)} − {kept}·{seconds(x.dp_hidden)} = {seconds(x.time['dp_exposed'])}" \
          f"                          Eq. 77"
    yield ""
    rows = [("optimizer, half of the parameters", "bytes", "share", "DRAM", "launches", "time")]
    for op in x.optimizer:
        share = x.at.calibration["pointwise_frac"][op.kind]
        rows.append((op.name, show(op.bytes, "B"), str(share), seconds(op.dram), str(op.launches), seconds(op.seconds())))
    rows.append(("sum", "", "", "", "", seconds(x.time["optimizer"])))
    yield from table(rows)


def step_result(x):
    at = x.at
    for name, value in x.time.items():
        yield f"{name:11}  {seconds(value):>9}  {100 * value / x.total:5.1f} %"
    yield f"{'step':11}  {seconds(x.total):>9}                                                         Eq. 1"
    yield ""
    yield f"model FLOP  3·B·s·{show(x.per_token, 'FLOP')} per token = {show(x.model_flops, 'FLOP')}                           Eqs. 20, 21"
    yield f"MFU         {show(x.model_flops, 'FLOP')}/({seconds(x.total)}·{x.gpus}·{show(at.peak, 'FLOP/s')}) = {x.mfu:.4f}                          Eq. 3"
    yield f"tokens/s    {x.batch}·{x.s}/{seconds(x.total)} = {x.batch * x.s / x.total:.0f}"
    yield f"work of a GPU  {show(x.flops, 'FLOP')}, {show(x.dram_bytes, 'B')} of DRAM, {show(x.link_bytes, 'B')} of links"
    yield f"power       {at.chip['idle_w']:.0f} W + (FLOP·{show(at.chip['flop_j'] * 1e12, '')} pJ + DRAM·{at.chip['hbm_j_per_byte'] * 1e12:.0f} pJ" \
          f" + links·{at.chip['link_j_per_byte'] * 1e12:.0f} pJ)/{seconds(x.total)} = {show(x.power, 'W')}        Eq. 104"
    yield f"energy      {x.gpus}·{show(x.power, 'W')}·{seconds(x.total)}·{at.system['pue_frac']} = {show(x.energy, 'J')}"
    yield f"cost        {x.gpus}·{at.system['price_usd_per_gpu_hour']} $/h·{seconds(x.total)}/3600 = {x.cost:.4g} $                           Eq. 108"
