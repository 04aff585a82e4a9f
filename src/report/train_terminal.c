/* The report people read: what was asked, the answer in eight lines, where time and memory go, what is heaviest. */
#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"
#include "metric/metrics.h"
#include "report/summary.h"
#include "report/table.h"
#include "report/train.h"

#define N_HEAVIEST 5

/* ---------------------------------------------------------------- heading: what was asked */

static void add_plan(const struct orr_plan *plan, struct orr_text *line)
{
    orr_text_add(line, "tp %lld", (long long)plan->tp);
    orr_summary_degree(line, "pp", plan->pp);
    if (plan->vpp > 1) orr_summary_degree(line, "vpp", plan->vpp);
    orr_summary_degree(line, "dp", plan->dp);
    if (plan->cp > 1) orr_summary_degree(line, "cp", plan->cp);
    if (plan->ep > 1) orr_summary_degree(line, "ep", plan->ep);
    if (plan->etp > 1) orr_summary_degree(line, "etp", plan->etp);
    if (plan->cp > 1) orr_text_add(line, " (%s)", orr_cp_kind_name(plan->cp_kind));
    if (plan->sp) orr_text_add(line, " · sequence parallel");
    if (plan->zero > 0) orr_text_add(line, " · ZeRO-%lld", (long long)plan->zero);
    if (plan->pp > 1) orr_text_add(line, " · %s", orr_schedule_name(plan->schedule));
    char overlap[ORR_OVERLAP_TEXT];
    if (plan->exposed_groups) orr_text_add(line, " · overlap %s", orr_overlap_text(plan->exposed_groups, overlap));
}

static void add_workload(const struct orr_workload *workload, struct orr_text *line)
{
    orr_text_add(line, "%lld × %lld tokens · micro-batch %lld · %s · recompute %s", (long long)workload->global_batch,
                 (long long)workload->seq, (long long)workload->micro_batch, orr_dtype_name(workload->precision),
                 orr_recompute_name(workload->recompute));
}

void orr_train_heading(const struct orr_view *view, const struct orr_style *style, struct orr_text *text)
{
    const struct orr_job *job = view->job;
    const struct orr_result *result = view->result;
    struct orr_text line = {0};
    orr_summary_model(job, result->params_total, result->params_active, &line);
    orr_summary_line(text, style, "training", &line);
    add_plan(&job->plan, &line);
    orr_summary_line(text, style, "plan", &line);
    add_workload(&job->workload, &line);
    orr_summary_line(text, style, "workload", &line);
    orr_text_add(&line, "%s · %s attention · constants %s, %s", job->engine.id,
                 orr_attention_kernel_name(job->workload.attention), job->calibration.id,
                 orr_metric_value(view, ORR_METRIC_TRUST).word);
    orr_summary_line(text, style, "engine", &line);
    orr_text_add(text, "\n");
    free(line.data);
}

/* ---------------------------------------------------------------- headline: the answer */

static char *number(const struct orr_view *view, enum orr_metric metric, char buffer[ORR_VALUE_TEXT])
{
    return orr_value_print(buffer, orr_metric_value(view, metric));
}

static void headline_speed(const struct orr_view *view, struct orr_table *table)
{
    const struct orr_result *r = view->result;
    char a[ORR_VALUE_TEXT], b[ORR_VALUE_TEXT], value[2 * ORR_VALUE_TEXT], detail[3 * ORR_VALUE_TEXT];
    (void)snprintf(detail, sizeof detail, "80 %%: %s … %s", number(view, ORR_METRIC_INTERVAL_LOW, a),
                   number(view, ORR_METRIC_INTERVAL_HIGH, b));
    ORR_ROW(table, ORR_PAINT_BOLD, "step time", number(view, ORR_METRIC_STEP_TIME, value), detail);
    (void)snprintf(detail, sizeof detail, "%s per GPU", number(view, ORR_METRIC_TOKENS_PER_GPU, a));
    ORR_ROW(table, ORR_PAINT_NONE, "throughput", number(view, ORR_METRIC_TOKENS, value), detail);
    (void)snprintf(value, sizeof value, "MFU %.1f %%", 100 * r->mfu_frac);
    /* published MFU counts the whole score matrix, executed FLOP only what the mask leaves */
    (void)snprintf(detail, sizeof detail, "%s per GPU, HFU %.1f %%%s", number(view, ORR_METRIC_MODEL_TFLOPS, a),
                   100 * r->hfu_frac, r->hfu_frac < r->mfu_frac ? " (causal)" : "");
    ORR_ROW(table, ORR_PAINT_NONE, "utilisation", value, detail);
    (void)snprintf(detail, sizeof detail, "the step takes %.2f times that",
                   r->bound_s > 0 ? r->step_time_s / r->bound_s : 0);
    ORR_ROW(table, ORR_PAINT_NONE, "speed of light", number(view, ORR_METRIC_BOUND, value), detail);
}

