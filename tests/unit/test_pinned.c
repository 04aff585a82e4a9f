/* Every number of many answers, held to 1e-9 of itself: tests/pinned.csv has the values, tests/pinned_jobs.json the
 * questions. A value changes only by hand, in the commit that says why (CONTRIBUTING.md, "Pinned numbers").
 *
 *     build/tests/test_pinned           compare
 *     build/tests/test_pinned --print   the lines that pinned.csv does not have yet, for new cases and new metrics */
#include <jansson.h>

#include "support.h"

#define JOBS_FILE   "tests/pinned_jobs.json"
#define VALUES_FILE "tests/pinned.csv"
#define TOLERANCE   1e-9
#define MOST_SHOWN  20
#define MOST_CASES  512

/* Values by case, then by metric: text as it stands in the file, numbers and text as they are predicted. */
struct net {
    struct orr_catalogue *catalogue;
    struct orr_session *session;
    json_t *questions; /* of JOBS_FILE: "jobs", "steps", "searches" */
    json_t *pinned;    /* of VALUES_FILE */
};

static struct net net; /* the tests of cmocka receive a case, so that the rest is here */

/* The object of that name inside an object, made where there is none. */
static json_t *member(json_t *object, const char *name)
{
    if (!json_object_get(object, name)) assert_int_equal(json_object_set_new(object, name, json_object()), 0);
    return json_object_get(object, name);
}

/* One line: case,metric,value. A field with a comma stands in quotes; no field has a quote inside. */
static char *next_field(char **rest)
{
    char *field = *rest;
    const bool quoted = *field == '"';
    if (quoted) field++;
    char *end = field + strcspn(field, quoted ? "\"" : ",");
    *rest = quoted && *end ? end + 1 : end;
    if (**rest == ',') ++*rest;
    *end = '\0';
    return field;
}

/* The message, and the end: the file is read before the first test runs. */
static void refuse_line(int n_line, const char *what)
{
    print_error("%s:%d: %s\n", VALUES_FILE, n_line, what);
    exit(2);
}

static json_t *read_values(void)
{
    json_t *values = json_object();
    char *text = read_text(VALUES_FILE);
    const char *header = strtok(text, "\n");
    int n_line = 1;
    if (!header || strcmp(header, "case,metric,value") != 0) refuse_line(n_line, "the header is case,metric,value");
    for (char *line = strtok(NULL, "\n"); line; line = strtok(NULL, "\n")) {
        n_line++;
        const char *name = next_field(&line), *metric = next_field(&line), *value = next_field(&line);
        json_t *metrics = member(values, name);
        if (!*value || *line) refuse_line(n_line, "a line has three fields");
        if (json_object_get(metrics, metric)) refuse_line(n_line, "this metric of this case has a line already");
        assert_int_equal(json_object_set_new(metrics, metric, json_string(value)), 0);
    }
    free(text);
    return values;
}

/* A number JSON cannot hold is kept as the text "null", as in the JSON result. */
static void put_number(json_t *answer, const char *metric, double value)
{
    assert_null(json_object_get(answer, metric));
    assert_int_equal(json_object_set_new(answer, metric, isfinite(value) ? json_real(value) : json_string("null")), 0);
}

/* Every column of the result: numbers, flags as 0 and 1, words. */
static void ask_job(const json_t *request, json_t *answer)
{
    static struct orr_sweep_row row;
    struct orr_column columns[ORR_MAX_COLUMNS];
    struct orr_error error;
    char *text = json_dumps(request, 0);
    if (orr_session_ask(net.session, text, "request", &row, &error)) fail_msg("%s", error.text);
    free(text);
    const bool train = strcmp(json_string_value(json_object_get(request, "kind")), "train") == 0;
    const size_t n = orr_session_columns(train ? ORR_JOB_TRAIN : ORR_JOB_INFER, columns);
    for (size_t i = 0; i < n; i++)
        if (columns[i].type != ORR_COLUMN_TEXT) put_number(answer, columns[i].name, row.numbers[i]);
        else if (row.words[i])
            assert_int_equal(json_object_set_new(answer, columns[i].name, json_string(row.words[i])), 0);
}

