/* The table-driven reader fills a struct from a JSON object by a list of fields. Every refusal names the key,
 * the rule and the nearest match. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "spec/json.h"
#include "spec/names.h"

enum { RULE = 256 };

/* ---------------------------------------------------------------- what is allowed, in words */

static void number_rule(char rule[RULE], const struct orr_field *field)
{
    const char *noun = field->type == ORR_FIELD_INT ? "an integer" : "a number";
    char low[32], high[32];
    const int digits = field->type == ORR_FIELD_INT ? 15 : 6;
    (void)snprintf(low, sizeof low, "%.*g", digits, field->min);
    (void)snprintf(high, sizeof high, "%.*g", digits, field->max);
    const bool plain = field->unit == ORR_UNIT_NONE || field->unit == ORR_UNIT_COUNT;
    (void)snprintf(rule, RULE, "%s from %s to %s%s%s%s", noun, low, high, plain ? "" : " (",
                   plain ? "" : orr_unit_hint(field->unit), plain ? "" : ")");
}

static void enum_rule(char rule[RULE], const struct orr_field *field)
{
    size_t n = 0;
    rule[0] = '\0';
    for (size_t i = 0; i < field->n_names && n < RULE - 1; i++) {
        const char *before = i == 0 ? (field->n_names > 1 ? "one of " : "") : ", ";
        const int added = snprintf(rule + n, RULE - n, "%s\"%s\"", before, field->names[i]);
        n += added > 0 ? (size_t)added : 0;
    }
}

static char *field_rule(char rule[RULE], const struct orr_field *field)
{
    switch (field->type) {
    case ORR_FIELD_INT:
    case ORR_FIELD_REAL: number_rule(rule, field); break;
    case ORR_FIELD_BOOL: (void)snprintf(rule, RULE, "true or false"); break;
    case ORR_FIELD_STRING: (void)snprintf(rule, RULE, "a string of 1 to %zu bytes", field->size - 1); break;
    case ORR_FIELD_ENUM: enum_rule(rule, field); break;
    case ORR_FIELD_SWITCH: (void)snprintf(rule, RULE, "true, false or \"engine\""); break;
    }
    return rule;
}

static enum orr_err fail_value(const struct orr_doc *doc, const char *path, const struct orr_field *field,
                               const json_t *value, struct orr_error *error)
{
    char rule[RULE], shown[ORR_SHOWN], hint[ORR_HINT] = "", key[ORR_KEY_PATH];
    if (field->type == ORR_FIELD_ENUM && json_is_string(value))
        orr_did_you_mean(hint, json_string_value(value), field->names, field->n_names);
    return orr_doc_fail(doc, orr_key_path(key, path, field->key), error, "must be %s, not %s%s",
                        field_rule(rule, field), orr_json_shown(shown, value), hint);
}

/* ---------------------------------------------------------------- one value */

/* Reads a number, or a text with a unit; the result is false if the value is neither or not finite. */
static bool number_of(const struct orr_field *field, const json_t *value, double *number)
{
    if (json_is_string(value)) return orr_quantity_parse(json_string_value(value), field->unit, number);
    if (!json_is_number(value)) return false;
    *number = json_number_value(value);
    return isfinite(*number);
}

static bool put_number(const struct orr_field *field, const json_t *value, char *member)
{
    double number;
    if (!number_of(field, value, &number) || number < field->min || number > field->max) return false;
    if (field->type == ORR_FIELD_REAL) {
        memcpy(member, &number, sizeof number);
        return true;
    }
    if (fabs(number) > 9007199254740992.0 || floor(number) < number) /* 2^53: integers a double holds exactly */
        return false;
    const int64_t count = (int64_t)number;
    memcpy(member, &count, sizeof count);
    return true;
}

/* Overrides from a command line arrive as text or as 0 and 1. */
static bool put_bool(const json_t *value, char *member)
{
    static const char *const WORDS[] = {"false", "true", "no", "yes", "off", "on", "0", "1"};
    bool flag = false, known = json_is_boolean(value);
    if (known) flag = json_is_true(value);
    if (json_is_integer(value)) {
        known = json_integer_value(value) == 0 || json_integer_value(value) == 1;
        flag = json_integer_value(value) == 1;
    }
    for (size_t i = 0; json_is_string(value) && !known && i < ORR_COUNT_OF(WORDS); i++) {
        known = orr_compare_nocase(json_string_value(value), WORDS[i]) == 0;
        flag = i % 2 == 1;
    }
    if (known) memcpy(member, &flag, sizeof flag);
    return known;
}

static bool put_switch(const json_t *value, char *member)
{
    bool flag = false;
    const char *word = json_string_value(value);
    const bool engine = word && orr_compare_nocase(word, orr_switch_names[ORR_SWITCH_ENGINE]) == 0;
    if (!engine && !put_bool(value, (char *)&flag)) return false;
    const enum orr_switch position = engine ? ORR_SWITCH_ENGINE : flag ? ORR_SWITCH_ON : ORR_SWITCH_OFF;
    memcpy(member, &position, sizeof position);
    return true;
}

