/* The size of a service: the cheapest plan that keeps the limits of a traffic. Every unit (one replica, or the replicas
 * that share one set of experts) of every system is tried with every limit of its engine's steps, and in as many copies
 * as the budget allows. The closed form bounds what a unit can do (Eqs. 225-228); a simulation confirms it. */
#ifndef ORR_SEARCH_SIZE_H
#define ORR_SEARCH_SIZE_H

#include "search/search.h"
#include "serving/closed.h"
#include "serving/result.h"
#include "spec/size.h"

enum { ORR_SIZE_LIMITS = 64, ORR_SIZE_FRONT = 16, ORR_SIZE_COPIES = ORR_SIZE_GPUS_MAX };

/* A plan of the answer. */
struct orr_sized {
    size_t system;
    struct orr_choice
        choice;     /* of all replicas; of the prefill pool, with decode_* of the other, where there are two */
    int64_t copies; /* of the unit */
    int64_t max_requests, max_step_tokens;
    double usd_per_h, cost; /* cost: what is made small, dollars per hour or GPUs */
    double ratio;           /* the worst value over its limit, Eq. 227; HUGE_VAL: it does not fit, or queues grow */
    size_t worst;           /* whose */
    bool met;
    struct orr_serving_result result;
};

struct orr_size_counts {
    int64_t units;     /* of all systems that the rules allow */
    int64_t plans;     /* units with limits and numbers of copies */
    int64_t fitting;   /* units whose weights and cache fit */
    int64_t pairs;     /* of units for prompts and for answers */
    int64_t simulated; /* runs */
};

struct orr_size_answer {
    bool found;
    struct orr_sized best; /* or the nearest miss */
    size_t n_front;
    struct orr_sized front[ORR_SIZE_FRONT + 1]; /* by rising cost, which makes the ratio fall */
    double least_s;                             /* of the limit that the nearest miss breaks: without any load */
    double served_frac; /* nothing holds the load: the most that some plan serves of it; else 1 */
    struct orr_size_counts counts;
    bool complete;
};

/* Runs the sizing. `threads` 0: all cores; the answer does not depend on it. It ends early once *stop is not 0. */
enum orr_err orr_size_solve(const struct orr_size_request *request, int threads, const volatile int *stop,
                            void (*progress)(void *context, double done_frac), void *context,
                            struct orr_size_answer *answer, struct orr_error *error);

/* ---------------------------------------------------------------- between size_bound.c and size.c */

/* The limits of an engine's steps to try; the engine's own come first. */
struct orr_step_limits {
    int64_t n, max_requests[ORR_SIZE_LIMITS], max_step_tokens[ORR_SIZE_LIMITS];
};
void orr_size_limits(const struct orr_size_request *request, const struct orr_engine *engine,
                     struct orr_step_limits *limits);

struct orr_size_unit {
    size_t system;
    struct orr_choice choice;
    int64_t most_copies;            /* that the budget allows */
    double price;                   /* of one copy, in what is made small */
    int32_t least[ORR_SIZE_LIMITS]; /* by limits: copies below which the closed form rules it out; 0: all of them */
    double bound;                   /* the lowest cost by these; HUGE_VAL: none */
    float *ratio;                   /* owned; [copies - 1] by the closed form with the engine's own limits */
    double least_s[ORR_N_TIMINGS];  /* without load */
    double served_frac;             /* of the load by most_copies, at most 1 */
    bool fits;
};

/* The job of `copies` of a unit with the i-th limits. */
void orr_size_job(const struct orr_size_request *request, const struct orr_size_unit *unit,
                  const struct orr_step_limits *limits, int64_t i, int64_t copies, struct orr_job *job);
/* Fills what the closed form knows of a unit. False: out of memory. */
bool orr_size_bound(const struct orr_size_request *request, struct orr_size_unit *unit, struct orr_scratch *scratch);
/* Lists the units that the rules allow; false: out of memory. */
bool orr_size_units(const struct orr_size_request *request, struct orr_size_unit **units, size_t *n);
/* The share of a limit's mean that the closed form must keep within the limit before a plan is ruled out. */
double orr_size_slack(const struct orr_slo *slo);

/* One run: copies of a unit or, with a deployment, pools of it. */
struct orr_size_trial {
    const struct orr_size_request *request;
    size_t system;
    const struct orr_job *job;               /* of the first pool */
    const struct orr_deployment *deployment; /* NULL: one pool */
    struct orr_steps *const *steps;          /* one table per pool */
    struct orr_scratch *scratch;
    const volatile int *stop;
    bool patient; /* it is not cut short when a limit cannot be kept any more */
};
/* Simulates and judges; fills `result`, `ratio`, `worst` and `met` of the plan. False: out of memory. */
bool orr_size_try(const struct orr_size_trial *trial, struct orr_sized *plan);
/* Is a plan better? It costs less or, for the same, is further below its limits. */
bool orr_size_better(const struct orr_sized *a, const struct orr_sized *b);

/* ---------------------------------------------------------------- size_split.c */

/* Two pools, each of copies of one unit of a system. */
struct orr_size_pair {
    const struct orr_size_unit *prompt, *answer;
    int64_t prompts, answers; /* copies that the closed form does not rule out */
    double bound;             /* their cost; HUGE_VAL: none in the budget */
};
/* What is known of plans with two pools: simulated ones by rising cost, which makes the ratio fall. */
enum { ORR_SIZE_SPLITS = 64 };
struct orr_size_splits {
    struct orr_sized *plans; /* owned */
    size_t n;
    int64_t pairs, simulated;
};
/* Whom it tells that it goes on, and who may stop it. */
struct orr_size_told {
    const volatile int *stop;
    void (*tell)(void *context);
    void *context;
};
/* Finds the cheapest plan with two pools that keeps every limit and is better than *best, which it replaces; lists the
 * plans that were simulated to their end. */
enum orr_err orr_size_split(const struct orr_size_request *request, const struct orr_size_unit *units, size_t n,
                            const struct orr_size_told *told, struct orr_sized *best, struct orr_size_splits *splits,
                            struct orr_error *error);

#endif
