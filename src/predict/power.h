/* The power rule says how far the board's power limit slows a long matrix load (Eq. 105a). */
#ifndef ORR_PREDICT_POWER_H
#define ORR_PREDICT_POWER_H

#include "base/number.h"
#include "spec/names.h"
#include "orrery.h"

#include <math.h>

/* These are the shares of peak that matrix kernels of one format reach. */
struct orr_power_rule {
    double burst_frac;     /* share before the limit acts */
    double sustained_frac; /* share in an endless matrix load */
    double slope;          /* gain per unit of time spent outside matrix kernels */
};

/* The watts above idling over those at which the calibration's shares hold, as a factor of the shares. The energy of a
 * FLOP grows with the clock, as measured, so the rate goes with the square root of the watts. That this law holds below
 * the lowest clock of the measurement is an assumption. */
static inline double orr_power_scale(double watts, double calibrated_w)
{
    return calibrated_w <= 0 ? 1 : sqrt(watts / calibrated_w);
}

/* The calibration's shares hold at calibrated_w. A format whose sustained share equals its burst share did not reach
 * the limit there, so the limit slows it only below the watts that its burst rate takes. */
static inline struct orr_power_rule orr_power_rule_of(const struct orr_job *job, enum orr_dtype dtype)
{
    const struct orr_chip *chip = &job->system.chip;
    const struct orr_gemm_constants *u = &job->calibration.gemm[dtype];
    const double burst_w = u->burst_frac * chip->peak_flops_per_s[dtype] * chip->flop_j * orr_dtype_bytes(dtype) / 2;
    double calibrated_w = chip->calibrated_w - chip->idle_w;
    if (u->sustained_frac >= u->burst_frac) calibrated_w = orr_min(calibrated_w, burst_w);
    const double scale = orr_power_scale(chip->tdp_w - chip->idle_w, calibrated_w);
    return (struct orr_power_rule){.burst_frac = u->burst_frac,
                                   .sustained_frac = orr_min(u->burst_frac, u->sustained_frac * scale),
                                   .slope = u->power_slope * scale};
}

/* Returns the sustained share of peak when matrix units work at full rate for `load` of the time. Every other kernel,
 * transfer or wait gives some clock back, and a kernel at half the rate loads the limit half as much. */
static inline double orr_sustained_frac(const struct orr_power_rule *rule, double load)
{
    const double u = rule->sustained_frac + rule->slope * (1 - load);
    return orr_min(rule->burst_frac, orr_max(rule->sustained_frac, u));
}

/* Returns the lowest clock the rule can ask for, over the burst clock. A short run keeps the burst clock. */
static inline double orr_clock_min(const struct orr_job *job, enum orr_dtype dtype)
{
    const struct orr_power_rule rule = orr_power_rule_of(job, dtype);
    return job->engine.short_run ? 1 : orr_min(1, rule.sustained_frac / rule.burst_frac);
}

/* A load is what a stretch of work takes at some clock. */
struct orr_load {
    double total_s;  /* seconds of everything */
    double matrix_s; /* seconds of its matrix FLOP at the full rate of that clock */
};
typedef struct orr_load orr_load_at(void *context, double clock_frac);

/* Returns the clock, over the burst clock, at which work of this load settles. It calls `at` for at most two clocks. */
double orr_settled_clock(const struct orr_job *job, enum orr_dtype dtype, orr_load_at *at, void *context);

#endif
