/* Weight formats: the table of storages, the tensors of a layer kind, checkpoints by name or by their configuration,
 * and how a chip serves them. Only src/spec includes this header. */
#ifndef ORR_SPEC_FORMAT_H
#define ORR_SPEC_FORMAT_H

#include "spec/json.h"
#include "spec/names.h"
#include "spec/spec.h"

/* ---------------------------------------------------------------- the table (format_table.c) */

/* Rules of a format about tensors that stay wide or become narrow. */
enum {
    ORR_KEEP_DENSE = 1,  /* in a model with experts, everything except routed experts stays wide */
    ORR_KEEP_LATENT = 2, /* the projections of latent attention before its output stay wide */
    ORR_NARROW_ENDS = 4, /* embedding and head are narrow too */
    ORR_NARROW_GGUF = 8  /* tensors follow the rules of a GGUF mixture; vectors and routers in 32 bits */
};

struct orr_format_row {
    const char *family;     /* family that engines list; "": every engine runs it */
    enum orr_dtype nearest; /* the dtype that reports name for the format */
    enum orr_dtype native;  /* dtype of its products if the chip has units for it; ORR_N_DTYPES: 16 bits */
    int least_sm, most_sm;  /* first and last NVIDIA generation with kernels; last 0: all later ones */
    bool amd;               /* AMD chips have kernels */
    unsigned rules;
    struct orr_storage storage;
};
const struct orr_format_row *orr_format_row(enum orr_weight_format format);
/* Bytes of a tensor of n output rows and k input columns. */
double orr_storage_bytes(const struct orr_storage *storage, double n, double k);
/* Names of all formats by enum value. */
extern const char *const orr_format_names[ORR_N_WEIGHT_FORMATS];
/* Finds the cache that a name means: a dtype, or a format with scales and the dtype of its kernels; false: neither. */
bool orr_cache_find(const char *name, enum orr_dtype *kv, enum orr_kv_format *format);
/* All names of caches, for messages. */
enum { ORR_N_CACHES = ORR_N_KV_FORMATS + 3 };
const char *const *orr_cache_names(void);

/* ---------------------------------------------------------------- tensors (format_tensors.c) */

struct orr_tensor_shape {
    double n, k;  /* output rows, input columns */
    double count; /* tensors of this shape in a layer */
};
void orr_tensor_shapes(const struct orr_model *model, const struct orr_layer_kind *kind,
                       struct orr_tensor_shape shapes[ORR_N_TENSORS]);
enum orr_module orr_tensor_module(enum orr_weight_tensor tensor);
/* Parameters of the norms inside attention, over latents or over query and key heads. */
double orr_attention_norms(const struct orr_layer_kind *kind, double vectors);

/* ---------------------------------------------------------------- checkpoints (format_named.c, format_gguf.c) */

/* Makes a checkpoint with everything in 16 bits. */
void orr_checkpoint_plain(struct orr_checkpoint *checkpoint);
/* Does a format leave this tensor wide by its own rules? */
bool orr_keeps_wide(unsigned rules, const struct orr_layer_kind *kind, bool has_experts, enum orr_weight_tensor tensor);
/* The index of a storage in the checkpoint, to which it is added if new; 0 where there is no room. */
uint8_t orr_checkpoint_add(struct orr_checkpoint *checkpoint, const struct orr_storage *storage);
/* Makes the checkpoint that a format's name means, for a model whose shape has been read. */
void orr_checkpoint_named(const struct orr_model *model, enum orr_weight_format format,
                          struct orr_checkpoint *checkpoint);
/* The type that a GGUF mixture gives a tensor of layer i with `k` input columns. */
struct orr_storage orr_gguf_tensor(enum orr_weight_format mixture, const struct orr_model *model, int64_t i,
                                   enum orr_weight_tensor tensor, double k);
struct orr_storage orr_gguf_embedding(enum orr_weight_format mixture, double k);
struct orr_storage orr_gguf_head(enum orr_weight_format mixture, double k);

/* ---------------------------------------------------------------- published (format_config.c, format_match.c) */

/* Reads quantization_config and torch_dtype of a config.json, for a model whose shape has been read. */
/* `text_config` is the object of the language model, at `prefix` of the document; it may be the root, at "". */
enum orr_err orr_checkpoint_read(const struct orr_doc *doc, const json_t *text_config, const char *prefix,
                                 struct orr_model *model, struct orr_error *error);

/* A list of patterns for module names: whole names, beginnings, ends, "*", or regular expressions after "re:". */
struct orr_matcher;
/* orr_matcher_new returns NULL when out of memory. A value that is no list of texts adds nothing. */
struct orr_matcher *orr_matcher_new(void);
bool orr_matcher_add(struct orr_matcher *matcher, const json_t *list);
/* The text must outlive the matcher. */
bool orr_matcher_add_text(struct orr_matcher *matcher, const char *text);
/* The first regular expression that is not understood; NULL if there is none. */
const char *orr_matcher_bad(const struct orr_matcher *matcher);
void orr_matcher_free(struct orr_matcher *matcher);
/* Does the list name this tensor of layer i, the router of layer i, the head, or the embedding? */
bool orr_matcher_tensor(const struct orr_matcher *matcher, int64_t layer, enum orr_weight_tensor tensor);
bool orr_matcher_name(const struct orr_matcher *matcher, const char *name);
/* Does it name this tensor of the first multi-token prediction layer, which checkpoints keep as a layer after the last
 * or as "mtp.layers.0"? */
bool orr_matcher_mtp(const struct orr_matcher *matcher, int64_t n_layers, enum orr_weight_tensor tensor);

/* ---------------------------------------------------------------- on a chip (format_serve.c) */

/* Can the chip and the engine run the format? The error lists the formats that they can run. */
enum orr_err orr_format_check(const struct orr_job *job, enum orr_weight_format format, struct orr_error *error);

#endif
