/* Working memory of one prediction: every intermediate stage, allocated once. */
#ifndef ORR_PREDICT_SCRATCH_H
#define ORR_PREDICT_SCRATCH_H

#include "memory/memory.h"
#include "predict/settle.h"

struct orr_scratch {
    struct orr_op_list ops;
    struct orr_cost costs[ORR_MAX_OPS];
    struct orr_stage stages[ORR_MAX_STAGES];
    struct orr_classes classes;
    struct orr_shape shape;
    struct orr_rank_time ranks[ORR_MAX_STAGES]; /* of every class, at the settled clock */
    size_t slowest;                             /* class that sets the pace */
    struct orr_sums sums;                       /* at the settled clock */
};

#endif
