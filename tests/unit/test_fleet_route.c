/* How requests and caches find decode replicas: places that bind, room that is reserved before prompts, senders that
 * fail, ranks that are chosen by load, first tokens that leave in groups. */
#include "serving.h"

#include "serving/fleet.h"

struct seen {
    int64_t n;
    double id_sum;
};

static void finished(void *context, const struct orr_request_record *r)
{
    struct seen *seen = context;
    assert_true(r->arrival_s <= r->visible_s && r->first_s <= r->finish_s);
    seen->n++;
    seen->id_sum += (double)r->id;
}

static void open_job(struct world *w, struct orr_job *job, const char *model, int dp, int ep)
{
    read_job(w,
             "{'kind':'infer','model':'%s','system':'h100-sxm','plan':{'tp':1,'dp':%d,'ep':%d},'workload':{"
             "'engine':'vllm','precision':'fp8','input_len':1000,'output_len':201}}",
             model, dp, ep);
    struct orr_engine *e = &w->job.engine;
    e->frontend_s = e->frontend_s_per_token = e->frontend_s_per_request = 0;
    e->tokenise_s_per_token = e->stream_s_per_token = 0;
    *job = w->job;
}

static struct orr_traffic users(int64_t n, int64_t requests)
{
    return (struct orr_traffic){.arrival = ORR_ARRIVAL_CLOSED,
                                .concurrency = n,
                                .requests = requests,
                                .input_len = {.law = ORR_LENGTH_FIXED, .mean = 1000},
                                .output_len = {.law = ORR_LENGTH_FIXED, .mean = 201}};
}

static struct orr_serving_result run(const struct orr_job *prompts, const struct orr_job *answers,
                                     const struct orr_failure *failure, const struct orr_traffic *traffic)
{
    struct orr_deployment d = {.n_pools = 2, .pools = {{ORR_POOL_PREFILL, prompts}, {ORR_POOL_DECODE, answers}}};
    if (failure) d.failures[d.n_failures++] = *failure;
    struct seen seen = {0};
    const struct orr_simulation how = {.deployment = &d, .context = &seen, .finished = finished};
    const double n = (double)traffic->requests;
    struct orr_serving_result result;
    struct orr_error error;
    if (orr_simulate(prompts, traffic, &how, &result, &error)) fail_msg("%s", error.text);
    assert_int_equal(seen.n, traffic->requests); /* every request ends once */
    assert_true(fabs(seen.id_sum - n * (n - 1) / 2) < 0.5);
    return result;
}

/* 24 users share 8 places, so that by Little's law 16 of them wait: TTFT = 16 / rate but for the prompt itself, and
 * latency = 24 / rate. */
static void places_of_a_decode_pool_make_first_tokens_wait(void **state)
{
    struct world *w = *state;
    static struct orr_job prompts, answers;
    open_job(w, &prompts, "llama3-8b", 1, 1);
    open_job(w, &answers, "llama3-8b", 1, 1);
    answers.engine.max_requests = 8;
    const struct orr_traffic traffic = users(24, 2400);
    const struct orr_serving_result r = run(&prompts, &answers, NULL, &traffic);
    const double rate = r.completed_requests_per_s;
    assert_true(r.pools[1].mean_running_batch <= 8 + 1e-9);
    assert_true(fabs(r.timing[ORR_TIMING_TTFT].mean * rate / 16 - 1) < 0.06);
    assert_true(fabs(r.timing[ORR_TIMING_LATENCY].mean * rate / 24 - 1) < 0.02);
}

/* Without a reservation, complete prompts wait at their sender, and the wait is part of the transfer; with one, prompts
 * are not computed before there is room, and caches are sent at once. Users see the same wait. */
static void room_is_reserved_before_prompts(void **state)
{
    struct world *w = *state;
    static struct orr_job prompts, answers;
    open_job(w, &prompts, "llama3-8b", 1, 1);
    open_job(w, &answers, "llama3-8b", 1, 1);
    answers.engine.max_requests = 8;
    const struct orr_traffic traffic = users(24, 1200);
    const struct orr_serving_result late = run(&prompts, &answers, NULL, &traffic);
    prompts.engine.decode_reserves = answers.engine.decode_reserves = true;
    const struct orr_serving_result early = run(&prompts, &answers, NULL, &traffic);
    assert_true(late.transfer.mean > 0.5);
    /* At most 8 caches of 1,000 tokens, 131 MB each, share a link of 45 GB/s: 23.3 ms, and none waits for room. */
    assert_true(early.transfer.mean < 0.025);
    /* Blocks of at most the 8 requests with places, 1,008 tokens each, against those of 16 that wait as well. */
    const double tokens = early.pools[0].kv_capacity_tokens;
    assert_true(early.pools[0].kv_used_frac * tokens < 8 * 1008 + 1);
    assert_true(late.pools[0].kv_used_frac * tokens > 12 * 1000);
    assert_true(early.timing[ORR_TIMING_TTFT].mean > 0.9 * late.timing[ORR_TIMING_TTFT].mean);
}

