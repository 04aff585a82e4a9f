/* Requests: checks first, then the body, then the answer of the route. */
#include <stdlib.h>
#include <string.h>

#include "server/internal.h"

/* ---------------------------------------------------------------- body */

static void drop_body(struct srv_request *request)
{
    free(request->body);
    atomic_fetch_sub(&request->srv->body_bytes, request->capacity);
    request->body = NULL;
    request->capacity = 0;
}

static void refuse(struct srv_request *request, unsigned status)
{
    request->refused = status;
    drop_body(request);
}

/* Make room for `n` more bytes and a zero. */
static bool reserve(struct srv_request *request, size_t n)
{
    const size_t needed = request->n_body + n + 1;
    if (needed <= request->capacity) return true;
    const size_t capacity = needed < 4096 ? 4096 : 2 * needed, more = capacity - request->capacity;
    const bool full = atomic_fetch_add(&request->srv->body_bytes, more) + more > SRV_BODIES_MAX;
    char *body = full ? NULL : realloc(request->body, capacity);
    if (!body) {
        atomic_fetch_sub(&request->srv->body_bytes, more);
        return false;
    }
    request->body = body;
    request->capacity = capacity;
    return true;
}

void srv_take(struct srv_request *request, const char *bytes, size_t n)
{
    if (request->n_body + n > SRV_BODY_MAX) refuse(request, SRV_CONTENT_TOO_LARGE);
    else if (!reserve(request, n)) refuse(request, SRV_SERVICE_UNAVAILABLE);
    if (request->refused || n == 0) return;
    memcpy(request->body + request->n_body, bytes, n);
    request->n_body += n;
    request->body[request->n_body] = '\0';
}

/* ---------------------------------------------------------------- answering */

static enum srv_result answer_refused(struct srv_request *request)
{
    if (request->refused == SRV_CONTENT_TOO_LARGE)
        return srv_reply_refusal(request->connection, request->refused, "the request is larger than %d bytes",
                                 (int)SRV_BODY_MAX);
    return srv_reply_refusal(request->connection, request->refused, "too many requests at once; try again");
}

enum srv_result srv_begin(struct srv_request *request)
{
    const char *allow;
    unsigned status;
    const struct srv_head *head = &request->head;
    struct srv_connection *connection = request->connection;
    request->path = head->path;
    const char *why = srv_guard(request->srv, head->host, head->origin, &status);
    if (why) return srv_reply_refusal(connection, status, "%s", why);
    request->route = srv_route(head->method, head->path, &allow);
    if (!request->route && allow)
        return srv_reply_method(connection, allow, "%.20s %.200s: the method is %s", head->method, head->path, allow);
    if (!request->route)
        return srv_reply_refusal(connection, SRV_NOT_FOUND, "%.200s: no such page; /api/v1/openapi.json lists all",
                                 head->path);
    if (head->length > SRV_BODY_MAX) {
        request->refused = SRV_CONTENT_TOO_LARGE;
        return answer_refused(request);
    }
    return SRV_YES;
}

enum srv_result srv_finish(struct srv_request *request)
{
    if (request->refused) return answer_refused(request);
    const bool post = strcmp(request->route->method, "POST") == 0;
    if (post && !request->study && !request->body)
        return srv_reply_refusal(request->connection, SRV_BAD_REQUEST, "the request is empty; JSON is expected");
    if (request->body && strlen(request->body) != request->n_body)
        return srv_reply_refusal(request->connection, SRV_BAD_REQUEST, "the request holds a zero byte");
    return request->route->answer(request);
}

void srv_completed(struct srv_request *request, enum srv_ending ending)
{
    const double took_s = orr_now_s() - request->begun_s;
    srv_metrics_count(&request->srv->metrics, request->route ? srv_route_number(request->route) : -1, request->status,
                      ending, took_s);
    srv_log_request(request->srv, request, ending, took_s);
    if (request->study) srv_study_release(request->study);
    request->study = NULL;
    drop_body(request);
}
