/* Replicas that are simulated together: pools with caches sent between them, failures, priorities, replicas that come
 * and go. What is known: queueing theory, conservation, and the same job without load. */
#include "serving.h"

#include "serving/fleet.h"
#include "serving/pools.h"

static void open_job(struct world *w, struct orr_job *job, const char *system, int tp, int dp, bool apart)
{
    read_job(w,
             "{'kind':'infer','model':'llama3-8b','system':'%s','plan':{'tp':%d,'dp':%d},'workload':{'engine':'vllm',"
             "'input_len':1000,'output_len':200,'disaggregated':%s}}",
             system, tp, dp, apart ? "true" : "false");
    w->job.engine.frontend_s = w->job.engine.frontend_s_per_token = w->job.engine.frontend_s_per_request = 0;
    w->job.engine.tokenise_s_per_token = 0;
    w->job.engine.stream_s_per_token = 0;
    *job = w->job;
}

static struct orr_traffic poisson(double rate, int64_t requests)
{
    return (struct orr_traffic){.arrival = ORR_ARRIVAL_POISSON,
                                .rate_per_s = rate,
                                .requests = requests,
                                .input_len = {.law = ORR_LENGTH_UNIFORM, .low = 800, .high = 1200},
                                .output_len = {.law = ORR_LENGTH_UNIFORM, .low = 100, .high = 300},
                                .seed = 1};
}

/* What was seen of finished requests. */
struct seen {
    int64_t n, output_tokens, preemptions;
    double sum_s, id_sum;
};

static void finished(void *context, const struct orr_request_record *r)
{
    struct seen *seen = context;
    assert_true(r->arrival_s <= r->visible_s && r->visible_s <= r->start_s && r->start_s < r->first_s);
    assert_true(r->first_s <= r->finish_s && r->transfer_s >= 0 && r->transfer_s <= r->first_s - r->start_s);
    seen->n++;
    seen->output_tokens += r->output_len;
    seen->sum_s += r->finish_s - r->arrival_s;
    seen->id_sum += (double)r->id;
}

static struct orr_serving_result run(const struct orr_job *job, const struct orr_deployment *deployment,
                                     const struct orr_traffic *traffic, bool exact, struct seen *seen)
{
    *seen = (struct seen){0};
    const struct orr_simulation how = {.deployment = deployment, .exact = exact, .context = seen, .finished = finished};
    struct orr_serving_result result;
    struct orr_error error;
    if (orr_simulate(job, traffic, &how, &result, &error)) fail_msg("%s", error.text);
    return result;
}

/* Every request ends once: their numbers from 0 to n - 1 add up to n (n - 1) / 2. */
static void all_ended(const struct seen *seen, int64_t n)
{
    assert_int_equal(seen->n, n);
    assert_true(fabs(seen->id_sum - (double)n * (double)(n - 1) / 2) < 0.5);
}

/* ---------------------------------------------------------------- prompts and answers apart */

static void one_request_alone_is_an_inference_job(void **state)
{
    struct world *w = *state;
    static struct orr_job prompts, answers;
    struct seen seen;
    open_job(w, &answers, "h100-sxm", 1, 1, false);
    open_job(w, &prompts, "h100-sxm", 1, 1, true);
    const struct orr_infer_result alone = infer(w, &prompts);
    const struct orr_deployment deployment = {.n_pools = 2,
                                              .pools = {{ORR_POOL_PREFILL, &prompts}, {ORR_POOL_DECODE, &answers}}};
    struct orr_traffic traffic = {.arrival = ORR_ARRIVAL_CLOSED,
                                  .concurrency = 1,
                                  .requests = 3,
                                  .input_len = {.law = ORR_LENGTH_FIXED, .mean = 1000},
                                  .output_len = {.law = ORR_LENGTH_FIXED, .mean = 200}};
    const struct orr_serving_result r = run(&prompts, &deployment, &traffic, true, &seen);
    const double ttft = r.timing[ORR_TIMING_TTFT].mean / alone.ttft_s - 1;
    const double tpot = r.timing[ORR_TIMING_TPOT].mean / alone.tpot_s - 1;
    print_message("# TTFT %+.1e, TPOT %+.1e, transfer %.3g s (%.3g s in all)\n", ttft, tpot, r.transfer.mean,
                  alone.kv_handoff_s);
    assert_true(fabs(ttft) < 1e-9 && fabs(tpot) < 1e-9);
    all_ended(&seen, 3);
}

