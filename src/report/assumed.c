/* Every value that a request does not state is in its answer, with the reason for it: in JSON as "assumed", and for
 * people in one line of the heading. */
#include "report/assumed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cost/cost.h"
#include "ops/serve.h"
#include "predict/pass.h"
#include "report/json_text.h"
#include "report/record.h"
#include "report/summary.h"
#include "spec/assume.h"
#include "spec/family.h"
#include "spec/job.h"
#include "spec/names.h"
#include "spec/plan.h"

#define WHY ORR_WARNING

/* ---------------------------------------------------------------- reasons */

/* Says how the name in the request led to the engine; false if there is nothing to say. */
static bool explain_engine(const struct orr_engine *engine, char why[WHY])
{
    const char *asked = engine->asked[0] ? engine->asked : engine->id;
    const char *version = engine->version;
    switch (engine->match) {
    case ORR_MATCH_DEFAULT:
        (void)snprintf(why, WHY, "%s without a version means version %s", asked, version);
        return true;
    case ORR_MATCH_COVERED:
        (void)snprintf(why, WHY, "%s is one of the versions that %s stands for", asked, engine->id);
        return true;
    case ORR_MATCH_OLDER:
        (void)snprintf(why, WHY, "%s is not listed: the nearest older version is %s", asked, version);
        return true;
    case ORR_MATCH_NEWER:
        (void)snprintf(why, WHY, "%s is older than all that are listed: the oldest is %s", asked, version);
        return true;
    case ORR_MATCH_UNCOUNTED:
        (void)snprintf(why, WHY, "%s is not counted as the listed versions are: the documented one is %s", asked,
                       version);
        return true;
    case ORR_MATCH_ALIAS: (void)snprintf(why, WHY, "%s is another name of it", asked); return true;
    case ORR_MATCH_ID:
    case ORR_N_MATCHES: break;
    }
    return false;
}

/* What led to a value that the request does not state; other keys of it may have decided what is recomputed. */
static const char *reason_of(const struct orr_job *job, enum orr_assumable key)
{
    const struct orr_workload *workload = &job->workload;
    const char *reason = orr_assumable_reason(key, job->kind);
    if (key != ORR_ASSUME_RECOMPUTE || workload->recompute != ORR_RECOMPUTE_FULL) return reason;
    if (workload->recompute_first > 0) return "recompute_first counts layers that are recomputed whole";
    if (workload->recompute_nth > 0) return "recompute_nth chooses layers that are recomputed whole";
    if (job->plan.offload[ORR_OFFLOAD_ACTIVATIONS] != ORR_STORE_NONE)
        return "activations are offloaded as saved inputs of layers";
    return reason;
}

static void explain_auto(enum orr_assumable key, const struct orr_job *job, const struct orr_spread *spread,
                         char why[WHY])
{
    if (key == ORR_ASSUME_PRECISION) (void)snprintf(why, WHY, "auto: %s", orr_assumable_reason(key, job->kind));
    else if (spread->n_fit == 0)
        (void)snprintf(why, WHY, "auto: none of %lld fillings fits, and this one needs the least memory",
                       (long long)spread->n_tried);
    else
        (void)snprintf(why, WHY, "auto: the fastest of %lld fillings that fit, of %lld", (long long)spread->n_fit,
                       (long long)spread->n_tried);
}

uint64_t orr_unsearched_keys(const struct orr_job *job)
{
    static const enum orr_assumable KEYS[] = {ORR_ASSUME_ENGINE,    ORR_ASSUME_SEQ,       ORR_ASSUME_PRECISION,
                                              ORR_ASSUME_OPTIMIZER, ORR_ASSUME_ATTENTION, ORR_ASSUME_MTP,
                                              ORR_ASSUME_KV};
    uint64_t keys = 0;
    for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; i++) keys |= orr_assume_bit(KEYS[i]);
    return keys & job->assumed;
}

/* ---------------------------------------------------------------- JSON */

static int append(json_t *array, const char *key, json_t *value, const char *why)
{
    return json_array_append_new(array, json_pack("{ss so ss}", "key", key, "value", value, "why", why));
}

/* The value at a path such as "plan.tp" of a request. */
static json_t *value_at(const json_t *request, const char *path)
{
    const char *dot = strchr(path, '.');
    char section[16] = "";
    if (!dot) return json_incref(json_object_get(request, path));
    memcpy(section, path, (size_t)(dot - path));
    return json_incref(json_object_get(json_object_get(request, section), dot + 1));
}

