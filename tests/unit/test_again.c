/* Rare options, each in words and asked again: the "request" of an answer gives the same answer, and the heading of a
 * report says what was asked. */
#include <jansson.h>

#include "support.h"

#define TRAIN(plan, workload)                                                                                          \
    "{'kind':'train','model':'llama3-8b','system':'h100-sxm','gpus':16,'plan':{" plan                                  \
    "},'workload':{'global_batch':64" workload "}}"
#define MOE(plan, workload)                                                                                            \
    "{'kind':'train','model':'mixtral-8x7b','system':'h100-sxm','gpus':32,'plan':{" plan "},'workload':{"              \
    "'global_batch':64,'engine':'megatron-core-2025'" workload "}}"
#define MUON(model)                                                                                                    \
    "{'kind':'train','model':'" model                                                                                  \
    "','system':'h100-sxm','gpus':64,'plan':{'zero':1},'workload':{'global_batch':64,"                                 \
    "'optimizer':'muon'}}"
#define REPEATED(model)                                                                                                \
    "{'kind':'train','model':'" model                                                                                  \
    "','system':'h100-sxm','gpus':64,'plan':{'zero':1},'workload':{'global_batch':64,"                                 \
    "'recompute':['norm','qkv','core','out','mlp_up','mlp_act','expert_up','expert_act','dispatch'],'attention':'"     \
    "unfused'}}"
#define INFER(model, plan, workload)                                                                                   \
    "{'kind':'infer','model':'" model "','system':'h100-sxm','plan':{" plan "},'workload':{'input_len':300,"           \
    "'output_len':30" workload "}}"

