/* How much later than the mean the slowest of a job's chips is: numbers of GPUs -> a share of its kernels' time
 * (Eqs. 299, 305). */
#ifndef ORR_SCHEDULE_SLOWEST_H
#define ORR_SCHEDULE_SLOWEST_H

#include "base/number.h"
#include "orrery.h"

/* A doubling adds a quarter to the mean of the largest value from 8 to 2048 GPUs, the sizes of the weak-scaling series
 * behind the calibrated slope, so that E counts as 4·E of their doublings (Eq. 299). */
static inline double orr_slowest_of(double n_gpus)
{
    return 4 * orr_largest_normal(n_gpus);
}

/* Eq. 305: a chip whose sustained shares were measured as those of the slowest of some units is slow already. */
static inline double orr_slowest_doublings(const struct orr_job *job)
{
    const double units = orr_max(1, job->calibration.sustained_units);
    return orr_max(0, orr_slowest_of((double)job->plan.gpus) - orr_slowest_of(units));
}

/* By how much the clock of the slowest chip is lower, as a share of time. */
static inline double orr_slowest_frac(const struct orr_job *job)
{
    return job->calibration.straggle_frac_per_doubling * orr_slowest_doublings(job);
}

#endif
