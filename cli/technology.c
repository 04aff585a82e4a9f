/* orrery technology: chips from a technology node and budgets, what they cost, and the best split of the budgets. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "request.h"
#include "studies.h"

static const char usage[] =
    "usage: orrery technology [chip] NAME           what the budgets make, and what limits it;\n"
    "                                               --json: a system file for --system\n"
    "       orrery technology nodes NAME            the same at every node of the scaling set\n"
    "       orrery technology cost NAME             from the wafer to the price of an hour\n"
    "       orrery technology cost train|infer ...  also of a job: system, run, million tokens\n"
    "       orrery technology optimise train|infer --system NAME ...\n"
    "                                               the split of area, power and edge that is best for it\n"
    "       orrery technology study ITEM            generations, nodes, bounds or dram: a sweep, and its figure\n"
    "NAME is generated:KEY=VALUE,... (docs/technology.md), e.g. generated:node=3,memory=hbm4,network=xdr";

enum action { CHIP, NODES, COST, OPTIMISE, STUDY, N_ACTIONS };
static const char *const actions[N_ACTIONS] = {"chip", "nodes", "cost", "optimise", "study"};

/* The parsed command line. */
struct question {
    enum action action;
    bool has_job;
    enum orr_job_kind kind;
    const char *name; /* as given; NULL: none */
};

/* ---------------------------------------------------------------- values of options */

/* Read a count that may have a prefix, such as "300G". */
static enum cli_status read_count(const struct cli_args *args, const char *option, double low, double high,
                                  int64_t *count)
{
    const char *value = cli_args_value(args, option);
    double number;
    if (!value) return CLI_ANSWERED;
    if (!orr_quantity_parse(value, ORR_UNIT_COUNT, &number) || number < low || number > high || floor(number) < number)
        return cli_fail("--%s %s: expected a whole number from %g to %g", option, value, low, high);
    *count = (int64_t)number;
    return CLI_ANSWERED;
}

/* Read a word and find its index among `n` names. */
static enum cli_status read_word(const struct cli_args *args, const char *option, const char *const *names, size_t n,
                                 int *index)
{
    const char *value = cli_args_value(args, option);
    struct orr_text list = {0};
    if (!value) return CLI_ANSWERED;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(value, names[i]) == 0) {
            *index = (int)i;
            return CLI_ANSWERED;
        }
    }
    for (size_t i = 0; i < n; i++) cli_text_add(&list, "%s%s", i == 0 ? "" : i + 1 == n ? " or " : ", ", names[i]);
    const char *near = cli_nearest(value, names, n);
    cli_fail("--%s %s: expected %s%s%s%s", option, value, list.data, near ? " (did you mean " : "", near ? near : "",
             near ? "?)" : "");
    free(list.data);
    return CLI_BAD;
}

static enum cli_status read_optimise(const struct cli_args *args, struct orr_optimise *options)
{
    static const enum orr_objective OBJECTIVES[] = {ORR_OBJECTIVE_TIME, ORR_OBJECTIVE_ENERGY, ORR_OBJECTIVE_COST};
    enum { N_OBJECTIVES = sizeof OBJECTIVES / sizeof *OBJECTIVES };
    const char *objectives[N_OBJECTIVES], *optimisers[ORR_N_OPTIMISERS];
    int objective = 0, optimiser = 0;
    int64_t seed = 0;
    for (int i = 0; i < N_OBJECTIVES; i++) objectives[i] = orr_objective_name(OBJECTIVES[i]);
    for (int i = 0; i < ORR_N_OPTIMISERS; i++) optimisers[i] = orr_optimiser_name((enum orr_optimiser)i);
    *options = (struct orr_optimise){.free = cli_args_value(args, "free")};
    if (read_word(args, "objective", objectives, N_OBJECTIVES, &objective) ||
        read_word(args, "optimiser", optimisers, ORR_N_OPTIMISERS, &optimiser) ||
        read_count(args, "restarts", 1, 1000, &options->n_restarts) ||
        read_count(args, "grid-steps", 2, 1000, &options->n_grid_steps) || read_count(args, "seed", 0, 1e9, &seed))
        return CLI_BAD;
    options->objective = OBJECTIVES[objective];
    options->optimiser = (enum orr_optimiser)optimiser;
    options->seed = (uint64_t)seed;
    return CLI_ANSWERED;
}

/* Options of the search for a split, and of one optimiser, which change nothing elsewhere. */
static enum cli_status check_options(const struct question *question, const struct cli_args *args)
{
    static const char *const OPTIMISE_ONLY[] = {"objective", "optimiser", "also",      "free",
                                                "restarts",  "seed",      "grid-steps"};
    const char *optimiser = cli_args_value(args, "optimiser");
    const bool grid = optimiser && strcmp(optimiser, "grid") == 0;
    for (size_t i = 0; i < sizeof OPTIMISE_ONLY / sizeof *OPTIMISE_ONLY; i++)
        if (question->action != OPTIMISE && cli_args_has(args, OPTIMISE_ONLY[i]))
            return cli_fail("--%s belongs to technology optimise", OPTIMISE_ONLY[i]);
    if (!grid && cli_args_has(args, "grid-steps"))
        return cli_fail("--grid-steps: has no effect without --optimiser grid");
    if (grid && cli_args_has(args, "restarts")) return cli_fail("--restarts: has no effect with --optimiser grid");
    if (grid && cli_args_has(args, "seed")) return cli_fail("--seed: has no effect with --optimiser grid");
    const bool priced = question->action == COST && question->kind == ORR_JOB_TRAIN;
    if (question->has_job && !priced && cli_args_has(args, "tokens"))
        return cli_fail("--tokens: has no effect: a training run has tokens to price (technology cost train)");
    return CLI_ANSWERED;
}

