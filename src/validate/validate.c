/* From measurement CSVs to predictions and their errors. There are four schemas, recognised by their columns: training
 * rows, inference rows (infer.c), steps of the H200 lab, and times of single layers. docs/formats.md describes them. */
#include "validate/validate.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/plain.h"
#include "base/text.h"
#include "base/units.h"
#include "spec/job.h"
#include "predict/fill.h"
#include "validate/ablate.h"
#include "validate/columns.h"
#include "validate/validator.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a request from cells */

void orr_row_put(struct validator *w, const char *path, const char *cell)
{
    if (!w->err) w->err = orr_form_set(w->form, path, cell[0] ? cell : NULL, &w->error);
}

void orr_row_put_engine(struct validator *w, const char *cell, const char *fallback)
{
    char parent[ORR_ID] = "";
    w->own = cell;
    if (w->engine || !w->v->unseen) {
        orr_row_put(w, "workload.engine", w->engine ? w->engine(w->engine_context, cell) : cell);
        return;
    }
    if (!w->err) w->err = orr_unseen_engine(&w->unseen, cell[0] ? cell : fallback, parent, &w->error);
    orr_row_put(w, "workload.engine", parent);
}

void orr_row_put_number(struct validator *w, const char *path, long number)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%ld", number);
    orr_row_put(w, path, digits);
}

void orr_row_put_cells(struct validator *w, size_t row, const char *section, const char *columns)
{
    char column[ORR_MAX_NAME], path[64];
    while (orr_next_word(&columns, ' ', column, sizeof column)) {
        snprintf(path, sizeof path, "%s%s", section, column);
        orr_row_put(w, path, orr_csv_cell(w->csv, row, column));
    }
}

bool orr_row_word(const struct validator *w, size_t row, const char *column, const char *words, struct orr_score *score)
{
    const char *cell = orr_csv_cell(w->csv, row, column);
    char word[ORR_MAX_NAME];
    int length = snprintf(score->skipped, sizeof score->skipped, "%s must be empty", column);
    bool known = !cell[0];
    while (!known && orr_next_word(&words, ' ', word, sizeof word)) {
        known = strcmp(cell, word) == 0;
        length += snprintf(score->skipped + length, sizeof score->skipped - (size_t)length, " or \"%s\"", word);
    }
    if (known) score->skipped[0] = '\0';
    else snprintf(score->skipped + length, sizeof score->skipped - (size_t)length, ", not \"%.40s\"", cell);
    return known;
}

/* Columns that are keys of the request and of its workload. */
#define HEAD "model system gpus"
#define STEP "seq micro_batch precision recompute attention"

/* A cell that the source leaves empty is filled in by the prediction; a column that the file lacks has its default.
 * Recomputation is not: an engine states what its
 * launcher does by itself, which says more than what would be fastest. */
static void put_open(struct validator *w, size_t row, const char *section, const char *column)
{
    char path[64];
    const char *cell = orr_csv_cell(w->csv, row, column);
    snprintf(path, sizeof path, "%s%s", section, column);
    orr_row_put(w, path, cell[0] || !orr_csv_has(w->csv, column) ? cell : "auto");
}

static void put_training(struct validator *w, size_t row)
{
    const struct orr_csv *csv = w->csv;
    const char *sp = orr_csv_cell(csv, row, "sp");
    const bool jax = strcmp(orr_csv_cell(csv, row, "framework"), "jax") == 0;
    orr_row_put(w, "kind", "train");
    orr_row_put_cells(w, row, "", HEAD);
    orr_row_put_cells(w, row, "plan.", "tp pp dp cp cp_kind ep etp zero zero_group schedule overlap offload");
    put_open(w, row, "plan.", "vpp");
    orr_row_put(w, "plan.sp", orr_row_value(sp) == 1 ? "true" : orr_row_value(sp) == 0 ? "false" : sp);
    orr_row_put_cells(w, row, "workload.",
                      "seq global_batch precision fp8_recipe recompute attention optimizer optimizer_in_backward "
                      "layer_graphs adapter frozen "
                      "encoder_tokens sample_len");
    put_open(w, row, "workload.", "micro_batch");
    orr_row_put_engine(w, jax ? "jax-xla" : orr_csv_cell(csv, row, "engine"), "generic");
}

