/* How sure an answer is, for people and as JSON: what widens its interval, and the nearest measured run. */
#ifndef ORR_REPORT_SURENESS_H
#define ORR_REPORT_SURENESS_H

#include "predict/nearest.h"
#include "report/answer.h"

#include <jansson.h>

struct orr_nearest orr_answer_nearest(const struct orr_answer *answer);
/* Adds lines: what widens the interval and what to measure; the nearest measured run and its own error; what the runs
 * of a fitted engine share with the job. */
void orr_sureness(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text);
/* The object at "nearest" of a result; null where no run of this kind is on record. */
json_t *orr_nearest_json(const struct orr_answer *answer);
/* Adds "alike", where the job's engine was fitted to runs: what they share with the job. Not 0: no memory. */
int orr_alike_json(json_t *json, const struct orr_job *job);

/* The same of a service under load: the two lines, and the keys from "quantiles_s" to "nearest". Not 0: no memory. */
void orr_service_sureness(const struct orr_job *job, const struct orr_serving_result *result,
                          const struct orr_style *style, struct orr_text *text);
int orr_service_sureness_json(json_t *json, const struct orr_job *job, const struct orr_serving_result *result);

#endif
