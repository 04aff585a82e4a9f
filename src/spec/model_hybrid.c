/* Model types with recurrent mixers: the mixer, its sizes, and the layers that have it. Eqs. 110-116 count them. */
#include "spec/model.h"

#include <string.h>

/* Positions that a chunked scan takes at once, as in the public kernels, if the config states none. */
#define MAMBA_CHUNK     256
#define DELTA_CHUNK     64
#define LIGHTNING_CHUNK 256

/* Bytes of a state element: of the dtype that the config names, else of fp32, as most engines keep it. */
static int64_t state_bytes(struct orr_config *config)
{
    char path[ORR_PATH];
    const char *name = json_string_value(orr_config_find(config, "mamba_ssm_cache_dtype|mamba_ssm_dtype", path));
    return name && (!strcmp(name, "bfloat16") || !strcmp(name, "float16")) ? 2 : 4;
}

static int64_t count(struct orr_config *config, const char *spellings, int64_t absent)
{
    return orr_config_count(config, spellings, 1, ORR_WIDTH_MAX, absent);
}

/* Every channel is a head of one value; step sizes have rank R, by default a sixteenth of the hidden size. */
static void read_mamba1(struct orr_config *config, struct orr_shape *shape, int64_t expand)
{
    char path[ORR_PATH];
    const json_t *rank = orr_config_find(config, "mamba_dt_rank|time_step_rank", path);
    const bool automatic = !rank || (json_is_string(rank) && !strcmp(json_string_value(rank), "auto"));
    struct orr_scan *m = &shape->scan;
    m->mixer = ORR_MIXER_MAMBA1;
    m->value = 1;
    m->heads = expand * shape->hidden;
    m->groups = 1;
    m->key = count(config, "mamba_d_state|state_size", 16);
    m->rank = automatic ? (shape->hidden + 15) / 16 : count(config, "mamba_dt_rank|time_step_rank", ORR_REQUIRED);
    m->conv = count(config, "mamba_d_conv|conv_kernel", 4);
    m->conv_bias = orr_config_flag(config, "mamba_conv_bias|use_conv_bias", true);
    m->bias = orr_config_flag(config, "mamba_proj_bias|use_bias", false);
    m->chunk = MAMBA_CHUNK;
    m->state_bytes = state_bytes(config);
}

static void read_mamba2(struct orr_config *config, struct orr_shape *shape)
{
    struct orr_scan *m = &shape->scan;
    m->mixer = ORR_MIXER_MAMBA2;
    m->heads = count(config, "mamba_n_heads|mamba_num_heads|num_heads", 128);
    m->groups = count(config, "mamba_n_groups|n_groups", 1);
    m->key = count(config, "mamba_d_state|ssm_state_size|state_size", 128);
    m->conv = count(config, "mamba_d_conv|conv_kernel", 4);
    m->conv_bias = orr_config_flag(config, "mamba_conv_bias|use_conv_bias", true);
    m->bias = orr_config_flag(config, "mamba_proj_bias|use_bias", false);
    m->gated_norm = true;
    m->chunk = count(config, "mamba_chunk_size|chunk_size", MAMBA_CHUNK);
    m->state_bytes = state_bytes(config);
}

/* A head's size is given, or follows from the width of the mixer. */
static void read_mamba2_heads(struct orr_config *config, struct orr_shape *shape, const char *head_key)
{
    char path[ORR_PATH];
    const int64_t width = shape->hidden * count(config, "mamba_expand|expand", 2);
    const json_t *size = orr_config_find(config, head_key, path);
    read_mamba2(config, shape);
    const bool automatic = !size || (json_is_string(size) && !strcmp(json_string_value(size), "auto"));
    shape->scan.value = automatic ? width / shape->scan.heads : count(config, head_key, ORR_REQUIRED);
}

static void mark_all(struct orr_shape *shape, unsigned marks)
{
    for (int64_t i = 0; i < shape->n_layers; i++) shape->marks[i] = (uint32_t)marks;
}

/* Layers that a list does not name "attention" or "full_attention" have the recurrent mixer. */
static void mark_by_name(struct orr_config *config, struct orr_shape *shape, const char *key)
{
    for (int64_t i = 0; i < shape->n_layers; i++) {
        const char *name = orr_layer_name(config, shape, key, i);
        orr_mark(shape, i, ORR_MARK_SCAN, strcmp(name, "attention") != 0 && strcmp(name, "full_attention") != 0);
    }
}

