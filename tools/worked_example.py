#!/usr/bin/env python3
"""The arithmetic of docs/worked-example.md, worked out a second time: worked_example.py SECTION | --list | --check

SECTION  prints one block of the page; tools/fill_docs.sh puts it there, and its --check compares page and script
--check  compares every number with orrery (taken from the PATH), to 1 part in 1e9; speaks TAP

Everything comes from the files of data/ and the formulas of docs/equations.md. Only --check uses
the program, so that a mistake on either side shows.
"""
import json
import math
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOLERANCE = 1e-9
TRAIN = ["train", "--model", "llama2-7b", "--system", "a100-80g-sxm", "--gpus", "8", "--tp", "2", "--pp", "2",
         "--micro-batch", "1", "--global-batch", "64", "--engine", "megatron-core-2024"]
DECODE = ["infer", "--model", "llama3-8b", "--system", "h100-sxm", "--tp", "1", "--batch", "16", "--input", "1024",
          "--output", "2", "--engine", "vllm"]
TILES = [(256, 128), (128, 256), (128, 128), (128, 64), (64, 128), (64, 64), (16, 64)]
W = 2  # bytes of a 16-bit element
PREFIXES = {"": 1, "f": 1e-15, "p": 1e-12, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "Ki": 2**10,
            "Mi": 2**20, "Gi": 2**30}


# ---------------------------------------------------------------- data files

def part(kind, name):
    """A file of data/ merged with the files it is based on."""
    given = json.loads((ROOT / "data" / kind / (name + ".json")).read_text(encoding="utf-8"))
    return {**part(kind, given["base"]), **given} if "base" in given else given


def number(value):
    """The SI value of "312 TFLOP/s", "40 MiB" or 0.9."""
    if not isinstance(value, str):
        return float(value)
    digits, prefix = re.match(r"([0-9.e+-]+) *(Ki|Mi|Gi|[fpmkMGT]?)(?:FLOP/s|B/s|J/B|B|J|W|Hz)?$", value).groups()
    return float(digits) * PREFIXES[prefix]


LARGEST_OF_8 = 1.424  # the mean of the largest of 8 standard normal values


class Machine:
    """The chip, system, calibration and engine of a job, as numbers."""

    def __init__(self, system, engine):
        self.system = {k: number(v) for k, v in part("systems", system).items() if not isinstance(v, list)
                       and k not in ("chip", "sources", "name")}
        chip = part("chips", part("systems", system)["chip"])
        self.chip = {k: number(v) for k, v in chip.items() if k.endswith(("_s", "_sm", "_multicast", "bytes", "_j",
                                                                          "_w", "_byte")) and k != "peak_flops_per_s"}
        self.peak = number(chip["peak_flops_per_s"]["bf16"])
        self.beta, self.n_sm = self.chip["hbm_bytes_per_s"], self.chip["n_sm"]
        self.calibration = part("calibration", chip["calibration"])
        self.u = self.calibration["gemm"]["bf16"]
        self.engine = part("engines", engine)


# ---------------------------------------------------------------- costs

class Op:
    """One operator: seconds at each level at the burst clock, work, and how it is printed."""

    def __init__(self, name, phase, **given):
        self.name, self.phase = name, phase
        self.flops = self.bytes = self.compute = self.l2 = self.dram = self.launch = self.network = self.hidden = 0
        self.dram_bytes = self.link_bytes = self.matrix = 0
        self.text = ""
        self.__dict__.update(given)

    def seconds(self, clock=1):
        """Eq. 25; the power limit stretches compute (Eq. 105). A collective counts its exposed part."""
        if self.network:
            return self.network - self.hidden
        return max(self.compute / clock, self.l2, self.dram) + self.launch

    def bound(self):
        return max(("compute", "l2", "dram"), key=lambda level: getattr(self, level))


