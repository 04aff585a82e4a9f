/* Rows of the inference schema: static batches, single passes, and engines that fill the batch in flight. */
#include "validate/validator.h"

#include "base/number.h"
#include "validate/columns.h"
#include "validate/offline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The mean prompt of the OpenOrca data set. Sources that print only the mean output are assumed to use it. */
#define UNKNOWN_INPUT 294

static bool is(const char *word, const char *other)
{
    return strcmp(word, other) == 0;
}

static bool narrow(const char *precision)
{
    return is(precision, "fp8") || is(precision, "fp4") || is(precision, "int8");
}

/* The number in a cell that counts_are_good() has checked; means are rounded. */
static long number(const struct orr_csv *csv, size_t row, const char *column, long absent)
{
    const char *cell = orr_csv_cell(csv, row, column);
    return cell[0] ? lround(orr_row_value(cell)) : absent;
}

/* Are all counts of a row numbers small enough that a product of three cannot overflow? If not, the score names the
 * cell. */
static bool counts_are_good(const struct orr_csv *csv, size_t row, struct orr_score *score)
{
    static const char *const COLUMNS[] = {"gpus",  "tp",          "pp",        "dp",         "ep",         "etp",
                                          "batch", "concurrency", "input_len", "output_len", "pass_tokens"};
    for (size_t i = 0; i < sizeof COLUMNS / sizeof *COLUMNS; i++) {
        const char *cell = orr_csv_cell(csv, row, COLUMNS[i]);
        const double value = cell[0] ? orr_row_value(cell) : 1;
        if (value >= 1 && value <= 1e6) continue;
        snprintf(score->skipped, sizeof score->skipped, "%s must be a number from 1 to 1000000, not \"%.40s\"",
                 COLUMNS[i], cell);
        return false;
    }
    return true;
}

/* The GPUs of a row; the product of its degrees if it does not say. */
static long gpus_of(const struct orr_csv *csv, size_t row)
{
    return number(csv, row, "gpus", number(csv, row, "tp", 1) * number(csv, row, "pp", 1) * number(csv, row, "dp", 1));
}

/* The number of replicas. The sum of their batches is the concurrency. */
static long replicas(const struct orr_csv *csv, size_t row)
{
    const long one = number(csv, row, "tp", 1) * number(csv, row, "pp", 1), gpus = gpus_of(csv, row);
    return number(csv, row, "dp", gpus / one > 0 ? gpus / one : 1);
}

/* Attention ranks reuse the GPUs of the tensor group: `gpus` decides how many of them share an attention layer. */
static void put_plan(struct validator *w, size_t row)
{
    const struct orr_csv *csv = w->csv;
    const long gpus = gpus_of(csv, row), tp = number(csv, row, "tp", 1), pp = number(csv, row, "pp", 1);
    const long ep = number(csv, row, "ep", 1), dp = replicas(csv, row);
    const char *etp = orr_csv_cell(csv, row, "etp");
    long attention = tp;
    if (tp * pp * dp != gpus && gpus % (pp * dp) == 0) attention = gpus / (pp * dp);
    orr_row_put_number(w, "plan.tp", attention);
    orr_row_put_number(w, "plan.pp", pp);
    orr_row_put_number(w, "plan.dp", dp);
    orr_row_put_number(w, "plan.ep", ep);
    orr_row_put(w, "plan.etp", !etp[0] && ep > 1 ? "1" : etp);
}

/* Does the row give the requests in flight, but no batch? The batch is then what the cache holds. */
static bool is_loaded(const struct orr_csv *csv, size_t row)
{
    return orr_csv_cell(csv, row, "concurrency")[0] && !orr_csv_cell(csv, row, "batch")[0];
}

/* The requests of one replica. */
static long share_of_load(const struct orr_csv *csv, size_t row)
{
    const long ranks = replicas(csv, row);
    return (number(csv, row, "concurrency", 1) + ranks - 1) / ranks;
}

/* Does the request share its steps with others that come and go? */
static bool shares_steps(const struct orr_csv *csv, size_t row)
{
    return is_loaded(csv, row) && share_of_load(csv, row) > 1;
}

