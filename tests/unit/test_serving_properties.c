/* Properties of services, sizes, searches and validations over random questions: what must hold whatever the numbers
 * are. Services have every arrival, router and law of lengths; sizes are small enough to be asked again with one thing
 * changed. */
#define _DEFAULT_SOURCE /* strsep */
#include "random.h"
#include "support.h"

#include "search/search.h"
#include "search/size.h"

enum { N_SERVICES = 120, N_SIZES = 8, N_SEARCHES = 10, N_RIVALS = 60, MOST_REQUESTS = 400 };

/* Sums in another order differ by this much. */
#define ROUNDING 1e-9

/* ---------------------------------------------------------------- random services */

static double between(struct random *random, double low, double high)
{
    return low * pow(high / low, (double)draw(random, 1 << 20) / (1 << 20));
}

static struct orr_lengths draw_lengths(struct random *random, double low, double high)
{
    const double mean = floor(between(random, low, high));
    struct orr_lengths lengths = {.law = (enum orr_length_law)draw(random, ORR_N_LENGTH_LAWS), .mean = mean};
    if (lengths.law == ORR_LENGTH_UNIFORM) lengths.low = ceil(mean / 2), lengths.high = 2 * mean;
    if (lengths.law == ORR_LENGTH_LOGNORMAL) lengths.cv = between(random, 0.1, 2);
    if (lengths.law == ORR_LENGTH_EMPIRICAL) {
        lengths.n_points = 3;
        lengths.points[0] = 1 + floor(mean / 3), lengths.points[1] = mean, lengths.points[2] = 3 * mean;
    }
    return lengths;
}

static void draw_service(struct world *w, struct random *random, struct orr_traffic *traffic)
{
    static const char *const MODELS[] = {"llama3-8b", "llama2-13b",   "mixtral-8x7b",
                                         "qwen3-8b",  "gpt-oss-120b", "llama2-70b"};
    static const char *const SYSTEMS[] = {"h100-sxm", "a100-80g-sxm", "h200-sxm", "gb200-nvl72"};
    static const char *const ENGINES[] = {"vllm", "sglang", "tensorrt-llm-1.2", "vllm-0.6"};
    read_job(w,
             "{'kind':'infer','model':'%s','system':'%s','plan':{'tp':%d,'dp':%d},'workload':{'engine':'%s',"
             "'input_len':500,'output_len':100}}",
             MODELS[draw(random, COUNT(MODELS))], SYSTEMS[draw(random, COUNT(SYSTEMS))], draw_power(random, 4),
             draw_power(random, 3), ENGINES[draw(random, COUNT(ENGINES))]);
    *traffic = (struct orr_traffic){.arrival = (enum orr_arrival)draw(random, ORR_N_ARRIVALS),
                                    .rate_per_s = between(random, 0.2, 40),
                                    .burstiness = between(random, 0.3, 3),
                                    .swing_frac = 0.5,
                                    .period_s = 100,
                                    .concurrency = (int64_t)between(random, 1, 60),
                                    .requests = MOST_REQUESTS / 2 + (int64_t)draw(random, MOST_REQUESTS / 2),
                                    .input_len = draw_lengths(random, 20, 3000),
                                    .output_len = draw_lengths(random, 2, 300),
                                    .seed = draw(random, 1000)};
    if (traffic->arrival == ORR_ARRIVAL_TRACE) traffic->arrival = ORR_ARRIVAL_POISSON;
    if (traffic->arrival != ORR_ARRIVAL_CLOSED) traffic->router = (enum orr_router)draw(random, ORR_N_ROUTERS);
    if (draw(random, 3) == 0) traffic->prefix_share = 0.5, traffic->prefix_groups = 7;
    if (draw(random, 4) == 0) traffic->urgent_share = 0.2;
}

/* ---------------------------------------------------------------- one run */

struct seen {
    int64_t n, input, output;
    bool ordered; /* sent, received, begun, first token, last token */
};