/* ---- scoring */

struct orr_score *orr_row_score(struct validator *w, size_t row, const char *metric)
{
    const struct orr_csv *csv = w->csv;
    struct orr_score *score = &w->v->scores[w->v->n_scores++];
    *score = (struct orr_score){.csv = w->v->n_csvs - 1,
                                .row = row,
                                .set = w->set,
                                .id = orr_csv_cell(csv, row, "id"),
                                .source = orr_csv_cell(csv, row, "source"),
                                .system = orr_csv_cell(csv, row, "system"),
                                .model = orr_csv_cell(csv, row, "model"),
                                .metric = metric};
    return score;
}

/* Writes down what a nearest measured run is recognised by. */
static void describe_run(const struct validator *w, struct orr_score *score)
{
    const struct orr_plan *p = &w->job.plan;
    const bool trains = w->job.kind == ORR_JOB_TRAIN;
    memcpy(score->engine, w->job.engine.id, sizeof score->engine);
    memcpy(score->family, w->job.engine.family, sizeof score->family);
    memcpy(score->system_id, w->job.system.id, sizeof score->system_id);
    memcpy(score->chip, w->job.system.chip.id, sizeof score->chip);
    memcpy(score->architecture, w->job.system.chip.family, sizeof score->architecture);
    memcpy(score->bound_frac, w->exposure.bound_frac, sizeof score->bound_frac);
    score->gpus = (double)p->gpus;
    score->params = (double)orr_model_params_active(&w->job.model);
    const int64_t a = trains ? w->job.workload.micro_batch : w->job.serving.batch;
    const int64_t b = trains ? w->job.workload.seq : w->job.serving.input_len;
    snprintf(score->plan, sizeof score->plan, "tp %d pp %d dp %d ep %d, %s %d, %d tokens", (int)p->tp, (int)p->pp,
             (int)p->dp, (int)p->ep, trains ? "micro-batch" : "batch", (int)a, (int)b);
}

bool orr_row_predicted(double predicted, struct orr_score *score)
{
    if (predicted > 0 && isfinite(predicted)) {
        score->predicted = predicted;
        return true;
    }
    snprintf(score->skipped, sizeof score->skipped, "no prediction of %.40s in such a run", score->metric);
    return false;
}

static void compare_times(const struct validator *w, enum orr_regime regime, const struct orr_interval *interval,
                          double ratio, struct orr_score *score)
{
    score->error = 1 / ratio - 1;
    score->timed = true;
    score->covered = ratio >= interval->low && ratio <= interval->high;
    score->on_record = interval->measured;
    score->low = interval->low;
    score->high = interval->high;
    describe_run(w, score);
    score->job_class = interval->name;
    score->regime = regime;
    score->calibrated = w->job.calibration.calibrated;
}

void orr_row_time(const struct validator *w, enum orr_regime regime, double predicted_s, struct orr_score *score)
{
    const struct orr_interval interval = orr_interval_of(&w->job, regime, &w->exposure);
    if (!orr_row_predicted(predicted_s, score)) return;
    compare_times(w, regime, &interval, score->measured / predicted_s, score);
}

void orr_row_rate(const struct validator *w, enum orr_regime regime, double predicted, double time_s,
                  struct orr_score *score)
{
    const struct orr_interval interval = orr_interval_of(&w->job, regime, &w->exposure);
    if (!orr_row_predicted(predicted, score)) return;
    compare_times(w, regime, &interval, time_s * predicted / score->measured / time_s, score);
}

/* The interval of a service: its class is that of its job. */
static struct orr_interval served(const struct validator *w, enum orr_regime regime, double low, double high)
{
    const struct orr_exposure none = {0};
    struct orr_interval interval = orr_interval_of(&w->job, regime, &none);
    interval.low = low;
    interval.high = high;
    return interval;
}

void orr_row_served_time(const struct validator *w, enum orr_regime regime, const struct orr_timing *timing,
                         double predicted_s, struct orr_score *score)
{
    const struct orr_interval interval = served(w, regime, timing->low_frac, timing->high_frac);
    if (!orr_row_predicted(predicted_s, score)) return;
    compare_times(w, regime, &interval, score->measured / predicted_s, score);
}

