/* Sweeps: values of lists and ranges, Latin hypercubes, points and rows (study/axis.c, sample.c, sweep.c). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "spec/job.h"
#include "spec/names.h"
#include "study/sample.h"
#include "study/sweep.h"

/* ---------------------------------------------------------------- ranges */

/* All values of a list, joined by blanks. */
static void check_values(const char *list, const char *expected)
{
    struct orr_axis axis;
    struct orr_error error = {.text = ""};
    const struct orr_vary vary = {"x", "plan.x", list};
    char all[1024] = "", value[ORR_SWEEP_VALUE];
    if (orr_axis_parse(&vary, false, &axis, &error)) fail_msg("%s: %s", list, error.text);
    for (int64_t i = 0; i < axis.n_values; i++) {
        orr_axis_value(&axis, i, value);
        strcat(strcat(all, i ? " " : ""), value);
    }
    orr_axis_free(&axis);
    assert_string_equal(all, expected);
}

static void values_by_hand(void **state)
{
    (void)state;
    check_values("1,2,4", "1 2 4");
    check_values("llama2-7b,./my/config.json", "llama2-7b ./my/config.json");
    check_values("2e12:16e12:8", "2000000000000 4000000000000 6000000000000 8000000000000 10000000000000 "
                                 "12000000000000 14000000000000 16000000000000");
    check_values("0:1:5", "0 0.25 0.5 0.75 1");
    check_values("8:2:3", "8 5 2");
    check_values("-1:1:3", "-1 0 1");
    check_values("1:64:7:log", "1 2 4 8 16 32 64");
    check_values("1:10:3:log", "1 3.16227766017 10"); /* square root of 10 = 3.162277660168... */
    check_values("1000:1:4:log", "1000 100 10 1");
    check_values("1e-6:1e-3:4:log", "1e-06 1e-05 0.0001 0.001");
    check_values("8:64:+16", "8 24 40 56");
    check_values("0.1:0.5:+0.1", "0.1 0.2 0.3 0.4 0.5");
    check_values("1:100:x3", "1 3 9 27 81");
    check_values("1:1000:x10", "1 10 100 1000");
    check_values("2 TB/s:8 TB/s:4", "2TB/s 4TB/s 6TB/s 8TB/s");
    check_values("1k:4k:x2", "1k 2k 4k");
    check_values("80GiB:160GiB:+40GiB", "80GiB 120GiB 160GiB");
    check_values("1,2,4:12:+4,64", "1 2 4 8 12 64");
    check_values("all;tp,dp;1:4:x2", "all tp,dp 1 2 4");
}

static void bad_values_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *list, *says;
    } cases[] = {
        {"", "an empty value"},
        {"1,,2", "an empty value"},
        {"1,", "an empty value"},
        {"1:2", "how many values?"},
        {"1:2:log", "how many values?"},
        {"1:2:3:4", "expected log behind"},
        {"1:2:3:log:5", "too many colons"},
        {"a:b:3", "expected numbers"},
        {":2:3", "expected numbers"},
        {"0x1:2:3", "expected numbers"},
        {"nan:2:3", "expected numbers"},
        {"1:1e999:3", "expected numbers"},
        {"1:2:1", "expected how many values"},
        {"1:2:2.5", "expected how many values"},
        {"1:2:-3", "expected how many values"},
        {"1:2:", "expected how many values"},
        {"0:8:4:log", "both ends above 0"},
        {"1:8:+0", "a step must be above 0"},
        {"1:8:+", "expected a number behind"},
        {"8:1:+1", "low is above high"},
        {"1:8:x1", "a factor must be above 1"},
        {"0:8:x2", "a factor must be above 1"},
        {"0:1e300:+1", "too many values"},
        {"1GB:2TB:3", "the same unit"},
        {"1GB:2GB:+1TB", "another unit"},
        {"1\n2", "a control character"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct orr_axis axis;
        struct orr_error error = {.text = ""};
        const struct orr_vary vary = {"x", "plan.x", cases[i].list};
        if (!orr_axis_parse(&vary, false, &axis, &error)) fail_msg("accepted: %s", cases[i].list);
        if (!strstr(error.text, cases[i].says)) fail_msg("\"%s\" does not say \"%s\"", error.text, cases[i].says);
    }
}

/* ---------------------------------------------------------------- samples */

static void permutations_hit_everything_once(void **state)
{
    (void)state;
    char seen[300];
    for (uint64_t key = 0; key < 5; key++)
        for (int64_t n = 1; n < 300; n++) {
            memset(seen, 0, sizeof seen);
            for (int64_t i = 0; i < n; i++) {
                const int64_t place = orr_permuted(i, n, key);
                assert_in_range(place, 0, n - 1);
                assert_int_equal(seen[place]++, 0);
            }
        }
}

