/* Every member of a document, replaced by what cannot stand there. The reader must refuse it in one line; a member that
 * is refused as an object of a foreign key must name the place; an object with one more member names it; and what was
 * put back is read again. Documents of measurements are damaged by tests/fuzz; here each member has its turn. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include <jansson.h>

#include "spec/part.h"
#include "spec/spec.h"
#include "spec/technology.h"
#include "support.h"

typedef enum orr_err reader(const struct world *w, const char *text, struct orr_error *error);

/* ---------------------------------------------------------------- readers */

/* A reader of one part, whose JSON is the whole document. */
#define PART_READER(name, type, call)                                                                                  \
    static enum orr_err name(const struct world *w, const char *text, struct orr_error *error)                         \
    {                                                                                                                  \
        static struct type part;                                                                                       \
        struct orr_doc doc = {0};                                                                                      \
        char other[ORR_ID]; /* the part that it names */                                                               \
        (void)w, (void)other;                                                                                          \
        enum orr_err err = orr_doc_parse(text, "part.json", &doc, error);                                              \
        if (!err) err = orr_undo_apply(&doc, NULL, error);                                                             \
        if (!err) err = call;                                                                                          \
        orr_doc_close(&doc);                                                                                           \
        return err;                                                                                                    \
    }
PART_READER(read_chip, orr_chip, orr_chip_from_json(&doc, "part", &part, other, error))
PART_READER(read_system, orr_system, orr_system_from_json(&doc, "part", &part, other, error))
PART_READER(read_fabric, orr_fabric, orr_fabric_from_json(&doc, "part", &part, error))
PART_READER(read_engine, orr_engine, orr_engine_from_json(&doc, "part", &part, error))
PART_READER(read_model, orr_model, orr_model_from_json(&doc, "part", &part, error))
PART_READER(read_calibration, orr_calibration, orr_calibration_from_json(&doc, "part", "h100-sxm-80gb", &part, error))
PART_READER(read_technology, orr_technology, orr_technology_from_json(&doc, "part", &part, error))
PART_READER(read_design, orr_design, orr_design_from_json(&doc, "part", &part, error))
PART_READER(read_dram, orr_dram, orr_dram_from_json(&doc, "part", &part, error))
PART_READER(read_network, orr_network, orr_network_from_json(&doc, "part", &part, error))

static enum orr_err read_job_of(const struct world *w, const char *text, struct orr_error *error)
{
    static struct orr_job job;
    return orr_job_read(w->catalogue, text, "request", &job, error);
}

/* A part that stands in a request, where it may have a base. */
static enum orr_err read_around(const struct world *w, const char *before, const char *text, const char *after,
                                struct orr_error *error)
{
    const size_t size = strlen(before) + strlen(text) + strlen(after) + 1;
    char *request = malloc(size);
    assert_non_null(request);
    (void)snprintf(request, size, "%s%s%s", before, text, after);
    const enum orr_err err = read_job_of(w, request, error);
    free(request);
    return err;
}

static enum orr_err read_engine_in_place(const struct world *w, const char *text, struct orr_error *error)
{
    return read_around(w,
                       "{\"kind\":\"infer\",\"model\":\"llama3-8b\",\"system\":\"h100-sxm\","
                       "\"workload\":{\"input_len\":8,\"output_len\":8,\"engine\":",
                       text, "}}", error);
}

static enum orr_err read_system_in_place(const struct world *w, const char *text, struct orr_error *error)
{
    return read_around(w, "{\"kind\":\"train\",\"model\":\"llama3-8b\",\"gpus\":8,\"system\":", text, "}", error);
}

static enum orr_err read_search(const struct world *w, const char *text, struct orr_error *error)
{
    struct orr_search *search;
    const enum orr_err err = orr_search_open(w->catalogue, text, "request", &search, error);
    if (!err) orr_search_free(search);
    return err;
}

static enum orr_err read_sweep(const struct world *w, const char *text, struct orr_error *error)
{
    struct orr_sweep *sweep;
    const enum orr_err err = orr_sweep_open_json(w->catalogue, text, "request", 1, &sweep, error);
    if (!err) orr_sweep_close(sweep);
    return err;
}

