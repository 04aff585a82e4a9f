/* This file finds the cheapest plan by simulation, within the bounds of size_bound.c, the front of cost against latency
 * and, where nothing keeps the limits, the nearest miss. Eqs. 227-230. */
#include "search/size.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/plain.h"
#include "serving/fleet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

/* Units are confirmed in rounds of so many. A round starts from the best plan of earlier rounds alone, so that threads
 * do not change which runs are made. */
enum { ROUND = 8, NEAREST = 8 };
/* Eq. 229: requests of a replica's run: at least so many, and so many times its mean batch, but not without end. */
enum { LEAST_REQUESTS = 4000, BATCHES = 20, MOST_REQUESTS = 40000 };
/* Ranks that step together are all simulated, so that each needs fewer: so many see ten to twenty batches. */
enum { RANK_REQUESTS = 1000 };

struct sizing {
    const struct orr_size_request *request;
    int threads;
    const volatile int *stop;
    void (*progress)(void *context, double done_frac);
    void *context;
    struct orr_size_unit *units;
    size_t n;
    struct orr_size_answer *answer;
    struct orr_size_splits splits;
    double done_frac;
    bool failed;
};

/* What one thread works with. */
struct desk {
    const struct sizing *sizing;
    const struct orr_size_unit *unit;
    struct orr_step_limits limits;
    struct orr_scratch *scratch;
    struct orr_steps *steps;
    struct orr_job *job;
    int64_t simulated;
    bool failed;
};

/* ---------------------------------------------------------------- one run */

/* A run ends early once so many requests are late that a limit cannot be kept any more. */
struct patience {
    const struct orr_serving_request *service;
    double from_s;
    double late[ORR_MAX_SLOS], may_be_late[ORR_MAX_SLOS];
    const volatile int *outer; /* stops the whole sizing; NULL: nothing does */
    volatile int stop;
};

static void count_late(void *context, const struct orr_request_record *record)
{
    struct patience *p = context;
    double value_s[ORR_N_TIMINGS];
    if (p->outer && *p->outer) p->stop = 1;
    if (record->arrival_s < p->from_s) return;
    orr_record_times(record, value_s);
    for (size_t i = 0; i < p->service->n_slos; i++) {
        const struct orr_slo *slo = &p->service->slos[i];
        if (slo->quantile <= 0 || slo->kind == ORR_TIMING_ITL) continue;
        p->late[i] += value_s[slo->kind] > slo->limit_s ? 1 : 0;
        if (p->late[i] > p->may_be_late[i]) p->stop = 1;
    }
}

/* Eq. 229; a run of a given duration, and a trace, stay as they are. */
static struct orr_traffic traffic_of(const struct orr_serving_request *service, const struct orr_job *job)
{
    struct orr_traffic traffic = service->traffic;
    const double dp = (double)job->plan.dp, batch = (double)job->engine.max_requests;
    traffic.trace = service->trace;
    if (traffic.arrival == ORR_ARRIVAL_TRACE || traffic.duration_s > 0) return traffic;
    const bool together = orr_lockstep_ranks(&job->plan) > 1;
    const double alone = orr_min(MOST_REQUESTS, orr_max(LEAST_REQUESTS, BATCHES * orr_min(batch, 256)));
    const double each = together ? orr_max(LEAST_REQUESTS / dp, RANK_REQUESTS) : alone;
    traffic.requests = (int64_t)orr_max((double)traffic.requests, dp * each);
    return traffic;
}

/* Eq. 227. */
static void judge(const struct orr_serving_request *service, struct orr_sized *plan)
{
    const struct orr_serving_result *r = &plan->result;
    plan->ratio = 0;
    plan->worst = 0;
    for (size_t i = 0; i < service->n_slos; i++) {
        const struct orr_slo *slo = &service->slos[i];
        const double ratio = orr_timing_at(&r->timing[slo->kind], slo->quantile) / slo->limit_s;
        if (ratio > plan->ratio) plan->worst = i;
        plan->ratio = orr_max(plan->ratio, ratio);
    }
    if (!r->fits || r->saturated) plan->ratio = HUGE_VAL;
    plan->met = r->complete && plan->ratio <= 1;
}

