/* An event simulation of the pipeline schedules: what every rank executes, in order, with start and end. --dump
 * timeline prints it, and tests compare the closed forms with it. The prediction itself does not need it. */
#include "schedule/orders.h"
#include "schedule/schedule.h"

#include "base/number.h"

#include <math.h>
#include <stdlib.h>

/* One task of a rank: the forward or backward of a micro-batch through one chunk. */
struct task {
    bool backward;
    int64_t chunk, micro_batch;
};

/* The i-th forward (or backward) slot of a rank: groups of pp micro-batches, chunk after chunk. Backward goes from the
 * last chunk to the first. An incomplete last group keeps its slots; those beyond the batch are empty. */
static struct task nth_task(const struct orr_plan *plan, int64_t i, bool backward)
{
    const int64_t v = plan->vpp, group_size = v > 1 ? plan->pp : 1;
    const int64_t group = i / (group_size * v), within = i % (group_size * v), chunk = within / group_size;
    return (struct task){.backward = backward,
                         .chunk = backward ? v - 1 - chunk : chunk,
                         .micro_batch = group * group_size + within % group_size};
}

/* The number of forward slots of a rank, including empty ones. */
static int64_t slots_of(const struct orr_plan *plan, int64_t m)
{
    const int64_t v = plan->vpp, group_size = v > 1 ? plan->pp : 1;
    return (m + group_size - 1) / group_size * group_size * v;
}

/* The number of forwards that a rank runs before its first backward. */
static int64_t warm_up(const struct orr_plan *plan, int64_t all, int64_t rank)
{
    const int64_t p = plan->pp, v = plan->vpp;
    int64_t n = p - 1 - rank;
    if (plan->schedule == ORR_SCHEDULE_GPIPE) n = all;
    if (plan->schedule == ORR_SCHEDULE_INTERLEAVED) n = 2 * (p - 1 - rank) + (v - 1) * p;
    if (plan->schedule == ORR_SCHEDULE_ZB_H2) n = 2 * (p - 1 - rank);
    return n < all ? n : all;
}

/* The j-th slot of a rank: warm-up forwards, then forward and backward in turn, then the remaining backwards. */
static struct task task_at(const struct orr_plan *plan, int64_t all, int64_t rank, int64_t j)
{
    const int64_t warm = warm_up(plan, all, rank), steady = all - warm;
    if (j < warm) return nth_task(plan, j, false);
    const int64_t k = j - warm;
    if (k < 2 * steady) return k % 2 == 0 ? nth_task(plan, warm + k / 2, false) : nth_task(plan, k / 2, true);
    return nth_task(plan, k - steady, true);
}

struct clock {
    const struct orr_plan *plan;
    const struct orr_rank_time *ranks;
    int64_t m;
    double *forward_end, *backward_end; /* [stage chunk][micro-batch], NAN until done */
    double *free_at;                    /* [rank] */
    int64_t *next;                      /* [rank] next task */
    int64_t *owed, *paid;               /* [rank] weight gradients delayed, and run (zero bubble) */
    struct orr_task *tasks;             /* [rank][orr_order_most]: the lists, for schedules that have them */
    size_t *n_tasks;                    /* [rank] */
};

/* The most weight gradients that a rank may delay. Later ranks wait longer at the end, and these fill the wait. */
static int64_t most_owed(const struct orr_plan *plan, int64_t rank)
{
    return plan->schedule == ORR_SCHEDULE_ZB_H1 ? rank : plan->pp - 1 + rank;
}

static size_t slot(const struct clock *c, int64_t rank, const struct task *task)
{
    return (size_t)((task->chunk * c->plan->pp + rank) * c->m + task->micro_batch);
}

/* The time when the task's input is ready; NAN if its producer has not run yet. */
static double ready_at(const struct clock *c, int64_t rank, const struct task *task)
{
    const int64_t stage = task->chunk * c->plan->pp + rank, last = c->plan->pp * c->plan->vpp - 1;
    const size_t m = (size_t)c->m, here = slot(c, rank, task);
    if (!task->backward) return stage == 0 ? 0 : c->forward_end[here - m];
    return stage == last ? c->forward_end[here] : c->backward_end[here + m];
}

/* Run a delayed weight gradient, if there is one. */
static bool run_owed(struct clock *c, int64_t rank, struct orr_span *span)
{
    if (c->owed[rank] == 0) return false;
    const double start_s = c->free_at[rank];
    c->free_at[rank] += c->ranks[rank].wgrad_s;
    *span = (struct orr_span){"W", rank, 0, c->paid[rank]++, start_s, c->free_at[rank]};
    c->owed[rank]--;
    return true;
}

