/* Two plain methods to compare the optimiser with: the gradient descent of DeepFlow, and every split of a grid. */
#include "study/optimise.h"

#include <math.h>
#include <string.h>

#include "base/number.h"

/* ---------------------------------------------------------------- gradient descent (docs/technology.md) */

#define RESTARTS     10
#define ITERATIONS   100
#define PERTURBATION 1.5
#define RATE         1.0
#define MOMENTUM     0.9
#define FLOOR        0.01

/* Raise the shares of one simplex to a floor and scale them to sum 1. */
static void normalise(const struct orr_simplex *simplex, double *shares)
{
    const size_t first = simplex->first, end = first + simplex->n;
    double sum = 0;
    for (size_t i = first; i < end; i++) sum += shares[i] = orr_max(FLOOR, shares[i]);
    for (size_t i = first; i < end; i++) shares[i] /= sum;
}

static double score_of(struct orr_split_problem *problem, const double *shares, struct orr_split_best *best)
{
    double score;
    const struct orr_split split = orr_split_from(problem, shares);
    orr_split_offer(problem, &split, best, &score);
    return score;
}

/* The job does not fit: the memory gets a larger share, in proportion to what is missing. */
static void make_room(struct orr_split_problem *problem, double *shares)
{
    const struct orr_split split = orr_split_from(problem, shares);
    const struct orr_split_value value = orr_split_evaluate(problem, &split);
    if (!value.made || value.fits) return;
    for (size_t s = 0; s < problem->n_simplices; s++) {
        const struct orr_simplex *simplex = &problem->simplices[s];
        for (size_t i = 0; i < simplex->n; i++)
            if (simplex->parts[i] == ORR_COMPONENT_DRAM) shares[simplex->first + i] *= value.overflow;
        normalise(simplex, shares);
    }
}

/* Forward differences in one simplex: each share in turn grows by a half, and the others shrink. */
static void differences(struct orr_split_problem *problem, const struct orr_simplex *simplex, const double *shares,
                        double score, struct orr_split_best *best, double *slopes)
{
    const size_t first = simplex->first, end = first + simplex->n;
    double moved[ORR_MAX_SHARES], norm = 0;
    for (size_t i = first; i < end; i++) {
        memcpy(moved, shares, sizeof moved);
        moved[i] *= PERTURBATION;
        normalise(simplex, moved);
        slopes[i] = (score_of(problem, moved, best) - score) / ((PERTURBATION - 1) * shares[i]);
        norm += slopes[i] * slopes[i];
    }
    for (size_t i = first; i < end; i++) slopes[i] = norm > 0 ? slopes[i] / sqrt(norm) : 0;
}

static void descend(struct orr_split_problem *problem, double *shares, struct orr_split_best *best)
{
    double speed[ORR_MAX_SHARES] = {0}, slopes[ORR_MAX_SHARES] = {0};
    for (int step = 0; step < ITERATIONS; step++) {
        make_room(problem, shares);
        const double score = score_of(problem, shares, best);
        for (size_t s = 0; s < problem->n_simplices; s++)
            differences(problem, &problem->simplices[s], shares, score, best, slopes);
        for (size_t i = 0; i < orr_split_n_shares(problem); i++) {
            speed[i] = MOMENTUM * speed[i] - (1 - MOMENTUM) * RATE * slopes[i];
            shares[i] += speed[i];
        }
        for (size_t s = 0; s < problem->n_simplices; s++) normalise(&problem->simplices[s], shares);
    }
}

void orr_split_gradient(struct orr_split_problem *problem, const struct orr_optimise *options,
                        struct orr_split_best *best)
{
    const int64_t n_restarts = options->n_restarts > 0 ? options->n_restarts : RESTARTS;
    uint64_t random = options->seed;
    for (int64_t r = 0; r < n_restarts; r++) {
        double shares[ORR_MAX_SHARES] = {0};
        for (size_t i = 0; i < orr_split_n_shares(problem); i++) shares[i] = orr_split_random(&random);
        for (size_t s = 0; s < problem->n_simplices; s++) normalise(&problem->simplices[s], shares);
        descend(problem, shares, best);
    }
}

/* ---------------------------------------------------------------- grid */

double orr_split_grid_points(const struct orr_split_problem *problem, int64_t n_steps)
{
    double points = 1;
    /* Each part has at least one of n_steps steps, which makes C(n_steps - 1, n - 1) splits. */
    for (size_t s = 0; s < problem->n_simplices; s++)
        for (size_t i = 1; i < problem->simplices[s].n; i++)
            points *= orr_max(0, (double)n_steps - (double)i) / (double)i;
    return points;
}

/* Give steps to the share `i` of simplex `s`, then split what is left over the following shares. */
static void walk(struct orr_split_problem *problem, size_t s, size_t i, int64_t left, int64_t n_steps, double *shares,
                 struct orr_split_best *best)
{
    if (s == problem->n_simplices) {
        (void)score_of(problem, shares, best);
        return;
    }
    const size_t first = problem->simplices[s].first;
    const int64_t others = (int64_t)(problem->simplices[s].n - i - 1);
    if (others == 0) {
        shares[first + i] = (double)left / (double)n_steps;
        walk(problem, s + 1, 0, n_steps, n_steps, shares, best);
        return;
    }
    for (int64_t steps = 1; steps <= left - others; steps++) {
        shares[first + i] = (double)steps / (double)n_steps;
        walk(problem, s, i + 1, left - steps, n_steps, shares, best);
    }
}

void orr_split_grid(struct orr_split_problem *problem, int64_t n_steps, struct orr_split_best *best)
{
    double shares[ORR_MAX_SHARES] = {0};
    walk(problem, 0, 0, n_steps, n_steps, shares, best);
}
