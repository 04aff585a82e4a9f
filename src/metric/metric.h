/* Both kinds of job have metrics, each known by its number in enum orr_train_metric or enum orr_infer_metric. */
#ifndef ORR_METRIC_METRIC_H
#define ORR_METRIC_METRIC_H

#include "metric/infer.h"
#include "metric/train.h"

int orr_n_metrics(enum orr_job_kind kind);
const struct orr_metric_info *orr_metric_info(enum orr_job_kind kind, int metric);
struct orr_value orr_metric_value(const struct orr_answer *answer, int metric);
/* Returns the *n symbols of the formulas as the glossary lists them. */
const struct orr_symbol_info *orr_symbol_infos(enum orr_job_kind kind, size_t *n);
/* Returns a metric with its value; a job that fits has no reason. */
struct orr_entry orr_metric_entry(const struct orr_answer *answer, int metric);
/* Says whether the metric is the reason why a job does not fit. */
bool orr_metric_is_reason(enum orr_job_kind kind, int metric);
/* Finds the value of a metric, or of a symbol of its formulas, by a name of `length` bytes; false if it is neither. */
bool orr_metric_find(const struct orr_answer *answer, const char *name, size_t length, struct orr_value *value);

/* These return the time of the whole step or request, its parts, and their names. */
double orr_total_s(const struct orr_answer *answer);
const double *orr_parts_s(const struct orr_answer *answer, int *n);
const char *orr_part_text(enum orr_job_kind kind, int part);
/* Returns the time over the speed of light; 0 where there is no such bound. */
double orr_light_ratio(const struct orr_answer *answer);

/* The room is the memory of a GPU: the parts that fill it, and what the GPU has. */
struct orr_room {
    int n_parts;
    const char *names[ORR_N_MEMORY_PARTS];
    double part_bytes[ORR_N_MEMORY_PARTS];
    double usable_bytes, capacity_bytes, headroom_bytes;
};
struct orr_room orr_room_of(const struct orr_answer *answer);
/* Returns the format of the matrix products. */
enum orr_dtype orr_matrix_format(const struct orr_job *job);

/* ---- limits of a search */

/* Finds the metrics that the keys of request->limits name. */
enum orr_err orr_limits_resolve(struct orr_search_request *request, struct orr_error *error);
/* Says whether a result keeps the limits. The result that the job's kind does not have may be NULL. */
bool orr_limits_hold(const struct orr_search_request *request, const struct orr_job *job,
                     const struct orr_result *train, const struct orr_infer_result *infer);

#endif
