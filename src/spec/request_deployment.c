/* "deployment" of a request of kind "serving": pools of replicas beside the first, failures, and replicas that come and
 * go. A pool, a failure and the scaling are objects or texts such as "decode,system=h200-sxm,tp=8,dp=2". */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "spec/form.h"
#include "spec/limits.h"
#include "spec/names.h"
#include "spec/request.h"

#define TIME_MAX_S 1e9
enum { REPLICAS_MAX = 4096, OUTSTANDING_MAX = 100000000 };

static const char *const PLAN_KEYS[] = {"tp", "pp", "dp", "ep", "etp"};
static const char *const WORKLOAD_KEYS[] = {"engine", "precision", "kv_precision"};
static const char *const ENGINE_KEYS[] = {"max_requests", "max_step_tokens"};
static const char *const POOL_KEYS[] = {
    "role",         "system",       "gpus",           "tp", "pp", "dp", "ep", "etp", "engine", "precision",
    "kv_precision", "max_requests", "max_step_tokens"};

static const struct orr_field DEPLOYMENT_FIELDS[] = {
    ORR_INT(orr_deployment, max_outstanding, false, 1, OUTSTANDING_MAX, "unfinished requests of a replica"),
};
static const char *const DEPLOYMENT_EXTRA[] = {"pools", "failures", "autoscale", NULL};

static const struct orr_field FAILURE_FIELDS[] = {
    ORR_INT(orr_failure, pool, false, 0, ORR_MAX_POOLS - 1, "pool of the replica, from 0"),
    ORR_INT(orr_failure, replica, false, 0, REPLICAS_MAX, "replica of the pool, from 0"),
    ORR_REAL(orr_failure, at_s, ORR_UNIT_S, true, 0, TIME_MAX_S, "when it stops"),
    ORR_REAL(orr_failure, down_s, ORR_UNIT_S, true, 0, TIME_MAX_S, "how long it is away"),
};

static const struct orr_field AUTOSCALE_FIELDS[] = {
    ORR_INT(orr_autoscale, least, false, 1, REPLICAS_MAX, "fewest replicas"),
    ORR_INT(orr_autoscale, most, true, 1, REPLICAS_MAX, "most replicas"),
    ORR_REAL(orr_autoscale, requests, ORR_UNIT_NONE, true, 1e-3, 1e9, "unfinished requests per replica to aim at"),
    ORR_REAL(orr_autoscale, start_s, ORR_UNIT_S, false, 0, TIME_MAX_S, "from the decision to the first request"),
    ORR_REAL(orr_autoscale, interval_s, ORR_UNIT_S, false, 1e-3, TIME_MAX_S, "between two decisions"),
    ORR_REAL(orr_autoscale, idle_s, ORR_UNIT_S, false, 0, TIME_MAX_S, "before a replica is stopped"),
};

static bool one_of(const char *key, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(key, names[i]) == 0) return true;
    return false;
}

/* "a,key=value,..." as an object; a word without "=" is the value of `first`. Objects stay. NULL: an error. */
static json_t *object_of(const struct orr_doc *request, const char *path, json_t *value, const char *first,
                         const char *like, struct orr_error *error)
{
    const char *rest = json_string_value(value);
    char word[1024];
    if (json_is_object(value)) return json_deep_copy(value);
    if (!rest || orr_list_open(rest, ',')) {
        char shown[ORR_SHOWN];
        (void)orr_doc_fail(request, path, error, "must be %s, not %s", like, orr_json_shown(shown, value));
        return NULL;
    }
    json_t *object = json_object();
    while (object && orr_next_word(&rest, ',', word, sizeof word)) {
        char *equals = strchr(word, '=');
        if (equals) *equals++ = '\0';
        const char *key = equals ? word : first;
        if (json_object_get(object, key)) {
            (void)orr_doc_fail(request, path, error, "%.40s is given twice", key);
            json_decref(object);
            return NULL;
        }
        (void)json_object_set_new(object, key, json_string(equals ? equals : word));
    }
    if (!object) (void)orr_out_of_memory(error, NULL);
    return object;
}