json_t *orr_assumed_json(const struct orr_job *job, uint64_t keys, const struct orr_spread *spread)
{
    json_t *array = json_array(), *request = orr_request_json(job, false);
    int failed = !array || !request;
    char why[WHY];
    if (!failed && job->system.asked[0]) {
        (void)snprintf(why, sizeof why, "%s is another name of it", job->system.asked);
        failed = append(array, "system", orr_json_word(job->system.id), why);
    }
    if (!failed && !(job->assumed & orr_assume_bit(ORR_ASSUME_ENGINE)) && explain_engine(&job->engine, why))
        failed = append(array, "workload.engine", orr_json_word(job->engine.id), why);
    for (int i = 0; i < ORR_N_ASSUMABLES && !failed; i++) {
        const enum orr_assumable key = (enum orr_assumable)i;
        const char *path = orr_assumable_path(key), *reason = reason_of(job, key);
        if (!(keys & orr_assume_bit(key)) || !reason) continue;
        const bool automatic = job->automatic & orr_assume_bit(key);
        if (automatic) explain_auto(key, job, spread, why);
        failed = append(array, path, value_at(request, path), automatic ? why : reason);
    }
    if (!failed && job->system.price_usd_per_gpu_hour > 0)
        failed = append(array, "system.price_usd_per_gpu_hour", orr_json_real(job->system.price_usd_per_gpu_hour),
                        "list price of the system; its file or --set can say another");
    json_decref(request);
    return orr_json_whole(array, failed);
}

/* ---------------------------------------------------------------- warnings */

/* An engine whose facts were looked up on other makers' chips runs here at best by another name. */
static bool warn_vendor(const struct orr_job *job, char why[WHY])
{
    if (orr_engine_runs_on(&job->engine, &job->system.chip)) return false;
    (void)snprintf(why, WHY, "engine %s is known on chips of %s, and %s is made by %s: its facts may not hold",
                   job->engine.id, job->engine.vendors, job->system.chip.id, job->system.chip.vendor);
    return true;
}

/* A model was trained up to a length; what it answers beyond it is another question than how long that takes. */
static bool warn_positions(const struct orr_job *job, char why[WHY])
{
    const int64_t tokens =
        job->kind == ORR_JOB_TRAIN ? job->workload.seq : job->serving.input_len + job->serving.output_len;
    if (job->model.max_seq == 0 || tokens <= job->model.max_seq) return false;
    (void)snprintf(why, WHY, "sequences of %lld tokens, but %s has %lld positions: the answer is for a longer model",
                   (long long)tokens, job->model.id, (long long)job->model.max_seq);
    return true;
}

/* An engine keeps requests beyond its own limit waiting, and the prediction is of all of them at once. */
static bool warn_requests(const struct orr_job *job, char why[WHY])
{
    const int64_t most = job->engine.max_requests;
    if (job->kind == ORR_JOB_TRAIN || job->serving.batch <= most) return false;
    (void)snprintf(why, WHY,
                   "engine %s runs at most %lld sequences at once (max_requests), of a batch of %lld: raise its limit, "
                   "or the rest waits",
                   job->engine.id, (long long)most, (long long)job->serving.batch);
    return true;
}

/* The plan is that of one pool. */
static bool warn_pools(const struct orr_job *job, char why[WHY])
{
    const int64_t gpus = job->plan.tp * job->plan.pp * job->plan.cp;
    if (job->kind == ORR_JOB_TRAIN || !job->serving.disaggregated) return false;
    (void)snprintf(why, WHY,
                   "prefill and decode apart take two pools: the GPUs, energy and cost are those of one, and another "
                   "%lld GPU%s or more are needed",
                   (long long)gpus, gpus == 1 ? "" : "s");
    return true;
}

/* Recomputing the core of attention saves its scores. A fused kernel keeps none, and unless the engine repeats it all
 * the same, nothing changes: a request that asks for it should know. */
static bool warn_recompute(const struct orr_job *job, char why[WHY])
{
    const struct orr_workload *workload = &job->workload;
    if (job->kind != ORR_JOB_TRAIN || workload->attention == ORR_ATTENTION_UNFUSED) return false;
    if (orr_layer_recompute(job, false) != ORR_RECOMPUTE_CORE || job->engine.fused_core_repeated) return false;
    const bool core = workload->recompute == ORR_RECOMPUTE_CORE;
    (void)snprintf(
        why, WHY,
        "recompute %s changes nothing: fused attention keeps no scores%s%s; selective-op, ops:... or full say "
        "what else to repeat",
        core ? "core" : "selective", core ? "" : ", and no other selective recomputation is known of engine ",
        core ? "" : job->engine.id);
    return true;
}

