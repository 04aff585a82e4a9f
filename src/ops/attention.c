/* Attention operators of one layer: projections, rotary positions, the core (unfused or fused), context-parallel
 * exchange. Eqs. 6a, 42-44a, forward and backward. */
#include "ops/ops.h"

#include "base/number.h"

#include <math.h>

static double kv_heads_per_rank(const struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    return orr_max(1, (double)kind->n_kv_heads / emit->dims.t);
}

/* Query-key pairs of one sequence that must be computed: all, the causal half, or a window's band. */
static double score_pairs(const struct orr_workload *workload, const struct orr_layer_kind *kind)
{
    const double s = (double)workload->seq, w = (double)kind->window;
    if (w > 0 && w < s && !kind->chunked) return workload->causal ? s * w - w * w / 2 : s * w;
    if (w > 0 && w < s) return (s * w - fmod(s, w) * (w - fmod(s, w))) / (workload->causal ? 2 : 1);
    return workload->causal ? s * s / 2 : s * s;
}

/* Score elements of one rank and micro-batch in the unfused form: nothing is skipped. */
static double score_elements(const struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    const struct orr_dims *d = &emit->dims;
    return d->b * (double)kind->n_heads / d->t * (d->s / d->c) * d->s;
}

static void emit_bmm(struct orr_emit *emit, const char *name, enum orr_phase phase, double batch, double m, double n,
                     double k)
{
    struct orr_op *op = orr_emit_op(emit, name, ORR_OP_BMM, phase);
    const double w = emit->dims.w_a;
    op->batch = batch;
    op->m = m;
    op->n = n;
    op->k = k;
    op->input_bytes = op->weight_bytes = op->output_bytes = w;
    op->flops = 2 * batch * m * n * k;
    op->bytes = batch * w * (m * k + k * n + m * n);
    if (phase == ORR_PHASE_FORWARD && emit->job->workload.recompute == ORR_RECOMPUTE_SELECTIVE) op->recomputed = true;
}

/* Softmax with its scale and mask, and attention dropout: bytes per score element, forward | backward. */
static void emit_unfused_softmax(struct orr_emit *emit, double scores)
{
    const bool fused = emit->job->engine.fused_softmax;
    if (!fused)
        orr_emit_pointwise(emit, (struct orr_pointwise_op){.name = "attention.scale",
                                                           .backward_name = "attention.scale.backward",
                                                           .kind = ORR_POINTWISE_ADD,
                                                           .forward_bytes = 4 * scores,
                                                           .backward_bytes = 4 * scores,
                                                           .core = true});
    orr_emit_pointwise(emit, (struct orr_pointwise_op){.name = "attention.softmax",
                                                       .backward_name = "attention.softmax.backward",
                                                       .kind = ORR_POINTWISE_SOFTMAX,
                                                       .forward_bytes = 4 * scores,
                                                       .backward_bytes = 6 * scores,
                                                       .columns = emit->dims.s,
                                                       .core = true});
    if (!emit->job->workload.attention_dropout) return;
    orr_emit_pointwise(emit, (struct orr_pointwise_op){.name = "attention.dropout",
                                                       .kind = ORR_POINTWISE_DROPOUT,
                                                       .forward_bytes = 5 * scores,
                                                       .core = true});
    orr_emit_pointwise(emit, (struct orr_pointwise_op){.backward_name = "attention.dropout.backward",
                                                       .kind = ORR_POINTWISE_ADD, /* a product with the mask */
                                                       .backward_bytes = 5 * scores});
}

