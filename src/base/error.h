/* Located errors: they fill a struct orr_error of the caller with one line of text and allocate nothing. */
#ifndef ORR_BASE_ERROR_H
#define ORR_BASE_ERROR_H

#include "orrery.h"

/* Where in the input an error is; any member may be NULL or 0. */
struct orr_place {
    const char *file;
    int line, column;
    const char *key;
};

/* Fill *error (may be NULL) as "file:line: key: message" and return `code`. */
enum orr_err orr_fail(struct orr_error *error, enum orr_err code, struct orr_place place, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Fail with ORR_ERR_MEMORY. `file` is the input that was being read; NULL: none. */
enum orr_err orr_out_of_memory(struct orr_error *error, const char *file);

/* The end of a reader: `err`, or out of memory if an allocation failed that nobody could report (base/memory.h). */
enum orr_err orr_complete(enum orr_err err, struct orr_error *error);
/* The same for an answer of many parts, each of which may be skipped with a reason: where this thread lacked memory
 * since `mark` (orr_memory_mark of base/memory.h), what was skipped is not the answer. */
enum orr_err orr_complete_since(unsigned long mark, enum orr_err err, struct orr_error *error);

#endif
