/* A single process. If mpirun started it, the program built with MPI replaces it. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cluster.h"

#define MPI_PROGRAM "orrery-mpi"

struct cli_cluster {
    int64_t next, end;
};

enum cli_status cli_cluster_enter(char **argv)
{
    char path[4096];
    if (!cli_under_mpi()) return CLI_ANSWERED;
    const ssize_t n = readlink("/proc/self/exe", path, sizeof path - sizeof MPI_PROGRAM);
    if (n > 0) {
        path[n] = '\0';
        char *slash = strrchr(path, '/');
        if (slash) memcpy(slash + 1, MPI_PROGRAM, sizeof MPI_PROGRAM);
        if (slash) execv(path, argv);
    }
    return cli_fail(
        "started by mpirun, but built without MPI: install libopenmpi-dev and openmpi-bin, and build again");
}

struct cli_cluster *cli_cluster_open(void)
{
    struct cli_cluster *cluster = calloc(1, sizeof *cluster);
    if (!cluster) cli_fail_memory();
    return cluster;
}

void cli_cluster_close(struct cli_cluster *cluster)
{
    free(cluster);
}

bool cli_cluster_first(const struct cli_cluster *cluster)
{
    (void)cluster;
    return true;
}

int cli_cluster_size(const struct cli_cluster *cluster)
{
    (void)cluster;
    return 1;
}

void cli_cluster_begin(struct cli_cluster *cluster, int64_t first, int64_t end)
{
    *cluster = (struct cli_cluster){first, end};
}

int64_t cli_cluster_next(void *cluster)
{
    struct cli_cluster *c = cluster;
    return c->next < c->end ? c->next++ : -1;
}

void cli_cluster_end(struct cli_cluster *cluster)
{
    (void)cluster;
}

enum cli_status cli_cluster_exchange(struct cli_cluster *cluster, const void *bytes, size_t n_bytes,
                                     enum cli_status (*take)(void *context, const void *bytes, size_t n_bytes),
                                     void *context)
{
    (void)cluster;
    return take(context, bytes, n_bytes);
}

enum cli_status cli_cluster_agree(struct cli_cluster *cluster, enum cli_status status)
{
    (void)cluster;
    return status;
}

int64_t cli_cluster_tell(struct cli_cluster *cluster, int64_t value)
{
    (void)cluster;
    return value;
}

/* The only process keeps its pieces, so nothing is sent and nothing arrives. */
void cli_cluster_send(struct cli_cluster *cluster, int64_t number, const void *bytes, size_t n_bytes)
{
    (void)cluster;
    (void)number;
    (void)bytes;
    (void)n_bytes;
}

bool cli_cluster_take(struct cli_cluster *cluster, int64_t *number, void **bytes, size_t *n_bytes)
{
    (void)cluster;
    (void)number;
    (void)bytes;
    (void)n_bytes;
    return false;
}
