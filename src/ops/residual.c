/* What replaces the plain residual add around a block: hyper-connections, which mix several streams of the hidden size
 * (Eq. 122), and attention to the sums of earlier layers (Eq. 123). */
#include "ops/emit.h"

#include "ops/mixer.h"

double orr_boundary_width(const struct orr_model *model)
{
    const struct orr_layer_kind *kind = &model->kinds[model->layer_kind[0]];
    const int64_t rows = kind->residual_streams > 0 ? kind->residual_streams : 1 + kind->residual_reads;
    return (double)(rows * model->hidden);
}

/* Before a block its weights are made from all streams at once, in one small product, and the streams are summed with
 * them; after it the output is spread over the streams, which are mixed with one another. Each is one kernel that reads
 * the streams once (in backward, with their gradients). */
static void emit_streams(struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    const struct orr_dims *d = &emit->dims;
    const double n = (double)kind->residual_streams, row = d->w_a * d->T_norm * d->h;
    orr_emit_linear(emit,
                    &(struct orr_linear){
                        .names = ORR_LINEAR("streams.weights"), .m = d->T_norm, .k = n * d->h, .n = 2 * n + n * n});
    orr_emit_pointwise(emit, &(struct orr_pointwise_op){.name = "streams.sum",
                                                        .backward_name = "streams.sum.backward",
                                                        .kind = ORR_POINTWISE_RMSNORM,
                                                        .forward_bytes = (n + 1) * row,
                                                        .backward_bytes = (2 * n + 1) * row});
    orr_emit_pointwise(emit, &(struct orr_pointwise_op){.name = "streams.mix",
                                                        .backward_name = "streams.mix.backward",
                                                        .kind = ORR_POINTWISE_ADD,
                                                        .forward_bytes = (2 * n + 1) * row,
                                                        .backward_bytes = (3 * n + 2) * row});
}

/* One kernel adds the block's output to the running sum, scores the sum and the earlier sums, and writes their mean. */
static void emit_reads(struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    const struct orr_dims *d = &emit->dims;
    const double reads = (double)kind->residual_reads, row = d->w_a * d->T_norm * d->h;
    orr_emit_pointwise(emit, &(struct orr_pointwise_op){.name = "residual.attend",
                                                        .backward_name = "residual.attend.backward",
                                                        .kind = ORR_POINTWISE_RMSNORM,
                                                        .forward_bytes = (reads + 4) * row,
                                                        .backward_bytes = 2 * (reads + 4) * row});
}

void orr_emit_block_end(struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    if (kind->residual_streams > 0) emit_streams(emit, kind);
    else if (kind->residual_reads > 0) emit_reads(emit, kind);
    else orr_emit_residual(emit);
}
