/* This file shows a sweep on the terminal: the fields that vary, the main numbers of every point, and a bar of the
 * time, which makes the table a small plot. */
#include "report/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metric/metric.h"
#include "report/table.h"

enum { MAX_FIELDS = 6, N_SHOWN = 6, SHOWN_ROWS = 100 };

/* The numbers of a row, the first of which is drawn as a bar; where the line is too long, the last go first. */
static const struct {
    const char *key, *title;
} SHOWN[2][N_SHOWN] = {
    {{"step_time_s", "step"},
     {"tokens_per_s_per_gpu", "tok/s/GPU"},
     {"mfu_frac", "MFU"},
     {"memory_bytes.total", "memory"},
     {"cost_usd_per_billion_tokens", "$/Btok"},
     {"bottleneck", "bound"}},
    {{"latency_s", "latency"},
     {"ttft_s", "first token"},
     {"tpot_s", "next token"},
     {"output_tokens_per_s_per_gpu", "tok/s/GPU"},
     {"memory_bytes.total", "memory"},
     {"cost_usd_per_million_tokens", "$/Mtok"}},
};

struct columns {
    size_t n_fields, index[N_SHOWN];
    enum orr_metric_unit unit[N_SHOWN];
};

static struct columns find_columns(const struct orr_sweep *sweep)
{
    struct columns found = {.n_fields = sweep->n_axes < MAX_FIELDS ? sweep->n_axes : MAX_FIELDS};
    struct orr_column columns[ORR_MAX_COLUMNS];
    const size_t n = orr_sweep_columns(sweep, columns);
    for (size_t i = 0; i < N_SHOWN; i++) {
        for (size_t c = 0; c < n; c++)
            if (strcmp(columns[c].name, SHOWN[sweep->kind][i].key) == 0) found.index[i] = c;
        for (int m = 0; m < orr_n_metrics(sweep->kind); m++)
            if (strcmp(orr_metric_info(sweep->kind, m)->key, SHOWN[sweep->kind][i].key) == 0)
                found.unit[i] = orr_metric_info(sweep->kind, m)->unit;
    }
    return found;
}

/* The longest time that is drawn. */
static double longest(const struct columns *columns, size_t n, const struct orr_sweep_row *rows)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        if (!rows[i].blank) most = fmax(most, rows[i].numbers[columns->index[0]]);
    return most;
}

static void add_header(struct orr_table *table, const struct orr_sweep *sweep, const struct columns *columns)
{
    const char *cells[ORR_TABLE_COLUMNS] = {NULL};
    size_t n = 0;
    for (size_t a = 0; a < columns->n_fields; a++) cells[n++] = sweep->axes[a].name;
    for (size_t i = 0; i < N_SHOWN; i++) cells[n++] = SHOWN[sweep->kind][i].title;
    cells[n++] = "";
    cells[n++] = "";
    orr_table_row(table, ORR_PAINT_BOLD, cells);
}

/* Prints a value without " tokens/s", which the title says. */
static const char *print_bare(char buffer[ORR_VALUE_TEXT], struct orr_value value)
{
    orr_value_tell(buffer, value);
    if (value.unit == ORR_METRIC_UNIT_TOKENS_PER_S) buffer[strcspn(buffer, " ")] = '\0';
    return buffer;
}

/* A row without an answer has no numbers, and its last cell says what it is. */
static void add_row(struct orr_table *table, const struct orr_sweep *sweep, const struct columns *columns,
                    int64_t point, const struct orr_sweep_row *row, double most)
{
    char values[MAX_FIELDS][ORR_SWEEP_VALUE], numbers[N_SHOWN][ORR_VALUE_TEXT], bar[32] = "";
    const char *cells[ORR_TABLE_COLUMNS] = {NULL};
    size_t n = 0;
    for (size_t a = 0; a < columns->n_fields; a++) {
        orr_sweep_value(sweep, point, a, values[a]);
        cells[n++] = values[a];
    }
    for (size_t i = 0; i < N_SHOWN; i++) {
        const size_t c = columns->index[i];
        const struct orr_value value = {.unit = columns->unit[i],
                                        .number = row->numbers[c],
                                        .word = columns->unit[i] == ORR_METRIC_UNIT_WORD ? row->words[c] : NULL};
        cells[n++] = row->blank ? "" : print_bare(numbers[i], value);
    }
    if (!row->blank && most > 0) (void)snprintf(bar, sizeof bar, "%.6f", row->numbers[columns->index[0]] / most);
    cells[n++] = bar;
    cells[n++] = row->status == ORR_POINT_OK ? "" : orr_point_status_name(row->status);
    orr_table_row(table, row->status == ORR_POINT_OK ? ORR_PAINT_NONE : ORR_PAINT_BAD, cells);
}

/* Adds why points have no answer, each reason once, at most three of them. */
static void add_reasons(size_t n, const struct orr_sweep_row *rows, const struct orr_style *style,
                        struct orr_text *text)
{
    const char *told[3] = {NULL};
    size_t n_told = 0;
    for (size_t i = 0; i < n && n_told < 3; i++) {
        bool known = !rows[i].blank || !rows[i].reason[0];
        for (size_t k = 0; k < n_told; k++) known |= strcmp(told[k], rows[i].reason) == 0;
        if (known) continue;
        told[n_told++] = rows[i].reason;
        orr_text_wrap(text, style, "  no answer", 13, rows[i].reason, " ");
    }
}

void orr_sweep_terminal(const struct orr_sweep *sweep, size_t n, const struct orr_sweep_row *rows,
                        const struct orr_style *style, struct orr_text *text)
{
    const struct columns columns = find_columns(sweep);
    const double most = longest(&columns, n, rows);
    const size_t n_shown = n < SHOWN_ROWS ? n : SHOWN_ROWS;
    char align[ORR_TABLE_COLUMNS + 1] = "", drop[ORR_TABLE_COLUMNS + 1] = "";
    struct orr_table table;
    for (size_t i = 0; i < columns.n_fields + N_SHOWN; i++) {
        align[i] = 'r';
        drop[i] = (char)(i < columns.n_fields + 1 ? '0' : '1' + (int)(i - columns.n_fields));
    }
    memcpy(align + columns.n_fields + N_SHOWN, "bf", 3);
    memcpy(drop + columns.n_fields + N_SHOWN, "00", 3);
    orr_table_start(&table, align);
    table.drop = drop;
    add_header(&table, sweep, &columns);
    for (size_t i = 0; i < n_shown; i++) {
        const size_t shown = n_shown > 1 ? i * (n - 1) / (n_shown - 1) : i;
        add_row(&table, sweep, &columns, (int64_t)shown, &rows[shown], most);
    }
    orr_table_print(&table, text, style);
    add_reasons(n, rows, style, text);
    if (n_shown < n) orr_text_add(text, "  %zu of %zu points; --out FILE keeps all of them\n", n_shown, n);
    if (columns.n_fields < sweep->n_axes) orr_text_add(text, "  --out FILE keeps all %zu fields\n", sweep->n_axes);
}
