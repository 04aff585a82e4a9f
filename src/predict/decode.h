/* The decode steps of a request as one mean pass: only attention depends on the context, as curves that are summed over
 * all contexts in closed form. */
#ifndef ORR_PREDICT_DECODE_H
#define ORR_PREDICT_DECODE_H

#include "predict/pass.h"
#include "predict/scratch.h"

/* The contexts of all decode steps. */
struct orr_contexts {
    int64_t first, last;
};

static inline double orr_contexts_n(struct orr_contexts span)
{
    return (double)(span.last - span.first + 1);
}

static inline double orr_contexts_mean(struct orr_contexts span)
{
    return ((double)span.first + (double)span.last) / 2;
}

/* A layer kind has at most three curves: attention, its compressed entries, and the operator that chooses its keys. */
#define ORR_MOST_CURVES (3 * ORR_MAX_LAYER_KINDS)

/* The attention operators of a decode pass as curves over the context. */
struct orr_decode_curves {
    int n;
    double layers[ORR_MOST_CURVES];
    size_t op[ORR_MOST_CURVES];
    struct orr_decode_curve curve[ORR_MOST_CURVES];
};

/* Prices a decode pass of a model at the mean context; attention takes its exact mean over all contexts. Fills
 * `curves`. */
struct orr_pass orr_decode_pass(const struct orr_job *job, const struct orr_model *model, struct orr_scratch *scratch,
                                const struct orr_serve_shape *shape, struct orr_contexts span,
                                struct orr_decode_curves *curves);
/* The time that the host adds to a pass, as a mean over all contexts (Eq. 126). */
double orr_decode_host_s(const struct orr_decode_curves *curves, const struct orr_pass *pass, struct orr_contexts span);

#endif
