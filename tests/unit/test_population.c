/* How far stacks are from their parents: priors of other widths, how they are estimated, and what is on record. Values
 * are worked out by hand. */
#include "support.h"

#include "calibrate/stack.h"
#include "study/few_population.h"

static int parameter(const char *key)
{
    int i = 0;
    while (i < ORR_STACK_N && strcmp(orr_stack_parameter(i)->key, key) != 0) i++;
    assert_true(i < ORR_STACK_N);
    return i;
}

/* A normal number two spreads of 1.5 away: 0.5 * 2 * 2, slope 2 / 1.5, curvature 1 / 2.25. An added time is Student t
 * with two degrees of freedom: 1.5 ln(1 + 4 / 2), curvature 3 / (2 + 4) / 2.25. The level counts in its own scale. */
static void priors_have_spreads(void **state)
{
    (void)state;
    struct orr_stack_population prior = orr_stack_unknown();
    const int rate = parameter("dram_rate_factor"), added = parameter("sampling_s");
    prior.spread[rate] = prior.spread[added] = prior.spread[ORR_STACK_N] = 1.5;
    assert_close(orr_stack_penalty(&prior, rate, -3), 2, 1e-12);
    assert_close(orr_stack_penalty_slope(&prior, rate, 3), 2 / 1.5, 1e-12);
    assert_close(orr_stack_curvature(&prior, rate, 3), 1 / 2.25, 1e-12);
    assert_close(orr_stack_penalty(&prior, added, 3), 1.5 * log(3), 1e-12);
    assert_close(orr_stack_curvature(&prior, added, 3), 3.0 / 6 / 2.25, 1e-12);
    assert_close(orr_stack_penalty(&prior, ORR_STACK_N, 3 * ORR_STACK_LEVEL), 2, 1e-12);
    prior = orr_stack_unknown();
    assert_close(orr_stack_penalty(&prior, rate, 3), 4.5, 1e-12);
}

/* Two stacks at 2 and -1 with variances 0.5 and 0, of weight 1 and 0.5, and the scales as two stacks more:
 * (4 + 0.5 + 0.5 + 2) / (1 + 0.5 + 2) = 2. What a stack does not tell stays where the scales have it. */
static void moments_are_those_of_the_stacks(void **state)
{
    (void)state;
    static struct orr_stack_fit fits[2];
    struct orr_stack_moments moments = {0};
    struct orr_stack_population population = orr_stack_unknown();
    const int rate = parameter("dram_rate_factor"), untold = parameter("matrix_rate_factor");
    for (int i = 0; i < 2; i++) fits[i].active[rate] = true;
    fits[0].x[rate] = 2;
    fits[0].covariance[rate][rate] = 0.5;
    fits[1].x[rate] = -1;
    orr_stack_moments_add(&population, &fits[0], 1, &moments);
    orr_stack_moments_add(&population, &fits[1], 0.5, &moments);
    orr_stack_moments_settle(&moments, &population);
    assert_close(population.spread[rate], sqrt(2), 1e-12);
    assert_close(population.spread[untold], 1, 1e-12);
    assert_close(population.spread[ORR_STACK_N], sqrt(2 / 3.5), 1e-12); /* both levels are 0 */
}

/* A stack far out on a heavy tail counts little: at x = 4 an added time has weight 3 / (2 + 16) = 1/6, so that the
 * square becomes (16/6 + 2) / (1/6 + 2) = 28/13. */
static void a_far_stack_widens_a_heavy_tail_little(void **state)
{
    (void)state;
    static struct orr_stack_fit fit;
    struct orr_stack_moments moments = {0};
    struct orr_stack_population population = orr_stack_unknown();
    const int added = parameter("sampling_s");
    fit.active[added] = true;
    fit.x[added] = 4;
    orr_stack_moments_add(&population, &fit, 1, &moments);
    orr_stack_moments_settle(&moments, &population);
    assert_close(population.spread[added], sqrt(28.0 / 13), 1e-12);
}

/* Runs with these errors (ln of predicted over measured time) under an engine as it is. */
enum { MOST_RUNS = 32 };
static double as_is[MOST_RUNS];
static size_t at[MOST_RUNS];

static struct orr_stack_runs runs_with(const double *errors, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        as_is[i] = exp(errors[i]);
        at[i] = i;
    }
    return (struct orr_stack_runs){.n = n, .as_is = as_is, .prior = orr_stack_unknown()};
}

/* Of errors at a level and d to both sides, s = d is the most likely spread of a Student t with four degrees of
 * freedom: s^2 = d^2 * 5 / (4 + d^2 / s^2). One run far off hardly widens it. */
