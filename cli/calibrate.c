/* orrery calibrate: fit the constants of a chip to tables of kernel timings; print a report, the rows, or a new
 * calibration file. */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "options.h"

static const char usage[] =
    "usage: orrery calibrate FILE...|DIR [options]\n"
    "Fit a chip's constants to kernel timings: gemm.csv, attention_decode.csv, allreduce.csv, ...\n"
    "(docs/calibrate.md). What the data cannot tell keeps its value. --csv: one line per timing.\n"
    "With --fabric ID, fit a network to collectives between nodes: tables, or outputs of nccl-tests\n"
    "(docs/networks.md).";

/* ---------------------------------------------------------------- names */

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* The last name of a path up to `end`, without the slashes behind it; malloc'd. */
static char *last_name(const char *path, size_t end)
{
    while (end > 1 && path[end - 1] == '/') end--;
    size_t start = end;
    while (start > 0 && path[start - 1] != '/') start--;
    char *name = calloc(end - start + 1, 1);
    if (name) memcpy(name, path + start, end - start);
    return name;
}

/* The name of the folder that the tables are in, malloc'd; "" for the working directory. */
static char *folder_name(const char *path)
{
    if (is_folder(path)) return last_name(path, strlen(path));
    const char *slash = strrchr(path, '/');
    return last_name(path, slash ? (size_t)(slash - path) : 0);
}

/* "gemm" from "a/gemm.csv"; malloc'd. */
static char *kind_name(const char *path)
{
    char *name = last_name(path, strlen(path));
    char *dot = name ? strrchr(name, '.') : NULL;
    if (dot && strcmp(dot, ".csv") == 0) *dot = '\0';
    return name;
}

/* ---------------------------------------------------------------- tables in */

static enum cli_status add_file(struct orr_fit *fit, const char *path)
{
    const char *origin;
    char *csv = cli_read_file(path, &origin), *kind = csv ? kind_name(path) : NULL;
    enum cli_status status = csv ? CLI_ANSWERED : CLI_BAD;
    struct orr_error error;
    if (csv && !kind) status = cli_fail_memory();
    else if (csv && orr_fit_add(fit, kind, csv, origin, &error)) status = cli_fail("%s", error.text);
    free(csv);
    free(kind);
    return status;
}

/* Add the kernel tables of a folder in alphabetical order. Files with other names, such as a record of board power, are
 * skipped. */
static enum cli_status add_folder(struct orr_fit *fit, const char *path)
{
    static const char *const kinds[] = {
        "gemm", "bmm",       "attention_prefill", "attention_backward", "attention_decode", "mla_prefill", "mla_decode",
        "moe",  "allreduce", "allgather",         "reducescatter",      "alltoall",         "p2p",         "pointwise",
        "adam"};
    struct orr_text file = {0};
    size_t n = 0;
    enum cli_status status = CLI_ANSWERED;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !status; i++) {
        file.length = 0;
        cli_text_add(&file, "%s/%s.csv", path, kinds[i]);
        if (access(file.data, F_OK) != 0) continue;
        status = add_file(fit, file.data);
        n++;
    }
    free(file.data);
    return status || n ? status : cli_fail("%s: no kernel tables (gemm.csv, attention_decode.csv, ...)", path);
}

/* ---------------------------------------------------------------- answers out */

static enum cli_status write_file(const char *path, const char *text)
{
    if (strcmp(path, "-") == 0) return cli_write(text);
    errno = 0;
    FILE *file = fopen(path, "wb");
    if (!file) return cli_fail("%s: %s", path, strerror(errno));
    const bool written = fputs(text, file) >= 0;
    return fclose(file) == 0 && written ? CLI_ANSWERED : cli_fail("%s: %s", path, strerror(errno));
}

static enum cli_status answer(const struct cli_args *args, const struct orr_fit *fit)
{
    const char *out = cli_args_value(args, "out");
    struct orr_error error;
    char *text;
    if (out) {
        if (orr_fit_file(fit, cli_args_value(args, "date"), &text, &error)) return cli_fail("%s", error.text);
        const enum cli_status status = write_file(out, text);
        free(text);
        if (status || strcmp(out, "-") == 0) return status;
    }
    const enum cli_status status =
        args->html ? cli_write_html(args, "calibrate", orr_fit_render(fit, ORR_FORMAT_HTML, NULL)) : CLI_ANSWERED;
    if (status || cli_html_only(args)) return status;
    return cli_write_file("-", orr_fit_render(fit, args->format, &args->style));
}

static enum cli_status fit_tables(const struct cli_args *args, struct orr_fit *fit)
{
    struct orr_error error;
    enum cli_status status = CLI_ANSWERED;
    for (size_t i = 0; i < args->n_words && !status; i++)
        status = is_folder(args->words[i]) ? add_folder(fit, args->words[i]) : add_file(fit, args->words[i]);
    if (status) return status;
    if (orr_fit_run(fit, cli_terminal(STDERR_FILENO) ? cli_progress : NULL, NULL, &error))
        return cli_fail("%s", error.text);
    return answer(args, fit);
}

static enum cli_status calibrate(const struct cli_args *args)
{
    if (cli_args_has(args, "date") && !cli_args_has(args, "out"))
        return cli_fail("--date: has no effect without --out");
    if (cli_args_has(args, "fabric") && cli_args_has(args, "chip"))
        return cli_fail("--chip: has no effect beside --fabric, whose tables belong to a system (--system)");
    if (cli_args_has(args, "fabric")) return cli_fabric(args, false);
    if (cli_args_has(args, "system")) return cli_fail("--system belongs to --fabric; a chip is named with --chip");
    if (!args->n_words) return cli_fail("calibrate needs kernel tables: a folder or CSV files (see --help)");
    const char *chip = cli_args_value(args, "chip");
    char *folder = folder_name(args->words[0]);
    struct orr_catalogue *catalogue = folder ? cli_args_catalogue(args) : NULL;
    struct orr_fit *fit = NULL;
    struct orr_error error;
    enum cli_status status = folder ? CLI_ANSWERED : cli_fail_memory();
    if (!status && !catalogue) status = CLI_BAD;
    if (!status && !chip && !*folder) status = cli_fail("which chip? The tables lie in no named folder: --chip ID");
    if (!status && orr_fit_open(catalogue, chip ? chip : folder, &fit, &error)) status = cli_fail("%s", error.text);
    if (!status) status = fit_tables(args, fit);
    orr_fit_close(fit);
    orr_catalogue_close(catalogue);
    free(folder);
    return status;
}

enum cli_status cli_calibrate(int argc, const char *const *argv)
{
    return cli_run(argc, argv, CLI_FOR_CALIBRATE, SIZE_MAX, usage, calibrate);
}
