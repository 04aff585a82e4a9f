#define _DEFAULT_SOURCE
/* Stacks from runs: rows that the model itself made with known changes are recovered, outliers and populations are
 * named, and the order of rows does not matter. */
#include "support.h"

#include "calibrate/stack_fit.h"
#include "predict/nearest.h"
#include "spec/factors.h"

/* ---------------------------------------------------------------- rows made by the model */

/* A plan of a training run, or lengths of a serving run. */
struct made {
    int gpus, tp, pp, micro_batch, seq; /* serving: tp, batch, input, output */
};
static const struct made TRAINING[] = {{8, 1, 1, 1, 2048},  {8, 2, 1, 2, 4096},  {16, 4, 1, 1, 4096},
                                       {16, 8, 1, 2, 2048}, {32, 4, 2, 1, 4096}, {32, 1, 1, 1, 2048},
                                       {64, 8, 2, 1, 8192}, {64, 2, 4, 1, 2048}, {64, 1, 1, 2, 2048},
                                       {16, 2, 2, 1, 2048}, {32, 8, 1, 4, 2048}, {64, 4, 1, 1, 4096}};
static const struct made SERVING[] = {{1, 1, 1, 128, 64},   {1, 1, 8, 128, 64},  {1, 1, 64, 512, 128},
                                      {2, 2, 1, 1024, 32},  {2, 2, 16, 256, 16}, {4, 4, 4, 2048, 8},
                                      {4, 4, 64, 128, 64},  {8, 8, 1, 128, 16},  {8, 8, 32, 512, 32},
                                      {1, 1, 32, 1024, 16}, {2, 2, 2, 128, 256}, {8, 8, 8, 2048, 4}};

/* The job of a made run with an engine whose facts are set in `set` (JSON members, ' for "). */
static double made_s(struct world *world, bool serving, const struct made *m, const char *set)
{
    if (serving) {
        struct orr_infer_result result;
        read_job(world,
                 "{'kind':'infer','model':'llama2-7b','system':'h100-sxm','gpus':%d,'plan':{'tp':%d},'workload':"
                 "{'engine':'vllm','precision':'fp16','batch':%d,'input_len':%d,'output_len':%d},'set':{%s}}",
                 m->gpus, m->tp, m->pp, m->micro_batch, m->seq, set);
        orr_infer(&world->job, world->scratch, &result);
        return result.latency_s;
    }
    read_job(world,
             "{'kind':'train','model':'llama2-7b','system':'h100-sxm','gpus':%d,'plan':{'tp':%d,'pp':%d,'zero':1},"
             "'workload':{'engine':'megatron-core-2025','seq':%d,'micro_batch':%d,'global_batch':128,"
             "'recompute':'full'},'set':{%s}}",
             m->gpus, m->tp, m->pp, m->seq, m->micro_batch, set);
    orr_train(&world->job, world->scratch, &world->result);
    return world->result.step_time_s;
}

/* A little noise that repeats: plus and minus in turn. */
static double noise(size_t i)
{
    static const double SIZES[] = {0.010, -0.012, 0.006, -0.004, 0.015, -0.009,
                                   0.002, -0.014, 0.008, -0.006, 0.012, -0.003};
    return exp(SIZES[i % COUNT(SIZES)]);
}

static void add_row(struct orr_text *text, bool serving, const struct made *m, size_t i, double value)
{
    if (serving)
        orr_text_add(text, "r%zu,llama2-7b,h100-sxm,%d,%d,fp16,%d,%d,%d,vllm,latency_s,%.12g\n", i, m->gpus, m->tp,
                     m->pp, m->micro_batch, m->seq, value);
    else
        orr_text_add(text, "r%zu,llama2-7b,h100-sxm,%d,%d,%d,1,%d,%d,128,full,megatron-core-2025,step_time_s,%.12g\n",
                     i, m->gpus, m->tp, m->pp, m->seq, m->micro_batch, value);
}

static void add_head(struct orr_text *text, bool serving)
{
    orr_text_add(text, serving ? "id,model,system,gpus,tp,precision,batch,input_len,output_len,engine,metric,value\n"
                               : "id,model,system,gpus,tp,pp,zero,seq,micro_batch,global_batch,recompute,engine,metric,"
                                 "value\n");
}

/* All made runs, the i-th times factors[i % n] (NULL: none), in the given order. */
static char *made_rows(struct world *world, bool serving, const char *set, const double *factors, size_t n,
                       bool backwards)
{
    struct orr_text text = {0};
    const size_t rows = serving ? COUNT(SERVING) : COUNT(TRAINING);
    add_head(&text, serving);
    for (size_t k = 0; k < rows; k++) {
        const size_t i = backwards ? rows - 1 - k : k;
        const struct made *m = serving ? &SERVING[i] : &TRAINING[i];
        add_row(&text, serving, m, i, made_s(world, serving, m, set) * noise(i) * (factors ? factors[i % n] : 1));
    }
    return orr_text_take(&text);
}

