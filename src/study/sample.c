/* Random numbers by counter (the output function of SplitMix64), permutations without tables, and stratified
 * samples. */
#include "study/sample.h"

enum { ROUNDS = 6 };

/* A Feistel network permutes the next power of four. A value outside 0 .. n - 1 is permuted again until it is
 * inside. */
int64_t orr_permuted(int64_t index, int64_t n, uint64_t key)
{
    unsigned half = 1;
    while (half < 31 && (INT64_C(1) << (2 * half)) < n) half++;
    const uint64_t mask = (UINT64_C(1) << half) - 1;
    uint64_t x = (uint64_t)index;
    do {
        uint64_t left = x >> half, right = x & mask;
        for (uint64_t round = 0; round < ROUNDS; round++) {
            const uint64_t next = left ^ (orr_random_bits(key + round, right) & mask);
            left = right;
            right = next;
        }
        x = left << half | right;
    } while (x >= (uint64_t)n);
    return (int64_t)x;
}

double orr_stratified(int64_t index, int64_t n, uint64_t key)
{
    const double inside =
        ((double)(orr_random_bits(~key, (uint64_t)index) >> 12) + 0.5) / 4503599627370496.0; /* divided by 2^52 */
    return ((double)orr_permuted(index, n, key) + inside) / (double)n;
}
