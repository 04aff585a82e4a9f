/* Searches and sweeps, each in a thread of its own that passes events to its connection, and other long work, which
 * passes one text. A client that has left is noticed when the next event is sent. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "server/internal.h"

#define TELL_S 0.2 /* least seconds between two progress events */
enum { BATCH_MIN = 16, BATCH_MAX = 1024, NICER = 5 };

struct srv_study {
    struct srv *srv;
    struct srv_connection *connection;
    char *body; /* owned by the study */
    void (*run)(struct srv_study *study);
    srv_work *work;    /* what makes the text of other long work; NULL: a search or sweep */
    atomic_int *count; /* of the server: threads of this sort */
    double start_s, told_s;
    pthread_mutex_t lock; /* guards the members below */
    int n_owners;         /* the thread and the connection */
    unsigned status;      /* status of the answer; 0: not known yet */
    char *text;           /* of the answer, unless events follow */
    struct orr_text events;
    size_t n_sent;    /* bytes of events sent */
    size_t n_counted; /* bytes of events that the server counts as unsent */
    bool waits;       /* the connection has nothing to send and is to be woken */
    bool gone, done;
};

/* ---------------------------------------------------------------- from the thread to the connection */

/* The caller holds the lock, and so the connection, which is not freed before it is gone. */
static void wake(struct srv_study *study)
{
    if (!study->waits || study->gone) return;
    study->waits = false;
    srv_wake(study->connection);
}

/* Tell the server how many bytes of events are held. The caller holds the lock. */
static void count_unsent(struct srv_study *study)
{
    const size_t n = study->events.capacity;
    atomic_fetch_add(&study->srv->unsent_bytes, n - study->n_counted); /* of unsigned numbers: also less */
    study->n_counted = n;
}

/* Give up a share of the study; the last owner frees it. */
static void release(struct srv_study *study)
{
    pthread_mutex_lock(&study->lock);
    const bool last = --study->n_owners == 0;
    pthread_mutex_unlock(&study->lock);
    if (!last) return;
    pthread_mutex_destroy(&study->lock);
    atomic_fetch_sub(&study->srv->unsent_bytes, study->n_counted);
    free(study->text);
    free(study->events.data);
    free(study->body);
    free(study);
}

void srv_study_release(struct srv_study *study)
{
    pthread_mutex_lock(&study->lock);
    study->gone = true;
    pthread_mutex_unlock(&study->lock);
    release(study);
}

/* Set the status of the answer and its text, which the study takes. */
static void decide(struct srv_study *study, unsigned status, char *text)
{
    pthread_mutex_lock(&study->lock);
    study->status = status;
    study->text = text;
    wake(study);
    pthread_mutex_unlock(&study->lock);
}

static void decide_error(struct srv_study *study, const struct orr_error *error)
{
    decide(study, error->code == ORR_ERR_MEMORY ? SRV_SERVICE_UNAVAILABLE : SRV_BAD_REQUEST, orr_error_json(error));
}

/* Send an event; each line of its text is a line of data. A NULL text means out of memory. */
static void send_event(struct srv_study *study, const char *name, const char *text)
{
    pthread_mutex_lock(&study->lock);
    struct orr_text *events = &study->events;
    orr_text_add(events, "event: %s", text ? name : "error");
    if (!text) text = "{\"error\":{\"text\":\"out of memory\",\"key\":\"\",\"line\":0,\"column\":0}}";
    for (size_t n; *text; text += n + (text[n] == '\n')) {
        n = strcspn(text, "\n");
        orr_text_add(events, "\ndata: ");
        orr_text_append(events, text, n);
    }
    orr_text_add(events, "\n\n");
    count_unsent(study);
    wake(study);
    pthread_mutex_unlock(&study->lock);
}

static void send_error(struct srv_study *study, const struct orr_error *error)
{
    char *text = orr_error_json(error);
    send_event(study, "error", text);
    free(text);
}

/* Send the result, unless too much waits for clients already. */
static void send_result(struct srv_study *study, char *text)
{
    const size_t n = text ? strlen(text) : 0;
    const struct orr_error full = {.code = ORR_ERR_INPUT,
                                   .text = "too many answers wait to be read, or this one is too large; try again"};
    if (n > SRV_UNSENT_MAX || atomic_load(&study->srv->unsent_bytes) + n > SRV_UNSENTS_MAX) send_error(study, &full);
    else send_event(study, "result", text);
    free(text);
}

