/* This file finds the steady state of pools in closed form. Eqs. 251-254. */
#include "serving/pools.h"

#include "base/number.h"
#include "base/text.h"
#include "predict/pass.h"
#include "predict/scratch.h"

#include <math.h>
#include <stdlib.h>

struct orr_replica_facts orr_pool_facts_of(const struct orr_job *job, enum orr_pool_role role,
                                           const struct orr_traffic *traffic, struct orr_scratch *scratch,
                                           struct orr_infer_result *result)
{
    struct orr_replica_facts facts = orr_replica_facts_of(job, traffic, scratch, result);
    facts.role = role;
    if (role == ORR_POOL_DECODE) facts.engine.batch_wait_steps = 0; /* there are no prompts to wait for */
    if (role == ORR_POOL_PREFILL && job->engine.prefill_serial) facts.engine.async_scheduling = false;
    return facts;
}

struct orr_steps *orr_pool_steps_new(const struct orr_job *job, enum orr_pool_role role,
                                     const struct orr_traffic *traffic, bool exact)
{
    struct orr_job own = *job;
    if (role != ORR_POOL_WHOLE && orr_has_word(job->engine.graph_prompts_not, "pools"))
        own.engine.graph_prompts = false;
    return orr_steps_new(&own, traffic, exact);
}

/* ---------------------------------------------------------------- prompts */

/* A prefill replica at a rate of prompts. */
struct prompts {
    double step_s; /* of the prompts that are computed together */
    double joined; /* their number */
    double most;   /* prompts that fit into a step */
    double chunks; /* steps of one prompt */
    double load;   /* of the replica, where every step is as full as it can be */
};

static double step_s(const struct orr_pool_view *pool, double input, double joined, double chunks, double scale)
{
    const double tokens = joined * input / chunks, cached = (input - input / chunks) / 2;
    const struct orr_mixed mixed = {.tokens = (int64_t)orr_max(1, floor(tokens + 0.5)),
                                    .prompts = (int64_t)orr_max(1, floor(joined + 0.5)),
                                    .pairs = tokens * (cached + input / chunks / 2),
                                    .cached = (int64_t)(cached * orr_max(1, joined))};
    return scale * chunks * orr_steps_mixed(pool->steps, &mixed);
}

/* Eq. 251: as many prompts join a step as arrive during one. */
static struct prompts prompts_at(const struct orr_pool_view *pool, double input, double rate, double scale)
{
    const struct orr_engine *e = &pool->facts->engine;
    const double budget = e->max_step_tokens > 0 ? (double)e->max_step_tokens : 1e15;
    struct prompts p = {.joined = 1, .most = orr_max(1, floor(budget / input)), .chunks = 1};
    if (e->chunked_prefill) p.chunks = orr_max(1, orr_ceil(input / budget));
    const double full_s = step_s(pool, input, p.most, p.chunks, scale);
    p.load = rate * full_s / p.most;
    p.step_s = step_s(pool, input, 1, p.chunks, scale);
    for (int i = 0; i < 8 && rate * p.step_s > 1 && p.most > 1; i++) {
        p.joined = orr_min(p.most, orr_max(1, rate * p.step_s));
        p.step_s = step_s(pool, input, p.joined, p.chunks, scale);
    }
    return p;
}

/* Eq. 252: the wait for a prefill replica. Pollaczek and Khinchine where a step takes one prompt; where it takes many,
 * half a step until the queue itself is longer than one. A replica that gets every R-th request of a stream sees gaps
 * with 1 / R of their variance, to which the wait is proportional (Kingman). */
static double wait_s(const struct prompts *p, double rate, double replicas)
{
    const double busy = orr_min(1, rate * p->step_s / p->joined);
    return busy * p->step_s / 2 / replicas / orr_max(1e-6, 1 - p->load);
}

/* ---------------------------------------------------------------- one rate through all pools */

struct flow {
    const struct orr_pool_view *pools;
    int64_t n;
    struct orr_demand demand; /* of the whole system */
    double scale;
    double prefills, decodes, wholes; /* replicas by role */
};

static double mean_into(double sum, double value, double weight)
{
    return sum + value * weight;
}

