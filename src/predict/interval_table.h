/* Written by tools/check_drift.sh --record from `orrery validate --intervals`: do not edit.
 * 80 % of the measured times of a class are expected between low and high times the predicted
 * one; validate/intervals.c has the rules. "left out": inside the interval made without their
 * own source. Columns: regime, low and high on calibrated chips, the same on datasheet chips,
 * and the shares left out of both. */
#define ORR_INTERVALS(X) \
    /* Calibrated: rows 1368, sources 39, inside 77 %, left out 76 %. \
       Datasheet: rows 134, sources 11, inside 93 %, left out 94 %. */ \
    X(TRAIN_DENSE, 0.93, 1.31, 0.87, 1.49, 0.76, 0.94) \
    /* Calibrated: rows 44, sources 6, inside 93 %, left out 91 %. \
       Datasheet: rows 32, sources 6, inside 84 %, left out 84 %. */ \
    X(TRAIN_MOE, 0.86, 1.47, 0.59, 1.47, 0.91, 0.84) \
    /* Calibrated: rows 428, sources 14, inside 89 %, left out 89 %. \
       Datasheet: rows 136, sources 7, inside 78 %, left out 76 %. */ \
    X(DECODE_DRAM, 0.94, 1.51, 0.94, 1.51, 0.89, 0.76) \
    /* Calibrated: rows 125, sources 9, inside 90 %, left out 86 %. \
       Datasheet: rows 42, sources 6, inside 57 %, left out 45 %. */ \
    X(DECODE_NETWORK, 0.89, 1.37, 0.83, 1.62, 0.86, 0.45) \
    /* Calibrated: rows 162, sources 7, inside 85 %, left out 88 %. \
       Datasheet: rows 99, sources 7, inside 79 %, left out 77 %. */ \
    X(HOST, 0.85, 1.60, 0.64, 1.60, 0.88, 0.77) \
    /* Calibrated: rows 145, sources 8, inside 92 %, left out 90 %. \
       Datasheet: rows 60, sources 4, inside 72 %, left out 67 %. */ \
    X(PREFILL, 0.86, 1.54, 0.74, 1.87, 0.90, 0.67) \
    /* Calibrated: rows 50, sources 6, inside 92 %, left out 90 %. \
       Datasheet: rows 44, sources 4, inside 89 %, left out 84 %. */ \
    X(PREFILL_SHORT, 0.93, 2.55, 0.83, 4.66, 0.90, 0.84) \
    /* Calibrated: rows 61, sources 6, inside 89 %, left out 89 %. \
       Datasheet: rows 45, sources 2, inside 73 %, left out 60 %. */ \
    X(INFER_MOE, 0.88, 1.46, 0.68, 3.76, 0.89, 0.60) \
    /* Calibrated: rows 127, sources 3, inside 77 %, left out 74 %. \
       Datasheet: rows 6, sources 2, inside 100 %, left out 100 %. */ \
    X(IN_FLIGHT, 0.82, 1.21, 0.82, 1.21, 0.74, 1.00) \
    /* Calibrated: rows 61, sources 2, inside 97 %, left out 95 %. \
       Datasheet: rows 23, sources 1, inside 100 %, left out 100 %. */ \
    X(IN_FLIGHT_MOE, 0.67, 1.65, 0.67, 1.65, 0.95, 1.00) \
    /* Calibrated: rows 1776, sources 10, inside 85 %, left out 85 %. \
       Datasheet: rows 420, sources 6, inside 97 %, left out 96 %. */ \
    X(SERVE, 0.90, 1.57, 0.90, 2.03, 0.85, 0.96) \
    /* Calibrated: rows 1424, sources 8, inside 88 %, left out 89 %. \
       Datasheet: rows 137, sources 4, inside 82 %, left out 79 %. */ \
    X(SERVE_MOE, 0.81, 2.16, 0.76, 2.58, 0.89, 0.79) \
    /* Calibrated: rows 1175, sources 10, inside 89 %, left out 88 %. \
       Datasheet: rows 487, sources 9, inside 93 %, left out 93 %. */ \
    X(SERVE_FIRST, 0.58, 2.01, 0.58, 3.73, 0.88, 0.93)

/* Engines with at least 8 measured times in a regime, with their families; regimes as bits;
 * architectures of the chips. */
