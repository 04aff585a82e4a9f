/* orrery compare: the same question with other systems, engines, models, plans or requests, side by side. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "request.h"

static const char usage[] =
    "usage: orrery compare train|infer|serving|size A B [C ...] [options]\n"
    "Answer one question several times and show what differs, part by part. The options ask the question; each of A,\n"
    "B, ... changes it: a system, an engine or a model of the catalogue, fields (tp=8,pp=4, engine=my-stack.json\n"
    "or chip.tdp_w=500), or a request of its own (FILE.json). \"=\" alone changes nothing.\n"
    "Exit status: 0 answered, 2 bad input.";

enum { COMPARED_MAX = 8 };

static bool ends_with(const char *word, const char *ending)
{
    const size_t n = strlen(word), m = strlen(ending);
    return n > m && strcmp(word + n - m, ending) == 0;
}

/* ---------------------------------------------------------------- what one word changes */

/* Is the path one of a request, and not of a part of the catalogue that is to be changed? */
static bool is_asked(const char *path, size_t n)
{
    static const char *const SECTIONS[] = {"plan.", "workload.", "traffic.", "deployment.", "size."};
    for (size_t i = 0; i < sizeof SECTIONS / sizeof *SECTIONS; i++)
        if (strncmp(path, SECTIONS[i], strlen(SECTIONS[i])) == 0) return true;
    return !memchr(path, '.', n);
}

/* Set NAME=VALUE: the name of an option or a path. */
static enum cli_status set_field(struct orr_form *form, unsigned command, const char *field)
{
    struct orr_text name = {0}, called = {0}, paths = {0};
    struct orr_error error;
    const size_t n = strcspn(field, "=");
    cli_text_add(&name, "%.*s", (int)n, field);
    enum cli_status status = cli_options_field("compare", name.data, command, &called, &paths);
    for (char *at = paths.data; !status && at && *at;) {
        struct orr_text path = {0};
        const size_t length = strcspn(at, " ");
        const bool asked = is_asked(at, length);
        cli_text_add(&path, "%s%.*s", asked ? "" : "set.", (int)length, at);
        if (orr_form_set(form, path.data, field + n + 1, &error)) status = cli_fail("%s", error.text);
        free(path.data);
        at += length + (at[length] == ' ');
    }
    free(name.data);
    free(called.data);
    free(paths.data);
    return status;
}

/* Set every field of "tp=8,pp=4". A comma that no NAME= follows belongs to the value before it. */
static enum cli_status set_fields(struct orr_form *form, unsigned command, const char *fields)
{
    struct orr_text copy = {0};
    enum cli_status status = CLI_ANSWERED;
    cli_text_add(&copy, "%s", fields);
    for (char *at = copy.data; at && !status;) {
        char *end = strchr(at, ',');
        while (end && strcspn(end + 1, "=") >= strcspn(end + 1, ",")) end = strchr(end + 1, ',');
        if (end) *end++ = '\0';
        const size_t n = strcspn(at, "=") + 1;
        for (const char *old = copy.data; old < at; old += strlen(old) + 1)
            if (!status && strncmp(old, at, n) == 0)
                status = cli_fail("compare \"%s\": %.*s is given twice", fields, (int)n - 1, at);
        if (!status) status = set_field(form, command, at);
        at = end;
    }
    free(copy.data);
    return status;
}

/* Set the part that a name means: a system first, then an engine, then a model. */
static enum cli_status set_part(struct orr_form *form, const struct orr_catalogue *catalogue, const char *name)
{
    static const struct {
        enum orr_part part;
        const char *path;
    } PARTS[] = {{ORR_PART_SYSTEM, "system"}, {ORR_PART_ENGINE, "workload.engine"}, {ORR_PART_MODEL, "model"}};
    struct orr_error error;
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++) {
        char format[ORR_FORMAT_NAME];
        const char *found = PARTS[i].part == ORR_PART_MODEL ? orr_model_named(catalogue, name, format)
                                                            : orr_catalogue_named(catalogue, PARTS[i].part, name);
        const bool generated = PARTS[i].part == ORR_PART_SYSTEM && strncmp(name, "generated:", 10) == 0;
        if (!found && !generated) continue;
        if (orr_form_set(form, PARTS[i].path, name, &error)) return cli_fail("%s", error.text);
        return CLI_ANSWERED;
    }
    return cli_fail("compare \"%s\": no system, engine or model of the catalogue (or fields such as tp=8,pp=4, or a "
                    "request FILE.json)",
                    name);
}

