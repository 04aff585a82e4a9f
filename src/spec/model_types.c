/* The table of model types: one row per architecture of the Hugging Face library, with its spellings and defaults. */
#include "spec/model.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* clang-format off */
/* Spellings that several types share. The first is the type's own, the second the common one for the same key. */
#define GPT_KEYS .hidden = "n_embd|hidden_size", .layers = "n_layer|num_hidden_layers", \
                 .heads = "n_head|num_attention_heads", .ffn = "n_inner", .ffn_per_hidden = 4, \
                 .max_seq = "n_positions|max_position_embeddings", .kv_heads = "", .head_dim = "", \
                 .attention_dropout = "attn_pdrop", .hidden_dropout = "resid_pdrop"
#define ALL_BIASES .qkv_bias = true, .out_bias = true, .mlp_bias = true
#define DECODER(kind, norms) .norm = (kind), .n_norms = (norms), .gated = true, \
                             .attention_dropout = "attention_dropout"
#define LLAMA_LIKE(norms) DECODER(ORR_NORM_RMS, norms)

static const struct orr_model_type types[] = {
    { .name = "gpt2", GPT_KEYS, .attention_dropout_absent = 0.1, .hidden_dropout_absent = 0.1,
      .norm = ORR_NORM_LAYER, .n_norms = 2, ALL_BIASES, .tied = true, .no_rope = true, .learned_positions = true },
    { .name = "gptj", GPT_KEYS, .norm = ORR_NORM_LAYER, .n_norms = 1, .mlp_bias = true, .head_bias = true,
      .parallel_block = true },
    { .name = "gpt_neox", .kv_heads = "", .head_dim = "", .attention_bias = "attention_bias",
      .parallel = "use_parallel_residual", .attention_dropout = "attention_dropout",
      .hidden_dropout = "hidden_dropout", .norm = ORR_NORM_LAYER, .n_norms = 2, ALL_BIASES, .parallel_block = true },
    { .name = "opt", .ffn = "ffn_dim", .kv_heads = "", .head_dim = "", .attention_bias = "enable_bias",
      .ffn_bias = "enable_bias", .attention_dropout = "attention_dropout", .hidden_dropout = "dropout",
      .hidden_dropout_absent = 0.1, .norm = ORR_NORM_LAYER, .n_norms = 2, ALL_BIASES, .tied = true, .no_rope = true,
      .learned_positions = true, .special = orr_special_opt },
    { .name = "bloom", .hidden = "n_embed|hidden_size", .layers = "n_layer|num_hidden_layers",
      .heads = "n_head|num_attention_heads", .ffn = "", .ffn_per_hidden = 4, .max_seq = "seq_length",
      .kv_heads = "", .head_dim = "", .attention_dropout = "attention_dropout", .hidden_dropout = "hidden_dropout",
      .norm = ORR_NORM_LAYER, .n_norms = 2, ALL_BIASES, .tied = true, .no_rope = true, .embedding_norm = true },
    { .name = "mpt", .hidden = "d_model|hidden_size", .layers = "n_layers|num_hidden_layers",
      .heads = "n_heads|num_attention_heads", .kv_heads = "attn_config.kv_n_heads", .head_dim = "", .ffn = "",
      .ffn_per_hidden = 4, .max_seq = "max_seq_len", .attention_dropout = "attn_config.attn_pdrop",
      .hidden_dropout = "resid_pdrop", .norm = ORR_NORM_LAYER, .n_norms = 2, .tied = true,
      .special = orr_special_mpt },
    { .name = "falcon", .layers = "num_hidden_layers|n_layer", .heads = "num_attention_heads|n_head",
      .kv_heads = "num_kv_heads|n_head_kv", .head_dim = "", .ffn = "ffn_hidden_size", .ffn_per_hidden = 4,
      .attention_bias = "bias", .ffn_bias = "bias", .parallel = "parallel_attn",
      .attention_dropout = "attention_dropout", .hidden_dropout = "hidden_dropout", .norm = ORR_NORM_LAYER,
      .n_norms = 1, .parallel_block = true, .tied = true, .special = orr_special_falcon },
    { .name = "llama", LLAMA_LIKE(2), .attention_bias = "attention_bias", .ffn_bias = "mlp_bias" },
    { .name = "mistral", LLAMA_LIKE(2), .kv_heads_absent = ORR_REQUIRED, .window_rule = ORR_WINDOW_ALL,
      .window_absent = 4096 },
    { .name = "mixtral", LLAMA_LIKE(2), .kv_heads_absent = ORR_REQUIRED, .window_rule = ORR_WINDOW_ALL,
      .experts = "num_local_experts" },
    { .name = "qwen2", LLAMA_LIKE(2), .kv_heads_absent = ORR_REQUIRED, .qkv_bias = true,
      .window_rule = ORR_WINDOW_UPPER },
    { .name = "qwen3", LLAMA_LIKE(2), .kv_heads_absent = ORR_REQUIRED, .head_dim_absent = 128,
      .attention_bias = "attention_bias", .qk_norm = true, .window_rule = ORR_WINDOW_UPPER },
    { .name = "qwen2_moe", LLAMA_LIKE(2), .kv_heads_absent = ORR_REQUIRED, .qkv_bias = true,
      .window_rule = ORR_WINDOW_UPPER, .experts = "num_experts|num_local_experts",
      .expert_ffn = "moe_intermediate_size", .special = orr_special_qwen_moe },
    { .name = "qwen3_moe", LLAMA_LIKE(2), .kv_heads_absent = ORR_REQUIRED, .attention_bias = "attention_bias",
      .qk_norm = true, .window_rule = ORR_WINDOW_UPPER, .experts = "num_experts|num_local_experts",
      .expert_ffn = "moe_intermediate_size", .special = orr_special_qwen_moe },
    { .name = "deepseek_v2", LLAMA_LIKE(2), .kv_heads = "", .head_dim = "", .experts = "n_routed_experts",
      .expert_ffn = "moe_intermediate_size", .special = orr_special_deepseek_v2 },
    { .name = "deepseek_v3", LLAMA_LIKE(2), .kv_heads = "", .head_dim = "", .experts = "n_routed_experts",
      .expert_ffn = "moe_intermediate_size", .special = orr_special_deepseek_v3 },
    { .name = "gemma", LLAMA_LIKE(2), .kv_heads_absent = ORR_REQUIRED, .head_dim_absent = 256,
      .attention_bias = "attention_bias", .tied = true },
    { .name = "gemma2", LLAMA_LIKE(4), .kv_heads_absent = ORR_REQUIRED, .head_dim_absent = 256,
      .attention_bias = "attention_bias", .tied = true, .window_rule = ORR_WINDOW_EVEN, .window_absent = 4096 },
    /* Published text_config objects leave heads and vocabulary to the library's defaults. */
    { .name = "gemma3_text", LLAMA_LIKE(4), .heads_absent = 8, .kv_heads_absent = 4,
      .head_dim_absent = 256, .vocab_absent = 262208, .max_seq_absent = 131072, .attention_bias = "attention_bias",
      .tied = true, .qk_norm = true, .window_rule = ORR_WINDOW_PERIOD, .window_absent = 4096 },
    { .name = "llama4_text", LLAMA_LIKE(2), .kv_heads_absent = ORR_REQUIRED, .ffn = "intermediate_size_mlp",
      .attention_bias = "attention_bias", .window = "attention_chunk_size", .window_rule = ORR_WINDOW_ROPE,
      .chunked = true, .window_absent = 8192, .experts = "num_local_experts", .expert_ffn = "intermediate_size",
      .special = orr_special_llama4 },
    { .name = "phi3", LLAMA_LIKE(2), .hidden_dropout = "resid_pdrop", .window_rule = ORR_WINDOW_ALL },
    { .name = "nemotron", .attention_bias = "attention_bias", .ffn_bias = "mlp_bias",
      .attention_dropout = "attention_dropout", .hidden_dropout = "hidden_dropout", .norm = ORR_NORM_LAYER,
      .n_norms = 2 },
    { .name = "gpt_oss", LLAMA_LIKE(2), .kv_heads_absent = ORR_REQUIRED, .head_dim_absent = 64,
      .attention_bias = "attention_bias", .qkv_bias = true, .out_bias = true, .expert_bias = true,
      .router_bias = true, .sinks = true, .window_rule = ORR_WINDOW_EVEN, .window_absent = 128,
      .experts = "num_local_experts", .active = "num_experts_per_tok|experts_per_token" },
    { .name = "dbrx", .hidden = "d_model|hidden_size", .layers = "n_layers|num_hidden_layers",
      .heads = "n_heads|num_attention_heads", .kv_heads = "attn_config.kv_n_heads",
      .kv_heads_absent = ORR_REQUIRED, .head_dim = "", .ffn = "ffn_config.ffn_hidden_size",
      .max_seq = "max_seq_len|max_position_embeddings", .experts = "ffn_config.moe_num_experts",
      .active = "ffn_config.moe_top_k", .attention_dropout = "attn_config.attn_pdrop",
      .hidden_dropout = "resid_pdrop", .norm = ORR_NORM_LAYER_NO_BIAS, .n_norms = 2, .gated = true },
    { .name = "grok-1", LLAMA_LIKE(4), .experts = "num_experts|num_local_experts", .tied = true },
    /* ---- decoders like Llama */
    { .name = "glm4", LLAMA_LIKE(4), .attention_bias = "attention_bias", .no_out_bias = true },
    { .name = "glm4v_text", LLAMA_LIKE(4), .qkv_bias = true },
    { .name = "granite", LLAMA_LIKE(2), .attention_bias = "attention_bias", .ffn_bias = "mlp_bias", .tied = true },
    { .name = "granitemoe", LLAMA_LIKE(2), .attention_bias = "attention_bias", .experts = "num_local_experts",
      .tied = true },
    { .name = "olmo", DECODER(ORR_NORM_LAYER_NO_WEIGHT, 2), .attention_bias = "attention_bias" },
    { .name = "olmo2", LLAMA_LIKE(2), .attention_bias = "attention_bias", .qk_norm = true, .qk_norm_full = true },
    { .name = "olmo3", LLAMA_LIKE(2), .attention_bias = "attention_bias", .qk_norm = true, .qk_norm_full = true,
      .window_rule = ORR_WINDOW_PERIOD, .window_absent = 4096, .window_period = 4 },
    { .name = "olmoe", LLAMA_LIKE(2), .attention_bias = "attention_bias", .qk_norm = true, .qk_norm_full = true,
      .experts = "num_experts|num_local_experts" },
    { .name = "seed_oss", LLAMA_LIKE(2), .attention_bias = "attention_bias", .qkv_bias = true, .no_out_bias = true,
      .ffn_bias = "mlp_bias", .special = orr_special_seed_oss },
    { .name = "smollm3", LLAMA_LIKE(2), .attention_bias = "attention_bias", .ffn_bias = "mlp_bias", .tied = true,
      .window_rule = ORR_WINDOW_UPPER, .special = orr_special_smollm3 },
    { .name = "ministral3", LLAMA_LIKE(2), .window_rule = ORR_WINDOW_ALL },
    { .name = "cohere", DECODER(ORR_NORM_LAYER_NO_BIAS, 1), .attention_bias = "attention_bias",
      .parallel_block = true, .tied = true, .special = orr_special_cohere },
    { .name = "cohere2", DECODER(ORR_NORM_LAYER_NO_BIAS, 1), .attention_bias = "attention_bias",
      .parallel_block = true, .tied = true, .window_rule = ORR_WINDOW_PERIOD, .window_absent = 4096,
      .window_period = 4 },
    { .name = "exaone4", LLAMA_LIKE(2), .qk_norm = true, .window_rule = ORR_WINDOW_PERIOD, .window_period = 4 },
    { .name = "exaone_moe", LLAMA_LIKE(2), .qk_norm = true, .window_rule = ORR_WINDOW_PERIOD, .window_period = 4,
      .experts = "num_experts", .expert_ffn = "moe_intermediate_size", .special = orr_special_dots1 },
    { .name = "starcoder2", .attention_bias = "use_bias", .ffn_bias = "use_bias", ALL_BIASES,
      .attention_dropout = "attention_dropout", .hidden_dropout = "residual_dropout", .norm = ORR_NORM_LAYER,
      .n_norms = 2, .tied = true, .window_rule = ORR_WINDOW_ALL },
    { .name = "stablelm", DECODER(ORR_NORM_LAYER, 2), .parallel = "use_parallel_residual",
      .hidden_dropout = "hidden_dropout", .special = orr_special_stablelm },
    { .name = "phi", .attention_dropout = "attention_dropout", .hidden_dropout = "resid_pdrop",
      .norm = ORR_NORM_LAYER, .n_norms = 1, ALL_BIASES, .head_bias = true, .parallel_block = true },
    { .name = "phimoe", DECODER(ORR_NORM_LAYER, 2), .attention_bias = "attention_bias",
      .head_bias = true, .experts = "num_local_experts", .window_rule = ORR_WINDOW_ALL },
    { .name = "apertus", .norm = ORR_NORM_RMS, .n_norms = 2, .attention_bias = "attention_bias",
      .ffn_bias = "mlp_bias", .attention_dropout = "attention_dropout", .qk_norm = true,
      .special = orr_special_apertus },
    { .name = "arcee", .norm = ORR_NORM_RMS, .n_norms = 2, .attention_bias = "attention_bias",
      .ffn_bias = "mlp_bias", .attention_dropout = "attention_dropout" },
    { .name = "mimo", LLAMA_LIKE(2), .kv_heads_absent = ORR_REQUIRED, .attention_bias = "attention_bias",
      .qkv_bias = true, .no_out_bias = true, .window_rule = ORR_WINDOW_UPPER },
    { .name = "ernie4_5", LLAMA_LIKE(2), .attention_bias = "use_bias", .ffn_bias = "use_bias", .tied = true },
    { .name = "hunyuan_v1_dense", LLAMA_LIKE(2), .attention_bias = "attention_bias", .qk_norm = true, .tied = true },
    { .name = "nemotron-nas", LLAMA_LIKE(2), .kv_heads = "", .ffn = "", .ffn_per_hidden = 1,
      .special = orr_special_nemotron_nas },
    /* ---- experts */
    { .name = "glm4_moe", LLAMA_LIKE(2), .head_dim_absent = 128, .attention_bias = "attention_bias",
      .no_out_bias = true, .experts = "n_routed_experts", .expert_ffn = "moe_intermediate_size",
      .special = orr_special_glm4_moe },
    { .name = "dots1", LLAMA_LIKE(2), .attention_bias = "attention_bias", .qk_norm = true,
      .experts = "n_routed_experts", .expert_ffn = "moe_intermediate_size", .special = orr_special_dots1 },
    { .name = "bailing_moe", LLAMA_LIKE(2), .experts = "num_experts", .expert_ffn = "moe_intermediate_size",
      .special = orr_special_bailing_moe },
    { .name = "afmoe", LLAMA_LIKE(4), .qk_norm = true, .window_rule = ORR_WINDOW_PERIOD, .window_period = 4,
      .experts = "num_experts", .expert_ffn = "moe_intermediate_size", .special = orr_special_afmoe },
    { .name = "ernie4_5_moe", LLAMA_LIKE(2), .attention_bias = "use_bias", .ffn_bias = "use_bias", .tied = true,
      .experts = "moe_num_experts", .active = "moe_k", .expert_ffn = "moe_intermediate_size",
      .special = orr_special_ernie_moe },
    { .name = "hunyuan_v1_moe", LLAMA_LIKE(2), .attention_bias = "attention_bias", .tied = true,
      .experts = "num_experts", .active = "moe_topk|num_experts_per_tok",
      .special = orr_special_hunyuan_moe },
    { .name = "minimax_m2", LLAMA_LIKE(2), .qk_norm = true, .qk_norm_full = true, .experts = "num_local_experts",
      .special = orr_special_minimax_m2 },
    { .name = "minimax_m3", LLAMA_LIKE(2), .ffn = "dense_intermediate_size", .qk_norm = true,
      .experts = "num_local_experts", .expert_ffn = "moe_intermediate_size|intermediate_size",
      .special = orr_special_minimax_m3 },
    { .name = "mimo_v2_flash", LLAMA_LIKE(2), .attention_bias = "attention_bias", .experts = "n_routed_experts",
      .expert_ffn = "moe_intermediate_size", .special = orr_special_mimo_v2 },
    { .name = "longcat_flash", LLAMA_LIKE(2), .layers = "num_layers", .kv_heads = "", .head_dim = "",
      .ffn = "ffn_hidden_size", .experts = "n_routed_experts", .active = "moe_topk",
      .expert_ffn = "expert_ffn_hidden_size", .special = orr_special_longcat },
    { .name = "deepseek_v32", LLAMA_LIKE(2), .kv_heads = "", .head_dim = "", .experts = "n_routed_experts",
      .expert_ffn = "moe_intermediate_size", .special = orr_special_deepseek_v32 },
    { .name = "deepseek_v4", LLAMA_LIKE(2), .kv_heads_absent = 1, .head_dim_absent = 512, .ffn = "", .sinks = true,
      .experts = "n_routed_experts", .expert_ffn = "moe_intermediate_size", .special = orr_special_deepseek_v4 },
    /* ---- recurrent mixers */
    { .name = "mamba", LLAMA_LIKE(1), .ffn = "", .ffn_per_hidden = 2, .no_attention = true, .no_rope = true,
      .tied = true, .special = orr_special_mamba },
    { .name = "mamba2", LLAMA_LIKE(1), .ffn = "", .ffn_per_hidden = 2, .no_attention = true, .no_rope = true,
      .special = orr_special_mamba2 },
    { .name = "falcon_mamba", LLAMA_LIKE(1), .ffn = "", .ffn_per_hidden = 2, .no_attention = true, .no_rope = true,
      .special = orr_special_mamba },
    { .name = "jamba", LLAMA_LIKE(2), .no_rope = true, .experts = "num_experts", .special = orr_special_jamba },
    { .name = "bamba", LLAMA_LIKE(2), .attention_bias = "attention_bias", .special = orr_special_bamba },
    { .name = "granitemoehybrid", LLAMA_LIKE(2), .attention_bias = "attention_bias", .tied = true,
      .experts = "num_local_experts", .dense_too = true, .special = orr_special_granite_hybrid },
    { .name = "falcon_h1", LLAMA_LIKE(2), .attention_bias = "attention_bias", .ffn_bias = "mlp_bias",
      .special = orr_special_falcon_h1 },
    { .name = "nemotron_h", .norm = ORR_NORM_RMS, .n_norms = 1, .head_dim = "head_dim|attention_head_dim",
      .attention_bias = "attention_bias", .ffn_bias = "mlp_bias", .attention_dropout = "attention_dropout",
      .no_rope = true, .experts = "n_routed_experts", .expert_ffn = "moe_intermediate_size", .dense_too = true,
      .special = orr_special_nemotron_h },
    { .name = "qwen3_next", LLAMA_LIKE(2), .kv_heads_absent = ORR_REQUIRED, .head_dim_absent = 256, .qk_norm = true,
      .experts = "num_experts|num_local_experts", .expert_ffn = "moe_intermediate_size", .ffn_per_hidden = 1,
      .special = orr_special_qwen3_next },
    { .name = "qwen3_5_text", LLAMA_LIKE(2), .kv_heads_absent = ORR_REQUIRED, .head_dim_absent = 256,
      .qk_norm = true, .special = orr_special_qwen3_next },
    { .name = "kimi_linear", LLAMA_LIKE(2), .kv_heads = "", .head_dim = "", .no_rope = true,
      .experts = "num_experts", .active = "num_experts_per_token|num_experts_per_tok",
      .expert_ffn = "moe_intermediate_size", .special = orr_special_kimi_linear },
    { .name = "minimax", LLAMA_LIKE(2), .experts = "num_local_experts", .special = orr_special_minimax },
    { .name = "recurrent_gemma", LLAMA_LIKE(2), .kv_heads_absent = 1, .attention_bias = "attention_bias",
      .no_out_bias = true, .mlp_bias = true, .tied = true, .special = orr_special_recurrent_gemma },
    { .name = "lfm2", LLAMA_LIKE(2), .ffn = "block_ff_dim|intermediate_size", .qk_norm = true, .tied = true,
      .special = orr_special_lfm2 },
    { .name = "lfm2_moe", LLAMA_LIKE(2), .qk_norm = true, .tied = true, .experts = "num_experts",
      .expert_ffn = "moe_intermediate_size", .special = orr_special_lfm2 },
    /* ---- layers of several sizes; encoders */
    { .name = "gemma3n_text", LLAMA_LIKE(4), .hidden_absent = 2048, .heads_absent = 8, .kv_heads_absent = 2,
      .head_dim_absent = 256,
      .vocab_absent = 262400, .max_seq_absent = 32768, .attention_bias = "attention_bias", .tied = true,
      .qk_norm = true, .window_rule = ORR_WINDOW_PERIOD, .window_absent = 512, .window_period = 5,
      .special = orr_special_gemma3n },
    { .name = "gemma4_text", LLAMA_LIKE(4), .kv_heads_absent = ORR_REQUIRED, .head_dim_absent = 256,
      .vocab_absent = 262144, .attention_bias = "attention_bias", .tied = true, .qk_norm = true,
      .window_rule = ORR_WINDOW_PERIOD, .window_absent = 512, .experts = "num_experts", .active = "top_k_experts",
      .expert_ffn = "moe_intermediate_size", .dense_too = true, .special = orr_special_gemma4 },
    { .name = "mllama_text_model", LLAMA_LIKE(2), .hidden_dropout = "dropout", .special = orr_special_mllama },
    { .name = "whisper", .hidden = "d_model", .layers = "decoder_layers", .heads = "decoder_attention_heads",
      .kv_heads = "", .head_dim = "", .ffn = "decoder_ffn_dim", .max_seq = "max_target_positions",
      .attention_dropout = "attention_dropout", .hidden_dropout = "dropout", .norm = ORR_NORM_LAYER, .n_norms = 3,
      ALL_BIASES, .tied = true, .no_rope = true, .learned_positions = true, .special = orr_special_whisper },
    { .name = "t5", .hidden = "d_model", .layers = "num_decoder_layers|num_layers", .heads = "num_heads",
      .kv_heads = "", .head_dim = "d_kv", .ffn = "d_ff", .max_seq = "n_positions", .hidden_dropout = "dropout_rate",
      .norm = ORR_NORM_RMS, .n_norms = 3, .tied = true, .no_rope = true, .special = orr_special_t5 },
};
/* clang-format on */

