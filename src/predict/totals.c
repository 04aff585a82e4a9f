/* Rates, utilisation, energy, cost, interval and the speed-of-light bound of a predicted step. Eqs. 3, 21, 104. */
#include "predict/totals.h"

#include "base/number.h"

#include "predict/interval.h"

/* Work of one rank in one iteration. */
struct work {
    double flops, dram_bytes, link_bytes, flop_j;
};

/* How often an operator runs on the critical rank in one iteration. */
static double executions(const struct orr_stage *stage, const struct orr_op *op, double m)
{
    double layers = 1;
    if (op->phase == ORR_PHASE_STEP) return op->count;
    if (op->layer_kind == ORR_LAYER_EMBEDDING) layers = stage->embedding ? 1 : 0;
    else if (op->layer_kind == ORR_LAYER_HEAD) layers = stage->head ? 1 : 0;
    else if (op->layer_kind >= 0) layers = stage->n_layers[op->layer_kind];
    return op->count * layers * m * (op->recomputed ? 2 : 1);
}

static struct work work_of(const struct orr_job *job, const struct orr_scratch *scratch, int64_t rank, double m)
{
    struct work work = {0};
    for (size_t i = 0; i < scratch->ops.n; i++) {
        const struct orr_op *op = &scratch->ops.items[i];
        const double n = executions(&scratch->stages[rank], op, m);
        work.flops += n * op->flops;
        /* energy of a multiply-add follows the operand width */
        work.flop_j += n * op->flops * job->system.chip.flop_j * orr_dtype_bytes(op->dtype) / 2;
        work.dram_bytes += n * scratch->costs[i].dram_bytes;
        if (op->kind == ORR_OP_COLLECTIVE)
            work.link_bytes +=
                n * orr_collective_wire_bytes(op->collective, ORR_ALGORITHM_RING,
                                              (double)orr_group_ranks(&job->plan, op->group), op->payload_bytes);
    }
    return work;
}

/* Eq. 104, capped by the board's limit; the clock has already been lowered for it. */
static void fill_energy(const struct orr_job *job, const struct work *work, struct orr_result *result)
{
    const struct orr_chip *chip = &job->system.chip;
    const double dynamic_j =
        work->flop_j + work->dram_bytes * chip->hbm_j_per_byte + work->link_bytes * chip->link_j_per_byte;
    const double gpus = (double)job->plan.gpus;
    result->power_w_per_gpu = orr_min(chip->tdp_w, chip->idle_w + dynamic_j / result->step_time_s);
    result->energy_j = gpus * result->power_w_per_gpu * result->step_time_s * job->system.pue_frac;
    result->cost_usd = gpus * job->system.price_usd_per_gpu_hour * result->step_time_s / 3600;
}

/* Nothing can be faster: the model's FLOP at peak, the optimizer's state read and written once at full DRAM rate, the
 * gradients over the fastest link; all three at once. */
static double speed_of_light_s(const struct orr_job *job, const struct orr_scratch *scratch,
                               const struct orr_result *result)
{
    const struct orr_chip *chip = &job->system.chip;
    const struct orr_stage *stage = orr_stages_heaviest(scratch->stages, job->plan.pp);
    const double params = stage->dense_params + stage->expert_params,
                 dp = (double)orr_group_ranks(&job->plan, ORR_GROUP_DP);
    const double flops = job->workload.causal ? orr_model_flops_causal(job) : result->model_flops;
    const double compute_s = flops / ((double)job->plan.gpus * chip->peak_flops_per_s[job->workload.precision]);
    const double state_bytes = 2 * (double)job->engine.optimizer_bytes * params / (job->plan.zero > 0 ? dp : 1);
    const double link = orr_max(job->system.scaleup_bytes_per_s, job->system.scaleout_bytes_per_s);
    const double gradient_bytes = dp > 1 ? (dp - 1) / dp * stage->dense_params * (double)job->engine.reduce_bytes : 0;
    return orr_max(compute_s, orr_max(state_bytes / chip->hbm_bytes_per_s, gradient_bytes / link));
}

void orr_fill_totals(const struct orr_job *job, const struct orr_scratch *scratch, int64_t rank,
                     struct orr_result *result)
{
    const double m = (double)result->n_micro_batches, gpus = (double)job->plan.gpus;
    const double peak = job->system.chip.peak_flops_per_s[job->workload.precision];
    const double tokens = (double)job->workload.global_batch * (double)job->workload.seq;
    const struct work work = work_of(job, scratch, rank, m);
    result->tokens_per_s = tokens / result->step_time_s;
    result->tokens_per_s_per_gpu = result->tokens_per_s / gpus;
    result->model_flops = orr_model_flops(job);
    result->executed_flops = work.flops * gpus;
    result->model_tflops_per_gpu = result->model_flops / (result->step_time_s * gpus) / 1e12;
    result->mfu_frac = result->model_flops / (result->step_time_s * gpus * peak); /* Eq. 3 */
    result->hfu_frac = work.flops / (result->step_time_s * peak);
    result->bound_s = speed_of_light_s(job, scratch, result);
    result->params_total = orr_model_params(&job->model);
    result->params_active = orr_model_params_active(&job->model);
    fill_energy(job, &work, result);
    orr_fill_interval(job, result);
}
