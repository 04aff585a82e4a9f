/* What the commands share: exit statuses, one-line errors, checked output, and reading files. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <glob.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/plain.h"
#include "base/text.h"
#include "base/units.h"
#include "orrery.h"

enum cli_status { CLI_ANSWERED = 0, CLI_BELOW = 1, CLI_BAD = 2 };

/* The commands. `argv` starts after the name of the command. */
enum cli_status cli_train(int argc, const char *const *argv);
enum cli_status cli_infer(int argc, const char *const *argv);
enum cli_status cli_size(int argc, const char *const *argv);
enum cli_status cli_serving(int argc, const char *const *argv);
enum cli_status cli_serving_steady(int argc, const char *const *argv); /* always in closed form */
enum cli_status cli_compare(int argc, const char *const *argv);
enum cli_status cli_search(int argc, const char *const *argv);
enum cli_status cli_validate(int argc, const char *const *argv);
enum cli_status cli_sweep(int argc, const char *const *argv);
enum cli_status cli_fit(int argc, const char *const *argv);
enum cli_status cli_calibrate(int argc, const char *const *argv);
enum cli_status cli_technology(int argc, const char *const *argv);
enum cli_status cli_sensitivity(int argc, const char *const *argv);
enum cli_status cli_serve(int argc, const char *const *argv);
enum cli_status cli_mcp(int argc, const char *const *argv);
enum cli_status cli_reproduce(int argc, const char *const *argv);
enum cli_status cli_list(int argc, const char *const *argv);
enum cli_status cli_show(int argc, const char *const *argv);
enum cli_status cli_example(void);

/* Print "orrery: MESSAGE" as one line on standard error; returns CLI_BAD. */
enum cli_status cli_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Replace the characters of a text that would control a terminal: escape codes, and marks that turn its direction. With
 * `lines`, the text keeps its newlines and tabs. */
void cli_plain(char *text, bool lines);
enum cli_status cli_fail_memory(void);

/* Draw a bar on standard error, which is rewritten in place and removed when all is done. It is meant for terminals. */
void cli_progress(void *context, const char *what, double done_frac);

/* As orr_text_add and orr_text_append, but a failed allocation ends the program with a message. free() text->data. */
void cli_text_add(struct orr_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_text_append(struct orr_text *text, const char *bytes, size_t n);

/* Is this one of the processes of an MPI job? mpirun and srun with PMIx set a variable. */
bool cli_under_mpi(void);
/* Is the descriptor a terminal that someone reads? Under mpirun a terminal says nothing, because mpirun gives its
 * processes one. */
bool cli_terminal(int descriptor);

/* Write the whole text to standard output, or print an error. */
enum cli_status cli_write(const char *text);
/* Write the whole text to a file ("-": standard output), or print an error, and free it. NULL means out of memory. */
enum cli_status cli_write_file(const char *path, char *text);

/* Makes a folder unless it is there, and writes files into it, as a sink of orr_search_launch. */
struct cli_folder {
    const char *path;
    size_t n_files;
    enum cli_status status;
};
enum cli_status cli_folder_make(struct cli_folder *folder);
void cli_folder_put(void *context, const char *name, const char *text);

/* Read a whole text file ("-": standard input), malloc'd. Returns NULL after printing what is wrong. `origin` receives
 * the name for later messages. */
char *cli_read_file(const char *path, const char **origin);

/* The places of files that come with the program: $ORRERY_DATADIR, or the installed folder and what lies beside the
 * program (an installation that was moved, a build folder in the sources); then the current directory. */
enum { CLI_PLACES = 4 };
struct cli_places {
    char paths[CLI_PLACES][4096];
    size_t n;
};
struct cli_places cli_data_places(void);
/* Find the measurements that come with the program; free them with globfree. */
enum cli_status cli_find_measurements(glob_t *files);

/* The candidate closest to `word`, for "did you mean"; NULL if none is close. */
const char *cli_nearest(const char *word, const char *const *candidates, size_t n_candidates);

#endif