/* Send the progress from time to time. Returns false if the client has left or the time is over. */
static bool tell(struct srv_study *study, double done_frac, double plans)
{
    ORR_PLAIN_NUMBERS;
    char text[96];
    const double now = srv_now_s();
    pthread_mutex_lock(&study->lock);
    const bool gone = study->gone, idle = study->n_sent == study->events.length;
    pthread_mutex_unlock(&study->lock);
    if (idle && now - study->told_s >= TELL_S) { /* Otherwise the previous event is still being sent. */
        study->told_s = now;
        (void)snprintf(text, sizeof text, "{\"done_frac\":%.4f,\"plans\":%.0f}", done_frac, plans);
        send_event(study, "progress", text);
    }
    return !gone && !atomic_load(&study->srv->stopping) && now - study->start_s < SRV_STUDY_S;
}

bool srv_study_wanted(struct srv_study *study)
{
    pthread_mutex_lock(&study->lock);
    const bool gone = study->gone;
    pthread_mutex_unlock(&study->lock);
    return !gone && !atomic_load(&study->srv->stopping);
}

struct srv *srv_study_server(const struct srv_study *study)
{
    return study->srv;
}

/* ---------------------------------------------------------------- search */

static bool search_progress(void *context, const struct orr_search *search, double done_frac)
{
    return tell(context, done_frac, (double)orr_search_counts_of(search).plans);
}

static void run_plans(struct srv_study *study, struct orr_search *search)
{
    struct orr_error error;
    if (orr_search_run(search, 0, search_progress, study, &error)) {
        send_error(study, &error);
        return;
    }
    if (!srv_study_wanted(study)) return;
    const struct orr_style style = {.took_s = srv_now_s() - study->start_s};
    send_result(study, orr_search_render(search, ORR_FORMAT_JSON, &style));
}

static void run_search(struct srv_study *study)
{
    struct orr_error error;
    struct orr_search *search = NULL;
    if (orr_search_open(study->srv->catalogue, study->body, "request", &search, &error)) {
        decide_error(study, &error);
        return;
    }
    decide(study, SRV_OK, NULL);
    run_plans(study, search);
    orr_search_free(search);
}

/* ---------------------------------------------------------------- sweep */

/* Answer all points, batch after batch. Returns false if it was stopped; a client that is still there was told why. */
static bool run_points(struct srv_study *study, struct orr_sweep *sweep, struct orr_sweep_row *rows)
{
    const int64_t n_points = orr_sweep_points(sweep);
    int64_t batch = BATCH_MIN;
    for (int64_t done = 0; done < n_points;) {
        struct orr_error error = {.code = ORR_ERR_INPUT};
        const double start_s = srv_now_s();
        const size_t n = (size_t)(n_points - done < batch ? n_points - done : batch);
        bool goes_on = !orr_sweep_run(sweep, done, n, rows + done, &error);
        done += (int64_t)n;
        if (goes_on && !tell(study, (double)done / (double)n_points, (double)done) && done < n_points) {
            (void)snprintf(error.text, sizeof error.text, "stopped after %" PRId64 " of %" PRId64 " points and %d s",
                           done, n_points, (int)SRV_STUDY_S);
            goes_on = false;
        }
        if (!goes_on) {
            send_error(study, &error);
            return false;
        }
        if (srv_now_s() - start_s < TELL_S / 2 && batch < BATCH_MAX) batch *= 2;
    }
    return true;
}

static void run_rows(struct srv_study *study, struct orr_sweep *sweep)
{
    const size_t n = (size_t)orr_sweep_points(sweep);
    struct orr_sweep_row *rows = calloc(n, sizeof *rows);
    const struct orr_error memory = {.code = ORR_ERR_MEMORY, .text = "out of memory"};
    if (!rows) send_error(study, &memory);
    if (rows && run_points(study, sweep, rows) && srv_study_wanted(study))
        send_result(study, orr_sweep_render(sweep, 0, n, rows, ORR_FORMAT_JSON, NULL));
    free(rows);
}

static void run_sweep(struct srv_study *study)
{
    struct orr_error error = {0};
    struct orr_sweep *sweep = NULL;
    enum orr_err err = orr_sweep_open_json(study->srv->catalogue, study->body, "request", 0, &sweep, &error);
    if (!err && orr_sweep_points(sweep) > SRV_POINTS_MAX) {
        err = error.code = ORR_ERR_INPUT;
        (void)snprintf(error.key, sizeof error.key, "vary");
        (void)snprintf(error.text, sizeof error.text, "request: vary: %" PRId64 " points; at most %d",
                       orr_sweep_points(sweep), (int)SRV_POINTS_MAX);
    }
    if (err) {
        decide_error(study, &error);
    } else {
        decide(study, SRV_OK, NULL);
        run_rows(study, sweep);
    }
    orr_sweep_close(sweep);
}

