/* Search of inference plans: every layout, batch and format of a space that is small enough to predict plan by plan.
 * Aggregated plans run prompts and answers on the same GPUs; disaggregated ones split them into two pools whose rates
 * are matched. */
#include "search/search.h"

#include "base/number.h"
#include "metric/metric.h"
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

/* ---------------------------------------------------------------- one plan */

/* Formats of weights that differ from the request's. */
static void change_weights(const struct orr_search_request *request, enum orr_weight_format format, struct orr_job *job)
{
    struct orr_serving *serving = &job->serving;
    const struct orr_serving *base = &request->job.serving;
    struct orr_serving usual;
    orr_serving_formats(job, base->format, &usual);
    orr_serving_formats(job, format, serving);
    if (base->kv != usual.kv || base->kv_format != usual.kv_format) {
        serving->kv = base->kv; /* The cache format was asked for, so it stays. */
        serving->kv_format = base->kv_format;
    }
    if (request->matrix_given) orr_serving_multiply_in(base->matrix, serving);
    if (request->comm_given) serving->comm = base->comm;
}

/* Plans that follow each other often have the same formats: what the job has of them is kept. */
static void choose_formats(const struct orr_search_request *request, const struct orr_choice *choice,
                           struct orr_job *job)
{
    struct orr_serving *serving = &job->serving;
    const enum orr_weight_format format = (enum orr_weight_format)choice->weights;
    const struct orr_serving before = *serving;
    *serving = request->job.serving;
    if (format != serving->format && format == before.format) {
        serving->format = before.format;
        serving->weights = before.weights;
        serving->matrix = before.matrix;
        serving->comm = before.comm;
        serving->kv = before.kv;
        serving->kv_format = before.kv_format;
        memcpy(serving->served, before.served, sizeof serving->served);
    } else if (format != serving->format) {
        change_weights(request, format, job);
    }
    if (request->space.kv.n > 0) orr_serving_cache(choice->kv, serving);
}

/* What a pool of GPUs serves: prompts and answers, only prompts, or only answers. */
enum role { WHOLE, PROMPT, ANSWER };

static void choose_pool(const struct orr_search_request *request, const struct orr_choice *choice, enum role role,
                        struct orr_job *job)
{
    struct orr_plan *plan = &job->plan;
    *plan = (struct orr_plan){.tp = choice->tp,
                              .cp = choice->cp,
                              .pp = choice->pp,
                              .vpp = 1,
                              .dp = choice->dp,
                              .ep = choice->ep,
                              .etp = choice->etp,
                              .schedule = ORR_SCHEDULE_1F1B,
                              .cp_kind = ORR_CP_RING};
    plan->gpus = plan->tp * plan->cp * plan->pp * plan->dp;
    plan->zero_group = plan->dp * plan->cp;
    choose_formats(request, choice, job);
    job->serving.batch = choice->batch;
    job->serving.disaggregated = role == PROMPT;
    if (role == PROMPT) job->serving.output_len = 1; /* The cache leaves the pool with the first token. */
    /* The pool receives the prompt's cache instead of computing it. */
    if (role == ANSWER) job->serving.prefix_hit_frac = ORR_PREFIX_HIT_MAX;
    if (!request->imbalance_given) job->serving.moe_imbalance = orr_default_imbalance(job, choice->ep);
    orr_serving_workload(job);
}

/* The expert-tensor ranks unless others are asked for: ep takes its part of tp, and the experts are cut over the
 * rest. */
static int64_t usual_etp(int64_t experts, int64_t tp, int64_t ep)
{
    return experts > 1 && tp % ep == 0 ? tp / ep : 1;
}

/* The job of the pool that serves prompts, or of the only pool. */
void orr_infer_choose(const struct orr_search_request *request, const struct orr_choice *choice, struct orr_job *job)
{
    choose_pool(request, choice, choice->decode_gpus > 0 ? PROMPT : WHOLE, job);
}

