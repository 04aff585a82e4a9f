/* One varied field and its values: "1,2,4", "2e12:16e12:8" and so on (docs/sweep.md), as text by index. */
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

/* What stands between two commas. */
struct orr_axis_piece {
    enum orr_range range;
    char text[ORR_SWEEP_VALUE]; /* WORD: the value; else the unit behind every number */
    double low, high, step;     /* STEP, FACTOR: what is added or multiplied */
    int64_t first, n;           /* place among the values of the axis; how many there are */
};

struct orr_axis {
    const char *name;              /* column */
    const char *paths;             /* where the value goes in the request, separated by spaces */
    const char *values;            /* as written */
    bool continuous;               /* low:high or low:high:log: any number between, for samples only */
    int64_t n_values;              /* 0 if continuous */
    size_t n_pieces;               /* 1 if continuous */
    struct orr_axis_piece *pieces; /* malloc'd */
};

/* Parse vary->values; its texts must outlive the axis. `sampled`: continuous ranges are allowed. */
enum orr_err orr_axis_parse(const struct orr_vary *vary, bool sampled, struct orr_axis *axis, struct orr_error *error);
void orr_axis_free(struct orr_axis *axis);

/* The value of that index, 0 <= i < n_values. */
void orr_axis_value(const struct orr_axis *axis, int64_t i, char text[ORR_SWEEP_VALUE]);
/* The value at u of the way through the axis, 0 <= u < 1. */
void orr_axis_at(const struct orr_axis *axis, double u, char text[ORR_SWEEP_VALUE]);

#endif
