/* The head of a request (head.h), by RFC 9112. */
#define _POSIX_C_SOURCE 200809L
#include "server/head.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* ---------------------------------------------------------------- bytes */

static bool is_token(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c && strchr("!#$%&'*+-.^_`|~", c));
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int hex_of(char c)
{
    if (is_digit(c)) return c - '0';
    const char low = (char)(c | 0x20);
    return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

static unsigned refuse(const char **why, unsigned status, const char *text)
{
    *why = text;
    return status;
}

/* Bytes up to and including the first empty line behind others; 0: there is none. */
static size_t empty_line(const char *bytes, size_t n)
{
    size_t at = 0;
    while (at < n && (bytes[at] == '\r' || bytes[at] == '\n')) at++; /* empty lines before the request */
    for (const char *line; at < n && (line = memchr(bytes + at, '\n', n - at)); at = (size_t)(line - bytes) + 1) {
        const size_t next = (size_t)(line - bytes) + 1;
        if (next < n && bytes[next] == '\n') return next + 1;
        if (next + 1 < n && bytes[next] == '\r' && bytes[next + 1] == '\n') return next + 2;
    }
    return 0;
}

size_t srv_head_end(const char *bytes, size_t n)
{
    const size_t end = empty_line(bytes, n);
    const char *zero = memchr(bytes, 0, end ? end : n);
    return zero ? (size_t)(zero - bytes) + 1 : end;
}

/* ---------------------------------------------------------------- target */

/* Replace %XX in place. Returns false if an escape is broken or stands for a zero byte. */
static bool unescape(char *text)
{
    char *to = text;
    for (const char *from = text; *from; to++) {
        *to = *from++;
        if (*to != '%') continue;
        const int high = hex_of(from[0]), low = high < 0 ? -1 : hex_of(from[1]);
        if (low < 0 || high * 16 + low == 0) return false;
        *to = (char)(high * 16 + low);
        from += 2;
    }
    *to = '\0';
    return true;
}

static bool read_arguments(char *query, struct srv_head *head)
{
    for (char *item = query; item && *item;) {
        char *next = strchr(item, '&');
        if (next) *next++ = '\0';
        char *value = strchr(item, '=');
        if (value) *value++ = '\0';
        if (!unescape(item) || (value && !unescape(value)) || head->n_arguments == SRV_ARGUMENTS_MAX) return false;
        if (*item && srv_head_argument(head, item)) return false;
        head->arguments[head->n_arguments++] = (struct srv_argument){item, value ? value : ""};
        item = next;
    }
    return true;
}

/* The path of "/path" or "http://authority/path"; the authority of the latter counts instead of the Host field. The
 * bytes between authority and path move by one, to leave room for its end. */
static char *path_of(char *target, struct srv_head *head)
{
    if (*target == '/' || strcmp(target, "*") == 0) return target;
    const size_t n_scheme = orr_starts_nocase(target, "http://") ? 7 : orr_starts_nocase(target, "https://") ? 8 : 0;
    if (n_scheme == 0) return NULL;
    char *authority = target + n_scheme, *path = authority + strcspn(authority, "/?");
    if (path == authority) return NULL;
    const size_t n = (size_t)(path - authority);
    memmove(target, authority, n);
    target[n] = '\0';
    head->host = target;
    if (*path == '/') return path;
    *--path = '/'; /* "http://name?query": the scheme left room */
    return path;
}

static unsigned read_target(char *target, struct srv_head *head, const char **why)
{
    (void)snprintf(head->shown, sizeof head->shown, "%s", target);
    for (const char *at = target; *at; at++)
        if (*at <= ' ' || *at == 0x7f || *at == '#')
            return refuse(why, SRV_BAD_REQUEST, "the target has bytes that must be escaped");
    char *path = path_of(target, head);
    if (!path) return refuse(why, SRV_BAD_REQUEST, "the target must be a path or an http address");
    char *query = strchr(path, '?');
    if (query) *query++ = '\0';
    head->path = path;
    if (!unescape(path) || !read_arguments(query, head))
        return refuse(why, SRV_BAD_REQUEST,
                      "the target has a broken escape, a zero byte, an argument twice or too many of them");
    return 0;
}

/* "POST /api/v1/infer HTTP/1.1" */
static unsigned read_first_line(char *line, struct srv_head *head, const char **why)
{
    size_t n = 0;
    while (is_token(line[n])) n++;
    if (n == 0 || n > 20 || line[n] != ' ') return refuse(why, SRV_BAD_REQUEST, "the first line is no HTTP request");
    line[n] = '\0';
    head->method = line;
    char *target = line + n + 1, *version = strchr(target, ' ');
    const size_t n_target = version ? (size_t)(version - target) : strlen(target);
    if (n_target > SRV_TARGET_MAX) return refuse(why, SRV_URI_TOO_LONG, "the target is longer than 8192 bytes");
    if (!version || n_target == 0) return refuse(why, SRV_BAD_REQUEST, "the first line is no HTTP request");
    *version++ = '\0';
    if (strncmp(version, "HTTP/", 5) != 0 || !is_digit(version[5]) || version[6] != '.' || !is_digit(version[7]) ||
        version[8])
        return refuse(why, SRV_BAD_REQUEST, "the first line is no HTTP request");
    if (version[5] != '1') return refuse(why, SRV_VERSION_NOT_SUPPORTED, "the version must be HTTP/1.0 or HTTP/1.1");
    head->minor = version[7] - '0';
    return read_target(target, head, why);
}

/* ---------------------------------------------------------------- fields */

static unsigned read_length(const char *value, struct srv_head *head, const char **why)
{
    if (head->has_length) return refuse(why, SRV_BAD_REQUEST, "Content-Length is given twice");
    head->has_length = true;
    for (const char *at = value; *at; at++) {
        if (!is_digit(*at)) return refuse(why, SRV_BAD_REQUEST, "Content-Length must be a whole number");
        if (head->length < UINT64_MAX / 20) head->length = 10 * head->length + (uint64_t)(*at - '0');
    }
    return *value ? 0 : refuse(why, SRV_BAD_REQUEST, "Content-Length must be a whole number");
}

static bool has_word(const char *list, const char *word)
{
    const size_t n = strlen(word);
    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',') {
        at += strspn(at, " \t");
        if (orr_starts_nocase(at, word) && strchr(", \t", at[n])) return true;
    }
    return false;
}

