/* "plan" and "workload" of a training request. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "spec/limits.h"
#include "spec/names.h"
#include "spec/plan.h"
#include "spec/request.h"

/* ---------------------------------------------------------------- keys */

static const struct orr_field PLAN_FIELDS[] = {
    ORR_INT(orr_plan, tp, false, 1, ORR_RANKS_MAX, "tensor parallel"),
    ORR_INT(orr_plan, pp, false, 1, ORR_RANKS_MAX, "pipeline parallel"),
    ORR_INT(orr_plan, vpp, false, 1, ORR_RANKS_MAX, "model chunks per pipeline rank"),
    ORR_INT(orr_plan, dp, false, 1, ORR_RANKS_MAX, "data parallel"),
    ORR_INT(orr_plan, cp, false, 1, ORR_RANKS_MAX, "context parallel"),
    ORR_INT(orr_plan, ep, false, 1, ORR_RANKS_MAX, "expert parallel"),
    ORR_INT(orr_plan, etp, false, 1, ORR_RANKS_MAX, "tensor parallel inside an expert"),
    ORR_BOOL(orr_plan, sp, false, "sequence parallel"),
    ORR_INT(orr_plan, zero, false, 0, 3, "ZeRO stage"),
    ORR_INT(orr_plan, zero_secondary, false, 0, ORR_RANKS_MAX, "ranks that keep second shards of weights"),
    ORR_INT(orr_plan, zero_group, false, 1, ORR_RANKS_MAX, "ranks weights are sharded over"),
    ORR_ENUM(orr_plan, schedule, false, orr_schedule_names, "pipeline schedule"),
    ORR_ENUM(orr_plan, stages, false, orr_stage_rule_names, "how layers are divided over stages"),
    ORR_ENUM(orr_plan, cp_kind, false, orr_cp_kind_names, "how context parallel exchanges keys and values"),
};
static const char *const PLAN_EXTRA[] = {"stage_layers", "overlap", "offload", "reshard_after_forward", NULL};

/* The workload as written: attention is a kernel or "flash", the engine's own. */
struct ask {
    struct orr_workload workload;
    struct orr_media media;
    int attention;
};

#define NAME(member, name, ...) name,
static const char *const ATTENTION_WORDS[] = {ORR_ATTENTION_KERNELS(NAME) "flash"};
enum { ATTENTION_FLASH = ORR_N_ATTENTION_KERNELS }; /* index of "flash" above */

#define WORK_INT(member, low, high, what)                                                                              \
    {                                                                                                                  \
        .key = #member, .type = ORR_FIELD_INT, .unit = ORR_UNIT_COUNT, .min = low, .max = high,                        \
        .offset = offsetof(struct ask, workload.member), .meaning = what                                               \
    }
#define WORK_BOOL(member, what)                                                                                        \
    {                                                                                                                  \
        .key = #member, .type = ORR_FIELD_BOOL, .offset = offsetof(struct ask, workload.member), .meaning = what       \
    }
#define WORK_ENUM(member, words, what)                                                                                 \
    {                                                                                                                  \
        .key = #member, .type = ORR_FIELD_ENUM, .offset = offsetof(struct ask, workload.member), .names = words,       \
        .n_names = sizeof words / sizeof words[0], .meaning = what                                                     \
    }

#define WORK_FORMAT(word, member, what)                                                                                \
    {                                                                                                                  \
        .key = word, .type = ORR_FIELD_ENUM, .offset = offsetof(struct ask, workload.member),                          \
        .names = orr_asked_format_names, .n_names = ORR_N_ASKED_FORMATS, .meaning = what                               \
    }

