/* Model types whose attention or experts differ in sizes, sharing or sparsity, and encoder-decoder models. */
#include "spec/model.h"

#include <string.h>

static int64_t count(struct orr_config *config, const char *spellings, int64_t absent)
{
    return orr_config_count(config, spellings, 0, ORR_WIDTH_MAX, absent);
}

void orr_read_expert_groups(struct orr_config *config, struct orr_shape *shape)
{
    const int64_t n_groups = orr_config_count(config, "n_group|num_expert_group", 1, 1024, 1);
    const int64_t n_active = orr_config_count(config, "topk_group", 1, 1024, 1);
    shape->n_groups = n_groups > 1 ? n_groups : 0;
    shape->n_groups_active = n_groups > 1 ? n_active : 0;
}

void orr_read_dense_first(struct orr_config *config, struct orr_shape *shape)
{
    const int64_t n_shared = orr_config_count_first(
        config, "n_shared_experts|num_shared_experts|num_shared_expert|moe_num_shared_experts", 0, 1024, 0);
    const int64_t n_dense =
        orr_config_count(config, "first_k_dense_replace|num_dense_layers|moe_layer_start_index", 0, shape->n_layers, 0);
    orr_read_expert_groups(config, shape);
    shape->shared_width = n_shared * shape->expert_width;
    for (int64_t i = 0; i < shape->n_layers; i++) orr_mark(shape, i, ORR_MARK_MOE, i >= n_dense);
}

static void read_qk_norm(struct orr_config *config, struct orr_shape *shape, bool absent)
{
    shape->qk_norm = shape->qk_norm_weights = orr_config_flag(config, "use_qk_norm|qk_norm", absent);
}

/* ---------------------------------------------------------------- experts */

void orr_special_afmoe(struct orr_config *config, struct orr_shape *shape)
{
    orr_read_dense_first(config, shape);
    shape->router_bias = true;
    shape->gate_columns = shape->n_heads * shape->head_dim;
}

void orr_special_bailing_moe(struct orr_config *config, struct orr_shape *shape)
{
    orr_read_dense_first(config, shape);
    read_qk_norm(config, shape, false);
    shape->qkv_bias = orr_config_flag(config, "use_qkv_bias", false);
    shape->router_bias = orr_config_flag(config, "moe_router_enable_expert_bias", true);
}

void orr_special_dots1(struct orr_config *config, struct orr_shape *shape)
{
    orr_read_dense_first(config, shape);
    shape->router_bias = true;
}

void orr_special_glm4_moe(struct orr_config *config, struct orr_shape *shape)
{
    orr_special_dots1(config, shape);
    read_qk_norm(config, shape, false);
}

/* ERNIE has experts from a first to a last layer; a negative last counts from the end. */
void orr_special_ernie_moe(struct orr_config *config, struct orr_shape *shape)
{
    const int64_t end = orr_config_count(config, "moe_layer_end_index", -1, ORR_MAX_LAYERS, shape->n_layers);
    const int64_t step = orr_config_count(config, "moe_layer_interval", 1, ORR_MAX_LAYERS, 1);
    orr_read_dense_first(config, shape);
    for (int64_t i = 0; i < shape->n_layers; i++)
        if ((end >= 0 && i > end) || (i + 1) % step != 0) orr_mark(shape, i, ORR_MARK_MOE, false);
    shape->router_bias = orr_config_flag(config, "moe_use_aux_free", true);
}

void orr_special_hunyuan_moe(struct orr_config *config, struct orr_shape *shape)
{
    shape->expert_width =
        orr_config_count_first(config, "moe_intermediate_size", 1, ORR_WIDTH_MAX, shape->expert_width);
    orr_read_dense_first(config, shape);
    read_qk_norm(config, shape, true);
}

void orr_special_minimax_m2(struct orr_config *config, struct orr_shape *shape)
{
    shape->shared_width = count(config, "shared_intermediate_size", 0);
    shape->router_bias = orr_config_flag(config, "use_routing_bias", true);
    read_qk_norm(config, shape, true);
}

/* Every layer of a LongCat config is two layers of attention and dense FFN; the experts of the first run beside both.
 * The router may choose experts without weights, so that a token uses fewer experts with weights on average. */
