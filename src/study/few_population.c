/* How far stacks are from their parents, estimated by turns: every stack is fitted under the population so far, and the
 * fits give the next population (expectation and maximisation). */
#include "study/few_population.h"

#include "base/memory.h"
#include "base/plain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* So many turns; more change no share of the error by a hundredth. */
#define TURNS  6
#define PASSES 2
/* A stack that no numbers describe says nothing about them: what a fit leaves of its runs is more than this (ln). */
#define UNDESCRIBED 0.3

static bool counts(const struct orr_few_parent *stack, const char *without, bool trains)
{
    return stack->trains == trains && !(without && strcmp(stack->source, without) == 0);
}

/* Several stacks of one source are more than one stack, and less than as many of several sources. */
static double weight_of(const struct orr_few_parents *parents, size_t i)
{
    size_t n = 0;
    for (size_t k = 0; k < parents->n; k++)
        n += parents->stacks[k].trains == parents->stacks[i].trains &&
             strcmp(parents->stacks[k].source, parents->stacks[i].source) == 0;
    return 1 / sqrt((double)n);
}

/* Fit every stack that counts. Returns false if out of memory. */
static bool fit_stacks(const struct orr_few_parents *parents, const char *without, bool trains,
                       const struct orr_stack_population *population, struct orr_stack_fit *fits)
{
    bool done = true;
#pragma omp parallel reduction(&& : done)
    {
        ORR_PLAIN_NUMBERS;
        struct orr_stack_worker worker;
        const bool open = orr_stack_worker_open(&worker);
#pragma omp for schedule(dynamic)
        for (size_t i = 0; i < parents->n; i++) {
            const struct orr_few_parent *stack = &parents->stacks[i];
            const struct orr_stack_choice rows = {stack->rows, stack->n_rows};
            if (!open || !counts(stack, without, trains)) continue;
            stack->runs->prior = *population;
            if (!orr_stack_solve(&worker, stack->runs, &rows, PASSES, NULL, &fits[i])) done = false;
        }
        orr_stack_worker_close(&worker);
        done = open && !orr_memory_lacked() && done; /* told, and no matter of what this thread does next */
    }
    return done;
}

/* What stack i says: how far it is from its parent, and how wide its runs lie about the parent as it is. */
static void add_stack(const struct orr_few_parents *parents, size_t i, const struct orr_stack_population *population,
                      const struct orr_stack_fit *fit, struct orr_stack_moments *moments)
{
    const struct orr_few_parent *stack = &parents->stacks[i];
    const struct orr_stack_choice rows = {stack->rows, stack->n_rows};
    const double weight = weight_of(parents, i);
    orr_stack_moments_add(population, fit, weight, moments);
    orr_stack_moments_add_width(orr_stack_width(stack->runs, &rows), weight, moments);
}

bool orr_few_population(const struct orr_few_parents *parents, const char *without, bool trains,
                        struct orr_stack_population *population)
{
    struct orr_stack_fit *fits = calloc(parents->n + 1, sizeof *fits);
    struct orr_stack_population now = orr_stack_unknown();
    bool done = fits;
    now.as_it_is = population->as_it_is;
    now.fitted = population->fitted;
    now.others = population->others;
    for (int turn = 0; turn < TURNS && done; turn++) {
        struct orr_stack_moments moments = {0};
        done = fit_stacks(parents, without, trains, &now, fits);
        for (size_t i = 0; i < parents->n && done; i++)
            if (counts(&parents->stacks[i], without, trains) && fits[i].within < UNDESCRIBED)
                add_stack(parents, i, &now, &fits[i], &moments);
        orr_stack_moments_settle(&moments, &now);
    }
    if (done) *population = now;
    free(fits);
    return done;
}

void orr_few_parents_free(struct orr_few_parents *parents)
{
    for (size_t i = 0; i < parents->n; i++) {
        orr_stack_runs_free(parents->stacks[i].runs);
        free(parents->stacks[i].rows);
    }
    free(parents->stacks);
    *parents = (struct orr_few_parents){0};
}
