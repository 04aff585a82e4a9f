/* The fit of a user's stack: from its tables (stack_tables.c) to the best description of the stack and everything worth
 * saying about it. */
#include "calibrate/stack_fit.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/plain.h"
#include "base/units.h"
#include "spec/relatives.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PASSES 3
/* A number keeps the parent's value if the runs left more than this share of its prior spread. */
#define UNTOLD_FRAC 0.95
/* An error with less weight than this is an outlier, 3.6 spreads from the others; from this share of them on, the runs
 * are two populations. */
#define OUTLIER_WEIGHT  0.3
#define POPULATION_FRAC (1.0 / 3)
/* A slow population beside a fast one is looked for from so many runs on. */
#define POPULATION_RUNS 6
/* Fewer runs do not judge a fit: without one of them there is hardly a fit. */
#define JUDGED_RUNS 5
/* A run that by the model needs more than so many times the memory of a GPU cannot have been made. */
#define IMPOSSIBLE 1.5

void orr_stack_note(struct orr_stack *stack, const char *format, ...)
{
    va_list arguments;
    if (stack->n_notes == ORR_STACK_NOTES) return;
    char *note = stack->notes[stack->n_notes];
    va_start(arguments, format);
    vsnprintf(note, ORR_NOTE, format, arguments);
    va_end(arguments);
    for (size_t i = 0; i < stack->n_notes; i++) /* rows of one file may be wrong in the same way */
        if (strcmp(stack->notes[i], note) == 0) return;
    stack->n_notes++;
}

/* ---------------------------------------------------------------- opening, closing */

enum orr_err orr_stack_open(const struct orr_catalogue *catalogue, const char *parent, struct orr_stack **stack,
                            struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    struct orr_engine engine;
    *stack = NULL;
    if (!ORR_HAS_NLOPT)
        return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){0}, "fit needs NLopt, which this build does not have");
    if (parent) {
        const enum orr_err err = orr_engine_read(catalogue, parent, &engine, error);
        if (err) return err;
    }
    struct orr_stack *s = calloc(1, sizeof *s);
    if (!s) return orr_out_of_memory(error, NULL);
    s->catalogue = catalogue;
    s->skip = 5;
    if (parent) snprintf(s->parent, sizeof s->parent, "%s", parent);
    *stack = s;
    return ORR_OK;
}

void orr_stack_close(struct orr_stack *stack)
{
    if (!stack) return;
    for (size_t i = 0; i < stack->n_tables; i++) {
        free((void *)(uintptr_t)stack->tables[i].text);
        free((void *)(uintptr_t)stack->tables[i].origin);
    }
    for (size_t i = 0; i < stack->n_engines; i++) orr_stack_runs_free(stack->engines[i]);
    free(stack->tables);
    free(stack->chosen);
    free(stack->about);
    free(stack);
}

/* ---------------------------------------------------------------- engines */

void orr_stack_name_row(const struct orr_validation *v, const struct orr_stack_run *run, char name[80])
{
    if (run->score.id[0]) snprintf(name, 80, "%.79s", run->score.id);
    else snprintf(name, 80, "line %d", v->csvs[run->csv].lines[run->row]);
}

void orr_stack_run_name(const struct orr_stack_runs *runs, size_t i, char name[80])
{
    orr_stack_name_row(runs->table, &runs->runs[i], name);
}

static enum orr_err read_engine(struct orr_stack *stack, const char *name, struct orr_error *error)
{
    struct orr_stack_runs **runs = &stack->engines[stack->n_engines];
    const enum orr_err err = orr_stack_read(stack->catalogue, stack->tables, stack->n_tables, name, runs, error);
    if (err) return err;
    snprintf(stack->names[stack->n_engines++], ORR_ID, "%s", name);
    return ORR_OK;
}

/* Who names a parent names the family of his stack, unless the parent describes no stack in particular. */
static enum orr_stack_kin kin_of_parent(enum orr_job_kind kind, const char *parent)
{
    if (kind == ORR_JOB_TRAIN) return ORR_STACK_TRAINED;
    return orr_engine_stands_in(parent) ? ORR_STACK_FOREIGN : ORR_STACK_SERVED;
}

/* The spread of stacks about a parent is not that about a stack of one's own, and what a fitted parent shares among its
 * runs would be lost. */