/* ---------------------------------------------------------------- answers */

/* Refuse --set for the chip: its budgets are split again, and the number would be lost. */
static enum cli_status check_sets(const struct cli_args *args)
{
    for (size_t i = 0; i < args->n_given; i++) {
        const char *value = args->given[i].option->kind == CLI_SET ? args->given[i].value : "";
        if (strncmp(value, "chip.", 5) == 0 || strncmp(value, "system.", 7) == 0)
            return cli_fail("--set %s: the chip is made from its budgets here; put it into the name of the system",
                            value);
    }
    return CLI_ANSWERED;
}

/* ---------------------------------------------------------------- further jobs */

enum { MOST_JOBS = 16 };
struct others {
    size_t n;
    struct orr_job *jobs;
    double weights[MOST_JOBS + 1]; /* the first is that of the job of the command line */
};

/* Read a request from a file, with the generated system in place of its own. */
static enum cli_status read_other(const char *file, const char *system, const struct orr_catalogue *catalogue,
                                  struct orr_job *job)
{
    struct orr_error error;
    struct orr_form *form = NULL;
    const struct orr_job *read;
    const char *origin;
    char *text = cli_read_file(file, &origin);
    if (!text) return CLI_BAD;
    enum orr_err err = orr_form_open(catalogue, text, origin, &form, &error);
    if (!err) err = orr_form_set(form, "system", system, &error);
    if (!err) err = orr_form_job(form, &read, &error);
    if (!err) *job = *read;
    orr_form_close(form);
    free(text);
    return err ? cli_fail("%s", error.text) : CLI_ANSWERED;
}

/* --also FILE:WEIGHT,FILE; a weight is relative to that of the command line's job, which is 1. */
static enum cli_status read_others(const struct cli_args *args, const char *system,
                                   const struct orr_catalogue *catalogue, struct others *others)
{
    const char *list = cli_args_value(args, "also");
    char word[1024];
    others->weights[0] = 1;
    if (!list) return CLI_ANSWERED;
    others->jobs = calloc(MOST_JOBS, sizeof *others->jobs);
    if (!others->jobs) return cli_fail_memory();
    while (orr_next_word(&list, ',', word, sizeof word)) {
        char *colon = strrchr(word, ':');
        double weight = 1;
        if (others->n == MOST_JOBS) return cli_fail("--also: at most %d jobs", MOST_JOBS);
        if (colon && orr_number_parse(colon + 1, &weight)) *colon = '\0';
        if (!(weight > 0 && weight <= 1e6)) return cli_fail("--also %s: a weight is above 0 and at most 1e6", word);
        if (read_other(word, system, catalogue, &others->jobs[others->n])) return CLI_BAD;
        others->weights[++others->n] = weight;
    }
    return CLI_ANSWERED;
}

static enum cli_status ask_job(const struct question *question, const struct cli_args *args,
                               const struct orr_catalogue *catalogue, char **text, struct orr_error *error)
{
    struct orr_optimise options;
    int64_t tokens = 0;
    const char *system = cli_args_value(args, "system");
    if (!system) return cli_fail("technology %s needs --system generated:...", actions[question->action]);
    if (read_optimise(args, &options) || read_count(args, "tokens", 1, 1e18, &tokens) || check_sets(args))
        return CLI_BAD;
    struct orr_job *job = malloc(sizeof *job);
    enum cli_status status = job ? cli_job_read(args, question->kind, catalogue, job) : cli_fail_memory();
    enum orr_err err = ORR_OK;
    struct others others = {0};
    if (!status) status = read_others(args, system, catalogue, &others);
    options.others = others.jobs;
    options.n_others = others.n;
    options.weights = others.weights;
    const struct orr_technology_question asked = {.name = system,
                                                  .view = question->action == COST ? ORR_TECHNOLOGY_COST
                                                                                   : ORR_TECHNOLOGY_OPTIMISE,
                                                  .job = job,
                                                  .run_tokens = tokens,
                                                  .optimise = &options};
    if (!status) err = orr_technology_render(catalogue, &asked, args->format, &args->style, text, error);
    if (err) status = cli_fail("%s", error->text);
    if (!status && question->action == COST) status = cli_job_status(job);
    free(others.jobs);
    free(job);
    return status;
}

