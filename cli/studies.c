/* Studies on disk: they read measurements and write tables, scripts and figures. gnuplot draws the figures if it is
 * installed. */
#define _POSIX_C_SOURCE 200809L
#include "studies.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_FOUND = 127 }; /* exit status of a child whose program is missing, as in shells */

static char *path_of(const char *directory, const char *name, const char *ending)
{
    struct orr_text path = {0};
    cli_text_add(&path, "%s/%s%s", directory, name, ending);
    return path.data;
}

/* ---------------------------------------------------------------- in */

/* Read a file that comes with the program, malloc'd. Returns NULL after printing what is wrong. */
static char *read_input(const char *input, char **path)
{
    const struct cli_places places = cli_data_places();
    const char *origin;
    for (size_t i = 0; i < places.n; i++) {
        *path = path_of(places.paths[i], input, "");
        if (access(*path, R_OK) == 0) return cli_read_file(*path, &origin);
        free(*path);
    }
    *path = NULL;
    cli_fail("no %s in %s or in the current directory", input, places.paths[0]);
    return NULL;
}

enum cli_status cli_study_run(const struct orr_catalogue *catalogue, const char *name, struct orr_study **study)
{
    struct orr_study_facts facts;
    struct orr_error error;
    char *csv = NULL, *path = NULL;
    const char *other;
    *study = NULL;
    for (size_t i = 0; (other = orr_study_name(i, &facts)); i++) {
        if (strcmp(other, name) != 0 || !facts.input) continue;
        csv = read_input(facts.input, &path);
        if (!csv) return CLI_BAD;
    }
    const enum orr_err err = orr_study_run(catalogue, name, csv, path, study, &error);
    free(csv);
    free(path);
    return err ? cli_fail("%s", error.text) : CLI_ANSWERED;
}

/* ---------------------------------------------------------------- out */

enum cli_status cli_study_directory(const char *directory)
{
    struct stat status;
    if (mkdir(directory, 0777) == 0) return CLI_ANSWERED;
    if (errno == EEXIST && stat(directory, &status) == 0 && S_ISDIR(status.st_mode)) return CLI_ANSWERED;
    return cli_fail("--out %s: %s", directory, errno == EEXIST ? "is a file, not a directory" : strerror(errno));
}

static enum cli_status write_one(const char *directory, const char *name, const char *ending, char *text)
{
    char *path = path_of(directory, name, ending);
    const enum cli_status status = cli_write_file(path, text);
    free(path);
    return status;
}

enum cli_status cli_study_write(const struct orr_study *study, const char *name, const char *directory)
{
    enum cli_status status = CLI_ANSWERED;
    const char *table;
    char *csv;
    for (size_t i = 0; !status && (table = orr_study_table(study, i, &csv)); i++)
        status = write_one(directory, table, ".csv", csv);
    if (!status) status = write_one(directory, name, ".json", orr_study_render(study, ORR_FORMAT_JSON, NULL));
    if (!status) status = write_one(directory, name, ".gp", orr_study_render(study, ORR_FORMAT_GNUPLOT, NULL));
    return status;
}

/* ---------------------------------------------------------------- figures */

/* Run gnuplot on a script in the directory, after a setting, and return its exit status; -1 if it did not run. */
static int run_gnuplot(const char *directory, const char *setting, const char *script)
{
    int status;
    const pid_t child = fork();
    if (child == 0) {
        if (chdir(directory) == 0) execlp("gnuplot", "gnuplot", "-e", setting, script, (char *)NULL);
        _exit(NOT_FOUND);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

enum cli_status cli_study_draw(const char *name, const char *directory, bool *drawn)
{
    struct orr_text script = {0};
    cli_text_add(&script, "%s.gp", name);
    int code = run_gnuplot(directory, "svg=1", script.data);
    if (code == 0) code = run_gnuplot(directory, "pdf=1", script.data);
    free(script.data);
    *drawn = code == 0;
    if (code == NOT_FOUND) {
        fprintf(stderr, "orrery: no gnuplot, so no figures (Debian: gnuplot-nox); the scripts are in %s\n", directory);
        return CLI_ANSWERED;
    }
    return code == 0 ? CLI_ANSWERED : cli_fail("gnuplot %s/%s.gp failed", directory, name);
}

/* ---------------------------------------------------------------- orrery technology study */

static enum cli_status check_item(const char *name)
{
    struct orr_study_facts facts;
    const char *names[32], *other;
    size_t n = 0;
    for (size_t i = 0; (other = orr_study_name(i, &facts)) && n < 32; i++) {
        if (!facts.technology) continue;
        if (strcmp(other, name) == 0) return CLI_ANSWERED;
        names[n++] = other;
    }
    const char *near = cli_nearest(name, names, n);
    return cli_fail("technology study %s: expected generations, nodes, bounds or dram%s%s%s", name,
                    near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
}

enum cli_status cli_study_ask(const struct orr_catalogue *catalogue, const char *name, const struct cli_args *args,
                              char **text)
{
    struct orr_study *study = NULL;
    bool drawn;
    const char *directory = cli_args_value(args, "out");
    enum cli_status status = check_item(name);
    if (!status && directory) status = cli_study_directory(directory);
    if (!status) status = cli_study_run(catalogue, name, &study);
    if (!status && directory) {
        status = cli_study_write(study, name, directory);
        if (!status) status = cli_study_draw(name, directory, &drawn);
    }
    if (!status) *text = orr_study_render(study, args->format, &args->style);
    if (!status && !*text) status = cli_fail_memory();
    orr_study_free(study);
    return status;
}
