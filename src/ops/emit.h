/* The one emitter of a layer: what it knows, and the building blocks that its parts share (emit.c). Forward operators
 * come always, backward operators where they are asked for. */
#ifndef ORR_OPS_EMIT_H
#define ORR_OPS_EMIT_H

#include "ops/ops.h"
#include "ops/serve.h"

struct orr_emit {
    const struct orr_job *job;
    const struct orr_model *model;
    struct orr_op_list *list;
    enum orr_phase forward; /* stamped on forward operators: training's forward, prefill or decode */
    bool backward;          /* backward operators and weight gradients follow; without them K,V go to a cache */
    bool lumped;            /* a layer's small kernels are one operator, as serving engines are calibrated */
    bool recompute_full;    /* forward operators of layers run again in backward */
    unsigned parts;         /* sum of ORR_PART_*: what of a layer or pass is asked for */
    int64_t layer_kind;     /* stamped on every operator */
    double count;           /* executions of every operator */
    struct orr_dims dims;
    const struct orr_served *served; /* formats of the products of a serving pass; NULL in training */
};

struct orr_emit orr_emit_training(const struct orr_job *job, struct orr_op_list *list);
struct orr_emit orr_emit_serving(const struct orr_job *job, const struct orr_model *model,
                                 const struct orr_serve_shape *shape, enum orr_phase phase, struct orr_op_list *list);

/* Everything a layer runs, and its parts (attention.c, mla.c, ffn.c, moe.c). */
void orr_emit_layer(struct orr_emit *emit, const struct orr_layer_kind *kind);
void orr_emit_attention(struct orr_emit *emit, const struct orr_layer_kind *kind);
void orr_emit_latents(struct orr_emit *emit, const struct orr_layer_kind *kind);
void orr_emit_attention_core(struct orr_emit *emit, const struct orr_layer_kind *kind);
void orr_emit_decode_core(struct orr_emit *emit, const struct orr_layer_kind *kind);
/* Recurrent mixers and cross attention (mixer.c); what chooses the keys of sparse attention (index.c). */
void orr_emit_scan(struct orr_emit *emit, const struct orr_layer_kind *kind);
void orr_emit_cross(struct orr_emit *emit, const struct orr_layer_kind *kind);
void orr_emit_index(struct orr_emit *emit, const struct orr_layer_kind *kind);
/* Query-key pairs of one sequence, all that a causal mask or window leaves. */
double orr_score_pairs(const struct orr_dims *dims, const struct orr_layer_kind *kind, bool causal);
/* Do the queries of a prompt meet so many keys that they choose, in the space of the latents? */
bool orr_prompt_chooses(const struct orr_emit *emit, const struct orr_layer_kind *kind);
void orr_emit_ffn(struct orr_emit *emit, const struct orr_layer_kind *kind);
void orr_emit_experts(struct orr_emit *emit, const struct orr_layer_kind *kind);
/* ZeRO-3: weights of a layer gathered for forward and backward, its gradients scattered (Eq. 75a). */
void orr_emit_sharded_layer(struct orr_emit *emit, double dense_params, double expert_params);
/* The ends of the network in training and in a serving pass (ends.c), and an iteration's own operators (step.c). */
void orr_emit_ends(struct orr_emit *emit);
void orr_emit_pass_ends(struct orr_emit *emit);
void orr_emit_step(struct orr_emit *emit, const struct orr_stage *heaviest);

/* ---- building blocks */

/* Names of an operator and of its two backward products, from one literal. */
struct orr_linear_names {
    const char *forward, *dgrad, *wgrad, *bias_grad, *cast, *cast_grad;
};
#define ORR_LINEAR(literal)                                                                                            \
    (struct orr_linear_names)                                                                                          \
    {                                                                                                                  \
        literal, literal ".dgrad", literal ".wgrad", literal ".bias_grad", literal ".cast", literal ".cast_grad"       \
    }

struct orr_linear {
    struct orr_linear_names names;
    double m, n, k; /* forward shape (m, k) x (k, n) */
    double experts; /* a grouped product over this many; 0: one plain product */
    bool bias;
    bool last;      /* its output is the layer's: recomputation may skip it */
    bool quantised; /* follows the format of the weights; else 16 bit */
    bool head;      /* the output matrix, which few formats make narrow */
    enum orr_product product; /* which of a layer's products it is */
};

/* Forward, and in training dgrad, wgrad (Eq. 12), casts and bias gradient. Returns the index of the dgrad; wgrad is
 * the next. */
int32_t orr_emit_linear(struct orr_emit *emit, const struct orr_linear *linear);
/* Products of activations. */
struct orr_op *orr_emit_bmm(struct orr_emit *emit, const char *name, enum orr_phase phase, double batch, double m,
                            double n, double k);

/* A memory-bound kernel: bytes in forward and in backward (0: none), kernels launched each way. */
struct orr_pointwise_op {
    const char *name, *backward_name;
    enum orr_pointwise kind;
    double forward_bytes, backward_bytes;
    double forward_launches, backward_launches; /* 0 counts as 1 */
    double columns;                             /* softmax: length of a row; 0 elsewhere */
    bool core;                                  /* part of the attention core: repeated by selective recomputation */
};
void orr_emit_pointwise(struct orr_emit *emit, const struct orr_pointwise_op *op);
/* The same for a small kernel of a layer: nothing where they are lumped. */
void orr_emit_small(struct orr_emit *emit, const struct orr_pointwise_op *op);
/* Norm over rows of the hidden size, `elements` numbers in all; and residual add with bias and dropout as the engine
 * fuses them. Both are small kernels. */
void orr_emit_norm(struct orr_emit *emit, const char *name, const char *backward_name, double elements, bool rms);
void orr_emit_residual(struct orr_emit *emit);

/* A collective over a group, exposed unless the caller names a window; NULL if there is nothing to do: the group has
 * one rank, nothing is sent, or a backward operator is not asked for. */
struct orr_op *orr_emit_collective(struct orr_emit *emit, const char *name, enum orr_phase phase,
                                   enum orr_collective collective, enum orr_group group, double payload_bytes);

struct orr_op *orr_emit_op(struct orr_emit *emit, const char *name, enum orr_op_kind kind, enum orr_phase phase);

/* Tensor-parallel collectives around a column-parallel input and a row-parallel output (Eq. 12a). */
void orr_emit_column_input(struct orr_emit *emit, int32_t dgrad, double width);
void orr_emit_column_gather(struct orr_emit *emit, double width);
void orr_emit_row_output(struct orr_emit *emit, double width);

#endif
