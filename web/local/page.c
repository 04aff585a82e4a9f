/* The library as a WebAssembly module: it answers the requests of the server's API inside a page that has no server. The
 * explorer asks as it asks a server; worker.js calls orrery_answer, and fetch.js stands between them. */
#include <emscripten.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "orrery.h"

/* What one page keeps between requests. */
struct page {
    struct orr_catalogue *catalogue;
    struct orr_session *session;
};

/* An answer: JSON text, or an error. */
struct reply {
    char *text;
    struct orr_error error;
};

EM_JS(void, tell_progress, (double done_frac, double plans), { orreryProgress(done_frac, plans); });

static const char ORIGIN[] = "request";

EMSCRIPTEN_KEEPALIVE struct page *orrery_open(void)
{
    struct page *page = calloc(1, sizeof *page);
    struct orr_error error;
    if (!page || orr_catalogue_open(NULL, 0, &page->catalogue, &error)) return NULL;
    orr_catalogue_seal(page->catalogue);
    page->session = orr_session_new(page->catalogue);
    return page->session ? page : NULL;
}

/* ---------------------------------------------------------------- questions */

/* The format that ?dump= or ?explain=1 asks for. */
static enum orr_format format_of(const char *query)
{
    static const struct {
        const char *text;
        enum orr_format format;
    } FORMATS[] = {{"dump=ops", ORR_FORMAT_DUMP_OPS},           {"dump=costs", ORR_FORMAT_DUMP_COSTS},
                   {"dump=ledger", ORR_FORMAT_DUMP_LEDGER},     {"dump=memory", ORR_FORMAT_DUMP_MEMORY},
                   {"dump=timeline", ORR_FORMAT_DUMP_TIMELINE}, {"explain=1", ORR_FORMAT_JSON_EXPLAINED}};
    for (size_t i = 0; i < sizeof FORMATS / sizeof *FORMATS; i++)
        if (strstr(query, FORMATS[i].text)) return FORMATS[i].format;
    return ORR_FORMAT_JSON;
}

static enum orr_err job(struct page *page, const char *query, const char *body, struct reply *reply)
{
    return orr_session_render(page->session, body, ORIGIN, format_of(query), NULL, &reply->text, &reply->error);
}

static void service_progress(void *context, double done_frac)
{
    (void)context;
    tell_progress(done_frac, 0);
}

static enum orr_err serving(struct page *page, const char *query, const char *body, struct reply *reply)
{
    struct orr_service *service = NULL;
    const enum orr_format format = strstr(query, "detail=1") ? ORR_FORMAT_JSON_EXPLAINED : ORR_FORMAT_JSON;
    enum orr_err err = orr_service_open(page->catalogue, body, ORIGIN, &service, &reply->error);
    if (!err) err = orr_service_run(service, NULL, service_progress, NULL, &reply->error);
    if (!err) reply->text = orr_service_render(service, format, NULL);
    orr_service_close(service);
    return err;
}

static enum orr_err size(struct page *page, const char *query, const char *body, struct reply *reply)
{
    struct orr_size *size = NULL;
    (void)query;
    enum orr_err err = orr_size_open(page->catalogue, body, ORIGIN, &size, &reply->error);
    if (!err) err = orr_size_run(size, 1, NULL, service_progress, NULL, &reply->error);
    if (!err) reply->text = orr_size_render(size, ORR_FORMAT_JSON, NULL);
    orr_size_close(size);
    return err;
}

static bool search_progress(void *context, const struct orr_search *search, double done_frac)
{
    (void)context;
    (void)search;
    tell_progress(done_frac, 0);
    return true;
}

static enum orr_err search(struct page *page, const char *query, const char *body, struct reply *reply)
{
    struct orr_search *search = NULL;
    const double start_ms = emscripten_get_now();
    (void)query;
    enum orr_err err = orr_search_open(page->catalogue, body, ORIGIN, &search, &reply->error);
    if (!err) err = orr_search_run(search, 1, search_progress, NULL, &reply->error);
    const struct orr_style took = {.took_s = (emscripten_get_now() - start_ms) / 1000};
    if (!err) reply->text = orr_search_render(search, ORR_FORMAT_JSON, &took);
    orr_search_free(search);
    return err;
}

enum { POINTS_MAX = 20000 };

