/* orrery list: the parts in the catalogue, one line each. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "options.h"

static const char usage[] =
    "usage: orrery list [models|chips|systems|engines|calibration|technologies|designs|memories|networks|fabrics]\n"
    "List the catalogue: built-in parts and those of --catalogue. A model may also be named as on Hugging Face\n"
    "(docs/models.md).";

static enum cli_status part_by_name(const char *name, enum orr_part *part)
{
    const char *names[ORR_N_PARTS];
    for (int i = 0; i < ORR_N_PARTS; i++) {
        names[i] = orr_part_name((enum orr_part)i);
        if (strcmp(name, names[i]) == 0) {
            *part = (enum orr_part)i;
            return CLI_ANSWERED;
        }
    }
    const char *near = cli_nearest(name, names, ORR_N_PARTS);
    return cli_fail("list %s: expected models, chips, systems, engines, calibration, technologies, designs, memories, "
                    "networks or fabrics%s%s%s",
                    name, near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
}

static enum cli_status write_list(const struct orr_catalogue *catalogue, enum orr_part only, bool all,
                                  enum orr_format format, const char *path)
{
    struct orr_error error;
    char *text = NULL;
    if (orr_catalogue_render(catalogue, only, all, format, NULL, &text, &error)) {
        free(text);
        return cli_fail("%s", error.text);
    }
    return cli_write_file(path, text);
}

static enum cli_status list(const struct cli_args *args)
{
    enum orr_part only = ORR_N_PARTS; /* all kinds of parts */
    if (args->help) return cli_options_help(CLI_FOR_LIST, usage);
    if (args->n_words && part_by_name(args->words[0], &only)) return CLI_BAD;
    struct orr_catalogue *catalogue = cli_args_catalogue(args);
    if (!catalogue) return CLI_BAD;
    const bool all = cli_args_has(args, "all");
    enum cli_status status = args->html ? write_list(catalogue, only, all, ORR_FORMAT_HTML, args->html) : CLI_ANSWERED;
    if (!status && !(args->html && strcmp(args->html, "-") == 0))
        status = write_list(catalogue, only, all, args->format, "-");
    orr_catalogue_close(catalogue);
    return status;
}

enum cli_status cli_list(int argc, const char *const *argv)
{
    struct cli_args args;
    enum cli_status status = cli_args_parse(argc, argv, CLI_FOR_LIST, 1, &args);
    if (!status) status = list(&args);
    cli_args_free(&args);
    return status;
}
