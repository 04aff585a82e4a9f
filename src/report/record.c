/* Metrics and their values -> JSON object of the contract, and the same numbers as one CSV row. */
#include "report/record.h"

#include <stdio.h>
#include <string.h>

#include "report/answer.h"
#include "report/formats.h"
#include "report/json_text.h"

static json_t *metric_json(struct orr_value value)
{
    switch (value.unit) {
    case ORR_METRIC_UNIT_WORD: return orr_json_word(value.word);
    case ORR_METRIC_UNIT_FLAG: return json_boolean(value.number != 0);
    case ORR_METRIC_UNIT_WHOLE_BYTES:
    case ORR_METRIC_UNIT_COUNT: return json_integer((json_int_t)value.number);
    case ORR_METRIC_UNIT_S:
    case ORR_METRIC_UNIT_FRAC:
    case ORR_METRIC_UNIT_NUMBER:
    case ORR_METRIC_UNIT_BYTES:
    case ORR_METRIC_UNIT_BYTES_PER_S:
    case ORR_METRIC_UNIT_FLOP:
    case ORR_METRIC_UNIT_FLOP_PER_S:
    case ORR_METRIC_UNIT_TFLOP_PER_S:
    case ORR_METRIC_UNIT_TOKENS_PER_S:
    case ORR_METRIC_UNIT_J:
    case ORR_METRIC_UNIT_W:
    case ORR_METRIC_UNIT_USD: return orr_json_real(value.number);
    case ORR_N_METRIC_UNITS: break;
    }
    return NULL;
}

/* Put a value at "group.member" or "group.0" (a place in an array) or "member". Takes the value. */
static int set_path(json_t *root, const char *path, json_t *value)
{
    const char *dot = strchr(path, '.');
    if (!dot) return json_object_set_new(root, path, value);
    const bool in_array = dot[1] >= '0' && dot[1] <= '9';
    char group[64] = "";
    memcpy(group, path, (size_t)(dot - path)); /* groups are short words of the metric list */
    json_t *parent = json_object_get(root, group);
    if (!parent) {
        parent = in_array ? json_array() : json_object();
        if (json_object_set_new(root, group, parent)) {
            json_decref(value);
            return -1;
        }
    }
    return in_array ? json_array_append_new(parent, value) : json_object_set_new(parent, dot + 1, value);
}

int orr_record_put(json_t *root, const struct orr_entry *entry)
{
    return entry->absent ? 0 : set_path(root, entry->info->key, metric_json(entry->value));
}

void orr_record_json(const char *kind, const struct orr_entry *entries, size_t n_entries, json_t *formats,
                     json_t *request, struct orr_text *text)
{
    json_t *root = json_pack("{ss ss}", "schema", ORR_SCHEMA, "kind", kind);
    int failed = !root;
    for (size_t i = 0; i < n_entries && !failed; i++) failed = orr_record_put(root, &entries[i]);
    if (formats && root) failed |= json_object_set_new(root, "formats", formats);
    if (failed) json_decref(request);
    else failed = json_object_set_new(root, "request", request);
    text->failed |= failed;
    orr_json_add(text, root, JSON_INDENT(2));
    orr_text_add(text, "\n");
}

/* ---------------------------------------------------------------- CSV */

/* A cell; quoted where a comma, quote or line break would break the row. */
static void csv_word(struct orr_text *text, const char *word)
{
    const char *const quote = strpbrk(word, ",\"\r\n") ? "\"" : "";
    orr_text_add(text, "%s", quote);
    for (const char *c = word; *c; c++) orr_text_add(text, "%s%c", *c == '"' ? "\"" : "", *c);
    orr_text_add(text, "%s", quote);
}

/* A scalar with the digits of the JSON result, in any locale. Takes the value. */
static void csv_scalar(struct orr_text *text, json_t *value)
{
    if (json_is_string(value)) {
        csv_word(text, json_string_value(value));
        json_decref(value);
    } else {
        orr_json_add(text, value, JSON_ENCODE_ANY);
    }
}

/* The scalars of the request in order: their names ("plan.tp") or their values, each followed by a comma. Lists of
 * any length have no place in a row. */
static void csv_request(struct orr_text *text, const char *prefix, json_t *object, bool names)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        if (json_is_object(value)) {
            char path[64];
            (void)snprintf(path, sizeof path, "%s%s.", prefix, key);
            csv_request(text, path, value, names);
        } else if (!json_is_array(value)) {
            if (names) orr_text_add(text, "%s%s", prefix, key);
            else csv_scalar(text, json_incref(value));
            orr_text_add(text, ",");
        }
    }
}

void orr_record_csv_line(const struct orr_entry *entries, size_t n_entries, json_t *request, bool names,
                         struct orr_text *text)
{
    csv_request(text, "", request, names);
    for (size_t i = 0; i < n_entries; i++) {
        orr_text_add(text, "%s", i > 0 ? "," : "");
        if (names) orr_text_add(text, "%s", entries[i].info->key);
        else csv_scalar(text, metric_json(entries[i].value));
    }
    orr_text_add(text, "\n");
}

void orr_record_csv(const struct orr_entry *entries, size_t n_entries, json_t *request, struct orr_text *text)
{
    text->failed |= !request;
    orr_record_csv_line(entries, n_entries, request, true, text);
    orr_record_csv_line(entries, n_entries, request, false, text);
    json_decref(request);
}

/* ---------------------------------------------------------------- an answer */

#define MAX_METRICS 160
_Static_assert((int)ORR_N_TRAIN_METRICS <= MAX_METRICS && (int)ORR_N_INFER_METRICS <= MAX_METRICS, "room for a list");

static size_t list_entries(const struct orr_answer *answer, struct orr_entry entries[MAX_METRICS])
{
    const int n = orr_n_metrics(answer->job->kind);
    for (int i = 0; i < n; i++) entries[i] = orr_metric_entry(answer, i);
    return (size_t)n;
}

void orr_answer_json(const struct orr_answer *answer, struct orr_text *text)
{
    struct orr_entry entries[MAX_METRICS];
    const size_t n = list_entries(answer, entries);
    const bool train = answer->job->kind == ORR_JOB_TRAIN;
    orr_record_json(train ? "train" : "infer", entries, n, train ? NULL : orr_formats_json(answer->job),
                    orr_request_json(answer->job, false), text);
}

void orr_answer_csv(const struct orr_answer *answer, struct orr_text *text)
{
    struct orr_entry entries[MAX_METRICS];
    const size_t n = list_entries(answer, entries);
    orr_record_csv(entries, n, orr_request_json(answer->job, true), text);
}
