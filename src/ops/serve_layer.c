/* Attention and feed-forward operators of one layer in a serving step: grouped-query and latent attention, prompt and
 * decode kernels, dense and expert feed-forward. Eqs. 8, 9d, 11, 91, 91a. */
#include "ops/serve.h"

#include "base/number.h"

#include <math.h>
#include <string.h>

static double kv_heads_per_rank(const struct orr_job *job, const struct orr_layer_kind *kind)
{
    return orr_max(1, (double)kind->n_kv_heads / (double)job->plan.tp);
}

double orr_kv_rank_bytes(const struct orr_job *job, const struct orr_layer_kind *kind)
{
    const double w = orr_dtype_bytes(job->serving.kv);
    if (kind->mla_kv_rank > 0) /* the latent is not divided over tp */
        return (double)(kind->mla_kv_rank + kind->mla_rope) * w;
    return kv_heads_per_rank(job, kind) * (double)(kind->head_qk + kind->head_v) * w;
}

double orr_kv_model_bytes(const struct orr_layer_kind *kind, double element_bytes)
{
    if (kind->mla_kv_rank > 0) return (double)(kind->mla_kv_rank + kind->mla_rope) * element_bytes;
    return (double)(kind->n_kv_heads * (kind->head_qk + kind->head_v)) * element_bytes;
}

/* Causal pairs of all positions up to x when every chunk begins anew. */
static double chunk_pairs(double chunk, double x)
{
    const double rest = fmod(x, chunk);
    return floor(x / chunk) * chunk * chunk / 2 + rest * rest / 2;
}

/* Query-key pairs of one prompt: `n` new tokens after `context` cached ones, causal, at most `window` keys each. */
static double prompt_pairs(double n, double context, double window, bool chunked)
{
    if (chunked) return chunk_pairs(window, context + n) - chunk_pairs(window, context);
    if (window <= 0 || context + n <= window) return n * context + n * n / 2;
    const double growing = orr_max(0, window - context); /* tokens that do not fill the window yet */
    return growing * (context + growing / 2) + (n - growing) * window;
}

static struct orr_op *last_op(struct orr_serve_emit *emit)
{
    return &emit->list->items[emit->list->n - 1];
}

/* Before the kernel of a paged cache, rotary positions and the cache write: q, k, v are read once, q written back, k
 * and v in the cache's format. The attention call's fixed time covers the launch. */
static void emit_rope(struct orr_serve_emit *emit, const struct orr_layer_kind *kind, double heads, double kv)
{
    const double d_qk = (double)kind->head_qk, d_v = (double)kind->head_v;
    const double cached = orr_dtype_bytes(emit->job->serving.kv);
    orr_serve_product(emit, "attention.rope", ORR_OP_POINTWISE, 1,
                      emit->shape.prefill_tokens / (double)emit->job->plan.cp, 0, 0);
    struct orr_op *op = last_op(emit);
    op->pointwise = ORR_POINTWISE_ACTIVATION;
    op->launches = 0;
    op->bytes = op->m * (emit->w_a * (2 * heads * d_qk + kv * (d_qk + d_v)) + kv * (d_qk + d_v) * cached);
    op->flops = 0;
}

/* Eq. 43 with the keys a query block walks over; the cache is written, and read back where it was cached before. */
static void emit_flash(struct orr_serve_emit *emit, const struct orr_layer_kind *kind, double pairs)
{
    const struct orr_serve_shape *shape = &emit->shape;
    const double c = (double)emit->job->plan.cp, heads = (double)kind->n_heads / emit->t;
    const double n = shape->prefill_tokens / shape->prefill_sequences, keys = shape->prefill_context + n;
    const double kv = kind->mla_kv_rank > 0 ? heads : kv_heads_per_rank(emit->job, kind);
    const double d_qk = (double)kind->head_qk, d_v = (double)kind->head_v;
    orr_serve_product(emit, "attention.flash", ORR_OP_FLASH, shape->prefill_sequences * heads, n / c, d_qk + d_v, keys);
    struct orr_op *op = last_op(emit);
    op->n = kind->window > 0 ? orr_min(keys, (double)kind->window) : keys;
    op->head_size = orr_max(d_qk, d_v);
    op->walk_ratio = op->n * op->batch * n / (heads * pairs);
    op->flops = 2 * heads * pairs / c * (d_qk + d_v);
    op->bytes = emit->w_a * shape->prefill_sequences * (d_qk + d_v) * (heads * n / c + kv * keys);
    if (emit->job->engine.decode_kernel == ORR_DECODE_PAGED) emit_rope(emit, kind, heads, kv);
}

