/* What all studies use: growing tables, requests, sweeps with the best plan at every point, and the public
 * functions. */
#include "study/reproduce.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/plain.h"
#include "base/text.h"
#include "base/units.h"

#define REQUEST 1024

/* ---------------------------------------------------------------- sheets */

static struct orr_cell *new_cell(struct orr_sheet *sheet)
{
    if (sheet->n_cells == sheet->capacity && !sheet->failed) {
        const size_t capacity = 2 * sheet->capacity + 64;
        struct orr_cell *cells = realloc(sheet->cells, capacity * sizeof *cells);
        sheet->failed = !cells;
        if (cells) {
            sheet->cells = cells;
            sheet->capacity = capacity;
        }
    }
    if (sheet->failed) return NULL;
    struct orr_cell *cell = &sheet->cells[sheet->n_cells++];
    *cell = (struct orr_cell){.number = (double)NAN};
    return cell;
}

void orr_sheet_numbers(struct orr_sheet *sheet, const double *numbers, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct orr_cell *cell = new_cell(sheet);
        if (cell) cell->number = numbers[i];
    }
}

void orr_sheet_words(struct orr_sheet *sheet, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct orr_cell *cell = new_cell(sheet);
        if (cell) orr_copy_line(cell->word, sizeof cell->word, words[i]);
    }
}

void orr_sheet_text(struct orr_sheet *sheet, const char *text)
{
    double number;
    if (orr_number_parse(text, &number)) ORR_NUMBERS(sheet, number);
    else ORR_WORDS(sheet, text);
}

size_t orr_sheet_rows(const struct orr_sheet *sheet)
{
    return sheet->n_cells / sheet->n_columns;
}

char *orr_sheet_column_name(const struct orr_sheet *sheet, size_t i, char name[ORR_COLUMN_NAME])
{
    const char *at = sheet->columns;
    name[0] = '\0';
    for (size_t j = 0; j <= i; j++)
        if (!orr_next_word(&at, ' ', name, ORR_COLUMN_NAME)) name[0] = '\0';
    return name;
}

size_t orr_sheet_column(const struct orr_sheet *sheet, const char *name)
{
    char other[ORR_COLUMN_NAME];
    size_t i = 0;
    while (i < sheet->n_columns && strcmp(orr_sheet_column_name(sheet, i, other), name) != 0) i++;
    return i;
}

struct orr_sheet *orr_study_sheet(struct orr_study *study, const char *name, const char *title, const char *columns)
{
    struct orr_sheet *sheet = &study->sheets[study->n_sheets++];
    *sheet = (struct orr_sheet){.name = name, .title = title, .columns = columns, .n_columns = 1};
    for (const char *c = columns; *c; c++) sheet->n_columns += *c == ' ';
    return sheet;
}

void orr_study_find(struct orr_study *study, const char *format, ...)
{
    va_list arguments;
    if (study->n_findings == ORR_MAX_FINDINGS) return;
    va_start(arguments, format);
    (void)vsnprintf(study->findings[study->n_findings++], sizeof *study->findings, format, arguments);
    va_end(arguments);
}

/* ---------------------------------------------------------------- jobs and sweeps */

static void quote(char *request)
{
    for (char *c = request; *c; c++)
        if (*c == '\'') *c = '"';
}

enum orr_err orr_study_job(const struct orr_study *study, struct orr_job *job, struct orr_error *error,
                           const char *format, ...)
{
    char request[REQUEST];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(request, sizeof request, format, arguments);
    va_end(arguments);
    quote(request);
    return orr_job_read(study->catalogue, request, study->item->name, job, error);
}

static void keep_point(void *context, size_t i, const struct orr_point *outcome)
{
    struct orr_study_point *point = (struct orr_study_point *)context + i;
    point->outcome = *outcome;
    point->job = *outcome->answer.job;
    point->outcome.answer.job = &point->job;
}

enum orr_err orr_study_sweep(const struct orr_study *study, const struct orr_study_question *question,
                             struct orr_study_point **points, size_t *n_points, struct orr_error *error)
{
    char json[REQUEST];
    struct orr_sweep *sweep;
    (void)snprintf(json, sizeof json, "%s", question->request);
    quote(json);
    const struct orr_sweep_spec spec = {.request = json,
                                        .origin = study->item->name,
                                        .varies = question->varies,
                                        .n_varies = question->n_varies,
                                        .mode = question->mode,
                                        .search = question->searched};
    *points = NULL;
    enum orr_err err = orr_sweep_open(study->catalogue, &spec, &sweep, error);
    if (err) return err;
    *n_points = (size_t)orr_sweep_points(sweep);
    *points = calloc(*n_points, sizeof **points);
    err = *points ? orr_sweep_each(sweep, 0, *n_points, keep_point, *points, error) : orr_out_of_memory(error, NULL);
    orr_sweep_close(sweep);
    for (size_t i = 0; i < *n_points && !err; i++)
        if ((*points)[i].outcome.status == ORR_POINT_INVALID ||
            (question->searched && (*points)[i].outcome.status != ORR_POINT_OK))
            err = orr_fail(error, ORR_ERR_RULE, (struct orr_place){.file = study->item->name}, "point %zu: %.300s", i,
                           (*points)[i].outcome.reason);
    if (err) {
        free(*points);
        *points = NULL;
    }
    return err;
}

/* ---------------------------------------------------------------- public */

const char *orr_study_name(size_t i, struct orr_study_facts *facts)
{
    if (i >= orr_n_study_items) return NULL;
    const struct orr_study_item *item = &orr_study_items[i];
    if (facts) *facts = (struct orr_study_facts){item->title, item->input, item->technology};
    return item->name;
}

static const struct orr_study_item *find_item(const char *name, struct orr_error *error)
{
    const char *names[32];
    for (size_t i = 0; i < orr_n_study_items; i++) {
        names[i] = orr_study_items[i].name;
        if (strcmp(names[i], name) == 0) return &orr_study_items[i];
    }
    (void)orr_fail_unknown(error, "study", "studies", name, names, orr_n_study_items);
    return NULL;
}

enum orr_err orr_study_run(const struct orr_catalogue *catalogue, const char *name, const char *csv, const char *origin,
                           struct orr_study **out, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    *out = NULL;
    const struct orr_study_item *item = find_item(name, error);
    if (!item) return ORR_ERR_INPUT;
    if (item->input && !csv)
        return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){0}, "study %s needs the measurements of %s", name,
                        item->input);
    struct orr_study *study = calloc(1, sizeof *study);
    if (!study) return orr_out_of_memory(error, NULL);
    *study = (struct orr_study){
        .item = item, .catalogue = catalogue, .csv = csv, .origin = origin, .scratch = orr_scratch_new()};
    const unsigned long mark = orr_memory_mark();
    enum orr_err err = study->scratch ? item->run(study, error) : orr_out_of_memory(error, NULL);
    for (size_t i = 0; i < study->n_sheets && !err; i++)
        if (study->sheets[i].failed) err = orr_out_of_memory(error, NULL);
    err = orr_complete_since(mark, err, error);
    study->csv = study->origin = NULL;
    orr_scratch_free(study->scratch);
    study->scratch = NULL;
    if (err) orr_study_free(study);
    else *out = study;
    return err;
}

void orr_study_free(struct orr_study *study)
{
    if (!study) return;
    for (size_t i = 0; i < study->n_sheets; i++) free(study->sheets[i].cells);
    free(study);
}