static void see(void *context, const struct orr_request_record *r)
{
    struct seen *seen = context;
    seen->n++;
    seen->input += r->input_len;
    seen->output += r->output_len;
    seen->ordered &= r->arrival_s <= r->visible_s + 1e-12 && r->visible_s <= r->start_s + 1e-12 &&
                     r->start_s < r->first_s && r->first_s <= r->finish_s && r->cached_len < r->input_len;
}

static struct orr_serving_result simulate(const struct orr_job *job, const struct orr_traffic *traffic,
                                          struct seen *seen)
{
    static const struct orr_slo SLO = {ORR_TIMING_TTFT, 0.99, 2};
    const struct orr_simulation how = {.slos = &SLO, .n_slos = 1, .context = seen, .finished = seen ? see : NULL};
    struct orr_serving_result result;
    struct orr_error error;
    if (orr_simulate(job, traffic, &how, &result, &error)) fail_msg("%s", error.text);
    result.simulated_requests_per_s = 0;
    return result;
}

static bool is_ordered(const struct orr_timing *t)
{
    return t->p50 <= t->p90 && t->p90 <= t->p95 && t->p95 <= t->p99 && t->mean >= 0 && t->low_frac <= t->high_frac;
}

/* Requests are conserved and ordered, shares are shares, and equal questions have equal answers. */
static void a_run_is_consistent(void **state)
{
    struct world *w = *state;
    struct random random = {5};
    size_t n_run = 0;
    for (int i = 0; i < N_SERVICES; i++) {
        struct orr_traffic traffic;
        draw_service(w, &random, &traffic);
        struct seen seen = {.ordered = true}, again = {.ordered = true};
        const struct orr_serving_result r = simulate(&w->job, &traffic, &seen);
        const struct orr_serving_result same = simulate(&w->job, &traffic, &again);
        assert_memory_equal(r.timing, same.timing, sizeof r.timing);
        assert_int_equal(seen.output, again.output);
        if (!r.fits) continue;
        n_run++;
        assert_true(seen.ordered);
        /* Replicas that get requests in turn are equal: one of them is run, with its share rounded up. */
        const int64_t n_like_it = traffic.router == ORR_ROUTER_ROUND_ROBIN ? w->job.plan.dp : 1;
        assert_true(r.requests <= seen.n * n_like_it && r.requests + r.refused + r.rejected > 0);
        assert_true(seen.n * n_like_it + r.refused + r.rejected < traffic.requests + w->job.plan.dp);
        for (int k = 0; k < ORR_N_TIMINGS; k++) assert_true(is_ordered(&r.timing[k]));
        assert_at_most(r.timing[ORR_TIMING_TTFT].mean, r.timing[ORR_TIMING_LATENCY].mean * (1 + ROUNDING));
        assert_at_most(r.timing[ORR_TIMING_QUEUE].mean, r.timing[ORR_TIMING_TTFT].mean * (1 + ROUNDING));
        assert_at_most(r.busy_frac, 1 + ROUNDING);
        assert_at_most(r.kv_used_frac, 1 + ROUNDING);
        assert_at_most(r.slo_frac, 1);
        assert_at_most(r.goodput_requests_per_s, r.completed_requests_per_s * (1 + ROUNDING));
        assert_true(r.prefix_hit_frac >= 0 && r.prefix_hit_frac <= traffic.prefix_share + 1e-9);
        assert_true(r.slo_met == (r.timing[ORR_TIMING_TTFT].p99 <= 2));
        assert_close(r.output_tokens_per_s / (double)(w->job.plan.gpus), r.output_tokens_per_s_per_gpu, ROUNDING);
    }
    print_message("# %zu of %d services fit\n", n_run, N_SERVICES);
    assert_true(n_run > N_SERVICES / 2);
}

/* ---------------------------------------------------------------- one thing changed */

/* A service with more memory still fits, refuses no more, and holds at least as many tokens. (It may preempt more:
 * where more requests are admitted, more of them grow.) */
static void more_memory_never_hurts(void **state)
{
    struct world *w = *state;
    struct random random = {6};
    for (int i = 0; i < N_SERVICES; i++) {
        struct orr_traffic traffic;
        draw_service(w, &random, &traffic);
        const struct orr_serving_result before = simulate(&w->job, &traffic, NULL);
        w->job.system.chip.hbm_bytes *= 1.5;
        const struct orr_serving_result after = simulate(&w->job, &traffic, NULL);
        assert_true(after.fits || !before.fits);
        if (!before.fits) continue;
        assert_true(after.kv_capacity_tokens >= before.kv_capacity_tokens);
        assert_true(after.refused <= before.refused);
    }
}

