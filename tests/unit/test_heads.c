/* What the last pipeline rank holds at the loss: head input and logits, of the model and once more of every
 * multi-token prediction layer, whatever pp is. Gemma 3 1B: h 1152, vocabulary 262144, so that the loss is the peak. */
#include "support.h"

#define TOKENS 4096.0
#define HIDDEN 1152.0
#define VOCAB  262144.0

static void read_gemma(struct world *w, int pp, int mtp_layers)
{
    read_job(w,
             "{'kind':'train','model':'gemma3-1b','system':'h100-sxm','plan':{'pp':%d},'workload':{'engine':"
             "'megatron-core-2025','seq':4096,'micro_batch':1,'global_batch':8,'mtp_layers':%d}}",
             pp, mtp_layers);
    train(w);
}

static const struct orr_tensor *find_tensor(const struct orr_memory *memory, const char *name)
{
    for (int64_t i = 0; i < memory->n_tensors; i++)
        if (strncmp(memory->tensors[i].name, name, strlen(name)) == 0) return &memory->tensors[i];
    fail_msg("the memory has no %s", name);
    return NULL;
}

static void logits_live_on_the_last_stage(void **state)
{
    struct world *w = *state;
    for (int pp = 1; pp <= 4; pp *= 2)
        for (int mtp = 0; mtp <= 2; mtp++) {
            const struct orr_memory *memory = &w->result.memory;
            read_gemma(w, pp, mtp);
            const double heads = 1 + mtp, live = w->job.engine.logit_bytes_live;
            assert_int_equal(memory->peak_stage, pp - 1);
            assert_string_equal(memory->instants[memory->peak_instant].name, "loss");
            assert_close(find_tensor(memory, "logits")->bytes, heads * live * TOKENS * VOCAB, 1e-12);
            assert_close(find_tensor(memory, "head:")->bytes, heads * 2 * 2 * TOKENS * HIDDEN, 1e-12);
            double bytes = 0;
            for (int64_t i = 0; i < memory->n_tensors; i++)
                bytes += memory->tensors[i].at_peak ? memory->tensors[i].bytes : 0;
            assert_close(bytes, memory->total_bytes, 1e-12);
        }
}

/* One byte more per logit is one byte more for every token, word and head at the peak. */
static void logits_are_in_the_peak(void **state)
{
    struct world *w = *state;
    for (int pp = 1; pp <= 2; pp++)
        for (int mtp = 0; mtp <= 1; mtp++) {
            read_gemma(w, pp, mtp);
            const double before = w->result.memory.total_bytes;
            w->job.engine.logit_bytes_live += 1;
            train(w);
            assert_close(w->result.memory.total_bytes - before, (1 + mtp) * TOKENS * VOCAB, 1e-9);
        }
}

/* A prediction layer has a projection from 2 h to h and three norms of its own; a stage without the embedding holds a
 * copy of it. Two of them on the last of two stages, against one. */
static void prediction_layers_have_weights(void **state)
{
    struct world *w = *state;
    double bytes[3];
    for (int mtp = 1; mtp <= 2; mtp++) {
        read_gemma(w, 2, mtp);
        w->job.plan.n_stage_layers = 2; /* 13 layers each: nothing but the prediction layers moves */
        w->job.plan.stage_layers[0] = w->job.plan.stage_layers[1] = 13;
        train(w);
        bytes[mtp] = w->result.memory.part_bytes[ORR_MEMORY_WEIGHTS];
    }
    /* layer 26 of gemma3-1b: attention 1152 (4 + 2) 256 + 1024 * 1152 and two norms of 256, feed-forward 3 * 1152 *
     * 6912, four norms of 1152 */
    const double layer = HIDDEN * 6 * 256 + 1024 * HIDDEN + 2 * 256 + 3 * HIDDEN * 6912 + 4 * HIDDEN;
    const double mtp = 2 * HIDDEN * HIDDEN + 3 * HIDDEN;
    assert_close(bytes[2] - bytes[1], 2 * (layer + mtp), 1e-9);
}

/* The vocabulary is padded to a multiple of 128 tp: 50257 words are held like 50432 at tp 2, in weights, logits and
 * states. */
static void padded_words_are_held(void **state)
{
    struct world *w = *state;
    double bytes[2], logits[2];
    for (int padded = 0; padded < 2; padded++) {
        read_job(w,
                 "{'kind':'train','model':'gpt2-large','system':'h100-sxm','gpus':2,'plan':{'tp':2},'workload':{"
                 "'engine':'megatron-core-2025','seq':1024,'global_batch':4},'set':{'model.vocab_size':%d}}",
                 padded ? 50432 : 50257);
        train(w);
        bytes[padded] = w->result.memory.total_bytes;
        logits[padded] = find_tensor(&w->result.memory, "logits")->bytes;
    }
    assert_close(bytes[0], bytes[1], 1e-12);
    assert_close(logits[0], w->job.engine.logit_bytes_live * 1024 * 50432 / 2, 1e-12);
    assert_close(logits[0], logits[1], 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logits_live_on_the_last_stage),
        cmocka_unit_test(logits_are_in_the_peak),
        cmocka_unit_test(prediction_layers_have_weights),
        cmocka_unit_test(padded_words_are_held),
    };
    return cmocka_run_group_tests_name("heads", tests, open_world, close_world);
}
