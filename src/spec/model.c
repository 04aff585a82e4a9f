/* Hugging Face config.json -> struct orr_model: find the text model, fill the shape, mark the layers, count. */
#include <stdio.h>
#include <string.h>

#include "spec/format.h"
#include "spec/limits.h"
#include "spec/model.h"
#include "spec/spec.h"

/* Objects of multi-modal configs that hold the language model. */
static const char *const text_objects[] = {"text_config", "llm_config", "language_config"};

static const char *or_common(const char *spelling, const char *common)
{
    return spelling ? spelling : common;
}

static int64_t or_required(int64_t absent)
{
    return absent ? absent : ORR_REQUIRED;
}

/* Point the config at the text model and find its type. */
static const struct orr_model_type *open_config(struct orr_config *config)
{
    const json_t *root = config->doc->root;
    char path[ORR_PATH] = "model_type";
    if (!json_is_object(root)) {
        orr_config_fail(config, "", "a config.json must be a JSON object");
        return NULL;
    }
    const json_t *type = json_object_get(root, "model_type");
    config->object = root;
    for (size_t i = 0; i < sizeof text_objects / sizeof text_objects[0]; i++) {
        const json_t *inner = json_object_get(root, text_objects[i]);
        if (!json_is_object(inner) || config->object != root) continue;
        config->object = inner;
        config->prefix = text_objects[i];
        if (json_object_get(inner, "model_type")) {
            type = json_object_get(inner, "model_type");
            snprintf(path, sizeof path, "%s.model_type", config->prefix);
        }
    }
    if (!json_is_string(type)) {
        orr_config_fail(config, type ? path : "", type ? "must be a string" : "missing key \"model_type\"");
        return NULL;
    }
    config->type = json_string_value(type);
    return orr_model_type_find(config, path);
}

static void read_attention(struct orr_config *config, const struct orr_model_type *type, struct orr_shape *shape)
{
    if (type->no_attention) {
        shape->n_heads = shape->n_kv_heads = shape->head_dim = 1;
        return;
    }
    const char *kv_key = or_common(type->kv_heads, "num_key_value_heads");
    const char *dim_key = or_common(type->head_dim, "head_dim");
    shape->n_heads = orr_config_count(config, or_common(type->heads, "num_attention_heads"), 1, ORR_HEADS_MAX,
                                      or_required(type->heads_absent));
    shape->n_kv_heads = shape->n_heads;
    if (*kv_key) {
        const bool is_null = orr_config_has(config, kv_key);
        const int64_t absent = type->kv_heads_absent && !is_null ? type->kv_heads_absent : shape->n_heads;
        shape->n_kv_heads = orr_config_count(config, kv_key, 1, ORR_HEADS_MAX, absent);
    }
    /* 0 means that heads do not divide the hidden size, a later error unless the type has other head sizes. */
    shape->head_dim = shape->hidden % shape->n_heads ? 0 : shape->hidden / shape->n_heads;
    if (type->head_dim_absent) shape->head_dim = type->head_dim_absent;
    if (*dim_key) shape->head_dim = orr_config_count(config, dim_key, 1, ORR_HEADS_MAX, shape->head_dim);
    shape->qkv_bias = type->qkv_bias;
    shape->out_bias = type->out_bias;
    if (type->attention_bias) {
        shape->qkv_bias = orr_config_flag(config, type->attention_bias, type->qkv_bias);
        if (!type->no_out_bias) shape->out_bias = orr_config_flag(config, type->attention_bias, type->out_bias);
    }
    shape->rope = !type->no_rope;
    shape->qk_norm = shape->qk_norm_weights = type->qk_norm;
    shape->qk_norm_full = type->qk_norm_full;
    shape->sinks = type->sinks;
}

/* In a type that may have experts, a model without experts states 0 of them. */
static void read_experts(struct orr_config *config, const struct orr_model_type *type, struct orr_shape *shape)
{
    const int64_t absent = type->dense_too ? 0 : ORR_REQUIRED, least = type->dense_too ? 0 : 1;
    shape->n_experts = orr_config_count(config, type->experts, least, ORR_HEADS_MAX, absent);
    shape->n_active = orr_config_count_first(config, or_common(type->active, "num_experts_per_tok"), least,
                                             ORR_HEADS_MAX, shape->n_experts > 0 ? ORR_REQUIRED : 0);
    shape->expert_width = shape->ffn;
    if (type->expert_ffn && shape->n_experts > 0) {
        shape->expert_width = orr_config_count_first(config, type->expert_ffn, 1, ORR_WIDTH_MAX, ORR_REQUIRED);
    }
    shape->expert_bias = type->expert_bias;
    shape->router_bias = type->router_bias;
    for (int64_t i = 0; i < shape->n_layers; i++) shape->marks[i] = shape->n_experts > 0 ? ORR_MARK_MOE : 0;
}

