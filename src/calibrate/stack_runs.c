/* Rows of measurement tables -> jobs whose constants can be moved, and straight lines through their predictions. */
#include "calibrate/stack.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "spec/factors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const double orr_stack_hosts[ORR_STACK_HOSTS] = {1, 2, 4, 8, 16, 32, 64};

/* Steps of the differences, in prior spreads. */
#define STEP      0.05
#define STEP_GROW 0.1
/* A straight line does not lead below this share of the measured time. */
#define LEAST_RATIO 1e-3

/* ---------------------------------------------------------------- reading */

void orr_stack_runs_free(struct orr_stack_runs *runs)
{
    if (!runs) return;
    orr_validation_free(runs->table);
    free(runs->runs);
    free(runs->as_is);
    free(runs->start);
    free(runs->slope);
    free(runs->host);
    free(runs);
}

bool orr_stack_usable(const struct orr_stack_runs *runs, size_t i)
{
    return !runs->runs[i].score.skipped[0];
}

static bool grow(struct orr_stack_runs *runs, size_t more)
{
    const size_t n = runs->n + more + 1;
    struct orr_stack_run *all = realloc(runs->runs, n * sizeof *all);
    if (all) runs->runs = all;
    return all;
}

/* Is the value of the row a time? Memory says nothing about the numbers that are fitted. */
static bool is_timed(const struct orr_score *score)
{
    return strcmp(score->metric, "peak_memory_gib") != 0 && strcmp(score->metric, "fits") != 0;
}

/* A row of memory is no run to fit, and the report says that it was there. */
static void leave_memory(const struct orr_validation *v, const struct orr_stack_run *run, struct orr_stack_runs *runs)
{
    if (runs->n_memory++ > 0) return;
    orr_stack_name_row(v, run, runs->memory_row);
}

/* Read the rows of the last table of the validation. */
static void read_rows(struct validator *w, const struct orr_schema *schema, struct orr_stack_runs *runs)
{
    struct orr_validation *v = runs->table;
    w->v = v;
    w->csv = &v->csvs[v->n_csvs - 1];
    w->set = schema->set;
    for (size_t row = 0; row < w->csv->n_rows; row++) {
        struct orr_stack_run *run = &runs->runs[runs->n];
        w->own = NULL;
        const struct orr_score *score = schema->read_row(w, row);
        run->csv = v->n_csvs - 1;
        run->row = row;
        run->schema = schema;
        run->own = w->own ? w->own : "";
        run->score = score ? *score : v->scores[v->n_scores - 1];
        run->needs_bytes = 0;
        if (!is_timed(&run->score)) {
            leave_memory(v, run, runs);
            continue;
        }
        const char *unfit = score ? orr_stack_unfit(w->csv, row) : NULL;
        if (unfit) {
            snprintf(run->score.skipped, sizeof run->score.skipped, "%s", unfit);
            score = NULL;
        }
        if (score) run->job = w->job;
        if (score) schema->predict(w, row, &run->score);
        if (score && run->job.kind == ORR_JOB_TRAIN) run->needs_bytes = w->result.memory.most_bytes;
        runs->n++;
    }
}

static enum orr_err read_table(struct validator *w, const struct orr_catalogue *catalogue,
                               const struct orr_stack_table *table, struct orr_stack_runs *runs,
                               struct orr_error *error)
{
    enum orr_err err = orr_validation_add(runs->table, table->text, table->origin, error);
    if (err) return err;
    const struct orr_csv *csv = &runs->table->csvs[runs->table->n_csvs - 1];
    const struct orr_schema *schema = orr_schema_of(csv);
    if (!schema->read_row)
        return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.file = table->origin, .line = 1},
                        "a log of requests cannot be fitted: give a row per run (columns of validation/serving.csv)");
    if (!grow(runs, csv->n_rows)) return orr_out_of_memory(error, table->origin);
    err = orr_form_open(catalogue, schema->request, "row", &w->form, error);
    if (err) return err;
    read_rows(w, schema, runs);
    orr_form_close(w->form);
    w->form = NULL;
    return ORR_OK;
}

