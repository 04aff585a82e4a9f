/* How far stacks are from their parents, as the other sources say: what a fit of few runs begins with (docs/fit.md). */
#ifndef ORR_STUDY_FEW_POPULATION_H
#define ORR_STUDY_FEW_POPULATION_H

#include "calibrate/stack.h"

/* A stack with runs of its parent engine, whose lines are drawn. */
struct orr_few_parent {
    const char *source;
    bool trains;
    struct orr_stack_runs *runs; /* owned, as are the rows */
    size_t *rows, n_rows;        /* that are looked at */
};

struct orr_few_parents {
    size_t n;
    struct orr_few_parent *stacks;
};

/* The population of training or of serving stacks, without those of a source (NULL: with all). Weights stay as they
 * are. Returns false if out of memory. Eq. 362. */
bool orr_few_population(const struct orr_few_parents *parents, const char *without, bool trains,
                        struct orr_stack_population *population);
void orr_few_parents_free(struct orr_few_parents *parents);

#endif
