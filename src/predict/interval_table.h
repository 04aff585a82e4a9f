/* Written by tools/check_drift.sh --record from `orrery validate --intervals`: do not edit.
 * 80 % of the measured times of a class are expected between low and high times the predicted
 * one; validate/intervals.c has the rules. "left out": inside the interval made without their
 * own source. Columns: regime, low and high on calibrated chips, the same on datasheet chips. */
#define ORR_INTERVALS(X) \
    /* Calibrated: rows 1172, sources 25, inside 73 %, left out 72 %. \
       Datasheet: rows 91, sources 7, inside 81 %, left out 82 %. */ \
    X(TRAIN_DENSE, 0.95, 1.22, 0.90, 1.22) \
    /* Calibrated: rows 19, sources 3, inside 95 %, left out 95 %. \
       Datasheet: rows 22, sources 5, inside 77 %, left out 77 %. */ \
    X(TRAIN_MOE, 0.68, 1.55, 0.61, 1.55) \
    /* Calibrated: rows 333, sources 9, inside 75 %, left out 75 %. \
       Datasheet: rows 17, sources 2, inside 82 %, left out 82 %. */ \
    X(DECODE_DRAM, 0.93, 1.08, 0.92, 1.14) \
    /* Calibrated: rows 91, sources 5, inside 81 %, left out 77 %. \
       Datasheet: rows 3, sources 1, inside 100 %, left out 33 %. */ \
    X(DECODE_NETWORK, 0.89, 1.11, 0.89, 1.18) \
    /* Calibrated: rows 16, sources 2, inside 94 %, left out 88 %. \
       Datasheet: rows 36, sources 1, inside 100 %, left out 100 %. */ \
    X(HOST, 0.89, 1.38, 0.84, 1.38) \
    /* Calibrated: rows 130, sources 6, inside 88 %, left out 87 %. \
       Datasheet: rows 5, sources 1, inside 80 %, left out 80 %. */ \
    X(PREFILL, 0.87, 1.20, 0.78, 1.20) \
    /* Calibrated: rows 43, sources 5, inside 93 %, left out 93 %. \
       Datasheet: rows 1, sources 1, inside 100 %, left out 100 %. */ \
    X(PREFILL_SHORT, 0.93, 1.54, 0.79, 1.54) \
    /* Calibrated: rows 54, sources 5, inside 87 %, left out 87 %. \
       Datasheet: rows 5, sources 1, inside 80 %, left out 60 %. */ \
    X(INFER_MOE, 0.92, 1.33, 0.63, 1.33) \
    /* Calibrated: rows 127, sources 3, inside 77 %, left out 74 %. \
       Datasheet: rows 6, sources 2, inside 100 %, left out 100 %. */ \
    X(IN_FLIGHT, 0.82, 1.21, 0.82, 1.21) \
    /* Calibrated: rows 61, sources 2, inside 97 %, left out 92 %. \
       Datasheet: rows 23, sources 1, inside 100 %, left out 100 %. */ \
    X(IN_FLIGHT_MOE, 0.72, 1.57, 0.71, 1.57) \
    /* Calibrated: rows 1597, sources 5, inside 80 %, left out 78 %. \
       Datasheet: rows 308, sources 3, inside 100 %, left out 100 %. */ \
    X(SERVE, 0.89, 1.37, 0.89, 1.77) \
    /* Calibrated: rows 1173, sources 4, inside 84 %, left out 81 %. \
       Datasheet: rows 94, sources 2, inside 82 %, left out 73 %. */ \
    X(SERVE_MOE, 0.80, 1.52, 0.66, 1.52) \
    /* Calibrated: rows 1011, sources 4, inside 89 %, left out 87 %. \
       Datasheet: rows 432, sources 4, inside 84 %, left out 86 %. */ \
    X(SERVE_FIRST, 0.73, 2.51, 0.72, 2.51)

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
    X("tensorrt-llm-0.9", "tensorrt-llm", 0x0ec, " ampere hopper ada ") \
    X("tensorrt-llm-1.0", "tensorrt-llm", 0x1400, " hopper ") \
    X("tensorrt-llm-1.2", "tensorrt-llm", 0x1f00, " blackwell hopper ") \
    X("tensorrt-llm-nemo", "nemo-export", 0x00c, " ampere hopper ") \
    X("torchtitan-2024-async-tp", "torchtitan", 0x001, " hopper ") \
    X("torchtitan-2024-compiled", "torchtitan", 0x001, " hopper ") \
    X("torchtitan-2024-eager", "torchtitan", 0x001, " ampere hopper ") \
    X("torchtitan-2025-compiled", "torchtitan", 0x001, " hopper ") \
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
    X("hf-transformers-2026-eager", TRAIN_DENSE, -1, "", 0.990, 1.366) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, 0, "", 0.990, 1.112) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, 0, "h200-sxm", 0.990, 1.101) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, 2, "", 0.990, 1.483) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, 2, "h200-sxm", 0.990, 1.502) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, 5, "", 0.990, 1.413) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, 5, "h200-sxm", 0.990, 1.420) \
    X("internevo-2023", TRAIN_DENSE, -1, "", 0.990, 1.132) \
    X("internevo-2023", TRAIN_DENSE, 0, "", 0.990, 1.132) \
    X("internevo-2023", TRAIN_DENSE, 0, "a100-80g-sxm-roce400", 0.990, 1.132) \
    X("lmdeploy-turbomind-0.2", DECODE_DRAM, -1, "", 0.947, 1.059) \
    X("lmdeploy-turbomind-0.2", DECODE_DRAM, 2, "", 0.947, 1.059) \
    X("lmdeploy-turbomind-0.2", DECODE_DRAM, 2, "a100-80g-sxm", 0.947, 1.059) \
    X("maxtext-2024", TRAIN_DENSE, -1, "", 0.938, 1.055) \
    X("maxtext-2024", TRAIN_DENSE, 0, "", 0.938, 1.055) \
    X("maxtext-2024", TRAIN_DENSE, 0, "h100-sxm", 0.938, 1.055) \
    X("maxtext-2025", TRAIN_DENSE, -1, "", 0.968, 1.101) \
    X("maxtext-2025", TRAIN_DENSE, 0, "", 0.968, 1.101) \
    X("maxtext-2025", TRAIN_DENSE, 0, "h100-sxm", 0.928, 1.018) \
    X("maxtext-2025", TRAIN_DENSE, 0, "tpu-v6e", 0.990, 1.116) \
    X("megatron-core-2024", TRAIN_DENSE, -1, "", 0.990, 1.142) \
    X("megatron-core-2024", TRAIN_DENSE, 0, "", 0.990, 1.142) \
    X("megatron-core-2024", TRAIN_DENSE, 0, "h100-sxm", 0.990, 1.142) \
    X("megatron-core-2026", TRAIN_DENSE, -1, "", 0.927, 1.043) \
    X("megatron-core-2026", TRAIN_DENSE, 0, "", 0.927, 1.043) \
    X("megatron-core-2026", TRAIN_MOE, -1, "", 0.924, 1.492) \
    X("megatron-core-2026", TRAIN_MOE, 0, "", 0.939, 1.531) \
    X("megatron-deepspeed-2022-fp16", TRAIN_DENSE, -1, "", 0.968, 1.127) \
    X("megatron-deepspeed-2022-fp16", TRAIN_DENSE, 0, "", 0.969, 1.091) \
    X("megatron-deepspeed-2022-fp16", TRAIN_DENSE, 0, "a100-80g-sxm-800g", 0.969, 1.090) \
    X("megatron-deepspeed-2022-fp16", TRAIN_DENSE, 4, "", 0.966, 1.251) \
    X("megatron-deepspeed-2022-fp16", TRAIN_DENSE, 4, "a100-80g-sxm-800g", 0.966, 1.275) \
    X("megatron-lm-2020", TRAIN_DENSE, -1, "", 0.964, 1.054) \
    X("megatron-lm-2020", TRAIN_DENSE, 0, "", 0.964, 1.054) \
    X("megatron-lm-2021", TRAIN_DENSE, -1, "", 0.990, 1.082) \
    X("megatron-lm-2021", TRAIN_DENSE, 0, "", 0.990, 1.082) \
    X("megatron-lm-2021", TRAIN_DENSE, 0, "a100-80g-sxm", 0.990, 1.082) \
    X("megatron-lm-2022", TRAIN_DENSE, -1, "", 0.954, 1.016) \
    X("megatron-lm-2022", TRAIN_DENSE, 0, "", 0.954, 1.016) \
    X("megatron-lm-2022", TRAIN_DENSE, 0, "a100-80g-sxm", 0.954, 1.016) \
    X("mosaic-fsdp", TRAIN_DENSE, -1, "", 0.927, 1.111) \
    X("mosaic-fsdp", TRAIN_DENSE, 0, "", 0.927, 1.111) \
    X("mosaic-fsdp", TRAIN_DENSE, 0, "a100-80g-sxm", 0.894, 1.030) \
    X("mosaic-fsdp", TRAIN_DENSE, 0, "h100-sxm", 0.990, 1.154) \
    X("mosaic-fsdp-2023-pure", TRAIN_DENSE, -1, "", 0.905, 1.071) \
    X("mosaic-fsdp-2023-pure", TRAIN_DENSE, 0, "", 0.905, 1.071) \
    X("mosaic-fsdp-2023-pure", TRAIN_DENSE, 0, "a100-40g-sxm", 0.903, 1.072) \
    X("mosaic-fsdp-2024", TRAIN_DENSE, -1, "", 0.990, 1.238) \
    X("mosaic-fsdp-2024", TRAIN_DENSE, 0, "", 0.990, 1.238) \
    X("mosaic-fsdp-2024", TRAIN_DENSE, 0, "h100-sxm", 0.990, 1.238) \
    X("nanotron-2025", TRAIN_DENSE, -1, "", 0.965, 1.920) \
    X("nanotron-2025", TRAIN_DENSE, 0, "", 0.990, 1.175) \
    X("nanotron-2025", TRAIN_DENSE, 0, "h100-sxm-efa3200", 0.990, 1.168) \
    X("nanotron-2025", TRAIN_DENSE, 2, "", 0.900, 7.864) \
    X("nanotron-2025", TRAIN_DENSE, 2, "h100-sxm-efa3200", 0.896, 8.667) \
    X("nanotron-2025", TRAIN_DENSE, 3, "", 0.974, 2.419) \
    X("nanotron-2025", TRAIN_DENSE, 3, "h100-sxm-efa3200", 0.975, 2.433) \
    X("nanotron-2025", TRAIN_DENSE, 4, "", 0.934, 5.884) \
    X("nanotron-2025", TRAIN_DENSE, 4, "h100-sxm-efa3200", 0.933, 6.206) \
    X("nanotron-2025", TRAIN_DENSE, 5, "", 0.945, 2.275) \
    X("nanotron-2025", TRAIN_DENSE, 5, "h100-sxm-efa3200", 0.944, 2.279) \
    X("nemo-2024", TRAIN_DENSE, -1, "", 0.958, 1.055) \
    X("nemo-2024", TRAIN_DENSE, 0, "", 0.958, 1.055) \
    X("nemo-2024", TRAIN_DENSE, 0, "h100-sxm", 0.958, 1.055) \
    X("nemo-2024", TRAIN_MOE, -1, "", 0.990, 1.190) \
    X("nemo-2024", TRAIN_MOE, 0, "", 0.990, 1.190) \
    X("nemo-2024", TRAIN_MOE, 0, "h100-sxm", 0.990, 1.190) \
    X("nemo-2025", TRAIN_DENSE, -1, "", 0.972, 1.156) \
    X("nemo-2025", TRAIN_DENSE, 0, "", 0.972, 1.156) \
    X("nemo-2025", TRAIN_DENSE, 0, "gb200-nvl72", 0.990, 1.211) \
    X("nemo-2025", TRAIN_DENSE, 0, "h100-sxm", 0.960, 1.051) \
    X("nemo-2025", TRAIN_MOE, -1, "", 0.990, 1.906) \
    X("nemo-2025", TRAIN_MOE, 0, "", 0.990, 1.378) \
    X("nemo-2025", TRAIN_MOE, 0, "gb200-nvl72", 0.990, 1.326) \
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
    X("paddlenlp-2023", TRAIN_DENSE, -1, "", 0.990, 1.393) \
    X("paddlenlp-2023", TRAIN_DENSE, 0, "", 0.990, 1.393) \
    X("paxml-2024", TRAIN_DENSE, -1, "", 0.990, 1.320) \
    X("paxml-2024", TRAIN_DENSE, 0, "", 0.990, 1.252) \
    X("paxml-2024", TRAIN_DENSE, 0, "h100-sxm", 0.990, 1.202) \
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
    X("sglang-0.5", SERVE, -1, "", 0.978, 1.564) \
    X("sglang-0.5", SERVE, 0, "", 0.990, 1.291) \
    X("sglang-0.5", SERVE, 0, "h100-sxm", 0.989, 1.074) \
    X("sglang-0.5", SERVE, 0, "h200-sxm", 0.990, 1.589) \
    X("sglang-0.5", SERVE, 2, "", 0.963, 1.544) \
    X("sglang-0.5", SERVE, 2, "h100-sxm", 0.955, 1.069) \
    X("sglang-0.5", SERVE, 2, "h200-sxm", 0.990, 1.751) \
    X("sglang-0.5", SERVE, 3, "", 0.990, 1.607) \
    X("sglang-0.5", SERVE, 3, "h200-sxm", 0.990, 1.616) \
    X("sglang-0.5", SERVE_MOE, -1, "", 0.765, 1.177) \
    X("sglang-0.5", SERVE_MOE, 0, "", 0.669, 1.096) \
    X("sglang-0.5", SERVE_MOE, 0, "b200-sxm", 0.632, 1.010) \
    X("sglang-0.5", SERVE_MOE, 0, "h200-sxm", 0.953, 1.261) \
    X("sglang-0.5", SERVE_MOE, 2, "", 0.742, 1.248) \
    X("sglang-0.5", SERVE_MOE, 2, "b200-sxm", 0.932, 1.199) \
    X("sglang-0.5", SERVE_MOE, 2, "gb200-nvl72", 0.548, 1.010) \
    X("sglang-0.5", SERVE_MOE, 2, "gb300-nvl72", 0.622, 1.010) \
    X("sglang-0.5", SERVE_MOE, 2, "h200-sxm", 0.990, 2.163) \
    X("sglang-0.5", SERVE_MOE, 4, "", 0.932, 1.156) \
    X("sglang-0.5", SERVE_MOE, 4, "b200-sxm", 0.990, 1.163) \
    X("sglang-0.5", SERVE_FIRST, -1, "", 0.972, 2.510) \
    X("sglang-0.5", SERVE_FIRST, 0, "", 0.972, 2.510) \
    X("sglang-0.5", SERVE_FIRST, 0, "b200-sxm", 0.990, 2.017) \
    X("sglang-0.5", SERVE_FIRST, 0, "gb200-nvl72", 0.990, 3.709) \
    X("sglang-0.5", SERVE_FIRST, 0, "gb300-nvl72", 0.990, 3.433) \
    X("sglang-0.5", SERVE_FIRST, 0, "h100-sxm", 0.890, 1.377) \
    X("sglang-0.5", SERVE_FIRST, 0, "h200-sxm", 0.972, 2.670) \
    X("tensorrt-10.2-server", SERVE, -1, "", 0.957, 1.241) \
    X("tensorrt-10.2-server", SERVE, 0, "", 0.969, 1.252) \
    X("tensorrt-10.2-server", SERVE, 0, "h100-sxm", 0.990, 1.241) \
    X("tensorrt-10.2-server", SERVE, 0, "h200-sxm", 0.897, 1.146) \
    X("tensorrt-10.2-server", SERVE_MOE, -1, "", 0.990, 1.268) \
    X("tensorrt-10.2-server", SERVE_FIRST, -1, "", 0.990, 2.240) \
    X("tensorrt-10.2-server", SERVE_FIRST, 0, "", 0.990, 2.240) \
    X("tensorrt-10.2-server", SERVE_FIRST, 0, "gh200-144g", 0.990, 1.825) \
    X("tensorrt-10.2-server", SERVE_FIRST, 0, "h100-nvl-pcie", 0.990, 2.263) \
    X("tensorrt-10.2-server", SERVE_FIRST, 0, "h100-sxm", 0.990, 2.513) \
    X("tensorrt-10.2-server", SERVE_FIRST, 0, "h200-sxm", 0.990, 2.137) \
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
    X("tensorrt-llm-0.9", INFER_MOE, -1, "", 0.689, 1.952) \
    X("tensorrt-llm-0.9", INFER_MOE, 2, "", 0.668, 1.900) \
    X("tensorrt-llm-1.0", SERVE, -1, "", 0.990, 1.237) \
    X("tensorrt-llm-1.0", SERVE, 0, "", 0.990, 1.321) \
    X("tensorrt-llm-1.0", SERVE, 0, "h100-sxm", 0.990, 1.324) \
    X("tensorrt-llm-1.0", SERVE, 2, "", 0.990, 1.224) \
    X("tensorrt-llm-1.0", SERVE, 2, "h100-sxm", 0.990, 1.224) \
    X("tensorrt-llm-1.0", SERVE_FIRST, -1, "", 0.854, 1.910) \
    X("tensorrt-llm-1.0", SERVE_FIRST, 0, "", 0.854, 1.910) \
    X("tensorrt-llm-1.0", SERVE_FIRST, 0, "h100-sxm", 0.854, 1.910) \
    X("tensorrt-llm-1.2", IN_FLIGHT, -1, "", 0.912, 1.017) \
    X("tensorrt-llm-1.2", IN_FLIGHT, 2, "", 0.912, 1.017) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, -1, "", 0.940, 1.233) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 2, "", 0.956, 1.396) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 2, "b200-sxm", 0.968, 1.095) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 2, "h200-sxm", 0.862, 1.444) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 4, "", 0.930, 1.188) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 4, "b200-sxm", 0.983, 1.182) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 4, "gb200-nvl72", 0.948, 1.315) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 4, "h200-sxm", 0.923, 1.173) \
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
    X("tensorrt-llm-1.2", SERVE_MOE, -1, "", 0.854, 1.238) \
    X("tensorrt-llm-1.2", SERVE_MOE, 0, "", 0.967, 1.319) \
    X("tensorrt-llm-1.2", SERVE_MOE, 0, "h200-sxm", 0.975, 1.325) \
    X("tensorrt-llm-1.2", SERVE_MOE, 2, "", 0.848, 1.174) \
    X("tensorrt-llm-1.2", SERVE_MOE, 2, "b200-sxm", 0.883, 1.055) \
    X("tensorrt-llm-1.2", SERVE_MOE, 2, "gb200-nvl72", 0.736, 1.010) \
    X("tensorrt-llm-1.2", SERVE_MOE, 2, "gb300-nvl72", 0.789, 1.010) \
    X("tensorrt-llm-1.2", SERVE_MOE, 2, "h200-sxm", 0.989, 1.271) \
    X("tensorrt-llm-1.2", SERVE_MOE, 4, "", 0.843, 1.462) \
    X("tensorrt-llm-1.2", SERVE_MOE, 4, "b200-sxm", 0.919, 1.151) \
    X("tensorrt-llm-1.2", SERVE_MOE, 4, "gb200-nvl72", 0.790, 1.010) \
    X("tensorrt-llm-1.2", SERVE_MOE, 4, "h200-sxm", 0.990, 1.557) \
    X("tensorrt-llm-1.2", SERVE_FIRST, -1, "", 0.875, 1.778) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "", 0.875, 1.778) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "b200-sxm", 0.845, 1.224) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "gb200-nvl72", 0.927, 5.897) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "gb300-nvl72", 0.971, 12.805) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "h200-sxm", 0.916, 1.858) \
    X("tensorrt-llm-nemo", DECODE_DRAM, -1, "", 0.968, 1.021) \
    X("tensorrt-llm-nemo", DECODE_DRAM, 2, "", 0.968, 1.021) \
    X("tensorrt-llm-nemo", DECODE_DRAM, 2, "a100-80g-sxm", 0.950, 1.016) \
    X("tensorrt-llm-nemo", DECODE_DRAM, 2, "h100-sxm", 0.987, 1.022) \
    X("tensorrt-llm-nemo", DECODE_NETWORK, -1, "", 0.990, 1.066) \
    X("tensorrt-llm-nemo", DECODE_NETWORK, 2, "", 0.990, 1.071) \
    X("tensorrt-llm-nemo", DECODE_NETWORK, 4, "", 0.990, 1.024) \
    X("tensorrt-llm-nemo", DECODE_NETWORK, 4, "h100-sxm", 0.984, 1.010) \
    X("torchtitan-2024-async-tp", TRAIN_DENSE, -1, "", 0.990, 1.373) \
    X("torchtitan-2024-compiled", TRAIN_DENSE, -1, "", 0.990, 1.423) \
    X("torchtitan-2024-compiled", TRAIN_DENSE, 0, "", 0.990, 1.423) \
    X("torchtitan-2024-compiled", TRAIN_DENSE, 0, "h100-sxm-500w-torchtitan", 0.990, 1.423) \
    X("torchtitan-2024-eager", TRAIN_DENSE, -1, "", 0.990, 1.083) \
    X("torchtitan-2024-eager", TRAIN_DENSE, 0, "", 0.990, 1.083) \
    X("torchtitan-2024-eager", TRAIN_DENSE, 0, "a100-80g-sxm", 0.990, 1.087) \
    X("torchtitan-2025-compiled", TRAIN_DENSE, -1, "", 0.990, 1.353) \
    X("torchtitan-2025-compiled", TRAIN_DENSE, 0, "", 0.990, 1.353) \
    X("vllm-0.10", SERVE, -1, "", 0.990, 1.156) \
    X("vllm-0.10", SERVE, 0, "", 0.990, 1.183) \
    X("vllm-0.10", SERVE, 0, "b200-sxm", 0.990, 1.172) \
    X("vllm-0.10", SERVE, 2, "", 0.990, 1.150) \
    X("vllm-0.10", SERVE, 2, "b200-sxm", 0.990, 1.128) \
    X("vllm-0.10", SERVE, 2, "h100-sxm", 0.969, 1.109) \
    X("vllm-0.10", SERVE, 2, "h200-sxm", 0.990, 1.179) \
    X("vllm-0.10", SERVE, 4, "", 0.990, 1.184) \
    X("vllm-0.10", SERVE, 4, "b200-sxm", 0.990, 1.188) \
    X("vllm-0.10", SERVE_MOE, -1, "", 0.990, 1.299) \
    X("vllm-0.10", SERVE_MOE, 2, "", 0.990, 1.304) \
    X("vllm-0.10", SERVE_FIRST, -1, "", 0.952, 1.406) \
    X("vllm-0.10", SERVE_FIRST, 0, "", 0.952, 1.406) \
    X("vllm-0.10", SERVE_FIRST, 0, "b200-sxm", 0.954, 1.623) \
    X("vllm-0.10", SERVE_FIRST, 0, "h100-sxm", 0.903, 1.222) \
    X("vllm-0.10", SERVE_FIRST, 0, "h200-sxm", 0.990, 1.128) \
    X("vllm-0.11", SERVE, -1, "", 0.979, 1.868) \
    X("vllm-0.11", SERVE, 0, "", 0.743, 1.306) \
    X("vllm-0.11", SERVE, 0, "b200-sxm", 0.786, 1.681) \
    X("vllm-0.11", SERVE, 0, "h100-sxm", 0.978, 1.281) \
    X("vllm-0.11", SERVE, 0, "h200-sxm", 0.451, 1.010) \
    X("vllm-0.11", SERVE, 2, "", 0.983, 1.896) \
    X("vllm-0.11", SERVE, 2, "b200-sxm", 0.990, 2.646) \
    X("vllm-0.11", SERVE, 2, "h100-sxm", 0.977, 1.262) \
    X("vllm-0.11", SERVE, 2, "h200-sxm", 0.583, 1.010) \
    X("vllm-0.11", SERVE, 5, "", 0.990, 2.160) \
    X("vllm-0.11", SERVE, 5, "b200-sxm", 0.990, 2.385) \
    X("vllm-0.11", SERVE, 5, "h100-sxm", 0.990, 1.818) \
    X("vllm-0.11", SERVE_MOE, -1, "", 0.922, 1.754) \
    X("vllm-0.11", SERVE_MOE, 2, "", 0.925, 1.803) \
    X("vllm-0.11", SERVE_MOE, 2, "b200-sxm", 0.925, 1.954) \
    X("vllm-0.11", SERVE_MOE, 2, "h100-sxm", 0.927, 1.728) \
    X("vllm-0.11", SERVE_MOE, 5, "", 0.898, 1.731) \
    X("vllm-0.11", SERVE_MOE, 5, "b200-sxm", 0.907, 1.984) \
    X("vllm-0.11", SERVE_MOE, 5, "h100-sxm", 0.889, 1.154) \
    X("vllm-0.11", SERVE_FIRST, -1, "", 0.532, 1.324) \
    X("vllm-0.11", SERVE_FIRST, 0, "", 0.532, 1.324) \
    X("vllm-0.11", SERVE_FIRST, 0, "h100-sxm", 0.945, 1.367) \
    X("vllm-0.11", SERVE_FIRST, 0, "h200-sxm", 0.208, 1.010) \
    X("vllm-0.14", SERVE_MOE, -1, "", 0.966, 1.230) \
    X("vllm-0.14", SERVE_MOE, 2, "", 0.959, 1.224) \
    X("vllm-0.14", SERVE_MOE, 2, "b200-sxm", 0.936, 1.088) \
    X("vllm-0.14", SERVE_MOE, 2, "h200-sxm", 0.990, 1.527) \
    X("vllm-0.14", SERVE_MOE, 4, "", 0.990, 1.464) \
    X("vllm-0.14", SERVE_MOE, 4, "b200-sxm", 0.990, 1.224) \
    X("vllm-0.14", SERVE_FIRST, -1, "", 0.906, 1.388) \
    X("vllm-0.14", SERVE_FIRST, 0, "", 0.906, 1.388) \
    X("vllm-0.14", SERVE_FIRST, 0, "b200-sxm", 0.892, 1.285) \
    X("vllm-0.17", SERVE, -1, "", 0.990, 1.092) \
    X("vllm-0.17", SERVE, 2, "", 0.990, 1.092) \
    X("vllm-0.17", SERVE, 2, "rtx-pro-6000-blackwell", 0.990, 1.092) \
    X("vllm-0.17", SERVE_MOE, -1, "", 0.940, 1.181) \
    X("vllm-0.17", SERVE_MOE, 0, "", 0.839, 1.049) \
    X("vllm-0.17", SERVE_MOE, 0, "b200-sxm", 0.772, 1.010) \
    X("vllm-0.17", SERVE_MOE, 0, "h200-sxm", 0.951, 1.045) \
    X("vllm-0.17", SERVE_MOE, 2, "", 0.917, 1.172) \
    X("vllm-0.17", SERVE_MOE, 2, "b200-sxm", 0.899, 1.157) \
    X("vllm-0.17", SERVE_MOE, 2, "h100-sxm", 0.931, 1.177) \
    X("vllm-0.17", SERVE_MOE, 2, "h200-sxm", 0.990, 1.181) \
    X("vllm-0.17", SERVE_MOE, 4, "", 0.990, 1.201) \
    X("vllm-0.17", SERVE_MOE, 4, "b200-sxm", 0.968, 1.122) \
    X("vllm-0.17", SERVE_MOE, 4, "h100-sxm", 0.990, 1.183) \
    X("vllm-0.17", SERVE_MOE, 4, "h200-sxm", 0.990, 1.215) \
    X("vllm-0.17", SERVE_FIRST, -1, "", 0.867, 1.199) \
    X("vllm-0.17", SERVE_FIRST, 0, "", 0.867, 1.199) \
    X("vllm-0.17", SERVE_FIRST, 0, "b200-sxm", 0.988, 1.568) \
    X("vllm-0.17", SERVE_FIRST, 0, "gb200-nvl72", 0.990, 2.556) \
    X("vllm-0.17", SERVE_FIRST, 0, "h100-sxm", 0.933, 1.193) \
    X("vllm-0.17", SERVE_FIRST, 0, "h200-sxm", 0.990, 1.621) \
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
    X("vllm-0.6", INFER_MOE, -1, "", 0.925, 1.067) \
    X("vllm-0.6", INFER_MOE, 2, "", 0.925, 1.067) \
    X("vllm-0.6", INFER_MOE, 2, "a100-40g-sxm-4x", 0.925, 1.067)