#define ORR_MEASURED(X) \
    X("autoawq-0.1-gemm", "autoawq", 0x004, " ada ") \
    X("deepspeed-inference-0.7", "deepspeed-inference", 0x004, " ampere ") \
    X("fastertransformer", "fastertransformer", 0x02c, " ampere ") \
    X("fastertransformer-4.0", "fastertransformer", 0x004, " ampere ") \
    X("fastertransformer-5.0-beta", "fastertransformer", 0x024, " ampere ") \
    X("gpt-fast-2024", "gpt-fast", 0x004, " ampere ") \
    X("hf-transformers-2023-qwen", "hf-transformers", 0x001, " ampere ") \
    X("hf-transformers-2026-autocast", "hf-transformers", 0x001, " hopper ") \
    X("hf-transformers-2026-compiled", "hf-transformers", 0x001, " hopper ") \
    X("hf-transformers-2026-eager", "hf-transformers", 0x001, " hopper ") \
    X("internevo-2023", "internevo", 0x001, " ampere ") \
    X("kempnerforge-2026", "kempnerforge", 0x001, " hopper ") \
    X("llama.cpp-2023", "llama.cpp", 0x07c, " ampere ada hopper ") \
    X("lmdeploy-turbomind-0.2", "lmdeploy", 0x004, " ada ampere ") \
    X("maxtext-2024", "maxtext", 0x001, " tpu hopper ") \
    X("maxtext-2025", "maxtext", 0x001, " hopper tpu ") \
    X("megatron-core-2024", "megatron-core", 0x001, " hopper ") \
    X("megatron-core-2026-plain", "megatron-core", 0x003, " blackwell ") \
    X("megatron-deepspeed-2022", "megatron-deepspeed", 0x001, " ampere ") \
    X("megatron-deepspeed-2022-fp16", "megatron-deepspeed", 0x001, " volta ampere ") \
    X("megatron-lm-2020", "megatron-lm", 0x001, " ampere volta ") \
    X("megatron-lm-2021", "megatron-lm", 0x001, " ampere ") \
    X("megatron-lm-2022", "megatron-lm", 0x001, " ampere ") \
    X("mosaic-fsdp", "llm-foundry", 0x001, " ampere hopper ") \
    X("mosaic-fsdp-2023-pure", "llm-foundry", 0x001, " ampere ") \
    X("mosaic-fsdp-2024", "llm-foundry", 0x001, " hopper ") \
    X("nanotron-2025", "nanotron", 0x001, " hopper ") \
    X("nemo-2024", "nemo", 0x003, " hopper ") \
    X("nemo-2025", "nemo", 0x003, " blackwell hopper ") \
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
    X("qwen-2023", "qwen", 0x010, " ampere ") \
    X("sglang", "sglang", 0x0bc, " hopper ") \
    X("sglang-0.3", "sglang", 0x400, " ampere hopper ") \
    X("sglang-0.5", "sglang", 0x1c00, " hopper ampere blackwell ") \
    X("sglang-rocm-0.5", "sglang-rocm", 0x1800, " cdna3 ") \
    X("tensorrt-10.2-server", "tensorrt-server", 0x1c00, " hopper ada ") \
    X("tensorrt-9.3-server", "tensorrt-server", 0x1400, " hopper ") \
    X("tensorrt-llm-0.9", "tensorrt-llm", 0x0ec, " ampere hopper ada ") \
    X("tensorrt-llm-1.0", "tensorrt-llm", 0x1400, " hopper ") \
    X("tensorrt-llm-1.2", "tensorrt-llm", 0x1f00, " hopper ampere blackwell ") \
    X("tensorrt-llm-nemo", "nemo-export", 0x00c, " ampere hopper ") \
    X("tgi-2", "tgi", 0x400, " cdna3 ") \
    X("torchtitan-2024-async-tp", "torchtitan", 0x001, " hopper ") \
    X("torchtitan-2024-compiled", "torchtitan", 0x001, " hopper ") \
    X("torchtitan-2024-eager", "torchtitan", 0x001, " ampere hopper ") \
    X("torchtitan-2025-compiled", "torchtitan", 0x001, " blackwell hopper ") \
    X("torchtune-2024-compiled", "", 0x001, " ampere ada ") \
    X("transformers-4.46", "transformers", 0x010, " ampere hopper ") \
    X("transformers-neuronx-0.13", "transformers-neuronx", 0x1400, " trainium ") \
    X("vllm-0.10", "vllm", 0x1c00, " hopper blackwell ") \
    X("vllm-0.11", "vllm", 0x1c00, " hopper ampere blackwell ") \
    X("vllm-0.14", "vllm", 0x1800, " hopper blackwell ") \
    X("vllm-0.17", "vllm", 0x1c00, " blackwell hopper blackwell-rtx ") \
    X("vllm-0.5", "vllm", 0x1c14, " ampere hopper ") \
    X("vllm-0.6", "vllm", 0x4bc, " ampere hopper ") \
    X("vllm-rocm-0.11", "vllm-rocm", 0x814, " cdna3 ") \
    X("vllm-rocm-0.6", "vllm-rocm", 0x408, " cdna3 ") \
    X("xtuner-2024", "xtuner", 0x001, " ampere ")

/* What runs of these engines differ by (validate/cells.c): engine, regime, resource that dominates the
 * time (-1: any), system ("": any), low and high. */
