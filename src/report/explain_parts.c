/* --explain: the operators behind a part of the step, the memory ledger, and the constants with their origin. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"
#include "report/metrics.h"
#include "report/table.h"
#include "report/train.h"

#define N_OPERATORS     8
#define OPERATOR_INDENT 6
#define LEDGER_INDENT   14

/* ---------------------------------------------------------------- operators */

/* What the cost model chose for the operator: tile of a GEMM, algorithm of a collective. */
static void add_choice(const struct orr_op *op, const struct orr_cost *cost, struct orr_text *line)
{
    switch (op->kind) {
    case ORR_OP_GEMM:
    case ORR_OP_BMM:
    case ORR_OP_GROUPED:
        orr_text_add(line, ", %s, tile %lld×%lld", orr_dtype_name(op->dtype), (long long)cost->tile_m,
                     (long long)cost->tile_n);
        if (cost->split_k > 1) orr_text_add(line, " split %lld", (long long)cost->split_k);
        return;
    case ORR_OP_FLASH:
    case ORR_OP_FLASH_BACKWARD:
        orr_text_add(line, ", %s%s", orr_dtype_name(op->dtype), op->causal ? ", causal" : "");
        return;
    case ORR_OP_POINTWISE: orr_text_add(line, ", %.0f launch%s", op->launches, op->launches > 1 ? "es" : ""); return;
    case ORR_OP_COLLECTIVE:
        orr_text_add(line, " over %s, %s", orr_group_name(op->group), orr_algorithm_name(cost->algorithm));
        return;
    case ORR_N_OP_KINDS: break;
    }
}

static void add_seconds(struct orr_text *line, const char *name, double seconds)
{
    char buffer[32];
    if (seconds > 0) orr_text_add(line, ", %s %s", name, orr_print_s(buffer, seconds));
}

/* What one run is made of: shape, choice, work, and the seconds of each resource. */
static void add_make_up(const struct orr_view *view, size_t i, struct orr_text *line)
{
    const struct orr_op *op = &view->scratch->ops.items[i];
    const struct orr_cost *cost = &view->scratch->costs[i];
    char shape[ORR_SHAPE_TEXT], buffer[32];
    orr_text_add(line, "%s", orr_op_shape(shape, op));
    add_choice(op, cost, line);
    if (op->flops > 0) orr_text_add(line, ", %s", orr_print_si(buffer, op->flops, "FLOP"));
    if (op->kind != ORR_OP_POINTWISE && cost->dram_bytes > 0)
        orr_text_add(line, ", DRAM %s", orr_print_bytes(buffer, cost->dram_bytes));
    if (cost->l2_s > 0) orr_text_add(line, ", L2 %s", orr_print_bytes(buffer, cost->l2_bytes));
    add_seconds(line, "compute", cost->matrix_frac > 0 ? cost->compute_s / view->clock_frac : cost->compute_s);
    add_seconds(line, "l2", cost->l2_s);
    add_seconds(line, "dram", cost->dram_s);
    add_seconds(line, "network", cost->network_s);
    add_seconds(line, "launch", cost->launch_s);
    add_seconds(line, "hidden", cost->hidden_s);
}

static void add_operator(const struct orr_view *view, const struct orr_style *style, const struct orr_alike *alike,
                         struct orr_text *text)
{
    struct orr_text line = {0};
    char one[32], all[32];
    orr_text_add(&line, "%s: %.0f × %s = %s, %s bound", view->scratch->ops.items[alike->first].name, alike->runs,
                 orr_print_s(one, orr_view_run_s(view, alike->first)), orr_print_s(all, alike->step_s),
                 orr_bound_name(view->scratch->costs[alike->first].bound));
    orr_text_wrap(text, style, "", OPERATOR_INDENT - 2, line.data ? line.data : "", " ");
    line.length = 0;
    add_make_up(view, alike->first, &line);
    orr_text_wrap(text, style, "", OPERATOR_INDENT, line.data ? line.data : "", ", ");
    text->failed |= line.failed;
    free(line.data);
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

static void constant_row(struct orr_table *table, const char *name, const char *value, const char *meaning)
{
    ORR_ROW(table, ORR_PAINT_NONE, name, value, meaning);
}

static void plain_row(struct orr_table *table, const char *name, double number, const char *meaning)
{
    char buffer[32];
    (void)snprintf(buffer, sizeof buffer, "%.4g", number);
    constant_row(table, name, buffer, meaning);
}

static void gemm_rows(const struct orr_job *job, struct orr_table *table)
{
    const struct orr_gemm_constants *u = &job->calibration.gemm[job->workload.precision];
    char buffer[32];
    plain_row(table, "burst_frac", u->burst_frac, "share of peak before the power limit");
    plain_row(table, "sustained_frac", u->sustained_frac, "share of peak in an endless load");
    plain_row(table, "power_slope", u->power_slope, "gain per share not in matrix kernels");
    plain_row(table, "dram_frac", u->dram_frac, "share of DRAM bandwidth, GEMM");
    constant_row(table, "dram_ramp_bytes", orr_print_bytes(buffer, u->dram_ramp_bytes), "Q_0 of Eq. 38");
    plain_row(table, "tile_cost", u->tile_cost, "share lost per 1/tile side");
    constant_row(table, "wave_s", orr_print_s(buffer, u->wave_s), "prologue and epilogue of a wave");
    constant_row(table, "launch_s", orr_print_s(buffer, u->launch_s), "fixed time of a kernel");
}

static void attention_rows(const struct orr_job *job, struct orr_table *table)
{
    const struct orr_attention_constants *u = &job->calibration.attention[job->workload.attention];
    if (job->workload.attention == ORR_ATTENTION_UNFUSED) return;
    plain_row(table, "forward_frac", u->forward_frac, "fused attention, share of peak");
    plain_row(table, "forward_half_seq", u->forward_half_seq, "keys at which half of it is reached");
    plain_row(table, "backward_frac", u->backward_frac, "fused attention, backward");
    plain_row(table, "backward_half_seq", u->backward_half_seq, "keys at which half of it is reached");
}

/* Classes of memory-bound kernels that the job runs. */
static void pointwise_rows(const struct orr_view *view, struct orr_table *table)
{
    bool used[ORR_N_POINTWISES] = {false};
    for (size_t i = 0; i < view->scratch->ops.n; i++)
        if (view->scratch->ops.items[i].kind == ORR_OP_POINTWISE) used[view->scratch->ops.items[i].pointwise] = true;
    for (int i = 0; i < ORR_N_POINTWISES; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "pointwise_frac.%s", orr_pointwise_name((enum orr_pointwise)i));
        if (used[i]) plain_row(table, name, view->job->calibration.pointwise_frac[i], "share of DRAM bandwidth");
    }
}

