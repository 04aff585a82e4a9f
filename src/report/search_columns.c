/* The columns of a table of plans are degrees, options in short words, and headline figures. */
#define _POSIX_C_SOURCE 200809L
#include "base/units.h"
#include "report/search.h"
#include "report/summary.h"
#include "spec/job.h"
#include "spec/spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- cells */

#define DEGREE(name, value)                                                                                            \
    static void name(const struct orr_search_view *v, struct orr_text *cell)                                           \
    {                                                                                                                  \
        orr_text_add(cell, "%lld", (long long)(value));                                                                \
    }
DEGREE(gpus_cell, v->choice->gpus)
DEGREE(tp_cell, v->job.plan.tp)
DEGREE(cp_cell, v->job.plan.cp)
DEGREE(pp_cell, v->job.plan.pp)
DEGREE(vpp_cell, v->job.plan.vpp)
DEGREE(dp_cell, v->job.plan.dp)
DEGREE(ep_cell, v->job.plan.ep)
DEGREE(etp_cell, v->job.plan.etp)
DEGREE(micro_batch_cell, v->job.workload.micro_batch)
DEGREE(batch_cell, v->choice->batch)
DEGREE(most_cell, v->answer.infer.max_batch)

static void word(struct orr_text *cell, const char *text)
{
    orr_text_add(cell, "%s%s", cell->length ? " " : "", text);
}

/* Adds what differs from the plainest plan: "sp zero1 full/2 zb-h1 -dp". */
static void train_options_cell(const struct orr_search_view *v, struct orr_text *cell)
{
    const struct orr_plan *plan = &v->job.plan;
    const struct orr_workload *workload = &v->job.workload;
    char part[32];
    if (plan->sp) word(cell, "sp");
    (void)snprintf(part, sizeof part, "zero%lld", (long long)plan->zero);
    if (plan->zero > 0) word(cell, part);
    char recompute[ORR_RECOMPUTE_TEXT];
    if (workload->recompute != ORR_RECOMPUTE_NONE) word(cell, orr_recompute_text(workload, recompute));
    if (workload->recompute == ORR_RECOMPUTE_FULL && workload->recompute_every > 1)
        orr_text_add(cell, "/%lld", (long long)workload->recompute_every);
    if (plan->pp > 1 && plan->schedule != ORR_SCHEDULE_1F1B && plan->schedule != ORR_SCHEDULE_INTERLEAVED)
        word(cell, orr_schedule_name(plan->schedule));
    if (plan->cp > 1) word(cell, orr_cp_kind_name(plan->cp_kind));
    for (int group = 0; group < ORR_N_GROUPS; group++) {
        (void)snprintf(part, sizeof part, "-%s", orr_group_name((enum orr_group)group));
        if (plan->exposed_groups >> group & 1) word(cell, part);
    }
}

static void infer_options_cell(const struct orr_search_view *v, struct orr_text *cell)
{
    const struct orr_serving *serving = &v->job.serving;
    const struct orr_choice *c = v->choice;
    word(cell, orr_serving_format_name(&v->job));
    if (v->job.plan.etp > 1) orr_text_add(cell, " etp%lld", (long long)v->job.plan.etp);
    if (serving->kv != serving->weights || serving->kv_format != ORR_KV_PLAIN)
        orr_text_add(cell, " kv:%s", orr_cache_name(serving->kv, serving->kv_format));
    if (!c->disaggregated) return;
    word(cell, "split");
    if (c->decode_gpus == 0) return;
    orr_text_add(cell, " %d:tp%d", c->decode_gpus, c->decode_tp);
    if (c->decode_pp > 1) orr_text_add(cell, ",pp%d", c->decode_pp);
    if (c->decode_ep > 1) orr_text_add(cell, ",ep%d", c->decode_ep);
    orr_text_add(cell, ",b%d", c->decode_batch);
}

static void mfu_cell(const struct orr_search_view *v, struct orr_text *cell)
{
    orr_text_add(cell, "%.1f %%", 100 * v->answer.train.mfu_frac);
}

/* Adds the cell of a metric; where the title of its column has the unit, the cell is the bare number. */
static void add_cell(const struct orr_plan_column *column, const struct orr_search_view *v, struct orr_text *cell)
{
    char buffer[ORR_VALUE_TEXT];
    if (column->cell) {
        column->cell(v, cell);
        return;
    }
    struct orr_value value = orr_metric_value(&v->answer, column->metric);
    if (column->bare) value.unit = ORR_METRIC_UNIT_NUMBER;
    orr_text_add(cell, "%s", orr_value_print(buffer, value));
}

/* ---------------------------------------------------------------- columns */

