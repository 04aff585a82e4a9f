/* A stack from measured runs: `orrery fit` (docs/fit.md). Physical numbers of an engine are moved from those of its
 * parent as far as the runs ask for it: maximum a posteriori on the program's own predictions, averaged by evidence
 * over the parent as it is, the parent fitted, and other engines of the same kind. Eqs. 169-178. */
#ifndef ORR_CALIBRATE_STACK_H
#define ORR_CALIBRATE_STACK_H

#include "spec/alike.h"
#include "spec/cells.h"
#include "validate/validator.h"

/* ---------------------------------------------------------------- parameters (stack_parameters.c) */

/* How a number may differ from the parent's. x counts prior spreads and is 0 at the parent. */
#define ORR_STACK_PRIORS(X)                                                                                            \
    /*  enum   name      value at x, and its prior                                                  */                 \
    X(LOG, "log", "parent * exp(scale x); normal")                                                                     \
    X(TAIL, "log, heavy tail", "parent * exp(scale x); Student t with 3 degrees of freedom")                           \
    X(LOGIT, "logit", "a share whose logit differs by scale x; normal")                                                \
    X(TIME, "added", "parent + scale x, not below 0; Student t with 2 degrees of freedom")
#define ORR_X_STACK_PRIOR_(name, ...) ORR_STACK_##name,
enum orr_stack_prior { ORR_STACK_PRIORS(ORR_X_STACK_PRIOR_) ORR_N_STACK_PRIORS };

#define ORR_STACK_TRAIN 1u
#define ORR_STACK_SERVE 2u
#define ORR_STACK_BOTH  3u

/* The scales are judgement about how stacks differ from one another, from the same kernels and hosts. They are the unit
 * of x; how far stacks are from their parents in these units is estimated (stack_population.h). `inverse`: times are
 * straight lines in one over the value. */
#define ORR_STACK_PARAMETERS(X)                                                                                        \
    /* member of orr_engine, prior, scale, inverse, jobs, meaning */                                                   \
    X(matrix_rate_factor, LOG, 0.10, true, BOTH, "rate of products, over the calibration")                             \
    X(eight_bit_rate_factor, LOG, 0.15, true, BOTH, "rate of products in eight bits, beside that")                     \
    X(four_bit_rate_factor, LOG, 0.30, true, BOTH, "rate of products in four bits, beside that")                       \
    X(attention_rate_factor, LOG, 0.30, true, BOTH, "rate of attention kernels, over the calibration")                 \
    X(dram_rate_factor, LOG, 0.15, true, BOTH, "rate of DRAM, over the calibration")                                   \
    X(grouped_rate_factor, LOG, 0.30, true, BOTH, "rate of grouped products of experts")                               \
    X(grouped_launch_factor, LOG, 0.80, false, BOTH, "fixed time of grouped products")                                 \
    X(pointwise_time_factor, LOG, 0.60, false, BOTH, "time of small memory-bound kernels")                             \
    X(scaleup_rate_factor, LOG, 0.25, true, BOTH, "rate of collectives inside a domain")                               \
    X(scaleout_rate_factor, LOG, 0.40, true, BOTH, "rate of collectives between domains")                              \
    X(scaleout_latency_factor, LOG, 0.80, false, BOTH, "latency between domains")                                      \
    X(straggle_factor, LOG, 0.80, false, TRAIN, "wait for the slowest of many GPUs")                                   \
    X(host_time_factor, TAIL, 0.70, false, BOTH, "host time of launches, layers and collectives")                      \
    X(tp_overlap_frac, LOGIT, 1.50, false, TRAIN, "tensor-parallel transfers hidden by their product")                 \
    X(dp_overlap_frac, LOGIT, 1.50, false, TRAIN, "backward window of gradient collectives")                           \
    X(ep_overlap_frac, LOGIT, 1.50, false, TRAIN, "all-to-all hidden by other compute")                                \
    X(zero3_overlap_frac, LOGIT, 1.50, false, TRAIN, "compute of a layer that its gathers can use")                    \
    X(host_step_s, TIME, 10e-3, false, TRAIN, "host time of an iteration")                                             \
    X(kernel_gap_s, TIME, 1e-6, false, SERVE, "gap between dependent kernels")                                         \
    X(sampling_s, TIME, 0.3e-3, false, SERVE, "host time of a step")                                                   \
    X(sampling_s_per_sequence, TIME, 5e-6, false, SERVE, "host time of a step per sequence")                           \
    X(request_s, TIME, 10e-3, false, SERVE, "host time of a batch of requests")                                        \
    X(request_s_per_sequence, TIME, 1e-3, false, SERVE, "host time of a request")                                      \
    X(allreduce_skew_s, TIME, 3e-6, false, SERVE, "launch and skew of a collective")

