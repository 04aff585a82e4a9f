/* The inner parts of a search: the space as lists that are made once, the memory of a worker, and what a block finds.
 * A training space is a list of cuts, each a way to divide a layer over GPUs; the costs of a layer are worked out once
 * per cut and micro-batch. The choices below a cut reuse these costs: replicas and stages, then schedule, sharding,
 * saved layers and overlap. A block is a run of cuts. What is found does not depend on where a block runs. */
#ifndef ORR_SEARCH_SEARCH_H
#define ORR_SEARCH_SEARCH_H

#include "predict/scratch.h"

#include <stdatomic.h>

/* ---------------------------------------------------------------- what is found */

struct orr_outcome {
    struct orr_search_counts counts;
    size_t n_best, max_best;
    struct orr_found *best; /* sorted by objective, one plan per layout */
    size_t n_front, max_front;
    struct orr_found *front; /* sorted by rising front[0], which makes front[1] fall */
    struct orr_found inside; /* best plan inside what was measured; objective HUGE_VAL: none is known */
    double fastest_s;        /* shortest time of all plans that fit; HUGE_VAL: none fits */
    bool failed;             /* The process is out of memory. */
};

/* Make an empty outcome that lists up to `top` plans. orr_outcome_free must follow, even after a failure. */
void orr_outcome_open(struct orr_outcome *outcome, size_t top);
void orr_outcome_free(struct orr_outcome *outcome);
void orr_outcome_copy(struct orr_outcome *to, const struct orr_outcome *from); /* copies the lists, not the counts */
void orr_outcome_add(struct orr_outcome *to, const struct orr_outcome *from);  /* adds the lists and the counts */
/* Would the plan be listed? With lower bounds instead of values, the answer false holds for the values as well. */
bool orr_outcome_wants(const struct orr_outcome *outcome, const struct orr_found *found, double front_within);
void orr_outcome_put(struct orr_outcome *outcome, const struct orr_found *found);
/* Plans inside what was measured are looked for up to this factor of the best plan's objective: one that is slower than
 * that is no alternative, and without an end the search would have to time every plan where none is inside. */
#define ORR_INSIDE_WITHIN 1.25
/* Would the plan be the best one inside what was measured, if it is inside? As above for lower bounds. */
bool orr_outcome_wants_inside(const struct orr_outcome *outcome, const struct orr_found *found);
void orr_outcome_put_inside(struct orr_outcome *outcome, const struct orr_found *found);

/* Make room for n items of `size` bytes in a list with room for *max, at least doubling it. Returns false if out of
 * memory; the list is then unchanged. */
bool orr_grow(void **items, size_t *max, size_t n, size_t size);

/* ---------------------------------------------------------------- the space */

/* A way to divide a layer over GPUs. The pipeline is chosen separately. */
struct orr_cut {
    int32_t tp, cp, ep, etp;
    uint8_t cp_kind;
    bool coarse; /* belongs to the coarse pass */
};

/* One way to run a pipeline of pp ranks. */
struct orr_pipe {
    int32_t vpp;
    uint8_t schedule;
    bool coarse;
    size_t first_class, n_classes; /* range in orr_train_space.classes, whose parameters are not counted yet */
};

struct orr_train_space {
    size_t n_cuts;
    struct orr_cut *cuts;
    size_t n_pipes;
    struct orr_pipe *pipes;
    size_t first_pipe[ORR_MAX_STAGES + 2]; /* pipes of pp ranks lie from first_pipe[pp] up to first_pipe[pp + 1] */
    size_t n_classes;
    struct orr_rank_class *classes;
    struct orr_rank_class whole;             /* the whole model on one rank */
    int64_t n_every, every[ORR_MAX_CHOICES]; /* layers per saved input under full recomputation */
    int64_t n_micro, *micro;                 /* micro-batch sizes that divide the batch */
    bool dual;                               /* some pipelines run blocks of a forward and a backward */
    bool cut_by_layout; /* layer costs depend on dp (number of micro-batches), or on pp and gpus (host time) */
};

/* Puts what the engine has where the request leaves a choice open: no pipeline, no tensor parallelism, its ZeRO stages.
 * What a request lists stays. */
void orr_space_narrow(struct orr_search_request *request);
enum orr_err orr_train_space_build(const struct orr_search_request *request, struct orr_train_space *space,
                                   struct orr_error *error);
void orr_train_space_free(struct orr_train_space *space);
/* Is `value` one of the choices? Every value is if there are no choices. */
bool orr_chosen(const struct orr_choices *choices, int64_t value);
/* Does the degree divide some of these GPU counts? */
bool orr_divides_some(const struct orr_choices *gpus, int64_t degree);

/* ---------------------------------------------------------------- one thread's work */

/* The numbers of replicas and stages for one cut. */
struct orr_layout {
    int32_t gpus, dp, pp;
    bool sound[2];         /* The rules allow it [without, with] sequence parallelism. */
    double state_bytes[4]; /* bytes of weights, gradients and optimizer by ZeRO stage, mean of the ranks */
};
enum { ORR_MAX_LAYOUTS = 64 * 256 };

/* The layer costs of a cut and micro-batch. Beside these, they depend on what the bits of the index say: tensor and
 * expert transfers exposed, experts hidden by an interleaved pipeline, ZeRO-3. */
enum { ORR_SHAPE_EXPOSED_TP = 1, ORR_SHAPE_EXPOSED_EP = 2, ORR_SHAPE_INTERLEAVED = 4, ORR_SHAPE_ZERO3 = 8 };
enum { ORR_N_SHAPES = 16 };
struct orr_priced_shape {
    bool built;
    double work_s; /* one micro-batch through all layers and both ends, at the burst clock */
    struct orr_shape shape;
};

