/* Rows of a sweep as bytes that one process sends to another. */
#ifndef CLI_ROWS_H
#define CLI_ROWS_H

#include "cli.h"

/* The bytes are malloc'd; NULL if out of memory. */
char *cli_rows_pack(const struct orr_column *columns, size_t n_columns, const struct orr_sweep_row *rows, size_t n,
                    size_t *n_bytes);
/* The words of the rows point into `bytes`. Returns false if the bytes are not n rows of these columns. */
bool cli_rows_unpack(const struct orr_column *columns, size_t n_columns, const char *bytes, size_t n_bytes,
                     struct orr_sweep_row *rows, size_t n);

#endif
