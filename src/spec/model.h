/* Inside of the config.json reader: located key access, the table of model types, and the flat shape between a
 * config and struct orr_model. Only src/spec/model*.c include it. */
#ifndef ORR_SPEC_MODEL_H
#define ORR_SPEC_MODEL_H

#include "spec/json.h"

/* Bounds of a plausible config; together they keep every product below inside int64_t. */
#define ORR_WIDTH_MAX  10000000
#define ORR_HEADS_MAX  65536
#define ORR_SEQ_MAX    1000000000
#define ORR_PARAMS_MAX 1e18

/* ---------------------------------------------------------------- a config and its keys (model_config.c) */

#define ORR_PATH       192
#define ORR_ASKED_MAX  64 /* more than any type reads */
#define ORR_ASKED_NAME 64

/* One config object. The first failure sticks: later reads return their harmless value and report nothing. */
struct orr_config {
    const struct orr_doc *doc;
    const json_t *object; /* the text model: the root, or an object inside it */
    const char *prefix;   /* name of that inner object; "" for the root */
    const char *type;     /* model_type as written, for messages */
    struct orr_error *error;
    enum orr_err err;
    size_t n_asked;
    const char *asked[ORR_ASKED_MAX]; /* spellings looked for so far: what an override may name */
};

/* Keys below may be dotted ("attn_config.kv_n_heads") and may list spellings ("n_layer|num_hidden_layers");
 * spellings that disagree are an error. A null value counts as absent. */
#define ORR_REQUIRED (-1)