struct orr_stack_parameter {
    const char *key, *meaning;
    enum orr_stack_prior prior;
    double scale;
    bool inverse;
    size_t offset; /* of the double in struct orr_engine */
    unsigned jobs;
};
#define ORR_X_STACK_COUNT_(...) +1
enum { ORR_STACK_N = 0 ORR_STACK_PARAMETERS(ORR_X_STACK_COUNT_) };
#define ORR_STACK_LEVEL 0.12               /* scale (ln) of the level between stacks */
enum { ORR_STACK_DIMS = ORR_STACK_N + 1 }; /* the last is the level: the logarithm of time_factor */
const struct orr_stack_parameter *orr_stack_parameter(int i);

/* The value at x, given the parent's; the variable in which times are straight, and its derivative by x. */
double orr_stack_value(int i, double parent, double x);
double orr_stack_natural(int i, double parent, double x);
double orr_stack_natural_slope(int i, double parent, double x);
void orr_stack_bounds(int i, double parent, double *low, double *high);
double orr_stack_parent(int i, const struct orr_engine *engine);

/* What is known about a stack before one of its runs is seen: how far stacks are from their parents, and how likely it
 * is that the parent describes it as it is, once fitted, or not at all. */
struct orr_stack_population {
    double spread[ORR_STACK_DIMS];   /* of x; the last: of the level, in ORR_STACK_LEVEL */
    double width, width_spread;      /* of runs about a parent as it is (ln): its median, and the spread of its ln */
    double as_it_is, fitted, others; /* weights; their sum is 1 */
};
/* Minus the logarithm of the prior at x (of the level at i = ORR_STACK_N), its derivative, and the curvature of the
 * Laplace approximation (Eq. 171), which at 0 is one over the variance before a run is seen. */
double orr_stack_penalty(const struct orr_stack_population *prior, int i, double x);
double orr_stack_penalty_slope(const struct orr_stack_population *prior, int i, double x);
double orr_stack_curvature(const struct orr_stack_population *prior, int i, double x);
/* Degrees of freedom of the prior's Student t; 0: it is normal. */
double orr_stack_freedom(int i);

/* ---------------------------------------------------------------- populations (stack_population.c) */

/* What stacks are to the parent that is named for them. */
enum orr_stack_kin {
    ORR_STACK_TRAINED, /* any training stack */
    ORR_STACK_SERVED,  /* a serving stack of the parent's family */
    ORR_STACK_FOREIGN, /* a serving stack whose parent is of another family, or no stack in particular */
    ORR_N_STACK_KINS
};
/* Nothing but the scales is known. */
struct orr_stack_population orr_stack_unknown(void);
/* What the measured stacks say (stack_population.h), all of them. */
struct orr_stack_population orr_stack_recorded(enum orr_stack_kin kin);
/* The spread of single runs of a regime about a fit to their stack (ln). */
double orr_stack_within(enum orr_regime regime);

