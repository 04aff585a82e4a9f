/* The access log: one line per request, in the common log format with two more fields or as JSON. A line is written at
 * once and whole; what cannot be written, because a disk is full or nobody reads a pipe, is counted (/metrics) and
 * lost: a request never waits for its line. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "server/loop.h"

bool srv_log_open(struct srv_log *log, const char *name, bool json, char message[SRV_MESSAGE])
{
    /* Without O_NONBLOCK a pipe that nobody reads would block here, where signals do not end the program. */
    static const int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK;
    log->json = json;
    log->fd = -1;
    if (!name) return true;
    log->fd = strcmp(name, "-") == 0 ? STDERR_FILENO : open(name, flags, 0640);
    if (log->fd < 0) (void)snprintf(message, SRV_MESSAGE, "--access-log %.200s: %s", name, strerror(errno));
    return log->fd >= 0;
}

/* Bytes that a client chose, between quotation marks: what could end them or move the cursor is escaped. */
static void add_quoted(struct orr_text *line, const char *bytes)
{
    for (; *bytes; bytes++) {
        const unsigned char c = (unsigned char)*bytes;
        if (c == '"' || c == '\\') orr_text_add(line, "\\%c", c);
        else if (c < ' ' || c >= 0x7f) orr_text_add(line, "\\u%04x", (unsigned)c);
        else orr_text_append(line, bytes, 1);
    }
}

static const char *ending_name(enum srv_ending ending)
{
    static const char *const NAMES[] = {
#define X(name, label, text) [SRV_##name] = label,
        SRV_ENDINGS(X)
#undef X
    };
    return NAMES[ending];
}

static void add_json(struct orr_text *line, const struct srv_request *request, const char *time, enum srv_ending ending,
                     double took_s)
{
    orr_text_add(line, "{\"time\":\"%s\",\"address\":\"%s\",\"method\":\"", time, request->connection->shown);
    add_quoted(line, request->head.method);
    orr_text_add(line, "\",\"target\":\"");
    add_quoted(line, request->head.shown);
    orr_text_add(line,
                 "\",\"status\":%u,\"received_bytes\":%llu,\"sent_bytes\":%llu,\"seconds\":%.6f,\"end\":\"%s\"}\n",
                 request->status, (unsigned long long)request->n_received, (unsigned long long)request->n_sent, took_s,
                 ending_name(ending));
}

static void add_common(struct orr_text *line, const struct srv_request *request, const char *time,
                       enum srv_ending ending, double took_s)
{
    orr_text_add(line, "%s - - [%s] \"", request->connection->shown, time);
    add_quoted(line, request->head.method);
    orr_text_add(line, " ");
    add_quoted(line, request->head.shown);
    orr_text_add(line, " HTTP/1.%d\" %u %llu %.6f %s\n", request->head.minor, request->status,
                 (unsigned long long)request->n_sent, took_s, ending_name(ending));
}

/* Write a line, which stands behind a line feed: that comes first if the line before was cut off by a full disk. There
 * is room in a pipe, a terminal or a socket if poll() says so, and no other thread takes it. */
static bool write_line(struct srv_log *log, const struct orr_text *line)
{
    struct pollfd room = {.fd = log->fd, .events = POLLOUT};
    pthread_mutex_lock(&log->lock);
    const size_t start = log->cut ? 0 : 1, n = line->length - start;
    const bool open = poll(&room, 1, 0) == 1 && room.revents & POLLOUT;
    const ssize_t n_written = open ? write(log->fd, line->data + start, n) : -1;
    if (n_written > 0) log->cut = line->data[start + (size_t)n_written - 1] != '\n';
    pthread_mutex_unlock(&log->lock);
    return n_written == (ssize_t)n;
}

void srv_log_request(struct srv *srv, const struct srv_request *request, enum srv_ending ending, double took_s)
{
    if (srv->log.fd < 0) return;
    char when[40], shown[64];
    struct tm utc;
    struct timespec now;
    struct orr_text line = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    if (!gmtime_r(&now.tv_sec, &utc)) return;
    (void)strftime(when, sizeof when, srv->log.json ? "%Y-%m-%dT%H:%M:%S" : "%d/%b/%Y:%H:%M:%S +0000", &utc);
    (void)snprintf(shown, sizeof shown, "%s.%03ldZ", when, now.tv_nsec / 1000000);
    orr_text_append(&line, "\n", 1);
    if (srv->log.json) add_json(&line, request, shown, ending, took_s);
    else add_common(&line, request, when, ending, took_s);
    if (line.failed || !write_line(&srv->log, &line)) atomic_fetch_add(&srv->metrics.n_log_errors, 1);
    free(line.data);
}
