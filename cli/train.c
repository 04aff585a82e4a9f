/* orrery train: one training step. Options -> request -> job -> report. */
#include <stdlib.h>

#include "cli.h"
#include "options.h"
#include "request.h"

static const char usage[] = "usage: orrery train --model M --system S [options]\n"
                            "Predict one training step: time, memory, what binds, energy and cost.\n"
                            "Exit status: 0 answered, 1 the plan does not fit, 2 bad input.";

/* Does the job fit? The report is text; this asks the model itself. */
static enum cli_status feasibility(const struct orr_job *job)
{
    struct orr_scratch *scratch = orr_scratch_new();
    if (!scratch) return cli_fail_memory();
    struct orr_result result;
    orr_train(job, scratch, &result);
    orr_scratch_free(scratch);
    return result.fits ? CLI_ANSWERED : CLI_BELOW;
}

static enum cli_status answer(const struct cli_args *args, const struct orr_job *job)
{
    char *report = orr_train_report(job, args->format, &args->style);
    if (!report) return cli_fail_memory();
    const enum cli_status status = cli_write(report);
    free(report);
    return status ? status : feasibility(job);
}

static enum cli_status read_job(const struct cli_args *args, const struct orr_catalogue *catalogue, struct orr_job *job)
{
    struct cli_text request = {0}, origin = {0};
    bool placed = false;
    struct orr_error error;
    enum cli_status status = cli_request_build(args, &request, &origin, &placed);
    if (!status && orr_job_read(catalogue, request.data, origin.data, job, &error)) status = cli_fail("%s", error.text);
    if (!status && !placed) status = cli_fail("%s: the options cannot be put into this request", origin.data);
    free(request.data);
    free(origin.data);
    return status;
}

static enum cli_status train(const struct cli_args *args)
{
    if (args->help) return cli_options_help(CLI_FOR_TRAIN, usage);
    struct orr_catalogue *catalogue = cli_args_catalogue(args);
    struct orr_job *job = malloc(sizeof *job);
    enum cli_status status = catalogue ? CLI_ANSWERED : CLI_BAD;
    if (!job) status = cli_fail_memory();
    if (!status) status = read_job(args, catalogue, job);
    if (!status) status = answer(args, job);
    free(job);
    orr_catalogue_close(catalogue);
    return status;
}

enum cli_status cli_train(int argc, const char *const *argv)
{
    struct cli_args args;
    enum cli_status status = cli_args_parse(argc, argv, CLI_FOR_TRAIN, 0, &args);
    if (!status) status = train(&args);
    cli_args_free(&args);
    return status;
}