void orr_special_longcat(struct orr_config *config, struct orr_shape *shape)
{
    orr_read_latent(config, shape);
    shape->n_zero_experts = count(config, "zero_expert_num", 0);
    shape->n_active = shape->n_active * shape->n_experts / (shape->n_experts + shape->n_zero_experts);
    shape->shared_width = shape->ffn;
    shape->router_bias = true;
    if (2 * shape->n_layers > ORR_MAX_LAYERS) {
        orr_config_fail(config, "num_layers", "must be at most %d", ORR_MAX_LAYERS / 2);
        return;
    }
    shape->n_layers *= 2;
    for (int64_t i = 0; i < shape->n_layers; i++) shape->marks[i] = i % 2 == 0 ? ORR_MARK_MOE : 0;
}

/* ---------------------------------------------------------------- sparse attention */

/* DSA: an indexer chooses keys; layers that "indexer_types" calls shared use the choice of an earlier layer. */
void orr_special_deepseek_v32(struct orr_config *config, struct orr_shape *shape)
{
    char path[ORR_PATH];
    const bool named = orr_config_list(config, "mlp_layer_types", path);
    const bool own = !orr_config_list(config, "indexer_types", path);
    if (named && !orr_config_has(config, "first_k_dense_replace")) {
        orr_read_latent(config, shape);
        orr_read_dense_first(config, shape);
        shape->router_bias = true;
    } else {
        orr_special_deepseek_v3(config, shape);
    }
    shape->index_heads = count(config, "index_n_heads", ORR_REQUIRED);
    shape->index_size = count(config, "index_head_dim", ORR_REQUIRED);
    shape->index_topk = count(config, "index_topk", ORR_REQUIRED);
    for (int64_t i = 0; i < shape->n_layers; i++) {
        if (named)
            orr_mark(shape, i, ORR_MARK_MOE, !strcmp(orr_layer_name(config, shape, "mlp_layer_types", i), "sparse"));
        orr_mark(shape, i, ORR_MARK_INDEXER, own || !strcmp(orr_layer_name(config, shape, "indexer_types", i), "full"));
    }
}

/* The marks of a layer with compressed attention: by a ratio of positions per entry, or by the name of its kind. */
static unsigned compressed_marks(struct orr_config *config, const struct orr_shape *shape, const json_t *entry)
{
    const char *name = json_string_value(entry);
    const json_int_t ratio = json_is_integer(entry) ? json_integer_value(entry) : -1;
    if (ratio == 0 || (name && !strcmp(name, "sliding_attention"))) return 0;
    if (ratio == shape->indexed_ratio || (name && !strcmp(name, "compressed_sparse_attention")))
        return ORR_MARK_INDEXER;
    if (ratio == shape->entries_ratio || (name && !strcmp(name, "heavily_compressed_attention")))
        return ORR_MARK_ENTRIES;
    orr_config_fail(config, name ? "layer_types" : "compress_ratios",
                    name ? "must list sliding_attention, compressed_sparse_attention or heavily_compressed_attention"
                         : "must list 0, %lld or %lld",
                    (long long)shape->indexed_ratio, (long long)shape->entries_ratio);
    return 0;
}

static void mark_compressed(struct orr_config *config, struct orr_shape *shape)
{
    char path[ORR_PATH], hash_path[ORR_PATH];
    const json_t *ratios = orr_config_list(config, "compress_ratios", path);
    const json_t *list = ratios ? ratios : orr_config_list(config, "layer_types", path);
    const json_t *experts = orr_config_list(config, "mlp_layer_types", hash_path);
    const int64_t n_hash = count(config, "num_hash_layers", 3);
    if ((int64_t)json_array_size(list) < shape->n_layers) {
        orr_config_fail_rule(config, list ? path : "", "must have \"compress_ratios\" with one entry per layer (%lld)",
                             (long long)shape->n_layers);
        return;
    }
    for (int64_t i = 0; i < shape->n_layers; i++) {
        const char *name = json_string_value(json_array_get(experts, (size_t)i));
        const bool hash = experts ? name && !strcmp(name, "hash_moe") : i < n_hash;
        shape->marks[i] = compressed_marks(config, shape, json_array_get(list, (size_t)i)) | ORR_MARK_MOE;
        orr_mark(shape, i, ORR_MARK_HASH, hash);
    }
    const json_t *last = json_array_get(list, (size_t)shape->n_layers); /* an entry of the prediction layer */
    shape->mtp_marks = last ? compressed_marks(config, shape, last) : 0;
}

