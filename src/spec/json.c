/* JSON documents with located errors: text -> jansson tree, and errors that name file, line and key. */
#define _POSIX_C_SOURCE 200809L
#include "spec/json.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

/* ---------------------------------------------------------------- parsing */

/* jansson repeats the text near the error; for a duplicate key that text is the key itself. */
static enum orr_err fail_syntax(struct orr_error *error, const char *file, const json_error_t *fault)
{
    const struct orr_place place = {
        .file = file, .line = fault->line > 0 ? fault->line : 0, .column = fault->column > 0 ? fault->column : 0};
    switch (json_error_code(fault)) {
    case json_error_out_of_memory: return orr_fail(error, ORR_ERR_MEMORY, place, "out of memory");
    case json_error_duplicate_key: {
        const char *quoted = strchr(fault->text, '"');
        const int length = quoted ? (int)strcspn(quoted + 1, "\"") : 0;
        return orr_fail(error, ORR_ERR_SYNTAX, place, "duplicate key \"%.*s\"", length, quoted ? quoted + 1 : "");
    }
    case json_error_stack_overflow:
        return orr_fail(error, ORR_ERR_SYNTAX, place, "not valid JSON: nested deeper than 2048 levels");
    case json_error_null_character:
        return orr_fail(error, ORR_ERR_SYNTAX, place,
                        "not valid JSON: a text must not hold a zero character (\\u0000)");
    default: return orr_fail(error, ORR_ERR_SYNTAX, place, "not valid JSON: %s", fault->text);
    }
}

struct feed {
    const char *at;
    size_t n_left;
};

/* Hands jansson the next piece. Once an allocation failed the text ends, because the reserve of
 * src/spec/json_memory.c is small. */
static size_t feed_text(void *buffer, size_t size, void *context)
{
    struct feed *feed = context;
    const bool lacked = orr_memory_lacked();
    const size_t n = lacked ? 0 : feed->n_left < size ? feed->n_left : size;
    if (lacked) orr_memory_note();
    memcpy(buffer, feed->at, n);
    feed->at += n;
    feed->n_left -= n;
    return n;
}

enum orr_err orr_doc_parse(const char *text, const char *file, struct orr_doc *doc, struct orr_error *error)
{
    const struct orr_place place = {.file = file};
    *doc = (struct orr_doc){.text = text, .file = file};
    if (strncmp(text, "\xef\xbb\xbf", 3) == 0) /* byte order mark of Windows editors */
        doc->text = text += 3;
    const char *first = text + strspn(text, " \t\r\n");
    if (*first == '\0')
        return orr_fail(error, ORR_ERR_SYNTAX, place, "not valid JSON: empty, a JSON object is expected");
    if (strnlen(text, ORR_JSON_MAX_BYTES + 1) > ORR_JSON_MAX_BYTES)
        return orr_fail(error, ORR_ERR_INPUT, place, "larger than %zu MiB", ORR_JSON_MAX_BYTES >> 20);
    json_error_t fault;
    struct feed feed = {text, strlen(text)};
    doc->root = json_load_callback(feed_text, &feed, JSON_REJECT_DUPLICATES, &fault);
    if (orr_memory_lacked()) {
        orr_doc_close(doc);
        return orr_out_of_memory(error, file);
    }
    if (!doc->root) return fail_syntax(error, file, &fault);
    if (json_is_object(doc->root)) return ORR_OK;
    orr_doc_close(doc);
    return orr_fail(error, ORR_ERR_INPUT, place, "must be a JSON object, not an array");
}

void orr_doc_close(struct orr_doc *doc)
{
    json_decref(doc->root);
    json_decref(doc->uncovered);
    doc->root = doc->uncovered = NULL;
}

static int add_dumped(const char *bytes, size_t n, void *text)
{
    orr_text_append(text, bytes, n);
    return 0;
}

/* json_dumps() forgets that a key did not fit into memory; the growable text does not. */
char *orr_json_dump(const json_t *value, size_t flags)
{
    struct orr_text text = {0};
    if (!value || json_dump_callback(value, add_dumped, &text, flags) != 0) text.failed = true;
    return orr_text_take(&text);
}

json_t *orr_json_at(const json_t *root, const char *path)
{
    char key[64];
    json_t *value = (json_t *)root;
    while (value && orr_next_word(&path, '.', key, sizeof key)) value = json_object_get(value, key);
    return value;
}

/* ---------------------------------------------------------------- errors about a value */

char *orr_key_path(char buffer[ORR_KEY_PATH], const char *path, const char *key)
{
    const bool both = path && path[0] && key[0];
    /* A path that is cut off still tells roughly where the value is. */
    if (snprintf(buffer, ORR_KEY_PATH, "%s%s%s", path ? path : "", both ? "." : "", key) < 0) buffer[0] = '\0';
    return buffer;
}

/* Is `path` equal to `outer`, or does it lie inside it? */
static bool is_inside(const char *path, const char *outer)
{
    const size_t length = strlen(outer);
    return strncmp(path, outer, length) == 0 && (path[length] == '\0' || path[length] == '.');
}

/* The key of "set" that gave the value at `path`, else one that gave something inside it; NULL if none did. The
 * whole document ("") is never blamed on the request. */
static const char *set_key(const struct orr_set *set, const char *path)
{
    char full[ORR_KEY_PATH];
    orr_key_path(full, set->part, path);
    const char *key, *inner = NULL;
    json_t *value;
    json_object_foreach((json_t *)set->values, key, value)
    {
        if (is_inside(full, key)) return key;
        if (path[0] && is_inside(key, full)) inner = key;
    }
    return inner;
}

