/* Which run would tell most. Candidates are measured runs with one cell changed; the gain of a candidate is by how much
 * its result would narrow the predictions of all candidates and runs. Eq. 178a. */
#include "calibrate/stack_fit.h"

#include "base/error.h"
#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BASES = 4, MOST_CANDIDATES = 64 };

/* Cells that are changed, and by which factors. */
static const struct change {
    const char *column;
    double factor;
    bool serving;
} CHANGES[] = {{"tp", 2, false},
               {"tp", 0.5, false},
               {"pp", 2, false},
               {"pp", 0.5, false},
               {"micro_batch", 2, false},
               {"micro_batch", 0.5, false},
               {"gpus", 2, false},
               {"gpus", 0.5, false},
               {"seq", 2, false},
               {"seq", 0.5, false},
               {"global_batch", 2, false},
               {"batch", 8, true},
               {"batch", 0.125, true},
               {"concurrency", 4, true},
               {"concurrency", 0.25, true},
               {"input_len", 8, true},
               {"input_len", 0.125, true},
               {"output_len", 4, true},
               {"output_len", 0.25, true},
               {"tp", 2, true},
               {"tp", 0.5, true}};

/* The fit whose open questions are to be answered: the one that is kept or, if the parent is kept as it is, the parent
 * fitted. */
static const struct orr_stack_fit *open_fit(const struct orr_stack *stack)
{
    return stack->fit.fitted ? &stack->fit : &stack->mixture.members[1].fit;
}

struct candidate {
    size_t run;
    char column[24], from[24], to[24];
};

struct candidates {
    size_t n;
    struct candidate items[MOST_CANDIDATES];
    struct orr_text tables[MOST_CANDIDATES];
};

/* The cell of a candidate. A changed plan loses the number of replicas, which follows from the GPUs; a serving replica
 * takes as many GPUs as its plan has. */
static const char *cell_of(const struct orr_csv *csv, size_t row, size_t column, const struct change *change,
                           const char *to)
{
    const char *name = csv->names[column];
    if (strcmp(name, change->column) == 0) return to;
    if (strcmp(name, "dp") == 0 && strcmp(change->column, "batch") != 0) return "";
    if (change->serving && strcmp(change->column, "tp") == 0 && strcmp(name, "gpus") == 0) return to;
    if (strcmp(name, "value") == 0) return "1";
    return csv->cells[row * csv->n_columns + column];
}

static void write_candidate(const struct orr_csv *csv, size_t row, const struct change *change, const char *to,
                            struct orr_text *text)
{
    for (size_t c = 0; c < csv->n_columns; c++) orr_csv_add(text, csv->names[c], c + 1 == csv->n_columns);
    for (size_t c = 0; c < csv->n_columns; c++)
        orr_csv_add(text, cell_of(csv, row, c, change, to), c + 1 == csv->n_columns);
}

/* All changes of one measured run. */
static void add_changes(const struct orr_stack *stack, size_t run, struct candidates *all)
{
    const struct orr_stack_runs *runs = stack->fit_runs;
    const struct orr_stack_run *base = &runs->runs[run];
    const struct orr_csv *csv = &runs->table->csvs[base->csv];
    const bool serving = base->job.kind == ORR_JOB_INFER;
    for (size_t i = 0; i < sizeof CHANGES / sizeof *CHANGES && all->n < MOST_CANDIDATES; i++) {
        if (CHANGES[i].serving != serving || !orr_csv_has(csv, CHANGES[i].column)) continue;
        const char *cell = orr_csv_cell(csv, base->row, CHANGES[i].column);
        const double value = orr_row_value(cell) * CHANGES[i].factor;
        if (!(value >= 1) || value > 1e6 || value != floor(value)) continue;
        struct candidate *item = &all->items[all->n];
        snprintf(item->column, sizeof item->column, "%s", CHANGES[i].column);
        snprintf(item->from, sizeof item->from, "%s", cell);
        snprintf(item->to, sizeof item->to, "%.0f", value);
        item->run = run;
        write_candidate(csv, base->row, &CHANGES[i], item->to, &all->tables[all->n++]);
    }
}

/* Runs far apart from one another in measured time are changed. */
static void list_candidates(const struct orr_stack *stack, struct candidates *all)
{
    const size_t n = stack->n_main, bases = n < MOST_BASES ? n : MOST_BASES;
    for (size_t i = 0; i < bases; i++)
        add_changes(stack, stack->chosen[bases > 1 ? i * (n - 1) / (bases - 1) : 0], all);
}

/* Does the plan of a candidate fit into memory? */
static bool fits(struct orr_stack_worker *worker, const struct orr_job *job)
{
    struct orr_result result;
    struct orr_infer_result served;
    if (job->kind == ORR_JOB_TRAIN) {
        orr_train(job, worker->w->scratch, &result);
        return result.fits;
    }
    orr_infer(job, worker->w->scratch, &served);
    return served.fits;
}

/* Is a candidate a run that was measured? The same plan has the same prediction to the last bit. */
static bool is_measured(const struct orr_stack *stack, const struct orr_score *candidate)
{
    for (size_t i = 0; i < stack->n_chosen; i++) {
        const struct orr_score *run = &stack->fit_runs->runs[stack->chosen[i]].score;
        if (run->predicted == candidate->predicted && strcmp(run->metric, candidate->metric) == 0 &&
            strcmp(run->model, candidate->model) == 0)
            return true;
    }
    return false;
}

