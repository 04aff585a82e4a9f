/* This file finds the steady state of a replica in closed form. Everything follows from the number n of decoding
 * sequences: the time of a step, what a prompt adds to it, the rate, the wait for the first token. The rate grows with
 * n, so n is found by halving an interval. Eqs. 211-223. */
#include "serving/closed_search.h"

#include "base/number.h"
#include "base/plain.h"
#include "cost/cost.h"
#include "predict/scratch.h"
#include "serving/result.h"

#include <math.h>
#include <stdlib.h>

struct orr_demand orr_demand_of(const struct orr_traffic *t, const struct orr_mean_lengths *mean, double replicas)
{
    struct orr_demand demand = {.input = mean->input,
                                .output = mean->output,
                                .output_square = mean->output_square,
                                .max_output = mean->max_output,
                                .input_deviation = sqrt(orr_max(0, mean->input_square - mean->input * mean->input)),
                                .equal_lengths = mean->output_square <= mean->output * mean->output * (1 + 1e-9)};
    if (t->arrival == ORR_ARRIVAL_CLOSED) {
        demand.users = (double)t->concurrency / replicas;
        demand.think_s = t->think_s;
        demand.requests = (double)t->requests / replicas;
    } else if (t->arrival == ORR_ARRIVAL_TRACE && t->n_trace > 1)
        demand.rate_per_s = (double)t->n_trace / orr_max(1e-9, t->trace[t->n_trace - 1].arrival_s) / replicas;
    else demand.rate_per_s = t->rate_per_s / replicas;
    const double found = t->prefix_share * (t->session_share > 0 ? t->session_share : 1); /* Eq. 334 */
    demand.input *= 1 - found; /* what the cache does not have */
    demand.input_deviation *= 1 - found;
    return demand;
}

/* Everything that follows from n. */
struct point {
    double tau_s, step_s, adds_s; /* decode step; with what prompts add; what one prompt adds for the others */
    double own_s, chunks, joined; /* step with prompts; steps of one prompt; prompts that share it */
    double rate_per_s, load, ttft_s;
    double send_s; /* until the tokens of a step have left (Eq. 200) */
};

/* ---------------------------------------------------------------- prices at a number that need not be whole */

double orr_closed_decode_s(const struct orr_closed_search *s, double n)
{
    const double low = orr_max(1, floor(n)), frac = orr_max(0, n - low);
    const double low_s = orr_steps_decode(s->steps, (int64_t)low, s->context, 1).first_s;
    if (frac < 1e-9) return s->scale * low_s;
    const double high_s = orr_steps_decode(s->steps, (int64_t)low + 1, s->context, 1).first_s;
    return s->scale * (low_s + frac * (high_s - low_s));
}

double orr_closed_prompt_s(const struct orr_closed_search *s, double tokens, double prompts, double cached, double n)
{
    const double low = floor(n), frac = n - low, each = tokens / orr_max(1, prompts);
    struct orr_mixed mixed = {.tokens = (int64_t)orr_max(1, floor(tokens + 0.5)),
                              .prompts = (int64_t)orr_max(1, floor(prompts + 0.5)),
                              .pairs = tokens * (cached + each / 2),
                              .cached = (int64_t)(cached * orr_max(1, prompts)),
                              .decodes = (int64_t)low,
                              .context = s->context};
    const double low_s = orr_steps_mixed(s->steps, &mixed);
    if (frac < 1e-9) return s->scale * low_s;
    mixed.decodes++;
    return s->scale * (low_s + frac * (orr_steps_mixed(s->steps, &mixed) - low_s));
}

/* Eq. 244: products have stairs in their rows, on which the mean prompt may stand badly. The mean over three lengths,
 * at which the rule of Gauss for equal probabilities has its nodes, stands for all. */
static double spread_of(const struct orr_closed_search *s, double n)
{
    const struct orr_demand *d = s->demand;
    const double away = sqrt(1.8) * d->input_deviation, mean_s = orr_closed_prompt_s(s, d->input, 1, 0, n);
    if (away < 1 || away >= d->input || mean_s <= 0) return 1;
    const double low_s = orr_closed_prompt_s(s, d->input - away, 1, 0, n),
                 high_s = orr_closed_prompt_s(s, d->input + away, 1, 0, n);
    return (5 * low_s + 8 * mean_s + 5 * high_s) / (18 * mean_s);
}