static void strata_are_hit_once(void **state)
{
    (void)state;
    for (int64_t n = 1; n < 400; n = 2 * n + 1) {
        char seen[400] = {0};
        for (int64_t i = 0; i < n; i++) {
            const double u = orr_stratified(i, n, 7);
            assert_true(u > 0 && u < 1);
            assert_int_equal(seen[(int64_t)(u * (double)n)]++, 0);
        }
    }
}

/* ---------------------------------------------------------------- sweeps */

#define REQUEST                                                                                                        \
    "{\"kind\":\"train\",\"model\":\"llama3.1-8b\",\"system\":\"h100-sxm\",\"gpus\":16,"                               \
    "\"workload\":{\"global_batch\":64,\"seq\":4096}}"

static struct orr_sweep *open_sweep(const struct orr_catalogue *catalogue, struct orr_sweep_spec spec)
{
    struct orr_sweep *sweep;
    struct orr_error error = {.text = ""};
    if (!spec.request) spec.request = REQUEST;
    spec.origin = "command line";
    if (orr_sweep_open(catalogue, &spec, &sweep, &error)) fail_msg("%s", error.text);
    return sweep;
}

static void check_point(const struct orr_sweep *sweep, int64_t point, const char *first, const char *second)
{
    char value[ORR_SWEEP_VALUE];
    orr_sweep_value(sweep, point, 0, value);
    assert_string_equal(value, first);
    orr_sweep_value(sweep, point, 1, value);
    assert_string_equal(value, second);
}

static void points_are_counted_in_order(void **state)
{
    const struct orr_vary varies[] = {{"tp", "plan.tp", "1,2,4"}, {"zero", "plan.zero", "0:2:+1"}};
    struct orr_sweep *sweep = open_sweep(*state, (struct orr_sweep_spec){.varies = varies, .n_varies = 2});
    assert_int_equal(orr_sweep_points(sweep), 9);
    check_point(sweep, 0, "1", "0");
    check_point(sweep, 1, "1", "1");
    check_point(sweep, 5, "2", "2");
    check_point(sweep, 8, "4", "2");
    orr_sweep_close(sweep);
    sweep = open_sweep(*state, (struct orr_sweep_spec){.varies = varies, .n_varies = 2, .mode = ORR_SWEEP_ZIP});
    assert_int_equal(orr_sweep_points(sweep), 3);
    check_point(sweep, 0, "1", "0");
    check_point(sweep, 2, "4", "2");
    orr_sweep_close(sweep);
}

static double number_at(const struct orr_sweep *sweep, int64_t point, size_t field)
{
    char value[ORR_SWEEP_VALUE];
    orr_sweep_value(sweep, point, field, value);
    return strtod(value, NULL);
}

static void samples_are_latin(void **state)
{
    enum { N = 20 };
    const struct orr_vary varies[] = {{"a", "chip.hbm_bytes_per_s", "1e12:5e12"},
                                      {"b", "chip.l2_bytes_per_s", "1e12:16e12:log"},
                                      {"c", "workload.micro_batch", "1,2,4,8,16"}};
    const struct orr_sweep_spec spec = {
        .varies = varies, .n_varies = 3, .mode = ORR_SWEEP_SAMPLE, .n_samples = N, .seed = 11};
    struct orr_sweep *sweep = open_sweep(*state, spec);
    int linear[N] = {0}, logarithmic[N] = {0}, listed[17] = {0}, together = 0;
    assert_int_equal(orr_sweep_points(sweep), N);
    for (int64_t i = 0; i < N; i++) {
        const int a = (int)((number_at(sweep, i, 0) - 1e12) / 4e12 * N);
        double b = number_at(sweep, i, 1) / 1e12; /* 16 = 2^4: stratum k of 20 ends at 2^((k + 1) / 5) */
        int k = 0;
        for (; b >= 1.148698354997035; k++) b /= 1.148698354997035; /* 2^(1/5) */
        linear[a]++;
        logarithmic[k]++;
        listed[(int)number_at(sweep, i, 2)]++;
        together += a == k;
    }
    for (int i = 0; i < N; i++) assert_int_equal(linear[i], 1);
    for (int i = 0; i < N; i++) assert_int_equal(logarithmic[i], 1);
    for (int i = 1; i <= 16; i *= 2) assert_int_equal(listed[i], N / 5);
    assert_true(together < N / 2); /* the axes have permutations of their own */
    orr_sweep_close(sweep);
}

