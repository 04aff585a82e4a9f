/* orrery: find the command and run it. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "cluster.h"

struct cli_command {
    const char *name;
    enum cli_status (*run)(int argc, const char *const *argv);
    const char *help;
};

static enum cli_status help(int argc, const char *const *argv);
static enum cli_status version(int argc, const char *const *argv);

static const struct cli_command commands[] = {
    /* name      function       one line of help */
    {"train", cli_train, "predict one training step: time, memory, what binds, energy, cost"},
    {"infer", cli_infer, "predict inference: time to first token and per token, memory, what binds, cost"},
    {"size", cli_size, "find the fewest GPUs or dollars that serve a load within limits of latency"},
    {"serving", cli_serving, "simulate a service under load: queueing, latency percentiles, goodput, cost"},
    {"search", cli_search, "find the best of all valid plans for a model on N GPUs: exhaustive and exact"},
    {"compare", cli_compare, "systems, engines, plans or requests side by side, with the differences explained"},
    {"sweep", cli_sweep, "predict at many points, with fields over lists and ranges; stored and resumable"},
    {"validate", cli_validate, "score predictions against measurements"},
    {"fit", cli_fit, "a stack of your own from a few measured runs or logs"},
    {"calibrate", cli_calibrate, "fit a chip's constants to kernel timings"},
    {"technology", cli_technology, "make chips from a node and budgets: their data, cost, and the best split"},
    {"sensitivity", cli_sensitivity, "what every hardware number is worth to a job"},
    {"serve", cli_serve, "the explorer in a browser, and the JSON API over HTTP"},
    {"mcp", cli_mcp, "the same questions as tools for assistants (Model Context Protocol)"},
    {"reproduce", cli_reproduce, "every study of Kundu et al. 2024: tables, figures, one page"},
    {"list", cli_list, "list models, chips, systems, engines, memories, networks, ... of the catalogue"},
    {"show", cli_show, "show one part of the catalogue with its sources"},
    {"help", help, "this text, or the options of a command"},
    {"version", version, "the version"},
};
static const size_t n_commands = sizeof commands / sizeof *commands;

static const struct cli_command *find_command(const char *name)
{
    for (size_t i = 0; i < n_commands; i++)
        if (strcmp(commands[i].name, name) == 0) return &commands[i];
    return NULL;
}

static enum cli_status fail_unknown(const char *name)
{
    const char *names[sizeof commands / sizeof *commands];
    for (size_t i = 0; i < n_commands; i++) names[i] = commands[i].name;
    const char *near = cli_nearest(name, names, n_commands);
    if (near) return cli_fail("unknown command \"%s\" (did you mean \"%s\"?)", name, near);
    return cli_fail("unknown command \"%s\" (see orrery help)", name);
}

static enum cli_status help(int argc, const char *const *argv)
{
    static const char *const ask[] = {"--help"};
    if (argc > 1) return cli_fail("stray argument \"%s\" (usage: orrery help [command])", argv[1]);
    if (argc == 1) {
        const struct cli_command *command = find_command(argv[0]);
        if (!command) return fail_unknown(argv[0]);
        if (command->run != help && command->run != version) return command->run(1, ask);
    }
    struct orr_text text = {0};
    cli_text_add(&text, "usage: orrery COMMAND [options]\n"
                        "Predict how fast, how big and how costly distributed LLM training and inference are.\n"
                        "\nCommands\n");
    for (size_t i = 0; i < n_commands; i++) cli_text_add(&text, "  %-11s %s\n", commands[i].name, commands[i].help);
    cli_text_add(&text, "\norrery COMMAND --help lists the options; orrery alone answers an example of each kind.\n"
                        "Exit status: 0 answered, 1 infeasible or below a bar asked for, 2 bad input.\n");
    const enum cli_status status = cli_write(text.data);
    free(text.data);
    return status;
}

static enum cli_status version(int argc, const char *const *argv)
{
    if (argc > 0) return cli_fail("stray argument \"%s\" (usage: orrery version)", argv[0]);
    char text[64];
    snprintf(text, sizeof text, "orrery %s\n", orr_version());
    return cli_write(text);
}

static enum cli_status dispatch(int argc, const char *const *argv)
{
    if (argc < 2) return cli_example();
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) name = "help";
    if (strcmp(name, "--version") == 0) name = "version";
    if (name[0] == '-') return cli_fail("unknown option %s (options follow a command: orrery train %s)", name, name);
    const struct cli_command *command = find_command(name);
    if (!command) return fail_unknown(name);
    return command->run(argc - 2, argv + 2);
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN); /* A closed pipe is then an ordinary write error, */
    signal(SIGXFSZ, SIG_IGN); /* and so is a file that may not grow (ulimit -f). */
    if (cli_cluster_enter(argv)) return CLI_BAD;
    return (int)dispatch(argc, (const char *const *)argv);
}
