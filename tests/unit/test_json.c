/* JSON with located errors, and the fields that fill a struct (src/spec/json.c, fields.c). */
#include "support.h"

#include "spec/json.h"
#include "spec/names.h"

static void values_are_located(void **state)
{
    (void)state;
    static const char TEXT[] =
        "{\n  \"a\": {\"b\": [10,\n    {\"c\": 1}]},\n  \"set\": {\"chip.n_sm\": 4, \"chip\": 1},\n"
        "  \"q\\\"uote\": \"br}ace\",\n  \"\xc3\xa4\": 1, \"last\": 2}";
    static const struct {
        const char *path;
        int line, column;
    } CASES[] = {
        {"", 1, 1},          {"a", 2, 8},        {"a.b", 2, 14},     {"a.b.0", 2, 15},    {"a.b.1", 3, 5},
        {"a.b.1.c", 3, 11},  {"a.b.2", 0, 0},    {"a.x", 0, 0},      {"a.b.1.c.d", 0, 0}, {"set.chip.n_sm", 4, 24},
        {"set.chip", 4, 35}, {"q\"uote", 5, 14}, {"\xc3\xa4", 6, 8}, {"last", 6, 19},     {"a.b.00x", 0, 0},
    };
    for (size_t i = 0; i < ORR_COUNT_OF(CASES); i++) {
        int line = -1, column = -1;
        orr_json_locate(TEXT, CASES[i].path, &line, &column);
        if (line != CASES[i].line || column != CASES[i].column) fail_msg("%s is at %d:%d", CASES[i].path, line, column);
    }
    int line, column;
    static const char *const BROKEN[] = {"", "{", "{\"a", "{\"a\":", "[", "{a:1}", "{\"a\" 1", "{\"a\":\"\\"};
    for (size_t i = 0; i < ORR_COUNT_OF(BROKEN); i++) orr_json_locate(BROKEN[i], "a.b.c", &line, &column);
}

static void check_syntax(const char *text, enum orr_err code, const char *message)
{
    struct orr_doc doc;
    struct orr_error error;
    assert_int_equal(orr_doc_parse(text, "f.json", &doc, &error), code);
    assert_string_equal(error.text, message);
    orr_doc_close(&doc);
}

