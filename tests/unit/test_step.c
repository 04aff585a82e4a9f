/* The step model of serving simulators: its steps are the passes of an inference job, they grow with their work, a
 * mixed step lies between the larger of its parts and their sum. */
#include "serving.h"

static const struct {
    const char *model, *system, *engine, *precision;
    int tp, dp, ep;
} JOBS[] = {
    {"llama3-8b", "h100-sxm", "vllm", "bf16", 1, 1, 1},
    {"llama2-70b", "h100-sxm", "tensorrt-llm-1.2", "fp8", 8, 1, 1},
    {"llama2-13b", "a100-80g-sxm", "sglang", "fp16", 2, 1, 1},
    {"gemma3-12b", "h200-sxm", "vllm", "bf16", 2, 1, 1},
    {"mixtral-8x7b", "h100-sxm", "vllm", "bf16", 4, 1, 1},
    {"gpt-oss-120b", "h200-sxm", "vllm", "bf16", 2, 1, 1},
    {"deepseek-v3", "h200-sxm", "tensorrt-llm-1.2", "fp8", 8, 1, 1},
    {"deepseek-v3", "h200-sxm", "vllm", "fp8", 1, 32, 32},
    {"llama3-8b", "h200-sxm", "pytorch-eager-cudagraph", "bf16", 1, 1, 1},
    {"llama3-8b", "h200-sxm", "pytorch-eager-stream", "bf16", 1, 1, 1},
    {"llama2-7b", "h100-sxm", "tensorrt-llm-nemo", "bf16", 1, 1, 1},
    {"qwen3-next-80b-a3b", "h200-sxm", "vllm", "bf16", 2, 1, 1},
    {"nvidia-nemotron-nano-9b-v2", "h100-sxm", "vllm", "bf16", 2, 1, 1},
    {"falcon-h1-0.5b", "h100-sxm", "vllm", "bf16", 1, 1, 1},
    {"deepseek-v3.2", "h200-sxm", "vllm", "fp8", 8, 1, 1},
    {"kimi-linear-48b-a3b", "h200-sxm", "vllm", "bf16", 4, 1, 1},
    {"deepseek-v4-flash", "h200-sxm", "vllm", "fp8", 8, 1, 1},
    {"gemma-4-e4b", "h100-sxm", "vllm", "bf16", 1, 1, 1},
    {"mamba-370m", "h100-sxm", "vllm", "bf16", 1, 1, 1},
    {"llama-3.2-11b-vision", "h100-sxm", "vllm", "bf16", 1, 1, 1},
};

/* The i-th job, and its step model. */
static struct orr_step_model *open_model(struct world *w, size_t i)
{
    read_job(w,
             "{'kind':'infer','model':'%s','system':'%s','plan':{'tp':%d,'dp':%d,'ep':%d},'workload':{'engine':'%s',"
             "'precision':'%s','input_len':200,'output_len':200}}",
             JOBS[i].model, JOBS[i].system, JOBS[i].tp, JOBS[i].dp, JOBS[i].ep, JOBS[i].engine, JOBS[i].precision);
    struct orr_step_model *model = orr_step_model_new(&w->job);
    assert_non_null(model);
    return model;
}

static double step_s(struct orr_step_model *model, int64_t tokens, int64_t prompts, int64_t cached, int64_t sequences,
                     int64_t contexts)
{
    const struct orr_step step = {.prefill_tokens = tokens,
                                  .prefill_sequences = prompts,
                                  .prefill_context = cached,
                                  .decode_sequences = sequences,
                                  .decode_context = contexts};
    return orr_step_time(model, &step);
}

/* ---------------------------------------------------------------- steps are passes */

/* One decode step of B sequences at context x: the second of two tokens after x - 1. Both settle the clock of their own
 * load, the job in two rounds, the step model by interpolation: equal to 1e-9 at the burst clock, else within 2 %. */
