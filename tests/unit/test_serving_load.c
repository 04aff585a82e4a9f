/* A service under load: one request alone is an inference job, tabulated steps are the steps of the step model, a
 * closed loop is its closed form. */
#include "serving.h"

#include "serving/closed.h"
#include "serving/replica.h"
#include "serving/traffic.h"

static const struct {
    const char *model, *system, *engine, *precision;
    int tp, dp, ep;
} JOBS[] = {
    {"llama3-8b", "h100-sxm", "vllm", "bf16", 1, 1, 1},
    {"llama3-8b", "h100-sxm", "vllm-0.14", "bf16", 1, 1, 1},
    {"llama2-70b", "h100-sxm", "tensorrt-llm-1.2", "fp8", 8, 1, 1},
    {"llama2-13b", "a100-80g-sxm", "sglang", "fp16", 2, 1, 1},
    {"gpt-oss-120b", "h200-sxm", "vllm", "bf16", 2, 1, 1},
    {"deepseek-v3", "h200-sxm", "tensorrt-llm-1.2", "fp8", 8, 1, 1},
    {"llama2-7b", "a100-80g-sxm", "vllm-0.6", "fp16", 1, 1, 1},
};

static void open_job(struct world *w, size_t i, int input, int output)
{
    read_job(w,
             "{'kind':'infer','model':'%s','system':'%s','plan':{'tp':%d,'dp':%d,'ep':%d},'workload':{'engine':'%s',"
             "'precision':'%s','input_len':%d,'output_len':%d}}",
             JOBS[i].model, JOBS[i].system, JOBS[i].tp, JOBS[i].dp, JOBS[i].ep, JOBS[i].engine, JOBS[i].precision,
             input, output);
}

/* An inference job begins when the engine has the tokens of its requests. */
static void no_frontend(struct orr_engine *engine)
{
    engine->frontend_s = engine->frontend_s_per_token = engine->frontend_s_per_request = 0;
    engine->tokenise_s_per_token = 0;
    engine->stream_s_per_token = 0;
}

static struct orr_lengths fixed(double mean)
{
    return (struct orr_lengths){.law = ORR_LENGTH_FIXED, .mean = mean};
}

static struct orr_serving_result simulate(const struct orr_job *job, const struct orr_traffic *traffic, bool exact)
{
    const struct orr_simulation how = {.exact = exact};
    struct orr_serving_result result;
    struct orr_error error;
    if (orr_simulate(job, traffic, &how, &result, &error)) fail_msg("%s", error.text);
    return result;
}

static void one_request_alone(void **state)
{
    struct world *w = *state;
    for (size_t i = 0; i < COUNT(JOBS); i++) {
        open_job(w, i, 1000, 200);
        no_frontend(&w->job.engine);
        const struct orr_infer_result alone = infer(w, &w->job);
        const struct orr_traffic traffic = {.arrival = ORR_ARRIVAL_CLOSED,
                                            .concurrency = 1,
                                            .requests = 3,
                                            .input_len = fixed(1000),
                                            .output_len = fixed(200)};
        const struct orr_serving_result exact = simulate(&w->job, &traffic, true);
        const struct orr_serving_result result = simulate(&w->job, &traffic, false);
        print_message("# %s, %s: TTFT %+.2e (table %+.2e), TPOT %+.2e (table %+.2e)\n", JOBS[i].model, JOBS[i].engine,
                      exact.timing[ORR_TIMING_TTFT].mean / alone.ttft_s - 1,
                      result.timing[ORR_TIMING_TTFT].mean / alone.ttft_s - 1,
                      exact.timing[ORR_TIMING_TPOT].mean / alone.tpot_s - 1,
                      result.timing[ORR_TIMING_TPOT].mean / alone.tpot_s - 1);
        assert_true(fabs(exact.timing[ORR_TIMING_TTFT].mean / alone.ttft_s - 1) < 1e-9);
        assert_true(fabs(exact.timing[ORR_TIMING_TPOT].mean / alone.tpot_s - 1) < 1e-9);
        assert_true(fabs(result.timing[ORR_TIMING_TTFT].mean / alone.ttft_s - 1) < 0.01);
        assert_true(fabs(result.timing[ORR_TIMING_TPOT].mean / alone.tpot_s - 1) < 0.002);
    }
}

static double random_from(struct random *random, double low, double high)
{
    return low + (high - low) * (double)draw(random, 1 << 24) / (1 << 24);
}

