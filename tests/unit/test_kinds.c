/* Names of stacks: families, versions, kinds and makers of engines; what an answer says was assumed; values that are
 * left open. */
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include <sys/stat.h>
#include <unistd.h>

#include "predict/fill.h"
#include "predict/interval.h"
#include "report/assumed.h"
#include "spec/assume.h"
#include "spec/family.h"

static void fails(struct world *w, const char *request, const char *part)
{
    struct orr_error error;
    assert_int_not_equal(try_job(w, request, &error), ORR_OK);
    if (!strstr(error.text, part)) fail_msg("%s", error.text);
}

/* ---------------------------------------------------------------- versions */

static int compared(const char *a, const char *b)
{
    struct orr_version x, y;
    assert_true(orr_version_read(a, &x));
    assert_true(orr_version_read(b, &y));
    return orr_version_compare(&x, &y);
}

static void versions_compare_number_by_number(void **state)
{
    (void)state;
    assert_true(compared("0.9", "0.11") < 0); /* as texts it would be the reverse */
    assert_true(compared("0.11", "0.11.0") == 0);
    assert_true(compared("v1.2.0rc1", "1.2") == 0);
    assert_true(compared("2024-compiled", "2024-eager") == 0);
    assert_true(compared("2024", "2023") > 0);
    struct orr_version version;
    assert_true(orr_version_read("2024-compiled", &version));
    assert_int_equal(version.n, 1);
    assert_string_equal(version.variant, "compiled");
    assert_true(orr_version_is_year(&version));
    assert_true(orr_version_read("eager", &version));
    assert_int_equal(version.n, 0);
    assert_false(orr_version_read("", &version));
}

static void ranges_have_two_ends(void **state)
{
    (void)state;
    struct orr_version first, last;
    assert_true(orr_range_read("0.8..0.13", &first, &last));
    assert_int_equal(first.numbers[1], 8);
    assert_int_equal(last.numbers[1], 13);
    assert_true(orr_range_read("2025", &first, &last));
    assert_int_equal(orr_version_compare(&first, &last), 0);
    assert_false(orr_range_read("0.8..", &first, &last));
    assert_false(orr_range_read("new", &first, &last));
}

/* ---------------------------------------------------------------- names of engines */

/* The engines of a made-up family are files of a catalogue of the test. */
#define PARTS                                                                                                          \
    "{\"base\":\"serving-base\",\"sources\":{},\"family\":\"acme\",\"family_aliases\":\"acme-serve\",\"version\":\"%"  \
    "s\"%s}"

static const struct {
    const char *file, *version, *more;
} acme[] = {{"acme-0.4", "0.4", ",\"covers\":\"0.4..0.6 2024\""},
            {"acme-0.9", "0.9", ",\"covers\":\"0.9 2025\",\"default\":true"},
            {"acme-1.2", "1.2", ",\"aliases\":[\"Acme Newest\"]"},
            {"acme-0.9-eager", "0.9-eager", ""}};

static const struct {
    const char *asked, *id;
    enum orr_match match;
} names[] = {
    {"acme-0.4", "acme-0.4", ORR_MATCH_ID},
    {"acme newest", "acme-1.2", ORR_MATCH_ALIAS},
    {"acme", "acme-0.9", ORR_MATCH_DEFAULT}, /* it is marked, though 1.2 is newer */
    {"ACME_Serve", "acme-0.9", ORR_MATCH_DEFAULT},
    {"acme-0.5.3", "acme-0.4", ORR_MATCH_COVERED},
    {"acme 0.6.9", "acme-0.4", ORR_MATCH_COVERED}, /* all of 0.6.* belong to 0.6 */
    {"acme@0.7", "acme-0.4", ORR_MATCH_OLDER},
    {"acme-serve-0.10", "acme-0.9", ORR_MATCH_OLDER}, /* 0.10 comes after 0.9 */
    {"acme-2.0", "acme-1.2", ORR_MATCH_OLDER},
    {"acme-0.1", "acme-0.4", ORR_MATCH_NEWER},
    {"acme-2024", "acme-0.4", ORR_MATCH_COVERED},
    {"acme-2026", "acme-0.9", ORR_MATCH_OLDER}, /* years are compared with years: 1.2 states none */
    {"acme-eager", "acme-0.9-eager", ORR_MATCH_DEFAULT},
    {"acme-1.5-eager", "acme-0.9-eager", ORR_MATCH_OLDER},
    {"acme-eager-1.5", "acme-0.9-eager", ORR_MATCH_OLDER}, /* either order, as in deepspeed-zero3-2024 */
    {"acme-eager-v0.9", "acme-0.9-eager", ORR_MATCH_COVERED},
    {"acme-2023-eager", "acme-0.9-eager", ORR_MATCH_UNCOUNTED},
};