/* ---------------------------------------------------------------- pools */

static json_t *section_of(json_t *root, const char *name)
{
    json_t *section = json_object_get(root, name);
    if (!section && json_object_set_new(root, name, json_object()) == 0) section = json_object_get(root, name);
    return section;
}

/* The request with what the pool has of its own. */
static void put_pool(const json_t *pool, json_t *root)
{
    const char *key;
    json_t *value, *own = (json_t *)pool;
    json_t *plan = json_object_get(pool, "plan") ? json_deep_copy(json_object_get(pool, "plan")) : json_object();
    char path[64];
    (void)json_object_del(root, "gpus");
    json_object_foreach(own, key, value)
    {
        if (one_of(key, PLAN_KEYS, ORR_COUNT_OF(PLAN_KEYS))) (void)json_object_set(plan, key, value);
        else if (one_of(key, WORKLOAD_KEYS, ORR_COUNT_OF(WORKLOAD_KEYS)))
            (void)json_object_set(section_of(root, "workload"), key, value);
        else if (one_of(key, ENGINE_KEYS, ORR_COUNT_OF(ENGINE_KEYS))) {
            (void)snprintf(path, sizeof path, "engine.%s", key);
            (void)json_object_set(section_of(root, "set"), path, value);
        } else if (strcmp(key, "role") != 0 && strcmp(key, "plan") != 0) (void)json_object_set(root, key, value);
    }
    if (json_object_size(plan) > 0) (void)json_object_set(root, "plan", plan);
    (void)json_object_del(section_of(root, "workload"), "disaggregated");
    json_decref(plan);
}

static enum orr_err read_role(const struct orr_doc *request, const json_t *pool, enum orr_pool_role absent,
                              enum orr_pool_role *role, struct orr_error *error)
{
    const char *word = json_string_value(json_object_get(pool, "role")), *key;
    json_t *value, *own = (json_t *)pool;
    char hint[ORR_HINT];
    json_object_foreach(own, key, value)
    {
        (void)value;
        if (strcmp(key, "plan") != 0 && !one_of(key, POOL_KEYS, ORR_COUNT_OF(POOL_KEYS)))
            return orr_doc_fail(request, "deployment.pools", error,
                                "\"%.40s\" is no key of a pool: role, system, gpus, tp, pp, dp, ep, etp, engine, "
                                "precision, kv_precision, max_requests, max_step_tokens%s",
                                key, orr_did_you_mean(hint, key, POOL_KEYS, ORR_COUNT_OF(POOL_KEYS)));
    }
    *role = absent;
    if (!json_object_get(pool, "role")) return ORR_OK;
    for (int i = 0; word && i < ORR_N_POOL_ROLES; i++)
        if (strcmp(word, orr_pool_role_names[i]) == 0) {
            *role = (enum orr_pool_role)i;
            return ORR_OK;
        }
    return orr_doc_fail(request, "deployment.pools", error, "role must be whole, prefill or decode, not \"%.40s\"",
                        word ? word : "");
}

static enum orr_err read_pool(const struct orr_catalogue *catalogue, const struct orr_doc *request, json_t *value,
                              struct orr_serving_request *serving, struct orr_error *error)
{
    struct orr_deployment *d = &serving->deployment;
    json_t *pool = object_of(request, "deployment.pools", value, "role",
                             "objects or texts like \"decode,system=h200-sxm,tp=8,dp=2\"", error);
    unsigned stale = ORR_STALE_ALL;
    if (!pool) return error->code;
    const enum orr_pool_role absent = d->pools[0].role == ORR_POOL_PREFILL ? ORR_POOL_DECODE : ORR_POOL_WHOLE;
    enum orr_err err = read_role(request, pool, absent, &d->pools[d->n_pools].role, error);
    if (!err) {
        struct orr_doc own = *request;
        own.root = json_deep_copy(request->root);
        put_pool(pool, own.root);
        err = orr_request_read(catalogue, &own, &stale, &serving->pool_jobs[d->n_pools - 1], error);
        orr_doc_close(&own);
        d->n_pools++;
    }
    json_decref(pool);
    return err;
}

