/* The numbers that runs can tell: how each may differ from the parent's, and how far. Eqs. 170, 171. */
#include "calibrate/stack.h"

#include "base/number.h"

#include <math.h>

#define ROW_(key, prior, scale, inverse, jobs, meaning)                                                                \
    {#key, meaning, ORR_STACK_##prior, scale, inverse, offsetof(struct orr_engine, key), ORR_STACK_##jobs},
static const struct orr_stack_parameter PARAMETERS[ORR_STACK_N] = {ORR_STACK_PARAMETERS(ROW_)};

/* A share of 0 or 1 has no logit: it is moved inside before it is fitted. */
#define SHARE_LEAST 0.07
/* Degrees of freedom of the heavy-tailed priors. */
#define TAIL_FREEDOM 3.0
#define TIME_FREEDOM 2.0
/* Times may grow to this many spreads, factors to e to the power of so many spreads. */
#define TIME_MOST 200.0
/* Less than this share of a spread is no time at all. */
#define LEAST_TIME 1e-6
#define LOG_MOST   3.2
#define TAIL_MOST  6.5

const struct orr_stack_parameter *orr_stack_parameter(int i)
{
    return &PARAMETERS[i];
}

double orr_stack_parent(int i, const struct orr_engine *engine)
{
    return *(const double *)(const void *)((const char *)engine + PARAMETERS[i].offset);
}

static double logit_of(double share)
{
    const double inside = orr_min(1 - SHARE_LEAST, orr_max(SHARE_LEAST, share));
    return log(inside / (1 - inside));
}

double orr_stack_value(int i, double parent, double x)
{
    const double scale = PARAMETERS[i].scale;
    switch (PARAMETERS[i].prior) {
    case ORR_STACK_LOG:
    case ORR_STACK_TAIL: return parent * exp(scale * x);
    case ORR_STACK_LOGIT: return 1 / (1 + exp(-logit_of(parent) - scale * x));
    case ORR_STACK_TIME: return parent + scale * x > LEAST_TIME * scale ? parent + scale * x : 0;
    case ORR_N_STACK_PRIORS: break;
    }
    return parent;
}

double orr_stack_natural(int i, double parent, double x)
{
    const double value = orr_stack_value(i, parent, x);
    return PARAMETERS[i].inverse ? 1 / value : value;
}

double orr_stack_natural_slope(int i, double parent, double x)
{
    const double scale = PARAMETERS[i].scale, value = orr_stack_value(i, parent, x);
    switch (PARAMETERS[i].prior) {
    case ORR_STACK_LOG:
    case ORR_STACK_TAIL: return PARAMETERS[i].inverse ? -scale / value : scale * value;
    case ORR_STACK_LOGIT: return scale * value * (1 - value);
    case ORR_STACK_TIME: return scale;
    case ORR_N_STACK_PRIORS: break;
    }
    return 0;
}

void orr_stack_bounds(int i, double parent, double *low, double *high)
{
    *low = -LOG_MOST;
    *high = LOG_MOST;
    if (PARAMETERS[i].prior == ORR_STACK_TAIL) *high = TAIL_MOST;
    if (PARAMETERS[i].prior == ORR_STACK_TIME) {
        *low = -parent / PARAMETERS[i].scale;
        *high = TIME_MOST;
    }
}

double orr_stack_freedom(int i)
{
    if (i == ORR_STACK_N) return 0;
    return PARAMETERS[i].prior == ORR_STACK_TAIL   ? TAIL_FREEDOM
           : PARAMETERS[i].prior == ORR_STACK_TIME ? TIME_FREEDOM
                                                   : 0;
}

/* The spread of x, or of the level. */
static double spread_of(const struct orr_stack_population *prior, int i)
{
    return prior->spread[i] * (i == ORR_STACK_N ? ORR_STACK_LEVEL : 1);
}

double orr_stack_penalty(const struct orr_stack_population *prior, int i, double x)
{
    const double n = orr_stack_freedom(i), z = x / spread_of(prior, i);
    return n > 0 ? 0.5 * (n + 1) * log1p(z * z / n) : 0.5 * z * z;
}

double orr_stack_penalty_slope(const struct orr_stack_population *prior, int i, double x)
{
    return x * orr_stack_curvature(prior, i, x);
}

double orr_stack_curvature(const struct orr_stack_population *prior, int i, double x)
{
    const double n = orr_stack_freedom(i), spread = spread_of(prior, i), z = x / spread;
    return (n > 0 ? (n + 1) / (n + z * z) : 1) / (spread * spread);
}
