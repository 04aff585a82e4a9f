/* --explain shows the formula of every metric, and the operators and waits behind each part of the time. */
#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"
#include "predict/power.h"
#include "report/answer.h"
#include "report/formula.h"
#include "report/table.h"

#define N_ROWS 8

/* The report leaves out two lines: the reason when the job fits, and hidden communication where there is none. */
static bool is_absent(const struct orr_answer *answer, int metric)
{
    const bool hidden = answer->job->kind == ORR_JOB_TRAIN && metric >= (int)ORR_TRAIN_METRIC_HIDDEN_TP &&
                        metric <= (int)ORR_TRAIN_METRIC_HIDDEN_RDP;
    const struct orr_entry entry = orr_metric_entry(answer, metric);
    return entry.absent || (hidden && !(entry.value.number > 0));
}

void orr_explain_metrics(const struct orr_answer *answer, const struct orr_style *style, int first, int last,
                         struct orr_text *text)
{
    for (int i = first; i <= last; i++)
        if (!is_absent(answer, i))
            orr_add_formula(answer, style, i, orr_metric_info(answer->job->kind, i)->formula, text);
}

/* Which of the two rates of a calibration does the job see: that of a burst, or that of a long load? */
void orr_explain_rate(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text)
{
    const struct orr_job *job = answer->job;
    const bool train = job->kind == ORR_JOB_TRAIN;
    const enum orr_dtype dtype = train ? job->workload.precision : job->serving.matrix;
    const double frac = train ? answer->train.matrix_frac : answer->infer.matrix_frac;
    const struct orr_power_rule rule = orr_power_rule_of(job, dtype);
    struct orr_text line = {0};
    if (job->engine.short_run)
        orr_text_add(&line, "The engine's runs are short, so matrix kernels keep the burst rate.");
    else if (frac >= rule.burst_frac)
        orr_text_add(&line, "The job stays below the power limit, so matrix kernels keep the burst rate.");
    else
        orr_text_add(&line,
                     "The power limit of %.4g W holds matrix kernels at %.3g of peak, between the sustained rate of an "
                     "endless matrix load, %.3g, and the burst rate, %.3g.",
                     job->system.chip.tdp_w, frac, rule.sustained_frac, rule.burst_frac);
    orr_text_wrap_line(text, style, "", 0, &line, " ");
}

/* ---------------------------------------------------------------- operators and waits of a part */

static double clock_of(const struct orr_answer *answer, enum orr_phase phase)
{
    if (answer->job->kind == ORR_JOB_TRAIN) return answer->facts.clock_frac;
    return phase == ORR_PHASE_PREFILL ? answer->prefill.clock_frac : answer->decode.clock_frac;
}

static void add_operator(const struct orr_answer *answer, const struct orr_style *style, const struct orr_alike *alike,
                         struct orr_text *text)
{
    const struct orr_time_row *row = &answer->rows[alike->first];
    struct orr_text head = {0};
    char one[32], all[32], runs[32], title[ORR_TITLE_TEXT];
    orr_text_add(&head, "%s: %s × %s = %s, %s bound", orr_op_title(title, &answer->ops[row->op]),
                 orr_print_times(runs, alike->runs), orr_print_s(one, row->run_s), orr_print_s(all, alike->exposed_s),
                 orr_bound_name(row->resource));
    orr_op_explain(style, head.data ? head.data : "", &answer->ops[row->op], &answer->costs[row->op],
                   clock_of(answer, row->phase), text);
    orr_text_drop(text, &head);
}

/* Adds a wait; where other phases have the same wait, it names its phase. */
static void add_wait(const struct orr_answer *answer, const struct orr_alike *alike, struct orr_text *text)
{
    const struct orr_time_row *row = &answer->rows[alike->first];
    const char *phase = row->phase == ORR_PHASE_STEP ? "" : orr_phase_name(row->phase);
    char one[32], all[32], runs[32];
    orr_text_add(text, "    %s%s%s: ", row->name, *phase ? ", " : "", phase);
    if (alike->n_rows == 1 && row->runs != 1)
        orr_text_add(text, "%s × %s = ", orr_print_times(runs, row->runs), orr_print_s(one, row->run_s));
    orr_text_add(text, "%s\n", orr_print_s(all, alike->exposed_s));
}

void orr_explain_rows(const struct orr_answer *answer, const struct orr_style *style, int part, struct orr_text *text)
{
    struct orr_alike heaviest[N_ROWS];
    double rest_s;
    int n_parts;
    char buffer[32];
    const size_t n = orr_rows_heaviest(answer, part, true, N_ROWS, heaviest, &rest_s);
    for (size_t i = 0; i < n; i++) {
        if (answer->rows[heaviest[i].first].op >= 0) add_operator(answer, style, &heaviest[i], text);
        else add_wait(answer, &heaviest[i], text);
    }
    if (n == N_ROWS) orr_text_add(text, "    others: %s\n", orr_print_s(buffer, rest_s));
    if (n > 1) orr_text_add(text, "    sum: %s\n", orr_print_s(buffer, orr_parts_s(answer, &n_parts)[part]));
}

/* ---------------------------------------------------------------- the whole explanation */

void orr_explain(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text)
{
    const bool train = answer->job->kind == ORR_JOB_TRAIN;
    orr_heading(answer, style, text);
    orr_text_title(text, style, "headline: formula = values = result [source]");
    (train ? orr_train_explain : orr_infer_explain)(answer, style, text);
    orr_explain_constants(answer, style, text);
}
