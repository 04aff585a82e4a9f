/* From the calls of MHD (GNU libmicrohttpd) to requests: checks first, then the body, then the answer of the route. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/internal.h"

static struct srv_request *request_new(struct srv *srv, struct MHD_Connection *connection)
{
    struct srv_request *request = calloc(1, sizeof *request);
    if (!request) return NULL;
    request->srv = srv;
    request->connection = connection;
    return request;
}

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

/* Receive a piece of the body. Returns false if the client does not stop sending, so that the connection is closed. */
static bool take(struct srv_request *request, const char *bytes, size_t n)
{
    request->n_body += request->refused ? n : 0; /* The bytes of a refused request are only counted. */
    if (request->refused) return request->n_body < (size_t)16 * SRV_BODY_MAX;
    if (request->n_body + n > SRV_BODY_MAX) refuse(request, MHD_HTTP_CONTENT_TOO_LARGE);
    else if (!reserve(request, n)) refuse(request, MHD_HTTP_SERVICE_UNAVAILABLE);
    if (request->refused) return true;
    memcpy(request->body + request->n_body, bytes, n);
    request->n_body += n;
    request->body[request->n_body] = '\0';
    return true;
}

/* ---------------------------------------------------------------- answering */

static enum MHD_Result answer_refused(struct srv_request *request)
{
    if (request->refused == MHD_HTTP_CONTENT_TOO_LARGE)
        return srv_reply_refusal(request->connection, request->refused, "the request is larger than %d bytes",
                                 (int)SRV_BODY_MAX);
    return srv_reply_refusal(request->connection, request->refused, "too many requests at once; try again");
}

static enum MHD_Result answer_method(struct srv_request *request, const char *method, const char *allow)
{
    struct orr_error error = {.code = ORR_ERR_INPUT};
    (void)snprintf(error.text, sizeof error.text, "%.20s %.200s: the method is %s", method, request->path, allow);
    char *text = orr_error_json(&error);
    struct MHD_Response *response =
        text ? MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_FREE) : NULL;
    if (!response) {
        free(text);
        return MHD_NO;
    }
    (void)MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, allow);
    srv_add_headers(response, SRV_JSON, "no-store");
    const enum MHD_Result queued = MHD_queue_response(request->connection, MHD_HTTP_METHOD_NOT_ALLOWED, response);
    MHD_destroy_response(response);
    return queued;
}

/* The headers have arrived: is the request allowed? If not, it is answered at once, without its body. */
static enum MHD_Result begin(struct srv_request *request, const char *method)
{
    const char *allow;
    unsigned status;
    struct MHD_Connection *connection = request->connection;
    const char *why = srv_guard(request->srv, connection, &status);
    if (why) return srv_reply_refusal(connection, status, "%s", why);
    request->route = srv_route(method, request->path, &allow);
    if (!request->route && allow) return answer_method(request, method, allow);
    if (!request->route)
        return srv_reply_refusal(connection, MHD_HTTP_NOT_FOUND, "%.200s: no such page; /api/v1/openapi.json lists all",
                                 request->path);
    const char *length = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
    if (length && strtoull(length, NULL, 10) > SRV_BODY_MAX) {
        request->refused = MHD_HTTP_CONTENT_TOO_LARGE;
        return answer_refused(request);
    }
    return MHD_YES;
}

static enum MHD_Result finish(struct srv_request *request)
{
    if (request->refused) return answer_refused(request);
    const bool post = strcmp(request->route->method, MHD_HTTP_METHOD_POST) == 0;
    if (post && !request->study && !request->body)
        return srv_reply_refusal(request->connection, MHD_HTTP_BAD_REQUEST, "the request is empty; JSON is expected");
    if (request->body && strlen(request->body) != request->n_body)
        return srv_reply_refusal(request->connection, MHD_HTTP_BAD_REQUEST, "the request holds a zero byte");
    return request->route->answer(request);
}

enum MHD_Result srv_access(void *cls, struct MHD_Connection *connection, const char *url, const char *method,
                           const char *version, const char *upload, size_t *n_upload, void **context)
{
    struct srv_request *request = *context;
    (void)version;
    if (!request) {
        *context = request = request_new(cls, connection);
        if (!request) return MHD_NO;
        request->path = url;
        return begin(request, method);
    }
    request->path = url;
    if (*n_upload == 0) return finish(request);
    const bool goes_on = take(request, upload, *n_upload);
    *n_upload = 0;
    return goes_on ? MHD_YES : MHD_NO;
}

void srv_completed(void *cls, struct MHD_Connection *connection, void **context, enum MHD_RequestTerminationCode how)
{
    struct srv_request *request = *context;
    (void)cls;
    (void)connection;
    (void)how;
    *context = NULL;
    if (!request) return;
    if (request->study) srv_study_release(request->study);
    drop_body(request);
    free(request);
}
