/* What decoding needs besides the weight products: the attention core of one query per sequence over its cached
 * context, and the formats that weights and cache are stored in. */
#include "ops/emit.h"

#include "base/number.h"
#include "ops/mixer.h"

#include <string.h>

/* ---------------------------------------------------------------- formats */

double orr_stored_bytes(enum orr_dtype dtype)
{
    switch (dtype) {
    case ORR_DTYPE_FP8:
    case ORR_DTYPE_FP8_BLOCK:
    case ORR_DTYPE_INT8: return 1 + 4.0 / (128 * 128); /* one fp32 scale per 128 x 128 block */
    case ORR_DTYPE_INT4: return 0.5 + 2.0 / 128;       /* one 16-bit scale per 128 weights */
    case ORR_DTYPE_FP4: return 0.5 + 1.0 / 16;         /* one 8-bit scale per 16 weights */
    case ORR_DTYPE_FP32:
    case ORR_DTYPE_TF32:
    case ORR_DTYPE_FP16:
    case ORR_DTYPE_BF16: return orr_dtype_bytes(dtype);
    case ORR_N_DTYPES: break;
    }
    return 2;
}

double orr_serve_stored_bytes(const struct orr_job *job)
{
    const struct orr_served *served = &job->serving.served[0];
    double bytes = 0;
    if (!served->resolved) return orr_stored_bytes(job->serving.weights);
    for (int i = 0; i < ORR_N_MODULES; i++) bytes += served->module_bytes[i];
    return bytes / (double)orr_model_params(&job->model);
}

double orr_serve_step_tokens(const struct orr_job *job)
{
    return (double)(job->serving.chunk_tokens > 0 ? job->serving.chunk_tokens : job->engine.max_step_tokens);
}

bool orr_rebuilds_heads(const struct orr_job *job, const struct orr_layer_kind *kind)
{
    return job->kind == ORR_JOB_INFER && kind->mla_kv_rank > 0 && job->engine.latent_columns > 0;
}

static bool caches_latents(const struct orr_job *job, const struct orr_layer_kind *kind)
{
    return kind->mla_kv_rank > 0 && !orr_rebuilds_heads(job, kind);
}

/* Eq. 332: K,V heads on one rank. Where the cores of a chip are ranks of the stack, each has at least one, unless the
 * chip has fewer query heads. */
static double kv_heads_per_rank(const struct orr_job *job, const struct orr_layer_kind *kind)
{
    const double t = (double)job->plan.tp, heads = orr_max(1, (double)kind->n_heads / t);
    const double least = job->engine.kv_per_core ? orr_min((double)job->system.chip.n_sm, heads) : 1;
    return orr_max(least, (double)(orr_rebuilds_heads(job, kind) ? kind->n_heads : kind->n_kv_heads) / t);
}

#define BITS(member, name, dtype, bits, vector_bits) {bits, vector_bits},
static const struct {
    double bits, vector_bits;
} KV_BITS[ORR_N_KV_FORMATS] = {ORR_KV_FORMATS(BITS)};

/* Bytes of a key, value or latent vector, including the vector's own scales (Eq. 90b). */
static double vector_bytes(const struct orr_serving *s, double elements)
{
    if (s->kv_format == ORR_KV_PLAIN) return elements * orr_dtype_bytes(s->kv);
    return (elements * KV_BITS[s->kv_format].bits + KV_BITS[s->kv_format].vector_bits) / 8;
}

/* Where the format says so, a latent keeps its rotary part in 16 bits and has a 32-bit scale per 128 elements. */
static double latent_bytes(const struct orr_serving *s, const struct orr_layer_kind *kind)
{
    const double rank = (double)kind->mla_kv_rank, rope = (double)kind->mla_rope;
    if (s->kv_format == ORR_KV_FP8_DS_MLA) return rank + orr_ceil(rank / 128) * 4 + 2 * rope;
    return vector_bytes(s, rank + rope);
}

/* A key of compressed attention serves as value too. The format keeps its rotary part in 16 bits and has one byte of
 * scale per 64 of the other elements, filled up to a multiple of 8 bytes. */
static double entry_bytes(const struct orr_serving *s, const struct orr_layer_kind *kind)
{
    const double plain = (double)(kind->head_qk - kind->mla_rope), rope = (double)kind->mla_rope;
    if (s->kv_format == ORR_KV_FP8_DS_MLA) return plain + 2 * rope + orr_ceil(orr_ceil(plain / 64) / 8) * 8;
    return vector_bytes(s, plain + rope);
}

/* Columns of a cached key and of a cached value of one head. */
static double key_columns(const struct orr_job *job, const struct orr_layer_kind *kind)
{
    return (double)(orr_rebuilds_heads(job, kind) ? job->engine.latent_columns : kind->head_qk);
}

