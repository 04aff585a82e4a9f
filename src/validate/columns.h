/* The columns of every schema of measurements. */
#ifndef ORR_VALIDATE_COLUMNS_H
#define ORR_VALIDATE_COLUMNS_H

#include "validate/validate.h"

/* All columns a table of this kind may have. */
const char *const *orr_schema_columns(enum orr_set set, size_t *n);
/* A column that no table of this kind has is an error that names the nearest one. */
enum orr_err orr_schema_check(const struct orr_csv *csv, enum orr_set set, const char *origin, struct orr_error *error);

#endif
