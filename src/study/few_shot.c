/* Few runs of a stack, drawn at random, and the error of the others. */
#include "study/few_shot.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/plain.h"
#include "spec/cells.h"
#include "spec/relatives.h"
#include "study/few_population.h"
#include "study/sample.h"
#include "validate/offline.h"
#include "validate/unseen.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const int orr_few_sizes[ORR_FEW_SIZES] = {0, 1, 3, 5, 10};
#define PASSES 2
enum { MOST_ENGINES = 1 + ORR_STACK_OTHERS };

/* A stack with its runs under every engine that is looked at. Its tables have its rows alone. */
struct stack {
    struct orr_few_stack *answer;
    const struct orr_catalogue *catalogue; /* as it would be without the source */
    struct orr_stack_table *tables;        /* texts are owned */
    size_t n_tables;
    struct orr_stack_runs *engines[MOST_ENGINES];
    const char *names[MOST_ENGINES];
    size_t n_engines;
    bool exact;   /* fits predict anew, instead of going along straight lines */
    size_t *rows; /* usable runs that are looked at */
    bool *taken;  /* by run, work */
    size_t n_rows, most_rows;
    struct orr_stack_population prior; /* of the parent's numbers */
};

/* ---------------------------------------------------------------- draws */

/* The errors of one stack for one number of runs. */
struct errors {
    size_t n, n_inside;
    double width;
    double *absolute;
};

static double median(double *values, size_t n)
{
    return n == 0 ? (double)NAN : orr_median(values, n);
}

