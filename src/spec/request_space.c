/* The dimensions of a search: one value, a list or a range each -> the values to try. Keys that were read are removed,
 * which leaves an ordinary request. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "spec/format.h"
#include "spec/limits.h"
#include "spec/names.h"
#include "spec/request.h"

/* ---------------------------------------------------------------- the dimensions */

/* The place into which one value of any dimension is read. */
struct one {
    int64_t number;
    int word;
    bool flag;
};

enum { TRAIN = 1 << ORR_JOB_TRAIN, INFER = 1 << ORR_JOB_INFER };

struct dimension {
    const char *section; /* "": the request itself */
    unsigned kinds;
    bool every;    /* a range takes every number; else it doubles */
    size_t offset; /* offset of the dimension's choices in orr_space */
    struct orr_field field;
};

#define NUMBER(part, for_, all, low, high, at, member, what)                                                           \
    {                                                                                                                  \
        .section = part, .kinds = for_, .every = all, .offset = offsetof(struct orr_space, member), .field = {         \
            .key = at,                                                                                                 \
            .type = ORR_FIELD_INT,                                                                                     \
            .unit = ORR_UNIT_COUNT,                                                                                    \
            .min = low,                                                                                                \
            .max = high,                                                                                               \
            .offset = offsetof(struct one, number),                                                                    \
            .meaning = what                                                                                            \
        }                                                                                                              \
    }
#define WORD(part, for_, at, member, words, n, what)                                                                   \
    {                                                                                                                  \
        .section = part, .kinds = for_, .offset = offsetof(struct orr_space, member), .field = {                       \
            .key = at,                                                                                                 \
            .type = ORR_FIELD_ENUM,                                                                                    \
            .offset = offsetof(struct one, word),                                                                      \
            .names = words,                                                                                            \
            .n_names = n,                                                                                              \
            .meaning = what                                                                                            \
        }                                                                                                              \
    }
#define FLAG(part, for_, at, member, what)                                                                             \
    {                                                                                                                  \
        .section = part, .kinds = for_, .offset = offsetof(struct orr_space, member), .field = {                       \
            .key = at,                                                                                                 \
            .type = ORR_FIELD_BOOL,                                                                                    \
            .offset = offsetof(struct one, flag),                                                                      \
            .meaning = what                                                                                            \
        }                                                                                                              \
    }

static const struct dimension DIMENSIONS[] = {
    NUMBER("", TRAIN | INFER, false, 1, ORR_GPUS_MAX, "gpus", gpus, "GPUs to use"),
    NUMBER("plan", TRAIN | INFER, false, 1, ORR_RANKS_MAX, "tp", tp, "tensor parallel"),
    NUMBER("plan", TRAIN | INFER, false, 1, ORR_RANKS_MAX, "cp", cp, "context parallel"),
    NUMBER("plan", TRAIN | INFER, false, 1, ORR_MAX_STAGES, "pp", pp, "pipeline parallel"),
    NUMBER("plan", TRAIN | INFER, false, 1, ORR_RANKS_MAX, "dp", dp, "data parallel"),
    NUMBER("plan", TRAIN | INFER, false, 1, ORR_RANKS_MAX, "ep", ep, "expert parallel"),
    NUMBER("plan", TRAIN | INFER, false, 1, ORR_RANKS_MAX, "etp", etp, "tensor parallel inside an expert"),
    NUMBER("plan", TRAIN, false, 1, ORR_MAX_LAYERS, "vpp", vpp, "model chunks per pipeline rank"),
    NUMBER("plan", TRAIN, true, 0, 3, "zero", zero, "ZeRO stage"),
    FLAG("plan", TRAIN, "sp", sp, "sequence parallel"),
    WORD("plan", TRAIN, "schedule", schedule, orr_schedule_names, ORR_N_SCHEDULES, "pipeline schedule"),
    WORD("plan", TRAIN, "cp_kind", cp_kind, orr_cp_kind_names, ORR_N_CP_KINDS, "how context parallel exchanges"),
    NUMBER("workload", TRAIN, false, 1, ORR_MICRO_BATCH_MAX, "micro_batch", micro_batch, "sequences of a micro-batch"),
    WORD("workload", TRAIN, "recompute", recompute, orr_recompute_names, ORR_N_RECOMPUTES, "what runs again"),
    NUMBER("workload", TRAIN, false, 1, ORR_MAX_LAYERS, "recompute_every", recompute_every, "layers per saved input"),
    NUMBER("workload", INFER, false, 1, ORR_MICRO_BATCH_MAX, "batch", batch, "sequences of one replica"),
    WORD("workload", INFER, "precision", weights, orr_format_names, ORR_N_WEIGHT_FORMATS, "format of the weights"),
    WORD("workload", INFER, "kv_precision", kv, orr_moved_words, ORR_N_MOVED, "format of the cache"),
    FLAG("workload", INFER, "disaggregated", disaggregated, "prefill and decode on different GPUs"),
};

