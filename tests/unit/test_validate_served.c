/* Rows of measured services: each kind of run is predicted as the library itself answers it, and what cannot be is
 * skipped with its reason. */
#include "support.h"
#include "validate/validate.h"

#define COLUMNS                                                                                                        \
    "id,source,model,system,gpus,tp,dp,precision,engine,arrival,rate_per_s,concurrency,max_batch,input_len,output_"    \
    "len,"                                                                                                             \
    "workload,metric,stat,value,requests,prefill_replicas,prefill_tp,pool_replicas\n"
/* The cells up to the arrival, and those between arrival and metric. */
#define H100    "a,Lab,llama3-8b,h100-sxm,1,1,1,bf16,vllm,"
#define LENGTHS ",512,64,random,"
#define REQUEST                                                                                                        \
    "{'kind':'infer','model':'llama3-8b','system':'h100-sxm','gpus':%d,'plan':{'tp':1},'workload':{'input_len':512,"   \
    "'output_len':64,'batch':%d,'precision':'bf16','engine':'vllm'}}"

static struct orr_validation *validation_of(const struct world *w, const char *rows)
{
    static char csv[4096];
    struct orr_validation *validation = NULL;
    struct orr_error error;
    (void)snprintf(csv, sizeof csv, "%s%s", COLUMNS, rows);
    if (orr_validate(w->catalogue, csv, "served.csv", &validation, &error)) fail_msg("%s", error.text);
    return validation;
}

/* The prediction of a metric; fails if there is none. */
static double predicted(const struct orr_validation *v, size_t row, const char *metric)
{
    for (size_t i = 0; i < v->n_scores; i++) {
        const struct orr_score *score = &v->scores[i];
        if (score->row != row || strcmp(score->metric, metric) != 0) continue;
        if (score->skipped[0]) fail_msg("row %zu, %s: %s", row, metric, score->skipped);
        return score->predicted;
    }
    fail_msg("row %zu has no %s", row, metric);
    return 0;
}

static void assert_same(double a, double b, const char *what)
{
    if (!(fabs(a / b - 1) < 1e-12)) fail_msg("%s: %.17g, by the library %.17g", what, a, b);
}

static void a_static_batch_is_a_request(void **state)
{
    struct world *w = *state;
    struct orr_infer_result result;
    struct orr_validation *v = validation_of(
        w, H100 "static,,,8" LENGTHS "ttft_s,mean,0.1,,,,\n" H100 "static,,,8" LENGTHS "tpot_s,p50,0.01,,,,\n" H100
                "static,,,8" LENGTHS "output_tokens_per_s,,100,,,,\n" H100
                "static,,,8" LENGTHS "ttft_s,p99,0.1,,,,\n" H100
                "static,,,8" LENGTHS "output_tokens_per_s_per_gpu,,100,,,,\n" H100
                "static,,,8" LENGTHS "latency_s,mean,1,,,,\n" H100
                "static,,,8" LENGTHS "completed_requests_per_s,,1,,,,\n" H100
                "static,,,8" LENGTHS "energy_j_per_output_token,,1,,,,\n");
    read_job(w, REQUEST, 1, 8);
    orr_infer(&w->job, w->scratch, &result);
    assert_same(predicted(v, 0, "ttft_s"), result.ttft_s, "first token");
    assert_same(predicted(v, 1, "tpot_s"), result.tpot_s, "next tokens");
    assert_same(predicted(v, 2, "output_tokens_per_s"), result.output_tokens_per_s, "rate");
    assert_non_null(strstr(v->scores[3].skipped, "no prediction of p99 ttft_s in such a run"));
    assert_same(predicted(v, 4, "output_tokens_per_s_per_gpu"), result.output_tokens_per_s, "rate of the one GPU");
    assert_same(predicted(v, 5, "latency_s"), result.latency_s, "latency");
    assert_same(predicted(v, 6, "completed_requests_per_s"), result.output_tokens_per_s / 64, "requests of 64 tokens");
    assert_non_null(strstr(v->scores[7].skipped, "no prediction of energy_j_per_output_token in such a run"));
    orr_validation_free(v);
}

static struct orr_traffic closed_traffic(int64_t users, int64_t requests)
{
    return (struct orr_traffic){.arrival = ORR_ARRIVAL_CLOSED,
                                .concurrency = users,
                                .requests = requests,
                                .input_len = {.law = ORR_LENGTH_FIXED, .mean = 512},
                                .output_len = {.law = ORR_LENGTH_FIXED, .mean = 64},
                                .seed = 1};
}

