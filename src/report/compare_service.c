/* A comparison of services under load, or of their sizes: each request is run, and the numbers that people compare
 * stand side by side. There are no parts of a time here, because times under load are means over requests that wait for
 * each other; what differs is said as factors. */
#include "report/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "report/table.h"

#define CELL_TEXT 64

/* How a number is shown. */
enum show { SHOW_S, SHOW_COUNT, SHOW_SHARE, SHOW_USD, SHOW_WORD };

/* A row of the answers and where it is in a result; `told` begins its part of the sentence. */
static const struct row {
    const char *name, *path;
    enum show show;
    const char *told;
} SERVING[] = {{"first token", "ttft_s.mean", SHOW_S, "first tokens"},
               {"first token p99", "ttft_s.p99", SHOW_S, NULL},
               {"next token", "tpot_s.mean", SHOW_S, "next tokens"},
               {"next token p99", "tpot_s.p99", SHOW_S, NULL},
               {"latency", "latency_s.mean", SHOW_S, NULL},
               {"queue", "queue_s.mean", SHOW_S, NULL},
               {"requests/s", "completed_requests_per_s", SHOW_COUNT, NULL},
               {"tokens/s per GPU", "output_tokens_per_s_per_gpu", SHOW_COUNT, "tokens per second and GPU"},
               {"within the limits", "slo_frac", SHOW_SHARE, NULL},
               {"batch", "mean_running_batch", SHOW_COUNT, NULL},
               {"cache in use", "kv_used_frac", SHOW_SHARE, NULL},
               {"power per GPU, W", "power_w_per_gpu", SHOW_COUNT, NULL},
               {"J per token", "energy_j_per_output_token", SHOW_COUNT, NULL},
               {"$ per 1e6 tokens", "cost_usd_per_million_output_tokens", SHOW_USD, "dollars per token"},
               {"saturated", "saturated", SHOW_WORD, NULL}},
  SIZE[] = {{"found", "found", SHOW_WORD, NULL},
            {"dollars per hour", "best.usd_per_hour", SHOW_USD, "dollars per hour"},
            {"GPUs", "best.gpus", SHOW_COUNT, "GPUs"},
            {"system", "best.system", SHOW_WORD, NULL},
            {"replicas", "best.replicas", SHOW_COUNT, NULL},
            {"worst limit", "best.worst_frac", SHOW_SHARE, "of the worst limit"},
            {"first token p99", "best.result.ttft_s.p99", SHOW_S, NULL},
            {"next token p95", "best.result.tpot_s.p95", SHOW_S, NULL},
            {"tokens/s per GPU", "best.result.output_tokens_per_s_per_gpu", SHOW_COUNT, NULL},
            {"$ per 1e6 tokens", "best.result.cost_usd_per_million_output_tokens", SHOW_USD, NULL}};

/* The results while they are compared. */
struct services {
    size_t n;
    char names[ORR_COMPARE_MAX][96];
    json_t *results[ORR_COMPARE_MAX], *asked[ORR_COMPARE_MAX]; /* owned; asked is flat */
    const struct row *rows;
    size_t n_rows;
};

static const char *kind_of(const json_t *request)
{
    const char *kind = json_string_value(json_object_get(request, "kind"));
    return kind && (strcmp(kind, "serving") == 0 || strcmp(kind, "size") == 0) ? kind : NULL;
}

bool orr_compare_is_service(const json_t *requests)
{
    return kind_of(json_array_get(requests, 0)) != NULL;
}

