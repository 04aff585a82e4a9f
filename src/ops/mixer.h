/* Recurrent mixers and caches that do not grow: sizes of one layer on one rank, shared by operators and memory. */
#ifndef ORR_OPS_MIXER_H
#define ORR_OPS_MIXER_H

#include "ops/ops.h"
#include "spec/job.h"

/* Sizes of one layer on one of t ranks, as numbers of elements or FLOP of one token. */
struct orr_scan_sizes {
    double in;            /* columns that are projected from the hidden size */
    double width;         /* columns that are projected back */
    double conv;          /* columns of the convolution */
    double state;         /* elements of the state of a sequence */
    double low_in;        /* columns of a second projection, which every rank has whole */
    double low_out;       /* columns made on the rank from those of low_in */
    double chunked_flops; /* FLOP of a token in a chunk of many, without projections */
    double step_flops;    /* FLOP of a token on its own, without projections */
    double saved;         /* elements kept for backward per token, without the inputs of the projections */
    bool vector;          /* the scan has no matrix products, even over chunks */
};
struct orr_scan_sizes orr_scan_sizes_of(const struct orr_layer_kind *kind, double t);

/* Bytes that a sequence of any length holds in one layer: recurrent state, last columns of the convolution, keys and
 * values of an encoder with `cross_keys` positions. `w_kv` is the bytes of an element of these keys and values. */
double orr_sequence_state_bytes(const struct orr_layer_kind *kind, double cross_keys, double t, double w_kv);

/* Has the kind a feed-forward block? Has it a block that mixes positions? */
static inline bool orr_kind_has_ffn(const struct orr_layer_kind *kind)
{
    return kind->ffn_width > 0 || kind->n_experts > 0;
}
static inline bool orr_kind_mixes(const struct orr_layer_kind *kind)
{
    return kind->mixer != ORR_MIXER_NONE;
}
/* Most keys that a query is multiplied with: its window, or the keys an indexer chooses; 0: all. */
static inline double orr_kind_key_limit(const struct orr_layer_kind *kind)
{
    return (double)(kind->window > 0 ? kind->window : kind->index_topk);
}

/* Columns per position that the compressors of keys and of the indexer project; 0: the kind has none. */
double orr_compressor_columns(const struct orr_layer_kind *kind);
double orr_index_compressor_columns(const struct orr_layer_kind *kind);
/* Compressed entries that a query meets after so many positions. */
double orr_entries_kept(const struct orr_layer_kind *kind, double positions);
/* Elements per token between two layers: the hidden state, all its streams, or the sums that later layers read. */
double orr_boundary_width(const struct orr_model *model);

/* Eq. 373: a window that a framework's attention call reads as a mask. */
static inline bool orr_window_masked(const struct orr_job *job, const struct orr_layer_kind *kind, double keys)
{
    const double limit = orr_kind_key_limit(kind);
    return job->engine.masked_windows && limit > 0 && keys > limit && !orr_kind_compresses(kind);
}

#endif