static const struct orr_field WORKLOAD_FIELDS[] = {
    WORK_INT(seq, 1, ORR_TOKENS_MAX, "tokens of a sequence"),
    WORK_INT(sample_len, 0, ORR_TOKENS_MAX, "tokens of the samples packed into a sequence; 0: it is one sample"),
    WORK_INT(micro_batch, 1, ORR_MICRO_BATCH_MAX, "sequences of a micro-batch"),
    WORK_INT(global_batch, 1, ORR_BATCH_MAX, "sequences of a step"),
    {.key = "precision",
     .type = ORR_FIELD_ENUM,
     .offset = offsetof(struct ask, workload.precision),
     .names = orr_dtype_names,
     .n_names = ORR_N_MATRIX_DTYPES,
     .meaning = "inputs of the matrix products"},
    WORK_ENUM(fp8_recipe, orr_fp8_recipe_names, "scaling of products in 8 bits or fewer"),
    WORK_ENUM(optimizer, orr_optimizer_names, "what is kept per parameter"),
    {.key = "gradient_precision",
     .type = ORR_FIELD_ENUM,
     .offset = offsetof(struct ask, workload.gradients),
     .names = orr_gradient_format_names,
     .n_names = ORR_N_GRADIENT_FORMATS,
     .meaning = "format in which gradients are added up"},
    WORK_FORMAT("comm_precision", comm, "format of what travels between GPUs"),
    WORK_FORMAT("activation_precision", activations, "format of activations in memory"),
    WORK_FORMAT("attention_precision", core, "format of the products of attention"),
    {.key = "ideal_overheads",
     .type = ORR_FIELD_BOOL,
     .offset = offsetof(struct ask, workload.ideal),
     .meaning = "no fixed times of kernels and host, no late ranks"},
    WORK_INT(wide_layers, 0, ORR_MAX_LAYERS, "layers whose products stay in 16 bits"),
    WORK_INT(recompute_every, 1, ORR_MAX_LAYERS, "layers per saved input with full recompute"),
    WORK_INT(recompute_first, 0, ORR_MAX_LAYERS, "layers at the beginning of a pipeline chunk that are recomputed"),
    WORK_INT(recompute_nth, 0, ORR_MAX_LAYERS, "every so many layers one is recomputed"),
    ORR_ENUM(ask, attention, false, ATTENTION_WORDS, "attention kernel"),
    WORK_BOOL(optimizer_in_backward, "weights are updated as soon as backward has made their gradients"),
    WORK_BOOL(layer_graphs, "the passes of a layer are replayed as captured graphs"),
    WORK_BOOL(attention_dropout, "dropout on the scores"),
    WORK_BOOL(hidden_dropout, "dropout on the residual stream"),
    WORK_BOOL(causal, "the masked half of the scores is skipped by fused kernels"),
    {.key = "moe_imbalance",
     .type = ORR_FIELD_REAL,
     .min = 1,
     .max = ORR_IMBALANCE_MAX,
     .offset = offsetof(struct ask, workload.moe_imbalance),
     .meaning = "rows on the hottest expert rank over the mean"},
    {.key = "moe_capacity",
     .type = ORR_FIELD_REAL,
     .min = 0,
     .max = ORR_IMBALANCE_MAX,
     .offset = offsetof(struct ask, workload.moe_capacity),
     .meaning = "rows of every expert over the mean, cut off or filled up"},
    WORK_INT(mtp_layers, 0, ORR_MTP_MAX, "multi-token prediction layers trained after the last layer"),
    ORR_MEDIA_FIELDS(ask),
};
static const char *const WORKLOAD_EXTRA[] = {"engine",  "image_size", "recompute", "recompute_ops",
                                             "adapter", "frozen",     NULL};

#define OPTION_KEY(name, word, what) word,
static const char *const INFER_WORKLOAD[] = {
    "batch",        "input_len",         "output_len",    "matrix_precision",
    "kv_precision", "prefix_hit_frac",   "chunk_tokens",  "draft_model",
    "draft_tokens", "draft_accept_frac", "disaggregated", ORR_RUN_OPTIONS(OPTION_KEY) NULL};
static const char *const NO_KEYS[] = {NULL};

const struct orr_section orr_train_plan_section = {"plan",  PLAN_FIELDS, ORR_COUNT_OF(PLAN_FIELDS), PLAN_EXTRA, NO_KEYS,
                                                   "train", "infer"};
const struct orr_section orr_train_workload_section = {
    "workload", WORKLOAD_FIELDS, ORR_COUNT_OF(WORKLOAD_FIELDS), WORKLOAD_EXTRA, INFER_WORKLOAD, "train", "infer"};

/* ---------------------------------------------------------------- plan */

static enum orr_err read_stage_layers(const struct orr_doc *request, const json_t *array, struct orr_plan *plan,
                                      struct orr_error *error)
{
    const size_t n = json_array_size(array);
    if (!json_is_array(array) || n < 1 || n > ORR_MAX_STAGES)
        return orr_doc_fail(request, "plan.stage_layers", error, "must be an array of 1 to %d layer counts",
                            ORR_MAX_STAGES);
    for (size_t i = 0; i < n; i++) {
        const json_t *value = json_array_get(array, i);
        double layers = json_is_integer(value) ? json_number_value(value) : 0;
        if (json_is_string(value)) (void)orr_quantity_parse(json_string_value(value), ORR_UNIT_COUNT, &layers);
        if (!(layers >= 1 && layers <= ORR_MAX_LAYERS) || floor(layers) < layers)
            return orr_doc_fail(request, "plan.stage_layers", error, "stage %zu must be an integer from 1 to %d", i,
                                ORR_MAX_LAYERS);
        plan->stage_layers[i] = (int64_t)layers;
    }
    plan->n_stage_layers = (int64_t)n;
    return ORR_OK;
}