/* Other names of the same architecture. */
static const struct {
    const char *alias, *name;
} aliases[] = {
    {"gemma3", "gemma3_text"},          {"llama4", "llama4_text"},        {"grok", "grok-1"},
    {"grok1", "grok-1"},                {"aquila", "llama"},              {"kimi_k2", "deepseek_v3"},
    {"kimi_k25", "deepseek_v3"},        {"kimi_vl", "deepseek_v3"},       {"glm4_moe_lite", "deepseek_v3"},
    {"glm_moe_dsa", "deepseek_v32"},    {"qwen2_vl", "qwen2"},            {"qwen2_vl_text", "qwen2"},
    {"qwen2_5_vl", "qwen2"},            {"qwen2_5_vl_text", "qwen2"},     {"qwen3_vl", "qwen3"},
    {"qwen3_vl_text", "qwen3"},         {"qwen3_vl_moe", "qwen3_moe"},    {"qwen3_vl_moe_text", "qwen3_moe"},
    {"qwen3_5", "qwen3_5_text"},        {"qwen3_5_moe", "qwen3_next"},    {"qwen3_5_moe_text", "qwen3_next"},
    {"gemma3n", "gemma3n_text"},        {"gemma4", "gemma4_text"},        {"mllama", "mllama_text_model"},
    {"mistral3", "ministral3"},         {"phi4", "phi3"},                 {"phi4mm", "phi3"},
    {"lfm2_vl", "lfm2"},                {"bailing_moe_v2", "bailing_moe"}, {"glm4v_moe_text", "glm4_moe"},
    {"glm4v_moe", "glm4_moe"},          {"glm4v", "glm4v_text"},          {"glm46v", "glm4v_text"},
    {"nemotron_nas", "nemotron-nas"},   {"deci", "nemotron-nas"},         {"mimo_v2", "mimo_v2_flash"},
    {"minimax_m3_vl", "minimax_m3"},    {"kimi_k3", "kimi_linear"},
};

