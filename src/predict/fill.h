/* Values that a training request leaves to the program with "auto": the fastest filling that fits, and the spread of
 * times over the fillings that a launch could have used. */
#ifndef ORR_PREDICT_FILL_H
#define ORR_PREDICT_FILL_H

#include "orrery.h"

/* Most values that are tried for each key. */
enum { ORR_TRY_VPP = 8, ORR_TRY_MICRO_BATCH = 8, ORR_TRY_RECOMPUTE = 3, ORR_TRY_ZERO = 4, ORR_TRY_SP = 2 };
enum { ORR_MAX_FILLINGS = ORR_TRY_VPP * ORR_TRY_MICRO_BATCH * ORR_TRY_RECOMPUTE * ORR_TRY_ZERO * ORR_TRY_SP };

/* One value for every key; those that the request states have the stated value in all fillings. */
struct orr_filling {
    int64_t vpp, micro_batch, zero;
    enum orr_recompute recompute;
    bool sp;
    bool fits;
    double step_time_s, memory_bytes;
};

/* The job with its open values filled in, which lives in the scratch; the job itself if none is open. */
const struct orr_job *orr_filled(const struct orr_job *job, struct orr_scratch *scratch);
/* Fills in what a job says about memory, recomputation and sharding or one of them, and what else is open. */
void orr_fill_memory(struct orr_job *job, bool recompute, bool zero, struct orr_scratch *scratch);
/* The index of the fastest filling that fits (Eq. 179), or of the one with the least memory if none does. */
size_t orr_best_filling(const struct orr_filling *fillings, size_t n);
/* Times of the best and of the slowest plausible filling (Eq. 180). */
struct orr_spread orr_spread_of(const struct orr_filling *fillings, size_t n, const struct orr_engine *engine);

#endif
