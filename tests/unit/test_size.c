/* The size of a service: cases that can be checked by hand, and every plan of a small space simulated one by one. */
#include "support.h"

#include "search/size.h"

/* The answer to a request with ' for "; an error fails. */
static void solve(const struct world *w, int threads, struct orr_size_request *request, struct orr_size_answer *answer,
                  const char *format, ...)
{
    struct orr_error error;
    char json[2048];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(json, sizeof json, format, arguments);
    va_end(arguments);
    for (char *c = json; *c; c++)
        if (*c == '\'') *c = '"';
    if (orr_size_read(w->catalogue, json, "request", request, &error)) fail_msg("%s", error.text);
    if (orr_size_solve(request, threads, NULL, NULL, NULL, answer, &error)) fail_msg("%s", error.text);
}

#define LLAMA "'kind':'size','model':'llama3-8b','workload':{'engine':'vllm','precision':'bf16','disaggregated':false}"
#define APART "'kind':'size','model':'llama3-8b','workload':{'engine':'vllm','precision':'bf16','disaggregated':true}"

/* One request every ten seconds never meets another, so that one GPU does. */
static void a_small_rate_needs_one_gpu(void **state)
{
    const struct world *w = *state;
    static struct orr_size_request request;
    static struct orr_size_answer answer;
    solve(w, 0, &request, &answer,
          "{" LLAMA ",'system':'h100-sxm','traffic':{'rate_per_s':0.1,'input_len':500,'output_len':100},"
          "'slo':['ttft_s.p99<=2 s','tpot_s.p99<=50 ms'],'size':{'budget':16}}");
    assert_true(answer.found && answer.complete);
    assert_int_equal(answer.best.choice.gpus, 1);
    assert_int_equal(answer.best.choice.dp, 1);
    assert_true(answer.best.result.slo_met);
    assert_true(fabs(answer.best.usd_per_h - request.spaces[0].job.system.price_usd_per_gpu_hour) < 1e-12);
    orr_size_request_close(&request);
}

static int64_t replicas_at(const struct world *w, double rate)
{
    static struct orr_size_request request;
    static struct orr_size_answer answer;
    solve(w, 0, &request, &answer,
          "{" LLAMA ",'system':'a100-80g-sxm','plan':{'tp':1,'pp':1},'traffic':{'rate_per_s':%g,'input_len':'800~0.5',"
          "'output_len':'200~0.5'},'slo':['ttft_s.p99<=1 s','tpot_s.p95<=40 ms'],'size':{'budget':'128 GPUs',"
          "'objective':'gpus'}}",
          rate);
    assert_true(answer.found);
    assert_int_equal(answer.best.choice.gpus, answer.best.choice.dp);
    const int64_t replicas = answer.best.choice.dp;
    orr_size_request_close(&request);
    return replicas;
}

/* Two halves of a service that each carry a rate carry twice the rate. */
static void twice_the_rate_needs_at_most_twice(void **state)
{
    const struct world *w = *state;
    int64_t before = replicas_at(w, 5);
    for (double rate = 10; rate <= 80; rate *= 2) {
        const int64_t replicas = replicas_at(w, rate);
        print_message("# %g requests/s: %lld replicas\n", rate, (long long)replicas);
        assert_true(replicas <= 2 * before && replicas >= before);
        before = replicas;
    }
    assert_true(before > 2);
}

/* A decode step reads all weights but the embedding table: 7.5 G parameters of 2 bytes at 3.35 TB/s take 4.48 ms. */
static void a_limit_below_one_step_is_impossible(void **state)
{
    const struct world *w = *state;
    static struct orr_size_request request;
    static struct orr_size_answer answer;
    const double step_s = 7.5e9 * 2 / 3.35e12;
    solve(w, 0, &request, &answer,
          "{" LLAMA ",'system':'h100-sxm','plan':{'tp':1,'pp':1},'traffic':{'rate_per_s':1,'input_len':500,"
          "'output_len':100},'slo':['ttft_s.p99<=2 s','tpot_s.p95<=4 ms']}");
    assert_false(answer.found);
    assert_true(isfinite(answer.best.ratio) && answer.best.ratio > 1 && !answer.best.met);
    assert_int_equal(request.services[0].slos[answer.best.worst].kind, ORR_TIMING_TPOT);
    assert_true(answer.least_s > step_s && answer.least_s < 2 * step_s);
    const double nearest_s = answer.best.result.timing[ORR_TIMING_TPOT].p95;
    assert_true(fabs(answer.best.ratio - nearest_s / 4e-3) < 1e-12 && nearest_s > step_s && nearest_s < 2 * step_s);
    orr_size_request_close(&request);
}

