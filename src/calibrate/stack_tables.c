/* The tables of a fit: measured runs from files, logs and options, with the columns of --with that they lack. */
#include "calibrate/stack_fit.h"

#include "base/error.h"
#include "base/plain.h"
#include "spec/log.h"
#include "validate/columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Takes ownership of the text. */
static enum orr_err keep_table(struct orr_stack *stack, char *text, const char *origin, struct orr_error *error)
{
    struct orr_stack_table *tables = realloc(stack->tables, (stack->n_tables + 1) * sizeof *tables);
    char *name = malloc(strlen(origin) + 1);
    if (tables) stack->tables = tables;
    if (!tables || !text || !name) {
        free(text);
        free(name);
        return orr_out_of_memory(error, origin);
    }
    memcpy(name, origin, strlen(origin) + 1);
    stack->tables[stack->n_tables++] = (struct orr_stack_table){text, name};
    return ORR_OK;
}

/* Is it a column of a table of runs? If not, the error names the nearest of all kinds of tables. */
static enum orr_err check_column(const char *name, struct orr_error *error)
{
    static const enum orr_set SETS[] = {ORR_SET_TRAINING, ORR_SET_INFERENCE, ORR_SET_SERVING};
    char names[3][ORR_MAX_NAMES][ORR_MAX_NAME], hint[ORR_HINT];
    const char *known[3 * ORR_MAX_NAMES];
    size_t n = 0;
    for (size_t set = 0; set < 3; set++)
        for (size_t i = 0, most = orr_schema_columns(SETS[set], names[set]); i < most; i++) known[n++] = names[set][i];
    for (size_t i = 0; i < n; i++)
        if (strcmp(known[i], name) == 0) return ORR_OK;
    return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.file = "--with"}, "unknown column \"%.60s\"%s", name,
                    orr_did_you_mean(hint, name, known, n));
}

enum orr_err orr_stack_put(struct orr_stack *stack, const char *cells, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    enum orr_err err = orr_cells_parse(cells, "--with", &stack->with, error);
    for (size_t i = 0; !err && i < stack->with.n; i++) err = check_column(stack->with.names[i], error);
    return err;
}

void orr_stack_skip(struct orr_stack *stack, int64_t iterations)
{
    ORR_PLAIN_NUMBERS;
    stack->skip = iterations;
}

/* Does the row serve? Training rows have a batch of a whole step, serving rows lengths or a load. */
static bool is_serving(const struct orr_cells *cells)
{
    static const char *const COLUMNS[] = {"input_len", "output_len", "batch", "concurrency", "phase"};
    for (size_t i = 0; i < sizeof COLUMNS / sizeof *COLUMNS; i++)
        if (orr_cells_get(cells, COLUMNS[i])[0]) return true;
    return false;
}

/* What must be known and is not is named in one line, with an example of how to say it. Whoever types a run gives its
 * degrees, whose product are its GPUs; a log that does not print them had any. */
static enum orr_err check_said(const struct orr_cells *cells, const char *origin, const char *what, bool logged,
                               struct orr_error *error)
{
    const bool serving = is_serving(cells), dp = orr_cells_get(cells, "dp")[0];
    const bool closed = strcmp(orr_cells_get(cells, "arrival"), "closed") == 0;
    const struct {
        const char *name, *example;
        bool may_lack;
    } needed[] = {{"model", "llama3-8b", false},
                  {"system", "h100-sxm", false},
                  {serving ? "input_len" : "global_batch", serving ? "1024" : "256", false},
                  {"metric", serving ? "latency_s" : "step_time_s", false},
                  {"value", "1.5", false},
                  {"concurrency", "16", !closed},
                  {"gpus", "8", !logged || dp}};
    struct orr_text missing = {0}, example = {0};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        if (needed[i].may_lack || orr_cells_get(cells, needed[i].name)[0]) continue;
        orr_text_add(&missing, "%s%s", missing.length ? ", " : "", needed[i].name);
        orr_text_add(&example, "%s%s=%s", example.length ? "," : "", needed[i].name, needed[i].example);
    }
    enum orr_err err = ORR_OK;
    if (missing.length)
        err = orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.file = origin},
                       "%s does not say %s (add it, as in --with %s)", what, missing.data, example.data);
    free(missing.data);
    free(example.data);
    return err;
}

/* Put a cell of --with. A log knows its program, and its user which version of it; and a server may call its model as
 * it likes. What else a log knows differently is said. */
static void put_with(struct orr_stack *stack, struct orr_cells *cells, const char *name, const char *value,
                     const char *origin, bool logged)
{
    const char *known = orr_cells_get(cells, name);
    const bool engine = strcmp(name, "engine") == 0;
    const bool model = strcmp(name, "model") == 0 && !orr_catalogue_named(stack->catalogue, ORR_PART_MODEL, known);
    if (logged && known[0] && !engine && !model && strcmp(known, value) != 0)
        orr_stack_note(stack, "%.60s: its own %s counts, %.40s, and not the one of --with, %.40s", orr_log_name(origin),
                       name, known, value);
    (void)orr_cells_put(cells, name, value, engine || model);
}

