/* From residuals to the cells of measured engines. A cell is a set of runs of one engine in one regime; finer cells fix
 * the resource that dominates their time, and the system. Sources of a cell have nearly the same weight, because runs
 * of one source err together (Eq. 378). A fine cell counts its own runs and POOL more at the ends of the coarser one,
 * so that few runs say little (Eq. 264). */
#include "validate/cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "validate/intervals.h"

/* Fewer runs make no cell. */
#define LEAST_ROWS 8
#define POOL       2.0
/* The share of a cell's runs beyond either end. Intervals include the prediction and what another cluster may add, so
 * that with a tenth beyond either end they would hold more than four runs in five: chosen with coverage in view
 * (docs/trust.md). */
#define TAIL_FRAC 0.22
/* The interval always includes the prediction. */
#define LEAST_LN 0.01

/* A residual as a run of one of the cells that it belongs to. */
struct member {
    struct orr_measured_cell key; /* low and high are not filled */
    double ln;                    /* of measured over predicted time */
    double weight;                /* of its source, over the runs that this has in the cell */
    size_t score;
};

static int compare_keys(const struct orr_measured_cell *a, const struct orr_measured_cell *b)
{
    const int engine = strcmp(a->engine, b->engine);
    if (engine) return engine;
    if (a->regime != b->regime) return a->regime < b->regime ? -1 : 1;
    if (a->bound != b->bound) return a->bound < b->bound ? -1 : 1;
    return strcmp(a->system, b->system);
}

static int compare_members(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    const int keys = compare_keys(&x->key, &y->key);
    if (keys) return keys;
    return x->ln != y->ln ? (x->ln > y->ln) - (x->ln < y->ln) : (x->score > y->score) - (x->score < y->score);
}

static bool counts(const struct orr_score *score)
{
    return score->timed && !score->skipped[0] && score->error > -1 && isfinite(score->error) &&
           !orr_engine_stands_in(score->engine);
}

/* Every residual in its three cells, sorted by cell and size, without weights yet; NULL: out of memory. */
static struct member *list_members(const struct orr_validation *v, size_t *n)
{
    struct member *members = malloc((3 * v->n_scores + 1) * sizeof *members);
    *n = 0;
    for (size_t i = 0; members && i < v->n_scores; i++) {
        const struct orr_score *s = &v->scores[i];
        if (!counts(s)) continue;
        const int bound = orr_dominant_bound(s->regime, s->bound_frac);
        for (int fine = 0; fine < 3; fine++)
            members[(*n)++] = (struct member){.key = {.engine = s->engine,
                                                      .regime = s->regime,
                                                      .bound = fine ? bound : ORR_CELL_ANY,
                                                      .system = fine == 2 ? s->system_id : ""},
                                              .ln = -log1p(s->error),
                                              .score = i};
    }
    if (members) qsort(members, *n, sizeof *members, compare_members);
    return members;
}

/* Divides the weight of every source of a cell equally among its runs (Eq. 378). */
static void weigh(const struct orr_validation *v, struct member *members, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t rows = 0;
        for (size_t j = 0; j < n; j++)
            rows += strcmp(v->scores[members[i].score].source, v->scores[members[j].score].source) == 0;
        members[i].weight = orr_source_weight(rows) / (double)rows;
    }
}

static size_t end_of_cell(const struct member *members, size_t n, size_t first)
{
    size_t end = first;
    while (end < n && compare_keys(&members[first].key, &members[end].key) == 0) end++;
    return end;
}

/* What the members without `skipped` (n: of all) count together, and as how many equal ones. */
static double weight_without(const struct member *members, size_t n, size_t skipped, double *runs)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        if (i == skipped) continue;
        sum += members[i].weight;
        squares += members[i].weight * members[i].weight;
    }
    *runs = sum * sum / squares;
    return sum;
}

/* The quantile of the members without `skipped`, each in the middle of its share of `whole`. */
static double quantile_without(const struct member *members, size_t n, size_t skipped, double whole, double q)
{
    double below = 0, last_at = 0, last = 0;
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        if (i == skipped) continue;
        const double at = (below + members[i].weight / 2) / whole;
        if (at >= q) return any ? last + (members[i].ln - last) * (q - last_at) / (at - last_at) : members[i].ln;
        below += members[i].weight;
        last_at = at;
        last = members[i].ln;
        any = true;
    }
    return last;
}

/* Eq. 264: the ends of a cell in logarithms, given those of the coarser one (NULL: there is none). */
static void ends_of(const struct member *members, size_t n, size_t skipped, const double *coarse, double ends[2])
{
    double runs;
    const double whole = weight_without(members, n, skipped, &runs);
    const double tail = TAIL_FRAC * (runs + POOL) / (runs + POOL + 1);
    for (int side = 0; side < 2; side++) {
        const double own = quantile_without(members, n, skipped, whole, side ? 1 - tail : tail);
        ends[side] = coarse ? (runs * own + POOL * coarse[side]) / (runs + POOL) : own;
    }
}

