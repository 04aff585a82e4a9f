"""What the imitations of kit_engine_layers.py share: operators of C++ that launch empty kernels, experts as vLLM and
SGLang run them, reductions, and what an engine looks up for a layer."""
import contextlib
import dataclasses
import time

import torch
import triton
import triton.language as tl


HIDDEN, HEADS, KV_HEADS, HEAD, FFN = 128, 2, 1, 64, 256
EXPERTS, CHOSEN, TOKENS = 8, 2, 64
Q, KV = HEADS * HEAD, KV_HEADS * HEAD
BF16, EPS = torch.bfloat16, 1e-5

STAMPS = []                                                  # when layers of the pass that runs began


def stamp():
    STAMPS.append(time.perf_counter())


# ---------------------------------------------------------------- operators in C++

# name: (schema after the name, kernels that it launches). FlashAttention 3 has a kernel that prepares lengths, which
# vLLM runs once a step and SGLang in every layer.
FLAGS = ", ".join(f"Tensor? t{i}" for i in range(12)) + ", " + ", ".join(f"int i{i}" for i in range(10)) + \
        ", " + ", ".join(f"float f{i}" for i in range(3)) + ", " + ", ".join(f"bool b{i}" for i in range(5))
MORE = ", ".join(f"Tensor? t{i}" for i in range(24)) + ", " + ", ".join(f"int i{i}" for i in range(20)) + \
       ", " + ", ".join(f"float f{i}" for i in range(4)) + ", " + ", ".join(f"bool b{i}" for i in range(8))
OPERATORS = {
    "rms_norm": ("(Tensor! out, Tensor x, Tensor weight, float eps) -> ()", 1),
    "add_rms_norm": ("(Tensor! x, Tensor! residual, Tensor weight, float eps) -> ()", 1),
    "rotary": ("(Tensor positions, Tensor! q, Tensor! k, int head, Tensor table, bool neox) -> ()", 1),
    "silu_and_mul": ("(Tensor! out, Tensor x) -> ()", 1),
    "quantise": ("(Tensor! out, Tensor x, Tensor scale) -> ()", 1),
    "scaled_mm": ("(Tensor! out, Tensor a, Tensor b, Tensor scale_a, Tensor scale_b, Tensor? bias) -> ()", 1),
    "write_cache": ("(Tensor k, Tensor v, Tensor! k_cache, Tensor! v_cache, Tensor slots, str dtype, Tensor k_scale, "
                    "Tensor v_scale) -> ()", 1),
    "flash": (f"(Tensor! out, Tensor q, Tensor k, Tensor v, {FLAGS}) -> Tensor", 1),
    "flash_unprepared": (f"(Tensor! out, Tensor q, Tensor k, Tensor v, {FLAGS}) -> Tensor", 2),
    "attention": (f"(Tensor! out, Tensor qkv, {MORE}) -> Tensor", 4),
    "topk": ("(Tensor! weights, Tensor! ids, Tensor! indices, Tensor gating) -> ()", 1),
    "align": ("(Tensor ids, int experts, int block, Tensor! order, Tensor! blocks, Tensor! count) -> ()", 2),
    "moe_sum": ("(Tensor x, Tensor! out) -> ()", 1),
    "custom_all_reduce": ("(int handle, Tensor x, Tensor! out, int buffer, int bytes) -> ()", 2),
}


def cpp_type(part):
    kind = part.split()[0]
    return {"Tensor!": "at::Tensor &", "Tensor": "const at::Tensor &", "Tensor?": "const std::optional<at::Tensor> &",
            "int": "int64_t ", "float": "double ", "bool": "bool ", "str": "const std::string &"}[kind] + \
        part.split()[1]


def operators():
    """Compiles the operators: each takes its arguments through the dispatcher and launches empty kernels."""
    from torch.utils.cpp_extension import load_inline
    bodies, defines, implements = [], [], []
    for name, (schema, launches) in OPERATORS.items():
        inside = schema[1:schema.index(")")]
        parts = inside.split(", ")
        returns = "at::Tensor" if schema.endswith("Tensor") else "void"
        first = next(p.split()[1] for p in parts if p.startswith(("Tensor! ", "Tensor ")))
        end = f"return at::empty({{2, 64}}, {first}.options().dtype(at::kFloat));" if returns == "at::Tensor" else ""
        bodies.append(f"{returns} {name}({', '.join(cpp_type(p) for p in parts)}) {{\n"
                      f"  const at::cuda::OptionalCUDAGuard guard(at::device_of({first}));\n"
                      f"  for (int i = 0; i < {launches}; i++) touch<<<1, 32, 0, at::cuda::getCurrentCUDAStream()>>>"
                      f"({first}.data_ptr(), (int){first}.size(0), (int){first}.stride(0));\n  {end}\n}}")
        # Alias marks of several tensors need names of their own.
        marked, letter = [], iter("abcdefgh")
        for p in parts:
            marked.append(p.replace("Tensor! ", f"Tensor({next(letter)}!) ", 1) if p.startswith("Tensor! ") else p)
        defines.append(f'  m.def("{name}({", ".join(marked)}){schema[schema.index(")") + 1:]}");')
        implements.append(f'  m.impl("{name}", &kit::{name});')
    source = ("#include <ATen/ATen.h>\n#include <torch/library.h>\n#include <ATen/cuda/CUDAContext.h>\n"
              "#include <c10/cuda/CUDAGuard.h>\n"
              "__global__ void touch(void *p, int rows, int stride) { if (rows < 0) *(int *)p = stride; }\n"
              "namespace kit {\n" +
              "\n".join(bodies) + "\n}\nTORCH_LIBRARY(kitc, m) {\n" + "\n".join(defines) +
              "\n}\nTORCH_LIBRARY_IMPL(kitc, CUDA, m) {\n" + "\n".join(implements) + "\n}\n")
    load_inline("kitc", cpp_sources="", cuda_sources=source, is_python_module=False, extra_cuda_cflags=["-O2"])


