/* Costs of the operator list as functions of the clock, per layer kind; and their value at one clock, per layer and per
 * pipeline rank. Agrees with sums.c, which lists the same time by what it is spent on. */
#include "schedule/schedule.h"

#include "base/number.h"

#include <string.h>

static void add_collective(struct orr_layer_curve *curve, const struct orr_op *op, const struct orr_cost *cost)
{
    const bool forward = op->phase == ORR_PHASE_FORWARD, sharded = orr_sharded_group(op->group);
    const double time_s = sharded ? cost->total_s : cost->total_s - cost->hidden_s;
    double *in_forward = sharded ? &curve->forward_sharded_s : &curve->forward_exposed_s;
    double *in_backward = sharded ? &curve->backward_sharded_s : &curve->backward_exposed_s;
    if (forward) *in_forward += time_s;
    if (!forward) *in_backward += time_s;
    if (op->recomputed) curve->backward_exposed_s += cost->total_s - cost->hidden_s;
}

static void add_fixed(struct orr_layer_curve *curve, const struct orr_bend *runs, double time_s)
{
    curve->forward_s += runs->forward * time_s;
    curve->backward_s += runs->backward * time_s;
    curve->wgrad_s += runs->wgrad * time_s;
}

static void add_stretched(struct orr_layer_curve *curve, const struct orr_bend *runs, double time_s)
{
    curve->forward_clock_s += runs->forward * time_s;
    curve->backward_clock_s += runs->backward * time_s;
    curve->wgrad_clock_s += runs->wgrad * time_s;
}

/* A kernel keeps one bound over all clocks from clock_min to 1, or bends. */
static void add_kernel(struct orr_curves *curves, struct orr_layer_curve *curve, const struct orr_op *op,
                       const struct orr_cost *cost, double clock_min)
{
    struct orr_bend bend = {.compute_s = cost->compute_s,
                            .l2_s = cost->l2_s,
                            .dram_s = cost->dram_s,
                            .partial = cost->partial_overlap,
                            .forward = op->phase == ORR_PHASE_FORWARD,
                            .backward = (op->phase == ORR_PHASE_BACKWARD) + op->recomputed,
                            .wgrad = op->wgrad};
    const double memory_s = orr_max(cost->l2_s, cost->dram_s);
    curve->matrix_s += cost->matrix_s * (bend.forward + bend.backward);
    curve->launches += op->launches * (bend.forward + bend.backward);
    if (cost->matrix_frac <= 0) {
        add_fixed(curve, &bend, cost->total_s);
        return;
    }
    add_fixed(curve, &bend, cost->launch_s);
    if (!bend.partial && cost->compute_s >= memory_s) {
        add_stretched(curve, &bend, cost->compute_s);
    } else if (!bend.partial && cost->compute_s / clock_min <= memory_s) {
        add_fixed(curve, &bend, memory_s);
    } else {
        curves->bends[curves->n_bends++] = bend;
        curve->n_bends++;
    }
}

void orr_curves_build(const struct orr_job *job, const struct orr_op_list *list, const struct orr_cost *costs,
                      double clock_min, struct orr_curves *curves)
{
    memset(curves->layer, 0, (size_t)job->model.n_kinds * sizeof *curves->layer);
    memset(&curves->layer[ORR_MAX_LAYER_KINDS], 0, ORR_N_ENDS * sizeof *curves->layer);
    curves->n_bends = 0;
    int64_t layer_kind = ORR_LAYER_STEP; /* operators of a layer kind follow one another */
    for (size_t i = 0; i < list->n; i++) {
        const struct orr_op *op = &list->items[i];
        if (op->layer_kind == ORR_LAYER_BOUNDARY || op->phase == ORR_PHASE_STEP) continue;
        struct orr_layer_curve *curve = &curves->layer[orr_sum_index(op->layer_kind)];
        if (op->layer_kind != layer_kind) curve->first_bend = curves->n_bends;
        layer_kind = op->layer_kind;
        if (op->kind == ORR_OP_COLLECTIVE) add_collective(curve, op, &costs[i]);
        else add_kernel(curves, curve, op, &costs[i], clock_min);
    }
}