static void emit_unfused_core(struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    const struct orr_dims *d = &emit->dims;
    const double batch = d->b * (double)kind->n_heads / d->t, q = d->s / d->c, s = d->s;
    const double d_qk = (double)kind->head_qk, d_v = (double)kind->head_v;
    emit_bmm(emit, "attention.scores", ORR_PHASE_FORWARD, batch, q, s, d_qk);
    emit_unfused_softmax(emit, score_elements(emit, kind));
    emit_bmm(emit, "attention.context", ORR_PHASE_FORWARD, batch, q, d_v, s);
    emit_bmm(emit, "attention.context.dP", ORR_PHASE_BACKWARD, batch, q, s, d_v);
    emit_bmm(emit, "attention.context.dV", ORR_PHASE_BACKWARD, batch, s, d_v, q);
    emit_bmm(emit, "attention.scores.dQ", ORR_PHASE_BACKWARD, batch, q, d_qk, s);
    emit_bmm(emit, "attention.scores.dK", ORR_PHASE_BACKWARD, batch, s, d_qk, q);
}

/* Eqs. 43, 44. m: queries of one rank; n: keys a query block walks over, which sets the kernel's efficiency. */
static void emit_flash(struct orr_emit *emit, const struct orr_layer_kind *kind, double kv_heads, bool backward)
{
    const struct orr_dims *d = &emit->dims;
    struct orr_op *op =
        orr_emit_op(emit, backward ? "attention.flash.backward" : "attention.flash",
                    backward ? ORR_OP_FLASH_BACKWARD : ORR_OP_FLASH, backward ? ORR_PHASE_BACKWARD : ORR_PHASE_FORWARD);
    const double heads = (double)kind->n_heads / d->t, d_qk = (double)kind->head_qk, d_v = (double)kind->head_v;
    const double pairs = d->b * heads * score_pairs(&emit->job->workload, kind) / d->c, q = d->s / d->c;
    const bool ring = d->c > 1 && emit->job->plan.cp_kind == ORR_CP_RING;
    const double keys = ring ? q : d->s;
    op->batch = d->b * heads;
    op->m = q;
    op->n = kind->window > 0 ? orr_min((double)kind->window, keys) : keys;
    op->k = d_qk + d_v;
    op->head_size = orr_max(d_qk, d_v);
    op->walk_ratio = ring ? 1 : op->n * op->batch * q / pairs; /* a ring step multiplies whole blocks */
    op->input_bytes = op->output_bytes = d->w_a;
    op->flops = 2 * pairs * (backward ? 3 * d_qk + 2 * d_v : d_qk + d_v);
    const double operands = d->w_a * d->b * (d_qk + d_v) * (heads * q + kv_heads * d->s);
    op->bytes = backward ? 2 * operands + 8 * d->b * heads * q * (1 + d_qk) : operands + 4 * d->b * heads * q;
}

/* Context parallelism: how keys and values (or heads) reach the ranks that need them (Eqs. 13, 14). */
static void emit_context_exchange(struct orr_emit *emit, const struct orr_layer_kind *kind, double kv_heads)
{
    const struct orr_dims *d = &emit->dims;
    const double kv_local = d->T * kv_heads * (double)(kind->head_qk + kind->head_v) * d->w_c;
    const double q_local = d->T * (double)kind->n_heads / d->t * (double)(kind->head_qk + kind->head_v) * d->w_c;
    const int64_t forward_window = (int64_t)emit->list->n - 2, backward_window = (int64_t)emit->list->n - 1;
    const bool fused = emit->job->workload.attention != ORR_ATTENTION_UNFUSED;
    if (d->c < 2) return;
    switch (emit->job->plan.cp_kind) {
    case ORR_CP_RING: /* c-1 sends of K,V; backward adds c sends of dK,dV */
        orr_emit_collective(emit, "cp.ring", ORR_PHASE_FORWARD, ORR_COLLECTIVE_P2P, ORR_GROUP_CP, (d->c - 1) * kv_local,
                            fused ? forward_window : -1);
        orr_emit_collective(emit, "cp.ring.backward", ORR_PHASE_BACKWARD, ORR_COLLECTIVE_P2P, ORR_GROUP_CP,
                            (2 * d->c - 1) * kv_local, fused ? backward_window : -1);
        break;
    case ORR_CP_ALLGATHER:
        orr_emit_collective(emit, "cp.gather", ORR_PHASE_FORWARD, ORR_COLLECTIVE_ALLGATHER, ORR_GROUP_CP,
                            d->c * kv_local, -1);
        orr_emit_collective(emit, "cp.gather.backward", ORR_PHASE_BACKWARD, ORR_COLLECTIVE_ALLGATHER, ORR_GROUP_CP,
                            d->c * kv_local, -1);
        orr_emit_collective(emit, "cp.scatter.backward", ORR_PHASE_BACKWARD, ORR_COLLECTIVE_REDUCESCATTER, ORR_GROUP_CP,
                            d->c * kv_local, -1);
        break;
    case ORR_CP_ULYSSES:
        orr_emit_collective(emit, "cp.alltoall", ORR_PHASE_FORWARD, ORR_COLLECTIVE_ALLTOALL, ORR_GROUP_CP,
                            q_local + kv_local, -1);
        orr_emit_collective(emit, "cp.alltoall.backward", ORR_PHASE_BACKWARD, ORR_COLLECTIVE_ALLTOALL, ORR_GROUP_CP,
                            q_local + kv_local, -1);
        break;
    case ORR_N_CP_KINDS: break;
    }
}

