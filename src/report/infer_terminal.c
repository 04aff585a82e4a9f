/* The report people read: what was asked, the answer, where time and memory go, what binds and what is heaviest. */
#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"
#include "report/infer.h"
#include "metric/infer_metrics.h"
#include "report/summary.h"
#include "report/table.h"

#define N_HEAVIEST 5

/* ---------------------------------------------------------------- heading: what was asked */

static void add_plan(const struct orr_plan *plan, struct orr_text *line)
{
    orr_text_add(line, "tp %lld", (long long)plan->tp);
    orr_summary_degree(line, "pp", plan->pp);
    orr_summary_degree(line, "dp", plan->dp);
    if (plan->cp > 1) orr_summary_degree(line, "cp", plan->cp);
    if (plan->ep > 1) orr_summary_degree(line, "ep", plan->ep);
    if (plan->etp > 1) orr_summary_degree(line, "etp", plan->etp);
}

static void add_workload(const struct orr_job *job, struct orr_text *line)
{
    const struct orr_serving *serving = &job->serving;
    orr_text_add(line, "batch %lld × %lld → %lld tokens · weights %s", (long long)serving->batch,
                 (long long)serving->input_len, (long long)serving->output_len, orr_dtype_name(serving->weights));
    if (serving->matrix != serving->weights) orr_text_add(line, ", multiplied in %s", orr_dtype_name(serving->matrix));
    orr_text_add(line, " · cache %s", orr_dtype_name(serving->kv));
    if (serving->prefix_hit_frac > 0)
        orr_text_add(line, " · %.3g %% of the prompt cached", 100 * serving->prefix_hit_frac);
    if (serving->chunk_tokens > 0) orr_text_add(line, " · chunks of %lld tokens", (long long)serving->chunk_tokens);
    if (serving->draft_tokens > 0)
        orr_text_add(line, " · %lld drafts by %s, %.3g %% accepted", (long long)serving->draft_tokens, job->draft.id,
                     100 * serving->draft_accept_frac);
    if (serving->disaggregated) orr_text_add(line, " · prefill and decode apart");
}

void orr_infer_heading(const struct orr_infer_view *view, const struct orr_style *style, struct orr_text *text)
{
    const struct orr_job *job = view->job;
    struct orr_text line = {0};
    orr_summary_model(job, view->result->params_total, view->result->params_active, &line);
    orr_summary_line(text, style, "inference", &line);
    add_plan(&job->plan, &line);
    orr_summary_line(text, style, "plan", &line);
    add_workload(job, &line);
    orr_summary_line(text, style, "workload", &line);
    orr_text_add(&line, "%s · constants %s, %s", job->engine.id, job->calibration.id,
                 orr_infer_metric_value(view, ORR_INFER_METRIC_TRUST).word);
    orr_summary_line(text, style, "engine", &line);
    orr_text_add(text, "\n");
    free(line.data);
}

/* ---------------------------------------------------------------- headline: the answer */

static char *number(const struct orr_infer_view *view, enum orr_infer_metric metric, char buffer[ORR_VALUE_TEXT])
{
    return orr_value_print(buffer, orr_infer_metric_value(view, metric));
}

#define DETAIL_TEXT (3 * ORR_VALUE_TEXT)

