/* The runs that an engine was fitted to, from the report in its file ("fit"): they are measured configurations. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "spec/alike.h"
#include "spec/json.h"
#include "spec/names.h"
#include "spec/spec.h"

#define SHARE_(name, key_, what)                                                                                       \
    {.key = key_,                                                                                                      \
     .type = ORR_FIELD_REAL,                                                                                           \
     .required = true,                                                                                                 \
     .min = 0,                                                                                                         \
     .max = 1,                                                                                                         \
     .offset = offsetof(struct orr_fit_run, bound_frac) + ORR_BOUND_##name * sizeof(double),                           \
     .meaning = what},
static const struct orr_field FIELDS[] = {
    ORR_STRING(orr_fit_run, system, true, "system of the run"),
    ORR_STRING(orr_fit_run, model, true, "model of the run"),
    ORR_STRING(orr_fit_run, plan, true, "its degrees and sizes in words"),
    ORR_STRING(orr_fit_run, regime, true, "class of jobs"),
    ORR_INT(orr_fit_run, gpus, true, 1, 1000000000, "GPUs"),
    ORR_REAL(orr_fit_run, active_params, ORR_UNIT_NONE, true, 1, 1e18, "active parameters of the model"),
    ORR_BOOL(orr_fit_run, trains, false, "a training step, not a request"),
    ORR_ENUM(orr_fit_run, weights, false, orr_dtype_names, "format of the weights"),
    ORR_ENUM(orr_fit_run, matrix, false, orr_dtype_names, "format of the products"),
    ORR_INT(orr_fit_run, tp, false, 1, 1000000000, "tensor parallelism"),
    ORR_INT(orr_fit_run, pp, false, 1, 1000000000, "pipeline stages"),
    ORR_INT(orr_fit_run, ep, false, 1, 1000000000, "expert parallelism"),
    ORR_INT(orr_fit_run, batch, false, 1, 1000000000, "micro-batch, or sequences of a replica"),
    ORR_INT(orr_fit_run, tokens, false, 1, 1000000000, "tokens of a sequence, or of a prompt"),
    ORR_INT(orr_fit_run, answer_tokens, false, 1, 1000000000, "tokens of an answer"),
    ORR_BOUNDS(SHARE_)};

/* The place of the next run at or after `at` that says how it was configured; runs that were set aside do not count. */
static size_t next_run(const json_t *runs, size_t at)
{
    for (; at < json_array_size(runs); at++) {
        const json_t *run = json_array_get(runs, at);
        if (json_is_object(json_object_get(run, "configuration")) && !json_is_true(json_object_get(run, "set_aside")))
            break;
    }
    return at;
}

static enum orr_err read_run(const struct orr_doc *doc, const json_t *runs, size_t at, struct orr_fit_run *run,
                             struct orr_error *error)
{
    char path[ORR_KEY_PATH];
    const json_t *json = json_array_get(runs, at);
    const char *name = json_string_value(json_object_get(json, "run"));
    (void)snprintf(path, sizeof path, "fit.runs.%zu.configuration", at);
    (void)snprintf(run->run, sizeof run->run, "%s", name ? name : "a run");
    run->error_frac = json_number_value(json_object_get(json, "error_after"));
    return orr_fields_read(doc, path, json_object_get(json, "configuration"), FIELDS, ORR_COUNT_OF(FIELDS), NULL, run,
                           error);
}

/* What the fit leaves of the runs, shared with jobs like them; nothing where the file does not say it of a run. Of more
 * runs than there is room for, some are taken at equal steps. */
static enum orr_err read_alike(const struct orr_doc *doc, const json_t *runs, size_t n, struct orr_engine *engine,
                               struct orr_error *error)
{
    double left[ORR_MAX_ALIKE], weight[ORR_MAX_ALIKE];
    const bool fitted = json_is_true(json_object_get(json_object_get(doc->root, "fit"), "fitted"));
    const size_t kept = orr_alike_kept(n);
    size_t seen = 0, k = 0;
    for (size_t at = next_run(runs, 0); k < kept && at < json_array_size(runs); at = next_run(runs, at + 1), seen++) {
        if (seen != orr_alike_place(k, n)) continue;
        const json_t *json = json_array_get(runs, at), *rest = json_object_get(json, "left_ln");
        struct orr_fit_run run = {0};
        const enum orr_err err = read_run(doc, runs, at, &run, error);
        if (err) return err;
        left[k] = json_number_value(rest) * orr_alike_trust(n, fitted);
        weight[k] = json_number_value(json_object_get(json, "weight"));
        if (!json_is_number(rest) || run.tp == 0 || !isfinite(left[k]) || !(weight[k] > 0)) return ORR_OK;
        engine->alike[k++] = orr_traits_of_run(&run);
    }
    engine->n_alike = (int64_t)k;
    orr_alike_pull(engine->alike, k, left, weight, engine->pull);
    return ORR_OK;
}

/* Of more runs than there is room for, some are taken at equal steps: they are sorted by what was measured. */
enum orr_err orr_fit_runs_read(const struct orr_doc *doc, struct orr_engine *engine, struct orr_error *error)
{
    const json_t *runs = json_object_get(json_object_get(doc->root, "fit"), "runs");
    size_t n = 0, seen = 0;
    for (size_t at = next_run(runs, 0); at < json_array_size(runs); at = next_run(runs, at + 1)) n++;
    for (size_t at = next_run(runs, 0); at < json_array_size(runs); at = next_run(runs, at + 1), seen++) {
        const size_t most = n < ORR_MAX_FIT_RUNS ? n : ORR_MAX_FIT_RUNS;
        if (engine->n_fitted == ORR_MAX_FIT_RUNS || seen * most < (size_t)engine->n_fitted * n) continue;
        const enum orr_err err = read_run(doc, runs, at, &engine->fitted[engine->n_fitted], error);
        if (err) return err;
        engine->n_fitted++;
    }
    return read_alike(doc, runs, n, engine, error);
}
