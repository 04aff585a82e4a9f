"""The training step."""
import math

from .costs import W, collective, flash, linear, pointwise
from .parts import Machine, part

LARGEST_OF_8 = 1.424  # the mean of the largest of 8 standard normal values


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
        self.kernels = m * (forward + backward)
        time["overhead"] = self.kernels * self.at.calibration["straggle_frac_per_doubling"] * 4 * LARGEST_OF_8
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
