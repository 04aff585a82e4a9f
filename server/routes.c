/* The routes and their answers, except searches and sweeps (study.c). */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/internal.h"

#define API "/api/v1/"

static const char ORIGIN[] = "request"; /* the name of the body in error messages */

/* ---------------------------------------------------------------- one job */

/* The format that the arguments of a request ask for. Returns false after answering that it does not exist. */
static bool format_of(const struct srv_request *request, enum orr_format *format, enum srv_result *answered)
{
    const struct srv_head *head = &request->head;
    struct orr_error error;
    *format = ORR_FORMAT_JSON;
    for (size_t i = 0; i < head->n_arguments; i++) {
        if (!orr_ask_option(request->route->question, head->arguments[i].name, head->arguments[i].value, format,
                            &error))
            continue;
        *answered = srv_reply_error(request->connection, SRV_BAD_REQUEST, &error);
        return false;
    }
    return true;
}

/* The spans of a training timeline: a forward, a backward and at most a weight gradient of every chunk and
 * micro-batch. */
static double spans_of(const struct orr_job *job, struct orr_scratch *scratch)
{
    struct orr_result result;
    orr_train(job, scratch, &result);
    const int64_t chunks = job->automatic ? job->model.n_layers : job->plan.pp * job->plan.vpp;
    return 3 * (double)chunks * (double)result.n_micro_batches;
}

/* The timeline of a training step, which may have so many spans that others must not wait for it. */
static unsigned timeline_text(struct srv_study *study, const char *body, char **text)
{
    static const struct orr_style PLAIN = {0};
    struct srv_worker *worker = srv_worker(srv_study_server(study));
    struct orr_error error = {.code = ORR_ERR_INPUT};
    enum orr_job_kind kind = ORR_JOB_TRAIN;
    const struct orr_job *job;
    if (!worker) return SRV_SERVICE_UNAVAILABLE;
    const enum orr_err err = orr_reader_job(worker->reader, body, ORIGIN, &kind, &job, &error);
    if (err) return srv_status_of(err, &error, text);
    const double n_spans = spans_of(job, worker->scratch);
    if (n_spans > SRV_SPANS_MAX) {
        (void)snprintf(error.text, sizeof error.text,
                       "a timeline of up to %.0f spans; at most %d (fewer micro-batches or stages)", n_spans,
                       (int)SRV_SPANS_MAX);
        return srv_status_of(ORR_ERR_INPUT, &error, text);
    }
    orr_predict(job, worker->scratch, &worker->answer);
    *text = orr_render(&worker->answer, ORR_FORMAT_DUMP_TIMELINE, &PLAIN);
    return SRV_OK;
}

static enum srv_result answer_job(struct srv_request *request, enum orr_job_kind kind, enum orr_format format)
{
    static const struct orr_style PLAIN = {0};
    struct srv_worker *worker = srv_worker(request->srv);
    struct orr_error error;
    const struct orr_job *job;
    if (!worker) return srv_reply_text(request->connection, SRV_SERVICE_UNAVAILABLE, SRV_JSON, NULL);
    if (kind == ORR_JOB_TRAIN && format == ORR_FORMAT_DUMP_TIMELINE) return srv_slow(request, timeline_text, format);
    if (orr_reader_job(worker->reader, request->body, ORIGIN, &kind, &job, &error))
        return srv_reply_error(request->connection, SRV_BAD_REQUEST, &error);
    orr_predict(job, worker->scratch, &worker->answer);
    if (kind == ORR_JOB_TRAIN) orr_train_advice(worker->answer.job, worker->scratch, &worker->answer.train);
    return srv_reply_text(request->connection, SRV_OK, SRV_JSON, orr_render(&worker->answer, format, &PLAIN));
}

/* ---------------------------------------------------------------- other questions */

/* Answer a question that takes no longer than a prediction. */
static enum srv_result answer_short(struct srv_request *request, enum orr_format format)
{
    static const struct orr_ask_limits LIMITS = {.n_threads = 1};
    struct orr_ask *question = NULL;
    struct orr_error error = {0};
    enum orr_err err = orr_ask_open(request->srv->catalogue, request->route->question, request->body, ORIGIN, &LIMITS,
                                    &question, &error);
    if (!err) err = orr_ask_run(question, NULL, NULL, &error);
    char *text = err ? NULL : orr_ask_render(question, format, NULL);
    orr_ask_close(question);
    if (err && err != ORR_ERR_MEMORY) return srv_reply_error(request->connection, SRV_BAD_REQUEST, &error);
    return srv_reply_text(request->connection, SRV_OK, SRV_JSON, text);
}

/* A question of the table of the library. */
static enum srv_result question(struct srv_request *request)
{
    enum orr_format format;
    enum srv_result answered = SRV_NO;
    const enum orr_ask_kind kind = request->route->question;
    if (!format_of(request, &format, &answered)) return answered;
    switch (orr_ask_pace(kind)) {
    case ORR_PACE_JOB: return answer_job(request, kind == ORR_ASK_TRAIN ? ORR_JOB_TRAIN : ORR_JOB_INFER, format);
    case ORR_PACE_SHORT: return answer_short(request, format);
    case ORR_PACE_LONG: return srv_slow(request, srv_question_text, format);
    case ORR_PACE_STREAMED: return srv_streamed(request);
    }
    return SRV_NO;
}

/* ---------------------------------------------------------------- what there is */

static enum srv_result catalogue(struct srv_request *request)
{
    return srv_reply_bytes(request->connection, SRV_JSON, request->srv->list, strlen(request->srv->list));
}

