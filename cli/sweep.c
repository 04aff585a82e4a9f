/* orrery sweep: predict one request at many points, store the rows along the way, and continue after an
 * interruption. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "request.h"
#include "store.h"
#include "sweep_cluster.h"

#define SCHEMA "orrery-sweep/2" /* schema of the stores (docs/sweep.md) */

/* The number of points in a batch: as many as take about BATCH_S. What is stored does not depend on it. */
enum { BATCH_MIN = 64, BATCH_MAX = 4096 };
enum { GRACE_S = 2, NAPS_PER_S = 10 };
enum { PAGE_POINTS = 2000, TABLE_POINTS = 100000 }; /* more would be slow to open, or to hold in memory */
#define BATCH_S 0.2

static const char usage[] =
    "usage: orrery sweep train|infer --vary FIELD=VALUES... [--out FILE.db|FILE.csv] [options]\n"
    "Answer a request at many points and store the results (docs/sweep.md). VALUES: a,b,c or low:high:n,\n"
    "low:high:n:log, low:high:+step, low:high:xfactor; with --sample also low:high and low:high:log.\n"
    "Stopped at any moment, the same command goes on where the file ends. orrery sweep train --help and\n"
    "orrery sweep infer --help list the fields. Exit status: 0 answered, 2 bad input.";

/* ---------------------------------------------------------------- what is asked */

/* A command line after parsing. */
struct ask {
    const struct cli_args *args;
    unsigned command;
    enum orr_job_kind kind;
    struct orr_sweep_spec spec;
    struct orr_vary *varies; /* The texts are malloc'd. */
};

static enum cli_status add_vary(struct ask *ask, const char *assignment)
{
    struct orr_text name = {0}, called = {0}, paths = {0}, values = {0};
    const size_t n = strcspn(assignment, "=");
    if (n == 0 || !assignment[n])
        return cli_fail("--vary %s: expected FIELD=VALUES, e.g. tp=1,2,4 or chip.hbm_bytes_per_s=2e12:8e12:4",
                        assignment);
    cli_text_append(&name, assignment, n);
    cli_text_add(&values, "%s", assignment + n + 1);
    const enum cli_status status = cli_options_field("--vary", name.data, ask->command, &called, &paths);
    free(name.data);
    ask->varies[ask->spec.n_varies++] = (struct orr_vary){called.data, paths.data, values.data};
    return status;
}

static enum cli_status read_ask(struct ask *ask)
{
    const struct cli_args *args = ask->args;
    int64_t seed = 0, n_threads = 0;
    ask->varies = calloc(args->n_given + 1, sizeof *ask->varies);
    if (!ask->varies) return cli_fail_memory();
    enum cli_status status = CLI_ANSWERED;
    for (size_t i = 0; i < args->n_given && !status; i++)
        if (strcmp(args->given[i].option->name, "vary") == 0) status = add_vary(ask, args->given[i].value);
    if (!status) status = cli_args_whole(args, "sample", 1, 1e12, &ask->spec.n_samples);
    if (!status) status = cli_args_whole(args, "seed", 0, 9e18, &seed);
    if (!status) status = cli_args_whole(args, "threads", 1, 1024, &n_threads);
    if (status) return status;
    const bool zip = cli_args_has(args, "zip");
    if (zip && ask->spec.n_samples) return cli_fail("--zip and --sample cannot be combined");
    if (cli_args_has(args, "seed") && !ask->spec.n_samples) return cli_fail("--seed needs --sample N");
    ask->spec.varies = ask->varies;
    ask->spec.mode = ask->spec.n_samples ? ORR_SWEEP_SAMPLE : zip ? ORR_SWEEP_ZIP : ORR_SWEEP_PRODUCT;
    ask->spec.seed = (uint64_t)seed;
    ask->spec.n_threads = (int)n_threads;
    ask->spec.search = cli_args_has(args, "search");
    static const char *const OF_SEARCH[] = {"objective", "where", "overlap-options", "brute"};
    for (size_t i = 0; i < sizeof OF_SEARCH / sizeof *OF_SEARCH && !ask->spec.search; i++)
        if (cli_args_has(args, OF_SEARCH[i])) return cli_fail("--%s needs --search", OF_SEARCH[i]);
    return CLI_ANSWERED;
}

static void free_ask(struct ask *ask)
{
    for (size_t i = 0; i < ask->spec.n_varies; i++) {
        free((char *)ask->varies[i].name);
        free((char *)ask->varies[i].paths);
        free((char *)ask->varies[i].values);
    }
    free(ask->varies);
}

static enum cli_status open_sweep(struct ask *ask, const struct orr_catalogue *catalogue, struct orr_sweep **sweep)
{
    struct orr_form *form;
    struct orr_error error;
    enum cli_status status = cli_request_form(ask->args, catalogue, ask->kind, "sweep ", &form);
    if (!status && orr_form_sweep(form, &ask->spec, sweep, &error)) status = cli_fail("%s", error.text);
    orr_form_close(form);
    return status;
}

