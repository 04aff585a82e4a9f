/* What the files of the server share. A thread of the pool reads and answers requests of its own connections; searches,
 * sweeps and other long work have threads of their own (study.c). */
#ifndef SERVER_INTERNAL_H
#define SERVER_INTERNAL_H

#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/plain.h"
#include "base/text.h"
#include "server/head.h"
#include "server/server.h"

/* Limits. docs/server.md and /api/v1/openapi.json state them, too. */
enum {
    SRV_BODY_MAX = 1 << 20,      /* bytes of one request */
    SRV_BODIES_MAX = 64 << 20,   /* bytes of all requests being read */
    SRV_UNSENT_MAX = 64 << 20,   /* bytes of one answer that wait for its client */
    SRV_UNSENTS_MAX = 192 << 20, /* bytes of all answers that wait for their clients */
    SRV_CONNECTIONS_MAX = 1024,  /* in all, unless --connections says otherwise */
    SRV_ADDRESS_MAX = 64,        /* of one address elsewhere, unless --connections-per-address says otherwise */
    SRV_IDLE_S = 30,             /* after which a connection between two requests is closed */
    SRV_REQUEST_S = 10,          /* seconds in which a whole request must arrive, unless --timeout says otherwise; */
    SRV_ANSWER_TIMES = 2,        /* an answer has so many times as long to leave, and one more second for */
    SRV_ANSWER_RATE = 64 << 10,  /* so many bytes of it */
    SRV_STUDIES_MAX = 4,         /* searches and sweeps at once */
    SRV_STUDY_S = 60,            /* seconds that one of them may take */
    SRV_WORKS_MAX = 16,          /* other long answers at once */
    SRV_WORK_S = 20,             /* seconds after which a simulation is answered with what is known by then */
    SRV_POINTS_MAX = 20000,      /* points of a sweep */
    SRV_SPANS_MAX = 200000       /* spans of a timeline */
};

struct srv_connection;
struct srv_request;
struct srv_study;

/* Whether a request was answered, or waits for its study. SRV_NO ends the connection. */
enum srv_result { SRV_NO, SRV_YES };

/* ---------------------------------------------------------------- metrics.c: what /metrics counts */

#define SRV_ENDINGS(X)                                                                                                 \
    X(ANSWERED, "answered", "the answer was sent whole")                                                               \
    X(LEFT, "left", "the client left before its answer was sent")                                                      \
    X(LATE, "deadline", "the request or the reading of its answer took too long")                                      \
    X(EVICTED, "evicted", "the slowest request made room for a new connection")
enum srv_ending {
#define X(name, label, text) SRV_##name,
    SRV_ENDINGS(X)
#undef X
        SRV_N_ENDINGS
};

enum { SRV_N_CODES = 17, SRV_N_BUCKETS = 8, SRV_N_ROUTES_MAX = 24 };

struct srv_metrics {
    double start_s;
    atomic_ullong requests[SRV_N_ROUTES_MAX][SRV_N_CODES]; /* by route and status */
    atomic_ullong buckets[SRV_N_ROUTES_MAX][SRV_N_BUCKETS + 1];
    atomic_ullong microseconds[SRV_N_ROUTES_MAX];
    atomic_ullong endings[SRV_N_ENDINGS];
    atomic_ullong n_accepted, n_refused_all, n_refused_address, n_log_errors;
};

/* Count a request that is over; a route of -1 has none. */
void srv_metrics_count(struct srv_metrics *metrics, int route, unsigned status, enum srv_ending ending, double took_s);
enum srv_result srv_metrics_answer(struct srv_request *request);

/* ---------------------------------------------------------------- log.c: one line per request */

struct srv_log {
    int fd; /* -1: none */
    bool json;
    bool cut;             /* The last line ends amid itself. */
    pthread_mutex_t lock; /* guards `cut` and the room for a line */
};

