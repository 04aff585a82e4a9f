/* "plan" and "workload" of an inference request. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "spec/format.h"
#include "spec/job.h"
#include "spec/limits.h"
#include "spec/names.h"
#include "spec/request.h"

/* ---------------------------------------------------------------- keys */

static const struct orr_field PLAN_FIELDS[] = {
    ORR_INT(orr_plan, tp, false, 1, ORR_RANKS_MAX, "tensor parallel"),
    ORR_INT(orr_plan, pp, false, 1, ORR_RANKS_MAX, "pipeline parallel"),
    ORR_INT(orr_plan, dp, false, 1, ORR_RANKS_MAX, "replicas of the model"),
    ORR_INT(orr_plan, cp, false, 1, ORR_RANKS_MAX, "context parallel, for the prompt"),
    ORR_INT(orr_plan, ep, false, 1, ORR_RANKS_MAX, "expert parallel"),
    ORR_INT(orr_plan, etp, false, 1, ORR_RANKS_MAX, "tensor parallel inside an expert"),
};

/* The word's index is read first, then replaced by the format. Weights and cache have names of their own kind. */
const char *const orr_moved_words[ORR_N_MOVED] = {"fp16", "bf16", "fp8", "int8"};
const enum orr_dtype orr_moved_formats[ORR_N_MOVED] = {ORR_DTYPE_FP16, ORR_DTYPE_BF16, ORR_DTYPE_FP8, ORR_DTYPE_INT8};

#define DRAFT_ACCEPT_FRAC 0.8 /* unless the request says otherwise */
#define DTYPE(word, member, n, what)                                                                                   \
    {                                                                                                                  \
        .key = word, .type = ORR_FIELD_ENUM, .offset = offsetof(struct orr_serving, member), .names = orr_dtype_names, \
        .n_names = n, .meaning = what                                                                                  \
    }

/* The workload as written. Fields of orr_serving have the same offsets here, because it comes first. */
struct ask {
    struct orr_serving serving;
    struct orr_media media;
    enum orr_asked_format comm;
};

#define SERVED_FORMAT(word, type_name, member, what)                                                                   \
    {                                                                                                                  \
        .key = word, .type = ORR_FIELD_ENUM, .offset = offsetof(struct type_name, member),                             \
        .names = orr_asked_format_names, .n_names = ORR_N_ASKED_FORMATS, .meaning = what                               \
    }

/* Options of the run: the same keys as the columns of measurements. */
#define RUN_OPTION(name, word, what)                                                                                   \
    {.key = word,                                                                                                      \
     .type = ORR_FIELD_SWITCH,                                                                                         \
     .offset = offsetof(struct orr_serving, options) + ORR_OPTION_##name * sizeof(enum orr_switch),                    \
     .meaning = what},

static const struct orr_field WORKLOAD_FIELDS[] = {
    ORR_INT(orr_serving, batch, false, 1, ORR_MICRO_BATCH_MAX, "sequences of one replica"),
    ORR_INT(orr_serving, input_len, true, 1, ORR_CONTEXT_MAX, "tokens of a prompt"),
    ORR_INT(orr_serving, output_len, true, 1, ORR_CONTEXT_MAX, "tokens of an answer"),
    DTYPE("matrix_precision", matrix, ORR_N_MATRIX_DTYPES, "format of the matrix products"),
    SERVED_FORMAT("comm_precision", ask, comm, "format of what travels between GPUs"),
    SERVED_FORMAT("activation_precision", orr_serving, activations, "format of activations in memory"),
    SERVED_FORMAT("attention_precision", orr_serving, core, "format of the products of attention"),
    {.key = "ideal_overheads",
     .type = ORR_FIELD_BOOL,
     .offset = offsetof(struct orr_serving, ideal),
     .meaning = "no fixed times of kernels and host"},
    ORR_REAL(orr_serving, prefix_hit_frac, ORR_UNIT_NONE, false, 0, ORR_PREFIX_HIT_MAX,
             "share of the prompt already in the cache"),
    ORR_INT(orr_serving, chunk_tokens, false, 0, ORR_CONTEXT_MAX, "tokens of the prompt per step"),
    ORR_INT(orr_serving, draft_tokens, false, 0, ORR_DRAFT_MAX, "tokens drafted per step"),
    ORR_REAL(orr_serving, draft_accept_frac, ORR_UNIT_NONE, false, 0, 1, "chance that a drafted token is accepted"),
    ORR_BOOL(orr_serving, disaggregated, false, "prefill and decode on different GPUs"),
    ORR_REAL(orr_serving, moe_imbalance, ORR_UNIT_NONE, false, 1, ORR_IMBALANCE_MAX,
             "rows on the hottest expert rank over the mean"),
    ORR_MEDIA_FIELDS(ask),
    ORR_RUN_OPTIONS(RUN_OPTION)};