C = torch.ops.kitc                                           # the operators, once compiled
LIBRARY = torch.library.Library("kitpy", "FRAGMENT")         # operators in Python


def register(name, schema, function, fake):
    LIBRARY.define(name + schema)
    LIBRARY.impl(name, function, dispatch_key="CUDA")
    LIBRARY._register_fake(name, fake)


@triton.jit
def experts_kernel(a, b, c, bias, a_scale, b_scale, weights, order, blocks, count, N, K, EM, valid, s0, s1, s2, s3, s4,
                   s5, s6, s7, s8, s9, sa, sb, sc, group_n: tl.constexpr, group_k: tl.constexpr, BM: tl.constexpr,
                   BN: tl.constexpr, BK: tl.constexpr, GM: tl.constexpr, MUL: tl.constexpr, TOP: tl.constexpr,
                   TYPE: tl.constexpr, FP8: tl.constexpr, INT8: tl.constexpr, CHANNEL: tl.constexpr,
                   HAS_BIAS: tl.constexpr):
    if N < 0:
        tl.store(c, tl.load(a))


# ---------------------------------------------------------------- experts, as vLLM and SGLang write them

CONFIGS = {m: {"BM": 64, "BN": 64, "BK": 64, "GM": 8} for m in (1, 16, 64, 256, 1024, 4096)}


def best_config(w1, w2, top, dtype, rows, block_shape=None):
    sizes = (w1[0], w2[2], dtype, tuple(block_shape or ()))
    assert len(sizes) == 4 and top > 0
    return CONFIGS[min(CONFIGS, key=lambda m: abs(m - rows))]


def invoke(a, w, out, a_scale, w_scale, weights, order, blocks, count, multiply, top, config, fp8=False,
           block_shape=None, bias=None):
    assert weights is None or weights.stride(1) == 1
    assert order.stride(0) == 1
    m = a.size(0)
    em = order.size(0)
    if m < config["BM"]:
        em = min(order.size(0), m * top * config["BM"])
    grid = lambda meta: (triton.cdiv(em, meta["BM"]) * triton.cdiv(w.size(1), meta["BN"]),)
    settings = config.copy()
    size_k = settings.pop("BK")
    experts_kernel[grid](a, w, out, bias, a_scale, w_scale, weights, order, blocks, count, w.size(1), w.size(2), em,
                         m * top, a.stride(0), a.stride(1), w.stride(0), w.stride(2), w.stride(1), out.stride(1),
                         out.stride(2), 0, 0, 0, 0, 0, 0, 0 if block_shape is None else block_shape[0],
                         0 if block_shape is None else block_shape[1], MUL=multiply, TOP=top, TYPE=tl.bfloat16, FP8=fp8,
                         INT8=False, CHANNEL=False, HAS_BIAS=bias is not None, BK=size_k, **settings)