static struct orr_stack *fit_rows(struct world *world, char *rows, const char *parent)
{
    struct orr_stack *stack;
    struct orr_error error;
    if (orr_stack_open(world->catalogue, parent, &stack, &error)) fail_msg("%s", error.text);
    if (orr_stack_add(stack, rows, "rows", &error)) fail_msg("%s", error.text);
    if (orr_stack_run(stack, &error)) fail_msg("%s", error.text);
    free(rows);
    return stack;
}

static int parameter(const char *key)
{
    for (int i = 0; i < ORR_STACK_N; i++)
        if (strcmp(orr_stack_parameter(i)->key, key) == 0) return i;
    fail_msg("no parameter %s", key);
    return 0;
}

/* The truth lies within two posterior spreads, and the runs told something. */
static void recovered(const struct orr_stack *stack, const char *key, double truth)
{
    const int i = parameter(key);
    const struct orr_stack_parameter *p = orr_stack_parameter(i);
    if (!stack->fit.active[i]) fail_msg("%s was not fitted", key);
    const double parent = orr_stack_engine_value(stack, i, false);
    const double x = p->prior == ORR_STACK_TIME ? (truth - parent) / p->scale : log(truth / parent) / p->scale;
    const double spread = sqrt(stack->fit.covariance[i][i]);
    if (fabs(stack->fit.x[i] - x) > 2 * spread)
        fail_msg("%s: %.4g +- %.4g, made with %.4g", key, stack->fit.x[i], spread, x);
    assert_true(orr_stack_told(&stack->fit, i) > 0.05);
}

static void training_changes_are_recovered(void **state)
{
    struct orr_stack *stack = fit_rows(
        *state,
        made_rows(*state, false, "'engine.scaleout_rate_factor':0.5,'engine.matrix_rate_factor':0.88", NULL, 0, false),
        NULL);
    assert_string_equal(stack->fit_engine, "megatron-core-2025");
    recovered(stack, "scaleout_rate_factor", 0.5);
    recovered(stack, "matrix_rate_factor", 0.88);
    for (size_t i = 0; i < stack->n_chosen; i++) {
        assert_true(fabs(stack->about[i].after) < 0.04);
        assert_true(fabs(stack->about[i].left_out) < 0.08);
    }
    orr_stack_close(stack);
}

static void serving_changes_are_recovered(void **state)
{
    struct orr_stack *stack = fit_rows(
        *state, made_rows(*state, true, "'engine.request_s':0.03,'engine.dram_rate_factor':0.85", NULL, 0, false),
        NULL);
    assert_string_equal(stack->fit_engine, "vllm");
    recovered(stack, "request_s", 0.03);
    recovered(stack, "dram_rate_factor", 0.85);
    orr_stack_close(stack);
}

/* One engine cannot hedge: its numbers stand between the parent's and the fitted ones, as the weights of the two say.
 * The fit is made again here with the numbers that the file has. */
static void a_file_stands_between_parent_and_fit(void **state)
{
    const double slower = 1.09;
    struct orr_stack *stack = fit_rows(*state, made_rows(*state, false, "", &slower, 1, false), NULL);
    const struct orr_stack_member *members = stack->mixture.members;
    const struct orr_stack_choice all = {stack->chosen, stack->n_main};
    struct orr_stack_worker worker;
    struct orr_stack_fit again;
    assert_true(stack->fit.fitted && stack->fit_runs == members[1].runs);
    const double share = members[1].weight / (members[0].weight + members[1].weight);
    assert_true(orr_stack_worker_open(&worker));
    assert_true(orr_stack_solve(&worker, stack->fit_runs, &all, 3, stack->fit.active, &again));
    orr_stack_worker_close(&worker);
    print_message("# the parent fitted has %.4f of its weight and that of the parent as it is\n", share);
    assert_true(share < 0.9999);
    assert_close(stack->fit.level, share * again.level, 1e-6);
    for (int i = 0; i < ORR_STACK_N; i++)
        if (again.active[i]) assert_close(stack->fit.x[i], share * again.x[i], 1e-6);
    orr_stack_close(stack);
}

static bool has_note(const struct orr_stack *stack, const char *text)
{
    for (size_t i = 0; i < stack->n_notes; i++)
        if (strstr(stack->notes[i], text)) return true;
    return false;
}

