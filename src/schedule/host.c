/* The host's side of a phase: the seconds it needs to launch what the device runs. Eqs. 126-128. */
#include "schedule/host.h"

static double launch_s(const struct orr_engine *engine, bool backward)
{
    return backward && engine->host_backward_launch_s > 0 ? engine->host_backward_launch_s : engine->host_launch_s;
}

/* The host time of a collective: the call, and in pipelines across nodes what some stacks spend on every rank. */
static double collective_call_s(const struct orr_job *job, enum orr_group group)
{
    const bool across = job->plan.pp > 1 && job->plan.gpus > job->system.domain_gpus;
    const double ranks = across ? (double)orr_group_ranks(&job->plan, group) : 0;
    return job->engine.host_collective_s + ranks * job->engine.host_pipeline_rank_s;
}

double orr_host_op_s(const struct orr_job *job, const struct orr_op *op, bool backward)
{
    const double collective_s = op->kind == ORR_OP_COLLECTIVE ? collective_call_s(job, op->group) : 0;
    const double call_s = op->launches * launch_s(&job->engine, backward) + collective_s + op->host_s;
    return op->count * call_s / job->system.host_speed;
}

/* Does the host replay captured graphs of layers (Eq. 367)? */
static bool replays(const struct orr_job *job)
{
    return job->kind == ORR_JOB_TRAIN && job->workload.layer_graphs;
}

/* The host seconds of an operator: inside the graph of a layer it has only its own work. */
static double layer_op_s(const struct orr_job *job, const struct orr_op *op, bool backward)
{
    if (!replays(job) || op->layer_kind < 0) return orr_host_op_s(job, op, backward);
    return op->count * op->host_s / job->system.host_speed;
}

void orr_host_add_op(const struct orr_job *job, const struct orr_op *op, double host_s[3])
{
    const bool backward = op->phase == ORR_PHASE_BACKWARD;
    host_s[backward] += layer_op_s(job, op, backward);
    if (op->wgrad) host_s[2] += layer_op_s(job, op, backward);
    if (op->recomputed) host_s[1] += op->repeat_frac * layer_op_s(job, op, false);
}

double orr_host_layer_s(const struct orr_job *job)
{
    const struct orr_engine *engine = &job->engine;
    const bool sharded = job->kind == ORR_JOB_TRAIN && job->plan.zero == 3;
    if (replays(job)) return engine->host_launch_s / job->system.host_speed;
    const double wrapped_s =
        (sharded ? engine->host_sharded_layer_s : 0) + (job->plan.tp > 1 ? engine->host_tensor_layer_s : 0);
    return (engine->host_layer_s + wrapped_s) / job->system.host_speed;
}

double orr_host_micro_batch_s(const struct orr_job *job)
{
    return job->engine.host_micro_batch_s / job->system.host_speed;
}

void orr_host_remove(struct orr_engine *engine)
{
    engine->host_launch_s = engine->host_backward_launch_s = engine->host_collective_s = 0;
    engine->host_pipeline_rank_s = engine->host_layer_s = 0;
    engine->host_sharded_layer_s = engine->host_tensor_layer_s = engine->host_experts_s = 0;
    engine->host_split_layer_s = 0;
    engine->host_micro_batch_s = engine->host_step_s = engine->zero1_tensor_s = engine->host_sync_s = 0;
    engine->request_s = engine->request_s_per_sequence = 0;
    engine->sampling_s = engine->sampling_s_per_sequence = 0;
}
