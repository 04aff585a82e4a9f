/* The table of `orrery fit --few-shot`: error and coverage of every stack with 0, 1, 3, 5 and 10 of its runs. */
#include "study/few_shot.h"

#include "base/plain.h"
#include "report/json_text.h"
#include "report/table.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define CELL 64

static void add_line(struct orr_table *table, enum orr_paint paint, const char *name, const char *rows,
                     const double *median_frac, const double *coverage_frac, double floor_frac)
{
    char cells[ORR_FEW_SIZES][CELL], floor[CELL];
    for (int i = 0; i < ORR_FEW_SIZES; i++)
        if (i == 0) snprintf(cells[i], CELL, "%.1f", 100 * median_frac[i]);
        else snprintf(cells[i], CELL, "%.1f (%.0f)", 100 * median_frac[i], 100 * coverage_frac[i]);
    snprintf(floor, CELL, "%.1f", 100 * floor_frac);
    ORR_ROW(table, paint, name, rows, cells[0], cells[1], cells[2], cells[3], cells[4], floor);
}

/* How wide intervals are, since wide ones hold any share. */
static void add_widths(const struct orr_few_shot *few, struct orr_text *text, const struct orr_style *style)
{
    char line[240];
    size_t used = (size_t)snprintf(line, sizeof line,
                                   "Mean width of the 80 %% intervals, ln of the upper over the lower "
                                   "end:");
    for (int k = 1; k < ORR_FEW_SIZES; k++)
        used += (size_t)snprintf(line + used, sizeof line - used, "%s %.2f with %d", k > 1 ? "," : "",
                                 orr_few_width(few, k), orr_few_sizes[k]);
    snprintf(line + used, sizeof line - used, " runs.\n");
    orr_text_fit(text, style, line);
}

/* Which of the promises of docs/fit.md hold. */
static void add_bars(const struct orr_few_shot *few, struct orr_text *text, const struct orr_style *style)
{
    size_t high = 0, halved = 0, beyond = 0, low = 0, worse = 0;
    for (size_t i = 0; i < few->n; i++) {
        const double *m = few->stacks[i].median_frac;
        const bool is_high = m[0] > 0.1;
        if (few->stacks[i].populations) continue;
        high += is_high;
        halved += is_high && m[2] <= m[0] / 2;
        beyond += is_high && few->stacks[i].floor_frac > m[0] / 2;
        low += !is_high;
        for (int k = 1; k < ORR_FEW_SIZES; k++)
            if (!is_high && m[k] > m[0] + 0.01) {
                worse++;
                break;
            }
    }
    char line[240];
    snprintf(
        line, sizeof line,
        "Above 10 %% without a run: %zu stacks, %zu halved by 3 runs, %zu not halved by a fit to all of their runs. "
        "Others: %zu, %zu worse by more than a point.\n",
        high, halved, beyond, low, worse);
    orr_text_fit(text, style, line);
    for (size_t i = 0; i < few->n; i++) {
        const struct orr_few_stack *s = &few->stacks[i];
        char note[2 * ORR_STACK_PAIRS_TEXT + ORR_ID];
        if (!s->populations) continue;
        snprintf(note, sizeof note, "* Two populations, and part of no mean: %s · %s (%s).\n", s->source, s->engine,
                 s->pairs);
        orr_text_fit(text, style, note);
    }
}

static void add_terminal(const struct orr_few_shot *few, struct orr_text *text, const struct orr_style *style)
{
    struct orr_table table;
    char line[200], all[24];
    double median_frac[ORR_FEW_SIZES], coverage_frac[ORR_FEW_SIZES];
    snprintf(
        line, sizeof line,
        "Median error in %% (share inside the 80 %% interval) with 0, 1, 3, 5 and 10 runs; %d draws, on the parent "
        "engine. all: what a fit to all runs leaves of them.\n\n",
        few->n_draws);
    orr_text_fit(text, style, line);
    orr_table_start(&table, "frrrrrrr");
    ORR_ROW(&table, ORR_PAINT_BOLD, "stack (parent)", "rows", "0", "1", "3", "5", "10", "all");
    for (size_t i = 0; i < few->n; i++) {
        const struct orr_few_stack *s = &few->stacks[i];
        char name[256], rows[24];
        snprintf(name, sizeof name, "%s%s · %s (%s)", s->populations ? "* " : "", s->source,
                 s->engine[0] ? s->engine : "unknown", s->parent);
        snprintf(rows, sizeof rows, "%zu", s->n_rows);
        add_line(&table, ORR_PAINT_NONE, name, rows, s->median_frac, s->coverage_frac, s->floor_frac);
    }
    for (int k = 0; k < ORR_FEW_SIZES; k++) {
        median_frac[k] = orr_few_median(few, k);
        coverage_frac[k] = k ? orr_few_coverage(few, k) : 0;
    }
    snprintf(all, sizeof all, "%zu", orr_few_counted(few));
    add_line(&table, ORR_PAINT_BOLD, "geometric mean (mean)", all, median_frac, coverage_frac, orr_few_floor(few));
    orr_table_print(&table, text, style);
    add_widths(few, text, style);
    add_bars(few, text, style);
}

