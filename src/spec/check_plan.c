/* Rules about schedules with two chunks or two ends, and about what a plan keeps outside the GPU. */
#include "spec/check.h"
#include "spec/names.h"
#include "spec/plan.h"

/* ---------------------------------------------------------------- schedules */

/* Chunks per rank and schedule must go together. */
enum orr_err orr_check_schedule(const struct orr_plan *plan, struct orr_error *error)
{
    const char *name = orr_schedule_name(plan->schedule);
    const bool vee = orr_is_vee(plan->schedule);
    if (vee && plan->vpp != 2)
        return FAIL(error, "plan.vpp", "schedule \"%s\" has 2 chunks on every rank, not %lld", name, (ll)plan->vpp);
    if ((vee || orr_is_dual(plan->schedule)) && plan->pp == 1)
        return FAIL(error, "plan.schedule", "\"%s\" needs pp > 1; pp is 1", name);
    if (plan->schedule == ORR_SCHEDULE_DUALPIPE && plan->pp % 2 != 0)
        return FAIL(error, "plan.schedule", "\"%s\" needs an even pp, not %lld", name, (ll)plan->pp);
    if (plan->vpp > 1 && plan->schedule != ORR_SCHEDULE_INTERLEAVED && !vee)
        return FAIL(error, "plan.schedule", "vpp = %lld needs schedule \"interleaved\", not \"%s\"", (ll)plan->vpp,
                    name);
    if (plan->vpp == 1 && plan->schedule == ORR_SCHEDULE_INTERLEAVED)
        return FAIL(error, "plan.schedule", "\"interleaved\" needs vpp > 1; vpp is 1");
    return ORR_OK;
}

/* Micro-batches must fill the pipeline as far as the schedule, or the engine's code for it, demands. */
enum orr_err orr_check_filling(const struct orr_job *job, struct orr_error *error)
{
    const struct orr_plan *plan = &job->plan;
    const int64_t m = job->workload.global_batch / (plan->dp * job->workload.micro_batch);
    const int64_t least = orr_least_micro_batches(&job->engine, plan->schedule, plan->pp);
    const char *name = orr_schedule_name(plan->schedule);
    if (m < least && orr_is_dual(plan->schedule))
        return FAIL(error, "plan.schedule", "\"%s\" needs at least 2 * pp = %lld micro-batches per replica, not %lld",
                    name, (ll)least, (ll)m);
    if (m < least)
        return FAIL(error, "plan.pp",
                    "engine %s runs %lld stages with at least %lld micro-batches per replica, not %lld", job->engine.id,
                    (ll)plan->pp, (ll)least, (ll)m);
    if (plan->schedule == ORR_SCHEDULE_DUALPIPE && m % 2 != 0)
        return FAIL(error, "plan.schedule", "\"%s\" sends half of the micro-batches each way: %lld is odd", name,
                    (ll)m);
    return ORR_OK;
}

/* Second shards lie inside the group that shards; weights that stay gathered need none. */
enum orr_err orr_check_secondary(const struct orr_job *job, struct orr_error *error)
{
    const struct orr_plan *plan = &job->plan;
    if (plan->zero_secondary == 0) return ORR_OK;
    if (plan->zero != 3 || orr_keeps_gathered(job))
        return FAIL(error, "plan.zero_secondary", "%lld: second shards need zero = 3 and weights that are resharded",
                    (ll)plan->zero_secondary);
    if (plan->zero_secondary < 2 || plan->zero_group % plan->zero_secondary != 0)
        return FAIL(error, "plan.zero_secondary", "%lld does not divide the %lld ranks that shard, or is 1",
                    (ll)plan->zero_secondary, (ll)plan->zero_group);
    return ORR_OK;
}

/* A gradient that is dropped at once cannot wait for those of other micro-batches. */
enum orr_err orr_check_optimizer(const struct orr_job *job, struct orr_error *error)
{
    const int64_t m = job->workload.global_batch / (job->plan.dp * job->workload.micro_batch);
    if (!job->workload.optimizer_in_backward || m == 1) return ORR_OK;
    return FAIL(error, "workload.optimizer_in_backward",
                "gradients are used as they are made, so that a replica can have 1 micro-batch, not %lld", (ll)m);
}

/* ---------------------------------------------------------------- offload */

/* A plan may offload only to what the system file states. */
static enum orr_err check_store(const struct orr_job *job, enum orr_offload what, struct orr_error *error)
{
    const struct orr_system *system = &job->system;
    const enum orr_store store = job->plan.offload[what];
    const struct {
        const char *key;
        double value;
        bool needed;
    } facts[] = {
        {"host_link_bytes_per_s", system->host_link_bytes_per_s, true},
        {"host_memory_bytes", system->host_memory_bytes, store == ORR_STORE_CPU},
        {"host_optimizer_bytes_per_s", system->host_optimizer_bytes_per_s, what == ORR_OFFLOAD_OPTIMIZER},
        {"nvme_bytes", system->nvme_bytes, store == ORR_STORE_NVME},
        {"nvme_bytes_per_s", system->nvme_bytes_per_s, store == ORR_STORE_NVME},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
        if (facts[i].needed && !(facts[i].value > 0))
            return FAIL(error, "plan.offload", "%s=%s, but system %s does not state %s (--set system.%s=...)",
                        orr_offload_names[what], orr_store_names[store], system->id, facts[i].key, facts[i].key);
    return ORR_OK;
}

enum orr_err orr_check_offload(const struct orr_job *job, struct orr_error *error)
{
    const struct orr_plan *plan = &job->plan;
    for (int i = 0; i < ORR_N_OFFLOADS; i++) {
        if (plan->offload[i] == ORR_STORE_NONE) continue;
        const enum orr_err err = check_store(job, (enum orr_offload)i, error);
        if (err) return err;
    }
    if (plan->offload[ORR_OFFLOAD_GRADIENTS] && !plan->offload[ORR_OFFLOAD_OPTIMIZER])
        return FAIL(error, "plan.offload", "gradients on the host need the optimizer there: optimizer=cpu or nvme");
    if (plan->offload[ORR_OFFLOAD_ACTIVATIONS] && job->workload.recompute != ORR_RECOMPUTE_FULL)
        return FAIL(error, "plan.offload",
                    "activations are saved inputs of layers: needs recompute \"full\", not \"%s\"",
                    orr_recompute_name(job->workload.recompute));
    if (plan->offload[ORR_OFFLOAD_ACTIVATIONS] && orr_has_twins(job))
        return FAIL(error, "plan.offload", "activations are saved inputs of layers: all layers must be recomputed");
    return ORR_OK;
}
