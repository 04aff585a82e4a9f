/* The ends of the network: the embedding on the first stage; final norm, head and loss on the last (Eq. 12b), and there
 * also the input and head of multi-token prediction layers. */
#include "ops/emit.h"

#include "ops/adapter.h"

/* The gather of rows from the embedding table, and its gradient. */
static void emit_gather(struct orr_emit *emit)
{
    const struct orr_dims *d = &emit->dims;
    const double elements = d->T * d->h;
    orr_emit_pointwise(emit, &(struct orr_pointwise_op){.name = emit->lumped ? "embedding" : "embedding.gather",
                                                        .kind = ORR_POINTWISE_COPY,
                                                        .forward_bytes = 2 * d->w_a * elements});
    if (emit->frozen) return;
    /* Backward clears the whole gradient, then sorts rows and adds them. */
    orr_emit_pointwise(emit,
                       &(struct orr_pointwise_op){.backward_name = "embedding.scatter",
                                                  .kind = ORR_POINTWISE_SCATTER,
                                                  .backward_bytes = 3 * d->w_a * elements + d->w_p * d->vocab * d->h,
                                                  .backward_launches = 4});
}

/* The embedding is the head's matrix, too, and both are on one rank. */
static bool is_shared(const struct orr_job *job)
{
    return job->model.tied_embeddings && !orr_ends_apart(&job->plan);
}

/* A matrix that is embedding and head at once has two gradients, which autograd adds up (Eq. 261). Kernels that
 * accumulate in the weight gradient of the head add to the same sum. */
static void emit_tied_sum(struct orr_emit *emit)
{
    const struct orr_job *job = emit->job;
    const struct orr_dims *d = &emit->dims;
    if (!is_shared(job) || emit->frozen || job->engine.fused_gradient_accumulation) return;
    orr_emit_pointwise(emit, &(struct orr_pointwise_op){.backward_name = "embedding.sum",
                                                        .kind = ORR_POINTWISE_ADD,
                                                        .backward_bytes = 3 * d->w_p * d->vocab * d->h});
}

static void emit_embedding(struct orr_emit *emit)
{
    const struct orr_dims *d = &emit->dims;
    emit->layer_kind = ORR_LAYER_EMBEDDING;
    emit->frozen = !orr_trains_embedding(emit->job);
    emit_gather(emit);
    if (emit->job->workload.hidden_dropout)
        orr_emit_pointwise(emit, &(struct orr_pointwise_op){.name = "embedding.dropout",
                                                            .backward_name = "embedding.dropout.backward",
                                                            .kind = ORR_POINTWISE_DROPOUT,
                                                            .forward_bytes = (2 * d->w_a + 1) * d->T_norm * d->h,
                                                            .backward_bytes = (2 * d->w_a + 1) * d->T_norm * d->h});
    orr_emit_row_output(emit, d->h);
    const struct orr_part_params params = orr_plain_part(emit, orr_rank_embedding_params(emit->job));
    emit_tied_sum(emit);
    orr_emit_accumulation(emit, params.trained_dense, 1);
    orr_emit_sharded_layer(emit, &params);
}

/* Eq. 339: logits whose loss a rank computes. Some stacks gather all of them on every tensor-parallel rank first; their
 * gradient is cut without a transfer. */
static double emit_gathered_logits(struct orr_emit *emit)
{
    const struct orr_dims *d = &emit->dims;
    const double bytes = emit->job->engine.gathered_logit_bytes, all = d->T * d->vocab * d->t;
    if (bytes <= 0) return d->T * d->vocab;
    orr_emit_collective(emit, "loss.gather", ORR_PHASE_FORWARD, ORR_COLLECTIVE_ALLGATHER, ORR_GROUP_TP, bytes * all);
    if (emit->job->engine.tp_row_copies && d->t > 1) /* Eq. 340 */
        orr_emit_pointwise(emit, &(struct orr_pointwise_op){.name = "loss.copy",
                                                            .kind = ORR_POINTWISE_COPY,
                                                            .forward_bytes = 2 * bytes * all});
    return all;
}

