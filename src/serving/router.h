/* Which of several replicas gets a request. */
#ifndef ORR_SERVING_ROUTER_H
#define ORR_SERVING_ROUTER_H

#include "serving/replica.h"

/* Replicas that must be simulated together: all of them behind a router that looks at loads, else one, which gets every
 * dp-th request. Users of a closed loop stay with their replica. */
int64_t orr_fleet_size(const struct orr_traffic *traffic, int64_t replicas);
/* Eq. 231: the replica of request `id`. A load is the number of requests that a replica has got and not finished. */
int64_t orr_route(enum orr_router router, struct orr_replica *const *fleet, int64_t n_fleet, uint64_t seed, int64_t id);

#endif
