/* What the rows of a fit say about each other: equal plans with other times, and pairs that differ in one cell but by
 * far more in time than any prediction. */
#include "calibrate/stack_fit.h"

#include "base/number.h"

#include <math.h>
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

/* How often pairs of one column are odd. */
struct tally {
    const char *column;
    size_t n, n_odd;
    double most; /* ln: the largest ratio of measured times */
};

static void count_pair(const struct orr_stack *stack, size_t i, size_t j, struct tally *tallies, size_t *n)
{
    const struct orr_stack_runs *runs = stack->engines[0];
    const struct orr_stack_run *a = &runs->runs[stack->chosen[i]], *b = &runs->runs[stack->chosen[j]];
    size_t column = 0, k = 0;
    if (a->csv != b->csv) return;
    const struct orr_csv *csv = &runs->table->csvs[a->csv];
    if (differences(csv, a->row, b->row, &column) != 1) return;
    while (k < *n && strcmp(tallies[k].column, csv->names[column]) != 0) k++;
    if (k == ORR_MAX_CELLS) return;
    if (k == *n) tallies[(*n)++] = (struct tally){.column = csv->names[column]};
    tallies[k].n++;
    const struct orr_stack_about *x = &stack->about[i], *y = &stack->about[j];
    if (fabs(x->before - y->before) <= PAIR_MOST || fabs(x->after - y->after) <= PAIR_MOST) return;
    tallies[k].n_odd++;
    tallies[k].most = orr_max(tallies[k].most, fabs(log(a->score.measured / b->score.measured)));
}

const char *orr_stack_odd_pairs(struct orr_stack *stack)
{
    struct tally tallies[ORR_MAX_CELLS], *worst = NULL;
    size_t n = 0;
    for (size_t i = 0; i < stack->n_chosen && stack->n_chosen <= MOST_RUNS; i++)
        for (size_t j = i + 1; j < stack->n_chosen; j++) count_pair(stack, i, j, tallies, &n);
    for (size_t k = 0; k < n; k++) {
        const struct tally *t = &tallies[k];
        if (t->n_odd < PAIRS_LEAST || (double)t->n_odd < PAIRS_FRAC * (double)t->n) continue;
        if (!worst || t->n_odd > worst->n_odd) worst = &tallies[k];
        orr_stack_note(stack,
                       "two populations: %zu of %zu pairs that differ in %s alone differ more than twofold beyond any "
                       "prediction, up to %.0f-fold: something that no column says decides their time",
                       t->n_odd, t->n, t->column, exp(t->most));
    }
    if (!worst) return NULL;
    return worst->column;
}
