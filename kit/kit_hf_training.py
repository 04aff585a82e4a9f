#!/usr/bin/env python3
"""Time training steps of Hugging Face transformers on one GPU: full fine-tuning, LoRA, DoRA and QLoRA.

    kit_hf_training.py eager compiled quantised --seconds 560 --models data/models --out DIR

Models are built from the catalogue's config.json files with random weights. A step is what Trainer does: forward with
labels, backward, the check of the loss that Trainer makes after every micro-batch (its only synchronisation), clipping,
AdamW. The time of a step is the time between two such checks. Adapters are peft's, and the 4-bit matrices of a quantised
base those of bitsandbytes. Every configuration adds a row to hf_training.csv at once. See README.md.
"""
import argparse
import contextlib
import csv
import gc
import json
import os
import statistics
import time

import torch
from torch import nn

COLUMNS = ("model,mode,adapter,rank,targets,adapter_format,frozen_layers,optimizer,compiled,attention,recompute,seq,"
           "micro_batch,accumulation,status,step_s,forward_s,backward_s,update_s,device_s,kernels,steps,"
           "peak_allocated_bytes,peak_reserved_bytes,static_bytes,total_parameters,trained_parameters,source").split(",")
ATTENTION = ("q_proj", "k_proj", "v_proj", "o_proj")
MLP = ("gate_proj", "up_proj", "down_proj")
TARGETS = {"attention": ATTENTION, "mlp": MLP, "all": ATTENTION + MLP, "qv": ("q_proj", "v_proj")}
WARMUP, STEPS, STEP_SECONDS = 2, 7, 4.0


# ---------------------------------------------------------------- adapters

def quantise(model):
    """The matrices of the layers in NF4 with double quantisation, as transformers loads a model in 4 bits."""
    import bitsandbytes
    for layer in model.model.layers:
        for parent in [m for m in layer.modules() if any(isinstance(c, nn.Linear) for c in m.children())]:
            for name, old in [(n, c) for n, c in parent.named_children() if isinstance(c, nn.Linear)]:
                new = bitsandbytes.nn.Linear4bit(old.in_features, old.out_features, old.bias is not None,
                                                 compute_dtype=torch.bfloat16, compress_statistics=True,
                                                 quant_type="nf4", device="meta")
                new.weight = bitsandbytes.nn.Params4bit(old.weight.data, requires_grad=False, quant_type="nf4",
                                                        compress_statistics=True, module=new).to("cuda")
                new.bias = old.bias
                setattr(parent, name, new)
    model.is_loaded_in_4bit = True
    return model


def adapt(model, case):
    """The model frozen, with peft's adapters around every target; dropout is off."""
    from peft import LoraConfig, get_peft_model
    config = LoraConfig(r=case["rank"], lora_alpha=2 * case["rank"], target_modules=list(TARGETS[case["targets"]]),
                        use_dora=case["adapter"] == "dora", lora_dropout=0.0)
    model = get_peft_model(model, config, autocast_adapter_dtype=case["adapter_format"] == "fp32")
    for name, parameter in model.named_parameters():
        if "lora_B" in name:  # zeros, as peft starts, would need less power
            nn.init.normal_(parameter, std=0.01)
    return model


# ---------------------------------------------------------------- models

def build(case, folder):
    from transformers import AutoConfig, AutoModelForCausalLM
    raw = json.load(open(os.path.join(folder, case["model"] + ".json")))
    kind = raw.pop("model_type")
    for key in ("_name_or_path", "aliases", "orrery_source"):
        raw.pop(key, None)
    config = AutoConfig.for_model(kind, **raw)
    config.use_cache = False
    dtype = torch.float32 if case["mode"] == "mixed" else torch.bfloat16
    with torch.device("cuda"):
        model = AutoModelForCausalLM.from_config(config, dtype=dtype, attn_implementation=case["attention"])
    if case["adapter"] == "qlora":
        model = quantise(model)
    if case["adapter"]:
        model = adapt(model, case)
    if case["frozen_layers"]:
        model.model.embed_tokens.requires_grad_(False)
        for layer in model.model.layers[:case["frozen_layers"]]:
            layer.requires_grad_(False)
    model.train()
    return model


def optimizer_of(model, case):
    trained = [p for p in model.parameters() if p.requires_grad]
    return torch.optim.AdamW(trained, lr=1e-5, weight_decay=0.0, fused=case["optimizer"] == "adamw-fused")


