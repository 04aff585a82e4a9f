/* What the rows of a fit say about each other: equal plans with other times, and pairs that differ in one cell but by
 * far more in time than any prediction. */
#include "calibrate/stack_fit.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Equal rows may differ by so much (ln), and pairs by so much more than predicted. */
#define EQUAL_MOST 0.25
#define PAIR_MOST  0.6931
/* A column is named if so many pairs, and this share of all pairs in it, are odd. */
#define PAIRS_LEAST 3
#define PAIRS_FRAC  0.15
/* Tables beyond this are not compared row by row. */
#define MOST_RUNS 2000

/* Cells that say nothing about how a run was made. */
static bool is_remark(const char *column)
{
    static const char *const REMARKS[] = {"id", "source", "url", "value", "notes", "state"};
    for (size_t i = 0; i < sizeof REMARKS / sizeof *REMARKS; i++)
        if (strcmp(column, REMARKS[i]) == 0) return true;
    return false;
}

/* The columns in which two rows of a table differ, up to two; *column is the first. */
static int differences(const struct orr_csv *csv, size_t a, size_t b, size_t *column)
{
    int n = 0;
    for (size_t c = 0; c < csv->n_columns && n < 2; c++) {
        if (is_remark(csv->names[c])) continue;
        if (strcmp(csv->cells[a * csv->n_columns + c], csv->cells[b * csv->n_columns + c]) == 0) continue;
        if (n++ == 0) *column = c;
    }
    return n;
}

/* Tables of runs under load have this rule where they are read (validate/serving.c): a value more of the same run would
 * count it twice, and a first token waits for others more than for the stack. */
const char *orr_stack_unfit(const struct orr_csv *csv, size_t row)
{
    const char *metric = orr_csv_cell(csv, row, "metric");
    size_t column = 0;
    if (orr_csv_has(csv, "arrival") || !orr_csv_has(csv, "concurrency")) return NULL;
    if (!orr_csv_cell(csv, row, "concurrency")[0] || strcmp(metric, "tpot_s") == 0) return NULL;
    if (strcmp(metric, "ttft_s") == 0) return "the time to the first token under load is mostly queueing";
    for (size_t other = 0; other < csv->n_rows; other++) {
        if (strcmp(orr_csv_cell(csv, other, "metric"), "tpot_s") != 0) continue;
        if (differences(csv, row, other, &column) == 1 && strcmp(csv->names[column], "metric") == 0)
            return "its run has a mean time per token";
    }
    return NULL;
}

/* Which value of a run counts: a time before the rates that follow from it. A rank of -1: always. */
static int rank_of(const char *metric)
{
    static const char *const METRICS[] = {"step_time_s", "latency_s", "tokens_per_s_per_gpu", "model_tflops_per_gpu"};
    for (int i = 0; i < (int)(sizeof METRICS / sizeof *METRICS); i++)
        if (strcmp(metric, METRICS[i]) == 0) return i;
    return -1;
}

/* Is the value of run i said by that of run k, which has the same name and plan? */
static bool follows(const struct orr_stack_runs *runs, size_t i, size_t k)
{
    const struct orr_stack_run *a = &runs->runs[i], *b = &runs->runs[k];
    const int rank = rank_of(a->score.metric), other = rank_of(b->score.metric);
    size_t column = 0;
    if (a->csv != b->csv || rank < 0 || other < 0 || other >= rank) return false;
    const struct orr_csv *csv = &runs->table->csvs[a->csv];
    return differences(csv, a->row, b->row, &column) == 1 && strcmp(csv->names[column], "metric") == 0;
}

/* Is it the same row, or the same file, a second time? */
static bool is_copy(const struct orr_stack_runs *runs, size_t i, size_t k)
{
    const struct orr_score *a = &runs->runs[i].score, *b = &runs->runs[k].score;
    return k < i && a->id[0] && a->measured == b->measured && runs->as_is[i] == runs->as_is[k] &&
           strcmp(a->metric, b->metric) == 0 && strcmp(a->model, b->model) == 0;
}

const char *orr_stack_repeated(const struct orr_stack_runs *runs, size_t i)
{
    if (!orr_stack_usable(runs, i) || runs->n > MOST_RUNS) return NULL;
    for (size_t k = 0; k < runs->n; k++) {
        if (k == i || !orr_stack_usable(runs, k) || strcmp(runs->runs[i].score.id, runs->runs[k].score.id) != 0)
            continue;
        if (is_copy(runs, i, k)) return "the same run is there before";
        if (follows(runs, i, k)) return "another value of its run counts";
    }
    return NULL;
}

