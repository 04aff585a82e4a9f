/* Splits of budgets as an optimisation problem: which shares are free, what a split is worth, and the choice of a
 * method. */
#include "study/optimise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "base/text.h"
#include "study/sample.h"

#define MADE_PENALTY   40.0 /* a logarithm above that of every objective */
#define MEMORY_PENALTY 20.0
#define GRID_MAX       500000.0

const char *const orr_budget_kind_names[ORR_N_BUDGET_KINDS] = {"area", "power", "perimeter"};

#define NAME(member, name, ...) name,
static const char *const OPTIMISER_NAMES[ORR_N_OPTIMISERS] = {ORR_OPTIMISERS(NAME)};

const char *orr_optimiser_name(enum orr_optimiser optimiser)
{
    return (unsigned)optimiser < ORR_N_OPTIMISERS ? OPTIMISER_NAMES[optimiser] : "unknown";
}

double *orr_split_shares(struct orr_split *split, int budget)
{
    return budget == 0 ? split->area_frac : budget == 1 ? split->power_frac : split->perimeter_frac;
}

size_t orr_split_n_shares(const struct orr_split_problem *problem)
{
    const struct orr_simplex *last = &problem->simplices[problem->n_simplices - 1];
    return last->first + last->n;
}

/* The generator is SplitMix64. */
double orr_split_random(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    return (double)(orr_mix(*state) >> 11) * 0x1p-53;
}

/* The share in whole steps. It is rounded down, so that no sum exceeds its budget, unless it is whole but for
 * rounding. */
static double whole_steps(double share)
{
    return floor(share * ORR_SHARE_STEPS + 1e-6) / ORR_SHARE_STEPS;
}

/* ---------------------------------------------------------------- which shares move */

#define IS_EDGE(member, ...) || part == ORR_COMPONENT_##member

static bool has_share(int budget, int part)
{
    return budget < 2 ORR_EDGE_COMPONENTS(IS_EDGE);
}

static void share_name(int budget, int part, char name[64])
{
    (void)snprintf(name, 64, "%s.%s", orr_budget_kind_names[budget], orr_component_names[part]);
}

/* Is "power.core" in the comma-separated list? */
static bool is_free(const char *list, int budget, int part)
{
    char name[64], word[64];
    share_name(budget, part, name);
    while (orr_next_word(&list, ',', word, sizeof word))
        if (strcmp(word, name) == 0) return true;
    return false;
}

static enum orr_err check_free(const char *list, struct orr_error *error)
{
    const char *known[ORR_MAX_SHARES];
    char names[ORR_MAX_SHARES][64], word[64], hint[ORR_HINT];
    size_t n = 0;
    for (int b = 0; b < ORR_N_BUDGET_KINDS; b++)
        for (int i = 0; i < ORR_N_COMPONENTS; i++) {
            if (!has_share(b, i)) continue;
            share_name(b, i, names[n]);
            known[n] = names[n];
            n++;
        }
    while (orr_next_word(&list, ',', word, sizeof word)) {
        bool found = false;
        for (size_t i = 0; i < n && !found; i++) found = strcmp(word, known[i]) == 0;
        if (!found)
            return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.key = "free"},
                            "unknown share \"%s\"%s; shares: area.PART, power.PART, perimeter.PART", word,
                            orr_did_you_mean(hint, word, known, n));
    }
    return ORR_OK;
}

static void add_simplex(struct orr_split_problem *problem, int budget, const char *list)
{
    struct orr_simplex *simplex = &problem->simplices[problem->n_simplices];
    const double *shares = orr_split_shares(&problem->recipe.split, budget);
    const struct orr_simplex *before = problem->n_simplices > 0 ? simplex - 1 : NULL;
    *simplex = (struct orr_simplex){.budget = budget, .first = before ? before->first + before->n : 0};
    for (int i = 0; i < ORR_N_COMPONENTS; i++) {
        if (!has_share(budget, i) || (list && !is_free(list, budget, i))) continue;
        simplex->parts[simplex->n++] = (enum orr_component)i;
        simplex->sum_frac += shares[i];
    }
    if (simplex->n > 1) problem->n_simplices++;
}

