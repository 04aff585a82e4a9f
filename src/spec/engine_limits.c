/* Limits of an engine that depend on the chip: stacks choose batch, step and memory by the size or name of a GPU. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "spec/json.h"
#include "spec/spec.h"

static const struct orr_field LIMIT_FIELDS[] = {
    ORR_REAL(orr_engine_limit, memory_below_bytes, ORR_UNIT_BYTES, false, 1, 1e15, "holds on chips with less memory"),
    ORR_STRING(orr_engine_limit, chips, false, "holds on chips whose id contains one of these words"),
    ORR_INT(orr_engine_limit, max_requests, false, 1, 1000000000, "most sequences in one batch there"),
    ORR_INT(orr_engine_limit, max_step_tokens, false, 1, 100000000, "most prompt tokens in one step there"),
    ORR_INT(orr_engine_limit, graph_sequences, false, 1, 1000000, "largest decode batch that is a graph there"),
    ORR_REAL(orr_engine_limit, budget_frac, ORR_UNIT_NONE, false, 0.01, 1, "memory the KV cache may take there"),
};

/* A value that the request sets is meant for every chip. */
static void keep_set_values(const struct orr_doc *doc, struct orr_engine_limit *limit)
{
    if (orr_doc_is_set(doc, "max_requests")) limit->max_requests = 0;
    if (orr_doc_is_set(doc, "max_step_tokens")) limit->max_step_tokens = 0;
    if (orr_doc_is_set(doc, "graph_sequences")) limit->graph_sequences = 0;
    if (orr_doc_is_set(doc, "budget_frac")) limit->budget_frac = 0;
}

/* Read the list of limits. Its last entry holds on every chip and keeps the values of the file itself, so that an
 * engine can be moved from one chip to another. */
enum orr_err orr_engine_limits_read(const struct orr_doc *doc, struct orr_engine *engine, struct orr_error *error)
{
    char path[ORR_KEY_PATH], index[24];
    const json_t *limits = json_object_get(doc->root, "limits");
    const size_t n = json_array_size(limits);
    if (!limits) return ORR_OK;
    if (!json_is_array(limits) || n >= ORR_MAX_ENGINE_LIMITS)
        return orr_doc_fail(doc, "limits", error, "must be an array of at most %d objects", ORR_MAX_ENGINE_LIMITS - 1);
    for (size_t i = 0; i < n; i++) {
        (void)snprintf(index, sizeof index, "%zu", i);
        const enum orr_err err =
            orr_fields_read(doc, orr_key_path(path, "limits", index), json_array_get(limits, i), LIMIT_FIELDS,
                            ORR_COUNT_OF(LIMIT_FIELDS), NULL, &engine->limits[i], error);
        if (err) return err;
        keep_set_values(doc, &engine->limits[i]);
    }
    engine->limits[n] = (struct orr_engine_limit){.max_requests = engine->max_requests,
                                                  .max_step_tokens = engine->max_step_tokens,
                                                  .graph_sequences = engine->graph_sequences,
                                                  .budget_frac = engine->budget_frac};
    engine->n_limits = (int64_t)n + 1;
    return ORR_OK;
}

static bool limit_holds(const struct orr_engine_limit *limit, const struct orr_chip *chip)
{
    if (limit->memory_below_bytes > 0 && chip->hbm_bytes >= limit->memory_below_bytes) return false;
    char word[sizeof limit->chips];
    const char *rest = limit->chips;
    while (orr_next_word(&rest, ' ', word, sizeof word))
        if (strstr(chip->id, word)) return true;
    return !limit->chips[0];
}

void orr_engine_fit_chip(struct orr_engine *engine, const struct orr_chip *chip)
{
    if (engine->n_limits < 1) return;
    const struct orr_engine_limit *own = &engine->limits[engine->n_limits - 1], *limit = engine->limits;
    while (limit < own && !limit_holds(limit, chip)) limit++;
    engine->max_requests = limit->max_requests > 0 ? limit->max_requests : own->max_requests;
    engine->max_step_tokens = limit->max_step_tokens > 0 ? limit->max_step_tokens : own->max_step_tokens;
    engine->graph_sequences = limit->graph_sequences > 0 ? limit->graph_sequences : own->graph_sequences;
    engine->budget_frac = limit->budget_frac > 0 ? limit->budget_frac : own->budget_frac;
}

void orr_engine_fit_model(struct orr_engine *engine, const struct orr_model *model)
{
    const int64_t least = engine->least_step_tokens;
    if (engine->max_step_tokens > 0 || least <= 0 || model->max_seq <= 0) return;
    engine->max_step_tokens = model->max_seq > least ? model->max_seq : least;
}