static enum orr_err read_service(const struct world *w, const char *text, struct orr_error *error)
{
    struct orr_service *service;
    const enum orr_err err = orr_service_open(w->catalogue, text, "request", &service, error);
    if (!err) orr_service_close(service);
    return err;
}

static enum orr_err read_size(const struct world *w, const char *text, struct orr_error *error)
{
    struct orr_size *size;
    const enum orr_err err = orr_size_open(w->catalogue, text, "request", &size, error);
    if (!err) orr_size_close(size);
    return err;
}

/* Questions that are answered in one call; an answer is of no interest here. */
#define QUESTION_READER(name, call)                                                                                    \
    static enum orr_err name(const struct world *w, const char *text, struct orr_error *error)                         \
    {                                                                                                                  \
        char *answer = NULL;                                                                                           \
        const enum orr_err err = call;                                                                                 \
        free(answer);                                                                                                  \
        return err;                                                                                                    \
    }
QUESTION_READER(read_comparison, orr_compare_ask(w->catalogue, text, "request", ORR_FORMAT_JSON, NULL, &answer, error))
QUESTION_READER(read_question, orr_technology_ask(w->catalogue, text, "request", &answer, error))
QUESTION_READER(read_fit, orr_stack_ask(w->catalogue, text, "request", &answer, error))

/* ---------------------------------------------------------------- documents */

#define CONFIG                                                                                                         \
    "'architectures':['LlamaForCausalLM'],'model_type':'llama','hidden_size':256,'intermediate_size':512,"             \
    "'num_hidden_layers':2,'num_attention_heads':4,'vocab_size':1000"
#define PLAN                                                                                                           \
    "'plan':{'tp':2,'pp':2,'ep':2,'vpp':1,'dp':8,'etp':1,'zero':1,'overlap':'tp,dp','sp':true,'schedule':'1f1b',"      \
    "'offload':{'optimizer':'cpu'},'stage_layers':[16,16],'cp_kind':'ring','stages':'engine'}"
#define TRAINED                                                                                                        \
    "'workload':{'global_batch':64,'micro_batch':1,'seq':4096,'recompute_ops':['qkv','mlp_act'],'precision':'bf16',"   \
    "'engine':'megatron-core-2025','adapter':{'kind':'lora','rank':16,'targets':'attention'},'optimizer':'adamw',"     \
    "'attention':'flash','moe_imbalance':1.2,'frozen':'embeddings'}"
#define TRAIN "'kind':'train','model':'mixtral-8x7b','system':'h100-sxm','gpus':32"
#define SERVED                                                                                                         \
    "'workload':{'input_len':200,'output_len':20,'batch':4,'precision':'bf16','engine':'vllm','kv_precision':'fp8',"   \
    "'prefix_hit_frac':0.5,'chunk_tokens':64,'draft_model':'llama3-8b','draft_tokens':2,'draft_accept_frac':0.5}"
#define LOAD                                                                                                           \
    "'model':'llama3-8b','system':'h100-sxm','workload':{'engine':'vllm'},'traffic':{'rate_per_s':4,'input_len':"      \
    "'200~0.5','output_len':{'mean':20,'law':'lognormal','cv':0.5},'requests':40,'seed':3,'prefix_share':0.2,"         \
    "'urgent_share':0.1,'warmup_s':1"
#define LIMITED "},'slo':['ttft_s.p99<=1 s']"

