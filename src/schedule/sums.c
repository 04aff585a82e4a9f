/* Costs of the operator list added up per layer kind and phase, and per pipeline rank. */
#include "schedule/schedule.h"

#include <string.h>

static void add_op(struct orr_phase_sum *sum, const struct orr_op *op, const struct orr_cost *cost, double time_s)
{
    if (op->kind == ORR_OP_COLLECTIVE) {
        if (orr_sharded_group(op->group)) {
            sum->sharded_s += cost->total_s;
        } else {
            sum->hidden_s[op->group] += cost->hidden_s;
            sum->exposed_s[op->group] += cost->total_s - cost->hidden_s;
        }
        return;
    }
    sum->compute_s += time_s;
    sum->matrix_s += cost->matrix_s;
    sum->wgrad_s += op->wgrad ? time_s : 0;
    sum->launches += op->launches;
    sum->bound_s[cost->bound] += time_s;
}

static void add_step_op(struct orr_step_sums *step, const struct orr_op *op, const struct orr_cost *cost)
{
    if (op->layer_kind == ORR_LAYER_BOUNDARY) {
        *(op->phase == ORR_PHASE_FORWARD ? &step->send_s : &step->send_backward_s) = cost->total_s;
    } else if (op->kind != ORR_OP_COLLECTIVE) {
        step->optimizer_s += cost->total_s;
        step->launches += op->launches;
    } else if (op->group == ORR_GROUP_PP) {
        step->tie_s += cost->total_s;
    } else if (op->collective == ORR_COLLECTIVE_ALLGATHER) {
        step->gather_s += cost->total_s;
    } else {
        step->scatter_s += op->count * cost->total_s;
    }
}

static bool of_step(const struct orr_op *op)
{
    return op->layer_kind == ORR_LAYER_BOUNDARY || op->phase == ORR_PHASE_STEP;
}

struct orr_step_sums orr_step_sums_of(const struct orr_op_list *list, size_t first, const struct orr_cost *costs)
{
    struct orr_step_sums step = {0};
    for (size_t i = first; i < list->n; i++)
        if (of_step(&list->items[i])) add_step_op(&step, &list->items[i], &costs[i]);
    return step;
}

void orr_sums_build(const struct orr_job *job, const struct orr_op_list *list, const struct orr_cost *costs,
                    double clock_frac, struct orr_sums *sums)
{
    memset(sums->layer, 0, (size_t)job->model.n_kinds * sizeof *sums->layer);
    memset(&sums->layer[ORR_MAX_LAYER_KINDS], 0, ORR_N_ENDS * sizeof *sums->layer);
    sums->step = orr_step_sums_of(list, 0, costs);
    for (size_t i = 0; i < list->n; i++) {
        const struct orr_op *op = &list->items[i];
        const struct orr_cost *cost = &costs[i];
        if (of_step(op)) continue;
        struct orr_layer_sum *sum = &sums->layer[orr_sum_index(op->layer_kind)];
        const double time_s = op->kind == ORR_OP_COLLECTIVE ? 0 : orr_cost_at_s(cost, clock_frac);
        add_op(op->phase == ORR_PHASE_FORWARD ? &sum->forward : &sum->backward, op, cost, time_s);
        if (op->recomputed) add_op(&sum->recompute, op, cost, time_s);
    }
}

static void add_phase(struct orr_phase_sum *total, const struct orr_phase_sum *sum, double n)
{
    total->compute_s += n * sum->compute_s;
    total->matrix_s += n * sum->matrix_s;
    total->wgrad_s += n * sum->wgrad_s;
    total->sharded_s += n * sum->sharded_s;
    total->launches += n * sum->launches;
    for (int g = 0; g < ORR_N_GROUPS; g++) {
        total->exposed_s[g] += n * sum->exposed_s[g];
        total->hidden_s[g] += n * sum->hidden_s[g];
    }
    for (int b = 0; b < ORR_N_BOUNDS; b++) total->bound_s[b] += n * sum->bound_s[b];
}

static void add_layer(struct orr_layer_sum *rank, const struct orr_layer_sum *sum, double n)
{
    add_phase(&rank->forward, &sum->forward, n);
    add_phase(&rank->recompute, &sum->recompute, n);
    add_phase(&rank->backward, &sum->backward, n);
}

struct orr_layer_sum orr_rank_sum_of(const struct orr_job *job, const struct orr_stage *stage,
                                     const struct orr_sums *sums)
{
    struct orr_layer_sum rank = {0};
    for (int64_t k = 0; k < job->model.n_kinds; k++)
        if (stage->n_layers[k] > 0) add_layer(&rank, &sums->layer[k], stage->n_layers[k]);
    if (stage->embedding) add_layer(&rank, &sums->layer[ORR_SUM_EMBEDDING], 1);
    if (stage->head) add_layer(&rank, &sums->layer[ORR_SUM_HEAD], 1);
    if (stage->n_mtp > 0) add_layer(&rank, &sums->layer[ORR_SUM_MTP], stage->n_mtp);
    return rank;
}
