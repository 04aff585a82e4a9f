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
