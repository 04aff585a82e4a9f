/* Sweeps: the index of a point gives its values, the request with these values is read, and its job is predicted, on as
 * many threads as asked for. */
#include "study/sweep.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/plain.h"
#include "base/text.h"
#include "base/units.h"
#include "metric/metric.h"
#include "metric/row.h"
#include "predict/fill.h"
#include "study/sample.h"

#define POINTS_MAX 1e15
enum { BLOCK = 16 }; /* points that a thread takes at once */

const char *orr_point_status_name(enum orr_point_status status)
{
#define X(name, word, meaning) word,
    static const char *const names[] = {ORR_POINT_STATUSES(X)};
#undef X
    return (unsigned)status < ORR_N_POINT_STATUSES ? names[status] : "";
}

/* ---------------------------------------------------------------- points and their values */

/* Work out how many points there are. */
static enum orr_err count_points(const struct orr_sweep_spec *spec, struct orr_sweep *sweep, struct orr_error *error)
{
    double product = 1;
    for (size_t a = 0; a < sweep->n_axes; a++) {
        const struct orr_axis *axis = &sweep->axes[a];
        product *= axis->continuous ? 1 : (double)axis->n_values;
        if (sweep->mode == ORR_SWEEP_ZIP && axis->n_values != sweep->axes[0].n_values)
            return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){0},
                            "--zip: %s has %" PRId64 " values, %s has %" PRId64, sweep->axes[0].name,
                            sweep->axes[0].n_values, axis->name, axis->n_values);
    }
    if (sweep->mode == ORR_SWEEP_ZIP) product = (double)sweep->axes[0].n_values;
    if (sweep->mode == ORR_SWEEP_SAMPLE) product = (double)spec->n_samples;
    if (product > POINTS_MAX)
        return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){0}, "%.3g points; at most %.0e", product, POINTS_MAX);
    sweep->n_points = (int64_t)product;
    return ORR_OK;
}

void orr_sweep_value(const struct orr_sweep *sweep, int64_t point, size_t field, char text[ORR_SWEEP_VALUE])
{
    ORR_PLAIN_NUMBERS;
    const struct orr_axis *axis = &sweep->axes[field];
    switch (sweep->mode) {
    case ORR_SWEEP_SAMPLE:
        orr_axis_at(axis, orr_stratified(point, sweep->n_points, orr_random_bits(sweep->seed, field)), text);
        return;
    case ORR_SWEEP_ZIP: orr_axis_value(axis, point, text); return;
    case ORR_SWEEP_PRODUCT:
        for (size_t a = sweep->n_axes - 1; a > field; a--) point /= sweep->axes[a].n_values;
        orr_axis_value(axis, point % axis->n_values, text);
        return;
    case ORR_N_SWEEP_MODES: break;
    }
}

/* ---------------------------------------------------------------- one point */

enum orr_err orr_sweep_put(const struct orr_sweep *sweep, struct orr_sweep_worker *worker, size_t axis,
                           const char *value, struct orr_error *error)
{
    /* Values are never empty, so an empty one was not put yet. */
    if (strcmp(worker->put[axis], value) == 0) return ORR_OK;
    char path[ORR_SWEEP_VALUE] = "set."; /* "set" overrides other keys, and its errors need no line number. */
    for (const char *at = sweep->axes[axis].paths; orr_next_word(&at, ' ', path + 4, sizeof path - 4);) {
        const bool dotted = strchr(path + 4, '.');
        const enum orr_err err = orr_form_set(worker->form, dotted ? path : path + 4, value, error);
        if (err) return err;
    }
    (void)snprintf(worker->put[axis], ORR_SWEEP_VALUE, "%s", value);
    return ORR_OK;
}

/* Read the job of a point with the worker's form. */
static enum orr_err read_point(const struct orr_sweep *sweep, struct orr_sweep_worker *worker, int64_t point,
                               const struct orr_job **job, struct orr_error *error)
{
    char value[ORR_SWEEP_VALUE];
    for (size_t a = 0; a < sweep->n_axes; a++) {
        orr_sweep_value(sweep, point, a, value);
        const enum orr_err err = orr_sweep_put(sweep, worker, a, value, error);
        if (err) return err;
    }
    return orr_sweep_understand(sweep, worker, job, error);
}

