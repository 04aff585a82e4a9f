/* The formulas of training and of inference share these symbols, which any job has. */
#ifndef ORR_METRIC_JOB_SYMBOLS_H
#define ORR_METRIC_JOB_SYMBOLS_H

#include "predict/power.h"

/* clang-format off */

/* X(name, unit, what it is and where it comes from, value)
 * `value` is an expression of j (const struct orr_job *) and format (enum orr_dtype), that of the matrix products. */
#define ORR_JOB_SYMBOLS(X)                                                                                            \
    X(gpus, COUNT, "plan: tp · pp · cp · dp", j->plan.gpus)                                                           \
    X(tp, COUNT, "plan", j->plan.tp)                                                                                  \
    X(pp, COUNT, "plan", j->plan.pp)                                                                                  \
    X(dp, COUNT, "plan", j->plan.dp)                                                                                  \
    X(cp, COUNT, "plan", j->plan.cp)                                                                                  \
    X(peak_flops_per_s, FLOP_PER_S, "chip file: dense peak of the products' format",                                  \
      j->system.chip.peak_flops_per_s[format])                                                                        \
    X(hbm_bytes_per_s, BYTES_PER_S, "chip file", j->system.chip.hbm_bytes_per_s)                                      \
    X(tdp_w, W, "chip file", j->system.chip.tdp_w)                                                                    \
    X(idle_w, W, "chip file", j->system.chip.idle_w)                                                                  \
    X(flop_j, J, "chip file; scaled by operand bytes / 2", j->system.chip.flop_j)                                     \
    X(hbm_j_per_byte, J, "chip file", j->system.chip.hbm_j_per_byte)                                                  \
    X(link_j_per_byte, J, "chip file", j->system.chip.link_j_per_byte)                                                \
    X(price_usd_per_gpu_hour, USD, "system file", j->system.price_usd_per_gpu_hour)                                   \
    X(pue_frac, NUMBER, "system file", j->system.pue_frac)                                                            \
    X(context_bytes, BYTES, "engine file", j->engine.context_bytes)                                                   \
    X(host_step_s, S, "engine file", j->engine.host_step_s)                                                           \
    X(host_speed, NUMBER, "system file", j->system.host_speed)                                                        \
    X(burst_frac, FRAC, "calibration file", j->calibration.gemm[format].burst_frac)                                   \
    X(sustained_frac, FRAC, "calibration file, at tdp_w instead of calibrated_w (Eq. 105a)",                           \
      orr_power_rule_of(j, format).sustained_frac)                                                                    \
    X(power_slope, NUMBER, "calibration file, at tdp_w instead of calibrated_w (Eq. 105a)",                            \
      orr_power_rule_of(j, format).slope)

#endif
