/* This file writes the intervals of a validation as the C table that predict/interval.c includes. */
#include "base/text.h"
#include "predict/nearest.h"
#include "report/validation.h"
#include "validate/cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME_(name, ...) #name,
static const char *const NAMES[ORR_N_REGIMES] = {ORR_REGIMES(NAME_)};

static double percent(size_t part, size_t whole)
{
    return 100 * (double)part / (double)whole;
}

/* Two digits leave nothing out: a row on the bound stays inside. A bound that has two digits already stays as it is. */
static double rounded_down(double low)
{
    return floor(100 * low + 1e-6) / 100;
}

static double rounded_up(double high)
{
    return ceil(100 * high - 1e-6) / 100;
}

/* The share of rows inside the interval that is made without their source; 0: no other source has this class. */
static double left_out(const struct orr_coverage *c)
{
    return c->n_left > 0 ? (double)c->n_left_inside / (double)c->n_left : 0;
}

/* Adds where a row comes from: the measurements behind it, and its coverage of sources it has not seen. */
static void add_record(struct orr_text *text, const char *chips, const struct orr_coverage *c)
{
    if (c->n == 0) orr_text_add(text, " %s: no rows of its own.", chips);
    else
        orr_text_add(text, " %s: rows %zu, sources %zu, inside %.0f %%, left out %.0f %%.", chips, c->n, c->n_sources,
                     percent(c->n_inside, c->n), 100 * left_out(c));
}

static void add_table(struct orr_text *text, const struct orr_interval_table *table,
                      struct orr_coverage coverage[ORR_N_REGIMES][2])
{
    orr_text_add(text,
                 "/* Written by tools/check_drift.sh --record from `orrery validate --intervals`: do not edit.\n"
                 " * 80 %% of the measured times of a class are expected between low and high times the predicted\n"
                 " * one; validate/intervals.c has the rules. \"left out\": inside the interval made without their\n"
                 " * own source. Columns: regime, low and high on calibrated chips, the same on datasheet chips,\n"
                 " * and the shares left out of both. */\n"
                 "#define ORR_INTERVALS(X)");
    for (int r = 0; r < ORR_N_REGIMES; r++) {
        orr_text_add(text, " \\\n    /*");
        add_record(text, "Calibrated", &coverage[r][1]);
        orr_text_add(text, " \\\n      ");
        add_record(text, "Datasheet", &coverage[r][0]);
        orr_text_add(text, " */ \\\n    X(%s, %.2f, %.2f, %.2f, %.2f, %.2f, %.2f)", NAMES[r],
                     rounded_down(table->low[r][1]), rounded_up(table->high[r][1]), rounded_down(table->low[r][0]),
                     rounded_up(table->high[r][0]), left_out(&coverage[r][1]), left_out(&coverage[r][0]));
    }
    orr_text_add(text, "\n");
}

/* Fewer rows of an engine in a regime say too little about it. */
#define LEAST_ROWS 8

static unsigned measured_regimes(const struct orr_validation *v, const char *engine)
{
    size_t rows[ORR_N_REGIMES] = {0};
    unsigned mask = 0;
    for (size_t i = 0; i < v->n_scores; i++)
        if (v->scores[i].timed && strcmp(v->scores[i].engine, engine) == 0) rows[v->scores[i].regime]++;
    for (int r = 0; r < ORR_N_REGIMES; r++)
        if (rows[r] >= LEAST_ROWS) mask |= 1U << r;
    return mask;
}

/* The first name in alphabetical order after `after`; NULL if there is none. */
static const char *next_engine(const struct orr_validation *v, const char *after)
{
    const char *next = NULL;
    for (size_t i = 0; i < v->n_scores; i++) {
        const char *name = v->scores[i].engine;
        if (v->scores[i].timed && strcmp(name, after) > 0 && (!next || strcmp(name, next) < 0)) next = name;
    }
    return next;
}

static const char *family_of(const struct orr_validation *v, const char *engine)
{
    for (size_t i = 0; i < v->n_scores; i++)
        if (v->scores[i].timed && strcmp(v->scores[i].engine, engine) == 0) return v->scores[i].family;
    return "";
}

/* Adds the architectures of the chips of an engine's runs, in the order of the rows, each once. */
static void add_architectures(const struct orr_validation *v, const char *engine, struct orr_text *text)
{
    char seen[256] = " ";
    for (size_t i = 0; i < v->n_scores; i++) {
        char word[40];
        const struct orr_score *s = &v->scores[i];
        if (!s->timed || strcmp(s->engine, engine) != 0) continue;
        (void)snprintf(word, sizeof word, " %s ", s->architecture);
        if (!strstr(seen, word)) strncat(seen, word + 1, sizeof seen - strlen(seen) - 1);
    }
    orr_text_add(text, "\"%s\"", seen);
}