static const char *const NO_KEYS[] = {NULL};
static const char *const WORKLOAD_EXTRA[] = {"engine", "draft_model", "precision", "kv_precision", "image_size", NULL};
static const char *const TRAIN_PLAN[] = {
    "vpp",          "sp",      "zero",   "zero_group", "zero_secondary",        "schedule", "cp_kind",
    "stage_layers", "overlap", "stages", "offload",    "reshard_after_forward", NULL};
static const char *const TRAIN_WORKLOAD[] = {"seq",
                                             "micro_batch",
                                             "global_batch",
                                             "recompute",
                                             "recompute_every",
                                             "attention",
                                             "attention_dropout",
                                             "hidden_dropout",
                                             "causal",
                                             "optimizer",
                                             "recompute_first",
                                             "recompute_nth",
                                             "recompute_ops",
                                             "gradient_precision",
                                             "optimizer_in_backward",
                                             "layer_graphs",
                                             "moe_capacity",
                                             "adapter",
                                             "frozen",
                                             NULL};

const struct orr_section orr_infer_plan_section = {"plan",  PLAN_FIELDS, ORR_COUNT_OF(PLAN_FIELDS), NO_KEYS, TRAIN_PLAN,
                                                   "infer", "train"};
const struct orr_section orr_infer_workload_section = {
    "workload", WORKLOAD_FIELDS, ORR_COUNT_OF(WORKLOAD_FIELDS), WORKLOAD_EXTRA, TRAIN_WORKLOAD, "infer", "train"};

/* ---------------------------------------------------------------- plan */

static enum orr_err read_plan(const struct orr_doc *request, int64_t gpus, struct orr_job *job, struct orr_error *error)
{
    struct orr_plan *plan = &job->plan;
    const json_t *object;
    memset(plan, 0, sizeof *plan);
    enum orr_err err = orr_section_read(request, &orr_infer_plan_section, &object, plan, error);
    if (!err) err = orr_plan_fill(request, gpus, &job->model, plan, error);
    plan->zero_group = plan->dp * plan->cp;
    plan->schedule = ORR_SCHEDULE_1F1B;
    plan->cp_kind = ORR_CP_RING;
    return err;
}

/* ---------------------------------------------------------------- workload */

enum orr_err orr_format_read(const struct orr_doc *request, const char *path, const json_t *value, int64_t *format,
                             struct orr_error *error)
{
    const char *name = json_string_value(value);
    char shown[ORR_SHOWN], hint[ORR_HINT] = "";
    *format = name ? (int64_t)orr_weight_format_find(name) : ORR_N_WEIGHT_FORMATS;
    if (*format != ORR_N_WEIGHT_FORMATS) return ORR_OK;
    if (name) orr_did_you_mean(hint, name, orr_format_names, ORR_N_WEIGHT_FORMATS);
    return orr_doc_fail(
        request, path, error,
        "must be a weight format (bf16, fp16, fp8, fp8-block, int8, int4, fp4, mxfp4, nvfp4, awq, gptq, "
        "nf4, w4a16, w8a8, q4_k_m, ...; docs/models-formats.md lists them) or \"published\", not %s%s",
        orr_json_shown(shown, value), hint);
}

