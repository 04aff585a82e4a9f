/* This file takes from a job what a replica must know: the room of its cache, the tokens of a step, host times. */
#include "base/number.h"
#include "memory/serving.h"
#include "predict/scratch.h"
#include "serving/lockstep.h"
#include "serving/replica.h"
#include "serving/result.h"
#include "serving/state.h"
#include "spec/alike.h"
#include "spec/job.h"

#include <math.h>
#include <stdio.h>

/* Engines size the cache with the activations of a step that is as full as they allow. The mean request tells how many
 * bytes a token takes, because windows and states make short and long sequences differ. Eq. 205. */
struct orr_replica_facts orr_replica_facts_of(const struct orr_job *job, const struct orr_traffic *traffic,
                                              struct orr_scratch *scratch, struct orr_infer_result *result)
{
    const struct orr_mean_lengths mean = orr_traffic_lengths(traffic);
    const double block = (double)job->engine.kv_block_tokens;
    struct orr_job mean_job = *job;
    orr_job_share(&mean_job); /* as a job, not as the mean request at its limits */
    const struct orr_engine *engine = &mean_job.engine;
    /* An engine that states no limit of a step is taken to read one prompt at a time. */
    mean_job.serving.batch = job->engine.max_step_tokens > 0 ? job->engine.max_requests : 1;
    mean_job.serving.input_len = (int64_t)orr_max(1, floor(mean.input + 0.5));
    mean_job.serving.output_len = (int64_t)orr_max(1, floor(mean.output + 0.5));
    orr_infer(&mean_job, scratch, result);
    const double length = (double)(mean_job.serving.input_len + mean_job.serving.output_len);
    const double held = orr_ceil(length / block) * block;
    const double speed = job->system.host_speed;
    const int64_t ranks = orr_lockstep_ranks(&job->plan);
    const double fits = orr_min(result->kv_room_tokens, 1e15);
    struct orr_engine limited = *engine; /* by the pool of states */
    if (result->kv_room_sequences < limited.max_requests)
        limited.max_requests = result->kv_room_sequences > 0 ? result->kv_room_sequences : 1;
    return (struct orr_replica_facts){
        .engine = limited,
        .kv_tokens = job->engine.max_kv_tokens > 0 ? orr_min(fits, (double)job->engine.max_kv_tokens) : fits,
        .tokens_per_step = result->tokens_per_step,
        .queries = job->serving.draft_tokens + 1,
        .host_speed = speed,
        .ranks = ranks,
        .adapters = orr_adapter_facts_of(job, traffic),
        .swap_s_per_token = job->engine.preempt_swap && job->system.host_link_bytes_per_s > 0
                                ? result->kv_gpu_bytes / held / job->system.host_link_bytes_per_s
                                : 0,
        .own_frac = ranks > 1 ? orr_lockstep_own_frac(job, scratch) : 1,
        .request_s = (engine->request_s + engine->request_s_per_sequence + engine->host_step_s) / speed};
}

/* ---------------------------------------------------------------- what would fit */

/* The same replicas on twice the ranks; experts are spread over the new ranks as over the old ones. */
static void double_tp(struct orr_job *job)
{
    struct orr_plan *plan = &job->plan;
    plan->tp *= 2;
    plan->gpus *= 2;
    if (!orr_model_has_experts(&job->model)) return;
    if (plan->etp > 1 || plan->ep <= 1) plan->etp *= 2;
    else plan->ep *= 2;
}

void orr_serving_hint(const struct orr_job *job, const struct orr_traffic *traffic,
                      const struct orr_infer_result *alone, struct orr_scratch *scratch,
                      struct orr_serving_result *result)
{
    static const int64_t MOST_TP = 64;
    struct orr_infer_result roomy;
    struct orr_error error;
    struct orr_job wider = *job;
    if (alone->kv_budget_bytes > 0) return;
    for (double_tp(&wider); wider.plan.tp <= MOST_TP; double_tp(&wider)) {
        char advice[64];
        if (orr_job_check(&wider, &error)) continue;
        if (orr_replica_facts_of(&wider, traffic, scratch, &roomy).kv_tokens < 1) continue;
        (void)snprintf(advice, sizeof advice, "--tp %lld is the least that fits, or narrower weights",
                       (long long)wider.plan.tp);
        orr_explain_no_room(alone, advice, result->reason);
        return;
    }
}
