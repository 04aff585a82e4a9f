/* This file derives rates, utilisation, energy, cost, interval and speed of light of a predicted step. Eqs. 3, 21,
 * 104. */
#include "predict/totals.h"

#include "base/number.h"

#include "predict/interval.h"

#include <string.h>

static void fill_energy(const struct orr_job *job, const struct orr_work *work, struct orr_ledger *ledger,
                        struct orr_result *result)
{
    const struct orr_energy energy = orr_energy_of(job, work, result->step_time_s);
    result->power_w_per_gpu = energy.power_w_per_gpu;
    result->energy_j = energy.total_j;
    memcpy(result->energy_part_j, energy.part_j, sizeof result->energy_part_j);
    result->cost_usd = (double)job->plan.gpus * job->system.price_usd_per_gpu_hour * result->step_time_s / 3600;
    orr_ledger_close(ledger, result->step_time_s, &energy);
}

/* No step can be faster than the longest of three: the model's FLOP at peak, the optimizer's state read and written
 * once at full DRAM rate, and the gradients over the fastest link. All three may run at once. */
static double speed_of_light_s(const struct orr_job *job, const struct orr_classes *classes, double flops)
{
    const struct orr_chip *chip = &job->system.chip;
    const struct orr_stage *stage = orr_classes_heaviest(classes->items, classes->n);
    const double params = stage->trained_dense + stage->trained_expert,
                 dp = (double)orr_group_ranks(&job->plan, ORR_GROUP_DP);
    const double compute_s = flops / ((double)job->plan.gpus * chip->peak_flops_per_s[job->workload.precision]);
    const double state_bytes = 2 * orr_states_of(job).optimizer_bytes * params / (job->plan.zero > 0 ? dp : 1);
    const double link = orr_max(job->system.scaleup_bytes_per_s, job->system.scaleout_bytes_per_s);
    const double gradient_bytes = dp > 1 ? (dp - 1) / dp * stage->trained_dense * orr_reduce_bytes(job) : 0;
    return orr_max(compute_s, orr_max(state_bytes / chip->hbm_bytes_per_s, gradient_bytes / link));
}

void orr_fill_totals(const struct orr_job *job, const struct orr_classes *classes, const struct orr_work *work,
                     struct orr_ledger *ledger, struct orr_result *result)
{
    const double gpus = (double)job->plan.gpus;
    const double peak = job->system.chip.peak_flops_per_s[job->workload.precision];
    const double tokens = (double)job->workload.global_batch * (double)job->workload.seq;
    result->tokens_per_s = tokens / result->step_time_s;
    result->tokens_per_s_per_gpu = result->tokens_per_s / gpus;
    result->model_flops = orr_model_flops(job);
    result->executed_flops = work->flops * gpus;
    result->model_tflops_per_gpu = result->model_flops / (result->step_time_s * gpus) / 1e12;
    result->mfu_frac = result->model_flops / (result->step_time_s * gpus * peak); /* Eq. 3 */
    const double causal = job->workload.causal ? orr_model_flops_causal(job) : result->model_flops;
    result->mfu_causal_frac = causal / (result->step_time_s * gpus * peak);
    result->hfu_frac = work->flops / (result->step_time_s * peak);
    result->bound_s = speed_of_light_s(job, classes, causal);
    result->params_total = orr_model_params(&job->model);
    result->params_active = orr_model_params_active(&job->model);
    fill_energy(job, work, ledger, result);
    orr_fill_interval(job, result);
}
