/* This file shows a search on the terminal: what was asked, the winner and how good it is, the best plans, the front,
 * why the rest was rejected, and the flags to run it. The text is the same however long the search took. */
#include "base/units.h"
#include "report/assumed.h"
#include "report/search.h"
#include "predict/nearest.h"
#include "report/summary.h"
#include "report/sureness.h"
#include "report/table.h"
#include "report/text_plot.h"
#include "search/search.h"
#include "spec/family.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRONT_ROWS = 12 };

/* ---------------------------------------------------------------- what was asked */

static void add_workload(const struct orr_job *job, struct orr_text *line)
{
    const struct orr_workload *workload = &job->workload;
    const struct orr_serving *serving = &job->serving;
    if (job->kind == ORR_JOB_TRAIN)
        orr_text_add(line, "%lld × %lld tokens · %s · %s attention", (long long)workload->global_batch,
                     (long long)workload->seq, orr_dtype_name(workload->precision),
                     orr_attention_kernel_name(workload->attention));
    else orr_text_add(line, "%lld → %lld tokens", (long long)serving->input_len, (long long)serving->output_len);
    orr_summary_media(&job->media, line);
}

static bool is_one(const struct orr_choices *choices)
{
    return choices->n == 1 && choices->values[0] == 1;
}

/* What is not searched because the engine lacks it: a search has put such values where its request lists none. */
static void add_lacks(const struct orr_search_request *request, const struct orr_style *style, struct orr_text *text,
                      struct orr_text *line)
{
    const struct orr_engine *engine = &request->job.engine;
    const struct orr_space *space = &request->space;
    if (request->job.kind != ORR_JOB_TRAIN) return;
    bool stages = *engine->zero_stages && space->zero.n < 4;
    for (int64_t i = 0; i < space->zero.n; i++) stages = stages && orr_has_zero(engine, space->zero.values[i]);
    if (!orr_has_pipelines(engine) && is_one(&space->pp)) orr_text_add(line, "no pipelines");
    if (!engine->tensor_parallel && is_one(&space->tp))
        orr_text_add(line, "%sno tensor parallelism", line->length ? " · " : "");
    if (stages)
        orr_text_add(line, "%sZeRO %s alone", line->length ? " · " : "", engine->zero_stages);
    if (line->length) orr_text_add(line, ": all that %s has", engine->id);
    if (line->length) orr_summary_line(text, style, "searched", line);
}

static void add_heading(const struct orr_search_view *v, const struct orr_style *style, struct orr_text *text)
{
    const struct orr_search_request *request = v->request;
    const struct orr_job *job = &request->job;
    char count[32];
    struct orr_text line = {0};
    orr_text_add(&line, "%s · ", job->model.id);
    orr_search_gpus(&request->space.gpus, &line);
    orr_text_add(&line, " × %s", job->system.id);
    orr_summary_asked(&job->model, &line);
    orr_summary_line(text, style, job->kind == ORR_JOB_TRAIN ? "training" : "inference", &line);
    add_workload(job, &line);
    if (v->request->concurrency > 0)
        orr_text_add(&line, " · %lld users, who decide the batch", (long long)v->request->concurrency);
    if (v->request->rate_per_s > 0)
        orr_text_add(&line, " · %.4g requests/s, which decide the batch", v->request->rate_per_s);
    orr_summary_line(text, style, "workload", &line);
    orr_text_add(&line, "%s · constants %s, %s", job->engine.id, job->calibration.id, orr_trust(job));
    orr_summary_line(text, style, "engine", &line);
    orr_assumed_lines(job, orr_unsearched_keys(job), &job->spread, style, text);
    add_lacks(request, style, text, &line);
    orr_text_add(&line, "%s%s", orr_objective_name(request->objective), request->n_limits ? " · " : "");
    orr_search_limits_text(request, &line);
    orr_summary_line(text, style, "best", &line);
    orr_text_add(&line, "%s valid", orr_print_count(count, (int64_t)v->counts.plans));
    /* Layouts that are too slow are not looked at rank by rank. */
    orr_text_add(&line, " · %s%s fit", v->counts.rejected[ORR_REJECT_BOUND] > 0 ? "at most " : "",
                 orr_print_count(count, (int64_t)v->counts.feasible));
    orr_text_add(&line, " · %s timed in full", orr_print_count(count, (int64_t)v->counts.evaluated));
    if (!orr_search_complete(v->search)) orr_text_add(&line, " · stopped early: the best so far");
    orr_summary_line(text, style, "plans", &line);
    free(line.data);
}

