/* Which of several replicas gets a request. */
#ifndef ORR_SERVING_ROUTER_H
#define ORR_SERVING_ROUTER_H

#include "serving/replica.h"

/* A replica that may get a request, and requests that are on their way to it from another pool. */
struct orr_candidate {
    const struct orr_replica *replica;
    int64_t coming;
};
/* Eq. 231: the candidate that gets the request. A load is the number of requests that it has got and not finished. */
int64_t orr_route(enum orr_router router, const struct orr_candidate *candidates, int64_t n, uint64_t seed,
                  const struct orr_ask *ask);

#endif
