/* Tables of constants that --explain ends with: name, value, meaning. */
#ifndef ORR_REPORT_CONSTANTS_H
#define ORR_REPORT_CONSTANTS_H

#include "report/table.h"

/* Rows with a value as text, as a plain number, as seconds. */
void orr_constant_row(struct orr_table *table, const char *name, const char *value, const char *meaning);
void orr_constant_plain(struct orr_table *table, const char *name, double number, const char *meaning);
void orr_constant_s(struct orr_table *table, const char *name, double seconds, const char *meaning);

/* Print a table below its title: the constants of the calibration that act on a job with these operators, and how far
 * they can be trusted; hardware; software. */
void orr_constants_calibration(const struct orr_style *style, const struct orr_job *job, const struct orr_op *ops,
                               size_t n_ops, struct orr_text *text);
void orr_constants_hardware(const struct orr_style *style, const struct orr_system *system, struct orr_text *text);
void orr_constants_engine(const struct orr_style *style, const struct orr_engine *engine, struct orr_table *table,
                          struct orr_text *text);

#endif
