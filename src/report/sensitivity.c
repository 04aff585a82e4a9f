/* This report says what every hardware number of a job is worth, as a terminal table, JSON or CSV. */
#include "study/sensitivity.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain.h"
#include "base/units.h"
#include "report/assumed.h"
#include "report/page.h"
#include "report/json_text.h"
#include "report/table.h"

/* This is a job and what was found out about it. */
struct found {
    const struct orr_job *job;
    bool fits;
    double answers[ORR_N_ANSWERS];
    size_t n;
    struct orr_sensitivity all[ORR_MAX_SENSITIVITIES];
};

/* ---------------------------------------------------------------- terminal */

static char *value_text(char buffer[32], const struct orr_sensitivity *s)
{
    if (strcmp(s->unit, "bytes/s") == 0) return orr_print_rate(buffer, s->value);
    if (strcmp(s->unit, "bytes") == 0) return orr_print_bytes(buffer, s->value);
    if (strcmp(s->unit, "s") == 0) return orr_print_s(buffer, s->value);
    if (s->unit[0] && strcmp(s->unit, "$/h") != 0) return orr_print_si(buffer, s->value, s->unit);
    (void)snprintf(buffer, 32, "%.4g%s%s", s->value, s->unit[0] ? " " : "", s->unit);
    return buffer;
}

/* A number that does not matter is a dash, so that the eye finds those that do. */
static char *slope_text(char buffer[16], double slope)
{
    if (fabs(slope) < 5e-5) (void)snprintf(buffer, 16, "–");
    else (void)snprintf(buffer, 16, "%+.4f", slope);
    return buffer;
}

static char *percent_text(char buffer[16], double frac)
{
    if (fabs(frac) < 5e-6) (void)snprintf(buffer, 16, "–");
    else (void)snprintf(buffer, 16, "%+.2f %%", 100 * frac);
    return buffer;
}

static void add_row(struct orr_table *table, const struct orr_sensitivity *s)
{
    char value[32], less[16], more[16], second[16], third[16], tenth[16];
    ORR_ROW(table, ORR_PAINT_NONE, s->name, value_text(value, s), slope_text(less, s->less[0]),
            slope_text(more, s->more[0]), percent_text(tenth, s->tenth[0]), slope_text(second, s->more[1]),
            slope_text(third, s->more[2]));
}

static bool matters(const struct orr_sensitivity *s)
{
    bool any = false;
    for (int i = 0; i < ORR_N_ANSWERS; i++)
        any |= fabs(s->less[i]) >= 5e-5 || fabs(s->more[i]) >= 5e-5 || fabs(s->tenth[i]) >= 5e-6;
    return any;
}

/* Does an answer get longer with more of a number that is faster hardware? The energy and cost of a step may. */
static bool is_backward(const struct orr_job *job, const struct orr_sensitivity *s)
{
    const int n_times = job->kind == ORR_JOB_TRAIN ? 1 : ORR_N_ANSWERS;
    bool longer = false;
    for (int i = 0; i < n_times; i++) longer |= s->more[i] >= 5e-5 || s->tenth[i] >= 5e-6;
    return s->faster && longer;
}

static void add_backward(const struct found *found, struct orr_text *text, const struct orr_style *style)
{
    struct orr_text names = {0};
    for (size_t i = 0; i < found->n; i++)
        if (is_backward(found->job, &found->all[i]))
            orr_text_add(&names, "%s%s", names.length ? ", " : "", found->all[i].name);
    if (names.length) {
        orr_text_add(&names, " slower with more: %s", orr_faster_is_slower(found->job));
        orr_text_wrap(text, style, "  warning", 12, names.data, " ");
    }
    orr_text_drop(text, &names);
}

static void add_terminal(const struct found *found, struct orr_text *text, const struct orr_style *style)
{
    static const char *const WORDS[2][ORR_N_ANSWERS] = {{"step time", "energy", "cost"},
                                                        {"latency", "first token", "next token"}};
    const struct orr_job *job = found->job;
    const char *const *words = WORDS[job->kind];
    char first[32];
    struct orr_table table;
    struct orr_text idle = {0};
    orr_text_add(text, "%s on %s: %s %s%s\n\n", job->model.id, job->system.id, words[0],
                 orr_print_s(first, found->answers[0]), found->fits ? "" : ", but it does not fit");
    orr_table_start(&table, "lrrrrrr");
    table.drop = "0100032";
    ORR_ROW(&table, ORR_PAINT_BOLD, "parameter", "value", "less", "more", "10 % more", words[1], words[2]);
    for (size_t i = 0; i < found->n; i++) {
        if (matters(&found->all[i])) add_row(&table, &found->all[i]);
        else orr_text_add(&idle, "%s%s", idle.length ? ", " : "", found->all[i].name);
    }
    orr_table_print(&table, text, style);
    char meaning[256];
    (void)snprintf(meaning, sizeof meaning,
                   "\n  less, more: %s in %% per %% of the parameter, on either side of its value. The lines of"
                   " --width 120 end in %s and %s, towards more.\n",
                   words[0], words[1], words[2]);
    orr_text_fit(text, style, meaning);
    if (idle.length) orr_text_wrap(text, style, "  no effect", 12, idle.data, ", ");
    orr_text_drop(text, &idle);
    add_backward(found, text, style);
}

