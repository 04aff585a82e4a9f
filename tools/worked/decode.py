"""The decode step."""
import math

from .costs import W, Op, pointwise, product
from .parts import Machine, part


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
        at, u, engine = self.at, self.at.calibration["decode"][self.at.engine["decode_kernel"]]["16"], self.at.engine
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
