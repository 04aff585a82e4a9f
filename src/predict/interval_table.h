/* Written by tools/check_drift.sh --record from `orrery validate --intervals`: do not edit.
 * 80 % of the measured times of a class are expected between low and high times the predicted
 * one; validate/intervals.c has the rules. "left out": inside the interval made without their
 * own source. Columns: regime, low and high on calibrated chips, the same on datasheet chips. */
#define ORR_INTERVALS(X) \
    /* Calibrated: rows 1280, sources 33, inside 81 %, left out 80 %. \
       Datasheet: rows 93, sources 8, inside 88 %, left out 87 %. */ \
    X(TRAIN_DENSE, 0.88, 1.25, 0.87, 1.25) \
    /* Calibrated: rows 38, sources 5, inside 95 %, left out 92 %. \
       Datasheet: rows 22, sources 5, inside 82 %, left out 82 %. */ \
    X(TRAIN_MOE, 0.81, 1.51, 0.59, 1.51) \
    /* Calibrated: rows 420, sources 13, inside 89 %, left out 88 %. \
       Datasheet: rows 100, sources 4, inside 83 %, left out 79 %. */ \
    X(DECODE_DRAM, 0.93, 1.56, 0.92, 1.91) \
    /* Calibrated: rows 134, sources 9, inside 90 %, left out 90 %. \
       Datasheet: rows 29, sources 3, inside 76 %, left out 66 %. */ \
    X(DECODE_NETWORK, 0.86, 1.70, 0.86, 1.73) \
    /* Calibrated: rows 140, sources 4, inside 84 %, left out 89 %. \
       Datasheet: rows 80, sources 3, inside 75 %, left out 71 %. */ \
    X(HOST, 0.85, 1.60, 0.67, 1.71) \
    /* Calibrated: rows 145, sources 8, inside 91 %, left out 90 %. \
       Datasheet: rows 51, sources 3, inside 69 %, left out 61 %. */ \
    X(PREFILL, 0.86, 1.54, 0.68, 1.73) \
    /* Calibrated: rows 50, sources 6, inside 90 %, left out 86 %. \
       Datasheet: rows 30, sources 2, inside 80 %, left out 40 %. */ \
    X(PREFILL_SHORT, 0.93, 2.37, 0.80, 2.37) \
    /* Calibrated: rows 61, sources 6, inside 89 %, left out 80 %. \
       Datasheet: rows 45, sources 2, inside 73 %, left out 60 %. */ \
    X(INFER_MOE, 0.69, 1.43, 0.64, 3.76) \
    /* Calibrated: rows 127, sources 3, inside 77 %, left out 74 %. \
       Datasheet: rows 6, sources 2, inside 100 %, left out 100 %. */ \
    X(IN_FLIGHT, 0.82, 1.21, 0.82, 1.21) \
    /* Calibrated: rows 61, sources 2, inside 98 %, left out 93 %. \
       Datasheet: rows 23, sources 1, inside 100 %, left out 100 %. */ \
    X(IN_FLIGHT_MOE, 0.66, 1.70, 0.66, 1.70) \
    /* Calibrated: rows 1720, sources 7, inside 85 %, left out 82 %. \
       Datasheet: rows 362, sources 4, inside 99 %, left out 99 %. */ \
    X(SERVE, 0.92, 1.66, 0.91, 1.77) \
    /* Calibrated: rows 1426, sources 6, inside 86 %, left out 84 %. \
       Datasheet: rows 121, sources 3, inside 87 %, left out 86 %. */ \
    X(SERVE_MOE, 0.78, 1.78, 0.74, 1.78) \
    /* Calibrated: rows 1136, sources 6, inside 89 %, left out 89 %. \
       Datasheet: rows 468, sources 6, inside 90 %, left out 88 %. */ \
    X(SERVE_FIRST, 0.63, 2.16, 0.63, 2.74)

/* Engines with at least 8 measured times in a regime, with their families; regimes as bits;
 * architectures of the chips. */
#define ORR_MEASURED(X) \
    X("deepspeed-mii-0.2", "deepspeed-mii", 0x004, " ampere ") \
    X("fastertransformer", "fastertransformer", 0x02c, " ampere ") \
    X("fastertransformer-4.0", "fastertransformer", 0x004, " ampere ") \
    X("fastertransformer-5.0-beta", "fastertransformer", 0x024, " ampere ") \
    X("hf-transformers-2026-autocast", "hf-transformers", 0x001, " hopper ") \
    X("hf-transformers-2026-compiled", "hf-transformers", 0x001, " hopper ") \
    X("hf-transformers-2026-eager", "hf-transformers", 0x001, " hopper ") \
    X("internevo-2023", "internevo", 0x001, " ampere ") \
    X("llama.cpp-2024", "llama.cpp", 0x06c, " ada ampere hopper ") \
    X("lmdeploy-turbomind-0.2", "lmdeploy", 0x004, " ampere ") \
    X("maxtext-2024", "maxtext", 0x001, " hopper ") \
    X("maxtext-2025", "maxtext", 0x001, " hopper tpu ") \
    X("megatron-core-2024", "megatron-core", 0x001, " hopper ") \
    X("megatron-core-2026", "megatron-core", 0x003, " blackwell hopper ") \
    X("megatron-core-2026-plain", "megatron-core", 0x003, " blackwell ") \
    X("megatron-deepspeed-2022-fp16", "megatron-deepspeed", 0x001, " ampere ") \
    X("megatron-lm-2020", "megatron-lm", 0x001, " ampere volta ") \
    X("megatron-lm-2021", "megatron-lm", 0x001, " ampere ") \
    X("megatron-lm-2022", "megatron-lm", 0x001, " ampere ") \
    X("mosaic-fsdp", "llm-foundry", 0x001, " ampere hopper ") \
    X("mosaic-fsdp-2023-pure", "llm-foundry", 0x001, " ampere ") \
    X("mosaic-fsdp-2024", "llm-foundry", 0x001, " hopper ") \
    X("nanotron-2025", "nanotron", 0x001, " hopper ") \
    X("nemo-2024", "nemo", 0x003, " hopper ") \
    X("nemo-2025", "nemo", 0x003, " hopper blackwell ") \
    X("nim-1.5", "nim", 0x100, " ampere hopper ") \
    X("nim-1.8", "nim", 0x100, " hopper ") \
    X("paddlenlp-2023", "paddlenlp", 0x001, " ampere ") \
    X("paxml-2024", "paxml", 0x001, " ampere hopper ") \
    X("pytorch-compiled-pointwise-cudagraph", "", 0x064, " ampere hopper ") \
    X("pytorch-eager", "pytorch", 0x001, " hopper ") \
    X("pytorch-eager-cudagraph", "", 0x0e4, " hopper ") \
    X("pytorch-eager-stream", "", 0x020, " hopper ") \
    X("sglang", "sglang", 0x0bc, " hopper ") \
    X("sglang-0.5", "sglang", 0x1c00, " hopper ampere blackwell ") \
    X("sglang-rocm-0.5", "sglang-rocm", 0x1800, " cdna3 ") \
    X("tensorrt-10.2-server", "tensorrt-server", 0x1c00, " hopper ada ") \
    X("tensorrt-9.3-server", "tensorrt-server", 0x1400, " hopper ") \
    X("tensorrt-llm-0.9", "tensorrt-llm", 0x0ec, " ampere hopper ada ") \
    X("tensorrt-llm-1.0", "tensorrt-llm", 0x1400, " hopper ") \
    X("tensorrt-llm-1.2", "tensorrt-llm", 0x1f00, " hopper ampere blackwell ") \
    X("tensorrt-llm-nemo", "nemo-export", 0x00c, " ampere hopper ") \
    X("torchtitan-2024-async-tp", "torchtitan", 0x001, " hopper ") \
    X("torchtitan-2024-compiled", "torchtitan", 0x001, " hopper ") \
    X("torchtitan-2024-eager", "torchtitan", 0x001, " ampere hopper ") \
    X("torchtitan-2025-compiled", "torchtitan", 0x001, " hopper ") \
    X("torchtune-2024-compiled", "", 0x001, " ampere ada ") \
    X("transformers-4", "transformers", 0x004, " ampere ") \
    X("transformers-4.46", "transformers", 0x010, " ampere hopper ") \
    X("transformers-neuronx-0.13", "transformers-neuronx", 0x1400, " trainium ") \
    X("vllm-0.10", "vllm", 0x1c00, " blackwell hopper ") \
    X("vllm-0.11", "vllm", 0x1c00, " hopper ampere blackwell ") \
    X("vllm-0.14", "vllm", 0x1800, " hopper blackwell ") \
    X("vllm-0.17", "vllm", 0x1c00, " blackwell hopper blackwell-rtx ") \
    X("vllm-0.5", "vllm", 0x014, " hopper ") \
    X("vllm-0.6", "vllm", 0x0bc, " ampere ")

