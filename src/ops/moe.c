/* Mixture of experts: router, permutation, dispatch and combine all-to-alls, grouped expert GEMMs (Eqs. 7, 9a). */
#include "ops/ops.h"

static void emit_all_to_all(struct orr_emit *emit, const char *name, enum orr_phase phase,
                            const struct orr_layer_kind *kind, double payload)
{
    const size_t before = emit->list->n;
    orr_emit_collective(emit, name, phase, ORR_COLLECTIVE_ALLTOALL, ORR_GROUP_EP, payload, -1);
    if (emit->list->n == before) return;
    struct orr_op *op = &emit->list->items[before]; /* what tells how many nodes a token visits */
    op->m = (double)kind->n_groups_active;
    op->n = (double)kind->n_experts;
    op->k = (double)kind->n_active;
}

/* One all-to-all each way in forward, and their adjoints in backward. Payload: one copy per chosen expert (Eq. 9a). */
static void emit_exchange(struct orr_emit *emit, const struct orr_layer_kind *kind, double rows)
{
    const double payload = rows * emit->dims.h * emit->dims.w_c, gathered = payload * emit->dims.te;
    emit_all_to_all(emit, "moe.dispatch", ORR_PHASE_FORWARD, kind, payload);
    emit_all_to_all(emit, "moe.combine", ORR_PHASE_FORWARD, kind, payload);
    emit_all_to_all(emit, "moe.combine.backward", ORR_PHASE_BACKWARD, kind, payload);
    emit_all_to_all(emit, "moe.dispatch.backward", ORR_PHASE_BACKWARD, kind, payload);
    orr_emit_collective(emit, "moe.gather", ORR_PHASE_FORWARD, ORR_COLLECTIVE_ALLGATHER, ORR_GROUP_ETP, gathered, -1);
    orr_emit_collective(emit, "moe.scatter", ORR_PHASE_FORWARD, ORR_COLLECTIVE_REDUCESCATTER, ORR_GROUP_ETP, gathered,
                        -1);
    orr_emit_collective(emit, "moe.scatter.backward", ORR_PHASE_BACKWARD, ORR_COLLECTIVE_ALLGATHER, ORR_GROUP_ETP,
                        gathered, -1);
    orr_emit_collective(emit, "moe.gather.backward", ORR_PHASE_BACKWARD, ORR_COLLECTIVE_REDUCESCATTER, ORR_GROUP_ETP,
                        gathered, -1);
}

static void emit_router(struct orr_emit *emit, const struct orr_layer_kind *kind, double tokens)
{
    const double experts = (double)kind->n_experts;
    orr_emit_linear(emit, (struct orr_linear){.names = ORR_LINEAR("moe.router"),
                                              .kind = ORR_OP_GEMM,
                                              .batch = 1,
                                              .m = tokens,
                                              .k = emit->dims.h,
                                              .n = experts});
    /* scores in fp32: softmax or sigmoid, top-k, load-balance statistics */
    orr_emit_pointwise(emit, (struct orr_pointwise_op){.name = "moe.topk",
                                                       .backward_name = "moe.topk.backward",
                                                       .kind = ORR_POINTWISE_SOFTMAX,
                                                       .forward_bytes = 16 * tokens * experts,
                                                       .backward_bytes = 16 * tokens * experts,
                                                       .forward_launches = 4,
                                                       .backward_launches = 4});
}

/* Half of the passes order the rows a rank sends, half those its experts work on: as many on every rank that holds a
 * slice of them, and none to order for a single expert. Quantised products want aligned rows: copies that pad and
 * unpad. */
static void emit_permute(struct orr_emit *emit, const struct orr_layer_kind *kind, double rows)
{
    const struct orr_dims *d = &emit->dims;
    const double sent = (double)emit->job->engine.moe_permute_passes / 2;
    const double worked = ((double)kind->n_experts / d->e > 1 ? sent : 0) +
                          (d->low_precision ? (double)emit->job->engine.moe_pad_passes : 0);
    const double passes = sent + worked, bytes = (sent + worked * d->te) * rows * d->h * 2 * d->w_a;
    orr_emit_pointwise(emit, (struct orr_pointwise_op){.name = "moe.permute",
                                                       .backward_name = "moe.permute.backward",
                                                       .kind = ORR_POINTWISE_COPY,
                                                       .forward_bytes = bytes,
                                                       .backward_bytes = bytes,
                                                       .forward_launches = passes,
                                                       .backward_launches = passes});
}

static void emit_experts(struct orr_emit *emit, const struct orr_layer_kind *kind, double rows)
{
    const struct orr_dims *d = &emit->dims;
    const double local = (double)kind->n_experts / d->e, f = (double)kind->expert_width / d->te;
    const double per_expert = rows * d->te / local; /* Eq. 7: M_x, phi inside rows */
    orr_emit_linear(emit, (struct orr_linear){.names = ORR_LINEAR("expert.up"),
                                              .kind = ORR_OP_GROUPED,
                                              .batch = local,
                                              .m = per_expert,
                                              .k = d->h,
                                              .n = (kind->gated ? 2 : 1) * f,
                                              .quantised = true});
    const double elements = rows * d->te * f;
    orr_emit_pointwise(emit,
                       (struct orr_pointwise_op){.name = "expert.activation",
                                                 .backward_name = "expert.activation.backward",
                                                 .kind = kind->gated ? ORR_POINTWISE_ACTIVATION : ORR_POINTWISE_GELU,
                                                 .forward_bytes = (kind->gated ? 6 : 4) * elements,
                                                 .backward_bytes = (kind->gated ? 10 : 6) * elements});
    orr_emit_linear(emit, (struct orr_linear){.names = ORR_LINEAR("expert.down"),
                                              .kind = ORR_OP_GROUPED,
                                              .batch = local,
                                              .m = per_expert,
                                              .k = f,
                                              .n = d->h,
                                              .last = true,
                                              .quantised = true});
}

void orr_ops_moe(struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    const struct orr_dims *d = &emit->dims;
    const double tokens = d->T / d->t;                                /* T_e: tokens this GPU owns */
    const double rows = tokens * (double)kind->n_active;              /* rows it sends, and on average receives */
    const double hot_rows = rows * emit->job->workload.moe_imbalance; /* rows of the hottest expert rank */
    emit_router(emit, kind, tokens);
    emit_permute(emit, kind, rows);
    emit_exchange(emit, kind, hot_rows);
    emit_experts(emit, kind, hot_rows);
    if (kind->shared_width > 0) orr_ops_ffn(emit, kind, (double)kind->shared_width, true);
}
