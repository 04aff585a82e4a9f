/* "adapter" and "frozen" of a training request: which weights are trained. An adapter is a text like
 * "lora:rank=16,targets=attention,base=nf4,format=fp32,dropout=0.05" or an object with these keys and "kind". */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "spec/job.h"
#include "spec/limits.h"
#include "spec/names.h"
#include "spec/request.h"

#define DEFAULT_RANK 16

static const char *const KINDS[] = {"none", "lora", "dora", "qlora"};
static const char *const KEYS[] = {"rank", "targets", "base", "format", "dropout"};
static const char *const GROUPS[] = {"q", "k", "v", "o", "gate", "up", "down", "attention", "mlp", "all"};
static const char *const PARTS[] = {"embeddings", "head", "tower", "layers"};

enum { ATTENTION_BITS = 1 << ORR_TARGET_Q | 1 << ORR_TARGET_K | 1 << ORR_TARGET_V | 1 << ORR_TARGET_O };
enum { MLP_BITS = 1 << ORR_TARGET_GATE | 1 << ORR_TARGET_UP | 1 << ORR_TARGET_DOWN };

static size_t index_of(const char *word, const char *const *names, size_t n)
{
    size_t i = 0;
    while (i < n && strcmp(word, names[i]) != 0) i++;
    return i;
}

static enum orr_err wrong(const struct orr_doc *request, const char *path, const char *word, const char *allowed,
                          const char *const *names, size_t n, struct orr_error *error)
{
    char hint[ORR_HINT];
    return orr_doc_fail(request, path, error, "\"%.40s\" is none of %s%s", word, allowed,
                        orr_did_you_mean(hint, word, names, n));
}

/* "q+v" or "q_proj+v_proj": matrices or groups of them. */
static enum orr_err read_targets(const struct orr_doc *request, const char *at, unsigned *targets,
                                 struct orr_error *error)
{
    char word[32];
    *targets = 0;
    if (orr_list_open(at, '+'))
        return orr_doc_fail(request, "workload.adapter", error, "targets must be a list like \"q+v\", not \"%.40s\"",
                            at);
    while (orr_next_word(&at, '+', word, sizeof word)) {
        char *suffix = strstr(word, "_proj");
        if (suffix && suffix[5] == '\0') *suffix = '\0';
        const size_t i = index_of(word, GROUPS, ORR_COUNT_OF(GROUPS));
        if (i == ORR_COUNT_OF(GROUPS))
            return wrong(request, "workload.adapter", word, "q, k, v, o, gate, up, down, attention, mlp, all", GROUPS,
                         ORR_COUNT_OF(GROUPS), error);
        if (i < ORR_N_TARGETS) *targets |= 1u << i;
        else *targets |= i == 7 ? ATTENTION_BITS : i == 8 ? MLP_BITS : ATTENTION_BITS | MLP_BITS;
    }
    return ORR_OK;
}

static enum orr_err read_value(const struct orr_doc *request, const char *key, const char *value,
                               struct orr_adapter *adapter, struct orr_error *error)
{
    double rank = 0, dropout = 0;
    switch (index_of(key, KEYS, ORR_COUNT_OF(KEYS))) {
    case 0:
        if (!orr_quantity_parse(value, ORR_UNIT_COUNT, &rank) || rank < 1 || rank > 4096 || rank > (double)(int)rank)
            return orr_doc_fail(request, "workload.adapter", error,
                                "rank must be an integer from 1 to 4096, not \"%.40s\"", value);
        adapter->rank = (int64_t)rank;
        return ORR_OK;
    case 1: return read_targets(request, value, &adapter->targets, error);
    case 2:
        adapter->base = (enum orr_base_format)index_of(value, orr_base_format_names, ORR_N_BASE_FORMATS);
        if (adapter->base < ORR_N_BASE_FORMATS) return ORR_OK;
        return wrong(request, "workload.adapter", value, "bf16, fp8, int8, nf4, nf4-single", orr_base_format_names,
                     ORR_N_BASE_FORMATS, error);
    case 3:
        adapter->format_asked = true;
        adapter->plain = strcmp(value, "fp32-plain") == 0;
        adapter->format = adapter->plain || strcmp(value, "fp32") == 0 ? ORR_DTYPE_FP32 : ORR_DTYPE_BF16;
        if (adapter->format == ORR_DTYPE_FP32 || strcmp(value, "bf16") == 0) return ORR_OK;
        return orr_doc_fail(request, "workload.adapter", error,
                            "format must be fp32, fp32-plain or bf16, not \"%.40s\"", value);
    case 4:
        if (!orr_quantity_parse(value, ORR_UNIT_NONE, &dropout) || dropout < 0 || dropout >= 1)
            return orr_doc_fail(request, "workload.adapter", error,
                                "dropout must be a number from 0 to less than 1, not \"%.40s\"", value);
        adapter->dropout_frac = dropout;
        return ORR_OK;
    }
    return wrong(request, "workload.adapter", key, "rank, targets, base, format, dropout", KEYS, ORR_COUNT_OF(KEYS),
                 error);
}

