/* This file writes a job as a request of the contract, with every default resolved. */
#include "report/json_text.h"
#include "report/record.h"
#include "spec/job.h"
#include "spec/names.h"
#include "spec/plan.h"
#include "spec/spec.h"

#include <stdio.h>

/* Adds what a tower reads. With `every_key`, every key has its place even where the job has no such input. */
static json_t *add_media(json_t *json, const struct orr_media *media, bool every_key)
{
    char size[48];
    int failed = !json;
    (void)snprintf(size, sizeof size, "%lldx%lld", (long long)media->image_width, (long long)media->image_height);
    if (json && (media->images > 0 || every_key)) {
        failed |= json_object_set_new(json, "images", json_integer((json_int_t)media->images));
        failed |= json_object_set_new(json, "image_size", json_string(size));
    }
    if (json && (media->audio_s > 0 || every_key))
        failed |= json_object_set_new(json, "audio_s", orr_json_real(media->audio_s));
    if (json && (media->encoder_tokens > 0 || every_key))
        failed |= json_object_set_new(json, "encoder_tokens", json_integer((json_int_t)media->encoder_tokens));
    return orr_json_whole(json, failed);
}

/* ---------------------------------------------------------------- training */

static json_t *train_plan(const struct orr_plan *plan)
{
    char overlap[ORR_OVERLAP_TEXT];
    json_t *json =
        json_pack("{sI sI sI sI sI sI sI sb sI sI ss ss ss ss}", "tp", (json_int_t)plan->tp, "pp", (json_int_t)plan->pp,
                  "vpp", (json_int_t)plan->vpp, "dp", (json_int_t)plan->dp, "cp", (json_int_t)plan->cp, "ep",
                  (json_int_t)plan->ep, "etp", (json_int_t)plan->etp, "sp", plan->sp, "zero", (json_int_t)plan->zero,
                  "zero_group", (json_int_t)plan->zero_group, "schedule", orr_schedule_name(plan->schedule), "stages",
                  orr_stage_rule_name(plan->stages), "cp_kind", orr_cp_kind_name(plan->cp_kind), "overlap",
                  orr_overlap_text(plan->exposed_groups, overlap));
    char offload[ORR_OFFLOAD_TEXT];
    int more = !json;
    if (json && orr_offloads(plan))
        more |= json_object_set_new(json, "offload", json_string(orr_offload_text(plan, offload)));
    if (json && plan->zero_secondary > 0)
        more |= json_object_set_new(json, "zero_secondary", json_integer((json_int_t)plan->zero_secondary));
    if (json && plan->reshard != ORR_RESHARD_ENGINE)
        more |= json_object_set_new(json, "reshard_after_forward", json_boolean(plan->reshard == ORR_RESHARD_ALWAYS));
    json = orr_json_whole(json, more);
    if (!json || plan->n_stage_layers == 0) return json;
    json_t *layers = json_array();
    int failed = !layers;
    for (int64_t i = 0; i < plan->n_stage_layers && !failed; i++)
        failed = json_array_append_new(layers, json_integer((json_int_t)plan->stage_layers[i]));
    failed |= json_object_set_new(json, "stage_layers", layers);
    return orr_json_whole(json, failed);
}

/* Formats and idealisations that were asked for; others are left out, unless every key has its place. */
static int set_asked(json_t *json, const struct orr_workload *workload, bool train, bool every_key)
{
    const struct {
        const char *key;
        enum orr_asked_format format;
    } formats[] = {{"activation_precision", workload->activations},
                   {"attention_precision", workload->core},
                   {"comm_precision", workload->comm}};
    int failed = !json;
    for (size_t i = 0; i < (train ? 3 : 2) && !failed; i++)
        if (formats[i].format != ORR_ASKED_ENGINE || every_key)
            failed |= json_object_set_new(json, formats[i].key, json_string(orr_asked_format_name(formats[i].format)));
    if (!failed && (workload->ideal || every_key))
        failed |= json_object_set_new(json, "ideal_overheads", json_boolean(workload->ideal));
    return failed;
}

static json_t *train_workload(const struct orr_job *job, bool every_key)
{
    const struct orr_workload *workload = &job->workload;
    char recompute[ORR_RECOMPUTE_TEXT], adapter[ORR_ADAPTER_TEXT], frozen[ORR_ADAPTER_TEXT];
    json_t *json = json_pack(
        "{sI sI sI ss ss sI ss ss ss sI ss so sb sb sb so sI ss ss}", "seq", (json_int_t)workload->seq, "micro_batch",
        (json_int_t)workload->micro_batch, "global_batch", (json_int_t)workload->global_batch, "precision",
        orr_dtype_name(workload->precision), "fp8_recipe", orr_fp8_recipe_name(workload->fp8_recipe), "wide_layers",
        (json_int_t)workload->wide_layers, "recompute", orr_recompute_text(workload, recompute), "optimizer",
        orr_optimizer_name(workload->optimizer), "gradient_precision", orr_gradient_format_name(workload->gradients),
        "recompute_every", (json_int_t)workload->recompute_every, "attention",
        orr_attention_kernel_name(workload->attention), "engine", orr_json_word(job->engine.id), "attention_dropout",
        workload->attention_dropout, "hidden_dropout", workload->hidden_dropout, "causal", workload->causal,
        "moe_imbalance", orr_json_real(workload->moe_imbalance), "mtp_layers", (json_int_t)workload->mtp_layers,
        "adapter", orr_adapter_text(workload, adapter), "frozen", orr_frozen_text(workload, frozen));
    int failed = !json || set_asked(json, workload, true, every_key);
    if (json && (workload->sample_len > 0 || every_key))
        failed |= json_object_set_new(json, "sample_len", json_integer((json_int_t)workload->sample_len));
    if (json && (workload->recompute_first > 0 || every_key))
        failed |= json_object_set_new(json, "recompute_first", json_integer((json_int_t)workload->recompute_first));
    if (json && (workload->recompute_nth > 0 || every_key))
        failed |= json_object_set_new(json, "recompute_nth", json_integer((json_int_t)workload->recompute_nth));
    if (json && (workload->moe_capacity > 0 || every_key))
        failed |= json_object_set_new(json, "moe_capacity", orr_json_real(workload->moe_capacity));
    if (json && workload->moe_capacity > 0 && !every_key) /* of the two a request may have one */
        failed |= json_object_del(json, "moe_imbalance");
    if (json && (workload->optimizer_in_backward || every_key))
        failed |= json_object_set_new(json, "optimizer_in_backward", json_boolean(workload->optimizer_in_backward));
    if (json && (workload->layer_graphs || every_key))
        failed |= json_object_set_new(json, "layer_graphs", json_boolean(workload->layer_graphs));
    return add_media(orr_json_whole(json, failed), &job->media, every_key);
}

