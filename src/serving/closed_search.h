/* What the files of the closed form share while a steady state is looked for: closed.c for replicas that step by
 * themselves, together.c for ranks that step together. */
#ifndef ORR_SERVING_CLOSED_SEARCH_H
#define ORR_SERVING_CLOSED_SEARCH_H

#include "serving/closed.h"

/* A replica and its demand while a steady state is looked for. */
struct orr_closed_search {
    const struct orr_replica_facts *facts;
    struct orr_steps *steps;
    const struct orr_demand *demand;
    double scale;
    bool mixes;
    double budget, context, further; /* decode steps of an answer after the first token */
    double request_s;                /* handling of a request before the engine sees it */
    double spread;                   /* a prompt over one of mean length, as lengths vary */
};

/* A decode step of a number of sequences that need not be whole. */
double orr_closed_decode_s(const struct orr_closed_search *s, double n);
/* A step with `tokens` of prompts that have `cached` tokens each in the cache, beside n decoding sequences. */
double orr_closed_prompt_s(const struct orr_closed_search *s, double tokens, double prompts, double cached, double n);

/* ---------------------------------------------------------------- together.c */

/* Steps of ranks that share experts, n sequences of each decoding. */
struct orr_together {
    double tau_s;      /* of a step in which nobody has prompts: that of the fullest rank (Eq. 270) */
    double prompt_s;   /* mean of steps in which somebody has (Eq. 271) */
    double mean_s;     /* of all steps (Eq. 272) */
    double rest_s;     /* of the step that runs when a request comes */
    double own_s;      /* of the step that has a request's own prompt */
    double token_s;    /* from token to token of a sequence (Eq. 273) */
    double rate_per_s; /* requests of one rank */
    double load;       /* share of the largest rate at which prompts can be computed */
    double none_frac;  /* share of steps without prompts */
    double at_once;    /* prompts of all ranks in a step with prompts */
    double chunks;     /* steps of one prompt */
};
struct orr_together orr_together_of(const struct orr_closed_search *s, double n);

#endif
