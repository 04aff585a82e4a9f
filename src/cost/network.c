/* Collectives and sends between scale-up domains: NICs and the tiers above them, priced by every line that the fabric
 * of the system has, of which the fastest is taken and named. Eqs. 58-60. */
#include "cost/network.h"

/* ---------------------------------------------------------------- placement */

/* The members of a group of `ranks` at distance `stride` that a unit of `gpus` GPUs holds, at least 1 (Eq. 60). */
static double inside(int64_t gpus, int64_t ranks, int64_t stride)
{
    const int64_t fit = gpus / stride;
    return fit < 1 ? 1 : (double)(fit < ranks ? fit : ranks);
}

struct orr_placement orr_place(const struct orr_system *system, int64_t ranks, int64_t stride)
{
    const double local = inside(system->domain_gpus, ranks, stride);
    struct orr_placement place = {.ranks = (double)ranks, .local = local, .domains = orr_ceil((double)ranks / local)};
    for (int64_t i = 0; i < system->n_tiers; i++) place.inside[i] = inside(system->tiers[i].gpus, ranks, stride);
    return place;
}

/* ---------------------------------------------------------------- tiers */

/* The share of a unit's uplinks in a tier that the pattern can use: ring steps go to one neighbour, and in an
 * all-to-all everyone sends to everyone (Eq. 60b). `units` are those of the group. */
static double usable_frac(const struct orr_tier *tier, bool all_pairs, double units)
{
    const double others = tier->links > 0 ? (double)tier->links : orr_max(1, units - 1);
    switch (tier->topology) {
    case ORR_TOPOLOGY_SWITCH: return 1;
    case ORR_TOPOLOGY_MESH: return all_pairs ? 1 : 1 / others;
    case ORR_TOPOLOGY_DRAGONFLY: return all_pairs ? 1 : orr_max(0.5, 1 / others);
    case ORR_TOPOLOGY_TORUS: return all_pairs ? 1 / orr_torus_hops(others, units) : 1 / others;
    case ORR_N_TOPOLOGIES: break;
    }
    return 1;
}

/* What crosses the boundary of units that hold `members` of the group, per GPU, if the whole unit sends `total_bytes`
 * for each group, or each rank `bytes` to all others alike (Eqs. 58, 59, 60a). */
struct crossing {
    bool all_pairs;
    double total_bytes;   /* of a unit: ring, tree, reduction in the switch */
    double leaving_bytes; /* all_pairs: of a rank, out of its domain */
};

static double crossing_bytes(const struct crossing *c, const struct orr_placement *place, double members)
{
    if (!c->all_pairs) return c->total_bytes / members;
    return c->leaving_bytes * (place->ranks - members) / (place->ranks - place->local);
}

static double nic_bytes_per_s(const struct orr_system *system)
{
    return system->scaleout_bytes_per_s / system->scaleout_oversubscription;
}

/* The wire time at the nominal rates: that of the slowest of NIC and tiers, which all work at once (Eq. 60a). */
static double wire_s(const struct orr_system *system, const struct orr_placement *place, const struct crossing *c,
                     double nic_frac)
{
    double slowest_s = crossing_bytes(c, place, place->local) / (nic_bytes_per_s(system) * nic_frac);
    for (int64_t i = 0; i < system->n_tiers; i++) {
        const struct orr_tier *tier = &system->tiers[i];
        if (place->inside[i] >= place->ranks) continue;
        const double nominal = tier->bytes_per_s > 0 ? tier->bytes_per_s : system->scaleout_bytes_per_s;
        const double units = orr_ceil(place->ranks / place->inside[i]);
        const double rate = nominal * nic_frac / tier->oversubscription * usable_frac(tier, c->all_pairs, units);
        slowest_s = orr_max(slowest_s, crossing_bytes(c, place, place->inside[i]) / rate);
    }
    return slowest_s;
}

/* ---------------------------------------------------------------- lines */

