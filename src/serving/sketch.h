/* A sketch holds a distribution of positive numbers in bounded memory. Up to ORR_SKETCH_EXACT samples are kept, and
 * quantiles are exact; beyond, and for weighted samples, counters over a grid with 128 bins an octave hold them, whose
 * middles are at most 0.39 % off (Eq. 193). Sketches of parts of a run can be added in any order. */
#ifndef ORR_SERVING_SKETCH_H
#define ORR_SERVING_SKETCH_H

#include "orrery.h"

enum {
    ORR_SKETCH_EXACT = 1 << 16,
    ORR_SKETCH_BITS = 7,
    ORR_SKETCH_FROM = -24, /* exponent of the first octave: 60 ns */
    ORR_SKETCH_OCTAVES = 48,
    ORR_SKETCH_BINS = ORR_SKETCH_OCTAVES << ORR_SKETCH_BITS
};

struct orr_sketch {
    double weight, sum;
    double bins[ORR_SKETCH_BINS]; /* the first one also has zeros and less */
    double *samples;              /* NULL: weighted, or out of memory: bins alone */
    size_t n_samples;             /* in all, also beyond those that are kept */
};

/* Prepares a sketch; `exact` asks for samples to be kept. */
void orr_sketch_open(struct orr_sketch *sketch, bool exact);
void orr_sketch_close(struct orr_sketch *sketch);
/* Adds a sample; `weight` other than 1 only without kept samples. */
void orr_sketch_add(struct orr_sketch *sketch, double value, double weight);
/* Adds another sketch, whose samples become those of this one as far as there is room. */
void orr_sketch_merge(struct orr_sketch *sketch, const struct orr_sketch *other);
/* Mean and quantiles; sorts the kept samples. */
struct orr_timing orr_sketch_timing(struct orr_sketch *sketch);

#endif