static void scale(struct orr_job *job, double factor)
{
    struct orr_chip *chip = &job->system.chip;
    for (int i = 0; i < ORR_N_DTYPES; i++) chip->peak_flops_per_s[i] *= factor;
    chip->hbm_bytes_per_s *= factor;
    job->system.scaleup_bytes_per_s *= factor;
    job->system.scaleup_latency_s /= factor;
}

/* Requests that all wait at the start are done earlier on faster hardware, and users of a closed loop get more. Where
 * steps are shorter other requests meet in them: a loop of 20 users on vLLM 0.6, whose prompts the host launches one by
 * one, loses 4.3 %, because fewer prompts share a step. */
static void faster_hardware_serves_more(void **state)
{
    struct world *w = *state;
    struct random random = {7};
    double worst = 0;
    int n_lost = 0;
    for (int i = 0; i < N_SERVICES; i++) {
        struct orr_traffic traffic;
        draw_service(w, &random, &traffic);
        traffic.arrival = i % 2 ? ORR_ARRIVAL_CLOSED : ORR_ARRIVAL_SATURATED;
        traffic.router = ORR_ROUTER_ROUND_ROBIN;
        const struct orr_serving_result before = simulate(&w->job, &traffic, NULL);
        if (!before.fits) continue;
        scale(&w->job, 1.6);
        const struct orr_serving_result after = simulate(&w->job, &traffic, NULL);
        const double loss = before.output_tokens_per_s / after.output_tokens_per_s - 1;
        worst = fmax(worst, loss);
        n_lost += loss > 1e-3;
    }
    print_message("# %d lose, the most %.2g\n", n_lost, worst);
    assert_at_most(worst, 0.05);
    assert_in_range(n_lost, 0, N_SERVICES / 50);
}

/* The same requests in half the time: a replica has no more idle seconds, and a larger share of use but for those. */
static void twice_the_rate_is_busier(void **state)
{
    struct world *w = *state;
    struct random random = {8};
    double worst = 0;
    for (int i = 0; i < N_SERVICES; i++) {
        struct orr_traffic traffic;
        draw_service(w, &random, &traffic);
        w->job.engine.stream_s_per_token = 0; /* a replica is idle while its last tokens leave, however many */
        traffic.arrival = i % 3 == 0 ? ORR_ARRIVAL_CONSTANT : i % 3 == 1 ? ORR_ARRIVAL_POISSON : ORR_ARRIVAL_GAMMA;
        traffic.router = ORR_ROUTER_ROUND_ROBIN;
        const struct orr_serving_result before = simulate(&w->job, &traffic, NULL);
        traffic.rate_per_s *= 2;
        const struct orr_serving_result after = simulate(&w->job, &traffic, NULL);
        if (!before.fits) continue;
        const double idle_s = (1 - before.busy_frac) * before.duration_s;
        worst = fmax(worst, ((1 - after.busy_frac) * after.duration_s - idle_s) / fmax(idle_s, 1e-3));
    }
    print_message("# idle seconds grow by up to %.2g\n", worst);
    assert_at_most(worst, ROUNDING);
}