/* Runs under load: GPUs, whether in 8 bits, users, input, output. */
static const struct made LOADED[] = {{1, 0, 1, 256, 128},   {1, 0, 8, 512, 256},   {1, 0, 32, 1024, 128},
                                     {1, 0, 64, 256, 256},  {2, 0, 4, 2048, 128},  {2, 0, 64, 512, 256},
                                     {1, 1, 1, 256, 128},   {1, 1, 8, 512, 256},   {1, 1, 32, 1024, 128},
                                     {1, 1, 128, 256, 256}, {2, 1, 16, 1024, 256}, {2, 1, 64, 256, 128}};

/* The time per token of a steady state of the model itself, in closed form. */
static double loaded_s(struct world *world, const struct made *m, const char *set)
{
    const struct orr_traffic traffic = {.arrival = ORR_ARRIVAL_CLOSED,
                                        .concurrency = m->pp,
                                        .requests = 10 * m->pp,
                                        .seed = 1,
                                        .input_len = {.law = ORR_LENGTH_FIXED, .mean = m->micro_batch},
                                        .output_len = {.law = ORR_LENGTH_FIXED, .mean = m->seq}};
    struct orr_serving_result result;
    read_job(world,
             "{'kind':'infer','model':'llama2-7b','system':'h100-sxm','gpus':%d,'plan':{'tp':%d},'workload':"
             "{'engine':'vllm','precision':'%s','batch':1,'input_len':%d,'output_len':%d},'set':{%s}}",
             m->gpus, m->gpus, m->tp ? "fp8" : "fp16", m->micro_batch, m->seq, set);
    struct orr_closed_form *form = orr_closed_form_new(&world->job);
    assert_non_null(form);
    orr_closed_form_solve(form, &traffic, &result);
    orr_closed_form_free(form);
    return result.timing[ORR_TIMING_TPOT].mean;
}

static char *loaded_rows(struct world *world, const char *set)
{
    struct orr_text text = {0};
    orr_text_add(&text, "id,model,system,gpus,tp,precision,engine,arrival,concurrency,input_len,output_len,metric,stat,"
                        "value\n");
    for (size_t i = 0; i < COUNT(LOADED); i++) {
        const struct made *m = &LOADED[i];
        orr_text_add(&text, "r%zu,llama2-7b,h100-sxm,%d,%d,%s,vllm,closed,%d,%d,%d,tpot_s,mean,%.12g\n", i, m->gpus,
                     m->gpus, m->tp ? "fp8" : "fp16", m->pp, m->micro_batch, m->seq,
                     loaded_s(world, m, set) * noise(i));
    }
    return orr_text_take(&text);
}

/* The shares of resources of a run add up to its time, and are not those of another run: one user reads the weights for
 * every token, 64 share them. */
static void shares_are_of_every_run(const struct orr_stack *stack)
{
    double least = 1, most = 0;
    for (size_t i = 0; i < stack->n_chosen; i++) {
        double sum = 0;
        for (int j = 0; j < ORR_N_BOUNDS; j++) sum += stack->about[i].bound_frac[j];
        assert_true(fabs(sum - 1) < 1e-6);
        least = fmin(least, stack->about[i].bound_frac[ORR_BOUND_DRAM]);
        most = fmax(most, stack->about[i].bound_frac[ORR_BOUND_DRAM]);
    }
    assert_true(most - least > 0.2);
}

static void changes_under_load_are_recovered(void **state)
{
    struct orr_stack *stack =
        fit_rows(*state, loaded_rows(*state, "'engine.dram_rate_factor':0.8,'engine.eight_bit_rate_factor':0.8"), NULL);
    assert_string_equal(stack->fit_engine, "vllm");
    recovered(stack, "dram_rate_factor", 0.8);
    recovered(stack, "eight_bit_rate_factor", 0.8);
    shares_are_of_every_run(stack);
    orr_stack_close(stack);
}

/* Rows of one run count once, and first tokens under load do not count. */
static void one_value_of_a_run_under_load_counts(void **state)
{
    static const char HEAD[] = "id,model,system,gpus,tp,precision,engine,arrival,concurrency,input_len,output_len,"
                               "metric,stat,value\n";
    static const char *const ROWS[][2] = {
        {"ttft_s", "mean,0.2"}, {"tpot_s", "p99,0.03"}, {"tpot_s", "mean,0.01"}, {"output_tokens_per_s", "mean,700"}};
    struct orr_text text = {0};
    orr_text_add(&text, "%s", HEAD);
    for (size_t i = 0; i < COUNT(ROWS); i++)
        orr_text_add(&text, "r%zu,llama2-7b,h100-sxm,1,1,fp16,vllm,closed,8,512,256,%s,%s\n", i, ROWS[i][0],
                     ROWS[i][1]);
    struct orr_stack *stack = fit_rows(*state, orr_text_take(&text), NULL);
    assert_int_equal(stack->n_chosen, 1);
    assert_true(has_note(stack, "mostly queueing"));
    assert_true(has_note(stack, "only means are fitted"));
    assert_true(has_note(stack, "its run has a mean time per token"));
    orr_stack_close(stack);
}

