/* What a change would do: every single change of plan or workload, and 10 % more of each hardware rate, predicted one
 * at a time; and, for a job that does not fit, the fastest change that makes it fit. */
#include "predict/scratch.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "spec/job.h"

/* One change a user can make with one or two flags; returns false if it changes nothing. */
struct change {
    const char *text;
    bool (*apply)(struct orr_job *job);
};

static bool use_sequence_parallel(struct orr_job *job)
{
    const bool changed = job->plan.tp > 1 && !job->plan.sp;
    job->plan.sp = true;
    return changed;
}

static bool use_recompute(struct orr_job *job, enum orr_recompute recompute)
{
    const bool changed = job->workload.recompute != recompute;
    job->workload.recompute = recompute;
    job->workload.recompute_every = 1;
    return changed;
}

static bool use_selective(struct orr_job *job)
{
    return job->workload.attention == ORR_ATTENTION_UNFUSED && use_recompute(job, ORR_RECOMPUTE_SELECTIVE);
}

static bool use_no_recompute(struct orr_job *job)
{
    return use_recompute(job, ORR_RECOMPUTE_NONE);
}

static bool use_full(struct orr_job *job)
{
    return use_recompute(job, ORR_RECOMPUTE_FULL);
}

static bool use_flash(struct orr_job *job)
{
    const bool changed =
        job->workload.attention == ORR_ATTENTION_UNFUSED && job->engine.attention != ORR_ATTENTION_UNFUSED;
    job->workload.attention = job->engine.attention;
    return changed;
}

static bool use_zero(struct orr_job *job, int64_t zero)
{
    const bool changed = job->plan.zero < zero && job->plan.dp * job->plan.cp > 1;
    job->plan.zero = zero;
    job->plan.zero_group = job->plan.dp * job->plan.cp;
    return changed;
}

static bool use_zero_1(struct orr_job *job)
{
    return use_zero(job, 1);
}

static bool use_zero_2(struct orr_job *job)
{
    return use_zero(job, 2);
}

static bool use_zero_3(struct orr_job *job)
{
    return use_zero(job, 3);
}

static bool use_micro_batch_1(struct orr_job *job)
{
    const bool changed = job->workload.micro_batch > 1;
    job->workload.micro_batch = 1;
    return changed;
}

static bool double_micro_batch(struct orr_job *job)
{
    job->workload.micro_batch *= 2;
    return true;
}

/* Move a factor of two from data parallelism to another dimension. */
static bool halve_dp(struct orr_job *job, int64_t *degree)
{
    if (job->plan.dp % 2) return false;
    *degree *= 2;
    job->plan.dp /= 2;
    job->plan.zero_group = job->plan.dp * job->plan.cp;
    return true;
}

static bool double_tp(struct orr_job *job)
{
    return halve_dp(job, &job->plan.tp);
}

static bool double_pp(struct orr_job *job)
{
    return job->plan.n_stage_layers == 0 && halve_dp(job, &job->plan.pp);
}

static bool double_ep(struct orr_job *job)
{
    job->plan.ep *= 2;
    return true;
}

/* More of the same GPUs, all for tensor or pipeline parallelism. */
static bool add_tp(struct orr_job *job)
{
    job->plan.tp *= 2;
    job->plan.gpus *= 2;
    return true;
}

static bool add_pp(struct orr_job *job)
{
    job->plan.pp *= 2;
    job->plan.gpus *= 2;
    return job->plan.n_stage_layers == 0;
}

static const struct change CHANGES[] = {
    {"--sp", use_sequence_parallel},
    {"--attention flash", use_flash},
    {"--recompute none", use_no_recompute},
    {"--recompute selective", use_selective},
    {"--recompute full", use_full},
    {"--zero 1", use_zero_1},
    {"--zero 2", use_zero_2},
    {"--zero 3", use_zero_3},
    {"--micro-batch 1", use_micro_batch_1},
    {"twice the micro-batch", double_micro_batch},
    {"twice the tp for half the dp", double_tp},
    {"twice the pp for half the dp", double_pp},
    {"twice the ep", double_ep},
};
/* Tried only when no change of the plan on the same GPUs is enough. */
static const struct change MORE_GPUS[] = {
    {"twice the GPUs for twice the tp", add_tp},
    {"twice the GPUs for twice the pp", add_pp},
};

