/* The table of all options (options.c), and the arguments of a command that are read by it (args.c). */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdint.h>

#include "cli.h"

enum cli_kind {
    CLI_HEADING,   /* not an option: a heading of --help */
    CLI_TEXT,      /* request: the argument as a JSON string, whose units and type the request reader checks */
    CLI_LIST,      /* request: comma-separated, as an array of strings */
    CLI_BOOL,      /* request: true, or false if spelled --no-NAME */
    CLI_WORD,      /* request: the fixed word of the table */
    CLI_WHERE,     /* request: KEY<=VALUE, added to search.limits */
    CLI_OWN,       /* not part of a request; the command reads it by name */
    CLI_SET,       /* PATH=VALUE */
    CLI_REQUEST,   /* file to start the request from */
    CLI_CATALOGUE, /* directory */
    CLI_FORMAT,    /* the output format in the table */
    CLI_DUMP,      /* the output format named by the argument */
    CLI_WIDTH,
    CLI_NO_COLOUR,
    CLI_HTML,
    CLI_TRACE,
    CLI_HELP
};

/* The commands that an option belongs to. */
enum {
    CLI_FOR_TRAIN = 1,
    CLI_FOR_INFER = 2,
    CLI_FOR_VALIDATE = 4,
    CLI_FOR_LIST = 8,
    CLI_FOR_SHOW = 16,
    CLI_FOR_CALIBRATE = 32,
    CLI_FOR_JOB = CLI_FOR_TRAIN | CLI_FOR_INFER,
    CLI_FOR_ALL = 63,
    CLI_FOR_SWEEP = 64, /* with TRAIN or INFER: also has the options of their requests, but not those of their output */
    CLI_FOR_SEARCH = 128,
    CLI_FOR_TECHNOLOGY = 256,
    CLI_FOR_SENSITIVITY = 512,
    CLI_FOR_SERVE = 1024,
    CLI_FOR_REPRODUCE = 2048,
    CLI_FOR_FIT = 4096,
    CLI_FOR_SERVING = 1 << 16, /* with INFER: also has the options of its requests */
    CLI_FOR_SIZE = 1 << 17,    /* likewise */
    CLI_FOR_COMPARE = 1 << 18, /* with TRAIN or INFER: also has the options of their requests */
    CLI_FOR_MCP = 1 << 19,
    CLI_FOR_TRAFFIC = CLI_FOR_SERVING | CLI_FOR_SIZE,
    CLI_FOR_MANY = CLI_FOR_SWEEP | CLI_FOR_SEARCH,
    CLI_FOR_HARDWARE = CLI_FOR_TECHNOLOGY | CLI_FOR_SENSITIVITY,
    CLI_FOR_STUDY = CLI_FOR_MANY | CLI_FOR_HARDWARE | CLI_FOR_REPRODUCE | CLI_FOR_TRAFFIC | CLI_FOR_COMPARE,
    CLI_FOR_TABLES = /* commands whose reports have columns */
    CLI_FOR_JOB | CLI_FOR_VALIDATE | CLI_FOR_CALIBRATE | CLI_FOR_SEARCH | CLI_FOR_HARDWARE | CLI_FOR_FIT |
    CLI_FOR_TRAFFIC | CLI_FOR_COMPARE
};

struct cli_option {
    const char *name;     /* without the dashes */
    const char *aliases;  /* other spellings, separated by spaces */
    const char *argument; /* name of the argument in --help; NULL: it has none */
    enum cli_kind kind;
    const char *section;    /* section of the request; NULL: top level */
    const char *keys;       /* keys that get the value, separated by spaces; DUMP: the stages */
    const char *word;       /* WORD: the value; BOOL: a third value, as its argument; NULL: it has none */
    enum orr_format format; /* FORMAT */
    unsigned commands;
    const char *help;
};

struct cli_given {
    const struct cli_option *option;
    const char *value; /* NULL: the option has no value */
    bool negated;      /* spelled --no-NAME */
};

struct cli_args {
    int argc; /* the arguments as given, behind the words of the command */
    const char *const *argv;
    struct cli_given *given;
    size_t n_given;
    const char **words; /* arguments that are not options */
    size_t n_words;
    const char **catalogues;
    size_t n_catalogues;
    enum orr_format format;
    struct orr_style style;
    const char *html;  /* file to write a page to; NULL: none */
    const char *trace; /* file to write a trace to; NULL: none */
    bool help;
};

/* Parse the options of one command. Returns CLI_BAD after printing what is wrong. cli_args_free must follow in any
 * case. */
enum cli_status cli_args_parse(int argc, const char *const *argv, unsigned command, size_t max_words,
                               struct cli_args *args);
void cli_args_free(struct cli_args *args);

/* Run a command: parse its options, print its help or answer, and free what was parsed. Without a usage the command
 * prints its help itself. */
enum cli_status cli_run(int argc, const char *const *argv, unsigned command, size_t max_words, const char *usage,
                        enum cli_status (*answer)(const struct cli_args *args));

/* The last value given for an option; NULL if it was not given. */
const char *cli_args_value(const struct cli_args *args, const char *name);
bool cli_args_has(const struct cli_args *args, const char *name);
/* Read a whole number from low to high. *number is unchanged if the option is not given. */
enum cli_status cli_args_whole(const struct cli_args *args, const char *name, double low, double high, int64_t *number);

/* The path without a leading "./", which means the working folder. */
const char *cli_plain_path(const char *path);
/* Are these two names of one regular file, or of one file that is not there yet? */
bool cli_same_file(const char *a, const char *b);
/* No file is written twice, nor one that the command reads. */
enum cli_status cli_paths_check(const struct cli_args *args);

/* Write the page of a report to args->html, with the command that makes it again; `command` is its
 * name. The page is freed. */
enum cli_status cli_write_html(const struct cli_args *args, const char *command, char *page);
/* The same for a report that has a text and data, which are freed. */
enum cli_status cli_write_page(const struct cli_args *args, const char *command, const char *title, char *terminal,
                               char *json);
/* Is the page all that is printed? */
bool cli_html_only(const struct cli_args *args);

/* The option of a command by its name or an alias, of n characters; NULL if the command has none. */
const struct cli_option *cli_option_find(const char *name, size_t n, unsigned command);
/* Print that a command has no such option, and what was meant. */
enum cli_status cli_option_fail(const char *flag, size_t n, unsigned command);
/* The option that sets a key of a request ("input" sets input_len); NULL if none does. */
const char *cli_option_of(const char *key);
/* Find a field that can be varied, by the name of its option ("tp") or a path of --set ("chip.tdp_w"). An error begins
 * with `of`, the option or command that asks ("--vary"). `called` receives the name of the field and `paths` the paths
 * of its values ("plan.tp"), separated by spaces. */
enum cli_status cli_options_field(const char *of, const char *name, unsigned command, struct orr_text *called,
                                  struct orr_text *paths);

/* Open the catalogue that the options ask for. Returns NULL after printing what is wrong. */
struct orr_catalogue *cli_args_catalogue(const struct cli_args *args);

/* Fit or score collectives between nodes: the other half of calibrate and validate (fabric.c). */
enum cli_status cli_fabric(const struct cli_args *args, bool scores);

/* Print usage and the options of one command. */
enum cli_status cli_options_help(unsigned command, const char *usage);

#endif
