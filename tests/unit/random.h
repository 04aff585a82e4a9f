/* Shared by the tests over random jobs: the same numbers on every machine. */
#ifndef ORR_TESTS_RANDOM_H
#define ORR_TESTS_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct random {
    uint64_t state;
};

/* 0 ... n - 1 */
static inline size_t draw(struct random *random, size_t n)
{
    random->state = random->state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(random->state >> 33) % n;
}

static inline int draw_power(struct random *random, size_t n)
{
    return 1 << draw(random, n);
}

#endif
