/* Logs of training frameworks and results of serving benchmarks -> rows of measurements (docs/fit.md). What a log does
 * not say stays empty. */
#ifndef ORR_SPEC_LOG_H
#define ORR_SPEC_LOG_H

#include "spec/cells.h"

#include <stdint.h>

struct orr_log {
    int64_t skip;       /* in: first iterations that do not count */
    size_t n_all;       /* iterations of a log that has none beyond the first ones, so that all count; else 0 */
    const char *format; /* name of the kind of log, static; NULL: the text is none */
    char remark[160];   /* what of the log does not count; "": nothing */
    size_t n_rows;
    struct orr_cells *rows; /* owned by the caller */
};

/* What the runs of a log are called: the file without its folder. */
const char *orr_log_name(const char *origin);
/* Recognises a log by its content. A log of a known kind without a measurement is an error. */
enum orr_err orr_log_read(const char *text, const char *origin, struct orr_log *log, struct orr_error *error);
/* The same for JSON, and lines of JSON. */
enum orr_err orr_log_json(const char *text, const char *origin, struct orr_log *log, struct orr_error *error);

#endif
