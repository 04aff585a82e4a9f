/* "recompute" of a training request: a word, a word with a number of layers, or a list of operators -> what backward
 * repeats; and the twins of layer kinds that a choice of layers needs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "spec/job.h"
#include "spec/limits.h"
#include "spec/names.h"
#include "spec/plan.h"
#include "spec/request.h"

#define PATH "workload.recompute"

/* ---------------------------------------------------------------- operators */

#define BIT(name) (1u << ORR_REPEATABLE_##name)

/* Names that Megatron-core gives to modules it may recompute (--recompute-modules). */
static const struct {
    const char *name;
    uint32_t ops;
} MODULES[] = {
    {"core_attn", BIT(CORE)},
    {"layernorm", BIT(NORM)},
    {"mla_up_proj", BIT(QKV)},
    {"mlp", BIT(MLP_UP) | BIT(MLP_ACT)},
    {"shared_experts", BIT(MLP_UP) | BIT(MLP_ACT)},
    {"moe_act", BIT(EXPERT_ACT)},
    {"moe", BIT(DISPATCH) | BIT(EXPERT_UP) | BIT(EXPERT_ACT)},
};

static uint32_t ops_of(const char *word, size_t n)
{
    for (int i = 0; i < ORR_N_REPEATABLES; i++)
        if (strlen(orr_repeatable_names[i]) == n && strncmp(word, orr_repeatable_names[i], n) == 0) return 1u << i;
    for (size_t i = 0; i < ORR_COUNT_OF(MODULES); i++)
        if (strlen(MODULES[i].name) == n && strncmp(word, MODULES[i].name, n) == 0) return MODULES[i].ops;
    return 0;
}

static enum orr_err add_op(const struct orr_doc *request, const char *word, size_t n, struct orr_workload *workload,
                           struct orr_error *error)
{
    char given[48], hint[ORR_HINT];
    const uint32_t ops = ops_of(word, n);
    workload->recompute = ORR_RECOMPUTE_OPS;
    workload->recompute_ops |= ops;
    if (ops) return ORR_OK;
    (void)snprintf(given, sizeof given, "%.*s", (int)(n < sizeof given ? n : sizeof given - 1), word);
    return orr_doc_fail(request, PATH, error,
                        "\"%s\" is no operator that can be recomputed: norm, qkv, core, out, mlp_up, mlp_act, "
                        "expert_up, expert_act, dispatch, or a module of Megatron-core%s",
                        given, orr_did_you_mean(hint, given, orr_repeatable_names, ORR_N_REPEATABLES));
}

static enum orr_err read_ops(const struct orr_doc *request, const char *text, struct orr_workload *workload,
                             struct orr_error *error)
{
    for (enum orr_err err = ORR_OK;; text++) {
        const size_t n = strcspn(text, ",");
        err = add_op(request, text, n, workload, error);
        text += n;
        if (err || !*text) return err;
    }
}

/* ---------------------------------------------------------------- words */

/* Reads "first:4" and the like: whole layers, but only some of them, or several per saved input. */
static enum orr_err read_layers(const struct orr_doc *request, const char *text, struct orr_workload *workload,
                                struct orr_error *error)
{
    char *end;
    const char *colon = strchr(text, ':');
    const size_t n = (size_t)(colon - text);
    const long layers = strtol(colon + 1, &end, 10);
    const struct {
        const char *word;
        int64_t *member;
    } words[] = {{"first", &workload->recompute_first},
                 {"block", &workload->recompute_first},
                 {"nth", &workload->recompute_nth},
                 {"uniform", &workload->recompute_every}};
    for (size_t i = 0; i < ORR_COUNT_OF(words); i++) {
        if (strlen(words[i].word) != n || strncmp(text, words[i].word, n) != 0) continue;
        if (end == colon + 1 || *end || layers < 1 || layers > ORR_MAX_LAYERS)
            return orr_doc_fail(request, PATH, error, "\"%s\": the number of layers must be from 1 to %d", text,
                                ORR_MAX_LAYERS);
        workload->recompute = ORR_RECOMPUTE_FULL;
        *words[i].member = layers;
        return ORR_OK;
    }
    return orr_doc_fail(request, PATH, error,
                        "\"%s\" begins with none of ops:, first:, nth:, uniform: (ops:qkv,mlp_act, first:4)", text);
}