/* Eq. 253: transfers share the links of their sender and of their receiver. */
static double transfer_s(const struct flow *f, const struct orr_pool_view *from, double rate, double prompt_s,
                         double *load)
{
    double all_s = orr_handoff_s(from->job, from->stages, f->demand.input), in_s = 0;
    for (int64_t i = 0; i < f->n; i++)
        if (f->pools[i].role == ORR_POOL_DECODE)
            in_s += orr_handoff_s(f->pools[i].job, f->pools[i].stages, f->demand.input) * f->pools[i].replicas;
    in_s /= f->decodes;
    *load = orr_max(rate / f->prefills * all_s, rate / f->decodes * in_s);
    all_s = orr_max(all_s, in_s);
    const double pieces = orr_handoff_pieces(from->job, f->demand.input, orr_step_chunk_tokens(from->job));
    return orr_handoff_left_s(pieces, all_s, prompt_s) / orr_max(1e-6, 1 - *load) +
           from->job->system.scaleout_latency_s;
}

static void add_prefill(const struct flow *f, int64_t i, double rate, struct orr_pools_steady *s)
{
    const struct orr_pool_view *pool = &f->pools[i];
    const double each = rate / f->prefills, share = pool->replicas / f->prefills;
    const struct prompts p = prompts_at(pool, f->demand.input, each, f->scale);
    const double handling_s =
        orr_frontend_turn_s(pool->facts, f->demand.input) + orr_frontend_own_s(pool->facts, f->demand.input);
    double load, queue_s = wait_s(&p, each, f->prefills);
    if (f->demand.users > 0) queue_s *= orr_max(0, f->demand.users - 1) / f->demand.users;
    const double sent_s = transfer_s(f, pool, rate, p.step_s, &load);
    s->pools[i] = (struct orr_steady){.ttft_s = handling_s + queue_s + p.step_s + sent_s,
                                      .rate_per_s = each,
                                      .waiting_s = queue_s,
                                      .prompt_tokens = p.joined * f->demand.input / p.chunks,
                                      .prompt_load = each * p.step_s / p.joined,
                                      .busy_frac = orr_min(1, each * p.step_s / p.joined),
                                      .stable = p.load < 1 && load < 1};
    s->all.ttft_s = mean_into(s->all.ttft_s, s->pools[i].ttft_s, share);
    s->all.waiting_s = mean_into(s->all.waiting_s, queue_s, share);
    s->transfer_s = mean_into(s->transfer_s, sent_s, share);
    s->link_load = orr_max(s->link_load, load);
    s->all.stable &= s->pools[i].stable;
}

/* A pool whose replicas write this share of the answers. */
static void add_answers(int64_t i, const struct orr_steady *steady, double share, struct orr_pools_steady *s)
{
    s->pools[i] = *steady;
    s->all.ttft_s = mean_into(s->all.ttft_s, steady->ttft_s, share);
    s->all.tpot_s = mean_into(s->all.tpot_s, steady->tpot_s, share);
    s->all.step_s = mean_into(s->all.step_s, steady->step_s, share);
    s->all.decodes = mean_into(s->all.decodes, steady->decodes, share);
    s->all.stable &= steady->stable;
}

/* Eq. 254: steps of a decode replica hold no prompts; a cache that arrives waits for the step that runs, and the first
 * token with it. */
static void add_decode(const struct flow *f, int64_t i, double rate, struct orr_pools_steady *s)
{
    const struct orr_pool_view *pool = &f->pools[i];
    const double share = pool->replicas / f->decodes, further = f->demand.output - 1;
    struct orr_demand demand = f->demand;
    demand.received = true;
    demand.rate_per_s = rate / f->decodes;
    struct orr_steady steady = orr_steady_of(pool->facts, pool->steps, &demand, f->scale);
    const struct orr_engine *e = &pool->facts->engine;
    const double lag = orr_decides_ahead(e) ? 1.5 : 0.5;
    steady.ttft_s = further > 0 ? steady.busy_frac * lag * steady.step_s : 0;
    if (e->decode_after_prefill)
        steady.ttft_s += (e->frontend_s + e->frontend_s_per_request) / pool->facts->host_speed + pool->facts->request_s;
    if (e->first_grouped && pool->facts->ranks > 1 && e->stream_tokens > 1 && further > 0) { /* Eq. 310 */
        const double group = orr_min(1, (double)e->stream_tokens / further);
        steady.ttft_s += group * further * steady.tpot_s;
        steady.tpot_s *= 1 - group;
    }
    add_answers(i, &steady, share, s);
    s->all.limited |= steady.limited;
}

