/* This file finds the steps of ranks that share experts in closed form (docs/serving.md, "Closed form"). All ranks step
 * together, so that a step lasts as long as the rank with most to do and every prompt is a part of everybody's steps.
 * Prompts that come during a step are computed in the next one, which makes the lengths of steps a chain: a long step
 * is followed by a step with many prompts. Its two states are steps without prompts and steps with some.
 * Eqs. 380-384. */
#include "serving/closed_search.h"

#include "base/number.h"

#include <math.h>

/* The chain of steps at a rate. */
struct chain {
    double prompts_per_s; /* of all ranks; every chunk counts */
    double none;          /* share of steps without prompts */
    double mean_s, at_once;
};

static double within(double value, double low, double high)
{
    return orr_min(high, orr_max(low, value));
}

/* ---------------------------------------------------------------- the fullest of several ranks */

/* The mean of the largest of n standard normal numbers: the quantile (n - 0.375)/(n + 0.25) (Blom), by a fit of the
 * normal quantile that is good to 0.005. */
static double largest_of(double n)
{
    if (n <= 1) return 0;
    const double above = 1 - (n - 0.375) / (n + 0.25), t = sqrt(-2 * log(above));
    return orr_max(0, t - (2.30753 + 0.27061 * t) / (1 + 0.99229 * t + 0.04481 * t * t));
}

/* Eq. 380: requests are dealt out to the ranks in turn, so that their numbers differ only because answers differ in
 * length, and by the last round. Half the mean difference of two answers is about 0.564 deviations. */
static double fullest_decodes(const struct orr_closed_search *s, double n)
{
    const struct orr_demand *d = s->demand;
    const double deviation = sqrt(orr_max(0, d->output_square / (d->output * d->output) - 1));
    return n + sqrt(0.564 * deviation * n + 1.0 / 6) * largest_of((double)s->facts->ranks);
}

/* The mean of min(K, ranks) over Poisson numbers K of mean k, by the normal law: ranks that have prompts. */
static double ranks_with_prompts(double k, double ranks)
{
    const double deviation = sqrt(k), z = (ranks - k) / deviation;
    const double beyond = deviation * (exp(-z * z / 2) / sqrt(2 * acos(-1)) - z * erfc(z / sqrt(2)) / 2);
    return within(k - orr_max(0, beyond), 0, ranks);
}

/* Eq. 381: a step with k prompts in all. Consecutive requests are on different ranks, so that the fullest rank has one
 * until there are as many as ranks. Experts work for the mean of the ranks, the rest for the fullest (Eq. 257). */
static double step_s(const struct orr_closed_search *s, double chunks, double k, double n)
{
    const struct orr_demand *d = s->demand;
    const double ranks = (double)s->facts->ranks, each = d->input / chunks, cached = (d->input - each) / 2;
    const double most = orr_max(1, k / ranks + (1 - 1 / ranks) / 2);
    const double longest = chunks > 1 ? 0 : sqrt(most) * d->input_deviation * largest_of(orr_min(k, ranks));
    const double idle = s->mixes ? 0 : ranks_with_prompts(k, ranks) / ranks;
    const double own_s = orr_closed_prompt_s(s, most * each + longest, most, cached, s->mixes ? n : 0);
    const double mean_s = orr_closed_prompt_s(s, k / ranks * each, 1, cached, (1 - idle) * n);
    return orr_min(own_s, mean_s + s->facts->own_frac * orr_max(0, own_s - mean_s));
}

/* ---------------------------------------------------------------- the chain */

/* Eq. 382: a step is without prompts if none came in the one before. */
static struct chain chain_of(double prompts_per_s, double tau_s, double prompt_s)
{
    const double after_none = exp(-prompts_per_s * tau_s), after_some = exp(-prompts_per_s * prompt_s);
    struct chain c = {.prompts_per_s = prompts_per_s, .none = after_some / (1 - after_none + after_some)};
    if (!(c.none >= 0)) c.none = 1; /* no prompts at all */
    c.mean_s = c.none * tau_s + (1 - c.none) * prompt_s;
    c.at_once = c.none < 1 ? prompts_per_s * c.mean_s / (1 - c.none) : 1;
    return c;
}

