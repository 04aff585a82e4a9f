/* Error statistics over groups of scores: mean, median, 90th percentile, maximum, bias, coverage. */
#include "base/number.h"
#include "base/plain.h"
#include "validate/validate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* `room` has space for n values. */
static void fill_stats(double *errors, size_t n, double *room, struct orr_error_stats *stats)
{
    qsort(errors, n, sizeof *errors, orr_ascending);
    stats->bias_frac = orr_quantile(errors, n, 0.5);
    for (size_t i = 0; i < n; i++) room[i] = fabs((1 + errors[i]) / (1 + stats->bias_frac) - 1);
    qsort(room, n, sizeof *room, orr_ascending);
    stats->spread_frac = orr_quantile(room, n, 0.5);
    for (size_t i = 0; i < n; i++) {
        errors[i] = fabs(errors[i]);
        stats->mape_frac += errors[i] / (double)n;
    }
    qsort(errors, n, sizeof *errors, orr_ascending);
    stats->median_frac = orr_quantile(errors, n, 0.5);
    stats->p90_frac = orr_quantile(errors, n, 0.9);
    stats->max_frac = errors[n - 1];
}

struct orr_error_stats orr_score_stats(const struct orr_validation *validation,
                                       const char *(*member)(const struct orr_score *), const char *value)
{
    struct orr_error_stats stats = {0};
    double *errors = malloc((2 * validation->n_scores + 1) * sizeof *errors);
    size_t timed = 0, covered = 0;
    double width = 0;
    for (size_t i = 0; errors && i < validation->n_scores; i++) {
        const struct orr_score *score = &validation->scores[i];
        if (score->skipped[0] || (member && strcmp(member(score), value) != 0)) continue;
        errors[stats.n++] = score->error;
        timed += score->timed;
        covered += score->timed && score->covered;
        width += score->timed ? log(score->high / score->low) : 0;
    }
    if (stats.n > 0) fill_stats(errors, stats.n, errors + stats.n, &stats);
    stats.coverage80_frac = timed > 0 ? (double)covered / (double)timed : (double)NAN;
    stats.width_ln = timed > 0 ? width / (double)timed : (double)NAN;
    free(errors);
    return stats;
}

double orr_validation_mape_frac(const struct orr_validation *validation)
{
    ORR_PLAIN_NUMBERS;
    const struct orr_error_stats all = orr_score_stats(validation, NULL, NULL);
    return all.n > 0 ? all.mape_frac : (double)NAN;
}