/* Write the request that one word asks for. */
static enum cli_status one_request(const struct cli_args *args, const struct orr_catalogue *catalogue,
                                   const struct cli_job_kind *kind, const char *word, struct orr_text *requests)
{
    struct orr_form *form = NULL;
    const bool file = ends_with(word, ".json") && !strchr(word, '='); /* engine=my-stack.json is a field */
    enum cli_status status = cli_request_form_of(args, catalogue, kind->kind, "compare ", file ? word : NULL, &form);
    if (!status && !file && strcmp(word, "=") != 0)
        status = strchr(word, '=') && strncmp(word, "generated:", 10) != 0
                     ? set_fields(form, (CLI_FOR_COMPARE | kind->command), word)
                     : set_part(form, catalogue, word);
    struct orr_error error;
    if (!status && !file && kind->command & CLI_FOR_TRAFFIC && orr_form_set(form, "kind", kind->name, &error))
        status = cli_fail("%s", error.text);
    char *text = status ? NULL : orr_form_text(form);
    if (!status && !text) status = cli_fail_memory();
    if (!status) cli_text_add(requests, "%s%s", requests->length ? ",\n" : "", text);
    free(text);
    orr_form_close(form);
    return status;
}

/* ---------------------------------------------------------------- the question and its answer */

static void add_names(struct orr_text *json, const struct cli_args *args)
{
    for (size_t i = 0; i < args->n_words; i++) {
        cli_text_add(json, "%s\"", i ? "," : "");
        for (const char *c = strcmp(args->words[i], "=") == 0 ? "as given" : args->words[i]; *c; c++)
            cli_text_add(json, *c == '"' || *c == '\\' ? "\\%c" : (unsigned char)*c < 32 ? "?" : "%c", *c);
        cli_text_add(json, "\"");
    }
}

static enum cli_status answer(const struct cli_args *args, const struct orr_catalogue *catalogue, const char *json)
{
    struct orr_error error;
    char *text = NULL;
    if (args->html) {
        char *data = NULL;
        if (orr_compare_ask(catalogue, json, "command line", ORR_FORMAT_TERMINAL, NULL, &text, &error) ||
            orr_compare_ask(catalogue, json, "command line", ORR_FORMAT_JSON, NULL, &data, &error)) {
            free(text);
            return cli_fail("%s", error.text);
        }
        const enum cli_status status = cli_write_page(args, "compare", "Side by side", text, data);
        if (status || cli_html_only(args)) return status;
    }
    if (orr_compare_ask(catalogue, json, "command line", args->format, &args->style, &text, &error))
        return cli_fail("%s", error.text);
    return cli_write_file("-", text);
}

static enum cli_status compare(const struct cli_job_kind *kind, const struct cli_args *args)
{
    struct orr_catalogue *catalogue = cli_args_catalogue(args);
    struct orr_text requests = {0}, json = {0};
    enum cli_status status = catalogue ? CLI_ANSWERED : CLI_BAD;
    if (!status && args->n_words < 2)
        status = cli_fail("compare needs two or more of: a system, an engine, a model, fields such as tp=8,pp=4, or a "
                          "request FILE.json");
    for (size_t i = 0; i < args->n_words && !status; i++)
        status = one_request(args, catalogue, kind, args->words[i], &requests);
    if (!status) {
        cli_text_add(&json, "{\"requests\": [%s], \"names\": [", requests.data);
        add_names(&json, args);
        cli_text_add(&json, "]}");
        status = answer(args, catalogue, json.data);
    }
    free(requests.data);
    free(json.data);
    orr_catalogue_close(catalogue);
    return status;
}

/* Jobs, services under load and their sizes. */
static const struct cli_job_kind *kind_of(const char *word)
{
    static const struct cli_job_kind SERVICES[] = {{"serving", ORR_JOB_INFER, CLI_FOR_SERVING | CLI_FOR_INFER},
                                                   {"size", ORR_JOB_INFER, CLI_FOR_SIZE | CLI_FOR_INFER}};
    for (size_t i = 0; i < sizeof SERVICES / sizeof *SERVICES; i++)
        if (strcmp(word, SERVICES[i].name) == 0) return &SERVICES[i];
    return cli_job_kind(word);
}

enum cli_status cli_compare(int argc, const char *const *argv)
{
    const struct cli_job_kind *kind = argc > 0 ? kind_of(argv[0]) : NULL;
    if (!kind && !cli_help_first(argc, argv))
        return cli_fail("compare what? orrery compare train A B, or infer, serving or size");
    struct cli_args args;
    const int skip = kind ? 1 : 0;
    if (!kind) kind = cli_job_kind("train");
    enum cli_status status =
        cli_args_parse(argc - skip, argv + skip, (CLI_FOR_COMPARE | kind->command), COMPARED_MAX, &args);
    if (!status) status = args.help ? cli_options_help((CLI_FOR_COMPARE | kind->command), usage) : compare(kind, &args);
    cli_args_free(&args);
    return status;
}