/* Caches that wait for room are lost with the replica that holds them, and a decode replica that stops gives back those
 * that wait for it: no request is. */
static void caches_that_wait_may_lose_either_end(void **state)
{
    struct world *w = *state;
    static struct orr_job prompts, answers;
    const struct orr_traffic traffic = users(40, 1000);
    for (int reserves = 0; reserves < 2; reserves++) {
        open_job(w, &prompts, "llama3-8b", 2, 1);
        open_job(w, &answers, "llama3-8b", 2, 1);
        answers.engine.max_requests = 4;
        prompts.engine.decode_reserves = answers.engine.decode_reserves = reserves == 1;
        for (int pool = 0; pool < 2; pool++) {
            const struct orr_failure failure = {.pool = pool, .replica = 1, .at_s = 5, .down_s = 20};
            const struct orr_serving_result r = run(&prompts, &answers, &failure, &traffic);
            /* With a reservation nothing is at the prefill replica that stops but what it computes just then. */
            assert_true(r.restarted > 0 || (reserves == 1 && pool == 0));
        }
    }
}

/* Two ranks step together: where each gets every second request, their loads differ more than where the one with fewer
 * is chosen, and all wait for the fuller one. */
static void the_least_loaded_rank_is_chosen(void **state)
{
    struct world *w = *state;
    static struct orr_job prompts, answers;
    open_job(w, &prompts, "mixtral-8x7b", 2, 2);
    open_job(w, &answers, "mixtral-8x7b", 2, 2);
    struct orr_traffic traffic = users(24, 1200);
    traffic.output_len = (struct orr_lengths){.law = ORR_LENGTH_UNIFORM, .low = 2, .high = 600};
    prompts.engine.ranks_by_load = answers.engine.ranks_by_load = false;
    const struct orr_serving_result dealt = run(&prompts, &answers, NULL, &traffic);
    prompts.engine.ranks_by_load = answers.engine.ranks_by_load = true;
    const struct orr_serving_result chosen = run(&prompts, &answers, NULL, &traffic);
    assert_true(chosen.timing[ORR_TIMING_TPOT].mean < dealt.timing[ORR_TIMING_TPOT].mean);
}

/* Of 200 further tokens the first 50 come with the first one: a quarter of the time of the answer moves before it. */
static void first_tokens_leave_in_groups(void **state)
{
    struct world *w = *state;
    static struct orr_job prompts, answers;
    open_job(w, &prompts, "mixtral-8x7b", 2, 2);
    open_job(w, &answers, "mixtral-8x7b", 2, 2);
    const struct orr_traffic traffic = users(8, 200);
    const struct orr_serving_result alone = run(&prompts, &answers, NULL, &traffic);
    answers.engine.stream_tokens = 50;
    answers.engine.first_grouped = true;
    const struct orr_serving_result group = run(&prompts, &answers, NULL, &traffic);
    const double tpot_s = alone.timing[ORR_TIMING_TPOT].mean;
    assert_true(fabs(group.timing[ORR_TIMING_TPOT].mean / (0.75 * tpot_s) - 1) < 1e-9);
    assert_true(fabs((group.timing[ORR_TIMING_TTFT].mean - alone.timing[ORR_TIMING_TTFT].mean) / (50 * tpot_s) - 1) <
                1e-9);
    assert_true(fabs(group.timing[ORR_TIMING_LATENCY].mean / alone.timing[ORR_TIMING_LATENCY].mean - 1) < 1e-12);
}

/* A cache that is smaller than memory allows: 4,096 tokens hold at most three prompts of 1,000 with their answers. */
static void a_limit_of_tokens_bounds_the_cache(void **state)
{
    struct world *w = *state;
    static struct orr_job job;
    struct orr_serving_result result;
    struct orr_error error;
    open_job(w, &job, "llama3-8b", 1, 1);
    job.engine.max_kv_tokens = 4096;
    const struct orr_traffic traffic = users(16, 160);
    assert_int_equal(orr_simulate(&job, &traffic, NULL, &result, &error), ORR_OK);
    assert_true(result.mean_running_batch <= 4 && result.mean_running_batch > 2.5);
    assert_true(fabs(result.kv_capacity_tokens - 4096) < 17);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_of_a_decode_pool_make_first_tokens_wait),
        cmocka_unit_test(room_is_reserved_before_prompts),
        cmocka_unit_test(caches_that_wait_may_lose_either_end),
        cmocka_unit_test(the_least_loaded_rank_is_chosen),
        cmocka_unit_test(first_tokens_leave_in_groups),
        cmocka_unit_test(a_limit_of_tokens_bounds_the_cache),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
