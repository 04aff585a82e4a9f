/* `orrery show` explains every fact of an engine, chip or system: its value, what it means, the file that states it and
 * its source. `--diff` shows the facts in which two of them differ. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "base/plain.h"
#include "report/json_text.h"
#include "report/table.h"
#include "spec/origin.h"

/* One part, opened, or the error of opening it. */
struct subject {
    struct orr_part_doc *part;
    enum orr_part kind;
};

#define UNIT 48

/* A fact of a part: what its file and the tables of keys say. */
struct fact {
    const char *key, *meaning; /* "": the key has no entry in the table */
    char unit[UNIT];           /* "": none */
    const json_t *value;       /* NULL: the part does not state it */
    const char *file, *source;
};

/* ---------------------------------------------------------------- reading */

static enum orr_err open_subject(const struct orr_catalogue *catalogue, enum orr_part kind, const char *name,
                                 struct subject *subject, struct orr_error *error)
{
    const struct orr_reference reference = {.part = kind, .name = name};
    subject->kind = kind;
    subject->part = calloc(1, sizeof *subject->part);
    return subject->part ? orr_part_trace(catalogue, &reference, subject->part, error) : orr_out_of_memory(error, NULL);
}

static void close_subject(struct subject *subject)
{
    if (subject->part) orr_part_close(subject->part);
    free(subject->part);
}

/* The unit of a field without the example that orr_unit_hint gives; "": none. */
static void put_unit(const struct orr_field *field, char unit[UNIT])
{
    const bool plain = !field || field->unit == ORR_UNIT_NONE || field->unit == ORR_UNIT_COUNT;
    const char *hint = plain || field->type != ORR_FIELD_REAL ? "" : orr_unit_hint(field->unit);
    (void)snprintf(unit, UNIT, "%.*s", (int)strcspn(hint, ","), hint);
}

/* Keys that say what a stack is called and where it runs have no source. */
static bool is_sourced(enum orr_part kind, const char *key)
{
    static const char *const NAMES[] = {"kind",   "family",  "family_aliases", "version",
                                        "covers", "default", "vendors",        "parent"};
    for (size_t i = 0; kind == ORR_PART_ENGINE && i < ORR_COUNT_OF(NAMES); i++)
        if (strcmp(key, NAMES[i]) == 0) return false;
    return true;
}

/* The meaning of a key of an engine that is no number, word or switch and so has no field. */
static const char *meaning_of(enum orr_part kind, const char *key)
{
    static const char *const MEANINGS[][2] = {{"parent", "the engine that a user would take without this file"},
                                              {"limits", "limits that it chooses by the GPU it finds"},
                                              {"fit", "the report of orrery fit that made this file"}};
    for (size_t i = 0; kind == ORR_PART_ENGINE && i < ORR_COUNT_OF(MEANINGS); i++)
        if (strcmp(key, MEANINGS[i][0]) == 0) return MEANINGS[i][1];
    return "";
}

static struct fact fact_of(const struct subject *subject, const char *key, const struct orr_field *field)
{
    const json_t *origin = json_object_get(subject->part->origins, key);
    const char *file = json_string_value(json_object_get(origin, "file"));
    const char *source = json_string_value(json_object_get(origin, "source"));
    struct fact fact = {.key = key,
                        .meaning = field ? field->meaning : meaning_of(subject->kind, key),
                        .value = json_object_get(subject->part->doc.root, key),
                        .file = file ? file : "",
                        .source = source && is_sourced(subject->kind, key) ? source : ""};
    put_unit(field, fact.unit);
    return fact;
}

/* Keys that are no facts: they are said in the heading or are about the others. */
static bool is_name(const char *key)
{
    return strcmp(key, "sources") == 0 || strcmp(key, "name") == 0 || strcmp(key, "aliases") == 0 ||
           strcmp(key, "base") == 0;
}

/* ---------------------------------------------------------------- one fact in three forms */

/* The report of a fit is too long for a line; --json has it. */
#define MOST_SHOWN 400

