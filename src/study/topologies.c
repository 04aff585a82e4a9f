/* Collectives by the shape of a network, Eqs. 292-297. Every formula has hops, each of which takes hop_s, and the bytes
 * of the busiest link. */
#include "study/topologies.h"

#include <math.h>

#include "base/number.h"

#define NAME(member, name) name,
const char *const orr_shape_names[ORR_N_SHAPES] = {ORR_SHAPES(NAME)};

/* Hops to the farthest rank: half of a ring in every dimension of a torus, a whole side in a mesh. */
static double hops_of(const struct orr_shaped *network)
{
    double hops = 0;
    switch (network->shape) {
    case ORR_SHAPE_SWITCH:
    case ORR_SHAPE_CONNECTED: return 1;
    case ORR_SHAPE_TORUS:
        for (size_t i = 0; i < network->n_sides; i++) hops += floor(network->sides[i] / 2);
        return hops;
    case ORR_SHAPE_MESH:
        for (size_t i = 0; i < network->n_sides; i++) hops += network->sides[i] - 1;
        return hops;
    case ORR_SHAPE_HYPERCUBE: return log2(network->ranks);
    case ORR_SHAPE_DRAGONFLY: return 2; /* inside a group, and between groups */
    case ORR_N_SHAPES: break;
    }
    return hops;
}

/* A gather brings the others' share of the bytes to every rank over all of its links. A corner of a mesh has half of
 * them, and the slowest rank decides. */
double orr_shaped_gather_s(const struct orr_shaped *network, double bytes)
{
    const double n = network->ranks, hops_s = hops_of(network) * network->hop_s, rate = network->bytes_per_s;
    const double all_s = (n - 1) / n * bytes / rate;
    const double local = n / orr_max(1, network->groups); /* ranks of a group of a dragonfly */
    switch (network->shape) {
    case ORR_SHAPE_SWITCH:                           /* Eq. 292 */
    case ORR_SHAPE_CONNECTED:                        /* Eq. 293: (n - 1) links of rate / (n - 1) */
    case ORR_SHAPE_TORUS:                            /* Eq. 294: 2 links per dimension */
    case ORR_SHAPE_HYPERCUBE: return hops_s + all_s; /* Eq. 296: log2 n links */
    case ORR_SHAPE_MESH: return hops_s + 2 * all_s;  /* Eq. 295 */
    case ORR_SHAPE_DRAGONFLY:                        /* Eq. 297: shards between groups, then inside a group */
        return hops_s + (local - 1) / local * bytes / rate +
               (1 - 1 / network->groups) * bytes / local / network->global_bytes_per_s;
    case ORR_N_SHAPES: break;
    }
    return 0;
}

/* The largest side, and the rate of one link of a torus or mesh, which has two per dimension. */
static double longest(const struct orr_shaped *network)
{
    double side = 0;
    for (size_t i = 0; i < network->n_sides; i++) side = orr_max(side, network->sides[i]);
    return side;
}

/* All to all, half of the bytes cross the middle of the longest dimension of a torus or mesh; in a hypercube the middle
 * of every dimension has as many links as ranks on one side. */
double orr_shaped_exchange_s(const struct orr_shaped *network, double bytes)
{
    const double n = network->ranks, hops_s = hops_of(network) * network->hop_s, rate = network->bytes_per_s;
    const double all_s = (n - 1) / n * bytes / rate, link = rate / (2 * (double)network->n_sides);
    switch (network->shape) {
    case ORR_SHAPE_SWITCH:
    case ORR_SHAPE_CONNECTED: return hops_s + all_s;
    case ORR_SHAPE_TORUS: return hops_s + longest(network) * bytes / (8 * link);
    case ORR_SHAPE_MESH: return hops_s + longest(network) * bytes / (4 * link);
    case ORR_SHAPE_HYPERCUBE: return hops_s + bytes / (2 * rate / log2(n));
    case ORR_SHAPE_DRAGONFLY:
        return hops_s + orr_max(all_s, (1 - 1 / network->groups) * bytes / network->global_bytes_per_s);
    case ORR_N_SHAPES: break;
    }
    return 0;
}
