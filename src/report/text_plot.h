/* A small plot of points for terminals (text_plot.c). */
#ifndef ORR_REPORT_TEXT_PLOT_H
#define ORR_REPORT_TEXT_PLOT_H

#include <stddef.h>

#include "base/text.h"
#include "orrery.h"

/* The points, the names of both axes, and the texts of their ends. The first point is filled. */
struct orr_plot {
    const double *x, *y;
    size_t n;
    const char *x_name, *x_low, *x_high;
    const char *y_name, *y_low, *y_high;
};

/* Adds the plot; nothing where there are fewer than two points or the line is too short. */
void orr_text_plot(struct orr_text *text, const struct orr_style *style, const struct orr_plot *plot);

#endif
