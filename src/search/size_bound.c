/* This file lists the units of a sizing and bounds them by the closed form. Eqs. 225-228. */
#include "search/size.h"

#include "base/number.h"
#include "spec/job.h"
#include "spec/spec.h"

#include <math.h>
#include <stdlib.h>

/* What the closed form may be above a simulated mean before it rules a plan out; the median of skewed times lies
 * further below their mean. Assumptions: tests/unit/test_size.c compares with all plans simulated. */
#define SLACK        0.35
#define MEDIAN_SLACK 0.6

/* ---------------------------------------------------------------- limits of steps */

static void add_limits(struct orr_step_limits *limits, int64_t requests, int64_t tokens)
{
    for (int64_t i = 0; i < limits->n; i++)
        if (limits->max_requests[i] == requests && limits->max_step_tokens[i] == tokens) return;
    if (limits->n == ORR_SIZE_LIMITS) return;
    limits->max_requests[limits->n] = requests;
    limits->max_step_tokens[limits->n++] = tokens;
}

/* The values to try below the engine's own, or those asked for. */
static struct orr_choices choices_of(const struct orr_choices *given, int64_t own, const int64_t *usual, size_t n)
{
    struct orr_choices choices = {.n = 1, .values = {own}};
    if (given->n > 0) return *given;
    for (size_t i = 0; i < n; i++)
        if (own <= 0 || usual[i] < own) choices.values[choices.n++] = usual[i];
    return choices;
}

void orr_size_limits(const struct orr_size_request *request, const struct orr_engine *engine,
                     struct orr_step_limits *limits)
{
    static const int64_t BATCH[] = {128, 32}, CHUNK[] = {2048, 512};
    const size_t n_chunk = engine->chunked_prefill ? sizeof CHUNK / sizeof *CHUNK : 0;
    const struct orr_choices batch =
        choices_of(&request->batch, engine->max_requests, BATCH, sizeof BATCH / sizeof *BATCH);
    const struct orr_choices chunk = choices_of(&request->chunk, engine->max_step_tokens, CHUNK, n_chunk);
    limits->n = 0;
    for (int64_t j = 0; j < chunk.n; j++)
        for (int64_t i = 0; i < batch.n; i++) add_limits(limits, batch.values[i], chunk.values[j]);
}

/* ---------------------------------------------------------------- units */

struct listing {
    const struct orr_size_request *request;
    size_t system;
    uint8_t weights, kv;
    struct orr_size_unit *units;
    size_t n, max;
    struct orr_job *job;
    bool failed;
};

static void take_unit(void *context, const struct orr_choice *choice)
{
    struct listing *list = context;
    const struct orr_size_request *request = list->request;
    const double usd_per_h = request->spaces[list->system].job.system.price_usd_per_gpu_hour, gpus = choice->gpus;
    struct orr_size_unit unit = {.system = list->system, .choice = *choice};
    unit.choice.batch = 1;
    unit.choice.weights = list->weights;
    unit.choice.kv = list->kv;
    unit.most_copies = request->budget_gpus / choice->gpus;
    if (request->budget_usd_per_h > 0) /* a budget that is met to the cent is met */
        unit.most_copies = (int64_t)orr_min((double)unit.most_copies,
                                            floor(request->budget_usd_per_h / (gpus * usd_per_h) * (1 + 1e-12)));
    unit.price = request->by_gpus ? gpus : gpus * usd_per_h;
    if (unit.most_copies < 1) return;
    *list->job = request->spaces[list->system].job;
    orr_infer_choose(&request->spaces[list->system], &unit.choice, list->job);
    if (orr_job_check(list->job, NULL)) return;
    list->failed |= !orr_grow((void **)&list->units, &list->max, list->n + 1, sizeof *list->units);
    if (!list->failed) list->units[list->n++] = unit;
}

/* The i-th value asked for, or that of the base job if none is. */
static int64_t value_of(const struct orr_choices *choices, int64_t i, int64_t base)
{
    return choices->n > 0 ? choices->values[i] : base;
}

bool orr_size_units(const struct orr_size_request *request, struct orr_size_unit **units, size_t *n)
{
    struct listing list = {.request = request, .job = malloc(sizeof *list.job)};
    list.failed = !list.job;
    for (size_t s = 0; s < request->n_systems && !list.failed; s++) {
        const struct orr_search_request *space = &request->spaces[s];
        const struct orr_choices *weights = &space->space.weights, *kv = &space->space.kv;
        const int64_t most = request->budget_gpus < ORR_SIZE_GPUS ? request->budget_gpus : ORR_SIZE_GPUS;
        list.system = s;
        for (int64_t i = 0; i < (weights->n > 0 ? weights->n : 1); i++)
            for (int64_t j = 0; j < (kv->n > 0 ? kv->n : 1); j++) {
                list.weights = (uint8_t)value_of(weights, i, space->job.serving.format);
                list.kv = (uint8_t)value_of(kv, j, orr_serving_cache_choice(&space->job.serving));
                orr_infer_units(space, most, take_unit, &list);
            }
    }
    free(list.job);
    *units = list.units;
    *n = list.n;
    return !list.failed;
}

void orr_size_job(const struct orr_size_request *request, const struct orr_size_unit *unit,
                  const struct orr_step_limits *limits, int64_t i, int64_t copies, struct orr_job *job)
{
    struct orr_choice choice = unit->choice;
    choice.dp = (int32_t)(copies * unit->choice.dp);
    choice.gpus = (int32_t)(copies * unit->choice.gpus);
    *job = request->spaces[unit->system].job;
    orr_infer_choose(&request->spaces[unit->system], &choice, job);
    job->engine.max_requests = limits->max_requests[i];
    job->engine.max_step_tokens = limits->max_step_tokens[i];
}