/* The value or NULL; `path` (ORR_PATH bytes) becomes its dotted path in the document. */
const json_t *orr_config_find(struct orr_config *config, const char *spellings, char *path);
/* True when the key is there, be it null. */
bool orr_config_has(const struct orr_config *config, const char *spellings);
/* A whole number in [min, max]; `absent` when there is none, an error if that is ORR_REQUIRED. */
int64_t orr_config_count(struct orr_config *config, const char *spellings, int64_t min, int64_t max, int64_t absent);
double orr_config_frac(struct orr_config *config, const char *spellings, double absent);
bool orr_config_flag(struct orr_config *config, const char *spellings, bool absent);
/* An array or NULL. */
const json_t *orr_config_list(struct orr_config *config, const char *key, char *path);
/* Fail about a value that was read: `path` is dotted from the root. */
void orr_config_fail(struct orr_config *config, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same about a value that does not go with the others: ORR_ERR_RULE. */
void orr_config_fail_rule(struct orr_config *config, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* After reading: a "set" value of the request that nothing asked for is an error (model_set.c). */
void orr_config_check_set(struct orr_config *config);

/* ---------------------------------------------------------------- shape: what the counts need */

/* How a layer differs from its siblings; a distinct set of marks is a layer kind. */
enum orr_mark {
    ORR_MARK_WINDOW = 1, /* attention sees a window */
    ORR_MARK_MOE = 2,    /* routed experts instead of a dense FFN */
    ORR_MARK_NO_ROPE = 4 /* no rotary positions, unlike the rest */
};
#define ORR_N_MARK_SETS 8

enum orr_norm { ORR_NORM_RMS, ORR_NORM_LAYER, ORR_NORM_LAYER_NO_BIAS, ORR_NORM_LAYER_NO_WEIGHT };

struct orr_shape {
    int64_t hidden, n_layers, n_heads, n_kv_heads, head_dim, vocab, ffn;
    int64_t max_seq, n_positions;
    int64_t embedding_width; /* of the token table; projected to hidden when it differs */
    int64_t window;
    bool chunked; /* the window does not slide */
    int64_t n_norms; /* per layer */
    int64_t n_mtp;   /* multi-token prediction layers after the last */
    enum orr_norm norm;
    bool embedding_norm, final_norm;
    bool qkv_bias, out_bias, ffn_bias, head_bias;
    bool gated, parallel, tied, rope;
    bool qk_norm, qk_norm_weights; /* query and key heads normalised; with learned weights */
    bool sinks;                    /* one learned logit per head */
    int64_t q_rank, kv_rank;       /* latent attention when kv_rank > 0 */
    int64_t head_nope, head_rope, head_v;
    bool latent_bias;
    int64_t n_experts, n_active, n_groups_active, expert_width, shared_width;
    bool expert_bias, router_bias, shared_gate;
    bool attention_dropout, hidden_dropout;
    uint8_t marks[ORR_MAX_LAYERS]; /* set of enum orr_mark per layer */
};

/* ---------------------------------------------------------------- model types (model_types.c) */

/* Which layers have the window, unless "layer_types" says. */
enum orr_window_rule {
    ORR_WINDOW_NONE,
    ORR_WINDOW_ALL,
    ORR_WINDOW_EVEN,   /* layers 0, 2, 4, ... */
    ORR_WINDOW_PERIOD, /* all but every n-th */
    ORR_WINDOW_UPPER,  /* from "max_window_layers" up, if "use_sliding_window" */
    ORR_WINDOW_ROPE    /* the layers with rotary positions */
};

/* One row: how a model_type spells its keys and what is fixed in its architecture. A NULL spelling is the common
 * one (in model.c); "" means that the type has no such key. */
struct orr_model_type {
    const char *name;
    const char *hidden, *layers, *heads, *kv_heads, *head_dim, *ffn, *max_seq, *window;
    const char *experts, *active, *expert_ffn;        /* experts NULL: no MoE; expert_ffn NULL: as ffn */
    const char *attention_bias, *ffn_bias, *parallel; /* keys of flags; NULL: fixed below */
    const char *attention_dropout, *hidden_dropout;   /* NULL: none */
    /* used when the key is absent; 0: required, for kv_heads: as heads, for head_dim: hidden / heads, else none */
    int64_t heads_absent, kv_heads_absent, head_dim_absent, vocab_absent, max_seq_absent, window_absent;
    int64_t ffn_per_hidden; /* absent FFN width in hidden sizes; 0: required */
    double attention_dropout_absent, hidden_dropout_absent;
    enum orr_norm norm;
    int64_t n_norms;
    bool qkv_bias, out_bias, mlp_bias, head_bias, expert_bias, router_bias;
    bool gated, parallel_block, tied, no_rope, learned_positions, embedding_norm, qk_norm, sinks;
    enum orr_window_rule window_rule;
    bool chunked; /* windows are chunks */
    /* What a table cannot say; NULL: nothing. Runs when the shape is filled, before windows are placed. */
    void (*special)(struct orr_config *config, struct orr_shape *shape);
};

/* NULL and an error with the nearest and all known names if there is none. */
const struct orr_model_type *orr_model_type_find(struct orr_config *config, const char *path);

/* ---------------------------------------------------------------- the exceptions (model_special.c) */

void orr_special_deepseek_v2(struct orr_config *config, struct orr_shape *shape);
void orr_special_deepseek_v3(struct orr_config *config, struct orr_shape *shape);
void orr_special_falcon(struct orr_config *config, struct orr_shape *shape);
void orr_special_llama4(struct orr_config *config, struct orr_shape *shape);
void orr_special_mpt(struct orr_config *config, struct orr_shape *shape);
void orr_special_opt(struct orr_config *config, struct orr_shape *shape);
void orr_special_qwen_moe(struct orr_config *config, struct orr_shape *shape);

/* ---------------------------------------------------------------- counts (model_count.c) */

/* The kind of layer a set of marks stands for, parameters counted. */
void orr_kind_fill(const struct orr_shape *shape, unsigned marks, struct orr_layer_kind *kind);
int64_t orr_shape_embedding_params(const struct orr_shape *shape);
int64_t orr_shape_head_params(const struct orr_shape *shape);
int64_t orr_shape_mtp_params(const struct orr_shape *shape);
/* Total in floating point: true when it is small enough for the exact count. */
bool orr_model_countable(const struct orr_model *model);

#endif
