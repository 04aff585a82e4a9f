/* Sampling: once per step and once per sequence of the batch, however the batch is cut into pieces or halves. */
#include "serving.h"

#define STEP_S     1e-3
#define SEQUENCE_S 1e-4

/* Nothing but sampling is overhead. */
static void only_sampling(struct orr_engine *engine)
{
    engine->graph_pieces = engine->graph_prompts = false;
    engine->kernel_gap_s = engine->short_prefill_gap_s = engine->host_launch_s = engine->host_step_s = 0;
    engine->request_s = engine->request_s_per_sequence = 0;
    engine->sampling_s = STEP_S;
    engine->async_scheduling = false;
    engine->sampling_s_per_sequence = SEQUENCE_S;
}

static const struct {
    const char *model, *engine;
    int pp, dp, ep, batch;
} JOBS[] = {
    {"llama3-8b", "vllm", 1, 1, 1, 8},
    {"llama3-8b", "vllm", 2, 1, 1, 8},  /* in two pieces */
    {"llama3-8b", "vllm", 4, 1, 1, 32}, /* in four */
    {"llama3-8b", "vllm", 4, 1, 1, 5},  /* too few to cut */
    {"llama3-8b", "tensorrt-llm-1.2", 2, 1, 1, 6},
    {"deepseek-v3", "sglang", 1, 32, 32, 128}, /* in halves */
};

static void read_sampled(struct world *w, size_t i)
{
    read_job(w,
             "{'kind':'infer','model':'%s','system':'h100-sxm','plan':{'pp':%d,'dp':%d,'ep':%d},'workload':{'engine':"
             "'%s','batch':%d,'input_len':100,'output_len':12,'two_batch_overlap':%s}}",
             JOBS[i].model, JOBS[i].pp, JOBS[i].dp, JOBS[i].ep, JOBS[i].engine, JOBS[i].batch,
             JOBS[i].ep > 1 ? "true" : "false");
    only_sampling(&w->job.engine);
    w->job.engine.host_launch_s = w->job.engine.host_layer_s = 0; /* sampling alone */
}

/* Twelve tokens of every sequence are sampled in twelve steps, the first behind the prompt. */
static void every_sequence_is_sampled(void **state)
{
    struct world *w = *state;
    for (size_t i = 0; i < COUNT(JOBS); i++) {
        read_sampled(w, i);
        const double batch = JOBS[i].batch;
        assert_close(infer(w, &w->job).time_s[ORR_INFER_OVERHEAD], 12 * (STEP_S + SEQUENCE_S * batch), 1e-9);
    }
}

/* A step with sampling less the same step without. */
static void a_step_is_sampled_once(void **state)
{
    struct world *w = *state;
    for (size_t i = 0; i < COUNT(JOBS); i++) {
        const int64_t batch = JOBS[i].batch;
        const struct orr_step steps[] = {
            {.decode_sequences = batch, .decode_context = 100 * batch},
            {.prefill_sequences = batch, .prefill_tokens = 100 * batch},
            {.prefill_sequences = 2, .prefill_tokens = 300, .decode_sequences = batch - 2, .decode_context = 5000},
        };
        for (size_t k = 0; k < COUNT(steps); k++) {
            read_sampled(w, i);
            const double with_s = single_step_s(&w->job, &steps[k]);
            w->job.engine.sampling_s = w->job.engine.sampling_s_per_sequence = 0;
            assert_close(with_s - single_step_s(&w->job, &steps[k]), STEP_S + SEQUENCE_S * (double)batch, 1e-6);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sequence_is_sampled),
        cmocka_unit_test(a_step_is_sampled_once),
    };
    return cmocka_run_group_tests_name("sampling", tests, open_world, close_world);
}
