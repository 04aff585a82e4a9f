/* The columns of every schema of measurements. */
#ifndef ORR_VALIDATE_COLUMNS_H
#define ORR_VALIDATE_COLUMNS_H

#include "validate/validate.h"

/* Columns of inference and of services that are options of the run: 1, 0, or empty for what the engine does by itself.
 * Each name ends in a space. */
#define ORR_OPTION_COLUMN_(member, name, what) name " "
#define ORR_OPTION_COLUMNS                     ORR_RUN_OPTIONS(ORR_OPTION_COLUMN_)

/* Write all columns that a table of this kind may have; returns how many. */
enum { ORR_MAX_NAMES = 64, ORR_MAX_NAME = 24 };
size_t orr_schema_columns(enum orr_set set, char names[ORR_MAX_NAMES][ORR_MAX_NAME]);
/* A column that no table of this kind has is an error; the message names the nearest known one. */
enum orr_err orr_schema_check(const struct orr_csv *csv, enum orr_set set, const char *origin, struct orr_error *error);

#endif
