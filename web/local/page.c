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

enum { POINTS_MAX = 20000, OPTION = 64 };

/* The format that the options of a query ("?dump=ops&explain=1") ask for. */
static enum orr_err format_of(enum orr_ask_kind kind, const char *query, enum orr_format *format,
                              struct orr_error *error)
{
    *format = ORR_FORMAT_JSON;
    for (const char *at = query + (*query == '?'); *at; at += strcspn(at, "&"), at += *at == '&') {
        char name[OPTION], value[OPTION];
        const size_t n = strcspn(at, "&"), n_name = strcspn(at, "=&");
        (void)snprintf(name, sizeof name, "%.*s", (int)n_name, at);
        (void)snprintf(value, sizeof value, "%.*s", n > n_name ? (int)(n - n_name - 1) : 0, at + n_name + 1);
        const enum orr_err err = orr_ask_option(kind, name, value, format, error);
        if (err) return err;
    }
    return ORR_OK;
}

static bool progress(void *context, double done_frac, double plans)
{
    (void)context;
    tell_progress(done_frac, plans);
    return true;
}

static enum orr_err ask(struct page *page, enum orr_ask_kind kind, const char *body, enum orr_format format,
                        struct reply *reply)
{
    static const struct orr_ask_limits LIMITS = {.n_threads = 1, .n_points_max = POINTS_MAX};
    struct orr_ask *question = NULL;
    const double start_ms = emscripten_get_now();
    enum orr_err err = orr_ask_open(page->catalogue, kind, body, ORIGIN, &LIMITS, &question, &reply->error);
    if (!err) err = orr_ask_run(question, progress, NULL, &reply->error);
    const struct orr_style took = {.took_s = (emscripten_get_now() - start_ms) / 1000};
    if (!err) reply->text = orr_ask_render(question, format, kind == ORR_ASK_SEARCH ? &took : NULL);
    orr_ask_close(question);
    return err;
}

static enum orr_err question(struct page *page, enum orr_ask_kind kind, const char *query, const char *body,
                             struct reply *reply)
{
    enum orr_format format;
    const enum orr_err err = format_of(kind, query, &format, &reply->error);
    if (err) return err;
    if (orr_ask_pace(kind) != ORR_PACE_JOB) return ask(page, kind, body, format, reply);
    return orr_session_render(page->session, body, ORIGIN, format, NULL, &reply->text, &reply->error);
}

/* ---------------------------------------------------------------- the catalogue */

static enum orr_err catalogue(struct page *page, const char *path, struct reply *reply)
{
    const char *name = path + strlen("catalogue");
    if (!*name)
        return orr_catalogue_render(page->catalogue, ORR_ALL_PARTS, true, ORR_FORMAT_JSON, NULL, &reply->text,
                                    &reply->error);
    const char *text = orr_catalogue_stored(page->catalogue, name + 1);
    if (text) {
        reply->text = strdup(text);
        return ORR_OK;
    }
    (void)snprintf(reply->error.text, sizeof reply->error.text, "no part \"%.200s\" in the catalogue", name + 1);
    return reply->error.code = ORR_ERR_INPUT;
}

/* ---------------------------------------------------------------- the answer */

/* The answer to a request of the API: `path` follows /api/v1/. Returns JSON that the caller frees; *status becomes that
 * of HTTP. NULL means out of memory. */
EMSCRIPTEN_KEEPALIVE char *orrery_answer(struct page *page, const char *path, const char *query, const char *body,
                                         int *status)
{
    struct reply reply = {0};
    enum orr_err err = ORR_ERR_INPUT;
    (void)snprintf(reply.error.text, sizeof reply.error.text, "%.100s: not on a page without a server", path);
    if (strncmp(path, "catalogue", 9) == 0) err = catalogue(page, path, &reply);
    for (int kind = 0; kind < ORR_N_ASKS; kind++)
        if (strcmp(path, orr_ask_name((enum orr_ask_kind)kind)) == 0)
            err = question(page, (enum orr_ask_kind)kind, query, body, &reply);
    *status = err ? 400 : 200;
    return err ? orr_error_json(&reply.error) : reply.text;
}
