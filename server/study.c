/* Searches and sweeps. Each has a thread of its own, which passes events to its connection. The connection is suspended
 * while there is nothing to send. A client that has left is noticed when the next event is sent. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "server/internal.h"

#define TELL_S 0.2 /* least seconds between two progress events */
enum { BATCH_MIN = 16, BATCH_MAX = 1024, BLOCK_BYTES = 1 << 16, NICER = 5 };

static const char EVENTS[] = "text/event-stream; charset=utf-8";

struct srv_study {
    struct srv *srv;
    struct MHD_Connection *connection;
    char *body; /* owned by the study */
    void (*run)(struct srv_study *study);
    double start_s, told_s;
    pthread_mutex_t lock; /* guards the members below */
    int n_owners;         /* the thread and the connection */
    unsigned status;      /* status of the answer; 0: not known yet */
    char *refusal;        /* text of the answer unless the status is 200 */
    struct orr_text events;
    size_t n_sent; /* bytes of events sent */
    bool suspended, gone, done;
};

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---------------------------------------------------------------- from the thread to the connection */

/* The caller holds the lock. */
static void wake(struct srv_study *study)
{
    if (!study->suspended) return;
    study->suspended = false;
    MHD_resume_connection(study->connection);
}

/* Give up a share of the study; the last owner frees it. */
static void release(struct srv_study *study)
{
    pthread_mutex_lock(&study->lock);
    const bool last = --study->n_owners == 0;
    pthread_mutex_unlock(&study->lock);
    if (!last) return;
    pthread_mutex_destroy(&study->lock);
    free(study->refusal);
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

/* Set how the answer begins. It takes the text of the refusal; NULL means that events follow. */
static void decide(struct srv_study *study, unsigned status, char *refusal)
{
    pthread_mutex_lock(&study->lock);
    study->status = status;
    study->refusal = refusal;
    wake(study);
    pthread_mutex_unlock(&study->lock);
}

static void decide_error(struct srv_study *study, const struct orr_error *error)
{
    decide(study, error->code == ORR_ERR_MEMORY ? MHD_HTTP_SERVICE_UNAVAILABLE : MHD_HTTP_BAD_REQUEST,
           orr_error_json(error));
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
    wake(study);
    pthread_mutex_unlock(&study->lock);
}

static void send_error(struct srv_study *study, const struct orr_error *error)
{
    char *text = orr_error_json(error);
    send_event(study, "error", text);
    free(text);
}

/* Send the progress from time to time. Returns false if the client has left or the time is over. */
static bool tell(struct srv_study *study, double done_frac, double plans)
{
    ORR_PLAIN_NUMBERS;
    char text[96];
    const double now = now_s();
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

static bool is_gone(struct srv_study *study)
{
    pthread_mutex_lock(&study->lock);
    const bool gone = study->gone;
    pthread_mutex_unlock(&study->lock);
    return gone || atomic_load(&study->srv->stopping);
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
    if (is_gone(study)) return;
    const struct orr_style style = {.took_s = now_s() - study->start_s};
    char *text = orr_search_render(search, ORR_FORMAT_JSON, &style);
    send_event(study, "result", text);
    free(text);
}

static void run_search(struct srv_study *study)
{
    struct orr_error error;
    struct orr_search *search = NULL;
    if (orr_search_open(study->srv->catalogue, study->body, "request", &search, &error)) {
        decide_error(study, &error);
        return;
    }
    decide(study, MHD_HTTP_OK, NULL);
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
        const double start_s = now_s();
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
        if (now_s() - start_s < TELL_S / 2 && batch < BATCH_MAX) batch *= 2;
    }
    return true;
}

static void run_rows(struct srv_study *study, struct orr_sweep *sweep)
{
    const size_t n = (size_t)orr_sweep_points(sweep);
    struct orr_sweep_row *rows = calloc(n, sizeof *rows);
    const struct orr_error memory = {.code = ORR_ERR_MEMORY, .text = "out of memory"};
    if (!rows) send_error(study, &memory);
    if (rows && run_points(study, sweep, rows) && !is_gone(study)) {
        char *text = orr_sweep_render(sweep, 0, n, rows, ORR_FORMAT_JSON, NULL);
        send_event(study, "result", text);
        free(text);
    }
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
        decide(study, MHD_HTTP_OK, NULL);
        run_rows(study, sweep);
    }
    orr_sweep_close(sweep);
}