static struct orr_catalogue *open_acme(void)
{
    char folder[] = "/tmp/orrery-kinds-XXXXXX", engines[64], path[192];
    assert_non_null(mkdtemp(folder));
    (void)snprintf(engines, sizeof engines, "%s/engines", folder);
    assert_int_equal(mkdir(engines, 0700), 0);
    for (size_t i = 0; i < COUNT(acme); i++) {
        (void)snprintf(path, sizeof path, "%s/%s.json", engines, acme[i].file);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        (void)fprintf(file, PARTS, acme[i].version, acme[i].more);
        assert_int_equal(fclose(file), 0);
    }
    struct orr_catalogue *catalogue;
    struct orr_error error;
    const char *const directory = folder;
    if (orr_catalogue_open(&directory, 1, &catalogue, &error)) fail_msg("%s", error.text);
    for (size_t i = 0; i < COUNT(acme); i++) {
        (void)snprintf(path, sizeof path, "%s/%s.json", engines, acme[i].file);
        (void)unlink(path);
    }
    assert_int_equal(rmdir(engines), 0);
    assert_int_equal(rmdir(folder), 0);
    return catalogue;
}

static void names_of_a_family_find_a_version(void **state)
{
    (void)state;
    struct orr_catalogue *catalogue = open_acme();
    for (size_t i = 0; i < COUNT(names); i++) {
        struct orr_engine engine;
        struct orr_error error;
        if (orr_engine_read(catalogue, names[i].asked, &engine, &error)) fail_msg("%s", error.text);
        if (strcmp(engine.id, names[i].id) || engine.match != names[i].match)
            fail_msg("%s: %s, match %d", names[i].asked, engine.id, (int)engine.match);
    }
    struct orr_engine engine;
    struct orr_error error;
    assert_int_equal(orr_engine_read(catalogue, "acme-0.9-lazy", &engine, &error), ORR_ERR_INPUT);
    assert_non_null(strstr(error.text, "unknown engine"));
    orr_catalogue_close(catalogue);
}