/* ---------------------------------------------------------------- one dimension */

static enum orr_err fail_here(const struct orr_doc *request, const struct dimension *d, struct orr_error *error,
                              const char *message)
{
    char path[ORR_KEY_PATH];
    return orr_doc_fail(request, orr_key_path(path, d->section, d->field.key), error, "%s", message);
}

static enum orr_err read_one(const struct orr_doc *request, const struct dimension *d, json_t *element, int64_t *value,
                             struct orr_error *error)
{
    struct one one = {0};
    char path[ORR_KEY_PATH];
    if (d->field.names == orr_format_names) /* names in any case of letters, and aliases */
        return orr_format_read(request, orr_key_path(path, d->section, d->field.key), element, value, error);
    if (d->field.names == orr_moved_words) {
        enum orr_dtype kv = ORR_DTYPE_BF16;
        enum orr_kv_format format = ORR_KV_PLAIN;
        const enum orr_err wrong =
            orr_cache_read(request, orr_key_path(path, d->section, d->field.key), element, &kv, &format, error);
        *value = orr_cache_choice(kv, format);
        return wrong;
    }
    json_t *object = json_pack("{sO}", d->field.key, element);
    const enum orr_err err = orr_fields_read(request, d->section, object, &d->field, 1, NULL, &one, error);
    json_decref(object);
    if (d->field.type == ORR_FIELD_INT) *value = one.number;
    else if (d->field.type == ORR_FIELD_BOOL) *value = one.flag;
    else *value = one.word;
    return err;
}

/* Adds a value and keeps the values sorted, each once. */
static enum orr_err put(const struct orr_doc *request, const struct dimension *d, int64_t value,
                        struct orr_choices *choices, struct orr_error *error)
{
    int64_t at = choices->n;
    for (int64_t i = 0; i < choices->n; i++)
        if (choices->values[i] == value) return ORR_OK;
    if (choices->n == ORR_MAX_CHOICES) {
        char message[64];
        (void)snprintf(message, sizeof message, "has more than %d values", ORR_MAX_CHOICES);
        return fail_here(request, d, error, message);
    }
    for (; at > 0 && choices->values[at - 1] > value; at--) choices->values[at] = choices->values[at - 1];
    choices->values[at] = value;
    choices->n++;
    return ORR_OK;
}

static enum orr_err read_text(const struct orr_doc *request, const struct dimension *d, const char *text, size_t n,
                              int64_t *value, struct orr_error *error)
{
    while (n > 0 && text[n - 1] == ' ') n--;
    for (; n > 0 && *text == ' '; n--) text++;
    json_t *element = json_stringn(text, n);
    if (!element) return fail_here(request, d, error, "is not text");
    const enum orr_err err = read_one(request, d, element, value, error);
    json_decref(element);
    return err;
}

/* Reads a range: "64..4096" means 64, 128, ... 4096. */
static enum orr_err read_range(const struct orr_doc *request, const struct dimension *d, const char *text, size_t n,
                               size_t dots, struct orr_choices *choices, struct orr_error *error)
{
    int64_t low = 0, high = 0;
    enum orr_err err = read_text(request, d, text, dots, &low, error);
    if (!err) err = read_text(request, d, text + dots + 2, n - dots - 2, &high, error);
    if (!err && low > high) err = fail_here(request, d, error, "is a range that ends before it begins");
    for (int64_t value = low; !err && value <= high; value = d->every ? value + 1 : 2 * value)
        err = put(request, d, value, choices, error);
    return err;
}

