/* The optimiser of budget splits, with log-ratios as variables. It runs a local search from the given split; then, from
 * random splits, a global search followed by a local one; and a last local search from the best. All evaluations are
 * counted and all random numbers seeded, so that the same question has the same answer to the last bit. */
#include "study/optimise.h"

#include <math.h>
#include <nlopt.h>

#include "base/number.h"

#define RATIO_BOUND      7.0 /* logarithm of the largest ratio of two shares */
#define LEAST            1e-6
#define GLOBAL_PER_SHARE 300
#define LOCAL_PER_SHARE  60
#define FINAL_PER_SHARE  120
#define RESTARTS         20

struct search {
    struct orr_split_problem *problem;
    struct orr_split_best *best;
};

/* Convert the log-ratios against the last share of each simplex into shares of its sum. */
static void shares_of(const struct orr_split_problem *problem, const double *ratios, double *shares)
{
    for (size_t s = 0; s < problem->n_simplices; s++) {
        const size_t n = problem->simplices[s].n;
        double sum = 1;
        for (size_t i = 0; i + 1 < n; i++) sum += exp(ratios[i]);
        for (size_t i = 0; i < n; i++) shares[i] = (i + 1 < n ? exp(ratios[i]) : 1) / sum;
        ratios += n - 1;
        shares += n;
    }
}

/* The log-ratios of a split. */
static void ratios_of(const struct orr_split_problem *problem, const struct orr_split *split, double *ratios)
{
    struct orr_split copy = *split;
    for (size_t s = 0; s < problem->n_simplices; s++) {
        const struct orr_simplex *simplex = &problem->simplices[s];
        const double *shares = orr_split_shares(&copy, simplex->budget);
        const double last = orr_max(LEAST, shares[simplex->parts[simplex->n - 1]]);
        for (size_t i = 0; i + 1 < simplex->n; i++) {
            const double ratio = log(orr_max(LEAST, shares[simplex->parts[i]]) / last);
            *ratios++ = orr_max(-RATIO_BOUND, orr_min(RATIO_BOUND, ratio));
        }
    }
}

static double objective(unsigned n, const double *ratios, double *gradient, void *context)
{
    struct search *search = context;
    double shares[ORR_MAX_SHARES], score;
    (void)n;
    (void)gradient;
    shares_of(search->problem, ratios, shares);
    const struct orr_split split = orr_split_from(search->problem, shares);
    orr_split_offer(search->problem, &split, search->best, &score);
    return score;
}

static unsigned n_ratios(const struct orr_split_problem *problem)
{
    return (unsigned)(orr_split_n_shares(problem) - problem->n_simplices);
}

/* Run a method from `x`. The objective keeps the best split that it sees. */
static bool run(struct search *search, nlopt_algorithm method, int evaluations, double step, double *x)
{
    const unsigned n = n_ratios(search->problem);
    double value;
    nlopt_opt opt = nlopt_create(method, n);
    if (!opt) return false;
    const bool ready = nlopt_set_min_objective(opt, objective, search) > 0 &&
                       nlopt_set_lower_bounds1(opt, -RATIO_BOUND) > 0 &&
                       nlopt_set_upper_bounds1(opt, RATIO_BOUND) > 0 && nlopt_set_initial_step1(opt, step) > 0 &&
                       nlopt_set_xtol_rel(opt, 1e-6) > 0 && nlopt_set_maxeval(opt, evaluations) > 0;
    const nlopt_result result = ready ? nlopt_optimize(opt, x, &value) : NLOPT_FAILURE;
    nlopt_destroy(opt);
    return result != NLOPT_OUT_OF_MEMORY && result != NLOPT_INVALID_ARGS;
}

/* Run a local search from x and another from its end. The objective has steps, and a new simplex of points leaves
 * them. */
static bool run_local(struct search *search, int evaluations, double *x)
{
    return run(search, NLOPT_LN_SBPLX, evaluations, 0.5, x) && run(search, NLOPT_LN_SBPLX, evaluations, 0.1, x);
}

bool orr_split_search(struct orr_split_problem *problem, const struct orr_optimise *options,
                      struct orr_split_best *best)
{
    struct search search = {problem, best};
    const unsigned n = n_ratios(problem);
    const int64_t n_restarts = options->n_restarts > 0 ? options->n_restarts : RESTARTS;
    double x[ORR_MAX_SHARES], score;
    uint64_t random = options->seed;
    nlopt_srand((unsigned long)options->seed + 1);
    orr_split_offer(problem, &problem->recipe.split, best, &score);
    ratios_of(problem, &problem->recipe.split, x);
    bool ok = run_local(&search, LOCAL_PER_SHARE * (int)n, x);
    for (int64_t r = 0; r < n_restarts && ok; r++) {
        for (unsigned i = 0; i < n; i++) x[i] = 4 * orr_split_random(&random) - 2;
        ok = run(&search, NLOPT_GN_CRS2_LM, GLOBAL_PER_SHARE * (int)n, 1, x) &&
             run_local(&search, LOCAL_PER_SHARE * (int)n, x);
    }
    ratios_of(problem, &best->split, x);
    return ok && run_local(&search, FINAL_PER_SHARE * (int)n, x);
}