static enum orr_err refuse_fitted(const struct orr_engine *engine, struct orr_error *error)
{
    if (engine->fit_runs == 0) return ORR_OK;
    return orr_fail(error, ORR_ERR_RULE, (struct orr_place){0},
                    "engine \"%s\" is itself fitted, to %lld run%s: fit those and the new runs together, with its "
                    "parent as --engine",
                    engine->id, (long long)engine->fit_runs, engine->fit_runs == 1 ? "" : "s");
}

/* The parent's runs, and the engine that they are runs of. */
static enum orr_err read_parent(struct orr_stack *stack, struct orr_stack_worker *worker, struct orr_error *error)
{
    enum orr_err err = read_engine(stack, stack->parent, error);
    struct orr_stack_runs *runs = stack->engines[0];
    for (size_t i = 0; !err && i < runs->n; i++)
        if (orr_stack_usable(runs, i)) err = refuse_fitted(&runs->runs[i].job.engine, error);
    if (err) return err;
    if (!orr_stack_linearise(runs, NULL, &worker->n_predictions)) return orr_out_of_memory(error, NULL);
    const char *first = NULL;
    enum orr_job_kind kind = ORR_JOB_TRAIN;
    for (size_t i = 0; i < runs->n; i++) {
        if (!orr_stack_usable(runs, i)) continue;
        const char *id = runs->runs[i].job.engine.id;
        if (first && strcmp(first, id) != 0)
            return orr_fail(error, ORR_ERR_RULE, (struct orr_place){0},
                            "the runs have engines %s and %s: fit one stack at a time, or name a parent with --engine",
                            first, id);
        first = id;
        kind = runs->runs[i].job.kind;
    }
    if (first) runs->prior = orr_stack_recorded(kin_of_parent(kind, first));
    /* A family or an alias is the version that it means today; the file must not change with the catalogue. */
    const char *name = stack->names[0];
    if (first && (!name[0] || orr_catalogue_named(stack->catalogue, ORR_PART_ENGINE, name)))
        snprintf(stack->names[0], ORR_ID, "%s", first);
    return ORR_OK;
}

static int by_content(const void *a, const void *b, const struct orr_stack_runs *runs)
{
    const size_t i = *(const size_t *)a, j = *(const size_t *)b;
    const struct orr_score *x = &runs->runs[i].score, *y = &runs->runs[j].score;
    if (x->measured != y->measured) return x->measured < y->measured ? -1 : 1;
    if (runs->as_is[i] != runs->as_is[j]) return runs->as_is[i] < runs->as_is[j] ? -1 : 1;
    return strcmp(x->metric, y->metric);
}

/* A run that needs far more memory than there is was not made as its row says. Predictions of memory have errors, so
 * that one somewhat beyond the capacity is used. */
static void leave_impossible(struct orr_stack_run *run)
{
    const double capacity_bytes = run->job.system.chip.hbm_bytes;
    if (run->score.skipped[0] || run->needs_bytes <= IMPOSSIBLE * capacity_bytes) return;
    snprintf(run->score.skipped, sizeof run->score.skipped,
             "does not fit: needs %.4g GiB of %.4g GiB a GPU; are its GPUs, plan and recomputation those of the run?",
             run->needs_bytes / ORR_GIB, capacity_bytes / ORR_GIB);
}

/* A run counts once. What is left out of the rows is known before the first of them is. */
static bool leave_repeated(struct orr_stack_runs *runs)
{
    const char **reasons = calloc(runs->n + 1, sizeof *reasons);
    if (!reasons) return false;
    for (size_t i = 0; i < runs->n; i++) reasons[i] = orr_stack_repeated(runs, i);
    for (size_t i = 0; i < runs->n; i++)
        if (reasons[i]) snprintf(runs->runs[i].score.skipped, sizeof runs->runs[i].score.skipped, "%s", reasons[i]);
    free(reasons);
    return true;
}

static void note_memory(struct orr_stack *stack)
{
    const struct orr_stack_runs *runs = stack->engines[0];
    if (runs->n_memory == 0) return;
    if (runs->n_memory == 1)
        orr_stack_note(stack, "%s not used: is memory, which tells nothing about time", runs->memory_row);
    else
        orr_stack_note(stack, "%s and %zu more rows not used: are memory, which tells nothing about time",
                       runs->memory_row, runs->n_memory - 1);
}