static bool run_next(struct clock *c, int64_t rank, struct orr_span *span)
{
    const int64_t all = slots_of(c->plan, c->m);
    while (c->next[rank] < 2 * all && task_at(c->plan, all, rank, c->next[rank]).micro_batch >= c->m)
        c->next[rank]++; /* This is an empty slot of an incomplete group. */
    if (c->next[rank] >= 2 * all) return run_owed(c, rank, span);
    const struct task task = task_at(c->plan, all, rank, c->next[rank]);
    const double ready = ready_at(c, rank, &task);
    if (isnan(ready)) return false;
    const struct orr_rank_time *time = &c->ranks[rank];
    const double wgrad_s = orr_splits_backward(c->plan->schedule) ? time->wgrad_s : 0;
    if (c->owed[rank] > most_owed(c->plan, rank) || (c->owed[rank] > 0 && ready >= c->free_at[rank] + wgrad_s))
        return run_owed(c, rank, span);
    if (task.backward && wgrad_s > 0) c->owed[rank]++;
    const double duration_s = (task.backward ? time->backward_s - wgrad_s : time->forward_s) / (double)c->plan->vpp;
    const double start_s = orr_max(ready, c->free_at[rank]), end_s = start_s + duration_s;
    (task.backward ? c->backward_end : c->forward_end)[slot(c, rank, &task)] = end_s;
    c->free_at[rank] = end_s;
    c->next[rank]++;
    *span = (struct orr_span){task.backward ? "B" : "F", rank, task.chunk, task.micro_batch, start_s, end_s};
    return true;
}

/* ---------------------------------------------------------------- lists of tasks */

static size_t listed_slot(const struct clock *c, int64_t rank, int64_t chunk, int64_t micro_batch)
{
    return (size_t)((chunk * c->plan->pp + rank) * c->m + micro_batch);
}

/* The time when the input of a listed task is ready; NAN if its producer has not run yet. Micro-batches go down a V by
 * the first chunks and up by the second ones; in a pipeline with two ends direction 1 begins at the last rank. */
static double listed_ready_at(const struct clock *c, int64_t rank, const struct orr_task *task)
{
    const bool vee = orr_is_vee(c->plan->schedule), down = task->chunk == 0, back = task->kind != ORR_TASK_FORWARD;
    const int64_t end = c->plan->pp - 1, k = task->micro_batch, chunk = task->chunk;
    const bool up = back ? !down : down; /* the task's input comes from the rank above, or else from the one below */
    const bool at_turn = rank == (up ? 0 : end);
    if (task->kind == ORR_TASK_WEIGHT_GRADIENT) return c->backward_end[listed_slot(c, rank, chunk, k)];
    const double *ends = back ? c->backward_end : c->forward_end;
    if (vee) {
        if (!at_turn) return ends[listed_slot(c, up ? rank - 1 : rank + 1, chunk, k)];
        if (!back) return down ? 0 : c->forward_end[listed_slot(c, rank, 0, k)];
        return down ? c->backward_end[listed_slot(c, rank, 1, k)] : c->forward_end[listed_slot(c, rank, 1, k)];
    }
    if (!at_turn) return ends[listed_slot(c, up ? rank - 1 : rank + 1, chunk, k)];
    return back ? c->forward_end[listed_slot(c, rank, chunk, k)] : 0;
}

static double listed_duration_s(const struct clock *c, int64_t rank, enum orr_task_kind kind)
{
    const struct orr_rank_time *time = &c->ranks[rank];
    const double chunks = (double)c->plan->vpp;
    switch (kind) {
    case ORR_TASK_FORWARD: return time->forward_s / chunks;
    case ORR_TASK_INPUT_GRADIENT: return (time->backward_s - time->wgrad_s) / chunks;
    case ORR_TASK_WEIGHT_GRADIENT: return time->wgrad_s / chunks;
    case ORR_TASK_FULL_BACKWARD: return time->backward_s / chunks;
    }
    return 0;
}

/* A list without weight gradients leaves them to the waits of the rank; a rank that holds all the activations it may
 * runs one before its next forward. */
static bool pays_first(const struct clock *c, int64_t rank, const struct orr_task *task, double ready_s)
{
    const int64_t most = (c->plan->pp + 2) / 2 * 2; /* chunks */
    if (c->plan->schedule != ORR_SCHEDULE_V_HALF || c->owed[rank] == 0) return false;
    const double wgrad_s = listed_duration_s(c, rank, ORR_TASK_WEIGHT_GRADIENT);
    const int64_t forwards = c->next[rank] - c->owed[rank] - c->paid[rank]; /* the other tasks are input gradients */
    return ready_s >= c->free_at[rank] + wgrad_s ||
           (task->kind == ORR_TASK_FORWARD && forwards - c->paid[rank] >= most);
}

static struct orr_span pay_listed(struct clock *c, int64_t rank)
{
    const double start_s = c->free_at[rank];
    c->free_at[rank] += listed_duration_s(c, rank, ORR_TASK_WEIGHT_GRADIENT);
    c->owed[rank]--;
    return (struct orr_span){"W", rank, 0, c->paid[rank]++, start_s, c->free_at[rank]};
}

