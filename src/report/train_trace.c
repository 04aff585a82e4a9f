/* One training step as a trace: every pipeline rank with its compute, collectives and waits, micro-batches by name.
 *
 * The order comes from the event simulation of the schedule, with the sends a rank waits for in its tasks; every
 * duration is that of the ledger. A rank's waits are stretched so that it ends when the prediction says: the closed
 * form and the simulation agree for equal stages and differ a little for others. */
#include "base/number.h"
#include "predict/scratch.h"
#include "report/record.h"
#include "report/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* These are the streams of communication inside a task. */
enum stream { STREAM_TP, STREAM_CP, STREAM_EP, N_STREAMS };
static const struct {
    enum orr_track exposed, hidden;
    const char *name;
} STREAMS[N_STREAMS] = {
    [STREAM_TP] = {ORR_TRACK_TP, ORR_TRACK_TP_HIDDEN, "TP"},
    [STREAM_CP] = {ORR_TRACK_CP, ORR_TRACK_CP_HIDDEN, "CP"},
    [STREAM_EP] = {ORR_TRACK_EP, ORR_TRACK_EP_HIDDEN, "EP"},
};

/* This is a phase of one micro-batch. */
struct phase {
    double compute_s, exposed_s[N_STREAMS], hidden_s[N_STREAMS];
};

/* A rank of the trace has what its tasks are made of, for one micro-batch and all chunks. */
struct rank {
    struct phase forward, again, backward;
    double sharded_s, sharded_hidden_s; /* with ZeRO-3, the time seen in backward */
    struct orr_rank_time time;          /* includes the sends it waits for */
    double send_s[2], send_hidden_s[2]; /* forward and backward */
};

/* The tail is what all ranks do after the pipeline. */
struct tail {
    double pipeline_s;                /* time at which the pipeline ends */
    double dp_exposed_s, dp_hidden_s; /* once per step */
};

/* ---------------------------------------------------------------- from the ledger */

static enum stream stream_of(enum orr_group group)
{
    switch (group) {
    case ORR_GROUP_TP: return STREAM_TP;
    case ORR_GROUP_CP: return STREAM_CP;
    case ORR_GROUP_EP:
    case ORR_GROUP_ETP: return STREAM_EP;
    case ORR_GROUP_NONE:
    case ORR_GROUP_PP:
    case ORR_GROUP_DP:
    case ORR_GROUP_EDP:
    case ORR_GROUP_RDP:
    case ORR_GROUP_HOST:
    case ORR_N_GROUPS: break;
    }
    return N_STREAMS;
}

/* `share` is that of a micro-batch in the executions of the step. */
static void add_row(struct rank *rank, const struct orr_time_row *row, double share)
{
    const bool backward = row->phase == ORR_PHASE_BACKWARD, again = row->part == (int)ORR_TIME_RECOMPUTE;
    struct phase *phase = again ? &rank->again : backward ? &rank->backward : &rank->forward;
    const enum stream stream = stream_of(row->group);
    if (row->phase == ORR_PHASE_STEP) return;
    if (row->group == ORR_GROUP_NONE) {
        phase->compute_s += share * row->exposed_s;
    } else if (stream < N_STREAMS) {
        phase->exposed_s[stream] += share * row->exposed_s;
        phase->hidden_s[stream] += share * row->hidden_s;
    } else if (row->part == (int)ORR_TIME_DP_EXPOSED) {
        rank->sharded_s += share * row->exposed_s;
        rank->sharded_hidden_s += share * row->hidden_s;
    }
}

/* Adds the activations and gradients that a task sends, for every chunk. */
static void add_send(const struct orr_job *job, struct rank *rank, const struct orr_time_row *row, double send_pairs)
{
    const bool backward = row->phase == ORR_PHASE_BACKWARD;
    const double send_s = row->exposed_s / send_pairs * (double)job->plan.vpp;
    (orr_sends_overlap(job) ? rank->send_hidden_s : rank->send_s)[backward] += send_s;
    if (!orr_sends_overlap(job)) *(backward ? &rank->time.backward_s : &rank->time.forward_s) += send_s;
}

static struct rank rank_of(const struct orr_answer *answer, size_t class, struct orr_time_row *rows)
{
    const struct orr_scratch *scratch = answer->scratch;
    struct orr_ledger ledger = {.job = answer->job, .rows = rows};
    struct rank rank = {.time = scratch->ranks[class]};
    orr_train_ledger(answer->job, scratch, class, &ledger);
    for (size_t i = 0; i < ledger.n_rows; i++) {
        if (rows[i].part == (int)ORR_TIME_PP_EXPOSED) add_send(answer->job, &rank, &rows[i], answer->facts.send_pairs);
        else add_row(&rank, &rows[i], 1 / (double)answer->train.n_micro_batches);
    }
    return rank;
}

/* The pipeline holds everything except the optimizer, the host and the collectives after it. */
static struct tail tail_of(const struct orr_answer *answer)
{
    struct tail tail = {0};
    for (size_t i = 0; i < answer->n_rows; i++) {
        const struct orr_time_row *row = &answer->rows[i];
        if (row->part == (int)ORR_TIME_OPTIMIZER || row->part == (int)ORR_TIME_OVERHEAD) continue;
        if (row->part == (int)ORR_TIME_DP_EXPOSED && row->phase == ORR_PHASE_STEP) {
            tail.dp_exposed_s += row->exposed_s;
            tail.dp_hidden_s += row->hidden_s;
        } else {
            tail.pipeline_s += row->exposed_s;
        }
    }
    return tail;
}

/* ---------------------------------------------------------------- one task */

