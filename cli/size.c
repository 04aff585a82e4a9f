/* orrery size: the fewest GPUs or dollars that serve a load within limits of latency. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>

#include "request.h"
#include "watch.h"

static const char usage[] =
    "usage: orrery size --model M --system S[,S...] --engine E --input N --output N --rate 12/s\n"
    "                   --slo 'ttft_s.p99<=1 s' [--slo ...] [--budget '64 GPUs' | --budget '$40/h'] [options]\n"
    "Find the cheapest plan that keeps every limit: system, replicas, tp, pp, ep and limits of a step, in one pool or\n"
    "in two (prompts, answers); the front of cost against latency; the nearest miss if there is none. --tp, --pp and\n"
    "--ep take lists, which narrow the search; --disaggregated asks for two pools. Ctrl-C shows what is known so far.\n"
    "--input and --output take a length, LOW:HIGH (uniform) or MEAN~CV (lognormal).\n"
    "Exit status: 0 answered, 1 no plan keeps the limits within the budget, 2 bad input.";

/* Write the files that run the plan. */
static enum cli_status write_launch(const struct orr_size *size, const char *path)
{
    struct cli_folder folder = {.path = path};
    enum cli_status status = cli_folder_make(&folder);
    if (!status && !orr_size_launch(size, cli_folder_put, &folder)) status = cli_fail_memory();
    return status ? status : folder.status;
}

static enum cli_status answer(const struct cli_args *args, struct orr_size *size)
{
    struct orr_error error;
    struct cli_watch watch;
    int64_t threads = 0;
    enum cli_status status = cli_args_whole(args, "threads", 1, 1024, &threads);
    if (status) return status;
    cli_watch_begin(&watch, "plans");
    if (orr_size_run(size, (int)threads, &watch.stop, cli_watch_progress, &watch, &error))
        status = cli_fail("%s", error.text);
    cli_watch_end(&watch, "the plans tried so far");
    const char *launch = cli_args_value(args, "launch"); /* first: what fails here has printed nothing yet */
    if (!status && launch && orr_size_holds(size)) status = write_launch(size, launch);
    if (!status && args->html) status = cli_write_html(args, "size", orr_size_render(size, ORR_FORMAT_HTML, NULL));
    if (!status && !cli_html_only(args))
        status = cli_write_file("-", orr_size_render(size, args->format, &args->style));
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
    return cli_run(argc, argv, CLI_FOR_SIZE | CLI_FOR_INFER, 0, usage, solve);
}