/* A key of "set" that changes this part; NULL if none does. A rule may be broken by it and named at another value. */
static const char *any_key(const struct orr_set *set)
{
    const size_t n = strlen(set->part);
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)set->values, key, value)
    {
        if (n > 0 && strncmp(key, set->part, n) == 0 && key[n] == '.') return key;
    }
    return NULL;
}

bool orr_doc_is_set(const struct orr_doc *doc, const char *path)
{
    return doc->set && set_key(doc->set, path);
}

/* Line numbers are no help for values of a command line. */
static bool has_lines(const char *text, const char *file)
{
    return text && !(file && strcmp(file, "command line") == 0);
}

/* File, line and key for a value; `key` (ORR_KEY_PATH bytes) holds the key the place points to. */
static struct orr_place place_of(const struct orr_doc *doc, const char *path, char *key)
{
    struct orr_place place = {.file = doc->file, .key = key};
    const char *set = doc->set ? set_key(doc->set, path) : NULL;
    if (set) {
        char set_path[ORR_KEY_PATH];
        orr_key_path(key, doc->set->part, path);
        orr_key_path(set_path, "set", set);
        place.file = doc->set->file;
        if (has_lines(doc->set->text, place.file))
            orr_json_locate(doc->set->text, set_path, &place.line, &place.column);
        return place;
    }
    orr_key_path(key, doc->prefix, path);
    if (has_lines(doc->text, place.file)) orr_json_locate(doc->text, key, &place.line, &place.column);
    return place;
}

enum orr_err orr_doc_fail_v(const struct orr_doc *doc, const char *path, enum orr_err code, struct orr_error *error,
                            const char *format, va_list arguments)
{
    char message[ORR_ERROR_TEXT], key[ORR_KEY_PATH];
    (void)vsnprintf(message, sizeof message, format, arguments);
    const char *also = doc->set && !set_key(doc->set, path) ? any_key(doc->set) : NULL;
    return also ? orr_fail(error, code, place_of(doc, path, key), "%s (with %.80s as it was set)", message, also)
                : orr_fail(error, code, place_of(doc, path, key), "%s", message);
}

enum orr_err orr_doc_fail(const struct orr_doc *doc, const char *path, struct orr_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const enum orr_err err = orr_doc_fail_v(doc, path, ORR_ERR_INPUT, error, format, arguments);
    va_end(arguments);
    return err;
}

enum orr_err orr_doc_fail_rule(const struct orr_doc *doc, const char *path, struct orr_error *error, const char *format,
                               ...)
{
    va_list arguments;
    va_start(arguments, format);
    const enum orr_err err = orr_doc_fail_v(doc, path, ORR_ERR_RULE, error, format, arguments);
    va_end(arguments);
    return err;
}

/* Replaces the pieces of a name that people use by those that this program uses: "mem_bw" -> "hbm_bytes_per_s". */
static void spell_out(char spelled[ORR_KEY_PATH], const char *key)
{
    static const char *const PIECES[][2] = {{"bw", "bytes_per_s"}, {"bandwidth", "bytes_per_s"}, {"mem", "hbm"},
                                            {"memory", "hbm"},     {"latency", "latency_s"},     {"power", "w"}};
    size_t n = 0;
    spelled[0] = '\0';
    while (*key && n + 1 < ORR_KEY_PATH) {
        size_t length = strcspn(key, "_");
        const char *piece = key;
        key += length + (key[length] == '_');
        for (size_t i = 0; i < ORR_COUNT_OF(PIECES); i++) {
            if (strlen(PIECES[i][0]) == length && strncmp(piece, PIECES[i][0], length) == 0) {
                piece = PIECES[i][1];
                length = strlen(piece);
                break;
            }
        }
        const int added = snprintf(spelled + n, ORR_KEY_PATH - n, "%s%.*s", n ? "_" : "", (int)length, piece);
        n += added > 0 ? (size_t)added : 0;
    }
}

enum orr_err orr_doc_fail_unknown(const struct orr_doc *doc, const char *path, const char *key,
                                  const char *const *known, size_t n_known, struct orr_error *error)
{
    char full[ORR_KEY_PATH], shown[ORR_KEY_PATH], spelled[ORR_KEY_PATH], hint[ORR_HINT];
    orr_key_path(full, path, key);
    struct orr_place place = place_of(doc, full, shown);
    place.key = NULL; /* the message names it */
    spell_out(spelled, key);
    const enum orr_err code = orr_fail(error, ORR_ERR_INPUT, place, "unknown key \"%.128s\"%s", shown,
                                       orr_did_you_mean(hint, spelled, known, n_known));
    if (error) orr_copy_line(error->key, sizeof error->key, shown);
    return code;
}

char *orr_json_shown(char buffer[ORR_SHOWN], const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT: orr_copy_line(buffer, ORR_SHOWN, "an object"); break;
    case JSON_ARRAY: orr_copy_line(buffer, ORR_SHOWN, "an array"); break;
    case JSON_STRING: (void)snprintf(buffer, ORR_SHOWN, "\"%.60s\"", json_string_value(value)); break;
    case JSON_INTEGER: (void)snprintf(buffer, ORR_SHOWN, "%" JSON_INTEGER_FORMAT, json_integer_value(value)); break;
    case JSON_REAL: (void)snprintf(buffer, ORR_SHOWN, "%.12g", json_real_value(value)); break;
    case JSON_TRUE: orr_copy_line(buffer, ORR_SHOWN, "true"); break;
    case JSON_FALSE: orr_copy_line(buffer, ORR_SHOWN, "false"); break;
    case JSON_NULL: orr_copy_line(buffer, ORR_SHOWN, "null"); break;
    }
    return buffer;
}