static enum orr_err sweep(struct page *page, const char *query, const char *body, struct reply *reply)
{
    struct orr_sweep *sweep = NULL;
    struct orr_sweep_row *rows = NULL;
    (void)query;
    enum orr_err err = orr_sweep_open_json(page->catalogue, body, ORIGIN, 1, &sweep, &reply->error);
    const int64_t n = err ? 0 : orr_sweep_points(sweep);
    if (!err && n > POINTS_MAX) {
        (void)snprintf(reply->error.text, sizeof reply->error.text, "request: vary: %lld points; at most %d",
                       (long long)n, POINTS_MAX);
        err = reply->error.code = ORR_ERR_INPUT;
    }
    if (!err && !(rows = calloc((size_t)n, sizeof *rows))) err = reply->error.code = ORR_ERR_MEMORY;
    if (!err) err = orr_sweep_run(sweep, 0, (size_t)n, rows, &reply->error);
    if (!err) reply->text = orr_sweep_render(sweep, 0, (size_t)n, rows, ORR_FORMAT_JSON, NULL);
    free(rows);
    orr_sweep_close(sweep);
    return err;
}

static enum orr_err compare(struct page *page, const char *query, const char *body, struct reply *reply)
{
    (void)query;
    return orr_compare_ask(page->catalogue, body, ORIGIN, ORR_FORMAT_JSON, NULL, &reply->text, &reply->error);
}

static enum orr_err sensitivity(struct page *page, const char *query, const char *body, struct reply *reply)
{
    struct orr_reader *reader = orr_reader_new(page->catalogue);
    const struct orr_job *job = NULL;
    (void)query;
    if (!reader) return reply->error.code = ORR_ERR_MEMORY;
    const enum orr_err err = orr_reader_job(reader, body, ORIGIN, NULL, &job, &reply->error);
    if (!err) reply->text = orr_sensitivity_render(job, ORR_FORMAT_JSON, NULL);
    orr_reader_free(reader);
    return err;
}

static enum orr_err technology(struct page *page, const char *query, const char *body, struct reply *reply)
{
    (void)query;
    return orr_technology_ask(page->catalogue, body, ORIGIN, &reply->text, &reply->error);
}

static enum orr_err fit(struct page *page, const char *query, const char *body, struct reply *reply)
{
    (void)query;
    return orr_stack_ask(page->catalogue, body, ORIGIN, &reply->text, &reply->error);
}

/* ---------------------------------------------------------------- the catalogue */

static enum orr_err catalogue(struct page *page, const char *path, struct reply *reply)
{
    const char *name = path + strlen("catalogue");
    if (!*name)
        return orr_catalogue_render(page->catalogue, ORR_N_PARTS, true, ORR_FORMAT_JSON, NULL, &reply->text,
                                    &reply->error);
    name++;
    const size_t n = strcspn(name, "/");
    for (int i = 0; i < ORR_N_PARTS && name[n]; i++) {
        const char *part = orr_part_name((enum orr_part)i);
        if (strlen(part) != n || memcmp(part, name, n) != 0) continue;
        const char *id = orr_catalogue_named(page->catalogue, (enum orr_part)i, name + n + 1);
        const char *text = id ? orr_catalogue_text(page->catalogue, (enum orr_part)i, id) : NULL;
        if (text) reply->text = strdup(text);
    }
    if (reply->text) return ORR_OK;
    (void)snprintf(reply->error.text, sizeof reply->error.text, "no part \"%.200s\" in the catalogue", name);
    return reply->error.code = ORR_ERR_INPUT;
}

/* ---------------------------------------------------------------- the table */

static const struct {
    const char *path;
    enum orr_err (*answer)(struct page *page, const char *query, const char *body, struct reply *reply);
} ROUTES[] = {{"train", job},
              {"infer", job},
              {"serving", serving},
              {"size", size},
              {"search", search},
              {"sweep", sweep},
              {"compare", compare},
              {"technology", technology},
              {"sensitivity", sensitivity},
              {"fit", fit}};

/* The answer to a request of the API: `path` follows /api/v1/. Returns JSON that the caller frees; *status becomes that
 * of HTTP. NULL means out of memory. */
EMSCRIPTEN_KEEPALIVE char *orrery_answer(struct page *page, const char *path, const char *query, const char *body,
                                         int *status)
{
    struct reply reply = {0};
    enum orr_err err = ORR_ERR_INPUT;
    (void)snprintf(reply.error.text, sizeof reply.error.text, "%.100s: not on a page without a server", path);
    if (strncmp(path, "catalogue", 9) == 0) err = catalogue(page, path, &reply);
    for (size_t i = 0; i < sizeof ROUTES / sizeof *ROUTES; i++)
        if (strcmp(path, ROUTES[i].path) == 0) err = ROUTES[i].answer(page, query, body, &reply);
    *status = err ? 400 : 200;
    return err ? orr_error_json(&reply.error) : reply.text;
}
