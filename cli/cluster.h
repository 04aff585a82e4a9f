/* The same command as several processes under mpirun: pieces of work handed out as they are asked for, results brought
 * to the first process. One process, or a program built without MPI, goes through the same calls. */
#ifndef CLI_CLUSTER_H
#define CLI_CLUSTER_H

#include "cli.h"

/* Before anything else: a program without MPI that was started by mpirun becomes its sibling with MPI (orrery-mpi).
 * CLI_BAD after printing what is missing. */
enum cli_status cli_cluster_enter(char **argv);

struct cli_cluster;
/* Join the other processes. Those but the first are silent from here on. NULL after printing what is wrong. */
struct cli_cluster *cli_cluster_open(void);
void cli_cluster_close(struct cli_cluster *cluster);
bool cli_cluster_first(const struct cli_cluster *cluster);
int cli_cluster_size(const struct cli_cluster *cluster);

/* Between begin and end, called by all: the numbers from `first` to before `end`, each to one who asks. */
void cli_cluster_begin(struct cli_cluster *cluster, int64_t first, int64_t end);
int64_t cli_cluster_next(void *cluster); /* -1: none left; one thread at a time */
void cli_cluster_end(struct cli_cluster *cluster);

/* Everyone's bytes to everyone, in the order of the processes. `take` may refuse. */
enum cli_status cli_cluster_exchange(struct cli_cluster *cluster, const void *bytes, size_t n_bytes,
                                     enum cli_status (*take)(void *context, const void *bytes, size_t n_bytes),
                                     void *context);
/* The worst status of all, said once where it is not this process's own: nobody waits for one who gave up. */
enum cli_status cli_cluster_agree(struct cli_cluster *cluster, enum cli_status status);
/* The first process's value, to everyone. */
int64_t cli_cluster_tell(struct cli_cluster *cluster, int64_t value);

/* Between begin and end: hand a finished piece to the first process, which takes them in any order; false: none has
 * arrived. Taken bytes are malloc'd. */
void cli_cluster_send(struct cli_cluster *cluster, int64_t number, const void *bytes, size_t n_bytes);
bool cli_cluster_take(struct cli_cluster *cluster, int64_t *number, void **bytes, size_t *n_bytes);

#endif
