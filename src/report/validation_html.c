/* This file shows the scores of orr_validate as one HTML page: predicted over measured on logarithmic axes, with a
 * panel per unit and a mark per row, coloured by source, and the tables below. Nothing is fetched; the page is
 * well-formed XML too. */
#include "base/text.h"
#include "report/html.h"
#include "report/validation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE       420.0 /* side of the square around the marks */
#define LEFT       62.0
#define TOP        14.0
#define WIDTH      500.0
#define HEIGHT     490.0
#define BAND_FRAC  0.1
#define WORST_ROWS 25

/* ---- scatter */

static const char *const UNITS[] = {"s", "tokens/s per GPU", "TFLOP/s per GPU", "GiB"};
#define N_UNITS (sizeof UNITS / sizeof *UNITS)

static size_t unit_of(const char *metric)
{
    if (strcmp(metric, "tokens_per_s_per_gpu") == 0) return 1;
    if (strcmp(metric, "model_tflops_per_gpu") == 0) return 2;
    return strcmp(metric, "peak_memory_gib") == 0 ? 3 : 0;
}

/* Both axes of a panel span the same powers of ten. */
struct axis {
    double low, high; /* exponents */
};

static bool drawn(const struct orr_score *s, size_t unit)
{
    return !s->skipped[0] && unit_of(s->metric) == unit && s->measured > 0 && s->predicted > 0 &&
           isfinite(s->measured) && isfinite(s->predicted);
}

static struct axis axis_of(const struct orr_validation *v, size_t unit)
{
    struct axis axis = {HUGE_VAL, -HUGE_VAL};
    for (size_t i = 0; i < v->n_scores; i++) {
        const struct orr_score *s = &v->scores[i];
        if (!drawn(s, unit)) continue;
        axis.low = fmin(axis.low, floor(log10(fmin(s->measured, s->predicted))));
        axis.high = fmax(axis.high, ceil(log10(fmax(s->measured, s->predicted))));
    }
    if (axis.high <= axis.low) axis.high = axis.low + 1;
    return axis;
}

static double across(struct axis axis, double exponent)
{
    return LEFT + SIDE * (exponent - axis.low) / (axis.high - axis.low);
}

static double down(struct axis axis, double exponent)
{
    return TOP + SIDE * (axis.high - exponent) / (axis.high - axis.low);
}

