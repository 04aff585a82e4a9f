/* Factors of a fitted stack: an engine may say by how much its rates and times differ from those that the calibration
 * and the network of a system state (docs/fit.md). */
#ifndef ORR_SPEC_FACTORS_H
#define ORR_SPEC_FACTORS_H

#include "orrery.h"

/* Sets every factor of an engine to 1. */
void orr_factors_none(struct orr_engine *engine);
/* Does an engine have a factor other than 1? */
bool orr_factors_act(const struct orr_engine *engine);
/* Multiplies the constants of a job by the factors of `engine` over those of `before`, which the constants already
 * have (NULL: none). Eq. 169. */
void orr_factors_apply(const struct orr_engine *engine, const struct orr_engine *before, struct orr_job *job);
/* Stretches every time by a factor, as a change of time_factor does. */
void orr_factors_stretch(double factor, struct orr_job *job);
/* Takes every overhead out of the constants of a job (Eq. 282). */
void orr_idealise(struct orr_job *job);

#endif
