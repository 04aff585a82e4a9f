/* This file draws requests: gaps between arrivals, lengths of prompts and answers, and prefixes. Eqs. 188-190. */
#include "serving/traffic.h"

#include "base/number.h"
#include "base/random.h"

#include <math.h>

#define PI 3.14159265358979323846

/* Every purpose has numbers of its own. */
enum purpose {
    GAP,
    INPUT,
    OUTPUT,
    GROUP,
    THINK,
    URGENT = 0x75726731,
    ADAPTER = 0x6c6f7261,
    FOLLOWS = 0x74726e31,
    BACK = 0x74726e32,
    N_PURPOSES = THINK + 1
};

static double draw(uint64_t seed, enum purpose purpose, uint64_t index)
{
    return orr_random_frac(seed * N_PURPOSES + (uint64_t)purpose, index);
}

/* ---------------------------------------------------------------- lengths */

static struct orr_law law_of(const struct orr_lengths *lengths)
{
    const double variance = log1p(lengths->cv * lengths->cv);
    struct orr_law law = {.lengths = *lengths};
    if (lengths->law == ORR_LENGTH_LOGNORMAL) {
        law.log_sigma = sqrt(variance);
        law.log_mean = log(lengths->mean) - variance / 2;
    }
    return law;
}

/* A standard normal variable by the method of Box and Muller. */
static double normal(uint64_t key, uint64_t index)
{
    const double radius = sqrt(-2 * log(orr_random_frac(key, 2 * index)));
    return radius * cos(2 * PI * orr_random_frac(key, 2 * index + 1));
}

/* Eq. 189: the quantile function, straight between its points. */
static double empirical(const struct orr_lengths *lengths, double share)
{
    return orr_quantile(lengths->points, (size_t)lengths->n_points, share);
}

static double cut(const struct orr_lengths *lengths, double length)
{
    if (lengths->high > 0) length = orr_min(length, lengths->high);
    return orr_max(length, orr_max(1, lengths->low));
}

/* The length of request `id`; `key` tells prompts from answers. */
static int64_t draw_length(const struct orr_law *law, uint64_t key, uint64_t id)
{
    const struct orr_lengths *l = &law->lengths;
    double length = l->mean;
    switch (l->law) {
    case ORR_LENGTH_FIXED: return (int64_t)(orr_max(1, l->mean) + 0.5);
    case ORR_LENGTH_UNIFORM:
        return (int64_t)orr_max(1, l->low + floor(orr_random_frac(key, id) * (l->high - l->low + 1)));
    case ORR_LENGTH_LOGNORMAL: length = exp(law->log_mean + law->log_sigma * normal(key, id)); break;
    case ORR_LENGTH_EXPONENTIAL: length = -l->mean * log(orr_random_frac(key, id)); break;
    case ORR_LENGTH_EMPIRICAL: length = empirical(l, orr_random_frac(key, id)); break;
    case ORR_N_LENGTH_LAWS: break;
    }
    return (int64_t)(cut(l, length) + 0.5);
}

/* Moments of laws that are cut have no handy form; the middles of some hundred equal shares do as well. */
enum { STRATA = 512 };

static double stratum(const struct orr_lengths *l, const struct orr_law *law, int i)
{
    const double share = (i + 0.5) / STRATA;
    switch (l->law) {
    case ORR_LENGTH_FIXED: return l->mean;
    case ORR_LENGTH_UNIFORM: return l->low + floor(share * (l->high - l->low + 1));
    case ORR_LENGTH_LOGNORMAL: break;
    case ORR_LENGTH_EXPONENTIAL: return cut(l, -l->mean * log(share));
    case ORR_LENGTH_EMPIRICAL: return cut(l, empirical(l, share));
    case ORR_N_LENGTH_LAWS: return l->mean;
    }
    /* the normal quantile by a logistic approximation, whose error cancels over both halves of the shares */
    const double t = share < 0.5 ? sqrt(-2 * log(share)) : sqrt(-2 * log(1 - share));
    const double z =
        t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    return cut(l, exp(law->log_mean + law->log_sigma * (share < 0.5 ? -z : z)));
}

/* Mean and mean square of a law. Of whole numbers from a to b: mean square = mean^2 + ((b - a + 1)^2 - 1) / 12. */
static void moments(const struct orr_lengths *lengths, double *mean, double *square)
{
    const struct orr_law law = law_of(lengths);
    const double n = lengths->high - lengths->low + 1;
    double sum = 0, squares = 0;
    if (lengths->law == ORR_LENGTH_FIXED || lengths->law == ORR_LENGTH_UNIFORM) {
        const bool uniform = lengths->law == ORR_LENGTH_UNIFORM;
        *mean = uniform ? (lengths->low + lengths->high) / 2 : lengths->mean;
        *square = *mean * *mean + (uniform ? (n * n - 1) / 12 : 0);
        return;
    }
    for (int i = 0; i < STRATA; i++) {
        const double length = stratum(lengths, &law, i);
        sum += length;
        squares += length * length;
    }
    *mean = sum / STRATA;
    *square = squares / STRATA;
}

