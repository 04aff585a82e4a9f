/* This file shows a validation that predicted every source as if nobody had seen it: errors, and how often and at what
 * width the 80 % intervals held, by source and by class. */
#include "report/validation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/json_text.h"
#include "report/table.h"

/* A class counts against its bar from so many rows and sources on. */
#define CLASS_ROWS    30
#define CLASS_SOURCES 3

/* ---- terminal */

static void add_row(struct orr_table *table, enum orr_paint paint, const char *name, const struct orr_held *held)
{
    char rows[16], sources[16], median[16], bias[16], cover[16], width[16], fast[16] = "";
    snprintf(rows, sizeof rows, "%zu", held->rows);
    snprintf(sources, sizeof sources, "%zu", held->sources);
    snprintf(median, sizeof median, "%.1f", 100 * held->median_frac);
    snprintf(bias, sizeof bias, "%+.1f", 100 * held->bias_frac);
    snprintf(cover, sizeof cover, "%.0f", 100 * held->coverage_frac);
    snprintf(width, sizeof width, "%.2f", held->width_ln);
    if (!isnan(held->too_fast_frac)) snprintf(fast, sizeof fast, "%.0f", 100 * held->too_fast_frac);
    ORR_ROW(table, paint, name, rows, sources, median, bias, cover, width, fast);
}

static void add_groups(const struct orr_validation *v, const char *title, orr_member member, bool mean,
                       struct orr_text *text, const struct orr_style *style)
{
    size_t n;
    const char **values = orr_validation_values(v, member, &n);
    struct orr_table table;
    orr_table_start(&table, "frrrrrrr");
    table.drop = "00200001";
    ORR_ROW(&table, ORR_PAINT_BOLD, title, "rows", "sources", "median", "bias", "in 80 %", "width", "slow misses");
    for (size_t i = 0; values && i < n; i++) {
        const struct orr_held held = orr_held_by(v, member, values[i]);
        if (held.rows > 0) add_row(&table, ORR_PAINT_NONE, values[i], &held);
    }
    const struct orr_held all = orr_held_mean(v);
    if (mean) add_row(&table, ORR_PAINT_BOLD, "mean over sources", &all);
    orr_table_print(&table, text, style);
    orr_text_add(text, "\n");
    text->failed |= !values;
    free(values);
}

/* Rows that are not in the table because the program declines to answer: they would be held, by intervals so wide that
 * they say nothing. */
static void add_declined(const struct orr_validation *v, struct orr_text *text, const struct orr_style *style)
{
    size_t n = 0;
    struct orr_text line = {0};
    for (size_t i = 0; i < v->n_scores; i++) n += strstr(v->scores[i].skipped, "at its knee") != NULL;
    if (n == 0) return;
    orr_text_add(&line, "Not in the table: %zu first tokens of services at their knee, which the program declines.\n\n",
                 n);
    text->failed |= line.failed;
    if (!line.failed) orr_text_fit(text, style, line.data);
    free(line.data);
}

/* The figure in which a source has no part in the choice of widths. */
static void add_cross(const struct orr_validation *v, struct orr_text *text, const struct orr_style *style)
{
    const struct orr_held cross = orr_held_cross(v);
    struct orr_text line = {0};
    if (cross.sources < 2) return;
    orr_text_add(
        &line,
        "With widths at which the other sources hold 80 %%, a source holds %.0f %% as a mean over sources, at a "
        "mean width of %.2f.\n\n",
        100 * cross.coverage_frac, cross.width_ln);
    text->failed |= line.failed;
    if (!line.failed) orr_text_fit(text, style, line.data);
    free(line.data);
}

/* ---- the same intervals, narrower or wider */

/* Mean widths at which the reports say what intervals would hold: those that docs/trust.md asks for, and two beside. */
static const double WIDTHS_LN[] = {0.3, 0.45, 0.6, 0.9};
enum { N_WIDTHS = sizeof WIDTHS_LN / sizeof *WIDTHS_LN };

void orr_add_held_at(struct orr_text *line, const struct orr_validation *v, orr_held_at_width held_at)
{
    for (size_t i = 0; i < N_WIDTHS; i++)
        orr_text_add(line, "%s%.0f %% at %.2f", i == 0 ? "" : ", ", 100 * held_at(v, WIDTHS_LN[i]).coverage_frac,
                     WIDTHS_LN[i]);
}

