/* Traces: what viewers require of the format, threads whose spans do not overlap, ranks whose spans sum to the
 * predicted time, and the parts of the prediction found again in the names. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "support.h"
#include "spec/names.h"

#define MAX_TRACKS 4096

static const char *const train_requests[] = {
    "{\"kind\":\"train\",\"model\":\"gpt3-175b\",\"system\":\"a100-80g-sxm\",\"gpus\":128,"
    "\"plan\":{\"tp\":8,\"pp\":8,\"vpp\":3},\"workload\":{\"global_batch\":64}}",
    "{\"kind\":\"train\",\"model\":\"mixtral-8x7b\",\"system\":\"h100-sxm\",\"gpus\":64,"
    "\"plan\":{\"tp\":2,\"pp\":4,\"ep\":8,\"zero\":1},\"workload\":{\"seq\":4096,\"global_batch\":256}}",
    "{\"kind\":\"train\",\"model\":\"llama2-7b\",\"system\":\"h200-sxm\",\"gpus\":8,\"plan\":{\"zero\":3},"
    "\"workload\":{\"global_batch\":8,\"recompute\":\"full\"}}",
    "{\"kind\":\"train\",\"model\":\"gpt3-175b\",\"system\":\"a100-80g-sxm\",\"gpus\":64,"
    "\"plan\":{\"tp\":8,\"pp\":8,\"schedule\":\"zb-h1\",\"stage_layers\":[10,12,12,12,13,13,12,12]},"
    "\"workload\":{\"global_batch\":48}}",
};

static const char *const infer_requests[] = {
    "{\"kind\":\"infer\",\"model\":\"llama2-13b\",\"system\":\"a100-80g-sxm\",\"gpus\":1,"
    "\"workload\":{\"input_len\":200,\"output_len\":200}}",
    "{\"kind\":\"infer\",\"model\":\"llama2-70b\",\"system\":\"h100-sxm\",\"plan\":{\"tp\":8,\"pp\":2},"
    "\"workload\":{\"batch\":2,\"input_len\":1000,\"output_len\":300,\"precision\":\"int4\","
    "\"engine\":\"tensorrt-llm-nemo\",\"draft_model\":\"llama2-7b\",\"draft_tokens\":3}}",
    "{\"kind\":\"infer\",\"model\":\"deepseek-v3\",\"system\":\"h200-sxm\",\"plan\":{\"tp\":8,\"pp\":2},"
    "\"workload\":{\"batch\":64,\"input_len\":1024,\"output_len\":4,\"precision\":\"fp8\",\"disaggregated\":true}}",
    "{\"kind\":\"infer\",\"model\":\"llama2-13b\",\"system\":\"a100-80g-sxm\",\"gpus\":1,"
    "\"workload\":{\"input_len\":200,\"output_len\":1}}",
};
#define N_TRAIN (sizeof train_requests / sizeof *train_requests)
#define N_INFER (sizeof infer_requests / sizeof *infer_requests)

static struct orr_catalogue *catalogue;
static struct orr_job job;

static int open_catalogue(void **state)
{
    struct orr_error error;
    (void)state;
    if (orr_catalogue_open(NULL, 0, &catalogue, &error)) fail_msg("%s", error.text);
    return 0;
}

static int close_catalogue(void **state)
{
    (void)state;
    orr_catalogue_close(catalogue);
    return 0;
}

static json_t *trace_of(const char *request)
{
    struct orr_error error;
    json_error_t wrong;
    if (orr_job_read(catalogue, request, "request", &job, &error)) fail_msg("%s", error.text);
    char *text = report_on(&job, ORR_FORMAT_TRACE, NULL);
    assert_non_null(text);
    json_t *trace = json_loads(text, JSON_REJECT_DUPLICATES, &wrong);
    if (!trace) fail_msg("line %d: %s", wrong.line, wrong.text);
    free(text);
    return trace;
}

static double number(json_t *event, const char *key)
{
    json_t *value = json_object_get(event, key);
    if (!json_is_number(value)) fail_msg("no number \"%s\"", key);
    return json_number_value(value);
}

static const char *word(json_t *event, const char *key)
{
    const char *value = json_string_value(json_object_get(event, key));
    if (!value) fail_msg("no text \"%s\"", key);
    return value;
}

static bool sums(json_t *event)
{
    return strcmp(word(event, "ph"), "X") == 0 &&
           (strcmp(word(event, "cat"), "time") == 0 || strcmp(word(event, "cat"), "wait") == 0);
}

static void assert_near(double actual, double expected, double tolerance)
{
    if (!(fabs(actual - expected) <= tolerance)) fail_msg("%.17g is not %.17g", actual, expected);
}

/* Seconds of the spans of a process: those that sum whose name starts with `start` and ends with `end`. */
static double named_s(json_t *trace, int64_t process, const char *start, const char *end)
{
    double sum = 0;
    size_t i;
    json_t *event;
    json_array_foreach(json_object_get(trace, "traceEvents"), i, event)
    {
        const char *name = word(event, "name");
        const size_t n = strlen(name), tail = strlen(end);
        if (!sums(event) || (int64_t)number(event, "pid") != process || strncmp(name, start, strlen(start)) != 0)
            continue;
        if (n < tail || strcmp(name + n - tail, end) != 0) continue;
        sum += 1e-6 * number(event, "dur");
    }
    return sum;
}

