/* The orders of tasks of zb-v (Qi et al. 2023, section 6), v-half (Qi et al. 2024) and the two dualpipes (DeepSeek-V3
 * report, 2024), as lists. Eqs. 137-140. */
#include "schedule/orders.h"

#include <stdlib.h>

/* A list as it grows. Tasks of one kind and chunk come in the order of their micro-batches, so that counting them
 * gives the micro-batch of the next. */
struct order {
    struct orr_task *tasks;
    size_t n;
    int64_t m;              /* micro-batches of one chunk or direction; tasks beyond them are left out */
    int64_t done[2][3];     /* [chunk][forward, backward, weight gradient]: how many are in the list */
    int64_t owed[2];        /* weight gradients put off, by chunk of the oldest: see pay */
    const int64_t *numbers; /* micro-batch of the k-th task of a chunk is numbers[chunk] + k */
    bool mirrored;          /* the two chunks swap their names */
};

static void put(struct order *o, enum orr_task_kind kind, int64_t chunk, bool joined)
{
    const int row = kind == ORR_TASK_FORWARD ? 0 : kind == ORR_TASK_WEIGHT_GRADIENT ? 2 : 1;
    const int64_t k = o->done[chunk][row]++, named = o->mirrored ? 1 - chunk : chunk;
    if (kind == ORR_TASK_FULL_BACKWARD) o->done[chunk][2]++;
    if (k >= o->m) return;
    o->tasks[o->n++] =
        (struct orr_task){.kind = kind, .joined = joined, .chunk = named, .micro_batch = o->numbers[named] + k};
}

static void forward(struct order *o, int64_t chunk)
{
    put(o, ORR_TASK_FORWARD, chunk, false);
}

static void input_gradient(struct order *o, int64_t chunk)
{
    put(o, ORR_TASK_INPUT_GRADIENT, chunk, false);
}

static void weight_gradient(struct order *o, int64_t chunk)
{
    put(o, ORR_TASK_WEIGHT_GRADIENT, chunk, false);
}

/* Eq. 137: forwards of the first chunk until the first micro-batch is back, then both chunks in turn, each with its
 * gradients; at the end weight gradients fill the wait for the last input gradients. */
static void zb_v(struct order *o, int64_t p, int64_t rank)
{
    const int64_t n = o->m > 2 * p - 1 ? o->m : 2 * p - 1;
    for (int64_t i = 0; i < 2 * (p - rank) - 1; i++) forward(o, 0);
    for (int64_t i = 0; i < rank; i++) {
        forward(o, 1);
        forward(o, 0);
    }
    for (int64_t i = 0; i < p - rank; i++) {
        forward(o, 1);
        input_gradient(o, 1);
        weight_gradient(o, 1);
    }
    while (o->done[1][0] < o->done[0][0] || o->done[0][0] < n) {
        if (o->done[0][0] < n) forward(o, 0);
        input_gradient(o, 0);
        weight_gradient(o, 0);
        forward(o, 1);
        input_gradient(o, 1);
        weight_gradient(o, 1);
    }
    for (int64_t i = 0; i < rank; i++) {
        input_gradient(o, 0);
        input_gradient(o, 1);
    }
    for (int64_t i = 0; i < p - rank; i++) {
        input_gradient(o, 0);
        weight_gradient(o, 0);
    }
    while (o->done[1][2] < o->done[1][1]) weight_gradient(o, 1);
    while (o->done[0][2] < o->done[0][1]) weight_gradient(o, 0);
}

/* Eq. 138: a block of six slots, one each for both forwards, both input gradients and both weight gradients,
 * repeats for every micro-batch. On rank i its tasks begin at the slots below; the list has the tasks in the order
 * of their slots. */