/* Open the access log; "-" is standard error. Returns false with a line in `message`. */
bool srv_log_open(struct srv_log *log, const char *name, bool json, char message[SRV_MESSAGE]);
void srv_log_request(struct srv *srv, const struct srv_request *request, enum srv_ending ending, double took_s);

/* ---------------------------------------------------------------- address.c: connections of one address */

struct srv_address {
    unsigned char bytes[16]; /* an IPv4 address as IPv6 knows it; of IPv6 the first 64 bits, which one client has */
    bool local;              /* this machine */
};

struct srv_addresses {
    pthread_mutex_t lock;
    struct srv_address_count {
        struct srv_address address;
        int n;
    } * counts;
    int n_counts, capacity;
};

struct srv_address srv_address_of(const struct sockaddr *address, char shown[INET6_ADDRSTRLEN]);
bool srv_addresses_init(struct srv_addresses *addresses, int n_connections_max);
void srv_addresses_free(struct srv_addresses *addresses);
/* Count a connection. Returns false if its address has `n_max` of them already. */
bool srv_addresses_take(struct srv_addresses *addresses, const struct srv_address *address, int n_max);
void srv_addresses_leave(struct srv_addresses *addresses, const struct srv_address *address);

/* ---------------------------------------------------------------- the server */

struct srv {
    struct orr_catalogue *catalogue;
    char bind[64], host[256], scheme[16]; /* the further name and, if only one reaches it, its scheme */
    bool wildcard;                        /* The server listens at every address of the machine. */
    int n_connections_max, n_per_address; /* 0 per address: SRV_ADDRESS_MAX, and this machine without limit */
    double request_s;                     /* in which a whole request must arrive */
    int listen_fd, n_loops;
    struct srv_loop *loops;
    struct srv_addresses addresses;
    struct srv_log log;
    struct srv_metrics metrics;
    char *list;               /* answer of /api/v1/catalogue */
    char *openapi;            /* answer of /api/v1/openapi.json */
    pthread_key_t workers;    /* the struct srv_worker of each thread */
    atomic_size_t body_bytes; /* bytes of requests being read */
    atomic_size_t unsent_bytes;
    atomic_int n_connections, n_studies, n_works;
    atomic_bool stopping;
};

/* Threads that work for requests. */
int srv_n_threads(struct srv *srv);

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

/* ---------------------------------------------------------------- http.c: from bytes to answers */

struct srv_request {
    struct srv *srv;
    struct srv_connection *connection;
    const struct srv_route *route;
    struct srv_head head;
    const char *path; /* that of the head */
    char *body;       /* NUL-terminated once read; NULL: none */
    size_t n_body, capacity;
    unsigned refused;        /* status of the answer after the body is read; 0: none */
    struct srv_study *study; /* the search, sweep or other work that runs for the request */
    double begun_s;
    unsigned status; /* of the answer; 0: none yet */
    uint64_t n_received, n_sent;
};

/* The head has arrived: refuse the request at once (srv_request.status is set then), or read its body. */
enum srv_result srv_begin(struct srv_request *request);
/* Receive a piece of the body. */
void srv_take(struct srv_request *request, const char *bytes, size_t n);
/* The body has arrived, or the study has something to say. */
enum srv_result srv_finish(struct srv_request *request);
/* The answer was sent, or the connection has ended: count it, log it and free what it has. */
void srv_completed(struct srv_request *request, enum srv_ending ending);

/* ---------------------------------------------------------------- guard.c: who may ask */

/* Take a further name of the server, "name" or "https://name"; NULL: none. Returns false if it is no name. */
bool srv_name(struct srv *srv, const char *host);
/* Returns NULL if the Host and Origin of a request are the server's own; else what is wrong. */
const char *srv_guard(const struct srv *srv, const char *host, const char *origin, unsigned *status);

/* ---------------------------------------------------------------- routes.c: who answers */

