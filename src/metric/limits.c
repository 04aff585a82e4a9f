/* A search can limit any number of a result; the keys of limits are those of the metric lists. */
#include "base/error.h"
#include "metric/metric.h"

#include <string.h>

enum { KEYS_MAX = 160 };
_Static_assert((int)ORR_N_TRAIN_METRICS < (int)KEYS_MAX && (int)ORR_N_INFER_METRICS < (int)KEYS_MAX,
               "room for every key");

static bool is_number(const struct orr_metric_info *info)
{
    return info->unit != ORR_METRIC_UNIT_WORD && info->unit != ORR_METRIC_UNIT_FLAG;
}

bool orr_limits_hold(const struct orr_search_request *request, const struct orr_job *job,
                     const struct orr_result *train, const struct orr_infer_result *infer)
{
    for (size_t i = 0; i < request->n_limits; i++) {
        const struct orr_limit *limit = &request->limits[i];
        const struct orr_value value = job->kind == ORR_JOB_TRAIN
                                           ? orr_train_metric_value(job, train, (enum orr_train_metric)limit->metric)
                                           : orr_infer_metric_value(job, infer, (enum orr_infer_metric)limit->metric);
        if (limit->at_most ? !(value.number <= limit->value) : !(value.number >= limit->value)) return false;
    }
    return true;
}

static enum orr_err find_metric(enum orr_job_kind kind, struct orr_limit *limit, struct orr_error *error)
{
    const char *keys[KEYS_MAX];
    size_t n_keys = 0;
    for (int i = 0; i < orr_n_metrics(kind); i++) {
        const struct orr_metric_info *info = orr_metric_info(kind, i);
        if (!is_number(info)) continue;
        keys[n_keys++] = info->key;
        if (strcmp(info->key, limit->key) != 0) continue;
        limit->metric = i;
        return ORR_OK;
    }
    char hint[ORR_HINT];
    return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.key = "search.limits"},
                    "no number of the result is called \"%s\"%s (docs/glossary.md lists them)", limit->key,
                    orr_did_you_mean(hint, limit->key, keys, n_keys));
}

enum orr_err orr_limits_resolve(struct orr_search_request *request, struct orr_error *error)
{
    enum orr_err err = ORR_OK;
    for (size_t i = 0; i < request->n_limits && !err; i++)
        err = find_metric(request->job.kind, &request->limits[i], error);
    return err;
}