/* ---------------------------------------------------------------- the thread and its connection */

static void *study_main(void *context)
{
    struct srv_study *study = context;
    struct srv *srv = study->srv;
    /* The priority holds for this thread and those it starts, so that short answers come first. */
    (void)setpriority(PRIO_PROCESS, 0, NICER);
    study->run(study);
    pthread_mutex_lock(&study->lock);
    study->done = true;
    wake(study);
    pthread_mutex_unlock(&study->lock);
    release(study);
    atomic_fetch_sub(&srv->n_studies, 1);
    return NULL;
}

/* MHD calls this for more bytes to send. */
static ssize_t read_events(void *context, uint64_t position, char *buffer, size_t max)
{
    struct srv_study *study = context;
    (void)position;
    pthread_mutex_lock(&study->lock);
    ssize_t n = 0;
    const size_t left = study->events.length - study->n_sent;
    if (left > 0) {
        n = (ssize_t)(left < max ? left : max);
        memcpy(buffer, study->events.data + study->n_sent, (size_t)n);
        study->n_sent += (size_t)n;
        if (study->n_sent == study->events.length) study->n_sent = study->events.length = 0;
    } else if (study->done || study->events.failed) {
        n = study->events.failed ? MHD_CONTENT_READER_END_WITH_ERROR : MHD_CONTENT_READER_END_OF_STREAM;
    } else {
        study->suspended = true;
        MHD_suspend_connection(study->connection);
    }
    pthread_mutex_unlock(&study->lock);
    return n;
}

/* Answer, once the status is known. */
static enum MHD_Result reply(struct srv_study *study, struct MHD_Connection *connection)
{
    if (study->status != MHD_HTTP_OK) {
        char *refusal = study->refusal;
        study->refusal = NULL;
        return srv_reply_text(connection, study->status, SRV_JSON, refusal);
    }
    struct MHD_Response *response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK_BYTES, read_events, study, NULL);
    if (!response) return MHD_NO;
    srv_add_headers(response, EVENTS, "no-store");
    const enum MHD_Result queued = MHD_queue_response(connection, MHD_HTTP_OK, response);
    MHD_destroy_response(response);
    return queued;
}

/* Start the thread; the connection is suspended until there is something to send. */
static bool begin(struct srv_request *request, void (*run)(struct srv_study *study))
{
    pthread_t thread;
    struct srv_study *study = calloc(1, sizeof *study);
    if (!study) return false;
    *study = (struct srv_study){
        .srv = request->srv, .connection = request->connection, .run = run, .n_owners = 2, .start_s = now_s()};
    pthread_mutex_init(&study->lock, NULL);
    /* With the lock the thread cannot resume the connection before it is suspended. */
    pthread_mutex_lock(&study->lock);
    study->body = request->body;
    const bool started = pthread_create(&thread, NULL, study_main, study) == 0;
    if (started) {
        pthread_detach(thread);
        request->body = NULL; /* The bytes stay counted until the request is over. */
        request->study = study;
        study->suspended = true;
        MHD_suspend_connection(request->connection);
    }
    pthread_mutex_unlock(&study->lock);
    if (started) return true;
    pthread_mutex_destroy(&study->lock);
    free(study);
    return false;
}

static enum MHD_Result start_or_reply(struct srv_request *request, void (*run)(struct srv_study *study))
{
    if (request->study) return reply(request->study, request->connection);
    struct srv *srv = request->srv;
    if (atomic_fetch_add(&srv->n_studies, 1) < SRV_STUDIES_MAX && !atomic_load(&srv->stopping) && begin(request, run))
        return MHD_YES;
    atomic_fetch_sub(&srv->n_studies, 1);
    return srv_reply_refusal(request->connection, MHD_HTTP_SERVICE_UNAVAILABLE,
                             "%d searches or sweeps are running already; try again", (int)SRV_STUDIES_MAX);
}

enum MHD_Result srv_search(struct srv_request *request)
{
    return start_or_reply(request, run_search);
}

enum MHD_Result srv_sweep(struct srv_request *request)
{
    return start_or_reply(request, run_sweep);
}
