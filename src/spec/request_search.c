/* A request to search -> orr_search_request: the space, the job that all plans share, objective and limits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec/assume.h"
#include "spec/job.h"
#include "spec/limits.h"
#include "spec/names.h"
#include "spec/request.h"

enum { TOP_MAX = 1000, TOP = 10, WITHIN_MAX = 1000, WITHIN = 2 };

#define NAME(member, name, ...) name,
static const char *const OBJECTIVES[] = {ORR_OBJECTIVES(NAME)};

struct head {
    int kind;
};
static const struct orr_field HEAD_FIELDS[] = {ORR_ENUM(head, kind, true, orr_request_kinds, "what to search")};
static const char *const HEAD_EXTRA[] = {"model", "asked", "system", "gpus", "plan", "workload", "set", "search", NULL};

/* The values of "search" as written. */
struct ask {
    int objective;
    int64_t top;
    double front_within;
    bool brute, overlap;
    int64_t concurrency;
    double rate_per_s;
};
static const struct orr_field ASK_FIELDS[] = {
    ORR_ENUM(ask, objective, false, OBJECTIVES, "what the best plan has"),
    ORR_INT(ask, top, false, 1, TOP_MAX, "plans to list"),
    ORR_REAL(ask, front_within, ORR_UNIT_NONE, false, 1, WITHIN_MAX, "end of the front, over the fastest"),
    ORR_BOOL(ask, brute, false, "prune nothing"),
    ORR_INT(ask, concurrency, false, 1, 10000000, "users under whose load plans are compared"),
    ORR_REAL(ask, rate_per_s, ORR_UNIT_NONE, false, 1e-9, 1e9, "requests per second under which plans are compared"),
    ORR_BOOL(ask, overlap, false, "also plans that switch off an overlap"),
};
static const char *const ASK_EXTRA[] = {"limits", "compare", NULL};
const struct orr_section orr_search_section = {
    .path = "search", .fields = ASK_FIELDS, .n_fields = ORR_COUNT_OF(ASK_FIELDS), .extra = ASK_EXTRA};

/* ---------------------------------------------------------------- limits */

/* The unit of a result's number, which its name carries: "memory_bytes.total", "energy_j_per_token". */
static enum orr_unit unit_of(const char *key)
{
    static const struct {
        const char *word;
        enum orr_unit unit;
    } UNITS[] = {
        {"s", ORR_UNIT_S}, {"bytes", ORR_UNIT_BYTES}, {"j", ORR_UNIT_J}, {"w", ORR_UNIT_W}, {"usd", ORR_UNIT_USD}};
    bool rate = false;
    for (const char *at = key; *at;) {
        const size_t n = strcspn(at, "_.");
        for (size_t i = 0; i < ORR_COUNT_OF(UNITS) && !rate; i++)
            if (strlen(UNITS[i].word) == n && strncmp(at, UNITS[i].word, n) == 0) return UNITS[i].unit;
        rate = n == 3 && strncmp(at, "per", 3) == 0; /* tokens_per_s */
        at += n + (at[n] != '\0');
    }
    return strstr(key, "frac") || strstr(key, "share") ? ORR_UNIT_NONE : ORR_UNIT_COUNT;
}

/* Reads "KEY<=VALUE" or "KEY>=VALUE". Keys are checked later, where the keys of results are known. */
static enum orr_err read_limit(const struct orr_doc *request, const char *path, const char *text,
                               struct orr_limit *limit, struct orr_error *error)
{
    const size_t n = strcspn(text, "<>");
    size_t length = n;
    while (length > 0 && text[length - 1] == ' ') length--;
    if (length == 0 || length >= sizeof limit->key || text[n] == '\0' || text[n + 1] != '=')
        return orr_doc_fail(request, path, error, "\"%.60s\" must be KEY<=VALUE or KEY>=VALUE, e.g. \"mfu_frac>=0.4\"",
                            text);
    *limit = (struct orr_limit){.at_most = text[n] == '<'};
    memcpy(limit->key, text, length);
    const enum orr_unit unit = unit_of(limit->key);
    if (!orr_quantity_parse(text + n + 2, unit, &limit->value))
        return orr_doc_fail(request, path, error, "%s: \"%.60s\" must be %s", limit->key, text + n + 2,
                            orr_unit_hint(unit));
    return ORR_OK;
}