/* ---------------------------------------------------------------- one point */

/* Eq. 216: the mean rest of a step that runs when a request comes, over steps with and without prompts. */
static double residual_s(const struct point *p, double share)
{
    const double mean_s = (1 - share) * p->tau_s + share * p->own_s;
    const double square = (1 - share) * p->tau_s * p->tau_s + share * p->own_s * p->own_s;
    return mean_s > 0 ? square / (2 * mean_s) : 0;
}

/* Eq. 245: the same in a closed loop, whose users ask when a step ends and not while a prompt is computed. The step
 * that runs when a request has been handled began after it was sent, unless handling is longer than that step. An
 * arriving user meets the others only. */
static double loop_residual_s(const struct orr_closed_search *s, const struct point *p)
{
    const double others = orr_max(0, 1 - 1 / orr_max(1, s->demand->users));
    const double begun_per_s = others * p->rate_per_s * p->chunks / p->joined;
    const double reach_s = orr_min(s->request_s, p->own_s);
    const double prompts_s = begun_per_s * reach_s * (p->own_s - reach_s / 2);
    return prompts_s + orr_max(0, 1 - begun_per_s * p->own_s) * p->tau_s / 2;
}

/* The mean number of whole steps that a time of `steps` takes. Where steps or times vary by so many of a step, a time
 * near a whole number of them is sometimes one step more or less. */
static double whole_steps(double steps, double vary)
{
    const double below = floor(steps), frac = steps - below;
    if (steps <= 0) return 0;
    if (frac < vary && below > 0) return below + 1 - (vary - frac) / (2 * vary);
    if (frac > 1 - vary) return below + 1 + (frac - 1 + vary) / (2 * vary);
    return below + 1;
}

/* What steps vary by where many of them have prompts, in steps. */
#define STEPS_VARY 0.25

/* Eq. 301: by how many steps the time of handling varies: with the length of the prompt, and where one of the steps has
 * prompts. */
static double handling_varies(const struct orr_closed_search *s, const struct point *p, double varied_s)
{
    const double prompts = p->rate_per_s * p->tau_s * p->chunks / p->joined * orr_max(1, s->request_s / p->tau_s);
    return orr_max(0.01, orr_min(STEPS_VARY, varied_s / p->tau_s + prompts));
}

/* Handling of a request and the rest of the step that runs when it is done. A user of a closed loop asks when a step
 * has just ended, so that handling takes whole steps, unless it is long or varies by more than a step (Eq. 216a). */
static double handling_s(const struct orr_closed_search *s, const struct point *p, double busy, double share)
{
    const bool loop = s->demand->rate_per_s <= 0 && s->demand->think_s <= 0;
    const double request_s = s->request_s, own_s = busy * (loop ? loop_residual_s(s, p) : residual_s(p, share));
    const struct orr_engine *e = &s->facts->engine;
    const double per_token_s = (e->frontend_s_per_token + e->tokenise_s_per_token) / s->facts->host_speed;
    const double varied_s = 0.3 * per_token_s * s->demand->input;
    if (!loop || busy < 1 || request_s > 3 * p->step_s || varied_s > p->step_s / 2)
        return request_s + own_s + p->send_s;
    /* Most steps only decode; where prompts have steps of their own, those count too. */
    const double vary = handling_varies(s, p, varied_s);
    /* Its user asks when the last token has left, so long after a step, and the first one leaves so long after one. */
    return whole_steps((p->send_s + request_s) / (s->mixes ? p->tau_s : p->step_s), vary) * p->step_s;
}

/* The end of the step in which a request is heard that was sent at the end of one: steps without prompts may pass
 * before. */
