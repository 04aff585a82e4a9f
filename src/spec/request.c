/* A request of the JSON contract -> a complete, checked job: parts loaded, "set" applied, defaults filled in. */
#include "spec/request.h"

#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "spec/assume.h"
#include "spec/factors.h"
#include "spec/family.h"
#include "spec/job.h"
#include "spec/limits.h"

struct head {
    int64_t gpus; /* 0: not given */
    int kind;
};

const char *const orr_request_kinds[ORR_N_REQUEST_KINDS] = {"train", "infer"}; /* ORDER enum orr_job_kind */
static const char *const DEFAULT_ENGINES[] = {"generic", "tensorrt-llm-1.2"};

static const struct orr_field HEAD_FIELDS[] = {
    ORR_ENUM(head, kind, true, orr_request_kinds, "what to predict"),
    ORR_INT(head, gpus, false, 1, ORR_GPUS_MAX, "GPUs of the job"),
};
static const char *const HEAD_EXTRA[] = {"model", "asked", "system", "plan", "workload", "set", NULL};

/* ---------------------------------------------------------------- set */

/* Checks that every path of "set" begins with a part or section that can be set. */
static enum orr_err check_set(const struct orr_doc *request, struct orr_error *error)
{
    static const char *const STARTS[] = {"model",       "chip",   "system", "engine",
                                         "calibration", "fabric", "plan",   "workload"};
    char path[ORR_KEY_PATH], shown[ORR_SHOWN];
    json_t *set = json_object_get(request->root, "set");
    if (!json_is_object(set))
        return orr_doc_fail(request, "set", error, "must be an object of paths and values, not %s",
                            orr_json_shown(shown, set));
    const char *key;
    json_t *value;
    json_object_foreach(set, key, value)
    {
        const size_t length = strcspn(key, ".");
        bool known = false;
        for (size_t i = 0; i < ORR_COUNT_OF(STARTS); i++)
            known |= strncmp(key, STARTS[i], length) == 0 && strlen(STARTS[i]) == length;
        if (!known || key[length] == '\0')
            return orr_doc_fail(request, orr_key_path(path, "set", key), error,
                                "is not a path that can be set: model.KEY, chip.KEY, system.KEY, engine.KEY, "
                                "calibration.KEY, fabric.KEY, plan.KEY or workload.KEY");
    }
    return ORR_OK;
}

enum orr_err orr_request_set(struct orr_doc *request, struct orr_set *set, struct orr_error *error)
{
    if (!json_object_get(request->root, "set")) return ORR_OK;
    const enum orr_err err = check_set(request, error);
    if (err) return err;
    *set = (struct orr_set){
        .values = json_object_get(request->root, "set"), .part = "", .text = request->text, .file = request->file};
    request->set = set;
    return orr_set_apply(request, error);
}

/* ---------------------------------------------------------------- what both kinds share */

/* Reports a key that only the other kind of request has, which helps more than "unknown key". */
static enum orr_err check_foreign(const struct orr_doc *request, const struct orr_section *section,
                                  const json_t *object, struct orr_error *error)
{
    char path[ORR_KEY_PATH];
    for (const char *const *key = section->foreign; *key; key++)
        if (json_object_get(object, *key))
            return orr_doc_fail(request, orr_key_path(path, section->path, *key), error,
                                "is a key of kind \"%s\"; this request is of kind \"%s\"", section->foreign_kind,
                                section->kind);
    return ORR_OK;
}

enum orr_err orr_section_read(const struct orr_doc *request, const struct orr_section *section, const json_t **object,
                              void *target, struct orr_error *error)
{
    *object = json_object_get(request->root, section->path);
    json_t *empty = *object ? NULL : json_object(); /* an absent section lacks its required keys too */
    const json_t *given = *object ? *object : empty;
    enum orr_err err = check_foreign(request, section, given, error);
    if (!err)
        err = orr_fields_read(request, section->path, given, section->fields, section->n_fields, section->extra, target,
                              error);
    json_decref(empty);
    return err;
}

/* Computes dp from gpus, or gpus from dp. */
static enum orr_err fill_gpus(const struct orr_doc *request, int64_t gpus, struct orr_plan *plan,
                              struct orr_error *error)
{
    const double least = (double)plan->tp * (double)plan->pp * (double)plan->cp * (double)orr_at_least_one(plan->dp);
    if (least > ORR_GPUS_MAX) /* the product may not even fit into int64_t */
        return orr_doc_fail_rule(request, "plan", error, "tp * pp * cp * dp = %g GPUs; at most %d", least,
                                 ORR_GPUS_MAX);
    const int64_t ranks = plan->tp * plan->pp * plan->cp;
    if (plan->dp == 0 && gpus > 0 && gpus % ranks != 0)
        return orr_doc_fail_rule(request, "gpus", error,
                                 "%lld is not a multiple of tp * pp * cp = %lld * %lld * %lld = %lld (nearest: %lld)",
                                 (long long)gpus, (long long)plan->tp, (long long)plan->pp, (long long)plan->cp,
                                 (long long)ranks,
                                 (long long)(gpus < ranks ? ranks : (gpus + ranks / 2) / ranks * ranks));
    if (plan->dp == 0) plan->dp = gpus > 0 ? gpus / ranks : 1;
    plan->gpus = gpus > 0 ? gpus : ranks * plan->dp;
    return ORR_OK;
}