static enum orr_err read_limits(const struct orr_doc *request, const json_t *value, struct orr_search_request *search,
                                struct orr_error *error)
{
    const char *const path = "search.limits";
    const size_t n = json_is_array(value) ? json_array_size(value) : 1;
    if (n > ORR_MAX_LIMITS) return orr_doc_fail(request, path, error, "at most %d limits", ORR_MAX_LIMITS);
    for (size_t i = 0; i < n; i++) {
        const char *text = json_string_value(json_is_array(value) ? json_array_get(value, i) : value);
        if (!text) return orr_doc_fail(request, path, error, "must be a list of texts like \"mfu_frac>=0.4\"");
        const enum orr_err err = read_limit(request, path, text, &search->limits[i], error);
        if (err) return err;
    }
    search->n_limits = n;
    return ORR_OK;
}

/* ---------------------------------------------------------------- a plan to compare with */

static const char *const PLAN_KEYS[ORR_N_REQUEST_KINDS][16] = {
    {"tp", "cp", "pp", "vpp", "dp", "ep", "etp", "zero", "sp", "schedule", "cp_kind", "overlap"},
    {"tp", "cp", "pp", "dp", "ep", "etp"},
};
static const char *const WORKLOAD_KEYS[ORR_N_REQUEST_KINDS][8] = {
    {"micro_batch", "recompute", "recompute_every"},
    {"batch", "precision", "kv_precision", "disaggregated"},
};

/* Reads "tp=8,pp=16,overlap=tp,dp", where a piece without "=" continues the value before it; NULL: another form. */
static json_t *plan_of_text(const char *text)
{
    json_t *plan = json_object();
    char pair[128] = "";
    for (bool more = plan != NULL; more; text++) {
        const size_t n = strcspn(text, ",");
        const bool goes_on = pair[0] && !memchr(text, '=', n);
        const size_t used = goes_on ? strlen(pair) : 0;
        const int added = snprintf(pair + used, sizeof pair - used, "%s%.*s", goes_on ? "," : "", (int)n, text);
        char *equals = strchr(pair, '=');
        text += n;
        more = *text != '\0';
        const bool whole = added >= 0 && (size_t)added < sizeof pair - used && equals && equals > pair;
        if (whole) *equals = '\0';
        if (!whole || (!goes_on && json_object_get(plan, pair))) { /* a key that is given twice is no plan, either */
            json_decref(plan);
            return NULL;
        }
        const int failed = json_object_set_new(plan, pair, json_string(equals + 1));
        *equals = '=';
        if (failed) {
            json_decref(plan);
            return NULL;
        }
    }
    return plan;
}

/* Moves a key of the plan to compare with to its section of an ordinary request; false if it has no such key there. */
static bool place(json_t *section, const char *const *keys, size_t n_keys, const char *key, json_t *value)
{
    for (size_t i = 0; i < n_keys && keys[i]; i++)
        if (strcmp(keys[i], key) == 0) return json_object_set(section, key, value) == 0;
    return false;
}

static enum orr_err fail_unknown(const struct orr_doc *request, const char *key, enum orr_job_kind kind,
                                 struct orr_error *error)
{
    const char *known[32] = {"gpus"};
    size_t n = 1;
    for (size_t i = 0; PLAN_KEYS[kind][i]; i++) known[n++] = PLAN_KEYS[kind][i];
    for (size_t i = 0; WORKLOAD_KEYS[kind][i]; i++) known[n++] = WORKLOAD_KEYS[kind][i];
    return orr_doc_fail_unknown(request, "search.compare", key, known, n, error);
}

/* Makes an ordinary request with this plan and the parts of the search. */
static enum orr_err place_keys(const struct orr_doc *request, json_t *compare, enum orr_job_kind kind,
                               struct orr_doc *one, struct orr_error *error)
{
    json_t *plan = json_object(), *workload = json_deep_copy(json_object_get(request->root, "workload"));
    if (!workload) workload = json_object();
    one->root = json_pack("{so so}", "plan", plan, "workload", workload);
    const char *key;
    json_t *value;
    json_object_foreach(compare, key, value)
    {
        if (strcmp(key, "gpus") != 0 && !place(plan, PLAN_KEYS[kind], ORR_COUNT_OF(PLAN_KEYS[kind]), key, value) &&
            !place(workload, WORKLOAD_KEYS[kind], ORR_COUNT_OF(WORKLOAD_KEYS[kind]), key, value))
            return fail_unknown(request, key, kind, error);
    }
    return ORR_OK;
}

