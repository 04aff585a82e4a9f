/* The cost of operators as functions of the clock, per layer kind, and their values at one clock, per layer and per
 * pipeline rank. The ledger of time (predict/ledger.c) lists the same seconds by what they are spent on. */
#include "schedule/schedule.h"

#include "base/number.h"
#include "schedule/host.h"

#include <string.h>

/* A transfer of ZeRO-3 or of offloaded tensors, which is hidden per layer. */
static void add_sharded_op(struct orr_layer_curve *curve, const struct orr_op *op, const struct orr_cost *cost)
{
    double *const time_s = op->phase == ORR_PHASE_BACKWARD ? &curve->backward_sharded_s : &curve->forward_sharded_s;
    *time_s += op->count * cost->total_s;
    if (op->group != ORR_GROUP_HOST) curve->sharded_uses[cost->across] = true;
}

static void add_collective(struct orr_layer_curve *curve, const struct orr_op *op, const struct orr_cost *cost)
{
    const bool backward = op->phase == ORR_PHASE_BACKWARD;
    const double runs[2] = {backward ? 0 : op->count, (backward + op->recomputed * op->repeat_frac) * op->count};
    if (orr_sharded_group(op->group)) {
        add_sharded_op(curve, op, cost);
        return;
    }
    curve->forward_exposed_s += runs[0] * (cost->total_s - cost->hidden_s);
    curve->backward_exposed_s += runs[1] * (cost->total_s - cost->hidden_s);
    curve->forward_links_s[cost->across] += runs[0] * cost->total_s;
    curve->backward_links_s[cost->across] += runs[1] * cost->total_s;
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

/* A kernel either keeps one bound at all clocks from clock_min to 1, or its curve has a bend. */
static void add_kernel(struct orr_layer_curve *curve, struct orr_bend *bends, const struct orr_op *op,
                       const struct orr_cost *cost, double clock_min)
{
    const bool backward = op->phase == ORR_PHASE_BACKWARD;
    struct orr_bend bend = {.compute_s = cost->compute_s,
                            .l2_s = cost->l2_s,
                            .dram_s = cost->dram_s,
                            .partial = cost->partial_overlap,
                            .forward = backward ? 0 : op->count,
                            .backward = (backward + op->recomputed * op->repeat_frac) * op->count,
                            .wgrad = op->wgrad ? op->count : 0};
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
        bends[curve->n_bends++] = bend;
    }
}

void orr_curve_add(struct orr_layer_curve *curve, struct orr_bend *bends, const struct orr_op *op,
                   const struct orr_cost *cost, double clock_min)
{
    if (op->kind == ORR_OP_COLLECTIVE) add_collective(curve, op, cost);
    else add_kernel(curve, bends, op, cost, clock_min);
}

/* Layers that a curve is the sum of: one of a kind, all of the tower, none of the ends. */
static double layers_of(const struct orr_job *job, int64_t layer_kind)
{
    if (layer_kind == ORR_LAYER_TOWER) return (double)(job->model.tower.n_layers[0] + job->model.tower.n_layers[1]);
    return layer_kind >= 0 ? 1 : 0;
}

void orr_curves_build(const struct orr_job *job, const struct orr_op_list *list, const struct orr_cost *costs,
                      double clock_min, struct orr_curves *curves)
{
    struct orr_layer_curve *curve = NULL;
    int64_t layer_kind = ORR_LAYER_STEP;
    size_t n_bends = 0; /* bends of the earlier layer kinds; the operators of a layer kind are adjacent */
    memset(curves->layer, 0, (size_t)job->model.n_kinds * sizeof *curves->layer);
    memset(&curves->layer[ORR_MAX_LAYER_KINDS], 0, ORR_N_ENDS * sizeof *curves->layer);
    for (size_t i = 0; i < list->n; i++) {
        const struct orr_op *op = &list->items[i];
        if (!curve || op->layer_kind != layer_kind) {
            n_bends += curve ? curve->n_bends : 0;
            curve = &curves->layer[orr_sum_index(op->layer_kind)];
            curve->first_bend = n_bends;
            layer_kind = op->layer_kind;
            const double layers = layers_of(job, layer_kind);
            for (int pass = 0; pass < 2; pass++) curve->host_s[pass] = layers * orr_host_layer_s(job);
        }
        orr_curve_add(curve, &curves->bends[n_bends], op, &costs[i], clock_min);
        orr_host_add_op(job, op, curve->host_s);
    }
}