/* The job of the pool that serves answers. */
static void choose_decode(const struct orr_search_request *request, const struct orr_choice *choice,
                          struct orr_job *job)
{
    struct orr_choice pool = *choice;
    pool.tp = choice->decode_tp;
    pool.cp = 1;
    pool.pp = choice->decode_pp;
    pool.ep = choice->decode_ep;
    pool.etp = (int32_t)usual_etp(orr_most_experts(&request->job.model), pool.tp, pool.ep);
    pool.dp = choice->decode_gpus / (pool.tp * pool.pp);
    pool.batch = choice->decode_batch;
    choose_pool(request, &pool, ANSWER, job);
}

/* The time of a request by parts: the prompt's parts come from the first pool and the rest from the second. The
 * remainder of the latency is host time, sampling and requests of both pools. It may be negative, because the pipeline
 * part includes the second pool's own short prefill. */
static void join_times(const struct orr_infer_result *prompt, struct orr_infer_result *joint)
{
    double parts_s = 0;
    for (int i = ORR_INFER_PREFILL_GEMM; i <= ORR_INFER_PREFILL_NETWORK; i++) joint->time_s[i] = prompt->time_s[i];
    joint->time_s[ORR_INFER_KV_TRANSFER] = prompt->time_s[ORR_INFER_KV_TRANSFER];
    joint->time_s[ORR_INFER_OVERHEAD] = 0;
    for (int i = 0; i < ORR_N_INFER_PARTS; i++) parts_s += joint->time_s[i];
    const double left_s = joint->latency_s - parts_s;
    joint->time_s[ORR_INFER_OVERHEAD] = orr_max(0, left_s);
    joint->time_s[ORR_INFER_PIPELINE] += orr_min(0, left_s);
}

/* Two pools as one answer, made from that of the second pool: the prompt's times come from the first, and requests flow
 * at the rate of the slower pool. */
static void join_pools(const struct orr_job *job, const struct orr_choice *choice, double rate_per_s,
                       const struct orr_infer_result *prompt, struct orr_infer_result *joint)
{
    const struct orr_infer_result answer = *joint;
    const struct orr_system *system = &job->system;
    const double gpus = choice->gpus, decode = choice->decode_gpus;
    const double batch_s = (double)(job->plan.dp * job->serving.batch) / rate_per_s; /* from one batch to the next */
    joint->ttft_s = prompt->ttft_s;
    joint->prefill_s = prompt->prefill_s;
    joint->tower_s = prompt->tower_s;
    joint->kv_handoff_s = prompt->kv_handoff_s;
    joint->latency_s = prompt->ttft_s + answer.decode_s;
    joint->interval_low_s *= joint->latency_s / answer.latency_s;
    joint->interval_high_s *= joint->latency_s / answer.latency_s;
    joint->bound_s += prompt->bound_s;
    join_times(prompt, joint);
    joint->output_tokens_per_s = rate_per_s * (double)job->serving.output_len;
    joint->output_tokens_per_s_per_gpu = joint->output_tokens_per_s / gpus;
    joint->input_tokens_per_s_per_gpu = rate_per_s * (double)orr_prompt_len(job) / gpus;
    joint->fits = answer.fits && prompt->fits;
    joint->memory_total_bytes = orr_max(answer.memory_total_bytes, prompt->memory_total_bytes);
    joint->power_w_per_gpu = ((gpus - decode) * prompt->power_w_per_gpu + decode * answer.power_w_per_gpu) / gpus;
    joint->energy_j = gpus * joint->power_w_per_gpu * system->pue_frac * batch_s;
    for (int i = 0; i < ORR_N_ENERGY_PARTS; i++) /* Each pool draws its mean power from one batch to the next. */
        joint->energy_part_j[i] =
            batch_s * (prompt->energy_part_j[i] / prompt->latency_s + answer.energy_part_j[i] / answer.latency_s);
    joint->cost_usd = gpus * system->price_usd_per_gpu_hour / 3600 * batch_s;
    joint->cost_usd_per_million_tokens = joint->cost_usd / (batch_s * joint->output_tokens_per_s) * 1e6;
}