static double value_columns(const struct orr_job *job, const struct orr_layer_kind *kind)
{
    return (double)(orr_rebuilds_heads(job, kind) ? job->engine.latent_columns : kind->head_v);
}

static double head_bytes(const struct orr_job *job, const struct orr_layer_kind *kind)
{
    const struct orr_serving *s = &job->serving;
    const double keys = key_columns(job, kind), values = value_columns(job, kind);
    if (s->kv_format == ORR_KV_PLAIN) return (keys + values) * orr_dtype_bytes(s->kv);
    return vector_bytes(s, keys) + vector_bytes(s, values);
}

/* Cache bytes of one token that a query of the kind reads on one rank. */
static double kv_read_bytes(const struct orr_job *job, const struct orr_layer_kind *kind)
{
    if (orr_kind_compresses(kind)) return entry_bytes(&job->serving, kind);
    if (caches_latents(job, kind)) return latent_bytes(&job->serving, kind); /* the latent is not divided over tp */
    return kv_heads_per_rank(job, kind) * head_bytes(job, kind);
}

/* Bytes of an element of an indexer's keys: 8 bits; 4 bits for compressed entries in their 8-bit format. */
static double index_element_bytes(const struct orr_job *job, const struct orr_layer_kind *kind)
{
    return orr_kind_compresses(kind) && job->serving.kv_format == ORR_KV_FP8_DS_MLA ? 0.5 : 1;
}

/* An indexer's keys have 32 bits of scales each; every rank keeps all of them. */
static double index_key_bytes(const struct orr_job *job, const struct orr_layer_kind *kind)
{
    return kind->index_heads > 0 ? (double)kind->index_size * index_element_bytes(job, kind) + 4 : 0;
}

/* Bytes per position of the entries that compressed attention keeps beside its window (Eq. 121). */
static double entries_bytes(const struct orr_job *job, const struct orr_layer_kind *kind)
{
    if (kind->compress_ratio == 0) return 0;
    return (entry_bytes(&job->serving, kind) + index_key_bytes(job, kind)) / (double)kind->compress_ratio;
}

static bool keeps_kv(const struct orr_layer_kind *kind)
{
    return orr_kind_attends(kind) && !kind->shared_kv;
}

double orr_kv_rank_bytes(const struct orr_job *job, const struct orr_layer_kind *kind)
{
    if (orr_kind_compresses(kind)) return entries_bytes(job, kind);
    return keeps_kv(kind) ? kv_read_bytes(job, kind) + index_key_bytes(job, kind) : 0;
}

double orr_kv_model_bytes(const struct orr_job *job, const struct orr_layer_kind *kind)
{
    if (!keeps_kv(kind)) return 0;
    if (orr_kind_compresses(kind)) return entries_bytes(job, kind);
    if (caches_latents(job, kind)) return latent_bytes(&job->serving, kind) + index_key_bytes(job, kind);
    const double heads = (double)(orr_rebuilds_heads(job, kind) ? kind->n_heads : kind->n_kv_heads);
    return heads * head_bytes(job, kind) + index_key_bytes(job, kind);
}

double orr_kv_element_bytes(const struct orr_job *job, const struct orr_layer_kind *kind)
{
    if (job->serving.kv_format == ORR_KV_PLAIN) return orr_dtype_bytes(job->serving.kv);
    if (orr_kind_compresses(kind)) return entry_bytes(&job->serving, kind) / (double)kind->head_qk;
    return caches_latents(job, kind) ? latent_bytes(&job->serving, kind) / (double)(kind->mla_kv_rank + kind->mla_rope)
                                     : head_bytes(job, kind) / (key_columns(job, kind) + value_columns(job, kind));
}

double orr_state_key_bytes(const struct orr_job *job, const struct orr_layer_kind *kind)
{
    return orr_kind_compresses(kind) ? orr_kv_element_bytes(job, kind) : orr_dtype_bytes(job->serving.kv);
}

/* ---------------------------------------------------------------- attention core */

/* Does the decode kernel read a K,V head once for its whole query group? */
static bool packs_groups(const struct orr_job *job, const struct orr_layer_kind *kind)
{
    const struct orr_engine *engine = &job->engine;
    const int64_t most = engine->packed_gqa_most;
    if (kind->chunked && strcmp(engine->unpacked_chunks, job->system.chip.family) == 0) return false;
    if (!engine->packed_gqa || (most > 0 && kind->n_heads > most * kind->n_kv_heads)) return false;
    return !engine->packed_gqa_plain_only || (kind->window == 0 && kind->head_qk == 128);
}

