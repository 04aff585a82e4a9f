/* This file writes the steady state of pools as a result. Eqs. 208-210. */
#include "base/number.h"
#include "predict/scratch.h"
#include "serving/pools.h"

#include <math.h>
#include <stdlib.h>

void orr_pools_intervals(const struct orr_fleet_pool *pools, int64_t n, const struct orr_traffic *traffic,
                         struct orr_scratch *scratch, struct orr_serving_result *result)
{
    struct orr_pool_view views[ORR_MAX_POOLS];
    struct orr_steady ends[2];
    const struct orr_mean_lengths lengths = orr_traffic_lengths(traffic);
    if (traffic->arrival == ORR_ARRIVAL_SATURATED) return;
    for (int64_t i = 0; i < n; i++)
        views[i] = (struct orr_pool_view){.role = pools[i].role,
                                          .job = pools[i].job,
                                          .facts = &pools[i].facts,
                                          .steps = pools[i].steps,
                                          .stages = pools[i].stages,
                                          .replicas = orr_max(1, result->pools[i].replicas)};
    const struct orr_pools_steady middle = orr_pools_steady_of(views, n, traffic, 1);
    const struct orr_serving_doubt doubt =
        orr_serving_doubt_of(views[n - 1].job, lengths.input, lengths.output, &middle.all, scratch);
    for (int i = 0; i < 2; i++)
        ends[i] = orr_pools_steady_of(views, n, traffic, i == 0 ? doubt.step.low : doubt.step.high).all;
    orr_serving_spread(&doubt, lengths.output, &middle.all, ends, result);
}

/* ---------------------------------------------------------------- the closed form alone */

static struct orr_timing only_mean(double mean)
{
    return (struct orr_timing){.mean = mean, .low_frac = 1, .high_frac = 1};
}

static void fill_pool(const struct orr_pool_view *view, const struct orr_steady *steady,
                      const struct orr_mean_lengths *lengths, struct orr_scratch *scratch, struct orr_pool_result *out)
{
    const double held = lengths->input + (view->role == ORR_POOL_PREFILL ? 0 : lengths->output / 2);
    const double prompt_steps =
        steady->prompt_tokens > 0 ? steady->rate_per_s * lengths->input / steady->prompt_tokens : 0;
    const double steps = steady->step_s > 0 ? steady->busy_frac / steady->step_s : 0;
    const struct orr_step_means means = {
        .time_s = 1,
        .busy_s = steady->busy_frac,
        .steps = view->role == ORR_POOL_WHOLE ? orr_max(0, steps - prompt_steps) : steps,
        .prompt_steps = prompt_steps,
        .decodes = steady->decodes,
        .context = lengths->input + lengths->output_square / lengths->output / 2,
        .prompt_tokens = steady->prompt_tokens,
        .mixes = view->role == ORR_POOL_WHOLE && orr_scheduler_mixes(&view->facts->engine)};
    *out = (struct orr_pool_result){.role = view->role,
                                    .gpus = view->job->plan.gpus,
                                    .replicas = view->replicas,
                                    .busy_frac = steady->busy_frac,
                                    .mean_running_batch = steady->decodes,
                                    .kv_used_frac = orr_min(1, steady->decodes * held / view->facts->kv_tokens),
                                    .kv_capacity_tokens = view->facts->kv_tokens,
                                    .power_w_per_gpu = orr_serving_power_w(view->job, &means, scratch)};
}

