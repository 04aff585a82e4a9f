/* The renderings of one inference prediction; infer.c chooses. Each adds to `text`. */
#ifndef ORR_REPORT_INFER_H
#define ORR_REPORT_INFER_H

#include "base/text.h"
#include "metric/infer_view.h"
#include "report/op_text.h"

/* What was asked, in four lines; the terminal report, the operator table and --explain begin with it. */
void orr_infer_heading(const struct orr_infer_view *view, const struct orr_style *style, struct orr_text *text);
void orr_infer_terminal(const struct orr_infer_view *view, const struct orr_style *style, struct orr_text *text);
/* The operators of both phases with their place on the roofline. */
void orr_infer_ops(const struct orr_infer_view *view, const struct orr_style *style, struct orr_text *text);
void orr_infer_explain(const struct orr_infer_view *view, const struct orr_style *style, struct orr_text *text);
void orr_infer_explain_constants(const struct orr_infer_view *view, const struct orr_style *style,
                                 struct orr_text *text);
void orr_infer_json(const struct orr_infer_view *view, struct orr_text *text);
void orr_infer_csv(const struct orr_infer_view *view, struct orr_text *text);
void orr_infer_html(const struct orr_infer_view *view, struct orr_text *text);

/* JSON arrays, one object per line. */
void orr_infer_dump_ops(const struct orr_infer_view *view, struct orr_text *text);
void orr_infer_dump_costs(const struct orr_infer_view *view, struct orr_text *text);
void orr_infer_dump_timeline(const struct orr_infer_view *view, struct orr_text *text);
void orr_infer_dump_memory(const struct orr_infer_view *view, struct orr_text *text);

/* Any of them by format. */
void orr_infer_render(const struct orr_infer_view *view, enum orr_format format, const struct orr_style *style,
                      struct orr_text *text);

#endif