static void v_half(struct order *o, int64_t p, int64_t rank)
{
    const int64_t wait = p % 2 == 0 ? 3 : 0; /* keeps the slots of a block apart */
    const int64_t slots[] = {2 * rank, 3 * p - 2 - rank, 3 * p - 1 + wait + 2 * rank, 6 * p - 2 + wait - rank};
    const int64_t chunks[] = {0, 1, 1, 0}, end = slots[3] + 6 * o->m;
    for (int64_t slot = 0; slot < end; slot++)
        for (int i = 0; i < 4; i++) {
            if (slot < slots[i] || (slot - slots[i]) % 6 != 0) continue;
            put(o, i < 2 ? ORR_TASK_FORWARD : ORR_TASK_INPUT_GRADIENT, chunks[i], false);
        }
}

/* A backward of which the weight gradient is put off, and the oldest of those that were. */
static void backward(struct order *o, int64_t chunk, bool put_off)
{
    put(o, put_off ? ORR_TASK_INPUT_GRADIENT : ORR_TASK_FULL_BACKWARD, chunk, false);
    if (put_off) o->owed[chunk]++;
}

static void pay(struct order *o)
{
    const int64_t chunk = o->owed[1] > 0 ? 1 : 0;
    if (o->owed[chunk] == 0) return;
    o->owed[chunk]--;
    weight_gradient(o, chunk);
}

static void joined_pair(struct order *o, int64_t forwards, int64_t backwards)
{
    const size_t before = o->n;
    forward(o, forwards);
    put(o, ORR_TASK_FULL_BACKWARD, backwards, o->n > before);
}

/* Eqs. 139, 140: a V of p ranks. Its steady state is blocks of a forward and a backward of another micro-batch. */
static void dual(struct order *o, int64_t p, int64_t rank)
{
    const int64_t after = p - 1 - rank, n = rank + 1;
    for (int64_t i = 0; i < 2 * after; i++) forward(o, 0);
    for (int64_t i = 0; i < n; i++) {
        forward(o, 0);
        forward(o, 1);
    }
    for (int64_t i = 0; i < after; i++) {
        backward(o, 1, true);
        pay(o);
        forward(o, 1);
    }
    for (int64_t i = 0; i < o->m - 2 * p + n; i++) {
        if (i == 0 && after == 0) { /* where the V turns, the first pair is two blocks */
            forward(o, 0);
            backward(o, 1, false);
        } else {
            joined_pair(o, 0, 1);
        }
        joined_pair(o, 1, 0);
    }
    for (int64_t i = 0; i < after; i++) {
        backward(o, 1, false);
        joined_pair(o, 1, 0);
    }
    for (int64_t i = 0; i < n; i++) { /* of the last backwards, the second half put their weight gradients off */
        backward(o, 1, i > n / 2 || (i == n / 2 && rank % 2 == 1));
        backward(o, 0, i >= n / 2);
    }
    for (int64_t i = 0; i < after; i++) {
        pay(o);
        backward(o, 0, true);
    }
    while (o->owed[0] + o->owed[1] > 0) pay(o);
}

size_t orr_order_of(const struct orr_plan *plan, int64_t n_micro_batches, int64_t rank, struct orr_task *tasks)
{
    const int64_t p = plan->pp, m = n_micro_batches, half = m / 2, mirror = p - 1 - rank;
    const int64_t none[2] = {0, 0}, halves[2] = {0, half};
    struct order o = {.tasks = tasks, .m = m, .numbers = none};
    switch (plan->schedule) {
    case ORR_SCHEDULE_ZB_V: zb_v(&o, p, rank); break;
    case ORR_SCHEDULE_V_HALF: v_half(&o, p, rank); break;
    case ORR_SCHEDULE_DUALPIPE_V: dual(&o, p, rank); break;
    case ORR_SCHEDULE_DUALPIPE: /* two Vs, head to head, of half the ranks and half the micro-batches each */
        o.m = half;
        o.numbers = halves;
        o.mirrored = rank >= p / 2;
        dual(&o, p / 2, rank < mirror ? rank : mirror);
        break;
    case ORR_SCHEDULE_GPIPE:
    case ORR_SCHEDULE_1F1B:
    case ORR_SCHEDULE_INTERLEAVED:
    case ORR_SCHEDULE_ZB_H1:
    case ORR_SCHEDULE_ZB_H2:
    case ORR_N_SCHEDULES: break;
    }
    return o.n;
}
