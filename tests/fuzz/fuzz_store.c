/* Stores of a sweep that is to be continued, databases and CSV files. What is accepted must hold no more points than
 * the sweep has, and take the rows that are left. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/store.h"
#include "fuzz.h"

enum { POINTS = 4 };

static const struct cli_table *sweep_table(struct orr_sweep_row rows[POINTS])
{
    static const char JSON[] = "{\"request\":{\"kind\":\"train\",\"model\":\"llama2-7b\",\"system\":\"h100-sxm\","
                               "\"gpus\":8},\"vary\":[{\"field\":\"plan.tp\",\"values\":[1,2,3,4]}]}";
    static const char *fields[] = {"plan.tp"};
    static struct cli_table table;
    static struct orr_sweep *sweep;
    static struct orr_sweep_row held[POINTS];
    struct orr_error error = {0};
    if (!sweep) {
        if (orr_sweep_open_json(fuzz_catalogue(), JSON, "request", 1, &sweep, &error) ||
            orr_sweep_run(sweep, 0, POINTS, held, &error))
            abort();
        table = (struct cli_table){.sweep = sweep, .fields = fields, .n_fields = 1};
        table.n_columns = orr_sweep_columns(sweep, table.columns);
        table.facts[table.n_facts++] = (struct cli_fact){"schema", strdup("fuzz"), true};
        table.facts[table.n_facts++] = (struct cli_fact){"points", strdup("4"), true};
    }
    memcpy(rows, held, sizeof held);
    return &table;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct orr_sweep_row rows[POINTS];
    struct cli_store *store = NULL;
    struct cli_held held = {0};
    const struct cli_table *table = sweep_table(rows);
    const bool database = size >= 6 && memcmp(data, "SQLite", 6) == 0;
    const char *path = fuzz_file(data, size, database ? ".db" : ".csv");
    if (size == 0 || (database && size == 6)) (void)unlink(path); /* a new store */
    const struct cli_store_type *type = cli_store_type(path);
    if (!type) abort();
    if (type->open(path, table, &held, &store) == CLI_ANSWERED) {
        if (held.n_points < 0 || held.n_points > POINTS) abort();
        const size_t n = (size_t)(POINTS - held.n_points);
        (void)type->add(store, held.n_points, n, rows + held.n_points);
    }
    if (store) (void)type->close(store); /* also one that was refused */
    if (!getenv("FUZZ_KEEP")) (void)unlink(path);
    return 0;
}
