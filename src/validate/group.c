/* Scores grouped by any column of their CSVs. Values that the validator fills in itself (the source of lab steps, the
 * metric of a layer time, the class of a job) count as columns. */
#include "base/text.h"
#include "base/plain.h"
#include "validate/validate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOT_GIVEN "not given"
#define N_FILLED  6

static const char *const FILLED[N_FILLED] = {"source", "model", "system", "metric", "class", "id"};

static const char *filled_value(const struct orr_score *score, size_t i)
{
    const char *const values[N_FILLED] = {score->source,
                                          score->model,
                                          score->system,
                                          score->metric,
                                          score->job_class ? score->job_class : ORR_MEMORY_CLASS,
                                          score->id};
    return values[i];
}

static size_t find(const char *const *names, size_t n, const char *name)
{
    size_t i = 0;
    while (i < n && strcmp(names[i], name) != 0) i++;
    return i;
}

/* Every column of the CSVs once; NULL if out of memory. */
static const char **list_columns(const struct orr_validation *v, size_t *n)
{
    size_t room = N_FILLED;
    for (size_t i = 0; i < v->n_csvs; i++) room += v->csvs[i].n_columns;
    const char **names = calloc(room, sizeof *names);
    if (!names) return NULL;
    memcpy(names, FILLED, sizeof FILLED);
    *n = N_FILLED;
    for (size_t i = 0; i < v->n_csvs; i++)
        for (size_t j = 0; j < v->csvs[i].n_columns; j++)
            if (find(names, *n, v->csvs[i].names[j]) == *n) names[(*n)++] = v->csvs[i].names[j];
    return names;
}

/* Copies the first name of a list with commas; returns the rest of the list, or NULL. */
static const char *next_name(const char *list, char name[ORR_ID])
{
    const size_t length = strcspn(list, ",");
    (void)snprintf(name, ORR_ID, "%.*s", (int)length, list);
    return list[length] ? list + length + 1 : NULL;
}

static const char *value_of(const struct orr_validation *v, const struct orr_score *score, size_t at,
                            const char *column)
{
    const char *value =
        at < N_FILLED ? filled_value(score, at) : orr_csv_cell(&v->csvs[score->csv], score->row, column);
    return value[0] ? value : NOT_GIVEN;
}

/* The indices of the columns of a list. */
static enum orr_err find_columns(const char *const *names, size_t n, const char *list, size_t at[ORR_MAX_BY],
                                 size_t *n_at, struct orr_error *error)
{
    *n_at = 0;
    for (const char *rest = list; rest;) {
        char name[ORR_ID];
        rest = next_name(rest, name);
        const size_t i = find(names, n, name);
        if (i == n) return orr_fail_unknown(error, "column", "columns", name, names, n);
        if (*n_at == ORR_MAX_BY)
            return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){0}, "at most %d columns", ORR_MAX_BY);
        at[(*n_at)++] = i;
    }
    return ORR_OK;
}

enum orr_err orr_validation_group(struct orr_validation *validation, const char *columns, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    size_t n = 0, at[ORR_MAX_BY], n_at;
    const char **names = list_columns(validation, &n);
    if (!names) return orr_out_of_memory(error, NULL);
    const enum orr_err err = find_columns(names, n, columns, at, &n_at, error);
    if (!err) validation->n_by = n_at;
    for (size_t slot = 0; !err && slot < n_at; slot++) {
        validation->by[slot] = names[at[slot]];
        for (size_t i = 0; i < validation->n_scores; i++)
            validation->scores[i].by[slot] = value_of(validation, &validation->scores[i], at[slot], names[at[slot]]);
    }
    free(names);
    return err;
}

/* Keeps the scores that have the value in the column. */
static void keep_value(struct orr_validation *v, size_t at, const char *column, const char *value)
{
    size_t kept = 0;
    for (size_t i = 0; i < v->n_scores; i++)
        if (strcmp(value_of(v, &v->scores[i], at, column), value) == 0) v->scores[kept++] = v->scores[i];
    v->n_scores = v->n_rows = kept;
}

/* The values of a column, those of rows that are not predicted among them, and those of the scores that are left; NULL
 * if out of memory. */