/* Around unfused products: q, k, v are split into heads, k, v copied to the cache, heads merged; each read and
 * written. */
static void emit_copies(struct orr_serve_emit *emit, const struct orr_layer_kind *kind)
{
    const double heads = (double)kind->n_heads / emit->t, d_qk = (double)kind->head_qk, d_v = (double)kind->head_v;
    const double kv = kind->mla_kv_rank > 0 ? heads : kv_heads_per_rank(emit->job, kind);
    orr_serve_product(emit, "attention.copies", ORR_OP_POINTWISE, 1, emit->shape.prefill_tokens, 0, 0);
    struct orr_op *op = last_op(emit);
    op->pointwise = ORR_POINTWISE_COPY;
    op->launches = 3;
    op->bytes = 2 * emit->w_a * op->m * (heads * (d_qk + d_v) + 2 * kv * (d_qk + d_v));
    op->flops = 0;
}

static void emit_unfused(struct orr_serve_emit *emit, const struct orr_layer_kind *kind)
{
    const struct orr_serve_shape *shape = &emit->shape;
    const double heads = (double)kind->n_heads / emit->t, n = shape->prefill_tokens / shape->prefill_sequences;
    const double batch = shape->prefill_sequences * heads, keys = shape->prefill_context + n;
    orr_serve_product(emit, "attention.scores", ORR_OP_BMM, batch, n, (double)kind->head_qk, keys);
    orr_serve_product(emit, "attention.context", ORR_OP_BMM, batch, n, keys, (double)kind->head_v);
    orr_serve_product(emit, "attention.softmax", ORR_OP_POINTWISE, batch, n, 0, 0);
    struct orr_op *op = last_op(emit);
    op->pointwise = ORR_POINTWISE_SOFTMAX;
    op->n = keys;
    op->bytes = 2 * emit->w_a * batch * n * keys;
    op->flops = 0;
    emit_copies(emit, kind);
}

void orr_serve_prompt_core(struct orr_serve_emit *emit, const struct orr_layer_kind *kind)
{
    const struct orr_serve_shape *shape = &emit->shape;
    if (shape->prefill_tokens <= 0) return;
    const double n = shape->prefill_tokens / shape->prefill_sequences;
    const double pairs =
        shape->prefill_sequences * prompt_pairs(n, shape->prefill_context, (double)kind->window, kind->chunked);
    if (emit->job->workload.attention == ORR_ATTENTION_UNFUSED) emit_unfused(emit, kind);
    else emit_flash(emit, kind, pairs);
    const double kv = kind->mla_kv_rank > 0 ? (double)kind->n_heads / emit->t : kv_heads_per_rank(emit->job, kind);
    const double c = (double)emit->job->plan.cp,
                 local = shape->prefill_tokens / c * kv * (double)(kind->head_qk + kind->head_v);
    orr_serve_collective(emit, "cp.ring", ORR_COLLECTIVE_P2P, ORR_GROUP_CP, (c - 1) * local * emit->w_c); /* Eq. 13 */
}

/* Does the decode kernel read a K,V head once for its whole query group? */
static bool packs_groups(const struct orr_job *job, const struct orr_layer_kind *kind)
{
    const struct orr_engine *engine = &job->engine;
    const int64_t most = engine->packed_gqa_most;
    if (kind->chunked && strcmp(engine->unpacked_chunks, job->system.chip.family) == 0) return false;
    if (!engine->packed_gqa || (most > 0 && kind->n_heads > most * kind->n_kv_heads)) return false;
    return !engine->packed_gqa_plain_only || (kind->window == 0 && kind->head_qk == 128);
}

/* Eqs. 11, 47: one query per sequence, or the drafted ones with it; the context is filled in by the caller. */
struct orr_op orr_serve_decode_op(const struct orr_job *job, const struct orr_layer_kind *kind, double sequences,
                                  double queries)
{
    struct orr_op op = {.kind = ORR_OP_DECODE,
                        .batch = sequences,
                        .m = (double)kind->n_heads / (double)job->plan.tp * queries,
                        .k = (double)kind->head_qk,
                        .dtype = orr_serve_dtype16(job),
                        .input_bytes = orr_dtype_bytes(job->serving.kv),
                        .kv_heads = kv_heads_per_rank(job, kind),
                        .table_bytes =
                            (double)job->engine.kv_table_entry_bytes / (double)job->engine.kv_block_tokens,
                        .packed = packs_groups(job, kind),
                        .latent = kind->mla_kv_rank > 0,
                        .launches = 1,
                        .window_op = -1};
    if (op.latent) {
        op.k = (double)(kind->mla_kv_rank + kind->mla_rope);
        op.output_bytes = (double)kind->mla_kv_rank; /* the part of a cached row that is also the value */
    }
    return op;
}

