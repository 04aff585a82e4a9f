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

/* The sources that have counted scores, in the order in which they first occur. */
struct sources {
    const char **names;
    size_t n;
};

static size_t number_of(struct sources *sources, const char *name)
{
    size_t i = sources->n; /* rows of a source stand together, so that the last one is likely */
    while (i > 0 && strcmp(sources->names[i - 1], name) != 0) i--;
    if (i > 0) return i - 1;
    sources->names[sources->n] = name;
    return sources->n++;
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
    struct sources sources = {.names = calloc(validation->n_scores + 1, sizeof *sources.names)};
    size_t inside = 0, slower = 0;
    for (size_t i = 0; errors && sources.names && i < validation->n_scores; i++) {
        const struct orr_score *score = &validation->scores[i];
        if (!counts(score) || (member && strcmp(member(score), value) != 0)) continue;
        (void)number_of(&sources, score->source);
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
    held.sources = sources.n;
    free(sources.names);
    free(errors);
    return held;
}

static const char *source_of(const struct orr_score *score)
{
    return score->source;
}

/* The sources of a validation; names NULL: out of memory. */
static struct sources sources_of(const struct orr_validation *v)
{
    struct sources sources = {.names = calloc(v->n_scores + 1, sizeof *sources.names)};
    for (size_t i = 0; sources.names && i < v->n_scores; i++)
        if (counts(&v->scores[i])) (void)number_of(&sources, v->scores[i].source);
    return sources;
}

struct orr_held orr_held_mean(const struct orr_validation *validation)
{
    struct orr_held mean = {.too_fast_frac = (double)NAN};
    const struct sources sources = sources_of(validation);
    double slower = 0, missed = 0;
    for (size_t i = 0; i < sources.n; i++) {
        const struct orr_held one = orr_held_by(validation, source_of, sources.names[i]);
        const double misses = (1 - one.coverage_frac) * (double)one.rows;
        mean.rows += one.rows;
        mean.coverage_frac += one.coverage_frac / (double)sources.n;
        mean.width_ln += one.width_ln / (double)sources.n;
        mean.median_frac += one.median_frac / (double)sources.n;
        mean.bias_frac += one.bias_frac / (double)sources.n;
        missed += misses;
        if (!isnan(one.too_fast_frac)) slower += one.too_fast_frac * misses;
    }
    mean.sources = sources.n;
    if (missed > 0) mean.too_fast_frac = slower / missed;
    free(sources.names);
    return mean;
}

/* The scores whose engine measured runs cover; scores NULL: out of memory. The caller frees them. */
static struct orr_validation on_record(const struct orr_validation *validation)
{
    struct orr_validation part = *validation;
    part.scores = malloc((validation->n_scores + 1) * sizeof *part.scores);
    part.n_scores = 0;
    for (size_t i = 0; part.scores && i < validation->n_scores; i++)
        if (validation->scores[i].on_record) part.scores[part.n_scores++] = validation->scores[i];
    return part;
}

struct orr_held orr_held_on_record(const struct orr_validation *validation)
{
    struct orr_validation part = on_record(validation);
    struct orr_held held = {.too_fast_frac = (double)NAN};
    if (part.scores) held = orr_held_mean(&part);
    free(part.scores);
    return held;
}

/* ---------------------------------------------------------------- intervals stretched about their middles */

/* Per source: rows, rows held by the stretched intervals, and sum of their widths. */
struct tally {
    double rows, held, width_ln;
};

/* The middle of an interval stays where it is. */
static bool held_at(const struct orr_score *score, double stretch)
{
    const double middle = (log(score->low) + log(score->high)) / 2;
    return fabs(-log(1 + score->error) - middle) <= stretch * log(score->high / score->low) / 2;
}

static void count_at(const struct orr_validation *v, struct sources *sources, double stretch, struct tally *tallies)
{
    memset(tallies, 0, sources->n * sizeof *tallies);
    for (size_t i = 0; i < v->n_scores; i++) {
        const struct orr_score *score = &v->scores[i];
        if (!counts(score)) continue;
        struct tally *tally = &tallies[number_of(sources, score->source)];
        tally->rows++;
        tally->held += held_at(score, stretch);
        tally->width_ln += stretch * log(score->high / score->low);
    }
}

/* ---------------------------------------------------------------- other widths */

struct orr_held orr_held_at(const struct orr_validation *validation, double width_ln)
{
    struct orr_held held = {.too_fast_frac = (double)NAN};
    const struct orr_held mean = orr_held_mean(validation);
    struct sources sources = sources_of(validation);
    struct tally *tallies = sources.n > 0 ? malloc(sources.n * sizeof *tallies) : NULL;
    if (tallies && mean.width_ln > 0) {
        count_at(validation, &sources, width_ln / mean.width_ln, tallies);
        for (size_t i = 0; i < sources.n; i++) {
            held.rows += (size_t)tallies[i].rows;
            held.coverage_frac += tallies[i].held / tallies[i].rows / (double)sources.n;
            held.width_ln += tallies[i].width_ln / tallies[i].rows / (double)sources.n;
        }
        held.sources = sources.n;
    }
    free(tallies);
    free(sources.names);
    return held;
}

struct orr_held orr_held_on_record_at(const struct orr_validation *validation, double width_ln)
{
    struct orr_validation part = on_record(validation);
    struct orr_held held = {.too_fast_frac = (double)NAN};
    if (part.scores) held = orr_held_at(&part, width_ln);
    free(part.scores);
    return held;
}

/* ---------------------------------------------------------------- a source left out of the choice of widths */

static double coverage_without(const struct tally *tallies, size_t n, size_t left_out)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        if (i != left_out) sum += tallies[i].held / tallies[i].rows;
    return n > 1 ? sum / (double)(n - 1) : 1;
}

/* Stretches that are tried: in steps of one hundredth up to threefold. */
enum { STRETCHES = 300 };

/* Adds a source at the least stretch that holds 80 % of the others. */
static void add_left_out(const struct tally *tables, size_t n, size_t source, struct orr_held *cross)
{
    size_t step = 0;
    while (step + 1 < STRETCHES && coverage_without(tables + step * n, n, source) < 0.8) step++;
    const struct tally *own = &tables[step * n + source];
    cross->rows += (size_t)own->rows;
    cross->coverage_frac += own->held / own->rows / (double)n;
    cross->width_ln += own->width_ln / own->rows / (double)n;
}

struct orr_held orr_held_cross(const struct orr_validation *validation)
{
    struct orr_held cross = {.too_fast_frac = (double)NAN};
    struct sources sources = sources_of(validation);
    const size_t n = sources.n;
    struct tally *tables = n > 1 ? malloc(STRETCHES * n * sizeof *tables) : NULL;
    for (size_t step = 0; tables && step < STRETCHES; step++)
        count_at(validation, &sources, 0.01 * (double)(step + 1), tables + step * n);
    for (size_t i = 0; tables && i < n; i++) add_left_out(tables, n, i, &cross);
    cross.sources = tables ? n : 0;
    free(tables);
    free(sources.names);
    return cross;
}