/* Prompts need somebody who answers, and the reverse. */
static enum orr_err check_roles(const struct orr_doc *request, const struct orr_deployment *d, struct orr_error *error)
{
    bool has[ORR_N_POOL_ROLES] = {false};
    for (size_t i = 0; i < d->n_pools; i++) has[d->pools[i].role] = true;
    if (has[ORR_POOL_PREFILL] != has[ORR_POOL_DECODE])
        return orr_doc_fail(
            request, "deployment.pools", error,
            "prefill and decode pools need each other; the first pool is the plan of the request, which "
            "--disaggregated (workload.disaggregated) makes a prefill pool");
    if (has[ORR_POOL_PREFILL] && has[ORR_POOL_WHOLE])
        return orr_doc_fail(request, "deployment.pools", error,
                            "cannot have whole pools beside prefill and decode pools");
    return ORR_OK;
}

static enum orr_err read_pools(const struct orr_catalogue *catalogue, const struct orr_doc *request, json_t *value,
                               struct orr_serving_request *serving, struct orr_error *error)
{
    struct orr_deployment *d = &serving->deployment;
    const json_t *apart = json_object_get(json_object_get(request->root, "workload"), "disaggregated");
    const char *word = json_string_value(apart);
    const bool split = json_is_true(apart) || (word && strcmp(word, "true") == 0);
    const size_t n = json_is_array(value) ? json_array_size(value) : value ? 1 : 0;
    enum orr_err err = ORR_OK;
    if (n + (split ? 2 : 1) > ORR_MAX_POOLS)
        return orr_doc_fail(request, "deployment.pools", error, "at most %d pools", ORR_MAX_POOLS);
    if (n == 0 && !split) return ORR_OK;
    serving->pool_jobs = calloc(ORR_MAX_POOLS, sizeof *serving->pool_jobs);
    if (!serving->pool_jobs) return orr_out_of_memory(error, NULL);
    d->n_pools = 1;
    d->pools[0].role = split ? ORR_POOL_PREFILL : ORR_POOL_WHOLE;
    for (size_t i = 0; i < n && !err; i++)
        err = read_pool(catalogue, request, json_is_array(value) ? json_array_get(value, i) : value, serving, error);
    bool decodes = false;
    for (size_t i = 1; i < d->n_pools; i++) decodes |= d->pools[i].role == ORR_POOL_DECODE;
    if (!err && split && !decodes) { /* a decode pool like the prefill pool */
        json_t *same = json_pack("{ss}", "role", "decode");
        err = same ? read_pool(catalogue, request, same, serving, error) : orr_out_of_memory(error, NULL);
        json_decref(same);
    }
    return err ? err : check_roles(request, d, error);
}

/* ---------------------------------------------------------------- failures and scaling */

static enum orr_err read_failure(const struct orr_doc *request, json_t *value, struct orr_failure *failure,
                                 struct orr_error *error)
{
    json_t *object = object_of(request, "deployment.failures", value, "at_s",
                               "objects or texts like \"replica=0,at_s=100,down_s=60\"", error);
    if (!object) return error->code;
    const enum orr_err err = orr_fields_read(request, "deployment.failures", object, FAILURE_FIELDS,
                                             ORR_COUNT_OF(FAILURE_FIELDS), NULL, failure, error);
    json_decref(object);
    return err;
}

static enum orr_err read_failures(const struct orr_doc *request, json_t *value, struct orr_deployment *d,
                                  struct orr_error *error)
{
    const size_t n = json_is_array(value) ? json_array_size(value) : value ? 1 : 0;
    enum orr_err err = ORR_OK;
    if (n > ORR_MAX_FAILURES)
        return orr_doc_fail(request, "deployment.failures", error, "at most %d failures", ORR_MAX_FAILURES);
    for (size_t i = 0; i < n && !err; i++)
        err = read_failure(request, json_is_array(value) ? json_array_get(value, i) : value, &d->failures[i], error);
    d->n_failures = n;
    return err;
}

