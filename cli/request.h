/* From command-line options to a request and to an answer. */
#ifndef CLI_REQUEST_H
#define CLI_REQUEST_H

#include "cli.h"
#include "options.h"

/* A kind of job by its word; commands such as search begin with one. */
struct cli_job_kind {
    const char *name; /* "train" or "infer" */
    enum orr_job_kind kind;
    unsigned command; /* whose options make up the request */
};
/* NULL: the word is no kind of job. */
const struct cli_job_kind *cli_job_kind(const char *word);
/* The kind that the first argument of a command names, as in "orrery search train"; NULL after printing that it does
 * not. */
const struct cli_job_kind *cli_first_kind(const char *command, int argc, const char *const *argv);
/* Is the first argument a request for help, without a kind before it? */
bool cli_help_first(int argc, const char *const *argv);

/* Make the request of this kind that the options ask for, starting from --request FILE if it is given. `command` is the
 * word before the kind in the advice to use the other kind ("search ", or "" for the kind itself). Returns CLI_BAD
 * after printing what is wrong. */
enum cli_status cli_request_form(const struct cli_args *args, const struct orr_catalogue *catalogue,
                                 enum orr_job_kind kind, const char *command, struct orr_form **form);

/* The same, starting from `file` instead; NULL: from --request FILE. */
enum cli_status cli_request_form_of(const struct cli_args *args, const struct orr_catalogue *catalogue,
                                    enum orr_job_kind kind, const char *command, const char *file,
                                    struct orr_form **form);

/* Read the job of this kind that the options ask for. Returns CLI_BAD after printing what is wrong. */
enum cli_status cli_job_read(const struct cli_args *args, enum orr_job_kind kind, const struct orr_catalogue *catalogue,
                             struct orr_job *job);

/* A command that answers a request: train or infer. */
struct cli_question {
    unsigned command; /* the command whose options are read */
    enum orr_job_kind kind;
    const char *usage;
};

/* Predicts the job again to learn whether it fits: CLI_ANSWERED, or CLI_BELOW if not. Reports about many predictions
 * need this. */
enum cli_status cli_job_status(const struct orr_job *job);

/* Parse the options, read the job and print the report. CLI_BELOW means that the job does not fit. */
enum cli_status cli_answer(int argc, const char *const *argv, const struct cli_question *question);

#endif