/* Adds the collectives of a phase, those beside its compute first, then those after it; returns the phase's end. */
static double add_phase(struct orr_trace *trace, const struct phase *phase, double share, const char *label,
                        double start_s, double compute_s)
{
    char name[64];
    double end_s = start_s + compute_s;
    orr_trace_span(trace, ORR_TRACK_COMPUTE, ORR_TRACE_TIME, label, start_s, compute_s);
    for (size_t i = 0; i < N_STREAMS; i++) {
        const double exposed_s = share * phase->exposed_s[i], hidden_s = share * phase->hidden_s[i];
        snprintf(name, sizeof name, "%s %s", label, STREAMS[i].name);
        orr_trace_span(trace, STREAMS[i].hidden, ORR_TRACE_HIDDEN, name, start_s, hidden_s);
        orr_trace_span(trace, STREAMS[i].exposed, ORR_TRACE_TIME, name, end_s, exposed_s);
        end_s += exposed_s;
    }
    return end_s;
}

static double exposed_s(const struct phase *phase)
{
    double sum_s = 0;
    for (size_t i = 0; i < N_STREAMS; i++) sum_s += phase->exposed_s[i];
    return sum_s;
}

/* Writes "F 3" or, with chunks, "F 3.0". */
static char *label_of(char label[32], const struct orr_plan *plan, const char *letter, const struct orr_span *span)
{
    if (plan->vpp > 1)
        snprintf(label, 32, "%s %lld.%lld", letter, (long long)span->micro_batch, (long long)span->chunk);
    else snprintf(label, 32, "%s %lld", letter, (long long)span->micro_batch);
    return label;
}

/* Adds one span of the simulation from start_s on: forward, recomputation and backward, or a late weight gradient. Time
 * that the phases do not name is compute, so that a task takes as long as it does in the simulation. */
static void add_task(struct orr_trace *trace, const struct orr_plan *plan, const struct rank *rank,
                     const struct orr_span *span, double start_s)
{
    const double share = 1 / (double)plan->vpp, duration_s = span->end_s - span->start_s;
    const bool backward = span->name[0] == 'B';
    const struct phase *phase = backward ? &rank->backward : &rank->forward, *again = &rank->again;
    const double send_s = rank->send_s[backward] * share, sharded_s = backward ? rank->sharded_s * share : 0;
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
        orr_trace_span(trace, ORR_TRACK_DP_HIDDEN, ORR_TRACE_HIDDEN, name, at_s, share * rank->sharded_hidden_s);
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

/* Gradient and weight collectives, optimizer and host follow the pipeline on every rank. */
static void add_tail(struct orr_trace *trace, const struct orr_answer *answer, const struct tail *tail, double idle_s)
{
    const double *time_s = answer->train.time_s;
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

/* `spans` holds the spans of all ranks; those of this rank are in order. */
static void add_rank(struct orr_trace *trace, const struct orr_answer *answer, const struct rank *rank, int64_t number,
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
        add_task(trace, &answer->job->plan, rank, &spans[i], at_s);
        at_s += spans[i].end_s - spans[i].start_s;
        simulated_at_s = spans[i].end_s;
    }
    add_tail(trace, answer, tail, at_s);
}

/* ---------------------------------------------------------------- the step */

/* Makes the spans of the schedule with these ranks; false where memory runs out. */
static bool simulate(const struct orr_answer *answer, const struct rank *classes, struct orr_span **spans,
                     size_t *n_spans)
{
    const struct orr_plan *plan = &answer->job->plan;
    const int64_t m = answer->train.n_micro_batches;
    struct orr_rank_time ranks[ORR_MAX_STAGES];
    for (int64_t i = 0; i < plan->pp; i++) ranks[i] = classes[answer->scratch->classes.of_rank[i]].time;
    const size_t n = (size_t)(3 * plan->pp * plan->vpp * m);
    *spans = malloc(n * sizeof **spans);
    *n_spans = *spans ? orr_pipeline_spans(plan, ranks, m, *spans, n) : 0;
    return *n_spans > 0;
}

static void add_ranks(const struct orr_answer *answer, const struct rank *classes, const struct orr_span *spans,
                      size_t n_spans, struct orr_text *text)
{
    const struct orr_scratch *scratch = answer->scratch;
    const struct tail tail = tail_of(answer);
    struct orr_trace trace;
    char name[64];
    orr_trace_open(&trace, text, "train", answer->train.step_time_s, orr_request_json(answer->job, false));
    for (int64_t i = 0; i < answer->job->plan.pp; i++) {
        const size_t class = scratch->classes.of_rank[i];
        const bool critical = class == scratch->step.pipe.slowest;
        snprintf(name, sizeof name, "pipeline rank %lld%s", (long long)i, critical ? ", sets the pace" : "");
        orr_trace_process(&trace, i, name);
        add_rank(&trace, answer, &classes[class], i, spans, n_spans, &tail);
    }
    orr_trace_close(&trace);
}

void orr_train_trace(const struct orr_answer *answer, struct orr_text *text)
{
    const size_t n_classes = answer->scratch->classes.n;
    struct rank *classes = malloc(n_classes * sizeof *classes);
    struct orr_time_row *rows = malloc(ORR_MAX_TIME_ROWS * sizeof *rows);
    struct orr_span *spans = NULL;
    size_t n_spans = 0;
    for (size_t i = 0; classes && rows && i < n_classes; i++) classes[i] = rank_of(answer, i, rows);
    if (!classes || !rows || !simulate(answer, classes, &spans, &n_spans)) text->failed = true;
    else add_ranks(answer, classes, spans, n_spans, text);
    free(classes);
    free(rows);
    free(spans);
}