static double phases(enum orr_collective collective)
{
    return collective == ORR_COLLECTIVE_ALLREDUCE ? 2 : 1;
}

/* Messages that follow one another between `units`, of which the group has `ranks` members (Eq. 58b). */
static double hops(enum orr_collective collective, enum orr_algorithm algorithm, double ranks, double units)
{
    switch (algorithm) {
    case ORR_ALGORITHM_RING: return phases(collective) * (ranks - 1);
    case ORR_ALGORITHM_DIRECT: return ranks - 1; /* one message to every other rank */
    case ORR_ALGORITHM_SHARP: return phases(collective);
    case ORR_ALGORITHM_TREE:
    case ORR_ALGORITHM_HIERARCHICAL:
    case ORR_ALGORITHM_NVLS:
    case ORR_ALGORITHM_ONESHOT:
    case ORR_ALGORITHM_TWOSHOT:
    case ORR_N_ALGORITHMS: break;
    }
    return phases(collective) * orr_ceil(log2(units));
}

/* The latency of a line, with that of the tiers that its hops cross (Eqs. 58b, 60c). */
static double latency_s(const struct orr_system *system, const struct orr_placement *place,
                        const struct orr_fabric_line *line)
{
    double sum_s = line->base_s + hops(line->collective, line->algorithm, place->ranks, place->domains) * line->hop_s;
    for (int64_t i = 0; i < system->n_tiers; i++) {
        if (place->inside[i] >= place->ranks) continue;
        const double units = orr_ceil(place->ranks / place->inside[i]);
        sum_s += hops(line->collective, line->algorithm, units, units) * system->tiers[i].latency_s;
    }
    return sum_s;
}

/* What a line puts on the wire between domains (Eqs. 58, 58c, 58d, 59). */
static struct crossing crossing_of(const struct orr_job *job, const struct orr_op *op,
                                   const struct orr_placement *place, enum orr_algorithm algorithm)
{
    const double bytes = op->payload_bytes;
    if (op->collective == ORR_COLLECTIVE_ALLTOALL)
        return (struct crossing){.all_pairs = true, .leaving_bytes = orr_dispatch_leaving_bytes(job, op, place)};
    if (algorithm == ORR_ALGORITHM_SHARP) return (struct crossing){.total_bytes = bytes};
    if (algorithm == ORR_ALGORITHM_TREE)
        return (struct crossing){.total_bytes = phases(op->collective) * (place->domains - 1) / place->domains * bytes};
    return (struct crossing){.total_bytes =
                                 orr_collective_wire_bytes(op->collective, ORR_ALGORITHM_RING, place->ranks, bytes)};
}

/* The seconds of one line, beside or after the part inside the domain (Eqs. 58, 58a, 58e). */
static double line_s(const struct orr_job *job, const struct orr_op *op, const struct orr_placement *place,
                     const struct orr_fabric_line *line, double nic_frac, double local_s)
{
    const struct crossing crossing = crossing_of(job, op, place, line->algorithm);
    const double efficiency =
        orr_interpolate_log2(line->domains, line->efficiency_frac, line->n_points, place->domains);
    const double out_s = wire_s(&job->system, place, &crossing, nic_frac) / efficiency;
    const double start_s = latency_s(&job->system, place, line);
    if (line->pipelined) {
        const double step_s = orr_max(out_s, start_s);
        return line->after_local ? local_s + step_s : orr_max(local_s, step_s);
    }
    return (line->after_local ? local_s + out_s : orr_max(local_s, out_s)) + start_s;
}

/* The line of a network of which only the numbers of the system's file are known: rings for the wire, a tree for the
 * latency, whichever collective (Eq. 58). An all-to-all sends to all domains at once; that its latency is logarithmic
 * in their number is an assumption. */
static struct orr_fabric_line plain_line(const struct orr_system *system, enum orr_collective collective)
{
    return (struct orr_fabric_line){.collective = collective,
                                    .algorithm = ORR_ALGORITHM_HIERARCHICAL,
                                    .hop_s = system->scaleout_latency_s,
                                    .n_points = 1,
                                    .domains = {1},
                                    .efficiency_frac = {system->scaleout_efficiency_frac}};
}