static json_t *list_of(const double *values, int from)
{
    json_t *list = json_array();
    for (int i = 0; i < ORR_FEW_SIZES; i++)
        json_array_append_new(list, i < from ? json_null() : orr_json_real(values[i]));
    return list;
}

/* How far stacks are from their parents: the spread of every number, in its scale; and how wide runs lie about them. */
static json_t *population_json(const struct orr_stack_population *population)
{
    json_t *object = json_object();
    for (int i = 0; i < ORR_STACK_DIMS; i++)
        json_object_set_new(object, i < ORR_STACK_N ? orr_stack_parameter(i)->key : "time_factor",
                            orr_json_real(population->spread[i]));
    json_object_set_new(object, "width", orr_json_real(population->width));
    json_object_set_new(object, "width_spread", orr_json_real(population->width_spread));
    return object;
}

static json_t *few_json(const struct orr_few_shot *few)
{
    json_t *stacks = json_array(), *sizes = json_array();
    double median_frac[ORR_FEW_SIZES], coverage_frac[ORR_FEW_SIZES], width[ORR_FEW_SIZES];
    for (int k = 0; k < ORR_FEW_SIZES; k++) {
        json_array_append_new(sizes, json_integer(orr_few_sizes[k]));
        median_frac[k] = orr_few_median(few, k);
        coverage_frac[k] = orr_few_coverage(few, k);
        width[k] = orr_few_width(few, k);
    }
    for (size_t i = 0; i < few->n; i++) {
        const struct orr_few_stack *s = &few->stacks[i];
        json_array_append_new(
            stacks, json_pack("{s:s, s:s, s:s, s:I, s:b, s:o, s:o, s:o, s:o}", "source", s->source, "engine", s->engine,
                              "parent", s->parent, "rows", (json_int_t)s->n_rows, "two_populations", s->populations,
                              "median_ape", list_of(s->median_frac, 0), "coverage80", list_of(s->coverage_frac, 1),
                              "width_ln", list_of(s->width, 1), "all_runs_median_ape", orr_json_real(s->floor_frac)));
    }
    return json_pack("{s:s, s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:o, s:o}}", "schema", ORR_SCHEMA, "kind",
                     "few_shot", "draws", few->n_draws, "runs", sizes, "median_ape", list_of(median_frac, 0),
                     "coverage80", list_of(coverage_frac, 1), "width_ln", list_of(width, 1), "all_runs_median_ape",
                     orr_json_real(orr_few_floor(few)), "stacks", stacks, "population", "training",
                     population_json(&few->population[0]), "serving", population_json(&few->population[1]));
}

static void add_csv(const struct orr_few_shot *few, struct orr_text *text)
{
    orr_text_add(text,
                 "source,engine,parent,rows,runs,median_ape,coverage80,width_ln,two_populations,all_runs_median_ape\n");
    for (size_t i = 0; i < few->n; i++)
        for (int k = 0; k < ORR_FEW_SIZES; k++) {
            const struct orr_few_stack *s = &few->stacks[i];
            orr_text_add(text, "\"%s\",%s,%s,%zu,%d,%.6f,%.6f,%.6f,%d,%.6f\n", s->source, s->engine, s->parent,
                         s->n_rows, orr_few_sizes[k], s->median_frac[k], k ? s->coverage_frac[k] : 0,
                         k ? s->width[k] : 0, s->populations, s->floor_frac);
        }
}

char *orr_few_shot_render(const struct orr_few_shot *few, enum orr_format format, const struct orr_style *style)
{
    ORR_PLAIN_NUMBERS;
    struct orr_text text = {0};
    if (format == ORR_FORMAT_JSON) orr_json_lines(&text, few_json(few));
    else if (format == ORR_FORMAT_CSV) add_csv(few, &text);
    else add_terminal(few, &text, style);
    return orr_text_take(&text);
}
