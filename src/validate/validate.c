/* Measurement CSV -> predictions -> errors. Four schemas, told apart by their columns: training rows, inference
 * rows (validate_infer.c), steps of the H200 lab, times of single layers. docs/formats.md describes them. */
#include "validate/validate.h"

#include "base/units.h"
#include "validate/ablate.h"
#include "validate/validator.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- request text from cells */

static void add_string(struct orr_text *text, const char *value)
{
    orr_text_add(text, "\"");
    for (const char *c = value; *c; c++) {
        if (*c == '"' || *c == '\\') orr_text_add(text, "\\");
        orr_text_add(text, (unsigned char)*c < 0x20 ? " " : "%c", *c);
    }
    orr_text_add(text, "\"");
}

/* "key": cell, unless the cell is empty: then the documented default applies. */
void orr_row_cell(struct orr_text *text, const char *key, const char *cell)
{
    if (!cell[0]) return;
    const char last = text->data[text->length - 1];
    orr_text_add(text, "%s\"%s\":", last == '{' ? "" : ",", key);
    add_string(text, cell);
}

/* An integer the source prints in its notes after `word`, e.g. "ETP 4"; 0 if it does not. */
static long noted(const char *notes, const char *word)
{
    const char *at = strstr(notes, word);
    return at ? strtol(at + strlen(word), NULL, 10) : 0;
}

static void add_number(struct orr_text *text, const char *key, long value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%ld", value);
    if (value > 0) orr_row_cell(text, key, digits);
}

/* Facts a source states only in prose: expert tensor parallelism, the sharding group, the framework. */
static void add_noted_plan(struct orr_text *text, const char *notes)
{
    add_number(text, "etp", noted(notes, "ETP"));
    add_number(text, "zero_group", noted(notes, "FSDP group"));
}

static const char *engine_of(const struct orr_csv *csv, size_t row)
{
    return strstr(orr_csv_cell(csv, row, "notes"), "; JAX ") ? "jax-xla" : orr_csv_cell(csv, row, "engine");
}

