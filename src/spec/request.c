/* A request of the JSON contract -> a complete, checked job: parts loaded, "set" applied, defaults filled in. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec/limits.h"
#include "spec/names.h"
#include "spec/part.h"

/* ---------------------------------------------------------------- keys */

struct head {
    int64_t gpus; /* 0: not given */
    int kind;
};

static const char *const KINDS[] = {"train"};

static const struct orr_field HEAD_FIELDS[] = {
    ORR_ENUM(head, kind, true, KINDS, "what to predict"),
    ORR_INT(head, gpus, false, 1, ORR_GPUS_MAX, "GPUs of the job"),
};
static const char *const HEAD_EXTRA[] = {"model", "system", "plan", "workload", "set", NULL};

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
    ORR_INT(orr_plan, zero_group, false, 1, ORR_RANKS_MAX, "ranks weights are sharded over"),
    ORR_ENUM(orr_plan, schedule, false, orr_schedule_names, "pipeline schedule"),
    ORR_ENUM(orr_plan, cp_kind, false, orr_cp_kind_names, "how context parallel exchanges keys and values"),
};
static const char *const PLAN_EXTRA[] = {"stage_layers", NULL};

/* The workload as written: attention is a kernel or "flash", the engine's own. */
struct ask {
    struct orr_workload workload;
    int attention;
};

#define NAME(member, name, ...) name,
static const char *const ATTENTION_WORDS[] = {ORR_ATTENTION_KERNELS(NAME) "flash"};
enum { ATTENTION_FLASH = ORR_N_ATTENTION_KERNELS }; /* index of "flash" above */

#define WORK_INT(member, low, high, what)                                                                       \
    {.key = #member, .type = ORR_FIELD_INT, .unit = ORR_UNIT_COUNT, .min = low, .max = high,                    \
     .offset = offsetof(struct ask, workload.member), .meaning = what}
#define WORK_BOOL(member, what)                                                                                 \
    {.key = #member, .type = ORR_FIELD_BOOL, .offset = offsetof(struct ask, workload.member), .meaning = what}
#define WORK_ENUM(member, words, what)                                                                          \
    {.key = #member, .type = ORR_FIELD_ENUM, .offset = offsetof(struct ask, workload.member), .names = words,   \
     .n_names = sizeof words / sizeof words[0], .meaning = what}

static const struct orr_field WORKLOAD_FIELDS[] = {
    WORK_INT(seq, 1, ORR_TOKENS_MAX, "tokens of a sequence"),
    WORK_INT(micro_batch, 1, ORR_MICRO_BATCH_MAX, "sequences of a micro-batch"),
    WORK_INT(global_batch, 1, ORR_BATCH_MAX, "sequences of a step"),
    WORK_ENUM(precision, orr_dtype_names, "inputs of the matrix products"),
    WORK_ENUM(recompute, orr_recompute_names, "what backward executes again"),
    WORK_INT(recompute_every, 1, ORR_MAX_LAYERS, "layers per saved input with full recompute"),
    ORR_ENUM(ask, attention, false, ATTENTION_WORDS, "attention kernel"),
    WORK_BOOL(attention_dropout, "dropout on the scores"),
    WORK_BOOL(hidden_dropout, "dropout on the residual stream"),
    WORK_BOOL(causal, "the masked half of the scores is skipped by fused kernels"),
    {.key = "moe_imbalance", .type = ORR_FIELD_REAL, .min = 1, .max = ORR_IMBALANCE_MAX,
     .offset = offsetof(struct ask, workload.moe_imbalance),
     .meaning = "rows on the hottest expert rank over the mean"},
};
static const char *const WORKLOAD_EXTRA[] = {"engine", NULL};

/* ---------------------------------------------------------------- set */

/* Every path of "set" begins with something that can be set. */
static enum orr_err check_set(const struct orr_doc *request, struct orr_error *error)
{
    static const char *const STARTS[] = {"model", "chip", "system", "engine", "calibration", "plan", "workload"};
    char path[ORR_KEY_PATH], shown[ORR_SHOWN];
    json_t *set = json_object_get(request->root, "set");
    if (!json_is_object(set))
        return orr_doc_fail(request, "set", error, "must be an object of paths and values, not %s",
                            orr_json_shown(shown, set));
    const char *key;
    json_t *value;
    json_object_foreach(set, key, value) {
        const size_t length = strcspn(key, ".");
        bool known = false;
        for (size_t i = 0; i < ORR_COUNT_OF(STARTS); i++)
            known |= strncmp(key, STARTS[i], length) == 0 && strlen(STARTS[i]) == length;
        if (!known || key[length] == '\0')
            return orr_doc_fail(request, orr_key_path(path, "set", key), error,
                                "is not a path that can be set: model.KEY, chip.KEY, system.KEY, engine.KEY, "
                                "calibration.KEY, plan.KEY or workload.KEY");
    }
    return ORR_OK;
}

/* Put plan.* and workload.* into the request itself; the other paths wait for their part. */
static enum orr_err apply_set(struct orr_doc *request, struct orr_set *set, struct orr_error *error)
{
    if (!json_object_get(request->root, "set"))
        return ORR_OK;
    const enum orr_err err = check_set(request, error);
    if (err)
        return err;
    *set = (struct orr_set){.values = json_object_get(request->root, "set"), .part = "", .text = request->text,
                            .file = request->file};
    request->set = set;
    return orr_set_apply(request, error);
}

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
        const json_int_t layers = json_integer_value(value);
        if (!json_is_integer(value) || layers < 1 || layers > ORR_MAX_LAYERS)
            return orr_doc_fail(request, "plan.stage_layers", error, "stage %zu must be an integer from 1 to %d", i,
                                ORR_MAX_LAYERS);
        plan->stage_layers[i] = layers;
    }
    plan->n_stage_layers = (int64_t)n;
    return ORR_OK;
}

