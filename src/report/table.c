/* Rows of cells become aligned lines. Every report that people read uses these tables. */
#define _POSIX_C_SOURCE 200809L
#include "report/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INDENT   2
#define GAP      2
#define MIN_FLEX 8
#define MAX_BAR  40

struct orr_row {
    enum orr_paint paint;
    char *cells[ORR_TABLE_COLUMNS];
};

/* ---------------------------------------------------------------- characters and colours */

static bool starts_character(char byte)
{
    return ((unsigned char)byte & 0xC0) != 0x80; /* UTF-8 continuation bytes are 10xxxxxx */
}

int orr_columns(const char *text)
{
    int columns = 0;
    while (*text) {
        if (*text == '\033') {
            text += strcspn(text, "m");
            if (*text) text++;
            continue;
        }
        columns += starts_character(*text++);
    }
    return columns;
}

/* Returns the bytes of the first `columns` characters of plain text. */
static size_t prefix_bytes(const char *text, int columns)
{
    size_t i = 0;
    for (; text[i]; i++)
        if (starts_character(text[i]) && columns-- == 0) break;
    return i;
}

int orr_style_width(const struct orr_style *style)
{
    if (!style || style->width <= 0) return ORR_DEFAULT_WIDTH;
    return style->width < ORR_MIN_WIDTH ? ORR_MIN_WIDTH : style->width;
}

char *orr_percent(char buffer[ORR_PERCENT_TEXT], double frac)
{
    if (isnan(frac)) buffer[0] = '\0';
    else (void)snprintf(buffer, ORR_PERCENT_TEXT, "%.1f", 100 * frac);
    return buffer;
}

static const char *paint_code(enum orr_paint paint)
{
    switch (paint) {
    case ORR_PAINT_NONE: return "";
    case ORR_PAINT_BOLD: return "\033[1m";
    case ORR_PAINT_DIM: return "\033[2m";
    case ORR_PAINT_GOOD: return "\033[32m";
    case ORR_PAINT_BAD: return "\033[1;31m";
    case ORR_PAINT_BAR: return "\033[36m";
    }
    return "";
}

void orr_paint(struct orr_text *text, const struct orr_style *style, enum orr_paint paint, const char *body)
{
    const bool painted = style && style->colour && paint != ORR_PAINT_NONE && *body;
    orr_text_add(text, "%s%s%s", painted ? paint_code(paint) : "", body, painted ? "\033[0m" : "");
}

void orr_text_title(struct orr_text *text, const struct orr_style *style, const char *title)
{
    orr_paint(text, style, ORR_PAINT_BOLD, title);
    orr_text_add(text, "\n");
}

void orr_text_section(struct orr_text *text, const struct orr_style *style, const char *title)
{
    orr_text_add(text, "\n");
    orr_text_title(text, style, title);
}

/* ---------------------------------------------------------------- wrapped text */

/* Returns how much of the first `n_bytes` are whole words, or all where they are one. */
static size_t whole_words(const char *piece, size_t n_bytes)
{
    for (size_t i = n_bytes; i > 0; i--)
        if (piece[i] == ' ') return i;
    return n_bytes;
}

/* Adds one piece on the line that has `*column` columns, and cuts it between words where it is longer than a line. */
static void add_piece(struct orr_text *text, const char *piece, size_t n_bytes, int indent, int width, int *column)
{
    while (n_bytes > 0) {
        size_t part = prefix_bytes(piece, width - *column);
        part = part < n_bytes ? whole_words(piece, part) : n_bytes;
        orr_text_add(text, "%.*s", (int)part, piece);
        for (size_t i = 0; i < part; i++) *column += starts_character(piece[i]);
        for (; part < n_bytes && piece[part] == ' ';) part++;
        piece += part;
        n_bytes -= part;
        if (n_bytes == 0) return;
        orr_text_add(text, "\n");
        orr_text_repeat(text, " ", indent);
        *column = indent;
    }
}

static int piece_columns(const char *piece, size_t n_bytes)
{
    int columns = 0;
    for (size_t i = 0; i < n_bytes; i++) columns += starts_character(piece[i]);
    return columns;
}

