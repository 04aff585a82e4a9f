/* How far stacks are from their parents: what the measured stacks say, and how that is estimated. Eq. 362. */
#include "calibrate/stack.h"
#include "calibrate/stack_population.h"

#include "base/number.h"

#include <math.h>
#include <string.h>

/* The scales count like so many stacks that lie about their parents with spread 1. */
#define SCALES_WEIGHT 2.0

/* Weights where nothing is known of the stack. */
#define AS_IT_IS 0.40
#define FITTED   0.28
#define OTHERS   0.32

/* What is judged about the width of runs about a parent: its median, and the spread of its logarithm. */
#define WIDTH        0.10
#define WIDTH_SPREAD 0.50
/* A width is looked for in so many rounds, from this one on. */
#define ROUNDS    100
#define NARROWEST 0.01 /* runs repeat no better */

struct orr_stack_population orr_stack_unknown(void)
{
    struct orr_stack_population population = {
        .width = WIDTH, .width_spread = WIDTH_SPREAD, .as_it_is = AS_IT_IS, .fitted = FITTED, .others = OTHERS};
    for (int i = 0; i < ORR_STACK_DIMS; i++) population.spread[i] = 1;
    return population;
}

/* ---------------------------------------------------------------- on record */

#define WEIGHTS_(kin, as_it_is, fitted, others) [ORR_STACK_##kin] = {as_it_is, fitted, others},
static const double WEIGHTS[ORR_N_STACK_KINS][3] = {ORR_STACK_WEIGHTS(WEIGHTS_)};

#define WIDTHS_(name, training, serving) {training, serving},
static const double WIDTHS[][2] = {ORR_STACK_WIDTHS(WIDTHS_)};

#define TRAINED_(key, spread, serving_spread) spread,
#define SERVED_(key, spread, serving_spread)  serving_spread,
static const double SPREADS[2][ORR_STACK_DIMS] = {{ORR_STACK_SPREADS(TRAINED_)}, {ORR_STACK_SPREADS(SERVED_)}};
/* The record has the parameters in their order: each line stands where its member has its number. */
#define NUMBER_(member, ...) NUMBER_OF_##member,
enum { ORR_STACK_PARAMETERS(NUMBER_) NUMBER_OF_time_factor };
#define LINE_(key, ...) LINE_OF_##key,
enum { ORR_STACK_SPREADS(LINE_) N_LINES };
#define SAME_(key, ...) _Static_assert((int)LINE_OF_##key == (int)NUMBER_OF_##key, "out of order: " #key);
ORR_STACK_SPREADS(SAME_)
_Static_assert((int)N_LINES == (int)ORR_STACK_DIMS, "a line for every parameter and the level");

struct orr_stack_population orr_stack_recorded(enum orr_stack_kin kin)
{
    const int serves = kin != ORR_STACK_TRAINED;
    struct orr_stack_population population = {.width = WIDTHS[0][serves],
                                              .width_spread = WIDTHS[1][serves],
                                              .as_it_is = WEIGHTS[kin][0],
                                              .fitted = WEIGHTS[kin][1],
                                              .others = WEIGHTS[kin][2]};
    memcpy(population.spread, SPREADS[serves], sizeof population.spread);
    return population;
}

double orr_stack_within(enum orr_regime regime)
{
    switch (regime) {
    case ORR_REGIME_TRAIN_DENSE:
    case ORR_REGIME_TRAIN_MOE: return ORR_STACK_WITHIN_TRAINING;
    case ORR_REGIME_DECODE_DRAM:
    case ORR_REGIME_DECODE_NETWORK:
    case ORR_REGIME_HOST:
    case ORR_REGIME_PREFILL:
    case ORR_REGIME_PREFILL_SHORT:
    case ORR_REGIME_INFER_MOE: return ORR_STACK_WITHIN_BATCHES;
    case ORR_REGIME_IN_FLIGHT:
    case ORR_REGIME_IN_FLIGHT_MOE:
    case ORR_REGIME_SERVE:
    case ORR_REGIME_SERVE_MOE:
    case ORR_REGIME_SERVE_FIRST:
    case ORR_N_REGIMES: break;
    }
    return ORR_STACK_WITHIN_LOAD;
}

/* ---------------------------------------------------------------- estimating */

void orr_stack_moments_add(const struct orr_stack_population *population, const struct orr_stack_fit *fit,
                           double weight, struct orr_stack_moments *moments)
{
    for (int i = 0; i < ORR_STACK_DIMS; i++) {
        if (i < ORR_STACK_N && !fit->active[i]) continue; /* no run of the stack tells it */
        const double unit = i < ORR_STACK_N ? 1 : ORR_STACK_LEVEL,
                     x = (i < ORR_STACK_N ? fit->x[i] : fit->level) / unit;
        const double n = orr_stack_freedom(i), z = x / population->spread[i];
        const double w = weight * (n > 0 ? (n + 1) / (n + z * z) : 1); /* a far stack hardly widens a heavy tail */
        moments->weight[i] += w;
        moments->second[i] += w * x * x + weight * (n > 0 ? (n + 1) / n : 1) * fit->covariance[i][i] / (unit * unit);
    }
}

double orr_stack_width(const struct orr_stack_runs *runs, const struct orr_stack_choice *chosen)
{
    double width = WIDTH, level = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double weights = 0, sum = 0, square = 0;
        for (size_t i = 0; i < chosen->n; i++) {
            const double error = log(runs->as_is[chosen->at[i]]), w = orr_stack_weight(error - level, width);
            weights += w;
            sum += w * error;
            square += w * (error - level) * (error - level);
        }
        if (chosen->n == 0) break;
        width = orr_max(NARROWEST, sqrt(square / (double)chosen->n));
        level = sum / weights;
    }
    return width;
}

void orr_stack_moments_add_width(double width, double weight, struct orr_stack_moments *moments)
{
    moments->width_weight += weight;
    moments->width_first += weight * log(width);
    moments->width_second += weight * log(width) * log(width);
}

void orr_stack_moments_settle(const struct orr_stack_moments *moments, struct orr_stack_population *population)
{
    const double weight = moments->width_weight + SCALES_WEIGHT, judged = log(WIDTH);
    const double mean = (moments->width_first + SCALES_WEIGHT * judged) / weight;
    const double square =
        (moments->width_second + SCALES_WEIGHT * (judged * judged + WIDTH_SPREAD * WIDTH_SPREAD)) / weight;
    population->width = exp(mean);
    population->width_spread = sqrt(square - mean * mean);
    for (int i = 0; i < ORR_STACK_DIMS; i++)
        population->spread[i] = sqrt((moments->second[i] + SCALES_WEIGHT) / (moments->weight[i] + SCALES_WEIGHT));
}
