/* The feed-forward block: dense columns, plain or gated, of a layer or of its shared experts, followed by the sum over
 * the tensor-parallel group (Eq. 6b). */
#include "ops/emit.h"

#include "ops/experts.h"

/* Eq. 336: gate and up are halves of one matrix. SiLU, the product and their gradients that read a half are not
 * vectorised and count by elements. The gradient of up is a product of whole tensors (6 bytes), and the gradients of
 * both halves are joined (8). */
static void emit_split_gate(struct orr_emit *emit, double elements)
{
    orr_emit_small(emit, &(struct orr_pointwise_op){.name = "mlp.activation",
                                                    .backward_name = "mlp.activation.backward",
                                                    .kind = ORR_POINTWISE_STRIDED,
                                                    .forward_bytes = 2 * 4 * elements,
                                                    .backward_bytes = 2 * 4 * elements,
                                                    .forward_launches = 2,
                                                    .backward_launches = 2});
    orr_emit_small(emit, &(struct orr_pointwise_op){.backward_name = "mlp.join.backward",
                                                    .kind = ORR_POINTWISE_ACTIVATION,
                                                    .backward_bytes = (6 + 8) * elements,
                                                    .backward_launches = 1});
}

/* Bytes per hidden element in forward and backward are 4 and 6 for GELU, 6 and 10 for a fused gate product, 10 and 18
 * for a gate product of two operators. */
static void emit_activation(struct orr_emit *emit, double elements, bool gated, bool bias)
{
    const struct orr_engine *engine = &emit->job->engine;
    double forward = 4, backward = 6;
    double launches = 1;
    if (gated && emit->backward && engine->split_gate) {
        emit_split_gate(emit, elements);
        return;
    }
    if (gated) {
        forward = engine->fused_gate ? 6 : 10;
        backward = engine->fused_gate ? 10 : 18;
        launches = engine->fused_gate ? 1 : 2;
    } else if (bias && !engine->fused_bias_activation) {
        forward += 4; /* The bias takes a pass of its own. */
        launches = 2;
    }
    orr_emit_small(emit, &(struct orr_pointwise_op){.name = "mlp.activation",
                                                    .backward_name = "mlp.activation.backward",
                                                    .kind = gated ? ORR_POINTWISE_ACTIVATION : ORR_POINTWISE_GELU,
                                                    .forward_bytes = forward * elements,
                                                    .backward_bytes = backward * elements,
                                                    .forward_launches = launches,
                                                    .backward_launches = launches});
}

static int32_t emit_matrix(struct orr_emit *emit, struct orr_linear_names names, double k, double n, bool bias,
                           enum orr_product product)
{
    const bool joined = product == ORR_PRODUCT_GATE_UP || product == ORR_PRODUCT_SHARED_GATE_UP;
    const bool gated = joined && !emit->lumped && emit->layer_kind >= 0 && emit->model->kinds[emit->layer_kind].gated;
    return orr_emit_linear(
        emit, &(struct orr_linear){.names = names,
                                   .m = emit->dims.T,
                                   .k = k,
                                   .n = n,
                                   .last = product == ORR_PRODUCT_DOWN || product == ORR_PRODUCT_SHARED_DOWN,
                                   .bias = bias,
                                   .quantised = true,
                                   .n_parts = gated ? 2 : 0,
                                   .parts = {{ORR_TARGET_GATE, n / 2}, {ORR_TARGET_UP, n / 2}},
                                   .product = product});
}

/* Gate and up are one product in training; serving engines may have two. */
static int32_t emit_up(struct orr_emit *emit, const struct orr_layer_kind *kind, double f, bool shared)
{
    const double h = emit->dims.h, columns = kind->gated ? 2 * f : f;
    const bool bias = kind->ffn_bias, named = emit->lumped && kind->gated;
    const enum orr_product product = shared ? ORR_PRODUCT_SHARED_GATE_UP : ORR_PRODUCT_GATE_UP;
    if (named && !emit->job->engine.fused_gate_up) {
        emit_matrix(emit, shared ? ORR_LINEAR("shared.gate") : ORR_LINEAR("mlp.gate"), h, f, bias, product);
        return emit_matrix(emit, shared ? ORR_LINEAR("shared.up") : ORR_LINEAR("mlp.up"), h, f, bias, product);
    }
    if (named)
        return emit_matrix(emit, shared ? ORR_LINEAR("shared.gate_up") : ORR_LINEAR("mlp.gate_up"), h, columns, bias,
                           product);
    return emit_matrix(emit, shared ? ORR_LINEAR("shared.up") : ORR_LINEAR("mlp.up"), h, columns, bias, product);
}

/* A dense FFN of `width` columns; f is their number on one rank. A shared expert reuses the gathered input. */
static void emit_dense(struct orr_emit *emit, const struct orr_layer_kind *kind, double width, bool shared)
{
    const struct orr_dims *d = &emit->dims;
    const double f = width / d->t;
    const int matrices = kind->gated ? 2 : 1;
    if (!shared && !kind->parallel_block) orr_emit_column_gather(emit, d->h, matrices);
    orr_emit_column_input(emit, emit_up(emit, kind, f, shared), d->h, matrices);
    emit_activation(emit, d->T * f, kind->gated, kind->ffn_bias);
    emit_matrix(emit, shared ? ORR_LINEAR("shared.down") : ORR_LINEAR("mlp.down"), f, d->h, kind->ffn_bias,
                shared ? ORR_PRODUCT_SHARED_DOWN : ORR_PRODUCT_DOWN);
}

/* Eq. 318: a product with one column and the kernels that scale the output of the shared experts by its sigmoid. */
static void emit_shared_gate(struct orr_emit *emit)
{
    const struct orr_dims *d = &emit->dims;
    const double kernels = emit->lumped ? (double)emit->job->engine.shared_gate_kernels : 0;
    if (kernels <= 0) return;
    orr_emit_linear(emit, &(struct orr_linear){.names = ORR_LINEAR("shared.scale"), .m = d->T, .k = d->h, .n = 1});
    orr_emit_pointwise(emit, &(struct orr_pointwise_op){.name = "shared.scaled",
                                                        .kind = ORR_POINTWISE_ACTIVATION,
                                                        .forward_bytes = 2 * d->w_a * d->T * d->h,
                                                        .forward_launches = kernels});
}

void orr_emit_ffn(struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    const struct orr_dims *d = &emit->dims;
    const double shared = orr_shared_is_routed(emit->job, kind) ? 0 : (double)kind->shared_width;
    const double width = kind->n_experts > 0 ? shared : (double)kind->ffn_width;
    if (kind->n_experts > 0) orr_emit_experts(emit, kind);
    if (width > 0) emit_dense(emit, kind, width, kind->n_experts > 0);
    if (width > 0 && kind->shared_gate) emit_shared_gate(emit);
    /* Ranks that route different tokens sum only dense columns. */
    if (width > 0 || d->T_routed == d->T) orr_emit_row_output(emit, d->h);
}