/* What people write must lead somewhere sensible in the built-in catalogue, whatever versions it has. */
static void common_spellings_are_known(void **state)
{
    const struct world *w = *state;
    static const struct {
        enum orr_part part;
        const char *asked, *starts;
    } spellings[] = {
        {ORR_PART_ENGINE, "megatron", "megatron-core"},
        {ORR_PART_ENGINE, "mcore", "megatron-core"},
        {ORR_PART_ENGINE, "Megatron-LM", "megatron-core"},
        {ORR_PART_ENGINE, "trtllm", "tensorrt-llm"},
        {ORR_PART_ENGINE, "trt-llm", "tensorrt-llm"},
        {ORR_PART_ENGINE, "vLLM", "vllm"},
        {ORR_PART_ENGINE, "sglang", "sglang"},
        {ORR_PART_ENGINE, "fsdp", "pytorch-fsdp"},
        {ORR_PART_ENGINE, "torchtitan", "torchtitan"},
        {ORR_PART_ENGINE, "DeepSpeed", "deepspeed"},
        {ORR_PART_ENGINE, "Megatron LM", "megatron-core-2025-plain"},
        {ORR_PART_ENGINE, "megatron-2021", "megatron-lm-2021"},
        {ORR_PART_ENGINE, "Megatron-LM 2024", "megatron-core-2024-plain"},
        {ORR_PART_ENGINE, "llm-foundry", "mosaic-fsdp-2024"}, /* the version marked as default */
        {ORR_PART_ENGINE, "MosaicML llm-foundry", "mosaic-fsdp-2024"},
        {ORR_PART_ENGINE, "torchtitan-eager", "torchtitan-2025-eager"}, /* of the year of the bare name */
        {ORR_PART_ENGINE, "vllm-v1", "vllm"},
        {ORR_PART_ENGINE, "vllm-v0", "vllm-0.7"},
        {ORR_PART_ENGINE, "fsdp1", "pytorch-fsdp1"},
        {ORR_PART_ENGINE, "neuronx", "nxd-inference"},
        {ORR_PART_ENGINE, "faster-transformer", "fastertransformer"},
        {ORR_PART_ENGINE, "text-generation-inference 2.1", "tgi-2"},
        {ORR_PART_ENGINE, "lmdeploy-turbomind-0.7", "lmdeploy-turbomind-0.6"},
        {ORR_PART_ENGINE, "deepspeed-zero3-2025", "deepspeed-zero3-2024"},
        {ORR_PART_ENGINE, "hf", "hf-transformers"},
        {ORR_PART_SYSTEM, "H100 SXM", "h100-sxm"},
        {ORR_PART_SYSTEM, "h100", "h100-sxm"},
        {ORR_PART_SYSTEM, "A100", "a100-80g-sxm"},
        {ORR_PART_SYSTEM, "b200", "b200-sxm"},
        {ORR_PART_SYSTEM, "gb200", "gb200-nvl72"},
        {ORR_PART_SYSTEM, "MI300X", "mi300x"},
        {ORR_PART_SYSTEM, "h100-sxm-efa3200", "aws-p5-h100"},
        {ORR_PART_CHIP, "h100", "h100-sxm-80gb"},
        {ORR_PART_CHIP, "mi300x", "mi300x-192gb"},
    };
    for (size_t i = 0; i < COUNT(spellings); i++) {
        const char *id = orr_catalogue_named(w->catalogue, spellings[i].part, spellings[i].asked);
        if (!id || strncmp(id, spellings[i].starts, strlen(spellings[i].starts)) != 0)
            fail_msg("%s: %s", spellings[i].asked, id ? id : "nothing");
    }
    assert_string_equal(orr_catalogue_named(w->catalogue, ORR_PART_ENGINE, "vllm-v1"), "vllm");
}

/* ---------------------------------------------------------------- kinds and makers */

static void the_wrong_kind_is_refused(void **state)
{
    struct world *w = *state;
    fails(w, "{'kind':'train','model':'gpt2','system':'h100-sxm','workload':{'engine':'vllm'}}",
          "engine \"vllm\" is for serving; for training there are ");
    fails(w,
          "{'kind':'infer','model':'gpt2','system':'h100-sxm','workload':{'engine':'nanotron','input_len':8,"
          "'output_len':8}}",
          "is for training; for serving there are ");
    read_job(w, "{'kind':'train','model':'gpt2','system':'h100-sxm','workload':{'engine':'pytorch-eager'}}");
    read_job(w, "{'kind':'infer','model':'gpt2','system':'h100-sxm','workload':{'engine':'pytorch-eager',"
                "'input_len':8,'output_len':8}}");
}

