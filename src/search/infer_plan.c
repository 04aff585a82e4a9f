/* One inference plan as a job, and what it is worth. A disaggregated plan is two jobs, one for each pool, whose answers
 * are joined. */
#include "search/infer_plan.h"

#include "base/number.h"
#include "metric/metric.h"
#include "spec/job.h"
#include "spec/limits.h"
#include "spec/spec.h"

#include <stdlib.h>
#include <string.h>

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

void orr_choose_pool(const struct orr_search_request *request, const struct orr_choice *choice, enum orr_pool_role role,
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
    job->serving.disaggregated = role == ORR_POOL_PREFILL;
    if (role == ORR_POOL_PREFILL) job->serving.output_len = 1; /* The cache leaves the pool with the first token. */
    /* The pool receives the prompt's cache instead of computing it. */
    if (role == ORR_POOL_DECODE) job->serving.prefix_hit_frac = ORR_PREFIX_HIT_MAX;
    if (!request->imbalance_given) job->serving.moe_imbalance = orr_default_imbalance(job, choice->ep);
    orr_serving_workload(job);
}

/* The expert-tensor ranks unless others are asked for: ep takes its part of tp, and the experts are cut over the
 * rest. */
int64_t orr_usual_etp(int64_t experts, int64_t tp, int64_t ep)
{
    return experts > 1 && tp % ep == 0 ? tp / ep : 1;
}

/* The job of the pool that serves prompts, or of the only pool. */
void orr_infer_choose(const struct orr_search_request *request, const struct orr_choice *choice, struct orr_job *job)
{
    orr_choose_pool(request, choice, choice->decode_gpus > 0 ? ORR_POOL_PREFILL : ORR_POOL_WHOLE, job);
}

/* The job of the pool that serves answers. */
void orr_choose_decode(const struct orr_search_request *request, const struct orr_choice *choice, struct orr_job *job)
{
    struct orr_choice pool = *choice;
    pool.tp = choice->decode_tp;
    pool.cp = 1;
    pool.pp = choice->decode_pp;
    pool.ep = choice->decode_ep;
    pool.etp = (int32_t)orr_usual_etp(orr_most_experts(&request->job.model), pool.tp, pool.ep);
    pool.dp = choice->decode_gpus / (pool.tp * pool.pp);
    pool.batch = choice->decode_batch;
    orr_choose_pool(request, &pool, ORR_POOL_DECODE, job);
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
void orr_join_pools(const struct orr_job *job, const struct orr_choice *choice, double rate_per_s,
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
    joint->kv_handoff_pieces = prompt->kv_handoff_pieces;
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
double orr_requests_per_s(const struct orr_job *job, double batch_s)
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
        const double prompts_per_s = orr_requests_per_s(job, prompt.ttft_s);
        orr_choose_decode(&search->request, choice, job);
        orr_infer(job, scratch, result);
        orr_join_pools(job, choice, orr_min(prompts_per_s, orr_requests_per_s(job, result->decode_s)), &prompt, result);
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

void orr_set_figures(const struct orr_search_request *request, const struct orr_figures *f, struct orr_found *found)
{
    found->objective = f->values[request->objective];
    found->time_s = f->values[ORR_OBJECTIVE_TIME];
    found->memory_bytes = f->values[ORR_OBJECTIVE_MEMORY];
    found->front[0] = f->values[ORR_OBJECTIVE_THROUGHPUT];
    found->front[1] = f->user_s;
}

/* Seconds that a user waits for each token, or for the only token. */
double orr_user_s(const struct orr_search_request *request, double ttft_s, double tpot_s)
{
    return request->job.serving.output_len > 1 ? tpot_s : ttft_s;
}

void orr_infer_found(const struct orr_search_request *request, const struct orr_infer_result *r,
                     const struct orr_choice *choice, struct orr_found *found)
{
    const double tokens = r->output_tokens_per_s > 0 ? r->cost_usd / r->cost_usd_per_million_tokens * 1e6 : 1;
    const struct orr_figures figures = {
        .values = {[ORR_OBJECTIVE_TIME] = r->latency_s,
                   [ORR_OBJECTIVE_THROUGHPUT] = 1 / r->output_tokens_per_s_per_gpu,
                   [ORR_OBJECTIVE_COST] = r->cost_usd_per_million_tokens / 1e6,
                   [ORR_OBJECTIVE_ENERGY] = r->energy_j / tokens,
                   [ORR_OBJECTIVE_MEMORY] = r->memory_total_bytes},
        .user_s = orr_user_s(request, r->ttft_s, r->tpot_s),
    };
    *found = (struct orr_found){.choice = *choice};
    orr_set_figures(request, &figures, found);
}
