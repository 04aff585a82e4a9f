/* Operators that run once per iteration (gradient and weight collectives, optimizer), operators that ZeRO-3 adds to
 * every layer, and pipeline sends. Eqs. 74, 75a, 78. */
#include "ops/emit.h"

#include "base/number.h"
#include "ops/adapter.h"
#include "ops/mixer.h"

/* Kernels of a pass over all parameters. They are few, because frameworks put many tensors into one launch. */
#define NORM_LAUNCHES 4
#define CAST_LAUNCHES 32
#define ADAM_LAUNCHES 8

static double weight_bytes(const struct orr_emit *emit)
{
    return emit->dims.w_a;
}

/* The gather of backward serves recomputation too, so that the gather of forward is not repeated. */
static void emit_sharded(struct orr_emit *emit, enum orr_group group, double params, double trained)
{
    const bool stored = emit->layer_kind >= 0 && orr_adapts(emit->job); /* in the format of the frozen matrices */
    const double weights = params * (stored ? orr_base_bytes(emit->job) : weight_bytes(emit));
    const double gradients = trained * (double)emit->job->engine.reduce_bytes;
    struct orr_op *gather =
        orr_emit_collective(emit, "zero.gather", ORR_PHASE_FORWARD, ORR_COLLECTIVE_ALLGATHER, group, weights);
    if (gather) gather->recomputed = false;
    orr_emit_collective(emit, "zero.gather.backward", ORR_PHASE_BACKWARD, ORR_COLLECTIVE_ALLGATHER, group, weights);
    orr_emit_collective(emit, "zero.scatter", ORR_PHASE_BACKWARD, ORR_COLLECTIVE_REDUCESCATTER, group, gradients);
}

void orr_emit_sharded_layer(struct orr_emit *emit, const struct orr_part_params *params)
{
    const struct orr_plan *plan = &emit->job->plan;
    if (plan->zero < 3) return;
    emit_sharded(emit, ORR_GROUP_DP, params->dense, params->trained_dense);
    emit_sharded(emit, ORR_GROUP_EDP, params->expert, params->trained_expert);
    orr_emit_collective(emit, "zero.replicas", ORR_PHASE_BACKWARD, ORR_COLLECTIVE_ALLREDUCE, ORR_GROUP_RDP,
                        params->trained_dense * (double)emit->job->engine.reduce_bytes / (double)plan->zero_group);
}

/* The broadcasts of ZeRO-1 where whole tensors belong to ranks: one per rank that owns any. */
static double broadcasts_of(const struct orr_emit *emit, enum orr_group group)
{
    const double tensors = (double)(emit->job->engine.layer_tensors * emit->model->n_layers / emit->job->plan.pp) + 2;
    return orr_min(tensors, (double)orr_group_ranks(&emit->job->plan, group));
}

/* ZeRO stage 0 sums gradients; stages 1 and 2 scatter them and gather the new weights, unless an engine's stage 1 sums
 * them too. Stage 2 keeps no whole gradient to add to, so it scatters after every micro-batch. Groups that hold a copy
 * each add up their shards between them. */
static void emit_gradient_sync(struct orr_emit *emit, enum orr_group group, double params)
{
    const struct orr_plan *plan = &emit->job->plan;
    const double gradients = params * (double)emit->job->engine.reduce_bytes, shards = (double)plan->zero_group;
    const bool sums = plan->zero == 0 || (plan->zero == 1 && emit->job->engine.zero1_allreduce);
    struct orr_op *sync =
        orr_emit_collective(emit, sums ? "dp.reduce" : "dp.scatter", ORR_PHASE_STEP,
                            sums ? ORR_COLLECTIVE_ALLREDUCE : ORR_COLLECTIVE_REDUCESCATTER, group, gradients);
    if (sync && plan->zero == 2) sync->count = emit->dims.m;
    if (plan->zero == 0) return;
    if (group == ORR_GROUP_DP)
        orr_emit_collective(emit, "dp.replicas", ORR_PHASE_STEP, ORR_COLLECTIVE_ALLREDUCE, ORR_GROUP_RDP,
                            gradients / shards);
    struct orr_op *gather = orr_emit_collective(emit, "dp.gather", ORR_PHASE_STEP, ORR_COLLECTIVE_ALLGATHER, group,
                                                params * weight_bytes(emit));
    if (gather && plan->zero == 1 && emit->job->engine.zero1_broadcast) gather->launches = broadcasts_of(emit, group);
}

static void emit_step_pass(struct orr_emit *emit, const char *name, enum orr_pointwise kind, double bytes,
                           double launches)
{
    struct orr_op *op = orr_emit_op(emit, name, ORR_OP_POINTWISE, ORR_PHASE_STEP);
    op->pointwise = kind;
    op->bytes = bytes;
    op->launches = launches;
}

