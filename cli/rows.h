/* Rows of a sweep as bytes, for the way from one process to another. */
#ifndef CLI_ROWS_H
#define CLI_ROWS_H

#include "cli.h"

/* malloc'd; NULL: out of memory. */
char *cli_rows_pack(const struct orr_column *columns, size_t n_columns, const struct orr_sweep_row *rows, size_t n,
                    size_t *n_bytes);
/* Words of the rows point into `bytes`. False: these are not n rows of the columns. */
bool cli_rows_unpack(const struct orr_column *columns, size_t n_columns, const char *bytes, size_t n_bytes,
                     struct orr_sweep_row *rows, size_t n);

#endif
