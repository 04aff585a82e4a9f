/* The routes and their answers, except searches and sweeps (study.c). */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "server/internal.h"

#define API "/api/v1/"

static const char ORIGIN[] = "request"; /* the name of the body in error messages */

/* ---------------------------------------------------------------- one job */

static const char *argument(const struct srv_request *request, const char *name)
{
    return MHD_lookup_connection_value(request->connection, MHD_GET_ARGUMENT_KIND, name);
}

/* The format that ?dump= asks for. Returns false after answering that it does not exist. */
static bool dump_format(const struct srv_request *request, enum orr_format *format, enum MHD_Result *answered)
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
        *answered = srv_reply_refusal(request->connection, MHD_HTTP_BAD_REQUEST,
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

static enum MHD_Result answer_job(struct srv_request *request, enum orr_job_kind kind)
{
    static const struct orr_style PLAIN = {0};
    struct srv_worker *worker = srv_worker(request->srv);
    struct orr_error error;
    const struct orr_job *job;
    enum orr_format format;
    enum MHD_Result answered = MHD_NO;
    if (!worker) return srv_reply_text(request->connection, MHD_HTTP_SERVICE_UNAVAILABLE, SRV_JSON, NULL);
    if (!dump_format(request, &format, &answered)) return answered;
    if (orr_reader_job(worker->reader, request->body, ORIGIN, &kind, &job, &error))
        return srv_reply_error(request->connection, MHD_HTTP_BAD_REQUEST, &error);
    const bool timeline = kind == ORR_JOB_TRAIN && format == ORR_FORMAT_DUMP_TIMELINE;
    const double n_spans = timeline ? spans_of(job, worker->scratch) : 0;
    if (n_spans > SRV_SPANS_MAX)
        return srv_reply_refusal(request->connection, MHD_HTTP_BAD_REQUEST,
                                 "a timeline of up to %.0f spans; at most %d (fewer micro-batches or stages)", n_spans,
                                 (int)SRV_SPANS_MAX);
    const char *explain = argument(request, "explain");
    const bool explained = explain && strcmp(explain, "0") != 0 && format == ORR_FORMAT_JSON;
    orr_predict(job, worker->scratch, &worker->answer);
    if (kind == ORR_JOB_TRAIN) orr_train_advice(worker->answer.job, worker->scratch, &worker->answer.train);
    return srv_reply_text(request->connection, MHD_HTTP_OK, SRV_JSON,
                          orr_render(&worker->answer, explained ? ORR_FORMAT_JSON_EXPLAINED : format, &PLAIN));
}

static enum MHD_Result train(struct srv_request *request)
{
    return answer_job(request, ORR_JOB_TRAIN);
}

static enum MHD_Result infer(struct srv_request *request)
{
    return answer_job(request, ORR_JOB_INFER);
}

/* ---------------------------------------------------------------- serving */

#define SRV_REQUESTS_MAX_S 20 /* a simulation that takes longer is answered with what is known by then */

struct patience {
    volatile int stop;
    time_t until;
};

static void watch(void *context, double done_frac)
{
    struct patience *patience = context;
    (void)done_frac;
    if (time(NULL) >= patience->until) patience->stop = 1;
}

static enum MHD_Result serving(struct srv_request *request)
{
    struct orr_service *service = NULL;
    struct orr_error error;
    struct patience patience = {.until = time(NULL) + SRV_REQUESTS_MAX_S};
    if (orr_service_open(request->srv->catalogue, request->body, ORIGIN, &service, &error))
        return srv_reply_error(request->connection, MHD_HTTP_BAD_REQUEST, &error);
    if (orr_service_run(service, &patience.stop, watch, &patience, &error)) {
        orr_service_close(service);
        return srv_reply_error(request->connection, MHD_HTTP_BAD_REQUEST, &error);
    }
    const char *detail = argument(request, "detail");
    const bool detailed = detail && strcmp(detail, "0") != 0;
    char *text = orr_service_render(service, detailed ? ORR_FORMAT_JSON_EXPLAINED : ORR_FORMAT_JSON, NULL);
    orr_service_close(service);
    return srv_reply_text(request->connection, MHD_HTTP_OK, SRV_JSON, text);
}

static enum MHD_Result size(struct srv_request *request)
{
    struct orr_size *size = NULL;
    struct orr_error error;
    struct patience patience = {.until = time(NULL) + SRV_REQUESTS_MAX_S};
    if (orr_size_open(request->srv->catalogue, request->body, ORIGIN, &size, &error))
        return srv_reply_error(request->connection, MHD_HTTP_BAD_REQUEST, &error);
    if (orr_size_run(size, 1, &patience.stop, watch, &patience, &error)) {
        orr_size_close(size);
        return srv_reply_error(request->connection, MHD_HTTP_BAD_REQUEST, &error);
    }
    char *text = orr_size_render(size, ORR_FORMAT_JSON, NULL);
    orr_size_close(size);
    return srv_reply_text(request->connection, MHD_HTTP_OK, SRV_JSON, text);
}

/* ---------------------------------------------------------------- hardware */

static enum MHD_Result sensitivity(struct srv_request *request)
{
    static const struct orr_style PLAIN = {0};
    struct srv_worker *worker = srv_worker(request->srv);
    struct orr_error error;
    const struct orr_job *job;
    if (!worker) return srv_reply_text(request->connection, MHD_HTTP_SERVICE_UNAVAILABLE, SRV_JSON, NULL);
    if (orr_reader_job(worker->reader, request->body, ORIGIN, NULL, &job, &error))
        return srv_reply_error(request->connection, MHD_HTTP_BAD_REQUEST, &error);
    return srv_reply_text(request->connection, MHD_HTTP_OK, SRV_JSON,
                          orr_sensitivity_render(job, ORR_FORMAT_JSON, &PLAIN));
}

static enum MHD_Result technology(struct srv_request *request)
{
    struct orr_error error;
    char *text = NULL;
    if (orr_technology_ask(request->srv->catalogue, request->body, ORIGIN, &text, &error))
        return srv_reply_error(request->connection, MHD_HTTP_BAD_REQUEST, &error);
    return srv_reply_text(request->connection, MHD_HTTP_OK, SRV_JSON, text);
}

/* ---------------------------------------------------------------- a stack from runs */

static enum MHD_Result fit(struct srv_request *request)
{
    struct orr_error error;
    char *text = NULL;
    if (orr_stack_ask(request->srv->catalogue, request->body, ORIGIN, &text, &error))
        return srv_reply_error(request->connection, MHD_HTTP_BAD_REQUEST, &error);
    return srv_reply_text(request->connection, MHD_HTTP_OK, SRV_JSON, text);
}

/* ---------------------------------------------------------------- what there is */

static enum MHD_Result catalogue(struct srv_request *request)
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
static enum MHD_Result stored(struct srv_request *request)
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
    return srv_reply_refusal(request->connection, MHD_HTTP_NOT_FOUND, "no part \"%.200s\" in the catalogue; see %s",
                             name, API "catalogue");
}

