/* A comparison for people: what was asked differently, the answers side by side, and the parts of the time. */
#include "report/assumed.h"
#include "report/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/table.h"
#include "spec/json.h"

#define LABEL_COLUMNS 22 /* columns of the screen for the name of a row */
#define CELL_COLUMNS  19 /* columns of the screen for one answer; more answers follow in a second table */
#define CELL_TEXT     (2 * ORR_VALUE_TEXT)

/* The answers of one table: `n` from `first` on, and the first of all before them. */
struct block {
    const struct orr_comparison *comparison;
    size_t first, n;
};

static const struct orr_compared *column_of(const struct block *block, size_t i)
{
    return &block->comparison->columns[i == 0 ? 0 : block->first + i - 1];
}

/* Starts a table with a name and one cell per answer. */
static void start(struct orr_table *table, const struct block *block)
{
    static const char *const ALIGNS[] = {"lr", "lrr", "lrrr", "lrrrr", "lrrrrr", "lrrrrrr", "lrrrrrrr", "lrrrrrrrr"};
    orr_table_start(table, ALIGNS[block->n]);
}

static void add_row(struct orr_table *table, enum orr_paint paint, const char *name, char cells[][CELL_TEXT], size_t n)
{
    const char *row[ORR_TABLE_COLUMNS] = {name};
    for (size_t i = 0; i < n; i++) row[i + 1] = cells[i];
    orr_table_row(table, paint, row);
}

static void add_names(struct orr_table *table, const struct block *block)
{
    char cells[ORR_COMPARE_MAX + 1][CELL_TEXT];
    for (size_t i = 0; i <= block->n; i++)
        (void)snprintf(cells[i], CELL_TEXT, "%.*s", CELL_COLUMNS, column_of(block, i)->name);
    add_row(table, ORR_PAINT_BOLD, "", cells, block->n + 1);
}

