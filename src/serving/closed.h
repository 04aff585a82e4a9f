/* The steady state of a service in closed form. Eqs. 211-223. */
#ifndef ORR_SERVING_CLOSED_H
#define ORR_SERVING_CLOSED_H

#include "predict/interval.h"
#include "serving/replica.h"

/* Eq. 276: the largest rate of ranks that step together is known to a sixth: a service that has a steady state at this
 * share of its rate is not called saturated, and no bound of a sizing is taken at more. */
#define ORR_CERTAIN_FRAC 0.85

/* A steady state of one replica. */
struct orr_steady {
    double ttft_s, tpot_s;
    double step_s;        /* mean time of a decode step, with what prompts add to it */
    double rate_per_s;    /* requests */
    double decodes;       /* mean number of decoding sequences */
    double waiting_s;     /* queue before admission */
    double handling_s;    /* of a request before the engine sees it */
    double prompt_load;   /* share of time that prompts add: lambda a */
    double prompt_tokens; /* of a step with prompts */
    double busy_frac;
    bool limited; /* the cache or the limit of sequences binds */
    bool stable;  /* false: no steady state at this rate */
};

/* What is asked of one replica. */
struct orr_demand {
    double rate_per_s;     /* 0: a closed loop */
    double users, think_s; /* closed loop */
    double requests;       /* of the whole run; 0: endless, without the burst at its start */
    double input, output, output_square, max_output;
    bool received;      /* prompts are computed by another pool */
    double input_deviation; /* standard deviation of prompts */
    bool equal_lengths; /* all answers are equally long, so that users march in step */
};
struct orr_demand orr_demand_of(const struct orr_traffic *traffic, const struct orr_mean_lengths *lengths,
                                double replicas);

/* Eqs. 211-223; `scale` multiplies every step (1: none), for the error of the model. */
struct orr_steady orr_steady_of(const struct orr_replica_facts *facts, struct orr_steps *steps,
                                const struct orr_demand *demand, double scale);
/* Writes the times and rates of a steady state into the result of the whole system. */
void orr_steady_means(const struct orr_job *job, const struct orr_replica_facts *facts, const struct orr_demand *demand,
                      const struct orr_steady *steady, struct orr_serving_result *result);
/* The same with energy and cost. */
void orr_steady_result(const struct orr_job *job, const struct orr_replica_facts *facts,
                       const struct orr_demand *demand, const struct orr_steady *steady, struct orr_scratch *scratch,
                       struct orr_serving_result *result);

/* As orr_closed_form_solve, without intervals, energy and cost, for those who solve many times; `lengths` are those of
 * the traffic. */
void orr_closed_form_means(struct orr_closed_form *form, const struct orr_traffic *traffic,
                           const struct orr_mean_lengths *lengths, struct orr_serving_result *result);

/* How sure the steps and first tokens of a service are. */
struct orr_serving_doubt {
    struct orr_exposure exposure; /* what binds the steps */
    struct orr_interval step, first;
};
/* The doubts of a job whose steady state is `middle`, at these mean lengths. */
struct orr_serving_doubt orr_serving_doubt_of(const struct orr_job *job, double input, double output,
                                              const struct orr_steady *middle, struct orr_scratch *scratch);
/* What the steady states with steps at the low and the high end of that doubt say of a result whose own is `middle`. */
void orr_serving_spread(const struct orr_serving_doubt *doubt, double output, const struct orr_steady *middle,
                        const struct orr_steady ends[2], struct orr_serving_result *result);
/* Eqs. 210 and 236: the 80 % intervals, of the model's error and of a finite run (interval.c); the result carries the
 * latter when called. */
void orr_serving_intervals(const struct orr_job *job, const struct orr_replica_facts *facts,
                           const struct orr_demand *demand, struct orr_steps *steps, const struct orr_steady *middle,
                           struct orr_scratch *scratch, struct orr_serving_result *result);

#endif
