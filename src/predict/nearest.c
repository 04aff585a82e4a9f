/* Distance between a job and the measured runs on record (nearest_table.h, written by tools/check_drift.sh). */
#include "predict/nearest.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "predict/nearest_table.h"
#include "spec/job.h"

#define RUN_(source, id, engine, system, model, plan, gpus, params, regime, compute, l2, dram, network, gaps, host,    \
             error)                                                                                                    \
    {source,                                                                                                           \
     id,                                                                                                               \
     engine,                                                                                                           \
     system,                                                                                                           \
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

/* What another engine, system, regime, size or number of GPUs adds to the distance: judgements in logarithms of time,
 * as the errors of stacks, chips and regimes differ (docs/trust.md). */
#define ENGINE_FAR   0.2
#define SYSTEM_FAR   0.085
#define REGIME_FAR   0.15
#define DOUBLING_FAR 0.03

static double square(double x)
{
    return x * x;
}

static double squared_distance(const struct orr_job *job, double params, enum orr_regime regime,
                               const struct orr_exposure *exposure, const struct orr_measured_run *run)
{
    double sum = 0;
    for (int i = 0; i < ORR_N_BOUNDS; i++)
        sum += square((exposure->bound_frac[i] - run->bound_frac[i]) * orr_bound_doubt(regime, (enum orr_bound)i));
    if (strcmp(job->engine.id, run->engine) != 0) sum += square(ENGINE_FAR);
    if (strcmp(job->system.id, run->system) != 0) sum += square(SYSTEM_FAR);
    if (regime != run->regime) sum += square(REGIME_FAR);
    sum += square(DOUBLING_FAR * log2((double)job->plan.gpus / run->gpus));
    return sum + square(DOUBLING_FAR * log2(params / run->params));
}

static bool same_kind(enum orr_regime a, enum orr_regime b)
{
    return orr_regime_is_training(a) == orr_regime_is_training(b);
}

struct orr_nearest orr_nearest_of(const struct orr_job *job, enum orr_regime regime,
                                  const struct orr_exposure *exposure)
{
    struct orr_nearest nearest = {.distance = HUGE_VAL};
    const double params = (double)orr_model_params_active(&job->model);
    for (size_t i = 0; i < sizeof RUNS / sizeof *RUNS; i++) {
        if (!same_kind(RUNS[i].regime, regime)) continue;
        const double squared = squared_distance(job, params, regime, exposure, &RUNS[i]);
        if (squared >= nearest.distance) continue;
        nearest.distance = squared;
        nearest.run = &RUNS[i];
    }
    nearest.distance = sqrt(nearest.distance);
    nearest.outside = nearest.distance > ORR_MEASURED_REACH;
    return nearest;
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
