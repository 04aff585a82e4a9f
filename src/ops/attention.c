/* Attention operators of one layer: projections, rotary positions, the core over many queries (unfused or fused) and
 * the context-parallel exchange, forward and backward (Eqs. 6a, 42-44a). The core of decoding sequences is in
 * decode.c. */
#include "ops/emit.h"

#include "base/number.h"
#include "ops/mixer.h"

#include <math.h>
#include <string.h>

/* K,V heads on one rank. Latent attention rebuilds keys and values for every query head. */
static double kv_heads_per_rank(const struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    if (kind->mla_kv_rank > 0) return (double)kind->n_heads / emit->dims.t;
    return orr_max(1, (double)kind->n_kv_heads / emit->dims.t);
}

/* Causal query-key pairs of all positions up to x, where no query sees keys before its own chunk. */
static double chunk_pairs(double chunk, double x)
{
    const double rest = fmod(x, chunk);
    return floor(x / chunk) * chunk * chunk / 2 + rest * rest / 2;
}

/* Query-key pairs that must be computed for s queries of one sequence after `context` cached keys: all pairs, the
 * causal part, or the band of a window. */
double orr_score_pairs(const struct orr_dims *d, const struct orr_layer_kind *kind, bool causal)
{
    const double s = d->s, context = d->context, w = orr_kind_key_limit(kind), keys = context + s;
    if (w <= 0 || keys <= w) return causal ? s * context + s * s / 2 : s * keys;
    if (kind->chunked) return (chunk_pairs(w, keys) - chunk_pairs(w, context)) * (causal ? 1 : 2);
    const double growing = orr_max(0, w - context); /* queries that do not fill the window yet */
    return causal ? growing * (context + growing / 2) + (s - growing) * w : s * w;
}

/* ---------------------------------------------------------------- unfused core */

/* The largest head of FlashAttention and cuDNN. */
#define FLASH_HEAD 256

/* Eq. 382: the products of attention convert their scores to 32 bits and back; in between they have 32 bits. */
static void emit_wide_scores(struct orr_emit *emit, double scores)
{
    orr_emit_pointwise(emit, &(struct orr_pointwise_op){.name = "attention.convert",
                                                        .kind = ORR_POINTWISE_CAST,
                                                        .forward_bytes = 2 * (4 + emit->dims.w_a) * scores,
                                                        .forward_launches = 2});
}

/* Softmax with its scale and mask, and attention dropout. The numbers are bytes per score element. */
static void emit_unfused_softmax(struct orr_emit *emit, double scores, double keys)
{
    const bool wide = emit->job->engine.wide_activations && !emit->backward;
    const double w = wide ? 4 : emit->dims.w_a, dropped = (2 * w + 1) * scores;
    if (!emit->job->engine.fused_softmax)
        orr_emit_pointwise(emit, &(struct orr_pointwise_op){.name = "attention.scale",
                                                            .backward_name = "attention.scale.backward",
                                                            .kind = ORR_POINTWISE_ADD,
                                                            .forward_bytes = 2 * w * scores,
                                                            .backward_bytes = 2 * w * scores,
                                                            .core = true});
    orr_emit_pointwise(emit, &(struct orr_pointwise_op){.name = "attention.softmax",
                                                        .backward_name = "attention.softmax.backward",
                                                        .kind = ORR_POINTWISE_SOFTMAX,
                                                        .forward_bytes = 2 * w * scores,
                                                        .backward_bytes = 3 * w * scores,
                                                        .columns = keys,
                                                        .core = true});
    if (!emit->job->workload.attention_dropout) return;
    orr_emit_pointwise(
        emit, &(struct orr_pointwise_op){
                  .name = "attention.dropout", .kind = ORR_POINTWISE_DROPOUT, .forward_bytes = dropped, .core = true});
    orr_emit_pointwise(emit, &(struct orr_pointwise_op){.backward_name = "attention.dropout.backward",
                                                        .kind = ORR_POINTWISE_ADD, /* a product with the mask */
                                                        .backward_bytes = dropped});
}

/* Copies around unfused products that fill a cache: q, k, v are split into heads, k and v are copied to the cache, and
 * heads are merged. Each copy reads and writes its tensor. */
