/* Several processes. A thread of the first process hands out numbers and receives results, so that no process waits
 * while the first one works on its own share. The thread sleeps between messages. An MPI error ends the job. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cluster.h"

enum { TAG_ASK = 1, TAG_NUMBER, TAG_PIECE };
#define SLEEP_NS 100000
#define CHUNK    ((uint64_t)1 << 30) /* bytes of one broadcast */

/* A piece that has arrived: its number and its bytes. */
struct piece {
    struct piece *next;
    int64_t number;
    size_t n_bytes;
    char *bytes;
};

struct cli_cluster {
    int rank, size;
    bool open; /* between begin and end */
    pthread_t server;
    pthread_mutex_t lock; /* guards the members below */
    int64_t next, end;
    int n_finished; /* other processes that were told that no number is left */
    struct piece *arrived;
};

enum cli_status cli_cluster_enter(char **argv)
{
    (void)argv;
    return CLI_ANSWERED;
}

/* MPI's own threads must not take the signals that end a run, because the commands delay these. */
static void initialise(int *level)
{
    sigset_t held, before;
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    sigaddset(&held, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &held, &before);
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, level);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

struct cli_cluster *cli_cluster_open(void)
{
    struct cli_cluster *cluster = calloc(1, sizeof *cluster);
    int level = 0;
    if (!cluster) {
        cli_fail_memory();
        return NULL;
    }
    initialise(&level);
    MPI_Comm_rank(MPI_COMM_WORLD, &cluster->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &cluster->size);
    pthread_mutex_init(&cluster->lock, NULL);
    if (cluster->rank > 0 && (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)))
        MPI_Abort(MPI_COMM_WORLD, CLI_BAD);
    if (level < MPI_THREAD_MULTIPLE) {
        cli_fail("this MPI does not let several threads call it (MPI_THREAD_MULTIPLE)");
        cli_cluster_close(cluster);
        return NULL;
    }
    return cluster;
}

void cli_cluster_close(struct cli_cluster *cluster)
{
    if (!cluster) return;
    MPI_Finalize();
    pthread_mutex_destroy(&cluster->lock);
    free(cluster);
}

bool cli_cluster_first(const struct cli_cluster *cluster)
{
    return cluster->rank == 0;
}

int cli_cluster_size(const struct cli_cluster *cluster)
{
    return cluster->size;
}

/* ---------------------------------------------------------------- the first process's thread */

static int64_t take_number(struct cli_cluster *c)
{
    pthread_mutex_lock(&c->lock);
    const int64_t number = c->next < c->end ? c->next++ : -1;
    pthread_mutex_unlock(&c->lock);
    return number;
}

