/* Requests to search (src/spec/request_search.c, request_space.c) and their limits (src/metric/limits.c). */
#include "report/search.h"
#include "searches.h"
#include "spec/family.h"
#include "spec/names.h"
#include "support.h"

static struct orr_search_request request; /* too large for the stack */

/* A training request around the members given. */
static enum orr_err read_train(struct world *w, const char *gpus, const char *plan, const char *workload,
                               const char *search, struct orr_error *error)
{
    char json[2048];
    snprintf(json, sizeof json,
             "{\"kind\":\"train\",\"model\":\"gpt3-175b\",\"system\":\"a100-80g-sxm\",\"gpus\":%s,\"plan\":{%s},"
             "\"workload\":{\"global_batch\":64%s%s},\"search\":{%s}}",
             gpus, plan, *workload ? "," : "", workload, search);
    return orr_search_read(w->catalogue, json, "request", &request, error);
}

static enum orr_err read_infer(struct world *w, const char *workload, struct orr_error *error)
{
    char json[2048];
    snprintf(json, sizeof json,
             "{\"kind\":\"infer\",\"model\":\"llama2-7b\",\"system\":\"h100-sxm\",\"gpus\":8,"
             "\"workload\":{\"input_len\":200,\"output_len\":200%s%s}}",
             *workload ? "," : "", workload);
    return orr_search_read(w->catalogue, json, "request", &request, error);
}

static void check_choices(const struct orr_choices *choices, int64_t n, const int64_t *values)
{
    assert_int_equal(choices->n, n);
    for (int64_t i = 0; i < n; i++) assert_int_equal(choices->values[i], values[i]);
}

#define CHECK(choices, ...)                                                                                            \
    check_choices(&(choices), (int64_t)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)),                     \
                  (const int64_t[]){__VA_ARGS__})

static void silence_is_searched(void **state)
{
    struct world *w = *state;
    assert_int_equal(read_train(w, "64", "", "", "", NULL), ORR_OK);
    const struct orr_space *space = &request.space;
    CHECK(space->gpus, 64);
    const struct orr_choices *const searched[] = {&space->tp,        &space->cp,
                                                  &space->pp,        &space->dp,
                                                  &space->ep,        &space->etp,
                                                  &space->vpp,       &space->schedule,
                                                  &space->zero,      &space->sp,
                                                  &space->cp_kind,   &space->micro_batch,
                                                  &space->recompute, &space->recompute_every};
    for (size_t i = 0; i < sizeof searched / sizeof *searched; i++) assert_int_equal(searched[i]->n, 0);
    assert_true(space->overlap);
    assert_int_equal(request.objective, ORR_OBJECTIVE_TIME);
    assert_int_equal(request.top, 10);
    assert_true(request.front_within == 2);
    assert_false(request.brute || request.compared);
    assert_int_equal(request.job.workload.global_batch, 64);
    assert_int_equal(request.job.plan.gpus, 1);
}

static void lists_and_ranges(void **state)
{
    struct world *w = *state;
    assert_int_equal(read_train(w, "\"64..512\"",
                                "\"tp\":\"8, 1,2,2\",\"pp\":[16,4],\"dp\":4,\"zero\":\"1..3\","
                                "\"schedule\":\"zb-h1,1f1b\",\"sp\":[true,false],\"vpp\":\"any\"",
                                "\"recompute\":[\"full\",\"none\"],\"micro_batch\":\"1..6\",\"recompute_every\":\"2\"",
                                "", NULL),
                     ORR_OK);
    const struct orr_space *space = &request.space;
    CHECK(space->gpus, 64, 128, 256, 512);
    CHECK(space->tp, 1, 2, 8);
    CHECK(space->pp, 4, 16);
    CHECK(space->dp, 4);
    CHECK(space->zero, 1, 2, 3);
    CHECK(space->schedule, ORR_SCHEDULE_1F1B, ORR_SCHEDULE_ZB_H1);
    CHECK(space->sp, 0, 1);
    CHECK(space->recompute, ORR_RECOMPUTE_NONE, ORR_RECOMPUTE_FULL);
    CHECK(space->micro_batch, 1, 2, 4); /* doubling stays below the end */
    CHECK(space->recompute_every, 2);
    assert_int_equal(space->vpp.n, 0);
}