static bool has_operator(const struct orr_model *model, enum orr_repeatable op)
{
    bool attention = false, mlp = false;
    for (int64_t k = 0; k < model->n_kinds; k++) {
        attention |= orr_kind_attends(&model->kinds[k]);
        mlp |= model->kinds[k].ffn_width + model->kinds[k].shared_width > 0;
    }
    switch (op) {
    case ORR_REPEATABLE_NORM: return true;
    case ORR_REPEATABLE_QKV:
    case ORR_REPEATABLE_CORE:
    case ORR_REPEATABLE_OUT: return attention;
    case ORR_REPEATABLE_MLP_UP:
    case ORR_REPEATABLE_MLP_ACT: return mlp;
    case ORR_REPEATABLE_EXPERT_UP:
    case ORR_REPEATABLE_EXPERT_ACT:
    case ORR_REPEATABLE_DISPATCH: return orr_model_has_experts(model);
    case ORR_N_REPEATABLES: break;
    }
    return true;
}

/* A list of operators may name some that no layer of this model has, as a list for another model does. */
static bool warn_operators(const struct orr_job *job, char why[WHY])
{
    size_t length = 0;
    if (job->kind != ORR_JOB_TRAIN || job->workload.recompute != ORR_RECOMPUTE_OPS) return false;
    for (int i = 0; i < ORR_N_REPEATABLES; i++) {
        const enum orr_repeatable op = (enum orr_repeatable)i;
        if (!orr_repeats(&job->workload, op) || has_operator(&job->model, op)) continue;
        length += (size_t)snprintf(why + length, WHY - length, "%s%s", length ? ", " : "recompute lists ",
                                   orr_repeatable_names[i]);
    }
    if (length == 0) return false;
    (void)snprintf(why + length, WHY - length, ", of which no layer of %s has any: that changes nothing",
                   job->model.id);
    return true;
}

static bool warn_pipeline(const struct orr_job *job, char why[WHY])
{
    if (job->kind != ORR_JOB_TRAIN || job->plan.pp == 1 || orr_has_pipelines(&job->engine)) return false;
    (void)snprintf(why, WHY, "engine %s has no pipelines: pp %lld is a plan that it cannot launch", job->engine.id,
                   (long long)job->plan.pp);
    return true;
}

static bool warn_tensor_parallel(const struct orr_job *job, char why[WHY])
{
    if (job->kind != ORR_JOB_TRAIN || job->plan.tp == 1 || job->engine.tensor_parallel) return false;
    (void)snprintf(why, WHY, "engine %s has no tensor parallelism: tp %lld is a plan that it cannot launch",
                   job->engine.id, (long long)job->plan.tp);
    return true;
}

/* A lone rank shards nothing, whatever the stage is called. */
static bool warn_zero(const struct orr_job *job, char why[WHY])
{
    const struct orr_plan *plan = &job->plan;
    if (job->kind != ORR_JOB_TRAIN || plan->dp * plan->cp == 1 || orr_has_zero(&job->engine, plan->zero)) return false;
    (void)snprintf(why, WHY, "engine %s has ZeRO stages %s: stage %lld is a plan that it cannot launch", job->engine.id,
                   job->engine.zero_stages, (long long)plan->zero);
    return true;
}

/* The bubble grows as the weight gradients that fill it get shorter, and no collective is counted beside it. */
static bool wastes_bubble(const struct orr_job *job)
{
    const struct orr_plan *plan = &job->plan;
    const bool fills = plan->schedule == ORR_SCHEDULE_ZB_H1 || plan->schedule == ORR_SCHEDULE_ZB_H2;
    return job->kind == ORR_JOB_TRAIN && fills && plan->pp > 1 && plan->zero >= 2 && plan->dp * plan->cp > 1;
}

static bool warn_bubble(const struct orr_job *job, char why[WHY])
{
    const struct orr_plan *plan = &job->plan;
    if (!wastes_bubble(job)) return false;
    (void)snprintf(
        why, WHY,
        "gradients of ZeRO-%lld are counted to be sent beside no bubble of %s: a faster chip can come out up "
        "to 4 %% slower",
        (long long)plan->zero, orr_schedule_name(plan->schedule));
    return true;
}

