/* Times of steps in nanoseconds of work. orr_step_time prices a step in about a microsecond; here its values at the
 * knots of a grid are kept, and steps between knots are interpolated. A grid has a fixed number of knots in every
 * octave, so that a place on it comes from the bits of the number. Eqs. 191, 192.
 *
 * Steps that only decode: sequences (exact up to 64, then 64 knots an octave) and mean context (4 knots an octave;
 * attention is piecewise linear in it). Steps with prompts: tokens (16 knots an octave), keys per prompt token,
 * sequences (4) and mean context. The error is tested in tests/unit/test_serving_load.c. Several prompts of one
 * step that all have tokens in the cache are priced as one prompt with as many keys, which reads its cache once. */
#ifndef ORR_SERVING_STEPS_H
#define ORR_SERVING_STEPS_H

#include "orrery.h"

struct orr_steps;
/* With `exact` nothing is kept and every step is priced by orr_step_time. The traffic, if it is given, tells how much
 * the contexts of a step differ. NULL: out of memory. */
struct orr_steps *orr_steps_new(const struct orr_job *job, const struct orr_traffic *traffic, bool exact);
/* Steps that a function prices, without a table: for tests of queues whose answer is known. `flat` says that decode
 * steps do not depend on the context, so that many may be taken together. */
typedef double orr_step_price(void *context, const struct orr_step *step);
struct orr_steps *orr_steps_priced(orr_step_price *price, void *context, bool flat);
void orr_steps_free(struct orr_steps *steps);

/* Times of decode steps from a mean context on: step k takes first_s + k * slope_s, for k below `steps`. */
struct orr_line {
    double first_s, slope_s;
    int64_t steps;
};
/* `decodes` sequences with a mean context (the new token included) that grows by `growth` tokens a step. */
struct orr_line orr_steps_decode(struct orr_steps *steps, int64_t decodes, double context, double growth);

/* A step with prompt chunks beside decoding sequences. */
struct orr_mixed {
    int64_t tokens, prompts; /* of the chunks */
    double pairs;            /* keys seen by all their tokens together */
    int64_t cached;          /* tokens of these prompts that are in the cache already */
    int64_t decodes;
    double context; /* mean context of the decoding sequences */
};
double orr_steps_mixed(struct orr_steps *steps, const struct orr_mixed *mixed);

#endif
