/* Exact parameter counts of a shape (Eqs. 16-19) and of a model. */
#include "spec/job.h"
#include "spec/model.h"

#include <string.h>

static int64_t norm_params(const struct orr_shape *shape)
{
    switch (shape->norm) {
    case ORR_NORM_RMS:
    case ORR_NORM_LAYER_NO_BIAS: return shape->hidden;
    case ORR_NORM_LAYER: return 2 * shape->hidden;
    case ORR_NORM_LAYER_NO_WEIGHT: return 0;
    }
    return 0;
}

/* Eq. 19: a counts the heads, r_q and r are the ranks, d_n + d_r is the size of a query head, d_v of a value head. */
static int64_t latent_params(const struct orr_shape *shape)
{
    const int64_t h = shape->hidden, a = shape->n_heads, r_q = shape->q_rank, r = shape->kv_rank;
    const int64_t d_n = shape->head_nope, d_r = shape->head_rope, d_v = shape->head_v;
    const int64_t query = r_q ? h * r_q + r_q + r_q * a * (d_n + d_r) : h * a * (d_n + d_r);
    const int64_t key_value = h * (r + d_r) + r + r * a * (d_n + d_v);
    const int64_t biases = shape->latent_bias ? r_q + r + d_r + h : 0;
    return query + key_value + a * d_v * h + h * shape->gate_columns + biases;
}

/* Sizes of attention in a layer with these marks. */
static struct orr_heads heads_of(const struct orr_shape *shape, unsigned marks)
{
    if (marks & ORR_MARK_OTHER) return shape->other;
    return (struct orr_heads){.n_heads = shape->n_heads,
                              .n_kv_heads = shape->n_kv_heads,
                              .head_dim = shape->head_dim,
                              .head_v = shape->head_v_dim > 0 ? shape->head_v_dim : shape->head_dim,
                              .sinks = shape->sinks,
                              .kv_equal = shape->kv_equal};
}

/* The attention part of Eqs. 16 and 17: grouped-query projections with their optional biases, norms, gates, sinks. */
static int64_t grouped_params(const struct orr_shape *shape, const struct orr_heads *heads, bool shared_kv)
{
    const int64_t h = shape->hidden, a = heads->n_heads, k = shared_kv ? 0 : heads->n_kv_heads, d = heads->head_dim;
    const int64_t kv = k * (heads->kv_equal ? d : d + heads->head_v), query = a * d;
    const int64_t biases =
        (shape->qkv_bias ? query + kv - (shape->no_key_bias ? k * d : 0) : 0) + (shape->out_bias ? h : 0);
    const int64_t key_norm = shared_kv ? 0 : d, norms = shape->qk_norm_full ? query + k * d : d + key_norm;
    return h * (query + kv + shape->gate_columns) + a * heads->head_v * h + biases +
           (shape->qk_norm_weights ? norms : 0) + (heads->sinks ? a : 0);
}

/* An indexer makes its queries from the query's latent, with a weight per head, or from the hidden state. */
static int64_t indexer_params(const struct orr_shape *shape)
{
    const int64_t h = shape->hidden, size = shape->index_size, heads = shape->index_heads, r_q = shape->q_rank;
    return (r_q > 0 ? r_q : h) * heads * size + h * size + 2 * size + (r_q > 0 ? h * heads : 0);
}

/* A compressor projects keys and their weights, adds a bias by position and has a norm. Where entries overlap, as those
 * that an indexer chooses from do, there are two sets of both. */
static int64_t compressor_params(const struct orr_shape *shape, int64_t size, int64_t ratio, bool overlaps)
{
    const int64_t columns = overlaps ? 2 * size : size;
    return 2 * shape->hidden * columns + ratio * columns + size;
}

/* Eq. 121. */
static int64_t compressed_params(const struct orr_shape *shape, unsigned marks)
{
    const int64_t h = shape->hidden, a = shape->n_heads, d = shape->head_dim, r_q = shape->q_rank;
    const int64_t size = shape->index_size, heads = shape->index_heads, out = shape->out_groups * shape->out_rank;
    int64_t params =
        h * r_q + r_q + r_q * a * d + h * d + d + a * d * shape->out_rank + out * h + (shape->sinks ? a : 0);
    if (marks & ORR_MARK_ENTRIES) params += compressor_params(shape, d, shape->entries_ratio, false);
    if (marks & ORR_MARK_INDEXER)
        params += compressor_params(shape, d, shape->indexed_ratio, true) +
                  compressor_params(shape, size, shape->indexed_ratio, true) + r_q * heads * size + h * heads;
    return params;
}