enum orr_err orr_plan_fill(const struct orr_doc *request, int64_t gpus, const struct orr_model *model,
                           struct orr_plan *plan, struct orr_error *error)
{
    plan->tp = orr_at_least_one(plan->tp);
    plan->pp = orr_at_least_one(plan->pp);
    plan->vpp = orr_at_least_one(plan->vpp);
    plan->cp = orr_at_least_one(plan->cp);
    plan->ep = orr_at_least_one(plan->ep);
    const enum orr_err err = fill_gpus(request, gpus, plan, error);
    if (err) return err;
    if (plan->etp == 0) /* experts are cut like every other matrix where the ranks allow it */
        plan->etp = orr_model_has_experts(model) && plan->dp * plan->cp % plan->ep == 0 ? plan->tp : 1;
    return ORR_OK;
}

/* ---------------------------------------------------------------- the job */

/* A name that stands for a stack of the other kind may stand for one of this kind too; if not, the engine stays. */
static enum orr_err load_namesake(const struct orr_catalogue *catalogue, struct orr_reference reference,
                                  const struct orr_set *set, struct orr_job *job, struct orr_error *error)
{
    const char *name = reference.name, *id = orr_engine_namesake(catalogue, name, job->kind);
    if (!id) return ORR_OK;
    reference.name = id;
    const enum orr_err err = orr_engine_load(catalogue, &reference, set, &job->engine, error);
    job->engine.match = ORR_MATCH_DEFAULT;
    orr_copy_line(job->engine.asked, sizeof job->engine.asked, name);
    return err;
}

static enum orr_err read_engine(const struct orr_catalogue *catalogue, const struct orr_doc *request,
                                struct orr_job *job, struct orr_error *error)
{
    struct orr_reference reference = {
        .part = ORR_PART_ENGINE, .name = DEFAULT_ENGINES[job->kind], .doc = request, .path = "workload.engine"};
    const json_t *engine = json_object_get(json_object_get(request->root, "workload"), "engine");
    enum orr_err err = ORR_OK;
    if (engine) err = orr_reference_from(request, "workload.engine", engine, ORR_PART_ENGINE, &reference, error);
    if (!err) err = orr_engine_load(catalogue, &reference, request->set, &job->engine, error);
    if (!err && reference.name && !orr_engine_runs(&job->engine, job->kind))
        err = load_namesake(catalogue, reference, request->set, job, error);
    return err ? err : orr_engine_check_kind(catalogue, &reference, &job->engine, job->kind, error);
}

/* The "asked" key of a repeated request is the name by which its model was found, which may say more than the id. */
static enum orr_err read_model(const struct orr_catalogue *catalogue, const struct orr_doc *request,
                               struct orr_reference *reference, struct orr_model *model, struct orr_error *error)
{
    char format[ORR_FORMAT_NAME];
    const json_t *asked = json_object_get(request->root, "asked");
    if (asked && !json_is_string(asked)) return orr_doc_fail(request, "asked", error, "must be the name of a model");
    const char *id = asked ? orr_model_named(catalogue, json_string_value(asked), format) : NULL;
    if (id && reference->name && strcmp(id, reference->name) == 0) reference->name = json_string_value(asked);
    return orr_model_load(catalogue, reference, request->set, model, error);
}

static enum orr_err read_part(const struct orr_catalogue *catalogue, const struct orr_doc *request, unsigned part,
                              bool calibration, struct orr_job *job, struct orr_error *error)
{
    struct orr_reference reference;
    if (part == ORR_STALE_ENGINE) return read_engine(catalogue, request, job, error);
    const bool model = part == ORR_STALE_MODEL;
    const char *key = model ? "model" : "system";
    const json_t *value = json_object_get(request->root, key);
    const enum orr_err err =
        orr_reference_from(request, key, value, model ? ORR_PART_MODEL : ORR_PART_SYSTEM, &reference, error);
    if (err) return err;
    if (model) return read_model(catalogue, request, &reference, &job->model, error);
    return orr_system_load(catalogue, &reference, request->set, &job->system, calibration ? &job->calibration : NULL,
                           error);
}

