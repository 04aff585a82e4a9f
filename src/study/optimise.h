/* The split of a generated machine's budgets that is best for a job. See docs/technology.md. */
#ifndef ORR_STUDY_OPTIMISE_H
#define ORR_STUDY_OPTIMISE_H

#include "technology/technology.h"

/* The budgets are area, power and perimeter; each is split over some components. */
enum { ORR_N_BUDGET_KINDS = 3, ORR_MAX_SHARES = 3 * ORR_N_COMPONENTS };
extern const char *const orr_budget_kind_names[ORR_N_BUDGET_KINDS];

/* Free shares of one budget. Their sum stays constant, and so does the part of the budget that no share uses. */
struct orr_simplex {
    int budget;      /* index of orr_budget_kind_names */
    size_t first, n; /* its shares in a list of those of all simplices */
    enum orr_component parts[ORR_N_COMPONENTS];
    double sum_frac;
};

struct orr_split_problem {
    struct orr_recipe recipe; /* Its split is the start, in whole steps. */
    struct orr_split given;   /* the split as it was given */
    const struct orr_job *job;
    enum orr_objective objective;
    size_t n_simplices;
    struct orr_simplex simplices[ORR_N_BUDGET_KINDS];
    const struct orr_optimise *options;
    struct orr_job trial; /* working memory */
    struct orr_scratch *scratch;
    int64_t evaluations;
};

/* The value of a split. */
struct orr_split_value {
    double value;    /* seconds, joules or dollars */
    bool made, fits; /* The budgets make a chip; the job fits into its memory. */
    double overflow; /* memory needed over memory available; the job fits at 1 or less */
    enum orr_bound bottleneck;
    char reason[ORR_REASON]; /* why the split is not feasible */
};

struct orr_split_optimum {
    struct orr_split split;
    struct orr_split_value before, after;
    int64_t evaluations;
};

/* Set up the problem from a recipe, a job and options->free. orr_split_problem_close frees the scratch and must follow
 * even after an error. */
enum orr_err orr_split_problem_open(const struct orr_recipe *recipe, const struct orr_job *job,
                                    const struct orr_optimise *options, struct orr_split_problem *problem,
                                    struct orr_error *error);
void orr_split_problem_close(struct orr_split_problem *problem);

/* Solve by the method asked for. ORR_ERR_INPUT means that the grid has too many points or that no split was
 * feasible. */
enum orr_err orr_split_solve(struct orr_split_problem *problem, const struct orr_optimise *options,
                             struct orr_split_optimum *optimum, struct orr_error *error);

/* ---------------------------------------------------------------- shared by the methods */

/* How many shares are free, in all simplices together. */
size_t orr_split_n_shares(const struct orr_split_problem *problem);
double *orr_split_shares(struct orr_split *split, int budget);
/* The number of steps in a whole budget. Shares are whole steps, so that the split written to a file is the split that
 * was evaluated. */
#define ORR_SHARE_STEPS 1e6

struct orr_split_value orr_split_evaluate(struct orr_split_problem *problem, const struct orr_split *split);
/* A copy of the start with these shares of the free parts, relative to the sum of each simplex. `x` lists all simplices
 * in turn. */
struct orr_split orr_split_from(const struct orr_split_problem *problem, const double *x);

/* The best split so far; orr_split_offer replaces it by a better one. */
struct orr_split_best {
    struct orr_split split;
    struct orr_split_value value;
    double score;
};
void orr_split_offer(struct orr_split_problem *problem, const struct orr_split *split, struct orr_split_best *best,
                     double *score);

bool orr_split_search(struct orr_split_problem *problem, const struct orr_optimise *options,
                      struct orr_split_best *best); /* returns false if out of memory */
void orr_split_gradient(struct orr_split_problem *problem, const struct orr_optimise *options,
                        struct orr_split_best *best);
/* The number of points in the grid; HUGE_VAL if it cannot be counted. */
double orr_split_grid_points(const struct orr_split_problem *problem, int64_t n_steps);
void orr_split_grid(struct orr_split_problem *problem, int64_t n_steps, struct orr_split_best *best);

/* A uniform number in [0, 1). The sequence is the same on every machine. */
double orr_split_random(uint64_t *state);

#endif
