/* --explain of an inference job shows every line of the report as formula = values put in = result [source], the
 * operators behind the parts of the latency, the cache and its budget. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/number.h"
#include "base/units.h"
#include "ops/mixer.h"
#include "ops/serve.h"
#include "report/answer.h"
#include "report/formula.h"
#include "report/table.h"

/* ---------------------------------------------------------------- parts of the latency */

/* The hand-over of the cache exists only where prefill and decode run on different GPUs. */
static void add_part(const struct orr_answer *answer, const struct orr_style *style, int part, struct orr_text *text)
{
    const int metric = (int)ORR_INFER_METRIC_TIME_PREFILL_GEMM + part;
    if (part == ORR_INFER_KV_TRANSFER && !answer->job->serving.disaggregated)
        orr_add_formula(answer, style, metric, "prefill and decode share their GPUs", text);
    else if (part == ORR_INFER_DRAFT && answer->job->serving.draft_tokens == 0)
        orr_add_formula(answer, style, metric, "no draft model", text);
    else if (part == ORR_INFER_PIPELINE && answer->job->plan.pp == 1)
        orr_add_formula(answer, style, metric, "no other stage", text);
    else orr_explain_metrics(answer, style, metric, metric, text);
    orr_explain_rows(answer, style, part, text);
}

static void add_parts(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text)
{
    orr_text_section(text, style, "parts of the latency, with their operators");
    for (int part = 0; part < ORR_N_INFER_PARTS; part++) add_part(answer, style, part, text);
}

/* ---------------------------------------------------------------- cache */

/* Adds what a sequence of any length holds in all layers of a kind. */
static void add_state(const struct orr_job *job, const struct orr_layer_kind *kind, int64_t layers,
                      double element_bytes, struct orr_text *line)
{
    char bytes[32];
    const double state_bytes =
        (double)layers * orr_sequence_state_bytes(kind, orr_cross_keys(job, kind), 1, element_bytes);
    orr_text_add(line, "%s, state of %s B per sequence; ",
                 kind->cross_keys > 0 ? "cross attention" : orr_mixer_name(kind->mixer),
                 orr_print_count(bytes, llround(state_bytes)));
}

/* Applies Eq. 90 to one layer kind: what a token leaves in the cache of all its layers. */
static void add_kind(const struct orr_answer *answer, const struct orr_style *style, const struct orr_model *model,
                     int64_t k, struct orr_text *text)
{
    const struct orr_layer_kind *kind = &model->kinds[k];
    const double element_bytes = orr_kv_element_bytes(answer->job, kind);
    int64_t layers = 0;
    for (int64_t i = 0; i < model->n_layers; i++) layers += model->layer_kind[i] == k;
    struct orr_text line = {0};
    char bytes[32];
    if (model->is_mtp) orr_text_add(&line, "MTP layers: %lld · ", (long long)layers);
    else orr_text_add(&line, "layer kind %lld: %lld layers · ", (long long)k, (long long)layers);
    const bool holds = orr_kind_scans(kind) || kind->cross_keys > 0 || orr_kind_compresses(kind);
    if (holds) add_state(answer->job, kind, layers, element_bytes, &line);
    if (orr_kv_model_bytes(answer->job, kind) <= 0) {
        if (!holds) orr_text_add(&line, "no cache");
        orr_text_wrap(text, style, "", 4, line.data ? line.data : "", " ");
        text->failed |= line.failed;
        free(line.data);
        return;
    }
    if (orr_kind_compresses(kind))
        orr_text_add(&line, "%lld elements and %lld of index keys for %lld tokens", (long long)kind->head_qk,
                     (long long)kind->index_size, (long long)kind->compress_ratio);
    else if (orr_rebuilds_heads(answer->job, kind))
        orr_text_add(&line, "%lld heads · (%lld + %lld)", (long long)kind->n_heads,
                     (long long)answer->job->engine.latent_columns, (long long)answer->job->engine.latent_columns);
    else if (kind->mla_kv_rank > 0)
        orr_text_add(&line, "(rank %lld + rope %lld)", (long long)kind->mla_kv_rank, (long long)kind->mla_rope);
    else
        orr_text_add(&line, "%lld heads · (%lld + %lld)", (long long)kind->n_kv_heads, (long long)kind->head_qk,
                     (long long)kind->head_v);
    orr_text_add(&line, " · %.4g B = %s B per token", element_bytes,
                 orr_print_count(bytes, llround((double)layers * orr_kv_model_bytes(answer->job, kind))));
    if (kind->window > 0 && !orr_kind_compresses(kind))
        orr_text_add(&line, ", at most %lld tokens", (long long)kind->window);
    orr_text_wrap_line(text, style, "", 4, &line, " ");
}