/* Mamba-1 has two matrices in, step sizes of rank R, B and C of the state size, a convolution, A, D, a matrix out. */
static int64_t mamba1_params(int64_t h, const struct orr_scan *m)
{
    const int64_t width = m->heads * m->value, ends = 2 * width + h;
    return 2 * h * width + width * (m->conv + (m->conv_bias ? 1 : 0)) + width * (m->rank + 2 * m->key) +
           m->rank * width + width + width * m->key + width + width * h + (m->bias ? ends : 0) +
           (m->inner_norms ? m->rank + 2 * m->key : 0);
}

static int64_t mamba2_params(int64_t h, const struct orr_scan *m)
{
    const int64_t width = m->heads * m->value, mixed = width + 2 * m->groups * m->key, in = width + mixed + m->heads;
    return h * in + mixed * (m->conv + (m->conv_bias ? 1 : 0)) + 3 * m->heads + (m->gated_norm ? width : 0) +
           width * h + (m->bias ? in + h : 0);
}

static int64_t delta_params(int64_t h, const struct orr_scan *m)
{
    const int64_t keys = m->groups * m->key, width = m->heads * m->value;
    return h * (2 * keys + 2 * width + 2 * m->heads) + m->conv * (2 * keys + width) + 2 * m->heads + m->value +
           width * h;
}

static int64_t kda_params(int64_t h, const struct orr_scan *m)
{
    const int64_t width = m->heads * m->value, low = h * m->rank + m->rank * width, a = m->heads;
    return 3 * h * width + 3 * m->conv * width + low + width + a + h * a + (m->full_gate ? h * width : low) + m->value +
           width * h;
}

static int64_t rg_lru_params(int64_t h, const struct orr_scan *m)
{
    const int64_t w = m->heads * m->value;
    return 2 * (h * w + w) + w * h + h + m->conv * w + w + 2 * (w * m->value + w) + w;
}

static int64_t scan_params(const struct orr_shape *shape)
{
    const struct orr_scan *m = &shape->scan;
    const int64_t h = shape->hidden, width = m->heads * m->value;
    switch (m->mixer) {
    case ORR_MIXER_MAMBA1: return mamba1_params(h, m);
    case ORR_MIXER_MAMBA2: return mamba2_params(h, m);
    case ORR_MIXER_GATED_DELTA: return delta_params(h, m);
    case ORR_MIXER_KDA: return kda_params(h, m);
    case ORR_MIXER_LIGHTNING: return 5 * h * width + width; /* q, k, v, gate, out; a norm */
    case ORR_MIXER_RG_LRU: return rg_lru_params(h, m);
    case ORR_MIXER_SHORT_CONV: return 4 * h * width + m->conv * width + (m->bias ? 3 * width + h + width : 0);
    case ORR_MIXER_ATTENTION:
    case ORR_MIXER_LATENT:
    case ORR_MIXER_COMPRESSED:
    case ORR_MIXER_NONE:
    case ORR_N_MIXERS: break;
    }
    return 0;
}

static int64_t ffn_matrices(const struct orr_shape *shape, int64_t hidden, int64_t width, bool bias)
{
    const int64_t n_in = shape->gated ? 2 : 1; /* matrices that widen */
    return (n_in + 1) * hidden * width + (bias ? n_in * width + hidden : 0);
}

static int64_t ffn_params(const struct orr_shape *shape, int64_t width, bool bias)
{
    return ffn_matrices(shape, shape->hidden, width, bias);
}

static void fill_scan(const struct orr_shape *shape, struct orr_layer_kind *kind)
{
    const struct orr_scan *m = &shape->scan;
    kind->mixer = m->mixer;
    kind->beside_attention = m->beside;
    kind->scan_heads = m->heads;
    kind->scan_value = m->value;
    kind->scan_groups = m->groups;
    kind->scan_key = m->key;
    kind->scan_rank = m->rank;
    kind->scan_full_gate = m->full_gate;
    kind->scan_inputs = m->inputs;
    kind->scan_chunk = m->chunk;
    kind->conv_width = m->conv;
    kind->state_element_bytes = m->state_bytes;
    kind->attention_params += scan_params(shape);
}

static void fill_index(const struct orr_shape *shape, unsigned marks, struct orr_layer_kind *kind)
{
    /* Without an indexer, a layer with latents uses an earlier layer's choice; other layers read all keys. */
    if (marks & ORR_MARK_INDEXER || shape->kv_rank > 0) kind->index_topk = shape->index_topk;
    if (!(marks & ORR_MARK_INDEXER)) return;
    kind->index_heads = shape->index_heads;
    kind->index_size = shape->index_size;
    kind->attention_params += indexer_params(shape);
}

