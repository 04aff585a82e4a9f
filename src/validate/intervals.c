/* From residuals to intervals. A class of jobs is a regime on calibrated or on datasheet chips; its residuals are
 * measured over predicted times. Three rules make the interval hold for a source that was not seen:
 * - Sources of a class have nearly the same weight, because rows of one source err together (Eq. 378).
 * - A class counts its own sources and POOL more of its parent (class, regime, all of training or of inference). The
 * residuals of the parent count with both signs, because the next source may err either way.
 * - The tails are 10 % n / (n + 1), because the next source is one of n + 1. */
#include "validate/intervals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define POOL       2.0
#define TAIL_FRAC  0.1
#define LEAST_FRAC 0.01 /* The interval always includes the prediction. */

struct residual {
    enum orr_regime regime;
    bool calibrated;
    size_t source;      /* index into pool.sources */
    double own, parent; /* its weight in its own class and in the parents */
};

struct source {
    const char *name;
    size_t rows; /* rows of the level that was counted last */
};

/* A residual or its mirror image. */
struct point {
    double value; /* measured time over predicted time */
    size_t i;
    bool mirrored;
};

struct pool {
    size_t n, n_sources;
    struct source *sources;
    struct residual *residuals;
    struct point *points;          /* 2 n points, ascending */
    struct orr_weighted *weighted; /* room for 2 n values */
};

enum level { LEVEL_KIND, LEVEL_REGIME, LEVEL_CLASS };

double orr_source_weight(size_t rows)
{
    return (double)rows / ((double)rows + 1);
}

double orr_weighted_quantile(const struct orr_weighted *points, size_t n, double q)
{
    double below = 0, last_at = 0, last = points[0].value;
    for (size_t i = 0; i < n; i++) {
        if (points[i].weight <= 0) continue;
        const double at = below + points[i].weight / 2;
        if (at >= q)
            return below > 0 ? last + (points[i].value - last) * (q - last_at) / (at - last_at) : points[i].value;
        below += points[i].weight;
        last_at = at;
        last = points[i].value;
    }
    return last;
}

static bool trains(enum orr_regime regime)
{
    return regime == ORR_REGIME_TRAIN_DENSE || regime == ORR_REGIME_TRAIN_MOE;
}

static bool belongs(const struct residual *r, enum level level, enum orr_regime regime, bool calibrated)
{
    switch (level) {
    case LEVEL_KIND: return trains(r->regime) == trains(regime);
    case LEVEL_REGIME: return r->regime == regime;
    case LEVEL_CLASS: return r->regime == regime && r->calibrated == calibrated;
    }
    return false;
}

/* Count the rows of each source of a level; returns the number of sources. */
static size_t count_sources(struct pool *pool, enum level level, enum orr_regime regime, bool calibrated)
{
    size_t n = 0;
    for (size_t i = 0; i < pool->n_sources; i++) pool->sources[i].rows = 0;
    for (size_t i = 0; i < pool->n; i++)
        if (belongs(&pool->residuals[i], level, regime, calibrated))
            n += pool->sources[pool->residuals[i].source].rows++ == 0;
    return n;
}

/* Divide `share` among the sources of a level, and the part of a source equally among its rows (Eq. 378). */
static void add_share(struct pool *pool, enum level level, enum orr_regime regime, bool calibrated, double share)
{
    double whole = 0;
    count_sources(pool, level, regime, calibrated);
    for (size_t i = 0; i < pool->n_sources; i++) whole += orr_source_weight(pool->sources[i].rows);
    for (size_t i = 0; i < pool->n; i++) {
        struct residual *r = &pool->residuals[i];
        if (!belongs(r, level, regime, calibrated)) continue;
        const size_t rows = pool->sources[r->source].rows;
        *(level == LEVEL_CLASS ? &r->own : &r->parent) += share * orr_source_weight(rows) / whole / (double)rows;
    }
}

static void class_interval(struct pool *pool, enum orr_regime regime, bool calibrated, double *low, double *high)
{
    const double n_class = (double)count_sources(pool, LEVEL_CLASS, regime, calibrated);
    const double n_regime = (double)count_sources(pool, LEVEL_REGIME, regime, calibrated);
    const double pooled = POOL / (n_class + POOL);
    for (size_t i = 0; i < pool->n; i++) pool->residuals[i].own = pool->residuals[i].parent = 0;
    add_share(pool, LEVEL_CLASS, regime, calibrated, 1 - pooled);
    add_share(pool, LEVEL_REGIME, regime, calibrated, pooled * n_regime / (n_regime + POOL));
    add_share(pool, LEVEL_KIND, regime, calibrated, pooled * POOL / (n_regime + POOL));
    for (size_t j = 0; j < 2 * pool->n; j++) {
        const struct point *p = &pool->points[j];
        const struct residual *r = &pool->residuals[p->i];
        pool->weighted[j] = (struct orr_weighted){p->value, (p->mirrored ? 0 : r->own) + r->parent / 2};
    }
    const double tail = TAIL_FRAC * (n_class + POOL) / (n_class + POOL + 1);
    *low = fmin(1 - LEAST_FRAC, orr_weighted_quantile(pool->weighted, 2 * pool->n, tail));
    *high = fmax(1 + LEAST_FRAC, orr_weighted_quantile(pool->weighted, 2 * pool->n, 1 - tail));
}