struct srv_route {
    const char *method, *path; /* A path that ends in "/" stands for all paths that begin with it. */
    enum srv_result (*answer)(struct srv_request *request);
    enum orr_ask_kind question; /* ORR_N_ASKS: none of the library's */
};
/* The route, or NULL. *allow then lists the methods of a known path, or is NULL for an unknown path. */
const struct srv_route *srv_route(const char *method, const char *path, const char **allow);
int srv_route_number(const struct srv_route *route);
const char *srv_route_label(int number); /* NULL behind the last one */

/* ---------------------------------------------------------------- study.c: searches, sweeps and other long work */

/* Answer a question with events: its progress, then its result. */
enum srv_result srv_streamed(struct srv_request *request);
/* Answer with the text that `work` makes of the body, in a thread of its own. It returns the status. */
typedef unsigned srv_work(struct srv_study *study, const char *body, char **text);
enum srv_result srv_slow(struct srv_request *request, srv_work *work, enum orr_format format);
/* The work of a question that takes long. */
unsigned srv_question_text(struct srv_study *study, const char *body, char **text);
/* The status of long work; where it failed, its text becomes that of the error. */
unsigned srv_status_of(enum orr_err err, const struct orr_error *error, char **text);
struct srv *srv_study_server(const struct srv_study *study);
/* The client has left or has its answer. */
void srv_study_release(struct srv_study *study);
/* The next bytes of the events; 0: none at the moment, SRV_STREAM_END, or SRV_STREAM_BROKEN. */
enum { SRV_STREAM_END = -1, SRV_STREAM_BROKEN = -2 };
long srv_study_read(struct srv_study *study, char *buffer, size_t max);
/* Bytes of events, if none of them has been read. */
size_t srv_study_burst(struct srv_study *study);

/* ---------------------------------------------------------------- connection.c, loop.c: bytes in and out */

/* What reply.c hands over: the bytes are freed after they were sent if `owned`. */
struct srv_output {
    unsigned status;
    const char *type, *cache, *allow; /* allow: NULL for none */
    const char *tag;                  /* ETag with its quotes; NULL: none */
    bool varies, gzip;                /* depends on Accept-Encoding; is compressed */
    char *bytes;
    size_t n;
    bool owned, streams; /* streams: the events of the study follow */
};
enum srv_result srv_send(struct srv_connection *connection, const struct srv_output *output);
/* A study has something to say; called by its thread. */
void srv_wake(struct srv_connection *connection);

bool srv_loops_start(struct srv *srv, int n_loops);
void srv_loops_stop(struct srv *srv);

/* ---------------------------------------------------------------- reply.c: answers */

#define SRV_JSON   "application/json; charset=utf-8"
#define SRV_EVENTS "text/event-stream; charset=utf-8"

/* The headers that every answer carries, as lines. */
extern const char SRV_ALWAYS[];
const char *srv_reason(unsigned status);

/* Answer with a malloc'd text and free it. NULL means out of memory and is answered with status 503. */
enum srv_result srv_reply_text(struct srv_connection *connection, unsigned status, const char *type, char *text);
/* As srv_reply_text, for bytes that outlive the server. */
enum srv_result srv_reply_bytes(struct srv_connection *connection, const char *type, const char *bytes, size_t n);
/* Answer with a file of the program, compressed where the client takes that, or with 304 if it has it already. */
enum srv_result srv_reply_file(struct srv_request *request, const struct orr_page_file *file, const char *type);
/* Answers {"error": {"text", "key", "line", "column"}}. */
enum srv_result srv_reply_error(struct srv_connection *connection, unsigned status, const struct orr_error *error);
enum srv_result srv_reply_refusal(struct srv_connection *connection, unsigned status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
enum srv_result srv_reply_method(struct srv_connection *connection, const char *allow, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Answer with the events of the study. */
enum srv_result srv_reply_events(struct srv_connection *connection);

/* ---------------------------------------------------------------- files in the program (tools/embed_files.c) */

extern const struct orr_page_file srv_files[]; /* the files of server/static */
extern const size_t srv_n_files;

#endif
