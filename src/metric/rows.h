/* These functions group rows of the ledger of time: equal rows, rows of an operator, and the heaviest of a part. */
#ifndef ORR_METRIC_ROWS_H
#define ORR_METRIC_ROWS_H

#include "orrery.h"

/* This is a group of rows: operators of one name, phase, shape and time, or one wait. The first row stands for all. */
struct orr_alike {
    size_t first;
    size_t n_rows;
    double runs;  /* executions in the step or request */
    double count; /* for operators: executions per layer and micro-batch, or per pass */
    double exposed_s;
    double share_frac; /* share of the whole step or request */
};

/* Returns the rows like row i, within `part` or, with ORR_ANY_PART, within all parts. `n_rows` is 0 unless i is the
 * first of them. */
#define ORR_ANY_PART (-1)
struct orr_alike orr_rows_alike(const struct orr_answer *answer, size_t i, int part);
/* Finds the heaviest such groups of a part, or of all parts, in falling order; returns how many, at most n_max. `waits`
 * also admits rows without an operator. *rest_s (may be NULL) gets the time of the groups that found no place. */
size_t orr_rows_heaviest(const struct orr_answer *answer, int part, bool waits, size_t n_max, struct orr_alike *alike,
                         double *rest_s);

/* These are all rows of one operator; a repeated operator has two. */
struct orr_op_rows {
    const struct orr_time_row *first; /* NULL where it does not run on this rank */
    double exposed_s;
};
struct orr_op_rows orr_rows_of_op(const struct orr_answer *answer, size_t op);

/* Returns the share of the whole step or request that a part has. */
double orr_rows_share_frac(const struct orr_answer *answer, int part);

/* This is the time of a phase in matrix products, by what binds them in the model and by the ridge alone (Eq. 96). */
struct orr_products {
    double bound_frac[ORR_N_BOUNDS]; /* each sums to 1; all 0 without products */
    double memory_frac, compute_frac;
};
struct orr_products orr_rows_products(const struct orr_answer *answer, enum orr_phase phase);

#endif
