/* This header shows the rows of a sweep as a page. */
#ifndef ORR_REPORT_SWEEP_H
#define ORR_REPORT_SWEEP_H

#include "study/sweep.h"

/* Returns one malloc'd HTML page: what was asked, a plot and a table of the points from `first` on. */
char *orr_sweep_page(const struct orr_sweep *sweep, int64_t first, size_t n, const struct orr_sweep_row *rows);

#endif