static int64_t at_least_one(int64_t count)
{
    return count > 0 ? count : 1;
}

/* dp from gpus, or gpus from dp. */
static enum orr_err fill_gpus(const struct orr_doc *request, int64_t gpus, struct orr_plan *plan,
                              struct orr_error *error)
{
    const double least = (double)plan->tp * (double)plan->pp * (double)plan->cp * (double)at_least_one(plan->dp);
    if (least > ORR_GPUS_MAX) /* the product may not even fit into int64_t */
        return orr_doc_fail(request, "plan", error, "tp * pp * cp * dp = %g GPUs; at most %d", least, ORR_GPUS_MAX);
    const int64_t ranks = plan->tp * plan->pp * plan->cp;
    if (plan->dp == 0 && gpus > 0 && gpus % ranks != 0)
        return orr_doc_fail(request, "gpus", error,
                            "%lld is not a multiple of tp * pp * cp = %lld * %lld * %lld = %lld (nearest: %lld)",
                            (long long)gpus, (long long)plan->tp, (long long)plan->pp, (long long)plan->cp,
                            (long long)ranks, (long long)(gpus < ranks ? ranks : (gpus + ranks / 2) / ranks * ranks));
    if (plan->dp == 0)
        plan->dp = gpus > 0 ? gpus / ranks : 1;
    plan->gpus = gpus > 0 ? gpus : ranks * plan->dp;
    return ORR_OK;
}

static bool has_experts(const struct orr_model *model)
{
    for (int64_t k = 0; k < model->n_kinds; k++)
        if (model->kinds[k].n_experts > 0)
            return true;
    return false;
}

static enum orr_err read_plan(const struct orr_doc *request, int64_t gpus, struct orr_job *job, struct orr_error *error)
{
    struct orr_plan *plan = &job->plan;
    const struct orr_engine *engine = &job->engine;
    const json_t *object = json_object_get(request->root, "plan");
    memset(plan, 0, sizeof *plan);
    if (object) {
        const enum orr_err err = orr_fields_read(request, "plan", object, PLAN_FIELDS, ORR_COUNT_OF(PLAN_FIELDS),
                                                 PLAN_EXTRA, plan, error);
        if (err)
            return err;
    }
    const json_t *stage_layers = json_object_get(object, "stage_layers");
    enum orr_err err = stage_layers ? read_stage_layers(request, stage_layers, plan, error) : ORR_OK;
    if (err)
        return err;
    plan->tp = at_least_one(plan->tp);
    plan->pp = at_least_one(plan->pp);
    plan->vpp = at_least_one(plan->vpp);
    plan->cp = at_least_one(plan->cp);
    plan->ep = at_least_one(plan->ep);
    err = fill_gpus(request, gpus, plan, error);
    if (err)
        return err;
    if (plan->etp == 0) /* experts are cut like every other matrix where the ranks allow it */
        plan->etp = has_experts(&job->model) && plan->dp * plan->cp % plan->ep == 0 ? plan->tp : 1;
    if (!json_object_get(object, "zero"))
        plan->zero = engine->default_zero;
    if (plan->zero_group == 0)
        plan->zero_group = plan->dp * plan->cp;
    if (!json_object_get(object, "sp"))
        plan->sp = engine->default_sp && plan->tp > 1;
    if (!json_object_get(object, "schedule"))
        plan->schedule = plan->vpp > 1 ? ORR_SCHEDULE_INTERLEAVED : ORR_SCHEDULE_1F1B;
    if (!json_object_get(object, "cp_kind"))
        plan->cp_kind = ORR_CP_RING;
    return ORR_OK;
}

/* ---------------------------------------------------------------- workload */

static enum orr_err fill_attention(const struct orr_doc *request, int asked, const struct orr_engine *engine,
                                   enum orr_attention_kernel *attention, struct orr_error *error)
{
    if (asked == ATTENTION_FLASH && engine->attention == ORR_ATTENTION_UNFUSED)
        return orr_doc_fail(request, "workload.attention", error,
                            "engine %s has no fused kernel of its own; name one: \"flash1\", \"flash2\", \"flash3\"",
                            engine->id);
    if (asked >= 0 && asked < ORR_N_ATTENTION_KERNELS)
        *attention = (enum orr_attention_kernel)asked;
    else if (asked < 0 && engine->attention_unfused_default)
        *attention = ORR_ATTENTION_UNFUSED;
    else
        *attention = engine->attention;
    return ORR_OK;
}