static enum orr_err read_kind(const struct orr_doc *request, const char *kind, struct orr_adapter *adapter,
                              struct orr_error *error)
{
    const size_t i = index_of(kind, KINDS, ORR_COUNT_OF(KINDS));
    if (i == ORR_COUNT_OF(KINDS))
        return wrong(request, "workload.adapter", kind, "none, lora, dora, qlora", KINDS, ORR_COUNT_OF(KINDS), error);
    if (i == 0) return ORR_OK;
    *adapter = (struct orr_adapter){.kind = i == 2 ? ORR_ADAPTER_DORA : ORR_ADAPTER_LORA,
                                    .rank = DEFAULT_RANK,
                                    .targets = ATTENTION_BITS | MLP_BITS,
                                    .base = i == 3 ? ORR_BASE_NF4 : ORR_BASE_BF16,
                                    .format = ORR_DTYPE_FP32};
    return ORR_OK;
}

static enum orr_err read_text(const struct orr_doc *request, const char *text, struct orr_adapter *adapter,
                              struct orr_error *error)
{
    char kind[32], pair[64];
    unsigned given = 0;
    const size_t n = strcspn(text, ":");
    (void)snprintf(kind, sizeof kind, "%.*s", (int)(n < sizeof kind ? n : sizeof kind - 1), text);
    enum orr_err err = read_kind(request, kind, adapter, error);
    const char *at = text[n] ? text + n + 1 : "";
    if (!err && text[n] && orr_list_open(at, ','))
        return orr_doc_fail(request, "workload.adapter", error, "\"%.80s\" ends where KEY=VALUE is expected", text);
    while (!err && *at && orr_next_word(&at, ',', pair, sizeof pair)) {
        char *equals = strchr(pair, '=');
        if (adapter->kind == ORR_ADAPTER_NONE)
            return orr_doc_fail(request, "workload.adapter", error, "\"none\" has no options, not \"%.40s\"", pair);
        if (!equals) return orr_doc_fail(request, "workload.adapter", error, "\"%.40s\" must be KEY=VALUE", pair);
        *equals = '\0';
        const unsigned bit = 1u << index_of(pair, KEYS, ORR_COUNT_OF(KEYS));
        if (given & bit) return orr_doc_fail(request, "workload.adapter", error, "%.40s is given twice", pair);
        given |= bit;
        err = read_value(request, pair, equals + 1, adapter, error);
    }
    return err;
}

/* A value of the object as text: a name, a number, or a list of names. */
static bool as_text(const json_t *value, char text[ORR_ADAPTER_TEXT])
{
    text[0] = '\0';
    if (json_is_integer(value)) (void)snprintf(text, ORR_ADAPTER_TEXT, "%lld", (long long)json_integer_value(value));
    if (json_is_real(value)) (void)snprintf(text, ORR_ADAPTER_TEXT, "%.6g", json_real_value(value));
    if (json_is_string(value)) (void)snprintf(text, ORR_ADAPTER_TEXT, "%s", json_string_value(value));
    for (size_t i = 0; i < json_array_size(value); i++) {
        const char *word = json_string_value(json_array_get(value, i));
        const size_t length = strlen(text);
        if (!word) return false;
        (void)snprintf(text + length, ORR_ADAPTER_TEXT - length, "%s%s", i > 0 ? "+" : "", word);
    }
    return text[0] != '\0';
}

