/* Attention ranks that share experts: the closed form of their steps (Eqs. 270-276) against the simulation, and what
 * the simulation itself must keep. */
#include "serving.h"

#include "base/number.h"
#include "serving/fleet.h"

static void open_ranks(struct world *w, struct orr_job *job, const char *model, const char *system, int ranks,
                       const char *engine)
{
    read_job(w,
             "{'kind':'infer','model':'%s','system':'%s','plan':{'tp':1,'dp':%d,'ep':%d,'etp':1},'workload':{'engine':"
             "'%s','input_len':1000,'output_len':200}}",
             model, system, ranks, ranks, engine);
    *job = w->job;
}

static struct orr_traffic traffic_of(double rate, int64_t users, int64_t requests)
{
    return (struct orr_traffic){.arrival = rate > 0 ? ORR_ARRIVAL_POISSON : ORR_ARRIVAL_CLOSED,
                                .rate_per_s = rate,
                                .concurrency = users,
                                .requests = requests,
                                .warmup_s = rate > 0 ? 60 : 40,
                                .input_len = {.law = ORR_LENGTH_UNIFORM, .low = 500, .high = 1500},
                                .output_len = {.law = ORR_LENGTH_UNIFORM, .low = 100, .high = 300},
                                .seed = 3};
}

static struct orr_serving_result simulated(const struct orr_job *job, const struct orr_traffic *traffic)
{
    struct orr_serving_result result;
    struct orr_error error;
    if (orr_simulate(job, traffic, NULL, &result, &error)) fail_msg("%s", error.text);
    return result;
}

static struct orr_serving_result closed(const struct orr_job *job, struct orr_traffic traffic)
{
    struct orr_serving_result result;
    struct orr_closed_form *form = orr_closed_form_new(job);
    assert_non_null(form);
    traffic.requests = INT64_C(1) << 40; /* without the burst at the start */
    orr_closed_form_solve(form, &traffic, &result);
    orr_closed_form_free(form);
    return result;
}

/* One sixth to two thirds of what the service carries: 3 % in time per token at the median, 12 % at most. */
static void the_closed_form_is_the_simulation(void **state)
{
    static const struct {
        const char *model, *system, *engine;
        int ranks;
        double rate;
        int users;
    } CASES[] = {
        {"mixtral-8x7b", "h100-sxm", "vllm-0.12", 4, 8, 0},
        {"mixtral-8x7b", "h100-sxm", "vllm-0.12", 4, 16, 0},
        {"mixtral-8x7b", "h100-sxm", "vllm-0.12", 4, 0, 64},
        {"mixtral-8x7b", "h100-sxm", "vllm-0.12", 4, 0, 256},
        {"mixtral-8x7b", "h100-sxm", "vllm-0.17", 4, 0, 64}, /* decided one step ahead */
        {"mixtral-8x7b", "h100-sxm", "sglang-0.5", 4, 8, 0},
        {"mixtral-8x7b", "h100-sxm", "sglang-0.5", 4, 16, 0},
        {"mixtral-8x7b", "h100-sxm", "sglang-0.5", 4, 0, 64},
        {"deepseek-v3", "h200-sxm", "vllm-0.12", 16, 6, 0},
        {"deepseek-v3", "h200-sxm", "vllm-0.12", 16, 0, 160},
        {"deepseek-v3", "h200-sxm", "sglang-0.5", 16, 15, 0},
        {"deepseek-v3", "h200-sxm", "sglang-0.5", 16, 0, 160},
        {"deepseek-v3", "h200-sxm", "sglang-0.5", 16, 0, 320},
        {"qwen3-235b-a22b", "b200-sxm", "tensorrt-llm-1.0", 8, 10, 0},
        {"qwen3-235b-a22b", "b200-sxm", "tensorrt-llm-1.0", 8, 20, 0},
        {"qwen3-235b-a22b", "b200-sxm", "tensorrt-llm-1.0", 8, 0, 160},
    };
    struct world *w = *state;
    static struct orr_job job;
    double errors[COUNT(CASES)];
    for (size_t i = 0; i < COUNT(CASES); i++) {
        open_ranks(w, &job, CASES[i].model, CASES[i].system, CASES[i].ranks, CASES[i].engine);
        assert_true(orr_lockstep_ranks(&job.plan) == CASES[i].ranks);
        const struct orr_traffic traffic =
            traffic_of(CASES[i].rate, CASES[i].users, CASES[i].rate > 0 ? (int64_t)(500 * CASES[i].rate) : 6000);
        const struct orr_serving_result s = simulated(&job, &traffic), c = closed(&job, traffic);
        const double tpot = c.timing[ORR_TIMING_TPOT].mean / s.timing[ORR_TIMING_TPOT].mean - 1;
        const double ttft = c.timing[ORR_TIMING_TTFT].mean / s.timing[ORR_TIMING_TTFT].mean - 1;
        print_message("# %s %s %g/s %d users: token %+.1f %%, first token %+.1f %%\n", CASES[i].model, CASES[i].engine,
                      CASES[i].rate, CASES[i].users, 100 * tpot, 100 * ttft);
        assert_true(!c.saturated && !s.saturated);
        assert_true(fabs(tpot) < 0.12);
        assert_true(fabs(ttft) < 0.15);
        errors[i] = fabs(tpot);
    }
    qsort(errors, COUNT(errors), sizeof *errors, orr_ascending);
    assert_true(errors[COUNT(errors) / 2] < 0.03);
}