/* ---------------------------------------------------------------- JSON */

static json_t *answers_json(const char *const *names, const double numbers[ORR_N_ANSWERS])
{
    json_t *object = json_object();
    for (int i = 0; i < ORR_N_ANSWERS; i++) json_object_set_new(object, names[i], orr_json_real(numbers[i]));
    return object;
}

static json_t *sensitivity_json(const struct found *found)
{
    const struct orr_job *job = found->job;
    const char *const *names = orr_answer_names[job->kind];
    json_t *array = json_array();
    for (size_t i = 0; i < found->n; i++) {
        const struct orr_sensitivity *s = &found->all[i];
        const char *warning = is_backward(job, s) ? orr_faster_is_slower(job) : NULL;
        json_array_append_new(array, json_pack("{s:s, s:o, s:s, s:o, s:o, s:o, s:s*}", "parameter", s->name, "value",
                                               orr_json_real(s->value), "unit", s->unit, "less",
                                               answers_json(names, s->less), "more", answers_json(names, s->more),
                                               "tenth_more_frac", answers_json(names, s->tenth), "warning", warning));
    }
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:b, s:o, s:o}", "schema", ORR_SCHEMA, "kind", "sensitivity", "job",
                     job->kind == ORR_JOB_TRAIN ? "train" : "infer", "model", orr_json_word(job->model.id), "system",
                     orr_json_word(job->system.id), "fits", found->fits, "answers", answers_json(names, found->answers),
                     "parameters", array);
}

/* ---------------------------------------------------------------- CSV */

static void add_csv(const struct found *found, struct orr_text *text)
{
    const char *const *names = orr_answer_names[found->job->kind];
    orr_text_add(text, "parameter,value,unit");
    for (int i = 0; i < ORR_N_ANSWERS; i++)
        orr_text_add(text, ",%s_less,%s_more,%s_tenth_more_frac", names[i], names[i], names[i]);
    orr_text_add(text, "\n");
    for (size_t k = 0; k < found->n; k++) {
        const struct orr_sensitivity *s = &found->all[k];
        orr_text_add(text, "%s,%.17g,%s", s->name, s->value, s->unit);
        for (int i = 0; i < ORR_N_ANSWERS; i++)
            orr_text_add(text, ",%.10g,%.10g,%.10g", s->less[i], s->more[i], s->tenth[i]);
        orr_text_add(text, "\n");
    }
}

/* ---------------------------------------------------------------- HTML */

static void add_html(const struct found *found, struct orr_text *text)
{
    static const char *const TITLES[2] = {"Step time with 10 % more", "Latency with 10 % more"};
    static const char *const PART[] = {"change"};
    const struct orr_job *job = found->job;
    struct orr_page_lane lanes[ORR_MAX_SENSITIVITIES];
    struct orr_page_parts page = {{0}, {0}, {0}};
    struct orr_text json = {0};
    size_t n = 0;
    char title[3 * ORR_ID];
    for (size_t i = 0; i < found->n; i++)
        if (fabs(found->all[i].tenth[0]) >= 5e-6)
            lanes[n++] = (struct orr_page_lane){found->all[i].name, {100 * found->all[i].tenth[0]}};
    orr_page_lanes(&page, TITLES[job->kind], "%", PART, 1, lanes, n);
    add_terminal(found, &page.terminal, &orr_page_style);
    orr_json_add(&json, sensitivity_json(found), JSON_INDENT(2));
    orr_page_reply(&page, "result", &json);
    (void)snprintf(title, sizeof title, "What the hardware is worth: %s on %s", job->model.id, job->system.id);
    orr_page_finish(&page, title, text);
}

char *orr_sensitivity_render(const struct orr_job *job, enum orr_format format, const struct orr_style *style)
{
    ORR_PLAIN_NUMBERS;
    struct found found = {.job = job};
    struct orr_text text = {0};
    struct orr_scratch *scratch = orr_scratch_new();
    if (!scratch) return orr_memory_told();
    found.n = orr_sensitivities(job, scratch, found.all, found.answers, &found.fits);
    orr_scratch_free(scratch);
    if (format == ORR_FORMAT_JSON) orr_json_lines(&text, sensitivity_json(&found));
    else if (format == ORR_FORMAT_CSV) add_csv(&found, &text);
    else if (format == ORR_FORMAT_HTML) add_html(&found, &text);
    else add_terminal(&found, &text, style);
    return orr_text_take(&text);
}
