/* Answers, and the headers that all of them carry. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/internal.h"

/* Everything comes from the server itself. Charts are also saved as images, hence data: and blob:. */
static const char POLICY[] = "default-src 'self'; img-src 'self' data: blob:; "
                             "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/* ---------------------------------------------------------------- replies */

void srv_add_headers(struct MHD_Response *response, const char *type, const char *cache)
{
    static const char *const ALWAYS[][2] = {{"Content-Security-Policy", POLICY},
                                            {"X-Content-Type-Options", "nosniff"},
                                            {"Referrer-Policy", "no-referrer"},
                                            {"X-Frame-Options", "DENY"},
                                            {"Cross-Origin-Opener-Policy", "same-origin"},
                                            {"Cross-Origin-Resource-Policy", "same-origin"}};
    for (size_t i = 0; i < sizeof ALWAYS / sizeof *ALWAYS; i++)
        (void)MHD_add_response_header(response, ALWAYS[i][0], ALWAYS[i][1]);
    (void)MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    (void)MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, cache);
}

static enum MHD_Result queue(struct MHD_Connection *connection, unsigned status, struct MHD_Response *response,
                             const char *type, const char *cache)
{
    if (!response) return MHD_NO;
    srv_add_headers(response, type, cache);
    const enum MHD_Result queued = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return queued;
}

enum MHD_Result srv_reply_text(struct MHD_Connection *connection, unsigned status, const char *type, char *text)
{
    static const char memory[] = "{\"error\":{\"text\":\"out of memory\",\"key\":\"\",\"line\":0,\"column\":0}}\n";
    if (text) {
        struct MHD_Response *response = MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_FREE);
        if (response) return queue(connection, status, response, type, "no-store");
        free(text);
    }
    return queue(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
                 MHD_create_response_from_buffer(sizeof memory - 1, (void *)(uintptr_t)memory, MHD_RESPMEM_PERSISTENT),
                 SRV_JSON, "no-store");
}

enum MHD_Result srv_reply_bytes(struct MHD_Connection *connection, const char *type, const char *bytes, size_t n,
                                bool lasting)
{
    return queue(connection, MHD_HTTP_OK,
                 MHD_create_response_from_buffer(n, (void *)(uintptr_t)bytes, MHD_RESPMEM_PERSISTENT), type,
                 lasting ? "public, max-age=31536000, immutable" : "no-cache");
}

enum MHD_Result srv_reply_error(struct MHD_Connection *connection, unsigned status, const struct orr_error *error)
{
    return srv_reply_text(connection, status, SRV_JSON, orr_error_json(error));
}

enum MHD_Result srv_reply_refusal(struct MHD_Connection *connection, unsigned status, const char *format, ...)
{
    struct orr_error error = {.code = ORR_ERR_INPUT};
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(error.text, sizeof error.text, format, arguments);
    va_end(arguments);
    return srv_reply_error(connection, status, &error);
}
