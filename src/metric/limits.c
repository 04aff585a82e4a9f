/* Limits on any number of a result: their keys are those of the metric lists. */
#include "base/error.h"
#include "metric/infer_metrics.h"
#include "metric/metrics.h"

#include <string.h>

enum { KEYS_MAX = 160 };
_Static_assert((int)ORR_N_METRICS < (int)KEYS_MAX && (int)ORR_N_INFER_METRICS < (int)KEYS_MAX, "room for every key");

static const struct orr_metric_info *info_of(enum orr_job_kind kind, int metric)
{
    return kind == ORR_JOB_TRAIN ? orr_metric_info((enum orr_metric)metric)
                                 : orr_infer_metric_info((enum orr_infer_metric)metric);
}

static bool is_number(const struct orr_metric_info *info)
{
    return info->unit != ORR_METRIC_UNIT_WORD && info->unit != ORR_METRIC_UNIT_FLAG;
}

/* Values of the metric lists look at the job and its result only. */
static struct orr_value value_of(const struct orr_job *job, int metric, const struct orr_result *train,
                                 const struct orr_infer_result *infer)
{
    if (job->kind == ORR_JOB_TRAIN) {
        const struct orr_view view = {.job = job, .result = train};
        return orr_metric_value(&view, (enum orr_metric)metric);
    }
    const struct orr_infer_view view = {.job = job, .result = infer};
    return orr_infer_metric_value(&view, (enum orr_infer_metric)metric);
}

static bool accept(const struct orr_search_request *request, const struct orr_job *job, const struct orr_result *train,
                   const struct orr_infer_result *infer)
{
    for (size_t i = 0; i < request->n_limits; i++) {
        const struct orr_limit *limit = &request->limits[i];
        const double number = value_of(job, limit->metric, train, infer).number;
        if (limit->at_most ? !(number <= limit->value) : !(number >= limit->value)) return false;
    }
    return true;
}

static enum orr_err find_metric(enum orr_job_kind kind, struct orr_limit *limit, struct orr_error *error)
{
    const int n = kind == ORR_JOB_TRAIN ? (int)ORR_N_METRICS : (int)ORR_N_INFER_METRICS;
    const char *keys[KEYS_MAX];
    size_t n_keys = 0;
    for (int i = 0; i < n; i++) {
        const struct orr_metric_info *info = info_of(kind, i);
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

enum orr_err orr_search_limits(struct orr_search_request *request, struct orr_error *error)
{
    enum orr_err err = ORR_OK;
    for (size_t i = 0; i < request->n_limits && !err; i++)
        err = find_metric(request->job.kind, &request->limits[i], error);
    request->accept = !err && request->n_limits > 0 ? accept : NULL;
    return err;
}
