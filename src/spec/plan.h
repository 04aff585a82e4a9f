/* What the closed sets of a plan mean: facts of schedules that several folders ask for. */
#ifndef ORR_SPEC_PLAN_H
#define ORR_SPEC_PLAN_H

#include "orrery.h"

/* Does every rank hold two chunks, the second on the way back: chunk i on rank i, chunk 2p - 1 - i there too? */
static inline bool orr_is_vee(enum orr_schedule schedule)
{
    return schedule == ORR_SCHEDULE_ZB_V || schedule == ORR_SCHEDULE_V_HALF || schedule == ORR_SCHEDULE_DUALPIPE_V;
}
/* Does the schedule run the forward of one micro-batch beside the backward of another, as one block? */
static inline bool orr_is_dual(enum orr_schedule schedule)
{
    return schedule == ORR_SCHEDULE_DUALPIPE || schedule == ORR_SCHEDULE_DUALPIPE_V;
}
/* The fewest micro-batches of a replica with which a pipeline runs. Blocks of a forward and a backward need twice as
 * many as there are stages; some engines refuse to run one forward, one backward with fewer than stages. */
static inline int64_t orr_least_micro_batches(const struct orr_engine *engine, enum orr_schedule schedule, int64_t pp)
{
    if (orr_is_dual(schedule)) return 2 * pp;
    const int64_t least = schedule == ORR_SCHEDULE_1F1B ? pp - engine->unfilled_stages : 1;
    return least > 1 ? least : 1;
}
/* Are weight gradients a phase of their own, which a rank may put off? */
static inline bool orr_splits_backward(enum orr_schedule schedule)
{
    return schedule == ORR_SCHEDULE_ZB_H1 || schedule == ORR_SCHEDULE_ZB_H2 || orr_is_vee(schedule) ||
           orr_is_dual(schedule);
}
/* Are embedding and head on different ranks? */
static inline bool orr_ends_apart(const struct orr_plan *plan)
{
    return plan->pp > 1 && !orr_is_vee(plan->schedule) && !orr_is_dual(plan->schedule);
}

/* Eq. 131: embedding, layers and head are laid out in order. A stage ends with the block at which the matrix weights
 * laid out so far exceed its share of all; the embedding and the loss count as nothing. */
struct orr_cost_walk {
    double total, laid; /* parameters */
    int64_t pp, stage;  /* `stage`: where the next block goes */
};
/* Weights that a token meets in a layer: what the layer counts when stages are balanced. */
static inline double orr_layer_weight(const struct orr_layer_kind *kind)
{
    return (double)(kind->attention_params + kind->ffn_params + kind->router_params) +
           (double)kind->n_active * (double)kind->expert_params;
}
static inline struct orr_cost_walk orr_cost_walk_start(const struct orr_model *model, int64_t pp)
{
    struct orr_cost_walk walk = {.total = (double)(model->vocab * model->hidden), .pp = pp};
    for (int64_t i = 0; i < model->n_layers; i++) walk.total += orr_layer_weight(&model->kinds[model->layer_kind[i]]);
    return walk;
}
/* The stage of a layer; layers are placed from the first to the last. The head goes to `walk->stage` after them. */
static inline int64_t orr_cost_walk_place(struct orr_cost_walk *walk, const struct orr_model *model, int64_t layer)
{
    const int64_t stage = walk->stage;
    walk->laid += orr_layer_weight(&model->kinds[model->layer_kind[layer]]);
    walk->stage += walk->laid > walk->total * (double)(stage + 1) / (double)walk->pp;
    return stage;
}

static inline bool orr_offloads(const struct orr_plan *plan)
{
    for (int i = 0; i < ORR_N_OFFLOADS; i++)
        if (plan->offload[i] != ORR_STORE_NONE) return true;
    return false;
}
/* Weights of ZeRO-3 that stay gathered from forward to backward, as the plan says or as the engine has it. */
static inline bool orr_keeps_gathered(const struct orr_job *job)
{
    const struct orr_plan *plan = &job->plan;
    if (plan->reshard == ORR_RESHARD_ENGINE) return plan->pp > 1 && job->engine.pipelines_kept;
    return plan->reshard == ORR_RESHARD_NEVER;
}
/* GPUs of a job that share the memory, the processors and the drives of one host. */
static inline double orr_gpus_of_host(const struct orr_job *job)
{
    const int64_t node = job->system.gpus_per_node;
    return (double)(job->plan.gpus < node ? job->plan.gpus : node);
}

/* What a layer repeats in backward. "selective" is what the engine's own does: the attention core, or all but every
 * other product. A kept layer repeats nothing. */
static inline enum orr_recompute orr_layer_recompute(const struct orr_job *job, bool kept)
{
    const enum orr_recompute asked = job->workload.recompute;
    if (kept) return ORR_RECOMPUTE_NONE;
    if (asked != ORR_RECOMPUTE_SELECTIVE) return asked;
    return job->engine.selective_ops ? ORR_RECOMPUTE_BY_OP : ORR_RECOMPUTE_CORE;
}

/* Are operators of this kind repeated one by one? */
static inline bool orr_repeats(const struct orr_workload *workload, enum orr_repeatable op)
{
    return workload->recompute_ops >> op & 1;
}

/* Are only some layers recomputed? Then every kind of layer has a kept twin in the second half of the model's kinds
 * (orr_twins_make). */
static inline bool orr_has_twins(const struct orr_job *job)
{
    return job->kind == ORR_JOB_TRAIN && (job->workload.recompute_first > 0 || job->workload.recompute_nth > 0);
}
/* How far the twin of a kind lies behind it; 0: the layers of a chunk are all of their own kind. */
static inline int64_t orr_twin_offset(const struct orr_job *job)
{
    return job->kind == ORR_JOB_TRAIN && job->workload.recompute_first > 0 ? job->model.n_kinds / 2 : 0;
}

#endif