static bool make_room(struct orr_stack_runs *runs)
{
    const size_t n = runs->n + 1;
    runs->as_is = calloc(n, sizeof *runs->as_is);
    runs->start = calloc(n, sizeof *runs->start);
    runs->slope = calloc(n, sizeof *runs->slope);
    runs->host = calloc(n, sizeof *runs->host);
    return runs->as_is && runs->start && runs->slope && runs->host;
}

/* The engine of a row: the one that is asked for, or its own. */
static const char *asked_engine(void *context, const char *own)
{
    const char *name = context;
    return name[0] ? name : own;
}

/* By the kind of the runs; of several kinds the widest. */
static double within_of(const struct orr_stack_runs *runs)
{
    double most = 0;
    for (size_t i = 0; i < runs->n; i++)
        if (orr_stack_usable(runs, i)) most = orr_max(most, orr_stack_within(runs->runs[i].score.regime));
    return most > 0 ? most : orr_stack_within(ORR_REGIME_TRAIN_DENSE);
}

enum orr_err orr_stack_read(const struct orr_catalogue *catalogue, const struct orr_stack_table *tables, size_t n,
                            const char *engine, struct orr_stack_runs **runs, struct orr_error *error)
{
    struct orr_stack_worker worker = {0};
    struct orr_stack_runs *r = calloc(1, sizeof *r);
    if (r) r->table = calloc(1, sizeof *r->table);
    enum orr_err err = r && r->table && orr_stack_worker_open(&worker) ? ORR_OK : orr_out_of_memory(error, NULL);
    if (!err) {
        worker.w->engine = asked_engine;
        worker.w->engine_context = (void *)(uintptr_t)engine;
    }
    for (size_t i = 0; i < n && !err; i++) err = read_table(worker.w, catalogue, &tables[i], r, error);
    if (!err && !make_room(r)) err = orr_out_of_memory(error, NULL);
    if (!err) r->prior = orr_stack_unknown();
    if (!err) r->within = within_of(r);
    for (size_t i = 0; !err && i < r->n; i++)
        if (orr_stack_usable(r, i)) r->as_is[i] = 1 + r->runs[i].score.error;
    orr_stack_worker_close(&worker);
    if (err) orr_stack_runs_free(r);
    *runs = err ? NULL : r;
    return err;
}

/* ---------------------------------------------------------------- predicting */

bool orr_stack_worker_open(struct orr_stack_worker *worker)
{
    *worker = (struct orr_stack_worker){.w = calloc(1, sizeof *worker->w)};
    if (worker->w) worker->w->scratch = orr_scratch_new();
    return worker->w && worker->w->scratch;
}

void orr_stack_worker_close(struct orr_stack_worker *worker)
{
    if (worker->w) orr_scratch_free(worker->w->scratch);
    free(worker->w);
    worker->w = NULL;
}

/* Put the values at x into the engine of a job that was read with the parent, and the factors into its constants. */
static void apply_numbers(const struct orr_job *parent, const bool active[ORR_STACK_N], const double x[ORR_STACK_N],
                          struct orr_job *job)
{
    job->engine = parent->engine;
    job->calibration = parent->calibration;
    job->system = parent->system;
    for (int i = 0; i < ORR_STACK_N; i++) {
        const struct orr_stack_parameter *p = orr_stack_parameter(i);
        if (active[i])
            *(double *)(void *)((char *)&job->engine + p->offset) =
                orr_stack_value(i, orr_stack_parent(i, &parent->engine), x[i]);
    }
    orr_factors_apply(&job->engine, &parent->engine, job);
}

/* The score of the job in the worker, whose other members are those of run i. */
static void score_job(struct orr_stack_worker *worker, const struct orr_stack_runs *runs, size_t i,
                      struct orr_score *score)
{
    const struct orr_stack_run *run = &runs->runs[i];
    *score = run->score;
    worker->w->v = runs->table;
    worker->w->csv = &runs->table->csvs[run->csv];
    run->schema->predict(worker->w, run->row, score);
    worker->n_predictions++;
}

static double ratio_of_job(struct orr_stack_worker *worker, const struct orr_stack_runs *runs, size_t i)
{
    struct orr_score score;
    worker->w->means = true;
    score_job(worker, runs, i, &score);
    return score.skipped[0] ? (double)NAN : 1 + score.error;
}

