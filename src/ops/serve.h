/* One step of a serving engine -> operators of one rank: prompt tokens and decoding sequences share the weight
 * products; each has its own attention kernel. Counts cover all layers of the model. Eqs. 91, 91a, 93. The header also
 * has the formats in which weights and cache are stored. */
#ifndef ORR_OPS_SERVE_H
#define ORR_OPS_SERVE_H

#include "ops/ops.h"

/* Contents of a step on one data-parallel rank. */
struct orr_serve_shape {
    bool beside_prompts; /* these rows are part of a pass that has prompts as well */
    double prefill_tokens, prefill_sequences;
    double prefill_context; /* tokens that each prefilling sequence already has in the cache */
    double decode_sequences;
    double decode_context; /* per sequence, including the new token */
    double queries;        /* query tokens of a decoding sequence: 1, more when drafts are verified */
    bool no_head;          /* no prompt reaches its last token in this step: skip the output head */
    bool last_query_head;  /* of the queries of a decoding sequence, only the last goes through the output head */
};

/* Parts of a pass, by the count on which they depend: all rows, the prompts, the decoding sequences, or the sequences
 * that go through the output head. */
enum { ORR_PART_ROWS = 1, ORR_PART_PROMPTS = 2, ORR_PART_DECODES = 4, ORR_PART_SEQUENCES = 8, ORR_PART_WHOLE = 15 };

/* Append the operators of one step; `phase` becomes the phase of each. A draft model made of prediction layers runs one
 * of them. */
void orr_serve_ops(const struct orr_job *job, const struct orr_model *model, const struct orr_serve_shape *shape,
                   enum orr_phase phase, struct orr_op_list *list);
/* Append the operators of the tower for the images, sound or text of so many sequences. */
void orr_serve_tower(const struct orr_job *job, double sequences, struct orr_op_list *list);
/* Append only some parts of a step; `parts` is a sum of ORR_PART_*. */
void orr_serve_parts(const struct orr_job *job, const struct orr_model *model, const struct orr_serve_shape *shape,
                     unsigned parts, enum orr_phase phase, struct orr_op_list *list);
/* The attention core of decoding sequences alone. The caller sets its context. */
struct orr_op orr_serve_decode_op(const struct orr_job *job, const struct orr_layer_kind *kind, double sequences,
                                  double queries);

/* The scores of the indexer that chooses a layer's keys, for kinds that have one. The caller sets the context. */
struct orr_op orr_serve_index_op(const struct orr_job *job, const struct orr_layer_kind *kind, double sequences,
                                 double queries);
/* The compressed entries that the same call reads, for kinds that have some. Its context is counted in positions. */
struct orr_op orr_serve_entries_op(const struct orr_job *job, const struct orr_layer_kind *kind, double sequences,
                                   double queries);
/* Most keys that the operator of a decoding sequence reads; 0: all. */
double orr_decode_key_limit(const struct orr_layer_kind *kind, const struct orr_op *op);

/* Most prompt tokens of one step: the request's chunk, else the engine's limit; 0: all at once. */
double orr_serve_step_tokens(const struct orr_job *job);

/* Runs into which an engine cuts the images, sound or text of so many sequences, as a step has a limit of tokens. */
double orr_tower_pieces(const struct orr_job *job, double sequences);

/* Format of everything that is not a quantised weight product. */
enum orr_dtype orr_serve_dtype16(const struct orr_job *job);
/* The format of the products of attention. */
enum orr_dtype orr_serve_core(const struct orr_job *job);
/* Bytes per weight element, including scales (Eq. 41a): 128-blocks for fp8 and int4, 16-blocks for fp4. */
double orr_stored_bytes(enum orr_dtype dtype);
/* Stored bytes per weight element of a job; where formats are mixed, the mean over all weights. */
double orr_serve_stored_bytes(const struct orr_job *job);
/* Does the engine rebuild keys and values of all heads from the latents and cache these instead? (Eq. 388) */
bool orr_rebuilds_heads(const struct orr_job *job, const struct orr_layer_kind *kind);
/* Cache bytes of one token in one layer of a kind, on one rank and in the whole model (Eq. 90); 0: none are cached. */
double orr_kv_rank_bytes(const struct orr_job *job, const struct orr_layer_kind *kind);
double orr_kv_model_bytes(const struct orr_job *job, const struct orr_layer_kind *kind);
/* Bytes of a cached element, including scales, as a mean over a layer's vectors. */
double orr_kv_element_bytes(const struct orr_job *job, const struct orr_layer_kind *kind);
/* Bytes of an element of the keys and values that a sequence of any length holds. */
double orr_state_key_bytes(const struct orr_job *job, const struct orr_layer_kind *kind);

#endif
