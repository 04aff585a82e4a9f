/* The arguments of a command: its options, their values, and the words between them. */
#define _DEFAULT_SOURCE
#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Write "ops, costs or memory" for the list "ops costs memory". */
static void join_or(struct orr_text *text, const char *list)
{
    for (const char *at = list; *at;) {
        const size_t n = strcspn(at, " ");
        const bool last = at[n] == '\0';
        cli_text_add(text, "%s%.*s", at == list ? "" : last ? " or " : ", ", (int)n, at);
        at += n + !last;
    }
}

static enum cli_status set_dump(const struct cli_option *option, const char *stage, enum orr_format *format)
{
#define NAME(name, format)   name,
#define FORMAT(name, format) format,
    static const char *const stages[] = {ORR_DUMPS(NAME)};
    static const enum orr_format formats[] = {ORR_DUMPS(FORMAT)};
    const size_t n = sizeof stages / sizeof *stages;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(stage, stages[i]) != 0) continue;
        *format = formats[i];
        return CLI_ANSWERED;
    }
    struct orr_text expected = {0};
    join_or(&expected, option->keys);
    const char *near = cli_nearest(stage, stages, n);
    cli_fail("--dump %s: expected %s%s%s%s", stage, expected.data, near ? " (did you mean " : "", near ? near : "",
             near ? "?)" : "");
    free(expected.data);
    return CLI_BAD;
}

/* Read a whole number, which may also be written as 1e6, as the numbers of requests are. */
static bool read_whole(const char *value, int64_t *number)
{
    char *end;
    errno = 0;
    *number = strtoll(value, &end, 10);
    if (end != value && !*end) return !errno;
    if (value[strspn(value, "0123456789.+-eE")]) return false; /* strtod reads hexadecimal numbers, inf and nan, too */
    const double real = strtod(value, &end);
    if (end == value || *end || !(real > -9e18 && real < 9e18) || real < floor(real) || real > floor(real))
        return false;
    *number = (int64_t)real;
    return true;
}

static enum cli_status set_width(const char *value, int *width)
{
    int64_t n;
    if (!read_whole(value, &n) || n < 60 || n > 1000)
        return cli_fail("--width %s: expected a whole number from 60 to 1000", value);
    *width = (int)n;
    return CLI_ANSWERED;
}

/* Apply an option that is not part of the request. */
static enum cli_status apply(struct cli_args *args, const struct cli_given *given, const struct cli_option **format)
{
    enum orr_format asked = given->option->format;
    switch (given->option->kind) {
    case CLI_DUMP:
        if (set_dump(given->option, given->value, &asked)) return CLI_BAD;
        /* fall through */
    case CLI_FORMAT:
        if (*format && args->format != asked)
            return cli_fail("--%s and --%s cannot be combined", (*format)->name, given->option->name);
        *format = given->option;
        args->format = asked;
        return CLI_ANSWERED;
    case CLI_CATALOGUE: args->catalogues[args->n_catalogues++] = given->value; return CLI_ANSWERED;
    case CLI_WIDTH: return set_width(given->value, &args->style.width);
    case CLI_NO_COLOUR: args->style.colour = false; return CLI_ANSWERED;
    case CLI_HTML: args->html = given->value; return CLI_ANSWERED;
    case CLI_TRACE: args->trace = given->value; return CLI_ANSWERED;
    case CLI_HELP: args->help = true; return CLI_ANSWERED;
    case CLI_SET:
        if (strchr(given->value, '=')) return CLI_ANSWERED;
        return cli_fail("--set %s: expected PATH=VALUE, e.g. chip.hbm_bytes_per_s=4e12", given->value);
    case CLI_HEADING:
    case CLI_TEXT:
    case CLI_LIST:
    case CLI_BOOL:
    case CLI_WORD:
    case CLI_WHERE:
    case CLI_OWN:
    case CLI_REQUEST: return CLI_ANSWERED;
    }
    return CLI_ANSWERED;
}

/* Is the argument of an option the name of a file or folder that the program itself opens? Those of a request are
 * checked by its reader. */
static bool names_file(const struct cli_option *option)
{
    const char *argument = option->argument;
    if (!argument || (option->kind == CLI_TEXT && option->section)) return false;
    return strncmp(argument, "FILE", 4) == 0 || strcmp(argument, "DIR") == 0 || strcmp(argument, "FOLDER") == 0;
}

/* Read the option at argv[*i]; its value is behind "=" or in the next argument. */
static enum cli_status parse_option(int argc, const char *const *argv, int *i, unsigned command,
                                    struct cli_given *given)
{
    const char *name = argv[*i] + 2;
    const size_t n = strcspn(name, "=");
    const char *value = name[n] == '=' ? name + n + 1 : NULL;
    given->option = cli_option_find(name, n, command);
    given->negated = false;
    if (!given->option && n > 3 && strncmp(name, "no-", 3) == 0) {
        given->option = cli_option_find(name + 3, n - 3, command);
        if (given->option && given->option->kind != CLI_BOOL) given->option = NULL;
        given->negated = true;
    }
    if (!given->option) return cli_option_fail(name, n, command);
    const char *word = given->option->kind == CLI_BOOL && !given->negated ? given->option->word : NULL;
    if (word && !value && *i + 1 < argc && strcmp(argv[*i + 1], word) == 0) value = argv[++*i];
    if (!given->option->argument && value && !(word && strcmp(value, word) == 0))
        return cli_fail("--%.*s takes no value%s%s, but \"%s\" was given", (int)n, name, word ? " or " : "",
                        word ? word : "", value);
    if (given->option->argument && !value) {
        if (*i + 1 >= argc || strncmp(argv[*i + 1], "--", 2) == 0)
            return cli_fail("--%.*s needs a value: --%.*s %s", (int)n, name, (int)n, name, given->option->argument);
        value = argv[++*i];
    }
    if (value && !*value && names_file(given->option))
        return cli_fail("--%.*s needs a value: --%.*s %s, not an empty name", (int)n, name, (int)n, name,
                        given->option->argument);
    given->value = value;
    return CLI_ANSWERED;
}

