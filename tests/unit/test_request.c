/* Command-line options put into the text of a request (cli/request.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "request.h"

static void check_put(const char *before, const char *section, const char *key, const char *value, const char *after)
{
    struct cli_text text = {0};
    cli_text_add(&text, "%s", before);
    assert_true(cli_request_put(&text, section, key, value));
    assert_string_equal(text.data, after);
    assert_int_equal(text.length, strlen(after));
    free(text.data);
}

static void members_are_added(void **state)
{
    (void)state;
    check_put("{}", NULL, "gpus", "\"8\"", "{\"gpus\":\"8\"}");
    check_put("{ }", NULL, "gpus", "8", "{\"gpus\":8 }");
    check_put("{\"a\":1}", NULL, "gpus", "8", "{\"gpus\":8,\"a\":1}");
    check_put("{\"a\":1}", "plan", "tp", "8", "{\"plan\":{\"tp\":8},\"a\":1}");
    check_put("{\"plan\":{\"pp\":2}}", "plan", "tp", "8", "{\"plan\":{\"tp\":8,\"pp\":2}}");
    check_put("\n{\n\"plan\" :\n{}}", "plan", "tp", "8", "\n{\n\"plan\" :\n{\"tp\":8}}");
}

static void members_are_replaced(void **state)
{
    (void)state;
    check_put("{\"gpus\":16,\"b\":2}", NULL, "gpus", "8", "{\"gpus\":8,\"b\":2}");
    check_put("{\"b\":{\"gpus\":[1,{}]}, \"gpus\" : 16 }", NULL, "gpus", "8",
              "{\"b\":{\"gpus\":[1,{}]}, \"gpus\" : 8 }");
    check_put("{\"model\":{\"x\":\"}\\\"\"},\"gpus\":\"a,}\"}", NULL, "gpus", "8",
              "{\"model\":{\"x\":\"}\\\"\"},\"gpus\":8}");
    check_put("{\"model\":{\"x\":[{}]},\"c\":1}", NULL, "model", "\"m\"", "{\"model\":\"m\",\"c\":1}");
    check_put("{\"plan\":{\"pp\":2,\"tp\":1}}", "plan", "tp", "8", "{\"plan\":{\"pp\":2,\"tp\":8}}");
    check_put("{\"set\":{\"plan.tp\":1}}", "set", "plan.tp", "8", "{\"set\":{\"plan.tp\":8}}");
}

static void broken_text_is_left_alone(void **state)
{
    (void)state;
    static const char *const broken[] = {"", "[]", "3", "{", "{\"a\"", "{\"a\":", "{\"a\":[", "{\"a\":\"", "{\"a\" 1}",
                                         "{\"plan\":3}", "{\"plan\":[1]}", "{a:1}", "{\"a\":{]", "{\"a\":\"\\"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        struct cli_text text = {0};
        cli_text_add(&text, "%s", broken[i]);
        assert_false(cli_request_put(&text, "plan", "tp", "8"));
        assert_string_equal(text.data, broken[i]);
        free(text.data);
    }
}

static void kinds_are_recognised(void **state)
{
    (void)state;
    static const char *const TRAIN[] = {"{\"kind\":\"train\"}", " {\"a\": {\"kind\": 1},\n\"kind\" : \"train\" }",
                                        "\xef\xbb\xbf{\"kind\":\"train\",", "{\"kind\":\"train\""};
    static const char *const OTHER[] = {"", "{}", "[]", "{\"kind\":3}", "{\"kind\":\"trai", "{\"kind\":\"training\"}",
                                        "{\"a\":{\"kind\":\"train\"}}", "{\"a\":", "{\"kind\":"};
    for (size_t i = 0; i < sizeof TRAIN / sizeof *TRAIN; i++) {
        struct cli_text text = {0};
        cli_text_add(&text, "%s", TRAIN[i]);
        assert_true(cli_request_is(&text, "train"));
        assert_false(cli_request_is(&text, "infer"));
        free(text.data);
    }
    for (size_t i = 0; i < sizeof OTHER / sizeof *OTHER; i++) {
        struct cli_text text = {0};
        cli_text_add(&text, "%s", OTHER[i]);
        assert_false(cli_request_is(&text, "train"));
        free(text.data);
    }
}

static void strings_are_escaped(void **state)
{
    (void)state;
    struct cli_text text = {0};
    cli_text_add_json(&text, "a\"b\\c\n\x01 d/\xc3\xa9");
    assert_string_equal(text.data, "\"a\\\"b\\\\c\\u000a\\u0001 d/\xc3\xa9\"");
    free(text.data);
}

static void nearest_names(void **state)
{
    (void)state;
    static const char *const names[] = {"tp", "pp", "global-batch", "micro-batch"};
    assert_string_equal(cli_nearest("globl-batch", names, 4), "global-batch");
    assert_string_equal(cli_nearest("TP", names, 4), "tp");
    assert_null(cli_nearest("precision", names, 4));
    assert_null(cli_nearest("", names, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_added),         cmocka_unit_test(members_are_replaced),
        cmocka_unit_test(broken_text_is_left_alone), cmocka_unit_test(strings_are_escaped),
        cmocka_unit_test(kinds_are_recognised),      cmocka_unit_test(nearest_names),
    };
    return cmocka_run_group_tests_name("request", tests, NULL, NULL);
}