struct orr_units;
struct orr_worker {
    struct orr_job job;
    struct orr_op_list ops;
    struct orr_cost costs[ORR_MAX_OPS];
    struct orr_priced_shape shapes[ORR_N_SHAPES];
    size_t n_layer_ops;
    struct orr_rank_class classes[ORR_MAX_STAGES];
    struct orr_rank_time ranks[ORR_MAX_STAGES];
    size_t n_layouts;
    struct orr_layout layouts[ORR_MAX_LAYOUTS];
    struct orr_scratch scratch; /* for full predictions */
    struct orr_units *answers;  /* inference: answer units of the last group of blocks */
    int64_t answers_of;         /* which group that is */
};

struct orr_search {
    struct orr_search_request request;
    struct orr_train_space train;
    int64_t n_blocks;
    double compare_objective; /* -HUGE_VAL: there is no plan to compare with */
    double usable_bytes;
    bool may_be_inside;         /* Some plans could be inside what was measured. */
    struct orr_outcome outcome; /* outcome of the finished passes */
    struct orr_outcome pass;    /* outcome of the latest pass in this process */
    bool running;               /* A pass is running. */
    atomic_bool stopped;        /* Any thread may set it with orr_search_stop. */
};

const char *orr_reject_name(enum orr_reject reject);
/* Names of the two coordinates of the front: step_time_s and memory_bytes.total; with several GPU counts step_time_s
 * and GPU seconds; infer: seconds per output token of a GPU and of a user. */
const char *orr_front_name(const struct orr_search_request *request, int axis);
const struct orr_search_request *orr_search_request_of(const struct orr_search *search);
/* The front, sorted by its first coordinate; owned by the search. */
size_t orr_search_front(const struct orr_search *search, const struct orr_found **found);
/* The best plan inside what was measured, up to ORR_INSIDE_WITHIN; NULL: there is none. */
const struct orr_found *orr_search_inside(const struct orr_search *search);
/* The full inference result of a plan of the answer, both pools of a disaggregated one joined. */
enum orr_err orr_search_predict(const struct orr_search *search, const struct orr_choice *choice,
                                struct orr_scratch *scratch, struct orr_infer_result *result);
/* The job of a plan of the answer, for orr_train or orr_infer; of the prompts' pool where there are two. */
void orr_search_job(const struct orr_search *search, const struct orr_choice *choice, struct orr_job *job);

/* Plans whose objectives differ by no more than this factor are as good as each other. */
#define ORR_ALIKE 1.005
/* Simplify the best plan of a training search as far as it stays within ORR_ALIKE (simplest.c). Returns the objective
 * of `simplest` over that of the best; `job` is working memory. */
double orr_search_simplest(const struct orr_search *search, const struct orr_found *best, struct orr_job *job,
                           struct orr_scratch *scratch, struct orr_choice *simplest);

/* A list of the request without which there would be valid plans (obstacle.c). */
struct orr_obstacle {
    const char *key; /* for example "plan.tp" */
    int64_t n_given;
    int64_t given;        /* its first value; 0: not a number */
    int64_t below, above; /* nearest numbers that leave plans; 0: none nearby */
};
enum { ORR_MAX_OBSTACLES = 18 };
/* List the lists that alone rule out all plans of a search that found none; returns how many. It runs many searches. */
size_t orr_search_obstacles(const struct orr_search *search, struct orr_obstacle obstacles[ORR_MAX_OBSTACLES]);
/* Do the first values of all lists break a rule about this key (any rule if NULL)? */
bool orr_search_broken_rule(const struct orr_search *search, const char *key, struct orr_error *rule);

/* The objective and the front coordinates of a training plan. `energy_j` counts only if energy is the objective. */
void orr_train_found(const struct orr_search_request *request, double time_s, double memory_bytes, double energy_j,
                     const struct orr_choice *choice, struct orr_found *found);
void orr_search_train_block(const struct orr_search *search, int pass, int64_t block, struct orr_worker *worker,
                            struct orr_outcome *outcome);
void orr_train_choose(const struct orr_choice *choice, struct orr_job *job);

/* Inference: every layout of one pool is predicted, and a pair of pools is joined from the two predictions. */
void orr_search_infer_block(const struct orr_search *search, int pass, int64_t block, struct orr_worker *worker,
                            struct orr_outcome *outcome);
void orr_search_infer_done(struct orr_worker *worker);
void orr_infer_found(const struct orr_search_request *request, const struct orr_infer_result *result,
                     const struct orr_choice *choice, struct orr_found *found);
/* Visit every smallest pool of at most so many GPUs that the request allows, cut by tp, pp and ep alone: one replica,
 * or as many replicas (dp) as share one set of experts. The rules of orr_job_check are not applied. */
typedef void orr_visit_unit(void *context, const struct orr_choice *unit);
void orr_infer_units(const struct orr_search_request *request, int64_t most_gpus, orr_visit_unit *visit, void *context);
int64_t orr_search_infer_blocks(const struct orr_search_request *request);
void orr_infer_choose(const struct orr_search_request *request, const struct orr_choice *choice, struct orr_job *job);
/* infer_load.c: are plans compared under a load, and what it makes of one; false: it cannot carry the load. */
bool orr_infer_loaded(const struct orr_search_request *request);
bool orr_infer_load(const struct orr_search_request *request, const struct orr_job *job,
                    struct orr_infer_result *result);
/* As orr_search_predict; also sets the job of the result, which is that of the answers' pool if there are two. */
void orr_infer_predict(const struct orr_search *search, const struct orr_choice *choice, struct orr_job *job,
                       struct orr_scratch *scratch, struct orr_infer_result *result);

#endif
