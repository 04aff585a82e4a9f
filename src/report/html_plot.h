/* Plots of studies as inline SVG: marks over two linear axes, and bars to either side of zero. */
#ifndef ORR_REPORT_HTML_PLOT_H
#define ORR_REPORT_HTML_PLOT_H

#include "report/html.h"
#include "report/value.h"

struct orr_html_point {
    double x, y;
    bool good;         /* else drawn in another colour */
    const char *title; /* shown when it is pointed at */
};
void orr_html_points(struct orr_text *text, const char *x_name, const char *y_name, const struct orr_html_point *points,
                     size_t n_points);

struct orr_html_effect {
    const char *name;
    double value;
};
/* A bar per effect, in percent. */
void orr_html_effects(struct orr_text *text, const char *title, const struct orr_html_effect *effects,
                      size_t n_effects);

#endif
