/* Answers to requests while one allocation fails: jobs, searches, sweeps, services, sizes, comparisons, lists. */
#include "failing.h"

#include "base/text.h"

/* ---------------------------------------------------------------- questions */

static char *ask_catalogue(const struct orr_catalogue *catalogue, const char *request, enum orr_format format,
                           struct orr_error *error)
{
    struct orr_catalogue *own;
    const char *directories[] = {request};
    char *text = NULL;
    (void)catalogue;
    if (orr_catalogue_open(directories, 1, &own, error)) return NULL;
    if (orr_catalogue_render(own, ORR_PART_CHIP, true, format, NULL, &text, error)) text = NULL;
    orr_catalogue_close(own);
    return text;
}

static char *ask_facts(const struct orr_catalogue *catalogue, const char *request, enum orr_format format,
                       struct orr_error *error)
{
    char *text = NULL;
    if (orr_facts_render(catalogue, ORR_PART_ENGINE, request, "vllm", format, NULL, &text, error)) return NULL;
    return text;
}

static char *ask_session(const struct orr_catalogue *catalogue, const char *request, enum orr_format format,
                         struct orr_error *error)
{
    struct orr_session *session = orr_session_new(catalogue);
    char *text = NULL;
    if (!session) return no_text(error, NULL);
    if (orr_session_render(session, request, "request", format, NULL, &text, error)) text = NULL;
    orr_session_free(session);
    return text;
}

static char *ask_search(const struct orr_catalogue *catalogue, const char *request, enum orr_format format,
                        struct orr_error *error)
{
    struct orr_search *search;
    char *text = NULL;
    if (orr_search_open(catalogue, request, "request", &search, error)) return NULL;
    if (!orr_search_run(search, 1, NULL, NULL, error)) text = no_text(error, orr_search_render(search, format, NULL));
    orr_search_free(search);
    return text;
}

static char *ask_sweep(const struct orr_catalogue *catalogue, const char *request, enum orr_format format,
                       struct orr_error *error)
{
    static struct orr_sweep_row rows[4];
    struct orr_sweep *sweep;
    char *text = NULL;
    if (orr_sweep_open_json(catalogue, request, "request", 1, &sweep, error)) return NULL;
    if (!orr_sweep_run(sweep, 0, 4, rows, error))
        text = no_text(error, orr_sweep_render(sweep, 0, 4, rows, format, NULL));
    orr_sweep_close(sweep);
    return text;
}

static char *ask_service(const struct orr_catalogue *catalogue, const char *request, enum orr_format format,
                         struct orr_error *error)
{
    struct orr_service *service;
    char *text = NULL;
    if (orr_service_open(catalogue, request, "request", &service, error)) return NULL;
    if (!orr_service_run(service, NULL, NULL, NULL, error))
        text = no_text(error, orr_service_render(service, format, NULL));
    orr_service_close(service);
    return text;
}

static char *ask_solution(const struct orr_catalogue *catalogue, const char *request, enum orr_format format,
                          struct orr_error *error)
{
    struct orr_service *service;
    char *text = NULL;
    if (orr_service_open(catalogue, request, "request", &service, error)) return NULL;
    if (!orr_service_solve(service, error)) text = no_text(error, orr_service_render(service, format, NULL));
    orr_service_close(service);
    return text;
}

static char *ask_size(const struct orr_catalogue *catalogue, const char *request, enum orr_format format,
                      struct orr_error *error)
{
    struct orr_size *size;
    char *text = NULL;
    if (orr_size_open(catalogue, request, "request", &size, error)) return NULL;
    if (!orr_size_run(size, 1, NULL, NULL, NULL, error)) text = no_text(error, orr_size_render(size, format, NULL));
    orr_size_close(size);
    return text;
}

static char *ask_sensitivity(const struct orr_catalogue *catalogue, const char *request, enum orr_format format,
                             struct orr_error *error)
{
    struct orr_reader *reader = orr_reader_new(catalogue);
    const struct orr_job *job;
    char *text = NULL;
    if (!reader) return no_text(error, NULL);
    if (!orr_reader_job(reader, request, "request", NULL, &job, error))
        text = no_text(error, orr_sensitivity_render(job, format, NULL));
    orr_reader_free(reader);
    return text;
}

