/* This file has the power of a replica under load. Eq. 209. */
#include "base/number.h"
#include "predict/pass.h"
#include "predict/scratch.h"
#include "serving/result.h"

#include <stdlib.h>

/* A copy takes so much of the power between idling and the board's limit (measured on H200, 2026: data/chips). */
#define COPY_FRAC 0.861

/* The joules of a FLOP and of a byte were measured over an idle chip, so that they hold the power of an awake chip as
 * well. Their own parts are what is left of a product at the limit, and of a copy, without it. */
static double work_j(const struct orr_chip *chip, const struct orr_work *work)
{
    const double most_w = chip->tdp_w - chip->idle_w,
                 awake_w = orr_max(0, chip->awake_frac * chip->tdp_w - chip->idle_w);
    struct orr_work own = *work;
    own.flop_j *= orr_max(0, 1 - awake_w / most_w);
    own.dram_bytes *= orr_max(0, 1 - awake_w / (COPY_FRAC * most_w));
    return orr_dynamic_j(chip, &own);
}

/* Joules beyond those of an awake chip that one step takes on one GPU. */
static double step_j(const struct orr_job *job, const struct orr_serve_shape *shape, struct orr_scratch *scratch)
{
    struct orr_work work = {0};
    scratch->ops.n = 0;
    const enum orr_phase phase = shape->prefill_tokens > 0 ? ORR_PHASE_PREFILL : ORR_PHASE_DECODE;
    (void)orr_pass_emit(job, &job->model, shape, phase, &scratch->ops, scratch->costs);
    for (size_t i = 0; i < scratch->ops.n; i++)
        orr_work_add_op(job, &scratch->ops.items[i], &scratch->costs[i], scratch->ops.items[i].count, &work);
    return work_j(&job->system.chip, &work) / (double)job->plan.pp;
}

double orr_serving_power_w(const struct orr_job *job, const struct orr_step_means *m, struct orr_scratch *scratch)
{
    const struct orr_chip *chip = &job->system.chip;
    const double queries = (double)job->serving.draft_tokens + 1;
    const struct orr_serve_shape decode = {
        .decode_sequences = m->decodes, .decode_context = orr_max(1, m->context), .queries = queries};
    const struct orr_serve_shape prompt = {.prefill_tokens = m->prompt_tokens,
                                           .prefill_sequences = 1,
                                           .prefill_context = m->prompt_context,
                                           .decode_sequences = m->mixes ? m->decodes : 0,
                                           .decode_context = orr_max(1, m->context),
                                           .queries = queries};
    double joules = 0;
    if (m->steps > 0 && m->decodes > 0) joules += m->steps * step_j(job, &decode, scratch);
    if (m->prompt_steps > 0) joules += m->prompt_steps * step_j(job, &prompt, scratch);
    const double awake_w = orr_max(chip->idle_w, chip->awake_frac * chip->tdp_w),
                 busy_s = orr_min(m->busy_s, m->time_s);
    const double busy_w = orr_min(chip->tdp_w, awake_w + (busy_s > 0 ? joules / busy_s : 0));
    return (busy_w * busy_s + chip->idle_w * (m->time_s - busy_s)) / m->time_s;
}

void orr_serving_costs(const struct orr_job *job, const struct orr_step_means *means, struct orr_scratch *scratch,
                       struct orr_serving_result *result)
{
    const double gpus = (double)job->plan.gpus, tokens = result->output_tokens_per_s;
    result->power_w_per_gpu = orr_serving_power_w(job, means, scratch);
    const double watts = gpus * result->power_w_per_gpu * job->system.pue_frac;
    const double usd_per_s = gpus * job->system.price_usd_per_gpu_hour / 3600;
    result->energy_j_per_output_token = tokens > 0 ? watts / tokens : 0;
    result->energy_j_per_request = result->completed_requests_per_s > 0 ? watts / result->completed_requests_per_s : 0;
    result->cost_usd_per_million_output_tokens = tokens > 0 ? usd_per_s / tokens * 1e6 : 0;
}
