/* An operator is shown as text and as JSON members; training and inference reports say the same about it. */
#ifndef ORR_REPORT_OP_TEXT_H
#define ORR_REPORT_OP_TEXT_H

#include <jansson.h>

#include "base/text.h"
#include "orrery.h"

/* The name of an operator, which says so if it is one of the tower. */
#define ORR_TITLE_TEXT 64
const char *orr_op_title(char buffer[ORR_TITLE_TEXT], const struct orr_op *op);

/* Prints the shape of an operator, such as "2048×12288×6144" or "allreduce 48.0 MiB", into at least 96 bytes. */
#define ORR_SHAPE_TEXT 96
char *orr_op_shape(char buffer[ORR_SHAPE_TEXT], const struct orr_op *op);

/* Prints a number of executions or rows, whole or with one digit after the point, into at least 32 bytes. */
char *orr_print_times(char *buffer, double times);

/* Adds an operator of --explain in two wrapped paragraphs: `head`, then what one run is made of. */
void orr_op_explain(const struct orr_style *style, const char *head, const struct orr_op *op,
                    const struct orr_cost *cost, double clock_frac, struct orr_text *text);

/* ---- --dump: arrays with one object per line */

/* Adds the members of `more` to `object`. It takes both and returns NULL if either is missing. */
json_t *orr_json_joined(json_t *object, json_t *more);
/* Adds one element of the array on a line of its own and takes the element. */
void orr_dump_line(struct orr_text *text, json_t *element, bool last);
/* Returns every member of an operator as a new object. */
json_t *orr_op_json(const struct orr_op *op);
/* Returns every member of a cost, and the choice that was made, as a new object. */
json_t *orr_cost_json(const struct orr_op *op, const struct orr_cost *cost);

#endif
