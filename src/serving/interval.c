/* This file has the 80 % intervals of a service under load. The error of a step goes through the closed form, which
 * says how far means move: near saturation that is much more than the steps themselves. Eqs. 210, 236. */
#include "predict/interval.h"

#include "base/number.h"
#include "predict/scratch.h"
#include "serving/closed.h"

#include <math.h>

/* Adds two independent errors, factors on the same side of 1, in squares of their logarithms. */
static double joined(double a, double b)
{
    const double reach = hypot(log(a), log(b));
    return exp(a < 1 || b < 1 ? -reach : reach);
}

/* What binds the steps: of the mean batch, and of prompts by their share of the time. */
static struct orr_exposure exposure_of(const struct orr_job *job, double input, double output,
                                       const struct orr_steady *steady, struct orr_scratch *scratch)
{
    struct orr_job mean = *job;
    struct orr_infer_result result;
    mean.serving.batch = (int64_t)orr_max(1, floor(steady->decodes + 0.5));
    mean.serving.input_len = (int64_t)orr_max(1, floor(input + 0.5));
    mean.serving.output_len = (int64_t)orr_max(1, floor(output + 0.5));
    orr_infer_times(&mean, scratch, &result);
    const double prompts = output > 1 ? orr_min(1, steady->prompt_load) : 1;
    return orr_step_exposure(&result, prompts, steady->step_s);
}

struct orr_serving_doubt orr_serving_doubt_of(const struct orr_job *job, double input, double output,
                                              const struct orr_steady *middle, struct orr_scratch *scratch)
{
    struct orr_serving_doubt doubt = {.exposure = exposure_of(job, input, output, middle, scratch)};
    const struct orr_exposure handling = orr_first_exposure(middle->handling_s, middle->ttft_s);
    doubt.step = orr_interval_of(job, orr_serving_regime(job), &doubt.exposure);
    doubt.first = orr_interval_of(job, ORR_REGIME_SERVE_FIRST, &handling);
    return doubt;
}

/* How far the means of another steady state are from those of the middle. */
struct moved {
    double factor[ORR_N_TIMINGS], rate;
    bool stable;
};

static double ratio(double end, double middle)
{
    return middle > 0 && end > 0 ? end / middle : 1;
}

static struct moved moved_by(double output, const struct orr_steady *middle, const struct orr_steady *end)
{
    const double further = output - 1;
    struct moved moved = {.rate = ratio(end->rate_per_s, middle->rate_per_s), .stable = end->stable};
    moved.factor[ORR_TIMING_TTFT] = moved.factor[ORR_TIMING_QUEUE] = ratio(end->ttft_s, middle->ttft_s);
    moved.factor[ORR_TIMING_TPOT] = moved.factor[ORR_TIMING_ITL] = ratio(end->tpot_s, middle->tpot_s);
    moved.factor[ORR_TIMING_LATENCY] =
        ratio(end->ttft_s + further * end->tpot_s, middle->ttft_s + further * middle->tpot_s);
    return moved;
}

/* A first token has, besides its steps, handling and admission (Eq. 236); a measured engine has its residuals. */
static void widen_first(const struct orr_interval *first, double *low, double *high)
{
    struct orr_interval both = *first;
    both.low = first->measured ? orr_min(*low, first->low) : joined(*low, first->low);
    both.high = first->measured ? orr_max(*high, first->high) : joined(*high, first->high);
    both = orr_towards_class(both);
    *low = both.low;
    *high = both.high;
}

static void fill_timings(const struct moved *fast, const struct moved *slow, const struct orr_interval *step,
                         const struct orr_interval *first, struct orr_serving_result *result)
{
    for (int i = 0; i < ORR_N_TIMINGS; i++) {
        struct orr_timing *t = &result->timing[i];
        const bool is_first = i == ORR_TIMING_TTFT || i == ORR_TIMING_QUEUE;
        double low = orr_min(1, fast->factor[i]), high = orr_max(1, slow->factor[i]);
        if (is_first) widen_first(first, &low, &high);
        t->low_frac = joined(low, t->low_frac);
        t->high_frac = joined(high, t->high_frac);
        t->mid_frac = is_first ? 1 : step->mid;
    }
    result->rate_low_frac = orr_min(1, slow->rate);
    result->rate_high_frac = orr_max(1, fast->rate);
}

void orr_serving_spread(const struct orr_serving_doubt *doubt, double output, const struct orr_steady *middle,
                        const struct orr_steady ends[2], struct orr_serving_result *result)
{
    const struct orr_interval *step = &doubt->step;
    const struct moved fast = moved_by(output, middle, &ends[0]), slow = moved_by(output, middle, &ends[1]);
    fill_timings(&fast, &slow, step, &doubt->first, result);
    result->step_low_frac = step->low;
    result->step_high_frac = step->high;
    for (int i = 0; i < ORR_N_BOUNDS; i++) result->bound_frac[i] = doubt->exposure.bound_frac[i];
    result->interval_class = step->name;
    result->interval_from = step->from;
    result->first_from = doubt->first.from;
    result->engine_measured = step->measured;
    const double reach = slow.factor[ORR_TIMING_TTFT] / fast.factor[ORR_TIMING_TTFT];
    result->at_knee = (fast.stable && !slow.stable) || reach > ORR_KNEE;
    if (!middle->stable) result->saturated = true;
}

void orr_serving_intervals(const struct orr_job *job, const struct orr_replica_facts *facts,
                           const struct orr_demand *demand, struct orr_steps *steps, const struct orr_steady *middle,
                           struct orr_scratch *scratch, struct orr_serving_result *result)
{
    const struct orr_serving_doubt doubt = orr_serving_doubt_of(job, demand->input, demand->output, middle, scratch);
    const struct orr_steady ends[2] = {orr_steady_of(facts, steps, demand, doubt.step.low),
                                       orr_steady_of(facts, steps, demand, doubt.step.high)};
    orr_serving_spread(&doubt, demand->output, middle, ends, result);
}
