/* Few runs of a stack, drawn at random, and the error of the others. */
#include "study/few_shot.h"

#include "base/error.h"
#include "base/number.h"
#include "base/plain.h"
#include "spec/relatives.h"
#include "study/sample.h"
#include "validate/offline.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const int orr_few_sizes[ORR_FEW_SIZES] = {0, 1, 3, 5, 10};
#define PASSES 2
enum { MOST_ENGINES = 1 + ORR_STACK_OTHERS };

/* A stack with its runs under every engine that is looked at. */
struct stack {
    struct orr_few_stack *answer;
    struct orr_stack_runs *engines[MOST_ENGINES];
    const char *names[MOST_ENGINES];
    size_t n_engines;
    size_t *rows; /* of the runs of this stack */
    size_t n_rows;
};

/* ---------------------------------------------------------------- engines of rows */

struct falling_back {
    const struct orr_catalogue *catalogue;
    char id[ORR_ID], base[ORR_ID];
};

/* The parent of the engine that a row names. A row that names none keeps the stack of unknown origin. */
static const char *parent_engine(void *context, const char *own)
{
    struct falling_back *f = context;
    if (!own[0]) return own;
    orr_engine_parent(f->catalogue, own, f->id, f->base);
    return f->base[0] ? f->base : f->id;
}

static const char *named_engine(void *context, const char *own)
{
    (void)own;
    return context;
}

/* ---------------------------------------------------------------- draws */

/* The errors of one stack for one number of runs. */
struct errors {
    size_t n, n_inside;
    double width;
    double *absolute;
};

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, by_value);
    return n == 0 ? (double)NAN : n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static void predict_rest(struct orr_stack_worker *worker, const struct stack *stack, const bool *drawn,
                         const struct orr_stack_mixture *mixture, struct errors *errors)
{
    for (size_t i = 0; i < stack->n_rows; i++) {
        if (drawn[i]) continue;
        const struct orr_stack_guess guess = orr_stack_mixture_predict(worker, mixture, stack->rows[i]);
        const double reach = ORR_STACK_QUANTILE * sqrt(guess.variance);
        errors->absolute[errors->n++] = fabs(exp(guess.mean) - 1);
        errors->n_inside += fabs(guess.mean) <= reach;
        errors->width += 2 * reach;
    }
}

/* One draw: the first runs of a random order of the stack's rows. */
static bool draw(struct orr_stack_worker *worker, const struct stack *stack, int number, int n_runs,
                 struct errors *errors)
{
    size_t chosen[16];
    struct orr_stack_mixture *mixture = malloc(sizeof *mixture);
    bool *drawn = calloc(stack->n_rows + 1, sizeof *drawn);
    const uint64_t key = orr_mix((uint64_t)number + 1);
    for (int i = 0; drawn && i < n_runs; i++) {
        const size_t at = (size_t)orr_permuted(i, (int64_t)stack->n_rows, key);
        chosen[i] = stack->rows[at];
        drawn[at] = true;
    }
    const struct orr_stack_choice choice = {chosen, (size_t)n_runs};
    const bool done = mixture && drawn &&
                      orr_stack_average(worker, (const struct orr_stack_runs *const *)stack->engines, stack->names,
                                        stack->n_engines, &choice, PASSES, mixture);
    if (done) predict_rest(worker, stack, drawn, mixture, errors);
    free(mixture);
    free(drawn);
    return done;
}

/* All draws of one size: every thread has errors of its own, so that their order does not depend on threads. */
static bool draw_all(const struct stack *stack, int size, int n_draws)
{
    const int n_runs = orr_few_sizes[size];
    const size_t each = stack->n_rows - (size_t)n_runs;
    double *absolute = malloc(((size_t)n_draws * each + 1) * sizeof *absolute);
    struct errors *errors = calloc((size_t)n_draws, sizeof *errors);
    bool done = absolute && errors;
#pragma omp parallel
    {
        ORR_PLAIN_NUMBERS;
        struct orr_stack_worker worker;
        const bool open = orr_stack_worker_open(&worker);
#pragma omp for schedule(dynamic)
        for (int i = 0; i < n_draws; i++) {
            if (!absolute || !errors) continue;
            errors[i].absolute = absolute + (size_t)i * each;
            if (!open || !draw(&worker, stack, i, n_runs, &errors[i])) done = false;
        }
        orr_stack_worker_close(&worker);
    }
    size_t inside = 0;
    double width = 0;
    for (int i = 0; done && i < n_draws; i++) {
        inside += errors[i].n_inside;
        width += errors[i].width;
    }
    const size_t n = (size_t)n_draws * each;
    stack->answer->coverage_frac[size] = (double)inside / (double)n;
    stack->answer->width[size] = width / (double)n;
    stack->answer->median_frac[size] = done ? median(absolute, n) : (double)NAN;
    free(absolute);
    free(errors);
    return done;
}

