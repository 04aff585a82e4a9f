/* "name = formula = values put in = result [source]": the lines of --explain. */
#ifndef ORR_REPORT_FORMULA_H
#define ORR_REPORT_FORMULA_H

#include "metric/value.h"

/* Where the names of a formula get their values: `find` answers for what `view` shows. */
struct orr_names {
    const void *view;
    bool (*find)(const void *view, const char *name, size_t length, struct orr_value *value);
};

/* "name = step = step [source]": on one line if it fits, else a line for every step. */
void orr_add_steps(const struct orr_style *style, const char *name, const char *const *steps, size_t n_steps,
                   const char *source, struct orr_text *text);
/* Formula, its values if it names any, and the result. */
void orr_add_formula(const struct orr_names *names, const struct orr_style *style, const char *name,
                     const char *formula, struct orr_value value, const char *source, struct orr_text *text);
/* The same for a metric of a list. */
void orr_add_metric(const struct orr_names *names, const struct orr_style *style, const struct orr_metric_info *info,
                    struct orr_value value, struct orr_text *text);
/* An empty line and a title. */
void orr_add_title(const struct orr_style *style, const char *title, struct orr_text *text);

#endif
