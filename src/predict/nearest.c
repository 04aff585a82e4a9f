/* Distance between a job and the measured runs on record (nearest_table.h, written by tools/check_drift.sh).
 * The record is compiled in, like interval_table.h, and is no file of data/: an answer is a pure function of its job,
 * which reads no files and knows no catalogue, and a search asks for the distance of many plans. A CSV would have to be
 * parsed by every process, or be turned into this table by one more program of the build. */
#include "predict/nearest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "predict/nearest_table.h"
#include "spec/far.h"
#include "spec/job.h"

#define RUN_(source, id, engine, system, chip, model, plan, gpus, params, regime, compute, l2, dram, network, gaps,    \
             host, error)                                                                                              \
    {source,                                                                                                           \
     id,                                                                                                               \
     engine,                                                                                                           \
     system,                                                                                                           \
     chip,                                                                                                             \
     model,                                                                                                            \
     plan,                                                                                                             \
     gpus,                                                                                                             \
     params,                                                                                                           \
     ORR_REGIME_##regime,                                                                                              \
     {compute, l2, dram, network, gaps, host},                                                                         \
     error},
static const struct orr_measured_run RUNS[] = {ORR_MEASURED_RUNS(RUN_)};

const struct orr_measured_run *orr_measured_runs(size_t *n)
{
    *n = sizeof RUNS / sizeof *RUNS;
    return RUNS;
}

static double square(double x)
{
    return x * x;
}

/* What does not depend on the plan. */
static double squared_of_job(const struct orr_measured_run *a, const struct orr_measured_run *b)
{
    double sum = 0;
    if (strcmp(a->engine, b->engine) != 0) sum += square(ORR_FAR_ENGINE);
    if (strcmp(a->system, b->system) != 0) sum += square(ORR_FAR_SYSTEM);
    sum += square(ORR_FAR_DOUBLING * log2(a->gpus / b->gpus));
    return sum + square(ORR_FAR_DOUBLING * log2(a->params / b->params));
}

/* What the plan decides: how the time divides over resources, and the regime. First tokens under load wait for a queue,
 * whatever binds the steps. */
static double squared_of_plan(const struct orr_measured_run *a, const struct orr_measured_run *b)
{
    double sum = a->regime != b->regime ? square(ORR_FAR_REGIME) : 0;
    if (a->regime == ORR_REGIME_SERVE_FIRST) return sum;
    for (int i = 0; i < ORR_N_BOUNDS; i++)
        sum += square((a->bound_frac[i] - b->bound_frac[i]) * orr_bound_doubt(a->regime, (enum orr_bound)i));
    return sum;
}

double orr_run_distance(const struct orr_measured_run *a, const struct orr_measured_run *b)
{
    return sqrt(squared_of_plan(a, b) + squared_of_job(a, b));
}

/* A job as a run that was not measured. */
static struct orr_measured_run run_of(const struct orr_job *job, enum orr_regime regime,
                                      const struct orr_exposure *exposure)
{
    struct orr_measured_run run = {.engine = job->engine.id,
                                   .system = job->system.id,
                                   .gpus = (double)job->plan.gpus,
                                   .params = (double)orr_model_params_active(&job->model),
                                   .regime = regime};
    if (exposure) memcpy(run.bound_frac, exposure->bound_frac, sizeof run.bound_frac);
    return run;
}

static bool same_kind(enum orr_regime a, enum orr_regime b)
{
    return orr_regime_is_training(a) == orr_regime_is_training(b);
}

#define NAME_(regime, name, what) name,
static const char *const REGIME_NAMES[ORR_N_REGIMES] = {ORR_REGIMES(NAME_)};

const char *orr_regime_name(enum orr_regime regime)
{
    return REGIME_NAMES[regime];
}

/* A run that the engine was fitted to, as the record would have it; false: of a regime that this version does not
 * know. */
static bool fitted_run(const struct orr_engine *engine, size_t i, struct orr_measured_run *run)
{
    const struct orr_fit_run *own = &engine->fitted[i];
    int regime = 0;
    while (regime < ORR_N_REGIMES && strcmp(REGIME_NAMES[regime], own->regime) != 0) regime++;
    *run = (struct orr_measured_run){.source = "runs of this engine",
                                     .id = own->run,
                                     .engine = engine->id,
                                     .system = own->system,
                                     .model = own->model,
                                     .plan = own->plan,
                                     .gpus = (double)own->gpus,
                                     .params = own->active_params,
                                     .regime = (enum orr_regime)regime,
                                     .error_frac = own->error_frac};
    memcpy(run->bound_frac, own->bound_frac, sizeof run->bound_frac);
    return regime < ORR_N_REGIMES;
}

