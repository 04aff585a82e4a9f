/* model + plan + workload -> operator list of one rank: shapes, FLOP, bytes, collectives.
 * Every layer kind is listed once; the schedule multiplies by layers and micro-batches. */
#ifndef ORR_OPS_OPS_H
#define ORR_OPS_OPS_H

#include "orrery.h"

#define ORR_MAX_OPS 1024

struct orr_op_list {
    size_t n;
    struct orr_op items[ORR_MAX_OPS];
};

/* Widths and degrees used all over the emitters, worked out once per job. One letter as in docs/equations.md. */
struct orr_dims {
    double b, s, h;         /* micro-batch, sequence, hidden size */
    double t, c, e, te;     /* tensor, context, expert, expert-tensor degree */
    double T;               /* tokens of one rank and micro-batch: b s / c */
    double T_norm;          /* tokens its norms see: T/t with sequence parallel, else T */
    double w_a, w_c;        /* bytes of an activation and of a communicated element */
    double vocab;           /* padded vocabulary over t */
    double m;               /* micro-batches per replica (Eq. 4) */
    bool low_precision;     /* GEMM inputs are quantised: 8 bits or fewer */
    enum orr_dtype dtype16; /* format of everything that is not a quantised weight GEMM */
};

struct orr_emit {
    const struct orr_job *job;
    struct orr_dims dims;
    struct orr_op_list *list;
    int64_t layer_kind;  /* stamped on every operator */
    bool recompute_full; /* forward operators of layers run again in backward */
};

struct orr_dims orr_dims_of(const struct orr_job *job);

/* What one pipeline rank holds. */
struct orr_stage {
    double n_layers[ORR_MAX_LAYER_KINDS]; /* layers of each kind */
    double dense_params, expert_params;   /* on one rank, ends in */
    bool embedding, head;
    double n_mtp;                         /* multi-token prediction layers, in n_layers too; 0 but on the last rank */
};
/* Layers of every pipeline rank; plan.pp entries. Where chunks do not divide evenly the first ones, after the
 * embedding's, carry one layer more, so that the ends stay light. */
void orr_stages_build(const struct orr_job *job, struct orr_stage *stages);
/* Parameters of a stage whose layers are known. */
void orr_stage_count(const struct orr_job *job, struct orr_stage *stage);

/* Pipeline ranks that hold the same layers and ends: what they take is worked out once. */
struct orr_rank_class {
    struct orr_stage stage;
    int64_t first; /* lowest rank of the class */
    double ranks;  /* how many there are */
};
struct orr_classes {
    size_t n;
    struct orr_rank_class items[ORR_MAX_STAGES];
    uint16_t of_rank[ORR_MAX_STAGES]; /* class of every rank */
};
void orr_classes_build(const struct orr_stage *stages, int64_t n_stages, struct orr_classes *classes);
/* The rank with the most parameters: its optimizer and gradient collectives set the step's. */
const struct orr_stage *orr_classes_heaviest(const struct orr_rank_class *classes, size_t n_classes);

/* Every layer kind and both ends: depends on how a layer is cut, not on how many there are. */
void orr_ops_layers(const struct orr_job *job, struct orr_op_list *list);
/* Then what a whole iteration adds: pipeline sends, gradient collectives, optimizer. */
void orr_ops_iteration(const struct orr_job *job, const struct orr_stage *heaviest, struct orr_op_list *list);

/* Parts of a layer (attention.c, mla.c, ffn.c, moe.c), the ends (ends.c) and the step (step.c). */
void orr_ops_attention(struct orr_emit *emit, const struct orr_layer_kind *kind);
void orr_ops_attention_core(struct orr_emit *emit, const struct orr_layer_kind *kind, double kv_heads_per_rank);
void orr_ops_mla(struct orr_emit *emit, const struct orr_layer_kind *kind);
void orr_ops_ffn(struct orr_emit *emit, const struct orr_layer_kind *kind, double width, bool shared);
void orr_ops_moe(struct orr_emit *emit, const struct orr_layer_kind *kind);
void orr_ops_ends(struct orr_emit *emit);
void orr_ops_step(struct orr_emit *emit, const struct orr_stage *heaviest);
/* ZeRO-3: weights of a layer gathered for forward and backward, its gradients scattered (Eq. 75a). */
void orr_ops_sharded_layer(struct orr_emit *emit, double dense_params, double expert_params);

