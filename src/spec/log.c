/* Lines that training frameworks print per iteration -> a row per run: the median iteration after the first ones, and
 * what the log says about the plan. The formats are those of Megatron-LM (training.py, arguments.py), its DeepSpeed
 * variants, NeMo (train_step_timing), torchtitan (metrics.py) and nanotron (trainer.py). */
#include "spec/log.h"

#include "base/number.h"
#include "spec/log_plan.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Runs with equal plans in one file are one run that was started again, unless their times differ by so much (ln). */
#define SAME_RUN_MOST 0.25

/* How a framework prints the time of an iteration. */
static const struct kind {
    const char *name;
    const char *value; /* text before the number */
    const char *also;  /* a second text that the line must have; "": none */
    const char *metric;
    double unit;        /* of the number */
    const char *count;  /* text before the number of the iteration */
    const char *batch;  /* text before the global batch; NULL: not printed */
    const char *engine; /* family of the program that wrote it */
} KINDS[] = {
    {"a Megatron-LM log", "elapsed time per iteration (ms):", "iteration", "step_time_s", 1e-3, "iteration",
     "global batch size:", "megatron-core"},
    /* The variant of BigScience prints seconds. */
    {"a Megatron-DeepSpeed log", "elapsed time per iteration (s):", "iteration", "step_time_s", 1, "iteration",
     "global batch size:", "megatron-deepspeed"},
    {"a nanotron log", "elapsed_time_per_iteration_ms:", "iteration:", "step_time_s", 1e-3,
     "iteration:", "global_batch_size:", "nanotron"},
    /* Later releases print the global batch in tokens, rounded. */
    {"a nanotron log", "| time_per_iteration_ms:", "iteration:", "step_time_s", 1e-3, "iteration:", NULL, "nanotron"},
    {"a NeMo log", "train_step_timing in s:", "", "step_time_s", 1, "global_step:", "global_batch_size:", "nemo"},
    {"a NeMo log", "train_step_timing in s=", "", "step_time_s", 1, "global_step=", NULL, "nemo"},
    {"a torchtitan log", "tps:", "loss:", "tokens_per_s_per_gpu", 1, "step:", NULL, "torchtitan"},
    {"a torchtitan log", "wps:", "loss:", "tokens_per_s_per_gpu", 1, "step:", NULL, "torchtitan"},
};

/* What people have at hand that cannot be read, and what to give instead. */
static const char *const UNREAD[][2] = {
    {"Serving Benchmark Result ====", "the printed summary of a benchmark: give its JSON (vllm bench serve "
                                      "--save-result, sglang.bench_serving --output-file)"},
    {"= PERFORMANCE OVERVIEW", "the printed summary of trtllm-bench: give its --report_json"},
    {"'train_runtime':", "what the Trainer prints: give its trainer_state.json or all_results.json"},
    {"{'loss':", "what the Trainer prints: give its trainer_state.json or all_results.json"},
    {"Metric,avg,", "a CSV of genai-perf or aiperf: give the JSON beside it (profile_export_*.json)"},
};

/* A run of a log. Its first iterations are the first n_early values. */
struct job {
    struct orr_cells cells;
    struct orr_log_plan plan;
    double *values;
    size_t n, room, n_early;
    double first, last;  /* numbers of iterations; NAN: none */
    size_t n_iterations; /* as they are counted: ranks may print the same one */
    bool warm;           /* goes on from a run with another batch */
    size_t n_other;      /* iterations of that one and of those before */
};

struct reading {
    const struct kind *kind;
    size_t skip;
    struct job *jobs;
    size_t n;
};

/* ---------------------------------------------------------------- lines */

/* Takes colours and other control sequences of terminals out of a line. */
static void strip(char *line)
{
    char *to = line;
    for (const char *c = line; *c;) {
        if (*c != '\033') {
            *to++ = *c++;
            continue;
        }
        c++;
        if (*c != '[') continue;
        c++;
        while (*c && !isalpha((unsigned char)*c)) c++;
        if (*c) c++;
    }
    *to = '\0';
}

/* Calls `look` with every line. */
static bool each_line(const char *text, bool (*look)(void *, const char *), void *context)
{
    char line[4096];
    for (const char *at = text; *at;) {
        const size_t length = strcspn(at, "\r\n"), kept = length < sizeof line ? length : sizeof line - 1;
        memcpy(line, at, kept);
        line[kept] = '\0';
        strip(line);
        if (!look(context, line)) return false;
        at += length;
        at += strspn(at, "\r\n");
    }
    return true;
}

/* ---------------------------------------------------------------- runs */

static struct job *add_job(struct reading *r)
{
    struct job *jobs = realloc(r->jobs, (r->n + 1) * sizeof *jobs);
    if (!jobs) return NULL;
    r->jobs = jobs;
    jobs[r->n] = (struct job){.first = (double)NAN, .last = (double)NAN};
    return &jobs[r->n++];
}