static void a_decode_step_is_a_pass(void **state)
{
    struct world *w = *state;
    for (size_t i = 0; i < COUNT(JOBS); i++) {
        struct orr_step_model *model = open_model(w, i);
        double worst = 0;
        for (int batch = 1; batch <= 256; batch *= 4)
            for (int context = 2; context <= 20000; context = context * 5 + 1) {
                w->job.serving.batch = batch;
                w->job.serving.input_len = context - 1;
                w->job.serving.output_len = 2;
                const double pass_s = infer(w, &w->job).decode_s;
                const double time_s = step_s(model, 0, 0, 0, batch, (int64_t)batch * context);
                worst = fmax(worst, fabs(time_s / pass_s - 1));
                if (fabs(time_s / pass_s - 1) > 0.02)
                    fail_msg("%s, %s, batch %d, context %d: step %.9g s, pass %.9g s", JOBS[i].model, JOBS[i].engine,
                             batch, context, time_s, pass_s);
            }
        print_message("# %s, %s: decode steps within %.2e of the pass\n", JOBS[i].model, JOBS[i].engine, worst);
        orr_step_model_free(model);
        w->job.engine.short_run = true; /* no power limit */
        w->job.calibration.gemm[w->job.serving.matrix].sustained_frac =
            w->job.calibration.gemm[w->job.serving.matrix].burst_frac;
        model = orr_step_model_new(&w->job);
        w->job.serving.batch = 32;
        w->job.serving.input_len = 999;
        const double pass_s = infer(w, &w->job).decode_s;
        const double time_s = step_s(model, 0, 0, 0, 32, 32 * 1000);
        orr_step_model_free(model);
        if (fabs(time_s / pass_s - 1) > 1e-9)
            fail_msg("%s, %s at the burst clock: step %.12g s, pass %.12g s (%+.3g)", JOBS[i].model, JOBS[i].engine,
                     time_s, pass_s, time_s / pass_s - 1);
    }
}

/* One prompt step: B prompts of S tokens, none cached. */
static void a_prompt_step_is_a_prefill(void **state)
{
    struct world *w = *state;
    for (size_t i = 0; i < COUNT(JOBS); i++) {
        struct orr_step_model *model = open_model(w, i);
        double worst = 0;
        for (int batch = 1; batch <= 8; batch *= 2)
            for (int input = 16; input <= 2048; input *= 4) {
                w->job.serving.batch = batch;
                w->job.serving.input_len = input;
                w->job.serving.output_len = 1;
                const double sampling_s = w->job.engine.sampling_s + w->job.engine.sampling_s_per_sequence * batch;
                const double pass_s = infer(w, &w->job).prefill_s + sampling_s;
                const double time_s = step_s(model, (int64_t)batch * input, batch, 0, 0, 0);
                worst = fmax(worst, fabs(time_s / pass_s - 1));
                if (fabs(time_s / pass_s - 1) > 0.02)
                    fail_msg("%s, %s, %d prompts of %d: step %.9g s, prefill %.9g s (%+.2f %%)", JOBS[i].model,
                             JOBS[i].engine, batch, input, time_s, pass_s, 100 * (time_s / pass_s - 1));
            }
        print_message("# %s, %s: prompt steps within %.2e of the prefill\n", JOBS[i].model, JOBS[i].engine, worst);
        orr_step_model_free(model);
    }
}

/* What an engine or a plan does to a pass it does to a step: all-to-alls hidden beside compute, prompts divided over
 * context-parallel ranks, launch gaps of short prompts, the clock under long attention. */
static void plans_and_engines_act_on_steps(void **state)
{
    struct world *w = *state;
    static const struct {
        const char *what, *job;
        int batch, input, output;
    } rows[] = {
        {"hidden all-to-all",
         "{'kind':'infer','model':'deepseek-v3','system':'h100-sxm','plan':{'dp':32,'ep':32},'workload':{'engine':'"
         "sglang',"
         "'precision':'fp8','batch':128,'input_len':1000,'output_len':2}}",
         128, 1000, 2},
        {"context parallel",
         "{'kind':'infer','model':'llama3-8b','system':'h100-sxm','plan':{'cp':2},'workload':{'engine':'vllm','batch':"
         "4,"
         "'input_len':2000,'output_len':1}}",
         4, 2000, 1},
        {"short prompt",
         "{'kind':'infer','model':'llama2-70b','system':'h100-sxm','plan':{'tp':8},'workload':{'engine':'tensorrt-llm-"
         "0.9',"
         "'batch':1,'input_len':200,'output_len':1}}",
         1, 200, 1},
        {"long prompt",
         "{'kind':'infer','model':'llama3-8b','system':'h100-sxm','workload':{'engine':'vllm','batch':4,'input_len':"
         "8000,"
         "'output_len':1}}",
         4, 8000, 1},
    };
    double worst = 0;
    for (size_t i = 0; i < COUNT(rows); i++) {
        read_job(w, rows[i].job, "");
        struct orr_step_model *model = orr_step_model_new(&w->job);
        assert_non_null(model);
        const struct orr_infer_result r = infer(w, &w->job);
        const int64_t n = rows[i].batch, input = rows[i].input;
        const double pass_s = rows[i].output > 1 ? r.decode_s : r.prefill_s;
        const double time_s =
            rows[i].output > 1 ? step_s(model, 0, 0, 0, n, n * (input + 1)) : step_s(model, n * input, n, 0, 0, 0);
        orr_step_model_free(model);
        print_message("# %s: step %.4g s, pass %.4g s (%+.1f %%)\n", rows[i].what, time_s, pass_s,
                      100 * (time_s / pass_s - 1));
        worst = fmax(worst, fabs(time_s / pass_s - 1));
    }
    assert_at_most(worst, 0.02);
}

