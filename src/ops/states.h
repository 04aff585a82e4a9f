/* What training keeps per parameter besides the 16-bit weight: the engine's own formats, or those of an optimizer that
 * the workload names (Eq. 80). */
#ifndef ORR_OPS_STATES_H
#define ORR_OPS_STATES_H

#include "orrery.h"

struct orr_states {
    double gradient_bytes;  /* an accumulated gradient */
    double optimizer_bytes; /* master weight and moments of a weight matrix of a layer */
    double other_bytes;     /* the same of embeddings, head, norms and biases */
    bool muon;              /* updates of matrices are made orthogonal (Eq. 459) */
    bool live_16bit;        /* 16-bit gradients stay beside the accumulated ones until the optimizer copies them */
    bool first_kept;        /* the gradient of the first micro-batch is stored, not added to zeros */
    bool casts;             /* gradients and weights are cast around the optimizer by kernels of their own */
};

/* Bytes per element of the gradient collective: as the engine sends, but no wider than the gradients themselves are. */
static inline double orr_reduce_bytes(const struct orr_job *job)
{
    const double sent = (double)job->engine.reduce_bytes;
    return job->workload.gradients == ORR_GRADIENTS_BF16 && sent > 2 ? 2 : sent;
}

static inline struct orr_states orr_states_of(const struct orr_job *job)
{
#define ORR_X_STATES_(name, word, matrix, other, gradient, ...)                                                        \
    [ORR_OPTIMIZER_##name] = {.gradient_bytes = gradient, .optimizer_bytes = matrix, .other_bytes = other},
    static const struct orr_states STATES[ORR_N_OPTIMIZERS] = {ORR_OPTIMIZERS(ORR_X_STATES_)};
#undef ORR_X_STATES_
    const struct orr_engine *engine = &job->engine;
    const enum orr_optimizer optimizer = job->workload.optimizer;
    if (optimizer == ORR_OPTIMIZER_ENGINE && job->workload.gradients == ORR_GRADIENTS_ENGINE)
        return (struct orr_states){.gradient_bytes = (double)engine->gradient_bytes,
                                   .optimizer_bytes = (double)engine->optimizer_bytes,
                                   .other_bytes = (double)engine->optimizer_bytes,
                                   .live_16bit = engine->gradients_16bit_live,
                                   .first_kept = engine->gradients_16bit_live,
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
