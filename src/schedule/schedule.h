/* costed operators -> time of one iteration: sums per layer kind, pipeline schedules in closed form and as an event
 * simulation, exposed and hidden communication. Eqs. 64-77. */
#ifndef ORR_SCHEDULE_SCHEDULE_H
#define ORR_SCHEDULE_SCHEDULE_H

#include "cost/cost.h"

/* Collectives of ZeRO-3 weights and gradients: hidden per layer, not per operator. */
static inline bool orr_sharded_group(enum orr_group group)
{
    return group == ORR_GROUP_DP || group == ORR_GROUP_EDP || group == ORR_GROUP_RDP;
}

/* Layer kinds, then the two ends and what surrounds a multi-token prediction layer. */
#define ORR_SUM_EMBEDDING ORR_MAX_LAYER_KINDS
#define ORR_SUM_HEAD      (ORR_MAX_LAYER_KINDS + 1)
#define ORR_SUM_MTP       (ORR_MAX_LAYER_KINDS + 2)
#define ORR_N_ENDS        3
#define ORR_N_SUMS        (ORR_MAX_LAYER_KINDS + ORR_N_ENDS)

/* Where the operators of a layer kind or end are added up. */
static inline int64_t orr_sum_index(int64_t layer_kind)
{
    if (layer_kind == ORR_LAYER_EMBEDDING) return ORR_SUM_EMBEDDING;
    if (layer_kind == ORR_LAYER_HEAD) return ORR_SUM_HEAD;
    return layer_kind == ORR_LAYER_MTP ? ORR_SUM_MTP : layer_kind;
}

/* What happens once per iteration or per pipeline boundary. */
struct orr_step_sums {
    double send_s, send_backward_s; /* one pipeline boundary */
    double scatter_s, gather_s;     /* gradient reduction; weight gathering (ZeRO-1, 2) */
    double tie_s;                   /* tied embedding gradients between the ends */
    double optimizer_s;
    double launches;
};
/* Of the operators from `first` on. */
struct orr_step_sums orr_step_sums_of(const struct orr_op_list *list, size_t first, const struct orr_cost *costs);

/* Times of layers as functions of the clock alone: kernels the clock stretches, kernels it does not touch, and the few
 * whose bound changes on the way. A prediction asks for several clocks, a search for the same layers many times. */
struct orr_bend {
    double compute_s, l2_s, dram_s;
    bool partial;
    double forward, backward, wgrad; /* executions in each phase; backward including recomputation */
};
struct orr_layer_curve {
    double forward_s, backward_s, wgrad_s;                   /* whatever the clock */
    double forward_clock_s, backward_clock_s, wgrad_clock_s; /* at the burst clock; stretched by its inverse */
    double forward_exposed_s, backward_exposed_s;            /* collectives */
    double forward_sharded_s, backward_sharded_s;            /* ZeRO-3 */
    double matrix_s, launches;
    size_t first_bend, n_bends;
};
/* Add an operator to a curve whose bends begin at `bends`. `clock_min`: the lowest clock that will be asked for. A
 * serving pass is all forward, with op->count executions. */
void orr_curve_add(struct orr_layer_curve *curve, struct orr_bend *bends, const struct orr_op *op,
                   const struct orr_cost *cost, double clock_min);

struct orr_curves {
    struct orr_layer_curve layer[ORR_N_SUMS];
    struct orr_bend bends[ORR_MAX_OPS];
};
void orr_curves_build(const struct orr_job *job, const struct orr_op_list *list, const struct orr_cost *costs,
                      double clock_min, struct orr_curves *curves);

/* One pipeline rank, or one layer, and one micro-batch at some clock. */
struct orr_rank_time {
    double forward_s, backward_s; /* with exposed collectives; backward with recomputation */
    double wgrad_s;               /* of backward, weight gradients */
    double matrix_s;              /* matrix FLOP at the burst rate */
    double launches;
    double sharded_exposed_s;   /* ZeRO-3; this part is in backward_s */
    double sharded_hidden_s[2]; /* ZeRO-3, beside the compute of forward and of backward */
    double ranks;               /* ranks of the pipeline that take the same */
};
struct orr_rank_time orr_curve_at(const struct orr_job *job, const struct orr_layer_curve *curve,
                                  const struct orr_bend *bends, double clock_frac);
/* Every layer kind and end at a clock. */
void orr_layer_times(const struct orr_job *job, const struct orr_curves *curves, double clock_frac,
                     struct orr_rank_time layers[ORR_N_SUMS]);
struct orr_rank_time orr_rank_time_of(const struct orr_job *job, const struct orr_rank_class *class,
                                      const struct orr_rank_time layers[ORR_N_SUMS]);

/* Do pipeline sends of the steady state run beside other chunks? */
bool orr_sends_overlap(const struct orr_job *job);
/* Pairs of sends, one forward and one backward, that a step waits for, and that run beside compute (Eq. 74). */
struct orr_send_pairs {
    double exposed, hidden;
};
struct orr_send_pairs orr_send_pairs_of(const struct orr_job *job, double n_micro_batches);
/* Iteration of m micro-batches through the ranks: the slowest rank's own work, and the rest (fill, drain, waiting). */
struct orr_pipeline {
    size_t slowest; /* class of ranks whose work sets the pace */
    double work_s;  /* m * (forward + backward) of such a rank */
    double bubble_s;
    double send_exposed_s, send_hidden_s;
};
struct orr_pipeline orr_pipeline_time(const struct orr_job *job, const struct orr_rank_time *classes, size_t n_classes,
                                      const struct orr_step_sums *step, double n_micro_batches);

/* Event simulation of the same pipeline: spans of every rank in execution order; returns how many there are. */
size_t orr_pipeline_spans(const struct orr_plan *plan, const struct orr_rank_time *ranks, int64_t n_micro_batches,
                          struct orr_span *spans, size_t n_max);

/* Gradient and weight collectives against the compute they may run beside (Eqs. 76, 77). */
struct orr_data_parallel {
    double exposed_s;
    double scatter_hidden_s, gather_hidden_s; /* of the gradients' and of the weights' collectives */
};
struct orr_data_parallel orr_data_parallel_time(const struct orr_job *job, const struct orr_step_sums *step,
                                                const struct orr_rank_time *rank, double n_layers);

#endif