static void headline_resources(const struct orr_view *view, struct orr_table *table)
{
    const struct orr_result *r = view->result;
    char a[ORR_VALUE_TEXT], b[ORR_VALUE_TEXT], value[2 * ORR_VALUE_TEXT], detail[3 * ORR_VALUE_TEXT];
    (void)snprintf(detail, sizeof detail, "%s: %s of %s usable", r->fits ? "fits" : "does not fit",
                   number(view, ORR_METRIC_MEMORY_USABLE, a), number(view, ORR_METRIC_MEMORY_CAPACITY, b));
    ORR_ROW(table, r->fits ? ORR_PAINT_NONE : ORR_PAINT_BAD, "memory", number(view, ORR_METRIC_MEMORY_TOTAL, value),
            detail);
    orr_summary_bound(table, "bottleneck", r->bound_share_frac, r->bottleneck);
    (void)snprintf(value, sizeof value, "%s per GPU", number(view, ORR_METRIC_POWER, a));
    (void)snprintf(detail, sizeof detail, "%s per step, %s per token", number(view, ORR_METRIC_ENERGY, a),
                   number(view, ORR_METRIC_ENERGY_PER_TOKEN, b));
    ORR_ROW(table, ORR_PAINT_NONE, "power", value, detail);
    (void)snprintf(detail, sizeof detail, "per step, %s per billion tokens",
                   number(view, ORR_METRIC_COST_PER_BILLION, a));
    ORR_ROW(table, ORR_PAINT_NONE, "cost", number(view, ORR_METRIC_COST, value), detail);
}

static void add_headline(const struct orr_view *view, const struct orr_style *style, struct orr_text *text)
{
    struct orr_table table;
    orr_table_start(&table, "llf");
    headline_speed(view, &table);
    headline_resources(view, &table);
    orr_table_print(&table, text, style);
    orr_summary_reason(style, view->result->reason, text);
    orr_text_add(text, "\n");
}

/* ---------------------------------------------------------------- where time and memory go */

static void add_time(const struct orr_view *view, const struct orr_style *style, struct orr_text *text)
{
    const struct orr_result *r = view->result;
    struct orr_slice slices[ORR_N_TIME_PARTS];
    for (int i = 0; i < ORR_N_TIME_PARTS; i++)
        slices[i] = (struct orr_slice){orr_time_part_name((enum orr_time_part)i), r->time_s[i]};
    orr_summary_time(style, "time of a step", slices, ORR_N_TIME_PARTS, r->step_time_s, text);
}

static void add_memory(const struct orr_view *view, const struct orr_style *style, struct orr_text *text)
{
    const struct orr_memory *memory = &view->result->memory;
    struct orr_slice slices[ORR_N_MEMORY_PARTS];
    char title[64];
    for (int i = 0; i < ORR_N_MEMORY_PARTS; i++)
        slices[i] = (struct orr_slice){orr_memory_part_name((enum orr_memory_part)i), memory->part_bytes[i]};
    (void)snprintf(title, sizeof title, "memory of a GPU of stage %lld, peak:", (long long)memory->peak_stage);
    orr_text_wrap(text, style, title, orr_columns(title) + 1, orr_metric_value(view, ORR_METRIC_PEAK_INSTANT).word,
                  " ");
    orr_summary_memory(style, slices, ORR_N_MEMORY_PARTS,
                       (struct orr_room){.total_bytes = memory->total_bytes,
                                         .usable_bytes = memory->usable_bytes,
                                         .capacity_bytes = memory->capacity_bytes},
                       text);
}

/* ---------------------------------------------------------------- pipeline, hidden communication, operators */

