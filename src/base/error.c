/* Located errors: the place and the message become one line in a struct of the caller. Nothing is allocated. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/plain.h"
#include "base/text.h"

const char *orr_err_name(enum orr_err err)
{
#define NAME(member, name, meaning) name,
    static const char *const NAMES[ORR_N_ERRS] = {ORR_ERRS(NAME)};
#undef NAME
    return (unsigned)err < ORR_N_ERRS ? NAMES[err] : "unknown";
}

/* Write "file:line: key: " and return its length. The column is stored but not printed, because a reader finds the key
 * faster than a column. */
static size_t add_place(char *text, size_t size, struct orr_place place)
{
    int n = 0;
    const bool has_file = place.file && place.file[0];
    const bool has_key = place.key && place.key[0];
    if (has_file && place.line > 0) n = snprintf(text, size, "%s:%d: ", place.file, place.line);
    else if (has_file) n = snprintf(text, size, "%s: ", place.file);
    size_t length = n < 0 ? 0 : (size_t)n < size ? (size_t)n : size - 1;
    if (has_key) {
        n = snprintf(text + length, size - length, "%s: ", place.key);
        const size_t room = size - length - 1;
        length += n < 0 ? 0 : (size_t)n < room ? (size_t)n : room;
    }
    return length;
}

enum orr_err orr_fail(struct orr_error *error, enum orr_err code, struct orr_place place, const char *format, ...)
{
    if (orr_memory_lacked()) { /* What looks wrong may only be incomplete. */
        code = ORR_ERR_MEMORY;
        place = (struct orr_place){0};
        format = "out of memory";
    }
    if (code == ORR_ERR_MEMORY) { /* Callers that try something else leave it at the number of failures. */
        orr_memory_note();
        (void)orr_memory_lacked();
    }
    if (!error) return code;
    ORR_PLAIN_NUMBERS;
    struct orr_error made = {.code = code, .line = place.line, .column = place.column};
    orr_copy_line(made.file, sizeof made.file, place.file ? place.file : "");
    orr_copy_line(made.key, sizeof made.key, place.key ? place.key : "");

    char text[ORR_ERROR_TEXT];
    const size_t length = add_place(text, sizeof text, place);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text + length, sizeof text - length, format, arguments);
    va_end(arguments);
    orr_copy_line(made.text, sizeof made.text, text);
    *error = made; /* This comes last, because file, key and arguments may point into *error. */
    return code;
}

enum orr_err orr_out_of_memory(struct orr_error *error, const char *file)
{
    return orr_fail(error, ORR_ERR_MEMORY, (struct orr_place){.file = file}, "out of memory");
}

enum orr_err orr_complete(enum orr_err err, struct orr_error *error)
{
    const bool lacked = orr_memory_lacked();
    return lacked && err != ORR_ERR_MEMORY ? orr_out_of_memory(error, NULL) : err;
}

enum orr_err orr_complete_since(unsigned long mark, enum orr_err err, struct orr_error *error)
{
    return err != ORR_ERR_MEMORY && orr_memory_mark() != mark ? orr_out_of_memory(error, NULL) : err;
}