void orr_text_wrap(struct orr_text *text, const struct orr_style *style, const char *label, int indent,
                   const char *body, const char *separator)
{
    const int width = orr_style_width(style), gap = orr_columns(separator), kept = (int)strcspn(separator, " ");
    const int label_columns = orr_columns(label);
    int column = label_columns > indent ? label_columns : indent;
    orr_paint(text, style, ORR_PAINT_BOLD, label);
    if (*body) orr_text_repeat(text, " ", column - label_columns);
    for (int separators = 0; *body; separators++) { /* separators wait until a piece follows on the same line */
        const char *end = strstr(body, separator);
        const size_t n_bytes = end ? (size_t)(end - body) : strlen(body);
        const int columns = column + separators * gap + piece_columns(body, n_bytes) + (end ? kept : 0);
        if (n_bytes > 0 && separators > 0 && columns > width) {
            orr_text_add(text, "%.*s\n", kept, separator);
            orr_text_repeat(text, " ", indent);
            column = indent;
        } else if (n_bytes > 0) {
            orr_text_repeat(text, separator, separators);
            column += separators * gap;
        }
        if (n_bytes > 0) separators = 0;
        add_piece(text, body, n_bytes, indent, width, &column);
        body += n_bytes + (end ? strlen(separator) : 0);
    }
    orr_text_add(text, "\n");
}

void orr_text_wrap_line(struct orr_text *text, const struct orr_style *style, const char *label, int indent,
                        struct orr_text *line, const char *separator)
{
    orr_text_wrap(text, style, label, indent, line->data ? line->data : "", separator);
    orr_text_drop(text, line);
}

#define LABEL 40 /* bytes of the longest label */

/* Returns where the text of a line begins: after its indent, or after a label that two spaces end. */
static size_t text_start(const char *line)
{
    const size_t indent = strspn(line, " ");
    const char *end = indent > 0 ? strstr(line + indent, "  ") : NULL;
    const size_t start = end ? (size_t)(end - line) + strspn(end, " ") : indent;
    return start < LABEL ? start : 0;
}

static void fit_line(struct orr_text *text, const struct orr_style *style, const char *line)
{
    const struct orr_style plain = {.width = orr_style_width(style)}; /* the line already has its colours */
    char label[LABEL];
    if (orr_columns(line) <= plain.width) {
        orr_text_add(text, "%s\n", line);
        return;
    }
    const size_t start = text_start(line);
    (void)snprintf(label, sizeof label, "%.*s", (int)start, line);
    orr_text_wrap(text, &plain, label, orr_columns(label), line + start, " ");
}

void orr_text_fit(struct orr_text *text, const struct orr_style *style, const char *lines)
{
    char *copy = strdup(lines);
    if (!copy) text->failed = true;
    for (char *line = copy; line && *line;) {
        char *end = strchr(line, '\n');
        if (end) *end = '\0';
        fit_line(text, style, line);
        line = end ? end + 1 : NULL;
    }
    free(copy);
}

/* ---------------------------------------------------------------- tables */

void orr_table_start(struct orr_table *table, const char *align)
{
    *table = (struct orr_table){.align = align};
}

static bool reserve_row(struct orr_table *table)
{
    if (table->n_rows < table->capacity) return true;
    const size_t capacity = table->capacity ? 2 * table->capacity : 16;
    struct orr_row *rows = realloc(table->rows, capacity * sizeof *rows);
    if (!rows) return false;
    table->rows = rows;
    table->capacity = capacity;
    return true;
}

void orr_table_row(struct orr_table *table, enum orr_paint paint, const char *const *cells)
{
    if (table->failed || !reserve_row(table)) {
        table->failed = true;
        return;
    }
    struct orr_row *row = &table->rows[table->n_rows++];
    *row = (struct orr_row){.paint = paint};
    for (size_t i = 0; i < ORR_TABLE_COLUMNS && table->align[i]; i++) {
        row->cells[i] = strdup(cells[i]);
        table->failed |= !row->cells[i];
    }
}

/* Takes columns from the widest 'f' column until the line fits or none can give more. */
static void shrink(const struct orr_table *table, int excess, int *widths)
{
    for (; excess > 0; excess--) {
        int *widest = NULL;
        for (size_t i = 0; table->align[i]; i++)
            if (table->align[i] == 'f' && widths[i] > MIN_FLEX && (!widest || widths[i] > *widest)) widest = &widths[i];
        if (!widest) return;
        --*widest;
    }
}

/* Returns the columns a line takes as measured; hidden columns (width below 0) take none. */
static int line_columns(const struct orr_table *table, const int *widths)
{
    int total = INDENT - GAP;
    for (size_t i = 0; table->align[i]; i++)
        if (widths[i] >= 0) total += widths[i] + GAP;
    return total;
}

