/* A decode pass over all contexts of a request, summed in closed form: attention follows the context, everything else
 * is the same at each. */
#include "predict/decode.h"

#include "base/number.h"
#include "spec/job.h"

#include <math.h>

static void curves_of(const struct orr_job *job, const struct orr_model *model, const struct orr_op_list *list,
                      size_t first, struct orr_decode_curves *c)
{
    c->n = 0;
    for (size_t i = first; i < list->n; i++) {
        const struct orr_op *op = &list->items[i];
        if (op->kind != ORR_OP_DECODE) continue;
        c->layers[c->n] = op->count;
        c->op[c->n] = i;
        c->curve[c->n] = orr_decode_curve_of(job, op, orr_decode_key_limit(&model->kinds[op->layer_kind], op));
        c->curve[c->n++].chunked = model->kinds[op->layer_kind].chunked;
    }
}

static double curves_at(const struct orr_decode_curves *c, double context)
{
    double sum = 0;
    for (int i = 0; i < c->n; i++) sum += c->layers[i] * orr_decode_curve_s(&c->curve[i], context);
    return sum;
}

static double curves_sum(const struct orr_decode_curves *c, int64_t first, int64_t last)
{
    double sum = 0;
    for (int i = 0; i < c->n; i++) sum += c->layers[i] * orr_decode_curve_sum_s(&c->curve[i], first, last);
    return sum;
}

/* A step takes max(host, rest + attention(x)), and attention grows with x, so one crossing separates host-bound from
 * GPU-bound steps. */
double orr_decode_host_s(const struct orr_decode_curves *c, const struct orr_pass *pass, struct orr_contexts span)
{
    const double host_s = pass->launch_s;
    if (host_s <= 0) return 0;
    const double tokens = orr_contexts_n(span);
    const double rest_s = pass->busy_s - curves_sum(c, span.first, span.last) / tokens;
    int64_t low = span.first, high = span.last + 1; /* first context at which the GPU is the slower one */
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (rest_s + curves_at(c, (double)middle) >= host_s) high = middle;
        else low = middle + 1;
    }
    if (low == span.first) return 0;
    return ((double)(low - span.first) * (host_s - rest_s) - curves_sum(c, span.first, low - 1)) / tokens;
}

/* Sums the contexts 1..x where every chunk begins anew. */
static double chunk_sum(double chunk, double x)
{
    const double rest = fmod(x, chunk);
    return floor(x / chunk) * chunk * (chunk + 1) / 2 + rest * (rest + 1) / 2;
}

/* Returns the mean, over all contexts, of the positions that a window or a chunk leaves of each. */
static double mean_kept(double window, bool chunked, struct orr_contexts span)
{
    const double first = (double)span.first, last = (double)span.last, n = orr_contexts_n(span);
    if (chunked) return (chunk_sum(window, last) - chunk_sum(window, first - 1)) / n;
    if (window >= last) return orr_contexts_mean(span);
    const double growing = orr_max(0, window - first + 1); /* contexts up to the window */
    return (growing * (first + window) / 2 + (n - growing) * window) / n;
}

/* Attention operators show the mean context they read; their time is the exact mean over all contexts. */
static void settle_attention(struct orr_scratch *scratch, const struct orr_decode_curves *c, struct orr_contexts span)
{
    for (int i = 0; i < c->n; i++) {
        struct orr_op *op = &scratch->ops.items[c->op[i]];
        struct orr_cost *cost = &scratch->costs[c->op[i]];
        const double kept = mean_kept(c->curve[i].window, c->curve[i].chunked, span), share = kept / op->n;
        op->n = kept;
        op->flops *= share;
        op->bytes *= share;
        cost->dram_bytes = cost->l2_bytes = op->bytes;
        cost->total_s = orr_decode_curve_sum_s(&c->curve[i], span.first, span.last) / orr_contexts_n(span);
    }
}

struct orr_pass orr_decode_pass(const struct orr_job *job, const struct orr_model *model, struct orr_scratch *scratch,
                                const struct orr_serve_shape *shape, struct orr_contexts span,
                                struct orr_decode_curves *curves)
{
    const size_t first = orr_pass_emit(job, model, shape, ORR_PHASE_DECODE, &scratch->ops, scratch->costs);
    curves_of(job, model, &scratch->ops, first, curves);
    settle_attention(scratch, curves, span);
    return orr_pass_settle(job, shape, &scratch->ops, scratch->costs, first, 0, scratch->bends);
}
