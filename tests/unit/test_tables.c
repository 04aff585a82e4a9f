/* Tables on the terminal that the program prints for a person only: a sweep, the differences of two parts, and sources
 * that are predicted as if nobody had seen them. Numbers are compared with those of the rows they are made from. */
#include "support.h"

/* How often a word occurs. */
static size_t count_of(const char *text, const char *word)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, word)); at += strlen(word)) n++;
    return n;
}

static void quote(char *json)
{
    for (char *c = json; *c; c++)
        if (*c == '\'') *c = '"';
}

/* ---------------------------------------------------------------- sweeps */

enum { MOST_POINTS = 130 };

static char *sweep_table(const struct world *w, const char *request, size_t n, struct orr_sweep_row *rows)
{
    const struct orr_style wide = {.width = 200};
    struct orr_sweep *sweep;
    struct orr_error error;
    char json[1024];
    (void)snprintf(json, sizeof json, "%s", request);
    quote(json);
    if (orr_sweep_open_json(w->catalogue, json, "request", 1, &sweep, &error)) fail_msg("%s", error.text);
    assert_int_equal(orr_sweep_points(sweep), n);
    if (orr_sweep_run(sweep, 0, n, rows, &error)) fail_msg("%s", error.text);
    char *text = orr_sweep_render(sweep, 0, n, rows, ORR_FORMAT_TERMINAL, &wide);
    orr_sweep_close(sweep);
    assert_non_null(text);
    return text;
}

/* Points of three fates: an answer, a plan that does not fit, and two that the same rule refuses, named once. */
static void a_sweep_is_a_table(void **state)
{
    static struct orr_sweep_row rows[4];
    char step[32];
    char *text = sweep_table(*state,
                             "{'request':{'kind':'train','model':'llama2-13b','system':'h100-sxm','gpus':8},"
                             "'vary':[{'field':'plan.tp','values':[8,1,3,3]}]}",
                             4, rows);
    assert_int_equal(rows[0].status, ORR_POINT_OK);
    assert_int_equal(rows[1].status, ORR_POINT_NO_FIT);
    assert_int_equal(rows[2].status, ORR_POINT_INVALID);
    assert_int_equal(count_of(text, "no answer"), 1);
    assert_non_null(strstr(text, "8 is not a multiple of tp * pp * cp = 3 * 1 * 1 = 3"));
    assert_non_null(strstr(text, "no_fit"));
    assert_int_equal(count_of(text, "invalid"), 2);
    assert_non_null(strstr(text, "tok/s/GPU"));
    const double step_s = row_number(ORR_JOB_TRAIN, &rows[0], "step_time_s");
    assert_true(step_s > 0.1 && step_s < 1);
    (void)snprintf(step, sizeof step, "%.0f ms", step_s * 1e3);
    assert_non_null(strstr(text, step));
    free(text);
}

/* A long sweep shows its ends and what is between them at equal distances. */
static void a_long_sweep_is_thinned(void **state)
{
    static struct orr_sweep_row rows[MOST_POINTS];
    char *text =
        sweep_table(*state,
                    "{'request':{'kind':'infer','model':'llama3-8b','system':'h100-sxm','workload':{"
                    "'input_len':128,'output_len':16}},'vary':[{'field':'workload.batch','values':'1:130:+1'}]}",
                    MOST_POINTS, rows);
    assert_non_null(strstr(text, "100 of 130 points; --out FILE keeps all of them"));
    assert_non_null(strstr(text, "next token"));
    assert_non_null(strstr(text, "batch"));
    assert_true(strstr(text, " 1 ") && strstr(text, "130 ")); /* first and last */
    assert_int_equal(count_of(text, "no answer"), 0);
    free(text);
}

/* ---------------------------------------------------------------- differences */

static char *facts(const struct world *w, enum orr_part part, const char *a, const char *b, enum orr_format format)
{
    struct orr_error error;
    char *text = NULL;
    if (orr_facts_render(w->catalogue, part, a, b, format, NULL, &text, &error)) fail_msg("%s", error.text);
    return text;
}