static void add_pipeline(const struct orr_view *view, const struct orr_style *style, struct orr_text *text)
{
    const struct orr_result *r = view->result;
    const size_t before = text->length;
    struct orr_text line = {0};
    char buffer[32];
    if (view->job->plan.pp > 1) {
        orr_text_add(&line, "%lld stages · %lld micro-batches · bubble %.1f %% · %.3g in flight on stage %lld",
                     (long long)view->job->plan.pp, (long long)r->n_micro_batches,
                     r->step_time_s > 0 ? 100 * r->time_s[ORR_TIME_PP_BUBBLE] / r->step_time_s : 0, r->memory.in_flight,
                     (long long)r->memory.peak_stage);
        orr_summary_line(text, style, "pipeline", &line);
    }
    for (int i = 0; i < ORR_N_GROUPS; i++)
        if (r->hidden_s[i] > 0)
            orr_text_add(&line, "%s%s %s", line.length ? " · " : "", orr_group_name((enum orr_group)i),
                         orr_print_s(buffer, r->hidden_s[i]));
    if (line.length) orr_summary_line(text, style, "hidden", &line);
    if (text->length > before) orr_text_add(text, "\n");
    free(line.data);
}

static const char *phase_text(const struct orr_op *op)
{
    return op->recomputed ? "forward ×2" : orr_phase_name(op->phase);
}

static void add_heaviest(const struct orr_view *view, const struct orr_style *style, struct orr_text *text)
{
    struct orr_alike heaviest[N_HEAVIEST];
    const size_t n = orr_view_heaviest(view, ORR_N_TIME_PARTS, N_HEAVIEST, heaviest);
    if (n == 0) return;
    struct orr_table table;
    char title[64] = "heaviest operators";
    if (view->job->plan.pp > 1)
        (void)snprintf(title, sizeof title, "heaviest operators of pipeline rank %lld", (long long)view->rank);
    orr_paint(text, style, ORR_PAINT_BOLD, title);
    orr_text_add(text, "\n");
    orr_table_start(&table, ORR_SUMMARY_OPERATORS);
    for (size_t i = 0; i < n; i++) {
        const struct orr_op *op = &view->scratch->ops.items[heaviest[i].first];
        orr_summary_operator(&table, op, &view->scratch->costs[heaviest[i].first], phase_text(op), heaviest[i].step_s,
                             view->result->step_time_s);
    }
    orr_table_print(&table, text, style);
}

/* ---------------------------------------------------------------- what would change it */

#define N_CHANGES 3

static double gain_frac(const struct orr_view *view, const struct orr_what_if *what_if)
{
    return what_if->step_time_s / view->result->step_time_s - 1;
}

static void add_hardware(const struct orr_view *view, const struct orr_style *style, struct orr_text *text)
{
    struct orr_text line = {0};
    for (size_t i = 0; i < view->n_what_ifs; i++)
        if (view->what_ifs[i].hardware)
            orr_text_add(&line, "%s%s %+.1f %%", line.length ? " · " : "", view->what_ifs[i].text,
                         100 * gain_frac(view, &view->what_ifs[i]));
    orr_text_wrap(text, style, "  10 % more", 13, line.data ? line.data : "", " · ");
    free(line.data);
}

/* The fastest single changes of plan or workload that fit and gain at least half a percent. */
static void add_changes(const struct orr_view *view, const struct orr_style *style, struct orr_text *text)
{
    orr_text_add(text, "\n");
    orr_paint(text, style, ORR_PAINT_BOLD, "what would change it");
    orr_text_add(text, "\n");
    add_hardware(view, style, text);
    struct orr_table table;
    orr_table_start(&table, "lrr");
    double above = -1;
    for (int shown = 0; shown < N_CHANGES; shown++) {
        const struct orr_what_if *next = NULL;
        for (size_t i = 0; i < view->n_what_ifs; i++) {
            const struct orr_what_if *one = &view->what_ifs[i];
            const bool better =
                !one->hardware && one->fits && gain_frac(view, one) < -0.005 && one->step_time_s > above;
            if (better && (!next || one->step_time_s < next->step_time_s)) next = one;
        }
        if (!next) break;
        char time[32], gain[16];
        (void)snprintf(gain, sizeof gain, "%+.1f %%", 100 * gain_frac(view, next));
        ORR_ROW(&table, ORR_PAINT_NONE, next->text, orr_print_s(time, next->step_time_s), gain);
        above = next->step_time_s;
    }
    orr_table_print(&table, text, style);
}

void orr_train_terminal(const struct orr_view *view, const struct orr_style *style, struct orr_text *text)
{
    orr_train_heading(view, style, text);
    add_headline(view, style, text);
    add_time(view, style, text);
    add_memory(view, style, text);
    add_pipeline(view, style, text);
    add_heaviest(view, style, text);
    add_changes(view, style, text);
}