static void headline_speed(const struct orr_infer_view *view, struct orr_table *table)
{
    const struct orr_infer_result *r = view->result;
    char a[ORR_VALUE_TEXT], b[ORR_VALUE_TEXT], value[2 * ORR_VALUE_TEXT], detail[DETAIL_TEXT];
    (void)snprintf(detail, sizeof detail, "80 %%: %s … %s", number(view, ORR_INFER_METRIC_INTERVAL_LOW, a),
                   number(view, ORR_INFER_METRIC_INTERVAL_HIGH, b));
    ORR_ROW(table, ORR_PAINT_BOLD, "latency", number(view, ORR_INFER_METRIC_LATENCY, value), detail);
    (void)snprintf(detail, sizeof detail, "TTFT, prompt %s", number(view, ORR_INFER_METRIC_PREFILL, a));
    ORR_ROW(table, ORR_PAINT_NONE, "first token", number(view, ORR_INFER_METRIC_TTFT, value), detail);
    if (r->tpot_s > 0) {
        (void)snprintf(detail, sizeof detail, "TPOT, %s per user",
                       number(view, ORR_INFER_METRIC_OUTPUT_TOKENS_PER_USER, a));
        ORR_ROW(table, ORR_PAINT_NONE, "next tokens", number(view, ORR_INFER_METRIC_TPOT, value), detail);
    }
    (void)snprintf(detail, sizeof detail, "%s per GPU", number(view, ORR_INFER_METRIC_OUTPUT_TOKENS_PER_GPU, a));
    ORR_ROW(table, ORR_PAINT_NONE, "throughput", number(view, ORR_INFER_METRIC_OUTPUT_TOKENS, value), detail);
    (void)snprintf(detail, sizeof detail, "the request takes %.2f times that",
                   r->bound_s > 0 ? r->latency_s / r->bound_s : 0);
    ORR_ROW(table, ORR_PAINT_NONE, "speed of light", number(view, ORR_INFER_METRIC_BOUND, value), detail);
}

static void headline_memory(const struct orr_infer_view *view, struct orr_table *table)
{
    const struct orr_infer_result *r = view->result;
    char a[ORR_VALUE_TEXT], b[ORR_VALUE_TEXT], value[2 * ORR_VALUE_TEXT], detail[DETAIL_TEXT];
    (void)snprintf(detail, sizeof detail, "%s: %s of %s usable", r->fits ? "fits" : "does not fit",
                   number(view, ORR_INFER_METRIC_MEMORY_USABLE, a), number(view, ORR_INFER_METRIC_MEMORY_CAPACITY, b));
    ORR_ROW(table, r->fits ? ORR_PAINT_NONE : ORR_PAINT_BAD, "memory",
            number(view, ORR_INFER_METRIC_MEMORY_TOTAL, value), detail);
    (void)snprintf(value, sizeof value, "batch %s", number(view, ORR_INFER_METRIC_MAX_BATCH, a));
    (void)snprintf(detail, sizeof detail, "this long, or this many of %s tokens",
                   number(view, ORR_INFER_METRIC_MAX_CONTEXT, a));
    ORR_ROW(table, ORR_PAINT_NONE, "at most", value, detail);
}

static void shares_row(const char *name, const double share_frac[ORR_N_BOUNDS], struct orr_table *table)
{
    enum orr_bound most = ORR_BOUND_COMPUTE;
    for (int i = 0; i < ORR_N_BOUNDS; i++)
        if (share_frac[i] > share_frac[most]) most = (enum orr_bound)i;
    orr_summary_bound(table, name, share_frac, most);
}

static void headline_cost(const struct orr_infer_view *view, struct orr_table *table)
{
    char a[ORR_VALUE_TEXT], b[ORR_VALUE_TEXT], value[2 * ORR_VALUE_TEXT], detail[DETAIL_TEXT];
    const struct orr_infer_result *r = view->result;
    (void)snprintf(detail, sizeof detail, "%.0f %% of prefill, %.0f %% of decode",
                   100 * r->prefill_bound_frac[r->bottleneck], 100 * r->decode_bound_frac[r->bottleneck]);
    ORR_ROW(table, ORR_PAINT_NONE, "bottleneck", orr_bound_name(r->bottleneck), detail);
    shares_row("bound, prefill", r->prefill_bound_frac, table);
    if (r->decode_s > 0) shares_row("bound, decode", r->decode_bound_frac, table);
    (void)snprintf(value, sizeof value, "%s per GPU", number(view, ORR_INFER_METRIC_POWER, a));
    (void)snprintf(detail, sizeof detail, "%s in all, %s per output token", number(view, ORR_INFER_METRIC_ENERGY, a),
                   number(view, ORR_INFER_METRIC_ENERGY_PER_TOKEN, b));
    ORR_ROW(table, ORR_PAINT_NONE, "power", value, detail);
    (void)snprintf(detail, sizeof detail, "in all, %s per million output tokens",
                   number(view, ORR_INFER_METRIC_COST_PER_MILLION, a));
    ORR_ROW(table, ORR_PAINT_NONE, "cost", number(view, ORR_INFER_METRIC_COST, value), detail);
}

