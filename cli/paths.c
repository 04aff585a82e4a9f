/* The files that an answer would be written to, against each other and against those that it is read from. */
#define _DEFAULT_SOURCE
#include <string.h>
#include <sys/stat.h>

#include "options.h"

const char *cli_plain_path(const char *path)
{
    while (strncmp(path, "./", 2) == 0) path += 2;
    return path;
}

bool cli_same_file(const char *a, const char *b)
{
    struct stat facts_a, facts_b;
    if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0) return strcmp(a, b) == 0;
    const bool known = stat(a, &facts_a) == 0 && stat(b, &facts_b) == 0;
    if (!known) return strcmp(cli_plain_path(a), cli_plain_path(b)) == 0;
    return S_ISREG(facts_a.st_mode) && facts_a.st_dev == facts_b.st_dev && facts_a.st_ino == facts_b.st_ino;
}

/* Is this an option whose argument names the file or folder that something is written to? */
static bool is_output(const struct cli_option *option)
{
    static const char *const NAMES[] = {"html", "out", "trace-out", "access-log", "launch", "record"};
    if (option->kind == CLI_TRACE) return true;
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (strcmp(option->name, NAMES[i]) == 0) return true;
    return false;
}

static bool is_input(const struct cli_option *option)
{
    return !is_output(option) && option->argument && strstr(option->argument, "FILE");
}

/* The option that reads the file an option writes, or that writes it, too; NULL: none. */
static const struct cli_given *rival_of(const struct cli_args *args, const struct cli_given *output)
{
    for (size_t i = 0; i < args->n_given; i++) {
        const struct cli_given *other = &args->given[i];
        if (other->option == output->option || !other->value || strcmp(other->value, "-") == 0) continue;
        if (!is_input(other->option) && !is_output(other->option)) continue;
        if (cli_same_file(output->value, other->value)) return other;
    }
    return NULL;
}

enum cli_status cli_paths_check(const struct cli_args *args)
{
    for (size_t i = 0; i < args->n_given; i++) {
        const struct cli_given *given = &args->given[i];
        if (!is_output(given->option) || !given->value || strcmp(given->value, "-") == 0) continue;
        const struct cli_given *rival = rival_of(args, given);
        if (rival && is_output(rival->option))
            return cli_fail("--%s and --%s write %s both: name two files", given->option->name, rival->option->name,
                            given->value);
        if (rival)
            return cli_fail("--%s %s: this file is read (--%s): name another", given->option->name, given->value,
                            rival->option->name);
        for (size_t k = 0; k < args->n_words; k++)
            if (cli_same_file(given->value, args->words[k]))
                return cli_fail("--%s %s: this file is read: name another", given->option->name, given->value);
    }
    return CLI_ANSWERED;
}
