/* Search of inference plans: every layout, batch and format of a space that is small enough to predict plan by plan.
 * Aggregated plans run prompts and answers on the same GPUs; disaggregated ones split them into two pools whose rates
 * are matched. */
#include "study/search.h"

#include "base/number.h"
#include "spec/limits.h"
#include "spec/spec.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_BATCHES = 24 };

/* ---------------------------------------------------------------- one plan */

static void choose_formats(const struct orr_search_request *request, const struct orr_choice *choice,
                           struct orr_job *job)
{
    struct orr_serving *serving = &job->serving;
    const struct orr_serving *base = &request->job.serving;
    *serving = *base;
    if (choice->weights != base->weights) {
        struct orr_serving usual;
        orr_serving_formats(job, base->weights, &usual);
        orr_serving_formats(job, (enum orr_dtype)choice->weights, serving);
        if (base->kv != usual.kv) serving->kv = base->kv; /* was asked for */
        if (request->matrix_given) serving->matrix = base->matrix;
        if (request->comm_given) serving->comm = base->comm;
    }
    if (request->space.kv.n > 0) serving->kv = (enum orr_dtype)choice->kv;
}

/* What a pool of GPUs does: prompts and answers, or one of them. */
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
    if (role == PROMPT) job->serving.output_len = 1;                       /* its cache leaves with the first token */
    if (role == ANSWER) job->serving.prefix_hit_frac = ORR_PREFIX_HIT_MAX; /* the prompt's cache arrives made */
    if (!request->imbalance_given) job->serving.moe_imbalance = orr_default_imbalance(choice->ep);
    orr_serving_workload(job);
}

static int64_t most_experts(const struct orr_model *model)
{
    int64_t experts = 1;
    for (int64_t k = 0; k < model->n_kinds; k++)
        if (model->kinds[k].n_experts > experts) experts = model->kinds[k].n_experts;
    return experts;
}

/* Expert ranks that go with tp: experts are cut like the other matrices over what ep leaves of tp. */
static int64_t usual_etp(int64_t experts, int64_t tp, int64_t ep)
{
    return experts > 1 && tp % ep == 0 ? tp / ep : 1;
}

/* The job of the prompts' pool; of all of it where there is only one. */
void orr_infer_choose(const struct orr_search_request *request, const struct orr_choice *choice, struct orr_job *job)
{
    choose_pool(request, choice, choice->decode_gpus > 0 ? PROMPT : WHOLE, job);
}

/* The job of the pool that makes the answers. */
static void choose_decode(const struct orr_search_request *request, const struct orr_choice *choice,
                          struct orr_job *job)
{
    struct orr_choice pool = *choice;
    pool.tp = choice->decode_tp;
    pool.cp = 1;
    pool.pp = choice->decode_pp;
    pool.ep = choice->decode_ep;
    pool.etp = (int32_t)usual_etp(most_experts(&request->job.model), pool.tp, pool.ep);
    pool.dp = choice->decode_gpus / (pool.tp * pool.pp);
    pool.batch = choice->decode_batch;
    choose_pool(request, &pool, ANSWER, job);
}

/* Two pools as one answer: the prompt's times of the first, the answer's of the second; requests flow at the rate of
 * the slower pool. Fills what depends on both into the second pool's result. */
static void join_pools(const struct orr_job *job, const struct orr_choice *choice, double requests_per_s,
                       const struct orr_infer_result *prompt, struct orr_infer_result *answer)
{
    const struct orr_system *system = &job->system;
    const double gpus = choice->gpus, decode = choice->decode_gpus, output = (double)job->serving.output_len;
    const double batch_s = (double)(job->plan.dp * job->serving.batch) / requests_per_s; /* between batches */
    const double alone_s = answer->latency_s;
    for (int i = ORR_INFER_PREFILL_GEMM; i <= ORR_INFER_PREFILL_NETWORK; i++) answer->time_s[i] = prompt->time_s[i];
    answer->time_s[ORR_INFER_KV_TRANSFER] = prompt->time_s[ORR_INFER_KV_TRANSFER];
    answer->ttft_s = prompt->ttft_s;
    answer->prefill_s = prompt->prefill_s;
    answer->kv_handoff_s = prompt->kv_handoff_s;
    answer->latency_s = prompt->ttft_s + answer->decode_s;
    answer->interval_low_s *= answer->latency_s / alone_s;
    answer->interval_high_s *= answer->latency_s / alone_s;
    answer->time_s[ORR_INFER_OVERHEAD] = 0;
    double parts_s = 0; /* host, sampling and requests of both pools are what is left */
    for (int i = 0; i < ORR_N_INFER_PARTS; i++) parts_s += answer->time_s[i];
    const double left_s = answer->latency_s - parts_s; /* the second pool's own short prefill waited too */
    answer->time_s[ORR_INFER_OVERHEAD] = orr_max(0, left_s);
    answer->time_s[ORR_INFER_PIPELINE] += orr_min(0, left_s);
    answer->bound_s += prompt->bound_s;
    answer->output_tokens_per_s = requests_per_s * output;
    answer->output_tokens_per_s_per_gpu = answer->output_tokens_per_s / gpus;
    answer->input_tokens_per_s_per_gpu = requests_per_s * (double)job->serving.input_len / gpus;
    answer->fits = answer->fits && prompt->fits;
    answer->memory_total_bytes = orr_max(answer->memory_total_bytes, prompt->memory_total_bytes);
    answer->power_w_per_gpu = ((gpus - decode) * prompt->power_w_per_gpu + decode * answer->power_w_per_gpu) / gpus;
    answer->energy_j = gpus * answer->power_w_per_gpu * system->pue_frac * batch_s;
    answer->cost_usd = gpus * system->price_usd_per_gpu_hour / 3600 * batch_s;
    answer->cost_usd_per_million_tokens = answer->cost_usd / (batch_s * answer->output_tokens_per_s) * 1e6;
}

