/* Recurrent mixers and caches that do not grow: sizes of one layer on one rank, shared by operators and memory. */
#ifndef ORR_OPS_MIXER_H
#define ORR_OPS_MIXER_H

#include "ops/ops.h"
#include "spec/job.h"

/* Of one layer on one of t ranks; all are numbers of elements, or FLOP of one token. */
struct orr_scan_sizes {
    double in;            /* columns that are projected from the hidden size */
    double width;         /* columns that are projected back */
    double conv;          /* columns of the convolution */
    double state;         /* elements of the state of a sequence */
    double low_in;        /* columns of a second projection that every rank has whole, and ... */
    double low_out;       /* ... columns made from them on the rank */
    double chunked_flops; /* beyond the projections: of a token in a chunk of many, ... */
    double step_flops;    /* ... and of a token on its own */
    double saved;         /* kept for backward, a token; inputs of the projections in and out not counted */
    bool vector;          /* its scan has no matrix products even over chunks */
};
struct orr_scan_sizes orr_scan_sizes_of(const struct orr_layer_kind *kind, double t);

/* Bytes that a sequence of any length holds in one layer: recurrent state, last columns of the convolution, keys and
 * values of an encoder. `w_kv`: of an element of those. */
double orr_sequence_state_bytes(const struct orr_layer_kind *kind, double t, double w_kv);

/* Has the kind a feed-forward block? Has it a block that mixes positions? */
static inline bool orr_kind_has_ffn(const struct orr_layer_kind *kind)
{
    return kind->ffn_width > 0 || kind->n_experts > 0;
}
static inline bool orr_kind_mixes(const struct orr_layer_kind *kind)
{
    return kind->mixer != ORR_MIXER_NONE;
}
/* Keys a query multiplies at most: the window, or the keys an indexer chooses; 0: all. */
static inline double orr_kind_key_limit(const struct orr_layer_kind *kind)
{
    return (double)(kind->window > 0 ? kind->window : kind->index_topk);
}

#endif