/* Gradients of the candidates that can be run, and of the measured runs behind them. */
struct gradients {
    size_t n, n_candidates;
    size_t *item;      /* which candidate */
    double *predicted; /* ratio to a measured value of 1 */
    double (*of)[ORR_STACK_DIMS];
};

static void collect(struct orr_stack *stack, struct orr_stack_worker *worker, struct orr_stack_runs *runs,
                    struct gradients *g)
{
    for (size_t i = 0; i < runs->n; i++) {
        if (!orr_stack_usable(runs, i) || is_measured(stack, &runs->runs[i].score)) continue;
        if (!fits(worker, &runs->runs[i].job)) continue;
        orr_stack_gradient(runs, i, open_fit(stack), g->of[g->n]);
        g->predicted[g->n] = exp(orr_stack_predict(worker, runs, i, &stack->fit).mean);
        g->item[g->n++] = runs->runs[i].csv; /* a table per candidate */
    }
    g->n_candidates = g->n;
    for (size_t i = 0; i < stack->n_main; i++)
        orr_stack_gradient(stack->fit_runs, stack->chosen[i], open_fit(stack), g->of[g->n++]);
}

/* Eq. 178a: the share of the mean width that a run with gradient c would take away. */
static double narrowing(const struct orr_stack *stack, const struct gradients *g, size_t c)
{
    const struct orr_stack_fit *fit = open_fit(stack);
    const double s2 = fit->within * fit->within, own = orr_stack_quadratic(fit, g->of[c], g->of[c]) + s2;
    double before = 0, gain = 0;
    for (size_t t = 0; t < g->n; t++) {
        const double shared = orr_stack_quadratic(fit, g->of[t], g->of[c]);
        before += orr_stack_quadratic(fit, g->of[t], g->of[t]) + s2;
        gain += shared * shared / own;
    }
    return 1 - sqrt(orr_max(0, before - gain) / before);
}

static void keep_next(struct orr_stack *stack, const struct candidate *item, double predicted, double share)
{
    size_t at = stack->n_next;
    for (size_t i = 0; i < stack->n_next; i++) /* one proposal per column, with its best value */
        if (strcmp(stack->next[i].column, item->column) == 0) {
            if (share <= stack->next[i].narrowing_frac) return;
            memmove(&stack->next[i], &stack->next[i + 1], (stack->n_next - i - 1) * sizeof *stack->next);
            at = --stack->n_next;
            break;
        }
    while (at > 0 && stack->next[at - 1].narrowing_frac < share) at--;
    if (at == ORR_STACK_NEXT) return;
    if (stack->n_next < ORR_STACK_NEXT) stack->n_next++;
    memmove(&stack->next[at + 1], &stack->next[at], (stack->n_next - at - 1) * sizeof *stack->next);
    struct orr_stack_next *next = &stack->next[at];
    *next = (struct orr_stack_next){.run = item->run, .narrowing_frac = share};
    const char *metric = stack->fit_runs->runs[item->run].score.metric;
    const size_t length = strlen(metric);
    if (length > 2 && strcmp(metric + length - 2, "_s") == 0) next->predicted_s = predicted;
    memcpy(next->column, item->column, sizeof next->column);
    memcpy(next->from, item->from, sizeof next->from);
    memcpy(next->to, item->to, sizeof next->to);
}

static bool rank(struct orr_stack *stack, struct orr_stack_worker *worker, const struct candidates *all,
                 struct orr_stack_runs *runs)
{
    const size_t room = runs->n + stack->n_main + 1;
    struct gradients g = {.item = calloc(room, sizeof *g.item),
                          .predicted = calloc(room, sizeof *g.predicted),
                          .of = calloc(room, sizeof *g.of)};
    const bool ready = g.item && g.predicted && g.of && orr_stack_linearise(runs, NULL, &worker->n_predictions);
    if (ready) collect(stack, worker, runs, &g);
    for (size_t c = 0; ready && c < g.n_candidates; c++)
        keep_next(stack, &all->items[g.item[c]], g.predicted[c], narrowing(stack, &g, c));
    free(g.item);
    free(g.predicted);
    free(g.of);
    return ready;
}

bool orr_stack_find_next(struct orr_stack *stack, struct orr_stack_worker *worker)
{
    struct candidates *all = calloc(1, sizeof *all);
    struct orr_stack_table tables[MOST_CANDIDATES];
    struct orr_stack_runs *runs = NULL;
    bool done = all;
    stack->n_next = 0;
    if (all) list_candidates(stack, all);
    for (size_t i = 0; done && i < all->n; i++) {
        done = !all->tables[i].failed;
        tables[i] = (struct orr_stack_table){all->tables[i].data, "candidate"};
    }
    if (done && orr_stack_read(stack->catalogue, tables, all->n, stack->fit_engine, &runs, NULL) == ORR_OK)
        done = rank(stack, worker, all, runs);
    orr_stack_runs_free(runs);
    for (size_t i = 0; all && i < all->n; i++) free(all->tables[i].data);
    free(all);
    return done;
}
