/* JSON documents with located errors, and a table-driven reader that fills a struct by a list of fields.
 * jansson objects never leave src/spec and src/report. */
#ifndef ORR_SPEC_JSON_H
#define ORR_SPEC_JSON_H

#include <stdarg.h>

#include <jansson.h>

#include "base/error.h"
#include "base/units.h"

/* A parsed JSON text that remembers where it came from, so that errors can name file and line. */
struct orr_doc {
    json_t *root;              /* owned */
    const char *text;          /* the source, for line numbers; NULL: not known */
    const char *file;          /* origin for messages; NULL or "": none */
    const char *prefix;        /* dotted path of root inside text; NULL: root is the whole text */
    const struct orr_set *set; /* values a request put over those of text; NULL: none */
    json_t *uncovered;         /* owned: {key: file that says it without a source} (sources.h); NULL: none */
};

/* The "set" object of a request, seen from one part: values whose path starts with `part`. */
struct orr_set {
    const json_t *values;    /* {"chip.hbm_bytes_per_s": ..., ...} */
    const char *part;        /* "chip"; "" for the request itself */
    const char *text, *file; /* of the request */
};

/* Parses a text. It refuses duplicate keys, deep nesting, more than ORR_JSON_MAX_BYTES, and text after the value. */
#define ORR_JSON_MAX_BYTES ((size_t)64 << 20)
enum orr_err orr_doc_parse(const char *text, const char *file, struct orr_doc *doc, struct orr_error *error);
void orr_doc_close(struct orr_doc *doc);
/* Prints a value with the flags of jansson; the caller frees the text. NULL: out of memory, also for a NULL value. */
char *orr_json_dump(const json_t *value, size_t flags);

/* Line and column (1-based) of the value at a dotted path in valid JSON text; 0 if not found. */
void orr_json_locate(const char *text, const char *path, int *line, int *column);

/* An error about the value at `path` (dotted; "" is the whole document) of the document. */
enum orr_err orr_doc_fail(const struct orr_doc *doc, const char *path, struct orr_error *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
enum orr_err orr_doc_fail_v(const struct orr_doc *doc, const char *path, enum orr_err code, struct orr_error *error,
                            const char *format, va_list arguments) __attribute__((format(printf, 5, 0)));

/* An error (ORR_ERR_RULE) about a value that is allowed by itself but not together with others. */
enum orr_err orr_doc_fail_rule(const struct orr_doc *doc, const char *path, struct orr_error *error, const char *format,
                               ...) __attribute__((format(printf, 4, 5)));

/* Did a request's "set" give the value at `path`, or a value inside it? */
bool orr_doc_is_set(const struct orr_doc *doc, const char *path);
/* An error about a key that the object at `path` should not have; the nearest of `known` is proposed. */
enum orr_err orr_doc_fail_unknown(const struct orr_doc *doc, const char *path, const char *key,
                                  const char *const *known, size_t n_known, struct orr_error *error);
/* "path.key" (or "key" at the root) in a buffer of ORR_KEY_PATH bytes; returns buffer. */
#define ORR_KEY_PATH 256
char *orr_key_path(char buffer[ORR_KEY_PATH], const char *path, const char *key);
/* Describes a value for the end of a message, as `"fast"`, `12` or `an object`; returns buffer. */
#define ORR_SHOWN 72
char *orr_json_shown(char buffer[ORR_SHOWN], const json_t *value);

/* The value at a path of keys ("decode.paged.16"); NULL where there is none. */
json_t *orr_json_at(const json_t *root, const char *path);

enum orr_field_type {
    ORR_FIELD_INT,
    ORR_FIELD_REAL,
    ORR_FIELD_BOOL,
    ORR_FIELD_STRING,
    ORR_FIELD_ENUM,
    ORR_FIELD_SWITCH, /* true, false or "engine": enum orr_switch */
};

/* Keys that an object of a file may have. */
enum { ORR_KEYS_MAX = 512 };

/* One key of a JSON object and where its value goes. */
struct orr_field {
    const char *key;
    enum orr_field_type type;
    enum orr_unit unit; /* REAL and INT: strings with units are accepted too */
    bool required;
    double min, max;          /* INT, REAL: inclusive */
    size_t offset;            /* of the member: int64_t, double, bool, char[size], enum (int) */
    size_t size;              /* STRING: bytes of the member */
    const char *const *names; /* ENUM: allowed words, value = index */
    size_t n_names;
    const char *meaning; /* for documentation and messages */
};

/* Rows of a field table for `struct S`: the JSON key is the member's name. */
#define ORR_INT(S, member, need, low, high, what)                                                                      \
    {                                                                                                                  \
        .key = #member, .type = ORR_FIELD_INT, .unit = ORR_UNIT_COUNT, .required = need, .min = low, .max = high,      \
        .offset = offsetof(struct S, member), .meaning = what                                                          \
    }
#define ORR_REAL(S, member, of, need, low, high, what)                                                                 \
    {                                                                                                                  \
        .key = #member, .type = ORR_FIELD_REAL, .unit = of, .required = need, .min = low, .max = high,                 \
        .offset = offsetof(struct S, member), .meaning = what                                                          \
    }
#define ORR_BOOL(S, member, need, what)                                                                                \
    {                                                                                                                  \
        .key = #member, .type = ORR_FIELD_BOOL, .required = need, .offset = offsetof(struct S, member),                \
        .meaning = what                                                                                                \
    }
#define ORR_STRING(S, member, need, what)                                                                              \
    {                                                                                                                  \
        .key = #member, .type = ORR_FIELD_STRING, .required = need, .offset = offsetof(struct S, member),              \
        .size = sizeof((struct S *)0)->member, .meaning = what                                                         \
    }
#define ORR_ENUM(S, member, need, words, what)                                                                         \
    {                                                                                                                  \
        .key = #member, .type = ORR_FIELD_ENUM, .required = need, .offset = offsetof(struct S, member),                \
        .names = words, .n_names = sizeof words / sizeof words[0], .meaning = what                                     \
    }
#define ORR_COUNT_OF(table) (sizeof(table) / sizeof(table)[0])

/* Fill `target` from `object` (found at `path` in doc). Keys not in the table are errors unless listed in
 * `extra` (NULL-terminated; may be NULL); every error names key, rule and nearest match. Absent optional
 * members of target are left as they are. */
enum orr_err orr_fields_read(const struct orr_doc *doc, const char *path, const json_t *object,
                             const struct orr_field *fields, size_t n_fields, const char *const *extra, void *target,
                             struct orr_error *error);

/* The inverse of orr_fields_read: puts the members of `source` into `object`, but numbers that are 0 and flags that are
 * false only if their field is required. */
void orr_fields_write(json_t *object, const struct orr_field *fields, size_t n_fields, const void *source);

/* An array of numbers in an object of a file: its key, what it may hold, and where it goes. */
struct orr_numbers {
    const char *key;
    double min, max; /* inclusive */
    double *at;
};

/* Two arrays of one length that are the points of a curve: from 1 to `most`, and x increases from each to the next. */
struct orr_curve {
    struct orr_numbers x, y;
    size_t most;
    int64_t *n; /* receives the number of points */
};
enum orr_err orr_curve_read(const struct orr_doc *doc, const char *path, const json_t *object,
                            const struct orr_curve *curve, struct orr_error *error);

#endif
