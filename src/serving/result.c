/* This file turns finished requests and sums of a replica into a result. Eqs. 206-208. */
#include "serving/result.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>

/* ---------------------------------------------------------------- groups of requests */

static void add_to_batches(struct orr_batches *b, double value)
{
    if (b->size == 0) b->size = 1;
    if (b->filled == b->size || b->n == 0) {
        if (b->n == ORR_BATCHES) {
            for (int i = 0; i < ORR_BATCHES / 2; i++) b->sum[i] = b->sum[2 * i] + b->sum[2 * i + 1];
            b->n = ORR_BATCHES / 2;
            b->size *= 2;
        }
        b->sum[b->n++] = 0;
        b->filled = 0;
    }
    b->sum[b->n - 1] += value;
    b->filled++;
}

/* Standard deviation of the mean over the mean; 0 with fewer than 8 groups. */
static double error_frac_of(const struct orr_batches *b)
{
    const int64_t whole = b->filled == b->size ? b->n : b->n - 1;
    double mean = 0, square = 0;
    if (whole < 8) return 0;
    for (int64_t i = 0; i < whole; i++) mean += b->sum[i] / (double)whole;
    for (int64_t i = 0; i < whole; i++) square += (b->sum[i] - mean) * (b->sum[i] - mean);
    return mean > 0 ? sqrt(square / (double)(whole - 1) / (double)whole) / mean : 0;
}

/* ---------------------------------------------------------------- requests */

bool orr_tally_open(struct orr_tally *tally)
{
    bool ready = true;
    orr_sketch_open(&tally->transfer, false);
    for (int i = 0; i < 2; i++) orr_sketch_open(&tally->ttft_by_class[i], false);
    for (int i = 0; i < ORR_N_TIMINGS; i++) {
        orr_sketch_open(&tally->spread[i], i != ORR_TIMING_ITL);
        ready &= i == ORR_TIMING_ITL || tally->spread[i].samples;
    }
    return ready;
}

void orr_tally_close(struct orr_tally *tally)
{
    for (int i = 0; i < ORR_N_TIMINGS; i++) orr_sketch_close(&tally->spread[i]);
    orr_sketch_close(&tally->transfer);
    for (int i = 0; i < 2; i++) orr_sketch_close(&tally->ttft_by_class[i]);
}

/* A request is good if it keeps every limit; gaps between its tokens are judged by their mean. */
static bool keeps(const struct orr_tally *tally, const double value_s[ORR_N_TIMINGS])
{
    for (size_t i = 0; i < tally->n_slos; i++)
        if (value_s[tally->slos[i].kind] > tally->slos[i].limit_s) return false;
    return true;
}

void orr_record_times(const struct orr_request_record *r, double value_s[ORR_N_TIMINGS])
{
    const double further = (double)(r->output_len - 1);
    const double tpot_s = further > 0 ? (r->finish_s - r->first_s) / further : 0;
    value_s[ORR_TIMING_TTFT] = r->first_s - r->arrival_s;
    value_s[ORR_TIMING_TPOT] = value_s[ORR_TIMING_ITL] = tpot_s;
    value_s[ORR_TIMING_LATENCY] = r->finish_s - r->arrival_s;
    value_s[ORR_TIMING_QUEUE] = r->start_s - r->visible_s;
}

void orr_tally_add(struct orr_tally *tally, const struct orr_request_record *r)
{
    const double further = (double)(r->output_len - 1);
    double value_s[ORR_N_TIMINGS];
    orr_record_times(r, value_s);
    tally->finished++;
    if (r->arrival_s < tally->from_s) return;
    tally->counted++;
    tally->kept += keeps(tally, value_s) ? 1 : 0;
    tally->input_tokens += (double)r->input_len;
    tally->output_tokens += (double)r->output_len;
    tally->cached_tokens += (double)r->cached_len;
    if (r->transfer_s > 0) orr_sketch_add(&tally->transfer, r->transfer_s, 1);
    if (tally->by_class) orr_sketch_add(&tally->ttft_by_class[r->urgent ? 1 : 0], value_s[ORR_TIMING_TTFT], 1);
    for (int i = 0; i < ORR_N_TIMINGS; i++) {
        if (i == ORR_TIMING_ITL || (i == ORR_TIMING_TPOT && further <= 0)) continue;
        orr_sketch_add(&tally->spread[i], value_s[i], 1);
        add_to_batches(&tally->batches[i], value_s[i]);
    }
}

/* ---------------------------------------------------------------- result */

double orr_timing_at(const struct orr_timing *spread, double quantile)
{
    if (quantile <= 0) return spread->mean;
    if (quantile <= 0.5) return spread->p50;
    if (quantile <= 0.9) return spread->p90;
    return quantile <= 0.95 ? spread->p95 : spread->p99;
}

