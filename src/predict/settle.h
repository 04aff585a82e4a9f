/* A plan is timed from parts that other plans may share: the layers' costs (shape), what an iteration adds, and the
 * classes of pipeline ranks. A prediction builds all three; a search rebuilds each part only when it changes. */
#ifndef ORR_PREDICT_SETTLE_H
#define ORR_PREDICT_SETTLE_H

#include "predict/work.h"
#include "schedule/schedule.h"

/* A shape has the costs of each layer kind and end once. It depends on how a layer is cut (tp, cp, ep, etp, sp,
 * micro-batch, recomputation, formats), not on how many layers, stages or replicas there are. With ZeRO-3 it also
 * depends on the group that shards. */
struct orr_shape {
    struct orr_curves curves;
    struct orr_work work[ORR_N_SUMS];
};
/* Fills `list` and `costs` with the operators of layers and ends. */
void orr_shape_build(const struct orr_job *job, struct orr_op_list *list, struct orr_cost *costs,
                     struct orr_shape *shape);

/* An iteration adds pipeline sends, gradient collectives and the optimizer. */
struct orr_iteration {
    struct orr_step_sums sums;
    struct orr_work work; /* work in one iteration */
};
/* Appends the operators of the iteration after the first `n_layer_ops`. */
struct orr_iteration orr_iteration_of(const struct orr_job *job, const struct orr_stage *heaviest, size_t n_layer_ops,
                                      struct orr_op_list *list, struct orr_cost *costs);

/* This is the time of one iteration, by part, at the clock the power limit leaves. */
struct orr_settled {
    struct orr_pipeline pipe;
    struct orr_data_parallel dp;
    double busy_s;  /* all but the overhead */
    double paced_s; /* kernels of the passes, of the rank that has most of them */
    double optimizer_s, overhead_s, total_s;
    double matrix_s;   /* matrix FLOP of the rank that has most, as time at the settled clock and full rate */
    double clock_frac; /* settled clock over the burst clock */
    double launches;   /* kernels of the critical rank */
    /* These are parts of overhead_s. */
    double host_wait_s[3]; /* the GPU waits for launches: forward passes, backward passes, and after them */
    double host_step_s;    /* host time once per step */
    double straggle_s;     /* the wait for the slowest of all GPUs */
};
/* `ranks` receives the times of every class. */
struct orr_settled orr_settle(const struct orr_job *job, const struct orr_shape *shape,
                              const struct orr_step_sums *step, const struct orr_rank_class *classes, size_t n_classes,
                              struct orr_rank_time *ranks);

/* Returns the work of the rank that sets the pace, in one iteration. */
struct orr_work orr_rank_work(const struct orr_job *job, const struct orr_shape *shape,
                              const struct orr_iteration *iteration, const struct orr_stage *stage);

#endif
