/* What training keeps per parameter besides the 16-bit weight: the engine's own formats, or those of an optimizer that
 * the workload names (Eq. 80). */
#ifndef ORR_OPS_STATES_H
#define ORR_OPS_STATES_H

#include "ops/adapter.h"
#include "orrery.h"
#include "spec/names.h"

struct orr_states {
    double gradient_bytes;  /* an accumulated gradient */
    double optimizer_bytes; /* master weight and moments of a weight matrix of a layer */
    double other_bytes;     /* the same of embeddings, head, norms and biases */
    bool muon;              /* updates of matrices are made orthogonal (Eq. 167) */
    bool live_16bit;        /* 16-bit gradients stay beside the accumulated ones until the optimizer copies them */
    bool first_kept;        /* the gradient of the first micro-batch is stored, not added to zeros */
    bool casts;             /* gradients and weights are cast around the optimizer by kernels of their own */
};

/* Bytes per element of the gradient collective: as the engine sends, but no wider than the gradients themselves are, or
 * as the request asks (Eq. 280). */
static inline double orr_reduce_bytes(const struct orr_job *job)
{
    const double sent = (double)job->engine.reduce_bytes;
    const double own = job->workload.gradients == ORR_GRADIENTS_BF16 && sent > 2 ? 2 : sent;
    return orr_asked_bytes(job->workload.comm, own);
}

/* Adapters in fp32 are their own master weights; in 16 bits they have none. Moments have the adapter's format, or that
 * of the optimizer that the workload names if it is narrower (Eq. 153). */
static inline struct orr_states orr_adapter_states(const struct orr_job *job)
{
    const double width = orr_adapter_wide(job) ? 4 : 2;
    double moments = 2 * width;
    if (job->workload.optimizer == ORR_OPTIMIZER_ADAMW_8BIT) moments = 2;
    if (job->workload.optimizer == ORR_OPTIMIZER_SGD_MOMENTUM) moments = width;
    if (job->workload.optimizer == ORR_OPTIMIZER_SGD || job->workload.optimizer == ORR_OPTIMIZER_ADAFACTOR) moments = 0;
    return (struct orr_states){
        .gradient_bytes = width, .optimizer_bytes = moments, .other_bytes = moments, .first_kept = true};
}

static inline struct orr_states orr_states_of(const struct orr_job *job)
{
#define ORR_X_STATES_(name, word, matrix, other, gradient, ...)                                                        \
    [ORR_OPTIMIZER_##name] = {.gradient_bytes = gradient, .optimizer_bytes = matrix, .other_bytes = other},
    static const struct orr_states STATES[ORR_N_OPTIMIZERS] = {ORR_OPTIMIZERS(ORR_X_STATES_)};
#undef ORR_X_STATES_
    const struct orr_engine *engine = &job->engine;
    if (orr_adapts(job)) return orr_adapter_states(job);
    const enum orr_optimizer optimizer = job->workload.optimizer;
    /* Frameworks that drop gradients keep gradients and moments in the format of the weights, whatever it is. */
    const bool fp32 = orr_dtype_bytes(job->workload.precision) > 2;
    const double wide = engine->gradients_dropped && engine->gradient_bytes == 2 && fp32 ? 2 : 1;
    if (optimizer == ORR_OPTIMIZER_ENGINE && job->workload.gradients == ORR_GRADIENTS_ENGINE)
        return (struct orr_states){.gradient_bytes = wide * (double)engine->gradient_bytes,
                                   .optimizer_bytes = wide * (double)engine->optimizer_bytes,
                                   .other_bytes = wide * (double)engine->optimizer_bytes,
                                   .live_16bit = engine->gradients_16bit_live,
                                   .first_kept = engine->gradients_16bit_live || engine->gradients_dropped,
                                   .casts = !engine->fused_optimizer_cast};
    struct orr_states states = STATES[optimizer];
    if (optimizer == ORR_OPTIMIZER_ENGINE)
        states = (struct orr_states){.gradient_bytes = (double)engine->gradient_bytes,
                                     .optimizer_bytes = (double)engine->optimizer_bytes,
                                     .other_bytes = (double)engine->optimizer_bytes};
    if (job->workload.gradients != ORR_GRADIENTS_ENGINE)
        states.gradient_bytes = job->workload.gradients == ORR_GRADIENTS_FP32 ? 4 : 2;
    states.muon = optimizer == ORR_OPTIMIZER_MUON || optimizer == ORR_OPTIMIZER_MUON_BF16;
    /* Gradients in the format of the weights are accumulated in place and need no cast. */
    states.live_16bit = engine->gradients_16bit_live && states.gradient_bytes > 2;
    states.first_kept = engine->gradients_16bit_live || states.gradient_bytes <= 2;
    states.casts = !engine->fused_optimizer_cast && states.gradient_bytes > 2;
    return states;
}

#endif
