/* One replica of an engine under load: requests go in, finished requests come out, and time passes in between. It runs
 * steps as the engine's scheduler forms them (Eqs. 194-202) and jumps over steps between events.
 *
 * A driver submits requests, at the latest when the replica has reached their arrival, and lets it run. While it runs,
 * the replica tells a sink of every finished request; the sink may submit further requests that arrive at that moment
 * or later. Routers, pools and loops of users are drivers: simulate.c is the simplest one. Several replicas are kept in
 * step by running each up to the time of the next arrival that concerns it. */
#ifndef ORR_SERVING_REPLICA_H
#define ORR_SERVING_REPLICA_H

#include "serving/sketch.h"
#include "serving/steps.h"
#include "serving/traffic.h"

/* What a replica needs to know about its engine; all of it comes from the job, and tests may change it. */
struct orr_replica_facts {
    struct orr_engine engine;
    enum orr_pool_role role;
    double kv_tokens;        /* cache tokens of the replica */
    double tokens_per_step;  /* mean tokens of a sequence in a decode step: 1 without drafts (Eq. 94) */
    int64_t queries;         /* rows of a sequence in a decode step: drafted tokens + 1 */
    double host_speed;       /* of the system's host, over the reference */
    double request_s;        /* host time per request inside the engine */
    int64_t ranks;           /* that share experts with this one and step together; 1: none */
    double own_frac;         /* of these: orr_lockstep_own_frac */
    double swap_s_per_token; /* of a cache between GPU and host; 0: stopped sequences are computed again */
    struct orr_adapter_facts {
        int64_t most;             /* loaded at once; 0: there are none */
        double load_s;            /* of one, from the host */
        double step_s, adapter_s; /* what steps take longer: with any adapter, and with every one */
    } adapters;
};
/* Eq. 204: is a step decided when the one before begins? */
static inline bool orr_decides_ahead(const struct orr_engine *engine)
{
    return engine->async_scheduling || engine->decided_ahead;
}
/* Do prompts and decoding sequences share a step? The scheduler of vLLM's first engine has two rules: whole prompts in
 * steps of their own or, where prompts are cut, decoding sequences first and prompts in what is left of the budget. */
static inline bool orr_scheduler_mixes(const struct orr_engine *engine)
{
    switch (engine->scheduler) {
    case ORR_SCHEDULER_VLLM_V1:
    case ORR_SCHEDULER_TRTLLM_NO_EVICT:
    case ORR_SCHEDULER_TRTLLM_MAX_UTIL: return true;
    case ORR_SCHEDULER_VLLM_V0: return engine->chunked_prefill;
    case ORR_SCHEDULER_SGLANG:
    case ORR_SCHEDULER_TGI:
    case ORR_N_SCHEDULERS: break;
    }
    return false;
}
/* Eq. 199: the seconds for which a prompt of so many tokens keeps the front end from others: one process takes requests
 * in order, and in most engines one thread makes tokens of all texts. */
static inline double orr_frontend_turn_s(const struct orr_replica_facts *facts, double input)
{
    const struct orr_engine *e = &facts->engine;
    return (e->frontend_s_per_request + e->tokenise_s_per_token * input) / facts->host_speed;
}
/* ... and for which it delays only its own. */
static inline double orr_frontend_own_s(const struct orr_replica_facts *facts, double input)
{
    const struct orr_engine *e = &facts->engine;
    return (e->frontend_s + e->frontend_s_per_token * input) / facts->host_speed + facts->request_s;
}
struct orr_replica_facts orr_replica_facts_of(const struct orr_job *job, const struct orr_traffic *traffic,
                                              struct orr_scratch *scratch, struct orr_infer_result *result);

/* A request between two pools: its prompt is computed, and its cache is to be sent or has been received. */
struct orr_handover {
    struct orr_ask ask;
    double visible_s, start_s; /* in the prefill pool */
    double ready_s;            /* end of the prompt's last step */
    double first_s;            /* the first token leaves when the cache has arrived */
    int64_t cached, preemptions;
    int32_t slot; /* of the replica that computed the prompt, which keeps its blocks until orr_replica_sent */
    int64_t from; /* this replica, as its driver numbers it */
    int64_t life; /* how often it had stopped before */
};

