/* Pieces the terminal reports share: lines of the heading, shares by resource, parts with bars that sum. */
#ifndef ORR_REPORT_SUMMARY_H
#define ORR_REPORT_SUMMARY_H

#include "base/text.h"
#include "metric/metric.h"
#include "report/table.h"

#define ORR_SUMMARY_LABEL 10 /* column at which the lines of the heading go on */

/* Wrap the collected pieces at " · " behind a label, and empty the line for the next. */
void orr_summary_line(struct orr_text *text, const struct orr_style *style, const char *label, struct orr_text *line);
/* "llama2-7b · 6.738 B parameters · 8 × a100-80g-sxm" */
void orr_summary_model(const struct orr_job *job, int64_t params_total, int64_t params_active, struct orr_text *line);
/* "tp 8 · pp 8 · dp 1": those above 1, and these three always. */
void orr_summary_degrees(const struct orr_plan *plan, struct orr_text *line);
/* Shares by binding resource, largest first, from half a percent on, without `skip` (ORR_N_BOUNDS: none). */
void orr_summary_shares(const double share_frac[ORR_N_BOUNDS], enum orr_bound skip, struct orr_text *line);
/* A row of the headline: how much of the time `bound` binds, and the others behind it. */
void orr_summary_bound(struct orr_table *table, const char *name, const double share_frac[ORR_N_BOUNDS],
                       enum orr_bound bound);
/* Why it does not fit, below the headline; nothing where it does. */
void orr_summary_reason(const struct orr_style *style, const char *reason, struct orr_text *text);

/* A metric as people read it; returns buffer. */
char *orr_summary_number(const struct orr_answer *answer, int metric, char buffer[ORR_VALUE_TEXT]);
/* A row of the headline: a metric, and a text with the values of up to two others in place of its %s. */
struct orr_summary_row {
    const char *name;
    int metric;
    const char *detail;
    int first, second;
    const char *value; /* what is around the metric, "%s per GPU"; NULL: nothing */
};
void orr_summary_rows(struct orr_table *table, const struct orr_answer *answer, enum orr_paint paint,
                      const struct orr_summary_row *rows, size_t n_rows);
/* A row with the speed of light: "the step takes 1.75 times that". */
void orr_summary_light(struct orr_table *table, const struct orr_answer *answer, int metric, const char *what);

/* A titled table of the parts of the time with shares and bars, and their sum; what is printed adds up. */
void orr_summary_time(const struct orr_answer *answer, const struct orr_style *style, const char *title,
                      struct orr_text *text);
/* The table of the memory of a GPU: its parts, what is left, what driver and allocator keep, and the capacity they make
 * together. */
void orr_summary_memory(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text);
/* The heaviest operators below a title: name, phase, shape, seconds, their share of the whole, what binds. */
void orr_summary_heaviest(const struct orr_answer *answer, const struct orr_style *style, const char *title,
                          struct orr_text *text);

#endif