static enum orr_err read_parts(const struct orr_catalogue *catalogue, const struct orr_doc *request, unsigned *stale,
                               struct orr_job *job, struct orr_error *error)
{
    static const unsigned PARTS[] = {ORR_STALE_MODEL, ORR_STALE_SYSTEM, ORR_STALE_ENGINE};
    /* The factors of a fitted engine, and idealised constants, are in the job, so that these are read anew. */
    if (orr_factors_act(&job->engine) || job->workload.ideal)
        *stale |= ORR_STALE_SYSTEM | ORR_STALE_CALIBRATION | ORR_STALE_ENGINE;
    if (orr_run_options_act(job->serving.options)) *stale |= ORR_STALE_ENGINE; /* they are in the job as well */
    for (size_t i = 0; i < ORR_COUNT_OF(PARTS); i++) {
        if (!(*stale & PARTS[i])) continue;
        const enum orr_err err = read_part(catalogue, request, PARTS[i], *stale & ORR_STALE_CALIBRATION, job, error);
        if (err) return err;
        *stale &= ~(PARTS[i] | (PARTS[i] == ORR_STALE_SYSTEM ? (unsigned)ORR_STALE_CALIBRATION : 0));
    }
    if (job->engine.attention_from_chip) job->engine.attention = job->system.chip.flash;
    orr_engine_fit_chip(&job->engine, &job->system.chip);
    orr_engine_fit_model(&job->engine, &job->model);
    job->calibration.gemm[ORR_DTYPE_FP8_BLOCK] = job->calibration.block[job->engine.block_kernel]; /* Eq. 304 */
    orr_factors_apply(&job->engine, NULL, job);
    return ORR_OK;
}

/* orr_job_check knows keys; the request knows their file and line. */
static enum orr_err check_located(const struct orr_doc *request, const struct orr_job *job, struct orr_error *error)
{
    struct orr_error found;
    const enum orr_err err = orr_job_check(job, &found);
    if (!err) return ORR_OK;
    const size_t skip = found.key[0] ? strlen(found.key) + strlen(": ") : 0;
    return orr_doc_fail_rule(request, found.key, error, "%s", found.text + skip);
}

/* Reads a request in which no key says "auto". */
static enum orr_err read_job(const struct orr_catalogue *catalogue, const struct orr_doc *request,
                             const struct head *head, unsigned *stale, struct orr_job *job, struct orr_error *error)
{
    enum orr_err err = read_parts(catalogue, request, stale, job, error);
    if (!err && job->kind == ORR_JOB_TRAIN) err = orr_request_train(request, head->gpus, job, error);
    else if (!err) err = orr_request_infer(catalogue, request, head->gpus, job, error);
    if (!err && job->workload.ideal) orr_idealise(job);
    if (!err) orr_twins_make(job);
    if (!err) err = check_located(request, job, error);
    if (!err) job->assumed = orr_assumed_keys(request->root, job);
    return err;
}

enum orr_err orr_request_job(const struct orr_catalogue *catalogue, const struct orr_doc *request, unsigned *stale,
                             struct orr_job *job, struct orr_error *error)
{
    struct head head = {0};
    enum orr_err err =
        orr_fields_read(request, "", request->root, HEAD_FIELDS, ORR_COUNT_OF(HEAD_FIELDS), HEAD_EXTRA, &head, error);
    if (err) return err;
    job->kind = (enum orr_job_kind)head.kind;
    job->automatic = orr_auto_keys(request->root, job->kind);
    if (!job->automatic) return read_job(catalogue, request, &head, stale, job, error);
    struct orr_doc plain = *request; /* without the keys that say "auto", which then have their defaults */
    plain.root = json_deep_copy(request->root);
    if (plain.root) orr_drop_keys(plain.root, job->automatic);
    err = plain.root ? read_job(catalogue, &plain, &head, stale, job, error) : orr_out_of_memory(error, NULL);
    json_decref(plain.root);
    return err;
}

enum orr_err orr_request_read(const struct orr_catalogue *catalogue, struct orr_doc *request, unsigned *stale,
                              struct orr_job *job, struct orr_error *error)
{
    struct orr_set set;
    enum orr_err err = orr_request_set(request, &set, error);
    if (!err) err = orr_request_job(catalogue, request, stale, job, error);
    request->set = NULL;
    err = orr_complete(err, error);
    if (err == ORR_ERR_MEMORY) *stale = ORR_STALE_ALL; /* Parts that were read may be incomplete. */
    return err;
}

enum orr_err orr_job_read(const struct orr_catalogue *catalogue, const char *json, const char *origin,
                          struct orr_job *job, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    struct orr_doc request;
    unsigned stale = ORR_STALE_ALL;
    memset(job, 0, sizeof *job);
    enum orr_err err = orr_doc_parse(json, origin, &request, error);
    if (!err) err = orr_request_read(catalogue, &request, &stale, job, error);
    orr_doc_close(&request);
    return err;
}