/* Pools into which the engine divides the cache (Eq. 387). */
static void add_pools(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text)
{
    const struct orr_engine *engine = &answer->job->engine;
    const struct orr_infer_result *infer = &answer->infer;
    char line[200], tokens[32];
    if (infer->kv_room_sequences < INT64_MAX) {
        (void)snprintf(line, sizeof line,
                       "pools: %.4g %% of it is for states and holds those of %lld sequences; the rest holds %s tokens",
                       100 * engine->state_pool_frac, (long long)infer->kv_room_sequences,
                       orr_print_count(tokens, llround(orr_min(infer->kv_room_tokens, 1e15))));
        orr_text_wrap(text, style, "", 0, line, " ");
    }
    if (infer->kv_window_pool) {
        (void)snprintf(line, sizeof line,
                       "pools: layers with windows have room for %.4g tokens per token of the others",
                       engine->window_pool_frac);
        orr_text_wrap(text, style, "", 0, line, " ");
    }
}

static void add_cache(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text)
{
    const struct orr_job *job = answer->job;
    char line[160];
    orr_text_section(text, style, "cache");
    orr_explain_metrics(answer, style, ORR_INFER_METRIC_KV_PER_TOKEN, ORR_INFER_METRIC_KV_PER_TOKEN, text);
    for (int64_t k = 0; k < job->model.n_kinds; k++) add_kind(answer, style, &job->model, k, text);
    if (job->draft.is_mtp && job->serving.draft_tokens > 0) add_kind(answer, style, &job->draft, 0, text);
    orr_explain_metrics(answer, style, ORR_INFER_METRIC_KV_PER_SEQUENCE, ORR_INFER_METRIC_STATE_PER_SEQUENCE, text);
    (void)snprintf(line, sizeof line, "engine rule \"%s\", blocks of %lld tokens", orr_budget_name(job->engine.budget),
                   (long long)answer->infer.kv_block_tokens);
    orr_text_wrap(text, style, "", 0, line, " ");
    orr_add_formula(answer, style, ORR_INFER_METRIC_KV_BUDGET, orr_budget_formula(job->engine.budget), text);
    add_pools(answer, style, text);
    orr_explain_metrics(answer, style, ORR_INFER_METRIC_MAX_BATCH, ORR_INFER_METRIC_MAX_CONTEXT, text);
}

/* ---------------------------------------------------------------- the whole explanation */

static void add_speculation(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text)
{
    const struct orr_serving *serving = &answer->job->serving;
    const char *formula = "(1 - draft_accept_frac^(draft_tokens + 1)) / (1 - draft_accept_frac)";
    if (serving->draft_accept_frac >= 1) formula = "draft_tokens + 1";
    if (serving->draft_tokens == 0) formula = "no draft model";
    orr_text_section(text, style, "speculative decoding");
    orr_add_formula(answer, style, ORR_INFER_METRIC_TOKENS_PER_STEP, formula, text);
}

void orr_infer_explain(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text)
{
    orr_explain_metrics(answer, style, ORR_INFER_METRIC_LATENCY, ORR_INFER_METRIC_DECODE_HOST, text);
    add_parts(answer, style, text);
    orr_text_section(text, style, "memory of a GPU");
    orr_explain_metrics(answer, style, ORR_INFER_METRIC_MEMORY_WEIGHTS, ORR_INFER_METRIC_MEMORY_HEADROOM, text);
    add_cache(answer, style, text);
    add_speculation(answer, style, text);
    orr_text_section(text, style, "energy and cost");
    orr_explain_metrics(answer, style, ORR_INFER_METRIC_ENERGY, ORR_INFER_METRIC_COST_PER_MILLION, text);
    orr_text_section(text, style, "sizes and sustained rate");
    orr_explain_metrics(answer, style, ORR_INFER_METRIC_PARAMS_TOTAL, ORR_INFER_METRIC_MATRIX, text);
    orr_explain_rate(answer, style, text);
}
