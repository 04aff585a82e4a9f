/* Questions that take long, each in a thread of its own: searches and sweeps, which pass events to their connection,
 * and other long work, which passes one text. A client that has left is noticed when the next event is sent. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "server/internal.h"

#define TELL_S 0.2 /* least seconds between two progress events */
enum { NICER = 5 };

struct srv_study {
    struct srv *srv;
    struct srv_connection *connection;
    char *body; /* owned by the study */
    void (*run)(struct srv_study *study);
    enum orr_ask_kind kind;
    enum orr_format format;
    srv_work *work;    /* what makes the text of other long work; NULL: events */
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

unsigned srv_status_of(enum orr_err err, const struct orr_error *error, char **text)
{
    if (!err) return SRV_OK;
    *text = orr_error_json(error);
    return err == ORR_ERR_MEMORY ? SRV_SERVICE_UNAVAILABLE : SRV_BAD_REQUEST;
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
static bool tell(void *context, double done_frac, double plans)
{
    ORR_PLAIN_NUMBERS;
    struct srv_study *study = context;
    char text[96];
    const double now = orr_now_s();
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

/* Is the client still there, and the server not stopping? */
static bool is_wanted(struct srv_study *study)
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

/* ---------------------------------------------------------------- questions */

/* Answer with events. A question that is wrong is refused before the first of them. */
static void run_streamed(struct srv_study *study)
{
    static const struct orr_ask_limits LIMITS = {.n_points_max = SRV_POINTS_MAX};
    static const struct orr_error STOPPED = {.code = ORR_ERR_INPUT, .text = "the server stops; try again"};
    struct orr_ask *question = NULL;
    struct orr_error error = {0};
    char *text = NULL;
    enum orr_err err =
        orr_ask_open(study->srv->catalogue, study->kind, study->body, "request", &LIMITS, &question, &error);
    const unsigned status = srv_status_of(err, &error, &text);
    decide(study, status, text);
    if (err) return;
    err = orr_ask_run(question, tell, study, &error);
    const struct orr_style style = {.took_s = orr_now_s() - study->start_s};
    if (err) send_error(study, &error);
    else if (atomic_load(&study->srv->stopping)) send_error(study, &STOPPED);
    else if (is_wanted(study)) send_result(study, orr_ask_render(question, ORR_FORMAT_JSON, &style));
    orr_ask_close(question);
}

/* Is the client still there, and the time for a simulation not over? */
static bool patient(void *context, double done_frac, double plans)
{
    struct srv_study *study = context;
    (void)done_frac, (void)plans;
    return orr_now_s() - study->start_s < SRV_WORK_S && is_wanted(study);
}

unsigned srv_question_text(struct srv_study *study, const char *body, char **text)
{
    static const struct orr_ask_limits LIMITS = {.n_threads = 1};
    struct orr_ask *question = NULL;
    struct orr_error error = {0};
    enum orr_err err = orr_ask_open(study->srv->catalogue, study->kind, body, "request", &LIMITS, &question, &error);
    if (!err) err = orr_ask_run(question, patient, study, &error);
    if (!err) *text = orr_ask_render(question, study->format, NULL);
    orr_ask_close(question);
    return srv_status_of(err, &error, text);
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
    ORR_PLAIN_NUMBERS;
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

size_t srv_study_burst(struct srv_study *study)
{
    pthread_mutex_lock(&study->lock);
    const size_t n = study->n_sent == 0 ? study->events.length : 0;
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
    study->start_s = orr_now_s();
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

enum srv_result srv_streamed(struct srv_request *request)
{
    return start_or_reply(
        request,
        &(struct srv_study){.run = run_streamed, .kind = request->route->question, .count = &request->srv->n_studies},
        SRV_STUDIES_MAX, "searches or sweeps");
}

enum srv_result srv_slow(struct srv_request *request, srv_work *work, enum orr_format format)
{
    return start_or_reply(request,
                          &(struct srv_study){.run = run_work,
                                              .work = work,
                                              .kind = request->route->question,
                                              .format = format,
                                              .count = &request->srv->n_works},
                          SRV_WORKS_MAX, "simulations or fits");
}

int srv_n_threads(struct srv *srv)
{
    return atomic_load(&srv->n_studies) + atomic_load(&srv->n_works);
}
