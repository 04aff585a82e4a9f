/* Traffic as requests: request i of a stream is a function of the seed and i, so that nothing is stored and the order
 * of asking does not matter. Eqs. 188-190. */
#ifndef ORR_SERVING_TRAFFIC_H
#define ORR_SERVING_TRAFFIC_H

#include "orrery.h"

/* A request as a replica gets it. */
struct orr_ask {
    int64_t id;
    double arrival_s;
    int64_t input_len, output_len;
    int64_t max_output_len; /* what engines reserve */
    uint64_t prefix;        /* requests with equal numbers share their first prefix_len tokens; 0: none */
    int64_t prefix_len;
    bool urgent;     /* goes before all that are not */
    int64_t adapter; /* LoRA adapter from 1 on; 0: none */
    int64_t decode;  /* replica that has reserved room for its cache, from 1 on; 0: none */
};

/* A law prepared for many draws. */
struct orr_law {
    struct orr_lengths lengths;
    double log_mean, log_sigma; /* LOGNORMAL */
};

/* The requests of open arrivals in their order, or every `share`-th of them from `first` on. */
struct orr_stream {
    const struct orr_traffic *traffic;
    struct orr_law input, output;
    int64_t next, share, first;
    double time_s;   /* arrival of the last request that was drawn */
    double expected; /* DIURNAL: mean number of requests up to time_s */
};
struct orr_stream orr_stream_of(const struct orr_traffic *traffic, int64_t first, int64_t share);
/* Draws the next request; false after the last. */
bool orr_stream_next(struct orr_stream *stream, struct orr_ask *ask);
/* Everything about request `id` but its arrival, which is given: users of a closed loop ask when they are answered. */
void orr_stream_ask(const struct orr_stream *stream, int64_t id, double arrival_s, struct orr_ask *ask);
/* The pause of a user before request `id`. */
double orr_think_s(const struct orr_traffic *traffic, int64_t id);

/* The mean of a law as it is drawn: whole numbers, cut. */
double orr_lengths_mean(const struct orr_lengths *lengths);

/* Means of the lengths in the traffic, from the trace where there is one. */
struct orr_mean_lengths {
    double input, output;
    double input_square, output_square; /* means of the squares */
    double max_output;
};
struct orr_mean_lengths orr_traffic_lengths(const struct orr_traffic *traffic);
/* Spread of the contexts of running sequences over their mean (Eq. 322). */
double orr_traffic_context_cv(const struct orr_traffic *traffic);

#endif