static void ranges_mix_with_values(void **state)
{
    struct world *w = *state;
    assert_int_equal(read_train(w, "\"8,96..200,4k\"", "", "", "", NULL), ORR_OK);
    CHECK(request.space.gpus, 8, 96, 192, 4000);
}

static void set_reaches_the_space(void **state)
{
    struct world *w = *state;
    assert_int_equal(orr_search_read(w->catalogue,
                                     "{\"kind\":\"train\",\"model\":\"gpt3-175b\",\"system\":\"a100-80g-sxm\","
                                     "\"gpus\":64,\"plan\":{\"tp\":1},\"workload\":{\"global_batch\":64},"
                                     "\"set\":{\"plan.tp\":\"2,4\",\"chip.hbm_bytes\":\"40 GB\"}}",
                                     "request", &request, NULL),
                     ORR_OK);
    CHECK(request.space.tp, 2, 4);
    assert_true(request.job.system.chip.hbm_bytes == 40e9);
}

static void overlap_is_fixed_by_the_plan(void **state)
{
    struct world *w = *state;
    assert_int_equal(read_train(w, "64", "\"overlap\":\"tp\"", "", "", NULL), ORR_OK);
    assert_false(request.space.overlap);
    const uint32_t exposed = 1u << ORR_GROUP_EP | 1u << ORR_GROUP_PP | 1u << ORR_GROUP_DP;
    assert_int_equal(request.job.plan.exposed_groups, exposed);
    assert_int_equal(read_train(w, "64", "", "", "\"overlap\":false", NULL), ORR_OK);
    assert_false(request.space.overlap);
    assert_int_equal(request.job.plan.exposed_groups, 0);
}

static void formats_are_not_searched_unasked(void **state)
{
    struct world *w = *state;
    assert_int_equal(read_infer(w, "", NULL), ORR_OK);
    CHECK(request.space.weights, ORR_DTYPE_BF16);
    CHECK(request.space.kv, ORR_DTYPE_BF16);
    assert_int_equal(request.space.batch.n, 0);
    assert_int_equal(request.space.disaggregated.n, 0);
    assert_false(request.imbalance_given || request.matrix_given || request.comm_given);
    assert_int_equal(read_infer(w,
                                "\"precision\":\"fp8,bf16\",\"kv_precision\":\"any\",\"batch\":\"1..8\","
                                "\"matrix_precision\":\"fp8\",\"moe_imbalance\":1,\"disaggregated\":false",
                                NULL),
                     ORR_OK);
    CHECK(request.space.weights, ORR_DTYPE_BF16, ORR_DTYPE_FP8);
    assert_int_equal(request.space.kv.n, 0);
    CHECK(request.space.batch, 1, 2, 4, 8);
    CHECK(request.space.disaggregated, 0);
    assert_true(request.imbalance_given && request.matrix_given);
}

static void compare_has_the_ordinary_defaults(void **state)
{
    struct world *w = *state;
    assert_int_equal(read_train(w, "512", "", "", "\"compare\":\"tp=8,pp=16,overlap=tp,dp,recompute=full\"", NULL),
                     ORR_OK);
    const struct orr_choice *c = &request.compare;
    assert_true(request.compared);
    assert_int_equal(c->gpus, 512);
    assert_int_equal(c->tp, 8);
    assert_int_equal(c->pp, 16);
    assert_int_equal(c->dp, 4); /* 512 / (8 * 16) */
    assert_int_equal(c->micro_batch, 1);
    assert_int_equal(c->recompute, ORR_RECOMPUTE_FULL);
    assert_int_equal(c->recompute_every, 1);
    assert_int_equal(c->schedule, ORR_SCHEDULE_1F1B);
    assert_int_equal(c->exposed_groups, 1u << ORR_GROUP_EP | 1u << ORR_GROUP_PP);
    assert_int_equal(
        read_train(w, "\"64..512\"", "", "", "\"compare\":{\"tp\":8,\"vpp\":2,\"pp\":2,\"dp\":4,\"zero\":1}", NULL),
        ORR_OK);
    assert_int_equal(request.compare.gpus, 64);
    assert_int_equal(request.compare.schedule, ORR_SCHEDULE_INTERLEAVED);
    assert_int_equal(request.compare.zero, 1);
}

