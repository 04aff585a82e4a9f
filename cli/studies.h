/* Studies on disk: they read measurements and write tables, scripts and figures. */
#ifndef CLI_STUDIES_H
#define CLI_STUDIES_H

#include "options.h"

/* Run a study by name with the measurements that come with the program. */
enum cli_status cli_study_run(const struct orr_catalogue *catalogue, const char *name, struct orr_study **study);

/* Make the directory if it does not exist. */
enum cli_status cli_study_directory(const char *directory);
/* Write the CSV files, the JSON and the gnuplot script of a study into a directory. */
enum cli_status cli_study_write(const struct orr_study *study, const char *name, const char *directory);
/* Draw the figure of a study from its files. Without gnuplot, *drawn is false and standard error says why. */
enum cli_status cli_study_draw(const char *name, const char *directory, bool *drawn);

/* orrery technology study: print the report, or write files with --out; the text is then the list of files. */
enum cli_status cli_study_ask(const struct orr_catalogue *catalogue, const char *name, const struct cli_args *args,
                              char **text);

#endif
