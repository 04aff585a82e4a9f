/* Fills in what a request leaves to the program. Eqs. 179, 180. */
#include "predict/fill.h"

#include "base/text.h"
#include "predict/scratch.h"
#include "spec/assume.h"
#include "spec/job.h"
#include "spec/names.h"

/* ---------------------------------------------------------------- values to try */

/* The values of one key: all that are plausible if it says "auto", else the one of the job. */
struct values {
    size_t n;
    int64_t items[ORR_TRY_VPP];
};

static bool is_auto(const struct orr_job *job, enum orr_assumable key)
{
    return job->automatic & orr_assume_bit(key);
}

/* Launchers interleave stages of equal chunks: every chunk has the same number of layers. An engine whose list of
 * schedules has no interleaving runs one chunk. */
static struct values vpp_values(const struct orr_job *job)
{
    const int64_t pp = job->plan.pp, layers = job->model.n_layers;
    struct values values = {1, {job->plan.vpp}};
    const char *list = job->engine.schedules, *interleaved = orr_schedule_name(ORR_SCHEDULE_INTERLEAVED);
    if (!is_auto(job, ORR_ASSUME_VPP) || pp == 1 || (*list && !orr_has_word(list, interleaved))) return values;
    for (int64_t vpp = 2; pp * vpp <= layers && values.n < ORR_TRY_VPP; vpp++)
        if (layers % (pp * vpp) == 0) values.items[values.n++] = vpp;
    return values;
}

/* Powers of two up to the largest that runs of this engine are launched with. */
static struct values micro_batch_values(const struct orr_job *job)
{
    struct values values = {1, {job->workload.micro_batch}};
    if (!is_auto(job, ORR_ASSUME_MICRO_BATCH)) return values;
    values.n = 0;
    for (int64_t size = 1; size <= job->engine.default_micro_batch && values.n < ORR_TRY_MICRO_BATCH; size *= 2)
        values.items[values.n++] = size;
    return values;
}

static struct values recompute_values(const struct orr_job *job)
{
    struct values values = {1, {(int64_t)job->workload.recompute}};
    if (is_auto(job, ORR_ASSUME_RECOMPUTE))
        values = (struct values){3, {ORR_RECOMPUTE_NONE, ORR_RECOMPUTE_SELECTIVE, ORR_RECOMPUTE_FULL}};
    return values;
}

static struct values zero_values(const struct orr_job *job)
{
    struct values values = {1, {job->plan.zero}};
    if (is_auto(job, ORR_ASSUME_ZERO) && job->plan.dp * job->plan.cp > 1)
        values = (struct values){ORR_TRY_ZERO, {0, 1, 2, 3}};
    return values;
}

static struct values sp_values(const struct orr_job *job)
{
    struct values values = {1, {job->plan.sp}};
    if (is_auto(job, ORR_ASSUME_SP) && job->plan.tp > 1) values = (struct values){ORR_TRY_SP, {0, 1}};
    return values;
}

/* ---------------------------------------------------------------- trying them */

static void put(const struct orr_filling *filling, struct orr_job *job)
{
    const bool schedule_given = !(job->assumed & orr_assume_bit(ORR_ASSUME_SCHEDULE));
    job->plan.vpp = filling->vpp;
    if (!schedule_given) job->plan.schedule = filling->vpp > 1 ? ORR_SCHEDULE_INTERLEAVED : ORR_SCHEDULE_1F1B;
    job->plan.zero = filling->zero;
    job->plan.sp = filling->sp;
    job->workload.micro_batch = filling->micro_batch;
    job->workload.recompute = filling->recompute;
}

/* Predicts one filling; false if the rules of a plan forbid it. */
static bool try_filling(struct orr_filling *filling, struct orr_scratch *scratch)
{
    struct orr_result result;
    put(filling, &scratch->filled);
    if (orr_job_check(&scratch->filled, NULL) != ORR_OK) return false;
    orr_train(&scratch->filled, scratch, &result);
    filling->fits = result.fits;
    filling->step_time_s = result.step_time_s;
    filling->memory_bytes = result.memory.most_bytes;
    return true;
}

/* Tries all fillings that differ in sharding only, and keeps those that the rules allow. */
static size_t try_sharding(const struct orr_job *job, struct orr_filling filling, size_t n, struct orr_scratch *scratch)
{
    const struct values zero = zero_values(job), sp = sp_values(job);
    for (size_t i = 0; i < zero.n; i++)
        for (size_t k = 0; k < sp.n; k++) {
            filling.zero = zero.items[i];
            filling.sp = sp.items[k] != 0;
            scratch->fillings[n] = filling;
            n += try_filling(&scratch->fillings[n], scratch);
        }
    return n;
}