/* The batch and the lengths that a metric needs. A decode step at a context is the second of two tokens, and a prompt
 * alone has one output token. */
struct lengths {
    long batch, input, output;
};

static struct lengths lengths_of(const struct orr_csv *csv, size_t row, const char *metric)
{
    const char *phase = orr_csv_cell(csv, row, "phase");
    const long pass_tokens = number(csv, row, "pass_tokens", 0);
    struct lengths n = {.batch = number(csv, row, "batch", share_of_load(csv, row)),
                        .input = number(csv, row, "input_len", UNKNOWN_INPUT),
                        .output = number(csv, row, "output_len", 1)};
    if (is(metric, "decode_step_s") || is(phase, "decode")) {
        n.input = n.input > 1 ? n.input - 1 : 1;
        n.output = 2;
    }
    if (is(metric, "prefill_s") || (is(metric, "ttft_s") && !shares_steps(csv, row))) n.output = 1;
    if (is(phase, "prefill") && pass_tokens) n.batch = pass_tokens / n.input > 0 ? pass_tokens / n.input : 1;
    return n;
}

/* The formats of a row. An empty cache format means that of the weights. */
struct formats {
    const char *precision, *kv;
};

static struct formats printed_formats(const struct orr_csv *csv, size_t row)
{
    const char *precision = orr_csv_cell(csv, row, "precision"), *kv = orr_csv_cell(csv, row, "kv_precision");
    if (kv[0]) return (struct formats){precision, kv};
    /* Quantised models are published with 8-bit caches. */
    return (struct formats){precision, narrow(precision) ? "fp8" : ""};
}

/* The tables of the engine's own tool print "FP8" for what the engine loads: the checkpoint as published. With 4-bit
 * experts Hopper widens them to 16 bits and serves with a 16-bit cache (TensorRT-LLM performance overview, December
 * 2025, "Hopper: use auto", "Hopper: use TRITON"). Returns false if the printed formats are right. */
static bool loaded_formats(const struct orr_job *job, struct formats *formats)
{
    if (!job->engine.bench_limits || !is(formats->precision, "fp8")) return false;
    const bool narrower = job->model.checkpoint.format == ORR_WEIGHT_MXFP4;
    if (narrower) *formats = (struct formats){"fp4", ""};
    return narrower;
}

static void put_request(struct validator *w, size_t row, const struct lengths *n, const struct formats *formats)
{
    const char *engine = orr_csv_cell(w->csv, row, "engine");
    orr_row_put(w, "kind", "infer");
    orr_row_put_cells(w, row, "", "model system gpus");
    put_plan(w, row);
    orr_row_put(w, "workload.precision", formats->precision[0] ? formats->precision : "fp16");
    orr_row_put(w, "workload.kv_precision", formats->kv);
    orr_row_put_engine(w, engine[0] ? engine : "vllm", "vllm");
    orr_row_put_number(w, "workload.batch", n->batch);
    orr_row_put_number(w, "workload.input_len", n->input);
    orr_row_put_number(w, "workload.output_len", n->output);
    orr_row_put_cells(w, row, "workload.", ORR_OPTION_COLUMNS);
}

/* The time of a step that decodes one token of `batch` sequences at their mean context and reads `tokens` of `prompts`
 * prompts, behind `before` tokens that earlier steps have read. */
static double step_s(struct orr_step_model *model, const struct orr_serving *s, int64_t batch, double tokens,
                     int64_t prompts, double before)
{
    const struct orr_step step = {.prefill_tokens = (int64_t)tokens,
                                  .prefill_sequences = prompts,
                                  .prefill_context = (int64_t)orr_max(0, before),
                                  .decode_sequences = batch,
                                  .decode_context = batch * (s->input_len + s->output_len / 2)};
    return orr_step_time(model, &step);
}

/* The time that a prompt adds to the steps of the others: it is read in as few steps as the engine's limit on their
 * tokens allows. */