/* One GPU of $5 an hour cannot hold a hundred requests a second, and less than all of them is served. */
static void a_budget_can_be_too_small(void **state)
{
    const struct world *w = *state;
    static struct orr_size_request request;
    static struct orr_size_answer answer;
    solve(w, 0, &request, &answer,
          "{" LLAMA ",'system':'h100-sxm','traffic':{'rate_per_s':100,'input_len':1000,'output_len':200},"
          "'slo':['ttft_s.p99<=2 s'],'size':{'budget':'$5/h'}}");
    assert_false(answer.found);
    assert_true(answer.best.ratio == HUGE_VAL);
    assert_int_equal(answer.n_front, 0);
    assert_true(answer.served_frac > 0.1 && answer.served_frac < 0.6);
    orr_size_request_close(&request);
}

/* ---------------------------------------------------------------- every plan of a small space */

/* The lowest cost of all plans, by simulating every unit, limit and number of copies; HUGE_VAL: none keeps them. */
static double least_cost(const struct orr_size_request *request, int64_t *n_met)
{
    static struct orr_job job;
    static struct orr_serving_result result;
    struct orr_step_limits limits;
    struct orr_size_unit *units;
    struct orr_error error;
    size_t n;
    double least = HUGE_VAL;
    *n_met = 0;
    assert_true(orr_size_units(request, &units, &n));
    for (size_t i = 0; i < n; i++) {
        const struct orr_serving_request *service = &request->services[units[i].system];
        const struct orr_simulation how = {.slos = service->slos, .n_slos = service->n_slos};
        orr_size_limits(request, &request->spaces[units[i].system].job.engine, &limits);
        for (int64_t k = 0; k < limits.n; k++)
            for (int64_t copies = 1; copies <= units[i].most_copies; copies++) {
                orr_size_job(request, &units[i], &limits, k, copies, &job);
                assert_int_equal(orr_simulate(&job, &service->traffic, &how, &result, &error), ORR_OK);
                if (!result.fits || result.saturated || !result.slo_met) continue;
                (*n_met)++;
                least = fmin(least, (double)copies * units[i].price);
            }
    }
    free(units);
    return least;
}

/* The answer costs as much as the cheapest of all plans. Closes the request. */
static void check_least(struct orr_size_request *request, const struct orr_size_answer *answer, const char *what,
                        const char *slo)
{
    int64_t n_met;
    const double least = least_cost(request, &n_met);
    print_message("# %s %s: %g of %lld plans, sized %g after %lld runs\n", what, slo, least, (long long)n_met,
                  answer->best.cost, (long long)answer->counts.simulated);
    assert_int_equal(answer->found, isfinite(least));
    if (answer->found) assert_true(fabs(answer->best.cost - least) < 1e-9);
    orr_size_request_close(request);
}

static void nothing_cheaper_is_missed(void **state)
{
    static const struct {
        const char *systems, *slo;
        double rate;
    } CASES[] = {
        {"h100-sxm", "'ttft_s.p99<=200 ms','tpot_s.p95<=15 ms'", 12},
        {"h100-sxm", "'ttft_s.p50<=70 ms','latency_s.p90<=3 s'", 20},
        {"h100-sxm", "'ttft_s.mean<=100 ms','tpot_s.mean<=8 ms'", 8},
        {"a100-80g-sxm,h100-sxm", "'ttft_s.p99<=400 ms','tpot_s.p99<=30 ms'", 15},
        {"a100-80g-sxm,h100-sxm", "'itl_s.p99<=50 ms','ttft_s.p95<=300 ms'", 25},
        {"a100-80g-sxm,h100-sxm", "'tpot_s.p50<=5 ms'", 3},
    };
    const struct world *w = *state;
    static struct orr_size_request request;
    static struct orr_size_answer answer;
    for (size_t i = 0; i < COUNT(CASES); i++) {
        solve(w, 0, &request, &answer,
              "{" LLAMA ",'system':'%s','plan':{'tp':'1,2,4','pp':1},'traffic':{'rate_per_s':%g,"
              "'input_len':'700~0.5','output_len':'150~0.7','requests':16000},'slo':[%s],"
              "'size':{'budget':4,'batch':'160,48','chunk':'8192,512'}}",
              CASES[i].systems, CASES[i].rate, CASES[i].slo);
        check_least(&request, &answer, CASES[i].systems, CASES[i].slo);
    }
}