enum orr_err orr_sweep_understand(const struct orr_sweep *sweep, struct orr_sweep_worker *worker,
                                  const struct orr_job **job, struct orr_error *error)
{
    if (!sweep->search) return orr_form_job(worker->form, job, error);
    enum orr_err err = orr_form_search(worker->form, worker->request, error);
    if (!err) err = orr_limits_resolve(worker->request, error);
    *job = &worker->job;
    return err;
}

static void predict(const struct orr_job *job, struct orr_scratch *scratch, struct orr_point *outcome)
{
    outcome->reason[0] = '\0';
    if (job->kind == ORR_JOB_INFER) {
        orr_infer(job, scratch, &outcome->answer.infer);
        outcome->status = outcome->answer.infer.fits ? ORR_POINT_OK : ORR_POINT_NO_FIT;
        orr_copy_line(outcome->reason, sizeof outcome->reason, outcome->answer.infer.reason);
        return;
    }
    orr_train(job, scratch, &outcome->answer.train);
    const struct orr_memory *memory = &outcome->answer.train.memory;
    outcome->status = outcome->answer.train.fits ? ORR_POINT_OK : ORR_POINT_NO_FIT;
    if (!outcome->answer.train.fits)
        (void)snprintf(outcome->reason, sizeof outcome->reason, "%.2f GiB too much per GPU",
                       (memory->total_bytes - memory->usable_bytes) / ORR_GIB);
}

/* Record the rule that a point breaks, without the name of the request. */
static void refuse(struct orr_point *outcome, const struct orr_error *error)
{
    const char *key = error->key[0] ? strstr(error->text, error->key) : NULL;
    outcome->status = ORR_POINT_INVALID;
    orr_copy_line(outcome->reason, sizeof outcome->reason, key ? key : error->text);
}

/* Returns false if no more points can be answered; worker->error says why. */
static bool answer_point(const struct orr_sweep *sweep, struct orr_sweep_worker *worker, int64_t point)
{
    ORR_PLAIN_NUMBERS;
    struct orr_point *outcome = &worker->outcome;
    const struct orr_job *job = NULL; /* a point whose values are refused has none */
    enum orr_err err = read_point(sweep, worker, point, &job, &worker->error);
    if (!err && sweep->search) err = orr_sweep_search(worker, &worker->error);
    else if (!err) predict(job = orr_filled(job, worker->scratch), worker->scratch, outcome);
    err = orr_complete(err, &worker->error);
    if (err == ORR_ERR_MEMORY || err == ORR_ERR_IO) return false;
    outcome->answer.job = job;
    if (err) refuse(outcome, &worker->error);
    worker->error.code = ORR_OK;
    return true;
}

/* ---------------------------------------------------------------- many points */

static int thread_number(void)
{
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

enum orr_err orr_sweep_each(struct orr_sweep *sweep, int64_t first, size_t n,
                            void (*visit)(void *context, size_t i, const struct orr_point *outcome), void *context,
                            struct orr_error *error)
{
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, BLOCK) num_threads(sweep->n_workers)
#endif
    for (size_t i = 0; i < n; i++) {
        struct orr_sweep_worker *worker = &sweep->workers[thread_number()];
        if (worker->error.code) continue;
        if (answer_point(sweep, worker, first + (int64_t)i)) visit(context, i, &worker->outcome);
    }
    for (int t = 0; t < sweep->n_workers; t++)
        if (sweep->workers[t].error.code) {
            if (error) *error = sweep->workers[t].error;
            return sweep->workers[t].error.code;
        }
    return ORR_OK;
}

/* ---------------------------------------------------------------- opening */

/* Copy `text` to *at and move *at behind it. */
static const char *keep(char **at, const char *text)
{
    char *copy = *at;
    const size_t size = strlen(text) + 1;
    memcpy(copy, text, size);
    *at += size;
    return copy;
}

