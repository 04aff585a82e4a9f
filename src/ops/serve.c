/* Steps of a serving engine: what surrounds the layers, and the building blocks of serve_layer.c. */
#include "ops/serve.h"

#include "base/number.h"

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

double orr_serve_step_tokens(const struct orr_job *job)
{
    return (double)(job->serving.chunk_tokens > 0 ? job->serving.chunk_tokens : job->engine.max_step_tokens);
}

bool orr_serve_experts_only(const struct orr_job *job)
{
    return job->model.mxfp4 && job->serving.weights == ORR_DTYPE_FP4;
}

enum orr_dtype orr_serve_dtype16(const struct orr_job *job)
{
    if (orr_dtype_bytes(job->serving.matrix) >= 2) return job->serving.matrix;
    return job->system.chip.peak_flops_per_s[ORR_DTYPE_BF16] > 0 ? ORR_DTYPE_BF16 : ORR_DTYPE_FP16;
}

static struct orr_op *emit_op(struct orr_serve_emit *emit, const char *name, enum orr_op_kind kind)
{
    struct orr_op *op = &emit->list->items[emit->list->n++];
    *op = (struct orr_op){.name = name,
                          .kind = kind,
                          .phase = emit->phase,
                          .layer_kind = emit->layer_kind,
                          .count = emit->layers,
                          .batch = 1,
                          .dtype = emit->dtype16,
                          .launches = 1,
                          .window_op = -1};
    return op;
}

static void fill_product(struct orr_op *op, double m, double k, double n)
{
    op->m = m;
    op->n = n;
    op->k = k;
    op->flops = 2 * op->batch * m * n * k; /* Eq. 6 */
    op->bytes = op->batch * (op->input_bytes * m * k + op->weight_bytes * k * n + op->output_bytes * m * n);
}

void orr_serve_product(struct orr_serve_emit *emit, const char *name, enum orr_op_kind op_kind, double batch, double m,
                       double k, double n)
{
    struct orr_op *op = emit_op(emit, name, op_kind);
    op->batch = batch;
    op->input_bytes = op->output_bytes = op->weight_bytes = emit->w_a;
    if (op_kind == ORR_OP_GROUPED) {
        op->dtype = emit->job->serving.matrix;
        op->input_bytes = orr_dtype_bytes(op->dtype);
        op->weight_bytes = orr_stored_bytes(emit->job->serving.weights);
    }
    fill_product(op, m, k, n);
}

/* Activations cast to the matrix format by a kernel of their own: read 16 bits, write the narrow copy. */
static void emit_quantise(struct orr_serve_emit *emit, double elements)
{
    const double narrow = orr_dtype_bytes(emit->job->serving.matrix);
    if (!emit->job->engine.dynamic_quantisation || narrow >= 2) return;
    struct orr_op *op = emit_op(emit, "quantise", ORR_OP_POINTWISE);
    op->pointwise = ORR_POINTWISE_CAST;
    op->bytes = elements * (emit->w_a + narrow);
}

void orr_serve_linear(struct orr_serve_emit *emit, const char *name, double rows, double k, double n, bool narrow)
{
    const bool quantised = narrow && !orr_serve_experts_only(emit->job);
    if (quantised) emit_quantise(emit, rows * k);
    struct orr_op *op = emit_op(emit, name, ORR_OP_GEMM);
    op->dtype = quantised ? emit->job->serving.matrix : emit->dtype16;
    op->input_bytes = orr_dtype_bytes(op->dtype);
    op->weight_bytes = quantised ? orr_stored_bytes(emit->job->serving.weights) : emit->w_a;
    op->output_bytes = emit->w_a;
    fill_product(op, rows, k, n);
}

void orr_serve_collective(struct orr_serve_emit *emit, const char *name, enum orr_collective collective,
                          enum orr_group group, double payload_bytes)
{
    if (orr_group_ranks(&emit->job->plan, group) < 2 || payload_bytes <= 0) return;
    struct orr_op *op = emit_op(emit, name, ORR_OP_COLLECTIVE);
    op->collective = collective;
    op->group = group;
    op->payload_bytes = op->bytes = payload_bytes;
}