/* "hf" and "transformers" train with one stack and serve with another. */
static void a_name_of_both_kinds_means_either(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'gpt2','system':'h100-sxm','workload':{'engine':'hf'}}");
    assert_string_equal(w->job.engine.family, "hf-transformers");
    read_job(w, "{'kind':'infer','model':'gpt2','system':'h100-sxm','workload':{'engine':'hf','input_len':8,"
                "'output_len':8}}");
    assert_string_equal(w->job.engine.family, "transformers");
    assert_string_equal(w->job.engine.asked, "hf");
    assert_int_equal(w->job.engine.match, ORR_MATCH_DEFAULT);
    read_job(w, "{'kind':'train','model':'gpt2','system':'h100-sxm','workload':{'engine':'transformers'}}");
    assert_string_equal(w->job.engine.family, "hf-transformers");
    read_job(w, "{'kind':'infer','model':'gpt2','system':'h100-sxm','workload':{'engine':'transformers-4.46',"
                "'input_len':8,'output_len':8}}");
    assert_string_equal(w->job.engine.id, "transformers-4.46");
}

static void makers_are_compared(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'gpt2','system':'mi300x','workload':{'engine':'megatron-core-2025'}}");
    assert_false(orr_engine_runs_on(&w->job.engine, &w->job.system.chip));
    read_job(w, "{'kind':'train','model':'gpt2','system':'h100','workload':{'engine':'megatron-core-2025'}}");
    assert_true(orr_engine_runs_on(&w->job.engine, &w->job.system.chip));
    read_job(w, "{'kind':'train','model':'gpt2','system':'tpu-v5e','workload':{'engine':'generic'}}");
    assert_true(orr_engine_runs_on(&w->job.engine, &w->job.system.chip)); /* it names no makers */
}

/* ---------------------------------------------------------------- what was assumed */

static bool assumed(const struct orr_job *job, enum orr_assumable key)
{
    return job->assumed & orr_assume_bit(key);
}

static void what_is_not_said_is_assumed(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'gpt2','system':'h100-sxm','gpus':8,'plan':{'tp':2,'zero':1},"
                "'workload':{'micro_batch':2}}");
    assert_true(assumed(&w->job, ORR_ASSUME_ENGINE));
    assert_true(assumed(&w->job, ORR_ASSUME_SEQ));
    assert_true(assumed(&w->job, ORR_ASSUME_SP));
    assert_true(assumed(&w->job, ORR_ASSUME_RECOMPUTE));
    assert_false(assumed(&w->job, ORR_ASSUME_GPUS));
    assert_false(assumed(&w->job, ORR_ASSUME_TP));
    assert_false(assumed(&w->job, ORR_ASSUME_ZERO));
    assert_false(assumed(&w->job, ORR_ASSUME_MICRO_BATCH));
    assert_false(assumed(&w->job, ORR_ASSUME_VPP)); /* without a pipeline it means nothing */
    assert_false(assumed(&w->job, ORR_ASSUME_BATCH));
    read_job(w, "{'kind':'infer','model':'gpt2','system':'h100-sxm','workload':{'input_len':8,'output_len':8},"
                "'set':{'workload.batch':4}}");
    assert_true(assumed(&w->job, ORR_ASSUME_ENGINE));
    assert_true(assumed(&w->job, ORR_ASSUME_KV));
    assert_false(assumed(&w->job, ORR_ASSUME_BATCH)); /* "set" states it */
    assert_false(assumed(&w->job, ORR_ASSUME_SEQ));
    read_job(w, "{'kind':'train','model':'gpt2','system':'h100-sxm','workload':{'recompute_ops':'norm'}}");
    assert_false(assumed(&w->job, ORR_ASSUME_RECOMPUTE)); /* the list says it */
}

static void check_recompute_reason(struct world *w, const char *request, const char *why)
{
    read_job(w, "%s", request);
    json_t *all = orr_assumed_json(&w->job, w->job.assumed, &w->job.spread), *one;
    size_t i;
    const char *found = "";
    json_array_foreach(all, i, one) if (strcmp(json_string_value(json_object_get(one, "key")), "workload.recompute") ==
                                        0) found = json_string_value(json_object_get(one, "why"));
    assert_string_equal(found, why);
    json_decref(all);
}

