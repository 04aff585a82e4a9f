/* Random numbers by index: they need a key but no state, so any thread or machine can draw them in any order. */
#ifndef ORR_STUDY_SAMPLE_H
#define ORR_STUDY_SAMPLE_H

#include "base/random.h"

/* The place of `index` in a permutation of 0 .. n - 1 that the key chooses; 0 <= index < n. */
int64_t orr_permuted(int64_t index, int64_t n, uint64_t key);
/* Latin hypercube: the coordinate of sample `index` of n on one axis, in [0, 1). Each of the n equal strata has one
 * sample. */
double orr_stratified(int64_t index, int64_t n, uint64_t key);

#endif
