/* System generations from A100 to B200 for training: with equal settings, each at its best, and the contribution of
 * each change, one at a time, in both orders. No setting is chosen by its result. */
#include "study/reproduce.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

/* In the names, NDR and HDR are the InfiniBand of the system's file, NVS is a domain of the NVLink switch that spans
 * nodes, and L is a larger batch. */
static const struct generation {
    const char *name, *system, *precision, *domain_gpus, *batch;
} GENERATIONS[] = {
    {"A100-HDR", "a100-80g-sxm", "fp16", "8", "1024"}, {"H100-NDR", "h100-sxm", "fp8", "8", "1024"},
    {"H100-NVS", "h100-sxm", "fp8", "256", "1024"},    {"H200-NVS-L", "h200-sxm", "fp8", "256", "4096"},
    {"B200-NDR", "b200-sxm", "fp4", "8", "1024"},      {"B200-NVS", "b200-sxm", "fp4", "576", "1024"},
    {"B200-NVS-L", "b200-sxm", "fp4", "576", "4096"},
};
enum { N_GENERATIONS = sizeof GENERATIONS / sizeof *GENERATIONS };

/* The job: 8192 GPUs with 128 data-parallel, 8 tensor-parallel and 8 pipeline-parallel ranks and sequence parallelism,
 * or a space of plans. */
#define REQUEST(plan, workload)                                                                                        \
    "{'kind':'train','model':'gpt3-175b','system':'a100-80g-sxm','gpus':8192,'plan':{" plan                            \
    "},'workload':{'seq':2048,'engine':'generic'" workload "}}"
#define FIXED_PLAN "'tp':8,'pp':8,'sp':true"

/* Every system gets the same request under three rules. */
enum rule { SAME_FORMAT, OWN_FORMAT, BEST_PLAN, N_RULES };
static const struct {
    const char *request;
    bool own_format, searched;
} RULES[N_RULES] = {
    {REQUEST(FIXED_PLAN, ",'micro_batch':1,'recompute':'selective','precision':'fp16'"), false, false},
    {REQUEST(FIXED_PLAN, ",'micro_batch':1,'recompute':'selective'"), true, false},
    {REQUEST(ORR_STUDY_SPACE, ""), true, true},
};

/* List one member of every generation as the values of a sweep. */
static void list_values(size_t member, char text[256])
{
    size_t n = 0;
    for (size_t i = 0; i < N_GENERATIONS; i++) {
        const struct generation *g = &GENERATIONS[i];
        const char *const values[] = {g->system, g->domain_gpus, g->batch, g->precision};
        n += (size_t)snprintf(text + n, 256 - n, "%s%s", i > 0 ? "," : "", values[member]);
    }
}

static enum orr_err sweep_generations(const struct orr_study *study, enum rule rule, struct orr_study_point **points,
                                      struct orr_error *error)
{
    static const char *const PATHS[] = {"system", "system.domain_gpus", "workload.global_batch", "workload.precision"};
    char values[4][256];
    struct orr_vary varies[4];
    size_t n;
    for (size_t i = 0; i < 4; i++) {
        list_values(i, values[i]);
        varies[i] = (struct orr_vary){PATHS[i], PATHS[i], values[i]};
    }
    const struct orr_study_question question = {.request = RULES[rule].request,
                                                .varies = varies,
                                                .n_varies = RULES[rule].own_format ? 4 : 3,
                                                .mode = ORR_SWEEP_ZIP,
                                                .searched = RULES[rule].searched};
    return orr_study_sweep(study, &question, points, &n, error);
}

static double sequence_s(const struct orr_study_point *point)
{
    return point->outcome.answer.train.step_time_s / (double)point->job.workload.global_batch;
}

/* ---------------------------------------------------------------- speed-ups */

static void add_plan(struct orr_sheet *sheet, const struct orr_study_point *point)
{
    char text[48];
    const struct orr_job *job = &point->job;
    (void)snprintf(text, sizeof text, "%d-%d-%d v%d b%d %s", (int)job->plan.dp, (int)job->plan.tp, (int)job->plan.pp,
                   (int)job->plan.vpp, (int)job->workload.micro_batch, orr_recompute_name(job->workload.recompute));
    ORR_WORDS(sheet, text);
    ORR_NUMBERS(sheet, point->outcome.answer.train.memory.total_bytes / ORR_GIB);
}