static const char **list_values(const struct orr_validation *v, size_t at, const char *column, size_t *n)
{
    size_t room = v->n_scores + 1;
    for (size_t i = 0; i < v->n_csvs; i++) room += v->csvs[i].n_rows;
    const char **values = calloc(room, sizeof *values);
    if (!values) return NULL;
    *n = 0;
    for (size_t i = 0; i < v->n_scores; i++) values[(*n)++] = value_of(v, &v->scores[i], at, column);
    for (size_t i = 0; i < v->n_csvs; i++)
        for (size_t row = 0; row < v->csvs[i].n_rows; row++) {
            const char *cell = orr_csv_cell(&v->csvs[i], row, column);
            if (cell[0] || at >= N_FILLED) values[(*n)++] = cell[0] ? cell : NOT_GIVEN;
        }
    return values;
}

/* An error if the column has values, and this is none of them. */
static enum orr_err check_value(const struct orr_validation *v, size_t at, const char *column, const char *value,
                                struct orr_error *error)
{
    size_t n = 0;
    char hint[ORR_HINT];
    const char **values = list_values(v, at, column, &n);
    if (!values) return orr_out_of_memory(error, NULL);
    enum orr_err err = ORR_OK;
    if (n > 0 && find(values, n, value) == n)
        err = orr_fail(error, ORR_ERR_INPUT, (struct orr_place){0}, "no row has %s \"%.80s\"%s", column, value,
                       orr_did_you_mean(hint, value, values, n));
    free(values);
    return err;
}

/* Checks the conditions or keeps what meets them. */
static enum orr_err each_condition(struct orr_validation *v, const char *const *names, size_t n, const char *conditions,
                                   bool keep, struct orr_error *error)
{
    enum orr_err err = ORR_OK;
    for (const char *rest = conditions; rest && !err;) {
        char name[ORR_ID];
        rest = next_name(rest, name);
        char *value = strchr(name, '=');
        if (value) *value++ = '\0';
        const size_t at = find(names, n, name);
        if (at == n) err = orr_fail_unknown(error, "column", "columns", name, names, n);
        else if (!value) err = orr_fail(error, ORR_ERR_INPUT, (struct orr_place){0}, "%s: expected COLUMN=VALUE", name);
        else if (keep) keep_value(v, at, name, *value ? value : NOT_GIVEN);
        else err = check_value(v, at, name, *value ? value : NOT_GIVEN, error);
    }
    return err;
}

enum orr_err orr_validation_only(const char *conditions, struct orr_validation **validation, struct orr_error *error)
{
    if (!*validation) *validation = calloc(1, sizeof **validation);
    if (!*validation) return orr_out_of_memory(error, NULL);
    (*validation)->only = conditions;
    return ORR_OK;
}

bool orr_validation_asks(const struct orr_validation *validation, const struct orr_csv *csv, size_t row)
{
    for (const char *rest = validation->only; rest;) {
        char name[ORR_ID];
        rest = next_name(rest, name);
        const char *value = strchr(name, '=');
        if (!value) return true; /* orr_validation_keep refuses it */
        const size_t length = (size_t)(value++ - name);
        name[length] = '\0';
        const size_t at = find(FILLED, N_FILLED, name);
        const char *cell = orr_csv_cell(csv, row, name);
        if (at < N_FILLED ? at == 0 && cell[0] && strcmp(cell, value) != 0 /* a source that is printed is the score's */
                          : strcmp(cell, strcmp(value, NOT_GIVEN) == 0 ? "" : value) != 0)
            return false;
    }
    return true;
}

/* A report about no row would look like one about rows without errors. */
enum orr_err orr_validation_keep(struct orr_validation *validation, const char *conditions, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    size_t n = 0;
    const char **names = list_columns(validation, &n);
    if (!names) return orr_out_of_memory(error, NULL);
    enum orr_err err = each_condition(validation, names, n, conditions, false, error);
    if (!err) err = each_condition(validation, names, n, conditions, true, error);
    if (!err && validation->n_scores == 0)
        err = orr_fail(error, ORR_ERR_INPUT, (struct orr_place){0}, "no row that is scored meets all of \"%.200s\"",
                       conditions);
    validation->n_verdicts = validation->n_wrong_verdicts = validation->n_failed = validation->n_missed = 0;
    free(names);
    return err;
}
