/* Pools of replicas in closed form: prefill pools that hand caches to decode pools, or pools of different replicas side
 * by side. Eqs. 251-254. */
#ifndef ORR_SERVING_POOLS_H
#define ORR_SERVING_POOLS_H

#include "serving/closed.h"
#include "serving/fleet.h"

/* What a replica of a pool of this role needs to know. */
struct orr_replica_facts orr_pool_facts_of(const struct orr_job *job, enum orr_pool_role role,
                                           const struct orr_traffic *traffic, struct orr_scratch *scratch,
                                           struct orr_infer_result *result);

/* Times of the steps of a pool. Engines may launch the prompts of separate pools kernel by kernel (Eq. 350). */
struct orr_steps *orr_pool_steps_new(const struct orr_job *job, enum orr_pool_role role,
                                     const struct orr_traffic *traffic, bool exact);

/* A pool as the closed form sees it. */
struct orr_pool_view {
    enum orr_pool_role role;
    const struct orr_job *job;
    const struct orr_replica_facts *facts;
    struct orr_steps *steps;
    const struct orr_stage *stages;
    double replicas;
};

/* The steady state of all pools together: rates are those of the whole system. */
struct orr_pools_steady {
    struct orr_steady all; /* means over requests */
    double transfer_s, link_load;
    struct orr_steady pools[ORR_MAX_POOLS]; /* of one replica each */
};
/* `scale` multiplies every step. */
struct orr_pools_steady orr_pools_steady_of(const struct orr_pool_view *pools, int64_t n,
                                            const struct orr_traffic *traffic, double scale);

/* Eq. 210 for a simulated fleet. */
void orr_pools_intervals(const struct orr_fleet_pool *pools, int64_t n, const struct orr_traffic *traffic,
                         struct orr_scratch *scratch, struct orr_serving_result *result);
/* The closed form of a deployment instead of a simulation. False: out of memory. */
bool orr_pools_solve(const struct orr_deployment *deployment, const struct orr_traffic *traffic,
                     struct orr_serving_result *result);

#endif