/* Compressed attention and hyper-connections (Eqs. 121 and 122). */
void orr_special_deepseek_v4(struct orr_config *config, struct orr_shape *shape)
{
    shape->compressed = true;
    shape->q_rank = count(config, "q_lora_rank", ORR_REQUIRED);
    shape->head_rope = count(config, "qk_rope_head_dim", shape->head_dim / 8);
    shape->out_groups = orr_config_count(config, "o_groups", 1, ORR_HEADS_MAX, ORR_REQUIRED);
    shape->out_rank = orr_config_count(config, "o_lora_rank", 1, ORR_WIDTH_MAX, ORR_REQUIRED);
    shape->indexed_ratio = orr_config_count(config, "compress_rates.compressed_sparse_attention", 1, ORR_HEADS_MAX, 4);
    shape->entries_ratio =
        orr_config_count(config, "compress_rates.heavily_compressed_attention", 1, ORR_HEADS_MAX, 128);
    shape->window = orr_config_count(config, "sliding_window", 1, ORR_SEQ_MAX, 128);
    shape->index_heads = count(config, "index_n_heads", ORR_REQUIRED);
    shape->index_size = count(config, "index_head_dim", ORR_REQUIRED);
    shape->index_topk = count(config, "index_topk", ORR_REQUIRED);
    shape->residual_streams = orr_config_count(config, "hc_mult", 1, 64, 4);
    shape->shared_width = count(config, "n_shared_experts", 0) * shape->expert_width;
    shape->router_bias = true;
    mark_compressed(config, shape);
    if (shape->n_kv_heads != 1)
        orr_config_fail(config, "num_key_value_heads", "must be 1: all heads read the same keys");
    if (shape->n_heads % shape->out_groups || shape->head_rope > shape->head_dim)
        orr_config_fail_rule(config, "o_groups", "%lld groups do not divide %lld heads", (long long)shape->out_groups,
                             (long long)shape->n_heads);
    /* Streams in and out and their mixing, of two blocks; after the last layer one weight per stream. */
    const int64_t n = shape->residual_streams, joined = n * shape->hidden;
    shape->layer_extra = 2 * ((2 * n + n * n) * (joined + 1) + 3);
    shape->head_extra = n * (joined + 1) + 1;
}

/* Is entry `layer` of a list 1? Without a list every layer counts as listed. */
static bool listed_one(const json_t *list, int64_t layer)
{
    return !list || json_integer_value(json_array_get(list, (size_t)layer)) == 1;
}

/* Block-sparse attention: a query reads the blocks of keys with the highest scores and the nearest blocks. */
void orr_special_minimax_m3(struct orr_config *config, struct orr_shape *shape)
{
    char path[ORR_PATH];
    const int64_t block = count(config, "sparse_attention_config.sparse_block_size", ORR_REQUIRED);
    const json_t *sparse = orr_config_list(config, "sparse_attention_config.sparse_attention_freq", path);
    const json_t *experts = orr_config_list(config, "moe_layer_freq", path);
    shape->index_heads = count(config, "sparse_attention_config.sparse_num_index_heads", ORR_REQUIRED);
    shape->index_size = count(config, "sparse_attention_config.sparse_index_dim", ORR_REQUIRED);
    shape->index_topk = block * (count(config, "sparse_attention_config.sparse_topk_blocks", ORR_REQUIRED) +
                                 count(config, "sparse_attention_config.sparse_local_block", 0));
    shape->shared_width =
        count(config, "n_shared_experts", 0) * count(config, "shared_intermediate_size", shape->expert_width);
    shape->router_bias = orr_config_flag(config, "use_routing_bias", true);
    for (int64_t i = 0; i < shape->n_layers; i++) {
        orr_mark(shape, i, ORR_MARK_MOE, listed_one(experts, i));
        orr_mark(shape, i, ORR_MARK_INDEXER, listed_one(sparse, i));
    }
}

/* ---------------------------------------------------------------- heads by layer */

/* Windowed layers have heads of their own, and sinks. */
void orr_special_mimo_v2(struct orr_config *config, struct orr_shape *shape)
{
    char path[ORR_PATH];
    shape->head_v_dim = count(config, "v_head_dim", shape->head_dim);
    shape->sinks = orr_config_flag(config, "add_full_attention_sink_bias", false);
    shape->other = (struct orr_heads){.n_heads = count(config, "swa_num_attention_heads", shape->n_heads),
                                      .n_kv_heads = count(config, "swa_num_key_value_heads", shape->n_kv_heads),
                                      .head_dim = count(config, "swa_head_dim", shape->head_dim),
                                      .head_v = count(config, "swa_v_head_dim", shape->head_v_dim),
                                      .sinks = orr_config_flag(config, "add_swa_attention_sink_bias", true)};
    const json_t *windows = orr_config_list(config, "hybrid_layer_pattern", path);
    const json_t *experts = orr_config_list(config, "moe_layer_freq", path);
    for (int64_t i = 0; i < shape->n_layers; i++) {
        orr_mark(shape, i, ORR_MARK_OTHER, windows && listed_one(windows, i));
        orr_mark(shape, i, ORR_MARK_WINDOW, windows && listed_one(windows, i));
        orr_mark(shape, i, ORR_MARK_MOE, listed_one(experts, i));
    }
    shape->window = count(config, "sliding_window|sliding_window_size", 128);
    shape->router_bias = true;
}