/* Prints a value as the file has it, in one line; the caller frees the text. */
static char *value_text(const json_t *value)
{
    if (json_is_string(value)) return strdup(json_string_value(value));
    char *text =
        value ? orr_json_dump(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(6)) : strdup("absent");
    if (text && json_is_object(value) && strlen(text) > MOST_SHOWN) memcpy(text, "{...}", sizeof "{...}");
    return text;
}

/* Makes a sentence of a meaning. */
static void add_sentence(struct orr_text *line, const struct fact *fact)
{
    if (!fact->meaning[0]) return;
    const char first = fact->meaning[0];
    orr_text_add(line, "%c%s%s%s%s. ", first >= 'a' && first <= 'z' ? first - 'a' + 'A' : first, fact->meaning + 1,
                 fact->unit[0] ? " (" : "", fact->unit, fact->unit[0] ? ")" : "");
}

#define FACT_INDENT 6

static void add_fact(struct orr_text *text, const struct orr_style *style, const struct fact *fact)
{
    struct orr_text line = {0};
    char *value = value_text(fact->value);
    orr_text_add(text, "  ");
    orr_paint(text, style, ORR_PAINT_BOLD, fact->key);
    orr_text_add(text, " = %s\n", value ? value : "");
    text->failed |= !value;
    free(value);
    add_sentence(&line, fact);
    if (fact->file[0]) orr_text_add(&line, "From %s", fact->file);
    if (fact->source[0]) orr_text_add(&line, ": %s", fact->source);
    orr_text_wrap_line(text, style, "", FACT_INDENT, &line, " ");
}

static json_t *fact_json(const struct fact *fact)
{
    return json_pack("{ss sO* ss* ss* ss* ss*}", "key", fact->key, "value", (json_t *)(uintptr_t)fact->value, "meaning",
                     fact->meaning[0] ? fact->meaning : NULL, "unit", fact->unit[0] ? fact->unit : NULL, "file",
                     fact->file[0] ? fact->file : NULL, "source", fact->source[0] ? fact->source : NULL);
}

static json_t *difference_json(const struct fact *a, const struct fact *b)
{
    return json_pack("{ss ss* ss* sO? sO? ss* ss*}", "key", a->key, "meaning", a->meaning[0] ? a->meaning : NULL,
                     "unit", a->unit[0] ? a->unit : NULL, "a", (json_t *)(uintptr_t)a->value, "b",
                     (json_t *)(uintptr_t)b->value, "a_file", a->file[0] ? a->file : NULL, "b_file",
                     b->file[0] ? b->file : NULL);
}

static void add_difference(struct orr_text *text, const struct orr_style *style, const struct fact *a,
                           const struct fact *b)
{
    struct orr_text line = {0};
    char *left = value_text(a->value), *right = value_text(b->value);
    orr_text_add(text, "  ");
    orr_paint(text, style, ORR_PAINT_BOLD, a->key);
    orr_text_add(text, ": %s -> %s\n", left ? left : "", right ? right : "");
    text->failed |= !left || !right;
    free(left);
    free(right);
    add_sentence(&line, a);
    if (line.length) orr_text_wrap_line(text, style, "", FACT_INDENT, &line, " ");
}

/* ---------------------------------------------------------------- all facts */

/* What is made of the facts: text for people, or an array. */
struct output {
    struct orr_text *text;
    const struct orr_style *style;
    json_t *array; /* NULL: text */
    size_t n;
    bool failed;
};

/* An optional key that is absent means false, 0 or an empty text. */
static bool is_nothing(const json_t *value)
{
    return !value || json_is_false(value) || (json_is_number(value) && json_number_value(value) == 0) ||
           (json_is_string(value) && json_string_length(value) == 0);
}

static bool same(const json_t *a, const json_t *b)
{
    if (a && b) return json_equal((json_t *)(uintptr_t)a, (json_t *)(uintptr_t)b); /* jansson takes no const */
    return is_nothing(a) && is_nothing(b);
}

