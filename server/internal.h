/* What the files of the server share. A request is read and answered by one thread of the pool; only searches and
 * sweeps (study.c) leave it. */
#ifndef SERVER_INTERNAL_H
#define SERVER_INTERNAL_H

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/text.h"
#include "server/server.h"

/* Limits; docs/server.md and /api/v1/openapi.json say them, too. */
enum {
    SRV_BODY_MAX = 1 << 20,    /* bytes of one request */
    SRV_BODIES_MAX = 64 << 20, /* of all requests being read */
    SRV_CONNECTIONS_MAX = 1024,
    SRV_IDLE_S = 30,        /* a connection that says nothing is closed */
    SRV_STUDIES_MAX = 4,    /* searches and sweeps at once */
    SRV_STUDY_S = 60,       /* and how long one may take */
    SRV_POINTS_MAX = 20000, /* of a sweep */
    SRV_SPANS_MAX = 200000  /* of a timeline */
};

struct srv {
    struct orr_catalogue *catalogue;
    struct MHD_Daemon *daemon;
    char bind[64], host[256];
    bool wildcard;            /* bound to every address of the machine */
    char *list;               /* /api/v1/catalogue */
    pthread_key_t workers;    /* struct srv_worker of each thread */
    atomic_size_t body_bytes; /* being read */
    atomic_int n_studies;
    atomic_bool stopping;
};

/* What one thread keeps between requests. */
struct srv_worker {
    struct orr_reader *reader;
    struct orr_scratch *scratch;
    struct orr_answer answer; /* the last one */
};
/* The worker of this thread; NULL: out of memory. */
struct srv_worker *srv_worker(struct srv *srv);

struct srv_study;

struct srv_request {
    struct srv *srv;
    struct MHD_Connection *connection;
    const struct srv_route *route;
    const char *path; /* as long as the handler runs */
    char *body;       /* NUL-terminated once read; NULL: none */
    size_t n_body, capacity;
    unsigned refused;        /* status to answer once the body is over; 0: none */
    struct srv_study *study; /* of a search or sweep that runs */
};

/* ---------------------------------------------------------------- http.c: what MHD calls */

enum MHD_Result srv_access(void *cls, struct MHD_Connection *connection, const char *url, const char *method,
                           const char *version, const char *upload, size_t *n_upload, void **context);
void srv_completed(void *cls, struct MHD_Connection *connection, void **context, enum MHD_RequestTerminationCode how);

/* ---------------------------------------------------------------- guard.c: who may ask */

/* NULL if the Host and Origin of the request are the server's own; else what is wrong. */
const char *srv_guard(const struct srv *srv, struct MHD_Connection *connection, unsigned *status);

/* ---------------------------------------------------------------- routes.c: who answers */

struct srv_route {
    const char *method, *path; /* a path that ends in "/" stands for all that begin with it */
    enum MHD_Result (*answer)(struct srv_request *request);
};
/* The route; NULL with the methods a known path has, or NULL for an unknown one, in *allow. */
const struct srv_route *srv_route(const char *method, const char *path, const char **allow);

/* ---------------------------------------------------------------- study.c: searches and sweeps */

enum MHD_Result srv_search(struct srv_request *request);
enum MHD_Result srv_sweep(struct srv_request *request);
/* The client is gone or has its answer. */
void srv_study_release(struct srv_study *study);

/* ---------------------------------------------------------------- reply.c: answers */

#define SRV_JSON "application/json; charset=utf-8"

/* Queue a malloc'd text and free it; NULL: out of memory, status 503. */
enum MHD_Result srv_reply_text(struct MHD_Connection *connection, unsigned status, const char *type, char *text);
/* The same for bytes that outlive the server; `lasting`: browsers may keep them for good. */
enum MHD_Result srv_reply_bytes(struct MHD_Connection *connection, const char *type, const char *bytes, size_t n,
                                bool lasting);
/* {"error": {"text", "key", "line", "column"}} */
enum MHD_Result srv_reply_error(struct MHD_Connection *connection, unsigned status, const struct orr_error *error);
enum MHD_Result srv_reply_refusal(struct MHD_Connection *connection, unsigned status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Headers every answer carries. */
void srv_add_headers(struct MHD_Response *response, const char *type, const char *cache);

/* ---------------------------------------------------------------- files in the program (tools/embed_files.c) */

struct srv_file {
    const char *path; /* "/index.html"; of server/static and, if it was built, web/dist */
    const char *bytes;
    size_t size;
};
extern const struct srv_file srv_files[];
extern const size_t srv_n_files;

#endif