static void fill_result(const struct orr_pool_view *views, int64_t n, const struct orr_pools_steady *s,
                        const struct orr_mean_lengths *lengths, struct orr_scratch *scratch,
                        struct orr_serving_result *r)
{
    const double further = lengths->output - 1;
    double watts = 0, facility_w = 0, usd_per_s = 0;
    r->timing[ORR_TIMING_TTFT] = only_mean(s->all.ttft_s);
    r->timing[ORR_TIMING_TPOT] = r->timing[ORR_TIMING_ITL] = only_mean(s->all.tpot_s);
    r->timing[ORR_TIMING_LATENCY] = only_mean(s->all.ttft_s + further * s->all.tpot_s);
    r->timing[ORR_TIMING_QUEUE] = only_mean(s->all.waiting_s);
    r->transfer = only_mean(s->transfer_s);
    r->link_busy_frac = orr_min(1, s->link_load);
    r->completed_requests_per_s = r->goodput_requests_per_s = s->all.rate_per_s;
    r->slo_frac = 1;
    r->slo_met = true;
    r->output_tokens_per_s = s->all.rate_per_s * lengths->output;
    r->input_tokens_per_s = s->all.rate_per_s * lengths->input;
    r->mean_running_batch = s->all.decodes;
    r->saturated = !s->all.stable;
    r->n_pools = n;
    for (int64_t i = 0; i < n; i++) {
        const struct orr_system *system = &views[i].job->system;
        fill_pool(&views[i], &s->pools[i], lengths, scratch, &r->pools[i]);
        const double gpus = (double)views[i].job->plan.gpus, own_w = gpus * r->pools[i].power_w_per_gpu;
        watts += own_w;
        facility_w += own_w * system->pue_frac;
        usd_per_s += gpus * system->price_usd_per_gpu_hour / 3600;
        r->mean_gpus += gpus;
        if (views[i].role == ORR_POOL_PREFILL) continue;
        r->kv_used_frac = orr_max(r->kv_used_frac, r->pools[i].kv_used_frac);
        r->kv_capacity_tokens = orr_max(r->kv_capacity_tokens, r->pools[i].kv_capacity_tokens);
        r->busy_frac = orr_max(r->busy_frac, r->pools[i].busy_frac);
    }
    r->output_tokens_per_s_per_gpu = r->output_tokens_per_s / r->mean_gpus;
    r->power_w_per_gpu = watts / r->mean_gpus;
    r->energy_j_per_output_token = r->output_tokens_per_s > 0 ? facility_w / r->output_tokens_per_s : 0;
    r->energy_j_per_request = s->all.rate_per_s > 0 ? facility_w / s->all.rate_per_s : 0;
    r->cost_usd_per_million_output_tokens = r->output_tokens_per_s > 0 ? usd_per_s / r->output_tokens_per_s * 1e6 : 0;
}

/* What the closed form needs of every pool, which it owns. */
struct prepared {
    struct orr_replica_facts facts[ORR_MAX_POOLS];
    struct orr_infer_result alone[ORR_MAX_POOLS];
    struct orr_steps *steps[ORR_MAX_POOLS];
    struct orr_stage *stages[ORR_MAX_POOLS];
    struct orr_pool_view views[ORR_MAX_POOLS];
    struct orr_scratch *scratch;
};

static bool prepare(struct prepared *p, const struct orr_deployment *d, const struct orr_traffic *traffic)
{
    p->scratch = orr_scratch_new();
    for (size_t i = 0; p->scratch && i < d->n_pools; i++) {
        const struct orr_job *job = d->pools[i].job;
        p->facts[i] = orr_pool_facts_of(job, d->pools[i].role, traffic, p->scratch, &p->alone[i]);
        p->steps[i] = orr_pool_steps_new(job, d->pools[i].role, traffic, false);
        p->stages[i] = malloc((size_t)job->plan.pp * sizeof *p->stages[i]);
        if (!p->steps[i] || !p->stages[i]) return false;
        orr_stages_build(job, p->stages[i]);
        p->views[i] = (struct orr_pool_view){.role = d->pools[i].role,
                                             .job = job,
                                             .facts = &p->facts[i],
                                             .steps = p->steps[i],
                                             .stages = p->stages[i],
                                             .replicas = (double)job->plan.dp};
    }
    return p->scratch;
}

bool orr_pools_solve(const struct orr_deployment *d, const struct orr_traffic *traffic,
                     struct orr_serving_result *result)
{
    struct prepared *p = calloc(1, sizeof *p);
    const struct orr_mean_lengths lengths = orr_traffic_lengths(traffic);
    const int64_t n = (int64_t)d->n_pools;
    const bool done = p && prepare(p, d, traffic);
    *result = (struct orr_serving_result){.complete = true, .fits = true};
    for (int64_t i = 0; done && i < n && result->fits; i++) orr_serving_fits(&p->alone[i], &p->facts[i], result);
    if (done && result->fits) {
        struct orr_steady ends[2];
        const struct orr_pools_steady middle = orr_pools_steady_of(p->views, n, traffic, 1);
        fill_result(p->views, n, &middle, &lengths, p->scratch, result);
        const struct orr_serving_doubt doubt = orr_serving_doubt_of(p->views[n - 1].job, lengths.input, lengths.output,
                                                                    &middle.all, p->scratch);
        for (int i = 0; i < 2; i++)
            ends[i] = orr_pools_steady_of(p->views, n, traffic, i == 0 ? doubt.step.low : doubt.step.high).all;
        orr_serving_spread(&doubt, lengths.output, &middle.all, ends, result);
    }
    for (int64_t i = 0; p && i < n; i++) {
        orr_steps_free(p->steps[i]);
        free(p->stages[i]);
    }
    if (p) orr_scratch_free(p->scratch);
    free(p);
    return done;
}