/* Adds one key of one part, or of two parts if it differs. */
static void add_key(const struct subject *a, const struct subject *b, const char *key, const struct orr_field *field,
                    struct output *out)
{
    const struct fact left = fact_of(a, key, field);
    const struct fact right = b ? fact_of(b, key, field) : left;
    if (b ? same(left.value, right.value) : !left.value) return;
    out->n++;
    if (!out->array && b) add_difference(out->text, out->style, &left, &right);
    else if (!out->array) add_fact(out->text, out->style, &left);
    else out->failed |= json_array_append_new(out->array, b ? difference_json(&left, &right) : fact_json(&left)) != 0;
}

static const struct orr_field *find_field(const struct orr_field *fields, size_t n, const char *key)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(fields[i].key, key) == 0) return &fields[i];
    return NULL;
}

/* Adds the keys of the table in its order, then those that only the files have. */
static void add_keys(const struct subject *a, const struct subject *b, struct output *out)
{
    size_t n;
    const struct orr_field *fields = orr_part_fields(a->kind, &n);
    const char *key;
    json_t *value;
    for (size_t i = 0; i < n; i++)
        if (!is_name(fields[i].key)) add_key(a, b, fields[i].key, &fields[i], out);
    json_object_foreach(a->part->doc.root, key, value)
    {
        if (!is_name(key) && !find_field(fields, n, key)) add_key(a, b, key, NULL, out);
    }
    if (!b) return;
    json_object_foreach(b->part->doc.root, key, value)
    {
        const bool seen = json_object_get(a->part->doc.root, key) || find_field(fields, n, key);
        if (!is_name(key) && !seen) add_key(a, b, key, NULL, out);
    }
}

static void add_title(struct orr_text *text, const struct orr_style *style, const struct subject *a)
{
    const char *name = json_string_value(json_object_get(a->part->doc.root, "name"));
    struct orr_text line = {0};
    orr_text_add(&line, "%s/%s", orr_part_name(a->kind), a->part->id);
    if (name) orr_text_add(&line, ": %s", name);
    orr_text_title(text, style, line.data ? line.data : "");
    orr_text_drop(text, &line);
}

static void write_json(const struct subject *a, const struct subject *b, json_t *array, struct orr_text *text)
{
    json_t *root =
        json_pack("{ss ss ss}", "schema", ORR_SCHEMA, "kind", b ? "diff" : "facts", "part", orr_part_name(a->kind));
    int failed = !root || json_object_set_new(root, b ? "a" : "id", orr_json_word(a->part->id));
    if (b) failed |= json_object_set_new(root, "b", orr_json_word(b->part->id));
    failed |= json_object_set(root, b ? "differences" : "facts", array);
    text->failed |= failed != 0;
    orr_json_lines(text, root);
}

static void write_facts(const struct subject *a, const struct subject *b, bool json, const struct orr_style *style,
                        struct orr_text *text)
{
    struct output out = {.text = text, .style = style, .array = json ? json_array() : NULL};
    if (!json) add_title(text, style, a);
    if (!json && b) add_title(text, style, b);
    add_keys(a, b, &out);
    if (json) write_json(a, b, out.array, text);
    else if (out.n == 0) orr_text_add(text, b ? "  no fact differs\n" : "  no facts\n");
    text->failed |= out.failed;
    json_decref(out.array);
}

enum orr_err orr_facts_render(const struct orr_catalogue *catalogue, enum orr_part part, const char *name,
                              const char *other, enum orr_format format, const struct orr_style *style, char **result,
                              struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    struct subject a = {0}, b = {0};
    struct orr_text text = {0};
    enum orr_err err = open_subject(catalogue, part, name, &a, error);
    if (!err && other) err = open_subject(catalogue, part, other, &b, error);
    if (!err) write_facts(&a, other ? &b : NULL, format == ORR_FORMAT_JSON, style, &text);
    close_subject(&a);
    close_subject(&b);
    *result = orr_text_take(&text);
    if (!err && !*result) err = orr_out_of_memory(error, NULL);
    if (err) {
        free(*result);
        *result = NULL;
    }
    return err;
}