/* ---------------------------------------------------------------- properties */

/* Eq. 369: on two stages a mixed step goes through in two pieces that follow each other, so that it takes what half
 * of it takes on one stage, and a send; prompts alone drain the pipeline: 3/2 passes of a piece, as in Eq. 91b. */
static void a_running_pipeline_does_not_drain(void **state)
{
    struct world *w = *state;
    double mixed_s[2], alone_s[2];
    for (int pp = 1; pp <= 2; pp++) {
        read_job(w,
                 "{'kind':'infer','model':'llama2-70b','system':'h200-sxm','plan':{'tp':2,'pp':%d},'workload':{'engine'"
                 ":'tensorrt-llm-1.2','precision':'fp8','input_len':1024,'output_len':200}}",
                 pp);
        struct orr_step_model *model = orr_step_model_new(&w->job);
        assert_non_null(model);
        mixed_s[pp - 1] = step_s(model, pp * 1024, pp, 0, pp * 64, (int64_t)pp * 64 * 1024);
        alone_s[pp - 1] = step_s(model, pp * 4096, pp * 4, 0, 0, 0);
        orr_step_model_free(model);
    }
    assert_true(mixed_s[1] > mixed_s[0]);
    assert_close(mixed_s[1] / mixed_s[0], 1, 0.05);
    assert_close(alone_s[1] / alone_s[0], 1.5, 0.05);
}

static void an_empty_step_takes_no_time(void **state)
{
    struct world *w = *state;
    struct orr_step_model *model = open_model(w, 0);
    assert_close(step_s(model, 0, 0, 0, 0, 0), 0, 0);
    orr_step_model_free(model);
    orr_step_model_free(NULL);
}

/* More tokens, longer contexts and more sequences never take less. Expert rows per expert move between tiles and
 * experts touched: a trace is allowed there. */
static void more_work_takes_longer(void **state)
{
    struct world *w = *state;
    for (size_t i = 0; i < COUNT(JOBS); i++) {
        struct orr_step_model *model = open_model(w, i);
        double last_s = 0;
        for (int64_t n = 1; n <= 4096; n += 1 + n / 7) {
            const double time_s = step_s(model, n, 1, 0, 0, 0);
            if (time_s < last_s * (1 - 1e-3))
                fail_msg("%s, %s: %d prompt tokens take %.9g s, fewer %.9g s", JOBS[i].model, JOBS[i].engine, (int)n,
                         time_s, last_s);
            last_s = time_s;
        }
        last_s = 0;
        for (int64_t n = 1; n <= 512; n += 1 + n / 7) {
            const double time_s = step_s(model, 0, 0, 0, n, 1000 * n);
            if (time_s < last_s * (1 - 1e-3))
                fail_msg("%s, %s: %d sequences take %.9g s, fewer %.9g s", JOBS[i].model, JOBS[i].engine, (int)n,
                         time_s, last_s);
            last_s = time_s;
        }
        last_s = 0;
        for (int64_t x = 1; x <= 100000; x += 1 + x / 7) {
            const double decode_s = step_s(model, 0, 0, 0, 16, 16 * x);
            assert_true(decode_s >= last_s * (1 - 1e-12));
            last_s = decode_s;
        }
        last_s = 0;
        for (int64_t x = 1; x <= 100000;
             x += 1 + x / 7) { /* from 1: a cached prefix changes the launch's last blocks */
            const double chunk_s = step_s(model, 512, 1, x, 0, 0);
            if (chunk_s < last_s * (1 - 1e-3))
                fail_msg("%s, %s: 512 tokens after %d take %.9g s, after fewer %.9g s", JOBS[i].model, JOBS[i].engine,
                         (int)x, chunk_s, last_s);
            last_s = chunk_s;
        }
        orr_step_model_free(model);
    }
}

