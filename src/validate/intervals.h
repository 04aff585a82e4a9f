/* 80 % intervals from validation residuals, and how often they hold for a source they have not seen. */
#ifndef ORR_VALIDATE_INTERVALS_H
#define ORR_VALIDATE_INTERVALS_H

#include "validate/validate.h"

/* A value and its share of the whole; the shares sum to 1. */
struct orr_weighted {
    double value, weight;
};

/* Eq. 378: what a source with so many rows counts as. Its mean is off by what sources differ by, and by what its rows
 * differ by over their number; rows of a source differ about as much as sources do. */
double orr_source_weight(size_t rows);

/* The quantile of values in ascending order. Each value stands for the middle of its share, and quantiles between two
 * values are interpolated linearly. */
double orr_weighted_quantile(const struct orr_weighted *points, size_t n, double q);

/* The factors of the predicted time between which 80 % of the measured times are expected; the last index is whether
 * the chip is calibrated. */
struct orr_interval_table {
    double low[ORR_N_REGIMES][2], high[ORR_N_REGIMES][2];
    /* false: there are no residuals at all of this kind of job, and the recorded interval is kept */
    bool known[ORR_N_REGIMES];
};

/* The table from all timed scores except those of the source `left_out` (NULL: from all). */
ORR_NODISCARD enum orr_err orr_interval_table_of(const struct orr_validation *validation, const char *left_out,
                                                 struct orr_interval_table *table);

/* Counts of the timed scores of one class. */
struct orr_coverage {
    size_t n, n_sources;
    size_t n_inside;      /* inside the interval of the table from all sources */
    size_t n_left;        /* scores for which other sources are left to make a table */
    size_t n_left_inside; /* inside the interval of the table from the other sources */
};

ORR_NODISCARD enum orr_err orr_interval_coverage(const struct orr_validation *validation,
                                                 struct orr_coverage coverage[ORR_N_REGIMES][2]);

#endif