void orr_special_mamba(struct orr_config *config, struct orr_shape *shape)
{
    const int64_t width = count(config, "intermediate_size", shape->hidden * 2);
    read_mamba1(config, shape, 1);
    shape->scan.heads = width;
    mark_all(shape, ORR_MARK_SCAN | ORR_MARK_NO_FFN);
}

void orr_special_mamba2(struct orr_config *config, struct orr_shape *shape)
{
    read_mamba2_heads(config, shape, "head_dim");
    mark_all(shape, ORR_MARK_SCAN | ORR_MARK_NO_FFN);
}

void orr_special_jamba(struct orr_config *config, struct orr_shape *shape)
{
    const int64_t period = count(config, "attn_layer_period", 8),
                  expert_period = count(config, "expert_layer_period", 2);
    const int64_t offset = orr_config_count(config, "attn_layer_offset", 0, ORR_MAX_LAYERS, 4);
    const int64_t expert_offset = orr_config_count(config, "expert_layer_offset", 0, ORR_MAX_LAYERS, 1);
    read_mamba1(config, shape, count(config, "mamba_expand", 2));
    shape->scan.inner_norms = true;
    for (int64_t i = 0; i < shape->n_layers; i++) {
        orr_mark(shape, i, ORR_MARK_SCAN, i % period != offset);
        orr_mark(shape, i, ORR_MARK_MOE, shape->n_experts > 1 && i % expert_period == expert_offset);
    }
}

void orr_special_bamba(struct orr_config *config, struct orr_shape *shape)
{
    char path[ORR_PATH];
    read_mamba2_heads(config, shape, "mamba_d_head");
    mark_all(shape, ORR_MARK_SCAN);
    const json_t *list = orr_config_list(config, "attn_layer_indices", path);
    orr_mark_listed(config, shape, list, path, ORR_MARK_SCAN, false, 0);
}

/* Every layer has a dense FFN of the shared width, and experts beside it if the model has any. */
void orr_special_granite_hybrid(struct orr_config *config, struct orr_shape *shape)
{
    read_mamba2_heads(config, shape, "mamba_d_head");
    mark_by_name(config, shape, "layer_types|layers_block_type");
    shape->expert_width = shape->ffn;
    shape->shared_width = count(config, "shared_intermediate_size", ORR_REQUIRED);
    shape->ffn = shape->shared_width;
    char path[ORR_PATH];
    const char *positions = json_string_value(orr_config_find(config, "position_embedding_type", path));
    shape->rope = positions && !strcmp(positions, "rope");
}

void orr_special_falcon_h1(struct orr_config *config, struct orr_shape *shape)
{
    read_mamba2_heads(config, shape, "mamba_d_head");
    struct orr_scan *m = &shape->scan;
    const int64_t width = count(config, "mamba_d_ssm", m->heads * m->value);
    m->value = width / m->heads;
    m->gated_norm = orr_config_flag(config, "mamba_rms_norm", false);
    m->beside = true;
    mark_all(shape, ORR_MARK_SCAN);
}

/* A layer has one block and one norm. Letters (M Mamba-2, * attention, - FFN, E experts) or names give the blocks. */
static unsigned nemotron_block(struct orr_config *config, const struct orr_shape *shape, const char *pattern,
                               int64_t layer)
{
    static const struct {
        char letter;
        const char *name;
        unsigned marks;
    } blocks[] = {{'M', "mamba", ORR_MARK_SCAN | ORR_MARK_NO_FFN},
                  {'*', "attention", ORR_MARK_NO_FFN},
                  {'-', "mlp", ORR_MARK_NO_MIXER},
                  {'E', "moe", ORR_MARK_NO_MIXER | ORR_MARK_MOE}};
    const char *name = pattern ? "" : orr_layer_name(config, shape, "layers_block_type", layer);
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        if (pattern ? pattern[layer] == blocks[i].letter : !strcmp(name, blocks[i].name)) return blocks[i].marks;
    orr_config_fail(config, pattern ? "hybrid_override_pattern" : "layers_block_type",
                    "must be made of M (mamba), * (attention), - (mlp) and E (moe)");
    return 0;
}

