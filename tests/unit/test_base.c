/* Quantities, readable numbers, nearest names, growable text, located errors (src/base). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/text.h"
#include "base/units.h"

#define COUNT_OF(table) (sizeof(table) / sizeof(table)[0])

/* ---------------------------------------------------------------- quantities */

struct quantity {
    const char *text;
    enum orr_unit unit;
    double value;
};

static void quantities_become_si(void **state)
{
    (void)state;
    static const struct quantity GOOD[] = {
        {"0.9", ORR_UNIT_NONE, 0.9},
        {"90 %", ORR_UNIT_NONE, 0.9},
        {" -2.5e-3 ", ORR_UNIT_NONE, -0.0025},
        {".5", ORR_UNIT_NONE, 0.5},
        {"4k", ORR_UNIT_COUNT, 4000},
        {"4Ki", ORR_UNIT_COUNT, 4096},
        {"1M", ORR_UNIT_COUNT, 1000000},
        {"17", ORR_UNIT_COUNT, 17},
        {"5 us", ORR_UNIT_S, 5e-6},
        {"5 \xc2\xb5s", ORR_UNIT_S, 5e-6},
        {"250ns", ORR_UNIT_S, 250e-9},
        {"2 min", ORR_UNIT_S, 120},
        {"1.5 h", ORR_UNIT_S, 5400},
        {"3 KiB", ORR_UNIT_BYTES, 3072},
        {"3 MiB", ORR_UNIT_BYTES, 3145728},
        {"3 TiB", ORR_UNIT_BYTES, 3298534883328.0},
        {"2 PiB", ORR_UNIT_BYTES, 2251799813685248.0},
        {"2 EiB", ORR_UNIT_BYTES, 2305843009213693952.0},
        {"2 TB", ORR_UNIT_BYTES, 2e12},
        {"80 GiB", ORR_UNIT_BYTES, 85899345920.0},
        {"80GB", ORR_UNIT_BYTES, 80e9},
        {"1EB", ORR_UNIT_BYTES, 1e18}, /* E is exa here, not an exponent */
        {"8 Gb", ORR_UNIT_BYTES, 1e9},
        {"3.35 TB/s", ORR_UNIT_BYTES_PER_S, 3.35e12},
        {"400 Gb/s", ORR_UNIT_BYTES_PER_S, 50e9},
        {"400 GB/s", ORR_UNIT_BYTES_PER_S, 400e9},
        {"400Gbps", ORR_UNIT_BYTES_PER_S, 50e9},
        {"25 GBps", ORR_UNIT_BYTES_PER_S, 25e9},
        {"200 Gbit/s", ORR_UNIT_BYTES_PER_S, 25e9},
        {"1 GiB/s", ORR_UNIT_BYTES_PER_S, 1073741824.0},
        {"989 TFLOP/s", ORR_UNIT_FLOPS_PER_S, 989e12},
        {"312 TFLOPS", ORR_UNIT_FLOPS_PER_S, 312e12},
        {"2 PF", ORR_UNIT_FLOPS_PER_S, 2e15},
        {"1.41 GHz", ORR_UNIT_HZ, 1.41e9},
        {"0.7 kW", ORR_UNIT_W, 700},
        {"0.5 pJ", ORR_UNIT_J, 0.5e-12},
        {"1 kWh", ORR_UNIT_J, 3.6e6},
        {"30 pJ/B", ORR_UNIT_J_PER_BYTE, 30e-12},
        {"4 pJ/bit", ORR_UNIT_J_PER_BYTE, 32e-12},
        {"$30000", ORR_UNIT_USD, 30000},
        {"2.5 USD/h", ORR_UNIT_USD_PER_HOUR, 2.5},
        {"$2.5/h", ORR_UNIT_USD_PER_HOUR, 2.5},
    };
    for (size_t i = 0; i < COUNT_OF(GOOD); i++) {
        double value = 0;
        if (!orr_quantity_parse(GOOD[i].text, GOOD[i].unit, &value))
            fail_msg("\"%s\" is refused", GOOD[i].text);
        const double error = value - GOOD[i].value, scale = GOOD[i].value < 0 ? -GOOD[i].value : GOOD[i].value;
        if (error > 1e-14 * scale || error < -1e-14 * scale)
            fail_msg("\"%s\" is %.17g", GOOD[i].text, value);
    }
}