/* ---------------------------------------------------------------- the format */

static void check_event(json_t *event)
{
    assert_true(number(event, "pid") >= 0 && number(event, "tid") >= 0);
    if (strcmp(word(event, "ph"), "M") == 0) {
        assert_non_null(strstr("process_name thread_name process_sort_index thread_sort_index", word(event, "name")));
        assert_int_equal(json_object_size(json_object_get(event, "args")), 1);
        return;
    }
    assert_string_equal(word(event, "ph"), "X");
    assert_non_null(strstr("time wait hidden phase", word(event, "cat")));
    assert_true(strlen(word(event, "name")) > 0);
    assert_true(number(event, "ts") >= 0 && number(event, "dur") > 0);
}

/* Events of one thread come in order and none begins before the last has ended. */
static void check_threads(json_t *trace)
{
    static double end_us[MAX_TRACKS];
    const double total_us = 1e6 * number(json_object_get(trace, "otherData"), "total_s");
    size_t i;
    json_t *event;
    memset(end_us, 0, sizeof end_us);
    json_array_foreach(json_object_get(trace, "traceEvents"), i, event)
    {
        check_event(event);
        if (strcmp(word(event, "ph"), "X") != 0) continue;
        const size_t track = (size_t)(64 * number(event, "pid") + number(event, "tid"));
        assert_true(track < MAX_TRACKS);
        assert_true(number(event, "ts") >= end_us[track] - 2e-6);
        end_us[track] = number(event, "ts") + number(event, "dur");
        assert_true(end_us[track] <= total_us * (1 + 1e-9));
    }
}

static void traces_have_the_form_viewers_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_TRAIN + N_INFER; i++) {
        json_t *trace = trace_of(i < N_TRAIN ? train_requests[i] : infer_requests[i - N_TRAIN]);
        assert_string_equal(word(trace, "displayTimeUnit"), "ms");
        assert_string_equal(word(json_object_get(trace, "otherData"), "schema"), "orrery/1");
        check_threads(trace);
        json_decref(trace);
    }
}

/* ---------------------------------------------------------------- a training step */

static void every_rank_sums_to_the_step(void **state)
{
    (void)state;
    struct orr_scratch *scratch = orr_scratch_new();
    for (size_t i = 0; i < N_TRAIN; i++) {
        struct orr_result result;
        json_t *trace = trace_of(train_requests[i]);
        orr_train(&job, scratch, &result);
        for (int64_t rank = 0; rank < job.plan.pp; rank++)
            assert_near(named_s(trace, rank, "", "") / result.step_time_s, 1, 1e-9);
        assert_near(named_s(trace, job.plan.pp, "", ""), 0, 0); /* no rank more */
        json_decref(trace);
    }
    orr_scratch_free(scratch);
}

/* The rank that sets the pace: its name says so. */
static int64_t critical_rank(json_t *trace)
{
    size_t i;
    json_t *event;
    json_array_foreach(json_object_get(trace, "traceEvents"), i,
                       event) if (strcmp(word(event, "name"), "process_name") == 0 &&
                                  strstr(word(json_object_get(event, "args"), "name"),
                                         "sets the pace")) return (int64_t)number(event, "pid");
    fail_msg("no rank sets the pace");
    return -1;
}

/* What is left of a sum once the communication in it is taken away. */
static double compute_s(json_t *trace, int64_t rank, const char *letter)
{
    double seconds = named_s(trace, rank, letter, "");
    static const char *const streams[] = {" TP", " CP", " EP", " DP", " send"};
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) seconds -= named_s(trace, rank, letter, streams[i]);
    return seconds;
}