static void add_grid(struct orr_text *text, struct axis axis)
{
    for (double e = axis.low; e <= axis.high; e++) {
        const double x = across(axis, e), y = down(axis, e);
        orr_text_add(text, "<path class=\"grid\" d=\"M%.1f %.1fV%.1fM%.1f %.1fH%.1f\"/>", x, TOP, TOP + SIDE, LEFT, y,
                     LEFT + SIDE);
        orr_text_add(text, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%g</text>", x, TOP + SIDE + 16,
                     pow(10, e));
        orr_text_add(text, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n", LEFT - 6, y + 4, pow(10, e));
    }
}

static void add_band(struct orr_text *text, struct axis axis, size_t unit)
{
    const double up = log10(1 + BAND_FRAC), below = log10(1 - BAND_FRAC);
    orr_text_add(text, "<clipPath id=\"frame%zu\"><rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\"/></clipPath>\n",
                 unit, LEFT, TOP, SIDE, SIDE);
    orr_text_add(text, "<g clip-path=\"url(#frame%zu)\">", unit);
    orr_text_add(text, "<path class=\"band\" d=\"M%.1f %.1fL%.1f %.1fV%.1fL%.1f %.1fZ\"/>", LEFT,
                 down(axis, axis.low + up), LEFT + SIDE, down(axis, axis.high + up), down(axis, axis.high + below),
                 LEFT, down(axis, axis.low + below));
    orr_text_add(text, "<path class=\"equal\" d=\"M%.1f %.1fL%.1f %.1f\"/></g>\n", LEFT, TOP + SIDE, LEFT + SIDE, TOP);
}

/* Adds what a mark says: the row's configuration, then the numbers. */
static void add_description(struct orr_text *text, const struct orr_validation *v, const struct orr_score *s)
{
    static const char *const OTHERS[] = {"id", "source", "url", "notes", "metric", "value", "step_s", "time_s"};
    const struct orr_csv *csv = &v->csvs[s->csv];
    orr_html_text(text, s->source);
    orr_text_add(text, "%s", s->id[0] ? " · " : "");
    orr_html_text(text, s->id);
    orr_text_add(text, "\n");
    for (size_t j = 0, n = 0; j < csv->n_columns; j++) {
        const char *cell = csv->cells[s->row * csv->n_columns + j];
        bool other = cell[0] == '\0';
        for (size_t k = 0; k < sizeof OTHERS / sizeof *OTHERS; k++)
            other = other || strcmp(csv->names[j], OTHERS[k]) == 0;
        if (other) continue;
        orr_text_add(text, "%s", n++ > 0 ? ", " : "");
        orr_html_text(text, csv->names[j]);
        orr_text_add(text, " ");
        orr_html_text(text, cell);
    }
    orr_text_add(text, "\n");
    orr_html_text(text, s->metric);
    orr_text_add(text, ": measured %.4g, predicted %.4g, error %+.1f %%", s->measured, s->predicted, 100 * s->error);
}

static void add_marks(struct orr_text *text, const struct orr_validation *v, struct axis axis, size_t unit,
                      const char *const *sources)
{
    for (size_t i = 0; i < v->n_scores; i++) {
        const struct orr_score *s = &v->scores[i];
        if (!drawn(s, unit)) continue;
        size_t source = 0;
        while (strcmp(sources[source], s->source) != 0) source++;
        orr_text_add(text, "<circle class=\"mark s%zu\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.6\"><title>", source,
                     across(axis, log10(s->measured)), down(axis, log10(s->predicted)));
        add_description(text, v, s);
        orr_text_add(text, "</title></circle>\n");
    }
}

static void add_panel(struct orr_text *text, const struct orr_validation *v, size_t unit, const char *const *sources)
{
    size_t n = 0;
    for (size_t i = 0; i < v->n_scores; i++) n += drawn(&v->scores[i], unit);
    if (n == 0) return;
    const struct axis axis = axis_of(v, unit);
    char title[64];
    (void)snprintf(title, sizeof title, "predicted over measured, %s", UNITS[unit]);
    orr_html_picture(text, WIDTH, HEIGHT, title);
    add_grid(text, axis);
    add_band(text, axis, unit);
    add_marks(text, v, axis, unit, sources);
    orr_text_add(text, "<text x=\"%g\" y=\"%g\" text-anchor=\"middle\">measured, %s (%zu values)</text>",
                 LEFT + SIDE / 2, HEIGHT - 18, UNITS[unit], n);
    orr_text_add(text, "<text transform=\"translate(13 %g) rotate(-90)\" text-anchor=\"middle\">predicted, %s</text>\n",
                 TOP + SIDE / 2, UNITS[unit]);
    orr_html_picture_end(text);
}

static void add_legend(struct orr_text *text, const char *const *sources, size_t n)
{
    orr_text_add(text, "<p class=\"legend\">\n");
    for (size_t i = 0; i < n; i++) {
        orr_text_add(text, "<label><input type=\"checkbox\" checked=\"checked\" value=\"s%zu\"/>", i);
        orr_text_add(text, "<i class=\"s%zu\"></i> ", i);
        orr_html_text(text, sources[i]);
        orr_text_add(text, "</label>\n");
    }
    orr_text_add(text, "</p>\n");
}

static void add_scatter(struct orr_text *text, const struct orr_validation *v)
{
    size_t n;
    const char **sources = orr_validation_values(v, orr_source_of, &n);
    text->failed = text->failed || !sources;
    if (!sources) return;
    orr_text_add(text, "<style>");
    for (size_t i = 0; i < n; i++) orr_text_add(text, ".s%zu{--h:%.0f}", i, fmod(137.508 * (double)i, 360));
    orr_text_add(text, "</style>\n<div class=\"panels\">\n");
    for (size_t unit = 0; unit < N_UNITS; unit++) add_panel(text, v, unit, sources);
    orr_text_add(text, "</div>\n<p id=\"row\">Point at a mark to see its configuration.</p>\n");
    add_legend(text, sources, n);
    free(sources);
}

/* ---- tables */

static void add_percent(struct orr_text *text, const char *format, double frac)
{
    char cell[32] = "";
    if (!isnan(frac)) snprintf(cell, sizeof cell, format, 100 * frac);
    orr_html_element(text, "td", "", cell);
}

static void add_stats(struct orr_text *text, const char *name, const struct orr_error_stats *s)
{
    orr_text_add(text, "<tr>");
    orr_html_element(text, "th", "", name);
    orr_text_add(text, "<td>%zu</td>", s->n);
    add_percent(text, "%.1f", s->mape_frac);
    add_percent(text, "%.1f", s->median_frac);
    add_percent(text, "%.1f", s->p90_frac);
    add_percent(text, "%.1f", s->max_frac);
    add_percent(text, "%+.1f", s->bias_frac);
    add_percent(text, "%.1f", s->coverage80_frac);
    orr_text_add(text, "</tr>\n");
}

static void add_groups(struct orr_text *text, const struct orr_validation *v, const struct orr_grouping *grouping)
{
    size_t n;
    const char **values = orr_validation_values(v, grouping->member, &n);
    text->failed = text->failed || !values;
    orr_text_add(text, "<table>\n<tr class=\"head\">");
    orr_html_element(text, "th", "", grouping->title);
    orr_text_add(text, "<td>rows</td><td>mean</td><td>median</td><td>p90</td><td>max</td><td>bias</td>"
                       "<td>in 80 %%</td></tr>\n");
    for (size_t i = 0; values && i < n; i++) {
        const struct orr_error_stats stats = orr_score_stats(v, grouping->member, values[i]);
        add_stats(text, values[i], &stats);
    }
    const struct orr_error_stats all = orr_score_stats(v, NULL, NULL);
    add_stats(text, "all", &all);
    orr_text_add(text, "</table>\n");
    free(values);
}

static void add_worst(struct orr_text *text, const struct orr_validation *v)
{
    size_t n;
    const struct orr_score **order = orr_validation_worst(v, &n);
    text->failed = text->failed || !order;
    orr_text_add(text, "<table>\n<tr class=\"head\"><th>worst rows</th><th>source</th><th>model</th><th>system</th>"
                       "<th>metric</th><td>measured</td><td>predicted</td><td>error</td></tr>\n");
    for (size_t i = 0; order && i < n && i < WORST_ROWS; i++) {
        const struct orr_score *s = order[i];
        const char *const words[] = {s->id, s->source, s->model, s->system, s->metric};
        orr_text_add(text, "<tr>");
        for (size_t j = 0; j < sizeof words / sizeof *words; j++) orr_html_element(text, "th", "", words[j]);
        orr_text_add(text, "<td>%.4g</td><td>%.4g</td><td>%+.1f</td></tr>\n", s->measured, s->predicted,
                     100 * s->error);
    }
    orr_text_add(text, "</table>\n");
    free(order);
}

static void add_skipped(struct orr_text *text, const struct orr_validation *v)
{
    size_t n = 0;
    for (size_t i = 0; i < v->n_scores; i++) n += v->scores[i].skipped[0] != '\0';
    if (n == 0) return;
    orr_text_add(text, "<table>\n<tr class=\"head\"><th>not scored</th><th>source</th><th>reason</th></tr>\n");
    for (size_t i = 0; i < v->n_scores; i++) {
        const struct orr_score *s = &v->scores[i];
        if (!s->skipped[0]) continue;
        orr_text_add(text, "<tr>");
        orr_html_element(text, "th", "", s->id);
        orr_html_element(text, "th", "", s->source);
        orr_html_element(text, "th", "", s->skipped);
        orr_text_add(text, "</tr>\n");
    }
    orr_text_add(text, "</table>\n");
}

/* ---- page */

/* The script shows text for the mark under the pointer at once, and a legend entry hides its source. It has no "<" or
 * "&", because the page is XML too. */
static const char SCRIPT[] =
    "<script>\n"
    "var line = document.getElementById('row');\n"
    "function all(what, act) { document.querySelectorAll(what).forEach(act); }\n"
    "all('.mark', function (mark) { mark.onmouseenter = function () { line.textContent = mark.textContent; }; });\n"
    "all('.legend input', function (box) {\n"
    "  box.onchange = function () {\n"
    "    all('.mark.' + box.value, function (mark) { mark.style.display = box.checked ? '' : 'none'; });\n"
    "  };\n"
    "});\n"
    "</script>\n</body>\n</html>\n";

static void add_summary(struct orr_text *text, const struct orr_validation *v)
{
    const struct orr_error_stats all = orr_score_stats(v, NULL, NULL);
    const struct orr_coverage_fracs coverage = orr_validation_coverage(v);
    orr_text_add(text, "<h1>Orrery %s: predicted and measured</h1>\n<p>%zu rows, %zu values scored: ", orr_version(),
                 v->n_rows, all.n);
    orr_text_add(text, "mean error %.1f %%, median %.1f %%, 90th percentile %.1f %%. ", 100 * all.mape_frac,
                 100 * all.median_frac, 100 * all.p90_frac);
    orr_text_add(text, "Error is predicted time over measured time - 1 in %% (memory: bytes); bias is its median.");
    if (!isnan(coverage.inside)) orr_text_add(text, " Inside the 80 %% intervals: %.1f %%", 100 * coverage.inside);
    if (!isnan(coverage.left_out)) orr_text_add(text, "; leaving each source out, %.1f %%", 100 * coverage.left_out);
    if (v->n_verdicts > 0) orr_text_add(text, ". Fits or not: %zu runs, %zu wrong", v->n_verdicts, v->n_wrong_verdicts);
    orr_text_add(text, ". The shaded band is &#177;10 %%.</p>\n");
}

void orr_validation_page(const struct orr_validation *validation, struct orr_text *text)
{
    struct orr_grouping groupings[ORR_MAX_GROUPINGS];
    const size_t n = orr_validation_groupings(validation, groupings);
    orr_html_head(text, "Orrery validation");
    add_summary(text, validation);
    add_scatter(text, validation);
    for (size_t i = ORR_FIXED_GROUPINGS; i < n; i++) add_groups(text, validation, &groupings[i]); /* asked for: first */
    for (size_t i = 0; i < ORR_FIXED_GROUPINGS; i++) add_groups(text, validation, &groupings[i]);
    add_worst(text, validation);
    add_skipped(text, validation);
    orr_text_add(text, "%s", SCRIPT);
}
