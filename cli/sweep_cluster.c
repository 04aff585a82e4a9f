/* A sweep by several processes. Each takes the next piece when it is free. The first process stores rows in the order
 * of the points, so that the store grows as with one process and can be continued by any number. */
#define _POSIX_C_SOURCE 200809L
#include "sweep_cluster.h"

#include <stdlib.h>

#include "rows.h"

/* The number of points in a piece: enough to be worth a message, and few enough to spread over all processes. */
enum { PIECE = 256 };

/* A piece that waits for earlier ones to be stored. */
struct waiting {
    struct waiting *next;
    int64_t number;
    char *bytes;
    size_t n_bytes;
};

struct together {
    struct cli_cluster *cluster;
    struct orr_sweep *sweep;
    const struct cli_table *table;
    struct cli_store *store;
    struct cli_held *held;
    int64_t first, n_points; /* where this run began; number of all points */
    struct waiting *waiting;
    struct orr_sweep_row *rows; /* room for PIECE rows */
};

static size_t piece_points(const struct together *t, int64_t number)
{
    const int64_t left = t->n_points - (t->first + number * PIECE);
    return (size_t)(left < PIECE ? left : PIECE);
}

static enum cli_status run_piece(struct together *t, int64_t number, char **bytes, size_t *n_bytes)
{
    struct orr_error error;
    const size_t n = piece_points(t, number);
    if (orr_sweep_run(t->sweep, t->first + number * PIECE, n, t->rows, &error)) return cli_fail("%s", error.text);
    *bytes = cli_rows_pack(t->table->columns, t->table->n_columns, t->rows, n, n_bytes);
    return *bytes ? CLI_ANSWERED : cli_fail_memory();
}

/* ---------------------------------------------------------------- the first process */

static enum cli_status keep(struct together *t, int64_t number, char *bytes, size_t n_bytes)
{
    struct waiting *piece = malloc(sizeof *piece);
    if (!piece) {
        free(bytes);
        return cli_fail_memory();
    }
    *piece = (struct waiting){t->waiting, number, bytes, n_bytes};
    t->waiting = piece;
    return CLI_ANSWERED;
}

/* The piece that the store needs next; NULL if it has not arrived. */
static struct waiting *take_next(struct together *t)
{
    const int64_t number = (t->held->n_points - t->first) / PIECE;
    for (struct waiting **at = &t->waiting; *at; at = &(*at)->next) {
        struct waiting *piece = *at;
        if (piece->number != number) continue;
        *at = piece->next;
        return piece;
    }
    return NULL;
}

static enum cli_status store_piece(struct together *t, const struct waiting *piece)
{
    const size_t n = piece_points(t, piece->number);
    if (!cli_rows_unpack(t->table->columns, t->table->n_columns, piece->bytes, piece->n_bytes, t->rows, n))
        return cli_fail("another process sent rows of another sweep");
    if (t->store->type->add(t->store, t->held->n_points, n, t->rows)) return CLI_BAD;
    for (size_t i = 0; i < n; i++) t->held->n_by_status[t->rows[i].status]++;
    t->held->n_points += (int64_t)n;
    return CLI_ANSWERED;
}

/* Receive the pieces that have arrived and store those that are next. */
static enum cli_status gather(struct together *t)
{
    enum cli_status status = CLI_ANSWERED;
    void *bytes;
    int64_t number;
    size_t n_bytes;
    while (!status && cli_cluster_take(t->cluster, &number, &bytes, &n_bytes)) status = keep(t, number, bytes, n_bytes);
    for (struct waiting *piece; !status && (piece = take_next(t));) {
        status = store_piece(t, piece);
        free(piece->bytes);
        free(piece);
    }
    return status;
}

static enum cli_status run_first(struct together *t, bool (*stop)(void),
                                 void (*show)(const struct cli_held *held, int64_t n_points))
{
    enum cli_status status = CLI_ANSWERED;
    for (int64_t number; !status && !stop() && (number = cli_cluster_next(t->cluster)) >= 0;) {
        char *bytes = NULL;
        size_t n_bytes = 0;
        status = run_piece(t, number, &bytes, &n_bytes);
        if (!status) status = keep(t, number, bytes, n_bytes);
        if (!status) status = gather(t);
        show(t->held, t->n_points);
    }
    while (cli_cluster_next(t->cluster) >= 0) continue; /* The run stopped, so the remaining numbers are dropped. */
    cli_cluster_end(t->cluster);                        /* This waits for the last pieces of the others. */
    if (!status) status = gather(t);
    while (t->waiting) {
        struct waiting *piece = t->waiting;
        t->waiting = piece->next;
        free(piece->bytes);
        free(piece);
    }
    return status;
}

/* ---------------------------------------------------------------- the others */

static enum cli_status run_other(struct together *t, bool (*stop)(void))
{
    enum cli_status status = CLI_ANSWERED;
    for (int64_t number; !status && !stop() && (number = cli_cluster_next(t->cluster)) >= 0;) {
        char *bytes = NULL;
        size_t n_bytes = 0;
        status = run_piece(t, number, &bytes, &n_bytes);
        if (!status) cli_cluster_send(t->cluster, number, bytes, n_bytes);
        if (!status) free(bytes);
    }
    cli_cluster_end(t->cluster);
    return status;
}

enum cli_status cli_sweep_together(struct cli_cluster *cluster, struct orr_sweep *sweep, const struct cli_table *table,
                                   struct cli_store *store, struct cli_held *held, bool (*stop)(void),
                                   void (*show)(const struct cli_held *held, int64_t n_points))
{
    const int64_t n_points = orr_sweep_points(sweep);
    struct together t = {.cluster = cluster,
                         .sweep = sweep,
                         .table = table,
                         .store = store,
                         .held = held,
                         .first = held->n_points,
                         .n_points = n_points,
                         .rows = calloc(PIECE, sizeof *t.rows)};
    if (!t.rows) return cli_fail_memory();
    cli_cluster_begin(cluster, 0, (n_points - held->n_points + PIECE - 1) / PIECE);
    const enum cli_status status = cli_cluster_first(cluster) ? run_first(&t, stop, show) : run_other(&t, stop);
    free(t.rows);
    return status;
}