static enum orr_err read_autoscale(const struct orr_doc *request, json_t *value, struct orr_autoscale *scale,
                                   struct orr_error *error)
{
    if (!value) return ORR_OK;
    json_t *object = object_of(request, "deployment.autoscale", value, "most",
                               "an object or a text like \"least=1,most=8,requests=32,start_s=60\"", error);
    if (!object) return error->code;
    *scale = (struct orr_autoscale){.least = 1, .start_s = 60, .interval_s = 10, .idle_s = 300};
    const enum orr_err err = orr_fields_read(request, "deployment.autoscale", object, AUTOSCALE_FIELDS,
                                             ORR_COUNT_OF(AUTOSCALE_FIELDS), NULL, scale, error);
    json_decref(object);
    if (!err && scale->least > scale->most)
        return orr_doc_fail(request, "deployment.autoscale", error, "least must not be above most");
    return err;
}

/* ---------------------------------------------------------------- all of it */

enum orr_err orr_deployment_read(const struct orr_catalogue *catalogue, const struct orr_doc *request,
                                 json_t *deployment, struct orr_serving_request *serving, struct orr_error *error)
{
    struct orr_deployment *d = &serving->deployment;
    char shown[ORR_SHOWN];
    enum orr_err err = ORR_OK;
    if (deployment && !json_is_object(deployment))
        return orr_doc_fail(request, "deployment", error,
                            "must be an object with pools, failures, autoscale or max_outstanding, not %s",
                            orr_json_shown(shown, deployment));
    if (deployment)
        err = orr_fields_read(request, "deployment", deployment, DEPLOYMENT_FIELDS, ORR_COUNT_OF(DEPLOYMENT_FIELDS),
                              DEPLOYMENT_EXTRA, d, error);
    if (!err) err = read_pools(catalogue, request, json_object_get(deployment, "pools"), serving, error);
    if (!err) err = read_failures(request, json_object_get(deployment, "failures"), d, error);
    if (!err) err = read_autoscale(request, json_object_get(deployment, "autoscale"), &d->autoscale, error);
    return err;
}

/* What only the whole request shows: replicas that fail exist, and the load does not come from users who wait. */
enum orr_err orr_deployment_check(const struct orr_doc *request, const struct orr_serving_request *serving,
                                  struct orr_error *error)
{
    const struct orr_deployment *d = &serving->deployment;
    for (size_t i = 0; i < d->n_failures; i++) {
        const struct orr_failure *f = &d->failures[i];
        const bool known = f->pool == 0 || f->pool < (int64_t)d->n_pools;
        const struct orr_job *job = f->pool == 0 ? &serving->job : known ? &serving->pool_jobs[f->pool - 1] : NULL;
        const int64_t n = !job ? 0 : f->pool == 0 && d->autoscale.most > 0 ? d->autoscale.most : job->plan.dp;
        if (f->replica >= n)
            return orr_doc_fail(request, "deployment.failures", error, "there is no replica %lld in pool %lld",
                                (long long)f->replica, (long long)f->pool);
    }
    if (d->max_outstanding > 0 && serving->traffic.arrival == ORR_ARRIVAL_CLOSED)
        return orr_doc_fail(request, "deployment.max_outstanding", error,
                            "turns nobody away in a closed loop, whose users wait for their answers");
    if (d->autoscale.most > 0 &&
        (serving->job.plan.dp < d->autoscale.least || serving->job.plan.dp > d->autoscale.most))
        return orr_doc_fail(request, "deployment.autoscale", error,
                            "the %lld replicas of the plan, which run at first, must be from least to most",
                            (long long)serving->job.plan.dp);
    return ORR_OK;
}

struct orr_deployment orr_deployment_of(const struct orr_serving_request *serving)
{
    struct orr_deployment d = serving->deployment;
    d.pools[0].job = &serving->job;
    for (size_t i = 1; i < d.n_pools; i++) d.pools[i].job = &serving->pool_jobs[i - 1];
    return d;
}
