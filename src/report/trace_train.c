/* One training step as a trace: every pipeline rank with its compute, collectives and waits, micro-batches by name.
 *
 * The order comes from the event simulation of the schedule, with the sends a rank waits for in its tasks; every
 * duration is that of the prediction. A rank's waits are stretched so that it ends when the prediction says: the closed
 * form and the simulation agree for equal stages and differ a little for others. */
#include "base/number.h"
#include "report/record.h"
#include "report/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Streams of communication inside a task, and the groups that travel on each. */
static const struct {
    enum orr_track exposed, hidden;
    enum orr_group groups[2];
    const char *name;
} STREAMS[] = {
    {ORR_TRACK_TP, ORR_TRACK_TP_HIDDEN, {ORR_GROUP_TP, ORR_GROUP_NONE}, "TP"},
    {ORR_TRACK_CP, ORR_TRACK_CP_HIDDEN, {ORR_GROUP_CP, ORR_GROUP_NONE}, "CP"},
    {ORR_TRACK_EP, ORR_TRACK_EP_HIDDEN, {ORR_GROUP_EP, ORR_GROUP_ETP}, "EP"},
};
#define N_STREAMS (sizeof STREAMS / sizeof *STREAMS)

/* A rank of the trace: what its tasks are made of, one micro-batch and all chunks. */
struct rank {
    struct orr_layer_sum sum;
    struct orr_rank_time time;
    double send_s[2], send_hidden_s[2]; /* forward, backward */
};

/* What all ranks do after the pipeline. */
struct tail {
    double pipeline_s;                /* when it ends */
    double dp_exposed_s, dp_hidden_s; /* once per step */
};

/* ---------------------------------------------------------------- one task */

static double stream_s(const double *group_s, size_t stream)
{
    const enum orr_group *groups = STREAMS[stream].groups;
    return group_s[groups[0]] + (groups[1] != ORR_GROUP_NONE ? group_s[groups[1]] : 0);
}

/* Collectives of a phase, first those beside its compute, then those after it; returns where the phase ends. */
static double add_phase(struct orr_trace *trace, const struct orr_phase_sum *phase, double share, const char *label,
                        double start_s, double compute_s)
{
    char name[64];
    double end_s = start_s + compute_s;
    orr_trace_span(trace, ORR_TRACK_COMPUTE, ORR_TRACE_TIME, label, start_s, compute_s);
    for (size_t i = 0; i < N_STREAMS; i++) {
        const double exposed_s = share * stream_s(phase->exposed_s, i), hidden_s = share * stream_s(phase->hidden_s, i);
        snprintf(name, sizeof name, "%s %s", label, STREAMS[i].name);
        orr_trace_span(trace, STREAMS[i].hidden, ORR_TRACE_HIDDEN, name, start_s, hidden_s);
        orr_trace_span(trace, STREAMS[i].exposed, ORR_TRACE_TIME, name, end_s, exposed_s);
        end_s += exposed_s;
    }
    return end_s;
}

static double exposed_s(const struct orr_phase_sum *phase)
{
    double sum_s = 0;
    for (size_t i = 0; i < N_STREAMS; i++) sum_s += stream_s(phase->exposed_s, i);
    return sum_s;
}

/* "F 3", with chunks "F 3.0". */
static char *label_of(char label[32], const struct orr_plan *plan, const char *letter, const struct orr_span *span)
{
    if (plan->vpp > 1)
        snprintf(label, 32, "%s %lld.%lld", letter, (long long)span->micro_batch, (long long)span->chunk);
    else snprintf(label, 32, "%s %lld", letter, (long long)span->micro_batch);
    return label;
}

/* One span of the simulation from start_s on: forward; recomputation and backward; or a late weight gradient. What the
 * phases do not name is compute, so that a task takes as long as it does there. */
