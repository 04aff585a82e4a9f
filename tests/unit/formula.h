/* A reader of the formulas metrics carry: + - · / ( ) max min floor log2, numbers, metrics and symbols; not a number
 * for anything else, so that what names nothing but numbers can be compared with the number beside it. */
#ifndef ORR_TESTS_FORMULA_H
#define ORR_TESTS_FORMULA_H

#include "report/formula.h"
#include "support.h"

struct formula {
    const struct orr_answer *answer;
    const char *at;
};

static inline double read_sum(struct formula *formula);

static inline bool accept(struct formula *formula, const char *word)
{
    while (*formula->at == ' ') formula->at++;
    if (strncmp(formula->at, word, strlen(word)) != 0) return false;
    formula->at += strlen(word);
    return true;
}

static inline double read_call(struct formula *formula, const char *name)
{
    const double a = read_sum(formula), b = accept(formula, ",") ? read_sum(formula) : 0;
    if (!accept(formula, ")")) return nan("");
    if (strcmp(name, "max") == 0) return fmax(a, b);
    if (strcmp(name, "min") == 0) return fmin(a, b);
    if (strcmp(name, "floor") == 0) return floor(a);
    return strcmp(name, "log2") == 0 ? log2(a) : nan("");
}

static inline double read_term(struct formula *formula)
{
    if (accept(formula, "(")) {
        const double value = read_sum(formula);
        return accept(formula, ")") ? value : nan("");
    }
    if (strchr("0123456789", *formula->at)) {
        char *end;
        const double value = strtod(formula->at, &end);
        formula->at = end;
        return value;
    }
    const size_t length = strspn(formula->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
    char name[64];
    struct orr_value value;
    (void)snprintf(name, sizeof name, "%.*s", (int)length, formula->at);
    const bool known = length > 0 && orr_metric_find(formula->answer, formula->at, length, &value) && !value.word;
    formula->at += length;
    if (known) return value.unit == ORR_METRIC_UNIT_TFLOP_PER_S ? value.number * 1e12 : value.number;
    return accept(formula, "(") ? read_call(formula, name) : nan("");
}

static inline double read_product(struct formula *formula)
{
    double value = read_term(formula);
    for (;;) {
        if (accept(formula, "·")) value *= read_term(formula);
        else if (accept(formula, "/")) value /= read_term(formula);
        else return value;
    }
}

static inline double read_sum(struct formula *formula)
{
    double value = read_product(formula);
    for (;;) {
        if (accept(formula, "+")) value += read_product(formula);
        else if (accept(formula, "- ")) value -= read_product(formula);
        else return value;
    }
}

/* Whether the whole of a metric's formula can be read; then it must give the metric's value. */
static inline bool check_formula(const struct orr_answer *answer, int metric)
{
    const struct orr_metric_info *info = orr_metric_info(answer->job->kind, metric);
    const struct orr_value value = orr_metric_value(answer, metric);
    struct formula formula = {.answer = answer, .at = info->formula};
    double result = read_sum(&formula);
    if (value.word || isnan(result) || *formula.at) return false; /* words in it */
    if (isinf(result) && value.number == 0) return false;         /* nothing to divide by */
    if (value.unit == ORR_METRIC_UNIT_TFLOP_PER_S) result /= 1e12;
    if (!(fabs(result - value.number) <= 1e-9 * fabs(value.number)))
        fail_msg("%s: %s is %.17g, not %.17g", info->key, info->formula, result, value.number);
    return true;
}

#endif