json_t *orr_held_at_json(const struct orr_validation *v, orr_held_at_width held_at)
{
    json_t *array = json_array();
    for (size_t i = 0; i < N_WIDTHS; i++)
        json_array_append_new(array, json_pack("{s:f, s:f}", "width_ln", WIDTHS_LN[i], "coverage80",
                                               held_at(v, WIDTHS_LN[i]).coverage_frac));
    return array;
}

static void add_widths(const struct orr_validation *v, struct orr_text *text, const struct orr_style *style)
{
    struct orr_text line = {0};
    if (orr_held_mean(v).sources < 2) return;
    orr_text_add(&line, "If all were stretched alike about their middles, to another mean width, they would hold ");
    orr_add_held_at(&line, v, orr_held_at);
    orr_text_add(&line, " (mean over sources).\n\n");
    text->failed |= line.failed;
    if (!line.failed) orr_text_fit(text, style, line.data);
    free(line.data);
}

/* ---- terminal, whole */

void orr_validation_unseen_terminal(const struct orr_validation *v, struct orr_text *text,
                                    const struct orr_style *style)
{
    orr_text_fit(text, style,
                 "Every source is predicted as if nobody had seen it: by the parent of its engine, without what was "
                 "chosen with its rows in view. Times only. Error in %: predicted over measured - 1. Width: ln of the "
                 "upper over the lower end. Slow misses: share of the misses in which the run was slower.\n\n");
    add_groups(v, "source", orr_source_of, true, text, style);
    add_cross(v, text, style);
    add_widths(v, text, style);
    add_declined(v, text, style);
    add_groups(v, "class", orr_class_of, false, text, style);
}

/* ---- JSON */

static json_t *held_json(const char *key, const char *value, const struct orr_held *held)
{
    return json_pack("{s:s, s:I, s:I, s:f, s:f, s:f, s:f}", key, value, "rows", (json_int_t)held->rows, "sources",
                     (json_int_t)held->sources, "median_ape_unseen", held->median_frac, "bias_unseen", held->bias_frac,
                     "coverage80_unseen", held->coverage_frac, "width_ln_unseen", held->width_ln);
}

static json_t *groups_json(const struct orr_validation *v, const char *key, orr_member member)
{
    size_t n;
    const char **values = orr_validation_values(v, member, &n);
    json_t *array = values ? json_array() : NULL;
    for (size_t i = 0; values && i < n; i++) {
        const struct orr_held held = orr_held_by(v, member, values[i]);
        if (held.rows > 0) json_array_append_new(array, held_json(key, values[i], &held));
    }
    free(values);
    return array;
}

/* The least coverage of the classes that have enough rows and sources; 1 if there is none. */
static double least_class(const struct orr_validation *v)
{
    size_t n;
    const char **values = orr_validation_values(v, orr_class_of, &n);
    double least = 1;
    for (size_t i = 0; values && i < n; i++) {
        const struct orr_held held = orr_held_by(v, orr_class_of, values[i]);
        if (held.rows >= CLASS_ROWS && held.sources >= CLASS_SOURCES && held.coverage_frac < least)
            least = held.coverage_frac;
    }
    free(values);
    return least;
}

json_t *orr_validation_unseen_json(const struct orr_validation *v)
{
    const struct orr_held all = orr_held_mean(v), cross = orr_held_cross(v);
    return json_pack("{s:s, s:s, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:o, s:o, s:o}", "schema", ORR_SCHEMA,
                     "kind", "validate", "rows", (json_int_t)v->n_rows, "scored", (json_int_t)all.rows, "sources",
                     (json_int_t)all.sources, "coverage80_unseen", all.coverage_frac, "median_ape_unseen",
                     all.median_frac, "width_ln_unseen", all.width_ln, "least_class_coverage80_unseen", least_class(v),
                     "coverage80_left_out", cross.coverage_frac, "width_ln_left_out", cross.width_ln, "by_width",
                     orr_held_at_json(v, orr_held_at), "by_source", groups_json(v, "source", orr_source_of), "by_class",
                     groups_json(v, "class", orr_class_of));
}
