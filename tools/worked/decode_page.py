"""The blocks of the page about the decode step."""
import math

from .step_page import product_rows
from .text import seconds, show, table


def decode_shapes(x):
    yield f"h = {x.h}   f = {x.f}   L = {x.layers}   a = {x.a}   k = {x.k}   d = {x.d}   V = {x.vocab}"
    yield f"rows of every product M = B = {x.batch}; context x = {x.context}, the new token included"


def decode_products(x):
    return table(list(product_rows([*x.products, x.logits])))


def decode_product(x):
    u, chip, at, op = x.at.u, x.at.chip, x.at, x.products[3]
    m, k, n = op.shape
    tile_m, tile_n = (int(side) for side in op.tile.split("x"))
    yield f"M = B = {m}   K = f = {k}   N = h = {n}      tile {op.tile}, K not cut"
    yield f"FLOP      2·M·K·N = {show(op.flops, 'FLOP')}    Eq. 6"
    yield f"blocks    {math.ceil(m / tile_m)} row · {math.ceil(n / tile_n)} columns over {at.n_sm:.0f} SMs = {op.full:.4g} waves, {op.waves} begun    Eq. 35"
    yield f"delivery  δ = 1 + {u['tile_cost']}·(1/{tile_m} + 1/{tile_n} − 1/256 − 1/128) = {op.delta:.4g}    Eq. 27"
    yield f"compute   2·{tile_m}·{tile_n}·{op.depth}·δ FLOP · max({op.waves}/{u['sm_frac']}, {op.full:.4g}/{u['burst_frac']}) at " \
          f"{show(at.peak, 'FLOP/s')}/{at.n_sm:.0f} + {seconds(u['wave_s'])} = {seconds(op.compute)}    Eq. 34"
    yield f"L2        {show(op.cached, 'B')} over {show(chip['l2_bytes_per_s'], 'B/s')}·{at.calibration['l2_frac']} = {seconds(op.l2)}    Eq. 30"
    yield f"DRAM      ({show(op.read, 'B')} + {show(u['dram_ramp_bytes'], 'B')})/({show(at.beta, 'B/s')}·{u['dram_frac']}) + " \
          f"{show(op.written, 'B')}/({show(at.beta, 'B/s')}·{at.calibration['write_frac']}) = {seconds(op.dram)}    Eqs. 31, 38"
    yield f"time      max({seconds(op.compute)}, {seconds(op.l2)}, {seconds(op.dram)}) + {seconds(op.launch)} = {seconds(op.seconds())}    Eq. 25"


def decode_attention(x):
    at, u = x.at, x.at.calibration["decode"][x.at.engine["decode_kernel"]]["16"]
    yield f"heads     B·k = {x.heads} pairs of sequence and K,V head on {at.n_sm:.0f} SMs: one block each, no split   Eq. 48"
    yield f"a key     2·d·2 = {x.key_bytes} B per head; {x.heads}·{x.key_bytes} + {x.batch}·{x.entry} (block table) = {x.step_bytes:.0f} B per position"
    yield f"DRAM      the first {show(u['ramp_bytes'], 'B')} = {x.ramp} positions at half the rate:"
    yield f"          ({x.context} + {x.ramp})·{x.step_bytes:.0f} B/({show(at.beta, 'B/s')}·{u['dram_frac']}) = {seconds(x.lines['dram'])}"
    yield f"FLOP      {x.context}·4·B·max(a, 16·k)·d = {show(x.context * 4 * x.batch * max(x.a, 16 * x.k) * x.d, 'FLOP')} over " \
          f"{show(at.peak, 'FLOP/s')}·{u['compute_frac']} = {seconds(x.lines['flop'])}"
    yield f"blocks    {seconds(u['block_s'])} + {x.context}·{x.key_bytes} B/{show(u['sm_bytes_per_s'], 'B/s')} = {seconds(x.lines['blocks'])}"
    yield f"time      {seconds(u['launch_s'])} + max = {seconds(x.attention.seconds())}                                         Eq. 47"


def decode_pointwise(x):
    e, op, c = x.at.engine, x.pointwise, x.at.calibration
    n, floor = e["layer_pointwise_kernels"], e["pointwise_floor_s"]
    yield f"layer      B·(h·{e['pointwise_bytes_per_element']} + f·3·2) = {show(op.bytes, 'B')} over {show(x.at.beta, 'B/s')}·{c['pointwise_frac']['activation']}" \
          f" = {seconds(op.dram)}; {n} kernels never below {n}·{seconds(floor)} = {seconds(op.seconds())}   Eq. 40"
    yield f"embedding  {show(x.embedding.bytes, 'B')} over {show(x.at.beta, 'B/s')}·{c['pointwise_frac']['copy']} + {seconds(c['pointwise_launch_s'])}" \
          f" = {seconds(x.embedding.seconds())}"
    yield f"token      B·V·({e['logit_bytes_live']} + 4) = {show(x.sample.bytes, 'B')} over {show(x.at.beta, 'B/s')}·{c['pointwise_frac']['loss']}," \
          f" never below 12 us: {seconds(x.sample.seconds())}   Eq. 269"


def decode_result(x):
    u = x.at.u
    layer = sum(op.seconds() for op in x.products)
    load = x.matrix / x.device
    yield f"products   {x.layers}·{seconds(layer)} + {seconds(x.logits.seconds())} = {seconds(x.time['decode_gemm'])}"
    yield f"attention  {x.layers}·{seconds(x.attention.seconds())} = {seconds(x.time['decode_attention'])}"
    yield f"pointwise  {x.layers}·{seconds(x.pointwise.seconds())} + {seconds(x.embedding.seconds())} + {seconds(x.sample.seconds())} = {seconds(x.time['decode_pointwise'])}"
    yield f"pieces     {x.layers}·{seconds(x.at.engine['graph_piece_s'])} = {seconds(x.pieces)}                     Eq. 241"
    yield f"host       {seconds(x.at.engine['sampling_s'])} + {x.batch}·{seconds(x.at.engine['sampling_s_per_sequence'])} = {seconds(x.host)}                     Eq. 129"
    yield f"step       {seconds(x.total)}: {1 / x.total:.4g} tokens/s per sequence, {x.batch / x.total:.4g} in all            Eqs. 2, 91"
    yield ""
    yield f"power      x = {seconds(x.matrix)}/{seconds(x.device)} = {load:.4g}: {u['sustained_frac']} + {u['power_slope']}·(1 − {load:.4g}) = " \
          f"{u['sustained_frac'] + u['power_slope'] * (1 - load):.4g}, above {u['burst_frac']}: no limit   Eq. 105"
    yield f"bound      max({show(x.flops, 'FLOP')}/{show(x.at.peak, 'FLOP/s')}, {show(x.bytes, 'B')}/{show(x.at.beta, 'B/s')}) = {seconds(x.floor)};" \
          f" the step takes {x.total / x.floor:.4g} times that   Eq. 92"