static void network_rows(const struct orr_job *job, struct orr_table *table)
{
    const struct orr_system *system = &job->system;
    char buffer[32];
    constant_row(table, "scaleup_bytes_per_s", orr_print_rate(buffer, system->scaleup_bytes_per_s),
                 "one direction of a GPU");
    constant_row(table, "scaleout_bytes_per_s", orr_print_rate(buffer, system->scaleout_bytes_per_s),
                 "one direction of a GPU");
    plain_row(table, "scaleout_efficiency_frac", system->scaleout_efficiency_frac, "sustained share of it");
    constant_row(table, "scaleout_latency_s", orr_print_s(buffer, system->scaleout_latency_s), "one hop");
}

static void engine_rows(const struct orr_job *job, struct orr_table *table)
{
    const struct orr_engine *engine = &job->engine;
    char buffer[32];
    plain_row(table, "tp_overlap_frac", engine->tp_overlap_frac, "of TP transfers, pipelined with GEMMs");
    plain_row(table, "dp_overlap_frac", engine->dp_overlap_frac, "of the backward window, for collectives");
    plain_row(table, "ep_overlap_frac", engine->ep_overlap_frac, "of the all-to-all, hidden");
    plain_row(table, "zero3_overlap_frac", engine->zero3_overlap_frac, "of a layer's compute, for its gathers");
    constant_row(table, "host_launch_s", orr_print_s(buffer, engine->host_launch_s), "host time per kernel launch");
    constant_row(table, "host_step_s", orr_print_s(buffer, engine->host_step_s), "host time per iteration");
}

static void add_table(const struct orr_style *style, const char *title, struct orr_table *table, struct orr_text *text)
{
    orr_text_wrap(text, style, "", 0, title, " ");
    orr_table_print(table, text, style);
}

void orr_explain_constants(const struct orr_view *view, const struct orr_style *style, struct orr_text *text)
{
    const struct orr_job *job = view->job;
    const struct orr_calibration *calibration = &job->calibration;
    struct orr_table table;
    char title[ORR_VALUE_TEXT], buffer[32];
    (void)snprintf(title, sizeof title, "constants: calibration %s, %s", calibration->id,
                   calibration->calibrated ? "fitted to this chip's kernels"
                                           : "family values, not fitted to this chip (datasheet)");
    orr_text_add(text, "\n");
    orr_table_start(&table, "lrf");
    gemm_rows(job, &table);
    attention_rows(job, &table);
    pointwise_rows(view, &table);
    constant_row(&table, "pointwise_launch_s", orr_print_s(buffer, calibration->pointwise_launch_s),
                 "fixed time of a pointwise kernel");
    plain_row(&table, "overlap_contention_frac", calibration->overlap_contention_frac,
              "compute lost per hidden second (Eq. 65)");
    plain_row(&table, "straggle_frac_per_doubling", calibration->straggle_frac_per_doubling,
              "step time per doubling of GPUs");
    add_table(style, title, &table, text);
    (void)snprintf(title, sizeof title, "hardware facts: system %s, chip %s", job->system.id, job->system.chip.id);
    orr_table_start(&table, "lrf");
    network_rows(job, &table);
    add_table(style, title, &table, text);
    (void)snprintf(title, sizeof title, "software facts: engine %s", job->engine.id);
    orr_table_start(&table, "lrf");
    engine_rows(job, &table);
    add_table(style, title, &table, text);
}
