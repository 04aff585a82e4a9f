/* This file has the routers in front of replicas. Eq. 231. */
#include "serving/router.h"

#include "base/random.h"

/* Tells the draws of a router from those of the traffic. */
#define ROUTER_KEY UINT64_C(0x726f75746572)

int64_t orr_fleet_size(const struct orr_traffic *traffic, int64_t replicas)
{
    const bool together = traffic->router != ORR_ROUTER_ROUND_ROBIN && traffic->arrival != ORR_ARRIVAL_CLOSED;
    return together ? replicas : 1;
}

static int64_t requests_of(const struct orr_replica *replica)
{
    return orr_replica_load_of(replica).requests;
}

/* The least loaded from `first` on, so that equal loads are dealt out in turn. */
static int64_t least_loaded(struct orr_replica *const *fleet, int64_t n_fleet, int64_t first)
{
    int64_t best = first;
    for (int64_t i = 1; i < n_fleet; i++) {
        const int64_t at = (first + i) % n_fleet;
        if (requests_of(fleet[at]) < requests_of(fleet[best])) best = at;
    }
    return best;
}

/* The less loaded of two different replicas that are drawn at random. */
static int64_t best_of_two(struct orr_replica *const *fleet, int64_t n_fleet, uint64_t seed, int64_t id)
{
    const uint64_t key = seed ^ ROUTER_KEY, n = (uint64_t)n_fleet;
    if (n_fleet == 1) return 0;
    const uint64_t one = orr_random_bits(key, 2 * (uint64_t)id) % n;
    const uint64_t other = (one + 1 + orr_random_bits(key, 2 * (uint64_t)id + 1) % (n - 1)) % n;
    return (int64_t)(requests_of(fleet[other]) < requests_of(fleet[one]) ? other : one);
}

int64_t orr_route(enum orr_router router, struct orr_replica *const *fleet, int64_t n_fleet, uint64_t seed, int64_t id)
{
    switch (router) {
    case ORR_ROUTER_ROUND_ROBIN: return id % n_fleet;
    case ORR_ROUTER_LEAST_LOADED: return least_loaded(fleet, n_fleet, id % n_fleet);
    case ORR_ROUTER_POWER_OF_TWO: return best_of_two(fleet, n_fleet, seed, id);
    case ORR_N_ROUTERS: break;
    }
    return 0;
}
