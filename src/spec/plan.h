/* What the closed sets of a plan mean: facts of schedules that several folders ask for. */
#ifndef ORR_SPEC_PLAN_H
#define ORR_SPEC_PLAN_H

#include "orrery.h"

/* Does every rank hold two chunks, the second on the way back: chunk i on rank i, chunk 2p - 1 - i there too? */
static inline bool orr_is_vee(enum orr_schedule schedule)
{
    return schedule == ORR_SCHEDULE_ZB_V || schedule == ORR_SCHEDULE_V_HALF || schedule == ORR_SCHEDULE_DUALPIPE_V;
}
/* Does the schedule run the forward of one micro-batch beside the backward of another, as one block? */
static inline bool orr_is_dual(enum orr_schedule schedule)
{
    return schedule == ORR_SCHEDULE_DUALPIPE || schedule == ORR_SCHEDULE_DUALPIPE_V;
}
/* Are weight gradients a phase of their own, which a rank may put off? */
static inline bool orr_splits_backward(enum orr_schedule schedule)
{
    return schedule == ORR_SCHEDULE_ZB_H1 || schedule == ORR_SCHEDULE_ZB_H2 || orr_is_vee(schedule) ||
           orr_is_dual(schedule);
}
/* Are embedding and head on different ranks? */
static inline bool orr_ends_apart(const struct orr_plan *plan)
{
    return plan->pp > 1 && !orr_is_vee(plan->schedule) && !orr_is_dual(plan->schedule);
}

#endif