static enum orr_err read_object(const struct orr_doc *request, const json_t *object, struct orr_adapter *adapter,
                                struct orr_error *error)
{
    char text[ORR_ADAPTER_TEXT];
    const char *key;
    const json_t *value, *kind = json_object_get(object, "kind");
    if (!json_is_string(kind))
        return orr_doc_fail(request, "workload.adapter", error, "must have the key \"kind\": lora, dora or qlora");
    enum orr_err err = read_kind(request, json_string_value(kind), adapter, error);
    json_object_foreach((json_t *)object, key, value)
    {
        if (err || strcmp(key, "kind") == 0) continue;
        if (!as_text(value, text))
            return orr_doc_fail(request, "workload.adapter", error, "\"%.40s\" must be a text, a number or a list",
                                key);
        err = read_value(request, key, text, adapter, error);
    }
    return err;
}

static bool trains_nothing(const struct orr_model *model, const struct orr_workload *workload)
{
    return workload->adapter.kind == ORR_ADAPTER_NONE && workload->frozen_embedding && workload->frozen_head &&
           workload->frozen_layers == model->n_layers &&
           (workload->frozen_tower || model->tower.input == ORR_TOWER_NONE);
}

/* "embeddings,layers:12,head,tower" */
static enum orr_err read_frozen(const struct orr_doc *request, const char *at, const struct orr_model *model,
                                struct orr_workload *workload, struct orr_error *error)
{
    char word[40];
    unsigned given = 0;
    if (orr_list_open(at, ','))
        return orr_doc_fail(request, "workload.frozen", error,
                            "must be a list like \"embeddings,layers:12\", not \"%.40s\"", at);
    while (orr_next_word(&at, ',', word, sizeof word)) {
        char *colon = strchr(word, ':');
        double layers = 0;
        if (colon) *colon = '\0';
        const size_t i = index_of(word, PARTS, ORR_COUNT_OF(PARTS));
        if (i == ORR_COUNT_OF(PARTS))
            return wrong(request, "workload.frozen", word, "embeddings, head, tower, layers:N", PARTS,
                         ORR_COUNT_OF(PARTS), error);
        if (i == 3 && (!colon || !orr_quantity_parse(colon + 1, ORR_UNIT_COUNT, &layers) || layers < 1 ||
                       layers > (double)model->n_layers || layers > (double)(int64_t)layers))
            return orr_doc_fail(request, "workload.frozen", error, "layers:N must have N from 1 to %lld",
                                (long long)model->n_layers);
        if (i == 2 && model->tower.input == ORR_TOWER_NONE)
            return orr_doc_fail(request, "workload.frozen", error, "model %s has no tower to freeze", model->id);
        if (i != 3 && colon) return orr_doc_fail(request, "workload.frozen", error, "%s has no number behind it", word);
        if (given & 1u << i) return orr_doc_fail(request, "workload.frozen", error, "%s is given twice", word);
        given |= 1u << i;
        if (i == 0) workload->frozen_embedding = true;
        if (i == 1) workload->frozen_head = true;
        if (i == 2) workload->frozen_tower = true;
        if (i == 3) workload->frozen_layers = (int64_t)layers;
    }
    if (trains_nothing(model, workload))
        return orr_doc_fail(request, "workload.frozen", error, "leaves nothing of %s to train", model->id);
    return ORR_OK;
}

enum orr_err orr_adapter_read(const struct orr_doc *request, const json_t *object, const struct orr_model *model,
                              struct orr_workload *workload, struct orr_error *error)
{
    const json_t *adapter = json_object_get(object, "adapter"), *frozen = json_object_get(object, "frozen");
    enum orr_err err = ORR_OK;
    if (json_is_string(adapter)) err = read_text(request, json_string_value(adapter), &workload->adapter, error);
    else if (json_is_object(adapter)) err = read_object(request, adapter, &workload->adapter, error);
    else if (adapter)
        err = orr_doc_fail(request, "workload.adapter", error, "must be a text like \"lora:rank=16\" or an object");
    if (err || !frozen) return err;
    const char *text = json_string_value(frozen);
    if (!text) return orr_doc_fail(request, "workload.frozen", error, "must be a list like \"embeddings,layers:12\"");
    return strcmp(text, "none") == 0 ? ORR_OK : read_frozen(request, text, model, workload, error);
}

