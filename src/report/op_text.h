/* One operator as text and as JSON members; training and inference reports say the same about it. */
#ifndef ORR_REPORT_OP_TEXT_H
#define ORR_REPORT_OP_TEXT_H

#include <jansson.h>

#include "base/text.h"
#include "orrery.h"

/* Shape of an operator as text: "2048×12288×6144", "allreduce 48.0 MiB"; at least 96 bytes. */
#define ORR_SHAPE_TEXT 96
char *orr_op_shape(char buffer[ORR_SHAPE_TEXT], const struct orr_op *op);

/* A number of executions or rows: whole, or with one digit after the point; at least 32 bytes. */
char *orr_print_times(char *buffer, double times);

/* An operator of --explain in two wrapped paragraphs: `head`, then what one run is made of. */
void orr_op_explain(const struct orr_style *style, const char *head, const struct orr_op *op,
                    const struct orr_cost *cost, double clock_frac, struct orr_text *text);

/* ---- --dump: arrays with one object per line */

/* `object` with the members of `more`; takes both, NULL if either is missing. */
json_t *orr_json_joined(json_t *object, json_t *more);
/* One element of the array on a line of its own. Takes it. */
void orr_dump_line(struct orr_text *text, json_t *element, bool last);
/* Every member of an operator; new. */
json_t *orr_op_json(const struct orr_op *op);
/* Every member of a cost, and the choice that was made; new. */
json_t *orr_cost_json(const struct orr_op *op, const struct orr_cost *cost);

#endif