void orr_row_served_rate(const struct validator *w, enum orr_regime regime, double low_frac, double high_frac,
                         double predicted, struct orr_score *score)
{
    const struct orr_interval interval = served(w, regime, 1 / high_frac, 1 / low_frac);
    if (!orr_row_predicted(predicted, score)) return;
    compare_times(w, regime, &interval, predicted / score->measured, score);
}

static void record_memory(const struct validator *w, struct orr_score *score)
{
    score->predicted = w->result.memory.total_bytes / ORR_GIB;
    score->error = score->predicted / score->measured - 1;
}

/* No measured time, rate or size in any unit is beyond these; quotients of numbers further out are not finite. */
#define SMALLEST 1e-30

double orr_row_value(const char *cell)
{
    double value;
    return orr_number_parse(cell, &value) ? value : (double)NAN;
}

bool orr_row_measured(const struct validator *w, size_t row, const char *column, double unit, struct orr_score *score)
{
    const char *cell = orr_csv_cell(w->csv, row, column);
    const double value = orr_row_value(cell);
    const bool good = value >= SMALLEST && value <= 1 / SMALLEST;
    score->measured = good ? value / unit : value;
    if (!good)
        snprintf(score->skipped, sizeof score->skipped, "%s must be a positive number, not \"%.40s\"", column, cell);
    return good;
}

bool orr_row_read(struct validator *w, struct orr_score *score)
{
    const struct orr_job *job = NULL;
    if (!w->err) w->err = orr_form_job(w->form, &job, &w->error);
    const bool read = !w->err && job;
    w->err = ORR_OK;
    if (!read) {
        snprintf(score->skipped, sizeof score->skipped, "%s", w->error.text);
        return false;
    }
    w->job = *job;
    if (w->v->unseen) w->job.kin = w->unseen.kin;
    orr_ablate(w->v->without, &w->job);
    return true;
}

/* Predict w->job. */
static void predict(struct validator *w)
{
    orr_train(&w->job, w->scratch, &w->result);
    w->exposure = orr_train_exposure(&w->result);
}

/* A run that was measured had room. Predicted memory is at most 6 % too large in nine of ten measured runs. */
#define IMPOSSIBLE 1.5

/* Where a source prints no recomputation or no sharding, and what the engine does by itself cannot have fitted, the
 * fastest that fits is taken. Eq. 353. */
static void make_fit(struct validator *w, size_t row)
{
    const bool recompute = !orr_csv_cell(w->csv, row, "recompute")[0], zero = !orr_csv_cell(w->csv, row, "zero")[0];
    if (!recompute && !zero) return;
    predict(w);
    if (w->result.memory.most_bytes > IMPOSSIBLE * w->result.memory.usable_bytes)
        orr_fill_memory(&w->job, recompute, zero, w->scratch);
}

/* Read a training row. What the source does not print of micro-batch and chunks is filled in. */
static bool read_training(struct validator *w, size_t row, struct orr_score *score)
{
    if (!orr_row_word(w, row, "framework", "jax", score)) return false;
    put_training(w, row);
    if (!orr_row_read(w, score)) return false;
    w->job = *orr_filled(&w->job, w->scratch);
    return true;
}

/* Count whether the prediction of fitting agrees with what happened. */
static void judge(struct validator *w, bool ran)
{
    w->v->n_verdicts++;
    w->v->n_wrong_verdicts += w->result.fits != ran;
    w->v->n_failed += !ran;
    w->v->n_missed += !ran && w->result.fits;
}

/* A row of the metric "fits" says only whether a run fitted (1) or failed (0). A plan that the rules refuse counts as
 * predicted not to fit. */
static void score_verdict(struct validator *w, size_t row, struct orr_score *score)
{
    const char *cell = orr_csv_cell(w->csv, row, "value");
    const double value = orr_row_value(cell);
    score->measured = value;
    if (value != 0 && value != 1) {
        snprintf(score->skipped, sizeof score->skipped, "value of \"fits\" must be 0 or 1, not \"%.40s\"", cell);
        return;
    }
    if (!read_training(w, row, score)) {
        w->result.fits = false;
        if (w->error.code == ORR_ERR_RULE) judge(w, value == 1);
        return;
    }
    predict(w);
    judge(w, value == 1);
    snprintf(score->skipped, sizeof score->skipped, "%s, predicted %s (%.1f GiB)", value == 1 ? "ran" : "failed",
             w->result.fits ? "to fit" : "not to fit", w->result.memory.most_bytes / ORR_GIB);
}

