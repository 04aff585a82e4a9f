/* orrery size: the fewest GPUs or dollars that serve a load within limits of latency. */
#include <unistd.h>

#include "request.h"

static const char usage[] =
    "usage: orrery size --model M --system S[,S...] --engine E --input N --output N --rate 12/s\n"
    "                   --slo 'ttft_s.p99<=1 s' [--slo ...] [--budget '64 GPUs' | --budget '$40/h'] [options]\n"
    "Find the cheapest plan that keeps every limit: system, replicas, tp, pp, ep and limits of a step; the front of "
    "cost\n"
    "against latency; the nearest miss if there is none. --tp, --pp and --ep take lists, which narrow the search.\n"
    "--input and --output take a length, LOW:HIGH (uniform) or MEAN~CV (lognormal).\n"
    "Exit status: 0 answered, 1 no plan keeps the limits within the budget, 2 bad input.";

static void progress(void *context, double done_frac)
{
    bool *drawn = context;
    *drawn = true;
    cli_progress(NULL, "plans", done_frac);
}

static enum cli_status answer(const struct cli_args *args, struct orr_size *size)
{
    struct orr_error error;
    int64_t threads = 0;
    bool drawn = false;
    enum cli_status status = cli_args_whole(args, "threads", 1, 1024, &threads);
    if (status) return status;
    if (orr_size_run(size, (int)threads, NULL, cli_terminal(STDERR_FILENO) ? progress : NULL, &drawn, &error))
        status = cli_fail("%s", error.text);
    if (drawn) cli_progress(NULL, "", 1);
    if (!status) status = cli_write_file("-", orr_size_render(size, args->format, &args->style));
    return status ? status : orr_size_holds(size) ? CLI_ANSWERED : CLI_BELOW;
}

static enum cli_status solve(const struct cli_args *args)
{
    struct orr_catalogue *catalogue = cli_args_catalogue(args);
    struct orr_form *form = NULL;
    struct orr_size *size = NULL;
    struct orr_error error;
    enum cli_status status = catalogue ? CLI_ANSWERED : CLI_BAD;
    if (!status) status = cli_request_form(args, catalogue, ORR_JOB_INFER, "", &form);
    if (!status && orr_form_set(form, "kind", "size", &error)) status = cli_fail("%s", error.text);
    if (!status && orr_form_size(form, &size, &error)) status = cli_fail("%s", error.text);
    if (!status) status = answer(args, size);
    orr_size_close(size);
    orr_form_close(form);
    orr_catalogue_close(catalogue);
    return status;
}

enum cli_status cli_size(int argc, const char *const *argv)
{
    struct cli_args args;
    const unsigned command = CLI_FOR_SIZE | CLI_FOR_INFER;
    enum cli_status status = cli_args_parse(argc, argv, command, 0, &args);
    if (!status) status = args.help ? cli_options_help(command, usage) : solve(&args);
    cli_args_free(&args);
    return status;
}