/* The seconds of single steps of a serving engine: the six numbers of struct orr_step, in its order. */
static void ask_steps(const json_t *request, const json_t *steps, json_t *answer)
{
    static struct orr_job job;
    struct orr_error error;
    char *text = json_dumps(request, 0);
    if (orr_job_read(net.catalogue, text, "request", &job, &error)) fail_msg("%s", error.text);
    free(text);
    struct orr_step_model *model = orr_step_model_new(&job);
    assert_non_null(model);
    for (size_t i = 0; i < json_array_size(steps); i++) {
        int64_t n[6];
        char metric[160];
        assert_int_equal(json_array_size(json_array_get(steps, i)), COUNT(n));
        for (size_t k = 0; k < COUNT(n); k++) n[k] = json_integer_value(json_array_get(json_array_get(steps, i), k));
        const struct orr_step step = {n[0], n[1], n[2], n[3], n[4], n[5]};
        (void)snprintf(metric, sizeof metric, "step %d new of %d after %d; %d decode of %d; %d padding", (int)n[0],
                       (int)n[1], (int)n[2], (int)n[3], (int)n[4], (int)n[5]);
        put_number(answer, metric, orr_step_time(model, &step));
    }
    orr_step_model_free(model);
}

/* The winner of a search and how many plans there were; enums are named by their number. */
static void ask_search(const json_t *request, json_t *answer)
{
    struct orr_search *search;
    struct orr_error error;
    const struct orr_found *found;
    char *text = json_dumps(request, 0);
    if (orr_search_open(net.catalogue, text, "request", &search, &error)) fail_msg("%s", error.text);
    free(text);
    assert_int_equal(orr_search_run(search, 0, NULL, NULL, NULL), ORR_OK);
    put_number(answer, "plans", (double)orr_search_counts_of(search).plans);
    if (orr_search_best(search, &found) == 0) fail_msg("no plan was found");
    const struct orr_choice *choice = &found->choice;
    put_number(answer, "best objective", found->objective);
    put_number(answer, "best time_s", found->time_s);
    put_number(answer, "best memory_bytes", found->memory_bytes);
#define PUT(field) put_number(answer, "best " #field, (double)choice->field)
    PUT(gpus), PUT(tp), PUT(cp), PUT(pp), PUT(vpp), PUT(dp), PUT(ep), PUT(etp), PUT(micro_batch);
    PUT(recompute), PUT(recompute_every), PUT(batch), PUT(zero), PUT(sp), PUT(schedule), PUT(cp_kind), PUT(weights);
    PUT(kv), PUT(disaggregated), PUT(exposed_groups), PUT(decode_gpus), PUT(decode_tp), PUT(decode_pp);
    PUT(decode_ep), PUT(decode_batch);
#undef PUT
    orr_search_free(search);
}

/* Everything there is to know about a case now; to be released. */
static json_t *predict(const char *name)
{
    json_t *answer = json_object();
    const json_t *request = json_object_get(json_object_get(net.questions, "jobs"), name);
    const json_t *steps = json_object_get(json_object_get(net.questions, "steps"), name);
    const json_t *search = json_object_get(json_object_get(net.questions, "searches"), name);
    assert_true(!request != !search);
    if (request) ask_job(request, answer);
    if (request && steps) ask_steps(request, steps, answer);
    if (search) ask_search(search, answer);
    return answer;
}

/* Whole numbers with all digits, others with twelve: rounding must stay well below the tolerance. */
static const char *value_text(const json_t *value, char text[64])
{
    const double number = json_number_value(value);
    if (!json_is_number(value)) (void)snprintf(text, 64, "%s", json_string_value(value));
    else (void)snprintf(text, 64, number == floor(number) && fabs(number) < 1e15 ? "%.15g" : "%.12g", number);
    return text;
}

static bool is_pinned_value(const json_t *now, const char *pinned)
{
    char *end;
    if (!json_is_number(now)) return strcmp(json_string_value(now), pinned) == 0;
    const double number = json_number_value(now), expected = strtod(pinned, &end);
    if (end == pinned || *end) return false;
    return fabs(number - expected) <= TOLERANCE * fabs(expected);
}

/* One case against its lines: each metric once on either side, and equal. */
static void case_is_as_pinned(void **state)
{
    const char *name = *state, *metric;
    json_t *pinned = json_object_get(net.pinned, name), *answer = predict(name), *value;
    int n_wrong = 0;
    char text[64];
    json_object_foreach(answer, metric, value)
    {
        const char *expected = json_string_value(json_object_get(pinned, metric));
        if (expected && is_pinned_value(value, expected)) continue;
        if (n_wrong++ < MOST_SHOWN)
            print_error("%s, %s: pinned %s, now %s\n", name, metric, expected ? expected : "nothing",
                        value_text(value, text));
    }
    json_object_foreach(pinned, metric, value) if (!json_object_get(answer, metric) && n_wrong++ < MOST_SHOWN)
        print_error("%s, %s: pinned %s, now there is no such metric\n", name, metric, json_string_value(value));
    json_decref(answer);
    if (n_wrong) fail_msg("%s: %d metrics differ from %s", name, n_wrong, VALUES_FILE);
}

