/* The rate of a measured run of open arrivals, from its time per token. */
#include "validate/rate.h"

#include "base/number.h"
#include "predict/interval.h"
#include "serving/closed.h"
#include "serving/traffic.h"

#include <math.h>

/* Rates that are tried, before they are halved. */
#define RATE_STRIDE 1.04

/* Does a traffic need more than `tpot_s` per token, or queue without end? */
static bool is_slower(struct orr_closed_form *form, const struct orr_traffic *traffic,
                      const struct orr_mean_lengths *lengths, double tpot_s, struct orr_serving_result *result)
{
    orr_closed_form_means(form, traffic, lengths, result);
    return result->saturated || result->timing[ORR_TIMING_TPOT].mean > tpot_s;
}

double orr_rate_for(struct orr_closed_form *form, struct orr_traffic traffic, double tpot_s,
                    struct orr_serving_result *result)
{
    const struct orr_mean_lengths lengths = orr_traffic_lengths(&traffic);
    double low = 0, high = traffic.rate_per_s;
    for (int i = 0; i < 12; i++, high *= 2) {
        traffic.rate_per_s = high;
        if (is_slower(form, &traffic, &lengths, tpot_s, result)) break;
    }
    for (int i = 0; i < 30; i++) {
        traffic.rate_per_s = (low + high) / 2;
        if (is_slower(form, &traffic, &lengths, tpot_s, result)) high = traffic.rate_per_s;
        else low = traffic.rate_per_s;
    }
    return (low + high) / 2;
}

/* Is a rate too much for a time per token in the run of a row, which begins with nobody and lasts as long as that of
 * the load generator? */
static bool is_above(const struct orr_job *job, struct orr_traffic traffic, double rate_per_s, double tpot_s)
{
    struct orr_serving_result result;
    struct orr_error error;
    traffic.requests = lround((double)traffic.requests * rate_per_s / traffic.rate_per_s);
    traffic.rate_per_s = rate_per_s;
    if (orr_simulate(job, &traffic, NULL, &result, &error)) return true;
    return result.saturated || result.timing[ORR_TIMING_TPOT].mean > tpot_s;
}

/* Eq. 335: from the rate of the closed form in steps, then by halving. */
double orr_rate_of_run(const struct orr_job *job, const struct orr_traffic *traffic, double near_per_s, double tpot_s)
{
    const bool above = is_above(job, *traffic, near_per_s, tpot_s);
    double low = above ? near_per_s / RATE_STRIDE : near_per_s, high = above ? near_per_s : near_per_s * RATE_STRIDE;
    while (above && low > near_per_s / 2 && is_above(job, *traffic, low, tpot_s)) high = low, low /= RATE_STRIDE;
    while (!above && high < 2 * near_per_s && !is_above(job, *traffic, high, tpot_s)) low = high, high *= RATE_STRIDE;
    for (int i = 0; i < 5; i++) {
        const double middle = (low + high) / 2;
        if (is_above(job, *traffic, middle, tpot_s)) high = middle;
        else low = middle;
    }
    return low;
}

/* Eq. 237. */
void orr_widen_first(const struct orr_job *job, struct orr_closed_form *form, const struct orr_traffic *traffic,
                     double tpot_s, struct orr_serving_result *result)
{
    struct orr_timing *ttft = &result->timing[ORR_TIMING_TTFT];
    const double scale[2] = {result->step_low_frac, result->step_high_frac};
    const struct orr_exposure handling = orr_first_exposure(0, ttft->mean);
    struct orr_interval first = orr_interval_of(job, ORR_REGIME_SERVE_FIRST, &handling);
    double low = 1, high = 1;
    for (int i = 0; i < 2; i++) {
        struct orr_serving_result end;
        (void)orr_rate_for(form, *traffic, tpot_s / scale[i], &end);
        const double factor = scale[i] * end.timing[ORR_TIMING_TTFT].mean / ttft->mean;
        low = orr_min(low, factor);
        high = orr_max(high, factor);
    }
    result->at_knee = high / low > ORR_KNEE;
    first.low = exp(-hypot(log(low), log(first.low)));
    first.high = exp(hypot(log(high), log(first.high)));
    first = orr_towards_class(first);
    ttft->low_frac = first.low;
    ttft->high_frac = first.high;
}
