/* This file reads a sweep from a JSON request and writes its rows as JSON, for callers over a network. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/json_text.h"
#include "base/error.h"
#include "base/plain.h"
#include "base/units.h"
#include "report/page.h"
#include "report/sweep.h"
#include "spec/json.h"

enum { VARIES_MAX = 16 };

struct ask {
    int mode;
    int64_t samples, seed;
};

static const char *const MODES[] = {"product", "zip", "sample"}; /* ORDER enum orr_sweep_mode */
static const struct orr_field ASK_FIELDS[] = {
    ORR_ENUM(ask, mode, false, MODES, "how values go together"),
    ORR_INT(ask, samples, false, 1, 1000000000, "points of a sample"),
    ORR_INT(ask, seed, false, 0, 9000000000000000, "of the sample"),
};
static const char *const ASK_EXTRA[] = {"request", "vary", NULL};
static const char *const VARY_EXTRA[] = {"field", "values", NULL};

/* ---------------------------------------------------------------- the question */

/* Adds one value of a list as the text of an axis has it; false where the value cannot stand there. */
static bool add_value(struct orr_text *text, const json_t *value)
{
    if (json_is_string(value)) orr_text_add(text, "%s", json_string_value(value));
    else if (json_is_integer(value)) orr_text_add(text, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value)) orr_text_add(text, "%.17g", json_real_value(value));
    else if (json_is_boolean(value)) orr_text_add(text, "%s", json_is_true(value) ? "true" : "false");
    else return false;
    return !json_is_string(value) || (json_string_length(value) > 0 && !strchr(json_string_value(value), ','));
}

static enum orr_err read_values(const struct orr_doc *doc, const char *path, const json_t *values, char **text,
                                struct orr_error *error)
{
    struct orr_text list = {0};
    char at[ORR_KEY_PATH];
    bool good = json_is_string(values) || json_array_size(values) > 0;
    if (json_is_string(values)) orr_text_add(&list, "%s", json_string_value(values));
    for (size_t i = 0; i < json_array_size(values) && good; i++) {
        orr_text_add(&list, "%s", i ? "," : "");
        good = add_value(&list, json_array_get(values, i));
    }
    *text = orr_text_take(&list);
    if (good) return *text ? ORR_OK : orr_fail(error, ORR_ERR_MEMORY, (struct orr_place){0}, "out of memory");
    return orr_doc_fail(doc, orr_key_path(at, path, "values"), error,
                        "must be text such as \"1,2,4\" or \"1:64:x2\", or a list of numbers and words without commas");
}

/* Reads one object of "vary". The values are malloc'd, the rest belongs to the document. */
static enum orr_err read_vary(const struct orr_doc *doc, const char *path, const json_t *object, struct orr_vary *vary,
                              struct orr_error *error)
{
    char at[ORR_KEY_PATH], shown[ORR_SHOWN];
    enum orr_err err = orr_fields_read(doc, path, object, NULL, 0, VARY_EXTRA, NULL, error);
    if (err) return err;
    const json_t *field = json_object_get(object, "field");
    if (!json_is_string(field) || json_string_length(field) == 0)
        return orr_doc_fail(doc, orr_key_path(at, path, "field"), error,
                            "must be a path such as \"plan.tp\", \"chip.hbm_bytes_per_s\" or \"model\", not %s",
                            field ? orr_json_shown(shown, field) : "absent");
    vary->name = vary->paths = json_string_value(field);
    char *values = NULL;
    err = read_values(doc, path, json_object_get(object, "values"), &values, error);
    vary->values = values;
    return err;
}

