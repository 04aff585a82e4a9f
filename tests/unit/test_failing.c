/* Every call path that allocates, failing once: the answer is then "out of memory" or the good one, never a part of it
 * and never a crash, and the next answer is good again. Leaks are found where the sanitizers run this test.
 *
 * The linker redirects the library's calls (-Wl,--wrap). A run without failures notes the place of every allocation
 * (the addresses that it returns to); one run follows for each place that was not met before. FAILING_ONLY=NAME runs
 * one case. tests/oom/ does the same to the whole program, allocation by allocation. */
#define _GNU_SOURCE
#include <execinfo.h>
#include <omp.h>

#include <jansson.h>

#include "base/memory.h"
#include "base/text.h"
#include "support.h"

/* ---------------------------------------------------------------- an allocator that fails on demand */

enum { FRAMES = 9, MOST_PLACES = 1 << 16, MOST_RUNS = 1 << 14, SECOND = 12 };

static struct {
    bool recording, paused;
    long n_done, fail_at;
    long n_second, fail_second; /* the same of a second thread alone */
    long firsts[MOST_RUNS]; /* the allocations whose place was not met before */
    size_t n_firsts;
    uint64_t met[MOST_PLACES]; /* places, as an open hash table; 0 is free */
    size_t n_met;
} allocator;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *memory, size_t size);

/* Is the place of this allocation met for the first time? */
static bool is_new_place(void)
{
    void *frames[FRAMES];
    uint64_t hash = 14695981039346656037u;
    const int n = backtrace(frames, FRAMES);
    for (int i = 0; i < n; i++) hash = (hash ^ (uint64_t)(uintptr_t)frames[i]) * 1099511628211u;
    hash |= 1;
    size_t at = (size_t)(hash >> 20) % MOST_PLACES;
    for (; allocator.met[at]; at = (at + 1) % MOST_PLACES)
        if (allocator.met[at] == hash) return false;
    if (allocator.n_met >= MOST_PLACES / 2) return false;
    allocator.n_met++;
    allocator.met[at] = hash;
    return true;
}

static bool fails(void)
{
    if (allocator.paused) return false;
    allocator.n_done++;
    if (omp_get_thread_num() == 1 && ++allocator.n_second == allocator.fail_second) return true;
    if (!allocator.recording) return allocator.n_done == allocator.fail_at;
    if (allocator.n_firsts < MOST_RUNS && is_new_place()) allocator.firsts[allocator.n_firsts++] = allocator.n_done;
    return false;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return fails() ? NULL : __real_realloc(memory, size);
}

/* The whole of a file; what the test itself allocates does not fail. */
static char *own_text(const char *path)
{
    allocator.paused = true;
    char *text = read_text(path);
    allocator.paused = false;
    return text;
}

/* ---------------------------------------------------------------- questions */

/* Asks, and returns the answer as a text; NULL: *error says why. */
typedef char *question(const struct orr_catalogue *catalogue, const char *request, enum orr_format format,
                       struct orr_error *error);

static char *no_text(struct orr_error *error, char *text)
{
    if (!text) error->code = ORR_ERR_MEMORY; /* the only reason for which a report is not made */
    return text;
}

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
static char *ask_validation(const struct orr_catalogue *catalogue, const char *request, enum orr_format format,
                            struct orr_error *error)
{
    struct orr_validation *validation = NULL;
    char *csv = own_text(request), *text = NULL;
    if (!orr_validate(catalogue, csv, request, &validation, error) && !orr_validation_group(validation, "model", error))
        text = no_text(error, orr_validation_render(validation, format, NULL));
    orr_validation_free(validation);
    free(csv);
    return text;
}

static char *ask_stack(const struct orr_catalogue *catalogue, const char *request, enum orr_format format,
                       struct orr_error *error)
{
    struct orr_stack *stack;
    char *text = NULL, *log = own_text(request);
    if (orr_stack_open(catalogue, "megatron-core-2025", &stack, error)) {
        free(log);
        return NULL;
    }
    if (!orr_stack_put(stack, "model=llama2-7b,system=h100-sxm,gpus=8,zero=1,seq=4096,global_batch=128", error) &&
        !orr_stack_add_run(stack, "micro_batch=1:step_time_s=5.6", error) &&
        !orr_stack_add_run(stack, "micro_batch=1,recompute=full:step_time_s=7.2", error) &&
        !orr_stack_add(stack, log, request, error) && !orr_stack_run(stack, error))
        text = no_text(error, orr_stack_render(stack, format, NULL));
    free(log);
    orr_stack_close(stack);
    return text;
}

