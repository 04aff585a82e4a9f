/* Reports of a search: counts that add up, figures that a plan asked alone gives again, flags that read back. */
#include <jansson.h>

#include "report/launch.h"
#include "report/table.h"
#include "search/search.h"
#include "spec/job.h"
#include "support.h"

#define MODEL "\"model\":\"llama2-7b\",\"system\":\"a100-80g-sxm\""

/* Search 16 GPUs, cut down to keep it short. */
static struct orr_search *search_train(struct world *w, const char *search, int threads)
{
    static struct orr_search_request request;
    struct orr_search *found = NULL;
    struct orr_error error;
    char json[1024];
    snprintf(json, sizeof json,
             "{\"kind\":\"train\"," MODEL
             ",\"gpus\":16,\"plan\":{\"tp\":\"1..4\",\"cp\":1,\"schedule\":\"1f1b,zb-h1\"},"
             "\"workload\":{\"global_batch\":32,\"micro_batch\":\"1..4\"},\"search\":{%s}}",
             search);
    if (orr_search_read(w->catalogue, json, "request", &request, &error) || orr_search_new(&request, &found, &error) ||
        orr_search_run(found, threads, NULL, NULL, &error))
        fail_msg("%s", error.text);
    return found;
}

static json_t *json_of(const struct orr_search *search)
{
    char *text = orr_search_render(search, ORR_FORMAT_JSON, &(struct orr_style){.took_s = 2});
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    free(text);
    return json;
}