#define ORR_MEASURED_CELLS(X) \
    X("autoawq-0.1-gemm", DECODE_DRAM, -1, "", 0.990, 1.084) \
    X("autoawq-0.1-gemm", DECODE_DRAM, 2, "", 0.990, 1.084) \
    X("autoawq-0.1-gemm", DECODE_DRAM, 2, "rtx-4090", 0.990, 1.084) \
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
    X("gpt-fast-2024", DECODE_DRAM, -1, "", 0.954, 1.109) \
    X("gpt-fast-2024", DECODE_DRAM, 2, "", 0.954, 1.109) \
    X("gpt-fast-2024", DECODE_DRAM, 2, "a100-80g-sxm", 0.954, 1.109) \
    X("hf-transformers-2023-qwen", TRAIN_DENSE, -1, "", 0.737, 1.010) \
    X("hf-transformers-2023-qwen", TRAIN_DENSE, 0, "", 0.881, 1.062) \
    X("hf-transformers-2023-qwen", TRAIN_DENSE, 0, "a100-80g-sxm", 0.899, 1.068) \
    X("hf-transformers-2026-autocast", TRAIN_DENSE, -1, "", 0.990, 1.204) \
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
    X("kempnerforge-2026", TRAIN_DENSE, -1, "", 0.990, 1.186) \
    X("kempnerforge-2026", TRAIN_DENSE, 0, "", 0.984, 1.195) \
    X("kempnerforge-2026", TRAIN_DENSE, 0, "h200-sxm-4", 0.983, 1.197) \
    X("llama.cpp-2023", DECODE_DRAM, -1, "", 0.990, 1.509) \
    X("llama.cpp-2023", DECODE_DRAM, 2, "", 0.990, 1.509) \
    X("llama.cpp-2023", DECODE_DRAM, 2, "a100-80g-pcie", 0.990, 1.481) \
    X("llama.cpp-2023", DECODE_DRAM, 2, "a100-80g-sxm", 0.990, 1.609) \
    X("llama.cpp-2023", DECODE_DRAM, 2, "h100-pcie", 0.990, 1.427) \
    X("llama.cpp-2023", DECODE_DRAM, 2, "l40s", 0.990, 1.097) \
    X("llama.cpp-2023", DECODE_DRAM, 2, "rtx-4090", 0.937, 1.041) \
    X("llama.cpp-2023", DECODE_NETWORK, -1, "", 0.990, 1.679) \
    X("llama.cpp-2023", HOST, -1, "", 0.990, 1.816) \
    X("llama.cpp-2023", PREFILL, -1, "", 0.705, 1.989) \
    X("llama.cpp-2023", PREFILL, 0, "", 0.735, 2.059) \
    X("llama.cpp-2023", PREFILL, 2, "", 0.667, 1.897) \
    X("llama.cpp-2023", PREFILL_SHORT, -1, "", 0.972, 2.025) \
    X("llama.cpp-2023", PREFILL_SHORT, 0, "", 0.890, 2.040) \
    X("llama.cpp-2023", PREFILL_SHORT, 0, "rtx-4090", 0.844, 1.058) \
    X("llama.cpp-2023", PREFILL_SHORT, 2, "", 0.990, 2.019) \
    X("lmdeploy-turbomind-0.2", DECODE_DRAM, -1, "", 0.967, 1.060) \
    X("lmdeploy-turbomind-0.2", DECODE_DRAM, 2, "", 0.967, 1.060) \
    X("lmdeploy-turbomind-0.2", DECODE_DRAM, 2, "a100-80g-sxm", 0.954, 1.034) \
    X("maxtext-2024", TRAIN_DENSE, -1, "", 0.928, 1.104) \
    X("maxtext-2024", TRAIN_DENSE, 0, "", 0.928, 1.104) \
    X("maxtext-2024", TRAIN_DENSE, 0, "h100-sxm", 0.926, 1.105) \
    X("maxtext-2024", TRAIN_DENSE, 0, "tpu-v5e", 0.940, 1.051) \
    X("maxtext-2025", TRAIN_DENSE, -1, "", 0.927, 1.029) \
    X("maxtext-2025", TRAIN_DENSE, 0, "", 0.927, 1.029) \
    X("maxtext-2025", TRAIN_DENSE, 0, "h100-sxm", 0.907, 1.010) \
    X("maxtext-2025", TRAIN_DENSE, 0, "tpu-v6e", 0.989, 1.069) \
    X("megatron-core-2024", TRAIN_DENSE, -1, "", 0.984, 1.091) \
    X("megatron-core-2024", TRAIN_DENSE, 0, "", 0.984, 1.091) \
    X("megatron-core-2024", TRAIN_DENSE, 0, "h100-sxm", 0.984, 1.091) \
    X("megatron-core-2026-plain", TRAIN_DENSE, -1, "", 0.990, 1.096) \
    X("megatron-core-2026-plain", TRAIN_DENSE, 0, "", 0.990, 1.096) \
    X("megatron-core-2026-plain", TRAIN_DENSE, 0, "b200-sxm", 0.990, 1.096) \
    X("megatron-core-2026-plain", TRAIN_MOE, -1, "", 0.990, 1.213) \
    X("megatron-core-2026-plain", TRAIN_MOE, 0, "", 0.990, 1.213) \
    X("megatron-core-2026-plain", TRAIN_MOE, 0, "b200-sxm", 0.990, 1.213) \
    X("megatron-deepspeed-2022", TRAIN_DENSE, -1, "", 0.990, 1.241) \
    X("megatron-deepspeed-2022", TRAIN_DENSE, 0, "", 0.990, 1.241) \
    X("megatron-deepspeed-2022", TRAIN_DENSE, 0, "jean-zay-a100-80g", 0.990, 1.267) \
    X("megatron-deepspeed-2022-fp16", TRAIN_DENSE, -1, "", 0.982, 1.110) \
    X("megatron-deepspeed-2022-fp16", TRAIN_DENSE, 0, "", 0.981, 1.088) \
    X("megatron-deepspeed-2022-fp16", TRAIN_DENSE, 0, "a100-80g-sxm-800g", 0.971, 1.067) \
    X("megatron-deepspeed-2022-fp16", TRAIN_DENSE, 0, "jean-zay-v100-16g", 0.982, 1.065) \
    X("megatron-deepspeed-2022-fp16", TRAIN_DENSE, 0, "jean-zay-v100-32g", 0.990, 1.125) \
    X("megatron-deepspeed-2022-fp16", TRAIN_DENSE, 4, "", 0.976, 1.229) \
    X("megatron-deepspeed-2022-fp16", TRAIN_DENSE, 4, "a100-80g-sxm-800g", 0.975, 1.252) \
    X("megatron-lm-2020", TRAIN_DENSE, -1, "", 0.955, 1.033) \
    X("megatron-lm-2020", TRAIN_DENSE, 0, "", 0.955, 1.033) \
    X("megatron-lm-2021", TRAIN_DENSE, -1, "", 0.990, 1.051) \
    X("megatron-lm-2021", TRAIN_DENSE, 0, "", 0.990, 1.051) \
    X("megatron-lm-2021", TRAIN_DENSE, 0, "a100-80g-sxm", 0.990, 1.051) \
    X("megatron-lm-2022", TRAIN_DENSE, -1, "", 0.964, 1.012) \
    X("megatron-lm-2022", TRAIN_DENSE, 0, "", 0.964, 1.012) \
    X("megatron-lm-2022", TRAIN_DENSE, 0, "a100-80g-sxm", 0.964, 1.012) \
    X("mosaic-fsdp", TRAIN_DENSE, -1, "", 0.960, 1.084) \
    X("mosaic-fsdp", TRAIN_DENSE, 0, "", 0.960, 1.084) \
    X("mosaic-fsdp", TRAIN_DENSE, 0, "a100-80g-sxm", 0.896, 1.010) \
    X("mosaic-fsdp", TRAIN_DENSE, 0, "h100-sxm", 0.990, 1.130) \
    X("mosaic-fsdp-2023-pure", TRAIN_DENSE, -1, "", 0.902, 1.046) \
    X("mosaic-fsdp-2023-pure", TRAIN_DENSE, 0, "", 0.902, 1.046) \
    X("mosaic-fsdp-2023-pure", TRAIN_DENSE, 0, "a100-40g-sxm", 0.902, 1.046) \
    X("mosaic-fsdp-2024", TRAIN_DENSE, -1, "", 0.990, 1.207) \
    X("mosaic-fsdp-2024", TRAIN_DENSE, 0, "", 0.990, 1.207) \
    X("mosaic-fsdp-2024", TRAIN_DENSE, 0, "h100-sxm", 0.990, 1.207) \
    X("nanotron-2025", TRAIN_DENSE, -1, "", 0.968, 1.425) \
    X("nanotron-2025", TRAIN_DENSE, 0, "", 0.989, 1.089) \
    X("nanotron-2025", TRAIN_DENSE, 0, "aws-p5-h100", 0.989, 1.085) \
    X("nanotron-2025", TRAIN_DENSE, 2, "", 0.878, 3.418) \
    X("nanotron-2025", TRAIN_DENSE, 2, "aws-p5-h100", 0.871, 3.666) \
    X("nanotron-2025", TRAIN_DENSE, 3, "", 0.980, 1.901) \
    X("nanotron-2025", TRAIN_DENSE, 3, "aws-p5-h100", 0.980, 1.916) \
    X("nanotron-2025", TRAIN_DENSE, 4, "", 0.962, 2.095) \
    X("nanotron-2025", TRAIN_DENSE, 4, "aws-p5-h100", 0.962, 2.131) \
    X("nanotron-2025", TRAIN_DENSE, 5, "", 0.960, 1.617) \
    X("nanotron-2025", TRAIN_DENSE, 5, "aws-p5-h100", 0.960, 1.619) \
    X("nemo-2024", TRAIN_DENSE, -1, "", 0.972, 1.022) \
    X("nemo-2024", TRAIN_DENSE, 0, "", 0.972, 1.022) \
    X("nemo-2024", TRAIN_DENSE, 0, "h100-sxm", 0.972, 1.022) \
    X("nemo-2024", TRAIN_MOE, -1, "", 0.990, 1.155) \
    X("nemo-2024", TRAIN_MOE, 0, "", 0.990, 1.155) \
    X("nemo-2024", TRAIN_MOE, 0, "h100-sxm", 0.990, 1.155) \
    X("nemo-2025", TRAIN_DENSE, -1, "", 0.967, 1.066) \
    X("nemo-2025", TRAIN_DENSE, 0, "", 0.967, 1.066) \
    X("nemo-2025", TRAIN_DENSE, 0, "gb200-nvl72", 0.990, 1.143) \
    X("nemo-2025", TRAIN_DENSE, 0, "h100-sxm", 0.962, 1.026) \
    X("nemo-2025", TRAIN_MOE, -1, "", 0.990, 1.307) \
    X("nemo-2025", TRAIN_MOE, 0, "", 0.960, 1.264) \
    X("nemo-2025", TRAIN_MOE, 0, "gb200-nvl72", 0.945, 1.246) \
    X("nemo-2026", TRAIN_DENSE, -1, "", 0.943, 1.026) \
    X("nemo-2026", TRAIN_DENSE, 0, "", 0.943, 1.026) \
    X("nemo-2026", TRAIN_MOE, -1, "", 0.955, 1.431) \
    X("nemo-2026", TRAIN_MOE, 0, "", 0.969, 1.470) \
    X("nim-1.5", IN_FLIGHT, -1, "", 0.984, 1.710) \
    X("nim-1.5", IN_FLIGHT, 0, "", 0.990, 3.821) \
    X("nim-1.5", IN_FLIGHT, 0, "a100-80g-sxm", 0.990, 9.149) \
    X("nim-1.5", IN_FLIGHT, 0, "h100-sxm", 0.990, 3.171) \
    X("nim-1.5", IN_FLIGHT, 2, "", 0.969, 1.072) \
    X("nim-1.5", IN_FLIGHT, 2, "a100-80g-sxm", 0.954, 1.038) \
    X("nim-1.5", IN_FLIGHT, 2, "h100-sxm", 0.990, 1.062) \
    X("nim-1.8", IN_FLIGHT, -1, "", 0.870, 1.010) \
    X("nim-1.8", IN_FLIGHT, 0, "", 0.923, 1.525) \
    X("nim-1.8", IN_FLIGHT, 0, "h100-sxm", 0.931, 1.617) \
    X("nim-1.8", IN_FLIGHT, 2, "", 0.869, 1.010) \
    X("nim-1.8", IN_FLIGHT, 2, "h100-sxm", 0.869, 1.010) \
    X("paddlenlp-2023", TRAIN_DENSE, -1, "", 0.990, 1.340) \
    X("paddlenlp-2023", TRAIN_DENSE, 0, "", 0.990, 1.340) \
    X("paddlenlp-2023-plain", TRAIN_DENSE, -1, "", 0.990, 3.423) \
    X("paddlenlp-2023-plain", TRAIN_DENSE, 0, "", 0.990, 3.511) \
    X("paddlenlp-2023-plain", TRAIN_DENSE, 0, "a100-80g-sxm", 0.990, 3.519) \
    X("pai-megatron-patch-2025", TRAIN_MOE, -1, "", 0.866, 1.032) \
    X("paxml-2024", TRAIN_DENSE, -1, "", 0.990, 1.184) \
    X("paxml-2024", TRAIN_DENSE, 0, "", 0.990, 1.158) \
    X("paxml-2024", TRAIN_DENSE, 0, "h100-sxm", 0.990, 1.131) \
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
    X("qwen-2023", HOST, -1, "", 0.977, 1.263) \
    X("sglang", DECODE_DRAM, -1, "", 0.990, 2.013) \
    X("sglang", DECODE_DRAM, 2, "", 0.990, 2.033) \
    X("sglang", DECODE_DRAM, 2, "h20-sxm", 0.990, 2.035) \
    X("sglang", DECODE_NETWORK, -1, "", 0.990, 1.752) \
    X("sglang", DECODE_NETWORK, 0, "", 0.990, 1.749) \
    X("sglang", DECODE_NETWORK, 0, "h20-sxm", 0.990, 1.749) \
    X("sglang", HOST, -1, "", 0.990, 1.782) \
    X("sglang", PREFILL, -1, "", 0.990, 1.614) \
    X("sglang", PREFILL, 0, "", 0.990, 1.614) \
    X("sglang", PREFILL, 0, "h20-sxm", 0.990, 1.614) \
    X("sglang", INFER_MOE, -1, "", 0.990, 1.352) \
    X("sglang", INFER_MOE, 0, "", 0.990, 1.510) \
    X("sglang", INFER_MOE, 0, "h20-sxm", 0.990, 2.891) \
    X("sglang", INFER_MOE, 4, "", 0.990, 5.033) \
    X("sglang", INFER_MOE, 4, "h20-sxm", 0.990, 5.591) \
    X("sglang-0.3", SERVE, -1, "", 0.972, 1.308) \
    X("sglang-0.3", SERVE, 2, "", 0.957, 1.334) \
    X("sglang-0.5", SERVE, -1, "", 0.990, 1.615) \
    X("sglang-0.5", SERVE, 0, "", 0.990, 1.662) \
    X("sglang-0.5", SERVE, 0, "a100-80g-sxm", 0.925, 1.345) \
    X("sglang-0.5", SERVE, 0, "h100-sxm", 0.990, 1.802) \
    X("sglang-0.5", SERVE, 0, "h200-sxm", 0.990, 1.615) \
    X("sglang-0.5", SERVE, 2, "", 0.990, 1.241) \
    X("sglang-0.5", SERVE, 2, "a100-80g-sxm", 0.937, 1.179) \
    X("sglang-0.5", SERVE, 2, "h100-sxm", 0.990, 1.495) \
    X("sglang-0.5", SERVE, 2, "h200-sxm", 0.978, 1.219) \
    X("sglang-0.5", SERVE, 3, "", 0.964, 1.281) \
    X("sglang-0.5", SERVE, 3, "h200-sxm", 0.959, 1.223) \
    X("sglang-0.5", SERVE_MOE, -1, "", 0.921, 1.574) \
    X("sglang-0.5", SERVE_MOE, 0, "", 0.771, 3.663) \
    X("sglang-0.5", SERVE_MOE, 0, "b200-sxm", 0.652, 1.010) \
    X("sglang-0.5", SERVE_MOE, 2, "", 0.964, 1.538) \
    X("sglang-0.5", SERVE_MOE, 2, "b200-sxm", 0.973, 1.162) \
    X("sglang-0.5", SERVE_MOE, 2, "gb200-nvl72", 0.703, 1.038) \
    X("sglang-0.5", SERVE_MOE, 2, "gb300-nvl72", 0.741, 1.054) \
    X("sglang-0.5", SERVE_MOE, 2, "h200-sxm", 0.955, 1.401) \
    X("sglang-0.5", SERVE_MOE, 4, "", 0.928, 1.216) \
    X("sglang-0.5", SERVE_MOE, 4, "b200-sxm", 0.929, 1.210) \
    X("sglang-0.5", SERVE_FIRST, -1, "", 0.915, 1.924) \
    X("sglang-0.5", SERVE_FIRST, 0, "", 0.915, 1.924) \
    X("sglang-0.5", SERVE_FIRST, 0, "a100-80g-sxm", 0.467, 2.850) \
    X("sglang-0.5", SERVE_FIRST, 0, "b200-sxm", 0.942, 1.579) \
    X("sglang-0.5", SERVE_FIRST, 0, "gb200-nvl72", 0.943, 2.519) \
    X("sglang-0.5", SERVE_FIRST, 0, "gb300-nvl72", 0.816, 1.813) \
    X("sglang-0.5", SERVE_FIRST, 0, "h100-sxm", 0.990, 2.199) \
    X("sglang-0.5", SERVE_FIRST, 0, "h200-sxm", 0.990, 1.757) \
    X("sglang-rocm-0.5", SERVE_MOE, -1, "", 0.990, 2.625) \
    X("sglang-rocm-0.5", SERVE_MOE, 2, "", 0.990, 2.136) \
    X("sglang-rocm-0.5", SERVE_MOE, 2, "mi300x", 0.990, 2.093) \
    X("sglang-rocm-0.5", SERVE_MOE, 4, "", 0.990, 2.659) \
    X("sglang-rocm-0.5", SERVE_MOE, 4, "mi300x", 0.990, 2.665) \
    X("sglang-rocm-0.5", SERVE_FIRST, -1, "", 0.983, 2.886) \
    X("sglang-rocm-0.5", SERVE_FIRST, 0, "", 0.983, 2.886) \
    X("sglang-rocm-0.5", SERVE_FIRST, 0, "mi300x", 0.983, 2.886) \
    X("tensorrt-10.2-server", SERVE, -1, "", 0.945, 1.143) \
    X("tensorrt-10.2-server", SERVE, 0, "", 0.971, 1.153) \
    X("tensorrt-10.2-server", SERVE_MOE, -1, "", 0.990, 1.230) \
    X("tensorrt-10.2-server", SERVE_FIRST, -1, "", 0.990, 1.425) \
    X("tensorrt-10.2-server", SERVE_FIRST, 0, "", 0.990, 1.425) \
    X("tensorrt-10.2-server", SERVE_FIRST, 0, "gh200-144g", 0.990, 1.258) \
    X("tensorrt-10.2-server", SERVE_FIRST, 0, "h100-sxm", 0.990, 1.602) \
    X("tensorrt-10.2-server", SERVE_FIRST, 0, "h200-sxm", 0.990, 1.354) \
    X("tensorrt-9.3-server", SERVE, -1, "", 0.990, 1.219) \
    X("tensorrt-9.3-server", SERVE, 0, "", 0.990, 1.226) \
    X("tensorrt-9.3-server", SERVE, 0, "h100-sxm", 0.990, 1.229) \
    X("tensorrt-9.3-server", SERVE_FIRST, -1, "", 0.990, 1.410) \
    X("tensorrt-9.3-server", SERVE_FIRST, 0, "", 0.990, 1.410) \
    X("tensorrt-9.3-server", SERVE_FIRST, 0, "h100-sxm", 0.990, 1.516) \
    X("tensorrt-9.3-server", SERVE_FIRST, 0, "h200-sxm", 0.990, 1.290) \
    X("tensorrt-llm-0.9", DECODE_DRAM, -1, "", 0.913, 1.028) \
    X("tensorrt-llm-0.9", DECODE_DRAM, 2, "", 0.911, 1.019) \
    X("tensorrt-llm-0.9", DECODE_DRAM, 2, "h100-sxm", 0.869, 1.010) \
    X("tensorrt-llm-0.9", DECODE_DRAM, 2, "l40s", 0.947, 1.086) \
    X("tensorrt-llm-0.9", DECODE_NETWORK, -1, "", 0.866, 1.128) \
    X("tensorrt-llm-0.9", DECODE_NETWORK, 0, "", 0.857, 1.059) \
    X("tensorrt-llm-0.9", PREFILL, -1, "", 0.931, 1.085) \
    X("tensorrt-llm-0.9", PREFILL, 0, "", 0.919, 1.040) \
    X("tensorrt-llm-0.9", PREFILL_SHORT, -1, "", 0.971, 1.170) \
    X("tensorrt-llm-0.9", PREFILL_SHORT, 2, "", 0.968, 1.176) \
    X("tensorrt-llm-0.9", INFER_MOE, -1, "", 0.835, 1.527) \
    X("tensorrt-llm-0.9", INFER_MOE, 2, "", 0.711, 1.564) \
    X("tensorrt-llm-1.0", SERVE, -1, "", 0.990, 1.226) \
    X("tensorrt-llm-1.0", SERVE, 0, "", 0.990, 1.186) \
    X("tensorrt-llm-1.0", SERVE, 0, "h100-sxm", 0.990, 1.185) \
    X("tensorrt-llm-1.0", SERVE, 2, "", 0.990, 1.217) \
    X("tensorrt-llm-1.0", SERVE, 2, "h100-sxm", 0.990, 1.217) \
    X("tensorrt-llm-1.0", SERVE_FIRST, -1, "", 0.990, 8.320) \
    X("tensorrt-llm-1.0", SERVE_FIRST, 0, "", 0.990, 8.320) \
    X("tensorrt-llm-1.0", SERVE_FIRST, 0, "h100-sxm", 0.990, 8.320) \
    X("tensorrt-llm-1.2", IN_FLIGHT, -1, "", 0.916, 1.011) \
    X("tensorrt-llm-1.2", IN_FLIGHT, 2, "", 0.916, 1.011) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, -1, "", 0.967, 1.259) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 2, "", 0.982, 1.380) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 2, "b200-sxm", 0.990, 1.152) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 2, "h200-sxm", 0.960, 1.484) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 4, "", 0.959, 1.224) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 4, "b200-sxm", 0.990, 1.233) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 4, "gb200-nvl72", 0.957, 1.207) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 4, "h200-sxm", 0.952, 1.220) \
    X("tensorrt-llm-1.2", SERVE, -1, "", 0.953, 1.406) \
    X("tensorrt-llm-1.2", SERVE, 0, "", 0.944, 1.123) \
    X("tensorrt-llm-1.2", SERVE, 0, "b200-sxm", 0.959, 1.010) \
    X("tensorrt-llm-1.2", SERVE, 0, "h200-sxm", 0.957, 1.060) \
    X("tensorrt-llm-1.2", SERVE, 2, "", 0.967, 1.508) \
    X("tensorrt-llm-1.2", SERVE, 2, "b200-sxm", 0.953, 1.026) \
    X("tensorrt-llm-1.2", SERVE, 2, "h200-sxm", 0.953, 1.024) \
    X("tensorrt-llm-1.2", SERVE, 3, "", 0.990, 1.114) \
    X("tensorrt-llm-1.2", SERVE, 3, "b200-sxm", 0.990, 1.078) \
    X("tensorrt-llm-1.2", SERVE, 4, "", 0.985, 1.086) \
    X("tensorrt-llm-1.2", SERVE, 4, "b200-sxm", 0.989, 1.051) \
    X("tensorrt-llm-1.2", SERVE_MOE, -1, "", 0.963, 3.374) \
    X("tensorrt-llm-1.2", SERVE_MOE, 0, "", 0.990, 3.374) \
    X("tensorrt-llm-1.2", SERVE_MOE, 0, "h200-sxm", 0.990, 1.402) \
    X("tensorrt-llm-1.2", SERVE_MOE, 2, "", 0.917, 1.211) \
    X("tensorrt-llm-1.2", SERVE_MOE, 2, "b200-sxm", 0.907, 1.042) \
    X("tensorrt-llm-1.2", SERVE_MOE, 2, "gb200-nvl72", 0.866, 1.020) \
    X("tensorrt-llm-1.2", SERVE_MOE, 2, "gb300-nvl72", 0.923, 1.132) \
    X("tensorrt-llm-1.2", SERVE_MOE, 2, "h200-sxm", 0.990, 1.275) \
    X("tensorrt-llm-1.2", SERVE_MOE, 4, "", 0.953, 1.261) \
    X("tensorrt-llm-1.2", SERVE_MOE, 4, "b200-sxm", 0.953, 1.061) \
    X("tensorrt-llm-1.2", SERVE_MOE, 4, "gb200-nvl72", 0.914, 1.049) \
    X("tensorrt-llm-1.2", SERVE_MOE, 4, "h200-sxm", 0.990, 1.512) \
    X("tensorrt-llm-1.2", SERVE_FIRST, -1, "", 0.966, 1.774) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "", 0.966, 1.774) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "b200-sxm", 0.863, 1.126) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "gb200-nvl72", 0.990, 2.104) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "gb300-nvl72", 0.936, 1.742) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "h200-sxm", 0.943, 1.515) \
    X("tensorrt-llm-nemo", DECODE_DRAM, -1, "", 0.977, 1.016) \
    X("tensorrt-llm-nemo", DECODE_DRAM, 2, "", 0.977, 1.016) \
    X("tensorrt-llm-nemo", DECODE_DRAM, 2, "a100-80g-sxm", 0.954, 1.011) \
    X("tensorrt-llm-nemo", DECODE_DRAM, 2, "h100-sxm", 0.990, 1.020) \
    X("tensorrt-llm-nemo", DECODE_NETWORK, -1, "", 0.990, 1.047) \
    X("tensorrt-llm-nemo", DECODE_NETWORK, 2, "", 0.990, 1.061) \
    X("tensorrt-llm-nemo", DECODE_NETWORK, 4, "", 0.990, 1.015) \
    X("tensorrt-llm-nemo", DECODE_NETWORK, 4, "h100-sxm", 0.986, 1.010) \
    X("tgi-2", SERVE, -1, "", 0.874, 1.856) \
    X("tgi-2", SERVE, 2, "", 0.874, 1.701) \
    X("tgi-2", SERVE, 2, "mi300x", 0.874, 1.675) \
    X("torchtitan-2024-async-tp", TRAIN_DENSE, -1, "", 0.990, 1.345) \
    X("torchtitan-2024-compiled", TRAIN_DENSE, -1, "", 0.990, 1.471) \
    X("torchtitan-2024-compiled", TRAIN_DENSE, 0, "", 0.990, 1.471) \
    X("torchtitan-2024-compiled", TRAIN_DENSE, 0, "h100-sxm-500w", 0.990, 1.301) \
    X("torchtitan-2024-eager", TRAIN_DENSE, -1, "", 0.990, 1.072) \
    X("torchtitan-2024-eager", TRAIN_DENSE, 0, "", 0.990, 1.072) \
    X("torchtitan-2024-eager", TRAIN_DENSE, 0, "a100-80g-sxm", 0.990, 1.073) \
    X("torchtitan-2025-compiled", TRAIN_DENSE, -1, "", 0.990, 1.535) \
    X("torchtitan-2025-compiled", TRAIN_DENSE, 0, "", 0.990, 1.535) \
    X("torchtune-2024-compiled", TRAIN_DENSE, -1, "", 0.834, 1.010) \
    X("torchtune-2024-compiled", TRAIN_DENSE, 0, "", 0.834, 1.010) \
    X("transformers-4.46", HOST, -1, "", 0.843, 1.674) \
    X("transformers-4.46", HOST, 4, "", 0.990, 2.151) \
    X("transformers-4.46", HOST, 4, "a100-80g-sxm", 0.990, 1.952) \
    X("transformers-4.46", HOST, 5, "", 0.775, 1.192) \
    X("transformers-4.46", HOST, 5, "a100-80g-sxm", 0.880, 1.168) \
    X("transformers-4.46", HOST, 5, "h20-sxm", 0.649, 1.311) \
    X("transformers-neuronx-0.13", SERVE, -1, "", 0.990, 1.207) \
    X("transformers-neuronx-0.13", SERVE, 2, "", 0.990, 1.207) \
    X("transformers-neuronx-0.13", SERVE, 2, "trn1.32xlarge", 0.990, 1.207) \
    X("transformers-neuronx-0.13", SERVE, 3, "", 0.972, 1.291) \
    X("transformers-neuronx-0.13", SERVE, 3, "trn1.32xlarge", 0.969, 1.306) \
    X("transformers-neuronx-0.13", SERVE_FIRST, -1, "", 0.990, 2.841) \
    X("transformers-neuronx-0.13", SERVE_FIRST, 0, "", 0.990, 2.841) \
    X("transformers-neuronx-0.13", SERVE_FIRST, 0, "trn1.32xlarge", 0.990, 2.841) \
    X("vllm-0.10", SERVE, -1, "", 0.990, 1.115) \
    X("vllm-0.10", SERVE, 0, "", 0.990, 1.106) \
    X("vllm-0.10", SERVE, 0, "b200-sxm", 0.990, 1.106) \
    X("vllm-0.10", SERVE, 2, "", 0.990, 1.110) \
    X("vllm-0.10", SERVE, 2, "b200-sxm", 0.990, 1.113) \
    X("vllm-0.10", SERVE, 2, "h100-sxm", 0.974, 1.066) \
    X("vllm-0.10", SERVE, 2, "h200-sxm", 0.990, 1.119) \
    X("vllm-0.10", SERVE, 4, "", 0.990, 1.126) \
    X("vllm-0.10", SERVE, 4, "b200-sxm", 0.990, 1.127) \
    X("vllm-0.10", SERVE_MOE, -1, "", 0.990, 1.418) \
    X("vllm-0.10", SERVE_MOE, 0, "", 0.841, 1.315) \
    X("vllm-0.10", SERVE_MOE, 0, "h100-sxm", 0.473, 1.447) \
    X("vllm-0.10", SERVE_MOE, 2, "", 0.990, 1.331) \
    X("vllm-0.10", SERVE_MOE, 2, "b200-sxm", 0.990, 1.965) \
    X("vllm-0.10", SERVE_MOE, 2, "h100-pcie", 0.990, 1.366) \
    X("vllm-0.10", SERVE_MOE, 2, "h200-sxm", 0.990, 1.213) \
    X("vllm-0.10", SERVE_MOE, 4, "", 0.990, 1.592) \
    X("vllm-0.10", SERVE_MOE, 4, "b200-sxm", 0.990, 1.680) \
    X("vllm-0.10", SERVE_FIRST, -1, "", 0.945, 1.642) \
    X("vllm-0.10", SERVE_FIRST, 0, "", 0.945, 1.642) \
    X("vllm-0.10", SERVE_FIRST, 0, "b200-sxm", 0.990, 1.811) \
    X("vllm-0.10", SERVE_FIRST, 0, "h100-sxm", 0.953, 1.821) \
    X("vllm-0.10", SERVE_FIRST, 0, "h200-sxm", 0.613, 1.112) \
    X("vllm-0.11", SERVE, -1, "", 0.990, 1.526) \
    X("vllm-0.11", SERVE, 0, "", 0.965, 1.366) \
    X("vllm-0.11", SERVE, 0, "a100-80g-sxm", 0.990, 1.372) \
    X("vllm-0.11", SERVE, 0, "b200-sxm", 0.685, 1.093) \
    X("vllm-0.11", SERVE, 0, "h100-sxm", 0.990, 1.615) \
    X("vllm-0.11", SERVE, 2, "", 0.990, 1.558) \
    X("vllm-0.11", SERVE, 2, "b200-sxm", 0.990, 2.311) \
    X("vllm-0.11", SERVE, 2, "h100-sxm", 0.990, 1.561) \
    X("vllm-0.11", SERVE, 2, "h200-sxm", 0.828, 1.010) \
    X("vllm-0.11", SERVE, 5, "", 0.873, 1.216) \
    X("vllm-0.11", SERVE, 5, "b200-sxm", 0.898, 1.707) \
    X("vllm-0.11", SERVE, 5, "h100-sxm", 0.967, 1.149) \
    X("vllm-0.11", SERVE, 5, "h200-sxm", 0.849, 1.089) \
    X("vllm-0.11", SERVE_MOE, -1, "", 0.909, 1.347) \
    X("vllm-0.11", SERVE_MOE, 0, "", 0.871, 1.494) \
    X("vllm-0.11", SERVE_MOE, 0, "a100-80g-sxm", 0.850, 1.488) \
    X("vllm-0.11", SERVE_MOE, 0, "h100-sxm", 0.990, 1.795) \
    X("vllm-0.11", SERVE_MOE, 0, "h200-sxm", 0.990, 1.321) \
    X("vllm-0.11", SERVE_MOE, 2, "", 0.894, 1.401) \
    X("vllm-0.11", SERVE_MOE, 2, "b200-sxm", 0.948, 1.831) \
    X("vllm-0.11", SERVE_MOE, 2, "h100-sxm", 0.888, 1.425) \
    X("vllm-0.11", SERVE_MOE, 4, "", 0.990, 1.555) \
    X("vllm-0.11", SERVE_MOE, 5, "", 0.898, 1.892) \
    X("vllm-0.11", SERVE_MOE, 5, "b200-sxm", 0.953, 2.267) \
    X("vllm-0.11", SERVE_MOE, 5, "h100-sxm", 0.882, 1.039) \
    X("vllm-0.11", SERVE_FIRST, -1, "", 0.889, 1.495) \
    X("vllm-0.11", SERVE_FIRST, 0, "", 0.889, 1.495) \
    X("vllm-0.11", SERVE_FIRST, 0, "a100-80g-sxm", 0.978, 1.732) \
    X("vllm-0.11", SERVE_FIRST, 0, "h100-sxm", 0.889, 1.574) \
    X("vllm-0.11", SERVE_FIRST, 0, "h200-sxm", 0.990, 2.002) \
    X("vllm-0.14", SERVE_MOE, -1, "", 0.971, 1.202) \
    X("vllm-0.14", SERVE_MOE, 2, "", 0.956, 1.127) \
    X("vllm-0.14", SERVE_MOE, 2, "b200-sxm", 0.952, 1.068) \
    X("vllm-0.14", SERVE_MOE, 2, "h200-sxm", 0.990, 1.273) \
    X("vllm-0.14", SERVE_MOE, 4, "", 0.990, 1.453) \
    X("vllm-0.14", SERVE_MOE, 4, "b200-sxm", 0.990, 1.204) \
    X("vllm-0.14", SERVE_FIRST, -1, "", 0.946, 1.412) \
    X("vllm-0.14", SERVE_FIRST, 0, "", 0.946, 1.412) \
    X("vllm-0.14", SERVE_FIRST, 0, "b200-sxm", 0.925, 1.255) \
    X("vllm-0.17", SERVE, -1, "", 0.989, 1.010) \
    X("vllm-0.17", SERVE, 2, "", 0.989, 1.010) \
    X("vllm-0.17", SERVE, 2, "rtx-pro-6000-blackwell", 0.989, 1.010) \
    X("vllm-0.17", SERVE_MOE, -1, "", 0.965, 1.122) \
    X("vllm-0.17", SERVE_MOE, 0, "", 0.826, 1.047) \
    X("vllm-0.17", SERVE_MOE, 0, "b200-sxm", 0.759, 1.010) \
    X("vllm-0.17", SERVE_MOE, 0, "h200-sxm", 0.974, 1.046) \
    X("vllm-0.17", SERVE_MOE, 2, "", 0.944, 1.107) \
    X("vllm-0.17", SERVE_MOE, 2, "b200-sxm", 0.897, 1.119) \
    X("vllm-0.17", SERVE_MOE, 2, "h100-sxm", 0.947, 1.078) \
    X("vllm-0.17", SERVE_MOE, 2, "h200-sxm", 0.990, 1.070) \
    X("vllm-0.17", SERVE_MOE, 4, "", 0.990, 1.149) \
    X("vllm-0.17", SERVE_MOE, 4, "b200-sxm", 0.954, 1.047) \
    X("vllm-0.17", SERVE_MOE, 4, "h100-sxm", 0.990, 1.174) \
    X("vllm-0.17", SERVE_MOE, 4, "h200-sxm", 0.990, 1.178) \
    X("vllm-0.17", SERVE_FIRST, -1, "", 0.974, 1.221) \
    X("vllm-0.17", SERVE_FIRST, 0, "", 0.974, 1.221) \
    X("vllm-0.17", SERVE_FIRST, 0, "b200-sxm", 0.990, 1.385) \
    X("vllm-0.17", SERVE_FIRST, 0, "gb200-nvl72", 0.990, 2.400) \
    X("vllm-0.17", SERVE_FIRST, 0, "h100-sxm", 0.990, 1.186) \
    X("vllm-0.17", SERVE_FIRST, 0, "h200-sxm", 0.990, 1.365) \
    X("vllm-0.17", SERVE_FIRST, 0, "rtx-pro-6000-blackwell", 0.830, 1.010) \
    X("vllm-0.5", DECODE_DRAM, -1, "", 0.990, 1.060) \
    X("vllm-0.5", DECODE_DRAM, 2, "", 0.990, 1.060) \
    X("vllm-0.5", DECODE_DRAM, 2, "gh200-96g", 0.990, 1.060) \
    X("vllm-0.5", HOST, -1, "", 0.966, 1.014) \
    X("vllm-0.5", HOST, 2, "", 0.966, 1.014) \
    X("vllm-0.5", HOST, 2, "gh200-96g", 0.967, 1.014) \
    X("vllm-0.5", SERVE, -1, "", 0.990, 1.409) \
    X("vllm-0.5", SERVE, 2, "", 0.990, 1.406) \
    X("vllm-0.5", SERVE, 2, "h100-sxm", 0.983, 1.412) \
    X("vllm-0.5", SERVE, 5, "", 0.990, 1.405) \
    X("vllm-0.5", SERVE, 5, "h100-sxm", 0.990, 1.404) \
    X("vllm-0.5", SERVE_MOE, -1, "", 0.990, 3.749) \
    X("vllm-0.5", SERVE_FIRST, -1, "", 0.655, 1.665) \
    X("vllm-0.5", SERVE_FIRST, 0, "", 0.655, 1.665) \
    X("vllm-0.5", SERVE_FIRST, 0, "h100-sxm", 0.686, 1.111) \
    X("vllm-0.6", DECODE_DRAM, -1, "", 0.942, 1.039) \
    X("vllm-0.6", DECODE_DRAM, 2, "", 0.942, 1.041) \
    X("vllm-0.6", DECODE_DRAM, 2, "a100-80g-sxm", 0.970, 1.081) \
    X("vllm-0.6", DECODE_DRAM, 2, "polaris-a100-40g-sxm", 0.941, 1.017) \
    X("vllm-0.6", DECODE_NETWORK, -1, "", 0.990, 1.102) \
    X("vllm-0.6", DECODE_NETWORK, 0, "", 0.990, 1.102) \
    X("vllm-0.6", DECODE_NETWORK, 0, "a100-80g-sxm", 0.990, 1.102) \
    X("vllm-0.6", HOST, -1, "", 0.957, 1.074) \
    X("vllm-0.6", HOST, 0, "", 0.990, 1.089) \
    X("vllm-0.6", HOST, 0, "a100-80g-sxm", 0.990, 1.091) \
    X("vllm-0.6", HOST, 2, "", 0.960, 1.053) \
    X("vllm-0.6", HOST, 2, "a100-80g-sxm", 0.990, 1.060) \
    X("vllm-0.6", HOST, 2, "polaris-a100-40g-sxm", 0.940, 1.030) \
    X("vllm-0.6", HOST, 5, "", 0.930, 1.101) \
    X("vllm-0.6", HOST, 5, "a100-80g-sxm", 0.927, 1.104) \
    X("vllm-0.6", PREFILL, -1, "", 0.990, 1.492) \
    X("vllm-0.6", PREFILL, 0, "", 0.990, 1.492) \
    X("vllm-0.6", PREFILL, 0, "a100-80g-sxm", 0.990, 1.492) \
    X("vllm-0.6", INFER_MOE, -1, "", 0.934, 1.064) \
    X("vllm-0.6", INFER_MOE, 2, "", 0.934, 1.064) \
    X("vllm-0.6", INFER_MOE, 2, "polaris-a100-40g-sxm", 0.934, 1.064) \
    X("vllm-0.6", SERVE, -1, "", 0.815, 1.112) \
    X("vllm-0.6", SERVE, 2, "", 0.849, 1.113) \
    X("vllm-0.6", SERVE, 2, "h100-sxm", 0.990, 1.156) \
    X("vllm-rocm-0.11", DECODE_DRAM, -1, "", 0.990, 1.123) \
    X("vllm-rocm-0.11", DECODE_DRAM, 2, "", 0.990, 1.123) \
    X("vllm-rocm-0.11", DECODE_DRAM, 2, "mi300x", 0.990, 1.123) \
    X("vllm-rocm-0.11", HOST, -1, "", 0.990, 1.096) \
    X("vllm-rocm-0.11", HOST, 2, "", 0.990, 1.096) \
    X("vllm-rocm-0.11", HOST, 2, "mi300x", 0.990, 1.096) \
    X("vllm-rocm-0.11", SERVE_MOE, -1, "", 0.990, 2.802) \
    X("vllm-rocm-0.6", DECODE_NETWORK, -1, "", 0.809, 1.035) \
    X("vllm-rocm-0.6", SERVE, -1, "", 0.990, 3.793) \
    X("vllm-rocm-0.6", SERVE, 0, "", 0.990, 4.117) \
    X("vllm-rocm-0.6", SERVE, 0, "mi300x", 0.990, 4.181) \
    X("vllm-rocm-0.6", SERVE, 2, "", 0.990, 1.999) \
    X("vllm-rocm-0.6", SERVE, 2, "mi300x", 0.990, 1.911) \
    X("xtuner-2024", TRAIN_DENSE, -1, "", 0.865, 1.272) \
    X("xtuner-2024", TRAIN_DENSE, 0, "", 0.865, 1.272) \
    X("xtuner-2024", TRAIN_DENSE, 0, "a100-80g-sxm", 0.865, 1.272)