static const struct orr_plan_column TRAIN[] = {
    {"gpus", 'r', '0', NULL, gpus_cell, 0, false, false},
    {"tp", 'r', '0', "1", tp_cell, 0, false, false},
    {"cp", 'r', '0', "1", cp_cell, 0, false, false},
    {"pp", 'r', '0', "1", pp_cell, 0, false, false},
    {"vpp", 'r', '0', "1", vpp_cell, 0, false, false},
    {"dp", 'r', '0', "1", dp_cell, 0, false, false},
    {"ep", 'r', '0', "1", ep_cell, 0, false, false},
    {"etp", 'r', '0', "1", etp_cell, 0, false, false},
    {"mb", 'r', '0', NULL, micro_batch_cell, 0, false, false},
    {"options", 'f', '0', "", train_options_cell, 0, false, false},
    {"step", 'r', '0', NULL, NULL, ORR_TRAIN_METRIC_STEP_TIME, false, false},
    {"MFU", 'r', '0', NULL, mfu_cell, 0, false, false},
    {"tok/s/GPU", 'r', '2', NULL, NULL, ORR_TRAIN_METRIC_TOKENS_PER_GPU, true, false},
    {"memory", 'r', '1', NULL, NULL, ORR_TRAIN_METRIC_MEMORY_TOTAL, false, false},
    {"$/Btok", 'r', '3', NULL, NULL, ORR_TRAIN_METRIC_COST_PER_BILLION, true, false},
    {"energy/tok", 'r', '4', NULL, NULL, ORR_TRAIN_METRIC_ENERGY_PER_TOKEN, false, true},
};

static const struct orr_plan_column INFER[] = {
    {"gpus", 'r', '0', NULL, gpus_cell, 0, false, false},
    {"tp", 'r', '0', "1", tp_cell, 0, false, false},
    {"cp", 'r', '0', "1", cp_cell, 0, false, false},
    {"pp", 'r', '0', "1", pp_cell, 0, false, false},
    {"dp", 'r', '0', "1", dp_cell, 0, false, false},
    {"ep", 'r', '0', "1", ep_cell, 0, false, false},
    {"batch", 'r', '0', NULL, batch_cell, 0, false, false},
    {"options", 'f', '0', NULL, infer_options_cell, 0, false, false},
    {"TTFT", 'r', '0', NULL, NULL, ORR_INFER_METRIC_TTFT, false, false},
    {"TPOT", 'r', '0', NULL, NULL, ORR_INFER_METRIC_TPOT, false, false},
    {"tok/s/GPU", 'r', '1', NULL, NULL, ORR_INFER_METRIC_OUTPUT_TOKENS_PER_GPU, true, false},
    {"tok/s/user", 'r', '2', NULL, NULL, ORR_INFER_METRIC_OUTPUT_TOKENS_PER_USER, true, false},
    {"most", 'r', '4', NULL, most_cell, 0, false, false},
    {"memory", 'r', '3', NULL, NULL, ORR_INFER_METRIC_MEMORY_TOTAL, false, false},
    {"$/Mtok", 'r', '5', NULL, NULL, ORR_INFER_METRIC_COST_PER_MILLION, true, false},
    {"energy/tok", 'r', '6', NULL, NULL, ORR_INFER_METRIC_ENERGY_PER_TOKEN, false, true},
};

static const struct orr_plan_column *columns_of(enum orr_job_kind kind, size_t *n)
{
    _Static_assert(sizeof TRAIN / sizeof *TRAIN <= ORR_MAX_PLAN_COLUMNS, "columns");
    _Static_assert(sizeof INFER / sizeof *INFER <= ORR_MAX_PLAN_COLUMNS, "columns");
    *n = kind == ORR_JOB_TRAIN ? sizeof TRAIN / sizeof *TRAIN : sizeof INFER / sizeof *INFER;
    return kind == ORR_JOB_TRAIN ? TRAIN : INFER;
}

/* Is a column what the best plan has most or least of, or what a limit is about? */
static bool is_asked(const struct orr_search_request *request, const struct orr_plan_column *column)
{
    static const int TRAIN_METRICS[ORR_N_OBJECTIVES] = {
        ORR_TRAIN_METRIC_STEP_TIME, ORR_TRAIN_METRIC_TOKENS_PER_GPU, ORR_TRAIN_METRIC_COST_PER_BILLION,
        ORR_TRAIN_METRIC_ENERGY_PER_TOKEN, ORR_TRAIN_METRIC_MEMORY_TOTAL};
    static const int INFER_METRICS[ORR_N_OBJECTIVES] = {
        ORR_INFER_METRIC_LATENCY, ORR_INFER_METRIC_OUTPUT_TOKENS_PER_GPU, ORR_INFER_METRIC_COST_PER_MILLION,
        ORR_INFER_METRIC_ENERGY_PER_TOKEN, ORR_INFER_METRIC_MEMORY_TOTAL};
    const int *metrics = request->job.kind == ORR_JOB_TRAIN ? TRAIN_METRICS : INFER_METRICS;
    if (column->cell) return false;
    for (size_t i = 0; i < request->n_limits; i++)
        if (request->limits[i].metric == column->metric) return true;
    /* The rate of a GPU is a coordinate of the front; it makes room where cost or energy is the objective. */
    if (request->job.kind == ORR_JOB_INFER && column->metric == ORR_INFER_METRIC_OUTPUT_TOKENS_PER_GPU)
        return request->objective != ORR_OBJECTIVE_COST && request->objective != ORR_OBJECTIVE_ENERGY;
    return column->metric == metrics[request->objective];
}

