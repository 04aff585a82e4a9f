/* This file shows the scores of orr_validate as a terminal table, JSON or CSV: per source, system and metric, the worst
 * rows, and which rows were skipped and why. */
#include "report/validation.h"

#include "base/plain.h"
#include "report/json_text.h"
#include "report/record.h"
#include "report/table.h"
#include "validate/cells.h"
#include "validate/unseen_stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORST_ROWS 10

/* ---- terminal */

static void add_stats_row(struct orr_table *table, enum orr_paint paint, const char *name,
                          const struct orr_error_stats *s)
{
    char n[16], mean[16], median[16], p90[16], max[16], bias[16], cover[16], width[16] = "";
    snprintf(n, sizeof n, "%zu", s->n);
    if (!isnan(s->width_ln)) snprintf(width, sizeof width, "%.2f", s->width_ln);
    snprintf(bias, sizeof bias, "%+.1f", 100 * s->bias_frac);
    ORR_ROW(table, paint, name, n, orr_percent(mean, s->mape_frac), orr_percent(median, s->median_frac),
            orr_percent(p90, s->p90_frac), orr_percent(max, s->max_frac), bias, orr_percent(cover, s->coverage80_frac),
            width);
}

static void add_group_table(const struct orr_validation *v, const struct orr_grouping *grouping, struct orr_text *text,
                            const struct orr_style *style)
{
    size_t n;
    const char **values = orr_validation_values(v, grouping->member, &n);
    struct orr_table table;
    orr_table_start(&table, "frrrrrrrr");
    table.drop = "000001000";
    ORR_ROW(&table, ORR_PAINT_BOLD, grouping->title, "rows", "mean", "median", "p90", "max", "bias", "in 80 %",
            "width");
    for (size_t i = 0; values && i < n; i++) {
        const struct orr_error_stats stats = orr_score_stats(v, grouping->member, values[i]);
        add_stats_row(&table, ORR_PAINT_NONE, values[i], &stats);
    }
    const struct orr_error_stats all = orr_score_stats(v, NULL, NULL);
    if (grouping->member == orr_source_of) add_stats_row(&table, ORR_PAINT_BOLD, "all", &all);
    orr_table_print(&table, text, style);
    orr_text_add(text, "\n");
    text->failed = text->failed || !values;
    free(values);
}

static void add_worst(const struct orr_validation *v, struct orr_text *text, const struct orr_style *style)
{
    size_t n;
    const struct orr_score **order = orr_validation_worst(v, &n);
    struct orr_table table;
    orr_table_start(&table, "lfllrrr");
    table.drop = "0021000";
    ORR_ROW(&table, ORR_PAINT_BOLD, "worst rows", "model", "system", "metric", "measured", "predicted", "error %");
    for (size_t i = 0; order && i < n && i < WORST_ROWS; i++) {
        char measured[24], predicted[24], error[16];
        snprintf(measured, sizeof measured, "%.4g", order[i]->measured);
        snprintf(predicted, sizeof predicted, "%.4g", order[i]->predicted);
        snprintf(error, sizeof error, "%+.1f", 100 * order[i]->error);
        ORR_ROW(&table, ORR_PAINT_NONE, order[i]->id, order[i]->model, order[i]->system, order[i]->metric, measured,
                predicted, error);
    }
    orr_table_print(&table, text, style);
    free(order);
}

/* A value that a run was given says in its reason what the program makes of that row; the reason ends before that. */
static size_t reason_length(const char *reason)
{
    return strncmp(reason, "given:", 6) == 0 ? strcspn(reason, ",;") : strlen(reason);
}

static bool same_reason(const char *a, const char *b)
{
    const size_t length = reason_length(a);
    return length == reason_length(b) && strncmp(a, b, length) == 0;
}

/* Lists every reason once, with the number of rows it stopped. */
static void add_skipped(const struct orr_validation *v, struct orr_text *text, const struct orr_style *style)
{
    for (size_t i = 0; i < v->n_scores; i++) {
        const char *reason = v->scores[i].skipped;
        size_t first = 0, n = 0;
        while (first < i && !same_reason(v->scores[first].skipped, reason)) first++;
        if (!reason[0] || first < i) continue;
        for (size_t j = i; j < v->n_scores; j++) n += same_reason(v->scores[j].skipped, reason);
        char label[32], shown[sizeof v->scores[i].skipped];
        snprintf(label, sizeof label, "  skipped %zu", n);
        snprintf(shown, sizeof shown, "%.*s", (int)reason_length(reason), reason);
        orr_text_wrap(text, style, label, 15, shown, " ");
    }
}

