/* This file writes pages of reports: the style and the script of the explorer, the answer as data that the script
 * draws, and the report of the terminal for readers without scripts and for builds without the explorer. The policy of
 * the page lets it fetch nothing. */
#include "report/page.h"

#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "report/explorer.h"
#include "report/html.h"
#include "report/json_text.h"

const struct orr_style orr_page_style = {.width = 120};

/* ---------------------------------------------------------------- data */

/* Adds JSON between the tags of a script. A "<" is part of a string there, and so it can be spelled without one: no
 * text can then end the script. */
static void add_data(struct orr_text *text, const char *json)
{
    for (const char *at = json; *at;) {
        const size_t n = strcspn(at, "<");
        orr_text_append(text, at, n);
        at += n;
        if (*at == '<') {
            orr_text_add(text, "\\u003c");
            at++;
        }
    }
}

static void add_member(struct orr_text *members, const char *name)
{
    orr_text_add(members, "%s", members->length ? ",\n" : "");
    orr_json_add(members, orr_json_word(name), JSON_ENCODE_ANY);
    orr_text_add(members, ":");
}

void orr_page_reply(struct orr_page_parts *page, const char *path, struct orr_text *json)
{
    add_member(&page->replies, path);
    orr_text_add(&page->replies, "%s", json->data ? json->data : "null");
    orr_text_drop(&page->replies, json);
}

void orr_page_words(struct orr_page_parts *page, const char *path, struct orr_text *words)
{
    add_member(&page->replies, path);
    orr_json_add(&page->replies, orr_json_word(words->data ? words->data : ""), JSON_ENCODE_ANY);
    orr_text_drop(&page->replies, words);
}

/* ---------------------------------------------------------------- charts */

static void add_chart(struct orr_page_parts *page, json_t *chart)
{
    if (page->charts.length) orr_text_add(&page->charts, ",\n");
    orr_json_add(&page->charts, chart, ORR_JSON_FLAGS);
}

static json_t *lane_json(const struct orr_page_lane *lane, size_t n_parts)
{
    json_t *values = json_array();
    int failed = !values;
    for (size_t i = 0; i < n_parts && !failed; i++)
        failed = json_array_append_new(values, orr_json_real(lane->values[i]));
    return json_pack("{so so}", "name", orr_json_word(lane->name), "values", orr_json_whole(values, failed));
}

void orr_page_lanes(struct orr_page_parts *page, const char *title, const char *unit, const char *const *parts,
                    size_t n_parts, const struct orr_page_lane *lanes, size_t n_lanes)
{
    json_t *names = json_array(), *bars = json_array();
    int failed = !names || !bars;
    for (size_t i = 0; i < n_parts && !failed; i++) failed = json_array_append_new(names, orr_json_word(parts[i]));
    for (size_t i = 0; i < n_lanes && !failed; i++) failed = json_array_append_new(bars, lane_json(&lanes[i], n_parts));
    add_chart(page,
              json_pack("{ss so so so so}", "type", "bars", "title", orr_json_word(title), "unit", orr_json_word(unit),
                        "parts", orr_json_whole(names, failed), "lanes", orr_json_whole(bars, failed)));
}

void orr_page_curve(struct orr_page_parts *page, const char *title, const char *x_name, const char *y_name,
                    const struct orr_page_point *points, size_t n_points)
{
    json_t *list = json_array();
    int failed = !list;
    for (size_t i = 0; i < n_points && !failed; i++)
        failed =
            json_array_append_new(list, json_pack("{so so so}", "x", orr_json_real(points[i].x), "y",
                                                  orr_json_real(points[i].y), "title", orr_json_word(points[i].title)));
    add_chart(page,
              json_pack("{ss so so so so}", "type", "curve", "title", orr_json_word(title), "x", orr_json_word(x_name),
                        "y", orr_json_word(y_name), "points", orr_json_whole(list, failed)));
}

/* ---------------------------------------------------------------- page */

static const struct orr_page_file *explorer_file(const char *ending)
{
    for (size_t i = 0; i < orr_n_explorer_files; i++) {
        const char *found = strrchr(orr_explorer_files[i].path, '.');
        if (found && strcmp(found, ending) == 0) return &orr_explorer_files[i];
    }
    return NULL;
}

const struct orr_page_file *orr_explorer_file(const char *path)
{
    for (size_t i = 0; i < orr_n_explorer_files; i++)
        if (strcmp(orr_explorer_files[i].path, path) == 0) return &orr_explorer_files[i];
    return NULL;
}

static void add_file(struct orr_text *text, const char *before, const char *ending, const char *after)
{
    const struct orr_page_file *file = explorer_file(ending);
    if (!file) return;
    orr_text_add(text, "%s", before);
    orr_text_append(text, file->bytes, file->size);
    orr_text_add(text, "%s", after);
}

static const char HEAD[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data: blob:\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n<title>";

/* The page has the places that the explorer fills. Its script replaces the report of the terminal. */
static const char BODY[] =
    "</head>\n<body class=\"report\">\n<a class=\"skip\" href=\"#main\">Skip to the results</a>\n"
    "<header id=\"top\"></header>\n<div id=\"page\">\n<main id=\"main\" tabindex=\"-1\">\n";

static void add_page(const struct orr_page_parts *page, const char *title, struct orr_text *text)
{
    struct orr_text words = {0};
    orr_text_add(text, "%s", HEAD);
    orr_html_text(text, title);
    orr_text_add(text, "</title>\n");
    add_file(text, "<style>\n", ".css", "</style>\n");
    orr_text_add(text, "%s", BODY);
    orr_html_element(text, "h1", "", title);
    orr_text_add(text, "\n<pre id=\"report\">");
    orr_html_lines(text, page->terminal.data ? page->terminal.data : "");
    orr_text_add(text, "</pre>\n</main>\n</div>\n<script type=\"application/json\" id=\"data\">{\"title\":");
    orr_json_add(&words, orr_json_word(title), JSON_ENCODE_ANY);
    add_data(text, words.data ? words.data : "null");
    orr_text_drop(text, &words);
    orr_text_add(text, ",\"version\":\"%s\",\n\"replies\":{", orr_version());
    add_data(text, page->replies.data ? page->replies.data : "");
    orr_text_add(text, "},\n\"charts\":[");
    add_data(text, page->charts.data ? page->charts.data : "");
    orr_text_add(text, "]}</script>\n");
    add_file(text, "<script type=\"module\">\n", ".js", "</script>\n");
    orr_text_add(text, "</body>\n</html>\n");
}

void orr_page_finish(struct orr_page_parts *page, const char *title, struct orr_text *text)
{
    add_page(page, title, text);
    orr_text_drop(text, &page->terminal);
    orr_text_drop(text, &page->replies);
    orr_text_drop(text, &page->charts);
}

char *orr_page(const char *title, const char *terminal, const char *json)
{
    ORR_PLAIN_NUMBERS;
    struct orr_page_parts page = {{0}, {0}, {0}};
    struct orr_text text = {0}, data = {0};
    orr_text_add(&page.terminal, "%s", terminal);
    orr_text_add(&data, "%s", json);
    orr_page_reply(&page, "result", &data);
    orr_page_finish(&page, title, &text);
    return orr_text_take(&text);
}