static double heard_s(const struct orr_together *t, double request_s)
{
    double sum_s = 0, share = 1, left_s = request_s;
    if (request_s > t->prompt_s) return request_s + t->rest_s;
    for (int i = 0; i < 64 && left_s > 0; i++, left_s -= t->tau_s) {
        sum_s += share * ((1 - t->none_frac) * t->prompt_s + t->none_frac * t->tau_s);
        share *= t->none_frac;
    }
    return orr_max(request_s, sum_s);
}

/* Eq. 275: of ranks that step together. A request waits for the rest of the step that runs, or whole steps where users
 * ask at the ends of steps, and for its own; while ranks have more prompts than fit into a step, it queues as well. */
static struct point together_at(const struct orr_closed_search *s, double n)
{
    const struct orr_together t = orr_together_of(s, n);
    const double send_s = n * s->facts->engine.stream_s_per_token / s->facts->host_speed;
    const bool loop = s->demand->rate_per_s <= 0 && s->demand->think_s <= 0;
    const bool overlapped = orr_decides_ahead(&s->facts->engine);
    const double lag_s = overlapped && n > 0.5 / (double)s->facts->ranks ? t.mean_s : 0;
    const double whole_s =
        overlapped ? whole_steps((send_s + s->request_s) / t.mean_s, STEPS_VARY) * t.mean_s
                   : heard_s(&t, send_s + s->request_s);
    const double load = orr_min(0.98, t.load), queue_s = load > 0.5 ? load * t.own_s / (2 * (1 - load)) : 0;
    struct point p = {.tau_s = t.tau_s, .step_s = t.token_s, .own_s = t.own_s, .chunks = t.chunks, .joined = 1};
    p.rate_per_s = t.rate_per_s;
    p.adds_s = (t.token_s - t.tau_s) * s->further / orr_max(1e-9, n);
    p.load = orr_min(1, p.rate_per_s * p.adds_s);
    p.ttft_s = (loop ? whole_s : s->request_s + t.rest_s + send_s) + lag_s + t.chunks * t.own_s + queue_s;
    return p;
}

/* Eqs. 211-217. */
static struct point point_at(const struct orr_closed_search *s, double n)
{
    const struct orr_demand *d = s->demand;
    const struct orr_engine *e = &s->facts->engine;
    const double beside = s->mixes ? n : 0;
    const double left = orr_max(1, s->budget - beside * (double)s->facts->queries);
    if (s->facts->ranks > 1 && s->further > 0 && !d->received) return together_at(s, n);
    struct point p = {.tau_s = orr_closed_decode_s(s, n), .joined = 1};
    p.send_s = n * e->stream_s_per_token / s->facts->host_speed;
    if (d->received) { /* Eq. 251 */
        p.chunks = 1;
        p.step_s = orr_max(p.tau_s, p.send_s);
        if (s->further > 0) p.rate_per_s = n / (s->further * p.step_s);
        return p;
    }
    p.chunks = e->chunked_prefill ? orr_max(1, orr_ceil(d->input / left)) : 1;                  /* Eq. 211 */
    if (s->further > 0) p.joined = orr_max(1, orr_min(n / s->further, floor(left / d->input))); /* per step */
    if (e->batch_wait_steps > 0 && s->further > 0)
        p.joined = orr_max(1, orr_min((double)e->batch_wait_steps * n / s->further, floor(left / d->input)));
    p.own_s = s->spread * orr_closed_prompt_s(s, p.joined * d->input / p.chunks, p.joined,
                                              (d->input - d->input / p.chunks) / 2, beside);
    p.adds_s = p.chunks * (p.own_s - (s->mixes ? p.tau_s : 0)) / p.joined; /* Eq. 212 */
    p.step_s = p.tau_s + (s->further > 0 ? n * p.adds_s / s->further : 0); /* Eq. 213 */
    p.step_s = orr_max(p.step_s, p.send_s);
    if (s->further > 0) p.rate_per_s = n / (s->further * p.step_s); /* Eq. 214 */
    p.load = p.rate_per_s * p.adds_s;
    const double lag_s = orr_decides_ahead(e) && n > 0.5 ? p.step_s : 0; /* decided one step ahead */
    const double share = orr_min(1, p.rate_per_s * p.step_s * p.chunks / p.joined);
    const double busy = orr_min(1, n);
    const double full = d->input * p.joined / left; /* queue for the budget once steps are full */
    const double wait_s = full > 0.9 ? p.rate_per_s * p.adds_s * p.adds_s / (2 * orr_max(0.02, 1 - p.load)) : 0;
    double hold_s = 0;
    if (e->batch_wait_steps > 0 && p.rate_per_s > 0) { /* Eq. 215a */
        const double full_s = e->batch_wait_tokens_frac * s->budget / (d->input * p.rate_per_s);
        hold_s = busy * orr_min((double)e->batch_wait_steps * p.step_s, full_s) / 2;
    }
    p.ttft_s = handling_s(s, &p, busy, share) + lag_s + hold_s + p.chunks * p.own_s +
               p.rate_per_s * p.step_s * p.adds_s / 2 + wait_s; /* Eq. 215 */
    return p;
}