double orr_lengths_mean(const struct orr_lengths *lengths)
{
    double mean, square;
    moments(lengths, &mean, &square);
    return mean;
}

struct orr_mean_lengths orr_traffic_lengths(const struct orr_traffic *traffic)
{
    struct orr_mean_lengths mean = {0};
    if (traffic->arrival == ORR_ARRIVAL_TRACE && traffic->n_trace > 0) {
        const double n = (double)traffic->n_trace;
        for (size_t i = 0; i < traffic->n_trace; i++) {
            const double output = (double)traffic->trace[i].output_len, input = (double)traffic->trace[i].input_len;
            mean.input += input / n;
            mean.input_square += input * input / n;
            mean.output += output / n;
            mean.output_square += output * output / n;
        }
    } else {
        moments(&traffic->input_len, &mean.input, &mean.input_square);
        moments(&traffic->output_len, &mean.output, &mean.output_square);
    }
    mean.max_output = traffic->max_output_len > 0 ? (double)traffic->max_output_len : mean.output;
    return mean;
}

/* Eq. 322: a running sequence has a prompt of I tokens and a uniform part of an answer of G tokens, and long answers
 * run for longer. The third moment of answers is that of a lognormal law with their mean and square. */
double orr_traffic_context_cv(const struct orr_traffic *traffic)
{
    const struct orr_mean_lengths m = orr_traffic_lengths(traffic);
    if (m.output <= 0) return 0;
    const double cube = pow(m.output_square / m.output, 3);
    const double mean = m.input + m.output_square / (2 * m.output);
    const double square = m.input_square + m.input * m.output_square / m.output + cube / (3 * m.output);
    return sqrt(orr_max(0, square / (mean * mean) - 1));
}

/* ---------------------------------------------------------------- arrivals */

/* Eq. 188: a gamma variable of mean 1 (Marsaglia and Tsang 2000; shapes below 1 by the power of a uniform variable). */
static double gamma_gap(uint64_t seed, uint64_t id, double shape)
{
    const uint64_t key = orr_random_bits(seed * N_PURPOSES + GAP, id);
    const double d = (shape < 1 ? shape + 1 : shape) - 1.0 / 3, c = 1 / sqrt(9 * d);
    double value = d;
    for (uint64_t i = 0; i < 64; i++) {
        const double x = normal(key, i), v = pow(1 + c * x, 3), u = orr_random_frac(key, 1000 + i);
        if (v <= 0 || log(u) >= x * x / 2 + d - d * v + d * log(v)) continue;
        value = d * v;
        break;
    }
    if (shape < 1) value *= pow(orr_random_frac(key, 2000), 1 / shape);
    return value / shape;
}

/* Eq. 190: the time at which so many requests are expected under a rate that follows a sine, by Newton's method. */
static double diurnal_s(const struct orr_traffic *t, double expected, double from_s)
{
    const double turn = 2 * PI / t->period_s;
    double time_s = from_s;
    for (int i = 0; i < 20; i++) {
        const double mean = t->rate_per_s * (time_s + t->swing_frac * (1 - cos(turn * time_s)) / turn);
        const double rate = t->rate_per_s * (1 + t->swing_frac * sin(turn * time_s));
        const double move_s = (expected - mean) / orr_max(rate, 0.05 * t->rate_per_s);
        time_s += move_s;
        if (fabs(move_s) < 1e-9 * (1 + time_s)) break;
    }
    return orr_max(time_s, from_s);
}

/* Moves the stream to the arrival of request `id`. */
static void advance(struct orr_stream *s, int64_t id)
{
    const struct orr_traffic *t = s->traffic;
    const uint64_t index = (uint64_t)id;
    switch (t->arrival) {
    case ORR_ARRIVAL_POISSON: s->time_s -= log(draw(t->seed, GAP, index)) / t->rate_per_s; break;
    case ORR_ARRIVAL_GAMMA: s->time_s += gamma_gap(t->seed, index, t->burstiness) / t->rate_per_s; break;
    case ORR_ARRIVAL_CONSTANT: s->time_s = (double)id / t->rate_per_s; break;
    case ORR_ARRIVAL_DIURNAL:
        s->expected -= log(draw(t->seed, GAP, index));
        s->time_s = diurnal_s(t, s->expected, s->time_s);
        break;
    case ORR_ARRIVAL_TRACE: s->time_s = t->trace[id].arrival_s; break;
    case ORR_ARRIVAL_CLOSED:
    case ORR_ARRIVAL_SATURATED:
    case ORR_N_ARRIVALS: break;
    }
}