/* What a row of each arrival tells of a stack, with the reason where it is nothing. Each row is a run of its own. */
static void rows_under_load_tell_or_say_why_not(void **state)
{
    static const struct {
        const char *arrival, *load, *metric, *stat, *why; /* load: users and requests per second */
    } ROWS[] = {
        {"disaggregated", "8,", "tpot_s", "mean", "runs of two pools are not fitted"},
        {"closed", "8,", "power_w", "mean", "not a time or a rate of tokens or requests"},
        {"poisson", ",4", "tpot_s", "mean", "at a given rate only completed_requests_per_s tells"},
        {"poisson", ",4", "completed_requests_per_s", "mean", NULL},
        {"closed", "9,", "itl_s", "mean", NULL},
        {"closed", "10,", "latency_s", "p90", "only means are fitted"},
        {"closed", "11,", "latency_s", "unstated", NULL},
        {"closed", "12,", "output_tokens_per_s_per_gpu", "mean", NULL},
        {"saturated", ",", "completed_requests_per_s", "mean", NULL},
        {"static", "8,", "output_tokens_per_s", "mean", NULL},
    };
    struct orr_text text = {0};
    size_t told = 0;
    orr_text_add(&text, "id,model,system,gpus,tp,precision,engine,arrival,concurrency,rate_per_s,requests,input_len,"
                        "output_len,metric,stat,value\n");
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        told += !ROWS[i].why;
        orr_text_add(&text, "r%zu,llama2-7b,h100-sxm,1,1,fp16,vllm,%s,%s,100,512,%zu,%s,%s,%d\n", i, ROWS[i].arrival,
                     ROWS[i].load, 200 + i, ROWS[i].metric, ROWS[i].stat,
                     i == 3 || i == 8 ? 4
                     : i > 6          ? 700
                                      : 1);
    }
    struct orr_stack *stack = fit_rows(*state, orr_text_take(&text), NULL);
    for (size_t i = 0; i < COUNT(ROWS); i++)
        if (ROWS[i].why && !has_note(stack, ROWS[i].why)) fail_msg("no note says \"%s\"", ROWS[i].why);
    assert_int_equal(stack->n_chosen, told);
    orr_stack_close(stack);
}

static void rows_of_the_parent_stay_with_it(void **state)
{
    struct orr_stack *stack = fit_rows(*state, made_rows(*state, false, "", NULL, 0, false), NULL);
    assert_string_equal(stack->fit_engine, "megatron-core-2025");
    assert_true(stack->mixture.members[0].weight > 0.5);
    for (size_t i = 0; i < stack->n_chosen; i++) assert_true(fabs(stack->about[i].after) < 0.03);
    orr_stack_close(stack);
}

/* ---------------------------------------------------------------- few, bad and mixed runs */

static void one_run_helps(void **state)
{
    struct orr_stack *stack;
    struct orr_error error;
    char run[300];
    const double slow_s = 1.3 * made_s(*state, false, &TRAINING[1], "");
    struct world *world = *state;
    snprintf(run, sizeof run,
             "model=llama2-7b,system=h100-sxm,gpus=8,tp=2,zero=1,seq=4096,micro_batch=2,global_batch=128,"
             "recompute=full:step_time_s=%.6g",
             slow_s);
    if (orr_stack_open(world->catalogue, "megatron-core-2025", &stack, &error)) fail_msg("%s", error.text);
    if (orr_stack_add_run(stack, run, &error)) fail_msg("%s", error.text);
    if (orr_stack_run(stack, &error)) fail_msg("%s", error.text);
    const struct orr_stack_guess guess = {.mean = -stack->about[0].after};
    assert_true(fabs(stack->about[0].before - log(1.3)) < 1e-4);
    assert_true(fabs(guess.mean) < 0.5 * log(1.3));
    orr_stack_close(stack);
}

/* One run takes twice as long as its parent says, and eleven others as long: a fit to that one run alone hardly moves
 * the others, where a fit without the parent as it is would move them far. */
