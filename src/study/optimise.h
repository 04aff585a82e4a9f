/* The split of a generated machine's budgets that is best for a job. docs/technology.md. */
#ifndef ORR_STUDY_OPTIMISE_H
#define ORR_STUDY_OPTIMISE_H

#include "technology/technology.h"

/* Area, power, perimeter: each split over some components. */
enum { ORR_N_BUDGET_KINDS = 3, ORR_MAX_SHARES = 3 * ORR_N_COMPONENTS };
extern const char *const orr_budget_kind_names[ORR_N_BUDGET_KINDS];

/* Shares of one budget that may move against each other; their sum stays, and so does what no share uses. */
struct orr_simplex {
    int budget; /* index of orr_budget_kind_names */
    size_t n;
    enum orr_component parts[ORR_N_COMPONENTS];
    double sum_frac;
};

struct orr_split_problem {
    struct orr_recipe recipe; /* its split is the start, in whole steps */
    struct orr_split given;   /* the split as it was given */
    const struct orr_job *job;
    enum orr_objective objective;
    size_t n_simplices;
    struct orr_simplex simplices[ORR_N_BUDGET_KINDS];
    struct orr_job trial; /* working memory */
    struct orr_scratch *scratch;
    int64_t evaluations;
};

/* What a split gives. */
struct orr_split_value {
    double value;    /* seconds, joules or dollars */
    bool made, fits; /* budgets make a chip; the job fits into its memory */
    double overflow; /* memory asked for over memory there is; 1 or less: fits */
    enum orr_bound bottleneck;
    char reason[ORR_REASON]; /* why not */
};

struct orr_split_optimum {
    struct orr_split split;
    struct orr_split_value before, after;
    int64_t evaluations;
};

/* Set up; `options->free` is read here. Free the scratch with orr_split_problem_close, even after an error. */
enum orr_err orr_split_problem_open(const struct orr_recipe *recipe, const struct orr_job *job,
                                    const struct orr_optimise *options, struct orr_split_problem *problem,
                                    struct orr_error *error);
void orr_split_problem_close(struct orr_split_problem *problem);

/* Solve by the method asked for. ORR_ERR_INPUT: a grid with too many points, or no feasible split was met. */
enum orr_err orr_split_solve(struct orr_split_problem *problem, const struct orr_optimise *options,
                             struct orr_split_optimum *optimum, struct orr_error *error);

/* ---------------------------------------------------------------- shared by the methods */

double *orr_split_shares(struct orr_split *split, int budget);
/* Steps of a whole budget; shares are whole steps, so that a split that is written down is the split that was
 * judged. */
#define ORR_SHARE_STEPS 1e6

struct orr_split_value orr_split_evaluate(struct orr_split_problem *problem, const struct orr_split *split);
/* Put shares of the free parts, relative to each simplex's sum, into a copy of the start; `x`: all simplices in
 * turn. */
struct orr_split orr_split_from(const struct orr_split_problem *problem, const double *x);

/* Keep the better of two. */
struct orr_split_best {
    struct orr_split split;
    struct orr_split_value value;
    double score;
};
void orr_split_offer(struct orr_split_problem *problem, const struct orr_split *split, struct orr_split_best *best,
                     double *score);

bool orr_split_search(struct orr_split_problem *problem, const struct orr_optimise *options,
                      struct orr_split_best *best); /* false: out of memory */
void orr_split_gradient(struct orr_split_problem *problem, const struct orr_optimise *options,
                        struct orr_split_best *best);
/* Points of the grid; HUGE_VAL: more than can be counted. */
double orr_split_grid_points(const struct orr_split_problem *problem, int64_t n_steps);
void orr_split_grid(struct orr_split_problem *problem, int64_t n_steps, struct orr_split_best *best);

/* A uniform number in [0, 1); the same sequence everywhere. */
double orr_split_random(uint64_t *state);

#endif