/* The rows that a prompt has on a rank, and how many a cached prefix leaves of them. */
static double prompt_rows(const struct orr_job *job, double hit_frac)
{
    return (double)(job->serving.batch * job->serving.input_len) * (1 - hit_frac) / (double)job->plan.cp;
}

/* Where the first token waits for the host, fewer rows save nothing, and those left walk all keys (Eq. 380). */
static bool leaves_waits(const struct orr_job *job)
{
    const bool waits = job->engine.short_prefill_gap_s > job->engine.kernel_gap_s;
    const double left = prompt_rows(job, job->serving.prefix_hit_frac);
    return waits && prompt_rows(job, 0) > ORR_SHORT_PREFILL_TOKENS && left >= ORR_SHORT_PREFILL_TOKENS / 2.0 &&
           left <= 2.0 * ORR_SHORT_PREFILL_TOKENS;
}

/* Engines keep whole blocks, and behind a few cached tokens attention is counted to start more slowly. */
static bool warn_prefix(const struct orr_job *job, char why[WHY])
{
    const double cached = job->serving.prefix_hit_frac * (double)job->serving.input_len;
    const int64_t block = job->engine.kv_block_tokens;
    if (job->kind == ORR_JOB_TRAIN || cached <= 0 || job->plan.cp < 1) return false;
    if (cached < (double)block)
        (void)snprintf(
            why, WHY,
            "a cached prefix of %.3g tokens is less than a block of %lld, which engine %s keeps whole: the first "
            "token can come out up to 17 %% later than without",
            cached, (long long)block, job->engine.id);
    else if (leaves_waits(job))
        (void)snprintf(why, WHY,
                       "a cached prefix leaves %.3g rows of the prompt, for which the device waits as long as for 512: "
                       "the first token can come out up to 4 %% later than without",
                       prompt_rows(job, job->serving.prefix_hit_frac));
    else return false;
    return true;
}

/* The attention of a decode step of so many sequences, at the mean context of the request. */
static double decode_attention_s(const struct orr_job *job, int64_t batch)
{
    const struct orr_model *model = &job->model;
    const double sequences = (double)batch / orr_decode_flow(job, batch).pieces;
    const double queries = 1 + (double)job->serving.draft_tokens;
    const double context = (double)orr_prompt_len(job) + (double)job->serving.output_len / 2;
    double layers[ORR_MAX_LAYER_KINDS] = {0}, sum_s = 0;
    for (int64_t i = 0; i < model->n_layers; i++) layers[model->layer_kind[i]]++;
    for (int64_t k = 0; k < model->n_kinds; k++) {
        const struct orr_layer_kind *kind = &model->kinds[k];
        if (!orr_kind_attends(kind)) continue;
        const struct orr_op op = orr_serve_decode_op(job, kind, sequences, queries);
        struct orr_decode_curve curve = orr_decode_curve_of(job, &op, orr_decode_key_limit(kind, &op));
        curve.chunked = kind->chunked;
        sum_s += layers[k] * orr_decode_curve_s(&curve, context);
    }
    return sum_s;
}

/* Kernels cut contexts while their sequences leave SMs idle (Eq. 48), whether or not memory is the limit already. With
 * a sequence more they may no longer do so, and save the sum of the parts. */
static bool warn_splits(const struct orr_job *job, char why[WHY])
{
    const int64_t batch = job->serving.batch;
    if (job->kind == ORR_JOB_TRAIN || job->serving.output_len < 2 || job->plan.tp < 1 || job->plan.pp < 1) return false;
    const double time_s = decode_attention_s(job, batch), gained = 1 - decode_attention_s(job, batch + 1) / time_s;
    if (!(gained >= 0.01)) return false;
    (void)snprintf(why, WHY,
                   "a batch of %lld leaves SMs idle, and decode attention cuts contexts to fill them; with a sequence "
                   "more it does so less, which saves %.2g %% of it: a token can come out faster",
                   (long long)batch, 100 * gained);
    return true;
}

static bool (*const WARNERS[])(const struct orr_job *job, char why[WHY]) = {
    warn_vendor,   warn_positions,       warn_requests, warn_pools,  warn_recompute, warn_operators,
    warn_pipeline, warn_tensor_parallel, warn_zero,     warn_bubble, warn_prefix,    warn_splits};

const char *orr_faster_is_slower(const struct orr_job *job)
{
    return wastes_bubble(job)
               ? "gradients are counted to be sent beside compute, but beside no bubble"
               : "a product is counted to keep the tile that is fastest at the full clock, and under the power limit, "
                 "which leaves a lower one, another can be faster";
}