def product(at, name, phase, m, k, n, output=W):
    """Eqs. 6, 25-38: every tile and split is priced, and the fastest is taken."""
    u, chip = at.u, at.chip
    left, right, written = W * m * k, W * k * n, output * m * n
    if left + right + written <= 0.8 * chip["l2_bytes"]:
        read = left + right
    else:
        side = math.floor(math.sqrt(0.8 * chip["l2_bytes"] / (3 * W)))
        read = left * math.ceil(n / side) + right * math.ceil(m / side)
    best = None
    for tile_m, tile_n in TILES:
        delta = 1 + u["tile_cost"] * (1 / tile_m + 1 / tile_n - 1 / 256 - 1 / 128)
        rows, columns = math.ceil(m / tile_m), math.ceil(n / tile_n)
        for split in (1, 2, 4):
            if split > 1 and k < 256 * split:
                continue
            depth, partial = 64 * math.ceil(k / (64 * split)), 8 * split * m * n if split > 1 else 0
            full = rows * columns * split / at.n_sm
            waves = math.ceil(full)
            sm = at.peak / at.n_sm
            compute = 2 * tile_m * tile_n * depth * delta * max(
                waves / (sm * max(u.get("sm_frac", 0), u["burst_frac"])), full / (sm * u["burst_frac"]))
            compute += waves * u["wave_s"]
            cached = (left * columns + right * rows) / chip["l2_multicast"] + written + partial
            l2 = cached / (chip["l2_bytes_per_s"] * at.calibration["l2_frac"])
            dram = ((read + partial + u["dram_ramp_bytes"]) / (at.beta * u["dram_frac"]) +
                    written / (at.beta * at.calibration["write_frac"]))
            launch = u["launch_s"] + (2e-6 if split > 1 else 0)
            op = Op(name, phase, flops=2 * m * k * n, bytes=left + right + written, compute=compute, l2=l2, dram=dram,
                    launch=launch, dram_bytes=read + written + partial, tile=f"{tile_m}x{tile_n}", split=split,
                    full=full, waves=waves, delta=delta, depth=depth, partial=partial, read=read, written=written,
                    cached=cached, shape=(m, k, n), matrix=2 * m * k * n / (at.peak * u["burst_frac"]))
            if best is None or op.seconds() < best.seconds():
                best = op
    return best


def linear(at, name, m, k, n):
    """Eq. 12: forward, gradient of the input, gradient of the weights into a 4-byte accumulator."""
    accumulator = 2 * at.engine["gradient_bytes"]
    return [product(at, name, "forward", m, k, n), product(at, name + ".dgrad", "backward", m, n, k),
            product(at, name + ".wgrad", "backward", k, m, n, accumulator)]


def flash(at, name, phase, batch, queries, keys, head, pairs):
    """Eqs. 42-46 for one kernel generation; d_qk = d_v, causal."""
    u, backward = at.calibration["attention"]["flash2"], phase == "backward"
    frac, half = (u["backward_frac"], u["backward_half_seq"]) if backward else (u["forward_frac"], u["forward_half_seq"])
    flops = 2 * pairs * head * (5 if backward else 2)
    blocks = batch * math.ceil(queries / 128)
    walk_ratio = keys * queries * batch / pairs
    walks = blocks * (keys + half) / (walk_ratio * keys + half)
    tail = u["tail"] * at.n_sm / walks if blocks > at.n_sm else 0
    compute = flops * (1 + half / keys) / (at.peak * frac) * (max(1, at.n_sm / walks) + tail)
    operands = W * 2 * head * batch * (queries + keys)
    moved = 2 * operands + 8 * batch * queries * (1 + head) if backward else operands + 4 * batch * queries
    return Op(name, phase, flops=flops, bytes=moved, dram_bytes=moved, compute=compute,
              dram=moved / (at.beta * at.u["dram_frac"]), launch=u["launch_s"], blocks=blocks, walks=walks, tail=tail,
              pairs=pairs, frac=frac, half=half, matrix=flops / (at.peak * at.u["burst_frac"]))


def pointwise(at, name, phase, kind, moved, launches=1, floor=0):
    """Eq. 40, with the least time of a kernel as lower bound."""
    dram = moved / (at.beta * at.calibration["pointwise_frac"][kind])
    launch = launches * at.calibration["pointwise_launch_s"]
    return Op(name, phase, bytes=moved, dram_bytes=moved, dram=dram, launch=max(launch, floor - dram), kind=kind,
              launches=launches)


