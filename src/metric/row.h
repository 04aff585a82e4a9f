/* A row is the numbers of one result: those of the metric lists in their order, then the plan that a search found. */
#ifndef ORR_METRIC_ROW_H
#define ORR_METRIC_ROW_H

#include "orrery.h"

/* Fills the numbers of an answer as orr_session_columns orders them; returns how many. The reason has its own place. */
size_t orr_row_fill(const struct orr_answer *answer, struct orr_sweep_row *row);

/* Lists the columns of a plan, which come after the others; returns how many. */
size_t orr_row_plan_columns(enum orr_job_kind kind, struct orr_column *columns);
/* Fills the values of the plan from column n on. Where there are two pools, `job` is that of the answers' pool, and the
 * plan is that of the prompts' pool. */
void orr_row_fill_plan(const struct orr_job *job, const struct orr_choice *choice, size_t n, struct orr_sweep_row *row);

#endif
