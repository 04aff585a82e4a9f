/* Search inside: the space as lists worked out once, what a worker needs, what a block finds.
 *
 * A training space is a list of keys, each a way to cut a layer; its costs are worked out once per key. Below a key
 * come the degrees that only multiply: replicas and stages, then schedule, sharding, saved layers, overlap. Blocks are
 * runs of keys; which block runs where does not change what is found. */
#ifndef ORR_SEARCH_SEARCH_H
#define ORR_SEARCH_SEARCH_H

#include "predict/scratch.h"

#include <stdatomic.h>

/* ---------------------------------------------------------------- what is found */

struct orr_outcome {
    struct orr_search_counts counts;
    size_t n_best, max_best;
    struct orr_found *best; /* sorted, one per layout */
    size_t n_front, max_front;
    struct orr_found *front; /* sorted by front[0], falling in front[1] */
    double fastest_s;        /* of all plans that fit; HUGE_VAL: none */
    bool failed;             /* out of memory */
};

/* An empty outcome that lists up to `top` plans; orr_outcome_free in any case. */
void orr_outcome_open(struct orr_outcome *outcome, size_t top);
void orr_outcome_free(struct orr_outcome *outcome);
void orr_outcome_copy(struct orr_outcome *to, const struct orr_outcome *from); /* lists, not counts */
void orr_outcome_add(struct orr_outcome *to, const struct orr_outcome *from);  /* lists and counts */
/* Would it be listed? Lower bounds may stand in for values: false is then final. */
bool orr_outcome_wants(const struct orr_outcome *outcome, const struct orr_found *found, double front_within);
void orr_outcome_put(struct orr_outcome *outcome, const struct orr_found *found);

/* ---------------------------------------------------------------- the space */

/* A way to cut a layer over GPUs. How micro-batches run through it comes below. */
struct orr_cut {
    int32_t tp, cp, ep, etp;
    uint8_t cp_kind;
    bool coarse; /* belongs to the first, small pass */
};

/* One way to run a pipeline of pp ranks. */
struct orr_pipe {
    int32_t vpp;
    uint8_t schedule;
    bool coarse;
    size_t first_class, n_classes; /* of orr_train_space.classes; parameters not counted */
};

struct orr_train_space {
    size_t n_cuts;
    struct orr_cut *cuts;
    size_t n_pipes;
    struct orr_pipe *pipes;
    size_t first_pipe[ORR_MAX_STAGES + 2]; /* pipes of pp ranks: from first_pipe[pp] to first_pipe[pp + 1] */
    size_t n_classes;
    struct orr_rank_class *classes;
    struct orr_rank_class whole;             /* the model on one rank */
    int64_t n_every, every[ORR_MAX_CHOICES]; /* layers per saved input, full recomputation */
    int64_t n_micro, *micro;                 /* micro-batches that divide the batch */
    bool cut_by_dp;                          /* costs of a layer depend on the micro-batches, so on dp */
};

enum orr_err orr_train_space_build(const struct orr_search_request *request, struct orr_train_space *space,
                                   struct orr_error *error);
void orr_train_space_free(struct orr_train_space *space);
/* Is `value` one of the choices, or are there none? */
bool orr_chosen(const struct orr_choices *choices, int64_t value);

/* ---------------------------------------------------------------- one thread's work */

/* A factorisation of the GPUs below one cut. */
struct orr_layout {
    int32_t gpus, dp, pp;
    bool sound[2];         /* the rules allow it, without and with sequence parallel */
    double state_bytes[4]; /* weights and their like by ZeRO stage, mean of the ranks */
};
enum { ORR_MAX_LAYOUTS = 64 * 256 };