static struct orr_span run_task(struct clock *c, int64_t rank, const struct orr_task *task, double start_s)
{
    static const char *const NAMES[] = {"F", "B", "W", "B"}; /* ORDER enum orr_task_kind */
    const double end_s = start_s + listed_duration_s(c, rank, task->kind);
    c->free_at[rank] = end_s;
    return (struct orr_span){NAMES[task->kind], rank, task->chunk, task->micro_batch, start_s, end_s};
}

/* Runs the next task of a rank, or the next two if they are one block; returns how many spans that makes. */
static size_t run_listed(struct clock *c, int64_t rank, struct orr_span spans[2])
{
    const size_t n_tasks = c->n_tasks[rank];
    const struct orr_task *list = &c->tasks[(size_t)rank * orr_order_most(c->m)], *task = &list[c->next[rank]];
    if ((size_t)c->next[rank] >= n_tasks) {
        if (c->owed[rank] == 0) return 0;
        spans[0] = pay_listed(c, rank);
        return 1;
    }
    const size_t n = (size_t)c->next[rank] + 1 < n_tasks && task[1].joined ? 2 : 1;
    double ready_s = 0;
    for (size_t i = 0; i < n; i++) {
        const double input_s = listed_ready_at(c, rank, &task[i]);
        if (isnan(input_s)) return 0;
        ready_s = orr_max(ready_s, input_s);
    }
    if (pays_first(c, rank, task, ready_s)) {
        spans[0] = pay_listed(c, rank);
        return 1;
    }
    for (size_t i = 0; i < n; i++)
        spans[i] = run_task(c, rank, &task[i], i == 0 ? orr_max(ready_s, c->free_at[rank]) : c->free_at[rank]);
    for (size_t i = 0; i < n; i++) { /* the outputs of a block are ready at its end */
        double *ends = task[i].kind == ORR_TASK_FORWARD ? c->forward_end : c->backward_end;
        if (task[i].kind != ORR_TASK_WEIGHT_GRADIENT)
            ends[listed_slot(c, rank, task[i].chunk, task[i].micro_batch)] = c->free_at[rank];
        if (c->plan->schedule == ORR_SCHEDULE_V_HALF && task[i].kind != ORR_TASK_FORWARD) c->owed[rank]++;
    }
    c->next[rank] += (int64_t)n;
    return n;
}

/* ---------------------------------------------------------------- the simulation */

static bool list_tasks(struct clock *c)
{
    const size_t p = (size_t)c->plan->pp;
    if (!orr_schedule_listed(c->plan->schedule)) return true;
    c->tasks = malloc(p * orr_order_most(c->m) * sizeof *c->tasks);
    c->n_tasks = malloc(p * sizeof *c->n_tasks);
    if (!c->tasks || !c->n_tasks) return false;
    for (size_t i = 0; i < p; i++)
        c->n_tasks[i] = orr_order_of(c->plan, c->m, (int64_t)i, &c->tasks[i * orr_order_most(c->m)]);
    return true;
}

static bool clock_open(struct clock *c)
{
    const int64_t chunks = c->plan->schedule == ORR_SCHEDULE_DUALPIPE ? 2 : c->plan->vpp;
    const size_t cells = (size_t)(c->plan->pp * chunks * c->m), p = (size_t)c->plan->pp;
    c->forward_end = malloc(cells * sizeof(double));
    c->backward_end = malloc(cells * sizeof(double));
    c->free_at = calloc(p, sizeof(double));
    c->next = calloc(p, sizeof(int64_t));
    c->owed = calloc(p, sizeof(int64_t));
    c->paid = calloc(p, sizeof(int64_t));
    if (!c->forward_end || !c->backward_end || !c->free_at || !c->next || !c->owed || !c->paid) return false;
    for (size_t i = 0; i < cells; i++) c->forward_end[i] = c->backward_end[i] = (double)NAN;
    return list_tasks(c);
}

static void clock_close(struct clock *c)
{
    free(c->forward_end);
    free(c->backward_end);
    free(c->free_at);
    free(c->next);
    free(c->owed);
    free(c->paid);
    free(c->tasks);
    free(c->n_tasks);
}

/* Runs what a rank can run next; returns how many spans that makes. */
static size_t run_some(struct clock *c, int64_t rank, struct orr_span spans[2])
{
    return orr_schedule_listed(c->plan->schedule) ? run_listed(c, rank, spans) : run_next(c, rank, spans);
}

size_t orr_pipeline_spans(const struct orr_plan *plan, const struct orr_rank_time *ranks, int64_t n_micro_batches,
                          struct orr_span *spans, size_t n_max)
{
    struct clock c = {.plan = plan, .ranks = ranks, .m = n_micro_batches};
    size_t n = 0;
    bool progress = clock_open(&c);
    while (progress) {
        progress = false;
        for (int64_t rank = 0; rank < plan->pp; rank++) {
            struct orr_span some[2];
            for (size_t n_some; (n_some = run_some(&c, rank, some)) > 0; progress = true)
                for (size_t i = 0; i < n_some; i++, n++)
                    if (n < n_max) spans[n] = some[i];
        }
    }
    clock_close(&c);
    return n;
}
