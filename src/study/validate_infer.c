/* Rows of the inference schema: static batches, single passes, and engines that fill the batch in flight. */
#include "study/validator.h"

#include "base/number.h"
#include "study/offline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Mean prompt of the OpenOrca set, for sources that print only the mean output [A]. */
#define UNKNOWN_INPUT "294"

static bool narrow(const char *precision)
{
    return strcmp(precision, "fp8") == 0 || strcmp(precision, "fp4") == 0 || strcmp(precision, "int8") == 0;
}

static long number(const char *cell, long absent)
{
    return cell[0] ? strtol(cell, NULL, 10) : absent;
}

static void add_number(struct orr_text *text, const char *key, long value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%ld", value);
    orr_row_cell(text, key, digits);
}

/* Attention ranks reuse the GPUs of the tensor group: `gpus` decides how many of them share an attention layer. */
static void add_plan(struct orr_text *text, const struct orr_csv *csv, size_t row)
{
    const long gpus = number(orr_csv_cell(csv, row, "gpus"), 1), tp = number(orr_csv_cell(csv, row, "tp"), 1);
    const long pp = number(orr_csv_cell(csv, row, "pp"), 1), ep = number(orr_csv_cell(csv, row, "ep"), 1);
    long dp = number(orr_csv_cell(csv, row, "dp"), 0), attention = tp;
    if (dp <= 0) dp = gpus / (tp * pp) > 0 ? gpus / (tp * pp) : 1;
    if (tp * pp * dp != gpus && gpus % (pp * dp) == 0) attention = gpus / (pp * dp);
    orr_text_add(text, ",\"plan\":{");
    add_number(text, "tp", attention);
    add_number(text, "pp", pp);
    add_number(text, "dp", dp);
    add_number(text, "ep", ep);
    if (ep > 1) add_number(text, "etp", 1);
    orr_text_add(text, "}");
}

/* What a metric asks for: one decode step at a context is the second of two tokens; a prompt alone is one token. */
struct lengths {
    long batch, input, output;
};

static struct lengths lengths_of(const struct orr_csv *csv, size_t row, const char *metric)
{
    const char *notes = orr_csv_cell(csv, row, "notes");
    const char *input = orr_csv_cell(csv, row, "input_len"), *output = orr_csv_cell(csv, row, "output_len");
    struct lengths n = {.batch = number(orr_csv_cell(csv, row, "batch"), 1),
                        .input = number(input[0] ? input : UNKNOWN_INPUT, 1),
                        .output = (long)lround(output[0] ? strtod(output, NULL) : 1)};
    if (strcmp(metric, "decode_step_s") == 0) {
        n.input = n.input > 1 ? n.input - 1 : 1;
        n.output = 2;
    }
    if (strcmp(metric, "prefill_s") == 0 || strcmp(metric, "ttft_s") == 0) n.output = 1;
    const char *pass = strstr(notes, "PREFILL only");
    const char *tokens = pass ? strstr(pass, "; ") : NULL;
    if (tokens) /* "16384 tokens per GPU per pass" */
        n.batch = strtol(tokens + 2, NULL, 10) / n.input > 0 ? strtol(tokens + 2, NULL, 10) / n.input : 1;
    return n;
}

/* Formats of a row; an empty cache format: as the weights. */
struct formats {
    const char *precision, *kv;
};

static struct formats printed_formats(const struct orr_csv *csv, size_t row)
{
    const char *precision = orr_csv_cell(csv, row, "precision"), *kv = orr_csv_cell(csv, row, "kv_precision");
    if (kv[0]) return (struct formats){precision, kv};
    return (struct formats){precision, narrow(precision) ? "fp8" : ""}; /* quantised models ship 8-bit caches */
}

/* Tables of the engine's own tool print "FP8" for what it loads: the checkpoint as published, block-scaled, or with
 * 4-bit experts, which Hopper widens to 16 bits and serves with a 16-bit cache (TensorRT-LLM performance overview,
 * December 2025, "Hopper: use auto", "Hopper: use TRITON"). False: as printed. */