static void emit_decode_core(struct orr_serve_emit *emit, const struct orr_layer_kind *kind)
{
    const struct orr_serve_shape *shape = &emit->shape;
    if (shape->decode_sequences <= 0) return;
    const double context =
        kind->window > 0 ? orr_min(shape->decode_context, (double)kind->window) : shape->decode_context;
    struct orr_op *op = &emit->list->items[emit->list->n++];
    *op = orr_serve_decode_op(emit->job, kind, shape->decode_sequences, shape->queries);
    op->name = "attention.decode";
    op->phase = emit->phase;
    op->layer_kind = emit->layer_kind;
    op->count = emit->layers;
    op->n = context;
    op->flops = op->latent ? 2 * op->batch * op->m * context * (op->k + op->output_bytes)
                           : 4 * op->batch * op->m * context * op->k;
    op->bytes = shape->decode_sequences * context * (orr_kv_rank_bytes(emit->job, kind) + op->table_bytes);
}

static void emit_latent_projections(struct orr_serve_emit *emit, const struct orr_layer_kind *kind)
{
    const struct orr_serve_shape *shape = &emit->shape;
    const double heads = (double)kind->n_heads / emit->t, r_q = (double)kind->mla_q_rank, r = (double)kind->mla_kv_rank;
    const double d_r = (double)kind->mla_rope, d_n = (double)kind->head_qk - d_r, d_v = (double)kind->head_v;
    const double decode_rows = shape->decode_sequences * shape->queries, prompt_rows = emit->rows - decode_rows;
    if (emit->parts & ORR_PART_ROWS) {
        if (r_q > 0) orr_serve_linear(emit, "mla.q_down", emit->rows, emit->h, r_q, true);
        orr_serve_linear(emit, "mla.kv_down", emit->rows, emit->h, r + d_r, true);
        orr_serve_linear(emit, "mla.q_up", emit->rows, r_q > 0 ? r_q : emit->h, heads * (d_n + d_r), true);
    }
    if (prompt_rows > 0 && emit->parts & ORR_PART_PROMPTS) orr_serve_linear(emit, "mla.kv_up", prompt_rows, r, heads * (d_n + d_v), true);
    if (decode_rows > 0 && emit->parts & ORR_PART_DECODES) { /* absorbed: queries go to the latent space, contexts come back from it */
        orr_serve_product(emit, "mla.q_absorb", ORR_OP_BMM, heads, decode_rows, d_n, r);
        orr_serve_product(emit, "mla.v_absorb", ORR_OP_BMM, heads, decode_rows, r, d_v);
    }
}

void orr_serve_attention(struct orr_serve_emit *emit, const struct orr_layer_kind *kind)
{
    const double heads = (double)kind->n_heads / emit->t;
    if (kind->mla_kv_rank > 0) emit_latent_projections(emit, kind);
    else if (emit->parts & ORR_PART_ROWS)
        orr_serve_linear(emit, "attention.qkv", emit->rows, emit->h,
                         (heads + 2 * kv_heads_per_rank(emit->job, kind)) * (double)kind->head_qk, true);
    if (emit->parts & ORR_PART_PROMPTS) orr_serve_prompt_core(emit, kind);
    if (emit->parts & ORR_PART_DECODES) emit_decode_core(emit, kind);
    if (!(emit->parts & ORR_PART_ROWS)) return;
    orr_serve_linear(emit, "attention.out", emit->rows, heads * (double)kind->head_v, emit->h, true);
    if (!kind->parallel_block)
        orr_serve_collective(emit, "tp.reduce", ORR_COLLECTIVE_ALLREDUCE, ORR_GROUP_TP,
                             emit->rows * emit->h * emit->w_c);
}