static void fill_compressed(const struct orr_shape *shape, unsigned marks, struct orr_layer_kind *kind)
{
    kind->mixer = ORR_MIXER_COMPRESSED;
    kind->n_heads = shape->n_heads;
    kind->n_kv_heads = 1;
    kind->head_qk = kind->head_v = shape->head_dim;
    kind->mla_q_rank = shape->q_rank;
    kind->mla_rope = shape->head_rope;
    kind->window = shape->window;
    kind->rope = kind->qk_norm = kind->kv_equal = true;
    kind->out_groups = shape->out_groups;
    kind->out_rank = shape->out_rank;
    kind->attention_params = compressed_params(shape, marks);
    if (marks & ORR_MARK_ENTRIES) kind->compress_ratio = shape->entries_ratio;
    if (!(marks & ORR_MARK_INDEXER)) return;
    kind->compress_ratio = shape->indexed_ratio;
    kind->index_topk = shape->index_topk;
    kind->index_heads = shape->index_heads;
    kind->index_size = shape->index_size;
}

static void fill_attention(const struct orr_shape *shape, unsigned marks, struct orr_layer_kind *kind)
{
    const bool latent = shape->kv_rank > 0;
    const struct orr_heads heads = heads_of(shape, marks);
    kind->mixer = latent ? ORR_MIXER_LATENT : ORR_MIXER_ATTENTION;
    kind->n_heads = heads.n_heads;
    kind->n_kv_heads = latent ? heads.n_heads : heads.n_kv_heads;
    kind->head_qk = latent ? shape->head_nope + shape->head_rope : heads.head_dim;
    kind->head_v = latent ? shape->head_v : heads.head_v;
    kind->mla_q_rank = shape->q_rank;
    kind->mla_kv_rank = shape->kv_rank;
    kind->mla_rope = shape->head_rope;
    kind->window = marks & ORR_MARK_WINDOW ? shape->window : 0;
    kind->chunked = kind->window > 0 && shape->chunked;
    kind->rope = shape->rope && !(marks & ORR_MARK_NO_ROPE);
    /* A norm without weights comes with the rotation and is absent without it. */
    kind->qk_norm = shape->qk_norm && (shape->qk_norm_weights || kind->rope);
    kind->qk_norm_full = kind->qk_norm && shape->qk_norm_full;
    kind->attention_bias = shape->qkv_bias;
    kind->shared_kv = marks & ORR_MARK_SHARED_KV;
    kind->kv_equal = heads.kv_equal;
    kind->gate_columns = shape->gate_columns;
    kind->attention_params = latent ? latent_params(shape) : grouped_params(shape, &heads, kind->shared_kv);
    fill_index(shape, marks, kind);
    if (shape->cross_beside || marks & ORR_MARK_CROSS) {
        kind->cross_keys = shape->cross_keys;
        kind->cross_only = !shape->cross_beside;
        kind->attention_params += shape->cross_beside ? grouped_params(shape, &heads, false) : shape->cross_extra;
    }
}

static void fill_experts(const struct orr_shape *shape, unsigned marks, struct orr_layer_kind *kind)
{
    const int64_t h = shape->hidden, latent = shape->expert_hidden, routed = shape->n_experts + shape->n_zero_experts;
    kind->n_experts = shape->n_experts; /* Eq. 18 */
    kind->n_groups_active = shape->n_groups_active;
    kind->n_groups = shape->n_groups;
    kind->n_active = shape->n_active;
    kind->expert_width = shape->expert_width;
    kind->expert_hidden = latent;
    kind->expert_bias = shape->expert_bias;
    kind->n_zero_experts = shape->n_zero_experts;
    kind->expert_params = ffn_matrices(shape, latent > 0 ? latent : h, shape->expert_width, shape->expert_bias);
    kind->router_params = h * routed + (shape->router_bias && !(marks & ORR_MARK_HASH) ? routed : 0);
    kind->shared_width = shape->shared_width;
    kind->shared_gate = shape->shared_gate;
    kind->ffn_params = ffn_params(shape, shape->shared_width, false) + (shape->shared_gate ? h : 0) + 2 * h * latent;
    kind->norm_params += shape->moe_extra;
}

