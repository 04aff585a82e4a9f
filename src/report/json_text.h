/* These are small steps from numbers to JSON text; only the JSON writers of this folder use them. */
#ifndef ORR_REPORT_JSON_TEXT_H
#define ORR_REPORT_JSON_TEXT_H

#include <jansson.h>

#include "base/text.h"
#include "orrery.h"

/* With 17 significant digits, every double survives the way to text and back. */
#define ORR_JSON_FLAGS (JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(17))

/* Returns a number; null where it is not finite, because JSON has no such number. */
json_t *orr_json_real(double value);
/* Returns a string; bytes that are not UTF-8 become '?'. */
json_t *orr_json_word(const char *word);
/* Returns the built value or, where a step of building it failed, frees it and returns NULL. */
json_t *orr_json_whole(json_t *value, int failed);
/* Prints a value, frees it, and notes a failure in `text`. `value` may be NULL, which means out of memory. */
void orr_json_add(struct orr_text *text, json_t *value, size_t flags);
/* Prints a value on indented lines and ends the last one. */
void orr_json_lines(struct orr_text *text, json_t *value);
/* Returns the value of a cell of a row: a word, or a number that may be a flag or whole. */
json_t *orr_json_cell(enum orr_column_type type, double number, const char *word);

#endif
