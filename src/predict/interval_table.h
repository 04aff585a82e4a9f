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
    /* Calibrated: rows 333, sources 9, inside 76 %, left out 75 %. \
       Datasheet: rows 17, sources 2, inside 82 %, left out 82 %. */ \
    X(DECODE_DRAM, 0.93, 1.08, 0.92, 1.14) \
    /* Calibrated: rows 91, sources 5, inside 81 %, left out 77 %. \
       Datasheet: rows 3, sources 1, inside 100 %, left out 33 %. */ \
    X(DECODE_NETWORK, 0.89, 1.11, 0.89, 1.18) \
    /* Calibrated: rows 16, sources 2, inside 94 %, left out 88 %. \
       Datasheet: rows 36, sources 1, inside 100 %, left out 100 %. */ \
    X(HOST, 0.89, 1.39, 0.84, 1.39) \
    /* Calibrated: rows 130, sources 6, inside 88 %, left out 87 %. \
       Datasheet: rows 5, sources 1, inside 80 %, left out 80 %. */ \
    X(PREFILL, 0.87, 1.20, 0.78, 1.20) \
    /* Calibrated: rows 43, sources 5, inside 93 %, left out 93 %. \
       Datasheet: rows 1, sources 1, inside 100 %, left out 100 %. */ \
    X(PREFILL_SHORT, 0.93, 1.54, 0.79, 1.54) \
    /* Calibrated: rows 54, sources 5, inside 89 %, left out 87 %. \
       Datasheet: rows 5, sources 1, inside 80 %, left out 60 %. */ \
    X(INFER_MOE, 0.92, 1.37, 0.63, 1.37) \
    /* Calibrated: rows 127, sources 3, inside 77 %, left out 74 %. \
       Datasheet: rows 6, sources 2, inside 100 %, left out 100 %. */ \
    X(IN_FLIGHT, 0.82, 1.21, 0.82, 1.21) \
    /* Calibrated: rows 61, sources 2, inside 97 %, left out 92 %. \
       Datasheet: rows 23, sources 1, inside 100 %, left out 100 %. */ \
    X(IN_FLIGHT_MOE, 0.72, 1.58, 0.71, 1.58) \
    /* Calibrated: rows 1597, sources 5, inside 80 %, left out 78 %. \
       Datasheet: rows 308, sources 3, inside 100 %, left out 100 %. */ \
    X(SERVE, 0.89, 1.38, 0.89, 1.77) \
    /* Calibrated: rows 1173, sources 4, inside 83 %, left out 84 %. \
       Datasheet: rows 94, sources 2, inside 84 %, left out 80 %. */ \
    X(SERVE_MOE, 0.83, 1.53, 0.68, 1.53) \
    /* Calibrated: rows 1007, sources 4, inside 88 %, left out 86 %. \
       Datasheet: rows 432, sources 4, inside 82 %, left out 84 %. */ \
    X(SERVE_FIRST, 0.73, 2.53, 0.72, 2.58)

/* Engines with at least 8 measured times in a regime, with their families; regimes as bits. */
#define ORR_MEASURED(X) \
    X("fastertransformer", "fastertransformer", 0x02c) \
    X("fastertransformer-4.0", "fastertransformer", 0x004) \
    X("fastertransformer-5.0-beta", "fastertransformer", 0x024) \
    X("hf-transformers-2026-autocast", "hf-transformers", 0x001) \
    X("hf-transformers-2026-compiled", "hf-transformers", 0x001) \
    X("hf-transformers-2026-eager", "hf-transformers", 0x001) \
    X("internevo-2023", "internevo", 0x001) \
    X("lmdeploy-turbomind-0.2", "lmdeploy", 0x004) \
    X("maxtext-2024", "maxtext", 0x001) \
    X("maxtext-2025", "maxtext", 0x001) \
    X("megatron-core-2024", "megatron-core", 0x001) \
    X("megatron-core-2026", "megatron-core", 0x003) \
    X("megatron-deepspeed-2022-fp16", "megatron-deepspeed", 0x001) \
    X("megatron-lm-2020", "megatron-lm", 0x001) \
    X("megatron-lm-2021", "megatron-lm", 0x001) \
    X("megatron-lm-2022", "megatron-lm", 0x001) \
    X("mosaic-fsdp", "llm-foundry", 0x001) \
    X("mosaic-fsdp-2023-pure", "llm-foundry", 0x001) \
    X("mosaic-fsdp-2024", "llm-foundry", 0x001) \
    X("nanotron-2025", "nanotron", 0x001) \
    X("nemo-2024", "nemo", 0x003) \
    X("nemo-2025", "nemo", 0x003) \
    X("nim-1.5", "nim", 0x100) \
    X("nim-1.8", "nim", 0x100) \
    X("paddlenlp-2023", "paddlenlp", 0x001) \
    X("paxml-2024", "paxml", 0x001) \
    X("pytorch-compiled-pointwise-cudagraph", "", 0x064) \
    X("pytorch-eager", "pytorch", 0x001) \
    X("pytorch-eager-cudagraph", "", 0x0e4) \
    X("pytorch-eager-stream", "", 0x020) \
    X("sglang-0.5", "sglang", 0x1c00) \
    X("tensorrt-10.2-server", "tensorrt-server", 0x1c00) \
    X("tensorrt-llm-0.9", "tensorrt-llm", 0x0ec) \
    X("tensorrt-llm-1.0", "tensorrt-llm", 0x1400) \
    X("tensorrt-llm-1.2", "tensorrt-llm", 0x1f00) \
    X("tensorrt-llm-nemo", "nemo-export", 0x00c) \
    X("torchtitan-2024-async-tp", "torchtitan", 0x001) \
    X("torchtitan-2024-compiled", "torchtitan", 0x001) \
    X("torchtitan-2024-eager", "torchtitan", 0x001) \
    X("torchtitan-2025-compiled", "torchtitan", 0x001) \
    X("vllm-0.10", "vllm", 0x1c00) \
    X("vllm-0.11", "vllm", 0x1c00) \
    X("vllm-0.14", "vllm", 0x1800) \
    X("vllm-0.17", "vllm", 0x1c00) \
    X("vllm-0.5", "vllm", 0x014) \
    X("vllm-0.6", "vllm", 0x094)