static char *training_request(const struct orr_csv *csv, size_t row, const char *micro_batch)
{
    static const char *const PLAN[] = {"tp", "pp", "vpp", "dp", "cp", "ep", "zero"};
    static const char *const WORKLOAD[] = {"seq", "global_batch", "precision", "recompute", "attention"};
    struct orr_text text = {0};
    orr_text_add(&text, "{\"kind\":\"train\"");
    orr_row_cell(&text, "model", orr_csv_cell(csv, row, "model"));
    orr_row_cell(&text, "system", orr_csv_cell(csv, row, "system"));
    orr_row_cell(&text, "gpus", orr_csv_cell(csv, row, "gpus"));
    orr_text_add(&text, ",\"plan\":{");
    for (size_t i = 0; i < sizeof PLAN / sizeof *PLAN; i++)
        orr_row_cell(&text, PLAN[i], orr_csv_cell(csv, row, PLAN[i]));
    const char *sp = orr_csv_cell(csv, row, "sp");
    orr_row_cell(&text, "sp", orr_row_value(sp) == 1 ? "true" : orr_row_value(sp) == 0 ? "false" : sp);
    add_noted_plan(&text, orr_csv_cell(csv, row, "notes"));
    orr_text_add(&text, "},\"workload\":{");
    for (size_t i = 0; i < sizeof WORKLOAD / sizeof *WORKLOAD; i++)
        orr_row_cell(&text, WORKLOAD[i], orr_csv_cell(csv, row, WORKLOAD[i]));
    orr_row_cell(&text, "micro_batch", micro_batch);
    orr_row_cell(&text, "engine", engine_of(csv, row));
    orr_text_add(&text, "}}");
    return orr_text_take(&text);
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

void orr_row_time(const struct validator *w, enum orr_regime regime, double predicted_s, double measured_s,
                  struct orr_score *score)
{
    const struct orr_interval interval = orr_interval_of(regime, w->job.calibration.calibrated);
    score->error = predicted_s / measured_s - 1;
    score->timed = true;
    score->covered = measured_s >= interval.low * predicted_s && measured_s <= interval.high * predicted_s;
    score->job_class = interval.name;
    score->regime = regime;
    score->calibrated = w->job.calibration.calibrated;
}

double orr_row_value(const char *cell)
{
    char *end;
    const double value = strtod(cell, &end);
    return end != cell && end[strspn(end, " ")] == '\0' ? value : (double)NAN;
}

bool orr_row_measured(struct orr_score *score, const char *column, const char *cell)
{
    score->measured = orr_row_value(cell);
    if (score->measured > 0 && isfinite(score->measured)) return true;
    snprintf(score->skipped, sizeof score->skipped, "%s must be a positive number, not \"%.40s\"", column, cell);
    return false;
}

/* The measured value in units of `unit`. */
static bool read_measured(const struct validator *w, size_t row, const char *column, double unit,
                          struct orr_score *score)
{
    if (!orr_row_measured(score, column, orr_csv_cell(w->csv, row, column))) return false;
    score->measured /= unit;
    return true;
}

/* Several validations ask for the same request in turn, and reading takes far longer than predicting. */
bool orr_row_read(struct validator *w, char *request, struct orr_score *score)
{
    struct orr_error error;
    const bool again = request && w->request && strcmp(request, w->request) == 0;
    const bool read = again || (request && orr_job_read(w->catalogue, request, "row", &w->as_read, &error) == ORR_OK);
    if (!read) snprintf(score->skipped, sizeof score->skipped, "%s", request ? error.text : "out of memory");
    free(w->request);
    w->request = read ? request : NULL;
    if (!read) free(request);
    w->job = w->as_read;
    orr_ablate(w->v->without, &w->job);
    return read;
}

/* Read a request into the validator's job and predict it; on failure the score says why. */
static bool predict(struct validator *w, char *request, struct orr_score *score)
{
    if (!orr_row_read(w, request, score)) return false;
    orr_train(&w->job, w->scratch, &w->result);
    return true;
}

/* Where a source does not print the micro-batch: the engine's usual one, halved until it divides the batch and fits. */
static bool predict_training(struct validator *w, size_t row, struct orr_score *score)
{
    const struct orr_csv *csv = w->csv;
    const char *printed = orr_csv_cell(csv, row, "micro_batch");
    if (!predict(w, training_request(csv, row, printed[0] ? printed : "1"), score)) return false;
    int64_t micro_batch = printed[0] ? 1 : w->job.engine.default_micro_batch;
    for (; micro_batch > 1; micro_batch /= 2) {
        struct orr_job job = w->job;
        struct orr_result result;
        job.workload.micro_batch = micro_batch;
        if (orr_job_check(&job, NULL) != ORR_OK) continue;
        orr_train(&job, w->scratch, &result);
        if (!result.fits) continue;
        w->job = job;
        w->result = result;
        break;
    }
    return true;
}

static void score_training_row(struct validator *w, size_t row)
{
    const struct orr_csv *csv = w->csv;
    const char *metric = orr_csv_cell(csv, row, "metric");
    struct orr_score *score = orr_row_score(w, row, metric);
    if (!read_measured(w, row, "value", 1, score) || !predict_training(w, row, score)) return;
    const double value = score->measured, step_s = w->result.step_time_s;
    if (strcmp(metric, "step_time_s") == 0) {
        score->predicted = step_s;
        orr_row_time(w, orr_train_regime(&w->job), step_s, value, score);
    } else if (strcmp(metric, "tokens_per_s_per_gpu") == 0) {
        score->predicted = w->result.tokens_per_s_per_gpu;
        orr_row_time(w, orr_train_regime(&w->job), step_s, step_s * score->predicted / value, score);
    } else if (strcmp(metric, "model_tflops_per_gpu") == 0) {
        /* the sources that print only this count causal attention: half the scores */
        score->predicted = orr_model_flops_causal(&w->job) / step_s / (double)w->job.plan.gpus / 1e12;
        orr_row_time(w, orr_train_regime(&w->job), step_s, step_s * score->predicted / value, score);
    } else if (strcmp(metric, "peak_memory_gib") == 0) {
        score->predicted = w->result.memory.total_bytes / ORR_GIB;
        score->error = score->predicted / value - 1;
    } else {
        snprintf(score->skipped, sizeof score->skipped,
                 "unknown metric \"%.40s\" (known: step_time_s, tokens_per_s_per_gpu, model_tflops_per_gpu, "
                 "peak_memory_gib)",
                 metric);
    }
}

/* ---- lab steps: one GPU, model dimensions in the row */

static char *lab_request(const struct orr_csv *csv, size_t row)
{
    const bool llama = strcmp(orr_csv_cell(csv, row, "style"), "llama") == 0;
    const bool dropout = strtod(orr_csv_cell(csv, row, "dropout"), NULL) > 0;
    const bool compiled = strcmp(orr_csv_cell(csv, row, "compiled"), "1") == 0;
    struct orr_text text = {0};
    orr_text_add(&text, "{\"kind\":\"train\",\"gpus\":1,\"system\":\"h200-sxm\",\"model\":{");
    /* the lab's GPT has biases and layer norms but no position vectors: gpt_neox without rotary dimensions */
    orr_text_add(&text, llama ? "\"model_type\":\"llama\""
                              : "\"model_type\":\"gpt_neox\",\"rotary_pct\":0,\"use_parallel_residual\":false");
    orr_text_add(
        &text, ",\"tie_word_embeddings\":false,\"hidden_size\":%s,\"num_hidden_layers\":%s,\"num_attention_heads\":%s",
        orr_csv_cell(csv, row, "hidden"), orr_csv_cell(csv, row, "layers"), orr_csv_cell(csv, row, "heads"));
    orr_text_add(&text, ",\"intermediate_size\":%s,\"vocab_size\":%s,\"max_position_embeddings\":131072}",
                 orr_csv_cell(csv, row, "ffn"), orr_csv_cell(csv, row, "vocab"));
    orr_text_add(&text, ",\"workload\":{\"engine\":\"%s\",\"attention_dropout\":%s,\"hidden_dropout\":%s",
                 compiled ? "torch-compile" : "pytorch-eager", dropout ? "true" : "false", dropout ? "true" : "false");
    orr_row_cell(&text, "seq", orr_csv_cell(csv, row, "seq"));
    orr_row_cell(&text, "micro_batch", orr_csv_cell(csv, row, "micro_batch"));
    orr_row_cell(&text, "global_batch", orr_csv_cell(csv, row, "micro_batch"));
    orr_row_cell(&text, "precision", orr_csv_cell(csv, row, "precision"));
    orr_row_cell(&text, "recompute", orr_csv_cell(csv, row, "recompute"));
    orr_row_cell(&text, "attention", orr_csv_cell(csv, row, "attention"));
    orr_text_add(&text, "}}");
    return orr_text_take(&text);
}

/* The lab's own table prints neither. */
static void name_lab(struct orr_score *score)
{
    score->system = "h200-sxm";
    if (!score->source[0]) score->source = "orrery-lab H200 training";
}

static void score_lab_row(struct validator *w, size_t row)
{
    const struct orr_csv *csv = w->csv;
    struct orr_score *time = orr_row_score(w, row, "step_time_s");
    name_lab(time);
    if (!predict(w, lab_request(csv, row), time)) return;
    const bool ran = orr_csv_cell(csv, row, "peak_bytes")[0] != '\0';
    w->v->n_verdicts++;
    w->v->n_wrong_verdicts += w->result.fits != ran;
    if (!ran) {
        snprintf(time->skipped, sizeof time->skipped, "out of memory, predicted %s (%.1f GiB)",
                 w->result.fits ? "to fit" : "not to fit", w->result.memory.total_bytes / ORR_GIB);
        return;
    }
    if (!read_measured(w, row, "step_s", 1, time)) return;
    time->predicted = w->result.step_time_s;
    orr_row_time(w, orr_train_regime(&w->job), time->predicted, time->measured, time);
    struct orr_score *memory = orr_row_score(w, row, "peak_memory_gib");
    name_lab(memory);
    if (!read_measured(w, row, "peak_bytes", ORR_GIB, memory)) return;
    memory->predicted = w->result.memory.total_bytes / ORR_GIB;
    memory->error = memory->predicted / memory->measured - 1;
}

/* ---- layer times: one layer of the first kind, one micro-batch */

static char *layer_request(const struct orr_csv *csv, size_t row)
{
    static const char *const WORKLOAD[] = {"seq", "micro_batch", "precision", "recompute", "attention"};
    struct orr_text text = {0};
    orr_text_add(&text, "{\"kind\":\"train\"");
    orr_row_cell(&text, "model", orr_csv_cell(csv, row, "model"));
    orr_row_cell(&text, "system", orr_csv_cell(csv, row, "system"));
    orr_row_cell(&text, "gpus", orr_csv_cell(csv, row, "gpus"));
    orr_text_add(&text, ",\"plan\":{\"sp\":%s", strcmp(orr_csv_cell(csv, row, "sp"), "1") == 0 ? "true" : "false");
    orr_row_cell(&text, "tp", orr_csv_cell(csv, row, "tp"));
    orr_text_add(&text, "},\"workload\":{\"engine\":\"megatron-lm-2022\"");
    for (size_t i = 0; i < sizeof WORKLOAD / sizeof *WORKLOAD; i++)
        orr_row_cell(&text, WORKLOAD[i], orr_csv_cell(csv, row, WORKLOAD[i]));
    orr_row_cell(&text, "global_batch", orr_csv_cell(csv, row, "micro_batch"));
    orr_text_add(&text, "}}");
    return orr_text_take(&text);
}

static void score_layer_row(struct validator *w, size_t row)
{
    const struct orr_csv *csv = w->csv;
    const char *phase = orr_csv_cell(csv, row, "phase");
    struct orr_score *score = orr_row_score(w, row, phase);
    if (!read_measured(w, row, "time_s", 1, score) || !predict(w, layer_request(csv, row), score)) return;
    const struct orr_curves *curves = &w->scratch->shape.curves;
    const struct orr_layer_curve *curve = &curves->layer[w->job.model.layer_kind[0]];
    const struct orr_rank_time layer =
        orr_curve_at(&w->job, curve, &curves->bends[curve->first_bend], w->scratch->step.clock_frac);
    score->predicted =
        (strstr(phase, "forward") ? layer.forward_s : 0) + (strstr(phase, "backward") ? layer.backward_s : 0);
    if (score->predicted > 0) orr_row_time(w, orr_train_regime(&w->job), score->predicted, score->measured, score);
    else
        snprintf(score->skipped, sizeof score->skipped,
                 "unknown phase \"%.40s\" (known: forward, backward, forward+backward)", phase);
}

/* ---- the whole file */

/* A schema is known by its columns. */
static const struct schema {
    const char *columns[3];
    enum orr_set set;
    void (*score_row)(struct validator *, size_t);
} SCHEMAS[] = {{{"metric", "value", "global_batch"}, ORR_SET_TRAINING, score_training_row},
               {{"step_s", "peak_bytes", "hidden"}, ORR_SET_LAB, score_lab_row},
               {{"metric", "value", "input_len"}, ORR_SET_INFERENCE, orr_score_infer_row},
               {{"phase", "time_s", "time_s"}, ORR_SET_LAYER, score_layer_row}};

static const struct schema *schema_of(const struct orr_csv *csv)
{
    for (size_t i = 0; i < sizeof SCHEMAS / sizeof *SCHEMAS; i++) {
        const char *const *columns = SCHEMAS[i].columns;
        if (orr_csv_has(csv, columns[0]) && orr_csv_has(csv, columns[1]) && orr_csv_has(csv, columns[2]))
            return &SCHEMAS[i];
    }
    return NULL;
}

static enum orr_err out_of_memory(const char *origin, struct orr_error *error)
{
    return orr_fail(error, ORR_ERR_MEMORY, (struct orr_place){.file = origin}, "out of memory");
}

/* Room for the rows of one more file, which the validation then owns. */
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

static enum orr_err add_table(struct orr_validation *v, const char *csv, const char *origin, struct orr_error *error)
{
    struct orr_csv table = {0};
    enum orr_err err = orr_csv_parse(csv, origin, &table, error);
    if (err) return err;
    if (!schema_of(&table))
        err =
            orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.file = origin, .line = 1},
                     "not a measurement table: no columns metric, value, global_batch (training), step_s, peak_bytes, "
                     "hidden (lab steps), phase, time_s (layer times) or metric, value, input_len (inference)");
    else if (!grow(v, &table)) err = out_of_memory(origin, error);
    if (err) orr_csv_free(&table);
    return err;
}