def efficiency(line, ranks):
    return line["efficiency_frac"][line["ranks"].index(ranks)]


def collective(at, name, phase, kind, ranks, payload, overlap=0):
    """Eqs. 49-55 inside a domain: the fastest line of the calibration; Eqs. 64, 65 for what is hidden."""
    best = None
    for line in at.calibration["lines"]:
        if line["collective"] != kind or line.get("custom") or line["algorithm"] != "ring":
            continue
        rounds = 2 if kind == "allreduce" else 1
        wire = rounds * (ranks - 1) / ranks * payload
        rate = at.system["scaleup_bytes_per_s"] * efficiency(line, ranks)
        seconds = line["base_s"] + rounds * (ranks - 1) * line["hop_s"] + wire / rate
        if best is None or seconds < best.network:
            best = Op(name, phase, network=seconds, payload=payload, link_bytes=wire, kind=kind, line=line,
                      eta=efficiency(line, ranks), hops=rounds * (ranks - 1))
    best.hidden = best.network * overlap * (1 - at.calibration["overlap_contention_frac"])
    return best


# ---------------------------------------------------------------- the training step

class Step:
    """llama2-7b on 8 A100: tp 2, pp 2, dp 2, sequence parallel, ZeRO-1, 1F1B."""

    def __init__(self):
        self.at = at = Machine("a100-80g-sxm", "megatron-core-2024")
        model = part("models", "llama2-7b")
        self.h, self.f, self.layers = model["hidden_size"], model["intermediate_size"], model["num_hidden_layers"]
        self.a, self.vocab, self.s = model["num_attention_heads"], model["vocab_size"], 2048
        self.t, self.p, self.d, self.b, self.batch, self.gpus = 2, 2, 2, 1, 64, 8
        self.m = self.batch // (self.d * self.b)
        self.head, self.heads = self.h // self.a, self.a // self.t
        self.T, self.per_rank = self.b * self.s, self.layers // self.p
        self.layer, self.embedding, self.ends = self.layer_ops(), self.embedding_ops(), self.head_ops()
        self.count_parameters()
        self.step_ops()
        self.settle()

    def tp(self, name, phase, kind):
        at = self.at
        return collective(at, name, phase, kind, self.t, self.T * self.h * W, at.engine["tp_overlap_frac"])

    def column(self):
        return [self.tp("tp.gather", "forward", "allgather"), self.tp("tp.gather_saved", "backward", "allgather"),
                self.tp("tp.scatter_grad", "backward", "reducescatter")]

    def row(self):
        return [self.tp("tp.scatter", "forward", "reducescatter"), self.tp("tp.gather_grad", "backward", "allgather")]

    def both(self, name, kind, elements, forward, backward, launches=(1, 1)):
        return [pointwise(self.at, name, "forward", kind, elements * forward, launches[0]),
                pointwise(self.at, name + ".backward", "backward", kind, elements * backward, launches[1])]

    def layer_ops(self):
        at, T, h, t = self.at, self.T, self.h, self.t
        norm = T // t * h
        pairs = self.b * self.heads * self.s * self.s / 2
        ops = 2 * self.both("norm", "rmsnorm", norm, 2 * W, 5 * W, (1, 2))
        ops += linear(at, "attention.qkv", T, h, 3 * self.heads * self.head) + self.column()
        ops += self.both("attention.rope", "activation", T * 2 * self.heads * self.head, 4, 4)
        ops += [flash(at, "attention.flash", "forward", self.b * self.heads, self.s, self.s, self.head, pairs),
                flash(at, "attention.flash.backward", "backward", self.b * self.heads, self.s, self.s, self.head, pairs)]
        ops += linear(at, "attention.out", T, self.heads * self.head, h) + self.row()
        ops += self.both("residual.add", "add", norm, 3 * W, 3 * W)
        ops += linear(at, "mlp.up", T, h, 2 * self.f // t) + self.column()
        ops += self.both("mlp.activation", "activation", T * self.f // t, 6, 10)
        ops += linear(at, "mlp.down", T, self.f // t, h) + self.row()
        return ops + self.both("residual.add", "add", norm, 3 * W, 3 * W)

    def columns(self):
        multiple = self.at.engine["vocab_multiple"] * self.t
        return math.ceil(self.vocab / multiple) * multiple // self.t

    def embedding_ops(self):
        at, rows = self.at, self.T * self.h
        return [pointwise(at, "embedding.gather", "forward", "copy", 2 * W * rows),
                pointwise(at, "embedding.scatter", "backward", "scatter", W * (3 * rows + self.columns() * self.h), 4),
                *self.row()]

    def head_ops(self):
        at, T, logits = self.at, self.T, self.T * self.columns()
        ops = self.both("head.norm", "rmsnorm", T // self.t * self.h, 2 * W, 5 * W, (1, 2))
        ops += linear(at, "head.logits", T, self.h, self.columns()) + self.column()
        ops += self.both("loss", "loss", logits, 18, 17, (3, 2))
        overlap = at.engine["tp_overlap_frac"]
        return ops + 3 * [collective(at, "loss.reduce", "forward", "allreduce", self.t, 4 * T, overlap)]

    def count_parameters(self):
        h, t = self.h, self.t
        self.layer_params = (4 * h * h + 3 * h * self.f) // t + 2 * h
        self.head_params = self.columns() * h + h
        self.params = self.per_rank * self.layer_params + self.head_params

    def step_ops(self):
        at, params, engine = self.at, self.params, self.at.engine
        self.send_bytes = self.T * self.h * W // self.t
        rate = at.system["scaleup_bytes_per_s"] * at.calibration["p2p_scaleup_frac"]
        self.send = self.send_bytes / rate + at.system["scaleup_latency_s"]
        bucket = max(engine["reduce_bucket_params"], self.d * engine["reduce_bucket_rank_params"])
        self.buckets = math.ceil(params / bucket)  # Eq. 260
        part = params / self.buckets
        self.scatter = collective(at, "dp.scatter", "step", "reducescatter", self.d, part * engine["reduce_bytes"])
        self.gather = collective(at, "dp.gather", "step", "allgather", self.d, part * W)
        self.scatter_s, self.gather_s = self.buckets * self.scatter.network, self.buckets * self.gather.network
        own, g, state = params / self.d, engine["gradient_bytes"], engine["optimizer_bytes"]
        self.optimizer = [pointwise(at, "optimizer.norm", "step", "add", own * g, 4),
                          pointwise(at, "optimizer.cast_gradients", "step", "upcast", own * (W + g), 32),
                          pointwise(at, "optimizer.cast_weights", "step", "copy", own * (4 + W), 32),
                          pointwise(at, "optimizer.adam", "step", "adam", own * (g + 2 * state), 8)]

    def rank(self, ends, phase, clock):
        """The seconds of one micro-batch on a rank: compute and exposed collectives."""
        ops = [(op, self.per_rank) for op in self.layer] + [(op, 1) for op in ends]
        ops = [(op, n) for op, n in ops if op.phase == phase]
        return (sum(n * op.seconds(clock) for op, n in ops if not op.network),
                sum(n * op.seconds(clock) for op, n in ops if op.network))

    def at_clock(self, clock):
        """Eqs. 1, 39, 73-78 with matrix kernels at a share of the burst clock."""
        time = {}
        (forward, tp_f), (backward, tp_b) = (self.rank(self.ends, phase, clock) for phase in ("forward", "backward"))
        first = sum(sum(self.rank(self.embedding, phase, clock)) for phase in ("forward", "backward"))
        m, pair = self.m, 2 * self.send
        self.F, self.B, self.first = forward + tp_f, backward + tp_b, first
        time["forward"], time["backward"], time["tp_exposed"] = m * forward, m * backward, m * (tp_f + tp_b)
        time["pp_exposed"], time["pp_bubble"] = (self.p - 1 + m) * pair, first
        window = 1 - 1 / self.per_rank
        self.window_b, self.window_f = window * self.B, window * self.F
        self.dp_hidden = min(self.scatter_s, self.window_b) + min(self.gather_s, self.window_f)
        kept = 1 - self.at.calibration["overlap_contention_frac"]
        time["dp_exposed"] = self.scatter_s + self.gather_s - kept * self.dp_hidden
        time["optimizer"] = sum(op.seconds() for op in self.optimizer)
        time["overhead"] = m * (self.F + self.B) * self.at.calibration["straggle_frac_per_doubling"] * 4 * LARGEST_OF_8
        total = sum(time.values())
        matrix = self.per_rank * sum(op.matrix for op in self.layer) + sum(op.matrix for op in self.ends)
        self.matrix = matrix
        return time, total, m * matrix / clock / total

    def settle(self):
        """Eq. 105: the share of peak allowed by the load that this share leads to; two steps and Aitken's extrapolation."""
        u = self.at.u
        allowed = lambda x: min(u["burst_frac"], max(u["sustained_frac"], u["sustained_frac"] + u["power_slope"] * (1 - x)))
        self.burst, self.load_burst = self.at_clock(1)[1:]
        u0, u1 = u["burst_frac"], allowed(self.load_burst)
        u2 = allowed(self.at_clock(u1 / u0)[2])
        self.guesses = (u0, u1, u2)
        self.share = u2 - (u2 - u1) ** 2 / (u2 - 2 * u1 + u0)
        self.clock = self.share / u0
        self.time, self.total, self.load = self.at_clock(self.clock)
        self.totals()

    def totals(self):
        at, m = self.at, self.m
        ops = [(op, m * self.per_rank) for op in self.layer] + [(op, m) for op in self.ends]
        ops += [(op, self.buckets) for op in (self.scatter, self.gather)] + [(op, 1) for op in self.optimizer]
        self.flops = sum(n * op.flops for op, n in ops)
        self.dram_bytes = sum(n * op.dram_bytes for op, n in ops)
        self.link_bytes = sum(n * op.link_bytes for op, n in ops) + 2 * m * self.send_bytes
        dynamic = (self.flops * at.chip["flop_j"] + self.dram_bytes * at.chip["hbm_j_per_byte"] +
                   self.link_bytes * at.chip["link_j_per_byte"])
        self.power = min(at.chip["tdp_w"], at.chip["idle_w"] + dynamic / self.total)
        self.energy = self.gpus * self.power * self.total * at.system["pue_frac"]
        self.cost = self.gpus * at.system["price_usd_per_gpu_hour"] * self.total / 3600
        weights = self.layers * (4 * self.h * self.h + 3 * self.h * self.f)
        self.per_token = 2 * weights + 2 * self.h * self.vocab + self.layers * 4 * self.h * self.s
        self.model_flops = 3 * self.batch * self.s * self.per_token
        self.mfu = self.model_flops / (self.total * self.gpus * at.peak)


# ---------------------------------------------------------------- the decode step

class Decode:
    """llama3-8b on one H100, 16 sequences, one step at context 1025."""

    def __init__(self):
        self.at = at = Machine("h100-sxm", "vllm")
        model = part("models", "llama3-8b")
        self.h, self.f, self.layers = model["hidden_size"], model["intermediate_size"], model["num_hidden_layers"]
        self.a, self.k, self.vocab = model["num_attention_heads"], model["num_key_value_heads"], model["vocab_size"]
        self.batch, self.context, self.d = 16, 1025, self.h // self.a
        rows, h = self.batch, self.h
        name = lambda text, k, n: product(at, text, "decode", rows, k, n)
        self.products = [name("attention.qkv", h, (self.a + 2 * self.k) * self.d), name("attention.out", h, h),
                         name("mlp.gate_up", h, 2 * self.f), name("mlp.down", self.f, h)]
        self.logits = name("head", h, self.vocab)
        self.attention = self.attention_op()
        engine = at.engine
        moved = rows * (h * engine["pointwise_bytes_per_element"] + self.f * 3 * W)
        n = engine["layer_pointwise_kernels"]
        self.pointwise = pointwise(at, "pointwise", "decode", "activation", moved, n, n * engine["pointwise_floor_s"])
        self.embedding = pointwise(at, "embedding", "decode", "copy", 2 * rows * h * W)
        moved = rows * self.vocab * (engine["logit_bytes_live"] + 4)  # Eq. 269
        self.sample = pointwise(at, "head.sample", "decode", "loss", moved, 2, 12e-6)
        self.time = {"decode_gemm": self.layers * sum(op.seconds() for op in self.products) + self.logits.seconds(),
                     "decode_attention": self.layers * self.attention.seconds(),
                     "decode_pointwise": self.layers * self.pointwise.seconds() + self.embedding.seconds() +
                     self.sample.seconds()}
        self.device = sum(self.time.values())
        self.host = engine["sampling_s"] + engine["sampling_s_per_sequence"] * rows
        self.pieces = self.layers * engine["graph_piece_s"] if engine.get("graph_pieces") else 0
        self.total = self.device + self.host + self.pieces
        every = [(op, self.layers) for op in (*self.products, self.attention)] + [(self.logits, 1), (self.sample, 1)]
        self.flops, self.bytes = (sum(n * getattr(op, what) for op, n in every) for what in ("flops", "bytes"))
        self.matrix = sum(n * op.matrix for op, n in every)
        self.floor = max(self.flops / at.peak, self.bytes / at.beta)

    def attention_op(self):
        """Eq. 47. 16 x 8 K,V heads nearly fill the SMs, so that contexts are not split (Eq. 48)."""
        at, u, engine = self.at, self.at.calibration["decode"]["paged"]["16"], self.at.engine
        self.heads = self.batch * self.k
        assert math.floor(at.n_sm / self.heads) == 1
        self.entry = engine["kv_table_entry_bytes"] / engine["kv_block_tokens"]
        self.key_bytes = 2 * self.d * W
        self.step_bytes = self.heads * self.key_bytes + self.batch * self.entry
        self.ramp = math.floor(u["ramp_bytes"] / (self.heads * self.key_bytes))
        key_s = self.step_bytes / (at.beta * u["dram_frac"])
        x = self.context
        self.lines = {"dram": (x + self.ramp) * key_s if x > self.ramp else 2 * x * key_s,
                      "flop": x * 4 * self.batch * max(self.a, 16 * self.k) * self.d / (at.peak * u["compute_frac"]),
                      "blocks": u["block_s"] + x * self.key_bytes / u["sm_bytes_per_s"]}
        moved = x * self.step_bytes
        return Op("attention.decode", "decode", flops=4 * self.batch * self.a * x * self.d, bytes=moved,
                  dram_bytes=moved, dram=max(self.lines.values()), launch=u["launch_s"])


# ---------------------------------------------------------------- printing

def show(value, unit):
    """Four digits, with a prefix."""
    for prefix, factor in (("P", 1e15), ("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3), ("", 1), ("m", 1e-3), ("u", 1e-6),
                           ("n", 1e-9)):
        if abs(value) >= factor * 0.99995 or prefix == "n":
            text = f"{value / factor:.4g}"
            return text + ("" if prefix + unit == "" else f" {prefix}{unit}")


def table(rows):
    """Columns padded: the first to the left, the rest to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths)))


def seconds(value):
    return show(value, "s")


def numbered(line):
    """Put the number of the equation at the right edge."""
    found = re.match(r"(.*?) {2,}(Eqs?\. [0-9a-z, ]+)$", line)
    return f"{found[1]:<95}  {found[2]}" if found else line.rstrip()


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
    yield f"slow chips  work·{x.at.calibration['straggle_frac_per_doubling']}·4·{LARGEST_OF_8} = {seconds(x.time['overhead'])}: the slowest of {x.gpus}                          Eqs. 39, 400"
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
    at, u = x.at, x.at.calibration["decode"]["paged"]["16"]
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


SECTIONS = {"step-" + f.__name__[5:]: f for f in (step_shapes, step_product, step_products, step_attention, step_pointwise,
                                                  step_collectives, step_sums, step_power, step_pipeline, step_replicas,
                                                  step_result)}
SECTIONS.update({"decode-" + f.__name__[7:]: f for f in (decode_shapes, decode_product, decode_products,
                                                         decode_attention, decode_pointwise, decode_result)})


# ---------------------------------------------------------------- against the program

def ask(arguments):
    text = subprocess.run(["orrery", *arguments], check=True, capture_output=True, text=True).stdout
    return json.loads(text)


class Tap:
    def __init__(self):
        self.n = self.failed = 0

    def near(self, name, ours, theirs):
        self.n += 1
        good = abs(ours - theirs) <= TOLERANCE * max(abs(ours), abs(theirs))
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.n} - {name}")
        if not good:
            print(f"# by hand {ours!r}, orrery {theirs!r}")


def compare_ops(tap, job, ops, costs, listed):
    """Check that the program has every operator of this script, with the same time, levels and work."""
    for op in unique(ops):
        cost = next(c for c in costs if c["name"] == op.name and c["phase"] == op.phase)
        given = next(o for o in listed if o["name"] == op.name and o["phase"] == op.phase)
        total = op.network if op.network else op.seconds()
        tap.near(f"{job}: {op.name} {op.phase}, seconds", total, cost["total_s"])
        if op.network:
            tap.near(f"{job}: {op.name} {op.phase}, hidden", op.hidden, cost["hidden_s"])
            continue
        tap.near(f"{job}: {op.name} {op.phase}, DRAM bytes", op.dram_bytes, cost["dram_bytes"])
        tap.near(f"{job}: {op.name} {op.phase}, DRAM", op.dram, cost["dram_s"])
        tap.near(f"{job}: {op.name} {op.phase}, FLOP", op.flops, given.get("flops", 0))
        if hasattr(op, "tile"):
            tap.near(f"{job}: {op.name} {op.phase}, compute", op.compute, cost["compute_s"])
            tap.near(f"{job}: {op.name} {op.phase}, L2", op.l2, cost["l2_s"])
            tap.near(f"{job}: {op.name} {op.phase}, tile", int(op.tile.split("x")[0]), cost["tile_m"])
            tap.near(f"{job}: {op.name} {op.phase}, split", op.split, cost["split_k"])


def check():
    tap = Tap()
    x, result = Step(), ask([*TRAIN, "--json"])
    step = [*x.optimizer, x.scatter, x.gather]
    compare_ops(tap, "step", x.layer + x.embedding + x.ends + step, ask([*TRAIN, "--dump", "costs"]),
                ask([*TRAIN, "--dump", "ops"]))
    for name, value in result["time_s"].items():
        tap.near(f"step: {name}", x.time.get(name, 0), value)
    for name, value in (("step_time_s", x.total), ("model_flops", x.model_flops), ("mfu_frac", x.mfu),
                        ("executed_flops", x.flops * x.gpus), ("matrix_frac", x.share), ("matrix_share_frac", x.load),
                        ("power_w_per_gpu", x.power), ("energy_j", x.energy), ("cost_usd", x.cost),
                        ("tokens_per_s", x.batch * x.s / x.total), ("n_micro_batches", x.m)):
        tap.near(f"step: {name}", value, result[name])
    y, result = Decode(), ask([*DECODE, "--json"])
    mine = [*y.products, y.logits, y.attention, y.pointwise, y.embedding]
    costs, listed = ([op for op in ask([*DECODE, "--dump", what]) if op["phase"] == "decode"] for what in ("costs", "ops"))
    compare_ops(tap, "decode", mine, costs, listed)
    for name, value in y.time.items():
        tap.near(f"decode: {name}", value, result["time_s"][name])
    tap.near("decode: tpot_s", y.total, result["tpot_s"])
    least = sum(o.get("bytes", 0) * c["runs"] for o, c in zip(listed, costs) if o["name"] not in ("pointwise", "embedding"))
    tap.near("decode: bytes of the bound", y.bytes, least)
    print(f"1..{tap.n}")
    return 1 if tap.failed else 0


def main():
    if sys.argv[1:] == ["--check"]:
        return check()
    if sys.argv[1:] == ["--list"]:
        print("\n".join(SECTIONS))
        return 0
    section = SECTIONS.get(sys.argv[1]) if len(sys.argv) == 2 else None
    if not section:
        print(__doc__, file=sys.stderr)
        return 2
    job = Step() if sys.argv[1].startswith("step-") else Decode()
    print("\n".join(numbered(line) for line in section(job)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
