/* The report of `orrery fit` for terminals, as CSV and as a page: runs before and after, what the runs told, what
 * remains, and what to measure next. */
#include "report/stack.h"

#include "calibrate/stack_fit.h"

#include "base/number.h"
#include "base/plain.h"
#include "base/units.h"
#include "report/json_text.h"
#include "report/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELL 96
/* Runs beyond this are left to --csv and --json, but for the largest errors. */
#define MOST_LINES 40
/* Proposed runs narrow the intervals by this share at least. */
#define LEAST_NARROWING 0.005

/* How a value of a parameter is printed. */
static void print_value(int i, double value, char text[32])
{
    const struct orr_stack_parameter *p = orr_stack_parameter(i);
    if (p->prior != ORR_STACK_TIME) snprintf(text, 32, "%.3g", value);
    else if (value < 1e-3) snprintf(text, 32, "%.3g us", 1e6 * value);
    else snprintf(text, 32, "%.3g ms", 1e3 * value);
}

static double median_of(const struct orr_stack *stack, double (*error)(const struct orr_stack_about *))
{
    double *values = malloc((stack->n_main + 1) * sizeof *values), median = (double)NAN;
    const size_t n = stack->n_main;
    if (!values) return median;
    for (size_t i = 0; i < n; i++) values[i] = fabs(exp(-error(&stack->about[i])) - 1);
    if (n) median = orr_median(values, n);
    free(values);
    return median;
}

static double before_of(const struct orr_stack_about *about)
{
    return about->before;
}
static double after_of(const struct orr_stack_about *about)
{
    return about->after;
}
static double left_out_of(const struct orr_stack_about *about)
{
    return about->left_out;
}

struct orr_stack_medians orr_stack_medians(const struct orr_stack *stack)
{
    return (struct orr_stack_medians){median_of(stack, before_of), median_of(stack, after_of),
                                      median_of(stack, left_out_of)};
}

/* ---------------------------------------------------------------- terminal */

/* Predicted over measured time - 1, in %. */
static void print_error(char *cell, double error)
{
    snprintf(cell, CELL, "%+.1f", 100 * (exp(-error) - 1));
}

static void add_runs(const struct orr_stack *stack, struct orr_text *text, const struct orr_style *style)
{
    struct orr_table table;
    const struct orr_stack_runs *runs = stack->engines[0];
    orr_text_section(text, style, "runs: error in %, predicted over measured time - 1");
    orr_table_start(&table, "flrrrrl");
    ORR_ROW(&table, ORR_PAINT_BOLD, "run", "metric", "measured", "before", "after", "left out", "");
    for (size_t i = 0; i < stack->n_chosen; i++) {
        char name[80], measured[CELL], before[CELL], after[CELL], left_out[CELL];
        const struct orr_stack_about *about = &stack->about[i];
        const bool aside = i >= stack->n_main;
        if (stack->n_chosen > MOST_LINES && !about->outlier) continue;
        orr_stack_run_name(runs, stack->chosen[i], name);
        snprintf(measured, sizeof measured, "%.4g", runs->runs[stack->chosen[i]].score.measured);
        print_error(before, about->before);
        print_error(after, about->after);
        print_error(left_out, about->left_out);
        ORR_ROW(&table, about->outlier ? ORR_PAINT_BAD : ORR_PAINT_NONE, name,
                runs->runs[stack->chosen[i]].score.metric, measured, before, after, aside ? "" : left_out,
                aside            ? "set aside"
                : about->outlier ? "outlier"
                                 : "");
    }
    orr_table_print(&table, text, style);
    const struct orr_stack_medians m = orr_stack_medians(stack);
    char line[200];
    snprintf(line, sizeof line, "Median error: %.1f %% before, %.1f %% after, %.1f %% leaving each run out.\n",
             100 * m.before_frac, 100 * m.after_frac, 100 * m.left_out_frac);
    orr_text_fit(text, style, line);
}

static void add_level(const struct orr_stack *stack, struct orr_table *table)
{
    const double reach = 1.2816 * sqrt(orr_max(0, stack->fit.covariance[ORR_STACK_N][ORR_STACK_N]));
    char now[32], range[CELL], told[CELL];
    snprintf(now, sizeof now, "%.3g", exp(stack->fit.level));
    snprintf(range, sizeof range, "%.3g … %.3g", exp(stack->fit.level - reach), exp(stack->fit.level + reach));
    snprintf(told, sizeof told, "%.0f %%", 100 * orr_stack_told(&stack->fit, ORR_STACK_N));
    ORR_ROW(table, ORR_PAINT_NONE, "time_factor", "1", now, range, told, "unexplained: every time alike");
}

static void add_parameters(const struct orr_stack *stack, struct orr_text *text, const struct orr_style *style)
{
    struct orr_table table;
    orr_text_section(text, style, "what the runs told");
    if (!stack->fit.fitted) {
        orr_text_fit(text, style, "The parent describes the runs as it is; its facts are kept.\n");
        return;
    }
    orr_table_start(&table, "lrrlrf");
    table.drop = "000002";
    ORR_ROW(&table, ORR_PAINT_BOLD, "fact", "parent", "now", "80 %", "told", "");
    for (int i = 0; i < ORR_STACK_N; i++) {
        char parent[32], now[32], low_text[32], high_text[32], range[CELL], told[CELL];
        double low, high;
        if (!stack->fit.active[i]) continue;
        orr_stack_interval(stack, i, &low, &high);
        print_value(i, orr_stack_engine_value(stack, i, false), parent);
        print_value(i, orr_stack_engine_value(stack, i, true), now);
        print_value(i, low, low_text);
        print_value(i, high, high_text);
        snprintf(range, sizeof range, "%s … %s", low_text, high_text);
        snprintf(told, sizeof told, "%.0f %%", 100 * orr_stack_told(&stack->fit, i));
        ORR_ROW(&table, ORR_PAINT_NONE, orr_stack_parameter(i)->key, parent, now, range, told,
                orr_stack_parameter(i)->meaning);
    }
    add_level(stack, &table);
    orr_table_print(&table, text, style);
    orr_text_fit(text, style,
                 "Told: how far the runs narrowed what is known between stacks. Everything else keeps the parent's "
                 "value.\n");
}

