/* orrery serve: the JSON contract over HTTP, and the explorer's files. docs/server.md. */
#ifndef SERVER_SERVER_H
#define SERVER_SERVER_H

#include "orrery.h"

struct srv;

struct srv_options {
    struct orr_catalogue *catalogue; /* is sealed; must outlive the server */
    const char *bind;                /* address to listen at, e.g. "127.0.0.1" */
    int port;                        /* 0: any that is free */
    int n_threads;                   /* that answer; 0: as many as there are cores */
    const char *host;                /* a further name browsers may know the server by; NULL: none */
};

#define SRV_MESSAGE ORR_ERROR_TEXT

/* Start; NULL with a line in `message` if that is not possible. Signals the server must not take are to be blocked
 * before: its threads inherit that. */
struct srv *srv_start(const struct srv_options *options, char message[SRV_MESSAGE]);
int srv_port(const struct srv *srv);
/* Stop searches and sweeps, finish answers, close. */
void srv_stop(struct srv *srv);

#endif
