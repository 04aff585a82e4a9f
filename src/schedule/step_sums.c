/* The costs of what runs once per iteration or pipeline boundary, added up by kind. */
#include "schedule/schedule.h"

static void add_op(struct orr_step_sums *step, const struct orr_op *op, const struct orr_cost *cost)
{
    if (op->layer_kind == ORR_LAYER_BOUNDARY) {
        *(op->phase == ORR_PHASE_FORWARD ? &step->send_s : &step->send_backward_s) = cost->total_s;
    } else if (op->kind != ORR_OP_COLLECTIVE) {
        step->optimizer_s += op->count * cost->total_s;
        step->launches += op->count * op->launches;
    } else if (op->group == ORR_GROUP_PP) {
        step->tie_s += cost->total_s;
    } else if (op->collective == ORR_COLLECTIVE_ALLGATHER) {
        step->gather_s += op->count * cost->total_s;
    } else {
        step->scatter_s += op->count * cost->total_s;
    }
}

struct orr_step_sums orr_step_sums_of(const struct orr_op_list *list, size_t first, const struct orr_cost *costs)
{
    struct orr_step_sums step = {0};
    for (size_t i = first; i < list->n; i++) add_op(&step, &list->items[i], &costs[i]);
    return step;
}
