/* orrery validate: score predictions against measurement CSVs, by default the ones that come with the program. */
#define _DEFAULT_SOURCE
#include <glob.h>
#include <stdint.h>
#include <stdlib.h>

#include "cli.h"
#include "options.h"

static const char usage[] = "usage: orrery validate [FILE...] [options]\n"
                            "Score predictions against measured CSV files (docs/formats.md); without FILE, against\n"
                            "those that come with orrery. Exit status 1: above the bar of --max-mape.";

/* The measurements that come with the program: where it is installed, else beside the current directory. */
static enum cli_status find_files(glob_t *files)
{
    const char *directory = getenv("ORRERY_DATADIR");
    const char *const places[] = {directory && *directory ? directory : ORR_DATADIR, "."};
    for (size_t i = 0; i < 2; i++) {
        struct cli_text pattern = {0};
        cli_text_add(&pattern, "%s/validation/*.csv", places[i]);
        const int code = glob(pattern.data, 0, NULL, files);
        free(pattern.data);
        if (code == 0) return CLI_ANSWERED;
        globfree(files);
    }
    return cli_fail("no validation/*.csv in %s or in the current directory; name the CSV files", places[0]);
}

/* Score one more file. */
static enum cli_status add_file(const struct orr_catalogue *catalogue, const char *path,
                                struct orr_validation **validation)
{
    const char *origin;
    char *csv = cli_read_file(path, &origin);
    if (!csv) return CLI_BAD;
    struct orr_error error;
    const enum orr_err code = orr_validate(catalogue, csv, origin, validation, &error);
    free(csv);
    return code ? cli_fail("%s", error.text) : CLI_ANSWERED;
}

static enum cli_status answer(const struct cli_args *args, const struct orr_validation *validation)
{
    char *report = orr_validation_report(validation, args->format, &args->style);
    if (!report) return cli_fail_memory();
    const enum cli_status status = cli_write(report);
    free(report);
    if (status || args->max_mape_frac < 0) return status;
    return orr_validation_mape_frac(validation) <= args->max_mape_frac ? CLI_ANSWERED : CLI_BELOW;
}

/* One report over all files. */
static enum cli_status validate_files(const struct cli_args *args, const char *const *paths, size_t n)
{
    struct orr_catalogue *catalogue = cli_args_catalogue(args);
    struct orr_validation *validation = NULL;
    enum cli_status status = catalogue ? CLI_ANSWERED : CLI_BAD;
    for (size_t i = 0; i < n && !status; i++) status = add_file(catalogue, paths[i], &validation);
    if (!status) status = answer(args, validation);
    orr_validation_free(validation);
    orr_catalogue_close(catalogue);
    return status;
}

static enum cli_status validate(const struct cli_args *args)
{
    if (args->help) return cli_options_help(CLI_FOR_VALIDATE, usage);
    if (args->n_words) return validate_files(args, args->words, args->n_words);
    glob_t files = {0};
    if (find_files(&files)) return CLI_BAD;
    const enum cli_status status = validate_files(args, (const char *const *)files.gl_pathv, files.gl_pathc);
    globfree(&files);
    return status;
}

enum cli_status cli_validate(int argc, const char *const *argv)
{
    struct cli_args args;
    enum cli_status status = cli_args_parse(argc, argv, CLI_FOR_VALIDATE, SIZE_MAX, &args);
    if (!status) status = validate(&args);
    cli_args_free(&args);
    return status;
}