/* Estimating one: fits to stacks are added, under the population so far, and then give the next (Eq. 362). */
struct orr_stack_fit;
struct orr_stack_runs;
struct orr_stack_choice;
struct orr_stack_moments {
    double weight[ORR_STACK_DIMS], second[ORR_STACK_DIMS];
    double width_weight, width_first, width_second; /* of the logarithms of widths */
};
void orr_stack_moments_add(const struct orr_stack_population *population, const struct orr_stack_fit *fit,
                           double weight, struct orr_stack_moments *moments);
/* How wide the chosen runs lie about the engine as it is, when the level of their stack is taken out, as a spread in
 * logarithms; and a stack's width for the next population (Eq. 362a). */
double orr_stack_width(const struct orr_stack_runs *runs, const struct orr_stack_choice *chosen);
void orr_stack_moments_add_width(double width, double weight, struct orr_stack_moments *moments);
void orr_stack_moments_settle(const struct orr_stack_moments *moments, struct orr_stack_population *population);

/* ---------------------------------------------------------------- runs (stack_runs.c) */

/* The host times that are tried before a fit: the host adds nothing while the GPU hides it, so that a slope at the
 * parent does not show what a slow host would do. */
enum { ORR_STACK_HOSTS = 7 };
extern const double orr_stack_hosts[ORR_STACK_HOSTS];

struct orr_stack_run {
    size_t csv, row;
    const struct orr_schema *schema;
    const char *own;        /* the engine that the row names, or the one its kind of table means */
    struct orr_score score; /* measured value, names; `skipped` says why the row cannot be used */
    struct orr_job job;
    double needs_bytes; /* predicted for a GPU in training; 0: not known */
};

/* The runs of some tables as one engine would run them, and straight lines through the parent (Eq. 172). Ratios are
 * predicted over measured time. */
struct orr_stack_runs {
    struct orr_validation *table;
    size_t n;
    struct orr_stack_run *runs;
    size_t n_memory;                   /* rows of memory, which are not among the runs */
    char memory_row[80];               /* the first of them */
    double *as_is;                     /* ratio with the engine's own values; known as soon as rows are read */
    double *start;                     /* ratio at x = 0, where shares of 0 and 1 are moved inside */
    double (*slope)[ORR_STACK_N];      /* derivative of the ratio by the natural variable */
    double (*host)[ORR_STACK_HOSTS];   /* ratio with each of orr_stack_hosts */
    bool drawn;                        /* start, slope and host are there */
    bool on_lines;                     /* ratios are those of the straight lines, without a prediction */
    struct orr_stack_population prior; /* what a fit of this engine to runs begins with */
    double within;                     /* spread of single runs about a fit (ln) before one is seen */
};

struct orr_stack_table {
    const char *text, *origin;
};

/* The id of a row, or its line. */
void orr_stack_name_row(const struct orr_validation *v, const struct orr_stack_run *run, char name[80]);
/* Read the rows of tables as runs of an engine ("": of each row's own). Rows that cannot be used have a reason. */
enum orr_err orr_stack_read(const struct orr_catalogue *catalogue, const struct orr_stack_table *tables, size_t n,
                            const char *engine, struct orr_stack_runs **runs, struct orr_error *error);
void orr_stack_runs_free(struct orr_stack_runs *runs);
bool orr_stack_usable(const struct orr_stack_runs *runs, size_t i);

/* Why a row of requests in flight tells nothing that another row of its run does not (stack_rows.c); NULL: it does. */
const char *orr_stack_unfit(const struct orr_csv *csv, size_t row);
/* Why a run counts by another row, or in another file, already; NULL: it does not. */
const char *orr_stack_repeated(const struct orr_stack_runs *runs, size_t i);

/* A choice of runs of a table. */
struct orr_stack_choice {
    const size_t *at;
    size_t n;
};

