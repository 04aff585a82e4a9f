/* These are the pictures of an HTML report as inline SVG: stacked bars, a roofline, a pipeline. */
#ifndef ORR_REPORT_HTML_CHART_H
#define ORR_REPORT_HTML_CHART_H

#include "report/html.h"
#include "metric/value.h"
#include "schedule/schedule.h"

/* Draws one bar of parts above a table of them. `limit` is a named line, e.g. the memory of the GPU; 0 draws none. */
struct orr_html_part {
    const char *name, *meaning;
    double value;
};
void orr_html_bar(struct orr_text *text, const char *title, enum orr_metric_unit unit,
                  const struct orr_html_part *parts, size_t n_parts, double limit, const char *limit_name);

/* This is an operator as a report lists and draws it. */
struct orr_html_op {
    const struct orr_op *op;
    const struct orr_cost *cost;
    double runs, run_s, total_s, share_frac; /* totals of the step or request */
};
/* Draws FLOP/s over FLOP per byte of DRAM traffic, on logarithmic axes, with the chip's roof for the matrix format. */
void orr_html_roofline(struct orr_text *text, const struct orr_chip *chip, enum orr_dtype dtype,
                       const struct orr_html_op *ops, size_t n_ops);
void orr_html_ops(struct orr_text *text, const struct orr_html_op *ops, size_t n_ops);

/* Draws a lane per pipeline rank with its tasks, up to the number that a page can hold. */
void orr_html_pipeline(struct orr_text *text, const struct orr_span *spans, size_t n_spans, int64_t n_ranks);

#endif
