/* 80 % intervals from validation residuals, and how often they hold for a source they have not seen. */
#ifndef ORR_VALIDATE_INTERVALS_H
#define ORR_VALIDATE_INTERVALS_H

#include "validate/validate.h"

/* A value and its share of the whole; the shares sum to 1. */
struct orr_weighted {
    double value, weight;
};

/* Quantile of values in ascending order. Each value stands in the middle of its share; linear between neighbours. */
double orr_weighted_quantile(const struct orr_weighted *points, size_t n, double q);

/* Factors of the predicted time between which 80 % of the measured ones are expected; last index: calibrated. */
struct orr_interval_table {
    double low[ORR_N_REGIMES][2], high[ORR_N_REGIMES][2];
    bool known[ORR_N_REGIMES]; /* false: no residuals of training (inference) at all; the recorded interval stands */
};

/* From all timed scores, those of the source `left_out` excepted (NULL: none). */
ORR_NODISCARD enum orr_err orr_interval_table_of(const struct orr_validation *validation, const char *left_out,
                                                 struct orr_interval_table *table);

/* Timed scores of one class. */
struct orr_coverage {
    size_t n, n_sources;
    size_t n_inside;      /* in the interval of the table from all sources */
    size_t n_left;        /* scores for which other sources are left to make a table from */
    size_t n_left_inside; /* in the interval of that table */
};

ORR_NODISCARD enum orr_err orr_interval_coverage(const struct orr_validation *validation,
                                                 struct orr_coverage coverage[ORR_N_REGIMES][2]);

#endif
