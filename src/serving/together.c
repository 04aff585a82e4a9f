/* This file finds the steps of ranks that share experts in closed form (docs/serving.md, "Closed form"). All ranks step
 * together, so that a step lasts as long as the rank with most to do and every prompt is a part of everybody's steps.
 * Prompts that come during a step are computed in the next one, which makes the lengths of steps a chain: a long step
 * is followed by a step with many prompts. Its two states are steps without prompts and steps with some.
 * Eqs. 270-274. */
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

/* Eq. 270: requests are dealt out to the ranks in turn, so that their numbers differ only because answers differ in
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

/* The experts' side of a step with k prompts, over three numbers of tokens at which the rule of Gauss has its nodes:
 * the time has stairs in them (Eq. 244), and prompts vary in length and number. */
static double shared_s(const struct orr_closed_search *s, double chunks, double k, double decodes)
{
    const struct orr_demand *d = s->demand;
    const double ranks = (double)s->facts->ranks, each = d->input / chunks, cached = (d->input - each) / 2;
    const double mean = k * each / ranks, vary = chunks > 1 ? 0 : d->input_deviation;
    const double deviation = sqrt(k * vary * vary + orr_max(0, k - 1) * each * each) / ranks;
    const double away = orr_min(0.9 * mean, sqrt(1.8) * deviation);
    const double mean_s = orr_closed_prompt_s(s, mean, 1, cached, decodes);
    if (away < 1) return mean_s;
    const double low_s = orr_closed_prompt_s(s, mean - away, 1, cached, decodes);
    return (5 * low_s + 8 * mean_s + 5 * orr_closed_prompt_s(s, mean + away, 1, cached, decodes)) / 18;
}

/* Eq. 271: a step with k prompts in all. Consecutive requests are on different ranks, so that the fullest rank has one
 * until there are as many as ranks. Experts work for the mean of the ranks, the rest for the fullest (Eq. 257). */
static double step_s(const struct orr_closed_search *s, double chunks, double k, double n)
{
    const struct orr_demand *d = s->demand;
    const double ranks = (double)s->facts->ranks, each = d->input / chunks, cached = (d->input - each) / 2;
    const double most = orr_max(1, k / ranks + (1 - 1 / ranks) / 2);
    const double longest = chunks > 1 ? 0 : sqrt(most) * d->input_deviation * largest_of(orr_min(k, ranks));
    const double idle = s->mixes ? 0 : ranks_with_prompts(k, ranks) / ranks;
    const double own_s = orr_closed_prompt_s(s, most * each + longest, most, cached, s->mixes ? n : 0);
    const double mean_s = shared_s(s, chunks, k, (1 - idle) * n);
    return orr_min(own_s, mean_s + s->facts->own_frac * orr_max(0, own_s - mean_s));
}

/* ---------------------------------------------------------------- the chain */

/* Eq. 272: a step is without prompts if none came in the one before. */
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
static void fill(const struct orr_closed_search *s, const struct chain *c, double n, double most,
                 struct orr_together *t)
{
    const double ranks = (double)s->facts->ranks, square = c->none * t->tau_s * t->tau_s;
    const double mean_square = square + (1 - c->none) * t->prompt_s * t->prompt_s;
    const double stopped = s->mixes ? 0 : (1 - c->none) * ranks_with_prompts(c->at_once, ranks) / ranks;
    t->mean_s = c->mean_s;
    t->none_frac = c->none;
    t->at_once = c->at_once;
    t->rest_s = mean_square / (2 * c->mean_s);
    t->token_s = c->mean_s / orr_max(1e-3, 1 - stopped); /* Eq. 273 */
    t->token_s = orr_max(t->token_s, n * s->facts->engine.stream_s_per_token / s->facts->host_speed);
    t->rate_per_s = n / (s->further * t->token_s);
    t->load = c->prompts_per_s * t->prompt_s / most;
}

/* Eq. 274: in a closed loop under overlapped scheduling, prompts that become visible in a step are computed in the
 * second next. Users ask when a step ends and are heard after a while; if that is longer than a step without prompts,
 * they are heard in steps with prompts only. So every second step is without, and the others have the prompts of two;
 * if it is shorter, every step has those of one. */
static struct chain overlapped_loop(const struct orr_closed_search *s, double chunks, double tau_s, double n,
                                    double most, double *prompt_s)
{
    const double ranks = (double)s->facts->ranks, steps = s->request_s > tau_s ? 2 : 1;
    double stopped = 0;
    struct chain c = {0};
    for (int i = 0; i < (s->mixes ? 1 : 6); i++) {
        const double come = steps * chunks * ranks * n * (1 - stopped) / s->further;
        c.none = 1 - (1 - exp(-come)) / steps;
        c.at_once = within(come / (1 - exp(-come)), 1, most);
        if (!s->mixes) stopped = (1 - c.none) * ranks_with_prompts(c.at_once, ranks) / ranks;
    }
    *prompt_s = step_s(s, chunks, c.at_once, n);
    c.mean_s = c.none * tau_s + (1 - c.none) * *prompt_s;
    c.prompts_per_s = (1 - c.none) * c.at_once / c.mean_s;
    return c;
}

/* In other closed loops the rate that belongs to n is found by halving. */
static struct chain any_loop(const struct orr_closed_search *s, double n, double most, struct orr_together *t)
{
    double low = 0, high = n / (s->further * t->tau_s);
    struct chain c = {0};
    for (int i = 0; i < 14; i++) {
        const double rate = (low + high) / 2;
        c = settle(s, t->chunks, (double)s->facts->ranks * rate * t->chunks, t->tau_s, n, most, &t->prompt_s);
        fill(s, &c, n, most, t);
        if (t->rate_per_s < rate) high = rate;
        else low = rate;
    }
    return c;
}

struct orr_together orr_together_of(const struct orr_closed_search *s, double n)
{
    const struct orr_demand *d = s->demand;
    const double ranks = (double)s->facts->ranks;
    const double left = orr_max(1, s->budget - (s->mixes ? n * (double)s->facts->queries : 0));
    struct orr_together t = {.tau_s = orr_closed_decode_s(s, fullest_decodes(s, n)), .chunks = 1};
    if (s->facts->engine.chunked_prefill) t.chunks = orr_max(1, orr_ceil(d->input / left));
    const double most = ranks * orr_max(1, floor(left / d->input));
    const double all_per_s = ranks * d->rate_per_s * t.chunks;
    const bool overlapped = orr_decides_ahead(&s->facts->engine) && d->think_s <= 0;
    const struct chain c = all_per_s > 0 ? settle(s, t.chunks, all_per_s, t.tau_s, n, most, &t.prompt_s)
                           : overlapped  ? overlapped_loop(s, t.chunks, t.tau_s, n, most, &t.prompt_s)
                                         : any_loop(s, n, most, &t);
    fill(s, &c, n, most, &t);
    /* The step of a request's own prompt has those that came with it. */
    t.own_s = step_s(s, t.chunks, orr_min(most, 1 + c.prompts_per_s * 2 * t.rest_s), n);
    return t;
}