static void read_ffn(struct orr_config *config, const struct orr_model_type *type, struct orr_shape *shape)
{
    const char *key = or_common(type->ffn, "intermediate_size");
    shape->ffn = type->ffn_per_hidden * shape->hidden;
    if (*key) shape->ffn = orr_config_count_first(config, key, 1, ORR_WIDTH_MAX, or_required(shape->ffn));
    shape->gated = type->gated;
    shape->ffn_bias = type->mlp_bias;
    if (type->ffn_bias) shape->ffn_bias = orr_config_flag(config, type->ffn_bias, type->mlp_bias);
    shape->parallel = type->parallel_block;
    if (type->parallel) shape->parallel = orr_config_flag(config, type->parallel, type->parallel_block);
    if (type->experts) read_experts(config, type, shape);
}

/* A multi-modal config may state at its root whether the head is tied. */
static bool read_tied(struct orr_config *config, bool absent)
{
    struct orr_config root = *config;
    root.object = config->doc->root;
    root.prefix = "";
    const bool tied = orr_config_flag(&root, "tie_word_embeddings", absent);
    config->err = root.err;
    return orr_config_flag(config, "tie_word_embeddings", tied);
}

static void read_ends(struct orr_config *config, const struct orr_model_type *type, struct orr_shape *shape)
{
    const char *seq_key = or_common(type->max_seq, "max_position_embeddings");
    shape->vocab = orr_config_count(config, "vocab_size", 1, ORR_WIDTH_MAX, or_required(type->vocab_absent));
    shape->max_seq = orr_config_count(config, seq_key, 1, ORR_SEQ_MAX, type->max_seq_absent);
    if (type->learned_positions) {
        shape->n_positions = orr_config_count(config, seq_key, 1, ORR_WIDTH_MAX, ORR_REQUIRED);
    }
    shape->embedding_width = shape->hidden;
    shape->norm = type->norm;
    shape->n_norms = type->n_norms;
    shape->embedding_norm = type->embedding_norm;
    shape->final_norm = true;
    shape->head_bias = type->head_bias;
    shape->tied = read_tied(config, type->tied);
    if (type->attention_dropout) {
        shape->attention_dropout = orr_config_frac(config, type->attention_dropout, type->attention_dropout_absent) > 0;
    }
    if (type->hidden_dropout) {
        shape->hidden_dropout = orr_config_frac(config, type->hidden_dropout, type->hidden_dropout_absent) > 0;
    }
}

/* The width of the window; 0 if there is none. */
static int64_t read_window(struct orr_config *config, const struct orr_model_type *type)
{
    const char *key = or_common(type->window, "sliding_window");
    if (type->window_rule == ORR_WINDOW_UPPER && !orr_config_flag(config, "use_sliding_window", false)) return 0;
    const int64_t absent = orr_config_has(config, key) ? 0 : type->window_absent; /* null: none */
    return orr_config_count(config, key, 1, ORR_SEQ_MAX, absent);
}

/* Does the rule of the type give a layer a window? It applies to configs without "layer_types". */
static bool has_window(enum orr_window_rule rule, int64_t layer, int64_t period, unsigned marks)
{
    switch (rule) {
    case ORR_WINDOW_NONE: return false;
    case ORR_WINDOW_ALL: return true;
    case ORR_WINDOW_EVEN: return layer % 2 == 0;
    case ORR_WINDOW_PERIOD: return (layer + 1) % period != 0;
    case ORR_WINDOW_UPPER: return layer >= period;
    case ORR_WINDOW_ROPE: return !(marks & ORR_MARK_NO_ROPE);
    }
    return false;
}

/* Does the name of a layer in "layer_types" mean that it has a window? */
static bool listed_window(struct orr_config *config, const struct orr_shape *shape, const char *name, const char *path)
{
    if (name && !strcmp(name, "full_attention")) return false;
    if (!name || (strcmp(name, "sliding_attention") != 0 && strcmp(name, "chunked_attention") != 0)) {
        orr_config_fail(config, path,
                        "entries must be \"full_attention\", \"sliding_attention\" or "
                        "\"chunked_attention\"%s%.40s%s",
                        name ? ", not \"" : "", name ? name : "", name ? "\"" : "");
    } else if (shape->window == 0) {
        orr_config_fail(config, path, "names layers with a window, but the config gives no window size");
    }
    return true;
}