/* ---------------------------------------------------------------- what a store says about its sweep */

static uint64_t hash(uint64_t sum, const char *text)
{
    return cli_store_hash(sum, text, strlen(text));
}

/* A hash of every part in the catalogue, because the ids in a request do not show the numbers behind them. */
static uint64_t hash_catalogue(const struct orr_catalogue *catalogue)
{
    uint64_t sum = 0;
    for (int part = 0; part < ORR_N_PARTS; part++)
        for (size_t i = 0; i < orr_catalogue_count(catalogue, (enum orr_part)part); i++) {
            const char *id = orr_catalogue_id(catalogue, (enum orr_part)part, i);
            sum = hash(hash(sum, id), orr_catalogue_text(catalogue, (enum orr_part)part, id));
        }
    return sum;
}

static void add_fact(struct cli_table *table, const char *key, bool compared, const char *value)
{
    struct orr_text copy = {0};
    cli_text_add(&copy, "%s", value);
    table->facts[table->n_facts++] = (struct cli_fact){key, copy.data, compared};
}

static void add_hash(struct cli_table *table, const char *key, uint64_t sum)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%016" PRIx64, sum);
    add_fact(table, key, true, digits);
}

static enum cli_status describe(const struct ask *ask, const struct orr_catalogue *catalogue,
                                const struct orr_sweep *sweep, struct cli_table *table)
{
    char program[64], points[32], created[32] = "";
    const time_t now = time(NULL);
    struct tm utc;
    table->sweep = sweep;
    table->n_columns = orr_sweep_columns(sweep, table->columns);
    table->fields = calloc(ask->spec.n_varies + 1, sizeof *table->fields); /* one spare: there may be no axis */
    if (!table->fields) return cli_fail_memory();
    for (table->n_fields = 0; table->n_fields < ask->spec.n_varies; table->n_fields++)
        table->fields[table->n_fields] = ask->varies[table->n_fields].name;
    if (gmtime_r(&now, &utc)) strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", &utc);
    snprintf(program, sizeof program, "orrery %s", orr_version());
    snprintf(points, sizeof points, "%" PRId64, orr_sweep_points(sweep));
    add_fact(table, "schema", true, SCHEMA);
    add_fact(table, "program", true, program);
    add_fact(table, "request", true, orr_sweep_text(sweep));
    add_hash(table, "request_hash", hash(0, orr_sweep_text(sweep)));
    add_hash(table, "catalogue_hash", hash_catalogue(catalogue));
    add_fact(table, "points", true, points);
    add_fact(table, "created", false, created);
    return CLI_ANSWERED;
}

static void free_table(struct cli_table *table)
{
    for (size_t i = 0; i < table->n_facts; i++) free(table->facts[i].value);
    free(table->fields);
}

/* ---------------------------------------------------------------- running */

/* Block the signals that end a run until a batch is stored. Threads started later inherit the mask. */
static void hold_signals(sigset_t *before)
{
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    sigaddset(&held, SIGHUP);
    sigprocmask(SIG_BLOCK, &held, before);
}

static bool stop_asked(void)
{
    sigset_t waiting;
    return sigpending(&waiting) == 0 &&
           (sigismember(&waiting, SIGINT) || sigismember(&waiting, SIGTERM) || sigismember(&waiting, SIGHUP));
}

/* A signal is looked at between batches. If a batch does not end, because a pipe or a file system takes no more or one
 * point takes minutes, a thread ends the program GRACE_S after the signal: what is stored is whole at any moment. */
struct watch {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool done, started;
};

static void *watch(void *context)
{
    struct watch *w = context;
    int n_waited = 0;
    pthread_mutex_lock(&w->lock);
    while (!w->done && n_waited < GRACE_S * NAPS_PER_S) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 1000000000L / NAPS_PER_S;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        (void)pthread_cond_timedwait(&w->ended, &w->lock, &until);
        n_waited = stop_asked() ? n_waited + 1 : 0;
    }
    const bool stuck = !w->done;
    pthread_mutex_unlock(&w->lock);
    static const char line[] = "orrery: stopped amid a batch; the same command goes on from what is stored\n";
    if (!stuck) return NULL;
    const ssize_t n_written = write(STDERR_FILENO, line, sizeof line - 1);
    (void)n_written; /* nothing is left to do where even this fails */
    _exit(CLI_BAD);
}

static void start_watch(struct watch *w)
{
    *w = (struct watch){.lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};
    w->started = pthread_create(&w->thread, NULL, watch, w) == 0;
}