enum orr_err orr_cache_read(const struct orr_doc *request, const char *path, const json_t *value, enum orr_dtype *kv,
                            enum orr_kv_format *format, struct orr_error *error)
{
    const char *name = json_string_value(value);
    char shown[ORR_SHOWN], hint[ORR_HINT] = "";
    if (name && orr_cache_find(name, kv, format)) return ORR_OK;
    if (name) orr_did_you_mean(hint, name, orr_cache_names(), ORR_N_CACHES);
    return orr_doc_fail(request, path, error,
                        "must be one of \"fp16\", \"bf16\", \"fp8\", \"int8\", \"int8_per_token_head\", \"int4\", "
                        "\"nf4\", \"nvfp4\", \"q8_0\", \"q4_0\", \"fp8_ds_mla\", not %s%s",
                        orr_json_shown(shown, value), hint);
}

/* Fills in storage, product and cache formats that the request leaves out. */
static enum orr_err fill_formats(const struct orr_doc *request, const json_t *object, const struct orr_job *job,
                                 enum orr_asked_format comm, struct orr_serving *serving, struct orr_error *error)
{
    const struct orr_serving asked = *serving;
    const json_t *weights = json_object_get(object, "precision"), *cache = json_object_get(object, "kv_precision");
    int64_t format = ORR_WEIGHT_PUBLISHED;
    enum orr_err err = ORR_OK;
    if (weights) err = orr_format_read(request, "workload.precision", weights, &format, error);
    if (err) return err;
    orr_serving_formats(job, (enum orr_weight_format)format, serving);
    if (json_object_get(object, "matrix_precision")) {
        orr_serving_multiply_in(asked.matrix, serving);
        serving->comm = orr_dtype_bytes(asked.matrix) < 2 ? orr_chip_16bit(&job->system.chip) : asked.matrix;
    }
    if (cache) err = orr_cache_read(request, "workload.kv_precision", cache, &serving->kv, &serving->kv_format, error);
    serving->comm = orr_asked_dtype(comm, serving->comm);
    return err;
}

/* Standard deviation of the logarithm of an expert's load. For 256 experts, DeepSeek-R1 on 32 ranks without balancing
 * has a coefficient of variation of 1.28, a hottest expert of 11.9 times the mean and a hottest rank of 2.56 times
 * (TensorRT-LLM, tech blog 4, table 1); a value of 1.03 gives 1.3, 11.6 and 2.4. The value for 8 experts, and a line in
 * the logarithm of their number in between, are assumptions. */
static double load_spread(double experts)
{
    return orr_max(0, 0.2 + (1.03 - 0.2) / 5 * (log2(experts) - 3));
}

/* The quantile of a standard normal variable for a probability p of at least one half (Abramowitz & Stegun 26.2.23). */
static double normal_quantile(double p)
{
    const double t = sqrt(-2 * log(1 - p));
    return t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
}

/* The load of a rank is a sum of lognormal loads, taken as lognormal with the mean and variance of the sum; the load of
 * the hottest of ep ranks is the quantile at Blom's plotting position. */
double orr_default_imbalance(const struct orr_job *job, int64_t ep)
{
    const double n = (double)ep, experts = (double)orr_most_experts(&job->model);
    if (ep < 2 || experts < 2) return 1;
    /* Copies of busy experts leave 1.11 on 32 ranks (the same table); how that grows with ranks is an assumption. They
     * are an option of engines, which deployments take whose expert groups span data-parallel ranks (Eq. 344). */
    const bool copies = job->engine.moe_redundant && ep * job->plan.etp > job->plan.tp;
    if (copies) return 1 + 0.11 * pow(log2(n) / 5, 1.5);
    const double spread = load_spread(experts), variance = log(1 + (exp(spread * spread) - 1) * n / experts);
    return exp(sqrt(variance) * normal_quantile((n - 0.375) / (n + 0.25)) - variance / 2);
}

