/* This file writes a study as text: tables for terminal and CSV, everything as JSON, and its gnuplot script. */
#include "report/study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/plain.h"
#include "report/page.h"
#include "report/json_text.h"
#include "report/record.h"
#include "report/table.h"

/* A longer table is shown as its first rows. */
enum { ROWS_SHOWN = 100, DIGITS_SHOWN = 4, DIGITS_KEPT = 9 };

char *orr_cell_text(const struct orr_cell *cell, int digits, char text[ORR_CELL_TEXT])
{
    if (cell->word[0]) (void)snprintf(text, ORR_CELL_TEXT, "%s", cell->word);
    else if (isnan(cell->number)) text[0] = '\0';
    else if (fabs(cell->number) >= 1e3 && fabs(cell->number) < 1e9 && digits < DIGITS_KEPT)
        (void)snprintf(text, ORR_CELL_TEXT, "%.0f", cell->number);
    else (void)snprintf(text, ORR_CELL_TEXT, "%.*g", digits, cell->number);
    return text;
}

bool orr_column_is_text(const struct orr_sheet *sheet, size_t column)
{
    for (size_t i = column; i < sheet->n_cells; i += sheet->n_columns)
        if (sheet->cells[i].word[0]) return true;
    return false;
}

/* ---------------------------------------------------------------- CSV */

static char *sheet_csv(const struct orr_sheet *sheet)
{
    struct orr_text text = {0};
    char word[ORR_CELL_TEXT];
    for (const char *c = sheet->columns; *c; c++) orr_text_add(&text, "%c", *c == ' ' ? ',' : *c);
    for (size_t i = 0; i < sheet->n_cells; i++) {
        orr_text_add(&text, i % sheet->n_columns ? "," : "\n");
        orr_csv_word(&text, orr_cell_text(&sheet->cells[i], DIGITS_KEPT, word));
    }
    orr_text_add(&text, "\n");
    return orr_text_take(&text);
}

const char *orr_study_table(const struct orr_study *study, size_t i, char **csv)
{
    if (i >= study->n_sheets) return NULL;
    if (csv) *csv = sheet_csv(&study->sheets[i]);
    return study->sheets[i].name;
}

/* ---------------------------------------------------------------- JSON */

/* Returns the lines of a text as an array. */
static json_t *lines_json(const char *lines)
{
    json_t *array = json_array();
    for (const char *at = lines; *at;) {
        const size_t n = strcspn(at, "\n");
        json_array_append_new(array, json_stringn(at, n));
        at += n + (at[n] == '\n');
    }
    return array;
}

static json_t *sheet_json(const struct orr_sheet *sheet)
{
    char name[ORR_COLUMN_NAME];
    json_t *columns = json_array(), *rows = json_array(), *row = NULL;
    for (size_t i = 0; i < sheet->n_columns; i++)
        json_array_append_new(columns, json_string(orr_sheet_column_name(sheet, i, name)));
    for (size_t i = 0; i < sheet->n_cells; i++) {
        const struct orr_cell *cell = &sheet->cells[i];
        if (i % sheet->n_columns == 0) {
            row = json_array();
            json_array_append_new(rows, row);
        }
        json_array_append_new(row, cell->word[0] ? orr_json_word(cell->word) : orr_json_real(cell->number));
    }
    return json_pack("{s:s, s:s, s:o, s:o}", "name", sheet->name, "title", sheet->title, "columns", columns, "rows",
                     rows);
}

static void add_json(const struct orr_study *study, struct orr_text *text)
{
    json_t *tables = json_array(), *findings = json_array();
    for (size_t i = 0; i < study->n_findings; i++) json_array_append_new(findings, orr_json_word(study->findings[i]));
    for (size_t i = 0; i < study->n_sheets; i++) json_array_append_new(tables, sheet_json(&study->sheets[i]));
    orr_json_lines(text, json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "schema", ORR_SCHEMA, "kind", "study",
                                   "study", study->item->name, "title", study->item->title, "findings", findings,
                                   "assumptions", lines_json(study->item->assumptions), "compared",
                                   lines_json(study->item->compared), "tables", tables));
}

/* ---------------------------------------------------------------- terminal */

/* A table too wide for the terminal loses its last columns first. */
static void add_table(const struct orr_sheet *sheet, struct orr_text *text, const struct orr_style *style)
{
    char align[ORR_SHEET_COLUMNS + 1] = "", drop[ORR_SHEET_COLUMNS + 1] = "", names[ORR_SHEET_COLUMNS][ORR_COLUMN_NAME],
                                   words[ORR_SHEET_COLUMNS][ORR_CELL_TEXT];
    const char *cells[ORR_SHEET_COLUMNS];
    const size_t n = sheet->n_columns, rows = orr_sheet_rows(sheet);
    struct orr_table table;
    for (size_t c = 0; c < n; c++) {
        align[c] = orr_column_is_text(sheet, c) ? 'l' : 'r';
        drop[c] = (char)('0' + (c < 3 ? 0 : c < 11 ? c - 2 : 9));
        cells[c] = orr_sheet_column_name(sheet, c, names[c]);
    }
    orr_table_start(&table, align);
    table.drop = drop;
    orr_table_row(&table, ORR_PAINT_BOLD, cells);
    for (size_t r = 0; r < rows && r < ROWS_SHOWN; r++) {
        for (size_t c = 0; c < n; c++) cells[c] = orr_cell_text(&sheet->cells[r * n + c], DIGITS_SHOWN, words[c]);
        orr_table_row(&table, ORR_PAINT_NONE, cells);
    }
    orr_text_add(text, "\n");
    orr_text_wrap(text, style, "", 0, sheet->title, " ");
    orr_table_print(&table, text, style);
    if (rows > ROWS_SHOWN) orr_text_add(text, "  ... %zu rows in all\n", rows);
}

