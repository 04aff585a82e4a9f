/* Tables of constants that --explain ends with: name, value, meaning. */
#ifndef ORR_REPORT_CONSTANTS_H
#define ORR_REPORT_CONSTANTS_H

#include "report/table.h"

/* Rows with a value as text, as a plain number, as seconds. */
void orr_constant_row(struct orr_table *table, const char *name, const char *value, const char *meaning);
void orr_constant_plain(struct orr_table *table, const char *name, double number, const char *meaning);
void orr_constant_s(struct orr_table *table, const char *name, double seconds, const char *meaning);

/* Matrix kernels of one format, classes of memory-bound kernels among the operators, the links. */
void orr_constants_gemm(const struct orr_calibration *calibration, enum orr_dtype dtype, struct orr_table *table);
void orr_constants_pointwise(const struct orr_calibration *calibration, const struct orr_op *ops, size_t n_ops,
                             struct orr_table *table);

/* Print a table below its title: calibration with its trust, hardware, software. */
void orr_constants_calibration(const struct orr_style *style, const struct orr_calibration *calibration,
                               struct orr_table *table, struct orr_text *text);
void orr_constants_hardware(const struct orr_style *style, const struct orr_system *system, struct orr_text *text);
void orr_constants_engine(const struct orr_style *style, const struct orr_engine *engine, struct orr_table *table,
                          struct orr_text *text);

#endif
