/* The measured run that is nearest to a job, and how far away it is. */
#ifndef ORR_PREDICT_NEAREST_H
#define ORR_PREDICT_NEAREST_H

#include "predict/interval.h"

/* A measured run as the record keeps it: what it was, what its time was exposed to, and how far off its prediction
 * is. */
struct orr_measured_run {
    const char *source, *id, *engine;
    const char *system, *chip; /* by their own names; the chip of a run that an engine was fitted to is not known */
    const char *model, *plan;
    double gpus, params;
    enum orr_regime regime;
    double bound_frac[ORR_N_BOUNDS];
    double error_frac; /* predicted over measured time - 1 */
};

struct orr_nearest {
    bool known;                  /* false: there is no measured run of this kind of job */
    struct orr_measured_run run; /* its texts are those of the record, or of the job's engine */
    double distance;             /* in logarithms of time: what the errors of the two may differ by (Eq. 187) */
    bool outside;                /* farther than ORR_MEASURED_REACH */
};

/* The distance of two runs (Eq. 187). */
double orr_run_distance(const struct orr_measured_run *a, const struct orr_measured_run *b);
/* The record has a run no farther than this from every measured one of the same engine, regime and model. */
#define ORR_RECORD_COVER 0.05

/* Every measured run on record. */
const struct orr_measured_run *orr_measured_runs(size_t *n);

/* Beyond this distance a job lies outside what was measured: a choice, at which the errors of two runs of one stack
 * begin to differ by more than runs usually do. */
#define ORR_MEASURED_REACH 0.15

/* Of the runs on record and those that the job's engine was fitted to. */
struct orr_nearest orr_nearest_of(const struct orr_job *job, enum orr_regime regime,
                                  const struct orr_exposure *exposure);
/* How far the nearest run on record is that has the job's engine in this regime; HUGE_VAL: there is none. */
double orr_distance_to_engine(const struct orr_job *job, enum orr_regime regime, const struct orr_exposure *exposure);
/* How far the nearest run is that the job's engine was fitted to, of any regime; 0: its file names
 * none. */
double orr_distance_to_fitted(const struct orr_job *job, enum orr_regime regime, const struct orr_exposure *exposure);
struct orr_nearest orr_train_nearest(const struct orr_job *job, const struct orr_result *result);
struct orr_nearest orr_infer_nearest(const struct orr_job *job, const struct orr_infer_result *result);

/* Could some plan of this job on a number of GPUs in this range be inside what was measured? Engine, system, model and
 * GPUs may be too far from every run, whatever the plan. */
bool orr_may_be_inside(const struct orr_job *job, double least_gpus, double most_gpus);

#endif
