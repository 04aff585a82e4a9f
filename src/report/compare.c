/* orr_compare_ask predicts two or more requests of one kind and shows where their answers differ, part by part. */
#include "report/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/plain.h"
#include "base/units.h"
#include "report/record.h"
#include "spec/json.h"

/* ---------------------------------------------------------------- what differs */

const struct orr_compare_row *orr_compare_rows(enum orr_job_kind kind, size_t *n)
{
    static const struct orr_compare_row TRAIN[] = {{"step time", ORR_TRAIN_METRIC_STEP_TIME},
                                                   {"80 % from", ORR_TRAIN_METRIC_INTERVAL_LOW},
                                                   {"80 % to", ORR_TRAIN_METRIC_INTERVAL_HIGH},
                                                   {"tokens per GPU", ORR_TRAIN_METRIC_TOKENS_PER_GPU},
                                                   {"MFU", ORR_TRAIN_METRIC_MFU},
                                                   {"bottleneck", ORR_TRAIN_METRIC_BOTTLENECK},
                                                   {"memory", ORR_TRAIN_METRIC_MEMORY_TOTAL},
                                                   {"headroom", ORR_TRAIN_METRIC_MEMORY_HEADROOM},
                                                   {"fits", ORR_TRAIN_METRIC_FITS},
                                                   {"power per GPU", ORR_TRAIN_METRIC_POWER},
                                                   {"energy per token", ORR_TRAIN_METRIC_ENERGY_PER_TOKEN},
                                                   {"cost per 1e9 tokens", ORR_TRAIN_METRIC_COST_PER_BILLION}};
    static const struct orr_compare_row INFER[] = {{"first token", ORR_INFER_METRIC_TTFT},
                                                   {"next token", ORR_INFER_METRIC_TPOT},
                                                   {"latency", ORR_INFER_METRIC_LATENCY},
                                                   {"80 % from", ORR_INFER_METRIC_INTERVAL_LOW},
                                                   {"80 % to", ORR_INFER_METRIC_INTERVAL_HIGH},
                                                   {"tokens per GPU", ORR_INFER_METRIC_OUTPUT_TOKENS_PER_GPU},
                                                   {"bottleneck", ORR_INFER_METRIC_BOTTLENECK},
                                                   {"memory", ORR_INFER_METRIC_MEMORY_TOTAL},
                                                   {"largest batch", ORR_INFER_METRIC_MAX_BATCH},
                                                   {"fits", ORR_INFER_METRIC_FITS},
                                                   {"power per GPU", ORR_INFER_METRIC_POWER},
                                                   {"energy per token", ORR_INFER_METRIC_ENERGY_PER_TOKEN},
                                                   {"cost per 1e6 tokens", ORR_INFER_METRIC_COST_PER_MILLION}};
    *n = kind == ORR_JOB_TRAIN ? sizeof TRAIN / sizeof *TRAIN : sizeof INFER / sizeof *INFER;
    return kind == ORR_JOB_TRAIN ? TRAIN : INFER;
}

bool orr_compare_same(const struct orr_comparison *comparison, const char *key)
{
    const json_t *first = json_object_get(comparison->columns[0].request, key);
    for (size_t i = 1; i < comparison->n; i++)
        if (!json_equal(first, json_object_get(comparison->columns[i].request, key))) return false;
    return true;
}

/* The seconds by which a part of the time of column i is longer than that of the first column. */
static double longer_by_s(const struct orr_comparison *comparison, size_t i, int part)
{
    int n;
    return orr_parts_s(&comparison->columns[i].answer, &n)[part] -
           orr_parts_s(&comparison->columns[0].answer, &n)[part];
}

/* Adds the largest parts of one sign, as many as make nine tenths of their sum, at most three. */
static void add_parts(const struct orr_comparison *comparison, size_t i, double sign, struct orr_text *text)
{
    const enum orr_job_kind kind = comparison->columns[i].answer.job->kind;
    char amount[32];
    int n;
    double sum = 0, told = 0, above = HUGE_VAL;
    (void)orr_parts_s(&comparison->columns[i].answer, &n);
    for (int p = 0; p < n; p++) sum += fmax(sign * longer_by_s(comparison, i, p), 0);
    for (int shown = 0; shown < 3 && told < 0.9 * sum; shown++) {
        double most = 0;
        int which = -1;
        for (int p = 0; p < n; p++) {
            const double longer = sign * longer_by_s(comparison, i, p);
            if (longer < above && longer > most) most = longer, which = p;
        }
        if (which < 0) break;
        orr_text_add(text, "%s%s %s%s", shown ? ", " : " ", orr_part_text(kind, which), sign > 0 ? "+" : "−",
                     orr_print_s(amount, most));
        told += most;
        above = most;
    }
}