/* Pairs of runs that differ in one column alone, and how many of them differ in time by far more than predicted. */
struct orr_stack_pairs {
    const char *column;
    size_t n, n_odd;
    double most; /* ln: the largest ratio of measured times of an odd pair */
};
/* The columns in which pairs are odd: something that no column says decides their time. Errors are logarithms of
 * measured over predicted time, by place in `chosen`, with the parent and with a fit. Returns how many; the first has
 * most odd pairs (stack_rows.c). */
size_t orr_stack_find_pairs(const struct orr_stack_runs *runs, const struct orr_stack_choice *chosen,
                            const double *before, const double *after, struct orr_stack_pairs odd[ORR_MAX_CELLS]);
/* What a column of odd pairs says, in words: "34 of 102 pairs that differ in ...". */
enum { ORR_STACK_PAIRS_TEXT = 160 };
void orr_stack_pairs_text(const struct orr_stack_pairs *pairs, char text[ORR_STACK_PAIRS_TEXT]);

/* Fill start, slope and host of the chosen runs (NULL: all), and as_is anew, on all threads; predictions are counted
 * (NULL: not). Returns false if out of memory. */
bool orr_stack_linearise(struct orr_stack_runs *runs, const struct orr_stack_choice *chosen, size_t *n_predictions);

/* What one thread needs to predict. */
struct orr_stack_worker {
    struct validator *w;
    size_t n_predictions;
};
bool orr_stack_worker_open(struct orr_stack_worker *worker);
void orr_stack_worker_close(struct orr_stack_worker *worker);
/* Predicted over measured time of a run at x (NULL: the engine as it is). `active` are the parameters that x moves. */
double orr_stack_ratio(struct orr_stack_worker *worker, const struct orr_stack_runs *runs, size_t i,
                       const bool active[ORR_STACK_N], const double x[ORR_STACK_N]);
/* The score of a run at x: its prediction, regime, and what its time is exposed to. */
void orr_stack_score(struct orr_stack_worker *worker, const struct orr_stack_runs *runs, size_t i,
                     const bool active[ORR_STACK_N], const double x[ORR_STACK_N], struct orr_score *score);
/* The slopes of the chosen runs at x, by place in `chosen`, on all threads. Returns false if out of memory. */
bool orr_stack_slopes(struct orr_stack_worker *worker, const struct orr_stack_runs *runs,
                      const struct orr_stack_choice *chosen, const bool active[ORR_STACK_N],
                      const double x[ORR_STACK_N], double (*slope)[ORR_STACK_N]);

/* ---------------------------------------------------------------- one engine fitted (stack_solve.c) */

struct orr_stack_fit {
    bool fitted; /* false: the engine as it is */
    bool active[ORR_STACK_N];
    double x[ORR_STACK_N];
    double level;                                      /* L */
    double within;                                     /* s, spread of single runs */
    double ordinary;                                   /* spread by which what is left of a run counts as usual */
    double n_told;                                     /* effective number of parameters, e */
    double evidence;                                   /* ln Z */
    double before[ORR_STACK_DIMS];                     /* variances before a run was seen */
    double covariance[ORR_STACK_DIMS][ORR_STACK_DIMS]; /* of x and L; what moves no run keeps the prior's */
};

/* The engine as it is. How wide runs lie about it is not known, but how wide they lie about other parents. */
void orr_stack_as_it_is(const struct orr_stack_runs *runs, const struct orr_stack_choice *chosen,
                        struct orr_stack_fit *fit);
/* Only the level moves. */
void orr_stack_level_only(const struct orr_stack_runs *runs, const struct orr_stack_choice *chosen,
                          struct orr_stack_fit *fit);
/* Every parameter that moves a chosen run may move. `passes` is how often predictions are linearised; the first time
 * they are at the parent. `allowed` (NULL: all) says which parameters may move. Returns false if out of memory. */
bool orr_stack_solve(struct orr_stack_worker *worker, const struct orr_stack_runs *runs,
                     const struct orr_stack_choice *chosen, int passes, const bool *allowed, struct orr_stack_fit *fit);
