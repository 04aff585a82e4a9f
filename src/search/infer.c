/* Search of inference plans: every layout, batch and format of a space that is small enough to predict plan by plan.
 * Aggregated plans run prompts and answers on the same GPUs; disaggregated ones split them into two pools whose rates
 * are matched. */
#include "search/infer_plan.h"

#include "base/number.h"
#include "metric/metric.h"
#include "predict/nearest.h"
#include "spec/job.h"
#include "spec/limits.h"
#include "spec/spec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BATCHES = 24 };
/* The plans of one GPU count, one pair of formats and one kind of pools are cut into this many blocks. Threads share
 * blocks, and an interrupt takes effect between two of them. */
enum { SLICES = 16 };
/* A bound divides the same rates in another order than the prediction; the factor keeps rounding from raising it
 * above. */
#define BOUND_SLACK (1 - 1e-9)

/* ---------------------------------------------------------------- one block: GPUs, formats, one pool or two */

struct tour {
    const struct orr_search *search;
    struct orr_worker *worker;
    struct orr_outcome *outcome;
    struct orr_search_counts *counts; /* those of the outcome, or a copy that is dropped */
    struct orr_choice choice;
    enum orr_pool_role role;
    int64_t slice, n_layouts; /* which slice this is; layouts seen so far */
    struct orr_found least;   /* bound of a pair of pools; its layout stays zero, so that no listed layout matches it */
};

/* Does the next layout belong to this slice? */
static bool in_slice(struct tour *t)
{
    return t->n_layouts++ % SLICES == t->slice;
}

/* Could a plan with this objective, or this bound of it, be the best one inside what was measured? */
static bool wants_inside(const struct tour *t, const struct orr_found *found)
{
    return t->search->may_be_inside && orr_outcome_wants_inside(t->outcome, found);
}

static void list_result(struct tour *t, const struct orr_choice *choice, const struct orr_infer_result *result)
{
    const struct orr_search_request *request = &t->search->request;
    struct orr_found found;
    orr_infer_found(request, result, choice, &found);
    t->counts->plans++;
    t->counts->evaluated++;
    t->counts->feasible++;
    const bool better = found.objective < t->search->compare_objective,
               wanted = orr_outcome_wants(t->outcome, &found, HUGE_VAL), near = wants_inside(t, &found);
    if (!better && !wanted && !near) return;
    const bool keeps = orr_limits_hold(request, &t->worker->job, NULL, result);
    if (near && keeps && !orr_infer_nearest(&t->worker->job, result).outside)
        orr_outcome_put_inside(t->outcome, &found);
    t->counts->better += better && keeps;
    if (wanted && keeps) orr_outcome_put(t->outcome, &found);
    else if (wanted) t->counts->rejected[ORR_REJECT_LIMIT]++;
}

/* The batches asked for; else powers of two and the largest that fits. They ascend; returns how many there are. */
static int64_t list_batches(const struct orr_space *space, int64_t max_batch, int64_t batches[ORR_MAX_CHOICES])
{
    int64_t n = 0;
    for (; n < space->batch.n; n++) batches[n] = space->batch.values[n];
    if (n > 0) return n;
    for (int64_t batch = 1; n < MAX_BATCHES && batch <= max_batch; batch *= 2) batches[n++] = batch;
    if (n > 0 && batches[n - 1] < max_batch) batches[n++] = max_batch;
    /* Not even one sequence fits. The plan is still counted, so that the memory is named as the reason. */
    if (n == 0) batches[n++] = 1;
    return n;
}

typedef void visit_plan(struct tour *tour, const struct orr_infer_result *result, void *context);

/* Visit every batch of one layout. The cache grows with the batch, so that no batch above one that does not fit can
 * fit. */