static void requests_and_tokens_are_conserved(void **state)
{
    struct world *w = *state;
    static struct orr_job prompts, answers;
    struct seen seen;
    open_job(w, &prompts, "h100-sxm", 1, 2, true);
    open_job(w, &answers, "h200-sxm", 1, 3, false);
    const struct orr_deployment deployment = {.n_pools = 2,
                                              .pools = {{ORR_POOL_PREFILL, &prompts}, {ORR_POOL_DECODE, &answers}}};
    for (int router = 0; router < ORR_N_ROUTERS; router++) {
        struct orr_traffic traffic = poisson(20, 4000);
        traffic.router = (enum orr_router)router;
        const struct orr_serving_result r = run(&prompts, &deployment, &traffic, false, &seen);
        all_ended(&seen, 4000);
        assert_int_equal(r.n_pools, 2);
        assert_true(r.transfer.mean > 0 && r.link_busy_frac > 0 && r.link_busy_frac < 0.5);
        /* Little's law: sequences of the decode pool are requests per second times their time there. */
        const double there_s = r.timing[ORR_TIMING_LATENCY].mean - r.timing[ORR_TIMING_TTFT].mean;
        const double there = r.completed_requests_per_s * there_s / 3;
        const double running = r.pools[1].mean_running_batch * r.pools[1].busy_frac;
        print_message("# router %d: %.3f sequences, %.3f by Little's law\n", router, running, there);
        assert_true(fabs(running / there - 1) < 0.01); /* waits for the step that runs are not in the batch */
    }
}

/* A decode pool whose cache holds few requests holds back the prefill pool, and nothing is lost. */
static void a_full_decode_pool_holds_prompts_back(void **state)
{
    struct world *w = *state;
    static struct orr_job prompts, answers;
    struct seen seen;
    open_job(w, &prompts, "h100-sxm", 1, 1, true);
    open_job(w, &answers, "h100-sxm", 1, 1, false);
    answers.engine.max_requests = 4;
    const struct orr_deployment deployment = {.n_pools = 2,
                                              .pools = {{ORR_POOL_PREFILL, &prompts}, {ORR_POOL_DECODE, &answers}}};
    const struct orr_traffic traffic = poisson(20, 400);
    const struct orr_serving_result r = run(&prompts, &deployment, &traffic, false, &seen);
    all_ended(&seen, 400);
    assert_true(r.pools[1].mean_running_batch <= 4);
    assert_true(r.transfer.mean > 1); /* caches wait where they were made: 20 requests/s come and 4 at a time leave */
    const double most = r.pools[0].kv_capacity_tokens / 1000;
    const double sent = r.completed_requests_per_s * r.transfer.mean; /* Little's law: caches that wait to be sent */
    assert_true(sent > 20 && sent < most);
}

static void pools_are_their_closed_form(void **state)
{
    struct world *w = *state;
    static struct orr_job prompts, answers;
    struct seen seen;
    open_job(w, &prompts, "h100-sxm", 1, 2, true);
    open_job(w, &answers, "h100-sxm", 1, 2, false);
    const struct orr_deployment deployment = {.n_pools = 2,
                                              .pools = {{ORR_POOL_PREFILL, &prompts}, {ORR_POOL_DECODE, &answers}}};
    for (int i = 0; i < 7; i++) {
        struct orr_traffic traffic = poisson((const double[]){5, 10, 20, 0, 0, 0, 0}[i], 6000);
        struct orr_serving_result closed;
        if (i >= 3) {
            traffic.arrival = ORR_ARRIVAL_CLOSED;
            traffic.concurrency = (const int[]){8, 32, 64, 128}[i - 3];
        }
        const struct orr_serving_result r = run(&prompts, &deployment, &traffic, false, &seen);
        assert_true(orr_pools_solve(&deployment, &traffic, &closed));
        const double ttft = closed.timing[ORR_TIMING_TTFT].mean / r.timing[ORR_TIMING_TTFT].mean - 1;
        const double tpot = closed.timing[ORR_TIMING_TPOT].mean / r.timing[ORR_TIMING_TPOT].mean - 1;
        const double rate = closed.output_tokens_per_s / r.output_tokens_per_s - 1;
        print_message("# %g/s, %lld users: TTFT %+.3f, TPOT %+.4f, rate %+.4f\n", traffic.rate_per_s,
                      (long long)traffic.concurrency, ttft, tpot, rate);
        assert_true(fabs(tpot) < 0.03 && fabs(rate) < 0.04 && fabs(ttft) < 0.15);
    }
}

