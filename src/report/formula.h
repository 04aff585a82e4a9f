/* The lines of --explain have the form "name = formula = values put in = result [source]". */
#ifndef ORR_REPORT_FORMULA_H
#define ORR_REPORT_FORMULA_H

#include "metric/metric.h"

/* Adds "name = step = step [source]" on one line if it fits, else on a line for every step. */
void orr_add_steps(const struct orr_style *style, const char *name, const char *const *steps, size_t n_steps,
                   const char *source, struct orr_text *text);
/* Explains a metric of an answer: its formula or the case of this job, its values if it names any, and the result. */
void orr_add_formula(const struct orr_answer *answer, const struct orr_style *style, int metric, const char *formula,
                     struct orr_text *text);

#endif