/* ---------------------------------------------------------------- rows */

#define N_WALK 5
/* Parts of every kind change between neighbours, back and forth; some points break rules. */
static const struct orr_vary WALK[N_WALK] = {
    {"model", "model", "mixtral-8x7b,llama3.1-8b,gpt3-20b"},
    {"chip.tdp_w", "chip.tdp_w", "500,700"},
    {"system", "system", "a100-80g-sxm,h100-sxm"},
    {"engine", "workload.engine", "generic,megatron-lm-2022"},
    {"tp", "plan.tp", "8,5,2"},
};
enum { WALK_POINTS = 3 * 2 * 2 * 2 * 3 };

/* The same point as a request of its own. */
static enum orr_err read_point(const struct orr_catalogue *catalogue, const struct orr_sweep *sweep, int64_t point,
                               struct orr_job *job, struct orr_error *error)
{
    char values[N_WALK][ORR_SWEEP_VALUE], request[1024];
    for (size_t i = 0; i < N_WALK; i++) orr_sweep_value(sweep, point, i, values[i]);
    (void)snprintf(request, sizeof request,
                   "{\"kind\":\"train\",\"model\":\"%.60s\",\"system\":\"%.60s\",\"gpus\":16,\"plan\":{\"tp\":%.10s},"
                   "\"workload\":{\"global_batch\":64,\"seq\":4096,\"engine\":\"%.60s\"},"
                   "\"set\":{\"chip.tdp_w\":%.20s}}",
                   values[0], values[2], values[4], values[3], values[1]);
    return orr_job_read(catalogue, request, "test", job, error);
}

static size_t column_of(const struct orr_sweep *sweep, const char *name)
{
    struct orr_column columns[ORR_MAX_COLUMNS];
    const size_t n = orr_sweep_columns(sweep, columns);
    for (size_t i = 0; i < n; i++)
        if (strcmp(columns[i].name, name) == 0) return i;
    fail_msg("no column %s", name);
    return 0;
}

static void check_row(const struct orr_catalogue *catalogue, const struct orr_sweep *sweep, int64_t point,
                      const struct orr_sweep_row *row, struct orr_scratch *scratch)
{
    static struct orr_job job;
    static struct orr_result result;
    struct orr_error error;
    if (read_point(catalogue, sweep, point, &job, &error)) {
        assert_int_equal(row->status, ORR_POINT_INVALID);
        assert_true(strncmp(row->reason, "gpus: 16 is not a multiple of tp", 32) == 0);
        assert_non_null(strstr(error.text, row->reason));
        return;
    }
    orr_train(&job, scratch, &result);
    assert_int_equal(row->status, result.fits ? ORR_POINT_OK : ORR_POINT_NO_FIT);
    assert_int_equal(row->reason[0] == '\0', result.fits);
    assert_true(row->numbers[column_of(sweep, "step_time_s")] == result.step_time_s);
    assert_true(row->numbers[column_of(sweep, "memory_bytes.total")] == result.memory.total_bytes);
    assert_true(row->numbers[column_of(sweep, "energy_j")] == result.energy_j);
    assert_string_equal(row->words[column_of(sweep, "bottleneck")], orr_bound_name(result.bottleneck));
}

static void rows_are_those_of_single_requests(void **state)
{
    struct orr_scratch *scratch = orr_scratch_new();
    struct orr_sweep_row *rows = calloc(WALK_POINTS, sizeof *rows);
    struct orr_error error = {.text = ""};
    struct orr_sweep *sweep =
        open_sweep(*state, (struct orr_sweep_spec){.varies = WALK, .n_varies = N_WALK, .n_threads = 1});
    assert_int_equal(orr_sweep_points(sweep), WALK_POINTS);
    assert_int_equal(orr_sweep_run(sweep, 0, WALK_POINTS, rows, &error), ORR_OK);
    for (int64_t i = 0; i < WALK_POINTS; i++) check_row(*state, sweep, i, &rows[i], scratch);
    for (int64_t i = WALK_POINTS - 1; i >= 0; i -= 5) { /* another way through the same points */
        assert_int_equal(orr_sweep_run(sweep, i, 1, rows, &error), ORR_OK);
        check_row(*state, sweep, i, rows, scratch);
    }
    orr_sweep_close(sweep);
    orr_scratch_free(scratch);
    free(rows);
}

