/* From command-line options to a request, which orr_form_job and similar functions check. */
#include "request.h"

#include <stdlib.h>
#include <string.h>

const struct cli_job_kind *cli_job_kind(const char *word)
{
    static const struct cli_job_kind KINDS[] = {{"train", ORR_JOB_TRAIN, CLI_FOR_TRAIN},
                                                {"infer", ORR_JOB_INFER, CLI_FOR_INFER}};
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++)
        if (strcmp(word, KINDS[i].name) == 0) return &KINDS[i];
    return NULL;
}

const struct cli_job_kind *cli_first_kind(const char *command, int argc, const char *const *argv)
{
    static const char *const NAMES[] = {"train", "infer"};
    const struct cli_job_kind *kind = argc > 0 ? cli_job_kind(argv[0]) : NULL;
    const char *near = argc > 0 && !kind ? cli_nearest(argv[0], NAMES, 2) : NULL;
    if (!kind)
        cli_fail("%s what? orrery %s train or orrery %s infer%s%s%s", command, command, command,
                 near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
    return kind;
}

bool cli_help_first(int argc, const char *const *argv)
{
    return argc > 0 && (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0);
}

/* The form that the options are put into, and its first error. */
struct filling {
    struct orr_form *form;
    struct orr_error error;
    enum orr_err err;
};

static void put(struct filling *f, const char *section, const char *key, size_t n, const char *value)
{
    struct orr_text path = {0};
    cli_text_add(&path, "%s%s%.*s", section ? section : "", section ? "." : "", (int)n, key);
    if (!f->err) f->err = orr_form_set(f->form, path.data, value, &f->error);
    free(path.data);
}

/* Put the value at every key of an option; keys are separated by spaces. */
static void put_keys(struct filling *f, const struct cli_option *option, const char *value)
{
    for (const char *at = option->keys; *at;) {
        const size_t n = strcspn(at, " ");
        put(f, option->section, at, n, value);
        at += n + (at[n] == ' ');
    }
}

/* Put a list such as "12,12", which only a plan has. */
static void put_list(struct filling *f, const struct cli_option *option, const char *list)
{
    struct orr_text path = {0}, items = {0};
    const char *values[ORR_MAX_STAGES + 1]; /* The reader reports a list with one value too many. */
    size_t n = 0;
    cli_text_add(&path, "%s.%s", option->section, option->keys);
    cli_text_add(&items, "%s", list);
    for (char *at = items.data; at && n < sizeof values / sizeof *values;) {
        values[n++] = at;
        at = strchr(at, ',');
        if (at) *at++ = '\0';
    }
    if (!f->err) f->err = orr_form_set_list(f->form, path.data, values, n, &f->error);
    free(path.data);
    free(items.data);
}

static void put_given(struct filling *f, const struct cli_given *given)
{
    switch (given->option->kind) {
    case CLI_TEXT: put_keys(f, given->option, given->value); break;
    case CLI_LIST: put_list(f, given->option, given->value); break;
    case CLI_BOOL: put_keys(f, given->option, given->value ? given->value : given->negated ? "false" : "true"); break;
    case CLI_WORD: put_keys(f, given->option, given->option->word); break;
    case CLI_SET: /* put_sets() adds these last, so that they override other options. */
    case CLI_HEADING:
    case CLI_OWN:
    case CLI_REQUEST:
    case CLI_CATALOGUE:
    case CLI_FORMAT:
    case CLI_DUMP:
    case CLI_WIDTH:
    case CLI_NO_COLOUR:
    case CLI_HTML:
    case CLI_TRACE:
    case CLI_WHERE: /* put_where() adds all of them together. */
    case CLI_HELP: break;
    }
}

/* Put every --set PATH=VALUE. */
static void put_sets(struct filling *f, const struct cli_args *args)
{
    for (size_t i = 0; i < args->n_given; i++) {
        if (args->given[i].option->kind != CLI_SET) continue;
        const char *assignment = args->given[i].value;
        const size_t n = strcspn(assignment, "=");
        put(f, "set", assignment, n, assignment + n + 1);
    }
}

/* Put the values of an option that may be given several times, such as --where, --slo or --pool, as one list. */
static void put_where(struct filling *f, const struct cli_args *args)
{
    const char **values = malloc((args->n_given + 1) * sizeof *values);
    if (!values) exit((int)cli_fail_memory());
    for (size_t i = 0; i < args->n_given; i++) {
        const struct cli_option *option = args->given[i].option;
        bool first = option->kind == CLI_WHERE;
        size_t n = 0;
        for (size_t k = 0; k < args->n_given && option->kind == CLI_WHERE; k++) {
            if (args->given[k].option != option) continue;
            if (k < i) first = false;
            values[n++] = args->given[k].value;
        }
        const char *path = option->keys ? option->keys : "search.limits";
        if (first && !f->err) f->err = orr_form_set_list(f->form, path, values, n, &f->error);
    }
    free(values);
}

static void fill(struct filling *f, const struct cli_args *args)
{
    for (size_t i = 0; i < args->n_given; i++) put_given(f, &args->given[i]);
    put_sets(f, args);
    put_where(f, args);
}

/* Open the form of a file, by default that of --request FILE, or an empty one of this kind. */
static enum cli_status open_form(const struct cli_args *args, const struct orr_catalogue *catalogue, const char *kind,
                                 const char *file, struct filling *f, const char **origin)
{
    char *text = NULL;
    for (size_t i = 0; i < args->n_given && !file; i++)
        if (args->given[i].option->kind == CLI_REQUEST) file = args->given[i].value;
    *origin = "command line";
    if (file && !(text = cli_read_file(file, origin))) return CLI_BAD;
    f->err = orr_form_open(catalogue, text, *origin, &f->form, &f->error);
    if (!f->err && !file) f->err = orr_form_set(f->form, "kind", kind, &f->error);
    free(text);
    return CLI_ANSWERED;
}

enum cli_status cli_request_form(const struct cli_args *args, const struct orr_catalogue *catalogue,
                                 enum orr_job_kind kind, const char *command, struct orr_form **form)
{
    return cli_request_form_of(args, catalogue, kind, command, NULL, form);
}

enum cli_status cli_request_form_of(const struct cli_args *args, const struct orr_catalogue *catalogue,
                                    enum orr_job_kind kind, const char *command, const char *file,
                                    struct orr_form **form)
{
    static const char *const KINDS[] = {"train", "infer"}; /* in the order of enum orr_job_kind */
    const char *other = KINDS[1 - (int)kind], *origin;
    struct filling f = {0};
    enum cli_status status = open_form(args, catalogue, KINDS[kind], file, &f, &origin);
    if (!status && !f.err) fill(&f, args);
    if (!status && f.err) status = cli_fail("%s", f.error.text);
    const char *given = status ? NULL : orr_form_get(f.form, "kind");
    if (given && strcmp(given, other) == 0) /* The wrong kind is reported before its keys are checked. */
        status = cli_fail("%s: a request of kind \"%s\"; ask orrery %s%s", origin, other, command, other);
    if (status) orr_form_close(f.form);
    *form = status ? NULL : f.form;
    return status;
}
