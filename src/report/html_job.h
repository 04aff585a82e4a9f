/* What the page of a training step and of an inference request have in common. */
#ifndef ORR_REPORT_HTML_JOB_H
#define ORR_REPORT_HTML_JOB_H

#include <jansson.h>

#include "report/html_chart.h"

#define ORR_HTML_OPS 64

/* Title and the headline: name, value and meaning of each entry. */
void orr_html_headline(struct orr_text *text, const char *kind, const struct orr_job *job,
                       const struct orr_entry *entries, size_t n_entries);
/* The rest: the explanation, the request and the result as JSON, folded; ends the page. Takes `request`;
 * `explanation` and `result` may be failed texts. */
void orr_html_foot(struct orr_text *text, const struct orr_text *explanation, json_t *request,
                   const struct orr_text *result);

#endif
