/* Tables of the terminal: columns, rounding that keeps a sum, wrapped and cut lines. */
#include "printed.h"

static void columns_are_characters(void **state)
{
    (void)state;
    assert_int_equal(orr_columns("abc"), 3);
    assert_int_equal(orr_columns("2048×6144 █▎"), 12);
    assert_int_equal(orr_columns("\033[1mabc\033[0m"), 3);
}

static void rounding_keeps_the_sum(void **state)
{
    (void)state;
    const double thirds[] = {1.0 / 3, 1.0 / 3, 1.0 / 3}, mixed[] = {0.126, 0.126, 0.748};
    double rounded[3];
    orr_apportion(thirds, 3, 0.1, rounded); /* 1.0 in tenths: 4 + 3 + 3 */
    assert_near(rounded[0] + rounded[1] + rounded[2], 1.0, 1e-12);
    assert_near(rounded[0], 0.4, 1e-12);
    orr_apportion(mixed, 3, 0.01, rounded); /* floors 12 + 12 + 74, the two left go to the remainders 0.8 and 0.6 */
    assert_near(rounded[2], 0.75, 1e-12);
    assert_near(rounded[0], 0.13, 1e-12);
    assert_near(rounded[1], 0.12, 1e-12);
}

static void text_wraps_at_separators(void **state)
{
    (void)state;
    const struct orr_style style = {.width = ORR_MIN_WIDTH};
    struct orr_text text = {0};
    orr_text_wrap(&text, &style, "list", 6, "one piece of text · another piece of text · and a third piece", " · ");
    char *wrapped = orr_text_take(&text);
    assert_string_equal(wrapped, "list  one piece of text · another piece of text\n      and a third piece\n");
    free(wrapped);
    orr_text_wrap(&text, &style, "", 0, "0123456789012345678901234567890123456789012345678901234567890123456789", " ");
    wrapped = orr_text_take(&text);
    assert_string_equal(wrapped, "012345678901234567890123456789012345678901234567890123456789\n0123456789\n");
    free(wrapped);
}

static void tables_align_and_cut(void **state)
{
    (void)state;
    const struct orr_style style = {.width = ORR_MIN_WIDTH};
    struct orr_table table;
    struct orr_text text = {0};
    orr_table_start(&table, "lrfb");
    ORR_ROW(&table, ORR_PAINT_NONE, "a", "1.5", "", "0.5");
    ORR_ROW(&table, ORR_PAINT_NONE, "bcd", "10.25", "", "");
    orr_table_print(&table, &text, &style);
    orr_table_start(&table, "lf");
    ORR_ROW(&table, ORR_PAINT_NONE, "name", "a long cell that cannot fit into a line of sixty columns at all");
    orr_table_print(&table, &text, &style);
    char *printed = orr_text_take(&text);
    assert_string_equal(printed, "  a      1.5    ████████████████████\n"
                                 "  bcd  10.25\n"
                                 "  name  a long cell that cannot fit into a line of sixty co…\n");
    free(printed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_characters),
        cmocka_unit_test(rounding_keeps_the_sum),
        cmocka_unit_test(text_wraps_at_separators),
        cmocka_unit_test(tables_align_and_cut),
    };
    return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
