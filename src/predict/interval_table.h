/* Written by tools/check_drift.sh --record from `orrery validate --intervals`: do not edit.
 * 80 % of the measured times of a class are expected between low and high times the predicted
 * one; validate/intervals.c has the rules. "left out": inside the interval made without their
 * own source. Columns: regime, low and high on calibrated chips, the same on datasheet chips,
 * and the shares left out of both. */
#define ORR_INTERVALS(X) \
    /* Calibrated: rows 1521, sources 72, inside 78 %, left out 78 %. \
       Datasheet: rows 188, sources 27, inside 91 %, left out 89 %. */ \
    X(TRAIN_DENSE, 0.92, 1.35, 0.88, 1.64, 0.78, 0.89) \
    /* Calibrated: rows 58, sources 11, inside 90 %, left out 88 %. \
       Datasheet: rows 63, sources 12, inside 87 %, left out 87 %. */ \
    X(TRAIN_MOE, 0.87, 2.21, 0.67, 2.21, 0.88, 0.87) \
    /* Calibrated: rows 514, sources 23, inside 85 %, left out 84 %. \
       Datasheet: rows 144, sources 16, inside 88 %, left out 85 %. */ \
    X(DECODE_DRAM, 0.94, 1.37, 0.86, 1.37, 0.84, 0.85) \
    /* Calibrated: rows 161, sources 14, inside 91 %, left out 90 %. \
       Datasheet: rows 100, sources 7, inside 91 %, left out 89 %. */ \
    X(DECODE_NETWORK, 0.89, 1.75, 0.83, 1.75, 0.90, 0.89) \
    /* Calibrated: rows 247, sources 14, inside 77 %, left out 76 %. \
       Datasheet: rows 114, sources 12, inside 84 %, left out 83 %. */ \
    X(HOST, 0.82, 1.55, 0.70, 1.55, 0.76, 0.83) \
    /* Calibrated: rows 230, sources 14, inside 87 %, left out 84 %. \
       Datasheet: rows 56, sources 7, inside 79 %, left out 77 %. */ \
    X(PREFILL, 0.87, 1.62, 0.78, 1.62, 0.84, 0.77) \
    /* Calibrated: rows 75, sources 9, inside 92 %, left out 91 %. \
       Datasheet: rows 53, sources 9, inside 85 %, left out 83 %. */ \
    X(PREFILL_SHORT, 0.98, 2.05, 0.81, 3.15, 0.91, 0.83) \
    /* Calibrated: rows 93, sources 12, inside 85 %, left out 83 %. \
       Datasheet: rows 51, sources 3, inside 71 %, left out 65 %. */ \
    X(INFER_MOE, 0.91, 2.13, 0.68, 2.97, 0.83, 0.65) \
    /* Calibrated: rows 250, sources 9, inside 87 %, left out 86 %. \
       Datasheet: rows 68, sources 9, inside 94 %, left out 88 %. */ \
    X(IN_FLIGHT, 0.77, 1.37, 0.77, 1.37, 0.86, 0.88) \
    /* Calibrated: rows 103, sources 4, inside 93 %, left out 92 %. \
       Datasheet: rows 46, sources 3, inside 93 %, left out 93 %. */ \
    X(IN_FLIGHT_MOE, 0.83, 1.62, 0.81, 1.62, 0.92, 0.93) \
    /* Calibrated: rows 2041, sources 32, inside 86 %, left out 85 %. \
       Datasheet: rows 795, sources 31, inside 87 %, left out 87 %. */ \
    X(SERVE, 0.88, 1.63, 0.84, 1.83, 0.85, 0.87) \
    /* Calibrated: rows 1514, sources 29, inside 80 %, left out 79 %. \
       Datasheet: rows 233, sources 19, inside 80 %, left out 77 %. */ \
    X(SERVE_MOE, 0.90, 1.94, 0.87, 2.15, 0.79, 0.77) \
    /* Calibrated: rows 1317, sources 28, inside 95 %, left out 95 %. \
       Datasheet: rows 723, sources 35, inside 91 %, left out 91 %. */ \
    X(SERVE_FIRST, 0.73, 6.09, 0.56, 6.09, 0.95, 0.91)

/* Engines with at least 8 measured times in a regime, with their families; regimes as bits;
 * architectures of the chips. */
#define ORR_MEASURED(X) \
    X("atorch-2023", "atorch", 0x001, " ampere ") \
    X("autoawq-0.1-gemm", "autoawq", 0x004, " ada ") \
    X("deepspeed-inference-0.7", "deepspeed-inference", 0x004, " ampere ") \
    X("fastertransformer", "fastertransformer", 0x02c, " ampere ") \
    X("fastertransformer-4.0", "fastertransformer", 0x004, " ampere ") \
    X("fastertransformer-5.0-beta", "fastertransformer", 0x024, " ampere ") \
    X("fsdp-qlora-2024", "fsdp-qlora", 0x001, " ada ampere hopper ") \
    X("gpt-fast-2024", "gpt-fast", 0x004, " cdna2 ampere ") \
    X("hf-transformers-2023-qwen", "hf-transformers", 0x001, " ampere ") \
    X("hf-transformers-2026-autocast", "hf-transformers", 0x001, " hopper ") \
    X("hf-transformers-2026-compiled", "hf-transformers", 0x001, " hopper ") \
    X("hf-transformers-2026-eager", "hf-transformers", 0x001, " hopper ") \
    X("internevo-2023", "internevo", 0x001, " ampere ") \
    X("kempnerforge-2026", "kempnerforge", 0x001, " hopper ") \
    X("llama.cpp-2023", "llama.cpp", 0x010, " ada ampere volta ") \
    X("llama.cpp-2024-05", "llama.cpp", 0x07c, " ampere ada hopper ") \
    X("lmdeploy-turbomind-0.2", "lmdeploy", 0x004, " ada ampere ") \
    X("maxtext-2024", "maxtext", 0x001, " tpu hopper ") \
    X("maxtext-2025", "maxtext", 0x001, " hopper tpu ") \
    X("megatron-core-2024", "megatron-core", 0x001, " hopper ") \
    X("megatron-core-2024-plain", "megatron-core", 0x001, " ampere hopper ") \
    X("megatron-core-2025-plain-26.01", "megatron-core", 0x003, " blackwell ") \
    X("megatron-deepspeed-2022", "megatron-deepspeed", 0x001, " ampere ") \
    X("megatron-deepspeed-2022-fp16", "megatron-deepspeed", 0x001, " volta ampere ") \
    X("megatron-lm-2020", "megatron-lm", 0x001, " ampere volta ") \
    X("megatron-lm-2021", "megatron-lm", 0x001, " ampere ") \
    X("megatron-lm-2022", "megatron-lm", 0x001, " ampere ") \
    X("megatron-lm-2023", "megatron-lm", 0x001, " ampere hopper ") \
    X("mosaic-fsdp", "llm-foundry", 0x001, " ampere hopper ") \
    X("mosaic-fsdp-2023-pure", "llm-foundry", 0x001, " ampere ") \
    X("mosaic-fsdp-2024", "llm-foundry", 0x001, " hopper ") \
    X("nanotron-2025", "nanotron", 0x001, " hopper ") \
    X("nemo-2022", "nemo", 0x001, " ampere ") \
    X("nemo-2024", "nemo", 0x003, " hopper blackwell ") \
    X("nemo-2025", "nemo", 0x003, " hopper blackwell ") \
    X("nemo-2025-bridge", "nemo", 0x003, " blackwell hopper ") \
    X("nemo-2026", "nemo", 0x003, " blackwell hopper ") \
    X("nim-1.5", "nim", 0x100, " ampere hopper ") \
    X("nim-1.8", "nim", 0x100, " hopper ") \
    X("paddlenlp-2023", "paddlenlp", 0x001, " ampere ") \
    X("paddlenlp-2023-plain", "paddlenlp", 0x001, " ampere ") \
    X("pai-megatron-patch-2025", "pai-megatron-patch", 0x002, " hopper ") \
    X("paxml-2024", "paxml", 0x001, " ampere hopper ") \
    X("pytorch-compiled-pointwise-cudagraph", "", 0x064, " hopper ") \
    X("pytorch-eager", "pytorch", 0x001, " hopper ") \
    X("pytorch-eager-cudagraph", "", 0x0e4, " hopper ") \
    X("pytorch-eager-stream", "", 0x020, " hopper ") \
    X("pytorch-fsdp1-2.2", "pytorch-fsdp", 0x001, " ampere ") \
    X("pytorch-te-2024", "pytorch-te", 0x001, " hopper cdna3 ") \
    X("pytorch-xla-2025", "pytorch-xla", 0x001, " tpu ") \
    X("qwen-2023", "qwen", 0x010, " ampere ") \
    X("sglang", "sglang", 0x8a8, " hopper ada blackwell ampere ") \
    X("sglang-0.3", "sglang", 0x400, " ampere hopper ") \
    X("sglang-0.5", "sglang", 0x1c00, " hopper blackwell ampere ") \
    X("sglang-0.5.15", "sglang", 0x400, " hopper blackwell ") \
    X("sglang-rocm-0.5", "sglang-rocm", 0x1800, " cdna3 ") \
    X("tensorrt-10.2-server", "tensorrt-server", 0x1c00, " hopper ada ") \
    X("tensorrt-9.3-server", "tensorrt-server", 0x1400, " hopper ") \
    X("tensorrt-llm-0.17", "tensorrt-llm", 0x1704, " hopper ada ampere ") \
    X("tensorrt-llm-0.5", "tensorrt-llm", 0x064, " ada hopper ampere ") \
    X("tensorrt-llm-0.9", "tensorrt-llm", 0x1ec, " ada ampere hopper ") \
    X("tensorrt-llm-1.0", "tensorrt-llm", 0x1f04, " blackwell hopper blackwell-rtx ") \
    X("tensorrt-llm-1.2", "tensorrt-llm", 0x1f00, " ampere hopper blackwell ") \
    X("tensorrt-llm-nemo", "nemo-export", 0x00c, " ampere hopper ") \
    X("tgi-1.0", "tgi", 0x400, " ampere ") \
    X("tgi-rocm-2.3", "tgi-rocm", 0x400, " cdna3 ") \
    X("torchtitan-2024-async-tp", "torchtitan", 0x001, " hopper ") \
    X("torchtitan-2024-compiled", "torchtitan", 0x001, " hopper ") \
    X("torchtitan-2024-eager", "torchtitan", 0x001, " ampere hopper ") \
    X("torchtitan-2025-compiled", "torchtitan", 0x001, " blackwell hopper ") \
    X("torchtune-2024-compiled", "", 0x001, " ampere ada ") \
    X("transformers-4.39", "transformers", 0x010, " ampere ") \
    X("transformers-4.46", "transformers", 0x010, " ampere hopper ") \
    X("transformers-neuronx-0.13", "transformers-neuronx", 0x1400, " trainium ") \
    X("trl-2026-fsdp2", "trl-fsdp2", 0x002, " blackwell ") \
    X("vllm", "vllm", 0x1c04, " hopper ada ampere ") \
    X("vllm-0.10", "vllm", 0x1c00, " hopper blackwell ampere ") \
    X("vllm-0.11", "vllm", 0x1c00, " hopper ada blackwell-rtx ampere blackwell ") \
    X("vllm-0.14", "vllm", 0x1c00, " blackwell ampere hopper ") \
    X("vllm-0.17", "vllm", 0x1c00, " hopper ampere blackwell blackwell-rtx ") \
    X("vllm-0.2", "vllm", 0x07c, " ada ampere hopper ") \
    X("vllm-0.20", "vllm", 0x1c00, " ampere blackwell ada blackwell-rtx hopper ") \
    X("vllm-0.4", "vllm", 0x09c, " ampere hopper ") \
    X("vllm-0.5", "vllm", 0x1c14, " ampere hopper ") \
    X("vllm-0.6", "vllm", 0x14bc, " ampere hopper ") \
    X("vllm-0.7", "vllm", 0x1c00, " ampere hopper ada ") \
    X("vllm-rocm-0.11", "vllm-rocm", 0x1814, " cdna3 cdna4 ") \
    X("vllm-rocm-0.6", "vllm-rocm", 0x408, " cdna3 ") \
    X("xtuner-2024", "xtuner", 0x001, " ampere ")