static void the_critical_rank_shows_the_parts(void **state)
{
    (void)state;
    struct orr_scratch *scratch = orr_scratch_new();
    for (size_t i = 0; i < N_TRAIN; i++) {
        struct orr_result r;
        json_t *trace = trace_of(train_requests[i]);
        const int64_t rank = critical_rank(trace);
        orr_train(&job, scratch, &r);
        const double *time_s = r.time_s, tolerance = 1e-9 * r.step_time_s;
        const double tp = named_s(trace, rank, "F ", " TP") + named_s(trace, rank, "B ", " TP");
        const double dp = named_s(trace, rank, "B ", " DP") + named_s(trace, rank, "gradients", "");
        const double send = named_s(trace, rank, "", " send"), wait = named_s(trace, rank, "wait", "");
        assert_near(compute_s(trace, rank, "F "), time_s[ORR_TIME_FORWARD], tolerance);
        assert_near(compute_s(trace, rank, "B ") + compute_s(trace, rank, "W "), time_s[ORR_TIME_BACKWARD], tolerance);
        assert_near(named_s(trace, rank, "R ", ""), time_s[ORR_TIME_RECOMPUTE], tolerance);
        assert_near(tp, time_s[ORR_TIME_TP_EXPOSED], tolerance);
        assert_near(dp, time_s[ORR_TIME_DP_EXPOSED], tolerance);
        assert_near(send + wait, time_s[ORR_TIME_PP_EXPOSED] + time_s[ORR_TIME_PP_BUBBLE], tolerance);
        assert_near(named_s(trace, rank, "optimizer", ""), time_s[ORR_TIME_OPTIMIZER], tolerance);
        json_decref(trace);
    }
    orr_scratch_free(scratch);
}

/* 64 sequences on 128 GPUs with tp 8 and pp 8: two replicas of 32 micro-batches, three chunks each. */
static void micro_batches_have_names(void **state)
{
    (void)state;
    json_t *trace = trace_of(train_requests[0]);
    const double first = named_s(trace, 3, "F 0.0", "F 0.0"), last = named_s(trace, 3, "B 31.2", "B 31.2");
    assert_true(first > 0 && last > first);
    assert_near(named_s(trace, 3, "F 32", ""), 0, 0);
    json_decref(trace);
}

/* ---------------------------------------------------------------- an inference request */

static void a_request_sums_to_its_latency(void **state)
{
    (void)state;
    struct orr_scratch *scratch = orr_scratch_new();
    for (size_t i = 0; i < N_INFER; i++) {
        struct orr_infer_result result;
        json_t *trace = trace_of(infer_requests[i]);
        orr_infer(&job, scratch, &result);
        for (int part = 0; part < ORR_N_INFER_PARTS; part++) {
            const char *name = orr_infer_part_name((enum orr_infer_part)part);
            assert_near(named_s(trace, 0, name, name), result.time_s[part], 1e-9 * result.latency_s);
        }
        assert_near(named_s(trace, 0, "", ""), result.latency_s, 1e-9 * result.latency_s);
        json_decref(trace);
    }
    orr_scratch_free(scratch);
}

/* Later tokens have longer contexts: their groups, equally many tokens, never take less. */
static void later_tokens_take_longer(void **state)
{
    (void)state;
    json_t *trace = trace_of(infer_requests[0]), *event;
    size_t i, groups = 0;
    double last = 0;
    json_array_foreach(json_object_get(trace, "traceEvents"), i, event)
    {
        if (strcmp(word(event, "ph"), "X") != 0 || strcmp(word(event, "name"), "decode_attention") != 0) continue;
        /* 199 tokens in 16 groups: twelve or thirteen each */
        assert_true(number(event, "dur") > last * 12 / 13);
        last = number(event, "dur");
        groups++;
    }
    assert_int_equal(groups, 16);
    json_decref(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traces_have_the_form_viewers_read), cmocka_unit_test(every_rank_sums_to_the_step),
        cmocka_unit_test(the_critical_rank_shows_the_parts), cmocka_unit_test(micro_batches_have_names),
        cmocka_unit_test(a_request_sums_to_its_latency),     cmocka_unit_test(later_tokens_take_longer),
    };
    return cmocka_run_group_tests(tests, open_catalogue, close_catalogue);
}