static void one_run_far_off_does_not_move_the_others(void **state)
{
    double factors[COUNT(SERVING)], left[2] = {0, 0};
    struct world *world = *state;
    struct orr_stack_runs *runs;
    struct orr_stack_worker worker;
    struct orr_error error;
    const char *const names[] = {"vllm"};
    for (size_t i = 0; i < COUNT(factors); i++) factors[i] = i == 1 ? 2 : 1;
    char *rows = made_rows(world, true, "", factors, COUNT(factors), false);
    const struct orr_stack_table table = {rows, "rows"};
    struct orr_stack_mixture *mixture = calloc(1, sizeof *mixture);
    if (orr_stack_read(world->catalogue, &table, 1, "", &runs, &error)) fail_msg("%s", error.text);
    assert_true(mixture && orr_stack_worker_open(&worker) && orr_stack_linearise(runs, NULL, NULL));
    runs->prior = orr_stack_recorded(ORR_STACK_SERVED);
    size_t far = 1;
    assert_true(orr_stack_average(&worker, &runs, names, 1, &(struct orr_stack_choice){&far, 1}, 2, mixture));
    for (size_t i = 0; i < runs->n; i++) {
        if (i == far) continue;
        left[0] += fabs(orr_stack_mixture_predict(&worker, mixture, i).mean) / (double)(runs->n - 1);
        left[1] += fabs(orr_stack_predict(&worker, runs, i, &mixture->members[1].fit).mean) / (double)(runs->n - 1);
    }
    print_message("# the others are off by %.3f, and by %.3f with the fit alone; the parent as it is weighs %.2f\n",
                  left[0], left[1], mixture->members[0].weight);
    assert_true(left[1] > 0.5);
    assert_true(left[0] < 0.05);
    orr_stack_worker_close(&worker);
    orr_stack_runs_free(runs);
    free(mixture);
    free(rows);
}

static void an_outlier_is_named(void **state)
{
    double factors[COUNT(TRAINING)];
    for (size_t i = 0; i < COUNT(factors); i++) factors[i] = i == 4 ? 2.5 : 1;
    struct orr_stack *stack = fit_rows(*state, made_rows(*state, false, "", factors, COUNT(factors), false), NULL);
    size_t outliers = 0;
    for (size_t i = 0; i < stack->n_chosen; i++) {
        char name[80];
        orr_stack_run_name(stack->engines[0], stack->chosen[i], name);
        outliers += stack->about[i].outlier;
        assert_int_equal(stack->about[i].outlier, strcmp(name, "r4") == 0);
        if (!stack->about[i].outlier) assert_true(fabs(stack->about[i].after) < 0.05);
    }
    assert_int_equal(outliers, 1);
    orr_stack_close(stack);
}

static void two_populations_are_named(void **state)
{
    static const double FACTORS[] = {1, 1, 6}; /* every third run takes six times as long */
    struct orr_stack *stack = fit_rows(*state, made_rows(*state, false, "", FACTORS, COUNT(FACTORS), false), NULL);
    assert_int_equal(stack->n_chosen - stack->n_main, 4);
    assert_true(has_note(stack, "two populations"));
    for (size_t i = 0; i < stack->n_main; i++) assert_true(fabs(stack->about[i].after) < 0.05);
    orr_stack_close(stack);
}

static void contradictions_are_named(void **state)
{
    struct orr_text text = {0};
    add_head(&text, false);
    add_row(&text, false, &TRAINING[0], 0, 10);
    add_row(&text, false, &TRAINING[0], 1, 20);
    add_row(&text, false, &TRAINING[1], 2, 12);
    orr_text_add(&text, "r3,llama2-7b,h100-sxm,8,3,1,1,2048,1,128,full,megatron-core-2025,step_time_s,5\n");
    struct orr_stack *stack = fit_rows(*state, orr_text_take(&text), NULL);
    assert_int_equal(stack->n_chosen, 3);
    assert_true(has_note(stack, "r0 and r1 contradict each other"));
    assert_true(has_note(stack, "r3 not used"));
    orr_stack_close(stack);
}

static void the_order_of_rows_does_not_matter(void **state)
{
    const char *set = "'engine.scaleout_rate_factor':0.6";
    struct orr_stack *a = fit_rows(*state, made_rows(*state, false, set, NULL, 0, false), NULL);
    struct orr_stack *b = fit_rows(*state, made_rows(*state, false, set, NULL, 0, true), NULL);
    assert_memory_equal(&a->fit, &b->fit, sizeof a->fit);
    assert_int_equal(a->n_next, b->n_next);
    assert_true(a->n_next > 0);
    for (size_t i = 0; i < a->n_next; i++) {
        assert_string_equal(a->next[i].column, b->next[i].column);
        assert_true(a->next[i].narrowing_frac > 0 && a->next[i].narrowing_frac < 1);
    }
    orr_stack_close(a);
    orr_stack_close(b);
}

