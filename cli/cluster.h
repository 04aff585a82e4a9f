/* One command as several processes under mpirun: pieces of work are handed out on demand, and results go to the first
 * process. A single process, or a program built without MPI, makes the same calls. */
#ifndef CLI_CLUSTER_H
#define CLI_CLUSTER_H

#include "cli.h"

/* This comes first: a program without MPI that mpirun started becomes the program with MPI beside it (orrery-mpi).
 * Returns CLI_BAD after printing what is missing. */
enum cli_status cli_cluster_enter(char **argv);

struct cli_cluster;
/* Join the other processes. All but the first print nothing from here on. Returns NULL after printing what is wrong. */
struct cli_cluster *cli_cluster_open(void);
void cli_cluster_close(struct cli_cluster *cluster);
bool cli_cluster_first(const struct cli_cluster *cluster);
int cli_cluster_size(const struct cli_cluster *cluster);

/* All processes call begin and end. Between them, each number from `first` up to `end` goes to one process that
 * asks. */
void cli_cluster_begin(struct cli_cluster *cluster, int64_t first, int64_t end);
int64_t cli_cluster_next(void *cluster); /* -1: none is left; only one thread may ask at a time */
void cli_cluster_end(struct cli_cluster *cluster);

/* Send the bytes of every process to every process, in the order of the processes. `take` may refuse. */
enum cli_status cli_cluster_exchange(struct cli_cluster *cluster, const void *bytes, size_t n_bytes,
                                     enum cli_status (*take)(void *context, const void *bytes, size_t n_bytes),
                                     void *context);
/* The worst status of all processes, so that none waits for one that gave up. It is printed once unless it is this
 * process's own. */
enum cli_status cli_cluster_agree(struct cli_cluster *cluster, enum cli_status status);
/* Send the value of the first process to every process. */
int64_t cli_cluster_tell(struct cli_cluster *cluster, int64_t value);

/* Between begin and end: send a finished piece to the first process, which takes pieces in any order. `take` returns
 * false if none has arrived; the bytes it returns are malloc'd. */
void cli_cluster_send(struct cli_cluster *cluster, int64_t number, const void *bytes, size_t n_bytes);
bool cli_cluster_take(struct cli_cluster *cluster, int64_t *number, void **bytes, size_t *n_bytes);

#endif