static void add_whole(const struct flow *f, int64_t i, double rate, struct orr_pools_steady *s)
{
    const struct orr_pool_view *pool = &f->pools[i];
    const double share = pool->replicas / f->wholes;
    struct orr_demand demand = f->demand;
    demand.rate_per_s = rate / f->wholes;
    const struct orr_steady steady = orr_steady_of(pool->facts, pool->steps, &demand, f->scale);
    add_answers(i, &steady, share, s);
    s->all.waiting_s = mean_into(s->all.waiting_s, steady.waiting_s, share);
}

static struct orr_pools_steady steady_at(const struct flow *f, double rate)
{
    struct orr_pools_steady s = {.all = {.rate_per_s = rate, .stable = true, .busy_frac = 1}};
    for (int64_t i = 0; i < f->n; i++) {
        switch (f->pools[i].role) {
        case ORR_POOL_WHOLE: add_whole(f, i, rate, &s); break;
        case ORR_POOL_PREFILL: add_prefill(f, i, rate, &s); break;
        case ORR_POOL_DECODE: add_decode(f, i, rate, &s); break;
        case ORR_N_POOL_ROLES: break;
        }
    }
    return s;
}

/* ---------------------------------------------------------------- rates and loops */

/* Users who ask, wait, read or think at a rate; HUGE_VAL above the largest rate. */
static double users_at(const struct flow *f, double rate)
{
    const struct orr_pools_steady s = steady_at(f, rate);
    if (!s.all.stable) return HUGE_VAL;
    return rate * (s.all.ttft_s + f->demand.think_s + (f->demand.output - 1) * s.all.tpot_s);
}

/* Halves until the rate has as many users as there are. Where the largest rate has fewer, the others queue. */
static struct orr_pools_steady closed_loop(const struct flow *f)
{
    const double users = f->demand.users;
    double low = 0, high = 1e-3;
    while (high < 1e9 && users_at(f, high) < users) high *= 2;
    for (int i = 0; i < 50 && high - low > 1e-9 * high; i++) {
        const double middle = (low + high) / 2;
        if (users_at(f, middle) < users) low = middle;
        else high = middle;
    }
    struct orr_pools_steady s = steady_at(f, low);
    const double further = f->demand.output - 1;
    const double queue_s = users / orr_max(1e-12, low) - s.all.ttft_s - f->demand.think_s - further * s.all.tpot_s;
    if (queue_s > 1e-6 * s.all.ttft_s) {
        s.all.ttft_s += queue_s;
        s.all.waiting_s += queue_s;
        s.all.limited = true;
    }
    return s;
}

/* All users ask at once at the start of a run, so that prompts are computed in groups; Eq. 223. */
static void add_burst(const struct flow *f, struct orr_pools_steady *s)
{
    const struct orr_demand *d = &f->demand;
    if (d->users <= 0 || d->requests <= d->users || f->prefills <= 0) return;
    for (int64_t i = 0; i < f->n; i++) {
        if (f->pools[i].role != ORR_POOL_PREFILL) continue;
        const struct prompts p = prompts_at(&f->pools[i], d->input, 1e9, f->scale);
        const double each = orr_max(1, d->users / f->prefills), groups = orr_ceil(each / p.most);
        const double group_s = step_s(&f->pools[i], d->input, orr_min(each, p.most), p.chunks, f->scale);
        const double mean_s = s->all.ttft_s - s->all.waiting_s + group_s * (groups - 1) / 2;
        const double share = d->users / d->requests;
        s->all.ttft_s = (1 - share) * s->all.ttft_s + share * orr_max(s->all.ttft_s, mean_s);
        return;
    }
}

struct orr_pools_steady orr_pools_steady_of(const struct orr_pool_view *pools, int64_t n,
                                            const struct orr_traffic *traffic, double scale)
{
    const struct orr_mean_lengths lengths = orr_traffic_lengths(traffic);
    struct flow f = {.pools = pools, .n = n, .demand = orr_demand_of(traffic, &lengths, 1), .scale = scale};
    for (int64_t i = 0; i < n; i++) {
        if (pools[i].role == ORR_POOL_PREFILL) f.prefills += pools[i].replicas;
        else if (pools[i].role == ORR_POOL_DECODE) f.decodes += pools[i].replicas;
        else f.wholes += pools[i].replicas;
    }
    if (f.demand.rate_per_s > 0) return steady_at(&f, f.demand.rate_per_s);
    struct orr_pools_steady s = closed_loop(&f);
    add_burst(&f, &s);
    return s;
}
