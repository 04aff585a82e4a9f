/* The cells of measured engines from validation residuals: what predict/measured.h records. */
#ifndef ORR_VALIDATE_CELLS_H
#define ORR_VALIDATE_CELLS_H

#include "predict/measured.h"
#include "validate/validate.h"

struct orr_cells_found {
    size_t n;
    struct orr_measured_cell *cells; /* in the order of engine, regime, resource, system; coarse before fine */
};

/* The cells of all timed scores (Eq. 264). Free the cells. */
ORR_NODISCARD enum orr_err orr_cells_find(const struct orr_validation *validation, struct orr_cells_found *found);

/* How many rows of measured engines lie inside their interval if they have no part in the making of its cell. */
struct orr_cells_held {
    size_t rows;
    double coverage_frac; /* mean over sources */
};
ORR_NODISCARD enum orr_err orr_cells_left_out(const struct orr_validation *validation, struct orr_cells_held *held);

#endif
