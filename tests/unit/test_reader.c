/* A reader that keeps parts answers as one that keeps nothing; a sealed catalogue lets no request name a file; the
 * questions of a server as JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support.h"

struct fixture {
    struct orr_catalogue *catalogue, *sealed;
    struct orr_reader *reader;
};

static const enum orr_job_kind TRAIN = ORR_JOB_TRAIN, INFER = ORR_JOB_INFER;

static int set_up(void **state)
{
    static struct fixture fixture;
    struct orr_error error;
    if (orr_catalogue_open(NULL, 0, &fixture.catalogue, &error) || orr_catalogue_open(NULL, 0, &fixture.sealed, &error))
        fail_msg("%s", error.text);
    orr_catalogue_seal(fixture.sealed);
    fixture.reader = orr_reader_new(fixture.catalogue);
    *state = &fixture;
    return fixture.reader ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    orr_reader_free(fixture->reader);
    orr_catalogue_close(fixture->catalogue);
    orr_catalogue_close(fixture->sealed);
    return 0;
}

static char *report_of(const struct orr_job *job)
{
    return report_on(job, ORR_FORMAT_JSON, NULL);
}

/* Both readers agree, on a result or on an error. */
static void compare(struct fixture *fixture, const char *request)
{
    static struct orr_job fresh;
    const struct orr_job *kept;
    struct orr_error error = {0}, kept_error = {0};
    const enum orr_err err = orr_job_read(fixture->catalogue, request, "request", &fresh, &error);
    assert_int_equal(orr_reader_job(fixture->reader, request, "request", NULL, &kept, &kept_error), err);
    assert_string_equal(kept_error.text, error.text);
    if (err) return;
    char *expected = report_of(&fresh), *got = report_of(kept);
    assert_non_null(expected);
    assert_string_equal(got, expected);
    free(expected);
    free(got);
}

/* More models than are kept, three times over, everything else different every time. */
static void kept_parts_do_not_show(void **state)
{
    struct fixture *fixture = *state;
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < 20; i++) {
            char request[512];
            const char *model = orr_catalogue_id(fixture->catalogue, ORR_PART_MODEL, i);
            (void)snprintf(request, sizeof request,
                           "{\"kind\":\"infer\",\"model\":\"%s\",\"system\":\"%s\",\"workload\":{\"input_len\":%d,"
                           "\"output_len\":%d},\"set\":{\"chip.hbm_bytes_per_s\":\"%d TB/s\"}}",
                           model, i % 2 ? "h100-sxm" : "a100-80g-sxm", 10 + round, 20 + (int)i, 1 + (int)i % 3);
            compare(fixture, request);
        }
    }
}

static void requests_leave_nothing_behind(void **state)
{
    static const char *const REQUESTS[] = {
        "{\"kind\":\"infer\",\"model\":\"llama2-70b\",\"system\":\"h100-sxm\",\"plan\":{\"tp\":8},\"workload\":"
        "{\"input_len\":9,\"output_len\":9,\"draft_model\":\"llama2-7b\",\"draft_tokens\":2,\"kv_precision\":\"fp8\"}}",
        "{\"kind\":\"infer\",\"model\":\"llama2-70b\",\"system\":\"h100-sxm\",\"plan\":{\"tp\":8},\"workload\":"
        "{\"input_len\":9,\"output_len\":9}}",
        "{\"kind\":\"infer\",\"model\":\"llama2-70b\",\"system\":\"h100-sxm\",\"plan\":{\"tp\":8},\"workload\":"
        "{\"input_len\":9,\"output_len\":9,\"engine\":\"vllm\"}}",
        "{\"kind\":\"infer\",\"model\":\"llama2-70b\",\"system\":\"h100-sxm\",\"plan\":{\"tp\":8},\"workload\":"
        "{\"input_len\":9,\"output_len\":9,\"engine\":\"vllm\",\"graphs\":false,\"async_scheduling\":true}}",
        "{\"kind\":\"infer\",\"model\":\"llama2-70b\",\"system\":\"h100-sxm\",\"plan\":{\"tp\":-8},\"workload\":"
        "{\"input_len\":9,\"output_len\":9}}",
        "{\"kind\":\"train\",\"model\":\"llama2-70b\",\"system\":\"h100-sxm\",\"plan\":{\"tp\":8,\"pp\":2,\"zero\":1},"
        "\"workload\":{\"global_batch\":8,\"recompute\":\"full\"}}",
        "{\"kind\":\"train\",\"model\":\"llama2-70b\",\"system\":\"h100-sxm\",\"workload\":{\"global_batch\":8}}",
        "{\"kind\":\"train\",\"model\":\"llama2-71b\",\"system\":\"h100-sxm\",\"workload\":{\"global_batch\":8}}",
        "{\"kind\":\"train\",\"model\":\"llama2-70b\",\"system\":\"h100-sxm\",\"workload\":{\"global_batch\":8},"
        "\"set\":{\"workload.engine\":\"megatron-lm-2022\"}}",
        "{\"kind\":\"train\",\"model\":\"llama2-70b\",\"system\":\"h100-sxm\",\"workload\":{\"global_batch\":8},"
        "\"set\":{\"chip.hbm_bytes_per_s\":\"fast\"}}",
        "{\"kind\":\"train\"",
        "[]"};
    const size_t n = sizeof REQUESTS / sizeof *REQUESTS;
    for (size_t i = 0; i < n * n; i++) { /* each after each */
        compare(*state, REQUESTS[i / n]);
        compare(*state, REQUESTS[i % n]);
    }
}

