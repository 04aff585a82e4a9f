/* Written by tools/check_drift.sh --record from `orrery validate --intervals`: do not edit.
 * 80 % of the measured times of a class are expected between low and high times the predicted
 * one; validate/intervals.c has the rules. "left out": inside the interval made without their
 * own source. Columns: regime, low and high on calibrated chips, the same on datasheet chips. */
#define ORR_INTERVALS(X) \
    /* Calibrated: rows 1186, sources 25, inside 74 %, left out 73 %. \
       Datasheet: rows 91, sources 7, inside 85 %, left out 84 %. */ \
    X(TRAIN_DENSE, 0.94, 1.22, 0.90, 1.22) \
    /* Calibrated: rows 19, sources 3, inside 95 %, left out 95 %. \
       Datasheet: rows 22, sources 5, inside 77 %, left out 77 %. */ \
    X(TRAIN_MOE, 0.67, 1.52, 0.59, 1.52) \
    /* Calibrated: rows 333, sources 9, inside 75 %, left out 75 %. \
       Datasheet: rows 17, sources 2, inside 82 %, left out 82 %. */ \
    X(DECODE_DRAM, 0.93, 1.08, 0.92, 1.14) \
    /* Calibrated: rows 91, sources 5, inside 81 %, left out 77 %. \
       Datasheet: rows 3, sources 1, inside 100 %, left out 33 %. */ \
    X(DECODE_NETWORK, 0.89, 1.12, 0.89, 1.18) \
    /* Calibrated: rows 16, sources 2, inside 94 %, left out 88 %. \
       Datasheet: rows 36, sources 1, inside 100 %, left out 100 %. */ \
    X(HOST, 0.89, 1.38, 0.84, 1.38) \
    /* Calibrated: rows 130, sources 6, inside 88 %, left out 87 %. \
       Datasheet: rows 5, sources 1, inside 80 %, left out 80 %. */ \
    X(PREFILL, 0.87, 1.20, 0.78, 1.20) \
    /* Calibrated: rows 43, sources 5, inside 93 %, left out 93 %. \
       Datasheet: rows 1, sources 1, inside 100 %, left out 100 %. */ \
    X(PREFILL_SHORT, 0.93, 1.54, 0.79, 1.54) \
    /* Calibrated: rows 54, sources 5, inside 91 %, left out 89 %. \
       Datasheet: rows 5, sources 1, inside 80 %, left out 60 %. */ \
    X(INFER_MOE, 0.92, 1.43, 0.64, 1.43) \
    /* Calibrated: rows 127, sources 3, inside 77 %, left out 74 %. \
       Datasheet: rows 6, sources 2, inside 100 %, left out 100 %. */ \
    X(IN_FLIGHT, 0.82, 1.21, 0.82, 1.21) \
    /* Calibrated: rows 61, sources 2, inside 98 %, left out 93 %. \
       Datasheet: rows 23, sources 1, inside 100 %, left out 100 %. */ \
    X(IN_FLIGHT_MOE, 0.67, 1.70, 0.66, 1.70) \
    /* Calibrated: rows 1597, sources 5, inside 80 %, left out 76 %. \
       Datasheet: rows 362, sources 4, inside 99 %, left out 99 %. */ \
    X(SERVE, 0.92, 1.33, 0.92, 1.77) \
    /* Calibrated: rows 1147, sources 4, inside 81 %, left out 78 %. \
       Datasheet: rows 94, sources 2, inside 85 %, left out 84 %. */ \
    X(SERVE_MOE, 0.82, 1.43, 0.74, 1.43) \
    /* Calibrated: rows 1002, sources 4, inside 87 %, left out 88 %. \
       Datasheet: rows 459, sources 5, inside 85 %, left out 83 %. */ \
    X(SERVE_FIRST, 0.75, 1.85, 0.73, 2.47)

/* Engines with at least 8 measured times in a regime, with their families; regimes as bits;
 * architectures of the chips. */
