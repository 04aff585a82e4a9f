/* Where the rows of a sweep are stored: an SQLite database, a CSV file, or standard output. Rows are added in the order
 * of their points, batch by batch. If the program stops, the next run continues behind the rows that are stored. */
#ifndef CLI_STORE_H
#define CLI_STORE_H

#include "cli.h"

/* A fact about the sweep, stored before its rows. */
struct cli_fact {
    const char *key;
    char *value;   /* malloc'd */
    bool compared; /* A store with another value belongs to another sweep. */
};
enum { CLI_MAX_FACTS = 8 };

/* The contents of a store. */
struct cli_table {
    const struct orr_sweep *sweep;
    const char **fields; /* names of the varied fields */
    size_t n_fields;
    struct orr_column columns[ORR_MAX_COLUMNS];
    size_t n_columns;
    struct cli_fact facts[CLI_MAX_FACTS];
    size_t n_facts;
};

/* The part of the sweep that is stored already. */
struct cli_held {
    int64_t n_points; /* points stored, starting at point 0 */
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
    /* Adds all rows or none. */
    enum cli_status (*add)(struct cli_store *store, int64_t first, size_t n, const struct orr_sweep_row *rows);
    enum cli_status (*close)(struct cli_store *store);
};

/* The kind of store by the ending of the path; a NULL path is CSV on standard output. Returns NULL after printing what
 * is wrong. */
const struct cli_store_type *cli_store_type(const char *path);
extern const struct cli_store_type cli_store_csv, cli_store_sqlite;

/* Compare a fact in a store with that of the table. */
enum cli_status cli_store_compare(const struct cli_table *table, const char *path, const char *key, const char *value);

/* The FNV-1a hash of 64 bits; `sum` starts at 0. Every stored row has the hash of its sweep and of what is stored. */
uint64_t cli_store_hash(uint64_t sum, const void *bytes, size_t n);
/* What the sums of rows start with: the hash of the request and of the catalogue. */
uint64_t cli_store_seed(const struct cli_table *table);

#endif