static void add_coverage(const struct orr_validation *v, struct orr_text *text, const struct orr_style *style)
{
    struct orr_text line = {0};
    const struct orr_coverage_fracs coverage = orr_validation_coverage(v);
    if (isnan(coverage.inside)) return;
    orr_text_add(&line, "  80 %% intervals: %.1f %% inside", 100 * coverage.inside);
    if (!isnan(coverage.left_out)) orr_text_add(&line, ", %.1f %% leaving each source out", 100 * coverage.left_out);
    const struct orr_held held = orr_held_on_record(v);
    if (held.rows > 0)
        orr_text_add(&line,
                     "; of engines that runs cover %.0f %% as a mean over sources, at a mean width of %.2f in ln",
                     100 * held.coverage_frac, held.width_ln);
    if (held.sources > 1) {
        orr_text_add(&line, " (stretched alike to another mean width: ");
        orr_add_held_at(&line, v, orr_held_on_record_at);
        orr_text_add(&line, ")");
    }
    struct orr_cells_held without;
    if (held.rows > 0 && orr_cells_left_out(v, &without) == ORR_OK && without.rows > 0)
        orr_text_add(&line, "; %.0f %% if no row has a part in its own interval", 100 * without.coverage_frac);
    orr_text_add(&line, ".\n");
    text->failed |= line.failed;
    if (!line.failed) orr_text_fit(text, style, line.data);
    free(line.data);
}

/* Names the piece that is left out, and says what is predicted instead. */
static void add_without(const struct orr_validation *v, struct orr_text *text, const struct orr_style *style)
{
    const char *name, *meaning;
    for (size_t i = 0; (name = orr_piece_name(i, &meaning)); i++) {
        if (!(v->without >> i & 1)) continue;
        char line[160];
        snprintf(line, sizeof line, "%s: %s", name, meaning);
        orr_text_wrap(text, style, "  without", 11, line, " ");
    }
    if (v->without) orr_text_add(text, "\n");
}

static void add_terminal(const struct orr_validation *v, struct orr_text *text, const struct orr_style *style)
{
    char scored[128];
    (void)snprintf(
        scored, sizeof scored,
        "%zu rows, %zu values scored. Error in %%: predicted time over measured time - 1 (memory: bytes).\n\n",
        v->n_rows, orr_score_stats(v, NULL, NULL).n);
    orr_text_fit(text, style, scored);
    add_without(v, text, style);
    struct orr_grouping groupings[ORR_MAX_GROUPINGS];
    const size_t n = orr_validation_groupings(v, groupings);
    for (size_t i = 0; i < n; i++) add_group_table(v, &groupings[i], text, style);
    add_worst(v, text, style);
    orr_text_add(text, "\n");
    add_coverage(v, text, style);
    if (v->n_verdicts > 0)
        orr_text_add(text, "  Fits or not: %zu runs, %zu wrong; %zu of %zu failed runs recognised.\n", v->n_verdicts,
                     v->n_wrong_verdicts, v->n_failed - v->n_missed, v->n_failed);
    add_skipped(v, text, style);
}

/* ---- JSON */

json_t *orr_stats_json(const struct orr_error_stats *s)
{
    json_t *object =
        json_pack("{s:I, s:f, s:f, s:f, s:f, s:f}", "rows", (json_int_t)s->n, "mape", s->mape_frac, "median_ape",
                  s->median_frac, "p90_ape", s->p90_frac, "max_ape", s->max_frac, "bias", s->bias_frac);
    json_object_set_new(object, "coverage80", isnan(s->coverage80_frac) ? json_null() : json_real(s->coverage80_frac));
    json_object_set_new(object, "width_ln", isnan(s->width_ln) ? json_null() : json_real(s->width_ln));
    return object;
}

static json_t *groups_json(const struct orr_validation *v, const char *key, orr_member member)
{
    size_t n;
    const char **values = orr_validation_values(v, member, &n);
    json_t *array = values ? json_array() : NULL;
    for (size_t i = 0; values && i < n; i++) {
        const struct orr_error_stats stats = orr_score_stats(v, member, values[i]);
        json_t *object = orr_stats_json(&stats);
        json_object_set_new(object, key, json_string(values[i]));
        json_array_append_new(array, object);
    }
    free(values);
    return array;
}

static json_t *asked_json(const struct orr_validation *v, const struct orr_grouping *grouping)
{
    return json_pack("{s:s, s:o}", "field", grouping->title, "groups", groups_json(v, "value", grouping->member));
}

/* Adds by_source, by_system, by_metric and by_class, "by" for the first column asked for, and "by_more" for others. */
static void add_groups_json(const struct orr_validation *v, json_t *object)
{
    struct orr_grouping groupings[ORR_MAX_GROUPINGS];
    const size_t n = orr_validation_groupings(v, groupings);
    for (size_t i = 0; i < ORR_FIXED_GROUPINGS; i++) {
        char key[32];
        snprintf(key, sizeof key, "by_%s", groupings[i].title);
        json_object_set_new(object, key, groups_json(v, groupings[i].title, groupings[i].member));
    }
    if (n > ORR_FIXED_GROUPINGS) json_object_set_new(object, "by", asked_json(v, &groupings[ORR_FIXED_GROUPINGS]));
    json_t *more = n > ORR_FIXED_GROUPINGS + 1 ? json_array() : NULL;
    for (size_t i = ORR_FIXED_GROUPINGS + 1; i < n; i++) json_array_append_new(more, asked_json(v, &groupings[i]));
    if (more) json_object_set_new(object, "by_more", more);
}