/* Cross-entropy on fp32 logits moves, in bytes per logit, 6 for the upcast and 12 for maximum, sum and
 * log-probabilities in forward, and 11 for the gradient and 6 for the downcast in backward. A fused kernel reads the
 * 16-bit logits twice and writes the gradient over them: 4 bytes each way. Where an engine states its own traffic, it
 * is divided in the same proportion. */
static void emit_loss(struct orr_emit *emit)
{
    const struct orr_dims *d = &emit->dims;
    const bool fused = emit->job->engine.fused_loss;
    const double logits = emit_gathered_logits(emit), given = emit->job->engine.loss_bytes_per_logit;
    const double forward = given > 0 ? given * 18 / 35 : fused ? 4 : 18;
    const double backward = given > 0 ? given * 17 / 35 : fused ? 4 : 17;
    orr_emit_pointwise(emit, &(struct orr_pointwise_op){.name = "loss",
                                                        .backward_name = "loss.backward",
                                                        .kind = ORR_POINTWISE_LOSS,
                                                        .forward_bytes = forward * logits,
                                                        .backward_bytes = backward * logits,
                                                        .forward_launches = fused ? 1 : 3,
                                                        .backward_launches = fused ? 1 : 2});
    if (emit->job->engine.gathered_logit_bytes > 0) return;
    for (int i = 0; i < 3; i++) /* The ranks reduce the maximum, the sum and the target logit. */
        orr_emit_collective(emit, "loss.reduce", ORR_PHASE_FORWARD, ORR_COLLECTIVE_ALLREDUCE, ORR_GROUP_TP, 4 * d->T);
}

/* Final norm and logits of the rows that go through the output head. */
static void emit_logits(struct orr_emit *emit)
{
    const struct orr_dims *d = &emit->dims;
    orr_emit_norm(emit, "head.norm", "head.norm.backward", d->T_norm * d->h, emit->rms_norm);
    orr_emit_column_gather(emit, d->h, 1);
    const int32_t head = orr_emit_linear(
        emit, &(struct orr_linear){.names = emit->lumped ? ORR_LINEAR("head") : ORR_LINEAR("head.logits"),
                                   .m = d->T_head,
                                   .k = d->h,
                                   .n = d->vocab,
                                   .head = true});
    orr_emit_column_input(emit, head, d->h, 1);
}

static void emit_head(struct orr_emit *emit)
{
    emit->layer_kind = ORR_LAYER_HEAD;
    emit->frozen = !orr_trains_head(emit->job);
    emit_logits(emit);
    emit_loss(emit);
    const bool shared = is_shared(emit->job);
    const double own = orr_rank_head_params(emit->job), matrix = emit->dims.vocab * emit->dims.h;
    const struct orr_part_params params = orr_plain_part(emit, own);
    const struct orr_part_params cast = orr_plain_part(emit, own + (shared ? matrix : 0));
    orr_emit_autocast(emit, &cast, 1);
    orr_emit_accumulation(emit, params.trained_dense, shared ? 1 : 2); /* the norm and, if it is its own, the matrix */
    orr_emit_sharded_layer(emit, &params);
}

/* Serving engines are calibrated with small kernels in one operator: here the two norms and the copy that joins their
 * outputs, which all read and write every element once. */
static void emit_mtp_lump(struct orr_emit *emit)
{
    const struct orr_dims *d = &emit->dims;
    const double kernels = 3;
    struct orr_op *op = orr_emit_op(emit, "mtp.norms", ORR_OP_POINTWISE, ORR_PHASE_FORWARD);
    op->pointwise = ORR_POINTWISE_ACTIVATION;
    op->launches = kernels;
    op->floor_s = kernels * emit->job->engine.pointwise_floor_s;
    op->bytes = 8 * d->w_a * d->T * d->h;
}

/* The input of a multi-token prediction layer (DeepSeek-V3 report, section 2.2): the embedding of the next token and
 * the hidden state are normalised, joined and projected from 2h to h. Training divides the projection over the TP
 * group. Serving engines keep it whole on every rank and in 16 bits (eh_proj in deepseek_mtp.py of vLLM and in
 * deepseek_nextn.py of SGLang). */
