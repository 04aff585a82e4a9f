/* One training job -> one result: joins operators, costs, schedule and memory. The only place that does.
 * Eqs. 1, 1a, 3, the power rule (Eq. 105), bounds, totals. */
#include "predict/scratch.h"

#include "predict/totals.h"

#include <stdlib.h>
#include <string.h>

struct orr_scratch *orr_scratch_new(void)
{
    return calloc(1, sizeof(struct orr_scratch));
}

void orr_scratch_free(struct orr_scratch *scratch)
{
    free(scratch);
}

size_t orr_scratch_ops(const struct orr_scratch *scratch, const struct orr_op **ops, const struct orr_cost **costs)
{
    *ops = scratch->ops.items;
    *costs = scratch->costs;
    return scratch->ops.n;
}

static void fill_time(const struct orr_rank_time *rank, const struct orr_layer_sum *sum, const struct orr_settled *step,
                      double m, struct orr_result *result)
{
    const struct orr_phase_sum *f = &sum->forward, *r = &sum->recompute, *b = &sum->backward;
    double *time_s = result->time_s, recompute_s = r->compute_s;
    for (int g = 0; g < ORR_N_GROUPS; g++) {
        recompute_s += r->exposed_s[g];
        result->hidden_s[g] = m * (f->hidden_s[g] + r->hidden_s[g] + b->hidden_s[g]);
    }
    time_s[ORR_TIME_FORWARD] = m * f->compute_s;
    time_s[ORR_TIME_BACKWARD] = m * b->compute_s;
    time_s[ORR_TIME_RECOMPUTE] = m * recompute_s;
    time_s[ORR_TIME_TP_EXPOSED] = m * (f->exposed_s[ORR_GROUP_TP] + b->exposed_s[ORR_GROUP_TP]);
    time_s[ORR_TIME_CP_EXPOSED] = m * (f->exposed_s[ORR_GROUP_CP] + b->exposed_s[ORR_GROUP_CP]);
    time_s[ORR_TIME_EP_EXPOSED] = m * (f->exposed_s[ORR_GROUP_EP] + b->exposed_s[ORR_GROUP_EP] +
                                       f->exposed_s[ORR_GROUP_ETP] + b->exposed_s[ORR_GROUP_ETP]);
    time_s[ORR_TIME_PP_EXPOSED] = step->pipe.send_exposed_s;
    time_s[ORR_TIME_PP_BUBBLE] = step->pipe.bubble_s;
    time_s[ORR_TIME_DP_EXPOSED] = step->dp.exposed_s + m * rank->sharded_exposed_s;
    time_s[ORR_TIME_OPTIMIZER] = step->optimizer_s;
    time_s[ORR_TIME_OVERHEAD] = step->overhead_s;
    result->hidden_s[ORR_GROUP_PP] = step->pipe.send_hidden_s;
    result->hidden_s[ORR_GROUP_DP] += step->dp.hidden_s + m * rank->sharded_hidden_s;
    result->step_time_s = 0;
    for (int i = 0; i < ORR_N_TIME_PARTS; i++) result->step_time_s += time_s[i];
}

/* Share of the step held by each resource: kernels by their bound, exposed communication by the network, waiting,
 * host and straggling by overhead. */
static void fill_bounds(const struct orr_layer_sum *rank, double m, struct orr_result *result)
{
    const double *time_s = result->time_s;
    double bound_s[ORR_N_BOUNDS];
    for (int i = 0; i < ORR_N_BOUNDS; i++)
        bound_s[i] = m * (rank->forward.bound_s[i] + rank->recompute.bound_s[i] + rank->backward.bound_s[i]);
    bound_s[ORR_BOUND_DRAM] += time_s[ORR_TIME_OPTIMIZER];
    bound_s[ORR_BOUND_OVERHEAD] += time_s[ORR_TIME_PP_BUBBLE] + time_s[ORR_TIME_OVERHEAD];
    bound_s[ORR_BOUND_NETWORK] = time_s[ORR_TIME_TP_EXPOSED] + time_s[ORR_TIME_CP_EXPOSED] +
                                 time_s[ORR_TIME_EP_EXPOSED] + time_s[ORR_TIME_PP_EXPOSED] +
                                 time_s[ORR_TIME_DP_EXPOSED] + time_s[ORR_TIME_RECOMPUTE] -
                                 m * rank->recompute.compute_s;
    result->bottleneck = ORR_BOUND_COMPUTE;
    for (int i = 0; i < ORR_N_BOUNDS; i++) {
        result->bound_share_frac[i] = bound_s[i] / result->step_time_s;
        if (bound_s[i] > bound_s[result->bottleneck]) result->bottleneck = (enum orr_bound)i;
    }
}

void orr_train(const struct orr_job *job, struct orr_scratch *scratch, struct orr_result *result)
{
    const double m = orr_micro_batches(job), burst_frac = job->calibration.gemm[job->workload.precision].burst_frac;
    const struct orr_classes *classes = &scratch->classes;
    memset(result, 0, offsetof(struct orr_result, memory));
    result->reason[0] = '\0';
    result->n_micro_batches = (int64_t)m;
    orr_stages_build(job, scratch->stages);
    orr_classes_build(scratch->stages, job->plan.pp, &scratch->classes);
    orr_shape_build(job, &scratch->ops, scratch->costs, &scratch->shape);
    const struct orr_iteration iteration = orr_iteration_of(job, orr_classes_heaviest(classes->items, classes->n),
                                                            scratch->ops.n, &scratch->ops, scratch->costs);
    const struct orr_settled step =
        orr_settle(job, &scratch->shape, &iteration.sums, classes->items, classes->n, scratch->ranks);
    scratch->slowest = step.pipe.slowest;
    orr_sums_build(job, &scratch->ops, scratch->costs, step.matrix_frac / burst_frac, &scratch->sums);
    const struct orr_stage *stage = &classes->items[step.pipe.slowest].stage;
    const struct orr_layer_sum sum = orr_rank_sum_of(job, stage, &scratch->sums);
    fill_time(&scratch->ranks[step.pipe.slowest], &sum, &step, m, result);
    fill_bounds(&sum, m, result);
    result->matrix_frac = step.matrix_frac;
    result->matrix_share_frac = step.matrix_s / result->step_time_s;
    orr_memory_predict(job, classes, &result->memory);
    result->fits = result->memory.total_bytes <= result->memory.usable_bytes;
    const struct orr_work work = orr_rank_work(job, &scratch->shape, &iteration, stage);
    orr_fill_totals(job, classes, &work, result);
}

size_t orr_pipeline_timeline(const struct orr_job *job, const struct orr_scratch *scratch, struct orr_span *spans,
                             size_t n_max)
{
    struct orr_rank_time ranks[ORR_MAX_STAGES];
    for (int64_t i = 0; i < job->plan.pp; i++) ranks[i] = scratch->ranks[scratch->classes.of_rank[i]];
    return orr_pipeline_spans(&job->plan, ranks, (int64_t)orr_micro_batches(job), spans, n_max);
}
