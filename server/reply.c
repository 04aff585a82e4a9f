/* Answers and the headers all of them carry. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/internal.h"

/* Everything from the server itself; charts are also saved as images. */
static const char POLICY[] = "default-src 'self'; img-src 'self' data: blob:; "
                             "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/* ---------------------------------------------------------------- text */

void srv_text_append(struct srv_text *text, const char *bytes, size_t n)
{
    if (!text->failed && text->length + n + 1 > text->capacity) {
        const size_t capacity = 2 * (text->length + n) + 64;
        char *data = realloc(text->data, capacity);
        text->failed = !data;
        if (data) {
            text->data = data;
            text->capacity = capacity;
        }
    }
    if (text->failed) return;
    memcpy(text->data + text->length, bytes, n);
    text->length += n;
    text->data[text->length] = '\0';
}

void srv_text_add(struct srv_text *text, const char *string)
{
    srv_text_append(text, string, strlen(string));
}

void srv_text_add_json(struct srv_text *text, const char *string)
{
    srv_text_append(text, "\"", 1);
    for (const char *c = string; *c; c++) {
        char escape[8];
        const size_t n = strcspn(c, "\"\\\b\f\n\r\t");
        size_t plain = 0;
        while (plain < n && (unsigned char)c[plain] >= 0x20) plain++;
        srv_text_append(text, c, plain);
        c += plain;
        if (!*c) break;
        if (*c == '"' || *c == '\\') (void)snprintf(escape, sizeof escape, "\\%c", *c);
        else if (*c == '\n') (void)snprintf(escape, sizeof escape, "\\n");
        else (void)snprintf(escape, sizeof escape, "\\u%04x", (unsigned)(unsigned char)*c);
        srv_text_add(text, escape);
    }
    srv_text_append(text, "\"", 1);
}

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

char *srv_error_text(const struct orr_error *error)
{
    struct srv_text text = {0};
    char place[64];
    srv_text_add(&text, "{\"error\":{\"text\":");
    srv_text_add_json(&text, error->text);
    srv_text_add(&text, ",\"key\":");
    srv_text_add_json(&text, error->key);
    (void)snprintf(place, sizeof place, ",\"line\":%d,\"column\":%d}}\n", error->line, error->column);
    srv_text_add(&text, place);
    if (!text.failed) return text.data;
    free(text.data);
    return NULL;
}

enum MHD_Result srv_reply_error(struct MHD_Connection *connection, unsigned status, const struct orr_error *error)
{
    return srv_reply_text(connection, status, SRV_JSON, srv_error_text(error));
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
