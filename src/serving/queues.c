/* This file keeps the order of requests in a replica: two queues by time, a line, slots and a list. */
#include "serving/state.h"

#include <stdlib.h>

/* ---------------------------------------------------------------- queues by time: binary heaps */

static bool earlier(const struct orr_due *a, const struct orr_due *b)
{
    return a->key < b->key || (a->key <= b->key && a->order < b->order);
}

bool orr_queue_push(struct orr_queue *queue, struct orr_due due)
{
    if (queue->n == queue->room) {
        const size_t room = queue->room ? 2 * queue->room : 64;
        struct orr_due *items = realloc(queue->items, room * sizeof *items);
        if (!items) return false;
        queue->items = items;
        queue->room = room;
    }
    size_t i = queue->n++;
    for (; i > 0 && earlier(&due, &queue->items[(i - 1) / 2]); i = (i - 1) / 2)
        queue->items[i] = queue->items[(i - 1) / 2];
    queue->items[i] = due;
    return true;
}

/* Puts an item in the place i or, where one below it is earlier, further down. */
static void sink(struct orr_queue *queue, size_t i, struct orr_due item)
{
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= queue->n) break;
        if (child + 1 < queue->n && earlier(&queue->items[child + 1], &queue->items[child])) child++;
        if (!earlier(&queue->items[child], &item)) break;
        queue->items[i] = queue->items[child];
        i = child;
    }
    queue->items[i] = item;
}

void orr_queue_pop(struct orr_queue *queue)
{
    const struct orr_due last = queue->items[--queue->n];
    sink(queue, 0, last);
}

void orr_queue_delay(struct orr_queue *queue, size_t i, double key)
{
    struct orr_due due = queue->items[i];
    due.key = key;
    sink(queue, i, due);
}

/* ---------------------------------------------------------------- a line with two ends */

static bool widen(struct orr_line_up *line)
{
    const size_t room = line->room ? 2 * line->room : 64;
    int32_t *slots = malloc(room * sizeof *slots);
    if (!slots) return false;
    for (size_t i = 0; i < line->n; i++) slots[i] = orr_line_at(line, i);
    free(line->slots);
    *line = (struct orr_line_up){.slots = slots, .n = line->n, .room = room};
    return true;
}

bool orr_line_push(struct orr_line_up *line, int32_t slot, bool in_front)
{
    if (line->n == line->room && !widen(line)) return false;
    if (in_front) line->first = (line->first + line->room - 1) & (line->room - 1);
    line->n++;
    line->slots[(line->first + (in_front ? 0 : line->n - 1)) & (line->room - 1)] = slot;
    return true;
}

int32_t orr_line_pop(struct orr_line_up *line)
{
    const int32_t slot = orr_line_at(line, 0);
    line->first = (line->first + 1) & (line->room - 1);
    line->n--;
    return slot;
}

/* Urgent requests are few, so that moving them on by one place is cheaper than a second line. */
void orr_stand_in_line(struct orr_replica *r, int32_t slot, bool first)
{
    const bool urgent = r->sequences[slot].ask.urgent;
    struct orr_line_up *line = &r->waiting;
    const size_t place = urgent ? (first ? 0 : r->n_urgent) : (first ? r->n_urgent : line->n);
    const bool in_front = place <= line->n / 2 && place < line->n;
    if (!orr_line_push(line, slot, in_front)) {
        r->failed = true;
        return;
    }
    for (size_t i = 0; in_front && i < place; i++)
        line->slots[(line->first + i) & (line->room - 1)] = orr_line_at(line, i + 1);
    for (size_t i = line->n - 1; !in_front && i > place; i--)
        line->slots[(line->first + i) & (line->room - 1)] = orr_line_at(line, i - 1);
    line->slots[(line->first + place) & (line->room - 1)] = slot;
    if (urgent) r->n_urgent++;
}

/* ---------------------------------------------------------------- slots and the list of running sequences */

static int32_t take_slot(struct orr_replica *r)
{
    if (r->free_slot == ORR_NOBODY) {
        const int32_t room = r->room ? 2 * r->room : 64;
        if (room <= 0) return ORR_NOBODY;
        struct orr_sequence *all = realloc(r->sequences, (size_t)room * sizeof *all);
        if (!all) return ORR_NOBODY;
        r->sequences = all;
        for (int32_t i = room - 1; i >= r->room; i--) {
            all[i].turn = 0;
            all[i].after = r->free_slot;
            r->free_slot = i;
        }
        r->room = room;
    }
    const int32_t slot = r->free_slot;
    r->free_slot = r->sequences[slot].after;
    r->n_sequences++;
    return slot;
}

int32_t orr_slot_for(struct orr_replica *r, const struct orr_ask *ask)
{
    const int64_t most = ask->input_len + (r->reserves ? ask->max_output_len : ask->output_len);
    if (most > r->total_blocks * r->block) {
        r->sums.refused++;
        return ORR_NOBODY;
    }
    const int32_t slot = take_slot(r);
    if (slot == ORR_NOBODY) r->failed = true;
    return slot;
}

void orr_slot_give(struct orr_replica *r, int32_t slot)
{
    r->sequences[slot].after = r->free_slot;
    r->free_slot = slot;
    r->n_sequences--;
}

void orr_running_add(struct orr_replica *r, int32_t slot)
{
    r->sequences[slot].before = r->newest;
    r->sequences[slot].after = ORR_NOBODY;
    if (r->newest == ORR_NOBODY) r->oldest = slot;
    else r->sequences[r->newest].after = slot;
    r->newest = slot;
    r->n_running++;
}

void orr_running_remove(struct orr_replica *r, int32_t slot)
{
    const int32_t before = r->sequences[slot].before, after = r->sequences[slot].after;
    if (before == ORR_NOBODY) r->oldest = after;
    else r->sequences[before].after = after;
    if (after == ORR_NOBODY) r->newest = before;
    else r->sequences[after].before = before;
    r->n_running--;
}