static void end_watch(struct watch *w)
{
    pthread_mutex_lock(&w->lock);
    w->done = true;
    pthread_cond_signal(&w->ended);
    pthread_mutex_unlock(&w->lock);
    if (w->started) (void)pthread_join(w->thread, NULL);
}

static void show_progress(const struct cli_held *held, int64_t n_before, int64_t n_points, double took_s)
{
    char what[64];
    const double rate = took_s > 0 ? (double)(held->n_points - n_before) / took_s : 0;
    const double left_s = rate > 0 ? (double)(n_points - held->n_points) / rate : 0;
    snprintf(what, sizeof what, "%" PRId64 " points, %.0f/s, %.0f s left", held->n_points, rate, left_s);
    cli_progress(NULL, what, (double)held->n_points / (double)n_points);
}

static void show_together(const struct cli_held *held, int64_t n_points)
{
    if (cli_terminal(STDERR_FILENO))
        cli_progress(NULL, "points of all processes", (double)held->n_points / (double)n_points);
}

/* Answer and store batch after batch until all points are done or a signal is pending. */
static enum cli_status run_points(struct orr_sweep *sweep, struct cli_store *store, struct cli_held *held,
                                  struct orr_sweep_row *rows)
{
    const int64_t n_points = orr_sweep_points(sweep), n_before = held->n_points;
    const bool terminal = cli_terminal(STDERR_FILENO);
    const double started_s = orr_now_s();
    int64_t batch = BATCH_MIN;
    while (held->n_points < n_points && !stop_asked()) {
        struct orr_error error;
        const double start_s = orr_now_s();
        const int64_t left = n_points - held->n_points;
        const size_t n = (size_t)(left < batch ? left : batch);
        if (orr_sweep_run(sweep, held->n_points, n, rows, &error)) return cli_fail("%s", error.text);
        if (store->type->add(store, held->n_points, n, rows)) return CLI_BAD;
        for (size_t i = 0; i < n; i++) held->n_by_status[rows[i].status]++;
        held->n_points += (int64_t)n;
        if (terminal) show_progress(held, n_before, n_points, orr_now_s() - started_s);
        const double took_s = orr_now_s() - start_s;
        if (took_s < BATCH_S / 2 && batch < BATCH_MAX) batch *= 2;
        else if (took_s > 2 * BATCH_S && batch > BATCH_MIN) batch /= 2;
    }
    if (terminal) cli_progress(NULL, "", 1); /* This removes the bar of a sweep that stopped early. */
    return CLI_ANSWERED;
}

static enum cli_status report(const char *path, int64_t n_points, const struct cli_held *held)
{
    if (held->n_points < n_points)
        return cli_fail("stopped after %" PRId64 " of %" PRId64 " points%s", held->n_points, n_points,
                        path ? "; the same command goes on from there" : "");
    if (!path) return CLI_ANSWERED;
    struct orr_text text = {0};
    cli_text_add(&text, "%s: %" PRId64 " points", path, n_points);
    for (int i = 0; i < ORR_N_POINT_STATUSES; i++)
        cli_text_add(&text, "%s %" PRId64 " %s", i ? "," : ":", held->n_by_status[i],
                     orr_point_status_name((enum orr_point_status)i));
    cli_text_add(&text, "\n");
    const enum cli_status status = cli_write(text.data);
    free(text.data);
    return status;
}

/* Run all points if there is one process, or this process's share. */
static enum cli_status run_all(struct cli_cluster *cluster, struct orr_sweep *sweep, const struct cli_table *table,
                               struct cli_store *store, struct cli_held *held)
{
    if (cli_cluster_size(cluster) > 1)
        return cli_sweep_together(cluster, sweep, table, store, held, stop_asked, show_together);
    struct orr_sweep_row *rows = calloc(BATCH_MAX, sizeof *rows);
    const enum cli_status status = rows ? run_points(sweep, store, held, rows) : cli_fail_memory();
    free(rows);
    return status;
}

static enum cli_status run_stored(struct cli_cluster *cluster, const char *path, const struct cli_table *table,
                                  struct orr_sweep *sweep)
{
    struct cli_store *store = NULL;
    struct cli_held held = {0};
    const struct cli_store_type *type = cli_store_type(path);
    enum cli_status status = type ? CLI_ANSWERED : CLI_BAD;
    if (!status && cli_cluster_first(cluster)) status = type->open(path, table, &held, &store);
    held.n_points = cli_cluster_tell(cluster, status ? -1 : held.n_points); /* -1: the store cannot be used */
    status = held.n_points < 0 ? CLI_BAD : run_all(cluster, sweep, table, store, &held);
    if (store && type->close(store)) status = CLI_BAD;
    return status || !store ? status : report(path, orr_sweep_points(sweep), &held);
}

/* ---------------------------------------------------------------- the command */

