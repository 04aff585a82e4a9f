/* costed operators -> time of one iteration: sums per layer kind, pipeline schedules in closed form and as an event
 * simulation, exposed and hidden communication. Method 5.4, 6. */
#ifndef ORR_SCHEDULE_SCHEDULE_H
#define ORR_SCHEDULE_SCHEDULE_H

#include "cost/cost.h"

/* What a phase of one layer (or end) costs, once. */
struct orr_phase_sum {
    double compute_s;               /* kernels, at the current clock */
    double matrix_s;                /* its matrix FLOP at the burst rate */
    double wgrad_s;                 /* of it, weight gradients */
    double exposed_s[ORR_N_GROUPS]; /* collectives not hidden by an operator */
    double hidden_s[ORR_N_GROUPS];
    double sharded_s; /* ZeRO-3 collectives of the layer, to be hidden under its compute */
    double launches;
    double bound_s[ORR_N_BOUNDS]; /* compute_s by what binds */
};

struct orr_layer_sum {
    struct orr_phase_sum forward, recompute, backward;
};

/* Layer kinds, then the two ends. */
#define ORR_SUM_EMBEDDING ORR_MAX_LAYER_KINDS
#define ORR_SUM_HEAD      (ORR_MAX_LAYER_KINDS + 1)
#define ORR_N_SUMS        (ORR_MAX_LAYER_KINDS + 2)

struct orr_sums {
    struct orr_layer_sum layer[ORR_N_SUMS];
    double send_s, send_backward_s; /* one pipeline boundary */
    double scatter_s, gather_s;     /* gradient reduction; weight gathering (ZeRO-1, 2) */
    double tie_s;                   /* tied embedding gradients between the ends */
    double optimizer_s;
    double step_launches;
};

/* Add the costs up with matrix kernels at `clock_frac` of the burst clock. */
void orr_sums_build(const struct orr_job *job, const struct orr_op_list *list, const struct orr_cost *costs,
                    double clock_frac, struct orr_sums *sums);

/* One pipeline rank, one micro-batch. */
struct orr_rank_time {
    struct orr_phase_sum forward, recompute, backward; /* whole rank */
    double sharded_exposed_s, sharded_hidden_s;        /* ZeRO-3 */
    double forward_s, backward_s;                      /* with exposed collectives; backward with recomputation */
};
struct orr_rank_time orr_rank_time_of(const struct orr_job *job, const struct orr_stage *stage,
                                      const struct orr_sums *sums);

/* Iteration of m micro-batches through the ranks: the slowest rank's own work, and the rest (fill, drain, waiting). */
struct orr_pipeline {
    int64_t slowest; /* rank whose work sets the pace */
    double work_s;   /* m * (forward + backward) of that rank */
    double bubble_s;
    double send_exposed_s, send_hidden_s;
};
struct orr_pipeline orr_pipeline_time(const struct orr_job *job, const struct orr_rank_time *ranks,
                                      const struct orr_sums *sums, double n_micro_batches);

/* Event simulation of the same pipeline: spans of every rank in execution order; returns how many there are. */
size_t orr_pipeline_spans(const struct orr_plan *plan, const struct orr_rank_time *ranks, int64_t n_micro_batches,
                          struct orr_span *spans, size_t n_max);

/* Gradient and weight collectives against the compute they may run beside (Eqs. 76, 77). */
struct orr_data_parallel {
    double exposed_s, hidden_s;
};
struct orr_data_parallel orr_data_parallel_time(const struct orr_job *job, const struct orr_sums *sums,
                                                const struct orr_rank_time *rank, double n_layers);

#endif