/* The first layers get kinds of their own, which other layers do not have. Kinds that an earlier request froze are
 * given up first, because the model may be used again. */
enum orr_err orr_model_freeze(struct orr_model *model, int64_t n_layers, bool no_backward)
{
    int64_t n_kinds = 0, copies[ORR_MAX_LAYER_KINDS];
    while (n_kinds < model->n_kinds && !model->kinds[n_kinds].frozen) n_kinds++;
    for (int64_t i = 0; i < model->n_layers; i++)
        if (model->layer_kind[i] >= n_kinds) model->layer_kind[i] = model->kinds[model->layer_kind[i]].trained_kind;
    model->n_kinds = n_kinds;
    for (int64_t k = 0; k < n_kinds; k++) copies[k] = -1;
    for (int64_t i = 0; i < n_layers; i++) {
        const uint8_t kind = model->layer_kind[i];
        if (copies[kind] < 0) {
            if (model->n_kinds == ORR_MAX_LAYER_KINDS) return ORR_ERR_INPUT;
            struct orr_layer_kind *copy = &model->kinds[model->n_kinds];
            *copy = model->kinds[kind];
            copy->frozen = true;
            copy->no_backward = no_backward;
            copy->trained_kind = kind;
            copies[kind] = model->n_kinds++;
        }
        model->layer_kind[i] = (uint8_t)copies[kind];
    }
    return ORR_OK;
}

const char *orr_adapter_text(const struct orr_workload *workload, char text[ORR_ADAPTER_TEXT])
{
    const struct orr_adapter *adapter = &workload->adapter;
    int n = snprintf(text, ORR_ADAPTER_TEXT, "%s", KINDS[adapter->kind]);
    if (adapter->kind == ORR_ADAPTER_NONE) return text;
    n += snprintf(text + n, ORR_ADAPTER_TEXT - (size_t)n, ":rank=%lld,targets=", (long long)adapter->rank);
    bool first = true;
    if (adapter->targets == (unsigned)(ATTENTION_BITS | MLP_BITS))
        n += snprintf(text + n, ORR_ADAPTER_TEXT - (size_t)n, "all");
    else
        for (size_t i = 0; i < ORR_N_TARGETS; i++) {
            if (!(adapter->targets & 1u << i)) continue;
            n += snprintf(text + n, ORR_ADAPTER_TEXT - (size_t)n, "%s%s", first ? "" : "+", GROUPS[i]);
            first = false;
        }
    n += snprintf(text + n, ORR_ADAPTER_TEXT - (size_t)n, ",base=%s,format=%s", orr_base_format_names[adapter->base],
                  adapter->plain ? "fp32-plain" : orr_dtype_name(adapter->format));
    if (adapter->dropout_frac > 0)
        (void)snprintf(text + n, ORR_ADAPTER_TEXT - (size_t)n, ",dropout=%.6g", adapter->dropout_frac);
    return text;
}

const char *orr_frozen_text(const struct orr_workload *workload, char text[ORR_ADAPTER_TEXT])
{
    int n = 0;
    text[0] = '\0';
    if (workload->frozen_embedding) n += snprintf(text + n, ORR_ADAPTER_TEXT - (size_t)n, ",embeddings");
    if (workload->frozen_layers > 0)
        n += snprintf(text + n, ORR_ADAPTER_TEXT - (size_t)n, ",layers:%lld", (long long)workload->frozen_layers);
    if (workload->frozen_head) n += snprintf(text + n, ORR_ADAPTER_TEXT - (size_t)n, ",head");
    if (workload->frozen_tower) n += snprintf(text + n, ORR_ADAPTER_TEXT - (size_t)n, ",tower");
    return n > 0 ? text + 1 : "none";
}