static void add_lines(struct orr_text *text, const struct orr_style *style, const char *label, const char *lines)
{
    for (const char *at = lines; *at;) {
        char line[1024];
        const size_t n = strcspn(at, "\n");
        (void)snprintf(line, sizeof line, "%.*s", (int)n, at);
        orr_text_wrap(text, style, at == lines ? label : "", 12, line, " ");
        at += n + (at[n] == '\n');
    }
}

static void add_terminal(const struct orr_study *study, struct orr_text *text, const struct orr_style *style)
{
    orr_text_wrap(text, style, "", 0, study->item->title, " ");
    for (size_t i = 0; i < study->n_sheets; i++) add_table(&study->sheets[i], text, style);
    orr_text_add(text, "\n");
    for (size_t i = 0; i < study->n_findings; i++)
        orr_text_wrap(text, style, i == 0 ? "found" : "", 12, study->findings[i], " ");
    add_lines(text, style, "assumed", study->item->assumptions);
    add_lines(text, style, "compared", study->item->compared);
}

/* ---------------------------------------------------------------- figure */

/* These colours of Okabe and Ito can be told apart by colour-blind readers and in grey; each has its own point type. */
static const char HEAD[] = "# gnuplot %s.gp writes %s.svg; gnuplot -e png=1 %s.gp writes %s.png, and -e pdf=1 a PDF\n"
                           "set terminal svg size 900,580 font 'sans,14' background 'white'\nending = '.svg'\n"
                           "if (exists('png')) {\n"
                           "    set terminal pngcairo size 1500,960 font 'sans,18'\n    ending = '.png'\n"
                           "}\n"
                           "if (exists('pdf')) {\n"
                           "    set terminal pdfcairo size 9,5.8 font 'sans,13'\n    ending = '.pdf'\n"
                           "}\n"
                           "set output '%s'.ending\n"
                           "set datafile separator ','\nset datafile columnheaders\n"
                           "set linetype 1 lc rgb '#0072B2' lw 2 pt 7\nset linetype 2 lc rgb '#E69F00' lw 2 pt 5\n"
                           "set linetype 3 lc rgb '#009E73' lw 2 pt 9\nset linetype 4 lc rgb '#CC79A7' lw 2 pt 11\n"
                           "set linetype 5 lc rgb '#56B4E9' lw 2 pt 13\nset linetype 6 lc rgb '#D55E00' lw 2 pt 3\n"
                           "set border 3\nset tics nomirror out\nset grid ytics lc rgb '#dddddd'\n"
                           "set format x '%%g'\n";

static void add_script(const struct orr_study *study, struct orr_text *text)
{
    const char *name = study->item->name;
    orr_text_add(text, HEAD, name, name, name, name, name);
    if (study->item->subject)
        orr_text_add(text, "set title \"%s\\n{/*0.85 %s}\"\n", study->item->title, study->item->subject);
    orr_text_add(text, "%s", study->item->gnuplot);
}

/* ---------------------------------------------------------------- any format */

char *orr_study_render(const struct orr_study *study, enum orr_format format, const struct orr_style *style)
{
    ORR_PLAIN_NUMBERS;
    struct orr_text text = {0};
    struct orr_text terminal = {0}, json = {0};
    if (format == ORR_FORMAT_HTML) {
        add_terminal(study, &terminal, &orr_page_style);
        add_json(study, &json);
        orr_study_page(study, &terminal, &json, &text);
    } else if (format == ORR_FORMAT_JSON) add_json(study, &text);
    else if (format == ORR_FORMAT_CSV) return sheet_csv(&study->sheets[0]);
    else if (format == ORR_FORMAT_GNUPLOT) add_script(study, &text);
    else add_terminal(study, &text, style);
    return orr_text_take(&text);
}

char *orr_studies_render(const struct orr_study *const *studies, size_t n, enum orr_format format,
                         const struct orr_style *style)
{
    ORR_PLAIN_NUMBERS;
    struct orr_text text = {0};
    if (format == ORR_FORMAT_HTML) {
        orr_studies_page(studies, n, style && style->figures, &text);
        return orr_text_take(&text);
    }
    for (size_t i = 0; i < n; i++) {
        orr_text_wrap(&text, style, studies[i]->item->name, 13, studies[i]->item->title, " ");
        for (size_t f = 0; f < studies[i]->n_findings; f++)
            orr_text_wrap(&text, style, "", 15, studies[i]->findings[f], " ");
    }
    return orr_text_take(&text);
}
