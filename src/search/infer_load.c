/* This file compares plans of inference under load: the steady state in closed form (docs/serving.md) instead of a
 * batch that arrives at once. */
#include "base/number.h"
#include "search/search.h"
#include "spec/job.h"

bool orr_infer_loaded(const struct orr_search_request *request)
{
    return request->concurrency > 0 || request->rate_per_s > 0;
}

static struct orr_traffic traffic_of(const struct orr_search_request *request, const struct orr_job *job)
{
    struct orr_traffic traffic = {.arrival = request->concurrency > 0 ? ORR_ARRIVAL_CLOSED : ORR_ARRIVAL_POISSON,
                                  .rate_per_s = request->rate_per_s,
                                  .concurrency = request->concurrency};
    traffic.input_len = (struct orr_lengths){.law = ORR_LENGTH_FIXED, .mean = (double)orr_prompt_len(job)};
    traffic.output_len = (struct orr_lengths){.law = ORR_LENGTH_FIXED, .mean = (double)job->serving.output_len};
    /* Lengths that are all equal let users march in step, which no service sees: they spread by a tenth. */
    if (traffic.output_len.mean >= 20)
        traffic.output_len = (struct orr_lengths){.law = ORR_LENGTH_UNIFORM,
                                                  .low = (double)(int64_t)(0.9 * traffic.output_len.mean),
                                                  .high = (double)(int64_t)(1.1 * traffic.output_len.mean)};
    return traffic;
}

/* Times, rates, power and money of the steady state; parts of the latency keep their shares. False: the plan has no
 * steady state under this load, or memory ran out. */
static bool take(const struct orr_serving_result *load, const struct orr_job *job, struct orr_infer_result *r)
{
    const double tokens = (double)job->serving.batch * (double)job->serving.output_len;
    const double latency_s = load->timing[ORR_TIMING_LATENCY].mean, scale = latency_s / r->latency_s;
    if (!load->fits || load->saturated) return false;
    r->ttft_s = load->timing[ORR_TIMING_TTFT].mean;
    r->tpot_s = load->timing[ORR_TIMING_TPOT].mean;
    r->decode_s = latency_s - r->ttft_s;
    r->latency_s = latency_s;
    r->interval_low_s = latency_s * load->timing[ORR_TIMING_LATENCY].low_frac;
    r->interval_high_s = latency_s * load->timing[ORR_TIMING_LATENCY].high_frac;
    for (int i = 0; i < ORR_N_INFER_PARTS; i++) r->time_s[i] *= scale;
    r->output_tokens_per_s = load->output_tokens_per_s;
    r->output_tokens_per_s_per_gpu = load->output_tokens_per_s_per_gpu;
    r->input_tokens_per_s_per_gpu = load->input_tokens_per_s / (double)job->plan.gpus;
    r->power_w_per_gpu = load->power_w_per_gpu;
    r->energy_j = load->energy_j_per_output_token * tokens;
    r->cost_usd_per_million_tokens = load->cost_usd_per_million_output_tokens;
    r->cost_usd = r->cost_usd_per_million_tokens * tokens / 1e6;
    return true;
}

bool orr_infer_load(const struct orr_search_request *request, const struct orr_job *job,
                    struct orr_infer_result *result)
{
    struct orr_closed_form *form = orr_closed_form_new(job);
    const struct orr_traffic traffic = traffic_of(request, job);
    struct orr_serving_result load;
    if (!form) return false;
    orr_closed_form_solve(form, &traffic, &load);
    orr_closed_form_free(form);
    return take(&load, job, result);
}
