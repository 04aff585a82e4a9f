/* orrery search: find the best plan for a model on N GPUs. Options become a request, a search and a report. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cluster.h"
#include "request.h"
#include "watch.h"

static const char usage[] = "usage: orrery search train|infer --model M --system S --gpus N [options]\n"
                            "Find the best plan: every valid one is looked at. What is not given is searched; what is\n"
                            "given is a value, a list (1,2,4), a doubling range (64..4096) or any.\n"
                            "Exit status: 0 answered, 1 no plan fits, or stopped early, 2 bad input.";

/* ---------------------------------------------------------------- running, with progress and Ctrl-C */

struct progress {
    double start_s, shown_s;
    bool terminal, drawn;
};

static void draw(struct progress *p, double done_frac, double plans)
{
    char what[64], rate[32] = "";
    const double now = orr_now_s(), spent_s = now - p->start_s;
    if (now - p->shown_s < 0.1 || done_frac >= 1) return;
    p->shown_s = now;
    p->drawn = true;
    if (plans > 0) snprintf(rate, sizeof rate, "%.2f M plans/s, ", 1e-6 * plans / spent_s);
    snprintf(what, sizeof what, "%s%.0f s left", rate, spent_s * (1 - done_frac) / done_frac);
    cli_progress(NULL, what, done_frac);
}

static bool on_progress(void *context, const struct orr_search *search, double done_frac)
{
    struct progress *p = context;
    if (p->terminal && done_frac > 0) draw(p, done_frac, (double)orr_search_counts_of(search).plans);
    return !cli_interrupted();
}

static enum cli_status merge(void *context, const void *bytes, size_t n_bytes)
{
    struct orr_error error;
    return orr_search_merge(context, bytes, n_bytes, &error) ? cli_fail("%s", error.text) : CLI_ANSWERED;
}

/* Run the blocks of one pass, here and in the other processes, and send all processes what each found. */
static enum cli_status run_pass(struct cli_cluster *cluster, struct orr_search *search, int pass, int threads,
                                struct progress *progress)
{
    struct orr_error error;
    size_t n_bytes = 0;
    cli_cluster_begin(cluster, 0, orr_search_n_blocks(search));
    const enum orr_err err =
        orr_search_pass(search, pass, threads, cli_cluster_next, cluster, on_progress, progress, &error);
    cli_cluster_end(cluster);
    enum cli_status status = err ? cli_fail("%s", error.text) : CLI_ANSWERED;
    void *bytes = status ? NULL : orr_search_pack(search, &n_bytes);
    if (!status && !bytes) status = cli_fail_memory();
    status = cli_cluster_agree(cluster, status);
    if (!status) status = cli_cluster_exchange(cluster, bytes, n_bytes, merge, search);
    free(bytes);
    return status;
}

static enum cli_status run_watched(struct cli_cluster *cluster, struct orr_search *search, int threads, double *seconds)
{
    struct progress progress = {.start_s = orr_now_s(), .terminal = cli_terminal(STDERR_FILENO)};
    enum cli_status status = CLI_ANSWERED;
    sigset_t only, before;
    int taken;
    sigemptyset(&only);
    sigaddset(&only, SIGINT);
    sigaddset(&only, SIGTERM);
    sigprocmask(SIG_BLOCK, &only, &before);
    for (int pass = 0; pass < ORR_SEARCH_PASSES && !status; pass++)
        status = run_pass(cluster, search, pass, threads, &progress);
    while (cli_interrupted()) sigwait(&only, &taken);
    sigprocmask(SIG_SETMASK, &before, NULL);
    *seconds = orr_now_s() - progress.start_s;
    if (progress.drawn) cli_progress(NULL, "", 1); /* This removes the bar of a search that stopped early. */
    return status;
}

/* ---------------------------------------------------------------- the answer */

/* Print the elapsed time on standard error. It is never part of the report, which is the same for any number of
 * threads. */
static void tell(const struct orr_search *search, double seconds)
{
    const struct orr_search_counts counts = orr_search_counts_of(search);
    if (cli_terminal(STDERR_FILENO))
        fprintf(stderr, "%llu plans in %.3g s (%.3g M plans/s, %.3g M timed in full/s)\n",
                (unsigned long long)counts.plans, seconds, 1e-6 * (double)counts.plans / seconds,
                1e-6 * (double)counts.evaluated / seconds);
    if (!orr_search_complete(search)) fprintf(stderr, "orrery: stopped early: these are the best plans so far\n");
}

