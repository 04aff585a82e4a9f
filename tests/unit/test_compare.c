/* A comparison has the same results as single answers, says what was asked differently, and refuses what it cannot
 * compare. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "support.h"

#define JOB(system, plan)                                                                                              \
    "{\"kind\":\"train\",\"model\":\"llama2-7b\",\"system\":\"" system "\",\"gpus\":8,\"plan\":{" plan "},"            \
    "\"workload\":{\"global_batch\":8}}"
#define INFER                                                                                                          \
    "{\"kind\":\"infer\",\"model\":\"llama2-7b\",\"system\":\"h100-sxm\",\"gpus\":1,"                                  \
    "\"workload\":{\"input_len\":200,\"output_len\":200}}"

static json_t *compare(const struct orr_catalogue *catalogue, const char *json)
{
    struct orr_error error;
    char *text = NULL;
    if (orr_compare_ask(catalogue, json, "request", ORR_FORMAT_JSON, NULL, &text, &error)) fail_msg("%s", error.text);
    json_t *result = json_loads(text, 0, NULL);
    assert_non_null(result);
    free(text);
    return result;
}

static void results_are_those_of_single_answers(void **state)
{
    static const char *const JOBS[] = {JOB("h100-sxm", "\"zero\":1"), JOB("a100-80g-sxm", "\"zero\":1")};
    json_t *both = compare(catalogue_of(state), "{\"requests\":[" JOB("h100-sxm", "\"zero\":1") "," JOB(
                                                    "a100-80g-sxm", "\"zero\":1") "],\"names\":[\"new\",\"old\"]}");
    struct orr_session *session = orr_session_new(catalogue_of(state));
    for (size_t i = 0; i < 2; i++) {
        struct orr_error error;
        char *text = NULL;
        assert_int_equal(orr_session_render(session, JOBS[i], "request", ORR_FORMAT_JSON, NULL, &text, &error), ORR_OK);
        json_t *single = json_loads(text, 0, NULL);
        assert_true(json_equal(single, json_array_get(json_object_get(both, "results"), i)));
        json_decref(single);
        free(text);
    }
    orr_session_free(session);
    json_decref(both);
}

/* The parts of each column sum to its step time, and the only key that differs is the one that was changed. */
static void parts_sum_and_differences_are_named(void **state)
{
    json_t *both = compare(catalogue_of(state),
                           "{\"requests\":[" JOB("h100-sxm", "\"zero\":1") "," JOB("h100-sxm", "\"zero\":3") "]}");
    const json_t *results = json_object_get(both, "results");
    for (size_t i = 0; i < 2; i++) {
        size_t p;
        json_t *part;
        double sum = 0;
        json_array_foreach(json_object_get(both, "parts"), p, part) sum +=
            json_number_value(json_array_get(json_object_get(part, "seconds"), i));
        const json_t *result = json_object_get(json_array_get(results, i), "result");
        const double step_s =
            json_number_value(json_object_get(result ? result : json_array_get(results, i), "step_time_s"));
        assert_true(step_s > 0);
        assert_true(fabs(sum / step_s - 1) < 1e-12);
    }
    const json_t *asked = json_object_get(both, "asked");
    assert_int_equal(json_array_size(asked), 1);
    assert_string_equal(json_string_value(json_object_get(json_array_get(asked, 0), "key")), "plan.zero");
    json_decref(both);
}

static void equal_requests_take_as_long(void **state)
{
    json_t *both = compare(catalogue_of(state), "{\"requests\":[" INFER "," INFER "]}");
    assert_int_equal(json_array_size(json_object_get(both, "asked")), 0);
    assert_string_equal(json_string_value(json_array_get(json_object_get(both, "why"), 1)), "2 takes as long as 1");
    json_decref(both);
}

/* What only one side says, and what replaces a member of a part, is a difference, too. */
static void keys_of_one_side_are_differences(void **state)
{
    static const char *const SIDES[][2] = {{"\"set\":{\"chip.hbm_bytes_per_s\":\"2 TB/s\"}", "chip.hbm_bytes_per_s"},
                                           {"\"set\":{\"workload.graphs\":false}", "workload.graphs"}};
    for (size_t i = 0; i < COUNT(SIDES); i++)
        for (int first = 0; first < 2; first++) {
            char json[2048], other[512];
            (void)snprintf(other, sizeof other, "%.*s,%s}", (int)strlen(INFER) - 1, INFER, SIDES[i][0]);
            (void)snprintf(json, sizeof json, "{\"requests\":[%s,%s]}", first ? other : INFER, first ? INFER : other);
            json_t *both = compare(catalogue_of(state), json), *asked = json_object_get(both, "asked");
            assert_int_equal(json_array_size(asked), 1);
            json_t *values = json_object_get(json_array_get(asked, 0), "values");
            assert_string_equal(json_string_value(json_object_get(json_array_get(asked, 0), "key")), SIDES[i][1]);
            assert_true(json_is_null(json_array_get(values, first ? 1 : 0)));
            json_decref(both);
        }
}