/* Hides the columns that may go, one after the other, until the line fits. */
static void drop_columns(const struct orr_table *table, int width, int *widths)
{
    while (table->drop && line_columns(table, widths) > width) {
        size_t first = 0;
        for (size_t i = 1; table->align[i]; i++)
            if (widths[i] >= 0 && (widths[first] < 0 || table->drop[i] > table->drop[first])) first = i;
        if (widths[first] < 0 || table->drop[first] == '0') return;
        widths[first] = -1;
    }
}

/* Measures the column widths; a bar column takes what the line leaves. */
static void measure(const struct orr_table *table, int width, int *widths)
{
    int *bar = NULL;
    for (size_t i = 0; table->align[i]; i++) {
        widths[i] = 0;
        if (table->align[i] == 'b') bar = &widths[i];
        for (size_t r = 0; r < table->n_rows && table->align[i] != 'b'; r++) {
            const int columns = orr_columns(table->rows[r].cells[i]);
            if (columns > widths[i]) widths[i] = columns;
        }
    }
    drop_columns(table, width, widths);
    const int room = width - line_columns(table, widths);
    if (bar) *bar = room > MAX_BAR ? MAX_BAR : room > 0 ? room : 0;
    shrink(table, -room, widths);
}

/* Draws a bar in eighths of a character. */
static void add_bar(struct orr_text *text, double fraction, int columns)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    if (!(fraction > 0)) return;
    int n = (int)lround((fraction < 1 ? fraction : 1) * columns * 8);
    if (n < 1) n = columns > 0;
    orr_text_repeat(text, "█", n / 8);
    orr_text_add(text, "%s", eighths[n % 8]);
}

/* Renders the text of a cell, with bars drawn and long cells cut. */
static void render_cell(struct orr_text *cell, const char *body, char align, int width)
{
    if (align == 'b') {
        add_bar(cell, strtod(body, NULL), width);
        return;
    }
    if (orr_columns(body) <= width) orr_text_add(cell, "%s", body);
    else orr_text_add(cell, "%.*s…", (int)prefix_bytes(body, width - 1), body);
}

static void print_row(const struct orr_table *table, const struct orr_row *row, const int *widths,
                      struct orr_text *text, const struct orr_style *style)
{
    int spaces = INDENT; /* spaces wait until something follows */
    for (size_t i = 0; table->align[i]; i++) {
        if (widths[i] < 0) continue;
        struct orr_text cell = {0};
        render_cell(&cell, row->cells[i], table->align[i], widths[i]);
        const int columns = cell.data ? orr_columns(cell.data) : 0;
        if (table->align[i] == 'r') spaces += widths[i] - columns;
        if (columns > 0) {
            orr_text_repeat(text, " ", spaces);
            orr_paint(text, style, row->paint != ORR_PAINT_NONE ? row->paint : table->column_paint[i], cell.data);
            spaces = 0;
        }
        if (table->align[i] != 'r') spaces += widths[i] - columns;
        spaces += GAP;
        orr_text_drop(text, &cell);
    }
    orr_text_add(text, "\n");
}

void orr_table_print(struct orr_table *table, struct orr_text *text, const struct orr_style *style)
{
    int widths[ORR_TABLE_COLUMNS] = {0};
    if (!table->failed) {
        measure(table, orr_style_width(style), widths);
        for (size_t r = 0; r < table->n_rows; r++) print_row(table, &table->rows[r], widths, text, style);
    }
    text->failed |= table->failed;
    for (size_t r = 0; r < table->n_rows; r++)
        for (size_t i = 0; i < ORR_TABLE_COLUMNS; i++) free(table->rows[r].cells[i]);
    free(table->rows);
    *table = (struct orr_table){.align = table->align};
}

/* ---------------------------------------------------------------- rounding that keeps sums */

void orr_apportion(const double *values, size_t n_values, double unit, double *rounded)
{
    double sum = 0, floors = 0;
    for (size_t i = 0; i < n_values; i++) {
        sum += values[i];
        rounded[i] = floor(values[i] / unit);
        floors += rounded[i];
    }
    for (double left = round(sum / unit) - floors; left >= 1; left--) {
        size_t best = 0;
        for (size_t i = 1; i < n_values; i++)
            if (values[i] / unit - rounded[i] > values[best] / unit - rounded[best]) best = i;
        rounded[best]++;
    }
    for (size_t i = 0; i < n_values; i++) rounded[i] *= unit;
}