bool orr_warn_utilisation(const struct orr_answer *answer, char why[ORR_WARNING])
{
    const struct orr_result *r = &answer->train;
    if (answer->job->kind != ORR_JOB_TRAIN || r->mfu_frac <= 1) return false;
    (void)snprintf(why, ORR_WARNING,
                   "MFU above 100 %%: as published it counts pairs of tokens that the causal mask leaves out, %.3g "
                   "times the FLOP that are needed; without them it is %.1f %% (mfu_causal_frac)",
                   r->mfu_frac / r->mfu_causal_frac, 100 * r->mfu_causal_frac);
    return true;
}

json_t *orr_warnings_json(const struct orr_job *job)
{
    char why[WHY];
    json_t *array = json_array();
    int failed = !array;
    for (size_t i = 0; i < sizeof WARNERS / sizeof *WARNERS && !failed; i++)
        if (WARNERS[i](job, why)) failed = json_array_append_new(array, json_string(why));
    return orr_json_whole(array, failed);
}

/* ---------------------------------------------------------------- for people */

/* Adds "micro-batch 1" or "engine generic (none was named)"; degrees of one are not worth a word. */
static void add_item(const struct orr_job *job, enum orr_assumable key, json_t *value, struct orr_text *line)
{
    if (orr_assumable_is_degree(key) && json_integer_value(value) == 1) return;
    orr_text_add(line, "%s%s ", line->length ? " · " : "", orr_assumable_word(key));
    if (json_is_string(value)) orr_text_add(line, "%s", json_string_value(value));
    else if (json_is_boolean(value)) orr_text_add(line, json_is_true(value) ? "on" : "off");
    else orr_text_add(line, "%.4g", json_number_value(value));
    if (job->automatic & orr_assume_bit(key)) orr_text_add(line, " (auto)");
    else if (key == ORR_ASSUME_ENGINE) orr_text_add(line, " (%s)", orr_assumable_reason(key, job->kind));
}

/* Adds how many fillings of the open values there were, and the slowest of them. */
static void add_spread(const struct orr_job *job, const struct orr_spread *spread, const struct orr_style *style,
                       struct orr_text *text, struct orr_text *line)
{
    char time[32];
    if (job->kind != ORR_JOB_TRAIN || spread->n_tried == 0) return;
    if (spread->n_fit == 0)
        orr_text_add(line, "none of %lld fillings fits; this one needs the least memory", (long long)spread->n_tried);
    else
        orr_text_add(line, "the fastest of %lld fillings that fit, of %lld · up to %s with plausible others",
                     (long long)spread->n_fit, (long long)spread->n_tried, orr_print_s(time, spread->high_s));
    orr_summary_line(text, style, "auto", line);
}

void orr_assumed_lines(const struct orr_job *job, uint64_t keys, const struct orr_spread *spread,
                       const struct orr_style *style, struct orr_text *text)
{
    json_t *request = orr_request_json(job, false);
    struct orr_text line = {0};
    char why[WHY];
    if (job->system.asked[0]) orr_text_add(&line, "%s for %s", job->system.id, job->system.asked);
    if (!(job->assumed & orr_assume_bit(ORR_ASSUME_ENGINE)) && explain_engine(&job->engine, why))
        orr_text_add(&line, "%s%s: %s", line.length ? " · " : "", job->engine.id, why);
    for (int i = 0; i < ORR_N_ASSUMABLES; i++) {
        const enum orr_assumable key = (enum orr_assumable)i;
        if (!(keys & orr_assume_bit(key)) || !orr_assumable_reason(key, job->kind)) continue;
        json_t *value = value_at(request, orr_assumable_path(key));
        add_item(job, key, value, &line);
        json_decref(value);
    }
    if (job->system.price_usd_per_gpu_hour > 0)
        orr_text_add(&line, "%s$%.4g/GPU-h", line.length ? " · " : "", job->system.price_usd_per_gpu_hour);
    if (line.length) orr_summary_line(text, style, "assumed", &line);
    add_spread(job, spread, style, text, &line);
    for (size_t i = 0; i < sizeof WARNERS / sizeof *WARNERS; i++)
        if (WARNERS[i](job, why)) orr_text_wrap(text, style, "warning", ORR_SUMMARY_LABEL, why, " ");
    free(line.data);
    json_decref(request);
}
