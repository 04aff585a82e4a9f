/* Answers become bytes: the head, then a text or the events of a study, as fast as the client reads. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "server/loop.h"

static const char FULL[] = "{\"error\":{\"text\":\"too many answers wait to be read, or this one is too large; try "
                           "again\",\"key\":\"\",\"line\":0,\"column\":0}}\n";

void srv_drop_output(struct srv_connection *connection)
{
    if (connection->out_owned) atomic_fetch_sub(&connection->loop->srv->unsent_bytes, connection->n_out_body);
    free(connection->out_owned);
    connection->out.length = 0; /* its memory serves the next answer */
    connection->out_owned = NULL;
    connection->out_body = NULL;
    connection->n_out_body = connection->n_out_sent = 0;
}

double srv_answer_until_s(const struct srv_connection *connection, size_t n)
{
    return orr_now_s() + SRV_ANSWER_TIMES * connection->loop->srv->request_s + (double)n / SRV_ANSWER_RATE;
}

/* Write the head of the answer. A body of unknown length comes in chunks, or ends with the connection in HTTP/1.0. */
static void write_head(struct srv_connection *connection, const struct srv_output *output)
{
    struct orr_text *out = &connection->out;
    const struct srv_head *head = &connection->request.head;
    const bool has_body = output->status != SRV_NOT_MODIFIED;
    orr_text_add(out, "HTTP/1.1 %u %s\r\nDate: %s\r\nCache-Control: %s\r\n", output->status, srv_reason(output->status),
                 srv_loop_date(connection->loop), output->cache);
    if (has_body) orr_text_add(out, "Content-Type: %s\r\n", output->type);
    if (output->tag) orr_text_add(out, "ETag: %s\r\n", output->tag);
    if (output->varies) orr_text_add(out, "Vary: Accept-Encoding\r\n");
    if (output->gzip) orr_text_add(out, "Content-Encoding: gzip\r\n");
    orr_text_append(out, SRV_ALWAYS, strlen(SRV_ALWAYS));
    if (output->allow) orr_text_add(out, "Allow: %s\r\n", output->allow);
    if (output->status == SRV_SERVICE_UNAVAILABLE) orr_text_add(out, "Retry-After: 5\r\n");
    if (!output->streams && has_body) orr_text_add(out, "Content-Length: %zu\r\n", output->n);
    else if (output->streams && head->minor > 0) orr_text_add(out, "Transfer-Encoding: chunked\r\n");
    if (connection->closes) orr_text_add(out, "Connection: close\r\n");
    else if (head->minor == 0) orr_text_add(out, "Connection: keep-alive\r\n");
    orr_text_add(out, "\r\n");
}

/* Count the bytes of an answer. Returns false if too many wait for their clients. */
static bool count_unsent(struct srv *srv, size_t n)
{
    if (n > SRV_UNSENT_MAX) return false;
    if (atomic_fetch_add(&srv->unsent_bytes, n) + n <= SRV_UNSENTS_MAX) return true;
    atomic_fetch_sub(&srv->unsent_bytes, n);
    return false;
}

enum srv_result srv_send(struct srv_connection *connection, const struct srv_output *output)
{
    static const struct srv_output TOO_MUCH = {.status = SRV_SERVICE_UNAVAILABLE,
                                               .type = SRV_JSON,
                                               .cache = "no-store",
                                               .bytes = (char *)(uintptr_t)FULL,
                                               .n = sizeof FULL - 1};
    struct srv *srv = connection->loop->srv;
    struct srv_request *request = &connection->request;
    if (output->owned && !count_unsent(srv, output->n)) {
        free(output->bytes);
        output = &TOO_MUCH;
    }
    /* What is left of a body that was not read would be taken for the next request. */
    connection->closes = !connection->body_read || request->head.closes || atomic_load(&srv->stopping) ||
                         (output->streams && request->head.minor == 0);
    request->status = output->status;
    connection->streams = output->streams;
    write_head(connection, output);
    connection->out_owned = output->owned ? output->bytes : NULL;
    connection->out_body = output->bytes;
    connection->n_out_body = output->n;
    if (strcmp(request->head.method, "HEAD") == 0) {
        const size_t n = connection->out.length;
        srv_drop_output(connection);
        connection->out.length = n;
    }
    connection->phase = SRV_PHASE_ANSWER;
    connection->until_s = srv_answer_until_s(connection, output->n);
    return connection->out.failed ? SRV_NO : SRV_YES;
}

/* What is left of the answer, in at most two pieces; how many there are. */
static size_t pieces_left(const struct srv_connection *connection, struct iovec pieces[2])
{
    const size_t n_head = connection->out.length, sent = connection->n_out_sent;
    const size_t of_body = sent > n_head ? sent - n_head : 0;
    size_t n = 0;
    if (sent < n_head) pieces[n++] = (struct iovec){connection->out.data + sent, n_head - sent};
    if (of_body < connection->n_out_body)
        pieces[n++] =
            (struct iovec){(char *)(uintptr_t)connection->out_body + of_body, connection->n_out_body - of_body};
    return n;
}

enum srv_flushed srv_flush(struct srv_connection *connection)
{
    struct iovec pieces[2];
    for (size_t n_pieces; (n_pieces = pieces_left(connection, pieces)) > 0;) {
        const struct msghdr message = {.msg_iov = pieces, .msg_iovlen = n_pieces};
        const ssize_t n = sendmsg(connection->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno == EAGAIN || errno == EWOULDBLOCK ? SRV_FLUSH_LATER : SRV_FLUSH_FAILED;
        connection->n_out_sent += (size_t)n;
        connection->request.n_sent += (uint64_t)n;
    }
    srv_drop_output(connection);
    return SRV_FLUSH_DONE;
}

bool srv_next_events(struct srv_connection *connection, bool *broken)
{
    char block[SRV_BLOCK_BYTES];
    const bool chunked = connection->request.head.minor > 0;
    const size_t n_burst = srv_study_burst(connection->request.study);
    const long n = srv_study_read(connection->request.study, block, sizeof block);
    *broken = n == SRV_STREAM_BROKEN;
    if (n == 0 || *broken) return false;
    connection->streams = n != SRV_STREAM_END;
    if (n_burst > 0) connection->until_s = srv_answer_until_s(connection, n_burst);
    if (chunked) orr_text_add(&connection->out, "%lx\r\n", n > 0 ? (unsigned long)n : 0ul);
    if (n > 0) orr_text_append(&connection->out, block, (size_t)n);
    if (chunked) orr_text_add(&connection->out, "\r\n");
    *broken = connection->out.failed;
    return !*broken;
}