/* Answer /api/v1/catalogue/{part}/{id} with the text as stored. */
static enum srv_result stored(struct srv_request *request)
{
    const char *name = request->path + strlen(API "catalogue/");
    const char *text = orr_catalogue_stored(request->srv->catalogue, name);
    if (text) return srv_reply_bytes(request->connection, SRV_JSON, text, strlen(text));
    return srv_reply_refusal(request->connection, SRV_NOT_FOUND, "no part \"%.200s\" in the catalogue; see %s", name,
                             API "catalogue");
}

static enum srv_result health(struct srv_request *request)
{
    struct orr_text text = {0};
    orr_text_add(&text, "{\"schema\":\"%s\",\"status\":\"ok\",\"version\":\"%s\",\"studies\":%d}\n", ORR_SCHEMA,
                 orr_version(), atomic_load(&request->srv->n_studies));
    return srv_reply_text(request->connection, SRV_OK, SRV_JSON, orr_text_take(&text));
}

/* Could the server take work now? Whoever spreads requests over servers asks this; health only says that it lives. */
static enum srv_result ready(struct srv_request *request)
{
    struct srv *srv = request->srv;
    const char *why = atomic_load(&srv->stopping)                                          ? "stopping"
                      : atomic_load(&srv->n_connections) * 10 > srv->n_connections_max * 9 ? "connections"
                      : atomic_load(&srv->unsent_bytes) > SRV_UNSENTS_MAX / 2              ? "unsent answers"
                      : atomic_load(&srv->body_bytes) > SRV_BODIES_MAX / 2                 ? "requests being read"
                                                                                           : NULL;
    struct orr_text text = {0};
    if (why) return srv_reply_refusal(request->connection, SRV_SERVICE_UNAVAILABLE, "not ready: %s; try again", why);
    orr_text_add(&text, "{\"schema\":\"%s\",\"status\":\"ready\"}\n", ORR_SCHEMA);
    return srv_reply_text(request->connection, SRV_OK, SRV_JSON, orr_text_take(&text));
}

/* ---------------------------------------------------------------- files in the program */

/* Find a file of the explorer or one of the server's own. */
static const struct orr_page_file *find_file(const char *path)
{
    for (size_t i = 0; i < srv_n_files; i++)
        if (strcmp(srv_files[i].path, path) == 0) return &srv_files[i];
    return orr_explorer_file(path);
}

static const char *type_of(const char *path)
{
    static const char *const TYPES[][2] = {{".html", "text/html; charset=utf-8"},
                                           {".js", "text/javascript; charset=utf-8"},
                                           {".css", "text/css; charset=utf-8"},
                                           {".json", SRV_JSON},
                                           {".svg", "image/svg+xml"},
                                           {".png", "image/png"},
                                           {".ico", "image/x-icon"},
                                           {".woff2", "font/woff2"},
                                           {".txt", "text/plain; charset=utf-8"}};
    const char *ending = strrchr(path, '.');
    for (size_t i = 0; ending && i < sizeof TYPES / sizeof *TYPES; i++)
        if (strcmp(ending, TYPES[i][0]) == 0) return TYPES[i][1];
    return "application/octet-stream";
}

static enum srv_result openapi(struct srv_request *request)
{
    return srv_reply_bytes(request->connection, SRV_JSON, request->srv->openapi, strlen(request->srv->openapi));
}

/* Answer with the explorer, or with a page that says how to build it. */
static enum srv_result page(struct srv_request *request)
{
    const bool root = strcmp(request->path, "/") == 0;
    const struct orr_page_file *file = find_file(root ? "/index.html" : request->path);
    if (!file && root) file = find_file("/plain.html");
    if (file) return srv_reply_file(request, file, type_of(file->path));
    return srv_reply_refusal(request->connection, SRV_NOT_FOUND, "%.200s: no such page; %s lists all", request->path,
                             API "openapi.json");
}

/* ---------------------------------------------------------------- the table */

/* The first match counts. The questions are those of the library, which the page without a server answers as well.
 * server/static/openapi.json describes every route, and tests/run_server.sh compares the two. */
static const struct srv_route ROUTES[] = {
#define X(name, path, pace) {"POST", API path, question, ORR_ASK_##name},
    ORR_ASKS(X)
#undef X
        {"GET", API "catalogue", catalogue, ORR_N_ASKS},
    {"GET", API "catalogue/", stored, ORR_N_ASKS},
    {"GET", API "openapi.json", openapi, ORR_N_ASKS},
    {"GET", API "health", health, ORR_N_ASKS},
    {"GET", API "ready", ready, ORR_N_ASKS},
    {"GET", "/metrics", srv_metrics_answer, ORR_N_ASKS},
    {"GET", "/", page, ORR_N_ASKS},
};

const struct srv_route *srv_route(const char *method, const char *path, const char **allow)
{
    const bool head = strcmp(method, "HEAD") == 0; /* The body is left out. */
    *allow = NULL;
    for (size_t i = 0; i < sizeof ROUTES / sizeof *ROUTES; i++) {
        const struct srv_route *route = &ROUTES[i];
        const size_t n = strlen(route->path);
        const bool prefix = route->path[n - 1] == '/';
        if (prefix ? strncmp(path, route->path, n) != 0 : strcmp(path, route->path) != 0) continue;
        if (prefix && route->answer == page && strncmp(path, API, strlen(API)) == 0) continue;
        if (strcmp(route->method, head ? "GET" : method) == 0) return route;
        *allow = route->method;
        return NULL;
    }
    return NULL;
}

int srv_route_number(const struct srv_route *route)
{
    return (int)(route - ROUTES);
}

const char *srv_route_label(int number)
{
    return (size_t)number < sizeof ROUTES / sizeof *ROUTES ? ROUTES[number].path : NULL;
}