/* ---------------------------------------------------------------- the winner */

static void train_rows(const struct orr_answer *answer, struct orr_table *table)
{
    char speed[64];
    const struct orr_summary_row rows[] = {
        {"step time", ORR_TRAIN_METRIC_STEP_TIME, speed, ORR_TRAIN_METRIC_INTERVAL_LOW, ORR_TRAIN_METRIC_INTERVAL_HIGH,
         NULL},
        {"throughput", ORR_TRAIN_METRIC_TOKENS, "%s per GPU", ORR_TRAIN_METRIC_TOKENS_PER_GPU, 0, NULL},
        {"memory", ORR_TRAIN_METRIC_MEMORY_TOTAL, "of %s usable", ORR_TRAIN_METRIC_MEMORY_USABLE, 0, NULL},
        {"cost", ORR_TRAIN_METRIC_COST_PER_BILLION, "per billion tokens, %s per token",
         ORR_TRAIN_METRIC_ENERGY_PER_TOKEN, 0, NULL}};
    (void)snprintf(speed, sizeof speed, "MFU %.1f %%%%, 80 %%%%: %%s … %%s", 100 * answer->train.mfu_frac);
    orr_summary_rows(table, answer, ORR_PAINT_BOLD, rows, sizeof rows / sizeof *rows);
}

static void infer_rows(const struct orr_answer *answer, struct orr_table *table)
{
    char room[64];
    const struct orr_summary_row rows[] = {
        {"first token", ORR_INFER_METRIC_TTFT, "TTFT, whole answer %s", ORR_INFER_METRIC_LATENCY, 0, NULL},
        {"next tokens", ORR_INFER_METRIC_TPOT, "TPOT, %s per user", ORR_INFER_METRIC_OUTPUT_TOKENS_PER_USER, 0, NULL},
        {"throughput", ORR_INFER_METRIC_OUTPUT_TOKENS, "%s per GPU", ORR_INFER_METRIC_OUTPUT_TOKENS_PER_GPU, 0, NULL},
        {"memory", ORR_INFER_METRIC_MEMORY_TOTAL, room, ORR_INFER_METRIC_MEMORY_USABLE, 0, NULL},
        {"cost", ORR_INFER_METRIC_COST_PER_MILLION, "per million output tokens, %s per token",
         ORR_INFER_METRIC_ENERGY_PER_TOKEN, 0, NULL}};
    (void)snprintf(room, sizeof room, "of %%s usable, at most batch %lld", (long long)answer->infer.max_batch);
    orr_summary_rows(table, answer, ORR_PAINT_BOLD, rows, 1);
    orr_summary_rows(table, answer, ORR_PAINT_BOLD, rows + 1, sizeof rows / sizeof *rows - 1);
}

static void quality_rows(const struct orr_search_view *v, struct orr_table *table)
{
    char times[32];
    ORR_ROW(table, ORR_PAINT_NONE, "speed of light", orr_print_ratio(times, v->bound_ratio),
            "its bound at peak rates, full overlap");
    if (v->second_ratio > 0)
        ORR_ROW(table, ORR_PAINT_NONE, "second best", orr_print_ratio(times, v->second_ratio),
                "the winner, of another layout");
}

