/* The columns of every schema of measurements. docs/formats.md says what each means and which of them act. */
#include "validate/columns.h"

#include "base/text.h"

#include <string.h>

static const char *const TRAINING[] = {"id",          "source",       "url",       "model",     "system",
                                       "gpus",        "tp",           "pp",        "vpp",       "dp",
                                       "cp",          "ep",           "etp",       "sp",        "zero",
                                       "zero_group",  "overlap",      "schedule",  "seq",       "precision",
                                       "micro_batch", "global_batch", "recompute", "attention", "engine",
                                       "framework",   "metric",       "value",     "notes",     "engine_version",
                                       "compiled",    "fp8_recipe"};

static const char *const INFERENCE[] = {"id",          "source",
                                        "url",         "model",
                                        "system",      "gpus",
                                        "tp",          "pp",
                                        "dp",          "ep",
                                        "etp",         "precision",
                                        "batch",       "kv_precision",
                                        "concurrency", "batching",
                                        "phase",       "input_len",
                                        "output_len",  "pass_tokens",
                                        "metric",      "value",
                                        "engine",      "notes",
                                        "framework",   "compiled",
                                        "fp8_recipe",  "engine_version",
                                        "arrival",     "rate_per_s",
                                        "max_batch",   "workload",
                                        "stat",        "max_batched_tokens"};

static const char *const LAB[] = {
    "id",    "source", "url",       "model",     "style",      "layers",       "hidden",   "heads", "ffn",
    "vocab", "params", "precision", "attention", "dropout",    "recompute",    "compiled", "seq",   "micro_batch",
    "fwd_s", "bwd_s",  "opt_s",     "step_s",    "peak_bytes", "static_bytes", "notes"};

static const char *const LAYER[] = {"id",        "source", "url",    "model",       "system",    "gpus",
                                    "tp",        "sp",     "seq",    "micro_batch", "precision", "recompute",
                                    "attention", "phase",  "time_s", "notes"};

#define COUNT(list) (sizeof(list) / sizeof *(list))

const char *const *orr_schema_columns(enum orr_set set, size_t *n)
{
    switch (set) {
    case ORR_SET_TRAINING: *n = COUNT(TRAINING); return TRAINING;
    case ORR_SET_INFERENCE:
    case ORR_SET_IN_FLIGHT: *n = COUNT(INFERENCE); return INFERENCE;
    case ORR_SET_LAB: *n = COUNT(LAB); return LAB;
    case ORR_SET_LAYER: *n = COUNT(LAYER); return LAYER;
    case ORR_N_SETS: break;
    }
    *n = 0;
    return NULL;
}

enum orr_err orr_schema_check(const struct orr_csv *csv, enum orr_set set, const char *origin, struct orr_error *error)
{
    size_t n;
    char hint[ORR_HINT];
    const char *const *known = orr_schema_columns(set, &n);
    for (size_t c = 0; c < csv->n_columns; c++) {
        size_t i = 0;
        while (i < n && strcmp(known[i], csv->names[c]) != 0) i++;
        if (i == n)
            return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.file = origin, .line = 1},
                            "unknown column \"%.60s\"%s", csv->names[c],
                            orr_did_you_mean(hint, csv->names[c], known, n));
    }
    return ORR_OK;
}