bool orr_size_try(const struct orr_size_trial *t, struct orr_sized *plan)
{
    const struct orr_serving_request *service = &t->request->services[t->system];
    const struct orr_traffic traffic = traffic_of(service, t->job);
    const double all = traffic.arrival == ORR_ARRIVAL_TRACE ? (double)traffic.n_trace : (double)traffic.requests;
    struct orr_error error;
    struct patience patience = {.service = service, .from_s = traffic.warmup_s, .outer = t->stop};
    struct orr_simulation how = {.slos = service->slos,
                                 .n_slos = service->n_slos,
                                 .deployment = t->deployment,
                                 .stop = &patience.stop,
                                 .context = &patience,
                                 .finished = count_late};
    const bool together = orr_fleet_needed(t->job, &traffic, &how);
    const double seen = together ? all : orr_ceil(all / (double)t->job->plan.dp); /* requests that are simulated */
    for (size_t i = 0; i < service->n_slos; i++)
        patience.may_be_late[i] = t->patient || all <= 0 ? HUGE_VAL : (1 - service->slos[i].quantile) * (seen + 1) + 2;
    const enum orr_err err =
        t->deployment ? orr_simulate_pools(t->job, &traffic, &how, t->steps, t->scratch, &plan->result, &error)
                      : orr_simulate_on(t->job, &traffic, &how, t->steps[0], t->scratch, &plan->result, &error);
    judge(service, plan);
    return err == ORR_OK;
}

/* Simulates copies of the desk's unit; `patient` runs are not cut short. */
static void simulate(struct desk *desk, int64_t limits, int64_t copies, bool patient, struct orr_sized *plan)
{
    const struct orr_size_request *request = desk->sizing->request;
    const struct orr_size_unit *unit = desk->unit;
    orr_size_job(request, unit, &desk->limits, limits, copies, desk->job);
    const struct orr_size_trial trial = {.request = request,
                                         .system = unit->system,
                                         .job = desk->job,
                                         .steps = &desk->steps,
                                         .scratch = desk->scratch,
                                         .stop = desk->sizing->stop,
                                         .patient = patient};
    *plan = (struct orr_sized){.system = unit->system,
                               .choice = unit->choice,
                               .copies = copies,
                               .max_requests = desk->job->engine.max_requests,
                               .max_step_tokens = desk->job->engine.max_step_tokens,
                               .usd_per_h = (double)desk->job->plan.gpus * desk->job->system.price_usd_per_gpu_hour,
                               .cost = (double)copies * unit->price};
    plan->choice.dp = (int32_t)desk->job->plan.dp;
    plan->choice.gpus = (int32_t)desk->job->plan.gpus;
    desk->simulated++;
    desk->failed |= !orr_size_try(&trial, plan);
}

/* ---------------------------------------------------------------- desks */

static void desk_open(const struct sizing *sizing, struct desk *desk)
{
    *desk = (struct desk){.sizing = sizing, .scratch = orr_scratch_new(), .job = malloc(sizeof *desk->job)};
    desk->failed = !desk->scratch || !desk->job;
}

static void desk_close(struct desk *desk)
{
    orr_steps_free(desk->steps);
    orr_scratch_free(desk->scratch);
    free(desk->job);
}

/* Puts a unit on the desk: times of steps are kept from run to run of the same unit. */
static bool desk_take(struct desk *desk, const struct orr_size_unit *unit)
{
    const struct orr_size_request *request = desk->sizing->request;
    if (desk->failed) return false;
    if (desk->unit == unit) return true;
    orr_steps_free(desk->steps);
    orr_size_limits(request, &request->spaces[unit->system].job.engine, &desk->limits);
    orr_size_job(request, unit, &desk->limits, 0, 1, desk->job);
    desk->unit = unit;
    const struct orr_traffic traffic = traffic_of(&request->services[unit->system], desk->job);
    desk->steps = orr_steps_new(desk->job, &traffic, false);
    desk->failed |= !desk->steps;
    return !desk->failed;
}