/* Requests per second of a pool of replicas. */
static double prompts_per_s(const struct orr_job *job, const struct orr_infer_result *result)
{
    return (double)(job->plan.dp * job->serving.batch) / result->ttft_s;
}

static double answers_per_s(const struct orr_job *job, const struct orr_infer_result *result)
{
    return (double)(job->plan.dp * job->serving.batch) / result->decode_s;
}

static void predict(const struct orr_search *search, const struct orr_choice *choice, struct orr_job *job,
                    struct orr_scratch *scratch, struct orr_infer_result *result)
{
    orr_infer_choose(&search->request, choice, job);
    orr_infer(job, scratch, result);
    if (choice->decode_gpus > 0) {
        const struct orr_infer_result prompt = *result;
        const double rate = prompts_per_s(job, &prompt);
        choose_decode(&search->request, choice, job);
        orr_infer(job, scratch, result);
        join_pools(job, choice, orr_min(rate, answers_per_s(job, result)), &prompt, result);
    }
}

enum orr_err orr_search_predict(const struct orr_search *search, const struct orr_choice *choice,
                                struct orr_scratch *scratch, struct orr_infer_result *result)
{
    struct orr_job *job = malloc(sizeof *job);
    if (!job) return ORR_ERR_MEMORY;
    *job = search->request.job;
    predict(search, choice, job, scratch, result);
    free(job);
    return ORR_OK;
}

/* ---------------------------------------------------------------- what a plan is worth */

void orr_infer_found(const struct orr_search_request *request, const struct orr_infer_result *r,
                     const struct orr_choice *choice, struct orr_found *found)
{
    const double tokens = r->output_tokens_per_s > 0 ? r->cost_usd / r->cost_usd_per_million_tokens * 1e6 : 1;
    *found = (struct orr_found){.time_s = r->latency_s, .memory_bytes = r->memory_total_bytes, .choice = *choice};
    found->front[0] = 1 / r->output_tokens_per_s_per_gpu;
    found->front[1] = request->job.serving.output_len > 1 ? r->tpot_s : r->ttft_s;
    switch (request->objective) {
    case ORR_OBJECTIVE_TIME: found->objective = r->latency_s; return;
    case ORR_OBJECTIVE_THROUGHPUT: found->objective = 1 / r->output_tokens_per_s_per_gpu; return;
    case ORR_OBJECTIVE_COST: found->objective = r->cost_usd_per_million_tokens / 1e6; return;
    case ORR_OBJECTIVE_ENERGY: found->objective = r->energy_j / tokens; return;
    case ORR_OBJECTIVE_MEMORY: found->objective = r->memory_total_bytes; return;
    case ORR_N_OBJECTIVES: return;
    }
}

/* ---------------------------------------------------------------- one block: GPUs, formats, one pool or two */

struct tour {
    const struct orr_search *search;
    struct orr_worker *worker;
    struct orr_outcome *outcome;
    struct orr_choice choice;
    enum role role;
};

static void list_result(struct tour *t, const struct orr_choice *choice, const struct orr_infer_result *result)
{
    const struct orr_search_request *request = &t->search->request;
    struct orr_found found;
    orr_infer_found(request, result, choice, &found);
    t->outcome->counts.feasible++;
    t->outcome->counts.better += found.objective < t->search->compare_objective;
    if (!orr_outcome_wants(t->outcome, &found, HUGE_VAL)) return;
    if (request->accept && !request->accept(request, &t->worker->job, NULL, result)) {
        t->outcome->counts.rejected[ORR_REJECT_LIMIT]++;
        return;
    }
    orr_outcome_put(t->outcome, &found);
}