static struct job *last_job(struct reading *r)
{
    return &r->jobs[r->n - 1];
}

/* A run that goes on with a plan of which something may differ. */
static struct job *go_on(struct reading *r)
{
    struct job *job = add_job(r);
    if (!job) return NULL;
    const struct job *before = &r->jobs[r->n - 2];
    job->cells = before->cells;
    job->plan = before->plan;
    job->first = before->first;
    job->last = before->last;
    job->n_iterations = before->n_iterations;
    return job;
}

static bool add_value(struct job *job, double value, bool early)
{
    if (job->n == job->room) {
        double *more = realloc(job->values, (2 * job->room + 64) * sizeof *more);
        if (!more) return false;
        job->values = more;
        job->room = 2 * job->room + 64;
    }
    job->values[job->n++] = value;
    job->n_early += early;
    return true;
}

/* Does an iteration of this number belong to a run that was started again from its beginning? Ranks that print the same
 * iteration are never three iterations apart. */
static bool begins_again(const struct job *job, double number)
{
    return number <= job->first && (job->n == 0 || job->n_iterations >= 3);
}

/* The run that an iteration belongs to; NULL: out of memory. */
static struct job *job_of(struct reading *r, double number, double batch)
{
    struct job *job = last_job(r);
    const double had = job->n > 0 ? orr_log_number(orr_cells_get(&job->cells, "global_batch")) : (double)NAN;
    const bool again = begins_again(job, number), grown = !again && batch >= 1 && had >= 1 && batch != had;
    if ((again && job->n > 0) || grown) job = go_on(r);
    if (!job) return NULL;
    if (again) {
        job->first = job->last = (double)NAN;
        job->n_iterations = 0;
    }
    if (grown) job->warm = true;
    if (batch >= 1) (void)orr_cells_put_number(&job->cells, "global_batch", batch);
    return job;
}

/* The global batch of a line. One that is rounded, "1.02K", is none. */
static double batch_of(const struct kind *kind, const char *line)
{
    const char *at = kind->batch ? strstr(line, kind->batch) : NULL;
    if (!at) return (double)NAN;
    at += strlen(kind->batch);
    const char *end = at + strspn(at, " .0123456789,");
    const double batch = orr_log_number(at);
    return isalpha((unsigned char)*end) || batch != floor(batch) ? (double)NAN : batch;
}

static bool read_line(void *context, const char *line)
{
    struct reading *r = context;
    struct job *job = last_job(r);
    const enum orr_log_start start = orr_log_plan_starts(line);
    if (start != ORR_LOG_GOES_ON && job->n > 0) job = start == ORR_LOG_NEW_RUN ? add_job(r) : go_on(r);
    if (!job) return false;
    orr_log_plan_read(&job->plan, line, &job->cells);
    const double value = orr_log_number_after(line, r->kind->value);
    if (!(value > 0) || !strstr(line, r->kind->also)) return true;
    const double number = orr_log_number_after(line, r->kind->count);
    job = job_of(r, number, batch_of(r->kind, line));
    if (!job) return false;
    if (isnan(job->first)) job->first = number;
    if (isnan(number) || !(number <= job->last)) job->n_iterations++;
    if (!(number <= job->last)) job->last = number;
    return add_value(job, value, !job->warm && job->n_iterations <= r->skip);
}

/* ---------------------------------------------------------------- rows */

/* The median of the iterations after the first ones; all of them if there are no others. */
static double settled(struct job *job)
{
    const size_t first = job->n > job->n_early ? job->n_early : 0;
    return orr_median(job->values + first, job->n - first);
}

static bool same_cells(const struct orr_cells *a, const struct orr_cells *b)
{
    if (a->n != b->n) return false;
    for (size_t i = 0; i < a->n; i++)
        if (strcmp(a->values[i], orr_cells_get(b, a->names[i])) != 0) return false;
    return true;
}

/* Moves the iterations of a run to an earlier one. Those that are no first ones stay behind those that are. */
static bool join(struct job *to, struct job *from)
{
    const size_t n = from->n > from->n_early ? from->n : 0; /* a run that broke off at once says nothing */
    for (size_t i = from->n_early; i < n; i++)
        if (!add_value(to, from->values[i], false)) return false;
    from->n = 0;
    return true;
}

/* Of a run whose batch grew, the batch with the most iterations counts. */
static void choose_batches(struct reading *r)
{
    for (size_t i = 1; i < r->n; i++) {
        struct job *a = &r->jobs[i - 1], *b = &r->jobs[i];
        if (!b->warm) continue;
        struct job *fewer = a->n - a->n_early > b->n ? b : a, *more = fewer == a ? b : a;
        more->n_other += fewer->n_other + fewer->n;
        fewer->n = 0;
        if (more == b) continue;
        const struct job kept = *a; /* the next one is compared with the run that is kept */
        *a = *b;
        *b = kept;
        b->warm = true;
    }
}