static void limits_have_units(void **state)
{
    struct world *w = *state;
    assert_int_equal(
        read_train(w, "64", "", "",
                   "\"limits\":[\"mfu_frac >= 40 %\",\"memory_bytes.total<=70 GB\",\"step_time_s<=200 ms\","
                   "\"energy_j_per_token<=1.5 J\",\"tokens_per_s_per_gpu>=1k\"]",
                   NULL),
        ORR_OK);
    assert_int_equal(request.n_limits, 5);
    const struct {
        const char *key;
        bool at_most;
        double value;
    } expected[] = {{"mfu_frac", false, 0.4},
                    {"memory_bytes.total", true, 70e9},
                    {"step_time_s", true, 0.2},
                    {"energy_j_per_token", true, 1.5},
                    {"tokens_per_s_per_gpu", false, 1000}};
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(request.limits[i].key, expected[i].key);
        assert_int_equal(request.limits[i].at_most, expected[i].at_most);
        assert_true(request.limits[i].value == expected[i].value);
    }
    assert_int_equal(orr_limits_resolve(&request, NULL), ORR_OK);
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(orr_metric_info(ORR_JOB_TRAIN, request.limits[i].metric)->key, expected[i].key);
}

/* A limit's unit is read from the key alone: every number of both results must take a text of its own unit. */
static void every_metric_takes_its_unit(void **state)
{
    struct world *w = *state;
    static const char *const values[ORR_N_METRIC_UNITS] = {
        [ORR_METRIC_UNIT_S] = "1 ms",           [ORR_METRIC_UNIT_FRAC] = "10 %", [ORR_METRIC_UNIT_BYTES] = "1 KiB",
        [ORR_METRIC_UNIT_WHOLE_BYTES] = "1 kB", [ORR_METRIC_UNIT_J] = "1 kJ",    [ORR_METRIC_UNIT_W] = "1 kW",
        [ORR_METRIC_UNIT_USD] = "$2",           [ORR_METRIC_UNIT_COUNT] = "2k",
    };
    for (int kind = ORR_JOB_TRAIN; kind <= ORR_JOB_INFER; kind++)
        for (int i = 0; i < (kind == ORR_JOB_TRAIN ? (int)ORR_N_TRAIN_METRICS : (int)ORR_N_INFER_METRICS); i++) {
            const struct orr_metric_info *info = orr_metric_info((enum orr_job_kind)kind, i);
            char limits[256];
            struct orr_error error;
            if (!values[info->unit]) continue;
            snprintf(limits, sizeof limits, "\"limits\":\"%s<=%s\"", info->key, values[info->unit]);
            if (read_train(w, "64", "", "", limits, &error)) fail_msg("%s", error.text);
        }
}

static void limits_accept_and_refuse(void **state)
{
    struct world *w = *state;
    struct orr_result result = {.mfu_frac = 0.5, .memory.total_bytes = 60e9};
    assert_int_equal(read_train(w, "64", "", "", "\"limits\":[\"mfu_frac>=0.5\",\"memory_bytes.total<=60e9\"]", NULL),
                     ORR_OK);
    assert_int_equal(orr_limits_resolve(&request, NULL), ORR_OK);
    assert_true(orr_limits_hold(&request, &request.job, &result, NULL));
    result.mfu_frac = 0.49;
    assert_false(orr_limits_hold(&request, &request.job, &result, NULL));
    result.mfu_frac = 0.51;
    result.memory.total_bytes = 60e9 + 1;
    assert_false(orr_limits_hold(&request, &request.job, &result, NULL));
    assert_int_equal(read_train(w, "64", "", "", "", NULL), ORR_OK);
    assert_int_equal(orr_limits_resolve(&request, NULL), ORR_OK);
    assert_true(orr_limits_hold(&request, &request.job, &result, NULL));
}