/* Whole layers that another key asks for are not the engine's default. */
static void recomputation_is_assumed_for_a_reason(void **state)
{
    struct world *w = *state;
#define JOB(more)                                                                                                      \
    "{'kind':'train','model':'gpt2','system':'h100-sxm','gpus':8,'plan':{" more "'engine':'megatron-core-2025'}}"
    check_recompute_reason(w, JOB("},'workload':{"), "default of the engine");
    check_recompute_reason(w, JOB("},'workload':{'recompute_first':4,"),
                           "recompute_first counts layers that are recomputed whole");
    check_recompute_reason(w, JOB("},'workload':{'recompute_nth':2,"),
                           "recompute_nth chooses layers that are recomputed whole");
    check_recompute_reason(w, JOB("'offload':'activations=cpu'},'workload':{"),
                           "activations are offloaded as saved inputs of layers");
    check_recompute_reason(w, JOB("},'workload':{'recompute_ops':'norm',"), "");
#undef JOB
}

/* ---------------------------------------------------------------- values left open */

/* Times worked out by hand: the best is the fastest that fits. The slowest plausible one is the engine's own
 * recomputation with micro-batch 1, as "full" with micro-batch 2 recomputes though "none" fits. */
static void the_fastest_that_fits_is_taken(void **state)
{
    (void)state;
    const struct orr_filling fillings[] = {
        {.vpp = 1, .micro_batch = 1, .recompute = ORR_RECOMPUTE_NONE, .fits = true, .step_time_s = 10},
        {.vpp = 1, .micro_batch = 1, .recompute = ORR_RECOMPUTE_SELECTIVE, .fits = true, .step_time_s = 12},
        {.vpp = 1, .micro_batch = 1, .recompute = ORR_RECOMPUTE_FULL, .fits = true, .step_time_s = 14},
        {.vpp = 1, .micro_batch = 2, .recompute = ORR_RECOMPUTE_NONE, .fits = true, .step_time_s = 9},
        {.vpp = 1, .micro_batch = 2, .recompute = ORR_RECOMPUTE_FULL, .fits = true, .step_time_s = 13},
        {.vpp = 2, .micro_batch = 2, .recompute = ORR_RECOMPUTE_NONE, .fits = false, .step_time_s = 8},
        {.vpp = 1, .micro_batch = 1, .zero = 3, .fits = true, .step_time_s = 20},
    };
    struct orr_engine engine = {.default_recompute = ORR_RECOMPUTE_SELECTIVE};
    assert_int_equal(orr_best_filling(fillings, COUNT(fillings)), 3);
    const struct orr_spread spread = orr_spread_of(fillings, COUNT(fillings), &engine);
    assert_int_equal(spread.n_tried, 7);
    assert_int_equal(spread.n_fit, 6);
    assert_close(spread.low_s, 9, 0);
    assert_close(spread.high_s, 12, 0);
    engine.default_recompute = ORR_RECOMPUTE_FULL;
    assert_close(orr_spread_of(fillings, COUNT(fillings), &engine).high_s, 14, 0);
    engine.default_zero = 3;
    assert_close(orr_spread_of(fillings, COUNT(fillings), &engine).high_s, 20, 0);
}

static void without_a_fit_memory_decides(void **state)
{
    (void)state;
    const struct orr_filling fillings[] = {{.step_time_s = 1, .memory_bytes = 9},
                                           {.step_time_s = 2, .memory_bytes = 8}};
    const struct orr_engine engine = {0};
    assert_int_equal(orr_best_filling(fillings, 2), 1);
    const struct orr_spread spread = orr_spread_of(fillings, 2, &engine);
    assert_int_equal(spread.n_fit, 0);
    assert_close(spread.high_s, 2, 0);
}

