/* Internals of the config.json reader: located key access, the table of model types, and the flat shape between a
 * config and struct orr_model. Only src/spec/model*.c include it. */
#ifndef ORR_SPEC_MODEL_H
#define ORR_SPEC_MODEL_H

#include "spec/json.h"

/* Bounds of a plausible config. Together they keep every product of sizes within int64_t. */
#define ORR_WIDTH_MAX  10000000
#define ORR_HEADS_MAX  65536
#define ORR_SEQ_MAX    1000000000
#define ORR_PARAMS_MAX 1e18

/* ---------------------------------------------------------------- a config and its keys (model_config.c) */

#define ORR_PATH       192
#define ORR_ASKED_MAX  96 /* more than any type reads */
#define ORR_ASKED_NAME 64

/* One config object. The first failure is kept: later reads return a harmless value and report nothing. */
struct orr_config {
    const struct orr_doc *doc;
    const json_t *object; /* the text model: the root, or an object inside it */
    const char *prefix;   /* name of that inner object; "" for the root */
    const char *type;     /* model_type as written, for messages */
    struct orr_error *error;
    enum orr_err err;
    size_t n_asked;
    const char *asked[ORR_ASKED_MAX]; /* spellings read so far, which an override may name */
};

/* Keys below may be dotted ("attn_config.kv_n_heads") and may list spellings ("n_layer|num_hidden_layers");
 * spellings that disagree are an error. A null value counts as absent. */
#define ORR_REQUIRED (-1)

