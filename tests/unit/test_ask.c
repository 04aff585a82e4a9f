/* Questions by name: the table that the server, the page without a server and orrery mcp share. */
#include "support.h"

static struct orr_catalogue *catalogue;

static int open_catalogue(void **state)
{
    (void)state;
    return orr_catalogue_open(NULL, 0, &catalogue, NULL) ? -1 : 0;
}

static int close_catalogue(void **state)
{
    (void)state;
    orr_catalogue_close(catalogue);
    return 0;
}

static const char *const BODIES[ORR_N_ASKS] = {
    [ORR_ASK_SERVING] =
        "{\"kind\":\"serving\",\"model\":\"llama3-8b\",\"system\":\"h100-sxm\",\"traffic\":{\"rate_per_s\":2,"
        "\"requests\":100,\"input_len\":256,\"output_len\":32}}",
    [ORR_ASK_SIZE] = "{\"kind\":\"size\",\"model\":\"llama3-8b\",\"system\":\"h100-sxm\",\"traffic\":{\"rate_per_s\":2,"
                     "\"requests\":100,\"input_len\":256,\"output_len\":32},\"slo\":[\"ttft_s.p99<=2 s\"],"
                     "\"size\":{\"budget\":\"1 GPUs\"}}",
    [ORR_ASK_SEARCH] = "{\"kind\":\"train\",\"model\":\"llama2-7b\",\"system\":\"h100-sxm\",\"gpus\":2,\"workload\":{"
                       "\"global_batch\":8}}",
    [ORR_ASK_SWEEP] = "{\"request\":{\"kind\":\"train\",\"model\":\"llama2-7b\",\"system\":\"h100-sxm\",\"gpus\":8},"
                      "\"vary\":[{\"field\":\"workload.seq\",\"values\":\"100:299:+1\"}]}",
    [ORR_ASK_SENSITIVITY] = "{\"kind\":\"train\",\"model\":\"llama2-7b\",\"system\":\"h100-sxm\",\"gpus\":8}",
    [ORR_ASK_COMPARE] =
        "{\"requests\":[{\"kind\":\"train\",\"model\":\"llama2-7b\",\"system\":\"h100-sxm\",\"gpus\":8},"
        "{\"kind\":\"train\",\"model\":\"llama2-7b\",\"system\":\"a100-80g-sxm\",\"gpus\":8}]}",
    [ORR_ASK_TECHNOLOGY] = "{\"chip\":\"node=5,memory=hbm3\"}",
    [ORR_ASK_FIT] =
        "{\"runs\":[\"model=llama2-7b,system=h100-sxm,gpus=8,zero=1,seq=4096,micro_batch=1,global_batch=128:"
        "step_time_s=5.6\"],\"engine\":\"megatron-core-2025\"}",
};

static struct orr_ask *opened(enum orr_ask_kind kind, int64_t n_points_max)
{
    const struct orr_ask_limits limits = {.n_threads = 1, .n_points_max = n_points_max};
    struct orr_ask *ask = NULL;
    struct orr_error error = {0};
    if (orr_ask_open(catalogue, kind, BODIES[kind], "request", &limits, &ask, &error)) fail_msg("%s", error.text);
    return ask;
}

/* Every question but the two jobs is opened, run and rendered; which ones have a report for people is in orrery.h. */
static void every_question_is_answered(void **state)
{
    (void)state;
    for (int i = 0; i < ORR_N_ASKS; i++) {
        const enum orr_ask_kind kind = (enum orr_ask_kind)i;
        if (orr_ask_pace(kind) == ORR_PACE_JOB) continue;
        struct orr_error error = {0};
        struct orr_ask *ask = opened(kind, 0);
        if (orr_ask_run(ask, NULL, NULL, &error)) fail_msg("%s: %s", orr_ask_name(kind), error.text);
        char *json = orr_ask_render(ask, ORR_FORMAT_JSON, NULL);
        const struct orr_style style = {.width = 80};
        char *text = orr_ask_render(ask, ORR_FORMAT_TERMINAL, &style);
        const bool people = kind == ORR_ASK_SERVING || kind == ORR_ASK_SIZE || kind == ORR_ASK_SEARCH ||
                            kind == ORR_ASK_COMPARE || kind == ORR_ASK_SENSITIVITY;
        assert_non_null(json);
        assert_int_equal(json[0], '{');
        assert_int_equal(json[strlen(json) - 1], '\n');
        if (people != (text != NULL)) fail_msg("%s: TERMINAL", orr_ask_name(kind));
        free(json);
        free(text);
        orr_ask_close(ask);
    }
    orr_ask_close(NULL);
}

static void jobs_are_no_questions(void **state)
{
    (void)state;
    const struct orr_ask_limits limits = {0};
    struct orr_ask *ask = NULL;
    struct orr_error error = {0};
    assert_int_equal(orr_ask_open(catalogue, ORR_ASK_TRAIN, "{}", "request", &limits, &ask, &error), ORR_ERR_INPUT);
    assert_null(ask);
    assert_string_equal(orr_ask_name(ORR_ASK_TRAIN), "train");
    assert_string_equal(orr_ask_name(ORR_ASK_FIT), "fit");
}

static bool never(void *context, double done_frac, double plans)
{
    (void)done_frac, (void)plans;
    ++*(int *)context;
    return false;
}

