/* model + plan + workload -> operator list of one rank: shapes, FLOP, bytes, collectives.
 * Every layer kind is listed once; the schedule multiplies by layers and micro-batches. */
#ifndef ORR_OPS_OPS_H
#define ORR_OPS_OPS_H

#include "ops/states.h"
#include "spec/plan.h"
#include "spec/names.h"

#define ORR_MAX_OPS 1024

struct orr_op_list {
    size_t n;
    struct orr_op items[ORR_MAX_OPS];
};

/* Sizes that all emitters use, worked out once per job or pass. Single letters are those of docs/equations.md. */
struct orr_dims {
    double h;               /* hidden size */
    double t, c, e, te;     /* tensor, context, expert, expert-tensor degree */
    double b, s;            /* sequences with many queries (micro-batch, prompts) and the queries of each */
    double context;         /* keys that each of these sequences already has in the cache */
    double decoding;        /* sequences that decode */
    double decode_context;  /* keys of each decoding sequence */
    double queries;         /* queries of each decoding sequence */
    double T;               /* rows of the weight products on one rank: b s / c and the decoding queries */
    double T_prompt;        /* b s / c alone */
    double T_norm;          /* rows of the norms on one rank: T / t with sequence parallel, else T */
    double T_head;          /* rows that go through the output head */
    double T_routed;        /* tokens that one rank routes to experts */
    double T_sent;          /* tokens that one rank sends to the ranks of their experts; 0: none are sent */
    double T_group;         /* tokens whose experts one expert group holds */
    double w_a, w_c;        /* bytes of an activation and of a communicated element */
    double w_p;             /* bytes of a weight that is not quantised, and of an activation unless one is asked for */
    double w_s;             /* bytes of an operand of attention: query, key, value */
    enum orr_dtype core;    /* format of the products of attention */
    double w_m, w_w;        /* bytes of an input and of a stored weight of a quantised product */
    double cast_bytes;      /* traffic of the kernel that quantises one input element; 0: there is none */
    double vocab;           /* rows of the head's matrix on one rank */
    double m;               /* micro-batches per replica (Eq. 4) */
    bool low_precision;     /* GEMM inputs are quantised: 8 bits or fewer */
    enum orr_dtype matrix;  /* format of the quantised weight products */
    enum orr_dtype dtype16; /* format of everything else */
};
/* What a stated traffic of activations becomes in the format that was asked for (Eq. 279). */
static inline double orr_narrowed_frac(const struct orr_dims *d)
{
    return d->w_a / d->w_p;
}
/* The sizes of a training job. */
struct orr_dims orr_dims_of(const struct orr_job *job);
/* The sizes of the tower's layers, for so many sequences; and the ranks that share one of its layers. */
struct orr_dims orr_tower_dims(const struct orr_job *job, double sequences);
double orr_tower_ranks(const struct orr_job *job);
/* Input rows of a product of the tower per position. */
static inline double orr_tower_rows(const struct orr_tower_product *product)
{
    return (double)product->rows / (double)product->joined;
}
/* Micro-batches of one replica in a step (Eq. 4). */
double orr_micro_batches(const struct orr_job *job);
/* Do gradients of ZeRO-2 and ZeRO-3 add up whole over the micro-batches of a step, to be scattered once? They have the
 * format of the reduction then (Eq. 370). */
static inline bool orr_adds_whole_gradients(const struct orr_job *job)
{
    const struct orr_plan *plan = &job->plan;
    if (plan->zero < 2 || plan->zero_group < 2 || job->workload.optimizer_in_backward) return false;
    switch (job->engine.whole_gradients) {
    case ORR_WHOLE_NEVER: return false;
    case ORR_WHOLE_PIPELINES: return plan->pp > 1;
    case ORR_WHOLE_ACCUMULATION: return plan->pp > 1 || orr_micro_batches(job) > 1;
    case ORR_N_WHOLE_GRADIENTS: break;
    }
    return false;
}

/* What one pipeline rank holds. */
struct orr_stage {
    double n_layers[ORR_MAX_LAYER_KINDS]; /* layers of each kind */
    double dense_params, expert_params;   /* on one rank, including the ends */
    double trained_dense, trained_expert; /* of these, or of adapters beside them, what is trained */
    double matrix_params, adapter_params; /* matrices of the layers outside experts; adapters */
    bool embedding, head;
    double n_mtp;        /* multi-token prediction layers, which n_layers includes; 0 except where the head is */
    double skipped_frac; /* share of its layers that a micro-batch does not pass: half where it holds two stages of a
                            pipeline that is fed from both ends */
};
/* Layers of chunk i of pp * vpp, counted along the pipeline; not where the engine balances costs. */
int64_t orr_chunk_layers(const struct orr_job *job, int64_t i);
/* Layers of each kind in the whole model. */
void orr_count_layers(const struct orr_model *model, double n_layers[ORR_MAX_LAYER_KINDS]);
/* Fill in the layers of all plan.pp pipeline ranks. Where layers do not divide evenly, the chunks after the first get
 * one layer more, so that the chunks that also hold the embedding or the head stay light. */