/* The same keys differ in both directions, none from a part to itself, and words and JSON name as many. */
static void differences_have_two_sides(void **state)
{
    const struct world *w = *state;
    char *there = facts(w, ORR_PART_ENGINE, "vllm-0.14", "vllm", ORR_FORMAT_TERMINAL);
    char *back = facts(w, ORR_PART_ENGINE, "vllm", "vllm-0.14", ORR_FORMAT_TERMINAL);
    char *none = facts(w, ORR_PART_ENGINE, "vllm", "vllm", ORR_FORMAT_TERMINAL);
    char *json = facts(w, ORR_PART_ENGINE, "vllm-0.14", "vllm", ORR_FORMAT_JSON);
    assert_non_null(strstr(there, "  version: 0.14 -> 0.8"));
    assert_non_null(strstr(back, "  version: 0.8 -> 0.14"));
    assert_non_null(strstr(there, "  async_scheduling: true -> absent"));
    assert_true(count_of(there, " -> ") > 3);
    assert_int_equal(count_of(there, " -> "), count_of(back, " -> "));
    assert_int_equal(count_of(there, " -> "), count_of(json, "\"key\""));
    assert_non_null(strstr(none, "no fact differs"));
    free(there);
    free(back);
    free(none);
    free(json);
}

/* A sentence for every fact of every engine; the engine that a user would take instead has no source. */
static void facts_of_engines_have_sentences(void **state)
{
    const struct world *w = *state;
    for (size_t i = 0; i < orr_catalogue_count(w->catalogue, ORR_PART_ENGINE); i++) {
        const char *id = orr_catalogue_id(w->catalogue, ORR_PART_ENGINE, i);
        char *json = facts(w, ORR_PART_ENGINE, id, NULL, ORR_FORMAT_JSON);
        if (count_of(json, "\"key\"") != count_of(json, "\"meaning\"")) fail_msg("%s", id);
        free(json);
    }
    char *text = facts(w, ORR_PART_ENGINE, "vllm-0.9", NULL, ORR_FORMAT_TERMINAL);
    assert_non_null(strstr(text, "The engine that a user would take without this file. From vllm\n"));
    free(text);
}

/* Every kind of part that has facts says where each comes from. */
static void facts_name_their_files(void **state)
{
    static const struct {
        enum orr_part part;
        const char *id, *fact;
    } CASES[] = {{ORR_PART_CHIP, "h100-sxm-80gb", "hbm_bytes_per_s"},
                 {ORR_PART_SYSTEM, "h100-sxm", "domain_gpus"},
                 {ORR_PART_ENGINE, "vllm-0.14", "async_scheduling"}};
    for (size_t i = 0; i < COUNT(CASES); i++) {
        char *text = facts(*state, CASES[i].part, CASES[i].id, NULL, ORR_FORMAT_TERMINAL), word[80];
        (void)snprintf(word, sizeof word, "  %s = ", CASES[i].fact);
        assert_non_null(strstr(text, word));
        assert_non_null(strstr(text, "From "));
        free(text);
    }
}

/* ---------------------------------------------------------------- unseen sources */

/* Sources that are predicted as if nobody had seen them: their mean error is no smaller than with all in view, where
 * the engines were made for them. */
static void unseen_sources_have_a_table(void **state)
{
    const struct world *w = *state;
    struct orr_validation *seen = NULL, *unseen = NULL;
    struct orr_error error;
    char *rows = read_text("validation/training.csv"), *end = rows;
    for (int line = 0; line < 60 && *end; end++) line += *end == '\n';
    *end = '\0';
    if (orr_validation_unseen(&unseen, &error)) fail_msg("%s", error.text);
    if (orr_validate(w->catalogue, rows, "rows", &unseen, &error)) fail_msg("%s", error.text);
    if (orr_validate(w->catalogue, rows, "rows", &seen, &error)) fail_msg("%s", error.text);
    assert_true(orr_validation_mape_frac(unseen) > orr_validation_mape_frac(seen));
    char *text = orr_validation_render(unseen, ORR_FORMAT_TERMINAL, NULL);
    char *json = orr_validation_render(unseen, ORR_FORMAT_JSON, NULL);
    assert_non_null(strstr(text, "mean over sources"));
    assert_non_null(strstr(json, "\"sources\""));
    free(text);
    free(json);
    free(rows);
    orr_validation_free(seen);
    orr_validation_free(unseen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sweep_is_a_table),          cmocka_unit_test(a_long_sweep_is_thinned),
        cmocka_unit_test(differences_have_two_sides),
        cmocka_unit_test(facts_of_engines_have_sentences),  cmocka_unit_test(facts_name_their_files),
        cmocka_unit_test(unseen_sources_have_a_table),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
