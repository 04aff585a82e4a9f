/* How many of its experts a rank uses for a number of tokens. */
#ifndef ORR_OPS_EXPERTS_H
#define ORR_OPS_EXPERTS_H

#include "base/number.h"

#include <math.h>

/* Experts one of `ranks` expert ranks touches when each of `tokens` chooses `active` of `places` experts at random:
 * the mean, at most all that the rank holds (Eq. 8). */
static inline double orr_experts_touched(double places, double active, double tokens, double ranks)
{
    return orr_min(places / ranks, places * (1 - pow(1 - active / places, tokens)) / ranks);
}

#endif
