/* Offline runs of a benchmark tool: a fixed number of equal requests, all queued at once, served to the end. */
#ifndef ORR_VALIDATE_OFFLINE_H
#define ORR_VALIDATE_OFFLINE_H

#include "orrery.h"

struct orr_offline {
    int64_t requests;        /* of the whole run, over all data-parallel ranks */
    int64_t max_batch;       /* sequences one rank holds at most */
    int64_t max_step_tokens; /* prompt and decode tokens of one step of a rank at most */
};

/* free_gpu_memory_fraction "in many cases" of the published runs (TensorRT-LLM performance overview, December 2025). */
#define ORR_BENCH_BUDGET_FRAC 0.95

/* What trtllm-bench runs for these lengths: its published number of requests, and the limits it estimates for itself.
 * `fits`: sequences the cache really holds. */
struct orr_offline orr_offline_bench(const struct orr_job *job, int64_t fits);
/* Seconds from the first step to the last; NAN: out of memory. */
double orr_offline_s(const struct orr_job *job, const struct orr_offline *run);

#endif