/* Documented defaults where the request is silent. */
static void fill_workload(const json_t *object, const struct orr_job *job, struct orr_workload *workload)
{
    const int64_t max_seq = job->model.max_seq;
    if (workload->seq == 0)
        workload->seq = max_seq > 0 && max_seq < 2048 ? max_seq : 2048;
    workload->micro_batch = at_least_one(workload->micro_batch);
    if (workload->global_batch == 0) /* enough micro-batches to fill the pipeline */
        workload->global_batch = job->plan.dp * workload->micro_batch * 4 * job->plan.pp;
    if (!json_object_get(object, "precision"))
        workload->precision = job->system.chip.peak_flops_per_s[ORR_DTYPE_BF16] > 0 ? ORR_DTYPE_BF16 : ORR_DTYPE_FP16;
    if (!json_object_get(object, "recompute"))
        workload->recompute = job->engine.default_recompute;
    workload->recompute_every = at_least_one(workload->recompute_every);
    if (!json_object_get(object, "attention_dropout"))
        workload->attention_dropout = job->model.attention_dropout;
    if (!json_object_get(object, "hidden_dropout"))
        workload->hidden_dropout = job->model.hidden_dropout;
    if (!json_object_get(object, "causal"))
        workload->causal = true;
    if (!json_object_get(object, "moe_imbalance"))
        workload->moe_imbalance = 1;
}

static enum orr_err read_workload(const struct orr_doc *request, struct orr_job *job, struct orr_error *error)
{
    const json_t *object = json_object_get(request->root, "workload");
    struct ask ask = {.attention = -1};
    enum orr_err err = ORR_OK;
    if (object)
        err = orr_fields_read(request, "workload", object, WORKLOAD_FIELDS, ORR_COUNT_OF(WORKLOAD_FIELDS),
                              WORKLOAD_EXTRA, &ask, error);
    if (job->engine.attention_from_chip)
        job->engine.attention = job->system.chip.flash;
    if (!err)
        err = fill_attention(request, ask.attention, &job->engine, &ask.workload.attention, error);
    if (err)
        return err;
    fill_workload(object, job, &ask.workload);
    job->workload = ask.workload;
    return ORR_OK;
}

/* ---------------------------------------------------------------- the job */

static enum orr_err read_parts(const struct orr_catalogue *catalogue, const struct orr_doc *request,
                               struct orr_job *job, struct orr_error *error)
{
    struct orr_reference reference;
    const json_t *workload = json_object_get(request->root, "workload");
    const json_t *engine = json_object_get(workload, "engine");
    enum orr_err err = orr_reference_from(request, "model", json_object_get(request->root, "model"), ORR_PART_MODEL,
                                          &reference, error);
    if (!err)
        err = orr_model_load(catalogue, &reference, request->set, &job->model, error);
    if (!err)
        err = orr_reference_from(request, "system", json_object_get(request->root, "system"), ORR_PART_SYSTEM,
                                 &reference, error);
    if (!err)
        err = orr_system_load(catalogue, &reference, request->set, &job->system, &job->calibration, error);
    if (err)
        return err;
    if (engine)
        err = orr_reference_from(request, "workload.engine", engine, ORR_PART_ENGINE, &reference, error);
    else
        reference = (struct orr_reference){.part = ORR_PART_ENGINE, .name = "generic", .doc = request,
                                           .path = "workload.engine"};
    return err ? err : orr_engine_load(catalogue, &reference, request->set, &job->engine, error);
}

/* orr_job_check knows keys; the request knows their file and line. */
static enum orr_err check_located(const struct orr_doc *request, const struct orr_job *job, struct orr_error *error)
{
    struct orr_error found;
    const enum orr_err err = orr_job_check(job, &found);
    if (!err)
        return ORR_OK;
    const size_t skip = found.key[0] ? strlen(found.key) + strlen(": ") : 0;
    return orr_doc_fail(request, found.key, error, "%s", found.text + skip);
}

static enum orr_err read_job(const struct orr_catalogue *catalogue, struct orr_doc *request, struct orr_job *job,
                             struct orr_error *error)
{
    struct orr_set set;
    struct head head = {0};
    enum orr_err err = orr_fields_read(request, "", request->root, HEAD_FIELDS, ORR_COUNT_OF(HEAD_FIELDS), HEAD_EXTRA,
                                       &head, error);
    if (!err)
        err = apply_set(request, &set, error);
    if (!err)
        err = read_parts(catalogue, request, job, error);
    if (!err)
        err = read_plan(request, head.gpus, job, error);
    if (!err)
        err = read_workload(request, job, error);
    if (!err)
        err = check_located(request, job, error);
    request->set = NULL;
    return err;
}

enum orr_err orr_job_read(const struct orr_catalogue *catalogue, const char *json, const char *origin,
                          struct orr_job *job, struct orr_error *error)
{
    struct orr_doc request;
    memset(job, 0, sizeof *job);
    enum orr_err err = orr_doc_parse(json, origin, &request, error);
    if (!err)
        err = read_job(catalogue, &request, job, error);
    orr_doc_close(&request);
    return err;
}