/* Prompt tokens and decoding sequences share the weight products (Eq. 93): at least the longer part, at most both. The
 * latter ends where prompts alone are a graph and both together are too many rows for one (Eq. 350). */
static void a_mixed_step_lies_between(void **state)
{
    struct world *w = *state;
    struct random random = {93};
    for (size_t i = 0; i < COUNT(JOBS); i++) {
        struct orr_step_model *model = open_model(w, i);
        for (int n = 0; n < 60; n++) {
            const int64_t tokens = 1 + (int64_t)draw(&random, 2048), cached = (int64_t)draw(&random, 4096);
            const int64_t sequences = 1 + (int64_t)draw(&random, 200),
                          contexts = sequences * (1 + (int64_t)draw(&random, 4000));
            const double prompt_s = step_s(model, tokens, 1, cached, 0, 0),
                         decode_s = step_s(model, 0, 0, 0, sequences, contexts);
            const double mixed_s = step_s(model, tokens, 1, cached, sequences, contexts);
            const int64_t graph = w->job.engine.graph_prompts ? w->job.engine.graph_sequences : 0;
            const bool cut = tokens <= graph && tokens + sequences > graph;
            if (mixed_s < fmax(prompt_s, decode_s) * (1 - 1e-3) ||
                (!cut && mixed_s > (prompt_s + decode_s) * (1 + 1e-3)))
                fail_msg("%s, %s: %d tokens %.9g s, %d sequences %.9g s, together %.9g s", JOBS[i].model,
                         JOBS[i].engine, (int)tokens, prompt_s, (int)sequences, decode_s, mixed_s);
        }
        orr_step_model_free(model);
    }
}

/* The same bits whatever was asked before. */
static void a_step_gives_the_same_bits(void **state)
{
    struct world *w = *state;
    struct orr_step_model *model = open_model(w, 6);
    const double first_s = step_s(model, 300, 2, 100, 17, 17000);
    for (int n = 1; n < 500; n++) (void)step_s(model, 7 * n, 1, n, n, 100 * n);
    const double second_s = step_s(model, 300, 2, 100, 17, 17000);
    orr_step_model_free(model);
    model = open_model(w, 6);
    const double third_s = step_s(model, 300, 2, 100, 17, 17000);
    orr_step_model_free(model);
    assert_memory_equal(&first_s, &second_s, sizeof first_s);
    assert_memory_equal(&first_s, &third_s, sizeof first_s);
}

/* Eq. 374. Graphs of 32 sequences and of one prompt, both of 4,096 tokens: one sequence takes as long as 32 full ones,
 * and two short prompts beside it add two full ones. Sampling of 1 ms is counted once per step. */
static void a_compiled_step_is_a_full_one(void **state)
{
    struct world *w = *state;
    read_job(w,
             "{'kind':'infer','model':'qwen3-32b','system':'trainium2','workload':{'engine':'optimum-neuron-0.4',"
             "'input_len':100,'output_len':100}}");
    struct orr_step_model *model = orr_step_model_new(&w->job);
    assert_non_null(model);
    const double full_s = step_s(model, 0, 0, 0, 32, 32 * 4096), prompt_s = step_s(model, 4096, 1, 0, 0, 0);
    assert_close(step_s(model, 0, 0, 0, 1, 100), full_s, 1e-12);
    assert_close(step_s(model, 100, 1, 0, 0, 0), prompt_s, 1e-12);
    assert_close(step_s(model, 400, 2, 0, 1, 100), full_s + 2 * prompt_s - 2e-3, 1e-9);
    assert_true(step_s(model, 5000, 1, 0, 0, 0) > prompt_s);
    orr_step_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_decode_step_is_a_pass),        cmocka_unit_test(a_prompt_step_is_a_prefill),
        cmocka_unit_test(plans_and_engines_act_on_steps), cmocka_unit_test(an_empty_step_takes_no_time),
        cmocka_unit_test(more_work_takes_longer),         cmocka_unit_test(a_mixed_step_lies_between),
        cmocka_unit_test(a_step_gives_the_same_bits),     cmocka_unit_test(a_running_pipeline_does_not_drain),
        cmocka_unit_test(a_compiled_step_is_a_full_one),
    };
    return cmocka_run_group_tests_name("step", tests, open_world, close_world);
}