/* The weight of an item of a list, "gzip;q=0.5": is it above 0? Anything that is no weight counts as 0. */
static bool has_weight(const char *at)
{
    at += strspn(at, " \t");
    if (*at == ',' || *at == '\0') return true;
    if (*at != ';') return false;
    at += 1 + strspn(at + 1, " \t");
    if ((*at != 'q' && *at != 'Q') || at[1] != '=') return false;
    at += 2;
    if (*at == '1') return true;
    if (*at != '0') return false;
    return at[1] == '.' && strspn(at + 2, "0") < strspn(at + 2, "0123456789");
}

/* Does Accept-Encoding allow gzip? Its own name counts before "*". */
static bool accepts_gzip(const char *list)
{
    bool any = false;
    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',') {
        at += strspn(at, " \t");
        const size_t n = strcspn(at, ",; \t");
        if ((n == 4 && orr_starts_nocase(at, "gzip")) || (n == 6 && orr_starts_nocase(at, "x-gzip")))
            return has_weight(at + n);
        if (n == 1 && *at == '*') any = has_weight(at + n);
    }
    return any;
}

bool srv_head_has_tag(const char *tags, const char *tag)
{
    const size_t n = strlen(tag);
    for (const char *at = tags; *at; at += strcspn(at, ","), at += *at == ',') {
        at += strspn(at, " \t");
        if (*at == '*') return true;
        if (at[0] == 'W' && at[1] == '/') at += 2;
        if (strncmp(at, tag, n) == 0 && strchr(", \t", at[n])) return true;
    }
    return false;
}

/* A field that may stand once. */
static unsigned read_once(const char **at, const char *value, const char *twice, const char **why)
{
    if (*at) return refuse(why, SRV_BAD_REQUEST, twice);
    *at = value;
    return 0;
}

/* What a head is read into before it is complete. */
struct fields {
    struct srv_head *head;
    const char *host;
    bool keeps;
    const char **why;
};

