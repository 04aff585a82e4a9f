/* This file turns shared parts into the time of one iteration under the power limit. Eqs. 1, 104, 105, 126. */
#include "predict/settle.h"

#include "base/number.h"
#include "ops/adapter.h"
#include "predict/power.h"
#include "schedule/slowest.h"

#include <string.h>

/* ---------------------------------------------------------------- parts */

void orr_shape_build(const struct orr_job *job, struct orr_op_list *list, struct orr_cost *costs,
                     struct orr_shape *shape)
{
    orr_ops_layers(job, list);
    orr_cost_list(job, list, costs);
    orr_curves_build(job, list, costs, orr_clock_min(job, job->workload.precision), &shape->curves);
    memset(shape->work, 0, sizeof shape->work);
    for (size_t i = 0; i < list->n; i++) {
        const struct orr_op *op = &list->items[i];
        orr_work_add_op(job, op, &costs[i], op->count * (1 + op->recomputed * op->repeat_frac),
                        &shape->work[orr_sum_index(op->layer_kind)]);
    }
}

struct orr_iteration orr_iteration_of(const struct orr_job *job, const struct orr_stage *heaviest, size_t n_layer_ops,
                                      struct orr_op_list *list, struct orr_cost *costs)
{
    list->n = n_layer_ops;
    orr_ops_iteration(job, heaviest, list);
    orr_cost_range(job, list, n_layer_ops, costs);
    struct orr_iteration iteration = {.sums = orr_step_sums_of(list, n_layer_ops, costs)};
    const double m = orr_micro_batches(job);
    for (size_t i = n_layer_ops; i < list->n; i++) {
        const struct orr_op *op = &list->items[i];
        orr_work_add_op(job, op, &costs[i], op->phase == ORR_PHASE_STEP ? op->count : op->count * m, &iteration.work);
    }
    return iteration;
}

/* ---------------------------------------------------------------- time */

/* Engines that gather the weights of ZeRO-1 tensor by tensor and rank by rank spend host time on each (Eq. 130). */
static double gather_host_s(const struct orr_job *job, double n_layers)
{
    const double ranks = (double)orr_group_ranks(&job->plan, ORR_GROUP_DP);
    const double tensors = n_layers * (double)job->engine.layer_tensors + 2; /* the tables at the ends */
    return job->plan.zero == 1 && ranks > 1 ? job->engine.zero1_tensor_s * tensors * ranks : 0;
}

/* The kernels of all micro-batches, on the rank that has most of them. */
static double longest_kernels_s(const struct orr_rank_time *ranks, size_t n_classes, double n_micro_batches)
{
    double longest_s = 0;
    for (size_t i = 0; i < n_classes; i++) longest_s = orr_max(longest_s, n_micro_batches * ranks[i].kernel_s);
    return longest_s;
}

/* The matrix FLOP of all micro-batches at the burst rate, on the rank that has most of them. That it is the same rank
 * at every clock leaves a single clock that fits the power limit (Eq. 105). */
static double most_matrix_s(const struct orr_rank_time *ranks, size_t n_classes, double n_micro_batches)
{
    double most_s = 0;
    for (size_t i = 0; i < n_classes; i++) most_s = orr_max(most_s, n_micro_batches * ranks[i].matrix_s);
    return most_s;
}

/* The host adds time where it launches slower than the GPU executes: in the phases of the pipeline, which have it in
 * their times, and once more after them, beside gradient collectives and optimizer (Eq. 126). Straggling is the wait
 * for the slowest of all GPUs (Eq. 39): under its power limit a slow chip runs at a lower clock, which makes it late
 * with its kernels, not with transfers or the optimizer, and the bubble passes through slow and fast ones. */
static void add_overhead(const struct orr_job *job, const struct orr_rank_time *rank, double n_layers, double launches,
                         struct orr_settled *step)
{
    const double m = orr_micro_batches(job), after_s = step->dp.exposed_s + step->optimizer_s;
    for (int i = 0; i < 2; i++) step->host_wait_s[i] = m * rank->host_wait_s[i];
    step->host_wait_s[2] = orr_max(0, launches * job->engine.host_launch_s / job->system.host_speed - after_s);
    step->host_step_s = (job->engine.host_step_s + gather_host_s(job, n_layers)) / job->system.host_speed;
    step->busy_s = step->pipe.work_s - step->host_wait_s[0] - step->host_wait_s[1] + step->pipe.bubble_s +
                   step->pipe.send_exposed_s + after_s;
    step->straggle_s = step->paced_s * orr_slowest_frac(job);
    step->overhead_s =
        step->host_wait_s[0] + step->host_wait_s[1] + step->host_wait_s[2] + step->host_step_s + step->straggle_s;
}

