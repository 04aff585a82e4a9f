/* The threads that answer: each waits for its connections, accepts new ones, and ends those that take too long. */
#define _GNU_SOURCE /* accept4 */
#include <errno.h>
#include <limits.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "server/loop.h"

enum { EVENTS_MAX = 256, ACCEPTS_MAX = 64, TICK_MS = 250, STOP_S = 2 };
#define EVICT_S 1.0 /* A request that takes longer may make room for another connection. */

const char *srv_loop_date(struct srv_loop *loop)
{
    static const char *const DAYS[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static const char *const MONTHS[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    struct tm utc;
    const time_t now = time(NULL);
    if (now == loop->date_s || !gmtime_r(&now, &utc)) return loop->date;
    loop->date_s = now;
    (void)snprintf(loop->date, sizeof loop->date, "%s, %02d %s %d %02d:%02d:%02d GMT", DAYS[utc.tm_wday], utc.tm_mday,
                   MONTHS[utc.tm_mon], utc.tm_year + 1900, utc.tm_hour, utc.tm_min, utc.tm_sec);
    return loop->date;
}

/* ---------------------------------------------------------------- connections of a loop */

void srv_loop_watch(struct srv_connection *connection, unsigned interest)
{
    if (interest == connection->interest) return;
    struct epoll_event event = {.events = interest, .data.ptr = connection};
    connection->interest = interest;
    (void)epoll_ctl(connection->loop->epoll_fd, EPOLL_CTL_MOD, connection->fd, &event);
}

void srv_loop_forget(struct srv_connection *connection)
{
    struct srv_loop *loop = connection->loop;
    pthread_mutex_lock(&loop->lock);
    struct srv_connection **at = &loop->woken;
    while (connection->woken && *at && *at != connection) at = &(*at)->next_woken;
    if (connection->woken && *at) *at = connection->next_woken;
    pthread_mutex_unlock(&loop->lock);
    if (connection->previous) connection->previous->next = connection->next;
    else if (loop->connections == connection) loop->connections = connection->next;
    if (connection->next) connection->next->previous = connection->previous;
    atomic_fetch_sub(&loop->n_connections, 1);
}

static void ring(struct srv_loop *loop)
{
    const uint64_t one = 1;
    if (write(loop->event_fd, &one, sizeof one) < 0) return; /* The counter is full: the loop wakes up anyway. */
}

void srv_wake(struct srv_connection *connection)
{
    struct srv_loop *loop = connection->loop;
    pthread_mutex_lock(&loop->lock);
    if (!connection->woken) {
        connection->woken = true;
        connection->next_woken = loop->woken;
        loop->woken = connection;
    }
    pthread_mutex_unlock(&loop->lock);
    ring(loop);
}

static struct srv_connection *next_woken(struct srv_loop *loop)
{
    pthread_mutex_lock(&loop->lock);
    struct srv_connection *connection = loop->woken;
    if (connection) {
        loop->woken = connection->next_woken;
        connection->woken = false;
    }
    pthread_mutex_unlock(&loop->lock);
    return connection;
}

/* Take the connections that other loops accepted for this one. */
static void take_arrived(struct srv_loop *loop)
{
    pthread_mutex_lock(&loop->lock);
    struct srv_connection *connection = loop->arrived;
    loop->arrived = NULL;
    pthread_mutex_unlock(&loop->lock);
    for (struct srv_connection *next; connection; connection = next) {
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
        next = connection->next_woken;
        connection->interest = EPOLLIN;
        connection->next = loop->connections;
        if (connection->next) connection->next->previous = connection;
        loop->connections = connection;
        if (epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, connection->fd, &event) != 0)
            srv_connection_close(connection, SRV_LEFT);
    }
}

/* ---------------------------------------------------------------- new connections */

/* Seconds that a connection has waited for its client to send; reading an answer counts later. */
static double waited_s(const struct srv_connection *connection, double now_s)
{
    switch (connection->phase) {
    case SRV_PHASE_HEAD:
    case SRV_PHASE_BODY:
    case SRV_PHASE_LINGER: return now_s - connection->request.begun_s;
    case SRV_PHASE_ANSWER: return now_s - connection->request.begun_s - connection->loop->srv->request_s;
    case SRV_PHASE_WAIT: return 0;
    }
    return 0;
}

/* Close the connection that has waited longest for its client. Returns false if none has waited for long. */
static bool evict(struct srv_loop *loop)
{
    const double now_s = orr_now_s();
    double longest_s = EVICT_S;
    struct srv_connection *slowest = NULL;
    for (struct srv_connection *at = loop->connections; at; at = at->next) {
        const double s = waited_s(at, now_s);
        if (s < longest_s) continue;
        longest_s = s;
        slowest = at;
    }
    if (slowest) srv_connection_close(slowest, SRV_EVICTED);
    return slowest;
}

/* Say that there is no room, as far as the socket takes it at once. */
static void turn_away(int fd, const char *why)
{
    char body[256], answer[1536];
    const int n_body =
        snprintf(body, sizeof body, "{\"error\":{\"text\":\"%s\",\"key\":\"\",\"line\":0,\"column\":0}}\n", why);
    const int n = snprintf(answer, sizeof answer,
                           "HTTP/1.1 503 Service Unavailable\r\nContent-Type: " SRV_JSON "\r\nCache-Control: no-store"
                           "\r\n%sRetry-After: 5\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
                           SRV_ALWAYS, n_body, body);
    (void)send(fd, answer, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT);
    (void)shutdown(fd, SHUT_WR);
    char request[4096]; /* Closing a socket with unread bytes would take the answer back. */
    (void)recv(fd, request, sizeof request, MSG_DONTWAIT);
    (void)close(fd);
}

static struct srv_loop *emptiest(struct srv *srv)
{
    struct srv_loop *best = srv->loops;
    for (int i = 1; i < srv->n_loops; i++)
        if (atomic_load(&srv->loops[i].n_connections) < atomic_load(&best->n_connections)) best = &srv->loops[i];
    return best;
}

static void hand_over(struct srv *srv, int fd, const struct srv_address *address, const char *shown)
{
    const int on = 1, buffer_bytes = SRV_BUFFER_BYTES;
    struct srv_loop *loop = emptiest(srv);
    struct srv_connection *connection = srv_connection_open(loop, fd, address, shown);
    if (!connection) {
        srv_addresses_leave(&srv->addresses, address);
        atomic_fetch_sub(&srv->n_connections, 1);
        (void)close(fd);
        return;
    }
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    /* Otherwise the system keeps up to 4 MB of an answer that nobody reads. */
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &buffer_bytes, sizeof buffer_bytes);
    atomic_fetch_add(&loop->n_connections, 1);
    pthread_mutex_lock(&loop->lock);
    connection->next_woken = loop->arrived;
    loop->arrived = connection;
    pthread_mutex_unlock(&loop->lock);
    ring(loop);
}

