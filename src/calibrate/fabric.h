/* Timings of collectives between nodes, the fabric that describes them, and how well the two agree. */
#ifndef ORR_CALIBRATE_FABRIC_H
#define ORR_CALIBRATE_FABRIC_H

#include "cost/cost.h"
#include "spec/csv.h"

/* A system that rows were measured on, ready to price collectives. */
struct orr_fabric_system {
    char name[ORR_ID];
    struct orr_job job;    /* system and calibration; plan and fabric are those of the row being priced */
    struct orr_fabric own; /* the fabric that the system names */
};

/* One timing. A row inside one scale-up domain tests the chip's own lines and is not fitted. */
struct orr_fabric_row {
    size_t system;
    enum orr_collective collective;
    int64_t nodes, ranks, domains;
    double bytes, measured_s, predicted_s;
};

struct orr_fabric_fit {
    const struct orr_catalogue *catalogue;
    char id[ORR_ID];        /* the fabric to fit; "": none */
    char system_id[ORR_ID]; /* system of rows that name none */
    size_t n_systems, n_rows;
    struct orr_fabric_system *systems;
    struct orr_fabric_row *rows;
    char sources[512];               /* what the rows were read from */
    struct orr_fabric fabric;        /* the result of orr_fabric_fit_run */
    int64_t n_fitted_lines;          /* its first lines; the others are those of unknown networks */
    struct orr_fabric_score *scores; /* of orr_fabric_fit_score, one per system */
    size_t evaluations;
};

/* Bars and the default are about messages from this size on. */
#define ORR_LARGE_COLLECTIVE_BYTES 1048576.0

/* Adds the rows of a table, or of the text that nccl-tests prints (fabric_rows.c, nccl_tests.c). */
enum orr_err orr_fabric_read_table(struct orr_fabric_fit *fit, const struct orr_csv *csv, const char *origin,
                                   struct orr_error *error);
bool orr_is_nccl_tests(const char *text);
enum orr_err orr_fabric_read_nccl_tests(struct orr_fabric_fit *fit, const char *text, const char *origin,
                                        struct orr_error *error);
/* Adds one timing; `system` may be "". */
enum orr_err orr_fabric_add_row(struct orr_fabric_fit *fit, const char *system, struct orr_fabric_row row,
                                const char *origin, struct orr_error *error);
/* The collective that a word of a table or a file name means; ORR_N_COLLECTIVES: none. */
enum orr_collective orr_collective_of_word(const char *word);

/* Puts a fabric into all systems; NULL: each its own. */
void orr_fabric_install(struct orr_fabric_fit *fit, const struct orr_fabric *fabric);
/* The seconds that a row takes on its system with the fabric that is installed. */
double orr_fabric_price(struct orr_fabric_fit *fit, const struct orr_fabric_row *row);
/* Predicts all rows with that fabric. */
void orr_fabric_predict(struct orr_fabric_fit *fit);

/* Fits lines to all rows between domains for which `use` is true (one entry per row; NULL: all). With `plain`, the
 * result is a default for other networks: one efficiency per line, systems weighing alike, large messages only
 * (fabric_search.c). Returns false if out of memory. */
bool orr_fabric_search(struct orr_fabric_fit *fit, const bool *use, bool plain, struct orr_fabric *fabric);

/* Errors of rows: predicted / measured - 1, with its median and nine tenths of absolute values, and the range of
 * measured / predicted without a tenth at either end. */
struct orr_fabric_stats {
    size_t n;
    double median_frac, p90_frac, ratio_low, ratio_high;
};
/* Which rows count. */
struct orr_fabric_filter {
    size_t system;       /* SIZE_MAX: any */
    int collective;      /* -1: any */
    double least, below; /* bytes */
    bool inside;         /* rows inside one domain; else rows between domains */
};
/* Large messages of a system, inside one domain or between domains. */
struct orr_fabric_filter orr_fabric_large(size_t system, bool inside);
bool orr_fabric_counts(const struct orr_fabric_row *row, struct orr_fabric_filter filter);
/* Of the predictions that the rows hold. Returns false if out of memory. */
bool orr_fabric_stats_of(const struct orr_fabric_fit *fit, struct orr_fabric_filter filter,
                         struct orr_fabric_stats *stats);

/* What a system shows about networks like it, and about those that nobody has measured. */
struct orr_fabric_score {
    struct orr_fabric_stats own;     /* large messages between domains, with the fabric that the system names */
    struct orr_fabric_stats inside;  /* large messages between nodes of one domain, with the lines of the chip */
    struct orr_fabric_stats unknown; /* with a default fitted to all other systems */
    double spread_low, spread_high;  /* measured over predicted time that the other systems lead to expect */
    double inside_frac;              /* share of rows inside that spread */
};
/* One score per system (fabric_unknown.c). Returns false if out of memory. */
bool orr_fabric_scores(struct orr_fabric_fit *fit, struct orr_fabric_score *scores);

#endif
