/* Which other engines a fit looks at: one of every kind of stack, so that a fact that is a yes or no, and that no
 * number can reach, may be right in one of them. */
#include "calibrate/stack.h"

#include <string.h>

static const char *const TRAINING[] = {"generic",
                                       "mosaic-fsdp",
                                       "megatron-core-2024",
                                       "torch-compile",
                                       "megatron-lm-2022",
                                       "internevo-2023",
                                       "torchtitan-2024-eager",
                                       "nanotron-2025",
                                       NULL};
static const char *const SERVING[] = {"vllm",   "tensorrt-llm-0.9", "pytorch-eager-cudagraph", "vllm-0.6",
                                      "sglang", "tensorrt-llm-1.2", "fastertransformer",       "lmdeploy-turbomind-0.2",
                                      NULL};

size_t orr_stack_others(enum orr_job_kind kind, const char *parent, const char *others[ORR_STACK_OTHERS])
{
    size_t n = 0;
    for (const char *const *name = kind == ORR_JOB_TRAIN ? TRAINING : SERVING; *name && n < ORR_STACK_OTHERS; name++)
        if (strcmp(*name, parent) != 0) others[n++] = *name;
    return n;
}
