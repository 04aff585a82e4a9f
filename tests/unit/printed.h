/* Shared by the tests of reports: what was printed, read back. Tables of the terminal, colours, JSON by key and dotted
 * path, cells of CSV. */
#ifndef ORR_TESTS_PRINTED_H
#define ORR_TESTS_PRINTED_H

#include <jansson.h>

#include "metric/metric.h"
#include "report/table.h"
#include "support.h"

#define MAX_ASKED 8

/* Requests as jobs and their answers, with a scratch for each, so that all their predictions stay. */
struct asked {
    struct orr_catalogue *catalogue;
    size_t n;
    struct orr_job jobs[MAX_ASKED];
    struct orr_scratch *scratches[MAX_ASKED];
    struct orr_answer answers[MAX_ASKED];
};

static inline void open_asked(struct asked *asked, const char *const *requests, size_t n)
{
    struct orr_error error;
    assert_in_range(n, 1, MAX_ASKED);
    if (orr_catalogue_open(NULL, 0, &asked->catalogue, &error)) fail_msg("%s", error.text);
    for (asked->n = 0; asked->n < n; asked->n++) {
        const size_t i = asked->n;
        if (orr_job_read(asked->catalogue, requests[i], "request", &asked->jobs[i], &error)) fail_msg("%s", error.text);
        asked->scratches[i] = orr_scratch_new();
        assert_non_null(asked->scratches[i]);
        orr_predict(&asked->jobs[i], asked->scratches[i], &asked->answers[i]);
        if (asked->jobs[i].kind == ORR_JOB_TRAIN)
            orr_train_advice(&asked->jobs[i], asked->scratches[i], &asked->answers[i].train);
    }
}

static inline int close_asked(void **state)
{
    struct asked *asked = *state;
    for (size_t i = 0; i < asked->n; i++) orr_scratch_free(asked->scratches[i]);
    orr_catalogue_close(asked->catalogue);
    return 0;
}

static inline char *render(const struct orr_answer *answer, enum orr_format format, int width, bool colour)
{
    const struct orr_style style = {.width = width, .colour = colour};
    char *rendered = orr_render(answer, format, &style);
    assert_non_null(rendered);
    return rendered;
}

/* The request in the JSON of a result gives that result again. */
static inline void check_echo(const struct asked *asked, const char *text)
{
    static struct orr_job job;
    struct orr_error error;
    json_t *json = json_loads(text, 0, NULL);
    char *echo = json_dumps(json_object_get(json, "request"), 0);
    assert_non_null(echo);
    if (orr_job_read(asked->catalogue, echo, "echo", &job, &error)) fail_msg("%s", error.text);
    char *again = report_on(&job, ORR_FORMAT_JSON, NULL);
    json_t *second = json_loads(again, 0, NULL);
    json_object_del(json, "assumed"); /* the echo states everything */
    json_object_del(second, "assumed");
    char *first_text = json_dumps(json, 0), *second_text = json_dumps(second, 0);
    assert_string_equal(first_text, second_text);
    free(first_text);
    free(second_text);
    json_decref(second);
    free(again);
    free(echo);
    json_decref(json);
}

/* Equal up to an absolute tolerance. */
static inline void assert_near(double actual, double expected, double tolerance)
{
    if (!(fabs(actual - expected) <= tolerance)) fail_msg("%.17g is not %.17g", actual, expected);
}

/* The number in the second column of the row called `name` after the line that starts with `title`; its share is in the
 * third. */
static inline double printed_number(const char *text, const char *title, const char *name, bool share)
{
    const char *row = strstr(text, title);
    assert_non_null(row);
    char start[64];
    (void)snprintf(start, sizeof start, "\n  %s ", name);
    row = strstr(row, start);
    if (!row) return 0; /* a part that is zero has no row */
    char *end;
    double number = strtod(row + strlen(start), &end);
    if (share) number = strtod(end + strcspn(end, "0123456789-"), NULL);
    return number;
}

static inline int count_lines(const char *text)
{
    int lines = 0;
    for (; *text; text++) lines += *text == '\n';
    return lines;
}

/* No line is wider than that, none ends in a space. */
static inline void check_lines(const char *text, int width)
{
    while (*text) {
        char line[2048];
        const size_t length = strcspn(text, "\n");
        assert_in_range(length, 0, sizeof line - 1);
        memcpy(line, text, length);
        line[length] = '\0';
        if (orr_columns(line) > width) fail_msg("longer than %d: %s", width, line);
        if (length > 0 && line[length - 1] == ' ') fail_msg("space at the end: %s", line);
        text += length + (text[length] == '\n');
    }
}