/* The largest rate lies within a sixth of where the simulated queue begins to grow: at 85 % of it the simulation has
 * first tokens within a second, at 1/0.85 times it the wait grows with the length of the run. */
static void the_largest_rate_is_known_to_a_sixth(void **state)
{
    struct world *w = *state;
    static struct orr_job job;
    open_ranks(w, &job, "mixtral-8x7b", "h100-sxm", 4, "vllm-0.12");
    const double most = closed(&job, traffic_of(1000, 0, 0)).completed_requests_per_s;
    const struct orr_serving_result below = simulated(&job, (struct orr_traffic[]){traffic_of(0.85 * most, 0, 20000)});
    const struct orr_traffic beyond = traffic_of(most / 0.85, 0, 12000), longer = traffic_of(most / 0.85, 0, 36000);
    const double short_s = simulated(&job, &beyond).timing[ORR_TIMING_TTFT].mean;
    const double long_s = simulated(&job, &longer).timing[ORR_TIMING_TTFT].mean;
    print_message("# largest rate %.1f/s: below %.2f s, beyond %.1f s and %.1f s\n", most,
                  below.timing[ORR_TIMING_TTFT].mean, short_s, long_s);
    assert_true(below.timing[ORR_TIMING_TTFT].mean < 1);
    assert_true(long_s > 2 * short_s);
}

/* A rank without sequences steps along with the others, and a request that comes to it waits for the step that runs and
 * no longer: its first token is not later than on a busy rank. */
static void an_idle_rank_looks_out_for_requests(void **state)
{
    struct world *w = *state;
    static struct orr_job job;
    open_ranks(w, &job, "mixtral-8x7b", "h100-sxm", 4, "vllm-0.12");
    const struct orr_traffic quiet = traffic_of(2, 0, 1000), busy = traffic_of(12, 0, 6000);
    const double quiet_s = simulated(&job, &quiet).timing[ORR_TIMING_TTFT].p95;
    const double busy_s = simulated(&job, &busy).timing[ORR_TIMING_TTFT].p95;
    print_message("# 95 %% of first tokens within %.3f s at 2/s, %.3f s at 12/s\n", quiet_s, busy_s);
    assert_true(quiet_s < busy_s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_closed_form_is_the_simulation),
        cmocka_unit_test(the_largest_rate_is_known_to_a_sixth),
        cmocka_unit_test(an_idle_rank_looks_out_for_requests),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
