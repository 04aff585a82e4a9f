/* The best plans of a search, one per layout, and the front of two coordinates. Both are sorted arrays, and outcomes
 * joined in any order give the same lists. */
#include "search/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void orr_outcome_open(struct orr_outcome *outcome, size_t top)
{
    *outcome = (struct orr_outcome){.max_best = top, .fastest_s = HUGE_VAL, .inside = {.objective = HUGE_VAL}};
    outcome->best = calloc(top + 1, sizeof *outcome->best);
    outcome->failed = !outcome->best;
}

void orr_outcome_free(struct orr_outcome *outcome)
{
    free(outcome->best);
    free(outcome->front);
    *outcome = (struct orr_outcome){0};
}

/* ---------------------------------------------------------------- order */

static int compare_double(double a, double b)
{
    return (a > b) - (a < b);
}

/* Any total order would do. This one prefers fewer GPUs, smaller degrees and fewer overlaps switched off. */
enum { N_ORDERED = 3 * 9 };
static void list_ordered(const struct orr_choice *c, int64_t ordered[N_ORDERED])
{
    const int64_t members[3][9] = {
        {c->gpus, c->tp, c->cp, c->pp, c->vpp, c->ep, c->etp, c->micro_batch, c->batch},
        {c->exposed_groups, c->zero, c->recompute, c->recompute_every, c->sp, c->schedule, c->cp_kind, c->weights,
         c->kv},
        {c->disaggregated, c->decode_gpus, c->decode_tp, c->decode_pp, c->decode_ep, c->decode_batch},
    };
    memcpy(ordered, members, sizeof members);
}

static int compare_choices(const struct orr_choice *a, const struct orr_choice *b)
{
    int64_t x[N_ORDERED], y[N_ORDERED];
    list_ordered(a, x);
    list_ordered(b, y);
    for (size_t i = 0; i < N_ORDERED; i++)
        if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    return 0;
}

static int compare_found(const struct orr_found *a, const struct orr_found *b)
{
    int order = compare_double(a->objective, b->objective);
    if (!order) order = compare_double(a->time_s, b->time_s);
    if (!order) order = compare_double(a->memory_bytes, b->memory_bytes);
    return order ? order : compare_choices(&a->choice, &b->choice);
}

/* Plans of two pools are listed once per pool that decodes, with the best pool of prompts beside it. */
static bool same_layout(const struct orr_choice *a, const struct orr_choice *b)
{
    if (a->gpus != b->gpus || a->disaggregated != b->disaggregated) return false;
    if (a->disaggregated)
        return a->decode_gpus == b->decode_gpus && a->decode_tp == b->decode_tp && a->decode_pp == b->decode_pp &&
               a->decode_ep == b->decode_ep;
    return a->tp == b->tp && a->cp == b->cp && a->pp == b->pp && a->dp == b->dp && a->ep == b->ep && a->etp == b->etp;
}

/* ---------------------------------------------------------------- best */

static void put_best(struct orr_outcome *outcome, const struct orr_found *found)
{
    size_t n = outcome->n_best, old = 0;
    while (old < n && !same_layout(&outcome->best[old].choice, &found->choice)) old++;
    if (old < n && compare_found(&outcome->best[old], found) <= 0) return;
    if (old < n) { /* The better plan replaces the entry of its layout. */
        memmove(&outcome->best[old], &outcome->best[old + 1], (n - old - 1) * sizeof *outcome->best);
        n--;
    }
    size_t at = n;
    while (at > 0 && compare_found(found, &outcome->best[at - 1]) < 0) at--;
    memmove(&outcome->best[at + 1], &outcome->best[at], (n - at) * sizeof *outcome->best);
    outcome->best[at] = *found;
    outcome->n_best = n + 1 > outcome->max_best ? outcome->max_best : n + 1;
}

/* ---------------------------------------------------------------- front */

/* The index of the first point with a greater first coordinate. */
static size_t front_after(const struct orr_outcome *outcome, double x)
{
    size_t low = 0, high = outcome->n_front;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (outcome->front[middle].front[0] > x) high = middle;
        else low = middle + 1;
    }
    return low;
}

/* Is some point of the front at least as good in both coordinates and better in one? Then (x, y) is not on the
 * front. */