static const struct question {
    const char *request, *word; /* in the text; NULL: nothing is said of it */
} JOBS[] = {
    {TRAIN("'tp':2,'sp':true", ""), "tp 2"},
    {TRAIN("'tp':2,'overlap':'none'", ""), "overlap none"},
    {TRAIN("'tp':2,'overlap':'tp'", ",'engine':'megatron-core-2025'"), "overlap tp"},
    {TRAIN("'pp':4,'vpp':2", ""), "vpp 2"},
    {TRAIN("'pp':2,'schedule':'zb-h1'", ""), "zb-h1"},
    {TRAIN("'pp':2,'schedule':'dualpipe-v'", ""), "dualpipe-v"},
    {TRAIN("'pp':2,'schedule':'gpipe'", ""), "gpipe"},
    {TRAIN("'pp':4,'stages':'by-cost'", ""), NULL},
    {TRAIN("'pp':2,'stage_layers':[15,17]", ""), NULL},
    {TRAIN("'cp':2,'cp_kind':'allgather'", ""), "cp 2"},
    {TRAIN("'cp':2,'cp_kind':'ulysses'", ""), "cp 2"},
    {TRAIN("'zero':3", ""), "ZeRO-3"},
    {TRAIN("'zero':3,'reshard_after_forward':false", ""), "ZeRO-3"},
    {TRAIN("'zero':3,'zero_group':8", ""), "8"},
    {TRAIN("'zero':3,'zero_secondary':8", ""), NULL},
    {TRAIN("'zero':1,'offload':'optimizer=cpu'", ""), "optimizer"},
    {TRAIN("'zero':3,'offload':'optimizer=cpu,parameters=cpu'", ""), "parameters"},
    {TRAIN("'zero':0,'offload':'activations=cpu'", ""), "activations"},
    {TRAIN("", ",'recompute':'full','recompute_every':2"), "full"},
    {TRAIN("", ",'recompute':'full','recompute_first':4"), "4"},
    {TRAIN("", ",'recompute':'full','recompute_nth':2"), "1 layer in 2"},
    {TRAIN("", ",'recompute':['qkv','mlp_act']"), "qkv"},
    {TRAIN("", ",'recompute':'selective-op'"), "selective-op"},
    {TRAIN("", ",'precision':'fp8','fp8_recipe':'delayed'"), "fp8"},
    {TRAIN("", ",'precision':'fp8','wide_layers':4"), "fp8"},
    {TRAIN("", ",'sample_len':64"), NULL},
    {TRAIN("", ",'optimizer':'adamw-bf16-states'"), "adamw-bf16-states"},
    {TRAIN("", ",'micro_batch':4,'gradient_precision':'bf16'"), "bf16"},
    {TRAIN("", ",'comm_precision':'fp8'"), "fp8"},
    {TRAIN("", ",'activation_precision':'fp32'"), "fp32"},
    {TRAIN("", ",'attention':'unfused','attention_dropout':true,'hidden_dropout':true"), NULL},
    {TRAIN("", ",'ideal_overheads':true"), "ideal overheads"},
    {TRAIN("", ",'adapter':'lora:rank=32,targets=attention'"), "lora"},
    {TRAIN("", ",'adapter':'qlora:rank=8,base=nf4'"), "nf4"},
    {TRAIN("", ",'adapter':'dora:rank=8'"), "dora"},
    {TRAIN("", ",'frozen':'embeddings,layers:4'"), "layers"},
    {TRAIN("", ",'causal':false"), NULL},
    {TRAIN("'zero':1", ",'micro_batch':4,'optimizer_in_backward':true"), "optimizer in backward"},
    {TRAIN("", ",'layer_graphs':true"), "layers as graphs"},
    {MOE("'tp':2,'ep':4,'etp':1", ""), "ep 4"},
    {MOE("'ep':8", ",'moe_capacity':1.25"), NULL},
    {MOE("'ep':8", ",'moe_imbalance':1.5"), NULL},
    {"{'kind':'train','model':'deepseek-v3','system':'h100-sxm','gpus':256,'plan':{'pp':8,'ep':32},'workload':{"
     "'global_batch':256,'mtp_layers':1}}",
     "pp 8"},
    {MUON("mixtral-8x7b"), "muon"},
    {MUON("deepseek-v3"), "muon"},
    {MUON("kimi-linear-48b-a3b"), "muon"},
    {MUON("ai21-jamba-mini-1.5"), "muon"},
    {MUON("gemma-4-31b"), "muon"},
    {MUON("deepseek-v4-flash"), "muon"},
    {REPEATED("mixtral-8x7b"), "norm"},
    {REPEATED("deepseek-v3"), "norm"},
    {REPEATED("deepseek-v4-flash"), "norm"},
    {REPEATED("ai21-jamba-mini-1.5"), "norm"},
    {"{'kind':'train','model':'llama3-8b','system':'generated:node=5,memory=hbm3','gpus':8}", "generated"},
    {INFER("llama3-8b", "'tp':2", ",'batch':8,'precision':'fp8'"), "fp8"},
    {INFER("llama3-8b", "", ",'precision':'int4','matrix_precision':'bf16'"), "int4"},
    {INFER("llama3-8b", "", ",'kv_precision':'fp8','engine':'vllm'"), "cache fp8"},
    {INFER("llama3-8b", "'tp':2", ",'comm_precision':'fp8'"), "fp8"},
    {INFER("llama3-8b", "'cp':2", ""), "cp 2"},
    {INFER("llama3-8b", "'pp':2", ""), "pp 2"},
    {INFER("llama3-8b", "'dp':2", ",'disaggregated':true"), "apart"},
    {INFER("llama3-8b", "", ",'prefix_hit_frac':0.5,'engine':'vllm'"), "50"},
    {INFER("llama3-8b", "", ",'chunk_tokens':100"), "100"},
    {INFER("llama3-70b", "'tp':4", ",'draft_model':'llama3-8b','draft_tokens':3,'draft_accept_frac':0.7"), "llama3-8b"},
    {INFER("deepseek-v3", "'tp':8,'ep':8", ",'draft_model':'mtp','draft_tokens':1"), "MTP"},
    {INFER("mixtral-8x7b", "'tp':2,'dp':2,'ep':4", ",'moe_imbalance':1.3"), "ep 4"},
    {INFER("mixtral-8x7b", "'tp':2", ",'precision':'q4_k_m','engine':'vllm'"), "q4_k_m"},
    {INFER("mixtral-8x7b", "'tp':2", ",'precision':'q2_k','engine':'vllm'"), "q2_k"},
    {INFER("mixtral-8x7b", "'tp':2", ",'precision':'iq4_xs','engine':'vllm'"), "iq4_xs"},
    {INFER("mixtral-8x7b", "'tp':2", ",'precision':'mxfp4_moe','engine':'vllm'"), "mxfp4_moe"},
    {INFER("llama3-8b", "", ",'precision':'q5_0','engine':'vllm'"), "q5_0"},
    {INFER("whisper-large-v3", "", ",'audio_s':20"), "20"},
    {INFER("qwen2.5-vl-7b", "", ",'images':2,'image_size':'512x512'"), "512"},
};