static void share_kv(struct orr_config *config, struct orr_shape *shape, int64_t absent)
{
    const int64_t n_shared = count(config, "num_kv_shared_layers", absent);
    for (int64_t i = 0; i < shape->n_layers; i++)
        orr_mark(shape, i, ORR_MARK_SHARED_KV, i >= shape->n_layers - n_shared);
}

/* Per-layer embeddings of width p have a table and a projection for all layers, and two matrices and a norm in each. */
static void read_layer_embedding(struct orr_config *config, struct orr_shape *shape, int64_t absent)
{
    const int64_t p = count(config, "hidden_size_per_layer_input", absent), all = shape->n_layers * p;
    shape->layer_embedding = p;
    if (p == 0) return;
    shape->embedding_extra += count(config, "vocab_size_per_layer_input", 262144) * all + shape->hidden * all + p;
    shape->layer_extra += shape->hidden;
}

/* Gemma 3n has four streams (AltUp), a low-rank residual (LAuReL), per-layer embeddings, shared keys and values. */
void orr_special_gemma3n(struct orr_config *config, struct orr_shape *shape)
{
    const int64_t h = shape->hidden, n = count(config, "altup_num_inputs", 4), rank = count(config, "laurel_rank", 64);
    read_layer_embedding(config, shape, 256);
    share_kv(config, shape, 15);
    shape->layer_extra += h + n * n + n * n * n + h * n + h; /* scale, correction, prediction, router and its norm */
    shape->layer_extra += 2 * h * rank + h;
    shape->embedding_extra += (n - 1) * h * h;
    shape->head_extra += (n - 1) * h * h;
}

/* Layers without a window have other heads, and one projection for keys and values where the config says so. */
void orr_special_gemma4(struct orr_config *config, struct orr_shape *shape)
{
    const bool equal = orr_config_flag(config, "attention_k_eq_v", false);
    shape->other = (struct orr_heads){.n_heads = shape->n_heads,
                                      .n_kv_heads = shape->n_kv_heads,
                                      .head_dim = count(config, "global_head_dim", shape->head_dim),
                                      .kv_equal = equal};
    if (equal) shape->other.n_kv_heads = count(config, "num_global_key_value_heads", shape->n_kv_heads);
    shape->other.head_v = shape->other.head_dim;
    read_layer_embedding(config, shape, 0);
    share_kv(config, shape, 0);
    const bool wide = orr_config_flag(config, "use_double_wide_mlp", false);
    shape->ffn_widths[shape->n_ffn_widths++] = 2 * shape->ffn;
    for (int64_t i = 0; i < shape->n_layers; i++) {
        const char *name = orr_layer_name(config, shape, "layer_types", i);
        orr_mark(shape, i, ORR_MARK_OTHER, *name ? !strcmp(name, "full_attention") : (i + 1) % 6 == 0);
        if (wide && shape->marks[i] & ORR_MARK_SHARED_KV) shape->marks[i] |= ORR_MARK_WIDTH;
    }
    if (shape->n_experts == 0) return;
    shape->shared_width = shape->ffn;
    /* A layer with experts has three more norms, and scales of the router's input and of every expert. */
    shape->moe_extra = 4 * shape->hidden + shape->n_experts;
}

/* Each layer's block gives query heads per group and the FFN width in hidden sizes; either may be absent. */
static void nas_block(struct orr_config *config, struct orr_shape *shape, const json_t *block, int64_t layer)
{
    const json_t *attention = json_object_get(block, "attention"), *ffn = json_object_get(block, "ffn");
    const double multiple = json_number_value(json_object_get(ffn, "ffn_mult"));
    const int64_t wanted = (int64_t)(2 * multiple * (double)shape->hidden / 3), width = (wanted + 255) / 256 * 256;
    const json_int_t group = json_integer_value(json_object_get(attention, "n_heads_in_group"));
    if (json_is_true(json_object_get(attention, "replace_with_linear")) ||
        json_is_true(json_object_get(ffn, "replace_with_linear")))
        orr_config_fail(config, "block_configs", "linear replacements of blocks are not supported");
    shape->marks[layer] = 0;
    orr_mark(shape, layer, ORR_MARK_NO_MIXER, json_is_true(json_object_get(attention, "no_op")));
    orr_mark(shape, layer, ORR_MARK_NO_FFN, json_is_true(json_object_get(ffn, "no_op")));
    if (group > 0) shape->n_kv_heads = shape->n_heads / group;
    if (shape->marks[layer] & ORR_MARK_NO_FFN) return;
    int64_t i = 1;
    while (i < shape->n_ffn_widths && shape->ffn_widths[i] != width) i++;
    if (i == ORR_WIDTHS_MAX) {
        orr_config_fail_rule(config, "block_configs", "has more than %d widths", ORR_WIDTHS_MAX - 1);
        return;
    }
    if (i == shape->n_ffn_widths) shape->ffn_widths[shape->n_ffn_widths++] = width;
    shape->marks[layer] = (uint32_t)(shape->marks[layer] | (unsigned)(i * ORR_MARK_WIDTH));
}