static void threads_change_nothing(void **state)
{
    struct orr_sweep_row *rows[2];
    struct orr_error error;
    for (int k = 0; k < 2; k++) {
        struct orr_sweep *sweep =
            open_sweep(*state, (struct orr_sweep_spec){.varies = WALK, .n_varies = N_WALK, .n_threads = k ? 3 : 1});
        rows[k] = calloc(WALK_POINTS, sizeof *rows[k]);
        assert_int_equal(orr_sweep_run(sweep, 0, WALK_POINTS, rows[k], &error), ORR_OK);
        orr_sweep_close(sweep);
    }
    for (int64_t i = 0; i < WALK_POINTS; i++) {
        assert_int_equal(rows[0][i].status, rows[1][i].status);
        assert_string_equal(rows[0][i].reason, rows[1][i].reason);
        assert_memory_equal(rows[0][i].numbers, rows[1][i].numbers, sizeof rows[0][i].numbers);
    }
    free(rows[0]);
    free(rows[1]);
}

/* The reason of a job that does not fit is the row's; columns are those of the JSON result. */
static void inference_has_its_own_columns(void **state)
{
    static const struct orr_vary vary = {"batch", "workload.batch", "1,100000"};
    static struct orr_sweep_row rows[2];
    struct orr_error error;
    struct orr_sweep *sweep = open_sweep(
        *state,
        (struct orr_sweep_spec){.request = "{\"kind\":\"infer\",\"model\":\"llama3.1-8b\",\"system\":\"h100-sxm\","
                                           "\"workload\":{\"input_len\":512,\"output_len\":64}}",
                                .varies = &vary,
                                .n_varies = 1});
    assert_int_equal(sweep->kind, ORR_JOB_INFER);
    assert_int_equal(orr_sweep_run(sweep, 0, 2, rows, &error), ORR_OK);
    assert_int_equal(rows[0].status, ORR_POINT_OK);
    assert_true(rows[0].numbers[column_of(sweep, "ttft_s")] > 0);
    assert_int_equal(rows[1].status, ORR_POINT_NO_FIT);
    assert_true(rows[1].reason[0] != '\0');
    orr_sweep_close(sweep);
}

static void check_refused(const struct orr_catalogue *catalogue, const char *path, const char *values, const char *says)
{
    const struct orr_vary varies[] = {{"tp", "plan.tp", "1,2"}, {"x", path, values}};
    const struct orr_sweep_spec spec = {.request = REQUEST, .origin = "command line", .varies = varies, .n_varies = 2};
    struct orr_sweep *sweep = NULL;
    struct orr_error error = {.text = "accepted"};
    assert_int_not_equal(orr_sweep_open(catalogue, &spec, &sweep, &error), ORR_OK);
    if (!strstr(error.text, says)) fail_msg("\"%s\" does not say \"%s\"", error.text, says);
    assert_null(sweep);
}

static void wrong_values_are_refused_at_once(void **state)
{
    check_refused(*state, "plan.pp", "1,two", "plan.pp: must be an integer");
    check_refused(*state, "plan.pp", "1:2:3", "plan.pp: must be an integer"); /* 1.5 */
    check_refused(*state, "plan.pq", "1", "unknown key \"plan.pq\"");
    check_refused(*state, "chip.hbm_bytes", "8,-1", "chip.hbm_bytes: must be a number");
    check_refused(*state, "model", "llama3.1-8b,llama3.1-9b", "unknown model \"llama3.1-9b\"");
    check_refused(*state, "tune.x", "1", "is not a path that can be set");
    check_refused(*state, "plan.tp", "4", "varied twice");
}

static void equal_sweeps_have_equal_texts(void **state)
{
    const struct orr_vary vary = {"tp", "plan.tp", "1,2"};
    struct orr_sweep_spec spec = {.varies = &vary, .n_varies = 1};
    struct orr_sweep *one = open_sweep(*state, spec);
    spec.request = "{\"workload\": {\"seq\": 4096, \"global_batch\": 64},\n\"gpus\": 16, \"system\": \"h100-sxm\","
                   "\"model\": \"llama3.1-8b\", \"kind\": \"train\"}";
    struct orr_sweep *two = open_sweep(*state, spec);
    spec.mode = ORR_SWEEP_ZIP;
    struct orr_sweep *three = open_sweep(*state, spec);
    assert_string_equal(orr_sweep_text(one), orr_sweep_text(two));
    assert_string_not_equal(orr_sweep_text(one), orr_sweep_text(three));
    orr_sweep_close(one);
    orr_sweep_close(two);
    orr_sweep_close(three);
}