static json_int_t count_of(const json_t *json, const char *key)
{
    const json_t *value = json_object_get(json, key);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

static double real_of(const json_t *json, const char *key)
{
    const json_t *value = json_object_get(json, key);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

static void counts_add_up(void **state)
{
    struct world *w = *state;
    static const char *const asks[] = {"\"top\":3", "\"top\":1,\"brute\":true", "\"limits\":[\"mfu_frac>=0.5\"]",
                                       "\"limits\":\"mfu_frac>=2\""};
    for (size_t i = 0; i < sizeof asks / sizeof *asks; i++) {
        struct orr_search *search = search_train(w, asks[i], 1);
        json_t *json = json_of(search);
        const json_t *rejected = json_object_get(json, "rejected");
        json_int_t sum = (json_int_t)json_array_size(json_object_get(json, "best"));
        sum += count_of(rejected, "memory") + count_of(rejected, "bound") + count_of(rejected, "limit") +
               count_of(rejected, "worse");
        assert_int_equal(sum, count_of(json, "plans"));
        assert_int_equal(count_of(json, "evaluated") + count_of(json, "pruned"), count_of(json, "plans"));
        assert_int_equal(count_of(json, "feasible") + count_of(rejected, "memory"), count_of(json, "plans"));
        assert_true(real_of(json, "seconds") == 2);
        assert_true(real_of(json, "evaluations_per_s") == (double)count_of(json, "evaluated") / 2);
        json_decref(json);
        orr_search_free(search);
    }
}

/* Ask for one listed plan alone. */
static double step_time_alone(struct world *w, const json_t *plan)
{
    static struct orr_job job;
    struct orr_error error;
    struct orr_result result;
    struct orr_scratch *scratch = orr_scratch_new();
    json_t *request = json_pack("{ss ss ss sO sO sO}", "kind", "train", "model", "llama2-7b", "system", "a100-80g-sxm",
                                "gpus", json_object_get(plan, "gpus"), "plan", json_object_get(plan, "plan"),
                                "workload", json_object_get(plan, "workload"));
    char *text = json_dumps(request, 0);
    if (orr_job_read(w->catalogue, text, "plan", &job, &error)) fail_msg("%s", error.text);
    orr_train(&job, scratch, &result);
    assert_true(result.fits);
    free(text);
    json_decref(request);
    orr_scratch_free(scratch);
    return result.step_time_s;
}

static void listed_plans_give_their_figures(void **state)
{
    struct world *w = *state;
    struct orr_search *search = search_train(w, "\"top\":5", 1);
    json_t *json = json_of(search);
    static const char *const lists[] = {"best", "pareto"};
    for (size_t k = 0; k < 2; k++) {
        size_t i;
        const json_t *plan;
        assert_true(json_array_size(json_object_get(json, lists[k])) > 1);
        json_array_foreach(json_object_get(json, lists[k]), i, plan)
        {
            const double alone_s = step_time_alone(w, plan);
            assert_true(real_of(plan, "step_time_s") == alone_s);
            assert_true(fabs(real_of(plan, "objective") / alone_s - 1) < 1e-12);
        }
    }
    const json_t *best = json_object_get(json, "best");
    const double first = real_of(json_array_get(best, 0), "objective"),
                 second = real_of(json_array_get(best, 1), "objective");
    assert_true(first <= second);
    assert_true(real_of(json, "second_ratio") == second / first);
    assert_true(fabs(real_of(json, "bound_ratio") * real_of(json_array_get(best, 0), "bound_frac") - 1) < 1e-12);
    json_decref(json);
    orr_search_free(search);
}

/* Plans beside the winner give their figures when they are asked alone; the simplest is as good as the winner. */
static void plans_beside_the_winner_hold(void **state)
{
    static const char *const KEYS[] = {"simplest", "published"};
    struct world *w = *state;
    struct orr_search *search = search_train(w, "\"top\":3", 1);
    json_t *json = json_of(search);
    const double best_s = real_of(json_array_get(json_object_get(json, "best"), 0), "step_time_s");
    for (size_t i = 0; i < 2; i++) {
        const json_t *plan = json_object_get(json, KEYS[i]);
        if (i == 1) assert_non_null(json_string_value(json_object_get(plan, "source")));
        if (!plan) continue;
        const double alone_s = step_time_alone(w, plan);
        assert_true(fabs(alone_s / best_s / real_of(plan, "ratio") - 1) < 1e-9);
        if (i == 0) assert_true(real_of(plan, "ratio") <= 1.005);
    }
    json_decref(json);
    orr_search_free(search);
}

/* Two plans of a printed front differ by more than the chunks of a pipeline rank, and by 1 % in a coordinate. */
static void fronts_have_no_near_duplicates(void **state)
{
    struct world *w = *state;
    struct orr_search *search = search_train(w, "\"top\":3,\"front_within\":10", 1);
    json_t *json = json_of(search);
    const json_t *front = json_object_get(json, "pareto");
    assert_true(json_array_size(front) >= 2);
    for (size_t i = 1; i < json_array_size(front); i++) {
        const json_t *a = json_object_get(json_array_get(front, i - 1), "front");
        const json_t *b = json_object_get(json_array_get(front, i), "front");
        const double x = json_number_value(json_array_get(b, 0)) / json_number_value(json_array_get(a, 0));
        const double y = json_number_value(json_array_get(b, 1)) / json_number_value(json_array_get(a, 1));
        assert_true(x >= 1.01 || y <= 0.99);
    }
    json_decref(json);
    orr_search_free(search);
}

static void reports_do_not_depend_on_threads(void **state)
{
    struct world *w = *state;
    static const enum orr_format formats[] = {ORR_FORMAT_TERMINAL, ORR_FORMAT_JSON, ORR_FORMAT_CSV, ORR_FORMAT_HTML};
    struct orr_search *one = search_train(w, "\"top\":5", 1), *four = search_train(w, "\"top\":5", 4);
    for (size_t i = 0; i < COUNT(formats); i++) {
        const struct orr_style style = {.took_s = 1};
        char *a = orr_search_render(one, formats[i], &style), *b = orr_search_render(four, formats[i], &style);
        assert_string_equal(a, b);
        free(a);
        free(b);
    }
    orr_search_free(one);
    orr_search_free(four);
}

/* What is listed can be asked again as it stands. */
static void listed_inference_plans_read_back(void **state)
{
    struct world *w = *state;
    static struct orr_search_request request;
    static struct orr_job job;
    static const char json_text[] = "{\"kind\":\"infer\"," MODEL ",\"gpus\":4,\"workload\":{\"input_len\":512,"
                                    "\"output_len\":64,\"disaggregated\":false}}";
    struct orr_search *search = NULL;
    struct orr_error error;
    struct orr_infer_result result;
    struct orr_scratch *scratch = orr_scratch_new();
    if (orr_search_read(w->catalogue, json_text, "request", &request, &error) ||
        orr_search_new(&request, &search, &error) || orr_search_run(search, 1, NULL, NULL, &error))
        fail_msg("%s", error.text);
    json_t *json = json_of(search);
    const json_t *plan;
    size_t i;
    assert_true(json_array_size(json_object_get(json, "best")) > 3);
    json_array_foreach(json_object_get(json, "best"), i, plan)
    {
        json_t *asked = json_pack("{ss ss ss sO sO sO}", "kind", "infer", "model", "llama2-7b", "system",
                                  "a100-80g-sxm", "gpus", json_object_get(plan, "gpus"), "plan",
                                  json_object_get(plan, "plan"), "workload", json_object_get(plan, "workload"));
        char *text = json_dumps(asked, 0);
        if (orr_job_read(w->catalogue, text, "plan", &job, &error)) fail_msg("%s", error.text);
        orr_infer(&job, scratch, &result);
        assert_true(result.fits);
        assert_true(real_of(plan, "latency_s") == result.latency_s);
        assert_true(real_of(plan, "output_tokens_per_s") == result.output_tokens_per_s);
        free(text);
        json_decref(asked);
    }
    json_decref(json);
    orr_scratch_free(scratch);
    orr_search_free(search);
}

/* The cell of the column `name` in the first row of a CSV report. */
static long csv_count(const char *csv, const char *name)
{
    const char *at = strstr(csv, name), *cell = strchr(csv, '\n') + 1;
    assert_non_null(at);
    for (const char *c = csv; c < at; c++)
        if (*c == ',') cell = strchr(cell, ',') + 1;
    return strtol(cell, NULL, 10);
}

/* Four GPUs were asked for; the pools share them, and the figures per GPU are per GPU of both. */
static void gpus_are_those_of_both_pools(const struct orr_search *search, const json_t *json)
{
    size_t i;
    const json_t *found;
    json_array_foreach(json_object_get(json, "best"), i, found)
    {
        const json_t *plan = json_object_get(found, "plan");
        const int64_t prompts =
            count_of(plan, "tp") * count_of(plan, "pp") * count_of(plan, "cp") * count_of(plan, "dp");
        assert_int_equal(count_of(found, "gpus"), 4);
        assert_true(prompts + count_of(json_object_get(found, "decode"), "gpus") <= 4);
        assert_true(fabs(real_of(found, "output_tokens_per_s_per_gpu") * 4 / real_of(found, "output_tokens_per_s") -
                         1) < 1e-12);
    }
    char *csv = orr_search_render(search, ORR_FORMAT_CSV, NULL);
    assert_int_equal(csv_count(csv, "gpus,plan.tp"), 4);
    free(csv);
    char *text = orr_search_render(search, ORR_FORMAT_TERMINAL, &(struct orr_style){.width = 120});
    assert_non_null(strstr(text, "winner    4 GPUs"));
    free(text);
}

/* Two pools: figures of both joined, under the request's own output, in every format. */
static void two_pools_are_one_answer(void **state)
{
    struct world *w = *state;
    static struct orr_search_request request;
    static const char json_text[] = "{\"kind\":\"infer\"," MODEL ",\"gpus\":4,\"workload\":{\"input_len\":512,"
                                    "\"output_len\":64,\"disaggregated\":true}}";
    struct orr_search *search = NULL;
    struct orr_error error;
    struct orr_infer_result joined;
    const struct orr_found *found;
    struct orr_scratch *scratch = orr_scratch_new();
    if (orr_search_read(w->catalogue, json_text, "request", &request, &error) ||
        orr_search_new(&request, &search, &error) || orr_search_run(search, 1, NULL, NULL, &error))
        fail_msg("%s", error.text);
    assert_true(orr_search_best(search, &found) > 0);
    assert_int_equal(orr_search_predict(search, &found->choice, scratch, &joined), ORR_OK);
    assert_true(joined.tpot_s > 0);
    json_t *json = json_of(search);
    const json_t *best = json_array_get(json_object_get(json, "best"), 0), *decode = json_object_get(best, "decode");
    assert_true(real_of(best, "tpot_s") == joined.tpot_s);
    assert_true(real_of(best, "latency_s") == found->objective);
    assert_true(real_of(best, "output_tokens_per_s") == joined.output_tokens_per_s);
    /* energy of a batch over its tokens: replicas of the answers' pool, their batch, 64 tokens each */
    const double tokens = 64.0 * (double)count_of(decode, "batch") * (double)count_of(decode, "gpus") /
                          (double)(count_of(decode, "tp") * count_of(decode, "pp"));
    assert_true(fabs(real_of(best, "energy_j_per_token") * tokens / joined.energy_j - 1) < 1e-12);
    assert_int_equal(count_of(json_object_get(best, "workload"), "output_len"), 64);
    assert_true(real_of(json, "bound_ratio") == joined.latency_s / joined.bound_s);
    char *csv = orr_search_render(search, ORR_FORMAT_CSV, NULL);
    assert_non_null(strstr(csv, "list,rank,objective,decode.gpus,decode.tp,decode.pp,decode.ep,decode.batch,kind,"));
    free(csv);
    gpus_are_those_of_both_pools(search, json);
    json_decref(json);
    orr_scratch_free(scratch);
    orr_search_free(search);
}

/* The figure of `compare` is that of the plan alone, and every better plan of a list of all is counted. */
static void compare_ranks(void **state)
{
    struct world *w = *state;
    struct orr_search *search = search_train(w, "\"top\":1,\"brute\":true,\"compare\":\"tp=4,pp=4,zero=1\"", 1);
    json_t *json = json_of(search);
    const json_t *compare = json_object_get(json, "compare");
    const double alone_s = step_time_alone(w, compare),
                 best_s = real_of(json_array_get(json_object_get(json, "best"), 0), "step_time_s");
    assert_true(real_of(compare, "step_time_s") == alone_s);
    assert_true(fabs(real_of(compare, "ratio") * best_s / alone_s - 1) < 1e-9);
    assert_true(count_of(compare, "better_plans") > 0);
    assert_true(count_of(compare, "better_plans") < count_of(json, "plans"));
    json_decref(json);
    orr_search_free(search);
    /* A plan that breaks a limit is not better: the fastest that keeps this one is slower by half than the plan. */
    char limit[128];
    snprintf(limit, sizeof limit, "\"compare\":\"tp=4,pp=4,zero=1\",\"limits\":\"step_time_s>=%.17g\"", 1.5 * alone_s);
    search = search_train(w, limit, 1);
    json = json_of(search);
    assert_true(json_array_size(json_object_get(json, "best")) > 0);
    assert_int_equal(count_of(json_object_get(json, "compare"), "better_plans"), 0);
    json_decref(json);
    orr_search_free(search);
}

static void lines_fit(void **state)
{
    struct world *w = *state;
    struct orr_search *search = search_train(w, "\"top\":5,\"compare\":\"tp=4,pp=4,zero=1\"", 1);
    for (int width = 60; width <= 140; width += 20) {
        const struct orr_style style = {.width = width};
        char *text = orr_search_render(search, ORR_FORMAT_TERMINAL, &style);
        for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
            if (orr_columns(line) > width) fail_msg("%d columns of %d: %s", orr_columns(line), width, line);
        free(text);
    }
    orr_search_free(search);
}

/* Llama-2-7B has 32 heads and 32 layers; a batch of 64 sequences wants dp to be a power of two. */
static void lists_at_fault_are_named(void **state)
{
    struct world *w = *state;
    static const struct {
        const char *kind, *gpus, *plan, *obstacles;
    } CASES[] = {
        {"train", "24", "\"tp\":3",
         "plan.tp 3: with the rest as it is, 2 or 4 would do (plan.tp: 3 does not divide the 32 attention heads of "
         "llama2-7b (allowed: 1, 2, 4, 8, 16, 32))|"},
        {"train", "13", "\"tp\":4",
         "gpus 13: with the rest as it is, 12 or 16 would do|plan.tp 4: with the rest as it is, 1 would do|"},
        {"infer", "8", "\"tp\":\"3,5\"",
         "plan.tp 3, ...: with the rest as it is, 2 or 8 would do (plan.tp: 3 does not divide the 32 attention heads "
         "of llama2-7b (allowed: 1, 2, 4, 8, 16, 32))|"},
        {"train", "8", "\"tp\":3,\"pp\":5",
         "no list is at fault alone (plan.tp: 3 does not divide the 32 attention heads of llama2-7b (allowed: 1, 2, 4, "
         "8, 16, 32))|"},
        {"train", "8", "\"tp\":2", ""},
    };
    for (size_t i = 0; i < COUNT(CASES); i++) {
        struct orr_search *search;
        struct orr_error error;
        char request[512], lines[1024] = "";
        (void)snprintf(request, sizeof request,
                       "{\"kind\":\"%s\"," MODEL ",\"gpus\":%s,\"plan\":{%s},\"workload\":{%s}}", CASES[i].kind,
                       CASES[i].gpus, CASES[i].plan,
                       CASES[i].kind[0] == 't' ? "\"global_batch\":64" : "\"input_len\":64,\"output_len\":64");
        if (orr_search_open(w->catalogue, request, "request", &search, &error) ||
            orr_search_run(search, 2, NULL, NULL, &error))
            fail_msg("%s", error.text);
        json_t *json = json_of(search);
        const json_t *obstacles = json_object_get(json, "obstacles");
        assert_true((obstacles == NULL) == (count_of(json, "plans") > 0));
        for (size_t k = 0; k < json_array_size(obstacles); k++)
            (void)snprintf(lines + strlen(lines), sizeof lines - strlen(lines), "%s|",
                           json_string_value(json_array_get(obstacles, k)));
        assert_string_equal(lines, CASES[i].obstacles);
        json_decref(json);
        orr_search_free(search);
    }
}

/* What the best plan has least of, and what a limit is about, stand in a table of 80 columns as well. */
static void columns_that_were_asked_for_stay(void **state)
{
    static const struct {
        const char *search, *title;
    } CASES[] = {{"\"objective\":\"cost\"", "$/Btok"},
                 {"\"objective\":\"energy\"", "energy/tok"},
                 {"\"limits\":\"tokens_per_s_per_gpu>=1\"", "tok/s/GPU"}};
    struct world *w = *state;
    for (size_t i = 0; i < COUNT(CASES); i++) {
        struct orr_search *search = search_train(w, CASES[i].search, 1);
        char *text = orr_search_render(search, ORR_FORMAT_TERMINAL, &(struct orr_style){.width = 80});
        const char *best = strstr(text, "best plans");
        assert_non_null(best);
        const char *title = strstr(best, CASES[i].title);
        assert_true(title && title < strstr(best, "\n   1 ")); /* in the line above the first plan */
        free(text);
        orr_search_free(search);
    }
}

/* ---------------------------------------------------------------- launch flags */

static void check_launch(struct world *w, enum orr_launcher launcher, const char *json, const char *flags,
                         const char *notes)
{
    static struct orr_job job;
    struct orr_text texts[2] = {{0}};
    struct orr_error error;
    if (orr_job_read(w->catalogue, json, "request", &job, &error)) fail_msg("%s", error.text);
    orr_launch(launcher, &job, &texts[0], &texts[1]);
    assert_string_equal(texts[0].data ? texts[0].data : "", flags);
    assert_string_equal(texts[1].data ? texts[1].data : "", notes);
    free(texts[0].data);
    free(texts[1].data);
}

static void training_flags(void **state)
{
    struct world *w = *state;
    check_launch(
        w, ORR_LAUNCHER_MEGATRON,
        "{\"kind\":\"train\",\"model\":\"gpt3-175b\",\"system\":\"a100-80g-sxm\",\"gpus\":128,"
        "\"plan\":{\"tp\":8,\"pp\":8,\"vpp\":3,\"sp\":true,\"zero\":1},\"workload\":{\"global_batch\":64,"
        "\"recompute\":\"selective\",\"engine\":\"megatron-lm-2022\"}}",
        "--tensor-model-parallel-size 8 --pipeline-model-parallel-size 8 "
        "--num-virtual-stages-per-pipeline-rank 3 --sequence-parallel --use-distributed-optimizer "
        "--seq-length 2048 --micro-batch-size 1 --global-batch-size 64 --recompute-granularity selective --fp16 "
        "--no-overlap-p2p-communication", /* this engine sends alone */
        "");
    check_launch(w, ORR_LAUNCHER_MEGATRON,
                 "{\"kind\":\"train\"," MODEL ",\"gpus\":4,\"plan\":{\"pp\":4,\"schedule\":\"zb-h1\",\"zero\":0},"
                 "\"workload\":{\"global_batch\":64,\"recompute\":\"full\",\"recompute_every\":2}}",
                 "--tensor-model-parallel-size 1 --pipeline-model-parallel-size 4 --seq-length 2048 "
                 "--micro-batch-size 1 --global-batch-size 64 --recompute-granularity full --recompute-method uniform "
                 "--recompute-num-layers 2 --bf16",
                 "no flag for zero-bubble schedules");
    check_launch(w, ORR_LAUNCHER_MEGATRON,
                 "{\"kind\":\"train\",\"model\":\"mixtral-8x7b\",\"system\":\"h100-sxm\",\"gpus\":8,"
                 "\"plan\":{\"ep\":8,\"etp\":1,\"zero\":3},\"workload\":{\"global_batch\":8}}",
                 "--tensor-model-parallel-size 1 --pipeline-model-parallel-size 1 --expert-model-parallel-size 8 "
                 "--expert-tensor-parallel-size 1 --moe-token-dispatcher-type alltoall --use-megatron-fsdp "
                 "--data-parallel-sharding-strategy optim_grads_params --use-distributed-optimizer "
                 "--no-gradient-accumulation-fusion --ckpt-format fsdp_dtensor --seq-length 2048 --micro-batch-size 1 "
                 "--global-batch-size 8 --bf16",
                 "unset CUDA_DEVICE_MAX_CONNECTIONS");
}

static void serving_flags(void **state)
{
    struct world *w = *state;
    static const char dense[] =
        "{\"kind\":\"infer\"," MODEL ",\"gpus\":4,\"plan\":{\"tp\":2},\"workload\":{\"batch\":8,"
        "\"input_len\":100,\"output_len\":28,\"kv_precision\":\"fp16\",\"precision\":\"fp16\"}}";
    check_launch(w, ORR_LAUNCHER_VLLM, dense,
                 "--tensor-parallel-size 2 --pipeline-parallel-size 1 --data-parallel-size 2 --max-num-seqs 8 "
                 "--max-model-len 128 --dtype float16",
                 "");
    check_launch(w, ORR_LAUNCHER_TENSORRT_LLM, dense, "--tp_size 2 --pp_size 1 --max_batch_size 8 --max_seq_len 128",
                 "no flag for replicas: start one server for each of dp");
}

/* tp 1 or more, replicas, experts: one set of experts is one server. */
static void expert_serving_flags(void **state)
{
    struct world *w = *state;
#define EXPERTS(plan)                                                                                                  \
    "{\"kind\":\"infer\",\"model\":\"mixtral-8x7b\",\"system\":\"h100-sxm\",\"gpus\":8,\"plan\":{" plan                \
    "},\"workload\":{\"batch\":8,\"input_len\":100,\"output_len\":28}}"
    static const char cut[] = EXPERTS("\"tp\":4,\"ep\":2"), spread[] = EXPERTS("\"tp\":1,\"ep\":4,\"etp\":1"),
                      one[] = EXPERTS("\"tp\":8,\"ep\":8,\"etp\":1"), wide[] = EXPERTS("\"tp\":2,\"ep\":8,\"etp\":1");
#undef EXPERTS
    const char *const end = " --max-num-seqs 8 --max-model-len 128 --dtype bfloat16";
    const char *const trt_end = " --max_batch_size 8 --max_seq_len 128";
    static const struct {
        const char *job, *vllm, *vllm_notes, *trt, *trt_notes;
    } CASES[] = {
        {cut, "--tensor-parallel-size 4 --pipeline-parallel-size 1",
         "no flag for this expert-parallel degree: --enable-expert-parallel takes all ranks; "
         "start one server for each set of experts",
         "--tp_size 4 --pp_size 1 --ep_size 2", "no flag for replicas: start one server for each of dp"},
        {spread, "--tensor-parallel-size 1 --pipeline-parallel-size 1 --data-parallel-size 4 --enable-expert-parallel",
         "start one server for each set of experts", "--tp_size 4 --pp_size 1 --ep_size 4 --enable_attention_dp",
         "start one server for each set of experts"},
        {one, "--tensor-parallel-size 8 --pipeline-parallel-size 1 --enable-expert-parallel", "",
         "--tp_size 8 --pp_size 1 --ep_size 8", ""},
        {wide, "--tensor-parallel-size 2 --pipeline-parallel-size 1 --data-parallel-size 4 --enable-expert-parallel",
         "", "--tp_size 2 --pp_size 1 --ep_size 8", "no flag for experts shared by replicas of several GPUs"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char flags[256];
        snprintf(flags, sizeof flags, "%s%s", CASES[i].vllm, end);
        check_launch(w, ORR_LAUNCHER_VLLM, CASES[i].job, flags, CASES[i].vllm_notes);
        snprintf(flags, sizeof flags, "%s%s", CASES[i].trt, trt_end);
        check_launch(w, ORR_LAUNCHER_TENSORRT_LLM, CASES[i].job, flags, CASES[i].trt_notes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_add_up),
        cmocka_unit_test(listed_plans_give_their_figures),
        cmocka_unit_test(plans_beside_the_winner_hold),
        cmocka_unit_test(fronts_have_no_near_duplicates),
        cmocka_unit_test(reports_do_not_depend_on_threads),
        cmocka_unit_test(listed_inference_plans_read_back),
        cmocka_unit_test(two_pools_are_one_answer),
        cmocka_unit_test(compare_ranks),
        cmocka_unit_test(lines_fit),
        cmocka_unit_test(lists_at_fault_are_named),
        cmocka_unit_test(columns_that_were_asked_for_stay),
        cmocka_unit_test(training_flags),
        cmocka_unit_test(serving_flags),
        cmocka_unit_test(expert_serving_flags),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
