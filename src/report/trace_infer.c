/* An inference request as a trace: the prompt, then the answer in groups of tokens, each by part of the latency. */
#include "base/number.h"
#include "report/record.h"
#include "report/trace.h"

#include <stdio.h>

#define GROUPS 16 /* at most, of decode steps */

/* Where the parts of the latency go, in the order they are drawn. */
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

/* What the request takes between two points of its answer; returns where it ends. */
static double add_group(struct orr_trace *trace, const char *name, double start_s, const double *before_s,
                        const double *after_s)
{
    double end_s = start_s;
    for (size_t i = 0; i < ORR_N_INFER_PARTS; i++) {
        const enum orr_infer_part part = PARTS[i].part;
        const double part_s = orr_max(0, after_s[part] - before_s[part]);
        orr_trace_span(trace, PARTS[i].track, PARTS[i].category, orr_infer_part_name(part), end_s, part_s);
        end_s += part_s;
    }
    orr_trace_span(trace, ORR_TRACK_PHASE, ORR_TRACE_PHASE, name, start_s, end_s - start_s);
    return end_s;
}

/* A request with a shorter answer is this one cut off there, so the difference of two is what lies between. */
void orr_infer_trace(const struct orr_infer_view *view, struct orr_text *text)
{
    static const double nothing_s[ORR_N_INFER_PARTS];
    const int64_t tokens = view->job->serving.output_len, further = tokens - 1;
    const int64_t groups = further < GROUPS ? further : GROUPS;
    struct orr_job job = *view->job;
    struct orr_infer_result results[2];
    struct orr_scratch *scratch = orr_scratch_new();
    struct orr_trace trace;
    char name[64];
    if (!scratch) {
        text->failed = true;
        return;
    }
    orr_trace_open(&trace, text, "infer", view->result->latency_s, orr_infer_request_json(view->job, false));
    snprintf(name, sizeof name, "request of %lld sequences", (long long)job.serving.batch);
    orr_trace_process(&trace, 0, name);
    job.serving.output_len = 1;
    orr_infer(&job, scratch, &results[0]);
    double end_s = add_group(&trace, "prefill, first token", 0, nothing_s, results[0].time_s);
    for (int64_t i = 0; i < groups; i++) {
        const int64_t first = 2 + further * i / groups, last = 1 + further * (i + 1) / groups;
        job.serving.output_len = last;
        orr_infer(&job, scratch, &results[(i + 1) % 2]);
        if (first == last) snprintf(name, sizeof name, "token %lld", (long long)last);
        else snprintf(name, sizeof name, "tokens %lld to %lld", (long long)first, (long long)last);
        end_s = add_group(&trace, name, end_s, results[i % 2].time_s, results[(i + 1) % 2].time_s);
    }
    orr_trace_close(&trace);
    orr_scratch_free(scratch);
}