/* Reads "tp,dp": transfers of these groups are hidden as far as the engine can; those of other groups are exposed. */
static enum orr_err read_overlap(const struct orr_doc *request, const json_t *value, struct orr_plan *plan,
                                 struct orr_error *error)
{
    char hint[ORR_HINT], word[16];
    const char *at = json_string_value(value);
    if (!at) return orr_doc_fail(request, "plan.overlap", error, "must be \"all\", \"none\" or a list like \"tp,dp\"");
    plan->exposed_groups = 0;
    if (strcmp(at, "all") == 0) return ORR_OK;
    for (size_t i = 0; i < ORR_N_OVERLAPS; i++) plan->exposed_groups |= 1u << orr_overlap_groups[i];
    if (strcmp(at, "none") == 0) return ORR_OK;
    for (;; at++) {
        const size_t n = strcspn(at, ",");
        size_t i = 0;
        (void)snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : sizeof word - 1), at);
        while (i < ORR_N_OVERLAPS && strcmp(word, orr_overlap_names[i]) != 0) i++;
        if (i == ORR_N_OVERLAPS)
            return orr_doc_fail(request, "plan.overlap", error,
                                "\"%s\" is none of tp, ep, pp, dp (or all, or none alone)%s", word,
                                orr_did_you_mean(hint, word, orr_overlap_names, ORR_N_OVERLAPS));
        if (!(plan->exposed_groups & 1u << orr_overlap_groups[i]))
            return orr_doc_fail(request, "plan.overlap", error, "%s is given twice", word);
        plan->exposed_groups &= ~(1u << orr_overlap_groups[i]);
        at += n;
        if (!*at) return ORR_OK;
    }
}

/* Reads "reshard_after_forward", whose false is a true of the plan. */
static enum orr_err read_reshard(const struct orr_doc *request, const json_t *object, struct orr_plan *plan,
                                 struct orr_error *error)
{
    static const struct orr_field FIELD[] = {{.key = "reshard_after_forward",
                                              .type = ORR_FIELD_BOOL,
                                              .meaning = "ZeRO-3 gathers weights again for backward"}};
    bool reshard = true;
    json_t *value = json_object_get(object, "reshard_after_forward");
    if (!value) return ORR_OK;
    json_t *alone = json_pack("{sO}", "reshard_after_forward", value);
    const enum orr_err err = orr_fields_read(request, "plan", alone, FIELD, 1, NULL, &reshard, error);
    json_decref(alone);
    plan->reshard = reshard ? ORR_RESHARD_ALWAYS : ORR_RESHARD_NEVER;
    return err;
}

static enum orr_err read_plan(const struct orr_doc *request, int64_t gpus, struct orr_job *job, struct orr_error *error)
{
    struct orr_plan *plan = &job->plan;
    const struct orr_engine *engine = &job->engine;
    const json_t *object;
    memset(plan, 0, sizeof *plan);
    enum orr_err err = orr_section_read(request, &orr_train_plan_section, &object, plan, error);
    const json_t *stage_layers = json_object_get(object, "stage_layers");
    if (!err && stage_layers) err = read_stage_layers(request, stage_layers, plan, error);
    const json_t *overlap = json_object_get(object, "overlap");
    if (!err && overlap) err = read_overlap(request, overlap, plan, error);
    json_t *offload = json_object_get(object, "offload");
    if (!err && offload) err = orr_offload_read(request, offload, plan, error);
    if (!err) err = read_reshard(request, object, plan, error);
    const bool vee = json_object_get(object, "schedule") && orr_is_vee(plan->schedule);
    if (!err && vee && !json_object_get(object, "vpp")) plan->vpp = 2; /* a V has two chunks on every rank */
    if (!err) err = orr_plan_fill(request, gpus, &job->model, plan, error);
    if (err) return err;
    if (!json_object_get(object, "zero")) plan->zero = engine->default_zero;
    if (plan->zero_group == 0) plan->zero_group = plan->dp * plan->cp;
    if (!json_object_get(object, "sp")) plan->sp = engine->default_sp && plan->tp > 1;
    if (!json_object_get(object, "schedule"))
        plan->schedule = plan->vpp > 1 ? ORR_SCHEDULE_INTERLEAVED : ORR_SCHEDULE_1F1B;
    if (!json_object_get(object, "cp_kind")) plan->cp_kind = ORR_CP_RING;
    return ORR_OK;
}