/* Numbers and words of two answers that must be equal: all but what a report says about where a request came from. */
static json_t *answer_of(const struct world *w, const char *request, char **words)
{
    struct orr_session *session = orr_session_new(w->catalogue);
    struct orr_error error = {0};
    char *text = NULL;
    assert_non_null(session);
    if (orr_session_render(session, request, "request", ORR_FORMAT_JSON, NULL, &text, &error))
        fail_msg("%s: %s", request, error.text);
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    free(text);
    const enum orr_format formats[] = {ORR_FORMAT_EXPLAIN, ORR_FORMAT_CSV, ORR_FORMAT_TERMINAL};
    for (size_t i = 0; i < COUNT(formats); i++) {
        text = NULL;
        if (orr_session_render(session, request, "request", formats[i], NULL, &text, &error))
            fail_msg("%s", error.text);
        if (i + 1 < COUNT(formats)) free(text);
    }
    *words = text;
    orr_session_free(session);
    const char *const own[] = {"assumed", "spread", "warnings", "request"};
    for (size_t i = 0; i < COUNT(own) - 1; i++) (void)json_object_del(json, own[i]);
    return json;
}

/* Answers a request: JSON without what may differ, and the words of the report. */
typedef json_t *answering(const struct world *w, const char *request, char **words);

/* The request that an answer carries has the same answer, and the report says what it must. */
static void ask_again(const struct world *w, answering *answer, const struct question *questions, size_t n)
{
    size_t n_bad = 0;
    for (size_t i = 0; i < n; i++) {
        char request[2048], *words = NULL, *again_words = NULL;
        (void)snprintf(request, sizeof request, "%s", questions[i].request);
        for (char *c = request; *c; c++)
            if (*c == '\'') *c = '"';
        json_t *first = answer(w, request, &words);
        char *asked = json_dumps(json_object_get(first, "request"), JSON_COMPACT | JSON_REAL_PRECISION(17));
        assert_non_null(asked);
        json_t *second = answer(w, asked, &again_words);
        const char *key;
        json_t *value;
        json_object_foreach(first, key, value)
        {
            if (json_equal(value, json_object_get(second, key))) continue;
            n_bad++;
            print_error("%s: asked again as %s it has another %s\n", request, asked, key);
        }
        if (questions[i].word && !strstr(words, questions[i].word)) {
            n_bad++;
            print_error("%s: the report does not say \"%s\"\n", request, questions[i].word);
        }
        free(asked);
        free(words);
        free(again_words);
        json_decref(first);
        json_decref(second);
    }
    assert_int_equal(n_bad, 0);
}

static void an_answer_can_be_asked_again(void **state)
{
    ask_again(*state, answer_of, JOBS, COUNT(JOBS));
}

/* Files that run each job, on engines that have a program of their own: each names the degree of tensor parallelism as
 * its program does. */
static void take_file(void *context, const char *name, const char *text)
{
    char *all = context;
    assert_true(*name && *text);
    (void)snprintf(all + strlen(all), 65536 - strlen(all), "%s\n%s\n", name, text);
}

static void jobs_can_be_launched(void **state)
{
    static const struct {
        const char *engine, *flag;
        enum orr_job_kind kind;
    } ENGINES[] = {{"megatron-core-2025", "--tensor-model-parallel-size", ORR_JOB_TRAIN},
                   {"vllm", "--tensor-parallel-size", ORR_JOB_INFER},
                   {"sglang", "--tp", ORR_JOB_INFER},
                   {"tensorrt-llm-1.2", "tp_size", ORR_JOB_INFER}};
    struct world *w = *state;
    static struct orr_answer answer;
    static char all[65536];
    struct orr_error error;
    size_t n = 0;
    for (size_t i = 0; i < COUNT(JOBS) * COUNT(ENGINES); i++) {
        const size_t e = i % COUNT(ENGINES);
        char request[2048];
        (void)snprintf(request, sizeof request, "%.*s,'set':{'workload.engine':'%s'}}",
                       (int)strlen(JOBS[i / COUNT(ENGINES)].request) - 1, JOBS[i / COUNT(ENGINES)].request,
                       ENGINES[e].engine);
        const bool train = strstr(request, "'kind':'train'") != NULL;
        if (train != (ENGINES[e].kind == ORR_JOB_TRAIN) || try_job(w, request, &error))
            continue; /* not every engine can */
        orr_predict(&w->job, w->scratch, &answer);
        all[0] = '\0';
        assert_true(orr_answer_launch(&answer, take_file, all));
        if (!strstr(all, ENGINES[e].flag)) fail_msg("%s: no %s in %s", request, ENGINES[e].flag, all);
        n++;
    }
    print_message("# %zu jobs\n", n);
    assert_true(n > COUNT(JOBS) / 2);
}