static char *ask_comparison(const struct orr_catalogue *catalogue, const char *request, enum orr_format format,
                            struct orr_error *error)
{
    char *text = NULL;
    return orr_compare_ask(catalogue, request, "request", format, NULL, &text, error) ? NULL : text;
}

static char *ask_technology(const struct orr_catalogue *catalogue, const char *request, enum orr_format format,
                            struct orr_error *error)
{
    char *text = NULL;
    (void)format;
    return orr_technology_ask(catalogue, request, "request", &text, error) ? NULL : text;
}

/* The request is the path of a table of measurements. */
/* CSV stands for the file of constants that a fit makes. */
static void take_launch(void *context, const char *name, const char *text)
{
    orr_text_add(context, "%s\n%s\n", name, text);
}

static char *ask_launch(const struct orr_catalogue *catalogue, const char *request, enum orr_format format,
                        struct orr_error *error)
{
    struct orr_search *search;
    struct orr_text text = {0};
    (void)format;
    if (orr_search_open(catalogue, request, "request", &search, error)) return NULL;
    bool good = !orr_search_run(search, 1, NULL, NULL, error);
    if (good && !orr_search_launch(search, take_launch, &text)) good = no_text(error, NULL);
    orr_search_free(search);
    char *all = orr_text_take(&text);
    if (good) return no_text(error, all);
    free(all);
    return NULL;
}

static char *ask_engines(const struct orr_catalogue *catalogue, const char *request, enum orr_format format,
                         struct orr_error *error)
{
    char *text = NULL;
    const enum orr_job_kind kind = strcmp(request, "train") == 0 ? ORR_JOB_TRAIN : ORR_JOB_INFER;
    return orr_engines_render(catalogue, kind, format, &text, error) ? NULL : text;
}

/* As if nobody had seen its sources, and of these the rows of one system. */
static char *ask_schema(const struct orr_catalogue *catalogue, const char *request, enum orr_format format,
                        struct orr_error *error)
{
    (void)catalogue, (void)format;
    return no_text(error, orr_schema_text(request));
}

/* ---------------------------------------------------------------- the cases */

#define TRAIN                                                                                                          \
    "'kind':'train','model':'llama2-7b','system':'h100-sxm','gpus':8,'plan':{'tp':2,'pp':2},"                          \
    "'workload':{'global_batch':8}"
#define INFER                                                                                                          \
    "'kind':'infer','model':'mixtral-8x7b','system':'h100-sxm','plan':{'tp':2},'workload':{'input_len':200,"           \
    "'output_len':20}"
#define LOAD                                                                                                           \
    "'model':'llama3-8b','system':'h100-sxm','workload':{'engine':'vllm'},'traffic':{'rate_per_s':4,'input_len':"      \
    "'200~0.5','output_len':20,'requests':40}"

#define SIZE "{'kind':'size'," LOAD ",'slo':['ttft_s.p99<=1 s'],'size':{'budget':1,'batch':'64','chunk':'2048'}}"
#define NO_SIZE                                                                                                        \
    "{'kind':'size','model':'deepseek-v3','system':'h100-sxm','traffic':{'rate_per_s':4,'input_len':200,"              \
    "'output_len':20,'requests':40},'slo':['ttft_s.p99<=1 s'],'size':{'budget':1,'batch':'64','chunk':'2048'}}"