static enum orr_err read_varies(const struct orr_doc *doc, struct orr_vary *varies, size_t *n_varies,
                                struct orr_error *error)
{
    const json_t *list = json_object_get(doc->root, "vary");
    const size_t n = json_array_size(list);
    if (n < 1 || n > VARIES_MAX)
        return orr_doc_fail(doc, "vary", error, "must be a list of 1 to %d objects {\"field\", \"values\"}",
                            (int)VARIES_MAX);
    enum orr_err err = ORR_OK;
    for (*n_varies = 0; *n_varies < n && !err; ++*n_varies) {
        char path[ORR_KEY_PATH];
        (void)snprintf(path, sizeof path, "vary.%zu", *n_varies);
        err = read_vary(doc, path, json_array_get(list, *n_varies), &varies[*n_varies], error);
    }
    return err;
}

/* Errors of the request inside the sweep know their key there, but not their line in the whole text. */
static void place(const char *json, struct orr_error *error)
{
    char path[ORR_KEY_PATH];
    if (!error || !error->key[0]) return;
    orr_json_locate(json, orr_key_path(path, "request", error->key), &error->line, &error->column);
}

static enum orr_err open_asked(const struct orr_catalogue *catalogue, const struct orr_doc *doc, int n_threads,
                               struct orr_sweep **sweep, struct orr_error *error)
{
    struct ask ask = {0};
    struct orr_vary varies[VARIES_MAX] = {{0}};
    struct orr_sweep_spec spec = {.origin = "", .varies = varies, .n_threads = n_threads};
    enum orr_err err =
        orr_fields_read(doc, "", doc->root, ASK_FIELDS, ORR_COUNT_OF(ASK_FIELDS), ASK_EXTRA, &ask, error);
    const json_t *inside = json_object_get(doc->root, "request");
    if (!err && !json_is_object(inside)) err = orr_doc_fail(doc, "request", error, "must be a request, an object");
    if (!err) err = read_varies(doc, varies, &spec.n_varies, error);
    if (!err && (ask.mode == ORR_SWEEP_SAMPLE) != (ask.samples > 0))
        err = orr_doc_fail(doc, "samples", error, "goes with \"mode\": \"sample\", and must be given there");
    spec.mode = (enum orr_sweep_mode)ask.mode;
    spec.n_samples = ask.samples;
    spec.seed = (uint64_t)ask.seed;
    char *request = err ? NULL : orr_json_dump(inside, JSON_COMPACT | JSON_REAL_PRECISION(17));
    spec.request = request;
    if (!err && !request) err = orr_fail(error, ORR_ERR_MEMORY, (struct orr_place){0}, "out of memory");
    if (!err && (err = orr_sweep_open(catalogue, &spec, sweep, error)) != ORR_OK) place(doc->text, error);
    free(request);
    for (size_t i = 0; i < VARIES_MAX; i++) free((char *)(uintptr_t)varies[i].values);
    return err;
}

/* A sweep speaks of its fields as the options of a command, "--vary plan.tp: ..."; in a document they are a key. */
static enum orr_err name_vary(enum orr_err err, const char *origin, struct orr_error *error)
{
    static const char VARY[] = "--vary ", ZIP[] = "--zip: ";
    char text[ORR_ERROR_TEXT];
    if (!err || !error || strncmp(error->text, "--", 2) != 0) return err;
    const size_t n = strncmp(error->text, VARY, sizeof VARY - 1) == 0 ? sizeof VARY - 1
                     : strncmp(error->text, ZIP, sizeof ZIP - 1) == 0 ? sizeof ZIP - 1
                                                                      : 0;
    if (n == 0) return err;
    (void)snprintf(text, sizeof text, "%s", error->text + n);
    return orr_fail(error, err, (struct orr_place){.file = origin, .key = "vary"}, "%s", text);
}

enum orr_err orr_sweep_open_json(const struct orr_catalogue *catalogue, const char *json, const char *origin,
                                 int n_threads, struct orr_sweep **sweep, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    struct orr_doc doc;
    *sweep = NULL;
    enum orr_err err = orr_doc_parse(json, origin, &doc, error);
    if (!err) err = open_asked(catalogue, &doc, n_threads, sweep, error);
    orr_doc_close(&doc);
    return name_vary(err, origin, error);
}

/* ---------------------------------------------------------------- the rows */

