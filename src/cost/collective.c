/* Collectives: every algorithm and protocol with measured or family constants is priced, and the fastest is taken and
 * named. The placement of the group and the payload give seconds. This file has what happens inside one scale-up
 * domain; network.c has the rest. Eqs. 49-63. */
#include "base/text.h"
#include "cost/network.h"
#include "spec/names.h"

#include <assert.h>
#include <math.h>

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
    case ORR_ALGORITHM_SHARP: return bytes;           /* Eq. 58d */
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
    case ORR_ALGORITHM_NVLS:
    case ORR_ALGORITHM_SHARP: return phases;
    case ORR_N_ALGORITHMS: break;
    }
    return phases;
}

double orr_interpolate_log2(const double *x, const double *y, int64_t n, double at)
{
    int64_t i = 0;
    while (i < n && x[i] < at) i++;
    if (i < n && (i == 0 || x[i] <= at)) return y[i];
    if (i == n) return y[n - 1];
    const double x0 = log2(x[i - 1]), x1 = log2(x[i]), y0 = y[i - 1];
    return y0 + (y[i] - y0) * (log2(at) - x0) / (x1 - x0);
}

/* Eq. 396: the kernels of its own that the engine has for a collective, a bit each. On chips on which none of them was
 * timed it has those of TensorRT-LLM. */
static unsigned own_kernels(const struct orr_job *job, enum orr_collective collective)
{
    unsigned named = 0, timed = 0;
    if (job->kind != ORR_JOB_INFER || !job->engine.custom_allreduce) return 0;
    for (unsigned k = 0; *job->engine.allreduce_kernels && k < ORR_N_ALLREDUCE_KERNELS; k++)
        if (orr_has_word(job->engine.allreduce_kernels, orr_allreduce_kernel_names[k])) named |= 1U << k;
    for (int64_t i = 0; named && i < job->calibration.n_lines; i++) {
        const struct orr_collective_line *line = &job->calibration.lines[i];
        if (line->custom && line->collective == collective) timed |= 1U << line->kernel;
    }
    return named & timed ? named & timed : 1U << ORR_ALLREDUCE_TRTLLM;
}

/* A serving engine's own kernels (`own`) reach the memory of all ranks, so that they are for groups inside a domain. */
static bool line_usable(const struct orr_job *job, const struct orr_collective_line *line,
                        enum orr_collective collective, unsigned own)
{
    if (line->custom && !(own >> line->kernel & 1U)) return false;
    const bool multicast = job->system.scaleup_switched && job->system.scaleup_multicast;
    return line->collective == collective && (line->algorithm != ORR_ALGORITHM_NVLS || multicast);
}

/* The cost inside one scale-up domain, which has the whole group or a part of it: that of the fastest line. */
void orr_cost_local(const struct orr_job *job, enum orr_collective collective, double ranks, double bytes, bool whole,
                    struct orr_cost *cost)
{
    double best_s = HUGE_VAL;
    const unsigned own = whole ? own_kernels(job, collective) : 0;
    const double ring_rate = orr_scaleup_bytes_per_s(job, ORR_ALGORITHM_RING, ranks);
    const double direct_rate = orr_scaleup_bytes_per_s(job, ORR_ALGORITHM_DIRECT, ranks);
    for (int64_t i = 0; i < job->calibration.n_lines; i++) {
        const struct orr_collective_line *line = &job->calibration.lines[i];
        if (!line_usable(job, line, collective, own) || (line->most_bytes > 0 && bytes > line->most_bytes)) continue;
        const double latency_s = line->base_s + orr_collective_hops(collective, line->algorithm, ranks) * line->hop_s;
        const double rate = orr_is_direct(line->algorithm) ? direct_rate : ring_rate;
        const double wire_s = orr_collective_wire_bytes(collective, line->algorithm, ranks, bytes) /
                              (rate * orr_interpolate_log2(line->ranks, line->efficiency_frac, line->n_points, ranks));
        if (latency_s + wire_s < best_s) {
            best_s = latency_s + wire_s;
            cost->algorithm = line->algorithm;
        }
    }
    assert(best_s < HUGE_VAL);
    cost->network_s = best_s;
}

/* The share of the NICs that a collective has while others run beside it: gathers of sharded weights do not use all
 * rails of a node. */
static double nic_frac(const struct orr_job *job, const struct orr_op *op)
{
    const bool sharded = job->plan.zero == 3 && (op->group == ORR_GROUP_DP || op->group == ORR_GROUP_EDP);
    return sharded ? job->engine.zero3_nic_frac : 1;
}

/* Eq. 135: broadcasts that follow one another each go round a ring of all ranks: hops between domains and inside. */
static double broadcasts_s(const struct orr_job *job, const struct orr_op *op, const struct orr_placement *place)
{
    const double across = place->domains - 1, inside = place->ranks - place->domains;
    return (op->launches - 1) * (across * job->system.scaleout_latency_s + inside * job->system.scaleup_latency_s);
}

void orr_cost_collective(const struct orr_job *job, const struct orr_op *op, struct orr_cost *cost)
{
    if (op->group == ORR_GROUP_HOST) {
        const double time_s = op->payload_bytes / orr_host_rate(job, op->from_drives);
        *cost = (struct orr_cost){.bound = ORR_BOUND_NETWORK, .network_s = time_s, .total_s = time_s};
        return;
    }
    const int64_t ranks = orr_op_ranks(&job->plan, op), stride = orr_group_stride(&job->plan, op->group);
    const struct orr_placement place = orr_place(&job->system, ranks, stride);
    *cost = (struct orr_cost){.bound = ORR_BOUND_NETWORK, .across = place.domains > 1};
    if (op->collective == ORR_COLLECTIVE_P2P) orr_cost_send(job, op, &place, cost);
    else if (place.domains > 1) orr_cost_across(job, op, &place, nic_frac(job, op), cost);
    else if (op->collective == ORR_COLLECTIVE_ALLTOALL)
        orr_cost_local(job, op->collective, place.ranks, orr_dispatch_scaleup_bytes(job, op, &place), true, cost);
    else orr_cost_local(job, op->collective, place.ranks, op->payload_bytes, true, cost);
    if (op->launches > 1) cost->network_s += broadcasts_s(job, op, &place);
    if (job->kind == ORR_JOB_INFER) cost->network_s += job->engine.allreduce_skew_s;
    else if (place.domains > 1 && (op->group == ORR_GROUP_TP || op->group == ORR_GROUP_ETP))
        cost->network_s += orr_largest_normal(place.ranks) * job->engine.skew_s; /* Eq. 134 */
    cost->total_s = cost->network_s;
}