static void answer_ask(struct cli_cluster *c, int source)
{
    MPI_Recv(NULL, 0, MPI_BYTE, source, TAG_ASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const int64_t number = take_number(c);
    MPI_Send(&number, 1, MPI_INT64_T, source, TAG_NUMBER, MPI_COMM_WORLD);
    if (number < 0) c->n_finished++;
}

static void receive_piece(struct cli_cluster *c, const MPI_Status *status)
{
    struct piece *piece = calloc(1, sizeof *piece);
    int n;
    MPI_Get_count(status, MPI_BYTE, &n);
    if (piece) piece->bytes = malloc((size_t)n);
    if (!piece || !piece->bytes || (size_t)n < sizeof piece->number) {
        cli_fail_memory();
        if (piece) free(piece->bytes);
        free(piece);
        MPI_Abort(MPI_COMM_WORLD, CLI_BAD);
        return;
    }
    MPI_Recv(piece->bytes, n, MPI_BYTE, status->MPI_SOURCE, TAG_PIECE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    piece->n_bytes = (size_t)n - sizeof piece->number;
    memcpy(&piece->number, piece->bytes + piece->n_bytes, sizeof piece->number);
    pthread_mutex_lock(&c->lock);
    piece->next = c->arrived;
    c->arrived = piece;
    pthread_mutex_unlock(&c->lock);
}

static void *serve(void *context)
{
    struct cli_cluster *c = context;
    const struct timespec nap = {0, SLEEP_NS};
    while (c->n_finished < c->size - 1) { /* A process sends its pieces before it asks again. */
        MPI_Status status;
        int there = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
        if (!there) nanosleep(&nap, NULL);
        else if (status.MPI_TAG == TAG_ASK) answer_ask(c, status.MPI_SOURCE);
        else receive_piece(c, &status);
    }
    return NULL;
}

/* ---------------------------------------------------------------- numbers and pieces */

void cli_cluster_begin(struct cli_cluster *cluster, int64_t first, int64_t end)
{
    cluster->next = first;
    cluster->end = end;
    cluster->n_finished = 0;
    cluster->open = true;
    if (cluster->rank == 0 && pthread_create(&cluster->server, NULL, serve, cluster)) {
        cli_fail("no thread for the other processes");
        MPI_Abort(MPI_COMM_WORLD, CLI_BAD);
    }
}

int64_t cli_cluster_next(void *cluster)
{
    struct cli_cluster *c = cluster;
    int64_t number;
    if (c->rank == 0) return take_number(c);
    if (!c->open) return -1;
    MPI_Send(NULL, 0, MPI_BYTE, 0, TAG_ASK, MPI_COMM_WORLD);
    MPI_Recv(&number, 1, MPI_INT64_T, 0, TAG_NUMBER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (number < 0) c->open = false; /* Each process is told once, so its other threads must not ask again. */
    return number;
}

void cli_cluster_end(struct cli_cluster *cluster)
{
    /* The process stopped early, so it takes the remaining numbers and drops them. */
    while (cluster->rank > 0 && cluster->open) cli_cluster_next(cluster);
    if (cluster->rank == 0) pthread_join(cluster->server, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
}

void cli_cluster_send(struct cli_cluster *cluster, int64_t number, const void *bytes, size_t n_bytes)
{
    char *message = malloc(n_bytes + sizeof number);
    (void)cluster;
    if (!message) {
        MPI_Abort(MPI_COMM_WORLD, CLI_BAD);
        return;
    }
    memcpy(message, bytes, n_bytes);
    memcpy(message + n_bytes, &number, sizeof number);
    MPI_Send(message, (int)(n_bytes + sizeof number), MPI_BYTE, 0, TAG_PIECE, MPI_COMM_WORLD);
    free(message);
}

bool cli_cluster_take(struct cli_cluster *cluster, int64_t *number, void **bytes, size_t *n_bytes)
{
    pthread_mutex_lock(&cluster->lock);
    struct piece *piece = cluster->arrived;
    if (piece) cluster->arrived = piece->next;
    pthread_mutex_unlock(&cluster->lock);
    if (!piece) return false;
    *number = piece->number;
    *bytes = piece->bytes;
    *n_bytes = piece->n_bytes;
    free(piece);
    return true;
}

/* ---------------------------------------------------------------- everyone at once */

enum cli_status cli_cluster_exchange(struct cli_cluster *cluster, const void *bytes, size_t n_bytes,
                                     enum cli_status (*take)(void *context, const void *bytes, size_t n_bytes),
                                     void *context)
{
    enum cli_status status = CLI_ANSWERED;
    /* One after another, messages may have any size and need little memory. */
    for (int rank = 0; rank < cluster->size; rank++) {
        uint64_t n = n_bytes;
        MPI_Bcast(&n, 1, MPI_UINT64_T, rank, MPI_COMM_WORLD);
        char *buffer = malloc(n ? n : 1);
        if (!buffer) {
            MPI_Abort(MPI_COMM_WORLD, CLI_BAD);
            return cli_fail_memory();
        }
        if (rank == cluster->rank) memcpy(buffer, bytes, n);
        for (uint64_t sent = 0; sent < n; sent += CHUNK) /* MPI counts in int */
            MPI_Bcast(buffer + sent, (int)(n - sent < CHUNK ? n - sent : CHUNK), MPI_BYTE, rank, MPI_COMM_WORLD);
        if (!status) status = take(context, buffer, n);
        free(buffer);
    }
    return status;
}

enum cli_status cli_cluster_agree(struct cli_cluster *cluster, enum cli_status status)
{
    struct {
        int status, rank;
    } mine = {(int)status, cluster->rank}, worst;
    MPI_Allreduce(&mine, &worst, 1, MPI_2INT, MPI_MAXLOC, MPI_COMM_WORLD);
    if (worst.status && !status)
        cli_fail("rank %d could not do its part: files of the request must be there on every machine, and only rank 0 "
                 "has the standard input",
                 worst.rank);
    return (enum cli_status)worst.status;
}

int64_t cli_cluster_tell(struct cli_cluster *cluster, int64_t value)
{
    (void)cluster;
    MPI_Bcast(&value, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    return value;
}
