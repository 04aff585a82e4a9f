/* This file sizes two pools: one that computes prompts and one that answers, on the same system. Pairs of units are
 * bounded by the closed form of both pools and simulated in the order of their bounds. Eqs. 255, 256. */
#include "base/error.h"
#include "base/number.h"
#include "search/size.h"
#include "serving/pools.h"

#include <math.h>
#include <stdlib.h>

/* Pairs that are simulated at most, and runs of one pair: every run that misses a limit adds a copy to the pool that
 * missed it. */
enum { TRIED_PAIRS = 24, RUNS = 6 };

/* A unit prepared for either role. */
struct prepared {
    const struct orr_size_unit *unit;
    struct orr_job *job; /* of one copy */
    struct orr_steps *steps;
    struct orr_stage *stages;
    struct orr_replica_facts facts[2]; /* [0] prompts, [1] answers */
};

struct splitting {
    const struct orr_size_request *request;
    const struct orr_size_told *told;
    struct orr_scratch *scratch;
    struct prepared *units;
    size_t n;
    struct orr_size_pair *pairs;
    size_t n_pairs;
    struct orr_size_splits *splits;
};

/* ---------------------------------------------------------------- preparing units */

static bool prepare(struct splitting *s, const struct orr_size_unit *unit, struct prepared *p)
{
    const struct orr_serving_request *service = &s->request->services[unit->system];
    struct orr_traffic traffic = service->traffic;
    struct orr_infer_result alone;
    struct orr_step_limits limits;
    traffic.trace = service->trace;
    *p = (struct prepared){.unit = unit, .job = malloc(sizeof *p->job)};
    if (!p->job) return false;
    orr_size_limits(s->request, &s->request->spaces[unit->system].job.engine, &limits);
    orr_size_job(s->request, unit, &limits, 0, 1, p->job);
    p->steps = orr_pool_steps_new(p->job, ORR_POOL_PREFILL, &traffic, false);
    p->stages = malloc((size_t)p->job->plan.pp * sizeof *p->stages);
    if (!p->steps || !p->stages) return false;
    orr_stages_build(p->job, p->stages);
    p->facts[0] = orr_pool_facts_of(p->job, ORR_POOL_PREFILL, &traffic, s->scratch, &alone);
    p->facts[1] = orr_pool_facts_of(p->job, ORR_POOL_DECODE, &traffic, s->scratch, &alone);
    return true;
}

/* ---------------------------------------------------------------- the bound of a pair */

static double cost_of(const struct orr_size_pair *pair)
{
    return (double)pair->prompts * pair->prompt->price + (double)pair->answers * pair->answer->price;
}

static bool affordable(const struct splitting *s, const struct orr_size_pair *pair)
{
    const double usd_per_h = s->request->spaces[pair->prompt->system].job.system.price_usd_per_gpu_hour;
    const int64_t gpus = pair->prompts * pair->prompt->choice.gpus + pair->answers * pair->answer->choice.gpus;
    const double budget = s->request->budget_usd_per_h;
    return gpus <= s->request->budget_gpus && (budget <= 0 || (double)gpus * usd_per_h <= budget * (1 + 1e-12));
}

static struct orr_pool_view view_of(const struct prepared *p, int role, int64_t copies)
{
    return (struct orr_pool_view){.role = role ? ORR_POOL_DECODE : ORR_POOL_PREFILL,
                                  .job = p->job,
                                  .facts = &p->facts[role],
                                  .steps = p->steps,
                                  .stages = p->stages,
                                  .replicas = (double)(copies * p->unit->choice.dp)};
}