static double number_at(const struct services *s, size_t i, const struct row *row)
{
    const json_t *value = orr_json_at(s->results[i], row->path);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

/* ---------------------------------------------------------------- asking */

static enum orr_err run_service(const struct orr_catalogue *catalogue, const char *json, const char *origin,
                                char **text, struct orr_error *error)
{
    struct orr_service *service = NULL;
    enum orr_err err = orr_service_open(catalogue, json, origin, &service, error);
    if (!err) err = orr_service_run(service, NULL, NULL, NULL, error);
    if (!err) *text = orr_service_render(service, ORR_FORMAT_JSON, NULL);
    orr_service_close(service);
    return err;
}

static enum orr_err run_size(const struct orr_catalogue *catalogue, const char *json, const char *origin, char **text,
                             struct orr_error *error)
{
    struct orr_size *size = NULL;
    enum orr_err err = orr_size_open(catalogue, json, origin, &size, error);
    if (!err) err = orr_size_run(size, 0, NULL, NULL, NULL, error);
    if (!err) *text = orr_size_render(size, ORR_FORMAT_JSON, NULL);
    orr_size_close(size);
    return err;
}

/* A comparison cannot be stopped before its end, so that its runs must be short. */
#define MOST_REQUESTS 1e6

static bool is_too_long(const json_t *request)
{
    const double rate = json_number_value(orr_json_at(request, "traffic.rate_per_s"));
    const double duration_s = json_number_value(orr_json_at(request, "traffic.duration_s"));
    const double requests = json_number_value(orr_json_at(request, "traffic.requests"));
    return requests > MOST_REQUESTS || rate * duration_s > MOST_REQUESTS;
}

static enum orr_err ask(const struct orr_catalogue *catalogue, const struct orr_doc *doc, const json_t *request,
                        struct services *s, size_t i, struct orr_error *error)
{
    char origin[160], path[32], *text = NULL;
    const char *kind = kind_of(request), *first = s->rows == SIZE ? "size" : "serving";
    (void)snprintf(path, sizeof path, "requests.%zu", i);
    if (!kind || strcmp(kind, first) != 0)
        return orr_doc_fail(doc, path, error, "is of another kind than the first request, which is %s", first);
    if (is_too_long(request))
        return orr_doc_fail(doc, path, error, "has more than a million requests to simulate, the most of a comparison");
    (void)snprintf(origin, sizeof origin, "%s: %s", doc->file ? doc->file : "request", s->names[i]);
    char *json = orr_json_dump(request, ORR_JSON_FLAGS);
    enum orr_err err = json ? ORR_OK : orr_out_of_memory(error, NULL);
    if (!err) err = (s->rows == SIZE ? run_size : run_service)(catalogue, json, origin, &text, error);
    if (!err) s->results[i] = text ? json_loads(text, 0, NULL) : NULL;
    if (!err) s->asked[i] = orr_compare_asked(json_object_get(s->results[i], "request"), request);
    free(json);
    free(text);
    return !err && !s->asked[i] ? orr_out_of_memory(error, NULL) : err;
}

/* ---------------------------------------------------------------- what differs */

static bool same(const struct services *s, const char *key)
{
    for (size_t i = 1; i < s->n; i++)
        if (!json_equal(json_object_get(s->asked[0], key), json_object_get(s->asked[i], key))) return false;
    return true;
}

/* "B against A: first tokens ×0.57, next tokens ×0.6, dollars per token ×1.1". */
static void sentence(const struct services *s, size_t i, struct orr_text *text)
{
    const char *before = ": ";
    orr_text_add(text, "%s against %s", s->names[i], s->names[0]);
    for (size_t r = 0; r < s->n_rows; r++) {
        const double first = number_at(s, 0, &s->rows[r]), value = number_at(s, i, &s->rows[r]);
        if (!s->rows[r].told || !(first > 0) || !(value > 0)) continue;
        if (fabs(value / first - 1) < 0.005) orr_text_add(text, "%s%s the same", before, s->rows[r].told);
        else orr_text_add(text, "%s%s ×%.3g", before, s->rows[r].told, value / first);
        before = ", ";
    }
    if (before[0] == ':') orr_text_add(text, ": one of them has no answer");
}

/* ---------------------------------------------------------------- terminal */

static void print_cell(char cell[CELL_TEXT], const struct services *s, size_t i, const struct row *row)
{
    const json_t *value = orr_json_at(s->results[i], row->path);
    const double number = number_at(s, i, row), first = number_at(s, 0, row);
    char time[32];
    int n = 0;
    if (json_is_boolean(value)) n = snprintf(cell, CELL_TEXT, "%s", json_is_true(value) ? "true" : "false");
    else if (json_is_string(value)) n = snprintf(cell, CELL_TEXT, "%.40s", json_string_value(value));
    else if (isnan(number)) n = snprintf(cell, CELL_TEXT, "-");
    else switch (row->show) {
        case SHOW_S: n = snprintf(cell, CELL_TEXT, "%s", orr_print_s(time, number)); break;
        case SHOW_SHARE: n = snprintf(cell, CELL_TEXT, "%.1f %%", 100 * number); break;
        case SHOW_USD: n = snprintf(cell, CELL_TEXT, "$%.4g", number); break;
        case SHOW_COUNT:
        case SHOW_WORD: n = snprintf(cell, CELL_TEXT, "%.4g", number); break;
        }
    if (i > 0 && number > 0 && first > 0 && fabs(number / first - 1) >= 0.005)
        (void)snprintf(cell + n, (size_t)(CELL_TEXT - n), " ×%.2f", number / first);
}

static void start(struct orr_table *table, const struct services *s)
{
    static const char *const ALIGNS[] = {"lr", "lrr", "lrrr", "lrrrr", "lrrrrr", "lrrrrrr", "lrrrrrrr", "lrrrrrrrr"};
    const char *row[ORR_TABLE_COLUMNS] = {""};
    for (size_t i = 0; i < s->n; i++) row[i + 1] = s->names[i];
    orr_table_start(table, ALIGNS[s->n - 1]);
    orr_table_row(table, ORR_PAINT_BOLD, row);
}

static void add_asked(const struct services *s, const struct orr_style *style, struct orr_text *text)
{
    struct orr_table table;
    start(&table, s);
    for (void *at = json_object_iter(s->asked[0]); at; at = json_object_iter_next(s->asked[0], at)) {
        const char *key = json_object_iter_key(at), *row[ORR_TABLE_COLUMNS] = {key};
        char cells[ORR_COMPARE_MAX][CELL_TEXT];
        if (same(s, key)) continue;
        for (size_t i = 0; i < s->n; i++) {
            const json_t *value = json_object_get(s->asked[i], key);
            const bool dumps = value && !json_is_null(value);
            char *dumped = dumps ? orr_json_dump(value, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
            text->failed |= dumps && !dumped;
            const char *shown = json_is_string(value) ? json_string_value(value) : dumped ? dumped : "-";
            (void)snprintf(cells[i], CELL_TEXT, "%.20s", shown);
            row[i + 1] = cells[i];
            free(dumped);
        }
        orr_table_row(&table, ORR_PAINT_NONE, row);
    }
    orr_text_title(text, style, "asked differently");
    orr_table_print(&table, text, style);
}

static void terminal(const struct services *s, const struct orr_style *style, struct orr_text *text)
{
    struct orr_table table;
    add_asked(s, style, text);
    start(&table, s);
    for (size_t r = 0; r < s->n_rows; r++) {
        char cells[ORR_COMPARE_MAX][CELL_TEXT];
        const char *row[ORR_TABLE_COLUMNS] = {s->rows[r].name};
        for (size_t i = 0; i < s->n; i++) {
            print_cell(cells[i], s, i, &s->rows[r]);
            row[i + 1] = cells[i];
        }
        orr_table_row(&table, r == 0 ? ORR_PAINT_BOLD : ORR_PAINT_NONE, row);
    }
    orr_text_add(text, "\n");
    orr_text_title(text, style, "answers");
    orr_table_print(&table, text, style);
    orr_text_add(text, "\n");
    orr_text_title(text, style, "in short");
    for (size_t i = 1; i < s->n; i++) {
        struct orr_text line = {0};
        sentence(s, i, &line);
        orr_text_wrap_line(text, style, "  ", 2, &line, ", ");
    }
}

/* ---------------------------------------------------------------- JSON */

static int add_column(json_t *json, const struct services *s, size_t i)
{
    struct orr_text text = {0};
    if (i > 0) sentence(s, i, &text);
    else orr_text_add(&text, "the others are compared with this");
    int failed = text.failed || json_array_append_new(json_object_get(json, "names"), orr_json_word(s->names[i]));
    failed = failed || json_array_append_new(json_object_get(json, "why"), orr_json_word(text.data));
    failed = failed || json_array_append(json_object_get(json, "results"), s->results[i]);
    free(text.data);
    return failed;
}

static int add_key(json_t *json, const struct services *s, const char *key)
{
    json_t *values = json_array();
    int failed = !values;
    for (size_t i = 0; i < s->n && !failed; i++) {
        json_t *value = json_object_get(s->asked[i], key);
        failed = json_array_append_new(values, value ? json_incref(value) : json_null());
    }
    if (failed) json_decref(values);
    return failed ||
           json_array_append_new(json_object_get(json, "asked"), json_pack("{ss so}", "key", key, "values", values));
}

static void write_json(const struct services *s, struct orr_text *text)
{
    json_t *json = json_pack("{ss ss s[] s[] s[] s[] s[]}", "schema", ORR_SCHEMA, "kind", "compare", "names", "asked",
                             "parts", "why", "results");
    int failed = !json;
    for (size_t i = 0; i < s->n && !failed; i++) failed = add_column(json, s, i);
    for (void *at = json_object_iter(s->asked[0]); at && !failed; at = json_object_iter_next(s->asked[0], at))
        if (!same(s, json_object_iter_key(at))) failed = add_key(json, s, json_object_iter_key(at));
    orr_json_lines(text, orr_json_whole(json, failed));
}

enum orr_err orr_compare_services(const struct orr_catalogue *catalogue, const struct orr_doc *doc,
                                  const json_t *requests, const json_t *names, enum orr_format format,
                                  const struct orr_style *style, char **text, struct orr_error *error)
{
    struct orr_text written = {0};
    struct services s = {.n = json_array_size(requests)};
    const bool size = strcmp(kind_of(json_array_get(requests, 0)), "size") == 0;
    s.rows = size ? SIZE : SERVING;
    s.n_rows = size ? sizeof SIZE / sizeof *SIZE : sizeof SERVING / sizeof *SERVING;
    enum orr_err err = ORR_OK;
    for (size_t i = 0; i < s.n && !err; i++) {
        const char *name = json_string_value(json_array_get(names, i));
        if (name) orr_copy_line(s.names[i], sizeof s.names[i], name);
        else (void)snprintf(s.names[i], sizeof s.names[i], "%zu", i + 1);
        err = ask(catalogue, doc, json_array_get(requests, i), &s, i, error);
    }
    if (!err && orr_compare_align(s.asked, s.n)) err = orr_out_of_memory(error, NULL);
    if (!err) {
        if (format == ORR_FORMAT_JSON) write_json(&s, &written);
        else terminal(&s, style, &written);
        *text = orr_text_take(&written);
        if (!*text) err = orr_out_of_memory(error, NULL);
    }
    for (size_t i = 0; i < s.n; i++) {
        json_decref(s.results[i]);
        json_decref(s.asked[i]);
    }
    return err;
}