void orr_stages_build(const struct orr_job *job, struct orr_stage *stages);
/* Count the parameters of a stage whose layers are known. */
void orr_stage_count(const struct orr_job *job, struct orr_stage *stage);

/* A class of pipeline ranks that hold the same layers and ends, so that their times and bytes are worked out once. */
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
/* The rank with the most parameters. Its optimizer and gradient collectives set those of the step. */
const struct orr_stage *orr_classes_heaviest(const struct orr_rank_class *classes, size_t n_classes);

/* Operators of every layer kind and of both ends. They depend on how a layer is cut, not on the number of layers. */
void orr_ops_layers(const struct orr_job *job, struct orr_op_list *list);
/* Operators that a whole iteration adds: pipeline sends, gradient collectives, optimizer. */
void orr_ops_iteration(const struct orr_job *job, const struct orr_stage *heaviest, struct orr_op_list *list);

/* Experts that the ranks of an expert group hold together: all experts, plus copies up to a multiple of ep where the
 * engine has moe_redundant. */
int64_t orr_expert_places(const struct orr_job *job, const struct orr_layer_kind *kind);
/* Parameters one rank holds: of one layer of a kind without its routed experts, of those experts, and of the ends. */
double orr_rank_dense_params(const struct orr_job *job, const struct orr_layer_kind *kind);
double orr_dense_params_of(const struct orr_model *model, const struct orr_layer_kind *kind, double ranks);
double orr_rank_expert_params(const struct orr_job *job, const struct orr_layer_kind *kind);
double orr_rank_embedding_params(const struct orr_job *job);
double orr_rank_head_params(const struct orr_job *job);       /* the last stage has a copy of a tied matrix */
double orr_rank_tower_params(const struct orr_job *job);      /* the tower, on the first stage */
double orr_rank_tower_edge_params(const struct orr_job *job); /* of these, what is outside its layers */
double orr_rank_mtp_params(const struct orr_job *job);        /* input of one prediction layer, on the last stage */
/* Do pipeline stages have equal work instead of equal layers? The plan may say; else the engine does. A given list of
 * layers comes first. */
static inline bool orr_stages_by_cost(const struct orr_job *job)
{
    const struct orr_plan *plan = &job->plan;
    const bool asked = plan->stages == ORR_STAGES_ENGINE ? job->engine.stages_by_cost : plan->stages == ORR_STAGES_COST;
    return job->kind == ORR_JOB_TRAIN && asked && plan->pp > 1 && plan->vpp == 1 && plan->n_stage_layers == 0 &&
           !orr_is_dual(plan->schedule);
}

/* Model FLOP of one step of the whole system: 3 times forward, unmasked attention, no recomputation (Eqs. 20, 21). */
double orr_model_flops(const struct orr_job *job);
/* Forward FLOP of the tower for one sequence (Eq. 124); 0: the tower is no part of the job. */
double orr_tower_flops(const struct orr_job *job);
/* Model FLOP with only the causal half of the attention scores, as some sources count. */
double orr_model_flops_causal(const struct orr_job *job);

/* Bytes per second between a GPU and its host, each way, or on to the drives that the GPUs of a host share (Eq.
 * 144). */
static inline double orr_host_rate(const struct orr_job *job, bool drives)
{
    const double link = job->system.host_link_bytes_per_s, share = job->system.nvme_bytes_per_s / orr_gpus_of_host(job);
    return drives && share < link ? share : link;
}

/* Does the plan let transfers of a group run beside compute where the engine can hide them? */
static inline bool orr_may_overlap(const struct orr_plan *plan, enum orr_group group)
{
    return (plan->exposed_groups >> group & 1) == 0;
}

/* Ranks of a group, and the distance between neighbours in global rank order (default order t, c, e, D, p). */
int64_t orr_group_ranks(const struct orr_plan *plan, enum orr_group group);
/* Rows of the busiest expert rank over the mean (Eq. 235): with a capacity all experts have that many. */
static inline double orr_rows_frac(const struct orr_workload *workload)
{
    return workload->moe_capacity > 0 ? workload->moe_capacity : workload->moe_imbalance;
}
/* The ranks of one collective: of its group, or fewer. */
static inline int64_t orr_op_ranks(const struct orr_plan *plan, const struct orr_op *op)
{
    return op->ranks > 0 ? op->ranks : orr_group_ranks(plan, op->group);
}
int64_t orr_group_stride(const struct orr_plan *plan, enum orr_group group);

#endif
