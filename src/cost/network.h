/* What the files about collectives share: the placement of a group gives links, and links give seconds. */
#ifndef ORR_COST_NETWORK_H
#define ORR_COST_NETWORK_H

#include "cost/cost.h"

/* Is it an algorithm in which every rank sends to every other rank itself? */
bool orr_is_direct(enum orr_algorithm algorithm);
/* The mean number of torus links that a byte to another of `units` crosses if a unit uses `links` of them (Eq. 57d). */
double orr_torus_hops(double links, double units);

/* Interpolates y over x linearly in log2 x; constant beyond the first and the last of the n points. */
double orr_interpolate_log2(const double *x, const double *y, int64_t n, double at);

/* Sets network_s and algorithm of a collective inside one domain (collective.c). */
void orr_cost_local(const struct orr_job *job, enum orr_collective collective, double ranks, double bytes, bool whole,
                    struct orr_cost *cost);

/* Bytes that one rank sends over the scale-up network in an all-to-all, and bytes that leave its domain
 * (dispatch.c). */
double orr_dispatch_scaleup_bytes(const struct orr_job *job, const struct orr_op *op,
                                  const struct orr_placement *place);
double orr_dispatch_leaving_bytes(const struct orr_job *job, const struct orr_op *op,
                                  const struct orr_placement *place);

/* Set network_s and algorithm of a collective that spans domains, which has `nic_frac` of the NICs, and of a send
 * (network.c). */
void orr_cost_across(const struct orr_job *job, const struct orr_op *op, const struct orr_placement *place,
                     double nic_frac, struct orr_cost *cost);
void orr_cost_send(const struct orr_job *job, const struct orr_op *op, const struct orr_placement *place,
                   struct orr_cost *cost);

#endif
