/* One varied field and its values, "1,2,4", "2e12:16e12:8" and so on (docs/sweep.md), as text by index. */
#ifndef ORR_STUDY_AXIS_H
#define ORR_STUDY_AXIS_H

#include "base/error.h"

enum orr_range {
    ORR_RANGE_WORD,   /* one value as written */
    ORR_RANGE_LINEAR, /* low:high:n */
    ORR_RANGE_LOG,    /* low:high:n:log */
    ORR_RANGE_STEP,   /* low:high:+step */
    ORR_RANGE_FACTOR  /* low:high:xfactor */
};

/* The part of the list between two separators. */
struct orr_axis_piece {
    enum orr_range range;
    char text[ORR_SWEEP_VALUE]; /* WORD: the value; else the unit behind every number */
    double low, high, step;     /* step: the number that is added (STEP) or multiplied (FACTOR) */
    int64_t first, n;           /* index of its first value on the axis; number of values */
};

struct orr_axis {
    const char *name;              /* name of the column */
    const char *paths;             /* paths of the value in the request, separated by spaces */
    const char *values;            /* as written by the user */
    bool continuous;               /* low:high or low:high:log: any number between, for samples only */
    int64_t n_values;              /* 0 if continuous */
    size_t n_pieces;               /* 1 if continuous */
    struct orr_axis_piece *pieces; /* malloc'd */
};

/* Parse vary->values; its texts must outlive the axis. Continuous ranges are allowed only if `sampled`. */
enum orr_err orr_axis_parse(const struct orr_vary *vary, bool sampled, struct orr_axis *axis, struct orr_error *error);
void orr_axis_free(struct orr_axis *axis);

/* The value of index i, 0 <= i < n_values. */
void orr_axis_value(const struct orr_axis *axis, int64_t i, char text[ORR_SWEEP_VALUE]);
/* The value at the fraction u of the axis, 0 <= u < 1. */
void orr_axis_at(const struct orr_axis *axis, double u, char text[ORR_SWEEP_VALUE]);

#endif
