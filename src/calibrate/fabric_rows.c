/* Rows of collectives between nodes: tables with the columns nodes, n_gpus, op, bytes and time_s, and what a row costs
 * on its system. */
#include "calibrate/fabric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/units.h"
#include "spec/part.h"

enum orr_collective orr_collective_of_word(const char *word)
{
    static const struct {
        const char *word;
        enum orr_collective collective;
    } WORDS[] = {{"allreduce", ORR_COLLECTIVE_ALLREDUCE},         {"all_reduce", ORR_COLLECTIVE_ALLREDUCE},
                 {"allgather", ORR_COLLECTIVE_ALLGATHER},         {"all_gather", ORR_COLLECTIVE_ALLGATHER},
                 {"reducescatter", ORR_COLLECTIVE_REDUCESCATTER}, {"reduce_scatter", ORR_COLLECTIVE_REDUCESCATTER},
                 {"alltoall", ORR_COLLECTIVE_ALLTOALL},           {"all_to_all", ORR_COLLECTIVE_ALLTOALL}};
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (strstr(word, WORDS[i].word)) return WORDS[i].collective;
    return ORR_N_COLLECTIVES;
}

/* Finds a system among those in use, or loads it; SIZE_MAX after an error. */
static size_t system_of(struct orr_fabric_fit *fit, const char *name, struct orr_error *error)
{
    for (size_t i = 0; i < fit->n_systems; i++)
        if (strcmp(fit->systems[i].name, name) == 0) return i;
    struct orr_fabric_system *systems = realloc(fit->systems, (fit->n_systems + 1) * sizeof *systems);
    if (!systems) return orr_out_of_memory(error, NULL), SIZE_MAX;
    fit->systems = systems;
    struct orr_fabric_system *added = &systems[fit->n_systems];
    memset(added, 0, sizeof *added);
    (void)snprintf(added->name, sizeof added->name, "%s", name);
    struct orr_job *job = &added->job;
    if (orr_system_read(fit->catalogue, name, &job->system, &job->calibration, error)) return SIZE_MAX;
    job->kind = ORR_JOB_TRAIN;
    job->plan = (struct orr_plan){.dp = 1, .pp = 1, .cp = 1, .ep = 1, .vpp = 1};
    added->own = job->system.fabric;
    return fit->n_systems++;
}

enum orr_err orr_fabric_add_row(struct orr_fabric_fit *fit, const char *system, struct orr_fabric_row row,
                                const char *origin, struct orr_error *error)
{
    const char *name = *fit->system_id ? fit->system_id : system;
    if (!*name)
        return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.file = origin}, "which system? Add --system ID");
    row.system = system_of(fit, name, error);
    if (row.system == SIZE_MAX) return error ? error->code : ORR_ERR_INPUT;
    const int64_t domain = fit->systems[row.system].job.system.domain_gpus;
    row.domains = (row.ranks + domain - 1) / domain;
    struct orr_fabric_row *rows = fit->rows;
    if ((fit->n_rows & (fit->n_rows + 1)) == 0) rows = realloc(rows, 2 * (fit->n_rows + 1) * sizeof *rows);
    if (!rows) return orr_out_of_memory(error, NULL);
    fit->rows = rows;
    rows[fit->n_rows++] = row;
    return ORR_OK;
}

/* More ranks than any cluster has. */
#define MOST_RANKS 10000000

/* The positive number of a cell; 0 after an error. */
static double number_of(const struct orr_csv *csv, size_t row, const char *column, const char *origin,
                        struct orr_error *error)
{
    const char *cell = orr_csv_cell(csv, row, column);
    double value;
    if (orr_number_parse(cell, &value) && value >= 1e-12 && value <= 1e18) return value;
    (void)orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.file = origin, .line = csv->lines[row], .key = column},
                   "must be a number from 1e-12 to 1e18, not \"%.40s\"", cell);
    return 0;
}

/* The count of a cell, a whole number; 0 after an error. */
static int64_t count_of(const struct orr_csv *csv, size_t row, const char *column, const char *origin,
                        struct orr_error *error)
{
    const char *cell = orr_csv_cell(csv, row, column);
    double value;
    if (orr_number_parse(cell, &value) && value >= 1 && value <= MOST_RANKS && value == floor(value))
        return (int64_t)value;
    (void)orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.file = origin, .line = csv->lines[row], .key = column},
                   "must be an integer from 1 to %d, not \"%.40s\"", MOST_RANKS, cell);
    return 0;
}

