/* The optimiser of budget splits: never worse than every split of a grid or DeepFlow's gradient descent, the same every
 * time, within its budgets, and written down as a name that gives exactly what was found. */
#include "support.h"

#include "spec/technology.h"
#include "study/optimise.h"

static struct orr_split_problem problem;

static const char TRAIN[] = "{'kind':'train','model':'gpt3-175b','system':'%s','gpus':1024,'plan':{'tp':8,'pp':8},"
                            "'workload':{'global_batch':512}}";
static const char INFER[] = "{'kind':'infer','model':'llama2-70b','system':'%s','plan':{'tp':4},"
                            "'workload':{'batch':8,'input_len':1024,'output_len':64}}";

#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static struct orr_split_optimum solve(struct world *world, const char *request, const char *name,
                                      struct orr_optimise options)
{
    struct orr_recipe recipe;
    struct orr_split_optimum optimum;
    struct orr_error error;
    const struct orr_reference reference = {.part = ORR_PART_SYSTEM, .name = name};
    read_job(world, request, name);
    if (orr_recipe_read(world->catalogue, &reference, &recipe, &error)) fail_msg("%s", error.text);
    if (orr_split_problem_open(&recipe, &world->job, &options, &problem, &error)) fail_msg("%s", error.text);
    if (orr_split_solve(&problem, &options, &optimum, &error)) fail_msg("%s", error.text);
    orr_split_problem_close(&problem);
    return optimum;
}

/* Few shares, so that a grid can try them all. */
static void never_worse_than_a_grid_or_gradients(void **state)
{
    static const struct {
        const char *request, *name, *free;
        enum orr_objective objective;
        int64_t n_steps;
    } CASES[] = {
        {TRAIN, "generated:node=5", "power.core,power.dram,power.registers", ORR_OBJECTIVE_TIME, 60},
        {TRAIN, "generated:node=3,memory=hbm4", "area.core,area.l2,power.core,power.registers", ORR_OBJECTIVE_TIME, 30},
        {TRAIN, "generated:node=5", "power.core,power.dram,power.registers", ORR_OBJECTIVE_ENERGY, 60},
        {TRAIN, "generated:design=ampere,memory=hbm3,package=1500", "area.core,area.l2,area.dram", ORR_OBJECTIVE_COST,
         40},
        {INFER, "generated:node=5", "power.core,power.dram,power.intra", ORR_OBJECTIVE_TIME, 60},
        {INFER, "generated:node=2,memory=hbm3e", "power.dram,power.intra,power.l2", ORR_OBJECTIVE_COST, 60},
    };
    for (size_t i = 0; i < COUNT(CASES); i++) {
        struct orr_optimise options = {
            .objective = CASES[i].objective, .free = CASES[i].free, .n_grid_steps = CASES[i].n_steps};
        options.optimiser = ORR_OPTIMISER_GRID;
        const double grid = solve(*state, CASES[i].request, CASES[i].name, options).after.value;
        options.optimiser = ORR_OPTIMISER_GRADIENT;
        const double gradient = solve(*state, CASES[i].request, CASES[i].name, options).after.value;
        options.optimiser = ORR_OPTIMISER_SEARCH;
        const struct orr_split_optimum best = solve(*state, CASES[i].request, CASES[i].name, options);
        if (best.after.value > grid * (1 + 1e-12) || best.after.value > gradient * (1 + 1e-12))
            fail_msg("case %zu: search %.9g, grid %.9g, gradient %.9g", i, best.after.value, grid, gradient);
        assert_true(best.after.fits && best.after.value <= best.before.value);
    }
}

static void never_worse_than_gradients_on_all_shares(void **state)
{
    static const char *const NAMES[] = {"generated:node=5",
                                        "generated:node=1,technology=deepflow,memory=hbm4e,network=gdr",
                                        "generated:design=ampere,memory=hbm2e"};
    for (size_t i = 0; i < COUNT(NAMES); i++) {
        const char *request = i == 2 ? INFER : TRAIN;
        const struct orr_optimise by_gradient = {.optimiser = ORR_OPTIMISER_GRADIENT}, by_search = {.seed = 7};
        const double gradient = solve(*state, request, NAMES[i], by_gradient).after.value;
        const struct orr_split_optimum best = solve(*state, request, NAMES[i], by_search);
        assert_true(best.after.value < gradient && best.after.value < best.before.value);
    }
}

/* A budget alone decides: with nothing but core and DRAM power free, a decode step is fastest where the memory runs at
 * its full rate and not one watt more goes there than that needs. */
static void the_optimum_is_where_the_memory_saturates(void **state)
{
    const struct orr_optimise options = {.free = "power.core,power.dram"};
    const char *name = "generated:node=5,power.core=0.4,power.dram=0.1";
    const struct orr_split_optimum best = solve(*state, INFER, name, options);
    /* 6 stacks of 1,024 pins at 6.4 Gb/s and 4.5 pJ/bit, and the refresh of 96 GB */
    const double needed_w = 6 * 1024 * 6.4e9 * 4.5e-12 + 96e9 * 8 * 0.6e-12;
    const double given_w = best.split.power_frac[ORR_COMPONENT_DRAM] * 700;
    assert_true(fabs(given_w / needed_w - 1) < 0.002);
}

