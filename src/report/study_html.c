/* This file writes the page over all studies (figure, findings, assumptions, what stands beside them, tables) and the
 * page of one study. */
#include "report/study.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/html.h"
#include "report/page.h"

/* Longer tables are in their CSV only. */
enum { ROWS_SHOWN = 100, DIGITS = 4 };

static const char INTRO[] =
    "<p>Every study of Kundu et al. 2024, <a href=\"https://arxiv.org/abs/2407.14645\">Performance Modeling and "
    "Workload "
    "Analysis of Distributed Large Language Model Training and Inference</a>, run with Orrery. Predicted numbers stand "
    "beside published ones where a public source has them; where none was at hand the study says so. Constants come "
    "from "
    "kernel timings; none was chosen by a result shown here. The paper's task graph with sharding has no table: "
    "<code>orrery train ... --explain</code> lists it.</p>\n";

static void add_list(struct orr_text *text, const char *title, const char *lines)
{
    if (!*lines) return;
    orr_html_element(text, "h3", "", title);
    orr_text_add(text, "\n<ul>\n");
    for (const char *at = lines; *at;) {
        char line[1024];
        const size_t n = strcspn(at, "\n");
        (void)snprintf(line, sizeof line, "%.*s", (int)n, at);
        orr_html_element(text, "li", "", line);
        orr_text_add(text, "\n");
        at += n + (at[n] == '\n');
    }
    orr_text_add(text, "</ul>\n");
}

static void add_row(struct orr_text *text, const struct orr_sheet *sheet, size_t row, const bool *words)
{
    char word[ORR_CELL_TEXT];
    orr_text_add(text, "<tr>");
    for (size_t c = 0; c < sheet->n_columns; c++)
        orr_html_element(text, words[c] ? "th" : "td", "",
                         orr_cell_text(&sheet->cells[row * sheet->n_columns + c], DIGITS, word));
    orr_text_add(text, "</tr>\n");
}

static void add_sheet(struct orr_text *text, const struct orr_sheet *sheet)
{
    bool words[ORR_SHEET_COLUMNS];
    char name[ORR_COLUMN_NAME];
    const size_t rows = orr_sheet_rows(sheet);
    orr_text_add(text, "<p>");
    orr_html_text(text, sheet->title);
    orr_text_add(text, ": <a href=\"%s.csv\">%s.csv</a>, %zu rows</p>\n", sheet->name, sheet->name, rows);
    if (rows > ROWS_SHOWN) return;
    orr_text_add(text, "<table>\n<tr class=\"head\">");
    for (size_t c = 0; c < sheet->n_columns; c++) {
        words[c] = orr_column_is_text(sheet, c);
        orr_html_element(text, words[c] ? "th" : "td", "", orr_sheet_column_name(sheet, c, name));
    }
    orr_text_add(text, "</tr>\n");
    for (size_t r = 0; r < rows; r++) add_row(text, sheet, r, words);
    orr_text_add(text, "</table>\n");
}

static void add_figure(struct orr_text *text, const char *script, const char *name)
{
    orr_text_add(text,
                 "<p><a href=\"%s.gp\"><img src=\"%s.svg\" alt=\"figure of %s\" style=\"max-width:100%%\"/></a></p>\n",
                 script, name, name);
}

static void add_study(struct orr_text *text, const struct orr_study *study, bool figures)
{
    const struct orr_study_item *item = study->item;
    struct orr_text findings = {0};
    orr_text_add(text, "<h2 id=\"%s\">", item->name);
    orr_html_text(text, item->title);
    orr_text_add(text, "</h2>\n");
    if (figures) add_figure(text, item->name, item->name);
    if (figures && item->stack.title && study->n_sheets > 1) add_figure(text, item->name, study->sheets[1].name);
    for (size_t i = 0; i < study->n_findings; i++) orr_text_add(&findings, "%s\n", study->findings[i]);
    char *found = orr_text_take(&findings);
    if (found) add_list(text, "Found", found);
    else if (study->n_findings) text->failed = true;
    free(found);
    add_list(text, "Compared", item->compared);
    add_list(text, "Assumed", item->assumptions);
    for (size_t i = 0; i < study->n_sheets; i++) add_sheet(text, &study->sheets[i]);
}

void orr_studies_page(const struct orr_study *const *studies, size_t n, bool figures, struct orr_text *text)
{
    orr_html_head(text, "Orrery: the studies of Kundu et al. 2024");
    orr_text_add(text, "<h1>The studies of Kundu et al. 2024</h1>\n%s<ul>\n", INTRO);
    for (size_t i = 0; i < n; i++) {
        orr_text_add(text, "<li><a href=\"#%s\">", studies[i]->item->name);
        orr_html_text(text, studies[i]->item->title);
        orr_text_add(text, "</a></li>\n");
    }
    orr_text_add(text, "</ul>\n");
    for (size_t i = 0; i < n; i++) add_study(text, studies[i], figures);
    orr_text_add(text, "</body>\n</html>\n");
}