void orr_stack_score(struct orr_stack_worker *worker, const struct orr_stack_runs *runs, size_t i,
                     const bool active[ORR_STACK_N], const double x[ORR_STACK_N], struct orr_score *score)
{
    worker->w->job = runs->runs[i].job;
    worker->w->means = false;
    apply_numbers(&runs->runs[i].job, active, x, &worker->w->job);
    score_job(worker, runs, i, score);
}

/* Eq. 240: the ratio with a host this many times slower, between two of the hosts that were tried. */
static double host_ratio(const struct orr_stack_runs *runs, size_t i, double factor)
{
    int k = 0;
    while (k < ORR_STACK_HOSTS - 2 && orr_stack_hosts[k + 1] < factor) k++;
    const double share = (factor - orr_stack_hosts[k]) / (orr_stack_hosts[k + 1] - orr_stack_hosts[k]);
    return runs->host[i][k] + share * (runs->host[i][k + 1] - runs->host[i][k]);
}

/* Eq. 240: the ratio on the straight lines through the parent; a slower host is no straight line. */
static double ratio_on_lines(const struct orr_stack_runs *runs, size_t i, const bool active[ORR_STACK_N],
                             const double x[ORR_STACK_N])
{
    double ratio = runs->start[i];
    for (int j = 0; j < ORR_STACK_N; j++) {
        const double parent = orr_stack_parent(j, &runs->runs[i].job.engine);
        const bool slower = orr_stack_parameter(j)->prior == ORR_STACK_TAIL && x[j] > 0;
        if (!active[j]) continue;
        if (slower) ratio += host_ratio(runs, i, exp(orr_stack_parameter(j)->scale * x[j])) - runs->host[i][0];
        else if (runs->slope[i][j] != 0)
            ratio += runs->slope[i][j] * (orr_stack_natural(j, parent, x[j]) - orr_stack_natural(j, parent, 0));
    }
    return orr_max(LEAST_RATIO, ratio);
}

double orr_stack_ratio(struct orr_stack_worker *worker, const struct orr_stack_runs *runs, size_t i,
                       const bool active[ORR_STACK_N], const double x[ORR_STACK_N])
{
    if (runs->on_lines) return x ? ratio_on_lines(runs, i, active, x) : runs->as_is[i];
    worker->w->job = runs->runs[i].job;
    if (x) apply_numbers(&runs->runs[i].job, active, x, &worker->w->job);
    return ratio_of_job(worker, runs, i);
}

/* ---------------------------------------------------------------- straight lines */

/* Which way from x times grow: to smaller rates and shares, to larger times. */
static int slower_side(int j)
{
    const struct orr_stack_parameter *p = orr_stack_parameter(j);
    return p->inverse || p->prior == ORR_STACK_LOGIT ? -1 : 1;
}

/* The slope of the ratio in the natural variable of parameter j at x, by a difference to both sides (Eq. 172). A number
 * that changes no bit of the ratio at x (`middle`) on the slower side changes none on the other. */
static double slope_of(struct orr_stack_worker *worker, const struct orr_stack_runs *runs, size_t i,
                       const bool active[ORR_STACK_N], const double x[ORR_STACK_N], int j, double middle)
{
    const struct orr_job *job = &runs->runs[i].job;
    const double parent = orr_stack_parent(j, &job->engine), step = orr_max(STEP, STEP_GROW * fabs(x[j]));
    double at[ORR_STACK_N], low, high, ratio[2], natural[2];
    memcpy(at, x, sizeof at);
    orr_stack_bounds(j, parent, &low, &high);
    for (int side = 0; side < 2; side++) {
        at[j] = orr_min(high, orr_max(low, x[j] + (side ? -step : step) * slower_side(j)));
        natural[side] = orr_stack_natural(j, parent, at[j]);
        if (!runs->on_lines) apply_numbers(job, active, at, &worker->w->job);
        ratio[side] = runs->on_lines ? ratio_on_lines(runs, i, active, at) : ratio_of_job(worker, runs, i);
        if (ratio[0] == middle && at[j] != x[j]) return 0;
    }
    return natural[1] != natural[0] ? (ratio[1] - ratio[0]) / (natural[1] - natural[0]) : 0;
}

