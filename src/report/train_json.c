/* Result -> JSON object of the contract, and the same numbers as one CSV row. Keys come from the metric list. */
#include <stdio.h>
#include <string.h>

#include "report/json_text.h"
#include "report/metrics.h"
#include "report/train.h"

static json_t *metric_json(struct orr_value value)
{
    switch (value.unit) {
    case ORR_METRIC_UNIT_WORD: return orr_json_word(value.word);
    case ORR_METRIC_UNIT_FLAG: return json_boolean(value.number != 0);
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

/* ---------------------------------------------------------------- the request, every default resolved */

static json_t *plan_json(const struct orr_plan *plan)
{
    json_t *json = json_pack("{sI sI sI sI sI sI sI sb sI sI ss ss}", "tp", (json_int_t)plan->tp, "pp",
                             (json_int_t)plan->pp, "vpp", (json_int_t)plan->vpp, "dp", (json_int_t)plan->dp, "cp",
                             (json_int_t)plan->cp, "ep", (json_int_t)plan->ep, "etp", (json_int_t)plan->etp, "sp",
                             plan->sp, "zero", (json_int_t)plan->zero, "zero_group", (json_int_t)plan->zero_group,
                             "schedule", orr_schedule_name(plan->schedule), "cp_kind", orr_cp_kind_name(plan->cp_kind));
    if (!json || plan->n_stage_layers == 0) return json;
    json_t *layers = json_array();
    int failed = !layers;
    for (int64_t i = 0; i < plan->n_stage_layers && !failed; i++)
        failed = json_array_append_new(layers, json_integer((json_int_t)plan->stage_layers[i]));
    failed |= json_object_set_new(json, "stage_layers", layers);
    if (!failed) return json;
    json_decref(json);
    return NULL;
}

static json_t *workload_json(const struct orr_job *job)
{
    const struct orr_workload *workload = &job->workload;
    return json_pack("{sI sI sI ss ss sI ss so sb sb sb so}", "seq", (json_int_t)workload->seq, "micro_batch",
                     (json_int_t)workload->micro_batch, "global_batch", (json_int_t)workload->global_batch, "precision",
                     orr_dtype_name(workload->precision), "recompute", orr_recompute_name(workload->recompute),
                     "recompute_every", (json_int_t)workload->recompute_every, "attention",
                     orr_attention_kernel_name(workload->attention), "engine", orr_json_word(job->engine.id),
                     "attention_dropout", workload->attention_dropout, "hidden_dropout", workload->hidden_dropout,
                     "causal", workload->causal, "moe_imbalance", orr_json_real(workload->moe_imbalance));
}

static json_t *request_json(const struct orr_job *job)
{
    return json_pack("{ss so so sI so so}", "kind", "train", "model", orr_json_word(job->model.id), "system",
                     orr_json_word(job->system.id), "gpus", (json_int_t)job->plan.gpus, "plan", plan_json(&job->plan),
                     "workload", workload_json(job));
}

/* ---------------------------------------------------------------- JSON */

void orr_train_json(const struct orr_view *view, struct orr_text *text)
{
    json_t *root = json_pack("{ss ss}", "schema", ORR_SCHEMA, "kind", "train");
    int failed = !root;
    for (int i = 0; i < ORR_N_METRICS && !failed; i++) {
        if (i == ORR_METRIC_REASON && view->result->fits) continue;
        const enum orr_metric metric = (enum orr_metric)i;
        failed |= set_path(root, orr_metric_info(metric)->key, metric_json(orr_metric_value(view, metric)));
    }
    if (!failed) failed = json_object_set_new(root, "request", request_json(view->job));
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

void orr_train_csv(const struct orr_view *view, struct orr_text *text)
{
    json_t *request = request_json(view->job);
    text->failed |= !request;
    csv_request(text, "", request, true);
    for (int i = 0; i < ORR_N_METRICS; i++)
        orr_text_add(text, "%s%s", i > 0 ? "," : "", orr_metric_info((enum orr_metric)i)->key);
    orr_text_add(text, "\n");
    csv_request(text, "", request, false);
    for (int i = 0; i < ORR_N_METRICS; i++) {
        orr_text_add(text, "%s", i > 0 ? "," : "");
        csv_scalar(text, metric_json(orr_metric_value(view, (enum orr_metric)i)));
    }
    orr_text_add(text, "\n");
    json_decref(request);
}