/* Batches asked for; else powers of two and the largest that fits. Ascending; returns how many. */
static int64_t list_batches(const struct orr_space *space, int64_t max_batch, int64_t batches[ORR_MAX_CHOICES])
{
    int64_t n = 0;
    for (; n < space->batch.n; n++) batches[n] = space->batch.values[n];
    if (n > 0) return n;
    for (int64_t batch = 1; n < MAX_BATCHES && batch <= max_batch; batch *= 2) batches[n++] = batch;
    if (n > 0 && batches[n - 1] < max_batch) batches[n++] = max_batch;
    if (n == 0) batches[n++] = 1; /* does not fit: counted, and said */
    return n;
}

typedef void visit_plan(struct tour *tour, const struct orr_infer_result *result, void *context);

/* Every batch of one layout. The cache grows with the batch: after one that does not fit none does. */
static void visit_batches(struct tour *t, visit_plan *visit, void *context)
{
    struct orr_job *job = &t->worker->job;
    struct orr_infer_result result;
    int64_t batches[ORR_MAX_CHOICES];
    t->choice.batch = 1;
    choose_pool(&t->search->request, &t->choice, t->role, job);
    if (orr_job_check(job, NULL)) return;
    orr_infer(job, &t->worker->scratch, &result);
    const int64_t n = list_batches(&t->search->request.space, result.max_batch, batches);
    t->outcome->counts.shapes++;
    t->outcome->counts.plans += (uint64_t)n;
    for (int64_t i = 0; i < n; i++) {
        t->choice.batch = (int32_t)batches[i];
        choose_pool(&t->search->request, &t->choice, t->role, job);
        orr_infer(job, &t->worker->scratch, &result);
        t->outcome->counts.evaluated++;
        if (!result.fits) {
            t->outcome->counts.evaluated--;
            t->outcome->counts.rejected[ORR_REJECT_MEMORY] += (uint64_t)(n - i);
            return;
        }
        visit(t, &result, context);
    }
}