/* `coloured` has colours and is `plain` without them. */
static inline void check_colours(const char *plain, char *coloured)
{
    assert_null(strchr(plain, '\033'));
    assert_non_null(strchr(coloured, '\033'));
    char *to = coloured;
    for (const char *from = coloured; *from;) {
        if (*from == '\033') from += strcspn(from, "m") + 1;
        else *to++ = *from++;
    }
    *to = '\0';
    assert_string_equal(coloured, plain);
}

/* The JSON in a text, which is freed. */
static inline json_t *take_json(char *text)
{
    json_error_t error;
    assert_non_null(text);
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!json) fail_msg("line %d: %s", error.line, error.text);
    free(text);
    return json;
}

static inline json_t *render_json(const struct orr_answer *answer, enum orr_format format)
{
    return take_json(render(answer, format, 0, false));
}

/* A test: the request in the JSON of every answer gives that answer again. */
static inline void request_echo_gives_the_same_job(void **state)
{
    const struct asked *asked = *state;
    for (size_t i = 0; i < asked->n; i++) {
        char *text = render(&asked->answers[i], ORR_FORMAT_JSON, 0, false);
        check_echo(asked, text);
        free(text);
    }
}

/* The metrics from `first` on have the keys and meanings that a list of the public header gives to parts. */
struct part {
    const char *key, *meaning;
};
static inline void check_parts(enum orr_job_kind kind, int first, const struct part *parts, int n)
{
    for (int i = 0; i < n; i++) {
        const struct orr_metric_info *info = orr_metric_info(kind, first + i);
        assert_string_equal(info->key, parts[i].key);
        assert_string_equal(info->meaning, parts[i].meaning);
    }
}

static inline void has_keys(const json_t *object, const char *const *keys)
{
    for (; *keys; keys++)
        if (!json_object_get(object, *keys)) fail_msg("no key \"%s\"", *keys);
}

static inline double sum_of(const json_t *object, const char *const *keys)
{
    double sum = 0;
    for (; *keys; keys++) sum += json_real_value(json_object_get(object, *keys));
    return sum;
}

/* The value of a dotted path, "interval_s.0" for places in arrays. */
static inline const json_t *at_path(const json_t *json, const char *path)
{
    char key[64];
    const size_t length = strcspn(path, ".");
    (void)snprintf(key, sizeof key, "%.*s", (int)length, path);
    const json_t *value = json_is_array(json) ? json_array_get(json, (size_t)atoi(key)) : json_object_get(json, key);
    return path[length] && value ? at_path(value, path + length + 1) : value;
}

/* Cut the next cell off a CSV line: quotes taken off, `*line` moved on. False at the end of the line. */
static inline bool next_cell(const char **line, char *cell, size_t size)
{
    const char *c = *line;
    if (!*c || *c == '\n') return false;
    const bool quoted = *c == '"';
    size_t n = 0;
    for (c += quoted; *c && *c != '\n' && (quoted || *c != ','); c++) {
        if (quoted && *c == '"' && *++c != '"') break;
        assert_in_range(n, 0, size - 2);
        cell[n++] = *c;
    }
    cell[n] = '\0';
    *line = c + (*c == ',');
    return true;
}

/* A header and one row that say what the JSON of the same job says: at least so many columns, so many of them numbers
 * with a fraction. */
static inline void check_csv(const char *csv, const json_t *json, int n_columns, int n_numbers)
{
    const char *header = csv, *row = strchr(csv, '\n') + 1;
    char name[256], cell[512];
    int n = 0, numbers = 0;
    for (; next_cell(&header, name, sizeof name); n++) {
        assert_true(next_cell(&row, cell, sizeof cell));
        const json_t *value = at_path(json, name);
        if (!value) value = at_path(json_object_get(json, "request"), name);
        if (json_is_string(value)) assert_string_equal(cell, json_string_value(value));
        if (json_is_real(value)) assert_true(strtod(cell, NULL) == json_real_value(value));
        numbers += json_is_real(value);
    }
    assert_false(next_cell(&row, cell, sizeof cell));
    assert_string_equal(row, "\n");
    assert_true(n >= n_columns && numbers >= n_numbers);
}

#endif
