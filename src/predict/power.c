/* Training steps, serving passes and the step model all call this one rule for the clock under a power limit. */
#include "predict/power.h"

/* The clock moves the matrix load, and the load moves the clock: u = f(u). Two steps from the burst share and Aitken's
 * extrapolation land on the fixed point, because f is nearly straight. */
double orr_settled_clock(const struct orr_job *job, enum orr_dtype dtype, orr_load_at *at, void *context)
{
    const struct orr_power_rule rule = orr_power_rule_of(job, dtype);
    const double first = rule.burst_frac;
    if (job->engine.short_run || rule.sustained_frac >= first) return 1;
    const struct orr_load burst = at(context, 1);
    const double second = orr_sustained_frac(&rule, burst.matrix_s / burst.total_s);
    if (second >= first) return 1;
    const struct orr_load lower = at(context, second / first);
    const double third = orr_sustained_frac(&rule, lower.matrix_s / lower.total_s);
    const double curvature = third - 2 * second + first;
    const double last = curvature > 0 ? third - (third - second) * (third - second) / curvature : third;
    return orr_max(rule.sustained_frac, last) / first;
}