/* Plans that share experts. No limit is near a p95 of these 4,000 requests: a sizing may simulate more (Eq. 229). */
static void nothing_cheaper_with_shared_experts_is_missed(void **state)
{
    static const struct {
        const char *engine, *slo;
        double rate;
    } CASES[] = {
        {"vllm-0.12", "'ttft_s.p99<=400 ms','tpot_s.p95<=30 ms'", 16},
        {"vllm-0.12", "'ttft_s.p99<=600 ms','tpot_s.p95<=80 ms'", 40},
        {"sglang-0.5", "'ttft_s.p95<=500 ms','tpot_s.p95<=45 ms'", 24},
        {"sglang-0.5", "'tpot_s.mean<=60 ms'", 36},
    };
    const struct world *w = *state;
    static struct orr_size_request request;
    static struct orr_size_answer answer;
    for (size_t i = 0; i < COUNT(CASES); i++) {
        solve(w, 0, &request, &answer,
              "{'kind':'size','model':'mixtral-8x7b','workload':{'engine':'%s','precision':'bf16','disaggregated':"
              "false},'system':'h100-sxm','plan':{'tp':'1,2','pp':1,'ep':'2,4,8'},'traffic':{'rate_per_s':%g,"
              "'input_len':'700~0.5','output_len':'150~0.7','requests':4000},'slo':[%s],"
              "'size':{'budget':8,'batch':'256,48','chunk':'8192'}}",
              CASES[i].engine, CASES[i].rate, CASES[i].slo);
        check_least(&request, &answer, CASES[i].engine, CASES[i].slo);
    }
}

/* ---------------------------------------------------------------- two pools */

/* The lowest cost of all pairs of pools, by simulating every one. */
static double least_pair(const struct orr_size_request *request, int64_t most, int64_t *n_met)
{
    static struct orr_job jobs[2];
    static struct orr_serving_result result;
    const struct orr_serving_request *service = &request->services[0];
    struct orr_step_limits limits;
    struct orr_size_unit *units;
    struct orr_error error;
    size_t n;
    double least = HUGE_VAL;
    *n_met = 0;
    assert_true(orr_size_units(request, &units, &n));
    orr_size_limits(request, &request->spaces[0].job.engine, &limits);
    for (size_t i = 0; i < n * n; i++)
        for (int64_t a = 1; a <= most; a++)
            for (int64_t b = 1; a * units[i / n].choice.gpus + b * units[i % n].choice.gpus <= most; b++) {
                const struct orr_deployment deployment = {
                    .n_pools = 2, .pools = {{ORR_POOL_PREFILL, &jobs[0]}, {ORR_POOL_DECODE, &jobs[1]}}};
                const struct orr_simulation how = {
                    .slos = service->slos, .n_slos = service->n_slos, .deployment = &deployment};
                orr_size_job(request, &units[i / n], &limits, 0, a, &jobs[0]);
                orr_size_job(request, &units[i % n], &limits, 0, b, &jobs[1]);
                assert_int_equal(orr_simulate(&jobs[0], &service->traffic, &how, &result, &error), ORR_OK);
                if (!result.fits || result.saturated || !result.slo_met) continue;
                (*n_met)++;
                least = fmin(least, (double)a * units[i / n].price + (double)b * units[i % n].price);
            }
    free(units);
    return least;
}

static void no_cheaper_pair_is_missed(void **state)
{
    static const struct {
        const char *slo;
        double rate;
    } CASES[] = {{"'ttft_s.p99<=200 ms','tpot_s.p95<=12 ms'", 12},
                 {"'ttft_s.p99<=150 ms','itl_s.p99<=15 ms'", 20},
                 {"'tpot_s.p50<=5 ms'", 3},
                 {"'latency_s.p95<=2 s','ttft_s.mean<=100 ms'", 15}};
    const struct world *w = *state;
    static struct orr_size_request request;
    static struct orr_size_answer answer;
    for (size_t i = 0; i < COUNT(CASES); i++) {
        int64_t n_met;
        solve(w, 0, &request, &answer,
              "{" APART ",'system':'h100-sxm','plan':{'tp':'1,2,4','pp':1},'traffic':{'rate_per_s':%g,"
              "'input_len':'700~0.5','output_len':'150~0.7','requests':16000},'slo':[%s],'size':{'budget':6}}",
              CASES[i].rate, CASES[i].slo);
        const double least = least_pair(&request, 6, &n_met);
        print_message("# %s: %g of %lld pairs, sized %g after %lld runs\n", CASES[i].slo, least, (long long)n_met,
                      answer.best.cost, (long long)answer.counts.simulated);
        assert_int_equal(answer.found, isfinite(least));
        if (answer.found) {
            assert_true(answer.best.choice.decode_gpus > 0);
            assert_true(fabs(answer.best.cost - least) < 1e-9);
        }
        orr_size_request_close(&request);
    }
}