/* The pool that needs a copy more by the closed form with its slack: 0 prompts, 1 answers, -1: none. */
static int lacking(const struct splitting *s, const struct prepared *prompt, const struct prepared *answer,
                   const struct orr_size_pair *pair)
{
    const struct orr_serving_request *service = &s->request->services[pair->prompt->system];
    struct orr_traffic traffic = service->traffic;
    traffic.trace = service->trace;
    const struct orr_pool_view views[2] = {view_of(prompt, 0, pair->prompts), view_of(answer, 1, pair->answers)};
    const struct orr_pools_steady steady = orr_pools_steady_of(views, 2, &traffic, 1);
    const double further = orr_traffic_lengths(&traffic).output - 1;
    if (!steady.pools[0].stable) return 0;
    if (!steady.pools[1].stable) return 1;
    for (size_t i = 0; i < service->n_slos; i++) {
        const struct orr_slo *slo = &service->slos[i];
        const double limit_s = slo->limit_s / orr_size_slack(slo);
        switch (slo->kind) {
        case ORR_TIMING_TTFT:
            if (steady.all.ttft_s > limit_s) return 0;
            break;
        case ORR_TIMING_QUEUE:
            if (steady.all.waiting_s > limit_s) return 0;
            break;
        case ORR_TIMING_TPOT:
        case ORR_TIMING_ITL:
            if (steady.all.tpot_s > limit_s) return 1;
            break;
        case ORR_TIMING_LATENCY:
            if (steady.all.ttft_s + further * steady.all.tpot_s > limit_s)
                return steady.all.waiting_s > further * steady.all.tpot_s ? 0 : 1;
            break;
        case ORR_N_TIMINGS: break;
        }
    }
    return -1;
}

/* Eq. 255: copies are added to the pool that lacks them until the closed form rules nothing out. */
static void bound_pair(const struct splitting *s, const struct prepared *prompt, const struct prepared *answer,
                       double best, struct orr_size_pair *pair)
{
    *pair = (struct orr_size_pair){prompt->unit, answer->unit, 1, 1, HUGE_VAL};
    while (affordable(s, pair) && cost_of(pair) <= best) {
        const int pool = lacking(s, prompt, answer, pair);
        if (pool < 0) {
            pair->bound = cost_of(pair);
            return;
        }
        if (pool == 0) pair->prompts++;
        else pair->answers++;
    }
}

static int by_bound(const void *left, const void *right)
{
    const struct orr_size_pair *a = left, *b = right;
    if (a->bound != b->bound) return a->bound < b->bound ? -1 : 1;
    if (a->prompt != b->prompt) return a->prompt < b->prompt ? -1 : 1;
    return a->answer < b->answer ? -1 : a->answer > b->answer ? 1 : 0;
}

static const struct prepared *prepared_of(const struct splitting *s, const struct orr_size_unit *unit)
{
    size_t i = 0;
    while (s->units[i].unit != unit) i++;
    return &s->units[i];
}

static bool stopped(const struct splitting *s)
{
    s->told->tell(s->told->context);
    return s->told->stop && *s->told->stop;
}

static bool list_pairs(struct splitting *s, double best)
{
    s->pairs = malloc((s->n * s->n + 1) * sizeof *s->pairs);
    if (!s->pairs) return false;
    for (size_t i = 0; i < s->n && !stopped(s); i++)
        for (size_t k = 0; k < s->n; k++) {
            const struct orr_size_unit *a = s->units[i].unit, *b = s->units[k].unit;
            if (a->system != b->system || a->choice.weights != b->choice.weights || a->choice.kv != b->choice.kv)
                continue;
            s->splits->pairs++;
            bound_pair(s, &s->units[i], &s->units[k], best, &s->pairs[s->n_pairs]);
            if (isfinite(s->pairs[s->n_pairs].bound)) s->n_pairs++;
        }
    qsort(s->pairs, s->n_pairs, sizeof *s->pairs, by_bound);
    return true;
}

/* ---------------------------------------------------------------- runs */

static void fill_plan(const struct splitting *s, const struct orr_size_pair *pair, const struct orr_job *prompt,
                      struct orr_sized *plan)
{
    const struct orr_choice *decode = &pair->answer->choice;
    const double usd_per_h = s->request->spaces[pair->prompt->system].job.system.price_usd_per_gpu_hour;
    *plan = (struct orr_sized){.system = pair->prompt->system,
                               .choice = pair->prompt->choice,
                               .copies = pair->prompts,
                               .max_requests = prompt->engine.max_requests,
                               .max_step_tokens = prompt->engine.max_step_tokens,
                               .cost = cost_of(pair)};
    struct orr_choice *c = &plan->choice;
    c->disaggregated = 1;
    c->dp = (int32_t)(pair->prompts * c->dp);
    c->decode_gpus = (int32_t)(pair->answers * decode->gpus);
    c->gpus = (int32_t)(pair->prompts * pair->prompt->choice.gpus) + c->decode_gpus;
    c->decode_tp = decode->tp;
    c->decode_pp = decode->pp;
    c->decode_ep = decode->ep;
    plan->usd_per_h = (double)c->gpus * usd_per_h;
}

