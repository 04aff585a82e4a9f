/* How well a network is predicted that nobody has measured: each system is left out in turn, and a default is fitted to
 * the others. What to expect of that default is seen in the same way among the others alone. */
#include "calibrate/fabric.h"

#include <stdlib.h>
#include <string.h>

/* Predicts all rows with a default fitted to the systems other than the two. */
static bool predict_without(struct orr_fabric_fit *fit, size_t first, size_t second, bool *use)
{
    struct orr_fabric fabric = {0};
    for (size_t i = 0; i < fit->n_rows; i++) use[i] = fit->rows[i].system != first && fit->rows[i].system != second;
    if (!orr_fabric_search(fit, use, true, &fabric)) return false;
    orr_fabric_install(fit, &fabric);
    orr_fabric_predict(fit);
    orr_fabric_install(fit, NULL);
    return true;
}

static double share_inside(const struct orr_fabric_fit *fit, size_t system, double low, double high)
{
    size_t n = 0, inside = 0;
    for (size_t i = 0; i < fit->n_rows; i++) {
        const struct orr_fabric_row *row = &fit->rows[i];
        if (!orr_fabric_counts(row, orr_fabric_large(system, false))) continue;
        const double ratio = row->measured_s / row->predicted_s;
        n++;
        inside += ratio >= low && ratio <= high;
    }
    return n ? (double)inside / (double)n : 0;
}

/* The spread that the other systems lead to expect: each of them predicted by the rest, from the lowest tenth of one to
 * the highest of another. */
static bool expect(struct orr_fabric_fit *fit, size_t system, bool *use, struct orr_fabric_score *score)
{
    score->spread_low = score->spread_high = 1;
    for (size_t other = 0; other < fit->n_systems; other++) {
        struct orr_fabric_stats stats;
        if (other == system) continue;
        if (!predict_without(fit, system, other, use) ||
            !orr_fabric_stats_of(fit, orr_fabric_large(other, false), &stats))
            return false;
        if (stats.n == 0) continue;
        score->spread_low = orr_min(score->spread_low, stats.ratio_low);
        score->spread_high = orr_max(score->spread_high, stats.ratio_high);
    }
    return true;
}

bool orr_fabric_scores(struct orr_fabric_fit *fit, struct orr_fabric_score *scores)
{
    bool *use = calloc(fit->n_rows + 1, sizeof *use), good = use != NULL;
    memset(scores, 0, fit->n_systems * sizeof *scores);
    for (size_t i = 0; good && i < fit->n_systems; i++) {
        struct orr_fabric_score *score = &scores[i];
        good = fit->n_systems < 3 || expect(fit, i, use, score);
        if (good && fit->n_systems > 1) good = predict_without(fit, i, i, use);
        if (good && fit->n_systems > 1) good = orr_fabric_stats_of(fit, orr_fabric_large(i, false), &score->unknown);
        score->inside_frac = share_inside(fit, i, score->spread_low, score->spread_high);
    }
    orr_fabric_install(fit, NULL);
    orr_fabric_predict(fit);
    for (size_t i = 0; good && i < fit->n_systems; i++)
        good = orr_fabric_stats_of(fit, orr_fabric_large(i, false), &scores[i].own) &&
               orr_fabric_stats_of(fit, orr_fabric_large(i, true), &scores[i].inside);
    free(use);
    return good;
}
