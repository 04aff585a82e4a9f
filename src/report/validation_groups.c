/* This file makes the groups and orders of scores that the reports of a validation share. */
#include "report/validation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

const char *orr_source_of(const struct orr_score *score)
{
    return score->source;
}

const char *orr_class_of(const struct orr_score *score)
{
    return score->job_class ? score->job_class : ORR_MEMORY_CLASS;
}

static const char *system_of(const struct orr_score *score)
{
    return score->system;
}

static const char *metric_of(const struct orr_score *score)
{
    return score->metric;
}

static const char *first_of(const struct orr_score *score)
{
    return score->by[0];
}

static const char *second_of(const struct orr_score *score)
{
    return score->by[1];
}

static const char *third_of(const struct orr_score *score)
{
    return score->by[2];
}

static const char *fourth_of(const struct orr_score *score)
{
    return score->by[3];
}

size_t orr_validation_groupings(const struct orr_validation *v, struct orr_grouping groupings[ORR_MAX_GROUPINGS])
{
    const struct orr_grouping all[ORR_MAX_GROUPINGS] = {
        {"source", orr_source_of}, {"system", system_of},  {"metric", metric_of},  {"class", orr_class_of},
        {v->by[0], first_of},      {v->by[1], second_of}, {v->by[2], third_of}, {v->by[3], fourth_of}};
    memcpy(groupings, all, sizeof all);
    return ORR_FIXED_GROUPINGS + v->n_by;
}

/* Returns a value as a number; a value that is not given comes last. NAN means a word. */
static double number_of(const char *value)
{
    double number;
    if (strcmp(value, "not given") == 0) return HUGE_VAL;
    return orr_number_parse(value, &number) ? number : (double)NAN;
}

static int by_number(const void *a, const void *b)
{
    const double x = number_of(*(const char *const *)a), y = number_of(*(const char *const *)b);
    return (x > y) - (x < y);
}

const char **orr_validation_values(const struct orr_validation *v, orr_member member, size_t *n)
{
    const char **values = malloc((v->n_scores + 1) * sizeof *values);
    bool numbers = true;
    *n = 0;
    for (size_t i = 0; values && i < v->n_scores; i++) {
        if (v->scores[i].skipped[0]) continue;
        const char *value = member(&v->scores[i]);
        size_t j = 0;
        while (j < *n && strcmp(values[j], value) != 0) j++;
        if (j < *n) continue;
        values[(*n)++] = value;
        numbers = numbers && !isnan(number_of(value));
    }
    if (values && numbers) qsort(values, *n, sizeof *values, by_number);
    return values;
}

static int by_error(const void *a, const void *b)
{
    const struct orr_score *x = *(const struct orr_score *const *)a, *y = *(const struct orr_score *const *)b;
    const double ex = fabs(x->error), ey = fabs(y->error);
    return ex != ey ? (ex < ey) - (ex > ey) : strcmp(x->id, y->id);
}

const struct orr_score **orr_validation_worst(const struct orr_validation *v, size_t *n)
{
    const struct orr_score **order = malloc((v->n_scores + 1) * sizeof *order);
    *n = 0;
    for (size_t i = 0; order && i < v->n_scores; i++)
        if (!v->scores[i].skipped[0]) order[(*n)++] = &v->scores[i];
    if (order) qsort(order, *n, sizeof *order, by_error);
    return order;
}

struct orr_coverage_fracs orr_validation_coverage(const struct orr_validation *v)
{
    struct orr_coverage_fracs fracs = {.inside = orr_score_stats(v, NULL, NULL).coverage80_frac,
                                       .left_out = (double)NAN};
    struct orr_coverage classes[ORR_N_REGIMES][2];
    size_t n = 0, n_inside = 0;
    if (orr_interval_coverage(v, classes)) return fracs;
    for (int i = 0; i < 2 * ORR_N_REGIMES; i++) {
        n += classes[i / 2][i % 2].n_left;
        n_inside += classes[i / 2][i % 2].n_left_inside;
    }
    if (n > 0) fracs.left_out = (double)n_inside / (double)n;
    return fracs;
}
