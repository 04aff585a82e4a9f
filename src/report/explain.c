/* --explain: every line of the report as formula = values put in = result [source], from the metric list. */
#include <stdio.h>

#include "base/units.h"
#include "report/formula.h"
#include "metric/metrics.h"
#include "report/table.h"
#include "report/train.h"

static void add_metric(const struct orr_view *view, const struct orr_style *style, enum orr_metric metric,
                       struct orr_text *text)
{
    const struct orr_names names = {.view = view, .find = orr_symbol_find};
    orr_add_metric(&names, style, orr_metric_info(metric), orr_metric_value(view, metric), text);
}

/* Lines the report does not show: no reason when it fits, no hidden communication where there is none. */
static bool is_absent(const struct orr_view *view, enum orr_metric metric)
{
    const bool hidden = metric >= ORR_METRIC_HIDDEN_TP && metric <= ORR_METRIC_HIDDEN_RDP;
    return (metric == ORR_METRIC_REASON && view->result->fits) ||
           (hidden && !(orr_metric_value(view, metric).number > 0));
}

static void add_metrics(const struct orr_view *view, const struct orr_style *style, enum orr_metric first,
                        enum orr_metric last, struct orr_text *text)
{
    for (int i = (int)first; i <= (int)last; i++)
        if (!is_absent(view, (enum orr_metric)i)) add_metric(view, style, (enum orr_metric)i, text);
}

/* ---------------------------------------------------------------- pipeline bubble */

/* What one other rank adds to fill and drain: the second terms of Eqs. 67-71. */
static const char *bubble_formula(enum orr_schedule schedule, const char **source)
{
    switch (schedule) {
    case ORR_SCHEDULE_GPIPE: *source = "Eqs. 67, 73"; return "(F + B)";
    case ORR_SCHEDULE_1F1B: *source = "Eqs. 68, 73"; return "(F + B)";
    case ORR_SCHEDULE_INTERLEAVED: *source = "Eqs. 69, 73"; return "(F + B) / vpp";
    case ORR_SCHEDULE_ZB_H1: *source = "Eqs. 70, 73"; return "max(0, F + B - 2 · W)";
    case ORR_SCHEDULE_ZB_H2: *source = "Eqs. 71, 73"; return "max(0, F + B - 3 · W)";
    case ORR_N_SCHEDULES: break;
    }
    *source = "";
    return "";
}

static void add_bubble(const struct orr_view *view, const struct orr_style *style, struct orr_text *text)
{
    const struct orr_metric_info *info = orr_metric_info(ORR_METRIC_TIME_BUBBLE);
    const int64_t others = view->job->plan.pp - 1;
    if (others == 0) {
        orr_add_steps(style, info->key, (const char *const[]){"no other rank", "0 s"}, 2, info->source, text);
        return;
    }
    const char *source;
    const char *const share = bubble_formula(view->job->plan.schedule, &source);
    char formula[128], values[128], result[ORR_VALUE_TEXT], mean[32];
    const struct orr_value bubble = orr_metric_value(view, ORR_METRIC_TIME_BUBBLE);
    (void)snprintf(formula, sizeof formula, "Σ over the %lld other ranks of %s", (long long)others, share);
    (void)snprintf(values, sizeof values, "%lld · %s on average", (long long)others,
                   orr_print_s(mean, bubble.number / (double)others));
    const char *const steps[] = {formula, values, orr_value_print(result, bubble)};
    orr_add_steps(style, info->key, steps, 3, source, text);
    const struct orr_rank_time *rank = orr_view_rank_time(view);
    char forward[32], backward[32], wgrad[32];
    orr_text_add(text, "  critical rank: F %s, B %s, W %s\n", orr_print_s(forward, rank->forward_s),
                 orr_print_s(backward, rank->backward_s), orr_print_s(wgrad, rank->wgrad_s));
}

/* ---------------------------------------------------------------- the whole explanation */

/* ORDER of the time parts and of their metrics is the same. */
static void add_time_parts(const struct orr_view *view, const struct orr_style *style, struct orr_text *text)
{
    char where[96];
    (void)snprintf(where, sizeof where, "time parts, with the operators of pipeline rank %lld", (long long)view->rank);
    orr_add_title(style, where, text);
    for (int part = 0; part < ORR_N_TIME_PARTS; part++) {
        if (part == ORR_TIME_PP_BUBBLE) add_bubble(view, style, text);
        else add_metric(view, style, (enum orr_metric)(ORR_METRIC_TIME_FORWARD + part), text);
        orr_explain_operators(view, style, (enum orr_time_part)part, text);
    }
    _Static_assert(ORR_METRIC_TIME_OVERHEAD - ORR_METRIC_TIME_FORWARD + 1 == ORR_N_TIME_PARTS, "one metric per part");
}

void orr_train_explain(const struct orr_view *view, const struct orr_style *style, struct orr_text *text)
{
    orr_train_heading(view, style, text);
    orr_paint(text, style, ORR_PAINT_BOLD, "headline: formula = values = result [source]");
    orr_text_add(text, "\n");
    add_metrics(view, style, ORR_METRIC_STEP_TIME, ORR_METRIC_SHARE_OVERHEAD, text);
    add_time_parts(view, style, text);
    orr_add_title(style, "communication hidden beside compute", text);
    const size_t before = text->length;
    add_metrics(view, style, ORR_METRIC_HIDDEN_TP, ORR_METRIC_HIDDEN_RDP, text);
    if (text->length == before) orr_text_add(text, "none\n");
    orr_add_title(style, "memory of a GPU", text);
    add_metrics(view, style, ORR_METRIC_MEMORY_WEIGHTS, ORR_METRIC_IN_FLIGHT, text);
    orr_explain_ledger(view, style, text);
    orr_add_title(style, "energy and cost", text);
    add_metrics(view, style, ORR_METRIC_ENERGY, ORR_METRIC_COST_PER_BILLION, text);
    orr_add_title(style, "sizes and sustained rate", text);
    add_metrics(view, style, ORR_METRIC_PARAMS_TOTAL, ORR_METRIC_MATRIX, text);
    orr_explain_constants(view, style, text);
}
