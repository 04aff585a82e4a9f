/* Coverage and width of intervals by source and by class. */
#include "validate/unseen_stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

static bool counts(const struct orr_score *score)
{
    return score->timed && !score->skipped[0];
}

static bool first_of_source(const struct orr_validation *v, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (counts(&v->scores[i]) && strcmp(v->scores[i].source, v->scores[at].source) == 0) return false;
    return true;
}

/* Counts the sources of a group: scores whose source did not occur in the group before. */
static bool new_source(const struct orr_validation *v, const char *(*member)(const struct orr_score *),
                       const char *value, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (counts(&v->scores[i]) && (!member || strcmp(member(&v->scores[i]), value) == 0) &&
            strcmp(v->scores[i].source, v->scores[at].source) == 0)
            return false;
    return true;
}

/* `errors` has the signed errors of the rows. */
static void fill_errors(double *errors, struct orr_held *held)
{
    qsort(errors, held->rows, sizeof *errors, orr_ascending);
    held->bias_frac = orr_quantile(errors, held->rows, 0.5);
    for (size_t i = 0; i < held->rows; i++) errors[i] = fabs(errors[i]);
    qsort(errors, held->rows, sizeof *errors, orr_ascending);
    held->median_frac = orr_quantile(errors, held->rows, 0.5);
}

struct orr_held orr_held_by(const struct orr_validation *validation, const char *(*member)(const struct orr_score *),
                            const char *value)
{
    struct orr_held held = {.too_fast_frac = (double)NAN};
    double *errors = malloc((validation->n_scores + 1) * sizeof *errors), width = 0;
    size_t inside = 0, slower = 0;
    for (size_t i = 0; errors && i < validation->n_scores; i++) {
        const struct orr_score *score = &validation->scores[i];
        if (!counts(score) || (member && strcmp(member(score), value) != 0)) continue;
        held.sources += new_source(validation, member, value, i);
        errors[held.rows++] = score->error;
        inside += score->covered;
        slower += !score->covered && 1 / (1 + score->error) > score->high;
        width += log(score->high / score->low);
    }
    if (held.rows > 0) {
        fill_errors(errors, &held);
        held.coverage_frac = (double)inside / (double)held.rows;
        held.width_ln = width / (double)held.rows;
        if (inside < held.rows) held.too_fast_frac = (double)slower / (double)(held.rows - inside);
    }
    free(errors);
    return held;
}

static const char *source_of(const struct orr_score *score)
{
    return score->source;
}

struct orr_held orr_held_mean(const struct orr_validation *validation)
{
    struct orr_held mean = {.too_fast_frac = (double)NAN};
    double slower = 0, missed = 0;
    for (size_t i = 0; i < validation->n_scores; i++) {
        if (!counts(&validation->scores[i]) || !first_of_source(validation, i)) continue;
        const struct orr_held one = orr_held_by(validation, source_of, validation->scores[i].source);
        const double misses = (1 - one.coverage_frac) * (double)one.rows;
        mean.sources++;
        mean.rows += one.rows;
        mean.coverage_frac += one.coverage_frac;
        mean.width_ln += one.width_ln;
        mean.median_frac += one.median_frac;
        mean.bias_frac += one.bias_frac;
        missed += misses;
        if (!isnan(one.too_fast_frac)) slower += one.too_fast_frac * misses;
    }
    const double n = mean.sources > 0 ? (double)mean.sources : 1;
    mean.coverage_frac /= n;
    mean.width_ln /= n;
    mean.median_frac /= n;
    mean.bias_frac /= n;
    if (missed > 0) mean.too_fast_frac = slower / missed;
    return mean;
}