/* ---------------------------------------------------------------- one study */

/* Takes the next word of a list separated by spaces at *at, which moves on; false after the last. */
static bool next_word(const char **at, char word[ORR_COLUMN_NAME])
{
    const size_t n = strcspn(*at, " ");
    (void)snprintf(word, ORR_COLUMN_NAME, "%.*s", (int)n, *at);
    *at += n + ((*at)[n] == ' ');
    return n > 0;
}

static const struct orr_cell *cell_of(const struct orr_sheet *sheet, size_t row, const char *column)
{
    return &sheet->cells[row * sheet->n_columns + orr_sheet_column(sheet, column)];
}

/* Names a lane, such as "12 hbm2 ndr". */
static void name_lane(const struct orr_study_item *item, const struct orr_sheet *sheet, size_t row, char name[96])
{
    char column[ORR_COLUMN_NAME], word[ORR_CELL_TEXT];
    size_t length = 0;
    for (const char *at = item->names; length < 96 && next_word(&at, column);)
        length += (size_t)snprintf(name + length, 96 - length, "%s%s", length ? " " : "",
                                   orr_cell_text(cell_of(sheet, row, column), DIGITS, word));
}

static void add_chart(struct orr_page_parts *page, const struct orr_study *study)
{
    const struct orr_study_item *item = study->item;
    const struct orr_sheet *sheet = &study->sheets[0];
    const char *parts[ORR_PAGE_PARTS], *at = item->values;
    char columns[ORR_PAGE_PARTS][ORR_COLUMN_NAME], words[ORR_PAGE_PARTS][ORR_COLUMN_NAME], names[ROWS_SHOWN][96] = {""};
    struct orr_page_lane lanes[ROWS_SHOWN];
    size_t n_parts = 0, n_rows = orr_sheet_rows(sheet);
    if (n_rows > ROWS_SHOWN) n_rows = ROWS_SHOWN;
    for (; n_parts < ORR_PAGE_PARTS && next_word(&at, columns[n_parts]); n_parts++) {
        (void)snprintf(words[n_parts], sizeof words[n_parts], "%.*s", (int)strcspn(columns[n_parts], "_"),
                       columns[n_parts]); /* "compute_frac" becomes "compute" */
        parts[n_parts] = words[n_parts];
    }
    for (size_t r = 0; r < n_rows; r++) {
        name_lane(item, sheet, r, names[r]);
        lanes[r] = (struct orr_page_lane){.name = names[r]};
        for (size_t i = 0; i < n_parts; i++)
            lanes[r].values[i] = cell_of(sheet, r, columns[i])->number * (strcmp(item->unit, "%") == 0 ? 100 : 1);
    }
    orr_page_lanes(page, item->chart, item->unit, parts, n_parts, lanes, n_rows);
}

/* Returns the place of a word among the first *n of a list and adds a new word; ROWS_SHOWN where there is no room. */
static size_t place_of(const char *word, const char **list, size_t *n, size_t most)
{
    size_t i = 0;
    while (i < *n && strcmp(list[i], word) != 0) i++;
    if (i == most) return ROWS_SHOWN;
    if (i == *n) list[(*n)++] = word;
    return i;
}

/* Draws the second table, which has a value per row, as bars of parts. */
static void add_stack(struct orr_page_parts *page, const struct orr_study *study)
{
    const struct orr_study_item *item = study->item;
    const struct orr_sheet *sheet = &study->sheets[1];
    const char *parts[ORR_PAGE_PARTS], *names[ROWS_SHOWN];
    struct orr_page_lane lanes[ROWS_SHOWN] = {{0}};
    size_t n_parts = 0, n_lanes = 0;
    for (size_t r = 0; r < orr_sheet_rows(sheet); r++) {
        const size_t p = place_of(cell_of(sheet, r, item->stack.part)->word, parts, &n_parts, ORR_PAGE_PARTS);
        const size_t l = place_of(cell_of(sheet, r, item->stack.lane)->word, names, &n_lanes, ROWS_SHOWN);
        if (p == ROWS_SHOWN || l == ROWS_SHOWN) continue;
        lanes[l].name = names[l];
        lanes[l].values[p] = cell_of(sheet, r, item->stack.value)->number;
    }
    orr_page_lanes(page, item->stack.title, item->stack.unit, parts, n_parts, lanes, n_lanes);
}

void orr_study_page(const struct orr_study *study, struct orr_text *terminal, struct orr_text *json,
                    struct orr_text *text)
{
    struct orr_page_parts page = {*terminal, {0}, {0}};
    if (study->item->chart && study->n_sheets > 0) add_chart(&page, study);
    if (study->item->stack.title && study->n_sheets > 1) add_stack(&page, study);
    orr_page_reply(&page, "result", json);
    orr_page_finish(&page, study->item->title, text);
}
