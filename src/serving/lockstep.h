/* Attention ranks that share experts: all of them make a step together, because every layer sends tokens between them.
 * Decode steps are those of the largest rank, to whose size engines fill up the others. In a step with prompts the
 * experts work for the tokens of all ranks, and the rest waits for the rank with most (Eq. 257). */
#ifndef ORR_SERVING_LOCKSTEP_H
#define ORR_SERVING_LOCKSTEP_H

#include "serving/replica.h"

/* Ranks of the plan that share one set of experts; 1: every replica has its own. */
int64_t orr_lockstep_ranks(const struct orr_plan *plan);
/* The share of a step with prompts that is a rank's own: all but the experts and the traffic to them. */
double orr_lockstep_own_frac(const struct orr_job *job, struct orr_scratch *scratch);
/* Runs every step of the ranks that begins before `until_s`, or until a rank is paused. */
void orr_lockstep_run(struct orr_replica *const *ranks, int64_t n, double until_s);
/* The beginning of their next step; HUGE_VAL: none has anything to do. */
double orr_lockstep_next_s(struct orr_replica *const *ranks, int64_t n);

enum { ORR_LOCKSTEP_RANKS = 1024 };

#endif
