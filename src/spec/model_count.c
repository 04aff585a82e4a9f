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

/* Eq. 19, with a the heads, r_q and r the ranks, d_n + d_r a query head, d_v a value head. */
static int64_t latent_params(const struct orr_shape *shape)
{
    const int64_t h = shape->hidden, a = shape->n_heads, r_q = shape->q_rank, r = shape->kv_rank;
    const int64_t d_n = shape->head_nope, d_r = shape->head_rope, d_v = shape->head_v;
    const int64_t query = r_q ? h * r_q + r_q + r_q * a * (d_n + d_r) : h * a * (d_n + d_r);
    const int64_t key_value = h * (r + d_r) + r + r * a * (d_n + d_v);
    const int64_t biases = shape->latent_bias ? r_q + r + d_r + h : 0;
    return query + key_value + a * d_v * h + biases;
}

/* The attention part of Eqs. 16 and 17: grouped-query projections, with what may be added to them. */
static int64_t grouped_params(const struct orr_shape *shape)
{
    const int64_t h = shape->hidden, a = shape->n_heads, k = shape->n_kv_heads, d = shape->head_dim;
    const int64_t biases = (shape->qkv_bias ? (a + 2 * k) * d : 0) + (shape->out_bias ? h : 0);
    const int64_t norms = shape->qk_norm_weights ? 2 * d : 0;
    return h * (a + 2 * k) * d + a * d * h + biases + norms + (shape->sinks ? a : 0);
}

static int64_t ffn_params(const struct orr_shape *shape, int64_t width, bool bias)
{
    const int64_t n_in = shape->gated ? 2 : 1; /* matrices that widen */
    return (n_in + 1) * shape->hidden * width + (bias ? n_in * width + shape->hidden : 0);
}

static void fill_attention(const struct orr_shape *shape, unsigned marks, struct orr_layer_kind *kind)
{
    const bool latent = shape->kv_rank > 0;
    kind->n_heads = shape->n_heads;
    kind->n_kv_heads = latent ? shape->n_heads : shape->n_kv_heads;
    kind->head_qk = latent ? shape->head_nope + shape->head_rope : shape->head_dim;
    kind->head_v = latent ? shape->head_v : shape->head_dim;
    kind->mla_q_rank = shape->q_rank;
    kind->mla_kv_rank = shape->kv_rank;
    kind->mla_rope = shape->head_rope;
    kind->window = marks & ORR_MARK_WINDOW ? shape->window : 0;
    kind->chunked = kind->window > 0 && shape->chunked;
    kind->rope = shape->rope && !(marks & ORR_MARK_NO_ROPE);
    /* a norm without weights goes with the rotation and is absent without it */
    kind->qk_norm = shape->qk_norm && (shape->qk_norm_weights || kind->rope);
    kind->attention_bias = shape->qkv_bias;
    kind->attention_params = latent ? latent_params(shape) : grouped_params(shape);
}

void orr_kind_fill(const struct orr_shape *shape, unsigned marks, struct orr_layer_kind *kind)
{
    memset(kind, 0, sizeof *kind);
    fill_attention(shape, marks, kind);
    kind->gated = shape->gated;
    kind->ffn_bias = shape->ffn_bias;
    kind->parallel_block = shape->parallel;
    kind->n_norms = shape->n_norms;
    kind->norm_params = shape->n_norms * norm_params(shape);
    if (!(marks & ORR_MARK_MOE)) {
        kind->ffn_width = shape->ffn;
        kind->ffn_params = ffn_params(shape, shape->ffn, shape->ffn_bias);
        return;
    }
    kind->n_experts = shape->n_experts; /* Eq. 18 */
    kind->n_groups_active = shape->n_groups_active;
    kind->n_active = shape->n_active;
    kind->expert_width = shape->expert_width;
    kind->expert_params = ffn_params(shape, shape->expert_width, shape->expert_bias);
    kind->router_params = shape->hidden * shape->n_experts + (shape->router_bias ? shape->n_experts : 0);
    kind->shared_width = shape->shared_width;
    kind->ffn_params = ffn_params(shape, shape->shared_width, false) + (shape->shared_gate ? shape->hidden : 0);
}

int64_t orr_shape_embedding_params(const struct orr_shape *shape)
{
    const int64_t h = shape->hidden, w = shape->embedding_width;
    return shape->vocab * w + (w != h ? w * h : 0) + shape->n_positions * h +
           (shape->embedding_norm ? norm_params(shape) : 0);
}

int64_t orr_shape_head_params(const struct orr_shape *shape)
{
    const int64_t h = shape->hidden, w = shape->embedding_width;
    return (shape->tied ? 0 : shape->vocab * w) + (w != h ? w * h : 0) + (shape->head_bias ? shape->vocab : 0) +
           (shape->final_norm ? norm_params(shape) : 0);
}

/* Norms of the embedding, of the hidden state and before the shared head; the two halves joined by a product. */
int64_t orr_shape_mtp_params(const struct orr_shape *shape)
{
    return 2 * shape->hidden * shape->hidden + 3 * norm_params(shape);
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

bool orr_model_has_experts(const struct orr_model *model)
{
    for (int64_t k = 0; k < model->n_kinds; k++)
        if (model->kinds[k].n_experts > 0) return true;
    return false;
}
