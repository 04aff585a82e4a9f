/* Compressed attention of one layer (Eq. 121): queries through a rank, one head of keys that serve as values, entries
 * that a compressor makes of many positions, and an output projection by groups of heads. The core over window and
 * entries is in attention.c and decode.c, the indexer in index.c. */
#include "ops/emit.h"

#include "base/number.h"
#include "ops/mixer.h"

double orr_compressor_columns(const struct orr_layer_kind *kind)
{
    if (kind->compress_ratio == 0) return 0;
    /* Keys and their weights; both twice where entries overlap. */
    return (kind->index_heads > 0 ? 4 : 2) * (double)kind->head_qk;
}

double orr_index_compressor_columns(const struct orr_layer_kind *kind)
{
    return kind->compress_ratio > 0 && kind->index_heads > 0 ? 4 * (double)kind->index_size : 0;
}

double orr_entry_pairs(const struct orr_dims *d, const struct orr_layer_kind *kind, bool causal)
{
    const struct orr_layer_kind positions = {.index_topk = kind->index_topk * kind->compress_ratio};
    if (kind->compress_ratio == 0) return 0;
    return orr_score_pairs(d, &positions, causal) / (double)kind->compress_ratio;
}

double orr_entries_kept(const struct orr_layer_kind *kind, double positions)
{
    if (kind->compress_ratio == 0) return 0;
    const double entries = positions / (double)kind->compress_ratio;
    return kind->index_topk > 0 ? orr_min(entries, (double)kind->index_topk) : entries;
}

/* The compressors of keys and of the indexer project every position in 16 bits; one kernel weights the columns of the
 * positions of an entry and writes the entry. Every rank has all entries. */
static void emit_compressor(struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    const struct orr_dims *d = &emit->dims;
    const double columns = orr_compressor_columns(kind) + orr_index_compressor_columns(kind);
    if (columns <= 0) return;
    const double entry = (double)(kind->head_qk + (kind->index_heads > 0 ? kind->index_size : 0));
    const double bytes = d->w_a * d->T * (columns + entry / (double)kind->compress_ratio);
    orr_emit_linear(emit,
                    &(struct orr_linear){.names = ORR_LINEAR("compress.columns"), .m = d->T, .k = d->h, .n = columns});
    orr_emit_pointwise(emit, &(struct orr_pointwise_op){.name = "compress.entries",
                                                        .backward_name = "compress.entries.backward",
                                                        .kind = ORR_POINTWISE_SOFTMAX,
                                                        .forward_bytes = bytes,
                                                        .backward_bytes = 2 * bytes});
}

void orr_emit_compressed_rows(struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    const struct orr_dims *d = &emit->dims;
    const double heads = (double)kind->n_heads / d->t, r_q = (double)kind->mla_q_rank, size = (double)kind->head_qk;
    orr_emit_projection(emit, ORR_LINEAR("mla.q_down"), ORR_PRODUCT_Q_DOWN, d->T_norm, d->h, r_q);
    orr_emit_norm(emit, "mla.q_norm", "mla.q_norm.backward", d->T_norm * r_q, true);
    orr_emit_projection(emit, ORR_LINEAR("mla.kv_down"), ORR_PRODUCT_KV_DOWN, d->T_norm, d->h, size);
    orr_emit_norm(emit, "mla.kv_norm", "mla.kv_norm.backward", d->T_norm * size, true);
    orr_emit_column_gather(emit, r_q + size, 1);
    orr_emit_column_input(
        emit, orr_emit_projection(emit, ORR_LINEAR("mla.q_up"), ORR_PRODUCT_Q_UP, d->T, r_q, heads * size), r_q, 1);
    /* Query heads are normalised and rotated; the rotation of the keys is taken back from the heads' outputs. */
    orr_emit_norm(emit, "attention.qk_norm", "attention.qk_norm.backward", d->T * heads * size, true);
    const double rotated = 2 * d->w_a * d->T * (2 * heads + 1) * (double)kind->mla_rope;
    orr_emit_small(emit, &(struct orr_pointwise_op){.name = "mla.rope",
                                                    .backward_name = "mla.rope.backward",
                                                    .kind = ORR_POINTWISE_COPY,
                                                    .forward_bytes = rotated,
                                                    .backward_bytes = rotated,
                                                    .forward_launches = 2,
                                                    .backward_launches = 2});
    emit_compressor(emit, kind);
}

/* Each group of heads is projected to its rank; the ranks of all groups together are projected to the hidden size. */
void orr_emit_grouped_output(struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    const struct orr_dims *d = &emit->dims;
    const double groups = (double)kind->out_groups / d->t, rank = (double)kind->out_rank;
    orr_emit_linear(emit, &(struct orr_linear){.names = ORR_LINEAR("attention.out_down"),
                                               .experts = groups,
                                               .m = d->T,
                                               .k = (double)(kind->n_heads * kind->head_v) / (double)kind->out_groups,
                                               .n = rank,
                                               .product = ORR_PRODUCT_OUT_DOWN,
                                               .quantised = true});
    orr_emit_projection(emit, ORR_LINEAR("attention.out"), ORR_PRODUCT_OUT, d->T, groups * rank, d->h);
    orr_emit_row_output(emit, d->h);
}
