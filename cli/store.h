/* Where the rows of a sweep go: an SQLite database, a CSV file, or standard output. Rows are added in the order of
 * their points, batch by batch; whatever is stored when the program dies is found again by the next run. */
#ifndef CLI_STORE_H
#define CLI_STORE_H

#include "cli.h"

/* Facts about the sweep a store begins with. */
struct cli_fact {
    const char *key;
    char *value;   /* malloc'd */
    bool compared; /* a store that says otherwise belongs to another sweep */
};
enum { CLI_MAX_FACTS = 8 };

/* What is stored. */
struct cli_table {
    const struct orr_sweep *sweep;
    const char **fields; /* names of the varied fields */
    size_t n_fields;
    struct orr_column columns[ORR_MAX_COLUMNS];
    size_t n_columns;
    struct cli_fact facts[CLI_MAX_FACTS];
    size_t n_facts;
};

/* What a store holds already. */
struct cli_held {
    int64_t n_points; /* from point 0 on */
    int64_t n_by_status[ORR_N_POINT_STATUSES];
};

struct cli_store {
    const struct cli_store_type *type;
    const struct cli_table *table;
    const char *path;
};

/* One kind of store. Every function prints what is wrong. */
struct cli_store_type {
    enum cli_status (*open)(const char *path, const struct cli_table *table, struct cli_held *held,
                            struct cli_store **store);
    /* All rows or none. */
    enum cli_status (*add)(struct cli_store *store, int64_t first, size_t n, const struct orr_sweep_row *rows);
    enum cli_status (*close)(struct cli_store *store);
};

/* The kind a path asks for by its ending; NULL path: CSV on standard output. NULL after printing what is wrong. */
const struct cli_store_type *cli_store_type(const char *path);
extern const struct cli_store_type cli_store_csv, cli_store_sqlite;

/* Compare a fact a store holds with the table's. */
enum cli_status cli_store_compare(const struct cli_table *table, const char *path, const char *key, const char *value);

#endif
