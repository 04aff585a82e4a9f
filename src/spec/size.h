/* A request of kind "size": how much of which hardware a traffic needs within its limits. */
#ifndef ORR_SPEC_SIZE_H
#define ORR_SPEC_SIZE_H

#include "orrery.h"

enum { ORR_SIZE_SYSTEMS = 16, ORR_SIZE_GPUS = 64, ORR_SIZE_GPUS_MAX = 4096 };

struct orr_size_request {
    size_t n_systems;
    struct orr_serving_request
        *services;                     /* owned, by system: traffic and limits, which are equal; jobs without a plan */
    struct orr_search_request *spaces; /* owned, by system: what plans may be */
    struct orr_choices batch, chunk;   /* limits of an engine's step to try: sequences, tokens; empty: the usual */
    int64_t budget_gpus;
    double budget_usd_per_h; /* 0: none */
    bool by_gpus;            /* the fewest GPUs are wanted, not the fewest dollars */
};

/* Reads a request of the JSON contract (docs/size.md). */
enum orr_err orr_size_read(const struct orr_catalogue *catalogue, const char *json, const char *origin,
                           struct orr_size_request *request, struct orr_error *error);
void orr_size_request_close(struct orr_size_request *request);

#endif
