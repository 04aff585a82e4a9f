/* The metric and symbol lists of a training report -> values. */
#include "metric/metrics.h"

/* ---------------------------------------------------------------- helpers of the value expressions */

static double step_tokens(const struct orr_job *job)
{
    return (double)job->workload.global_batch * (double)job->workload.seq;
}

static const char *peak_instant(const struct orr_result *result)
{
    const struct orr_memory *memory = &result->memory;
    return memory->peak_instant < memory->n_instants ? memory->instants[memory->peak_instant].name : "";
}

/* ---------------------------------------------------------------- the lists as tables */

const struct orr_metric_info *orr_metric_info(enum orr_metric metric)
{
#define X(name, key, unit, meaning, formula, source, value) {key, meaning, formula, source, ORR_METRIC_UNIT_##unit},
    static const struct orr_metric_info infos[] = {ORR_METRICS(X)};
#undef X
    _Static_assert(sizeof infos / sizeof infos[0] == ORR_N_METRICS, "one row per metric");
    return &infos[metric];
}

struct orr_value orr_metric_value(const struct orr_view *view, enum orr_metric metric)
{
    const struct orr_job *j = view->job;
    const struct orr_result *r = view->result;
    switch (metric) {
#define X(name, key, unit, meaning, formula, source, value)                                                            \
    case ORR_METRIC_##name: return ORR_VALUE(unit, value);
        ORR_METRICS(X)
#undef X
    case ORR_N_METRICS: break;
    }
    return (struct orr_value){.unit = ORR_METRIC_UNIT_WORD, .word = ""};
}

bool orr_symbol_find(const void *view, const char *name, size_t length, struct orr_value *value)
{
    const struct orr_view *v = view;
    const struct orr_job *j = v->job;
    const enum orr_dtype format = j->workload.precision;
#define X(symbol, unit, origin, expression)                                                                            \
    if (orr_is_name(name, length, #symbol)) {                                                                          \
        *value = ORR_VALUE(unit, expression);                                                                          \
        return true;                                                                                                   \
    }
    ORR_SYMBOLS(X)
#undef X
    for (int i = 0; i < ORR_N_METRICS; i++)
        if (orr_is_name(name, length, orr_metric_info((enum orr_metric)i)->key)) {
            *value = orr_metric_value(view, (enum orr_metric)i);
            return true;
        }
    return false;
}

const struct orr_symbol_info *orr_symbol_infos(size_t *n)
{
#define X(symbol, unit, origin, expression) {#symbol, origin, ORR_METRIC_UNIT_##unit},
    static const struct orr_symbol_info infos[] = {ORR_SYMBOLS(X)};
#undef X
    *n = sizeof infos / sizeof infos[0];
    return infos;
}
