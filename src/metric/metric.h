/* The metrics of either kind of job. Each is known by its number: enum orr_train_metric, or enum orr_infer_metric. */
#ifndef ORR_METRIC_METRIC_H
#define ORR_METRIC_METRIC_H

#include "metric/infer.h"
#include "metric/train.h"

int orr_n_metrics(enum orr_job_kind kind);
const struct orr_metric_info *orr_metric_info(enum orr_job_kind kind, int metric);
struct orr_value orr_metric_value(const struct orr_answer *answer, int metric);
/* The symbols of the formulas as the glossary lists them; *n of them. */
const struct orr_symbol_info *orr_symbol_infos(enum orr_job_kind kind, size_t *n);
/* A metric with its value; a job that fits has no reason. */
struct orr_entry orr_metric_entry(const struct orr_answer *answer, int metric);
/* Is it the reason why a job does not fit? */
bool orr_metric_is_reason(enum orr_job_kind kind, int metric);
/* Value of a metric or of a symbol of its formulas by name, `length` bytes long; false if it is neither. */
bool orr_metric_find(const struct orr_answer *answer, const char *name, size_t length, struct orr_value *value);

/* The metric of the first part of the time, and of the memory; the others follow in the order of the parts. */
int orr_first_time_metric(enum orr_job_kind kind);
int orr_first_memory_metric(enum orr_job_kind kind);

/* Time of the whole step or request, its parts, and their names. */
double orr_total_s(const struct orr_answer *answer);
const double *orr_parts_s(const struct orr_answer *answer, int *n);
const char *orr_part_text(enum orr_job_kind kind, int part);
/* The time over the speed of light; 0: there is none. */
double orr_light_ratio(const struct orr_answer *answer);

/* Memory of a GPU: the parts that fill it, and what is there. */
struct orr_room {
    int n_parts;
    const char *names[ORR_N_MEMORY_PARTS];
    double part_bytes[ORR_N_MEMORY_PARTS];
    double usable_bytes, capacity_bytes, headroom_bytes;
};
struct orr_room orr_room_of(const struct orr_answer *answer);
/* Format of the matrix products. */
enum orr_dtype orr_matrix_format(const struct orr_job *job);

/* ---- limits of a search */

/* Find the metrics that the keys of request->limits name. */
enum orr_err orr_limits_resolve(struct orr_search_request *request, struct orr_error *error);
/* Does a result keep the limits? Either result may be NULL, whichever the job's kind does not have. */
bool orr_limits_hold(const struct orr_search_request *request, const struct orr_job *job,
                     const struct orr_result *train, const struct orr_infer_result *infer);

#endif
