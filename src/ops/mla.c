/* Projections of multi-head latent attention: latents, and their expansion to heads for many queries; decoding
 * queries are projected into the latent space instead (Eqs. 11, 11a). */
#include "ops/emit.h"

/* Down-projections are replicated over t and run on the sequence shard; the normalised latents are gathered. */
static void emit_down(struct orr_emit *emit, const struct orr_layer_kind *kind, double q_columns)
{
    const struct orr_dims *d = &emit->dims;
    const double r_q = (double)kind->mla_q_rank, r = (double)kind->mla_kv_rank, d_r = (double)kind->mla_rope;
    const double q_width = r_q > 0 ? r_q : d->h;
    const bool fused = r_q > 0 && emit->job->engine.fused_latents;
    if (r_q > 0) {
        orr_emit_projection(emit, ORR_LINEAR("mla.q_down"), ORR_PRODUCT_Q_DOWN, d->T_norm, d->h,
                            fused ? r_q + r + d_r : r_q); /* Eq. 311 */
        orr_emit_norm(emit, "mla.q_norm", "mla.q_norm.backward", d->T_norm * r_q, true);
    }
    if (!fused) orr_emit_projection(emit, ORR_LINEAR("mla.kv_down"), ORR_PRODUCT_KV_DOWN, d->T_norm, d->h, r + d_r);
    orr_emit_norm(emit, "mla.kv_norm", "mla.kv_norm.backward", d->T_norm * r, true);
    orr_emit_column_gather(emit, q_width + r + d_r, 1);
    const enum orr_product q_up = r_q > 0 ? ORR_PRODUCT_Q_UP : ORR_PRODUCT_QKV;
    orr_emit_column_input(emit, orr_emit_projection(emit, ORR_LINEAR("mla.q_up"), q_up, d->T, q_width, q_columns),
                          q_width, 1);
    if (kind->gate_columns == 0) return;
    const double gates = (double)kind->gate_columns / d->t;
    orr_emit_projection(emit, ORR_LINEAR("mla.gate"), ORR_PRODUCT_OTHER, d->T, d->h, gates);
    orr_emit_output_gate(emit, d->T * gates);
}

/* Eq. 386: latents of a cached context are copied out of its blocks and expanded to keys and values of all heads. The
 * keys, of the new tokens as well, are joined with their rotary part by a copy. */
static void emit_rebuilt(struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    const struct orr_dims *d = &emit->dims;
    const double heads = (double)kind->n_heads / d->t, r = (double)kind->mla_kv_rank, d_r = (double)kind->mla_rope;
    const double d_n = (double)kind->head_qk - d_r, d_v = (double)kind->head_v, cached = d->b * d->context;
    const double joined = (cached + d->T_prompt) * heads * (2 * d_n + d_r);
    if (!emit->job->engine.latents_rebuilt || emit->backward) return;
    if (cached > 0)
        orr_emit_projection(emit, ORR_LINEAR("mla.context_up"), ORR_PRODUCT_KV_UP, cached, r, heads * (d_n + d_v));
    orr_emit_pointwise(emit,
                       &(struct orr_pointwise_op){.name = "mla.context_copies",
                                                  .kind = ORR_POINTWISE_COPY,
                                                  .forward_bytes = d->w_a * (2 * cached * (r + d_r) + joined),
                                                  .forward_launches = cached > 0 ? 3 : 1});
}

/* Eq. 391: kernels that cut, join, turn and store the parts of a few queries, beside those of the operator list, and
 * those around an indexer. */
static void emit_around(struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    const struct orr_engine *engine = &emit->job->engine;
    const double time_s = engine->latent_layer_s + (kind->index_topk > 0 ? engine->index_layer_s : 0);
    if (time_s <= 0) return;
    struct orr_op *op = orr_emit_op(emit, "mla.around", ORR_OP_POINTWISE, ORR_PHASE_FORWARD);
    op->pointwise = ORR_POINTWISE_COPY;
    op->launches = 0;
    op->floor_s = time_s;
}

void orr_emit_latents(struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    const struct orr_dims *d = &emit->dims;
    const double heads = (double)kind->n_heads / d->t, r = (double)kind->mla_kv_rank;
    const double d_r = (double)kind->mla_rope, d_n = (double)kind->head_qk - d_r, d_v = (double)kind->head_v;
    const bool chooses = orr_prompt_chooses(emit, kind);
    const double decode_rows = d->decoding * d->queries;
    if (emit->parts & ORR_PART_ROWS) emit_down(emit, kind, heads * (d_n + d_r));
    if (d->T_prompt > 0 && emit->parts & ORR_PART_PROMPTS && !chooses)
        orr_emit_column_input(
            emit,
            orr_emit_projection(emit, ORR_LINEAR("mla.kv_up"), ORR_PRODUCT_KV_UP, d->T_prompt, r, heads * (d_n + d_v)),
            r + d_r, 1);
    if (d->T_prompt > 0 && emit->parts & ORR_PART_PROMPTS && !chooses) emit_rebuilt(emit, kind);
    if (d->T_prompt > 0 && emit->parts & ORR_PART_PROMPTS && chooses) {
        orr_emit_bmm(emit, "mla.q_absorb", ORR_PHASE_FORWARD, heads, d->T_prompt, r, d_n);
        orr_emit_bmm(emit, "mla.v_absorb", ORR_PHASE_FORWARD, heads, d->T_prompt, d_v, r);
    }
    const bool rebuilds = orr_rebuilds_heads(emit->job, kind);
    if (decode_rows > 0 && emit->parts & ORR_PART_DECODES && rebuilds)
        (void)orr_emit_projection(emit, ORR_LINEAR("mla.kv_up"), ORR_PRODUCT_KV_UP, decode_rows, r,
                                  heads * (d_n + d_v));
    /* Absorbed attention projects queries into the latent space, and contexts back from it. */
    if (decode_rows > 0 && emit->parts & ORR_PART_DECODES && !rebuilds) {
        orr_emit_bmm(emit, "mla.q_absorb", ORR_PHASE_FORWARD, heads, decode_rows, r, d_n);
        orr_emit_bmm(emit, "mla.v_absorb", ORR_PHASE_FORWARD, heads, decode_rows, d_v, r);
        emit_around(emit, kind);
    }
    /* The kernel applies RoPE to the small part and joins both parts of every query and key head. */
    orr_emit_small(emit, &(struct orr_pointwise_op){.name = "mla.rope",
                                                    .backward_name = "mla.rope.backward",
                                                    .kind = ORR_POINTWISE_COPY,
                                                    .forward_bytes = 4 * d->T * heads * 2 * (d_n + d_r),
                                                    .backward_bytes = 4 * d->T * heads * 2 * (d_n + d_r),
                                                    .forward_launches = 2,
                                                    .backward_launches = 2});
}