/* Eq. 78: the optimizer computes the norm, then reads gradient and state and writes state and weight. Where it works
 * only in fp32, the 16-bit gradients are cast before it and the weights after it. */
static void emit_optimizer(struct orr_emit *emit, double params)
{
    const struct orr_engine *engine = &emit->job->engine;
    const struct orr_states states = orr_states_of(emit->job);
    const double gradient = states.gradient_bytes, state = states.optimizer_bytes, w = weight_bytes(emit);
    if (engine->clip_gradients)
        emit_step_pass(emit, "optimizer.norm", ORR_POINTWISE_ADD, params * gradient, NORM_LAUNCHES);
    if (engine->clip_gradients && engine->clip_scales)
        emit_step_pass(emit, "optimizer.clip", ORR_POINTWISE_ADD, 2 * params * gradient, NORM_LAUNCHES);
    if (states.casts) {
        emit_step_pass(emit, "optimizer.cast_gradients", ORR_POINTWISE_UPCAST, params * (w + gradient), CAST_LAUNCHES);
        emit_step_pass(emit, "optimizer.cast_weights", ORR_POINTWISE_COPY, params * (4 + w), CAST_LAUNCHES);
    }
    const double fused = gradient + 2 * state + (states.casts ? 0 : w);
    const double traffic = engine->optimizer_traffic_bytes;
    emit_step_pass(emit, "optimizer.adam", ORR_POINTWISE_ADAM, params * (traffic > 0 ? traffic : fused), ADAM_LAUNCHES);
}

/* Gradients are copied into flat buckets before a reduction and back after it. */
static void emit_bucket_copies(struct orr_emit *emit, double params)
{
    const struct orr_plan *plan = &emit->job->plan;
    const double bytes = params * emit->job->engine.bucket_copy_bytes;
    if (bytes > 0 && plan->zero < 3 && plan->dp * plan->cp > 1)
        emit_step_pass(emit, "dp.buckets", ORR_POINTWISE_COPY, bytes, CAST_LAUNCHES);
}

/* Quantised weights are made once per iteration, including their transposed copy. */
static void emit_weight_cast(struct orr_emit *emit, double params)
{
    if (emit->dims.low_precision)
        emit_step_pass(emit, "weights.cast", ORR_POINTWISE_CAST, params * (weight_bytes(emit) + 2), CAST_LAUNCHES);
}

/* Eq. 74: one activation is sent per chunk boundary, split over the TP group if the engine does so. */
static void emit_sends(struct orr_emit *emit)
{
    const struct orr_dims *d = &emit->dims;
    const bool split = emit->job->plan.sp || emit->job->engine.p2p_scatter_gather;
    const double payload = d->T * orr_boundary_width(emit->model) * d->w_c / (split ? d->t : 1);
    emit->layer_kind = ORR_LAYER_BOUNDARY;
    orr_emit_collective(emit, "pp.send", ORR_PHASE_FORWARD, ORR_COLLECTIVE_P2P, ORR_GROUP_PP, payload);
    orr_emit_collective(emit, "pp.send.backward", ORR_PHASE_BACKWARD, ORR_COLLECTIVE_P2P, ORR_GROUP_PP, payload);
}

void orr_emit_step(struct orr_emit *emit, const struct orr_stage *heaviest)
{
    const struct orr_plan *plan = &emit->job->plan;
    const double dense = heaviest->trained_dense, expert = heaviest->trained_expert;
    const double shard = plan->zero > 0 ? (double)orr_group_ranks(plan, ORR_GROUP_DP) : 1;
    const double expert_shard = plan->zero > 0 ? (double)orr_group_ranks(plan, ORR_GROUP_EDP) : 1;
    emit->recompute_full = false;
    emit_sends(emit);
    emit->layer_kind = ORR_LAYER_STEP;
    if (plan->zero < 3) {
        emit_gradient_sync(emit, ORR_GROUP_DP, dense);
        emit_gradient_sync(emit, ORR_GROUP_EDP, expert);
    }
    if (emit->job->model.tied_embeddings && plan->pp > 1 &&
        orr_trains_head(emit->job)) /* Both copies of the matrix get the summed gradient. */
        orr_emit_collective(emit, "embedding.tie", ORR_PHASE_STEP, ORR_COLLECTIVE_P2P, ORR_GROUP_PP,
                            emit->dims.vocab * emit->dims.h * (double)emit->job->engine.reduce_bytes);
    emit_optimizer(emit, dense / shard + expert / expert_shard);
    emit_bucket_copies(emit, dense + expert);
    emit_weight_cast(emit, dense + expert);
}
