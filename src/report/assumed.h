/* What an answer took for granted, and what to beware of. */
#ifndef ORR_REPORT_ASSUMED_H
#define ORR_REPORT_ASSUMED_H

#include "report/table.h"
#include "spec/json.h"

/* The array "assumed" of a result: {"key", "value", "why"} for every value that the request does not state. `keys` are
 * the bits of spec/assume.h to list. NULL when out of memory. */
json_t *orr_assumed_json(const struct orr_job *job, uint64_t keys, const struct orr_spread *spread);
/* Of the keys that a search request leaves out, those that the search does not choose. */
uint64_t orr_unsearched_keys(const struct orr_job *job);
/* Why more FLOP/s or bytes/s can make this job slower, by at most a few per cent. */
const char *orr_faster_is_slower(const struct orr_job *job);
/* The array "warnings" of a result: sentences. */
json_t *orr_warnings_json(const struct orr_job *job);
/* A warning takes less than so many bytes. */
#define ORR_WARNING 320
/* Says what to make of a utilisation above one; false if there is none. */
bool orr_warn_utilisation(const struct orr_answer *answer, char why[ORR_WARNING]);
/* The lines "assumed" and "warning" of a heading; nothing if there is nothing to say. */
void orr_assumed_lines(const struct orr_job *job, uint64_t keys, const struct orr_spread *spread,
                       const struct orr_style *style, struct orr_text *text);

#endif
