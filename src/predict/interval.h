/* The 80 % interval of a predicted time, by class of job. */
#ifndef ORR_PREDICT_INTERVAL_H
#define ORR_PREDICT_INTERVAL_H

#include "orrery.h"

void orr_fill_interval(const struct orr_job *job, struct orr_result *result);
void orr_fill_infer_interval(const struct orr_job *job, struct orr_infer_result *result);

#endif
