/* CSV text -> table of strings. One pass cuts a copy of the text into cells, which point into the copy. */
#include "spec/csv.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 1000 };

struct reader {
    char *read, *write; /* the copy is compacted in place: quotes are dropped */
    int line;
};

/* Escape codes in a cell would reach the terminal of whoever prints the table. */
static bool is_control(char c)
{
    return ((unsigned char)c < 0x20 && !strchr("\t\n\r", c)) || c == 0x7f;
}

/* Cuts one cell; *end becomes the character that ended it: ',', '\n' or '\0'. The result is NULL for an open quote. */
static char *next_cell(struct reader *r, char *end)
{
    char *start = r->write;
    bool quoted = false;
    if (*r->read == '"') {
        quoted = true;
        r->read++;
    }
    for (;;) {
        const char c = *r->read;
        if (quoted && c == '\0') return NULL;
        if (quoted && c == '"' && r->read[1] != '"') {
            quoted = false;
            r->read++;
            continue;
        }
        if (!quoted && (c == ',' || c == '\n' || c == '\0')) break;
        if (quoted && c == '"') r->read++; /* a doubled quote stands for one */
        if (*r->read == '\n') r->line++;
        if (*r->read != '\r' || quoted) *r->write++ = *r->read;
        r->read++;
    }
    *end = *r->read;
    if (*r->read) r->read++;
    *r->write++ = '\0';
    return start;
}

static size_t count_char(const char *text, char c)
{
    size_t n = 0;
    for (; *text; text++) n += *text == c;
    return n;
}

/* Two columns of one name would be two values of one thing. Columns without a name cannot be asked for. */
static enum orr_err check_names(const char *file, const struct orr_csv *csv, struct orr_error *error)
{
    const struct orr_place place = {.file = file, .line = 1};
    if (csv->n_columns > COLUMNS_MAX)
        return orr_fail(error, ORR_ERR_SYNTAX, place, "%zu columns; at most %d", csv->n_columns, COLUMNS_MAX);
    for (size_t i = 0; i < csv->n_columns; i++)
        for (size_t j = 0; j < i && csv->names[i][0]; j++)
            if (strcmp(csv->names[i], csv->names[j]) == 0)
                return orr_fail(error, ORR_ERR_SYNTAX, place, "two columns are named \"%.60s\"", csv->names[i]);
    return ORR_OK;
}

static enum orr_err read_header(struct reader *r, const char *file, struct orr_csv *csv, struct orr_error *error)
{
    char end = ',';
    while (end == ',') {
        char *name = next_cell(r, &end);
        if (!name)
            return orr_fail(error, ORR_ERR_SYNTAX, (struct orr_place){.file = file, .line = 1},
                            "a quote is never closed");
        csv->names[csv->n_columns++] = name;
    }
    r->line++;
    return check_names(file, csv, error);
}

static enum orr_err read_row(struct reader *r, const char *file, struct orr_csv *csv, struct orr_error *error)
{
    const int line = r->line;
    char end = ',', **row = csv->cells + csv->n_rows * csv->n_columns;
    size_t n = 0;
    while (end == ',') {
        char *cell = next_cell(r, &end);
        if (!cell)
            return orr_fail(error, ORR_ERR_SYNTAX, (struct orr_place){.file = file, .line = line},
                            "a quote is never closed");
        if (n < csv->n_columns) row[n] = cell;
        n++;
    }
    r->line++;
    if (n == 1 && row[0][0] == '\0') /* a blank line */
        return ORR_OK;
    if (n != csv->n_columns)
        return orr_fail(error, ORR_ERR_SYNTAX, (struct orr_place){.file = file, .line = line},
                        "%zu cells where the header has %zu columns", n, csv->n_columns);
    csv->lines[csv->n_rows++] = line;
    return ORR_OK;
}

static bool allocate(const char *text, struct orr_csv *csv)
{
    const size_t lines = count_char(text, '\n') + 2, columns = count_char(text, ',') + 2;
    csv->storage = malloc(2 * strlen(text) + 2);
    csv->names = calloc(columns, sizeof *csv->names);
    csv->lines = calloc(lines, sizeof *csv->lines);
    return csv->storage && csv->names && csv->lines;
}

/* The line of the first control character; 0: none. */
static int control_line(const char *text)
{
    int line = 1;
    for (; *text; text++) {
        if (is_control(*text)) return line;
        line += *text == '\n';
    }
    return 0;
}

enum orr_err orr_csv_parse(const char *text, const char *file, struct orr_csv *csv, struct orr_error *error)
{
    *csv = (struct orr_csv){0};
    const int control = control_line(text);
    if (control)
        return orr_fail(error, ORR_ERR_SYNTAX, (struct orr_place){.file = file, .line = control},
                        "a control character, such as of an escape code; a table has text only");
    if (!allocate(text, csv)) {
        orr_csv_free(csv);
        return orr_fail(error, ORR_ERR_MEMORY, (struct orr_place){.file = file}, "out of memory");
    }
    if (strncmp(text, "\xef\xbb\xbf", 3) == 0) text += 3; /* the byte order mark spreadsheets write */
    const size_t length = strlen(text);
    char *copy = csv->storage + length + 1; /* read from the upper half, write cells into the lower */
    memcpy(copy, text, length + 1);
    struct reader r = {.read = copy, .write = csv->storage, .line = 1};
    enum orr_err err = read_header(&r, file, csv, error);
    if (!err) {
        /* Every cell ends in a comma, a line or the text; blank lines take no row. */
        const size_t n_cells = count_char(text, '\n') + count_char(text, ',') + 2 + csv->n_columns;
        csv->cells = calloc(n_cells, sizeof *csv->cells);
        if (!csv->cells) err = orr_fail(error, ORR_ERR_MEMORY, (struct orr_place){.file = file}, "out of memory");
    }
    while (!err && *r.read) err = read_row(&r, file, csv, error);
    if (err) orr_csv_free(csv);
    return err;
}

void orr_csv_free(struct orr_csv *csv)
{
    free(csv->storage);
    free(csv->names);
    free(csv->cells);
    free(csv->lines);
    *csv = (struct orr_csv){0};
}

bool orr_csv_has(const struct orr_csv *csv, const char *name)
{
    for (size_t i = 0; i < csv->n_columns; i++)
        if (strcmp(csv->names[i], name) == 0) return true;
    return false;
}

const char *orr_csv_cell(const struct orr_csv *csv, size_t row, const char *name)
{
    for (size_t i = 0; i < csv->n_columns; i++)
        if (strcmp(csv->names[i], name) == 0) return csv->cells[row * csv->n_columns + i];
    return "";
}
