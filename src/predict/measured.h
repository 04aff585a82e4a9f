/* What runs of a measured engine differ by: the record of their residuals, from coarse to fine (interval_table.h). */
#ifndef ORR_PREDICT_MEASURED_H
#define ORR_PREDICT_MEASURED_H

#include "predict/interval.h"

/* A cell of the record has the runs of an engine in a regime; finer ones those that the same resource dominates, and of
 * these those on one system. The factors are those of the predicted time. */
#define ORR_CELL_ANY (-1)
struct orr_measured_cell {
    const char *engine;
    enum orr_regime regime;
    int bound;          /* the resource that dominates the time; ORR_CELL_ANY: whichever */
    const char *system; /* "": whichever */
    double low, high;
};

/* The resource that has most of the time. First tokens under load wait for a queue, whatever binds the steps: they have
 * one cell for all. */
int orr_dominant_bound(enum orr_regime regime, const double bound_frac[ORR_N_BOUNDS]);

/* The finest cell of the record that a run belongs to; NULL: the engine has too few runs of this regime. */
const struct orr_measured_cell *orr_measured_cell(const char *engine, enum orr_regime regime, int bound,
                                                  const char *system);

#endif