/* Requests per second that all replicas of a pool serve if each serves a batch in `batch_s`. */
static double requests_per_s(const struct orr_job *job, double batch_s)
{
    return (double)(job->plan.dp * job->serving.batch) / batch_s;
}

void orr_infer_predict(const struct orr_search *search, const struct orr_choice *choice, struct orr_job *job,
                       struct orr_scratch *scratch, struct orr_infer_result *result)
{
    *job = search->request.job;
    orr_infer_choose(&search->request, choice, job);
    orr_infer(job, scratch, result);
    if (orr_infer_loaded(&search->request)) (void)orr_infer_load(&search->request, job, result);
    if (choice->decode_gpus > 0) {
        const struct orr_infer_result prompt = *result;
        const double prompts_per_s = requests_per_s(job, prompt.ttft_s);
        choose_decode(&search->request, choice, job);
        orr_infer(job, scratch, result);
        join_pools(job, choice, orr_min(prompts_per_s, requests_per_s(job, result->decode_s)), &prompt, result);
    }
}

enum orr_err orr_search_predict(const struct orr_search *search, const struct orr_choice *choice,
                                struct orr_scratch *scratch, struct orr_infer_result *result)
{
    struct orr_job *job = malloc(sizeof *job);
    if (!job) return ORR_ERR_MEMORY;
    orr_infer_predict(search, choice, job, scratch, result);
    free(job);
    return ORR_OK;
}

/* ---------------------------------------------------------------- what a plan is worth */

/* The figures that objectives and fronts compare, or lower bounds of them. */
struct figures {
    double values[ORR_N_OBJECTIVES]; /* by objective; a rate counts as its inverse */
    double user_s;
};

static void set_figures(const struct orr_search_request *request, const struct figures *f, struct orr_found *found)
{
    found->objective = f->values[request->objective];
    found->time_s = f->values[ORR_OBJECTIVE_TIME];
    found->memory_bytes = f->values[ORR_OBJECTIVE_MEMORY];
    found->front[0] = f->values[ORR_OBJECTIVE_THROUGHPUT];
    found->front[1] = f->user_s;
}

/* Seconds that a user waits for each token, or for the only token. */
static double user_s(const struct orr_search_request *request, double ttft_s, double tpot_s)
{
    return request->job.serving.output_len > 1 ? tpot_s : ttft_s;
}

void orr_infer_found(const struct orr_search_request *request, const struct orr_infer_result *r,
                     const struct orr_choice *choice, struct orr_found *found)
{
    const double tokens = r->output_tokens_per_s > 0 ? r->cost_usd / r->cost_usd_per_million_tokens * 1e6 : 1;
    const struct figures figures = {
        .values = {[ORR_OBJECTIVE_TIME] = r->latency_s,
                   [ORR_OBJECTIVE_THROUGHPUT] = 1 / r->output_tokens_per_s_per_gpu,
                   [ORR_OBJECTIVE_COST] = r->cost_usd_per_million_tokens / 1e6,
                   [ORR_OBJECTIVE_ENERGY] = r->energy_j / tokens,
                   [ORR_OBJECTIVE_MEMORY] = r->memory_total_bytes},
        .user_s = user_s(request, r->ttft_s, r->tpot_s),
    };
    *found = (struct orr_found){.choice = *choice};
    set_figures(request, &figures, found);
}

/* ---------------------------------------------------------------- one block: GPUs, formats, one pool or two */