/* ---------------------------------------------------------------- the bound */

/* One unit with one pair of limits while it is bounded. */
struct bound {
    const struct orr_serving_request *service;
    const struct orr_traffic *traffic;
    struct orr_replica_facts facts;
    struct orr_steps *steps;
    struct orr_mean_lengths lengths;
    double unit_dp;
};

/* Means of all times by the closed form, at a share of the load; HUGE_VAL where queues grow without end. */
static bool mean_times(const struct bound *b, double copies, double load_frac, double value_s[ORR_N_TIMINGS],
                       double *served_frac)
{
    struct orr_demand demand = orr_demand_of(b->traffic, &b->lengths, copies * b->unit_dp);
    demand.rate_per_s *= load_frac;
    demand.users *= load_frac;
    const struct orr_steady steady = orr_steady_of(&b->facts, b->steps, &demand, 1);
    value_s[ORR_TIMING_TTFT] = steady.ttft_s;
    value_s[ORR_TIMING_TPOT] = value_s[ORR_TIMING_ITL] = steady.tpot_s;
    value_s[ORR_TIMING_LATENCY] = steady.ttft_s + (demand.output - 1) * steady.tpot_s;
    value_s[ORR_TIMING_QUEUE] = steady.waiting_s;
    *served_frac = demand.rate_per_s > 0 ? orr_min(1, steady.rate_per_s / demand.rate_per_s) : 1;
    return steady.stable;
}

double orr_size_slack(const struct orr_slo *slo)
{
    return slo->quantile > 0 && slo->quantile <= 0.5 ? 1 - MEDIAN_SLACK : 1 - SLACK;
}

/* Eqs. 225, 226: the worst mean over its limit, as it is or with the slack that pruning leaves. Near the largest rate
 * of ranks that step together an error is one of the rate more than of a time, so that the slack is taken there too. */
static double closed_ratio(const struct bound *b, double copies, bool slack)
{
    const double load_frac = slack && b->facts.ranks > 1 ? ORR_CERTAIN_FRAC : 1;
    double value_s[ORR_N_TIMINGS], served_frac, worst = 0;
    if (!mean_times(b, copies, load_frac, value_s, &served_frac)) return HUGE_VAL;
    for (size_t i = 0; i < b->service->n_slos; i++) {
        const struct orr_slo *slo = &b->service->slos[i];
        worst = orr_max(worst, (slack ? orr_size_slack(slo) : 1) * value_s[slo->kind] / slo->limit_s);
    }
    return worst;
}

/* Eq. 228: the fewest copies that the closed form does not rule out; load, and with it every time, falls with their
 * number. 0: even the most are ruled out. */
static int64_t fewest_copies(const struct bound *b, int64_t most)
{
    int64_t low = 0, high = most;
    if (closed_ratio(b, (double)most, true) > 1) return 0;
    while (high - low > 1) {
        const int64_t middle = (low + high) / 2;
        if (closed_ratio(b, (double)middle, true) > 1) low = middle;
        else high = middle;
    }
    return high;
}

/* What the engine's own limits give: a curve over the copies, and times without load. */
static bool fill_curve(const struct bound *b, struct orr_size_unit *unit)
{
    double value_s[ORR_N_TIMINGS];
    unit->ratio = malloc((size_t)unit->most_copies * sizeof *unit->ratio);
    if (!unit->ratio) return false;
    for (int64_t n = 1; n <= unit->most_copies; n++) unit->ratio[n - 1] = (float)closed_ratio(b, (double)n, false);
    (void)mean_times(b, 1e9, 1, unit->least_s, &unit->served_frac);
    (void)mean_times(b, (double)unit->most_copies, 1, value_s, &unit->served_frac);
    return true;
}

bool orr_size_bound(const struct orr_size_request *request, struct orr_size_unit *unit, struct orr_scratch *scratch)
{
    struct orr_step_limits limits;
    struct orr_infer_result alone;
    struct orr_job *job = malloc(sizeof *job);
    const struct orr_serving_request *service = &request->services[unit->system];
    struct orr_traffic traffic = service->traffic;
    traffic.trace = service->trace;
    bool done = job != NULL;
    orr_size_limits(request, &request->spaces[unit->system].job.engine, &limits);
    if (done) orr_size_job(request, unit, &limits, 0, 1, job);
    struct bound b = {.service = service, .traffic = &traffic, .unit_dp = unit->choice.dp};
    if (done) b.steps = orr_steps_new(job, &traffic, false);
    b.lengths = orr_traffic_lengths(&traffic);
    done = done && b.steps;
    unit->bound = HUGE_VAL;
    for (int64_t i = 0; done && i < limits.n; i++) {
        orr_size_job(request, unit, &limits, i, 1, job);
        b.facts = orr_replica_facts_of(job, &traffic, scratch, &alone);
        if (b.facts.kv_tokens < b.lengths.input + b.lengths.output) continue;
        unit->fits = true;
        if (!unit->ratio) done = fill_curve(&b, unit);
        unit->least[i] = (int32_t)fewest_copies(&b, unit->most_copies);
        if (unit->least[i] > 0) unit->bound = orr_min(unit->bound, unit->least[i] * unit->price);
    }
    orr_steps_free(b.steps);
    free(job);
    return done;
}