static bool first_thread(void)
{
#ifdef _OPENMP
    return omp_get_thread_num() == 0;
#else
    return true;
#endif
}

/* Tells of progress, in which the caller may ask for a stop. */
static void tell(const struct sizing *sizing)
{
    if (sizing->progress) sizing->progress(sizing->context, sizing->done_frac);
}

/* Runs `work` for items 0 .. n - 1, each on the desk of the thread that takes it. */
typedef void desk_work(struct desk *desk, size_t i, void *context);
static void run_all(struct sizing *sizing, size_t n, desk_work *work, void *context)
{
#ifdef _OPENMP
    const int threads = sizing->threads > 0 ? sizing->threads : omp_get_max_threads();
#pragma omp parallel num_threads(threads)
#endif
    {
        ORR_PLAIN_NUMBERS;
        struct desk desk;
        desk_open(sizing, &desk);
#ifdef _OPENMP
#pragma omp for schedule(dynamic, 1)
#endif
        for (size_t i = 0; i < n; i++) {
            if (first_thread()) tell(sizing);
            if (!(sizing->stop && *sizing->stop)) work(&desk, i, context);
        }
#ifdef _OPENMP
#pragma omp critical
#endif
        {
            sizing->answer->counts.simulated += desk.simulated;
            sizing->failed |= orr_memory_lacked() || desk.failed;
        }
        desk_close(&desk);
    }
}

/* ---------------------------------------------------------------- the cheapest plan */

bool orr_size_better(const struct orr_sized *a, const struct orr_sized *b)
{
    if (fabs(a->cost - b->cost) > 1e-9 * b->cost) return a->cost < b->cost;
    return a->ratio < b->ratio;
}

/* Eq. 230: the fewest copies that keep the limits, between those that the closed form rules out and those that cost
 * more than the best plan so far. */
static void confirm_limits(struct desk *desk, int64_t i, struct orr_sized *best)
{
    const struct orr_size_unit *unit = desk->unit;
    const double affordable = floor(best->cost / unit->price * (1 + 1e-12));
    int64_t low = unit->least[i] - 1, high = (int64_t)orr_min((double)unit->most_copies, affordable);
    struct orr_sized plan, kept;
    if (unit->least[i] < 1 || high <= low) return;
    simulate(desk, i, high, false, &kept);
    if (!kept.met) return;
    while (high - low > 1) {
        const int64_t middle = (low + high) / 2;
        simulate(desk, i, middle, false, &plan);
        if (!plan.met) low = middle;
        else {
            high = middle;
            kept = plan;
        }
    }
    if (orr_size_better(&kept, best)) *best = kept;
}

struct round {
    const struct orr_size_unit *units;
    struct orr_sized best[ROUND];
};

static void confirm_unit(struct desk *desk, size_t i, void *context)
{
    struct round *round = context;
    if (round->units[i].bound > round->best[i].cost * (1 + 1e-12) || !desk_take(desk, &round->units[i])) return;
    for (int64_t k = 0; k < desk->limits.n && !desk->failed; k++) confirm_limits(desk, k, &round->best[i]);
}

