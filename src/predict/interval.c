/* Intervals from validation residuals: measured time over predicted time, 10th and 90th percentile of the rows of
 * each class in validation/. `orrery validate` prints them; this table is its record. */
#include "predict/interval.h"

#include <stdbool.h>

static const struct job_class {
    const char *name;
    double low, high;
} CLASSES[] = {
    {"training, dense, calibrated", 0.93, 1.19},
    {"training, MoE, calibrated", 0.86, 1.42},
    {"training, dense, datasheet", 0.92, 1.24},
    {"training, MoE, datasheet", 0.88, 1.60},
};

static bool has_experts(const struct orr_model *model)
{
    for (int64_t k = 0; k < model->n_kinds; k++)
        if (model->kinds[k].n_experts > 0)
            return true;
    return false;
}

void orr_fill_interval(const struct orr_job *job, struct orr_result *result)
{
    const int i = (job->calibration.calibrated ? 0 : 2) + (has_experts(&job->model) ? 1 : 0);
    result->interval_class = CLASSES[i].name;
    result->interval_low_s = result->step_time_s * CLASSES[i].low;
    result->interval_high_s = result->step_time_s * CLASSES[i].high;
}

/* Inference: regime by the result's own shares. */
static const struct job_class INFER_CLASSES[] = {
    {"inference, decode, DRAM-bound", 0.94, 1.10},
    {"inference, decode, network- or launch-bound", 0.92, 1.14},
    {"inference, decode, host-bound framework", 0.90, 1.70},
    {"inference, prefill", 0.95, 1.20},
    {"inference, prefill of few tokens", 0.95, 1.28},
    {"inference, MoE", 0.85, 1.60},
};

static int infer_class(const struct orr_job *job, const struct orr_infer_result *result)
{
    if (has_experts(&job->model))
        return 5;
    if (result->prefill_s >= result->decode_s)
        return job->serving.batch * job->serving.input_len <= 512 ? 4 : 3;
    if (job->engine.host_launch_s > 0 && result->decode_bound_frac[ORR_BOUND_OVERHEAD] > 0.3)
        return 2;
    return result->decode_bound_frac[ORR_BOUND_DRAM] >= 0.5 ? 0 : 1;
}

void orr_fill_infer_interval(const struct orr_job *job, struct orr_infer_result *result)
{
    const struct job_class *class = &INFER_CLASSES[infer_class(job, result)];
    const double widen = job->calibration.calibrated ? 1 : 1.33; /* no kernels of this chip were measured */
    result->interval_class = class->name;
    result->interval_low_s = result->latency_s * (1 - widen * (1 - class->low));
    result->interval_high_s = result->latency_s * (1 + widen * (class->high - 1));
}