void orr_serving_workload(struct orr_job *job)
{
    const struct orr_serving *serving = &job->serving;
    const struct orr_engine *engine = &job->engine;
    job->workload = (struct orr_workload){
        .seq = orr_prompt_len(job),
        .micro_batch = serving->batch,
        .global_batch = serving->batch * job->plan.dp,
        .precision = serving->matrix,
        .recompute = ORR_RECOMPUTE_NONE,
        .recompute_every = 1,
        .attention = engine->attention_unfused_default ? ORR_ATTENTION_UNFUSED : engine->attention,
        .causal = true,
        .moe_imbalance = serving->moe_imbalance,
        .activations = serving->activations,
        .core = serving->core,
        .ideal = serving->ideal,
    };
}

/* The model drafts with the prediction layers that it is published with. */
static enum orr_err draft_by_mtp(const struct orr_doc *request, struct orr_job *job, struct orr_error *error)
{
    orr_model_mtp(&job->model, &job->draft);
    if (job->draft.n_layers > 0) return ORR_OK;
    return orr_doc_fail_rule(request, "workload.draft_model", error,
                             "\"" ORR_DRAFT_MTP
                             "\" means the model's own multi-token prediction layers, but %s has none: "
                             "name a draft model",
                             job->model.id);
}

static enum orr_err read_draft(const struct orr_catalogue *catalogue, const struct orr_doc *request,
                               const json_t *object, struct orr_job *job, struct orr_error *error)
{
    const json_t *value = json_object_get(object, "draft_model");
    if (!value && job->serving.draft_tokens > 0)
        return orr_doc_fail(request, "workload.draft_tokens", error,
                            "%lld needs a draft_model: a catalogue id, a file path, an object, or \"" ORR_DRAFT_MTP
                            "\"",
                            (long long)job->serving.draft_tokens);
    /* The request of an answer states the default. */
    if (!value &&
        (job->serving.draft_accept_frac < DRAFT_ACCEPT_FRAC || job->serving.draft_accept_frac > DRAFT_ACCEPT_FRAC))
        return orr_doc_fail(request, "workload.draft_accept_frac", error, "has no effect without a draft_model");
    if (!value) return ORR_OK;
    if (!json_object_get(object, "draft_tokens"))
        return orr_doc_fail(request, "workload.draft_model", error,
                            "needs draft_tokens: tokens drafted per step, from 1 to %d (0: off)", ORR_DRAFT_MAX);
    const char *word = json_string_value(value);
    if (word && strcmp(word, ORR_DRAFT_MTP) == 0) return draft_by_mtp(request, job, error);
    struct orr_reference reference;
    const enum orr_err err =
        orr_reference_from(request, "workload.draft_model", value, ORR_PART_MODEL, &reference, error);
    /* Paths model.* of "set" mean the model that is served, not the draft model. */
    return err ? err : orr_model_load(catalogue, &reference, NULL, &job->draft, error);
}

enum orr_err orr_request_infer(const struct orr_catalogue *catalogue, const struct orr_doc *request, int64_t gpus,
                               struct orr_job *job, struct orr_error *error)
{
    struct ask ask = {.serving = {.batch = 1, .draft_accept_frac = DRAFT_ACCEPT_FRAC}};
    const json_t *object;
    (void)orr_model_freeze(&job->model, 0, false); /* of a training request before this one */
    enum orr_err err = read_plan(request, gpus, job, error);
    if (!err) err = orr_section_read(request, &orr_infer_workload_section, &object, &ask, error);
    if (!err) err = orr_media_read(request, object, &ask.media, job, error);
    if (err) return err;
    orr_run_options_apply(ask.serving.options, &job->engine);
    if (!json_object_get(object, "moe_imbalance")) ask.serving.moe_imbalance = orr_default_imbalance(job, job->plan.ep);
    job->serving = ask.serving;
    err = read_draft(catalogue, request, object, job, error);
    if (!err) err = fill_formats(request, object, job, ask.comm, &job->serving, error);
    orr_serving_workload(job);
    return err;
}