static void broken_json_is_explained(void **state)
{
    (void)state;
    check_syntax("", ORR_ERR_SYNTAX, "f.json: not valid JSON: empty, a JSON object is expected");
    check_syntax(" \n\t", ORR_ERR_SYNTAX, "f.json: not valid JSON: empty, a JSON object is expected");
    check_syntax("[1]", ORR_ERR_INPUT, "f.json: must be a JSON object, not an array");
    check_syntax("{\"a\": 1,\n \"b\": 2,\n \"a\": 3}", ORR_ERR_SYNTAX, "f.json:3: duplicate key \"a\"");
    check_syntax("{\"a\": 1,\n}", ORR_ERR_SYNTAX, "f.json:2: not valid JSON: string or '}' expected near '}'");
    check_syntax("{\"a\": NaN}", ORR_ERR_SYNTAX, "f.json:1: not valid JSON: invalid token near 'NaN'");
    check_syntax("{} {}", ORR_ERR_SYNTAX, "f.json:1: not valid JSON: end of file expected near '{'");
    check_syntax("{\"a\": \"\xff\"}", ORR_ERR_SYNTAX, "f.json:1: not valid JSON: unable to decode byte 0xff near '\"'");
    check_syntax("{\"a\": 1e999}", ORR_ERR_SYNTAX, "f.json:1: not valid JSON: real number overflow near '1e999'");
    char deep[5001];
    memset(deep, '[', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    check_syntax(deep, ORR_ERR_SYNTAX, "f.json:1: not valid JSON: nested deeper than 2048 levels");
    struct orr_doc doc;
    assert_int_equal(orr_doc_parse("\xef\xbb\xbf{}", "f.json", &doc, NULL), ORR_OK); /* byte order mark */
    orr_doc_close(&doc);
}

struct sample {
    int64_t count;
    double rate_bytes_per_s;
    bool flag;
    char name[8];
    enum orr_recompute word;
};

static const struct orr_field SAMPLE[] = {
    ORR_INT(sample, count, true, 1, 1024, "how many"),
    ORR_REAL(sample, rate_bytes_per_s, ORR_UNIT_BYTES_PER_S, false, 1, 1e15, "how fast"),
    ORR_BOOL(sample, flag, false, "whether"),
    ORR_STRING(sample, name, false, "what"),
    ORR_ENUM(sample, word, false, orr_recompute_names, "which"),
};

static enum orr_err read_sample(const char *text, struct sample *sample, struct orr_error *error)
{
    static const char *const EXTRA[] = {"comment", NULL};
    struct orr_doc doc;
    enum orr_err err = orr_doc_parse(text, "f.json", &doc, error);
    if (!err) err = orr_fields_read(&doc, "", doc.root, SAMPLE, ORR_COUNT_OF(SAMPLE), EXTRA, sample, error);
    orr_doc_close(&doc);
    return err;
}

static void fields_fill_a_struct(void **state)
{
    (void)state;
    struct sample sample = {.flag = true};
    struct orr_error error;
    assert_int_equal(read_sample("{\"count\": 8, \"comment\": []}", &sample, &error), ORR_OK);
    assert_int_equal(sample.count, 8);
    assert_true(sample.flag); /* absent: untouched */
    assert_int_equal(read_sample("{\"count\": \"1Ki\", \"rate_bytes_per_s\": \"400 Gb/s\", \"flag\": \"off\","
                                 "\"name\": \"abcdefg\", \"word\": \"FULL\"}",
                                 &sample, &error),
                     ORR_OK);
    assert_int_equal(sample.count, 1024);
    assert_close(sample.rate_bytes_per_s, 50e9, 1e-12);
    assert_false(sample.flag);
    assert_string_equal(sample.name, "abcdefg");
    assert_int_equal(sample.word, ORR_RECOMPUTE_FULL);
    assert_int_equal(read_sample("{\"count\": 8.0, \"flag\": 1}", &sample, &error), ORR_OK);
    assert_true(sample.flag);
}

static void fields_refuse_with_reasons(void **state)
{
    (void)state;
    static const char *const CASES[][2] = {
        {"{}", "f.json:1: missing key \"count\": how many, an integer from 1 to 1024"},
        {"{\"count\": 0}", "f.json:1: count: must be an integer from 1 to 1024, not 0"},
        {"{\"count\": 2.5}", "f.json:1: count: must be an integer from 1 to 1024, not 2.5"},
        {"{\"count\": \"x\"}", "f.json:1: count: must be an integer from 1 to 1024, not \"x\""},
        {"{\"count\": null}", "f.json:1: count: must be an integer from 1 to 1024, not null"},
        {"{\"count\": [1]}", "f.json:1: count: must be an integer from 1 to 1024, not an array"},
        {"{\"count\": 1,\n\"rate_bytes_per_s\": true}",
         "f.json:2: rate_bytes_per_s: must be a number from 1 to 1e+15 (bytes per second, e.g. \"3.35 TB/s\" or "
         "\"400 Gb/s\"), not true"},
        {"{\"count\": 1, \"flag\": 2}", "f.json:1: flag: must be true or false, not 2"},
        {"{\"count\": 1, \"name\": \"abcdefgh\"}",
         "f.json:1: name: must be a string of 1 to 7 bytes, not \"abcdefgh\""},
        {"{\"count\": 1, \"name\": \"\"}", "f.json:1: name: must be a string of 1 to 7 bytes, not \"\""},
        {"{\"count\": 1, \"word\": \"ful\"}",
         "f.json:1: word: must be one of \"none\", \"selective\", \"full\", \"core\", \"selective-op\", \"ops\", not "
         "\"ful\" (did you mean \"full\"?)"},
        {"{\"count\": 1,\n\n\"cuont\": 1}", "f.json:3: unknown key \"cuont\" (did you mean \"count\"?)"},
        {"{\"count\": 1, \"rate_bw\": 1}", "f.json:1: unknown key \"rate_bw\" (did you mean \"rate_bytes_per_s\"?)"},
    };
    for (size_t i = 0; i < ORR_COUNT_OF(CASES); i++) {
        struct sample sample;
        struct orr_error error;
        assert_int_equal(read_sample(CASES[i][0], &sample, &error), ORR_ERR_INPUT);
        assert_string_equal(error.text, CASES[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_located),
        cmocka_unit_test(broken_json_is_explained),
        cmocka_unit_test(fields_fill_a_struct),
        cmocka_unit_test(fields_refuse_with_reasons),
    };
    return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
