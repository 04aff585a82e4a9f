/* The report people read: what was asked, the answer, where time and memory go, what binds and what is heaviest. */
#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"
#include "report/answer.h"
#include "report/formats.h"
#include "report/summary.h"
#include "report/table.h"
#include "spec/spec.h"

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
    orr_text_add(line, "batch %lld × %lld → %lld tokens · weights ", (long long)serving->batch,
                 (long long)serving->input_len, (long long)serving->output_len);
    orr_formats_line(job, line);
    orr_text_add(line, " · cache %s", orr_cache_name(serving->kv, serving->kv_format));
    if (serving->prefix_hit_frac > 0)
        orr_text_add(line, " · %.3g %% of the prompt cached", 100 * serving->prefix_hit_frac);
    if (serving->chunk_tokens > 0) orr_text_add(line, " · chunks of %lld tokens", (long long)serving->chunk_tokens);
    if (serving->draft_tokens > 0)
        orr_text_add(line, " · %lld drafts by %s, %.3g %% accepted", (long long)serving->draft_tokens, job->draft.id,
                     100 * serving->draft_accept_frac);
    if (serving->disaggregated) orr_text_add(line, " · prefill and decode apart");
}

void orr_infer_heading(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text)
{
    const struct orr_job *job = answer->job;
    struct orr_text line = {0};
    orr_summary_model(job, answer->infer.params_total, answer->infer.params_active, &line);
    orr_summary_line(text, style, "inference", &line);
    add_plan(&job->plan, &line);
    orr_summary_line(text, style, "plan", &line);
    add_workload(job, &line);
    orr_summary_line(text, style, "workload", &line);
    orr_text_add(&line, "%s · constants %s, %s", job->engine.id, job->calibration.id, orr_trust(job));
    orr_summary_line(text, style, "engine", &line);
    orr_text_add(text, "\n");
    free(line.data);
}

/* ---------------------------------------------------------------- headline: the answer */

static void headline_speed(const struct orr_answer *answer, struct orr_table *table)
{
    static const struct orr_summary_row FIRST[] = {
        {"latency", ORR_INFER_METRIC_LATENCY, "80 %%: %s … %s", ORR_INFER_METRIC_INTERVAL_LOW,
         ORR_INFER_METRIC_INTERVAL_HIGH},
        {"first token", ORR_INFER_METRIC_TTFT, "TTFT, prompt %s", ORR_INFER_METRIC_PREFILL, 0}};
    static const struct orr_summary_row NEXT = {"next tokens", ORR_INFER_METRIC_TPOT, "TPOT, %s per user",
                                                ORR_INFER_METRIC_OUTPUT_TOKENS_PER_USER, 0};
    static const struct orr_summary_row RATE = {"throughput", ORR_INFER_METRIC_OUTPUT_TOKENS, "%s per GPU",
                                                ORR_INFER_METRIC_OUTPUT_TOKENS_PER_GPU, 0};
    orr_summary_rows(table, answer, ORR_PAINT_BOLD, FIRST, sizeof FIRST / sizeof *FIRST);
    if (answer->infer.tpot_s > 0) orr_summary_rows(table, answer, ORR_PAINT_NONE, &NEXT, 1);
    orr_summary_rows(table, answer, ORR_PAINT_NONE, &RATE, 1);
    orr_summary_light(table, answer, ORR_INFER_METRIC_BOUND, "the request");
}

static void headline_memory(const struct orr_answer *answer, struct orr_table *table)
{
    const bool fits = answer->infer.fits;
    const struct orr_summary_row memory = {"memory", ORR_INFER_METRIC_MEMORY_TOTAL,
                                           fits ? "fits: %s of %s usable" : "does not fit: %s of %s usable",
                                           ORR_INFER_METRIC_MEMORY_USABLE, ORR_INFER_METRIC_MEMORY_CAPACITY};
    char number[ORR_VALUE_TEXT], value[ORR_VALUE_TEXT + 8], detail[ORR_VALUE_TEXT + 64];
    orr_summary_rows(table, answer, fits ? ORR_PAINT_NONE : ORR_PAINT_BAD, &memory, 1);
    (void)snprintf(value, sizeof value, "batch %s", orr_summary_number(answer, ORR_INFER_METRIC_MAX_BATCH, number));
    (void)snprintf(detail, sizeof detail, "this long, or this many of %s tokens",
                   orr_summary_number(answer, ORR_INFER_METRIC_MAX_CONTEXT, number));
    ORR_ROW(table, ORR_PAINT_NONE, "at most", value, detail);
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
    static const struct orr_summary_row COST = {"cost", ORR_INFER_METRIC_COST, "in all, %s per million output tokens",
                                                ORR_INFER_METRIC_COST_PER_MILLION, 0};
    const struct orr_infer_result *r = &answer->infer;
    char energy[ORR_VALUE_TEXT], token[ORR_VALUE_TEXT], value[ORR_VALUE_TEXT + 8], detail[3 * ORR_VALUE_TEXT];
    (void)snprintf(detail, sizeof detail, "%.0f %% of prefill, %.0f %% of decode",
                   100 * r->prefill_bound_frac[r->bottleneck], 100 * r->decode_bound_frac[r->bottleneck]);
    ORR_ROW(table, ORR_PAINT_NONE, "bottleneck", orr_bound_name(r->bottleneck), detail);
    shares_row("bound, prefill", r->prefill_bound_frac, table);
    if (r->decode_s > 0) shares_row("bound, decode", r->decode_bound_frac, table);
    (void)snprintf(value, sizeof value, "%s per GPU", orr_summary_number(answer, ORR_INFER_METRIC_POWER, energy));
    (void)snprintf(detail, sizeof detail, "%s in all, %s per output token",
                   orr_summary_number(answer, ORR_INFER_METRIC_ENERGY, energy),
                   orr_summary_number(answer, ORR_INFER_METRIC_ENERGY_PER_TOKEN, token));
    ORR_ROW(table, ORR_PAINT_NONE, "power", value, detail);
    orr_summary_rows(table, answer, ORR_PAINT_NONE, &COST, 1);
}

static void add_headline(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text)
{
    struct orr_table table;
    orr_table_start(&table, "llf");
    headline_speed(answer, &table);
    headline_memory(answer, &table);
    headline_cost(answer, &table);
    orr_table_print(&table, text, style);
    orr_summary_reason(style, answer->infer.reason, text);
    orr_text_add(text, "\n");
}

void orr_infer_terminal(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text)
{
    char title[128], budget[32];
    orr_infer_heading(answer, style, text);
    add_headline(answer, style, text);
    orr_summary_time(answer, style, "time of the request", text);
    (void)snprintf(title, sizeof title, "the engine allows the cache %s",
                   orr_print_bytes(budget, answer->infer.kv_budget_bytes));
    orr_text_wrap(text, style, "memory of a GPU at the end;", 28, title, " ");
    orr_summary_memory(answer, style, text);
    orr_summary_heaviest(answer, style, "heaviest operators of the request", text);
}
