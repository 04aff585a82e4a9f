/* This header shows the rows of a sweep on the terminal. */
#ifndef ORR_REPORT_SWEEP_H
#define ORR_REPORT_SWEEP_H

#include "base/text.h"
#include "study/sweep.h"

/* Adds a table of all points, which start at the first; at most a hundred of them, evenly chosen. */
void orr_sweep_terminal(const struct orr_sweep *sweep, size_t n, const struct orr_sweep_row *rows,
                        const struct orr_style *style, struct orr_text *text);

#endif
