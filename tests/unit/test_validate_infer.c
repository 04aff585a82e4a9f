/* Rows of measurement tables: cells of inference that are no counts, rates of one phase, requests in flight; training
 * that had room. */
#include "support.h"

#include "validate/validate.h"

#define HEADER                                                                                                         \
    "id,model,system,gpus,tp,pp,dp,ep,precision,batch,concurrency,input_len,output_len,metric,value,engine,phase,"     \
    "pass_tokens,"                                                                                                     \
    "batching\n"

static struct orr_validation *validate(struct world *w, const char *rows)
{
    char csv[4096];
    struct orr_validation *validation = NULL;
    struct orr_error error;
    snprintf(csv, sizeof csv, HEADER "%s", rows);
    if (orr_validate(w->catalogue, csv, "test.csv", &validation, &error)) fail_msg("%s", error.text);
    return validation;
}

/* Degrees of zero and words divided by each other would stop the program: they are reasons. */
static void counts_that_are_none_are_reasons(void **state)
{
    struct orr_validation *v =
        validate(*state, "a,llama3-8b,h100-sxm,8,8,0,0,1,bf16,1,,128,128,latency_s,1,vllm,,,\n"
                         "b,llama3-8b,h100-sxm,8,eight,1,1,1,bf16,1,,128,128,latency_s,1,vllm,,,\n"
                         "c,llama3-8b,h100-sxm,8,8,1,1,1,bf16,,,0,,tokens_per_s_per_gpu,1,vllm,prefill,1,\n"
                         "d,llama3-8b,h100-sxm,8,8,1,1,1,bf16,1,,128,1e30,latency_s,1,vllm,,,\n"
                         "e,llama3-8b,h100-sxm,8,8,1,1,1,bf16,1,,128,128,latency_s,12x,vllm,,,\n"
                         "f,llama3-8b,h100-sxm,8,8,1,1,1,bf16,1,,128,127.6,latency_s,1,vllm,,,\n"
                         "g,llama3-8b,h100-sxm,8,8,1,1,1,bf16,1,,128,128,furlongs,1,vllm,,,\n");
    const char *const words[] = {"pp must be a number from 1 to 1000000, not \"0\"",
                                 "tp must be a number from 1 to 1000000, not \"eight\"",
                                 "input_len must be a number from 1 to 1000000, not \"0\"",
                                 "output_len must be a number from 1 to 1000000, not \"1e30\"",
                                 "value must be a positive number, not \"12x\"",
                                 "",
                                 "unknown metric \"furlongs\" (known: latency_s, "};
    for (size_t i = 0; i < COUNT(words); i++)
        if (strncmp(v->scores[i].skipped, words[i], strlen(words[i])) != 0)
            fail_msg("\"%s\" does not say \"%s\"", v->scores[i].skipped, words[i]);
    assert_int_equal(orr_score_stats(v, NULL, NULL).n, 1);
    orr_validation_free(v);
}

/* A pass of 16384 prompt tokens is four prompts of 4096, or one where it holds less than one. */
static void a_prefill_rate_is_one_pass(void **state)
{
    struct orr_validation *v =
        validate(*state, "a,llama3-8b,h100-sxm,1,1,1,1,1,bf16,4,,4096,,prefill_s,1,sglang,,,\n"
                         "b,llama3-8b,h100-sxm,1,1,1,1,1,bf16,,,4096,,tokens_per_s_per_gpu,1,sglang,prefill,16384,\n"
                         "c,llama3-8b,h100-sxm,1,1,1,1,1,bf16,1,,4096,,prefill_s,1,sglang,,,\n"
                         "d,llama3-8b,h100-sxm,1,1,1,1,1,bf16,,,4096,,tokens_per_s_per_gpu,1,sglang,prefill,512,\n"
                         "e,llama3-8b,h100-sxm,1,1,1,1,1,bf16,,,4096,,tokens_per_s_per_gpu,1,sglang,prefil,512,\n"
                         "f,llama3-8b,h100-sxm,1,1,1,1,1,bf16,1,,4096,,tokens_per_s_per_gpu,1,sglang,,,static\n");
    const struct orr_score *s = v->scores;
    /* the rate is of the whole request: one token more than its prompt, which takes far less */
    assert_close(s[1].predicted * s[0].predicted, 4 * 4096, 0.02);
    assert_close(s[3].predicted * s[2].predicted, 4096, 0.02);
    assert_string_equal(s[4].skipped, "phase must be empty or \"prefill\" or \"decode\", not \"prefil\"");
    assert_string_equal(s[5].skipped, "batching must be empty or \"in-flight\", not \"static\"");
    orr_validation_free(v);
}

