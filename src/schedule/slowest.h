/* How much later than the mean the slowest of a job's chips is: numbers of GPUs -> a share of its kernels' time
 * (Eqs. 299, 310). */
#ifndef ORR_SCHEDULE_SLOWEST_H
#define ORR_SCHEDULE_SLOWEST_H

#include "base/number.h"
#include "orrery.h"

#include <math.h>

/* E at powers of two GPUs: the mean of the largest of so many standard normal values. A doubling adds a quarter as a
 * mean from 8 to 2048 GPUs, the sizes of the weak-scaling series behind the calibrated slope, so that E counts as 4·E
 * of their doublings (Eq. 299). */
static inline double orr_slowest_of(double n_gpus)
{
    static const double expected[] = {0,     0.564, 1.029, 1.424, 1.766, 2.070, 2.344, 2.595, 2.827, 3.044, 3.248,
                                      3.442, 3.626, 3.802, 3.971, 4.134, 4.291, 4.443, 4.590, 4.733, 4.872};
    const double last = (double)(sizeof expected / sizeof *expected - 1);
    const double doublings = orr_min(log2(n_gpus), last);
    const double below = orr_min(floor(doublings), last - 1), part = doublings - below;
    return 4 * ((1 - part) * expected[(size_t)below] + part * expected[(size_t)below + 1]);
}

/* Eq. 310: a chip whose sustained shares were measured as those of the slowest of some units is slow already. */
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
