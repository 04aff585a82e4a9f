/* The one table of options: used to parse the command line, to build the request and to print --help. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdint.h>

#include "cli.h"

enum cli_kind {
    CLI_HEADING,   /* not an option: a line of --help */
    CLI_TEXT,      /* request: the argument as a JSON string; the reader knows units and types */
    CLI_LIST,      /* request: comma-separated, as an array of strings */
    CLI_BOOL,      /* request: true; --no-NAME: false */
    CLI_WORD,      /* request: the fixed word of the table */
    CLI_WHERE,     /* request: KEY<=VALUE, one more of search.limits */
    CLI_OWN,       /* not part of a request: the command asks for it by name */
    CLI_SET,       /* PATH=VALUE */
    CLI_REQUEST,   /* file to start the request from */
    CLI_CATALOGUE, /* directory */
    CLI_FORMAT,    /* output format of the table */
    CLI_DUMP,      /* output format named by the argument */
    CLI_WIDTH,
    CLI_NO_COLOUR,
    CLI_MAX_MAPE,
    CLI_BY,
    CLI_HTML,
    CLI_TRACE,
    CLI_INTERVALS,
    CLI_WITHOUT,
    CLI_ABLATION,
    CLI_HELP
};

/* Commands an option belongs to. */
enum {
    CLI_FOR_TRAIN = 1,
    CLI_FOR_INFER = 2,
    CLI_FOR_VALIDATE = 4,
    CLI_FOR_LIST = 8,
    CLI_FOR_SHOW = 16,
    CLI_FOR_CALIBRATE = 32,
    CLI_FOR_JOB = CLI_FOR_TRAIN | CLI_FOR_INFER,
    CLI_FOR_ALL = 63,
    CLI_FOR_SWEEP = 64, /* these with TRAIN or INFER: also the options of their requests, but not of their output */
    CLI_FOR_SEARCH = 128,
    CLI_FOR_TECHNOLOGY = 256,
    CLI_FOR_SENSITIVITY = 512,
    CLI_FOR_SERVE = 1024,
    CLI_FOR_REPRODUCE = 2048,
    CLI_FOR_MANY = CLI_FOR_SWEEP | CLI_FOR_SEARCH,
    CLI_FOR_HARDWARE = CLI_FOR_TECHNOLOGY | CLI_FOR_SENSITIVITY,
    CLI_FOR_STUDY = CLI_FOR_MANY | CLI_FOR_HARDWARE | CLI_FOR_REPRODUCE,
    CLI_FOR_TABLES = /* reports with columns */
    CLI_FOR_JOB | CLI_FOR_VALIDATE | CLI_FOR_CALIBRATE | CLI_FOR_SEARCH | CLI_FOR_HARDWARE
};

struct cli_option {
    const char *name;     /* without the dashes */
    const char *aliases;  /* other spellings, separated by spaces */
    const char *argument; /* what --help calls it; NULL: takes none */
    enum cli_kind kind;
    const char *section;    /* place in the request: section.key; NULL: top level */
    const char *keys;       /* several keys, separated by spaces, get the same value; DUMP: the stages there are */
    const char *word;       /* WORD: the value */
    enum orr_format format; /* FORMAT */
    unsigned commands;
    const char *help;
};

struct cli_given {
    const struct cli_option *option;
    const char *value; /* NULL: the option takes none */
    bool negated;      /* spelled --no-NAME */
};

struct cli_args {
    struct cli_given *given;
    size_t n_given;
    const char **words; /* arguments that are not options */
    size_t n_words;
    const char **catalogues;
    size_t n_catalogues;
    enum orr_format format;
    struct orr_style style;
    double max_mape_frac; /* below 0: no bar */
    const char *by;       /* column to group by; NULL: none */
    const char *html;     /* file to write a page to; NULL: none */
    const char *trace;    /* file to write a trace to; NULL: none */
    bool intervals;       /* the table of intervals instead of a report */
    const char *without;  /* pieces of physics to leave out; NULL: none */
    bool ablation;        /* what each piece is worth instead of a report */
    bool help;
};

/* Parse the options of one command. CLI_BAD after printing what is wrong; call cli_args_free in any case. */
enum cli_status cli_args_parse(int argc, const char *const *argv, unsigned command, size_t max_words,
                               struct cli_args *args);
void cli_args_free(struct cli_args *args);

/* The value of an option, the last one given; NULL: not given. */
const char *cli_args_value(const struct cli_args *args, const char *name);
bool cli_args_has(const struct cli_args *args, const char *name);
/* A whole number from low to high; *number stays as it is if the option is not given. */
enum cli_status cli_args_whole(const struct cli_args *args, const char *name, double low, double high, int64_t *number);

/* A field that can be varied, by the name of its option ("tp") or a path of --set ("chip.tdp_w"): what to call it, and
 * where its values go ("plan.tp"; several separated by spaces). */
enum cli_status cli_options_field(const char *name, unsigned command, struct orr_text *called, struct orr_text *paths);

/* Open the catalogue the options ask for; NULL after printing what is wrong. */
struct orr_catalogue *cli_args_catalogue(const struct cli_args *args);

/* Print usage and the options of one command. */
enum cli_status cli_options_help(unsigned command, const char *usage);

#endif
