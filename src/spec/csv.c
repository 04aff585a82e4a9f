/* CSV text -> table of strings. One pass cuts a copy of the text into cells, which point into the copy. */
#include "spec/csv.h"

#include <stdlib.h>
#include <string.h>

struct reader {
    char *read, *write; /* the copy is compacted in place: quotes are dropped */
    int line;
};

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
    return ORR_OK;
}

static enum orr_err read_row(struct reader *r, const char *file, struct orr_csv *csv, struct orr_error *error)
{
    const int line = r->line;
    char end = ',';
    size_t n = 0;
    char **row = csv->cells + csv->n_rows * csv->n_columns;
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

enum orr_err orr_csv_parse(const char *text, const char *file, struct orr_csv *csv, struct orr_error *error)
{
    *csv = (struct orr_csv){0};
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
        csv->cells = calloc((count_char(text, '\n') + 2) * csv->n_columns, sizeof *csv->cells);
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
