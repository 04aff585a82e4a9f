/* The 80 % interval of a predicted time depends on the job's regime and on whether the chip's kernels were measured. */
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

struct orr_interval {
    const char *name; /* name of the class as reports print it; a static string */
    double low, high; /* factors of the predicted time */
};

/* Returns the recorded interval of a class. */
struct orr_interval orr_interval_of(enum orr_regime regime, bool calibrated);

enum orr_regime orr_train_regime(const struct orr_job *job);
enum orr_regime orr_prefill_regime(const struct orr_job *job, const struct orr_infer_result *result);
enum orr_regime orr_decode_regime(const struct orr_job *job, const struct orr_infer_result *result);
enum orr_regime orr_in_flight_regime(const struct orr_job *job);
/* The regime of the steps of a service under load; its first tokens have one of their own. */
enum orr_regime orr_serving_regime(const struct orr_job *job);
/* The regime of the whole latency is that of the longer phase. */
enum orr_regime orr_infer_regime(const struct orr_job *job, const struct orr_infer_result *result);

void orr_fill_interval(const struct orr_job *job, struct orr_result *result);
void orr_fill_infer_interval(const struct orr_job *job, struct orr_infer_result *result);

#endif
