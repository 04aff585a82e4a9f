/* Comma-separated values (RFC 4180: quotes, doubled quotes, line breaks inside quotes) with a header line. */
#ifndef ORR_SPEC_CSV_H
#define ORR_SPEC_CSV_H

#include "base/error.h"

struct orr_csv {
    size_t n_columns, n_rows;
    char **names;  /* n_columns of them */
    char **cells;  /* n_rows * n_columns of them */
    char *storage; /* holds all strings */
    int *lines;    /* line in the file of every row */
};

enum orr_err orr_csv_parse(const char *text, const char *file, struct orr_csv *csv, struct orr_error *error);
void orr_csv_free(struct orr_csv *csv);
/* Cell of a named column; "" if the column is absent. */
const char *orr_csv_cell(const struct orr_csv *csv, size_t row, const char *name);
bool orr_csv_has(const struct orr_csv *csv, const char *name);

#endif