/* The width upwards without a spread and ln 1.5 = 0.405465 are the legs of a right triangle; the lower end stays. */
static void a_spread_widens_the_upper_end(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'llama3-8b','system':'h100-sxm','gpus':8,'workload':{'global_batch':8}}");
    /* so much of DRAM that the interval is wider than that of the runs of the class, and less than of ln 1.5 */
    const struct orr_exposure exposure = {.bound_frac = {[ORR_BOUND_COMPUTE] = 0.7, [ORR_BOUND_DRAM] = 0.3}};
    const struct orr_interval plain = orr_interval_of(&w->job, ORR_REGIME_TRAIN_DENSE, &exposure);
    w->job.spread = (struct orr_spread){.n_tried = 2, .n_fit = 2, .low_s = 10, .high_s = 15};
    const struct orr_interval widened = orr_interval_of(&w->job, ORR_REGIME_TRAIN_DENSE, &exposure);
    const double up = log(plain.high / plain.mid);
    assert_close(log(widened.high / widened.mid), sqrt(up * up + 0.40546510810816 * 0.40546510810816), 1e-12);
    assert_close(widened.low, plain.low, 0);
    assert_int_equal(widened.from, ORR_DOUBT_CELLS);
}

/* The filled job is the best of the same jobs asked one by one. */
static void auto_is_the_best_of_all(void **state)
{
    struct world *w = *state;
#define JOB(vpp, size, recompute)                                                                                      \
    "{'kind':'train','model':'llama2-13b','system':'a100-80g-sxm','gpus':64,'plan':{'tp':4,'pp':4,'vpp':" vpp          \
    "},'workload':{'engine':'megatron-core-2024','global_batch':128,'seq':4096,'micro_batch':" size                    \
    ",'recompute':" recompute "}}"
    static const char *const jobs[] = {
        JOB("1", "1", "'none'"),  JOB("1", "1", "'selective'"),  JOB("1", "1", "'full'"),
        JOB("2", "1", "'none'"),  JOB("2", "1", "'selective'"),  JOB("2", "1", "'full'"),
        JOB("5", "1", "'none'"),  JOB("5", "1", "'selective'"),  JOB("5", "1", "'full'"),
        JOB("10", "1", "'none'"), JOB("10", "1", "'selective'"), JOB("10", "1", "'full'"),
        JOB("1", "2", "'none'"),  JOB("1", "2", "'selective'"),  JOB("1", "2", "'full'"),
        JOB("2", "2", "'none'"),  JOB("2", "2", "'selective'"),  JOB("2", "2", "'full'"),
        JOB("5", "2", "'none'"),  JOB("5", "2", "'selective'"),  JOB("5", "2", "'full'"),
        JOB("10", "2", "'none'"), JOB("10", "2", "'selective'"), JOB("10", "2", "'full'"),
    };
    double best_s = HUGE_VAL;
    for (size_t i = 0; i < COUNT(jobs); i++) {
        read_job(w, "%s", jobs[i]);
        train(w);
        if (w->result.fits) best_s = fmin(best_s, w->result.step_time_s);
        assert_int_equal(w->result.spread.n_tried, 0);
    }
    read_job(w, "%s", JOB("'auto'", "'auto'", "'auto'"));
    assert_true(w->job.automatic & orr_assume_bit(ORR_ASSUME_VPP));
    train(w);
    assert_close(w->result.step_time_s, best_s, 0);
    assert_true(w->result.spread.n_tried == COUNT(jobs)); /* 40 layers over 4 stages: 1, 2, 5 or 10 chunks */
    assert_true(w->result.spread.high_s >= best_s);
    assert_true(w->result.interval_high_s >= w->result.spread.high_s);
}

/* DeepSpeed's pipelines have 1F1B alone: a plan that leaves its chunks open has one per rank, though 40 layers over 4
 * stages could have 2, 5 or 10 and would be faster with them. An engine that lists nothing may have them. */
