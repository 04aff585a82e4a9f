/* Collectives: every algorithm and protocol with measured or family constants is priced, and the fastest is taken and
 * named. The placement of the group and the payload give seconds. Eqs. 49-63. */
#include "cost/cost.h"

#include "base/number.h"

#include <assert.h>
#include <math.h>

struct orr_placement orr_place(const struct orr_system *system, int64_t ranks, int64_t stride)
{
    const int64_t fit = system->domain_gpus / stride;
    const double local = fit < 1 ? 1 : (double)(fit < ranks ? fit : ranks);
    return (struct orr_placement){.ranks = (double)ranks, .local = local, .domains = orr_ceil((double)ranks / local)};
}

double orr_collective_wire_bytes(enum orr_collective collective, enum orr_algorithm algorithm, double ranks,
                                 double bytes)
{
    const double once = (ranks - 1) / ranks * bytes;
    if (collective == ORR_COLLECTIVE_P2P) return bytes;      /* Eq. 57 */
    if (collective != ORR_COLLECTIVE_ALLREDUCE) return once; /* Eqs. 55, 56 */
    switch (algorithm) {
    case ORR_ALGORITHM_TREE: return 2 * bytes;               /* Eq. 50 */
    case ORR_ALGORITHM_NVLS: return (1 + 1 / ranks) * bytes; /* Eq. 54 */
    case ORR_ALGORITHM_ONESHOT: return (ranks - 1) * bytes;  /* Eq. 53 */
    case ORR_ALGORITHM_RING:
    case ORR_ALGORITHM_DIRECT:
    case ORR_ALGORITHM_TWOSHOT:
    case ORR_ALGORITHM_HIERARCHICAL: return 2 * once; /* Eqs. 49, 52, 58 */
    case ORR_N_ALGORITHMS: break;
    }
    return 2 * once;
}

double orr_collective_hops(enum orr_collective collective, enum orr_algorithm algorithm, double ranks)
{
    const double phases = collective == ORR_COLLECTIVE_ALLREDUCE ? 2 : 1;
    switch (algorithm) {
    case ORR_ALGORITHM_RING: return phases * (ranks - 1);
    case ORR_ALGORITHM_TREE:
    case ORR_ALGORITHM_HIERARCHICAL: return phases * orr_ceil(log2(ranks));
    case ORR_ALGORITHM_ONESHOT:
    case ORR_ALGORITHM_TWOSHOT: return log2(ranks); /* Every rank waits for the flags of all others. */
    case ORR_ALGORITHM_DIRECT:
    case ORR_ALGORITHM_NVLS: return phases;
    case ORR_N_ALGORITHMS: break;
    }
    return phases;
}

/* The efficiency at n ranks: linear in log2 n between the fitted points, and constant beyond them. */
static double line_efficiency(const struct orr_collective_line *line, double ranks)
{
    int64_t i = 0;
    while (i < line->n_points && line->ranks[i] < ranks) i++;
    if (i < line->n_points && (i == 0 || line->ranks[i] <= ranks)) return line->efficiency_frac[i];
    if (i == line->n_points) return line->efficiency_frac[line->n_points - 1];
    const double x0 = log2(line->ranks[i - 1]), x1 = log2(line->ranks[i]), y0 = line->efficiency_frac[i - 1];
    return y0 + (line->efficiency_frac[i] - y0) * (log2(ranks) - x0) / (x1 - x0);
}

static bool line_usable(const struct orr_job *job, const struct orr_collective_line *line,
                        enum orr_collective collective)
{
    if (line->custom && (job->kind != ORR_JOB_INFER || !job->engine.custom_allreduce)) return false;
    const bool multicast = job->system.scaleup_switched && job->system.scaleup_multicast;
    return line->collective == collective && (line->algorithm != ORR_ALGORITHM_NVLS || multicast);
}

/* ---------------------------------------------------------------- links inside a domain */

/* Without a switch, the rate of a GPU is that of all its links together: one link to every other GPU of the domain, or
 * the links of a torus. */
static bool fully_connected(const struct orr_system *system)
{
    return system->scaleup_links <= 0 || system->scaleup_links >= system->domain_gpus - 1;
}

/* The links of a torus that lead from a rank to others of its group. A group fills whole dimensions as far as it can,
 * so a group of n of the job's N GPUs has log n / log N of the links (Eq. 57b). A part of a domain has no wrap-around,
 * so each doubling adds one neighbour (Eq. 57c). */
static double torus_links(const struct orr_job *job, double ranks)
{
    const double domain = (double)job->system.domain_gpus, whole = orr_min(domain, (double)job->plan.gpus);
    const double links = (double)job->system.scaleup_links, doublings = log2(ranks);
    double used = whole > 1 ? links * doublings / log2(whole) : links;
    if (whole < domain) used = orr_min(used, doublings);
    return orr_min(links, orr_max(1, used));
}