/* Adds the keys of the requests that differ. */
static void add_differences(const struct block *block, const struct orr_style *style, struct orr_text *text)
{
    struct orr_table table;
    size_t n_rows = 0;
    char cells[ORR_COMPARE_MAX + 1][CELL_TEXT];
    const json_t *request = column_of(block, 0)->request;
    start(&table, block);
    add_names(&table, block);
    for (void *at = json_object_iter((json_t *)request); at; at = json_object_iter_next((json_t *)request, at)) {
        const char *key = json_object_iter_key(at);
        if (orr_compare_same(block->comparison, key)) continue;
        for (size_t i = 0; i <= block->n; i++) {
            const json_t *value = json_object_get(column_of(block, i)->request, key);
            const bool word = json_is_string(value);
            const bool dumps = value && !word && !json_is_null(value);
            char *dumped = dumps ? orr_json_dump(value, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
            text->failed |= dumps && !dumped;
            const char *shown = word ? json_string_value(value) : dumped ? dumped : "-";
            (void)snprintf(cells[i], CELL_TEXT, "%.*s", CELL_COLUMNS, shown);
            free(dumped);
        }
        add_row(&table, ORR_PAINT_NONE, key, cells, block->n + 1);
        n_rows++;
    }
    if (n_rows == 0) ORR_ROW(&table, ORR_PAINT_DIM, "nothing", "", "", "", "", "", "", "", "", "");
    orr_text_title(text, style, "asked differently");
    orr_table_print(&table, text, style);
}

/* Prints a value and, where it differs from the first by half a percent or more, how many times the first it is. */
static void print_cell(char cell[CELL_TEXT], struct orr_value first, struct orr_value value, bool is_first)
{
    char number[ORR_VALUE_TEXT];
    orr_value_tell(number, value);
    const bool counts = !value.word && value.unit != ORR_METRIC_UNIT_FLAG && first.number > 0 && value.number > 0;
    const double ratio = counts ? value.number / first.number : 1;
    if (is_first || fabs(ratio - 1) < 0.005) (void)snprintf(cell, CELL_TEXT, "%s", number);
    else (void)snprintf(cell, CELL_TEXT, "%s ×%.2f", number, ratio);
}

static void add_answers(const struct block *block, const struct orr_style *style, struct orr_text *text)
{
    struct orr_table table;
    size_t n;
    char cells[ORR_COMPARE_MAX + 1][CELL_TEXT];
    const struct orr_compare_row *rows = orr_compare_rows(column_of(block, 0)->answer.job->kind, &n);
    start(&table, block);
    add_names(&table, block);
    for (size_t r = 0; r < n; r++) {
        const struct orr_value first = orr_metric_value(&column_of(block, 0)->answer, rows[r].metric);
        for (size_t i = 0; i <= block->n; i++)
            print_cell(cells[i], first, orr_metric_value(&column_of(block, i)->answer, rows[r].metric), i == 0);
        add_row(&table, r == 0 ? ORR_PAINT_BOLD : ORR_PAINT_NONE, rows[r].name, cells, block->n + 1);
    }
    orr_text_title(text, style, "answers");
    orr_table_print(&table, text, style);
}

/* Adds the seconds of every part; where a part differs by more than a hundredth of the whole, by how much. */
static void add_parts(const struct block *block, const struct orr_style *style, struct orr_text *text)
{
    struct orr_table table;
    const struct orr_answer *base = &column_of(block, 0)->answer;
    char cells[ORR_COMPARE_MAX + 1][CELL_TEXT], time[32], more[32];
    int n_parts;
    const double *base_s = orr_parts_s(base, &n_parts);
    start(&table, block);
    add_names(&table, block);
    for (int p = 0; p < n_parts; p++) {
        bool any = false;
        for (size_t i = 0; i <= block->n; i++) {
            int n;
            const double part_s = orr_parts_s(&column_of(block, i)->answer, &n)[p], longer_s = part_s - base_s[p];
            any |= part_s > 0;
            if (fabs(longer_s) < 0.01 * orr_total_s(base))
                (void)snprintf(cells[i], CELL_TEXT, "%s", orr_print_s(time, part_s));
            else
                (void)snprintf(cells[i], CELL_TEXT, "%s %s%s", orr_print_s(time, part_s), longer_s < 0 ? "−" : "+",
                               orr_print_s(more, fabs(longer_s)));
        }
        if (any) add_row(&table, ORR_PAINT_NONE, orr_part_text(base->job->kind, p), cells, block->n + 1);
    }
    orr_text_title(text, style, "parts of the time");
    orr_table_print(&table, text, style);
}

static void add_sentences(const struct orr_comparison *comparison, const struct orr_style *style, struct orr_text *text)
{
    orr_text_title(text, style, "why");
    for (size_t i = 1; i < comparison->n; i++) {
        struct orr_text line = {0};
        orr_compare_sentence(comparison, i, &line);
        orr_text_wrap_line(text, style, "  ", 2, &line, ", ");
    }
    for (size_t i = 0; i < comparison->n; i++) {
        const struct orr_answer *answer = &comparison->columns[i].answer;
        const char *reason = answer->job->kind == ORR_JOB_TRAIN ? answer->train.reason : answer->infer.reason;
        struct orr_text line = {0};
        if (!reason[0]) continue;
        orr_text_add(&line, "%s: %s", comparison->columns[i].name, reason);
        orr_text_wrap_line(text, style, "  ", 2, &line, " ");
    }
}

void orr_compare_terminal(const struct orr_comparison *comparison, const struct orr_style *style, struct orr_text *text)
{
    const int width = orr_style_width(style);
    size_t fit = (size_t)((width - LABEL_COLUMNS) / (CELL_COLUMNS + 2));
    if (fit < 2) fit = 2;
    const size_t per_block = fit - 1; /* The first answer stands in every table. */
    for (size_t first = 1; first < comparison->n; first += per_block) {
        const size_t left = comparison->n - first;
        const struct block block = {comparison, first, left < per_block ? left : per_block};
        add_differences(&block, style, text);
        orr_text_add(text, "\n");
        add_answers(&block, style, text);
        orr_text_add(text, "\n");
        add_parts(&block, style, text);
        orr_text_add(text, "\n");
    }
    add_sentences(comparison, style, text);
    /* What the first takes for granted; where others differ, the first table says so. */
    const struct orr_job *job = comparison->columns[0].answer.job;
    orr_text_add(text, "\n");
    orr_assumed_lines(job, job->assumed, &job->spread, style, text);
}
