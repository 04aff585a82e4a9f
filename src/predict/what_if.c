/* This file says what a change would do. It predicts every single change of plan or workload and 10 % more of each
 * hardware rate, one at a time. For a job that does not fit, it finds the fastest change that makes it fit. */
#include "predict/scratch.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/plain.h"
#include "base/units.h"
#include "schedule/host.h"
#include "spec/job.h"

/* A change is made with one or two flags, or needs more GPUs or other software, or is 10 % more of a hardware rate. */
#define CHANGES(X)                                                                                                     \
    X(SP, "--sp")                                                                                                      \
    X(FLASH, "--attention flash")                                                                                      \
    X(RECOMPUTE_NONE, "--recompute none")                                                                              \
    X(RECOMPUTE_SELECTIVE, "--recompute selective")                                                                    \
    X(RECOMPUTE_FULL, "--recompute full")                                                                              \
    X(ZERO_1, "--zero 1")                                                                                              \
    X(ZERO_2, "--zero 2")                                                                                              \
    X(ZERO_3, "--zero 3")                                                                                              \
    X(MICRO_BATCH_1, "--micro-batch 1")                                                                                \
    X(MICRO_BATCH, "twice the micro-batch")                                                                            \
    X(TP, "twice the tp for half the dp")                                                                              \
    X(PP, "twice the pp for half the dp")                                                                              \
    X(EP, "twice the ep")                                                                                              \
    X(GPUS_TP, "twice the GPUs for twice the tp")                                                                      \
    X(GPUS_PP, "twice the GPUs for twice the pp")                                                                      \
    X(HOST, "graphs or compiled layers (no host time)")                                                                \
    X(FLOPS, "FLOP/s")                                                                                                 \
    X(DRAM, "DRAM")                                                                                                    \
    X(SCALEUP, "scale-up")                                                                                             \
    X(SCALEOUT, "scale-out")
#define MEMBER(name, text) CHANGE_##name,
#define TEXT(name, text)   text,
enum change { CHANGES(MEMBER) N_CHANGES };
static const char *const TEXTS[N_CHANGES] = {CHANGES(TEXT)};
_Static_assert((int)N_CHANGES <= (int)ORR_MAX_WHAT_IFS, "room for every change");
#define MORE 1.1
/* From this share of the step on, a job without host time is worth a line. */
#define HOST_FRAC 0.01

static bool use_recompute(struct orr_job *job, enum orr_recompute recompute)
{
    const bool changed = job->workload.recompute != recompute;
    job->workload.recompute = recompute;
    job->workload.recompute_every = 1;
    return changed;
}

static bool use_zero(struct orr_job *job, int64_t zero)
{
    const bool changed = job->plan.zero < zero && job->plan.dp * job->plan.cp > 1;
    job->plan.zero = zero;
    job->plan.zero_group = job->plan.dp * job->plan.cp;
    return changed;
}

/* Doubles a degree, with half the data parallelism or with twice the GPUs. */
static bool double_degree(struct orr_plan *plan, int64_t *degree, bool more_gpus)
{
    if (!more_gpus && plan->dp % 2) return false;
    *degree *= 2;
    if (more_gpus) plan->gpus *= 2;
    else plan->dp /= 2;
    plan->zero_group = plan->dp * plan->cp;
    return degree != &plan->pp || plan->n_stage_layers == 0;
}

/* Says whether fused attention would gain anything. */
static bool is_unfused(const struct orr_job *job)
{
    return job->workload.attention == ORR_ATTENTION_UNFUSED;
}

static bool raise_rate(double *rate, bool used)
{
    *rate *= MORE;
    return used;
}

/* Makes one change; false where it would change nothing. */
static bool apply(enum change change, struct orr_job *job)
{
    struct orr_plan *plan = &job->plan;
    struct orr_workload *w = &job->workload;
    struct orr_system *system = &job->system;
    switch (change) {
    case CHANGE_SP:
        if (plan->sp) return false;
        plan->sp = true;
        return plan->tp > 1;
    case CHANGE_FLASH:
        if (!is_unfused(job)) return false;
        w->attention = job->engine.attention;
        return !is_unfused(job);
    case CHANGE_RECOMPUTE_NONE: return use_recompute(job, ORR_RECOMPUTE_NONE);
    case CHANGE_RECOMPUTE_SELECTIVE: return is_unfused(job) && use_recompute(job, ORR_RECOMPUTE_SELECTIVE);
    case CHANGE_RECOMPUTE_FULL: return use_recompute(job, ORR_RECOMPUTE_FULL);
    case CHANGE_ZERO_1:
    case CHANGE_ZERO_2:
    case CHANGE_ZERO_3: return use_zero(job, 1 + (int64_t)change - CHANGE_ZERO_1);
    case CHANGE_MICRO_BATCH_1:
        if (w->micro_batch == 1) return false;
        w->micro_batch = 1;
        return true;
    case CHANGE_MICRO_BATCH: w->micro_batch *= 2; return true;
    case CHANGE_TP: return double_degree(plan, &plan->tp, false);
    case CHANGE_PP: return double_degree(plan, &plan->pp, false);
    case CHANGE_EP: plan->ep *= 2; return true;
    case CHANGE_GPUS_TP: return double_degree(plan, &plan->tp, true);
    case CHANGE_GPUS_PP: return double_degree(plan, &plan->pp, true);
    case CHANGE_HOST: orr_host_remove(&job->engine); return true;
    case CHANGE_FLOPS:
        for (int i = 0; i < ORR_N_DTYPES; i++) system->chip.peak_flops_per_s[i] *= MORE;
        return true;
    case CHANGE_DRAM: return raise_rate(&system->chip.hbm_bytes_per_s, true);
    case CHANGE_SCALEUP: return raise_rate(&system->scaleup_bytes_per_s, plan->gpus > 1);
    case CHANGE_SCALEOUT: return raise_rate(&system->scaleout_bytes_per_s, plan->gpus > system->domain_gpus);
    case N_CHANGES: break;
    }
    return false;
}