static const struct {
    const char *name;
    reader *read;
    const char *document; /* a file, or a text with ' for " */
    bool open;            /* more members are allowed, as in configurations of models, or are refused without a name */
} DOCUMENTS[] = {
    {"chip", read_chip, "data/chips/h100-sxm-80gb.json", false},
    {"chip of MI300X", read_chip, "data/chips/mi300x-192gb.json", false},
    {"system", read_system, "data/systems/h100-sxm.json", false},
    {"system with tiers", read_system_in_place, "data/systems/dgx-superpod-h100.json", false},
    {"fabric", read_fabric, "data/fabrics/unknown.json", false},
    {"calibration", read_calibration, "data/calibration/h100_sxm.json", false},
    {"engine of training", read_engine, "data/engines/megatron-lm-2020.json", false},
    {"engine with a base", read_engine_in_place, "data/engines/vllm.json", false},
    {"technology", read_technology, "data/technology/technologies/deepflow.json", false},
    {"design", read_design, "data/technology/designs/ampere.json", false},
    {"memory", read_dram, "data/technology/memories/hbm3.json", false},
    {"network", read_network, "data/technology/networks/nvlink4.json", false},
    {"a dense model", read_model, "data/models/llama3-8b.json", true},
    {"a model of experts", read_model, "data/models/deepseek-v3.json", true},
    {"a model of scans", read_model, "data/models/ai21-jamba-mini-1.5.json", true},
    {"a model of kinds by a pattern", read_model, "data/models/nvidia-nemotron-nano-9b-v2.json", true},
    {"a model of kinds by name", read_model, "data/models/granite-4.0-h-tiny.json", true},
    {"a model of parallel mixers", read_model, "data/models/falcon-h1-0.5b.json", true},
    {"a model of convolutions", read_model, "data/models/lfm2-8b-a1b.json", true},
    {"a model of delta rules", read_model, "data/models/kimi-linear-48b-a3b.json", true},
    {"a model with pictures", read_model, "data/models/qwen3.5-35b-a3b.json", true},
    {"a model of windows", read_model, "data/models/gemma-4-e2b.json", true},
    {"a model of sparse attention", read_model, "data/models/deepseek-v4-flash.json", true},
    {"a model of chunks", read_model, "data/models/llama4-scout.json", true},
    {"a model in 4 bits", read_model, "data/models/gpt-oss-20b.json", true},
    {"a model of groups", read_model,
     "{" CONFIG
     ",'quantization_config':{'quant_method':'compressed-tensors','format':'int-quantized','ignore':['lm_head'],"
     "'config_groups':{'a':{'targets':['Linear'],'weights':{'num_bits':8,'type':'int','strategy':'channel','symmetric':"
     "false,'group_size':64},'input_activations':{'num_bits':8}}},'kv_cache_scheme':{'num_bits':8,'type':'float'}}}",
     true},
    {"a model of layers", read_model,
     "{" CONFIG ",'quantization_config':{'quant_method':'modelopt','quant_algo':'MIXED_PRECISION','quantized_layers':{"
     "'model.layers.0.mlp.up_proj':{'quant_algo':'FP8'},'model.layers.1.mlp.up_proj':{'quant_algo':'NVFP4'}}}}",
     true},
    {"a model of half-quadratic formats", read_model,
     "{" CONFIG ",'quantization_config':{'quant_method':'hqq','quant_config':{'weight_quant_params':{'nbits':4,"
     "'group_size':64}},'skip_modules':['lm_head']}}",
     true},
    {"a model of torchao", read_model, "{" CONFIG ",'quantization_config':{'quant_method':'torchao','bits':4}}", true},
    {"parts in place", read_job_of,
     "{" TRAIN ",'plan':{'tp':2},'workload':{'global_batch':64,'engine':{'base':'megatron-core-2025','name':'mine'}},"
     "'set':{'model.num_hidden_layers':4}}",
     false},
    {"a comparison", read_comparison,
     "{'requests':[{" TRAIN ",'workload':{'global_batch':32}},{" TRAIN ",'workload':{'global_batch':64}}]}", false},
    {"a question about technology", read_question, "{'chip':'node=5,memory=hbm3'}", true},
    {"runs to fit", read_fit,
     "{'runs':['micro_batch=1:step_time_s=5.6'],'with':'model=llama2-7b,system=h100-sxm,gpus=8,zero=1,seq=4096,"
     "global_batch=128','engine':'megatron-core-2025','name':'mine','skip':0}",
     false},
    {"a training request", read_job_of, "{" TRAIN "," PLAN "," TRAINED ",'set':{'chip.tdp_w':'500 W'}}", false},
    {"a request to serve", read_job_of,
     "{'kind':'infer','model':'llama3-70b','system':'h100-sxm','plan':{'tp':2,'dp':2}," SERVED "}", false},
    {"a search of plans", read_search,
     "{" TRAIN ",'plan':{'tp':[1,2],'pp':'1..4','schedule':['1f1b']},'workload':{'global_batch':64,'micro_batch':[1,2],"
     "'recompute':['none','full']},'search':{'limits':['mfu_frac>=0.1','memory_bytes.total<=70 "
     "GiB'],'objective':'time',"
     "'top':3,'front_within':2,'brute':false,'overlap':true,'compare':{'gpus':32,'tp':2,'pp':2}}}",
     false},
    {"a search to serve", read_search,
     "{'kind':'infer','model':'llama3-8b','system':'h100-sxm','gpus':2,'plan':{'tp':[1,2]},'workload':{'input_len':100,"
     "'output_len':8,'precision':['bf16','fp8']},'search':{'concurrency':4,'compare':'tp=2'}}",
     false},
    {"a sweep", read_sweep,
     "{'request':{" TRAIN ",'plan':{'tp':2},'workload':{'global_batch':64}},'vary':[{'field':'plan.pp','values':[1,2]},"
     "{'field':'plan.zero','values':'0:1:+1'},{'field':'chip.tdp_w','values':['300 W','400 W']}]}",
     false},
    {"a service", read_service, "{" LOAD LIMITED "}", false},
    {"a service of pools", read_service,
     "{" LOAD ",'router':'least-loaded'" LIMITED ",'deployment':{'pools':[{'role':'whole','tp':2,'dp':2}],'failures':"
     "[{'pool':1,'replica':1,'at_s':1,'down_s':2}],'max_outstanding':64}}",
     false},
    {"a size", read_size, "{" LOAD LIMITED ",'size':{'budget':4,'batch':[64],'chunk':'2048'}}", false},
};

