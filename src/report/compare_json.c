/* A comparison for programs: every result whole, what was asked differently, and the parts of the time. */
#include <stdlib.h>

#include "report/compare.h"

/* One value of every column, from `value_of`. */
static json_t *across(const struct orr_comparison *comparison,
                      json_t *(*value_of)(const struct orr_comparison *, size_t, const void *), const void *context)
{
    json_t *list = json_array();
    int failed = !list;
    for (size_t i = 0; i < comparison->n && !failed; i++)
        failed = json_array_append_new(list, value_of(comparison, i, context));
    return orr_json_whole(list, failed);
}

static json_t *name_of(const struct orr_comparison *comparison, size_t i, const void *context)
{
    (void)context;
    return orr_json_word(comparison->columns[i].name);
}

static json_t *asked_of(const struct orr_comparison *comparison, size_t i, const void *key)
{
    json_t *value = json_object_get(comparison->columns[i].request, key);
    return value ? json_incref(value) : json_null();
}

static json_t *part_of(const struct orr_comparison *comparison, size_t i, const void *part)
{
    int n;
    return orr_json_real(orr_parts_s(&comparison->columns[i].answer, &n)[*(const int *)part]);
}

static json_t *result_of(const struct orr_comparison *comparison, size_t i, const void *context)
{
    (void)context;
    char *text = orr_render(&comparison->columns[i].answer, ORR_FORMAT_JSON, NULL);
    json_t *json = text ? json_loads(text, 0, NULL) : NULL;
    free(text);
    return json;
}

static json_t *sentence_of(const struct orr_comparison *comparison, size_t i, const void *context)
{
    (void)context;
    struct orr_text text = {0};
    if (i > 0) orr_compare_sentence(comparison, i, &text);
    else orr_text_add(&text, "the others are compared with this");
    json_t *json = text.failed ? NULL : orr_json_word(text.data);
    free(text.data);
    return json;
}

static json_t *differences(const struct orr_comparison *comparison)
{
    const json_t *request = comparison->columns[0].request;
    json_t *list = json_array();
    int failed = !list;
    for (void *at = json_object_iter((json_t *)request); at && !failed;
         at = json_object_iter_next((json_t *)request, at)) {
        const char *key = json_object_iter_key(at);
        if (orr_compare_same(comparison, key)) continue;
        failed =
            json_array_append_new(list, json_pack("{ss so}", "key", key, "values", across(comparison, asked_of, key)));
    }
    return orr_json_whole(list, failed);
}

static json_t *parts(const struct orr_comparison *comparison)
{
    json_t *list = json_array();
    int n, failed = !list;
    (void)orr_parts_s(&comparison->columns[0].answer, &n);
    for (int p = 0; p < n && !failed; p++)
        failed = json_array_append_new(list, json_pack("{ss so}", "part",
                                                       orr_part_text(comparison->columns[0].answer.job->kind, p),
                                                       "seconds", across(comparison, part_of, &p)));
    return orr_json_whole(list, failed);
}

void orr_compare_json(const struct orr_comparison *comparison, struct orr_text *text)
{
    orr_json_lines(text, json_pack("{ss ss so so so so so}", "schema", ORR_SCHEMA, "kind", "compare", "names",
                                   across(comparison, name_of, NULL), "asked", differences(comparison), "parts",
                                   parts(comparison), "why", across(comparison, sentence_of, NULL), "results",
                                   across(comparison, result_of, NULL)));
}