/* ---------------------------------------------------------------- factors and files */

/* time_factor stretches every prediction alike (Eq. 169); the power rule leaves a little. */
static void time_factor_stretches(void **state)
{
    for (size_t i = 0; i < COUNT(TRAINING); i++) {
        const double plain_s = made_s(*state, false, &TRAINING[i], ""),
                     slow_s = made_s(*state, false, &TRAINING[i], "'engine.time_factor':1.2");
        assert_true(fabs(slow_s / plain_s / 1.2 - 1) < 2e-3);
    }
    for (size_t i = 0; i < COUNT(SERVING); i++) {
        const double plain_s = made_s(*state, true, &SERVING[i], ""),
                     slow_s = made_s(*state, true, &SERVING[i], "'engine.time_factor':0.8");
        assert_true(fabs(slow_s / plain_s / 0.8 - 1) < 2e-3);
    }
}

/* A form that is read again with another engine does not keep the factors of the one before. */
static void factors_do_not_pile_up(void **state)
{
    struct world *world = *state;
    struct orr_form *form;
    struct orr_error error;
    const struct orr_job *job;
    const char *request = "{\"kind\":\"train\",\"model\":\"llama2-7b\",\"system\":\"h100-sxm\",\"gpus\":8}";
    if (orr_form_open(world->catalogue, request, "request", &form, &error)) fail_msg("%s", error.text);
    if (orr_form_job(form, &job, &error)) fail_msg("%s", error.text);
    const double plain = job->calibration.gemm[ORR_DTYPE_BF16].burst_frac;
    static const char *const VALUES[] = {"0.5", "0.25", "1"};
    for (size_t i = 0; i < COUNT(VALUES); i++) {
        if (orr_form_set(form, "engine.matrix_rate_factor", VALUES[i], &error)) fail_msg("%s", error.text);
        if (orr_form_job(form, &job, &error)) fail_msg("%s", error.text);
        const double factor = strtod(VALUES[i], NULL);
        assert_true(fabs(job->calibration.gemm[ORR_DTYPE_BF16].burst_frac / plain - factor) < 1e-12);
        if (orr_form_set(form, "workload.seq", i ? "1024" : "2048", &error)) fail_msg("%s", error.text);
        if (orr_form_job(form, &job, &error)) fail_msg("%s", error.text);
        assert_true(fabs(job->calibration.gemm[ORR_DTYPE_BF16].burst_frac / plain - factor) < 1e-12);
    }
    orr_form_close(form);
}

/* A run that the engine was fitted to is a measured configuration: it is its own nearest one, or near one that is alike
 * (the file keeps all, and eight are read). */
static void nearest_is_own(const struct world *world, const struct orr_stack *stack)
{
    const struct orr_nearest nearest = orr_train_nearest(&world->job, &world->result);
    assert_true(nearest.known && !nearest.outside);
    assert_string_equal(nearest.run.source, "runs of this engine");
    assert_int_equal(world->job.engine.n_fitted, stack->n_main < ORR_MAX_FIT_RUNS ? stack->n_main : ORR_MAX_FIT_RUNS);
    if (stack->n_main <= ORR_MAX_FIT_RUNS) assert_true(nearest.distance < 0.01);
}

/* The file of a fit predicts what the fit predicts, and has its interval. */
static void the_file_predicts_as_the_fit(void **state)
{
    struct world *world = *state;
    struct orr_stack *stack = fit_rows(
        world,
        made_rows(world, false, "'engine.scaleout_rate_factor':0.5,'engine.matrix_rate_factor':0.88", NULL, 0, false),
        NULL);
    char path[] = "/tmp/orrery-fit-XXXXXX.json", *text = orr_stack_file(stack, "mine", "2026-01-01");
    const int descriptor = mkstemps(path, 5);
    assert_true(descriptor >= 0);
    FILE *file = fdopen(descriptor, "w");
    double left = 0, after = 0;
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
    for (size_t i = 0; i < stack->n_chosen; i++) {
        left += fabs(stack->about[i].left);
        after += fabs(stack->about[i].after);
        const struct orr_job *job = &stack->engines[0]->runs[stack->chosen[i]].job;
        const double measured_s = stack->engines[0]->runs[stack->chosen[i]].score.measured;
        read_job(world,
                 "{'kind':'train','model':'llama2-7b','system':'h100-sxm','gpus':%d,'plan':{'tp':%d,'pp':%d,'zero':1},"
                 "'workload':{'engine':'%s','seq':%d,'micro_batch':%d,'global_batch':128,'recompute':'full'}}",
                 (int)job->plan.gpus, (int)job->plan.tp, (int)job->plan.pp, path, (int)job->workload.seq,
                 (int)job->workload.micro_batch);
        orr_train(&world->job, world->scratch, &world->result);
        assert_true(fabs(log(measured_s / world->result.step_time_s) - stack->about[i].after) < 3e-3);
        const double reach = 1.533 * hypot(world->job.engine.fit_within_frac, world->job.engine.fit_stack_frac);
        assert_true(fabs(log(world->result.interval_high_s / world->result.step_time_s) - reach) < 1e-9);
        nearest_is_own(world, stack);
        assert_string_equal(world->job.engine.asked, ""); /* a path is no other name of an engine */
    }
    assert_true(after < left); /* the file says of its own runs what was measured more nearly than its numbers do */
    (void)remove(path);
    free(text);
    orr_stack_close(stack);
}