static double prompt_s(struct orr_step_model *model, const struct orr_job *job, int64_t batch, double decode_s)
{
    const struct orr_serving *s = &job->serving;
    const double input = (double)s->input_len, room = (double)(job->engine.max_step_tokens - batch);
    const double chunks = room > 1 ? orr_ceil(input / room) : 1, piece = input / chunks;
    return chunks * (step_s(model, s, batch, piece, 1, (input - piece) / 2) - decode_s);
}

/* The mean time of a step while requests come and go (Eq. 93a). Every sequence is replaced after G steps, so that B / G
 * prompts come to a step. Where that is less than one, most steps only decode, and some read a whole prompt; else every
 * step reads as many tokens as come. */
static double iteration_s(const struct orr_job *job, int64_t batch)
{
    const struct orr_serving *s = &job->serving;
    const double finished = (double)batch / (double)s->output_len, prompt = finished * (double)s->input_len;
    struct orr_step_model *model = orr_step_model_new(job);
    if (!model) return (double)NAN;
    const double decode_s = step_s(model, s, batch, 0, 0, 0);
    double time_s = decode_s;
    if (finished < 1) time_s += finished * prompt_s(model, job, batch, decode_s);
    else {
        const int64_t prompts = (int64_t)orr_ceil(finished);
        const double before = ((double)(prompts * s->input_len) - prompt) / 2;
        time_s = step_s(model, s, batch, prompt, prompts, before);
    }
    orr_step_model_free(model);
    return time_s;
}

/* Is the batch filled in flight? It is if the source says so, prints no batch, or prints more requests than the batch
 * holds. */
static bool in_flight(const struct orr_csv *csv, size_t row)
{
    const long concurrency = number(csv, row, "concurrency", 0);
    return strcmp(orr_csv_cell(csv, row, "batching"), "in-flight") == 0 || !orr_csv_cell(csv, row, "input_len")[0] ||
           (!orr_csv_cell(csv, row, "batch")[0] && orr_csv_cell(csv, row, "output_len")[0]) ||
           concurrency > number(csv, row, "batch", concurrency);
}

/* Score a row of the engine's own tool, which prints the output tokens of a whole run over its time. */
static void score_bench(struct validator *w, int64_t fits, struct orr_score *score)
{
    const struct orr_offline run = orr_offline_bench(&w->job, fits);
    const double tokens = (double)(run.requests * w->job.serving.output_len);
    const double run_s = orr_offline_s(&w->job, &run);
    orr_row_rate(w, orr_in_flight_regime(&w->job), tokens / run_s / (double)w->job.plan.gpus, run_s, score);
}

/* The sequences that one replica decodes at a time: the batch if the row has one, else min(load, max_batch). */
static int64_t sequences_of(const struct validator *w, size_t row, const struct orr_infer_result *result)
{
    const int64_t batch = w->job.serving.batch;
    if (orr_csv_cell(w->csv, row, "batch")[0]) return batch;
    return is_loaded(w->csv, row) && batch < result->max_batch ? batch : result->max_batch;
}

/* Score a row at a constant load by the steady state of a service in closed form (docs/serving.md). */
static void score_loaded(struct validator *w, struct orr_score *score)
{
    const struct orr_serving *s = &w->job.serving;
    const struct orr_traffic traffic = {.arrival = ORR_ARRIVAL_CLOSED,
                                        .concurrency = s->batch * w->job.plan.dp,
                                        .input_len = {.law = ORR_LENGTH_FIXED, .mean = (double)s->input_len},
                                        .output_len = {.law = ORR_LENGTH_FIXED, .mean = (double)s->output_len}};
    const enum orr_regime regime = orr_in_flight_regime(&w->job);
    struct orr_closed_form *form = orr_closed_form_new(&w->job);
    struct orr_serving_result result = {0};
    if (form) orr_closed_form_solve(form, &traffic, &result);
    orr_closed_form_free(form);
    const double tpot_s = result.timing[ORR_TIMING_TPOT].mean;
    if (!result.fits) snprintf(score->skipped, sizeof score->skipped, "no sequence fits: %.400s", result.reason);
    else if (is(score->metric, "tokens_per_s_per_gpu"))
        orr_row_rate(w, regime, result.output_tokens_per_s_per_gpu, tpot_s, score);
    else if (is(score->metric, "tpot_s")) orr_row_time(w, regime, tpot_s, score);
    else if (is(score->metric, "ttft_s")) orr_row_time(w, regime, result.timing[ORR_TIMING_TTFT].mean, score);
    else orr_row_time(w, regime, result.timing[ORR_TIMING_LATENCY].mean, score);
}

