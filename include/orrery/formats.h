/* What numbers, checkpoints and caches are stored in, and the modules, tensors and products that formats are given to.
 * A part of orrery.h, which includes it where ORR_EXPERIMENTAL is defined; include that. */
#ifndef ORRERY_FORMATS_H
#define ORRERY_FORMATS_H

#define ORR_DTYPES(X)                                                                                                  \
    /*  enum   name    bits per element              */                                                                \
    X(FP32, "fp32", 32)                                                                                                \
    X(TF32, "tf32", 32)                                                                                                \
    X(FP16, "fp16", 16)                                                                                                \
    X(BF16, "bf16", 16)                                                                                                \
    X(FP8, "fp8", 8)                                                                                                   \
    X(FP8_BLOCK, "fp8_block", 8) /* scales per 128 */                                                                  \
    X(FP4, "fp4", 4)                                                                                                   \
    X(INT8, "int8", 8)                                                                                                 \
    X(INT4, "int4", 4) /* weights only */

/* Formats a checkpoint is stored in. The first are the dtypes, whose scales are a mean over all weights; the others
 * are counted tensor by tensor (src/spec/format_table.c has their bits, docs/models-formats.md their rules). */
#define ORR_WEIGHT_FORMATS(X)                                                                                          \
    ORR_DTYPES(X)                                                                                                      \
    X(PUBLISHED, "published", "as the checkpoint's own configuration says")                                            \
    X(MXFP4, "mxfp4", "4-bit floats, a power of two per 32; of models with experts only those")                        \
    X(NVFP4, "nvfp4", "4-bit floats, an 8-bit scale per 16")                                                           \
    X(NVFP4A16, "nvfp4a16", "the same, multiplied in 16 bits")                                                         \
    X(MXFP8, "mxfp8", "8-bit floats, a power of two per 32")                                                           \
    X(FP8_TENSOR, "fp8-tensor", "8-bit floats, a scale per tensor")                                                    \
    X(FP8_CHANNEL, "fp8-channel", "8-bit floats, a scale per output row")                                              \
    X(FP8_128, "fp8-block", "8-bit floats, a scale per 128 x 128")                                                     \
    X(W4A16, "w4a16", "4-bit integers, a scale per group of 128 (compressed-tensors)")                                 \
    X(W8A16, "w8a16", "8-bit integers, a scale per output row, multiplied in 16 bits")                                 \
    X(W8A8, "w8a8", "8-bit integers, a scale per output row, multiplied in int8")                                      \
    X(AWQ, "awq", "4-bit integers, scale and zero per 128")                                                            \
    X(GPTQ, "gptq", "4-bit integers, scale and zero per 128, order of the columns")                                    \
    X(GPTQ_INT8, "gptq-int8", "8-bit integers, else as gptq")                                                          \
    X(AUTOROUND, "autoround", "4-bit integers packed as gptq")                                                         \
    X(BNB_INT8, "bnb-int8", "bitsandbytes: 8-bit integers, a scale per output row")                                    \
    X(NF4, "nf4", "bitsandbytes: 4-bit normal floats, a scale per 64")                                                 \
    X(NF4_DOUBLE, "nf4-double", "the same with scales quantised to 8 bits")                                            \
    X(HQQ, "hqq", "4-bit integers, scale and zero per 64")                                                             \
    X(TORCHAO_INT4, "torchao-int4", "4-bit integers, scale and zero per 128")                                          \
    X(MLX_4BIT, "mlx-4bit", "4-bit integers, scale and bias per 64; embedding and head too")                           \
    X(MLX_8BIT, "mlx-8bit", "8-bit integers, else as mlx-4bit")                                                        \
    X(Q2_K, "q2_k", "GGUF mixture")                                                                                    \
    X(Q3_K_S, "q3_k_s", "GGUF mixture")                                                                                \
    X(Q3_K_M, "q3_k_m", "GGUF mixture")                                                                                \
    X(Q3_K_L, "q3_k_l", "GGUF mixture")                                                                                \
    X(Q4_0, "q4_0", "GGUF mixture")                                                                                    \
    X(Q4_K_S, "q4_k_s", "GGUF mixture")                                                                                \
    X(Q4_K_M, "q4_k_m", "GGUF mixture")                                                                                \
    X(Q5_0, "q5_0", "GGUF mixture")                                                                                    \
    X(Q5_K_S, "q5_k_s", "GGUF mixture")                                                                                \
    X(Q5_K_M, "q5_k_m", "GGUF mixture")                                                                                \
    X(Q6_K, "q6_k", "GGUF mixture")                                                                                    \
    X(Q8_0, "q8_0", "GGUF, 8.5 bits")                                                                                  \
    X(IQ4_NL, "iq4_nl", "GGUF mixture")                                                                                \
    X(IQ4_XS, "iq4_xs", "GGUF mixture")                                                                                \
    X(MXFP4_MOE, "mxfp4_moe", "GGUF: experts as mxfp4, the rest q8_0")

/* Cache formats other than the plain dtypes: bits per element, and further bits per head's vector (or latent). */
#define ORR_KV_FORMATS(X)                                                                                              \
    /*  enum   name    kernels read   bits   bits of a vector                              */                          \
    X(PLAIN, "", BF16, 0, 0) /* orr_serving.kv says all */                                                             \
    X(INT8_HEAD, "int8_per_token_head", INT8, 8, 32)                                                                   \
    X(INT4, "int4", INT8, 4, 32)   /* int4_per_token_head */                                                           \
    X(NF4, "nf4", INT8, 4.5, 0)    /* a 32-bit scale per 64 */                                                         \
    X(NVFP4, "nvfp4", FP8, 4.5, 0) /* an 8-bit scale per 16 */                                                         \
    X(Q8_0, "q8_0", INT8, 8.5, 0)  /* a 16-bit scale per 32 */                                                         \
    X(Q4_0, "q4_0", INT8, 4.5, 0)                                                                                      \
    X(FP8_DS_MLA, "fp8_ds_mla", FP8, 8, 0) /* latent of fp8 with a scale per 128, rope in 16 bits */

