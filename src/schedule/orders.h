/* What a pipeline rank executes, in order, under the schedules that hold two chunks per rank: the lists behind the
 * event simulation of timeline.c. */
#ifndef ORR_SCHEDULE_ORDERS_H
#define ORR_SCHEDULE_ORDERS_H

#include "spec/plan.h"

/* A full backward is input and weight gradients at once. A task that is joined to the one before it runs in the same
 * block, whose outputs are ready at its end. */
enum orr_task_kind { ORR_TASK_FORWARD, ORR_TASK_INPUT_GRADIENT, ORR_TASK_WEIGHT_GRADIENT, ORR_TASK_FULL_BACKWARD };
struct orr_task {
    enum orr_task_kind kind;
    bool joined;
    int64_t chunk, micro_batch; /* dualpipe: chunk is the direction, 0 from the first rank and 1 from the last */
};

/* Do ranks follow a list? The other schedules have a rule for the j-th task of a rank. */
static inline bool orr_schedule_listed(enum orr_schedule schedule)
{
    return orr_is_vee(schedule) || orr_is_dual(schedule);
}
/* The most tasks that a rank has. */
static inline size_t orr_order_most(int64_t n_micro_batches)
{
    return 6 * (size_t)n_micro_batches;
}
/* Fills the tasks of a rank and returns how many there are. Under v-half weight gradients are not in the list: a rank
 * runs them when it would wait. */
size_t orr_order_of(const struct orr_plan *plan, int64_t n_micro_batches, int64_t rank, struct orr_task *tasks);

#endif
