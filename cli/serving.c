/* orrery serving: a service under load. Options become a request, a simulation and a report. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>

#include "request.h"
#include "watch.h"

static const char usage[] =
    "usage: orrery serving --model M --system S --engine E --input N --output N\n"
    "                      --rate 12/s | --concurrency 64 | --trace FILE [options]\n"
    "Simulate a service under load: time to first token and per token, queueing, throughput, goodput, energy, cost.\n"
    "--input and --output take a length, LOW:HIGH (uniform) or MEAN~CV (lognormal). Ctrl-C shows what is known so "
    "far.\n"
    "Exit status: 0 answered, 1 it does not fit or misses a limit, 2 bad input.";

static enum cli_status run(struct orr_service *service, bool closed_form)
{
    struct cli_watch watch;
    struct orr_error error;
    if (closed_form) return orr_service_solve(service, &error) ? cli_fail("%s", error.text) : CLI_ANSWERED;
    cli_watch_begin(&watch, "requests");
    const enum orr_err err = orr_service_run(service, &watch.stop, cli_watch_progress, &watch, &error);
    cli_watch_end(&watch, "the requests so far");
    return err ? cli_fail("%s", error.text) : CLI_ANSWERED;
}

static enum cli_status answer(const struct cli_args *args, const struct orr_service *service)
{
    const char *trace = cli_args_value(args, "trace-out");
    enum cli_status status = CLI_ANSWERED;
    const bool replaced = (trace && strcmp(trace, "-") == 0) || cli_html_only(args);
    if (trace) status = cli_write_file(trace, orr_service_render(service, ORR_FORMAT_TRACE, NULL));
    if (!status && args->html) /* infer with a load is a service, too */
        status = cli_write_html(args, args->argv[-1], orr_service_render(service, ORR_FORMAT_HTML, NULL));
    if (!status && !replaced) status = cli_write_file("-", orr_service_render(service, args->format, &args->style));
    return status ? status : orr_service_holds(service) ? CLI_ANSWERED : CLI_BELOW;
}

/* Options of a simulated run, which the steady state has not. */
static enum cli_status check_steady(const struct cli_args *args)
{
    static const char *const RUN[] = {"requests", "duration", "warmup", "seed", "urgent-share"};
    if (cli_args_value(args, "trace-out"))
        return cli_fail("--trace-out: the closed form has no steps and requests to write; leave one of them out");
    if (args->format == ORR_FORMAT_CSV)
        return cli_fail("--csv: rows of requests, which the closed form does not have; --json has its means");
    for (size_t i = 0; i < sizeof RUN / sizeof *RUN; i++)
        if (cli_args_has(args, RUN[i]))
            return cli_fail("--%s: has no effect on the closed form, which is a steady state; leave one of them out",
                            RUN[i]);
    return CLI_ANSWERED;
}

static enum cli_status serve(const struct cli_args *args, bool closed_form)
{
    struct orr_catalogue *catalogue = cli_args_catalogue(args);
    struct orr_form *form = NULL;
    struct orr_service *service = NULL;
    struct orr_error error;
    enum cli_status status = catalogue ? CLI_ANSWERED : CLI_BAD;
    if (!status) status = cli_request_form(args, catalogue, ORR_JOB_INFER, "", &form);
    if (!status && orr_form_set(form, "kind", "serving", &error)) status = cli_fail("%s", error.text);
    if (!status && orr_form_service(form, &service, &error)) status = cli_fail("%s", error.text);
    if (!status && closed_form) status = check_steady(args);
    if (!status) status = run(service, closed_form);
    if (!status) status = answer(args, service);
    orr_service_close(service);
    orr_form_close(form);
    orr_catalogue_close(catalogue);
    return status;
}

static enum cli_status simulate(const struct cli_args *args)
{
    return serve(args, cli_args_has(args, "closed-form"));
}

static enum cli_status solve(const struct cli_args *args)
{
    return serve(args, true);
}

enum cli_status cli_serving(int argc, const char *const *argv)
{
    return cli_run(argc, argv, CLI_FOR_SERVING | CLI_FOR_INFER, 0, usage, simulate);
}

enum cli_status cli_serving_steady(int argc, const char *const *argv)
{
    return cli_run(argc, argv, CLI_FOR_SERVING | CLI_FOR_INFER, 0, usage, solve);
}
