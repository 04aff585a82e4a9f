/* From costed operators to the time of one iteration: sums per layer kind, pipeline schedules in closed form and as an
 * event simulation, and exposed and hidden communication. Eqs. 64-77. */
#ifndef ORR_SCHEDULE_SCHEDULE_H
#define ORR_SCHEDULE_SCHEDULE_H

#include "cost/cost.h"

/* Is the group that of ZeRO-3's weights and gradients, or of offloaded tensors? Their transfers are hidden per
 * layer, not per operator. */
static inline bool orr_sharded_group(enum orr_group group)
{
    return group == ORR_GROUP_DP || group == ORR_GROUP_EDP || group == ORR_GROUP_RDP || group == ORR_GROUP_HOST;
}

/* The layer kinds are followed by the two ends, by what surrounds a multi-token prediction layer, and by the tower. */
#define ORR_SUM_EMBEDDING ORR_MAX_LAYER_KINDS
#define ORR_SUM_HEAD      (ORR_MAX_LAYER_KINDS + 1)
#define ORR_SUM_MTP       (ORR_MAX_LAYER_KINDS + 2)
#define ORR_SUM_TOWER     (ORR_MAX_LAYER_KINDS + 3)
#define ORR_N_ENDS        4
#define ORR_N_SUMS        (ORR_MAX_LAYER_KINDS + ORR_N_ENDS)

/* The index of a layer kind or end in arrays of ORR_N_SUMS. */
static inline int64_t orr_sum_index(int64_t layer_kind)
{
    if (layer_kind == ORR_LAYER_EMBEDDING) return ORR_SUM_EMBEDDING;
    if (layer_kind == ORR_LAYER_HEAD) return ORR_SUM_HEAD;
    if (layer_kind == ORR_LAYER_TOWER) return ORR_SUM_TOWER;
    return layer_kind == ORR_LAYER_MTP ? ORR_SUM_MTP : layer_kind;
}

/* The times of what runs once per iteration or per pipeline boundary. */
struct orr_step_sums {
    double send_s, send_backward_s; /* at one pipeline boundary */
    double scatter_s, gather_s;     /* gradient reduction; weight gathering (ZeRO-1, 2) */
    double tie_s;                   /* tied embedding gradients, exchanged between the ends */
    double optimizer_s;
    double launches;
};
/* The sums of the operators from `first` on. */
struct orr_step_sums orr_step_sums_of(const struct orr_op_list *list, size_t first, const struct orr_cost *costs);

/* The times of layers as functions of the clock alone: kernels that the clock stretches, kernels that it does not
 * change, and the few whose bound changes between. A prediction needs several clocks, and a search needs the same
 * layers many times. */
struct orr_bend {
    double compute_s, l2_s, dram_s;
    bool partial;
    double forward, backward, wgrad; /* executions in each phase; backward includes recomputation */
};
struct orr_layer_curve {
    double forward_s, backward_s, wgrad_s; /* at any clock */
    /* at the burst clock; divided by the clock_frac asked for */
    double forward_clock_s, backward_clock_s, wgrad_clock_s;
    double forward_exposed_s, backward_exposed_s; /* exposed collectives */
    double forward_sharded_s, backward_sharded_s; /* collectives of ZeRO-3 */
    /* How long other collectives use the links inside a domain and the NICs between domains, hidden or not. */
    double forward_links_s[2], backward_links_s[2];
    bool sharded_uses[2]; /* Do those of ZeRO-3 use these links? */
    double matrix_s, launches;
    double host_s[3]; /* seconds the host needs to launch forward, backward, and of that weight gradients (Eq. 127) */
    size_t first_bend, n_bends;
};
/* Add an operator to a curve whose bends begin at `bends`. `clock_min` is the lowest clock that will be asked for. A
 * serving pass is all forward, with op->count executions. */