enum orr_err orr_split_problem_open(const struct orr_recipe *recipe, const struct orr_job *job,
                                    const struct orr_optimise *options, struct orr_split_problem *problem,
                                    struct orr_error *error)
{
    *problem = (struct orr_split_problem){
        .recipe = *recipe, .job = job, .objective = options->objective, .options = options, .trial = *job};
    problem->given = recipe->split;
    for (int b = 0; b < ORR_N_BUDGET_KINDS; b++)
        for (int i = 0; i < ORR_N_COMPONENTS; i++) {
            double *share = &orr_split_shares(&problem->recipe.split, b)[i];
            *share = whole_steps(*share);
        }
    if (options->objective != ORR_OBJECTIVE_TIME && options->objective != ORR_OBJECTIVE_ENERGY &&
        options->objective != ORR_OBJECTIVE_COST)
        return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.key = "objective"},
                        "\"%s\" is no objective of a split; expected time, energy or cost",
                        orr_objective_name(options->objective));
    const enum orr_err err = options->free ? check_free(options->free, error) : ORR_OK;
    if (err) return err;
    for (int b = 0; b < ORR_N_BUDGET_KINDS; b++) add_simplex(problem, b, options->free);
    if (problem->n_simplices == 0)
        return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.key = "free"},
                        "nothing can move: name two shares of one budget at least, e.g. power.core,power.dram");
    problem->scratch = orr_scratch_new();
    return problem->scratch ? ORR_OK : orr_out_of_memory(error, NULL);
}

void orr_split_problem_close(struct orr_split_problem *problem)
{
    orr_scratch_free(problem->scratch);
    problem->scratch = NULL;
}

/* ---------------------------------------------------------------- what a split is worth */

/* Predict the job on the machine of a split. */
static void judge(struct orr_split_problem *problem, struct orr_split_value *value)
{
    const struct orr_job *job = &problem->trial;
    const bool trains = job->kind == ORR_JOB_TRAIN;
    struct orr_result train;
    struct orr_infer_result infer;
    if (trains) orr_train(job, problem->scratch, &train);
    else orr_infer(job, problem->scratch, &infer);
    const double values[ORR_N_OBJECTIVES] = {[ORR_OBJECTIVE_TIME] = trains ? train.step_time_s : infer.latency_s,
                                             [ORR_OBJECTIVE_ENERGY] = trains ? train.energy_j : infer.energy_j,
                                             [ORR_OBJECTIVE_COST] = trains ? train.cost_usd : infer.cost_usd};
    value->value = values[problem->objective];
    value->fits = trains ? train.fits : infer.fits;
    value->overflow = trains ? train.memory.total_bytes / train.memory.usable_bytes
                             : orr_max(infer.fits ? 0 : 1.0, infer.memory_total_bytes / infer.memory_usable_bytes);
    value->bottleneck = trains ? train.bottleneck : infer.bottleneck;
}

/* Eq. 291: the weighted geometric mean over all jobs, which a factor in any of them changes alike. The fullest memory
 * decides whether they fit, and the first job names the bottleneck. */
static void judge_all(struct orr_split_problem *problem, const struct orr_recipe *recipe,
                      const struct orr_machine *machine, struct orr_split_value *value)
{
    const struct orr_optimise *options = problem->options;
    double logarithm = 0, weights = 0;
    for (size_t i = 0; i <= options->n_others; i++) {
        struct orr_split_value one = {.made = true};
        const double weight = options->weights ? options->weights[i] : 1;
        if (options->n_others > 0) problem->trial = i > 0 ? options->others[i - 1] : *problem->job;
        orr_machine_system(recipe, machine, &problem->trial.system);
        judge(problem, &one);
        if (i == 0) *value = one;
        value->fits = value->fits && one.fits;
        value->overflow = orr_max(value->overflow, one.overflow);
        logarithm += weight * log(one.value);
        weights += weight;
    }
    if (options->n_others > 0) value->value = exp(logarithm / weights);
}