void orr_special_nemotron_nas(struct orr_config *config, struct orr_shape *shape)
{
    char path[ORR_PATH];
    const json_t *blocks = orr_config_list(config, "block_configs", path);
    if ((int64_t)json_array_size(blocks) < shape->n_layers) {
        orr_config_fail_rule(config, path, "must have one entry per layer (%lld)", (long long)shape->n_layers);
        return;
    }
    shape->ffn = shape->hidden;
    for (int64_t i = 0; i < shape->n_layers && !config->err; i++)
        nas_block(config, shape, json_array_get(blocks, (size_t)i), i);
}

/* ---------------------------------------------------------------- biases and positions */

void orr_special_apertus(struct orr_config *config, struct orr_shape *shape)
{
    (void)config;
    shape->layer_extra = 2; /* two learned numbers of the activation */
}

void orr_special_cohere(struct orr_config *config, struct orr_shape *shape)
{
    read_qk_norm(config, shape, false);
    shape->qk_norm_full = true;
}

void orr_special_seed_oss(struct orr_config *config, struct orr_shape *shape)
{
    shape->out_bias = orr_config_flag(config, "attention_out_bias", false);
}

void orr_special_stablelm(struct orr_config *config, struct orr_shape *shape)
{
    shape->qkv_bias = orr_config_flag(config, "use_qkv_bias", false);
}

void orr_special_smollm3(struct orr_config *config, struct orr_shape *shape)
{
    char path[ORR_PATH];
    const int64_t period = orr_config_count(config, "no_rope_layer_interval", 1, ORR_MAX_LAYERS, 4);
    const json_t *rope = orr_config_list(config, "no_rope_layers", path); /* in spite of its name: 1 is rotary */
    for (int64_t i = 0; i < shape->n_layers; i++) {
        const json_t *listed = json_array_get(rope, (size_t)i);
        orr_mark(shape, i, ORR_MARK_NO_ROPE, listed ? json_integer_value(listed) == 0 : (i + 1) % period == 0);
    }
}

/* ---------------------------------------------------------------- encoders */

/* Some layers have cross attention to a picture instead of self attention, with norms over heads and two gates. A
 * picture has four tiles of 1601 positions each. */
void orr_special_mllama(struct orr_config *config, struct orr_shape *shape)
{
    char path[ORR_PATH];
    const json_t *layers = orr_config_list(config, "cross_attention_layers", path);
    orr_mark_listed(config, shape, layers, path, ORR_MARK_CROSS, true, 0);
    shape->cross_keys = INT64_C(4) * 1601;
    shape->cross_extra = 2 * shape->head_dim + 2;
    shape->embedding_extra = 8 * shape->hidden; /* tokens that only the input embedding has */
}

/* The decoder is the text model; the encoder is a tower. */
void orr_special_whisper(struct orr_config *config, struct orr_shape *shape)
{
    orr_tower_whisper(config, shape->hidden, &shape->tower);
    shape->no_key_bias = true;
    shape->cross_beside = true;
    shape->cross_keys = shape->tower.positions;
}

/* The first layer of each stack has a table of relative positions. A gated FFN marks version 1.1. The encoder reads the
 * prompt, which is taken to be as long as in the encoder's training unless the job says otherwise. */
void orr_special_t5(struct orr_config *config, struct orr_shape *shape)
{
    char path[ORR_PATH];
    const char *act = json_string_value(orr_config_find(config, "feed_forward_proj", path));
    shape->gated = act && !strncmp(act, "gated", 5);
    orr_tower_t5(config, shape, &shape->tower);
    shape->cross_beside = true;
    shape->cross_keys = shape->tower.positions;
    shape->embedding_extra = count(config, "relative_attention_num_buckets", 32) * shape->n_heads;
}
