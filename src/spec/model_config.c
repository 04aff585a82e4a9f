/* Located access to the keys of a config.json: several spellings, dotted keys, null as absent, one sticky error. */
#include "spec/model.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Walk a dotted key of `length` characters down from `object`. */
static const json_t *walk(const json_t *object, const char *key, size_t length)
{
    while (object) {
        const char *dot = memchr(key, '.', length);
        const size_t part = dot ? (size_t)(dot - key) : length;
        char name[ORR_PATH];
        if (part >= sizeof name) return NULL;
        memcpy(name, key, part);
        name[part] = '\0';
        object = json_object_get(object, name); /* NULL when `object` is no object */
        if (!dot) return object;
        key = dot + 1;
        length -= part + 1;
    }
    return NULL;
}

static void make_path(const struct orr_config *config, const char *key, size_t length, char *path)
{
    snprintf(path, ORR_PATH, "%s%s%.*s", config->prefix, *config->prefix ? "." : "", (int)length, key);
}

void orr_config_fail(struct orr_config *config, const char *path, const char *format, ...)
{
    if (config->err) return;
    va_list arguments;
    va_start(arguments, format);
    config->err = orr_doc_fail_v(config->doc, path, ORR_ERR_INPUT, config->error, format, arguments);
    va_end(arguments);
}

void orr_config_fail_rule(struct orr_config *config, const char *path, const char *format, ...)
{
    if (config->err) return;
    va_list arguments;
    va_start(arguments, format);
    config->err = orr_doc_fail_v(config->doc, path, ORR_ERR_RULE, config->error, format, arguments);
    va_end(arguments);
}

bool orr_config_has(const struct orr_config *config, const char *spellings)
{
    for (const char *key = spellings; *key; key += strspn(key, "|")) {
        const size_t length = strcspn(key, "|");
        if (walk(config->object, key, length)) return true;
        key += length;
    }
    return false;
}

/* Reads a number, also one written as text, as overrides are. */
static bool number_of(const json_t *value, enum orr_unit unit, double *number)
{
    *number = json_number_value(value);
    return json_is_number(value) ||
           (json_is_string(value) && orr_quantity_parse(json_string_value(value), unit, number));
}

static bool same_value(const json_t *a, const json_t *b)
{
    double x, y;
    if (!number_of(a, ORR_UNIT_COUNT, &x) || !number_of(b, ORR_UNIT_COUNT, &y)) return json_equal(a, b);
    return !(x < y || x > y);
}

/* A spelling is noted once, because lists with an entry per layer are read many times. */
static void note_asked(struct orr_config *config, const char *spellings)
{
    for (size_t i = 0; i < config->n_asked; i++)
        if (config->asked[i] == spellings) return;
    if (config->n_asked < ORR_ASKED_MAX) config->asked[config->n_asked++] = spellings;
}

const json_t *orr_config_find(struct orr_config *config, const char *spellings, char *path)
{
    const json_t *found = NULL;
    path[0] = '\0';
    note_asked(config, spellings);
    for (const char *key = spellings; *key; key += strspn(key, "|")) {
        const size_t length = strcspn(key, "|");
        const json_t *value = walk(config->object, key, length);
        if (value && !json_is_null(value)) {
            char here[ORR_PATH];
            make_path(config, key, length, here);
            if (!found || orr_doc_is_set(config->doc, here)) { /* an override beats the file's own spelling */
                found = value;
                memcpy(path, here, sizeof here);
            } else if (!same_value(found, value) && !orr_doc_is_set(config->doc, path)) {
                orr_config_fail(config, path, "disagrees with \"%.*s\", another spelling of the same key", (int)length,
                                key);
                return NULL;
            }
        }
        key += length;
    }
    return found;
}

static void fail_missing(struct orr_config *config, const char *spellings)
{
    orr_config_fail(config, config->prefix, "missing key \"%.*s\" (needed for model_type %s)",
                    (int)strcspn(spellings, "|"), spellings, config->type);
}

int64_t orr_config_count(struct orr_config *config, const char *spellings, int64_t min, int64_t max, int64_t absent)
{
    char path[ORR_PATH], shown[ORR_SHOWN];
    const json_t *value = orr_config_find(config, spellings, path);
    if (!value) {
        if (absent == ORR_REQUIRED) fail_missing(config, spellings);
        return absent == ORR_REQUIRED ? min : absent;
    }
    double number;
    if (number_of(value, ORR_UNIT_COUNT, &number) && number >= (double)min && number <= (double)max &&
        !(floor(number) < number)) {
        return (int64_t)number;
    }
    orr_config_fail(config, path, "must be a whole number from %lld to %lld, not %s", (long long)min, (long long)max,
                    orr_json_shown(shown, value));
    return min;
}

double orr_config_frac(struct orr_config *config, const char *spellings, double absent)
{
    char path[ORR_PATH], shown[ORR_SHOWN];
    const json_t *value = orr_config_find(config, spellings, path);
    if (!value) return absent;
    double number;
    if (number_of(value, ORR_UNIT_NONE, &number) && number >= 0 && number <= 1) return number;
    orr_config_fail(config, path, "must be a number from 0 to 1, not %s", orr_json_shown(shown, value));
    return absent;
}

bool orr_config_flag(struct orr_config *config, const char *spellings, bool absent)
{
    char path[ORR_PATH], shown[ORR_SHOWN];
    const json_t *value = orr_config_find(config, spellings, path);
    if (!value) return absent;
    if (json_is_boolean(value)) return json_is_true(value);
    const char *text = json_string_value(value); /* overrides arrive as text */
    if (text && !strcmp(text, "true")) return true;
    if (text && !strcmp(text, "false")) return false;
    orr_config_fail(config, path, "must be true or false, not %s", orr_json_shown(shown, value));
    return absent;
}

const json_t *orr_config_list(struct orr_config *config, const char *key, char *path)
{
    char shown[ORR_SHOWN];
    const json_t *value = orr_config_find(config, key, path);
    if (!value || json_is_array(value)) return value;
    orr_config_fail(config, path, "must be an array, not %s", orr_json_shown(shown, value));
    return NULL;
}