/* What runs of these engines differ by (validate/cells.c): engine, regime, resource that dominates the
 * time (-1: any), system ("": any), low and high. */
#define ORR_MEASURED_CELLS(X) \
    X("deepspeed-mii-0.2", DECODE_DRAM, -1, "", 0.990, 3.808) \
    X("deepspeed-mii-0.2", DECODE_DRAM, 2, "", 0.990, 3.808) \
    X("deepspeed-mii-0.2", DECODE_DRAM, 2, "a100-80g-sxm", 0.990, 3.808) \
    X("fastertransformer", DECODE_DRAM, -1, "", 0.968, 1.028) \
    X("fastertransformer", DECODE_DRAM, 2, "", 0.973, 1.029) \
    X("fastertransformer", DECODE_DRAM, 2, "a100-80g-sxm", 0.973, 1.029) \
    X("fastertransformer", DECODE_NETWORK, -1, "", 0.972, 1.060) \
    X("fastertransformer", DECODE_NETWORK, 3, "", 0.976, 1.061) \
    X("fastertransformer", DECODE_NETWORK, 3, "a100-80g-sxm", 0.976, 1.061) \
    X("fastertransformer", PREFILL, -1, "", 0.990, 1.081) \
    X("fastertransformer", PREFILL, 0, "", 0.990, 1.056) \
    X("fastertransformer", PREFILL, 0, "a100-80g-sxm", 0.990, 1.054) \
    X("fastertransformer", PREFILL, 3, "", 0.990, 1.125) \
    X("fastertransformer", PREFILL, 3, "a100-80g-sxm", 0.990, 1.133) \
    X("fastertransformer-4.0", DECODE_DRAM, -1, "", 0.990, 1.350) \
    X("fastertransformer-4.0", DECODE_DRAM, 2, "", 0.990, 1.350) \
    X("fastertransformer-4.0", DECODE_DRAM, 2, "a100-80g-sxm", 0.990, 1.350) \
    X("fastertransformer-5.0-beta", DECODE_DRAM, -1, "", 0.990, 1.399) \
    X("fastertransformer-5.0-beta", DECODE_DRAM, 2, "", 0.990, 1.399) \
    X("fastertransformer-5.0-beta", DECODE_DRAM, 2, "a100-80g-sxm", 0.990, 1.399) \
    X("fastertransformer-5.0-beta", PREFILL, -1, "", 0.990, 1.610) \
    X("hf-transformers-2026-autocast", TRAIN_DENSE, -1, "", 0.990, 1.201) \
    X("hf-transformers-2026-compiled", TRAIN_DENSE, -1, "", 0.990, 1.103) \
    X("hf-transformers-2026-compiled", TRAIN_DENSE, 0, "", 0.990, 1.103) \
    X("hf-transformers-2026-compiled", TRAIN_DENSE, 0, "h200-sxm", 0.990, 1.103) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, -1, "", 0.990, 1.312) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, 0, "", 0.990, 1.080) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, 0, "h200-sxm", 0.990, 1.072) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, 2, "", 0.990, 1.486) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, 2, "h200-sxm", 0.990, 1.508) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, 5, "", 0.990, 1.419) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, 5, "h200-sxm", 0.990, 1.433) \
    X("internevo-2023", TRAIN_DENSE, -1, "", 0.990, 1.092) \
    X("internevo-2023", TRAIN_DENSE, 0, "", 0.990, 1.092) \
    X("internevo-2023", TRAIN_DENSE, 0, "a100-80g-sxm-roce400", 0.990, 1.092) \
    X("llama.cpp-2024", DECODE_DRAM, -1, "", 0.988, 1.418) \
    X("llama.cpp-2024", DECODE_DRAM, 2, "", 0.988, 1.418) \
    X("llama.cpp-2024", DECODE_DRAM, 2, "a100-80g-pcie", 0.990, 1.455) \
    X("llama.cpp-2024", DECODE_DRAM, 2, "h100-pcie", 0.990, 1.406) \
    X("llama.cpp-2024", DECODE_DRAM, 2, "l40s", 0.990, 1.085) \
    X("llama.cpp-2024", DECODE_DRAM, 2, "rtx-4090", 0.938, 1.029) \
    X("llama.cpp-2024", DECODE_NETWORK, -1, "", 0.990, 1.645) \
    X("llama.cpp-2024", PREFILL, -1, "", 0.702, 1.847) \
    X("llama.cpp-2024", PREFILL, 0, "", 0.717, 1.919) \
    X("llama.cpp-2024", PREFILL, 2, "", 0.673, 1.750) \
    X("llama.cpp-2024", PREFILL_SHORT, -1, "", 0.990, 2.566) \
    X("llama.cpp-2024", PREFILL_SHORT, 0, "", 0.990, 2.658) \
    X("llama.cpp-2024", PREFILL_SHORT, 0, "rtx-4090", 0.927, 1.287) \
    X("lmdeploy-turbomind-0.2", DECODE_DRAM, -1, "", 0.954, 1.027) \
    X("lmdeploy-turbomind-0.2", DECODE_DRAM, 2, "", 0.954, 1.027) \
    X("lmdeploy-turbomind-0.2", DECODE_DRAM, 2, "a100-80g-sxm", 0.954, 1.027) \
    X("maxtext-2024", TRAIN_DENSE, -1, "", 0.936, 1.118) \
    X("maxtext-2024", TRAIN_DENSE, 0, "", 0.936, 1.118) \
    X("maxtext-2024", TRAIN_DENSE, 0, "h100-sxm", 0.936, 1.118) \
    X("maxtext-2025", TRAIN_DENSE, -1, "", 0.951, 1.021) \
    X("maxtext-2025", TRAIN_DENSE, 0, "", 0.951, 1.021) \
    X("maxtext-2025", TRAIN_DENSE, 0, "h100-sxm", 0.918, 1.010) \
    X("maxtext-2025", TRAIN_DENSE, 0, "tpu-v6e", 0.990, 1.066) \
    X("megatron-core-2024", TRAIN_DENSE, -1, "", 0.990, 1.127) \
    X("megatron-core-2024", TRAIN_DENSE, 0, "", 0.990, 1.127) \
    X("megatron-core-2024", TRAIN_DENSE, 0, "h100-sxm", 0.990, 1.127) \
    X("megatron-core-2026", TRAIN_DENSE, -1, "", 0.946, 1.015) \
    X("megatron-core-2026", TRAIN_DENSE, 0, "", 0.946, 1.015) \
    X("megatron-core-2026", TRAIN_MOE, -1, "", 0.934, 1.328) \
    X("megatron-core-2026", TRAIN_MOE, 0, "", 0.946, 1.394) \
    X("megatron-core-2026-plain", TRAIN_DENSE, -1, "", 0.990, 1.137) \
    X("megatron-core-2026-plain", TRAIN_DENSE, 0, "", 0.990, 1.137) \
    X("megatron-core-2026-plain", TRAIN_DENSE, 0, "b200-sxm", 0.990, 1.137) \
    X("megatron-core-2026-plain", TRAIN_MOE, -1, "", 0.990, 1.264) \
    X("megatron-core-2026-plain", TRAIN_MOE, 0, "", 0.990, 1.264) \
    X("megatron-core-2026-plain", TRAIN_MOE, 0, "b200-sxm", 0.990, 1.264) \
    X("megatron-deepspeed-2022-fp16", TRAIN_DENSE, -1, "", 0.964, 1.053) \
    X("megatron-deepspeed-2022-fp16", TRAIN_DENSE, 0, "", 0.964, 1.042) \
    X("megatron-deepspeed-2022-fp16", TRAIN_DENSE, 0, "a100-80g-sxm-800g", 0.964, 1.042) \
    X("megatron-deepspeed-2022-fp16", TRAIN_DENSE, 4, "", 0.974, 1.202) \
    X("megatron-deepspeed-2022-fp16", TRAIN_DENSE, 4, "a100-80g-sxm-800g", 0.976, 1.232) \
    X("megatron-lm-2020", TRAIN_DENSE, -1, "", 0.955, 1.032) \
    X("megatron-lm-2020", TRAIN_DENSE, 0, "", 0.955, 1.032) \
    X("megatron-lm-2021", TRAIN_DENSE, -1, "", 0.990, 1.053) \
    X("megatron-lm-2021", TRAIN_DENSE, 0, "", 0.990, 1.053) \
    X("megatron-lm-2021", TRAIN_DENSE, 0, "a100-80g-sxm", 0.990, 1.053) \
    X("megatron-lm-2022", TRAIN_DENSE, -1, "", 0.969, 1.064) \
    X("megatron-lm-2022", TRAIN_DENSE, 0, "", 0.969, 1.064) \
    X("megatron-lm-2022", TRAIN_DENSE, 0, "a100-80g-sxm", 0.969, 1.064) \
    X("mosaic-fsdp", TRAIN_DENSE, -1, "", 0.963, 1.073) \
    X("mosaic-fsdp", TRAIN_DENSE, 0, "", 0.963, 1.073) \
    X("mosaic-fsdp", TRAIN_DENSE, 0, "a100-80g-sxm", 0.908, 1.010) \
    X("mosaic-fsdp", TRAIN_DENSE, 0, "h100-sxm", 0.990, 1.111) \
    X("mosaic-fsdp-2023-pure", TRAIN_DENSE, -1, "", 0.908, 1.041) \
    X("mosaic-fsdp-2023-pure", TRAIN_DENSE, 0, "", 0.908, 1.041) \
    X("mosaic-fsdp-2023-pure", TRAIN_DENSE, 0, "a100-40g-sxm", 0.905, 1.040) \
    X("mosaic-fsdp-2024", TRAIN_DENSE, -1, "", 0.990, 1.200) \
    X("mosaic-fsdp-2024", TRAIN_DENSE, 0, "", 0.990, 1.200) \
    X("mosaic-fsdp-2024", TRAIN_DENSE, 0, "h100-sxm", 0.990, 1.200) \
    X("nanotron-2025", TRAIN_DENSE, -1, "", 0.986, 1.228) \
    X("nanotron-2025", TRAIN_DENSE, 0, "", 0.990, 1.126) \
    X("nanotron-2025", TRAIN_DENSE, 0, "aws-p5-h100", 0.990, 1.125) \
    X("nanotron-2025", TRAIN_DENSE, 2, "", 0.889, 2.536) \
    X("nanotron-2025", TRAIN_DENSE, 2, "aws-p5-h100", 0.882, 2.676) \
    X("nanotron-2025", TRAIN_DENSE, 3, "", 0.990, 1.744) \
    X("nanotron-2025", TRAIN_DENSE, 3, "aws-p5-h100", 0.990, 1.760) \
    X("nanotron-2025", TRAIN_DENSE, 4, "", 0.990, 2.017) \
    X("nanotron-2025", TRAIN_DENSE, 4, "aws-p5-h100", 0.990, 2.066) \
    X("nanotron-2025", TRAIN_DENSE, 5, "", 0.965, 1.243) \
    X("nanotron-2025", TRAIN_DENSE, 5, "aws-p5-h100", 0.965, 1.243) \
    X("nemo-2024", TRAIN_DENSE, -1, "", 0.987, 1.034) \
    X("nemo-2024", TRAIN_DENSE, 0, "", 0.987, 1.034) \
    X("nemo-2024", TRAIN_DENSE, 0, "h100-sxm", 0.987, 1.034) \
    X("nemo-2024", TRAIN_MOE, -1, "", 0.990, 1.171) \
    X("nemo-2024", TRAIN_MOE, 0, "", 0.990, 1.171) \
    X("nemo-2024", TRAIN_MOE, 0, "h100-sxm", 0.990, 1.171) \
    X("nemo-2025", TRAIN_DENSE, -1, "", 0.978, 1.098) \
    X("nemo-2025", TRAIN_DENSE, 0, "", 0.978, 1.098) \
    X("nemo-2025", TRAIN_DENSE, 0, "gb200-nvl72", 0.990, 1.158) \
    X("nemo-2025", TRAIN_DENSE, 0, "h100-sxm", 0.974, 1.087) \
    X("nemo-2025", TRAIN_MOE, -1, "", 0.990, 1.304) \
    X("nemo-2025", TRAIN_MOE, 0, "", 0.981, 1.233) \
    X("nemo-2025", TRAIN_MOE, 0, "gb200-nvl72", 0.951, 1.222) \
    X("nim-1.5", IN_FLIGHT, -1, "", 0.990, 1.256) \
    X("nim-1.5", IN_FLIGHT, 0, "", 0.990, 3.323) \
    X("nim-1.5", IN_FLIGHT, 0, "a100-80g-sxm", 0.990, 8.616) \
    X("nim-1.5", IN_FLIGHT, 0, "h100-sxm", 0.990, 2.968) \
    X("nim-1.5", IN_FLIGHT, 2, "", 0.976, 1.059) \
    X("nim-1.5", IN_FLIGHT, 2, "a100-80g-sxm", 0.955, 1.029) \
    X("nim-1.5", IN_FLIGHT, 2, "h100-sxm", 0.990, 1.058) \
    X("nim-1.8", IN_FLIGHT, -1, "", 0.871, 1.010) \
    X("nim-1.8", IN_FLIGHT, 0, "", 0.923, 1.460) \
    X("nim-1.8", IN_FLIGHT, 0, "h100-sxm", 0.931, 1.539) \
    X("nim-1.8", IN_FLIGHT, 2, "", 0.869, 1.010) \
    X("nim-1.8", IN_FLIGHT, 2, "h100-sxm", 0.869, 1.010) \
    X("paddlenlp-2023", TRAIN_DENSE, -1, "", 0.990, 2.722) \
    X("paddlenlp-2023", TRAIN_DENSE, 0, "", 0.990, 2.722) \
    X("paddlenlp-2023", TRAIN_DENSE, 0, "a100-80g-sxm", 0.990, 2.786) \
    X("paxml-2024", TRAIN_DENSE, -1, "", 0.990, 1.197) \
    X("paxml-2024", TRAIN_DENSE, 0, "", 0.990, 1.180) \
    X("paxml-2024", TRAIN_DENSE, 0, "h100-sxm", 0.990, 1.140) \
    X("pytorch-compiled-pointwise-cudagraph", DECODE_DRAM, -1, "", 0.960, 1.053) \
    X("pytorch-compiled-pointwise-cudagraph", DECODE_DRAM, 2, "", 0.960, 1.053) \
    X("pytorch-compiled-pointwise-cudagraph", DECODE_DRAM, 2, "a100-80g-sxm", 0.931, 1.111) \
    X("pytorch-compiled-pointwise-cudagraph", DECODE_DRAM, 2, "h200-sxm", 0.989, 1.021) \
    X("pytorch-compiled-pointwise-cudagraph", PREFILL, -1, "", 0.990, 1.099) \
    X("pytorch-compiled-pointwise-cudagraph", PREFILL, 0, "", 0.990, 1.099) \
    X("pytorch-compiled-pointwise-cudagraph", PREFILL, 0, "h200-sxm", 0.990, 1.099) \
    X("pytorch-compiled-pointwise-cudagraph", PREFILL_SHORT, -1, "", 0.990, 1.079) \
    X("pytorch-eager-cudagraph", DECODE_DRAM, -1, "", 0.990, 1.078) \
    X("pytorch-eager-cudagraph", DECODE_DRAM, 2, "", 0.990, 1.078) \
    X("pytorch-eager-cudagraph", DECODE_DRAM, 2, "h200-sxm", 0.990, 1.078) \
    X("pytorch-eager-cudagraph", PREFILL, -1, "", 0.990, 1.099) \
    X("pytorch-eager-cudagraph", PREFILL, 0, "", 0.990, 1.099) \
    X("pytorch-eager-cudagraph", PREFILL, 0, "h200-sxm", 0.990, 1.099) \
    X("pytorch-eager-cudagraph", PREFILL_SHORT, -1, "", 0.990, 1.162) \
    X("pytorch-eager-cudagraph", INFER_MOE, -1, "", 0.990, 1.097) \
    X("pytorch-eager-cudagraph", INFER_MOE, 2, "", 0.990, 1.092) \
    X("pytorch-eager-cudagraph", INFER_MOE, 2, "h200-sxm", 0.990, 1.091) \
    X("pytorch-eager-stream", PREFILL, -1, "", 0.990, 1.107) \
    X("pytorch-eager-stream", PREFILL, 0, "", 0.990, 1.107) \
    X("pytorch-eager-stream", PREFILL, 0, "h200-sxm", 0.990, 1.107) \
    X("sglang", DECODE_DRAM, -1, "", 0.990, 1.997) \
    X("sglang", DECODE_DRAM, 2, "", 0.990, 2.018) \
    X("sglang", DECODE_DRAM, 2, "h20-sxm", 0.990, 2.020) \
    X("sglang", DECODE_NETWORK, -1, "", 0.990, 1.745) \
    X("sglang", DECODE_NETWORK, 0, "", 0.990, 1.735) \
    X("sglang", DECODE_NETWORK, 0, "h20-sxm", 0.990, 1.734) \
    X("sglang", HOST, -1, "", 0.990, 1.774) \
    X("sglang", PREFILL, -1, "", 0.990, 1.577) \
    X("sglang", PREFILL, 0, "", 0.990, 1.577) \
    X("sglang", PREFILL, 0, "h20-sxm", 0.990, 1.577) \
    X("sglang", INFER_MOE, -1, "", 0.990, 1.346) \
    X("sglang", INFER_MOE, 0, "", 0.990, 1.397) \
    X("sglang", INFER_MOE, 0, "h20-sxm", 0.990, 2.605) \
    X("sglang", INFER_MOE, 4, "", 0.990, 4.903) \
    X("sglang", INFER_MOE, 4, "h20-sxm", 0.990, 5.437) \
    X("sglang-0.5", SERVE, -1, "", 0.990, 1.592) \
    X("sglang-0.5", SERVE, 0, "", 0.990, 1.726) \
    X("sglang-0.5", SERVE, 0, "a100-80g-sxm", 0.969, 1.933) \
    X("sglang-0.5", SERVE, 0, "h100-sxm", 0.990, 1.954) \
    X("sglang-0.5", SERVE, 0, "h200-sxm", 0.990, 1.613) \
    X("sglang-0.5", SERVE, 2, "", 0.990, 1.371) \
    X("sglang-0.5", SERVE, 2, "a100-80g-sxm", 0.990, 1.194) \
    X("sglang-0.5", SERVE, 2, "h100-sxm", 0.990, 1.501) \
    X("sglang-0.5", SERVE, 2, "h200-sxm", 0.990, 1.252) \
    X("sglang-0.5", SERVE, 3, "", 0.990, 1.302) \
    X("sglang-0.5", SERVE, 3, "h200-sxm", 0.990, 1.251) \
    X("sglang-0.5", SERVE_MOE, -1, "", 0.929, 1.944) \
    X("sglang-0.5", SERVE_MOE, 0, "", 0.778, 4.825) \
    X("sglang-0.5", SERVE_MOE, 0, "b200-sxm", 0.743, 1.010) \
    X("sglang-0.5", SERVE_MOE, 2, "", 0.975, 1.952) \
    X("sglang-0.5", SERVE_MOE, 2, "b200-sxm", 0.977, 1.161) \
    X("sglang-0.5", SERVE_MOE, 2, "gb200-nvl72", 0.729, 1.024) \
    X("sglang-0.5", SERVE_MOE, 2, "gb300-nvl72", 0.747, 1.059) \
    X("sglang-0.5", SERVE_MOE, 2, "h100-sxm", 0.990, 3.783) \
    X("sglang-0.5", SERVE_MOE, 2, "h200-sxm", 0.960, 2.955) \
    X("sglang-0.5", SERVE_MOE, 4, "", 0.934, 1.184) \
    X("sglang-0.5", SERVE_MOE, 4, "b200-sxm", 0.934, 1.170) \
    X("sglang-0.5", SERVE_FIRST, -1, "", 0.990, 1.748) \
    X("sglang-0.5", SERVE_FIRST, 0, "", 0.990, 1.748) \
    X("sglang-0.5", SERVE_FIRST, 0, "a100-80g-sxm", 0.519, 2.352) \
    X("sglang-0.5", SERVE_FIRST, 0, "b200-sxm", 0.990, 1.568) \
    X("sglang-0.5", SERVE_FIRST, 0, "gb200-nvl72", 0.990, 2.436) \
    X("sglang-0.5", SERVE_FIRST, 0, "gb300-nvl72", 0.843, 1.687) \
    X("sglang-0.5", SERVE_FIRST, 0, "h100-sxm", 0.990, 1.936) \
    X("sglang-0.5", SERVE_FIRST, 0, "h200-sxm", 0.990, 1.703) \
    X("sglang-rocm-0.5", SERVE_MOE, -1, "", 0.990, 1.655) \
    X("sglang-rocm-0.5", SERVE_MOE, 2, "", 0.990, 1.645) \
    X("sglang-rocm-0.5", SERVE_MOE, 2, "mi300x", 0.990, 1.644) \
    X("sglang-rocm-0.5", SERVE_MOE, 3, "", 0.990, 1.664) \
    X("sglang-rocm-0.5", SERVE_MOE, 3, "mi300x", 0.990, 1.666) \
    X("sglang-rocm-0.5", SERVE_FIRST, -1, "", 0.980, 2.636) \
    X("sglang-rocm-0.5", SERVE_FIRST, 0, "", 0.980, 2.636) \
    X("sglang-rocm-0.5", SERVE_FIRST, 0, "mi300x", 0.980, 2.636) \
    X("tensorrt-10.2-server", SERVE, -1, "", 0.950, 1.143) \
    X("tensorrt-10.2-server", SERVE, 0, "", 0.961, 1.143) \
    X("tensorrt-10.2-server", SERVE_MOE, -1, "", 0.990, 1.216) \
    X("tensorrt-10.2-server", SERVE_FIRST, -1, "", 0.990, 1.600) \
    X("tensorrt-10.2-server", SERVE_FIRST, 0, "", 0.990, 1.600) \
    X("tensorrt-10.2-server", SERVE_FIRST, 0, "gh200-144g", 0.990, 1.412) \
    X("tensorrt-10.2-server", SERVE_FIRST, 0, "h100-sxm", 0.990, 1.707) \
    X("tensorrt-10.2-server", SERVE_FIRST, 0, "h200-sxm", 0.990, 1.594) \
    X("tensorrt-9.3-server", SERVE, -1, "", 0.990, 1.195) \
    X("tensorrt-9.3-server", SERVE, 0, "", 0.990, 1.198) \
    X("tensorrt-9.3-server", SERVE, 0, "h100-sxm", 0.990, 1.200) \
    X("tensorrt-9.3-server", SERVE_FIRST, -1, "", 0.990, 1.555) \
    X("tensorrt-9.3-server", SERVE_FIRST, 0, "", 0.990, 1.555) \
    X("tensorrt-9.3-server", SERVE_FIRST, 0, "h100-sxm", 0.990, 1.640) \
    X("tensorrt-9.3-server", SERVE_FIRST, 0, "h200-sxm", 0.990, 1.527) \
    X("tensorrt-llm-0.9", DECODE_DRAM, -1, "", 0.917, 1.011) \
    X("tensorrt-llm-0.9", DECODE_DRAM, 2, "", 0.916, 1.010) \
    X("tensorrt-llm-0.9", DECODE_DRAM, 2, "h100-sxm", 0.870, 1.010) \
    X("tensorrt-llm-0.9", DECODE_DRAM, 2, "l40s", 0.948, 1.061) \
    X("tensorrt-llm-0.9", DECODE_NETWORK, -1, "", 0.919, 1.090) \
    X("tensorrt-llm-0.9", DECODE_NETWORK, 0, "", 0.869, 1.054) \
    X("tensorrt-llm-0.9", PREFILL, -1, "", 0.935, 1.081) \
    X("tensorrt-llm-0.9", PREFILL, 0, "", 0.931, 1.031) \
    X("tensorrt-llm-0.9", PREFILL_SHORT, -1, "", 0.977, 1.168) \
    X("tensorrt-llm-0.9", PREFILL_SHORT, 2, "", 0.970, 1.170) \
    X("tensorrt-llm-0.9", INFER_MOE, -1, "", 0.936, 1.334) \
    X("tensorrt-llm-0.9", INFER_MOE, 2, "", 0.729, 1.415) \
    X("tensorrt-llm-1.0", SERVE, -1, "", 0.990, 1.194) \
    X("tensorrt-llm-1.0", SERVE, 0, "", 0.990, 1.174) \
    X("tensorrt-llm-1.0", SERVE, 0, "h100-sxm", 0.990, 1.174) \
    X("tensorrt-llm-1.0", SERVE, 2, "", 0.990, 1.194) \
    X("tensorrt-llm-1.0", SERVE, 2, "h100-sxm", 0.990, 1.194) \
    X("tensorrt-llm-1.0", SERVE_FIRST, -1, "", 0.969, 1.682) \
    X("tensorrt-llm-1.0", SERVE_FIRST, 0, "", 0.969, 1.682) \
    X("tensorrt-llm-1.0", SERVE_FIRST, 0, "h100-sxm", 0.969, 1.682) \
    X("tensorrt-llm-1.2", IN_FLIGHT, -1, "", 0.922, 1.011) \
    X("tensorrt-llm-1.2", IN_FLIGHT, 2, "", 0.922, 1.011) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, -1, "", 0.976, 1.246) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 2, "", 0.990, 1.349) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 2, "b200-sxm", 0.990, 1.146) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 2, "h200-sxm", 0.990, 1.458) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 4, "", 0.963, 1.210) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 4, "b200-sxm", 0.990, 1.222) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 4, "gb200-nvl72", 0.959, 1.187) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 4, "h200-sxm", 0.956, 1.184) \
    X("tensorrt-llm-1.2", SERVE, -1, "", 0.984, 1.731) \
    X("tensorrt-llm-1.2", SERVE, 0, "", 0.984, 1.462) \
    X("tensorrt-llm-1.2", SERVE, 0, "b200-sxm", 0.963, 1.015) \
    X("tensorrt-llm-1.2", SERVE, 0, "h200-sxm", 0.975, 1.083) \
    X("tensorrt-llm-1.2", SERVE, 2, "", 0.975, 1.871) \
    X("tensorrt-llm-1.2", SERVE, 2, "b200-sxm", 0.956, 1.022) \
    X("tensorrt-llm-1.2", SERVE, 2, "h200-sxm", 0.956, 1.025) \
    X("tensorrt-llm-1.2", SERVE, 3, "", 0.990, 1.147) \
    X("tensorrt-llm-1.2", SERVE, 3, "b200-sxm", 0.990, 1.081) \
    X("tensorrt-llm-1.2", SERVE, 4, "", 0.989, 1.114) \
    X("tensorrt-llm-1.2", SERVE, 4, "b200-sxm", 0.990, 1.055) \
    X("tensorrt-llm-1.2", SERVE_MOE, -1, "", 0.990, 5.530) \
    X("tensorrt-llm-1.2", SERVE_MOE, 0, "", 0.990, 5.478) \
    X("tensorrt-llm-1.2", SERVE_MOE, 0, "h200-sxm", 0.990, 1.451) \
    X("tensorrt-llm-1.2", SERVE_MOE, 2, "", 0.980, 5.820) \
    X("tensorrt-llm-1.2", SERVE_MOE, 2, "b200-sxm", 0.911, 1.114) \
    X("tensorrt-llm-1.2", SERVE_MOE, 2, "gb200-nvl72", 0.894, 1.227) \
    X("tensorrt-llm-1.2", SERVE_MOE, 2, "gb300-nvl72", 0.932, 1.412) \
    X("tensorrt-llm-1.2", SERVE_MOE, 2, "h200-sxm", 0.990, 1.383) \
    X("tensorrt-llm-1.2", SERVE_MOE, 4, "", 0.954, 1.211) \
    X("tensorrt-llm-1.2", SERVE_MOE, 4, "b200-sxm", 0.954, 1.044) \
    X("tensorrt-llm-1.2", SERVE_MOE, 4, "gb200-nvl72", 0.924, 1.032) \
    X("tensorrt-llm-1.2", SERVE_MOE, 4, "h200-sxm", 0.990, 1.500) \
    X("tensorrt-llm-1.2", SERVE_FIRST, -1, "", 0.915, 1.958) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "", 0.915, 1.958) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "b200-sxm", 0.864, 1.099) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "gb200-nvl72", 0.990, 2.000) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "gb300-nvl72", 0.926, 1.727) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "h100-sxm", 0.990, 3.286) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "h200-sxm", 0.948, 1.414) \
    X("tensorrt-llm-nemo", DECODE_DRAM, -1, "", 0.983, 1.013) \
    X("tensorrt-llm-nemo", DECODE_DRAM, 2, "", 0.983, 1.013) \
    X("tensorrt-llm-nemo", DECODE_DRAM, 2, "a100-80g-sxm", 0.958, 1.010) \
    X("tensorrt-llm-nemo", DECODE_DRAM, 2, "h100-sxm", 0.990, 1.018) \
    X("tensorrt-llm-nemo", DECODE_NETWORK, -1, "", 0.990, 1.035) \
    X("tensorrt-llm-nemo", DECODE_NETWORK, 2, "", 0.990, 1.054) \
    X("tensorrt-llm-nemo", DECODE_NETWORK, 4, "", 0.990, 1.011) \
    X("tensorrt-llm-nemo", DECODE_NETWORK, 4, "h100-sxm", 0.990, 1.010) \
    X("torchtitan-2024-async-tp", TRAIN_DENSE, -1, "", 0.990, 1.335) \
    X("torchtitan-2024-compiled", TRAIN_DENSE, -1, "", 0.990, 1.195) \
    X("torchtitan-2024-compiled", TRAIN_DENSE, 0, "", 0.990, 1.195) \
    X("torchtitan-2024-compiled", TRAIN_DENSE, 0, "h100-sxm-500w", 0.990, 1.195) \
    X("torchtitan-2024-eager", TRAIN_DENSE, -1, "", 0.990, 1.071) \
    X("torchtitan-2024-eager", TRAIN_DENSE, 0, "", 0.990, 1.071) \
    X("torchtitan-2024-eager", TRAIN_DENSE, 0, "a100-80g-sxm", 0.990, 1.072) \
    X("torchtitan-2025-compiled", TRAIN_DENSE, -1, "", 0.990, 1.271) \
    X("torchtitan-2025-compiled", TRAIN_DENSE, 0, "", 0.990, 1.271) \
    X("torchtune-2024-compiled", TRAIN_DENSE, -1, "", 0.818, 1.010) \
    X("torchtune-2024-compiled", TRAIN_DENSE, 0, "", 0.818, 1.010) \
    X("transformers-4", DECODE_DRAM, -1, "", 0.990, 2.847) \
    X("transformers-4", DECODE_DRAM, 2, "", 0.990, 2.847) \
    X("transformers-4", DECODE_DRAM, 2, "a100-80g-sxm", 0.990, 2.847) \
    X("transformers-4.46", HOST, -1, "", 0.857, 1.552) \
    X("transformers-4.46", HOST, 4, "", 0.990, 2.050) \
    X("transformers-4.46", HOST, 4, "a100-80g-sxm", 0.990, 1.934) \
    X("transformers-4.46", HOST, 5, "", 0.833, 1.184) \
    X("transformers-4.46", HOST, 5, "a100-80g-sxm", 0.889, 1.156) \
    X("transformers-4.46", HOST, 5, "h20-sxm", 0.655, 1.248) \
    X("transformers-neuronx-0.13", SERVE, -1, "", 0.990, 1.283) \
    X("transformers-neuronx-0.13", SERVE, 2, "", 0.990, 1.292) \
    X("transformers-neuronx-0.13", SERVE, 2, "trn1.32xlarge", 0.990, 1.292) \
    X("transformers-neuronx-0.13", SERVE, 3, "", 0.990, 1.203) \
    X("transformers-neuronx-0.13", SERVE, 3, "trn1.32xlarge", 0.990, 1.191) \
    X("transformers-neuronx-0.13", SERVE_FIRST, -1, "", 0.990, 2.999) \
    X("transformers-neuronx-0.13", SERVE_FIRST, 0, "", 0.990, 2.999) \
    X("transformers-neuronx-0.13", SERVE_FIRST, 0, "trn1.32xlarge", 0.990, 2.999) \
    X("vllm-0.10", SERVE, -1, "", 0.990, 1.106) \
    X("vllm-0.10", SERVE, 0, "", 0.990, 1.106) \
    X("vllm-0.10", SERVE, 0, "b200-sxm", 0.990, 1.106) \
    X("vllm-0.10", SERVE, 2, "", 0.990, 1.100) \
    X("vllm-0.10", SERVE, 2, "b200-sxm", 0.990, 1.100) \
    X("vllm-0.10", SERVE, 2, "h100-sxm", 0.974, 1.063) \
    X("vllm-0.10", SERVE, 2, "h200-sxm", 0.990, 1.109) \
    X("vllm-0.10", SERVE, 4, "", 0.990, 1.121) \
    X("vllm-0.10", SERVE, 4, "b200-sxm", 0.990, 1.123) \
    X("vllm-0.10", SERVE_MOE, -1, "", 0.990, 1.284) \
    X("vllm-0.10", SERVE_MOE, 2, "", 0.990, 1.299) \
    X("vllm-0.10", SERVE_FIRST, -1, "", 0.989, 1.185) \
    X("vllm-0.10", SERVE_FIRST, 0, "", 0.989, 1.185) \
    X("vllm-0.10", SERVE_FIRST, 0, "b200-sxm", 0.990, 1.470) \
    X("vllm-0.10", SERVE_FIRST, 0, "h100-sxm", 0.917, 1.058) \
    X("vllm-0.10", SERVE_FIRST, 0, "h200-sxm", 0.990, 1.089) \
    X("vllm-0.11", SERVE, -1, "", 0.990, 1.579) \
    X("vllm-0.11", SERVE, 0, "", 0.990, 1.567) \
    X("vllm-0.11", SERVE, 0, "a100-80g-sxm", 0.990, 1.661) \
    X("vllm-0.11", SERVE, 0, "b200-sxm", 0.771, 1.206) \
    X("vllm-0.11", SERVE, 0, "h100-sxm", 0.990, 1.690) \
    X("vllm-0.11", SERVE, 2, "", 0.990, 1.562) \
    X("vllm-0.11", SERVE, 2, "b200-sxm", 0.990, 2.314) \
    X("vllm-0.11", SERVE, 2, "h100-sxm", 0.990, 1.577) \
    X("vllm-0.11", SERVE, 2, "h200-sxm", 0.828, 1.010) \
    X("vllm-0.11", SERVE, 5, "", 0.878, 1.258) \
    X("vllm-0.11", SERVE, 5, "b200-sxm", 0.990, 1.940) \
    X("vllm-0.11", SERVE, 5, "h100-sxm", 0.990, 1.335) \
    X("vllm-0.11", SERVE, 5, "h200-sxm", 0.856, 1.075) \
    X("vllm-0.11", SERVE_MOE, -1, "", 0.958, 1.331) \
    X("vllm-0.11", SERVE_MOE, 0, "", 0.955, 1.441) \
    X("vllm-0.11", SERVE_MOE, 0, "a100-80g-sxm", 0.882, 1.424) \
    X("vllm-0.11", SERVE_MOE, 0, "h100-sxm", 0.990, 1.624) \
    X("vllm-0.11", SERVE_MOE, 0, "h200-sxm", 0.990, 1.264) \
    X("vllm-0.11", SERVE_MOE, 2, "", 0.919, 1.450) \
    X("vllm-0.11", SERVE_MOE, 2, "a100-80g-sxm", 0.990, 1.596) \
    X("vllm-0.11", SERVE_MOE, 2, "b200-sxm", 0.954, 1.739) \
    X("vllm-0.11", SERVE_MOE, 2, "h100-sxm", 0.889, 1.419) \
    X("vllm-0.11", SERVE_MOE, 5, "", 0.924, 1.522) \
    X("vllm-0.11", SERVE_MOE, 5, "b200-sxm", 0.973, 1.743) \
    X("vllm-0.11", SERVE_MOE, 5, "h100-sxm", 0.893, 1.040) \
    X("vllm-0.11", SERVE_FIRST, -1, "", 0.890, 1.282) \
    X("vllm-0.11", SERVE_FIRST, 0, "", 0.890, 1.282) \
    X("vllm-0.11", SERVE_FIRST, 0, "a100-80g-sxm", 0.988, 1.591) \
    X("vllm-0.11", SERVE_FIRST, 0, "h100-sxm", 0.890, 1.501) \
    X("vllm-0.11", SERVE_FIRST, 0, "h200-sxm", 0.979, 1.635) \
    X("vllm-0.14", SERVE_MOE, -1, "", 0.981, 1.181) \
    X("vllm-0.14", SERVE_MOE, 2, "", 0.959, 1.121) \
    X("vllm-0.14", SERVE_MOE, 2, "b200-sxm", 0.955, 1.062) \
    X("vllm-0.14", SERVE_MOE, 2, "h200-sxm", 0.990, 1.248) \
    X("vllm-0.14", SERVE_MOE, 4, "", 0.990, 1.285) \
    X("vllm-0.14", SERVE_MOE, 4, "b200-sxm", 0.990, 1.183) \
    X("vllm-0.14", SERVE_FIRST, -1, "", 0.909, 1.262) \
    X("vllm-0.14", SERVE_FIRST, 0, "", 0.909, 1.262) \
    X("vllm-0.14", SERVE_FIRST, 0, "b200-sxm", 0.898, 1.241) \
    X("vllm-0.17", SERVE, -1, "", 0.989, 1.010) \
    X("vllm-0.17", SERVE, 2, "", 0.989, 1.010) \
    X("vllm-0.17", SERVE, 2, "rtx-pro-6000-blackwell", 0.989, 1.010) \
    X("vllm-0.17", SERVE_MOE, -1, "", 0.970, 1.116) \
    X("vllm-0.17", SERVE_MOE, 0, "", 0.938, 1.046) \
    X("vllm-0.17", SERVE_MOE, 0, "b200-sxm", 0.788, 1.010) \
    X("vllm-0.17", SERVE_MOE, 0, "h200-sxm", 0.990, 1.044) \
    X("vllm-0.17", SERVE_MOE, 2, "", 0.948, 1.083) \
    X("vllm-0.17", SERVE_MOE, 2, "b200-sxm", 0.903, 1.115) \
    X("vllm-0.17", SERVE_MOE, 2, "h100-sxm", 0.950, 1.065) \
    X("vllm-0.17", SERVE_MOE, 2, "h200-sxm", 0.990, 1.064) \
    X("vllm-0.17", SERVE_MOE, 4, "", 0.990, 1.143) \
    X("vllm-0.17", SERVE_MOE, 4, "b200-sxm", 0.956, 1.043) \
    X("vllm-0.17", SERVE_MOE, 4, "h100-sxm", 0.990, 1.171) \
    X("vllm-0.17", SERVE_MOE, 4, "h200-sxm", 0.990, 1.174) \
    X("vllm-0.17", SERVE_FIRST, -1, "", 0.977, 1.187) \
    X("vllm-0.17", SERVE_FIRST, 0, "", 0.977, 1.187) \
    X("vllm-0.17", SERVE_FIRST, 0, "b200-sxm", 0.990, 1.337) \
    X("vllm-0.17", SERVE_FIRST, 0, "gb200-nvl72", 0.990, 2.362) \
    X("vllm-0.17", SERVE_FIRST, 0, "h100-sxm", 0.990, 1.181) \
    X("vllm-0.17", SERVE_FIRST, 0, "h200-sxm", 0.990, 1.321) \
    X("vllm-0.17", SERVE_FIRST, 0, "rtx-pro-6000-blackwell", 0.852, 1.010) \
    X("vllm-0.5", DECODE_DRAM, -1, "", 0.990, 1.059) \
    X("vllm-0.5", DECODE_DRAM, 2, "", 0.990, 1.059) \
    X("vllm-0.5", DECODE_DRAM, 2, "gh200-96g", 0.990, 1.059) \
    X("vllm-0.5", HOST, -1, "", 0.972, 1.011) \
    X("vllm-0.5", HOST, 2, "", 0.972, 1.011) \
    X("vllm-0.5", HOST, 2, "gh200-96g", 0.972, 1.011) \
    X("vllm-0.6", DECODE_DRAM, -1, "", 0.942, 1.033) \
    X("vllm-0.6", DECODE_DRAM, 2, "", 0.942, 1.033) \
    X("vllm-0.6", DECODE_DRAM, 2, "a100-80g-sxm", 0.973, 1.062) \
    X("vllm-0.6", DECODE_DRAM, 2, "polaris-a100-40g-sxm", 0.941, 1.010) \
    X("vllm-0.6", DECODE_NETWORK, -1, "", 0.990, 1.100) \
    X("vllm-0.6", DECODE_NETWORK, 0, "", 0.990, 1.100) \
    X("vllm-0.6", DECODE_NETWORK, 0, "a100-80g-sxm", 0.990, 1.100) \
    X("vllm-0.6", HOST, -1, "", 0.959, 1.070) \
    X("vllm-0.6", HOST, 0, "", 0.990, 1.087) \
    X("vllm-0.6", HOST, 0, "a100-80g-sxm", 0.990, 1.089) \
    X("vllm-0.6", HOST, 2, "", 0.963, 1.053) \
    X("vllm-0.6", HOST, 2, "a100-80g-sxm", 0.990, 1.056) \
    X("vllm-0.6", HOST, 2, "polaris-a100-40g-sxm", 0.950, 1.021) \
    X("vllm-0.6", HOST, 5, "", 0.990, 1.100) \
    X("vllm-0.6", HOST, 5, "a100-80g-sxm", 0.990, 1.103) \
    X("vllm-0.6", PREFILL, -1, "", 0.990, 1.410) \
    X("vllm-0.6", PREFILL, 0, "", 0.990, 1.410) \
    X("vllm-0.6", PREFILL, 0, "a100-80g-sxm", 0.990, 1.410) \
    X("vllm-0.6", INFER_MOE, -1, "", 0.947, 1.064) \
    X("vllm-0.6", INFER_MOE, 2, "", 0.947, 1.064) \
    X("vllm-0.6", INFER_MOE, 2, "polaris-a100-40g-sxm", 0.947, 1.064)
