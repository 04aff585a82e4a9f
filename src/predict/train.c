/* This file turns one training job into one answer. It is the only place that joins operators, costs, schedule and
 * memory. Eqs. 1, 3. */
#include "predict/scratch.h"

#include "base/plain.h"
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

/* ---------------------------------------------------------------- the ledger of a step */

/* A walk holds what the rows of a step need to know about the step. */
struct walk {
    const struct orr_job *job;
    const struct orr_settled *step;
    const struct orr_step_sums *sums;
    double m;                           /* micro-batches */
    double runs[ORR_N_SUMS];            /* executions of an operator of each layer kind or end on this rank */
    double sharded_frac[ORR_N_SUMS][2]; /* share of ZeRO-3 transfers that is hidden, forward and backward */
    struct orr_send_pairs pairs;
    struct orr_ledger *ledger;
};

static enum orr_time_part transfer_part(enum orr_group group)
{
    switch (group) {
    case ORR_GROUP_TP: return ORR_TIME_TP_EXPOSED;
    case ORR_GROUP_CP: return ORR_TIME_CP_EXPOSED;
    case ORR_GROUP_EP:
    case ORR_GROUP_ETP: return ORR_TIME_EP_EXPOSED;
    case ORR_GROUP_PP: return ORR_TIME_PP_EXPOSED;
    case ORR_GROUP_DP:
    case ORR_GROUP_EDP:
    case ORR_GROUP_RDP:
    case ORR_GROUP_HOST: return ORR_TIME_DP_EXPOSED;
    case ORR_GROUP_NONE:
    case ORR_N_GROUPS: break;
    }
    return ORR_TIME_OVERHEAD;
}

/* Adds the row of an operator of a layer, and another of its runs in recomputation. */
static void add_runs(const struct walk *w, int64_t i, const struct orr_op *op, const struct orr_cost *cost,
                     struct orr_spent spent)
{
    orr_ledger_add_op(w->ledger, &spent, i, op, cost);
    if (!op->recomputed) return;
    spent.part = ORR_TIME_RECOMPUTE;
    spent.runs *= op->repeat_frac;
    spent.phase = ORR_PHASE_RECOMPUTE;
    orr_ledger_add_op(w->ledger, &spent, i, op, cost);
}

/* Adds a transfer of a layer. Its own window hides it or, with ZeRO-3, the layer's compute does. */
static void add_transfer(const struct walk *w, int64_t i, const struct orr_op *op, const struct orr_cost *cost,
                         double runs)
{
    const bool backward = op->phase == ORR_PHASE_BACKWARD;
    struct orr_spent spent = {.part = (int)transfer_part(op->group),
                              .phase = op->phase,
                              .resource = ORR_BOUND_NETWORK,
                              .runs = runs,
                              .hidden_run_s = cost->hidden_s};
    if (orr_sharded_group(op->group))
        spent.hidden_run_s = w->sharded_frac[orr_sum_index(op->layer_kind)][backward] * cost->total_s;
    spent.run_s = cost->total_s - spent.hidden_run_s;
    add_runs(w, i, op, cost, spent);
}

static void add_kernel(const struct walk *w, int64_t i, const struct orr_op *op, const struct orr_cost *cost,
                       double runs)
{
    const struct orr_spent spent = {.part = op->phase == ORR_PHASE_BACKWARD ? ORR_TIME_BACKWARD : ORR_TIME_FORWARD,
                                    .phase = op->phase,
                                    .resource = cost->bound,
                                    .runs = runs,
                                    .run_s = orr_cost_at_s(cost, w->step->clock_frac)};
    add_runs(w, i, op, cost, spent);
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/* Adds an operator that runs once per iteration or stage boundary: a send, the exposed part of a gradient or weight
 * collective, or the optimizer. */
static void add_step_op(const struct walk *w, int64_t i, const struct orr_op *op, const struct orr_cost *cost)
{
    struct orr_spent spent = {.part = ORR_TIME_DP_EXPOSED,
                              .phase = op->phase,
                              .resource = ORR_BOUND_NETWORK,
                              .runs = op->count,
                              .run_s = cost->total_s};
    if (op->layer_kind == ORR_LAYER_BOUNDARY) {
        spent.part = ORR_TIME_PP_EXPOSED;
        spent.runs = op->count * w->pairs.exposed;
        spent.hidden_run_s = ratio(w->pairs.hidden, w->pairs.exposed) * cost->total_s;
        spent.works = op->count * w->m; /* a rank sends every micro-batch; a step also waits for other ranks' sends */
    } else if (op->kind != ORR_OP_COLLECTIVE) {
        spent.part = ORR_TIME_OPTIMIZER;
        spent.resource = w->job->plan.offload[ORR_OFFLOAD_OPTIMIZER] ? ORR_BOUND_HOST
                         : op->kind == ORR_OP_GEMM                   ? cost->bound
                                                                     : ORR_BOUND_DRAM;
    } else if (op->group != ORR_GROUP_PP) {
        const bool gather = op->collective == ORR_COLLECTIVE_ALLGATHER;
        spent.hidden_run_s = cost->total_s * (gather ? ratio(w->step->dp.gather_hidden_s, w->sums->gather_s)
                                                     : ratio(w->step->dp.scatter_hidden_s, w->sums->scatter_s));
        spent.run_s -= spent.hidden_run_s;
    }
    orr_ledger_add_op(w->ledger, &spent, i, op, cost);
}

static void add_operators(const struct walk *w, const struct orr_op_list *list, const struct orr_cost *costs)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct orr_op *op = &list->items[i];
        if (op->layer_kind == ORR_LAYER_BOUNDARY || op->phase == ORR_PHASE_STEP) {
            add_step_op(w, (int64_t)i, op, &costs[i]);
            continue;
        }
        const double runs = op->count * w->runs[orr_sum_index(op->layer_kind)];
        if (runs <= 0) continue;
        if (op->kind == ORR_OP_COLLECTIVE) add_transfer(w, (int64_t)i, op, &costs[i], runs);
        else add_kernel(w, (int64_t)i, op, &costs[i], runs);
    }
}

