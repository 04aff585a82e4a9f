/* What the files of the server share. One thread of the pool reads and answers a request; only searches and sweeps
 * (study.c) have threads of their own. */
#ifndef SERVER_INTERNAL_H
#define SERVER_INTERNAL_H

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/plain.h"
#include "base/text.h"
#include "server/server.h"

/* Limits. docs/server.md and /api/v1/openapi.json state them, too. */
enum {
    SRV_BODY_MAX = 1 << 20,    /* bytes of one request */
    SRV_BODIES_MAX = 64 << 20, /* bytes of all requests being read */
    SRV_CONNECTIONS_MAX = 1024,
    SRV_IDLE_S = 30,        /* after which a silent connection is closed */
    SRV_STUDIES_MAX = 4,    /* searches and sweeps at once */
    SRV_STUDY_S = 60,       /* seconds that one of them may take */
    SRV_POINTS_MAX = 20000, /* points of a sweep */
    SRV_SPANS_MAX = 200000  /* spans of a timeline */
};

struct srv {
    struct orr_catalogue *catalogue;
    struct MHD_Daemon *daemon;
    char bind[64], host[256];
    bool wildcard;            /* The server listens at every address of the machine. */
    char *list;               /* answer of /api/v1/catalogue */
    char *openapi;            /* answer of /api/v1/openapi.json */
    pthread_key_t workers;    /* the struct srv_worker of each thread */
    atomic_size_t body_bytes; /* bytes of requests being read */
    atomic_int n_studies;
    atomic_bool stopping;
};

/* The memory that one thread keeps between requests. */
struct srv_worker {
    struct orr_reader *reader;
    struct orr_scratch *scratch;
    struct orr_answer answer; /* its latest answer */
};
/* The document of /api/v1/openapi.json from its file; NULL if out of memory. */
char *srv_openapi(const char *bytes, size_t n_bytes);
/* The worker of this thread; NULL if out of memory. */
struct srv_worker *srv_worker(struct srv *srv);

struct srv_study;

struct srv_request {
    struct srv *srv;
    struct MHD_Connection *connection;
    const struct srv_route *route;
    const char *path; /* valid while the handler runs */
    char *body;       /* NUL-terminated once read; NULL: none */
    size_t n_body, capacity;
    unsigned refused;        /* status of the answer after the body is read; 0: none */
    struct srv_study *study; /* the search or sweep that runs for the request */
};

/* ---------------------------------------------------------------- http.c: what MHD calls */

enum MHD_Result srv_access(void *cls, struct MHD_Connection *connection, const char *url, const char *method,
                           const char *version, const char *upload, size_t *n_upload, void **context);
void srv_completed(void *cls, struct MHD_Connection *connection, void **context, enum MHD_RequestTerminationCode how);

/* ---------------------------------------------------------------- guard.c: who may ask */

/* Returns NULL if the Host and Origin of the request are the server's own; else what is wrong. */
const char *srv_guard(const struct srv *srv, struct MHD_Connection *connection, unsigned *status);

/* ---------------------------------------------------------------- routes.c: who answers */

struct srv_route {
    const char *method, *path; /* A path that ends in "/" stands for all paths that begin with it. */
    enum MHD_Result (*answer)(struct srv_request *request);
};
/* The route, or NULL. *allow then lists the methods of a known path, or is NULL for an unknown path. */
const struct srv_route *srv_route(const char *method, const char *path, const char **allow);

/* ---------------------------------------------------------------- study.c: searches and sweeps */

enum MHD_Result srv_search(struct srv_request *request);
enum MHD_Result srv_sweep(struct srv_request *request);
/* The client has left or has its answer. */
void srv_study_release(struct srv_study *study);

/* ---------------------------------------------------------------- reply.c: answers */

#define SRV_JSON "application/json; charset=utf-8"

/* Queue a malloc'd text and free it. NULL means out of memory and is answered with status 503. */
enum MHD_Result srv_reply_text(struct MHD_Connection *connection, unsigned status, const char *type, char *text);
/* As srv_reply_text, for bytes that outlive the server. Browsers may keep them for good if `lasting`. */
enum MHD_Result srv_reply_bytes(struct MHD_Connection *connection, const char *type, const char *bytes, size_t n,
                                bool lasting);
/* Answers {"error": {"text", "key", "line", "column"}}. */
enum MHD_Result srv_reply_error(struct MHD_Connection *connection, unsigned status, const struct orr_error *error);
enum MHD_Result srv_reply_refusal(struct MHD_Connection *connection, unsigned status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Add the headers that every answer carries. */
void srv_add_headers(struct MHD_Response *response, const char *type, const char *cache);

/* ---------------------------------------------------------------- files in the program (tools/embed_files.c) */

struct srv_file {
    const char *path; /* for example "/index.html": a file of server/static or, if it was built, of web/dist */
    const char *bytes;
    size_t size;
};
extern const struct srv_file srv_files[];
extern const size_t srv_n_files;

#endif