/* The first points, answered again: a page with more is slow to open. */
static enum cli_status write_page(const struct cli_args *args, struct orr_sweep *sweep)
{
    struct orr_error error;
    const int64_t n_points = orr_sweep_points(sweep);
    const size_t n = (size_t)(n_points < PAGE_POINTS ? n_points : PAGE_POINTS);
    struct orr_sweep_row *rows = calloc(n, sizeof *rows);
    if (!rows) return cli_fail_memory();
    const enum cli_status status =
        orr_sweep_run(sweep, 0, n, rows, &error)
            ? cli_fail("%s", error.text)
            : cli_write_html(args, "sweep", orr_sweep_render(sweep, 0, n, rows, ORR_FORMAT_HTML, NULL));
    free(rows);
    return status;
}

/* Is the sweep for someone who reads it at once? Then it is a table and not the CSV with every number. */
static bool wants_table(const struct cli_cluster *cluster, const struct ask *ask)
{
    return !cli_args_value(ask->args, "out") && cli_cluster_size(cluster) == 1 &&
           (cli_args_has(ask->args, "table") || (cli_terminal(STDOUT_FILENO) && !cli_args_has(ask->args, "csv")));
}

/* Answer all points, then print the table. */
static enum cli_status print_table(const struct ask *ask, struct orr_sweep *sweep)
{
    struct orr_error error;
    const size_t n = (size_t)orr_sweep_points(sweep);
    struct orr_sweep_row *rows = n <= TABLE_POINTS ? calloc(n, sizeof *rows) : NULL;
    if (n > TABLE_POINTS)
        return cli_fail("%zu points: a table has at most %d; give --out FILE or --csv", n, TABLE_POINTS);
    if (!rows) return cli_fail_memory();
    const enum cli_status status =
        orr_sweep_run(sweep, 0, n, rows, &error)
            ? cli_fail("%s", error.text)
            : cli_write_file("-", orr_sweep_render(sweep, 0, n, rows, ORR_FORMAT_TERMINAL, &ask->args->style));
    free(rows);
    return status;
}

static enum cli_status run_asked(struct cli_cluster *cluster, struct ask *ask)
{
    struct cli_table table = {0};
    struct orr_sweep *sweep = NULL;
    sigset_t before;
    struct watch watcher;
    hold_signals(&before);
    start_watch(&watcher);
    struct orr_catalogue *catalogue = cli_args_catalogue(ask->args);
    enum cli_status status = catalogue ? open_sweep(ask, catalogue, &sweep) : CLI_BAD;
    if (!status) status = describe(ask, catalogue, sweep, &table);
    status = cli_cluster_agree(cluster, status);
    if (!status && wants_table(cluster, ask)) status = print_table(ask, sweep);
    else if (!status) status = run_stored(cluster, cli_args_value(ask->args, "out"), &table, sweep);
    if (!status && ask->args->html && cli_cluster_first(cluster)) status = write_page(ask->args, sweep);
    free_table(&table);
    orr_sweep_close(sweep);
    orr_catalogue_close(catalogue);
    end_watch(&watcher);
    sigprocmask(SIG_SETMASK, &before, NULL); /* A pending signal ends the program here. */
    return status;
}

/* Rows have one place and one form: a file, or standard output as CSV or as a table. */
static enum cli_status check_forms(const struct cli_args *args)
{
    const bool csv = cli_args_has(args, "csv");
    if (csv && cli_args_has(args, "table")) return cli_fail("--csv and --table cannot be combined");
    if (!cli_args_has(args, "out") || !(csv || cli_args_has(args, "table"))) return CLI_ANSWERED;
    return cli_fail("--%s: the rows go into the file of --out; leave one of them out", csv ? "csv" : "table");
}

static enum cli_status run(struct ask *ask)
{
    if (check_forms(ask->args)) return CLI_BAD;
    if (cli_html_only(ask->args) && !cli_args_value(ask->args, "out"))
        return cli_fail("--html -: the rows are on standard output; give --out FILE, too");
    struct cli_cluster *cluster = cli_cluster_open();
    enum cli_status status = cluster ? read_ask(ask) : CLI_BAD;
    if (!status) status = run_asked(cluster, ask);
    cli_cluster_close(cluster);
    return status;
}

enum cli_status cli_sweep(int argc, const char *const *argv)
{
    if (cli_help_first(argc, argv)) return cli_options_help(CLI_FOR_SWEEP, usage);
    const struct cli_job_kind *kind = cli_first_kind("sweep", argc, argv);
    if (!kind) return CLI_BAD;
    struct cli_args args;
    struct ask ask = {.args = &args, .command = CLI_FOR_SWEEP | kind->command, .kind = kind->kind};
    enum cli_status status = cli_args_parse(argc - 1, argv + 1, ask.command, 0, &args);
    if (!status) status = args.help ? cli_options_help(ask.command, usage) : run(&ask);
    free_ask(&ask);
    cli_args_free(&args);
    return status;
}
