/* This file turns what a fleet has done into a result: pools by themselves, and all of them. */
#include "base/number.h"
#include "serving/fleet.h"

#include <math.h>

static void add_sums(struct orr_replica_sums *all, const struct orr_replica_sums *own)
{
    all->busy_s += own->busy_s;
    all->prompt_s += own->prompt_s;
    all->running_s += own->running_s;
    all->used_block_s += own->used_block_s;
    all->context_steps += own->context_steps;
    all->steps += own->steps;
    all->decode_steps += own->decode_steps;
    all->prompt_steps += own->prompt_steps;
    all->decode_rows += own->decode_rows;
    all->prompt_tokens += own->prompt_tokens;
    all->prompt_pairs += own->prompt_pairs;
    all->preemptions += own->preemptions;
    all->refused += own->refused;
}

/* Seconds for which replicas of a pool are paid. */
static double paid_s(const struct orr_fleet *f, const struct orr_fleet_pool *pool)
{
    double sum_s = 0;
    for (int64_t i = 0; i < pool->n; i++) {
        const struct orr_station *s = &f->stations[pool->first + i];
        sum_s += s->paid_s + (s->paid ? orr_max(0, f->last_s - s->since_s) : 0);
    }
    return sum_s;
}

static void fill_pool(const struct orr_fleet *f, const struct orr_fleet_pool *pool, const struct orr_replica_sums *sums,
                      double time_s, struct orr_pool_result *out)
{
    const struct orr_job *job = pool->job;
    const double each_gpus = (double)job->plan.gpus / (double)job->plan.dp, whole_s = paid_s(f, pool);
    int64_t n_free;
    const double blocks = (double)orr_replica_blocks(f->stations[pool->first].replica, &n_free);
    const struct orr_step_means means = orr_step_means_of(job, sums, orr_max(1e-12, whole_s));
    *out = (struct orr_pool_result){.role = pool->role,
                                    .gpus = (int64_t)(each_gpus * (double)pool->n + 0.5),
                                    .replicas = whole_s / time_s,
                                    .busy_frac = whole_s > 0 ? orr_min(1, sums->busy_s / whole_s) : 0,
                                    .kv_capacity_tokens = pool->facts.kv_tokens,
                                    .power_w_per_gpu = orr_serving_power_w(job, &means, f->scratch),
                                    .preemptions = sums->preemptions};
    if (sums->busy_s <= 0) return;
    out->mean_running_batch = sums->running_s / sums->busy_s;
    out->kv_used_frac = sums->used_block_s / sums->busy_s / orr_max(1, blocks);
}

/* Power, energy and money of all pools. */
static void fill_costs(const struct orr_fleet *f, struct orr_serving_result *result)
{
    double watts = 0, facility_w = 0, usd_per_s = 0, gpus = 0;
    for (int64_t i = 0; i < f->n_pools; i++) {
        const struct orr_job *job = f->pools[i].job;
        const struct orr_pool_result *pool = &result->pools[i];
        const double own = pool->replicas * (double)job->plan.gpus / (double)job->plan.dp;
        gpus += own;
        watts += own * pool->power_w_per_gpu;
        facility_w += own * pool->power_w_per_gpu * job->system.pue_frac;
        usd_per_s += own * job->system.price_usd_per_gpu_hour / 3600;
    }
    result->mean_gpus = gpus;
    result->output_tokens_per_s_per_gpu = gpus > 0 ? result->output_tokens_per_s / gpus : 0;
    result->power_w_per_gpu = gpus > 0 ? watts / gpus : 0;
    if (result->output_tokens_per_s <= 0) return;
    result->energy_j_per_output_token = facility_w / result->output_tokens_per_s;
    result->energy_j_per_request = facility_w / result->completed_requests_per_s;
    result->cost_usd_per_million_output_tokens = usd_per_s / result->output_tokens_per_s * 1e6;
}

/* Batch and cache of the pools that make tokens, as means over their replicas; shares of time of all pools. */
static void fill_means(const struct orr_fleet *f, const struct orr_replica_sums *sums,
                       struct orr_serving_result *result)
{
    double busy_s = 0, running_s = 0, used_s = 0, prompt_s = 0, all_s = 0, replicas = 0;
    for (int64_t i = 0; i < f->n_pools; i++) {
        const struct orr_pool_result *pool = &result->pools[i];
        all_s += sums[i].busy_s;
        prompt_s += sums[i].prompt_s;
        replicas += pool->replicas;
        result->preemptions += sums[i].preemptions;
        result->refused += sums[i].refused;
        result->busy_frac += pool->busy_frac * pool->replicas;
        if (pool->role == ORR_POOL_PREFILL) continue;
        busy_s += sums[i].busy_s;
        running_s += sums[i].running_s;
        used_s += pool->kv_used_frac * sums[i].busy_s;
        result->kv_capacity_tokens = orr_max(result->kv_capacity_tokens, pool->kv_capacity_tokens);
    }
    result->busy_frac = replicas > 0 ? result->busy_frac / replicas : 0;
    result->prompt_frac = all_s > 0 ? prompt_s / all_s : 0;
    result->mean_running_batch = busy_s > 0 ? running_s / busy_s : 0;
    result->kv_used_frac = busy_s > 0 ? used_s / busy_s : 0;
    result->mean_waiting = replicas > 0
                               ? result->timing[ORR_TIMING_QUEUE].mean * result->completed_requests_per_s / replicas
                               : 0; /* Little's law */
}

void orr_fleet_result(struct orr_fleet *f, struct orr_serving_result *result)
{
    const double time_s = orr_max(1e-12, f->last_s - f->tally.from_s);
    struct orr_replica_sums *const sums = f->sums;
    double sent_s = 0, senders = 0;
    orr_sketch_open(&f->itl, false);
    for (int64_t p = 0; p < f->n_pools; p++) {
        for (int64_t i = 0; i < f->pools[p].n; i++) {
            const struct orr_station *s = &f->stations[f->pools[p].first + i];
            add_sums(&sums[p], orr_replica_sums_of(s->replica));
            if (f->pools[p].role != ORR_POOL_PREFILL) orr_sketch_merge(&f->itl, orr_replica_itl(s->replica));
            else {
                sent_s += f->links.busy_s[s->index];
                senders++;
            }
        }
    }
    orr_tally_spreads(&f->tally, &f->itl, result);
    orr_tally_rates(&f->tally, 1, 1, time_s, result);
    result->n_pools = f->n_pools;
    for (int64_t p = 0; p < f->n_pools; p++) fill_pool(f, &f->pools[p], &sums[p], time_s, &result->pools[p]);
    fill_means(f, sums, result);
    fill_costs(f, result);
    result->link_busy_frac = senders > 0 ? orr_min(1, sent_s / senders / time_s) : 0;
    result->rejected = f->rejected;
    result->restarted = f->restarted;
    orr_sketch_close(&f->itl);
}
