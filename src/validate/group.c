/* Scores grouped by any column of their CSVs. Values that the validator fills in itself (the source of lab steps, the
 * metric of a layer time, the class of a job) count as columns. */
#include "base/text.h"
#include "base/plain.h"
#include "validate/validate.h"

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

enum orr_err orr_validation_group(struct orr_validation *validation, const char *column, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    size_t n = 0;
    const char **names = list_columns(validation, &n);
    if (!names) return orr_out_of_memory(error, NULL);
    const size_t at = find(names, n, column);
    enum orr_err err = ORR_OK;
    if (at == n) err = orr_fail_unknown(error, "column", "columns", column, names, n);
    else validation->by = names[at];
    for (size_t i = 0; !err && i < validation->n_scores; i++) {
        struct orr_score *score = &validation->scores[i];
        score->by = at < N_FILLED ? filled_value(score, at)
                                  : orr_csv_cell(&validation->csvs[score->csv], score->row, names[at]);
        if (!score->by[0]) score->by = NOT_GIVEN;
    }
    free(names);
    return err;
}