static void emit_copies(struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    const double heads = (double)kind->n_heads / emit->dims.t, kv = kv_heads_per_rank(emit, kind);
    const double columns = (heads + 2 * kv) * (double)(kind->head_qk + kind->head_v);
    orr_emit_pointwise(emit,
                       &(struct orr_pointwise_op){.name = "attention.copies",
                                                  .kind = ORR_POINTWISE_COPY,
                                                  .forward_bytes = 2 * emit->dims.w_a * emit->dims.T_prompt * columns,
                                                  .forward_launches = 3});
}

/* A product of attention reads its operands in their own format (Eq. 281). */
static void emit_core_product(struct orr_emit *emit, const char *name, enum orr_phase phase, double batch, double m,
                              double n, double k)
{
    struct orr_op *op = orr_emit_bmm(emit, name, phase, batch, m, n, k);
    op->dtype = emit->dims.core;
    op->input_bytes = op->weight_bytes = emit->dims.w_s;
    op->bytes = batch * (emit->dims.w_s * (m * k + k * n) + emit->dims.w_a * m * n);
}

/* Unfused kernels compute the whole score matrix: a rank multiplies its share of the queries with all keys. */
static void emit_unfused(struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    const struct orr_dims *d = &emit->dims;
    const double batch = d->b * (double)kind->n_heads / d->t, q = d->s / d->c, keys = d->context + d->s;
    const double d_qk = (double)kind->head_qk, d_v = (double)kind->head_v;
    emit_core_product(emit, "attention.scores", ORR_PHASE_FORWARD, batch, q, keys, d_qk);
    emit_unfused_softmax(emit, batch * q * keys, keys);
    emit_core_product(emit, "attention.context", ORR_PHASE_FORWARD, batch, q, d_v, keys);
    if (!emit->backward) {
        if (emit->job->engine.wide_activations) emit_wide_scores(emit, batch * q * keys);
        emit_copies(emit, kind); /* an encoder also splits and merges heads */
        return;
    }
    emit_core_product(emit, "attention.context.dP", ORR_PHASE_BACKWARD, batch, q, keys, d_v);
    emit_core_product(emit, "attention.context.dV", ORR_PHASE_BACKWARD, batch, keys, d_v, q);
    emit_core_product(emit, "attention.scores.dQ", ORR_PHASE_BACKWARD, batch, q, d_qk, keys);
    emit_core_product(emit, "attention.scores.dK", ORR_PHASE_BACKWARD, batch, keys, d_qk, q);
}

/* ---------------------------------------------------------------- fused core */

/* Eq. 15: what the busiest context-parallel rank multiplies above the mean, over the mean. Ranks that take their
 * queries from both ends of the sequence share a causal mask evenly; of contiguous pieces the last one sees the most
 * keys. Ranks that exchange heads have all queries. */
static double rank_imbalance_frac(const struct orr_emit *emit, const struct orr_dims *d,
                                  const struct orr_layer_kind *kind)
{
    const bool by_heads = emit->job->plan.cp_kind == ORR_CP_ULYSSES;
    if (d->c <= 1 || by_heads || emit->job->engine.cp_balanced || !emit->job->workload.causal) return 0;
    struct orr_dims last = *d;
    last.s = d->s / d->c;
    last.context = d->context + d->s - last.s;
    return orr_max(0, orr_score_pairs(&last, kind, true) * d->c / orr_score_pairs(d, kind, true) - 1);
}

/* Eq. 326: a kernel that is given where samples begin multiplies each of them as a sequence of its own. */
static struct orr_dims sample_dims(const struct orr_emit *emit)
{
    const double length = (double)emit->job->workload.sample_len;
    struct orr_dims dims = emit->dims;
    if (length <= 0 || emit->encoder) return dims;
    dims.b *= dims.s / length;
    dims.s = length;
    return dims;
}

/* Eq. 393: query heads that a kernel multiplies whose tokens choose their keys. Its tiles have so many heads, filled or
 * not; Blackwell's have twice as many, and are taken for caches of 16 bits. */
static double multiplied_heads(const struct orr_emit *emit, double heads)
{
    const double rows = (double)emit->job->engine.sparse_head_rows;
    const bool blackwell = strcmp(emit->job->system.chip.family, "blackwell") == 0;
    if (rows <= 0 || (blackwell && orr_dtype_bytes(emit->job->serving.kv) < 2)) return heads;
    return orr_ceil(heads / (blackwell ? 2 * rows : rows)) * (blackwell ? 2 * rows : rows);
}

