/* Offline runs of a benchmark tool: its own limits by hand, and runs against the steps they are made of. */
#include "serving.h"
#include "validate/offline.h"

static void read_llama(struct world *w, int input_len, int output_len)
{
    read_job(w,
             "{'kind':'infer','model':'llama3-70b','system':'h200-sxm','gpus':2,'plan':{'tp':2},'workload':{'engine':"
             "'tensorrt-llm-1.2','precision':'fp8','kv_precision':'fp8','input_len':%d,'output_len':%d}}",
             input_len, output_len);
    w->job.engine.budget_frac = ORR_BENCH_BUDGET_FRAC;
}

/* 2 x 143771 MiB less 70553706496 bytes, times 0.95, over 2 x 80 x 8 x 128 bytes a token: 653.9 sequences of 2048
 * tokens, 6 x 128 after rounding; 1308 tokens a step, at least 2048. 33792 tokens: 39.6, at least 64, and a prompt
 * beside 64 sequences. */
static void the_tool_estimates_its_limits(void **state)
{
    struct world *w = *state;
    read_llama(w, 1024, 1024);
    struct orr_offline run = orr_offline_bench(&w->job, 10000);
    assert_int_equal(run.requests, 3000);
    assert_int_equal(run.max_batch, 768);
    assert_int_equal(run.max_step_tokens, 2048);
    assert_int_equal(orr_offline_bench(&w->job, 600).max_batch, 600); /* what fits is less */
    read_llama(w, 32768, 1024);
    run = orr_offline_bench(&w->job, 10000);
    assert_int_equal(run.requests, 1000);
    assert_int_equal(run.max_batch, 64);
    assert_int_equal(run.max_step_tokens, 32832);
}

static void unknown_formats_run_with_the_engine_s_limits(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'infer','model':'gpt-oss-20b','system':'h200-sxm','workload':{'engine':'tensorrt-llm-1.2',"
                "'precision':'fp4','input_len':8000,'output_len':1000}}");
    const struct orr_offline run = orr_offline_bench(&w->job, 10000);
    assert_int_equal(run.requests, 1500); /* the nearest published lengths: 8192 and 1024 */
    assert_int_equal(run.max_batch, 2048);
    assert_int_equal(run.max_step_tokens, 10048); /* a whole prompt beside a full batch: 8192 is too few */
}

/* Three sequences join in one step; then 49 graphs of four rows, one of them a dummy, contexts 101 ... 149. */
static void a_run_is_its_steps(void **state)
{
    struct world *w = *state;
    read_llama(w, 100, 50);
    struct orr_step_model *model = orr_step_model_new(&w->job);
    assert_non_null(model);
    const struct orr_step prompts = {.prefill_tokens = 300, .prefill_sequences = 3};
    double run_s = orr_step_time(model, &prompts);
    for (int64_t context = 101; context < 150; context++) {
        const struct orr_step step = {.decode_sequences = 3, .decode_context = 3 * context, .padding_rows = 1};
        run_s += orr_step_time(model, &step);
    }
    orr_step_model_free(model);
    const struct orr_offline run = {.requests = 3, .max_batch = 8, .max_step_tokens = 1000};
    assert_close(orr_offline_s(&w->job, &run), run_s, 1e-5);
}

/* Two at a time, all of one length: the second pair joins when the first has left. */
static void waves_follow_each_other(void **state)
{
    struct world *w = *state;
    read_llama(w, 100, 50);
    const struct orr_offline one = {.requests = 2, .max_batch = 2, .max_step_tokens = 1000};
    const struct orr_offline three = {.requests = 6, .max_batch = 2, .max_step_tokens = 1000};
    const double wave_s = orr_offline_s(&w->job, &one);
    assert_close(orr_offline_s(&w->job, &three), 3 * wave_s, 1e-12);
    w->job.plan.dp = 3; /* replicas share the requests */
    assert_close(orr_offline_s(&w->job, &three), wave_s, 1e-12);
}

/* A step takes whole prompts only: 250 tokens are two of 100, and while two decode still two. */
static void prompts_wait_for_room_in_a_step(void **state)
{
    struct world *w = *state;
    read_llama(w, 100, 50);
    struct orr_step_model *model = orr_step_model_new(&w->job);
    assert_non_null(model);
    const struct orr_step first = {.prefill_tokens = 200, .prefill_sequences = 2};
    const struct orr_step second = {
        .prefill_tokens = 200, .prefill_sequences = 2, .decode_sequences = 2, .decode_context = 202};
    const double both_s = orr_step_time(model, &first) + orr_step_time(model, &second);
    orr_step_model_free(model);
    w->job.serving.output_len = 2; /* the second step ends the first pair, one graph of two the second */
    struct orr_offline run = {.requests = 4, .max_batch = 4, .max_step_tokens = 250};
    const double run_s = orr_offline_s(&w->job, &run);
    w->job.serving.output_len = 1;
    run.requests = 2;
    const double prompt_s = orr_offline_s(&w->job, &run);
    assert_true(run_s > both_s && run_s < both_s + prompt_s);
}

/* Two join, then two more beside them, then three decode steps of four: the first pair's contexts grow by one while the
 * second joins. A slow cache makes every token of context count. */
static void contexts_grow_while_prompts_join(void **state)
{
    struct world *w = *state;
    read_llama(w, 100, 5);
    w->job.calibration.decode[w->job.engine.decode_kernel][1].dram_frac *= 1e-4;
    struct orr_step_model *model = orr_step_model_new(&w->job);
    assert_non_null(model);
    const struct orr_step steps[] = {
        {.prefill_tokens = 200, .prefill_sequences = 2},
        {.prefill_tokens = 200, .prefill_sequences = 2, .decode_sequences = 2, .decode_context = 2 * 101},
        {.decode_sequences = 4, .decode_context = 2 * 102 + 2 * 101},
        {.decode_sequences = 4, .decode_context = 2 * 103 + 2 * 102},
        {.decode_sequences = 4, .decode_context = 2 * 104 + 2 * 103},
        {.decode_sequences = 2, .decode_context = 2 * 104},
    };
    double run_s = 0;
    for (size_t i = 0; i < COUNT(steps); i++) run_s += orr_step_time(model, &steps[i]);
    orr_step_model_free(model);
    const struct orr_offline run = {.requests = 4, .max_batch = 4, .max_step_tokens = 250};
    assert_close(orr_offline_s(&w->job, &run), run_s, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tool_estimates_its_limits),
        cmocka_unit_test(unknown_formats_run_with_the_engine_s_limits),
        cmocka_unit_test(a_run_is_its_steps),
        cmocka_unit_test(waves_follow_each_other),
        cmocka_unit_test(prompts_wait_for_room_in_a_step),
        cmocka_unit_test(contexts_grow_while_prompts_join),
    };
    return cmocka_run_group_tests_name("offline", tests, open_world, close_world);
}
