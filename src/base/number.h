/* Small arithmetic, inlined for hot loops: fmax would add its rules about NaN, and ceil a call. */
#ifndef ORR_BASE_NUMBER_H
#define ORR_BASE_NUMBER_H

#include <stddef.h>
#include <stdint.h>

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

/* The order of doubles for qsort. */
static inline int orr_ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value below which a share of the sorted numbers lies, linear between neighbours. */
static inline double orr_quantile(const double *sorted, size_t n, double share)
{
    const double at = share * (double)(n - 1);
    const size_t i = (size_t)at;
    return i + 1 < n ? sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]) : sorted[n - 1];
}

#endif
