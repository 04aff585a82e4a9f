/* The numbers of one result as a row: those of the metric lists in their order, and the plan that a search found. */
#ifndef ORR_METRIC_ROW_H
#define ORR_METRIC_ROW_H

#include "orrery.h"

/* The numbers of an answer, those of orr_session_columns; returns how many. The reason of a row has its own place. */
size_t orr_row_fill(const struct orr_answer *answer, struct orr_sweep_row *row);

/* Columns of a plan, after the others; returns how many. */
size_t orr_row_plan_columns(enum orr_job_kind kind, struct orr_column *columns);
/* Its values from column n on. `job` is that of the answers' pool where there are two; the plan is the prompts'. */
void orr_row_fill_plan(const struct orr_job *job, const struct orr_choice *choice, size_t n, struct orr_sweep_row *row);

#endif