/* The winner lies outside what was measured: adds the best plan that does not, if there is one. */
static void add_inside(struct orr_search_view *v, const struct orr_style *style, struct orr_text *text)
{
    struct orr_text line = {0};
    char times[32];
    const struct orr_found *inside = orr_search_inside(v->search);
    if (inside) {
        orr_search_show(v, &inside->choice);
        orr_search_plan(v, &line);
        orr_text_add(&line, " · the best inside what was measured, %s the winner",
                     orr_print_ratio(times, orr_ratio(inside->objective, v->best[0].objective)));
    } else
        orr_text_add(&line, "no plan inside what was measured is within %s the winner",
                     orr_print_ratio(times, ORR_INSIDE_WITHIN));
    orr_text_add(&line,
                 " · the best prediction of many is an optimistic one: expect a winner that nobody ran to be slower");
    orr_summary_line(text, style, "measured", &line);
    free(line.data);
}

/* Adds a plan that needs fewer features and is as good as the winner. */
static void add_simplest(struct orr_search_view *v, const struct orr_style *style, struct orr_text *text)
{
    struct orr_text line = {0};
    char times[32];
    if (v->simplest_ratio <= 0) return;
    orr_search_show(v, &v->simplest);
    orr_search_plan(v, &line);
    orr_text_add(&line, " · %s the winner", orr_print_ratio(times, v->simplest_ratio));
    orr_summary_line(text, style, "simplest", &line);
    free(line.data);
}

/* Adds the layout of a run that somebody measured, predicted for this question. */
static void add_published(struct orr_search_view *v, const struct orr_style *style, struct orr_text *text)
{
    struct orr_text line = {0};
    char times[32], time[32];
    if (!v->measured) return;
    orr_search_show(v, &v->published);
    orr_search_plan(v, &line);
    const double time_s = v->job.kind == ORR_JOB_TRAIN ? v->answer.train.step_time_s : v->answer.infer.latency_s;
    orr_text_add(&line, " · %s, %s the winner%s · layout of ", orr_print_s(time, time_s),
                 orr_print_ratio(times, v->published_ratio), v->job.kind == ORR_JOB_TRAIN ? "" : " by the objective");
    orr_search_run_text(v, &line);
    orr_summary_line(text, style, "published", &line);
    free(line.data);
}

static void add_winner(struct orr_search_view *v, const struct orr_style *style, struct orr_text *text)
{
    struct orr_table table;
    struct orr_text line = {0};
    orr_search_show(v, &v->best[0].choice);
    orr_text_add(text, "\n");
    orr_search_plan(v, &line);
    orr_summary_line(text, style, "winner", &line);
    orr_table_start(&table, "llf");
    if (v->job.kind == ORR_JOB_TRAIN) train_rows(&v->answer, &table);
    else infer_rows(&v->answer, &table);
    quality_rows(v, &table);
    orr_table_print(&table, text, style);
    orr_sureness(&v->answer, style, text);
    if (orr_answer_nearest(&v->answer).outside) add_inside(v, style, text);
    add_simplest(v, style, text);
    add_published(v, style, text);
    free(line.data);
}

/* ---------------------------------------------------------------- tables of plans */

static void print_plans(const struct orr_plan_table *plans, const size_t *ranks, const struct orr_style *style,
                        struct orr_text *text)
{
    char align[ORR_TABLE_COLUMNS + 1] = "r", drop[ORR_TABLE_COLUMNS + 1] = "0", rank[32] = "#";
    const char *cells[ORR_TABLE_COLUMNS] = {rank};
    struct orr_table table;
    for (size_t r = 0; r <= plans->n_rows; r++) {
        size_t n = 1;
        for (size_t i = 0; i < plans->n_columns; i++) {
            if (!plans->used[i]) continue;
            align[n] = plans->columns[i].align;
            drop[n] = (char)(plans->asked[i] ? '0' : plans->columns[i].drop);
            cells[n++] = r == 0 ? plans->columns[i].title : plans->cells[(r - 1) * plans->n_columns + i];
        }
        if (r == 0) orr_table_start(&table, align);
        else (void)snprintf(rank, sizeof rank, "%zu", ranks ? ranks[r - 1] + 1 : r);
        orr_table_row(&table, r == 0 ? ORR_PAINT_DIM : ORR_PAINT_NONE, cells);
    }
    table.drop = drop;
    orr_table_print(&table, text, style);
}