static enum orr_err find_cheapest(struct sizing *sizing, bool joint, struct orr_error *error)
{
    struct orr_sized *best = &sizing->answer->best;
    struct round *round = malloc(sizeof *round);
    if (!round) return orr_out_of_memory(error, NULL);
    *best = (struct orr_sized){.cost = HUGE_VAL, .ratio = HUGE_VAL};
    for (size_t first = 0; joint && first < sizing->n && !sizing->failed; first += ROUND) {
        const size_t n = sizing->n - first < ROUND ? sizing->n - first : ROUND;
        if (sizing->units[first].bound > best->cost * (1 + 1e-12) || sizing->units[first].bound == HUGE_VAL) break;
        round->units = &sizing->units[first];
        for (size_t i = 0; i < n; i++) round->best[i] = *best;
        run_all(sizing, n, confirm_unit, round);
        for (size_t i = 0; i < n; i++)
            if (round->best[i].met && orr_size_better(&round->best[i], best)) *best = round->best[i];
        sizing->done_frac = 0.1 + 0.6 * (double)first / (double)sizing->n;
    }
    free(round);
    return sizing->failed ? orr_out_of_memory(error, NULL) : ORR_OK;
}

/* ---------------------------------------------------------------- the front, the nearest miss */

/* A unit in a number of copies, by the closed form. */
struct point {
    const struct orr_size_unit *unit;
    int64_t copies;
    double cost, ratio;
};

static int by_cost(const void *left, const void *right)
{
    const struct point *a = left, *b = right;
    if (a->cost != b->cost) return a->cost < b->cost ? -1 : 1;
    if (a->ratio != b->ratio) return a->ratio < b->ratio ? -1 : 1;
    if (a->unit != b->unit) return a->unit < b->unit ? -1 : 1;
    return 0;
}

static int by_ratio(const void *left, const void *right)
{
    const struct point *a = left, *b = right;
    return a->ratio != b->ratio ? (a->ratio < b->ratio ? -1 : 1) : by_cost(left, right);
}

/* All points with a steady state, or the last one of every unit; NULL: out of memory. */
static struct point *list_points(const struct sizing *sizing, bool last, size_t *n)
{
    size_t most = 1;
    *n = 0;
    for (size_t i = 0; i < sizing->n; i++) most += (size_t)sizing->units[i].most_copies;
    struct point *points = malloc(most * sizeof *points);
    for (size_t i = 0; points && i < sizing->n; i++) {
        const struct orr_size_unit *unit = &sizing->units[i];
        for (int64_t k = last ? unit->most_copies : 1; unit->ratio && k <= unit->most_copies; k++)
            if (isfinite(unit->ratio[k - 1]))
                points[(*n)++] = (struct point){unit, k, (double)k * unit->price, (double)unit->ratio[k - 1]};
    }
    return points;
}

/* Keeps the points that no cheaper one matches, and of these at most ORR_SIZE_FRONT, evenly spread. */
static size_t thin(struct point *points, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || points[i].ratio < points[kept - 1].ratio) points[kept++] = points[i];
    if (kept <= ORR_SIZE_FRONT) return kept;
    for (size_t i = 0; i < ORR_SIZE_FRONT; i++) points[i] = points[i * (kept - 1) / (ORR_SIZE_FRONT - 1)];
    return ORR_SIZE_FRONT;
}

struct trial {
    const struct point *points;
    struct orr_sized plans[ORR_SIZE_FRONT];
};

/* Plans that are not tried any more after a stop are as far from the limits as can be. */
static struct trial *new_trial(void)
{
    struct trial *trial = calloc(1, sizeof *trial);
    for (size_t i = 0; trial && i < ORR_SIZE_FRONT; i++) trial->plans[i].ratio = HUGE_VAL;
    return trial;
}