static void same_question_same_bits(void **state)
{
    const struct orr_optimise options = {.n_restarts = 3, .seed = 11};
    const struct orr_split_optimum first = solve(*state, TRAIN, "generated:node=3,memory=hbm4", options);
    const struct orr_split_optimum second = solve(*state, TRAIN, "generated:node=3,memory=hbm4", options);
    assert_memory_equal(&first.split, &second.split, sizeof first.split);
    assert_true(first.evaluations == second.evaluations);
}

static double sum_of(const double *shares)
{
    double sum = 0;
    for (int i = 0; i < ORR_N_COMPONENTS; i++) sum += shares[i];
    return sum;
}

static void what_is_written_down_is_what_was_found(void **state)
{
    struct world *world = *state;
    const char *name = "generated:node=3,memory=hbm4,area.l2=0.1";
    const struct orr_optimise options = {.n_restarts = 2};
    struct orr_split_optimum best = solve(world, TRAIN, name, options);
    char *found = orr_recipe_name(name, &best.split);
    assert_non_null(found);
    read_job(world, TRAIN, found);
    free(found);
    train(world);
    assert_true(world->result.step_time_s == best.after.value);
    assert_true(sum_of(best.split.power_frac) <= sum_of(problem.given.power_frac));
    assert_true(sum_of(best.split.area_frac) <= sum_of(problem.given.area_frac));
    assert_true(sum_of(best.split.perimeter_frac) <= sum_of(problem.given.perimeter_frac));
}

static void a_split_that_does_not_fit_is_left(void **state)
{
    /* 40 GB instead of the 140 GB of weights over four GPUs and their cache: the search must give the DRAM more area */
    const char *name = "generated:node=5,memory=hbm3,area.dram=0.003";
    const struct orr_optimise options = {.free = "area.core,area.dram"};
    const struct orr_split_optimum best = solve(*state, INFER, name, options);
    assert_false(best.before.fits);
    assert_true(best.after.fits);
}

static void what_cannot_be_optimised(void **state)
{
    struct world *world = *state;
    static const struct {
        const char *free, *text;
    } CASES[] = {
        {"power.cores", "free: unknown share \"power.cores\" (did you mean \"power.core\"?); shares: area.PART"},
        {"perimeter.core", "free: unknown share \"perimeter.core\""},
        {"power.core,area.dram", "free: nothing can move: name two shares of one budget at least"},
    };
    struct orr_recipe recipe;
    struct orr_error error;
    const struct orr_reference reference = {.part = ORR_PART_SYSTEM, .name = "generated:node=5"};
    read_job(world, TRAIN, "generated:node=5");
    assert_int_equal(orr_recipe_read(world->catalogue, &reference, &recipe, &error), ORR_OK);
    for (size_t i = 0; i < COUNT(CASES); i++) {
        const struct orr_optimise options = {.free = CASES[i].free};
        assert_int_equal(orr_split_problem_open(&recipe, &world->job, &options, &problem, &error), ORR_ERR_INPUT);
        orr_split_problem_close(&problem);
        if (strncmp(error.text, CASES[i].text, strlen(CASES[i].text)) != 0) fail_msg("%s", error.text);
    }
    const struct orr_optimise grid = {.optimiser = ORR_OPTIMISER_GRID, .n_grid_steps = 20};
    struct orr_split_optimum optimum;
    assert_int_equal(orr_split_problem_open(&recipe, &world->job, &grid, &problem, &error), ORR_OK);
    assert_int_equal(orr_split_solve(&problem, &grid, &optimum, &error), ORR_ERR_INPUT);
    orr_split_problem_close(&problem);
    assert_non_null(strstr(error.text, "splits are too many for a grid"));
}

/* C(9, 2) splits of ten steps over three shares, every share one step at least. */
static void a_grid_has_the_splits_it_should(void **state)
{
    const struct orr_optimise options = {
        .optimiser = ORR_OPTIMISER_GRID, .n_grid_steps = 10, .free = "power.core,power.dram,power.l1"};
    const struct orr_split_optimum best = solve(*state, TRAIN, "generated:node=5", options);
    assert_int_equal(best.evaluations, 36 + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(never_worse_than_a_grid_or_gradients),
        cmocka_unit_test(never_worse_than_gradients_on_all_shares),
        cmocka_unit_test(the_optimum_is_where_the_memory_saturates),
        cmocka_unit_test(same_question_same_bits),
        cmocka_unit_test(what_is_written_down_is_what_was_found),
        cmocka_unit_test(a_split_that_does_not_fit_is_left),
        cmocka_unit_test(what_cannot_be_optimised),
        cmocka_unit_test(a_grid_has_the_splits_it_should),
    };
    return cmocka_run_group_tests_name("optimise", tests, open_world, close_world);
}