/* What a plain line amounts to where a domain holds one member: a tree, or a ring of two or three. */
static enum orr_algorithm plain_name(const struct orr_placement *place)
{
    if (place->local > 1) return ORR_ALGORITHM_HIERARCHICAL;
    return place->domains > 3 ? ORR_ALGORITHM_TREE : ORR_ALGORITHM_RING;
}

static void take(double seconds, enum orr_algorithm algorithm, struct orr_cost *cost)
{
    if (seconds >= cost->network_s) return;
    cost->network_s = seconds;
    cost->algorithm = algorithm;
}

void orr_cost_across(const struct orr_job *job, const struct orr_op *op, const struct orr_placement *place,
                     double nic_frac, struct orr_cost *cost)
{
    const struct orr_system *system = &job->system;
    const bool exchange = op->collective == ORR_COLLECTIVE_ALLTOALL;
    double local_s = 0;
    if (place->local > 1) {
        const double bytes = exchange ? orr_dispatch_scaleup_bytes(job, op, place) : op->payload_bytes;
        orr_cost_local(job, op->collective, place->local, bytes, false, cost);
        local_s = cost->network_s;
    }
    bool has_sharp = false;
    cost->network_s = HUGE_VAL;
    for (int64_t i = 0; i < system->fabric.n_lines; i++) {
        const struct orr_fabric_line *line = &system->fabric.lines[i];
        const bool sharp = line->algorithm == ORR_ALGORITHM_SHARP;
        if (line->collective != op->collective || (sharp && !system->scaleout_reduction)) continue;
        take(line_s(job, op, place, line, nic_frac, local_s), line->algorithm, cost);
        has_sharp = has_sharp || sharp;
    }
    struct orr_fabric_line plain = plain_line(system, op->collective);
    if (!(cost->network_s < HUGE_VAL)) take(line_s(job, op, place, &plain, nic_frac, local_s), plain_name(place), cost);
    if (!system->scaleout_reduction || op->collective != ORR_COLLECTIVE_ALLREDUCE || has_sharp) return;
    plain.algorithm = ORR_ALGORITHM_SHARP; /* Where nobody timed it: at the rate and latency of a send. */
    take(line_s(job, op, place, &plain, nic_frac, local_s), ORR_ALGORITHM_SHARP, cost);
}

/* ---------------------------------------------------------------- sends */

/* Eqs. 57 and 74: one message to a neighbour; a boundary of a tier is crossed by the members at the end of a unit only.
 * Ring attention passes ranks - 1 messages in turn. */
void orr_cost_send(const struct orr_job *job, const struct orr_op *op, const struct orr_placement *place,
                   struct orr_cost *cost)
{
    const struct orr_system *system = &job->system;
    const double messages = op->group == ORR_GROUP_CP ? place->ranks - 1 : 1;
    cost->algorithm = ORR_ALGORITHM_DIRECT;
    if (place->domains <= 1) {
        const double rate = orr_send_bytes_per_s(system) * job->calibration.p2p_scaleup_frac;
        cost->network_s = op->payload_bytes / rate + messages * system->scaleup_latency_s;
        return;
    }
    const struct crossing crossing = {.total_bytes = op->payload_bytes};
    struct orr_placement alone = *place;
    /* Each member has its own message and its share of a NIC. Only the last member of a domain sends out of it: if
     * others of the group share its NIC, it has their shares, too. */
    alone.local = orr_min(place->local, orr_max(1, (double)system->gpus_per_nic));
    double hop_s = system->scaleout_latency_s;
    for (int64_t i = 0; i < system->n_tiers; i++)
        if (place->inside[i] < place->ranks) hop_s += system->tiers[i].latency_s;
    cost->network_s = wire_s(system, &alone, &crossing, 1) / system->scaleout_efficiency_frac + messages * hop_s;
}