static void try_point(struct desk *desk, size_t i, void *context)
{
    struct trial *trial = context;
    if (desk_take(desk, trial->points[i].unit)) simulate(desk, 0, trial->points[i].copies, true, &trial->plans[i]);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static int by_plan(const void *left, const void *right)
{
    const struct orr_sized *a = left, *b = right;
    if (a->cost != b->cost) return a->cost < b->cost ? -1 : 1;
    if (a->ratio != b->ratio) return a->ratio < b->ratio ? -1 : 1;
    return a->choice.decode_gpus - b->choice.decode_gpus;
}

/* Lists plans of one pool, of two, and the best one by rising cost; plans that a cheaper one matches are left out, and
 * of the others at most as many as there is room for, the best among them. False: out of memory. */
static bool fill_front(struct sizing *sizing, const struct orr_sized *plans, size_t n)
{
    struct orr_size_answer *answer = sizing->answer;
    const size_t most = n + sizing->splits.n + 1;
    struct orr_sized *all = malloc(most * sizeof *all);
    size_t n_all = 0, kept = 0;
    if (!all) return false;
    for (size_t i = 0; i < n; i++) all[n_all++] = plans[i];
    for (size_t i = 0; i < sizing->splits.n; i++) all[n_all++] = sizing->splits.plans[i];
    if (answer->found) all[n_all++] = answer->best;
    qsort(all, n_all, sizeof *all, by_plan);
    for (size_t i = 0; i < n_all; i++)
        if (isfinite(all[i].ratio) && (kept == 0 || all[i].ratio < all[kept - 1].ratio)) all[kept++] = all[i];
    answer->n_front = kept < ORR_SIZE_FRONT + 1 ? kept : ORR_SIZE_FRONT + 1;
    const size_t last = answer->n_front > 1 ? answer->n_front - 1 : 1;
    for (size_t i = 0; i < answer->n_front; i++) answer->front[i] = all[i * (kept - 1) / last];
    for (size_t i = 0; answer->found && i < kept; i++) /* the best one takes the place of its neighbour */
        if (all[i].cost == answer->best.cost && all[i].ratio == answer->best.ratio)
            answer->front[(i * last + kept / 2) / larger(kept - 1, 1)] = all[i];
    free(all);
    return true;
}

static bool find_front(struct sizing *sizing, bool joint)
{
    size_t n;
    struct point *points = list_points(sizing, false, &n);
    struct trial *trial = new_trial();
    bool done = false;
    if (points && trial) {
        qsort(points, n, sizeof *points, by_cost);
        n = joint ? thin(points, n) : 0;
        trial->points = points;
        run_all(sizing, n, try_point, trial);
        done = fill_front(sizing, trial->plans, n);
    }
    free(points);
    free(trial);
    return done;
}

/* Nothing keeps the limits: the plans that the closed form places nearest are simulated, and the nearest is shown. */
static bool find_nearest(struct sizing *sizing, bool joint)
{
    struct orr_size_answer *answer = sizing->answer;
    size_t n;
    struct point *points = list_points(sizing, true, &n);
    struct trial *trial = new_trial();
    if (points && trial) {
        qsort(points, n, sizeof *points, by_ratio);
        n = !joint ? 0 : n < NEAREST ? n : NEAREST;
        trial->points = points;
        run_all(sizing, n, try_point, trial);
        for (size_t i = 0; i < n; i++)
            if (trial->plans[i].ratio < answer->best.ratio) answer->best = trial->plans[i];
        for (size_t i = 0; i < answer->n_front; i++)
            if (answer->front[i].ratio < answer->best.ratio) answer->best = answer->front[i];
        for (size_t i = 0; i < sizing->splits.n; i++)
            if (sizing->splits.plans[i].ratio < answer->best.ratio) answer->best = sizing->splits.plans[i];
    }
    const bool done = points && trial;
    free(points);
    free(trial);
    return done;
}

/* What no plan can be below, whatever it costs: the time of the limit that the nearest miss breaks, without load. */
static void fill_least(struct sizing *sizing)
{
    struct orr_size_answer *answer = sizing->answer;
    const struct orr_serving_request *service = &sizing->request->services[0];
    const enum orr_timing_kind kind = service->slos[answer->best.worst].kind;
    answer->least_s = HUGE_VAL;
    answer->served_frac = 0;
    for (size_t i = 0; i < sizing->n; i++) {
        if (!sizing->units[i].fits) continue;
        answer->least_s = orr_min(answer->least_s, sizing->units[i].least_s[kind]);
        answer->served_frac = orr_max(answer->served_frac, sizing->units[i].served_frac);
    }
}

/* ---------------------------------------------------------------- all of it */

static void bound_unit(struct desk *desk, size_t i, void *context)
{
    struct orr_size_unit *units = context;
    if (!desk->failed) desk->failed = !orr_size_bound(desk->sizing->request, &units[i], desk->scratch);
}

static int by_bound(const void *left, const void *right)
{
    const struct orr_size_unit *a = left, *b = right;
    const int32_t keys[][2] = {{a->choice.gpus, b->choice.gpus},       {a->choice.tp, b->choice.tp},
                               {a->choice.pp, b->choice.pp},           {a->choice.ep, b->choice.ep},
                               {a->choice.weights, b->choice.weights}, {a->choice.kv, b->choice.kv}};
    if (a->bound != b->bound) return a->bound < b->bound ? -1 : 1;
    if (a->system != b->system) return a->system < b->system ? -1 : 1;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i][0] != keys[i][1]) return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