/* With equal gaps and requests, two replicas at twice the rate are two services, each at the rate. */
static void replicas_are_services_of_their_own(void **state)
{
    struct world *w = *state;
    struct random random = {9};
    for (int i = 0; i < N_SERVICES / 2; i++) {
        struct orr_traffic traffic;
        draw_service(w, &random, &traffic);
        w->job.plan.gpus /= w->job.plan.dp;
        w->job.plan.dp = 1;
        traffic.arrival = ORR_ARRIVAL_CONSTANT;
        traffic.router = ORR_ROUTER_ROUND_ROBIN;
        traffic.prefix_share = traffic.urgent_share = 0;
        traffic.input_len = (struct orr_lengths){.law = ORR_LENGTH_FIXED, .mean = 700};
        traffic.output_len = (struct orr_lengths){.law = ORR_LENGTH_FIXED, .mean = 60};
        const struct orr_serving_result one = simulate(&w->job, &traffic, NULL);
        w->job.plan.gpus *= 2;
        w->job.plan.dp = 2;
        traffic.rate_per_s *= 2;
        traffic.requests *= 2;
        const struct orr_serving_result two = simulate(&w->job, &traffic, NULL);
        if (!one.fits) continue;
        assert_close(two.timing[ORR_TIMING_TPOT].mean, one.timing[ORR_TIMING_TPOT].mean, 1e-6);
        assert_close(two.busy_frac, one.busy_frac, 1e-6);
        assert_close(two.output_tokens_per_s, 2 * one.output_tokens_per_s, 1e-6);
    }
}

/* ---------------------------------------------------------------- sizes */

static double size_of(const struct world *w, double rate, double ttft_ms, double tpot_ms, int budget, bool *found)
{
    static struct orr_size_request request;
    static struct orr_size_answer answer;
    struct orr_error error;
    char json[1024];
    (void)snprintf(
        json, sizeof json,
        "{'kind':'size','model':'llama3-8b','system':'h100-sxm,a100-80g-sxm','plan':{'tp':'1,2','pp':1},"
        "'workload':{'engine':'vllm','disaggregated':false},'traffic':{'rate_per_s':%g,'input_len':'500~0.5',"
        "'output_len':80,'requests':2000},'slo':['ttft_s.p99<=%g ms','tpot_s.p95<=%g ms'],"
        "'size':{'budget':%d,'batch':'64','chunk':'2048'}}",
        rate, ttft_ms, tpot_ms, budget);
    for (char *c = json; *c; c++)
        if (*c == '\'') *c = '"';
    if (orr_size_read(w->catalogue, json, "request", &request, &error)) fail_msg("%s", error.text);
    if (orr_size_solve(&request, 1, NULL, NULL, NULL, &answer, &error)) fail_msg("%s", error.text);
    *found = answer.found;
    orr_size_request_close(&request);
    return answer.found ? answer.best.cost : HUGE_VAL;
}

/* A larger budget never costs more, and looser limits or less load never do. */
static void an_easier_size_is_never_dearer(void **state)
{
    const struct world *w = *state;
    struct random random = {10};
    size_t n_found = 0;
    for (int i = 0; i < N_SIZES; i++) {
        const double rate = between(&random, 1, 20), ttft_ms = between(&random, 100, 1000);
        const double tpot_ms = between(&random, 8, 40);
        bool found, other;
        const double usd = size_of(w, rate, ttft_ms, tpot_ms, 4, &found);
        n_found += found;
        assert_at_most(size_of(w, rate, ttft_ms, tpot_ms, 6, &other), usd * (1 + ROUNDING));
        assert_at_most(size_of(w, rate, 2 * ttft_ms, tpot_ms, 4, &other), usd * (1 + ROUNDING));
        assert_at_most(size_of(w, rate, ttft_ms, 2 * tpot_ms, 4, &other), usd * (1 + ROUNDING));
    }
    print_message("# %zu of %d sizes found\n", n_found, N_SIZES);
    assert_true(n_found >= N_SIZES / 4);
}

/* ---------------------------------------------------------------- searches */

/* A rival: a random plan on the GPUs of the search, which the rules may refuse. */
static bool rival(struct world *w, struct random *random, const char *head, int gpus, double *time_s)
{
    char request[1024];
    struct orr_error error;
    const int tp = draw_power(random, 4), pp = draw_power(random, 3), zero = (int)draw(random, 3);
    static const char *const RECOMPUTE[] = {"none", "full", "selective"};
    (void)snprintf(request, sizeof request,
                   "{%s,'gpus':%d,'plan':{'tp':%d,'pp':%d,'zero':%d,'sp':%s},'workload':{'global_batch':32,'seq':2048,"
                   "'micro_batch':%d,'recompute':'%s'}}",
                   head, gpus, tp, pp, zero, tp > 1 && draw(random, 2) ? "true" : "false", draw_power(random, 3),
                   RECOMPUTE[draw(random, COUNT(RECOMPUTE))]);
    if (try_job(w, request, &error)) return false;
    train(w);
    *time_s = w->result.step_time_s;
    return w->result.fits;
}

