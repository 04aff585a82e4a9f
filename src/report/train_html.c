/* One training step as an HTML page. */
#include "report/html_job.h"
#include "metric/metrics.h"
#include "report/record.h"
#include "report/train.h"

#include <stdlib.h>

static const enum orr_metric HEADLINE[] = {
    ORR_METRIC_STEP_TIME,     ORR_METRIC_INTERVAL_LOW,
    ORR_METRIC_INTERVAL_HIGH, ORR_METRIC_BOUND,
    ORR_METRIC_TOKENS,        ORR_METRIC_MFU,
    ORR_METRIC_HFU,           ORR_METRIC_BOTTLENECK,
    ORR_METRIC_FITS,          ORR_METRIC_REASON,
    ORR_METRIC_POWER,         ORR_METRIC_ENERGY,
    ORR_METRIC_COST,          ORR_METRIC_COST_PER_BILLION,
};
#define N_HEADLINE (sizeof HEADLINE / sizeof *HEADLINE)

static void add_headline(const struct orr_view *view, struct orr_text *text)
{
    struct orr_entry entries[N_HEADLINE];
    for (size_t i = 0; i < N_HEADLINE; i++)
        entries[i] = (struct orr_entry){.info = orr_metric_info(HEADLINE[i]),
                                        .value = orr_metric_value(view, HEADLINE[i]),
                                        .absent = HEADLINE[i] == ORR_METRIC_REASON && view->result->fits};
    orr_html_headline(text, "training step", view->job, entries, N_HEADLINE);
}

static void add_bars(const struct orr_view *view, struct orr_text *text)
{
    const struct orr_result *r = view->result;
    struct orr_html_part time[ORR_N_TIME_PARTS], memory[ORR_N_MEMORY_PARTS];
    for (int i = 0; i < ORR_N_TIME_PARTS; i++) {
        const struct orr_metric_info *info = orr_metric_info((enum orr_metric)(ORR_METRIC_TIME_FORWARD + i));
        time[i] = (struct orr_html_part){orr_time_part_name((enum orr_time_part)i), info->meaning, r->time_s[i]};
    }
    for (int i = 0; i < ORR_N_MEMORY_PARTS; i++) {
        const struct orr_metric_info *info = orr_metric_info((enum orr_metric)(ORR_METRIC_MEMORY_WEIGHTS + i));
        memory[i] = (struct orr_html_part){orr_memory_part_name((enum orr_memory_part)i), info->meaning,
                                           r->memory.part_bytes[i]};
    }
    orr_html_bar(text, "Time of a step", ORR_METRIC_UNIT_S, time, ORR_N_TIME_PARTS, 0, "");
    orr_html_bar(text, "Memory of the fullest GPU", ORR_METRIC_UNIT_BYTES, memory, ORR_N_MEMORY_PARTS,
                 r->memory.usable_bytes, "usable");
}

static void add_operators(const struct orr_view *view, struct orr_text *text)
{
    struct orr_alike alike[ORR_HTML_OPS];
    struct orr_html_op ops[ORR_HTML_OPS];
    const size_t n = orr_view_heaviest(view, ORR_N_TIME_PARTS, ORR_HTML_OPS, alike);
    for (size_t i = 0; i < n; i++)
        ops[i] = (struct orr_html_op){.op = &view->scratch->ops.items[alike[i].first],
                                      .cost = &view->scratch->costs[alike[i].first],
                                      .runs = alike[i].runs,
                                      .run_s = orr_view_run_s(view, alike[i].first),
                                      .total_s = alike[i].step_s};
    orr_html_roofline(text, &view->job->system.chip, view->job->workload.precision, ops, n);
    orr_html_pipeline(text, view->spans, view->n_spans, view->job->plan.pp);
    orr_html_ops(text, ops, n, view->result->step_time_s);
}

void orr_train_html(const struct orr_view *view, struct orr_text *text)
{
    const struct orr_style style = {.width = 110};
    struct orr_text explanation = {0}, result = {0};
    add_headline(view, text);
    add_bars(view, text);
    add_operators(view, text);
    orr_train_explain(view, &style, &explanation);
    orr_train_json(view, &result);
    orr_html_foot(text, &explanation, orr_train_request_json(view->job), &result);
    free(explanation.data);
    free(result.data);
}
