/* Which weights are trained, and what adapters add to the frozen ones (Eqs. 147-151). */
#ifndef ORR_OPS_ADAPTER_H
#define ORR_OPS_ADAPTER_H

#include "orrery.h"

/* The parts of the two joined products. */
enum {
    ORR_QKV_TARGETS = 1 << ORR_TARGET_Q | 1 << ORR_TARGET_K | 1 << ORR_TARGET_V,
    ORR_GATE_UP_TARGETS = 1 << ORR_TARGET_GATE | 1 << ORR_TARGET_UP
};

static inline bool orr_adapts(const struct orr_job *job)
{
    return job->kind == ORR_JOB_TRAIN && job->workload.adapter.kind != ORR_ADAPTER_NONE;
}

/* Do the adapters of a layer kind include this target? */
static inline bool orr_adapts_target(const struct orr_job *job, const struct orr_layer_kind *kind,
                                     enum orr_target target)
{
    return orr_adapts(job) && !kind->frozen && job->workload.adapter.targets & 1u << target;
}

/* Are adapters kept in fp32? Under autocast they are cast to the format of activations. */
static inline bool orr_adapter_wide(const struct orr_job *job)
{
    return orr_adapts(job) && job->workload.adapter.format == ORR_DTYPE_FP32;
}

/* Do they run in fp32 instead, on inputs that are cast up and kept so (no autocast)? */
static inline bool orr_adapter_plain(const struct orr_job *job)
{
    return orr_adapter_wide(job) && job->workload.adapter.plain;
}

/* Are the frozen matrices read as they are stored, without being restored to 16 bits? */
static inline bool orr_base_read_as_stored(const struct orr_job *job)
{
    return job->workload.adapter.base == ORR_BASE_BF16 || job->workload.adapter.base == ORR_BASE_FP8;
}

/* Are inputs cast to the adapters' fp32? Beside quantised matrices peft casts them only where nothing runs under
 * autocast. */
static inline bool orr_adapter_casts(const struct orr_job *job)
{
    return orr_adapter_wide(job) && (job->workload.adapter.plain || orr_base_read_as_stored(job));
}

/* Are the adapters of queries, keys and values one pair of matrices beside the joined product? */
static inline bool orr_adapts_joined(const struct orr_job *job)
{
    return orr_adapts(job) && job->engine.adapters_joined && !job->engine.split_products;
}

/* Is one pair of adapters as wide as a joined product of these targets (Eq. 365)? */
static inline bool orr_adapts_whole(const struct orr_job *job, const struct orr_layer_kind *kind, unsigned targets)
{
    return orr_adapts(job) && !kind->frozen && job->engine.adapters_whole && !job->engine.split_products &&
           (job->workload.adapter.targets & targets) == targets;
}

/* Bytes per weight that exist while a matrix is restored: its 16-bit copy, and the copy it was cast from if any. */
static inline double orr_restored_bytes(const struct orr_job *job)
{
    return job->engine.restored_bytes > 0 ? job->engine.restored_bytes : 2;
}

/* Is the output matrix part of a quantised base? One that is the embedding, too, is not. */
static inline bool orr_quantises_head(const struct orr_job *job)
{
    return orr_adapts(job) && !orr_base_read_as_stored(job) && job->engine.quantised_head &&
           !job->model.tied_embeddings;
}

/* Bytes of a weight that no base quantises: products in 16 bits or fewer read weights of 16. */
double orr_plain_weight_bytes(const struct orr_job *job);
/* Bytes of a weight of the layers' matrices, and the kernels that restore such a matrix to 16 bits; 0: none. */
double orr_base_bytes(const struct orr_job *job);
double orr_base_kernels(const struct orr_job *job);

/* Are the embedding and the output matrix trained? A tied matrix is frozen with either. */
bool orr_trains_embedding(const struct orr_job *job);
bool orr_trains_head(const struct orr_job *job);
bool orr_trains_tower(const struct orr_job *job);

/* Parameters of the adapters of one layer of a kind on one rank, outside its routed experts and inside them (Eq. 147).
 * Column-parallel matrices have A whole and B divided, row-parallel ones the reverse. */
double orr_adapter_params(const struct orr_job *job, const struct orr_layer_kind *kind);
double orr_adapter_expert_params(const struct orr_job *job, const struct orr_layer_kind *kind);

#endif