static void visit_experts(struct tour *t, visit_plan *visit, void *context)
{
    const struct orr_space *space = &t->search->request.space;
    const int64_t experts = most_experts(&t->search->request.job.model), tp = t->choice.tp;
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

/* Every tp, pp and ep of `gpus`; replicas fill them. Context parallel only where asked for: it cuts prompts alone. */
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
                t->choice.tp = (int32_t)tp;
                t->choice.cp = (int32_t)cp;
                t->choice.pp = (int32_t)pp;
                t->choice.dp = (int32_t)dp;
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

/* The least a pool can be made of, and what it does: a replica, or as many as share their experts. */
struct unit {
    struct orr_choice choice;
    double requests_per_s;
    struct orr_infer_result result;
};
struct units {
    size_t n, max;
    struct unit *items;
    bool failed;
};

static void keep_unit(struct tour *t, const struct orr_infer_result *result, void *context)
{
    struct units *units = context;
    const struct orr_job *job = &t->worker->job;
    if (units->n == units->max) {
        const size_t max = units->max ? 2 * units->max : 64;
        struct unit *items = realloc(units->items, max * sizeof *items);
        if (!items) {
            units->failed = true;
            return;
        }
        units->items = items;
        units->max = max;
    }
    units->items[units->n++] =
        (struct unit){.choice = t->choice,
                      .requests_per_s = t->role == ANSWER ? answers_per_s(job, result) : prompts_per_s(job, result),
                      .result = *result};
}

static void list_units(struct tour *t, int64_t gpus, enum role role, struct units *units)
{
    const struct orr_space *space = &t->search->request.space;
    const struct orr_model *model = &t->search->request.job.model;
    const int64_t experts = most_experts(model);
    t->role = role;
    for (int64_t tp = 1; tp < gpus; tp++)
        for (int64_t pp = 1; tp * pp < gpus && pp <= model->n_layers; pp++)
            for (int64_t ep = 1; ep <= experts; ep++) {
                const int64_t etp = usual_etp(experts, tp, ep), dp = ep * etp > tp ? ep * etp / tp : 1;
                if (experts % ep || tp * pp * dp >= gpus || !orr_chosen(&space->tp, tp) ||
                    !orr_chosen(&space->pp, pp) || !orr_chosen(&space->ep, ep))
                    continue;
                t->choice.tp = (int32_t)tp;
                t->choice.cp = 1;
                t->choice.pp = (int32_t)pp;
                t->choice.dp = (int32_t)dp;
                t->choice.ep = (int32_t)ep;
                t->choice.etp = (int32_t)etp;
                visit_batches(t, keep_unit, units);
            }
}

static int64_t unit_gpus(const struct unit *unit)
{
    return (int64_t)unit->choice.tp * unit->choice.pp * unit->choice.dp;
}

/* Units of each pool on `gpus` GPUs at the highest rate both sustain; 0: they do not fit. */
static int64_t match(const struct unit *prompt, const struct unit *answer, int64_t gpus, int64_t *answers)
{
    const int64_t g = unit_gpus(prompt), h = unit_gpus(answer);
    int64_t best = 0;
    double most = 0;
    for (int64_t n = 1; n * g + h <= gpus; n++) {
        const int64_t left = (gpus - n * g) / h;
        const double rate = orr_min((double)n * prompt->requests_per_s, (double)left * answer->requests_per_s);
        if (rate > most) {
            most = rate;
            best = n;
            *answers = left;
        }
        if ((double)n * prompt->requests_per_s > (double)left * answer->requests_per_s)
            break; /* only falls from here */
    }
    return best;
}

static void visit_pair(struct tour *t, int64_t gpus, const struct unit *prompt, const struct unit *answer)
{
    int64_t answers = 0;
    const int64_t prompts = match(prompt, answer, gpus, &answers);
    if (prompts == 0) return;
    struct orr_choice choice = prompt->choice;
    choice.gpus = (int32_t)gpus;
    choice.dp = (int32_t)(prompts * prompt->choice.dp);
    choice.decode_gpus = (int32_t)(answers * unit_gpus(answer));
    choice.decode_tp = answer->choice.tp;
    choice.decode_pp = answer->choice.pp;
    choice.decode_ep = answer->choice.ep;
    choice.decode_batch = answer->choice.batch;
    struct orr_infer_result result = answer->result;
    choose_decode(&t->search->request, &choice, &t->worker->job);
    join_pools(&t->worker->job, &choice,
               orr_min((double)prompts * prompt->requests_per_s, (double)answers * answer->requests_per_s),
               &prompt->result, &result);
    t->outcome->counts.plans++;
    t->outcome->counts.evaluated++;
    list_result(t, &choice, &result);
}

static void visit_disaggregated(struct tour *t, int64_t gpus)
{
    struct units prompts = {0}, answers = {0};
    if (t->search->request.job.serving.output_len < 2) return; /* nothing to hand over for */
    list_units(t, gpus, PROMPT, &prompts);
    list_units(t, gpus, ANSWER, &answers);
    t->outcome->counts.plans -= prompts.n + answers.n; /* pools are not plans yet */
    t->outcome->counts.evaluated -= prompts.n + answers.n;
    t->outcome->failed |= prompts.failed || answers.failed;
    for (size_t i = 0; i < prompts.n; i++)
        for (size_t j = 0; j < answers.n; j++) visit_pair(t, gpus, &prompts.items[i], &answers.items[j]);
    free(prompts.items);
    free(answers.items);
}

/* ---------------------------------------------------------------- blocks */

static int64_t count_of(const struct orr_choices *choices)
{
    return choices->n > 0 ? choices->n : 1;
}

/* The i-th value asked for, or the one of the base job. */
static int64_t value_of(const struct orr_choices *choices, int64_t i, int64_t base)
{
    return choices->n > 0 ? choices->values[i] : base;
}

int64_t orr_search_infer_blocks(const struct orr_search_request *request)
{
    const struct orr_space *space = &request->space;
    return space->gpus.n * count_of(&space->weights) * count_of(&space->kv) * count_of(&space->disaggregated);
}

void orr_search_infer_block(const struct orr_search *search, int pass, int64_t block, struct orr_worker *worker,
                            struct orr_outcome *outcome)
{
    const struct orr_space *space = &search->request.space;
    const struct orr_serving *serving = &search->request.job.serving;
    if (pass == 0) return; /* nothing is pruned by bounds */
    struct tour t = {.search = search, .worker = worker, .outcome = outcome};
    int64_t rest = block;
    const int64_t gpus = space->gpus.values[rest % space->gpus.n];
    rest /= space->gpus.n;
    t.choice.weights = (uint8_t)value_of(&space->weights, rest % count_of(&space->weights), serving->weights);
    rest /= count_of(&space->weights);
    t.choice.kv = (uint8_t)value_of(&space->kv, rest % count_of(&space->kv), serving->kv);
    rest /= count_of(&space->kv);
    t.choice.disaggregated = (uint8_t)value_of(&space->disaggregated, rest, serving->disaggregated);
    t.choice.gpus = (int32_t)gpus;
    if (t.choice.disaggregated) visit_disaggregated(&t, gpus);
    else visit_layouts(&t, gpus, visit_aggregated, NULL);
}