/* The shares of a system's time, which explain the speed-ups. */
static void find_shares(struct orr_study *study, const char *name, const struct orr_result *result)
{
    const double *frac = result->bound_share_frac;
    orr_study_find(study,
                   "%s, like for like: compute %.0f %%, DRAM %.0f %%, network %.0f %%, overhead %.0f %%, host %.0f %% "
                   "of a step",
                   name, 100 * frac[ORR_BOUND_COMPUTE], 100 * frac[ORR_BOUND_DRAM], 100 * frac[ORR_BOUND_NETWORK],
                   100 * frac[ORR_BOUND_OVERHEAD], 100 * frac[ORR_BOUND_HOST]);
}

static void add_generation(struct orr_sheet *sheet, size_t i, struct orr_study_point *const rules[N_RULES])
{
    ORR_WORDS(sheet, GENERATIONS[i].name, GENERATIONS[i].precision);
    ORR_NUMBERS(sheet, strtod(GENERATIONS[i].batch, NULL));
    for (int r = 0; r < N_RULES; r++) ORR_NUMBERS(sheet, sequence_s(&rules[r][0]) / sequence_s(&rules[r][i]));
    add_plan(sheet, &rules[BEST_PLAN][i]);
    for (int r = 0; r < N_RULES; r++) ORR_NUMBERS(sheet, sequence_s(&rules[r][i]));
    ORR_WORDS(sheet, rules[OWN_FORMAT][i].outcome.answer.train.fits ? "yes" : "no");
}

static enum orr_err add_generations(struct orr_study *study, struct orr_error *error)
{
    const size_t last = N_GENERATIONS - 1;
    struct orr_study_point *rules[N_RULES] = {0};
    struct orr_sheet *sheet = orr_study_sheet(
        study, "generations", "Training GPT-175B: seconds of a sequence and speed-up over A100-HDR",
        "system precision global_batch fp16_speedup like_speedup best_speedup best_plan best_memory_gib "
        "fp16_s like_s best_s like_fits");
    enum orr_err err = ORR_OK;
    for (int r = 0; r < N_RULES && !err; r++) err = sweep_generations(study, (enum rule)r, &rules[r], error);
    for (size_t i = 0; i < N_GENERATIONS && !err; i++) add_generation(sheet, i, rules);
    if (!err) {
        find_shares(study, GENERATIONS[0].name, &rules[OWN_FORMAT][0].outcome.answer.train);
        find_shares(study, GENERATIONS[last].name, &rules[OWN_FORMAT][last].outcome.answer.train);
        orr_study_find(study,
                       "%s over %s: %.1f times like for like in 16 bits, %.1f with own formats, %.1f best to best",
                       GENERATIONS[last].name, GENERATIONS[0].name,
                       sequence_s(&rules[SAME_FORMAT][0]) / sequence_s(&rules[SAME_FORMAT][last]),
                       sequence_s(&rules[OWN_FORMAT][0]) / sequence_s(&rules[OWN_FORMAT][last]),
                       sequence_s(&rules[BEST_PLAN][0]) / sequence_s(&rules[BEST_PLAN][last]));
    }
    for (int r = 0; r < N_RULES; r++) free(rules[r]);
    return err;
}

/* ---------------------------------------------------------------- one change at a time */

enum change { COMPUTE, MEMORY, PRECISION, NETWORK, RECOMPUTE, BATCH, N_CHANGES };
static const char *const CHANGES[N_CHANGES] = {"compute", "memory", "precision", "network", "recompute", "batch"};

/* Replace the rates of the chip other than its DRAM, and the constants of its kernels. */
static void change_compute(struct orr_job *job, const struct orr_job *to)
{
    const struct orr_job from = *job;
    job->system.chip = to->system.chip;
    job->system.chip.hbm_bytes = from.system.chip.hbm_bytes;
    job->system.chip.hbm_bytes_per_s = from.system.chip.hbm_bytes_per_s;
    job->calibration = to->calibration;
    job->calibration.n_lines = from.calibration.n_lines;
    memcpy(job->calibration.lines, from.calibration.lines, sizeof job->calibration.lines);
    job->calibration.p2p_scaleup_frac = from.calibration.p2p_scaleup_frac;
    job->workload.attention = to->workload.attention;
}

/* Replace everything of the system that is not the chip or its price, and the constants of its collectives. */
static void change_network(struct orr_job *job, const struct orr_job *to)
{
    const struct orr_chip chip = job->system.chip;
    job->system = to->system;
    job->system.chip = chip;
    job->calibration.n_lines = to->calibration.n_lines;
    memcpy(job->calibration.lines, to->calibration.lines, sizeof job->calibration.lines);
    job->calibration.p2p_scaleup_frac = to->calibration.p2p_scaleup_frac;
}

