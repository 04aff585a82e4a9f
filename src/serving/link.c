/* This file shares links between transfers. Eqs. 246, 247. */
#include "serving/link.h"

#include "base/number.h"

#include <math.h>
#include <stdlib.h>

bool orr_links_open(struct orr_links *links, int64_t n_replicas)
{
    const size_t n = (size_t)n_replicas;
    *links = (struct orr_links){.n_replicas = n_replicas,
                                .sending = calloc(n, sizeof *links->sending),
                                .receiving = calloc(n, sizeof *links->receiving),
                                .busy_s = calloc(n, sizeof *links->busy_s)};
    return links->sending && links->receiving && links->busy_s;
}

void orr_links_close(struct orr_links *links)
{
    free(links->items);
    free(links->sending);
    free(links->receiving);
    free(links->busy_s);
}

/* Eq. 246: seconds of the whole cache while the numbers of transfers stay as they are. A sender that stopped has left
 * its part to others, which send alone. */
static double whole_s(const struct orr_links *links, const struct orr_transfer *t)
{
    const double senders = t->from >= 0 ? (double)links->sending[t->from] : 1;
    return orr_max(1e-12, orr_max(senders * t->out_s, (double)links->receiving[t->to] * t->in_s));
}

void orr_links_advance(struct orr_links *links, double time_s)
{
    const double passed_s = time_s - links->now_s;
    if (passed_s <= 0) return;
    for (size_t i = 0; i < links->n; i++) {
        struct orr_transfer *t = &links->items[i];
        t->left_frac = orr_max(0, t->left_frac - passed_s / whole_s(links, t));
    }
    for (int64_t i = 0; i < links->n_replicas && links->n > 0; i++)
        if (links->sending[i] > 0) links->busy_s[i] += passed_s;
    links->now_s = time_s;
}

bool orr_links_start(struct orr_links *links, const struct orr_transfer *transfer)
{
    if (links->n == links->room) {
        const size_t room = links->room ? 2 * links->room : 64;
        struct orr_transfer *items = realloc(links->items, room * sizeof *items);
        if (!items) return false;
        links->items = items;
        links->room = room;
    }
    links->items[links->n++] = *transfer;
    links->sending[transfer->from]++;
    links->receiving[transfer->to]++;
    return true;
}

double orr_links_next_s(const struct orr_links *links, size_t *which)
{
    double next_s = HUGE_VAL;
    for (size_t i = 0; i < links->n; i++) {
        const double end_s = links->now_s + links->items[i].left_frac * whole_s(links, &links->items[i]);
        if (end_s >= next_s) continue;
        next_s = end_s;
        *which = i;
    }
    return next_s;
}

struct orr_transfer orr_links_take(struct orr_links *links, size_t which)
{
    const struct orr_transfer taken = links->items[which];
    if (taken.from >= 0) links->sending[taken.from]--;
    links->receiving[taken.to]--;
    for (size_t i = which; i + 1 < links->n; i++) links->items[i] = links->items[i + 1];
    links->n--;
    return taken;
}

void orr_links_forget(struct orr_links *links, int64_t replica)
{
    for (size_t i = 0; i < links->n; i++)
        if (links->items[i].from == replica) links->items[i].from = -1;
    links->sending[replica] = 0;
}
