/* Costs of the operator list added up per layer kind and phase, and per pipeline rank. */
#include "schedule/schedule.h"

#include "base/number.h"

#include <string.h>

static bool sharded_group(enum orr_group group)
{
    return group == ORR_GROUP_DP || group == ORR_GROUP_EDP || group == ORR_GROUP_RDP;
}

static void add_op(struct orr_phase_sum *sum, const struct orr_op *op, const struct orr_cost *cost, double time_s)
{
    if (op->kind == ORR_OP_COLLECTIVE) {
        if (sharded_group(op->group)) {
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

static void add_step_op(struct orr_sums *sums, const struct orr_op *op, const struct orr_cost *cost)
{
    if (op->kind != ORR_OP_COLLECTIVE) {
        sums->optimizer_s += cost->total_s;
        sums->step_launches += op->launches;
    } else if (op->group == ORR_GROUP_PP) {
        sums->tie_s += cost->total_s;
    } else if (op->collective == ORR_COLLECTIVE_ALLGATHER) {
        sums->gather_s += cost->total_s;
    } else {
        sums->scatter_s += cost->total_s;
    }
}

static struct orr_layer_sum *sum_of(struct orr_sums *sums, int64_t layer_kind)
{
    if (layer_kind == ORR_LAYER_EMBEDDING) return &sums->layer[ORR_SUM_EMBEDDING];
    if (layer_kind == ORR_LAYER_HEAD) return &sums->layer[ORR_SUM_HEAD];
    return &sums->layer[layer_kind];
}

void orr_sums_build(const struct orr_job *job, const struct orr_op_list *list, const struct orr_cost *costs,
                    double clock_frac, struct orr_sums *sums)
{
    memset(sums->layer, 0, (size_t)job->model.n_kinds * sizeof *sums->layer);
    memset(&sums->layer[ORR_SUM_EMBEDDING], 0, 2 * sizeof *sums->layer);
    memset(&sums->send_s, 0, sizeof *sums - offsetof(struct orr_sums, send_s));
    for (size_t i = 0; i < list->n; i++) {
        const struct orr_op *op = &list->items[i];
        const struct orr_cost *cost = &costs[i];
        if (op->layer_kind == ORR_LAYER_BOUNDARY) {
            *(op->phase == ORR_PHASE_FORWARD ? &sums->send_s : &sums->send_backward_s) = cost->total_s;
            continue;
        }
        if (op->phase == ORR_PHASE_STEP) {
            add_step_op(sums, op, cost);
            continue;
        }
        struct orr_layer_sum *sum = sum_of(sums, op->layer_kind);
        const double time_s = op->kind == ORR_OP_COLLECTIVE ? 0 : orr_cost_at(cost, clock_frac);
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

/* Eq. 75: a layer's gathers and scatters run beside the layer's own compute as far as the engine can. */
static double hidden_shards(const struct orr_job *job, const struct orr_layer_sum *sum)
{
    const double omega = job->engine.zero3_overlap_frac;
    return orr_min(sum->forward.sharded_s, omega * sum->forward.compute_s) +
           orr_min(sum->backward.sharded_s, omega * (sum->backward.compute_s + sum->recompute.compute_s));
}

static void add_layer(const struct orr_job *job, struct orr_rank_time *rank, const struct orr_layer_sum *sum, double n)
{
    const double hidden_s = hidden_shards(job, sum) * (1 - job->calibration.overlap_contention_frac);
    add_phase(&rank->forward, &sum->forward, n);
    add_phase(&rank->recompute, &sum->recompute, n);
    add_phase(&rank->backward, &sum->backward, n);
    rank->sharded_hidden_s += n * hidden_s;
    rank->sharded_exposed_s += n * (sum->forward.sharded_s + sum->backward.sharded_s - hidden_s);
}

static double phase_s(const struct orr_phase_sum *sum)
{
    double total_s = sum->compute_s;
    for (int g = 0; g < ORR_N_GROUPS; g++) total_s += sum->exposed_s[g];
    return total_s;
}

struct orr_rank_time orr_rank_time_of(const struct orr_job *job, const struct orr_stage *stage,
                                      const struct orr_sums *sums)
{
    struct orr_rank_time rank = {0};
    for (int64_t k = 0; k < job->model.n_kinds; k++)
        if (stage->n_layers[k] > 0) add_layer(job, &rank, &sums->layer[k], stage->n_layers[k]);
    if (stage->embedding) add_layer(job, &rank, &sums->layer[ORR_SUM_EMBEDDING], 1);
    if (stage->head) add_layer(job, &rank, &sums->layer[ORR_SUM_HEAD], 1);
    rank.forward_s = phase_s(&rank.forward);
    rank.backward_s = phase_s(&rank.backward) + phase_s(&rank.recompute) + rank.sharded_exposed_s;
    return rank;
}