/* The mean number of torus links that a byte to another rank of the group crosses: a quarter of each side, over all
 * ranks other than the sender (Eq. 57d). */
static double torus_hops(double used, double ranks)
{
    const double dimensions = orr_max(1, used / 2);
    return orr_max(1, dimensions * pow(ranks, 1 / dimensions) / 4 * ranks / (ranks - 1));
}

static bool is_direct(enum orr_algorithm algorithm)
{
    return algorithm == ORR_ALGORITHM_DIRECT || algorithm == ORR_ALGORITHM_ONESHOT ||
           algorithm == ORR_ALGORITHM_TWOSHOT;
}

double orr_scaleup_bytes_per_s(const struct orr_job *job, enum orr_algorithm algorithm, double ranks)
{
    const struct orr_system *system = &job->system;
    const double rate = system->scaleup_bytes_per_s, others = orr_max(1, (double)system->domain_gpus - 1);
    if (system->scaleup_switched || ranks < 2) return rate;
    if (fully_connected(system)) return rate * orr_min(1, (ranks - 1) / others); /* Eq. 57a */
    const double used = torus_links(job, ranks), shared = rate * used / (double)system->scaleup_links;
    return is_direct(algorithm) ? shared / torus_hops(used, ranks) : shared;
}

/* One message to a neighbour uses one link. */
static double send_bytes_per_s(const struct orr_system *system)
{
    if (system->scaleup_switched) return system->scaleup_bytes_per_s;
    if (fully_connected(system)) return system->scaleup_bytes_per_s / orr_max(1, (double)system->domain_gpus - 1);
    return system->scaleup_bytes_per_s / (double)system->scaleup_links;
}

/* The cost inside one scale-up domain: that of the fastest line. */
static void cost_local(const struct orr_job *job, enum orr_collective collective, double ranks, double bytes,
                       struct orr_cost *cost)
{
    double best_s = HUGE_VAL;
    const double ring_rate = orr_scaleup_bytes_per_s(job, ORR_ALGORITHM_RING, ranks);
    const double direct_rate = orr_scaleup_bytes_per_s(job, ORR_ALGORITHM_DIRECT, ranks);
    for (int64_t i = 0; i < job->calibration.n_lines; i++) {
        const struct orr_collective_line *line = &job->calibration.lines[i];
        if (!line_usable(job, line, collective)) continue;
        const double latency_s = line->base_s + orr_collective_hops(collective, line->algorithm, ranks) * line->hop_s;
        const double rate = is_direct(line->algorithm) ? direct_rate : ring_rate;
        const double wire_s = orr_collective_wire_bytes(collective, line->algorithm, ranks, bytes) /
                              (rate * line_efficiency(line, ranks));
        if (latency_s + wire_s < best_s) {
            best_s = latency_s + wire_s;
            cost->algorithm = line->algorithm;
        }
    }
    assert(best_s < HUGE_VAL);
    cost->network_s = best_s;
}

static double scaleout_bytes_per_s(const struct orr_system *system)
{
    return system->scaleout_bytes_per_s * system->scaleout_efficiency_frac / system->scaleout_oversubscription;
}

/* How many of g equal groups of ranks hold at least one of a token's k experts: g (1 - C(E - E/g, k) / C(E, k)). */
static double groups_reached(const struct orr_op *op, double groups)
{
    const double n_experts = op->n_experts;
    double missed = 1;
    for (int32_t i = 0; i < op->n_active; i++) missed *= orr_max(0, 1 - n_experts / groups / (n_experts - i));
    return groups * (1 - missed);
}

/* Does the dispatcher send a token once to every rank, not to every expert? Between domains it sends the token once to
 * every domain, but only if the router limits the domains of a token. */
static bool sends_once(const struct orr_job *job, const struct orr_op *op, struct orr_placement place)
{
    return job->engine.moe_dedup && op->group == ORR_GROUP_EP && op->n_active > 0 &&
           (place.domains <= 1 || op->n_groups_active > 0);
}

/* Bytes that one rank sends over the scale-up network in an all-to-all: a copy per expert in its own domain (Eq. 9a),
 * or a copy per rank reached, including copies that arrived over the network and are passed on (Eq. 9b). */
static double scaleup_bytes(const struct orr_job *job, const struct orr_op *op, struct orr_placement place)
{
    if (sends_once(job, op, place))
        return orr_min(op->payload_bytes, op->payload_bytes / op->n_active * groups_reached(op, place.ranks));
    return op->payload_bytes * place.local / place.ranks;
}