static void users_are_simulated(void **state)
{
    struct world *w = *state;
    static struct orr_serving_result result;
    struct orr_error error;
    const struct orr_traffic traffic = closed_traffic(16, 160);
    static const char *const METRICS[] = {"ttft_s,mean",
                                          "ttft_s,p50",
                                          "itl_s,p90",
                                          "latency_s,p95",
                                          "latency_s,p99",
                                          "output_tokens_per_s,mean",
                                          "power_w_per_gpu,mean",
                                          "completed_requests_per_s,mean",
                                          "tpot_s,unstated",
                                          "output_tokens_per_s_per_gpu,mean",
                                          "energy_j_per_output_token,mean"};
    char rows[4096] = "";
    for (size_t i = 0; i < COUNT(METRICS); i++)
        (void)snprintf(rows + strlen(rows), sizeof rows - strlen(rows), H100 "closed,,16," LENGTHS "%s,0.5,160,,,\n",
                       METRICS[i]);
    struct orr_validation *v = validation_of(w, rows);
    read_job(w, REQUEST, 1, 1);
    if (orr_simulate(&w->job, &traffic, NULL, &result, &error)) fail_msg("%s", error.text);
    const struct orr_timing *timing = result.timing;
    const double by_library[] = {timing[ORR_TIMING_TTFT].mean,
                                 timing[ORR_TIMING_TTFT].p50,
                                 timing[ORR_TIMING_ITL].p90,
                                 timing[ORR_TIMING_LATENCY].p95,
                                 timing[ORR_TIMING_LATENCY].p99,
                                 result.output_tokens_per_s,
                                 result.power_w_per_gpu,
                                 result.completed_requests_per_s,
                                 timing[ORR_TIMING_TPOT].mean,
                                 result.output_tokens_per_s_per_gpu,
                                 result.energy_j_per_output_token / w->job.system.pue_frac};
    for (size_t i = 0; i < COUNT(METRICS); i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(METRICS[i], ","), METRICS[i]);
        assert_same(predicted(v, i, name), by_library[i], METRICS[i]);
    }
    /* Of both printed times, the latency too: 63 more tokens after the first. */
    assert_same(predicted(v, 8, "latency_s"), timing[ORR_TIMING_TTFT].mean + 63 * timing[ORR_TIMING_TPOT].mean,
                "latency");
    orr_validation_free(v);
}

static void two_pools_are_simulated(void **state)
{
    struct world *w = *state;
    static struct orr_serving_result result;
    static struct orr_job prefill;
    struct orr_error error;
    const struct orr_traffic traffic = closed_traffic(16, 160);
    struct orr_validation *v =
        validation_of(w, H100 "disaggregated,,16," LENGTHS "output_tokens_per_s,mean,100,160,2,1,2\n");
    read_job(w, REQUEST, 2, 1);
    prefill = w->job;
    read_job(w, REQUEST, 2, 1);
    const struct orr_deployment deployment = {.n_pools = 2,
                                              .pools = {{ORR_POOL_PREFILL, &prefill}, {ORR_POOL_DECODE, &w->job}}};
    const struct orr_simulation how = {.deployment = &deployment};
    if (orr_simulate(&prefill, &traffic, &how, &result, &error)) fail_msg("%s", error.text);
    assert_same(predicted(v, 0, "output_tokens_per_s"), result.output_tokens_per_s, "two pools of two GPUs");
    orr_validation_free(v);
}

/* At a rate the time per token is given, and the rate at which a run of ten minutes has it is the prediction: the time
 * per token of such a run at 2 requests/s leads back to 2 requests/s (Eq. 335). */
static void a_rate_follows_from_the_time_per_token(void **state)
{
    struct world *w = *state;
    static struct orr_serving_result result;
    struct orr_traffic traffic = closed_traffic(1, 1200);
    traffic.arrival = ORR_ARRIVAL_POISSON;
    traffic.rate_per_s = 2;
    read_job(w, REQUEST, 1, 1);
    struct orr_error error;
    assert_int_equal(orr_simulate(&w->job, &traffic, NULL, &result, &error), ORR_OK);
    char rows[2048];
    (void)snprintf(rows, sizeof rows,
                   H100 "poisson,2,,,512,64,random,tpot_s,mean,%.12g,,,,\n" H100
                        "poisson,2,,,512,64,random,completed_requests_per_s,mean,2,,,,\n" H100
                        "poisson,2,,,512,64,random,output_tokens_per_s,mean,128,,,,\n",
                   result.timing[ORR_TIMING_TPOT].mean);
    struct orr_validation *v = validation_of(w, rows);
    assert_non_null(strstr(v->scores[0].skipped, "given: the rate follows from it"));
    const double rate = predicted(v, 1, "completed_requests_per_s");
    if (fabs(rate / 2 - 1) > 0.005) fail_msg("%g requests/s have the time per token of 2", rate);
    assert_non_null(strstr(v->scores[2].skipped, "follows from the rate and the time per token"));
    orr_validation_free(v);
}

/* Eq. 343: 40 requests at 200 a second are sent in a fifth of a second and take longer than that, which no steady state
 * shows: all metrics are those of this run. */