static void other_text_is_refused(void **state)
{
    (void)state;
    static const struct quantity BAD[] = {
        {"", ORR_UNIT_NONE, 0},           {" ", ORR_UNIT_NONE, 0},          {"fast", ORR_UNIT_NONE, 0},
        {"nan", ORR_UNIT_NONE, 0},        {"inf", ORR_UNIT_NONE, 0},        {"0x10", ORR_UNIT_NONE, 0},
        {"1e999", ORR_UNIT_NONE, 0},      {"1,5", ORR_UNIT_NONE, 0},        {"1 2", ORR_UNIT_NONE, 0},
        {"-", ORR_UNIT_NONE, 0},          {".", ORR_UNIT_NONE, 0},          {"4k", ORR_UNIT_NONE, 0},
        {"8 GB", ORR_UNIT_COUNT, 0},      {"80 GB/s", ORR_UNIT_BYTES, 0},   {"80 GB", ORR_UNIT_BYTES_PER_S, 0},
        {"3 mB", ORR_UNIT_BYTES, 0},      {"3 tb/s", ORR_UNIT_BYTES_PER_S, 0}, {"5 Ms", ORR_UNIT_S, 0},
        {"$5", ORR_UNIT_W, 0},            {"$2.5/day", ORR_UNIT_USD_PER_HOUR, 0}, {"$2.5/h", ORR_UNIT_USD, 0},
        {"1e308 GB", ORR_UNIT_BYTES, 0},
        {"111111111111111111111111111111111111111111111111111111111111111111111111", ORR_UNIT_NONE, 0},
    };
    for (size_t i = 0; i < COUNT_OF(BAD); i++) {
        double value = -7;
        if (orr_quantity_parse(BAD[i].text, BAD[i].unit, &value))
            fail_msg("\"%s\" is taken as %g", BAD[i].text, value);
        assert_true(value < -6 && value > -8); /* untouched */
    }
}

static void every_unit_has_a_hint(void **state)
{
    (void)state;
    for (int unit = ORR_UNIT_NONE; unit <= ORR_UNIT_USD_PER_HOUR; unit++)
        assert_non_null(strstr(orr_unit_hint((enum orr_unit)unit), "e.g. "));
}

static void numbers_are_readable(void **state)
{
    (void)state;
    char b[32];
    assert_string_equal(orr_print_s(b, 18.2), "18.2 s");
    assert_string_equal(orr_print_s(b, 0.0077), "7.70 ms");
    assert_string_equal(orr_print_s(b, 0.9996), "1.00 s");
    assert_string_equal(orr_print_s(b, 5e-6), "5.00 us");
    assert_string_equal(orr_print_s(b, 0), "0 s");
    assert_string_equal(orr_print_s(b, 1234), "1234 s");
    assert_string_equal(orr_print_s(b, 36000), "10.0 h");
    assert_string_equal(orr_print_s(b, 864000), "10.0 d");
    assert_string_equal(orr_print_s(b, -0.5), "-500 ms");
    assert_string_equal(orr_print_bytes(b, 45.6 * 1073741824), "45.6 GiB");
    assert_string_equal(orr_print_bytes(b, 512), "512 B");
    assert_string_equal(orr_print_bytes(b, 1536), "1.50 KiB");
    assert_string_equal(orr_print_bytes(b, 0), "0 B");
    assert_string_equal(orr_print_bytes(b, 1024.0 * 1073741824), "1.00 TiB");
    assert_string_equal(orr_print_rate(b, 2039e9), "2039 GB/s");
    assert_string_equal(orr_print_rate(b, 3.35e12), "3350 GB/s");
    assert_string_equal(orr_print_rate(b, 22e12), "22.0 TB/s");
    assert_string_equal(orr_print_rate(b, 12.5e6), "12.5 MB/s");
    assert_string_equal(orr_print_si(b, 312e12, "FLOP/s"), "312 TFLOP/s");
    assert_string_equal(orr_print_si(b, 13.2e6, "J"), "13.2 MJ");
    assert_string_equal(orr_print_si(b, 0.4e-12, "J"), "400 fJ");
    assert_string_equal(orr_print_si(b, 0, "J"), "0 J");
    assert_string_equal(orr_print_si(b, 2.15e23, "FLOP"), "215 ZFLOP");
    assert_string_equal(orr_print_count(b, 0), "0");
    assert_string_equal(orr_print_count(b, 999), "999");
    assert_string_equal(orr_print_count(b, INT64_C(174615846912)), "174,615,846,912");
    assert_string_equal(orr_print_count(b, -1000), "-1,000");
    assert_string_equal(orr_print_count(b, INT64_MIN), "-9,223,372,036,854,775,808");
    assert_true(strlen(orr_print_si(b, 1e300, "a unit that is far too long for it")) < 32);
}