static unsigned read_field(struct fields *fields, const char *name, const char *value)
{
    struct srv_head *head = fields->head;
    const char **why = fields->why;
    if (orr_compare_nocase(name, "Host") == 0) return read_once(&fields->host, value, "Host is given twice", why);
    if (orr_compare_nocase(name, "Origin") == 0) return read_once(&head->origin, value, "Origin is given twice", why);
    if (orr_compare_nocase(name, "Content-Length") == 0) return read_length(value, head, why);
    if (orr_compare_nocase(name, "Accept-Encoding") == 0) head->gzip = accepts_gzip(value);
    if (orr_compare_nocase(name, "If-None-Match") == 0) head->tags = value;
    if (orr_compare_nocase(name, "Transfer-Encoding") == 0) {
        if (orr_compare_nocase(value, "chunked") != 0 || head->chunked || head->minor == 0)
            return refuse(why, SRV_BAD_REQUEST, "the only transfer coding is chunked, in HTTP/1.1");
        head->chunked = true;
    } else if (orr_compare_nocase(name, "Content-Encoding") == 0 && orr_compare_nocase(value, "identity") != 0) {
        return refuse(why, SRV_UNSUPPORTED_MEDIA_TYPE, "the body must not be encoded (Content-Encoding)");
    } else if (orr_compare_nocase(name, "Expect") == 0) {
        if (orr_compare_nocase(value, "100-continue") != 0)
            return refuse(why, SRV_EXPECTATION_FAILED, "the only expectation is 100-continue");
        head->expects = head->minor > 0;
    } else if (orr_compare_nocase(name, "Connection") == 0) {
        head->closes = head->closes || has_word(value, "close");
        fields->keeps = fields->keeps || has_word(value, "keep-alive");
    }
    return 0;
}

/* "Name: value", without the end of its line. */
static unsigned read_field_line(struct fields *fields, char *line)
{
    size_t n = 0;
    while (is_token(line[n])) n++;
    if (n == 0 || line[n] != ':') return refuse(fields->why, SRV_BAD_REQUEST, "a line of the head is no field");
    line[n] = '\0';
    char *value = line + n + 1 + strspn(line + n + 1, " \t"), *end = value + strlen(value);
    while (end > value && (end[-1] == ' ' || end[-1] == '\t')) *--end = '\0';
    for (const char *at = value; *at; at++)
        if ((*at > 0 && *at < ' ' && *at != '\t') || *at == 0x7f)
            return refuse(fields->why, SRV_BAD_REQUEST, "a field of the head has a control character");
    return read_field(fields, line, value);
}

/* The next line without its end, or NULL if it ends otherwise than in "\r\n". */
static char *next_line(char **at)
{
    char *line = *at, *end = strchr(line, '\n');
    if (!end || end == line || end[-1] != '\r') return NULL;
    end[-1] = '\0';
    *at = end + 1;
    return strchr(line, '\r') ? NULL : line;
}

unsigned srv_head_read(char *text, size_t n, struct srv_head *head, const char **why)
{
    *head = (struct srv_head){.method = "", .path = ""};
    struct fields fields = {.head = head, .why = why};
    if (n < 4 || memchr(text, 0, n)) return refuse(why, SRV_BAD_REQUEST, "the head of the request holds a zero byte");
    text[n - 1] = '\0'; /* the last line feed: the empty line is "\r" now */
    char *at = text;
    while (at[0] == '\r' && at[1] == '\n') at += 2; /* empty lines before the request */
    char *line = next_line(&at);
    if (!line) return refuse(why, SRV_BAD_REQUEST, "lines of the head must end in CR LF");
    unsigned status = read_first_line(line, head, why);
    for (int i = 0; !status && strcmp(at, "\r") != 0; i++) {
        line = next_line(&at);
        if (!line) return refuse(why, SRV_BAD_REQUEST, "lines of the head must end in CR LF");
        if (i == SRV_FIELDS_MAX) return refuse(why, SRV_FIELDS_TOO_LARGE, "the head has more than 100 fields");
        status = read_field_line(&fields, line);
    }
    if (status) return status;
    if (head->chunked && head->has_length)
        return refuse(why, SRV_BAD_REQUEST, "Content-Length and Transfer-Encoding exclude each other");
    if (!fields.host && head->minor > 0) return refuse(why, SRV_BAD_REQUEST, "the request has no Host header");
    if (!head->host) head->host = fields.host;
    if (head->minor == 0 && !fields.keeps) head->closes = true;
    return 0;
}