static void fill_row(struct orr_search_view *view, const struct orr_found *found, struct orr_plan_table *table,
                     char **cells)
{
    orr_search_show(view, &found->choice);
    for (size_t i = 0; i < table->n_columns; i++) {
        struct orr_text text = {0};
        add_cell(&table->columns[i], view, &text);
        cells[i] = text.data ? orr_text_take(&text) : strdup("");
        const char *plain = table->columns[i].plain;
        const bool same = table->columns[i].cell == gpus_cell && view->request->space.gpus.n == 1;
        if (table->columns[i].rare && !table->asked[i]) continue;
        table->used[i] |= !same && (!plain || (cells[i] && strcmp(cells[i], plain) != 0));
    }
}

struct orr_plan_table orr_plan_table_of(struct orr_search_view *view, const struct orr_found *found, size_t n_found)
{
    struct orr_plan_table table = {.n_rows = n_found};
    table.columns = columns_of(view->request->job.kind, &table.n_columns);
    table.cells = calloc(n_found * table.n_columns + 1, sizeof *table.cells);
    for (size_t i = 0; i < table.n_columns; i++) table.asked[i] = is_asked(view->request, &table.columns[i]);
    for (size_t r = 0; r < n_found && table.cells; r++)
        fill_row(view, &found[r], &table, table.cells + r * table.n_columns);
    bool complete = table.cells != NULL;
    for (size_t i = 0; i < n_found * table.n_columns && complete; i++) complete = table.cells[i] != NULL;
    if (!complete) orr_plan_table_free(&table);
    return table;
}

void orr_plan_table_free(struct orr_plan_table *table)
{
    for (size_t i = 0; i < table->n_rows * table->n_columns && table->cells; i++) free(table->cells[i]);
    free(table->cells);
    table->cells = NULL;
}

/* ---------------------------------------------------------------- the request and one plan in words */

void orr_search_gpus(const struct orr_choices *gpus, struct orr_text *text)
{
    char count[32];
    for (int64_t i = 0; i < gpus->n; i++) {
        if (gpus->n > 4 && i > 1 && i + 1 < gpus->n) continue;
        const char *gap = i == 0 ? "" : gpus->n > 4 && i + 1 == gpus->n ? ", … " : ", ";
        orr_text_add(text, "%s%s", gap, orr_print_count(count, gpus->values[i]));
    }
}

void orr_search_limits_text(const struct orr_search_request *request, struct orr_text *text)
{
    char number[ORR_VALUE_TEXT];
    for (size_t i = 0; i < request->n_limits; i++) {
        const struct orr_limit *limit = &request->limits[i];
        const enum orr_metric_unit unit = orr_metric_info(request->job.kind, limit->metric)->unit;
        orr_text_add(text, "%s%s %s %s", i > 0 ? ", " : "", limit->key,
                     limit->at_most ? "<=" : ">=", orr_value_print(number, orr_value_real(unit, limit->value)));
    }
}

static void train_plan(const struct orr_job *job, struct orr_text *text)
{
    const struct orr_plan *plan = &job->plan;
    char overlap[ORR_OVERLAP_TEXT];
    if (plan->sp) orr_text_add(text, " · sequence parallel");
    orr_text_add(text, " · ZeRO-%lld", (long long)plan->zero);
    if (plan->pp > 1) orr_text_add(text, " · %s", orr_schedule_name(plan->schedule));
    if (plan->cp > 1) orr_text_add(text, " · %s", orr_cp_kind_name(plan->cp_kind));
    char recompute[ORR_RECOMPUTE_TEXT];
    orr_text_add(text, " · micro-batch %lld · recompute %s", (long long)job->workload.micro_batch,
                 orr_recompute_text(&job->workload, recompute));
    if (job->workload.recompute == ORR_RECOMPUTE_FULL && job->workload.recompute_every > 1)
        orr_text_add(text, " every %lld", (long long)job->workload.recompute_every);
    if (plan->exposed_groups) orr_text_add(text, " · overlap %s", orr_overlap_text(plan->exposed_groups, overlap));
}

static void infer_plan(const struct orr_search_view *view, struct orr_text *text)
{
    const struct orr_serving *serving = &view->job.serving;
    const struct orr_choice *c = view->choice;
    orr_text_add(text, " · batch %d · weights %s · cache %s", c->batch, orr_serving_format_name(&view->job),
                 orr_cache_name(serving->kv, serving->kv_format));
    if (c->disaggregated) orr_text_add(text, " · disaggregated");
    if (c->decode_gpus > 0)
        orr_text_add(text, " · decode on %d GPUs: tp %d · pp %d · ep %d · batch %d", c->decode_gpus, c->decode_tp,
                     c->decode_pp, c->decode_ep, c->decode_batch);
}

void orr_search_plan(const struct orr_search_view *view, struct orr_text *text)
{
    orr_text_add(text, "%d GPU%s · ", view->choice->gpus, view->choice->gpus == 1 ? "" : "s");
    orr_summary_degrees(&view->job.plan, text);
    if (view->job.kind == ORR_JOB_TRAIN) train_plan(&view->job, text);
    else infer_plan(view, text);
}