/* Returns a varied value, as a number where it is one. */
static json_t *value_json(const char *text)
{
    double number;
    if (!orr_number_parse(text, &number)) return orr_json_word(text);
    const bool whole = !strpbrk(text, ".eE") && fabs(number) < 1e15;
    return whole ? json_integer((json_int_t)number) : json_real(number);
}

static json_t *row_json(const struct orr_sweep *sweep, const struct orr_column *columns, size_t n_columns,
                        int64_t point, const struct orr_sweep_row *row)
{
    json_t *list =
        json_pack("[I s o]", (json_int_t)point, orr_point_status_name(row->status), orr_json_word(row->reason));
    int failed = !list;
    for (size_t a = 0; a < sweep->n_axes && !failed; a++) {
        char value[ORR_SWEEP_VALUE];
        orr_sweep_value(sweep, point, a, value);
        failed = json_array_append_new(list, value_json(value));
    }
    for (size_t i = 0; i < n_columns && !failed; i++)
        failed = json_array_append_new(
            list, row->blank ? json_null() : orr_json_cell(columns[i].type, row->numbers[i], row->words[i]));
    return orr_json_whole(list, failed);
}

static char *rows_json(const struct orr_sweep *sweep, int64_t first, size_t n, const struct orr_sweep_row *rows)
{
    struct orr_column columns[ORR_MAX_COLUMNS];
    const size_t n_columns = orr_sweep_columns(sweep, columns);
    struct orr_text text = {0};
    orr_text_add(&text, "{\"schema\":\"%s\",\"kind\":\"sweep\",\"of\":\"%s\",\"points\":%lld,\"columns\":", ORR_SCHEMA,
                 sweep->kind == ORR_JOB_TRAIN ? "train" : "infer", (long long)sweep->n_points);
    json_t *names = json_pack("[s s s]", "point", "status", "reason");
    for (size_t a = 0; a < sweep->n_axes; a++) json_array_append_new(names, orr_json_word(sweep->axes[a].name));
    for (size_t i = 0; i < n_columns; i++) json_array_append_new(names, json_string(columns[i].name));
    orr_json_add(&text, names, JSON_COMPACT);
    orr_text_add(&text, ",\"rows\":[");
    for (size_t i = 0; i < n && !text.failed; i++) {
        orr_text_add(&text, i ? ",\n" : "\n");
        orr_json_add(&text, row_json(sweep, columns, n_columns, first + (int64_t)i, &rows[i]), JSON_COMPACT);
    }
    orr_text_add(&text, "]}\n");
    return orr_text_take(&text);
}

/* The page of the first points: their rows, from which the explorer draws any column over any other. */
static char *sweep_page(const struct orr_sweep *sweep, int64_t first, size_t n, const struct orr_sweep_row *rows)
{
    struct orr_page_parts page = {{0}, {0}, {0}};
    struct orr_text text = {0}, json = {0};
    char title[48], *all = rows_json(sweep, first, n, rows);
    (void)snprintf(title, sizeof title, "Sweep of %lld points", (long long)orr_sweep_points(sweep));
    orr_text_add(&json, "%s", all ? all : "null");
    json.failed |= !all;
    free(all);
    if (first == 0) orr_sweep_terminal(sweep, n, rows, &orr_page_style, &page.terminal);
    orr_page_reply(&page, "sweep", &json);
    orr_page_finish(&page, title, &text);
    return orr_text_take(&text);
}

char *orr_sweep_render(const struct orr_sweep *sweep, int64_t first, size_t n, const struct orr_sweep_row *rows,
                       enum orr_format format, const struct orr_style *style)
{
    ORR_PLAIN_NUMBERS;
    if (format == ORR_FORMAT_TERMINAL && first == 0) {
        struct orr_text text = {0};
        orr_sweep_terminal(sweep, n, rows, style, &text);
        return orr_text_take(&text);
    }
    if (format == ORR_FORMAT_HTML) return sweep_page(sweep, first, n, rows);
    return rows_json(sweep, first, n, rows);
}
