/* The commands that answer a request: options become a request, a job and a report. */
#include <stdlib.h>
#include <string.h>

#include "request.h"

static bool standard_output(const char *file)
{
    return file && strcmp(file, "-") == 0;
}

/* Write the files asked for beside the report, and the report unless one of them replaces it. */
static enum cli_status write_answer(const struct cli_args *args, const struct orr_answer *answer)
{
    const char *command = answer->job->kind == ORR_JOB_TRAIN ? "train" : "infer";
    enum cli_status status = CLI_ANSWERED;
    if (args->trace) status = cli_write_file(args->trace, orr_render(answer, ORR_FORMAT_TRACE, &args->style));
    if (!status && args->html)
        status = cli_write_html(args, command, orr_render(answer, ORR_FORMAT_HTML, &args->style));
    if (status || standard_output(args->trace) || cli_html_only(args)) return status;
    return cli_write_file("-", orr_render(answer, args->format, &args->style));
}

/* Write the files that run the plan. */
static enum cli_status write_launch(const struct orr_answer *answer, const char *path)
{
    struct cli_folder folder = {.path = path};
    enum cli_status status = cli_folder_make(&folder);
    if (!status && !orr_answer_launch(answer, cli_folder_put, &folder)) status = cli_fail_memory();
    return status ? status : folder.status;
}

/* Predict once for all outputs and the exit status. Only advice and --what-if need further predictions. */
static enum cli_status predict(const struct cli_args *args, const struct orr_job *job, struct orr_scratch *scratch,
                               struct orr_answer *answer)
{
    struct orr_what_if what_ifs[ORR_MAX_WHAT_IFS];
    orr_predict(job, scratch, answer);
    if (job->kind == ORR_JOB_TRAIN) orr_train_advice(answer->job, scratch, &answer->train);
    if (cli_args_has(args, "what-if")) {
        answer->n_what_ifs = orr_train_what_if(answer->job, scratch, what_ifs);
        answer->what_ifs = what_ifs;
    }
    const char *launch = cli_args_value(args, "launch"); /* first: what fails here has printed nothing yet */
    enum cli_status status = launch ? write_launch(answer, launch) : CLI_ANSWERED;
    if (!status) status = write_answer(args, answer);
    return status ? status : orr_answer_fits(answer) ? CLI_ANSWERED : CLI_BELOW;
}

static enum cli_status answer(const struct cli_args *args, const struct orr_job *job)
{
    struct orr_scratch *scratch = orr_scratch_new();
    struct orr_answer *answer = malloc(sizeof *answer);
    enum cli_status status = scratch && answer ? CLI_ANSWERED : cli_fail_memory();
    if (!status) status = predict(args, job, scratch, answer);
    free(answer);
    orr_scratch_free(scratch);
    return status;
}

enum cli_status cli_job_status(const struct orr_job *job)
{
    struct orr_scratch *scratch = orr_scratch_new();
    struct orr_answer *answer = malloc(sizeof *answer);
    enum cli_status status = scratch && answer ? CLI_ANSWERED : cli_fail_memory();
    if (!status) {
        orr_predict(job, scratch, answer);
        status = orr_answer_fits(answer) ? CLI_ANSWERED : CLI_BELOW;
    }
    free(answer);
    orr_scratch_free(scratch);
    return status;
}

enum cli_status cli_job_read(const struct cli_args *args, enum orr_job_kind kind, const struct orr_catalogue *catalogue,
                             struct orr_job *job)
{
    struct orr_form *form;
    const struct orr_job *read;
    struct orr_error error;
    enum cli_status status = cli_request_form(args, catalogue, kind, "", &form);
    if (status) return status;
    if (orr_form_job(form, &read, &error)) status = cli_fail("%s", error.text);
    else *job = *read;
    orr_form_close(form);
    return status;
}

static enum cli_status run(const struct cli_question *question, const struct cli_args *args)
{
    if (args->help) return cli_options_help(question->command, question->usage);
    struct orr_catalogue *catalogue = cli_args_catalogue(args);
    struct orr_job *job = malloc(sizeof *job);
    enum cli_status status = catalogue ? CLI_ANSWERED : CLI_BAD;
    if (!status && !job) status = cli_fail_memory();
    if (!status) status = cli_job_read(args, question->kind, catalogue, job);
    if (!status) status = answer(args, job);
    free(job);
    orr_catalogue_close(catalogue);
    return status;
}

enum cli_status cli_answer(int argc, const char *const *argv, const struct cli_question *question)
{
    struct cli_args args;
    enum cli_status status = cli_args_parse(argc, argv, question->command, 0, &args);
    if (!status) status = run(question, &args);
    cli_args_free(&args);
    return status;
}