static void add_task(struct orr_trace *trace, const struct orr_plan *plan, const struct rank *rank,
                     const struct orr_span *span, double start_s)
{
    const double share = 1 / (double)plan->vpp, duration_s = span->end_s - span->start_s;
    const bool backward = span->name[0] == 'B';
    const struct orr_phase_sum *phase = backward ? &rank->sum.backward : &rank->sum.forward;
    const struct orr_phase_sum *again = &rank->sum.recompute;
    const double send_s = rank->send_s[backward] * share,
                 sharded_s = backward ? rank->time.sharded_exposed_s * share : 0;
    char label[32], name[64];
    label_of(label, plan, span->name, span);
    if (span->name[0] == 'W') {
        orr_trace_span(trace, ORR_TRACK_COMPUTE, ORR_TRACE_TIME, label, start_s, duration_s);
        return;
    }
    double at_s = start_s, rest_s = duration_s - send_s - sharded_s - share * exposed_s(phase);
    if (backward) {
        rest_s -= share * (again->compute_s + exposed_s(again));
        at_s = add_phase(trace, again, share, label_of(name, plan, "R", span), at_s, share * again->compute_s);
        snprintf(name, sizeof name, "%s DP", label);
        orr_trace_span(trace, ORR_TRACK_DP_HIDDEN, ORR_TRACE_HIDDEN, name, at_s, share * rank->time.sharded_hidden_s);
    }
    at_s = add_phase(trace, phase, share, label, at_s, rest_s);
    snprintf(name, sizeof name, "%s DP", label);
    orr_trace_span(trace, ORR_TRACK_DP, ORR_TRACE_TIME, name, at_s, sharded_s);
    snprintf(name, sizeof name, "%s send", label);
    orr_trace_span(trace, ORR_TRACK_PP, ORR_TRACE_TIME, name, at_s + sharded_s, send_s);
    orr_trace_span(trace, ORR_TRACK_PP_HIDDEN, ORR_TRACE_HIDDEN, name, start_s,
                   orr_min(duration_s, rank->send_hidden_s[backward] * share));
}

/* ---------------------------------------------------------------- one rank */

/* Gradient and weight collectives, optimizer and the host follow the pipeline on every rank. */
static void add_tail(struct orr_trace *trace, const struct orr_view *view, const struct tail *tail, double idle_s)
{
    const double *time_s = view->result->time_s;
    double at_s = tail->pipeline_s;
    orr_trace_span(trace, ORR_TRACK_COMPUTE, ORR_TRACE_WAIT, "wait", idle_s, tail->pipeline_s - idle_s);
    orr_trace_span(trace, ORR_TRACK_DP_HIDDEN, ORR_TRACE_HIDDEN, "gradients and weights",
                   orr_max(0, idle_s - tail->dp_hidden_s), tail->dp_hidden_s);
    orr_trace_span(trace, ORR_TRACK_DP, ORR_TRACE_TIME, "gradients and weights", at_s, tail->dp_exposed_s);
    at_s += tail->dp_exposed_s;
    orr_trace_span(trace, ORR_TRACK_COMPUTE, ORR_TRACE_TIME, "optimizer", at_s, time_s[ORR_TIME_OPTIMIZER]);
    at_s += time_s[ORR_TIME_OPTIMIZER];
    orr_trace_span(trace, ORR_TRACK_HOST, ORR_TRACE_TIME, "overhead", at_s, time_s[ORR_TIME_OVERHEAD]);
}

/* `spans`: all of them; those of this rank are in order. */
static void add_rank(struct orr_trace *trace, const struct orr_view *view, const struct rank *rank, int64_t number,
                     const struct orr_span *spans, size_t n_spans, const struct tail *tail)
{
    double busy_s = 0, simulated_s = 0, at_s = 0, simulated_at_s = 0;
    for (size_t i = 0; i < n_spans; i++) {
        simulated_s = orr_max(simulated_s, spans[i].end_s);
        if (spans[i].rank == number) busy_s += spans[i].end_s - spans[i].start_s;
    }
    const double waits_s = simulated_s - busy_s, stretch = waits_s > 0 ? (tail->pipeline_s - busy_s) / waits_s : 1;
    for (size_t i = 0; i < n_spans; i++) {
        if (spans[i].rank != number) continue;
        const double wait_s = orr_max(0, stretch * (spans[i].start_s - simulated_at_s));
        orr_trace_span(trace, ORR_TRACK_COMPUTE, ORR_TRACE_WAIT, "wait", at_s, wait_s);
        at_s += wait_s;
        add_task(trace, &view->job->plan, rank, &spans[i], at_s);
        at_s += spans[i].end_s - spans[i].start_s;
        simulated_at_s = spans[i].end_s;
    }
    add_tail(trace, view, tail, at_s);
}