static void visit_batches(struct tour *t, visit_plan *visit, void *context)
{
    struct orr_job *job = &t->worker->job;
    struct orr_infer_result result;
    int64_t batches[ORR_MAX_CHOICES];
    t->choice.batch = 1;
    orr_choose_pool(&t->search->request, &t->choice, t->role, job);
    if (orr_job_check(job, NULL)) return;
    orr_infer(job, &t->worker->scratch, &result);
    const bool loaded = orr_infer_loaded(&t->search->request); /* the load decides the batch */
    const int64_t n = loaded ? 1 : list_batches(&t->search->request.space, result.max_batch, batches);
    if (loaded) batches[0] = 1;
    t->counts->shapes++;
    for (int64_t i = 0; i < n; i++) {
        t->choice.batch = (int32_t)batches[i];
        orr_choose_pool(&t->search->request, &t->choice, t->role, job);
        orr_infer(job, &t->worker->scratch, &result);
        if (!result.fits) {
            t->counts->plans += (uint64_t)(n - i);
            t->counts->rejected[ORR_REJECT_MEMORY] += (uint64_t)(n - i);
            return;
        }
        if (loaded && !orr_infer_load(&t->search->request, job, &result)) {
            t->counts->plans++;
            t->counts->rejected[ORR_REJECT_LIMIT]++;
            return;
        }
        visit(t, &result, context);
    }
}

static void choose_layout(struct tour *t, int64_t tp, int64_t cp, int64_t pp, int64_t dp)
{
    t->choice.tp = (int32_t)tp;
    t->choice.cp = (int32_t)cp;
    t->choice.pp = (int32_t)pp;
    t->choice.dp = (int32_t)dp;
}

static void visit_experts(struct tour *t, visit_plan *visit, void *context)
{
    const struct orr_space *space = &t->search->request.space;
    const int64_t experts = orr_most_experts(&t->search->request.job.model), tp = t->choice.tp;
    for (int64_t ep = 1; ep <= experts; ep++) {
        if (experts % ep || !orr_chosen(&space->ep, ep)) continue;
        t->choice.ep = (int32_t)ep;
        t->choice.etp = (int32_t)orr_usual_etp(experts, tp, ep);
        if (space->etp.n == 0) visit_batches(t, visit, context);
        for (int64_t i = 0; i < space->etp.n; i++) {
            t->choice.etp = (int32_t)space->etp.values[i];
            visit_batches(t, visit, context);
        }
    }
}

/* Visit every tp, pp and ep on `gpus` GPUs; replicas fill what they leave. Context parallelism cuts only prompts, so it
 * is tried only where it is asked for. */
static void visit_layouts(struct tour *t, int64_t gpus, visit_plan *visit, void *context)
{
    const struct orr_space *space = &t->search->request.space;
    const struct orr_choices one = {.n = 1, .values = {1}}, *cps = space->cp.n ? &space->cp : &one;
    for (int64_t tp = 1; tp <= gpus; tp++) {
        if (gpus % tp || !orr_chosen(&space->tp, tp)) continue;
        for (int64_t i = 0; i < cps->n; i++) {
            const int64_t cp = cps->values[i];
            if (gpus % (tp * cp)) continue;
            for (int64_t pp = 1; tp * cp * pp <= gpus && pp <= t->search->request.job.model.n_layers; pp++) {
                const int64_t dp = gpus / (tp * cp * pp);
                if (gpus % (tp * cp * pp) || !orr_chosen(&space->pp, pp) || !orr_chosen(&space->dp, dp)) continue;
                if (!in_slice(t)) continue;
                choose_layout(t, tp, cp, pp, dp);
                visit_experts(t, visit, context);
            }
        }
    }
}

static void visit_aggregated(struct tour *t, const struct orr_infer_result *result, void *context)
{
    (void)context;
    list_result(t, &t->choice, result);
}

/* ---------------------------------------------------------------- two pools */

/* The smallest pool: one replica, or as many replicas as share one set of experts; with its prediction. */
struct unit {
    struct orr_choice choice;
    double requests_per_s;
    struct orr_infer_result result;
};
struct orr_units {
    size_t n, max;
    struct unit *items;
    bool failed;
};

static void keep_unit(struct tour *t, const struct orr_infer_result *result, void *context)
{
    struct orr_units *units = context;
    const struct orr_job *job = &t->worker->job;
    units->failed |= !orr_grow((void **)&units->items, &units->max, units->n + 1, sizeof *units->items);
    if (units->failed) return;
    units->items[units->n++] = (struct unit){
        .choice = t->choice,
        .requests_per_s = orr_requests_per_s(job, t->role == ORR_POOL_DECODE ? result->decode_s : result->ttft_s),
        .result = *result};
}