/* Experts that the ranks of an expert group hold together: all, and copies up to a multiple of ep (moe_redundant). */
int64_t orr_expert_places(const struct orr_job *job, const struct orr_layer_kind *kind);
/* Parameters one rank holds: of one layer of a kind without its routed experts, of those experts, and of the ends. */
double orr_rank_dense_params(const struct orr_job *job, const struct orr_layer_kind *kind);
double orr_rank_expert_params(const struct orr_job *job, const struct orr_layer_kind *kind);
double orr_rank_embedding_params(const struct orr_job *job);
double orr_rank_head_params(const struct orr_job *job); /* a tied head repeats the matrix on the last stage */
double orr_rank_mtp_params(const struct orr_job *job);  /* around one prediction layer, on the last stage */

/* Model FLOP of one step over the whole system: forward x 3, attention unmasked, no recomputation (Eqs. 20, 21). */
double orr_model_flops(const struct orr_job *job);
/* The same with only the causal half of the attention scores, as some sources count. */
double orr_model_flops_causal(const struct orr_job *job);

/* ---- emitters (emit.c) */

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
    enum orr_op_kind kind; /* GEMM, or GROUPED over `batch` experts */
    double batch, m, n, k; /* forward shape (m, k) x (k, n) */
    bool bias;
    bool last;      /* its output is the layer's: recomputation may skip it */
    bool quantised; /* follows workload.precision; else 16 bit */
};

/* Forward, dgrad, wgrad (Eq. 12), with casts and bias gradient. Returns the index of the dgrad; wgrad is the next. */
int64_t orr_emit_linear(struct orr_emit *emit, struct orr_linear linear);

/* A memory-bound kernel: bytes in forward and in backward (0: none), kernels launched each way. */
struct orr_pointwise_op {
    const char *name, *backward_name;
    enum orr_pointwise kind;
    double forward_bytes, backward_bytes;
    double forward_launches, backward_launches; /* 0 counts as 1 */
    double columns;                             /* softmax: length of a row; 0 elsewhere */
    bool core;                                  /* part of the attention core: repeated by selective recomputation */
};
void orr_emit_pointwise(struct orr_emit *emit, struct orr_pointwise_op op);

/* A collective over a group; nothing if the group has one rank. window_op < 0: exposed. */
void orr_emit_collective(struct orr_emit *emit, const char *name, enum orr_phase phase, enum orr_collective collective,
                         enum orr_group group, double payload_bytes, int64_t window_op);

struct orr_op *orr_emit_op(struct orr_emit *emit, const char *name, enum orr_op_kind kind, enum orr_phase phase);

/* Norm over rows of the hidden size, `elements` numbers in all. */
void orr_emit_norm(struct orr_emit *emit, const char *name, const char *backward_name, double elements, bool rms);
/* Residual add with bias and dropout as the engine fuses them. */
void orr_emit_residual(struct orr_emit *emit);

/* Tensor-parallel collectives around a column-parallel input and a row-parallel output (Eq. 12a). */
void orr_emit_column_input(struct orr_emit *emit, int64_t dgrad, double width);
void orr_emit_column_gather(struct orr_emit *emit, double width);
void orr_emit_row_output(struct orr_emit *emit, double width);

/* May transfers of a group run beside compute where the engine can do so? */
static inline bool orr_may_overlap(const struct orr_plan *plan, enum orr_group group)
{
    return (plan->exposed_groups >> group & 1) == 0;
}

/* Ranks of a group, and the distance between neighbours in global rank order (default order t, c, e, D, p). */
int64_t orr_group_ranks(const struct orr_plan *plan, enum orr_group group);
int64_t orr_group_stride(const struct orr_plan *plan, enum orr_group group);

#endif
