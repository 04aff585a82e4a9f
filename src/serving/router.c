/* This file has the routers in front of replicas. Eq. 231. */
#include "serving/router.h"

#include "base/random.h"

/* Tells the draws of a router from those of the traffic. */
#define ROUTER_KEY UINT64_C(0x726f75746572)
/* Requests a replica with the prompt's beginning may have beyond twice those of the least loaded: an assumption. */
#define PREFIX_SLACK 8

static int64_t load_of(const struct orr_candidate *c)
{
    return orr_replica_load_of(c->replica).requests + c->coming;
}

/* The least loaded from `first` on, so that equal loads are dealt out in turn. With a prefix, of those that have it in
 * their cache; -1: none. */
static int64_t least_loaded(const struct orr_candidate *c, int64_t n, int64_t first, uint64_t prefix)
{
    int64_t best = -1;
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = (first + i) % n;
        if (prefix > 0 && !orr_replica_holds(c[at].replica, prefix)) continue;
        if (best < 0 || load_of(&c[at]) < load_of(&c[best])) best = at;
    }
    return best;
}

/* The less loaded of two different replicas that are drawn at random. */
static int64_t best_of_two(const struct orr_candidate *c, int64_t n_candidates, uint64_t seed, int64_t id)
{
    const uint64_t key = seed ^ ROUTER_KEY, n = (uint64_t)n_candidates;
    if (n == 1) return 0;
    const uint64_t one = orr_random_bits(key, 2 * (uint64_t)id) % n;
    const uint64_t other = (one + 1 + orr_random_bits(key, 2 * (uint64_t)id + 1) % (n - 1)) % n;
    return (int64_t)(load_of(&c[other]) < load_of(&c[one]) ? other : one);
}

/* One that has the beginning of the prompt, unless it has twice as many requests as the least loaded and a few more:
 * computing the beginning again is then shorter than the queue. */
static int64_t with_prefix(const struct orr_candidate *c, int64_t n, const struct orr_ask *ask)
{
    const int64_t least = least_loaded(c, n, ask->id % n, 0);
    const int64_t with = ask->prefix > 0 ? least_loaded(c, n, ask->id % n, ask->prefix) : -1;
    return with >= 0 && load_of(&c[with]) <= 2 * load_of(&c[least]) + PREFIX_SLACK ? with : least;
}

int64_t orr_route(enum orr_router router, const struct orr_candidate *c, int64_t n, uint64_t seed,
                  const struct orr_ask *ask)
{
    switch (router) {
    case ORR_ROUTER_ROUND_ROBIN: return ask->id % n;
    case ORR_ROUTER_LEAST_LOADED: return least_loaded(c, n, ask->id % n, 0);
    case ORR_ROUTER_POWER_OF_TWO: return best_of_two(c, n, seed, ask->id);
    case ORR_ROUTER_PREFIX: return with_prefix(c, n, ask);
    case ORR_ROUTER_SESSION: return (int64_t)(orr_mix(ask->prefix > 0 ? ask->prefix : (uint64_t)ask->id) % (uint64_t)n);
    case ORR_N_ROUTERS: break;
    }
    return 0;
}