/* The layers of a stage, those of a tower among them: gradients and weights of each are a bucket (Eq. 76). */
static double buckets_of(const struct orr_job *job, const struct orr_stage *stage)
{
    const int64_t *tower = job->model.tower.n_layers;
    const bool trained = stage->embedding && job->media.encodes && orr_trains_tower(job);
    double n = trained ? (double)(tower[0] + tower[1]) : 0;
    for (int64_t k = 0; k < job->model.n_kinds; k++) n += stage->n_layers[k];
    return n;
}

/* A trial is an iteration that is asked for at several clocks. */
struct trial {
    const struct orr_job *job;
    const struct orr_shape *shape;
    const struct orr_step_sums *sums;
    const struct orr_rank_class *classes;
    size_t n_classes;
    struct orr_rank_time *ranks;
    struct orr_settled step; /* result at the last clock */
};

static void step_at(struct trial *trial, double clock_frac)
{
    const struct orr_job *job = trial->job;
    const struct orr_step_sums *sums = trial->sums;
    struct orr_settled step = {.clock_frac = clock_frac};
    struct orr_rank_time layers[ORR_N_SUMS];
    const double m = orr_micro_batches(job);
    orr_layer_times(job, &trial->shape->curves, clock_frac, layers);
    for (size_t i = 0; i < trial->n_classes; i++) trial->ranks[i] = orr_rank_time_of(job, &trial->classes[i], layers);
    step.pipe = orr_pipeline_time(job, trial->ranks, trial->n_classes, sums, m);
    const struct orr_rank_time *rank = &trial->ranks[step.pipe.slowest];
    double n_layers = 0;
    for (int64_t k = 0; k < job->model.n_kinds; k++) n_layers += trial->classes[step.pipe.slowest].stage.n_layers[k];
    step.dp = orr_data_parallel_time(job, sums, rank, buckets_of(job, &trial->classes[step.pipe.slowest].stage));
    step.optimizer_s = sums->optimizer_s;
    step.launches = m * rank->launches + sums->launches;
    step.paced_s = longest_kernels_s(trial->ranks, trial->n_classes, m);
    add_overhead(job, rank, n_layers, sums->launches, &step);
    step.total_s = step.busy_s + step.overhead_s; /* Eq. 1 */
    step.matrix_s = most_matrix_s(trial->ranks, trial->n_classes, m) / clock_frac;
    trial->step = step;
}

static struct orr_load load_at(void *context, double clock_frac)
{
    struct trial *trial = context;
    step_at(trial, clock_frac);
    return (struct orr_load){.total_s = trial->step.total_s, .matrix_s = trial->step.matrix_s};
}

struct orr_settled orr_settle(const struct orr_job *job, const struct orr_shape *shape,
                              const struct orr_step_sums *sums, const struct orr_rank_class *classes, size_t n_classes,
                              struct orr_rank_time *ranks)
{
    struct trial trial = {
        .job = job, .shape = shape, .sums = sums, .classes = classes, .n_classes = n_classes, .ranks = ranks};
    const double clock_frac = orr_settled_clock(job, job->workload.precision, load_at, &trial);
    if (trial.step.clock_frac != clock_frac) step_at(&trial, clock_frac);
    return trial.step;
}

/* ---------------------------------------------------------------- energy */

struct orr_work orr_rank_work(const struct orr_job *job, const struct orr_shape *shape,
                              const struct orr_iteration *iteration, const struct orr_stage *stage)
{
    const double m = orr_micro_batches(job) * (1 - stage->skipped_frac);
    struct orr_work sum = iteration->work;
    for (int64_t k = 0; k < job->model.n_kinds; k++) orr_work_add(&sum, &shape->work[k], m * stage->n_layers[k]);
    if (stage->embedding) orr_work_add(&sum, &shape->work[ORR_SUM_EMBEDDING], m);
    if (stage->head) orr_work_add(&sum, &shape->work[ORR_SUM_HEAD], m);
    if (stage->embedding && job->media.encodes) orr_work_add(&sum, &shape->work[ORR_SUM_TOWER], m);
    if (stage->n_mtp > 0) orr_work_add(&sum, &shape->work[ORR_SUM_MTP], m * stage->n_mtp);
    return sum;
}
