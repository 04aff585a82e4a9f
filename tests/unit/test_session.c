/* Questions as text, answers as rows: the same numbers as from the structs, and errors that leave the session
 * usable. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support.h"

#define TRAIN                                                                                                          \
    "{\"kind\":\"train\",\"model\":\"llama2-7b\",\"system\":\"h100-sxm\",\"gpus\":8,\"plan\":{\"zero\":1},"            \
    "\"workload\":{\"global_batch\":8}}"
#define INFER                                                                                                          \
    "{\"kind\":\"infer\",\"model\":\"llama2-7b\",\"system\":\"h100-sxm\",\"gpus\":1,"                                  \
    "\"workload\":{\"input_len\":200,\"output_len\":200}}"
#define TOO_LARGE                                                                                                      \
    "{\"kind\":\"train\",\"model\":\"gpt3-175b\",\"system\":\"h100-sxm\",\"gpus\":8,\"plan\":{\"tp\":8},"              \
    "\"workload\":{\"global_batch\":8}}"

struct fixture {
    struct orr_catalogue *catalogue;
    struct orr_session *session;
};

static int open_session(void **state)
{
    static struct fixture fixture;
    struct orr_error error;
    if (orr_catalogue_open(NULL, 0, &fixture.catalogue, &error)) fail_msg("%s", error.text);
    fixture.session = orr_session_new(fixture.catalogue);
    *state = &fixture;
    return fixture.session ? 0 : -1;
}

static int close_session(void **state)
{
    struct fixture *fixture = *state;
    orr_session_free(fixture->session);
    orr_catalogue_close(fixture->catalogue);
    return 0;
}

static void rows_hold_the_numbers_of_the_structs(void **state)
{
    struct fixture *fixture = *state;
    static struct orr_job job;
    static struct orr_sweep_row row;
    struct orr_result train;
    struct orr_infer_result infer;
    struct orr_scratch *scratch = orr_scratch_new();
    assert_int_equal(orr_job_read(fixture->catalogue, TRAIN, "request", &job, NULL), ORR_OK);
    orr_train(&job, scratch, &train);
    assert_int_equal(orr_session_ask(fixture->session, TRAIN, "request", &row, NULL), ORR_OK);
    assert_int_equal(row.status, ORR_POINT_OK);
    assert_true(row_number(ORR_JOB_TRAIN, &row, "step_time_s") == train.step_time_s);
    assert_true(row_number(ORR_JOB_TRAIN, &row, "time_s.forward") == train.time_s[ORR_TIME_FORWARD]);
    assert_int_equal(orr_job_read(fixture->catalogue, INFER, "request", &job, NULL), ORR_OK);
    orr_infer(&job, scratch, &infer);
    assert_int_equal(orr_session_ask(fixture->session, INFER, "request", &row, NULL), ORR_OK);
    assert_true(row_number(ORR_JOB_INFER, &row, "latency_s") == infer.latency_s);
    orr_scratch_free(scratch);
}

static void what_does_not_fit_has_advice(void **state)
{
    struct fixture *fixture = *state;
    static struct orr_sweep_row row;
    assert_int_equal(orr_session_ask(fixture->session, TOO_LARGE, "request", &row, NULL), ORR_OK);
    assert_int_equal(row.status, ORR_POINT_NO_FIT);
    assert_non_null(strstr(row.reason, "too much per GPU"));
}

static void numbers_are_found_by_their_keys(void **state)
{
    struct fixture *fixture = *state;
    struct orr_column columns[ORR_MAX_COLUMNS];
    static struct orr_sweep_row row;
    assert_int_equal(orr_session_ask(fixture->session, TRAIN, "request", &row, NULL), ORR_OK);
    const size_t n = orr_session_columns(ORR_JOB_TRAIN, columns);
    for (size_t i = 0; i < n; i++) {
        const double number = orr_session_number(fixture->session, columns[i].name);
        if (columns[i].type == ORR_COLUMN_TEXT) assert_true(isnan(number));
        else assert_true(number == row.numbers[i]);
    }
    assert_true(isnan(orr_session_number(fixture->session, "step_time")));
    assert_true(orr_session_number(fixture->session, "fits") == 1);
    assert_int_equal(orr_session_ask(fixture->session, TOO_LARGE, "request", NULL, NULL), ORR_OK);
    assert_true(orr_session_number(fixture->session, "fits") == 0);
    assert_int_equal(orr_session_ask(fixture->session, "{", "request", NULL, NULL), ORR_ERR_SYNTAX);
    assert_true(isnan(orr_session_number(fixture->session, "step_time_s"))); /* no number of an older answer */
}

