/* One connection: bytes become requests, requests are answered, and every phase has a time in which it must be over. */
#define _GNU_SOURCE /* EPOLLRDHUP */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"
#include "server/loop.h"

enum { LINGER_S = 2, LINGER_BYTES = 16 << 20 };

/* ---------------------------------------------------------------- life */

static void begin_request(struct srv_connection *connection, double limit_s)
{
    const double now_s = orr_now_s();
    free(connection->head);
    connection->head = NULL;
    connection->request = (struct srv_request){.srv = connection->loop->srv,
                                               .connection = connection,
                                               .head = {.method = "", .path = "", .minor = 1},
                                               .path = "",
                                               .begun_s = now_s};
    connection->chunks = (struct srv_chunks){.state = SRV_CHUNK_SIZE};
    connection->body_left = 0;
    connection->begun = connection->body_read = connection->closes = connection->streams = false;
    connection->ending = SRV_ANSWERED;
    connection->phase = SRV_PHASE_HEAD;
    connection->until_s = now_s + limit_s;
}

struct srv_connection *srv_connection_open(struct srv_loop *loop, int fd, const struct srv_address *address,
                                           const char *shown)
{
    struct srv_connection *connection = calloc(1, sizeof *connection);
    if (!connection) return NULL;
    connection->loop = loop;
    connection->fd = fd;
    connection->address = *address;
    (void)snprintf(connection->shown, sizeof connection->shown, "%s", shown);
    begin_request(connection, loop->srv->request_s); /* a new client has something to say */
    return connection;
}

void srv_connection_close(struct srv_connection *connection, enum srv_ending ending)
{
    struct srv *srv = connection->loop->srv;
    if (connection->begun) srv_completed(&connection->request, ending);
    srv_drop_output(connection);
    srv_loop_forget(connection);
    srv_addresses_leave(&srv->addresses, &connection->address);
    atomic_fetch_sub(&srv->n_connections, 1);
    (void)close(connection->fd);
    free(connection->out.data);
    free(connection->head);
    free(connection->in);
    free(connection);
}

/* ---------------------------------------------------------------- bytes in */

/* Remove the first bytes. */
static void use(struct srv_connection *connection, size_t n)
{
    connection->n_in -= n;
    connection->request.n_received += n;
    memmove(connection->in, connection->in + n, connection->n_in);
}

/* Returns false if the client has left. */
static bool receive(struct srv_connection *connection)
{
    if (connection->in_capacity < connection->n_in + SRV_READ_BYTES) {
        const size_t capacity = connection->n_in + 2 * (size_t)SRV_READ_BYTES;
        char *in = realloc(connection->in, capacity);
        if (!in) return false;
        connection->in = in;
        connection->in_capacity = capacity;
    }
    const ssize_t n = recv(connection->fd, connection->in + connection->n_in, SRV_READ_BYTES, MSG_DONTWAIT);
    if (n > 0) connection->n_in += (size_t)n;
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR));
}

/* The head is larger than allowed: is it the target or the fields? */
static enum srv_result refuse_size(struct srv_connection *connection)
{
    if (!memchr(connection->in, '\n', SRV_TARGET_MAX))
        return srv_reply_refusal(connection, SRV_URI_TOO_LONG, "the target is longer than %d bytes",
                                 (int)SRV_TARGET_MAX);
    return srv_reply_refusal(connection, SRV_FIELDS_TOO_LARGE, "the head of the request is larger than %d bytes",
                             (int)SRV_HEAD_MAX);
}