/* `ranks` are the places of the plans in their list, from 0; NULL numbers them one after the other. */
static void add_plans(struct orr_search_view *v, const struct orr_found *found, size_t n, const size_t *ranks,
                      const struct orr_style *style, struct orr_text *text)
{
    struct orr_plan_table plans = orr_plan_table_of(v, found, n);
    if (plans.cells) print_plans(&plans, ranks, style, text);
    else text->failed = true;
    orr_plan_table_free(&plans);
}

/* Adds the front, thinned to a few rows that keep its ends. */
/* Draws the whole front: seconds, or bytes where the second coordinate is memory. */
static void draw_front(const struct orr_search_view *v, const struct orr_style *style, struct orr_text *text)
{
    double *x = malloc(v->n_front * sizeof *x), *y = malloc(v->n_front * sizeof *y);
    char low[2][32], high[2][32];
    text->failed |= !x || !y;
    for (size_t i = 0; x && y && i < v->n_front; i++) {
        x[i] = v->front[i].front[0];
        y[i] = v->front[i].front[1];
    }
    if (x && y && v->n_front > 0) {
        const size_t last = v->n_front - 1;
        const char *name = orr_front_name(v->request, 1);
        char *(*print)(char *, double) = strstr(name, "bytes") ? orr_print_bytes : orr_print_s;
        const struct orr_plot plot = {.x = x,
                                      .y = y,
                                      .n = v->n_front,
                                      .x_name = orr_front_name(v->request, 0),
                                      .x_low = orr_print_s(low[0], x[0]),
                                      .x_high = orr_print_s(high[0], x[last]),
                                      .y_name = strstr(name, "bytes") ? "memory" : name,
                                      .y_low = print(low[1], y[last]),
                                      .y_high = print(high[1], y[0])};
        orr_text_plot(text, style, &plot);
    }
    free(x);
    free(y);
}

static void add_front(struct orr_search_view *v, const struct orr_style *style, struct orr_text *text)
{
    const size_t n = v->n_front < FRONT_ROWS ? v->n_front : FRONT_ROWS;
    struct orr_found rows[FRONT_ROWS];
    size_t ranks[FRONT_ROWS];
    char title[128], of[64] = "";
    if (n < 2) return; /* the front is only the winner */
    for (size_t i = 0; i < n; i++) {
        ranks[i] = i * (v->n_front - 1) / (n - 1);
        rows[i] = v->front[ranks[i]];
    }
    if (n < v->n_front) (void)snprintf(of, sizeof of, ", %zu of %zu plans", n, v->n_front);
    (void)snprintf(title, sizeof title, "front of %s and %s%s", orr_front_name(v->request, 0),
                   orr_front_name(v->request, 1), of);
    orr_text_section(text, style, title);
    add_plans(v, rows, n, ranks, style, text);
    orr_text_add(text, "\n");
    draw_front(v, style, text);
}

/* ---------------------------------------------------------------- the rest */

static void rejected_row(struct orr_table *table, const char *name, uint64_t n, uint64_t plans, const char *meaning)
{
    char count[32], share[32];
    (void)snprintf(share, sizeof share, "%.1f %%", plans ? 100 * (double)n / (double)plans : 0.0);
    ORR_ROW(table, ORR_PAINT_NONE, name, orr_print_count(count, (int64_t)n), share, meaning);
}

static void add_rejected(const struct orr_search_view *v, const struct orr_style *style, struct orr_text *text)
{
    const uint64_t plans = v->counts.plans;
    struct orr_table table;
    if (plans == 0) return;
    orr_text_section(text, style, "where the plans went");
    orr_table_start(&table, "lrrf");
    for (int i = 0; i < ORR_N_REJECTS; i++)
        if (i != ORR_REJECT_LIMIT || v->request->n_limits > 0)
            rejected_row(&table, orr_reject_name((enum orr_reject)i), v->counts.rejected[i], plans,
                         orr_reject_meaning((enum orr_reject)i));
    rejected_row(&table, "listed", v->n_best, plans, "the best plans above");
    rejected_row(&table, "sum", plans, plans, "every valid plan");
    orr_table_print(&table, text, style);
}

