/* What few runs of a stack are worth: a stack that is a fifth slower than predicted, throughout. */
#include "study/few_shot.h"
#include "support.h"

#define COLUMNS                                                                                                        \
    "id,source,model,system,gpus,tp,zero,seq,micro_batch,global_batch,precision,recompute,engine,metric,value\n"

enum { ROWS = 14, FACTOR_PERCENT = 120 };

/* Runs of a source that take FACTOR_PERCENT of what is predicted for the engine that rows without one are given. */
static void write_runs(struct world *w, char *csv, size_t size, const char *source, int n)
{
    static const char *const RECOMPUTE[] = {"none", "full"};
    size_t length = strlen(csv);
    for (int i = 0; i < n; i++) {
        const char *recompute = RECOMPUTE[i % 2];
        const int tp = 1 << (i / 2 % 3), zero = i % 4 < 2, batch = 64 << (i / 6), seq = 2048 << (i % 3 == 0);
        read_job(
            w,
            "{'kind':'train','model':'llama2-7b','system':'h100-sxm','gpus':8,'plan':{'tp':%d,'zero':%d},'workload':"
            "{'seq':%d,'micro_batch':1,'global_batch':%d,'precision':'bf16','recompute':'%s','engine':'generic'}}",
            tp, zero, seq, batch, recompute);
        train(w);
        length += (size_t)snprintf(csv + length, size - length,
                                   "%d,%s,llama2-7b,h100-sxm,8,%d,%d,%d,1,%d,bf16,%s,,step_time_s,%.12g\n", i, source,
                                   tp, zero, seq, batch, recompute, FACTOR_PERCENT / 100.0 * w->result.step_time_s);
        assert_true(length < size);
    }
}

static void count_calls(void *context, const char *what, double done_frac)
{
    int *n = context;
    assert_non_null(what);
    assert_true(done_frac >= 0 && done_frac <= 1);
    (*n)++;
}

static void a_constant_error_is_learnt(void **state)
{
    static char csv[8192] = COLUMNS;
    struct orr_few_shot *few;
    struct orr_error error;
    const char *const csvs[] = {csv}, *const origins[] = {"runs.csv"};
    int n_calls = 0;
    write_runs(*state, csv, sizeof csv, "Lab", ROWS);
    write_runs(*state, csv, sizeof csv, "Too few", 3);
    if (orr_few_shot_run(((struct world *)*state)->catalogue, csvs, origins, 1, NULL, 2, false, count_calls, &n_calls,
                         &few, &error))
        fail_msg("%s", error.text);
    assert_int_equal(few->n, 1); /* three runs are no stack */
    assert_true(n_calls >= 2);
    const struct orr_few_stack *stack = &few->stacks[0];
    for (int i = 0; i < ORR_FEW_SIZES; i++)
        print_message("# %d runs: %.3f, %.2f inside, width %.2f\n", orr_few_sizes[i], stack->median_frac[i],
                      stack->coverage_frac[i], stack->width[i]);
    assert_int_equal(stack->n_rows, ROWS);
    assert_true(fabs(stack->median_frac[0] - (1 - 100.0 / FACTOR_PERCENT)) < 1e-9); /* |predicted / measured - 1| */
    assert_true(stack->median_frac[1] < stack->median_frac[0]);
    assert_true(stack->median_frac[2] < 0.05);
    assert_true(stack->median_frac[ORR_FEW_SIZES - 1] < 0.05);
    assert_true(stack->coverage_frac[ORR_FEW_SIZES - 1] > 0.5);
    assert_true(fabs(orr_few_median(few, 0) - stack->median_frac[0]) < 1e-12);
    const enum orr_format formats[] = {ORR_FORMAT_TERMINAL, ORR_FORMAT_JSON, ORR_FORMAT_CSV};
    for (size_t i = 0; i < COUNT(formats); i++) {
        char *text = orr_few_shot_render(few, formats[i], NULL);
        assert_non_null(text);
        assert_non_null(strstr(text, "Lab"));
        assert_null(strstr(text, "Too few"));
        free(text);
    }
    orr_few_shot_free(few);
}

/* Two stacks and one of two populations, which is part of no mean. */
static void means_are_over_the_stacks_of_one_population(void **state)
{
    (void)state;
    struct orr_few_stack stacks[] = {
        {.source = "A", .median_frac = {0.4, 0.2}, .coverage_frac = {0, 0.9}, .width = {0, 0.2}, .floor_frac = 0.02},
        {.source = "B", .median_frac = {0.1, 0.05}, .coverage_frac = {0, 0.7}, .width = {0, 0.4}, .floor_frac = 0.08},
        {.source = "C", .populations = true, .median_frac = {9, 9}, .coverage_frac = {0, 9}, .width = {0, 9}}};
    const struct orr_few_shot few = {.n = COUNT(stacks), .stacks = stacks};
    assert_int_equal(orr_few_counted(&few), 2);
    assert_true(fabs(orr_few_median(&few, 0) - 0.2) < 1e-12); /* (0.4 · 0.1)^½ */
    assert_true(fabs(orr_few_floor(&few) - 0.04) < 1e-12);
    assert_true(fabs(orr_few_coverage(&few, 1) - 0.8) < 1e-12);
    assert_true(fabs(orr_few_width(&few, 1) - 0.3) < 1e-12);
    char *text = orr_few_shot_render(&few, ORR_FORMAT_TERMINAL, NULL);
    assert_non_null(strstr(text, "lower end: 0.30 with\n1, 0.00 with 3,"));
    free(text);
}

static void nothing_is_no_answer(void **state)
{
    static char csv[8192] = COLUMNS;
    struct orr_few_shot *few;
    struct orr_error error;
    const char *const csvs[] = {csv}, *const origins[] = {"runs.csv"};
    const struct orr_catalogue *catalogue = ((struct world *)*state)->catalogue;
    write_runs(*state, csv, sizeof csv, "Lab", ROWS);
    assert_int_equal(orr_few_shot_run(catalogue, csvs, origins, 1, "Another", 1, false, NULL, NULL, &few, &error),
                     ORR_ERR_INPUT);
    assert_null(few);
    assert_non_null(strstr(error.text, "no stack of a source with the text Another has 12 runs or more"));
    const struct orr_few_shot empty = {0};
    assert_true(isnan(orr_few_median(&empty, 0)) && isnan(orr_few_coverage(&empty, 1)));
    orr_few_shot_free(NULL);
    const char *const bad[] = {"a,b\n1,2\n"};
    assert_int_not_equal(orr_few_shot_run(catalogue, bad, origins, 1, NULL, 1, false, NULL, NULL, &few, &error),
                         ORR_OK);
    assert_null(few);
    assert_non_null(strstr(error.text, "runs.csv"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_constant_error_is_learnt),
                                       cmocka_unit_test(means_are_over_the_stacks_of_one_population),
                                       cmocka_unit_test(nothing_is_no_answer)};
    return cmocka_run_group_tests_name("few shot", tests, open_world, close_world);
}
