/* This file scores the rows of a table on all cores. Rows do not depend on each other, except that those of one run
 * under load share its simulation and stand together; so a table is cut into blocks that end with a run. Every block
 * writes its scores to a place of its own, and they are put together in the order of the rows: the number of threads
 * changes nothing. */
#include "base/error.h"
#include "base/memory.h"
#include "base/plain.h"
#include "validate/validator.h"

#include <stdlib.h>
#include <string.h>

/* Rows of a block at least: enough that a thread seldom changes the source that it hides. */
enum { BLOCK_ROWS = 16 };

struct block {
    size_t first, n; /* rows */
};

/* A table while it is scored by every validation. */
struct table {
    const struct orr_catalogue *catalogue;
    const struct orr_csv *csv;
    const struct orr_schema *schema;
    struct orr_validation *const *validations;
    size_t n;
    struct block *blocks;
    size_t n_blocks;
    struct orr_validation *parts; /* what block b adds to validation i: b * n + i */
    struct orr_error *error;
    enum orr_err err;
};

/* ---------------------------------------------------------------- blocks and their scores */

/* Is this row of the same run as the one before? */
static bool continues(const struct table *t, size_t row)
{
    if (t->schema->set == ORR_SET_LOG) return true;
    return t->schema->set == ORR_SET_SERVING && orr_same_run(t->csv, row - 1, row);
}

static bool cut(struct table *t)
{
    const size_t n_rows = t->csv->n_rows;
    t->blocks = calloc(n_rows / BLOCK_ROWS + 1, sizeof *t->blocks);
    for (size_t row = 0; t->blocks && row < n_rows; row++) {
        struct block *last = t->n_blocks > 0 ? &t->blocks[t->n_blocks - 1] : NULL;
        if (last && (last->n < BLOCK_ROWS || continues(t, row))) last->n++;
        else t->blocks[t->n_blocks++] = (struct block){row, 1};
    }
    t->parts = calloc(t->n_blocks * t->n + 1, sizeof *t->parts); /* a table may have no rows */
    return t->blocks && t->parts;
}

/* The part of a validation that a block fills; a row has at most two scores. */
static void open_part(const struct table *t, size_t block, size_t i)
{
    const struct orr_validation *v = t->validations[i];
    t->parts[block * t->n + i] = (struct orr_validation){.csvs = v->csvs,
                                                         .n_csvs = v->n_csvs,
                                                         .scores = &v->scores[v->n_scores + 2 * t->blocks[block].first],
                                                         .without = v->without,
                                                         .unseen = v->unseen,
                                                         .only = v->only};
}

/* Moves the scores of all blocks together. */
static void put_together(const struct table *t, size_t i)
{
    struct orr_validation *v = t->validations[i];
    for (size_t b = 0; b < t->n_blocks; b++) {
        const struct orr_validation *part = &t->parts[b * t->n + i];
        memmove(&v->scores[v->n_scores], part->scores, part->n_scores * sizeof *v->scores);
        v->n_scores += part->n_scores;
        v->n_verdicts += part->n_verdicts;
        v->n_wrong_verdicts += part->n_wrong_verdicts;
        v->n_failed += part->n_failed;
        v->n_missed += part->n_missed;
    }
}

/* ---------------------------------------------------------------- one thread */

/* Opens the form over a catalogue in which nothing was chosen with the source of the row in view. Rows of one source
 * stand together, so that this is seldom done. */
static enum orr_err hide_source(struct validator *w, const char *request, size_t row, struct orr_error *error)
{
    const char *source = orr_csv_cell(w->csv, row, "source");
    if (w->form && strcmp(w->unseen.source, source) == 0) return ORR_OK;
    orr_form_close(w->form);
    w->form = NULL;
    const enum orr_err err = orr_unseen_hide(&w->unseen, w->csv, source, error);
    return err ? err : orr_form_open(w->unseen.view, request, "row", &w->form, error);
}

static enum orr_err open_validator(const struct table *t, struct validator *w, struct orr_error *error)
{
    const bool unseen = t->validations[0]->unseen;
    w->set = t->schema->set;
    w->csv = t->csv;
    w->scratch = orr_scratch_new();
    if (!w->scratch) return orr_out_of_memory(error, NULL);
    const enum orr_err err = orr_unseen_open(&w->unseen, t->catalogue, unseen, error);
    return err || unseen ? err : orr_form_open(t->catalogue, t->schema->request, "row", &w->form, error);
}

static void close_validator(struct validator *w)
{
    if (!w) return;
    orr_form_close(w->form);
    orr_unseen_close(&w->unseen);
    orr_scratch_free(w->scratch);
    free(w);
}

/* Every row is read by all validations before the next one, because they share the request form. */
static enum orr_err score_block(const struct table *t, struct validator *w, size_t block, struct orr_error *error)
{
    struct orr_validation *parts = &t->parts[block * t->n];
    enum orr_err err = ORR_OK;
    for (size_t i = 0; i < t->n; i++) open_part(t, block, i);
    for (size_t k = 0; k < t->blocks[block].n && !err; k++) {
        const size_t row = t->blocks[block].first + k;
        if (!orr_validation_asks(&parts[0], t->csv, row)) continue;
        if (parts[0].unseen) err = hide_source(w, t->schema->request, row, error);
        for (size_t i = 0; i < t->n && !err; i++) {
            w->v = &parts[i];
            w->csv = &parts[i].csvs[parts[i].n_csvs - 1];
            t->schema->score_row(w, row);
        }
    }
    for (size_t i = 0; i < t->n; i++) {
        free(parts[i].run.records);
        parts[i].run.records = NULL;
    }
    return err;
}

/* ---------------------------------------------------------------- all threads */

static void tell(struct table *t, enum orr_err err, const struct orr_error *error)
{
#ifdef _OPENMP
#pragma omp critical(orr_validate_error)
#endif
    if (err && !t->err) {
        t->err = err;
        if (t->error) *t->error = *error;
    }
}

static void score_all(struct table *t)
{
#ifdef _OPENMP
#pragma omp parallel
#endif
    {
        ORR_PLAIN_NUMBERS;
        struct orr_error error;
        const unsigned long mark = orr_memory_mark();
        struct validator *w = calloc(1, sizeof *w);
        enum orr_err err = w ? open_validator(t, w, &error) : orr_out_of_memory(&error, NULL);
#ifdef _OPENMP
#pragma omp for schedule(dynamic, 1)
#endif
        for (size_t b = 0; b < t->n_blocks; b++)
            if (!err) err = score_block(t, w, b, &error);
        err = orr_complete_since(mark, err, &error);
        tell(t, err, &error);
        close_validator(w);
        (void)orr_memory_lacked(); /* told, and no matter of the next rows that this thread scores */
    }
}

enum orr_err orr_validate_each(const struct orr_catalogue *catalogue, const char *csv, const char *origin,
                               struct orr_validation *const *validations, size_t n, struct orr_error *error)
{
    enum orr_err err = ORR_OK;
    for (size_t i = 0; i < n && !err; i++) err = orr_validation_add(validations[i], csv, origin, error);
    if (err) return err;
    struct table t = {.catalogue = catalogue, .validations = validations, .n = n, .error = error};
    t.csv = &validations[0]->csvs[validations[0]->n_csvs - 1];
    t.schema = orr_schema_of(t.csv);
    if (!cut(&t)) t.err = orr_out_of_memory(error, origin);
    if (!t.err) score_all(&t);
    for (size_t i = 0; i < n && !t.err; i++) put_together(&t, i);
    free(t.blocks);
    free(t.parts);
    return t.err;
}
