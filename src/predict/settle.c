/* Shared parts -> time of one iteration at the clock the power limit leaves. Eqs. 1, 39, 104, 105. */
#include "predict/settle.h"

#include "base/number.h"
#include "predict/power.h"

#include <math.h>
#include <string.h>

double orr_micro_batches(const struct orr_job *job)
{
    return (double)job->workload.global_batch / (double)(job->plan.dp * job->workload.micro_batch);
}

/* ---------------------------------------------------------------- parts */

static void add_work(const struct orr_job *job, const struct orr_op *op, const struct orr_cost *cost, double n,
                     struct orr_work *work)
{
    work->flops += n * op->flops;
    /* energy of a multiply-add follows the operand width */
    work->flop_j += n * op->flops * job->system.chip.flop_j * orr_dtype_bytes(op->dtype) / 2;
    work->dram_bytes += n * cost->dram_bytes;
    if (op->kind == ORR_OP_COLLECTIVE)
        work->link_bytes +=
            n * orr_collective_wire_bytes(op->collective, ORR_ALGORITHM_RING,
                                          (double)orr_group_ranks(&job->plan, op->group), op->payload_bytes);
}

/* The lowest clock the power rule can ask for. */
static double clock_min(const struct orr_job *job)
{
    const struct orr_power_rule rule = orr_power_rule_of(job, job->workload.precision);
    return job->engine.short_run ? 1 : orr_min(1, rule.sustained_frac / rule.burst_frac);
}

void orr_shape_build(const struct orr_job *job, struct orr_op_list *list, struct orr_cost *costs,
                     struct orr_shape *shape)
{
    orr_ops_layers(job, list);
    orr_cost_list(job, list, costs);
    orr_curves_build(job, list, costs, clock_min(job), &shape->curves);
    memset(shape->work, 0, sizeof shape->work);
    for (size_t i = 0; i < list->n; i++) {
        const struct orr_op *op = &list->items[i];
        add_work(job, op, &costs[i], op->count * (op->recomputed ? 2 : 1), &shape->work[orr_sum_index(op->layer_kind)]);
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
        add_work(job, op, &costs[i], op->phase == ORR_PHASE_STEP ? op->count : op->count * m, &iteration.work);
    }
    return iteration;
}

/* ---------------------------------------------------------------- time */

/* Host: an eager framework that launches slower than the GPU executes. Straggling: the slowest of many GPUs. */
static double overhead_s(const struct orr_job *job, double launches, double busy_s)
{
    const double host_s = orr_max(0, launches * job->engine.host_launch_s - busy_s); /* Eq. 39 */
    const double doublings = orr_max(0, log2((double)job->plan.gpus / (double)job->system.gpus_per_node));
    return host_s + job->engine.host_step_s + busy_s * job->calibration.straggle_frac_per_doubling * doublings;
}

static struct orr_settled step_at(const struct orr_job *job, const struct orr_shape *shape,
                                  const struct orr_step_sums *sums, const struct orr_rank_class *classes,
                                  size_t n_classes, double clock_frac, struct orr_rank_time *ranks)
{
    struct orr_settled step = {0};
    struct orr_rank_time layers[ORR_N_SUMS];
    const double m = orr_micro_batches(job);
    orr_layer_times(job, &shape->curves, clock_frac, layers);
    for (size_t i = 0; i < n_classes; i++) ranks[i] = orr_rank_time_of(job, &classes[i], layers);
    step.pipe = orr_pipeline_time(job, ranks, n_classes, sums, m);
    const struct orr_rank_time *rank = &ranks[step.pipe.slowest];
    double n_layers = 0;
    for (int64_t k = 0; k < job->model.n_kinds; k++) n_layers += classes[step.pipe.slowest].stage.n_layers[k];
    step.dp = orr_data_parallel_time(job, sums, rank, n_layers);
    step.optimizer_s = sums->optimizer_s;
    const double busy_s =
        step.pipe.work_s + step.pipe.bubble_s + step.pipe.send_exposed_s + step.dp.exposed_s + step.optimizer_s;
    step.overhead_s = overhead_s(job, m * rank->launches + sums->launches, busy_s);
    step.total_s = busy_s + step.overhead_s; /* Eq. 1 */
    step.matrix_s = m * rank->matrix_s / clock_frac;
    return step;
}

/* The clock moves the matrix share, which moves the clock: u = f(u). Two steps and Aitken's extrapolation land on the
 * fixed point of this nearly straight map. */
struct orr_settled orr_settle(const struct orr_job *job, const struct orr_shape *shape,
                              const struct orr_step_sums *sums, const struct orr_rank_class *classes, size_t n_classes,
                              struct orr_rank_time *ranks)
{
    const struct orr_power_rule rule = orr_power_rule_of(job, job->workload.precision);
    const double first = rule.burst_frac;
    struct orr_settled step = step_at(job, shape, sums, classes, n_classes, 1, ranks);
    step.matrix_frac = first;
    if (job->engine.short_run) return step;
    const double second = orr_sustained_frac(&rule, step.matrix_s / step.total_s);
    if (second >= first) return step;
    step = step_at(job, shape, sums, classes, n_classes, second / first, ranks);
    const double third = orr_sustained_frac(&rule, step.matrix_s / step.total_s);
    const double curvature = third - 2 * second + first;
    const double last = curvature > 0 ? third - (third - second) * (third - second) / curvature : third;
    const double settled = orr_max(rule.sustained_frac, last);
    step = step_at(job, shape, sums, classes, n_classes, settled / first, ranks);
    step.matrix_frac = settled;
    return step;
}

/* ---------------------------------------------------------------- energy */

static void add_layers(struct orr_work *sum, const struct orr_work *work, double n)
{
    sum->flops += n * work->flops;
    sum->dram_bytes += n * work->dram_bytes;
    sum->link_bytes += n * work->link_bytes;
    sum->flop_j += n * work->flop_j;
}

struct orr_work orr_rank_work(const struct orr_job *job, const struct orr_shape *shape,
                              const struct orr_iteration *iteration, const struct orr_stage *stage)
{
    const double m = orr_micro_batches(job);
    struct orr_work sum = iteration->work;
    for (int64_t k = 0; k < job->model.n_kinds; k++) add_layers(&sum, &shape->work[k], m * stage->n_layers[k]);
    if (stage->embedding) add_layers(&sum, &shape->work[ORR_SUM_EMBEDDING], m);
    if (stage->head) add_layers(&sum, &shape->work[ORR_SUM_HEAD], m);
    if (stage->n_mtp > 0) add_layers(&sum, &shape->work[ORR_SUM_MTP], m * stage->n_mtp);
    return sum;
}

double orr_power_w(const struct orr_chip *chip, const struct orr_work *work, double time_s)
{
    const double dynamic_j =
        work->flop_j + work->dram_bytes * chip->hbm_j_per_byte + work->link_bytes * chip->link_j_per_byte;
    return orr_min(chip->tdp_w, chip->idle_w + dynamic_j / time_s);
}
