/* A small plot of points for terminals: one character per cell, the ends of both axes in words. */
#include "report/text_plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/table.h"

enum { PLOT_ROWS = 9, LABEL = 12, COLUMNS_MAX = 72 };

struct range {
    double low, high;
};

static struct range range_of(const double *values, size_t n)
{
    struct range range = {HUGE_VAL, -HUGE_VAL};
    for (size_t i = 0; i < n; i++) {
        range.low = fmin(range.low, values[i]);
        range.high = fmax(range.high, values[i]);
    }
    return range;
}

/* The cell of a value, of `n` cells. */
static int cell_of(struct range range, double value, int n)
{
    if (!(range.high > range.low)) return 0;
    return (int)((value - range.low) / (range.high - range.low) * (n - 1) + 0.5);
}

static void add_line(struct orr_text *text, const char *label, const char cells[COLUMNS_MAX], int columns)
{
    orr_text_add(text, "  %*s │", LABEL, label);
    int end = columns;
    while (end > 0 && cells[end - 1] == ' ') end--;
    for (int c = 0; c < end; c++) orr_text_add(text, "%s", cells[c] == ' ' ? " " : cells[c] == '*' ? "●" : "○");
    orr_text_add(text, "\n");
}

void orr_text_plot(struct orr_text *text, const struct orr_style *style, const struct orr_plot *plot)
{
    char cells[PLOT_ROWS][COLUMNS_MAX];
    const struct range x = range_of(plot->x, plot->n), y = range_of(plot->y, plot->n);
    int columns = orr_style_width(style) - LABEL - 6;
    if (columns > COLUMNS_MAX) columns = COLUMNS_MAX;
    if (plot->n < 2 || columns < 20) return;
    memset(cells, ' ', sizeof cells);
    for (size_t i = plot->n; i-- > 0;) /* The first point is drawn last, on top of the others. */
        cells[PLOT_ROWS - 1 - cell_of(y, plot->y[i], PLOT_ROWS)][cell_of(x, plot->x[i], columns)] = i == 0 ? '*' : 'o';
    for (int r = 0; r < PLOT_ROWS; r++)
        add_line(text,
                 r == 0               ? plot->y_high
                 : r == PLOT_ROWS - 1 ? plot->y_low
                 : r == PLOT_ROWS / 2 ? plot->y_name
                                      : "",
                 cells[r], columns);
    orr_text_add(text, "  %*s └", LABEL, "");
    for (int c = 0; c < columns; c++) orr_text_add(text, "─");
    const int middle = orr_columns(plot->x_name), left = orr_columns(plot->x_low), right = orr_columns(plot->x_high);
    const int before = (columns - middle) / 2 - left, after = columns - middle - left - before - right;
    orr_text_add(text, "\n  %*s  %s%*s%s%*s%s\n", LABEL, "", plot->x_low, before > 1 ? before : 1, "", plot->x_name,
                 after > 1 ? after : 1, "", plot->x_high);
}