/* Reads n, where every n-th layer has no window, from a number or from a pattern of letters that repeats. */
static int64_t read_period(struct orr_config *config, int64_t absent)
{
    static const char key[] = "sliding_window_pattern|_sliding_window_pattern|global_attn_every_n_layers";
    char path[ORR_PATH];
    const char *pattern = json_string_value(orr_config_find(config, key, path));
    if (pattern && *pattern && strspn(pattern, "LG") == strlen(pattern)) return (int64_t)strlen(pattern);
    return orr_config_count(config, key, 1, ORR_MAX_LAYERS, absent);
}

static void mark_windows(struct orr_config *config, const struct orr_model_type *type, struct orr_shape *shape)
{
    char path[ORR_PATH];
    if (type->window_rule == ORR_WINDOW_NONE) return; /* the type's own reader may have placed some */
    shape->window = read_window(config, type);
    shape->chunked = type->chunked;
    int64_t period = 1;
    if (type->window_rule == ORR_WINDOW_PERIOD) {
        period = read_period(config, type->window_period > 0 ? type->window_period : 6);
    } else if (type->window_rule == ORR_WINDOW_UPPER) {
        period = orr_config_count(config, "max_window_layers", 0, ORR_MAX_LAYERS, 28);
    }
    const json_t *list = orr_config_list(config, "layer_types", path);
    if (list && (int64_t)json_array_size(list) < shape->n_layers) { /* a longer list: the model was cut */
        orr_config_fail_rule(config, path, "has %zu entries for %lld layers", json_array_size(list),
                             (long long)shape->n_layers);
        return;
    }
    for (int64_t i = 0; i < shape->n_layers; i++) {
        const char *name = list ? json_string_value(json_array_get(list, (size_t)i)) : NULL;
        const bool window = list ? listed_window(config, shape, name, path)
                                 : shape->window && has_window(type->window_rule, i, period, shape->marks[i]);
        if (window) shape->marks[i] |= ORR_MARK_WINDOW;
    }
}

/* Groups of experts, of which a token chooses some: each has as many experts. */
static void check_groups(struct orr_config *config, const struct orr_shape *shape)
{
    char path[ORR_PATH];
    if (shape->n_groups < 2) return;
    if (shape->n_experts % shape->n_groups) {
        orr_config_find(config, "n_group|num_expert_group", path);
        orr_config_fail_rule(config, path, "%lld groups do not divide %lld experts", (long long)shape->n_groups,
                             (long long)shape->n_experts);
    }
    if (shape->n_groups_active > shape->n_groups) {
        orr_config_find(config, "topk_group", path);
        orr_config_fail_rule(config, path, "a token cannot use %lld of %lld groups", (long long)shape->n_groups_active,
                             (long long)shape->n_groups);
    }
}

static void check_shape(struct orr_config *config, const struct orr_model_type *type, const struct orr_shape *shape)
{
    char path[ORR_PATH];
    if (!shape->kv_rank && !shape->head_dim) {
        orr_config_find(config, or_common(type->heads, "num_attention_heads"), path);
        orr_config_fail_rule(config, path, "%lld heads do not divide the hidden size %lld", (long long)shape->n_heads,
                             (long long)shape->hidden);
    }
    if (shape->n_heads % shape->n_kv_heads) {
        orr_config_find(config, or_common(type->kv_heads, "num_key_value_heads"), path);
        orr_config_fail_rule(config, path, "%lld key-value heads do not divide %lld heads",
                             (long long)shape->n_kv_heads, (long long)shape->n_heads);
    }
    if (shape->n_active > shape->n_experts) {
        orr_config_find(config, or_common(type->active, "num_experts_per_tok"), path);
        orr_config_fail_rule(config, path, "a token cannot use %lld of %lld experts", (long long)shape->n_active,
                             (long long)shape->n_experts);
    }
    check_groups(config, shape);
}

/* Some configs state the number of layers only by a list with one entry per layer; 0 if there is no such list. */
static int64_t listed_layers(struct orr_config *config)
{
    const json_t *pattern = json_object_get(config->object, "hybrid_override_pattern");
    const size_t n = json_is_string(pattern) ? json_string_length(pattern)
                                             : json_array_size(json_object_get(config->object, "layers_block_type"));
    return n <= ORR_MAX_LAYERS ? (int64_t)n : 0;
}