static void no_line_is_left_over(void **state)
{
    (void)state;
    const char *name;
    json_t *value;
    bool left_over = false;
    json_object_foreach(net.pinned, name, value)
    {
        if (json_object_get(json_object_get(net.questions, "jobs"), name)) continue;
        if (json_object_get(json_object_get(net.questions, "searches"), name)) continue;
        print_error("%s has lines in %s, but no question in %s\n", name, VALUES_FILE, JOBS_FILE);
        left_over = true;
    }
    json_object_foreach(json_object_get(net.questions, "steps"), name, value)
    {
        if (json_object_get(json_object_get(net.questions, "jobs"), name)) continue;
        print_error("%s: steps of a job that is not in %s\n", name, JOBS_FILE);
        left_over = true;
    }
    assert_false(left_over);
}

/* What the net is for: every engine of the catalogue, and enough jobs of both kinds. */
static void every_engine_is_covered(void **state)
{
    (void)state;
    const char *name;
    json_t *request, *engines = json_object();
    size_t n_train = 0, n_infer = 0;
    json_object_foreach(json_object_get(net.questions, "jobs"), name, request)
    {
        const bool train = strcmp(json_string_value(json_object_get(request, "kind")), "train") == 0;
        const json_t *engine = json_object_get(json_object_get(request, "workload"), "engine");
        const char *id = engine ? json_string_value(engine) : train ? "generic" : "tensorrt-llm-1.2";
        assert_int_equal(json_object_set_new(engines, id, json_true()), 0);
        *(train ? &n_train : &n_infer) += 1;
    }
    assert_true(n_train >= 30 && n_infer >= 30);
    for (size_t i = 0; i < orr_catalogue_count(net.catalogue, ORR_PART_ENGINE); i++) {
        const char *id = orr_catalogue_id(net.catalogue, ORR_PART_ENGINE, i);
        if (!json_object_get(engines, id)) fail_msg("no case of %s has the engine %s", JOBS_FILE, id);
    }
    json_decref(engines);
}

static void print_field(const char *text, char end)
{
    const char *quote = strchr(text, ',') ? "\"" : "";
    printf("%s%s%s%c", quote, text, quote, end);
}

/* The lines VALUES_FILE does not have. tools/pin_answers.py rewrites the others, which is never part of ./dev bless. */
static void print_new(const char *name)
{
    const char *metric;
    char text[64];
    json_t *answer = predict(name), *value;
    json_object_foreach(answer, metric, value)
    {
        if (json_object_get(json_object_get(net.pinned, name), metric)) continue;
        print_field(name, ',');
        print_field(metric, ',');
        print_field(value_text(value, text), '\n');
    }
    json_decref(answer);
}

/* Names of all cases, in the order of the file. */
static size_t list_cases(const char *names[MOST_CASES])
{
    const char *const sections[] = {"jobs", "searches"}, *name;
    json_t *value;
    size_t n = 0;
    for (size_t i = 0; i < COUNT(sections); i++)
        json_object_foreach(json_object_get(net.questions, sections[i]), name, value)
        {
            assert_true(n < MOST_CASES);
            names[n++] = name;
        }
    return n;
}

static int compare_all(const char *const *names, size_t n)
{
    static struct CMUnitTest tests[MOST_CASES + 2];
    for (size_t i = 0; i < n; i++)
        tests[i] = (struct CMUnitTest){names[i], case_is_as_pinned, NULL, NULL, (void *)(uintptr_t)names[i]};
    tests[n] = (struct CMUnitTest)cmocka_unit_test(no_line_is_left_over);
    tests[n + 1] = (struct CMUnitTest)cmocka_unit_test(every_engine_is_covered);
    return _cmocka_run_group_tests("pinned", tests, n + 2, NULL, NULL);
}

int main(int argc, char **argv)
{
    struct orr_error error;
    json_error_t place;
    const char *names[MOST_CASES];
    if (orr_catalogue_open(NULL, 0, &net.catalogue, &error)) return 2;
    net.session = orr_session_new(net.catalogue);
    net.questions = json_load_file(JOBS_FILE, JSON_REJECT_DUPLICATES, &place);
    if (!net.questions || !net.session) {
        print_error("%s:%d: %s\n", JOBS_FILE, place.line, place.text);
        return 2;
    }
    net.pinned = read_values();
    const size_t n = list_cases(names);
    int status = 0;
    if (argc > 1 && strcmp(argv[1], "--print") == 0) {
        for (size_t i = 0; i < n; i++) print_new(names[i]);
    } else status = compare_all(names, n);
    json_decref(net.pinned);
    json_decref(net.questions);
    orr_session_free(net.session);
    orr_catalogue_close(net.catalogue);
    return status;
}
