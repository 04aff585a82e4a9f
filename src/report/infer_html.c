/* One inference request as an HTML page. */
#include "report/html_job.h"
#include "report/infer.h"
#include "metric/infer_metrics.h"
#include "report/record.h"

#include <stdlib.h>

static const enum orr_infer_metric HEADLINE[] = {
    ORR_INFER_METRIC_LATENCY,       ORR_INFER_METRIC_INTERVAL_LOW,
    ORR_INFER_METRIC_INTERVAL_HIGH, ORR_INFER_METRIC_TTFT,
    ORR_INFER_METRIC_TPOT,          ORR_INFER_METRIC_BOUND,
    ORR_INFER_METRIC_OUTPUT_TOKENS, ORR_INFER_METRIC_BOTTLENECK,
    ORR_INFER_METRIC_FITS,          ORR_INFER_METRIC_REASON,
    ORR_INFER_METRIC_MAX_BATCH,     ORR_INFER_METRIC_POWER,
    ORR_INFER_METRIC_COST,          ORR_INFER_METRIC_COST_PER_MILLION,
};
#define N_HEADLINE (sizeof HEADLINE / sizeof *HEADLINE)

static void add_headline(const struct orr_infer_view *view, struct orr_text *text)
{
    struct orr_entry entries[N_HEADLINE];
    for (size_t i = 0; i < N_HEADLINE; i++)
        entries[i] = (struct orr_entry){.info = orr_infer_metric_info(HEADLINE[i]),
                                        .value = orr_infer_metric_value(view, HEADLINE[i]),
                                        .absent = HEADLINE[i] == ORR_INFER_METRIC_REASON && view->result->fits};
    orr_html_headline(text, "inference request", view->job, entries, N_HEADLINE);
}

static void add_bars(const struct orr_infer_view *view, struct orr_text *text)
{
    const struct orr_infer_result *r = view->result;
    struct orr_html_part time[ORR_N_INFER_PARTS], memory[ORR_N_SERVE_MEMORY_PARTS];
    for (int i = 0; i < ORR_N_INFER_PARTS; i++) {
        const struct orr_metric_info *info =
            orr_infer_metric_info((enum orr_infer_metric)(ORR_INFER_METRIC_TIME_PREFILL_GEMM + i));
        time[i] = (struct orr_html_part){orr_infer_part_name((enum orr_infer_part)i), info->meaning, r->time_s[i]};
    }
    for (int i = 0; i < ORR_N_SERVE_MEMORY_PARTS; i++) {
        const struct orr_metric_info *info =
            orr_infer_metric_info((enum orr_infer_metric)(ORR_INFER_METRIC_MEMORY_WEIGHTS + i));
        memory[i] = (struct orr_html_part){orr_serve_memory_part_name((enum orr_serve_memory_part)i), info->meaning,
                                           r->memory_bytes[i]};
    }
    orr_html_bar(text, "Time of the request", ORR_METRIC_UNIT_S, time, ORR_N_INFER_PARTS, 0, "");
    orr_html_bar(text, "Memory of the fullest GPU", ORR_METRIC_UNIT_BYTES, memory, ORR_N_SERVE_MEMORY_PARTS,
                 r->memory_usable_bytes, "usable");
}

static void add_operators(const struct orr_infer_view *view, struct orr_text *text)
{
    struct orr_alike alike[ORR_HTML_OPS];
    struct orr_html_op ops[ORR_HTML_OPS];
    const size_t n = orr_infer_heaviest(view, ORR_N_INFER_PARTS, ORR_HTML_OPS, alike);
    for (size_t i = 0; i < n; i++)
        ops[i] = (struct orr_html_op){.op = &view->ops[alike[i].first],
                                      .cost = &view->costs[alike[i].first],
                                      .runs = alike[i].runs,
                                      .run_s = orr_infer_run_s(view, alike[i].first),
                                      .total_s = alike[i].step_s};
    orr_html_roofline(text, &view->job->system.chip, view->job->serving.matrix, ops, n);
    orr_html_ops(text, ops, n, view->result->latency_s);
}

void orr_infer_html(const struct orr_infer_view *view, struct orr_text *text)
{
    const struct orr_style style = {.width = 110};
    struct orr_text explanation = {0}, result = {0};
    add_headline(view, text);
    add_bars(view, text);
    add_operators(view, text);
    orr_infer_explain(view, &style, &explanation);
    orr_infer_json(view, &result);
    orr_html_foot(text, &explanation, orr_infer_request_json(view->job, false), &result);
    free(explanation.data);
    free(result.data);
}
