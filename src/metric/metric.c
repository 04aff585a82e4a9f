/* This file puts both lists of metrics behind one set of functions. */
#include "metric/metric.h"

static bool is_train(enum orr_job_kind kind)
{
    return kind == ORR_JOB_TRAIN;
}

int orr_n_metrics(enum orr_job_kind kind)
{
    return is_train(kind) ? (int)ORR_N_TRAIN_METRICS : (int)ORR_N_INFER_METRICS;
}

const struct orr_metric_info *orr_metric_info(enum orr_job_kind kind, int metric)
{
#define X(name, key, unit, meaning, formula, source, value) {key, meaning, formula, source, ORR_METRIC_UNIT_##unit},
    static const struct orr_metric_info TRAIN[] = {ORR_TRAIN_METRICS(X)}, INFER[] = {ORR_INFER_METRICS(X)};
#undef X
    return is_train(kind) ? &TRAIN[metric] : &INFER[metric];
}

const struct orr_symbol_info *orr_symbol_infos(enum orr_job_kind kind, size_t *n)
{
#define X(symbol, unit, origin, expression) {#symbol, origin, ORR_METRIC_UNIT_##unit},
    static const struct orr_symbol_info TRAIN[] = {ORR_TRAIN_SYMBOLS(X)}, INFER[] = {ORR_INFER_SYMBOLS(X)};
#undef X
    *n = is_train(kind) ? sizeof TRAIN / sizeof *TRAIN : sizeof INFER / sizeof *INFER;
    return is_train(kind) ? TRAIN : INFER;
}

struct orr_value orr_metric_value(const struct orr_answer *answer, int metric)
{
    return is_train(answer->job->kind)
               ? orr_train_metric_value(answer->job, &answer->train, (enum orr_train_metric)metric)
               : orr_infer_metric_value(answer->job, &answer->infer, (enum orr_infer_metric)metric);
}

bool orr_metric_is_reason(enum orr_job_kind kind, int metric)
{
    return metric == (is_train(kind) ? (int)ORR_TRAIN_METRIC_REASON : (int)ORR_INFER_METRIC_REASON);
}

struct orr_entry orr_metric_entry(const struct orr_answer *answer, int metric)
{
    const enum orr_job_kind kind = answer->job->kind;
    return (struct orr_entry){.info = orr_metric_info(kind, metric),
                              .value = orr_metric_value(answer, metric),
                              .absent = orr_metric_is_reason(kind, metric) && orr_answer_fits(answer)};
}

bool orr_metric_find(const struct orr_answer *answer, const char *name, size_t length, struct orr_value *value)
{
    const enum orr_job_kind kind = answer->job->kind;
    if (is_train(kind) ? orr_train_symbol(answer, name, length, value) : orr_infer_symbol(answer, name, length, value))
        return true;
    for (int i = 0; i < orr_n_metrics(kind); i++) {
        if (!orr_is_name(name, length, orr_metric_info(kind, i)->key)) continue;
        *value = orr_metric_value(answer, i);
        return true;
    }
    return false;
}

_Static_assert(ORR_TRAIN_METRIC_TIME_OVERHEAD - ORR_TRAIN_METRIC_TIME_FORWARD + 1 == ORR_N_TIME_PARTS,
               "one metric per part of a step");
_Static_assert(ORR_INFER_METRIC_TIME_OVERHEAD - ORR_INFER_METRIC_TIME_PREFILL_GEMM + 1 == ORR_N_INFER_PARTS,
               "one metric per part of a request");

double orr_total_s(const struct orr_answer *answer)
{
    return is_train(answer->job->kind) ? answer->train.step_time_s : answer->infer.latency_s;
}

const double *orr_parts_s(const struct orr_answer *answer, int *n)
{
    const bool train = is_train(answer->job->kind);
    *n = train ? (int)ORR_N_TIME_PARTS : (int)ORR_N_INFER_PARTS;
    return train ? answer->train.time_s : answer->infer.time_s;
}

const char *orr_part_text(enum orr_job_kind kind, int part)
{
    return is_train(kind) ? orr_time_part_name((enum orr_time_part)part)
                          : orr_infer_part_name((enum orr_infer_part)part);
}

double orr_light_ratio(const struct orr_answer *answer)
{
    return orr_ratio(orr_total_s(answer), is_train(answer->job->kind) ? answer->train.bound_s : answer->infer.bound_s);
}

struct orr_room orr_room_of(const struct orr_answer *answer)
{
    _Static_assert((int)ORR_N_SERVE_MEMORY_PARTS <= (int)ORR_N_MEMORY_PARTS, "room for the parts of either kind");
    const bool train = is_train(answer->job->kind);
    const struct orr_memory *memory = &answer->train.memory;
    const struct orr_infer_result *infer = &answer->infer;
    struct orr_room room = {.n_parts = train ? (int)ORR_N_MEMORY_PARTS : (int)ORR_N_SERVE_MEMORY_PARTS,
                            .usable_bytes = train ? memory->usable_bytes : infer->memory_usable_bytes,
                            .capacity_bytes = train ? memory->capacity_bytes : infer->memory_capacity_bytes};
    room.headroom_bytes = room.usable_bytes - (train ? memory->most_bytes : infer->memory_total_bytes);
    for (int i = 0; i < room.n_parts; i++) {
        room.names[i] = train ? orr_memory_part_name((enum orr_memory_part)i)
                              : orr_serve_memory_part_name((enum orr_serve_memory_part)i);
        room.part_bytes[i] = train ? memory->part_bytes[i] : infer->memory_bytes[i];
    }
    return room;
}

enum orr_dtype orr_matrix_format(const struct orr_job *job)
{
    return is_train(job->kind) ? job->workload.precision : job->serving.matrix;
}
