/* orrery validate: score predictions against measurement CSVs, by default the ones that come with the program. */
#define _DEFAULT_SOURCE
#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "options.h"

static const char usage[] = "usage: orrery validate [FILE...] [options]\n"
                            "Score predictions against measured CSV files (docs/formats.md); without FILE, against\n"
                            "those that come with orrery. Exit status 1: above the bar of --max-mape, or nothing to\n"
                            "hold against it.";

/* The recorded error table is in the folder of the measurements, but is not one of them. */
static bool is_record(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strcmp(slash ? slash + 1 : path, "recorded.csv") == 0;
}

static void add_place(struct cli_places *places, const char *directory, const char *below)
{
    char *path = places->paths[places->n];
    const int n = snprintf(path, sizeof places->paths[0], "%s%s", directory, below);
    if (n > 0 && (size_t)n < sizeof places->paths[0]) places->n++;
}

struct cli_places cli_data_places(void)
{
    struct cli_places places = {.n = 0};
    char program[4000];
    const char *directory = getenv("ORRERY_DATADIR");
    add_place(&places, directory && *directory ? directory : ORR_DATADIR, "");
    const ssize_t n = directory && *directory ? -1 : readlink("/proc/self/exe", program, sizeof program - 1);
    if (n > 0) {
        program[n] = '\0';
        char *slash = strrchr(program, '/');
        if (slash) *slash = '\0';
        add_place(&places, program, "/../share/orrery");
        add_place(&places, program, "/..");
    }
    add_place(&places, ".", "");
    return places;
}

/* Find the measurements that come with the program. */
enum cli_status cli_find_measurements(glob_t *files)
{
    const struct cli_places places = cli_data_places();
    for (size_t i = 0; i < places.n; i++) {
        struct orr_text pattern = {0};
        cli_text_add(&pattern, "%s/validation/*.csv", places.paths[i]);
        const int code = glob(pattern.data, 0, NULL, files);
        free(pattern.data);
        if (code == 0) return CLI_ANSWERED;
        globfree(files);
    }
    return cli_fail("no validation/*.csv in %s or in the current directory; name the CSV files", places.paths[0]);
}

/* The scores that files are added to: one validation, or one with and one without each piece. */
struct scores {
    struct orr_validation *validation;
    struct orr_ablation *ablation;
};

/* Score one more file. */
static enum cli_status add_file(const struct cli_args *args, const struct orr_catalogue *catalogue, const char *path,
                                struct scores *scores)
{
    const char *origin;
    char *csv = cli_read_file(path, &origin);
    if (!csv) return CLI_BAD;
    struct orr_error error;
    const enum orr_err code = cli_args_has(args, "ablation")
                                  ? orr_ablation_add(catalogue, csv, origin, &scores->ablation, &error)
                                  : orr_validate(catalogue, csv, origin, &scores->validation, &error);
    free(csv);
    return code ? cli_fail("%s", error.text) : CLI_ANSWERED;
}

/* What a version keeps of its errors, from one pass over the measurements. */
static enum cli_status write_record(const char *folder, const struct orr_validation *validation)
{
    static const struct {
        const char *name;
        enum orr_format format;
    } FILES[] = {{"errors.json", ORR_FORMAT_JSON},
                 {"interval_table.h", ORR_FORMAT_INTERVALS},
                 {"nearest_table.h", ORR_FORMAT_RUNS}};
    enum cli_status status = CLI_ANSWERED;
    for (size_t i = 0; i < sizeof FILES / sizeof *FILES && !status; i++) {
        struct orr_text path = {0};
        cli_text_add(&path, "%s/%s", folder, FILES[i].name);
        status = cli_write_file(path.data, orr_validation_render(validation, FILES[i].format, NULL));
        free(path.data);
    }
    return status;
}

/* Without a bar, `max_mape_frac` is below 0. */
static enum cli_status answer(const struct cli_args *args, double max_mape_frac, struct orr_validation *validation)
{
    struct orr_error error;
    const char *where = cli_args_value(args, "where"), *by = cli_args_value(args, "by");
    if (where && orr_validation_keep(validation, where, &error)) return cli_fail("--where: %s", error.text);
    if (by && orr_validation_group(validation, by, &error)) return cli_fail("--by: %s", error.text);
    const char *folder = cli_args_value(args, "record");
    if (folder) return write_record(folder, validation);
    enum cli_status status = CLI_ANSWERED;
    if (args->html) status = cli_write_html(args, "validate", orr_validation_render(validation, ORR_FORMAT_HTML, NULL));
    if (!status && !cli_html_only(args)) {
        char *report = orr_validation_render(validation, args->format, &args->style);
        if (!report) return cli_fail_memory();
        status = cli_write(report);
        free(report);
    }
    if (status || max_mape_frac < 0) return status;
    return orr_validation_mape_frac(validation) <= max_mape_frac ? CLI_ANSWERED : CLI_BELOW;
}