void orr_compare_sentence(const struct orr_comparison *comparison, size_t i, struct orr_text *text)
{
    const double first_s = orr_total_s(&comparison->columns[0].answer);
    const double total_s = orr_total_s(&comparison->columns[i].answer), longer_s = total_s - first_s;
    const double sign = longer_s < 0 ? -1 : 1;
    char amount[32];
    if (fabs(longer_s) < 1e-9 * first_s) {
        orr_text_add(text, "%s takes as long as %s", comparison->columns[i].name, comparison->columns[0].name);
        return;
    }
    orr_text_add(text, "%s takes %s %s than %s, %.3g times as long:", comparison->columns[i].name,
                 orr_print_s(amount, fabs(longer_s)), sign < 0 ? "less" : "more", comparison->columns[0].name,
                 total_s / first_s);
    add_parts(comparison, i, sign, text);
    struct orr_text against = {0};
    add_parts(comparison, i, -sign, &against);
    if (against.length) orr_text_add(text, "; against it%s", against.data);
    text->failed |= against.failed;
    free(against.data);
}

/* ---------------------------------------------------------------- asking */

/* Copies the members of an object under dotted keys. Returns nonzero where memory runs out. */
static int flatten(json_t *flat, const json_t *object, const char *prefix)
{
    const char *key;
    const json_t *value;
    int failed = 0;
    for (void *at = json_object_iter((json_t *)object); at && !failed;
         at = json_object_iter_next((json_t *)object, at)) {
        char path[96];
        key = json_object_iter_key(at);
        value = json_object_iter_value(at);
        (void)snprintf(path, sizeof path, "%s%s%s", prefix, *prefix ? "." : "", key);
        if (json_is_object(value)) failed = flatten(flat, value, path);
        else failed = json_object_set(flat, path, (json_t *)value);
    }
    return failed;
}

json_t *orr_compare_flat(const json_t *object)
{
    json_t *flat = json_object();
    return orr_json_whole(flat, !flat || !object || flatten(flat, object, ""));
}

json_t *orr_compare_asked(const json_t *stated, const json_t *given)
{
    json_t *flat = orr_compare_flat(stated), *set = json_object_get(given, "set"), *value;
    const char *path;
    int failed = !flat;
    json_object_foreach(set, path, value)
    {
        const bool stands = strncmp(path, "plan.", 5) == 0 || strncmp(path, "workload.", 9) == 0; /* in `stated` */
        if (flat && !stands) failed |= json_object_set(flat, path, value);
    }
    return orr_json_whole(flat, failed);
}

static int add_missing(json_t *asked, const json_t *other)
{
    int failed = 0;
    for (void *at = json_object_iter((json_t *)other); at; at = json_object_iter_next((json_t *)other, at)) {
        const char *key = json_object_iter_key(at);
        if (!json_object_get(asked, key)) failed |= json_object_set_new(asked, key, json_null());
    }
    return failed;
}

int orr_compare_align(json_t *const *asked, size_t n)
{
    int failed = 0;
    for (size_t i = 1; i < n; i++) failed |= add_missing(asked[0], asked[i]);
    for (size_t i = 1; i < n; i++) failed |= add_missing(asked[i], asked[0]);
    return failed;
}

static json_t *flat_request(const struct orr_job *job, const json_t *given)
{
    json_t *stated = orr_request_json(job, false), *flat = stated ? orr_compare_asked(stated, given) : NULL;
    json_decref(stated);
    return flat;
}

/* Names a column that has no name by its number, because what differs is not known yet. */
static void name_column(struct orr_compared *column, const json_t *names, size_t i)
{
    const char *name = json_string_value(json_array_get(names, i));
    if (name) orr_copy_line(column->name, sizeof column->name, name);
    else (void)snprintf(column->name, sizeof column->name, "%zu", i + 1);
}

static enum orr_err fail_memory(struct orr_error *error)
{
    return orr_fail(error, ORR_ERR_MEMORY, (struct orr_place){0}, "out of memory");
}

static enum orr_err answer_column(const struct orr_catalogue *catalogue, const json_t *request, const char *origin,
                                  struct orr_compared *column, struct orr_error *error)
{
    const struct orr_job *job = NULL;
    char *text = orr_json_dump(request, ORR_JSON_FLAGS);
    column->reader = orr_reader_new(catalogue);
    column->scratch = orr_scratch_new();
    enum orr_err err = text && column->reader && column->scratch ? ORR_OK : fail_memory(error);
    if (!err) err = orr_reader_job(column->reader, text, origin, NULL, &job, error);
    free(text);
    if (err) return err;
    orr_predict(job, column->scratch, &column->answer);
    if (job->kind == ORR_JOB_TRAIN) orr_train_advice(column->answer.job, column->scratch, &column->answer.train);
    column->request = flat_request(column->answer.job, request);
    return column->request ? ORR_OK : fail_memory(error);
}

