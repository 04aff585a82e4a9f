/* Scans of recurrent mixers: bytes over DRAM, or arithmetic over the units that do it, whichever takes longer. */
#include "cost/cost.h"

/* Share of what plain products reach, for a calibration without its own number. It is an assumption that no kernel was
 * measured for: products inside a chunk have sides of 64 to 256, and gates and decays stand between them. */
#define ASSUMED_SHARE 0.5

/* Eq. 392: the delta rule in a kernel for every part reaches less than scans do otherwise. */
static double share_of(const struct orr_calibration *calibration, const struct orr_op *op)
{
    if (op->delta && !op->fused && calibration->delta_scan_frac > 0) return calibration->delta_scan_frac;
    return calibration->scan_frac > 0 ? calibration->scan_frac : ASSUMED_SHARE;
}

void orr_cost_scan(const struct orr_job *job, const struct orr_op *op, struct orr_cost *cost)
{
    const struct orr_chip *chip = &job->system.chip;
    const struct orr_calibration *calibration = &job->calibration;
    const struct orr_gemm_constants *gemm = &calibration->gemm[op->dtype];
    const double rate = chip->peak_flops_per_s[op->dtype] * gemm->burst_frac, share = share_of(calibration, op);
    *cost = (struct orr_cost){.dram_bytes = op->bytes, .l2_bytes = op->bytes};
    cost->launch_s = op->launches * calibration->pointwise_launch_s;
    cost->dram_s = op->bytes / (chip->hbm_bytes_per_s * gemm->dram_frac);
    cost->compute_s = op->vector ? op->flops / chip->vector_flops_per_s : op->flops / (rate * share);
    /* Eq. 392: chunks of a sequence follow one another. */
    if (op->delta) cost->compute_s = orr_max(cost->compute_s, op->m * calibration->delta_token_s);
    if (!op->vector) {
        cost->matrix_frac = gemm->burst_frac;
        cost->matrix_s = op->flops / rate;
    }
    const double busy_s = orr_max(cost->compute_s, cost->dram_s);
    cost->bound = cost->launch_s > busy_s           ? ORR_BOUND_OVERHEAD
                  : cost->compute_s >= cost->dram_s ? ORR_BOUND_COMPUTE
                                                    : ORR_BOUND_DRAM;
    cost->total_s = busy_s + cost->launch_s;
}