static void add_headline(const struct orr_infer_view *view, const struct orr_style *style, struct orr_text *text)
{
    struct orr_table table;
    orr_table_start(&table, "llf");
    headline_speed(view, &table);
    headline_memory(view, &table);
    headline_cost(view, &table);
    orr_table_print(&table, text, style);
    orr_summary_reason(style, view->result->reason, text);
    orr_text_add(text, "\n");
}

/* ---------------------------------------------------------------- where time and memory go */

static void add_time(const struct orr_infer_view *view, const struct orr_style *style, struct orr_text *text)
{
    struct orr_slice slices[ORR_N_INFER_PARTS];
    for (int i = 0; i < ORR_N_INFER_PARTS; i++)
        slices[i] = (struct orr_slice){orr_infer_part_name((enum orr_infer_part)i), view->result->time_s[i]};
    orr_summary_time(style, "time of the request", slices, ORR_N_INFER_PARTS, view->result->latency_s, text);
}

static void add_memory(const struct orr_infer_view *view, const struct orr_style *style, struct orr_text *text)
{
    const struct orr_infer_result *r = view->result;
    struct orr_slice slices[ORR_N_SERVE_MEMORY_PARTS];
    char title[128], budget[32];
    for (int i = 0; i < ORR_N_SERVE_MEMORY_PARTS; i++)
        slices[i] = (struct orr_slice){orr_serve_memory_part_name((enum orr_serve_memory_part)i), r->memory_bytes[i]};
    (void)snprintf(title, sizeof title, "the engine allows the cache %s", orr_print_bytes(budget, r->kv_budget_bytes));
    orr_text_wrap(text, style, "memory of a GPU at the end;", 28, title, " ");
    orr_summary_memory(style, slices, ORR_N_SERVE_MEMORY_PARTS,
                       (struct orr_room){.total_bytes = r->memory_total_bytes,
                                         .usable_bytes = r->memory_usable_bytes,
                                         .capacity_bytes = r->memory_capacity_bytes},
                       text);
}

/* ---------------------------------------------------------------- operators */

static void add_heaviest(const struct orr_infer_view *view, const struct orr_style *style, struct orr_text *text)
{
    struct orr_alike heaviest[N_HEAVIEST];
    const size_t n = orr_infer_heaviest(view, ORR_N_INFER_PARTS, N_HEAVIEST, heaviest);
    if (n == 0) return;
    struct orr_table table;
    orr_paint(text, style, ORR_PAINT_BOLD, "heaviest operators of the request");
    orr_text_add(text, "\n");
    orr_table_start(&table, ORR_SUMMARY_OPERATORS);
    for (size_t i = 0; i < n; i++) {
        const struct orr_op *op = &view->ops[heaviest[i].first];
        orr_summary_operator(&table, op, &view->costs[heaviest[i].first], orr_phase_name(op->phase), heaviest[i].step_s,
                             view->result->latency_s);
    }
    orr_table_print(&table, text, style);
}

void orr_infer_terminal(const struct orr_infer_view *view, const struct orr_style *style, struct orr_text *text)
{
    orr_infer_heading(view, style, text);
    add_headline(view, style, text);
    add_time(view, style, text);
    add_memory(view, style, text);
    add_heaviest(view, style, text);
}
