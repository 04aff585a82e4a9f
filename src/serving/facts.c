/* This file takes from a job what a replica must know: the room of its cache, the tokens of a step, host times. */
#include "base/number.h"
#include "predict/scratch.h"
#include "serving/lockstep.h"
#include "serving/replica.h"
#include "serving/state.h"

#include <math.h>

/* Engines size the cache with the activations of a step that is as full as they allow. The mean request tells how many
 * bytes a token takes, because windows and states make short and long sequences differ. Eq. 205. */
struct orr_replica_facts orr_replica_facts_of(const struct orr_job *job, const struct orr_traffic *traffic,
                                              struct orr_scratch *scratch, struct orr_infer_result *result)
{
    const struct orr_mean_lengths mean = orr_traffic_lengths(traffic);
    const double block = (double)job->engine.kv_block_tokens;
    struct orr_job mean_job = *job;
    /* An engine that states no limit of a step is taken to read one prompt at a time. */
    mean_job.serving.batch = job->engine.max_step_tokens > 0 ? job->engine.max_requests : 1;
    mean_job.serving.input_len = (int64_t)orr_max(1, floor(mean.input + 0.5));
    mean_job.serving.output_len = (int64_t)orr_max(1, floor(mean.output + 0.5));
    orr_infer(&mean_job, scratch, result);
    const double length = (double)(mean_job.serving.input_len + mean_job.serving.output_len);
    const double held = orr_ceil(length / block) * block;
    const double speed = job->system.host_speed;
    const int64_t ranks = orr_lockstep_ranks(&job->plan);
    return (struct orr_replica_facts){
        .engine = job->engine,
        .kv_tokens = result->kv_gpu_bytes > 0 ? result->kv_budget_bytes / result->kv_gpu_bytes * held : 1e15,
        .tokens_per_step = result->tokens_per_step,
        .queries = job->serving.draft_tokens + 1,
        .host_speed = speed,
        .ranks = ranks,
        .adapters = orr_adapter_facts_of(job, traffic),
        .swap_s_per_token = job->engine.preempt_swap && job->system.host_link_bytes_per_s > 0
                                ? result->kv_gpu_bytes / held / job->system.host_link_bytes_per_s
                                : 0,
        .own_frac = ranks > 1 ? orr_lockstep_own_frac(job, scratch) : 1,
        .request_s = (job->engine.request_s + job->engine.request_s_per_sequence + job->engine.host_step_s) / speed};
}
