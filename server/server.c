/* Start and stop of the server: the socket, the threads, and the memory that each keeps. */
#define _GNU_SOURCE /* SOCK_NONBLOCK */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "server/internal.h"

enum {
    STOP_S = 10,   /* Work that does not look whether it is still wanted may take so long to end. */
    OWN_FILES = 16 /* standard streams, the socket, the log and some to spare; each thread has two more */
};

/* ---------------------------------------------------------------- workers */

static void worker_free(void *pointer)
{
    struct srv_worker *worker = pointer;
    orr_reader_free(worker->reader);
    orr_scratch_free(worker->scratch);
    free(worker);
}

struct srv_worker *srv_worker(struct srv *srv)
{
    struct srv_worker *worker = pthread_getspecific(srv->workers);
    if (worker) return worker;
    worker = calloc(1, sizeof *worker);
    if (!worker) return NULL;
    worker->reader = orr_reader_new(srv->catalogue);
    worker->scratch = orr_scratch_new();
    if (!worker->reader || !worker->scratch || pthread_setspecific(srv->workers, worker) != 0) {
        worker_free(worker);
        return NULL;
    }
    return worker;
}

/* ---------------------------------------------------------------- start */

static bool read_address(const struct srv_options *options, struct sockaddr_in *four, struct sockaddr_in6 *six)
{
    memset(four, 0, sizeof *four);
    memset(six, 0, sizeof *six);
    four->sin_family = AF_INET;
    six->sin6_family = AF_INET6;
    four->sin_port = six->sin6_port = htons((uint16_t)options->port);
    if (inet_pton(AF_INET, options->bind, &four->sin_addr) == 1) {
        six->sin6_family = 0;
        return true;
    }
    four->sin_family = 0;
    return inet_pton(AF_INET6, options->bind, &six->sin6_addr) == 1;
}

/* A socket that listens; -1 if that fails, with errno. */
static int listen_at(const struct sockaddr_in *four, const struct sockaddr_in6 *six)
{
    const int on = 1;
    const bool is_six = six->sin6_family == AF_INET6;
    const struct sockaddr *address = is_six ? (const struct sockaddr *)six : (const struct sockaddr *)four;
    const socklen_t n = is_six ? sizeof *six : sizeof *four;
    const int fd = socket(is_six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, address, n) == 0 && listen(fd, SRV_CONNECTIONS_MAX) == 0) return fd;
    const int why = errno;
    (void)close(fd);
    errno = why;
    return -1;
}

static char *describe(void)
{
    for (size_t i = 0; i < srv_n_files; i++)
        if (strcmp(srv_files[i].path, "/openapi.json") == 0)
            return srv_openapi((const char *)srv_files[i].bytes, srv_files[i].size);
    return NULL;
}

static int threads_of(const struct srv_options *options)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return options->n_threads > 0 ? options->n_threads : cores > 0 ? (int)cores : 1;
}

/* Most connections. Each of them is a file that the system must allow, as the server has some of its own; 0 with a line
 * in `message` if it allows fewer than were asked for. */
static int connections_of(const struct srv_options *options, char message[SRV_MESSAGE])
{
    struct rlimit files;
    const int asked = options->n_connections > 0 ? options->n_connections : SRV_CONNECTIONS_MAX;
    const rlim_t own = OWN_FILES + 2 * (rlim_t)threads_of(options);
    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY) return asked;
    const rlim_t room = files.rlim_cur > own ? files.rlim_cur - own : 1;
    if (room >= (rlim_t)asked) return asked;
    if (options->n_connections == 0) return (int)room;
    (void)snprintf(message, SRV_MESSAGE, "--connections %d: the limit of open files (ulimit -n) leaves room for %llu",
                   asked, (unsigned long long)room);
    return 0;
}

