/* A study asks one question of many jobs and answers it with tables. reproduce_items.c lists the studies, reproduce.c
 * has what they share, the other reproduce_*.c compute the tables, and src/report/study.c prints them. */
#ifndef ORR_STUDY_REPRODUCE_H
#define ORR_STUDY_REPRODUCE_H

#include "base/error.h"
#include "study/sweep.h"

#define ORR_SHEET_COLUMNS 24
#define ORR_MAX_SHEETS    4
#define ORR_MAX_FINDINGS  16

/* A number, or a word if `word` is set; a cell without either is empty. */
struct orr_cell {
    double number;
    char word[48];
};

/* A table, filled cell by cell, row after row. */
struct orr_sheet {
    const char *name;    /* name of its file, without .csv */
    const char *title;   /* one line */
    const char *columns; /* names with units, separated by spaces */
    size_t n_columns, n_cells, capacity;
    struct orr_cell *cells;
    bool failed; /* An allocation failed. */
};
/* Add the next cells of a row. NAN makes an empty cell. */
#define ORR_NUMBERS(sheet, ...)                                                                                        \
    orr_sheet_numbers(sheet, (const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double))
#define ORR_WORDS(sheet, ...)                                                                                          \
    orr_sheet_words(sheet, (const char *const[]){__VA_ARGS__},                                                         \
                    sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))
void orr_sheet_numbers(struct orr_sheet *sheet, const double *numbers, size_t n);
void orr_sheet_words(struct orr_sheet *sheet, const char *const *words, size_t n);
void orr_sheet_text(struct orr_sheet *sheet, const char *text); /* stores a number if the text is one */
size_t orr_sheet_rows(const struct orr_sheet *sheet);
/* The index of a column; n_columns if there is none. */
size_t orr_sheet_column(const struct orr_sheet *sheet, const char *name);
/* Write the i-th name of a list separated by spaces into a buffer; "" after the last. */
#define ORR_COLUMN_NAME 40
char *orr_sheet_column_name(const struct orr_sheet *sheet, size_t i, char name[ORR_COLUMN_NAME]);

struct orr_study_item {
    const char *name, *title;
    const char *subject;     /* second line of the figure's title; NULL: the figure has a title of its own */
    const char *input;       /* file of measurements under the data folder; NULL: none */
    bool technology;         /* is also a study of orrery technology */
    const char *assumptions; /* one assumption per line */
    const char *compared;    /* what the numbers are compared with, and what could not be compared; lines */
    const char *chart;       /* title of the page's chart, drawn from the first table; NULL: no chart */
    const char *names;       /* columns that name a bar */
    const char *values;      /* columns that make up a bar, all in one unit; shares end in _frac */
    const char *unit;        /* unit of the chart; "%" for shares */
    const char *gnuplot;     /* commands after the common head; they read the CSV files */
    /* A second chart and figure from the second table, which has the name of the figure: one bar per word in the column
     * `lane`, divided by the words in the column `part`. There is none if the title is NULL. */
    struct {
        const char *title, *lane, *part, *value, *unit; /* unit of the values, which add up */
    } stack;
    enum orr_err (*run)(struct orr_study *study, struct orr_error *error);
};
extern const struct orr_study_item orr_study_items[];
extern const size_t orr_n_study_items;

struct orr_study {
    const struct orr_study_item *item;
    const struct orr_catalogue *catalogue;
    const char *csv, *origin; /* contents and name of item->input; set only while the study runs */
    struct orr_scratch *scratch;
    struct orr_job job; /* a job that the study may read with orr_study_job */
    size_t n_sheets;
    struct orr_sheet sheets[ORR_MAX_SHEETS];
    size_t n_findings;
    char findings[ORR_MAX_FINDINGS][256]; /* sentences with the main numbers of the tables */
};

/* ---------------------------------------------------------------- what the items are made of */

struct orr_sheet *orr_study_sheet(struct orr_study *study, const char *name, const char *title, const char *columns);
void orr_study_find(struct orr_study *study, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Read a request in which ' stands for ". */
enum orr_err orr_study_job(const struct orr_study *study, struct orr_job *job, struct orr_error *error,
                           const char *format, ...) __attribute__((format(printf, 4, 5)));

/* One point of a sweep with a copy of its job. */
struct orr_study_point {
    struct orr_point outcome; /* its job is the one below */
    struct orr_job job;
};
/* A request in which ' stands for ", and the fields to vary. If `searched`, the request has a space, and every point is
 * its best plan. */
struct orr_study_question {
    const char *request;
    const struct orr_vary *varies;
    size_t n_varies;
    enum orr_sweep_mode mode;
    bool searched;
};
/* The space of the searched studies: tensor, pipeline, data and sequence parallelism, interleaving, micro-batch and
 * recomputation are free. */
#define ORR_STUDY_SPACE "'cp':'1','zero':'1','schedule':'1f1b,interleaved'"
/* Answer every point, in order. *points is malloc'd. A point that is invalid, or has no plan that fits, is an error. */
enum orr_err orr_study_sweep(const struct orr_study *study, const struct orr_study_question *question,
                             struct orr_study_point **points, size_t *n_points, struct orr_error *error);

/* `batch` products of (m, k) and (k, n) in 16 bits. */
struct orr_op orr_study_product(const char *name, double m, double k, double n, double batch);

/* ---------------------------------------------------------------- the items */

enum orr_err orr_study_gemm(struct orr_study *study, struct orr_error *error);
enum orr_err orr_study_memory(struct orr_study *study, struct orr_error *error);
enum orr_err orr_study_training(struct orr_study *study, struct orr_error *error);
enum orr_err orr_study_inference(struct orr_study *study, struct orr_error *error);
/* The waterfall to the published speed-up, a part of the same study (reproduce_published.c). */
enum orr_err orr_study_published(struct orr_study *study, struct orr_error *error);
enum orr_err orr_study_generations(struct orr_study *study, struct orr_error *error);
enum orr_err orr_study_nodes(struct orr_study *study, struct orr_error *error);
enum orr_err orr_study_bounds(struct orr_study *study, struct orr_error *error);
enum orr_err orr_study_batch(struct orr_study *study, struct orr_error *error);
enum orr_err orr_study_shapes(struct orr_study *study, struct orr_error *error);
enum orr_err orr_study_chiplets(struct orr_study *study, struct orr_error *error);
enum orr_err orr_study_dram(struct orr_study *study, struct orr_error *error);

#endif
