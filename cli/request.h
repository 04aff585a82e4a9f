/* Command-line options -> the JSON text of a request -> an answer. */
#ifndef CLI_REQUEST_H
#define CLI_REQUEST_H

#include "cli.h"
#include "options.h"

/* Put `value` (JSON) at section.key of the JSON object in `text`; `section` NULL: at the top. An existing value is
 * replaced. False, and the text unchanged, where there is no object to put it in: orr_job_read will say why. */
bool cli_request_put(struct cli_text *text, const char *section, const char *key, const char *value);

/* Does the request say that it is of this kind? */
bool cli_request_is(const struct cli_text *request, const char *kind);

/* The request of this kind the options ask for, starting from --request FILE where given. `origin` names it in
 * errors. *placed is false if the file has no place for an option, which makes sense only if the file is no request
 * at all. */
enum cli_status cli_request_build(const struct cli_args *args, const char *kind, struct cli_text *request,
                                  struct cli_text *origin, bool *placed);

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
