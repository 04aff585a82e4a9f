/* A result as a JSON object and as a CSV row: the metrics of a list, then or before them the request. */
#ifndef ORR_REPORT_RECORD_H
#define ORR_REPORT_RECORD_H

#include <jansson.h>

#include "report/value.h"

/* The object of the contract: schema, kind, the entries at their keys, the request. Takes `request`. */
void orr_record_json(const char *kind, const struct orr_entry *entries, size_t n_entries, json_t *request,
                     struct orr_text *text);
/* A header line and one row: the scalars of the request, then every entry. Takes `request`. */
void orr_record_csv(const struct orr_entry *entries, size_t n_entries, json_t *request, struct orr_text *text);

#endif