/* Does an option send something to standard output in place of the report? */
static bool takes_output(const struct cli_args *args, const struct cli_option *option)
{
    const char *value = cli_args_value(args, option->name);
    return names_file(option) && strcmp(option->argument, "FILE") == 0 && value && strcmp(value, "-") == 0;
}

/* Standard output takes one thing: a report in one format, or what one option sends there. */
static enum cli_status check_output(const struct cli_args *args, const struct cli_option *format)
{
    const struct cli_option *first = NULL;
    for (size_t i = 0; i < args->n_given; i++) {
        const struct cli_option *option = args->given[i].option;
        if (!takes_output(args, option) || option == first) continue;
        if (format) return cli_fail("--%s and --%s -: standard output takes one of them", format->name, option->name);
        if (first) return cli_fail("--%s - and --%s -: standard output takes one of them", first->name, option->name);
        first = option;
    }
    return cli_paths_check(args);
}

static void default_style(struct orr_style *style)
{
    struct winsize size;
    const char *term = getenv("TERM");
    const char *no_colour = getenv("NO_COLOR");
    const bool terminal = cli_terminal(STDOUT_FILENO);
    style->width = terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40 ? size.ws_col : 0;
    style->colour = terminal && !(no_colour && *no_colour) && term && strcmp(term, "dumb") != 0;
}

/* Of tables that count twice nobody would notice. */
static bool has_word(const struct cli_args *args, const char *word)
{
    for (size_t i = 0; i < args->n_words; i++)
        if (cli_same_file(args->words[i], word)) return true;
    return false;
}

enum cli_status cli_args_parse(int argc, const char *const *argv, unsigned command, size_t max_words,
                               struct cli_args *args)
{
    const size_t n = (size_t)argc + 1;
    *args = (struct cli_args){.given = calloc(n, sizeof *args->given),
                              .words = calloc(n, sizeof *args->words),
                              .catalogues = calloc(n, sizeof *args->catalogues),
                              .argc = argc,
                              .argv = argv};
    if (!args->given || !args->words || !args->catalogues) return cli_fail_memory();
    default_style(&args->style);
    const struct cli_option *format = NULL;
    bool only_words = false;
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        if (!only_words && strcmp(word, "-h") == 0) {
            args->help = true;
        } else if (!only_words && strcmp(word, "--") == 0) {
            only_words = true;
        } else if (!only_words && word[0] == '-' && word[1]) {
            if (word[1] != '-') return cli_fail("unknown option %s (options start with two dashes; see --help)", word);
            struct cli_given *given = &args->given[args->n_given];
            if (parse_option(argc, argv, &i, command, given) || apply(args, given, &format)) return CLI_BAD;
            args->n_given++;
        } else if (!*word) {
            return cli_fail("an argument is empty (see --help)");
        } else if (max_words == SIZE_MAX && has_word(args, word)) {
            return cli_fail("%s is given twice", word);
        } else if (args->n_words < max_words) {
            args->words[args->n_words++] = word;
        } else if (max_words > 2) {
            return cli_fail("stray argument \"%s\": at most %zu are taken (see --help)", word, max_words);
        } else {
            return cli_fail("stray argument \"%s\" (see --help)", word);
        }
    }
    return args->help ? CLI_ANSWERED : check_output(args, format);
}

void cli_args_free(struct cli_args *args)
{
    free(args->given);
    free(args->words);
    free(args->catalogues);
}

const char *cli_args_value(const struct cli_args *args, const char *name)
{
    const char *value = NULL;
    for (size_t i = 0; i < args->n_given; i++)
        if (strcmp(args->given[i].option->name, name) == 0) value = args->given[i].value;
    return value;
}

bool cli_args_has(const struct cli_args *args, const char *name)
{
    for (size_t i = 0; i < args->n_given; i++)
        if (strcmp(args->given[i].option->name, name) == 0) return true;
    return false;
}

enum cli_status cli_args_whole(const struct cli_args *args, const char *name, double low, double high, int64_t *number)
{
    const char *value = cli_args_value(args, name);
    int64_t n;
    if (!value) return CLI_ANSWERED;
    if (!read_whole(value, &n) || (double)n < low || (double)n > high)
        return cli_fail("--%s %s: expected a whole number from %.0f to %.0f", name, value, low, high);
    *number = n;
    return CLI_ANSWERED;
}

struct orr_catalogue *cli_args_catalogue(const struct cli_args *args)
{
    struct orr_catalogue *catalogue = NULL;
    struct orr_error error;
    if (orr_catalogue_open(args->catalogues, args->n_catalogues, &catalogue, &error)) {
        cli_fail("%s", error.text);
        return NULL;
    }
    return catalogue;
}
