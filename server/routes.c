/* The routes and their answers, except searches and sweeps (study.c). */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/internal.h"

#define API "/api/v1/"

static const char ORIGIN[] = "request"; /* the name of the body in error messages */

/* ---------------------------------------------------------------- one job */

static const char *argument(const struct srv_request *request, const char *name)
{
    return srv_head_argument(&request->head, name);
}

/* The format that ?dump= asks for. Returns false after answering that it does not exist. */
static bool dump_format(const struct srv_request *request, enum orr_format *format, enum srv_result *answered)
{
    static const struct {
        const char *name;
        enum orr_format format;
    } STAGES[] = {{"ops", ORR_FORMAT_DUMP_OPS},
                  {"costs", ORR_FORMAT_DUMP_COSTS},
                  {"ledger", ORR_FORMAT_DUMP_LEDGER},
                  {"memory", ORR_FORMAT_DUMP_MEMORY},
                  {"timeline", ORR_FORMAT_DUMP_TIMELINE}};
    const char *dump = argument(request, "dump");
    *format = ORR_FORMAT_JSON;
    for (size_t i = 0; dump && i < sizeof STAGES / sizeof *STAGES; i++) {
        if (strcmp(dump, STAGES[i].name) != 0) continue;
        *format = STAGES[i].format;
        return true;
    }
    if (dump)
        *answered = srv_reply_refusal(request->connection, SRV_BAD_REQUEST,
                                      "dump=%.40s: expected ops, costs, ledger, memory or timeline", dump);
    return !dump;
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

/* The status of long work; where it failed, its text is that of the error. */
static unsigned status_of(enum orr_err err, const struct orr_error *error, char **text)
{
    if (!err) return SRV_OK;
    *text = orr_error_json(error);
    return err == ORR_ERR_MEMORY ? SRV_SERVICE_UNAVAILABLE : SRV_BAD_REQUEST;
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
    if (err) return status_of(err, &error, text);
    const double n_spans = spans_of(job, worker->scratch);
    if (n_spans > SRV_SPANS_MAX) {
        (void)snprintf(error.text, sizeof error.text,
                       "a timeline of up to %.0f spans; at most %d (fewer micro-batches or stages)", n_spans,
                       (int)SRV_SPANS_MAX);
        return status_of(ORR_ERR_INPUT, &error, text);
    }
    orr_predict(job, worker->scratch, &worker->answer);
    *text = orr_render(&worker->answer, ORR_FORMAT_DUMP_TIMELINE, &PLAIN);
    return SRV_OK;
}

static enum srv_result answer_job(struct srv_request *request, enum orr_job_kind kind)
{
    static const struct orr_style PLAIN = {0};
    struct srv_worker *worker = srv_worker(request->srv);
    struct orr_error error;
    const struct orr_job *job;
    enum orr_format format;
    enum srv_result answered = SRV_NO;
    if (!worker) return srv_reply_text(request->connection, SRV_SERVICE_UNAVAILABLE, SRV_JSON, NULL);
    if (!dump_format(request, &format, &answered)) return answered;
    if (kind == ORR_JOB_TRAIN && format == ORR_FORMAT_DUMP_TIMELINE) return srv_slow(request, timeline_text);
    if (orr_reader_job(worker->reader, request->body, ORIGIN, &kind, &job, &error))
        return srv_reply_error(request->connection, SRV_BAD_REQUEST, &error);
    const char *explain = argument(request, "explain");
    const bool explained = explain && strcmp(explain, "0") != 0 && format == ORR_FORMAT_JSON;
    orr_predict(job, worker->scratch, &worker->answer);
    if (kind == ORR_JOB_TRAIN) orr_train_advice(worker->answer.job, worker->scratch, &worker->answer.train);
    return srv_reply_text(request->connection, SRV_OK, SRV_JSON,
                          orr_render(&worker->answer, explained ? ORR_FORMAT_JSON_EXPLAINED : format, &PLAIN));
}

static enum srv_result train(struct srv_request *request)
{
    return answer_job(request, ORR_JOB_TRAIN);
}

static enum srv_result infer(struct srv_request *request)
{
    return answer_job(request, ORR_JOB_INFER);
}

/* ---------------------------------------------------------------- serving */

/* A simulation ends when its time is over or its client has left. */
struct patience {
    volatile int stop;
    double until_s;
    struct srv_study *study;
};

static void watch(void *context, double done_frac)
{
    struct patience *patience = context;
    (void)done_frac;
    if (srv_now_s() >= patience->until_s || !srv_study_wanted(patience->study)) patience->stop = 1;
}

static struct patience patience_of(struct srv_study *study)
{
    return (struct patience){.until_s = srv_now_s() + SRV_WORK_S, .study = study};
}

/* With ORR_FORMAT_JSON_EXPLAINED the answer also has what its charts need. */
static unsigned serving_as(struct srv_study *study, const char *body, enum orr_format format, char **text)
{
    struct orr_service *service = NULL;
    struct orr_error error = {0};
    struct patience patience = patience_of(study);
    enum orr_err err = orr_service_open(srv_study_server(study)->catalogue, body, ORIGIN, &service, &error);
    if (!err) err = orr_service_run(service, &patience.stop, watch, &patience, &error);
    if (!err) *text = orr_service_render(service, format, NULL);
    if (service) orr_service_close(service);
    return status_of(err, &error, text);
}

static unsigned serving_text(struct srv_study *study, const char *body, char **text)
{
    return serving_as(study, body, ORR_FORMAT_JSON, text);
}

static unsigned serving_detail(struct srv_study *study, const char *body, char **text)
{
    return serving_as(study, body, ORR_FORMAT_JSON_EXPLAINED, text);
}

static enum srv_result serving(struct srv_request *request)
{
    const char *detail = argument(request, "detail");
    return srv_slow(request, detail && strcmp(detail, "0") != 0 ? serving_detail : serving_text);
}

static unsigned size_text(struct srv_study *study, const char *body, char **text)
{
    struct orr_size *size = NULL;
    struct orr_error error = {0};
    struct patience patience = patience_of(study);
    enum orr_err err = orr_size_open(srv_study_server(study)->catalogue, body, ORIGIN, &size, &error);
    if (!err) err = orr_size_run(size, 1, &patience.stop, watch, &patience, &error);
    if (!err) *text = orr_size_render(size, ORR_FORMAT_JSON, NULL);
    if (size) orr_size_close(size);
    return status_of(err, &error, text);
}

static enum srv_result size(struct srv_request *request)
{
    return srv_slow(request, size_text);
}

/* ---------------------------------------------------------------- comparisons */

static enum srv_result compare(struct srv_request *request)
{
    struct orr_error error;
    char *text = NULL;
    if (orr_compare_ask(request->srv->catalogue, request->body, ORIGIN, ORR_FORMAT_JSON, NULL, &text, &error))
        return srv_reply_error(request->connection, SRV_BAD_REQUEST, &error);
    return srv_reply_text(request->connection, SRV_OK, SRV_JSON, text);
}

/* ---------------------------------------------------------------- hardware */

static enum srv_result sensitivity(struct srv_request *request)
{
    static const struct orr_style PLAIN = {0};
    struct srv_worker *worker = srv_worker(request->srv);
    struct orr_error error;
    const struct orr_job *job;
    if (!worker) return srv_reply_text(request->connection, SRV_SERVICE_UNAVAILABLE, SRV_JSON, NULL);
    if (orr_reader_job(worker->reader, request->body, ORIGIN, NULL, &job, &error))
        return srv_reply_error(request->connection, SRV_BAD_REQUEST, &error);
    return srv_reply_text(request->connection, SRV_OK, SRV_JSON, orr_sensitivity_render(job, ORR_FORMAT_JSON, &PLAIN));
}

static enum srv_result technology(struct srv_request *request)
{
    struct orr_error error;
    char *text = NULL;
    if (orr_technology_ask(request->srv->catalogue, request->body, ORIGIN, &text, &error))
        return srv_reply_error(request->connection, SRV_BAD_REQUEST, &error);
    return srv_reply_text(request->connection, SRV_OK, SRV_JSON, text);
}

/* ---------------------------------------------------------------- a stack from runs */

static unsigned fit_text(struct srv_study *study, const char *body, char **text)
{
    struct orr_error error = {0};
    return status_of(orr_stack_ask(srv_study_server(study)->catalogue, body, ORIGIN, text, &error), &error, text);
}

static enum srv_result fit(struct srv_request *request)
{
    return srv_slow(request, fit_text);
}

/* ---------------------------------------------------------------- what there is */

static enum srv_result catalogue(struct srv_request *request)
{
    return srv_reply_bytes(request->connection, SRV_JSON, request->srv->list, strlen(request->srv->list), false);
}

/* The stored text of a part; a model may have any of its names. */
static const char *part_text(const struct orr_catalogue *catalogue, enum orr_part part, const char *name)
{
    char format[ORR_FORMAT_NAME];
    const char *id = part == ORR_PART_MODEL ? orr_model_named(catalogue, name, format) : name;
    return id ? orr_catalogue_text(catalogue, part, id) : NULL;
}

/* Answer /api/v1/catalogue/{part}/{id} with the text as stored. */
static enum srv_result stored(struct srv_request *request)
{
    const char *name = request->path + strlen(API "catalogue/");
    const size_t n = strcspn(name, "/");
    const char *text = NULL;
    for (int i = 0; i < ORR_N_PARTS && name[n] && !text; i++) {
        const char *part = orr_part_name((enum orr_part)i);
        if (strlen(part) == n && memcmp(part, name, n) == 0)
            text = part_text(request->srv->catalogue, (enum orr_part)i, name + n + 1);
    }
    if (text) return srv_reply_bytes(request->connection, SRV_JSON, text, strlen(text), false);
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
static bool find_file(const char *path, struct srv_file *file)
{
    size_t size = 0;
    const char *bytes = orr_explorer_file(path, &size);
    *file = (struct srv_file){path, bytes, size};
    for (size_t i = 0; !file->bytes && i < srv_n_files; i++)
        if (strcmp(srv_files[i].path, path) == 0) *file = srv_files[i];
    return file->bytes != NULL;
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

static enum srv_result reply_file(struct srv_request *request, const struct srv_file *file)
{
    /* The names of these files change with their content. */
    const bool lasting = strncmp(file->path, "/assets/", 8) == 0;
    return srv_reply_bytes(request->connection, type_of(file->path), file->bytes, file->size, lasting);
}

static enum srv_result openapi(struct srv_request *request)
{
    return srv_reply_bytes(request->connection, SRV_JSON, request->srv->openapi, strlen(request->srv->openapi), false);
}

/* Answer with the explorer, or with a page that says how to build it. */
static enum srv_result page(struct srv_request *request)
{
    const bool root = strcmp(request->path, "/") == 0;
    struct srv_file file;
    if (find_file(root ? "/index.html" : request->path, &file) || (root && find_file("/plain.html", &file)))
        return reply_file(request, &file);
    return srv_reply_refusal(request->connection, SRV_NOT_FOUND, "%.200s: no such page; %s lists all", request->path,
                             API "openapi.json");
}

/* ---------------------------------------------------------------- the table */

/* The first match counts. server/static/openapi.json describes every route, and tests/run_server.sh compares the
 * two. */
static const struct srv_route ROUTES[] = {
    {"POST", API "train", train},
    {"POST", API "infer", infer},
    {"POST", API "serving", serving},
    {"POST", API "size", size},
    {"POST", API "search", srv_search},
    {"POST", API "sweep", srv_sweep},
    {"POST", API "sensitivity", sensitivity},
    {"POST", API "compare", compare},
    {"POST", API "technology", technology},
    {"POST", API "fit", fit},
    {"GET", API "catalogue", catalogue},
    {"GET", API "catalogue/", stored},
    {"GET", API "openapi.json", openapi},
    {"GET", API "health", health},
    {"GET", API "ready", ready},
    {"GET", "/metrics", srv_metrics_answer},
    {"GET", "/", page},
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
