/* The class of a job decides the 80 % interval of its time. The factors come from validation residuals:
 * validate/intervals.c computes them, and interval_table.h records them. */
#include "predict/interval.h"

#include "predict/interval_table.h"
#include "predict/pass.h"
#include "spec/job.h"

#define NAMES_(regime, name, what) [ORR_REGIME_##regime] = {name ", datasheet", name ", calibrated"},
static const char *const NAMES[ORR_N_REGIMES][2] = {ORR_REGIMES(NAMES_)};

#define FACTORS_(regime, low, high, datasheet_low, datasheet_high)                                                     \
    [ORR_REGIME_##regime] = {{datasheet_low, datasheet_high}, {low, high}},
static const double FACTORS[ORR_N_REGIMES][2][2] = {ORR_INTERVALS(FACTORS_)};

struct orr_interval orr_interval_of(enum orr_regime regime, bool calibrated)
{
    const double *factors = FACTORS[regime][calibrated];
    return (struct orr_interval){.name = NAMES[regime][calibrated], .low = factors[0], .high = factors[1]};
}

enum orr_regime orr_train_regime(const struct orr_job *job)
{
    return orr_model_has_experts(&job->model) ? ORR_REGIME_TRAIN_MOE : ORR_REGIME_TRAIN_DENSE;
}

/* From this share of overhead and host on, the host decides how far off a prediction is, and not a kernel. */
#define HOST_BOUND_FRAC 0.3

/* A job is host-bound where an eager framework launches slower than the GPU executes. */
static bool host_bound(const struct orr_job *job, const double bound_frac[ORR_N_BOUNDS])
{
    const double idle_frac = bound_frac[ORR_BOUND_HOST] + bound_frac[ORR_BOUND_OVERHEAD];
    return job->engine.host_launch_s > 0 && idle_frac > HOST_BOUND_FRAC;
}

enum orr_regime orr_prefill_regime(const struct orr_job *job, const struct orr_infer_result *result)
{
    if (orr_model_has_experts(&job->model)) return ORR_REGIME_INFER_MOE;
    if (host_bound(job, result->prefill_bound_frac)) return ORR_REGIME_HOST;
    const int64_t tokens = job->serving.batch * orr_prompt_len(job);
    return tokens <= ORR_SHORT_PREFILL_TOKENS ? ORR_REGIME_PREFILL_SHORT : ORR_REGIME_PREFILL;
}

enum orr_regime orr_decode_regime(const struct orr_job *job, const struct orr_infer_result *result)
{
    if (orr_model_has_experts(&job->model)) return ORR_REGIME_INFER_MOE;
    if (host_bound(job, result->decode_bound_frac)) return ORR_REGIME_HOST;
    return result->decode_bound_frac[ORR_BOUND_DRAM] >= 0.5 ? ORR_REGIME_DECODE_DRAM : ORR_REGIME_DECODE_NETWORK;
}

enum orr_regime orr_in_flight_regime(const struct orr_job *job)
{
    return orr_model_has_experts(&job->model) ? ORR_REGIME_IN_FLIGHT_MOE : ORR_REGIME_IN_FLIGHT;
}

enum orr_regime orr_serving_regime(const struct orr_job *job)
{
    return orr_model_has_experts(&job->model) ? ORR_REGIME_SERVE_MOE : ORR_REGIME_SERVE;
}

enum orr_regime orr_infer_regime(const struct orr_job *job, const struct orr_infer_result *result)
{
    return result->prefill_s >= result->decode_s ? orr_prefill_regime(job, result) : orr_decode_regime(job, result);
}

void orr_fill_interval(const struct orr_job *job, struct orr_result *result)
{
    const struct orr_interval interval = orr_interval_of(orr_train_regime(job), job->calibration.calibrated);
    result->interval_class = interval.name;
    result->interval_low_s = result->step_time_s * interval.low;
    result->interval_high_s = result->step_time_s * interval.high;
}

void orr_fill_infer_interval(const struct orr_job *job, struct orr_infer_result *result)
{
    const struct orr_interval interval = orr_interval_of(orr_infer_regime(job, result), job->calibration.calibrated);
    result->interval_class = interval.name;
    result->interval_low_s = result->latency_s * interval.low;
    result->interval_high_s = result->latency_s * interval.high;
}