/* Upper end of the interval of 7B on 8 GPUs with an engine whose only run was of a model of so many parameters. */
static double upper_beside(struct world *world, double active_params)
{
    struct orr_engine *engine = &world->job.engine;
    engine->n_fitted = active_params > 0;
    engine->fitted[0] = (struct orr_fit_run){
        .run = "one", .system = "h100-sxm", .model = "llama2-7b", .regime = "training, dense", .gpus = 8};
    engine->fitted[0].active_params = active_params;
    memcpy(engine->fitted[0].bound_frac, world->result.bound_share_frac, sizeof engine->fitted[0].bound_frac);
    orr_train(&world->job, world->scratch, &world->result);
    return log(world->result.interval_high_s / world->result.step_time_s);
}

/* Eq. 324a: a doubling of the parameters is 0.03 away, and other distances add in squares, so that four doublings are
 * 0.12: a fifth of the way from 0.10 to 0.20. Far from all runs the engine is as unsure as without the fit. */
static void a_fit_is_unsure_far_from_its_runs(void **state)
{
    struct world *world = *state;
    read_job(world, "{'kind':'train','model':'llama2-7b','system':'h100-sxm','gpus':8,'plan':{'tp':2},'workload':{"
                    "'seq':4096,'micro_batch':1,'global_batch':16,'engine':'megatron-core-2025'}}");
    const double own = (double)orr_model_params_active(&world->job.model);
    strcpy(world->job.engine.id, "mine");
    (void)upper_beside(world, 0);
    world->job.engine.fit_runs = 3;
    world->job.engine.fit_within_frac = 0.04;
    world->job.engine.fit_stack_frac = 0.03;
    const double near = upper_beside(world, own), far = upper_beside(world, own * 256), fitted = 1.533 * 0.05;
    assert_close(near, fitted, 1e-9);
    assert_close(upper_beside(world, 0), fitted, 1e-9); /* a file that names no run */
    assert_close(upper_beside(world, own * 8), fitted, 1e-9);
    assert_true(far > 2 * fitted);
    assert_close(upper_beside(world, own * 16), 0.8 * fitted + 0.2 * far, 1e-6);
}

/* The parent as it is describes a stack only with 0.60 of the weight, and another engine with more than half. */
static void the_file_has_the_engine_that_the_runs_favour(void **state)
{
    (void)state;
    static const struct {
        double weight[3];
        size_t best;
    } CASES[] = {{{0.40, 0.25, 0.35}, 1},
                 {{0.58, 0.26, 0.16}, 1},
                 {{0.61, 0.23, 0.16}, 0},
                 {{0.10, 0.30, 0.60}, 2},
                 {{0.20, 0.35, 0.45}, 1}};
    struct orr_stack_mixture *mixture = calloc(1, sizeof *mixture);
    mixture->n = 3;
    for (size_t i = 0; i < COUNT(CASES); i++) {
        for (size_t k = 0; k < 3; k++) mixture->members[k].weight = CASES[i].weight[k];
        assert_ptr_equal(orr_stack_best(mixture), &mixture->members[CASES[i].best]);
    }
    free(mixture);
}

