/* Files that run a plan: the flags that each field of a plan and a workload becomes, and a note for every one that the
 * launcher has no flag for. */
#include "support.h"

struct files {
    char all[1 << 15]; /* the texts of all files, one behind the other */
    size_t length;
};

static void keep(void *context, const char *name, const char *text)
{
    struct files *files = context;
    const int n = snprintf(files->all + files->length, sizeof files->all - files->length, "== %s\n%s\n", name, text);
    assert_true(n > 0 && (size_t)n < sizeof files->all - files->length);
    files->length += (size_t)n;
}

static const char *launch(struct world *w, const char *kind, const char *rest)
{
    static struct files files;
    static struct orr_answer answer;
    char request[1024];
    struct orr_error error = {0};
    (void)snprintf(request, sizeof request, "{'kind':'%s','system':'h100-sxm',%s}", kind, rest);
    if (try_job(w, request, &error)) fail_msg("%s: %s", rest, error.text);
    orr_predict(&w->job, w->scratch, &answer);
    files.length = 0;
    assert_true(orr_answer_launch(&answer, keep, &files));
    for (char *c = files.all; *c; c++)
        if (*c == '\n' || *c == '\\') *c = ' '; /* flags are wrapped */
    for (char *from = files.all, *to = files.all;; from++) {
        if (*from == ' ' && to > files.all && to[-1] == ' ') continue;
        *to++ = *from;
        if (!*from) break;
    }
    return files.all;
}

#define DENSE(gpus, plan, workload)                                                                                    \
    "'model':'llama3-8b','gpus':" #gpus ",'plan':{" plan "},'workload':{'global_batch':64," workload "}"
#define MEGATRON "'engine':'megatron-core-2025'"
#define TITAN    "'engine':'torchtitan'"

