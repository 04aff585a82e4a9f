/* From finished requests and sums of a replica to a result. Eqs. 206-210. */
#ifndef ORR_SERVING_RESULT_H
#define ORR_SERVING_RESULT_H

#include "serving/replica.h"

/* The times of one finished request; gaps between its tokens by their mean, 0 for an answer of one token. */
void orr_record_times(const struct orr_request_record *record, double value_s[ORR_N_TIMINGS]);
/* The value at a quantile of an orr_slo; 0 is the mean. */
double orr_timing_at(const struct orr_timing *spread, double quantile);

/* Simulate as orr_simulate does, with steps of the same plan that the caller keeps from run to run. */
enum orr_err orr_simulate_on(const struct orr_job *job, const struct orr_traffic *traffic,
                             const struct orr_simulation *how, struct orr_steps *steps, struct orr_scratch *scratch,
                             struct orr_serving_result *result, struct orr_error *error);
/* The same with ORR_MAX_POOLS tables of steps, one per pool of the deployment in `how`; those that are NULL are made
 * for the run. */
enum orr_err orr_simulate_pools(const struct orr_job *job, const struct orr_traffic *traffic,
                                const struct orr_simulation *how, struct orr_steps *const *steps,
                                struct orr_scratch *scratch, struct orr_serving_result *result,
                                struct orr_error *error);

/* Sums over groups of successive requests, whose spread tells how far the mean of a finite run is off (Eq. 207). When
 * all groups are full, neighbours are joined and groups become twice as large. */
enum { ORR_BATCHES = 40 };
struct orr_batches {
    int64_t size, n, filled; /* requests of a group; groups; requests of the last group */
    double sum[ORR_BATCHES];
};

/* Everything that finished requests tell. */
struct orr_tally {
    struct orr_sketch spread[ORR_N_TIMINGS]; /* ITL is the replica's */
    struct orr_batches batches[ORR_N_TIMINGS];
    struct orr_sketch transfer;         /* of caches between pools */
    struct orr_sketch ttft_by_class[2]; /* [1] urgent requests */
    bool by_class;                      /* some requests are urgent */
    int64_t finished, counted, kept;    /* all; after the warm-up; of these within every limit */
    double input_tokens, output_tokens, cached_tokens;
    double from_s; /* end of the warm-up */
    bool warm;
    const struct orr_slo *slos;
    size_t n_slos;
};
bool orr_tally_open(struct orr_tally *tally); /* keeps from_s and slos */
void orr_tally_close(struct orr_tally *tally);
void orr_tally_add(struct orr_tally *tally, const struct orr_request_record *record);
/* The result of `dp` replicas that all fare like this one. `last_s` is the end of the last request. */
void orr_tally_result(struct orr_tally *tally, const struct orr_job *job, struct orr_scratch *scratch,
                      struct orr_replica *replica, double last_s, struct orr_serving_result *result);
/* Parts of it: distributions; rates of `replicas` such tallies on so many GPUs. */
void orr_tally_spreads(struct orr_tally *tally, struct orr_sketch *itl, struct orr_serving_result *result);
void orr_tally_rates(const struct orr_tally *tally, double replicas, double gpus, double time_s,
                     struct orr_serving_result *result);

/* Does one sequence of the traffic fit at all? */
void orr_serving_fits(const struct orr_infer_result *alone, const struct orr_replica_facts *facts,
                      struct orr_serving_result *result);
/* Names the least tp that leaves room for a cache in the reason of a replica for which `alone` has none. */
void orr_serving_hint(const struct orr_job *job, const struct orr_traffic *traffic,
                      const struct orr_infer_result *alone, struct orr_scratch *scratch,
                      struct orr_serving_result *result);

/* Mean work of the steps of one replica. */
struct orr_step_means {
    double time_s, busy_s;                /* of everything; of steps */
    double steps, prompt_steps;           /* that decode only; with prompts */
    double decodes, context;              /* sequences and mean context of a step that decodes */
    double prompt_tokens, prompt_context; /* of a step with prompts; tokens in the cache before it */
    bool mixes;                           /* steps with prompts decode too */
};
struct orr_step_means orr_step_means_of(const struct orr_job *job, const struct orr_replica_sums *sums, double time_s);
/* Eq. 209: mean watts of one GPU. */
double orr_serving_power_w(const struct orr_job *job, const struct orr_step_means *means, struct orr_scratch *scratch);
/* Fills power, energy and cost from the means, of all GPUs of the job. */
void orr_serving_costs(const struct orr_job *job, const struct orr_step_means *means, struct orr_scratch *scratch,
                       struct orr_serving_result *result);

#endif