/* Eqs. 43, 44. m is the number of queries of one rank, n the number of keys that a query block walks over, which sets
 * the kernel's efficiency. Only a pass with a backward writes one fp32 number of the softmax per row. */
static void emit_flash(struct orr_emit *emit, const struct orr_layer_kind *kind, bool backward)
{
    const struct orr_dims dims = sample_dims(emit), *d = &dims;
    struct orr_op *op =
        orr_emit_op(emit, backward ? "attention.flash.backward" : "attention.flash",
                    backward ? ORR_OP_FLASH_BACKWARD : ORR_OP_FLASH, backward ? ORR_PHASE_BACKWARD : ORR_PHASE_FORWARD);
    const bool chooses = orr_prompt_chooses(emit, kind); /* the latents serve as keys of all heads */
    const double own = (double)kind->n_heads / d->t, kv = chooses ? 1 : kv_heads_per_rank(emit, kind);
    const double heads = chooses ? multiplied_heads(emit, own) : own;
    const int64_t filled = orr_rebuilds_heads(emit->job, kind) ? emit->job->engine.latent_columns : 0; /* with zeros */
    const double d_qk = (double)(chooses ? kind->mla_kv_rank + kind->mla_rope : filled > 0 ? filled : kind->head_qk);
    const double d_v = (double)(chooses ? kind->mla_kv_rank : filled > 0 ? filled : kind->head_v);
    const double keys = d->context + d->s, q = d->s / d->c;
    const bool whole = emit->backward && orr_window_masked(emit->job, kind, keys);
    const double limit = whole ? 0 : orr_kind_key_limit(kind), entries = orr_entries_kept(kind, keys);
    const bool masked = emit->job->engine.masked_attention && emit->backward;
    const bool causal = emit->job->workload.causal && !emit->encoder && !masked;
    const double scores = whole ? d->s * keys : orr_score_pairs(d, kind, causal);
    const double pairs = d->b * heads * (scores + orr_entry_pairs(d, kind, causal)) / d->c;
    const bool ring = d->c > 1 && emit->job->plan.cp_kind == ORR_CP_RING;
    const double walked = ring ? keys / d->c : keys;
    op->batch = d->b * heads;
    op->m = q;
    op->n = (limit > 0 ? orr_min(limit, walked) : walked) + entries;
    op->k = d_qk + d_v;
    op->head_size = orr_max(d_qk, d_v);
    op->general = whole || (op->head_size > FLASH_HEAD && !chooses && !orr_kind_compresses(kind));
    op->walk_ratio = ring ? 1 : op->n * op->batch * q / pairs; /* a ring step multiplies whole blocks */
    op->imbalance_frac = rank_imbalance_frac(emit, d, kind);
    op->dtype = d->core;
    op->input_bytes = op->weight_bytes = d->w_s;
    op->output_bytes = d->w_a;
    op->flops = 2 * pairs * (backward ? 3 * d_qk + 2 * d_v : d_qk + d_v);
    const double held = orr_kind_compresses(kind) ? d_qk * (keys + entries) : (d_qk + d_v) * kv * keys;
    const double rows = d->b * own * q; /* operands are read in their format, results are activations (Eq. 281) */
    const double read = d->w_s * (d_qk * rows + d->b * held) + d->w_a * d_v * rows,
                 written = d->w_a * ((d_qk + d_v) * rows + d->b * held);
    op->bytes = backward ? read + written + 8 * rows * (1 + d_qk) : read + (emit->backward ? 4 * rows : 0);
    if (!backward && orr_repeats_fused_core(emit)) op->recomputed = true;
}

/* Rotary positions and the cache write come before the kernel of a paged cache: q, k, v are read once, q is written
 * back, k and v are written in the cache's format. The attention call's fixed time covers the launch. */
static void emit_cache_write(struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    const double heads = (double)kind->n_heads / emit->dims.t, w = emit->dims.w_a;
    const double d_qk = (double)kind->head_qk,
                 pair = (double)(orr_kind_compresses(kind) ? kind->head_qk : kind->head_qk + kind->head_v),
                 kv_columns = kind->shared_kv ? 0 : kv_heads_per_rank(emit, kind) * pair;
    struct orr_op *op = orr_emit_op(emit, "attention.rope", ORR_OP_POINTWISE, ORR_PHASE_FORWARD);
    op->pointwise = ORR_POINTWISE_ACTIVATION;
    op->launches = 0;
    op->bytes = emit->dims.T_prompt *
                (w * (2 * heads * d_qk + kv_columns) + kv_columns * orr_kv_element_bytes(emit->job, kind));
}