/* Score the last file of every validation, row by row. */
static void score_rows(struct validator *w, struct orr_validation *const *validations, size_t n)
{
    const struct orr_csv *first = &validations[0]->csvs[validations[0]->n_csvs - 1];
    const struct schema *schema = schema_of(first);
    w->set = schema->set;
    for (size_t row = 0; row < first->n_rows; row++)
        for (size_t i = 0; i < n; i++) {
            w->v = validations[i];
            w->csv = &w->v->csvs[w->v->n_csvs - 1];
            schema->score_row(w, row);
        }
}

enum orr_err orr_validate_each(const struct orr_catalogue *catalogue, const char *csv, const char *origin,
                               struct orr_validation *const *validations, size_t n, struct orr_error *error)
{
    struct validator *w = calloc(1, sizeof *w);
    struct orr_scratch *scratch = orr_scratch_new();
    enum orr_err err = w && scratch ? ORR_OK : out_of_memory(origin, error);
    for (size_t i = 0; i < n && !err; i++) err = add_table(validations[i], csv, origin, error);
    if (!err) {
        w->catalogue = catalogue;
        w->scratch = scratch;
        score_rows(w, validations, n);
        free(w->request);
    }
    orr_scratch_free(scratch);
    free(w);
    return err;
}

enum orr_err orr_validate(const struct orr_catalogue *catalogue, const char *csv, const char *origin,
                          struct orr_validation **validation, struct orr_error *error)
{
    struct orr_validation *v = *validation ? *validation : calloc(1, sizeof *v);
    const enum orr_err err = v ? orr_validate_each(catalogue, csv, origin, &v, 1, error) : out_of_memory(origin, error);
    if (err && v != *validation) orr_validation_free(v);
    else *validation = v;
    return err;
}

enum orr_err orr_validation_without(const char *pieces, struct orr_validation **validation, struct orr_error *error)
{
    uint32_t mask;
    const enum orr_err err = orr_pieces_parse(pieces, &mask, error);
    *validation = err ? NULL : calloc(1, sizeof **validation);
    if (*validation) (*validation)->without = mask;
    return err || *validation ? err : orr_fail(error, ORR_ERR_MEMORY, (struct orr_place){0}, "out of memory");
}

void orr_validation_free(struct orr_validation *validation)
{
    if (!validation) return;
    for (size_t i = 0; i < validation->n_csvs; i++) orr_csv_free(&validation->csvs[i]);
    free(validation->csvs);
    free(validation->scores);
    free(validation);
}