static bool dominated(const struct orr_outcome *outcome, double x, double y)
{
    const size_t after = front_after(outcome, x);
    if (after == 0) return false;
    /* the point with the smallest second coordinate among those up to x */
    const struct orr_found *point = &outcome->front[after - 1];
    return point->front[1] < y || (point->front[1] <= y && point->front[0] < x);
}

static bool room_for_one(struct orr_outcome *outcome)
{
    const bool room =
        orr_grow((void **)&outcome->front, &outcome->max_front, outcome->n_front + 1, sizeof *outcome->front);
    outcome->failed |= !room;
    return room;
}

static void put_front(struct orr_outcome *outcome, const struct orr_found *found)
{
    const double x = found->front[0], y = found->front[1];
    if (dominated(outcome, x, y)) return;
    size_t first = front_after(outcome, x), end = first;
    /* A point with the same x is as good as the new one, or worse and replaced. */
    if (first > 0 && outcome->front[first - 1].front[0] >= x) {
        first--;
        if (outcome->front[first].front[1] <= y && compare_found(&outcome->front[first], found) <= 0) return;
    }
    while (end < outcome->n_front && outcome->front[end].front[1] >= y) end++;
    if (first == end && !room_for_one(outcome)) return;
    memmove(&outcome->front[first + 1], &outcome->front[end], (outcome->n_front - end) * sizeof *outcome->front);
    outcome->front[first] = *found;
    outcome->n_front = outcome->n_front - (end - first) + 1;
}

/* ---------------------------------------------------------------- both */

/* Every layout is listed once, so a plan must beat the entry of its own layout, or the last entry of a full list. */
static bool best_wants(const struct orr_outcome *outcome, const struct orr_found *found)
{
    const size_t n = outcome->n_best;
    if (n == outcome->max_best && (n == 0 || found->objective > outcome->best[n - 1].objective)) return false;
    for (size_t i = 0; i < n && outcome->best[i].objective < found->objective; i++)
        if (same_layout(&outcome->best[i].choice, &found->choice)) return false;
    return true;
}

bool orr_outcome_wants(const struct orr_outcome *outcome, const struct orr_found *found, double front_within)
{
    if (best_wants(outcome, found)) return true;
    return found->time_s <= front_within * outcome->fastest_s && !dominated(outcome, found->front[0], found->front[1]);
}

void orr_outcome_put(struct orr_outcome *outcome, const struct orr_found *found)
{
    outcome->fastest_s = fmin(outcome->fastest_s, found->time_s);
    if (outcome->max_best > 0) put_best(outcome, found);
    put_front(outcome, found);
}

bool orr_outcome_wants_inside(const struct orr_outcome *outcome, const struct orr_found *found)
{
    const double most = outcome->n_best > 0 ? ORR_INSIDE_WITHIN * outcome->best[0].objective : HUGE_VAL;
    return outcome->max_best > 0 && found->objective <= outcome->inside.objective && found->objective <= most;
}

void orr_outcome_put_inside(struct orr_outcome *outcome, const struct orr_found *found)
{
    if (compare_found(found, &outcome->inside) < 0) outcome->inside = *found;
}

void orr_outcome_copy(struct orr_outcome *to, const struct orr_outcome *from)
{
    to->n_best = to->n_front = 0;
    to->fastest_s = from->fastest_s;
    to->inside = from->inside;
    for (size_t i = 0; i < from->n_best; i++) to->best[to->n_best++] = from->best[i];
    for (size_t i = 0; i < from->n_front && room_for_one(to); i++) to->front[to->n_front++] = from->front[i];
}

void orr_outcome_add(struct orr_outcome *to, const struct orr_outcome *from)
{
    to->counts.plans += from->counts.plans;
    to->counts.evaluated += from->counts.evaluated;
    to->counts.feasible += from->counts.feasible;
    to->counts.shapes += from->counts.shapes;
    to->counts.better += from->counts.better;
    for (int i = 0; i < ORR_N_REJECTS; i++) to->counts.rejected[i] += from->counts.rejected[i];
    to->fastest_s = fmin(to->fastest_s, from->fastest_s);
    orr_outcome_put_inside(to, &from->inside);
    for (size_t i = 0; i < from->n_best; i++) put_best(to, &from->best[i]);
    for (size_t i = 0; i < from->n_front; i++) put_front(to, &from->front[i]);
    to->failed |= from->failed;
}