static enum orr_err compare_gpus(const struct orr_doc *request, const json_t *compare, const struct orr_space *space,
                                 int64_t *gpus, struct orr_error *error)
{
    struct count {
        int64_t gpus;
    };
    static const struct orr_field FIELD[] = {ORR_INT(count, gpus, false, 1, ORR_GPUS_MAX, "GPUs of the plan")};
    struct count count = {space->gpus.n == 1 ? space->gpus.values[0] : 0};
    json_t *value = json_object_get(compare, "gpus"), *object = json_object();
    if (value) json_object_set(object, "gpus", value);
    const enum orr_err err = orr_fields_read(request, "search.compare", object, FIELD, 1, NULL, &count, error);
    json_decref(object);
    *gpus = count.gpus;
    if (!err && count.gpus == 0 && !json_object_get(compare, "dp"))
        return orr_doc_fail(request, "search.compare", error, "needs gpus or dp: the search has several GPU counts");
    return err;
}

static void choose(const struct orr_job *job, struct orr_choice *choice)
{
    const struct orr_plan *plan = &job->plan;
    *choice = (struct orr_choice){
        .gpus = (int32_t)plan->gpus,
        .tp = (int32_t)plan->tp,
        .cp = (int32_t)plan->cp,
        .pp = (int32_t)plan->pp,
        .vpp = (int32_t)plan->vpp,
        .dp = (int32_t)plan->dp,
        .ep = (int32_t)plan->ep,
        .etp = (int32_t)plan->etp,
        .micro_batch = (int32_t)job->workload.micro_batch,
        .recompute_every = (int32_t)job->workload.recompute_every,
        .batch = (int32_t)job->serving.batch,
        .recompute = (uint8_t)job->workload.recompute,
        .zero = (uint8_t)plan->zero,
        .sp = plan->sp,
        .schedule = (uint8_t)plan->schedule,
        .cp_kind = (uint8_t)plan->cp_kind,
        .weights = (uint8_t)job->serving.format,
        .kv = (uint8_t)orr_cache_choice(job->serving.kv, job->serving.kv_format),
        .disaggregated = job->serving.disaggregated,
        .exposed_groups = plan->exposed_groups,
    };
}

/* Reports an error of the ordinary readers at its place below "compare". */
static enum orr_err fail_compare(const struct orr_doc *request, const struct orr_error *found, struct orr_error *error)
{
    char path[ORR_KEY_PATH];
    const char *dot = strchr(found->key, '.');
    const size_t skip = found->key[0] ? strlen(found->key) + strlen(": ") : 0;
    if (found->code == ORR_ERR_MEMORY) return orr_fail(error, ORR_ERR_MEMORY, (struct orr_place){0}, "out of memory");
    return orr_doc_fail(request, orr_key_path(path, "search.compare", dot ? dot + 1 : found->key), error, "%s",
                        found->text + skip);
}

static enum orr_err read_compare(const struct orr_catalogue *catalogue, const struct orr_doc *request, json_t *compare,
                                 struct orr_search_request *search, struct orr_error *error)
{
    struct orr_doc one = {0};
    struct orr_error found;
    int64_t gpus = 0;
    struct orr_job *job = malloc(sizeof *job);
    if (!job) return orr_fail(error, ORR_ERR_MEMORY, (struct orr_place){0}, "out of memory");
    *job = search->job;
    enum orr_err err = place_keys(request, compare, job->kind, &one, error);
    if (!err) err = compare_gpus(request, compare, &search->space, &gpus, error);
    if (!err) {
        err = job->kind == ORR_JOB_TRAIN ? orr_request_train(&one, gpus, job, &found)
                                         : orr_request_infer(catalogue, &one, gpus, job, &found);
        if (!err) err = orr_job_check(job, &found);
        if (err) err = fail_compare(request, &found, error);
    }
    if (!err) choose(job, &search->compare);
    search->compared = !err;
    orr_doc_close(&one);
    free(job);
    return err;
}