void orr_infer_units(const struct orr_search_request *request, int64_t most_gpus, orr_visit_unit *visit, void *context)
{
    const struct orr_space *space = &request->space;
    const int64_t experts = orr_most_experts(&request->job.model);
    for (int64_t tp = 1; tp <= most_gpus; tp++)
        for (int64_t pp = 1; tp * pp <= most_gpus && pp <= request->job.model.n_layers; pp++)
            for (int64_t ep = 1; ep <= experts; ep++) {
                const int64_t etp = orr_usual_etp(experts, tp, ep), dp = ep * etp > tp ? ep * etp / tp : 1;
                if (experts % ep || tp * pp * dp > most_gpus || !orr_chosen(&space->tp, tp) ||
                    !orr_chosen(&space->pp, pp) || !orr_chosen(&space->ep, ep) || !orr_chosen(&space->etp, etp))
                    continue;
                const struct orr_choice unit = {.gpus = (int32_t)(tp * pp * dp),
                                                .tp = (int32_t)tp,
                                                .cp = 1,
                                                .pp = (int32_t)pp,
                                                .dp = (int32_t)dp,
                                                .ep = (int32_t)ep,
                                                .etp = (int32_t)etp};
                visit(context, &unit);
            }
}

struct unit_list {
    struct tour *tour;
    struct orr_units *units;
};

static void list_unit(void *context, const struct orr_choice *unit)
{
    const struct unit_list *list = context;
    struct tour *t = list->tour;
    if (!in_slice(t) && t->role == ORR_POOL_PREFILL) return;
    choose_layout(t, unit->tp, 1, unit->pp, unit->dp);
    t->choice.ep = unit->ep;
    t->choice.etp = unit->etp;
    visit_batches(t, keep_unit, list->units);
}

/* List the units of a pool: prompt units of this slice, or all answer units. Both pools have at least one GPU. */
static void list_units(struct tour *t, int64_t gpus, enum orr_pool_role role, struct orr_units *units)
{
    struct unit_list list = {t, units};
    t->role = role;
    t->n_layouts = 0;
    orr_infer_units(&t->search->request, gpus - 1, list_unit, &list);
}

static int64_t unit_gpus(const struct unit *unit)
{
    return (int64_t)unit->choice.tp * unit->choice.pp * unit->choice.dp;
}

/* Two pools, each made of equal units. */
struct pair {
    const struct unit *prompt, *answer;
    int64_t prompts, answers; /* units in each pool */
    double requests_per_s;
};

static struct pair pair_of(const struct pair *from, int64_t prompts, int64_t answers)
{
    struct pair pair = {from->prompt, from->answer, prompts, answers, 0};
    pair.requests_per_s = orr_min((double)pair.prompts * from->prompt->requests_per_s,
                                  (double)pair.answers * from->answer->requests_per_s);
    return pair;
}

/* The pair with `prompts` prompt units and as many answer units as the remaining GPUs hold. */
static struct pair filled_pair(const struct pair *from, int64_t gpus, int64_t prompts)
{
    return pair_of(from, prompts, (gpus - prompts * unit_gpus(from->prompt)) / unit_gpus(from->answer));
}

static bool prompts_outrun(const struct pair *pair)
{
    return (double)pair->prompts * pair->prompt->requests_per_s > (double)pair->answers * pair->answer->requests_per_s;
}

/* The pair with the highest rate that both pools sustain on `gpus` GPUs. With more prompt units the rate of the prompts
 * rises and that of the answers falls, so the best number is where they cross or one less. `prompts` stays 0 if the two
 * do not fit. */
static struct pair match(const struct pair *from, int64_t gpus)
{
    int64_t low = 1, high = (gpus - unit_gpus(from->answer)) / unit_gpus(from->prompt);
    if (high < 1) return *from;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        const struct pair pair = filled_pair(from, gpus, middle);
        if (prompts_outrun(&pair)) high = middle;
        else low = middle + 1;
    }
    const struct pair at = filled_pair(from, gpus, low), before = low > 1 ? filled_pair(from, gpus, low - 1) : *from;
    return at.requests_per_s > before.requests_per_s ? at : before;
}