/* ---------------------------------------------------------------- context parallel */

/* One transfer of the context-parallel exchange. A fused kernel may hide the sends of a ring. */
static void emit_context(struct orr_emit *emit, const char *name, enum orr_phase phase, enum orr_collective collective,
                         double payload_bytes, int32_t window)
{
    struct orr_op *op = orr_emit_collective(emit, name, phase, collective, ORR_GROUP_CP, payload_bytes);
    if (op) op->window_op = window;
    if (op && phase == ORR_PHASE_FORWARD && window >= 0 && orr_repeats_fused_core(emit)) op->recomputed = true;
}

/* Context parallelism: how keys and values (or heads) reach the ranks that need them (Eqs. 13, 14). */
static void emit_context_exchange(struct orr_emit *emit, const struct orr_layer_kind *kind, int32_t flash)
{
    const struct orr_dims *d = &emit->dims;
    const double row = d->T_prompt * (double)(kind->head_qk + kind->head_v) * d->w_c;
    const double q_local = row * (double)kind->n_heads / d->t;
    /* Of compressed attention, all entries are exchanged, and the window at the border of two ranks. */
    const double kept = kind->compress_ratio > 0 ? d->T_prompt / (double)kind->compress_ratio : 0;
    const double compressed = (kept + d->b * (double)kind->window) * (double)kind->head_qk * d->w_c;
    const double kv_local = orr_kind_compresses(kind) ? compressed : row * kv_heads_per_rank(emit, kind);
    switch (emit->job->plan.cp_kind) {
    case ORR_CP_RING: /* Forward has c-1 sends of K,V; backward adds c sends of dK,dV. */
        emit_context(emit, "cp.ring", ORR_PHASE_FORWARD, ORR_COLLECTIVE_P2P, (d->c - 1) * kv_local, flash);
        emit_context(emit, "cp.ring.backward", ORR_PHASE_BACKWARD, ORR_COLLECTIVE_P2P, (2 * d->c - 1) * kv_local,
                     flash < 0 ? flash : flash + 1);
        break;
    case ORR_CP_ALLGATHER:
        emit_context(emit, "cp.gather", ORR_PHASE_FORWARD, ORR_COLLECTIVE_ALLGATHER, d->c * kv_local, -1);
        emit_context(emit, "cp.gather.backward", ORR_PHASE_BACKWARD, ORR_COLLECTIVE_ALLGATHER, d->c * kv_local, -1);
        emit_context(emit, "cp.scatter.backward", ORR_PHASE_BACKWARD, ORR_COLLECTIVE_REDUCESCATTER, d->c * kv_local,
                     -1);
        break;
    case ORR_CP_ULYSSES:
        emit_context(emit, "cp.alltoall", ORR_PHASE_FORWARD, ORR_COLLECTIVE_ALLTOALL, q_local + kv_local, -1);
        emit_context(emit, "cp.alltoall.backward", ORR_PHASE_BACKWARD, ORR_COLLECTIVE_ALLTOALL, q_local + kv_local, -1);
        break;
    case ORR_N_CP_KINDS: break;
    }
}

/* Operands that attention multiplies in a narrower format than activations have are cast by a kernel of their own:
 * query, key and value before it, and the gradient of its output (Eq. 281). */
static void emit_core_cast(struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    const struct orr_dims *d = &emit->dims;
    const double heads = (double)kind->n_heads / d->t, kv = kv_heads_per_rank(emit, kind);
    const double inputs = d->T_prompt * (heads * (double)kind->head_qk + kv * (double)(kind->head_qk + kind->head_v));
    const double gradients = d->T_prompt * heads * (double)kind->head_v;
    if (d->w_s >= d->w_a) return;
    orr_emit_small(emit, &(struct orr_pointwise_op){.name = "attention.cast",
                                                    .backward_name = "attention.cast.backward",
                                                    .kind = ORR_POINTWISE_CAST,
                                                    .forward_bytes = inputs * (d->w_a + d->w_s),
                                                    .backward_bytes = gradients * (d->w_a + d->w_s)});
}