static json_t *skipped_json(const struct orr_validation *v)
{
    json_t *array = json_array();
    for (size_t i = 0; i < v->n_scores; i++)
        if (v->scores[i].skipped[0])
            json_array_append_new(array, json_pack("{s:s, s:i, s:s}", "id", v->scores[i].id, "line",
                                                   v->csvs[v->scores[i].csv].lines[v->scores[i].row], "reason",
                                                   v->scores[i].skipped));
    return array;
}

static json_t *without_json(const struct orr_validation *v)
{
    const char *name;
    json_t *array = json_array();
    for (size_t i = 0; (name = orr_piece_name(i, NULL)); i++)
        if (v->without >> i & 1) json_array_append_new(array, json_string(name));
    return array;
}

static json_t *validation_json(const struct orr_validation *v)
{
    const struct orr_error_stats all = orr_score_stats(v, NULL, NULL);
    json_t *object = json_pack("{s:s, s:s, s:I, s:I, s:o}", "schema", ORR_SCHEMA, "kind", "validate", "rows",
                               (json_int_t)v->n_rows, "scored", (json_int_t)all.n, "skipped", skipped_json(v));
    if (v->without) json_object_set_new(object, "without", without_json(v));
    json_t *stats = orr_stats_json(&all);
    json_object_del(stats, "rows");
    json_object_update(object, stats);
    json_decref(stats);
    const double left_out = orr_validation_coverage(v).left_out;
    json_object_set_new(object, "coverage80_left_out", isnan(left_out) ? json_null() : json_real(left_out));
    const struct orr_held held = orr_held_on_record(v);
    json_object_set_new(object, "coverage80_measured", held.rows > 0 ? json_real(held.coverage_frac) : json_null());
    json_object_set_new(object, "width_ln_measured", held.rows > 0 ? json_real(held.width_ln) : json_null());
    json_object_set_new(object, "measured_by_width",
                        held.sources > 1 ? orr_held_at_json(v, orr_held_on_record_at) : json_null());
    struct orr_cells_held without = {0};
    const bool known = held.rows > 0 && orr_cells_left_out(v, &without) == ORR_OK && without.rows > 0;
    json_object_set_new(object, "coverage80_row_left_out", known ? json_real(without.coverage_frac) : json_null());
    add_groups_json(v, object);
    json_object_set_new(object, "verdicts",
                        json_pack("{s:I, s:I, s:I, s:I}", "rows", (json_int_t)v->n_verdicts, "wrong",
                                  (json_int_t)v->n_wrong_verdicts, "failed", (json_int_t)v->n_failed, "missed",
                                  (json_int_t)v->n_missed));
    return object;
}

/* ---- CSV */

static void add_csv(const struct orr_validation *v, struct orr_text *text)
{
    orr_text_add(text, "id,source,model,system,metric,measured,predicted,error,in_interval,skipped,class,"
                       "engine,low,high\n");
    for (size_t i = 0; i < v->n_scores; i++) {
        const struct orr_score *s = &v->scores[i];
        const char *const words[] = {s->id, s->source, s->model, s->system, s->metric};
        for (size_t j = 0; j < sizeof words / sizeof *words; j++) {
            orr_csv_word(text, words[j]);
            orr_text_add(text, ",");
        }
        if (s->skipped[0]) orr_text_add(text, ",,,,");
        else
            orr_text_add(text, "%.10g,%.10g,%.6f,%s,", s->measured, s->predicted, s->error,
                         !s->timed    ? ""
                         : s->covered ? "1"
                                      : "0");
        orr_csv_word(text, s->skipped);
        orr_text_add(text, ",");
        orr_csv_word(text, s->skipped[0] ? "" : orr_class_of(s));
        orr_text_add(text, ",%s,", s->skipped[0] ? "" : s->engine);
        if (s->timed && !s->skipped[0]) orr_text_add(text, "%.4f,%.4f\n", s->low, s->high);
        else orr_text_add(text, ",\n");
    }
}

char *orr_validation_render(const struct orr_validation *validation, enum orr_format format,
                            const struct orr_style *style)
{
    ORR_PLAIN_NUMBERS;
    struct orr_text text = {0};
    if (format == ORR_FORMAT_JSON)
        orr_json_lines(&text,
                       validation->unseen ? orr_validation_unseen_json(validation) : validation_json(validation));
    else if (format == ORR_FORMAT_CSV) add_csv(validation, &text);
    else if (format == ORR_FORMAT_HTML) orr_validation_page(validation, &text);
    else if (format == ORR_FORMAT_INTERVALS) orr_validation_table(validation, &text);
    else if (format == ORR_FORMAT_RUNS) orr_validation_runs(validation, &text);
    else if (validation->unseen) orr_validation_unseen_terminal(validation, &text, style);
    else add_terminal(validation, &text, style);
    return orr_text_take(&text);
}