struct orr_sink {
    void *context;
    void (*finished)(void *context, const struct orr_request_record *record);
    void (*prefilled)(void *context, const struct orr_handover *handover); /* replicas of role PREFILL need it */
    void (*stepped)(void *context, const struct orr_step_record *record);  /* NULL: not asked for */
};

/* Sums over the time that a replica has run. */
struct orr_replica_sums {
    double busy_s, prompt_s;      /* time of steps; of those with prompts */
    double running_s, decoding_s; /* integrals of sequences admitted, and of those that decode */
    double used_block_s;          /* integral of blocks in use */
    double context_steps;         /* sum over decode steps of all contexts */
    int64_t steps, decode_steps;  /* all; those in which sequences decode */
    int64_t prompt_steps;         /* those with prompts */
    double decode_rows;           /* sum over decode steps of decoding sequences */
    int64_t prompt_tokens, output_tokens, recomputed_tokens, cached_tokens;
    double prompt_pairs; /* keys seen by all prompt tokens */
    int64_t preemptions, refused, loaded_adapters;
    struct orr_sketch itl;
};

struct orr_replica;
/* The steps are shared by replicas of the same job and not owned. NULL: out of memory. */
struct orr_replica *orr_replica_new(const struct orr_replica_facts *facts, struct orr_steps *steps,
                                    const struct orr_sink *sink);
void orr_replica_free(struct orr_replica *replica);
/* Hands a request over. A request that can never fit into the cache is refused: false. Out of memory: false, and
 * orr_replica_failed from then on. */
bool orr_replica_submit(struct orr_replica *replica, const struct orr_ask *ask);
/* The same for a request that reaches the replica later than it was sent. */
bool orr_replica_submit_at(struct orr_replica *replica, const struct orr_ask *ask, double time_s);
bool orr_replica_failed(const struct orr_replica *replica);
/* Takes a request whose cache arrives at `time_s`; refused as by orr_replica_submit. */
bool orr_replica_receive(struct orr_replica *replica, const struct orr_handover *handover, double time_s);
/* Frees the blocks of a cache that was sent by then. */
void orr_replica_sent(struct orr_replica *replica, int32_t slot, double time_s);
/* Stops at `time_s` and loses everything: every request that it has is given to `again`. Caches on their way to other
 * replicas are not asked back. */
void orr_replica_crash(struct orr_replica *replica, double time_s, void (*again)(void *context, const struct orr_ask *),
                       void *context);
/* Is the beginning of this prompt in its cache? */
bool orr_replica_holds(const struct orr_replica *replica, uint64_t prefix);
/* Runs every step that begins before `until_s`. */
void orr_replica_run(struct orr_replica *replica, double until_s);
/* Lets the run end after the current step; a sink may call it. */
void orr_replica_stop(struct orr_replica *replica);
/* The same, but the next call of orr_replica_run goes on. */
void orr_replica_pause(struct orr_replica *replica);
/* The beginning of its next step as far as it knows; HUGE_VAL where nothing is left to do. */
double orr_replica_next_s(const struct orr_replica *replica);
/* Loads for routers: requests that are submitted and not finished; tokens of their prompts and answers that are not yet
 * computed; share of the cache in use. */
struct orr_replica_load {
    int64_t requests, waiting;
    double tokens_left;
    double kv_used_frac;
};
struct orr_replica_load orr_replica_load_of(const struct orr_replica *replica);
/* The sums of what it has done so far. */
const struct orr_replica_sums *orr_replica_sums_of(const struct orr_replica *replica);
struct orr_sketch *orr_replica_itl(struct orr_replica *replica);
/* Forgets the sums, as at the end of a warm-up. */
void orr_replica_forget(struct orr_replica *replica);
/* Cache blocks in all, and free ones. */
int64_t orr_replica_blocks(const struct orr_replica *replica, int64_t *n_free);

#endif
