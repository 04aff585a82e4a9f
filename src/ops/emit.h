/* The emitter of a layer: its state, and the building blocks that the layer files share (emit.c). It always emits
 * forward operators, and backward operators where `backward` asks for them. */
#ifndef ORR_OPS_EMIT_H
#define ORR_OPS_EMIT_H

#include "ops/ops.h"
#include "ops/recipe.h"
#include "ops/serve.h"

struct orr_emit {
    const struct orr_job *job;
    const struct orr_model *model;
    struct orr_op_list *list;
    enum orr_phase forward; /* phase of forward operators: training's forward, prefill or decode */
    bool backward;          /* emit backward operators and weight gradients; else K,V are written to a cache */
    bool lumped;            /* a layer's small kernels are one operator, because serving engines are calibrated so */
    bool encoder;           /* a tower: no causal mask, and no keys or values are kept */
    bool rms_norm;          /* RMS norms, else layer norms */
    bool decode_only;       /* serving: a pass without prompts */
    bool frozen;            /* weights get no gradients */
    enum orr_recompute recompute; /* what backward repeats of the layer: none, core, selective-op, ops or full */
    unsigned parts;               /* sum of ORR_PART_*: the parts of a layer or pass to emit */
    int64_t layer_kind;           /* layer kind of every operator */
    double count;                 /* executions of every operator */
    struct orr_dims dims;
    struct orr_recipe recipe;        /* casts of training in 8 bits or fewer */
    const struct orr_served *served; /* formats of the products of a serving pass; NULL in training */
};

struct orr_emit orr_emit_serving(const struct orr_job *job, const struct orr_model *model,
                                 const struct orr_serve_shape *shape, enum orr_phase phase, struct orr_op_list *list);

/* All operators of a layer, and of each of its parts (attention.c, mla.c, ffn.c, moe.c). */
void orr_emit_layer(struct orr_emit *emit, const struct orr_layer_kind *kind);
void orr_emit_attention(struct orr_emit *emit, const struct orr_layer_kind *kind);
void orr_emit_latents(struct orr_emit *emit, const struct orr_layer_kind *kind);
/* Compressed attention (compressed.c): projections with the compressor, and the output by groups of heads. */
void orr_emit_compressed_rows(struct orr_emit *emit, const struct orr_layer_kind *kind);
void orr_emit_grouped_output(struct orr_emit *emit, const struct orr_layer_kind *kind);
void orr_emit_output_gate(struct orr_emit *emit, double elements);
void orr_emit_attention_core(struct orr_emit *emit, const struct orr_layer_kind *kind);
void orr_emit_decode_core(struct orr_emit *emit, const struct orr_layer_kind *kind);
/* Recurrent mixers and cross attention (mixer.c); the indexer that chooses keys for sparse attention (index.c). */
void orr_emit_scan(struct orr_emit *emit, const struct orr_layer_kind *kind);
void orr_emit_cross(struct orr_emit *emit, const struct orr_layer_kind *kind);
void orr_emit_index(struct orr_emit *emit, const struct orr_layer_kind *kind);
/* Query-key pairs of one sequence that a causal mask or window leaves. */
double orr_score_pairs(const struct orr_dims *dims, const struct orr_layer_kind *kind, bool causal);
/* Pairs of queries and compressed entries, likewise; 0 where a kind has none. */
double orr_entry_pairs(const struct orr_dims *dims, const struct orr_layer_kind *kind, bool causal);
/* Does a prompt have more keys than index_topk, so that its queries read only chosen keys, as latents? */
bool orr_prompt_chooses(const struct orr_emit *emit, const struct orr_layer_kind *kind);
void orr_emit_ffn(struct orr_emit *emit, const struct orr_layer_kind *kind);
void orr_emit_experts(struct orr_emit *emit, const struct orr_layer_kind *kind);
/* Parameters of a part of the network on one rank, outside routed experts and inside them, and those of them or beside
 * them that are trained. */
struct orr_part_params {
    double dense, expert;
    double trained_dense, trained_expert;
};
/* Parameters without experts that are trained unless the emitter says that they are frozen. */
struct orr_part_params orr_plain_part(const struct orr_emit *emit, double params);
/* ZeRO-3 gathers the weights of a layer for forward and backward and scatters its gradients (Eq. 75a). */
void orr_emit_sharded_layer(struct orr_emit *emit, const struct orr_part_params *params);
/* The gradients of these parameters are added up, and with ZeRO-3 the weights are gathered. */
void orr_emit_autocast(struct orr_emit *emit, const struct orr_part_params *params, double matrices);
void orr_emit_accumulation(struct orr_emit *emit, double params, double tensors);
void orr_emit_weights(struct orr_emit *emit, const struct orr_part_params *params);
/* A tower over `sequences` sequences: the products before its layers, the layers, and those after them (tower.c). */
void orr_emit_tower(struct orr_emit *emit, double sequences);
/* Does backward run fused attention again for a recomputed core (Eq. 307)? A kernel keeps no scores, so that nothing is
 * gained, but the engine may checkpoint it all the same. */