/* Bytes that leave the domain of a rank: a copy per expert (Eq. 9a), or one per token and domain, for at most as many
 * domains as the router allows (Eqs. 9b, 9c). */
static double leaving_bytes(const struct orr_job *job, const struct orr_op *op, struct orr_placement place)
{
    const double all = op->payload_bytes * (place.ranks - place.local) / place.ranks;
    if (!sends_once(job, op, place)) return all;
    const double reached = orr_min(groups_reached(op, place.domains), op->n_groups_active);
    return orr_min(all, op->payload_bytes / op->n_active * reached * (place.domains - 1) / place.domains);
}

/* Across domains, the payload is divided over the local ranks, each with its own link to the network. Both levels work
 * at the same time, so the slower one sets the time (Eqs. 58, 59 pipelined). The latency is that of a ring or a tree
 * over the domains, whichever is less. */
static void cost_hierarchical(const struct orr_job *job, const struct orr_op *op, struct orr_placement place,
                              double rails_frac, struct orr_cost *cost)
{
    const double bytes = op->payload_bytes, rate = scaleout_bytes_per_s(&job->system) * rails_frac;
    double local_s = 0, out_bytes;
    if (op->collective == ORR_COLLECTIVE_ALLTOALL) { /* Eq. 59: bytes per rank that leave the domain */
        out_bytes = leaving_bytes(job, op, place);
        if (place.local > 1) cost_local(job, op->collective, place.local, scaleup_bytes(job, op, place), cost);
    } else {
        out_bytes = orr_collective_wire_bytes(op->collective, ORR_ALGORITHM_RING, place.ranks, bytes) / place.local;
        if (place.local > 1) cost_local(job, op->collective, place.local, bytes, cost);
    }
    local_s = cost->network_s;
    const double ring = orr_collective_hops(op->collective, ORR_ALGORITHM_RING, place.domains);
    const double tree = orr_collective_hops(op->collective, ORR_ALGORITHM_TREE, place.domains);
    /* An all-to-all sends to all domains at once. Its latency is taken as logarithmic in the number of domains,
     * which is an assumption. */
    const double hops = orr_min(ring, tree);
    cost->algorithm = place.local > 1 ? ORR_ALGORITHM_HIERARCHICAL
                      : hops < ring   ? ORR_ALGORITHM_TREE
                                      : ORR_ALGORITHM_RING;
    cost->network_s = orr_max(local_s, out_bytes / rate) + hops * job->system.scaleout_latency_s;
}

/* Eqs. 57 and 74: one message to a neighbour. Ring attention passes ranks - 1 messages in turn. */
static void cost_p2p(const struct orr_job *job, const struct orr_op *op, struct orr_placement place,
                     struct orr_cost *cost)
{
    const double messages = op->group == ORR_GROUP_CP ? place.ranks - 1 : 1;
    const bool local = place.domains <= 1;
    const double rate =
        local ? send_bytes_per_s(&job->system) * job->calibration.p2p_scaleup_frac : scaleout_bytes_per_s(&job->system);
    const double hop_s = local ? job->system.scaleup_latency_s : job->system.scaleout_latency_s;
    cost->algorithm = ORR_ALGORITHM_DIRECT;
    cost->network_s = op->payload_bytes / rate + messages * hop_s;
}

void orr_cost_collective(const struct orr_job *job, const struct orr_op *op, struct orr_cost *cost)
{
    const int64_t ranks = orr_group_ranks(&job->plan, op->group), stride = orr_group_stride(&job->plan, op->group);
    const struct orr_placement place = orr_place(&job->system, ranks, stride);
    const bool sharded = job->plan.zero == 3 && (op->group == ORR_GROUP_DP || op->group == ORR_GROUP_EDP);
    *cost = (struct orr_cost){.bound = ORR_BOUND_NETWORK};
    if (op->collective == ORR_COLLECTIVE_P2P) cost_p2p(job, op, place, cost);
    else if (place.domains <= 1)
        cost_local(job, op->collective, place.ranks,
                   op->collective == ORR_COLLECTIVE_ALLTOALL ? scaleup_bytes(job, op, place) : op->payload_bytes, cost);
    else cost_hierarchical(job, op, place, sharded ? job->engine.zero3_nic_frac : 1, cost);
    if (job->kind == ORR_JOB_INFER) cost->network_s += job->engine.allreduce_skew_s;
    else if (place.domains > 1 && (op->group == ORR_GROUP_TP || op->group == ORR_GROUP_ETP))
        cost->network_s += (place.ranks - 1) * job->engine.skew_hop_s; /* Eq. 149 */
    cost->total_s = cost->network_s;
}