/* Reads a list of values and ranges: "1,2,8..32". */
static enum orr_err read_list(const struct orr_doc *request, const struct dimension *d, const char *text,
                              struct orr_choices *choices, struct orr_error *error)
{
    for (enum orr_err err = ORR_OK;; text++) {
        const size_t n = strcspn(text, ",");
        const char *dots = d->field.type == ORR_FIELD_INT ? strstr(text, "..") : NULL;
        int64_t value = 0;
        if (dots && dots < text + n) {
            err = read_range(request, d, text, n, (size_t)(dots - text), choices, error);
        } else {
            err = read_text(request, d, text, n, &value, error);
            if (!err) err = put(request, d, value, choices, error);
        }
        text += n;
        if (err || !*text) return err;
    }
}

/* "any" leaves the values to the search. Of schedules and ZeRO stages it would try only those that the engine has, so
 * all are put. */
static enum orr_err read_any(const struct orr_doc *request, const struct dimension *d, struct orr_choices *choices,
                             struct orr_error *error)
{
    enum orr_err err = ORR_OK;
    for (int64_t i = 0; d->field.names == orr_schedule_names && i < ORR_N_SCHEDULES && !err; i++)
        err = put(request, d, i, choices, error);
    for (int64_t i = 0; d->offset == offsetof(struct orr_space, zero) && i <= 3 && !err; i++)
        err = put(request, d, i, choices, error);
    return err;
}

static enum orr_err read_choices(const struct orr_doc *request, const struct dimension *d, json_t *value,
                                 struct orr_choices *choices, struct orr_error *error)
{
    const char *text = json_string_value(value);
    int64_t one;
    if (text && strcmp(text, "any") == 0) return read_any(request, d, choices, error);
    if (text) return read_list(request, d, text, choices, error);
    if (!json_is_array(value)) {
        const enum orr_err err = read_one(request, d, value, &one, error);
        return err ? err : put(request, d, one, choices, error);
    }
    if (json_array_size(value) == 0) return fail_here(request, d, error, "is an empty list");
    enum orr_err err = ORR_OK;
    for (size_t i = 0; i < json_array_size(value) && !err; i++) {
        err = read_one(request, d, json_array_get(value, i), &one, error);
        if (!err) err = put(request, d, one, choices, error);
    }
    return err;
}

/* ---------------------------------------------------------------- all of them */

static enum orr_err read_dimension(const struct orr_doc *request, const struct dimension *d, struct orr_space *space,
                                   struct orr_error *error)
{
    json_t *section = *d->section ? json_object_get(request->root, d->section) : request->root;
    json_t *value = json_object_get(section, d->field.key);
    struct orr_choices *choices = (struct orr_choices *)(void *)((char *)space + d->offset);
    if (!value) return ORR_OK;
    if (d->field.names == orr_recompute_names && orr_recompute_single(value)) {
        /* The request itself has the layers or operators, so the key stays in it. */
        struct orr_workload workload = {0};
        const enum orr_err wrong = orr_recompute_read(request, value, &workload, error);
        return wrong ? wrong : put(request, d, workload.recompute, choices, error);
    }
    const enum orr_err err = read_choices(request, d, value, choices, error);
    json_object_del(section, d->field.key);
    return err;
}

enum orr_err orr_space_read(const struct orr_doc *request, enum orr_job_kind kind, struct orr_space *space,
                            struct orr_error *error)
{
    enum orr_err err = ORR_OK;
    for (size_t i = 0; i < ORR_COUNT_OF(DIMENSIONS) && !err; i++)
        if (DIMENSIONS[i].kinds & 1u << kind) err = read_dimension(request, &DIMENSIONS[i], space, error);
    if (!err && space->gpus.n == 0)
        err = orr_doc_fail(request, "", error,
                           "missing key \"gpus\": how many a plan may use, e.g. 64, \"8,16\" or \"64..4096\"");
    return err;
}
