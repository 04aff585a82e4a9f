/* Named cells -> a table of one row. */
#include "spec/cells.h"

#include <stdio.h>
#include <string.h>

static size_t find(const struct orr_cells *cells, const char *name)
{
    size_t i = 0;
    while (i < cells->n && strcmp(cells->names[i], name) != 0) i++;
    return i;
}

const char *orr_cells_get(const struct orr_cells *cells, const char *name)
{
    const size_t i = find(cells, name);
    return i < cells->n ? cells->values[i] : "";
}

bool orr_cells_put(struct orr_cells *cells, const char *name, const char *value, bool over)
{
    const size_t i = find(cells, name);
    if (i == ORR_MAX_CELLS) return false;
    if (i < cells->n && cells->values[i][0] && !over) return true;
    (void)snprintf(cells->names[i], sizeof cells->names[i], "%s", name);
    orr_copy_line(cells->values[i], sizeof cells->values[i], value);
    if (i == cells->n) cells->n++;
    return true;
}

bool orr_cells_put_number(struct orr_cells *cells, const char *name, double value)
{
    char digits[40];
    (void)snprintf(digits, sizeof digits, "%.10g", value);
    return orr_cells_put(cells, name, digits, true);
}

enum orr_err orr_cells_parse(const char *text, const char *what, struct orr_cells *cells, struct orr_error *error)
{
    char pair[24 + ORR_CELL], name[24];
    bool given[ORR_MAX_CELLS + 1] = {false};
    for (const char *at = text; orr_next_word(&at, ',', pair, sizeof pair);) {
        char *equals = strchr(pair, '=');
        const size_t length = equals ? (size_t)(equals - pair) : 0;
        if (length == 0 || length >= sizeof name)
            return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.file = what},
                            "\"%.60s\" is not COLUMN=VALUE, as in tp=8,pp=4", pair);
        memcpy(name, pair, length);
        name[length] = '\0';
        const size_t place = find(cells, name);
        if (given[place])
            return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.file = what}, "%s is given twice", name);
        given[place] = true;
        if (!orr_cells_put(cells, name, equals + 1, true))
            return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.file = what}, "more than %d columns",
                            (int)ORR_MAX_CELLS);
    }
    return ORR_OK;
}

void orr_csv_add(struct orr_text *text, const char *cell, bool last)
{
    if (strpbrk(cell, ",\"\n")) {
        orr_text_add(text, "\"");
        for (const char *at = cell; *at; at++) orr_text_append(text, *at == '"' ? "\"\"" : at, *at == '"' ? 2 : 1);
        orr_text_add(text, "\"");
    } else orr_text_add(text, "%s", cell);
    orr_text_add(text, last ? "\n" : ",");
}

char *orr_cells_table(const struct orr_cells *cells)
{
    struct orr_text text = {0};
    for (size_t i = 0; i < cells->n; i++) orr_csv_add(&text, cells->names[i], i + 1 == cells->n);
    for (size_t i = 0; i < cells->n; i++) orr_csv_add(&text, cells->values[i], i + 1 == cells->n);
    return orr_text_take(&text);
}