static void add_waits(const struct walk *w)
{
    struct orr_ledger *l = w->ledger;
    orr_ledger_add_wait(l, "pipeline fill, drain and imbalance", ORR_TIME_PP_BUBBLE, ORR_PHASE_STEP, ORR_BOUND_OVERHEAD,
                        1, w->step->pipe.bubble_s);
    const enum orr_phase phases[] = {ORR_PHASE_FORWARD, ORR_PHASE_BACKWARD, ORR_PHASE_STEP};
    for (int i = 0; i < 3; i++)
        orr_ledger_add_wait(l, "host launches", ORR_TIME_OVERHEAD, phases[i], ORR_BOUND_HOST, 1,
                            w->step->host_wait_s[i]);
    orr_ledger_add_wait(l, "host, once per step", ORR_TIME_OVERHEAD, ORR_PHASE_STEP, ORR_BOUND_HOST, 1,
                        w->step->host_step_s);
    orr_ledger_add_wait(l, "slowest of many GPUs", ORR_TIME_OVERHEAD, ORR_PHASE_STEP, ORR_BOUND_OVERHEAD, 1,
                        w->step->straggle_s);
}

/* Counts how often the layers and ends of a stage run in a step. */
static void fill_runs(const struct orr_job *job, const struct orr_stage *stage, double m, double runs[ORR_N_SUMS])
{
    const double passes = m * (1 - stage->skipped_frac);
    for (int64_t k = 0; k < job->model.n_kinds; k++) runs[k] = passes * stage->n_layers[k];
    runs[ORR_SUM_EMBEDDING] = stage->embedding ? passes : 0;
    runs[ORR_SUM_HEAD] = stage->head ? passes : 0;
    runs[ORR_SUM_MTP] = passes * stage->n_mtp;
    runs[ORR_SUM_TOWER] = stage->embedding ? passes : 0;
}

/* With ZeRO-3, fills the hidden share of a layer's gathers and scatters at the settled clock. Waits for the host hide
 * `freed_frac` of what the layer leaves exposed. */
static void fill_sharded(const struct orr_job *job, const struct orr_curves *curves, double clock_frac,
                         double freed_frac, double sharded_frac[ORR_N_SUMS][2])
{
    for (int k = 0; k < ORR_N_SUMS; k++) {
        const struct orr_layer_curve *curve = &curves->layer[k];
        if (k >= job->model.n_kinds && k < ORR_MAX_LAYER_KINDS) continue;
        const struct orr_rank_time time = orr_curve_at(job, curve, &curves->bends[curve->first_bend], clock_frac);
        sharded_frac[k][0] = ratio(time.sharded_hidden_s[0], curve->forward_sharded_s);
        sharded_frac[k][1] = ratio(time.sharded_hidden_s[1], curve->backward_sharded_s);
        for (int pass = 0; pass < 2; pass++) sharded_frac[k][pass] += (1 - sharded_frac[k][pass]) * freed_frac;
    }
}

void orr_train_ledger(const struct orr_job *job, const struct orr_scratch *scratch, size_t class,
                      struct orr_ledger *ledger)
{
    const struct orr_settled *step = &scratch->step;
    struct walk w = {
        .job = job, .step = step, .sums = &scratch->iteration.sums, .m = orr_micro_batches(job), .ledger = ledger};
    ledger->rank = scratch->classes.items[class].first;
    fill_runs(job, &scratch->classes.items[class].stage, w.m, w.runs);
    if (job->plan.zero == 3 || orr_offloads(&job->plan))
        fill_sharded(job, &scratch->shape.curves, step->clock_frac, scratch->ranks[class].freed_frac, w.sharded_frac);
    w.pairs = orr_send_pairs_of(job, w.m);
    add_operators(&w, &scratch->ops, scratch->costs);
    add_waits(&w);
}

/* ---------------------------------------------------------------- the result */

/* Fills the share of the step that each resource holds: kernels count by their bound, exposed communication counts as
 * network; waiting and straggling count as overhead. */