static enum cli_status ask_name(const struct question *question, const struct cli_args *args,
                                const struct orr_catalogue *catalogue, char **text, struct orr_error *error)
{
    struct orr_technology_question asked = {.name = question->name, .view = ORR_TECHNOLOGY_CHIP};
    if (cli_args_has(args, "tokens"))
        return cli_fail("--tokens needs a job to price: orrery technology cost train --model M --system generated:...");
    if (question->action == STUDY) return cli_study_ask(catalogue, question->name, args, text);
    if (question->action == NODES) asked.view = ORR_TECHNOLOGY_NODES;
    if (question->action == COST) asked.view = ORR_TECHNOLOGY_COST;
    return orr_technology_render(catalogue, &asked, args->format, &args->style, text, error)
               ? cli_fail("%s", error->text)
               : CLI_ANSWERED;
}

static enum cli_status ask_format(const struct question *question, const struct cli_args *args,
                                  const struct orr_catalogue *catalogue, enum orr_format format, char **text)
{
    struct orr_error error;
    struct cli_args asked = *args;
    asked.format = format;
    return question->has_job ? ask_job(question, &asked, catalogue, text, &error)
                             : ask_name(question, &asked, catalogue, text, &error);
}

/* Write the answer, or its page. A job that does not fit is answered, too. */
static enum cli_status write_format(const struct question *question, const struct cli_args *args,
                                    const struct orr_catalogue *catalogue, enum orr_format format)
{
    char *text = NULL;
    const enum cli_status status = ask_format(question, args, catalogue, format, &text);
    if (status == CLI_BAD) return status;
    const bool page = format == ORR_FORMAT_HTML;
    return (page ? cli_write_html(args, "technology", text) : cli_write_file("-", text)) ? CLI_BAD : status;
}

static enum cli_status answer(const struct question *question, const struct cli_args *args)
{
    if (args->format == ORR_FORMAT_CSV && (question->action == COST || question->action == OPTIMISE))
        return cli_fail("technology %s has no CSV (use --json)", actions[question->action]);
    struct orr_catalogue *catalogue = cli_args_catalogue(args);
    if (!catalogue) return CLI_BAD;
    enum cli_status status = CLI_ANSWERED;
    if (args->html) status = write_format(question, args, catalogue, ORR_FORMAT_HTML);
    if (status != CLI_BAD && !cli_html_only(args)) status = write_format(question, args, catalogue, args->format);
    orr_catalogue_close(catalogue);
    return status;
}

/* ---------------------------------------------------------------- the question */

static enum cli_status read_action(const char *word, enum action *action)
{
    for (int i = 0; i < N_ACTIONS; i++) {
        if (strcmp(word, actions[i]) == 0) {
            *action = (enum action)i;
            return CLI_ANSWERED;
        }
    }
    if (strncmp(word, "generated", 9) == 0) { /* the name of a chip alone asks what it is */
        *action = CHIP;
        return CLI_ANSWERED;
    }
    const char *near = cli_nearest(word, actions, N_ACTIONS);
    return cli_fail("technology %s: expected chip, nodes, cost, optimise or study%s%s%s", word,
                    near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
}

static enum cli_status ask(struct question *question, const struct cli_args *args, unsigned command)
{
    if (args->help) return cli_options_help(command, usage);
    if (question->action == STUDY && args->n_words == 0)
        return cli_fail("technology study needs one of generations, nodes, bounds and dram");
    if (question->action != STUDY && cli_args_has(args, "out"))
        return cli_fail("--out belongs to technology study; redirect the output of technology %s",
                        actions[question->action]);
    if (!question->has_job && args->n_words == 0)
        return cli_fail("technology %s needs a name: generated:node=5,memory=hbm3", actions[question->action]);
    if (check_options(question, args)) return CLI_BAD;
    if (!question->has_job) question->name = args->words[0];
    return answer(question, args);
}

enum cli_status cli_technology(int argc, const char *const *argv)
{
    struct question question = {.action = CHIP};
    if (argc == 0) return cli_fail("technology needs chip, nodes, cost, optimise or study (see --help)");
    if (cli_help_first(argc, argv)) return cli_options_help(CLI_FOR_TECHNOLOGY, usage);
    if (read_action(argv[0], &question.action)) return CLI_BAD;
    const char *kind = argc > 1 ? argv[1] : "";
    const bool infer = strcmp(kind, "infer") == 0, can = question.action == COST || question.action == OPTIMISE;
    question.has_job = can && (infer || strcmp(kind, "train") == 0);
    question.kind = infer ? ORR_JOB_INFER : ORR_JOB_TRAIN;
    if (question.action == OPTIMISE && !question.has_job && strcmp(kind, "--help") != 0)
        return cli_fail("technology optimise needs the kind of job: orrery technology optimise train|infer");
    const int skip = question.has_job ? 2 : strncmp(argv[0], "generated", 9) == 0 ? 0 : 1;
    const unsigned command = CLI_FOR_TECHNOLOGY | (!question.has_job ? 0 : infer ? CLI_FOR_INFER : CLI_FOR_TRAIN);
    struct cli_args args;
    enum cli_status status = cli_args_parse(argc - skip, argv + skip, command, question.has_job ? 0 : 1, &args);
    if (!status) status = ask(&question, &args, command);
    cli_args_free(&args);
    return status;
}
