/* The table of model types: one row per architecture of the Hugging Face library, with its spellings and defaults. */
#include "spec/model.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* clang-format off */
/* Spellings several types share. The first is the one of the type, the second the common one it maps to. */
#define GPT_KEYS .hidden = "n_embd|hidden_size", .layers = "n_layer|num_hidden_layers", \
                 .heads = "n_head|num_attention_heads", .ffn = "n_inner", .ffn_per_hidden = 4, \
                 .max_seq = "n_positions|max_position_embeddings", .kv_heads = "", .head_dim = "", \
                 .attention_dropout = "attn_pdrop", .hidden_dropout = "resid_pdrop"
#define ALL_BIASES .qkv_bias = true, .out_bias = true, .mlp_bias = true
#define LLAMA_LIKE(norms) .norm = ORR_NORM_RMS, .n_norms = (norms), .gated = true, \
                          .attention_dropout = "attention_dropout"

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
    /* published text_config objects leave heads and vocabulary to the library's defaults */
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
};
/* clang-format on */

/* Other names of the same architecture. */
static const struct {
    const char *alias, *name;
} aliases[] = {
    {"gemma3", "gemma3_text"}, {"llama4", "llama4_text"}, {"grok", "grok-1"},
    {"grok1", "grok-1"},       {"aquila", "llama"},       {"kimi_k2", "deepseek_v3"},
};

enum { N_TYPES = sizeof types / sizeof types[0], N_ALIASES = sizeof aliases / sizeof aliases[0] };

static void fail_unknown(struct orr_config *config, const char *path)
{
    const char *names[N_TYPES];
    char list[320] = "";
    for (size_t i = 0; i < N_TYPES; i++) {
        names[i] = types[i].name;
        const size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, "%s%s", i ? ", " : "", names[i]);
    }
    const char *nearest = orr_nearest(config->type, names, N_TYPES);
    orr_config_fail(config, path, "unknown model_type \"%.48s\"%s%s%s; known: %s", config->type,
                    nearest ? " (did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?)" : "", list);
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