static bool loaded_formats(const struct orr_job *job, struct formats *formats)
{
    if (!job->engine.bench_limits || strcmp(formats->precision, "fp8") != 0) return false;
    if (job->model.mxfp4) *formats = (struct formats){"fp4", ""};
    else if (job->model.fp8_block) formats->precision = "fp8_block";
    return job->model.mxfp4 || job->model.fp8_block;
}

static char *infer_request(const struct orr_csv *csv, size_t row, const struct lengths *n,
                           const struct formats *formats)
{
    const char *engine = orr_csv_cell(csv, row, "engine");
    struct orr_text text = {0};
    orr_text_add(&text, "{\"kind\":\"infer\"");
    orr_row_cell(&text, "model", orr_csv_cell(csv, row, "model"));
    orr_row_cell(&text, "system", orr_csv_cell(csv, row, "system"));
    orr_row_cell(&text, "gpus", orr_csv_cell(csv, row, "gpus"));
    add_plan(&text, csv, row);
    orr_text_add(&text, ",\"workload\":{");
    orr_row_cell(&text, "precision", formats->precision[0] ? formats->precision : "fp16");
    orr_row_cell(&text, "kv_precision", formats->kv);
    orr_row_cell(&text, "engine", engine[0] ? engine : "vllm");
    add_number(&text, "batch", n->batch);
    add_number(&text, "input_len", n->input);
    add_number(&text, "output_len", n->output);
    orr_text_add(&text, "}}");
    return orr_text_take(&text);
}

/* Requests come and go: every iteration decodes one token of B sequences at their mean context and takes in the prompts
 * of those that finished, B S / G tokens (Eq. 93). Returns its time. */
static double iteration_s(const struct orr_job *job, int64_t batch)
{
    const struct orr_serving *s = &job->serving;
    const double finished = (double)batch / (double)s->output_len, prompt = finished * (double)s->input_len;
    struct orr_step_model *model = orr_step_model_new(job);
    if (!model) return (double)NAN;
    const int64_t sequences = prompt > 0 ? (int64_t)orr_max(1, orr_ceil(finished)) : 0;
    const struct orr_step step = {.prefill_tokens = (int64_t)prompt,
                                  .prefill_sequences = sequences,
                                  .prefill_context =
                                      (int64_t)orr_max(0, ((double)(sequences * s->input_len) - prompt) / 2),
                                  .decode_sequences = batch,
                                  .decode_context = batch * (s->input_len + s->output_len / 2)};
    const double time_s = orr_step_time(model, &step);
    orr_step_model_free(model);
    return time_s;
}

/* A batch that is filled in flight: the source says so, or prints no batch, or more requests than a batch holds. */
static bool in_flight(const struct orr_csv *csv, size_t row)
{
    const char *batch = orr_csv_cell(csv, row, "batch");
    const long concurrency = number(orr_csv_cell(csv, row, "concurrency"), 0);
    return strstr(orr_csv_cell(csv, row, "notes"), "in-flight") || !orr_csv_cell(csv, row, "input_len")[0] ||
           (!batch[0] && orr_csv_cell(csv, row, "output_len")[0]) || concurrency > number(batch, concurrency);
}

/* A table of the engine's own tool: output tokens of the whole run over its time. */
static void score_bench(struct validator *w, int64_t fits, struct orr_score *score)
{
    const struct orr_offline run = orr_offline_bench(&w->job, fits);
    const double tokens = (double)(run.requests * w->job.serving.output_len);
    const double run_s = orr_offline_s(&w->job, &run);
    score->predicted = tokens / run_s / (double)w->job.plan.gpus;
    orr_row_time(w, orr_in_flight_regime(&w->job), run_s, run_s * score->predicted / score->measured, score);
}

