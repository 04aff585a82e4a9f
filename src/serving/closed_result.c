/* This file writes a steady state as a result, and has the intervals of results. Eqs. 208, 210. */
#include "base/number.h"
#include "predict/interval.h"
#include "predict/scratch.h"
#include "serving/closed.h"
#include "serving/result.h"

#include <math.h>

static void put(struct orr_timing *spread, double mean)
{
    *spread = (struct orr_timing){.mean = mean, .low_frac = 1, .high_frac = 1};
}

void orr_steady_result(const struct orr_job *job, const struct orr_replica_facts *facts,
                       const struct orr_demand *demand, const struct orr_steady *steady, struct orr_scratch *scratch,
                       struct orr_serving_result *result)
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
                                         .mixes = facts->engine.scheduler == ORR_SCHEDULER_VLLM_V1};
    orr_serving_costs(job, &means, scratch, result);
}

/* Joins the error of the model, a factor below or above 1, with that of a finite run. */
static double joined(double model, double run)
{
    const double squares = log(model) * log(model) + log(run) * log(run);
    return exp(model < 1 ? -sqrt(squares) : sqrt(squares));
}

/* Eq. 210: the closed form with steps at either end of the interval of their class says how far means move; near
 * saturation that is much more than the steps themselves. */
void orr_serving_scales(const struct orr_job *job, double scale[2])
{
    const struct orr_exposure whole = {0}; /* the shares of resources do not matter to a service under load */
    const struct orr_interval interval = orr_interval_of(job, orr_serving_regime(job), &whole);
    scale[0] = interval.low;
    scale[1] = interval.high;
}

void orr_serving_spread(const struct orr_job *job, double output, const struct orr_steady *middle,
                        const struct orr_steady ends[2], struct orr_serving_result *result)
{
    const struct orr_exposure whole = {0};
    const struct orr_interval first = orr_interval_of(job, ORR_REGIME_SERVE_FIRST, &whole);
    double factor[2][ORR_N_TIMINGS], rate[2];
    for (int i = 0; i < 2; i++) {
        const struct orr_steady *end = &ends[i];
        const double ttft = middle->ttft_s > 0 ? end->ttft_s / middle->ttft_s : 1;
        const double tpot = middle->tpot_s > 0 ? end->tpot_s / middle->tpot_s : 1;
        const double latency =
            (end->ttft_s + (output - 1) * end->tpot_s) / (middle->ttft_s + (output - 1) * middle->tpot_s);
        factor[i][ORR_TIMING_TTFT] = factor[i][ORR_TIMING_QUEUE] = ttft;
        factor[i][ORR_TIMING_TPOT] = factor[i][ORR_TIMING_ITL] = tpot;
        factor[i][ORR_TIMING_LATENCY] = latency;
        rate[i] = middle->rate_per_s > 0 ? end->rate_per_s / middle->rate_per_s : 1;
    }
    for (int k = 0; k < ORR_N_TIMINGS; k++) {
        if (k == ORR_TIMING_TTFT || k == ORR_TIMING_QUEUE) { /* whichever is wider */
            factor[0][k] = orr_min(factor[0][k], first.low);
            factor[1][k] = orr_max(factor[1][k], first.high);
        }
        result->timing[k].low_frac = joined(orr_min(1, factor[0][k]), result->timing[k].low_frac);
        result->timing[k].high_frac = joined(orr_max(1, factor[1][k]), result->timing[k].high_frac);
    }
    result->rate_low_frac = orr_min(1, rate[1]);
    result->rate_high_frac = orr_max(1, rate[0]);
    if (!middle->stable) result->saturated = true;
}

void orr_serving_intervals(const struct orr_job *job, const struct orr_replica_facts *facts,
                           const struct orr_demand *demand, struct orr_steps *steps, const struct orr_steady *middle,
                           struct orr_serving_result *result)
{
    double scale[2];
    struct orr_steady ends[2];
    orr_serving_scales(job, scale);
    for (int i = 0; i < 2; i++) ends[i] = orr_steady_of(facts, steps, demand, scale[i]);
    orr_serving_spread(job, demand->output, middle, ends, result);
}