/* Fit again without each of the chosen runs in turn, on straight lines through the fit, and write the logarithms of
 * their measured over their predicted times. Returns false if out of memory. */
bool orr_stack_leave_out(struct orr_stack_worker *worker, const struct orr_stack_runs *runs,
                         const struct orr_stack_choice *chosen, const struct orr_stack_fit *fit, double *errors);

/* The prediction of a run: logarithm of predicted over measured time, and its variance without that of single runs. Low
 * and high are the 10 and 90 % points of a mixture. */
struct orr_stack_guess {
    double mean, variance, low, high;
};
struct orr_stack_guess orr_stack_predict(struct orr_stack_worker *worker, const struct orr_stack_runs *runs, size_t i,
                                         const struct orr_stack_fit *fit);
/* The derivative of the logarithm of a run's time by x and level. */
void orr_stack_gradient(const struct orr_stack_runs *runs, size_t i, const struct orr_stack_fit *fit,
                        double gradient[ORR_STACK_DIMS]);
double orr_stack_quadratic(const struct orr_stack_fit *fit, const double a[ORR_STACK_DIMS],
                           const double b[ORR_STACK_DIMS]);

/* The weight of an error of a single run: 1 is an ordinary one. */
double orr_stack_weight(double error, double within);

/* ---------------------------------------------------------------- what is left (stack_alike.c) */

/* What a fit leaves of its runs, for jobs like them. */
struct orr_stack_shared {
    size_t n;
    struct orr_traits traits[ORR_MAX_ALIKE];
    double pull[ORR_MAX_ALIKE];
};
/* From the logarithms of measured over predicted time of the chosen runs, by place in `chosen`. */
void orr_stack_share(const struct orr_stack_runs *runs, const struct orr_stack_choice *chosen, const double *errors,
                     double within, bool fitted, struct orr_stack_shared *shared);
/* What is shared with a run, as the logarithm of a factor of its predicted time. */
double orr_stack_shift(const struct orr_stack_shared *shared, const struct orr_stack_run *run);

/* ---------------------------------------------------------------- several engines (stack_average.c) */

enum { ORR_STACK_MEMBERS = 10 };
#define ORR_STACK_QUANTILE 1.533 /* of a Student t with 4 degrees of freedom, at 90 % */

struct orr_stack_member {
    const char *engine; /* the engine of its runs, for reports */
    const struct orr_stack_runs *runs;
    struct orr_stack_fit fit;
    double weight;
    struct orr_stack_shared shared;
};
struct orr_stack_mixture {
    size_t n;
    struct orr_stack_member members[ORR_STACK_MEMBERS];
};

enum { ORR_STACK_OTHERS = 8 };
/* The other engines that a fit looks at, beside the parent: those of the kind of job. Returns how many. */
size_t orr_stack_others(enum orr_job_kind kind, const char *parent, const char *others[ORR_STACK_OTHERS]);

/* The parent's runs come first in `engines`, then those of other engines, whose lines are drawn if they are looked at
 * closely. Returns false if out of memory. */
bool orr_stack_average(struct orr_stack_worker *worker, struct orr_stack_runs *const *engines, const char *const *names,
                       size_t n, const struct orr_stack_choice *chosen, int passes, struct orr_stack_mixture *mixture);
/* The mixture's prediction of a run: `mean` is its median, and the variance includes that of single runs. */
struct orr_stack_guess orr_stack_mixture_predict(struct orr_stack_worker *worker,
                                                 const struct orr_stack_mixture *mixture, size_t i);
/* Lets the members share nothing of what they leave of the runs. */
void orr_stack_keep_apart(struct orr_stack_mixture *mixture);
/* The member that describes the stack: the parent as it is or another engine if it has most of the weight, else the
 * parent fitted. */
const struct orr_stack_member *orr_stack_best(const struct orr_stack_mixture *mixture);

#endif
