/* This header shows the rows of a sweep as a page and on the terminal. */
#ifndef ORR_REPORT_SWEEP_H
#define ORR_REPORT_SWEEP_H

#include "base/text.h"
#include "study/sweep.h"

/* Returns one malloc'd HTML page: what was asked, a plot and a table of the points from `first` on. */
char *orr_sweep_page(const struct orr_sweep *sweep, int64_t first, size_t n, const struct orr_sweep_row *rows);

/* Adds a table of all points, which start at the first; at most a hundred of them, evenly chosen. */
void orr_sweep_terminal(const struct orr_sweep *sweep, size_t n, const struct orr_sweep_row *rows,
                        const struct orr_style *style, struct orr_text *text);

#endif
