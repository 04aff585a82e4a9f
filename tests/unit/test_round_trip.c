/* Every value of the small sets, asked once: an answer contains its request with all that was assumed, and that request
 * asked again has the same answer to the last bit. A member that is written but not read, read but not written, or
 * rounded on the way makes a difference here. Every answer is also rendered in every format. */
#include <jansson.h>

#include "support.h"

enum { REQUEST = 4096 };

static void quote(char *text)
{
    for (; *text; text++)
        if (*text == '\'') *text = '"';
}

/* The members of two answers must be equal; what was assumed at first is given the second time. */
static void assert_same(const char *request, const json_t *first, const json_t *second)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)first, key, value)
    {
        if (strcmp(key, "assumed") == 0 || strcmp(key, "simulated_requests_per_s") == 0) continue;
        if (!json_equal(value, json_object_get(second, key))) {
            char *a = json_dumps(value, JSON_ENCODE_ANY),
                 *b = json_dumps(json_object_get(second, key), JSON_ENCODE_ANY);
            fail_msg("%s: \"%s\" is %.200s, and %.200s when asked again", request, key, a, b ? b : "absent");
        }
    }
}

/* ---------------------------------------------------------------- jobs */

static json_t *ask_job(struct orr_session *session, const char *request)
{
    struct orr_error error;
    char *text = NULL;
    if (orr_session_render(session, request, "request", ORR_FORMAT_JSON, NULL, &text, &error))
        fail_msg("%s: %s", request, error.text);
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    free(text);
    return json;
}

/* `said`: a word that the explained report must have; NULL: any report will do. */
static void check_job(struct orr_session *session, const char *said, const char *format, ...)
{
    static const enum orr_format FORMATS[] = {ORR_FORMAT_TERMINAL, ORR_FORMAT_EXPLAIN, ORR_FORMAT_CSV, ORR_FORMAT_OPS,
                                              ORR_FORMAT_TRACE};
    char request[REQUEST];
    struct orr_error error;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(request, sizeof request, format, arguments);
    va_end(arguments);
    quote(request);
    json_t *first = ask_job(session, request);
    char *echo = json_dumps(json_object_get(first, "request"), 0);
    json_t *second = ask_job(session, echo);
    assert_same(request, first, second);
    json_decref(first);
    json_decref(second);
    free(echo);
    for (size_t i = 0; i < COUNT(FORMATS); i++) {
        char *text = NULL;
        if (orr_session_render(session, request, "request", FORMATS[i], NULL, &text, &error))
            fail_msg("%s", error.text);
        assert_true(text && text[0]);
        if (said && FORMATS[i] == ORR_FORMAT_EXPLAIN && !strstr(text, said))
            fail_msg("%s: the report does not say \"%s\"", request, said);
        free(text);
    }
}

#define DENSE(plan, workload)                                                                                          \
    "{'kind':'train','model':'llama2-7b','system':'h100-sxm','gpus':8,'plan':{" plan                                   \
    "},'workload':{'global_batch':16" workload "}}"
#define SPARSE(plan, workload)                                                                                         \
    "{'kind':'train','model':'mixtral-8x7b','system':'h100-sxm','gpus':8,'plan':{" plan "},'workload':{'global_batch'" \
    ":16" workload "}}"
#define SERVED(model, more)                                                                                            \
    "{'kind':'infer','model':'" model "','system':'h200-sxm','plan':{'tp':8},'workload':{'input_len':300,"             \
    "'output_len':20,'batch':4" more "}}"

/* Each schedule with the chunks it needs, and the equation that its bubble is explained by. */
static void schedules(void **state)
{
    static const struct {
        const char *name, *source;
        int vpp;
    } SCHEDULES[] = {{"gpipe", "Eqs. 67", 1},   {"1f1b", "Eqs. 68", 1},      {"interleaved", "Eqs. 69", 2},
                     {"zb-h1", "Eqs. 70", 1},   {"zb-h2", "Eqs. 71", 1},     {"zb-v", "Eqs. 137", 2},
                     {"v-half", "Eqs. 138", 2}, {"dualpipe", "Eqs. 139", 1}, {"dualpipe-v", "Eqs. 140", 2}};
    const struct world *w = *state;
    struct orr_session *session = orr_session_new(w->catalogue);
    assert_int_equal(COUNT(SCHEDULES), ORR_N_SCHEDULES);
    for (size_t i = 0; i < COUNT(SCHEDULES); i++)
        check_job(session, SCHEDULES[i].source, DENSE("'tp':2,'pp':4,'schedule':'%s','vpp':%d", ""), SCHEDULES[i].name,
                  SCHEDULES[i].vpp);
    orr_session_free(session);
}