/* Norms, rotary positions, activation and residual of one layer, as many kernels as the engine makes of them. */
static void emit_layer_pointwise(struct orr_serve_emit *emit, const struct orr_layer_kind *kind)
{
    const struct orr_engine *engine = &emit->job->engine;
    struct orr_op *op = emit_op(emit, "pointwise", ORR_OP_POINTWISE);
    const double width = (double)(kind->ffn_width + kind->shared_width) / emit->t +
                         (double)(kind->n_active * kind->expert_width) / (double)emit->job->plan.etp;
    op->pointwise = ORR_POINTWISE_ACTIVATION;
    op->launches = (double)engine->layer_pointwise_kernels;
    op->floor_s = op->launches * engine->pointwise_floor_s;
    op->bytes =
        emit->rows * (emit->h * engine->pointwise_bytes_per_element + width * (kind->gated ? 3 : 2) * emit->w_a);
}

/* Only the last position of every sequence meets the head; its logits are gathered over the vocabulary's shards. */
static void emit_ends(struct orr_serve_emit *emit)
{
    const double sequences = emit->shape.prefill_sequences + emit->shape.decode_sequences * emit->shape.queries;
    const double vocab = (double)emit->model->vocab;
    emit->layers = 1;
    emit->layer_kind = ORR_LAYER_EMBEDDING;
    if (emit->parts & ORR_PART_ROWS) {
        struct orr_op *op = emit_op(emit, "embedding", ORR_OP_POINTWISE);
        op->pointwise = ORR_POINTWISE_COPY;
        op->bytes = 2 * emit->rows * emit->h * emit->w_a;
    }
    emit->layer_kind = ORR_LAYER_HEAD;
    if (sequences <= 0 || emit->shape.no_head || !(emit->parts & ORR_PART_SEQUENCES)) return;
    orr_serve_linear(emit, "head", sequences, emit->h, orr_ceil(vocab / emit->t), false);
    orr_serve_collective(emit, "head.gather", ORR_COLLECTIVE_ALLGATHER, ORR_GROUP_TP, sequences * vocab * emit->w_c);
}

void orr_serve_ops(const struct orr_job *job, const struct orr_model *model, const struct orr_serve_shape *shape,
                   enum orr_phase phase, struct orr_op_list *list)
{
    orr_serve_parts(job, model, shape, ORR_PART_WHOLE, phase, list);
}

void orr_serve_parts(const struct orr_job *job, const struct orr_model *model, const struct orr_serve_shape *shape,
                     unsigned parts, enum orr_phase phase, struct orr_op_list *list)
{
    struct orr_serve_emit emit = {.parts = parts,
                                  .job = job,
                                  .model = model,
                                  .shape = *shape,
                                  .list = list,
                                  .phase = phase,
                                  .rows = shape->prefill_tokens / (double)job->plan.cp +
                                          shape->decode_sequences * shape->queries,
                                  .h = (double)model->hidden,
                                  .t = (double)job->plan.tp,
                                  .w_a = orr_dtype_bytes(job->serving.matrix) > 2 ? 4 : 2,
                                  .w_c = orr_dtype_bytes(job->serving.comm),
                                  .dtype16 = orr_serve_dtype16(job)};
    double layers[ORR_MAX_LAYER_KINDS] = {0};
    for (int64_t i = 0; i < model->n_layers; i++) layers[model->layer_kind[i]] += 1;
    for (int64_t k = 0; k < model->n_kinds; k++) {
        if (layers[k] <= 0) continue;
        emit.layer_kind = k;
        emit.layers = layers[k];
        orr_serve_attention(&emit, &model->kinds[k]);
        if (!(parts & ORR_PART_ROWS)) continue;
        orr_serve_ffn(&emit, &model->kinds[k]);
        emit_layer_pointwise(&emit, &model->kinds[k]);
    }
    emit_ends(&emit);
}