#define ORR_MEASURED(X) \
    X("fastertransformer", "fastertransformer", 0x02c, " ampere ") \
    X("fastertransformer-4.0", "fastertransformer", 0x004, " ampere ") \
    X("fastertransformer-5.0-beta", "fastertransformer", 0x024, " ampere ") \
    X("hf-transformers-2026-autocast", "hf-transformers", 0x001, " hopper ") \
    X("hf-transformers-2026-compiled", "hf-transformers", 0x001, " hopper ") \
    X("hf-transformers-2026-eager", "hf-transformers", 0x001, " hopper ") \
    X("internevo-2023", "internevo", 0x001, " ampere ") \
    X("lmdeploy-turbomind-0.2", "lmdeploy", 0x004, " ampere ") \
    X("maxtext-2024", "maxtext", 0x001, " hopper ") \
    X("maxtext-2025", "maxtext", 0x001, " hopper tpu ") \
    X("megatron-core-2024", "megatron-core", 0x001, " hopper ") \
    X("megatron-core-2026", "megatron-core", 0x003, " blackwell hopper ") \
    X("megatron-deepspeed-2022-fp16", "megatron-deepspeed", 0x001, " ampere ") \
    X("megatron-lm-2020", "megatron-lm", 0x001, " ampere volta ") \
    X("megatron-lm-2021", "megatron-lm", 0x001, " ampere ") \
    X("megatron-lm-2022", "megatron-lm", 0x001, " ampere ") \
    X("mosaic-fsdp", "llm-foundry", 0x001, " ampere hopper ") \
    X("mosaic-fsdp-2023-pure", "llm-foundry", 0x001, " ampere ") \
    X("mosaic-fsdp-2024", "llm-foundry", 0x001, " hopper ") \
    X("nanotron-2025", "nanotron", 0x001, " hopper ") \
    X("nemo-2024", "nemo", 0x003, " hopper ") \
    X("nemo-2025", "nemo", 0x003, " blackwell hopper ") \
    X("nim-1.5", "nim", 0x100, " ampere hopper ") \
    X("nim-1.8", "nim", 0x100, " hopper ") \
    X("paddlenlp-2023", "paddlenlp", 0x001, " ampere ") \
    X("paxml-2024", "paxml", 0x001, " ampere hopper ") \
    X("pytorch-compiled-pointwise-cudagraph", "", 0x064, " hopper ") \
    X("pytorch-eager", "pytorch", 0x001, " hopper ") \
    X("pytorch-eager-cudagraph", "", 0x0e4, " hopper ") \
    X("pytorch-eager-stream", "", 0x020, " hopper ") \
    X("sglang-0.5", "sglang", 0x1c00, " blackwell hopper ") \
    X("tensorrt-10.2-server", "tensorrt-server", 0x1c00, " hopper ada ") \
    X("tensorrt-9.3-server", "tensorrt-server", 0x1400, " hopper ") \
    X("tensorrt-llm-0.9", "tensorrt-llm", 0x0ec, " ampere hopper ada ") \
    X("tensorrt-llm-1.0", "tensorrt-llm", 0x1400, " hopper ") \
    X("tensorrt-llm-1.2", "tensorrt-llm", 0x1f00, " blackwell hopper ") \
    X("tensorrt-llm-nemo", "nemo-export", 0x00c, " ampere hopper ") \
    X("torchtitan-2024-async-tp", "torchtitan", 0x001, " hopper ") \
    X("torchtitan-2024-compiled", "torchtitan", 0x001, " hopper ") \
    X("torchtitan-2024-eager", "torchtitan", 0x001, " ampere hopper ") \
    X("torchtitan-2025-compiled", "torchtitan", 0x001, " hopper ") \
    X("transformers-neuronx-0.13", "transformers-neuronx", 0x1400, " trainium ") \
    X("vllm-0.10", "vllm", 0x1c00, " blackwell hopper ") \
    X("vllm-0.11", "vllm", 0x1c00, " hopper blackwell ") \
    X("vllm-0.14", "vllm", 0x1800, " hopper blackwell ") \
    X("vllm-0.17", "vllm", 0x1c00, " blackwell hopper blackwell-rtx ") \
    X("vllm-0.5", "vllm", 0x014, " hopper ") \
    X("vllm-0.6", "vllm", 0x094, " ampere ")

/* What runs of these engines differ by (validate/cells.c): engine, regime, resource that dominates the
 * time (-1: any), system ("": any), low and high. */