static void score_in_flight(struct validator *w, size_t row, struct orr_infer_result *result, struct orr_score *score)
{
    const char *metric = score->metric;
    const int64_t sequences = sequences_of(w, row, result);
    const bool loaded = is_loaded(w->csv, row);
    score->set = ORR_SET_IN_FLIGHT;
    if (sequences < 1) {
        snprintf(score->skipped, sizeof score->skipped, "no sequence fits: %.400s", result->reason);
        return;
    }
    if (w->job.engine.bench_limits && !loaded && !orr_csv_cell(w->csv, row, "batch")[0]) {
        score_bench(w, sequences, score);
        return;
    }
    if (loaded) {
        score_loaded(w, score);
        return;
    }
    const double mean_s = iteration_s(&w->job, sequences);
    const enum orr_regime regime = orr_in_flight_regime(&w->job);
    const double running = (double)(sequences * w->job.plan.dp);
    if (is(metric, "tokens_per_s_per_gpu"))
        orr_row_rate(w, regime, running / mean_s / (double)w->job.plan.gpus, mean_s, score);
    else orr_row_time(w, regime, (double)w->job.serving.output_len * mean_s, score);
}

/* Record tokens per second of the phase of the row, or of the whole request. */
static void score_rate(const struct validator *w, enum orr_regime regime, const struct orr_infer_result *result,
                       const char *phase, struct orr_score *score)
{
    const double sequences = (double)(w->job.serving.batch * w->job.plan.dp);
    if (is(phase, "decode"))
        orr_row_rate(w, regime, sequences / result->decode_s / (double)w->job.plan.gpus, result->decode_s, score);
    else if (is(phase, "prefill"))
        orr_row_rate(w, regime, result->input_tokens_per_s_per_gpu, result->latency_s, score);
    else orr_row_rate(w, regime, result->output_tokens_per_s_per_gpu, result->latency_s, score);
}