/* ---------------------------------------------------------------- the walk */

struct walk {
    const struct world *w;
    size_t i; /* the document */
    json_t *root;
    size_t n_visited, n_read, n_refused, n_bad;
};

static enum orr_err read_now(struct walk *walk, struct orr_error *error)
{
    memset(error, 0, sizeof *error);
    char *text = json_dumps(walk->root, JSON_COMPACT);
    assert_non_null(text);
    const enum orr_err err = DOCUMENTS[walk->i].read(walk->w, text, error);
    free(text);
    walk->n_read++;
    walk->n_refused += err != ORR_OK;
    return err;
}

static void complain(struct walk *walk, const char *path, const char *what, const char *text)
{
    if (walk->n_bad++ < 20)
        print_error("%s, %s: %s%s%s\n", DOCUMENTS[walk->i].name, path, what, *text ? ": " : "", text);
}

/* What every refusal must be: one line that is no matter of the machine. */
static void judge(struct walk *walk, const char *path, enum orr_err err, const struct orr_error *error)
{
    if (!err) return;
    if (err == ORR_ERR_MEMORY || err == ORR_ERR_IO) complain(walk, path, "another kind of error", error->text);
    if (!error->text[0] || strchr(error->text, '\n')) complain(walk, path, "not one line", error->text);
}

/* Members that are for people, that hold names of any kind, or that are parts, which their own readers check. */
static bool is_free(const char *path)
{
    static const char *const FREE[] = {"sources", "fit", "undo.", "calibration", "chip"};
    for (size_t i = 0; i < COUNT(FREE); i++)
        if (strncmp(path, FREE[i], strlen(FREE[i])) == 0) return true;
    return false;
}

/* A place in the document: the member of an object or an array. */
struct place {
    json_t *holder;
    const char *key; /* NULL: an element */
    size_t at;
    const char *path;
};

static void put(const struct place *place, json_t *value)
{
    const int failed = place->key ? json_object_set_new(place->holder, place->key, value)
                                  : json_array_set_new(place->holder, place->at, value);
    assert_int_equal(failed, 0);
}

/* Values of every kind in the place of one. */
static void replace(struct walk *walk, const struct place *place, json_t *was)
{
    static const char *const OTHERS[] = {"null", "true",        "0",  "-1",   "1e300",     "0.5",  "3",
                                         "\"\"", "\"zzz zzz\"", "[]", "[-1]", "[\"zzz\"]", "[{}]", "{}"};
    struct orr_error error;
    json_incref(was);
    for (size_t i = 0; i < COUNT(OTHERS); i++) {
        put(place, json_loads(OTHERS[i], JSON_DECODE_ANY, NULL));
        judge(walk, place->path, read_now(walk, &error), &error);
    }
    put(place, json_pack("{si}", "damaged", 1));
    const enum orr_err err = read_now(walk, &error);
    judge(walk, place->path, err, &error);
    if (!err && !DOCUMENTS[walk->i].open && !is_free(place->path))
        complain(walk, place->path, "an object of a foreign key is accepted", "");
    if (place->key) {
        assert_int_equal(json_object_del(place->holder, place->key), 0);
        judge(walk, place->path, read_now(walk, &error), &error);
    }
    put(place, was);
}

