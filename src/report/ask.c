/* The questions of the API by name: what the server, the page without a server and the tools of an assistant share. A
 * table says what opens, runs and renders each kind of question. */
#include "base/error.h"
#include "base/memory.h"
#include "base/plain.h"
#include "orrery.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 64 }; /* points of a sweep between two calls of its patience */

struct orr_ask {
    enum orr_ask_kind kind;
    const struct orr_catalogue *catalogue;
    struct orr_ask_limits limits;
    unsigned long n_failures; /* allocations of the process that had failed before */
    char *json, *origin;
    struct orr_service *service;
    struct orr_size *size;
    struct orr_search *search;
    struct orr_sweep *sweep;
    struct orr_sweep_row *rows;
    struct orr_reader *reader;
    const struct orr_job *job;
    char *text; /* the answer of a question that is asked in one call */
};

/* The patience of a caller, as the runs of the library take it. */
struct patience {
    orr_patience goes_on;
    void *context;
    volatile int stop;
};

static bool goes_on(struct patience *patience, double done_frac, double plans)
{
    return !patience->goes_on || patience->goes_on(patience->context, done_frac, plans);
}

static void watch(void *context, double done_frac)
{
    struct patience *patience = context;
    if (!goes_on(patience, done_frac, 0)) patience->stop = 1;
}

/* ---------------------------------------------------------------- services */

static enum orr_err open_serving(struct orr_ask *q, struct orr_error *error)
{
    return orr_service_open(q->catalogue, q->json, q->origin, &q->service, error);
}

static enum orr_err run_serving(struct orr_ask *q, struct patience *patience, struct orr_error *error)
{
    return orr_service_run(q->service, &patience->stop, watch, patience, error);
}

static char *render_serving(const struct orr_ask *q, enum orr_format format, const struct orr_style *style)
{
    return orr_service_render(q->service, format, style);
}

static enum orr_err open_size(struct orr_ask *q, struct orr_error *error)
{
    return orr_size_open(q->catalogue, q->json, q->origin, &q->size, error);
}

static enum orr_err run_size(struct orr_ask *q, struct patience *patience, struct orr_error *error)
{
    return orr_size_run(q->size, q->limits.n_threads, &patience->stop, watch, patience, error);
}

static char *render_size(const struct orr_ask *q, enum orr_format format, const struct orr_style *style)
{
    return orr_size_render(q->size, format, style);
}

/* ---------------------------------------------------------------- searches */

static enum orr_err open_search(struct orr_ask *q, struct orr_error *error)
{
    return orr_search_open(q->catalogue, q->json, q->origin, &q->search, error);
}

static bool search_goes_on(void *context, const struct orr_search *search, double done_frac)
{
    return goes_on(context, done_frac, (double)orr_search_counts_of(search).plans);
}

static enum orr_err run_search(struct orr_ask *q, struct patience *patience, struct orr_error *error)
{
    return orr_search_run(q->search, q->limits.n_threads, search_goes_on, patience, error);
}

static char *render_search(const struct orr_ask *q, enum orr_format format, const struct orr_style *style)
{
    return orr_search_render(q->search, format, style);
}

/* ---------------------------------------------------------------- sweeps */

static enum orr_err open_sweep(struct orr_ask *q, struct orr_error *error)
{
    const enum orr_err err =
        orr_sweep_open_json(q->catalogue, q->json, q->origin, q->limits.n_threads, &q->sweep, error);
    if (err) return err;
    const int64_t n = orr_sweep_points(q->sweep);
    if (q->limits.n_points_max > 0 && n > q->limits.n_points_max)
        return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.file = q->origin, .key = "vary"},
                        "%" PRId64 " points; at most %" PRId64, n, q->limits.n_points_max);
    q->rows = calloc((size_t)n, sizeof *q->rows);
    return q->rows ? ORR_OK : orr_out_of_memory(error, NULL);
}

static enum orr_err run_sweep(struct orr_ask *q, struct patience *patience, struct orr_error *error)
{
    const int64_t n = orr_sweep_points(q->sweep);
    for (int64_t done = 0; done < n;) {
        const int64_t batch = n - done < BATCH ? n - done : BATCH;
        const enum orr_err err = orr_sweep_run(q->sweep, done, (size_t)batch, q->rows + done, error);
        if (err) return err;
        done += batch;
        if (!goes_on(patience, (double)done / (double)n, (double)done) && done < n)
            return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){0},
                            "stopped after %" PRId64 " of %" PRId64 " points: the time is over", done, n);
    }
    return ORR_OK;
}

