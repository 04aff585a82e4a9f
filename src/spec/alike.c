/* What a fit leaves of its runs, shared with jobs like them: a Gaussian process over what jobs ask for.
 * Eqs. 345-347. */
#include "spec/alike.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "spec/factors.h"
#include "spec/far.h"
#include "spec/job.h"

/* At this distance two jobs share 1/e of what is left. */
#define LENGTH 0.10
/* Spread of what jobs share, and of what a run has alone (logarithms of time). The three were chosen with the few-shot
 * table in view, which hardly depends on them (docs/fit.md). */
#define SHARED 0.10
#define ALONE  0.04

/* FNV-1a: systems are compared by name, and engines have room for a number. */
static uint64_t hash_of(const char *text)
{
    uint64_t hash = 14695981039346656037u;
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    return hash;
}

static double log2_of(double size)
{
    return log2(orr_max(1, size));
}

struct orr_traits orr_traits_of(const struct orr_job *job)
{
    const struct orr_plan *p = &job->plan;
    const bool trains = job->kind == ORR_JOB_TRAIN;
    return (struct orr_traits){
        .system = hash_of(job->system.id),
        .trains = trains,
        .weights = trains ? job->workload.precision : job->serving.weights,
        .matrix = trains ? job->workload.precision : job->serving.matrix,
        .size_doubling = {[ORR_TRAIT_GPUS] = log2_of((double)p->gpus),
                          [ORR_TRAIT_PARAMS] = log2_of((double)orr_model_params_active(&job->model)),
                          [ORR_TRAIT_TP] = log2_of((double)p->tp),
                          [ORR_TRAIT_PP] = log2_of((double)p->pp),
                          [ORR_TRAIT_EP] = log2_of((double)p->ep),
                          [ORR_TRAIT_BATCH] =
                              log2_of((double)(trains ? job->workload.micro_batch : job->serving.batch)),
                          [ORR_TRAIT_TOKENS] = log2_of((double)(trains ? job->workload.seq : job->serving.input_len)),
                          [ORR_TRAIT_ANSWER] = log2_of(trains ? 1 : (double)job->serving.output_len)}};
}

struct orr_traits orr_traits_of_run(const struct orr_fit_run *run)
{
    return (struct orr_traits){.system = hash_of(run->system),
                               .trains = run->trains,
                               .weights = run->weights,
                               .matrix = run->matrix,
                               .size_doubling = {[ORR_TRAIT_GPUS] = log2_of((double)run->gpus),
                                                 [ORR_TRAIT_PARAMS] = log2_of(run->active_params),
                                                 [ORR_TRAIT_TP] = log2_of((double)run->tp),
                                                 [ORR_TRAIT_PP] = log2_of((double)run->pp),
                                                 [ORR_TRAIT_EP] = log2_of((double)run->ep),
                                                 [ORR_TRAIT_BATCH] = log2_of((double)run->batch),
                                                 [ORR_TRAIT_TOKENS] = log2_of((double)run->tokens),
                                                 [ORR_TRAIT_ANSWER] = log2_of((double)run->answer_tokens)}};
}

double orr_alikeness(const struct orr_traits *a, const struct orr_traits *b)
{
    double squared = 0;
    if (a->trains != b->trains) return 0;
    if (a->system != b->system) squared += ORR_FAR_SYSTEM * ORR_FAR_SYSTEM;
    if (a->weights != b->weights || a->matrix != b->matrix) squared += ORR_FAR_FORMAT * ORR_FAR_FORMAT;
    for (int i = 0; i < ORR_N_TRAITS; i++) {
        const double apart = ORR_FAR_DOUBLING * (a->size_doubling[i] - b->size_doubling[i]);
        squared += apart * apart;
    }
    return exp(-sqrt(squared) / LENGTH);
}

size_t orr_alike_kept(size_t n)
{
    return n < ORR_MAX_ALIKE ? n : ORR_MAX_ALIKE;
}

size_t orr_alike_place(size_t k, size_t n)
{
    const size_t kept = orr_alike_kept(n);
    return (k * n + kept - 1) / kept;
}

double orr_alike_trust(size_t n, bool fitted)
{
    return fitted || n == 0 ? 1 : (double)(n - 1) / (double)n;
}

/* Cholesky's factor of a positive definite matrix, in place, below the diagonal and on it. */
static void factorise(double a[ORR_MAX_ALIKE][ORR_MAX_ALIKE], size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = a[i][j];
            for (size_t k = 0; k < j; k++) sum -= a[i][k] * a[j][k];
            a[i][j] = i == j ? sqrt(sum) : sum / a[j][j];
        }
}

void orr_alike_pull(const struct orr_traits *runs, size_t n, const double *left, const double *weight, double *pull)
{
    double a[ORR_MAX_ALIKE][ORR_MAX_ALIKE];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            a[i][j] = SHARED * SHARED * orr_alikeness(&runs[i], &runs[j]) +
                      (i == j ? ALONE * ALONE / orr_max(1e-6, weight[i]) : 0);
    factorise(a, n);
    for (size_t i = 0; i < n; i++) {
        pull[i] = left[i];
        for (size_t k = 0; k < i; k++) pull[i] -= a[i][k] * pull[k];
        pull[i] /= a[i][i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++) pull[i] -= a[k][i] * pull[k];
        pull[i] /= a[i][i];
    }
}

double orr_alike_shift(const struct orr_traits *runs, const double *pull, size_t n, const struct orr_traits *job)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += SHARED * SHARED * orr_alikeness(&runs[i], job) * pull[i];
    return sum;
}

/* ---------------------------------------------------------------- jobs */

double orr_job_shift(const struct orr_job *job)
{
    const struct orr_engine *engine = &job->engine;
    if (engine->n_alike == 0) return 0;
    const struct orr_traits own = orr_traits_of(job);
    return orr_alike_shift(engine->alike, engine->pull, (size_t)engine->n_alike, &own);
}

double orr_job_alikeness(const struct orr_job *job)
{
    const struct orr_engine *engine = &job->engine;
    double most = 0;
    if (engine->n_alike == 0) return 0;
    const struct orr_traits own = orr_traits_of(job);
    for (int64_t i = 0; i < engine->n_alike; i++) most = orr_max(most, orr_alikeness(&engine->alike[i], &own));
    return most;
}

void orr_job_share(struct orr_job *job)
{
    if (job->engine.n_alike == 0 || job->engine.shared) return;
    const double factor = exp(orr_job_shift(job)), before = job->engine.time_factor;
    struct orr_engine *engine = &job->engine;
    engine->shared = true;
    engine->time_factor = before * factor;
    orr_factors_stretch(factor, job);
}
