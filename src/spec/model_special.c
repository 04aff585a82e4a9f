/* Facts that the table of model types cannot express, with one short function per architecture. */
#include "spec/model.h"

#include <string.h>

void orr_mark(struct orr_shape *shape, int64_t layer, enum orr_mark what, bool on)
{
    const unsigned marks = shape->marks[layer];
    shape->marks[layer] = (uint32_t)(on ? marks | (unsigned)what : marks & ~(unsigned)what);
}

/* Indices past the last layer are ignored, because the model may have been shortened. */
void orr_mark_listed(struct orr_config *config, struct orr_shape *shape, const json_t *list, const char *path,
                     enum orr_mark what, bool on, int64_t base)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        const json_int_t layer = json_is_integer(item) ? json_integer_value(item) - base : -1;
        if (layer < 0) {
            orr_config_fail(config, path, "must list layer numbers, counted from %lld", (long long)base);
            return;
        }
        if (layer < shape->n_layers) orr_mark(shape, layer, what, on);
    }
}

const char *orr_layer_name(struct orr_config *config, const struct orr_shape *shape, const char *key, int64_t layer)
{
    char path[ORR_PATH];
    const json_t *list = orr_config_list(config, key, path);
    if (!list) return "";
    const char *name = json_string_value(json_array_get(list, (size_t)layer));
    if ((int64_t)json_array_size(list) < shape->n_layers)
        orr_config_fail_rule(config, path, "has %zu entries for %lld layers", json_array_size(list),
                             (long long)shape->n_layers);
    else if (!name) orr_config_fail(config, path, "must list the names of layers");
    return name ? name : "";
}

int64_t orr_config_count_first(struct orr_config *config, const char *spellings, int64_t min, int64_t max,
                               int64_t absent)
{
    char path[ORR_PATH];
    const json_t *list = orr_config_find(config, spellings, path);
    if (!json_is_array(list)) return orr_config_count(config, spellings, min, max, absent);
    const json_t *first = json_array_get(list, 0);
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!json_equal(first, json_array_get(list, i)))
            orr_config_fail(config, path, "must be a number, or a list of equal ones");
    const json_int_t number = json_integer_value(first);
    if (number < min || number > max)
        orr_config_fail(config, path, "must be a whole number from %lld to %lld", (long long)min, (long long)max);
    return number < min || number > max ? min : number;
}

/* Multi-head latent attention: ranks and the three head sizes. */
void orr_read_latent(struct orr_config *config, struct orr_shape *shape)
{
    /* null means a direct query projection; with an absent key the library would use another model's rank. */
    const bool direct = orr_config_has(config, "q_lora_rank");
    shape->q_rank = orr_config_count(config, "q_lora_rank", 1, ORR_WIDTH_MAX, direct ? 0 : ORR_REQUIRED);
    shape->kv_rank = orr_config_count(config, "kv_lora_rank", 1, ORR_WIDTH_MAX, ORR_REQUIRED);
    shape->head_nope = orr_config_count(config, "qk_nope_head_dim", 1, ORR_HEADS_MAX, ORR_REQUIRED);
    shape->head_rope = orr_config_count(config, "qk_rope_head_dim", 1, ORR_HEADS_MAX, ORR_REQUIRED);
    shape->head_v = orr_config_count(config, "v_head_dim", 1, ORR_HEADS_MAX, ORR_REQUIRED);
    shape->latent_bias = orr_config_flag(config, "attention_bias", false);
}

void orr_special_deepseek_v2(struct orr_config *config, struct orr_shape *shape)
{
    orr_read_latent(config, shape);
    const int64_t n_shared = orr_config_count(config, "n_shared_experts", 0, 1024, 0);
    const int64_t n_dense = orr_config_count(config, "first_k_dense_replace", 0, shape->n_layers, ORR_REQUIRED);
    const int64_t period = orr_config_count(config, "moe_layer_freq", 1, ORR_MAX_LAYERS, 1);
    orr_read_expert_groups(config, shape);
    shape->shared_width = n_shared * shape->expert_width;
    for (int64_t i = 0; i < shape->n_layers; i++) orr_mark(shape, i, ORR_MARK_MOE, i >= n_dense && i % period == 0);
}

void orr_special_deepseek_v3(struct orr_config *config, struct orr_shape *shape)
{
    orr_special_deepseek_v2(config, shape);
    shape->router_bias = true; /* the correction that balances experts without a loss */
}

void orr_special_falcon(struct orr_config *config, struct orr_shape *shape)
{
    const bool new_decoder = orr_config_flag(config, "new_decoder_architecture", false);
    const bool multi_query = orr_config_flag(config, "multi_query", true);
    if (!new_decoder) shape->n_kv_heads = multi_query ? 1 : shape->n_heads;
    const int64_t in_parallel = orr_config_count(config, "num_ln_in_parallel_attn", 1, 2, new_decoder ? 2 : 1);
    shape->n_norms = shape->parallel ? in_parallel : 2;
    shape->rope = !orr_config_flag(config, "alibi", false);
}

