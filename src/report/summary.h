/* The terminal reports share these pieces: lines of the heading, shares by resource, parts with bars that sum. */
#ifndef ORR_REPORT_SUMMARY_H
#define ORR_REPORT_SUMMARY_H

#include "base/text.h"
#include "metric/metric.h"
#include "report/table.h"

#define ORR_SUMMARY_LABEL 10 /* column at which the lines of the heading go on */

/* Wraps the collected pieces at " · " behind a label, and empties the line for the next. */
void orr_summary_line(struct orr_text *text, const struct orr_style *style, const char *label, struct orr_text *line);
/* Adds "llama2-7b · 6.738 B parameters · 8 × a100-80g-sxm". */
void orr_summary_model(const struct orr_job *job, int64_t params_total, int64_t params_active, struct orr_text *line);
/* Adds "tp 8 · pp 8 · dp 1": always these three, and the others where they are above 1. */
void orr_summary_degrees(const struct orr_plan *plan, struct orr_text *line);
/* Adds what the tower of the model reads for a sequence, and what the images are in tokens. */
void orr_summary_media(const struct orr_media *media, struct orr_text *line);
/* Adds " · asked for as Qwen/Qwen3-32B" where the model was named by something other than its id. */
void orr_summary_asked(const struct orr_model *model, struct orr_text *line);
/* Adds shares by binding resource from half a percent on, largest first, without `skip` (ORR_N_BOUNDS skips none). */
void orr_summary_shares(const double share_frac[ORR_N_BOUNDS], enum orr_bound skip, struct orr_text *line);
/* Adds a row of the headline: how much of the time `bound` binds, and the other resources behind it. */
void orr_summary_bound(struct orr_table *table, const char *name, const double share_frac[ORR_N_BOUNDS],
                       enum orr_bound bound);
/* Says below the headline why the job does not fit; it adds nothing where the job fits. */
void orr_summary_reason(const struct orr_style *style, const char *reason, struct orr_text *text);

/* Prints a metric as people read it; returns buffer. */
char *orr_summary_number(const struct orr_answer *answer, int metric, char buffer[ORR_VALUE_TEXT]);
/* A row of the headline is a metric, and a text with the values of up to two others in place of its %s. */
struct orr_summary_row {
    const char *name;
    int metric;
    const char *detail;
    int first, second;
    const char *value; /* text around the metric, such as "%s per GPU"; NULL adds none */
};
void orr_summary_rows(struct orr_table *table, const struct orr_answer *answer, enum orr_paint paint,
                      const struct orr_summary_row *rows, size_t n_rows);
/* Adds a row with the speed of light: "the step takes 1.75 times that". */
void orr_summary_light(struct orr_table *table, const struct orr_answer *answer, int metric, const char *what);

/* Adds a titled table of the parts of the time with shares and bars, and their sum; the printed parts add up. */
void orr_summary_time(const struct orr_answer *answer, const struct orr_style *style, const char *title,
                      struct orr_text *text);
/* Adds the table of the memory of a GPU: its parts, what is left, what driver and allocator keep, and the capacity they
 * make together. */
void orr_summary_memory(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text);
/* Lists the heaviest operators below a title: name, phase, shape, seconds, their share of the whole, what binds. */
void orr_summary_heaviest(const struct orr_answer *answer, const struct orr_style *style, const char *title,
                          struct orr_text *text);

#endif