/* Without a run: the parent as it is. */
static bool predict_none(const struct stack *stack)
{
    double *absolute = malloc((stack->n_rows + 1) * sizeof *absolute);
    for (size_t i = 0; absolute && i < stack->n_rows; i++)
        absolute[i] = fabs(stack->engines[0]->as_is[stack->rows[i]] - 1);
    stack->answer->median_frac[0] = absolute ? median(absolute, stack->n_rows) : (double)NAN;
    stack->answer->coverage_frac[0] = stack->answer->width[0] = (double)NAN;
    free(absolute);
    return absolute;
}

/* ---------------------------------------------------------------- one stack */

static void linearise(struct orr_stack_runs *runs, const size_t *rows, size_t n)
{
#pragma omp parallel
    {
        ORR_PLAIN_NUMBERS;
        struct orr_stack_worker worker;
        const bool open = orr_stack_worker_open(&worker);
#pragma omp for schedule(dynamic)
        for (size_t i = 0; i < n; i++)
            if (open) orr_stack_linearise(&worker, runs, rows[i], rows[i] + 1);
        orr_stack_worker_close(&worker);
    }
}

/* How a row was measured does not fall back with its engine: published rates of an engine's own tool have the tool's
 * limits (validate/offline.h). */
static void keep_protocol(const struct orr_catalogue *catalogue, struct orr_stack_runs *runs)
{
    char last[ORR_ID] = "";
    struct orr_engine own = {0};
    for (size_t i = 0; i < runs->n; i++) {
        struct orr_stack_run *run = &runs->runs[i];
        if (run->job.kind != ORR_JOB_INFER || !run->own[0]) continue;
        if (strncmp(last, run->own, sizeof last - 1) != 0 && orr_engine_read(catalogue, run->own, &own, NULL)) continue;
        snprintf(last, sizeof last, "%s", run->own);
        run->job.engine.bench_limits = own.bench_limits;
        if (own.bench_limits) run->job.engine.budget_frac = ORR_BENCH_BUDGET_FRAC;
    }
}

static enum orr_err run_stack(const struct orr_catalogue *catalogue, const struct orr_stack_table *tables, size_t n,
                              int n_draws, struct stack *stack, struct orr_error *error)
{
    const char *others[ORR_STACK_OTHERS];
    const enum orr_job_kind kind = stack->engines[0]->runs[stack->rows[0]].job.kind;
    const size_t n_others = orr_stack_others(catalogue, kind, stack->answer->parent, stack->answer->engine, others);
    enum orr_err err = ORR_OK;
    stack->n_engines = 1;
    for (size_t i = 0; i < n_others && !err; i++) {
        stack->names[stack->n_engines] = others[i];
        err = orr_stack_read(catalogue, tables, n, named_engine, (void *)(uintptr_t)others[i],
                             &stack->engines[stack->n_engines], error);
        if (!err) keep_protocol(catalogue, stack->engines[stack->n_engines]);
        if (!err) linearise(stack->engines[stack->n_engines++], stack->rows, stack->n_rows);
    }
    bool done = !err && predict_none(stack);
    for (int size = 1; size < ORR_FEW_SIZES && done; size++) done = draw_all(stack, size, n_draws);
    for (size_t i = 1; i < stack->n_engines; i++) orr_stack_runs_free(stack->engines[i]);
    return err || done ? err : orr_out_of_memory(error, NULL);
}

/* ---------------------------------------------------------------- all stacks */

static bool same_stack(const struct orr_stack_run *a, const struct orr_stack_run *b)
{
    return strcmp(a->score.source, b->score.source) == 0 && strcmp(a->own, b->own) == 0;
}