void orr_special_llama4(struct orr_config *config, struct orr_shape *shape)
{
    char path[ORR_PATH];
    const int64_t step = orr_config_count(config, "interleave_moe_layer_step", 1, ORR_MAX_LAYERS, 1);
    const int64_t rope_period = orr_config_count(config, "no_rope_layer_interval", 1, ORR_MAX_LAYERS, 4);
    const json_t *moe_layers = orr_config_list(config, "moe_layers", path);
    for (int64_t i = 0; i < shape->n_layers; i++) {
        orr_mark(shape, i, ORR_MARK_MOE, !moe_layers && i % step == step - 1);
        orr_mark(shape, i, ORR_MARK_NO_ROPE, (i + 1) % rope_period == 0);
    }
    orr_mark_listed(config, shape, moe_layers, path, ORR_MARK_MOE, true, 0);
    const json_t *rope = orr_config_list(config, "no_rope_layers", path); /* in spite of its name: 1 is rotary */
    if (rope && json_array_size(rope) && (int64_t)json_array_size(rope) < shape->n_layers) {
        orr_config_fail_rule(config, path, "must have one entry per layer (%lld)", (long long)shape->n_layers);
    } else if (rope && json_array_size(rope)) {
        for (int64_t i = 0; i < shape->n_layers; i++) {
            orr_mark(shape, i, ORR_MARK_NO_ROPE, json_integer_value(json_array_get(rope, (size_t)i)) == 0);
        }
    }
    shape->shared_width = shape->expert_width;
    shape->qk_norm = orr_config_flag(config, "use_qk_norm", true);
    shape->qk_norm_weights = false;
}

void orr_special_mpt(struct orr_config *config, struct orr_shape *shape)
{
    char path[ORR_PATH];
    const char *attention = json_string_value(orr_config_find(config, "attn_config.attn_type", path));
    if (attention && !strcmp(attention, "multiquery_attention")) shape->n_kv_heads = 1;
    const bool biases = !orr_config_flag(config, "no_bias", true);
    shape->qkv_bias = shape->out_bias = shape->ffn_bias = biases;
    shape->norm = biases ? ORR_NORM_LAYER : ORR_NORM_LAYER_NO_BIAS;
    shape->ffn = shape->hidden * orr_config_count(config, "expansion_ratio", 1, 64, 4);
    const bool alibi = orr_config_flag(config, "attn_config.alibi", true);
    shape->rope = orr_config_flag(config, "attn_config.rope", false);
    /* ALiBi and RoPE switch learned positions off. */
    const bool learned = orr_config_flag(config, "learned_pos_emb", true) && !alibi && !shape->rope;
    if (learned) shape->n_positions = orr_config_count(config, "max_seq_len", 1, ORR_WIDTH_MAX, ORR_REQUIRED);
    if (orr_config_flag(config, "attn_config.qk_ln", false)) {
        orr_config_fail(config, "attn_config.qk_ln", "query and key norms of MPT are not supported");
    }
}

void orr_special_opt(struct orr_config *config, struct orr_shape *shape)
{
    shape->n_positions += 2; /* the table starts at the padding index + 2 */
    shape->embedding_width = orr_config_count(config, "word_embed_proj_dim", 1, ORR_WIDTH_MAX, shape->hidden);
    shape->final_norm = orr_config_flag(config, "do_layer_norm_before", true) &&
                        !orr_config_flag(config, "_remove_final_layer_norm", false);
    if (!orr_config_flag(config, "layer_norm_elementwise_affine", true)) shape->norm = ORR_NORM_LAYER_NO_WEIGHT;
}

void orr_special_qwen_moe(struct orr_config *config, struct orr_shape *shape)
{
    char path[ORR_PATH];
    const int64_t step = orr_config_count(config, "decoder_sparse_step", 1, ORR_MAX_LAYERS, 1);
    for (int64_t i = 0; i < shape->n_layers; i++) orr_mark(shape, i, ORR_MARK_MOE, (i + 1) % step == 0);
    const json_t *dense = orr_config_list(config, "mlp_only_layers", path);
    orr_mark_listed(config, shape, dense, path, ORR_MARK_MOE, false, 0);
    if (shape->qk_norm) return; /* Qwen3 has neither shared experts nor the qkv_bias key */
    shape->qkv_bias = orr_config_flag(config, "qkv_bias", true);
    shape->shared_width = orr_config_count(config, "shared_expert_intermediate_size", 0, ORR_WIDTH_MAX, ORR_REQUIRED);
    shape->shared_gate = shape->shared_width > 0;
}