static void error_codes_have_names(void **state)
{
    (void)state;
    assert_string_equal(orr_err_name(ORR_OK), "ok");
    assert_string_equal(orr_err_name(ORR_ERR_RULE), "rule");
    assert_string_equal(orr_err_name(ORR_ERR_MEMORY), "memory");
    assert_string_equal(orr_err_name(ORR_N_ERRS), "unknown");
}

static void errors_are_located_and_pass(void **state)
{
    struct fixture *fixture = *state;
    static struct orr_sweep_row row;
    struct orr_error error;
    struct orr_search *search = NULL;
    char *text = NULL;
    const char *bad = "{\"kind\":\"train\",\"model\":\"llama2-7b\",\"system\":\"h100-sxm\",\"plan\":{\"tq\":1}}";
    assert_int_not_equal(orr_session_ask(fixture->session, bad, "mine", &row, &error), ORR_OK);
    assert_string_equal(error.key, "plan.tq");
    assert_string_equal(error.file, "mine");
    assert_int_not_equal(orr_session_render(fixture->session, bad, "mine", ORR_FORMAT_JSON, NULL, &text, &error),
                         ORR_OK);
    assert_int_not_equal(orr_search_open(fixture->catalogue, bad, "mine", &search, &error), ORR_OK);
    assert_null(text);
    assert_int_equal(orr_session_ask(fixture->session, TRAIN, "mine", &row, &error), ORR_OK);
}

static void reports_and_searches_need_no_struct(void **state)
{
    struct fixture *fixture = *state;
    static struct orr_job job;
    struct orr_search *search = NULL;
    const struct orr_found *found;
    char *text = NULL;
    assert_int_equal(orr_session_render(fixture->session, TRAIN, "request", ORR_FORMAT_JSON, NULL, &text, NULL),
                     ORR_OK);
    assert_int_equal(orr_job_read(fixture->catalogue, TRAIN, "request", &job, NULL), ORR_OK);
    char *expected = report_on(&job, ORR_FORMAT_JSON, NULL);
    assert_string_equal(text, expected);
    free(expected);
    free(text);
    assert_int_equal(orr_search_open(fixture->catalogue, TRAIN, "request", &search, NULL), ORR_OK);
    assert_int_equal(orr_search_run(search, 1, NULL, NULL, NULL), ORR_OK);
    assert_true(orr_search_best(search, &found) > 0);
    orr_search_free(search);
}

/* What a server sends is JSON whatever the words are, and an explanation adds one key to the result. */
static void replies_are_json(void **state)
{
    struct fixture *fixture = *state;
    struct orr_error error = {.line = 3, .column = 14, .key = "plan.tq", .text = "say \"hi\" \\ caf\xc3\xa9"};
    char *text = orr_error_json(&error);
    assert_string_equal(text, "{\"error\":{\"text\":\"say \\\"hi\\\" \\\\ caf\xc3\xa9\",\"key\":\"plan.tq\",\"line\":3,"
                              "\"column\":14}}\n");
    free(text);
    (void)strcpy(error.text, "caf\xe9"); /* not UTF-8 */
    text = orr_error_json(&error);
    assert_non_null(strstr(text, "\"caf?\""));
    free(text);
    static struct orr_job job;
    struct orr_scratch *scratch = orr_scratch_new();
    assert_int_equal(orr_job_read(fixture->catalogue, TRAIN, "request", &job, NULL), ORR_OK);
    static struct orr_answer answer;
    orr_predict(&job, scratch, &answer);
    char *plain = orr_render(&answer, ORR_FORMAT_JSON, NULL), *words = orr_render(&answer, ORR_FORMAT_EXPLAIN, NULL);
    char *explained = orr_render(&answer, ORR_FORMAT_JSON_EXPLAINED, NULL);
    const char *brace = strrchr(plain, '}'); /* all before the last line stays as it is */
    assert_int_equal(strncmp(plain, explained, (size_t)(brace - plain) - 1), 0);
    assert_int_equal(strncmp(explained + (brace - plain) - 1, ",\n  \"explain\": \"", 16), 0);
    assert_true(strlen(explained) > strlen(plain) + strlen(words));
    free(plain);
    free(words);
    free(explained);
    orr_scratch_free(scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_hold_the_numbers_of_the_structs),
        cmocka_unit_test(what_does_not_fit_has_advice),
        cmocka_unit_test(numbers_are_found_by_their_keys),
        cmocka_unit_test(error_codes_have_names),
        cmocka_unit_test(errors_are_located_and_pass),
        cmocka_unit_test(reports_and_searches_need_no_struct),
        cmocka_unit_test(replies_are_json),
    };
    return cmocka_run_group_tests(tests, open_session, close_session);
}