/* ---------------------------------------------------------------- at one clock */

/* The share of the time of a layer, or of a wait, that transfers of ZeRO-3 can use. */
static double sharded_overlap(const struct orr_job *job)
{
    return orr_may_overlap(&job->plan, ORR_GROUP_DP) ? job->engine.zero3_overlap_frac : 0;
}

/* The time of a pass through a layer in which no other collective uses the links of ZeRO-3: its kernels, and what other
 * collectives add to them on other links. */
static double free_s(const struct orr_layer_curve *curve, double pass_s, const double links_s[2])
{
    for (int i = 0; i < 2; i++) pass_s -= curve->sharded_uses[i] ? links_s[i] : 0;
    return orr_max(0, pass_s);
}

/* Eq. 75: the gathers and scatters of a layer run beside it as far as the engine can. */
static void add_sharded(const struct orr_job *job, const struct orr_layer_curve *curve, struct orr_rank_time *time)
{
    const double omega = sharded_overlap(job), kept = 1 - job->calibration.overlap_contention_frac;
    const double forward_s = omega * free_s(curve, time->forward_s, curve->forward_links_s);
    const double backward_s = omega * free_s(curve, time->backward_s, curve->backward_links_s);
    time->sharded_hidden_s[0] = orr_min(curve->forward_sharded_s, forward_s) * kept;
    time->sharded_hidden_s[1] = orr_min(curve->backward_sharded_s, backward_s) * kept;
    time->sharded_exposed_s =
        curve->forward_sharded_s + curve->backward_sharded_s - time->sharded_hidden_s[0] - time->sharded_hidden_s[1];
    time->backward_s += time->sharded_exposed_s;
    if (job->plan.pp > 1 && orr_keeps_gathered(job)) /* Eq. 381 */
        time->gathered_s = curve->forward_sharded_s - time->sharded_hidden_s[0];
}

struct orr_rank_time orr_curve_at(const struct orr_job *job, const struct orr_layer_curve *curve,
                                  const struct orr_bend *bends, double clock_frac)
{
    const double stretch = 1 / clock_frac;
    double forward_s = curve->forward_s + stretch * curve->forward_clock_s;
    double backward_s = curve->backward_s + stretch * curve->backward_clock_s;
    double wgrad_s = curve->wgrad_s + stretch * curve->wgrad_clock_s;
    for (size_t i = 0; i < curve->n_bends; i++) {
        const struct orr_bend *bend = &bends[i];
        const double time_s = orr_joined_s(bend->partial, stretch * bend->compute_s, bend->l2_s, bend->dram_s);
        forward_s += bend->forward * time_s;
        backward_s += bend->backward * time_s;
        wgrad_s += bend->wgrad * time_s;
    }
    struct orr_rank_time time = {.forward_s = forward_s + curve->forward_exposed_s,
                                 .backward_s = backward_s + curve->backward_exposed_s,
                                 .wgrad_s = wgrad_s,
                                 .matrix_s = curve->matrix_s,
                                 .kernel_s = forward_s + backward_s,
                                 .launches = curve->launches,
                                 .nic_s = curve->backward_links_s[1],
                                 .host_s = {curve->host_s[0], curve->host_s[1], curve->host_s[2]}};
    if (curve->forward_sharded_s + curve->backward_sharded_s > 0) add_sharded(job, curve, &time);
    return time;
}