/* Eqs. 11, 47: a sequence has one query, and further ones for its drafted tokens. */
static void fill_decode(struct orr_op *op, const struct orr_job *job, const struct orr_layer_kind *kind,
                        double sequences, double queries)
{
    op->batch = sequences;
    op->m = (double)kind->n_heads / (double)job->plan.tp * queries;
    const bool latent = caches_latents(job, kind);
    op->k = latent ? (double)(kind->mla_kv_rank + kind->mla_rope) : key_columns(job, kind);
    op->latent_rank = (int32_t)(orr_kind_compresses(kind) ? kind->head_qk : latent ? kind->mla_kv_rank : 0);
    op->input_bytes = orr_kv_element_bytes(job, kind);
    op->kv_heads = kv_heads_per_rank(job, kind);
    op->table_bytes = (double)job->engine.kv_table_entry_bytes / (double)job->engine.kv_block_tokens;
    op->packed = packs_groups(job, kind);
}

struct orr_op orr_serve_decode_op(const struct orr_job *job, const struct orr_layer_kind *kind, double sequences,
                                  double queries)
{
    struct orr_op op = {.kind = ORR_OP_DECODE, .dtype = orr_serve_core(job), .launches = 1, .window_op = -1};
    fill_decode(&op, job, kind, sequences, queries);
    return op;
}

struct orr_op orr_serve_entries_op(const struct orr_job *job, const struct orr_layer_kind *kind, double sequences,
                                   double queries)
{
    struct orr_op op = orr_serve_decode_op(job, kind, sequences, queries);
    op.key_tokens = (double)kind->compress_ratio;
    op.joined = true;
    op.launches = 0;
    return op;
}

/* Bytes per key: its fp32 score is written once, and read once to choose the highest. */
#define SCORE_BYTES 8.0

struct orr_op orr_serve_index_op(const struct orr_job *job, const struct orr_layer_kind *kind, double sequences,
                                 double queries)
{
    const bool narrow = job->system.chip.peak_flops_per_s[ORR_DTYPE_FP8] > 0;
    return (struct orr_op){.kind = ORR_OP_DECODE,
                           .dtype = narrow ? ORR_DTYPE_FP8 : orr_serve_dtype16(job),
                           .launches = 1,
                           .window_op = -1,
                           .index = true,
                           .batch = sequences,
                           .m = (double)kind->index_heads * queries,
                           .k = (double)kind->index_size,
                           .kv_heads = 1,
                           .input_bytes = index_element_bytes(job, kind),
                           .key_tokens = (double)kind->compress_ratio,
                           .table_bytes = 4 + SCORE_BYTES * queries};
}

double orr_decode_key_limit(const struct orr_layer_kind *kind, const struct orr_op *op)
{
    if (op->joined) return (double)(kind->index_topk * kind->compress_ratio);
    return op->index ? 0 : orr_kind_key_limit(kind);
}

/* Copies the sizes of an operator that was made for curves, and adds its work for the context that it reads. */
static void emit_made(struct orr_emit *emit, const char *name, const struct orr_op *made, double context)
{
    struct orr_op *op = orr_emit_op(emit, name, ORR_OP_DECODE, ORR_PHASE_FORWARD);
    const double stride = orr_max(1, made->key_tokens), keys = context / stride;
    op->dtype = made->dtype;
    op->index = made->index;
    op->joined = made->joined;
    op->launches = made->launches;
    op->batch = made->batch;
    op->m = made->m;
    op->k = made->k;
    op->latent_rank = made->latent_rank;
    op->packed = made->packed;
    op->kv_heads = made->kv_heads;
    op->input_bytes = made->input_bytes;
    op->table_bytes = made->table_bytes;
    op->key_tokens = made->key_tokens;
    op->n = context;
    op->flops = 2 * op->batch * op->m * keys * (op->k + op->latent_rank);
    op->bytes = op->batch * keys * (op->k * op->input_bytes + op->table_bytes);
}

void orr_emit_decode_core(struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    const struct orr_dims *d = &emit->dims;
    if (d->decoding <= 0) return;
    struct orr_op *op = orr_emit_op(emit, "attention.decode", ORR_OP_DECODE, ORR_PHASE_FORWARD);
    fill_decode(op, emit->job, kind, d->decoding, d->queries);
    op->dtype = d->core;
    const double limit = orr_kind_key_limit(kind);
    op->n = limit > 0 ? orr_min(d->decode_context, limit) : d->decode_context;
    op->flops = 2 * op->batch * op->m * op->n * (op->k + (op->latent_rank > 0 ? op->latent_rank : op->k));
    op->bytes = d->decoding * op->n * (kv_read_bytes(emit->job, kind) + op->table_bytes);
    if (kind->compress_ratio > 0) {
        const struct orr_op made = orr_serve_entries_op(emit->job, kind, d->decoding, d->queries);
        const double most = orr_decode_key_limit(kind, &made);
        emit_made(emit, "attention.entries", &made, most > 0 ? orr_min(d->decode_context, most) : d->decode_context);
    }
    if (kind->index_heads > 0) {
        const struct orr_op made = orr_serve_index_op(emit->job, kind, d->decoding, d->queries);
        emit_made(emit, "index.decode", &made, d->decode_context);
    }
}