/* Add the table of one row that options or a log made. */
static enum orr_err add_cells(struct orr_stack *stack, struct orr_cells *cells, const char *origin, const char *what,
                              bool logged, struct orr_error *error)
{
    for (size_t i = 0; i < stack->with.n; i++)
        put_with(stack, cells, stack->with.names[i], stack->with.values[i], origin, logged);
    const enum orr_err err = check_said(cells, origin, what, logged, error);
    return err ? err : keep_table(stack, orr_cells_table(cells), origin, error);
}

enum orr_err orr_stack_add_run(struct orr_stack *stack, const char *run, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    struct orr_cells cells = {0}, metric = {0};
    const char *colon = strrchr(run, ':');
    char origin[40], *head = colon ? malloc((size_t)(colon - run) + 1) : NULL;
    snprintf(origin, sizeof origin, "run %zu", stack->n_tables + 1);
    if (!colon)
        return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.file = origin},
                        "\"%.60s\" has no \":METRIC=VALUE\" at its end, as in tp=8,pp=4:step_time_s=12.3", run);
    if (!head) return orr_out_of_memory(error, origin);
    memcpy(head, run, (size_t)(colon - run));
    head[colon - run] = '\0';
    enum orr_err err = orr_cells_parse(head, origin, &cells, error);
    if (!err) err = orr_cells_parse(colon + 1, origin, &metric, error);
    free(head);
    if (err) return err;
    if (metric.n != 1)
        return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.file = origin},
                        "one METRIC=VALUE must follow the colon, not %zu", metric.n);
    (void)orr_cells_put(&cells, "metric", metric.names[0], true);
    (void)orr_cells_put(&cells, "value", metric.values[0], true);
    (void)orr_cells_put(&cells, "id", origin, false);
    return add_cells(stack, &cells, origin, "the run", false, error);
}

/* Programs for tables write semicolons or tabs in many countries. Returns what a table without commas has instead. */
static const char *other_separator(const char *csv)
{
    const size_t n = strcspn(csv, "\r\n");
    if (memchr(csv, ',', n)) return NULL;
    return memchr(csv, ';', n) ? "semicolons" : memchr(csv, '\t', n) ? "tabs" : NULL;
}

/* The table with the columns of --with that it does not have. */
static enum orr_err add_table(struct orr_stack *stack, const char *csv, const char *origin, struct orr_error *error)
{
    struct orr_csv table = {0};
    struct orr_text text = {0};
    const char *separator = other_separator(csv);
    if (separator)
        return orr_fail(error, ORR_ERR_SYNTAX, (struct orr_place){.file = origin, .line = 1},
                        "the columns are separated by %s: save the table with commas", separator);
    const enum orr_err err = orr_csv_parse(csv, origin, &table, error);
    if (err) return err;
    const struct orr_cells *with = &stack->with;
    for (size_t row = 0; row <= table.n_rows; row++) {
        for (size_t i = 0; i < with->n; i++)
            if (!orr_csv_has(&table, with->names[i])) orr_csv_add(&text, row ? with->values[i] : with->names[i], false);
        for (size_t c = 0; c < table.n_columns; c++)
            orr_csv_add(&text, row ? table.cells[(row - 1) * table.n_columns + c] : table.names[c],
                        c + 1 == table.n_columns);
    }
    orr_csv_free(&table);
    return keep_table(stack, orr_text_take(&text), origin, error);
}

/* Are two rows of a log values of one run? */
static bool same_run(const struct orr_cells *a, const struct orr_cells *b)
{
    for (size_t i = 0; i < a->n; i++) {
        const char *name = a->names[i];
        if (strcmp(name, "id") == 0 || strcmp(name, "metric") == 0 || strcmp(name, "value") == 0) continue;
        if (strcmp(a->values[i], orr_cells_get(b, name)) != 0) return false;
    }
    return true;
}

/* Has the run of row i a mean time per token in another row? That says all that its other values say about the stack,
 * as in tables of runs under load (validate/serving.c): a run counts once. */
static bool said_by_another(const struct orr_log *log, size_t i)
{
    if (strcmp(orr_cells_get(&log->rows[i], "metric"), "tpot_s") == 0) return false;
    for (size_t k = 0; k < log->n_rows; k++)
        if (strcmp(orr_cells_get(&log->rows[k], "metric"), "tpot_s") == 0 && same_run(&log->rows[i], &log->rows[k]))
            return true;
    return false;
}

enum orr_err orr_stack_add(struct orr_stack *stack, const char *text, const char *origin, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    struct orr_log log = {.skip = stack->skip};
    enum orr_err err = orr_log_read(text, origin, &log, error);
    if (!err && !log.format) err = add_table(stack, text, origin, error);
    for (size_t i = 0; i < log.n_rows && !err; i++) {
        struct orr_cells cells = log.rows[i]; /* the rows stay as they are, to be compared with the next */
        if (!said_by_another(&log, i)) err = add_cells(stack, &cells, origin, log.format, true, error);
    }
    if (!err && log.n_all > 0)
        orr_stack_note(stack,
                       "%.60s: none of its %zu iterations comes after the first %lld (--skip), so that all count",
                       orr_log_name(origin), log.n_all, (long long)stack->skip);
    if (!err && log.remark[0]) orr_stack_note(stack, "%.60s: %s", orr_log_name(origin), log.remark);
    if (!err && log.format && log.n_rows == 0)
        err = orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.file = origin}, "%s", log.remark);
    free(log.rows);
    return err;
}