void orr_emit_attention_core(struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    int32_t flash = -1;
    if (emit->dims.T_prompt <= 0) return;
    emit_core_cast(emit, kind);
    if (emit->job->workload.attention == ORR_ATTENTION_UNFUSED) {
        emit_unfused(emit, kind);
    } else {
        flash = (int32_t)emit->list->n;
        emit_flash(emit, kind, false);
        if (emit->backward) emit_flash(emit, kind, true);
        else if (emit->lumped && emit->job->engine.decode_kernel != ORR_DECODE_SDPA && !emit->encoder)
            emit_cache_write(emit, kind);
    }
    if (emit->dims.c > 1) emit_context_exchange(emit, kind, flash);
}

/* ---------------------------------------------------------------- grouped-query attention */

/* Copies, masks and casts that an eager layer makes: around attention those of the rank's own heads, and on the
 * residual stream (`layout_whole_rows`) those of whole rows, which only sequence parallelism divides over ranks. */
static void emit_layout(struct orr_emit *emit)
{
    const struct orr_engine *engine = &emit->job->engine;
    const double rows = engine->layout_whole_rows ? emit->dims.T_norm : emit->dims.T / emit->dims.t;
    const double elements = rows * emit->dims.h * orr_narrowed_frac(&emit->dims);
    if (!emit->backward || engine->layout_launches + engine->layout_backward_launches <= 0) return;
    orr_emit_pointwise(emit, &(struct orr_pointwise_op){.name = "attention.layout",
                                                        .backward_name = "attention.layout.backward",
                                                        .kind = ORR_POINTWISE_COPY,
                                                        .forward_bytes = engine->layout_bytes * elements,
                                                        .backward_bytes = engine->layout_backward_bytes * elements,
                                                        .forward_launches = engine->layout_launches,
                                                        .backward_launches = engine->layout_backward_launches});
}

/* Copies of permuted views around attention, by elements of 4 bytes (Eq. 336). Where attention has samples before
 * tokens and the products have them behind, its output is copied before the next product and again for its weight
 * gradient, and its gradient once; a single sample is in place either way (Eq. 337). */
static void emit_strided(struct orr_emit *emit)
{
    const struct orr_engine *engine = &emit->job->engine;
    const double elements = emit->dims.T / emit->dims.t * emit->dims.h * orr_narrowed_frac(&emit->dims);
    const double swapped = engine->swapped_samples && emit->dims.b > 1 ? 1 : 0;
    if (!emit->backward) return;
    orr_emit_pointwise(
        emit, &(struct orr_pointwise_op){.name = "attention.strided",
                                         .backward_name = "attention.strided.backward",
                                         .kind = ORR_POINTWISE_STRIDED,
                                         .forward_bytes = (engine->strided_bytes + 4 * swapped) * elements,
                                         .backward_bytes = (engine->strided_backward_bytes + 8 * swapped) * elements,
                                         .forward_launches = 1 + swapped,
                                         .backward_launches = 1 + 2 * swapped});
}

/* A fused kernel reads and writes once. Framework operators negate, concatenate, multiply twice and add. */
static void emit_rope(struct orr_emit *emit, double elements)
{
    const struct orr_engine *engine = &emit->job->engine;
    const bool fused = engine->fused_rope;
    const double narrowed = orr_narrowed_frac(&emit->dims), bytes = elements * (fused ? 4 : 20) * narrowed;
    /* Counted kernels, of queries and of keys. Like casts to a wider format, kernels that repeat the angles for every
     * head are not vectorised, so that they run at that rate. */
    if (!fused && engine->rope_launches > 0) {
        orr_emit_small(emit,
                       &(struct orr_pointwise_op){.name = "attention.rope",
                                                  .backward_name = "attention.rope.backward",
                                                  .kind = ORR_POINTWISE_UPCAST,
                                                  .forward_bytes = elements * engine->rope_bytes * narrowed,
                                                  .backward_bytes = elements * engine->rope_backward_bytes * narrowed,
                                                  .forward_launches = 2 * engine->rope_launches,
                                                  .backward_launches = 2 * engine->rope_backward_launches});
        return;
    }
    orr_emit_small(emit, &(struct orr_pointwise_op){.name = "attention.rope",
                                                    .backward_name = "attention.rope.backward",
                                                    .kind = ORR_POINTWISE_ACTIVATION,
                                                    .forward_bytes = bytes,
                                                    .backward_bytes = bytes,
                                                    .forward_launches = fused ? 1 : 5,
                                                    .backward_launches = fused ? 1 : 5});
}

