/* Command-line options -> a request -> an answer. */
#ifndef CLI_REQUEST_H
#define CLI_REQUEST_H

#include "cli.h"
#include "options.h"

/* The request of this kind the options ask for, starting from --request FILE where given. `command`: what to ask for
 * the other kind ("search "; "": the kind itself). CLI_BAD after printing what is wrong. */
enum cli_status cli_request_form(const struct cli_args *args, const struct orr_catalogue *catalogue,
                                 enum orr_job_kind kind, const char *command, struct orr_form **form);

/* The job of this kind the options ask for. CLI_BAD after printing what is wrong. */
enum cli_status cli_job_read(const struct cli_args *args, enum orr_job_kind kind, const struct orr_catalogue *catalogue,
                             struct orr_job *job);

/* A command that answers a request (train, infer). */
struct cli_question {
    unsigned command; /* whose options */
    enum orr_job_kind kind;
    const char *usage;
};

/* CLI_ANSWERED, or CLI_BELOW where the job does not fit: for reports about many predictions, which do not say. */
enum cli_status cli_job_status(const struct orr_job *job);

/* Parse the options, read the job, print the report. CLI_BELOW: the job does not fit. */
enum cli_status cli_answer(int argc, const char *const *argv, const struct cli_question *question);

#endif
