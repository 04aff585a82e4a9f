/* Dense feed-forward block, plain or gated; also the shared experts of an MoE layer. Eq. 6b. */
#include "ops/ops.h"

/* Bytes per hidden element, forward | backward: GELU 4 | 6; gate product fused 6 | 10, as two operators 10 | 18. */
static void emit_activation(struct orr_emit *emit, double elements, bool gated, bool bias)
{
    const struct orr_engine *engine = &emit->job->engine;
    double forward = 4, backward = 6;
    double launches = 1;
    if (gated) {
        forward = engine->fused_gate ? 6 : 10;
        backward = engine->fused_gate ? 10 : 18;
        launches = engine->fused_gate ? 1 : 2;
    } else if (bias && !engine->fused_bias_activation) {
        forward += 4; /* the bias is its own pass */
        launches = 2;
    }
    orr_emit_pointwise(emit, (struct orr_pointwise_op){.name = "mlp.activation",
                                                       .backward_name = "mlp.activation.backward",
                                                       .kind = gated ? ORR_POINTWISE_ACTIVATION : ORR_POINTWISE_GELU,
                                                       .forward_bytes = forward * elements,
                                                       .backward_bytes = backward * elements,
                                                       .forward_launches = launches,
                                                       .backward_launches = launches});
}

/* b s h f t as in docs/equations.md; width f. A shared expert reuses the gathered input and the reduced output. */
void orr_ops_ffn(struct orr_emit *emit, const struct orr_layer_kind *kind, double width, bool shared)
{
    const struct orr_dims *d = &emit->dims;
    const double f = width / d->t;
    if (!shared && !kind->parallel_block) orr_emit_column_gather(emit, d->h);
    const int64_t up =
        orr_emit_linear(emit, (struct orr_linear){.names = shared ? ORR_LINEAR("shared.up") : ORR_LINEAR("mlp.up"),
                                                  .kind = ORR_OP_GEMM,
                                                  .batch = 1,
                                                  .m = d->T,
                                                  .k = d->h,
                                                  .n = (kind->gated ? 2 : 1) * f,
                                                  .bias = kind->ffn_bias,
                                                  .quantised = true});
    orr_emit_column_input(emit, up, d->h);
    emit_activation(emit, d->T * f, kind->gated, kind->ffn_bias);
    orr_emit_linear(emit, (struct orr_linear){.names = shared ? ORR_LINEAR("shared.down") : ORR_LINEAR("mlp.down"),
                                              .kind = ORR_OP_GEMM,
                                              .batch = 1,
                                              .m = d->T,
                                              .k = f,
                                              .n = d->h,
                                              .last = true,
                                              .bias = kind->ffn_bias,
                                              .quantised = true});
    orr_emit_row_output(emit, d->h);
}