static bool join_equal(struct reading *r)
{
    for (size_t i = 1; i < r->n; i++)
        for (size_t k = 0; k < i && r->jobs[i].n > 0; k++) {
            struct job *a = &r->jobs[k], *b = &r->jobs[i];
            if (a->n == 0 || !same_cells(&a->cells, &b->cells)) continue;
            if (a->n > a->n_early && b->n > b->n_early && fabs(log(settled(a) / settled(b))) > SAME_RUN_MOST) continue;
            if (!join(a, b)) return false;
        }
    return true;
}

/* The family of the program, and its variant where the log tells it. */
static const char *engine_of(const struct kind *kind, const struct orr_log_plan *plan)
{
    if (plan->deepspeed) return "megatron-deepspeed";
    if (!plan->built) return kind->engine;
    return plan->compiled ? "torchtitan-compiled" : "torchtitan-eager";
}

static void describe(const struct kind *kind, struct job *job, const char *origin, struct orr_log *log)
{
    orr_log_plan_end(&job->plan, &job->cells);
    struct orr_cells *row = &log->rows[log->n_rows++];
    char id[ORR_CELL];
    *row = job->cells;
    (void)snprintf(id, sizeof id, log->n_rows > 1 ? "%.100s #%zu" : "%.100s", orr_log_name(origin), log->n_rows);
    (void)orr_cells_put(row, "id", id, true);
    (void)orr_cells_put(row, "metric", kind->metric, true);
    (void)orr_cells_put_number(row, "value", settled(job) * kind->unit);
    (void)orr_cells_put(row, "engine", engine_of(kind, &job->plan), true);
    if (job->n <= job->n_early) log->n_all += job->n_iterations;
    if (job->n_other > 0)
        (void)snprintf(log->remark, sizeof log->remark,
                       "its global batch changed: the %zu iterations with %s count, and %zu others do not", job->n,
                       orr_cells_get(row, "global_batch"), job->n_other);
}

static bool make_rows(struct reading *r, const char *origin, struct orr_log *log)
{
    choose_batches(r);
    if (!join_equal(r)) return false;
    log->rows = calloc(r->n, sizeof *log->rows);
    if (!log->rows) return false;
    for (size_t i = 0; i < r->n; i++)
        if (r->jobs[i].n > 0) describe(r->kind, &r->jobs[i], origin, log);
    log->format = r->kind->name;
    return true;
}

/* ---------------------------------------------------------------- which one */

static bool seek(void *context, const char *line)
{
    const struct kind **kind = context;
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++)
        if (orr_log_number_after(line, KINDS[i].value) > 0 && strstr(line, KINDS[i].also)) *kind = &KINDS[i];
    return !*kind;
}

static bool seek_unread(void *context, const char *line)
{
    const char **advice = context;
    for (size_t i = 0; i < sizeof UNREAD / sizeof *UNREAD; i++)
        if (strstr(line, UNREAD[i][0])) *advice = UNREAD[i][1];
    return !*advice;
}

const char *orr_log_name(const char *origin)
{
    const char *slash = strrchr(origin, '/');
    return slash && slash[1] ? slash + 1 : origin;
}

/* Does the text begin with an object, or with a list of objects? Lines of torchtitan begin with "[rank0]". */
static bool is_json(const char *start)
{
    const char *next = start + 1;
    if (*start == '[') next += strspn(next, " \t\r\n");
    return *start == '{' ? next[strspn(next, " \t\r\n")] != '\'' : *start == '[' && *next == '{';
}

enum orr_err orr_log_read(const char *text, const char *origin, struct orr_log *log, struct orr_error *error)
{
    const char *start = text + strspn(text, " \t\r\n"), *advice = NULL;
    const struct kind *kind = NULL;
    *log = (struct orr_log){.skip = log->skip};
    if (is_json(start)) return orr_log_json(start, origin, log, error);
    (void)each_line(text, seek, (void *)&kind);
    if (!kind) (void)each_line(text, seek_unread, (void *)&advice);
    if (advice) return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.file = origin}, "this is %s", advice);
    if (!kind) return ORR_OK;
    struct reading r = {.kind = kind, .skip = (size_t)log->skip};
    const bool done = add_job(&r) && each_line(text, read_line, &r) && make_rows(&r, origin, log);
    for (size_t i = 0; i < r.n; i++) free(r.jobs[i].values);
    free(r.jobs);
    return done ? ORR_OK : orr_out_of_memory(error, origin);
}