/* Record the prediction of w->job beside a training row. */
static void predict_training(struct validator *w, size_t row, struct orr_score *score)
{
    (void)row;
    predict(w);
    const char *metric = score->metric;
    const enum orr_regime regime = orr_train_regime(&w->job);
    const double step_s = w->result.step_time_s;
    if (strcmp(metric, "step_time_s") == 0) {
        orr_row_time(w, regime, step_s, score);
    } else if (strcmp(metric, "tokens_per_s_per_gpu") == 0) {
        orr_row_rate(w, regime, w->result.tokens_per_s_per_gpu, step_s, score);
    } else if (strcmp(metric, "model_tflops_per_gpu") == 0) {
        /* The sources that print only this metric count causal attention as half of the scores. */
        const double flops = orr_model_flops_causal(&w->job);
        orr_row_rate(w, regime, flops / step_s / (double)w->job.plan.gpus / 1e12, step_s, score);
    } else if (strcmp(metric, "peak_memory_gib") == 0) {
        record_memory(w, score);
    } else {
        snprintf(score->skipped, sizeof score->skipped,
                 "unknown metric \"%.40s\" (known: step_time_s, tokens_per_s_per_gpu, model_tflops_per_gpu, "
                 "peak_memory_gib, fits)",
                 metric);
    }
}

static struct orr_score *read_training_row(struct validator *w, size_t row)
{
    struct orr_score *score = orr_row_score(w, row, orr_csv_cell(w->csv, row, "metric"));
    if (strcmp(score->metric, "fits") == 0) {
        score_verdict(w, row, score);
        return NULL;
    }
    if (!orr_row_measured(w, row, "value", 1, score)) return NULL;
    w->error.code = ORR_OK;
    if (read_training(w, row, score)) {
        make_fit(w, row);
        return score;
    }
    /* A run whose plan the rules refuse is a wrong verdict, though no number of it can be scored. */
    w->result.fits = false;
    if (w->error.code == ORR_ERR_RULE && strcmp(score->metric, "peak_memory_gib") == 0) judge(w, true);
    return NULL;
}

static void score_training_row(struct validator *w, size_t row)
{
    struct orr_score *score = read_training_row(w, row);
    if (!score) return;
    predict_training(w, row, score);
    if (strcmp(score->metric, "peak_memory_gib") == 0) judge(w, true);
}

/* ---- lab steps: one GPU, model dimensions in the row */

#define LAB_REQUEST                                                                                                    \
    "{\"kind\":\"train\",\"gpus\":1,\"system\":\"h200-sxm\","                                                          \
    "\"model\":{\"tie_word_embeddings\":false,\"max_position_embeddings\":131072}}"

static void put_lab(struct validator *w, size_t row)
{
    static const char *const SHAPE[][2] = {
        {"model.hidden_size", "hidden"},        {"model.num_hidden_layers", "layers"},
        {"model.num_attention_heads", "heads"}, {"model.intermediate_size", "ffn"},
        {"model.vocab_size", "vocab"},          {"workload.global_batch", "micro_batch"}};
    const struct orr_csv *csv = w->csv;
    const bool llama = strcmp(orr_csv_cell(csv, row, "style"), "llama") == 0;
    const char *dropout = strtod(orr_csv_cell(csv, row, "dropout"), NULL) > 0 ? "true" : "false";
    const bool compiled = strcmp(orr_csv_cell(csv, row, "compiled"), "1") == 0;
    /* The lab's GPT has biases and layer norms but no position vectors, so it is a gpt_neox without rotary
     * dimensions. */
    orr_row_put(w, "model.model_type", llama ? "llama" : "gpt_neox");
    orr_row_put(w, "model.rotary_pct", llama ? "" : "0");
    orr_row_put(w, "model.use_parallel_residual", llama ? "" : "false");
    for (size_t i = 0; i < sizeof SHAPE / sizeof *SHAPE; i++)
        orr_row_put(w, SHAPE[i][0], orr_csv_cell(csv, row, SHAPE[i][1]));
    orr_row_put_cells(w, row, "workload.", STEP);
    orr_row_put_engine(w, compiled ? "torch-compile" : "pytorch-eager", "generic");
    orr_row_put(w, "workload.attention_dropout", dropout);
    orr_row_put(w, "workload.hidden_dropout", dropout);
}

