/* A plan becomes command-line flags, with one function per program. A line adds a flag, a flag with a number or, where
 * the program has no such flag, a note; each only where its condition holds. */
#include "report/launch.h"

#include <string.h>

void orr_flag(struct orr_command *to, bool holds, const char *name)
{
    if (holds) orr_text_add(to->flags, "%s%s", to->flags->length ? " " : "", name);
}

void orr_flag_number(struct orr_command *to, bool holds, const char *name, int64_t value)
{
    orr_flag(to, holds, name);
    if (holds) orr_text_add(to->flags, " %lld", (long long)value);
}

void orr_flag_note(struct orr_command *to, bool holds, const char *text)
{
    if (holds) orr_text_add(to->notes, "%s%s", to->notes->length ? "; " : "", text);
}

const struct orr_launcher_info orr_launchers[ORR_N_LAUNCHERS] = {
#define X(name, function, key, program, kind) {key, program, kind},
    ORR_LAUNCHERS(X)
#undef X
};

static bool run(enum orr_launcher launcher, const struct orr_job *job, struct orr_command *to)
{
    if (orr_launchers[launcher].kind != job->kind) return false;
    switch (launcher) {
#define X(name, function, ...)                                                                                         \
    case ORR_LAUNCHER_##name: function(job, to); break;
        ORR_LAUNCHERS(X)
#undef X
    case ORR_N_LAUNCHERS: break;
    }
    return true;
}

bool orr_launch(enum orr_launcher launcher, const struct orr_job *job, struct orr_text *flags, struct orr_text *notes)
{
    return run(launcher, job, &(struct orr_command){.flags = flags, .notes = notes});
}

bool orr_launch_in_file(enum orr_launcher launcher, const struct orr_job *job, struct orr_text *flags,
                        struct orr_text *notes)
{
    return run(launcher, job, &(struct orr_command){.flags = flags, .notes = notes, .in_file = true});
}

enum orr_launcher orr_launcher_of(const struct orr_job *job)
{
    static const struct {
        const char *family;
        enum orr_launcher launcher;
    } FAMILIES[] = {{"torchtitan", ORR_LAUNCHER_TORCHTITAN}, {"nemo", ORR_LAUNCHER_BRIDGE},
                    {"sglang", ORR_LAUNCHER_SGLANG},         {"sglang-rocm", ORR_LAUNCHER_SGLANG},
                    {"nim", ORR_LAUNCHER_TENSORRT_LLM},      {"tensorrt-llm", ORR_LAUNCHER_TENSORRT_LLM}};
    for (size_t i = 0; i < sizeof FAMILIES / sizeof *FAMILIES; i++)
        if (strcmp(job->engine.family, FAMILIES[i].family) == 0 &&
            orr_launchers[FAMILIES[i].launcher].kind == job->kind)
            return FAMILIES[i].launcher;
    return job->kind == ORR_JOB_TRAIN ? ORR_LAUNCHER_MEGATRON : ORR_LAUNCHER_VLLM;
}