static void a_width_is_without_the_level(void **state)
{
    (void)state;
    double errors[21];
    for (int i = 0; i < 20; i++) errors[i] = 0.3 + (i % 2 ? 0.07 : -0.07);
    errors[20] = 1.3;
    const struct orr_stack_runs runs = runs_with(errors, 21);
    assert_close(orr_stack_width(&runs, &(struct orr_stack_choice){at, 20}), 0.07, 1e-9);
    const double wider = orr_stack_width(&runs, &(struct orr_stack_choice){at, 21});
    assert_true(wider > 0.07 && wider < 0.09);
}

/* Widths of 0.2 and 0.05 of weights 1 and 0.5, and two stacks of 0.1 and spread 0.5 as judged. About ln 0.1 the mean is
 * (ln 2 - ln 2 / 2) / 3.5 and the square (1.5 ln^2 2 + 2 * 0.25) / 3.5. */
static void widths_are_those_of_the_stacks(void **state)
{
    (void)state;
    struct orr_stack_moments moments = {0};
    struct orr_stack_population population = orr_stack_unknown();
    orr_stack_moments_add_width(0.2, 1, &moments);
    orr_stack_moments_add_width(0.05, 0.5, &moments);
    orr_stack_moments_settle(&moments, &population);
    assert_close(population.width, 0.110409, 1e-5);
    assert_close(population.width_spread, 0.582203, 1e-5);
}

/* Two runs under a parent whose width is known: ln Z = -2 ln 0.1 - 2.5 ln(1 + 0.2^2 / 0.04) - 2.5 ln(1 + 0). */
static void a_known_width_gives_the_likelihood(void **state)
{
    (void)state;
    const double errors[] = {0.2, 0};
    struct orr_stack_runs runs = runs_with(errors, 2);
    struct orr_stack_fit fit;
    runs.prior.width_spread = 0;
    orr_stack_as_it_is(&runs, &(struct orr_stack_choice){at, 2}, &fit);
    assert_close(fit.evidence, 2 * log(10) - 2.5 * log(2), 1e-12);
    assert_close(fit.within, 0.1, 1e-12);
    assert_true(!fit.fitted && fit.level == 0 && fit.n_told == 0);
}

/* The evidence of one run at 0.8 against the integral over widths, in a thousand steps. A run far off says that runs
 * lie wide about this parent, and one at the parent that they do not. */
static void a_width_is_averaged_over(void **state)
{
    (void)state;
    const double errors[] = {0.8, 0};
    const struct orr_stack_runs runs = runs_with(errors, 2);
    struct orr_stack_fit far, near;
    orr_stack_as_it_is(&runs, &(struct orr_stack_choice){at, 1}, &far);
    orr_stack_as_it_is(&runs, &(struct orr_stack_choice){at + 1, 1}, &near);
    double sum = 0, all = 0, mean = 0;
    for (int i = -500; i <= 500; i++) {
        const double z = i / 100.0, width = 0.1 * exp(0.5 * z), normal = exp(-z * z / 2);
        const double likely = normal / width * pow(1 + 0.64 / (4 * width * width), -2.5);
        all += normal;
        sum += likely;
        mean += likely * z;
    }
    assert_close(far.evidence, log(sum / all), 0.02);
    assert_close(far.within, 0.1 * exp(0.5 * mean / sum), 0.02);
    assert_true(far.within > 0.15 && near.within < 0.1);
}

static void the_record_is_a_population(void **state)
{
    (void)state;
    for (int kin = 0; kin < ORR_N_STACK_KINS; kin++) {
        const struct orr_stack_population population = orr_stack_recorded((enum orr_stack_kin)kin);
        assert_close(population.as_it_is + population.fitted + population.others, 1, 1e-9);
        assert_true(population.as_it_is > 0 && population.fitted > 0 && population.others > 0);
        assert_true(population.width > 0.05 && population.width < 0.2 && population.width_spread < 1);
        for (int i = 0; i < ORR_STACK_DIMS; i++) assert_true(population.spread[i] > 0.2 && population.spread[i] < 10);
    }
    /* Nothing is said in training about numbers of serving alone, nor the other way round. */
    const struct orr_stack_population training = orr_stack_recorded(ORR_STACK_TRAINED);
    const struct orr_stack_population serving = orr_stack_recorded(ORR_STACK_SERVED);
    for (int i = 0; i < ORR_STACK_N; i++) {
        if (!(orr_stack_parameter(i)->jobs & ORR_STACK_TRAIN)) assert_close(training.spread[i], 1, 1e-12);
        if (!(orr_stack_parameter(i)->jobs & ORR_STACK_SERVE)) assert_close(serving.spread[i], 1, 1e-12);
    }
}