/* 10 % more of one hardware rate, everything else equal. */
#define MORE 1.1

static bool more_flops(struct orr_job *job)
{
    for (int i = 0; i < ORR_N_DTYPES; i++) job->system.chip.peak_flops_per_s[i] *= MORE;
    return true;
}

static bool more_dram(struct orr_job *job)
{
    job->system.chip.hbm_bytes_per_s *= MORE;
    return true;
}

static bool more_scaleup(struct orr_job *job)
{
    job->system.scaleup_bytes_per_s *= MORE;
    return job->plan.gpus > 1;
}

static bool more_scaleout(struct orr_job *job)
{
    job->system.scaleout_bytes_per_s *= MORE;
    return job->plan.gpus > job->system.domain_gpus;
}

static const struct change HARDWARE[] = {
    {"FLOP/s", more_flops},
    {"DRAM", more_dram},
    {"scale-up", more_scaleup},
    {"scale-out", more_scaleout},
};

#define COUNT(table) (sizeof(table) / sizeof *(table))
_Static_assert(COUNT(CHANGES) + COUNT(MORE_GPUS) + COUNT(HARDWARE) <= ORR_MAX_WHAT_IFS, "room for every change");

static size_t predict_changes(const struct orr_job *job, struct orr_scratch *scratch, const struct change *changes,
                              size_t n_changes, bool hardware, struct orr_what_if *what_ifs)
{
    size_t n = 0;
    for (size_t i = 0; i < n_changes; i++) {
        struct orr_job changed = *job;
        struct orr_result result;
        if (!changes[i].apply(&changed) || (!hardware && orr_job_check(&changed, NULL) != ORR_OK)) continue;
        orr_train(&changed, scratch, &result);
        what_ifs[n++] = (struct orr_what_if){changes[i].text, result.step_time_s, result.fits, hardware};
    }
    return n;
}

size_t orr_train_what_if(const struct orr_job *job, struct orr_scratch *scratch,
                         struct orr_what_if what_ifs[ORR_MAX_WHAT_IFS])
{
    struct orr_result result;
    size_t n = predict_changes(job, scratch, HARDWARE, COUNT(HARDWARE), true, what_ifs);
    n += predict_changes(job, scratch, CHANGES, COUNT(CHANGES), false, what_ifs + n);
    orr_train(job, scratch, &result); /* the scratch shows this job again */
    return n;
}

/* The fastest of the changes that fit; NULL if none does. */
static const struct orr_what_if *fastest_fit(const struct orr_what_if *what_ifs, size_t n)
{
    const struct orr_what_if *best = NULL;
    for (size_t i = 0; i < n; i++)
        if (what_ifs[i].fits && (!best || what_ifs[i].step_time_s < best->step_time_s)) best = &what_ifs[i];
    return best;
}

void orr_train_advice(const struct orr_job *job, struct orr_scratch *scratch, struct orr_result *result)
{
    struct orr_what_if what_ifs[ORR_MAX_WHAT_IFS];
    char reason[ORR_REASON];
    if (result->fits) return;
    const double missing = (result->memory.total_bytes - result->memory.usable_bytes) / ORR_GIB;
    size_t n = predict_changes(job, scratch, CHANGES, COUNT(CHANGES), false, what_ifs);
    if (!fastest_fit(what_ifs, n)) n = predict_changes(job, scratch, MORE_GPUS, COUNT(MORE_GPUS), false, what_ifs);
    const struct orr_what_if *best = fastest_fit(what_ifs, n);
    if (best)
        snprintf(reason, sizeof reason,
                 "%.2f GiB too much per GPU; cheapest single change that fits: %s (%.4g s per step)", missing,
                 best->text, best->step_time_s);
    else
        snprintf(reason, sizeof reason,
                 "%.2f GiB too much per GPU; no single change fits: combine --recompute full, --sp, "
                 "--zero and more tp or pp",
                 missing);
    orr_train(job, scratch, result); /* the scratch shows this job again */
    memcpy(result->reason, reason, sizeof reason);
}
