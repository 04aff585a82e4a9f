/* Start and stop of the server: the daemon, its threads, and the memory that each keeps. */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "server/internal.h"

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

/* Discard the messages of MHD, which are about clients that left. */
static void keep_quiet(void *cls, const char *format, va_list arguments)
{
    (void)cls;
    (void)format;
    (void)arguments;
}

static struct MHD_Daemon *start_daemon(struct srv *srv, const struct srv_options *options,
                                       const struct sockaddr_in *four, const struct sockaddr_in6 *six)
{
    const bool is_six = six->sin6_family == AF_INET6;
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const unsigned n_threads = options->n_threads > 0 ? (unsigned)options->n_threads : cores > 0 ? (unsigned)cores : 1;
    const struct MHD_OptionItem pool[] = {
        {n_threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END, (intptr_t)n_threads, NULL},
        {MHD_OPTION_END, 0, NULL}};
    const unsigned flags =
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG | (is_six ? MHD_USE_IPv6 : 0u);
    return MHD_start_daemon(
        flags, (uint16_t)options->port, NULL, NULL, srv_access, srv, MHD_OPTION_EXTERNAL_LOGGER, keep_quiet, NULL,
        MHD_OPTION_SOCK_ADDR, is_six ? (const struct sockaddr *)six : (const struct sockaddr *)four,
        MHD_OPTION_NOTIFY_COMPLETED, srv_completed, NULL, MHD_OPTION_CONNECTION_LIMIT, (unsigned)SRV_CONNECTIONS_MAX,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SRV_IDLE_S, MHD_OPTION_LISTEN_BACKLOG_SIZE,
        (unsigned)SRV_CONNECTIONS_MAX, MHD_OPTION_ARRAY, pool, MHD_OPTION_END);
}

static char *describe(void)
{
    for (size_t i = 0; i < srv_n_files; i++)
        if (strcmp(srv_files[i].path, "/openapi.json") == 0)
            return srv_openapi((const char *)srv_files[i].bytes, srv_files[i].size);
    return NULL;
}

static struct srv *srv_new(const struct srv_options *options, char message[SRV_MESSAGE])
{
    struct orr_error error;
    struct srv *srv = calloc(1, sizeof *srv);
    if (!srv || pthread_key_create(&srv->workers, worker_free) != 0) {
        (void)snprintf(message, SRV_MESSAGE, "out of memory");
        free(srv);
        return NULL;
    }
    srv->catalogue = options->catalogue;
    (void)snprintf(srv->bind, sizeof srv->bind, "%s", options->bind);
    (void)snprintf(srv->host, sizeof srv->host, "%s", options->host ? options->host : "");
    srv->wildcard = strcmp(srv->bind, "0.0.0.0") == 0 || strcmp(srv->bind, "::") == 0;
    if (orr_catalogue_render(srv->catalogue, ORR_N_PARTS, true, ORR_FORMAT_JSON, NULL, &srv->list, &error)) {
        (void)snprintf(message, SRV_MESSAGE, "%s", error.text);
        srv_stop(srv);
        return NULL;
    }
    srv->openapi = describe();
    if (!srv->openapi) {
        (void)snprintf(message, SRV_MESSAGE, "out of memory");
        srv_stop(srv);
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
    errno = 0;
    srv->daemon = start_daemon(srv, options, &four, &six);
    if (srv->daemon) return srv;
    (void)snprintf(message, SRV_MESSAGE, "cannot listen at %s port %d: %s", options->bind, options->port,
                   errno ? strerror(errno) : "libmicrohttpd does not start");
    srv_stop(srv);
    return NULL;
}

int srv_port(const struct srv *srv)
{
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(srv->daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info ? info->port : 0;
}

/* ---------------------------------------------------------------- stop */

void srv_stop(struct srv *srv)
{
    if (!srv) return;
    const struct timespec moment = {.tv_nsec = 10000000};
    atomic_store(&srv->stopping, true);
    /* Their threads hold suspended connections. */
    while (atomic_load(&srv->n_studies) > 0) (void)nanosleep(&moment, NULL);
    if (srv->daemon) MHD_stop_daemon(srv->daemon);
    /* This is the worker of this thread; those of the others were freed with their threads. */
    struct srv_worker *own = pthread_getspecific(srv->workers);
    if (own) worker_free(own);
    (void)pthread_key_delete(srv->workers);
    free(srv->list);
    free(srv->openapi);
    free(srv);
}
