/* Small steps on the way from numbers to JSON text; only this folder's JSON writers use them. */
#ifndef ORR_REPORT_JSON_TEXT_H
#define ORR_REPORT_JSON_TEXT_H

#include <jansson.h>

#include "base/text.h"
#include "orrery.h"

/* 17 significant digits: every double survives the way to text and back. */
#define ORR_JSON_FLAGS (JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(17))

/* A number; null where JSON has none (not finite). */
json_t *orr_json_real(double value);
/* A string; bytes that are not UTF-8 become '?'. */
json_t *orr_json_word(const char *word);
/* A value that was built, or, where a step of it failed, NULL; then it is given back. */
json_t *orr_json_whole(json_t *value, int failed);
/* Print a value, give it back, and note a failure in `text`. `value` may be NULL: out of memory. */
void orr_json_add(struct orr_text *text, json_t *value, size_t flags);
/* The same on indented lines, the last one ended. */
void orr_json_lines(struct orr_text *text, json_t *value);
/* The value of a cell of a row: a word, or a number that may be a flag or whole. */
json_t *orr_json_cell(enum orr_column_type type, double number, const char *word);

#endif