/* ---------------------------------------------------------------- the front, threads */

static void the_front_falls_and_threads_do_not_matter(void **state)
{
    const struct world *w = *state;
    static struct orr_size_request request;
    static struct orr_size_answer answers[2];
    for (int i = 0; i < 2; i++) {
        solve(w, 1 + 2 * i, &request, &answers[i],
              "{" LLAMA ",'system':['h100-sxm','l40s'],'plan':{'tp':'1,2,4'},'traffic':{'rate_per_s':10,"
              "'input_len':500,'output_len':100},'slo':['ttft_s.p99<=300 ms','tpot_s.p95<=20 ms'],"
              "'size':{'budget':'8'}}");
        orr_size_request_close(&request);
    }
    const struct orr_size_answer *a = &answers[0], *b = &answers[1];
    assert_true(a->found && a->n_front >= 2 && a->n_front == b->n_front);
    assert_int_equal(a->counts.simulated, b->counts.simulated);
    assert_memory_equal(&a->best.choice, &b->best.choice, sizeof a->best.choice);
    bool has_best = false;
    for (size_t i = 0; i < a->n_front; i++) {
        assert_memory_equal(&a->front[i].choice, &b->front[i].choice, sizeof a->front[i].choice);
        assert_true(a->front[i].ratio == b->front[i].ratio);
        has_best |= a->front[i].cost == a->best.cost && a->front[i].ratio == a->best.ratio;
        if (i == 0) continue;
        assert_true(a->front[i].cost > a->front[i - 1].cost && a->front[i].ratio < a->front[i - 1].ratio);
    }
    assert_true(has_best);
}

/* ---------------------------------------------------------------- bad requests */

static void bad_requests_are_located(void **state)
{
    static const struct {
        const char *rest, *key;
    } CASES[] = {
        {"'system':'h100-sxm'", "slo"},
        {"'system':'h100-sxm','slo':['ttft_s.p99<=1 s'],'size':{'budget':'many'}", "size.budget"},
        {"'system':'h100-sxm','slo':['ttft_s.p99<=1 s'],'size':{'budget':'$3'}", "size.budget"},
        {"'system':'h100-sxm','slo':['ttft_s.p99<=1 s'],'size':{'budgets':3}", "size.budgets"},
        {"'system':'h100-sxm','slo':['ttft_s.p99<=1 s'],'size':{'batch':'8,x'}", "size.batch"},
        {"'system':'h100-sxm','slo':['ttft_s.p99<=1 s'],'gpus':8", "gpus"},
        {"'system':'h100-sxm','slo':['ttft_s.p99<=1 s'],'plan':{'dp':2}", "plan.dp"},
        {"'system':[],'slo':['ttft_s.p99<=1 s']", "system"},
        {"'slo':['ttft_s.p99<=1 s']", "system"},
    };
    const struct world *w = *state;
    static struct orr_size_request request;
    for (size_t i = 0; i < COUNT(CASES); i++) {
        struct orr_error error;
        char json[1024];
        (void)snprintf(json, sizeof json, "{" LLAMA ",'traffic':{'rate_per_s':1,'input_len':500,'output_len':100},%s}",
                       CASES[i].rest);
        for (char *c = json; *c; c++)
            if (*c == '\'') *c = '"';
        assert_int_not_equal(orr_size_read(w->catalogue, json, "request", &request, &error), ORR_OK);
        print_message("# %s\n", error.text);
        assert_string_equal(error.key, CASES[i].key);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_rate_needs_one_gpu),
        cmocka_unit_test(twice_the_rate_needs_at_most_twice),
        cmocka_unit_test(a_limit_below_one_step_is_impossible),
        cmocka_unit_test(a_budget_can_be_too_small),
        cmocka_unit_test(nothing_cheaper_is_missed),
        cmocka_unit_test(nothing_cheaper_with_shared_experts_is_missed),
        cmocka_unit_test(no_cheaper_pair_is_missed),
        cmocka_unit_test(the_front_falls_and_threads_do_not_matter),
        cmocka_unit_test(bad_requests_are_located),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