static void fields_become_flags(void **state)
{
    static const struct {
        const char *rest, *words[3];
    } CASES[] = {
        {DENSE(16, "'tp':2,'pp':4,'sp':true,'zero':1", MEGATRON),
         {"--tensor-model-parallel-size 2 --pipeline-model-parallel-size 4", "--sequence-parallel",
          "--use-distributed-optimizer"}},
        {DENSE(16, "'cp':2", MEGATRON), {"--context-parallel-size 2", "--cp-comm-type", NULL}},
        {DENSE(16, "'cp':2,'cp_kind':'ring'", MEGATRON), {"--cp-comm-type p2p", NULL, NULL}},
        {DENSE(16, "'cp':2,'cp_kind':'allgather'", MEGATRON), {"--cp-comm-type all_gather", NULL, NULL}},
        {DENSE(16, "'cp':2,'cp_kind':'ulysses'", MEGATRON), {"--cp-comm-type a2a", NULL, NULL}},
        {DENSE(16, "'zero':3", MEGATRON), {"--data-parallel-sharding-strategy optim_grads_params", NULL, NULL}},
        {DENSE(16, "'zero':2", MEGATRON), {"--data-parallel-sharding-strategy optim_grads ", NULL, NULL}},
        {DENSE(16, "'pp':4,'vpp':2,'schedule':'interleaved'", MEGATRON),
         {"--num-virtual-stages-per-pipeline-rank 2", NULL, NULL}},
        {DENSE(16, "'pp':4,'schedule':'gpipe'", MEGATRON), {"no flag for the gpipe schedule", NULL, NULL}},
        {DENSE(16, "'pp':4,'schedule':'zb-h1'", MEGATRON), {"no flag for zero-bubble schedules", NULL, NULL}},
        /* 32 layers: 11 + 11 + 10, and 3 + 2 * 4 + 6 * 3 + 3 in ten chunks. */
        {DENSE(24, "'pp':3", MEGATRON ",'micro_batch':1"),
         {"--pipeline-model-parallel-layout 'Et*11|t*11|t*10L' ", NULL, NULL}},
        {DENSE(16, "'pp':2,'vpp':5,'schedule':'interleaved'", MEGATRON),
         {"--pipeline-model-parallel-layout 'Et*3|(t*4|)*2(t*3|)*6t*3L' ", NULL, NULL}},
        {DENSE(16, "'zero':3", "'engine':'nemo-2025'"),
         {"dist.use_megatron_fsdp=true", "ddp.data_parallel_sharding_strategy=optim_grads_params",
          "checkpoint.ckpt_format=fsdp_dtensor"}},
        {DENSE(16, "", MEGATRON ",'recompute':'full'"),
         {"--recompute-granularity full --recompute-method uniform --recompute-num-layers 1", NULL, NULL}},
        {DENSE(16, "", MEGATRON ",'recompute':'selective'"), {"--recompute-granularity selective", NULL, NULL}},
        {DENSE(16, "", MEGATRON ",'precision':'fp8'"), {"--bf16 --fp8-format hybrid", NULL, NULL}},
        {DENSE(16, "", MEGATRON ",'precision':'fp16'"), {"--fp16", NULL, NULL}},
        {DENSE(16, "'zero':3,'tp':2", TITAN ",'recompute':'full'"),
         {"--parallelism.data_parallel_shard_degree 8", "--parallelism.tensor_parallel_degree 2",
          "--activation_checkpoint.mode full"}},
        {DENSE(16, "'pp':4,'schedule':'1f1b','zero':2", TITAN ",'recompute':'none'"),
         {"--parallelism.pipeline_parallel_schedule 1F1B", "--parallelism.fsdp_reshard_after_forward never",
          "--activation_checkpoint.mode none"}},
        {DENSE(16, "'pp':4,'schedule':'gpipe','zero':1", TITAN),
         {"--parallelism.pipeline_parallel_schedule GPipe", "this is ZeRO-2 or 3", NULL}},
        {DENSE(16, "'pp':4,'vpp':2,'schedule':'interleaved','zero':3", TITAN),
         {"--parallelism.pipeline_parallel_schedule Interleaved1F1B", NULL, NULL}},
        {DENSE(16, "'pp':4,'schedule':'zb-h1','zero':3", TITAN),
         {"no class of torch.distributed.pipelining for this schedule", NULL, NULL}},
        {"'model':'mixtral-8x7b','gpus':16,'plan':{'ep':8,'zero':1},'workload':{'global_batch':64," MEGATRON "}",
         {"--expert-model-parallel-size 8", "--expert-tensor-parallel-size 1", "--moe-token-dispatcher-type alltoall"}},
    };
    struct world *w = *state;
    size_t n_bad = 0;
    for (size_t i = 0; i < COUNT(CASES); i++) {
        const char *text = launch(w, "train", CASES[i].rest);
        for (size_t k = 0; k < COUNT(CASES[i].words) && CASES[i].words[k]; k++)
            if (!strstr(text, CASES[i].words[k])) {
                print_error("%s: no \"%s\" in: %.900s\n", CASES[i].rest, CASES[i].words[k], text);
                n_bad++;
            }
    }
    assert_int_equal(n_bad, 0);
}

/* A job whose prompts and answers are apart starts two pools and a router; one pool's wrapper starts the script that is
 * there, whatever the engine is called; files for another program than the engine say so. */
static void pools_and_stand_ins(void **state)
{
#define SERVED(gpus, more) "'model':'llama3-8b','gpus':" #gpus ",'workload':{'input_len':100,'output_len':10," more "}"
    struct world *w = *state;
    const char *text = launch(w, "infer", SERVED(2, "'engine':'sglang','disaggregated':true"));
    assert_non_null(strstr(text, "== prefill-sglang.sh"));
    assert_non_null(strstr(text, "== decode-sglang.sh"));
    assert_non_null(strstr(text, "== router-sglang.sh"));
    assert_null(strstr(text, "writes no files for"));
    text = launch(w, "infer", SERVED(1, "'engine':'deepspeed-mii-0.2'"));
    assert_non_null(strstr(text, "== vllm.sh"));
    assert_null(strstr(text, "deepspeed.sh"));
    assert_non_null(strstr(text, "orrery writes no files for deepspeed-mii: these run the same plan on vLLM."));
    text = launch(w, "infer", SERVED(1, "'engine':'pytorch-eager'"));
    assert_null(strstr(text, "accelerate.sh"));
    text = launch(w, "train", DENSE(16, "", "'engine':'maxtext-2025'"));
    assert_non_null(strstr(text, "orrery writes no files for maxtext: these run the same plan on Megatron-LM."));
    assert_null(strstr(launch(w, "train", DENSE(16, "", MEGATRON)), "writes no files for"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fields_become_flags), cmocka_unit_test(pools_and_stand_ins)};
    return cmocka_run_group_tests(tests, open_world, close_world);
}