static void read_shape(struct orr_config *config, const struct orr_model_type *type, struct orr_shape *shape)
{
    memset(shape, 0, sizeof *shape);
    shape->hidden = orr_config_count(config, or_common(type->hidden, "hidden_size"), 1, ORR_WIDTH_MAX,
                                     or_required(type->hidden_absent));
    shape->n_layers = orr_config_count(config, or_common(type->layers, "num_hidden_layers"), 1, ORR_MAX_LAYERS,
                                       or_required(listed_layers(config)));
    read_attention(config, type, shape);
    read_ffn(config, type, shape);
    read_ends(config, type, shape);
    shape->n_mtp = orr_config_count(config, "num_nextn_predict_layers|mtp_num_hidden_layers", 0, ORR_MTP_MAX, 0);
    shape->ffn_widths[shape->n_ffn_widths++] = shape->ffn;
    if (type->special) type->special(config, shape);
    shape->ffn_widths[0] = shape->ffn;
    mark_windows(config, type, shape);
    orr_tower_read(config, shape->hidden, &shape->tower);
    shape->audio_params = orr_audio_params(config, shape->hidden);
    check_shape(config, type, shape);
}

/* Every distinct set of marks becomes a kind, in the order in which the sets first occur. */
static void fill_kinds(struct orr_config *config, const struct orr_shape *shape, struct orr_model *model)
{
    uint32_t sets[ORR_MAX_LAYER_KINDS];
    for (int64_t i = 0; i < shape->n_layers; i++) {
        int64_t kind = 0;
        while (kind < model->n_kinds && sets[kind] != shape->marks[i]) kind++;
        if (kind == ORR_MAX_LAYER_KINDS) {
            orr_config_fail_rule(config, "", "has more than %d kinds of layers", ORR_MAX_LAYER_KINDS);
            return;
        }
        if (kind == model->n_kinds) {
            sets[model->n_kinds++] = shape->marks[i];
            orr_kind_fill(shape, shape->marks[i], &model->kinds[kind]);
        }
        model->layer_kind[i] = (uint8_t)kind;
    }
}

static void fill_model(const struct orr_shape *shape, struct orr_model *model)
{
    model->hidden = shape->hidden;
    model->vocab = shape->vocab;
    model->n_layers = shape->n_layers;
    model->max_seq = shape->max_seq;
    model->n_positions = shape->n_positions;
    model->tied_embeddings = shape->tied;
    model->rms_norm = shape->norm == ORR_NORM_RMS;
    model->attention_dropout = shape->attention_dropout;
    model->hidden_dropout = shape->hidden_dropout;
    model->embedding_params = orr_shape_embedding_params(shape);
    model->head_params = orr_shape_head_params(shape);
    model->n_mtp = shape->n_mtp;
    model->mtp_params = orr_shape_mtp_params(shape);
    model->tower = shape->tower;
    model->tower_params = shape->tower.params + shape->audio_params;
}

enum orr_err orr_model_from_json(const struct orr_doc *doc, const char *id, struct orr_model *model,
                                 struct orr_error *error)
{
    struct orr_config config = {.doc = doc, .prefix = "", .type = "", .error = error};
    struct orr_shape shape;
    memset(model, 0, sizeof *model);
    const struct orr_model_type *type = open_config(&config);
    if (!type) return config.err;
    read_shape(&config, type, &shape);
    char path[ORR_PATH];
    (void)orr_config_find(&config, "quantization_config", path); /* read below; may be overridden */
    orr_config_check_set(&config);
    if (config.err) return config.err;
    snprintf(model->id, sizeof model->id, "%s", id);
    snprintf(model->type, sizeof model->type, "%s", config.type);
    const char *published = json_string_value(json_object_get(config.doc->root, "_name_or_path"));
    if (published) snprintf(model->published, sizeof model->published, "%s", published);
    fill_kinds(&config, &shape, model);
    fill_model(&shape, model);
    model->checkpoint.router_bias_fp32 = shape.router_bias && !shape.expert_bias;
    if (!orr_model_countable(model)) orr_config_fail_rule(&config, "", "describes more than 10^18 parameters");
    return config.err ? config.err : orr_checkpoint_read(doc, config.object, config.prefix, model, error);
}
