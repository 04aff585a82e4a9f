/* A connection and the loop of the thread that it belongs to. Only that thread touches the connection; threads of
 * studies reach it through srv_wake. */
#ifndef SERVER_LOOP_H
#define SERVER_LOOP_H

#include "server/internal.h"

enum { SRV_READ_BYTES = 16 << 10, SRV_BLOCK_BYTES = 64 << 10, SRV_BUFFER_BYTES = 128 << 10 };

enum srv_phase {
    SRV_PHASE_HEAD,   /* a head arrives, or nothing yet */
    SRV_PHASE_BODY,   /* a body arrives */
    SRV_PHASE_WAIT,   /* a study works for the answer, or for its next event */
    SRV_PHASE_ANSWER, /* the answer leaves */
    SRV_PHASE_LINGER  /* the answer has left; what the client still sends is dropped, so that it reads the answer */
};

struct srv_connection {
    struct srv_loop *loop;
    struct srv_connection *previous, *next; /* of the loop */
    struct srv_connection *next_woken;
    bool woken; /* is in the list of woken connections, which the lock of the loop guards */
    int fd;
    unsigned interest; /* events that epoll reports */
    struct srv_address address;
    char shown[INET6_ADDRSTRLEN];

    enum srv_phase phase;
    enum srv_ending ending; /* of the request, if its answer leaves whole */
    bool begun;             /* a byte of the request has arrived, so it is to be counted and logged */
    bool body_read;         /* nothing of the request is left to arrive */
    double until_s;         /* when the phase must be over */
    char *in;               /* bytes received and not used */
    size_t n_in, in_capacity;
    char *head; /* the text that request.head leads into */
    struct srv_request request;
    struct srv_chunks chunks;
    uint64_t body_left; /* bytes left of a body of known length */
    size_t n_dropped;   /* bytes dropped while lingering */

    struct orr_text out;  /* head of the answer, or a block of events */
    const char *out_body; /* what follows it */
    char *out_owned;      /* NULL, or out_body, to be freed */
    size_t n_out_body, n_out_sent;
    bool streams, closes;
};

struct srv_loop {
    struct srv *srv;
    pthread_t thread;
    bool started;
    int epoll_fd, event_fd;
    struct srv_connection *connections;
    atomic_int n_connections;
    pthread_mutex_t lock; /* guards the two lists below */
    struct srv_connection *woken, *arrived;
    time_t date_s; /* the second that `date` names */
    char date[40];
};

/* ---------------------------------------------------------------- connection.c */

struct srv_connection *srv_connection_open(struct srv_loop *loop, int fd, const struct srv_address *address,
                                           const char *shown);
void srv_connection_close(struct srv_connection *connection, enum srv_ending ending);
/* Bytes have arrived or may be sent; no events: the study has something to say. May close the connection. */
void srv_connection_go_on(struct srv_connection *connection, unsigned events);
/* End what takes too long. May close the connection. */
void srv_connection_tick(struct srv_connection *connection, double now_s);

/* ---------------------------------------------------------------- output.c */

enum srv_flushed { SRV_FLUSH_DONE, SRV_FLUSH_LATER, SRV_FLUSH_FAILED };
/* When an answer of `n` bytes must have left. */
double srv_answer_until_s(const struct srv_connection *connection, size_t n);
/* Send what the socket takes of the answer. */
enum srv_flushed srv_flush(struct srv_connection *connection);
/* Make a block of the next events of the study. Returns false if there are none at the moment or the stream is
 * broken. */
bool srv_next_events(struct srv_connection *connection, bool *broken);
/* Free what is left of the answer. */
void srv_drop_output(struct srv_connection *connection);

/* ---------------------------------------------------------------- loop.c */

void srv_loop_watch(struct srv_connection *connection, unsigned interest);
void srv_loop_forget(struct srv_connection *connection);
const char *srv_loop_date(struct srv_loop *loop);

#endif
