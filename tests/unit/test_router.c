/* Routers in front of replicas: one replica is the same behind all of them, nothing is lost, and a router that looks at
 * loads makes requests wait less. */
#include "serving.h"

#include "serving/router.h"

static struct orr_traffic traffic_to(enum orr_router router, double rate_per_s)
{
    return (struct orr_traffic){.arrival = ORR_ARRIVAL_POISSON,
                                .router = router,
                                .rate_per_s = rate_per_s,
                                .requests = 8000,
                                .input_len = {.law = ORR_LENGTH_LOGNORMAL, .mean = 1500, .cv = 1.5},
                                .output_len = {.law = ORR_LENGTH_LOGNORMAL, .mean = 200, .cv = 1}};
}

static struct orr_serving_result simulate(const struct orr_job *job, const struct orr_traffic *traffic)
{
    struct orr_serving_result result;
    struct orr_error error;
    if (orr_simulate(job, traffic, NULL, &result, &error)) fail_msg("%s", error.text);
    result.simulated_requests_per_s = 0;
    return result;
}

static void open_job(struct world *w, int dp)
{
    read_job(w,
             "{'kind':'infer','model':'llama3-8b','system':'h100-sxm','plan':{'tp':1,'dp':%d},'workload':{"
             "'engine':'vllm','precision':'bf16','input_len':1500,'output_len':200}}",
             dp);
}

static void one_replica_is_the_same(void **state)
{
    struct world *w = *state;
    open_job(w, 1);
    const struct orr_traffic first = traffic_to(ORR_ROUTER_ROUND_ROBIN, 10);
    const struct orr_serving_result result = simulate(&w->job, &first);
    for (int i = 1; i < ORR_N_ROUTERS; i++) {
        const struct orr_traffic traffic = traffic_to((enum orr_router)i, 10);
        const struct orr_serving_result other = simulate(&w->job, &traffic);
        for (int k = 0; k < ORR_N_TIMINGS; k++)
            assert_memory_equal(&other.timing[k], &result.timing[k], sizeof result.timing[k]);
        assert_true(other.output_tokens_per_s == result.output_tokens_per_s);
    }
}

static void looking_at_loads_helps(void **state)
{
    struct world *w = *state;
    struct orr_serving_result results[ORR_N_ROUTERS];
    open_job(w, 4);
    for (int i = 0; i < ORR_N_ROUTERS; i++) {
        const struct orr_traffic traffic = traffic_to((enum orr_router)i, 56);
        results[i] = simulate(&w->job, &traffic);
        print_message("# router %d: queue %.4f s, p95 of the first token %.4f s, %.4f requests/s\n", i,
                      results[i].timing[ORR_TIMING_QUEUE].mean, results[i].timing[ORR_TIMING_TTFT].p95,
                      results[i].completed_requests_per_s);
        assert_int_equal(results[i].requests, 8000);
        assert_int_equal(results[i].refused, 0);
        /* Little's law of the line before each of four replicas */
        const double waiting = results[i].timing[ORR_TIMING_QUEUE].mean * 8000 / 4 / results[i].duration_s;
        assert_true(fabs(results[i].mean_waiting / waiting - 1) < 1e-9);
    }
    const double turn_s = results[ORR_ROUTER_ROUND_ROBIN].timing[ORR_TIMING_QUEUE].mean;
    const double two_s = results[ORR_ROUTER_POWER_OF_TWO].timing[ORR_TIMING_QUEUE].mean;
    const double least_s = results[ORR_ROUTER_LEAST_LOADED].timing[ORR_TIMING_QUEUE].mean;
    assert_true(least_s < two_s && two_s < turn_s);
}

/* Without loads the least loaded is the next in turn; of two drawn replicas both are in range and all are drawn. */
static void equal_loads_are_dealt_out(void **state)
{
    struct world *w = *state;
    struct orr_infer_result alone;
    struct orr_replica *fleet[5];
    struct orr_candidate candidates[5] = {{NULL, 0}};
    const struct orr_traffic traffic = traffic_to(ORR_ROUTER_LEAST_LOADED, 1);
    const struct orr_sink sink = {0};
    int64_t drawn[COUNT(fleet)] = {0};
    open_job(w, 1);
    const struct orr_replica_facts facts = orr_replica_facts_of(&w->job, &traffic, w->scratch, &alone);
    struct orr_steps *steps = orr_steps_new(&w->job, NULL, false);
    for (size_t i = 0; i < COUNT(fleet); i++) {
        assert_non_null(fleet[i] = orr_replica_new(&facts, steps, &sink));
        candidates[i].replica = fleet[i];
    }
    for (int64_t id = 0; id < 1000; id++) {
        const struct orr_ask asked = {.id = id};
        assert_int_equal(orr_route(ORR_ROUTER_ROUND_ROBIN, candidates, 5, 0, &asked), id % 5);
        assert_int_equal(orr_route(ORR_ROUTER_LEAST_LOADED, candidates, 5, 0, &asked), id % 5);
        const int64_t to = orr_route(ORR_ROUTER_POWER_OF_TWO, candidates, 5, 0, &asked);
        assert_true(to >= 0 && to < 5);
        drawn[to]++;
    }
    for (size_t i = 0; i < COUNT(fleet); i++) assert_true(drawn[i] > 150 && drawn[i] < 250); /* 200 ± 4 sigma */
    struct orr_ask ask = {.id = 0, .input_len = 100, .output_len = 10, .max_output_len = 10};
    for (size_t i = 0; i < 4; i++) assert_true(orr_replica_submit(fleet[i], &ask));
    for (ask.id = 0; ask.id < 10; ask.id++)
        assert_int_equal(orr_route(ORR_ROUTER_LEAST_LOADED, candidates, 5, 0, &ask), 4);
    candidates[4].coming = 2; /* caches on their way count */
    for (ask.id = 0; ask.id < 4; ask.id++)
        assert_int_equal(orr_route(ORR_ROUTER_LEAST_LOADED, candidates, 5, 0, &ask), ask.id);
    /* A session stays where it is, whatever the loads; sessions spread. */
    int64_t seen = 0;
    for (uint64_t session = 1; session <= 50; session++) {
        ask.prefix = session;
        ask.id = 0;
        const int64_t to = orr_route(ORR_ROUTER_SESSION, candidates, 5, 0, &ask);
        for (ask.id = 1; ask.id < 20; ask.id++)
            assert_int_equal(orr_route(ORR_ROUTER_SESSION, candidates, 5, 0, &ask), to);
        seen |= 1 << to;
    }
    assert_int_equal(seen, 31);
    for (size_t i = 0; i < COUNT(fleet); i++) orr_replica_free(fleet[i]);
    orr_steps_free(steps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_replica_is_the_same),
        cmocka_unit_test(looking_at_loads_helps),
        cmocka_unit_test(equal_loads_are_dealt_out),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