static void chunks_need_a_schedule_of_the_engine(void **state)
{
    struct world *w = *state;
    for (int listed = 0; listed < 2; listed++) {
        read_job(w, "{'kind':'train','model':'llama2-13b','system':'a100-80g-sxm','gpus':64,'plan':{'tp':4,'pp':4,"
                    "'vpp':'auto'},'workload':{'engine':'megatron-deepspeed-2022','global_batch':128,'seq':4096,"
                    "'micro_batch':1,'recompute':'full'}}");
        if (!listed) w->job.engine.schedules[0] = '\0';
        train(w);
        const int64_t vpp = w->scratch->filled.plan.vpp;
        assert_true(listed ? vpp == 1 : vpp > 1);
        assert_int_equal(w->result.spread.n_tried, listed ? 1 : 4);
    }
}

/* The engine says what it multiplies in; a chip without such units falls back. */
static void precision_is_a_fact_of_engine_and_chip(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'gpt2','system':'a100','workload':{'engine':'megatron-lm-2022',"
                "'precision':'auto'}}");
    assert_int_equal(w->job.workload.precision, ORR_DTYPE_FP16);
    read_job(w, "{'kind':'train','model':'gpt2','system':'a100','workload':{'engine':'megatron-core-2024'}}");
    assert_int_equal(w->job.workload.precision, ORR_DTYPE_BF16);
    read_job(w, "{'kind':'train','model':'gpt2','system':'v100','workload':{'engine':'megatron-core-2024'}}");
    assert_int_equal(w->job.workload.precision, ORR_DTYPE_FP16);
}

static void auto_is_not_for_every_key(void **state)
{
    struct world *w = *state;
    fails(w, "{'kind':'train','model':'gpt2','system':'h100-sxm','plan':{'tp':'auto'}}", "plan.tp: must be");
    fails(w, "{'kind':'train','model':'gpt2','system':'h100-sxm','workload':{'seq':'auto'}}", "workload.seq: must be");
}

/* Samples fit into a sequence, and a kernel that computes all pairs gains nothing by them. */
static void samples_need_room_and_a_fused_kernel(void **state)
{
    struct world *w = *state;
    fails(w, "{'kind':'train','model':'gpt2','system':'h100-sxm','workload':{'seq':1024,'sample_len':1025}}",
          "workload.sample_len: samples of 1025 tokens are longer than a sequence, 1024");
    fails(w,
          "{'kind':'train','model':'gpt2','system':'h100-sxm','workload':{'seq':1024,'sample_len':128,'attention':"
          "'unfused'}}",
          "workload.sample_len: attention of engine");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_compare_number_by_number),
        cmocka_unit_test(ranges_have_two_ends),
        cmocka_unit_test(names_of_a_family_find_a_version),
        cmocka_unit_test(common_spellings_are_known),
        cmocka_unit_test(the_wrong_kind_is_refused),
        cmocka_unit_test(a_name_of_both_kinds_means_either),
        cmocka_unit_test(makers_are_compared),
        cmocka_unit_test(what_is_not_said_is_assumed),
        cmocka_unit_test(recomputation_is_assumed_for_a_reason),
        cmocka_unit_test(the_fastest_that_fits_is_taken),
        cmocka_unit_test(without_a_fit_memory_decides),
        cmocka_unit_test(a_spread_widens_the_upper_end),
        cmocka_unit_test(auto_is_the_best_of_all),
        cmocka_unit_test(precision_is_a_fact_of_engine_and_chip),
        cmocka_unit_test(auto_is_not_for_every_key),
        cmocka_unit_test(chunks_need_a_schedule_of_the_engine),
        cmocka_unit_test(samples_need_room_and_a_fused_kernel),
    };
    return cmocka_run_group_tests_name("kinds", tests, open_world, close_world);
}
