/* Answers, and the headers that all of them carry. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/internal.h"

/* Everything comes from the server itself. Charts are also saved as images, hence data: and blob:. */
const char SRV_ALWAYS[] = "Content-Security-Policy: default-src 'self'; img-src 'self' data: blob:; "
                          "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
                          "X-Content-Type-Options: nosniff\r\n"
                          "Referrer-Policy: no-referrer\r\n"
                          "X-Frame-Options: DENY\r\n"
                          "Cross-Origin-Opener-Policy: same-origin\r\n"
                          "Cross-Origin-Resource-Policy: same-origin\r\n";

const char *srv_reason(unsigned status)
{
    switch ((enum srv_status)status) {
    case SRV_OK: return "OK";
    case SRV_NOT_MODIFIED: return "Not Modified";
    case SRV_BAD_REQUEST: return "Bad Request";
    case SRV_FORBIDDEN: return "Forbidden";
    case SRV_NOT_FOUND: return "Not Found";
    case SRV_METHOD_NOT_ALLOWED: return "Method Not Allowed";
    case SRV_REQUEST_TIMEOUT: return "Request Timeout";
    case SRV_CONTENT_TOO_LARGE: return "Content Too Large";
    case SRV_URI_TOO_LONG: return "URI Too Long";
    case SRV_UNSUPPORTED_MEDIA_TYPE: return "Unsupported Media Type";
    case SRV_EXPECTATION_FAILED: return "Expectation Failed";
    case SRV_MISDIRECTED_REQUEST: return "Misdirected Request";
    case SRV_FIELDS_TOO_LARGE: return "Request Header Fields Too Large";
    case SRV_SERVICE_UNAVAILABLE: return "Service Unavailable";
    case SRV_VERSION_NOT_SUPPORTED: return "HTTP Version Not Supported";
    }
    return "Unknown";
}

enum srv_result srv_reply_text(struct srv_connection *connection, unsigned status, const char *type, char *text)
{
    static const char memory[] = "{\"error\":{\"text\":\"out of memory\",\"key\":\"\",\"line\":0,\"column\":0}}\n";
    struct srv_output output = {.status = status, .type = type, .cache = "no-store", .bytes = text, .owned = true};
    if (!text)
        output = (struct srv_output){.status = SRV_SERVICE_UNAVAILABLE,
                                     .type = SRV_JSON,
                                     .cache = "no-store",
                                     .bytes = (char *)(uintptr_t)memory};
    output.n = strlen(output.bytes);
    return srv_send(connection, &output);
}

enum srv_result srv_reply_bytes(struct srv_connection *connection, const char *type, const char *bytes, size_t n)
{
    return srv_send(
        connection,
        &(struct srv_output){
            .status = SRV_OK, .type = type, .cache = "no-cache", .bytes = (char *)(uintptr_t)bytes, .n = n});
}

enum srv_result srv_reply_file(struct srv_request *request, const struct orr_page_file *file, const char *type)
{
    char tag[64];
    const bool gzip = file->gzip && request->head.gzip;
    /* The names of files in /assets/ change with their content. */
    const bool lasting = strncmp(file->path, "/assets/", 8) == 0;
    (void)snprintf(tag, sizeof tag, "\"%s%s\"", file->hash, gzip ? "-gzip" : "");
    const bool known = request->head.tags && srv_head_has_tag(request->head.tags, tag);
    return srv_send(request->connection,
                    &(struct srv_output){.status = known ? SRV_NOT_MODIFIED : SRV_OK,
                                         .type = type,
                                         .cache = lasting ? "public, max-age=31536000, immutable" : "no-cache",
                                         .tag = tag,
                                         .varies = file->gzip != NULL,
                                         .gzip = gzip && !known,
                                         .bytes = known ? NULL : (char *)(uintptr_t)(gzip ? file->gzip : file->bytes),
                                         .n = known  ? 0
                                              : gzip ? file->n_gzip
                                                     : file->size});
}

enum srv_result srv_reply_events(struct srv_connection *connection)
{
    return srv_send(connection,
                    &(struct srv_output){.status = SRV_OK, .type = SRV_EVENTS, .cache = "no-store", .streams = true});
}

enum srv_result srv_reply_error(struct srv_connection *connection, unsigned status, const struct orr_error *error)
{
    if (error->code == ORR_ERR_MEMORY) status = SRV_SERVICE_UNAVAILABLE;
    return srv_reply_text(connection, status, SRV_JSON, orr_error_json(error));
}

static char *refusal_text(const char *format, va_list arguments)
{
    struct orr_error error = {.code = ORR_ERR_INPUT};
    (void)vsnprintf(error.text, sizeof error.text, format, arguments);
    return orr_error_json(&error);
}

enum srv_result srv_reply_refusal(struct srv_connection *connection, unsigned status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = refusal_text(format, arguments);
    va_end(arguments);
    return srv_reply_text(connection, status, SRV_JSON, text);
}

enum srv_result srv_reply_method(struct srv_connection *connection, const char *allow, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = refusal_text(format, arguments);
    va_end(arguments);
    if (!text) return srv_reply_text(connection, SRV_SERVICE_UNAVAILABLE, SRV_JSON, NULL);
    return srv_send(connection, &(struct srv_output){.status = SRV_METHOD_NOT_ALLOWED,
                                                     .type = SRV_JSON,
                                                     .cache = "no-store",
                                                     .allow = allow,
                                                     .bytes = text,
                                                     .n = strlen(text),
                                                     .owned = true});
}