/* The usable runs, sorted by content, so that the order of the rows changes no bit of the answer. */
static enum orr_err choose_runs(struct orr_stack *stack, struct orr_error *error)
{
    const size_t before = stack->n_notes;
    struct orr_stack_runs *runs = stack->engines[0];
    stack->chosen = malloc((runs->n + 1) * sizeof *stack->chosen);
    stack->about = calloc(runs->n + 1, sizeof *stack->about);
    if (!stack->chosen || !stack->about || !leave_repeated(runs)) return orr_out_of_memory(error, NULL);
    for (size_t i = 0; i < runs->n; i++) {
        char name[80];
        leave_impossible(&runs->runs[i]);
        if (orr_stack_usable(runs, i)) {
            size_t at = stack->n_chosen++;
            for (; at > 0 && by_content(&i, &stack->chosen[at - 1], runs) < 0; at--)
                stack->chosen[at] = stack->chosen[at - 1];
            stack->chosen[at] = i;
            continue;
        }
        orr_stack_run_name(runs, i, name);
        orr_stack_note(stack, "%s not used: %s", name, runs->runs[i].score.skipped);
    }
    note_memory(stack);
    stack->n_main = stack->n_chosen;
    if (stack->n_chosen > 0) return ORR_OK;
    return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){0}, "no run can be used%s%.480s",
                    stack->n_notes > before ? ": " : "", stack->n_notes > before ? stack->notes[before] : "");
}

/* ---------------------------------------------------------------- the fit */

static bool average(struct orr_stack *stack, struct orr_stack_worker *worker)
{
    const char *names[ORR_STACK_ENGINES];
    const struct orr_stack_choice choice = {stack->chosen, stack->n_main};
    for (size_t i = 0; i < stack->n_engines; i++) names[i] = stack->names[i];
    return orr_stack_average(worker, stack->engines, names, stack->n_engines, &choice, PASSES, &stack->mixture);
}

double orr_stack_told(const struct orr_stack_fit *fit, int i)
{
    if (i < ORR_STACK_N && !fit->active[i]) return 0;
    return orr_max(0, 1 - sqrt(orr_max(0, fit->covariance[i][i]) / fit->before[i]));
}

/* A file has one engine, and cannot hedge as the average does: the numbers of the parent fitted stand as far from the
 * parent's as the weights of the two say (Eq. 363). */
static void stand_between(const struct orr_stack_mixture *mixture, struct orr_stack_fit *fit)
{
    const double as_it_is = mixture->members[0].weight, fitted = mixture->members[1].weight;
    const double share = fitted / (as_it_is + fitted);
    for (int i = 0; i < ORR_STACK_N; i++) fit->x[i] *= share;
    fit->level *= share;
}

/* The best member again, with only those numbers that the runs told something about. */
static bool keep_best(struct orr_stack *stack, struct orr_stack_worker *worker)
{
    const struct orr_stack_member *best = orr_stack_best(&stack->mixture);
    const struct orr_stack_choice choice = {stack->chosen, stack->n_main};
    bool telling[ORR_STACK_N], any = false;
    stack->fit = best->fit;
    stack->fit_runs = best->runs;
    stack->fit_engine = best->engine;
    for (int i = 0; i < ORR_STACK_N; i++) {
        telling[i] = best->fit.active[i] && orr_stack_told(&best->fit, i) > 1 - UNTOLD_FRAC;
        any |= best->fit.active[i];
    }
    const bool done = !any || orr_stack_solve(worker, best->runs, &choice, PASSES, telling, &stack->fit);
    if (best == &stack->mixture.members[1]) stand_between(&stack->mixture, &stack->fit);
    return done;
}

/* What the time of a run is made of with the fit, for the distance of other jobs from it. */
static void look_at_shares(const struct orr_stack *stack, struct orr_stack_worker *worker, size_t run,
                           struct orr_stack_about *about)
{
    struct orr_score score;
    orr_stack_score(worker, stack->fit_runs, run, stack->fit.active, stack->fit.x, &score);
    about->regime = score.regime;
    memcpy(about->bound_frac, score.bound_frac, sizeof about->bound_frac);
}