static bool put_string(const struct orr_field *field, const json_t *value, char *member)
{
    const size_t length = json_is_string(value) ? json_string_length(value) : 0;
    if (length == 0 || length >= field->size) return false;
    memcpy(member, json_string_value(value), length + 1);
    return true;
}

static bool put_enum(const struct orr_field *field, const json_t *value, char *member)
{
    for (size_t i = 0; json_is_string(value) && i < field->n_names; i++) {
        if (orr_compare_nocase(json_string_value(value), field->names[i]) == 0) {
            const int index = (int)i;
            memcpy(member, &index, sizeof index);
            return true;
        }
    }
    return false;
}

static bool put_value(const struct orr_field *field, const json_t *value, char *member)
{
    switch (field->type) {
    case ORR_FIELD_INT:
    case ORR_FIELD_REAL: return put_number(field, value, member);
    case ORR_FIELD_BOOL: return put_bool(value, member);
    case ORR_FIELD_STRING: return put_string(field, value, member);
    case ORR_FIELD_ENUM: return put_enum(field, value, member);
    case ORR_FIELD_SWITCH: return put_switch(value, member);
    }
    return false;
}

/* ---------------------------------------------------------------- one object */

/* All keys an object may have; returns their number. */
static size_t known_keys(const struct orr_field *fields, size_t n_fields, const char *const *extra,
                         const char *known[ORR_KEYS_MAX])
{
    size_t n = 0;
    for (size_t i = 0; i < n_fields && n < ORR_KEYS_MAX; i++) known[n++] = fields[i].key;
    for (; extra && *extra && n < ORR_KEYS_MAX; extra++) known[n++] = *extra;
    return n;
}

static bool is_known(const char *key, const char *const *known, size_t n_known)
{
    for (size_t i = 0; i < n_known; i++)
        if (strcmp(key, known[i]) == 0) return true;
    return false;
}

static enum orr_err check_keys(const struct orr_doc *doc, const char *path, const json_t *object,
                               const struct orr_field *fields, size_t n_fields, const char *const *extra,
                               struct orr_error *error)
{
    const char *known[ORR_KEYS_MAX];
    const size_t n_known = known_keys(fields, n_fields, extra, known);
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        if (!is_known(key, known, n_known)) return orr_doc_fail_unknown(doc, path, key, known, n_known, error);
    }
    return ORR_OK;
}

enum orr_err orr_fields_read(const struct orr_doc *doc, const char *path, const json_t *object,
                             const struct orr_field *fields, size_t n_fields, const char *const *extra, void *target,
                             struct orr_error *error)
{
    char shown[ORR_SHOWN], rule[RULE];
    if (!json_is_object(object))
        return orr_doc_fail(doc, path, error, "must be an object, not %s", orr_json_shown(shown, object));
    const enum orr_err err = check_keys(doc, path, object, fields, n_fields, extra, error);
    if (err) return err;
    for (size_t i = 0; i < n_fields; i++) {
        const struct orr_field *field = &fields[i];
        const json_t *value = json_object_get(object, field->key);
        if (!value && field->required)
            return orr_doc_fail(doc, path, error, "missing key \"%s\": %s, %s", field->key, field->meaning,
                                field_rule(rule, field));
        if (value && !put_value(field, value, (char *)target + field->offset))
            return fail_value(doc, path, field, value, error);
    }
    return ORR_OK;
}

/* ---------------------------------------------------------------- back to JSON */

static json_t *number_json(const struct orr_field *field, const char *member)
{
    double number;
    int64_t count;
    if (field->type == ORR_FIELD_INT) {
        memcpy(&count, member, sizeof count);
        return count != 0 || field->required ? json_integer(count) : NULL;
    }
    memcpy(&number, member, sizeof number);
    return number < 0 || number > 0 || field->required ? json_real(number) : NULL;
}

static json_t *value_json(const struct orr_field *field, const char *member)
{
    bool flag;
    int word;
    switch (field->type) {
    case ORR_FIELD_INT:
    case ORR_FIELD_REAL: return number_json(field, member);
    case ORR_FIELD_BOOL: memcpy(&flag, member, sizeof flag); return flag || field->required ? json_boolean(flag) : NULL;
    case ORR_FIELD_STRING: return member[0] || field->required ? json_string(member) : NULL;
    case ORR_FIELD_ENUM: memcpy(&word, member, sizeof word); return json_string(field->names[word]);
    case ORR_FIELD_SWITCH:
        memcpy(&word, member, sizeof word);
        return word == ORR_SWITCH_ENGINE ? NULL : json_boolean(word == ORR_SWITCH_ON);
    }
    return NULL;
}

void orr_fields_write(json_t *object, const struct orr_field *fields, size_t n_fields, const void *source)
{
    for (size_t i = 0; i < n_fields; i++) {
        json_t *value = value_json(&fields[i], (const char *)source + fields[i].offset);
        if (value) json_object_set_new(object, fields[i].key, value);
    }
}