/* 200 points in batches of 64: an impatient caller is asked once, and told what was done. */
static void an_impatient_caller_ends_a_sweep(void **state)
{
    (void)state;
    struct orr_error error = {0};
    int n_asked = 0;
    struct orr_ask *ask = opened(ORR_ASK_SWEEP, 200);
    assert_int_equal(orr_ask_run(ask, never, &n_asked, &error), ORR_ERR_INPUT);
    assert_int_equal(n_asked, 1);
    assert_string_equal(error.text, "stopped after 64 of 200 points: the time is over");
    orr_ask_close(ask);
}

/* A search that is stopped keeps what it has: its answer says that it is not complete. */
static void an_impatient_caller_gets_what_a_search_has(void **state)
{
    (void)state;
    struct orr_error error = {0};
    int n_asked = 0;
    struct orr_ask *ask = opened(ORR_ASK_SEARCH, 0);
    assert_int_equal(orr_ask_run(ask, never, &n_asked, &error), ORR_OK);
    char *json = orr_ask_render(ask, ORR_FORMAT_JSON, NULL);
    assert_non_null(json);
    if (n_asked > 0) assert_non_null(strstr(json, "\"complete\""));
    free(json);
    orr_ask_close(ask);
}

static void a_sweep_has_a_limit_of_points(void **state)
{
    (void)state;
    const struct orr_ask_limits limits = {.n_points_max = 199};
    struct orr_ask *ask = NULL;
    struct orr_error error = {0};
    assert_int_equal(orr_ask_open(catalogue, ORR_ASK_SWEEP, BODIES[ORR_ASK_SWEEP], "request", &limits, &ask, &error),
                     ORR_ERR_INPUT);
    assert_null(ask);
    assert_string_equal(error.text, "request: vary: 200 points; at most 199");
    assert_string_equal(error.key, "vary");
}

static void options_choose_the_format(void **state)
{
    (void)state;
    static const struct {
        enum orr_ask_kind kind;
        const char *name, *value;
        enum orr_format from, to;
    } CASES[] = {{ORR_ASK_TRAIN, "dump", "ops", ORR_FORMAT_JSON, ORR_FORMAT_DUMP_OPS},
                 {ORR_ASK_INFER, "dump", "timeline", ORR_FORMAT_JSON, ORR_FORMAT_DUMP_TIMELINE},
                 {ORR_ASK_TRAIN, "explain", "1", ORR_FORMAT_JSON, ORR_FORMAT_JSON_EXPLAINED},
                 {ORR_ASK_TRAIN, "explain", "0", ORR_FORMAT_JSON, ORR_FORMAT_JSON},
                 {ORR_ASK_TRAIN, "explain", "1", ORR_FORMAT_DUMP_OPS, ORR_FORMAT_DUMP_OPS},
                 {ORR_ASK_SERVING, "detail", "", ORR_FORMAT_JSON, ORR_FORMAT_JSON_EXPLAINED},
                 {ORR_ASK_SERVING, "explain", "1", ORR_FORMAT_JSON, ORR_FORMAT_JSON},
                 {ORR_ASK_SEARCH, "dump", "nothing", ORR_FORMAT_JSON, ORR_FORMAT_JSON},
                 {ORR_ASK_TRAIN, "color", "red", ORR_FORMAT_JSON, ORR_FORMAT_JSON}};
    struct orr_error error = {0};
    for (size_t i = 0; i < COUNT(CASES); i++) {
        enum orr_format format = CASES[i].from;
        assert_int_equal(orr_ask_option(CASES[i].kind, CASES[i].name, CASES[i].value, &format, &error), ORR_OK);
        assert_int_equal(format, CASES[i].to);
    }
    enum orr_format format = ORR_FORMAT_JSON;
    assert_int_equal(orr_ask_option(ORR_ASK_TRAIN, "dump", "all", &format, &error), ORR_ERR_INPUT);
    assert_string_equal(error.text, "dump=all: expected ops, costs, ledger, memory or timeline");
}

static void parts_are_found_by_path(void **state)
{
    (void)state;
    assert_string_equal(orr_catalogue_stored(catalogue, "systems/h100-sxm"),
                        orr_catalogue_text(catalogue, ORR_PART_SYSTEM, "h100-sxm"));
    assert_string_equal(orr_catalogue_stored(catalogue, "models/meta-llama/Llama-2-7b-hf"),
                        orr_catalogue_text(catalogue, ORR_PART_MODEL, "llama2-7b"));
    static const char *const NONE[] = {"",
                                       "models",
                                       "models/",
                                       "models/nothing",
                                       "model/llama2-7b",
                                       "/models/llama2-7b",
                                       "systems/../models/llama2-7b"};
    for (size_t i = 0; i < COUNT(NONE); i++) assert_null(orr_catalogue_stored(catalogue, NONE[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_question_is_answered),
        cmocka_unit_test(jobs_are_no_questions),
        cmocka_unit_test(an_impatient_caller_ends_a_sweep),
        cmocka_unit_test(an_impatient_caller_gets_what_a_search_has),
        cmocka_unit_test(a_sweep_has_a_limit_of_points),
        cmocka_unit_test(options_choose_the_format),
        cmocka_unit_test(parts_are_found_by_path),
    };
    return cmocka_run_group_tests(tests, open_catalogue, close_catalogue);
}