/* Random steps against the step model: median and largest error of the table. */
static void table_error(void **state)
{
    struct world *w = *state;
    enum { STEPS = 2000 };
    static double error[2 * STEPS];
    for (size_t i = 0; i < COUNT(JOBS); i++) {
        open_job(w, i, 1000, 200);
        struct orr_steps *table = orr_steps_new(&w->job, NULL, false), *exact = orr_steps_new(&w->job, NULL, true);
        struct random random = {.state = 12345 + i};
        double bias = 0;
        for (int k = 0; k < STEPS; k++) {
            const int64_t n = (int64_t)exp(random_from(&random, 0, log(400)));
            const double x = exp(random_from(&random, log(30), log(20000)));
            const double a = orr_steps_decode(table, n, x, 1).first_s, b = orr_steps_decode(exact, n, x, 1).first_s;
            error[k] = fabs(a / b - 1);
            const int64_t tokens = (int64_t)exp(random_from(&random, log(10), log(8000)));
            const int64_t prompts = 1 + (int64_t)random_from(&random, 0, fmin(8, (double)tokens / 8));
            const int64_t cached = k % 3 || prompts > 1 ? 0 : (int64_t)random_from(&random, 0, 4000) * prompts;
            const struct orr_mixed m = {
                .tokens = tokens,
                .prompts = prompts,
                .cached = cached,
                .pairs = (double)tokens * ((double)cached / (double)prompts + (double)tokens / (double)prompts / 2),
                .decodes = k % 4 ? n : 0,
                .context = x};
            const double mixed = orr_steps_mixed(table, &m) / orr_steps_mixed(exact, &m) - 1;
            bias += mixed / STEPS;
            error[STEPS + k] = fabs(mixed);
        }
        qsort(error, STEPS, sizeof *error, orr_ascending);
        qsort(error + STEPS, STEPS, sizeof *error, orr_ascending);
        print_message(
            "# %s, %s: decode steps median %.1e, p99 %.1e, largest %.1e; with prompts %.1e, %.1e, %.1e, bias %+.1e\n",
            JOBS[i].model, JOBS[i].engine, error[STEPS / 2], error[STEPS * 99 / 100], error[STEPS - 1],
            error[STEPS + STEPS / 2], error[STEPS + STEPS * 99 / 100], error[2 * STEPS - 1], bias);
        orr_steps_free(table);
        orr_steps_free(exact);
        assert_true(error[STEPS / 2] < 0.001 && error[STEPS * 99 / 100] < 0.02);
        /* Products have stairs at multiples of a tile, which straight lines round off. */
        assert_true(error[STEPS + STEPS / 2] < 0.01 && error[STEPS + STEPS * 99 / 100] < 0.12 && fabs(bias) < 0.01);
    }
}

/* The steady state: so many requests that the burst of all users at the start hardly counts. */
static struct orr_traffic loop(int64_t users, double input, double output)
{
    return (struct orr_traffic){.arrival = ORR_ARRIVAL_CLOSED,
                                .concurrency = users,
                                .requests = 400 * users + 4000,
                                .input_len = {.law = ORR_LENGTH_UNIFORM, .low = 0.8 * input, .high = input},
                                .output_len = {.law = ORR_LENGTH_UNIFORM, .low = 0.8 * output, .high = output},
                                .seed = 1};
}

static void closed_loop_is_closed_form(void **state)
{
    struct world *w = *state;
    static const struct {
        int users, input, output;
    } LOADS[] = {{4, 1000, 1000}, {16, 1000, 1000}, {64, 1000, 1000}, {8, 8000, 1000}, {32, 1000, 300}};
    double ttfts[COUNT(JOBS) * COUNT(LOADS)], worst = 0;
    size_t n_ttfts = 0;
    for (size_t i = 0; i < COUNT(JOBS); i++) {
        open_job(w, i, 1000, 1000);
        struct orr_closed_form *form = orr_closed_form_new(&w->job);
        for (size_t k = 0; k < COUNT(LOADS); k++) {
            const struct orr_traffic traffic = loop(LOADS[k].users, LOADS[k].input, LOADS[k].output);
            struct orr_serving_result closed;
            const struct orr_serving_result run = simulate(&w->job, &traffic, false);
            orr_closed_form_solve(form, &traffic, &closed);
            const double ttft = closed.timing[ORR_TIMING_TTFT].mean / run.timing[ORR_TIMING_TTFT].mean - 1;
            const double tpot = closed.timing[ORR_TIMING_TPOT].mean / run.timing[ORR_TIMING_TPOT].mean - 1;
            const double rate = closed.output_tokens_per_s / run.output_tokens_per_s - 1;
            print_message("# %-14s %-18s %3d users %d/%d: TTFT %+.3f, TPOT %+.4f, rate %+.4f; prompts %.2f\n",
                          JOBS[i].model, JOBS[i].engine, LOADS[k].users, LOADS[k].input, LOADS[k].output, ttft, tpot,
                          rate, closed.prompt_frac);
            /* Requests that wait for a place have a first token that is the difference of two long times. */
            const bool queued = run.timing[ORR_TIMING_QUEUE].mean > run.timing[ORR_TIMING_TPOT].mean * 4;
            if (!run.fits) continue;
            assert_true(fabs(rate) < 0.03 && fabs(tpot) < 0.03);
            assert_true(queued || fabs(ttft) < 0.1);
            worst = fmax(worst, queued ? 0 : fabs(ttft));
            ttfts[n_ttfts++] = fabs(ttft);
        }
        orr_closed_form_free(form);
    }
    qsort(ttfts, n_ttfts, sizeof *ttfts, orr_ascending);
    print_message("# TTFT of the closed form: median %.3f, largest without a queue %.3f\n", ttfts[n_ttfts / 2], worst);
    assert_true(ttfts[n_ttfts / 2] < 0.02 && ttfts[n_ttfts * 8 / 10] < 0.03);
}