/* ---------------------------------------------------------------- workload */

static enum orr_err fill_attention(const struct orr_doc *request, int asked, const struct orr_engine *engine,
                                   enum orr_attention_kernel *attention, struct orr_error *error)
{
    if (asked == ATTENTION_FLASH && engine->attention == ORR_ATTENTION_UNFUSED)
        return orr_doc_fail_rule(
            request, "workload.attention", error,
            "engine %s has no fused kernel of its own; name one: \"flash1\", \"flash2\", \"flash3\"", engine->id);
    if (asked >= 0 && asked < ORR_N_ATTENTION_KERNELS) *attention = (enum orr_attention_kernel)asked;
    else if (asked < 0 && engine->attention_unfused_default) *attention = ORR_ATTENTION_UNFUSED;
    else *attention = engine->attention;
    return ORR_OK;
}

static bool has_latent_attention(const struct orr_model *model)
{
    for (int64_t k = 0; k < model->n_kinds; k++)
        if (model->kinds[k].mla_kv_rank > 0) return true;
    return false;
}

/* A stack whose fused kernel has no backward for this model's heads on this chip falls back to unfused attention. It
 * must recompute the scores, which would not fit into memory. */
static bool falls_back_unfused(const struct orr_job *job)
{
    const char *family = job->engine.latent_unfused_family;
    return *family && strcmp(family, job->system.chip.family) == 0 && has_latent_attention(&job->model);
}

/* What the engine multiplies in, if the chip has units for it. */
static enum orr_dtype default_precision(const struct orr_job *job)
{
    const enum orr_dtype asked = job->engine.default_precision;
    const bool has = asked < ORR_N_DTYPES && job->system.chip.peak_flops_per_s[asked] > 0;
    return has ? asked : orr_chip_16bit(&job->system.chip);
}

/* Products whose tensors are scaled by 128-blocks have rates of their own, so that they count as a format. */
static void fill_recipe(const struct orr_job *job, struct orr_workload *workload)
{
    const enum orr_fp8_recipe own = job->system.chip.peak_flops_per_s[ORR_DTYPE_FP4] > 0 && job->engine.mx_recipe
                                        ? job->engine.mx_recipe
                                        : job->engine.fp8_recipe;
    const enum orr_fp8_recipe recipe = workload->fp8_recipe == ORR_RECIPE_ENGINE ? own : workload->fp8_recipe;
    if (workload->precision == ORR_DTYPE_FP8 && recipe == ORR_RECIPE_BLOCKWISE)
        workload->precision = ORR_DTYPE_FP8_BLOCK;
}

/* Fills in the documented defaults of keys that the request leaves out. */
static void fill_workload(const json_t *object, const struct orr_job *job, struct orr_workload *workload)
{
    const int64_t max_seq = job->model.max_seq;
    if (workload->seq == 0) workload->seq = max_seq > 0 && max_seq < 2048 ? max_seq : 2048;
    workload->micro_batch = orr_at_least_one(workload->micro_batch);
    if (workload->global_batch == 0) /* enough micro-batches to fill the pipeline */
        workload->global_batch = job->plan.dp * workload->micro_batch * 4 * job->plan.pp;
    if (!json_object_get(object, "precision")) workload->precision = default_precision(job);
    fill_recipe(job, workload);
    struct orr_adapter *adapter = &workload->adapter;
    if (adapter->kind != ORR_ADAPTER_NONE && !adapter->format_asked && job->engine.adapters_narrow)
        adapter->format = ORR_DTYPE_BF16;
    const bool unfused = !json_object_get(object, "attention") && falls_back_unfused(job);
    if (unfused) workload->attention = ORR_ATTENTION_UNFUSED;
    const bool saves_inputs = workload->recompute_first > 0 || workload->recompute_nth > 0 ||
                              job->plan.offload[ORR_OFFLOAD_ACTIVATIONS] != ORR_STORE_NONE;
    if (!json_object_get(object, "recompute") && workload->recompute != ORR_RECOMPUTE_OPS)
        workload->recompute = saves_inputs ? ORR_RECOMPUTE_FULL
                              : unfused    ? ORR_RECOMPUTE_SELECTIVE
                                           : job->engine.default_recompute;
    workload->recompute_every = orr_at_least_one(workload->recompute_every);
    if (!json_object_get(object, "attention_dropout")) workload->attention_dropout = job->model.attention_dropout;
    if (!json_object_get(object, "hidden_dropout")) workload->hidden_dropout = job->model.hidden_dropout;
    if (!json_object_get(object, "causal")) workload->causal = true;
    if (!json_object_get(object, "moe_imbalance")) workload->moe_imbalance = 1;
    if (!json_object_get(object, "mtp_layers")) workload->mtp_layers = job->engine.default_mtp ? job->model.n_mtp : 0;
}