/* Predicts the changes first..end - 1 one at a time; returns how many there are to report. */
static size_t predict_changes(const struct orr_job *job, struct orr_scratch *scratch, enum change first,
                              enum change end, struct orr_what_if *what_ifs)
{
    size_t n = 0;
    for (int i = (int)first; i < (int)end; i++) {
        struct orr_job changed = *job;
        struct orr_result result;
        const bool hardware = i >= CHANGE_FLOPS;
        if (!apply((enum change)i, &changed) || (!hardware && orr_job_check(&changed, NULL) != ORR_OK)) continue;
        orr_train(&changed, scratch, &result);
        what_ifs[n++] = (struct orr_what_if){TEXTS[i], result.step_time_s, result.fits, hardware};
    }
    return n;
}

size_t orr_train_what_if(const struct orr_job *job, struct orr_scratch *scratch,
                         struct orr_what_if what_ifs[ORR_MAX_WHAT_IFS])
{
    ORR_PLAIN_NUMBERS;
    struct orr_result result;
    size_t n = predict_changes(job, scratch, CHANGE_FLOPS, N_CHANGES, what_ifs);
    n += predict_changes(job, scratch, CHANGE_SP, CHANGE_GPUS_TP, what_ifs + n);
    orr_train(job, scratch, &result);
    if (result.bound_share_frac[ORR_BOUND_HOST] <= HOST_FRAC) return n;
    n += predict_changes(job, scratch, CHANGE_HOST, CHANGE_FLOPS, what_ifs + n);
    orr_train(job, scratch, &result); /* restores this job's operators in the scratch */
    return n;
}

/* Returns the fastest of the changes that fit; NULL if none does. */
static const struct orr_what_if *fastest_fit(const struct orr_what_if *what_ifs, size_t n)
{
    const struct orr_what_if *best = NULL;
    for (size_t i = 0; i < n; i++)
        if (what_ifs[i].fits && (!best || what_ifs[i].step_time_s < best->step_time_s)) best = &what_ifs[i];
    return best;
}

void orr_train_advice(const struct orr_job *job, struct orr_scratch *scratch, struct orr_result *result)
{
    ORR_PLAIN_NUMBERS;
    struct orr_what_if what_ifs[ORR_MAX_WHAT_IFS];
    char reason[ORR_REASON];
    if (result->fits) return;
    const struct orr_memory *memory = &result->memory;
    const double missing = (memory->most_bytes - memory->usable_bytes) / ORR_GIB;
    if (missing <= 0) { /* the GPU has room, its host has not */
        const double host = orr_max(memory->host_bytes - memory->host_capacity_bytes, 0) / ORR_GIB,
                     drives = orr_max(memory->nvme_bytes - memory->nvme_capacity_bytes, 0) / ORR_GIB;
        snprintf(result->reason, sizeof result->reason,
                 "%.2f GiB too much in host memory and %.2f GiB on drives, per GPU: offload less, shard over more GPUs "
                 "(--zero), or use more nodes",
                 host, drives);
        return;
    }
    size_t n = predict_changes(job, scratch, CHANGE_SP, CHANGE_GPUS_TP, what_ifs);
    if (!fastest_fit(what_ifs, n)) n = predict_changes(job, scratch, CHANGE_GPUS_TP, CHANGE_HOST, what_ifs);
    const struct orr_what_if *best = fastest_fit(what_ifs, n);
    if (best)
        snprintf(reason, sizeof reason,
                 "%.2f GiB too much per GPU; cheapest single change that fits: %s (%.4g s per step)", missing,
                 best->text, best->step_time_s);
    else
        snprintf(reason, sizeof reason,
                 "%.2f GiB too much per GPU; no single change fits: combine --recompute full, --sp, "
                 "--zero and more tp or pp, or let `orrery search train` find what fits",
                 missing);
    orr_train(job, scratch, result); /* restores this job's operators in the scratch */
    memcpy(result->reason, reason, sizeof reason);
}