enum { N_RUNS = sizeof RUNS / sizeof *RUNS };

/* The i-th measured run for a job: those on record, then those of its engine. */
static bool run_at(const struct orr_job *job, size_t i, struct orr_measured_run *run)
{
    if (i >= N_RUNS) return fitted_run(&job->engine, i - N_RUNS, run);
    *run = RUNS[i];
    return true;
}

struct orr_nearest orr_nearest_of(const struct orr_job *job, enum orr_regime regime,
                                  const struct orr_exposure *exposure)
{
    const struct orr_measured_run own = run_of(job, regime, exposure);
    struct orr_nearest nearest = {.distance = HUGE_VAL};
    const size_t n = N_RUNS + (size_t)job->engine.n_fitted;
    for (size_t i = 0; i < n; i++) {
        struct orr_measured_run run;
        if (!run_at(job, i, &run) || !same_kind(run.regime, regime)) continue;
        const double plan = squared_of_plan(&own, &run);
        if (plan >= nearest.distance) continue;
        const double squared = plan + squared_of_job(&own, &run);
        if (squared >= nearest.distance) continue;
        nearest.distance = squared;
        nearest.run = run;
        nearest.known = true;
    }
    nearest.distance = sqrt(nearest.distance);
    nearest.outside = nearest.distance > ORR_MEASURED_REACH;
    return nearest;
}

/* How many runs on record have an engine whose name stands before this one or, if `own`, is this one. */
static size_t runs_before(const char *engine, bool own)
{
    size_t low = 0, high = N_RUNS;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const int order = strcmp(RUNS[middle].engine, engine);
        if (order < 0 || (own && order == 0)) low = middle + 1;
        else high = middle;
    }
    return low;
}

double orr_distance_to_engine(const struct orr_job *job, enum orr_regime regime, const struct orr_exposure *exposure)
{
    const struct orr_measured_run own = run_of(job, regime, exposure);
    const size_t end = runs_before(own.engine, true);
    double least = HUGE_VAL;
    for (size_t i = runs_before(own.engine, false); i < end; i++) { /* they stand side by side */
        if (RUNS[i].regime != regime) continue;
        const double plan = squared_of_plan(&own, &RUNS[i]);
        if (plan < least) least = orr_min(least, plan + squared_of_job(&own, &RUNS[i]));
    }
    return sqrt(least);
}

double orr_distance_to_fitted(const struct orr_job *job, enum orr_regime regime, const struct orr_exposure *exposure)
{
    const struct orr_measured_run own = run_of(job, regime, exposure);
    double least = job->engine.n_fitted > 0 ? HUGE_VAL : 0;
    for (size_t i = 0; i < (size_t)job->engine.n_fitted; i++) {
        struct orr_measured_run run;
        if (fitted_run(&job->engine, i, &run))
            least = orr_min(least, squared_of_plan(&own, &run) + squared_of_job(&own, &run));
    }
    return sqrt(least);
}

bool orr_may_be_inside(const struct orr_job *job, double least_gpus, double most_gpus)
{
    const size_t n = N_RUNS + (size_t)job->engine.n_fitted;
    struct orr_measured_run own = run_of(job, ORR_REGIME_TRAIN_DENSE, NULL);
    for (size_t i = 0; i < n; i++) {
        struct orr_measured_run run;
        if (!run_at(job, i, &run) || orr_regime_is_training(run.regime) != (job->kind == ORR_JOB_TRAIN)) continue;
        own.gpus = orr_max(least_gpus, orr_min(most_gpus, run.gpus));
        /* The regime of training follows from the model, that of serving from the plan. */
        const bool other = job->kind == ORR_JOB_TRAIN && run.regime != orr_train_regime(job);
        const double squared = squared_of_job(&own, &run) + (other ? square(ORR_FAR_REGIME) : 0);
        if (sqrt(squared) <= ORR_MEASURED_REACH) return true;
    }
    return false;
}

struct orr_nearest orr_train_nearest(const struct orr_job *job, const struct orr_result *result)
{
    const struct orr_exposure exposure = orr_train_exposure(result);
    return orr_nearest_of(job, orr_train_regime(job), &exposure);
}

struct orr_nearest orr_infer_nearest(const struct orr_job *job, const struct orr_infer_result *result)
{
    const struct orr_exposure exposure = orr_infer_exposure(result, result->prefill_s, result->decode_s);
    return orr_nearest_of(job, orr_infer_regime(job, result), &exposure);
}