/* Simulates the copies of a pair; false: out of memory. */
static bool run_pair(struct splitting *s, const struct orr_size_pair *pair, struct orr_job jobs[2],
                     struct orr_sized *plan)
{
    const struct prepared *sides[2] = {prepared_of(s, pair->prompt), prepared_of(s, pair->answer)};
    struct orr_step_limits limits;
    const int64_t copies[2] = {pair->prompts, pair->answers};
    struct orr_deployment deployment = {.n_pools = 2,
                                        .pools = {{ORR_POOL_PREFILL, &jobs[0]}, {ORR_POOL_DECODE, &jobs[1]}}};
    struct orr_steps *steps[ORR_MAX_POOLS] = {sides[0]->steps, sides[1]->steps};
    orr_size_limits(s->request, &s->request->spaces[pair->prompt->system].job.engine, &limits);
    for (int i = 0; i < 2; i++) orr_size_job(s->request, sides[i]->unit, &limits, 0, copies[i], &jobs[i]);
    const struct orr_size_trial trial = {.request = s->request,
                                         .system = pair->prompt->system,
                                         .job = &jobs[0],
                                         .deployment = &deployment,
                                         .steps = steps,
                                         .scratch = s->scratch,
                                         .stop = s->told->stop,
                                         .patient = true};
    fill_plan(s, pair, &jobs[0], plan);
    s->splits->simulated++;
    return orr_size_try(&trial, plan);
}

/* The pool that a missed limit asks more of. */
static int missed_pool(const struct splitting *s, const struct orr_sized *plan)
{
    const struct orr_serving_request *service = &s->request->services[plan->system];
    const enum orr_timing_kind kind = service->slos[plan->worst].kind;
    if (!isfinite(plan->ratio)) /* a queue that grows: the busier pool */
        return plan->result.pools[0].busy_frac > plan->result.pools[1].busy_frac ? 0 : 1;
    return kind == ORR_TIMING_TTFT || kind == ORR_TIMING_QUEUE ? 0 : 1;
}

/* Eq. 256: runs with one copy more of the pool that misses its limit, as long as that is cheaper than the best. */
static bool try_pair(struct splitting *s, struct orr_size_pair pair, struct orr_sized *best)
{
    struct orr_job *jobs = malloc(2 * sizeof *jobs);
    struct orr_sized *plan = malloc(sizeof *plan);
    bool done = jobs && plan;
    for (int i = 0; done && i < RUNS && affordable(s, &pair) && cost_of(&pair) <= best->cost && !stopped(s); i++) {
        done = run_pair(s, &pair, jobs, plan);
        if (!done) break;
        if (plan->result.complete && isfinite(plan->ratio) && s->splits->n < ORR_SIZE_SPLITS)
            s->splits->plans[s->splits->n++] = *plan;
        if (plan->met && orr_size_better(plan, best)) *best = *plan;
        if (plan->met) break;
        if (missed_pool(s, plan) == 0) pair.prompts++;
        else pair.answers++;
    }
    free(jobs);
    free(plan);
    return done;
}

static bool solve(struct splitting *s, const struct orr_size_unit *units, size_t n, struct orr_sized *best)
{
    s->units = calloc(n + 1, sizeof *s->units);
    s->splits->plans = calloc(ORR_SIZE_SPLITS, sizeof *s->splits->plans);
    bool done = s->units && s->splits->plans && s->scratch;
    for (size_t i = 0; done && i < n; i++)
        if (units[i].fits) done = prepare(s, &units[i], &s->units[s->n++]);
    done = done && list_pairs(s, best->cost);
    for (size_t i = 0; done && i < s->n_pairs && i < TRIED_PAIRS && s->pairs[i].bound <= best->cost; i++)
        done = try_pair(s, s->pairs[i], best);
    return done;
}

enum orr_err orr_size_split(const struct orr_size_request *request, const struct orr_size_unit *units, size_t n,
                            const struct orr_size_told *told, struct orr_sized *best, struct orr_size_splits *splits,
                            struct orr_error *error)
{
    struct splitting s = {.request = request, .told = told, .splits = splits, .scratch = orr_scratch_new()};
    const bool done = solve(&s, units, n, best);
    for (size_t i = 0; s.units && i < s.n; i++) {
        orr_steps_free(s.units[i].steps);
        free(s.units[i].stages);
        free(s.units[i].job);
    }
    free(s.units);
    free(s.pairs);
    orr_scratch_free(s.scratch);
    return done ? ORR_OK : orr_out_of_memory(error, NULL);
}
