/* Requests of kind "serving": what is read, what is refused, and the keys of the answer. */
#include <jansson.h>

#include "support.h"

#define SERVICE                                                                                                        \
    "{\"kind\":\"serving\",\"model\":\"llama3-8b\",\"system\":\"h100-sxm\",\"workload\":{\"engine\":\"vllm-0.12\"},"
#define LENGTHS "\"input_len\":256,\"output_len\":32"

static struct orr_service *open_service(struct world *w, const char *traffic)
{
    char json[1024];
    struct orr_service *service = NULL;
    struct orr_error error;
    (void)snprintf(json, sizeof json,
                   "{\"kind\":\"serving\",\"model\":\"llama3-8b\",\"system\":\"h100-sxm\","
                   "\"workload\":{\"engine\":\"vllm-0.12\"},\"traffic\":%s,\"slo\":[\"ttft_s.p99<=1 s\"]}",
                   traffic);
    if (orr_service_open(w->catalogue, json, "request", &service, &error)) fail_msg("%s", error.text);
    return service;
}

static json_t *answer_as(struct orr_service *service, enum orr_format format)
{
    json_error_t error;
    char *text = orr_service_render(service, format, NULL);
    json_t *json = json_loads(text, 0, &error);
    assert_non_null(json);
    free(text);
    return json;
}

static json_t *answer(struct orr_service *service)
{
    return answer_as(service, ORR_FORMAT_JSON);
}

static double number(const json_t *json, const char *key, const char *member)
{
    const json_t *value = json_object_get(json, key);
    if (member) value = json_object_get(value, member);
    if (!json_is_number(value)) fail_msg("no number %s.%s", key, member ? member : "");
    return json_number_value(value);
}

/* The keys that programs rely on, and what must hold between them. */
static void contract(void **state)
{
    static const char *const TIMES[] = {"ttft_s", "tpot_s", "itl_s", "latency_s", "queue_s"};
    static const char *const NUMBERS[] = {"output_tokens_per_s",
                                          "output_tokens_per_s_per_gpu",
                                          "completed_requests_per_s",
                                          "goodput_requests_per_s",
                                          "slo_frac",
                                          "mean_running_batch",
                                          "kv_used_frac",
                                          "preemptions",
                                          "energy_j_per_output_token",
                                          "power_w_per_gpu",
                                          "cost_usd_per_million_output_tokens",
                                          "simulated_requests_per_s"};
    struct world *w = *state;
    struct orr_error error;
    struct orr_service *service = open_service(
        w, "{\"rate_per_s\":\"5/s\",\"requests\":800,\"input_len\":\"500:700\",\"output_len\":\"100~0.5\"}");
    assert_int_equal(orr_service_run(service, NULL, NULL, NULL, &error), ORR_OK);
    json_t *json = answer(service);
    assert_string_equal(json_string_value(json_object_get(json, "kind")), "serving");
    for (size_t i = 0; i < COUNT(TIMES); i++) {
        assert_true(number(json, TIMES[i], "p50") <= number(json, TIMES[i], "p90"));
        assert_true(number(json, TIMES[i], "p95") <= number(json, TIMES[i], "p99"));
    }
    for (size_t i = 0; i < COUNT(NUMBERS); i++) assert_true(number(json, NUMBERS[i], NULL) >= 0);
    assert_true(fabs(number(json, "goodput_requests_per_s", NULL) /
                         (number(json, "completed_requests_per_s", NULL) * number(json, "slo_frac", NULL)) -
                     1) < 1e-12);
    assert_true(number(json, "completed_requests_per_s", NULL) < 5.5);
    const json_t *traffic = json_object_get(json_object_get(json, "request"), "traffic");
    assert_string_equal(json_string_value(json_object_get(traffic, "arrival")), "poisson");
    assert_string_equal(json_string_value(json_object_get(json_object_get(traffic, "input_len"), "law")), "uniform");
    json_decref(json);
    orr_service_close(service);
}

