/* Which jobs a claim is about (test_properties.c). */
#ifndef ORR_TESTS_JOB_SORTS_H
#define ORR_TESTS_JOB_SORTS_H

#include "ops/ops.h"

static inline bool any(const struct orr_job *job)
{
    return job->plan.gpus > 0;
}

static inline bool training(const struct orr_job *job)
{
    return job->kind == ORR_JOB_TRAIN;
}

static inline bool zero_bubble(const struct orr_job *job)
{
    return job->plan.schedule == ORR_SCHEDULE_ZB_H1 || job->plan.schedule == ORR_SCHEDULE_ZB_H2;
}

static inline bool has_window(const struct orr_job *job)
{
    for (int64_t i = 0; i < job->model.n_kinds; i++)
        if (job->model.kinds[i].window > 0) return true;
    return false;
}

static inline bool training_in_windows(const struct orr_job *job)
{
    return training(job) && has_window(job);
}

static inline bool zero_bubble_without_windows(const struct orr_job *job)
{
    return zero_bubble(job) && !has_window(job);
}

static inline bool training_without_windows(const struct orr_job *job)
{
    return training(job) && !zero_bubble(job) && !has_window(job);
}

static inline bool not_zero_bubble(const struct orr_job *job)
{
    return training(job) && !zero_bubble(job);
}

/* Prediction layers are layers of the last stage: others move away from it as soon as the rest can be split evenly.
 * Stages of equal work are cut elsewhere if a layer is added, and layers of several kinds shift to stages before. */
static inline bool fixed_split(const struct orr_job *job)
{
    const bool uneven = orr_stages_by_cost(job) || job->model.n_kinds > 1;
    return job->workload.mtp_layers == 0 && (job->plan.pp * job->plan.vpp == 1 || !uneven);
}

static inline bool serving(const struct orr_job *job)
{
    return job->kind == ORR_JOB_INFER;
}

static inline bool in_halves(const struct orr_job *job)
{
    return job->engine.two_batch_overlap && job->plan.ep * job->plan.etp > job->plan.tp && job->serving.batch > 1;
}

static inline bool in_staged_halves(const struct orr_job *job)
{
    return serving(job) && in_halves(job) && job->plan.pp > 1;
}

static inline bool not_in_staged_halves(const struct orr_job *job)
{
    return !in_staged_halves(job);
}

/* Facts of engines that are steps: an odd batch is never halved; from so many rows on a product restores its narrow
 * weights to 16 bits and is then a faster one (Eq. 328); PyTorch's kernel of experts has another tile beyond 128 rows
 * (Eq. 159); a fixed tile of an 8-bit product loses time with every empty row (Eq. 266). */
static inline bool stepless(const struct orr_job *job)
{
    const struct orr_engine *e = &job->engine;
    const bool stepped = e->piece_tokens > 0 || e->restored_rows > 0 || e->expert_kernel == ORR_EXPERT_GROUPED_MM;
    return serving(job) && !stepped && !(e->fixed_fp8_tiles[0] && job->serving.matrix == ORR_DTYPE_FP8);
}

/* A query sees only its own chunk of the context, so a context that has just begun a chunk is a short one. */
static inline bool without_chunks(const struct orr_job *job)
{
    for (int64_t i = 0; i < job->model.n_kinds; i++)
        if (job->model.kinds[i].chunked) return false;
    return stepless(job);
}

static inline bool has_hit(const struct orr_job *job)
{
    return without_chunks(job) && job->serving.prefix_hit_frac > 0;
}

static inline bool one_stage(const struct orr_job *job)
{
    return stepless(job) && job->plan.pp == 1;
}

static inline bool several_stages(const struct orr_job *job)
{
    return stepless(job) && job->plan.pp > 1;
}

static inline bool plain(const struct orr_job *job)
{
    return serving(job) && job->plan.pp == 1 && job->plan.cp == 1 && !in_halves(job) && job->engine.piece_tokens == 0;
}

static inline bool only_stages(const struct orr_job *job)
{
    return serving(job) && job->plan.pp > 1 && job->plan.cp == 1 && !in_halves(job) && job->engine.piece_tokens == 0;
}

static inline bool only_context(const struct orr_job *job)
{
    return serving(job) && job->plan.pp == 1 && job->plan.cp > 1 && !in_halves(job) && job->engine.piece_tokens == 0;
}

static inline bool only_halves(const struct orr_job *job)
{
    return serving(job) && job->plan.pp == 1 && job->plan.cp == 1 && in_halves(job) && job->engine.piece_tokens == 0;
}

static inline bool otherwise(const struct orr_job *job)
{
    return serving(job) && !plain(job) && !only_stages(job) && !only_context(job) && !only_halves(job);
}

#endif