/* ---------------------------------------------------------------- at one clock */

static struct orr_rank_time layer_time(const struct orr_job *job, const struct orr_curves *curves,
                                       const struct orr_layer_curve *curve, double clock_frac)
{
    const double stretch = 1 / clock_frac;
    const double omega = orr_may_overlap(&job->plan, ORR_GROUP_DP) ? job->engine.zero3_overlap_frac : 0;
    double forward_s = curve->forward_s + stretch * curve->forward_clock_s;
    double backward_s = curve->backward_s + stretch * curve->backward_clock_s;
    double wgrad_s = curve->wgrad_s + stretch * curve->wgrad_clock_s;
    for (size_t i = curve->first_bend; i < curve->first_bend + curve->n_bends; i++) {
        const struct orr_bend *bend = &curves->bends[i];
        const double time_s = orr_joined_s(bend->partial, stretch * bend->compute_s, bend->l2_s, bend->dram_s);
        forward_s += bend->forward * time_s;
        backward_s += bend->backward * time_s;
        wgrad_s += bend->wgrad * time_s;
    }
    /* Eq. 75: a layer's gathers and scatters run beside the layer's own compute as far as the engine can */
    const double hidden_s = (orr_min(curve->forward_sharded_s, omega * forward_s) +
                             orr_min(curve->backward_sharded_s, omega * backward_s)) *
                            (1 - job->calibration.overlap_contention_frac);
    const double exposed_s = curve->forward_sharded_s + curve->backward_sharded_s - hidden_s;
    return (struct orr_rank_time){.forward_s = forward_s + curve->forward_exposed_s,
                                  .backward_s = backward_s + curve->backward_exposed_s + exposed_s,
                                  .wgrad_s = wgrad_s,
                                  .matrix_s = curve->matrix_s,
                                  .launches = curve->launches,
                                  .sharded_exposed_s = exposed_s,
                                  .sharded_hidden_s = hidden_s};
}

void orr_layer_times(const struct orr_job *job, const struct orr_curves *curves, double clock_frac,
                     struct orr_rank_time layers[ORR_N_SUMS])
{
    for (int64_t k = 0; k < job->model.n_kinds; k++) layers[k] = layer_time(job, curves, &curves->layer[k], clock_frac);
    for (int end = ORR_MAX_LAYER_KINDS; end < ORR_N_SUMS; end++)
        layers[end] = layer_time(job, curves, &curves->layer[end], clock_frac);
}

static void add_layers(struct orr_rank_time *rank, const struct orr_rank_time *layer, double n)
{
    rank->forward_s += n * layer->forward_s;
    rank->backward_s += n * layer->backward_s;
    rank->wgrad_s += n * layer->wgrad_s;
    rank->matrix_s += n * layer->matrix_s;
    rank->launches += n * layer->launches;
    rank->sharded_exposed_s += n * layer->sharded_exposed_s;
    rank->sharded_hidden_s += n * layer->sharded_hidden_s;
}

struct orr_rank_time orr_rank_time_of(const struct orr_job *job, const struct orr_rank_class *class,
                                      const struct orr_rank_time layers[ORR_N_SUMS])
{
    const struct orr_stage *stage = &class->stage;
    struct orr_rank_time rank = {.ranks = class->ranks};
    for (int64_t k = 0; k < job->model.n_kinds; k++)
        if (stage->n_layers[k] > 0) add_layers(&rank, &layers[k], stage->n_layers[k]);
    if (stage->embedding) add_layers(&rank, &layers[ORR_SUM_EMBEDDING], 1);
    if (stage->head) add_layers(&rank, &layers[ORR_SUM_HEAD], 1);
    if (stage->n_mtp > 0) add_layers(&rank, &layers[ORR_SUM_MTP], stage->n_mtp);
    return rank;
}