void orr_stack_check_rows(struct orr_stack *stack)
{
    const struct orr_stack_runs *runs = stack->engines[0];
    for (size_t i = 0; i < stack->n_chosen && stack->n_chosen <= MOST_RUNS; i++)
        for (size_t j = i + 1; j < stack->n_chosen; j++) {
            const size_t a = stack->chosen[i], b = stack->chosen[j];
            const struct orr_score *x = &runs->runs[a].score, *y = &runs->runs[b].score;
            if (x->predicted != y->predicted || strcmp(x->metric, y->metric) != 0 || strcmp(x->model, y->model) != 0)
                continue;
            if (fabs(log(x->measured / y->measured)) <= EQUAL_MOST) continue;
            char first[80], second[80];
            orr_stack_run_name(runs, a, first);
            orr_stack_run_name(runs, b, second);
            orr_stack_note(stack, "%s and %s contradict each other: the same run, but %s of %.4g and %.4g", first,
                           second, x->metric, x->measured, y->measured);
        }
}

/* Count the pair of the chosen runs i and j if it differs in one column. `before` and `after` are errors by place. */
static void count_pair(const struct orr_stack_runs *runs, const struct orr_stack_choice *chosen, size_t i, size_t j,
                       const double *before, const double *after, struct orr_stack_pairs *columns, size_t *n)
{
    const struct orr_stack_run *a = &runs->runs[chosen->at[i]], *b = &runs->runs[chosen->at[j]];
    size_t column = 0, k = 0;
    if (a->csv != b->csv) return;
    const struct orr_csv *csv = &runs->table->csvs[a->csv];
    if (differences(csv, a->row, b->row, &column) != 1) return;
    while (k < *n && strcmp(columns[k].column, csv->names[column]) != 0) k++;
    if (k == ORR_MAX_CELLS) return;
    if (k == *n) columns[(*n)++] = (struct orr_stack_pairs){.column = csv->names[column]};
    columns[k].n++;
    if (fabs(before[i] - before[j]) <= PAIR_MOST || fabs(after[i] - after[j]) <= PAIR_MOST) return;
    columns[k].n_odd++;
    columns[k].most = orr_max(columns[k].most, fabs(log(a->score.measured / b->score.measured)));
}

size_t orr_stack_find_pairs(const struct orr_stack_runs *runs, const struct orr_stack_choice *chosen,
                            const double *before, const double *after, struct orr_stack_pairs odd[ORR_MAX_CELLS])
{
    size_t n = 0, n_odd = 0;
    for (size_t i = 0; i < chosen->n && chosen->n <= MOST_RUNS; i++)
        for (size_t j = i + 1; j < chosen->n; j++) count_pair(runs, chosen, i, j, before, after, odd, &n);
    for (size_t k = 0; k < n; k++)
        if (odd[k].n_odd >= PAIRS_LEAST && (double)odd[k].n_odd >= PAIRS_FRAC * (double)odd[k].n) odd[n_odd++] = odd[k];
    for (size_t k = 1; k < n_odd; k++)
        if (odd[k].n_odd > odd[0].n_odd) {
            const struct orr_stack_pairs most = odd[k];
            odd[k] = odd[0];
            odd[0] = most;
        }
    return n_odd;
}

void orr_stack_pairs_text(const struct orr_stack_pairs *pairs, char text[ORR_STACK_PAIRS_TEXT])
{
    snprintf(text, ORR_STACK_PAIRS_TEXT,
             "%zu of %zu pairs that differ in %s alone differ more than twofold beyond any prediction, up to %.0f-fold",
             pairs->n_odd, pairs->n, pairs->column, exp(pairs->most));
}

const char *orr_stack_odd_pairs(struct orr_stack *stack)
{
    struct orr_stack_pairs odd[ORR_MAX_CELLS];
    const struct orr_stack_choice choice = {stack->chosen, stack->n_chosen};
    double *errors = malloc((2 * stack->n_chosen + 1) * sizeof *errors);
    if (!errors) return NULL;
    double *after = errors + stack->n_chosen;
    for (size_t i = 0; i < stack->n_chosen; i++) {
        errors[i] = stack->about[i].before;
        after[i] = stack->about[i].left;
    }
    const size_t n = orr_stack_find_pairs(stack->engines[0], &choice, errors, after, odd);
    for (size_t k = 0; k < n; k++) {
        char text[ORR_STACK_PAIRS_TEXT];
        orr_stack_pairs_text(&odd[k], text);
        orr_stack_note(stack, "two populations: %s: something that no column says decides their time", text);
    }
    free(errors);
    return n ? odd[0].column : NULL;
}
