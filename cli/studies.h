/* Studies on disk: their measurements in, their tables, scripts and figures out. */
#ifndef CLI_STUDIES_H
#define CLI_STUDIES_H

#include "options.h"

/* Run a study by name with the measurements that come with the program. */
enum cli_status cli_study_run(const struct orr_catalogue *catalogue, const char *name, struct orr_study **study);

/* Make the directory unless it is there. */
enum cli_status cli_study_directory(const char *directory);
/* Write CSV files, JSON and the gnuplot script of a study into a directory. */
enum cli_status cli_study_write(const struct orr_study *study, const char *name, const char *directory);
/* Draw its figure from them. *drawn is false, and standard error says why, where there is no gnuplot. */
enum cli_status cli_study_draw(const char *name, const char *directory, bool *drawn);

/* orrery technology study: the report, or files with --out, whose list is then the text. */
enum cli_status cli_study_ask(const struct orr_catalogue *catalogue, const char *name, const struct cli_args *args,
                              char **text);

#endif