static enum orr_err compare_with(const struct orr_catalogue *catalogue, const struct orr_doc *request, json_t *value,
                                 struct orr_search_request *search, struct orr_error *error)
{
    json_t *plan = json_is_string(value) ? plan_of_text(json_string_value(value)) : json_incref(value);
    enum orr_err err = ORR_OK;
    if (!json_is_object(plan))
        err = orr_doc_fail(request, "search.compare", error,
                           "must be an object like {\"tp\": 8, \"pp\": 16} or \"tp=8,pp=16\"");
    if (!err) err = read_compare(catalogue, request, plan, search, error);
    json_decref(plan);
    return err;
}

/* ---------------------------------------------------------------- all of it */

/* Refuses keys of a plan that are no dimension of the search. */
static enum orr_err check_fixed(const struct orr_doc *request, struct orr_error *error)
{
    const json_t *plan = json_object_get(request->root, "plan");
    if (json_object_get(plan, "zero_secondary"))
        return orr_doc_fail(request, "plan.zero_secondary", error, "cannot be searched: no plan keeps second shards");
    if (json_object_get(plan, "zero_group"))
        return orr_doc_fail(request, "plan.zero_group", error, "cannot be searched: every plan shards over dp * cp");
    if (json_object_get(plan, "stage_layers"))
        return orr_doc_fail(request, "plan.stage_layers", error, "cannot be searched: every plan spreads its layers");
    return ORR_OK;
}

static enum orr_err read_ask(const struct orr_doc *request, const json_t *object, struct orr_search_request *search,
                             struct orr_error *error)
{
    struct ask ask = {.objective = ORR_OBJECTIVE_TIME, .top = TOP, .front_within = WITHIN, .overlap = true};
    const bool fixed = json_object_get(json_object_get(request->root, "plan"), "overlap") != NULL;
    enum orr_err err = ORR_OK;
    if (object)
        err = orr_fields_read(request, "search", object, ASK_FIELDS, ORR_COUNT_OF(ASK_FIELDS), ASK_EXTRA, &ask, error);
    if (!err && fixed && ask.overlap && json_object_get(object, "overlap"))
        err = orr_doc_fail(request, "search.overlap", error, "cannot be true where plan.overlap says what overlaps");
    if (!err && search->job.kind == ORR_JOB_INFER && json_object_get(object, "overlap"))
        err = orr_doc_fail(request, "search.overlap", error, "is a choice of training plans");
    if (!err && search->job.kind == ORR_JOB_TRAIN && (ask.concurrency > 0 || ask.rate_per_s > 0))
        err = orr_doc_fail(request, ask.concurrency > 0 ? "search.concurrency" : "search.rate_per_s", error,
                           "is a load of inference plans");
    if (!err && (ask.concurrency > 0 || ask.rate_per_s > 0) && search->space.batch.n > 0)
        err = orr_doc_fail(request, "workload.batch", error,
                           "has no effect beside search.%s: the load decides how many sequences run at once",
                           ask.concurrency > 0 ? "concurrency" : "rate_per_s");
    if (!err && ask.concurrency > 0 && ask.rate_per_s > 0)
        err = orr_doc_fail(request, "search.rate_per_s", error,
                           "cannot stand beside concurrency: one of them is the load");
    search->objective = (enum orr_objective)ask.objective;
    search->top = ask.top;
    search->front_within = ask.front_within;
    search->concurrency = ask.concurrency;
    search->rate_per_s = ask.rate_per_s;
    search->brute = ask.brute;
    search->space.overlap = ask.overlap && !fixed;
    const json_t *limits = json_object_get(object, "limits");
    return err || !limits ? err : read_limits(request, limits, search, error);
}

/* Formats change what a model answers, not only how fast, so an absent key means the ordinary default, "any" all. */
static void fill_formats(struct orr_search_request *search, bool any_weights, bool any_kv)
{
    struct orr_space *space = &search->space;
    if (space->weights.n == 0 && !any_weights)
        space->weights = (struct orr_choices){1, {(int64_t)search->job.serving.format}};
    if (space->kv.n == 0 && !any_kv)
        space->kv = (struct orr_choices){1, {orr_cache_choice(search->job.serving.kv, search->job.serving.kv_format)}};
}