/* Record a metric of a static batch or a single pass. Returns false if there is no such metric. */
static bool score_static(const struct validator *w, enum orr_regime regime, const struct orr_infer_result *result,
                         const char *phase, struct orr_score *score)
{
    const struct {
        const char *name;
        double value_s;
    } times[] = {{"latency_s", result->latency_s},
                 {"ttft_s", result->ttft_s},
                 {"tpot_s", result->tpot_s},
                 {"prefill_s", result->prefill_s},
                 {"decode_step_s", result->decode_s}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (is(score->metric, times[i].name)) {
            orr_row_time(w, regime, times[i].value_s, score);
            return true;
        }
    if (!is(score->metric, "tokens_per_s_per_gpu")) return false;
    score_rate(w, regime, result, phase, score);
    return true;
}

/* A row about one phase has the regime of that phase, even if the other phase of the request is longer. */
static enum orr_regime regime_of(const struct orr_job *job, const struct orr_infer_result *result, const char *metric,
                                 const char *phase)
{
    if (is(metric, "prefill_s") || is(metric, "ttft_s")) return orr_prefill_regime(job, result);
    if (is(metric, "decode_step_s") || is(metric, "tpot_s") || is(phase, "decode"))
        return orr_decode_regime(job, result);
    return orr_infer_regime(job, result);
}

/* The time of a row about one phase is exposed to what binds that phase. */
static void set_exposure(struct validator *w, const struct orr_infer_result *result, const char *metric,
                         const char *phase)
{
    const bool prompt = is(metric, "prefill_s") || is(metric, "ttft_s") || is(phase, "prefill");
    const bool decode = is(metric, "decode_step_s") || is(metric, "tpot_s") || is(phase, "decode");
    w->exposure = orr_infer_exposure(result, decode ? 0 : result->prefill_s, prompt ? 0 : result->decode_s);
}

/* Throughputs and latencies are scored in flight if the batch is filled so, and token times if only the load is
 * known. The first token of a request that runs alone is that of a batch of one. */
static bool scored_in_flight(const struct orr_csv *csv, size_t row, const char *metric, const char *phase)
{
    if (is(phase, "prefill") || is(phase, "decode") || !in_flight(csv, row)) return false;
    return is(metric, "tokens_per_s_per_gpu") || is(metric, "latency_s") ||
           (is(metric, "tpot_s") && is_loaded(csv, row)) || (is(metric, "ttft_s") && shares_steps(csv, row));
}

/* Does the row print the lengths that its metric is about? A prompt alone and one step have no output, and a time per
 * token none that is shorter than two. If not, the score names the cell. */
static bool lengths_are_given(const struct orr_csv *csv, size_t row, const char *metric, struct orr_score *score)
{
    const char *phase = orr_csv_cell(csv, row, "phase");
    const bool first = is(metric, "ttft_s") && !shares_steps(csv, row);
    const bool one_pass = is(metric, "prefill_s") || is(metric, "decode_step_s") || first || phase[0];
    const char *column = one_pass ? "input_len" : "output_len";
    const long least = is(metric, "tpot_s") && !one_pass ? 2 : 1;
    if (number(csv, row, column, 0) >= least) return true;
    snprintf(score->skipped, sizeof score->skipped, "%.40s needs %s, a number from %ld", metric, column, least);
    return false;
}

static bool words_are_known(const struct validator *w, size_t row, struct orr_score *score)
{
    return orr_row_word(w, row, "phase", "prefill decode", score) &&
           orr_row_word(w, row, "batching", "in-flight", score);
}

/* Read the job of a row, in the formats that its engine loads. */
static bool read_row(struct validator *w, size_t row, const char *metric, struct orr_score *score)
{
    const struct lengths n = lengths_of(w->csv, row, metric);
    struct formats formats = printed_formats(w->csv, row);
    put_request(w, row, &n, &formats);
    if (!orr_row_read(w, score)) return false;
    if (!loaded_formats(&w->job, &formats)) return true;
    put_request(w, row, &n, &formats);
    return orr_row_read(w, score);
}

struct orr_score *orr_read_infer_row(struct validator *w, size_t row)
{
    const char *metric = orr_csv_cell(w->csv, row, "metric");
    struct orr_score *score = orr_row_score(w, row, metric);
    if (!orr_row_measured(w, row, "value", 1, score) || !counts_are_good(w->csv, row, score)) return NULL;
    if (!words_are_known(w, row, score) || !lengths_are_given(w->csv, row, metric, score)) return NULL;
    if (!read_row(w, row, metric, score)) return NULL;
    if (w->job.engine.bench_limits) w->job.engine.budget_frac = ORR_BENCH_BUDGET_FRAC;
    return score;
}

void orr_predict_infer(struct validator *w, size_t row, struct orr_score *score)
{
    const char *metric = score->metric, *phase = orr_csv_cell(w->csv, row, "phase");
    struct orr_infer_result result;
    orr_infer(&w->job, w->scratch, &result);
    set_exposure(w, &result, metric, phase);
    if (scored_in_flight(w->csv, row, metric, phase)) {
        score_in_flight(w, row, &result, score);
        return;
    }
    if (!score_static(w, regime_of(&w->job, &result, metric, phase), &result, phase, score))
        snprintf(score->skipped, sizeof score->skipped,
                 "unknown metric \"%.40s\" (known: latency_s, ttft_s, tpot_s, prefill_s, decode_step_s, "
                 "tokens_per_s_per_gpu)",
                 metric);
}

void orr_score_infer_row(struct validator *w, size_t row)
{
    struct orr_score *score = orr_read_infer_row(w, row);
    if (score) orr_predict_infer(w, row, score);
}