/* What runs of these engines differ by (validate/cells.c): engine, regime, resource that dominates the
 * time (-1: any), system ("": any), low and high. */
#define ORR_MEASURED_CELLS(X) \
    X("fastertransformer", DECODE_DRAM, -1, "", 0.950, 1.043) \
    X("fastertransformer", DECODE_DRAM, 2, "", 0.949, 1.043) \
    X("fastertransformer", DECODE_DRAM, 2, "a100-80g-sxm", 0.949, 1.043) \
    X("fastertransformer", DECODE_NETWORK, -1, "", 0.960, 1.087) \
    X("fastertransformer", DECODE_NETWORK, 3, "", 0.965, 1.088) \
    X("fastertransformer", DECODE_NETWORK, 3, "a100-80g-sxm", 0.966, 1.089) \
    X("fastertransformer", PREFILL, -1, "", 0.990, 1.109) \
    X("fastertransformer", PREFILL, 0, "", 0.990, 1.071) \
    X("fastertransformer", PREFILL, 0, "a100-80g-sxm", 0.990, 1.069) \
    X("fastertransformer", PREFILL, 3, "", 0.990, 1.141) \
    X("fastertransformer", PREFILL, 3, "a100-80g-sxm", 0.990, 1.147) \
    X("fastertransformer-4.0", DECODE_DRAM, -1, "", 0.990, 1.384) \
    X("fastertransformer-4.0", DECODE_DRAM, 2, "", 0.990, 1.384) \
    X("fastertransformer-4.0", DECODE_DRAM, 2, "a100-80g-sxm", 0.990, 1.384) \
    X("fastertransformer-5.0-beta", DECODE_DRAM, -1, "", 0.990, 1.433) \
    X("fastertransformer-5.0-beta", DECODE_DRAM, 2, "", 0.990, 1.433) \
    X("fastertransformer-5.0-beta", DECODE_DRAM, 2, "a100-80g-sxm", 0.990, 1.433) \
    X("fastertransformer-5.0-beta", PREFILL, -1, "", 0.990, 1.648) \
    X("hf-transformers-2026-autocast", TRAIN_DENSE, -1, "", 0.990, 1.251) \
    X("hf-transformers-2026-compiled", TRAIN_DENSE, -1, "", 0.952, 1.132) \
    X("hf-transformers-2026-compiled", TRAIN_DENSE, 0, "", 0.952, 1.132) \
    X("hf-transformers-2026-compiled", TRAIN_DENSE, 0, "h200-sxm", 0.952, 1.132) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, -1, "", 0.990, 1.366) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, 0, "", 0.990, 1.113) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, 0, "h200-sxm", 0.990, 1.102) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, 2, "", 0.990, 1.483) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, 2, "h200-sxm", 0.990, 1.502) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, 5, "", 0.990, 1.413) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, 5, "h200-sxm", 0.990, 1.420) \
    X("internevo-2023", TRAIN_DENSE, -1, "", 0.990, 1.133) \
    X("internevo-2023", TRAIN_DENSE, 0, "", 0.990, 1.133) \
    X("internevo-2023", TRAIN_DENSE, 0, "a100-80g-sxm-roce400", 0.990, 1.133) \
    X("lmdeploy-turbomind-0.2", DECODE_DRAM, -1, "", 0.947, 1.060) \
    X("lmdeploy-turbomind-0.2", DECODE_DRAM, 2, "", 0.947, 1.060) \
    X("lmdeploy-turbomind-0.2", DECODE_DRAM, 2, "a100-80g-sxm", 0.947, 1.060) \
    X("maxtext-2024", TRAIN_DENSE, -1, "", 0.938, 1.055) \
    X("maxtext-2024", TRAIN_DENSE, 0, "", 0.938, 1.055) \
    X("maxtext-2024", TRAIN_DENSE, 0, "h100-sxm", 0.938, 1.055) \
    X("maxtext-2025", TRAIN_DENSE, -1, "", 0.968, 1.101) \
    X("maxtext-2025", TRAIN_DENSE, 0, "", 0.968, 1.101) \
    X("maxtext-2025", TRAIN_DENSE, 0, "h100-sxm", 0.928, 1.018) \
    X("maxtext-2025", TRAIN_DENSE, 0, "tpu-v6e", 0.990, 1.116) \
    X("megatron-core-2024", TRAIN_DENSE, -1, "", 0.990, 1.145) \
    X("megatron-core-2024", TRAIN_DENSE, 0, "", 0.990, 1.145) \
    X("megatron-core-2024", TRAIN_DENSE, 0, "h100-sxm", 0.990, 1.145) \
    X("megatron-core-2026", TRAIN_DENSE, -1, "", 0.927, 1.044) \
    X("megatron-core-2026", TRAIN_DENSE, 0, "", 0.927, 1.044) \
    X("megatron-core-2026", TRAIN_MOE, -1, "", 0.924, 1.492) \
    X("megatron-core-2026", TRAIN_MOE, 0, "", 0.939, 1.531) \
    X("megatron-deepspeed-2022-fp16", TRAIN_DENSE, -1, "", 0.970, 1.128) \
    X("megatron-deepspeed-2022-fp16", TRAIN_DENSE, 0, "", 0.970, 1.092) \
    X("megatron-deepspeed-2022-fp16", TRAIN_DENSE, 0, "a100-80g-sxm-800g", 0.970, 1.091) \
    X("megatron-deepspeed-2022-fp16", TRAIN_DENSE, 4, "", 0.967, 1.252) \
    X("megatron-deepspeed-2022-fp16", TRAIN_DENSE, 4, "a100-80g-sxm-800g", 0.966, 1.276) \
    X("megatron-lm-2020", TRAIN_DENSE, -1, "", 0.964, 1.055) \
    X("megatron-lm-2020", TRAIN_DENSE, 0, "", 0.964, 1.055) \
    X("megatron-lm-2021", TRAIN_DENSE, -1, "", 0.990, 1.083) \
    X("megatron-lm-2021", TRAIN_DENSE, 0, "", 0.990, 1.083) \
    X("megatron-lm-2021", TRAIN_DENSE, 0, "a100-80g-sxm", 0.990, 1.083) \
    X("megatron-lm-2022", TRAIN_DENSE, -1, "", 0.954, 1.016) \
    X("megatron-lm-2022", TRAIN_DENSE, 0, "", 0.954, 1.016) \
    X("megatron-lm-2022", TRAIN_DENSE, 0, "a100-80g-sxm", 0.954, 1.016) \
    X("mosaic-fsdp", TRAIN_DENSE, -1, "", 0.928, 1.112) \
    X("mosaic-fsdp", TRAIN_DENSE, 0, "", 0.928, 1.112) \
    X("mosaic-fsdp", TRAIN_DENSE, 0, "a100-80g-sxm", 0.895, 1.030) \
    X("mosaic-fsdp", TRAIN_DENSE, 0, "h100-sxm", 0.990, 1.154) \
    X("mosaic-fsdp-2023-pure", TRAIN_DENSE, -1, "", 0.905, 1.071) \
    X("mosaic-fsdp-2023-pure", TRAIN_DENSE, 0, "", 0.905, 1.071) \
    X("mosaic-fsdp-2023-pure", TRAIN_DENSE, 0, "a100-40g-sxm", 0.904, 1.072) \
    X("mosaic-fsdp-2024", TRAIN_DENSE, -1, "", 0.990, 1.239) \
    X("mosaic-fsdp-2024", TRAIN_DENSE, 0, "", 0.990, 1.239) \
    X("mosaic-fsdp-2024", TRAIN_DENSE, 0, "h100-sxm", 0.990, 1.239) \
    X("nanotron-2025", TRAIN_DENSE, -1, "", 0.968, 1.913) \
    X("nanotron-2025", TRAIN_DENSE, 0, "", 0.990, 1.201) \
    X("nanotron-2025", TRAIN_DENSE, 0, "h100-sxm-efa3200", 0.990, 1.193) \
    X("nanotron-2025", TRAIN_DENSE, 2, "", 0.917, 7.892) \
    X("nanotron-2025", TRAIN_DENSE, 2, "h100-sxm-efa3200", 0.914, 8.702) \
    X("nanotron-2025", TRAIN_DENSE, 3, "", 0.970, 2.014) \
    X("nanotron-2025", TRAIN_DENSE, 3, "h100-sxm-efa3200", 0.970, 2.017) \
    X("nanotron-2025", TRAIN_DENSE, 4, "", 0.931, 5.946) \
    X("nanotron-2025", TRAIN_DENSE, 4, "h100-sxm-efa3200", 0.930, 6.284) \
    X("nanotron-2025", TRAIN_DENSE, 5, "", 0.944, 2.375) \
    X("nanotron-2025", TRAIN_DENSE, 5, "h100-sxm-efa3200", 0.943, 2.381) \
    X("nemo-2024", TRAIN_DENSE, -1, "", 0.958, 1.060) \
    X("nemo-2024", TRAIN_DENSE, 0, "", 0.958, 1.060) \
    X("nemo-2024", TRAIN_DENSE, 0, "h100-sxm", 0.958, 1.060) \
    X("nemo-2024", TRAIN_MOE, -1, "", 0.990, 1.190) \
    X("nemo-2024", TRAIN_MOE, 0, "", 0.990, 1.190) \
    X("nemo-2024", TRAIN_MOE, 0, "h100-sxm", 0.990, 1.190) \
    X("nemo-2025", TRAIN_DENSE, -1, "", 0.978, 1.156) \
    X("nemo-2025", TRAIN_DENSE, 0, "", 0.978, 1.156) \
    X("nemo-2025", TRAIN_DENSE, 0, "gb200-nvl72", 0.990, 1.213) \
    X("nemo-2025", TRAIN_DENSE, 0, "h100-sxm", 0.961, 1.054) \
    X("nemo-2025", TRAIN_MOE, -1, "", 0.990, 1.907) \
    X("nemo-2025", TRAIN_MOE, 0, "", 0.990, 1.379) \
    X("nemo-2025", TRAIN_MOE, 0, "gb200-nvl72", 0.990, 1.328) \
    X("nim-1.5", IN_FLIGHT, -1, "", 0.975, 2.391) \
    X("nim-1.5", IN_FLIGHT, 0, "", 0.990, 5.560) \
    X("nim-1.5", IN_FLIGHT, 0, "a100-80g-sxm", 0.990, 10.362) \
    X("nim-1.5", IN_FLIGHT, 0, "h100-sxm", 0.990, 4.051) \
    X("nim-1.5", IN_FLIGHT, 2, "", 0.958, 1.089) \
    X("nim-1.5", IN_FLIGHT, 2, "a100-80g-sxm", 0.945, 1.061) \
    X("nim-1.5", IN_FLIGHT, 2, "h100-sxm", 0.990, 1.070) \
    X("nim-1.8", IN_FLIGHT, -1, "", 0.870, 1.155) \
    X("nim-1.8", IN_FLIGHT, 0, "", 0.923, 1.585) \
    X("nim-1.8", IN_FLIGHT, 0, "h100-sxm", 0.931, 1.658) \
    X("nim-1.8", IN_FLIGHT, 2, "", 0.868, 1.010) \
    X("nim-1.8", IN_FLIGHT, 2, "h100-sxm", 0.868, 1.010) \
    X("paddlenlp-2023", TRAIN_DENSE, -1, "", 0.990, 1.394) \
    X("paddlenlp-2023", TRAIN_DENSE, 0, "", 0.990, 1.394) \
    X("paxml-2024", TRAIN_DENSE, -1, "", 0.990, 1.320) \
    X("paxml-2024", TRAIN_DENSE, 0, "", 0.990, 1.252) \
    X("paxml-2024", TRAIN_DENSE, 0, "h100-sxm", 0.990, 1.202) \
    X("pytorch-compiled-pointwise-cudagraph", DECODE_DRAM, -1, "", 0.989, 1.034) \
    X("pytorch-compiled-pointwise-cudagraph", DECODE_DRAM, 2, "", 0.989, 1.034) \
    X("pytorch-compiled-pointwise-cudagraph", DECODE_DRAM, 2, "h200-sxm", 0.989, 1.034) \
    X("pytorch-compiled-pointwise-cudagraph", PREFILL, -1, "", 0.990, 1.110) \
    X("pytorch-compiled-pointwise-cudagraph", PREFILL, 0, "", 0.990, 1.110) \
    X("pytorch-compiled-pointwise-cudagraph", PREFILL, 0, "h200-sxm", 0.990, 1.110) \
    X("pytorch-compiled-pointwise-cudagraph", PREFILL_SHORT, -1, "", 0.990, 1.084) \
    X("pytorch-eager-cudagraph", DECODE_DRAM, -1, "", 0.990, 1.093) \
    X("pytorch-eager-cudagraph", DECODE_DRAM, 2, "", 0.990, 1.093) \
    X("pytorch-eager-cudagraph", DECODE_DRAM, 2, "h200-sxm", 0.990, 1.093) \
    X("pytorch-eager-cudagraph", PREFILL, -1, "", 0.990, 1.114) \
    X("pytorch-eager-cudagraph", PREFILL, 0, "", 0.990, 1.114) \
    X("pytorch-eager-cudagraph", PREFILL, 0, "h200-sxm", 0.990, 1.114) \
    X("pytorch-eager-cudagraph", PREFILL_SHORT, -1, "", 0.990, 1.167) \
    X("pytorch-eager-cudagraph", INFER_MOE, -1, "", 0.990, 1.119) \
    X("pytorch-eager-cudagraph", INFER_MOE, 2, "", 0.990, 1.097) \
    X("pytorch-eager-cudagraph", INFER_MOE, 2, "h200-sxm", 0.990, 1.095) \
    X("pytorch-eager-stream", PREFILL, -1, "", 0.990, 1.111) \
    X("pytorch-eager-stream", PREFILL, 0, "", 0.990, 1.111) \
    X("pytorch-eager-stream", PREFILL, 0, "h200-sxm", 0.990, 1.111) \
    X("sglang-0.5", SERVE, -1, "", 0.979, 1.572) \
    X("sglang-0.5", SERVE, 0, "", 0.990, 1.295) \
    X("sglang-0.5", SERVE, 0, "h100-sxm", 0.990, 1.076) \
    X("sglang-0.5", SERVE, 0, "h200-sxm", 0.990, 1.593) \
    X("sglang-0.5", SERVE, 2, "", 0.964, 1.568) \
    X("sglang-0.5", SERVE, 2, "h100-sxm", 0.956, 1.075) \
    X("sglang-0.5", SERVE, 2, "h200-sxm", 0.990, 1.778) \
    X("sglang-0.5", SERVE, 3, "", 0.990, 1.623) \
    X("sglang-0.5", SERVE, 3, "h200-sxm", 0.990, 1.633) \
    X("sglang-0.5", SERVE_MOE, -1, "", 0.850, 1.274) \
    X("sglang-0.5", SERVE_MOE, 0, "", 0.990, 1.282) \
    X("sglang-0.5", SERVE_MOE, 0, "b200-sxm", 0.990, 1.284) \
    X("sglang-0.5", SERVE_MOE, 2, "", 0.822, 1.279) \
    X("sglang-0.5", SERVE_MOE, 2, "b200-sxm", 0.883, 1.244) \
    X("sglang-0.5", SERVE_MOE, 2, "gb200-nvl72", 0.575, 1.010) \
    X("sglang-0.5", SERVE_MOE, 2, "gb300-nvl72", 0.665, 1.010) \
    X("sglang-0.5", SERVE_MOE, 2, "h200-sxm", 0.990, 1.628) \
    X("sglang-0.5", SERVE_MOE, 4, "", 0.990, 1.269) \
    X("sglang-0.5", SERVE_MOE, 4, "b200-sxm", 0.990, 1.274) \
    X("sglang-0.5", SERVE_FIRST, -1, "", 0.990, 3.413) \
    X("sglang-0.5", SERVE_FIRST, 0, "", 0.990, 3.413) \
    X("sglang-0.5", SERVE_FIRST, 0, "b200-sxm", 0.990, 3.174) \
    X("sglang-0.5", SERVE_FIRST, 0, "gb200-nvl72", 0.990, 4.270) \
    X("sglang-0.5", SERVE_FIRST, 0, "gb300-nvl72", 0.990, 3.831) \
    X("sglang-0.5", SERVE_FIRST, 0, "h100-sxm", 0.890, 1.399) \
    X("sglang-0.5", SERVE_FIRST, 0, "h200-sxm", 0.990, 2.723) \
    X("tensorrt-10.2-server", SERVE, -1, "", 0.958, 1.241) \
    X("tensorrt-10.2-server", SERVE, 0, "", 0.969, 1.257) \
    X("tensorrt-10.2-server", SERVE, 0, "h100-sxm", 0.990, 1.243) \
    X("tensorrt-10.2-server", SERVE, 0, "h200-sxm", 0.897, 1.147) \
    X("tensorrt-10.2-server", SERVE_MOE, -1, "", 0.990, 1.270) \
    X("tensorrt-10.2-server", SERVE_FIRST, -1, "", 0.990, 2.262) \
    X("tensorrt-10.2-server", SERVE_FIRST, 0, "", 0.990, 2.262) \
    X("tensorrt-10.2-server", SERVE_FIRST, 0, "gh200-144g", 0.990, 1.824) \
    X("tensorrt-10.2-server", SERVE_FIRST, 0, "h100-nvl-pcie", 0.990, 2.266) \
    X("tensorrt-10.2-server", SERVE_FIRST, 0, "h100-sxm", 0.990, 2.526) \
    X("tensorrt-10.2-server", SERVE_FIRST, 0, "h200-sxm", 0.990, 2.142) \
    X("tensorrt-llm-0.9", DECODE_DRAM, -1, "", 0.891, 1.042) \
    X("tensorrt-llm-0.9", DECODE_DRAM, 2, "", 0.884, 1.034) \
    X("tensorrt-llm-0.9", DECODE_DRAM, 2, "h100-sxm", 0.864, 1.010) \
    X("tensorrt-llm-0.9", DECODE_DRAM, 2, "l40s", 0.940, 1.126) \
    X("tensorrt-llm-0.9", DECODE_NETWORK, -1, "", 0.849, 1.160) \
    X("tensorrt-llm-0.9", DECODE_NETWORK, 0, "", 0.832, 1.069) \
    X("tensorrt-llm-0.9", PREFILL, -1, "", 0.900, 1.090) \
    X("tensorrt-llm-0.9", PREFILL, 0, "", 0.870, 1.048) \
    X("tensorrt-llm-0.9", PREFILL_SHORT, -1, "", 0.971, 1.186) \
    X("tensorrt-llm-0.9", PREFILL_SHORT, 2, "", 0.970, 1.192) \
    X("tensorrt-llm-0.9", INFER_MOE, -1, "", 0.690, 1.958) \
    X("tensorrt-llm-0.9", INFER_MOE, 2, "", 0.668, 1.907) \
    X("tensorrt-llm-1.0", SERVE, -1, "", 0.990, 1.243) \
    X("tensorrt-llm-1.0", SERVE, 0, "", 0.990, 1.323) \
    X("tensorrt-llm-1.0", SERVE, 0, "h100-sxm", 0.990, 1.326) \
    X("tensorrt-llm-1.0", SERVE, 2, "", 0.990, 1.225) \
    X("tensorrt-llm-1.0", SERVE, 2, "h100-sxm", 0.990, 1.225) \
    X("tensorrt-llm-1.0", SERVE, 3, "", 0.990, 1.762) \
    X("tensorrt-llm-1.0", SERVE, 3, "h100-sxm", 0.990, 1.889) \
    X("tensorrt-llm-1.0", SERVE_FIRST, -1, "", 0.846, 1.909) \
    X("tensorrt-llm-1.0", SERVE_FIRST, 0, "", 0.846, 1.909) \
    X("tensorrt-llm-1.0", SERVE_FIRST, 0, "h100-sxm", 0.846, 1.909) \
    X("tensorrt-llm-1.2", IN_FLIGHT, -1, "", 0.912, 1.019) \
    X("tensorrt-llm-1.2", IN_FLIGHT, 2, "", 0.912, 1.019) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, -1, "", 0.943, 1.261) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 2, "", 0.955, 1.329) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 2, "b200-sxm", 0.980, 1.089) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 2, "h200-sxm", 0.866, 1.435) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 4, "", 0.936, 1.259) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 4, "b200-sxm", 0.985, 1.213) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 4, "gb200-nvl72", 0.949, 1.345) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 4, "h200-sxm", 0.926, 1.191) \
    X("tensorrt-llm-1.2", SERVE, -1, "", 0.952, 1.031) \
    X("tensorrt-llm-1.2", SERVE, 0, "", 0.956, 1.010) \
    X("tensorrt-llm-1.2", SERVE, 0, "b200-sxm", 0.958, 1.010) \
    X("tensorrt-llm-1.2", SERVE, 0, "h200-sxm", 0.939, 1.085) \
    X("tensorrt-llm-1.2", SERVE, 2, "", 0.949, 1.021) \
    X("tensorrt-llm-1.2", SERVE, 2, "b200-sxm", 0.948, 1.025) \
    X("tensorrt-llm-1.2", SERVE, 2, "h200-sxm", 0.950, 1.013) \
    X("tensorrt-llm-1.2", SERVE, 3, "", 0.990, 1.079) \
    X("tensorrt-llm-1.2", SERVE, 3, "b200-sxm", 0.990, 1.086) \
    X("tensorrt-llm-1.2", SERVE, 4, "", 0.985, 1.049) \
    X("tensorrt-llm-1.2", SERVE, 4, "b200-sxm", 0.989, 1.051) \
    X("tensorrt-llm-1.2", SERVE_MOE, -1, "", 0.896, 1.272) \
    X("tensorrt-llm-1.2", SERVE_MOE, 0, "", 0.977, 1.324) \
    X("tensorrt-llm-1.2", SERVE_MOE, 0, "h200-sxm", 0.983, 1.328) \
    X("tensorrt-llm-1.2", SERVE_MOE, 2, "", 0.887, 1.196) \
    X("tensorrt-llm-1.2", SERVE_MOE, 2, "b200-sxm", 0.892, 1.059) \
    X("tensorrt-llm-1.2", SERVE_MOE, 2, "gb200-nvl72", 0.759, 1.011) \
    X("tensorrt-llm-1.2", SERVE_MOE, 2, "gb300-nvl72", 0.822, 1.063) \
    X("tensorrt-llm-1.2", SERVE_MOE, 2, "h200-sxm", 0.990, 1.331) \
    X("tensorrt-llm-1.2", SERVE_MOE, 4, "", 0.892, 1.394) \
    X("tensorrt-llm-1.2", SERVE_MOE, 4, "b200-sxm", 0.951, 1.156) \
    X("tensorrt-llm-1.2", SERVE_MOE, 4, "gb200-nvl72", 0.827, 1.048) \
    X("tensorrt-llm-1.2", SERVE_MOE, 4, "h200-sxm", 0.990, 1.631) \
    X("tensorrt-llm-1.2", SERVE_FIRST, -1, "", 0.883, 2.130) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "", 0.883, 2.130) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "b200-sxm", 0.845, 1.224) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "gb200-nvl72", 0.990, 6.451) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "gb300-nvl72", 0.981, 15.896) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "h200-sxm", 0.917, 1.872) \
    X("tensorrt-llm-nemo", DECODE_DRAM, -1, "", 0.970, 1.024) \
    X("tensorrt-llm-nemo", DECODE_DRAM, 2, "", 0.970, 1.024) \
    X("tensorrt-llm-nemo", DECODE_DRAM, 2, "a100-80g-sxm", 0.952, 1.018) \
    X("tensorrt-llm-nemo", DECODE_DRAM, 2, "h100-sxm", 0.989, 1.025) \
    X("tensorrt-llm-nemo", DECODE_NETWORK, -1, "", 0.990, 1.069) \
    X("tensorrt-llm-nemo", DECODE_NETWORK, 2, "", 0.990, 1.073) \
    X("tensorrt-llm-nemo", DECODE_NETWORK, 4, "", 0.990, 1.027) \
    X("tensorrt-llm-nemo", DECODE_NETWORK, 4, "h100-sxm", 0.987, 1.012) \
    X("torchtitan-2024-async-tp", TRAIN_DENSE, -1, "", 0.990, 1.373) \
    X("torchtitan-2024-compiled", TRAIN_DENSE, -1, "", 0.990, 1.423) \
    X("torchtitan-2024-compiled", TRAIN_DENSE, 0, "", 0.990, 1.423) \
    X("torchtitan-2024-compiled", TRAIN_DENSE, 0, "h100-sxm-500w-torchtitan", 0.990, 1.423) \
    X("torchtitan-2024-eager", TRAIN_DENSE, -1, "", 0.990, 1.083) \
    X("torchtitan-2024-eager", TRAIN_DENSE, 0, "", 0.990, 1.083) \
    X("torchtitan-2024-eager", TRAIN_DENSE, 0, "a100-80g-sxm", 0.990, 1.087) \
    X("torchtitan-2025-compiled", TRAIN_DENSE, -1, "", 0.990, 1.353) \
    X("torchtitan-2025-compiled", TRAIN_DENSE, 0, "", 0.990, 1.353) \
    X("vllm-0.10", SERVE, -1, "", 0.990, 1.185) \
    X("vllm-0.10", SERVE, 0, "", 0.990, 1.187) \
    X("vllm-0.10", SERVE, 0, "b200-sxm", 0.990, 1.174) \
    X("vllm-0.10", SERVE, 2, "", 0.990, 1.174) \
    X("vllm-0.10", SERVE, 2, "b200-sxm", 0.990, 1.131) \
    X("vllm-0.10", SERVE, 2, "h100-sxm", 0.988, 1.193) \
    X("vllm-0.10", SERVE, 2, "h200-sxm", 0.990, 1.234) \
    X("vllm-0.10", SERVE, 4, "", 0.990, 1.190) \
    X("vllm-0.10", SERVE, 4, "b200-sxm", 0.990, 1.191) \
    X("vllm-0.10", SERVE_MOE, -1, "", 0.990, 1.304) \
    X("vllm-0.10", SERVE_MOE, 2, "", 0.990, 1.309) \
    X("vllm-0.10", SERVE_FIRST, -1, "", 0.952, 1.403) \
    X("vllm-0.10", SERVE_FIRST, 0, "", 0.952, 1.403) \
    X("vllm-0.10", SERVE_FIRST, 0, "b200-sxm", 0.954, 1.625) \
    X("vllm-0.10", SERVE_FIRST, 0, "h100-sxm", 0.899, 1.231) \
    X("vllm-0.10", SERVE_FIRST, 0, "h200-sxm", 0.990, 1.137) \
    X("vllm-0.11", SERVE, -1, "", 0.981, 1.872) \
    X("vllm-0.11", SERVE, 0, "", 0.758, 1.304) \
    X("vllm-0.11", SERVE, 0, "b200-sxm", 0.787, 1.683) \
    X("vllm-0.11", SERVE, 0, "h100-sxm", 0.984, 1.257) \
    X("vllm-0.11", SERVE, 0, "h200-sxm", 0.453, 1.010) \
    X("vllm-0.11", SERVE, 2, "", 0.984, 1.901) \
    X("vllm-0.11", SERVE, 2, "b200-sxm", 0.990, 2.649) \
    X("vllm-0.11", SERVE, 2, "h100-sxm", 0.978, 1.268) \
    X("vllm-0.11", SERVE, 2, "h200-sxm", 0.584, 1.010) \
    X("vllm-0.11", SERVE, 5, "", 0.990, 2.167) \
    X("vllm-0.11", SERVE, 5, "b200-sxm", 0.990, 2.392) \
    X("vllm-0.11", SERVE, 5, "h100-sxm", 0.990, 1.826) \
    X("vllm-0.11", SERVE_MOE, -1, "", 0.923, 1.843) \
    X("vllm-0.11", SERVE_MOE, 2, "", 0.930, 1.878) \
    X("vllm-0.11", SERVE_MOE, 2, "b200-sxm", 0.928, 1.959) \
    X("vllm-0.11", SERVE_MOE, 2, "h100-sxm", 0.932, 1.864) \
    X("vllm-0.11", SERVE_MOE, 5, "", 0.904, 1.748) \
    X("vllm-0.11", SERVE_MOE, 5, "b200-sxm", 0.915, 1.998) \
    X("vllm-0.11", SERVE_MOE, 5, "h100-sxm", 0.895, 1.169) \
    X("vllm-0.11", SERVE_FIRST, -1, "", 0.531, 1.325) \
    X("vllm-0.11", SERVE_FIRST, 0, "", 0.531, 1.325) \
    X("vllm-0.11", SERVE_FIRST, 0, "h100-sxm", 0.948, 1.368) \
    X("vllm-0.11", SERVE_FIRST, 0, "h200-sxm", 0.209, 1.010) \
    X("vllm-0.14", SERVE_MOE, -1, "", 0.968, 1.235) \
    X("vllm-0.14", SERVE_MOE, 2, "", 0.963, 1.228) \
    X("vllm-0.14", SERVE_MOE, 2, "b200-sxm", 0.938, 1.094) \
    X("vllm-0.14", SERVE_MOE, 2, "h200-sxm", 0.990, 1.489) \
    X("vllm-0.14", SERVE_MOE, 4, "", 0.990, 1.433) \
    X("vllm-0.14", SERVE_MOE, 4, "b200-sxm", 0.990, 1.225) \
    X("vllm-0.14", SERVE_FIRST, -1, "", 0.907, 1.450) \
    X("vllm-0.14", SERVE_FIRST, 0, "", 0.907, 1.450) \
    X("vllm-0.14", SERVE_FIRST, 0, "b200-sxm", 0.895, 1.290) \
    X("vllm-0.17", SERVE, -1, "", 0.990, 1.100) \
    X("vllm-0.17", SERVE, 2, "", 0.990, 1.100) \
    X("vllm-0.17", SERVE, 2, "rtx-pro-6000-blackwell", 0.990, 1.100) \
    X("vllm-0.17", SERVE_MOE, -1, "", 0.971, 1.196) \
    X("vllm-0.17", SERVE_MOE, 0, "", 0.964, 1.057) \
    X("vllm-0.17", SERVE_MOE, 0, "h200-sxm", 0.963, 1.048) \
    X("vllm-0.17", SERVE_MOE, 2, "", 0.954, 1.227) \
    X("vllm-0.17", SERVE_MOE, 2, "b200-sxm", 0.987, 1.253) \
    X("vllm-0.17", SERVE_MOE, 2, "h100-sxm", 0.937, 1.119) \
    X("vllm-0.17", SERVE_MOE, 2, "h200-sxm", 0.936, 1.167) \
    X("vllm-0.17", SERVE_MOE, 4, "", 0.990, 1.203) \
    X("vllm-0.17", SERVE_MOE, 4, "b200-sxm", 0.970, 1.209) \
    X("vllm-0.17", SERVE_MOE, 4, "h100-sxm", 0.990, 1.188) \
    X("vllm-0.17", SERVE_MOE, 4, "h200-sxm", 0.990, 1.199) \
    X("vllm-0.17", SERVE_FIRST, -1, "", 0.883, 1.218) \
    X("vllm-0.17", SERVE_FIRST, 0, "", 0.883, 1.218) \
    X("vllm-0.17", SERVE_FIRST, 0, "b200-sxm", 0.990, 1.684) \
    X("vllm-0.17", SERVE_FIRST, 0, "gb200-nvl72", 0.990, 3.124) \
    X("vllm-0.17", SERVE_FIRST, 0, "h100-sxm", 0.935, 1.200) \
    X("vllm-0.17", SERVE_FIRST, 0, "h200-sxm", 0.990, 1.537) \
    X("vllm-0.17", SERVE_FIRST, 0, "rtx-pro-6000-blackwell", 0.805, 1.162) \
    X("vllm-0.5", DECODE_DRAM, -1, "", 0.990, 1.064) \
    X("vllm-0.5", DECODE_DRAM, 2, "", 0.990, 1.064) \
    X("vllm-0.5", DECODE_DRAM, 2, "gh200-96g", 0.990, 1.064) \
    X("vllm-0.5", HOST, -1, "", 0.961, 1.022) \
    X("vllm-0.5", HOST, 2, "", 0.961, 1.021) \
    X("vllm-0.5", HOST, 2, "gh200-96g", 0.961, 1.021) \
    X("vllm-0.6", DECODE_DRAM, -1, "", 0.931, 1.310) \
    X("vllm-0.6", DECODE_DRAM, 2, "", 0.931, 1.310) \
    X("vllm-0.6", DECODE_DRAM, 2, "a100-40g-sxm-4x", 0.931, 1.310) \
    X("vllm-0.6", HOST, -1, "", 0.916, 1.043) \
    X("vllm-0.6", HOST, 2, "", 0.916, 1.043) \
    X("vllm-0.6", HOST, 2, "a100-40g-sxm-4x", 0.916, 1.043) \
    X("vllm-0.6", INFER_MOE, -1, "", 0.925, 1.068) \
    X("vllm-0.6", INFER_MOE, 2, "", 0.925, 1.068) \
    X("vllm-0.6", INFER_MOE, 2, "a100-40g-sxm-4x", 0.925, 1.068)