enum { N_TYPES = sizeof types / sizeof types[0], N_ALIASES = sizeof aliases / sizeof aliases[0] };

/* Keys that indicate a mixer, sparse attention or experts, and a type that has them; the rarest come first. */
static const struct {
    const char *key, *type;
} markers[] = {
    {"linear_attn_config", "kimi_linear"},
    {"compress_ratios", "deepseek_v4"},
    {"index_topk", "deepseek_v32"},
    {"kv_lora_rank", "deepseek_v3"},
    {"linear_num_value_heads", "qwen3_next"},
    {"hybrid_override_pattern", "nemotron_h"},
    {"mamba_n_heads", "bamba"},
    {"mamba_d_state", "jamba"},
    {"ssm_state_size", "mamba2"},
    {"state_size", "mamba"},
    {"lru_width", "recurrent_gemma"},
    {"conv_L_cache", "lfm2"},
    {"attn_type_list", "minimax"},
    {"block_configs", "nemotron-nas"},
    {"cross_attention_layers", "mllama_text_model"},
    {"n_routed_experts", "glm4_moe"},
    {"num_experts", "qwen3_moe"},
    {"num_local_experts", "mixtral"},
    {"layer_types", "gemma3_text"},
};

/* The error names the config's keys that describe layers, and the type that shares the rarest key, else the nearest. */
static void fail_unknown(struct orr_config *config, const char *path)
{
    const char *names[N_TYPES], *alike = NULL;
    char keys[160] = "";
    for (size_t i = 0; i < N_TYPES; i++) names[i] = types[i].name;
    for (size_t i = 0; i < sizeof markers / sizeof markers[0]; i++) {
        if (!json_object_get(config->object, markers[i].key)) continue;
        const size_t length = strlen(keys);
        snprintf(keys + length, sizeof keys - length, "%s%s", length ? ", " : "", markers[i].key);
        if (!alike) alike = markers[i].type;
    }
    const char *nearest = orr_nearest(config->type, names, N_TYPES);
    if (!nearest && !alike) alike = "llama";
    orr_config_fail(config, path,
                    "unknown model_type \"%.48s\"%s%s%s%s%s%s%s%s; docs/models-architectures.md lists all",
                    config->type, nearest ? " (did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?)" : "",
                    *keys ? "; its layers are marked by " : "", keys, alike ? "; nearest in these: \"" : "",
                    alike ? alike : "", alike ? "\"" : "");
}

const struct orr_model_type *orr_model_type_find(struct orr_config *config, const char *path)
{
    const char *name = config->type;
    for (size_t i = 0; i < N_ALIASES; i++) {
        if (!strcmp(name, aliases[i].alias)) name = aliases[i].name;
    }
    for (size_t i = 0; i < N_TYPES; i++) {
        if (!strcmp(name, types[i].name)) return &types[i];
    }
    fail_unknown(config, path);
    return NULL;
}
