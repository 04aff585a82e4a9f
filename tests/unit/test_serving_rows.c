/* Rows of the serving schema: settings of a run's recipe act on its prediction. */
#include "support.h"

#include "validate/validate.h"

#define HEAD                                                                                                           \
    "id,source,model,system,gpus,tp,precision,engine,arrival,concurrency,input_len,output_len,length_ratio,requests,"  \
    "memory_frac,distinct_prompts,power_limit_w,metric,stat,value\n"
#define LOOP ",test,llama3.1-8b,h100-sxm,1,1,bf16,vllm-0.12,closed,64,4000,200,0.8,1280,"

/* Ten distinct prompts are computed ten times and found 1,270 times, so that the service is one that only decodes. Half
 * of the power makes steps with prompts, which compute, longer. Two fifths of the memory hold no 64 sequences. */
static void recipes_act(void **state)
{
    struct world *w = *state;
    struct orr_validation *v =
        validate_csv(w, HEAD "plain" LOOP ",,,ttft_s,mean,1\nrepeat" LOOP ",10,,ttft_s,mean,1\n"
                             "low" LOOP ",,350,ttft_s,mean,1\nsmall" LOOP "0.4,,,ttft_s,mean,1\n");
    assert_int_equal(v->n_scores, 4);
    for (size_t i = 0; i < 4; i++) {
        print_message("# %s: TTFT %.3f s %s\n", v->scores[i].id, v->scores[i].predicted, v->scores[i].skipped);
        assert_string_equal(v->scores[i].skipped, "");
    }
    const double plain_s = v->scores[0].predicted;
    assert_true(v->scores[1].predicted < 0.5 * plain_s);
    assert_true(v->scores[2].predicted > 1.1 * plain_s);
    assert_true(v->scores[3].predicted > 2 * plain_s);
    orr_validation_free(v);
}

/* One user of a small model, whose prompts of 820 to 1,024 tokens keep the host busy longer than the chip: where graphs
 * of so many rows are captured, the host does not count. Runs that drafted tokens have no prediction. */
static void graphs_and_drafts_of_recipes(void **state)
{
    struct world *w = *state;
    struct orr_validation *v = validate_csv(
        w, "id,source,model,system,gpus,tp,precision,engine,arrival,concurrency,input_len,output_len,length_ratio,"
           "requests,graph_sequences,draft_tokens,metric,stat,value\n"
           "plain,test,qwen2.5-0.5b,h100-sxm,1,1,bf16,vllm-0.12,closed,1,1024,200,0.8,20,,,ttft_s,mean,1\n"
           "graphs,test,qwen2.5-0.5b,h100-sxm,1,1,bf16,vllm-0.12,closed,1,1024,200,0.8,20,2048,,ttft_s,mean,1\n"
           "drafts,test,qwen2.5-0.5b,h100-sxm,1,1,bf16,vllm-0.12,closed,1,1024,200,0.8,20,,3,ttft_s,mean,1\n");
    assert_int_equal(v->n_scores, 3);
    print_message("# TTFT %.4f s, in graphs %.4f s\n", v->scores[0].predicted, v->scores[1].predicted);
    assert_true(v->scores[1].predicted > 0);
    assert_true(v->scores[1].predicted < 0.9 * v->scores[0].predicted);
    assert_non_null(strstr(v->scores[2].skipped, "drafted tokens"));
    orr_validation_free(v);
}

/* What the program makes of a value that a run was given differs from row to row, and is one reason. */
static void given_values_are_one_reason(void **state)
{
    struct world *w = *state;
    const struct orr_style style = {.width = 100};
    struct orr_validation *v = validate_csv(
        w, HEAD "a,test,llama3.1-8b,h100-sxm,1,1,bf16,vllm-0.12,saturated,16,500,100,0.8,160,,,,"
                "mean_running_batch,mean,16\nb,test,llama3.1-8b,h100-sxm,1,1,bf16,vllm-0.12,saturated,32,500,100,"
                "0.8,320,,,,mean_running_batch,mean,32\n");
    assert_string_not_equal(v->scores[0].skipped, v->scores[1].skipped);
    char *text = orr_validation_render(v, ORR_FORMAT_TERMINAL, &style);
    assert_non_null(text);
    assert_non_null(strstr(text, "skipped 2    given: the limit of the run\n"));
    free(text);
    orr_validation_free(v);
}

/* 64 requests at once whose answers of 300 tokens end by themselves before 600 run as long as their longest, nearly 600
 * tokens: at about half of the rate. A full engine whose users are not printed has more of them than one. */
static void answers_end_before_their_limit(void **state)
{
    struct world *w = *state;
    struct orr_validation *v = validate_csv(
        w, "id,source,model,system,gpus,tp,precision,engine,arrival,concurrency,input_len,output_len,output_most,"
           "requests,metric,stat,value\n"
           "equal,test,llama3.1-8b,h100-sxm,1,1,bf16,vllm-0.12,closed,64,100,300,,64,output_tokens_per_s,mean,1\n"
           "ended,test,llama3.1-8b,h100-sxm,1,1,bf16,vllm-0.12,closed,64,100,300,600,64,output_tokens_per_s,mean,1\n"
           "one,test,llama3.1-8b,h100-sxm,1,1,bf16,vllm-0.12,closed,1,100,300,,60,output_tokens_per_s,mean,1\n"
           "full,test,llama3.1-8b,h100-sxm,1,1,bf16,vllm-0.12,saturated,,100,300,,,output_tokens_per_s,mean,1\n");
    assert_int_equal(v->n_scores, 4);
    const double equal_per_s = v->scores[0].predicted, ended_per_s = v->scores[1].predicted;
    print_message("# %.0f tokens/s, ended by themselves %.0f, full %.0f\n", equal_per_s, ended_per_s,
                  v->scores[3].predicted);
    assert_true(ended_per_s > 0.45 * equal_per_s);
    assert_true(ended_per_s < 0.65 * equal_per_s);
    assert_true(v->scores[3].predicted > 20 * v->scores[2].predicted);
    orr_validation_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recipes_act),
        cmocka_unit_test(graphs_and_drafts_of_recipes),
        cmocka_unit_test(given_values_are_one_reason),
        cmocka_unit_test(answers_end_before_their_limit),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