static enum cli_status answer_ablation(const struct cli_args *args, const struct orr_ablation *ablation)
{
    char *report = orr_ablation_render(ablation, args->format, &args->style);
    if (!report) return cli_fail_memory();
    const enum cli_status status = cli_write(report);
    free(report);
    return status;
}

/* Print one report about all files. */
static enum cli_status validate_files(const struct cli_args *args, double max_mape_frac, const char *const *paths,
                                      size_t n)
{
    struct orr_catalogue *catalogue = cli_args_catalogue(args);
    struct orr_error error;
    struct scores scores = {0};
    enum cli_status status = catalogue ? CLI_ANSWERED : CLI_BAD;
    if (!status && cli_args_has(args, "unseen") && orr_validation_unseen(&scores.validation, &error))
        status = cli_fail("--unseen: %s", error.text);
    const char *without = cli_args_value(args, "without"), *where = cli_args_value(args, "where");
    if (!status && without && orr_validation_without(without, &scores.validation, &error))
        status = cli_fail("--without: %s", error.text);
    if (!status && where && orr_validation_only(where, &scores.validation, &error)) status = cli_fail("%s", error.text);
    for (size_t i = 0; i < n && !status; i++)
        if (args->n_words || !is_record(paths[i])) status = add_file(args, catalogue, paths[i], &scores);
    if (!status)
        status = cli_args_has(args, "ablation") ? answer_ablation(args, scores.ablation)
                                                : answer(args, max_mape_frac, scores.validation);
    orr_validation_free(scores.validation);
    orr_ablation_free(scores.ablation);
    orr_catalogue_close(catalogue);
    return status;
}

/* Print the options, then the pieces that --without can leave out. */
static enum cli_status help(void)
{
    struct orr_text text = {0};
    const char *name, *meaning;
    cli_text_add(&text, "\nPieces of physics, and what is predicted without them\n");
    for (size_t i = 0; (name = orr_piece_name(i, &meaning)); i++) cli_text_add(&text, "  %-18s %s\n", name, meaning);
    enum cli_status status = cli_options_help(CLI_FOR_VALIDATE, usage);
    if (!status) status = cli_write(text.data);
    free(text.data);
    return status;
}

/* Options that cannot be given together: what the first one asks for, the others would leave out or ignore. */
static enum cli_status check_options(const struct cli_args *args)
{
    static const struct {
        const char *option, *others[9];
    } APART[] = {{"record", {"json", "csv", "html", "intervals", "runs"}},
                 {"unseen", {"intervals", "runs", "record", "without"}},
                 {"ablation", {"without", "by", "html", "intervals", "runs", "unseen", "record", "max-mape", "where"}},
                 {"collectives",
                  {"max-mape", "by", "record", "where", "without", "unseen", "ablation", "intervals", "runs"}}};
    for (size_t i = 0; i < sizeof APART / sizeof *APART; i++)
        for (size_t k = 0; k < sizeof APART->others / sizeof *APART->others && APART[i].others[k]; k++)
            if (cli_args_has(args, APART[i].option) && cli_args_has(args, APART[i].others[k]))
                return cli_fail("--%s cannot be combined with --%s", APART[i].option, APART[i].others[k]);
    return CLI_ANSWERED;
}

static enum cli_status read_bar(const struct cli_args *args, double *max_mape_frac)
{
    const char *value = cli_args_value(args, "max-mape");
    *max_mape_frac = -1;
    if (!value || (orr_quantity_parse(value, ORR_UNIT_NONE, max_mape_frac) && *max_mape_frac >= 0)) return CLI_ANSWERED;
    return cli_fail("--max-mape %s: expected an error such as 0.05 or 5%%", value);
}

static enum cli_status validate(const struct cli_args *args)
{
    double max_mape_frac;
    if (args->help) return help();
    if (check_options(args) || read_bar(args, &max_mape_frac)) return CLI_BAD;
    if (cli_args_has(args, "collectives")) return cli_fabric(args, true);
    if (cli_args_has(args, "system")) return cli_fail("--system belongs to --collectives");
    if (args->n_words) return validate_files(args, max_mape_frac, args->words, args->n_words);
    glob_t files = {0};
    if (cli_find_measurements(&files)) return CLI_BAD;
    const enum cli_status status =
        validate_files(args, max_mape_frac, (const char *const *)files.gl_pathv, files.gl_pathc);
    globfree(&files);
    return status;
}

enum cli_status cli_validate(int argc, const char *const *argv)
{
    return cli_run(argc, argv, CLI_FOR_VALIDATE, SIZE_MAX, NULL, validate);
}
