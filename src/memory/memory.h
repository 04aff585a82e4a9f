/* model + plan + workload -> bytes on one GPU at named instants, for every pipeline rank, and the tensor ledger of the
 * rank with the highest peak. Eqs. 79-89. */
#ifndef ORR_MEMORY_MEMORY_H
#define ORR_MEMORY_MEMORY_H

#include "ops/ops.h"

/* Activation bytes one layer of a kind keeps for one micro-batch, by block, and what its backward needs besides. */
struct orr_layer_bytes {
    double input;                 /* the layer's input, which is all that full recomputation keeps */
    double norms;                 /* inputs of the norms */
    double attention;             /* projections' inputs and outputs, latents */
    double scores;                /* unfused: probabilities, dropout mask, dropped copy; fused: row statistics */
    double ffn;                   /* inputs and outputs of the FFN or of the routed experts */
    double masks;                 /* dropout masks of the residual branches */
    double by_ops;                /* all of it where recomputation keeps every other product */
    double repeated;              /* the part of it that a list of operators makes again */
    enum orr_recompute recompute; /* what the layer repeats in backward */
    double core_transient;        /* gradients alive in the attention core's backward */
    double ffn_transient;         /* gradients alive in the FFN's backward */
};
struct orr_layer_bytes orr_layer_bytes_of(const struct orr_job *job, const struct orr_dims *dims,
                                          const struct orr_layer_kind *kind);
/* Bytes per element that a norm keeps besides its output. */
double orr_norm_saved_bytes(const struct orr_job *job, const struct orr_dims *dims, bool weights_trained);
/* The part of these bytes that stays until backward under the job's recomputation. */
double orr_layer_saved_bytes(const struct orr_job *job, const struct orr_layer_bytes *bytes);
/* The part of these bytes that recomputation restores while one layer runs backward. */
double orr_layer_recomputed_bytes(const struct orr_job *job, const struct orr_layer_bytes *bytes);

/* Micro-batches whose activations pipeline rank i holds at its peak (Eq. 89). */
double orr_in_flight(const struct orr_plan *plan, double n_micro_batches, int64_t stage);

/* The rank and the instant of the highest peak of all ranks. */
struct orr_memory_peak {
    double bytes;
    size_t class; /* index of the class of ranks */
    int instant;
    double host_bytes, nvme_bytes; /* the most that a GPU of any rank keeps there */
};
/* Find the highest peak; `layers` holds the result of orr_layer_bytes_of for every layer kind. `ahead` says whether the
 * host runs ahead of the device: then tensors stay that a communication stream was handed. */
struct orr_memory_peak orr_memory_peak_of(const struct orr_job *job, const struct orr_dims *dims,
                                          const struct orr_layer_bytes *layers, const struct orr_rank_class *classes,
                                          size_t n_classes, bool ahead);
/* Least bytes of a rank with these parameters: its weights, gradients, optimizer state and workspace. */
double orr_state_bytes(const struct orr_job *job, const struct orr_stage *stage);
/* Capacity less context and fragmentation (Eq. 79). */
double orr_usable_bytes(const struct orr_job *job);

/* A GPU's share of the memory of its host (Eq. 146). */
double orr_host_bytes(const struct orr_job *job);

/* Also works out most_bytes, the peak with a host that runs ahead. */
void orr_memory_predict(const struct orr_job *job, const struct orr_classes *classes, bool ahead,
                        struct orr_memory *memory);

#endif
