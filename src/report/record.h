/* A result as a JSON object and as a CSV row: the metrics of a list, then or before them the request. */
#ifndef ORR_REPORT_RECORD_H
#define ORR_REPORT_RECORD_H

#include <jansson.h>

#include "metric/value.h"

/* The object of the contract: schema, kind, the entries at their keys, formats (NULL: none), the request. Takes the
 * last two. */
void orr_record_json(const char *kind, const struct orr_entry *entries, size_t n_entries, json_t *formats,
                     json_t *request, struct orr_text *text);
/* Put an entry at its key ("group.member", "group.0" a place in an array) of an object; 0, or -1: out of memory. */
int orr_record_put(json_t *root, const struct orr_entry *entry);

/* A header line and one row: the scalars of the request, then every entry. Takes `request`. */
void orr_record_csv(const struct orr_entry *entries, size_t n_entries, json_t *request, struct orr_text *text);
/* One of the two lines; `request` stays with the caller. */
void orr_record_csv_line(const struct orr_entry *entries, size_t n_entries, json_t *request, bool names,
                         struct orr_text *text);

/* A job as a request with every default resolved; NULL: out of memory. `every_key`: the draft model has its place even
 * where there is none. */
json_t *orr_request_json(const struct orr_job *job, bool every_key);

#endif
