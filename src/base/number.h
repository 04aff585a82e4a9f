/* Small arithmetic, inlined for hot loops: fmax would add its rules about NaN, and ceil a call. */
#ifndef ORR_BASE_NUMBER_H
#define ORR_BASE_NUMBER_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static inline double orr_max(double a, double b)
{
    return a > b ? a : b;
}

static inline double orr_min(double a, double b)
{
    return a < b ? a : b;
}

/* The smallest whole number not below x, for 0 <= x < 2^63. */
static inline double orr_ceil(double x)
{
    const double whole = (double)(int64_t)x;
    return whole + (whole < x ? 1 : 0);
}

/* The mean of the largest of n >= 1 independent standard normal values; between powers of two linear in log2 n. */
static inline double orr_largest_normal(double n)
{
    static const double expected[] = {0,     0.564, 1.029, 1.424, 1.766, 2.070, 2.344, 2.595, 2.827, 3.044, 3.248,
                                      3.442, 3.626, 3.802, 3.971, 4.134, 4.291, 4.443, 4.590, 4.733, 4.872};
    const double last = (double)(sizeof expected / sizeof *expected - 1);
    const double doublings = orr_min(log2(n), last);
    const double below = orr_min(floor(doublings), last - 1), part = doublings - below;
    return (1 - part) * expected[(size_t)below] + part * expected[(size_t)below + 1];
}

/* The order of doubles for qsort. */
static inline int orr_ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of n >= 1 numbers, which are sorted for it. */
static inline double orr_median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, orr_ascending);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* The value below which a share of the sorted numbers lies, linear between neighbours. */
static inline double orr_quantile(const double *sorted, size_t n, double share)
{
    const double at = share * (double)(n - 1);
    const size_t i = (size_t)at;
    return i + 1 < n ? sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]) : sorted[n - 1];
}

#endif
