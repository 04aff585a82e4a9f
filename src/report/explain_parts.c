/* --explain: the operators behind a part of the step, the memory ledger, and the constants with their origin. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"
#include "report/constants.h"
#include "report/table.h"
#include "report/train.h"

#define N_OPERATORS   8
#define LEDGER_INDENT 14

/* ---------------------------------------------------------------- operators */

static void add_operator(const struct orr_view *view, const struct orr_style *style, const struct orr_alike *alike,
                         struct orr_text *text)
{
    const struct orr_op *op = &view->scratch->ops.items[alike->first];
    const struct orr_cost *cost = &view->scratch->costs[alike->first];
    struct orr_text head = {0};
    char one[32], all[32];
    orr_text_add(&head, "%s: %.0f × %s = %s, %s bound", op->name, alike->runs,
                 orr_print_s(one, orr_view_run_s(view, alike->first)), orr_print_s(all, alike->step_s),
                 orr_bound_name(cost->bound));
    orr_op_explain(style, head.data ? head.data : "", op, cost, view->clock_frac, text);
    text->failed |= head.failed;
    free(head.data);
}

void orr_explain_operators(const struct orr_view *view, const struct orr_style *style, enum orr_time_part part,
                           struct orr_text *text)
{
    struct orr_alike heaviest[N_OPERATORS];
    const size_t n = orr_view_heaviest(view, part, N_OPERATORS, heaviest);
    double sum_s = 0, listed_s = 0;
    for (size_t i = 0; i < view->scratch->ops.n; i++) sum_s += orr_view_part_s(view, i, part);
    for (size_t i = 0; i < n; i++) {
        listed_s += heaviest[i].step_s;
        add_operator(view, style, &heaviest[i], text);
    }
    char rest[32], sum[32];
    if (n == N_OPERATORS) orr_text_add(text, "    others: %s\n", orr_print_s(rest, fmax(0, sum_s - listed_s)));
    if (n > 1) orr_text_add(text, "    sum of the operators: %s\n", orr_print_s(sum, sum_s));
}

/* ---------------------------------------------------------------- memory ledger */

static void add_instants(const struct orr_memory *memory, const struct orr_style *style, struct orr_text *text)
{
    struct orr_table table;
    char bytes[32];
    orr_text_add(text, "\ninstants of stage %lld, the highest is the peak\n", (long long)memory->peak_stage);
    orr_table_start(&table, "frl");
    for (int64_t i = 0; i < memory->n_instants; i++)
        ORR_ROW(&table, i == memory->peak_instant ? ORR_PAINT_BOLD : ORR_PAINT_NONE, memory->instants[i].name,
                orr_print_bytes(bytes, memory->instants[i].bytes), i == memory->peak_instant ? "peak" : "");
    orr_table_print(&table, text, style);
}

static void add_tensor(const struct orr_tensor *tensor, const struct orr_style *style, struct orr_text *text)
{
    char label[64], bytes[32];
    struct orr_text line = {0};
    (void)snprintf(label, sizeof label, "%10s %s", orr_print_bytes(bytes, tensor->bytes), tensor->at_peak ? "*" : "");
    orr_text_add(&line, "%s", tensor->name);
    if (tensor->shape[0]) orr_text_add(&line, " · %s", tensor->shape);
    if (tensor->sharding[0]) orr_text_add(&line, " · divided by %s", tensor->sharding);
    orr_text_add(&line, " · alive: %s", tensor->lifetime);
    orr_text_wrap(text, &(struct orr_style){.width = orr_style_width(style)}, label, LEDGER_INDENT,
                  line.data ? line.data : "", " · ");
    text->failed |= line.failed;
    free(line.data);
}

/* Tensors by part, as the parts are listed in the report. */
void orr_explain_ledger(const struct orr_view *view, const struct orr_style *style, struct orr_text *text)
{
    const struct orr_memory *memory = &view->result->memory;
    orr_text_add(text, "\nledger of stage %lld; * alive at the peak\n", (long long)memory->peak_stage);
    for (int part = 0; part < ORR_N_MEMORY_PARTS; part++)
        for (int64_t i = 0; i < memory->n_tensors; i++)
            if ((int)memory->tensors[i].part == part) add_tensor(&memory->tensors[i], style, text);
    add_instants(memory, style, text);
}

/* ---------------------------------------------------------------- constants */

static void engine_rows(const struct orr_engine *engine, struct orr_table *table)
{
    orr_constant_plain(table, "tp_overlap_frac", engine->tp_overlap_frac, "of TP transfers, pipelined with GEMMs");
    orr_constant_plain(table, "dp_overlap_frac", engine->dp_overlap_frac, "of the backward window, for collectives");
    orr_constant_plain(table, "ep_overlap_frac", engine->ep_overlap_frac, "of the all-to-all, hidden");
    orr_constant_plain(table, "zero3_overlap_frac", engine->zero3_overlap_frac,
                       "of a layer's compute, for its gathers");
    orr_constant_s(table, "host_launch_s", engine->host_launch_s, "host time per kernel launch");
    orr_constant_s(table, "host_step_s", engine->host_step_s, "host time per iteration");
}

void orr_explain_constants(const struct orr_view *view, const struct orr_style *style, struct orr_text *text)
{
    const struct orr_job *job = view->job;
    struct orr_table table;
    orr_constants_calibration(style, job, view->scratch->ops.items, view->scratch->ops.n, text);
    orr_constants_hardware(style, &job->system, text);
    orr_table_start(&table, "lrf");
    engine_rows(&job->engine, &table);
    orr_constants_engine(style, &job->engine, &table, text);
}