/* A benchmark prints the time per token and the latency of one run: it is one run of the fit, called by its file. */
static void a_run_of_a_log_counts_once(void **state)
{
    struct world *world = *state;
    struct orr_stack *stack;
    struct orr_error error;
    char *text = read_text("tests/unit/fixtures/logs/sglang.jsonl"), name[80];
    if (orr_stack_open(world->catalogue, "sglang", &stack, &error)) fail_msg("%s", error.text);
    if (orr_stack_put(stack, "model=llama3-8b,system=h100-sxm,gpus=1", &error)) fail_msg("%s", error.text);
    if (orr_stack_add(stack, text, "somewhere/else/sglang.jsonl", &error)) fail_msg("%s", error.text);
    if (orr_stack_run(stack, &error)) fail_msg("%s", error.text);
    assert_int_equal(stack->n_chosen, 2); /* two lines of two values each */
    orr_stack_run_name(stack->engines[0], stack->chosen[0], name);
    assert_string_equal(name, "sglang.jsonl tpot_s");
    orr_stack_close(stack);
    free(text);
}

/* The same in a table of requests in flight; a run that prints no time per token counts by its rate. */
static void a_run_in_flight_counts_once(void **state)
{
    struct world *world = *state;
    static const char RUNS[] = "id,model,system,gpus,tp,precision,concurrency,input_len,output_len,metric,value\n"
                               "a,llama3-8b,h100-sxm,1,1,bf16,8,1000,500,ttft_s,0.9\n"
                               "b,llama3-8b,h100-sxm,1,1,bf16,8,1000,500,tokens_per_s_per_gpu,900\n"
                               "c,llama3-8b,h100-sxm,1,1,bf16,8,1000,500,tpot_s,0.0085\n"
                               "d,llama3-8b,h100-sxm,1,1,bf16,16,1000,500,tokens_per_s_per_gpu,1700\n"
                               "e,llama3-8b,h100-sxm,1,1,bf16,32,1000,,tpot_s,0.0095\n";
    struct orr_stack *stack;
    struct orr_error error;
    if (orr_stack_open(world->catalogue, "vllm", &stack, &error)) fail_msg("%s", error.text);
    if (orr_stack_add(stack, RUNS, "flight.csv", &error)) fail_msg("%s", error.text);
    if (orr_stack_run(stack, &error)) fail_msg("%s", error.text);
    assert_int_equal(stack->n_chosen, 2);
    assert_true(has_note(stack, "a not used: the time to the first token under load is mostly queueing"));
    assert_true(has_note(stack, "b not used: its run has a mean time per token"));
    assert_true(has_note(stack, "e not used: tpot_s needs output_len, a number from 2"));
    orr_stack_close(stack);
}

/* Both neighbours of either run in tp are the other run: nobody is asked to measure them again. */
static void the_next_run_is_a_new_one(void **state)
{
    struct world *world = *state;
    static const char RUNS[] = "model,system,gpus,tp,pp,seq,global_batch,micro_batch,zero,metric,value\n"
                               "llama2-7b,h100-sxm,2,1,1,2048,16,1,1,step_time_s,2.1\n"
                               "llama2-7b,h100-sxm,2,2,1,2048,16,1,1,step_time_s,2.3\n";
    struct orr_stack *stack;
    struct orr_error error;
    if (orr_stack_open(world->catalogue, "megatron-core-2025", &stack, &error)) fail_msg("%s", error.text);
    if (orr_stack_add(stack, RUNS, "two.csv", &error)) fail_msg("%s", error.text);
    if (orr_stack_run(stack, &error)) fail_msg("%s", error.text);
    assert_true(stack->n_next > 0);
    for (size_t i = 0; i < stack->n_next; i++) assert_string_not_equal(stack->next[i].column, "tp");
    orr_stack_close(stack);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(training_changes_are_recovered),
        cmocka_unit_test(serving_changes_are_recovered),
        cmocka_unit_test(a_file_stands_between_parent_and_fit),
        cmocka_unit_test(changes_under_load_are_recovered),
        cmocka_unit_test(one_value_of_a_run_under_load_counts),
        cmocka_unit_test(rows_under_load_tell_or_say_why_not),
        cmocka_unit_test(rows_of_the_parent_stay_with_it),
        cmocka_unit_test(one_run_helps),
        cmocka_unit_test(one_run_far_off_does_not_move_the_others),
        cmocka_unit_test(an_outlier_is_named),
        cmocka_unit_test(two_populations_are_named),
        cmocka_unit_test(contradictions_are_named),
        cmocka_unit_test(a_run_of_a_log_counts_once),
        cmocka_unit_test(a_run_in_flight_counts_once),
        cmocka_unit_test(the_next_run_is_a_new_one),
        cmocka_unit_test(the_order_of_rows_does_not_matter),
        cmocka_unit_test(time_factor_stretches),
        cmocka_unit_test(factors_do_not_pile_up),
        cmocka_unit_test(the_file_has_the_engine_that_the_runs_favour),
        cmocka_unit_test(the_file_predicts_as_the_fit),
        cmocka_unit_test(a_fit_is_unsure_far_from_its_runs),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
