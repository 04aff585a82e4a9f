/* The bytes of an all-to-all that dispatches tokens to experts, inside and between domains. Eqs. 9a-9c. */
#include "cost/network.h"

/* How many of g equal shares of `n_experts` hold at least one of a token's k: g (1 - C(E - E/g, k) / C(E, k)). */
static double shares_reached(double n_experts, int32_t n_active, double shares)
{
    double missed = 1;
    for (int32_t i = 0; i < n_active; i++) missed *= orr_max(0, 1 - n_experts / shares / (n_experts - i));
    return shares * (1 - missed);
}

/* Ranks that a token is sent to. A router that is limited to some groups of experts chooses among the experts and ranks
 * of these groups alone. */
static double ranks_reached(const struct orr_op *op, double ranks)
{
    const double limit = op->n_groups > 0 ? (double)op->n_groups_active / op->n_groups : 1;
    return orr_min(ranks, shares_reached(op->n_experts * limit, op->n_active, orr_max(1, ranks * limit)));
}

/* Does the dispatcher send a token once to every rank, not to every expert? Between domains it sends the token once to
 * every domain, but only if the router limits the domains of a token. */
static bool sends_once(const struct orr_job *job, const struct orr_op *op, const struct orr_placement *place)
{
    const bool once = job->engine.moe_dedup || (job->engine.moe_dedup_between && place->domains > 1);
    return once && op->group == ORR_GROUP_EP && op->n_active > 0 && (place->domains <= 1 || op->n_groups_active > 0);
}

/* A copy per expert in its own domain (Eq. 9a), or a copy per rank reached, including copies that arrived over the
 * network and are passed on (Eq. 9b). */
double orr_dispatch_scaleup_bytes(const struct orr_job *job, const struct orr_op *op, const struct orr_placement *place)
{
    if (sends_once(job, op, place))
        return orr_min(op->payload_bytes, op->payload_bytes / op->n_active * ranks_reached(op, place->ranks));
    return op->payload_bytes * place->local / place->ranks;
}

/* A copy per expert (Eq. 9a), or one per token and domain, for at most as many domains as the router allows (Eqs. 9b,
 * 9c). */
double orr_dispatch_leaving_bytes(const struct orr_job *job, const struct orr_op *op, const struct orr_placement *place)
{
    const double all = op->payload_bytes * (place->ranks - place->local) / place->ranks;
    if (!sends_once(job, op, place)) return all;
    const double reached = orr_min(shares_reached(op->n_experts, op->n_active, place->domains), op->n_groups_active);
    return orr_min(all, op->payload_bytes / op->n_active * reached * (place->domains - 1) / place->domains);
}
