/* The power rule: a long matrix load is held down by the board's power limit. */
#ifndef ORR_PREDICT_POWER_H
#define ORR_PREDICT_POWER_H

#include "base/number.h"
#include "orrery.h"

/* Share of peak sustained when matrix units work at full rate for `load` of the time; every other kernel, transfer or
 * wait gives some clock back, and a kernel at half the rate loads the limit half as much. */
static inline double orr_sustained_frac(const struct orr_gemm_constants *constants, double load)
{
    const double u = constants->sustained_frac + constants->power_slope * (1 - load);
    return orr_min(constants->burst_frac, orr_max(constants->sustained_frac, u));
}

#endif