def step_of(model, run, optimizer, case, batches, marks):
    """One iteration as Trainer makes it; marks(i) notes the instant after each phase."""
    trained = [p for p in model.parameters() if p.requires_grad]
    autocast = case["mode"] == "mixed" or case["adapter_format"] == "fp32"

    def step():
        marks(0)
        for ids in batches:
            with torch.autocast("cuda", torch.bfloat16) if autocast else contextlib.nullcontext():
                loss = run(input_ids=ids, labels=ids).loss
            marks(1)
            (loss / len(batches)).backward()
            marks(2)
            if torch.isnan(loss.detach()) or torch.isinf(loss.detach()):
                raise FloatingPointError("the loss is no number")
        nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        marks(3)

    return step


# ---------------------------------------------------------------- measuring

def marks_of(events):
    def mark(i):
        events[i] = torch.cuda.Event(enable_timing=True)
        events[i].record()
    return mark


def kernels_of(step, path):
    """Kernels, copies and fills of one step and the seconds the GPU is busy with them; path: their list."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        step()
        torch.cuda.synchronize()
    events = [e for e in profile.events() if e.device_type == torch.autograd.DeviceType.CUDA]
    if path:
        names = {}
        for e in events:
            count, total = names.get(e.name, (0, 0.0))
            names[e.name] = (count + 1, total + e.device_time)
        with open(path, "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(("kernel", "count", "total_us"))
            for name, (count, total) in sorted(names.items(), key=lambda i: -i[1][1]):
                writer.writerow((name[:200], count, f"{total:.1f}"))
    return len(events), sum(e.device_time for e in events) * 1e-6


def measure(case, model, run, optimizer, row, profile_path):
    batches = [torch.randint(0, model.config.vocab_size, (case["micro_batch"], case["seq"]), device="cuda")
               for _ in range(case["accumulation"])]
    events = [None] * 4
    step = step_of(model, run, optimizer, case, batches, marks_of(events))
    for _ in range(WARMUP):
        step()
    torch.cuda.synchronize()
    row["static_bytes"] = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    times, phases, begun = [], [], time.perf_counter()
    last = begun
    while len(times) < STEPS and (len(times) < 3 or time.perf_counter() - begun < STEP_SECONDS):
        step()
        now = time.perf_counter()
        times.append(now - last)
        last = now
        phases.append(list(events))
    torch.cuda.synchronize()
    row["peak_allocated_bytes"] = torch.cuda.max_memory_allocated()
    row["peak_reserved_bytes"] = torch.cuda.max_memory_reserved()
    row["step_s"], row["steps"] = statistics.median(times[1:]), len(times) - 1
    if case["accumulation"] == 1:
        for i, name in enumerate(("forward_s", "backward_s", "update_s")):
            row[name] = statistics.median(e[i].elapsed_time(e[i + 1]) for e in phases[1:]) * 1e-3
    row["kernels"], row["device_s"] = kernels_of(step, profile_path)


def checkpointing(model, on):
    if on:
        model.gradient_checkpointing_enable()
    else:
        model.gradient_checkpointing_disable()
    model.train()


# ---------------------------------------------------------------- cases

def case_of(model, mode, shapes, adapter="", targets="all", adapter_format="", frozen_layers=0,
            optimizer="adamw-fused", compiled=0, attention="sdpa"):
    """The cases of one model build; a shape is (seq, micro_batch[, "ckpt"][, accumulation])."""
    base = dict(model=model, mode=mode, adapter=adapter, rank=16 if adapter else "", targets=targets if adapter else "",
                adapter_format=adapter_format, frozen_layers=frozen_layers, optimizer=optimizer, compiled=compiled,
                attention=attention)
    cases = []
    for seq, micro_batch, *rest in shapes:
        numbers = [r for r in rest if isinstance(r, int)]
        cases.append(dict(base, seq=seq, micro_batch=micro_batch, recompute="full" if "ckpt" in rest else "none",
                          accumulation=numbers[0] if numbers else 1))
    return cases


C = "ckpt"
EAGER = [
    case_of("tinyllama-1.1b", "bf16", [(512, 1), (512, 8), (1024, 4), (2048, 1), (2048, 4), (2048, 8), (2048, 4, C),
                                       (4096, 8, C), (1024, 2, 4)]),
    case_of("tinyllama-1.1b", "mixed", [(512, 4), (2048, 4), (2048, 4, C)]),
    case_of("llama3.2-1b", "bf16", [(512, 2), (2048, 2), (2048, 4), (4096, 2), (2048, 8, C)]),
    case_of("llama3.2-1b", "bf16", [(1024, 4), (2048, 4)], "lora", "all", "fp32"),
    case_of("llama3-8b", "bf16", [(512, 1), (2048, 1), (2048, 2), (2048, 4, C), (4096, 8)]),
    case_of("llama3-8b", "bf16", [(512, 2), (2048, 2), (4096, 1), (4096, 4, C), (4096, 8)], "lora", "all", "fp32"),
    case_of("llama2-7b", "bf16", [(512, 1), (2048, 2), (4096, 2), (4096, 2, C)]),
    case_of("llama2-7b", "bf16", [(1024, 2), (2048, 4), (2048, 8, C)], "lora", "attention", "fp32"),
    case_of("llama3.2-3b", "bf16", [(1024, 2), (2048, 2), (2048, 4, C), (4096, 2)]),
    case_of("llama3.2-3b", "bf16", [(512, 4), (2048, 2), (4096, 4, C)], "lora", "all", "fp32"),
    case_of("qwen2.5-1.5b", "bf16", [(512, 4), (2048, 2), (4096, 2), (4096, 4, C)]),
    case_of("qwen2.5-7b", "bf16", [(1024, 1), (2048, 2), (2048, 4, C), (4096, 8)]),
    case_of("qwen2.5-7b", "bf16", [(1024, 4), (2048, 4, C)], "lora", "all", "bf16"),
    case_of("mistral-7b-v0.3", "bf16", [(4096, 1), (4096, 2, C)]),
    case_of("mistral-7b-v0.3", "bf16", [(4096, 1), (2048, 4)], "lora", "attention", "bf16"),
    case_of("llama3.2-3b", "mixed", [(2048, 1), (2048, 4, C)]),
    case_of("tinyllama-1.1b", "bf16", [(512, 2), (2048, 4), (2048, 4, C)], "lora", "all", "fp32"),
    case_of("llama3.2-1b", "bf16", [(2048, 4)], optimizer="adamw"),
    case_of("tinyllama-1.1b", "bf16", [(2048, 4)], frozen_layers=11),
    case_of("llama3-8b", "bf16", [(2048, 1), (2048, 4)], frozen_layers=24),
    case_of("tinyllama-1.1b", "bf16", [(1024, 4)], "dora", "all", "fp32"),
    case_of("llama3-8b", "bf16", [(1024, 2)], "dora", "attention", "bf16"),
    case_of("llama3-8b", "mixed", [(512, 1, C), (2048, 1)]),
    case_of("tinyllama-1.1b", "bf16", [(1024, 4), (2048, 2)], attention="eager"),
    case_of("qwen2.5-1.5b", "mixed", [(2048, 2)]),
    case_of("llama3-8b", "bf16", [(2048, 6), (2048, 7)]),  # near the limit of memory, from here on
    case_of("llama3-8b", "bf16", [(2048, 7), (2048, 8)], "lora", "all", "fp32"),
    case_of("llama2-7b", "bf16", [(4096, 4)]),
    case_of("llama2-7b", "bf16", [(4096, 5)], "lora", "all", "fp32"),
    case_of("llama3-8b", "mixed", [(2048, 2)]),
    case_of("qwen2.5-7b", "bf16", [(2048, 6)]),
]
COMPILED = [
    case_of("tinyllama-1.1b", "bf16", [(2048, 4), (512, 4)], compiled=1),
    case_of("llama3.2-1b", "bf16", [(2048, 4)], "lora", "all", "fp32", compiled=1),
    case_of("llama3.2-1b", "bf16", [(2048, 2), (2048, 4, C)], compiled=1),
    case_of("llama3-8b", "bf16", [(2048, 2)], compiled=1),
    case_of("llama3-8b", "bf16", [(2048, 2)], "lora", "all", "bf16", compiled=1),
    case_of("llama3.2-3b", "bf16", [(2048, 2)], compiled=1),
    case_of("tinyllama-1.1b", "mixed", [(2048, 4)], compiled=1),
    case_of("qwen2.5-1.5b", "bf16", [(2048, 2)], compiled=1),
    case_of("tinyllama-1.1b", "bf16", [(2048, 4)], "lora", "all", "fp32", compiled=1),
    case_of("llama3.2-1b", "bf16", [(4096, 2)], compiled=1),
]
QUANTISED = [
    case_of("llama3-8b", "bf16", [(2048, 2), (512, 2), (2048, 4, C), (4096, 4, C), (4096, 1), (1024, 1)],
            "qlora", "all", "fp32"),
    case_of("llama2-7b", "bf16", [(2048, 4), (2048, 8, C), (4096, 2)], "qlora", "attention", "fp32"),
    case_of("tinyllama-1.1b", "bf16", [(2048, 4), (512, 4), (2048, 4, C)], "qlora", "all", "fp32"),
    case_of("qwen2.5-7b", "bf16", [(2048, 2), (2048, 8, C)], "qlora", "all", "bf16"),
    case_of("llama3.2-3b", "bf16", [(2048, 2), (4096, 4, C)], "qlora", "all", "fp32"),
    case_of("llama3-8b", "bf16", [(2048, 2), (4096, 4, C)], "qlora", "all", "bf16"),
    case_of("llama2-13b", "bf16", [(2048, 2), (2048, 8, C)], "qlora", "all", "fp32"),
]
PROFILED = {("llama3-8b", "bf16", "qlora", 2048, 2, "none", 0), ("tinyllama-1.1b", "bf16", "qlora", 2048, 4, "none", 0),
            ("tinyllama-1.1b", "bf16", "", 2048, 4, "none", 0), ("tinyllama-1.1b", "mixed", "", 2048, 4, "none", 0),
            ("tinyllama-1.1b", "bf16", "lora", 2048, 4, "none", 0), ("llama3-8b", "bf16", "lora", 2048, 2, "none", 0),
            ("tinyllama-1.1b", "bf16", "", 2048, 4, "none", 1), ("tinyllama-1.1b", "bf16", "lora", 2048, 4, "none", 1)}


# ---------------------------------------------------------------- running

def free():
    gc.collect()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()


def profile_path_of(case, folder):
    key = (case["model"], case["mode"], case["adapter"], case["seq"], case["micro_batch"], case["recompute"],
           case["compiled"])
    if key not in PROFILED or case["attention"] != "sdpa" or case["frozen_layers"] or case["optimizer"] != "adamw-fused":
        return None
    name = "-".join(str(k) for k in key if k != "")
    return os.path.join(folder, f"kernels-{name}.csv")


def run_group(cases, folder, models, writer, file, source, deadline):
    model = run = optimizer = None
    for case in cases:
        if time.perf_counter() > deadline:
            return
        row = dict(case, source=source, status="ok")
        try:
            if model is None:
                free()
                model = build(case, models)
                optimizer = optimizer_of(model, case)
            checkpointing(model, case["recompute"] == "full")
            if case["compiled"]:
                torch._dynamo.reset()
            run = torch.compile(model, dynamic=False) if case["compiled"] else model
            row["total_parameters"] = sum(p.numel() for p in model.parameters())
            row["trained_parameters"] = sum(p.numel() for p in model.parameters() if p.requires_grad)
            measure(case, model, run, optimizer, row, profile_path_of(case, folder))
        except torch.OutOfMemoryError:
            row["status"], model, run, optimizer = "out of memory", None, None, None
        except Exception as error:  # one case must not end the others
            row["status"], model, run, optimizer = f"{type(error).__name__}: {str(error)[:100]}", None, None, None
        free()
        writer.writerow([f"{row.get(c):.6g}" if isinstance(row.get(c), float) else row.get(c, "") for c in COLUMNS])
        file.flush()
        print(time.strftime("%T"), *(row.get(c, "") for c in ("model", "mode", "adapter", "seq", "micro_batch",
              "recompute", "compiled", "status", "step_s", "device_s", "kernels", "peak_allocated_bytes")), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="+", choices=("eager", "compiled", "quantised"))
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--models", default="data/models")
    parser.add_argument("--skip", type=int, default=0, help="leave out the first groups")
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    import peft
    import transformers
    deadline = time.perf_counter() + arguments.seconds
    source = (f"{torch.cuda.get_device_name(0)}, PyTorch {torch.__version__}, transformers {transformers.__version__}, "
              f"peft {peft.__version__}, ")
    if "quantised" in arguments.parts:
        import bitsandbytes
        source += f"bitsandbytes {bitsandbytes.__version__}, "
    source += f"{time.strftime('%Y-%m-%d')}, kit 1"
    groups = [g for part in arguments.parts for g in {"eager": EAGER, "compiled": COMPILED, "quantised": QUANTISED}[part]]
    with open(os.path.join(arguments.out, "hf_training.csv"), "a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if file.tell() == 0:
            writer.writerow(COLUMNS)
        for group in groups[arguments.skip:]:
            run_group(group, arguments.out, arguments.models, writer, file, source, deadline)


if __name__ == "__main__":
    main()
