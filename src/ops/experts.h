/* Eq. 8: experts that the tokens of a group touch. Plain arithmetic, shared with the tables of measured kernels. */
#ifndef ORR_OPS_EXPERTS_H
#define ORR_OPS_EXPERTS_H

#include "base/number.h"

#include <math.h>

/* A probability of e^-40 or less is lost when it is added to 1 in double precision. */
#define ORR_SURE_CHOICES 40.0

/* Experts of one rank that at least one of `tokens` chooses: `places` experts lie on `ranks` ranks, and every token
 * chooses `active` of them at random. */
static inline double orr_experts_touched(double places, double active, double tokens, double ranks)
{
    const double share = active / places;
    if (share * tokens >= ORR_SURE_CHOICES) return places / ranks; /* The power below would be 0: skip it. */
    return orr_min(places / ranks, places * (1 - pow(1 - share, tokens)) / ranks);
}

/* Eq. 267: the same on the busiest rank, where every rank waits for it. The experts of a rank are touched independently
 * of each other, nearly; the largest of R normal numbers is sqrt(2 ln R) - 0.6 standard deviations above their mean,
 * within 4 % from 2 to 64. */
static inline double orr_experts_touched_most(double places, double active, double tokens, double ranks)
{
    const double mean = orr_experts_touched(places, active, tokens, ranks), all = places / ranks;
    if (ranks < 2 || mean >= all) return mean;
    const double deviation = sqrt(mean * (1 - mean / all) * (1 - 1 / ranks));
    return orr_min(orr_min(all, tokens * active), mean + (sqrt(2 * log(ranks)) - 0.6) * deviation);
}

#endif
