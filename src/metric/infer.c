/* This file turns the metric and symbol lists of an inference report into values. */
#include "metric/infer.h"

#include "ops/serve.h"

/* ---------------------------------------------------------------- helpers of the value expressions */

static double output_tokens(const struct orr_job *job)
{
    return (double)job->plan.dp * (double)job->serving.batch * (double)job->serving.output_len;
}

static double draft_step_s(const struct orr_job *job, const struct orr_pass_facts *decode)
{
    return orr_ratio(decode->draft_s, decode->passes * (double)job->serving.draft_tokens);
}

/* ---------------------------------------------------------------- the lists as tables */

struct orr_value orr_infer_metric_value(const struct orr_job *j, const struct orr_infer_result *r,
                                        enum orr_infer_metric metric)
{
    switch (metric) {
#define X(name, key, unit, meaning, formula, source, value)                                                            \
    case ORR_INFER_METRIC_##name: return ORR_VALUE(unit, value);
        ORR_INFER_METRICS(X)
#undef X
    case ORR_N_INFER_METRICS: break;
    }
    return (struct orr_value){.unit = ORR_METRIC_UNIT_WORD, .word = ""};
}

bool orr_infer_symbol(const struct orr_answer *answer, const char *name, size_t length, struct orr_value *value)
{
    const struct orr_job *j = answer->job;
    const struct orr_infer_result *r = &answer->infer;
    const struct orr_pass_facts *prefill = &answer->prefill, *decode = &answer->decode;
    const enum orr_dtype format = j->serving.matrix;
#define X(symbol, unit, origin, expression)                                                                            \
    if (orr_is_name(name, length, #symbol)) {                                                                          \
        *value = ORR_VALUE(unit, expression);                                                                          \
        return true;                                                                                                   \
    }
    ORR_INFER_SYMBOLS(X)
#undef X
    return false;
}

const char *orr_budget_formula(enum orr_budget budget)
{
    switch (budget) {
    case ORR_BUDGET_TOTAL:
        return "max(0, budget_frac · memory_bytes.capacity - memory_bytes.weights - memory_bytes.activations"
               " - reserved_bytes)";
    case ORR_BUDGET_FREE:
        return "max(0, budget_frac · (memory_bytes.capacity - memory_bytes.weights - memory_bytes.activations"
               " - reserved_bytes))";
    case ORR_BUDGET_STATIC:
        return "max(0, budget_frac · memory_bytes.capacity - memory_bytes.weights - reserved_bytes)";
    case ORR_N_BUDGETS: break;
    }
    return "";
}
