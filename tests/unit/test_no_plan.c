/* Questions that have no good answer: what a size says when nothing serves the load, what a comparison says when one of
 * its requests has no result, and how both say it in every format. */
#include <jansson.h>

#include "support.h"

#define TRAFFIC(rate) "'traffic':{'rate_per_s':" rate ",'input_len':256,'output_len':32,'requests':60}"
#define SIZED(model, plan, rate, slo)                                                                                  \
    "{'kind':'size','model':'" model "','system':'h100-sxm','plan':{" plan "},'workload':{'engine':'vllm',"            \
    "'disaggregated':false}," TRAFFIC(rate) ",'slo':['" slo "'],'size':{'budget':1,'batch':'64','chunk':'2048'}}"
#define SERVED(model, system, rate)                                                                                    \
    "{'kind':'serving','model':'" model "','system':'" system "','workload':{'engine':'vllm'}," TRAFFIC(rate) "}"

static void quoted(char *text, size_t size, const char *format)
{
    (void)snprintf(text, size, "%s", format);
    for (char *at = text; *at; at++)
        if (*at == '\'') *at = '"';
}

/* The answer to a size in one format; `stopped`: as if Ctrl-C came first. */
static char *size_text(const struct world *w, const char *request, bool stopped, enum orr_format format)
{
    struct orr_error error;
    struct orr_size *size = NULL;
    const volatile int stop = 1;
    char json[2048];
    quoted(json, sizeof json, request);
    if (orr_size_open(w->catalogue, json, "request", &size, &error)) fail_msg("%s", error.text);
    if (orr_size_run(size, 1, stopped ? &stop : NULL, NULL, NULL, &error)) fail_msg("%s", error.text);
    assert_false(orr_size_holds(size));
    char *text = orr_size_render(size, format, NULL);
    assert_non_null(text);
    orr_size_close(size);
    return text;
}

/* Every reason stands in the JSON and, over as many lines as it takes, on the terminal. Worked out by hand: 3 does not
 * divide 32 heads; 671 G parameters take more than the 80 GB of one GPU; a million requests a second are 32 million
 * tokens a second; no chip answers in a picosecond, and no load is needed to say so. */
static void sizes_say_why_there_is_none(void **state)
{
    static const struct {
        const char *request;
        bool stopped;
        const char *says;
    } CASES[] = {
        {SIZED("llama3-8b", "'tp':3", "1", "ttft_s.p99<=1 s"), false, "no plan obeys the rules within the budget"},
        {SIZED("deepseek-v3", "", "1", "ttft_s.p99<=1 s"), false, "the model does not fit within the budget"},
        {SIZED("llama3-8b", "'tp':1", "1e6", "ttft_s.p99<=1 s"), false, "the load is too high for the budget"},
        {SIZED("llama3-8b", "'tp':1", "1", "ttft_s.mean<=1e-12 s"), false,
         "the nearest plan misses ttft_s.mean<=1e-12"},
        {SIZED("llama3-8b", "'tp':1", "1", "ttft_s.p99<=1 s"), true, "stopped before a plan was tried to its end"},
    };
    const struct world *w = *state;
    for (size_t i = 0; i < COUNT(CASES); i++) {
        char *text = size_text(w, CASES[i].request, CASES[i].stopped, ORR_FORMAT_JSON);
        json_t *json = json_loads(text, 0, NULL);
        const char *reason = json_string_value(json_object_get(json, "reason"));
        if (!reason || !strstr(reason, CASES[i].says)) fail_msg("\"%s\" is not in: %s", CASES[i].says, text);
        assert_true(json_is_false(json_object_get(json, "found")));
        assert_null(json_object_get(json, "best"));
        const bool nearest = strstr(CASES[i].says, "nearest");
        assert_int_equal(json_object_get(json, "nearest") != NULL, nearest);
        if (nearest) assert_non_null(strstr(reason, "no plan is below"));
        json_decref(json);
        free(text);
        text = size_text(w, CASES[i].request, CASES[i].stopped, ORR_FORMAT_TERMINAL);
        assert_non_null(strstr(text, "no plan: "));
        free(text);
        text = size_text(w, CASES[i].request, CASES[i].stopped, ORR_FORMAT_CSV);
        assert_non_null(strstr(text, "system,gpus,usd_per_hour"));
        free(text);
    }
}

static char *compared(const struct world *w, const char *first, const char *second, enum orr_format format,
                      struct orr_error *error)
{
    char json[4096], *text = NULL, request[4096];
    (void)snprintf(request, sizeof request, "{'requests':[%s,%s],'names':['one','two']}", first, second);
    quoted(json, sizeof json, request);
    return orr_compare_ask(w->catalogue, json, "request", format, NULL, &text, error) ? NULL : text;
}

/* A size that is found beside one that is not: the second has no GPUs to show, and that is said. Two systems under the
 * same load differ by their name alone, and the slower one has a factor beside its times. */