static char *render_sweep(const struct orr_ask *q, enum orr_format format, const struct orr_style *style)
{
    if (format != ORR_FORMAT_JSON) return NULL;
    return orr_sweep_render(q->sweep, 0, (size_t)orr_sweep_points(q->sweep), q->rows, format, style);
}

/* ---------------------------------------------------------------- questions that are asked in one call */

static enum orr_err open_sensitivity(struct orr_ask *q, struct orr_error *error)
{
    q->reader = orr_reader_new(q->catalogue);
    return q->reader ? orr_reader_job(q->reader, q->json, q->origin, NULL, &q->job, error)
                     : orr_out_of_memory(error, NULL);
}

static enum orr_err run_nothing(struct orr_ask *q, struct patience *patience, struct orr_error *error)
{
    (void)q, (void)patience, (void)error;
    return ORR_OK;
}

static char *render_sensitivity(const struct orr_ask *q, enum orr_format format, const struct orr_style *style)
{
    static const struct orr_style PLAIN = {0};
    return orr_sensitivity_render(q->job, format, style ? style : &PLAIN);
}

static enum orr_err open_nothing(struct orr_ask *q, struct orr_error *error)
{
    (void)q, (void)error;
    return ORR_OK;
}

static enum orr_err run_compare(struct orr_ask *q, struct patience *patience, struct orr_error *error)
{
    (void)patience;
    return orr_compare_ask(q->catalogue, q->json, q->origin, ORR_FORMAT_JSON, NULL, &q->text, error);
}

static char *render_compare(const struct orr_ask *q, enum orr_format format, const struct orr_style *style)
{
    char *text = NULL;
    if (format == ORR_FORMAT_JSON) return strdup(q->text);
    return orr_compare_ask(q->catalogue, q->json, q->origin, format, style, &text, NULL) ? NULL : text;
}

static enum orr_err run_technology(struct orr_ask *q, struct patience *patience, struct orr_error *error)
{
    (void)patience;
    return orr_technology_ask(q->catalogue, q->json, q->origin, &q->text, error);
}

static enum orr_err run_fit(struct orr_ask *q, struct patience *patience, struct orr_error *error)
{
    (void)patience;
    return orr_stack_ask(q->catalogue, q->json, q->origin, &q->text, error);
}

static char *render_text(const struct orr_ask *q, enum orr_format format, const struct orr_style *style)
{
    (void)style;
    return format == ORR_FORMAT_JSON ? strdup(q->text) : NULL;
}

/* ---------------------------------------------------------------- the table */

static const struct {
    const char *name;
    enum orr_ask_pace pace;
} NAMES[] = {
#define X(name, text, pace) {text, ORR_PACE_##pace},
    ORR_ASKS(X)
#undef X
};

/* Jobs have no functions here: their callers keep sessions or readers for them. */
static const struct {
    enum orr_err (*open)(struct orr_ask *q, struct orr_error *error);
    enum orr_err (*run)(struct orr_ask *q, struct patience *patience, struct orr_error *error);
    char *(*render)(const struct orr_ask *q, enum orr_format format, const struct orr_style *style);
} KINDS[ORR_N_ASKS] = {
    [ORR_ASK_SERVING] = {open_serving, run_serving, render_serving},
    [ORR_ASK_SIZE] = {open_size, run_size, render_size},
    [ORR_ASK_SEARCH] = {open_search, run_search, render_search},
    [ORR_ASK_SWEEP] = {open_sweep, run_sweep, render_sweep},
    [ORR_ASK_SENSITIVITY] = {open_sensitivity, run_nothing, render_sensitivity},
    [ORR_ASK_COMPARE] = {open_nothing, run_compare, render_compare},
    [ORR_ASK_TECHNOLOGY] = {open_nothing, run_technology, render_text},
    [ORR_ASK_FIT] = {open_nothing, run_fit, render_text},
};

const char *orr_ask_name(enum orr_ask_kind kind)
{
    return NAMES[kind].name;
}

