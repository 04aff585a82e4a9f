/* orrery fit: a stack from a few measured runs. */
#define _DEFAULT_SOURCE
#include <glob.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "options.h"

static const char usage[] = "usage: orrery fit RUNS.csv... [options]\n";

static enum cli_status few_shot(const struct cli_args *args)
{
    struct orr_catalogue *catalogue = cli_args_catalogue(args);
    struct orr_few_shot *few = NULL;
    struct orr_error error;
    const char *csvs[64], *origins[64];
    glob_t files = {0};
    int64_t draws = 100;
    if (!catalogue || cli_args_whole(args, "draws", 1, 10000, &draws)) return CLI_BAD;
    glob("validation/*.csv", 0, NULL, &files);
    size_t n = 0;
    for (size_t i = 0; i < files.gl_pathc && n < 64; i++) {
        if (strstr(files.gl_pathv[i], "recorded.csv")) continue;
        csvs[n] = cli_read_file(files.gl_pathv[i], &origins[n]);
        n++;
    }
    if (orr_few_shot_run(catalogue, csvs, origins, n, cli_args_value(args, "source"), (int)draws, NULL, NULL, &few, &error)) return cli_fail("%s", error.text);
    return cli_write_file("-", orr_few_shot_render(few, args->format, &args->style));
}

enum cli_status cli_fit(int argc, const char *const *argv)
{
    struct cli_args args;
    enum cli_status status = cli_args_parse(argc, argv, CLI_FOR_FIT, SIZE_MAX, &args);
    if (!status && args.help) status = cli_options_help(CLI_FOR_FIT, usage);
    else if (!status) status = few_shot(&args);
    cli_args_free(&args);
    return status;
}