static void the_kind_may_be_known(void **state)
{
    struct fixture *fixture = *state;
    const struct orr_job *job;
    struct orr_error error;
    static const char silent[] =
        "{\"model\":\"llama2-7b\",\"system\":\"h100-sxm\",\"workload\":{\"precision\":\"bf16\"}}";
    static const char said[] = "{\"kind\":\"infer\",\"model\":\"llama2-7b\",\"system\":\"h100-sxm\",\"workload\":"
                               "{\"input_len\":9,\"output_len\":9}}";
    assert_int_equal(orr_reader_job(fixture->reader, silent, "request", &TRAIN, &job, &error), ORR_OK);
    assert_int_equal(job->kind, ORR_JOB_TRAIN);
    assert_int_equal(orr_reader_job(fixture->reader, silent, "request", NULL, &job, &error), ORR_ERR_INPUT);
    assert_int_equal(orr_reader_job(fixture->reader, said, "request", &INFER, &job, &error), ORR_OK);
    assert_int_equal(job->kind, ORR_JOB_INFER);
    assert_int_equal(orr_reader_job(fixture->reader, said, "request", &TRAIN, &job, &error), ORR_ERR_INPUT);
    assert_string_equal(error.key, "kind");
    assert_int_equal(error.column, 9);
}

static void sealed_catalogues_read_no_files(void **state)
{
    struct fixture *fixture = *state;
    static struct orr_job job;
    struct orr_error error;
    static const char request[] =
        "{\"kind\":\"train\",\"model\":\"data/models/llama2-7b.json\",\"system\":\"h100-sxm\","
        "\"workload\":{\"global_batch\":8}}";
    assert_int_equal(orr_job_read(fixture->catalogue, request, "request", &job, &error), ORR_OK);
    assert_int_equal(orr_job_read(fixture->sealed, request, "request", &job, &error), ORR_ERR_INPUT);
    assert_string_equal(error.key, "model");
    assert_non_null(strstr(error.text, "files cannot be named"));
    struct orr_model model;
    assert_int_equal(orr_model_read(fixture->sealed, "no/such/file.json", &model, &error), ORR_ERR_INPUT);
    assert_int_equal(orr_model_read(fixture->sealed, "llama2-7b", &model, &error), ORR_OK);
}

static void sweeps_can_be_asked_as_json(void **state)
{
    struct fixture *fixture = *state;
    struct orr_sweep *sweep;
    struct orr_error error;
    static struct orr_sweep_row rows[6];
    static const char ask[] =
        "{\"request\":{\"kind\":\"train\",\"model\":\"llama2-7b\",\"system\":\"h100-sxm\",\"gpus\":8,\n"
        "\"workload\":{\"global_batch\":8}},\"vary\":[{\"field\":\"plan.tp\",\"values\":[1,3,8]},\n"
        "{\"field\":\"chip.hbm_bytes_per_s\",\"values\":\"2e12,4e12\"}]}";
    assert_int_equal(orr_sweep_open_json(fixture->catalogue, ask, "request", 1, &sweep, &error), ORR_OK);
    assert_int_equal(orr_sweep_points(sweep), 6);
    assert_int_equal(orr_sweep_run(sweep, 0, 6, rows, &error), ORR_OK);
    assert_int_equal(rows[2].status, ORR_POINT_INVALID); /* 3 does not divide the heads */
    char *text = orr_sweep_render(sweep, 0, 6, rows, ORR_FORMAT_JSON, NULL);
    assert_non_null(strstr(text, "\"columns\":[\"point\",\"status\",\"reason\",\"plan.tp\",\"chip.hbm_bytes_per_s\","));
    assert_non_null(strstr(text, "\n[2,\"invalid\","));
    assert_non_null(strstr(text, ",3,2000000000000"));
    free(text);
    orr_sweep_close(sweep);
    char wrong[sizeof ask];
    memcpy(wrong, ask, sizeof ask);
    memcpy(strstr(wrong, "global_batch"), "globol_batch", 12);
    assert_int_equal(orr_sweep_open_json(fixture->catalogue, wrong, "request", 1, &sweep, &error), ORR_ERR_INPUT);
    assert_null(sweep);
    assert_int_equal(error.line, 2);
}

static void technology_can_be_asked_as_json(void **state)
{
    struct fixture *fixture = *state;
    struct orr_error error;
    char *text, *expected;
    assert_int_equal(orr_technology_ask(fixture->sealed, "{\"chip\":\"node=5\"}", "request", &text, &error), ORR_OK);
    assert_int_equal(orr_technology_render(
                         fixture->catalogue,
                         &(struct orr_technology_question){.name = "generated:node=5", .view = ORR_TECHNOLOGY_CHIP},
                         ORR_FORMAT_JSON, NULL, &expected, &error),
                     ORR_OK);
    assert_string_equal(text, expected);
    free(text);
    free(expected);
    static const char *const WRONG[] = {"{\"chip\":\"node=5\",\"cost\":\"node=5\"}", "{}", "{\"chip\":5}",
                                        "{\"chip\":\"memory=/etc/passwd\"}", "[]"};
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++)
        assert_int_equal(orr_technology_ask(fixture->sealed, WRONG[i], "request", &text, &error), ORR_ERR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_parts_do_not_show),      cmocka_unit_test(requests_leave_nothing_behind),
        cmocka_unit_test(the_kind_may_be_known),       cmocka_unit_test(sealed_catalogues_read_no_files),
        cmocka_unit_test(sweeps_can_be_asked_as_json), cmocka_unit_test(technology_can_be_asked_as_json),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