/* Lab CSVs lack the columns system and source. */
static void name_lab(struct orr_score *score)
{
    score->system = "h200-sxm";
    if (!score->source[0]) score->source = "orrery-lab H200 training";
}

static struct orr_score *read_lab_row(struct validator *w, size_t row)
{
    struct orr_score *time = orr_row_score(w, row, "step_time_s");
    name_lab(time);
    put_lab(w, row);
    return orr_row_read(w, time) ? time : NULL;
}

static void predict_lab(struct validator *w, size_t row, struct orr_score *score)
{
    predict(w);
    if (orr_row_measured(w, row, "step_s", 1, score))
        orr_row_time(w, orr_train_regime(&w->job), w->result.step_time_s, score);
}

static void score_lab_row(struct validator *w, size_t row)
{
    struct orr_score *time = read_lab_row(w, row);
    if (!time) return;
    predict(w);
    const bool ran = orr_csv_cell(w->csv, row, "peak_bytes")[0] != '\0';
    judge(w, ran);
    if (!ran) {
        snprintf(time->skipped, sizeof time->skipped, "out of memory, predicted %s (%.1f GiB)",
                 w->result.fits ? "to fit" : "not to fit", w->result.memory.total_bytes / ORR_GIB);
        return;
    }
    predict_lab(w, row, time);
    if (time->skipped[0]) return;
    struct orr_score *memory = orr_row_score(w, row, "peak_memory_gib");
    name_lab(memory);
    if (orr_row_measured(w, row, "peak_bytes", ORR_GIB, memory)) record_memory(w, memory);
}

/* ---- layer times: one layer of the first kind, one micro-batch */

static void put_layer(struct validator *w, size_t row)
{
    orr_row_put(w, "kind", "train");
    orr_row_put_cells(w, row, "", HEAD);
    orr_row_put(w, "plan.tp", orr_csv_cell(w->csv, row, "tp"));
    orr_row_put(w, "plan.sp", strcmp(orr_csv_cell(w->csv, row, "sp"), "1") == 0 ? "true" : "false");
    orr_row_put_cells(w, row, "workload.", STEP);
    orr_row_put(w, "workload.global_batch", orr_csv_cell(w->csv, row, "micro_batch"));
    orr_row_put_engine(w, "megatron-lm-2022", "generic");
}

/* The time of one micro-batch through the first layer of the last prediction, at the clock of its step. */
static struct orr_rank_time first_layer(const struct validator *w)
{
    const struct orr_curves *curves = &w->scratch->shape.curves;
    const struct orr_layer_curve *curve = &curves->layer[w->job.model.layer_kind[0]];
    return orr_curve_at(&w->job, curve, &curves->bends[curve->first_bend], w->scratch->step.clock_frac);
}

static struct orr_score *read_layer_row(struct validator *w, size_t row)
{
    struct orr_score *score = orr_row_score(w, row, orr_csv_cell(w->csv, row, "phase"));
    if (!orr_row_measured(w, row, "time_s", 1, score)) return NULL;
    put_layer(w, row);
    return orr_row_read(w, score) ? score : NULL;
}

static void predict_layer(struct validator *w, size_t row, struct orr_score *score)
{
    const char *phase = score->metric;
    (void)row;
    predict(w);
    const struct orr_rank_time layer = first_layer(w);
    const double predicted_s =
        (strstr(phase, "forward") ? layer.forward_s : 0) + (strstr(phase, "backward") ? layer.backward_s : 0);
    if (predicted_s > 0) orr_row_time(w, orr_train_regime(&w->job), predicted_s, score);
    else
        snprintf(score->skipped, sizeof score->skipped,
                 "unknown phase \"%.40s\" (known: forward, backward, forward+backward)", phase);
}

static void score_layer_row(struct validator *w, size_t row)
{
    struct orr_score *score = read_layer_row(w, row);
    if (score) predict_layer(w, row, score);
}

/* ---- the whole file */

