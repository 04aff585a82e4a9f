/* The schema of requests allows what the readers allow: every word of every list is read, and numbers at both ends of
 * their range, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "support.h"

static json_t *schema_of(const char *question)
{
    char *text = orr_schema_text(question);
    assert_non_null(text);
    json_t *schema = json_loads(text, 0, NULL);
    assert_non_null(schema);
    free(text);
    return schema;
}

/* Reads a job with one key set. A job may be refused for a rule between keys; the value itself must be known. */
static bool is_known(const struct orr_catalogue *catalogue, const char *kind, const char *section, const char *key,
                     json_t *value)
{
    static struct orr_job job;
    struct orr_error error = {.text = ""};
    json_t *request = json_pack("{ss ss ss si s{} s{}}", "kind", kind, "model", "llama2-7b", "system", "h100-sxm",
                                "gpus", 8, "plan", "workload");
    json_t *workload = json_object_get(request, "workload");
    if (strcmp(kind, "infer") == 0) {
        json_object_set_new(workload, "input_len", json_integer(100));
        json_object_set_new(workload, "output_len", json_integer(10));
    }
    json_object_set(json_object_get(request, section), key, value);
    char *text = json_dumps(request, 0);
    const enum orr_err err = orr_job_read(catalogue, text, "request", &job, &error);
    const bool known = !err || (!strstr(error.text, "must be one of") && !strstr(error.text, "unknown key") &&
                                !strstr(error.text, "must be a number") && !strstr(error.text, "must be an integer"));
    if (!known) print_error("%s\n", error.text);
    free(text);
    json_decref(request);
    return known;
}

static void check_section(const struct orr_catalogue *catalogue, const char *kind, const char *section)
{
    json_t *schema = schema_of(kind), *rule;
    const char *key;
    size_t n = 0;
    json_object_foreach(json_object_get(json_object_get(json_object_get(schema, "properties"), section), "properties"),
                        key, rule)
    {
        size_t i;
        json_t *word;
        const json_t *words = json_object_get(rule, "enum");
        json_array_foreach(words ? words : json_object_get(rule, "examples"), i, word)
        {
            if (!is_known(catalogue, kind, section, key, word)) fail_msg("%s.%s", section, key);
        }
        static const char *const ENDS[] = {"minimum", "maximum"};
        for (size_t e = 0; e < 2; e++) {
            json_t *end = json_object_get(rule, ENDS[e]);
            if (end && !is_known(catalogue, kind, section, key, end)) fail_msg("%s.%s %s", section, key, ENDS[e]);
        }
        assert_non_null(json_object_get(rule, "description"));
        n++;
    }
    assert_true(n >= 6);
    json_decref(schema);
}

static void readers_know_every_value(void **state)
{
    check_section(catalogue_of(state), "train", "plan");
    check_section(catalogue_of(state), "train", "workload");
    check_section(catalogue_of(state), "infer", "plan");
    check_section(catalogue_of(state), "infer", "workload");
}

static void other_questions_have_their_sections(void **state)
{
    static const char *const KEYS[][3] = {{"search", "search", "objective"},
                                          {"search", "workload", "input_len"},
                                          {"search", "workload", "global_batch"},
                                          {"serving", "traffic", "rate_per_s"},
                                          {"size", "size", "budget"},
                                          {"size", "traffic", "input_len"}};
    (void)state;
    for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; i++) {
        json_t *schema = schema_of(KEYS[i][0]);
        const json_t *section = json_object_get(json_object_get(schema, "properties"), KEYS[i][1]);
        const json_t *rule = json_object_get(json_object_get(section, "properties"), KEYS[i][2]);
        assert_non_null(json_object_get(rule, "description"));
        json_decref(schema);
    }
    assert_null(orr_schema_text("nothing"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readers_know_every_value),
        cmocka_unit_test(other_questions_have_their_sections),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
