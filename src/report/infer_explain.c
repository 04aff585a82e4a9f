/* --explain of an inference job: every line of the report as formula = values put in = result [source], the operators
 * behind the parts of the latency, cache and budget, constants. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"
#include "ops/serve.h"
#include "report/formula.h"
#include "report/infer.h"
#include "metric/infer_metrics.h"
#include "report/table.h"

#define N_OPERATORS 8

static void add_metric(const struct orr_infer_view *view, const struct orr_style *style, enum orr_infer_metric metric,
                       struct orr_text *text)
{
    const struct orr_names names = {.view = view, .find = orr_infer_symbol_find};
    orr_add_metric(&names, style, orr_infer_metric_info(metric), orr_infer_metric_value(view, metric), text);
}

static void add_metrics(const struct orr_infer_view *view, const struct orr_style *style, enum orr_infer_metric first,
                        enum orr_infer_metric last, struct orr_text *text)
{
    for (int i = (int)first; i <= (int)last; i++)
        if (i != ORR_INFER_METRIC_REASON || !view->result->fits)
            add_metric(view, style, (enum orr_infer_metric)i, text);
}

/* A metric whose general formula has cases: the case of this job instead. */
static void add_case(const struct orr_infer_view *view, const struct orr_style *style, enum orr_infer_metric metric,
                     const char *formula, struct orr_text *text)
{
    const struct orr_metric_info *info = orr_infer_metric_info(metric);
    const struct orr_names names = {.view = view, .find = orr_infer_symbol_find};
    orr_add_formula(&names, style, info->key, formula, orr_infer_metric_value(view, metric), info->source, text);
}

/* ---------------------------------------------------------------- parts of the latency */

static void add_operator(const struct orr_infer_view *view, const struct orr_style *style,
                         const struct orr_alike *alike, struct orr_text *text)
{
    const struct orr_op *op = &view->ops[alike->first];
    const struct orr_cost *cost = &view->costs[alike->first];
    const double clock_frac = op->phase == ORR_PHASE_PREFILL ? view->prefill.clock_frac : view->decode.clock_frac;
    struct orr_text head = {0};
    char one[32], all[32], runs[32];
    orr_text_add(&head, "%s: %s × %s = %s, %s bound", op->name, orr_print_times(runs, alike->runs),
                 orr_print_s(one, orr_infer_run_s(view, alike->first)), orr_print_s(all, alike->step_s),
                 orr_bound_name(cost->bound));
    orr_op_explain(style, head.data ? head.data : "", op, cost, clock_frac, text);
    text->failed |= head.failed;
    free(head.data);
}

static void add_operators(const struct orr_infer_view *view, const struct orr_style *style, enum orr_infer_part part,
                          struct orr_text *text)
{
    struct orr_alike heaviest[N_OPERATORS];
    const size_t n = orr_infer_heaviest(view, part, N_OPERATORS, heaviest);
    double sum_s = 0, listed_s = 0;
    for (size_t i = 0; i < view->n_ops; i++) sum_s += orr_infer_part_s(view, i, part);
    for (size_t i = 0; i < n; i++) {
        listed_s += heaviest[i].step_s;
        add_operator(view, style, &heaviest[i], text);
    }
    char buffer[32];
    if (n == N_OPERATORS) orr_text_add(text, "    others: %s\n", orr_print_s(buffer, fmax(0, sum_s - listed_s)));
    if (n > 1) orr_text_add(text, "    sum of the operators: %s\n", orr_print_s(buffer, sum_s));
}

/* The hand-over is only there when prefill and decode are apart. */
static void add_part(const struct orr_infer_view *view, const struct orr_style *style, enum orr_infer_part part,
                     struct orr_text *text)
{
    const enum orr_infer_metric metric = (enum orr_infer_metric)(ORR_INFER_METRIC_TIME_PREFILL_GEMM + (int)part);
    if (part == ORR_INFER_KV_TRANSFER && !view->job->serving.disaggregated)
        add_case(view, style, metric, "prefill and decode share their GPUs", text);
    else if (part == ORR_INFER_DRAFT && view->job->serving.draft_tokens == 0)
        add_case(view, style, metric, "no draft model", text);
    else if (part == ORR_INFER_PIPELINE && view->job->plan.pp == 1)
        add_case(view, style, metric, "no other stage", text);
    else add_metric(view, style, metric, text);
    add_operators(view, style, part, text);
}

static void add_parts(const struct orr_infer_view *view, const struct orr_style *style, struct orr_text *text)
{
    orr_add_title(style, "parts of the latency, with their operators", text);
    for (int part = 0; part < ORR_N_INFER_PARTS; part++) add_part(view, style, (enum orr_infer_part)part, text);
    _Static_assert(ORR_INFER_METRIC_TIME_OVERHEAD - ORR_INFER_METRIC_TIME_PREFILL_GEMM + 1 == ORR_N_INFER_PARTS,
                   "one metric per part");
}