/* Each row is one value of a set that a training request may name. */
static void training(void **state)
{
    static const char *const JOBS[] = {
        DENSE("'zero':0", ""),
        DENSE("'zero':2", ",'optimizer':'adamw'"),
        DENSE("'zero':3", ",'optimizer':'adamw-bf16-states'"),
        DENSE("'zero':3,'reshard_after_forward':false", ",'optimizer':'adamw-16bit-gradients'"),
        DENSE("'zero':2,'zero_group':4", ",'optimizer':'adamw-fp32-states'"),
        DENSE("'zero':3,'zero_secondary':4", ",'optimizer':'adamw-bf16'"),
        DENSE("'zero':1,'zero_group':4", ",'optimizer':'adamw-8bit'"),
        DENSE("'tp':2,'sp':true", ",'optimizer':'muon'"),
        DENSE("'cp':2,'cp_kind':'allgather'", ",'optimizer':'muon-bf16'"),
        DENSE("'cp':2,'cp_kind':'ulysses'", ",'optimizer':'adafactor'"),
        DENSE("'cp':2,'cp_kind':'ring'", ",'optimizer':'sgd-momentum'"),
        DENSE("'overlap':'none'", ",'optimizer':'sgd'"),
        DENSE("'overlap':'tp,dp','tp':2", ",'recompute':'core'"),
        DENSE("'pp':2,'stages':'even'", ",'recompute':'selective'"),
        DENSE("'pp':2,'stages':'by-cost'", ",'recompute':'selective-op'"),
        DENSE("'pp':2,'stage_layers':[15,17]", ",'recompute':'full'"),
        DENSE("", ",'recompute':'full','recompute_every':4"),
        DENSE("", ",'recompute':'full','recompute_first':7"),
        DENSE("", ",'recompute':'full','recompute_nth':3"),
        DENSE("", ",'recompute':'ops:norm,qkv,mlp_act'"),
        DENSE("'offload':'optimizer=cpu'", ""),
        DENSE("'offload':'optimizer=nvme,parameters=nvme,activations=cpu','zero':3", ""),
        DENSE("", ",'adapter':'lora:rank=8,targets=q+v'"),
        DENSE("", ",'adapter':'dora:rank=32,format=bf16'"),
        DENSE("", ",'adapter':'qlora:base=nf4-single'"),
        DENSE("", ",'adapter':'lora:base=int8,targets=o+gate+up+down+k'"),
        DENSE("", ",'frozen':'embeddings,head,layers:12'"),
        DENSE("", ",'precision':'fp8','fp8_recipe':'rowwise'"),
        DENSE("", ",'precision':'fp8','fp8_recipe':'tensorwise','comm_precision':'fp8'"),
        DENSE("", ",'precision':'fp16','gradient_precision':'fp32'"),
        DENSE("", ",'precision':'tf32','attention':'unfused','hidden_dropout':true,'attention_dropout':true"),
        DENSE("", ",'attention':'flash3','causal':false"),
        DENSE("", ",'ideal_overheads':true,'activation_precision':'fp8'"),
        DENSE("", ",'optimizer_in_backward':true,'micro_batch':2,'optimizer':'adamw'"),
        DENSE("", ",'layer_graphs':true"),
        SPARSE("'ep':8", ",'moe_imbalance':1.5"),
        SPARSE("'ep':4,'etp':2,'tp':2", ",'moe_capacity':1.25"),
        SPARSE("'ep':8", ",'recompute':'ops:expert_up,dispatch'"),
        SPARSE("'ep':8", ",'adapter':'lora:targets=attention'"),
        ("{'kind':'train','model':'deepseek-v2-lite','system':'h100-sxm','gpus':8,'plan':{'ep':8},'workload':{"
         "'global_batch':16,'adapter':'lora:rank=8'}}"),
    };
    const struct world *w = *state;
    struct orr_session *session = orr_session_new(w->catalogue);
    for (size_t i = 0; i < COUNT(JOBS); i++) check_job(session, NULL, "%s", JOBS[i]);
    orr_session_free(session);
}