/* Finds a value, or NULL; `path` (ORR_PATH bytes) becomes its dotted path in the document. */
const json_t *orr_config_find(struct orr_config *config, const char *spellings, char *path);
/* Does the config have the key, even with a null value? */
bool orr_config_has(const struct orr_config *config, const char *spellings);
/* Reads a whole number in [min, max]. A missing key gives `absent`, or an error if `absent` is ORR_REQUIRED. */
int64_t orr_config_count(struct orr_config *config, const char *spellings, int64_t min, int64_t max, int64_t absent);
double orr_config_frac(struct orr_config *config, const char *spellings, double absent);
bool orr_config_flag(struct orr_config *config, const char *spellings, bool absent);
/* Finds an array, or NULL. */
const json_t *orr_config_list(struct orr_config *config, const char *key, char *path);
/* Fail about a value that was read: `path` is dotted from the root. */
void orr_config_fail(struct orr_config *config, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Fail (ORR_ERR_RULE) about a value that does not go together with the others. */
void orr_config_fail_rule(struct orr_config *config, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* After reading: a "set" value of the request that nothing asked for is an error (model_set.c). */
void orr_config_check_set(struct orr_config *config);

/* ---------------------------------------------------------------- shape: what the counts need */

/* How a layer differs from its siblings; a distinct set of marks is a layer kind. */
enum orr_mark {
    ORR_MARK_WINDOW = 1,     /* attention sees a window */
    ORR_MARK_MOE = 2,        /* routed experts instead of a dense FFN */
    ORR_MARK_NO_ROPE = 4,    /* no rotary positions, unlike the other layers */
    ORR_MARK_SCAN = 8,       /* the recurrent mixer instead of attention, or beside it */
    ORR_MARK_NO_MIXER = 16,  /* a feed-forward block alone */
    ORR_MARK_NO_FFN = 32,    /* a mixer alone */
    ORR_MARK_SHARED_KV = 64, /* keys and values are those of an earlier layer */
    ORR_MARK_OTHER = 128,    /* attention has the sizes of shape.other */
    ORR_MARK_INDEXER = 256,  /* an indexer of its own chooses the keys */
    ORR_MARK_CROSS = 512,    /* attention to an encoder instead of the sequence */
    ORR_MARK_ENTRIES = 1024, /* compressed entries of the larger ratio, all of which are read */
    ORR_MARK_HASH = 2048     /* a table by token, not the router's scores, chooses the experts */
};
/* The bits above the marks are the index of the layer's width in shape.ffn_widths. */
#define ORR_MARK_WIDTH 4096
#define ORR_WIDTHS_MAX 16

enum orr_norm { ORR_NORM_RMS, ORR_NORM_LAYER, ORR_NORM_LAYER_NO_BIAS, ORR_NORM_LAYER_NO_WEIGHT };

/* Sizes of grouped-query attention. */
struct orr_heads {
    int64_t n_heads, n_kv_heads, head_dim, head_v;
    bool sinks, kv_equal;
};

/* Sizes of the recurrent mixer, and facts that its parameter count needs. */
struct orr_scan {
    enum orr_mixer mixer;
    int64_t heads, value, groups, key, rank, chunk, conv, state_bytes;
    bool beside;          /* in parallel with attention */
    bool conv_bias, bias; /* biases of the convolution, and of the projections in and out */
    bool gated_norm;      /* Mamba-2: a norm with weights before the projection out */
    bool full_gate;       /* KDA: the gate on the outputs has full rank */
    int64_t inputs;       /* gated delta nets: matrices of the hidden state, as published; 0: one */
    bool inner_norms;     /* Mamba-1: norms on step sizes, B and C */
};

struct orr_shape {
    int64_t hidden, n_layers, n_heads, n_kv_heads, head_dim, vocab, ffn;
    int64_t max_seq, n_positions;
    int64_t embedding_width; /* width of the token table, which is projected to hidden if it differs */
    int64_t window;
    bool chunked;    /* the window does not slide */
    int64_t n_norms; /* per layer */
    int64_t n_mtp;   /* multi-token prediction layers after the last */
    enum orr_norm norm;
    bool embedding_norm, final_norm;
    bool qkv_bias, out_bias, ffn_bias, head_bias;
    bool gated, parallel, tied, rope;
    bool qk_norm, qk_norm_weights; /* query and key heads normalised; with learned weights */
    bool qk_norm_full;             /* the weights of qk_norm span all heads, not one */
    bool sinks;                    /* one learned logit per head */
    bool kv_equal;                 /* the projected keys serve as values too */
    bool no_key_bias;              /* keys have no bias where queries and values have one */
    int64_t head_v_dim;            /* size of a value head; 0: head_dim */
    int64_t gate_columns;          /* columns of the gate on the heads' outputs */
    struct orr_heads other;        /* attention of layers with ORR_MARK_OTHER */
    struct orr_scan scan;          /* mixer of layers with ORR_MARK_SCAN */
    int64_t index_heads, index_size, index_topk;
    bool compressed;                      /* attention of the kind of Eq. 121 */
    int64_t indexed_ratio, entries_ratio; /* positions of an entry, with an indexer and without one */
    int64_t out_groups, out_rank;
    int64_t residual_streams, residual_reads;
    unsigned mtp_marks;                 /* marks of the prediction layer, where it is not like the last */
    int64_t cross_keys;                 /* positions of the encoder */
    bool cross_beside;                  /* every layer has cross attention beside its own */
    int64_t ffn_widths[ORR_WIDTHS_MAX]; /* the first is ffn */
    int64_t n_ffn_widths;
    int64_t expert_hidden, n_zero_experts, layer_embedding;
    int64_t layer_extra; /* parameters of a layer that follow from no size above */
    int64_t cross_extra, moe_extra, embedding_extra, head_extra;
    int64_t q_rank, kv_rank; /* latent attention when kv_rank > 0 */
    int64_t head_nope, head_rope, head_v;
    bool latent_bias;
    int64_t n_experts, n_active, n_groups, n_groups_active, expert_width, shared_width;
    bool expert_bias, router_bias, shared_gate;
    bool attention_dropout, hidden_dropout;
    struct orr_tower tower;
    int64_t audio_params;           /* parameters of an audio tower whose work is not modelled */
    uint32_t marks[ORR_MAX_LAYERS]; /* set of enum orr_mark per layer */
};

/* ---------------------------------------------------------------- model types (model_types.c) */

/* Which layers have the window, unless the config has "layer_types". */
enum orr_window_rule {
    ORR_WINDOW_NONE,
    ORR_WINDOW_ALL,
    ORR_WINDOW_EVEN,   /* layers 0, 2, 4, ... */
    ORR_WINDOW_PERIOD, /* all but every n-th */
    ORR_WINDOW_UPPER,  /* from "max_window_layers" up, if "use_sliding_window" */
    ORR_WINDOW_ROPE    /* the layers with rotary positions */
};

/* One row says how a model_type spells its keys and what is fixed in its architecture. A NULL spelling means the common
 * one (in model.c); "" means that the type has no such key. */
struct orr_model_type {
    const char *name;
    const char *hidden, *layers, *heads, *kv_heads, *head_dim, *ffn, *max_seq, *window;
    const char *experts, *active, *expert_ffn;        /* experts NULL: no MoE; expert_ffn NULL: as ffn */
    const char *attention_bias, *ffn_bias, *parallel; /* keys of flags; NULL: fixed below */
    const char *attention_dropout, *hidden_dropout;   /* NULL: none */
    /* values for absent keys; 0: the key is required, but kv_heads defaults to heads, head_dim to hidden / heads */
    int64_t hidden_absent, heads_absent, kv_heads_absent, head_dim_absent, vocab_absent, max_seq_absent, window_absent;
    int64_t window_period;  /* ORR_WINDOW_PERIOD: the period, if the config states none */
    int64_t ffn_per_hidden; /* default FFN width in hidden sizes; 0: the key is required */
    double attention_dropout_absent, hidden_dropout_absent;
    enum orr_norm norm;
    int64_t n_norms;
    bool qkv_bias, out_bias, mlp_bias, head_bias, expert_bias, router_bias;
    bool gated, parallel_block, tied, no_rope, learned_positions, embedding_norm, qk_norm, sinks;
    bool no_out_bias;  /* attention_bias holds only for queries, keys and values */
    bool qk_norm_full; /* norms of queries and keys span all heads */
    bool no_attention; /* no layer has attention: heads are not read */
    bool dense_too;    /* models of the type may have no experts at all */
    enum orr_window_rule window_rule;
    bool chunked; /* windows are chunks */
    /* Reads what the table cannot express (NULL: nothing), after the shape is filled and before windows are placed. */
    void (*special)(struct orr_config *config, struct orr_shape *shape);
};

/* Finds the row of a type. If there is none, it returns NULL and an error with the nearest and all known names. */
const struct orr_model_type *orr_model_type_find(struct orr_config *config, const char *path);

/* ---------------------------------------------------------------- the exceptions (model_special.c, model_hybrid.c,
 * model_sparse.c) */

void orr_special_afmoe(struct orr_config *config, struct orr_shape *shape);
void orr_special_apertus(struct orr_config *config, struct orr_shape *shape);
void orr_special_bailing_moe(struct orr_config *config, struct orr_shape *shape);
void orr_special_bamba(struct orr_config *config, struct orr_shape *shape);
void orr_special_cohere(struct orr_config *config, struct orr_shape *shape);
void orr_special_deepseek_v2(struct orr_config *config, struct orr_shape *shape);
void orr_special_deepseek_v3(struct orr_config *config, struct orr_shape *shape);
void orr_special_deepseek_v4(struct orr_config *config, struct orr_shape *shape);
void orr_special_deepseek_v32(struct orr_config *config, struct orr_shape *shape);
void orr_special_dots1(struct orr_config *config, struct orr_shape *shape);
void orr_special_ernie_moe(struct orr_config *config, struct orr_shape *shape);
void orr_special_falcon(struct orr_config *config, struct orr_shape *shape);
void orr_special_falcon_h1(struct orr_config *config, struct orr_shape *shape);
void orr_special_gemma3n(struct orr_config *config, struct orr_shape *shape);
void orr_special_gemma4(struct orr_config *config, struct orr_shape *shape);
void orr_special_glm4_moe(struct orr_config *config, struct orr_shape *shape);
void orr_special_granite_hybrid(struct orr_config *config, struct orr_shape *shape);
void orr_special_hunyuan_moe(struct orr_config *config, struct orr_shape *shape);
void orr_special_jamba(struct orr_config *config, struct orr_shape *shape);
void orr_special_kimi_linear(struct orr_config *config, struct orr_shape *shape);
void orr_special_lfm2(struct orr_config *config, struct orr_shape *shape);
void orr_special_llama4(struct orr_config *config, struct orr_shape *shape);
void orr_special_longcat(struct orr_config *config, struct orr_shape *shape);
void orr_special_mamba(struct orr_config *config, struct orr_shape *shape);
void orr_special_mamba2(struct orr_config *config, struct orr_shape *shape);
void orr_special_mimo_v2(struct orr_config *config, struct orr_shape *shape);
void orr_special_minimax(struct orr_config *config, struct orr_shape *shape);
void orr_special_minimax_m2(struct orr_config *config, struct orr_shape *shape);
void orr_special_minimax_m3(struct orr_config *config, struct orr_shape *shape);
void orr_special_mllama(struct orr_config *config, struct orr_shape *shape);
void orr_special_mpt(struct orr_config *config, struct orr_shape *shape);
void orr_special_nemotron_h(struct orr_config *config, struct orr_shape *shape);
void orr_special_nemotron_nas(struct orr_config *config, struct orr_shape *shape);
void orr_special_opt(struct orr_config *config, struct orr_shape *shape);
void orr_special_qwen3_next(struct orr_config *config, struct orr_shape *shape);
void orr_special_qwen_moe(struct orr_config *config, struct orr_shape *shape);
void orr_special_recurrent_gemma(struct orr_config *config, struct orr_shape *shape);
void orr_special_seed_oss(struct orr_config *config, struct orr_shape *shape);
void orr_special_smollm3(struct orr_config *config, struct orr_shape *shape);
void orr_special_stablelm(struct orr_config *config, struct orr_shape *shape);
void orr_special_t5(struct orr_config *config, struct orr_shape *shape);
void orr_special_whisper(struct orr_config *config, struct orr_shape *shape);

/* Functions that several `special` functions share. */
void orr_mark(struct orr_shape *shape, int64_t layer, enum orr_mark what, bool on);
/* Set or clear a mark on the layers an array of indices names, counted from `base`. */
void orr_mark_listed(struct orr_config *config, struct orr_shape *shape, const json_t *list, const char *path,
                     enum orr_mark what, bool on, int64_t base);
/* The name of a layer in a list with one entry per layer; "" where there is no list. */
const char *orr_layer_name(struct orr_config *config, const struct orr_shape *shape, const char *key, int64_t layer);
/* Reads a number, or the first of a list of equal numbers. */
int64_t orr_config_count_first(struct orr_config *config, const char *spellings, int64_t min, int64_t max,
                               int64_t absent);
void orr_read_latent(struct orr_config *config, struct orr_shape *shape);
/* Groups of experts, of which a router chooses some first; one group is none. */
void orr_read_expert_groups(struct orr_config *config, struct orr_shape *shape);
/* Reads dense first layers, shared experts and groups of experts, by the spellings of several types. */
void orr_read_dense_first(struct orr_config *config, struct orr_shape *shape);

/* ---------------------------------------------------------------- towers (model_towers.c) */

/* Reads the vision tower beside a text model of `hidden` columns; the tower stays as it is if there is no known one. */
void orr_tower_read(struct orr_config *config, int64_t hidden, struct orr_tower *tower);
/* Read the encoder of a Whisper or T5 model. */
void orr_tower_whisper(struct orr_config *config, int64_t hidden, struct orr_tower *tower);
void orr_tower_t5(struct orr_config *config, const struct orr_shape *shape, struct orr_tower *tower);
/* Parameters of an audio tower beside the text model, whose work is not modelled; 0 if there is none. */
int64_t orr_audio_params(struct orr_config *config, int64_t hidden);

/* ---------------------------------------------------------------- counts (model_count.c) */

/* Fills in the kind of layer that a set of marks stands for, and counts its parameters. */
void orr_kind_fill(const struct orr_shape *shape, unsigned marks, struct orr_layer_kind *kind);
int64_t orr_shape_embedding_params(const struct orr_shape *shape);
int64_t orr_shape_head_params(const struct orr_shape *shape);
int64_t orr_shape_mtp_params(const struct orr_shape *shape);
/* Is the total, added up in floating point, small enough for the exact count in int64_t? */
bool orr_model_countable(const struct orr_model *model);

#endif