struct orr_split_value orr_split_evaluate(struct orr_split_problem *problem, const struct orr_split *split)
{
    struct orr_split_value value = {0};
    struct orr_recipe recipe = problem->recipe;
    struct orr_machine machine;
    recipe.split = *split;
    problem->evaluations++;
    value.made = orr_generate(&recipe, &machine, value.reason);
    if (!value.made) return value;
    judge_all(problem, &recipe, &machine, &value);
    if (!value.fits)
        (void)snprintf(value.reason, sizeof value.reason, "the job takes %.2f times the memory", value.overflow);
    return value;
}

/* The number to minimise: the logarithm of the objective. Splits that are not feasible lie above all others. */
static double penalised(const struct orr_split_value *value)
{
    if (!value->made) return MADE_PENALTY;
    if (!value->fits) return MEMORY_PENALTY + orr_min(10, log(orr_max(1, value->overflow)));
    return log(value->value);
}

struct orr_split orr_split_from(const struct orr_split_problem *problem, const double *x)
{
    struct orr_split split = problem->recipe.split;
    for (size_t s = 0; s < problem->n_simplices; s++) {
        const struct orr_simplex *simplex = &problem->simplices[s];
        double *shares = orr_split_shares(&split, simplex->budget);
        for (size_t i = 0; i < simplex->n; i++) shares[simplex->parts[i]] = whole_steps(*x++ * simplex->sum_frac);
    }
    return split;
}

void orr_split_offer(struct orr_split_problem *problem, const struct orr_split *split, struct orr_split_best *best,
                     double *score)
{
    const struct orr_split_value value = orr_split_evaluate(problem, split);
    *score = penalised(&value);
    if (*score < best->score) *best = (struct orr_split_best){*split, value, *score};
}

/* ---------------------------------------------------------------- solving */

enum orr_err orr_split_solve(struct orr_split_problem *problem, const struct orr_optimise *options,
                             struct orr_split_optimum *optimum, struct orr_error *error)
{
    const int64_t n_steps = options->n_grid_steps > 0 ? options->n_grid_steps : 10;
    struct orr_split_best best = {.split = problem->recipe.split, .score = HUGE_VAL};
    bool enough = true;
    if (options->optimiser == ORR_OPTIMISER_SEARCH && !ORR_HAS_NLOPT)
        return orr_fail(error, ORR_ERR_RULE, (struct orr_place){.key = "optimiser"},
                        "built without NLopt: expected gradient or grid");
    optimum->before = orr_split_evaluate(problem, &problem->given);
    switch (options->optimiser) {
    case ORR_OPTIMISER_SEARCH: enough = orr_split_search(problem, options, &best); break;
    case ORR_OPTIMISER_GRADIENT: orr_split_gradient(problem, options, &best); break;
    case ORR_OPTIMISER_GRID:
        if (orr_split_grid_points(problem, n_steps) > GRID_MAX)
            return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.key = "grid"},
                            "%.3g splits are too many for a grid (at most %g): free fewer shares, or take fewer steps",
                            orr_split_grid_points(problem, n_steps), GRID_MAX);
        orr_split_grid(problem, n_steps, &best);
        break;
    case ORR_N_OPTIMISERS: break;
    }
    if (!enough) return orr_out_of_memory(error, NULL);
    if (best.score >= MEMORY_PENALTY)
        return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.key = "system"},
                        "no split of these budgets fits: %s; more memory, power or area is needed",
                        best.score < HUGE_VAL ? best.value.reason : optimum->before.reason);
    optimum->split = best.split;
    optimum->after = best.value;
    optimum->evaluations = problem->evaluations;
    return ORR_OK;
}