def quantised_rows(x, scale, fp8):
    if not fp8:
        return x, scale
    out = torch.empty(x.shape, device=x.device, dtype=torch.float8_e4m3fn)
    scales = torch.empty((x.shape[0], max(1, x.shape[1] // 128)), device=x.device, dtype=torch.float32)
    C.quantise(out, x, scales)
    return out, scales


def aligned(ids, block, experts):
    most = ids.numel() + experts * (block - 1)
    order = torch.empty((most,), dtype=torch.int32, device=ids.device)
    blocks = torch.empty((triton.cdiv(most, block),), dtype=torch.int32, device=ids.device)
    count = torch.empty((1,), dtype=torch.int32, device=ids.device)
    C.align(ids, experts, block, order, blocks, count)
    return order, blocks, count


def fused_experts(x, w1, w2, weights, ids, fp8):
    assert x.size(1) == w1.size(2) and weights.size() == ids.size()
    assert x.is_contiguous() and w1.stride(-1) == 1 and w2.stride(-1) == 1
    rows, top = x.size(0), ids.size(1)
    experts, n, _ = w1.size()
    k = w2.size(1)
    config = best_config(w1.size(), w2.size(), top, "fp8" if fp8 else None, rows)
    both = torch.empty(rows * top * max(n, k), device=x.device, dtype=x.dtype)
    first = both[:rows * top * n].view(rows, top, n)
    third = both[:rows * top * k].view(rows, top, k)
    second = torch.empty((rows * top, n // 2), device=x.device, dtype=x.dtype)
    out = torch.empty_like(x)
    for chunk in range(rows // 32768 + 1):
        begin, end = chunk * 32768, min((chunk + 1) * 32768, rows)
        part, part_ids, part_weights = x[begin:end], ids[begin:end], weights[begin:end]
        a, scale = quantised_rows(part, None, fp8)
        order, blocks, count = aligned(part_ids, config["BM"], experts)
        invoke(a, w1, first, scale, None, part_weights, order, blocks, count, False, top, config, fp8)
        C.silu_and_mul(second, first.view(-1, n))
        b, scale = quantised_rows(second, None, fp8)
        invoke(b, w2, third, scale, None, part_weights, order, blocks, count, True, 1, config, fp8)
        C.moe_sum(third.view(*third.size()), out[begin:end])
    return out


def chosen_experts(x, logits):
    m = x.size(0)
    weights = torch.empty(m, CHOSEN, dtype=torch.float32, device=x.device)
    ids = torch.empty(m, CHOSEN, dtype=torch.int32, device=x.device)
    indices = torch.empty(m, CHOSEN, dtype=torch.int32, device=x.device)
    C.topk(weights, ids, indices, logits.float())
    return weights / weights.sum(dim=-1, keepdim=True), ids


# ---------------------------------------------------------------- what an engine looks up

@dataclasses.dataclass
class Metadata:
    slots: torch.Tensor
    starts: torch.Tensor
    lengths: torch.Tensor
    table: torch.Tensor
    tokens: int
    longest: int = TOKENS
    cascade: bool = False
    causal: bool = True


@dataclasses.dataclass
class Context:
    metadata: dict
    layers: dict
    mode: int = 0
    descriptor: object = None
    engine: int = 0


class STATE:
    """The step that runs."""
    context = None


def context():
    assert STATE.context is not None
    return STATE.context


def contiguous(x):
    return x.contiguous() if x is not None and x.stride(-1) != 1 else x


def flash(q, k, v, out=None, starts=None, lengths=None, longest_q=0, longest_k=0, scale=None, causal=True, window=None,
          table=None, softcap=0.0, q_descale=None, k_descale=None, v_descale=None, splits=0,
          prepared=True):
    assert starts is not None and (lengths is None or table is not None)
    window = (-1, -1) if window is None else (window[0], window[1])
    q, k, v = [contiguous(x) for x in (q, k, v)]
    if out is None:
        out = torch.empty_like(q)
    operator = C.flash if prepared else C.flash_unprepared
    operator(out, q, k, v, None, None, starts, None, None, lengths, table, None, None, q_descale, k_descale,
             v_descale, longest_q, longest_k, window[0], window[1], 0, splits, 0, 1, 0, 0, scale or 0.0, softcap, 0.0,
             causal, False, True, False, False)
    return out


class TritonExperts:
    def __init__(self, fp8):
        self.fp8 = fp8
        self.w1 = torch.zeros(EXPERTS, 2 * FFN, HIDDEN, device="cuda", dtype=torch.float8_e4m3fn if fp8 else BF16)
        self.w2 = torch.zeros(EXPERTS, HIDDEN, FFN, device="cuda", dtype=torch.float8_e4m3fn if fp8 else BF16)

    def apply(self, layer, x, logits, top, renormalize, grouped, total, expert_map, groups, group, routing, scoring,
              scaling, bias, activation, on_input):
        weights, ids = chosen_experts(x, logits)
        return fused_experts(x, layer.w1, layer.w2, weights, ids, layer.fp8)

    def forward(self, x, logits):
        here = context()
        with contextlib.nullcontext() if here.descriptor is None else here.descriptor:
            return self.apply(layer=self, x=x, logits=logits, top=CHOSEN, renormalize=True, grouped=False,
                              total=EXPERTS, expert_map=None, groups=None, group=None, routing=None,
                              scoring="softmax", scaling=1.0, bias=None, activation="silu", on_input=False)


class Communicator:
    """Chooses a way to reduce as the communicators of vLLM and SGLang do, here always the custom kernel."""

    def __init__(self):
        self.disabled, self.world, self.most, self.handle = False, 8, 8 << 20, 1

    def fits(self, x):
        size = x.numel() * x.element_size()
        return size % 16 == 0 and x.is_contiguous() and size < self.most

    def all_reduce(self, x):
        if not self.disabled and self.fits(x):
            out = torch.empty_like(x)
            C.custom_all_reduce(self.handle, x, out, 0, self.most)
            return out
        return x.clone()


GROUPS = {"tp": Communicator}
COMMUNICATOR = Communicator()


def reduced(x, name):
    assert name in GROUPS
    return COMMUNICATOR.all_reduce(x)