static char *ask_fabric(const struct orr_catalogue *catalogue, const char *request, enum orr_format format,
                        struct orr_error *error)
{
    struct orr_fabric_fit *fit;
    char *text = NULL, *csv = own_text(request);
    const char *table = strchr(csv, '\n') + 1; /* the first line of a seed is for the fuzzer */
    if (!orr_fabric_fit_open(catalogue, "mine", "h100-sxm", &fit, error)) {
        if (!orr_fabric_fit_add(fit, table, request, error) && !orr_fabric_fit_run(fit, error))
            text = no_text(error, format == ORR_FORMAT_CSV ? orr_fabric_fit_file(fit, "2026-01-01")
                                                           : orr_fabric_fit_render(fit, format, NULL));
        orr_fabric_fit_close(fit);
    }
    free(csv);
    return text;
}

/* CSV stands for the file of constants that a fit makes. */
static char *ask_fit(const struct orr_catalogue *catalogue, const char *request, enum orr_format format,
                     struct orr_error *error)
{
    struct orr_fit *fit;
    char *text = NULL, *csv = own_text(request);
    char *table = strchr(csv, '\n'); /* the first line of a seed is the kind of its table */
    *table++ = '\0';
    if (!orr_fit_open(catalogue, "h100-sxm-80gb", &fit, error)) {
        if (!orr_fit_add(fit, csv, table, request, error) && !orr_fit_run(fit, NULL, NULL, error)) {
            if (format != ORR_FORMAT_CSV) text = no_text(error, orr_fit_render(fit, format, NULL));
            else if (orr_fit_file(fit, "2026-01-01", &text, error)) text = NULL;
        }
        orr_fit_close(fit);
    }
    free(csv);
    return text;
}

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

static char *ask_ablation(const struct orr_catalogue *catalogue, const char *request, enum orr_format format,
                          struct orr_error *error)
{
    struct orr_ablation *ablation = NULL;
    char *text = NULL, *csv = own_text(request);
    if (!orr_ablation_add(catalogue, csv, request, &ablation, error))
        text = no_text(error, orr_ablation_render(ablation, format, NULL));
    orr_ablation_free(ablation);
    free(csv);
    return text;
}

/* As if nobody had seen its sources, and of these the rows of one system. */
static char *ask_unseen(const struct orr_catalogue *catalogue, const char *request, enum orr_format format,
                        struct orr_error *error)
{
    struct orr_validation *validation = NULL;
    char *csv = own_text(request), *text = NULL;
    if (!orr_validate(catalogue, csv, request, &validation, error) && !orr_validation_unseen(&validation, error))
        text = no_text(error, orr_validation_render(validation, format, NULL));
    orr_validation_free(validation);
    free(csv);
    return text;
}

static char *ask_fit_of_runs(const struct orr_catalogue *catalogue, const char *request, enum orr_format format,
                             struct orr_error *error)
{
    char *text = NULL;
    (void)format;
    return orr_stack_ask(catalogue, request, "request", &text, error) ? NULL : text;
}

static char *ask_study(const struct orr_catalogue *catalogue, const char *request, enum orr_format format,
                       struct orr_error *error)
{
    struct orr_study *study;
    if (orr_study_run(catalogue, request, NULL, NULL, &study, error)) return NULL;
    char *text = no_text(error, orr_study_render(study, format, NULL));
    orr_study_free(study);
    return text;
}

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