/* The whole head has arrived. */
static enum srv_result read_head(struct srv_connection *connection, size_t n)
{
    static const char CONTINUE[] = "HTTP/1.1 100 Continue\r\n\r\n";
    struct srv_request *request = &connection->request;
    struct srv_head *head = &request->head;
    const char *why = NULL;
    connection->head = malloc(n);
    if (!connection->head) return SRV_NO;
    memcpy(connection->head, connection->in, n);
    use(connection, n);
    const unsigned wrong = srv_head_read(connection->head, n, head, &why);
    if (wrong) return srv_reply_refusal(connection, wrong, "%s", why);
    connection->body_left = head->length;
    connection->body_read = head->length == 0 && !head->chunked;
    connection->phase = SRV_PHASE_BODY;
    const enum srv_result begun = srv_begin(request);
    if (begun && connection->phase == SRV_PHASE_BODY && head->expects && !connection->body_read &&
        connection->n_in == 0)
        (void)send(connection->fd, CONTINUE, sizeof CONTINUE - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    return begun;
}

static void wait_for_study(struct srv_connection *connection)
{
    connection->phase = SRV_PHASE_WAIT;
    connection->until_s = orr_now_s() + 2 * SRV_STUDY_S;
}

/* Take what has arrived of the body. */
static enum srv_result take_body(struct srv_connection *connection)
{
    struct srv_request *request = &connection->request;
    if (connection->body_left > 0) {
        const size_t n = connection->n_in < connection->body_left ? connection->n_in : (size_t)connection->body_left;
        srv_take(request, connection->in, n);
        use(connection, n);
        connection->body_left -= n;
        connection->body_read = connection->body_left == 0;
    }
    while (request->head.chunked && !connection->body_read && !request->refused && connection->n_in > 0) {
        const char *data;
        size_t n_data;
        const size_t n = srv_chunks_take(&connection->chunks, connection->in, connection->n_in, &data, &n_data);
        if (n == 0) return srv_reply_refusal(connection, SRV_BAD_REQUEST, "the body is no sequence of chunks");
        if (n_data > 0) srv_take(request, data, n_data);
        use(connection, n);
        connection->body_read = connection->chunks.state == SRV_CHUNK_DONE;
    }
    if (!connection->body_read && !request->refused) return SRV_YES;
    wait_for_study(connection);
    return srv_finish(request);
}

/* ---------------------------------------------------------------- phases */

/* The answer has left. */
static void end_request(struct srv_connection *connection)
{
    srv_completed(&connection->request, connection->ending);
    connection->begun = false;
    if (!connection->closes) {
        begin_request(connection, SRV_IDLE_S);
        return;
    }
    (void)shutdown(connection->fd, SHUT_WR);
    connection->phase = SRV_PHASE_LINGER;
    connection->until_s = orr_now_s() + LINGER_S;
}

/* Each of these returns SRV_NO if the connection must end, and sets *rests if it waits for its client or its study. */

static enum srv_result go_head(struct srv_connection *connection, bool *rests)
{
    if (connection->n_in > 0 && !connection->begun) {
        connection->begun = true;
        connection->request.begun_s = orr_now_s();
        connection->until_s = connection->request.begun_s + connection->loop->srv->request_s;
    }
    const size_t n = connection->n_in > 0 ? srv_head_end(connection->in, connection->n_in) : 0;
    if (n > SRV_HEAD_MAX || (n == 0 && connection->n_in > SRV_HEAD_MAX)) return refuse_size(connection);
    if (n > 0) return read_head(connection, n);
    *rests = true;
    return SRV_YES;
}

static enum srv_result go_body(struct srv_connection *connection, bool *rests)
{
    const enum srv_result result = take_body(connection);
    *rests = connection->phase == SRV_PHASE_BODY;
    return result;
}

static enum srv_result go_wait(struct srv_connection *connection, bool woken, bool *rests)
{
    bool broken = false;
    *rests = !woken;
    if (!woken) return SRV_YES;
    if (!connection->streams) return srv_finish(&connection->request);
    if (srv_next_events(connection, &broken)) connection->phase = SRV_PHASE_ANSWER;
    else *rests = true;
    return broken ? SRV_NO : SRV_YES;
}

static enum srv_result go_answer(struct srv_connection *connection, bool *rests)
{
    bool broken = false;
    const enum srv_flushed flushed = srv_flush(connection);
    *rests = flushed == SRV_FLUSH_LATER;
    if (flushed != SRV_FLUSH_DONE) return flushed == SRV_FLUSH_LATER ? SRV_YES : SRV_NO;
    if (!connection->streams) end_request(connection);
    else if (!srv_next_events(connection, &broken)) wait_for_study(connection);
    return broken ? SRV_NO : SRV_YES;
}

static enum srv_result go_linger(struct srv_connection *connection, bool *rests)
{
    connection->n_dropped += connection->n_in;
    connection->n_in = 0;
    *rests = true;
    return connection->n_dropped < LINGER_BYTES ? SRV_YES : SRV_NO;
}

/* A client that ends its side while a study works for it has left: nobody waits for the answer. */
static unsigned interest_of(enum srv_phase phase)
{
    switch (phase) {
    case SRV_PHASE_HEAD:
    case SRV_PHASE_BODY:
    case SRV_PHASE_LINGER: return EPOLLIN;
    case SRV_PHASE_WAIT: return EPOLLRDHUP;
    case SRV_PHASE_ANSWER: return EPOLLOUT;
    }
    return 0;
}

static enum srv_result go(struct srv_connection *connection, bool *woken, bool *rests)
{
    switch (connection->phase) {
    case SRV_PHASE_HEAD: return go_head(connection, rests);
    case SRV_PHASE_BODY: return go_body(connection, rests);
    case SRV_PHASE_WAIT: {
        const bool now = *woken;
        *woken = false;
        return go_wait(connection, now, rests);
    }
    case SRV_PHASE_ANSWER: return go_answer(connection, rests);
    case SRV_PHASE_LINGER: return go_linger(connection, rests);
    }
    return SRV_NO;
}

void srv_connection_go_on(struct srv_connection *connection, unsigned events)
{
    bool woken = events == 0, rests = false;
    (void)orr_memory_lacked(); /* What failed for another connection of this thread is no matter of this one. */
    const bool reads = interest_of(connection->phase) == EPOLLIN;
    if (events & (EPOLLERR | EPOLLHUP | EPOLLRDHUP) || (events & EPOLLIN && reads && !receive(connection))) {
        srv_connection_close(connection, SRV_LEFT);
        return;
    }
    while (!rests) {
        if (go(connection, &woken, &rests) == SRV_YES) continue;
        srv_connection_close(connection, SRV_LEFT);
        return;
    }
    srv_loop_watch(connection, interest_of(connection->phase));
}

void srv_connection_tick(struct srv_connection *connection, double now_s)
{
    if (now_s < connection->until_s) return;
    const bool reads = connection->phase == SRV_PHASE_HEAD || connection->phase == SRV_PHASE_BODY;
    connection->ending = SRV_LATE;
    if (reads && connection->begun &&
        srv_reply_refusal(connection, SRV_REQUEST_TIMEOUT, "the request did not arrive within %g s",
                          connection->loop->srv->request_s)) {
        srv_connection_go_on(connection, EPOLLOUT);
        return;
    }
    srv_connection_close(connection, SRV_LATE);
}