static void add_unexplained(const struct orr_stack *stack, struct orr_text *text, const struct orr_style *style)
{
    char line[400];
    orr_text_section(text, style, "what remains");
    const double within = stack->fit.within;
    snprintf(line, sizeof line, "Single runs differ from the fit by a factor of %.2f either way, four in five.\n",
             exp(ORR_STACK_QUANTILE * within));
    orr_text_fit(text, style, line);
    orr_text_fit(
        text, style,
        "The file keeps what its numbers leave of each run and shares it with jobs like that run, as in \"after\".\n");
    snprintf(
        line, sizeof line,
        "80 %% interval from now on: a factor of %.2f (single runs, and what the runs leave open about the stack).\n",
        exp(ORR_STACK_QUANTILE * hypot(within, stack->stack_spread)));
    orr_text_fit(text, style, line);
    for (size_t i = 0; i < stack->n_notes; i++) {
        char note[ORR_NOTE + 2];
        snprintf(note, sizeof note, "%s\n", stack->notes[i]);
        orr_text_fit(text, style, note);
    }
}

static void add_members(const struct orr_stack *stack, struct orr_text *text, const struct orr_style *style)
{
    struct orr_text line = {0};
    for (size_t i = 0; i < stack->mixture.n; i++) {
        const struct orr_stack_member *m = &stack->mixture.members[i];
        if (m->weight >= 0.01)
            orr_text_add(&line, "%s%s %s %.0f %%", line.length ? ", " : "", m->engine, i == 0 ? "as it is" : "fitted",
                         100 * m->weight);
    }
    orr_text_wrap_line(text, style, "  weights  ", 11, &line, ", ");
}

/* A run that narrows no interval by a noticeable share is not worth its time; the first one is the best. */
static void add_next(const struct orr_stack *stack, struct orr_text *text, const struct orr_style *style)
{
    if (!stack->n_next || stack->next[0].narrowing_frac < LEAST_NARROWING) return;
    orr_text_section(text, style, "what to measure next");
    for (size_t i = 0; i < stack->n_next; i++) {
        const struct orr_stack_next *next = &stack->next[i];
        char name[80], line[300], takes[40] = "";
        if (next->narrowing_frac < LEAST_NARROWING) break;
        orr_stack_run_name(stack->fit_runs, next->run, name);
        if (next->predicted_s > 0) snprintf(takes, sizeof takes, ", about %.3g s", next->predicted_s);
        snprintf(line, sizeof line, "  %s with %s %s instead of %s%s: intervals %.0f %% narrower\n", name, next->column,
                 next->to, next->from, takes, 100 * next->narrowing_frac);
        orr_text_fit(text, style, line);
    }
}

static void add_terminal(const struct orr_stack *stack, struct orr_text *text, const struct orr_style *style)
{
    char line[300];
    snprintf(line, sizeof line, "fit       %zu run%s · parent %s", stack->n_main, stack->n_main == 1 ? "" : "s",
             stack->names[0]);
    orr_text_title(text, style, line);
    orr_text_add(text, "  best     %s%s\n", stack->fit_engine, stack->fit.fitted ? ", fitted" : " as it is");
    add_members(stack, text, style);
    add_runs(stack, text, style);
    add_parameters(stack, text, style);
    add_unexplained(stack, text, style);
    add_next(stack, text, style);
}

/* ---------------------------------------------------------------- CSV, all */

static void add_csv(const struct orr_stack *stack, struct orr_text *text)
{
    const struct orr_stack_runs *runs = stack->engines[0];
    orr_text_add(text, "run,metric,measured,error_before,error_after,error_left_out,weight,state\n");
    for (size_t i = 0; i < stack->n_chosen; i++) {
        const struct orr_stack_about *about = &stack->about[i];
        const struct orr_score *score = &runs->runs[stack->chosen[i]].score;
        char name[80];
        orr_stack_run_name(runs, stack->chosen[i], name);
        orr_csv_add(text, name, false);
        orr_text_add(text, "%s,%.10g,%.6f,%.6f,%.6f,%.4f,%s\n", score->metric, score->measured, exp(-about->before) - 1,
                     exp(-about->after) - 1, exp(-about->left_out) - 1, about->weight,
                     i >= stack->n_main ? "set aside"
                     : about->outlier   ? "outlier"
                                        : "");
    }
}

char *orr_stack_render(const struct orr_stack *stack, enum orr_format format, const struct orr_style *style)
{
    ORR_PLAIN_NUMBERS;
    struct orr_text text = {0};
    if (format == ORR_FORMAT_JSON) orr_json_lines(&text, orr_stack_json(stack));
    else if (format == ORR_FORMAT_CSV) add_csv(stack, &text);
    else add_terminal(stack, &text, style);
    if (format != ORR_FORMAT_HTML) return orr_text_take(&text);
    char *json = orr_stack_render(stack, ORR_FORMAT_JSON, NULL), *terminal = orr_text_take(&text);
    char *page = json && terminal ? orr_page("orrery fit", terminal, json) : NULL;
    free(json);
    free(terminal);
    return page;
}