void orr_kind_fill(const struct orr_shape *shape, unsigned marks, struct orr_layer_kind *kind)
{
    const bool scan = marks & ORR_MARK_SCAN;
    memset(kind, 0, sizeof *kind);
    if (marks & ORR_MARK_NO_MIXER) kind->mixer = ORR_MIXER_NONE;
    else if (shape->compressed) fill_compressed(shape, marks, kind);
    else if (!scan || shape->scan.beside) fill_attention(shape, marks, kind);
    if (scan) fill_scan(shape, kind);
    kind->gated = shape->gated;
    kind->ffn_bias = shape->ffn_bias;
    kind->parallel_block = shape->parallel;
    kind->n_norms =
        shape->n_norms > 1 && marks & (ORR_MARK_NO_MIXER | ORR_MARK_NO_FFN) ? shape->n_norms / 2 : shape->n_norms;
    kind->norm_params = kind->n_norms * norm_params(shape) + shape->layer_extra;
    kind->layer_embedding = shape->layer_embedding;
    kind->residual_streams = shape->residual_streams;
    kind->residual_reads = shape->residual_reads;
    kind->ffn_params = 0;
    if (marks & ORR_MARK_MOE) fill_experts(shape, marks, kind);
    else if (!(marks & ORR_MARK_NO_FFN)) {
        kind->ffn_width = shape->ffn_widths[marks / ORR_MARK_WIDTH];
        kind->ffn_params = ffn_params(shape, kind->ffn_width, shape->ffn_bias);
    }
    kind->ffn_params += 2 * shape->hidden * shape->layer_embedding;
}

int64_t orr_shape_embedding_params(const struct orr_shape *shape)
{
    const int64_t h = shape->hidden, w = shape->embedding_width;
    return shape->vocab * w + (w != h ? w * h : 0) + shape->n_positions * h +
           (shape->embedding_norm ? norm_params(shape) : 0) + shape->embedding_extra;
}

int64_t orr_shape_head_params(const struct orr_shape *shape)
{
    const int64_t h = shape->hidden, w = shape->embedding_width;
    return (shape->tied ? 0 : shape->vocab * w) + (w != h ? w * h : 0) + (shape->head_bias ? shape->vocab : 0) +
           (shape->final_norm ? norm_params(shape) : 0) + shape->head_extra;
}

/* Three norms (embedding, hidden state, before the shared head) and the product that joins embedding and state. The
 * prediction layer of compressed attention has a way out of its streams and may have other entries than the last. */
int64_t orr_shape_mtp_params(const struct orr_shape *shape)
{
    const int64_t joining = 2 * shape->hidden * shape->hidden + 3 * norm_params(shape);
    if (!shape->compressed) return joining;
    return joining + shape->head_extra + compressed_params(shape, shape->mtp_marks) -
           compressed_params(shape, shape->marks[shape->n_layers - 1]);
}

bool orr_model_countable(const struct orr_model *model)
{
    double total = (double)model->embedding_params + (double)model->head_params;
    for (int64_t i = 0; i < model->n_layers; i++) {
        const struct orr_layer_kind *kind = &model->kinds[model->layer_kind[i]];
        total += (double)kind->attention_params + (double)kind->ffn_params + (double)kind->router_params +
                 (double)kind->norm_params + (double)kind->n_experts * (double)kind->expert_params;
    }
    return total <= ORR_PARAMS_MAX;
}

static int64_t layer_params(const struct orr_layer_kind *kind, bool active)
{
    return kind->attention_params + kind->ffn_params + kind->router_params + kind->norm_params +
           (active ? kind->n_active : kind->n_experts) * kind->expert_params;
}

static int64_t params(const struct orr_model *model, bool active)
{
    int64_t total = model->embedding_params + model->head_params, n_layers[ORR_MAX_LAYER_KINDS] = {0};
    for (int64_t i = 0; i < model->n_layers; i++) n_layers[model->layer_kind[i]]++;
    for (int64_t k = 0; k < model->n_kinds; k++) total += n_layers[k] * layer_params(&model->kinds[k], active);
    return total;
}

int64_t orr_model_params(const struct orr_model *model)
{
    return params(model, false);
}

int64_t orr_model_params_active(const struct orr_model *model)
{
    return params(model, true);
}

int64_t orr_model_params_mtp(const struct orr_model *model)
{
    return model->mtp_params + layer_params(&model->kinds[model->layer_kind[model->n_layers - 1]], false);
}

int64_t orr_most_experts(const struct orr_model *model)
{
    int64_t experts = 1;
    for (int64_t k = 0; k < model->n_kinds; k++)
        if (model->kinds[k].n_experts > experts) experts = model->kinds[k].n_experts;
    return experts;
}

bool orr_kind_scans(const struct orr_layer_kind *kind)
{
    return kind->scan_heads > 0;
}

bool orr_kind_compresses(const struct orr_layer_kind *kind)
{
    return kind->mixer == ORR_MIXER_COMPRESSED;
}

bool orr_kind_attends(const struct orr_layer_kind *kind)
{
    return kind->mixer != ORR_MIXER_NONE && (!orr_kind_scans(kind) || kind->beside_attention) && !kind->cross_only;
}

bool orr_model_has_experts(const struct orr_model *model)
{
    for (int64_t k = 0; k < model->n_kinds; k++)
        if (model->kinds[k].n_experts > 0) return true;
    return false;
}
