/* Caches on their way from prefill to decode replicas. A replica's transfers share its links equally, on both ends.
 * Eqs. 246, 247. */
#ifndef ORR_SERVING_LINK_H
#define ORR_SERVING_LINK_H

#include "serving/replica.h"

struct orr_transfer {
    struct orr_handover handover;
    int64_t from, to;   /* replicas, by their index in the fleet; from -1: it has stopped meanwhile */
    double left_frac;   /* of the whole cache */
    double out_s, in_s; /* whole cache over free links of the sender, of the receiver */
    double latency_s;
};

struct orr_links {
    struct orr_transfer *items;
    size_t n, room;
    int64_t n_replicas;
    int64_t *sending, *receiving; /* transfers by replica */
    double now_s;
    double *busy_s; /* by replica: time in which it sends */
};

bool orr_links_open(struct orr_links *links, int64_t n_replicas); /* false: out of memory */
void orr_links_close(struct orr_links *links);
/* Lets time pass; no transfer may end before. */
void orr_links_advance(struct orr_links *links, double time_s);
/* Begins a transfer at the time up to which the links were advanced. False: out of memory. */
bool orr_links_start(struct orr_links *links, const struct orr_transfer *transfer);
/* The end of the next transfer; HUGE_VAL: none. `which` gets its index. */
double orr_links_next_s(const struct orr_links *links, size_t *which);
/* Removes a transfer. */
struct orr_transfer orr_links_take(struct orr_links *links, size_t which);
/* A sender stops: its transfers end as if nothing had happened, but it is not told. */
void orr_links_forget(struct orr_links *links, int64_t replica);

#endif