static void no_plan_beats_the_winner(void **state)
{
    static const char *const HEADS[] = {
        "'kind':'train','model':'llama2-7b','system':'h100-sxm'",
        "'kind':'train','model':'llama2-13b','system':'a100-80g-sxm'",
        "'kind':'train','model':'mixtral-8x7b','system':'h200-sxm'",
        "'kind':'train','model':'gpt2-xl','system':'h100-sxm'",
    };
    struct world *w = *state;
    struct random random = {12};
    size_t n_rivals = 0;
    for (int i = 0; i < N_SEARCHES; i++) {
        struct orr_search *search;
        struct orr_error error;
        const struct orr_found *found;
        const char *head = HEADS[draw(&random, COUNT(HEADS))];
        const int gpus = 8 * draw_power(&random, 2);
        char json[1024];
        (void)snprintf(json, sizeof json, "{%s,'gpus':%d,'workload':{'global_batch':32,'seq':2048}}", head, gpus);
        for (char *c = json; *c; c++)
            if (*c == '\'') *c = '"';
        if (orr_search_open(w->catalogue, json, "request", &search, &error)) fail_msg("%s", error.text);
        if (orr_search_run(search, 1, NULL, NULL, &error)) fail_msg("%s", error.text);
        const size_t n = orr_search_best(search, &found);
        const double best_s = n ? found[0].time_s : HUGE_VAL;
        for (int k = 0; k < N_RIVALS; k++) {
            double time_s;
            if (!rival(w, &random, head, gpus, &time_s)) continue;
            n_rivals++;
            assert_at_most(best_s, time_s * (1 + ROUNDING));
        }
        orr_search_free(search);
    }
    print_message("# %zu rivals\n", n_rivals);
    assert_true(n_rivals > 100);
}

/* ---------------------------------------------------------------- rows in another order */

static double mape_of(const struct orr_catalogue *catalogue, const char *csv)
{
    struct orr_validation *validation = NULL;
    struct orr_error error;
    if (orr_validate(catalogue, csv, "table", &validation, &error)) fail_msg("%s", error.text);
    const double mape = orr_validation_mape_frac(validation);
    orr_validation_free(validation);
    return mape;
}

/* A table has the same error in every order of its rows. */
static void the_order_of_rows_does_not_matter(void **state)
{
    const struct world *w = *state;
    struct random random = {13};
    char *csv = read_text("validation/layer_times.csv"), *lines[2000], *rest = csv;
    size_t n = 0, size = strlen(csv) + 2;
    const double before = mape_of(w->catalogue, csv);
    char *shuffled = calloc(1, size);
    assert_non_null(shuffled);
    for (char *line; n < COUNT(lines) && (line = strsep(&rest, "\n"));)
        if (*line) lines[n++] = line;
    assert_true(n > 10 && !rest);
    for (size_t i = n - 1; i > 1; i--) { /* the first line has the names of the columns */
        const size_t k = 1 + draw(&random, i);
        char *other = lines[i];
        lines[i] = lines[k];
        lines[k] = other;
    }
    size_t length = 0;
    for (size_t i = 0; i < n; i++) length += (size_t)snprintf(shuffled + length, size - length, "%s\n", lines[i]);
    assert_close(mape_of(w->catalogue, shuffled), before, 1e-12);
    free(shuffled);
    free(csv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_is_consistent),
        cmocka_unit_test(more_memory_never_hurts),
        cmocka_unit_test(faster_hardware_serves_more),
        cmocka_unit_test(twice_the_rate_is_busier),
        cmocka_unit_test(replicas_are_services_of_their_own),
        cmocka_unit_test(an_easier_size_is_never_dearer),
        cmocka_unit_test(no_plan_beats_the_winner),
        cmocka_unit_test(the_order_of_rows_does_not_matter),
    };
    return cmocka_run_group_tests_name("serving_properties", tests, open_world, close_world);
}
