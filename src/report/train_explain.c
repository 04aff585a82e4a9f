/* --explain of a training step shows every line of the report as formula = values put in = result [source], the
 * operators behind the parts of the step, and the memory ledger. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"
#include "report/answer.h"
#include "report/formula.h"
#include "report/table.h"

#define LEDGER_INDENT 14

/* ---------------------------------------------------------------- pipeline bubble */

/* Returns what one other rank adds to fill and drain: the second terms of Eqs. 67-71, and Eqs. 137-140. */
static const char *bubble_formula(enum orr_schedule schedule, const char **source)
{
    switch (schedule) {
    case ORR_SCHEDULE_GPIPE: *source = "Eqs. 67, 73"; return "(F + B)";
    case ORR_SCHEDULE_1F1B: *source = "Eqs. 68, 73"; return "(F + B)";
    case ORR_SCHEDULE_INTERLEAVED: *source = "Eqs. 69, 73"; return "(F + B) / vpp";
    case ORR_SCHEDULE_ZB_H1: *source = "Eqs. 70, 73"; return "max(0, F + B - 2 · W)";
    case ORR_SCHEDULE_ZB_H2: *source = "Eqs. 71, 73"; return "max(0, F + B - 3 · W)";
    case ORR_SCHEDULE_ZB_V: *source = "Eqs. 137, 73"; return "max(0, max(F, B - W) - W)";
    case ORR_SCHEDULE_V_HALF: *source = "Eqs. 138, 73"; return "max(0, F + B + 2 · max(F, B - W) - 2 · W) / 2";
    case ORR_SCHEDULE_DUALPIPE: *source = "Eqs. 139, 73"; return "(pp / 2 - 1) / (pp - 1) · max(0, F + 2 · B - 3 · W)";
    case ORR_SCHEDULE_DUALPIPE_V: *source = "Eqs. 140, 73"; return "max(0, F + 2 · B - 3 · W) / 2";
    case ORR_N_SCHEDULES: break;
    }
    *source = "";
    return "";
}

static void add_bubble(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text)
{
    const struct orr_metric_info *info = orr_metric_info(ORR_JOB_TRAIN, ORR_TRAIN_METRIC_TIME_BUBBLE);
    const int64_t others = answer->job->plan.pp - 1;
    if (others == 0) {
        orr_add_steps(style, info->key, (const char *const[]){"no other rank", "0 s"}, 2, info->source, text);
        return;
    }
    const char *source;
    const char *const share = bubble_formula(answer->job->plan.schedule, &source);
    char formula[128], values[128], result[ORR_VALUE_TEXT], mean[32];
    const struct orr_value bubble = orr_metric_value(answer, ORR_TRAIN_METRIC_TIME_BUBBLE);
    (void)snprintf(formula, sizeof formula, "Σ over the %lld other ranks of %s", (long long)others, share);
    (void)snprintf(values, sizeof values, "%lld · %s on average", (long long)others,
                   orr_print_s(mean, bubble.number / (double)others));
    const char *const steps[] = {formula, values, orr_value_print(result, bubble)};
    orr_add_steps(style, info->key, steps, 3, source, text);
    const struct orr_train_facts *rank = &answer->facts;
    char forward[32], backward[32], wgrad[32];
    orr_text_add(text, "  critical rank: F %s, B %s, W %s\n", orr_print_s(forward, rank->forward_s),
                 orr_print_s(backward, rank->backward_s), orr_print_s(wgrad, rank->wgrad_s));
}

/* ---------------------------------------------------------------- host */

/* Says what the host needs beside the device, where an engine has host time at all (Eqs. 126-128). */
static void add_host(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text)
{
    const struct orr_train_facts *facts = &answer->facts;
    char forward[32], backward[32], wait[32], once[32], kernels[32];
    struct orr_text line = {0};
    if (facts->host_forward_s + facts->host_backward_s + facts->host_once_s <= 0) return;
    orr_text_add(&line,
                 "critical rank: %s kernels a step; the host needs %s for a forward and %s for a backward pass of "
                 "a micro-batch; the GPU waits %s for launches; host once per step %s",
                 orr_print_count(kernels, llround(facts->launches)), orr_print_s(forward, facts->host_forward_s),
                 orr_print_s(backward, facts->host_backward_s), orr_print_s(wait, facts->host_wait_s),
                 orr_print_s(once, facts->host_once_s));
    orr_text_wrap_line(text, style, "", 2, &line, " ");
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
    orr_text_drop(text, &line);
}

/* Lists tensors by part, in the order of the parts in the report. */
static void add_ledger(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text)
{
    const struct orr_memory *memory = &answer->train.memory;
    orr_text_add(text, "\nledger of stage %lld; * alive at the peak\n", (long long)memory->peak_stage);
    for (int part = 0; part < ORR_N_MEMORY_PARTS; part++)
        for (int64_t i = 0; i < memory->n_tensors; i++)
            if ((int)memory->tensors[i].part == part) add_tensor(&memory->tensors[i], style, text);
    add_instants(memory, style, text);
}

/* ---------------------------------------------------------------- the whole explanation */

static void add_time_parts(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text)
{
    char where[96];
    (void)snprintf(where, sizeof where, "time parts, with the operators of pipeline rank %lld",
                   (long long)answer->facts.rank);
    orr_text_section(text, style, where);
    for (int part = 0; part < ORR_N_TIME_PARTS; part++) {
        const int metric = (int)ORR_TRAIN_METRIC_TIME_FORWARD + part;
        if (part == ORR_TIME_PP_BUBBLE) add_bubble(answer, style, text);
        else orr_explain_metrics(answer, style, metric, metric, text);
        if (part == ORR_TIME_OVERHEAD) add_host(answer, style, text);
        orr_explain_rows(answer, style, part, text);
    }
}

void orr_train_explain(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text)
{
    orr_explain_metrics(answer, style, ORR_TRAIN_METRIC_STEP_TIME, ORR_TRAIN_METRIC_SHARE_HOST, text);
    add_time_parts(answer, style, text);
    orr_text_section(text, style, "communication hidden beside compute");
    const size_t before = text->length;
    orr_explain_metrics(answer, style, ORR_TRAIN_METRIC_HIDDEN_TP, ORR_TRAIN_METRIC_HIDDEN_RDP, text);
    if (text->length == before) orr_text_add(text, "none\n");
    orr_text_section(text, style, "memory of a GPU");
    orr_explain_metrics(answer, style, ORR_TRAIN_METRIC_MEMORY_WEIGHTS, ORR_TRAIN_METRIC_IN_FLIGHT, text);
    add_ledger(answer, style, text);
    orr_text_section(text, style, "energy and cost");
    orr_explain_metrics(answer, style, ORR_TRAIN_METRIC_ENERGY, ORR_TRAIN_METRIC_COST_PER_BILLION, text);
    orr_text_section(text, style, "sizes and sustained rate");
    orr_explain_metrics(answer, style, ORR_TRAIN_METRIC_PARAMS_TOTAL, ORR_TRAIN_METRIC_MATRIX, text);
    orr_explain_rate(answer, style, text);
}
