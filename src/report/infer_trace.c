/* This file writes an inference request as a trace: the prompt, then groups of tokens, by part of the latency. */
#include "cost/cost.h"
#include "ops/serve.h"
#include "report/record.h"
#include "report/trace.h"
#include "spec/job.h"

#include <stdio.h>

#define GROUPS 16 /* most groups of decode steps */

/* This table gives the track of each part of the latency, in drawing order. */
static const struct {
    enum orr_infer_part part;
    enum orr_track track;
    const char *category;
} PARTS[] = {
    {ORR_INFER_OVERHEAD, ORR_TRACK_HOST, ORR_TRACE_TIME},
    {ORR_INFER_DRAFT, ORR_TRACK_COMPUTE, ORR_TRACE_TIME},
    {ORR_INFER_PREFILL_GEMM, ORR_TRACK_COMPUTE, ORR_TRACE_TIME},
    {ORR_INFER_PREFILL_ATTENTION, ORR_TRACK_COMPUTE, ORR_TRACE_TIME},
    {ORR_INFER_PREFILL_POINTWISE, ORR_TRACK_COMPUTE, ORR_TRACE_TIME},
    {ORR_INFER_PREFILL_NETWORK, ORR_TRACK_NETWORK, ORR_TRACE_TIME},
    {ORR_INFER_KV_TRANSFER, ORR_TRACK_NETWORK, ORR_TRACE_TIME},
    {ORR_INFER_DECODE_GEMM, ORR_TRACK_COMPUTE, ORR_TRACE_TIME},
    {ORR_INFER_DECODE_ATTENTION, ORR_TRACK_COMPUTE, ORR_TRACE_TIME},
    {ORR_INFER_DECODE_POINTWISE, ORR_TRACK_COMPUTE, ORR_TRACE_TIME},
    {ORR_INFER_DECODE_NETWORK, ORR_TRACK_NETWORK, ORR_TRACE_TIME},
    {ORR_INFER_PIPELINE, ORR_TRACK_COMPUTE, ORR_TRACE_WAIT},
};
_Static_assert(sizeof PARTS / sizeof *PARTS == ORR_N_INFER_PARTS, "every part has its place");

/* Adds the parts of a group of tokens one after another; returns where the group ends. */
static double add_group(struct orr_trace *trace, const char *name, double start_s,
                        const double part_s[ORR_N_INFER_PARTS])
{
    double end_s = start_s;
    for (size_t i = 0; i < ORR_N_INFER_PARTS; i++) {
        const enum orr_infer_part part = PARTS[i].part;
        orr_trace_span(trace, PARTS[i].track, PARTS[i].category, orr_infer_part_name(part), end_s, part_s[part]);
        end_s += part_s[part];
    }
    orr_trace_span(trace, ORR_TRACK_PHASE, ORR_TRACE_PHASE, name, start_s, end_s - start_s);
    return end_s;
}

/* Returns the share of a row's executions that make the tokens `first` to `last`. Every token takes equally long,
 * except for attention, which grows with the context (Eq. 91). Token 2 reads a context of input_len + 1. */
static double share_of(const struct orr_answer *answer, const struct orr_time_row *row, int64_t first, int64_t last)
{
    const struct orr_serving *serving = &answer->job->serving;
    const int64_t context = orr_prompt_len(answer->job) - 1;
    const struct orr_op *op = row->op >= 0 ? &answer->ops[row->op] : NULL;
    if (!op || op->kind != ORR_OP_DECODE) return (double)(last - first + 1) / (double)(serving->output_len - 1);
    const struct orr_layer_kind *kind = &answer->job->model.kinds[op->layer_kind];
    struct orr_decode_curve curve = orr_decode_curve_of(answer->job, op, orr_decode_key_limit(kind, op));
    curve.chunked = kind->chunked;
    return orr_ratio(orr_decode_curve_sum_s(&curve, context + first, context + last),
                     orr_decode_curve_sum_s(&curve, context + 2, context + serving->output_len));
}

static double add_tokens(struct orr_trace *trace, const struct orr_answer *answer, double start_s, int64_t first,
                         int64_t last)
{
    double part_s[ORR_N_INFER_PARTS] = {0};
    char name[64];
    for (size_t i = 0; i < answer->n_rows; i++) {
        const struct orr_time_row *row = &answer->rows[i];
        if (row->phase == ORR_PHASE_DECODE) part_s[row->part] += row->exposed_s * share_of(answer, row, first, last);
    }
    if (first == last) snprintf(name, sizeof name, "token %lld", (long long)last);
    else snprintf(name, sizeof name, "tokens %lld to %lld", (long long)first, (long long)last);
    return add_group(trace, name, start_s, part_s);
}

void orr_infer_trace(const struct orr_answer *answer, struct orr_text *text)
{
    const int64_t further = answer->job->serving.output_len - 1, groups = further < GROUPS ? further : GROUPS;
    double part_s[ORR_N_INFER_PARTS] = {0};
    struct orr_trace trace;
    char name[64];
    orr_trace_open(&trace, text, "infer", answer->infer.latency_s, orr_request_json(answer->job, false));
    snprintf(name, sizeof name, "request of %lld sequences", (long long)answer->job->serving.batch);
    orr_trace_process(&trace, 0, name);
    for (size_t i = 0; i < answer->n_rows; i++)
        if (answer->rows[i].phase != ORR_PHASE_DECODE) part_s[answer->rows[i].part] += answer->rows[i].exposed_s;
    double end_s = add_group(&trace, "prefill, first token", 0, part_s);
    for (int64_t i = 0; i < groups; i++)
        end_s = add_tokens(&trace, answer, end_s, 2 + further * i / groups, 1 + further * (i + 1) / groups);
    orr_trace_close(&trace);
}
