/* What the commands that answer a request (train, infer) have in common. */
#ifndef CLI_ANSWER_H
#define CLI_ANSWER_H

#include "cli.h"
#include "options.h"

struct cli_question {
    unsigned command;        /* whose options */
    enum orr_job_kind kind;
    const char *name;        /* "kind" of the request; the command */
    const char *other;       /* of the other kind */
    const char *usage;
    char *(*report)(const struct orr_job *job, enum orr_format format, const struct orr_style *style);
    bool (*fits)(const struct orr_job *job, struct orr_scratch *scratch);
};

/* Parse the options, read the job, print the report. CLI_BELOW: the job does not fit. */
enum cli_status cli_answer(int argc, const char *const *argv, const struct cli_question *question);

#endif