static void fill_time(const struct orr_ledger *ledger, struct orr_result *result)
{
    result->step_time_s = 0;
    for (int i = 0; i < ORR_N_TIME_PARTS; i++) result->step_time_s += result->time_s[i] = ledger->part_s[i];
    for (int g = 0; g < ORR_N_GROUPS; g++) /* reports show sharded groups as one */
        result->hidden_s[orr_sharded_group((enum orr_group)g) ? ORR_GROUP_DP : g] += ledger->hidden_s[g];
    result->bottleneck = ORR_BOUND_COMPUTE;
    for (int i = 0; i < ORR_N_BOUNDS; i++) {
        result->bound_share_frac[i] = ledger->bound_s[i] / result->step_time_s;
        if (ledger->bound_s[i] > ledger->bound_s[result->bottleneck]) result->bottleneck = (enum orr_bound)i;
    }
}

static void fill_facts(const struct orr_job *job, const struct orr_scratch *scratch, struct orr_train_facts *facts)
{
    const struct orr_settled *step = &scratch->step;
    const struct orr_step_sums *sums = &scratch->iteration.sums;
    const struct orr_rank_time *rank = &scratch->ranks[step->pipe.slowest];
    const double m = orr_micro_batches(job);
    *facts = (struct orr_train_facts){
        .rank = scratch->classes.items[step->pipe.slowest].first,
        .clock_frac = step->clock_frac,
        .forward_s = rank->forward_s,
        .backward_s = rank->backward_s,
        .wgrad_s = rank->wgrad_s,
        .launches = step->launches,
        .host_forward_s = rank->host_s[0],
        .host_backward_s = rank->host_s[1],
        .host_wait_s = step->host_wait_s[0] + step->host_wait_s[1] + step->host_wait_s[2],
        .host_once_s = step->host_step_s,
        .paced_s = step->paced_s,
        .send_pairs = orr_send_pairs_of(job, m).exposed,
        .send_pair_s = sums->send_s + sums->send_backward_s,
        .dp_collectives_s = sums->scatter_s + sums->gather_s + sums->tie_s +
                            m * (rank->sharded_exposed_s + rank->sharded_hidden_s[0] + rank->sharded_hidden_s[1]),
    };
}

static void predict(const struct orr_job *job, struct orr_scratch *scratch, struct orr_ledger *ledger,
                    struct orr_result *result)
{
    const struct orr_classes *classes = &scratch->classes;
    memset(result, 0, offsetof(struct orr_result, memory));
    result->spread = job->spread;
    result->reason[0] = '\0';
    result->n_micro_batches = (int64_t)orr_micro_batches(job);
    orr_stages_build(job, scratch->stages);
    orr_classes_build(scratch->stages, job->plan.pp, &scratch->classes);
    orr_shape_build(job, &scratch->ops, scratch->costs, &scratch->shape);
    scratch->iteration = orr_iteration_of(job, orr_classes_heaviest(classes->items, classes->n), scratch->ops.n,
                                          &scratch->ops, scratch->costs);
    scratch->step =
        orr_settle(job, &scratch->shape, &scratch->iteration.sums, classes->items, classes->n, scratch->ranks);
    const size_t slowest = scratch->step.pipe.slowest;
    orr_train_ledger(job, scratch, slowest, ledger);
    fill_time(ledger, result);
    result->matrix_frac = scratch->step.clock_frac * job->calibration.gemm[job->workload.precision].burst_frac;
    result->matrix_share_frac = scratch->step.matrix_s / result->step_time_s;
    const struct orr_rank_time *rank = &scratch->ranks[slowest];
    orr_memory_predict(job, classes, rank->host_wait_s[0] + rank->host_wait_s[1] <= 0, &result->memory);
    const struct orr_memory *memory = &result->memory;
    result->fits = memory->most_bytes <= memory->usable_bytes && memory->host_bytes <= memory->host_capacity_bytes &&
                   memory->nvme_bytes <= memory->nvme_capacity_bytes;
    const struct orr_work work =
        orr_rank_work(job, &scratch->shape, &scratch->iteration, &classes->items[slowest].stage);
    orr_fill_totals(job, classes, &work, ledger, result);
}

void orr_train(const struct orr_job *job, struct orr_scratch *scratch, struct orr_result *result)
{
    ORR_PLAIN_NUMBERS;
    job = orr_shared(orr_filled(job, scratch), scratch);
    struct orr_ledger ledger = {.job = job};
    predict(job, scratch, &ledger, result);
}

void orr_train_answer(const struct orr_job *job, struct orr_scratch *scratch, struct orr_answer *answer)
{
    struct orr_ledger ledger = {.job = job, .rows = scratch->rows};
    predict(job, scratch, &ledger, &answer->train);
    fill_facts(job, scratch, &answer->facts);
    answer->n_rows = ledger.n_rows;
}

size_t orr_pipeline_timeline(const struct orr_job *job, const struct orr_scratch *scratch, struct orr_span *spans,
                             size_t n_max)
{
    struct orr_rank_time ranks[ORR_MAX_STAGES];
    for (int64_t i = 0; i < job->plan.pp; i++) ranks[i] = scratch->ranks[scratch->classes.of_rank[i]];
    return orr_pipeline_spans(&job->plan, ranks, (int64_t)orr_micro_batches(job), spans, n_max);
}