static void inference(void **state)
{
    static const char *const JOBS[] = {
        SERVED("llama3.1-70b", ",'precision':'fp8','kv_precision':'fp8'"),
        SERVED("llama3.1-70b", ",'precision':'awq'"),
        SERVED("llama3.1-70b", ",'precision':'int8','matrix_precision':'bf16'"),
        SERVED("llama3.1-70b", ",'precision':'q4_k_m','engine':'llama.cpp-2024'"),
        SERVED("llama3.1-70b", ",'prefix_hit_frac':0.5,'chunk_tokens':128"),
        SERVED("llama3.1-70b", ",'draft_model':'llama3-8b','draft_tokens':3,'draft_accept_frac':0.7"),
        SERVED("llama3.1-70b", ",'disaggregated':true"),
        SERVED("llama3.1-70b", ",'comm_precision':'fp8','attention_precision':'fp8'"),
        SERVED("deepseek-v3", ",'draft_model':'mtp','draft_tokens':1"),
        SERVED("deepseek-v3", ",'engine':'sglang'"),
        SERVED("deepseek-v3", ",'engine':'sglang','two_batch_overlap':true,'expert_copies':true"),
        SERVED("llama3.1-70b", ",'engine':'vllm','graphs':false,'async_scheduling':true,'chunked_prefill':'off'"),
        SERVED("llama3.1-70b", ",'engine':'vllm','graphs':'engine','prefix_cache':0"),
        SERVED("gpt-oss-120b", ",'ideal_overheads':true"),
        SERVED("mixtral-8x7b", ",'moe_imbalance':2"),
        SERVED("deepseek-v4-flash", ""), /* products of several formats */
    };
    const struct world *w = *state;
    struct orr_session *session = orr_session_new(w->catalogue);
    for (size_t i = 0; i < COUNT(JOBS); i++) check_job(session, NULL, "%s", JOBS[i]);
    orr_session_free(session);
}

/* What one request switches does not reach the next of its session, which has the same engine. Without graphs the host
 * launches every kernel of a decode step, 80 layers of which take it longer than one sequence takes eight GPUs. */
static void options_are_of_one_request(void **state)
{
    static const char *const JOBS[] = {SERVED("llama3.1-70b", ",'engine':'vllm'"),
                                       SERVED("llama3.1-70b", ",'engine':'vllm','graphs':false"),
                                       SERVED("llama3.1-70b", ",'engine':'vllm'")};
    const struct world *w = *state;
    struct orr_session *session = orr_session_new(w->catalogue);
    double tpot_s[COUNT(JOBS)];
    for (size_t i = 0; i < COUNT(JOBS); i++) {
        char request[REQUEST];
        (void)snprintf(request, sizeof request, "%s", JOBS[i]);
        quote(request);
        json_t *answer = ask_job(session, request);
        tpot_s[i] = json_number_value(json_object_get(answer, "tpot_s"));
        json_decref(answer);
    }
    assert_true(tpot_s[0] > 0 && tpot_s[1] > 1.2 * tpot_s[0]);
    assert_close(tpot_s[2], tpot_s[0], 0);
    orr_session_free(session);
}

/* ---------------------------------------------------------------- words */

/* How the name of an engine led to the one that answers is said wherever it is not the name itself. */
static void engines_by_other_names(void **state)
{
    static const char *const NAMES[][2] = {
        {"vllm-0.17", NULL},
        {"vllm-0.17.1", "is one of the versions that"},
        {"vllm-99.1", "the nearest older version is"},
        {"vllm-0.0.1", "is older than all that are listed"},
        {"llama.cpp", "without a version means version 2025"},
    };
    const struct world *w = *state;
    struct orr_session *session = orr_session_new(w->catalogue);
    const struct orr_style style = {.width = 1000, .colour = true};
    for (size_t i = 0; i < COUNT(NAMES); i++) {
        char request[REQUEST], *text = NULL;
        struct orr_error error;
        (void)snprintf(
            request, sizeof request,
            "{'kind':'infer','model':'llama3-8b','system':'h100-sxm','workload':{'engine':'%s','input_len':99,"
            "'output_len':9}}",
            NAMES[i][0]);
        quote(request);
        if (orr_session_render(session, request, "request", ORR_FORMAT_TERMINAL, &style, &text, &error))
            fail_msg("%s: %s", NAMES[i][0], error.text);
        const char *asked = strstr(text, NAMES[i][0]);
        if (NAMES[i][1] && (!asked || !strstr(text, NAMES[i][1])))
            fail_msg("%s: no \"%s\" in %s", NAMES[i][0], NAMES[i][1], text);
        assert_non_null(strstr(text, "\033[0m"));
        free(text);
    }
    orr_session_free(session);
}

