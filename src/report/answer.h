/* These functions render one answer; render.c chooses among them. Each reads the answer's result, facts, operators and
 * ledger of time, and adds to `text`. */
#ifndef ORR_REPORT_ANSWER_H
#define ORR_REPORT_ANSWER_H

#include "base/text.h"
#include "metric/metric.h"
#include "metric/rows.h"
#include "report/op_text.h"
#include "schedule/schedule.h"

/* Adds what a job of speculative decoding drafts to a line; nothing for other jobs. */
void orr_draft_text(const struct orr_job *job, struct orr_text *line);
/* Add what the run switched on or off. */
void orr_options_text(const struct orr_job *job, struct orr_text *line);
/* Adds what was asked in four lines. The terminal report, the operator table and --explain begin with them. */
void orr_heading(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text);

void orr_train_terminal(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text);
void orr_infer_terminal(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text);
void orr_train_explain(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text);
void orr_infer_explain(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text);
/* Lists the operators of both phases of a request with their place on the roofline. */
void orr_infer_ops(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text);

void orr_answer_json(const struct orr_answer *answer, struct orr_text *text);
/* Adds the JSON answer with one more key, "explain": the text of --explain. */
void orr_answer_explained(const struct orr_answer *answer, struct orr_text *text);
void orr_answer_csv(const struct orr_answer *answer, struct orr_text *text);
void orr_answer_html(const struct orr_answer *answer, struct orr_text *text);

/* ---- pieces of --explain (explain.c) */

void orr_explain(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text);
/* Explains the metrics from `first` to `last`, without the reason where the job fits and without hidden communication
 * where there is none. */
void orr_explain_rate(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text);
void orr_explain_metrics(const struct orr_answer *answer, const struct orr_style *style, int first, int last,
                         struct orr_text *text);
/* Lists the heaviest operators and waits of a part of the time. */
void orr_explain_rows(const struct orr_answer *answer, const struct orr_style *style, int part, struct orr_text *text);
/* Lists the constants behind the answer (constants.c). */
void orr_explain_constants(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text);

/* Adds a stage of the flow, ORR_FORMAT_DUMP_..., as a JSON array with one object per line (dump.c). */
void orr_dump(const struct orr_answer *answer, enum orr_format stage, struct orr_text *text);

/* Returns the malloc'd spans of the pipeline of a training step; NULL where memory runs out. */
struct orr_span *orr_answer_spans(const struct orr_answer *answer, size_t *n);

#endif
