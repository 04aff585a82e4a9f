/* These are plots of studies as inline SVG: marks over two linear axes, bars to either side of zero, stacked bars. */
#ifndef ORR_REPORT_HTML_PLOT_H
#define ORR_REPORT_HTML_PLOT_H

#include "report/html.h"

struct orr_html_point {
    double x, y;
    bool good;         /* other marks have another colour */
    const char *title; /* text shown when the pointer is over the mark */
};
void orr_html_points(struct orr_text *text, const char *x_name, const char *y_name, const struct orr_html_point *points,
                     size_t n_points);
/* The same joined by a line, in the order of the points, with marks or without. */
void orr_html_curve(struct orr_text *text, const char *x_name, const char *y_name, const struct orr_html_point *points,
                    size_t n_points, bool marks);

struct orr_html_effect {
    const char *name;
    double value;
};
/* Draws a bar per effect, in percent. */
void orr_html_effects(struct orr_text *text, const char *title, const struct orr_html_effect *effects,
                      size_t n_effects);

#define ORR_HTML_PARTS 8
struct orr_html_lane {
    const char *name;
    double values[ORR_HTML_PARTS]; /* values of the chart's parts, in its unit */
};
/* Draws a bar per lane, cut into coloured parts, with the sum and its unit at the end. One part needs no legend. */
void orr_html_lanes(struct orr_text *text, const char *title, const char *unit, const char *const *parts,
                    size_t n_parts, const struct orr_html_lane *lanes, size_t n_lanes);

#endif
