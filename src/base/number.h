/* Small arithmetic for hot loops. These functions are inlined; fmax would add its rules about NaN, and ceil a call. */
#ifndef ORR_BASE_NUMBER_H
#define ORR_BASE_NUMBER_H

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

#endif
