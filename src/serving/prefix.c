/* This file keeps the beginnings of prompts that are in the cache. Eq. 224. */
#include "serving/prefix.h"

#include "base/random.h"

#include <stdlib.h>

enum { NOBODY = -1, FIRST = 64 };

void orr_prefixes_open(struct orr_prefixes *all)
{
    *all = (struct orr_prefixes){.free_item = NOBODY, .oldest = NOBODY, .newest = NOBODY};
}

void orr_prefixes_close(struct orr_prefixes *all)
{
    free(all->items);
    free(all->heads);
    orr_prefixes_open(all);
}

static size_t head_of(const struct orr_prefixes *all, uint64_t id)
{
    return (size_t)orr_mix(id) & (all->n_heads - 1);
}

int32_t orr_prefix_find(const struct orr_prefixes *all, uint64_t id)
{
    if (all->n_heads == 0) return NOBODY;
    int32_t place = all->heads[head_of(all, id)];
    while (place != NOBODY && all->items[place].id != id) place = all->items[place].chain;
    return place;
}

/* Doubles the room and puts everything under its new hash. Items that are in use are those reachable from a head. */
static bool grow(struct orr_prefixes *all)
{
    const int32_t room = all->room ? 2 * all->room : FIRST;
    if (room <= 0) return false;
    struct orr_prefix *items = realloc(all->items, (size_t)room * sizeof *items);
    if (!items) return false;
    all->items = items;
    int32_t *heads = malloc((size_t)room * sizeof *heads);
    if (!heads) return false;
    const int32_t *old = all->heads;
    const size_t n_old = all->n_heads;
    all->n_heads = (size_t)room;
    for (size_t i = 0; i < all->n_heads; i++) heads[i] = NOBODY;
    for (size_t i = 0; i < n_old; i++)
        for (int32_t place = old[i], next; place != NOBODY; place = next) {
            const size_t head = head_of(all, items[place].id);
            next = items[place].chain;
            items[place].chain = heads[head];
            heads[head] = place;
        }
    for (int32_t i = room - 1; i >= all->room; i--) {
        items[i].chain = all->free_item;
        all->free_item = i;
    }
    free(all->heads);
    all->heads = heads;
    all->room = room;
    return true;
}

int32_t orr_prefix_add(struct orr_prefixes *all, uint64_t id)
{
    if (all->free_item == NOBODY && !grow(all)) return NOBODY;
    const int32_t place = all->free_item;
    const size_t head = head_of(all, id);
    all->free_item = all->items[place].chain;
    all->items[place] = (struct orr_prefix){.id = id, .users = 1, .chain = all->heads[head]};
    all->heads[head] = place;
    all->n++;
    return place;
}

/* Takes an unused beginning from the list of those that may be given up. */
static void unlist(struct orr_prefixes *all, int32_t place)
{
    const struct orr_prefix *p = &all->items[place];
    if (p->older == NOBODY) all->oldest = p->newer;
    else all->items[p->older].newer = p->newer;
    if (p->newer == NOBODY) all->newest = p->older;
    else all->items[p->newer].older = p->older;
    all->idle_blocks -= p->blocks;
}

void orr_prefix_use(struct orr_prefixes *all, int32_t place)
{
    if (all->items[place].users++ == 0) unlist(all, place);
}

void orr_prefix_leave(struct orr_prefixes *all, int32_t place)
{
    struct orr_prefix *p = &all->items[place];
    if (--p->users > 0) return;
    p->older = all->newest;
    p->newer = NOBODY;
    if (all->newest == NOBODY) all->oldest = place;
    else all->items[all->newest].newer = place;
    all->newest = place;
    all->idle_blocks += p->blocks;
}

int64_t orr_prefix_evict(struct orr_prefixes *all)
{
    const int32_t place = all->oldest;
    if (place == NOBODY) return 0;
    struct orr_prefix *p = &all->items[place];
    const int64_t blocks = p->blocks;
    unlist(all, place);
    int32_t *at = &all->heads[head_of(all, p->id)];
    while (*at != place) at = &all->items[*at].chain;
    *at = p->chain;
    p->chain = all->free_item;
    all->free_item = place;
    all->n--;
    return blocks;
}