static void emit_dense(struct orr_serve_emit *emit, const struct orr_layer_kind *kind, double width, bool shared)
{
    const double f = width / emit->t;
    if (!kind->gated) {
        orr_serve_linear(emit, "mlp.up", emit->rows, emit->h, f, true);
    } else if (emit->job->engine.fused_gate_up) {
        orr_serve_linear(emit, shared ? "shared.gate_up" : "mlp.gate_up", emit->rows, emit->h, 2 * f, true);
    } else {
        orr_serve_linear(emit, "mlp.gate", emit->rows, emit->h, f, true);
        orr_serve_linear(emit, "mlp.up", emit->rows, emit->h, f, true);
    }
    orr_serve_linear(emit, shared ? "shared.down" : "mlp.down", emit->rows, f, emit->h, true);
}

/* Tokens whose experts one expert group holds: those of all data-parallel ranks it spans. */
static double group_tokens(const struct orr_serve_emit *emit)
{
    const struct orr_plan *plan = &emit->job->plan;
    const double spans = orr_max(1, (double)(plan->ep * plan->etp) / (double)plan->tp);
    return emit->rows * spans;
}

static void emit_experts(struct orr_serve_emit *emit, const struct orr_layer_kind *kind)
{
    const struct orr_plan *plan = &emit->job->plan;
    const double places = (double)orr_expert_places(emit->job, kind), active = (double)kind->n_active;
    const double e = (double)plan->ep, local = places / e, f = (double)kind->expert_width / (double)plan->etp;
    const double tokens = group_tokens(emit);
    const double touched = orr_min(local, places * (1 - pow(1 - active / places, tokens)) / e); /* Eq. 8 */
    const double rows = tokens * active / e * emit->job->serving.moe_imbalance;
    const double used = orr_max(1, orr_min(touched, rows));
    orr_serve_linear(emit, "moe.router", emit->rows, emit->h, (double)kind->n_experts, false);
    orr_serve_product(emit, "expert.gate_up", ORR_OP_GROUPED, used, rows / used, emit->h, (kind->gated ? 2 : 1) * f);
    orr_serve_product(emit, "expert.down", ORR_OP_GROUPED, used, rows / used, f, emit->h);
    orr_serve_product(emit, "moe.permute", ORR_OP_POINTWISE, 1, 0, 0, 0);
    struct orr_op *op = last_op(emit);
    op->pointwise = ORR_POINTWISE_COPY;
    op->launches = (double)emit->job->engine.moe_permute_passes;
    op->bytes = op->launches * rows * emit->h * 2 * emit->w_a;
}

/* Experts inside the tensor-parallel group see every token and share its reduction; an expert group that spans
 * data-parallel ranks sends each token to its experts and back (Eq. 9a). */
static void emit_expert_exchange(struct orr_serve_emit *emit, const struct orr_layer_kind *kind)
{
    const struct orr_plan *plan = &emit->job->plan;
    if (plan->ep * plan->etp <= plan->tp) return;
    const double payload = emit->rows / emit->t * (double)kind->n_active * emit->h * emit->w_c;
    const char *const names[] = {"moe.dispatch", "moe.combine"};
    for (int i = 0; i < 2 && plan->ep > 1; i++) {
        orr_serve_collective(emit, names[i], ORR_COLLECTIVE_ALLTOALL, ORR_GROUP_EP, payload);
        struct orr_op *op = last_op(emit);
        op->m = (double)kind->n_groups_active;
        op->n = (double)kind->n_experts;
        op->k = (double)kind->n_active;
    }
    if (plan->etp > plan->tp) { /* the ranks of one expert hold different tokens: gathered before, scattered after */
        const double gathered = payload * (double)plan->etp;
        orr_serve_collective(emit, "moe.gather", ORR_COLLECTIVE_ALLGATHER, ORR_GROUP_ETP, gathered);
        orr_serve_collective(emit, "moe.scatter", ORR_COLLECTIVE_REDUCESCATTER, ORR_GROUP_ETP, gathered);
    }
}

void orr_serve_ffn(struct orr_serve_emit *emit, const struct orr_layer_kind *kind)
{
    if (kind->n_experts > 0) {
        emit_experts(emit, kind);
        emit_expert_exchange(emit, kind);
        if (kind->shared_width > 0) emit_dense(emit, kind, (double)kind->shared_width, true);
    }
    if (kind->ffn_width > 0) emit_dense(emit, kind, (double)kind->ffn_width, false);
    orr_serve_collective(emit, "tp.reduce", ORR_COLLECTIVE_ALLREDUCE, ORR_GROUP_TP, emit->rows * emit->h * emit->w_c);
}