static const struct {
    const char *name;
    question *ask;
    const char *request; /* with ' for " */
    enum orr_format format;
} CASES[] = {
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
    {"validation", ask_validation, "validation/layer_times.csv", ORR_FORMAT_JSON},
    {"validation as a page", ask_validation, "validation/layer_times.csv", ORR_FORMAT_HTML},
    {"a stack", ask_stack, "tests/unit/fixtures/logs/megatron.log", ORR_FORMAT_JSON},
    {"a fabric", ask_fabric, "tests/fuzz/seeds/calibrate/fabric.csv", ORR_FORMAT_JSON},
    {"constants", ask_fit, "tests/fuzz/seeds/calibrate/gemm.csv", ORR_FORMAT_JSON},
    {"two pools", ask_service,
     "{'model':'llama3-8b','system':'h100-sxm','workload':{'disaggregated':true},'traffic':{'rate_per_s':4,'input_len':"
     "200,"
     "'output_len':9,'requests':20},'deployment':{'pools':'decode,tp=2,dp=2','failures':'pool=1,replica=1,at_s=1,down_"
     "s=2'}}",
     ORR_FORMAT_JSON},
    {"validation of services", ask_validation, "tests/fuzz/seeds/csv/serving.csv", ORR_FORMAT_TERMINAL},
    {"validation of requests", ask_validation, "tests/fuzz/seeds/csv/inference.csv", ORR_FORMAT_CSV},
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
    {"pieces left out", ask_ablation, "tests/fuzz/seeds/csv/training.csv", ORR_FORMAT_JSON},
    {"pieces left out, in words", ask_ablation, "tests/fuzz/seeds/csv/training.csv", ORR_FORMAT_TERMINAL},
    {"unseen sources", ask_unseen, "tests/fuzz/seeds/csv/training.csv", ORR_FORMAT_TERMINAL},
    {"unseen sources as data", ask_unseen, "tests/fuzz/seeds/csv/training.csv", ORR_FORMAT_JSON},
    {"validation of steps", ask_validation, "tests/fuzz/seeds/csv/training.csv", ORR_FORMAT_HTML},
    {"a fit of runs", ask_fit_of_runs,
     "{'runs':['micro_batch=1:step_time_s=5.6'],'with':'model=llama2-7b,system=h100-sxm,gpus=8,zero=1,seq=4096,"
     "global_batch=128','engine':'megatron-core-2025','name':'mine','skip':0}",
     ORR_FORMAT_JSON},
    {"a study", ask_study, "dram", ORR_FORMAT_JSON},
    {"constants of attention", ask_fit, "tests/fuzz/seeds/calibrate/attention_decode.csv", ORR_FORMAT_TERMINAL},
    {"a file of constants", ask_fit, "tests/fuzz/seeds/calibrate/pointwise.csv", ORR_FORMAT_CSV},
    {"constants of batched products", ask_fit, "tests/fuzz/seeds/calibrate/bmm.csv", ORR_FORMAT_JSON},
    {"a fabric in words", ask_fabric, "tests/fuzz/seeds/calibrate/fabric.csv", ORR_FORMAT_TERMINAL},
    {"a fabric's file", ask_fabric, "tests/fuzz/seeds/calibrate/fabric.csv", ORR_FORMAT_CSV},
    {"search in words", ask_search,
     "{'kind':'train','model':'llama2-7b','system':'h100-sxm','gpus':2,'workload':{'global_batch':4},"
     "'search':{'compare':'tp=2','objective':'cost'}}",
     ORR_FORMAT_TERMINAL},
    {"search under a load", ask_search,
     "{'kind':'infer','model':'llama3-8b','system':'h100-sxm','gpus':2,'plan':{'tp':[1,2]},'workload':{'input_len':100,"
     "'output_len':8,'batch':8},'search':{'concurrency':4}}",
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
    {"service in words", ask_service, "{" LOAD ",'slo':['ttft_s.p99<=1 s']}", ORR_FORMAT_TERMINAL},
    {"a step's operators", ask_session, "{" TRAIN "}", ORR_FORMAT_DUMP_OPS},
    {"a step's memory", ask_session, "{" TRAIN "}", ORR_FORMAT_DUMP_MEMORY},
    {"a step's ledger", ask_session, "{" TRAIN "}", ORR_FORMAT_DUMP_LEDGER},
    {"a step in full", ask_session, "{" TRAIN "}", ORR_FORMAT_EXPLAIN},
    {"a request in full", ask_session, "{" INFER "}", ORR_FORMAT_EXPLAIN},
    {"a schema", ask_schema, "serving", ORR_FORMAT_JSON},
};

static char *ask(const struct world *w, size_t i, const char *request, struct orr_error *error)
{
    memset(error, 0, sizeof *error);
    char *text = CASES[i].ask(w->catalogue, request, CASES[i].format, error);
    /* The only number that a clock decides. */
    for (char *at = text; at && (at = strstr(at, "simulated_requests_per_s"));) {
        const char *rest = strchr(at, ',');
        if (!rest) break;
        memmove(at, rest, strlen(rest) + 1);
    }
    return text;
}

/* What is wrong with an answer, a failed allocation in view; NULL: nothing. */
static const char *wrong(const char *text, const char *good, const struct orr_error *error)
{
    if (text) return strcmp(text, good) == 0 ? NULL : "another answer";
    if (error->code != ORR_ERR_MEMORY) return error->text[0] ? error->text : "neither an answer nor an error";
    return NULL;
}

/* Does every thread begin its next question without a note of memory that an earlier one lacked? */
static bool threads_are_clean(void)
{
    bool clean = true;
#pragma omp parallel reduction(&& : clean)
    clean = !orr_memory_lacked();
    return clean;
}

/* One allocation of a case fails: of all that are made, or of those in a second thread. Returns whether all is as it
 * should be. */
static bool try_place(const struct world *w, size_t i, const char *request, const char *good, long at, bool second)
{
    struct orr_error error;
    allocator.n_done = allocator.n_second = 0;
    *(second ? &allocator.fail_second : &allocator.fail_at) = at;
    char *text = ask(w, i, request, &error);
    allocator.fail_at = allocator.fail_second = 0;
    const char *what = wrong(text, good, &error);
    if (!threads_are_clean() && !what) what = "a thread still notes that memory lacked";
    if (what) print_error("%s, allocation %ld: %s\n", CASES[i].name, at, what);
    free(text);
    if (what || at % 16) return !what;
    char *after = ask(w, i, request, &error);
    const bool again = after && strcmp(after, good) == 0;
    if (!again) print_error("%s, after allocation %ld: %s\n", CASES[i].name, at, after ? "another answer" : error.text);
    free(after);
    return again;
}

static size_t walk(const struct world *w, size_t i, size_t *n_bad)
{
    char request[1024];
    struct orr_error error;
    (void)snprintf(request, sizeof request, "%s", CASES[i].request);
    for (char *c = request; *c; c++)
        if (*c == '\'') *c = '"';
    allocator.n_firsts = 0;
    allocator.n_done = allocator.n_second = 0;
    allocator.recording = true;
    char *good = ask(w, i, request, &error);
    allocator.recording = false;
    if (!good) fail_msg("%s: %s", CASES[i].name, error.text);
    const size_t n = allocator.n_firsts;
    const long n_second = allocator.n_second < SECOND ? allocator.n_second : SECOND;
    const size_t step = CASES[i].ask == ask_stack ? 40 : 1; /* a fit takes long */
    for (size_t k = 0; k < n; k += step) *n_bad += !try_place(w, i, request, good, allocator.firsts[k], false);
    for (long at = 1; at <= n_second; at++) *n_bad += !try_place(w, i, request, good, at, true);
    free(good);
    return n;
}

static void every_place_may_fail(void **state)
{
    const struct world *w = *state;
    size_t n = 0, n_bad = 0;
    const char *only = getenv("FAILING_ONLY");
    for (size_t i = 0; i < COUNT(CASES); i++) {
        if (only && strcmp(only, CASES[i].name) != 0) continue;
        const size_t more = walk(w, i, &n_bad);
        print_message("# %s: %zu places\n", CASES[i].name, more);
        n += more;
    }
    assert_int_equal(n_bad, 0);
    assert_true(only || n > 1000);
}

static int open_failing(void **state)
{
    void *frames[FRAMES];
    (void)backtrace(frames, FRAMES);           /* which loads what it needs at its first call */
    json_set_alloc_funcs(__wrap_malloc, free); /* so that the library puts its own allocator there */
    omp_set_num_threads(2);
    return open_world(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_place_may_fail)};
    return cmocka_run_group_tests_name("failing", tests, open_failing, close_world);
}