static enum MHD_Result health(struct srv_request *request)
{
    struct orr_text text = {0};
    orr_text_add(&text, "{\"schema\":\"%s\",\"status\":\"ok\",\"version\":\"%s\",\"studies\":%d}\n", ORR_SCHEMA,
                 orr_version(), atomic_load(&request->srv->n_studies));
    return srv_reply_text(request->connection, MHD_HTTP_OK, SRV_JSON, orr_text_take(&text));
}

/* ---------------------------------------------------------------- files in the program */

static const struct srv_file *find_file(const char *path)
{
    for (size_t i = 0; i < srv_n_files; i++)
        if (strcmp(srv_files[i].path, path) == 0) return &srv_files[i];
    return NULL;
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

static enum MHD_Result reply_file(struct srv_request *request, const struct srv_file *file)
{
    /* The names of these files change with their content. */
    const bool lasting = strncmp(file->path, "/assets/", 8) == 0;
    return srv_reply_bytes(request->connection, type_of(file->path), file->bytes, file->size, lasting);
}

static enum MHD_Result openapi(struct srv_request *request)
{
    return reply_file(request, find_file("/openapi.json"));
}

/* Answer with the explorer, or with a page that says how to build it. */
static enum MHD_Result page(struct srv_request *request)
{
    const bool root = strcmp(request->path, "/") == 0;
    const struct srv_file *file = find_file(root ? "/index.html" : request->path);
    if (!file && root) file = find_file("/plain.html");
    if (file) return reply_file(request, file);
    return srv_reply_refusal(request->connection, MHD_HTTP_NOT_FOUND, "%.200s: no such page; %s lists all",
                             request->path, API "openapi.json");
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
    {"POST", API "technology", technology},
    {"POST", API "fit", fit},
    {"GET", API "catalogue", catalogue},
    {"GET", API "catalogue/", stored},
    {"GET", API "openapi.json", openapi},
    {"GET", API "health", health},
    {"GET", "/", page},
};

const struct srv_route *srv_route(const char *method, const char *path, const char **allow)
{
    const bool head = strcmp(method, MHD_HTTP_METHOD_HEAD) == 0; /* MHD omits the body. */
    *allow = NULL;
    for (size_t i = 0; i < sizeof ROUTES / sizeof *ROUTES; i++) {
        const struct srv_route *route = &ROUTES[i];
        const size_t n = strlen(route->path);
        const bool prefix = route->path[n - 1] == '/';
        if (prefix ? strncmp(path, route->path, n) != 0 : strcmp(path, route->path) != 0) continue;
        if (prefix && route->answer == page && strncmp(path, API, strlen(API)) == 0) continue;
        if (strcmp(route->method, head ? MHD_HTTP_METHOD_GET : method) == 0) return route;
        *allow = route->method;
        return NULL;
    }
    return NULL;
}