static void close_comparison(struct orr_comparison *comparison)
{
    for (size_t i = 0; i < comparison->n; i++) {
        orr_reader_free(comparison->columns[i].reader);
        orr_scratch_free(comparison->columns[i].scratch);
        json_decref(comparison->columns[i].request);
    }
    free(comparison->columns);
}

static enum orr_err answer_all(const struct orr_catalogue *catalogue, const struct orr_doc *doc, const json_t *requests,
                               const json_t *names, struct orr_comparison *comparison, struct orr_error *error)
{
    for (size_t i = 0; i < comparison->n; i++) {
        struct orr_compared *column = &comparison->columns[i];
        char origin[160], path[32];
        name_column(column, names, i);
        (void)snprintf(path, sizeof path, "requests.%zu", i);
        (void)snprintf(origin, sizeof origin, "%s: %s", doc->file ? doc->file : "request", column->name);
        const enum orr_err err = answer_column(catalogue, json_array_get(requests, i), origin, column, error);
        if (err) return err;
        if (column->answer.job->kind != comparison->columns[0].answer.job->kind)
            return orr_doc_fail(doc, path, error,
                                "is of another kind than the first request; compare train with "
                                "train and infer with infer");
    }
    json_t *asked[ORR_COMPARE_MAX];
    for (size_t i = 0; i < comparison->n; i++) asked[i] = comparison->columns[i].request;
    return orr_compare_align(asked, comparison->n) ? fail_memory(error) : ORR_OK;
}

/* Checks the shape of the question: two to eight requests, and as many names or none. */
static enum orr_err check(const struct orr_doc *doc, const json_t *requests, const json_t *names,
                          struct orr_error *error)
{
    const char *key;
    const json_t *kind = json_object_get(doc->root, "kind");
    const size_t n = json_array_size(requests);
    for (void *at = json_object_iter(doc->root); at; at = json_object_iter_next(doc->root, at)) {
        key = json_object_iter_key(at);
        if (strcmp(key, "kind") != 0 && strcmp(key, "requests") != 0 && strcmp(key, "names") != 0)
            return orr_doc_fail(doc, key, error, "unknown key; allowed: kind, requests, names");
    }
    if (kind && (!json_is_string(kind) || strcmp(json_string_value(kind), "compare") != 0))
        return orr_doc_fail(doc, "kind", error, "must be \"compare\"");
    if (!json_is_array(requests) || n < 2 || n > ORR_COMPARE_MAX)
        return orr_doc_fail(doc, "requests", error, "must be a list of 2 to %d requests", ORR_COMPARE_MAX);
    for (size_t i = 0; i < n; i++) {
        char path[32], shown[ORR_SHOWN];
        const json_t *request = json_array_get(requests, i);
        (void)snprintf(path, sizeof path, "requests.%zu", i);
        if (!json_is_object(request))
            return orr_doc_fail(doc, path, error, "must be an object, not %s", orr_json_shown(shown, request));
    }
    if (names && (!json_is_array(names) || json_array_size(names) != n))
        return orr_doc_fail(doc, "names", error, "must be a list of %zu names, one per request", n);
    for (size_t i = 0; names && i < n; i++)
        if (!json_is_string(json_array_get(names, i))) return orr_doc_fail(doc, "names", error, "must be texts");
    return ORR_OK;
}

static char *render(const struct orr_comparison *comparison, enum orr_format format, const struct orr_style *style)
{
    struct orr_text text = {0};
    if (format == ORR_FORMAT_JSON) orr_compare_json(comparison, &text);
    else orr_compare_terminal(comparison, style, &text);
    return orr_text_take(&text);
}

enum orr_err orr_compare_ask(const struct orr_catalogue *catalogue, const char *json, const char *origin,
                             enum orr_format format, const struct orr_style *style, char **text,
                             struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    struct orr_doc doc;
    struct orr_comparison comparison = {0};
    *text = NULL;
    enum orr_err err = orr_doc_parse(json, origin, &doc, error);
    const json_t *requests = err ? NULL : json_object_get(doc.root, "requests");
    const json_t *names = err ? NULL : json_object_get(doc.root, "names");
    if (!err) err = check(&doc, requests, names, error);
    if (!err && orr_compare_is_service(requests)) {
        err = orr_compare_services(catalogue, &doc, requests, names, format, style, text, error);
        orr_doc_close(&doc);
        return err;
    }
    if (!err && !(comparison.columns = calloc(json_array_size(requests), sizeof *comparison.columns)))
        err = fail_memory(error);
    if (!err) {
        comparison.n = json_array_size(requests);
        err = answer_all(catalogue, &doc, requests, names, &comparison, error);
    }
    if (!err && !(*text = render(&comparison, format, style))) err = fail_memory(error);
    close_comparison(&comparison);
    orr_doc_close(&doc);
    return err;
}
