/* At the knee of a service one per cent of a step is many of the time per token, so runs at a rate are predicted the
 * other way round: the rate from the time per token. */
#ifndef ORR_VALIDATE_RATE_H
#define ORR_VALIDATE_RATE_H

#include "orrery.h"

/* The rate at which the mean time per token is the measured one, by the closed form, which ends there. */
double orr_rate_for(struct orr_closed_form *form, struct orr_traffic traffic, double tpot_s,
                    struct orr_serving_result *result);
/* The rate at which the run itself has the measured time per token, found near that of the closed form. The steady
 * state is reached slowly at the knee, and a run of ten minutes is faster than it. */
double orr_rate_of_run(const struct orr_job *job, const struct orr_traffic *traffic, double near_per_s, double tpot_s);
/* The interval of first tokens at a rate that follows from the time per token. If steps take s times as long, so does a
 * first token at the rate that gives 1 / s of that time: at the knee it falls from one in a queue to one without. */
void orr_widen_first(const struct orr_job *job, struct orr_closed_form *form, const struct orr_traffic *traffic,
                     double tpot_s, struct orr_serving_result *result);

#endif