void orr_special_nemotron_h(struct orr_config *config, struct orr_shape *shape)
{
    char path[ORR_PATH];
    const char *pattern = json_string_value(orr_config_find(config, "hybrid_override_pattern", path));
    read_mamba2_heads(config, shape, "mamba_head_dim");
    if (pattern && (int64_t)strlen(pattern) < shape->n_layers) {
        orr_config_fail_rule(config, path, "has %zu entries for %lld layers", strlen(pattern),
                             (long long)shape->n_layers);
        return;
    }
    for (int64_t i = 0; i < shape->n_layers && !config->err; i++)
        shape->marks[i] = (uint32_t)nemotron_block(config, shape, pattern, i);
    shape->n_mtp = 0; /* the prediction block is not a layer like the last */
    if (shape->n_experts == 0) return;
    const int64_t n_shared = orr_config_count(config, "n_shared_experts", 0, 1024, 0);
    const int64_t width =
        orr_config_count(config, "moe_shared_expert_intermediate_size", 0, ORR_WIDTH_MAX, shape->expert_width);
    shape->shared_width = n_shared * width;
    shape->expert_hidden = orr_config_count(config, "moe_latent_size", 1, ORR_WIDTH_MAX, 0);
    shape->router_bias = true;
}

/* Qwen3-Next and Qwen3.5 have linear layers; their other layers have a gate on the heads' outputs. */
void orr_special_qwen3_next(struct orr_config *config, struct orr_shape *shape)
{
    char path[ORR_PATH];
    struct orr_scan *m = &shape->scan;
    const int64_t period = count(config, "full_attention_interval", 4);
    m->mixer = ORR_MIXER_GATED_DELTA;
    m->heads = count(config, "linear_num_value_heads", 32);
    m->value = count(config, "linear_value_head_dim", 128);
    m->groups = count(config, "linear_num_key_heads", 16);
    m->key = count(config, "linear_key_head_dim", 128);
    m->conv = count(config, "linear_conv_kernel_dim", 4);
    m->chunk = DELTA_CHUNK;
    /* Qwen3-Next has in_proj_qkvz and in_proj_ba; the four of Qwen3.5 are apart. */
    m->inputs = strncmp(config->type, "qwen3_5", 7) == 0 ? 4 : 2;
    m->state_bytes = state_bytes(config);
    if (shape->n_experts > 0) orr_special_qwen_moe(config, shape);
    const bool listed = orr_config_list(config, "layer_types", path);
    if (listed) mark_by_name(config, shape, "layer_types");
    for (int64_t i = 0; i < shape->n_layers && !listed; i++) orr_mark(shape, i, ORR_MARK_SCAN, (i + 1) % period != 0);
    /* The published config of Qwen3-Next does not name its prediction layer; vLLM takes one (qwen3_next_mtp.py). */
    if (strcmp(config->type, "qwen3_next") == 0 && !orr_config_find(config, "num_nextn_predict_layers", path))
        shape->n_mtp = 1;
    shape->qkv_bias = shape->out_bias = orr_config_flag(config, "attention_bias", false);
    if (orr_config_flag(config, "attn_output_gate", true)) shape->gate_columns = shape->n_heads * shape->head_dim;
    if (shape->n_experts == 0) return;
    shape->shared_width = orr_config_count(config, "shared_expert_intermediate_size", 0, ORR_WIDTH_MAX, 0);
    shape->shared_gate = shape->shared_width > 0;
}

/* Attention residual (Kimi K3): sums of every B layers are kept, and every block attends to those before it with a norm
 * and a vector of scores. The number of sums that a layer reads grows with its depth; the mean stands for all. */
static void read_attention_residual(struct orr_config *config, struct orr_shape *shape)
{
    const int64_t block = count(config, "attn_res_block_size", 0);
    int64_t reads = 0;
    if (block == 0) return;
    for (int64_t i = 0; i < shape->n_layers; i++) reads += (i + block - 1) / block;
    shape->residual_reads = (2 * reads + shape->n_layers) / (2 * shape->n_layers);
    shape->layer_extra += 2 * 2 * shape->hidden;
    shape->head_extra += 2 * shape->hidden;
}

/* The lists of Kimi Linear number layers from 1. The further flags are those of Kimi K3. */
void orr_special_kimi_linear(struct orr_config *config, struct orr_shape *shape)
{
    char path[ORR_PATH];
    struct orr_scan *m = &shape->scan;
    orr_read_latent(config, shape);
    orr_read_dense_first(config, shape);
    m->mixer = ORR_MIXER_KDA;
    m->heads = m->groups = count(config, "linear_attn_config.num_heads", ORR_REQUIRED);
    m->value = m->key = m->rank = count(config, "linear_attn_config.head_dim", ORR_REQUIRED);
    m->conv = count(config, "linear_attn_config.short_conv_kernel_size", 4);
    m->chunk = DELTA_CHUNK;
    m->state_bytes = state_bytes(config);
    m->full_gate = orr_config_flag(config, "linear_attn_config.use_full_rank_gate", false);
    for (int64_t i = 0; i < shape->n_layers; i++) orr_mark(shape, i, ORR_MARK_SCAN, true);
    const json_t *full = orr_config_list(config, "linear_attn_config.full_attn_layers", path);
    if (!full) orr_config_fail(config, "linear_attn_config", "must list \"full_attn_layers\"");
    orr_mark_listed(config, shape, full, path, ORR_MARK_SCAN, false, 1);
    shape->rope = false;
    shape->router_bias = true;
    if (orr_config_flag(config, "mla_use_output_gate", false)) shape->gate_columns = shape->n_heads * shape->head_v;
    shape->expert_hidden = count(config, "routed_expert_hidden_size", 0);
    if (orr_config_flag(config, "latent_moe_use_norm", false)) shape->moe_extra = shape->expert_hidden;
    read_attention_residual(config, shape);
}