static void a_counted_run_is_simulated_as_it_was(void **state)
{
    struct world *w = *state;
    static struct orr_serving_result result;
    struct orr_traffic traffic = closed_traffic(1, 40);
    struct orr_error error;
    traffic.arrival = ORR_ARRIVAL_POISSON;
    traffic.rate_per_s = 200;
    read_job(w, REQUEST, 1, 1);
    assert_int_equal(orr_simulate(&w->job, &traffic, NULL, &result, &error), ORR_OK);
    struct orr_validation *v = validation_of(
        w, H100 "poisson,200,," LENGTHS "tpot_s,mean,0.01,40,,,\n" H100 "poisson,200,," LENGTHS
                "ttft_s,p50,0.1,40,,,\n" H100 "poisson,200,," LENGTHS "output_tokens_per_s,mean,100,40,,,\n");
    assert_same(predicted(v, 0, "tpot_s"), result.timing[ORR_TIMING_TPOT].mean, "next tokens");
    assert_same(predicted(v, 1, "ttft_s"), result.timing[ORR_TIMING_TTFT].p50, "first token");
    assert_same(predicted(v, 2, "output_tokens_per_s"), result.output_tokens_per_s, "rate");
    orr_validation_free(v);
}

static void what_cannot_be_predicted_is_skipped(void **state)
{
    static const struct {
        const char *row, *why;
    } CASES[] = {
        {H100 "often,,16," LENGTHS "ttft_s,mean,0.1,160,,,\n", "\"often\""},
        {H100 "closed,,16," LENGTHS "colour,mean,0.1,160,,,\n", "unknown metric \"colour\""},
        {H100 "closed,,16," LENGTHS "ttft_s,p42,0.1,160,,,\n", "no prediction of p42 ttft_s"},
        {H100 "closed,,16," LENGTHS "ttft_s,mean,-1,160,,,\n", "positive number"},
        {H100 "closed,,16,,,,random,ttft_s,mean,0.1,160,,,\n", "input_len: must be a number from 1"},
        {H100 "closed,,16,,512,,random,ttft_s,mean,0.1,160,,,\n", "output_len: must be a number from 1"},
        {H100 "closed,,16,,512,,OpenOrca,ttft_s,mean,0.1,160,,,\n", "output_len: must be a number from 1"},
        {H100 "static,,,8,512,,random,tpot_s,mean,0.1,,,,\n", "output_len: must be a number from 1"},
        {H100 "disaggregated,,16,,,64,random,ttft_s,mean,0.1,160,1,1,1\n", "input_len: must be a number from 1"},
        {H100 "closed,,16," LENGTHS "mean_running_batch,mean,16,160,,,\n", "given: the limit of the run"},
        {"a,Lab,llama3-70b,h100-sxm,1,1,1,bf16,vllm,closed,,16," LENGTHS "ttft_s,mean,0.1,160,,,\n", "GiB"},
        {"a,Lab,llama3-70b,h100-sxm,1,1,1,bf16,vllm,disaggregated,,16," LENGTHS "ttft_s,mean,0.1,160,1,1,1\n", "GiB"},
        {"a,Lab,llama9,h100-sxm,1,1,1,bf16,vllm,closed,,16," LENGTHS "ttft_s,mean,0.1,160,,,\n", "llama9"},
        {"a,Lab,llama9,h100-sxm,1,1,1,bf16,vllm,disaggregated,,16," LENGTHS "ttft_s,mean,0.1,160,1,1,1\n", "llama9"},
    };
    const struct world *w = *state;
    for (size_t i = 0; i < COUNT(CASES); i++) {
        struct orr_validation *v = validation_of(w, CASES[i].row);
        if (!strstr(v->scores[0].skipped, CASES[i].why))
            fail_msg("%s: \"%s\", without %s", CASES[i].row, v->scores[0].skipped, CASES[i].why);
        orr_validation_free(v);
    }
}

/* Of a log without all lengths nothing is predicted: a request of another length would have moved all others. */
static void a_log_without_a_length_is_skipped(void **state)
{
    const struct world *w = *state;
    struct orr_validation *v = NULL;
    struct orr_error error;
    if (orr_validate(w->catalogue,
                     "request_id,source,model,system,gpus,tp,dtype,engine,arrival_s,input_tokens,output_tokens,ttft_s,"
                     "latency_s\n"
                     "a,Lab,llama3-8b,h100-sxm,1,1,bfloat16,vllm,0,512,64,0.1,1\n"
                     "b,Lab,llama3-8b,h100-sxm,1,1,bfloat16,vllm,0.5,512,,0.1,1\n",
                     "log.csv", &v, &error))
        fail_msg("%s", error.text);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(v->scores[i].skipped, "output_tokens of request 2 must be a number from 1, not \"\"");
    orr_validation_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_static_batch_is_a_request),
        cmocka_unit_test(users_are_simulated),
        cmocka_unit_test(two_pools_are_simulated),
        cmocka_unit_test(a_rate_follows_from_the_time_per_token),
        cmocka_unit_test(a_counted_run_is_simulated_as_it_was),
        cmocka_unit_test(what_cannot_be_predicted_is_skipped),
        cmocka_unit_test(a_log_without_a_length_is_skipped),
    };
    return cmocka_run_group_tests_name("validate served", tests, open_world, close_world);
}
