/* How far a few runs of a stack bring its predictions: every stack of the measurements with enough rows falls back to
 * the parent of its engine, some of its rows are drawn, and the others are predicted (docs/fit.md). */
#ifndef ORR_STUDY_FEW_SHOT_H
#define ORR_STUDY_FEW_SHOT_H

#include "calibrate/stack.h"

enum { ORR_FEW_SIZES = 5 };
extern const int orr_few_sizes[ORR_FEW_SIZES]; /* runs that are drawn; the first is 0 */
#define ORR_FEW_ROWS 12                        /* fewest rows of a stack */
#define ORR_FEW_MOST 200                       /* rows of a larger stack that are looked at */
#define ORR_FEW_TOLD 40                        /* rows of a stack that say how far it is from its parent */

struct orr_few_stack {
    const char *source;
    char engine[ORR_ID], parent[ORR_ID];
    size_t n_rows;
    bool populations;                    /* two populations: named, and part of no mean */
    char pairs[ORR_STACK_PAIRS_TEXT];    /* what says so */
    double median_frac[ORR_FEW_SIZES];   /* of the absolute error of the rows that were not drawn */
    double coverage_frac[ORR_FEW_SIZES]; /* share of them inside the 80 % interval; not for 0 runs */
    double width[ORR_FEW_SIZES];         /* mean width of the interval, in ln */
    double floor_frac;                   /* median error of all rows with a fit to all of them: nothing of this form
                                            explains more */
};

struct orr_few_shot {
    size_t n;
    struct orr_few_stack *stacks;
    struct orr_validation *names; /* owns the texts of the stacks */
    int n_draws;
    struct orr_stack_population population[2]; /* how far all stacks are from their parents: training, serving */
};

/* Over the stacks of one population: their number, the geometric mean of the medians, mean coverage and mean width. */
size_t orr_few_counted(const struct orr_few_shot *few);
double orr_few_median(const struct orr_few_shot *few, int size);
double orr_few_floor(const struct orr_few_shot *few);
double orr_few_coverage(const struct orr_few_shot *few, int size);
double orr_few_width(const struct orr_few_shot *few, int size);

#endif