/* ---------------------------------------------------------------- names */

static void the_nearest_name_is_found(void **state)
{
    (void)state;
    static const char *const IDS[] = {"a100-80g-sxm", "a100-40g-sxm", "h100-sxm-800g", "llama2-7b", "llama2-70b", "tp"};
    static const struct {
        const char *word, *nearest;
    } CASES[] = {
        {"lama2-7b", "llama2-7b"},        {"LLAMA2_7B", "llama2-7b"},   {"llama2-7", "llama2-7b"},
        {"llmaa2-70b", "llama2-70b"},     {"a100-sxm-80g", "a100-80g-sxm"}, {"h100", "h100-sxm-800g"},
        {"ttp", "tp"},                    {"zzzzzzzz", NULL},           {"", NULL},
        {"---", NULL},                    {"mixtral-8x22b", NULL},
    };
    for (size_t i = 0; i < COUNT_OF(CASES); i++) {
        const char *nearest = orr_nearest(CASES[i].word, IDS, COUNT_OF(IDS));
        const bool same = nearest && CASES[i].nearest ? strcmp(nearest, CASES[i].nearest) == 0
                                                      : nearest == CASES[i].nearest;
        if (!same)
            fail_msg("\"%s\" is nearest to %s", CASES[i].word, nearest ? nearest : "nothing");
    }
    char hint[ORR_HINT];
    assert_string_equal(orr_did_you_mean(hint, "lama2-7b", IDS, COUNT_OF(IDS)), " (did you mean \"llama2-7b\"?)");
    assert_string_equal(orr_did_you_mean(hint, "zzzzzzzz", IDS, COUNT_OF(IDS)), "");
    /* The beginning of a long title is closer than its middle, and one slip in it is forgiven. */
    static const char *const TITLES[] = {"PithTrain issue 79, torchtitan on 8 B200", "torchtitan benchmarks"};
    assert_string_equal(orr_nearest("torchtitan", TITLES, COUNT_OF(TITLES)), TITLES[1]);
    assert_string_equal(orr_nearest("torchtitn", TITLES, COUNT_OF(TITLES)), TITLES[1]);
    assert_string_equal(orr_nearest("B200", TITLES, COUNT_OF(TITLES)), TITLES[0]);
    assert_null(orr_nearest("nanotrom", TITLES, COUNT_OF(TITLES)));
    assert_null(orr_nearest("tp", NULL, 0));
}

