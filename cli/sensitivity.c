/* orrery sensitivity: print what every hardware number is worth to a job. */
#include <stdlib.h>
#include <string.h>

#include "request.h"

static const char usage[] =
    "usage: orrery sensitivity train|infer [options of that command]\n"
    "Elasticity of the answers to every number of chip and system: a little less, a little more,\n"
    "10 % more. Sorted by effect on the step time or latency.\n"
    "Exit status: 0 answered, 1 the job does not fit, 2 bad input.";

static enum cli_status answer(const struct cli_args *args, const struct orr_catalogue *catalogue,
                              enum orr_job_kind kind)
{
    struct orr_job *job = malloc(sizeof *job);
    enum cli_status status = job ? cli_job_read(args, kind, catalogue, job) : cli_fail_memory();
    const enum cli_status fits = status ? status : cli_job_status(job); /* before anything is printed */
    if (fits == CLI_BAD) status = fits;
    if (!status && args->html)
        status = cli_write_html(args, "sensitivity", orr_sensitivity_render(job, ORR_FORMAT_HTML, &args->style));
    if (!status && !cli_html_only(args))
        status = cli_write_file("-", orr_sensitivity_render(job, args->format, &args->style));
    free(job);
    return status ? status : fits;
}

enum cli_status cli_sensitivity(int argc, const char *const *argv)
{
    if (cli_help_first(argc, argv)) return cli_options_help(CLI_FOR_SENSITIVITY | CLI_FOR_TRAIN, usage);
    const struct cli_job_kind *kind = cli_first_kind("sensitivity", argc, argv);
    if (!kind) return CLI_BAD;
    struct cli_args args;
    const unsigned command = CLI_FOR_SENSITIVITY | kind->command;
    enum cli_status status = cli_args_parse(argc - 1, argv + 1, command, 0, &args);
    if (!status && args.help) status = cli_options_help(command, usage);
    else if (!status) {
        struct orr_catalogue *catalogue = cli_args_catalogue(&args);
        status = catalogue ? answer(&args, catalogue, kind->kind) : CLI_BAD;
        orr_catalogue_close(catalogue);
    }
    cli_args_free(&args);
    return status;
}
