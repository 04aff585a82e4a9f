/* What a fit reads: what a log does not say, rows that are wrong, and the version of its parent. */
#include "support.h"

#include "calibrate/stack_fit.h"
#include "predict/interval.h"

#include <math.h>

static bool has_note(const struct orr_stack *stack, const char *text)
{
    for (size_t i = 0; i < stack->n_notes; i++)
        if (strstr(stack->notes[i], text)) return true;
    return false;
}

/* The name of a family means another version when the catalogue grows: the fit and its file name today's. Runs under
 * load whose table names no engine are taken for vLLM, as others are. */
static void the_parent_is_a_version(void **state)
{
    struct world *world = *state;
    static const struct {
        const char *asked, *run, *parent;
    } cases[] = {
        {"megatron", "model=llama2-7b,system=h100-sxm,gpus=8,zero=1,global_batch=128:step_time_s=9",
         "megatron-core-2025-plain"},
        {"hf", "model=llama2-7b,system=h100-sxm,gpus=1,batch=4,input_len=512,output_len=128:latency_s=4",
         "transformers-4"},
        {NULL, "model=llama2-7b,system=h100-sxm,gpus=1,batch=4,input_len=512,output_len=128:latency_s=1.2", "vllm"},
        {NULL,
         "model=llama2-7b,system=h100-sxm,gpus=1,arrival=closed,stat=mean,concurrency=4,input_len=512,output_len=128:"
         "tpot_s=0.008",
         "vllm"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct orr_stack *stack;
        struct orr_error error;
        if (orr_stack_open(world->catalogue, cases[i].asked, &stack, &error)) fail_msg("%s", error.text);
        if (orr_stack_add_run(stack, cases[i].run, &error)) fail_msg("%s", error.text);
        if (orr_stack_run(stack, &error)) fail_msg("%s", error.text);
        assert_string_equal(stack->names[0], cases[i].parent);
        orr_stack_close(stack);
    }
}

static void what_a_log_does_not_say_is_named(void **state)
{
    struct world *world = *state;
    struct orr_stack *stack;
    struct orr_error error;
    char *text = read_text("tests/unit/fixtures/logs/nemo.log");
    if (orr_stack_open(world->catalogue, "megatron-core-2025", &stack, &error)) fail_msg("%s", error.text);
    assert_int_equal(orr_stack_add(stack, text, "nemo.log", &error), ORR_ERR_INPUT);
    assert_non_null(strstr(error.text, "nemo.log: a NeMo log does not say model, system"));
    if (orr_stack_put(stack, "model=llama2-7b,system=h100-sxm,gpus=8,seq=4096", &error)) fail_msg("%s", error.text);
    orr_stack_skip(stack, 1);
    if (orr_stack_add(stack, text, "nemo.log", &error)) fail_msg("%s", error.text);
    if (orr_stack_run(stack, &error)) fail_msg("%s", error.text);
    assert_int_equal(stack->n_chosen, 1);
    assert_false(has_note(stack, "so that all count"));
    orr_stack_close(stack);
    if (orr_stack_open(world->catalogue, "megatron-core-2025", &stack, &error)) fail_msg("%s", error.text);
    if (orr_stack_put(stack, "model=llama2-7b,system=h100-sxm,gpus=8,seq=4096", &error)) fail_msg("%s", error.text);
    orr_stack_skip(stack, 1000);
    if (orr_stack_add(stack, text, "nemo.log", &error)) fail_msg("%s", error.text);
    assert_true(has_note(stack, "comes after the first 1000 (--skip), so that all count"));
    orr_stack_close(stack);
    free(text);
}

/* What is wrong with a row is said to the end, where the nearest match is. */
static void a_bad_row_is_named_whole(void **state)
{
    struct world *world = *state;
    static const char RUNS[] = "id,model,system,gpus,zero,global_batch,recompute,metric,value\n"
                               "good,llama2-7b,h100-sxm,8,1,128,full,step_time_s,7.3\n"
                               "bad,llama2-7b,h100-sxm,8,1,128,selectiv,step_time_s,7.3\n";
    struct orr_stack *stack;
    struct orr_error error;
    if (orr_stack_open(world->catalogue, "megatron-core-2025", &stack, &error)) fail_msg("%s", error.text);
    if (orr_stack_add(stack, RUNS, "rows.csv", &error)) fail_msg("%s", error.text);
    if (orr_stack_run(stack, &error)) fail_msg("%s", error.text);
    assert_true(has_note(stack, "not \"selectiv\" (did you mean \"selective\"?)"));
    orr_stack_close(stack);
}

/* GPT-3 with 18 bytes per parameter over 8 GPUs of 80 GB needs five times what they have: such a row is a mistake, and
 * no outlier. Llama-2-13B with 16 bytes on 2 is only somewhat too large, and predictions of memory have errors. Rows of
 * memory are named. */
static void runs_that_cannot_be_are_left_out(void **state)
{
    struct world *w = *state;
    struct orr_stack *stack;
    struct orr_error error;
    if (orr_stack_open(w->catalogue, "megatron-core-2025", &stack, &error)) fail_msg("%s", error.text);
    static const char CSV[] = "id,model,system,gpus,tp,pp,zero,seq,micro_batch,global_batch,recompute,metric,value\n"
                              "small,llama2-7b,h100-sxm,8,1,1,1,4096,1,128,full,step_time_s,7.3\n"
                              "large,gpt3-175b,h100-sxm,8,8,1,1,2048,1,8,full,step_time_s,7.3\n"
                              "near,llama2-13b,h100-sxm,2,2,1,0,4096,1,16,full,step_time_s,9\n"
                              "small,llama2-7b,h100-sxm,8,1,1,1,4096,1,128,full,peak_memory_gib,40\n"
                              "other,llama2-7b,h100-sxm,8,2,1,1,4096,1,128,full,peak_memory_gib,30\n";
    if (orr_stack_add(stack, CSV, "runs.csv", &error)) fail_msg("%s", error.text);
    if (orr_stack_run(stack, &error)) fail_msg("%s", error.text);
    assert_int_equal(stack->n_chosen, 2);
    assert_true(has_note(stack, "large not used: does not fit: needs "));
    assert_true(has_note(stack, "small and 1 more rows not used: are memory, which tells nothing about time"));
    orr_stack_close(stack);
}

/* A step time, and the rates that follow from it, are one run; so is a row that is there twice. Two runs that were
 * measured alike are two. */
static void a_run_counts_once(void **state)
{
    struct world *world = *state;
    static const char HEAD[] = "id,model,system,gpus,zero,seq,micro_batch,global_batch,recompute,metric,value\n";
    static const char RUNS[] = "a,llama2-7b,h100-sxm,8,1,4096,1,128,full,tokens_per_s_per_gpu,8977\n"
                               "a,llama2-7b,h100-sxm,8,1,4096,1,128,full,step_time_s,7.3\n"
                               "b,llama2-7b,h100-sxm,16,1,4096,1,128,full,tokens_per_s_per_gpu,8800\n"
                               "c,llama2-7b,h100-sxm,8,1,4096,1,128,full,step_time_s,7.3\n"
                               "a,llama2-7b,h100-sxm,8,1,4096,1,128,full,step_time_s,7.3\n";
    char text[1000];
    struct orr_stack *stack;
    struct orr_error error;
    (void)snprintf(text, sizeof text, "%s%s", HEAD, RUNS);
    if (orr_stack_open(world->catalogue, "megatron-core-2025", &stack, &error)) fail_msg("%s", error.text);
    if (orr_stack_add(stack, text, "runs.csv", &error)) fail_msg("%s", error.text);
    if (orr_stack_add(stack, text, "again.csv", &error)) fail_msg("%s", error.text);
    if (orr_stack_run(stack, &error)) fail_msg("%s", error.text);
    assert_int_equal(stack->n_chosen, 3);
    assert_true(has_note(stack, "a not used: another value of its run counts"));
    assert_true(has_note(stack, "a not used: the same run is there before"));
    orr_stack_close(stack);
}

/* What a log knows counts, but a server may call its model as it likes. */
static void a_log_knows_more_than_its_user(void **state)
{
    struct world *world = *state;
    static const char RESULT[] = "{'completed':64,'total_input_tokens':65536,'total_output_tokens':16384,"
                                 "'mean_tpot_ms':12.5,'mean_ttft_ms':120,'max_concurrency':32,'backend':'vllm',"
                                 "'model_id':'/models/ours'}";
    static const char WITH[] = "model=llama3-8b,system=h100-sxm,gpus=1,concurrency=8";
    char text[400];
    struct orr_stack *stack;
    struct orr_error error;
    snprintf(text, sizeof text, "%s", RESULT);
    for (char *c = text; *c; c++)
        if (*c == '\'') *c = '"';
    if (orr_stack_open(world->catalogue, NULL, &stack, &error)) fail_msg("%s", error.text);
    if (orr_stack_put(stack, WITH, &error)) fail_msg("%s", error.text);
    if (orr_stack_add(stack, text, "a/x.json", &error)) fail_msg("%s", error.text);
    if (orr_stack_run(stack, &error)) fail_msg("%s", error.text);
    assert_string_equal(stack->engines[0]->runs[stack->chosen[0]].job.model.id, "llama3-8b");
    assert_true(has_note(stack, "x.json: its own concurrency counts, 32, and not the one of --with, 8"));
    orr_stack_close(stack);
}

/* The GPUs of a row that does not say them are those that its degrees need. */
static void gpus_follow_the_degrees(void **state)
{
    struct world *world = *state;
    static const char RUNS[] = "id,model,system,tp,dp,batch,input_len,output_len,metric,value\n"
                               "a,llama3-8b,h100-sxm,4,,16,512,128,latency_s,0.6\n"
                               "b,llama3-8b,h100-sxm,2,2,16,512,128,latency_s,0.8\n";
    struct orr_stack *stack;
    struct orr_error error;
    if (orr_stack_open(world->catalogue, "vllm", &stack, &error)) fail_msg("%s", error.text);
    if (orr_stack_add(stack, RUNS, "runs.csv", &error)) fail_msg("%s", error.text);
    if (orr_stack_run(stack, &error)) fail_msg("%s", error.text);
    assert_int_equal(stack->n_chosen, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct orr_job *job = &stack->engines[0]->runs[stack->chosen[i]].job;
        assert_int_equal(job->plan.gpus, 4);
        assert_int_equal(job->plan.tp, stack->chosen[i] == 0 ? 4 : 2);
    }
    orr_stack_close(stack);
}

/* Runs of a fit say nothing about what a first token under load takes besides its steps: handling and admission. */
static void first_tokens_stay_unsure(void **state)
{
    struct world *world = *state;
    const struct orr_exposure none = {.bound_frac = {0}};
    read_job(world, "{'kind':'infer','model':'llama3-8b','system':'h100-sxm','workload':{'engine':'vllm','batch':8,"
                    "'input_len':512,'output_len':128},'set':{'engine.fit_runs':3,'engine.fit_within_frac':0.05}}");
    (void)snprintf(world->job.engine.id, sizeof world->job.engine.id, "mine");
    const struct orr_interval step = orr_interval_of(&world->job, ORR_REGIME_IN_FLIGHT, &none);
    const struct orr_interval first = orr_interval_of(&world->job, ORR_REGIME_SERVE_FIRST, &none);
    assert_true(step.measured && !first.measured);
    assert_true(log(step.high / step.low) < 0.2 && log(first.high / first.low) > 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_parent_is_a_version),  cmocka_unit_test(what_a_log_does_not_say_is_named),
        cmocka_unit_test(a_bad_row_is_named_whole), cmocka_unit_test(runs_that_cannot_be_are_left_out),
        cmocka_unit_test(a_run_counts_once),        cmocka_unit_test(a_log_knows_more_than_its_user),
        cmocka_unit_test(gpus_follow_the_degrees),  cmocka_unit_test(first_tokens_stay_unsure),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