/* Eq. 219: most sequences that the cache and the engine's own limit leave room for. */
static double most_decodes(const struct orr_closed_search *s)
{
    const struct orr_demand *d = s->demand;
    const enum orr_scheduler scheduler = s->facts->engine.scheduler;
    const bool reserves = scheduler == ORR_SCHEDULER_TRTLLM_NO_EVICT || scheduler == ORR_SCHEDULER_TGI;
    const double held = d->input + (reserves ? d->max_output : d->output_square / d->output / 2);
    return orr_min((double)s->facts->engine.max_requests, s->facts->kv_tokens / held);
}

/* ---------------------------------------------------------------- the start of a closed loop */

/* Requests of users who asked at once: what each keeps others waiting and what it takes for itself, and of texts in
 * batches what one takes, how many are tokens, and since when. */
struct handled {
    double turn_s, own_s, text_s, users, batch_s;
};

static struct handled handling_of(const struct orr_closed_search *s)
{
    const struct orr_engine *e = &s->facts->engine;
    const double input = s->demand->input, text_s = e->tokenise_s_per_token * input / s->facts->host_speed;
    return (struct handled){.turn_s = orr_frontend_turn_s(s->facts, input) - (e->tokenise_batch > 1 ? text_s : 0),
                            .own_s = orr_frontend_own_s(s->facts, input),
                            .text_s = text_s};
}

/* Eqs. 199, 364: when requests of so many users, one after another or their texts in batches, have been handled. */
static double handled_s(const struct orr_closed_search *s, double users, struct handled *h)
{
    const struct orr_engine *e = &s->facts->engine;
    if (e->tokenise_batch <= 1) return users * h->turn_s + h->own_s;
    while (h->users < users) {
        const double open_s = orr_max(h->batch_s, (h->users + 1) * h->turn_s), close_s = open_s + e->tokenise_window_s;
        const double heard = h->turn_s > 0 ? floor(close_s / h->turn_s + 1e-9) : s->demand->users;
        const double most = orr_min(s->demand->users, h->users + (double)e->tokenise_batch);
        const double texts = orr_max(1, orr_min(most, heard) - h->users);
        h->batch_s = open_s + texts * h->text_s;
        h->users += texts;
    }
    return h->batch_s + h->own_s;
}

/* Eq. 218: all users ask at once; groups of prompts that fill the budget are answered one after another. Returns the
 * mean end of a user's own group. The last group's end is that of all. */
static double burst_s(const struct orr_closed_search *s, double users, double *last_s)
{
    const struct orr_demand *d = s->demand;
    const double group = orr_max(1, floor(s->budget / d->input)), chunks = orr_max(1, orr_ceil(d->input / s->budget));
    struct handled handled = handling_of(s);
    double time_s = s->request_s, sum_s = 0, started = 0;
    for (int i = 0; i < 4096 && started < users; i++) {
        const double joining = orr_min(group, users - started), beside = s->mixes ? started : 0;
        time_s = orr_max(time_s, handled_s(s, started + joining, &handled));
        time_s += chunks * orr_closed_prompt_s(s, joining * d->input / chunks, joining,
                                               (d->input - d->input / chunks) / 2, beside);
        sum_s += joining * time_s;
        started += joining;
    }
    *last_s = time_s - s->request_s;
    return started > 0 ? sum_s / started : 0;
}

