/* A plan in the words of the programs that run it. */
#ifndef ORR_REPORT_LAUNCH_H
#define ORR_REPORT_LAUNCH_H

#include "base/text.h"
#include "orrery.h"

#define ORR_LAUNCHERS(X)                                                                                               \
    /*  enum          key in JSON     program          runs          */                                                \
    X(MEGATRON, "megatron", "Megatron-LM", ORR_JOB_TRAIN)                                                              \
    X(VLLM, "vllm", "vllm serve", ORR_JOB_INFER)                                                                       \
    X(TENSORRT_LLM, "tensorrt_llm", "trtllm-serve", ORR_JOB_INFER)
#define ORR_X_LAUNCHER_(name, ...) ORR_LAUNCHER_##name,
enum orr_launcher { ORR_LAUNCHERS(ORR_X_LAUNCHER_) ORR_N_LAUNCHERS };

const char *orr_launcher_key(enum orr_launcher launcher);
const char *orr_launcher_program(enum orr_launcher launcher);
/* Does the program run jobs of this kind? */
bool orr_launcher_runs(enum orr_launcher launcher, enum orr_job_kind kind);

/* The flags that ask for the job's plan, separated by spaces; what has no flag goes to `notes`, separated by "; ". */
void orr_launch(enum orr_launcher launcher, const struct orr_job *job, struct orr_text *flags, struct orr_text *notes);

#endif
