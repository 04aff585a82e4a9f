/* The renderings of one training prediction; train.c chooses. Each adds to `text`. */
#ifndef ORR_REPORT_TRAIN_H
#define ORR_REPORT_TRAIN_H

#include "base/text.h"
#include "report/op_text.h"
#include "metric/view.h"

/* What was asked, in four lines; the terminal report and --explain begin with it. */
void orr_train_heading(const struct orr_view *view, const struct orr_style *style, struct orr_text *text);
void orr_train_terminal(const struct orr_view *view, const struct orr_style *style, struct orr_text *text);
void orr_train_explain(const struct orr_view *view, const struct orr_style *style, struct orr_text *text);
void orr_train_json(const struct orr_view *view, struct orr_text *text);
void orr_train_csv(const struct orr_view *view, struct orr_text *text);
void orr_train_html(const struct orr_view *view, struct orr_text *text);

/* --explain in parts (explain_parts.c): operators of a part of the step, ledger and instants, constants. */
void orr_explain_operators(const struct orr_view *view, const struct orr_style *style, enum orr_time_part part,
                           struct orr_text *text);
void orr_explain_ledger(const struct orr_view *view, const struct orr_style *style, struct orr_text *text);
void orr_explain_constants(const struct orr_view *view, const struct orr_style *style, struct orr_text *text);

/* JSON arrays, one object per line. */
void orr_dump_ops(const struct orr_view *view, struct orr_text *text);
void orr_dump_costs(const struct orr_view *view, struct orr_text *text);
void orr_dump_timeline(const struct orr_view *view, struct orr_text *text);
void orr_dump_memory(const struct orr_view *view, struct orr_text *text);

/* Any of them by format. */
void orr_train_render(const struct orr_view *view, enum orr_format format, const struct orr_style *style,
                      struct orr_text *text);

#endif
