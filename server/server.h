/* orrery serve: the JSON contract over HTTP, and the files of the explorer. See docs/server.md. */
#ifndef SERVER_SERVER_H
#define SERVER_SERVER_H

#include "orrery.h"

struct srv;

struct srv_options {
    struct orr_catalogue *catalogue; /* must outlive the server, which seals it */
    const char *bind;                /* address to listen at, e.g. "127.0.0.1" */
    int port;                        /* 0: any free port */
    int n_threads;                   /* threads that answer; 0: one per core */
    const char *host;                /* a further name of the server in browsers, or "https://name"; NULL: none */
    int n_connections;               /* most connections; 0: the default */
    int n_per_address;               /* most of one address; 0: the default, which exempts this machine */
    double request_s;                /* seconds in which a whole request must arrive; 0: the default */
    const char *log;                 /* file of the access log, "-" for standard error; NULL: none */
    bool log_json;
};

#define SRV_MESSAGE ORR_ERROR_TEXT

/* Start the server. Returns NULL with a line in `message` if that fails. Signals that the server must not take are to
 * be blocked before, because its threads inherit the mask. */
struct srv *srv_start(const struct srv_options *options, char message[SRV_MESSAGE]);
int srv_port(const struct srv *srv);
/* Stop searches and sweeps, finish the answers and close the server. Returns false if work goes on after 10 s, which
 * still uses the server and its catalogue: then only the end of the process is left. */
bool srv_stop(struct srv *srv);

#endif