static const struct orr_schema SCHEMAS[] = {
    {{"metric", "value", "global_batch"},
     ORR_SET_TRAINING,
     NULL,
     score_training_row,
     read_training_row,
     predict_training},
    {{"metric", "stat", "arrival"},
     ORR_SET_SERVING,
     NULL,
     orr_score_serving_row,
     orr_read_serving_row,
     orr_predict_serving},
    {{"request_id", "arrival_s", "latency_s"}, ORR_SET_LOG, NULL, orr_score_log_row, NULL, NULL},
    {{"step_s", "peak_bytes", "hidden"}, ORR_SET_LAB, LAB_REQUEST, score_lab_row, read_lab_row, predict_lab},
    {{"metric", "value", "input_len"},
     ORR_SET_INFERENCE,
     NULL,
     orr_score_infer_row,
     orr_read_infer_row,
     orr_predict_infer},
    {{"phase", "time_s", "time_s"}, ORR_SET_LAYER, NULL, score_layer_row, read_layer_row, predict_layer}};

const struct orr_schema *orr_schema_of(const struct orr_csv *csv)
{
    for (size_t i = 0; i < sizeof SCHEMAS / sizeof *SCHEMAS; i++) {
        const char *const *columns = SCHEMAS[i].columns;
        if (orr_csv_has(csv, columns[0]) && orr_csv_has(csv, columns[1]) && orr_csv_has(csv, columns[2]))
            return &SCHEMAS[i];
    }
    return NULL;
}

/* Make room for the rows of one more file, which the validation then owns. */
static bool grow(struct orr_validation *v, const struct orr_csv *csv)
{
    struct orr_csv *csvs = realloc(v->csvs, (v->n_csvs + 1) * sizeof *csvs);
    if (!csvs) return false;
    v->csvs = csvs;
    struct orr_score *scores = realloc(v->scores, (v->n_scores + 2 * csv->n_rows + 1) * sizeof *scores);
    if (!scores) return false;
    v->scores = scores;
    v->csvs[v->n_csvs++] = *csv;
    v->n_rows += csv->n_rows;
    return true;
}

enum orr_err orr_validation_add(struct orr_validation *v, const char *csv, const char *origin, struct orr_error *error)
{
    struct orr_csv table = {0};
    enum orr_err err = orr_csv_parse(csv, origin, &table, error);
    if (err) return err;
    const struct orr_schema *schema = orr_schema_of(&table);
    if (!schema)
        err =
            orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.file = origin, .line = 1},
                     "not a measurement table: no columns metric, value, global_batch (training), step_s, peak_bytes, "
                     "hidden (lab steps), phase, time_s (layer times) or metric, value, input_len (inference)");
    else err = orr_schema_check(&table, schema->set, origin, error);
    if (!err && table.n_rows == 0)
        err = orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.file = origin}, "has columns, but no row to score");
    if (!err && !grow(v, &table)) err = orr_out_of_memory(error, origin);
    if (err) orr_csv_free(&table);
    return err;
}

enum orr_err orr_validate(const struct orr_catalogue *catalogue, const char *csv, const char *origin,
                          struct orr_validation **validation, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    struct orr_validation *v = *validation ? *validation : calloc(1, sizeof *v);
    const enum orr_err err =
        v ? orr_validate_each(catalogue, csv, origin, &v, 1, error) : orr_out_of_memory(error, origin);
    if (err && v != *validation) orr_validation_free(v);
    else *validation = v;
    return err;
}

enum orr_err orr_validation_without(const char *pieces, struct orr_validation **validation, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    uint32_t mask;
    const enum orr_err err = orr_pieces_parse(pieces, &mask, error);
    *validation = err ? NULL : calloc(1, sizeof **validation);
    if (*validation) (*validation)->without = mask;
    return err || *validation ? err : orr_out_of_memory(error, NULL);
}

enum orr_err orr_validation_unseen(struct orr_validation **validation, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    *validation = calloc(1, sizeof **validation);
    if (!*validation) return orr_out_of_memory(error, NULL);
    (*validation)->unseen = true;
    return ORR_OK;
}

void orr_validation_free(struct orr_validation *validation)
{
    if (!validation) return;
    for (size_t i = 0; i < validation->n_csvs; i++) orr_csv_free(&validation->csvs[i]);
    free(validation->csvs);
    free(validation->scores);
    free(validation->run.records);
    free(validation);
}