static enum orr_err read_word(const struct orr_doc *request, const char *text, struct orr_workload *workload,
                              struct orr_error *error)
{
    char hint[ORR_HINT];
    for (int i = 0; i < ORR_N_RECOMPUTES; i++) {
        if (strcmp(text, orr_recompute_names[i]) != 0 || i == ORR_RECOMPUTE_OPS) continue;
        workload->recompute = (enum orr_recompute)i;
        return ORR_OK;
    }
    return orr_doc_fail(request, PATH, error,
                        "must be one of \"none\", \"selective\", \"full\", \"core\", \"selective-op\", \"ops:LIST\", "
                        "\"first:N\", \"nth:N\", \"uniform:N\", not \"%s\"%s",
                        text, orr_did_you_mean(hint, text, orr_recompute_names, ORR_N_RECOMPUTES));
}

enum orr_err orr_recompute_ops_read(const struct orr_doc *request, const json_t *value, struct orr_workload *workload,
                                    struct orr_error *error)
{
    char shown[ORR_SHOWN];
    const char *text = json_string_value(value);
    if (text) return read_ops(request, text, workload, error);
    if (!json_is_array(value) || json_array_size(value) == 0)
        return orr_doc_fail(request, PATH, error, "must be a text or a list of operators, not %s",
                            orr_json_shown(shown, value));
    enum orr_err err = ORR_OK;
    for (size_t i = 0; i < json_array_size(value) && !err; i++) {
        const char *word = json_string_value(json_array_get(value, i));
        err = word ? add_op(request, word, strlen(word), workload, error)
                   : orr_doc_fail(request, PATH, error, "must be a list of texts like [\"qkv\", \"mlp_act\"]");
    }
    return err;
}

enum orr_err orr_recompute_read(const struct orr_doc *request, const json_t *value, struct orr_workload *workload,
                                struct orr_error *error)
{
    const char *text = json_string_value(value);
    if (!text) return orr_recompute_ops_read(request, value, workload, error);
    if (strncmp(text, "ops:", 4) == 0) return read_ops(request, text + 4, workload, error);
    if (strchr(text, ':')) return read_layers(request, text, workload, error);
    return read_word(request, text, workload, error);
}

bool orr_recompute_single(const json_t *value)
{
    const char *text = json_string_value(json_is_array(value) ? json_array_get(value, 0) : value);
    if (!text || strchr(text, ':')) return text != NULL;
    if (!json_is_array(value)) return false;
    return ops_of(text, strlen(text)) != 0 && strcmp(text, orr_recompute_names[ORR_RECOMPUTE_CORE]) != 0;
}

/* ---------------------------------------------------------------- names and twins */

char *orr_recompute_text(const struct orr_workload *workload, char text[ORR_RECOMPUTE_TEXT])
{
    size_t length = (size_t)snprintf(text, ORR_RECOMPUTE_TEXT, "%s", orr_recompute_name(workload->recompute));
    if (workload->recompute != ORR_RECOMPUTE_OPS) return text;
    for (int i = 0; i < ORR_N_REPEATABLES; i++) {
        if (!orr_repeats(workload, (enum orr_repeatable)i) || length >= ORR_RECOMPUTE_TEXT) continue;
        const int n = snprintf(text + length, ORR_RECOMPUTE_TEXT - length, "%c%s", length == 3 ? ':' : ',',
                               orr_repeatable_names[i]);
        length += n > 0 ? (size_t)n : 0;
    }
    return text;
}

/* Removes the twins that an earlier request made. */
static void drop_twins(struct orr_model *model)
{
    if (model->n_kinds == 0 || !model->kinds[model->n_kinds - 1].kept) return;
    model->n_kinds /= 2;
    for (int64_t i = 0; i < model->n_layers; i++)
        model->layer_kind[i] = (uint8_t)(model->layer_kind[i] % model->n_kinds);
}

void orr_twins_make(struct orr_job *job)
{
    struct orr_model *model = &job->model;
    const int64_t nth = job->workload.recompute_nth;
    drop_twins(model);
    if (!orr_has_twins(job) || 2 * model->n_kinds > ORR_MAX_LAYER_KINDS) return; /* orr_job_check refuses the latter */
    for (int64_t k = 0; k < model->n_kinds; k++) {
        model->kinds[model->n_kinds + k] = model->kinds[k];
        model->kinds[model->n_kinds + k].kept = true;
    }
    for (int64_t i = 0; i < model->n_layers && nth > 0; i++)
        if ((i + 1) % nth != 0) model->layer_kind[i] = (uint8_t)(model->layer_kind[i] + model->n_kinds);
    model->n_kinds *= 2;
}