/* Modules by which the bytes of a checkpoint are counted. */
#define ORR_MODULES(X)                                                                                                 \
    X(EMBEDDING, "embedding", "token and position tables")                                                             \
    X(ATTENTION, "attention", "projections with their biases, sinks")                                                  \
    X(DENSE, "dense_ffn", "feed-forward of layers without experts")                                                    \
    X(SHARED, "shared_experts", "experts that every token uses")                                                       \
    X(EXPERTS, "experts", "routed experts")                                                                            \
    X(ROUTER, "router", "routers with their biases")                                                                   \
    X(NORM, "norms", "all norms")                                                                                      \
    X(HEAD, "head", "output matrix, unless tied")                                                                      \
    X(TOWERS, "towers", "vision and audio encoders")                                                                   \
    X(MTP, "mtp", "multi-token prediction layers: loaded where they draft")

/* Tensors of a layer, their module and the end of their names in a checkpoint. */
#define ORR_TENSORS(X)                                                                                                 \
    X(Q, ATTENTION, "self_attn.q_proj")                                                                                \
    X(K, ATTENTION, "self_attn.k_proj")                                                                                \
    X(V, ATTENTION, "self_attn.v_proj")                                                                                \
    X(O, ATTENTION, "self_attn.o_proj")                                                                                \
    X(Q_A, ATTENTION, "self_attn.q_a_proj")                                                                            \
    X(Q_B, ATTENTION, "self_attn.q_b_proj")                                                                            \
    X(KV_A, ATTENTION, "self_attn.kv_a_proj_with_mqa")                                                                 \
    X(KV_B, ATTENTION, "self_attn.kv_b_proj")                                                                          \
    X(O_A, ATTENTION, "self_attn.o_a_proj")                                                                            \
    X(INDEX_Q, ATTENTION, "self_attn.indexer.wq_b")                                                                    \
    X(GATE, DENSE, "mlp.gate_proj")                                                                                    \
    X(UP, DENSE, "mlp.up_proj")                                                                                        \
    X(DOWN, DENSE, "mlp.down_proj")                                                                                    \
    X(SHARED_GATE, SHARED, "mlp.shared_experts.gate_proj")                                                             \
    X(SHARED_UP, SHARED, "mlp.shared_experts.up_proj")                                                                 \
    X(SHARED_DOWN, SHARED, "mlp.shared_experts.down_proj")                                                             \
    X(EXPERT_GATE, EXPERTS, "mlp.experts.0.gate_proj")                                                                 \
    X(EXPERT_UP, EXPERTS, "mlp.experts.0.up_proj")                                                                     \
    X(EXPERT_DOWN, EXPERTS, "mlp.experts.0.down_proj")

/* Weight products of a layer that may each have their own format, by the tensors they join. */
#define ORR_PRODUCTS(X)                                                                                                \
    X(OTHER, Q, Q) /* any other: 16 bits */                                                                            \
    X(QKV, Q, V)                                                                                                       \
    X(OUT, O, O)                                                                                                       \
    X(Q_DOWN, Q_A, Q_A)                                                                                                \
    X(Q_UP, Q_B, Q_B)                                                                                                  \
    X(KV_DOWN, KV_A, KV_A)                                                                                             \
    X(KV_UP, KV_B, KV_B)                                                                                               \
    X(OUT_DOWN, O_A, O_A)                                                                                              \
    X(INDEX_QUERY, INDEX_Q, INDEX_Q)                                                                                   \
    X(GATE_UP, GATE, UP)                                                                                               \
    X(DOWN, DOWN, DOWN)                                                                                                \
    X(SHARED_GATE_UP, SHARED_GATE, SHARED_UP)                                                                          \
    X(SHARED_DOWN, SHARED_DOWN, SHARED_DOWN)                                                                           \
    X(EXPERT_GATE_UP, EXPERT_GATE, EXPERT_UP)                                                                          \
    X(EXPERT_DOWN, EXPERT_DOWN, EXPERT_DOWN)

#define ORR_X_DTYPE_(name, ...)   ORR_DTYPE_##name,
#define ORR_X_WEIGHT_(name, ...)  ORR_WEIGHT_##name,
#define ORR_X_KV_(name, ...)      ORR_KV_##name,
#define ORR_X_MODULE_(name, ...)  ORR_MODULE_##name,
#define ORR_X_TENSOR_(name, ...)  ORR_TENSOR_##name,
#define ORR_X_PRODUCT_(name, ...) ORR_PRODUCT_##name,
enum orr_dtype { ORR_DTYPES(ORR_X_DTYPE_) ORR_N_DTYPES };
enum orr_weight_format { ORR_WEIGHT_FORMATS(ORR_X_WEIGHT_) ORR_N_WEIGHT_FORMATS };
enum orr_kv_format { ORR_KV_FORMATS(ORR_X_KV_) ORR_N_KV_FORMATS };
enum orr_module { ORR_MODULES(ORR_X_MODULE_) ORR_N_MODULES };
enum orr_weight_tensor { ORR_TENSORS(ORR_X_TENSOR_) ORR_N_TENSORS };
enum orr_product { ORR_PRODUCTS(ORR_X_PRODUCT_) ORR_N_PRODUCTS };

/* The name of a format, as JSON and the command line spell it. */
ORR_API const char *orr_dtype_name(enum orr_dtype dtype);

#endif
