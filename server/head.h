/* The head of a request: its first line and its fields, read strictly. What two readers could understand differently
 * (a bare line feed, a second length, a length beside a transfer coding, a zero byte) is refused. Nothing here knows
 * connections or allocates, so that tests and the fuzz target call it with bytes. */
#ifndef SERVER_HEAD_H
#define SERVER_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum srv_status {
    SRV_OK = 200,
    SRV_NOT_MODIFIED = 304,
    SRV_BAD_REQUEST = 400,
    SRV_FORBIDDEN = 403,
    SRV_NOT_FOUND = 404,
    SRV_METHOD_NOT_ALLOWED = 405,
    SRV_REQUEST_TIMEOUT = 408,
    SRV_CONTENT_TOO_LARGE = 413,
    SRV_URI_TOO_LONG = 414,
    SRV_UNSUPPORTED_MEDIA_TYPE = 415,
    SRV_EXPECTATION_FAILED = 417,
    SRV_MISDIRECTED_REQUEST = 421,
    SRV_FIELDS_TOO_LARGE = 431,
    SRV_SERVICE_UNAVAILABLE = 503,
    SRV_VERSION_NOT_SUPPORTED = 505
};

enum { SRV_HEAD_MAX = 32 << 10, SRV_TARGET_MAX = 8 << 10, SRV_FIELDS_MAX = 100, SRV_ARGUMENTS_MAX = 8 };

struct srv_argument {
    const char *name, *value;
};

/* Pointers lead into the text that was read. */
struct srv_head {
    const char *method, *path; /* the path without escapes */
    const char *host;          /* authority of the target, or else the Host field; NULL: none */
    const char *origin;        /* NULL: none */
    const char *tags;          /* of If-None-Match; NULL: none */
    bool gzip;                 /* the answer may be compressed by gzip */
    int minor;                 /* of HTTP/1.minor */
    uint64_t length;           /* of the body; 0 without one */
    bool chunked;              /* the body comes in chunks */
    bool has_length, expects;  /* a length is given; the client waits for "100 Continue" */
    bool closes;               /* the client ends the connection after this answer */
    struct srv_argument arguments[SRV_ARGUMENTS_MAX];
    size_t n_arguments;
    char shown[128]; /* beginning of the target as sent, for logs */
};

/* Bytes up to and including the empty line that ends a head; 0: it has not arrived. A zero byte ends it, too, because
 * no head with one is accepted. */
size_t srv_head_end(const char *bytes, size_t n);
/* Read a whole head, and write zeros into it. Returns 0, or the status of the refusal and what is wrong. */
unsigned srv_head_read(char *text, size_t n, struct srv_head *head, const char **why);
/* Does a list of entity tags ("a", W/"b" or *) have this one? Weak tags count as strong ones, as in caches. */
bool srv_head_has_tag(const char *tags, const char *tag);
/* The value of ?name=; NULL: none. */
const char *srv_head_argument(const struct srv_head *head, const char *name);

/* ---------------------------------------------------------------- bodies in chunks */

enum srv_chunk_state { SRV_CHUNK_SIZE, SRV_CHUNK_DATA, SRV_CHUNK_DATA_END, SRV_CHUNK_TRAILER, SRV_CHUNK_DONE };

struct srv_chunks {
    enum srv_chunk_state state;
    uint64_t left;       /* bytes left of the chunk */
    size_t n_line;       /* bytes of the line at hand */
    size_t n_trailer;    /* bytes of all trailing lines */
    bool digits, spaced; /* the line of a size has a digit; a space behind its digits */
    bool ending;         /* an extension of a size, or the value of a trailing field */
    bool cr;             /* the byte before was a carriage return */
};

/* Take bytes of the body. *data and *n_data are the piece of content that was found, *n_data 0 if none. Returns the
 * bytes that were used, or 0 if they are no chunk. */
size_t srv_chunks_take(struct srv_chunks *chunks, const char *bytes, size_t n, const char **data, size_t *n_data);

#endif
