/* orrery fit: a stack from a few measured runs; and what few runs are worth, on the measurements of this program. */
#define _DEFAULT_SOURCE
#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "options.h"

static const char usage[] =
    "usage: orrery fit RUNS... [options]\n"
    "Fit a software stack to measured runs (docs/fit.md): tables with the columns of validation/, logs of\n"
    "Megatron-LM and -DeepSpeed, NeMo, torchtitan and nanotron, trainer_state.json, and the JSON of vllm bench\n"
    "serve, SGLang bench_serving, genai-perf, aiperf and trtllm-bench. --out FILE writes an engine for --engine FILE.";

/* ---------------------------------------------------------------- what few runs are worth */

static enum cli_status run_few_shot(const struct cli_args *args, const char *const *csvs, const char *const *origins,
                                    size_t n)
{
    struct orr_error error;
    struct orr_few_shot *few = NULL;
    int64_t draws = 100;
    if (cli_args_whole(args, "draws", 1, 10000, &draws)) return CLI_BAD;
    struct orr_catalogue *catalogue = cli_args_catalogue(args);
    enum cli_status status = catalogue ? CLI_ANSWERED : CLI_BAD;
    if (!status && orr_few_shot_run(catalogue, csvs, origins, n, cli_args_value(args, "source"), (int)draws,
                                    cli_args_has(args, "exact"), cli_terminal(STDERR_FILENO) ? cli_progress : NULL,
                                    NULL, &few, &error))
        status = cli_fail("%s", error.text);
    const char *out = cli_args_value(args, "out"); /* the numbers of the table as CSV, for a figure */
    if (!status && out) status = cli_write_file(out, orr_few_shot_render(few, ORR_FORMAT_CSV, &args->style));
    if (!status) status = cli_write_file("-", orr_few_shot_render(few, args->format, &args->style));
    orr_few_shot_free(few);
    orr_catalogue_close(catalogue);
    return status;
}

static enum cli_status few_shot(const struct cli_args *args)
{
    glob_t files = {0};
    if (!args->n_words && cli_find_measurements(&files)) return CLI_BAD;
    const size_t n_paths = args->n_words ? args->n_words : files.gl_pathc;
    char **csvs = calloc(n_paths + 1, sizeof *csvs);
    const char **origins = calloc(n_paths + 1, sizeof *origins);
    enum cli_status status = csvs && origins ? CLI_ANSWERED : cli_fail_memory();
    size_t n = 0;
    for (size_t i = 0; i < n_paths && !status; i++) {
        const char *path = args->n_words ? args->words[i] : files.gl_pathv[i];
        /* The record of errors has no runs, and requests of one run are no runs. */
        if (!args->n_words && (strstr(path, "/recorded.csv") || strstr(path, "/serving_requests.csv"))) continue;
        csvs[n] = cli_read_file(path, &origins[n]);
        if (!csvs[n++]) status = CLI_BAD;
    }
    if (!status) status = run_few_shot(args, (const char *const *)csvs, origins, n);
    for (size_t i = 0; csvs && i < n; i++) free(csvs[i]);
    free(csvs);
    free(origins);
    globfree(&files);
    return status;
}

/* ---------------------------------------------------------------- a stack */

/* Add what was given for --run or, before the tables, for --with. */
static enum cli_status each_given(const struct cli_args *args, bool runs, struct orr_stack *stack)
{
    struct orr_error error;
    for (size_t i = 0; i < args->n_given; i++) {
        const char *value = args->given[i].value;
        if (strcmp(args->given[i].option->name, runs ? "run" : "with") != 0) continue;
        if (runs ? orr_stack_add_run(stack, value, &error) : orr_stack_put(stack, value, &error))
            return cli_fail("%s", error.text);
    }
    return CLI_ANSWERED;
}

static enum cli_status add_files(const struct cli_args *args, struct orr_stack *stack)
{
    for (size_t i = 0; i < args->n_words; i++) {
        const char *origin;
        struct orr_error error;
        char *text = cli_read_file(args->words[i], &origin);
        if (!text) return CLI_BAD;
        const enum orr_err err = orr_stack_add(stack, text, origin, &error);
        free(text);
        if (err) return cli_fail("%s", error.text);
    }
    return CLI_ANSWERED;
}

