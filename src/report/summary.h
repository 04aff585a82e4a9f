/* Pieces the terminal reports share: lines of the heading, shares by resource, parts with bars that sum. */
#ifndef ORR_REPORT_SUMMARY_H
#define ORR_REPORT_SUMMARY_H

#include "base/text.h"
#include "orrery.h"
#include "report/table.h"

#define ORR_SUMMARY_LABEL 10 /* column at which the lines of the heading go on */

/* Wrap the collected pieces at " · " behind a label, and empty the line for the next. */
void orr_summary_line(struct orr_text *text, const struct orr_style *style, const char *label, struct orr_text *line);
/* "llama2-7b · 6.738 B parameters · 8 × a100-80g-sxm" */
void orr_summary_model(const struct orr_job *job, int64_t params_total, int64_t params_active, struct orr_text *line);
/* " · pp 8" */
void orr_summary_degree(struct orr_text *line, const char *name, int64_t degree);
/* Shares by binding resource, largest first, from half a percent on, without `skip` (ORR_N_BOUNDS: none). */
void orr_summary_shares(const double share_frac[ORR_N_BOUNDS], enum orr_bound skip, struct orr_text *line);
/* A row of the headline: how much of the time `bound` binds, and the others behind it. */
void orr_summary_bound(struct orr_table *table, const char *name, const double share_frac[ORR_N_BOUNDS],
                       enum orr_bound bound);
/* Why it does not fit, below the headline; nothing where it does. */
void orr_summary_reason(const struct orr_style *style, const char *reason, struct orr_text *text);

/* One part of a whole. */
struct orr_slice {
    const char *name;
    double value;
};
#define ORR_MAX_SLICES 16

/* A titled table of the parts of `whole_s` with shares and bars, and their sum; what is printed adds up. */
void orr_summary_time(const struct orr_style *style, const char *title, const struct orr_slice *slices, size_t n_slices,
                      double whole_s, struct orr_text *text);

/* Memory of a GPU beside the parts that fill it. */
struct orr_room {
    double total_bytes, usable_bytes, capacity_bytes;
};
/* The table of the parts, what is left, what driver and allocator keep, and the capacity they make together. */
void orr_summary_memory(const struct orr_style *style, const struct orr_slice *slices, size_t n_slices,
                        struct orr_room room, struct orr_text *text);

/* The table of the heaviest operators, row by row: name, phase, shape, seconds, their share of `whole_s`, what
 * binds. */
#define ORR_SUMMARY_OPERATORS "flfrrl"
void orr_summary_operator(struct orr_table *table, const struct orr_op *op, const struct orr_cost *cost,
                          const char *phase, double seconds, double whole_s);

#endif
