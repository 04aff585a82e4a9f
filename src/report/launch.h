/* A launcher spells a plan in the flags of a program that runs it. */
#ifndef ORR_REPORT_LAUNCH_H
#define ORR_REPORT_LAUNCH_H

#include "base/text.h"
#include "orrery.h"

#define ORR_LAUNCHERS(X)                                                                                               \
    /*  enum          function     key in JSON     program          runs          */                                   \
    X(MEGATRON, megatron, "megatron", "Megatron-LM", ORR_JOB_TRAIN)                                                    \
    X(VLLM, vllm, "vllm", "vllm serve", ORR_JOB_INFER)                                                                 \
    X(TENSORRT_LLM, tensorrt_llm, "tensorrt_llm", "trtllm-serve", ORR_JOB_INFER)
#define ORR_X_LAUNCHER_(name, ...) ORR_LAUNCHER_##name,
enum orr_launcher { ORR_LAUNCHERS(ORR_X_LAUNCHER_) ORR_N_LAUNCHERS };

struct orr_launcher_info {
    const char *key, *program;
    enum orr_job_kind kind; /* kind of the jobs it runs */
};
extern const struct orr_launcher_info orr_launchers[ORR_N_LAUNCHERS];

/* Adds the flags that ask for the job's plan, separated by spaces; settings without a flag go to `notes`, separated by
 * "; ". It returns false and adds nothing where the program does not run jobs of this kind. */
bool orr_launch(enum orr_launcher launcher, const struct orr_job *job, struct orr_text *flags, struct orr_text *notes);

#endif