static void score_in_flight(struct validator *w, size_t row, struct orr_infer_result *result, struct orr_score *score)
{
    const char *batch = orr_csv_cell(w->csv, row, "batch"), *metric = score->metric;
    const int64_t sequences = batch[0] ? w->job.serving.batch : result->max_batch;
    score->set = ORR_SET_IN_FLIGHT;
    if (sequences < 1) {
        snprintf(score->skipped, sizeof score->skipped, "no sequence fits: %.400s", result->reason);
        return;
    }
    if (w->job.engine.bench_limits && !batch[0]) {
        score_bench(w, sequences, score);
        return;
    }
    const double step_s = iteration_s(&w->job, sequences), output = (double)w->job.serving.output_len;
    if (strcmp(metric, "latency_s") == 0) {
        score->predicted = output * step_s;
        orr_row_time(w, orr_in_flight_regime(&w->job), score->predicted, score->measured, score);
        return;
    }
    score->predicted = (double)(sequences * w->job.plan.dp) / step_s / (double)w->job.plan.gpus;
    orr_row_time(w, orr_in_flight_regime(&w->job), step_s, step_s * score->predicted / score->measured, score);
}

/* The predicted value of a metric, and whether it is a time (else a rate). */
static bool predicted_value(const struct orr_infer_result *result, const char *metric, const char *notes, double *value,
                            bool *is_time)
{
    const struct {
        const char *name;
        double value;
        bool is_time;
    } known[] = {{"latency_s", result->latency_s, true},
                 {"ttft_s", result->ttft_s, true},
                 {"tpot_s", result->tpot_s, true},
                 {"prefill_s", result->prefill_s, true},
                 {"decode_step_s", result->decode_s, true},
                 {"tokens_per_s_per_gpu",
                  strstr(notes, "PREFILL") ? result->input_tokens_per_s_per_gpu : result->output_tokens_per_s_per_gpu,
                  false}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, metric) == 0) {
            *value = known[i].value;
            *is_time = known[i].is_time;
            return true;
        }
    return false;
}

/* A row of one phase has that phase's regime, whatever the longer phase of its request. */
static enum orr_regime regime_of(const struct orr_job *job, const struct orr_infer_result *result, const char *metric)
{
    if (strcmp(metric, "prefill_s") == 0 || strcmp(metric, "ttft_s") == 0) return orr_prefill_regime(job, result);
    if (strcmp(metric, "decode_step_s") == 0 || strcmp(metric, "tpot_s") == 0) return orr_decode_regime(job, result);
    return orr_infer_regime(job, result);
}

void orr_score_infer_row(struct validator *w, size_t row)
{
    const struct orr_csv *csv = w->csv;
    const char *metric = orr_csv_cell(csv, row, "metric"), *notes = orr_csv_cell(csv, row, "notes");
    struct orr_score *score = orr_row_score(w, row, metric);
    struct orr_infer_result result;
    bool is_time;
    score->measured = strtod(orr_csv_cell(csv, row, "value"), NULL);
    if (!(score->measured > 0) || !isfinite(score->measured)) {
        snprintf(score->skipped, sizeof score->skipped, "value must be a positive number, not \"%.40s\"",
                 orr_csv_cell(csv, row, "value"));
        return;
    }
    const struct lengths n = lengths_of(csv, row, metric);
    struct formats formats = printed_formats(csv, row);
    if (!orr_row_read(w, infer_request(csv, row, &n, &formats), score)) return;
    if (loaded_formats(&w->job, &formats) && !orr_row_read(w, infer_request(csv, row, &n, &formats), score)) return;
    if (w->job.engine.bench_limits) w->job.engine.budget_frac = ORR_BENCH_BUDGET_FRAC;
    orr_infer(&w->job, w->scratch, &result);
    const bool rate = strcmp(metric, "tokens_per_s_per_gpu") == 0 || strcmp(metric, "latency_s") == 0;
    if (rate && in_flight(csv, row) && !strstr(notes, "PREFILL")) {
        score_in_flight(w, row, &result, score);
        return;
    }
    if (!predicted_value(&result, metric, notes, &score->predicted, &is_time)) {
        snprintf(score->skipped, sizeof score->skipped, "unknown metric \"%.40s\"", metric);
        return;
    }
    const double time_s = is_time ? score->predicted : result.latency_s;
    orr_row_time(w, regime_of(&w->job, &result, metric), time_s,
                 is_time ? score->measured : time_s * score->predicted / score->measured, score);
}