/* ---------------------------------------------------------------- the thread and its connection */

static void run_work(struct srv_study *study)
{
    char *text = NULL;
    const unsigned status = study->work(study, study->body, &text);
    decide(study, status, text);
}

static void *study_main(void *context)
{
    struct srv_study *study = context;
    atomic_int *count = study->count;
    /* The priority holds for this thread and those it starts, so that short answers come first. */
    (void)setpriority(PRIO_PROCESS, 0, NICER);
    study->run(study);
    pthread_mutex_lock(&study->lock);
    study->done = true;
    wake(study);
    pthread_mutex_unlock(&study->lock);
    release(study);
    atomic_fetch_sub(count, 1); /* the last use of the server, which waits for it */
    return NULL;
}

long srv_study_read(struct srv_study *study, char *buffer, size_t max)
{
    pthread_mutex_lock(&study->lock);
    long n = 0;
    const size_t left = study->events.length - study->n_sent;
    if (left > 0) {
        n = (long)(left < max ? left : max);
        memcpy(buffer, study->events.data + study->n_sent, (size_t)n);
        study->n_sent += (size_t)n;
        if (study->n_sent == study->events.length) study->n_sent = study->events.length = 0;
    } else if (study->done || study->events.failed) {
        n = study->events.failed ? SRV_STREAM_BROKEN : SRV_STREAM_END;
    } else {
        study->waits = true;
    }
    pthread_mutex_unlock(&study->lock);
    return n;
}

size_t srv_study_unsent(struct srv_study *study)
{
    pthread_mutex_lock(&study->lock);
    const size_t n = study->events.length - study->n_sent;
    pthread_mutex_unlock(&study->lock);
    return n;
}

/* Answer, once the status is known. */
static enum srv_result reply(struct srv_study *study, struct srv_connection *connection)
{
    pthread_mutex_lock(&study->lock);
    const unsigned status = study->status;
    const bool events = !study->work && status == SRV_OK;
    char *text = study->text;
    study->text = NULL;
    pthread_mutex_unlock(&study->lock);
    return events ? srv_reply_events(connection) : srv_reply_text(connection, status, SRV_JSON, text);
}

/* Start the thread; the connection waits until there is something to send. */
static bool begin(struct srv_request *request, const struct srv_study *wanted)
{
    pthread_t thread;
    struct srv_study *study = calloc(1, sizeof *study);
    if (!study) return false;
    *study = *wanted;
    study->srv = request->srv;
    study->connection = request->connection;
    study->n_owners = 2;
    study->start_s = srv_now_s();
    study->waits = true;
    study->body = request->body;
    pthread_mutex_init(&study->lock, NULL);
    request->body = NULL; /* The bytes stay counted until the request is over. */
    request->study = study;
    if (pthread_create(&thread, NULL, study_main, study) == 0) {
        pthread_detach(thread);
        return true;
    }
    request->body = study->body;
    request->study = NULL;
    pthread_mutex_destroy(&study->lock);
    free(study);
    return false;
}

static enum srv_result start_or_reply(struct srv_request *request, const struct srv_study *wanted, int n_max,
                                      const char *what)
{
    if (request->study) return reply(request->study, request->connection);
    if (atomic_fetch_add(wanted->count, 1) < n_max && !atomic_load(&request->srv->stopping) && begin(request, wanted))
        return SRV_YES;
    atomic_fetch_sub(wanted->count, 1);
    return srv_reply_refusal(request->connection, SRV_SERVICE_UNAVAILABLE, "%d %s are running already; try again",
                             n_max, what);
}

enum srv_result srv_search(struct srv_request *request)
{
    return start_or_reply(request, &(struct srv_study){.run = run_search, .count = &request->srv->n_studies},
                          SRV_STUDIES_MAX, "searches or sweeps");
}

enum srv_result srv_sweep(struct srv_request *request)
{
    return start_or_reply(request, &(struct srv_study){.run = run_sweep, .count = &request->srv->n_studies},
                          SRV_STUDIES_MAX, "searches or sweeps");
}

enum srv_result srv_slow(struct srv_request *request, srv_work *work)
{
    return start_or_reply(request, &(struct srv_study){.run = run_work, .work = work, .count = &request->srv->n_works},
                          SRV_WORKS_MAX, "simulations or fits");
}

int srv_n_threads(struct srv *srv)
{
    return atomic_load(&srv->n_studies) + atomic_load(&srv->n_works);
}