/* What the engine file says of its own runs: the fit, with what it leaves of them shared. `work` has room for all. */
static void look_at_shared(struct orr_stack *stack, double *work)
{
    struct orr_stack_shared shared;
    const struct orr_stack_choice main = {stack->chosen, stack->n_main};
    for (size_t i = 0; i < stack->n_main; i++) work[i] = stack->about[i].left;
    orr_stack_share(stack->fit_runs, &main, work, stack->fit.ordinary, stack->fit.fitted, &shared);
    for (size_t i = 0; i < stack->n_chosen; i++)
        stack->about[i].after =
            stack->about[i].left - orr_stack_shift(&shared, &stack->fit_runs->runs[stack->chosen[i]]);
}

/* Errors of the chosen runs before and after, and their weights. */
static bool look_at_runs(struct orr_stack *stack, struct orr_stack_worker *worker)
{
    const struct orr_stack_choice choice = {stack->chosen, stack->n_main};
    double *left_out = calloc(stack->n_chosen + 1, sizeof *left_out), variance = 0;
    const bool done = left_out && orr_stack_leave_out(worker, stack->fit_runs, &choice, &stack->fit, left_out);
    for (size_t i = 0; done && i < stack->n_chosen; i++) {
        struct orr_stack_about *about = &stack->about[i];
        const size_t run = stack->chosen[i];
        const struct orr_stack_guess mixed = orr_stack_mixture_predict(worker, &stack->mixture, run);
        about->before = -log(stack->engines[0]->as_is[run]);
        const struct orr_stack_guess fitted = orr_stack_predict(worker, stack->fit_runs, run, &stack->fit);
        about->left = -fitted.mean;
        about->left_out = i < stack->n_main ? left_out[i] : about->left;
        about->weight = orr_stack_weight(about->left, stack->fit.ordinary);
        about->outlier = orr_stack_weight(about->left, stack->fit.within) < OUTLIER_WEIGHT;
        look_at_shares(stack, worker, run, about);
        /* what the runs left open about the fit, and how far the other members are from it */
        variance +=
            (fitted.variance + (mixed.mean - fitted.mean) * (mixed.mean - fitted.mean)) / (double)stack->n_chosen;
    }
    stack->stack_spread = sqrt(variance);
    if (done) look_at_shared(stack, left_out);
    free(left_out);
    return done;
}

static double median_error(const struct orr_stack *stack, bool left_out, double *work)
{
    for (size_t i = 0; i < stack->n_main; i++)
        work[i] = fabs(left_out ? stack->about[i].left_out : stack->about[i].before);
    qsort(work, stack->n_main, sizeof *work, orr_ascending);
    return work[stack->n_main / 2];
}

/* Half of the runs off by more than this (ln) is more than stacks differ by. */
#define SUSPICIOUS 0.9

static void note_suspicion(struct orr_stack *stack)
{
    double *work = malloc((stack->n_chosen + 1) * sizeof *work);
    const double off = work ? median_error(stack, false, work) : 0;
    free(work);
    if (off > SUSPICIOUS)
        orr_stack_note(stack,
                       "half of the runs differ from %s by a factor of %.1f or more: check model, system, precision, "
                       "batch and units before trusting a fit",
                       stack->names[0], exp(off));
}

/* A fit that predicts runs it has not seen worse than the parent does is not kept. */
static bool refuse_worse(struct orr_stack *stack, struct orr_stack_worker *worker)
{
    double *work = malloc((stack->n_chosen + 1) * sizeof *work);
    if (!work) return false;
    const bool worse = stack->fit.fitted && stack->n_main >= JUDGED_RUNS &&
                       median_error(stack, true, work) > median_error(stack, false, work);
    free(work);
    if (!worse) return true;
    orr_stack_note(stack, "no fit predicts a run from the others better than %s as it is, so its facts are kept",
                   stack->names[0]);
    stack->fit = stack->mixture.members[0].fit;
    stack->fit_runs = stack->engines[0];
    stack->fit_engine = stack->names[0];
    const bool done = look_at_runs(stack, worker);
    stack->stack_spread = 0; /* the other members are out of the question */
    return done;
}

/* Two populations: the runs that the fit describes stay, the others are set aside, after them in `chosen`. */
static bool split_populations(struct orr_stack *stack)
{
    size_t outliers = 0, n = 0;
    for (size_t i = 0; i < stack->n_chosen; i++) outliers += stack->about[i].outlier;
    if (stack->n_chosen < POPULATION_RUNS || (double)outliers < POPULATION_FRAC * (double)stack->n_chosen) return false;
    size_t *sorted = malloc(stack->n_chosen * sizeof *sorted);
    if (!sorted) return false;
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < stack->n_chosen; i++)
            if (stack->about[i].outlier == (side == 1)) sorted[n++] = stack->chosen[i];
    memcpy(stack->chosen, sorted, stack->n_chosen * sizeof *sorted);
    stack->n_main = stack->n_chosen - outliers;
    free(sorted);
    return true;
}