enum orr_err orr_fabric_read_table(struct orr_fabric_fit *fit, const struct orr_csv *csv, const char *origin,
                                   struct orr_error *error)
{
    static const char *const COLUMNS[] = {"nodes", "n_gpus", "op", "bytes", "time_s"};
    for (size_t i = 0; i < sizeof COLUMNS / sizeof *COLUMNS; i++)
        if (!orr_csv_has(csv, COLUMNS[i]))
            return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.file = origin, .line = 1},
                            "a table of collectives between nodes has the columns nodes, n_gpus, op, bytes, time_s; "
                            "%s is missing",
                            COLUMNS[i]);
    for (size_t i = 0; i < csv->n_rows; i++) {
        const int64_t nodes = count_of(csv, i, "nodes", origin, error);
        const int64_t ranks = nodes ? count_of(csv, i, "n_gpus", origin, error) : 0;
        const double bytes = ranks ? number_of(csv, i, "bytes", origin, error) : 0;
        const double time_s = bytes > 0 ? number_of(csv, i, "time_s", origin, error) : 0;
        if (!(time_s > 0)) return ORR_ERR_INPUT;
        const char *op = orr_csv_cell(csv, i, "op");
        const struct orr_fabric_row row = {.collective = orr_collective_of_word(op),
                                           .nodes = nodes,
                                           .ranks = ranks,
                                           .bytes = bytes,
                                           .measured_s = time_s};
        if (row.collective == ORR_N_COLLECTIVES)
            return orr_fail(error, ORR_ERR_INPUT,
                            (struct orr_place){.file = origin, .line = csv->lines[i], .key = "op"},
                            "\"%.40s\" is none of allreduce, allgather, reducescatter, alltoall", op);
        if (row.ranks % row.nodes != 0)
            return orr_fail(
                error, ORR_ERR_INPUT, (struct orr_place){.file = origin, .line = csv->lines[i], .key = "n_gpus"},
                "%lld GPUs are not the same number on each of %lld nodes", (long long)row.ranks, (long long)row.nodes);
        if (row.ranks < 2) continue;
        const enum orr_err err = orr_fabric_add_row(fit, orr_csv_cell(csv, i, "system"), row, origin, error);
        if (err) return err;
    }
    return ORR_OK;
}

void orr_fabric_install(struct orr_fabric_fit *fit, const struct orr_fabric *fabric)
{
    for (size_t i = 0; i < fit->n_systems; i++)
        fit->systems[i].job.system.fabric = fabric ? *fabric : fit->systems[i].own;
}

/* A job over several domains fills them equally, so a row that spans domains has as many ranks in each. */
double orr_fabric_price(struct orr_fabric_fit *fit, const struct orr_fabric_row *row)
{
    struct orr_job *job = &fit->systems[row->system].job;
    const struct orr_op op = {.kind = ORR_OP_COLLECTIVE,
                              .collective = row->collective,
                              .group = ORR_GROUP_TP,
                              .payload_bytes = row->bytes,
                              .bytes = row->bytes,
                              .window_op = -1};
    const int64_t domain_gpus = job->system.domain_gpus;
    struct orr_cost cost;
    job->plan.gpus = job->plan.tp = row->ranks;
    if (row->domains > 1 && row->ranks % row->domains == 0) job->system.domain_gpus = row->ranks / row->domains;
    orr_cost_collective(job, &op, &cost);
    job->system.domain_gpus = domain_gpus;
    fit->evaluations++;
    return cost.total_s;
}

void orr_fabric_predict(struct orr_fabric_fit *fit)
{
    for (size_t i = 0; i < fit->n_rows; i++) fit->rows[i].predicted_s = orr_fabric_price(fit, &fit->rows[i]);
}

/* ---------------------------------------------------------------- statistics */

struct orr_fabric_filter orr_fabric_large(size_t system, bool inside)
{
    return (struct orr_fabric_filter){
        .system = system, .collective = -1, .least = ORR_LARGE_COLLECTIVE_BYTES, .below = HUGE_VAL, .inside = inside};
}

bool orr_fabric_counts(const struct orr_fabric_row *row, struct orr_fabric_filter filter)
{
    return (filter.system == SIZE_MAX || row->system == filter.system) &&
           (filter.collective < 0 || (int)row->collective == filter.collective) && row->bytes >= filter.least &&
           row->bytes < filter.below && (row->domains <= 1) == filter.inside && row->nodes > 1;
}

static double quantile(const double *sorted, size_t n, double at)
{
    return sorted[(size_t)(at * (double)(n - 1) + 0.5)];
}

bool orr_fabric_stats_of(const struct orr_fabric_fit *fit, struct orr_fabric_filter filter,
                         struct orr_fabric_stats *stats)
{
    double *errors = malloc((fit->n_rows + 1) * sizeof *errors), *ratios = malloc((fit->n_rows + 1) * sizeof *ratios);
    const bool enough = errors && ratios;
    *stats = (struct orr_fabric_stats){0};
    for (size_t i = 0; enough && i < fit->n_rows; i++) {
        const struct orr_fabric_row *row = &fit->rows[i];
        if (!orr_fabric_counts(row, filter)) continue;
        errors[stats->n] = fabs(row->predicted_s / row->measured_s - 1);
        ratios[stats->n++] = row->measured_s / row->predicted_s;
    }
    if (enough && stats->n > 0) {
        qsort(errors, stats->n, sizeof *errors, orr_ascending);
        qsort(ratios, stats->n, sizeof *ratios, orr_ascending);
        stats->median_frac = quantile(errors, stats->n, 0.5);
        stats->p90_frac = quantile(errors, stats->n, 0.9);
        stats->ratio_low = quantile(ratios, stats->n, 0.1);
        stats->ratio_high = quantile(ratios, stats->n, 0.9);
    }
    free(errors);
    free(ratios);
    return enough;
}