/* Eq. 268: requests come at any time between two polls, which are 40 decode steps apart, and wait for half of them. Of
 * 64 users one has its answer every 14 steps; an engine that took in requests then, too, would let them wait for 7. */
static void requests_wait_for_polls(void **state)
{
    struct world *w = *state;
    open_job(w, 0, 1000, 1000);
    const struct orr_traffic traffic = loop(64, 1000, 1000);
    const struct orr_serving_result plain = simulate(&w->job, &traffic, false);
    w->job.engine.poll_steps = 40;
    const struct orr_serving_result polled = simulate(&w->job, &traffic, false);
    const double more_s = polled.timing[ORR_TIMING_TTFT].mean - plain.timing[ORR_TIMING_TTFT].mean;
    const double steps = more_s / polled.timing[ORR_TIMING_TPOT].mean;
    print_message("# polls every 40 steps: requests wait %.1f steps longer\n", steps);
    assert_true(steps > 14 && steps < 24);
}

/* Means without intervals are those with them. */
static void same_means(struct orr_closed_form *form, const struct orr_traffic *traffic,
                       const struct orr_serving_result *whole)
{
    const struct orr_mean_lengths lengths = orr_traffic_lengths(traffic);
    struct orr_serving_result means;
    orr_closed_form_means(form, traffic, &lengths, &means);
    for (int i = 0; i < ORR_N_TIMINGS; i++) assert_true(means.timing[i].mean == whole->timing[i].mean);
    assert_true(means.fits && means.output_tokens_per_s == whole->output_tokens_per_s);
    assert_true(means.completed_requests_per_s == whole->completed_requests_per_s);
    assert_int_equal(means.saturated, whole->saturated);
}

/* Users who think are not in the service: by Little's law 16 of them are rate x (first token + other tokens + thought).
 * Nobody waits for a user who asks later, so that the first token is that of the closed form. */
static void users_think(void **state)
{
    struct world *w = *state;
    struct orr_traffic traffic = loop(16, 1000, 200);
    struct orr_serving_result form_result;
    open_job(w, 0, 1000, 200);
    traffic.think_s = 2;
    const struct orr_serving_result result = simulate(&w->job, &traffic, false);
    struct orr_closed_form *form = orr_closed_form_new(&w->job);
    assert_non_null(form);
    orr_closed_form_solve(form, &traffic, &form_result);
    same_means(form, &traffic, &form_result);
    orr_closed_form_free(form);
    const double ttft_s = result.timing[ORR_TIMING_TTFT].mean, latency_s = result.timing[ORR_TIMING_LATENCY].mean;
    const double users = result.completed_requests_per_s * (latency_s + traffic.think_s);
    print_message("# 16 users who think: %.2f by Little's law, TTFT %.4f s, closed form %.4f s\n", users, ttft_s,
                  form_result.timing[ORR_TIMING_TTFT].mean);
    assert_true(fabs(users / 16 - 1) < 0.03);
    assert_true(fabs(ttft_s / form_result.timing[ORR_TIMING_TTFT].mean - 1) < 0.1);
}

/* Eq. 204: a request that comes during a step enters the second one after it, which is one step later; steps take as
 * long as before. */
static void steps_are_decided_ahead(void **state)
{
    struct world *w = *state;
    open_job(w, 0, 1000, 1000);
    const struct orr_traffic traffic = loop(32, 1000, 1000);
    const struct orr_serving_result plain = simulate(&w->job, &traffic, false);
    w->job.engine.decided_ahead = true;
    const struct orr_serving_result ahead = simulate(&w->job, &traffic, false);
    const double more_s = ahead.timing[ORR_TIMING_TTFT].mean - plain.timing[ORR_TIMING_TTFT].mean;
    const double steps = more_s / ahead.timing[ORR_TIMING_TPOT].mean;
    print_message("# decided ahead: requests wait %.2f steps longer\n", steps);
    assert_true(steps > 0.7 && steps < 1.3);
    assert_true(fabs(ahead.timing[ORR_TIMING_TPOT].mean / plain.timing[ORR_TIMING_TPOT].mean - 1) < 0.01);
}