static enum cli_status answer(const struct cli_args *args, const struct orr_stack *stack)
{
    const char *out = cli_args_value(args, "out"), *name = cli_args_value(args, "name");
    if (out) {
        const enum cli_status status =
            cli_write_file(out, orr_stack_file(stack, name ? name : "my-stack", cli_args_value(args, "date")));
        if (status || strcmp(out, "-") == 0) return status;
    }
    const enum cli_status status =
        args->html ? cli_write_html(args, "fit", orr_stack_render(stack, ORR_FORMAT_HTML, &args->style)) : CLI_ANSWERED;
    if (status || cli_html_only(args)) return status;
    return cli_write_file("-", orr_stack_render(stack, args->format, &args->style));
}

/* The length of the folder of a path with the slash behind it; 0: the working folder. */
static size_t folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

static bool is_file_name(const char *name)
{
    const size_t n = strlen(name);
    return n >= 5 && strcmp(name + n - 5, ".json") == 0;
}

/* An engine file ends in .json, or no --engine would take it for a file, and it stands beside its parent, because that
 * is where its base is looked for. */
static enum cli_status check_out(const struct cli_args *args)
{
    const char *out = cli_args_value(args, "out"), *parent = cli_args_value(args, "engine");
    if (!out || strcmp(out, "-") == 0) return CLI_ANSWERED;
    if (!is_file_name(out)) return cli_fail("--out %s: the name of an engine file ends in .json", out);
    out = cli_plain_path(out);
    if (!parent || !is_file_name(parent)) return CLI_ANSWERED;
    parent = cli_plain_path(parent);
    if (folder_of(parent) != folder_of(out) || strncmp(parent, out, folder_of(out)) != 0)
        return cli_fail("--out %s: write it into the folder of its parent, %s, or it will not be found", out, parent);
    return CLI_ANSWERED;
}

static enum cli_status fit(const struct cli_args *args)
{
    struct orr_error error;
    struct orr_stack *stack = NULL;
    int64_t skip = 5;
    if (cli_args_whole(args, "skip", 0, 1e6, &skip) || check_out(args)) return CLI_BAD;
    if (!args->n_words && !cli_args_has(args, "run"))
        return cli_fail("fit needs runs: a table or log, or --run 'model=...,tp=8,...:step_time_s=12.3' (see --help)");
    struct orr_catalogue *catalogue = cli_args_catalogue(args);
    enum cli_status status = catalogue ? CLI_ANSWERED : CLI_BAD;
    if (!status && orr_stack_open(catalogue, cli_args_value(args, "engine"), &stack, &error))
        status = cli_fail("%s", error.text);
    if (!status) orr_stack_skip(stack, skip);
    if (!status) status = each_given(args, false, stack);
    if (!status) status = add_files(args, stack);
    if (!status) status = each_given(args, true, stack);
    if (!status && orr_stack_run(stack, &error)) status = cli_fail("%s", error.text);
    if (!status) status = answer(args, stack);
    orr_stack_close(stack);
    orr_catalogue_close(catalogue);
    return status;
}

/* Options of one of the two questions change nothing in the other. */
static enum cli_status check_options(const struct cli_args *args, bool few)
{
    static const struct {
        const char *name;
        bool few;
    } OPTIONS[] = {{"draws", true}, {"source", true}, {"exact", true}, {"run", false},   {"with", false},
                   {"skip", false}, {"name", false},  {"date", false}, {"engine", false}};
    for (size_t i = 0; i < sizeof OPTIONS / sizeof *OPTIONS; i++)
        if (OPTIONS[i].few != few && cli_args_has(args, OPTIONS[i].name))
            return cli_fail("--%s: has no effect %s --few-shot", OPTIONS[i].name, few ? "with" : "without");
    const char *name = cli_args_value(args, "name"), *source = cli_args_value(args, "source");
    if (name && !*name) return cli_fail("--name: must not be empty");
    if (source && !*source) return cli_fail("--source: must not be empty");
    if (cli_args_has(args, "date") && !cli_args_has(args, "out"))
        return cli_fail("--date: has no effect without --out");
    if (cli_args_has(args, "skip") && !args->n_words) return cli_fail("--skip: has no effect without logs");
    return few && args->html ? cli_fail("--html: has no effect with --few-shot") : CLI_ANSWERED;
}

static enum cli_status answer_either(const struct cli_args *args)
{
    const bool few = cli_args_has(args, "few-shot");
    const enum cli_status status = check_options(args, few);
    return status ? status : few ? few_shot(args) : fit(args);
}

enum cli_status cli_fit(int argc, const char *const *argv)
{
    return cli_run(argc, argv, CLI_FOR_FIT, SIZE_MAX, usage, answer_either);
}