/* What runs of these engines differ by (validate/cells.c): engine, regime, resource that dominates the
 * time (-1: any), system ("": any), low and high. */
#define ORR_MEASURED_CELLS(X) \
    X("atorch-2023", TRAIN_DENSE, -1, "", 0.862, 1.010) \
    X("atorch-2023", TRAIN_DENSE, 0, "", 0.862, 1.010) \
    X("atorch-2023", TRAIN_DENSE, 0, "a100-80g-sxm-800g", 0.862, 1.010) \
    X("autoawq-0.1-gemm", DECODE_DRAM, -1, "", 0.990, 1.144) \
    X("autoawq-0.1-gemm", DECODE_DRAM, 2, "", 0.990, 1.144) \
    X("autoawq-0.1-gemm", DECODE_DRAM, 2, "rtx-4090", 0.990, 1.144) \
    X("deepspeed-inference-0.7", DECODE_DRAM, -1, "", 0.990, 1.202) \
    X("deepspeed-inference-0.7", DECODE_DRAM, 2, "", 0.990, 1.202) \
    X("deepspeed-inference-0.7", DECODE_DRAM, 2, "a100-80g-sxm", 0.990, 1.202) \
    X("fastertransformer", DECODE_DRAM, -1, "", 0.963, 1.032) \
    X("fastertransformer", DECODE_DRAM, 2, "", 0.963, 1.032) \
    X("fastertransformer", DECODE_DRAM, 2, "a100-80g-sxm", 0.963, 1.032) \
    X("fastertransformer", DECODE_NETWORK, -1, "", 0.969, 1.062) \
    X("fastertransformer", DECODE_NETWORK, 3, "", 0.972, 1.068) \
    X("fastertransformer", DECODE_NETWORK, 3, "a100-80g-sxm", 0.972, 1.068) \
    X("fastertransformer", PREFILL, -1, "", 0.990, 1.092) \
    X("fastertransformer", PREFILL, 0, "", 0.990, 1.062) \
    X("fastertransformer", PREFILL, 0, "a100-80g-sxm", 0.990, 1.060) \
    X("fastertransformer", PREFILL, 3, "", 0.990, 1.131) \
    X("fastertransformer", PREFILL, 3, "a100-80g-sxm", 0.990, 1.138) \
    X("fastertransformer-4.0", DECODE_DRAM, -1, "", 0.990, 1.364) \
    X("fastertransformer-4.0", DECODE_DRAM, 2, "", 0.990, 1.364) \
    X("fastertransformer-4.0", DECODE_DRAM, 2, "a100-80g-sxm", 0.990, 1.364) \
    X("fastertransformer-5.0-beta", DECODE_DRAM, -1, "", 0.990, 1.404) \
    X("fastertransformer-5.0-beta", DECODE_DRAM, 2, "", 0.990, 1.404) \
    X("fastertransformer-5.0-beta", DECODE_DRAM, 2, "a100-80g-sxm", 0.990, 1.404) \
    X("fastertransformer-5.0-beta", PREFILL, -1, "", 0.990, 1.629) \
    X("fsdp-qlora-2024", TRAIN_DENSE, -1, "", 0.792, 1.068) \
    X("fsdp-qlora-2024", TRAIN_DENSE, 0, "", 0.792, 1.068) \
    X("gpt-fast-2024", DECODE_DRAM, -1, "", 0.929, 1.036) \
    X("gpt-fast-2024", DECODE_DRAM, 2, "", 0.929, 1.036) \
    X("gpt-fast-2024", DECODE_DRAM, 2, "a100-80g-sxm", 0.952, 1.103) \
    X("hf-transformers-2023-qwen", TRAIN_DENSE, -1, "", 0.678, 1.010) \
    X("hf-transformers-2023-qwen", TRAIN_DENSE, 0, "", 0.862, 1.010) \
    X("hf-transformers-2023-qwen", TRAIN_DENSE, 0, "a100-80g-sxm", 0.895, 1.010) \
    X("hf-transformers-2026-autocast", TRAIN_DENSE, -1, "", 0.990, 1.186) \
    X("hf-transformers-2026-autocast", TRAIN_DENSE, 2, "", 0.990, 1.181) \
    X("hf-transformers-2026-compiled", TRAIN_DENSE, -1, "", 0.990, 1.112) \
    X("hf-transformers-2026-compiled", TRAIN_DENSE, 0, "", 0.990, 1.112) \
    X("hf-transformers-2026-compiled", TRAIN_DENSE, 0, "h200-sxm", 0.990, 1.112) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, -1, "", 0.990, 1.365) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, 0, "", 0.990, 1.084) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, 0, "h200-sxm", 0.990, 1.074) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, 2, "", 0.990, 1.509) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, 2, "h200-sxm", 0.990, 1.526) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, 5, "", 0.990, 1.443) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, 5, "h200-sxm", 0.990, 1.453) \
    X("internevo-2023", TRAIN_DENSE, -1, "", 0.990, 1.101) \
    X("internevo-2023", TRAIN_DENSE, 0, "", 0.990, 1.101) \
    X("internevo-2023", TRAIN_DENSE, 0, "a100-80g-sxm-roce400", 0.990, 1.101) \
    X("kempnerforge-2026", TRAIN_DENSE, -1, "", 0.990, 1.227) \
    X("kempnerforge-2026", TRAIN_DENSE, 0, "", 0.990, 1.227) \
    X("kempnerforge-2026", TRAIN_DENSE, 0, "h200-sxm-4", 0.990, 1.227) \
    X("llama.cpp-2023", HOST, -1, "", 0.882, 1.280) \
    X("llama.cpp-2024-05", DECODE_DRAM, -1, "", 0.899, 1.285) \
    X("llama.cpp-2024-05", DECODE_DRAM, 2, "", 0.899, 1.285) \
    X("llama.cpp-2024-05", DECODE_DRAM, 2, "a100-80g-pcie", 0.990, 1.414) \
    X("llama.cpp-2024-05", DECODE_DRAM, 2, "h100-pcie", 0.990, 1.339) \
    X("llama.cpp-2024-05", DECODE_DRAM, 2, "l40s", 0.961, 1.054) \
    X("llama.cpp-2024-05", DECODE_DRAM, 2, "rtx-4090", 0.898, 1.010) \
    X("llama.cpp-2024-05", DECODE_NETWORK, -1, "", 0.990, 1.552) \
    X("llama.cpp-2024-05", HOST, -1, "", 0.990, 1.535) \
    X("llama.cpp-2024-05", HOST, 2, "", 0.990, 1.423) \
    X("llama.cpp-2024-05", PREFILL, -1, "", 0.990, 2.268) \
    X("llama.cpp-2024-05", PREFILL, 2, "", 0.990, 2.347) \
    X("llama.cpp-2024-05", PREFILL, 2, "rtx-4090", 0.863, 1.482) \
    X("llama.cpp-2024-05", PREFILL_SHORT, -1, "", 0.814, 1.301) \
    X("llama.cpp-2024-05", PREFILL_SHORT, 0, "", 0.990, 1.808) \
    X("llama.cpp-2024-05", PREFILL_SHORT, 2, "", 0.814, 1.287) \
    X("llama.cpp-2024-05", PREFILL_SHORT, 2, "rtx-4090", 0.813, 1.010) \
    X("lmdeploy-turbomind-0.2", DECODE_DRAM, -1, "", 0.965, 1.058) \
    X("lmdeploy-turbomind-0.2", DECODE_DRAM, 2, "", 0.965, 1.058) \
    X("lmdeploy-turbomind-0.2", DECODE_DRAM, 2, "a100-80g-sxm", 0.953, 1.034) \
    X("maxtext-2024", TRAIN_DENSE, -1, "", 0.928, 1.096) \
    X("maxtext-2024", TRAIN_DENSE, 0, "", 0.928, 1.096) \
    X("maxtext-2024", TRAIN_DENSE, 0, "h100-sxm", 0.923, 1.099) \
    X("maxtext-2024", TRAIN_DENSE, 0, "tpu-v5e", 0.940, 1.050) \
    X("maxtext-2025", TRAIN_DENSE, -1, "", 0.966, 1.014) \
    X("maxtext-2025", TRAIN_DENSE, 0, "", 0.966, 1.014) \
    X("maxtext-2025", TRAIN_DENSE, 0, "h100-sxm", 0.909, 1.010) \
    X("maxtext-2025", TRAIN_DENSE, 0, "tpu-v6e", 0.990, 1.068) \
    X("megatron-core-2024", TRAIN_DENSE, -1, "", 0.990, 1.091) \
    X("megatron-core-2024", TRAIN_DENSE, 0, "", 0.990, 1.091) \
    X("megatron-core-2024", TRAIN_DENSE, 0, "h100-sxm", 0.990, 1.091) \
    X("megatron-core-2024-plain", TRAIN_DENSE, -1, "", 0.990, 1.595) \
    X("megatron-core-2024-plain", TRAIN_DENSE, 0, "", 0.990, 1.595) \
    X("megatron-core-2024-plain", TRAIN_DENSE, 0, "a100-80g-sxm", 0.990, 1.190) \
    X("megatron-core-2025-plain-26.01", TRAIN_DENSE, -1, "", 0.990, 1.096) \
    X("megatron-core-2025-plain-26.01", TRAIN_DENSE, 0, "", 0.990, 1.096) \
    X("megatron-core-2025-plain-26.01", TRAIN_DENSE, 0, "b200-sxm", 0.990, 1.096) \
    X("megatron-core-2025-plain-26.01", TRAIN_MOE, -1, "", 0.990, 1.154) \
    X("megatron-core-2025-plain-26.01", TRAIN_MOE, 0, "", 0.990, 1.154) \
    X("megatron-core-2025-plain-26.01", TRAIN_MOE, 0, "b200-sxm", 0.990, 1.154) \
    X("megatron-deepspeed-2022", TRAIN_DENSE, -1, "", 0.990, 1.249) \
    X("megatron-deepspeed-2022", TRAIN_DENSE, 0, "", 0.990, 1.249) \
    X("megatron-deepspeed-2022", TRAIN_DENSE, 0, "jean-zay-a100-80g", 0.990, 1.268) \
    X("megatron-deepspeed-2022-fp16", TRAIN_DENSE, -1, "", 0.981, 1.110) \
    X("megatron-deepspeed-2022-fp16", TRAIN_DENSE, 0, "", 0.981, 1.087) \
    X("megatron-deepspeed-2022-fp16", TRAIN_DENSE, 0, "a100-80g-sxm-800g", 0.971, 1.067) \
    X("megatron-deepspeed-2022-fp16", TRAIN_DENSE, 0, "jean-zay-v100-16g", 0.982, 1.064) \
    X("megatron-deepspeed-2022-fp16", TRAIN_DENSE, 0, "jean-zay-v100-32g", 0.990, 1.124) \
    X("megatron-deepspeed-2022-fp16", TRAIN_DENSE, 4, "", 0.976, 1.229) \
    X("megatron-deepspeed-2022-fp16", TRAIN_DENSE, 4, "a100-80g-sxm-800g", 0.975, 1.252) \
    X("megatron-lm-2020", TRAIN_DENSE, -1, "", 0.955, 1.033) \
    X("megatron-lm-2020", TRAIN_DENSE, 0, "", 0.955, 1.033) \
    X("megatron-lm-2021", TRAIN_DENSE, -1, "", 0.990, 1.052) \
    X("megatron-lm-2021", TRAIN_DENSE, 0, "", 0.990, 1.052) \
    X("megatron-lm-2021", TRAIN_DENSE, 0, "a100-80g-sxm", 0.990, 1.052) \
    X("megatron-lm-2022", TRAIN_DENSE, -1, "", 0.962, 1.010) \
    X("megatron-lm-2022", TRAIN_DENSE, 0, "", 0.962, 1.010) \
    X("megatron-lm-2022", TRAIN_DENSE, 0, "a100-80g-sxm", 0.962, 1.010) \
    X("megatron-lm-2023", TRAIN_DENSE, -1, "", 0.982, 1.318) \
    X("megatron-lm-2023", TRAIN_DENSE, 0, "", 0.982, 1.318) \
    X("megatron-lm-2023", TRAIN_DENSE, 0, "a100-80g-sxm", 0.990, 1.145) \
    X("mosaic-fsdp", TRAIN_DENSE, -1, "", 0.960, 1.081) \
    X("mosaic-fsdp", TRAIN_DENSE, 0, "", 0.960, 1.081) \
    X("mosaic-fsdp", TRAIN_DENSE, 0, "a100-80g-sxm", 0.896, 1.010) \
    X("mosaic-fsdp", TRAIN_DENSE, 0, "h100-sxm", 0.990, 1.129) \
    X("mosaic-fsdp-2023-pure", TRAIN_DENSE, -1, "", 0.902, 1.046) \
    X("mosaic-fsdp-2023-pure", TRAIN_DENSE, 0, "", 0.902, 1.046) \
    X("mosaic-fsdp-2023-pure", TRAIN_DENSE, 0, "a100-40g-sxm", 0.902, 1.046) \
    X("mosaic-fsdp-2024", TRAIN_DENSE, -1, "", 0.990, 1.207) \
    X("mosaic-fsdp-2024", TRAIN_DENSE, 0, "", 0.990, 1.207) \
    X("mosaic-fsdp-2024", TRAIN_DENSE, 0, "h100-sxm", 0.990, 1.207) \
    X("nanotron-2025", TRAIN_DENSE, -1, "", 0.763, 1.067) \
    X("nanotron-2025", TRAIN_DENSE, 0, "", 0.798, 1.047) \
    X("nanotron-2025", TRAIN_DENSE, 0, "aws-p5-h100", 0.772, 1.062) \
    X("nanotron-2025", TRAIN_DENSE, 2, "", 0.861, 4.992) \
    X("nanotron-2025", TRAIN_DENSE, 2, "aws-p5-h100", 0.870, 5.678) \
    X("nanotron-2025", TRAIN_DENSE, 3, "", 0.974, 1.887) \
    X("nanotron-2025", TRAIN_DENSE, 3, "aws-p5-h100", 0.980, 1.915) \
    X("nanotron-2025", TRAIN_DENSE, 4, "", 0.952, 2.068) \
    X("nanotron-2025", TRAIN_DENSE, 4, "aws-p5-h100", 0.961, 2.130) \
    X("nanotron-2025", TRAIN_DENSE, 5, "", 0.958, 1.611) \
    X("nanotron-2025", TRAIN_DENSE, 5, "aws-p5-h100", 0.960, 1.619) \
    X("nemo-2022", TRAIN_DENSE, -1, "", 0.990, 1.168) \
    X("nemo-2022", TRAIN_DENSE, 0, "", 0.990, 1.168) \
    X("nemo-2022", TRAIN_DENSE, 0, "a100-80g-sxm", 0.990, 1.168) \
    X("nemo-2024", TRAIN_DENSE, -1, "", 0.912, 1.072) \
    X("nemo-2024", TRAIN_DENSE, 0, "", 0.912, 1.072) \
    X("nemo-2024", TRAIN_DENSE, 0, "h100-sxm", 0.927, 1.081) \
    X("nemo-2024", TRAIN_MOE, -1, "", 0.990, 1.113) \
    X("nemo-2024", TRAIN_MOE, 0, "", 0.990, 1.113) \
    X("nemo-2024", TRAIN_MOE, 0, "h100-sxm", 0.990, 1.113) \
    X("nemo-2025", TRAIN_DENSE, -1, "", 0.970, 1.073) \
    X("nemo-2025", TRAIN_DENSE, 0, "", 0.970, 1.073) \
    X("nemo-2025", TRAIN_DENSE, 0, "gb200-nvl72", 0.990, 1.101) \
    X("nemo-2025", TRAIN_DENSE, 0, "h100-sxm", 0.967, 1.017) \
    X("nemo-2025", TRAIN_MOE, -1, "", 0.976, 1.298) \
    X("nemo-2025", TRAIN_MOE, 0, "", 0.951, 1.256) \
    X("nemo-2025", TRAIN_MOE, 0, "gb200-nvl72", 0.940, 1.238) \
    X("nemo-2025-bridge", TRAIN_DENSE, -1, "", 0.893, 1.014) \
    X("nemo-2025-bridge", TRAIN_DENSE, 0, "", 0.893, 1.014) \
    X("nemo-2025-bridge", TRAIN_MOE, -1, "", 0.990, 1.166) \
    X("nemo-2025-bridge", TRAIN_MOE, 0, "", 0.990, 1.166) \
    X("nemo-2026", TRAIN_DENSE, -1, "", 0.947, 1.075) \
    X("nemo-2026", TRAIN_DENSE, 0, "", 0.947, 1.075) \
    X("nemo-2026", TRAIN_MOE, -1, "", 0.952, 2.212) \
    X("nemo-2026", TRAIN_MOE, 0, "", 0.981, 2.603) \
    X("nim-1.5", IN_FLIGHT, -1, "", 0.984, 1.710) \
    X("nim-1.5", IN_FLIGHT, 0, "", 0.990, 3.820) \
    X("nim-1.5", IN_FLIGHT, 0, "a100-80g-sxm", 0.990, 9.145) \
    X("nim-1.5", IN_FLIGHT, 0, "h100-sxm", 0.990, 3.168) \
    X("nim-1.5", IN_FLIGHT, 2, "", 0.969, 1.072) \
    X("nim-1.5", IN_FLIGHT, 2, "a100-80g-sxm", 0.954, 1.038) \
    X("nim-1.5", IN_FLIGHT, 2, "h100-sxm", 0.990, 1.062) \
    X("nim-1.8", IN_FLIGHT, -1, "", 0.900, 1.010) \
    X("nim-1.8", IN_FLIGHT, 0, "", 0.928, 1.523) \
    X("nim-1.8", IN_FLIGHT, 0, "h100-sxm", 0.932, 1.615) \
    X("nim-1.8", IN_FLIGHT, 2, "", 0.875, 1.010) \
    X("nim-1.8", IN_FLIGHT, 2, "h100-sxm", 0.871, 1.010) \
    X("paddlenlp-2023", TRAIN_DENSE, -1, "", 0.990, 1.340) \
    X("paddlenlp-2023", TRAIN_DENSE, 0, "", 0.990, 1.340) \
    X("paddlenlp-2023-plain", TRAIN_DENSE, -1, "", 0.990, 3.423) \
    X("paddlenlp-2023-plain", TRAIN_DENSE, 0, "", 0.990, 3.511) \
    X("paddlenlp-2023-plain", TRAIN_DENSE, 0, "a100-80g-sxm", 0.990, 3.519) \
    X("pai-megatron-patch-2025", TRAIN_MOE, -1, "", 0.883, 1.138) \
    X("paxml-2024", TRAIN_DENSE, -1, "", 0.990, 1.173) \
    X("paxml-2024", TRAIN_DENSE, 0, "", 0.990, 1.147) \
    X("paxml-2024", TRAIN_DENSE, 0, "h100-sxm", 0.990, 1.122) \
    X("pytorch-compiled-pointwise-cudagraph", DECODE_DRAM, -1, "", 0.987, 1.024) \
    X("pytorch-compiled-pointwise-cudagraph", DECODE_DRAM, 2, "", 0.987, 1.024) \
    X("pytorch-compiled-pointwise-cudagraph", DECODE_DRAM, 2, "h200-sxm", 0.987, 1.024) \
    X("pytorch-compiled-pointwise-cudagraph", PREFILL, -1, "", 0.990, 1.102) \
    X("pytorch-compiled-pointwise-cudagraph", PREFILL, 0, "", 0.990, 1.102) \
    X("pytorch-compiled-pointwise-cudagraph", PREFILL, 0, "h200-sxm", 0.990, 1.102) \
    X("pytorch-compiled-pointwise-cudagraph", PREFILL_SHORT, -1, "", 0.990, 1.081) \
    X("pytorch-eager-cudagraph", DECODE_DRAM, -1, "", 0.990, 1.079) \
    X("pytorch-eager-cudagraph", DECODE_DRAM, 2, "", 0.990, 1.079) \
    X("pytorch-eager-cudagraph", DECODE_DRAM, 2, "h200-sxm", 0.990, 1.079) \
    X("pytorch-eager-cudagraph", PREFILL, -1, "", 0.990, 1.102) \
    X("pytorch-eager-cudagraph", PREFILL, 0, "", 0.990, 1.102) \
    X("pytorch-eager-cudagraph", PREFILL, 0, "h200-sxm", 0.990, 1.102) \
    X("pytorch-eager-cudagraph", PREFILL_SHORT, -1, "", 0.990, 1.162) \
    X("pytorch-eager-cudagraph", INFER_MOE, -1, "", 0.990, 1.104) \
    X("pytorch-eager-cudagraph", INFER_MOE, 2, "", 0.990, 1.093) \
    X("pytorch-eager-cudagraph", INFER_MOE, 2, "h200-sxm", 0.990, 1.092) \
    X("pytorch-eager-stream", PREFILL, -1, "", 0.990, 1.109) \
    X("pytorch-eager-stream", PREFILL, 0, "", 0.990, 1.109) \
    X("pytorch-eager-stream", PREFILL, 0, "h200-sxm", 0.990, 1.109) \
    X("pytorch-fsdp1-2.2", TRAIN_DENSE, -1, "", 0.990, 1.761) \
    X("pytorch-fsdp1-2.2", TRAIN_DENSE, 0, "", 0.990, 1.761) \
    X("pytorch-fsdp1-2.2", TRAIN_DENSE, 0, "a100-80g-sxm", 0.990, 1.761) \
    X("pytorch-te-2024", TRAIN_DENSE, -1, "", 0.990, 1.786) \
    X("pytorch-te-2024", TRAIN_DENSE, 0, "", 0.990, 1.786) \
    X("pytorch-xla-2025", TRAIN_DENSE, -1, "", 0.990, 1.338) \
    X("pytorch-xla-2025", TRAIN_DENSE, 0, "", 0.990, 1.338) \
    X("pytorch-xla-2025", TRAIN_DENSE, 0, "tpu-v6e", 0.990, 1.338) \
    X("qwen-2023", HOST, -1, "", 0.977, 1.263) \
    X("sglang", DECODE_NETWORK, -1, "", 0.957, 1.196) \
    X("sglang", DECODE_NETWORK, 0, "", 0.957, 1.196) \
    X("sglang", DECODE_NETWORK, 0, "h20-sxm", 0.957, 1.196) \
    X("sglang", PREFILL, -1, "", 0.990, 1.159) \
    X("sglang", PREFILL, 0, "", 0.990, 1.159) \
    X("sglang", PREFILL, 0, "h20-sxm", 0.990, 1.159) \
    X("sglang", INFER_MOE, -1, "", 0.990, 1.263) \
    X("sglang", INFER_MOE, 0, "", 0.990, 1.227) \
    X("sglang", INFER_MOE, 0, "h20-sxm", 0.990, 2.639) \
    X("sglang", INFER_MOE, 4, "", 0.990, 5.311) \
    X("sglang", INFER_MOE, 4, "h20-sxm", 0.990, 6.131) \
    X("sglang", SERVE_MOE, -1, "", 0.990, 1.703) \
    X("sglang-0.3", SERVE, -1, "", 0.990, 1.423) \
    X("sglang-0.3", SERVE, 2, "", 0.989, 1.327) \
    X("sglang-0.5", SERVE, -1, "", 0.990, 1.570) \
    X("sglang-0.5", SERVE, 0, "", 0.990, 1.671) \
    X("sglang-0.5", SERVE, 0, "a100-80g-sxm", 0.921, 1.302) \
    X("sglang-0.5", SERVE, 0, "h100-sxm", 0.990, 1.745) \
    X("sglang-0.5", SERVE, 0, "h200-sxm", 0.990, 1.296) \
    X("sglang-0.5", SERVE, 2, "", 0.990, 1.233) \
    X("sglang-0.5", SERVE, 2, "a100-80g-sxm", 0.990, 1.190) \
    X("sglang-0.5", SERVE, 2, "h100-sxm", 0.990, 1.229) \
    X("sglang-0.5", SERVE, 2, "h200-sxm", 0.948, 1.214) \
    X("sglang-0.5", SERVE, 3, "", 0.965, 1.273) \
    X("sglang-0.5", SERVE, 3, "h200-sxm", 0.960, 1.221) \
    X("sglang-0.5", SERVE_MOE, -1, "", 0.977, 1.396) \
    X("sglang-0.5", SERVE_MOE, 0, "", 0.815, 1.414) \
    X("sglang-0.5", SERVE_MOE, 0, "b200-sxm", 0.760, 1.010) \
    X("sglang-0.5", SERVE_MOE, 2, "", 0.990, 1.328) \
    X("sglang-0.5", SERVE_MOE, 2, "b200-sxm", 0.943, 1.124) \
    X("sglang-0.5", SERVE_MOE, 2, "gb200-nvl72", 0.893, 1.355) \
    X("sglang-0.5", SERVE_MOE, 2, "gb300-nvl72", 0.909, 1.146) \
    X("sglang-0.5", SERVE_MOE, 2, "h100-sxm", 0.990, 2.105) \
    X("sglang-0.5", SERVE_MOE, 2, "h200-sxm", 0.990, 1.316) \
    X("sglang-0.5", SERVE_MOE, 4, "", 0.929, 1.395) \
    X("sglang-0.5", SERVE_MOE, 4, "b200-sxm", 0.913, 1.229) \
    X("sglang-0.5", SERVE_FIRST, -1, "", 0.963, 2.096) \
    X("sglang-0.5", SERVE_FIRST, 0, "", 0.963, 2.096) \
    X("sglang-0.5", SERVE_FIRST, 0, "a100-80g-sxm", 0.463, 2.224) \
    X("sglang-0.5", SERVE_FIRST, 0, "b200-sxm", 0.990, 1.726) \
    X("sglang-0.5", SERVE_FIRST, 0, "gb200-nvl72", 0.990, 1.688) \
    X("sglang-0.5", SERVE_FIRST, 0, "gb300-nvl72", 0.880, 1.454) \
    X("sglang-0.5", SERVE_FIRST, 0, "h100-sxm", 0.990, 4.477) \
    X("sglang-0.5", SERVE_FIRST, 0, "h20-sxm-141gb", 0.897, 1.259) \
    X("sglang-0.5", SERVE_FIRST, 0, "h200-sxm", 0.990, 2.042) \
    X("sglang-0.5.15", SERVE, -1, "", 0.953, 1.827) \
    X("sglang-0.5.15", SERVE, 0, "", 0.953, 1.827) \
    X("sglang-rocm-0.5", SERVE_MOE, -1, "", 0.990, 2.038) \
    X("sglang-rocm-0.5", SERVE_MOE, 0, "", 0.990, 1.585) \
    X("sglang-rocm-0.5", SERVE_MOE, 0, "mi300x", 0.990, 1.553) \
    X("sglang-rocm-0.5", SERVE_MOE, 2, "", 0.990, 2.093) \
    X("sglang-rocm-0.5", SERVE_MOE, 2, "mi300x", 0.990, 2.098) \
    X("sglang-rocm-0.5", SERVE_FIRST, -1, "", 0.511, 3.121) \
    X("sglang-rocm-0.5", SERVE_FIRST, 0, "", 0.511, 3.121) \
    X("sglang-rocm-0.5", SERVE_FIRST, 0, "mi300x", 0.511, 3.121) \
    X("tensorrt-10.2-server", SERVE, -1, "", 0.946, 1.133) \
    X("tensorrt-10.2-server", SERVE, 0, "", 0.971, 1.140) \
    X("tensorrt-10.2-server", SERVE_MOE, -1, "", 0.990, 1.226) \
    X("tensorrt-10.2-server", SERVE_FIRST, -1, "", 0.990, 1.432) \
    X("tensorrt-10.2-server", SERVE_FIRST, 0, "", 0.990, 1.432) \
    X("tensorrt-10.2-server", SERVE_FIRST, 0, "gh200-144g", 0.990, 1.216) \
    X("tensorrt-10.2-server", SERVE_FIRST, 0, "h100-sxm", 0.990, 1.587) \
    X("tensorrt-10.2-server", SERVE_FIRST, 0, "h200-sxm", 0.990, 1.368) \
    X("tensorrt-9.3-server", SERVE, -1, "", 0.990, 1.201) \
    X("tensorrt-9.3-server", SERVE, 0, "", 0.990, 1.201) \
    X("tensorrt-9.3-server", SERVE, 0, "h100-sxm", 0.990, 1.212) \
    X("tensorrt-9.3-server", SERVE_FIRST, -1, "", 0.990, 1.376) \
    X("tensorrt-9.3-server", SERVE_FIRST, 0, "", 0.990, 1.376) \
    X("tensorrt-9.3-server", SERVE_FIRST, 0, "h100-sxm", 0.990, 1.470) \
    X("tensorrt-9.3-server", SERVE_FIRST, 0, "h200-sxm", 0.990, 1.287) \
    X("tensorrt-llm-0.17", DECODE_DRAM, -1, "", 0.870, 1.138) \
    X("tensorrt-llm-0.17", DECODE_DRAM, 2, "", 0.870, 1.138) \
    X("tensorrt-llm-0.17", DECODE_DRAM, 2, "h200-sxm", 0.975, 1.156) \
    X("tensorrt-llm-0.17", IN_FLIGHT, -1, "", 0.990, 1.139) \
    X("tensorrt-llm-0.17", IN_FLIGHT, 2, "", 0.990, 1.119) \
    X("tensorrt-llm-0.17", IN_FLIGHT, 2, "a100-80g-sxm", 0.974, 1.081) \
    X("tensorrt-llm-0.17", IN_FLIGHT, 2, "h100-sxm", 0.986, 1.093) \
    X("tensorrt-llm-0.17", IN_FLIGHT, 2, "h200-sxm", 0.990, 1.087) \
    X("tensorrt-llm-0.17", IN_FLIGHT, 2, "l40s", 0.965, 1.097) \
    X("tensorrt-llm-0.17", IN_FLIGHT_MOE, -1, "", 0.990, 1.178) \
    X("tensorrt-llm-0.17", IN_FLIGHT_MOE, 2, "", 0.990, 1.225) \
    X("tensorrt-llm-0.17", IN_FLIGHT_MOE, 2, "a100-80g-sxm", 0.990, 1.243) \
    X("tensorrt-llm-0.17", IN_FLIGHT_MOE, 4, "", 0.990, 1.100) \
    X("tensorrt-llm-0.17", IN_FLIGHT_MOE, 4, "h100-sxm", 0.984, 1.115) \
    X("tensorrt-llm-0.17", IN_FLIGHT_MOE, 4, "h200-sxm", 0.990, 1.069) \
    X("tensorrt-llm-0.17", SERVE, -1, "", 0.990, 1.270) \
    X("tensorrt-llm-0.17", SERVE, 0, "", 0.990, 1.242) \
    X("tensorrt-llm-0.17", SERVE, 0, "h100-sxm", 0.990, 1.243) \
    X("tensorrt-llm-0.17", SERVE, 0, "h200-sxm", 0.990, 1.254) \
    X("tensorrt-llm-0.17", SERVE, 2, "", 0.990, 1.272) \
    X("tensorrt-llm-0.17", SERVE, 2, "h100-sxm", 0.990, 1.225) \
    X("tensorrt-llm-0.17", SERVE, 2, "h200-sxm", 0.990, 1.320) \
    X("tensorrt-llm-0.17", SERVE_FIRST, -1, "", 0.990, 1.321) \
    X("tensorrt-llm-0.17", SERVE_FIRST, 0, "", 0.990, 1.321) \
    X("tensorrt-llm-0.17", SERVE_FIRST, 0, "h100-sxm", 0.990, 1.305) \
    X("tensorrt-llm-0.17", SERVE_FIRST, 0, "h200-sxm", 0.990, 1.394) \
    X("tensorrt-llm-0.5", DECODE_DRAM, -1, "", 0.963, 1.065) \
    X("tensorrt-llm-0.5", DECODE_DRAM, 2, "", 0.963, 1.065) \
    X("tensorrt-llm-0.5", DECODE_DRAM, 2, "l40s", 0.957, 1.035) \
    X("tensorrt-llm-0.5", PREFILL, -1, "", 0.895, 1.135) \
    X("tensorrt-llm-0.5", PREFILL, 0, "", 0.886, 1.148) \
    X("tensorrt-llm-0.5", PREFILL_SHORT, -1, "", 0.990, 1.359) \
    X("tensorrt-llm-0.5", PREFILL_SHORT, 2, "", 0.990, 1.360) \
    X("tensorrt-llm-0.9", DECODE_DRAM, -1, "", 0.891, 1.010) \
    X("tensorrt-llm-0.9", DECODE_DRAM, 2, "", 0.886, 1.010) \
    X("tensorrt-llm-0.9", DECODE_DRAM, 2, "a100-80g-sxm", 0.930, 1.012) \
    X("tensorrt-llm-0.9", DECODE_DRAM, 2, "h100-sxm", 0.872, 1.010) \
    X("tensorrt-llm-0.9", DECODE_DRAM, 2, "l40s", 0.943, 1.084) \
    X("tensorrt-llm-0.9", DECODE_NETWORK, -1, "", 0.911, 1.208) \
    X("tensorrt-llm-0.9", DECODE_NETWORK, 0, "", 0.893, 1.211) \
    X("tensorrt-llm-0.9", DECODE_NETWORK, 0, "a100-80g-sxm", 0.985, 1.199) \
    X("tensorrt-llm-0.9", DECODE_NETWORK, 0, "h100-sxm", 0.833, 1.219) \
    X("tensorrt-llm-0.9", PREFILL, -1, "", 0.939, 1.288) \
    X("tensorrt-llm-0.9", PREFILL, 0, "", 0.958, 1.198) \
    X("tensorrt-llm-0.9", PREFILL, 0, "a100-80g-sxm", 0.978, 1.107) \
    X("tensorrt-llm-0.9", PREFILL_SHORT, -1, "", 0.990, 1.170) \
    X("tensorrt-llm-0.9", PREFILL_SHORT, 2, "", 0.990, 1.176) \
    X("tensorrt-llm-0.9", INFER_MOE, -1, "", 0.835, 1.545) \
    X("tensorrt-llm-0.9", INFER_MOE, 2, "", 0.711, 1.581) \
    X("tensorrt-llm-0.9", IN_FLIGHT, -1, "", 0.961, 1.367) \
    X("tensorrt-llm-0.9", IN_FLIGHT, 2, "", 0.990, 1.402) \
    X("tensorrt-llm-0.9", IN_FLIGHT, 2, "a100-80g-sxm", 0.956, 1.443) \
    X("tensorrt-llm-0.9", IN_FLIGHT, 2, "l40s", 0.990, 1.442) \
    X("tensorrt-llm-1.0", DECODE_DRAM, -1, "", 0.973, 1.453) \
    X("tensorrt-llm-1.0", DECODE_DRAM, 2, "", 0.973, 1.453) \
    X("tensorrt-llm-1.0", DECODE_DRAM, 2, "h100-sxm", 0.973, 1.453) \
    X("tensorrt-llm-1.0", IN_FLIGHT, -1, "", 0.933, 1.035) \
    X("tensorrt-llm-1.0", IN_FLIGHT, 2, "", 0.933, 1.035) \
    X("tensorrt-llm-1.0", IN_FLIGHT, 2, "b200-sxm", 0.927, 1.846) \
    X("tensorrt-llm-1.0", IN_FLIGHT, 2, "gb200-nvl72", 0.963, 1.037) \
    X("tensorrt-llm-1.0", IN_FLIGHT, 2, "h100-sxm", 0.963, 1.041) \
    X("tensorrt-llm-1.0", IN_FLIGHT, 2, "h200-sxm", 0.822, 1.039) \
    X("tensorrt-llm-1.0", IN_FLIGHT, 2, "rtx-pro-6000-blackwell", 0.857, 1.022) \
    X("tensorrt-llm-1.0", IN_FLIGHT_MOE, -1, "", 0.989, 1.370) \
    X("tensorrt-llm-1.0", IN_FLIGHT_MOE, 4, "", 0.990, 1.397) \
    X("tensorrt-llm-1.0", IN_FLIGHT_MOE, 4, "b200-sxm", 0.990, 1.336) \
    X("tensorrt-llm-1.0", IN_FLIGHT_MOE, 4, "gb200-nvl72", 0.990, 1.617) \
    X("tensorrt-llm-1.0", SERVE, -1, "", 0.990, 1.287) \
    X("tensorrt-llm-1.0", SERVE, 0, "", 0.990, 1.224) \
    X("tensorrt-llm-1.0", SERVE, 0, "h100-sxm", 0.990, 1.222) \
    X("tensorrt-llm-1.0", SERVE, 2, "", 0.990, 1.295) \
    X("tensorrt-llm-1.0", SERVE, 2, "h100-sxm", 0.990, 1.296) \
    X("tensorrt-llm-1.0", SERVE, 3, "", 0.990, 1.603) \
    X("tensorrt-llm-1.0", SERVE, 3, "h100-sxm", 0.990, 1.654) \
    X("tensorrt-llm-1.0", SERVE_MOE, -1, "", 0.877, 4.217) \
    X("tensorrt-llm-1.0", SERVE_FIRST, -1, "", 0.990, 7.057) \
    X("tensorrt-llm-1.0", SERVE_FIRST, 0, "", 0.990, 7.057) \
    X("tensorrt-llm-1.0", SERVE_FIRST, 0, "h100-sxm", 0.990, 7.838) \
    X("tensorrt-llm-1.2", IN_FLIGHT, -1, "", 0.916, 1.011) \
    X("tensorrt-llm-1.2", IN_FLIGHT, 2, "", 0.916, 1.011) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, -1, "", 0.967, 1.260) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 2, "", 0.982, 1.380) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 2, "b200-sxm", 0.990, 1.152) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 2, "h200-sxm", 0.960, 1.475) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 4, "", 0.959, 1.224) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 4, "b200-sxm", 0.990, 1.233) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 4, "gb200-nvl72", 0.957, 1.191) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 4, "h200-sxm", 0.952, 1.220) \
    X("tensorrt-llm-1.2", SERVE, -1, "", 0.896, 1.075) \
    X("tensorrt-llm-1.2", SERVE, 0, "", 0.937, 1.010) \
    X("tensorrt-llm-1.2", SERVE, 0, "b200-sxm", 0.959, 1.010) \
    X("tensorrt-llm-1.2", SERVE, 0, "h200-sxm", 0.956, 1.041) \
    X("tensorrt-llm-1.2", SERVE, 2, "", 0.895, 1.340) \
    X("tensorrt-llm-1.2", SERVE, 2, "b200-sxm", 0.952, 1.025) \
    X("tensorrt-llm-1.2", SERVE, 2, "h200-sxm", 0.950, 1.019) \
    X("tensorrt-llm-1.2", SERVE, 3, "", 0.990, 1.072) \
    X("tensorrt-llm-1.2", SERVE, 3, "b200-sxm", 0.990, 1.072) \
    X("tensorrt-llm-1.2", SERVE, 4, "", 0.979, 1.052) \
    X("tensorrt-llm-1.2", SERVE, 4, "b200-sxm", 0.990, 1.049) \
    X("tensorrt-llm-1.2", SERVE_MOE, -1, "", 0.939, 3.291) \
    X("tensorrt-llm-1.2", SERVE_MOE, 0, "", 0.976, 3.299) \
    X("tensorrt-llm-1.2", SERVE_MOE, 0, "b200-sxm", 0.793, 1.311) \
    X("tensorrt-llm-1.2", SERVE_MOE, 2, "", 0.918, 1.225) \
    X("tensorrt-llm-1.2", SERVE_MOE, 2, "b200-sxm", 0.871, 1.010) \
    X("tensorrt-llm-1.2", SERVE_MOE, 2, "gb200-nvl72", 0.835, 1.021) \
    X("tensorrt-llm-1.2", SERVE_MOE, 2, "gb300-nvl72", 0.944, 1.135) \
    X("tensorrt-llm-1.2", SERVE_MOE, 2, "h200-sxm", 0.990, 1.279) \
    X("tensorrt-llm-1.2", SERVE_MOE, 4, "", 0.914, 1.100) \
    X("tensorrt-llm-1.2", SERVE_MOE, 4, "b200-sxm", 0.910, 1.010) \
    X("tensorrt-llm-1.2", SERVE_MOE, 4, "gb200-nvl72", 0.918, 1.036) \
    X("tensorrt-llm-1.2", SERVE_MOE, 4, "h200-sxm", 0.990, 1.433) \
    X("tensorrt-llm-1.2", SERVE_FIRST, -1, "", 0.952, 1.766) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "", 0.952, 1.766) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "b200-sxm", 0.880, 1.137) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "gb200-nvl72", 0.866, 2.290) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "gb300-nvl72", 0.932, 1.704) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "h200-sxm", 0.944, 1.505) \
    X("tensorrt-llm-nemo", DECODE_DRAM, -1, "", 0.977, 1.016) \
    X("tensorrt-llm-nemo", DECODE_DRAM, 2, "", 0.977, 1.016) \
    X("tensorrt-llm-nemo", DECODE_DRAM, 2, "a100-80g-sxm", 0.954, 1.011) \
    X("tensorrt-llm-nemo", DECODE_DRAM, 2, "h100-sxm", 0.990, 1.020) \
    X("tensorrt-llm-nemo", DECODE_NETWORK, -1, "", 0.990, 1.047) \
    X("tensorrt-llm-nemo", DECODE_NETWORK, 2, "", 0.990, 1.061) \
    X("tensorrt-llm-nemo", DECODE_NETWORK, 4, "", 0.990, 1.016) \
    X("tensorrt-llm-nemo", DECODE_NETWORK, 4, "h100-sxm", 0.990, 1.010) \
    X("tgi-1.0", SERVE, -1, "", 0.990, 4.331) \
    X("tgi-1.0", SERVE, 2, "", 0.990, 4.337) \
    X("tgi-1.0", SERVE, 2, "a10g", 0.875, 1.621) \
    X("tgi-1.0", SERVE, 2, "aws-p4d-a100", 0.990, 2.263) \
    X("tgi-1.0", SERVE, 3, "", 0.903, 1.509) \
    X("tgi-1.0", SERVE, 3, "a10g", 0.900, 1.449) \
    X("tgi-1.0", SERVE, 5, "", 0.990, 2.683) \
    X("tgi-1.0", SERVE, 5, "aws-p4d-a100", 0.990, 2.595) \
    X("tgi-rocm-2.3", SERVE, -1, "", 0.826, 1.936) \
    X("tgi-rocm-2.3", SERVE, 2, "", 0.826, 1.936) \
    X("tgi-rocm-2.3", SERVE, 2, "mi300x", 0.826, 1.936) \
    X("torchtitan-2024-async-tp", TRAIN_DENSE, -1, "", 0.990, 1.370) \
    X("torchtitan-2024-compiled", TRAIN_DENSE, -1, "", 0.990, 1.367) \
    X("torchtitan-2024-compiled", TRAIN_DENSE, 0, "", 0.990, 1.367) \
    X("torchtitan-2024-compiled", TRAIN_DENSE, 0, "h100-sxm-500w", 0.990, 1.282) \
    X("torchtitan-2024-eager", TRAIN_DENSE, -1, "", 0.990, 1.072) \
    X("torchtitan-2024-eager", TRAIN_DENSE, 0, "", 0.990, 1.072) \
    X("torchtitan-2024-eager", TRAIN_DENSE, 0, "a100-80g-sxm", 0.990, 1.073) \
    X("torchtitan-2025-compiled", TRAIN_DENSE, -1, "", 0.990, 1.459) \
    X("torchtitan-2025-compiled", TRAIN_DENSE, 0, "", 0.990, 1.459) \
    X("torchtune-2024-compiled", TRAIN_DENSE, -1, "", 0.834, 1.010) \
    X("torchtune-2024-compiled", TRAIN_DENSE, 0, "", 0.834, 1.010) \
    X("transformers-4.39", HOST, -1, "", 0.781, 1.544) \
    X("transformers-4.39", HOST, 5, "", 0.773, 1.010) \
    X("transformers-4.39", HOST, 5, "a100-80g-sxm", 0.772, 1.010) \
    X("transformers-4.46", HOST, -1, "", 0.883, 1.479) \
    X("transformers-4.46", HOST, 2, "", 0.929, 1.410) \
    X("transformers-4.46", HOST, 2, "a100-80g-sxm", 0.939, 1.396) \
    X("transformers-4.46", HOST, 4, "", 0.990, 1.926) \
    X("transformers-4.46", HOST, 4, "a100-80g-sxm", 0.990, 1.895) \
    X("transformers-4.46", HOST, 5, "", 0.817, 1.162) \
    X("transformers-4.46", HOST, 5, "a100-80g-sxm", 0.840, 1.143) \
    X("transformers-4.46", HOST, 5, "h20-sxm", 0.658, 1.324) \
    X("transformers-neuronx-0.13", SERVE, -1, "", 0.990, 1.207) \
    X("transformers-neuronx-0.13", SERVE, 2, "", 0.990, 1.207) \
    X("transformers-neuronx-0.13", SERVE, 2, "trn1.32xlarge", 0.990, 1.207) \
    X("transformers-neuronx-0.13", SERVE, 3, "", 0.972, 1.291) \
    X("transformers-neuronx-0.13", SERVE, 3, "trn1.32xlarge", 0.969, 1.306) \
    X("transformers-neuronx-0.13", SERVE_FIRST, -1, "", 0.990, 2.841) \
    X("transformers-neuronx-0.13", SERVE_FIRST, 0, "", 0.990, 2.841) \
    X("transformers-neuronx-0.13", SERVE_FIRST, 0, "trn1.32xlarge", 0.990, 2.841) \
    X("trl-2026-fsdp2", TRAIN_MOE, -1, "", 0.990, 2.634) \
    X("vllm", DECODE_DRAM, -1, "", 0.980, 1.044) \
    X("vllm", DECODE_DRAM, 2, "", 0.980, 1.044) \
    X("vllm", SERVE, -1, "", 0.915, 1.231) \
    X("vllm", SERVE, 0, "", 0.818, 1.144) \
    X("vllm", SERVE, 2, "", 0.914, 1.228) \
    X("vllm", SERVE, 2, "h100-pcie", 0.874, 1.041) \
    X("vllm", SERVE, 2, "rtx-4090", 0.888, 1.123) \
    X("vllm", SERVE, 3, "", 0.884, 1.080) \
    X("vllm", SERVE, 3, "rtx-4090", 0.882, 1.067) \
    X("vllm", SERVE_MOE, -1, "", 0.990, 1.777) \
    X("vllm", SERVE_FIRST, -1, "", 0.628, 1.375) \
    X("vllm", SERVE_FIRST, 0, "", 0.628, 1.375) \
    X("vllm", SERVE_FIRST, 0, "h100-pcie", 0.548, 1.010) \
    X("vllm", SERVE_FIRST, 0, "rtx-4090", 0.574, 1.391) \
    X("vllm-0.10", SERVE, -1, "", 0.990, 1.511) \
    X("vllm-0.10", SERVE, 0, "", 0.985, 2.116) \
    X("vllm-0.10", SERVE, 0, "b200-sxm", 0.977, 1.093) \
    X("vllm-0.10", SERVE, 2, "", 0.990, 1.338) \
    X("vllm-0.10", SERVE, 2, "a100-80g-sxm", 0.990, 1.369) \
    X("vllm-0.10", SERVE, 2, "b200-sxm", 0.990, 1.090) \
    X("vllm-0.10", SERVE, 2, "h100-sxm", 0.990, 1.179) \
    X("vllm-0.10", SERVE, 2, "h200-sxm", 0.990, 1.156) \
    X("vllm-0.10", SERVE, 3, "", 0.286, 1.169) \
    X("vllm-0.10", SERVE, 3, "b200-sxm", 0.836, 1.152) \
    X("vllm-0.10", SERVE_MOE, -1, "", 0.990, 1.559) \
    X("vllm-0.10", SERVE_MOE, 0, "", 0.990, 1.325) \
    X("vllm-0.10", SERVE_MOE, 0, "h100-sxm", 0.468, 1.467) \
    X("vllm-0.10", SERVE_MOE, 2, "", 0.990, 1.432) \
    X("vllm-0.10", SERVE_MOE, 2, "b200-sxm", 0.990, 1.659) \
    X("vllm-0.10", SERVE_MOE, 2, "h100-pcie", 0.990, 1.399) \
    X("vllm-0.10", SERVE_MOE, 2, "h200-sxm", 0.990, 1.255) \
    X("vllm-0.10", SERVE_MOE, 4, "", 0.990, 1.520) \
    X("vllm-0.10", SERVE_MOE, 4, "b200-sxm", 0.990, 1.562) \
    X("vllm-0.10", SERVE_FIRST, -1, "", 0.847, 2.147) \
    X("vllm-0.10", SERVE_FIRST, 0, "", 0.847, 2.147) \
    X("vllm-0.10", SERVE_FIRST, 0, "b200-sxm", 0.875, 2.396) \
    X("vllm-0.10", SERVE_FIRST, 0, "h100-sxm", 0.970, 1.818) \
    X("vllm-0.10", SERVE_FIRST, 0, "h200-sxm", 0.614, 1.164) \
    X("vllm-0.11", SERVE, -1, "", 0.950, 1.269) \
    X("vllm-0.11", SERVE, 0, "", 0.949, 1.270) \
    X("vllm-0.11", SERVE, 0, "a100-80g-sxm", 0.990, 1.365) \
    X("vllm-0.11", SERVE, 0, "b200-sxm", 0.684, 1.087) \
    X("vllm-0.11", SERVE, 0, "h100-sxm", 0.990, 1.603) \
    X("vllm-0.11", SERVE, 2, "", 0.929, 1.206) \
    X("vllm-0.11", SERVE, 2, "b200-sxm", 0.990, 2.402) \
    X("vllm-0.11", SERVE, 2, "h100-sxm", 0.990, 1.502) \
    X("vllm-0.11", SERVE, 2, "h200-sxm", 0.822, 1.052) \
    X("vllm-0.11", SERVE, 5, "", 0.866, 1.190) \
    X("vllm-0.11", SERVE, 5, "b200-sxm", 0.894, 1.708) \
    X("vllm-0.11", SERVE, 5, "h100-sxm", 0.966, 1.144) \
    X("vllm-0.11", SERVE, 5, "h200-sxm", 0.846, 1.080) \
    X("vllm-0.11", SERVE_MOE, -1, "", 0.972, 1.319) \
    X("vllm-0.11", SERVE_MOE, 0, "", 0.954, 1.369) \
    X("vllm-0.11", SERVE_MOE, 0, "a100-80g-sxm", 0.990, 1.401) \
    X("vllm-0.11", SERVE_MOE, 0, "h100-sxm", 0.978, 1.562) \
    X("vllm-0.11", SERVE_MOE, 0, "h200-sxm", 0.927, 1.358) \
    X("vllm-0.11", SERVE_MOE, 2, "", 0.990, 1.318) \
    X("vllm-0.11", SERVE_MOE, 2, "a100-80g-sxm", 0.990, 1.253) \
    X("vllm-0.11", SERVE_MOE, 2, "b200-sxm", 0.932, 1.827) \
    X("vllm-0.11", SERVE_MOE, 2, "h100-sxm", 0.990, 1.322) \
    X("vllm-0.11", SERVE_MOE, 4, "", 0.990, 1.329) \
    X("vllm-0.11", SERVE_MOE, 5, "", 0.861, 1.957) \
    X("vllm-0.11", SERVE_MOE, 5, "b200-sxm", 0.906, 2.259) \
    X("vllm-0.11", SERVE_MOE, 5, "h100-sxm", 0.835, 1.026) \
    X("vllm-0.11", SERVE_FIRST, -1, "", 0.990, 1.917) \
    X("vllm-0.11", SERVE_FIRST, 0, "", 0.990, 1.917) \
    X("vllm-0.11", SERVE_FIRST, 0, "a100-80g-sxm", 0.990, 1.817) \
    X("vllm-0.11", SERVE_FIRST, 0, "h100-sxm", 0.963, 1.617) \
    X("vllm-0.11", SERVE_FIRST, 0, "h200-sxm", 0.776, 1.752) \
    X("vllm-0.11", SERVE_FIRST, 0, "h800-sxm", 0.990, 2.344) \
    X("vllm-0.14", SERVE, -1, "", 0.897, 1.555) \
    X("vllm-0.14", SERVE, 2, "", 0.896, 1.655) \
    X("vllm-0.14", SERVE, 2, "b200-sxm", 0.811, 1.344) \
    X("vllm-0.14", SERVE_MOE, -1, "", 0.951, 1.207) \
    X("vllm-0.14", SERVE_MOE, 2, "", 0.932, 1.154) \
    X("vllm-0.14", SERVE_MOE, 2, "b200-sxm", 0.927, 1.147) \
    X("vllm-0.14", SERVE_MOE, 2, "h200-sxm", 0.990, 1.283) \
    X("vllm-0.14", SERVE_MOE, 4, "", 0.990, 1.417) \
    X("vllm-0.14", SERVE_MOE, 4, "b200-sxm", 0.990, 1.344) \
    X("vllm-0.14", SERVE_FIRST, -1, "", 0.951, 1.307) \
    X("vllm-0.14", SERVE_FIRST, 0, "", 0.951, 1.307) \
    X("vllm-0.14", SERVE_FIRST, 0, "b200-sxm", 0.945, 1.194) \
    X("vllm-0.17", SERVE, -1, "", 0.950, 1.165) \
    X("vllm-0.17", SERVE, 2, "", 0.927, 1.101) \
    X("vllm-0.17", SERVE, 2, "rtx-pro-6000-blackwell", 0.990, 1.010) \
    X("vllm-0.17", SERVE_MOE, -1, "", 0.953, 1.077) \
    X("vllm-0.17", SERVE_MOE, 0, "", 0.782, 1.010) \
    X("vllm-0.17", SERVE_MOE, 0, "b200-sxm", 0.752, 1.010) \
    X("vllm-0.17", SERVE_MOE, 2, "", 0.928, 1.067) \
    X("vllm-0.17", SERVE_MOE, 2, "b200-sxm", 0.889, 1.087) \
    X("vllm-0.17", SERVE_MOE, 2, "h100-sxm", 0.985, 1.092) \
    X("vllm-0.17", SERVE_MOE, 2, "h200-sxm", 0.955, 1.050) \
    X("vllm-0.17", SERVE_MOE, 4, "", 0.990, 1.089) \
    X("vllm-0.17", SERVE_MOE, 4, "b200-sxm", 0.962, 1.075) \
    X("vllm-0.17", SERVE_MOE, 4, "h100-sxm", 0.990, 1.105) \
    X("vllm-0.17", SERVE_MOE, 4, "h200-sxm", 0.990, 1.070) \
    X("vllm-0.17", SERVE_FIRST, -1, "", 0.986, 1.942) \
    X("vllm-0.17", SERVE_FIRST, 0, "", 0.986, 1.942) \
    X("vllm-0.17", SERVE_FIRST, 0, "b200-sxm", 0.990, 1.405) \
    X("vllm-0.17", SERVE_FIRST, 0, "gb200-nvl72", 0.990, 1.829) \
    X("vllm-0.17", SERVE_FIRST, 0, "h100-sxm", 0.990, 4.558) \
    X("vllm-0.17", SERVE_FIRST, 0, "h200-sxm", 0.990, 1.483) \
    X("vllm-0.17", SERVE_FIRST, 0, "rtx-pro-6000-blackwell", 0.819, 1.010) \
    X("vllm-0.2", DECODE_DRAM, -1, "", 0.990, 1.399) \
    X("vllm-0.2", DECODE_DRAM, 2, "", 0.990, 1.399) \
    X("vllm-0.2", DECODE_DRAM, 2, "a100-80g-sxm", 0.990, 1.333) \
    X("vllm-0.2", DECODE_DRAM, 2, "h100-sxm", 0.990, 1.412) \
    X("vllm-0.2", DECODE_NETWORK, -1, "", 0.990, 1.990) \
    X("vllm-0.2", DECODE_NETWORK, 2, "", 0.990, 2.001) \
    X("vllm-0.2", HOST, -1, "", 0.990, 1.160) \
    X("vllm-0.2", PREFILL, -1, "", 0.990, 1.959) \
    X("vllm-0.2", PREFILL, 0, "", 0.990, 1.959) \
    X("vllm-0.2", PREFILL, 0, "a100-80g-sxm", 0.990, 1.982) \
    X("vllm-0.2", PREFILL, 0, "h100-sxm", 0.990, 1.917) \
    X("vllm-0.2", PREFILL_SHORT, -1, "", 0.990, 2.020) \
    X("vllm-0.2", PREFILL_SHORT, 0, "", 0.990, 2.002) \
    X("vllm-0.20", SERVE, -1, "", 0.968, 1.074) \
    X("vllm-0.20", SERVE, 0, "", 0.814, 1.043) \
    X("vllm-0.20", SERVE, 2, "", 0.983, 1.195) \
    X("vllm-0.20", SERVE, 2, "l4", 0.984, 1.072) \
    X("vllm-0.20", SERVE_MOE, -1, "", 0.873, 1.351) \
    X("vllm-0.20", SERVE_MOE, 2, "", 0.875, 1.269) \
    X("vllm-0.20", SERVE_MOE, 2, "b200-sxm", 0.853, 1.124) \
    X("vllm-0.20", SERVE_FIRST, -1, "", 0.853, 1.370) \
    X("vllm-0.20", SERVE_FIRST, 0, "", 0.853, 1.370) \
    X("vllm-0.20", SERVE_FIRST, 0, "a100-80g-sxm", 0.867, 1.938) \
    X("vllm-0.4", DECODE_DRAM, -1, "", 0.959, 1.145) \
    X("vllm-0.4", DECODE_DRAM, 2, "", 0.959, 1.145) \
    X("vllm-0.4", DECODE_DRAM, 2, "a100-80g-sxm", 0.959, 1.145) \
    X("vllm-0.4", DECODE_NETWORK, -1, "", 0.990, 1.440) \
    X("vllm-0.4", DECODE_NETWORK, 0, "", 0.990, 1.440) \
    X("vllm-0.4", DECODE_NETWORK, 0, "a100-80g-sxm", 0.990, 1.440) \
    X("vllm-0.4", HOST, -1, "", 0.990, 1.459) \
    X("vllm-0.4", HOST, 5, "", 0.990, 1.298) \
    X("vllm-0.4", HOST, 5, "a100-80g-sxm", 0.990, 1.285) \
    X("vllm-0.4", INFER_MOE, -1, "", 0.990, 2.126) \
    X("vllm-0.4", INFER_MOE, 2, "", 0.990, 2.126) \
    X("vllm-0.4", INFER_MOE, 2, "a100-80g-sxm", 0.990, 2.199) \
    X("vllm-0.4", INFER_MOE, 2, "h100-sxm", 0.990, 1.322) \
    X("vllm-0.5", DECODE_DRAM, -1, "", 0.990, 1.060) \
    X("vllm-0.5", DECODE_DRAM, 2, "", 0.990, 1.060) \
    X("vllm-0.5", DECODE_DRAM, 2, "gh200-96g", 0.990, 1.060) \
    X("vllm-0.5", HOST, -1, "", 0.966, 1.014) \
    X("vllm-0.5", HOST, 2, "", 0.966, 1.014) \
    X("vllm-0.5", HOST, 2, "gh200-96g", 0.967, 1.014) \
    X("vllm-0.5", SERVE, -1, "", 0.990, 1.264) \
    X("vllm-0.5", SERVE, 0, "", 0.990, 1.420) \
    X("vllm-0.5", SERVE, 2, "", 0.990, 1.353) \
    X("vllm-0.5", SERVE, 2, "h100-sxm", 0.990, 1.315) \
    X("vllm-0.5", SERVE, 5, "", 0.988, 1.277) \
    X("vllm-0.5", SERVE, 5, "h100-sxm", 0.988, 1.280) \
    X("vllm-0.5", SERVE_MOE, -1, "", 0.990, 2.323) \
    X("vllm-0.5", SERVE_MOE, 2, "", 0.990, 2.034) \
    X("vllm-0.5", SERVE_FIRST, -1, "", 0.653, 1.332) \
    X("vllm-0.5", SERVE_FIRST, 0, "", 0.653, 1.332) \
    X("vllm-0.5", SERVE_FIRST, 0, "h100-sxm", 0.635, 1.010) \
    X("vllm-0.6", DECODE_DRAM, -1, "", 0.954, 1.060) \
    X("vllm-0.6", DECODE_DRAM, 2, "", 0.954, 1.068) \
    X("vllm-0.6", DECODE_DRAM, 2, "a100-80g-sxm", 0.984, 1.039) \
    X("vllm-0.6", DECODE_DRAM, 2, "polaris-a100-40g-sxm", 0.944, 1.028) \
    X("vllm-0.6", DECODE_NETWORK, -1, "", 0.976, 1.109) \
    X("vllm-0.6", DECODE_NETWORK, 0, "", 0.976, 1.109) \
    X("vllm-0.6", DECODE_NETWORK, 0, "a100-80g-sxm", 0.976, 1.109) \
    X("vllm-0.6", HOST, -1, "", 0.880, 1.031) \
    X("vllm-0.6", HOST, 0, "", 0.926, 1.087) \
    X("vllm-0.6", HOST, 0, "a100-80g-sxm", 0.934, 1.097) \
    X("vllm-0.6", HOST, 2, "", 0.889, 1.043) \
    X("vllm-0.6", HOST, 2, "a100-80g-sxm", 0.826, 1.050) \
    X("vllm-0.6", HOST, 2, "polaris-a100-40g-sxm", 0.934, 1.035) \
    X("vllm-0.6", HOST, 5, "", 0.555, 1.088) \
    X("vllm-0.6", HOST, 5, "a100-80g-sxm", 0.539, 1.092) \
    X("vllm-0.6", PREFILL, -1, "", 0.990, 1.493) \
    X("vllm-0.6", PREFILL, 0, "", 0.990, 1.493) \
    X("vllm-0.6", PREFILL, 0, "a100-80g-sxm", 0.990, 1.493) \
    X("vllm-0.6", INFER_MOE, -1, "", 0.925, 1.061) \
    X("vllm-0.6", INFER_MOE, 2, "", 0.925, 1.061) \
    X("vllm-0.6", INFER_MOE, 2, "polaris-a100-40g-sxm", 0.935, 1.062) \
    X("vllm-0.6", SERVE, -1, "", 0.723, 1.104) \
    X("vllm-0.6", SERVE, 0, "", 0.586, 1.062) \
    X("vllm-0.6", SERVE, 0, "h100-sxm", 0.749, 1.052) \
    X("vllm-0.6", SERVE, 2, "", 0.803, 1.156) \
    X("vllm-0.6", SERVE, 2, "h100-sxm", 0.990, 1.454) \
    X("vllm-0.6", SERVE_FIRST, -1, "", 0.569, 1.010) \
    X("vllm-0.6", SERVE_FIRST, 0, "", 0.569, 1.010) \
    X("vllm-0.7", SERVE, -1, "", 0.853, 1.254) \
    X("vllm-0.7", SERVE, 0, "", 0.952, 1.265) \
    X("vllm-0.7", SERVE, 0, "a100-40g-sxm", 0.940, 1.252) \
    X("vllm-0.7", SERVE, 0, "a800-sxm", 0.955, 1.094) \
    X("vllm-0.7", SERVE, 0, "h20-sxm-141gb", 0.915, 1.446) \
    X("vllm-0.7", SERVE, 2, "", 0.886, 1.178) \
    X("vllm-0.7", SERVE, 2, "rtx-a6000", 0.836, 1.014) \
    X("vllm-0.7", SERVE, 3, "", 0.805, 1.010) \
    X("vllm-0.7", SERVE, 3, "rtx-4090", 0.723, 1.010) \
    X("vllm-0.7", SERVE, 5, "", 0.796, 1.863) \
    X("vllm-0.7", SERVE, 5, "h200-sxm", 0.799, 1.995) \
    X("vllm-0.7", SERVE_MOE, -1, "", 0.979, 2.161) \
    X("vllm-0.7", SERVE_MOE, 2, "", 0.880, 1.172) \
    X("vllm-0.7", SERVE_FIRST, -1, "", 0.990, 422.003) \
    X("vllm-0.7", SERVE_FIRST, 0, "", 0.990, 422.003) \
    X("vllm-0.7", SERVE_FIRST, 0, "a100-40g-sxm", 0.990, 4.046) \
    X("vllm-0.7", SERVE_FIRST, 0, "a100-80g-sxm", 0.990, 8.688) \
    X("vllm-0.7", SERVE_FIRST, 0, "a800-sxm", 0.990, 3.860) \
    X("vllm-0.7", SERVE_FIRST, 0, "h100-sxm", 0.990, 4.812) \
    X("vllm-0.7", SERVE_FIRST, 0, "h20-sxm-141gb", 0.990, 7.870) \
    X("vllm-0.7", SERVE_FIRST, 0, "h200-sxm", 0.990, 512.489) \
    X("vllm-0.7", SERVE_FIRST, 0, "rtx-4090", 0.559, 3.983) \
    X("vllm-0.7", SERVE_FIRST, 0, "rtx-6000-ada", 0.990, 14.688) \
    X("vllm-0.7", SERVE_FIRST, 0, "rtx-a6000", 0.834, 2.727) \
    X("vllm-rocm-0.11", DECODE_DRAM, -1, "", 0.990, 1.123) \
    X("vllm-rocm-0.11", DECODE_DRAM, 2, "", 0.990, 1.123) \
    X("vllm-rocm-0.11", DECODE_DRAM, 2, "mi300x", 0.990, 1.123) \
    X("vllm-rocm-0.11", HOST, -1, "", 0.990, 1.111) \
    X("vllm-rocm-0.11", HOST, 4, "", 0.990, 1.105) \
    X("vllm-rocm-0.11", HOST, 4, "mi300x", 0.990, 1.105) \
    X("vllm-rocm-0.11", SERVE_MOE, -1, "", 0.990, 2.266) \
    X("vllm-rocm-0.11", SERVE_FIRST, -1, "", 0.561, 3.885) \
    X("vllm-rocm-0.11", SERVE_FIRST, 0, "", 0.561, 3.885) \
    X("vllm-rocm-0.6", DECODE_NETWORK, -1, "", 0.819, 1.046) \
    X("vllm-rocm-0.6", DECODE_NETWORK, 3, "", 0.819, 1.046) \
    X("vllm-rocm-0.6", DECODE_NETWORK, 3, "mi300x", 0.819, 1.046) \
    X("vllm-rocm-0.6", SERVE, -1, "", 0.990, 3.657) \
    X("vllm-rocm-0.6", SERVE, 0, "", 0.990, 3.934) \
    X("vllm-rocm-0.6", SERVE, 0, "mi300x", 0.990, 3.983) \
    X("vllm-rocm-0.6", SERVE, 2, "", 0.990, 1.908) \
    X("vllm-rocm-0.6", SERVE, 2, "mi300x", 0.990, 1.816) \
    X("xtuner-2024", TRAIN_DENSE, -1, "", 0.865, 1.272) \
    X("xtuner-2024", TRAIN_DENSE, 0, "", 0.865, 1.272) \
    X("xtuner-2024", TRAIN_DENSE, 0, "a100-80g-sxm", 0.865, 1.272)