static void long_words_are_left_alone(void **state)
{
    (void)state;
    char word[300];
    memset(word, 'a', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    const char *const candidates[] = {word, "a"};
    assert_null(orr_nearest(word, candidates, 2));
    assert_null(orr_nearest("a-b-c-d-e-f-g-h-i-j-k-l", candidates, 2));
}

static void case_is_ignored_for_ascii_only(void **state)
{
    (void)state;
    assert_int_equal(orr_compare_nocase("BF16", "bf16"), 0);
    assert_true(orr_compare_nocase("a", "B") < 0);
    assert_true(orr_compare_nocase("ab", "a") > 0);
    assert_true(orr_compare_nocase("\xc3\x84", "\xc3\xa4") != 0);
}

/* ---------------------------------------------------------------- text and errors */

/* A word of a list is whole: neither the beginning nor the end of another one, and never empty. */
static void words_of_a_list_are_whole(void **state)
{
    (void)state;
    static const struct {
        const char *list, *word;
        bool has;
    } CASES[] = {{"hopper", "hopper", true},
                 {" ampere hopper ", "ampere", true},
                 {"ampere hopper", "hopper", true},
                 {"hopper2 hopper", "hopper", true},
                 {"grasshopper", "hopper", false},
                 {"hopper2", "hopper", false},
                 {"ampere hopper", "amp", false},
                 {"ampere", "", false},
                 {"", "ampere", false},
                 {"", "", false},
                 {" hopper ", "hopper ", false}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        assert_int_equal(orr_has_word(CASES[i].list, CASES[i].word), CASES[i].has);
}

static void text_grows(void **state)
{
    (void)state;
    struct orr_text text = {0};
    for (int i = 0; i < 1000; i++)
        orr_text_add(&text, "%d,", i % 10);
    orr_text_repeat(&text, "ab", 500);
    orr_text_add(&text, "%s", "");
    assert_int_equal(text.length, 3000);
    char *taken = orr_text_take(&text);
    assert_non_null(taken);
    assert_int_equal(strlen(taken), 3000);
    assert_memory_equal(taken + 1998, "9,abab", 4);
    assert_null(text.data);
    free(taken);
    char *empty = orr_text_take(&text);
    assert_string_equal(empty, "");
    free(empty);
}

static void errors_say_where_and_what(void **state)
{
    (void)state;
    struct orr_error error;
    assert_int_equal(orr_fail(&error, ORR_ERR_INPUT, (struct orr_place){"chip.json", 12, 3, "n_sm"}, "is %d", 7),
                     ORR_ERR_INPUT);
    assert_string_equal(error.text, "chip.json:12: n_sm: is 7");
    assert_string_equal(error.file, "chip.json");
    assert_string_equal(error.key, "n_sm");
    assert_int_equal(error.line, 12);
    assert_int_equal(error.column, 3);
    assert_int_equal(error.code, ORR_ERR_INPUT);
    (void)orr_fail(&error, ORR_ERR_IO, (struct orr_place){.file = "x"}, "no such file");
    assert_string_equal(error.text, "x: no such file");
    (void)orr_fail(&error, ORR_ERR_IO, (struct orr_place){.key = "tp"}, "odd");
    assert_string_equal(error.text, "tp: odd");
    assert_int_equal(orr_fail(NULL, ORR_ERR_MEMORY, (struct orr_place){0}, "out"), ORR_ERR_MEMORY);
}

/* A message is one line of bounded length whatever the input holds, and may be built from the error it replaces. */
static void errors_are_one_line(void **state)
{
    (void)state;
    struct orr_error error;
    char endless[2000];
    memset(endless, 'x', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    (void)orr_fail(&error, ORR_ERR_INPUT, (struct orr_place){endless, 1, 1, endless}, "%s", endless);
    assert_int_equal(strlen(error.text), ORR_ERROR_TEXT - 1);
    assert_int_equal(strlen(error.file), sizeof error.file - 1);
    (void)orr_fail(&error, ORR_ERR_INPUT, (struct orr_place){.file = "a\nb"}, "tab\tnew\nline\x1b[31m");
    assert_string_equal(error.text, "a b: tab new line [31m");
    (void)orr_fail(&error, ORR_ERR_INPUT, (struct orr_place){.file = error.file, .key = error.key}, "<%s>", error.text);
    assert_string_equal(error.text, "a b: <a b: tab new line [31m>");
}

static void cutting_respects_characters(void **state)
{
    (void)state;
    char buffer[6];
    orr_copy_line(buffer, sizeof buffer, "abc\xe2\x82\xac"); /* the euro sign would need six bytes */
    assert_string_equal(buffer, "abc");
    orr_copy_line(buffer, sizeof buffer, "ab\xe2\x82\xac");
    assert_string_equal(buffer, "ab\xe2\x82\xac");
}

/* An 8-bit control character and a mark that turns the line are replaced byte for byte; their neighbours stay. */
static void controls_of_a_terminal_are_replaced(void **state)
{
    (void)state;
    char buffer[32];
    orr_copy_line(buffer, sizeof buffer, "a\302\23331mb\302\240");
    assert_string_equal(buffer, "a  31mb\302\240");
    orr_copy_line(buffer, sizeof buffer, "\342\200\256x\342\201\246\342\200\223");
    assert_string_equal(buffer, "   x   \342\200\223"); /* a dash stays */
    orr_copy_line(buffer, 3, "\342\200\256x");
    assert_string_equal(buffer, ""); /* half of a mark is not left */
}

static void the_library_names_its_version(void **state)
{
    (void)state;
    assert_string_equal(orr_version(), ORR_VERSION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantities_become_si),
        cmocka_unit_test(other_text_is_refused),
        cmocka_unit_test(every_unit_has_a_hint),
        cmocka_unit_test(numbers_are_readable),
        cmocka_unit_test(the_nearest_name_is_found),
        cmocka_unit_test(long_words_are_left_alone),
        cmocka_unit_test(case_is_ignored_for_ascii_only),
        cmocka_unit_test(words_of_a_list_are_whole),
        cmocka_unit_test(text_grows),
        cmocka_unit_test(errors_say_where_and_what),
        cmocka_unit_test(errors_are_one_line),
        cmocka_unit_test(cutting_respects_characters),
        cmocka_unit_test(controls_of_a_terminal_are_replaced),
        cmocka_unit_test(the_library_names_its_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
