/* One training job -> one result: joins operators, costs, schedule and memory. The only place that does.
 * Method 1 (Eqs. 1, 3), the power rule, bounds, totals. */
#include "predict/scratch.h"
#include "predict/power.h"

#include "base/number.h"
#include "predict/totals.h"

#include <math.h>
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

/* Time of one iteration at a clock, by part. */
struct step {
    struct orr_pipeline pipe;
    struct orr_data_parallel dp;
    double optimizer_s, overhead_s, total_s;
    double matrix_s; /* matrix FLOP of the critical rank, as time at the current clock and full rate */
};

/* Ranks of a stage whose layers equal the previous stage's share its time. */
static void time_ranks(const struct orr_job *job, struct orr_scratch *scratch)
{
    for (int64_t i = 0; i < job->plan.pp; i++) {
        const struct orr_stage *stage = &scratch->stages[i];
        const bool same =
            i > 1 && i < job->plan.pp - 1 && memcmp(stage->n_layers, stage[-1].n_layers, sizeof stage->n_layers) == 0;
        scratch->ranks[i] = same ? scratch->ranks[i - 1] : orr_rank_time_of(job, stage, &scratch->sums);
    }
}

/* Host: an eager framework that launches slower than the GPU executes. Straggling: the slowest of many GPUs. */
static double overhead_s(const struct orr_job *job, const struct orr_scratch *scratch, const struct orr_rank_time *rank,
                         double n_micro_batches, double busy_s)
{
    const double launches =
        n_micro_batches * (rank->forward.launches + rank->recompute.launches + rank->backward.launches) +
        scratch->sums.step_launches;
    const double host_s = orr_max(0, launches * job->engine.host_launch_s - busy_s); /* Eq. 39 */
    const double doublings = orr_max(0, log2((double)job->plan.gpus / (double)job->system.gpus_per_node));
    return host_s + job->engine.host_step_s + busy_s * job->calibration.straggle_frac_per_doubling * doublings;
}

static struct step step_at(const struct orr_job *job, struct orr_scratch *scratch, double n_micro_batches,
                           double clock_frac)
{
    struct step step;
    orr_sums_build(job, &scratch->ops, scratch->costs, clock_frac, &scratch->sums);
    time_ranks(job, scratch);
    step.pipe = orr_pipeline_time(job, scratch->ranks, &scratch->sums, n_micro_batches);
    const struct orr_rank_time *rank = &scratch->ranks[step.pipe.slowest];
    double n_layers = 0;
    for (int64_t k = 0; k < job->model.n_kinds; k++) n_layers += scratch->stages[step.pipe.slowest].n_layers[k];
    step.dp = orr_data_parallel_time(job, &scratch->sums, rank, n_layers);
    step.optimizer_s = scratch->sums.optimizer_s;
    const double busy_s =
        step.pipe.work_s + step.pipe.bubble_s + step.pipe.send_exposed_s + step.dp.exposed_s + step.optimizer_s;
    step.overhead_s = overhead_s(job, scratch, rank, n_micro_batches, busy_s);
    step.total_s = busy_s + step.overhead_s; /* Eq. 1 */
    step.matrix_s =
        n_micro_batches * (rank->forward.matrix_s + rank->recompute.matrix_s + rank->backward.matrix_s) / clock_frac;
    return step;
}

/* The clock moves the matrix share, which moves the clock: u = f(u). Two steps and Aitken's extrapolation land on the
 * fixed point of this nearly straight map. */
static struct step settle(const struct orr_job *job, struct orr_scratch *scratch, double n_micro_batches,
                          double *matrix_frac)
{
    const struct orr_gemm_constants *u = &job->calibration.gemm[job->workload.precision];
    const double first = u->burst_frac;
    struct step step = step_at(job, scratch, n_micro_batches, 1);
    *matrix_frac = first;
    if (job->engine.short_run) return step;
    const double second = orr_sustained_frac(u, step.matrix_s / step.total_s);
    if (second >= first) return step;
    step = step_at(job, scratch, n_micro_batches, second / first);
    const double third = orr_sustained_frac(u, step.matrix_s / step.total_s);
    const double curvature = third - 2 * second + first;
    *matrix_frac = curvature > 0 ? third - (third - second) * (third - second) / curvature : third;
    return step_at(job, scratch, n_micro_batches, *matrix_frac / first);
}

static void fill_time(const struct orr_scratch *scratch, const struct step *step, double m, struct orr_result *result)
{
    const struct orr_rank_time *rank = &scratch->ranks[step->pipe.slowest];
    const struct orr_phase_sum *f = &rank->forward, *r = &rank->recompute, *b = &rank->backward;
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
static void fill_bounds(const struct orr_scratch *scratch, const struct step *step, double m, struct orr_result *result)
{
    const struct orr_rank_time *rank = &scratch->ranks[step->pipe.slowest];
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
    const double m =
        (double)job->workload.global_batch / (double)(job->plan.dp * job->workload.micro_batch); /* Eq. 4 */
    memset(result, 0, offsetof(struct orr_result, memory));
    result->reason[0] = '\0';
    result->n_micro_batches = (int64_t)m;
    orr_stages_build(job, scratch->stages);
    orr_ops_build(job, orr_stages_heaviest(scratch->stages, job->plan.pp), &scratch->ops);
    orr_cost_list(job, &scratch->ops, scratch->costs);
    const struct step step = settle(job, scratch, m, &result->matrix_frac);
    fill_time(scratch, &step, m, result);
    fill_bounds(scratch, &step, m, result);
    result->matrix_share_frac = step.matrix_s / result->step_time_s;
    orr_memory_predict(job, scratch->stages, &result->memory);
    result->fits = result->memory.total_bytes <= result->memory.usable_bytes;
    orr_fill_totals(job, scratch, step.pipe.slowest, result);
}

size_t orr_pipeline_timeline(const struct orr_job *job, const struct orr_scratch *scratch, struct orr_span *spans,
                             size_t n_max)
{
    const int64_t m = job->workload.global_batch / (job->plan.dp * job->workload.micro_batch);
    return orr_pipeline_spans(&job->plan, scratch->ranks, m, spans, n_max);
}
