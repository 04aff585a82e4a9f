/* Limits that engines have on some chips: which entry counts, and what a request may override. */
#include "support.h"

#include "spec/spec.h"

static struct orr_engine engine_with(const struct world *world, const char *id)
{
    struct orr_engine engine;
    struct orr_error error;
    if (orr_engine_read(world->catalogue, id, &engine, &error)) fail_msg("%s", error.text);
    return engine;
}

static struct orr_chip chip_named(const char *id, double gib)
{
    struct orr_chip chip = {.hbm_bytes = gib * 1024 * 1024 * 1024};
    (void)snprintf(chip.id, sizeof chip.id, "%s", id);
    return chip;
}

/* vLLM 0.9 and later, engine/arg_utils.py: 1024 sequences and 8192 tokens on GPUs with at least 70 GiB that are not
 * called A100, else 256 and 2048. */
static void vllm_decides_by_memory_and_name(void **state)
{
    static const struct {
        const char *id, *engine;
        double gib;
        int64_t requests, tokens;
    } CASES[] = {{"h100-sxm-80gb", "vllm-0.11", 79.6, 1024, 8192}, {"a100-sxm-80gb", "vllm-0.11", 80, 256, 2048},
                 {"a100-sxm-80gb", "vllm", 80, 1024, 8192},        {"l40s-48gb", "vllm", 45, 256, 2048},
                 {"h100-sxm-80gb", "vllm-0.6", 79.6, 256, 0},      {"l40s-48gb", "vllm-0.6", 45, 256, 0},
                 {"a800-sxm-80gb", "vllm-0.11", 80, 1024, 8192},   {"edge", "vllm-0.11", 70, 1024, 8192}};
    for (size_t i = 0; i < COUNT(CASES); i++) {
        const struct orr_chip chip = chip_named(CASES[i].id, CASES[i].gib);
        struct orr_engine engine = engine_with(*state, CASES[i].engine);
        orr_engine_fit_chip(&engine, &chip);
        assert_int_equal(engine.max_requests, CASES[i].requests);
        assert_int_equal(engine.max_step_tokens, CASES[i].tokens);
    }
}

/* Without a limit of its own a step of vLLM 0.6 holds as many tokens as the model's longest context, and no fewer than
 * 2048. A limit that is set stands, and an engine without the rule has none. */
static void the_longest_context_limits_a_step(void **state)
{
    static const struct {
        const char *engine;
        int64_t set, longest, tokens;
    } CASES[] = {{"vllm-0.6", 0, 4096, 4096}, {"vllm-0.6", 0, 1024, 2048},    {"vllm-0.6", 768, 4096, 768},
                 {"vllm-0.6", 0, 0, 0},       {"fastertransformer", 0, 4096, 0}};
    for (size_t i = 0; i < COUNT(CASES); i++) {
        struct orr_model model = {.max_seq = CASES[i].longest};
        struct orr_engine engine = engine_with(*state, CASES[i].engine);
        engine.max_step_tokens = CASES[i].set;
        orr_engine_fit_model(&engine, &model);
        assert_int_equal(engine.max_step_tokens, CASES[i].tokens);
    }
}

/* An engine that was on one chip has no trace of it on the next; entries leave alone what they do not state. */
static void limits_are_those_of_the_last_chip(void **state)
{
    const struct orr_chip small = chip_named("l40s-48gb", 45), large = chip_named("h100-sxm-80gb", 79.6);
    struct orr_engine engine = engine_with(*state, "sglang-0.5");
    const int64_t requests = engine.max_requests;
    orr_engine_fit_chip(&engine, &small);
    assert_int_equal(engine.max_step_tokens, 4096);
    assert_int_equal(engine.graph_sequences, 32);
    orr_engine_fit_chip(&engine, &large);
    assert_int_equal(engine.max_step_tokens, 8192);
    assert_int_equal(engine.graph_sequences, 256);
    assert_close(engine.budget_frac, 1 - 13440 / 81559., 2e-3); /* 512 + 1.5 x 8192 + 2 x 256 + 128 MiB of 81559 */
    assert_int_equal(engine.max_requests, requests);
}

/* What a request sets is meant for the chip of the request. */
static void a_request_overrides_them(void **state)
{
    struct world *world = *state;
    read_job(world, "{'kind':'infer','model':'llama3-8b','system':'a100-80g-sxm','plan':{},'workload':{'batch':1,"
                    "'input_len':128,'output_len':8,'engine':'vllm-0.11'},'set':{'engine.max_requests':700}}");
    assert_int_equal(world->job.engine.max_requests, 700);
    assert_int_equal(world->job.engine.max_step_tokens, 2048);
}

/* A list that cannot be read is refused with its place. */
static void bad_limits_are_refused(void **state)
{
    struct world *world = *state;
    struct orr_error error;
    static const char *const BAD[][2] = {
        {"3", "limits: must be an array of at most 7 objects"},
        {"[{'max_request':3}]", "unknown key \"engine.limits.0.max_request\" (did you mean \"max_requests\"?)"},
        {"[{'budget_frac':3}]", "limits.0.budget_frac: must be"}};
    for (size_t i = 0; i < COUNT(BAD); i++) {
        char request[512];
        (void)snprintf(request, sizeof request,
                       "{'kind':'infer','model':'llama3-8b','system':'h100-sxm','plan':{},'workload':{'batch':1,"
                       "'input_len':128,'output_len':8,'engine':'vllm'},'set':{'engine.limits':%s}}",
                       BAD[i][0]);
        assert_int_equal(try_job(world, request, &error), ORR_ERR_INPUT);
        if (!strstr(error.text, BAD[i][1])) fail_msg("%s", error.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vllm_decides_by_memory_and_name),
        cmocka_unit_test(the_longest_context_limits_a_step),
        cmocka_unit_test(limits_are_those_of_the_last_chip),
        cmocka_unit_test(a_request_overrides_them),
        cmocka_unit_test(bad_limits_are_refused),
    };
    return cmocka_run_group_tests_name("engine_limits", tests, open_world, close_world);
}
