/* A prediction and its scratch -> what one pipeline rank does in a step, operator by operator. */
#include "metric/view.h"

#include <string.h>

struct orr_view orr_view_of(const struct orr_job *job, const struct orr_scratch *scratch,
                            const struct orr_result *result)
{
    struct orr_view view = {.job = job, .scratch = scratch, .result = result};
    const double burst_frac = job->calibration.gemm[job->workload.precision].burst_frac;
    view.clock_frac = burst_frac > 0 ? result->matrix_frac / burst_frac : 1;
    view.class = scratch->slowest;
    view.rank = scratch->classes.items[view.class].first;
    view.sum = orr_rank_sum_of(job, &scratch->classes.items[view.class].stage, &scratch->sums);
    return view;
}

/* What the critical rank holds. */
static const struct orr_stage *stage_of(const struct orr_view *view)
{
    return &view->scratch->classes.items[view->class].stage;
}

const struct orr_rank_time *orr_view_rank_time(const struct orr_view *view)
{
    return &view->scratch->ranks[view->class];
}

/* ---------------------------------------------------------------- one operator */

double orr_view_runs(const struct orr_view *view, size_t i)
{
    const struct orr_op *op = &view->scratch->ops.items[i];
    const struct orr_stage *stage = stage_of(view);
    const double per_layer = op->count * (double)view->result->n_micro_batches;
    if (op->layer_kind >= 0) return per_layer * stage->n_layers[op->layer_kind];
    if (op->layer_kind == ORR_LAYER_EMBEDDING) return stage->embedding ? per_layer : 0;
    if (op->layer_kind == ORR_LAYER_HEAD) return stage->head ? per_layer : 0;
    if (op->layer_kind == ORR_LAYER_MTP) return per_layer * stage->n_mtp;
    if (op->layer_kind == ORR_LAYER_BOUNDARY) return op->count * orr_view_send_pairs(view);
    return op->count;
}

double orr_view_run_s(const struct orr_view *view, size_t i)
{
    const struct orr_cost *cost = &view->scratch->costs[i];
    return orr_cost_at_s(cost, view->clock_frac) - cost->hidden_s;
}

static enum orr_time_part collective_part(const struct orr_op *op)
{
    switch (op->group) {
    case ORR_GROUP_TP: return ORR_TIME_TP_EXPOSED;
    case ORR_GROUP_CP: return ORR_TIME_CP_EXPOSED;
    case ORR_GROUP_EP:
    case ORR_GROUP_ETP: return ORR_TIME_EP_EXPOSED;
    case ORR_GROUP_PP: return op->phase == ORR_PHASE_STEP ? ORR_TIME_DP_EXPOSED : ORR_TIME_PP_EXPOSED;
    case ORR_GROUP_DP:
    case ORR_GROUP_EDP:
    case ORR_GROUP_RDP: return ORR_TIME_DP_EXPOSED;
    case ORR_GROUP_NONE:
    case ORR_N_GROUPS: break;
    }
    return ORR_TIME_OVERHEAD;
}

/* The part an operator's first execution belongs to; a repeated one is recomputation. */
static enum orr_time_part op_part(const struct orr_op *op)
{
    if (op->kind == ORR_OP_COLLECTIVE) return collective_part(op);
    switch (op->phase) {
    case ORR_PHASE_FORWARD: return ORR_TIME_FORWARD;
    case ORR_PHASE_BACKWARD: return ORR_TIME_BACKWARD;
    case ORR_PHASE_STEP: return ORR_TIME_OPTIMIZER;
    case ORR_PHASE_PREFILL: /* not of a training step */
    case ORR_PHASE_DECODE:
    case ORR_N_PHASES: break;
    }
    return ORR_TIME_OVERHEAD;
}

/* Executions of operator i that count for `part`; ORR_N_TIME_PARTS: all of them. */
static double part_runs(const struct orr_view *view, size_t i, enum orr_time_part part)
{
    const struct orr_op *op = &view->scratch->ops.items[i];
    const double runs = orr_view_runs(view, i), repeats = op->recomputed ? runs : 0;
    if (part == ORR_N_TIME_PARTS) return runs + repeats;
    if (part == ORR_TIME_RECOMPUTE) return repeats;
    return part == op_part(op) ? runs : 0;
}

double orr_view_part_s(const struct orr_view *view, size_t i, enum orr_time_part part)
{
    return part_runs(view, i, part) * orr_view_run_s(view, i);
}

/* ---------------------------------------------------------------- the heaviest operators */

bool orr_ops_alike(const struct orr_op *a, const struct orr_op *b)
{
    return a->phase == b->phase && a->recomputed == b->recomputed && a->flops == b->flops && a->bytes == b->bytes &&
           a->batch == b->batch && a->m == b->m && a->n == b->n && a->k == b->k && strcmp(a->name, b->name) == 0;
}

/* Operators like i taken together; empty unless i is the first of them. */
static struct orr_alike gather_alike(const struct orr_view *view, size_t i, enum orr_time_part part)
{
    const struct orr_op *ops = view->scratch->ops.items;
    const struct orr_cost *costs = view->scratch->costs;
    struct orr_alike alike = {.first = i};
    for (size_t k = 0; k < view->scratch->ops.n; k++) {
        if (!orr_ops_alike(&ops[k], &ops[i]) || costs[k].hidden_s != costs[i].hidden_s) continue;
        if (k < i) return alike;
        alike.runs += part_runs(view, k, part);
        alike.step_s += orr_view_part_s(view, k, part);
    }
    return alike;
}

size_t orr_alike_insert(struct orr_alike *alike, size_t n, size_t n_max, struct orr_alike next)
{
    if (!(next.step_s > 0)) return n;
    size_t place = n < n_max ? n++ : n_max; /* what is beyond n_max drops off */
    for (; place > 0 && alike[place - 1].step_s < next.step_s; place--)
        if (place < n_max) alike[place] = alike[place - 1];
    if (place < n_max) alike[place] = next;
    return n;
}

size_t orr_view_heaviest(const struct orr_view *view, enum orr_time_part part, size_t n_max, struct orr_alike *alike)
{
    size_t n = 0;
    for (size_t i = 0; i < view->scratch->ops.n; i++)
        n = orr_alike_insert(alike, n, n_max, gather_alike(view, i, part));
    return n;
}

/* ---------------------------------------------------------------- sums the formulas name */

double orr_view_exposed_s(const struct orr_view *view, enum orr_group group)
{
    return view->sum.forward.exposed_s[group] + view->sum.backward.exposed_s[group];
}

double orr_view_send_pairs(const struct orr_view *view)
{
    const struct orr_plan *plan = &view->job->plan;
    const bool overlapped = orr_sends_overlap(view->job);
    if (plan->pp == 1) return 0;
    return (double)(plan->pp - 1) + (overlapped ? 0 : (double)(view->result->n_micro_batches * plan->vpp));
}

double orr_view_data_parallel_s(const struct orr_view *view)
{
    const struct orr_step_sums *step = &view->scratch->sums.step;
    const struct orr_rank_time *rank = orr_view_rank_time(view);
    return step->scatter_s + step->gather_s + step->tie_s +
           (double)view->result->n_micro_batches * (rank->sharded_exposed_s + rank->sharded_hidden_s);
}

double orr_view_launches(const struct orr_view *view)
{
    return (double)view->result->n_micro_batches * orr_view_rank_time(view)->launches +
           view->scratch->sums.step.launches;
}
