/* What the commands share: exit statuses, one-line errors, checked output, reading files. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "orrery.h"

enum cli_status { CLI_ANSWERED = 0, CLI_BELOW = 1, CLI_BAD = 2 };

/* One command: `argv` starts after the command's name. */
enum cli_status cli_train(int argc, const char *const *argv);
enum cli_status cli_infer(int argc, const char *const *argv);
enum cli_status cli_search(int argc, const char *const *argv);
enum cli_status cli_validate(int argc, const char *const *argv);
enum cli_status cli_sweep(int argc, const char *const *argv);
enum cli_status cli_calibrate(int argc, const char *const *argv);
enum cli_status cli_technology(int argc, const char *const *argv);
enum cli_status cli_sensitivity(int argc, const char *const *argv);
enum cli_status cli_serve(int argc, const char *const *argv);
enum cli_status cli_reproduce(int argc, const char *const *argv);
enum cli_status cli_list(int argc, const char *const *argv);
enum cli_status cli_show(int argc, const char *const *argv);
enum cli_status cli_example(void);

/* Print "orrery: MESSAGE" as one line on standard error; returns CLI_BAD. */
enum cli_status cli_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
enum cli_status cli_fail_memory(void);

/* A bar on standard error, rewritten in place, gone when all is done; for terminals. */
void cli_progress(void *context, const char *what, double done_frac);

/* orr_text_add and orr_text_append, but that out of memory ends the program with a message; free() text->data. */
void cli_text_add(struct orr_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_text_append(struct orr_text *text, const char *bytes, size_t n);

/* Is this one of the processes of an MPI job? mpirun sets the variable, and srun with PMIx. */
bool cli_under_mpi(void);
/* A terminal that someone looks at: mpirun gives its processes one of their own, which says nothing. */
bool cli_terminal(int descriptor);

/* Write to standard output, all of it or an error. */
enum cli_status cli_write(const char *text);
/* Write to a file ("-": standard output), all of it or an error; `text` NULL: out of memory. Frees the text. */
enum cli_status cli_write_file(const char *path, char *text);
/* Write one page: a report and its JSON, both freed; NULL: out of memory. */
enum cli_status cli_write_page(const char *path, const char *title, char *terminal, char *json);

/* The whole of a text file ("-": standard input), malloc'd; NULL after printing what is wrong. `origin` receives the
 * name for later messages. */
char *cli_read_file(const char *path, const char **origin);

/* Where files that come with the program may lie: $ORRERY_DATADIR or where it is installed; the current directory. */
void cli_data_places(const char *places[2]);

/* The candidate closest to `word`, for "did you mean"; NULL if none is close. */
const char *cli_nearest(const char *word, const char *const *candidates, size_t n_candidates);

#endif
