/* An event simulation of the pipeline schedules: what every rank executes, in order, with start and end. --dump
 * timeline prints it, and tests compare the closed forms with it. The prediction itself does not need it. */
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
};

static bool zero_bubble(const struct orr_plan *plan)
{
    return plan->schedule == ORR_SCHEDULE_ZB_H1 || plan->schedule == ORR_SCHEDULE_ZB_H2;
}

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
    const double wgrad_s = zero_bubble(c->plan) ? time->wgrad_s : 0;
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

static bool clock_open(struct clock *c)
{
    const size_t cells = (size_t)(c->plan->pp * c->plan->vpp * c->m), p = (size_t)c->plan->pp;
    c->forward_end = malloc(cells * sizeof(double));
    c->backward_end = malloc(cells * sizeof(double));
    c->free_at = calloc(p, sizeof(double));
    c->next = calloc(p, sizeof(int64_t));
    c->owed = calloc(p, sizeof(int64_t));
    c->paid = calloc(p, sizeof(int64_t));
    if (!c->forward_end || !c->backward_end || !c->free_at || !c->next || !c->owed || !c->paid) return false;
    for (size_t i = 0; i < cells; i++) c->forward_end[i] = c->backward_end[i] = (double)NAN;
    return true;
}

static void clock_close(struct clock *c)
{
    free(c->forward_end);
    free(c->backward_end);
    free(c->free_at);
    free(c->next);
    free(c->owed);
    free(c->paid);
}

size_t orr_pipeline_spans(const struct orr_plan *plan, const struct orr_rank_time *ranks, int64_t n_micro_batches,
                          struct orr_span *spans, size_t n_max)
{
    struct clock c = {.plan = plan, .ranks = ranks, .m = n_micro_batches};
    const size_t n_total = (size_t)((zero_bubble(plan) ? 3 : 2) * plan->pp * plan->vpp * n_micro_batches);
    size_t n = 0;
    bool progress = clock_open(&c);
    while (progress && n < n_total) {
        progress = false;
        for (int64_t rank = 0; rank < plan->pp; rank++) {
            struct orr_span span;
            while (run_next(&c, rank, &span)) {
                if (n < n_max) spans[n] = span;
                n++;
                progress = true;
            }
        }
    }
    clock_close(&c);
    return n;
}
