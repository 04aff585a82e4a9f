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

#endif
