/* The numbers of one result as a row: those of the metric lists, in their order. */
#ifndef ORR_METRIC_ROW_H
#define ORR_METRIC_ROW_H

#include "orrery.h"

/* Columns of a kind of job; returns how many. The reason of a row has its own place. */
size_t orr_row_columns(enum orr_job_kind kind, struct orr_column columns[ORR_MAX_COLUMNS]);
/* The numbers of a result of the job's kind; returns how many. */
size_t orr_row_fill(const struct orr_job *job, const struct orr_result *train, const struct orr_infer_result *infer,
                    struct orr_sweep_row *row);

#endif
