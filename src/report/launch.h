/* A launcher spells a plan in the flags of a program that runs it. */
#ifndef ORR_REPORT_LAUNCH_H
#define ORR_REPORT_LAUNCH_H

#include "base/text.h"
#include "orrery.h"

#define ORR_LAUNCHERS(X)                                                                                               \
    /*  enum          function     key in JSON     program          runs          */                                   \
    X(MEGATRON, orr_launch_megatron, "megatron", "Megatron-LM", ORR_JOB_TRAIN)                                         \
    X(TORCHTITAN, orr_launch_torchtitan, "torchtitan", "torchtitan", ORR_JOB_TRAIN)                                    \
    X(BRIDGE, orr_launch_bridge, "megatron_bridge", "Bridge, NeMo", ORR_JOB_TRAIN)                                     \
    X(VLLM, orr_launch_vllm, "vllm", "vllm serve", ORR_JOB_INFER)                                                      \
    X(SGLANG, orr_launch_sglang, "sglang", "sglang", ORR_JOB_INFER)                                                    \
    X(TENSORRT_LLM, orr_launch_tensorrt_llm, "tensorrt_llm", "trtllm-serve", ORR_JOB_INFER)
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
/* The same for a file that starts every server and joins the pools itself, so that no note asks for it. */
bool orr_launch_in_file(enum orr_launcher launcher, const struct orr_job *job, struct orr_text *flags,
                        struct orr_text *notes);
/* The number of servers that a serving plan needs: one for each replica, or set of experts, that the program cannot
 * start together with the others. */
int64_t orr_launch_servers(enum orr_launcher launcher, const struct orr_job *job);
/* The program that runs the job's engine; for other engines Megatron-LM or vLLM. */
enum orr_launcher orr_launcher_of(const struct orr_job *job);

/* ---- what the functions of the programs use */

/* A command collects what a program is asked for. */
struct orr_command {
    struct orr_text *flags, *notes;
    bool in_file; /* the flags go into a file that starts all servers of all pools */
};
void orr_flag(struct orr_command *to, bool holds, const char *name);
void orr_flag_number(struct orr_command *to, bool holds, const char *name, int64_t value);
void orr_flag_note(struct orr_command *to, bool holds, const char *text);

#define ORR_X_LAUNCH_(name, function, ...) void function(const struct orr_job *job, struct orr_command *to);
ORR_LAUNCHERS(ORR_X_LAUNCH_)

#endif