/* As match(), where numbers of replicas were asked for: each pool has one of these numbers. */
static struct pair match_given(const struct pair *from, int64_t gpus, const struct orr_choices *replicas)
{
    struct pair best = *from;
    for (int64_t i = 0; i < replicas->n; i++)
        for (int64_t j = 0; j < replicas->n; j++) {
            const int64_t prompts = replicas->values[i] / from->prompt->choice.dp;
            const int64_t answers = replicas->values[j] / from->answer->choice.dp;
            if (replicas->values[i] % from->prompt->choice.dp || replicas->values[j] % from->answer->choice.dp)
                continue;
            if (prompts * unit_gpus(from->prompt) + answers * unit_gpus(from->answer) > gpus) continue;
            const struct pair pair = pair_of(from, prompts, answers);
            if (pair.requests_per_s > best.requests_per_s) best = pair;
        }
    return best;
}

/* Could the pair be listed? If a GPU serves P requests per second in one pool and A in the other, no split of the GPUs
 * sustains more than 1 / (1 / P + 1 / A) per GPU; latency and memory do not depend on the split. */
static bool promising(struct tour *t, const struct pair *pair)
{
    const struct orr_search_request *request = &t->search->request;
    const struct orr_system *system = &request->job.system;
    const struct orr_infer_result *prompt = &pair->prompt->result, *answer = &pair->answer->result;
    const double gpu_s = (double)unit_gpus(pair->prompt) / pair->prompt->requests_per_s +
                         (double)unit_gpus(pair->answer) / pair->answer->requests_per_s; /* per request */
    const double token_gpu_s = BOUND_SLACK * gpu_s / (double)request->job.serving.output_len;
    const double least_w = orr_min(prompt->power_w_per_gpu, answer->power_w_per_gpu);
    const struct orr_figures least = {
        .values = {[ORR_OBJECTIVE_TIME] = BOUND_SLACK * (prompt->ttft_s + answer->decode_s),
                   [ORR_OBJECTIVE_THROUGHPUT] = token_gpu_s,
                   [ORR_OBJECTIVE_COST] = BOUND_SLACK * token_gpu_s * system->price_usd_per_gpu_hour / 3600,
                   [ORR_OBJECTIVE_ENERGY] = BOUND_SLACK * token_gpu_s * least_w * system->pue_frac,
                   [ORR_OBJECTIVE_MEMORY] = orr_max(prompt->memory_total_bytes, answer->memory_total_bytes)},
        .user_s = orr_user_s(request, prompt->ttft_s, answer->tpot_s),
    };
    if (request->brute) return true;
    orr_set_figures(request, &least, &t->least);
    return t->least.objective < t->search->compare_objective || orr_outcome_wants(t->outcome, &t->least, HUGE_VAL) ||
           wants_inside(t, &t->least);
}

static void visit_pair(struct tour *t, int64_t gpus, const struct pair *pair)
{
    struct orr_choice choice = pair->prompt->choice;
    const struct orr_choice *decode = &pair->answer->choice;
    choice.gpus = (int32_t)gpus;
    choice.dp = (int32_t)(pair->prompts * choice.dp);
    choice.decode_gpus = (int32_t)(pair->answers * unit_gpus(pair->answer));
    choice.decode_tp = decode->tp;
    choice.decode_pp = decode->pp;
    choice.decode_ep = decode->ep;
    choice.decode_batch = decode->batch;
    struct orr_infer_result result = pair->answer->result;
    orr_choose_decode(&t->search->request, &choice, &t->worker->job);
    orr_join_pools(&t->worker->job, &choice, pair->requests_per_s, &pair->prompt->result, &result);
    list_result(t, &choice, &result);
}

/* Visit every prompt unit with every answer unit that the GPUs hold beside it. */
static void visit_pairs(struct tour *t, int64_t gpus, const struct orr_units *prompts, const struct orr_units *answers)
{
    const struct orr_choices *replicas = &t->search->request.space.dp;
    for (size_t i = 0; i < prompts->n; i++)
        for (size_t j = 0; j < answers->n; j++) {
            struct pair pair = {.prompt = &prompts->items[i], .answer = &answers->items[j]};
            if (unit_gpus(pair.prompt) + unit_gpus(pair.answer) > gpus) continue;
            const bool promises = promising(t, &pair);
            if (replicas->n > 0) pair = match_given(&pair, gpus, replicas);
            else if (promises) pair = match(&pair, gpus);
            if (pair.prompts == 0 && (promises || replicas->n > 0)) continue;
            if (promises) visit_pair(t, gpus, &pair);
            else {
                t->counts->plans++;
                t->counts->feasible++;
                t->counts->rejected[ORR_REJECT_BOUND]++;
            }
        }
}