/* 1 in "attn_type_list", or a name, means full attention; the other layers have lightning attention of equal heads. */
void orr_special_minimax(struct orr_config *config, struct orr_shape *shape)
{
    char path[ORR_PATH];
    struct orr_scan *m = &shape->scan;
    const json_t *list = orr_config_list(config, "attn_type_list", path);
    m->mixer = ORR_MIXER_LIGHTNING;
    m->heads = m->groups = shape->n_heads;
    m->value = m->key = shape->head_dim;
    m->chunk = count(config, "block_size", LIGHTNING_CHUNK);
    m->state_bytes = state_bytes(config);
    if (!list) mark_by_name(config, shape, "layer_types");
    for (int64_t i = 0; i < shape->n_layers && list; i++)
        orr_mark(shape, i, ORR_MARK_SCAN, json_integer_value(json_array_get(list, (size_t)i)) == 0);
}

/* The blocks of "block_types" take turns; intermediate_size counts both halves of the gated FFN. */
void orr_special_recurrent_gemma(struct orr_config *config, struct orr_shape *shape)
{
    char path[ORR_PATH];
    struct orr_scan *m = &shape->scan;
    const int64_t width = count(config, "lru_width", shape->hidden);
    const json_t *blocks = orr_config_list(config, "block_types|_block_types", path);
    const size_t n_blocks = blocks ? json_array_size(blocks) : 0;
    m->mixer = ORR_MIXER_RG_LRU;
    m->heads = shape->n_heads;
    m->value = width / shape->n_heads;
    m->groups = m->key = 1;
    m->conv = count(config, "conv1d_width", 4);
    m->chunk = MAMBA_CHUNK;
    m->state_bytes = 4;
    for (int64_t i = 0; i < shape->n_layers; i++) {
        const char *name = json_string_value(json_array_get(blocks, n_blocks ? (size_t)i % n_blocks : 0));
        orr_mark(shape, i, ORR_MARK_SCAN, name ? !strcmp(name, "recurrent") : i % 3 != 2);
        orr_mark(shape, i, ORR_MARK_WINDOW, !(shape->marks[i] & ORR_MARK_SCAN));
    }
    shape->window = count(config, "attention_window_size", 2048);
    shape->ffn /= 2;
    shape->out_bias = true;
}

/* LFM2 rounds two thirds of the width it is given up to a multiple. */
void orr_special_lfm2(struct orr_config *config, struct orr_shape *shape)
{
    char path[ORR_PATH];
    struct orr_scan *m = &shape->scan;
    m->mixer = ORR_MIXER_SHORT_CONV;
    m->heads = shape->hidden;
    m->value = m->groups = m->key = 1;
    m->conv = count(config, "conv_L_cache", 3);
    m->bias = orr_config_flag(config, "conv_bias", false);
    m->chunk = MAMBA_CHUNK;
    m->state_bytes = 2;
    const json_t *full = orr_config_list(config, "full_attn_idxs", path);
    if (!full) mark_by_name(config, shape, "layer_types");
    for (int64_t i = 0; i < shape->n_layers && full; i++) orr_mark(shape, i, ORR_MARK_SCAN, true);
    orr_mark_listed(config, shape, full, path, ORR_MARK_SCAN, false, 0);
    if (shape->n_experts > 0) {
        const int64_t n_dense = orr_config_count(config, "num_dense_layers", 0, ORR_MAX_LAYERS, 0);
        for (int64_t i = 0; i < shape->n_layers; i++) orr_mark(shape, i, ORR_MARK_MOE, i >= n_dense);
        shape->router_bias = orr_config_flag(config, "use_expert_bias", true);
    } else if (orr_config_flag(config, "block_auto_adjust_ff_dim", true)) {
        const int64_t multiple = count(config, "block_multiple_of", 256), given = 2 * shape->ffn / 3;
        shape->ffn = (given + multiple - 1) / multiple * multiple;
    }
}