static void add_compare(struct orr_search_view *v, const struct orr_style *style, struct orr_text *text)
{
    struct orr_text line = {0};
    char count[32], times[32], time[32];
    if (!v->request->compared) return;
    orr_search_show(v, &v->request->compare);
    orr_text_add(text, "\n");
    orr_search_plan(v, &line);
    orr_summary_line(text, style, "compared", &line);
    const bool train = v->job.kind == ORR_JOB_TRAIN;
    if (!(train ? v->answer.train.fits : v->answer.infer.fits)) orr_text_add(&line, "does not fit · ");
    orr_text_add(&line, "%s", orr_print_s(time, train ? v->answer.train.step_time_s : v->answer.infer.latency_s));
    if (train) orr_text_add(&line, ", MFU %.1f %%", 100 * v->answer.train.mfu_frac);
    orr_text_add(&line, " · %s plans are better", orr_print_count(count, (int64_t)v->counts.better));
    if (v->compare_ratio > 0) orr_text_add(&line, " · %s the winner", orr_print_ratio(times, v->compare_ratio));
    orr_summary_line(text, style, "", &line);
    free(line.data);
}

#define GLUE '\x01'

/* Wraps flags so that none loses its value to the next line. */
static void wrap_flags(struct orr_text *text, const struct orr_style *style, const char *label, char *flags)
{
    const size_t before = text->length;
    for (char *c = flags; *c; c++)
        if (*c == ' ' && c[1] != '-') *c = GLUE;
    orr_text_wrap(text, style, label, 17, flags, " ");
    for (size_t i = before; i < text->length && !text->failed; i++)
        if (text->data[i] == GLUE) text->data[i] = ' ';
}

/* The flags of one plan, or of one pool of it. */
static void add_flags(const struct orr_job *job, const char *label, const struct orr_style *style,
                      struct orr_text *text)
{
    struct orr_text flags = {0}, notes = {0};
    if (!orr_launch(orr_launcher_of(job), job, &flags, &notes)) return;
    if (flags.length) wrap_flags(text, style, label, flags.data);
    if (notes.length) orr_text_wrap(text, style, "", 17, notes.data, " ");
    orr_text_drop(text, &flags);
    orr_text_drop(text, &notes);
}

static void add_launch(struct orr_search_view *v, const struct orr_style *style, struct orr_text *text)
{
    struct orr_text title = {0};
    char label[32];
    orr_search_show(v, &v->best[0].choice);
    const char *program = orr_launchers[orr_launcher_of(&v->job)].program;
    const bool split = v->choice->decode_gpus > 0;
    orr_text_add(&title, "to run the winner%s%s (--launch DIR writes files)", split ? " with " : "",
                 split ? program : "");
    orr_text_section(text, style, title.data ? title.data : "");
    (void)snprintf(label, sizeof label, "  %s", split ? "prefill" : program);
    add_flags(&v->job, label, style, text);
    if (split) add_flags(&v->result_job, "  decode", style, text);
    orr_text_drop(text, &title);
}

static void add_nothing(const struct orr_search_view *v, const struct orr_style *style, struct orr_text *text)
{
    struct orr_text why = {0};
    orr_text_add(text, "\nNo plan %s.\n",
                 v->counts.plans == 0 ? "is valid: the lists leave nothing that obeys the rules"
                                      : "fits and keeps the limits");
    orr_search_obstacles_text(v, &why);
    char *lines = why.data;
    for (const char *line; (line = orr_next_line(&lines));) orr_text_wrap(text, style, " ", 2, line, " ");
    orr_text_drop(text, &why);
}

void orr_search_terminal(struct orr_search_view *view, const struct orr_style *style, struct orr_text *text)
{
    add_heading(view, style, text);
    if (view->n_best > 0) {
        add_winner(view, style, text);
        orr_text_section(text, style, "best plans, one per layout");
        add_plans(view, view->best, view->n_best, NULL, style, text);
        add_front(view, style, text);
    } else {
        add_nothing(view, style, text);
    }
    add_rejected(view, style, text);
    add_compare(view, style, text);
    if (view->n_best > 0) add_launch(view, style, text);
}