static void errors_are_located(void **state)
{
    struct world *w = *state;
    static const char json[] = "{\"kind\": \"train\", \"model\": \"gpt3-175b\", \"system\": \"a100-80g-sxm\",\n"
                               " \"gpus\": 64,\n"
                               " \"plan\": {\"tp\": [1, 2,\n  0]},\n"
                               " \"workload\": {\"global_batch\": 64}}";
    struct orr_error error;
    assert_int_equal(orr_search_read(w->catalogue, json, "request.json", &request, &error), ORR_ERR_INPUT);
    assert_string_equal(error.key, "plan.tp");
    assert_int_equal(error.line, 3);
    assert_int_equal(read_train(w, "64", "", "", "\"compare\":{\"tp\":7}", &error), ORR_ERR_INPUT);
    assert_string_equal(error.key, "search.compare.gpus"); /* 64 is no multiple of 7 */
    assert_int_equal(read_train(w, "64", "", "", "\"compare\":{\"sp\":2}", &error), ORR_ERR_INPUT);
    assert_string_equal(error.key, "search.compare.sp");
}

static void too_many_values(void **state)
{
    struct world *w = *state;
    char list[1024] = "[";
    struct orr_error error;
    for (int i = 1; i <= ORR_MAX_CHOICES + 1; i++) snprintf(list + strlen(list), sizeof list - strlen(list), "%d,", i);
    list[strlen(list) - 1] = ']';
    assert_int_equal(read_train(w, list, "", "", "", &error), ORR_ERR_INPUT);
    assert_non_null(strstr(error.text, "more than 64 values"));
}

/* The best plan of an engine on 16 GPUs, with the ZeRO stage and the pipeline that the request lists, 0 for none. */
static struct orr_choice best_of(struct world *w, const char *engine, int64_t zero, int64_t pp)
{
    const struct orr_found *best;
    read_job(w, "{'kind':'train','model':'gpt2-xl','system':'h100-sxm','workload':{'global_batch':64,'engine':'%s'}}",
             engine);
    request = (struct orr_search_request){.job = w->job, .top = 5, .front_within = 2};
    request.space.gpus = (struct orr_choices){1, {16}};
    if (zero > 0) request.space.zero = (struct orr_choices){1, {zero}};
    if (pp > 0) request.space.pp = (struct orr_choices){1, {pp}};
    struct orr_search *search = run(&request, 1);
    const size_t n = orr_search_best(search, &best);
    assert_true(n > 0);
    for (size_t i = 0; i < n; i++) {
        assert_true(orr_has_zero(&request.job.engine, best[i].choice.zero) || zero > 0);
        assert_true(best[i].choice.pp == 1 || orr_has_pipelines(&request.job.engine) || pp > 0);
        assert_true(best[i].choice.tp == 1 || request.job.engine.tensor_parallel);
    }
    const struct orr_choice first = best[0].choice;
    orr_search_free(search);
    return first;
}

/* A search proposes what the engine can launch; what the request lists is tried on any engine. */
static void plans_are_those_of_the_engine(void **state)
{
    static const char *const WRAPPERS[] = {"pytorch-ddp", "pytorch-fsdp1", "mosaic-fsdp-2024", "pytorch-fsdp2"};
    for (size_t i = 0; i < COUNT(WRAPPERS); i++) assert_int_equal(best_of(*state, WRAPPERS[i], 0, 0).pp, 1);
    assert_int_equal(best_of(*state, "pytorch-ddp", 0, 0).zero, 0);
    assert_int_equal(best_of(*state, "pytorch-ddp", 3, 0).zero, 3);
    assert_int_equal(best_of(*state, "pytorch-ddp", 0, 2).pp, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(silence_is_searched),
        cmocka_unit_test(plans_are_those_of_the_engine),
        cmocka_unit_test(lists_and_ranges),
        cmocka_unit_test(ranges_mix_with_values),
        cmocka_unit_test(set_reaches_the_space),
        cmocka_unit_test(overlap_is_fixed_by_the_plan),
        cmocka_unit_test(formats_are_not_searched_unasked),
        cmocka_unit_test(compare_has_the_ordinary_defaults),
        cmocka_unit_test(limits_have_units),
        cmocka_unit_test(every_metric_takes_its_unit),
        cmocka_unit_test(limits_accept_and_refuse),
        cmocka_unit_test(errors_are_located),
        cmocka_unit_test(too_many_values),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