/* The slopes of one run at x, where its ratio is `middle` (NAN: not known). */
static void slopes_at(struct orr_stack_worker *worker, const struct orr_stack_runs *runs, size_t i,
                      const bool active[ORR_STACK_N], const double x[ORR_STACK_N], double middle,
                      double slope[ORR_STACK_N])
{
    if (!runs->on_lines) worker->w->job = runs->runs[i].job;
    for (int j = 0; j < ORR_STACK_N; j++) slope[j] = active[j] ? slope_of(worker, runs, i, active, x, j, middle) : 0;
}

bool orr_stack_slopes(struct orr_stack_worker *worker, const struct orr_stack_runs *runs,
                      const struct orr_stack_choice *chosen, const bool active[ORR_STACK_N],
                      const double x[ORR_STACK_N], double (*slope)[ORR_STACK_N])
{
    const size_t n = chosen->n;
    bool done = true;
    size_t sum = 0;
    if (runs->on_lines) { /* nothing is predicted, and the caller has all threads at work */
        for (size_t i = 0; i < n; i++) slopes_at(worker, runs, chosen->at[i], active, x, (double)NAN, slope[i]);
        return true;
    }
#pragma omp parallel reduction(&& : done) reduction(+ : sum)
    {
        struct orr_stack_worker own;
        done = orr_stack_worker_open(&own);
#pragma omp for schedule(dynamic)
        for (size_t i = 0; i < n; i++)
            if (done) slopes_at(&own, runs, chosen->at[i], active, x, (double)NAN, slope[i]);
        sum = own.n_predictions;
        orr_stack_worker_close(&own);
        done = !orr_memory_lacked() && done; /* told, and no matter of what this thread does next */
    }
    worker->n_predictions += sum;
    return done;
}

/* The parameters that a kind of job can tell anything about. */
static void all_active(enum orr_job_kind kind, bool active[ORR_STACK_N])
{
    const unsigned jobs = kind == ORR_JOB_TRAIN ? ORR_STACK_TRAIN : ORR_STACK_SERVE;
    for (int j = 0; j < ORR_STACK_N; j++) active[j] = orr_stack_parameter(j)->jobs & jobs;
}

static int host_parameter(void)
{
    int j = 0;
    while (j < ORR_STACK_N - 1 && orr_stack_parameter(j)->prior != ORR_STACK_TAIL) j++;
    return j;
}

static void linearise_one(struct orr_stack_worker *worker, struct orr_stack_runs *runs, size_t i)
{
    const int host = host_parameter();
    double x[ORR_STACK_N] = {0};
    bool active[ORR_STACK_N];
    if (!orr_stack_usable(runs, i)) return;
    all_active(runs->runs[i].job.kind, active);
    runs->as_is[i] = orr_stack_ratio(worker, runs, i, active, NULL);
    runs->start[i] = runs->host[i][0] = orr_stack_ratio(worker, runs, i, active, x);
    slopes_at(worker, runs, i, active, x, runs->start[i], runs->slope[i]);
    for (int k = 1; k < ORR_STACK_HOSTS; k++) {
        x[host] = log(orr_stack_hosts[k]) / orr_stack_parameter(host)->scale;
        runs->host[i][k] = orr_stack_ratio(worker, runs, i, active, x);
    }
}

bool orr_stack_linearise(struct orr_stack_runs *runs, const struct orr_stack_choice *chosen, size_t *n_predictions)
{
    const size_t n = chosen ? chosen->n : runs->n;
    bool done = true;
    size_t sum = 0;
#pragma omp parallel reduction(&& : done) reduction(+ : sum)
    {
        struct orr_stack_worker worker;
        done = orr_stack_worker_open(&worker);
#pragma omp for schedule(dynamic)
        for (size_t i = 0; i < n; i++)
            if (done) linearise_one(&worker, runs, chosen ? chosen->at[i] : i);
        sum = worker.n_predictions;
        orr_stack_worker_close(&worker);
        done = !orr_memory_lacked() && done; /* told, and no matter of what this thread does next */
    }
    if (n_predictions) *n_predictions += sum;
    runs->drawn = done;
    return done;
}
