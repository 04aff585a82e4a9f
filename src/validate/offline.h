/* Offline runs of a benchmark tool: a fixed number of equal requests, all queued at once, served to the end. */
#ifndef ORR_VALIDATE_OFFLINE_H
#define ORR_VALIDATE_OFFLINE_H

#include "orrery.h"

struct orr_offline {
    int64_t requests;        /* requests of the whole run, over all data-parallel ranks */
    int64_t max_batch;       /* most sequences that one rank holds */
    int64_t max_step_tokens; /* most prompt and decode tokens in one step of a rank */
};

/* The value of free_gpu_memory_fraction "in many cases" of the published runs (TensorRT-LLM performance overview,
 * December 2025). */
#define ORR_BENCH_BUDGET_FRAC 0.95

/* The run of trtllm-bench for these lengths: its published number of requests and the limits that it estimates. `fits`
 * is the number of sequences that the cache really holds. */
struct orr_offline orr_offline_bench(const struct orr_job *job, int64_t fits);
/* Seconds from the first step to the last; NAN if out of memory. */
double orr_offline_s(const struct orr_job *job, const struct orr_offline *run);

#endif