static void note_populations(struct orr_stack *stack, const char *column)
{
    double least = HUGE_VAL, most = 0;
    for (size_t i = stack->n_main; i < stack->n_chosen; i++) {
        least = orr_min(least, exp(stack->about[i].left));
        most = orr_max(most, exp(stack->about[i].left));
    }
    orr_stack_note(stack,
                   "two populations: the fit describes %zu runs; %zu others take %.2f to %.1f times its prediction and "
                   "are set aside%s%s",
                   stack->n_main, stack->n_chosen - stack->n_main, least, most, column ? "; pairs differ in " : "",
                   column ? column : "");
}

/* Their predictions are known when they are read; lines through them are drawn if they come near. */
static enum orr_err read_others(struct orr_stack *stack, struct orr_error *error)
{
    const char *others[ORR_STACK_OTHERS];
    const struct orr_stack_runs *runs = stack->engines[0];
    const enum orr_job_kind kind = runs->runs[stack->chosen[0]].job.kind;
    char id[ORR_ID], base[ORR_ID];
    orr_engine_relation(stack->catalogue, stack->names[0], id, base);
    const size_t n = orr_stack_others(kind, id, others);
    for (size_t i = 0; i < n; i++) {
        const enum orr_err err = read_engine(stack, others[i], error);
        if (err) return err;
    }
    return ORR_OK;
}

static bool fit_all(struct orr_stack *stack, struct orr_stack_worker *worker)
{
    if (!average(stack, worker) || !keep_best(stack, worker) || !look_at_runs(stack, worker)) return false;
    const char *column = orr_stack_odd_pairs(stack);
    if (split_populations(stack)) {
        if (!average(stack, worker) || !keep_best(stack, worker) || !look_at_runs(stack, worker)) return false;
        note_populations(stack, column);
    }
    if (!refuse_worse(stack, worker)) return false;
    note_suspicion(stack);
    return orr_stack_find_next(stack, worker);
}

enum orr_err orr_stack_run(struct orr_stack *stack, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    struct orr_stack_worker worker;
    const unsigned long n_failures = orr_memory_failures();
    if (!stack->n_tables)
        return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){0}, "fit needs runs: a table, a log, or --run");
    enum orr_err err = orr_stack_worker_open(&worker) ? ORR_OK : orr_out_of_memory(error, NULL);
    if (!err) err = read_parent(stack, &worker, error);
    if (!err) err = choose_runs(stack, error);
    if (!err) orr_stack_check_rows(stack);
    if (!err) err = read_others(stack, error);
    if (!err && !fit_all(stack, &worker)) err = orr_out_of_memory(error, NULL);
    /* A run or an engine that could not be read for lack of memory looks like one that cannot be used. */
    if (!err && orr_memory_failures() > n_failures) err = orr_out_of_memory(error, NULL);
    stack->n_predictions = worker.n_predictions;
    orr_stack_worker_close(&worker);
    return err;
}

/* ---------------------------------------------------------------- values */

double orr_stack_engine_value(const struct orr_stack *stack, int i, bool fitted)
{
    const double parent = orr_stack_parent(i, &stack->fit_runs->runs[stack->chosen[0]].job.engine);
    return fitted && stack->fit.active[i] ? orr_stack_value(i, parent, stack->fit.x[i]) : parent;
}

double orr_stack_prior_spread(const struct orr_stack *stack, int i)
{
    const double scale = i == ORR_STACK_N ? ORR_STACK_LEVEL : orr_stack_parameter(i)->scale;
    return scale * stack->fit_runs->prior.spread[i];
}

void orr_stack_interval(const struct orr_stack *stack, int i, double *low, double *high)
{
    const double parent = orr_stack_parent(i, &stack->fit_runs->runs[stack->chosen[0]].job.engine);
    const double reach = 1.2816 * sqrt(orr_max(0, stack->fit.covariance[i][i])); /* a normal, 80 % */
    *low = orr_stack_value(i, parent, stack->fit.x[i] - reach);
    *high = orr_stack_value(i, parent, stack->fit.x[i] + reach);
}