#define ORR_MEASURED_CELLS(X) \
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
    X("megatron-core-2026", TRAIN_MOE, -1, "", 0.913, 1.468) \
    X("megatron-core-2026", TRAIN_MOE, 0, "", 0.926, 1.507) \
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
    X("nemo-2025", TRAIN_DENSE, -1, "", 0.968, 1.142) \
    X("nemo-2025", TRAIN_DENSE, 0, "", 0.968, 1.142) \
    X("nemo-2025", TRAIN_DENSE, 0, "gb200-nvl72", 0.990, 1.200) \
    X("nemo-2025", TRAIN_DENSE, 0, "h100-sxm", 0.951, 1.038) \
    X("nemo-2025", TRAIN_MOE, -1, "", 0.990, 1.879) \
    X("nemo-2025", TRAIN_MOE, 0, "", 0.990, 1.360) \
    X("nemo-2025", TRAIN_MOE, 0, "gb200-nvl72", 0.990, 1.308) \
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
    X("paddlenlp-2023", TRAIN_DENSE, -1, "", 0.990, 1.358) \
    X("paddlenlp-2023", TRAIN_DENSE, 0, "", 0.990, 1.358) \
    X("paxml-2024", TRAIN_DENSE, -1, "", 0.990, 1.289) \
    X("paxml-2024", TRAIN_DENSE, 0, "", 0.990, 1.239) \
    X("paxml-2024", TRAIN_DENSE, 0, "h100-sxm", 0.990, 1.188) \
    X("pytorch-compiled-pointwise-cudagraph", DECODE_DRAM, -1, "", 0.986, 1.032) \
    X("pytorch-compiled-pointwise-cudagraph", DECODE_DRAM, 2, "", 0.986, 1.032) \
    X("pytorch-compiled-pointwise-cudagraph", DECODE_DRAM, 2, "h200-sxm", 0.986, 1.032) \
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
    X("sglang-0.5", SERVE, -1, "", 0.990, 1.207) \
    X("sglang-0.5", SERVE, 0, "", 0.990, 1.141) \
    X("sglang-0.5", SERVE, 0, "h100-sxm", 0.990, 1.064) \
    X("sglang-0.5", SERVE, 0, "h200-sxm", 0.990, 1.506) \
    X("sglang-0.5", SERVE, 2, "", 0.987, 1.209) \
    X("sglang-0.5", SERVE, 2, "h100-sxm", 0.986, 1.123) \
    X("sglang-0.5", SERVE, 2, "h200-sxm", 0.990, 1.340) \
    X("sglang-0.5", SERVE, 3, "", 0.990, 1.333) \
    X("sglang-0.5", SERVE, 3, "h200-sxm", 0.990, 1.359) \
    X("sglang-0.5", SERVE_MOE, -1, "", 0.831, 1.176) \
    X("sglang-0.5", SERVE_MOE, 0, "", 0.657, 1.010) \
    X("sglang-0.5", SERVE_MOE, 0, "b200-sxm", 0.649, 1.010) \
    X("sglang-0.5", SERVE_MOE, 2, "", 0.822, 1.192) \
    X("sglang-0.5", SERVE_MOE, 2, "b200-sxm", 0.983, 1.227) \
    X("sglang-0.5", SERVE_MOE, 2, "gb200-nvl72", 0.607, 1.125) \
    X("sglang-0.5", SERVE_MOE, 2, "gb300-nvl72", 0.712, 1.060) \
    X("sglang-0.5", SERVE_MOE, 2, "h200-sxm", 0.968, 1.413) \
    X("sglang-0.5", SERVE_MOE, 4, "", 0.990, 1.165) \
    X("sglang-0.5", SERVE_MOE, 4, "b200-sxm", 0.990, 1.167) \
    X("sglang-0.5", SERVE_FIRST, -1, "", 0.892, 1.981) \
    X("sglang-0.5", SERVE_FIRST, 0, "", 0.892, 1.981) \
    X("sglang-0.5", SERVE_FIRST, 0, "b200-sxm", 0.988, 1.889) \
    X("sglang-0.5", SERVE_FIRST, 0, "gb200-nvl72", 0.810, 2.652) \
    X("sglang-0.5", SERVE_FIRST, 0, "gb300-nvl72", 0.776, 1.910) \
    X("sglang-0.5", SERVE_FIRST, 0, "h100-sxm", 0.886, 1.560) \
    X("sglang-0.5", SERVE_FIRST, 0, "h200-sxm", 0.765, 2.138) \
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
    X("tensorrt-llm-1.2", SERVE, -1, "", 0.951, 1.029) \
    X("tensorrt-llm-1.2", SERVE, 0, "", 0.955, 1.010) \
    X("tensorrt-llm-1.2", SERVE, 0, "b200-sxm", 0.957, 1.010) \
    X("tensorrt-llm-1.2", SERVE, 0, "h200-sxm", 0.939, 1.084) \
    X("tensorrt-llm-1.2", SERVE, 2, "", 0.948, 1.020) \
    X("tensorrt-llm-1.2", SERVE, 2, "b200-sxm", 0.947, 1.024) \
    X("tensorrt-llm-1.2", SERVE, 2, "h200-sxm", 0.950, 1.012) \
    X("tensorrt-llm-1.2", SERVE, 3, "", 0.990, 1.076) \
    X("tensorrt-llm-1.2", SERVE, 3, "b200-sxm", 0.990, 1.083) \
    X("tensorrt-llm-1.2", SERVE, 4, "", 0.983, 1.047) \
    X("tensorrt-llm-1.2", SERVE, 4, "b200-sxm", 0.987, 1.049) \
    X("tensorrt-llm-1.2", SERVE_MOE, -1, "", 0.923, 1.254) \
    X("tensorrt-llm-1.2", SERVE_MOE, 0, "", 0.932, 1.308) \
    X("tensorrt-llm-1.2", SERVE_MOE, 0, "h200-sxm", 0.976, 1.327) \
    X("tensorrt-llm-1.2", SERVE_MOE, 2, "", 0.908, 1.216) \
    X("tensorrt-llm-1.2", SERVE_MOE, 2, "b200-sxm", 0.890, 1.056) \
    X("tensorrt-llm-1.2", SERVE_MOE, 2, "gb200-nvl72", 0.838, 1.074) \
    X("tensorrt-llm-1.2", SERVE_MOE, 2, "gb300-nvl72", 0.921, 1.143) \
    X("tensorrt-llm-1.2", SERVE_MOE, 2, "h200-sxm", 0.990, 1.288) \
    X("tensorrt-llm-1.2", SERVE_MOE, 4, "", 0.948, 1.471) \
    X("tensorrt-llm-1.2", SERVE_MOE, 4, "b200-sxm", 0.952, 1.152) \
    X("tensorrt-llm-1.2", SERVE_MOE, 4, "gb200-nvl72", 0.898, 1.094) \
    X("tensorrt-llm-1.2", SERVE_MOE, 4, "h200-sxm", 0.990, 1.560) \
    X("tensorrt-llm-1.2", SERVE_FIRST, -1, "", 0.864, 1.505) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "", 0.864, 1.505) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "b200-sxm", 0.843, 1.209) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "gb200-nvl72", 0.932, 2.783) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "gb300-nvl72", 0.916, 1.767) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "h200-sxm", 0.911, 1.852) \
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
    X("vllm-0.11", SERVE, -1, "", 0.990, 1.881) \
    X("vllm-0.11", SERVE, 0, "", 0.926, 1.371) \
    X("vllm-0.11", SERVE, 0, "b200-sxm", 0.799, 1.682) \
    X("vllm-0.11", SERVE, 0, "h100-sxm", 0.990, 1.296) \
    X("vllm-0.11", SERVE, 2, "", 0.990, 1.898) \
    X("vllm-0.11", SERVE, 2, "b200-sxm", 0.990, 2.646) \
    X("vllm-0.11", SERVE, 2, "h100-sxm", 0.990, 1.250) \
    X("vllm-0.11", SERVE, 2, "h200-sxm", 0.828, 1.024) \
    X("vllm-0.11", SERVE, 5, "", 0.946, 2.107) \
    X("vllm-0.11", SERVE, 5, "b200-sxm", 0.990, 2.378) \
    X("vllm-0.11", SERVE, 5, "h100-sxm", 0.990, 1.753) \
    X("vllm-0.11", SERVE, 5, "h200-sxm", 0.842, 1.199) \
    X("vllm-0.11", SERVE_MOE, -1, "", 0.912, 1.726) \
    X("vllm-0.11", SERVE_MOE, 2, "", 0.937, 1.755) \
    X("vllm-0.11", SERVE_MOE, 2, "b200-sxm", 0.924, 1.951) \
    X("vllm-0.11", SERVE_MOE, 2, "h100-sxm", 0.948, 1.616) \
    X("vllm-0.11", SERVE_MOE, 5, "", 0.887, 1.706) \
    X("vllm-0.11", SERVE_MOE, 5, "b200-sxm", 0.903, 1.977) \
    X("vllm-0.11", SERVE_MOE, 5, "h100-sxm", 0.874, 1.117) \
    X("vllm-0.11", SERVE_FIRST, -1, "", 0.779, 1.183) \
    X("vllm-0.11", SERVE_FIRST, 0, "", 0.779, 1.183) \
    X("vllm-0.11", SERVE_FIRST, 0, "h100-sxm", 0.809, 1.022) \
    X("vllm-0.11", SERVE_FIRST, 0, "h200-sxm", 0.714, 1.604) \
    X("vllm-0.14", SERVE_MOE, -1, "", 0.959, 1.228) \
    X("vllm-0.14", SERVE_MOE, 2, "", 0.950, 1.187) \
    X("vllm-0.14", SERVE_MOE, 2, "b200-sxm", 0.930, 1.086) \
    X("vllm-0.14", SERVE_MOE, 2, "h200-sxm", 0.990, 1.298) \
    X("vllm-0.14", SERVE_MOE, 4, "", 0.990, 1.470) \
    X("vllm-0.14", SERVE_MOE, 4, "b200-sxm", 0.990, 1.224) \
    X("vllm-0.14", SERVE_FIRST, -1, "", 0.890, 1.458) \
    X("vllm-0.14", SERVE_FIRST, 0, "", 0.890, 1.458) \
    X("vllm-0.14", SERVE_FIRST, 0, "b200-sxm", 0.883, 1.261) \
    X("vllm-0.17", SERVE, -1, "", 0.990, 1.092) \
    X("vllm-0.17", SERVE, 2, "", 0.990, 1.092) \
    X("vllm-0.17", SERVE, 2, "rtx-pro-6000-blackwell", 0.990, 1.092) \
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
    X("vllm-0.17", SERVE_FIRST, -1, "", 0.868, 1.200) \
    X("vllm-0.17", SERVE_FIRST, 0, "", 0.868, 1.200) \
    X("vllm-0.17", SERVE_FIRST, 0, "b200-sxm", 0.990, 1.584) \
    X("vllm-0.17", SERVE_FIRST, 0, "gb200-nvl72", 0.990, 2.392) \
    X("vllm-0.17", SERVE_FIRST, 0, "h100-sxm", 0.955, 1.197) \
    X("vllm-0.17", SERVE_FIRST, 0, "h200-sxm", 0.990, 1.628) \
    X("vllm-0.17", SERVE_FIRST, 0, "rtx-pro-6000-blackwell", 0.808, 1.148) \
    X("vllm-0.5", DECODE_DRAM, -1, "", 0.990, 1.062) \
    X("vllm-0.5", DECODE_DRAM, 2, "", 0.990, 1.062) \
    X("vllm-0.5", DECODE_DRAM, 2, "gh200-96g", 0.990, 1.062) \
    X("vllm-0.5", HOST, -1, "", 0.959, 1.021) \
    X("vllm-0.5", HOST, 2, "", 0.959, 1.020) \
    X("vllm-0.5", HOST, 2, "gh200-96g", 0.959, 1.020) \
    X("vllm-0.6", DECODE_DRAM, -1, "", 0.931, 1.308) \
    X("vllm-0.6", DECODE_DRAM, 2, "", 0.931, 1.308) \
    X("vllm-0.6", DECODE_DRAM, 2, "a100-40g-sxm-4x", 0.931, 1.308) \
    X("vllm-0.6", HOST, -1, "", 0.914, 1.041) \
    X("vllm-0.6", HOST, 2, "", 0.914, 1.041) \
    X("vllm-0.6", HOST, 2, "a100-40g-sxm-4x", 0.914, 1.041) \
    X("vllm-0.6", INFER_MOE, -1, "", 0.927, 1.067) \
    X("vllm-0.6", INFER_MOE, 2, "", 0.927, 1.067) \
    X("vllm-0.6", INFER_MOE, 2, "a100-40g-sxm-4x", 0.927, 1.067)