void orr_ops_attention_core(struct orr_emit *emit, const struct orr_layer_kind *kind, double kv_heads)
{
    if (emit->job->workload.attention == ORR_ATTENTION_UNFUSED) {
        emit_unfused_core(emit, kind);
    } else {
        emit_flash(emit, kind, kv_heads, false);
        emit_flash(emit, kind, kv_heads, true);
    }
    emit_context_exchange(emit, kind, kv_heads);
}

/* Fused: one read and one write. Composed of framework operators: negate, concatenate, two products, one sum. */
static void emit_rope(struct orr_emit *emit, double elements)
{
    const bool fused = emit->job->engine.fused_rope;
    const double bytes = elements * (fused ? 4 : 20);
    orr_emit_pointwise(emit, (struct orr_pointwise_op){.name = "attention.rope",
                                                       .backward_name = "attention.rope.backward",
                                                       .kind = ORR_POINTWISE_ACTIVATION,
                                                       .forward_bytes = bytes,
                                                       .backward_bytes = bytes,
                                                       .forward_launches = fused ? 1 : 5,
                                                       .backward_launches = fused ? 1 : 5});
}

void orr_ops_attention(struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    const struct orr_dims *d = &emit->dims;
    const double heads = (double)kind->n_heads / d->t, kv_heads = kv_heads_per_rank(emit, kind);
    const double head = (double)kind->head_qk;
    orr_emit_column_gather(emit, d->h);
    const int64_t qkv = orr_emit_linear(emit, (struct orr_linear){.names = ORR_LINEAR("attention.qkv"),
                                                                  .kind = ORR_OP_GEMM,
                                                                  .batch = 1,
                                                                  .m = d->T,
                                                                  .k = d->h,
                                                                  .n = (heads + 2 * kv_heads) * head,
                                                                  .bias = kind->attention_bias,
                                                                  .quantised = true});
    orr_emit_column_input(emit, qkv, d->h);
    if (kind->qk_norm)
        orr_emit_norm(emit, "attention.qk_norm", "attention.qk_norm.backward", d->T * (heads + kv_heads) * head, true);
    if (kind->rope) emit_rope(emit, d->T * (heads + kv_heads) * head);
    orr_ops_attention_core(emit, kind, kv_heads);
    orr_emit_linear(emit, (struct orr_linear){.names = ORR_LINEAR("attention.out"),
                                              .kind = ORR_OP_GEMM,
                                              .batch = 1,
                                              .m = d->T,
                                              .k = heads * (double)kind->head_v,
                                              .n = d->h,
                                              .bias = kind->attention_bias,
                                              .quantised = true});
    if (!kind->parallel_block) /* a parallel block reduces attention and FFN together */
        orr_emit_row_output(emit, d->h);
}
