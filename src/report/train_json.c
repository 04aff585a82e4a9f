/* Result -> JSON object of the contract, and the same numbers as one CSV row. Keys come from the metric list. */
#include "report/json_text.h"
#include "metric/metrics.h"
#include "report/record.h"
#include "report/train.h"

/* ---------------------------------------------------------------- the request, every default resolved */

static json_t *plan_json(const struct orr_plan *plan)
{
    char overlap[ORR_OVERLAP_TEXT];
    json_t *json =
        json_pack("{sI sI sI sI sI sI sI sb sI sI ss ss ss}", "tp", (json_int_t)plan->tp, "pp", (json_int_t)plan->pp,
                  "vpp", (json_int_t)plan->vpp, "dp", (json_int_t)plan->dp, "cp", (json_int_t)plan->cp, "ep",
                  (json_int_t)plan->ep, "etp", (json_int_t)plan->etp, "sp", plan->sp, "zero", (json_int_t)plan->zero,
                  "zero_group", (json_int_t)plan->zero_group, "schedule", orr_schedule_name(plan->schedule), "cp_kind",
                  orr_cp_kind_name(plan->cp_kind), "overlap", orr_overlap_text(plan->exposed_groups, overlap));
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
    return json_pack("{sI sI sI ss ss sI ss so sb sb sb so sI}", "seq", (json_int_t)workload->seq, "micro_batch",
                     (json_int_t)workload->micro_batch, "global_batch", (json_int_t)workload->global_batch, "precision",
                     orr_dtype_name(workload->precision), "recompute", orr_recompute_name(workload->recompute),
                     "recompute_every", (json_int_t)workload->recompute_every, "attention",
                     orr_attention_kernel_name(workload->attention), "engine", orr_json_word(job->engine.id),
                     "attention_dropout", workload->attention_dropout, "hidden_dropout", workload->hidden_dropout,
                     "causal", workload->causal, "moe_imbalance", orr_json_real(workload->moe_imbalance), "mtp_layers",
                     (json_int_t)workload->mtp_layers);
}

json_t *orr_train_request_json(const struct orr_job *job)
{
    return json_pack("{ss so so sI so so}", "kind", "train", "model", orr_json_word(job->model.id), "system",
                     orr_json_word(job->system.id), "gpus", (json_int_t)job->plan.gpus, "plan", plan_json(&job->plan),
                     "workload", workload_json(job));
}

/* ---------------------------------------------------------------- JSON, CSV */

static void list_entries(const struct orr_view *view, struct orr_entry entries[ORR_N_METRICS])
{
    for (int i = 0; i < ORR_N_METRICS; i++)
        entries[i] = (struct orr_entry){.info = orr_metric_info((enum orr_metric)i),
                                        .value = orr_metric_value(view, (enum orr_metric)i),
                                        .absent = i == ORR_METRIC_REASON && view->result->fits};
}

void orr_train_json(const struct orr_view *view, struct orr_text *text)
{
    struct orr_entry entries[ORR_N_METRICS];
    list_entries(view, entries);
    orr_record_json("train", entries, ORR_N_METRICS, orr_train_request_json(view->job), text);
}

void orr_train_csv(const struct orr_view *view, struct orr_text *text)
{
    struct orr_entry entries[ORR_N_METRICS];
    list_entries(view, entries);
    orr_record_csv(entries, ORR_N_METRICS, orr_train_request_json(view->job), text);
}