static void predict_rest(struct orr_stack_worker *worker, const struct stack *stack, const bool *drawn,
                         const struct orr_stack_mixture *mixture, struct errors *errors)
{
    for (size_t i = 0; i < stack->n_rows; i++) {
        if (drawn[i]) continue;
        const struct orr_stack_guess guess = orr_stack_mixture_predict(worker, mixture, stack->rows[i]);
        errors->absolute[errors->n++] = fabs(exp(guess.mean) - 1);
        errors->n_inside += guess.low <= 0 && guess.high >= 0;
        errors->width += guess.high - guess.low;
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
    const bool done =
        mixture && drawn &&
        orr_stack_average(worker, stack->engines, stack->names, stack->n_engines, &choice, PASSES, mixture);
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
#pragma omp parallel reduction(&& : done)
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
        done = !orr_memory_lacked() && done; /* told, and no matter of what this thread does next */
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

/* A fit to all rows of the stack: what it leaves is the floor of every fit to fewer, and odd pairs that it leaves are
 * two populations, as `orrery fit` finds them. */
static bool fit_all(const struct stack *stack)
{
    struct orr_stack_pairs odd[ORR_MAX_CELLS];
    struct orr_stack_worker worker;
    const struct orr_stack_choice all = {stack->rows, stack->n_rows};
    struct orr_stack_mixture *mixture = malloc(sizeof *mixture);
    double *before = malloc((2 * stack->n_rows + 1) * sizeof *before);
    double *after = before ? before + stack->n_rows : NULL;
    const bool done = orr_stack_worker_open(&worker) && mixture && before &&
                      orr_stack_average(&worker, stack->engines, stack->names, stack->n_engines, &all, PASSES, mixture);
    if (done) orr_stack_keep_apart(mixture); /* what is left of a run is no explanation of it */
    for (size_t i = 0; done && i < stack->n_rows; i++) {
        before[i] = -log(stack->engines[0]->as_is[stack->rows[i]]);
        after[i] = -orr_stack_mixture_predict(&worker, mixture, stack->rows[i]).mean;
    }
    stack->answer->populations = done && orr_stack_find_pairs(stack->engines[0], &all, before, after, odd) > 0;
    if (stack->answer->populations) orr_stack_pairs_text(&odd[0], stack->answer->pairs);
    for (size_t i = 0; done && i < stack->n_rows; i++) after[i] = fabs(exp(-after[i]) - 1);
    stack->answer->floor_frac = done ? median(after, stack->n_rows) : (double)NAN;
    orr_stack_worker_close(&worker);
    free(mixture);
    free(before);
    return done;
}

/* ---------------------------------------------------------------- one stack */

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

/* The usable runs. Of a large stack some are drawn once, so that a table of thousands of rows takes no hours. */
static void choose_rows(struct stack *stack, const struct orr_stack_runs *runs)
{
    size_t n = 0;
    for (size_t i = 0; i < runs->n; i++)
        if (orr_stack_usable(runs, i)) stack->rows[n++] = i;
    stack->n_rows = n > stack->most_rows ? stack->most_rows : n;
    if (n == stack->n_rows) return;
    for (size_t i = 0; i < runs->n; i++) stack->taken[i] = false;
    for (size_t i = 0; i < stack->n_rows; i++)
        stack->taken[stack->rows[orr_permuted((int64_t)i, (int64_t)n, orr_mix(n))]] = true;
    n = 0;
    for (size_t i = 0; i < runs->n; i++)
        if (stack->taken[i]) stack->rows[n++] = i;
}

/* The runs of a stack as one engine would run them. */
static enum orr_err read_engine(struct stack *stack, const char *name, struct orr_error *error)
{
    struct orr_stack_runs **runs = &stack->engines[stack->n_engines];
    const enum orr_err err = orr_stack_read(stack->catalogue, stack->tables, stack->n_tables, name, runs, error);
    if (err) return err;
    stack->names[stack->n_engines++] = name;
    keep_protocol(stack->catalogue, *runs);
    if (stack->n_engines == 1) choose_rows(stack, *runs);
    if (stack->n_engines == 1) (*runs)->prior = stack->prior;
    const struct orr_stack_choice rows = {stack->rows, stack->n_rows};
    if (!orr_stack_linearise(*runs, &rows, NULL)) return orr_out_of_memory(error, NULL);
    (*runs)->on_lines = !stack->exact;
    return ORR_OK;
}

/* Engines of the source's own rows, and what is based on them, are no other stacks. */
static bool is_kin(const struct orr_unseen *unseen, const char *name)
{
    for (size_t i = 0; i < unseen->n_own; i++)
        if (orr_engine_descends(unseen->whole, name, unseen->own[i])) return true;
    return false;
}

static enum orr_err run_stack(const struct orr_unseen *unseen, enum orr_job_kind kind, int n_draws, struct stack *stack,
                              struct orr_error *error)
{
    const char *others[ORR_STACK_OTHERS];
    enum orr_err err = read_engine(stack, stack->answer->parent, error);
    const size_t n_others = orr_stack_others(kind, stack->answer->parent, others);
    for (size_t i = 0; i < n_others && !err && stack->n_rows >= ORR_FEW_ROWS; i++)
        if (!is_kin(unseen, others[i])) err = read_engine(stack, others[i], error);
    stack->answer->n_rows = stack->n_rows;
    bool done = true;
    if (!err && stack->n_rows >= ORR_FEW_ROWS) {
        done = predict_none(stack) && fit_all(stack);
        for (int size = 1; size < ORR_FEW_SIZES && done; size++) done = draw_all(stack, size, n_draws);
    }
    for (size_t i = 0; i < stack->n_engines; i++) orr_stack_runs_free(stack->engines[i]);
    return err || done ? err : orr_out_of_memory(error, NULL);
}

/* ---------------------------------------------------------------- all stacks */

static bool same_stack(const struct orr_stack_run *a, const struct orr_stack_run *b)
{
    return strcmp(a->score.source, b->score.source) == 0 && strcmp(a->own, b->own) == 0;
}

/* Has an earlier run the stack of run `first`, or has it too few rows? */
static bool passed_over(const struct orr_stack_runs *all, size_t first)
{
    size_t n = 0;
    for (size_t i = 0; i < all->n; i++) {
        const bool same = orr_stack_usable(all, i) && same_stack(&all->runs[i], &all->runs[first]);
        if (same && i < first) return true;
        n += same;
    }
    return n < ORR_FEW_ROWS;
}

/* The rows of a stack as tables of their own. */
static bool copy_rows(const struct orr_stack_runs *all, size_t first, struct stack *stack)
{
    for (size_t c = 0; c < all->table->n_csvs; c++) {
        const struct orr_csv *csv = &all->table->csvs[c];
        struct orr_text text = {0};
        for (size_t i = 0; i < csv->n_columns; i++) orr_csv_add(&text, csv->names[i], i + 1 == csv->n_columns);
        const size_t head = text.length;
        for (size_t i = 0; i < all->n; i++) {
            const struct orr_stack_run *run = &all->runs[i];
            if (run->csv != c || !same_stack(run, &all->runs[first])) continue;
            for (size_t k = 0; k < csv->n_columns; k++)
                orr_csv_add(&text, csv->cells[run->row * csv->n_columns + k], k + 1 == csv->n_columns);
        }
        const bool empty = text.length == head;
        char *copy = orr_text_take(&text);
        if (!copy) return false;
        if (empty) free(copy);
        else stack->tables[stack->n_tables++] = (struct orr_stack_table){copy, "rows of a stack"};
    }
    return true;
}

/* What the parent is to a stack whose engine has just fallen back to it. */
static enum orr_stack_kin kin_of(const struct orr_unseen *unseen, const struct orr_stack_run *run)
{
    if (run->job.kind == ORR_JOB_TRAIN) return ORR_STACK_TRAINED;
    return run->own[0] && unseen->kin == ORR_KIN_VERSION ? ORR_STACK_SERVED : ORR_STACK_FOREIGN;
}

/* One stack: hide its source, and let its engine fall back as in `validate --unseen`. Close it even after an error. */
static enum orr_err open_stack(struct orr_unseen *unseen, const struct orr_stack_runs *all, size_t first,
                               struct stack *stack, struct orr_error *error)
{
    const struct orr_stack_run *run = &all->runs[first];
    struct orr_few_stack *answer = stack->answer;
    char base[ORR_ID];
    const char *fallback = run->job.kind == ORR_JOB_TRAIN ? "generic" : "vllm";
    answer->source = run->score.source;
    stack->rows = malloc((all->n + 1) * sizeof *stack->rows);
    stack->taken = malloc((all->n + 1) * sizeof *stack->taken);
    stack->tables = calloc(all->table->n_csvs + 1, sizeof *stack->tables);
    enum orr_err err = stack->rows && stack->taken && stack->tables ? ORR_OK : orr_out_of_memory(error, NULL);
    if (!err) err = orr_unseen_hide(unseen, &all->table->csvs[run->csv], run->score.source, error);
    if (!err) err = orr_unseen_engine(unseen, run->own[0] ? run->own : fallback, answer->parent, error);
    if (!err && run->own[0]) orr_engine_relation(unseen->whole, run->own, answer->engine, base);
    if (!err && !copy_rows(all, first, stack)) err = orr_out_of_memory(error, NULL);
    stack->prior = orr_stack_recorded(kin_of(unseen, run));
    stack->catalogue = unseen->view;
    return err;
}

static void close_stack(struct stack *stack)
{
    for (size_t i = 0; i < stack->n_tables; i++) free((void *)(uintptr_t)stack->tables[i].text);
    free(stack->tables);
    free(stack->rows);
    free(stack->taken);
}

/* What is asked, and all runs that it is asked of. */
struct study {
    const char *only; /* part of the names of sources; NULL: all */
    int n_draws;
    bool exact;
    void (*progress)(void *context, const char *what, double done_frac);
    void *context;
    struct orr_unseen unseen;
    struct orr_stack_runs *all;
    struct orr_few_parents parents;
};

/* Draw from one stack. What is known before its runs is what the other sources say. */
static enum orr_err few_of(struct study *study, size_t first, struct orr_few_stack *answer, struct orr_error *error)
{
    const enum orr_job_kind kind = study->all->runs[first].job.kind;
    struct stack stack = {.answer = answer, .exact = study->exact, .most_rows = ORR_FEW_MOST};
    enum orr_err err = open_stack(&study->unseen, study->all, first, &stack, error);
    if (!err && !orr_few_population(&study->parents, answer->source, kind == ORR_JOB_TRAIN, &stack.prior))
        err = orr_out_of_memory(error, NULL);
    if (!err) err = run_stack(&study->unseen, kind, study->n_draws, &stack, error);
    close_stack(&stack);
    return err;
}

/* The runs of one stack under its parent, for the population. */
static enum orr_err add_parent(struct study *study, size_t first, struct orr_error *error)
{
    struct orr_few_stack answer = {0};
    struct stack stack = {.answer = &answer, .most_rows = ORR_FEW_TOLD};
    enum orr_err err = open_stack(&study->unseen, study->all, first, &stack, error);
    if (!err) err = read_engine(&stack, answer.parent, error);
    if (!err && stack.n_rows >= ORR_FEW_ROWS) {
        const bool trains = study->all->runs[first].job.kind == ORR_JOB_TRAIN;
        study->parents.stacks[study->parents.n++] =
            (struct orr_few_parent){answer.source, trains, stack.engines[0], stack.rows, stack.n_rows};
        stack.rows = NULL;
    } else if (stack.n_engines > 0) orr_stack_runs_free(stack.engines[0]);
    close_stack(&stack);
    return err;
}

/* The parents of all stacks, and the population that they say together. */
static enum orr_err learn_population(struct study *study, struct orr_few_shot *few, struct orr_error *error)
{
    const struct orr_stack_runs *all = study->all;
    enum orr_err err = ORR_OK;
    study->parents.stacks = calloc(all->n + 1, sizeof *study->parents.stacks);
    if (!study->parents.stacks) return orr_out_of_memory(error, NULL);
    for (size_t i = 0; !err && i < all->n; i++)
        if (orr_stack_usable(all, i) && !passed_over(all, i)) err = add_parent(study, i, error);
    for (int serves = 0; serves < 2 && !err; serves++) {
        few->population[serves] = orr_stack_unknown();
        if (!orr_few_population(&study->parents, NULL, !serves, &few->population[serves]))
            err = orr_out_of_memory(error, NULL);
    }
    return err;
}

/* Draw from every stack that is asked for and has enough rows. */
static enum orr_err draw_stacks(struct study *study, struct orr_few_shot *few, struct orr_error *error)
{
    const struct orr_stack_runs *all = study->all;
    const char *only = study->only;
    enum orr_err err = ORR_OK;
    for (size_t i = 0; !err && i < all->n; i++) {
        const char *source = all->runs[i].score.source;
        if (!orr_stack_usable(all, i) || (only && !strstr(source, only)) || passed_over(all, i)) continue;
        if (study->progress) study->progress(study->context, source, (double)i / (double)all->n);
        err = few_of(study, i, &few->stacks[few->n], error);
        few->n += few->stacks[few->n].n_rows >= ORR_FEW_ROWS;
    }
    if (!err && few->n == 0)
        err = orr_fail(error, ORR_ERR_INPUT, (struct orr_place){0}, "no stack%s%.80s has %d runs or more to draw from",
                       only ? " of a source with the text " : "", only ? only : "", ORR_FEW_ROWS);
    if (study->progress) study->progress(study->context, "", 1);
    return err;
}

static enum orr_err read_runs(const struct orr_catalogue *catalogue, const struct orr_stack_table *tables, size_t n,
                              struct study *study, struct orr_error *error)
{
    const enum orr_err err = orr_unseen_open(&study->unseen, catalogue, true, error);
    return err ? err : orr_stack_read(catalogue, tables, n, "", &study->all, error);
}

enum orr_err orr_few_shot_run(const struct orr_catalogue *catalogue, const char *const *csvs,
                              const char *const *origins, size_t n, const char *only, int n_draws, bool exact,
                              void (*progress)(void *context, const char *what, double done_frac), void *context,
                              struct orr_few_shot **few, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    struct orr_stack_table *tables = calloc(n + 1, sizeof *tables);
    struct orr_few_shot *f = calloc(1, sizeof *f);
    struct study study = {.only = only, .n_draws = n_draws, .exact = exact, .progress = progress, .context = context};
    for (size_t i = 0; tables && i < n; i++) tables[i] = (struct orr_stack_table){csvs[i], origins[i]};
    enum orr_err err = tables && f ? ORR_OK : orr_out_of_memory(error, NULL);
    if (!err) err = read_runs(catalogue, tables, n, &study, error);
    if (!err) {
        f->n_draws = n_draws;
        f->stacks = calloc(study.all->n + 1, sizeof *f->stacks);
        if (!f->stacks) err = orr_out_of_memory(error, NULL);
    }
    if (!err) err = learn_population(&study, f, error);
    if (!err) err = draw_stacks(&study, f, error);
    if (study.all && f) {
        f->names = study.all->table; /* the names of sources live in the tables */
        study.all->table = NULL;
    }
    orr_few_parents_free(&study.parents);
    orr_unseen_close(&study.unseen);
    orr_stack_runs_free(study.all);
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

size_t orr_few_counted(const struct orr_few_shot *few)
{
    size_t n = 0;
    for (size_t i = 0; i < few->n; i++) n += !few->stacks[i].populations;
    return n;
}

/* The geometric mean over the stacks of one population of a member, given by its offset. */
static double geometric_mean(const struct orr_few_shot *few, size_t offset)
{
    const size_t n = orr_few_counted(few);
    double sum = 0;
    for (size_t i = 0; i < few->n; i++) {
        const char *stack = (const char *)&few->stacks[i];
        if (!few->stacks[i].populations) sum += log(orr_max(1e-4, *(const double *)(const void *)(stack + offset)));
    }
    return n ? exp(sum / (double)n) : (double)NAN;
}

double orr_few_median(const struct orr_few_shot *few, int size)
{
    return geometric_mean(few, offsetof(struct orr_few_stack, median_frac) + (size_t)size * sizeof(double));
}

double orr_few_floor(const struct orr_few_shot *few)
{
    return geometric_mean(few, offsetof(struct orr_few_stack, floor_frac));
}

/* The mean over the stacks of one population of a member, given by its offset. */
static double plain_mean(const struct orr_few_shot *few, size_t offset)
{
    const size_t n = orr_few_counted(few);
    double sum = 0;
    for (size_t i = 0; i < few->n; i++) {
        const char *stack = (const char *)&few->stacks[i];
        if (!few->stacks[i].populations) sum += *(const double *)(const void *)(stack + offset);
    }
    return n ? sum / (double)n : (double)NAN;
}

double orr_few_coverage(const struct orr_few_shot *few, int size)
{
    return plain_mean(few, offsetof(struct orr_few_stack, coverage_frac) + (size_t)size * sizeof(double));
}

double orr_few_width(const struct orr_few_shot *few, int size)
{
    return plain_mean(few, offsetof(struct orr_few_stack, width) + (size_t)size * sizeof(double));
}