/* Copy all texts of the axes into one block and parse the axes. */
static enum orr_err read_axes(const struct orr_sweep_spec *spec, struct orr_sweep *sweep, struct orr_error *error)
{
    size_t size = 0;
    for (size_t a = 0; a < spec->n_varies; a++) {
        const struct orr_vary *vary = &spec->varies[a];
        size += strlen(vary->name) + strlen(vary->paths) + strlen(vary->values) + 3;
    }
    sweep->storage = malloc(size);
    sweep->axes = calloc(spec->n_varies, sizeof *sweep->axes);
    if (!sweep->storage || !sweep->axes) return orr_out_of_memory(error, NULL);
    char *at = sweep->storage;
    for (size_t a = 0; a < spec->n_varies; a++) {
        struct orr_vary copy;
        copy.name = keep(&at, spec->varies[a].name);
        copy.paths = keep(&at, spec->varies[a].paths);
        copy.values = keep(&at, spec->varies[a].values);
        const enum orr_err err = orr_axis_parse(&copy, sweep->mode == ORR_SWEEP_SAMPLE, &sweep->axes[a], error);
        if (err) return err;
        sweep->n_axes = a + 1;
    }
    return ORR_OK;
}

static enum orr_err open_workers(const struct orr_form *form, int n_threads, struct orr_sweep *sweep,
                                 struct orr_error *error)
{
    int n = 1;
#ifdef _OPENMP
    n = n_threads > 0 ? n_threads : omp_get_max_threads();
#else
    (void)n_threads;
#endif
    sweep->workers = calloc((size_t)n, sizeof *sweep->workers);
    if (!sweep->workers) return orr_out_of_memory(error, NULL);
    for (sweep->n_workers = 0; sweep->n_workers < n; sweep->n_workers++) {
        struct orr_sweep_worker *worker = &sweep->workers[sweep->n_workers];
        worker->form = orr_form_copy(form);
        worker->scratch = orr_scratch_new();
        worker->put = calloc(sweep->n_axes, sizeof *worker->put);
        if (sweep->search) worker->request = calloc(1, sizeof *worker->request);
        if (!worker->form || !worker->scratch || !worker->put || (sweep->search && !worker->request)) {
            sweep->n_workers++;
            return orr_out_of_memory(error, NULL);
        }
    }
    return ORR_OK;
}

/* Write the request, then the varied fields as on a command line. */
static enum orr_err write_text(const struct orr_sweep_spec *spec, struct orr_sweep *sweep, struct orr_error *error)
{
    struct orr_text text = {0};
    char *request = orr_form_text(sweep->workers[0].form);
    if (!request) return orr_out_of_memory(error, NULL);
    orr_text_add(&text, "%s", request);
    free(request);
    for (size_t a = 0; a < sweep->n_axes; a++)
        orr_text_add(&text, " --vary %s=%s", sweep->axes[a].name, sweep->axes[a].values);
    switch (sweep->mode) {
    case ORR_SWEEP_SAMPLE:
        orr_text_add(&text, " --sample %" PRId64 " --seed %" PRIu64, spec->n_samples, spec->seed);
        break;
    case ORR_SWEEP_ZIP: orr_text_add(&text, " --zip"); break;
    case ORR_SWEEP_PRODUCT:
    case ORR_N_SWEEP_MODES: break;
    }
    if (sweep->search) orr_text_add(&text, " --search");
    sweep->text = orr_text_take(&text);
    return sweep->text ? ORR_OK : orr_out_of_memory(error, NULL);
}

/* Two axes that set the same value are an error, because one would hide the other. */
static enum orr_err check_twice(const struct orr_sweep *sweep, struct orr_error *error)
{
    for (size_t a = 0; a < sweep->n_axes; a++)
        for (size_t b = 0; b < a; b++)
            if (strcmp(sweep->axes[a].paths, sweep->axes[b].paths) == 0)
                return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){0}, "--vary %.100s: %s is varied twice",
                                sweep->axes[a].name, sweep->axes[a].paths);
    return ORR_OK;
}