/* What pictures are drawn from agrees with the numbers: medians, means over the run, and what was assumed. */
static void detail(void **state)
{
    struct world *w = *state;
    struct orr_error error;
    struct orr_service *service =
        open_service(w, "{\"concurrency\":8,\"requests\":900,\"input_len\":300,\"output_len\":\"20:60\"}");
    assert_int_equal(orr_service_run(service, NULL, NULL, NULL, &error), ORR_OK);
    json_t *plain = answer(service), *json = answer_as(service, ORR_FORMAT_JSON_EXPLAINED);
    assert_null(json_object_get(plain, "detail"));
    const json_t *whole = json_object_get(json, "detail");
    const json_t *shares = json_object_get(json_object_get(whole, "shares"), "ttft_s");
    assert_int_equal(json_array_size(shares), 101);
    for (size_t i = 1; i < 101; i++)
        assert_true(json_number_value(json_array_get(shares, i - 1)) <= json_number_value(json_array_get(shares, i)));
    assert_true(fabs(json_number_value(json_array_get(shares, 50)) / number(json, "ttft_s", "p50") - 1) < 1e-9);
    const json_t *series = json_object_get(whole, "series"), *decoding = json_object_get(series, "decoding");
    assert_int_equal(json_array_size(decoding), json_array_size(json_object_get(series, "waiting")));
    for (size_t i = 0; i < json_array_size(decoding); i++) /* eight users: at most eight answers at once */
        assert_true(json_number_value(json_array_get(decoding, i)) <= 8);
    const json_t *requests = json_object_get(whole, "requests"), *first = json_array_get(requests, 0);
    assert_int_equal(json_array_size(requests), 400);
    assert_true(number(first, "arrival_s", NULL) <= number(first, "start_s", NULL));
    assert_true(number(first, "start_s", NULL) < number(first, "first_s", NULL));
    assert_true(number(first, "first_s", NULL) < number(first, "finish_s", NULL));
    const json_t *assumed = json_object_get(plain, "assumed"), *one;
    size_t i;
    bool named = false;
    json_array_foreach(assumed, i, one)
    {
        const char *key = json_string_value(json_object_get(one, "key"));
        assert_string_not_equal(key, "workload.batch"); /* the traffic decides it */
        named |= strcmp(key, "workload.precision") == 0;
    }
    assert_true(named);
    json_decref(plain);
    json_decref(json);
    orr_service_close(service);
}

/* Equal seeds give equal answers, other seeds others; lines of the CSV are the requests. */
static void seeds(void **state)
{
    struct world *w = *state;
    struct orr_error error;
    char *texts[3];
    for (int i = 0; i < 3; i++) {
        char traffic[200];
        (void)snprintf(traffic, sizeof traffic,
                       "{\"concurrency\":8,\"requests\":50,\"input_len\":300,\"output_len\":\"20:60\",\"seed\":%d}",
                       i / 2);
        struct orr_service *service = open_service(w, traffic);
        assert_int_equal(orr_service_run(service, NULL, NULL, NULL, &error), ORR_OK);
        texts[i] = orr_service_render(service, ORR_FORMAT_CSV, NULL);
        orr_service_close(service);
    }
    size_t lines = 0;
    for (const char *c = texts[0]; *c; c++) lines += *c == '\n';
    assert_int_equal(lines, 51);
    assert_string_equal(texts[0], texts[1]);
    assert_string_not_equal(texts[0], texts[2]);
    for (int i = 0; i < 3; i++) free(texts[i]);
}

static void refusals(void **state)
{
    static const struct {
        const char *traffic, *says;
    } BAD[] = {
        {"{}", "give one of rate_per_s, concurrency and trace"},
        {"{\"rate_per_s\":5,\"concurrency\":3}", "give one of"},
        {"{\"rate_per_s\":5,\"output_len\":10}", "input_len"},
        {"{\"rate_per_s\":5,\"input_len\":\"9:3\",\"output_len\":10}", "LOW:HIGH"},
        {"{\"rate_per_s\":0,\"input_len\":9,\"output_len\":10}", "rate_per_s"},
        {"{\"rats\":5,\"input_len\":9,\"output_len\":10}", "rate_per_s"},
        {"{\"trace\":\"/no/such.csv\"}", "no such file"},
        {"{\"trace\":\"arrival_s,input_len,output_len\\n5,9,9\\n4,9,9\\n\"}", "arrival_s from that of the row before"},
        {"{\"arrival\":\"closed\",\"input_len\":9,\"output_len\":10}", "needs concurrency"}};
    struct world *w = *state;
    for (size_t i = 0; i < COUNT(BAD); i++) {
        char json[512];
        struct orr_service *service;
        struct orr_error error;
        (void)snprintf(json, sizeof json, "{\"model\":\"llama3-8b\",\"system\":\"h100-sxm\",\"traffic\":%s}",
                       BAD[i].traffic);
        assert_int_not_equal(orr_service_open(w->catalogue, json, "request", &service, &error), ORR_OK);
        assert_null(service);
        if (!strstr(error.text, BAD[i].says)) fail_msg("\"%s\" does not say \"%s\"", error.text, BAD[i].says);
    }
}