static void comparisons_of_services_and_sizes(void **state)
{
    const char *found = SIZED("llama3-8b", "'tp':1", "1", "ttft_s.p99<=1 s");
    const char *none = SIZED("deepseek-v3", "", "1", "ttft_s.p99<=1 s");
    const struct world *w = *state;
    struct orr_error error;
    char *text = compared(w, found, none, ORR_FORMAT_JSON, &error);
    json_t *json = text ? json_loads(text, 0, NULL) : NULL;
    if (!json) fail_msg("%s", text ? text : error.text);
    const json_t *results = json_object_get(json, "results");
    assert_true(json_is_true(json_object_get(json_array_get(results, 0), "found")));
    assert_true(json_is_false(json_object_get(json_array_get(results, 1), "found")));
    assert_non_null(strstr(json_string_value(json_array_get(json_object_get(json, "why"), 1)), "has no answer"));
    json_decref(json);
    free(text);
    text = compared(w, found, none, ORR_FORMAT_TERMINAL, &error);
    assert_non_null(strstr(text, "deepseek-v3"));
    assert_non_null(strstr(text, " -"));
    free(text);
    text = compared(w, SERVED("llama3-8b", "h100-sxm", "2"), SERVED("llama3-8b", "a100-80g-sxm", "2"),
                    ORR_FORMAT_TERMINAL, &error);
    if (!text) fail_msg("%s", error.text);
    assert_non_null(strstr(text, "a100-80g-sxm"));
    assert_non_null(strstr(text, "×1."));
    free(text);
}

/* What is no comparison is refused with its place. */
static void comparisons_that_are_none(void **state)
{
    static const struct {
        const char *first, *second, *says;
    } BAD[] = {
        {SERVED("llama3-8b", "h100-sxm", "2"), SIZED("llama3-8b", "", "1", "ttft_s.p99<=1 s"),
         "is of another kind than the first request, which is serving"},
        {SIZED("llama3-8b", "", "1", "ttft_s.p99<=1 s"), SERVED("llama3-8b", "h100-sxm", "2"),
         "is of another kind than the first request, which is size"},
        {SERVED("llama3-8b", "h100-sxm", "2"),
         "{'kind':'serving','model':'llama3-8b','system':'h100-sxm','traffic':{'rate_per_s':2,'input_len':9,"
         "'output_len':9,'requests':2000000}}",
         "has more than a million requests to simulate"},
        {SERVED("llama3-8b", "h100-sxm", "2"),
         "{'kind':'serving','model':'llama3-8b','system':'h100-sxm','traffic':{'rate_per_s':2000,'input_len':9,"
         "'output_len':9,'duration_s':1000}}",
         "has more than a million requests to simulate"},
        {SIZED("llama3-8b", "", "1", "ttft_s.p99<=1 s"), "{'kind':'size','model':'llama3-8b','system':'h100-sxm'}",
         "traffic"},
    };
    const struct world *w = *state;
    for (size_t i = 0; i < COUNT(BAD); i++) {
        struct orr_error error = {0};
        char *text = compared(w, BAD[i].first, BAD[i].second, ORR_FORMAT_JSON, &error);
        assert_null(text);
        assert_int_equal(error.code, ORR_ERR_INPUT);
        if (!strstr(error.text, BAD[i].says)) fail_msg("\"%s\" is not in: %s", BAD[i].says, error.text);
    }
}

/* A system without a price has no cheapest plan: dollars are refused, and the fewest GPUs are looked for otherwise. */
static void sizes_of_systems_without_a_price(void **state)
{
#define PRICELESS(size)                                                                                                \
    "{'kind':'size','model':'llama3-8b','system':'a100-80g-sxm','set':{'system.price_usd_per_gpu_hour':0},'plan':{"    \
    "'tp':1},'workload':{'engine':'vllm','disaggregated':false}," TRAFFIC("1") ",'slo':['ttft_s.p99<=1 s'],'size':{"   \
                                                                               "'batch':'64','chunk':'2048'," size     \
                                                                               "}}"
    static const char *const REFUSED[] = {PRICELESS("'budget':'$9/h'"), PRICELESS("'budget':1,'objective':'cost'")};
    const struct world *w = *state;
    struct orr_error error;
    struct orr_size *size = NULL;
    char json[2048];
    for (size_t i = 0; i < COUNT(REFUSED); i++) {
        quoted(json, sizeof json, REFUSED[i]);
        assert_int_equal(orr_size_open(w->catalogue, json, "request", &size, &error), ORR_ERR_INPUT);
        if (!strstr(error.text, "has no price")) fail_msg("%s", error.text);
    }
    quoted(json, sizeof json, PRICELESS("'budget':1"));
    if (orr_size_open(w->catalogue, json, "request", &size, &error)) fail_msg("%s", error.text);
    if (orr_size_run(size, 1, NULL, NULL, NULL, &error)) fail_msg("%s", error.text);
    assert_true(orr_size_holds(size));
    char *text = orr_size_render(size, ORR_FORMAT_JSON, NULL);
    assert_non_null(strstr(text, "\"objective\": \"gpus\""));
    free(text);
    orr_size_close(size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_say_why_there_is_none), cmocka_unit_test(comparisons_of_services_and_sizes),
        cmocka_unit_test(comparisons_that_are_none), cmocka_unit_test(sizes_of_systems_without_a_price)};
    return cmocka_run_group_tests_name("no plan", tests, open_world, close_world);
}
