/* Reports of `orrery fit`. */
#ifndef ORR_REPORT_STACK_H
#define ORR_REPORT_STACK_H

#include <jansson.h>

#include "orrery.h"

/* The report as JSON; NULL when out of memory. */
json_t *orr_stack_json(const struct orr_stack *stack);
/* The engine file as JSON; NULL when out of memory. */
json_t *orr_stack_engine_json(const struct orr_stack *stack, const char *name, const char *date);
/* The median of the absolute errors, as a fraction, before, after and left out; runs set aside do not count. */
struct orr_stack_medians {
    double before_frac, after_frac, left_out_frac;
};
struct orr_stack_medians orr_stack_medians(const struct orr_stack *stack);

#endif