struct tour {
    const struct orr_search *search;
    struct orr_worker *worker;
    struct orr_outcome *outcome;
    struct orr_search_counts *counts; /* those of the outcome, or a copy that is dropped */
    struct orr_choice choice;
    enum role role;
    int64_t slice, n_layouts; /* which slice this is; layouts seen so far */
    struct orr_found least;   /* bound of a pair of pools; its layout stays zero, so that no listed layout matches it */
};

/* Does the next layout belong to this slice? */
static bool in_slice(struct tour *t)
{
    return t->n_layouts++ % SLICES == t->slice;
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
               wanted = orr_outcome_wants(t->outcome, &found, HUGE_VAL);
    if (!better && !wanted) return;
    const bool keeps = orr_limits_hold(request, &t->worker->job, NULL, result);
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
    choose_pool(&t->search->request, &t->choice, t->role, job);
    if (orr_job_check(job, NULL)) return;
    orr_infer(job, &t->worker->scratch, &result);
    const bool loaded = orr_infer_loaded(&t->search->request); /* the load decides the batch */
    const int64_t n = loaded ? 1 : list_batches(&t->search->request.space, result.max_batch, batches);
    if (loaded) batches[0] = 1;
    t->counts->shapes++;
    for (int64_t i = 0; i < n; i++) {
        t->choice.batch = (int32_t)batches[i];
        choose_pool(&t->search->request, &t->choice, t->role, job);
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
        t->choice.etp = (int32_t)usual_etp(experts, tp, ep);
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
    units->items[units->n++] =
        (struct unit){.choice = t->choice,
                      .requests_per_s = requests_per_s(job, t->role == ANSWER ? result->decode_s : result->ttft_s),
                      .result = *result};
}

void orr_infer_units(const struct orr_search_request *request, int64_t most_gpus, orr_visit_unit *visit, void *context)
{
    const struct orr_space *space = &request->space;
    const int64_t experts = orr_most_experts(&request->job.model);
    for (int64_t tp = 1; tp <= most_gpus; tp++)
        for (int64_t pp = 1; tp * pp <= most_gpus && pp <= request->job.model.n_layers; pp++)
            for (int64_t ep = 1; ep <= experts; ep++) {
                const int64_t etp = usual_etp(experts, tp, ep), dp = ep * etp > tp ? ep * etp / tp : 1;
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
    if (!in_slice(t) && t->role == PROMPT) return;
    choose_layout(t, unit->tp, 1, unit->pp, unit->dp);
    t->choice.ep = unit->ep;
    t->choice.etp = unit->etp;
    visit_batches(t, keep_unit, list->units);
}

/* List the units of a pool: prompt units of this slice, or all answer units. Both pools have at least one GPU. */
static void list_units(struct tour *t, int64_t gpus, enum role role, struct orr_units *units)
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
    const struct figures least = {
        .values = {[ORR_OBJECTIVE_TIME] = BOUND_SLACK * (prompt->ttft_s + answer->decode_s),
                   [ORR_OBJECTIVE_THROUGHPUT] = token_gpu_s,
                   [ORR_OBJECTIVE_COST] = BOUND_SLACK * token_gpu_s * system->price_usd_per_gpu_hour / 3600,
                   [ORR_OBJECTIVE_ENERGY] = BOUND_SLACK * token_gpu_s * least_w * system->pue_frac,
                   [ORR_OBJECTIVE_MEMORY] = orr_max(prompt->memory_total_bytes, answer->memory_total_bytes)},
        .user_s = user_s(request, prompt->ttft_s, answer->tpot_s),
    };
    if (request->brute) return true;
    set_figures(request, &least, &t->least);
    return t->least.objective < t->search->compare_objective || orr_outcome_wants(t->outcome, &t->least, HUGE_VAL);
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
    choose_decode(&t->search->request, &choice, &t->worker->job);
    join_pools(&t->worker->job, &choice, pair->requests_per_s, &pair->prompt->result, &result);
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
    list_units(t, gpus, ANSWER, w->answers);
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
    list_units(t, gpus, PROMPT, &prompts);
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