void orr_layer_times(const struct orr_job *job, const struct orr_curves *curves, double clock_frac,
                     struct orr_rank_time layers[ORR_N_SUMS])
{
    for (int k = 0; k < ORR_N_SUMS; k++) {
        const struct orr_layer_curve *curve = &curves->layer[k];
        if (k >= job->model.n_kinds && k < ORR_MAX_LAYER_KINDS) continue;
        layers[k] = orr_curve_at(job, curve, &curves->bends[curve->first_bend], clock_frac);
    }
}

static void add_layers(struct orr_rank_time *rank, const struct orr_rank_time *layer, double n)
{
    rank->forward_s += n * layer->forward_s;
    rank->backward_s += n * layer->backward_s;
    rank->wgrad_s += n * layer->wgrad_s;
    rank->matrix_s += n * layer->matrix_s;
    rank->kernel_s += n * layer->kernel_s;
    rank->launches += n * layer->launches;
    rank->nic_s += n * layer->nic_s;
    for (int i = 0; i < 3; i++) rank->host_s[i] += n * layer->host_s[i];
    rank->sharded_exposed_s += n * layer->sharded_exposed_s;
    rank->gathered_s += n * layer->gathered_s;
    rank->sharded_hidden_s[0] += n * layer->sharded_hidden_s[0];
    rank->sharded_hidden_s[1] += n * layer->sharded_hidden_s[1];
}

/* Eq. 126: a phase takes the longer of device and host. In a zero-bubble schedule the weight gradients are a phase of
 * their own. Transfers of ZeRO-3 that are exposed beside the device come on top of the phase, and can use its waits. */
static void add_host(const struct orr_job *job, struct orr_rank_time *rank)
{
    const double outside_s = orr_host_micro_batch_s(job), wgrad_host_s = rank->host_s[2];
    const double device_s = rank->backward_s - rank->sharded_exposed_s;
    rank->host_wait_s[0] = orr_max(0, rank->host_s[0] + outside_s - rank->forward_s);
    if (orr_splits_backward(job->plan.schedule)) {
        const double wait_s = orr_max(0, wgrad_host_s - rank->wgrad_s);
        const double rest_s = device_s - rank->wgrad_s;
        rank->host_wait_s[1] = wait_s + orr_max(0, rank->host_s[1] + outside_s - wgrad_host_s - rest_s);
        rank->wgrad_s += wait_s;
    } else {
        rank->host_wait_s[1] = orr_max(0, rank->host_s[1] + outside_s - device_s);
    }
    const double window_s = sharded_overlap(job) * (rank->host_wait_s[0] + rank->host_wait_s[1]);
    const double freed_s = orr_min(rank->sharded_exposed_s, window_s);
    rank->freed_frac = freed_s > 0 ? freed_s / rank->sharded_exposed_s : 0;
    rank->sharded_exposed_s -= freed_s;
    rank->gathered_s *= 1 - rank->freed_frac;
    rank->sharded_hidden_s[1] += freed_s;
    rank->forward_s += rank->host_wait_s[0];
    rank->backward_s += rank->host_wait_s[1] - freed_s;
}

struct orr_rank_time orr_rank_time_of(const struct orr_job *job, const struct orr_rank_class *class,
                                      const struct orr_rank_time layers[ORR_N_SUMS])
{
    const struct orr_stage *stage = &class->stage;
    const double passed = 1 - stage->skipped_frac;
    struct orr_rank_time rank = {.ranks = class->ranks};
    for (int64_t k = 0; k < job->model.n_kinds; k++)
        if (stage->n_layers[k] > 0) add_layers(&rank, &layers[k], passed * stage->n_layers[k]);
    if (stage->embedding) add_layers(&rank, &layers[ORR_SUM_EMBEDDING], passed);
    if (stage->head) add_layers(&rank, &layers[ORR_SUM_HEAD], passed);
    if (stage->embedding && job->media.encodes) add_layers(&rank, &layers[ORR_SUM_TOWER], passed);
    if (stage->n_mtp > 0) add_layers(&rank, &layers[ORR_SUM_MTP], passed * stage->n_mtp);
    add_host(job, &rank);
    return rank;
}