/* One decode step of 64 sequences on one GPU: their tokens over its time. */
static void a_decode_rate_is_one_step(void **state)
{
    struct orr_validation *v =
        validate(*state, "a,llama3-8b,h100-sxm,1,1,1,1,1,bf16,64,,2000,,decode_step_s,1,sglang,,,\n"
                         "b,llama3-8b,h100-sxm,1,1,1,1,1,bf16,64,,2000,,tokens_per_s_per_gpu,1,sglang,decode,,\n"
                         "c,llama3-8b,h100-sxm,2,1,1,2,1,bf16,64,,2000,,tokens_per_s_per_gpu,1,sglang,decode,,\n");
    assert_close(v->scores[1].predicted, 64 / v->scores[0].predicted, 1e-12);
    assert_close(v->scores[2].predicted, v->scores[1].predicted, 1e-12); /* a replica more: the same per GPU */
    assert_string_equal(v->scores[1].job_class, v->scores[0].job_class);
    orr_validation_free(v);
}

/* A load without a batch is the batch, of all replicas together, until the cache is full. Then requests wait: what is
 * in the system is what leaves it per second times how long it stays (Little). */
static void a_load_fills_the_batch_and_then_waits(void **state)
{
    struct orr_validation *v =
        validate(*state, "a,llama3-8b,h100-sxm,2,1,1,2,1,bf16,8,,500,200,tokens_per_s_per_gpu,1,vllm,,,in-flight\n"
                         "b,llama3-8b,h100-sxm,2,1,1,2,1,bf16,,16,500,200,tokens_per_s_per_gpu,1,vllm,,,\n"
                         "c,llama3-8b,h100-sxm,2,1,1,2,1,bf16,,16,500,200,latency_s,1,vllm,,,\n"
                         "d,llama3-8b,h100-sxm,2,1,1,2,1,bf16,,16,500,200,tpot_s,1,vllm,,,\n"
                         "e,llama3-8b,h100-sxm,2,1,1,2,1,bf16,,,500,200,tokens_per_s_per_gpu,1,vllm,,,\n"
                         "f,llama3-8b,h100-sxm,2,1,1,2,1,bf16,,40000,500,200,tokens_per_s_per_gpu,1,vllm,,,\n"
                         "g,llama3-8b,h100-sxm,2,1,1,2,1,bf16,,40000,500,200,latency_s,1,vllm,,,\n"
                         "h,llama3-8b,h100-sxm,2,1,1,2,1,bf16,,40000,500,200,tpot_s,1,vllm,,,\n"
                         "i,llama3-8b,h100-sxm,2,1,1,2,1,bf16,,40000,500,200,ttft_s,1,vllm,,,\n");
    const struct orr_score *s = v->scores;
    assert_true(s[1].predicted < s[0].predicted && s[1].predicted > 0.9 * s[0].predicted); /* some wait for a prompt */
    assert_close(s[2].predicted * 2 * s[1].predicted, 16 * 200, 1e-6);
    assert_true(s[3].predicted < 8 / s[1].predicted); /* fewer than 8 sequences decode */
    assert_true(s[4].predicted > 2 * s[1].predicted);
    assert_close(s[5].predicted, s[4].predicted, 0.05);
    assert_close(s[6].predicted * 2 * s[5].predicted, 40000 * 200, 1e-6);
    assert_string_equal(s[3].job_class, s[1].job_class);
    orr_validation_free(v);
}

/* Where fewer than one prompt comes to a step, steps that read a whole prompt are rare: a request alone decodes as in a
 * batch of one, and its rate is that of one prompt and 2000 tokens, however long the prompt. */
static void prompts_are_read_whole(void **state)
{
    struct orr_validation *v =
        validate(*state, "a,llama3-8b,h100-sxm,1,1,1,1,1,bf16,,1,8000,2000,tpot_s,1,tensorrt-llm-0.9,,,\n"
                         "b,llama3-8b,h100-sxm,1,1,1,1,1,bf16,1,,9000,,decode_step_s,1,tensorrt-llm-0.9,,,\n"
                         "c,llama3-8b,h100-sxm,1,1,1,1,1,bf16,,1,8000,2000,tokens_per_s_per_gpu,1,tensorrt-llm-0.9,,,\n"
                         "d,llama3-8b,h100-sxm,1,1,1,1,1,bf16,1,,8000,,prefill_s,1,tensorrt-llm-0.9,,,\n");
    const struct orr_score *s = v->scores;
    assert_close(s[0].predicted, s[1].predicted, 2e-2); /* times of steps are interpolated under load */
    assert_close(2000 / s[2].predicted, s[3].predicted + 2000 * s[0].predicted, 1e-2);
    orr_validation_free(v);
}

/* The tool that fills the batch itself is told how many requests there are. */
static void a_load_bounds_a_run_of_the_tool(void **state)
{
    struct orr_validation *v =
        validate(*state, "a,llama3-70b,h200-sxm,2,2,1,,,fp8,,,1024,1024,tokens_per_s_per_gpu,1,tensorrt-llm-1.2,,,\n"
                         "b,llama3-70b,h200-sxm,2,2,1,,,fp8,,4,1024,1024,tokens_per_s_per_gpu,1,tensorrt-llm-1.2,,,\n");
    assert_true(v->scores[1].predicted * 10 < v->scores[0].predicted);
    orr_validation_free(v);
}