/* Write the files that run the winner. */
static enum cli_status write_launch(const struct orr_search *search, const char *path)
{
    struct cli_folder folder = {.path = path};
    enum cli_status status = cli_folder_make(&folder);
    if (!status && !orr_search_launch(search, cli_folder_put, &folder)) return CLI_ANSWERED; /* there is no winner */
    if (!status) status = folder.status;
    if (!status) fprintf(stderr, "%zu files in %s\n", folder.n_files, path);
    return status;
}

static enum cli_status answer(const struct orr_search *search, const struct cli_args *args, double seconds)
{
    const struct orr_style style = {.width = args->style.width, .colour = args->style.colour, .took_s = seconds};
    const char *launch = cli_args_value(args, "launch"); /* first: what fails here has printed nothing yet */
    enum cli_status status = launch ? write_launch(search, launch) : CLI_ANSWERED;
    if (!status && args->html)
        status = cli_write_html(args, "search", orr_search_render(search, ORR_FORMAT_HTML, NULL));
    if (!status && !cli_html_only(args)) status = cli_write_file("-", orr_search_render(search, args->format, &style));
    tell(search, seconds);
    const struct orr_found *best;
    if (!status && (orr_search_best(search, &best) == 0 || !orr_search_complete(search))) status = CLI_BELOW;
    return status;
}

static enum cli_status search_plans(struct cli_cluster *cluster, const struct orr_search_request *request,
                                    const struct cli_args *args)
{
    struct orr_search *search = NULL;
    struct orr_error error;
    double seconds = 0;
    int64_t threads = 0;
    enum cli_status status = cli_args_whole(args, "threads", 1, 1024, &threads);
    if (!status && orr_search_new(request, &search, &error)) status = cli_fail("%s", error.text);
    status = cli_cluster_agree(cluster, status);
    if (!status) status = run_watched(cluster, search, (int)threads, &seconds);
    if (!status && cli_cluster_first(cluster)) status = answer(search, args, seconds);
    orr_search_free(search);
    return status;
}

/* ---------------------------------------------------------------- the question */

static enum cli_status read_request(const struct cli_job_kind *kind, const struct cli_args *args,
                                    const struct orr_catalogue *catalogue, struct orr_search_request *search)
{
    struct orr_form *form;
    struct orr_error error;
    enum cli_status status = cli_request_form(args, catalogue, kind->kind, "search ", &form);
    if (!status && orr_form_search(form, search, &error)) status = cli_fail("%s", error.text);
    orr_form_close(form);
    return status;
}

static enum cli_status search(const struct cli_job_kind *kind, const struct cli_args *args)
{
    struct cli_cluster *cluster = cli_cluster_open();
    if (!cluster) return CLI_BAD;
    struct orr_catalogue *catalogue = cli_args_catalogue(args);
    struct orr_search_request *request = malloc(sizeof *request);
    enum cli_status status = catalogue ? CLI_ANSWERED : CLI_BAD;
    if (!status && !request) status = cli_fail_memory();
    if (!status) status = read_request(kind, args, catalogue, request);
    status = cli_cluster_agree(cluster, status);
    if (!status) status = search_plans(cluster, request, args);
    free(request);
    orr_catalogue_close(catalogue);
    cli_cluster_close(cluster);
    return status;
}

enum cli_status cli_search(int argc, const char *const *argv)
{
    const bool asked = cli_help_first(argc, argv);
    const struct cli_job_kind *kind = asked ? cli_job_kind("train") : cli_first_kind("search", argc, argv);
    if (!kind) return CLI_BAD;
    struct cli_args args;
    const int skip = asked ? 0 : 1;
    const unsigned command = CLI_FOR_SEARCH | kind->command;
    enum cli_status status = cli_args_parse(argc - skip, argv + skip, command, 0, &args);
    if (!status) status = args.help ? cli_options_help(command, usage) : search(kind, &args);
    cli_args_free(&args);
    return status;
}
