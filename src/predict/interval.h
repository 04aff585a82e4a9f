/* How sure a predicted time is. The 80 % interval of a job comes from two kinds of error: within a stack, which the
 * residuals of measured runs of the same engine tell, and between stacks, which is what each resource may be off by on
 * a stack that nobody has measured, weighted by the part of the time that the resource takes. */
#ifndef ORR_PREDICT_INTERVAL_H
#define ORR_PREDICT_INTERVAL_H

#include "orrery.h"

#define ORR_REGIMES(X)                                                                                                 \
    /*  enum             name                                           what sets the time           */                \
    X(TRAIN_DENSE, "training, dense", "kernels and collectives of dense layers")                                       \
    X(TRAIN_MOE, "training, MoE", "grouped products and all-to-all")                                                   \
    X(DECODE_DRAM, "inference, decode, DRAM-bound", "weights and cache")                                               \
    X(DECODE_NETWORK, "inference, decode, network- or launch-bound", "latencies")                                      \
    X(HOST, "inference, host-bound framework", "launches of the host, in either phase")                                \
    X(PREFILL, "inference, prefill", "products of the prompt")                                                         \
    X(PREFILL_SHORT, "inference, prefill of few tokens", "weights, latencies, request handling")                       \
    X(INFER_MOE, "inference, MoE", "experts")                                                                          \
    X(IN_FLIGHT, "inference, in flight", "capacity and scheduling as well")                                            \
    X(IN_FLIGHT_MOE, "inference, in flight, MoE", "the same with experts")                                             \
    X(SERVE, "serving, next tokens", "steps of a service under load")                                                  \
    X(SERVE_MOE, "serving, next tokens, MoE", "the same with experts")                                                 \
    X(SERVE_FIRST, "serving, first token", "arrivals, scheduling, request handling")

#define ORR_X_REGIME_(name, ...) ORR_REGIME_##name,
enum orr_regime { ORR_REGIMES(ORR_X_REGIME_) ORR_N_REGIMES };

/* What the time of a job is exposed to: shares of it, and facts that make a share more or less certain. */
struct orr_exposure {
    double bound_frac[ORR_N_BOUNDS]; /* of the time, by the resource that binds */
    double hidden_frac;              /* communication hidden beside other work, over the time */
    double fixed_frac;               /* host time that an engine may add to every step and request, over the time */
};

struct orr_interval {
    const char *name;      /* name of the class as reports print it; a static string */
    double low, mid, high; /* factors of the predicted time: 10, 50 and 90 % of measured times lie below */
    enum orr_doubt from;   /* what widens the interval most */
    bool measured;         /* runs of this engine in this regime are among the measurements */
    /* What runs of the class differ by, and how much that counts, for an engine that no run covers. */
    double class_low, class_high, class_weight;
};
/* How much a class counts whose rows are held to this share by intervals that are made without their source. */
double orr_class_weight(double left_out_frac);
/* Where the class is wider than the doubts about a stack, an end lies between both (Eq. 341). First tokens have their
 * steps joined before. */
struct orr_interval orr_towards_class(struct orr_interval interval);

/* Returns the recorded factors of a class, which hold for engines that measured runs cover. */
struct orr_interval orr_interval_recorded(enum orr_regime regime, bool calibrated);
/* Do enough measured runs of this regime have this engine? */
bool orr_engine_is_measured(const char *engine_id, enum orr_regime regime);
/* Does it describe no stack in particular? */
bool orr_engine_stands_in(const char *engine_id);
/* Returns the factors of a job (Eqs. 182-186). */
struct orr_interval orr_interval_of(const struct orr_job *job, enum orr_regime regime,
                                    const struct orr_exposure *exposure);

bool orr_regime_is_training(enum orr_regime regime);
const char *orr_regime_name(enum orr_regime regime); /* "training, dense" */
/* What the share of a resource may be off by between stacks, upwards, in logarithms. */
double orr_bound_doubt(enum orr_regime regime, enum orr_bound bound);

/* Returns the interval of a job: that of its class or, if its engine was fitted to runs (docs/fit.md), the spread that
 * the fit found: of single runs, and of what the runs left open about the stack. */
struct orr_interval orr_interval_of_job(const struct orr_job *job, enum orr_regime regime);

enum orr_regime orr_train_regime(const struct orr_job *job);
enum orr_regime orr_prefill_regime(const struct orr_job *job, const struct orr_infer_result *result);
enum orr_regime orr_decode_regime(const struct orr_job *job, const struct orr_infer_result *result);
enum orr_regime orr_in_flight_regime(const struct orr_job *job);
/* The regime of the steps of a service under load; its first tokens have one of their own. */
enum orr_regime orr_serving_regime(const struct orr_job *job);
/* The regime of the whole latency is that of the longer phase. */
enum orr_regime orr_infer_regime(const struct orr_job *job, const struct orr_infer_result *result);

struct orr_exposure orr_train_exposure(const struct orr_result *result);
/* The exposure of a request: of its prompt, of its decode steps, or of both (weights of the two phases). */
struct orr_exposure orr_infer_exposure(const struct orr_infer_result *result, double prefill_s, double decode_s);
/* The exposure of the steps of a service, of whose time prompts have a share: `result` is of its mean batch. */
struct orr_exposure orr_step_exposure(const struct orr_infer_result *result, double prompt_frac, double step_s);
/* First tokens at the two ends of the interval of a step that differ by more than this factor say that the service is
 * at its knee, where the program has no answer: a choice. */
#define ORR_KNEE 10
/* The exposure of a first token to what is not in a step: handling of the request. */
struct orr_exposure orr_first_exposure(double handling_s, double ttft_s);

void orr_fill_interval(const struct orr_job *job, struct orr_result *result);
void orr_fill_infer_interval(const struct orr_job *job, struct orr_infer_result *result);

#endif