struct orr_units;
struct orr_worker {
    struct orr_job job;
    struct orr_op_list ops;
    struct orr_cost costs[ORR_MAX_OPS];
    struct orr_shape shapes[4][2][2]; /* [tp, ep exposed][experts hide in an interleaved pipeline][ZeRO-3] */
    size_t n_layer_ops;
    struct orr_rank_class classes[ORR_MAX_STAGES];
    struct orr_rank_time ranks[ORR_MAX_STAGES];
    size_t n_layouts;
    struct orr_layout layouts[ORR_MAX_LAYOUTS];
    struct orr_scratch scratch; /* full predictions */
    struct orr_units *answers;  /* inference: pools of the blocks that were last worked on */
    int64_t answers_of;         /* which blocks */
};

struct orr_search {
    struct orr_search_request request;
    struct orr_train_space train;
    int64_t n_blocks;
    double compare_objective; /* -HUGE_VAL: nothing to compare with */
    double usable_bytes;
    struct orr_outcome outcome; /* of the passes done */
    struct orr_outcome pass;    /* of the last one, this process only */
    bool running;               /* a pass */
    atomic_bool stopped;        /* by orr_search_stop from any thread, too */
};

const char *orr_reject_name(enum orr_reject reject);
/* Names of the two coordinates of the front: step_time_s and memory_bytes.total; with several GPU counts step_time_s
 * and GPU seconds; infer: seconds per output token of a GPU and of a user. */
const char *orr_front_name(const struct orr_search_request *request, int axis);
const struct orr_search_request *orr_search_request_of(const struct orr_search *search);
/* The front, sorted by its first coordinate; owned by the search. */
size_t orr_search_front(const struct orr_search *search, const struct orr_found **found);
/* The full inference result of a plan of the answer, both pools of a disaggregated one joined. */
enum orr_err orr_search_predict(const struct orr_search *search, const struct orr_choice *choice,
                                struct orr_scratch *scratch, struct orr_infer_result *result);
/* The job of a plan of the answer, for orr_train or orr_infer; of the prompts' pool where there are two. */
void orr_search_job(const struct orr_search *search, const struct orr_choice *choice, struct orr_job *job);

/* A list without which there would be valid plans (search_obstacle.c). */
struct orr_obstacle {
    const char *key;      /* "plan.tp" */
    int64_t n_given;
    int64_t given;        /* the first value; 0: not a number */
    int64_t below, above; /* nearest numbers that go with the rest; 0: none near */
};
enum { ORR_MAX_OBSTACLES = 18 };
/* Of a search without a valid plan: lists that are at fault alone; returns how many. It searches again and again. */
size_t orr_search_obstacles(const struct orr_search *search, struct orr_obstacle obstacles[ORR_MAX_OBSTACLES]);
/* Does the first value of every list break a rule about that key (NULL: any)? */
bool orr_search_broken_rule(const struct orr_search *search, const char *key, struct orr_error *rule);

/* Objective and coordinates of a training plan from its time; `energy_j` only for that objective. */
void orr_train_found(const struct orr_search_request *request, double time_s, double memory_bytes, double energy_j,
                     const struct orr_choice *choice, struct orr_found *found);
void orr_search_train_block(const struct orr_search *search, int pass, int64_t block, struct orr_worker *worker,
                            struct orr_outcome *outcome);
void orr_train_choose(const struct orr_choice *choice, struct orr_job *job);

/* Inference: every layout of one pool is predicted; pairs of pools are joined from predictions of each. */
void orr_search_infer_block(const struct orr_search *search, int pass, int64_t block, struct orr_worker *worker,
                            struct orr_outcome *outcome);
void orr_search_infer_done(struct orr_worker *worker);
void orr_infer_found(const struct orr_search_request *request, const struct orr_infer_result *result,
                     const struct orr_choice *choice, struct orr_found *found);
int64_t orr_search_infer_blocks(const struct orr_search_request *request);
void orr_infer_choose(const struct orr_search_request *request, const struct orr_choice *choice, struct orr_job *job);
/* orr_search_predict, and the job its figures are about: of the answers' pool where there are two. */
void orr_infer_predict(const struct orr_search *search, const struct orr_choice *choice, struct orr_job *job,
                       struct orr_scratch *scratch, struct orr_infer_result *result);

#endif