/* The usable rows of the stack of row `first`; empty if an earlier row has the same stack. */
static void rows_of(const struct orr_stack_runs *runs, size_t first, struct stack *stack)
{
    stack->n_rows = 0;
    for (size_t i = 0; i < first; i++)
        if (orr_stack_usable(runs, i) && same_stack(&runs->runs[i], &runs->runs[first])) return;
    for (size_t i = first; i < runs->n; i++)
        if (orr_stack_usable(runs, i) && same_stack(&runs->runs[i], &runs->runs[first]))
            stack->rows[stack->n_rows++] = i;
}

static void name_stack(const struct orr_catalogue *catalogue, const struct orr_stack_run *run,
                       struct orr_few_stack *answer)
{
    char base[ORR_ID];
    answer->source = run->score.source;
    orr_engine_relation(catalogue, run->own[0] ? run->own : "generic", answer->engine, base);
    snprintf(answer->parent, sizeof answer->parent, "%s", run->job.engine.id);
    if (!run->own[0]) answer->engine[0] = '\0'; /* not known: no other engine is its own */
}

enum orr_err orr_few_shot_run(const struct orr_catalogue *catalogue, const char *const *csvs,
                              const char *const *origins, size_t n, const char *only, int n_draws,
                              void (*progress)(void *context, const char *what, double done_frac), void *context,
                              struct orr_few_shot **few, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    struct orr_stack_table *tables = calloc(n + 1, sizeof *tables);
    struct orr_few_shot *f = calloc(1, sizeof *f);
    struct orr_stack_runs *parents = NULL;
    struct stack stack = {0};
    struct falling_back back = {.catalogue = catalogue};
    for (size_t i = 0; tables && i < n; i++) tables[i] = (struct orr_stack_table){csvs[i], origins[i]};
    enum orr_err err = tables && f ? ORR_OK : orr_out_of_memory(error, NULL);
    if (!err) err = orr_stack_read(catalogue, tables, n, parent_engine, &back, &parents, error);
    if (!err) {
        keep_protocol(catalogue, parents);
        f->stacks = calloc(parents->n + 1, sizeof *f->stacks);
        stack.rows = malloc((parents->n + 1) * sizeof *stack.rows);
        f->n_draws = n_draws;
        if (!f->stacks || !stack.rows) err = orr_out_of_memory(error, NULL);
    }
    for (size_t i = 0; !err && i < parents->n; i++) {
        if (!orr_stack_usable(parents, i) || (only && !strstr(parents->runs[i].score.source, only))) continue;
        rows_of(parents, i, &stack);
        if (stack.n_rows < ORR_FEW_ROWS) continue;
        stack.answer = &f->stacks[f->n++];
        stack.engines[0] = parents;
        stack.names[0] = stack.answer->parent;
        stack.answer->n_rows = stack.n_rows;
        name_stack(catalogue, &parents->runs[i], stack.answer);
        if (progress) progress(context, stack.answer->source, (double)i / (double)parents->n);
        linearise(parents, stack.rows, stack.n_rows);
        err = run_stack(catalogue, tables, n, n_draws, &stack, error);
    }
    if (progress) progress(context, "", 1);
    if (parents && f) {
        f->names = parents->table; /* the names of sources live in the tables */
        parents->table = NULL;
    }
    orr_stack_runs_free(parents);
    free(stack.rows);
    free(tables);
    if (err) orr_few_shot_free(f);
    *few = err ? NULL : f;
    return err;
}

void orr_few_shot_free(struct orr_few_shot *few)
{
    if (!few) return;
    orr_validation_free(few->names);
    free(few->stacks);
    free(few);
}

double orr_few_median(const struct orr_few_shot *few, int size)
{
    double sum = 0;
    for (size_t i = 0; i < few->n; i++) sum += log(orr_max(1e-4, few->stacks[i].median_frac[size]));
    return few->n ? exp(sum / (double)few->n) : (double)NAN;
}

double orr_few_coverage(const struct orr_few_shot *few, int size)
{
    double sum = 0;
    for (size_t i = 0; i < few->n; i++) sum += few->stacks[i].coverage_frac[size];
    return few->n ? sum / (double)few->n : (double)NAN;
}