/* The outputs of the heads are multiplied by the sigmoid of their gates. */
void orr_emit_output_gate(struct orr_emit *emit, double elements)
{
    const double bytes = emit->dims.w_a * elements;
    orr_emit_small(emit, &(struct orr_pointwise_op){.name = "attention.gate",
                                                    .backward_name = "attention.gate.backward",
                                                    .kind = ORR_POINTWISE_ACTIVATION,
                                                    .forward_bytes = 3 * bytes,
                                                    .backward_bytes = 5 * bytes});
}

static void emit_projections(struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    const struct orr_dims *d = &emit->dims;
    const double heads = (double)kind->n_heads / d->t, kv = kind->shared_kv ? 0 : kv_heads_per_rank(emit, kind);
    const double head = (double)kind->head_qk, values = kind->kv_equal ? 0 : (double)kind->head_v;
    const int matrices = kv <= 0 ? 1 : values > 0 ? 3 : 2;
    orr_emit_column_gather(emit, d->h, matrices);
    const int32_t qkv = orr_emit_linear(
        emit, &(struct orr_linear){.names = ORR_LINEAR("attention.qkv"),
                                   .m = d->T,
                                   .k = d->h,
                                   .n = (heads + kv) * head + kv * values + (double)kind->gate_columns / d->t,
                                   .bias = kind->attention_bias,
                                   .product = ORR_PRODUCT_QKV,
                                   .n_parts = 3,
                                   .parts = {{ORR_TARGET_Q, heads * head + (double)kind->gate_columns / d->t},
                                             {ORR_TARGET_K, kv * head},
                                             {ORR_TARGET_V, kv * values}},
                                   .quantised = true});
    orr_emit_column_input(emit, qkv, d->h, matrices);
    if (kind->qk_norm)
        orr_emit_norm(emit, "attention.qk_norm", "attention.qk_norm.backward", d->T * (heads + kv) * head, true);
    /* Eq. 242: a norm over the heads of all ranks needs the sums of squares of queries and keys, in fp32. */
    if (kind->qk_norm_full && emit->lumped)
        orr_emit_collective(emit, "attention.qk_norm.reduce", ORR_PHASE_FORWARD, ORR_COLLECTIVE_ALLREDUCE, ORR_GROUP_TP,
                            2 * sizeof(float) * d->T);
    emit_layout(emit);
    emit_strided(emit);
    if (kind->rope) emit_rope(emit, d->T * (heads + kv) * head);
    if (kind->gate_columns > 0) orr_emit_output_gate(emit, d->T * heads * (double)kind->head_v);
}

void orr_emit_attention(struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    const struct orr_dims *d = &emit->dims;
    if (orr_kind_compresses(kind)) {
        if (emit->parts & ORR_PART_ROWS) orr_emit_compressed_rows(emit, kind);
    } else if (kind->mla_kv_rank > 0) orr_emit_latents(emit, kind);
    else if (emit->parts & ORR_PART_ROWS) emit_projections(emit, kind);
    if (emit->parts & ORR_PART_PROMPTS) orr_emit_attention_core(emit, kind);
    if (emit->parts & ORR_PART_DECODES) orr_emit_decode_core(emit, kind);
    if (kind->index_heads > 0) orr_emit_index(emit, kind);
    if (!(emit->parts & ORR_PART_ROWS)) return;
    if (kind->out_groups > 0) {
        orr_emit_grouped_output(emit, kind);
        return;
    }
    orr_emit_linear(emit, &(struct orr_linear){.names = ORR_LINEAR("attention.out"),
                                               .m = d->T,
                                               .k = (double)kind->n_heads / d->t * (double)kind->head_v,
                                               .n = d->h,
                                               .bias = kind->attention_bias && kind->mla_kv_rank == 0,
                                               .product = ORR_PRODUCT_OUT,
                                               .quantised = true});
    /* A parallel block reduces attention and FFN, or both mixers, together. */
    if (!kind->parallel_block && !kind->beside_attention) orr_emit_row_output(emit, d->h);
}
