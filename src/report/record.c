/* Metrics and their values become the JSON object of the contract, and the same numbers become one CSV row. */
#include "report/record.h"

#include <stdio.h>
#include <string.h>

#include "report/answer.h"
#include "report/assumed.h"
#include "report/formats.h"
#include "report/sureness.h"
#include "report/json_text.h"

static json_t *metric_json(struct orr_value value)
{
    return orr_json_cell(orr_unit_type(value.unit), value.number, value.word);
}

/* Puts a value at "group.member", "group.0" (a place in an array) or "member", and takes the value. */
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

/* Puts what was assumed, what to beware of, and the spread over values that were left to the program. */
static int put_assumed(json_t *root, const struct orr_answer *answer)
{
    const struct orr_job *job = answer->job;
    const struct orr_spread *spread = &answer->train.spread;
    int failed = json_object_set_new(root, "assumed", orr_assumed_json(job, job->assumed, spread));
    json_t *warnings = orr_warnings_json(job);
    char why[ORR_WARNING];
    if (orr_warn_utilisation(answer, why)) failed |= json_array_append_new(warnings, json_string(why));
    failed |= json_object_set_new(root, "warnings", warnings);
    if (job->kind != ORR_JOB_TRAIN || spread->n_tried == 0) return failed;
    return failed | json_object_set_new(root, "spread",
                                        json_pack("{sI sI so so}", "tried", (json_int_t)spread->n_tried, "fit",
                                                  (json_int_t)spread->n_fit, "low_s", orr_json_real(spread->low_s),
                                                  "high_s", orr_json_real(spread->high_s)));
}

void orr_answer_json(const struct orr_answer *answer, struct orr_text *text)
{
    const enum orr_job_kind kind = answer->job->kind;
    json_t *root = json_pack("{ss ss}", "schema", ORR_SCHEMA, "kind", kind == ORR_JOB_TRAIN ? "train" : "infer");
    int failed = !root;
    for (int i = 0; i < orr_n_metrics(kind) && !failed; i++) {
        const struct orr_entry entry = orr_metric_entry(answer, i);
        failed = orr_record_put(root, &entry);
    }
    if (!failed && kind == ORR_JOB_INFER) failed = json_object_set_new(root, "formats", orr_formats_json(answer->job));
    if (!failed) failed = json_object_set_new(root, "nearest", orr_nearest_json(answer));
    if (!failed) failed = orr_alike_json(root, answer->job);
    if (!failed) failed = put_assumed(root, answer);
    if (!failed) failed = json_object_set_new(root, "request", orr_request_json(answer->job, false));
    text->failed |= failed;
    orr_json_lines(text, root);
}

/* ---------------------------------------------------------------- CSV */

void orr_csv_word(struct orr_text *text, const char *word)
{
    const char *const quote = strpbrk(word, ",\"\r\n") ? "\"" : "";
    orr_text_add(text, "%s", quote);
    for (const char *c = word; *c; c++) orr_text_add(text, "%s%c", *c == '"' ? "\"" : "", *c);
    orr_text_add(text, "%s", quote);
}

/* Adds a scalar with the digits of the JSON result, in any locale, and takes the value. */
static void csv_scalar(struct orr_text *text, json_t *value)
{
    if (json_is_string(value)) {
        orr_csv_word(text, json_string_value(value));
        json_decref(value);
    } else {
        orr_json_add(text, value, JSON_ENCODE_ANY);
    }
}

/* Adds the scalars of the request in order, as names ("plan.tp") or as values, each followed by a comma. Lists of any
 * length have no place in a row. */
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

void orr_record_csv_line(const struct orr_answer *answer, json_t *request, bool names, struct orr_text *text)
{
    const enum orr_job_kind kind = answer->job->kind;
    text->failed |= !request;
    csv_request(text, "", request, names);
    json_decref(request);
    for (int i = 0; i < orr_n_metrics(kind); i++) {
        orr_text_add(text, "%s", i > 0 ? "," : "");
        if (names) orr_text_add(text, "%s", orr_metric_info(kind, i)->key);
        else csv_scalar(text, metric_json(orr_metric_value(answer, i)));
    }
    orr_text_add(text, "\n");
}

void orr_answer_csv(const struct orr_answer *answer, struct orr_text *text)
{
    orr_record_csv_line(answer, orr_request_json(answer->job, true), true, text);
    orr_record_csv_line(answer, orr_request_json(answer->job, true), false, text);
}