static void fill_table(struct pool *pool, struct orr_interval_table *table)
{
    for (int r = 0; r < ORR_N_REGIMES; r++) {
        const enum orr_regime regime = (enum orr_regime)r;
        table->known[r] = count_sources(pool, LEVEL_KIND, regime, true) > 0;
        for (int calibrated = 0; calibrated < 2; calibrated++) {
            const struct orr_interval recorded = orr_interval_recorded(regime, calibrated != 0);
            table->low[r][calibrated] = recorded.low;
            table->high[r][calibrated] = recorded.high;
            if (table->known[r])
                class_interval(pool, regime, calibrated != 0, &table->low[r][calibrated], &table->high[r][calibrated]);
        }
        /* An interval on an uncalibrated chip is at least as wide as on a calibrated one. */
        table->low[r][0] = fmin(table->low[r][0], table->low[r][1]);
        table->high[r][0] = fmax(table->high[r][0], table->high[r][1]);
    }
}

static double ratio_of(const struct orr_score *score)
{
    return 1 / (1 + score->error);
}

static bool usable(const struct orr_score *score)
{
    return !score->skipped[0] && score->timed && ratio_of(score) > 0 && isfinite(ratio_of(score));
}

static int ascending(const void *a, const void *b)
{
    const struct point *x = a, *y = b;
    if (x->value != y->value) return x->value < y->value ? -1 : 1;
    return x->i != y->i ? (x->i > y->i) - (x->i < y->i) : x->mirrored - y->mirrored;
}

static size_t number_of_source(struct pool *pool, const char *source)
{
    size_t i = 0;
    while (i < pool->n_sources && strcmp(pool->sources[i].name, source) != 0) i++;
    if (i == pool->n_sources) pool->sources[pool->n_sources++].name = source;
    return i;
}

static bool allocate(struct pool *pool, size_t n)
{
    pool->sources = calloc(n + 1, sizeof *pool->sources);
    pool->residuals = calloc(n + 1, sizeof *pool->residuals);
    pool->points = calloc(2 * n + 1, sizeof *pool->points);
    pool->weighted = calloc(2 * n + 1, sizeof *pool->weighted);
    return pool->sources && pool->residuals && pool->points && pool->weighted;
}

static void release(struct pool *pool)
{
    free(pool->sources);
    free(pool->residuals);
    free(pool->points);
    free(pool->weighted);
}

static void collect(struct pool *pool, const struct orr_validation *v, const char *left_out)
{
    for (size_t i = 0; i < v->n_scores; i++) {
        const struct orr_score *score = &v->scores[i];
        if (!usable(score) || (left_out && strcmp(score->source, left_out) == 0)) continue;
        const double ratio = ratio_of(score);
        pool->points[2 * pool->n] = (struct point){ratio, pool->n, false};
        pool->points[2 * pool->n + 1] = (struct point){1 / ratio, pool->n, true};
        pool->residuals[pool->n++] = (struct residual){
            .regime = score->regime, .calibrated = score->calibrated, .source = number_of_source(pool, score->source)};
    }
    qsort(pool->points, 2 * pool->n, sizeof *pool->points, ascending);
}

enum orr_err orr_interval_table_of(const struct orr_validation *validation, const char *left_out,
                                   struct orr_interval_table *table)
{
    struct pool pool = {0};
    const bool allocated = allocate(&pool, validation->n_scores);
    if (allocated) {
        collect(&pool, validation, left_out);
        fill_table(&pool, table);
    }
    release(&pool);
    return allocated ? ORR_OK : ORR_ERR_MEMORY;
}

static bool inside(const struct orr_score *score, const struct orr_interval_table *table)
{
    const double ratio = ratio_of(score);
    return ratio >= table->low[score->regime][score->calibrated] &&
           ratio <= table->high[score->regime][score->calibrated];
}

/* Count the scores of the source that first appears at `first`. */
static enum orr_err cover_source(const struct orr_validation *v, size_t first, const struct orr_interval_table *all,
                                 struct orr_coverage coverage[ORR_N_REGIMES][2])
{
    struct orr_interval_table others;
    const enum orr_err err = orr_interval_table_of(v, v->scores[first].source, &others);
    bool seen[ORR_N_REGIMES][2] = {{false}};
    for (size_t i = first; !err && i < v->n_scores; i++) {
        const struct orr_score *score = &v->scores[i];
        if (!usable(score) || strcmp(score->source, v->scores[first].source) != 0) continue;
        struct orr_coverage *c = &coverage[score->regime][score->calibrated];
        c->n++;
        c->n_inside += inside(score, all);
        c->n_left += others.known[score->regime];
        c->n_left_inside += others.known[score->regime] && inside(score, &others);
        c->n_sources += !seen[score->regime][score->calibrated];
        seen[score->regime][score->calibrated] = true;
    }
    return err;
}

static bool first_of_source(const struct orr_validation *v, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (strcmp(v->scores[j].source, v->scores[i].source) == 0) return false;
    return true;
}

enum orr_err orr_interval_coverage(const struct orr_validation *validation,
                                   struct orr_coverage coverage[ORR_N_REGIMES][2])
{
    struct orr_interval_table all;
    enum orr_err err = orr_interval_table_of(validation, NULL, &all);
    memset(coverage, 0, sizeof(struct orr_coverage[ORR_N_REGIMES][2]));
    for (size_t i = 0; !err && i < validation->n_scores; i++)
        if (first_of_source(validation, i)) err = cover_source(validation, i, &all, coverage);
    return err;
}