/* ---------------------------------------------------------------- cache */

/* Eq. 90 of one layer kind: what a token leaves in the cache of all its layers. */
static void add_kind(const struct orr_infer_view *view, const struct orr_style *style, int64_t k, struct orr_text *text)
{
    const struct orr_model *model = &view->job->model;
    const struct orr_layer_kind *kind = &model->kinds[k];
    const double element_bytes = orr_dtype_bytes(view->job->serving.kv);
    int64_t layers = 0;
    for (int64_t i = 0; i < model->n_layers; i++) layers += model->layer_kind[i] == k;
    struct orr_text line = {0};
    char bytes[32];
    orr_text_add(&line, "layer kind %lld: %lld layers · ", (long long)k, (long long)layers);
    if (kind->mla_kv_rank > 0)
        orr_text_add(&line, "(rank %lld + rope %lld)", (long long)kind->mla_kv_rank, (long long)kind->mla_rope);
    else
        orr_text_add(&line, "%lld heads · (%lld + %lld)", (long long)kind->n_kv_heads, (long long)kind->head_qk,
                     (long long)kind->head_v);
    orr_text_add(&line, " · %.4g B = %s B per token", element_bytes,
                 orr_print_count(bytes, llround((double)layers * orr_kv_model_bytes(kind, element_bytes))));
    if (kind->window > 0) orr_text_add(&line, ", at most %lld tokens", (long long)kind->window);
    orr_text_wrap(text, style, "", 4, line.data ? line.data : "", " ");
    text->failed |= line.failed;
    free(line.data);
}

static void add_cache(const struct orr_infer_view *view, const struct orr_style *style, struct orr_text *text)
{
    char line[160];
    orr_add_title(style, "cache", text);
    add_metric(view, style, ORR_INFER_METRIC_KV_PER_TOKEN, text);
    for (int64_t k = 0; k < view->job->model.n_kinds; k++) add_kind(view, style, k, text);
    add_metric(view, style, ORR_INFER_METRIC_KV_PER_SEQUENCE, text);
    (void)snprintf(line, sizeof line, "engine rule \"%s\", blocks of %lld tokens",
                   orr_budget_name(view->job->engine.budget), (long long)view->job->engine.kv_block_tokens);
    orr_text_wrap(text, style, "", 0, line, " ");
    add_case(view, style, ORR_INFER_METRIC_KV_BUDGET, orr_budget_formula(view->job->engine.budget), text);
    add_metrics(view, style, ORR_INFER_METRIC_MAX_BATCH, ORR_INFER_METRIC_MAX_CONTEXT, text);
}

/* ---------------------------------------------------------------- the whole explanation */

static void add_speculation(const struct orr_infer_view *view, const struct orr_style *style, struct orr_text *text)
{
    const struct orr_serving *serving = &view->job->serving;
    const char *formula = "(1 - draft_accept_frac^(draft_tokens + 1)) / (1 - draft_accept_frac)";
    if (serving->draft_accept_frac >= 1) formula = "draft_tokens + 1";
    if (serving->draft_tokens == 0) formula = "no draft model";
    orr_add_title(style, "speculative decoding", text);
    add_case(view, style, ORR_INFER_METRIC_TOKENS_PER_STEP, formula, text);
}

void orr_infer_explain(const struct orr_infer_view *view, const struct orr_style *style, struct orr_text *text)
{
    orr_infer_heading(view, style, text);
    orr_paint(text, style, ORR_PAINT_BOLD, "headline: formula = values = result [source]");
    orr_text_add(text, "\n");
    add_metrics(view, style, ORR_INFER_METRIC_LATENCY, ORR_INFER_METRIC_DECODE_OVERHEAD, text);
    add_parts(view, style, text);
    orr_add_title(style, "memory of a GPU", text);
    add_metrics(view, style, ORR_INFER_METRIC_MEMORY_WEIGHTS, ORR_INFER_METRIC_MEMORY_HEADROOM, text);
    add_cache(view, style, text);
    add_speculation(view, style, text);
    orr_add_title(style, "energy and cost", text);
    add_metrics(view, style, ORR_INFER_METRIC_ENERGY, ORR_INFER_METRIC_COST_PER_MILLION, text);
    orr_add_title(style, "sizes and sustained rate", text);
    add_metrics(view, style, ORR_INFER_METRIC_PARAMS_TOTAL, ORR_INFER_METRIC_MATRIX, text);
    orr_infer_explain_constants(view, style, text);
}