enum orr_ask_pace orr_ask_pace(enum orr_ask_kind kind)
{
    return NAMES[kind].pace;
}

enum orr_err orr_ask_open(const struct orr_catalogue *catalogue, enum orr_ask_kind kind, const char *json,
                          const char *origin, const struct orr_ask_limits *limits, struct orr_ask **question,
                          struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    *question = NULL;
    if (!KINDS[kind].open)
        return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.file = origin}, "%s is a job, not a question",
                        NAMES[kind].name);
    const unsigned long n_failures = orr_memory_failures();
    struct orr_ask *q = calloc(1, sizeof *q);
    if (!q) return orr_out_of_memory(error, NULL);
    *q = (struct orr_ask){.kind = kind, .catalogue = catalogue, .limits = *limits, .n_failures = n_failures};
    q->json = strdup(json);
    q->origin = strdup(origin);
    const enum orr_err err = q->json && q->origin ? KINDS[kind].open(q, error) : orr_out_of_memory(error, NULL);
    if (err) orr_ask_close(q);
    else *question = q;
    return err;
}

/* Has memory failed since the question was opened? Then something may be missing in its answer, also if it was another
 * question of the process that failed. */
static bool lacked(const struct orr_ask *question)
{
    return orr_memory_failures() > question->n_failures;
}

enum orr_err orr_ask_run(struct orr_ask *question, orr_patience patience, void *context, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    struct patience own = {.goes_on = patience, .context = context};
    const enum orr_err err = KINDS[question->kind].run(question, &own, error);
    return !err && lacked(question) ? orr_out_of_memory(error, NULL) : err;
}

char *orr_ask_render(const struct orr_ask *question, enum orr_format format, const struct orr_style *style)
{
    ORR_PLAIN_NUMBERS;
    char *text = KINDS[question->kind].render(question, format, style);
    if (!lacked(question)) return text;
    free(text);
    return NULL;
}

void orr_ask_close(struct orr_ask *question)
{
    if (!question) return;
    if (question->service) orr_service_close(question->service);
    if (question->size) orr_size_close(question->size);
    orr_search_free(question->search);
    orr_sweep_close(question->sweep);
    orr_reader_free(question->reader);
    free(question->rows);
    free(question->text);
    free(question->origin);
    free(question->json);
    free(question);
}

/* ---------------------------------------------------------------- options of a question */

#define STAGE(name, format) {name, format},
static enum orr_err dump_of(const char *stage, enum orr_format *format, struct orr_error *error)
{
    static const struct {
        const char *name;
        enum orr_format format;
    } STAGES[] = {ORR_DUMPS(STAGE)};
    for (size_t i = 0; i < sizeof STAGES / sizeof *STAGES; i++) {
        if (strcmp(stage, STAGES[i].name) != 0) continue;
        *format = STAGES[i].format;
        return ORR_OK;
    }
    return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){0},
                    "dump=%.40s: expected ops, costs, ledger, memory or timeline", stage);
}

enum orr_err orr_ask_option(enum orr_ask_kind kind, const char *name, const char *value, enum orr_format *format,
                            struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    const bool job = NAMES[kind].pace == ORR_PACE_JOB, on = strcmp(value, "0") != 0;
    if (job && strcmp(name, "dump") == 0) return dump_of(value, format, error);
    const bool more = (job && strcmp(name, "explain") == 0) || (kind == ORR_ASK_SERVING && strcmp(name, "detail") == 0);
    if (more && on && *format == ORR_FORMAT_JSON) *format = ORR_FORMAT_JSON_EXPLAINED;
    return ORR_OK;
}

/* ---------------------------------------------------------------- parts */

const char *orr_catalogue_stored(const struct orr_catalogue *catalogue, const char *path)
{
    const size_t n = strcspn(path, "/");
    for (int i = 0; i < ORR_N_PARTS && path[n]; i++) {
        const char *part = orr_part_name((enum orr_part)i);
        if (strlen(part) != n || memcmp(part, path, n) != 0) continue;
        const char *id = orr_catalogue_named(catalogue, (enum orr_part)i, path + n + 1);
        return id ? orr_catalogue_text(catalogue, (enum orr_part)i, id) : NULL;
    }
    return NULL;
}