void orr_curve_add(struct orr_layer_curve *curve, struct orr_bend *bends, const struct orr_op *op,
                   const struct orr_cost *cost, double clock_min);

struct orr_curves {
    struct orr_layer_curve layer[ORR_N_SUMS];
    struct orr_bend bends[ORR_MAX_OPS];
};
void orr_curves_build(const struct orr_job *job, const struct orr_op_list *list, const struct orr_cost *costs,
                      double clock_min, struct orr_curves *curves);

/* One micro-batch on one pipeline rank, or in one layer, at some clock. */
struct orr_rank_time {
    double forward_s, backward_s; /* including exposed collectives; backward includes recomputation */
    double wgrad_s;               /* weight gradients, a part of backward_s */
    double matrix_s;              /* matrix FLOP at the burst rate */
    double kernel_s;              /* kernels of both phases, without collectives */
    double launches;
    double host_s[3];         /* seconds the host needs for forward, for backward, and of that for weight gradients */
    double host_wait_s[2];    /* of a rank: how much longer the host takes than the device, a part of these two times */
    double sharded_exposed_s; /* exposed ZeRO-3 collectives, a part of backward_s */
    double gathered_s;        /* of these, gathers of weights that stay, which every stage runs at the same time */
    double nic_s;             /* backward: how long collectives of the layers use the NICs between domains */
    double freed_frac;        /* share of ZeRO-3 collectives exposed beside the device that waits for the host hide */
    double sharded_hidden_s[2]; /* ZeRO-3 collectives beside the compute of forward and of backward */
    double ranks;               /* how many ranks of the pipeline have these times */
};
struct orr_rank_time orr_curve_at(const struct orr_job *job, const struct orr_layer_curve *curve,
                                  const struct orr_bend *bends, double clock_frac);
/* The time of every layer kind and end at a clock. */
void orr_layer_times(const struct orr_job *job, const struct orr_curves *curves, double clock_frac,
                     struct orr_rank_time layers[ORR_N_SUMS]);
struct orr_rank_time orr_rank_time_of(const struct orr_job *job, const struct orr_rank_class *class,
                                      const struct orr_rank_time layers[ORR_N_SUMS]);

/* Do the pipeline sends of the steady state run beside other chunks? */
bool orr_sends_overlap(const struct orr_job *job);
/* Pairs of sends, one forward and one backward: those that a step waits for, and those beside compute (Eq. 74). */
struct orr_send_pairs {
    double exposed, hidden;
};
struct orr_send_pairs orr_send_pairs_of(const struct orr_job *job, double n_micro_batches);
/* The iteration of m micro-batches through the ranks: the work of the slowest rank, and fill, drain and waiting. */
struct orr_pipeline {
    size_t slowest; /* class of ranks whose work sets the pace */
    double work_s;  /* m * (forward + backward) of such a rank */
    double bubble_s;
    double send_exposed_s, send_hidden_s;
};
struct orr_pipeline orr_pipeline_time(const struct orr_job *job, const struct orr_rank_time *classes, size_t n_classes,
                                      const struct orr_step_sums *step, double n_micro_batches);

struct orr_span {
    const char *name; /* "F", "B", "W" */
    int64_t rank, chunk, micro_batch;
    double start_s, end_s;
};
/* An event simulation of the same pipeline. It lists the spans of every rank in execution order and returns their
 * number. */
size_t orr_pipeline_spans(const struct orr_plan *plan, const struct orr_rank_time *ranks, int64_t n_micro_batches,
                          struct orr_span *spans, size_t n_max);

/* The exposed and hidden time of the gradient and weight collectives beside compute (Eqs. 76, 77). */
struct orr_data_parallel {
    double exposed_s;
    double scatter_hidden_s, gather_hidden_s; /* gradient collectives; weight collectives */
};
struct orr_data_parallel orr_data_parallel_time(const struct orr_job *job, const struct orr_step_sums *step,
                                                const struct orr_rank_time *rank, double n_layers);

#endif
