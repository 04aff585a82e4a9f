/* Eqs. 8, 302, 303: experts that the tokens of a group touch, which kernels multiply their rows, and what moves beside
 * the products. Plain arithmetic, shared with the costs and with the tables of measured kernels. */
#ifndef ORR_OPS_EXPERTS_H
#define ORR_OPS_EXPERTS_H

#include "base/number.h"
#include "base/text.h"
#include "orrery.h"

#include <math.h>

/* A probability of e^-40 or less is lost when it is added to 1 in double precision. */
#define ORR_SURE_CHOICES 40.0

/* Experts of one rank that at least one of `tokens` chooses: `places` experts lie on `ranks` ranks, and every token
 * chooses `active` of them at random. */
static inline double orr_experts_touched(double places, double active, double tokens, double ranks)
{
    const double share = active / places;
    if (share * tokens >= ORR_SURE_CHOICES) return places / ranks; /* The power below would be 0: skip it. */
    return orr_min(places / ranks, places * (1 - pow(1 - share, tokens)) / ranks);
}

/* Eq. 267: the same on the busiest rank, where every rank waits for it. The experts of a rank are touched independently
 * of each other, nearly; the largest of R normal numbers is sqrt(2 ln R) - 0.6 standard deviations above their mean,
 * within 4 % from 2 to 64. */
static inline double orr_experts_touched_most(double places, double active, double tokens, double ranks)
{
    const double mean = orr_experts_touched(places, active, tokens, ranks), all = places / ranks;
    if (ranks < 2 || mean >= all) return mean;
    const double deviation = sqrt(mean * (1 - mean / all) * (1 - 1 / ranks));
    return orr_min(orr_min(all, tokens * active), mean + (sqrt(2 * log(ranks)) - 0.6) * deviation);
}

/* Eq. 303: bytes that a serving library moves beside the products of an expert layer. It reads `tokens`, writes `rows`
 * in the order of the experts, applies the activation to their inner elements and sums what comes back. Elements have
 * two bytes; the constants of grouped products are fitted beside exactly these bytes. */
static inline double orr_expert_pass_bytes(double tokens, double rows, double hidden, double width)
{
    return 2 * (tokens * hidden + rows * (2 * hidden + width));
}

/* Eq. 302a: is the shared expert of a layer one more expert of its grouped products, which every token chooses? */
static inline bool orr_shared_is_routed(const struct orr_job *job, const struct orr_layer_kind *kind)
{
    return job->kind == ORR_JOB_INFER && job->engine.fused_shared_of > 0 && job->plan.ep == 1 &&
           kind->n_experts == job->engine.fused_shared_of && !kind->shared_gate &&
           kind->shared_width == kind->expert_width &&
           orr_has_word(job->engine.fused_shared_chips, job->system.chip.family);
}

/* Does the exchange of an expert group that spans data-parallel ranks bring the rows to the experts? */
static inline bool orr_experts_exchange(const struct orr_job *job)
{
    return job->plan.ep * job->plan.etp > job->plan.tp;
}

/* Eq. 302: weights of 8 and 16 bits have Triton kernels in engines that compile them, where the chip has their
 * constants. Behind an exchange block-scaled rows lie as other kernels want them, which the engines then call. */
static inline bool orr_experts_triton(const struct orr_job *job, enum orr_dtype dtype, double weight_bytes)
{
    return job->engine.triton_experts && weight_bytes >= 1 &&
           !(dtype == ORR_DTYPE_FP8_BLOCK && orr_experts_exchange(job)) &&
           job->calibration.gemm[dtype].grouped_triton_dram_frac > 0;
}

#endif