/* A point that is a search has the figures and the plan of a search of its own. */
static void points_can_be_searches(void **state)
{
    const struct orr_vary vary = {"gpus", "gpus", "4,8"};
    static const char WITHOUT[] = "{\"kind\":\"train\",\"model\":\"llama2-7b\",\"system\":\"a100-80g-sxm\",%s"
                                  "\"plan\":{\"tp\":\"1,2,4\"},\"workload\":{\"global_batch\":32},"
                                  "\"search\":{\"objective\":\"throughput\",\"overlap\":false}}";
    char text[512];
    (void)snprintf(text, sizeof text, WITHOUT, "");
    const struct orr_sweep_spec spec = {
        .request = text, .varies = &vary, .n_varies = 1, .search = true};
    struct orr_sweep *sweep = open_sweep(*state, spec);
    struct orr_column columns[ORR_MAX_COLUMNS];
    const size_t n = orr_sweep_columns(sweep, columns);
    struct orr_sweep_row *rows = calloc(2, sizeof *rows);
    static struct orr_search_request request;
    assert_int_equal(orr_sweep_run(sweep, 0, 2, rows, NULL), ORR_OK);
    for (int i = 0; i < 2; i++) {
        const struct orr_found *best;
        struct orr_search *search;
        (void)snprintf(text, sizeof text, WITHOUT, i ? "\"gpus\":8," : "\"gpus\":4,");
        assert_int_equal(orr_search_read(*state, text, "request", &request, NULL), ORR_OK);
        assert_int_equal(orr_search_new(&request, &search, NULL), ORR_OK);
        assert_int_equal(orr_search_run(search, 1, NULL, NULL, NULL), ORR_OK);
        assert_true(orr_search_best(search, &best) > 0);
        assert_int_equal(rows[i].status, ORR_POINT_OK);
        size_t seen = 0;
        for (size_t c = 0; c < n; c++) {
            if (strcmp(columns[c].name, "step_time_s") == 0)
                seen += fabs(rows[i].numbers[c] / best->time_s - 1) < 1e-12;
            if (strcmp(columns[c].name, "plan.tp") == 0) seen += rows[i].numbers[c] == best->choice.tp;
            if (strcmp(columns[c].name, "plan.dp") == 0) seen += rows[i].numbers[c] == best->choice.dp;
            if (strcmp(columns[c].name, "workload.micro_batch") == 0)
                seen += rows[i].numbers[c] == best->choice.micro_batch;
        }
        assert_int_equal(seen, 4);
        orr_search_free(search);
    }
    free(rows);
    orr_sweep_close(sweep);
}

/* A search that finds no plan has a reason and no figures: those of some other plan would pass for an answer. */
static void a_search_without_a_plan_is_blank(void **state)
{
    const struct orr_vary vary = {"gpus", "gpus", "1,8"};
    struct orr_sweep *sweep = open_sweep(
        *state, (struct orr_sweep_spec){.request = "{\"kind\":\"train\",\"model\":\"gpt2\",\"system\":\"a100-80g-sxm\","
                                                   "\"workload\":{\"global_batch\":8},"
                                                   "\"search\":{\"limits\":\"tokens_per_s>=400000\"}}",
                                        .varies = &vary,
                                        .n_varies = 1,
                                        .search = true});
    struct orr_sweep_row *rows = calloc(2, sizeof *rows);
    assert_int_equal(orr_sweep_run(sweep, 0, 2, rows, NULL), ORR_OK);
    assert_int_equal(rows[0].status, ORR_POINT_NO_FIT);
    assert_true(rows[0].blank);
    assert_non_null(strstr(rows[0].reason, "break a limit"));
    assert_int_equal(rows[1].status, ORR_POINT_OK);
    assert_false(rows[1].blank);
    free(rows);
    orr_sweep_close(sweep);
}

static int set_up(void **state)
{
    return orr_catalogue_open(NULL, 0, (struct orr_catalogue **)state, NULL) != ORR_OK;
}

static int tear_down(void **state)
{
    orr_catalogue_close(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_by_hand),
        cmocka_unit_test(bad_values_are_named),
        cmocka_unit_test(permutations_hit_everything_once),
        cmocka_unit_test(strata_are_hit_once),
        cmocka_unit_test(points_are_counted_in_order),
        cmocka_unit_test(samples_are_latin),
        cmocka_unit_test(rows_are_those_of_single_requests),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(inference_has_its_own_columns),
        cmocka_unit_test(wrong_values_are_refused_at_once),
        cmocka_unit_test(equal_sweeps_have_equal_texts),
        cmocka_unit_test(points_can_be_searches),
        cmocka_unit_test(a_search_without_a_plan_is_blank),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
