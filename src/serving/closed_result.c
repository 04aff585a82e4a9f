/* This file writes a steady state as a result. Eq. 208. */
#include "base/number.h"
#include "predict/scratch.h"
#include "serving/closed.h"
#include "serving/result.h"

static void put(struct orr_timing *spread, double mean)
{
    *spread = (struct orr_timing){.mean = mean, .low_frac = 1, .mid_frac = 1, .high_frac = 1};
}

void orr_steady_means(const struct orr_job *job, const struct orr_replica_facts *facts, const struct orr_demand *demand,
                      const struct orr_steady *steady, struct orr_serving_result *result)
{
    const double replicas = (double)job->plan.dp, rate = replicas * steady->rate_per_s;
    const double further = demand->output - 1, held = demand->input + demand->output / 2;
    put(&result->timing[ORR_TIMING_TTFT], steady->ttft_s);
    put(&result->timing[ORR_TIMING_TPOT], steady->tpot_s);
    put(&result->timing[ORR_TIMING_ITL], steady->tpot_s);
    put(&result->timing[ORR_TIMING_LATENCY], steady->ttft_s + further * steady->tpot_s);
    put(&result->timing[ORR_TIMING_QUEUE], steady->waiting_s);
    result->completed_requests_per_s = result->goodput_requests_per_s = rate;
    result->slo_frac = 1;
    result->slo_met = true;
    result->output_tokens_per_s = rate * demand->output;
    result->output_tokens_per_s_per_gpu = result->output_tokens_per_s / (double)job->plan.gpus;
    result->input_tokens_per_s = rate * demand->input;
    result->mean_running_batch = steady->decodes;
    result->mean_waiting = steady->rate_per_s * steady->waiting_s;
    result->kv_used_frac = orr_min(1, steady->decodes * held / facts->kv_tokens);
    result->busy_frac = steady->busy_frac;
    result->prompt_frac = orr_min(1, steady->prompt_load);
    result->saturated = !steady->stable;
}

void orr_steady_result(const struct orr_job *job, const struct orr_replica_facts *facts,
                       const struct orr_demand *demand, const struct orr_steady *steady, struct orr_scratch *scratch,
                       struct orr_serving_result *result)
{
    orr_steady_means(job, facts, demand, steady, result);
    const double prompt_steps =
        steady->prompt_tokens > 0 ? steady->rate_per_s * demand->input / steady->prompt_tokens : 0;
    const double steps = steady->step_s > 0 ? steady->busy_frac / steady->step_s : 0;
    const struct orr_step_means means = {.time_s = 1,
                                         .busy_s = steady->busy_frac,
                                         .steps = orr_max(0, steps - prompt_steps),
                                         .prompt_steps = prompt_steps,
                                         .decodes = steady->decodes,
                                         .context = demand->input + demand->output_square / demand->output / 2,
                                         .prompt_tokens = steady->prompt_tokens,
                                         .mixes = orr_scheduler_mixes(&facts->engine)};
    orr_serving_costs(job, &means, scratch, result);
}