/* Adds the engines that measured runs cover, with a bit for every regime of which there are enough. */
static void add_measured(const struct orr_validation *v, struct orr_text *text)
{
    orr_text_add(text,
                 "\n/* Engines with at least %d measured times in a regime, with their families; regimes as bits;\n"
                 " * architectures of the chips. */\n#define ORR_MEASURED(X)",
                 LEAST_ROWS);
    for (const char *name = next_engine(v, ""); name; name = next_engine(v, name)) {
        const unsigned mask = measured_regimes(v, name);
        if (!mask) continue;
        orr_text_add(text, " \\\n    X(\"%s\", \"%s\", 0x%03x, ", name, family_of(v, name), mask);
        add_architectures(v, name, text);
        orr_text_add(text, ")");
    }
    orr_text_add(text, "\n");
}

/* Adds what runs of measured engines differ by, from coarse to fine. */
static void add_cells(const struct orr_validation *v, struct orr_text *text)
{
    struct orr_cells_found found;
    text->failed |= orr_cells_find(v, &found) != ORR_OK;
    orr_text_add(text, "\n/* What runs of these engines differ by (validate/cells.c): engine, regime, resource that "
                       "dominates the\n * time (-1: any), system (\"\": any), low and high. */\n"
                       "#define ORR_MEASURED_CELLS(X)");
    for (size_t i = 0; i < found.n; i++) {
        const struct orr_measured_cell *c = &found.cells[i];
        orr_text_add(text, " \\\n    X(\"%s\", %s, %d, \"%s\", %.3f, %.3f)", c->engine, NAMES[c->regime], c->bound,
                     c->system, c->low, c->high);
    }
    orr_text_add(text, "\n");
    free(found.cells);
}

/* ---- runs that a job is compared with */

static struct orr_measured_run run_of(const struct orr_score *s)
{
    struct orr_measured_run run = {
        .engine = s->engine, .system = s->system_id, .gpus = s->gpus, .params = s->params, .regime = s->regime};
    memcpy(run.bound_frac, s->bound_frac, sizeof run.bound_frac);
    return run;
}

/* Is a run of the same engine, regime and model among those kept so far, and near enough to stand for this one? Every
 * model keeps one, because searches show the layouts of published runs. */
static bool is_covered(const struct orr_validation *v, const bool *kept, size_t at)
{
    const struct orr_score *score = &v->scores[at];
    const struct orr_measured_run own = run_of(score);
    for (size_t i = 0; i < at; i++) {
        if (!kept[i] || v->scores[i].regime != score->regime || strcmp(v->scores[i].engine, score->engine) != 0 ||
            strcmp(v->scores[i].model, score->model) != 0)
            continue;
        const struct orr_measured_run other = run_of(&v->scores[i]);
        if (orr_run_distance(&own, &other) <= ORR_RECORD_COVER) return true;
    }
    return false;
}

static void add_run(const struct orr_score *s, struct orr_text *text)
{
    orr_text_add(text, " \\\n    X(\"%s\", \"%s\", \"%s\", \"%s\", \"%s\", \"%s\", \"%s\", %.0f, %.4g, %s", s->source,
                 s->id, s->engine, s->system_id, s->chip, s->model, s->plan, s->gpus, s->params, NAMES[s->regime]);
    for (int i = 0; i < ORR_N_BOUNDS; i++) orr_text_add(text, ", %.3f", s->bound_frac[i]);
    orr_text_add(text, ", %.3f)", s->error);
}

/* By engine, and else in the order of the rows: a job finds the runs of its engine side by side. */
static int compare_runs(const void *a, const void *b)
{
    const struct orr_score *x = *(const struct orr_score *const *)a, *y = *(const struct orr_score *const *)b;
    const int engine = strcmp(x->engine, y->engine);
    return engine ? engine : (x > y) - (x < y);
}

void orr_validation_runs(const struct orr_validation *v, struct orr_text *text)
{
    orr_text_add(text,
                 "/* Written by tools/check_drift.sh --record from `orrery validate --runs`: do not edit.\n"
                 " * Measured runs that answers are compared with, by engine: source, id, engine, system, chip,\n"
                 " * model, plan, GPUs, active parameters, regime, shares of the time by resource, error. */\n"
                 "#define ORR_MEASURED_RUNS(X)");
    bool *kept = calloc(v->n_scores + 1, sizeof *kept);
    const struct orr_score **runs = malloc((v->n_scores + 1) * sizeof *runs);
    size_t n = 0;
    text->failed |= !kept || !runs;
    for (size_t i = 0; kept && runs && i < v->n_scores; i++) {
        kept[i] = v->scores[i].timed && !v->scores[i].skipped[0] && !is_covered(v, kept, i);
        if (kept[i]) runs[n++] = &v->scores[i];
    }
    if (runs) qsort(runs, n, sizeof *runs, compare_runs);
    for (size_t i = 0; i < n; i++) add_run(runs[i], text);
    free(runs);
    free(kept);
    orr_text_add(text, "\n");
}

void orr_validation_table(const struct orr_validation *validation, struct orr_text *text)
{
    struct orr_interval_table table;
    struct orr_coverage coverage[ORR_N_REGIMES][2];
    if (orr_interval_table_of(validation, NULL, &table) || orr_interval_coverage(validation, coverage))
        text->failed = true;
    else {
        add_table(text, &table, coverage);
        add_measured(validation, text);
        add_cells(validation, text);
    }
}
