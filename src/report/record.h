/* Pieces of a result as a JSON object and as a CSV row: the metrics of a list, the request. */
#ifndef ORR_REPORT_RECORD_H
#define ORR_REPORT_RECORD_H

#include <jansson.h>

#include "metric/metric.h"

/* Put an entry at its key ("group.member", "group.0" a place in an array) of an object; 0, or -1: out of memory. */
int orr_record_put(json_t *root, const struct orr_entry *entry);

/* A cell of a CSV row, quoted where a comma, quote or line break would break the row. */
void orr_csv_word(struct orr_text *text, const char *word);

/* The scalars of the request, then every metric of the answer: their names, or a row of values. Takes `request`. */
void orr_record_csv_line(const struct orr_answer *answer, json_t *request, bool names, struct orr_text *text);

/* A job as a request with every default resolved; NULL: out of memory. `every_key`: the draft model has its place even
 * where there is none. */
json_t *orr_request_json(const struct orr_job *job, bool every_key);

#endif