static const char *cache_of(int64_t choice)
{
    const bool plain = choice < ORR_N_DTYPES;
    return orr_cache_name(plain ? (enum orr_dtype)choice : ORR_DTYPE_BF16,
                          plain ? ORR_KV_PLAIN : (enum orr_kv_format)(choice - ORR_N_DTYPES));
}

/* The job that all plans share: one GPU, and the first of the formats. */
static enum orr_err read_base(const struct orr_catalogue *catalogue, struct orr_doc *request,
                              struct orr_search_request *search, struct orr_error *error)
{
    json_t *workload = json_object_get(request->root, "workload");
    const struct orr_space *space = &search->space;
    search->imbalance_given = json_object_get(workload, "moe_imbalance") != NULL;
    search->matrix_given = json_object_get(workload, "matrix_precision") != NULL;
    search->comm_given = json_object_get(workload, "comm_precision") != NULL;
    if (space->weights.n > 0)
        json_object_set_new(workload, "precision",
                            json_string(orr_weight_format_name((enum orr_weight_format)space->weights.values[0])));
    if (space->kv.n > 0) json_object_set_new(workload, "kv_precision", json_string(cache_of(space->kv.values[0])));
    unsigned stale = ORR_STALE_ALL;
    enum orr_err err = orr_request_job(catalogue, request, &stale, &search->job, error);
    if (!err && search->job.kind == ORR_JOB_TRAIN && !json_object_get(workload, "global_batch"))
        err = orr_doc_fail(request, "workload", error,
                           "missing key \"global_batch\": sequences of a step, the same for all plans");
    return err;
}

static enum orr_err read_search(const struct orr_catalogue *catalogue, struct orr_doc *request,
                                struct orr_search_request *search, struct orr_error *error)
{
    struct head head = {0};
    json_t *workload = json_object_get(request->root, "workload");
    const bool any_weights = json_object_get(workload, "precision") != NULL;
    const bool any_kv = json_object_get(workload, "kv_precision") != NULL;
    json_t *ask = json_incref(json_object_get(request->root, "search"));
    enum orr_err err =
        orr_fields_read(request, "", request->root, HEAD_FIELDS, ORR_COUNT_OF(HEAD_FIELDS), HEAD_EXTRA, &head, error);
    if (!err) err = orr_space_read(request, (enum orr_job_kind)head.kind, &search->space, error);
    if (!err) err = check_fixed(request, error);
    json_object_del(request->root, "search");
    search->job.kind = (enum orr_job_kind)head.kind;
    if (!err) err = read_ask(request, ask, search, error);
    if (!err) err = read_base(catalogue, request, search, error);
    if (!err && (search->concurrency > 0 || search->rate_per_s > 0))
        err = orr_request_check_prompt(request, &search->job, error);
    if (!err && head.kind == ORR_JOB_INFER) fill_formats(search, any_weights, any_kv);
    json_t *compare = json_object_get(ask, "compare");
    if (!err && compare) err = compare_with(catalogue, request, compare, search, error);
    json_decref(ask);
    return err;
}

/* A search chooses among all values of a key that says "auto", as of one that is absent. */
static void drop_auto(const struct orr_doc *request)
{
    const char *kind = json_string_value(json_object_get(request->root, "kind"));
    const bool infer = kind && strcmp(kind, "infer") == 0;
    orr_drop_keys(request->root, orr_auto_keys(request->root, infer ? ORR_JOB_INFER : ORR_JOB_TRAIN));
}

enum orr_err orr_request_search(const struct orr_catalogue *catalogue, struct orr_doc *request,
                                struct orr_search_request *search, struct orr_error *error)
{
    struct orr_set set;
    memset(search, 0, sizeof *search);
    enum orr_err err = orr_request_set(request, &set, error);
    if (!err) drop_auto(request);
    if (!err) err = read_search(catalogue, request, search, error);
    request->set = NULL;
    return err;
}

enum orr_err orr_search_read(const struct orr_catalogue *catalogue, const char *json, const char *origin,
                             struct orr_search_request *search, struct orr_error *error)
{
    struct orr_doc request;
    enum orr_err err = orr_doc_parse(json, origin, &request, error);
    if (err) memset(search, 0, sizeof *search);
    else err = orr_request_search(catalogue, &request, search, error);
    orr_doc_close(&request);
    return err;
}