/* One more member of an object. */
static void add_member(struct walk *walk, json_t *object, const char *path)
{
    struct orr_error error;
    assert_int_equal(json_object_set_new(object, "damaged", json_integer(1)), 0);
    const enum orr_err err = read_now(walk, &error);
    judge(walk, path, err, &error);
    const bool named = err && strstr(error.text, "damaged");
    if (!named && !DOCUMENTS[walk->i].open && !is_free(path))
        complain(walk, path, "a foreign member is not named", error.text);
    assert_int_equal(json_object_del(object, "damaged"), 0);
}

static void visit(struct walk *walk, json_t *value, const char *path);

static void visit_member(struct walk *walk, const struct place *place, json_t *value)
{
    if (!is_thin() || walk->n_visited++ % 8 == 0) replace(walk, place, value);
    if (!is_free(place->path)) visit(walk, value, place->path);
}

static void visit(struct walk *walk, json_t *value, const char *path)
{
    char inner[256];
    if (json_is_array(value)) /* its ends: those between are like them */
        for (size_t at = 0;
             at<json_array_size(value); at += json_array_size(value)> 2 ? json_array_size(value) - 1 : 1) {
            (void)snprintf(inner, sizeof inner, "%.200s[%zu]", path, at);
            visit_member(walk, &(struct place){value, NULL, at, inner}, json_array_get(value, at));
        }
    if (!json_is_object(value)) return;
    if (!is_free(path)) add_member(walk, value, path);
    json_t *keys = json_array();
    const char *key;
    json_t *member;
    json_object_foreach(value, key, member) json_array_append_new(keys, json_string(key));
    for (size_t i = 0; i < json_array_size(keys); i++) {
        key = json_string_value(json_array_get(keys, i));
        (void)snprintf(inner, sizeof inner, "%.200s%s%.50s", path, *path ? "." : "", key);
        visit_member(walk, &(struct place){value, key, 0, inner}, json_object_get(value, key));
    }
    json_decref(keys);
}

static json_t *document(size_t i)
{
    const char *from = DOCUMENTS[i].document;
    json_error_t error;
    char *text = from[0] == '{' ? strdup(from) : read_text(from);
    assert_non_null(text);
    for (char *c = text; from[0] == '{' && *c; c++)
        if (*c == '\'') *c = '"';
    json_t *root = json_loads(text, 0, &error);
    if (!root) fail_msg("%s: %s", DOCUMENTS[i].name, error.text);
    free(text);
    return root;
}

static void members_of_documents_are_checked(void **state)
{
    const char *only = getenv("DAMAGED_ONLY");
    size_t n_bad = 0;
    for (size_t i = 0; i < COUNT(DOCUMENTS); i++) {
        if (only && strcmp(only, DOCUMENTS[i].name) != 0) continue;
        struct walk walk = {.w = *state, .i = i, .root = document(i)};
        struct orr_error error;
        if (read_now(&walk, &error)) fail_msg("%s: %s", DOCUMENTS[i].name, error.text);
        visit(&walk, walk.root, "");
        if (read_now(&walk, &error)) fail_msg("%s, put together again: %s", DOCUMENTS[i].name, error.text);
        print_message("# %s: %zu documents, %zu refused\n", DOCUMENTS[i].name, walk.n_read, walk.n_refused);
        if (!is_thin() && walk.n_refused < walk.n_read / 4) complain(&walk, "", "most damage is accepted", "");
        json_decref(walk.root);
        n_bad += walk.n_bad;
    }
    assert_int_equal(n_bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(members_of_documents_are_checked)};
    return cmocka_run_group_tests_name("damaged", tests, open_world, close_world);
}
