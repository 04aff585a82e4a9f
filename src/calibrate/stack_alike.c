/* What the numbers of a fit leave of its runs, shared with jobs like them (spec/alike.h). Eqs. 345-347. */
#include "calibrate/stack.h"

void orr_stack_share(const struct orr_stack_runs *runs, const struct orr_stack_choice *chosen, const double *errors,
                     double within, bool fitted, struct orr_stack_shared *shared)
{
    double left[ORR_MAX_ALIKE], weight[ORR_MAX_ALIKE];
    shared->n = orr_alike_kept(chosen->n);
    for (size_t k = 0; k < shared->n; k++) {
        const size_t at = orr_alike_place(k, chosen->n);
        shared->traits[k] = orr_traits_of(&runs->runs[chosen->at[at]].job);
        left[k] = errors[at] * orr_alike_trust(chosen->n, fitted);
        weight[k] = orr_stack_weight(errors[at], within);
    }
    orr_alike_pull(shared->traits, shared->n, left, weight, shared->pull);
}

double orr_stack_shift(const struct orr_stack_shared *shared, const struct orr_stack_run *run)
{
    if (shared->n == 0) return 0;
    const struct orr_traits traits = orr_traits_of(&run->job);
    return orr_alike_shift(shared->traits, shared->pull, shared->n, &traits);
}