static void welcome(struct srv_loop *loop, int fd, const struct sockaddr *from)
{
    struct srv *srv = loop->srv;
    char shown[INET6_ADDRSTRLEN];
    const struct srv_address address = srv_address_of(from, shown);
    const int n_address = srv->n_per_address > 0 ? srv->n_per_address : address.local ? INT_MAX : SRV_ADDRESS_MAX;
    atomic_fetch_add(&srv->metrics.n_accepted, 1);
    if (!srv_addresses_take(&srv->addresses, &address, n_address)) {
        atomic_fetch_add(&srv->metrics.n_refused_address, 1);
        turn_away(fd, "too many connections from this address; try again");
    } else if (atomic_fetch_add(&srv->n_connections, 1) >= srv->n_connections_max && !evict(loop)) {
        srv_addresses_leave(&srv->addresses, &address);
        atomic_fetch_sub(&srv->n_connections, 1);
        atomic_fetch_add(&srv->metrics.n_refused_all, 1);
        turn_away(fd, "too many connections; try again");
    } else {
        hand_over(srv, fd, &address, shown);
    }
}

static void accept_all(struct srv_loop *loop)
{
    for (int i = 0; i < ACCEPTS_MAX; i++) {
        struct sockaddr_storage from;
        socklen_t n = sizeof from;
        const int fd = accept4(loop->srv->listen_fd, (struct sockaddr *)&from, &n, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            welcome(loop, fd, (const struct sockaddr *)&from);
            continue;
        }
        const bool full = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
        if (full && !evict(loop)) (void)nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        if (errno != EINTR && errno != ECONNABORTED) return;
    }
}

/* ---------------------------------------------------------------- the loop */

static void tick(struct srv_loop *loop, double now_s)
{
    for (struct srv_connection *at = loop->connections, *next; at; at = next) {
        next = at->next;
        srv_connection_tick(at, now_s);
    }
}

