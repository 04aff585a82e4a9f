/* This report is for people: what was asked, the answer, where time and memory go, what binds and what is heaviest. */
#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"
#include "report/answer.h"
#include "report/summary.h"
#include "report/sureness.h"
#include "report/table.h"

/* ---------------------------------------------------------------- headline: the answer */

static void headline_speed(const struct orr_answer *answer, struct orr_table *table)
{
    static const struct orr_summary_row FIRST[] = {
        {"latency", ORR_INFER_METRIC_LATENCY, "80 %%: %s … %s", ORR_INFER_METRIC_INTERVAL_LOW,
         ORR_INFER_METRIC_INTERVAL_HIGH, NULL},
        {"first token", ORR_INFER_METRIC_TTFT, "TTFT, prompt %s", ORR_INFER_METRIC_PREFILL, 0, NULL}};
    static const struct orr_summary_row NEXT[] = {
        {"next tokens", ORR_INFER_METRIC_TPOT, "TPOT, %s per user", ORR_INFER_METRIC_OUTPUT_TOKENS_PER_USER, 0, NULL},
        {"throughput", ORR_INFER_METRIC_OUTPUT_TOKENS, "%s per GPU", ORR_INFER_METRIC_OUTPUT_TOKENS_PER_GPU, 0, NULL}};
    const size_t skip = answer->infer.tpot_s > 0 ? 0 : 1; /* without a next token, its time is left out */
    orr_summary_rows(table, answer, ORR_PAINT_BOLD, FIRST, sizeof FIRST / sizeof *FIRST);
    orr_summary_rows(table, answer, ORR_PAINT_NONE, NEXT + skip, sizeof NEXT / sizeof *NEXT - skip);
    orr_summary_light(table, answer, ORR_INFER_METRIC_BOUND, "the request");
}

static void headline_memory(const struct orr_answer *answer, struct orr_table *table)
{
    static const char *const AT_MOST[] = {"this long, or this many of %s tokens",
                                          "the engine's limit; this many of %s tokens"};
    const bool fits = answer->infer.fits;
    const bool own = answer->infer.max_batch == answer->job->engine.max_requests;
    const struct orr_summary_row rows[] = {
        {"memory", ORR_INFER_METRIC_MEMORY_TOTAL, fits ? "fits: %s of %s usable" : "does not fit: %s of %s usable",
         ORR_INFER_METRIC_MEMORY_USABLE, ORR_INFER_METRIC_MEMORY_CAPACITY, NULL},
        {"at most", ORR_INFER_METRIC_MAX_BATCH, AT_MOST[own], ORR_INFER_METRIC_MAX_CONTEXT, 0, "batch %s"}};
    orr_summary_rows(table, answer, fits ? ORR_PAINT_NONE : ORR_PAINT_BAD, rows, sizeof rows / sizeof *rows);
}

static void shares_row(const char *name, const double share_frac[ORR_N_BOUNDS], struct orr_table *table)
{
    enum orr_bound most = ORR_BOUND_COMPUTE;
    for (int i = 0; i < ORR_N_BOUNDS; i++)
        if (share_frac[i] > share_frac[most]) most = (enum orr_bound)i;
    orr_summary_bound(table, name, share_frac, most);
}

static void headline_cost(const struct orr_answer *answer, struct orr_table *table)
{
    static const struct orr_summary_row POWER[] = {
        {"power", ORR_INFER_METRIC_POWER, "%s in all, %s per output token", ORR_INFER_METRIC_ENERGY,
         ORR_INFER_METRIC_ENERGY_PER_TOKEN, "%s per GPU"},
        {"cost", ORR_INFER_METRIC_COST, "in all, %s per million output tokens", ORR_INFER_METRIC_COST_PER_MILLION, 0,
         NULL}};
    const struct orr_infer_result *r = &answer->infer;
    char detail[64];
    (void)snprintf(detail, sizeof detail, "%.0f %% of prefill, %.0f %% of decode",
                   100 * r->prefill_bound_frac[r->bottleneck], 100 * r->decode_bound_frac[r->bottleneck]);
    ORR_ROW(table, ORR_PAINT_NONE, "bottleneck", orr_bound_name(r->bottleneck), detail);
    shares_row("bound, prefill", r->prefill_bound_frac, table);
    if (r->decode_s > 0) shares_row("bound, decode", r->decode_bound_frac, table);
    orr_summary_rows(table, answer, ORR_PAINT_NONE, POWER, sizeof POWER / sizeof *POWER);
}

static void add_headline(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text)
{
    struct orr_table table;
    orr_table_start(&table, "llf");
    headline_speed(answer, &table);
    headline_memory(answer, &table);
    headline_cost(answer, &table);
    orr_table_print(&table, text, style);
    orr_sureness(answer, style, text);
    orr_summary_reason(style, answer->infer.reason, text);
    orr_text_add(text, "\n");
}

void orr_infer_terminal(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text)
{
    char title[128], budget[32];
    orr_heading(answer, style, text);
    add_headline(answer, style, text);
    orr_summary_time(answer, style, "time of the request", text);
    (void)snprintf(title, sizeof title, "the engine allows the cache %s",
                   orr_print_bytes(budget, answer->infer.kv_budget_bytes));
    orr_text_wrap(text, style, "memory of a GPU at the end;", 28, title, " ");
    orr_summary_memory(answer, style, text);
    orr_summary_heaviest(answer, style, "heaviest operators of the request", text);
}
