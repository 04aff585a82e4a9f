/* How well intervals hold for groups of scores, every group counted once whatever its number of rows. */
#ifndef ORR_VALIDATE_UNSEEN_STATS_H
#define ORR_VALIDATE_UNSEEN_STATS_H

#include "validate/validate.h"

struct orr_held {
    size_t rows, sources;
    double median_frac;   /* of |error| */
    double bias_frac;     /* median of the signed error */
    double coverage_frac; /* share of the rows inside their 80 % interval */
    double width_ln;      /* mean of ln(high / low) */
    double too_fast_frac; /* share of the misses where the run was slower than the interval; NAN: no misses */
};

/* The statistics of the timed scores for which member(score) equals `value` (member NULL: all). */
struct orr_held orr_held_by(const struct orr_validation *validation, const char *(*member)(const struct orr_score *),
                            const char *value);
/* The means over sources of coverage, width and median; rows and sources are sums. */
struct orr_held orr_held_mean(const struct orr_validation *validation);

/* The same of the scores whose engine measured runs cover. */
struct orr_held orr_held_on_record(const struct orr_validation *validation);
/* The same with all intervals stretched about their middles by one factor, to this mean width (Eq. 238a); only
 * coverage, width and counts are filled in. The second takes the scores whose engine measured runs cover. */
struct orr_held orr_held_at(const struct orr_validation *validation, double width_ln);
struct orr_held orr_held_on_record_at(const struct orr_validation *validation, double width_ln);
/* The same for a source that had no part in the choice of widths: for each source the intervals are stretched by the
 * factor, of their logarithms, at which those of all other sources hold 80 % as a mean over sources (Eq. 238). Only
 * coverage, width and counts are filled in. */
struct orr_held orr_held_cross(const struct orr_validation *validation);

#endif
