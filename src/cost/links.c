/* Links inside a scale-up domain: what of them a group can use. Eqs. 57a-57d. */
#include "cost/network.h"

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

/* A byte crosses a quarter of each side of the torus, over all ranks other than the sender (Eq. 57d). */
double orr_torus_hops(double links, double units)
{
    const double dimensions = orr_max(1, links / 2);
    return orr_max(1, dimensions * pow(units, 1 / dimensions) / 4 * units / (units - 1));
}

bool orr_is_direct(enum orr_algorithm algorithm)
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
    return orr_is_direct(algorithm) ? shared / orr_torus_hops(used, ranks) : shared;
}

double orr_send_bytes_per_s(const struct orr_system *system)
{
    if (system->scaleup_switched) return system->scaleup_bytes_per_s;
    if (fully_connected(system)) return system->scaleup_bytes_per_s / orr_max(1, (double)system->domain_gpus - 1);
    return system->scaleup_bytes_per_s / (double)system->scaleup_links;
}
