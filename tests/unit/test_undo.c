/* A source that nobody has seen: what was chosen with its rows in view is undone, and every engine has a parent. */
#include "support.h"

#include "spec/part.h"
#include "validate/unseen.h"

static void parse(const char *text, struct orr_doc *doc)
{
    struct orr_error error;
    if (orr_doc_parse(text, "part", doc, &error)) fail_msg("%s", error.text);
}

static void what_was_chosen_in_view_is_undone(void **state)
{
    (void)state;
    static const char TEXT[] = "{\"a\": 1, \"b\": 2, \"c\": 3, \"undo\": {\"b\": 7},"
                               " \"sources\": {\"a\": \"of a\", \"b\": \"of b\"},"
                               " \"chosen_with\": {\"a\": [\"S\"], \"b\": [\"S\", \"T\"], \"c\": [\"T\"]}}";
    struct orr_error error;
    struct orr_doc doc;
    parse(TEXT, &doc);
    assert_int_equal(orr_undo_apply(&doc, "S", &error), ORR_OK);
    assert_null(json_object_get(doc.root, "a"));                             /* the base's value counts */
    assert_int_equal(json_integer_value(json_object_get(doc.root, "b")), 7); /* what stood there before */
    assert_int_equal(json_integer_value(json_object_get(doc.root, "c")), 3); /* another source's */
    assert_null(json_object_get(doc.root, "chosen_with"));
    const json_t *sources = json_object_get(doc.root, "sources"); /* a key that is gone has no source */
    assert_null(json_object_get(sources, "a"));
    assert_non_null(json_object_get(sources, "b"));
    orr_doc_close(&doc);
    parse(TEXT, &doc);
    assert_int_equal(orr_undo_apply(&doc, NULL, &error), ORR_OK);
    assert_int_equal(json_integer_value(json_object_get(doc.root, "a")), 1);
    assert_null(json_object_get(doc.root, "undo"));
    orr_doc_close(&doc);
    parse("{\"a\": 1, \"chosen_with\": {\"z\": [\"S\"]}}", &doc);
    assert_int_equal(orr_undo_apply(&doc, "S", &error), ORR_ERR_INPUT); /* z is not a key */
    orr_doc_close(&doc);
    parse("{\"a\": 1, \"undo\": {\"a\": 2}, \"chosen_with\": {}}", &doc);
    assert_int_equal(orr_undo_apply(&doc, "S", &error), ORR_ERR_INPUT); /* nothing was chosen in a */
    orr_doc_close(&doc);
}

/* Every engine of the catalogue has a parent that can be read, and no chain of parents falls back to the engine of the
 * source itself. */
static void parents_are_engines(void **state)
{
    struct world *w = *state;
    size_t n;
    struct orr_unseen unseen;
    struct orr_error error;
    const char *const *ids = orr_catalogue_ids(w->catalogue, ORR_PART_ENGINE, &n);
    assert_int_equal(orr_unseen_open(&unseen, w->catalogue, true, &error), ORR_OK);
    for (size_t i = 0; i < n; i++) {
        char parent[ORR_ID];
        if (orr_unseen_engine(&unseen, ids[i], parent, &error)) fail_msg("%s: %s", ids[i], error.text);
        if (strcmp(parent, "serving-base") == 0)
            fail_msg("%s: \"parent\" must name an engine that people run, not serving-base", ids[i]);
    }
    orr_unseen_close(&unseen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_chosen_in_view_is_undone),
        cmocka_unit_test(parents_are_engines),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