static size_t try_all(const struct orr_job *job, struct orr_scratch *scratch)
{
    const struct values vpp = vpp_values(job), size = micro_batch_values(job), recompute = recompute_values(job);
    size_t n = 0;
    for (size_t v = 0; v < vpp.n; v++)
        for (size_t b = 0; b < size.n; b++)
            for (size_t r = 0; r < recompute.n; r++)
                n = try_sharding(job,
                                 (struct orr_filling){.vpp = vpp.items[v],
                                                      .micro_batch = size.items[b],
                                                      .recompute = (enum orr_recompute)recompute.items[r]},
                                 n, scratch);
    return n;
}

/* ---------------------------------------------------------------- choosing */

size_t orr_best_filling(const struct orr_filling *fillings, size_t n)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++) {
        const struct orr_filling *a = &fillings[i], *b = &fillings[best];
        const bool faster = a->step_time_s < b->step_time_s, smaller = a->memory_bytes < b->memory_bytes;
        if (a->fits != b->fits ? a->fits : a->fits ? faster : smaller) best = i; /* Eq. 179 */
    }
    return best;
}

static bool same_but_recompute(const struct orr_filling *a, const struct orr_filling *b)
{
    return a->vpp == b->vpp && a->micro_batch == b->micro_batch && a->zero == b->zero && a->sp == b->sp;
}

/* A launch keeps the sharding of the best filling or of the engine, and recomputes what the engine does or as little as
 * fits. */
static bool plausible(const struct orr_filling *filling, const struct orr_filling *best,
                      const struct orr_filling *fillings, size_t n, const struct orr_engine *engine)
{
    if (!filling->fits) return false;
    if (filling->zero != best->zero && filling->zero != engine->default_zero) return false;
    if (filling->sp != best->sp && filling->sp != engine->default_sp) return false;
    if (filling->recompute == engine->default_recompute) return true;
    for (size_t i = 0; i < n; i++)
        if (fillings[i].fits && fillings[i].recompute < filling->recompute && same_but_recompute(&fillings[i], filling))
            return false;
    return true;
}

struct orr_spread orr_spread_of(const struct orr_filling *fillings, size_t n, const struct orr_engine *engine)
{
    if (n == 0) return (struct orr_spread){.n_tried = 1};
    const struct orr_filling *best = &fillings[orr_best_filling(fillings, n)];
    struct orr_spread spread = {.n_tried = (int64_t)n, .low_s = best->step_time_s, .high_s = best->step_time_s};
    for (size_t i = 0; i < n; i++) {
        spread.n_fit += fillings[i].fits;
        if (fillings[i].step_time_s > spread.high_s && plausible(&fillings[i], best, fillings, n, engine))
            spread.high_s = fillings[i].step_time_s; /* Eq. 180 */
    }
    return spread;
}

/* The largest micro-batch that runs of any engine are launched with: a stack that no run covers may use it as well. */
#define MOST_MICRO_BATCH 16

/* The fastest step with micro-batches beyond those of the engine that fit, all else as it is filled in (Eq. 348). */
static double faster_s(const struct orr_job *job, double best_s, struct orr_scratch *scratch)
{
    const struct orr_job *filled = &scratch->filled;
    struct orr_filling wider = {.vpp = filled->plan.vpp,
                                .zero = filled->plan.zero,
                                .recompute = filled->workload.recompute,
                                .sp = filled->plan.sp};
    const int64_t own = filled->workload.micro_batch;
    double least_s = best_s;
    if (!is_auto(job, ORR_ASSUME_MICRO_BATCH)) return 0;
    for (int64_t size = 2 * job->engine.default_micro_batch; size > 0 && size <= MOST_MICRO_BATCH; size *= 2) {
        wider.micro_batch = size;
        if (try_filling(&wider, scratch) && wider.fits && wider.step_time_s < least_s) least_s = wider.step_time_s;
    }
    wider.micro_batch = own;
    put(&wider, &scratch->filled);
    return least_s < best_s ? least_s : 0;
}

const struct orr_job *orr_filled(const struct orr_job *job, struct orr_scratch *scratch)
{
    if (job->kind != ORR_JOB_TRAIN || !job->automatic || job->spread.n_tried > 0) return job;
    scratch->filled = *job;
    scratch->filled.spread.n_tried = 1; /* a job that is filled in is not filled in again */
    const size_t n = try_all(job, scratch);
    if (n > 0) put(&scratch->fillings[orr_best_filling(scratch->fillings, n)], &scratch->filled);
    struct orr_spread spread = orr_spread_of(scratch->fillings, n, &job->engine);
    spread.faster_s = spread.n_fit > 0 ? faster_s(job, spread.low_s, scratch) : 0;
    scratch->filled.spread = spread;
    return &scratch->filled;
}

void orr_fill_memory(struct orr_job *job, bool recompute, bool zero, struct orr_scratch *scratch)
{
    if (recompute) job->automatic |= orr_assume_bit(ORR_ASSUME_RECOMPUTE);
    if (zero) job->automatic |= orr_assume_bit(ORR_ASSUME_ZERO);
    job->spread = (struct orr_spread){0};
    *job = *orr_filled(job, scratch);
}
