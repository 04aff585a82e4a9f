/* These figures are derived from a predicted step: rates, utilisation, energy, cost, interval, speed of light. */
#ifndef ORR_PREDICT_TOTALS_H
#define ORR_PREDICT_TOTALS_H

#include "predict/scratch.h"

/* Completes a result whose times and memory are set, and its ledger. `work` is that of the critical pipeline rank. */
void orr_fill_totals(const struct orr_job *job, const struct orr_classes *classes, const struct orr_work *work,
                     struct orr_ledger *ledger, struct orr_result *result);

#endif