/* Eq. 220: users with equal answers come back together, so that every round is a burst. */
static void march(const struct orr_closed_search *s, double users, struct orr_steady *steady)
{
    double last_s;
    const double mean_s = burst_s(s, users, &last_s), tau_s = orr_closed_decode_s(s, users);
    steady->ttft_s = mean_s;
    steady->step_s = tau_s + orr_max(0, last_s - (mean_s - s->request_s)) / s->further;
    steady->tpot_s = steady->step_s / s->facts->tokens_per_step;
    steady->rate_per_s = users / (steady->ttft_s + s->further * steady->step_s + s->demand->think_s);
    steady->decodes = steady->rate_per_s * s->further * steady->step_s;
    steady->prompt_load = orr_min(1, steady->rate_per_s * last_s / users);
}

/* ---------------------------------------------------------------- loops and rates */

/* Finds the n in [0, most] at which `excess`, which grows with n, changes its sign. The straight line between the ends
 * says where, the rule of Illinois halves the value at an end that stays twice, and an interval that has not halved in
 * two steps is halved instead: `excess` has stairs. */
static double solve(const struct orr_closed_search *s, double most,
                    double (*excess)(const struct orr_closed_search *s, double n))
{
    /* Ranks that step together have no rate without a sequence, so that the search begins just above none. */
    double low = 1e-7 * most, high = most, at_low = excess(s, low), at_high = excess(s, high), before = 2 * most;
    int side = 0;
    if (at_low > 0 || !(at_high > 0)) return at_low > 0 ? 0 : most;
    for (int i = 0; i < 52 && high - low > 1e-7 * most; i++) {
        const bool slow = i % 2 == 0 && high - low > before / 2;
        const double line = low - at_low * (high - low) / (at_high - at_low);
        const double n = !slow && line > low && line < high ? line : (low + high) / 2;
        const double value = excess(s, n);
        if (i % 2 == 0) before = high - low;
        if (value > 0) {
            high = n;
            at_high = value;
            if (side > 0) at_low /= 2;
            side = 1;
        } else {
            low = n;
            at_low = value;
            if (side < 0) at_high /= 2;
            side = -1;
        }
    }
    return (low + high) / 2;
}

/* Eq. 221: users who wait for a first token, think or decode are all users. */
static double excess_users(const struct orr_closed_search *s, double n)
{
    const struct point p = point_at(s, n);
    return n + p.rate_per_s * (p.ttft_s + s->demand->think_s) - s->demand->users;
}

static double excess_rate(const struct orr_closed_search *s, double n)
{
    return point_at(s, n).rate_per_s - s->demand->rate_per_s;
}

/* Answers of one token: nothing decodes, and prompts queue for the steps (Pollaczek and Khinchine). */
static struct orr_steady prompts_only(const struct orr_closed_search *s)
{
    const struct orr_demand *d = s->demand;
    const double own_s = point_at(s, 0).chunks * point_at(s, 0).own_s;
    double rate = d->rate_per_s;
    if (rate <= 0) rate = orr_min(1 / own_s, d->users / (s->request_s + own_s + d->think_s));
    const double load = orr_min(rate * own_s, 0.999);
    const double queue_s = d->rate_per_s > 0 ? load * own_s / (2 * (1 - load)) : d->users / rate - own_s - d->think_s;
    return (struct orr_steady){.ttft_s = s->request_s + own_s + orr_max(0, queue_s),
                               .handling_s = s->request_s,
                               .rate_per_s = rate,
                               .waiting_s = orr_max(0, queue_s),
                               .prompt_load = load,
                               .prompt_tokens = d->input,
                               .busy_frac = load,
                               .stable = rate * own_s < 1};
}