void orr_tally_spreads(struct orr_tally *tally, struct orr_sketch *itl, struct orr_serving_result *result)
{
    for (int i = 0; i < ORR_N_TIMINGS; i++) {
        struct orr_sketch *sketch = i == ORR_TIMING_ITL ? itl : &tally->spread[i];
        const double error = error_frac_of(&tally->batches[i == ORR_TIMING_ITL ? ORR_TIMING_TPOT : i]);
        result->timing[i] = orr_sketch_timing(sketch);
        result->timing[i].low_frac = exp(-1.28 * error); /* Eq. 207 */
        result->timing[i].high_frac = exp(1.28 * error);
    }
    if (tally->transfer.weight > 0) result->transfer = orr_sketch_timing(&tally->transfer);
    if (tally->ttft_by_class[0].weight > 0) result->other_ttft = orr_sketch_timing(&tally->ttft_by_class[0]);
    if (tally->ttft_by_class[1].weight > 0) result->urgent_ttft = orr_sketch_timing(&tally->ttft_by_class[1]);
    result->slo_met = true;
    for (size_t i = 0; i < tally->n_slos; i++)
        result->slo_met &=
            orr_timing_at(&result->timing[tally->slos[i].kind], tally->slos[i].quantile) <= tally->slos[i].limit_s;
}

struct orr_step_means orr_step_means_of(const struct orr_job *job, const struct orr_replica_sums *sums, double time_s)
{
    const double decode_steps = (double)sums->decode_steps, prompt_steps = (double)sums->prompt_steps;
    const double prompt_tokens = (double)sums->prompt_tokens;
    struct orr_step_means means = {.time_s = time_s,
                                   .busy_s = sums->busy_s,
                                   .steps = (double)sums->steps - prompt_steps,
                                   .prompt_steps = prompt_steps,
                                   .mixes = orr_scheduler_mixes(&job->engine)};
    if (decode_steps > 0) means.decodes = sums->decode_rows / decode_steps;
    if (sums->decode_rows > 0) means.context = sums->context_steps / sums->decode_rows;
    if (prompt_steps > 0) means.prompt_tokens = prompt_tokens / prompt_steps;
    if (prompt_tokens > 0)
        means.prompt_context = orr_max(0, sums->prompt_pairs / prompt_tokens - means.prompt_tokens / 2);
    return means;
}

void orr_tally_rates(const struct orr_tally *tally, double replicas, double gpus, double time_s,
                     struct orr_serving_result *result)
{
    const double counted = (double)tally->counted;
    result->duration_s = time_s;
    result->mean_gpus = gpus;
    result->requests = (int64_t)(counted * replicas);
    result->output_tokens_per_s = replicas * tally->output_tokens / time_s;
    result->output_tokens_per_s_per_gpu = result->output_tokens_per_s / gpus;
    result->input_tokens_per_s = replicas * tally->input_tokens / time_s;
    result->completed_requests_per_s = replicas * counted / time_s;
    result->slo_frac = counted > 0 ? (double)tally->kept / counted : 0;
    result->goodput_requests_per_s = result->completed_requests_per_s * result->slo_frac;
    result->prefix_hit_frac = tally->input_tokens > 0 ? tally->cached_tokens / tally->input_tokens : 0;
}

void orr_tally_result(struct orr_tally *tally, const struct orr_job *job, struct orr_scratch *scratch,
                      struct orr_replica *replica, double last_s, struct orr_serving_result *result)
{
    const struct orr_replica_sums *sums = orr_replica_sums_of(replica);
    const double time_s = orr_max(1e-12, last_s - tally->from_s);
    int64_t n_free;
    const double blocks = (double)orr_replica_blocks(replica, &n_free);
    orr_tally_spreads(tally, orr_replica_itl(replica), result);
    orr_tally_rates(tally, (double)job->plan.dp, (double)job->plan.gpus, time_s, result);
    result->mean_running_batch = sums->busy_s > 0 ? sums->running_s / sums->busy_s : 0;
    result->mean_waiting = result->timing[ORR_TIMING_QUEUE].mean * (double)tally->counted / time_s; /* Little's law */
    result->kv_used_frac = sums->busy_s > 0 ? sums->used_block_s / sums->busy_s / orr_max(1, blocks) : 0;
    result->preemptions = sums->preemptions * job->plan.dp;
    result->refused = sums->refused * job->plan.dp;
    result->busy_frac = orr_min(1, sums->busy_s / time_s);
    result->prompt_frac = sums->busy_s > 0 ? sums->prompt_s / sums->busy_s : 0;
    const struct orr_step_means means = orr_step_means_of(job, sums, time_s);
    orr_serving_costs(job, &means, scratch, result);
}

void orr_serving_fits(const struct orr_infer_result *alone, const struct orr_replica_facts *facts,
                      struct orr_serving_result *result)
{
    result->fits = facts->kv_tokens >= 1 && result->refused == 0;
    result->reason[0] = '\0';
    if (facts->kv_tokens < 1) {
        result->complete = true;
        (void)snprintf(result->reason, sizeof result->reason, "%s", alone->reason);
    } else if (result->refused > 0)
        (void)snprintf(result->reason, sizeof result->reason,
                       "%lld requests are longer than the cache, which holds %.0f tokens", (long long)result->refused,
                       facts->kv_tokens);
}