static bool is_word(const json_t *value, const char *word)
{
    return json_is_string(value) && strcmp(json_string_value(value), word) == 0;
}

/* A recipe in place of a format: command lines of training call both by one name. */
static enum orr_err check_precision(const struct orr_doc *request, struct orr_error *error)
{
    const json_t *precision = json_object_get(json_object_get(request->root, "workload"), "precision");
    for (int i = ORR_RECIPE_ENGINE + 1; i < ORR_N_FP8_RECIPES; i++) {
        const char *recipe = orr_fp8_recipe_names[i], *format = i == ORR_RECIPE_NVFP4 ? "fp4" : "fp8";
        if (is_word(precision, recipe))
            return orr_doc_fail(request, "workload.precision", error,
                                "\"%s\" says how products are scaled: precision is \"%s\", and fp8_recipe \"%s\" "
                                "(--precision %s --fp8-recipe %s)",
                                recipe, format, recipe, format, recipe);
    }
    return ORR_OK;
}

static enum orr_err read_workload(const struct orr_doc *request, struct orr_job *job, struct orr_error *error)
{
    const json_t *object = NULL;
    struct ask ask = {.attention = -1};
    enum orr_err err = check_precision(request, error);
    if (!err) err = orr_section_read(request, &orr_train_workload_section, &object, &ask, error);
    if (!err) err = fill_attention(request, ask.attention, &job->engine, &ask.workload.attention, error);
    const json_t *recompute = json_object_get(object, "recompute");
    const json_t *ops = json_object_get(object, "recompute_ops");
    /* Megatron's two flags belong together: selective recomputation, and of which modules. */
    const bool selective = ops && is_word(recompute, "selective");
    if (!err && ops && recompute && !selective)
        err = orr_doc_fail_rule(request, "workload.recompute_ops", error,
                                "is given beside recompute, which may then only be \"selective\": choose one");
    if (!err && ask.workload.moe_capacity > 0 && json_object_get(object, "moe_imbalance"))
        err = orr_doc_fail_rule(request, "workload.moe_capacity", error,
                                "is given beside moe_imbalance: with a capacity every expert has the same rows");
    if (!err && ops) err = orr_recompute_ops_read(request, ops, &ask.workload, error);
    if (!err && recompute && !selective) err = orr_recompute_read(request, recompute, &ask.workload, error);
    if (!err) err = orr_adapter_read(request, object, &job->model, &ask.workload, error);
    if (err) return err;
    fill_workload(object, job, &ask.workload);
    job->workload = ask.workload;
    if (job->workload.adapter.base == ORR_BASE_FP8 && orr_dtype_bytes(job->workload.precision) > 1)
        return orr_doc_fail(request, "workload.adapter", error, "base=fp8 needs products of 8 bits (precision)");
    if (recompute && job->workload.recompute == ORR_RECOMPUTE_NONE && orr_has_twins(job))
        return orr_doc_fail_rule(
            request, "workload.recompute", error,
            "\"none\" leaves nothing to recompute in some layers (recompute_first, recompute_nth)");
    const bool below = ask.workload.frozen_embedding || ask.workload.adapter.kind != ORR_ADAPTER_NONE;
    if (orr_model_freeze(&job->model, ask.workload.frozen_layers, below))
        return orr_doc_fail_rule(request, "workload.frozen", error,
                                 "the model has too many kinds of layers to freeze some");
    return orr_media_read(request, object, &ask.media, job, error);
}

enum orr_err orr_request_train(const struct orr_doc *request, int64_t gpus, struct orr_job *job,
                               struct orr_error *error)
{
    const enum orr_err err = read_plan(request, gpus, job, error);
    return err ? err : read_workload(request, job, error);
}