static const struct failing_case CASES[] = {
    {"catalogue", ask_catalogue, "tests/unit/fixtures", ORR_FORMAT_TERMINAL},
    {"catalogue as a page", ask_catalogue, "tests/unit/fixtures", ORR_FORMAT_HTML},
    {"facts", ask_facts, "sglang", ORR_FORMAT_JSON},
    {"a step", ask_session, "{" TRAIN "}", ORR_FORMAT_TERMINAL},
    {"a step as a page", ask_session, "{" TRAIN "}", ORR_FORMAT_HTML},
    {"a step explained", ask_session, "{" TRAIN "}", ORR_FORMAT_JSON_EXPLAINED},
    {"a step's timeline", ask_session, "{" TRAIN "}", ORR_FORMAT_DUMP_TIMELINE},
    {"a step's trace", ask_session, "{" TRAIN "}", ORR_FORMAT_TRACE},
    {"a request", ask_session, "{" INFER "}", ORR_FORMAT_JSON_EXPLAINED},
    {"a request as a page", ask_session, "{" INFER "}", ORR_FORMAT_HTML},
    {"a request's trace", ask_session, "{" INFER "}", ORR_FORMAT_TRACE},
    {"a set value", ask_session, "{" TRAIN ",'set':{'chip.hbm_bytes_per_s':'4 TB/s','model.num_hidden_layers':8}}",
     ORR_FORMAT_CSV},
    {"a model file", ask_session, "{'kind':'train','model':'data/models/qwen3-8b.json','system':'h100-sxm','gpus':8}",
     ORR_FORMAT_JSON},
    {"a generated machine", ask_session,
     "{'kind':'train','model':'llama2-7b','system':'generated:node=5,memory=hbm3','gpus':8}", ORR_FORMAT_JSON},
    {"search", ask_search,
     "{'kind':'train','model':'llama2-7b','system':'h100-sxm','gpus':2,'workload':{'global_batch':4}}",
     ORR_FORMAT_JSON},
    {"search as a page", ask_search,
     "{'kind':'infer','model':'llama3-8b','system':'h100-sxm','gpus':2,'workload':{'input_len':100,'output_len':8}}",
     ORR_FORMAT_HTML},
    {"sweep", ask_sweep, "{'request':{" TRAIN "},'vary':[{'field':'plan.tp','values':[1,2,3,4]}]}", ORR_FORMAT_JSON},
    {"sweep as a page", ask_sweep,
     "{'request':{" TRAIN
     "},'vary':[{'field':'plan.zero','values':'0:1:+1'},{'field':'chip.tdp_w','values':'300,400'}]}",
     ORR_FORMAT_HTML},
    {"service", ask_service, "{" LOAD ",'slo':['ttft_s.p99<=1 s']}", ORR_FORMAT_JSON_EXPLAINED},
    {"service as a page", ask_service, "{" LOAD ",'slo':['ttft_s.p99<=1 s']}", ORR_FORMAT_HTML},
    {"service, line by line", ask_service, "{" LOAD "}", ORR_FORMAT_CSV},
    {"service's trace", ask_service, "{" LOAD "}", ORR_FORMAT_TRACE},
    {"service in closed form", ask_solution, "{" LOAD "}", ORR_FORMAT_TERMINAL},
    {"size", ask_size, "{" LOAD ",'slo':['ttft_s.p99<=1 s'],'size':{'budget':1,'batch':'64','chunk':'2048'}}",
     ORR_FORMAT_JSON},
    {"sensitivity", ask_sensitivity, "{" TRAIN "}", ORR_FORMAT_JSON},
    {"sensitivity as a page", ask_sensitivity, "{" TRAIN "}", ORR_FORMAT_HTML},
    {"comparison", ask_comparison, "{'requests':[{" TRAIN "},{" TRAIN ",'set':{'chip.tdp_w':500}}]}", ORR_FORMAT_JSON},
    {"comparison in words", ask_comparison, "{'requests':[{" TRAIN "},{" TRAIN ",'set':{'chip.tdp_w':500}}]}",
     ORR_FORMAT_TERMINAL},
    {"technology", ask_technology, "{'cost':'node=5,memory=hbm3'}", ORR_FORMAT_JSON},
    {"technology of nodes", ask_technology, "{'nodes':'memory=hbm3'}", ORR_FORMAT_JSON},
    {"two pools", ask_service,
     "{'model':'llama3-8b','system':'h100-sxm','workload':{'disaggregated':true},'traffic':{'rate_per_s':4,'input_len':"
     "200,"
     "'output_len':9,'requests':20},'deployment':{'pools':'decode,tp=2,dp=2','failures':'pool=1,replica=1,at_s=1,down_"
     "s=2'}}",
     ORR_FORMAT_JSON},
    {"search with limits", ask_search,
     "{'kind':'infer','model':'llama3-8b','system':'h100-sxm','gpus':2,'workload':{'input_len':100,'output_len':8},"
     "'search':{'limits':['ttft_s<=1 s'],'objective':'throughput'}}",
     ORR_FORMAT_TERMINAL},
    {"launch files", ask_launch,
     "{'kind':'train','model':'llama2-7b','system':'h100-sxm','gpus':16,'plan':{'tp':8,'pp':2},'workload':{"
     "'global_batch':4,'micro_batch':1,'recompute':'none','engine':'megatron-core-2025'}}",
     ORR_FORMAT_JSON},
    {"launch files of a server", ask_launch,
     "{'kind':'infer','model':'llama3-8b','system':'h100-sxm','gpus':2,'plan':{'tp':2},'workload':{'input_len':100,"
     "'output_len':8,'batch':4,'engine':'vllm'}}",
     ORR_FORMAT_JSON},
    {"engines", ask_engines, "train", ORR_FORMAT_TERMINAL},
    {"engines as data", ask_engines, "infer", ORR_FORMAT_JSON},
    {"search in words", ask_search,
     "{'kind':'train','model':'llama2-7b','system':'h100-sxm','gpus':2,'workload':{'global_batch':4},"
     "'search':{'compare':'tp=2','objective':'cost'}}",
     ORR_FORMAT_TERMINAL},
    {"search under a load", ask_search,
     "{'kind':'infer','model':'llama3-8b','system':'h100-sxm','gpus':2,'plan':{'tp':[1,2]},'workload':{'input_len':100,"
     "'output_len':8},'search':{'concurrency':4}}",
     ORR_FORMAT_JSON},
    {"sweep in words", ask_sweep, "{'request':{" TRAIN "},'vary':[{'field':'plan.zero','values':[0,1]}]}",
     ORR_FORMAT_TERMINAL},
    {"size in words", ask_size, "{" LOAD ",'slo':['ttft_s.p99<=1 s'],'size':{'budget':1,'batch':'64','chunk':'2048'}}",
     ORR_FORMAT_TERMINAL},
    {"size of two pools", ask_size,
     "{'model':'llama3-8b','system':'h100-sxm','plan':{'tp':[1]},'workload':{'engine':'vllm','disaggregated':true},"
     "'traffic':{'rate_per_s':2,'input_len':200,'output_len':20,'requests':20},'slo':['ttft_s.p99<=1 s'],'size':{"
     "'budget':'2 GPUs','batch':'64','chunk':'2048'}}",
     ORR_FORMAT_JSON},
    {"services side by side", ask_comparison, "{'requests':[{'kind':'serving'," LOAD "},{'kind':'serving'," LOAD "}]}",
     ORR_FORMAT_JSON},
    {"services in words", ask_comparison, "{'requests':[{'kind':'serving'," LOAD "},{'kind':'serving'," LOAD "}]}",
     ORR_FORMAT_TERMINAL},
    {"sizes side by side", ask_comparison, "{'requests':[" SIZE "," SIZE "]}", ORR_FORMAT_JSON},
    {"sizes in words", ask_comparison, "{'requests':[" SIZE "," SIZE "]}", ORR_FORMAT_TERMINAL},
    {"a size without a plan", ask_size, NO_SIZE, ORR_FORMAT_JSON},
    {"a size as a page", ask_size,
     "{" LOAD ",'slo':['ttft_s.p99<=1 s'],'size':{'budget':1,'batch':'64','chunk':'2048'}}", ORR_FORMAT_HTML},
    {"service in words", ask_service, "{" LOAD ",'slo':['ttft_s.p99<=1 s']}", ORR_FORMAT_TERMINAL},
    {"a step's operators", ask_session, "{" TRAIN "}", ORR_FORMAT_DUMP_OPS},
    {"a step's memory", ask_session, "{" TRAIN "}", ORR_FORMAT_DUMP_MEMORY},
    {"a step's ledger", ask_session, "{" TRAIN "}", ORR_FORMAT_DUMP_LEDGER},
    {"a step in full", ask_session, "{" TRAIN "}", ORR_FORMAT_EXPLAIN},
    {"a request in full", ask_session, "{" INFER "}", ORR_FORMAT_EXPLAIN},
    {"a schema", ask_schema, "serving", ORR_FORMAT_JSON},
};

static void every_place_may_fail(void **state)
{
    assert_true(walk_all(*state, CASES, COUNT(CASES), NULL) > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_place_may_fail)};
    return cmocka_run_group_tests_name("failing", tests, open_failing, close_world);
}