/* Equal transfers that arrive at random over one link: processor sharing, whose mean is s / (1 - rho). */
static void links_are_shared(void **state)
{
    (void)state;
    const double s = 0.1, rho = 0.7;
    struct orr_links links;
    struct random random = {.state = 99};
    double now_s = 0, sum_s = 0;
    int64_t started = 0, ended = 0;
    assert_true(orr_links_open(&links, 2));
    double next_s = 0;
    while (ended < 200000) {
        size_t which = 0;
        const double end_s = orr_links_next_s(&links, &which);
        if (started < 200000 && next_s < end_s) {
            orr_links_advance(&links, now_s = next_s);
            const struct orr_transfer t = {
                .handover = {.ready_s = now_s}, .from = 0, .to = 1, .left_frac = 1, .out_s = s, .in_s = s / 2};
            assert_true(orr_links_start(&links, &t));
            started++;
            next_s -= log(((double)draw(&random, 1 << 30) + 0.5) / (1 << 30)) * s / rho;
        } else {
            orr_links_advance(&links, now_s = end_s);
            sum_s += now_s - orr_links_take(&links, which).handover.ready_s;
            ended++;
        }
    }
    print_message("# mean transfer %.4f s, expected %.4f s\n", sum_s / 200000, s / (1 - rho));
    assert_true(fabs(sum_s / 200000 / (s / (1 - rho)) - 1) < 0.03);
    assert_true(fabs(links.busy_s[0] / now_s - rho) < 0.01);
    orr_links_close(&links);
}

/* ---------------------------------------------------------------- replicas that come, go and fail */

static void a_failed_replica_loses_no_request(void **state)
{
    struct world *w = *state;
    static struct orr_job job;
    struct seen seen;
    open_job(w, &job, "h100-sxm", 1, 3, false);
    const struct orr_traffic traffic = poisson(30, 6000);
    const struct orr_deployment whole = {.max_outstanding = 1000000};
    struct orr_deployment failing = whole;
    failing.n_failures = 2;
    failing.failures[0] = (struct orr_failure){.replica = 1, .at_s = 20, .down_s = 30};
    failing.failures[1] = (struct orr_failure){.replica = 2, .at_s = 100, .down_s = 10};
    const struct orr_serving_result before = run(&job, &whole, &traffic, false, &seen);
    all_ended(&seen, 6000);
    assert_int_equal(before.restarted, 0);
    const struct orr_serving_result after = run(&job, &failing, &traffic, false, &seen);
    all_ended(&seen, 6000);
    print_message("# %lld began anew; TTFT p99 %.3f s, %.3f s without failures\n", (long long)after.restarted,
                  after.timing[ORR_TIMING_TTFT].p99, before.timing[ORR_TIMING_TTFT].p99);
    assert_true(after.restarted > 2 && after.restarted < 400);
    assert_true(after.timing[ORR_TIMING_TTFT].p99 > before.timing[ORR_TIMING_TTFT].p99);
}

static void nobody_is_up_for_a_while(void **state)
{
    struct world *w = *state;
    static struct orr_job job;
    struct seen seen;
    open_job(w, &job, "h100-sxm", 1, 1, false);
    const struct orr_traffic traffic = poisson(5, 1000);
    const struct orr_deployment failing = {.n_failures = 1, .failures = {{.at_s = 50, .down_s = 20}}};
    const struct orr_serving_result r = run(&job, &failing, &traffic, false, &seen);
    all_ended(&seen, 1000);
    assert_true(r.timing[ORR_TIMING_TTFT].p99 > 10 && r.timing[ORR_TIMING_TTFT].p50 < 1);
}

static void the_limit_of_admission_turns_requests_away(void **state)
{
    struct world *w = *state;
    static struct orr_job job;
    struct seen seen;
    open_job(w, &job, "h100-sxm", 1, 2, false);
    const struct orr_traffic traffic = poisson(200, 6000);
    const struct orr_deployment limited = {.max_outstanding = 32};
    const struct orr_serving_result r = run(&job, &limited, &traffic, false, &seen);
    assert_int_equal(seen.n + r.rejected, 6000);
    assert_true(r.rejected > 600 && r.mean_running_batch <= 32);
}

static void replicas_follow_the_load(void **state)
{
    struct world *w = *state;
    static struct orr_job job;
    struct seen seen;
    open_job(w, &job, "h100-sxm", 1, 1, false);
    struct orr_traffic traffic = poisson(20, 20000);
    traffic.arrival = ORR_ARRIVAL_DIURNAL;
    traffic.swing_frac = 1;
    traffic.period_s = 500;
    const struct orr_deployment scaled = {
        .autoscale = {.least = 1, .most = 6, .requests = 16, .start_s = 20, .interval_s = 5, .idle_s = 20}};
    const struct orr_serving_result r = run(&job, &scaled, &traffic, false, &seen);
    all_ended(&seen, 20000);
    print_message("# %.2f of 1 to 6 replicas\n", r.pools[0].replicas);
    assert_true(r.pools[0].replicas > 1.2 && r.pools[0].replicas < 5 && r.mean_gpus == r.pools[0].replicas);
    traffic.rate_per_s = 0.5;
    traffic.requests = 500;
    const struct orr_serving_result calm = run(&job, &scaled, &traffic, false, &seen);
    all_ended(&seen, 500);
    assert_true(fabs(calm.pools[0].replicas - 1) < 1e-9);
}

