/* The allocator of jansson: malloc and free, a note of every failure, and a small reserve.
 *
 * jansson goes on after a failed allocation in places where it must not: its reader of strings drops a byte and can
 * then end the program in an assertion. So a failed allocation is noted and served from a reserve; what is made of
 * it is thrown away, because the note turns the result into "out of memory". The reserve is free again when the last
 * block of it is. */
#include "spec/json_memory.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <jansson.h>

enum { RESERVE = 1 << 18, ALIGNMENT = 16 };

static _Alignas(ALIGNMENT) unsigned char reserve[RESERVE];
static size_t n_used, n_blocks;
static atomic_flag busy = ATOMIC_FLAG_INIT;

static void *take_reserve(size_t size)
{
    void *block = NULL;
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    while (atomic_flag_test_and_set(&busy)) continue;
    if (size <= RESERVE - n_used) {
        block = reserve + n_used;
        n_used += size;
        n_blocks++;
    }
    atomic_flag_clear(&busy);
    return block;
}

static void *take(size_t size)
{
    void *block = malloc(size); /* which notes the failure (base/allocate.h) */
    if (block) return block;
    return size < RESERVE ? take_reserve(size) : NULL;
}

static void give_back(void *block)
{
    const uintptr_t at = (uintptr_t)block, start = (uintptr_t)reserve;
    if (at < start || at >= start + RESERVE) {
        free(block);
        return;
    }
    while (atomic_flag_test_and_set(&busy)) continue;
    if (--n_blocks == 0) n_used = 0;
    atomic_flag_clear(&busy);
}

/* A program that gave jansson an allocator of its own keeps it. */
void orr_json_memory(void)
{
    json_malloc_t now;
    json_free_t free_now;
    json_get_alloc_funcs(&now, &free_now);
    if (now == malloc && free_now == free) json_set_alloc_funcs(take, give_back);
}
