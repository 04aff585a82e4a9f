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
    X("fastertransformer", DECODE_DRAM, -1, "", 0.943, 1.049) \
    X("fastertransformer", DECODE_DRAM, 2, "", 0.942, 1.050) \
    X("fastertransformer", DECODE_DRAM, 2, "a100-80g-sxm", 0.942, 1.050) \
    X("fastertransformer", DECODE_NETWORK, -1, "", 0.959, 1.091) \
    X("fastertransformer", DECODE_NETWORK, 3, "", 0.959, 1.092) \
    X("fastertransformer", DECODE_NETWORK, 3, "a100-80g-sxm", 0.959, 1.092) \
    X("fastertransformer", PREFILL, -1, "", 0.990, 1.111) \
    X("fastertransformer", PREFILL, 0, "", 0.990, 1.077) \
    X("fastertransformer", PREFILL, 0, "a100-80g-sxm", 0.990, 1.075) \
    X("fastertransformer", PREFILL, 3, "", 0.990, 1.145) \
    X("fastertransformer", PREFILL, 3, "a100-80g-sxm", 0.990, 1.151) \
    X("fastertransformer-4.0", DECODE_DRAM, -1, "", 0.990, 1.393) \
    X("fastertransformer-4.0", DECODE_DRAM, 2, "", 0.990, 1.393) \
    X("fastertransformer-4.0", DECODE_DRAM, 2, "a100-80g-sxm", 0.990, 1.393) \
    X("fastertransformer-5.0-beta", DECODE_DRAM, -1, "", 0.990, 1.451) \
    X("fastertransformer-5.0-beta", DECODE_DRAM, 2, "", 0.990, 1.451) \
    X("fastertransformer-5.0-beta", DECODE_DRAM, 2, "a100-80g-sxm", 0.990, 1.451) \
    X("fastertransformer-5.0-beta", PREFILL, -1, "", 0.990, 1.653) \
    X("hf-transformers-2026-autocast", TRAIN_DENSE, -1, "", 0.990, 1.277) \
    X("hf-transformers-2026-compiled", TRAIN_DENSE, -1, "", 0.928, 1.139) \
    X("hf-transformers-2026-compiled", TRAIN_DENSE, 0, "", 0.928, 1.139) \
    X("hf-transformers-2026-compiled", TRAIN_DENSE, 0, "h200-sxm", 0.928, 1.139) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, -1, "", 0.990, 1.397) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, 0, "", 0.990, 1.115) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, 0, "h200-sxm", 0.990, 1.103) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, 2, "", 0.990, 1.493) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, 2, "h200-sxm", 0.990, 1.509) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, 5, "", 0.990, 1.420) \
    X("hf-transformers-2026-eager", TRAIN_DENSE, 5, "h200-sxm", 0.990, 1.423) \
    X("internevo-2023", TRAIN_DENSE, -1, "", 0.990, 1.139) \
    X("internevo-2023", TRAIN_DENSE, 0, "", 0.990, 1.139) \
    X("internevo-2023", TRAIN_DENSE, 0, "a100-80g-sxm-roce400", 0.990, 1.139) \
    X("lmdeploy-turbomind-0.2", DECODE_DRAM, -1, "", 0.944, 1.078) \
    X("lmdeploy-turbomind-0.2", DECODE_DRAM, 2, "", 0.944, 1.078) \
    X("lmdeploy-turbomind-0.2", DECODE_DRAM, 2, "a100-80g-sxm", 0.944, 1.078) \
    X("maxtext-2024", TRAIN_DENSE, -1, "", 0.937, 1.069) \
    X("maxtext-2024", TRAIN_DENSE, 0, "", 0.937, 1.069) \
    X("maxtext-2024", TRAIN_DENSE, 0, "h100-sxm", 0.937, 1.069) \
    X("maxtext-2025", TRAIN_DENSE, -1, "", 0.948, 1.103) \
    X("maxtext-2025", TRAIN_DENSE, 0, "", 0.948, 1.103) \
    X("maxtext-2025", TRAIN_DENSE, 0, "h100-sxm", 0.923, 1.021) \
    X("maxtext-2025", TRAIN_DENSE, 0, "tpu-v6e", 0.990, 1.129) \
    X("megatron-core-2024", TRAIN_DENSE, -1, "", 0.988, 1.146) \
    X("megatron-core-2024", TRAIN_DENSE, 0, "", 0.988, 1.146) \
    X("megatron-core-2024", TRAIN_DENSE, 0, "h100-sxm", 0.988, 1.146) \
    X("megatron-core-2026", TRAIN_DENSE, -1, "", 0.915, 1.044) \
    X("megatron-core-2026", TRAIN_DENSE, 0, "", 0.915, 1.044) \
    X("megatron-core-2026", TRAIN_MOE, -1, "", 0.918, 1.524) \
    X("megatron-core-2026", TRAIN_MOE, 0, "", 0.934, 1.553) \
    X("megatron-deepspeed-2022-fp16", TRAIN_DENSE, -1, "", 0.967, 1.169) \
    X("megatron-deepspeed-2022-fp16", TRAIN_DENSE, 0, "", 0.970, 1.135) \
    X("megatron-deepspeed-2022-fp16", TRAIN_DENSE, 0, "a100-80g-sxm-800g", 0.970, 1.134) \
    X("megatron-deepspeed-2022-fp16", TRAIN_DENSE, 4, "", 0.966, 1.268) \
    X("megatron-deepspeed-2022-fp16", TRAIN_DENSE, 4, "a100-80g-sxm-800g", 0.965, 1.287) \
    X("megatron-lm-2020", TRAIN_DENSE, -1, "", 0.960, 1.056) \
    X("megatron-lm-2020", TRAIN_DENSE, 0, "", 0.960, 1.056) \
    X("megatron-lm-2021", TRAIN_DENSE, -1, "", 0.990, 1.085) \
    X("megatron-lm-2021", TRAIN_DENSE, 0, "", 0.990, 1.085) \
    X("megatron-lm-2021", TRAIN_DENSE, 0, "a100-80g-sxm", 0.990, 1.085) \
    X("megatron-lm-2022", TRAIN_DENSE, -1, "", 0.950, 1.018) \
    X("megatron-lm-2022", TRAIN_DENSE, 0, "", 0.950, 1.018) \
    X("megatron-lm-2022", TRAIN_DENSE, 0, "a100-80g-sxm", 0.950, 1.018) \
    X("mosaic-fsdp", TRAIN_DENSE, -1, "", 0.918, 1.122) \
    X("mosaic-fsdp", TRAIN_DENSE, 0, "", 0.918, 1.122) \
    X("mosaic-fsdp", TRAIN_DENSE, 0, "a100-80g-sxm", 0.881, 1.032) \
    X("mosaic-fsdp", TRAIN_DENSE, 0, "h100-sxm", 0.990, 1.155) \
    X("mosaic-fsdp-2023-pure", TRAIN_DENSE, -1, "", 0.901, 1.076) \
    X("mosaic-fsdp-2023-pure", TRAIN_DENSE, 0, "", 0.901, 1.076) \
    X("mosaic-fsdp-2023-pure", TRAIN_DENSE, 0, "a100-40g-sxm", 0.901, 1.077) \
    X("mosaic-fsdp-2024", TRAIN_DENSE, -1, "", 0.990, 1.243) \
    X("mosaic-fsdp-2024", TRAIN_DENSE, 0, "", 0.990, 1.243) \
    X("mosaic-fsdp-2024", TRAIN_DENSE, 0, "h100-sxm", 0.990, 1.243) \
    X("nanotron-2025", TRAIN_DENSE, -1, "", 0.963, 2.286) \
    X("nanotron-2025", TRAIN_DENSE, 0, "", 0.990, 1.226) \
    X("nanotron-2025", TRAIN_DENSE, 0, "h100-sxm-efa3200", 0.990, 1.216) \
    X("nanotron-2025", TRAIN_DENSE, 2, "", 0.917, 8.216) \
    X("nanotron-2025", TRAIN_DENSE, 2, "h100-sxm-efa3200", 0.913, 8.974) \
    X("nanotron-2025", TRAIN_DENSE, 3, "", 0.966, 2.092) \
    X("nanotron-2025", TRAIN_DENSE, 3, "h100-sxm-efa3200", 0.966, 2.087) \
    X("nanotron-2025", TRAIN_DENSE, 4, "", 0.919, 6.547) \
    X("nanotron-2025", TRAIN_DENSE, 4, "h100-sxm-efa3200", 0.917, 6.892) \
    X("nanotron-2025", TRAIN_DENSE, 5, "", 0.938, 2.793) \
    X("nanotron-2025", TRAIN_DENSE, 5, "h100-sxm-efa3200", 0.938, 2.799) \
    X("nemo-2024", TRAIN_DENSE, -1, "", 0.938, 1.061) \
    X("nemo-2024", TRAIN_DENSE, 0, "", 0.938, 1.061) \
    X("nemo-2024", TRAIN_DENSE, 0, "h100-sxm", 0.938, 1.061) \
    X("nemo-2024", TRAIN_MOE, -1, "", 0.990, 1.191) \
    X("nemo-2024", TRAIN_MOE, 0, "", 0.990, 1.191) \
    X("nemo-2024", TRAIN_MOE, 0, "h100-sxm", 0.990, 1.191) \
    X("nemo-2025", TRAIN_DENSE, -1, "", 0.960, 1.160) \
    X("nemo-2025", TRAIN_DENSE, 0, "", 0.960, 1.160) \
    X("nemo-2025", TRAIN_DENSE, 0, "gb200-nvl72", 0.990, 1.214) \
    X("nemo-2025", TRAIN_DENSE, 0, "h100-sxm", 0.958, 1.055) \
    X("nemo-2025", TRAIN_MOE, -1, "", 0.990, 2.138) \
    X("nemo-2025", TRAIN_MOE, 0, "", 0.990, 1.401) \
    X("nemo-2025", TRAIN_MOE, 0, "gb200-nvl72", 0.990, 1.336) \
    X("nim-1.5", IN_FLIGHT, -1, "", 0.969, 2.446) \
    X("nim-1.5", IN_FLIGHT, 0, "", 0.990, 6.470) \
    X("nim-1.5", IN_FLIGHT, 0, "a100-80g-sxm", 0.990, 10.748) \
    X("nim-1.5", IN_FLIGHT, 0, "h100-sxm", 0.990, 4.569) \
    X("nim-1.5", IN_FLIGHT, 2, "", 0.954, 1.097) \
    X("nim-1.5", IN_FLIGHT, 2, "a100-80g-sxm", 0.943, 1.065) \
    X("nim-1.5", IN_FLIGHT, 2, "h100-sxm", 0.990, 1.082) \
    X("nim-1.8", IN_FLIGHT, -1, "", 0.870, 1.337) \
    X("nim-1.8", IN_FLIGHT, 0, "", 0.923, 1.630) \
    X("nim-1.8", IN_FLIGHT, 0, "h100-sxm", 0.931, 1.677) \
    X("nim-1.8", IN_FLIGHT, 2, "", 0.868, 1.010) \
    X("nim-1.8", IN_FLIGHT, 2, "h100-sxm", 0.868, 1.010) \
    X("paddlenlp-2023", TRAIN_DENSE, -1, "", 0.990, 1.401) \
    X("paddlenlp-2023", TRAIN_DENSE, 0, "", 0.990, 1.401) \
    X("paxml-2024", TRAIN_DENSE, -1, "", 0.990, 1.364) \
    X("paxml-2024", TRAIN_DENSE, 0, "", 0.990, 1.280) \
    X("paxml-2024", TRAIN_DENSE, 0, "h100-sxm", 0.990, 1.208) \
    X("pytorch-compiled-pointwise-cudagraph", DECODE_DRAM, -1, "", 0.986, 1.042) \
    X("pytorch-compiled-pointwise-cudagraph", DECODE_DRAM, 2, "", 0.986, 1.042) \
    X("pytorch-compiled-pointwise-cudagraph", DECODE_DRAM, 2, "h200-sxm", 0.986, 1.042) \
    X("pytorch-compiled-pointwise-cudagraph", PREFILL, -1, "", 0.990, 1.114) \
    X("pytorch-compiled-pointwise-cudagraph", PREFILL, 0, "", 0.990, 1.114) \
    X("pytorch-compiled-pointwise-cudagraph", PREFILL, 0, "h200-sxm", 0.990, 1.114) \
    X("pytorch-compiled-pointwise-cudagraph", PREFILL_SHORT, -1, "", 0.990, 1.085) \
    X("pytorch-eager-cudagraph", DECODE_DRAM, -1, "", 0.980, 1.094) \
    X("pytorch-eager-cudagraph", DECODE_DRAM, 2, "", 0.980, 1.094) \
    X("pytorch-eager-cudagraph", DECODE_DRAM, 2, "h200-sxm", 0.980, 1.094) \
    X("pytorch-eager-cudagraph", PREFILL, -1, "", 0.990, 1.119) \
    X("pytorch-eager-cudagraph", PREFILL, 0, "", 0.990, 1.119) \
    X("pytorch-eager-cudagraph", PREFILL, 0, "h200-sxm", 0.990, 1.119) \
    X("pytorch-eager-cudagraph", PREFILL_SHORT, -1, "", 0.990, 1.168) \
    X("pytorch-eager-cudagraph", INFER_MOE, -1, "", 0.990, 1.129) \
    X("pytorch-eager-cudagraph", INFER_MOE, 2, "", 0.990, 1.098) \
    X("pytorch-eager-cudagraph", INFER_MOE, 2, "h200-sxm", 0.990, 1.095) \
    X("pytorch-eager-stream", PREFILL, -1, "", 0.990, 1.112) \
    X("pytorch-eager-stream", PREFILL, 0, "", 0.990, 1.112) \
    X("pytorch-eager-stream", PREFILL, 0, "h200-sxm", 0.990, 1.112) \
    X("sglang-0.5", SERVE, -1, "", 0.977, 1.616) \
    X("sglang-0.5", SERVE, 0, "", 0.990, 1.428) \
    X("sglang-0.5", SERVE, 0, "h100-sxm", 0.990, 1.089) \
    X("sglang-0.5", SERVE, 0, "h200-sxm", 0.990, 1.621) \
    X("sglang-0.5", SERVE, 2, "", 0.961, 1.644) \
    X("sglang-0.5", SERVE, 2, "h100-sxm", 0.954, 1.082) \
    X("sglang-0.5", SERVE, 2, "h200-sxm", 0.990, 1.802) \
    X("sglang-0.5", SERVE, 3, "", 0.990, 1.636) \
    X("sglang-0.5", SERVE, 3, "h200-sxm", 0.990, 1.640) \
    X("sglang-0.5", SERVE_MOE, -1, "", 0.832, 1.288) \
    X("sglang-0.5", SERVE_MOE, 0, "", 0.990, 1.285) \
    X("sglang-0.5", SERVE_MOE, 0, "b200-sxm", 0.990, 1.284) \
    X("sglang-0.5", SERVE_MOE, 2, "", 0.790, 1.359) \
    X("sglang-0.5", SERVE_MOE, 2, "b200-sxm", 0.862, 1.276) \
    X("sglang-0.5", SERVE_MOE, 2, "gb200-nvl72", 0.549, 1.016) \
    X("sglang-0.5", SERVE_MOE, 2, "gb300-nvl72", 0.661, 1.010) \
    X("sglang-0.5", SERVE_MOE, 2, "h200-sxm", 0.990, 1.638) \
    X("sglang-0.5", SERVE_MOE, 4, "", 0.990, 1.274) \
    X("sglang-0.5", SERVE_MOE, 4, "b200-sxm", 0.990, 1.275) \
    X("sglang-0.5", SERVE_FIRST, -1, "", 0.987, 3.537) \
    X("sglang-0.5", SERVE_FIRST, 0, "", 0.987, 3.537) \
    X("sglang-0.5", SERVE_FIRST, 0, "b200-sxm", 0.990, 3.384) \
    X("sglang-0.5", SERVE_FIRST, 0, "gb200-nvl72", 0.990, 4.562) \
    X("sglang-0.5", SERVE_FIRST, 0, "gb300-nvl72", 0.990, 3.904) \
    X("sglang-0.5", SERVE_FIRST, 0, "h100-sxm", 0.889, 2.140) \
    X("sglang-0.5", SERVE_FIRST, 0, "h200-sxm", 0.870, 3.699) \
    X("tensorrt-10.2-server", SERVE, -1, "", 0.940, 1.263) \
    X("tensorrt-10.2-server", SERVE, 0, "", 0.948, 1.290) \
    X("tensorrt-10.2-server", SERVE, 0, "h100-sxm", 0.990, 1.274) \
    X("tensorrt-10.2-server", SERVE, 0, "h200-sxm", 0.889, 1.173) \
    X("tensorrt-10.2-server", SERVE_MOE, -1, "", 0.990, 1.312) \
    X("tensorrt-10.2-server", SERVE_FIRST, -1, "", 0.990, 2.278) \
    X("tensorrt-10.2-server", SERVE_FIRST, 0, "", 0.990, 2.278) \
    X("tensorrt-10.2-server", SERVE_FIRST, 0, "gh200-144g", 0.990, 1.914) \
    X("tensorrt-10.2-server", SERVE_FIRST, 0, "h100-nvl-pcie", 0.990, 2.277) \
    X("tensorrt-10.2-server", SERVE_FIRST, 0, "h100-sxm", 0.990, 2.562) \
    X("tensorrt-10.2-server", SERVE_FIRST, 0, "h200-sxm", 0.990, 2.153) \
    X("tensorrt-llm-0.9", DECODE_DRAM, -1, "", 0.882, 1.047) \
    X("tensorrt-llm-0.9", DECODE_DRAM, 2, "", 0.881, 1.041) \
    X("tensorrt-llm-0.9", DECODE_DRAM, 2, "h100-sxm", 0.861, 1.010) \
    X("tensorrt-llm-0.9", DECODE_DRAM, 2, "l40s", 0.936, 1.139) \
    X("tensorrt-llm-0.9", DECODE_NETWORK, -1, "", 0.834, 1.168) \
    X("tensorrt-llm-0.9", DECODE_NETWORK, 0, "", 0.819, 1.073) \
    X("tensorrt-llm-0.9", PREFILL, -1, "", 0.876, 1.092) \
    X("tensorrt-llm-0.9", PREFILL, 0, "", 0.859, 1.057) \
    X("tensorrt-llm-0.9", PREFILL_SHORT, -1, "", 0.970, 1.191) \
    X("tensorrt-llm-0.9", PREFILL_SHORT, 2, "", 0.969, 1.197) \
    X("tensorrt-llm-0.9", INFER_MOE, -1, "", 0.681, 1.998) \
    X("tensorrt-llm-0.9", INFER_MOE, 2, "", 0.662, 1.967) \
    X("tensorrt-llm-1.0", SERVE, -1, "", 0.990, 1.277) \
    X("tensorrt-llm-1.0", SERVE, 0, "", 0.990, 1.381) \
    X("tensorrt-llm-1.0", SERVE, 0, "h100-sxm", 0.990, 1.384) \
    X("tensorrt-llm-1.0", SERVE, 2, "", 0.990, 1.256) \
    X("tensorrt-llm-1.0", SERVE, 2, "h100-sxm", 0.990, 1.256) \
    X("tensorrt-llm-1.0", SERVE, 3, "", 0.990, 1.772) \
    X("tensorrt-llm-1.0", SERVE, 3, "h100-sxm", 0.990, 1.892) \
    X("tensorrt-llm-1.0", SERVE_FIRST, -1, "", 0.798, 2.064) \
    X("tensorrt-llm-1.0", SERVE_FIRST, 0, "", 0.798, 2.064) \
    X("tensorrt-llm-1.0", SERVE_FIRST, 0, "h100-sxm", 0.798, 2.064) \
    X("tensorrt-llm-1.2", IN_FLIGHT, -1, "", 0.911, 1.021) \
    X("tensorrt-llm-1.2", IN_FLIGHT, 2, "", 0.911, 1.021) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, -1, "", 0.934, 1.305) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 2, "", 0.943, 1.363) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 2, "b200-sxm", 0.958, 1.106) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 2, "h200-sxm", 0.827, 1.440) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 4, "", 0.933, 1.266) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 4, "b200-sxm", 0.958, 1.215) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 4, "gb200-nvl72", 0.942, 1.354) \
    X("tensorrt-llm-1.2", IN_FLIGHT_MOE, 4, "h200-sxm", 0.919, 1.194) \
    X("tensorrt-llm-1.2", SERVE, -1, "", 0.949, 1.037) \
    X("tensorrt-llm-1.2", SERVE, 0, "", 0.951, 1.010) \
    X("tensorrt-llm-1.2", SERVE, 0, "b200-sxm", 0.954, 1.010) \
    X("tensorrt-llm-1.2", SERVE, 0, "h200-sxm", 0.935, 1.092) \
    X("tensorrt-llm-1.2", SERVE, 2, "", 0.947, 1.024) \
    X("tensorrt-llm-1.2", SERVE, 2, "b200-sxm", 0.947, 1.026) \
    X("tensorrt-llm-1.2", SERVE, 2, "h200-sxm", 0.949, 1.014) \
    X("tensorrt-llm-1.2", SERVE, 3, "", 0.990, 1.084) \
    X("tensorrt-llm-1.2", SERVE, 3, "b200-sxm", 0.990, 1.091) \
    X("tensorrt-llm-1.2", SERVE, 4, "", 0.984, 1.052) \
    X("tensorrt-llm-1.2", SERVE, 4, "b200-sxm", 0.988, 1.053) \
    X("tensorrt-llm-1.2", SERVE_MOE, -1, "", 0.889, 1.281) \
    X("tensorrt-llm-1.2", SERVE_MOE, 0, "", 0.950, 1.357) \
    X("tensorrt-llm-1.2", SERVE_MOE, 0, "h200-sxm", 0.955, 1.363) \
    X("tensorrt-llm-1.2", SERVE_MOE, 2, "", 0.879, 1.237) \
    X("tensorrt-llm-1.2", SERVE_MOE, 2, "b200-sxm", 0.888, 1.067) \
    X("tensorrt-llm-1.2", SERVE_MOE, 2, "gb200-nvl72", 0.747, 1.021) \
    X("tensorrt-llm-1.2", SERVE_MOE, 2, "gb300-nvl72", 0.820, 1.081) \
    X("tensorrt-llm-1.2", SERVE_MOE, 2, "h200-sxm", 0.989, 1.344) \
    X("tensorrt-llm-1.2", SERVE_MOE, 4, "", 0.882, 1.473) \
    X("tensorrt-llm-1.2", SERVE_MOE, 4, "b200-sxm", 0.933, 1.160) \
    X("tensorrt-llm-1.2", SERVE_MOE, 4, "gb200-nvl72", 0.820, 1.060) \
    X("tensorrt-llm-1.2", SERVE_MOE, 4, "h200-sxm", 0.990, 1.652) \
    X("tensorrt-llm-1.2", SERVE_FIRST, -1, "", 0.872, 2.224) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "", 0.872, 2.224) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "b200-sxm", 0.835, 1.306) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "gb200-nvl72", 0.990, 11.273) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "gb300-nvl72", 0.898, 17.838) \
    X("tensorrt-llm-1.2", SERVE_FIRST, 0, "h200-sxm", 0.911, 1.962) \
    X("tensorrt-llm-nemo", DECODE_DRAM, -1, "", 0.961, 1.025) \
    X("tensorrt-llm-nemo", DECODE_DRAM, 2, "", 0.961, 1.025) \
    X("tensorrt-llm-nemo", DECODE_DRAM, 2, "a100-80g-sxm", 0.951, 1.022) \
    X("tensorrt-llm-nemo", DECODE_DRAM, 2, "h100-sxm", 0.987, 1.025) \
    X("tensorrt-llm-nemo", DECODE_NETWORK, -1, "", 0.990, 1.069) \
    X("tensorrt-llm-nemo", DECODE_NETWORK, 2, "", 0.990, 1.076) \
    X("tensorrt-llm-nemo", DECODE_NETWORK, 4, "", 0.990, 1.027) \
    X("tensorrt-llm-nemo", DECODE_NETWORK, 4, "h100-sxm", 0.977, 1.013) \
    X("torchtitan-2024-async-tp", TRAIN_DENSE, -1, "", 0.990, 1.402) \
    X("torchtitan-2024-compiled", TRAIN_DENSE, -1, "", 0.990, 1.452) \
    X("torchtitan-2024-compiled", TRAIN_DENSE, 0, "", 0.990, 1.452) \
    X("torchtitan-2024-compiled", TRAIN_DENSE, 0, "h100-sxm-500w-torchtitan", 0.990, 1.452) \
    X("torchtitan-2024-eager", TRAIN_DENSE, -1, "", 0.990, 1.083) \
    X("torchtitan-2024-eager", TRAIN_DENSE, 0, "", 0.990, 1.083) \
    X("torchtitan-2024-eager", TRAIN_DENSE, 0, "a100-80g-sxm", 0.990, 1.089) \
    X("torchtitan-2025-compiled", TRAIN_DENSE, -1, "", 0.990, 1.369) \
    X("torchtitan-2025-compiled", TRAIN_DENSE, 0, "", 0.990, 1.369) \
    X("vllm-0.10", SERVE, -1, "", 0.990, 1.196) \
    X("vllm-0.10", SERVE, 0, "", 0.990, 1.200) \
    X("vllm-0.10", SERVE, 0, "b200-sxm", 0.990, 1.181) \
    X("vllm-0.10", SERVE, 2, "", 0.990, 1.192) \
    X("vllm-0.10", SERVE, 2, "b200-sxm", 0.990, 1.136) \
    X("vllm-0.10", SERVE, 2, "h100-sxm", 0.984, 1.198) \
    X("vllm-0.10", SERVE, 2, "h200-sxm", 0.990, 1.242) \
    X("vllm-0.10", SERVE, 4, "", 0.990, 1.214) \
    X("vllm-0.10", SERVE, 4, "b200-sxm", 0.990, 1.216) \
    X("vllm-0.10", SERVE_MOE, -1, "", 0.990, 1.306) \
    X("vllm-0.10", SERVE_MOE, 2, "", 0.990, 1.310) \
    X("vllm-0.10", SERVE_FIRST, -1, "", 0.938, 1.413) \
    X("vllm-0.10", SERVE_FIRST, 0, "", 0.938, 1.413) \
    X("vllm-0.10", SERVE_FIRST, 0, "b200-sxm", 0.935, 1.678) \
    X("vllm-0.10", SERVE_FIRST, 0, "h100-sxm", 0.888, 1.297) \
    X("vllm-0.10", SERVE_FIRST, 0, "h200-sxm", 0.990, 1.143) \
    X("vllm-0.11", SERVE, -1, "", 0.975, 2.004) \
    X("vllm-0.11", SERVE, 0, "", 0.744, 1.368) \
    X("vllm-0.11", SERVE, 0, "b200-sxm", 0.763, 1.729) \
    X("vllm-0.11", SERVE, 0, "h100-sxm", 0.975, 1.317) \
    X("vllm-0.11", SERVE, 0, "h200-sxm", 0.449, 1.010) \
    X("vllm-0.11", SERVE, 2, "", 0.981, 2.053) \
    X("vllm-0.11", SERVE, 2, "b200-sxm", 0.990, 2.779) \
    X("vllm-0.11", SERVE, 2, "h100-sxm", 0.976, 1.286) \
    X("vllm-0.11", SERVE, 2, "h200-sxm", 0.567, 1.010) \
    X("vllm-0.11", SERVE, 5, "", 0.990, 2.198) \
    X("vllm-0.11", SERVE, 5, "b200-sxm", 0.990, 2.554) \
    X("vllm-0.11", SERVE, 5, "h100-sxm", 0.990, 1.905) \
    X("vllm-0.11", SERVE_MOE, -1, "", 0.908, 1.879) \
    X("vllm-0.11", SERVE_MOE, 2, "", 0.915, 1.971) \
    X("vllm-0.11", SERVE_MOE, 2, "b200-sxm", 0.923, 2.120) \
    X("vllm-0.11", SERVE_MOE, 2, "h100-sxm", 0.910, 1.896) \
    X("vllm-0.11", SERVE_MOE, 5, "", 0.897, 1.789) \
    X("vllm-0.11", SERVE_MOE, 5, "b200-sxm", 0.899, 2.085) \
    X("vllm-0.11", SERVE_MOE, 5, "h100-sxm", 0.886, 1.206) \
    X("vllm-0.11", SERVE_FIRST, -1, "", 0.414, 1.351) \
    X("vllm-0.11", SERVE_FIRST, 0, "", 0.414, 1.351) \
    X("vllm-0.11", SERVE_FIRST, 0, "h100-sxm", 0.899, 1.454) \
    X("vllm-0.11", SERVE_FIRST, 0, "h200-sxm", 0.201, 1.010) \
    X("vllm-0.14", SERVE_MOE, -1, "", 0.965, 1.286) \
    X("vllm-0.14", SERVE_MOE, 2, "", 0.954, 1.248) \
    X("vllm-0.14", SERVE_MOE, 2, "b200-sxm", 0.933, 1.098) \
    X("vllm-0.14", SERVE_MOE, 2, "h200-sxm", 0.990, 1.508) \
    X("vllm-0.14", SERVE_MOE, 4, "", 0.990, 1.593) \
    X("vllm-0.14", SERVE_MOE, 4, "b200-sxm", 0.990, 1.238) \
    X("vllm-0.14", SERVE_FIRST, -1, "", 0.899, 1.473) \
    X("vllm-0.14", SERVE_FIRST, 0, "", 0.899, 1.473) \
    X("vllm-0.14", SERVE_FIRST, 0, "b200-sxm", 0.883, 1.300) \
    X("vllm-0.17", SERVE, -1, "", 0.990, 1.113) \
    X("vllm-0.17", SERVE, 2, "", 0.990, 1.113) \
    X("vllm-0.17", SERVE, 2, "rtx-pro-6000-blackwell", 0.990, 1.113) \
    X("vllm-0.17", SERVE_MOE, -1, "", 0.963, 1.206) \
    X("vllm-0.17", SERVE_MOE, 0, "", 0.962, 1.058) \
    X("vllm-0.17", SERVE_MOE, 0, "h200-sxm", 0.962, 1.049) \
    X("vllm-0.17", SERVE_MOE, 2, "", 0.949, 1.236) \
    X("vllm-0.17", SERVE_MOE, 2, "b200-sxm", 0.983, 1.254) \
    X("vllm-0.17", SERVE_MOE, 2, "h100-sxm", 0.936, 1.139) \
    X("vllm-0.17", SERVE_MOE, 2, "h200-sxm", 0.910, 1.168) \
    X("vllm-0.17", SERVE_MOE, 4, "", 0.990, 1.205) \
    X("vllm-0.17", SERVE_MOE, 4, "b200-sxm", 0.967, 1.216) \
    X("vllm-0.17", SERVE_MOE, 4, "h100-sxm", 0.990, 1.188) \
    X("vllm-0.17", SERVE_MOE, 4, "h200-sxm", 0.990, 1.203) \
    X("vllm-0.17", SERVE_FIRST, -1, "", 0.852, 1.246) \
    X("vllm-0.17", SERVE_FIRST, 0, "", 0.852, 1.246) \
    X("vllm-0.17", SERVE_FIRST, 0, "b200-sxm", 0.990, 1.702) \
    X("vllm-0.17", SERVE_FIRST, 0, "gb200-nvl72", 0.990, 3.145) \
    X("vllm-0.17", SERVE_FIRST, 0, "h100-sxm", 0.912, 1.215) \
    X("vllm-0.17", SERVE_FIRST, 0, "h200-sxm", 0.990, 1.559) \
    X("vllm-0.17", SERVE_FIRST, 0, "rtx-pro-6000-blackwell", 0.777, 1.166) \
    X("vllm-0.5", DECODE_DRAM, -1, "", 0.990, 1.065) \
    X("vllm-0.5", DECODE_DRAM, 2, "", 0.990, 1.065) \
    X("vllm-0.5", DECODE_DRAM, 2, "gh200-96g", 0.990, 1.065) \
    X("vllm-0.5", HOST, -1, "", 0.960, 1.029) \
    X("vllm-0.5", HOST, 2, "", 0.961, 1.024) \
    X("vllm-0.5", HOST, 2, "gh200-96g", 0.961, 1.023) \
    X("vllm-0.6", DECODE_DRAM, -1, "", 0.926, 1.503) \
    X("vllm-0.6", DECODE_DRAM, 2, "", 0.926, 1.503) \
    X("vllm-0.6", DECODE_DRAM, 2, "a100-40g-sxm-4x", 0.926, 1.503) \
    X("vllm-0.6", HOST, -1, "", 0.907, 1.049) \
    X("vllm-0.6", HOST, 2, "", 0.907, 1.049) \
    X("vllm-0.6", HOST, 2, "a100-40g-sxm-4x", 0.907, 1.049) \
    X("vllm-0.6", INFER_MOE, -1, "", 0.925, 1.069) \
    X("vllm-0.6", INFER_MOE, 2, "", 0.925, 1.069) \
    X("vllm-0.6", INFER_MOE, 2, "a100-40g-sxm-4x", 0.925, 1.069)
