/* This file turns the metric and symbol lists of a training report into values. */
#include "metric/train.h"

#include "schedule/slowest.h"

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

struct orr_value orr_train_metric_value(const struct orr_job *j, const struct orr_result *r,
                                        enum orr_train_metric metric)
{
    switch (metric) {
#define X(name, key, unit, meaning, formula, source, value)                                                            \
    case ORR_TRAIN_METRIC_##name: return ORR_VALUE(unit, value);
        ORR_TRAIN_METRICS(X)
#undef X
    case ORR_N_TRAIN_METRICS: break;
    }
    return (struct orr_value){.unit = ORR_METRIC_UNIT_WORD, .word = ""};
}

bool orr_train_symbol(const struct orr_answer *answer, const char *name, size_t length, struct orr_value *value)
{
    const struct orr_job *j = answer->job;
    const struct orr_result *r = &answer->train;
    const struct orr_train_facts *f = &answer->facts;
    const enum orr_dtype format = j->workload.precision;
    const double m = (double)r->n_micro_batches;
#define X(symbol, unit, origin, expression)                                                                            \
    if (orr_is_name(name, length, #symbol)) {                                                                          \
        *value = ORR_VALUE(unit, expression);                                                                          \
        return true;                                                                                                   \
    }
    ORR_TRAIN_SYMBOLS(X)
#undef X
    return false;
}
