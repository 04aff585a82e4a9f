/* Which values of a job were not in its request. */
#include "spec/assume.h"

#include <string.h>

#include "base/text.h"
#include "spec/job.h"

#define PATH_(name, path, ...)                   path,
#define WORD_(name, path, word, ...)             word,
#define REASONS_(name, path, word, train, infer) {train, infer},
static const char *const PATHS[ORR_N_ASSUMABLES] = {ORR_ASSUMABLES(PATH_)};
static const char *const WORDS[ORR_N_ASSUMABLES] = {ORR_ASSUMABLES(WORD_)};
static const char *const REASONS[ORR_N_ASSUMABLES][2] = {ORR_ASSUMABLES(REASONS_)};

const char *orr_assumable_path(enum orr_assumable key)
{
    return PATHS[key];
}

const char *orr_assumable_word(enum orr_assumable key)
{
    return WORDS[key];
}

const char *orr_assumable_reason(enum orr_assumable key, enum orr_job_kind kind)
{
    return REASONS[key][kind == ORR_JOB_INFER];
}

bool orr_assumable_is_degree(enum orr_assumable key)
{
    return key == ORR_ASSUME_GPUS || key == ORR_ASSUME_TP || key == ORR_ASSUME_PP || key == ORR_ASSUME_CP ||
           key == ORR_ASSUME_EP || key == ORR_ASSUME_ETP;
}

/* ---------------------------------------------------------------- what was said */

/* The object that holds the key of a path, "plan" or "workload", or the request itself. */
static json_t *holder_of(const json_t *request, const char *path, const char **key)
{
    const char *dot = strchr(path, '.');
    char section[16] = "";
    *key = dot ? dot + 1 : path;
    if (!dot) return (json_t *)(uintptr_t)request; /* jansson reads through pointers that are not const */
    memcpy(section, path, (size_t)(dot - path));
    return json_object_get(request, section);
}

static const json_t *value_of(const json_t *request, enum orr_assumable key)
{
    const char *name;
    const json_t *holder = holder_of(request, PATHS[key], &name);
    return json_object_get(holder, name);
}

/* Does the value of this key matter to the job? */
static bool matters(enum orr_assumable key, const json_t *request, const struct orr_job *job)
{
    const struct orr_plan *plan = &job->plan;
    const bool experts = orr_model_has_experts(&job->model);
    switch (key) {
    case ORR_ASSUME_GPUS: return !json_object_get(json_object_get(request, "plan"), "dp");
    case ORR_ASSUME_VPP:
    case ORR_ASSUME_SCHEDULE: return plan->pp > 1;
    case ORR_ASSUME_EP: return experts && plan->gpus > 1;
    case ORR_ASSUME_ETP: return experts && plan->tp > 1;
    case ORR_ASSUME_SP: return plan->tp > 1;
    case ORR_ASSUME_ZERO: return plan->dp * plan->cp > 1;
    case ORR_ASSUME_CP_KIND: return plan->cp > 1;
    case ORR_ASSUME_MTP: return job->model.n_mtp > 0;
    case ORR_ASSUME_IMBALANCE: return experts && plan->ep > 1 && !(job->workload.moe_capacity > 0);
    case ORR_ASSUME_RECOMPUTE: return !json_object_get(json_object_get(request, "workload"), "recompute_ops");
    case ORR_ASSUME_ENGINE:
    case ORR_ASSUME_TP:
    case ORR_ASSUME_PP:
    case ORR_ASSUME_CP:
    case ORR_ASSUME_SEQ:
    case ORR_ASSUME_MICRO_BATCH:
    case ORR_ASSUME_GLOBAL_BATCH:
    case ORR_ASSUME_PRECISION:
    case ORR_ASSUME_OPTIMIZER:
    case ORR_ASSUME_ATTENTION:
    case ORR_ASSUME_BATCH:
    case ORR_ASSUME_KV:
    case ORR_N_ASSUMABLES: break;
    }
    return true;
}

uint64_t orr_assumed_keys(const json_t *request, const struct orr_job *job)
{
    uint64_t keys = 0;
    for (int i = 0; i < ORR_N_ASSUMABLES; i++) {
        const enum orr_assumable key = (enum orr_assumable)i;
        if (REASONS[i][job->kind == ORR_JOB_INFER] && !value_of(request, key) && matters(key, request, job))
            keys |= orr_assume_bit(key);
    }
    return keys;
}

/* ---------------------------------------------------------------- what is left to the program */

/* Keys that may say "auto". Inference has one: weights as they are published. */
#define BIT(name) ((uint64_t)1 << ORR_ASSUME_##name)
static const uint64_t AUTOMATIC[2] = {[ORR_JOB_TRAIN] = BIT(VPP) | BIT(SP) | BIT(ZERO) | BIT(MICRO_BATCH) |
                                                        BIT(PRECISION) | BIT(RECOMPUTE),
                                      [ORR_JOB_INFER] = BIT(PRECISION)};

uint64_t orr_auto_keys(const json_t *request, enum orr_job_kind kind)
{
    uint64_t keys = 0;
    for (int i = 0; i < ORR_N_ASSUMABLES; i++) {
        if (!(AUTOMATIC[kind] >> i & 1)) continue;
        const char *word = json_string_value(value_of(request, (enum orr_assumable)i));
        if (word && orr_compare_nocase(word, "auto") == 0) keys |= (uint64_t)1 << i;
    }
    return keys;
}

void orr_drop_keys(json_t *request, uint64_t keys)
{
    for (int i = 0; i < ORR_N_ASSUMABLES; i++) {
        const char *name;
        json_t *holder = keys >> i & 1 ? holder_of(request, PATHS[i], &name) : NULL;
        if (holder) json_object_del(holder, name);
    }
}