/* Urgent requests wait for places less than others, and the sum of all waits does not fall by it. */
static void urgent_requests_go_first(void **state)
{
    struct world *w = *state;
    static struct orr_job job;
    struct seen seen;
    open_job(w, &job, "h100-sxm", 1, 1, false);
    job.engine.max_requests = 16;
    struct orr_traffic traffic = poisson(9, 8000);
    const struct orr_serving_result equal = run(&job, NULL, &traffic, false, &seen);
    traffic.urgent_share = 0.2;
    const struct orr_serving_result r = run(&job, NULL, &traffic, false, &seen);
    all_ended(&seen, 8000);
    print_message("# urgent %.3f s, others %.3f s, all equal %.3f s\n", r.urgent_ttft.mean, r.other_ttft.mean,
                  equal.timing[ORR_TIMING_TTFT].mean);
    assert_true(r.urgent_ttft.mean < 0.5 * r.other_ttft.mean);
    assert_true(r.other_ttft.mean > equal.timing[ORR_TIMING_TTFT].mean);
    assert_true(fabs(r.timing[ORR_TIMING_TTFT].mean / equal.timing[ORR_TIMING_TTFT].mean - 1) < 0.1);
}

/* Pools of different systems side by side: round robin gives each replica as many requests. */
static void different_pools_share_the_requests(void **state)
{
    struct world *w = *state;
    static struct orr_job slow, fast;
    struct seen seen;
    open_job(w, &slow, "a100-80g-sxm", 1, 1, false);
    open_job(w, &fast, "h200-sxm", 1, 1, false);
    const struct orr_deployment both = {.n_pools = 2, .pools = {{ORR_POOL_WHOLE, &slow}, {ORR_POOL_WHOLE, &fast}}};
    struct orr_traffic traffic = poisson(8, 4000);
    const struct orr_serving_result even = run(&slow, &both, &traffic, false, &seen);
    all_ended(&seen, 4000);
    assert_true(even.pools[0].mean_running_batch > 1.3 * even.pools[1].mean_running_batch);
    traffic.router = ORR_ROUTER_LEAST_LOADED;
    const struct orr_serving_result least = run(&slow, &both, &traffic, false, &seen);
    all_ended(&seen, 4000);
    assert_true(least.timing[ORR_TIMING_LATENCY].mean < even.timing[ORR_TIMING_LATENCY].mean);
    const double usd = (slow.system.price_usd_per_gpu_hour + fast.system.price_usd_per_gpu_hour) / 3600;
    assert_true(fabs(least.cost_usd_per_million_output_tokens / (usd / least.output_tokens_per_s * 1e6) - 1) < 1e-9);
}

/* Eq. 350: an engine whose graphs of prompts are not for separate pools needs the host there. 32 layers of 0.5 s are
 * 16 s beside no launches; with graphs a step of 100 tokens takes less than one. */
static void pools_may_launch_their_prompts(void **state)
{
    struct world *w = *state;
    static struct orr_job job;
    const struct orr_traffic traffic = poisson(1, 10);
    const struct orr_mixed prompt = {.tokens = 100, .prompts = 1, .pairs = 5050};
    open_job(w, &job, "h100-sxm", 1, 2, false);
    job.engine.host_launch_s = 0;
    job.engine.host_layer_s = 0.5;
    for (int named = 0; named < 2; named++) {
        (void)snprintf(job.engine.graph_prompts_not, sizeof job.engine.graph_prompts_not, named ? "pp pools" : "pp");
        for (int role = 0; role < ORR_N_POOL_ROLES; role++) {
            struct orr_steps *steps = orr_pool_steps_new(&job, (enum orr_pool_role)role, &traffic, false);
            const double step_s = orr_steps_mixed(steps, &prompt);
            if (named && role != ORR_POOL_WHOLE) assert_close(step_s, 16, 0.01);
            else assert_true(step_s < 1);
            orr_steps_free(steps);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_request_alone_is_an_inference_job),
        cmocka_unit_test(pools_may_launch_their_prompts),
        cmocka_unit_test(requests_and_tokens_are_conserved),
        cmocka_unit_test(a_full_decode_pool_holds_prompts_back),
        cmocka_unit_test(pools_are_their_closed_form),
        cmocka_unit_test(links_are_shared),
        cmocka_unit_test(a_failed_replica_loses_no_request),
        cmocka_unit_test(nobody_is_up_for_a_while),
        cmocka_unit_test(the_limit_of_admission_turns_requests_away),
        cmocka_unit_test(replicas_follow_the_load),
        cmocka_unit_test(urgent_requests_go_first),
        cmocka_unit_test(different_pools_share_the_requests),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