struct orr_stream orr_stream_of(const struct orr_traffic *traffic, int64_t first, int64_t share)
{
    return (struct orr_stream){.traffic = traffic,
                               .input = law_of(&traffic->input_len),
                               .output = law_of(&traffic->output_len),
                               .share = share,
                               .first = first};
}

/* Requests of a group share the beginning of their prompts; groups are asked for as by Zipf's law. */
static void draw_prefix(const struct orr_traffic *t, uint64_t id, struct orr_ask *ask)
{
    const double groups = (double)(t->prefix_groups > 0 ? t->prefix_groups : 1);
    ask->prefix = 1 + (uint64_t)(exp(draw(t->seed, GROUP, id) * log(groups + 1)) - 1);
    ask->prefix_len = (int64_t)(t->prefix_share * (double)ask->input_len);
}

/* Eq. 333: the first request of the session of request `id`. A request whose predecessor would be before the run begins
 * a session. */
static int64_t session_of(const struct orr_traffic *t, int64_t id)
{
    while (draw(t->seed, FOLLOWS, (uint64_t)id) < t->session_share) {
        const double back = 1 - (t->session_gap - 1) * log(draw(t->seed, BACK, (uint64_t)id));
        if (back > (double)id) break;
        id -= (int64_t)back;
    }
    return id;
}

/* Prompts of a session are equally long, so that the law of all lengths is kept, and begin alike. */
static void draw_session(const struct orr_stream *stream, int64_t id, struct orr_ask *ask)
{
    const struct orr_traffic *t = stream->traffic;
    const uint64_t first = (uint64_t)session_of(t, id);
    if (t->arrival != ORR_ARRIVAL_TRACE)
        ask->input_len = draw_length(&stream->input, t->seed * N_PURPOSES + INPUT, first);
    ask->prefix = 1 + first;
    ask->prefix_len = (int64_t)(t->prefix_share * (double)ask->input_len);
}

void orr_stream_ask(const struct orr_stream *stream, int64_t id, double arrival_s, struct orr_ask *ask)
{
    const struct orr_traffic *t = stream->traffic;
    const uint64_t index = (uint64_t)id;
    *ask = (struct orr_ask){.id = id, .arrival_s = arrival_s};
    if (t->arrival == ORR_ARRIVAL_TRACE) {
        const struct orr_trace_row *row = &t->trace[id];
        ask->input_len = row->input_len;
        ask->output_len = row->output_len;
        ask->prefix = row->prefix;
        ask->prefix_len = row->prefix_len;
        ask->urgent = row->urgent;
    } else {
        ask->input_len = draw_length(&stream->input, t->seed * N_PURPOSES + INPUT, index);
        ask->output_len = draw_length(&stream->output, t->seed * N_PURPOSES + OUTPUT, index);
    }
    if (t->session_share > 0) draw_session(stream, id, ask);
    else if (t->prefix_share > 0 && ask->prefix == 0) draw_prefix(t, index, ask);
    if (t->adapters > 0)
        ask->adapter = 1 + (int64_t)(exp(draw(t->seed, ADAPTER, index) * log((double)t->adapters + 1)) - 1);
    if (t->urgent_share > 0) ask->urgent = draw(t->seed, URGENT, index) < t->urgent_share;
    ask->max_output_len = t->max_output_len > ask->output_len ? t->max_output_len : ask->output_len;
}

bool orr_stream_next(struct orr_stream *stream, struct orr_ask *ask)
{
    const struct orr_traffic *t = stream->traffic;
    const int64_t rows = t->arrival == ORR_ARRIVAL_TRACE ? (int64_t)t->n_trace : INT64_MAX;
    const int64_t asked = t->requests > 0 ? t->requests : INT64_MAX, end = rows < asked ? rows : asked;
    for (; stream->next < end; stream->next++) {
        advance(stream, stream->next);
        if (t->duration_s > 0 && stream->time_s > t->duration_s) return false;
        if (stream->next % stream->share != stream->first) continue;
        orr_stream_ask(stream, stream->next, stream->time_s, ask);
        stream->next++;
        return true;
    }
    return false;
}

double orr_think_s(const struct orr_traffic *traffic, int64_t id)
{
    return traffic->think_s > 0 ? -traffic->think_s * log(draw(traffic->seed, THINK, (uint64_t)id)) : 0;
}