static void take(const struct orr_closed_search *s, const struct point *p, double n, struct orr_steady *steady)
{
    steady->ttft_s = p->ttft_s;
    steady->step_s = p->step_s;
    steady->tpot_s = p->step_s / s->facts->tokens_per_step;
    steady->rate_per_s = p->rate_per_s;
    steady->decodes = n;
    steady->prompt_load = p->load;
    steady->prompt_tokens = p->joined * s->demand->input / p->chunks;
}

/* Eq. 276: the largest rate that ranks which step together carry, and the steady state at it. */
static void steady_largest(const struct orr_closed_search *s, double most, struct orr_steady *steady)
{
    struct orr_demand demand = *s->demand;
    struct orr_closed_search at = *s;
    double low = 0, high = demand.rate_per_s;
    at.demand = &demand;
    for (int i = 0; i < 12; i++) {
        demand.rate_per_s = (low + high) / 2;
        if (excess_rate(&at, most) >= 0) low = demand.rate_per_s;
        else high = demand.rate_per_s;
    }
    demand.rate_per_s = orr_max(low, high / 2);
    const struct point p = point_at(&at, most);
    take(&at, &p, most, steady);
    steady->rate_per_s = low;
}

/* Eq. 222: where the limit binds, a closed loop waits for places; requests at a rate wait without end. */
static void steady_limited(const struct orr_closed_search *s, double most, struct orr_steady *steady)
{
    const struct orr_demand *d = s->demand;
    const struct point p = point_at(s, most);
    take(s, &p, most, steady);
    steady->limited = true;
    if (d->rate_per_s > 0) {
        if (s->facts->ranks > 1) steady_largest(s, most, steady);
        steady->stable = s->facts->ranks > 1 && steady->rate_per_s >= ORR_CERTAIN_FRAC * d->rate_per_s;
        return;
    }
    steady->rate_per_s = most / (s->further * p.step_s + p.chunks * p.own_s);
    const double ttft_s = d->users / steady->rate_per_s - s->further * p.step_s - d->think_s;
    steady->waiting_s = orr_max(0, ttft_s - p.ttft_s);
    steady->ttft_s = orr_max(p.ttft_s, ttft_s);
}

/* Eq. 223: the first requests of every user arrive together, and their first tokens count too. */
static void add_burst(const struct orr_closed_search *s, struct orr_steady *steady)
{
    const struct orr_demand *d = s->demand;
    double last_s;
    if (d->rate_per_s > 0 || d->requests <= d->users) return;
    const double share = d->users / d->requests;
    steady->ttft_s = (1 - share) * steady->ttft_s + share * orr_max(steady->ttft_s, burst_s(s, d->users, &last_s));
}

struct orr_steady orr_steady_of(const struct orr_replica_facts *facts, struct orr_steps *steps,
                                const struct orr_demand *demand, double scale)
{
    const struct orr_engine *e = &facts->engine;
    struct orr_closed_search s = {.facts = facts, .steps = steps, .demand = demand, .scale = scale};
    s.mixes = orr_scheduler_mixes(e);
    s.budget = e->max_step_tokens > 0 ? (double)e->max_step_tokens : 1e15;
    s.context = demand->input + orr_max(1, demand->output_square / demand->output / 2);
    s.further = (demand->output - 1) / facts->tokens_per_step;
    s.request_s = orr_frontend_turn_s(facts, demand->input) + orr_frontend_own_s(facts, demand->input);
    s.spread = spread_of(&s, s.mixes ? floor(orr_min(demand->users, (double)e->max_requests)) : 0);
    if (s.further <= 0) return prompts_only(&s);
    struct orr_steady steady = {.stable = true, .busy_frac = 1, .handling_s = s.request_s};
    const bool open = demand->rate_per_s > 0;
    const double limit = most_decodes(&s), most = open ? limit : orr_min(limit, demand->users);
    const bool marching =
        !open && facts->ranks == 1 && demand->equal_lengths && !s.mixes && demand->users > 1.5 && demand->think_s <= 0;
    if (marching && demand->users <= limit) {
        march(&s, demand->users, &steady);
        return steady;
    }
    if (open ? excess_rate(&s, most) < 0 : excess_users(&s, most) < 0) steady_limited(&s, most, &steady);
    else {
        const double n = solve(&s, most, open ? excess_rate : excess_users);
        const struct point p = point_at(&s, n);
        take(&s, &p, n, &steady);
        if (open) steady.busy_frac = 1 - exp(-n); /* the share of time in which somebody is served */
    }
    add_burst(&s, &steady);
    return steady;
}

