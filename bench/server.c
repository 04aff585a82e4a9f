/* orrery serve under load: the server is a process, and each keep-alive connection waits for its answer before it asks
 * again. Every request has other numbers, so that only the model and the system can be reused. */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

enum { CONNECTIONS = 16, ANSWER_MAX = 1 << 16 };
#define LOAD_S 1.0

struct connection {
    int socket;
    size_t n_answer;
    char answer[ANSWER_MAX];
};

static void die(const char *what)
{
    fprintf(stderr, "bench: server: %s\n", what);
    exit(2);
}

static int write_body(char *body, size_t size, long i)
{
    return snprintf(body, size,
                    "{\"model\":\"llama2-70b\",\"system\":\"h100-sxm\",\"gpus\":8,\"plan\":{\"tp\":8},\"workload\":"
                    "{\"batch\":%ld,\"input_len\":%ld,\"output_len\":%ld,\"engine\":\"tensorrt-llm-nemo\"}}",
                    1 + i % 64, 100 + i % 1999, 100 + i % 997);
}

/* ---------------------------------------------------------------- the server */

/* Start the server on a free port, which it prints after its warnings. Returns 0 if the program was built without the
 * server. */
static int start_server(char *program, pid_t *child)
{
    char serve[] = "serve", port_option[] = "--port", zero[] = "0", line[256] = "";
    char *const argv[] = {program, serve, port_option, zero, NULL};
    int ends[2], port = 0;
    if (pipe(ends) != 0) die("no pipe");
    *child = fork();
    if (*child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        execvp(argv[0], argv);
        _exit(127);
    }
    close(ends[1]);
    FILE *out = fdopen(ends[0], "r");
    if (*child < 0 || !out) die("does not start");
    while (!port && fgets(line, sizeof line, out)) (void)sscanf(line, "orrery: http://127.0.0.1:%d/", &port);
    fclose(out);
    return port;
}

static void stop_server(pid_t child)
{
    int status;
    kill(child, SIGTERM);
    if (waitpid(child, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) die("does not stop well");
}

/* ---------------------------------------------------------------- the load */

static void open_connection(struct connection *c, int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    const int yes = 1;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    c->socket = socket(AF_INET, SOCK_STREAM, 0);
    if (c->socket < 0 || connect(c->socket, (struct sockaddr *)&address, sizeof address) != 0) die("cannot connect");
    setsockopt(c->socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

static void ask(struct connection *c, long i)
{
    char body[512], request[1024];
    const int n_body = write_body(body, sizeof body, i);
    const int n =
        snprintf(request, sizeof request,
                 "POST /api/v1/infer HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", n_body, body);
    c->n_answer = 0;
    if (write(c->socket, request, (size_t)n) != n) die("cannot send");
}

/* Has the whole answer arrived? */
static int take(struct connection *c)
{
    const ssize_t n = read(c->socket, c->answer + c->n_answer, sizeof c->answer - c->n_answer - 1);
    if (n <= 0) die("closed a connection");
    c->n_answer += (size_t)n;
    c->answer[c->n_answer] = '\0';
    const char *end = strstr(c->answer, "\r\n\r\n"), *length = strstr(c->answer, "Content-Length: ");
    if (!end || !length || length > end) return 0;
    if (strncmp(c->answer, "HTTP/1.1 200", 12) != 0) die("answered with an error");
    return c->n_answer == (size_t)(end + 4 - c->answer) + strtoul(length + 16, NULL, 10);
}

static double load(int port)
{
    static struct connection connections[CONNECTIONS];
    struct pollfd waiting[CONNECTIONS];
    long n_asked = 0, n_answered = 0;
    for (int i = 0; i < CONNECTIONS; i++) {
        open_connection(&connections[i], port);
        waiting[i] = (struct pollfd){.fd = connections[i].socket, .events = POLLIN};
        ask(&connections[i], n_asked++);
    }
    const double start_s = now_s();
    double spent_s = 0;
    for (; spent_s < LOAD_S; spent_s = now_s() - start_s) {
        if (poll(waiting, CONNECTIONS, 10000) <= 0) die("does not answer");
        for (int i = 0; i < CONNECTIONS; i++) {
            if (!waiting[i].revents || !take(&connections[i])) continue;
            n_answered++;
            ask(&connections[i], n_asked++);
        }
    }
    for (int i = 0; i < CONNECTIONS; i++) close(connections[i].socket);
    return (double)n_answered / spent_s;
}

/* ---------------------------------------------------------------- the same without a server */

static double answers_per_s(const struct orr_catalogue *catalogue)
{
    struct orr_reader *reader = orr_reader_new(catalogue);
    struct orr_scratch *scratch = orr_scratch_new();
    struct orr_answer *answer = malloc(sizeof *answer);
    const enum orr_job_kind kind = ORR_JOB_INFER;
    const double start_s = now_s();
    double spent_s = 0;
    long n = 0;
    if (!reader || !scratch || !answer) die("out of memory");
    for (; spent_s < LOAD_S / 2; spent_s = now_s() - start_s) {
        char body[512];
        const struct orr_job *job;
        (void)write_body(body, sizeof body, n++);
        if (orr_reader_job(reader, body, "request", &kind, &job, NULL)) die("the request is wrong");
        orr_predict(job, scratch, answer);
        free(orr_render(answer, ORR_FORMAT_JSON, NULL));
    }
    orr_reader_free(reader);
    orr_scratch_free(scratch);
    free(answer);
    return (double)n / spent_s;
}

void measure_server(char *program, const struct orr_catalogue *catalogue, struct figure figures[N_SERVER_FIGURES])
{
    pid_t child;
    double best = 0;
    const int port = start_server(program, &child);
    for (int run = 0; run < 3 && port; run++) { /* The machine may have other work, so the best of three counts. */
        const double rate = load(port);
        if (rate > best) best = rate;
    }
    if (port) stop_server(child);
    else waitpid(child, NULL, 0);
    figures[0] = (struct figure){"server_requests_per_s", best,
                                 "infer requests of orrery serve, all different, 16 connections from this machine"};
    figures[1] = (struct figure){"server_ratio", best / answers_per_s(catalogue),
                                 "the same over reading, predicting and writing in one thread, without HTTP"};
}