static void emit_mtp_input(struct orr_emit *emit)
{
    const struct orr_dims *d = &emit->dims;
    const bool rms = emit->rms_norm, divided = !emit->served;
    orr_emit_norm(emit, "mtp.embedding_norm", "mtp.embedding_norm.backward", d->T_norm * d->h, rms);
    orr_emit_norm(emit, "mtp.hidden_norm", "mtp.hidden_norm.backward", d->T_norm * d->h, rms);
    if (emit->lumped) emit_mtp_lump(emit);
    if (divided) orr_emit_column_gather(emit, 2 * d->h, 1);
    const int32_t projection = orr_emit_linear(emit, &(struct orr_linear){.names = ORR_LINEAR("mtp.projection"),
                                                                          .m = d->T,
                                                                          .k = 2 * d->h,
                                                                          .n = divided ? d->h / d->t : d->h,
                                                                          .quantised = divided});
    if (!divided) return;
    orr_emit_column_input(emit, projection, 2 * d->h, 1);
    /* The product is column-parallel, but every rank needs its whole output. */
    const double whole = d->T * d->h * d->w_c;
    orr_emit_collective(emit, "mtp.gather", ORR_PHASE_FORWARD, ORR_COLLECTIVE_ALLGATHER, ORR_GROUP_TP, whole);
    orr_emit_collective(emit, "mtp.gather.backward", ORR_PHASE_BACKWARD, ORR_COLLECTIVE_REDUCESCATTER, ORR_GROUP_TP,
                        whole);
}

/* In training, the head, which shares its matrix, and a loss follow the layer. */
static void emit_mtp(struct orr_emit *emit)
{
    emit->layer_kind = ORR_LAYER_MTP;
    emit_gather(emit);
    orr_emit_row_output(emit, emit->dims.h);
    emit_mtp_input(emit);
    emit_logits(emit);
    emit_loss(emit);
    const struct orr_part_params params = orr_plain_part(emit, orr_rank_mtp_params(emit->job));
    orr_emit_sharded_layer(emit, &params);
}

void orr_emit_ends(struct orr_emit *emit)
{
    emit->recompute = ORR_RECOMPUTE_NONE;
    emit_embedding(emit);
    emit_head(emit);
    if (emit->job->workload.mtp_layers > 0) emit_mtp(emit);
}

/* The shortest time in which a token is chosen: a row of logits is one reduction, which few thread blocks share. Own
 * measurement (validation/kernels/h200_sampling.csv): 11 and 12 us for one row of 32,000 and of 201,088 logits. */
#define SAMPLE_FLOOR_S 12e-6

/* Eq. 269: every rank widens the logits of all sequences to 32 bits and finds the largest; what it keeps of a logit is
 * written once, and the wide copy is read once more. Random choices cost more and are not modelled. */
static void emit_sample(struct orr_emit *emit)
{
    struct orr_op *op = orr_emit_op(emit, "head.sample", ORR_OP_POINTWISE, ORR_PHASE_FORWARD);
    op->pointwise = ORR_POINTWISE_LOSS;
    op->launches = 2;
    op->floor_s = SAMPLE_FLOOR_S;
    op->bytes = emit->dims.T_head * (double)emit->model->vocab * (emit->job->engine.logit_bytes_live + 4);
}

/* The ends of a serving pass: only the last position of every sequence goes through the head; its logits are gathered
 * over the vocabulary's shards. A prediction layer that drafts has its input there too. The engines' step times are
 * calibrated without a sum of the embeddings. */
void orr_emit_pass_ends(struct orr_emit *emit)
{
    emit->layer_kind = ORR_LAYER_EMBEDDING;
    if (emit->parts & ORR_PART_ROWS) emit_gather(emit);
    emit->layer_kind = ORR_LAYER_MTP;
    if (emit->model->is_mtp && emit->parts & ORR_PART_ROWS) emit_mtp_input(emit);
    emit->layer_kind = ORR_LAYER_HEAD;
    if (emit->dims.T_head <= 0 || !(emit->parts & ORR_PART_SEQUENCES)) return;
    emit_logits(emit);
    if (!emit->job->engine.whole_head) /* Eq. 330 */
        orr_emit_collective(emit, "head.gather", ORR_PHASE_FORWARD, ORR_COLLECTIVE_ALLGATHER, ORR_GROUP_TP,
                            emit->dims.T_head * (double)emit->model->vocab * emit->dims.w_c);
    emit_sample(emit);
}