static void count(struct sizing *sizing)
{
    struct orr_size_counts *counts = &sizing->answer->counts;
    struct orr_step_limits limits;
    for (size_t i = 0; i < sizing->n; i++) {
        const struct orr_size_unit *unit = &sizing->units[i];
        orr_size_limits(sizing->request, &sizing->request->spaces[unit->system].job.engine, &limits);
        counts->units++;
        counts->fitting += unit->fits ? 1 : 0;
        counts->plans += limits.n * unit->most_copies;
    }
}

static void tell_split(void *context)
{
    tell(context);
}

static enum orr_err split(struct sizing *sizing, struct orr_error *error)
{
    const struct orr_size_told told = {.stop = sizing->stop, .tell = tell_split, .context = sizing};
    sizing->done_frac = 0.7;
    return orr_size_split(sizing->request, sizing->units, sizing->n, &told, &sizing->answer->best, &sizing->splits,
                          error);
}

static enum orr_err solve(struct sizing *sizing, struct orr_error *error)
{
    if (!orr_size_units(sizing->request, &sizing->units, &sizing->n)) return orr_out_of_memory(error, NULL);
    run_all(sizing, sizing->n, bound_unit, sizing->units);
    if (sizing->failed) return orr_out_of_memory(error, NULL);
    if (sizing->n > 0) qsort(sizing->units, sizing->n, sizeof *sizing->units, by_bound);
    count(sizing);
    const struct orr_choices *pools = &sizing->request->spaces[0].space.disaggregated;
    const bool joint = orr_chosen(pools, 0), apart = orr_chosen(pools, 1);
    enum orr_err err = find_cheapest(sizing, joint, error);
    const struct orr_sized *best = &sizing->answer->best;
    if (!err && apart) err = split(sizing, error);
    if (err) return err;
    sizing->answer->counts.simulated += sizing->splits.simulated;
    sizing->answer->counts.pairs = sizing->splits.pairs;
    sizing->answer->found = best->met;
    sizing->done_frac = 0.9;
    if (!find_front(sizing, joint)) sizing->failed = true;
    if (!sizing->answer->found && !find_nearest(sizing, joint)) sizing->failed = true;
    fill_least(sizing);
    sizing->answer->complete = !(sizing->stop && *sizing->stop);
    return sizing->failed ? orr_out_of_memory(error, NULL) : ORR_OK;
}

enum orr_err orr_size_solve(const struct orr_size_request *request, int threads, const volatile int *stop,
                            void (*progress)(void *context, double done_frac), void *context,
                            struct orr_size_answer *answer, struct orr_error *error)
{
    struct sizing sizing = {.request = request,
                            .threads = threads,
                            .stop = stop,
                            .progress = progress,
                            .context = context,
                            .answer = answer};
    memset(answer, 0, sizeof *answer);
    const enum orr_err err = solve(&sizing, error);
    for (size_t i = 0; i < sizing.n; i++) free(sizing.units[i].ratio);
    free(sizing.units);
    free(sizing.splits.plans);
    return err;
}
