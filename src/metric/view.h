/* What a report looks at: one prediction, and its operators as the critical pipeline rank runs them. */
#ifndef ORR_METRIC_VIEW_H
#define ORR_METRIC_VIEW_H

#include "predict/scratch.h"

struct orr_view {
    const struct orr_job *job;
    const struct orr_result *result;
    const struct orr_scratch *scratch; /* of this prediction */
    size_t class;                      /* of pipeline ranks whose work sets the pace */
    int64_t rank;                      /* the first of them: the critical rank */
    struct orr_layer_sum sum;          /* its layers and ends, one micro-batch */
    double clock_frac;                 /* matrix clock over the burst clock (power rule) */
    const struct orr_span *spans;      /* only for the timeline dump and the page */
    size_t n_spans;
    const struct orr_what_if *what_ifs; /* only for the terminal */
    size_t n_what_ifs;
};

struct orr_view orr_view_of(const struct orr_job *job, const struct orr_scratch *scratch,
                            const struct orr_result *result);

/* Times of the critical rank for one micro-batch. */
const struct orr_rank_time *orr_view_rank_time(const struct orr_view *view);

/* How often operator i runs in one step on the critical rank, not counting recomputation. */
double orr_view_runs(const struct orr_view *view, size_t i);
/* Seconds one run of operator i takes at the clock of the step, without what is hidden beside other work. */
double orr_view_run_s(const struct orr_view *view, size_t i);
/* Seconds of the step that operator i spends in `part` on the critical rank. */
double orr_view_part_s(const struct orr_view *view, size_t i, enum orr_time_part part);

/* Operators of one name, phase and shape, taken together: `first` stands for all. */
struct orr_alike {
    size_t first;
    double runs;   /* executions in a step on the critical rank, in the parts asked for */
    double step_s; /* seconds they take there */
};
/* Do two operators differ in nothing but their layer kind and count? */
bool orr_ops_alike(const struct orr_op *a, const struct orr_op *b);
/* Keep the `n_max` heaviest groups in order; returns the new number. */
size_t orr_alike_insert(struct orr_alike *alike, size_t n, size_t n_max, struct orr_alike next);
/* The heaviest such groups of one part of the step, or of all parts (ORR_N_TIME_PARTS); returns how many, at most
 * n_max. Heaviest first. */
size_t orr_view_heaviest(const struct orr_view *view, enum orr_time_part part, size_t n_max, struct orr_alike *alike);

/* Seconds one micro-batch spends in collectives of `group` on the critical rank, hidden ones not counted. */
double orr_view_exposed_s(const struct orr_view *view, enum orr_group group);
/* Pairs of pipeline sends a step waits for (Eq. 74). */
double orr_view_send_pairs(const struct orr_view *view);
/* Gradient and weight collectives of a step on the critical rank, hidden ones in. */
double orr_view_data_parallel_s(const struct orr_view *view);
/* Kernels launched in a step on the critical rank. */
double orr_view_launches(const struct orr_view *view);

#endif