static inline bool orr_repeats_fused_core(const struct orr_emit *emit)
{
    const struct orr_job *job = emit->job;
    const bool listed = emit->recompute == ORR_RECOMPUTE_OPS && orr_repeats(&job->workload, ORR_REPEATABLE_CORE);
    return job->engine.fused_core_repeated && (emit->recompute == ORR_RECOMPUTE_CORE || listed);
}
/* Marks the operators from `first` on that a list of operators repeats (recompute.c). */
void orr_mark_repeated(const struct orr_job *job, struct orr_op_list *list, size_t first);
/* The ends of the network in training and in a serving pass (ends.c), and operators once per iteration (step.c). */
void orr_emit_ends(struct orr_emit *emit);
void orr_emit_pass_ends(struct orr_emit *emit);
void orr_emit_step(struct orr_emit *emit, const struct orr_stage *heaviest);

/* ---- building blocks */

/* Names of an operator and of its backward operators, all made from one literal. */
struct orr_linear_names {
    const char *forward, *dgrad, *wgrad, *bias_grad, *cast, *cast_grad, *cast_again;
};
#define ORR_LINEAR(literal)                                                                                            \
    (struct orr_linear_names)                                                                                          \
    {                                                                                                                  \
        literal, literal ".dgrad", literal ".wgrad", literal ".bias_grad", literal ".cast", literal ".cast_grad",      \
            literal ".cast_again"                                                                                      \
    }

struct orr_linear {
    struct orr_linear_names names;
    double m, n, k;        /* forward shape (m, k) x (k, n) */
    double experts;        /* experts of a grouped product that have rows; 0: one plain product */
    double n_idle_experts; /* experts of the rank that have none */
    bool fixed_tiles;      /* grouped: nobody chose tiles for the shape */
    bool bias;
    bool last;                /* last product of the layer, which recomputation may skip */
    bool quantised;           /* has the format of the weights; else 16 bit */
    bool fp32;                /* of an adapter without autocast */
    bool head;                /* the output matrix, which few formats make narrow */
    enum orr_product product; /* identifies the product in the layer */
    int n_parts;              /* matrices that the product joins and their columns; 0: one matrix */
    struct {
        enum orr_target target;
        double n;
    } parts[3];
};

/* Emit the forward product, and in training dgrad, wgrad (Eq. 12), casts and bias gradient. The function returns the
 * index of the dgrad, which the wgrad follows, or -1 if there is none. */
int32_t orr_emit_linear(struct orr_emit *emit, const struct orr_linear *linear);
/* The same of a product in the format of the weights that has no bias. */
static inline int32_t orr_emit_projection(struct orr_emit *emit, struct orr_linear_names names,
                                          enum orr_product product, double m, double k, double n)
{
    return orr_emit_linear(
        emit, &(struct orr_linear){.names = names, .m = m, .k = k, .n = n, .quantised = true, .product = product});
}
/* Beside a frozen product (adapter.c): what adapters add to it, and the kernels that restore its matrix to 16 bits. */
void orr_emit_adapters(struct orr_emit *emit, const struct orr_linear *linear);
void orr_emit_restore(struct orr_emit *emit, const struct orr_linear *linear, enum orr_phase phase);
/* A batched product of activations. */
struct orr_op *orr_emit_bmm(struct orr_emit *emit, const char *name, enum orr_phase phase, double batch, double m,
                            double n, double k);

/* A memory-bound kernel: bytes in forward and in backward (0: no such kernel), and kernels launched each way. */
struct orr_pointwise_op {
    const char *name, *backward_name;
    enum orr_pointwise kind;
    double forward_bytes, backward_bytes;
    double forward_launches, backward_launches; /* 0 counts as 1 */
    double columns;                             /* softmax: length of a row; 0 elsewhere */
    bool core;                                  /* part of the attention core, which selective recomputation repeats */
};
void orr_emit_pointwise(struct orr_emit *emit, const struct orr_pointwise_op *op);
/* Emit a small kernel of a layer, but nothing where small kernels are lumped into one operator. */
void orr_emit_small(struct orr_emit *emit, const struct orr_pointwise_op *op);
/* Emit a norm over rows of the hidden size with `elements` numbers in all, and a residual add with bias and dropout as
 * the engine fuses them. Both are small kernels. */
void orr_emit_norm(struct orr_emit *emit, const char *name, const char *backward_name, double elements, bool rms);
void orr_emit_residual(struct orr_emit *emit);
/* Emit what joins the output of a block to the residual (residual.c): a plain add, streams, or earlier sums. */
void orr_emit_block_end(struct orr_emit *emit, const struct orr_layer_kind *kind);

/* Emit a collective over a group, which is exposed unless the caller sets its window_op. The result is NULL if the
 * group has one rank, nothing is sent, or the operator belongs to backward and backward is not emitted. */
struct orr_op *orr_emit_collective(struct orr_emit *emit, const char *name, enum orr_phase phase,
                                   enum orr_collective collective, enum orr_group group, double payload_bytes);

struct orr_op *orr_emit_op(struct orr_emit *emit, const char *name, enum orr_op_kind kind, enum orr_phase phase);

/* Tensor-parallel collectives around the input of one or more column-parallel matrices and a row-parallel output
 * (Eqs. 12a, 338). */
void orr_emit_column_input(struct orr_emit *emit, int32_t dgrad, double width, int matrices);
void orr_emit_column_gather(struct orr_emit *emit, double width, int matrices);
void orr_emit_row_output(struct orr_emit *emit, double width);

#endif
