/* Inference result -> JSON object of the contract, and the same numbers as one CSV row. */
#include "report/infer.h"
#include "metric/infer_metrics.h"
#include "report/json_text.h"
#include "report/record.h"

/* ---------------------------------------------------------------- the request, every default resolved */

static json_t *plan_json(const struct orr_plan *plan)
{
    return json_pack("{sI sI sI sI sI sI}", "tp", (json_int_t)plan->tp, "pp", (json_int_t)plan->pp, "dp",
                     (json_int_t)plan->dp, "cp", (json_int_t)plan->cp, "ep", (json_int_t)plan->ep, "etp",
                     (json_int_t)plan->etp);
}

/* `every_key`: the draft model has its place even where there is none. */
static json_t *workload_json(const struct orr_job *job, bool every_key)
{
    const struct orr_serving *serving = &job->serving;
    json_t *json =
        json_pack("{sI sI sI ss ss ss ss so so sI sI so sb so}", "batch", (json_int_t)serving->batch, "input_len",
                  (json_int_t)serving->input_len, "output_len", (json_int_t)serving->output_len, "precision",
                  orr_dtype_name(serving->weights), "matrix_precision", orr_dtype_name(serving->matrix), "kv_precision",
                  orr_dtype_name(serving->kv), "comm_precision", orr_dtype_name(serving->comm), "engine",
                  orr_json_word(job->engine.id), "prefix_hit_frac", orr_json_real(serving->prefix_hit_frac),
                  "chunk_tokens", (json_int_t)serving->chunk_tokens, "draft_tokens", (json_int_t)serving->draft_tokens,
                  "draft_accept_frac", orr_json_real(serving->draft_accept_frac), "disaggregated",
                  serving->disaggregated, "moe_imbalance", orr_json_real(serving->moe_imbalance));
    const bool drafted = job->draft.n_layers > 0;
    if (!json || !(drafted || every_key)) return json;
    if (!json_object_set_new(json, "draft_model", orr_json_word(drafted ? job->draft.id : ""))) return json;
    json_decref(json);
    return NULL;
}

json_t *orr_infer_request_json(const struct orr_job *job, bool every_key)
{
    return json_pack("{ss so so sI so so}", "kind", "infer", "model", orr_json_word(job->model.id), "system",
                     orr_json_word(job->system.id), "gpus", (json_int_t)job->plan.gpus, "plan", plan_json(&job->plan),
                     "workload", workload_json(job, every_key));
}

/* ---------------------------------------------------------------- JSON, CSV */

static void list_entries(const struct orr_infer_view *view, struct orr_entry entries[ORR_N_INFER_METRICS])
{
    for (int i = 0; i < ORR_N_INFER_METRICS; i++)
        entries[i] = (struct orr_entry){.info = orr_infer_metric_info((enum orr_infer_metric)i),
                                        .value = orr_infer_metric_value(view, (enum orr_infer_metric)i),
                                        .absent = i == ORR_INFER_METRIC_REASON && view->result->fits};
}

void orr_infer_json(const struct orr_infer_view *view, struct orr_text *text)
{
    struct orr_entry entries[ORR_N_INFER_METRICS];
    list_entries(view, entries);
    orr_record_json("infer", entries, ORR_N_INFER_METRICS, orr_infer_request_json(view->job, false), text);
}

void orr_infer_csv(const struct orr_infer_view *view, struct orr_text *text)
{
    struct orr_entry entries[ORR_N_INFER_METRICS];
    list_entries(view, entries);
    orr_record_csv(entries, ORR_N_INFER_METRICS, orr_infer_request_json(view->job, true), text);
}
