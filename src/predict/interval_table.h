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
    X("deepspeed-mii-0.2", DECODE_DRAM, -1, "", 0.990, 3.908) \
    X("deepspeed-mii-0.2", DECODE_DRAM, 2, "", 0.990, 3.908) \
    X("deepspeed-mii-0.2", DECODE_DRAM, 2, "a100-80g-sxm", 0.990, 3.908) \
    X("fastertransformer", DECODE_DRAM, -1, "", 0.949, 1.043) \
    X("fastertransformer", DECODE_DRAM, 2, "", 0.949, 1.043) \
    X("fastertransformer", DECODE_DRAM, 2, "a100-80g-sxm", 0.949, 1.043) \
    X("fastertransformer", DECODE_NETWORK, -1, "", 0.959, 1.085) \
    X("fastertransformer", DECODE_NETWORK, 3, "", 0.965, 1.086) \
    X("fastertransformer", DECODE_NETWORK, 3, "a100-80g-sxm", 0.965, 1.087) \
    X("fastertransformer", PREFILL, -1, "", 0.990, 1.107) \
    X("fastertransformer", PREFILL, 0, "", 0.990, 1.070) \
    X("fastertransformer", PREFILL, 0, "a100-80g-sxm", 0.990, 1.068) \
    X("fastertransformer", PREFILL, 3, "", 0.990, 1.141) \
    X("fastertransformer", PREFILL, 3, "a100-80g-sxm", 0.990, 1.147) \
    X("fastertransformer-4.0", DECODE_DRAM, -1, "", 0.990, 1.384) \
    X("fastertransformer-4.0", DECODE_DRAM, 2, "", 0.990, 1.384) \
    X("fastertransformer-4.0", DECODE_DRAM, 2, "a100-80g-sxm", 0.990, 1.384) \
    X("fastertransformer-5.0-beta", DECODE_DRAM, -1, "", 0.990, 1.429) \
    X("fastertransformer-5.0-beta", DECODE_DRAM, 2, "", 0.990, 1.429) \
    X("fastertransformer-5.0-beta", DECODE_DRAM, 2, "a100-80g-sxm", 0.990, 1.429) \
    X("fastertransformer-5.0-beta", PREFILL, -1, "", 0.990, 1.642) \
    X("hf-transformers-2026-autocast", TRAIN_DENSE, -1, "", 0.990, 1.251) \
    X("hf-transformers-2026-compiled", TRAIN_DENSE, -1, "", 0.952, 1.130) \
    X("hf-transformers-2026-compiled", TRAIN_DENSE, 0, "", 0.952, 1.130) \
    X("hf-transformers-2026-compiled", TRAIN_DENSE, 0, "h200-sxm", 0.952, 1.130) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, -1, "", 0.990, 1.411) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, 0, "", 0.990, 1.103) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, 0, "h200-sxm", 0.990, 1.092) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, 2, "", 0.990, 1.548) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, 2, "h200-sxm", 0.990, 1.564) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, 5, "", 0.990, 1.467) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, 5, "h200-sxm", 0.990, 1.474) \
    X("internevo-2023", TRAIN_DENSE, -1, "", 0.990, 1.109) \
    X("internevo-2023", TRAIN_DENSE, 0, "", 0.990, 1.109) \
    X("internevo-2023", TRAIN_DENSE, 0, "a100-80g-sxm-roce400", 0.990, 1.109) \
    X("llama.cpp-2024", DECODE_DRAM, -1, "", 0.964, 1.459) \
    X("llama.cpp-2024", DECODE_DRAM, 2, "", 0.964, 1.459) \
    X("llama.cpp-2024", DECODE_DRAM, 2, "a100-80g-pcie", 0.990, 1.490) \
    X("llama.cpp-2024", DECODE_DRAM, 2, "h100-pcie", 0.990, 1.443) \
    X("llama.cpp-2024", DECODE_DRAM, 2, "l40s", 0.985, 1.098) \
    X("llama.cpp-2024", DECODE_DRAM, 2, "rtx-4090", 0.929, 1.050) \
    X("llama.cpp-2024", DECODE_NETWORK, -1, "", 0.990, 1.698) \
    X("llama.cpp-2024", PREFILL, -1, "", 0.662, 1.946) \
    X("llama.cpp-2024", PREFILL, 0, "", 0.696, 1.950) \
    X("llama.cpp-2024", PREFILL, 2, "", 0.604, 1.905) \
    X("llama.cpp-2024", PREFILL_SHORT, -1, "", 0.990, 2.770) \
    X("llama.cpp-2024", PREFILL_SHORT, 0, "", 0.990, 2.780) \
    X("llama.cpp-2024", PREFILL_SHORT, 0, "rtx-4090", 0.913, 1.313) \
    X("lmdeploy-turbomind-0.2", DECODE_DRAM, -1, "", 0.947, 1.059) \
    X("lmdeploy-turbomind-0.2", DECODE_DRAM, 2, "", 0.947, 1.059) \
    X("lmdeploy-turbomind-0.2", DECODE_DRAM, 2, "a100-80g-sxm", 0.947, 1.059) \
    X("maxtext-2024", TRAIN_DENSE, -1, "", 0.928, 1.042) \
    X("maxtext-2024", TRAIN_DENSE, 0, "", 0.928, 1.042) \
    X("maxtext-2024", TRAIN_DENSE, 0, "h100-sxm", 0.928, 1.042) \
    X("maxtext-2025", TRAIN_DENSE, -1, "", 0.955, 1.072) \
    X("maxtext-2025", TRAIN_DENSE, 0, "", 0.955, 1.072) \
    X("maxtext-2025", TRAIN_DENSE, 0, "h100-sxm", 0.915, 1.010) \
    X("maxtext-2025", TRAIN_DENSE, 0, "tpu-v6e", 0.985, 1.084) \
    X("megatron-core-2024", TRAIN_DENSE, -1, "", 0.985, 1.130) \
    X("megatron-core-2024", TRAIN_DENSE, 0, "", 0.985, 1.130) \
    X("megatron-core-2024", TRAIN_DENSE, 0, "h100-sxm", 0.985, 1.130) \
    X("megatron-core-2026", TRAIN_DENSE, -1, "", 0.913, 1.026) \
    X("megatron-core-2026", TRAIN_DENSE, 0, "", 0.913, 1.026) \
    X("megatron-core-2026", TRAIN_MOE, -1, "", 0.913, 1.451) \
    X("megatron-core-2026", TRAIN_MOE, 0, "", 0.926, 1.481) \
    X("megatron-core-2026-plain", TRAIN_DENSE, -1, "", 0.990, 1.149) \
    X("megatron-core-2026-plain", TRAIN_DENSE, 0, "", 0.990, 1.149) \
    X("megatron-core-2026-plain", TRAIN_DENSE, 0, "b200-sxm", 0.990, 1.149) \
    X("megatron-core-2026-plain", TRAIN_MOE, -1, "", 0.990, 1.274) \
    X("megatron-core-2026-plain", TRAIN_MOE, 0, "", 0.990, 1.274) \
    X("megatron-core-2026-plain", TRAIN_MOE, 0, "b200-sxm", 0.990, 1.274) \
    X("megatron-deepspeed-2022-fp16", TRAIN_DENSE, -1, "", 0.957, 1.123) \
    X("megatron-deepspeed-2022-fp16", TRAIN_DENSE, 0, "", 0.955, 1.068) \
    X("megatron-deepspeed-2022-fp16", TRAIN_DENSE, 0, "a100-80g-sxm-800g", 0.955, 1.066) \
    X("megatron-deepspeed-2022-fp16", TRAIN_DENSE, 4, "", 0.964, 1.251) \
    X("megatron-deepspeed-2022-fp16", TRAIN_DENSE, 4, "a100-80g-sxm-800g", 0.966, 1.275) \
    X("megatron-lm-2020", TRAIN_DENSE, -1, "", 0.950, 1.033) \
    X("megatron-lm-2020", TRAIN_DENSE, 0, "", 0.950, 1.033) \
    X("megatron-lm-2021", TRAIN_DENSE, -1, "", 0.990, 1.056) \
    X("megatron-lm-2021", TRAIN_DENSE, 0, "", 0.990, 1.056) \
    X("megatron-lm-2021", TRAIN_DENSE, 0, "a100-80g-sxm", 0.990, 1.056) \
    X("megatron-lm-2022", TRAIN_DENSE, -1, "", 0.954, 1.010) \
    X("megatron-lm-2022", TRAIN_DENSE, 0, "", 0.954, 1.010) \
    X("megatron-lm-2022", TRAIN_DENSE, 0, "a100-80g-sxm", 0.954, 1.010) \
    X("mosaic-fsdp", TRAIN_DENSE, -1, "", 0.915, 1.098) \
    X("mosaic-fsdp", TRAIN_DENSE, 0, "", 0.915, 1.098) \
    X("mosaic-fsdp", TRAIN_DENSE, 0, "a100-80g-sxm", 0.873, 1.010) \
    X("mosaic-fsdp", TRAIN_DENSE, 0, "h100-sxm", 0.990, 1.137) \
    X("mosaic-fsdp-2023-pure", TRAIN_DENSE, -1, "", 0.882, 1.055) \
    X("mosaic-fsdp-2023-pure", TRAIN_DENSE, 0, "", 0.882, 1.055) \
    X("mosaic-fsdp-2023-pure", TRAIN_DENSE, 0, "a100-40g-sxm", 0.881, 1.055) \
    X("mosaic-fsdp-2024", TRAIN_DENSE, -1, "", 0.990, 1.217) \
    X("mosaic-fsdp-2024", TRAIN_DENSE, 0, "", 0.990, 1.217) \
    X("mosaic-fsdp-2024", TRAIN_DENSE, 0, "h100-sxm", 0.990, 1.217) \
    X("nanotron-2025", TRAIN_DENSE, -1, "", 0.965, 1.931) \
    X("nanotron-2025", TRAIN_DENSE, 0, "", 0.990, 1.160) \
    X("nanotron-2025", TRAIN_DENSE, 0, "h100-sxm-efa3200", 0.990, 1.152) \
    X("nanotron-2025", TRAIN_DENSE, 2, "", 0.881, 7.616) \
    X("nanotron-2025", TRAIN_DENSE, 2, "h100-sxm-efa3200", 0.875, 8.431) \
    X("nanotron-2025", TRAIN_DENSE, 3, "", 0.982, 2.413) \
    X("nanotron-2025", TRAIN_DENSE, 3, "h100-sxm-efa3200", 0.982, 2.426) \
    X("nanotron-2025", TRAIN_DENSE, 4, "", 0.944, 5.921) \
    X("nanotron-2025", TRAIN_DENSE, 4, "h100-sxm-efa3200", 0.943, 6.254) \
    X("nanotron-2025", TRAIN_DENSE, 5, "", 0.940, 2.305) \
    X("nanotron-2025", TRAIN_DENSE, 5, "h100-sxm-efa3200", 0.939, 2.310) \
    X("nemo-2024", TRAIN_DENSE, -1, "", 0.942, 1.040) \
    X("nemo-2024", TRAIN_DENSE, 0, "", 0.942, 1.040) \
    X("nemo-2024", TRAIN_DENSE, 0, "h100-sxm", 0.942, 1.040) \
    X("nemo-2024", TRAIN_MOE, -1, "", 0.990, 1.179) \
    X("nemo-2024", TRAIN_MOE, 0, "", 0.990, 1.179) \
    X("nemo-2024", TRAIN_MOE, 0, "h100-sxm", 0.990, 1.179) \
    X("nemo-2025", TRAIN_DENSE, -1, "", 0.967, 1.101) \
    X("nemo-2025", TRAIN_DENSE, 0, "", 0.967, 1.101) \
    X("nemo-2025", TRAIN_DENSE, 0, "gb200-nvl72", 0.990, 1.167) \
    X("nemo-2025", TRAIN_DENSE, 0, "h100-sxm", 0.951, 1.062) \
    X("nemo-2025", TRAIN_MOE, -1, "", 0.961, 1.842) \
    X("nemo-2025", TRAIN_MOE, 0, "", 0.947, 1.352) \
    X("nemo-2025", TRAIN_MOE, 0, "gb200-nvl72", 0.942, 1.301) \
    X("nim-1.5", IN_FLIGHT, -1, "", 0.974, 2.390) \
    X("nim-1.5", IN_FLIGHT, 0, "", 0.990, 5.557) \
    X("nim-1.5", IN_FLIGHT, 0, "a100-80g-sxm", 0.990, 10.354) \
    X("nim-1.5", IN_FLIGHT, 0, "h100-sxm", 0.990, 4.050) \
    X("nim-1.5", IN_FLIGHT, 2, "", 0.957, 1.089) \
    X("nim-1.5", IN_FLIGHT, 2, "a100-80g-sxm", 0.945, 1.060) \
    X("nim-1.5", IN_FLIGHT, 2, "h100-sxm", 0.990, 1.069) \
    X("nim-1.8", IN_FLIGHT, -1, "", 0.870, 1.155) \
    X("nim-1.8", IN_FLIGHT, 0, "", 0.923, 1.584) \
    X("nim-1.8", IN_FLIGHT, 0, "h100-sxm", 0.931, 1.657) \
    X("nim-1.8", IN_FLIGHT, 2, "", 0.868, 1.010) \
    X("nim-1.8", IN_FLIGHT, 2, "h100-sxm", 0.868, 1.010) \
    X("paddlenlp-2023", TRAIN_DENSE, -1, "", 0.990, 3.969) \
    X("paddlenlp-2023", TRAIN_DENSE, 0, "", 0.990, 3.969) \
    X("paddlenlp-2023", TRAIN_DENSE, 0, "a100-80g-sxm", 0.990, 4.204) \
    X("paxml-2024", TRAIN_DENSE, -1, "", 0.990, 1.289) \
    X("paxml-2024", TRAIN_DENSE, 0, "", 0.990, 1.239) \
    X("paxml-2024", TRAIN_DENSE, 0, "h100-sxm", 0.990, 1.188) \
    X("pytorch-compiled-pointwise-cudagraph", DECODE_DRAM, -1, "", 0.966, 1.051) \
    X("pytorch-compiled-pointwise-cudagraph", DECODE_DRAM, 2, "", 0.966, 1.051) \
    X("pytorch-compiled-pointwise-cudagraph", DECODE_DRAM, 2, "a100-80g-sxm", 0.920, 1.202) \
    X("pytorch-compiled-pointwise-cudagraph", DECODE_DRAM, 2, "h200-sxm", 0.986, 1.033) \
    X("pytorch-compiled-pointwise-cudagraph", PREFILL, -1, "", 0.990, 1.110) \
    X("pytorch-compiled-pointwise-cudagraph", PREFILL, 0, "", 0.990, 1.110) \
    X("pytorch-compiled-pointwise-cudagraph", PREFILL, 0, "h200-sxm", 0.990, 1.110) \
    X("pytorch-compiled-pointwise-cudagraph", PREFILL_SHORT, -1, "", 0.990, 1.083) \
    X("pytorch-eager-cudagraph", DECODE_DRAM, -1, "", 0.989, 1.091) \
    X("pytorch-eager-cudagraph", DECODE_DRAM, 2, "", 0.989, 1.091) \
    X("pytorch-eager-cudagraph", DECODE_DRAM, 2, "h200-sxm", 0.989, 1.091) \
    X("pytorch-eager-cudagraph", PREFILL, -1, "", 0.990, 1.114) \
    X("pytorch-eager-cudagraph", PREFILL, 0, "", 0.990, 1.114) \
    X("pytorch-eager-cudagraph", PREFILL, 0, "h200-sxm", 0.990, 1.114) \
    X("pytorch-eager-cudagraph", PREFILL_SHORT, -1, "", 0.990, 1.165) \
    X("pytorch-eager-cudagraph", INFER_MOE, -1, "", 0.990, 1.118) \
    X("pytorch-eager-cudagraph", INFER_MOE, 2, "", 0.990, 1.096) \
    X("pytorch-eager-cudagraph", INFER_MOE, 2, "h200-sxm", 0.990, 1.095) \
    X("pytorch-eager-stream", PREFILL, -1, "", 0.990, 1.111) \
    X("pytorch-eager-stream", PREFILL, 0, "", 0.990, 1.111) \
    X("pytorch-eager-stream", PREFILL, 0, "h200-sxm", 0.990, 1.111) \
    X("sglang", DECODE_DRAM, -1, "", 0.990, 2.047) \
    X("sglang", DECODE_DRAM, 2, "", 0.990, 2.068) \
    X("sglang", DECODE_DRAM, 2, "h20-sxm", 0.990, 2.070) \
    X("sglang", DECODE_NETWORK, -1, "", 0.990, 1.801) \
    X("sglang", DECODE_NETWORK, 0, "", 0.990, 1.813) \
    X("sglang", DECODE_NETWORK, 0, "h20-sxm", 0.990, 1.813) \
    X("sglang", HOST, -1, "", 0.990, 1.819) \
    X("sglang", PREFILL, -1, "", 0.990, 1.654) \
    X("sglang", PREFILL, 0, "", 0.990, 1.654) \
    X("sglang", PREFILL, 0, "h20-sxm", 0.990, 1.654) \
    X("sglang", INFER_MOE, -1, "", 0.990, 5.155) \
    X("sglang", INFER_MOE, 0, "", 0.990, 3.303) \
    X("sglang", INFER_MOE, 0, "h20-sxm", 0.990, 3.365) \
    X("sglang", INFER_MOE, 4, "", 0.990, 5.698) \
    X("sglang", INFER_MOE, 4, "h20-sxm", 0.990, 5.744) \
    X("sglang-0.5", SERVE, -1, "", 0.990, 1.614) \
    X("sglang-0.5", SERVE, 0, "", 0.990, 1.982) \
    X("sglang-0.5", SERVE, 0, "a100-80g-sxm", 0.884, 1.970) \
    X("sglang-0.5", SERVE, 0, "h100-sxm", 0.990, 2.053) \
    X("sglang-0.5", SERVE, 0, "h200-sxm", 0.990, 1.651) \
    X("sglang-0.5", SERVE, 2, "", 0.990, 1.333) \
    X("sglang-0.5", SERVE, 2, "a100-80g-sxm", 0.990, 1.333) \
    X("sglang-0.5", SERVE, 2, "h100-sxm", 0.988, 1.156) \
    X("sglang-0.5", SERVE, 2, "h200-sxm", 0.990, 1.353) \
    X("sglang-0.5", SERVE, 3, "", 0.990, 1.412) \
    X("sglang-0.5", SERVE, 3, "h200-sxm", 0.990, 1.375) \
    X("sglang-0.5", SERVE_MOE, -1, "", 0.870, 1.397) \
    X("sglang-0.5", SERVE_MOE, 0, "", 0.754, 4.342) \
    X("sglang-0.5", SERVE_MOE, 0, "b200-sxm", 0.673, 1.034) \
    X("sglang-0.5", SERVE_MOE, 2, "", 0.885, 1.657) \
    X("sglang-0.5", SERVE_MOE, 2, "b200-sxm", 0.935, 1.322) \
    X("sglang-0.5", SERVE_MOE, 2, "gb200-nvl72", 0.611, 1.159) \
    X("sglang-0.5", SERVE_MOE, 2, "gb300-nvl72", 0.718, 1.099) \
    X("sglang-0.5", SERVE_MOE, 2, "h100-sxm", 0.990, 4.629) \
    X("sglang-0.5", SERVE_MOE, 2, "h200-sxm", 0.910, 1.407) \
    X("sglang-0.5", SERVE_MOE, 4, "", 0.925, 1.238) \
    X("sglang-0.5", SERVE_MOE, 4, "b200-sxm", 0.928, 1.371) \
    X("sglang-0.5", SERVE_FIRST, -1, "", 0.868, 1.941) \
    X("sglang-0.5", SERVE_FIRST, 0, "", 0.868, 1.941) \
    X("sglang-0.5", SERVE_FIRST, 0, "a100-80g-sxm", 0.412, 4.815) \
    X("sglang-0.5", SERVE_FIRST, 0, "b200-sxm", 0.868, 1.809) \
    X("sglang-0.5", SERVE_FIRST, 0, "gb200-nvl72", 0.803, 2.620) \
    X("sglang-0.5", SERVE_FIRST, 0, "gb300-nvl72", 0.774, 1.901) \
    X("sglang-0.5", SERVE_FIRST, 0, "h100-sxm", 0.896, 2.338) \
    X("sglang-0.5", SERVE_FIRST, 0, "h200-sxm", 0.809, 1.961) \
    X("sglang-rocm-0.5", SERVE_MOE, -1, "", 0.990, 1.677) \
    X("sglang-rocm-0.5", SERVE_MOE, 2, "", 0.990, 1.762) \
    X("sglang-rocm-0.5", SERVE_MOE, 2, "mi300x", 0.990, 1.771) \
    X("sglang-rocm-0.5", SERVE_MOE, 3, "", 0.990, 1.679) \
    X("sglang-rocm-0.5", SERVE_MOE, 3, "mi300x", 0.990, 1.679) \
    X("sglang-rocm-0.5", SERVE_FIRST, -1, "", 0.902, 2.972) \
    X("sglang-rocm-0.5", SERVE_FIRST, 0, "", 0.902, 2.972) \
    X("sglang-rocm-0.5", SERVE_FIRST, 0, "mi300x", 0.902, 2.972) \
    X("tensorrt-10.2-server", SERVE, -1, "", 0.929, 1.176) \
    X("tensorrt-10.2-server", SERVE, 0, "", 0.928, 1.183) \
    X("tensorrt-10.2-server", SERVE_MOE, -1, "", 0.990, 1.232) \
    X("tensorrt-10.2-server", SERVE_FIRST, -1, "", 0.990, 1.677) \
    X("tensorrt-10.2-server", SERVE_FIRST, 0, "", 0.990, 1.677) \
    X("tensorrt-10.2-server", SERVE_FIRST, 0, "gh200-144g", 0.990, 1.426) \
    X("tensorrt-10.2-server", SERVE_FIRST, 0, "h100-sxm", 0.990, 1.743) \
    X("tensorrt-10.2-server", SERVE_FIRST, 0, "h200-sxm", 0.990, 1.635) \
    X("tensorrt-9.3-server", SERVE, -1, "", 0.990, 1.236) \
    X("tensorrt-9.3-server", SERVE, 0, "", 0.990, 1.253) \
    X("tensorrt-9.3-server", SERVE, 0, "h100-sxm", 0.990, 1.240) \
    X("tensorrt-9.3-server", SERVE_FIRST, -1, "", 0.990, 1.629) \
    X("tensorrt-9.3-server", SERVE_FIRST, 0, "", 0.990, 1.629) \
    X("tensorrt-9.3-server", SERVE_FIRST, 0, "h100-sxm", 0.990, 1.688) \
    X("tensorrt-9.3-server", SERVE_FIRST, 0, "h200-sxm", 0.990, 1.580) \
    X("tensorrt-llm-0.9", DECODE_DRAM, -1, "", 0.890, 1.041) \
    X("tensorrt-llm-0.9", DECODE_DRAM, 2, "", 0.884, 1.034) \
    X("tensorrt-llm-0.9", DECODE_DRAM, 2, "h100-sxm", 0.863, 1.010) \
    X("tensorrt-llm-0.9", DECODE_DRAM, 2, "l40s", 0.939, 1.125) \
    X("tensorrt-llm-0.9", DECODE_NETWORK, -1, "", 0.849, 1.158) \
    X("tensorrt-llm-0.9", DECODE_NETWORK, 0, "", 0.832, 1.066) \
    X("tensorrt-llm-0.9", PREFILL, -1, "", 0.900, 1.090) \
    X("tensorrt-llm-0.9", PREFILL, 0, "", 0.870, 1.048) \
    X("tensorrt-llm-0.9", PREFILL_SHORT, -1, "", 0.967, 1.182) \
    X("tensorrt-llm-0.9", PREFILL_SHORT, 2, "", 0.967, 1.189) \
    X("tensorrt-llm-0.9", INFER_MOE, -1, "", 0.695, 1.898) \
    X("tensorrt-llm-0.9", INFER_MOE, 2, "", 0.683, 1.848) \
    X("tensorrt-llm-1.0", SERVE, -1, "", 0.990, 1.254) \
    X("tensorrt-llm-1.0", SERVE, 0, "", 0.990, 1.235) \
    X("tensorrt-llm-1.0", SERVE, 0, "h100-sxm", 0.990, 1.235) \
    X("tensorrt-llm-1.0", SERVE, 2, "", 0.990, 1.271) \
    X("tensorrt-llm-1.0", SERVE, 2, "h100-sxm", 0.990, 1.272) \
    X("tensorrt-llm-1.0", SERVE_FIRST, -1, "", 0.891, 2.572) \
    X("tensorrt-llm-1.0", SERVE_FIRST, 0, "", 0.891, 2.572) \
    X("tensorrt-llm-1.0", SERVE_FIRST, 0, "h100-sxm", 0.891, 2.572) \
    X("tensorrt-llm-1.2", IN_FLIGHT, -1, "", 0.912, 1.017) \
    X("tensorrt-llm-1.2", IN_FLIGHT, 2, "", 0.912, 1.017) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, -1, "", 0.955, 1.274) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 2, "", 0.967, 1.431) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 2, "b200-sxm", 0.972, 1.167) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 2, "h200-sxm", 0.864, 1.526) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 4, "", 0.951, 1.257) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 4, "b200-sxm", 0.990, 1.261) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 4, "gb200-nvl72", 0.955, 1.250) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 4, "h200-sxm", 0.942, 1.272) \
    X("tensorrt-llm-1.2", SERVE, -1, "", 0.953, 1.046) \
    X("tensorrt-llm-1.2", SERVE, 0, "", 0.960, 1.142) \
    X("tensorrt-llm-1.2", SERVE, 0, "b200-sxm", 0.957, 1.010) \
    X("tensorrt-llm-1.2", SERVE, 0, "h200-sxm", 0.939, 1.106) \
    X("tensorrt-llm-1.2", SERVE, 2, "", 0.948, 1.021) \
    X("tensorrt-llm-1.2", SERVE, 2, "b200-sxm", 0.947, 1.024) \
    X("tensorrt-llm-1.2", SERVE, 2, "h200-sxm", 0.950, 1.012) \
    X("tensorrt-llm-1.2", SERVE, 3, "", 0.990, 1.078) \
    X("tensorrt-llm-1.2", SERVE, 3, "b200-sxm", 0.990, 1.083) \
    X("tensorrt-llm-1.2", SERVE, 4, "", 0.983, 1.049) \
    X("tensorrt-llm-1.2", SERVE, 4, "b200-sxm", 0.987, 1.049) \
    X("tensorrt-llm-1.2", SERVE_MOE, -1, "", 0.923, 1.278) \
    X("tensorrt-llm-1.2", SERVE_MOE, 0, "", 0.938, 1.396) \
    X("tensorrt-llm-1.2", SERVE_MOE, 0, "h200-sxm", 0.976, 1.333) \
    X("tensorrt-llm-1.2", SERVE_MOE, 2, "", 0.908, 1.232) \
    X("tensorrt-llm-1.2", SERVE_MOE, 2, "b200-sxm", 0.890, 1.057) \
    X("tensorrt-llm-1.2", SERVE_MOE, 2, "gb200-nvl72", 0.839, 1.076) \
    X("tensorrt-llm-1.2", SERVE_MOE, 2, "gb300-nvl72", 0.921, 1.145) \
    X("tensorrt-llm-1.2", SERVE_MOE, 2, "h200-sxm", 0.990, 1.289) \
    X("tensorrt-llm-1.2", SERVE_MOE, 4, "", 0.949, 1.472) \
    X("tensorrt-llm-1.2", SERVE_MOE, 4, "b200-sxm", 0.952, 1.152) \
    X("tensorrt-llm-1.2", SERVE_MOE, 4, "gb200-nvl72", 0.898, 1.095) \
    X("tensorrt-llm-1.2", SERVE_MOE, 4, "h200-sxm", 0.990, 1.560) \
    X("tensorrt-llm-1.2", SERVE_FIRST, -1, "", 0.864, 1.522) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "", 0.864, 1.522) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "b200-sxm", 0.843, 1.209) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "gb200-nvl72", 0.910, 2.774) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "gb300-nvl72", 0.914, 1.764) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "h100-sxm", 0.990, 4.275) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "h200-sxm", 0.911, 1.853) \
    X("tensorrt-llm-nemo", DECODE_DRAM, -1, "", 0.968, 1.021) \
    X("tensorrt-llm-nemo", DECODE_DRAM, 2, "", 0.968, 1.021) \
    X("tensorrt-llm-nemo", DECODE_DRAM, 2, "a100-80g-sxm", 0.950, 1.016) \
    X("tensorrt-llm-nemo", DECODE_DRAM, 2, "h100-sxm", 0.987, 1.022) \
    X("tensorrt-llm-nemo", DECODE_NETWORK, -1, "", 0.990, 1.066) \
    X("tensorrt-llm-nemo", DECODE_NETWORK, 2, "", 0.990, 1.071) \
    X("tensorrt-llm-nemo", DECODE_NETWORK, 4, "", 0.990, 1.024) \
    X("tensorrt-llm-nemo", DECODE_NETWORK, 4, "h100-sxm", 0.984, 1.010) \
    X("torchtitan-2024-async-tp", TRAIN_DENSE, -1, "", 0.990, 1.385) \
    X("torchtitan-2024-compiled", TRAIN_DENSE, -1, "", 0.990, 1.404) \
    X("torchtitan-2024-compiled", TRAIN_DENSE, 0, "", 0.990, 1.404) \
    X("torchtitan-2024-compiled", TRAIN_DENSE, 0, "h100-sxm-500w-torchtitan", 0.990, 1.404) \
    X("torchtitan-2024-eager", TRAIN_DENSE, -1, "", 0.990, 1.073) \
    X("torchtitan-2024-eager", TRAIN_DENSE, 0, "", 0.990, 1.073) \
    X("torchtitan-2024-eager", TRAIN_DENSE, 0, "a100-80g-sxm", 0.990, 1.081) \
    X("torchtitan-2025-compiled", TRAIN_DENSE, -1, "", 0.990, 1.349) \
    X("torchtitan-2025-compiled", TRAIN_DENSE, 0, "", 0.990, 1.349) \
    X("torchtune-2024-compiled", TRAIN_DENSE, -1, "", 0.802, 1.010) \
    X("torchtune-2024-compiled", TRAIN_DENSE, 0, "", 0.802, 1.010) \
    X("transformers-4", DECODE_DRAM, -1, "", 0.990, 2.939) \
    X("transformers-4", DECODE_DRAM, 2, "", 0.990, 2.939) \
    X("transformers-4", DECODE_DRAM, 2, "a100-80g-sxm", 0.990, 2.939) \
    X("transformers-4.46", HOST, -1, "", 0.862, 1.694) \
    X("transformers-4.46", HOST, 4, "", 0.990, 1.968) \
    X("transformers-4.46", HOST, 4, "a100-80g-sxm", 0.990, 1.946) \
    X("transformers-4.46", HOST, 5, "", 0.844, 1.189) \
    X("transformers-4.46", HOST, 5, "a100-80g-sxm", 0.863, 1.171) \
    X("transformers-4.46", HOST, 5, "h20-sxm", 0.652, 1.403) \
    X("transformers-neuronx-0.13", SERVE, -1, "", 0.990, 1.335) \
    X("transformers-neuronx-0.13", SERVE, 2, "", 0.990, 1.336) \
    X("transformers-neuronx-0.13", SERVE, 2, "trn1.32xlarge", 0.990, 1.336) \
    X("transformers-neuronx-0.13", SERVE, 3, "", 0.981, 1.388) \
    X("transformers-neuronx-0.13", SERVE, 3, "trn1.32xlarge", 0.980, 1.396) \
    X("transformers-neuronx-0.13", SERVE_FIRST, -1, "", 0.990, 3.310) \
    X("transformers-neuronx-0.13", SERVE_FIRST, 0, "", 0.990, 3.310) \
    X("transformers-neuronx-0.13", SERVE_FIRST, 0, "trn1.32xlarge", 0.990, 3.310) \
    X("vllm-0.10", SERVE, -1, "", 0.990, 1.126) \
    X("vllm-0.10", SERVE, 0, "", 0.990, 1.168) \
    X("vllm-0.10", SERVE, 0, "b200-sxm", 0.990, 1.171) \
    X("vllm-0.10", SERVE, 2, "", 0.990, 1.124) \
    X("vllm-0.10", SERVE, 2, "b200-sxm", 0.990, 1.127) \
    X("vllm-0.10", SERVE, 2, "h100-sxm", 0.971, 1.068) \
    X("vllm-0.10", SERVE, 2, "h200-sxm", 0.990, 1.126) \
    X("vllm-0.10", SERVE, 4, "", 0.990, 1.180) \
    X("vllm-0.10", SERVE, 4, "b200-sxm", 0.990, 1.188) \
    X("vllm-0.10", SERVE_MOE, -1, "", 0.990, 1.300) \
    X("vllm-0.10", SERVE_MOE, 2, "", 0.990, 1.304) \
    X("vllm-0.10", SERVE_FIRST, -1, "", 0.952, 1.345) \
    X("vllm-0.10", SERVE_FIRST, 0, "", 0.952, 1.345) \
    X("vllm-0.10", SERVE_FIRST, 0, "b200-sxm", 0.954, 1.621) \
    X("vllm-0.10", SERVE_FIRST, 0, "h100-sxm", 0.902, 1.207) \
    X("vllm-0.10", SERVE_FIRST, 0, "h200-sxm", 0.981, 1.112) \
    X("vllm-0.11", SERVE, -1, "", 0.990, 1.774) \
    X("vllm-0.11", SERVE, 0, "", 0.957, 1.717) \
    X("vllm-0.11", SERVE, 0, "a100-80g-sxm", 0.980, 1.692) \
    X("vllm-0.11", SERVE, 0, "b200-sxm", 0.741, 1.556) \
    X("vllm-0.11", SERVE, 0, "h100-sxm", 0.990, 1.777) \
    X("vllm-0.11", SERVE, 2, "", 0.990, 1.813) \
    X("vllm-0.11", SERVE, 2, "b200-sxm", 0.990, 2.564) \
    X("vllm-0.11", SERVE, 2, "h100-sxm", 0.990, 1.271) \
    X("vllm-0.11", SERVE, 2, "h200-sxm", 0.828, 1.017) \
    X("vllm-0.11", SERVE, 5, "", 0.900, 1.968) \
    X("vllm-0.11", SERVE, 5, "b200-sxm", 0.932, 2.219) \
    X("vllm-0.11", SERVE, 5, "h100-sxm", 0.990, 1.739) \
    X("vllm-0.11", SERVE, 5, "h200-sxm", 0.837, 1.189) \
    X("vllm-0.11", SERVE_MOE, -1, "", 0.900, 1.735) \
    X("vllm-0.11", SERVE_MOE, 0, "", 0.833, 1.662) \
    X("vllm-0.11", SERVE_MOE, 0, "a100-80g-sxm", 0.825, 1.615) \
    X("vllm-0.11", SERVE_MOE, 0, "h100-sxm", 0.802, 1.820) \
    X("vllm-0.11", SERVE_MOE, 0, "h200-sxm", 0.990, 2.414) \
    X("vllm-0.11", SERVE_MOE, 2, "", 0.925, 1.880) \
    X("vllm-0.11", SERVE_MOE, 2, "a100-80g-sxm", 0.990, 1.748) \
    X("vllm-0.11", SERVE_MOE, 2, "b200-sxm", 0.924, 1.955) \
    X("vllm-0.11", SERVE_MOE, 2, "h100-sxm", 0.926, 1.752) \
    X("vllm-0.11", SERVE_MOE, 5, "", 0.887, 1.706) \
    X("vllm-0.11", SERVE_MOE, 5, "b200-sxm", 0.903, 1.977) \
    X("vllm-0.11", SERVE_MOE, 5, "h100-sxm", 0.874, 1.117) \
    X("vllm-0.11", SERVE_FIRST, -1, "", 0.838, 1.760) \
    X("vllm-0.11", SERVE_FIRST, 0, "", 0.838, 1.760) \
    X("vllm-0.11", SERVE_FIRST, 0, "a100-80g-sxm", 0.910, 1.735) \
    X("vllm-0.11", SERVE_FIRST, 0, "h100-sxm", 0.830, 1.867) \
    X("vllm-0.11", SERVE_FIRST, 0, "h200-sxm", 0.717, 1.720) \
    X("vllm-0.14", SERVE_MOE, -1, "", 0.959, 1.228) \
    X("vllm-0.14", SERVE_MOE, 2, "", 0.950, 1.187) \
    X("vllm-0.14", SERVE_MOE, 2, "b200-sxm", 0.930, 1.086) \
    X("vllm-0.14", SERVE_MOE, 2, "h200-sxm", 0.990, 1.298) \
    X("vllm-0.14", SERVE_MOE, 4, "", 0.990, 1.470) \
    X("vllm-0.14", SERVE_MOE, 4, "b200-sxm", 0.990, 1.224) \
    X("vllm-0.14", SERVE_FIRST, -1, "", 0.890, 1.458) \
    X("vllm-0.14", SERVE_FIRST, 0, "", 0.890, 1.458) \
    X("vllm-0.14", SERVE_FIRST, 0, "b200-sxm", 0.883, 1.261) \
    X("vllm-0.17", SERVE, -1, "", 0.988, 1.010) \
    X("vllm-0.17", SERVE, 2, "", 0.988, 1.010) \
    X("vllm-0.17", SERVE, 2, "rtx-pro-6000-blackwell", 0.988, 1.010) \
    X("vllm-0.17", SERVE_MOE, -1, "", 0.946, 1.144) \
    X("vllm-0.17", SERVE_MOE, 0, "", 0.807, 1.051) \
    X("vllm-0.17", SERVE_MOE, 0, "b200-sxm", 0.750, 1.010) \
    X("vllm-0.17", SERVE_MOE, 0, "h200-sxm", 0.970, 1.048) \
    X("vllm-0.17", SERVE_MOE, 2, "", 0.902, 1.122) \
    X("vllm-0.17", SERVE_MOE, 2, "b200-sxm", 0.889, 1.182) \
    X("vllm-0.17", SERVE_MOE, 2, "h100-sxm", 0.942, 1.102) \
    X("vllm-0.17", SERVE_MOE, 2, "h200-sxm", 0.980, 1.117) \
    X("vllm-0.17", SERVE_MOE, 4, "", 0.978, 1.173) \
    X("vllm-0.17", SERVE_MOE, 4, "b200-sxm", 0.942, 1.080) \
    X("vllm-0.17", SERVE_MOE, 4, "h100-sxm", 0.990, 1.178) \
    X("vllm-0.17", SERVE_MOE, 4, "h200-sxm", 0.990, 1.182) \
    X("vllm-0.17", SERVE_FIRST, -1, "", 0.848, 1.187) \
    X("vllm-0.17", SERVE_FIRST, 0, "", 0.848, 1.187) \
    X("vllm-0.17", SERVE_FIRST, 0, "b200-sxm", 0.990, 1.583) \
    X("vllm-0.17", SERVE_FIRST, 0, "gb200-nvl72", 0.990, 2.367) \
    X("vllm-0.17", SERVE_FIRST, 0, "h100-sxm", 0.954, 1.197) \
    X("vllm-0.17", SERVE_FIRST, 0, "h200-sxm", 0.990, 1.628) \
    X("vllm-0.17", SERVE_FIRST, 0, "rtx-pro-6000-blackwell", 0.765, 1.010) \
    X("vllm-0.5", DECODE_DRAM, -1, "", 0.990, 1.062) \
    X("vllm-0.5", DECODE_DRAM, 2, "", 0.990, 1.062) \
    X("vllm-0.5", DECODE_DRAM, 2, "gh200-96g", 0.990, 1.062) \
    X("vllm-0.5", HOST, -1, "", 0.959, 1.021) \
    X("vllm-0.5", HOST, 2, "", 0.959, 1.020) \
    X("vllm-0.5", HOST, 2, "gh200-96g", 0.959, 1.020) \
    X("vllm-0.6", DECODE_DRAM, -1, "", 0.950, 1.103) \
    X("vllm-0.6", DECODE_DRAM, 2, "", 0.949, 1.108) \
    X("vllm-0.6", DECODE_DRAM, 2, "a100-40g-sxm-4x", 0.934, 1.265) \
    X("vllm-0.6", DECODE_DRAM, 2, "a100-80g-sxm", 0.960, 1.122) \
    X("vllm-0.6", DECODE_NETWORK, -1, "", 0.990, 1.105) \
    X("vllm-0.6", DECODE_NETWORK, 0, "", 0.990, 1.105) \
    X("vllm-0.6", DECODE_NETWORK, 0, "a100-80g-sxm", 0.990, 1.105) \
    X("vllm-0.6", HOST, -1, "", 0.960, 1.093) \
    X("vllm-0.6", HOST, 0, "", 0.985, 1.100) \
    X("vllm-0.6", HOST, 0, "a100-80g-sxm", 0.989, 1.101) \
    X("vllm-0.6", HOST, 2, "", 0.956, 1.057) \
    X("vllm-0.6", HOST, 2, "a100-40g-sxm-4x", 0.921, 1.044) \
    X("vllm-0.6", HOST, 2, "a100-80g-sxm", 0.990, 1.068) \
    X("vllm-0.6", HOST, 5, "", 0.888, 1.105) \
    X("vllm-0.6", HOST, 5, "a100-80g-sxm", 0.881, 1.107) \
    X("vllm-0.6", PREFILL, -1, "", 0.990, 1.535) \
    X("vllm-0.6", PREFILL, 0, "", 0.990, 1.535) \
    X("vllm-0.6", PREFILL, 0, "a100-80g-sxm", 0.990, 1.535) \
    X("vllm-0.6", INFER_MOE, -1, "", 0.927, 1.067) \
    X("vllm-0.6", INFER_MOE, 2, "", 0.927, 1.067) \
    X("vllm-0.6", INFER_MOE, 2, "a100-40g-sxm-4x", 0.927, 1.067)
