/* This file shows a sweep as an HTML page: what was asked, one plot, one table. */
#include "report/html_plot.h"
#include "base/units.h"
#include "report/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The table has these columns, by kind of job; the first is also drawn. */
#define N_SHOWN 7
static const char *const SHOWN[2][N_SHOWN] = {
    {"step_time_s", "tokens_per_s", "mfu_frac", "memory_bytes.total", "energy_j", "cost_usd", "bottleneck"},
    {"latency_s", "ttft_s", "tpot_s", "output_tokens_per_s_per_gpu", "memory_bytes.total",
     "cost_usd_per_million_tokens", "bottleneck"},
};

struct page {
    const struct orr_sweep *sweep;
    const struct orr_sweep_row *rows;
    int64_t first; /* number of the point in the first row */
    size_t n_rows, n_columns, shown[N_SHOWN];
    struct orr_column columns[ORR_MAX_COLUMNS];
};

static void find_columns(struct page *page)
{
    page->n_columns = orr_sweep_columns(page->sweep, page->columns);
    for (size_t i = 0; i < N_SHOWN; i++)
        for (size_t c = 0; c < page->n_columns; c++)
            if (strcmp(page->columns[c].name, SHOWN[page->sweep->kind][i]) == 0) page->shown[i] = c;
}

/* ---------------------------------------------------------------- plot */

/* Adds the values of a point: "tp=8, zero=1". */
static void add_values(const struct page *page, int64_t point, struct orr_text *text)
{
    char value[ORR_SWEEP_VALUE];
    for (size_t a = 0; a < page->sweep->n_axes; a++) {
        orr_sweep_value(page->sweep, point, a, value);
        orr_text_add(text, "%s%s=%s", a ? ", " : "", page->sweep->axes[a].name, value);
    }
}

/* Returns the first field that is a number at every point; n_axes where there is none. */
static size_t numeric_axis(const struct page *page)
{
    char value[ORR_SWEEP_VALUE];
    double number;
    for (size_t a = 0; a < page->sweep->n_axes; a++) {
        size_t i = 0;
        for (; i < page->n_rows; i++) {
            orr_sweep_value(page->sweep, page->first + (int64_t)i, a, value);
            if (!orr_number_parse(value, &number)) break;
        }
        if (i == page->n_rows) return a;
    }
    return page->sweep->n_axes;
}

static void add_plot(const struct page *page, struct orr_text *text)
{
    struct orr_html_point *points = calloc(page->n_rows, sizeof *points);
    struct orr_text *titles = calloc(page->n_rows, sizeof *titles);
    const size_t axis = numeric_axis(page), drawn = page->shown[0];
    size_t n = 0;
    text->failed |= !points || !titles;
    for (size_t i = 0; points && titles && i < page->n_rows; i++) {
        char value[ORR_SWEEP_VALUE] = "";
        if (page->rows[i].blank) continue;
        if (axis < page->sweep->n_axes) orr_sweep_value(page->sweep, page->first + (int64_t)i, axis, value);
        add_values(page, page->first + (int64_t)i, &titles[n]);
        text->failed |= titles[n].failed;
        points[n] = (struct orr_html_point){.x = value[0] ? strtod(value, NULL) : (double)page->first + (double)i,
                                            .y = page->rows[i].numbers[drawn],
                                            .good = page->rows[i].status == ORR_POINT_OK,
                                            .title = titles[n].data ? titles[n].data : ""};
        n++;
    }
    if (n > 0)
        orr_html_points(text, axis < page->sweep->n_axes ? page->sweep->axes[axis].name : "point",
                        page->columns[drawn].name, points, n);
    for (size_t i = 0; titles && i < n; i++) free(titles[i].data);
    free(titles);
    free(points);
}

/* ---------------------------------------------------------------- table */

static void add_cells(const struct page *page, const struct orr_sweep_row *row, struct orr_text *text)
{
    char number[32];
    for (size_t i = 0; i < N_SHOWN; i++) {
        const size_t c = page->shown[i];
        (void)snprintf(number, sizeof number, "%.5g", row->numbers[c]);
        orr_html_element(text, "td", "", page->columns[c].type == ORR_COLUMN_TEXT ? row->words[c] : number);
    }
}

static void add_table(const struct page *page, struct orr_text *text)
{
    char value[ORR_SWEEP_VALUE];
    orr_text_add(text, "<table>\n<tr class=\"head\">");
    for (size_t a = 0; a < page->sweep->n_axes; a++) orr_html_element(text, "td", "", page->sweep->axes[a].name);
    orr_text_add(text, "<th>status</th>");
    for (size_t i = 0; i < N_SHOWN; i++) orr_html_element(text, "td", "", page->columns[page->shown[i]].name);
    orr_text_add(text, "</tr>\n");
    for (size_t r = 0; r < page->n_rows; r++) {
        const struct orr_sweep_row *row = &page->rows[r];
        orr_text_add(text, "<tr>");
        for (size_t a = 0; a < page->sweep->n_axes; a++) {
            orr_sweep_value(page->sweep, page->first + (int64_t)r, a, value);
            orr_html_element(text, "td", "", value);
        }
        orr_html_element(text, "th", "", orr_point_status_name(row->status));
        if (row->blank) {
            orr_text_add(text, "<th colspan=\"%d\">", N_SHOWN);
            orr_html_text(text, row->reason);
            orr_text_add(text, "</th>");
        } else {
            add_cells(page, row, text);
        }
        orr_text_add(text, "</tr>\n");
    }
    orr_text_add(text, "</table>\n");
}

/* ---------------------------------------------------------------- page */

static void add_page(const struct page *page, struct orr_text *text)
{
    const int64_t n_points = orr_sweep_points(page->sweep);
    orr_html_head(text, "Orrery sweep");
    orr_text_add(text, "<h1>Sweep of %lld points</h1>\n<p>Orrery %s: <code>", (long long)n_points, orr_version());
    orr_html_text(text, orr_sweep_text(page->sweep));
    orr_text_add(text, "</code></p>\n");
    if ((int64_t)page->n_rows < n_points)
        orr_text_add(text, "<p>The first %zu points are here; --out FILE holds them all.</p>\n", page->n_rows);
    add_plot(page, text);
    orr_text_add(text, "<p>Red marks do not fit into memory.</p>\n");
    add_table(page, text);
    orr_text_add(text, "</body>\n</html>\n");
}

char *orr_sweep_page(const struct orr_sweep *sweep, int64_t first, size_t n, const struct orr_sweep_row *rows)
{
    struct page page = {.sweep = sweep, .rows = rows, .first = first, .n_rows = n};
    struct orr_text text = {0};
    find_columns(&page);
    add_page(&page, &text);
    return orr_text_take(&text);
}