/* Six numbers of GPUs are the first two and the last. */
static void long_lists_are_cut(void **state)
{
    const struct world *w = *state;
    struct orr_search *search;
    struct orr_error error;
    const struct orr_style style = {.width = 200, .colour = true};
    char request[] = "{'kind':'infer','model':'llama3-8b','system':'h100-sxm','gpus':[1,2,3,4,6,8],'workload':{"
                     "'input_len':99,'output_len':9}}";
    quote(request);
    if (orr_search_open(w->catalogue, request, "request", &search, &error)) fail_msg("%s", error.text);
    if (orr_search_run(search, 1, NULL, NULL, &error)) fail_msg("%s", error.text);
    char *text = orr_search_render(search, ORR_FORMAT_TERMINAL, &style);
    assert_non_null(strstr(text, "1, 2, … 8"));
    free(text);
    orr_search_free(search);
}

/* ---------------------------------------------------------------- services */

static json_t *ask_service(const struct world *w, const char *request)
{
    struct orr_error error;
    struct orr_service *service = NULL;
    if (orr_service_open(w->catalogue, request, "request", &service, &error)) fail_msg("%s: %s", request, error.text);
    if (orr_service_run(service, NULL, NULL, NULL, &error)) fail_msg("%s: %s", request, error.text);
    char *text = orr_service_render(service, ORR_FORMAT_JSON, NULL), *words;
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(words = orr_service_render(service, ORR_FORMAT_TERMINAL, NULL));
    free(words);
    free(text);
    orr_service_close(service);
    return json;
}

#define LOADED(traffic, more)                                                                                          \
    "{'kind':'serving','model':'llama3-8b','system':'h100-sxm','gpus':2,'workload':{'engine':'vllm'},'traffic':{"      \
    "'requests':40," traffic "}" more "}"

static void services(void **state)
{
    static const char *const JOBS[] = {
        LOADED("'rate_per_s':8,'input_len':200,'output_len':20", ""),
        LOADED("'rate_per_s':8,'input_len':'100:300','output_len':'20~0.5'", ",'slo':['ttft_s.p50<=1 s','queue_s.p90<=1"
                                                                             " s','tpot_s.p95<=1 s','itl_s.mean<=1 s',"
                                                                             "'latency_s<=9 s']"),
        LOADED("'arrival':'gamma','burstiness':0.3,'rate_per_s':8,'input_len':{'law':'exponential','mean':200},"
               "'output_len':{'law':'empirical','points':[5,10,30,90]}",
               ""),
        LOADED("'arrival':'constant','rate_per_s':8,'input_len':200,'output_len':20,'router':'least-loaded'", ""),
        LOADED("'arrival':'diurnal','swing_frac':0.5,'period_s':20,'rate_per_s':8,'input_len':200,'output_len':20,"
               "'router':'power-of-two'",
               ""),
        LOADED("'arrival':'saturated','input_len':200,'output_len':20,'max_output_len':64", ""),
        LOADED("'concurrency':6,'think_s':0.5,'input_len':{'law':'lognormal','mean':200,'cv':1,'low':50,'high':400},"
               "'output_len':20",
               ""),
        LOADED("'rate_per_s':8,'input_len':200,'output_len':20,'prefix_share':0.5,'prefix_groups':3,'router':'prefix'",
               ""),
        LOADED("'rate_per_s':8,'input_len':200,'output_len':20,'adapters':3,'adapter_rank':32,'urgent_share':0.25", ""),
        LOADED("'rate_per_s':8,'input_len':200,'output_len':20,'warmup_s':1,'seed':7", ",'deployment':{"
                                                                                       "'max_outstanding':16}"),
        LOADED("'rate_per_s':8,'input_len':200,'output_len':20", ",'deployment':{'failures':[{'pool':0,'replica':1,"
                                                                 "'at_s':1,'down_s':2}]}"),
        LOADED("'rate_per_s':8,'input_len':200,'output_len':20", ",'deployment':{'autoscale':{'least':1,'most':2,"
                                                                 "'requests':4,'start_s':1}}"),
    };
    const struct world *w = *state;
    for (size_t i = 0; i < COUNT(JOBS); i++) {
        char request[REQUEST];
        (void)snprintf(request, sizeof request, "%s", JOBS[i]);
        quote(request);
        json_t *first = ask_service(w, request);
        char *echo = json_dumps(json_object_get(first, "request"), 0);
        json_t *second = ask_service(w, echo);
        assert_same(request, first, second);
        json_decref(first);
        json_decref(second);
        free(echo);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(schedules),
                                       cmocka_unit_test(training),
                                       cmocka_unit_test(inference),
                                       cmocka_unit_test(options_are_of_one_request),
                                       cmocka_unit_test(engines_by_other_names),
                                       cmocka_unit_test(long_lists_are_cut),
                                       cmocka_unit_test(services)};
    return cmocka_run_group_tests_name("round trip", tests, open_world, close_world);
}