/* Without stacks the scales stand, and the weights stay as they are. */
static void no_stack_says_nothing(void **state)
{
    (void)state;
    const struct orr_few_parents none = {0};
    struct orr_stack_population population = orr_stack_recorded(ORR_STACK_SERVED);
    const double as_it_is = population.as_it_is;
    assert_true(orr_few_population(&none, "Lab", false, &population));
    for (int i = 0; i < ORR_STACK_DIMS; i++) assert_close(population.spread[i], 1, 1e-12);
    assert_close(population.as_it_is, as_it_is, 1e-12);
}

/* ---------------------------------------------------------------- stacks */

#define COLUMNS "id,model,system,gpus,tp,zero,seq,micro_batch,global_batch,precision,recompute,engine,metric,value\n"
enum { ROWS = 6 };

/* A stack whose runs all take `factor` times what its parent says. */
static void add_stack(struct world *w, const char *source, double factor, struct orr_few_parents *parents)
{
    static char csv[4096];
    struct orr_few_parent *stack = &parents->stacks[parents->n++];
    struct orr_error error;
    size_t length = (size_t)snprintf(csv, sizeof csv, COLUMNS);
    for (int i = 0; i < ROWS; i++) {
        const int tp = 1 << i % 3, seq = 2048 << i / 3;
        read_job(w,
                 "{'kind':'train','model':'llama2-7b','system':'h100-sxm','gpus':8,'plan':{'tp':%d,'zero':1},'workload'"
                 ":{'seq':%d,'micro_batch':1,'global_batch':64,'precision':'bf16','recompute':'full',"
                 "'engine':'megatron-core-2025'}}",
                 tp, seq);
        train(w);
        length +=
            (size_t)snprintf(csv + length, sizeof csv - length,
                             "%d,llama2-7b,h100-sxm,8,%d,1,%d,1,64,bf16,full,megatron-core-2025,step_time_s,%.12g\n", i,
                             tp, seq, factor * w->result.step_time_s);
    }
    const struct orr_stack_table table = {csv, "runs.csv"};
    *stack = (struct orr_few_parent){.source = source, .trains = true, .n_rows = ROWS};
    if (orr_stack_read(w->catalogue, &table, 1, "", &stack->runs, &error)) fail_msg("%s", error.text);
    assert_true(orr_stack_linearise(stack->runs, NULL, NULL));
    stack->runs->on_lines = true;
    stack->rows = malloc(ROWS * sizeof *stack->rows);
    assert_non_null(stack->rows);
    for (size_t i = 0; i < ROWS; i++) stack->rows[i] = i;
}

/* Stacks that take half as long again widen what is known about the others, but not about themselves; and training
 * stacks say nothing about serving. */
static void a_source_says_nothing_about_itself(void **state)
{
    struct orr_few_parents parents = {.stacks = calloc(3, sizeof *parents.stacks)};
    struct orr_stack_population all = orr_stack_unknown(), without = all, serving = all;
    assert_non_null(parents.stacks);
    add_stack(*state, "slow", 1.5, &parents);
    add_stack(*state, "slow", 1.5, &parents);
    add_stack(*state, "exact", 1, &parents);
    assert_true(orr_few_population(&parents, NULL, true, &all));
    assert_true(orr_few_population(&parents, "slow", true, &without));
    assert_true(orr_few_population(&parents, NULL, false, &serving));
    assert_true(all.spread[ORR_STACK_N] > 1.1);
    assert_true(without.spread[ORR_STACK_N] < 1);
    /* Their runs repeat as well as runs can: widths of 0.01 beside the two of 0.1, of weight 1, or 1 + 2 / sqrt(2). */
    assert_close(without.width, 0.1 * pow(10, -1.0 / 3), 1e-9);
    assert_close(all.width, 0.1 * pow(10, -(1 + sqrt(2)) / (3 + sqrt(2))), 1e-9);
    for (int i = 0; i < ORR_STACK_DIMS; i++) assert_close(serving.spread[i], 1, 1e-12);
    orr_few_parents_free(&parents);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(priors_have_spreads),
        cmocka_unit_test(moments_are_those_of_the_stacks),
        cmocka_unit_test(a_far_stack_widens_a_heavy_tail_little),
        cmocka_unit_test(a_width_is_without_the_level),
        cmocka_unit_test(widths_are_those_of_the_stacks),
        cmocka_unit_test(a_known_width_gives_the_likelihood),
        cmocka_unit_test(a_width_is_averaged_over),
        cmocka_unit_test(the_record_is_a_population),
        cmocka_unit_test(no_stack_says_nothing),
        cmocka_unit_test(a_source_says_nothing_about_itself),
    };
    return cmocka_run_group_tests_name("population", tests, open_world, close_world);
}
