/* Collectives between nodes on the command line: orrery calibrate --fabric fits them, orrery validate --collectives
 * scores them. */
#define _DEFAULT_SOURCE
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"
#include "options.h"

static enum cli_status add_file(struct orr_fabric_fit *fit, const char *path)
{
    const char *origin;
    char *text = cli_read_file(path, &origin);
    if (!text) return CLI_BAD;
    struct orr_error error;
    const enum orr_err code = orr_fabric_fit_add(fit, text, origin, &error);
    free(text);
    return code ? cli_fail("%s", error.text) : CLI_ANSWERED;
}

/* Add every file of a folder in alphabetical order: tables and outputs of nccl-tests may have any name. */
static enum cli_status add_folder(struct orr_fabric_fit *fit, const char *path)
{
    struct orr_text pattern = {0};
    glob_t files = {0};
    cli_text_add(&pattern, "%s/*", path);
    const int code = glob(pattern.data, 0, NULL, &files);
    free(pattern.data);
    enum cli_status status = code == 0 ? CLI_ANSWERED : cli_fail("%s: the folder holds no files", path);
    for (size_t i = 0; !code && i < files.gl_pathc && !status; i++) status = add_file(fit, files.gl_pathv[i]);
    globfree(&files);
    return status;
}

static enum cli_status add_words(const struct cli_args *args, struct orr_fabric_fit *fit)
{
    enum cli_status status = CLI_ANSWERED;
    for (size_t i = 0; i < args->n_words && !status; i++) {
        struct stat facts;
        const bool folder = stat(args->words[i], &facts) == 0 && S_ISDIR(facts.st_mode);
        status = folder ? add_folder(fit, args->words[i]) : add_file(fit, args->words[i]);
    }
    return status;
}

static enum cli_status answer(const struct cli_args *args, struct orr_fabric_fit *fit, bool scores)
{
    struct orr_error error;
    if (scores ? orr_fabric_fit_score(fit, &error) : orr_fabric_fit_run(fit, &error)) return cli_fail("%s", error.text);
    const char *out = scores ? NULL : cli_args_value(args, "out");
    if (out) {
        char *file = orr_fabric_fit_file(fit, cli_args_value(args, "date"));
        if (!file) return cli_fail_memory();
        const enum cli_status status = cli_write_file(out, file);
        if (status || strcmp(out, "-") == 0) return status;
    }
    return cli_write_file("-", orr_fabric_fit_render(fit, args->format, &args->style));
}

enum cli_status cli_fabric(const struct cli_args *args, bool scores)
{
    struct orr_catalogue *catalogue = cli_args_catalogue(args);
    struct orr_fabric_fit *fit = NULL;
    struct orr_error error;
    enum cli_status status = catalogue ? CLI_ANSWERED : CLI_BAD;
    if (!status && args->html) status = cli_fail("collectives between nodes have no page: leave out --html");
    if (!status && !args->n_words) status = cli_fail("name the tables of collectives or the outputs of nccl-tests");
    if (!status &&
        orr_fabric_fit_open(catalogue, cli_args_value(args, "fabric"), cli_args_value(args, "system"), &fit, &error))
        status = cli_fail("%s", error.text);
    if (!status) status = add_words(args, fit);
    if (!status) status = answer(args, fit, scores);
    orr_fabric_fit_close(fit);
    orr_catalogue_close(catalogue);
    return status;
}