/* 131 GiB of 16-bit weights are more than the 80 GiB of a chip, and half of them leave room in the 90 % of it that the
 * engine takes. */
static void least_tp_is_named(void **state)
{
    struct world *w = *state;
    read_job(w,
             "{'kind':'infer','model':'llama3.1-70b','system':'h100-sxm','workload':{'engine':'vllm','input_len':1000,"
             "'output_len':100}}");
    const struct orr_traffic traffic = loop(4, 1000, 100);
    const struct orr_serving_result result = simulate(&w->job, &traffic, false);
    assert_false(result.fits);
    assert_non_null(strstr(result.reason, "; --tp 2 is the least that fits"));
}

/* Graphs for 1, 2, 4, 8 sequences and multiples of 8: 3 sequences take no longer than 4 and more than 3 of their own, 8
 * and 16 are as they are, and 65 are beyond the largest graph, where nothing is filled up. */
static void steps_are_filled_up_to_a_graph(void **state)
{
    static const int64_t SIZES[][2] = {{1, 1}, {3, 4}, {5, 8}, {8, 8}, {9, 16}, {16, 16}, {65, 65}};
    struct world *w = *state;
    open_job(w, 0, 1000, 1000);
    w->job.engine.graph_sequences = 64;
    struct orr_steps *plain = orr_steps_new(&w->job, NULL, false);
    w->job.engine.graph_multiple = 8;
    struct orr_steps *padded = orr_steps_new(&w->job, NULL, false);
    for (size_t i = 0; i < COUNT(SIZES); i++) {
        const double own_s = orr_steps_decode(plain, SIZES[i][0], 1000, 1).first_s;
        const double next_s = orr_steps_decode(plain, SIZES[i][1], 1000, 1).first_s;
        const double filled_s = orr_steps_decode(padded, SIZES[i][0], 1000, 1).first_s;
        if (SIZES[i][0] == SIZES[i][1]) assert_true(fabs(filled_s / own_s - 1) < 1e-9);
        else if (filled_s <= own_s || filled_s > next_s * (1 + 1e-9))
            fail_msg("%lld sequences: %g s, which is not from %g to %g", (long long)SIZES[i][0], filled_s, own_s,
                     next_s);
    }
    orr_steps_free(plain);
    orr_steps_free(padded);
}

/* Eq. 322: prompts of 1000 to 3000 tokens, whose variance is (2001^2 - 1)/12, and answers of 600: contexts have the
 * mean 2000 + 300 and the square 2000^2 + 333666.67 + 2000 * 600 + 600^2/3, so that they differ by 0.2622 of the mean.
 * Of lognormal answers of mean 600 and spread 0.5 the square is 450000 and the cube 750^3: a mean of 1375 and a square
 * of 1000^2 + 1000 * 750 + 750^3/1800. */
static void contexts_differ_by_their_lengths(void **state)
{
    (void)state;
    const struct orr_traffic uniform = {
        .arrival = ORR_ARRIVAL_CLOSED,
        .concurrency = 8,
        .input_len = {.law = ORR_LENGTH_UNIFORM, .mean = 2000, .low = 1000, .high = 3000},
        .output_len = {.law = ORR_LENGTH_FIXED, .mean = 600}};
    assert_close(orr_traffic_context_cv(&uniform), 0.2621947019902058, 1e-6);
    struct orr_traffic lognormal = uniform;
    lognormal.input_len = (struct orr_lengths){.law = ORR_LENGTH_FIXED, .mean = 1000};
    lognormal.output_len = (struct orr_lengths){.law = ORR_LENGTH_LOGNORMAL, .mean = 600, .cv = 0.5};
    assert_close(orr_traffic_context_cv(&lognormal), sqrt(1984375.0 / (1375.0 * 1375) - 1), 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contexts_differ_by_their_lengths),
        cmocka_unit_test(users_think),
        cmocka_unit_test(steps_are_decided_ahead),
        cmocka_unit_test(least_tp_is_named),
        cmocka_unit_test(one_request_alone),
        cmocka_unit_test(table_error),
        cmocka_unit_test(closed_loop_is_closed_form),
        cmocka_unit_test(requests_wait_for_polls),
        cmocka_unit_test(steps_are_filled_up_to_a_graph),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