/* ---------------------------------------------------------------- for callers of the library */

struct orr_closed_form {
    struct orr_job job;
    struct orr_steps *steps;
    struct orr_scratch *scratch;
    struct orr_mean_lengths lengths; /* of the last traffic, to which facts and fit belong */
    struct orr_replica_facts facts;
    struct orr_infer_result alone;
    double context_cv; /* of the traffic that the steps are priced for */
};

struct orr_closed_form *orr_closed_form_new(const struct orr_job *job)
{
    ORR_PLAIN_NUMBERS;
    struct orr_closed_form *form = calloc(1, sizeof *form);
    if (!form) return NULL;
    form->job = *job;
    form->steps = orr_steps_new(job, NULL, false);
    form->scratch = orr_scratch_new();
    if (form->steps && form->scratch) return form;
    orr_closed_form_free(form);
    return NULL;
}

void orr_closed_form_free(struct orr_closed_form *form)
{
    if (!form) return;
    orr_steps_free(form->steps);
    orr_scratch_free(form->scratch);
    free(form);
}

static bool same(double a, double b)
{
    return fabs(a - b) < 0.5;
}

/* Steps are priced anew where contexts differ as much as they did not before; without memory the old ones remain. */
static void spread_contexts(struct orr_closed_form *form, const struct orr_traffic *traffic)
{
    const double cv = orr_reads_whole_contexts(&form->job) ? orr_traffic_context_cv(traffic) : 0;
    if (fabs(cv - form->context_cv) < 1e-6) return;
    struct orr_steps *steps = orr_steps_new(&form->job, traffic, false);
    if (!steps) return;
    orr_steps_free(form->steps);
    form->steps = steps;
    form->context_cv = cv;
}

/* Makes the form fit the lengths of a traffic, and says in the result whether the job fits in memory. */
static struct orr_demand prepare(struct orr_closed_form *form, const struct orr_traffic *traffic,
                                 const struct orr_mean_lengths *lengths, struct orr_serving_result *result)
{
    const struct orr_job *job = &form->job;
    *result = (struct orr_serving_result){.complete = true};
    if (!same(lengths->input, form->lengths.input) || !same(lengths->output, form->lengths.output)) {
        form->facts = orr_replica_facts_of(job, traffic, form->scratch, &form->alone);
        form->lengths = *lengths;
        spread_contexts(form, traffic);
    }
    orr_serving_fits(&form->alone, &form->facts, result);
    result->kv_capacity_tokens = form->facts.kv_tokens;
    return orr_demand_of(traffic, lengths, (double)job->plan.dp);
}

void orr_closed_form_means(struct orr_closed_form *form, const struct orr_traffic *traffic,
                           const struct orr_mean_lengths *lengths, struct orr_serving_result *result)
{
    const struct orr_demand demand = prepare(form, traffic, lengths, result);
    if (!result->fits) return;
    const struct orr_steady steady = orr_steady_of(&form->facts, form->steps, &demand, 1);
    orr_steady_means(&form->job, &form->facts, &demand, &steady, result);
}

void orr_closed_form_solve(struct orr_closed_form *form, const struct orr_traffic *traffic,
                           struct orr_serving_result *result)
{
    ORR_PLAIN_NUMBERS;
    const struct orr_mean_lengths lengths = orr_traffic_lengths(traffic);
    const struct orr_demand demand = prepare(form, traffic, &lengths, result);
    if (!result->fits) return;
    const struct orr_steady steady = orr_steady_of(&form->facts, form->steps, &demand, 1);
    orr_steady_result(&form->job, &form->facts, &demand, &steady, form->scratch, result);
    orr_serving_intervals(&form->job, &form->facts, &demand, form->steps, &steady, form->scratch, result);
}