/* The prompts of a step and its length belong to each other; both grow with each other, nearly on a line. */
static struct chain settle(const struct orr_closed_search *s, double chunks, double prompts_per_s, double tau_s,
                           double n, double most, double *prompt_s)
{
    double k = 1, time_s = step_s(s, chunks, k, n), slope_s = 0;
    struct chain c = chain_of(prompts_per_s, tau_s, time_s);
    for (int i = 0; i < 12; i++) {
        const double next = within(c.at_once, 1, most);
        if (fabs(next - k) < 1e-4 * k) break;
        /* On a line through the last two points, k = k(T(k)) has a solution of its own. */
        const double gain = prompts_per_s * slope_s;
        double to = gain > 0 && gain < 0.95 ? k + (next - k) / (1 - gain) : gain >= 0.95 ? k + 4 * (next - k) : next;
        to = within(to, 1, most);
        const double to_s = step_s(s, chunks, to, n);
        if (fabs(to - k) > 1e-9) slope_s = orr_max(0, (to_s - time_s) / (to - k));
        k = to;
        time_s = to_s;
        c = chain_of(prompts_per_s, tau_s, time_s);
    }
    *prompt_s = time_s;
    return c;
}

/* What a sequence and a request see of the chain. */
static void fill(const struct orr_closed_search *s, const struct chain *c, double n, double most, struct orr_together *t)
{
    const double ranks = (double)s->facts->ranks, square = c->none * t->tau_s * t->tau_s;
    const double mean_square = square + (1 - c->none) * t->prompt_s * t->prompt_s;
    const double stopped = s->mixes ? 0 : (1 - c->none) * ranks_with_prompts(c->at_once, ranks) / ranks;
    t->mean_s = c->mean_s;
    t->at_once = c->at_once;
    t->rest_s = mean_square / (2 * c->mean_s);
    t->token_s = c->mean_s / orr_max(1e-3, 1 - stopped); /* Eq. 383 */
    t->token_s = orr_max(t->token_s, n * s->facts->engine.stream_s_per_token / s->facts->host_speed);
    t->rate_per_s = n / (s->further * t->token_s);
    t->load = c->prompts_per_s * t->prompt_s / most;
}

/* Eq. 384: at a given rate the chain follows from n; in a closed loop the rate that belongs to n is found with it. */
struct orr_together orr_together_of(const struct orr_closed_search *s, double n)
{
    const struct orr_demand *d = s->demand;
    const double ranks = (double)s->facts->ranks;
    const double left = orr_max(1, s->budget - (s->mixes ? n * (double)s->facts->queries : 0));
    struct orr_together t = {.tau_s = orr_closed_decode_s(s, fullest_decodes(s, n)), .chunks = 1};
    if (s->facts->engine.chunked_prefill) t.chunks = orr_max(1, orr_ceil(d->input / left));
    const double most = ranks * orr_max(1, floor(left / d->input));
    double low = 0, high = n / (s->further * t.tau_s); /* rates of one rank */
    struct chain c;
    if (d->rate_per_s > 0) {
        c = settle(s, t.chunks, ranks * d->rate_per_s * t.chunks, t.tau_s, n, most, &t.prompt_s);
        fill(s, &c, n, most, &t);
    } else
        for (int i = 0; i < 14; i++) {
            const double rate = (low + high) / 2;
            c = settle(s, t.chunks, ranks * rate * t.chunks, t.tau_s, n, most, &t.prompt_s);
            fill(s, &c, n, most, &t);
            if (t.rate_per_s < rate) high = rate;
            else low = rate;
        }
    /* The step of a request's own prompt has those that came with it. */
    t.own_s = step_s(s, t.chunks, orr_min(most, 1 + c.prompts_per_s * 2 * t.rest_s), n);
    return t;
}
