/* This file turns numbers and words into json_t, and json_t into text. */
#include "report/json_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec/json.h"

json_t *orr_json_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *orr_json_word(const char *word)
{
    json_t *value = json_string(word);
    if (value) return value;
    char plain[256]; /* longer than any name of the model */
    (void)snprintf(plain, sizeof plain, "%s", word);
    for (char *c = plain; *c; c++)
        if ((unsigned char)*c >= 0x80) *c = '?';
    return json_string(plain);
}

json_t *orr_json_whole(json_t *value, int failed)
{
    if (!failed) return value;
    json_decref(value);
    return NULL;
}

void orr_json_add(struct orr_text *text, json_t *value, size_t flags)
{
    char *dump = orr_json_dump(value, flags | ORR_JSON_FLAGS);
    if (dump) orr_text_append(text, dump, strlen(dump));
    else text->failed = true;
    free(dump);
    json_decref(value);
}

void orr_json_lines(struct orr_text *text, json_t *value)
{
    orr_json_add(text, value, JSON_INDENT(2));
    orr_text_add(text, "\n");
}

json_t *orr_json_cell(enum orr_column_type type, double number, const char *word)
{
    switch (type) {
    case ORR_COLUMN_TEXT: return orr_json_word(word);
    case ORR_COLUMN_FLAG: return json_boolean(number != 0);
    case ORR_COLUMN_WHOLE: return json_integer((json_int_t)number);
    case ORR_COLUMN_REAL: break;
    }
    return orr_json_real(number);
}