const char *srv_head_argument(const struct srv_head *head, const char *name)
{
    for (size_t i = 0; i < head->n_arguments; i++)
        if (strcmp(head->arguments[i].name, name) == 0) return head->arguments[i].value;
    return NULL;
}

/* ---------------------------------------------------------------- chunks */

enum { SIZE_LINE_MAX = 128, SIZE_DIGITS_MAX = 12, TRAILER_MAX = 4096 };

/* One byte of "1f;extension\r\n". */
static bool take_size(struct srv_chunks *chunks, char c)
{
    if (++chunks->n_line > SIZE_LINE_MAX) return false;
    if (chunks->cr != (c == '\n')) return false;
    chunks->cr = c == '\r';
    if (c == '\n') {
        if (!chunks->digits) return false;
        const uint64_t size = chunks->left;
        *chunks = (struct srv_chunks){.state = size ? SRV_CHUNK_DATA : SRV_CHUNK_TRAILER, .left = size};
        return true;
    }
    if (chunks->cr) return true;
    if (chunks->ending) return ((unsigned char)c >= ' ' && c != 0x7f) || c == '\t';
    if (c == ';') return chunks->ending = chunks->digits;
    if (c == ' ' || c == '\t') return chunks->spaced = chunks->digits;
    if (chunks->spaced) return false;
    if (hex_of(c) < 0 || chunks->n_line > SIZE_DIGITS_MAX) return false;
    chunks->digits = true;
    chunks->left = 16 * chunks->left + (uint64_t)hex_of(c);
    return true;
}

/* One byte of the fields behind the last chunk, up to an empty line. What they say does not count. */
static bool take_trailer(struct srv_chunks *chunks, char c)
{
    if (++chunks->n_trailer > TRAILER_MAX || c == '\0' || chunks->cr != (c == '\n')) return false;
    chunks->cr = c == '\r';
    if (c == '\n') {
        if (chunks->n_line == 0) chunks->state = SRV_CHUNK_DONE;
        chunks->n_line = 0;
        chunks->ending = false;
        return true;
    }
    if (c == '\r') return chunks->n_line == 0 || chunks->ending;
    if (chunks->ending) return ((unsigned char)c >= ' ' && c != 0x7f) || c == '\t';
    chunks->ending = c == ':' && chunks->n_line > 0;
    chunks->n_line++;
    return chunks->ending || is_token(c);
}

/* "\r\n" behind the bytes of a chunk. */
static bool take_data_end(struct srv_chunks *chunks, char c)
{
    if (c != (chunks->cr ? '\n' : '\r')) return false;
    if (chunks->cr) *chunks = (struct srv_chunks){.state = SRV_CHUNK_SIZE};
    else chunks->cr = true;
    return true;
}

size_t srv_chunks_take(struct srv_chunks *chunks, const char *bytes, size_t n, const char **data, size_t *n_data)
{
    *data = bytes;
    *n_data = 0;
    for (size_t i = 0; i < n; i++) {
        switch (chunks->state) {
        case SRV_CHUNK_SIZE:
            if (!take_size(chunks, bytes[i])) return 0;
            break;
        case SRV_CHUNK_DATA:
            *data = bytes + i;
            *n_data = chunks->left < n - i ? (size_t)chunks->left : n - i;
            chunks->left -= *n_data;
            if (chunks->left == 0) *chunks = (struct srv_chunks){.state = SRV_CHUNK_DATA_END};
            return i + *n_data;
        case SRV_CHUNK_DATA_END:
            if (!take_data_end(chunks, bytes[i])) return 0;
            break;
        case SRV_CHUNK_TRAILER:
            if (!take_trailer(chunks, bytes[i])) return 0;
            break;
        case SRV_CHUNK_DONE: return i;
        }
    }
    return n;
}
