/* A result is written as a JSON object and as a CSV row from these pieces: the metrics of a list, the request. */
#ifndef ORR_REPORT_RECORD_H
#define ORR_REPORT_RECORD_H

#include <jansson.h>

#include "metric/metric.h"

/* Puts an entry at its key ("group.member", or "group.0" for a place in an array); returns -1 where memory runs out. */
int orr_record_put(json_t *root, const struct orr_entry *entry);

/* Adds a cell of a CSV row, quoted where a comma, quote or line break would break the row. */
void orr_csv_word(struct orr_text *text, const char *word);

/* Adds the scalars of the request, then every metric of the answer, as names or as values. It takes `request`. */
void orr_record_csv_line(const struct orr_answer *answer, json_t *request, bool names, struct orr_text *text);

/* Returns a job as a request with every default resolved; NULL where memory runs out. With `every_key`, the draft model
 * has its place even where there is none. */
json_t *orr_request_json(const struct orr_job *job, bool every_key);

#endif
