/* "name = formula = values put in = result [source]": the lines of --explain. */
#ifndef ORR_REPORT_FORMULA_H
#define ORR_REPORT_FORMULA_H

#include "metric/metric.h"

/* "name = step = step [source]": on one line if it fits, else a line for every step. */
void orr_add_steps(const struct orr_style *style, const char *name, const char *const *steps, size_t n_steps,
                   const char *source, struct orr_text *text);
/* A metric of an answer: formula (its own, or the case of this job), its values if it names any, and the result. */
void orr_add_formula(const struct orr_answer *answer, const struct orr_style *style, int metric, const char *formula,
                     struct orr_text *text);

#endif