static struct srv *srv_new(const struct srv_options *options, char message[SRV_MESSAGE])
{
    struct orr_error error;
    const int n_max = connections_of(options, message);
    if (n_max == 0) return NULL;
    struct srv *srv = calloc(1, sizeof *srv);
    if (!srv || !srv_addresses_init(&srv->addresses, n_max) || pthread_key_create(&srv->workers, worker_free) != 0) {
        (void)snprintf(message, SRV_MESSAGE, "out of memory");
        if (srv) srv_addresses_free(&srv->addresses);
        free(srv);
        return NULL;
    }
    srv->listen_fd = srv->log.fd = -1;
    srv->n_connections_max = n_max;
    srv->n_per_address = options->n_per_address;
    srv->request_s = options->request_s > 0 ? options->request_s : SRV_REQUEST_S;
    srv->metrics.start_s = (double)time(NULL);
    srv->catalogue = options->catalogue;
    (void)pthread_mutex_init(&srv->log.lock, NULL);
    (void)snprintf(srv->bind, sizeof srv->bind, "%s", options->bind);
    if (!srv_name(srv, options->host)) {
        (void)snprintf(
            message, SRV_MESSAGE,
            "--host \"%.100s\": expected a name such as orrery.example, or https://orrery.example, without a "
            "port or a path",
            options->host);
        (void)srv_stop(srv);
        return NULL;
    }
    if (orr_catalogue_render(srv->catalogue, ORR_ALL_PARTS, true, ORR_FORMAT_JSON, NULL, &srv->list, &error)) {
        (void)snprintf(message, SRV_MESSAGE, "%s", error.text);
        (void)srv_stop(srv);
        return NULL;
    }
    srv->openapi = describe();
    if (!srv->openapi) {
        (void)snprintf(message, SRV_MESSAGE, "out of memory");
        (void)srv_stop(srv);
        return NULL;
    }
    orr_catalogue_seal(srv->catalogue);
    return srv;
}

struct srv *srv_start(const struct srv_options *options, char message[SRV_MESSAGE])
{
    struct sockaddr_in four;
    struct sockaddr_in6 six;
    if (!read_address(options, &four, &six)) {
        (void)snprintf(message, SRV_MESSAGE, "\"%.100s\" is not an address, such as 127.0.0.1, ::1 or 0.0.0.0",
                       options->bind);
        return NULL;
    }
    struct srv *srv = srv_new(options, message);
    if (!srv) return NULL;
    srv->wildcard = four.sin_family ? four.sin_addr.s_addr == INADDR_ANY : IN6_IS_ADDR_UNSPECIFIED(&six.sin6_addr);
    if (!srv_log_open(&srv->log, options->log, options->log_json, message)) {
        (void)srv_stop(srv);
        return NULL;
    }
    srv->listen_fd = listen_at(&four, &six);
    if (srv->listen_fd >= 0 && srv_loops_start(srv, threads_of(options))) return srv;
    (void)snprintf(message, SRV_MESSAGE, "cannot listen at %s port %d: %s", options->bind, options->port,
                   strerror(errno));
    (void)srv_stop(srv);
    return NULL;
}

int srv_port(const struct srv *srv)
{
    struct sockaddr_storage address;
    socklen_t n = sizeof address;
    if (getsockname(srv->listen_fd, (struct sockaddr *)&address, &n) != 0) return 0;
    return ntohs(address.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&address)->sin6_port
                                               : ((struct sockaddr_in *)&address)->sin_port);
}

/* ---------------------------------------------------------------- stop */

bool srv_stop(struct srv *srv)
{
    if (!srv) return true;
    const struct timespec moment = {.tv_nsec = 10000000};
    atomic_store(&srv->stopping, true);
    const double until_s = orr_now_s() + STOP_S;
    while (srv_n_threads(srv) > 0 && orr_now_s() < until_s) (void)nanosleep(&moment, NULL);
    if (srv_n_threads(srv) > 0) return false;
    srv_loops_stop(srv);
    if (srv->listen_fd >= 0) (void)close(srv->listen_fd);
    if (srv->log.fd > STDERR_FILENO) (void)close(srv->log.fd);
    (void)pthread_mutex_destroy(&srv->log.lock);
    srv_addresses_free(&srv->addresses);
    /* This is the worker of this thread; those of the others were freed with their threads. */
    struct srv_worker *own = pthread_getspecific(srv->workers);
    if (own) worker_free(own);
    (void)pthread_key_delete(srv->workers);
    free(srv->list);
    free(srv->openapi);
    free(srv);
    return true;
}