static void bad_questions_are_refused(void **state)
{
    static const char *const BAD[][2] = {
        {"[]", "must be a JSON object"},
        {"{\"requests\":[" INFER "]}", "2 to 8"},
        {"{\"requests\":[" INFER "," JOB("h100-sxm", "") "]}", "another kind"},
        {"{\"requests\":[" INFER "," INFER "],\"names\":[\"a\"]}", "2 names"},
        {"{\"requests\":[" INFER "," INFER "],\"names\":[\"a\",1]}", "texts"},
        {"{\"requests\":[" INFER "," INFER "],\"name\":[]}", "unknown key"},
        {"{\"kind\":\"train\",\"requests\":[" INFER "," INFER "]}", "\"compare\""},
        {"{\"requests\":[" INFER "," JOB("h1000-sxm", "") "]}", "h1000-sxm"},
    };
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        struct orr_error error;
        char *text = NULL;
        assert_int_not_equal(
            orr_compare_ask(catalogue_of(state), BAD[i][0], "request", ORR_FORMAT_JSON, NULL, &text, &error), ORR_OK);
        assert_null(text);
        if (!strstr(error.text, BAD[i][1])) fail_msg("\"%s\" has no \"%s\"", error.text, BAD[i][1]);
    }
}

/* Five answers do not fit beside each other on 80 columns, and every one is shown. */
static void no_column_is_lost_on_a_narrow_terminal(void **state)
{
    struct orr_error error;
    char *text = NULL;
    const struct orr_style narrow = {.width = 80};
    assert_int_equal(orr_compare_ask(catalogue_of(state),
                                     "{\"requests\":[" INFER "," INFER "," INFER "," INFER "," INFER "],"
                                     "\"names\":[\"first\",\"second\",\"third\",\"fourth\",\"fifth\"]}",
                                     "request", ORR_FORMAT_TERMINAL, &narrow, &text, &error),
                     ORR_OK);
    static const char *const NAMES[] = {"first", "second", "third", "fourth", "fifth"};
    for (size_t i = 0; i < 5; i++) assert_non_null(strstr(text, NAMES[i]));
    free(text);
}

#define SERVICE(system, kind)                                                                                          \
    "{\"kind\":\"" kind "\",\"model\":\"llama2-7b\",\"system\":\"" system "\",\"workload\":{\"engine\":\"vllm\"},"     \
    "\"traffic\":{\"rate_per_s\":4,\"requests\":200,\"input_len\":300,\"output_len\":100}}"

/* A service has the result that it has by itself, but for the speed of its simulation. */
static void services_are_compared(void **state)
{
    struct orr_error error;
    struct orr_service *service = NULL;
    json_t *both = compare(catalogue_of(state), "{\"requests\":[" SERVICE("h100-sxm", "serving") "," SERVICE(
                                                    "a100-80g-sxm", "serving") "],\"names\":[\"new\",\"old\"]}");
    assert_int_equal(orr_service_open(catalogue_of(state), SERVICE("a100-80g-sxm", "serving"), "r", &service, &error),
                     0);
    assert_int_equal(orr_service_run(service, NULL, NULL, NULL, &error), ORR_OK);
    char *text = orr_service_render(service, ORR_FORMAT_JSON, NULL);
    json_t *single = json_loads(text, 0, NULL), *second = json_array_get(json_object_get(both, "results"), 1);
    json_object_del(single, "simulated_requests_per_s");
    json_object_del(second, "simulated_requests_per_s");
    assert_true(json_equal(single, second));
    assert_int_equal(json_array_size(json_object_get(both, "asked")), 1);
    const char *why = json_string_value(json_array_get(json_object_get(both, "why"), 1));
    assert_non_null(strstr(why, "old against new: first tokens ×1.")); /* an A100 is slower */
    free(text);
    orr_service_close(service);
    json_decref(single);
    json_decref(both);
    text = NULL;
    assert_int_equal(orr_compare_ask(catalogue_of(state),
                                     "{\"requests\":[" SERVICE("h100-sxm", "serving") "," INFER "]}", "request",
                                     ORR_FORMAT_JSON, NULL, &text, &error),
                     ORR_ERR_INPUT);
    assert_non_null(strstr(error.text, "is of another kind than the first request, which is serving"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_those_of_single_answers),
        cmocka_unit_test(parts_sum_and_differences_are_named),
        cmocka_unit_test(equal_requests_take_as_long),
        cmocka_unit_test(keys_of_one_side_are_differences),
        cmocka_unit_test(bad_questions_are_refused),
        cmocka_unit_test(no_column_is_lost_on_a_narrow_terminal),
        cmocka_unit_test(services_are_compared),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
