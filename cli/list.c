/* orrery list: the parts in the catalogue, one line each. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "options.h"

static const char usage[] =
    "usage: orrery list [models|chips|systems|engines|calibration|technologies|designs|memories|networks|fabrics|\n"
    "                    traffic]\n"
    "List the catalogue: built-in parts and those of --catalogue. A model may also be named as on Hugging Face\n"
    "(docs/models.md), an engine as a family with a version (vllm-0.11), systems and chips by their aliases (h100).";

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
                    "networks, fabrics or traffic%s%s%s",
                    name, near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
}

/* What is listed; the kind of engines is NULL for all. */
struct question {
    enum orr_part only;
    const char *kind;
    bool all;
};

static enum cli_status write_list(const struct cli_args *args, const struct orr_catalogue *catalogue,
                                  const struct question *question, enum orr_format format)
{
    const enum orr_job_kind kind =
        question->kind && strcmp(question->kind, "serving") == 0 ? ORR_JOB_INFER : ORR_JOB_TRAIN;
    struct orr_error error;
    char *text = NULL;
    const enum orr_err err =
        question->kind ? orr_engines_render(catalogue, kind, format, &text, &error)
                       : orr_catalogue_render(catalogue, question->only, question->all, format, NULL, &text, &error);
    if (err) {
        free(text);
        return cli_fail("%s", error.text);
    }
    if (format == ORR_FORMAT_TERMINAL && text) cli_plain(text, true);
    return format == ORR_FORMAT_HTML ? cli_write_html(args, "list", text) : cli_write_file("-", text);
}

static enum cli_status read_question(const struct cli_args *args, struct question *question)
{
    *question = (struct question){
        .only = ORR_ALL_PARTS, .kind = cli_args_value(args, "kind"), .all = cli_args_has(args, "all")};
    if (args->n_words && part_by_name(args->words[0], &question->only)) return CLI_BAD;
    if (question->all && (question->kind || (args->n_words && question->only != ORR_PART_MODEL)))
        return cli_fail("list --all: only models have more to list");
    if (!question->kind) return CLI_ANSWERED;
    if (strcmp(question->kind, "training") != 0 && strcmp(question->kind, "serving") != 0)
        return cli_fail("list --kind %s: expected training or serving", question->kind);
    if (args->n_words && question->only != ORR_PART_ENGINE)
        return cli_fail("list %s --kind %s: only engines have a kind", args->words[0], question->kind);
    return CLI_ANSWERED;
}

static enum cli_status list(const struct cli_args *args)
{
    struct question question;
    enum cli_status status = read_question(args, &question);
    struct orr_catalogue *catalogue = status ? NULL : cli_args_catalogue(args);
    if (!catalogue) return CLI_BAD;
    if (args->html) status = write_list(args, catalogue, &question, ORR_FORMAT_HTML);
    if (!status && !cli_html_only(args)) status = write_list(args, catalogue, &question, args->format);
    orr_catalogue_close(catalogue);
    return status;
}

enum cli_status cli_list(int argc, const char *const *argv)
{
    return cli_run(argc, argv, CLI_FOR_LIST, 1, usage, list);
}
