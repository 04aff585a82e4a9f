/* The published plan beside the winner of a search: which measured run it comes from, and what it is worth. The runs
 * are those of the record (src/predict/nearest_table.h). */
#include <jansson.h>

#include "spec/job.h"
#include "support.h"

/* The published plan of a search; NULL where there is none. `winner` is the objective's figure of the best plan. */
static json_t *published(struct world *w, const char *kind, const char *parts, json_t **winner)
{
    static struct orr_search_request request;
    struct orr_search *search = NULL;
    struct orr_error error;
    char json[1024];
    (void)snprintf(json, sizeof json, "{\"kind\":\"%s\",%s}", kind, parts);
    if (orr_search_read(w->catalogue, json, "request", &request, &error) || orr_search_new(&request, &search, &error) ||
        orr_search_run(search, 1, NULL, NULL, &error))
        fail_msg("%s", error.text);
    char *text = orr_search_render(search, ORR_FORMAT_JSON, NULL);
    json_t *reply = json_loads(text, 0, NULL);
    assert_non_null(reply);
    json_t *plan = json_incref(json_object_get(reply, "published"));
    if (winner) *winner = json_incref(json_array_get(json_object_get(reply, "best"), 0));
    json_decref(reply);
    free(text);
    orr_search_free(search);
    return plan;
}

static const char *word(const json_t *plan, const char *key)
{
    return json_string_value(json_object_get(json_object_get(plan, "run"), key));
}

#define PARTS(model, system, engine)                                                                                   \
    "\"model\":\"" model "\",\"system\":\"" system "\",\"gpus\":64,\"plan\":{\"cp\":1},"                               \
    "\"workload\":{\"global_batch\":64,\"micro_batch\":1,\"engine\":\"" engine "\"}"

/* Llama 3 and 3.3 have the same shapes, and the run of the engine that was asked for is shown for both, although
 * Llama 3.3 has one of its own under another engine. */
static void one_architecture_has_one_plan(void **state)
{
    struct world *w = *state;
    json_t *winner, *other_winner;
    json_t *own = published(w, "train", PARTS("llama3-70b", "h100-sxm", "megatron-core-2025"), &winner);
    json_t *other = published(w, "train", PARTS("llama3.3-70b", "h100-sxm", "megatron-core-2025"), &other_winner);
    assert_string_equal(word(own, "model"), "llama3-70b");
    assert_string_equal(word(other, "model"), "llama3-70b");
    assert_string_equal(word(own, "system"), "h100-sxm");
    assert_true(json_number_value(json_object_get(own, "ratio")) >= 1);
    const double times = json_number_value(json_object_get(own, "step_time_s")) /
                         json_number_value(json_object_get(winner, "step_time_s"));
    assert_true(fabs(times / json_number_value(json_object_get(own, "ratio")) - 1) < 1e-9);
    json_decref(own);
    json_decref(other);
    json_decref(winner);
    json_decref(other_winner);
}

/* The runs of Mistral are those of 7B models, less than a third of this one. */
static void another_size_has_none(void **state)
{
    struct world *w = *state;
    json_t *none = published(w, "train", PARTS("mistral-small-24b", "h100-sxm", "megatron-core-2025"), NULL);
    assert_null(none);
}

static void a_service_has_one_too(void **state)
{
    struct world *w = *state;
    json_t *plan = published(w, "infer",
                             "\"model\":\"llama3.3-70b\",\"system\":\"h100-sxm\",\"gpus\":8,\"plan\":{\"tp\":\"4,8\"},"
                             "\"workload\":{\"input_len\":1000,\"output_len\":200,\"batch\":\"8,16\"},"
                             "\"search\":{\"objective\":\"throughput\",\"limits\":\"ttft_s<=2 s\"}",
                             NULL);
    assert_non_null(plan);
    assert_true(json_number_value(json_object_get(plan, "ttft_s")) <= 2); /* The limit holds here as well. */
    assert_true(json_number_value(json_object_get(plan, "ratio")) >= 1);
    json_decref(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_architecture_has_one_plan),
                                       cmocka_unit_test(another_size_has_none),
                                       cmocka_unit_test(a_service_has_one_too)};
    return cmocka_run_group_tests(tests, open_world, close_world);
}