enum orr_err orr_form_sweep(const struct orr_form *form, const struct orr_sweep_spec *spec, struct orr_sweep **sweep,
                            struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    const struct orr_job *job;
    struct orr_sweep *new = *sweep = calloc(1, sizeof **sweep);
    if (!new) return orr_out_of_memory(error, NULL);
    new->mode = spec->mode;
    new->seed = spec->seed;
    new->search = spec->search;
    enum orr_err err = spec->n_varies > 0 ? ORR_OK
                                          : orr_fail(error, ORR_ERR_INPUT, (struct orr_place){0},
                                                     "nothing is varied: --vary FIELD=VALUES, e.g. --vary tp=1,2,4,8");
    if (!err) err = read_axes(spec, new, error);
    if (!err) err = check_twice(new, error);
    if (!err) err = count_points(spec, new, error);
    if (!err) err = open_workers(form, spec->n_threads, new, error);
    if (!err) err = write_text(spec, new, error);
    if (!err) err = orr_sweep_check(new, &new->workers[0], error);
    if (!err) {
        /* The kind is known even if the request breaks a rule. */
        (void)orr_sweep_understand(new, &new->workers[0], &job, NULL);
        new->kind = new->search ? new->workers[0].request->job.kind : job->kind;
        return ORR_OK;
    }
    orr_sweep_close(new);
    *sweep = NULL;
    return err;
}

enum orr_err orr_sweep_open(const struct orr_catalogue *catalogue, const struct orr_sweep_spec *spec,
                            struct orr_sweep **sweep, struct orr_error *error)
{
    struct orr_form *form;
    *sweep = NULL;
    enum orr_err err = orr_form_open(catalogue, spec->request, spec->origin, &form, error);
    if (err) return err;
    err = orr_form_sweep(form, spec, sweep, error);
    orr_form_close(form);
    return err;
}

void orr_sweep_close(struct orr_sweep *sweep)
{
    if (!sweep) return;
    for (int t = 0; t < sweep->n_workers; t++) {
        orr_form_close(sweep->workers[t].form);
        orr_scratch_free(sweep->workers[t].scratch);
        free(sweep->workers[t].put);
        free(sweep->workers[t].request);
    }
    for (size_t a = 0; a < sweep->n_axes; a++) orr_axis_free(&sweep->axes[a]);
    free(sweep->workers);
    free(sweep->axes);
    free(sweep->text);
    free(sweep->storage);
    free(sweep);
}

int64_t orr_sweep_points(const struct orr_sweep *sweep)
{
    return sweep->n_points;
}

const char *orr_sweep_text(const struct orr_sweep *sweep)
{
    ORR_PLAIN_NUMBERS;
    return sweep->text;
}

/* ---------------------------------------------------------------- rows */

size_t orr_sweep_columns(const struct orr_sweep *sweep, struct orr_column columns[ORR_MAX_COLUMNS])
{
    const size_t n = orr_session_columns(sweep->kind, columns);
    return sweep->search ? n + orr_row_plan_columns(sweep->kind, columns + n) : n;
}

struct rows {
    struct orr_sweep_row *rows;
    bool search;
};

static void fill_row(void *context, size_t i, const struct orr_point *outcome)
{
    const struct rows *rows = context;
    struct orr_sweep_row *row = &rows->rows[i];
    row->status = outcome->status;
    memcpy(row->reason, outcome->reason, sizeof row->reason);
    row->blank = outcome->status == ORR_POINT_INVALID || (rows->search && outcome->status != ORR_POINT_OK);
    if (row->blank) return;
    const size_t n = orr_row_fill(&outcome->answer, row);
    if (rows->search) orr_row_fill_plan(outcome->answer.job, &outcome->choice, n, row);
}

enum orr_err orr_sweep_run(struct orr_sweep *sweep, int64_t first, size_t n, struct orr_sweep_row *rows,
                           struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    struct rows context = {rows, sweep->search};
    return orr_sweep_each(sweep, first, n, fill_row, &context, error);
}
