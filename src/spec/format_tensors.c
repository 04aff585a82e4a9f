/* The matrices of one layer of a kind, as a checkpoint stores them. */
#include "spec/format.h"

#include "spec/job.h"

#define MODULE(member, module, name) ORR_MODULE_##module,
static const enum orr_module MODULES[ORR_N_TENSORS] = {ORR_TENSORS(MODULE)};

enum orr_module orr_tensor_module(enum orr_weight_tensor tensor)
{
    return MODULES[tensor];
}

static void set(struct orr_tensor_shape *shape, double n, double k, double count)
{
    *shape = (struct orr_tensor_shape){n, k, n > 0 && k > 0 ? count : 0};
}

/* The compressors and the weights of an indexer's heads are published in 16 bits, so that they are not listed. */
static void compressed_shapes(double h, const struct orr_layer_kind *kind, struct orr_tensor_shape *shapes)
{
    const double width = (double)(kind->n_heads * kind->head_qk), r_q = (double)kind->mla_q_rank;
    const double groups = (double)kind->out_groups, ranks = groups * (double)kind->out_rank;
    set(&shapes[ORR_TENSOR_Q_A], r_q, h, 1);
    set(&shapes[ORR_TENSOR_Q_B], width, r_q, 1);
    set(&shapes[ORR_TENSOR_KV_A], (double)kind->head_qk, h, 1);
    set(&shapes[ORR_TENSOR_O_A], ranks, width / groups, 1);
    set(&shapes[ORR_TENSOR_O], h, ranks, 1);
    set(&shapes[ORR_TENSOR_INDEX_Q], (double)(kind->index_heads * kind->index_size), r_q, 1);
}

static void attention_shapes(double h, const struct orr_layer_kind *kind, struct orr_tensor_shape *shapes)
{
    const double a = (double)kind->n_heads, kv = (double)kind->n_kv_heads, r_q = (double)kind->mla_q_rank;
    const double d_qk = (double)kind->head_qk, d_v = (double)kind->head_v, r = (double)kind->mla_kv_rank;
    const double d_r = (double)kind->mla_rope;
    if (orr_kind_compresses(kind)) {
        compressed_shapes(h, kind, shapes);
        return;
    }
    set(&shapes[ORR_TENSOR_O], h, a * d_v, 1);
    if (r > 0) {
        if (r_q > 0) {
            set(&shapes[ORR_TENSOR_Q_A], r_q, h, 1);
            set(&shapes[ORR_TENSOR_Q_B], a * d_qk, r_q, 1);
        } else {
            set(&shapes[ORR_TENSOR_Q], a * d_qk, h, 1);
        }
        set(&shapes[ORR_TENSOR_KV_A], r + d_r, h, 1);
        set(&shapes[ORR_TENSOR_KV_B], a * (d_qk - d_r + d_v), r, 1);
        return;
    }
    set(&shapes[ORR_TENSOR_Q], a * d_qk, h, 1);
    if (kind->shared_kv) return; /* keys and values are those of another layer */
    set(&shapes[ORR_TENSOR_K], kv * d_qk, h, 1);
    if (!kind->kv_equal) set(&shapes[ORR_TENSOR_V], kv * d_v, h, 1);
}

/* `shapes` holds gate, up and down one after another. */
static void ffn_shapes(double h, double width, bool gated, double count, struct orr_tensor_shape *gate)
{
    if (gated) set(&gate[0], width, h, count);
    set(&gate[1], width, h, count);
    set(&gate[2], h, width, count);
}

static double elements(const struct orr_tensor_shape *shapes, enum orr_weight_tensor first, enum orr_weight_tensor last)
{
    double sum = 0;
    for (int i = (int)first; i <= (int)last; i++) sum += shapes[i].n * shapes[i].k * shapes[i].count;
    return sum;
}

/* Matrices with more parameters than the kind counts show that it is built otherwise: none of its matrices is known. */
static void drop_unknown(struct orr_tensor_shape *shapes, enum orr_weight_tensor first, enum orr_weight_tensor last,
                         double params)
{
    if (elements(shapes, first, last) <= params) return;
    for (int i = (int)first; i <= (int)last; i++) shapes[i].count = 0;
}

void orr_tensor_shapes(const struct orr_model *model, const struct orr_layer_kind *kind,
                       struct orr_tensor_shape shapes[ORR_N_TENSORS])
{
    const double h = (double)model->hidden;
    for (int i = 0; i < ORR_N_TENSORS; i++) shapes[i] = (struct orr_tensor_shape){0, 0, 0};
    attention_shapes(h, kind, shapes);
    ffn_shapes(h, (double)kind->ffn_width, kind->gated, 1, &shapes[ORR_TENSOR_GATE]);
    ffn_shapes(h, (double)kind->shared_width, kind->gated, 1, &shapes[ORR_TENSOR_SHARED_GATE]);
    ffn_shapes(kind->expert_hidden > 0 ? (double)kind->expert_hidden : h, (double)kind->expert_width, kind->gated,
               (double)kind->n_experts, &shapes[ORR_TENSOR_EXPERT_GATE]);
    drop_unknown(shapes, ORR_TENSOR_Q, ORR_TENSOR_INDEX_Q, (double)kind->attention_params);
    drop_unknown(shapes, ORR_TENSOR_GATE, ORR_TENSOR_SHARED_DOWN, (double)kind->ffn_params);
    drop_unknown(shapes, ORR_TENSOR_EXPERT_GATE, ORR_TENSOR_EXPERT_DOWN,
                 (double)kind->n_experts * (double)kind->expert_params);
}

double orr_attention_norms(const struct orr_layer_kind *kind, double vectors)
{
    const double norms = orr_kind_compresses(kind) ? (double)(kind->mla_q_rank + kind->head_qk)
                         : kind->mla_kv_rank > 0   ? (double)(kind->mla_q_rank + kind->mla_kv_rank)
                         : kind->qk_norm           ? 2 * (double)kind->head_qk
                                                   : 0;
    return norms < vectors ? norms : vectors;
}