#define LOAD(traffic, more)                                                                                            \
    "{'kind':'serving','model':'llama3-8b','system':'h100-sxm','workload':{'engine':'vllm'},'traffic':{'requests':40," \
    "'output_len':16," traffic "}" more "}"

static const struct question SERVICES[] = {
    {LOAD("'rate_per_s':4,'input_len':'100:300'", ""), "100"},
    {LOAD("'rate_per_s':4,'input_len':'200~0.5'", ",'slo':['ttft_s.p90<=1 s','tpot_s.mean<=50 ms']"), "p90"},
    {LOAD("'rate_per_s':4,'input_len':{'law':'exponential','mean':200}", ""), "exponential"},
    {LOAD("'rate_per_s':4,'input_len':{'law':'empirical','points':[50,100,400]}", ""), "50"},
    {LOAD("'arrival':'gamma','burstiness':0.5,'rate_per_s':4,'input_len':200", ""), "gamma"},
    {LOAD("'arrival':'constant','rate_per_s':4,'input_len':200", ""), "constant"},
    {LOAD("'arrival':'diurnal','rate_per_s':4,'swing_frac':0.5,'period_s':60,'input_len':200", ""), "diurnal"},
    {LOAD("'arrival':'saturated','input_len':200", ""), "all at once"},
    {LOAD("'concurrency':4,'think_s':0.5,'input_len':200", ""), "4 users"},
    {LOAD("'rate_per_s':4,'input_len':200,'prefix_share':0.5,'prefix_groups':4", ""), "shared"},
    {LOAD("'rate_per_s':4,'input_len':200,'urgent_share':0.25", ""), "urgent"},
    {LOAD("'rate_per_s':4,'input_len':200,'adapters':4,'adapter_rank':8", ""), "4 adapters of rank 8"},
    {LOAD("'rate_per_s':4,'input_len':200,'max_output_len':64", ""), NULL},
    {LOAD("'rate_per_s':4,'input_len':200,'duration_s':5,'warmup_s':1", ""), NULL},
    {LOAD("'rate_per_s':4,'input_len':200,'router':'power-of-two'", ",'gpus':2"), NULL},
    {LOAD("'rate_per_s':4,'input_len':200", ",'deployment':{'max_outstanding':8},'gpus':2"), NULL},
    {LOAD("'rate_per_s':4,'input_len':200", ",'deployment':{'pools':['whole,tp=2']}"), NULL},
    {LOAD("'rate_per_s':4,'input_len':200", ",'gpus':2,'deployment':{'autoscale':{'least':1,'most':2,'requests':4,'"
                                            "start_s':5,'interval_s':1,'idle_s':5}}"),
     NULL},
    {LOAD("'rate_per_s':4,'input_len':200",
          ",'gpus':2,'deployment':{'failures':[{'pool':0,'replica':1,'at_s':1,'down_s':2}]}"),
     NULL},
};

static json_t *service_of(const struct world *w, const char *request, char **words)
{
    struct orr_service *service;
    struct orr_error error = {0};
    if (orr_service_open(w->catalogue, request, "request", &service, &error)) fail_msg("%s: %s", request, error.text);
    if (orr_service_run(service, NULL, NULL, NULL, &error)) fail_msg("%s: %s", request, error.text);
    char *text = orr_service_render(service, ORR_FORMAT_JSON, NULL);
    assert_non_null(text);
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    free(text);
    *words = orr_service_render(service, ORR_FORMAT_TERMINAL, NULL);
    assert_non_null(*words);
    orr_service_close(service);
    const char *const own[] = {"assumed", "warnings", "simulated_requests_per_s", "seconds"}; /* the clock's */
    for (size_t i = 0; i < COUNT(own); i++) (void)json_object_del(json, own[i]);
    return json;
}

static void a_service_can_be_asked_again(void **state)
{
    ask_again(*state, service_of, SERVICES, COUNT(SERVICES));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_answer_can_be_asked_again),
                                       cmocka_unit_test(jobs_can_be_launched),
                                       cmocka_unit_test(a_service_can_be_asked_again)};
    return cmocka_run_group_tests_name("again", tests, open_world, close_world);
}
