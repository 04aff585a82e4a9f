/* Random numbers by index: they need a key but no state, so any thread or machine can draw them in any order. */
#ifndef ORR_BASE_RANDOM_H
#define ORR_BASE_RANDOM_H

#include <stdint.h>

/* The finaliser of SplitMix64 (Steele, Lea, Flood 2014). */
static inline uint64_t orr_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* A well mixed 64-bit number for every key and index. */
static inline uint64_t orr_random_bits(uint64_t key, uint64_t index)
{
    return orr_mix(orr_mix(key) + (index + 1) * UINT64_C(0x9e3779b97f4a7c15));
}

/* The same as a number in (0, 1): the middle of one of 2^53 equal intervals. */
static inline double orr_random_frac(uint64_t key, uint64_t index)
{
    return ((double)(orr_random_bits(key, index) >> 11) + 0.5) * 0x1p-53;
}

#endif