/* Nothing scored is nothing known: no bar is met by it. */
static void no_score_has_no_mean(void **state)
{
    struct orr_validation *v = validate(*state, "a,none,h100-sxm,1,1,1,1,1,bf16,1,,128,128,latency_s,1,vllm,,,\n");
    assert_true(isnan(orr_validation_mape_frac(v)));
    orr_validation_free(v);
}

/* Eight sequences of 4096 tokens keep 195 GiB per GPU without recomputation (34·s·b·h per layer and the logits say
 * 32 · 34 · 4096 · 8 · 4096 B = 143 GiB without attention's own), on 80: a run of it that was measured recomputed. */
static void a_run_that_was_measured_had_room(void **state)
{
    static const char *const CELLS[] = {"none", "full", ""};
    double predicted[2][COUNT(CELLS)];
    for (size_t i = 0; i < 2 * COUNT(CELLS); i++) {
        char csv[512];
        struct orr_validation *v = NULL;
        struct orr_error error;
        snprintf(csv, sizeof csv,
                 "model,system,gpus,zero,seq,micro_batch,global_batch,recompute,engine,metric,value\n"
                 "llama2-7b,a100-80g-sxm,4,3,4096,%d,32,%s,pytorch-fsdp1,step_time_s,10.4\n",
                 i < COUNT(CELLS) ? 8 : 1, CELLS[i % COUNT(CELLS)]);
        struct world *w = *state;
        if (orr_validate(w->catalogue, csv, "test.csv", &v, &error)) fail_msg("%s", error.text);
        predicted[i / COUNT(CELLS)][i % COUNT(CELLS)] = v->scores[0].predicted;
        orr_validation_free(v);
    }
    assert_close(predicted[0][2], predicted[0][1], 1e-9);
    assert_true(predicted[0][1] > 1.15 * predicted[0][0]); /* one forward pass of three more */
    assert_close(predicted[1][2], predicted[1][0], 1e-9);  /* one sequence has room without */
}

/* A time or a rate is of tokens that a row must have: what lacks them is a reason, and no prediction of 0. A prompt and
 * one step have none to answer, and sources that print only answers are assumed to ask like others. */
static void lengths_that_are_missing_are_reasons(void **state)
{
    static const struct {
        const char *cells, *why;
    } CASES[] = {
        {"1,,,,tpot_s,1,vllm,,,", "tpot_s needs output_len, a number from 2"},
        {"1,,128,1,tpot_s,1,vllm,,,", "tpot_s needs output_len, a number from 2"},
        {",16,128,,tpot_s,1,vllm,,,", "tpot_s needs output_len, a number from 2"},
        {"1,,128,,latency_s,1,vllm,,,", "latency_s needs output_len, a number from 1"},
        {"1,,128,,tokens_per_s_per_gpu,1,vllm,,,", "tokens_per_s_per_gpu needs output_len, a number from 1"},
        {",16,128,,ttft_s,1,vllm,,,", "ttft_s needs output_len, a number from 1"},
        {"1,,,128,ttft_s,1,vllm,,,", "ttft_s needs input_len, a number from 1"},
        {"1,,,128,prefill_s,1,vllm,,,", "prefill_s needs input_len, a number from 1"},
        {"1,,,128,decode_step_s,1,vllm,,,", "decode_step_s needs input_len, a number from 1"},
        {"1,,,128,tokens_per_s_per_gpu,1,vllm,decode,,", "tokens_per_s_per_gpu needs input_len, a number from 1"},
        {"1,,128,,ttft_s,1,vllm,,,", ""},
        {"1,,128,2,tpot_s,1,vllm,,,", ""},
        {"1,,,128,tokens_per_s_per_gpu,1,vllm,,,", ""},
    };
    for (size_t i = 0; i < COUNT(CASES); i++) {
        char row[256];
        snprintf(row, sizeof row, "a,llama3-8b,h100-sxm,1,1,1,1,1,bf16,%s\n", CASES[i].cells);
        struct orr_validation *v = validate(*state, row);
        if (strcmp(v->scores[0].skipped, CASES[i].why) != 0)
            fail_msg("%s: \"%s\", not \"%s\"", CASES[i].cells, v->scores[0].skipped, CASES[i].why);
        assert_true(CASES[i].why[0] || v->scores[0].predicted > 0);
        orr_validation_free(v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_that_are_none_are_reasons),
        cmocka_unit_test(a_prefill_rate_is_one_pass),
        cmocka_unit_test(a_decode_rate_is_one_step),
        cmocka_unit_test(a_load_fills_the_batch_and_then_waits),
        cmocka_unit_test(prompts_are_read_whole),
        cmocka_unit_test(a_load_bounds_a_run_of_the_tool),
        cmocka_unit_test(no_score_has_no_mean),
        cmocka_unit_test(a_run_that_was_measured_had_room),
        cmocka_unit_test(lengths_that_are_missing_are_reasons),
    };
    return cmocka_run_group_tests_name("validate_infer", tests, open_world, close_world);
}
