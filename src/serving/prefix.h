/* Beginnings of prompts that stay in the cache after their request has ended: found again by a number that stands for
 * their tokens, and given up oldest first when room is needed. Engines find them block by block by hashes (vLLM) or in
 * a radix tree (SGLang, TensorRT-LLM); for prompts that share one beginning both come to the same. Eq. 224. */
#ifndef ORR_SERVING_PREFIX_H
#define ORR_SERVING_PREFIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct orr_prefix {
    uint64_t id;
    int64_t blocks, users;
    int32_t chain;        /* next with the same hash */
    int32_t older, newer; /* among those that nobody uses */
};

struct orr_prefixes {
    struct orr_prefix *items;
    int32_t room, free_item;
    int32_t *heads; /* by hash; n_heads is a power of two */
    size_t n_heads, n;
    int32_t oldest, newest;
    int64_t idle_blocks; /* of those that nobody uses */
};

void orr_prefixes_open(struct orr_prefixes *all);
void orr_prefixes_close(struct orr_prefixes *all);
/* The place of a beginning; -1: it is not in the cache. */
int32_t orr_prefix_find(const struct orr_prefixes *all, uint64_t id);
/* Adds a beginning without blocks and with one user; -1: out of memory. */
int32_t orr_prefix_add(struct orr_prefixes *all, uint64_t id);
void orr_prefix_use(struct orr_prefixes *all, int32_t place);
void orr_prefix_leave(struct orr_prefixes *all, int32_t place);
/* Gives up the one that nobody has used for longest; returns its blocks, 0 if there is none. */
int64_t orr_prefix_evict(struct orr_prefixes *all);

#endif