/* Change the matrix format. A chip without the format gets it in the newer chip's ratio to the 16-bit peak, with the
 * same constants. */
static void change_precision(struct orr_job *job, const struct orr_job *to)
{
    const enum orr_dtype old = job->workload.precision, new = to->workload.precision;
    double *peak = job->system.chip.peak_flops_per_s;
    const double *other = to->system.chip.peak_flops_per_s;
    job->workload.precision = new;
    if (peak[new] > 0) return;
    peak[new] = peak[old] * other[new] / other[old];
    job->calibration.gemm[new] = to->calibration.gemm[new];
}

/* Make `from` with the changes whose bits are set. */
static void apply(struct orr_job *job, const struct orr_job *from, const struct orr_job *to, unsigned changes)
{
    *job = *from;
    if (changes >> COMPUTE & 1) change_compute(job, to);
    if (changes >> MEMORY & 1) {
        job->system.chip.hbm_bytes = to->system.chip.hbm_bytes;
        job->system.chip.hbm_bytes_per_s = to->system.chip.hbm_bytes_per_s;
    }
    if (changes >> PRECISION & 1) change_precision(job, to);
    if (changes >> NETWORK & 1) change_network(job, to);
    if (changes >> RECOMPUTE & 1) job->workload.recompute = to->workload.recompute;
    if (changes >> BATCH & 1) job->workload.global_batch = to->workload.global_batch;
}

static double predict_s(const struct orr_study *study, const struct orr_job *job, struct orr_result *result)
{
    orr_train(job, study->scratch, result);
    return result->step_time_s / (double)job->workload.global_batch;
}

/* Change one job into the other, in the order of the list or in reverse. */
static double add_order(struct orr_study *study, struct orr_sheet *sheet, const struct orr_job *from,
                        const struct orr_job *to, struct orr_job *job, bool reverse)
{
    struct orr_result result;
    unsigned changes = 0;
    apply(job, from, to, changes);
    const double first_s = predict_s(study, job, &result);
    double last_s = first_s;
    for (int i = 0; i < N_CHANGES; i++) {
        const int change = reverse ? N_CHANGES - 1 - i : i;
        changes |= 1U << change;
        apply(job, from, to, changes);
        const double s = predict_s(study, job, &result);
        ORR_WORDS(sheet, reverse ? "reverse" : "forward");
        ORR_NUMBERS(sheet, i + 1);
        ORR_WORDS(sheet, CHANGES[change]);
        ORR_NUMBERS(sheet, s, last_s / s, first_s / s, log2(last_s / s));
        ORR_WORDS(sheet, result.fits ? "yes" : "no");
        last_s = s;
    }
    return first_s / last_s;
}

/* Read one end of the chain: a system with its format and batch, and the given recomputation. */
static enum orr_err read_end(const struct orr_study *study, const struct generation *g, const char *recompute,
                             struct orr_job *job, struct orr_error *error)
{
    return orr_study_job(study, job, error,
                         "{'kind':'train','model':'gpt3-175b','system':'%s','gpus':8192,'plan':{" FIXED_PLAN
                         "},'workload':{'seq':2048,'engine':'generic','micro_batch':1,'global_batch':%s,"
                         "'precision':'%s','recompute':'%s'},'set':{'system.domain_gpus':%s}}",
                         g->system, g->batch, g->precision, recompute, g->domain_gpus);
}

enum orr_err orr_study_generations(struct orr_study *study, struct orr_error *error)
{
    enum orr_err err = add_generations(study, error);
    if (err) return err;
    struct orr_job *jobs = calloc(3, sizeof *jobs);
    if (!jobs) return orr_out_of_memory(error, NULL);
    err = read_end(study, &GENERATIONS[0], "full", &jobs[0], error);
    if (!err) err = read_end(study, &GENERATIONS[N_GENERATIONS - 1], "none", &jobs[1], error);
    if (!err) {
        struct orr_sheet *sheet =
            orr_study_sheet(study, "generations_changes",
                            "A100-HDR with full recomputation to B200-NVS-L with none, one change at a time",
                            "order step change sequence_s speedup total_speedup doublings fits");
        const double total = add_order(study, sheet, &jobs[0], &jobs[1], &jobs[2], false);
        (void)add_order(study, sheet, &jobs[0], &jobs[1], &jobs[2], true);
        orr_study_find(study,
                       "full recomputation on the A100 to none on B200-NVS-L, all changes: %.1f times; both orders "
                       "multiply to it",
                       total);
    }
    free(jobs);
    return err ? err : orr_study_published(study, error);
}