/* The coarser cell that a member's cell stands on: it precedes it in the order of cells. */
static const struct orr_measured_cell *coarser(const struct orr_cells_found *found, const struct orr_measured_cell *key)
{
    for (size_t i = found->n; i > 0; i--) {
        const struct orr_measured_cell *cell = &found->cells[i - 1];
        if (strcmp(cell->engine, key->engine) != 0 || cell->regime != key->regime) return NULL;
        if (cell->bound == ORR_CELL_ANY || (cell->bound == key->bound && !cell->system[0])) return cell;
    }
    return NULL;
}

/* The ends of a cell, with or without one of its members. Returns false if the cell is too small or stands on none. */
static bool fill_ends(const struct orr_cells_found *found, const struct member *members, size_t n, size_t skipped,
                      double ends[2])
{
    double coarse[2] = {0};
    if (n < LEAST_ROWS) return false;
    const struct orr_measured_cell *below = coarser(found, &members[0].key);
    if (members[0].key.bound != ORR_CELL_ANY && !below) return false;
    if (below) {
        coarse[0] = log(below->low);
        coarse[1] = log(below->high);
    }
    ends_of(members, n, skipped, below ? coarse : NULL, ends);
    ends[0] = orr_min(-LEAST_LN, ends[0]);
    ends[1] = orr_max(LEAST_LN, ends[1]);
    return true;
}

enum orr_err orr_cells_find(const struct orr_validation *validation, struct orr_cells_found *found)
{
    size_t n = 0;
    struct member *members = list_members(validation, &n);
    *found = (struct orr_cells_found){.cells = malloc((n + 1) * sizeof *found->cells)};
    for (size_t i = 0, end; members && found->cells && i < n; i = end) {
        double ends[2];
        end = end_of_cell(members, n, i);
        weigh(validation, members + i, end - i);
        if (!fill_ends(found, members + i, end - i, SIZE_MAX, ends)) continue;
        struct orr_measured_cell *cell = &found->cells[found->n++];
        *cell = members[i].key;
        cell->low = exp(ends[0]);
        cell->high = exp(ends[1]);
    }
    const bool done = members && found->cells;
    free(members);
    return done ? ORR_OK : ORR_ERR_MEMORY;
}

/* ---------------------------------------------------------------- without a row of its own */

/* What is known of a score: the fineness of the last cell that judged it, and whether it lies inside. */
struct verdict {
    bool judged, inside;
};

/* Judges the rows of a cell by the ends that the others make. The ends of the interval, which a service has from its
 * steps and any job from what other clusters add, move as far as those of the cell. */
static void judge_cell(const struct orr_validation *v, const struct orr_cells_found *found,
                       const struct member *members, size_t n, struct verdict *verdicts)
{
    double with[2], without[2];
    if (!fill_ends(found, members, n, SIZE_MAX, with)) return;
    for (size_t i = 0; i < n; i++) {
        const struct orr_score *s = &v->scores[members[i].score];
        if (!s->on_record || !fill_ends(found, members, n, i, without)) continue;
        const double low = log(s->low) + without[0] - with[0], high = log(s->high) + without[1] - with[1];
        verdicts[members[i].score] = (struct verdict){true, members[i].ln >= low && members[i].ln <= high};
    }
}

/* The mean over sources of the share of verdicts that are inside. */
static void mean_of(const struct orr_validation *v, const struct verdict *verdicts, struct orr_cells_held *held)
{
    size_t sources = 0;
    double sum = 0;
    *held = (struct orr_cells_held){0};
    for (size_t i = 0; i < v->n_scores; i++) {
        const char *source = v->scores[i].source;
        bool first = verdicts[i].judged;
        for (size_t j = 0; j < i && first; j++) first = !verdicts[j].judged || strcmp(v->scores[j].source, source) != 0;
        if (!first) continue;
        size_t n = 0, inside = 0;
        for (size_t j = i; j < v->n_scores; j++)
            if (verdicts[j].judged && strcmp(v->scores[j].source, source) == 0) {
                n++;
                inside += verdicts[j].inside;
            }
        held->rows += n;
        sources++;
        sum += (double)inside / (double)n;
    }
    held->coverage_frac = sources ? sum / (double)sources : (double)NAN;
}

enum orr_err orr_cells_left_out(const struct orr_validation *validation, struct orr_cells_held *held)
{
    size_t n = 0;
    struct orr_cells_found found = {0};
    struct member *members = list_members(validation, &n);
    struct verdict *verdicts = calloc(validation->n_scores + 1, sizeof *verdicts);
    const bool done = members && verdicts && orr_cells_find(validation, &found) == ORR_OK;
    for (size_t i = 0, end; done && i < n; i = end) {
        struct orr_cells_found before = found;
        end = end_of_cell(members, n, i);
        weigh(validation, members + i, end - i);
        /* the cells that stand before this one: `coarser` looks at the last of them first */
        before.n = 0;
        while (before.n < found.n && compare_keys(&found.cells[before.n], &members[i].key) < 0) before.n++;
        judge_cell(validation, &before, members + i, end - i, verdicts);
    }
    if (done) mean_of(validation, verdicts, held);
    free(found.cells);
    free(members);
    free(verdicts);
    return done ? ORR_OK : ORR_ERR_MEMORY;
}