/* ---------------------------------------------------------------- inference */

static json_t *infer_plan(const struct orr_plan *plan)
{
    return json_pack("{sI sI sI sI sI sI}", "tp", (json_int_t)plan->tp, "pp", (json_int_t)plan->pp, "dp",
                     (json_int_t)plan->dp, "cp", (json_int_t)plan->cp, "ep", (json_int_t)plan->ep, "etp",
                     (json_int_t)plan->etp);
}

/* Options that the run switched; others are the engine's, and have their place only with `every_key`. */
static int set_options(json_t *json, const struct orr_serving *serving, bool every_key)
{
    int failed = !json;
    for (int i = 0; i < ORR_N_RUN_OPTIONS && !failed; i++) {
        const enum orr_switch position = serving->options[i];
        if (position == ORR_SWITCH_ENGINE && !every_key) continue;
        failed = json_object_set_new(json, orr_run_option_names[i],
                                     position == ORR_SWITCH_ENGINE ? json_string(orr_switch_names[position])
                                                                   : json_boolean(position == ORR_SWITCH_ON));
    }
    return failed;
}

/* Are all products of narrow weights in one format? Those of a checkpoint with several formats are not, and a request
 * cannot name them: without a name they are again what the checkpoint makes them. */
static bool one_matrix(const struct orr_serving *serving)
{
    for (int s = 0; s < 2; s++)
        for (int64_t k = 0; k < ORR_MAX_LAYER_KINDS && serving->served[s].resolved; k++)
            for (int p = 0; p < ORR_N_PRODUCTS; p++) {
                const bool narrow = serving->served[s].kinds[k].stored_bytes[p] < 2;
                if (narrow && serving->served[s].kinds[k].matrix[p] != serving->matrix) return false;
            }
    return true;
}

/* With `every_key`, the draft model has its place even where there is none. */
static json_t *infer_workload(const struct orr_job *job, bool every_key)
{
    const struct orr_serving *serving = &job->serving;
    json_t *json = json_pack(
        "{sI sI sI ss ss ss ss so so sI sI so sb so}", "batch", (json_int_t)serving->batch, "input_len",
        (json_int_t)serving->input_len, "output_len", (json_int_t)serving->output_len, "precision",
        orr_weight_format_name(serving->format), "matrix_precision", orr_dtype_name(serving->matrix), "kv_precision",
        orr_cache_name(serving->kv, serving->kv_format), "comm_precision", orr_dtype_name(serving->comm), "engine",
        orr_json_word(job->engine.id), "prefix_hit_frac", orr_json_real(serving->prefix_hit_frac), "chunk_tokens",
        (json_int_t)serving->chunk_tokens, "draft_tokens", (json_int_t)serving->draft_tokens, "draft_accept_frac",
        orr_json_real(serving->draft_accept_frac), "disaggregated", serving->disaggregated, "moe_imbalance",
        orr_json_real(serving->moe_imbalance));
    json = orr_json_whole(json, !json || set_asked(json, &job->workload, false, every_key));
    if (json && !every_key && !one_matrix(serving)) json_object_del(json, "matrix_precision");
    json = add_media(json, &job->media, every_key);
    json = orr_json_whole(json, set_options(json, serving, every_key));
    const bool drafted = job->draft.n_layers > 0;
    if (!json || !(drafted || every_key)) return json;
    return orr_json_whole(json, json_object_set_new(json, "draft_model", orr_json_word(drafted ? job->draft.id : "")));
}

json_t *orr_request_json(const struct orr_job *job, bool every_key)
{
    const bool train = job->kind == ORR_JOB_TRAIN;
    json_t *asked = job->model.asked[0] && !every_key ? orr_json_word(job->model.asked) : NULL; /* is no CSV column */
    return json_pack("{ss so so* so sI so so}", "kind", train ? "train" : "infer", "model",
                     orr_json_word(job->model.id), "asked", asked, "system", orr_json_word(job->system.id), "gpus",
                     (json_int_t)job->plan.gpus, "plan", train ? train_plan(&job->plan) : infer_plan(&job->plan),
                     "workload", train ? train_workload(job, every_key) : infer_workload(job, every_key));
}