/* A recording given as the text of its CSV has the requests of its rows. */
static void recording(void **state)
{
    static const char TRAFFIC[] =
        "{\"trace\":\"arrival_s,input_len,output_len\\n0,500,20\\n30,500,20\\n\",\"warmup_s\":0}";
    struct world *w = *state;
    struct orr_error error;
    struct orr_service *service = open_service(w, TRAFFIC);
    assert_int_equal(orr_service_run(service, NULL, NULL, NULL, &error), ORR_OK);
    json_t *json = answer_as(service, ORR_FORMAT_JSON_EXPLAINED);
    const json_t *requests = json_object_get(json_object_get(json, "detail"), "requests");
    assert_int_equal(json_array_size(requests), 2);
    const json_t *first = json_array_get(requests, 0), *second = json_array_get(requests, 1);
    assert_true(number(second, "arrival_s", NULL) - number(first, "arrival_s", NULL) == 30);
    assert_true(number(second, "input_len", NULL) == 500);
    assert_true(number(second, "output_len", NULL) == 20);
    json_decref(json);
    orr_service_close(service);
}

/* The closed form judges limits of means, and only those: a limit above the mean is kept, one below it is missed. It
 * refuses what is not in it. */
static void closed_form_limits(void **state)
{
    static const struct {
        const char *slo;
        bool met;
    } LIMITS[] = {{"ttft_s.mean<=10 s", true},
                  {"ttft_s.mean<=1 us", false},
                  {"latency_s.mean<=1 us", false},
                  {"tpot_s.mean<=1 s", true}};
    static const char *const REFUSED[][2] = {
        {"\"traffic\":{\"rate_per_s\":2," LENGTHS "},\"slo\":[\"ttft_s.p99<=1 s\"]", "means only"},
        {"\"traffic\":{\"rate_per_s\":2,\"arrival\":\"diurnal\"," LENGTHS "}", "rises and falls"},
        {"\"traffic\":{\"rate_per_s\":2,\"arrival\":\"gamma\"," LENGTHS "}", "bursts"},
        {"\"traffic\":{\"requests\":9,\"arrival\":\"saturated\"," LENGTHS "}", "at once"}};
    struct world *w = *state;
    struct orr_error error;
    struct orr_service *service;
    char json[1024];
    for (size_t i = 0; i < sizeof LIMITS / sizeof *LIMITS; i++) {
        (void)snprintf(json, sizeof json, SERVICE "\"traffic\":{\"rate_per_s\":2," LENGTHS "},\"slo\":[\"%s\"]}",
                       LIMITS[i].slo);
        if (orr_service_open(w->catalogue, json, "request", &service, &error)) fail_msg("%s", error.text);
        assert_int_equal(orr_service_solve(service, &error), ORR_OK);
        assert_int_equal(orr_service_holds(service), LIMITS[i].met);
        json_t *shown = answer(service);
        assert_int_equal(json_is_true(json_object_get(shown, "slo_met")), LIMITS[i].met);
        assert_true(number(shown, "slo_frac", NULL) == (LIMITS[i].met ? 1 : 0));
        assert_true(fabs(number(shown, "goodput_requests_per_s", NULL) - (LIMITS[i].met ? 2 : 0)) < 1e-3);
        json_decref(shown);
        orr_service_close(service);
    }
    for (size_t i = 0; i < sizeof REFUSED / sizeof *REFUSED; i++) {
        (void)snprintf(json, sizeof json, SERVICE "%s}", REFUSED[i][0]);
        if (orr_service_open(w->catalogue, json, "request", &service, &error)) fail_msg("%s", error.text);
        assert_int_equal(orr_service_solve(service, &error), ORR_ERR_INPUT);
        if (!strstr(error.text, REFUSED[i][1])) fail_msg("\"%s\" is not in: %s", REFUSED[i][1], error.text);
        orr_service_close(service);
    }
}

/* A run whose warm-up outlasts its requests has nobody to speak of. */
static void nobody_counts(void **state)
{
    struct world *w = *state;
    struct orr_error error;
    struct orr_service *service = NULL;
    const char *json = SERVICE "\"traffic\":{\"rate_per_s\":2,\"requests\":20,\"warmup_s\":1000," LENGTHS "}}";
    if (orr_service_open(w->catalogue, json, "request", &service, &error)) fail_msg("%s", error.text);
    assert_int_equal(orr_service_run(service, NULL, NULL, NULL, &error), ORR_ERR_INPUT);
    assert_non_null(strstr(error.text, "no request counts"));
    orr_service_close(service);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(contract),     cmocka_unit_test(detail),
                                       cmocka_unit_test(seeds),        cmocka_unit_test(refusals),
                                       cmocka_unit_test(recording),    cmocka_unit_test(closed_form_limits),
                                       cmocka_unit_test(nobody_counts)};
    return cmocka_run_group_tests(tests, open_world, close_world);
}
