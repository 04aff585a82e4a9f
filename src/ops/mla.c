/* Multi-head latent attention in training form: latents, up-projections, the core on expanded heads (Eq. 11a). */
#include "ops/ops.h"

static int64_t emit_projection(struct orr_emit *emit, struct orr_linear_names names, double m, double k, double n)
{
    return orr_emit_linear(
        emit, (struct orr_linear){
                  .names = names, .kind = ORR_OP_GEMM, .batch = 1, .m = m, .k = k, .n = n, .quantised = true});
}

/* Down-projections are replicated over t and run on the sequence shard; the normalised latents are gathered. */
void orr_ops_mla(struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    const struct orr_dims *d = &emit->dims;
    const double heads = (double)kind->n_heads / d->t, r_q = (double)kind->mla_q_rank, r = (double)kind->mla_kv_rank;
    const double d_r = (double)kind->mla_rope, d_n = (double)kind->head_qk - d_r, d_v = (double)kind->head_v;
    if (r_q > 0) {
        emit_projection(emit, ORR_LINEAR("mla.q_down"), d->T_norm, d->h, r_q);
        orr_emit_norm(emit, "mla.q_norm", "mla.q_norm.backward", d->T_norm * r_q, true);
    }
    emit_projection(emit, ORR_LINEAR("mla.kv_down"), d->T_norm, d->h, r + d_r);
    orr_emit_norm(emit, "mla.kv_norm", "mla.kv_norm.backward", d->T_norm * r, true);
    orr_emit_column_gather(emit, (r_q > 0 ? r_q : d->h) + r + d_r);
    const int64_t q_up = emit_projection(emit, ORR_LINEAR("mla.q_up"), d->T, r_q > 0 ? r_q : d->h, heads * (d_n + d_r));
    orr_emit_column_input(emit, q_up, r_q > 0 ? r_q : d->h);
    const int64_t kv_up = emit_projection(emit, ORR_LINEAR("mla.kv_up"), d->T, r, heads * (d_n + d_v));
    orr_emit_column_input(emit, kv_up, r + d_r);
    /* RoPE on the small part, and the concatenation of both parts of every query and key head */
    orr_emit_pointwise(emit, (struct orr_pointwise_op){.name = "mla.rope",
                                                       .backward_name = "mla.rope.backward",
                                                       .kind = ORR_POINTWISE_COPY,
                                                       .forward_bytes = 4 * d->T * heads * 2 * (d_n + d_r),
                                                       .backward_bytes = 4 * d->T * heads * 2 * (d_n + d_r),
                                                       .forward_launches = 2,
                                                       .backward_launches = 2});
    orr_ops_attention_core(emit, kind, heads);
    emit_projection(emit, ORR_LINEAR("attention.out"), d->T, heads * d_v, d->h);
    orr_emit_row_output(emit, d->h);
}