/* The answer units do not depend on the slice, so a worker keeps them for the next slice. Only the first slice counts
 * them. */
static const struct orr_units *list_answers(struct tour *t, int64_t gpus, int64_t group)
{
    struct orr_worker *w = t->worker;
    if (w->answers && w->answers_of == group && t->slice > 0) return w->answers;
    orr_search_infer_done(w);
    w->answers = calloc(1, sizeof *w->answers);
    w->answers_of = group;
    if (!w->answers) return NULL;
    struct orr_search_counts again = {0};
    if (t->slice > 0) t->counts = &again;
    list_units(t, gpus, ORR_POOL_DECODE, w->answers);
    t->counts = &t->outcome->counts;
    return w->answers->failed ? NULL : w->answers;
}

void orr_search_infer_done(struct orr_worker *worker)
{
    if (worker->answers) free(worker->answers->items);
    free(worker->answers);
    worker->answers = NULL;
}

static void visit_disaggregated(struct tour *t, int64_t gpus, int64_t group)
{
    struct orr_units prompts = {0};
    if (t->search->request.job.serving.output_len < 2) return; /* An answer of one token has no decode phase. */
    if (!orr_chosen(&t->search->request.space.cp, 1)) return;
    const struct orr_units *answers = list_answers(t, gpus, group);
    list_units(t, gpus, ORR_POOL_PREFILL, &prompts);
    t->outcome->failed |= prompts.failed || !answers;
    if (answers) visit_pairs(t, gpus, &prompts, answers);
    free(prompts.items);
}

/* ---------------------------------------------------------------- blocks */

static int64_t count_of(const struct orr_choices *choices)
{
    return choices->n > 0 ? choices->n : 1;
}

/* The i-th value asked for, or that of the base job if none is. */
static int64_t value_of(const struct orr_choices *choices, int64_t i, int64_t base)
{
    return choices->n > 0 ? choices->values[i] : base;
}

/* Both kinds of plans, with one pool and with two, are searched unless one kind was asked for. */
static int64_t n_pools(const struct orr_space *space)
{
    return space->disaggregated.n > 0 ? space->disaggregated.n : 2;
}

int64_t orr_search_infer_blocks(const struct orr_search_request *request)
{
    const struct orr_space *space = &request->space;
    const int64_t pools = orr_infer_loaded(request) ? 1 : n_pools(space); /* under load one pool: orrery size has two */
    return SLICES * space->gpus.n * count_of(&space->weights) * count_of(&space->kv) * pools;
}

void orr_search_infer_block(const struct orr_search *search, int pass, int64_t block, struct orr_worker *worker,
                            struct orr_outcome *outcome)
{
    const struct orr_space *space = &search->request.space;
    const struct orr_serving *serving = &search->request.job.serving;
    if (pass == 0) return; /* Inference has no coarse pass. */
    struct tour t = {
        .search = search, .worker = worker, .outcome = outcome, .counts = &outcome->counts, .slice = block % SLICES};
    int64_t rest = block / SLICES;
    const int64_t gpus = space->gpus.values[rest % space->gpus.n];
    rest /= space->gpus.n;
    t.choice.weights = (uint8_t)value_of(&space->weights, rest % count_of(&space->weights), serving->format);
    rest /= count_of(&space->weights);
    t.choice.kv = (uint8_t)value_of(&space->kv, rest % count_of(&space->kv), orr_serving_cache_choice(serving));
    rest /= count_of(&space->kv);
    t.choice.disaggregated = (uint8_t)value_of(&space->disaggregated, rest, rest);
    t.choice.gpus = (int32_t)gpus;
    if (t.choice.disaggregated) visit_disaggregated(&t, gpus, block / SLICES);
    else visit_layouts(&t, gpus, visit_aggregated, NULL);
}
