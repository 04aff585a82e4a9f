/* Memory of an inference job: weights, KV cache in whole blocks, activations, and the engine's limit for the cache. */
#ifndef ORR_MEMORY_SERVING_H
#define ORR_MEMORY_SERVING_H

#include "ops/serve.h"

/* Cache bytes of one sequence of `length` tokens, cut to windows, in whole blocks, on the fullest rank (Eq. 90). */
double orr_kv_sequence_bytes(const struct orr_job *job, const struct orr_stage *stages, double length);

/* Fill the memory members of the result, max_batch, max_context, kv figures, fits and reason. */
void orr_serving_memory(const struct orr_job *job, const struct orr_stage *stages, struct orr_infer_result *result);

/* The reason of a result whose cache has no room at all, with what would help. */
void orr_explain_no_room(const struct orr_infer_result *result, const char *advice, char reason[ORR_REASON]);

#endif