/* ---------------------------------------------------------------- the step */

static struct rank rank_of(const struct orr_view *view, size_t class)
{
    const struct orr_scratch *scratch = view->scratch;
    const struct orr_step_sums *step = &scratch->sums.step;
    const bool sends = view->job->plan.pp > 1, overlap = orr_sends_overlap(view->job);
    struct rank rank = {.sum = orr_rank_sum_of(view->job, &scratch->classes.items[class].stage, &scratch->sums),
                        .time = scratch->ranks[class]};
    const double all_s[2] = {step->send_s * (double)view->job->plan.vpp,
                             step->send_backward_s * (double)view->job->plan.vpp};
    for (int i = 0; sends && i < 2; i++) (overlap ? rank.send_hidden_s : rank.send_s)[i] = all_s[i];
    rank.time.forward_s += rank.send_s[0];
    rank.time.backward_s += rank.send_s[1];
    return rank;
}

static struct tail tail_of(const struct orr_view *view)
{
    const struct orr_result *r = view->result;
    const struct orr_rank_time *rank = orr_view_rank_time(view);
    const double m = (double)r->n_micro_batches;
    struct tail tail = {.pipeline_s = r->step_time_s, .dp_hidden_s = r->hidden_s[ORR_GROUP_DP]};
    const struct orr_layer_sum *sum = &view->sum;
    tail.dp_exposed_s = orr_max(0, r->time_s[ORR_TIME_DP_EXPOSED] - m * rank->sharded_exposed_s);
    tail.dp_hidden_s -= m * (rank->sharded_hidden_s + sum->forward.hidden_s[ORR_GROUP_DP] +
                             sum->recompute.hidden_s[ORR_GROUP_DP] + sum->backward.hidden_s[ORR_GROUP_DP]);
    tail.pipeline_s -= tail.dp_exposed_s + r->time_s[ORR_TIME_OPTIMIZER] + r->time_s[ORR_TIME_OVERHEAD];
    return tail;
}

/* Spans of the schedule with these ranks; false: out of memory. */
static bool simulate(const struct orr_view *view, const struct rank *classes, struct orr_span **spans, size_t *n_spans)
{
    const struct orr_plan *plan = &view->job->plan;
    struct orr_rank_time ranks[ORR_MAX_STAGES];
    for (int64_t i = 0; i < plan->pp; i++) ranks[i] = classes[view->scratch->classes.of_rank[i]].time;
    const size_t n = (size_t)(3 * plan->pp * plan->vpp * view->result->n_micro_batches);
    *spans = malloc(n * sizeof **spans);
    *n_spans = *spans ? orr_pipeline_spans(plan, ranks, view->result->n_micro_batches, *spans, n) : 0;
    return *n_spans > 0;
}

static void process_name(const struct orr_view *view, int64_t number, char name[64])
{
    const bool critical = view->scratch->classes.of_rank[number] == view->class;
    snprintf(name, 64, "pipeline rank %lld%s", (long long)number, critical ? ", sets the pace" : "");
}

void orr_train_trace(const struct orr_view *view, struct orr_text *text)
{
    const size_t n_classes = view->scratch->classes.n;
    struct rank *classes = malloc(n_classes * sizeof *classes);
    struct orr_span *spans = NULL;
    size_t n_spans = 0;
    char name[64];
    for (size_t i = 0; classes && i < n_classes; i++) classes[i] = rank_of(view, i);
    if (!classes || !simulate(view, classes, &spans, &n_spans)) {
        text->failed = true;
    } else {
        struct orr_trace trace;
        const struct tail tail = tail_of(view);
        orr_trace_open(&trace, text, "train", view->result->step_time_s, orr_train_request_json(view->job));
        for (int64_t i = 0; i < view->job->plan.pp; i++) {
            process_name(view, i, name);
            orr_trace_process(&trace, i, name);
            add_rank(&trace, view, &classes[view->scratch->classes.of_rank[i]], i, spans, n_spans, &tail);
        }
        orr_trace_close(&trace);
    }
    free(classes);
    free(spans);
}