/* Close what has nothing to finish, or everything after a while. Returns true if none is left. */
static bool finish(struct srv_loop *loop, double stopping_s)
{
    const bool late = orr_now_s() - stopping_s > STOP_S;
    for (struct srv_connection *at = loop->connections, *next; at; at = next) {
        next = at->next;
        const bool idle = !at->begun && (at->phase == SRV_PHASE_HEAD || at->phase == SRV_PHASE_LINGER);
        if (idle || late) srv_connection_close(at, SRV_LEFT);
    }
    return !loop->connections;
}

/* Handle what has happened; returns true if somebody knocks. Connections that are closed here were not reported twice;
 * new ones, which may evict others, come after all of them. */
static bool handle(struct srv_loop *loop, const struct epoll_event *events, int n)
{
    bool knocked = false;
    for (int i = 0; i < n; i++) {
        uint64_t rings;
        if (events[i].data.ptr == loop->srv) knocked = true;
        else if (events[i].data.ptr != loop) srv_connection_go_on(events[i].data.ptr, events[i].events);
        else if (read(loop->event_fd, &rings, sizeof rings) < 0) continue;
    }
    for (struct srv_connection *woken; (woken = next_woken(loop));) srv_connection_go_on(woken, 0);
    return knocked;
}

static void *loop_main(void *context)
{
    ORR_PLAIN_NUMBERS;
    struct srv_loop *loop = context;
    struct epoll_event events[EVENTS_MAX];
    double ticked_s = orr_now_s(), stopping_s = 0;
    for (;;) {
        const int n =
            epoll_wait(loop->epoll_fd, events, EVENTS_MAX, loop->connections || stopping_s > 0 ? TICK_MS : -1);
        const bool knocked = handle(loop, events, n > 0 ? n : 0);
        if (knocked && stopping_s <= 0) accept_all(loop);
        take_arrived(loop);
        const double now_s = orr_now_s();
        if (now_s - ticked_s >= 1e-3 * TICK_MS) tick(loop, ticked_s = now_s);
        if (stopping_s <= 0 && atomic_load(&loop->srv->stopping) && srv_n_threads(loop->srv) == 0) {
            stopping_s = now_s;
            (void)epoll_ctl(loop->epoll_fd, EPOLL_CTL_DEL, loop->srv->listen_fd, &(struct epoll_event){0});
        }
        if (stopping_s > 0 && finish(loop, stopping_s)) return NULL;
    }
}

/* ---------------------------------------------------------------- start and stop */

static bool loop_start(struct srv *srv, struct srv_loop *loop)
{
    struct epoll_event bell = {.events = EPOLLIN, .data.ptr = loop};
    struct epoll_event door = {.events = EPOLLIN | EPOLLEXCLUSIVE, .data.ptr = srv};
    loop->srv = srv;
    loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    loop->event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    pthread_mutex_init(&loop->lock, NULL);
    return loop->epoll_fd >= 0 && loop->event_fd >= 0 &&
           epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, loop->event_fd, &bell) == 0 &&
           epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, srv->listen_fd, &door) == 0;
}

bool srv_loops_start(struct srv *srv, int n_loops)
{
    bool ok = true;
    srv->loops = calloc((size_t)n_loops, sizeof *srv->loops);
    if (!srv->loops) return false;
    srv->n_loops = n_loops;
    for (int i = 0; i < n_loops; i++) ok = loop_start(srv, &srv->loops[i]) && ok;
    for (int i = 0; i < n_loops && ok; i++)
        ok = srv->loops[i].started = pthread_create(&srv->loops[i].thread, NULL, loop_main, &srv->loops[i]) == 0;
    return ok;
}

void srv_loops_stop(struct srv *srv)
{
    for (int i = 0; i < srv->n_loops; i++)
        if (srv->loops[i].started) ring(&srv->loops[i]);
    for (int i = 0; i < srv->n_loops; i++) {
        struct srv_loop *loop = &srv->loops[i];
        if (loop->started) (void)pthread_join(loop->thread, NULL);
    }
    for (int i = 0; i < srv->n_loops; i++) { /* Now no loop hands over a connection. */
        struct srv_loop *loop = &srv->loops[i];
        for (struct srv_connection *at = loop->arrived, *next; at; at = next) {
            next = at->next_woken;
            srv_connection_close(at, SRV_LEFT);
        }
        if (loop->epoll_fd >= 0) (void)close(loop->epoll_fd);
        if (loop->event_fd >= 0) (void)close(loop->event_fd);
        pthread_mutex_destroy(&loop->lock);
    }
    free(srv->loops);
}
