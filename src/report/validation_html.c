/* This file makes the page of a validation: every row with its configuration, which the explorer draws as predicted
 * over measured, and the tables of the terminal as data. */
#include "base/text.h"
#include "report/json_text.h"
#include "report/page.h"
#include "report/validation.h"

#include <stdlib.h>
#include <string.h>

/* Returns the configuration of a row in words: every cell that says what ran, without where it was published. */
static json_t *settings_json(const struct orr_validation *v, const struct orr_score *s)
{
    static const char *const OTHERS[] = {"id", "source", "url", "notes", "metric", "value", "step_s", "time_s"};
    const struct orr_csv *csv = &v->csvs[s->csv];
    struct orr_text text = {0};
    for (size_t j = 0; j < csv->n_columns; j++) {
        const char *cell = csv->cells[s->row * csv->n_columns + j];
        bool other = cell[0] == '\0';
        for (size_t k = 0; k < sizeof OTHERS / sizeof *OTHERS; k++)
            other = other || strcmp(csv->names[j], OTHERS[k]) == 0;
        if (!other) orr_text_add(&text, "%s%s %s", text.length ? ", " : "", csv->names[j], cell);
    }
    json_t *words = text.failed ? NULL : orr_json_word(text.data ? text.data : "");
    free(text.data);
    return words;
}

/* The columns of a row as the page reads them. */
static const char COLUMNS[] = "{\"columns\":[\"id\",\"source\",\"model\",\"system\",\"metric\",\"measured\","
                              "\"predicted\",\"error_frac\",\"settings\",\"skipped\"],\"rows\":[";

static json_t *row_json(const struct orr_validation *v, const struct orr_score *s)
{
    const bool scored = !s->skipped[0];
    return json_pack("[o o o o o o o o o o]", orr_json_word(s->id), orr_json_word(s->source), orr_json_word(s->model),
                     orr_json_word(s->system), orr_json_word(s->metric),
                     scored ? orr_json_real(s->measured) : json_null(),
                     scored ? orr_json_real(s->predicted) : json_null(), scored ? orr_json_real(s->error) : json_null(),
                     settings_json(v, s), orr_json_word(s->skipped));
}

static void add_rows(const struct orr_validation *v, struct orr_text *text)
{
    orr_text_add(text, "%s", COLUMNS);
    for (size_t i = 0; i < v->n_scores && !text->failed; i++) {
        orr_text_add(text, i ? ",\n" : "\n");
        orr_json_add(text, row_json(v, &v->scores[i]), JSON_COMPACT | JSON_REAL_PRECISION(7));
    }
    orr_text_add(text, "]}");
}

/* Adds what another format says. */
static void add_format(const struct orr_validation *v, enum orr_format format, struct orr_text *text)
{
    char *report = orr_validation_render(v, format, &orr_page_style);
    orr_text_add(text, "%s", report ? report : "null");
    text->failed |= !report;
    free(report);
}

void orr_validation_page(const struct orr_validation *validation, struct orr_text *text)
{
    struct orr_page_parts page = {{0}, {0}, {0}};
    struct orr_text json = {0}, rows = {0};
    add_format(validation, ORR_FORMAT_TERMINAL, &page.terminal);
    add_format(validation, ORR_FORMAT_JSON, &json);
    orr_page_reply(&page, "validate", &json);
    add_rows(validation, &rows);
    orr_page_reply(&page, "rows", &rows);
    orr_page_finish(&page, "Predicted and measured", text);
}
