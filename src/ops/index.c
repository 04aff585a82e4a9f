/* The indexer of sparse attention: small products that every rank repeats, scores of all keys, and the choice of the
 * highest scores. Attention then reads only the chosen keys (Eq. 118). Blocks of keys are chosen in the same way. */
#include "ops/emit.h"
#include "ops/mixer.h"

/* Training does not choose latents: the gradients of its expanded heads need the same products as dense attention. */
bool orr_prompt_chooses(const struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    return !emit->backward && kind->mla_kv_rank > 0 && kind->index_topk > 0 &&
           emit->dims.context + emit->dims.s > (double)kind->index_topk;
}

static void emit_scores(struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    const struct orr_dims *d = &emit->dims;
    const struct orr_layer_kind all = {.index_topk = 0}; /* Every key or entry that the mask leaves is scored. */
    const double heads = (double)kind->index_heads, size = (double)kind->index_size;
    const double stride = kind->compress_ratio > 0 ? (double)kind->compress_ratio : 1, rows = d->s / d->c;
    const double keys = orr_score_pairs(d, &all, emit->job->workload.causal) / (d->s * stride);
    const bool narrow = emit->job->system.chip.peak_flops_per_s[ORR_DTYPE_FP8] > 0 && !emit->backward;
    for (int way = 0; way < (emit->backward ? 3 : 1); way++) {
        static const char *const NAMES[] = {"index.scores", "index.scores.dQ", "index.scores.dK"};
        struct orr_op *op = orr_emit_bmm(emit, NAMES[way], way > 0 ? ORR_PHASE_BACKWARD : ORR_PHASE_FORWARD, d->b,
                                         heads * rows, keys, size);
        if (narrow) op->dtype = ORR_DTYPE_FP8;
        op->input_bytes = op->weight_bytes = narrow ? 1 : d->w_a;
        op->output_bytes = 4 / heads; /* The kernel adds the scores of all heads. */
        op->bytes = d->b * (op->input_bytes * size * (heads * rows + keys) + 4 * rows * keys);
    }
    orr_emit_pointwise(emit, &(struct orr_pointwise_op){.name = "index.topk",
                                                        .kind = ORR_POINTWISE_SOFTMAX,
                                                        .forward_bytes = 2 * 4 * d->b * rows * keys});
}

static void emit_matrix(struct orr_emit *emit, struct orr_linear_names names, enum orr_product product, double k,
                        double n)
{
    orr_emit_linear(
        emit,
        &(struct orr_linear){.names = names, .m = emit->dims.T, .k = k, .n = n, .quantised = true, .product = product});
}

/* Eq. 319: small kernels of serving engines around these products: norm and rotary positions, Hadamard transforms,
 * casts to 8 bits, scaled weights of heads, and keys that are stored. Three of them read and write all queries. */
static void emit_index_kernels(struct orr_emit *emit, double heads, double size)
{
    const double kernels = emit->lumped ? (double)emit->job->engine.index_kernels : 0;
    const double elements = emit->dims.T * (heads + 1) * size;
    if (kernels <= 0) return;
    orr_emit_pointwise(emit, &(struct orr_pointwise_op){.name = "index.small",
                                                        .kind = ORR_POINTWISE_COPY,
                                                        .forward_bytes = 3 * 2 * emit->dims.w_a * elements,
                                                        .forward_launches = kernels});
}

void orr_emit_index(struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    const struct orr_dims *d = &emit->dims;
    const double heads = (double)kind->index_heads, size = (double)kind->index_size;
    if (emit->parts & ORR_PART_PROMPTS && d->T_prompt > 0) emit_scores(emit, kind);
    if (!(emit->parts & ORR_PART_ROWS)) return;
    const bool latent = kind->mla_q_rank > 0; /* else queries come from the hidden state, and heads have no weights */
    emit_matrix(emit, ORR_LINEAR("index.query"), kind->compress_ratio > 0 ? ORR_PRODUCT_INDEX_QUERY : ORR_PRODUCT_OTHER,
                latent ? (double)kind->mla_q_rank : d->h, heads * size);
    /* Keys of compressed entries come from the compressor. */
    if (kind->compress_ratio == 0) emit_matrix(emit, ORR_LINEAR("index.key"), ORR_PRODUCT_OTHER, d->h, size);
    if (latent) emit_matrix(emit, ORR_LINEAR("index.weights"), ORR_PRODUCT_OTHER, d->h, heads);
    emit_index_kernels(emit, heads, size);
}
